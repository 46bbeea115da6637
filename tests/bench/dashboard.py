#!/usr/bin/python3
"""The dashboard in Chromium, and beside full load: `make bench-dashboard`.

How soon an arena and thousands of resources are drawn, found and panned; how late a seat changes its colour at full load; what
hundreds of browsers take of the dashboard, and of what is sold meanwhile; whether a browser's heap grows. BENCH_SCALE=0.01 tries
it out with everything smaller. A target that was missed is only said.
"""
import argparse
import contextlib
import json
import multiprocessing
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import cpu
import report
from instance import BIN, TREE, Instance, resident_mb
from offer import all_held, hall, holds, offer, standing, warm_up
from run import Run

sys.path.insert(0, str(TREE / "tests/integration"))
from harness.browser import Browser  # noqa: E402
from harness.waiting import eventually  # noqa: E402

ARENA = "show:arena"
SEATS, RESOURCES, BROWSERS, COUNT, ROUNDS, PROBES, PAN_S = 20_000, 10_000, 200, 60_000, 3, 40, 5
LOAD_S = 600  # at most: a generator of load has room for all that it may send
HEAP_S = 150  # how often a browser's heap is looked at

# Runs before each page: when what is looked for was there first and had been drawn, how often seats were drawn, and which
# change of a resource was drawn when.
WATCH = """
window.drawn = {shapes: 0, at: []};
const draw = CanvasRenderingContext2D.prototype.drawImage;
CanvasRenderingContext2D.prototype.drawImage = function (...given) { window.drawn.shapes++; return draw.apply(this, given); };
const fill = CanvasRenderingContext2D.prototype.fillRect;
CanvasRenderingContext2D.prototype.fillRect = function (...given) { window.drawn.shapes++; return fill.apply(this, given); };
const listen = EventSource.prototype.addEventListener;
EventSource.prototype.addEventListener = function (name, handler) {
  listen.call(this, name, name !== 'change' ? handler : event => {
    handler(event);
    window.drawn.at.push([JSON.parse(event.data).rev, performance.timeOrigin + performance.now()]);
  });
};
new MutationObserver((_, watcher) => {
  if (!document.querySelector('.row b, canvas.picture'))
    return;
  watcher.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn.first = performance.now(); }));
}).observe(document, {childList: true, subtree: true});
"""

PAN = """
const [seconds, done] = arguments, canvas = document.querySelector('canvas.picture'), box = canvas.getBoundingClientRect();
canvas.setPointerCapture = () => {};
const point = (name, x, y) => canvas.dispatchEvent(new PointerEvent(name, {pointerId: 1, clientX: box.left + x, clientY: box.top + y}));
const since = performance.now();
let frames = 0, x = 300, step = 7;
point('pointerdown', x, 200);
const turn = () => {
  frames++;
  step = x < 100 || x > 500 ? -step : step;
  x += step;
  point('pointermove', x, 200 + step);
  if (performance.now() - since < 1000 * seconds)
    return requestAnimationFrame(turn);
  point('pointerup', x, 200);
  done(1000 * frames / (performance.now() - since));
};
requestAnimationFrame(turn);
"""

FIND = """
const search = document.querySelector('input[type=search]'), took = [];
for (const text of ['s', 'sh', 'show', 'show:1', 'show:12', 'nothing', '']) {
  search.value = text;
  const since = performance.now();
  search.dispatchEvent(new Event('input'));
  document.body.getBoundingClientRect();
  took.push(performance.now() - since);
}
return Math.max(...took);
"""

WEIGHT = """
return performance.getEntriesByType('navigation').concat(performance.getEntriesByType('resource'))
  .filter(one => !one.name.includes('/api/')).reduce((sum, one) => sum + one.encodedBodySize, 0);
"""


# ---- the dashboard and its pages ----------------------------------------------------------------------------------

def address(instance, path=""):
    return f"http://{instance.environment['USHER_DASHBOARD_LISTEN']}/{path}"


def page(resource):
    return f"#/resource/{urllib.parse.quote(resource, safe='')}"


