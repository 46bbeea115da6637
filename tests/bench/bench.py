#!/usr/bin/python3
"""The hot show, the floor and a lock-based rival, measured in one run and set side by side.

Called by run.sh with an instance of the stack: USHER_*, POSTGRES_ADMIN (libpq URI), WORKER_PID, BIN_DIR.
"""
import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time

BIN = os.environ["BIN_DIR"]
HERE = os.path.dirname(os.path.abspath(__file__))
UNITS, ROWS, RUNS = 200_000, 2_000, 3
FLOOR = {"USHER_TOPIC_PREFIX": "floor"}


def run(*command, **environment):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                          env={**os.environ, **environment}).stdout


def progress(text):
    print(text, file=sys.stderr, flush=True)


# ---- the load ---------------------------------------------------------------------------------------------------

def load(resource, rate, measure, **environment):
    """Offers holds of two and returns the figures as a dict; full load where `rate` is 0."""
    figures = json.loads(run(
        f"{BIN}/usher-producer", "bench", resource, "--section", "stalls", "--quantity", "2",
        "--rate", str(rate), *measure, "--json", "--log-level", "error", **environment))
    if figures["missing"] or figures["outcomes"].get("held") != figures["sent"]:
        sys.exit(f"bench: {resource} was not answered as it should be: {figures}")
    return figures


