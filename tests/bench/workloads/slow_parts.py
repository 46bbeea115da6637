"""
Slow parts: a disk that takes 5 ms for a flush, and a database that is 1 ms and 5 ms away. Batches grow by themselves
behind a slow flush, and more of them go in flight over a long way, so throughput holds, and an answer takes little more
than the delay itself.
"""

import subprocess

from instance import BIN
from offer import all_held, check_books, hall, offer

NAME = "slow parts"
COUNT, RATE, SECONDS, WARMUP_S = 90_000, 1_000, 6, 3
IN_FLIGHT = {1: (1, 2, 3), 5: (1, 3, 8)}  # ms away → commits in flight


class Proxy:
    """
    PostgreSQL by a longer way, or by a narrow one (bytes a second of each connection):
    `with Proxy(instance, 5) as arguments: instance.start_worker(1, arguments)`
    """

    def __init__(self, instance, round_trip_ms, bytes_per_s=0):
        self._uri = instance.uri("worker")
        self._half_us = round_trip_ms * 1000 // 2
        self._bytes_per_s = bytes_per_s
        self._process = None

    def __enter__(self):
        head, _colon, tail = self._uri.rpartition(":")
        port, database = tail.split("/", 1)
        self._process = subprocess.Popen([BIN / "tests/bench/delay_proxy", port, str(self._half_us),
                                          str(self._bytes_per_s)], text=True, stdout=subprocess.PIPE)
        return "--postgres", f"{head}:{int(self._process.stdout.readline())}/{database}"

    def __exit__(self, *_error):
        self._process.terminate()
        self._process.wait(10)


def _measure(instance, run, name):
    """(bookings a second at full load, p50 at 1,000/s): all sold, none twice."""
    show, count = f"show:{name}", run.scaled(COUNT, 100)
    rate, seconds, warmup_s = run.scaled(RATE, 50), run.scaled(SECONDS, 2), run.scaled(WARMUP_S)
    calm = rate * (seconds + warmup_s)
    instance.send([hall(show, 2 * (2 * count + calm))])
    all_held(offer(instance, show, count=count))  # the warm-up
    full = all_held(offer(instance, show, count=count))["bookings_per_s"]
    latency = all_held(offer(instance, show, rate=rate, seconds=seconds, warmup_s=warmup_s))["latency_ms"]
    check_books(instance, show, 2 * (2 * count + calm), 2 * count + calm)
    return full, latency["p50"]


def _note(run, what, found, usual, delay_ms):
    run.figure(NAME, f"{what}: full load", found[0], "/s")
    run.figure(NAME, f"{what}: full load, of that without delay", 100 * found[0] / usual[0], "%")
    run.figure(NAME, f"{what}: 1,000/s offered, p50", found[1], "ms")
    run.figure(NAME, f"{what}: p50, more than without delay and the delay itself", found[1] - usual[1] - delay_ms, "ms")


def _slow_flush(instance, run, usual):
    instance.sql("alter system set commit_delay = 5000")
    instance.sql("alter system set commit_siblings = 0")
    instance.sql("select pg_reload_conf()")
    _note(run, "a flush of 5 ms more", _measure(instance, run, "slow-flush"), usual, 5)
    instance.sql("alter system reset all")
    instance.sql("select pg_reload_conf()")


def _far_away(instance, run, usual, round_trip_ms, depths):
    for depth in depths:
        with Proxy(instance, round_trip_ms) as arguments:
            instance.restart_worker(1, (*arguments, "--batches-in-flight", str(depth)))
            found = _measure(instance, run, f"far-{round_trip_ms}-{depth}")
            instance.stop_worker()
        _note(run, f"database {round_trip_ms} ms away, {_commits(depth)} in flight", found, usual, round_trip_ms)


def _commits(depth):
    return "1 commit" if depth == 1 else f"{depth} commits"


def measure(instance, run):
    usual = _measure(instance, run, "usual")
    run.figure(NAME, "no delay: full load", usual[0], "/s")
    run.figure(NAME, "no delay: 1,000/s offered, p50", usual[1], "ms")
    _slow_flush(instance, run, usual)
    for round_trip_ms, depths in IN_FLIGHT.items():
        _far_away(instance, run, usual, round_trip_ms, depths)