def rows(instance):
    with urllib.request.urlopen(address(instance, "api/resources"), timeout=60) as answer:
        return len(json.load(answer)["resources"])


def open_cold(instance, browser, path=""):
    """Milliseconds until the page's picture was drawn, with an empty cache."""
    browser.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.open(address(instance, path))
    return eventually(lambda: browser.run("return window.drawn.first"), "the page has its picture")


def measure_pages(instance, run, browser):
    """While nothing else happens."""
    seats, resources, name = run.scaled(SEATS, 400), run.scaled(RESOURCES, 20), "in a browser"
    instance.send([hall(ARENA, seats), *(standing(f"show:{number}", 100) for number in range(resources))])
    eventually(lambda: rows(instance) > resources, "the dashboard has them")
    run.figure(name, f"overview of {resources:,} resources, from cold", open_cold(instance, browser), "ms", at_most=1000)
    run.figure(name, "all files, compressed", browser.run(WEIGHT) / 1024, "KB", at_most=150)
    run.figure(name, f"{resources:,} resources filtered", browser.run(FIND), "ms", at_most=100)
    run.figure(name, f"{seats:,} seats, from cold", open_cold(instance, browser, page(ARENA)), "ms", at_most=1000)
    eventually(lambda: browser.text("#live") == "live", "the page follows")
    before = browser.run("return window.drawn.shapes")
    instance.producer("hold", ARENA, "--customer", "c", "--section", "stalls")
    eventually(lambda: browser.run("return window.drawn.at.length"), "the change is drawn")
    run.figure(name, "shapes drawn for a seat that changes", browser.run("return window.drawn.shapes") - before, "", at_most=10)
    for _ in range(3):
        browser.find('[aria-label="Zoom in"]').click()
    run.figure(name, "frames while panning", browser.driver.execute_async_script(PAN, max(1, run.scaled(PAN_S))), "/s", at_least=50)


# ---- at full load -------------------------------------------------------------------------------------------------

def define_hot(instance, run, show):
    """A hall of which an eighth is held at full load at most, where all holds are released again: how many are under way."""
    seats = run.scaled(SEATS, 400)
    instance.send([hall(show, seats)])
    return seats // 16


def begin_load(instance, show, under_way, seconds):
    """As much as can be decided."""
    return instance.load_beside(holds(instance, show), "--rate", "0", "--seconds", str(seconds), "--then", "release",
                                "--in-flight", str(under_way), "--log-level", "error")


