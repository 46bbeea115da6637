"""Other ways to sell seats on the same PostgreSQL, by pgbench: one booking of two seats a transaction (rivals/)."""

import os
import pathlib
import re
import shutil
import subprocess

import cpu
from instance import Broken, call
from offer import all_held, check_books, hall, offer
from run import expect

FOLDER = pathlib.Path(__file__).resolve().parent / "rivals"
SEATS = 400_000  # more than the quickest sells in its time
SECONDS = 6
CLIENTS = (1, 8, 32, 64)
RATES = (500, 1_000, 2_000, 3_000, 5_000)  # a second, offered to all alike
RATE_CLIENTS, RATE_S, WARMUP_S = 16, 10, 2
# Script → (what it is called, the script whose tables and functions it uses, more options of pgbench).
RIVALS = {
    "skip_locked": ("FOR UPDATE SKIP LOCKED", None, ()),
    "for_update": ("FOR UPDATE, the best seats", "for_update", ()),
    "conditional": ("conditional update with retry, the best seats", "conditional", ()),
    "conditional_anywhere": ("conditional update with retry, seats anywhere", "conditional", ()),
    "advisory_lock": ("advisory lock a show", None, ()),
    "deferred_key": ("deferred foreign key, seats anywhere", "deferred_key", ()),
    "serializable": ("SERIALIZABLE with retry, seats anywhere", None, ("--max-tries=100",)),
    "queue": ("queue table, one consumer", "queue", ()),
}


def pgbench():
    """Debian keeps it beside the server, not on PATH."""
    found = shutil.which("pgbench", path=call("pg_config", "--bindir").strip()) or shutil.which("pgbench")
    if not found:
        raise Broken("could not find pgbench: it comes with postgresql-contrib")
    return found


class Consumer:
    """The one that works the queue off, for rivals that have a script for it."""

    def __init__(self, name, program, uri):
        script = FOLDER / f"{name}.consumer.sql"
        self._command = [program, "-n", "-M", "prepared", "-T", "3600", "-f", script, uri] if script.exists() else None
        self._process = None

    def __enter__(self):
        if self._command:
            self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __exit__(self, *_error):
        if self._process:
            self._process.terminate()
            self._process.wait(20)


def _latencies(folder):
    """Milliseconds of each transaction, sorted, of pgbench's logs: client, number, microseconds, …"""
    times = sorted(int(line.split()[2]) for log in folder.glob("log.*") for line in log.read_text().splitlines()
                   if line.split()[2].isdigit())
    return [time / 1000 for time in times]


def _books(instance, asked):
    """(bookings, refused although enough was free). No unit may have two owners."""
    bookings, units, different = instance.sql(
        "select (select count(*) from rival.booking), count(*), count(distinct unit)"
        "  from rival.booking, unnest(units) as unit")[0]
    expect("seats of rivals, oversold", (units, units - different), (2 * bookings, 0))
    return bookings, asked - bookings


def _quantiles(times):
    """Of sorted times."""
    return {name: times[int(len(times) * part)] for name, part in (("p50", .5), ("p99", .99), ("p99.9", .999))}


def _measure(instance, name, clients, seconds, seats, rate=None):
    """
    (figures, CPU time of a booking by part). Without a rate each client begins a transaction when the one before has
    ended; with one they are begun on schedule, and latencies count from that, the wait for a client included.
    """
    _title, setup, options = RIVALS[name]
    options = (*options, *(("--rate", rate) if rate else ()))
    instance.sql_file(FOLDER / "tables.sql", seats=seats)
    if setup:
        instance.sql_file(FOLDER / f"{setup}.setup.sql")
    logs = instance.scratch / "pgbench"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    program, uri, meter = pgbench(), instance.uri("admin"), cpu.rival_meter(instance)
    os.sync()  # as before a load of usher's
    with meter, Consumer(name, program, uri):
        report = call(program, "-n", "-M", "prepared", "-c", clients, "-j", min(2, clients), "-T", seconds,
                      "-D", f"seats={seats}", "-l", f"--log-prefix={logs}/log", *options,
                      "-f", FOLDER / f"{name}.sql", uri)
    times = _latencies(logs)
    failed = re.search(r"number of failed transactions: (\d+)", report)
    if not times:
        raise Broken(f"{name}, {clients} clients: nothing was sold in {seconds} s\n{report}")
    bookings, refused = _books(instance, len(times) + int(failed[1] if failed else 0))
    row = {"clients": clients, "bookings_per_s": bookings / seconds, "refused": refused, **_quantiles(times)}
    return row, meter.us_per(bookings)


def best_of(instance, run, name, clients=CLIENTS):
    """The best over numbers of clients, as a row of the table and a bar of the plot."""
    seconds, seats = run.scaled(SECONDS, 2), run.scaled(SEATS, 20_000)
    best, us = max((_measure(instance, name, number, seconds, seats) for number in clients),
                   key=lambda one: one[0]["bookings_per_s"])
    run.rival(RIVALS[name][0], **best)
    run.cpu_per_booking(RIVALS[name][0], us)
    return best["bookings_per_s"]


# ---- at equal load ------------------------------------------------------------------------------------------------

def _usher_at(instance, rate, seconds):
    show, count = f"show:beside-{rate}", rate * (seconds + WARMUP_S)
    instance.send([hall(show, 4 * count)])
    meter = cpu.usher_meter(instance)
    with meter:
        figures = all_held(offer(instance, show, rate=rate, seconds=seconds, warmup_s=WARMUP_S))
    check_books(instance, show, 2 * count, count)
    row = {"bookings_per_s": figures["bookings_per_s"], "refused": 0, **figures["latency_ms"]}
    return row, meter.us_per(count)


def at_equal_load(instance, run, names=tuple(RIVALS), rates=RATES):
    """usher and its rivals at the same rates: rows of a table, and lines of a plot."""
    seconds = run.scaled(RATE_S, 2)
    for rate in rates:
        offered = run.scaled(rate, 50)
        found = {"usher": _usher_at(instance, offered, seconds)}
        for name in names:
            seats = 4 * offered * seconds
            found[RIVALS[name][0]] = _measure(instance, name, RATE_CLIENTS, seconds, seats, offered)
        for name, (row, us) in found.items():
            run.at_rate(name, rate, us=cpu.of_servers(us), **{key: row[key] for key in run.AT_RATE})
            run.point("rivals_latency", name, rate, row["p99"])
