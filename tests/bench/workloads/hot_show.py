"""
One show, one partition, holds of two: of seats that are chosen in rows, or by quantity of a section by capacity. What
usher does at most, and how long an answer takes, beside the floor.
"""

import dataclasses
import statistics
from typing import Callable

import cpu
from floor import Floor
from instance import Metrics
from offer import all_held, check_books, hall, offer, standing, warm_up


@dataclasses.dataclass(frozen=True)
class Way:
    """How the units of a show are sold. `show(id, units)` defines it; `floor`: the way of the floor (floor.py)."""
    name: str
    what: str
    show: Callable
    floor: str


SEATS = Way("hot show, by seats", "holds of 2 seats", hall, "seats")
QUANTITY = Way("hot show, by quantity", "holds of 2 by quantity", standing, "quantity")
RUNS = 3
COUNT = 90_000  # holds at full load, of a hall with a tenth more seats
SECONDS, WARMUP_S = 6, 3
RATES = (1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 45_000, 60_000)
# Requests a batch at most → holds that are sold with it.
BATCH_LIMITS = {1: 10_000, 10: 40_000, 50: 60_000, 100: 90_000, 200: 90_000, 500: 90_000, 1_000: 90_000,
                2_000: 90_000, 5_000: 90_000}
# What is wanted of the latencies: rate → (p50, p99) in ms, and how often the floor's p50.
LATENCIES = {1_000: (1, 8, 2.0), 10_000: (6, 50, 1.5)}


def _full_load(instance, run, floor, way):
    """Bookings a second: the middle one of several short runs, each on a show of its own, which is sold to 9/10."""
    count = run.scaled(COUNT, 100)
    shows = [f"show:full-{n}" for n in range(RUNS)]
    instance.send(way.show(one, int(count * 2 / 0.9)) for one in shows)
    warm = warm_up(instance, way.show, count)
    all_held(floor.offer(count=count))
    before = Metrics(instance)
    ours, us = _loads(cpu.usher_meter(instance), count, (lambda one=one: offer(instance, one, count=count) for one in shows))
    after = Metrics(instance)
    for one in shows:
        check_books(instance, one, 2 * count, count)
    least, least_us = _loads(floor.meter(), count, (lambda: floor.offer(count=count) for _ in range(RUNS)))
    requests, batches = (after.sum(name) - before.sum(name)
                         for name in ("usher_batch_requests_sum", "usher_batch_requests_count"))
    run.figure(way.name, "warm-up, until the broker's compilers are idle", warm, "requests")
    run.figure(way.name, f"{way.what}, full load", ours, "/s", at_least=60_000, floor=least, floor_limit=0.5)
    run.figure(way.name, "average batch at full load", requests / batches, "requests")
    run.figure(way.name, "worker's CPU a booking at full load", us["worker"], "us", at_most=12)
    run.cpu_per_booking(f"usher, {way.what}", us)
    run.cpu_per_booking(f"the floor, {way.what}", least_us)
    return ours


def _loads(meter, count, loads):
    """(bookings a second, the middle one; CPU time of a booking by part) of several loads of `count`."""
    rates = []
    for load in loads:
        with meter:
            figures = load()
        rates.append(all_held(figures)["bookings_per_s"])
    return statistics.median(rates), meter.us_per(count * len(rates))


def _rates(instance, run, floor, way, rates):
    """The highest first, and each warmed: a broker that was just started is still compiling itself."""
    seconds, warmup_s, found = run.scaled(SECONDS), run.scaled(WARMUP_S), {}
    for rate in sorted(rates, reverse=True):
        offered = run.scaled(rate, 50)
        show, count = f"show:rate-{rate}", offered * (seconds + warmup_s)
        instance.send([way.show(show, 2 * count)])
        ours = all_held(offer(instance, show, rate=offered, seconds=seconds, warmup_s=warmup_s))
        check_books(instance, show, 2 * count, count)
        least = all_held(floor.offer(rate=offered, seconds=seconds, warmup_s=warmup_s))
        found[rate] = ours["latency_ms"], least["latency_ms"]
    for rate, (ours, least) in sorted(found.items()):
        _note_rate(run, way, rate, ours, least)


def _note_rate(run, way, rate, ours, least):
    p50, p99, of_floor = LATENCIES.get(rate, (None, None, None))
    run.figure(way.name, f"{rate:,}/s offered, p50", ours["p50"], "ms", at_most=p50, floor=least["p50"],
               floor_limit=of_floor)
    run.figure(way.name, f"{rate:,}/s offered, p99", ours["p99"], "ms", at_most=p99, floor=least["p99"])
    if way is QUANTITY:
        run.point("latency", "p50 by quantity", rate, ours["p50"])
        return
    for name in ("p50", "p90", "p99", "p99.9"):
        run.point("latency", name, rate, ours[name])
    run.point("latency", "p50 of the floor", rate, least["p50"])


def _batch_sizes(instance, run):
    """Throughput where a batch may not grow further: what a commit for each request would cost, and what many save."""
    for limit, count in BATCH_LIMITS.items():
        count = run.scaled(count, 100)
        show = f"show:batch-{limit}"
        instance.restart_worker(USHER_BATCH_LIMIT=str(limit))
        instance.send([hall(show, 4 * count)])
        all_held(offer(instance, show, count=count))  # the warm-up
        figures = all_held(offer(instance, show, count=count, in_flight=max(5_000, 3 * limit)))
        check_books(instance, show, 4 * count, 2 * count)
        run.point("batch", "usher", limit, figures["bookings_per_s"])
    instance.restart_worker()


def by_seats(instance, run, rates=tuple(LATENCIES)):
    """Bookings a second at full load, for what is set beside it."""
    return _measure(instance, run, SEATS, rates)


def by_seats_all(instance, run):
    best = by_seats(instance, run, RATES)
    _batch_sizes(instance, run)
    return best


def by_quantity(instance, run):
    """The one rate at which batches follow each other."""
    _measure(instance, run, QUANTITY, (10_000,))


def by_quantity_all(instance, run):
    _measure(instance, run, QUANTITY, RATES)


def _measure(instance, run, way, rates):
    with Floor(instance, way.floor) as floor:
        best = _full_load(instance, run, floor, way)
        _rates(instance, run, floor, way, rates)
    return best