def measure_colours(instance, run, browser):
    """How much later than its answer a hold is drawn."""
    late, probes, show = [], run.scaled(PROBES, 5), "show:colours"
    loading = begin_load(instance, show, define_hot(instance, run, show), LOAD_S)
    with subprocess.Popen([BIN / "usher-producer", "send", "--wait=60s"], env=instance.with_environment(), text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as seller:
        open_cold(instance, browser, page(show))
        for number in range(probes):
            seller.stdin.write(json.dumps({"request_id": f"probe-{number}", "op": "hold", "resource": show, "customer": "probe",
                                           "items": [{"section": "stalls", "quantity": 1}]}) + "\n")
            seller.stdin.flush()
            rev = json.loads(seller.stdout.readline())["rev"]
            answered_ms = 1000 * time.time()
            drawn_ms = eventually(lambda rev=rev: browser.run("return window.drawn.at.find(([rev]) => rev >= arguments[0])?.[1]", rev))
            late.append(max(0, drawn_ms - answered_ms))
        seller.stdin.close()
    loading.terminate()
    loading.wait()
    run.figure("at full load", "from the answer to the colour, median", statistics.median(late), "ms")
    run.figure("at full load", f"from the answer to the colour, longest of {probes}", max(late), "ms", at_most=1000)


def read_streams(host, port, count, resource):
    """A process that reads streams of one resource, and of all of them in every fourth."""
    streams = []
    for number in range(count):
        stream = socket.create_connection((host, port))
        query = "" if number % 4 == 3 else f"?resource={resource}"
        stream.sendall(f"GET /api/changes{query} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        streams.append(stream)
    with selectors.DefaultSelector() as ready:
        for stream in streams:
            ready.register(stream, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                key.fileobj.recv(1 << 20)


@contextlib.contextmanager
def browsers(instance, count, show):
    host, port = instance.environment["USHER_DASHBOARD_LISTEN"].split(":")
    crowd = multiprocessing.Process(target=read_streams, args=(host, int(port), count, show), daemon=True)
    crowd.start()
    try:
        eventually(lambda: f"usher_dashboard_browsers {count}\n" in metrics(instance), "all are connected")
        yield crowd
    finally:
        crowd.terminate()
        crowd.join()
        eventually(lambda: "usher_dashboard_browsers 0\n" in metrics(instance), "all have left")


def metrics(instance):
    with urllib.request.urlopen(address(instance, "metrics"), timeout=60) as answer:
        return answer.read().decode()


def measure_crowd(instance, run):
    """What is sold with and without browsers, in turn."""
    count, crowd, pid = run.scaled(COUNT, 500), run.scaled(BROWSERS, 10), instance.part_pid("dashboard")
    show, sold, cores = "show:crowd", {False: [], True: []}, {"dashboard": [], "readers": []}
    under_way = define_hot(instance, run, show)
    for _ in range(ROUNDS):
        for watched in False, True:
            with browsers(instance, crowd, show) if watched else contextlib.nullcontext() as readers:
                pids = {"dashboard": pid, "readers": readers.pid} if watched else {}
                since, before = time.monotonic(), {part: cpu.cpu_seconds(of) for part, of in pids.items()}
                figures = all_held(offer(instance, show, count=count, in_flight=under_way, then="release"))
                sold[watched].append(figures["bookings_per_s"])
                for part, of in pids.items():
                    cores[part].append((cpu.cpu_seconds(of) - before[part]) / (time.monotonic() - since))
    alone, beside = (statistics.median(sold[watched]) for watched in (False, True))
    name = f"{crowd:,} browsers"
    run.figure(name, "holds while nobody looks", alone, "/s")
    run.figure(name, "holds while they look", beside, "/s", at_least=0.95 * alone)
    run.figure(name, "the dashboard's CPU", statistics.median(cores["dashboard"]), "cores")
    run.figure(name, "the CPU of the program that reads in their place", statistics.median(cores["readers"]), "cores")
    run.figure(name, "the dashboard's memory", resident_mb(pid), "MB")


def heap_mb(browser):
    browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    found = browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(one["value"] for one in found if one["name"] == "JSHeapUsedSize") / (1 << 20)


def measure_heap(instance, run, browser, seconds):
    """A page that is looked at for long: its heap at most, in each half of that time."""
    browser.driver.execute_cdp_cmd("Performance.enable", {})
    halves, show = ([], []), "show:heap"
    under_way = define_hot(instance, run, show)
    open_cold(instance, browser, page(show))
    browser.run("window.drawn.at = {push() {}};")
    for half in halves:
        for left in range(seconds // 2, 0, -HEAP_S):
            loading = begin_load(instance, show, under_way, min(left, HEAP_S))
            assert loading.wait() == 0, "the load failed"
            half.append(heap_mb(browser))
    first, second = (max(half) for half in halves)
    run.figure("at full load", f"a browser's heap, at most, in the first {seconds // 2:,} s", first, "MB")
    run.figure("at full load", f"a browser's heap, at most, in the next {seconds // 2:,} s", second, "MB", at_most=1.2 * first)


def measure(instance, run, seconds):
    warm_up(instance, count=run.scaled(30_000, 300))
    with tempfile.TemporaryDirectory() as profile, contextlib.closing(Browser(profile)) as browser:
        browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        measure_pages(instance, run, browser)
        measure_colours(instance, run, browser)
        measure_heap(instance, run, browser, seconds)
    measure_crowd(instance, run)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=3600, help="how long a page is looked at")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(143))
    run = Run("dashboard")
    with Instance(dashboard=True) as instance:
        measure(instance, run, arguments.seconds)
    print(report.machine(), *report.plain(run.as_json()), sep="\n")


if __name__ == "__main__":
    main()