def define(resource):
    rows = [{"row": f"R{n}", "seats": UNITS // ROWS} for n in range(ROWS)]
    request = {"request_id": f"def-{resource}", "op": "define", "resource": resource, "state": "open",
               "currency": "GBP", "sections": [{"section": "stalls", "price": 4500, "rows": rows}]}
    subprocess.run([f"{BIN}/usher-producer", "send", "--wait=30s"], input=json.dumps(request) + "\n", text=True,
                   check=True, stdout=subprocess.DEVNULL)


# ---- the worker's own account -------------------------------------------------------------------------------------

def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def batches():
    page = run("curl", "-fsS", f"http://{os.environ['USHER_HTTP_LISTEN']}/metrics")
    return [sum(float(value) for value in re.findall(rf"^usher_batch_requests_{name}\S* (\S+)$", page, re.M))
            for name in ("sum", "count")]


def full_load(resources, arguments, **environment):
    """Bookings a second at full load: each resource's, sorted. One run is short, so the middle one counts."""
    return sorted(load(resource, 0, ("--count", str(arguments.count), "--warmup", "0s"), **environment)["bookings_per_s"]
                  for resource in resources)


def usher(arguments):
    """Everything is warmed on one show; full load sells most of each of the next; the rates have another."""
    full = [f"show:full-{n}" for n in range(1, 1 + RUNS)]
    for resource in ("show:warm", "show:rates", *full):
        define(resource)
    full_load(("show:warm",), arguments)
    load("show:rates", 1_000, ("--seconds", "5", "--warmup", "1s"))
    cpu, before = cpu_seconds(os.environ["WORKER_PID"]), batches()
    figures = {"full": full_load(full, arguments)}
    cpu, after = cpu_seconds(os.environ["WORKER_PID"]) - cpu, batches()
    requests = after[0] - before[0]
    figures["batch"] = requests / (after[1] - before[1])
    figures["worker_cpu_us"] = cpu * 1e6 / requests
    figures["rates"] = rates("show:rates", arguments)
    return figures


def rates(resource, arguments, **environment):
    """The higher one first and each warmed for a while: a broker that was just started is still compiling itself."""
    measure = ("--seconds", str(arguments.seconds), "--warmup", "3s")
    found = {rate: load(resource, rate, measure, **environment) for rate in (10_000, 1_000)}
    return dict(sorted(found.items()))


# ---- the floor ----------------------------------------------------------------------------------------------------

def floor(arguments):
    run("psql", "-qX", "-v", "ON_ERROR_STOP=1", os.environ["POSTGRES_ADMIN"], "-f", f"{HERE}/floor.sql")
    run(f"{BIN}/usher-worker", "topics", "create", "--partitions", "1", "--replication", "1", **FLOOR)
    pump = subprocess.Popen([f"{BIN}/tests/bench/floor", os.environ["USHER_KAFKA_BROKERS"],
                             os.environ["POSTGRES_ADMIN"], "floor"], stdout=subprocess.DEVNULL)
    try:
        full_load(("show:floor",), arguments, **FLOOR)
        return {"full": full_load(("show:floor",) * RUNS, arguments, **FLOOR),
                "rates": rates("show:floor", arguments, **FLOOR)}
    finally:
        pump.send_signal(signal.SIGTERM)
        pump.wait(20)


# ---- the rival ----------------------------------------------------------------------------------------------------

def pgbench():
    """Debian keeps it beside the server, not on PATH."""
    folder = run("pg_config", "--bindir").strip()
    return next(path for path in (f"{folder}/pgbench", "/usr/bin/pgbench") if os.path.exists(path))


def rival(arguments):
    """Bookings a second of SKIP LOCKED by number of clients, each on a fresh table."""
    found = {}
    for clients in (1, 8, 32):
        run("psql", "-qX", "-v", "ON_ERROR_STOP=1", os.environ["POSTGRES_ADMIN"], "-f", f"{HERE}/rival.sql")
        report = run(pgbench(), "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T", str(arguments.seconds),
                     "-f", f"{HERE}/skip_locked.sql", os.environ["POSTGRES_ADMIN"])
        found[clients] = {"bookings_per_s": float(re.search(r"tps = ([\d.]+)", report)[1]),
                          "mean_ms": float(re.search(r"latency average = ([\d.]+)", report)[1])}
    return found


# ---- the report ---------------------------------------------------------------------------------------------------

def table(ours, least, locked):
    rows = [("", "usher", "floor", "usher/floor")]
    full, floor_full = statistics.median(ours["full"]), statistics.median(least["full"])
    rows.append(("holds of 2 seats a second, full load", f"{full:,.0f}", f"{floor_full:,.0f}", f"{full / floor_full:.2f}"))
    for rate in ours["rates"]:
        for name in ("p50", "p99"):
            ours_ms, least_ms = (side["rates"][rate]["latency_ms"][name] for side in (ours, least))
            rows.append((f"{rate:,}/s offered, {name}", f"{ours_ms:.2f} ms", f"{least_ms:.2f} ms",
                         f"{ours_ms / least_ms:.2f}"))
    print("\nhot show, one partition, 200,000 seats, enqueue to answer seen by a consumer")
    for row in rows:
        print(f"  {row[0]:<38}{row[1]:>14}{row[2]:>14}{row[3]:>14}")
    print(f"  full load is the median of {RUNS}: "
          + " and ".join(f"{name} {side['full'][0]:,.0f} to {side['full'][-1]:,.0f}"
                         for name, side in (("usher", ours), ("floor", least))))
    print(f"  average batch at full load {ours['batch']:.0f} requests; worker {ours['worker_cpu_us']:.1f} us of CPU a booking")
    print("\nFOR UPDATE SKIP LOCKED on the same PostgreSQL, two seats a booking")
    for clients, figures in locked.items():
        print(f"  {clients:>3} clients {figures['bookings_per_s']:>10,.0f}/s  mean {figures['mean_ms']:.1f} ms")
    best = max(figures["bookings_per_s"] for figures in locked.values())
    print(f"  usher is {full / best:.1f} times the best of them")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=90_000, help="bookings at full load (at most 100,000)")
    parser.add_argument("--seconds", type=int, default=5, help="of each rate and each rival (at most 6)")
    arguments = parser.parse_args()
    started = time.monotonic()
    progress("usher: full load, then 1,000/s and 10,000/s")
    ours = usher(arguments)
    progress("the floor: the same")
    least = floor(arguments)
    progress("SKIP LOCKED: 1, 8 and 32 clients")
    table(ours, least, rival(arguments))
    progress(f"measured in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
