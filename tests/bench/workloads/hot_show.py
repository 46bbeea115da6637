"""One show, one partition, holds of two seats: what usher does at most, and how long an answer takes, beside the floor."""

import statistics

from floor import Floor
from instance import Metrics, cpu_seconds
from offer import all_held, check_books, hall, offer

NAME = "hot show"
RUNS = 3
COUNT = 90_000  # holds at full load, of a hall with a tenth more seats
SECONDS, WARMUP_S = 6, 3
RATES = (1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 45_000, 60_000)
# Requests a batch at most → holds that are sold with it.
BATCH_LIMITS = {1: 10_000, 10: 40_000, 50: 60_000, 100: 90_000, 200: 90_000, 500: 90_000, 1_000: 90_000,
                2_000: 90_000, 5_000: 90_000}
# What is wanted of the latencies: rate → (p50, p99) in ms, and how often the floor's p50.
LATENCIES = {1_000: (1, 8, 2.0), 10_000: (6, 50, 1.5)}


def _full_load(instance, run, floor):
    """Bookings a second: the middle one of several short runs, each on a hall of its own, which is sold to 9/10."""
    count = run.scaled(COUNT, 100)
    halls = [f"show:full-{n}" for n in range(RUNS)]
    instance.send(hall(one, int(count * 2 / 0.9)) for one in ["show:warm", *halls])
    all_held(offer(instance, "show:warm", count=count))
    all_held(floor.offer(count=count))
    cpu, before = cpu_seconds(instance.worker_pid()), Metrics(instance)
    ours = [all_held(offer(instance, one, count=count))["bookings_per_s"] for one in halls]
    cpu, after = cpu_seconds(instance.worker_pid()) - cpu, Metrics(instance)
    for one in halls:
        check_books(instance, one, 2 * count, count)
    least = statistics.median(all_held(floor.offer(count=count))["bookings_per_s"] for _ in range(RUNS))
    requests, batches = (after.sum(name) - before.sum(name)
                         for name in ("usher_batch_requests_sum", "usher_batch_requests_count"))
    best = statistics.median(ours)
    run.figure(NAME, "holds of 2 seats, full load", best, "/s", at_least=60_000, floor=least, floor_limit=0.5)
    run.figure(NAME, "average batch at full load", requests / batches, "requests")
    run.figure(NAME, "worker's CPU a booking at full load", cpu * 1e6 / requests, "us", at_most=12)
    return best


def _rates(instance, run, floor, rates):
    """The highest first, and each warmed: a broker that was just started is still compiling itself."""
    seconds, warmup_s, found = run.scaled(SECONDS), run.scaled(WARMUP_S), {}
    for rate in sorted(rates, reverse=True):
        offered = run.scaled(rate, 50)
        show, count = f"show:rate-{rate}", offered * (seconds + warmup_s)
        instance.send([hall(show, 2 * count)])
        ours = all_held(offer(instance, show, rate=offered, seconds=seconds, warmup_s=warmup_s))
        check_books(instance, show, 2 * count, count)
        least = all_held(floor.offer(rate=offered, seconds=seconds, warmup_s=warmup_s))
        found[rate] = ours["latency_ms"], least["latency_ms"]
    for rate, (ours, least) in sorted(found.items()):
        _note_rate(run, rate, ours, least)


def _note_rate(run, rate, ours, least):
    p50, p99, of_floor = LATENCIES.get(rate, (None, None, None))
    run.figure(NAME, f"{rate:,}/s offered, p50", ours["p50"], "ms", at_most=p50, floor=least["p50"], floor_limit=of_floor)
    run.figure(NAME, f"{rate:,}/s offered, p99", ours["p99"], "ms", at_most=p99, floor=least["p99"])
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


def measure_all(instance, run):
    best = measure(instance, run, RATES)
    _batch_sizes(instance, run)
    return best


def measure(instance, run, rates=tuple(LATENCIES)):
    """Bookings a second at full load, for what is set beside it."""
    with Floor(instance) as floor:
        best = _full_load(instance, run, floor)
        _rates(instance, run, floor, rates)
    return best
