"""
One worker with twelve partitions, and less memory than what is sold in turn would take: it stays within it, and goes
on. Beside it the same with as much as it wants.
"""

from instance import Metrics, peak_mb
from offer import all_held, offer, write_requests
from run import expect

NAME = "little memory"
RESOURCES, REQUESTS, LOADS = 60_000, 90_000, 3
LITTLE_MB, PLENTY_MB = 256, 8192


def _define(instance, resources):
    instance.send({"request_id": f"def-{n}", "op": "define", "resource": f"place:{n}", "state": "open",
                   "currency": "GBP", "sections": [{"section": "floor", "price": 1000, "capacity": 1000}]}
                  for n in range(resources))


def _sell(instance, run, path, count, mb):
    """Each load asks for every resource once more, so that none is warm where they do not fit."""
    instance.restart_worker(USHER_MEMORY_MAX=f"{mb}MB")
    instance.await_balance(1)
    rates = [all_held(offer(instance, requests=path, count=count))["bookings_per_s"] for _load in range(LOADS)]
    metrics, peak = Metrics(instance), peak_mb(instance.worker_pid())
    run.figure(NAME, f"{mb} MB: bookings a second, the last of {LOADS} loads", rates[-1], "/s")
    run.figure(NAME, f"{mb} MB: the most that the worker used", peak, "MB", at_most=mb)
    run.figure(NAME, f"{mb} MB: resources, bookings and request ids evicted", metrics.sum("usher_memory_evicted_total"), "")


def measure(instance, run):
    resources, count = run.scaled(RESOURCES, 1_000), run.scaled(REQUESTS, 1_000)
    _define(instance, resources)
    path = write_requests(instance, "places", (
        {"op": "hold", "resource": f"place:{n % resources}", "items": [{"section": "floor", "quantity": 1}]}
        for n in range(count)))
    for mb in (LITTLE_MB, PLENTY_MB):
        _sell(instance, run, path, count, mb)
    held = instance.sql("select sum(held) from usher.pool")[0][0]
    expect("units held", held, 2 * LOADS * count)
