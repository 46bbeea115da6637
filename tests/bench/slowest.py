#!/usr/bin/python3
"""Where the time of the slowest requests went: `make bench-slowest RATE=1000`.

One load at a fixed rate on a warmed-up instance. For each of its ten slowest requests a row with the milliseconds between
two places: handed to the client, appended to the log, in a batch, committed, its answer appended, seen by the client; and
what else happened meanwhile: Java's safepoints in the broker, checkpoints and autovacuum of PostgreSQL, and when the kernel
wrote much of what programs had left to it.
"""
import argparse
import contextlib
import datetime
import re
import signal
import sys
import threading
import time

import safepoints
from instance import Instance
from offer import all_held, hall, offer, warm_up

WARM_S = 3
# By Kafka's clock, that of the batch, and that of the commit.
DECISION = """
select extract(epoch from appended_at) * 1000, extract(epoch from decided_at) * 1000,
       extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000
  from usher.decision where partition = %s and seq = %s
"""
STEPS = ("sent", "appended", "decided", "committed", "published", "answered")
LOGGED = re.compile(r"^(\S+ \S+ \S+) .*LOG:  (checkpoint starting|checkpoint complete|automatic \w+ of table \S+)", re.M)
WRITTEN_MB, PAGE_B = 32, 4096  # by the kernel in a tenth of a second


def _written_mb():
    with open("/proc/vmstat", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("nr_written ")) * PAGE_B / (1 << 20)


@contextlib.contextmanager
def _writing():
    """The moments at which the kernel wrote much at once: lines that are added meanwhile."""
    found, ended = [], threading.Event()

    def watch():
        before = _written_mb()
        while not ended.wait(0.1):
            now = _written_mb()
            if now - before > WRITTEN_MB:
                found.append(f"{_utc(time.time())} {now - before:.0f} MB")
            before = now

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


def _utc(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat(timespec="milliseconds")[11:23]


def _configure(instance):
    """PostgreSQL notes when a transaction was committed, and what it does by itself."""
    for setting in ("track_commit_timestamp = on", "log_checkpoints = on", "log_autovacuum_min_duration = 0"):
        instance.sql(f"alter system set {setting}")
    instance.restart_part("postgres")
    instance.restart_worker()


def _times(instance, request):
    """Those of the request, and those of its decision."""
    decision = instance.sql(DECISION, request["partition"], request["seq"])[0]
    return {**request, **dict(zip(("appended", "decided", "committed"), map(float, decision)))}


def _meanwhile(request, pauses):
    """The safepoints within a request, longest first."""
    within = [ms for end, ms in pauses if end > request["sent"] and end - ms < request["answered"] and ms >= 1]
    return ", ".join(f"{ms:.0f}" for ms in sorted(within, reverse=True)[:4])


def _measure(instance, arguments):
    warm = warm_up(instance)
    instance.send([hall("show:main", 2 * arguments.rate * (arguments.seconds + WARM_S))])
    with _writing() as written:
        figures = all_held(offer(instance, "show:main", rate=arguments.rate, seconds=arguments.seconds, warmup_s=WARM_S))
    latency = figures["latency_ms"]
    print(f"{arguments.rate:,}/s for {arguments.seconds} s after {warm:,} requests; ms:",
          ", ".join(f"{name} {latency[name]:.2f}" for name in ("p50", "p99", "p99.9", "max")))
    print("\nbegun, UTC   together", *(f"{step:>10}" for step in STEPS[1:]), "  safepoints")
    pauses = safepoints.read()
    requests = [_times(instance, one) for one in figures["slowest"]]
    for one in sorted(requests, key=lambda request: request["sent"]):
        spans = [one[later] - one[earlier] for earlier, later in zip(STEPS, STEPS[1:])]
        print(f"{_utc(one['sent'] / 1000)} {one['answered'] - one['sent']:8.1f}",
              *(f"{span:10.1f}" for span in spans), "  " + _meanwhile(one, pauses))
    log = (instance.directory / "log/postgres.log").read_text(encoding="utf-8", errors="replace")
    print("\nPostgreSQL:", *(" ".join(line) for line in LOGGED.findall(log)), sep="\n  ")
    print(f"\nThe kernel, more than {WRITTEN_MB} MB in 100 ms:", *written, sep="\n  ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=1_000)
    parser.add_argument("--seconds", type=int, default=60)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(143))
    safepoints.begin()
    with Instance(KAFKA_JAVA=f"steady {safepoints.OPTION}") as instance:
        _configure(instance)
        _measure(instance, arguments)


if __name__ == "__main__":
    main()
