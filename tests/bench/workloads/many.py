"""
100,000 resources, some far more wanted than others (Zipf): 4 and 16 partitions, on one worker and on two, cold (nothing
in memory) and warm. The broker is warm each time.
"""

import bisect
import collections
import itertools
import random

from instance import resident_mb
from offer import all_held, offer, warm_up, write_requests
from run import expect

NAME = "many resources"
RESOURCES, REQUESTS = 100_000, 90_000
LOADS = 4  # of the same requests: by one worker and by two, each cold and warm


def _draws(resources, requests):
    """Numbers of resources by Zipf: the second is wanted half as often as the first, the third a third as often."""
    dice = random.Random(9)
    weights = list(itertools.accumulate(1 / place for place in range(1, resources + 1)))
    return [bisect.bisect_left(weights, dice.random() * weights[-1]) for _ in range(requests)]


def _define(instance, resources, wanted):
    """Each a small place, or as large as what will be asked of it."""
    instance.send({"request_id": f"def-{n}", "op": "define", "resource": f"place:{n}", "state": "open", "currency": "GBP",
                   "sections": [{"section": "floor", "price": 1000, "capacity": max(100, LOADS * wanted[n])}]}
                  for n in range(resources))


def _books(instance, wanted, loads):
    """Every place sold as many units as were asked of it, by its counter."""
    found = dict(instance.sql(
        "select substr(r.id, 7)::int, p.held from usher.resource as r join usher.pool as p on p.resource_no = r.no"
        " where p.held > 0 and r.id like 'place:%'"))
    expect("places where something was sold", len(found), len(wanted))
    for place, count in wanted.items():
        expect(f"units sold of place:{place}", found[place], loads * count)


def measure(instance, run):
    resources, requests = run.scaled(RESOURCES, 200), run.scaled(REQUESTS, 500)
    draws = _draws(resources, requests)
    wanted = collections.Counter(draws)
    _define(instance, resources, wanted)
    path = write_requests(instance, "draws", ({"op": "hold", "resource": f"place:{n}",
                                               "items": [{"section": "floor", "quantity": 1}]} for n in draws))
    warm_up(instance, count=run.scaled(30_000, 100))
    instance.restart_worker()
    loads = 0
    for workers in (1, 2):
        if workers == 2:
            instance.start_worker(2)
            instance.await_balance(workers)
        for state in ("cold", "warm"):
            figures = all_held(offer(instance, requests=path, count=requests))
            loads += 1
            run.figure(NAME, f"{instance.partitions} partitions, {_count(workers)}: {state}", figures["bookings_per_s"],
                       "/s")
    _books(instance, wanted, loads)
    run.figure(NAME, f"{instance.partitions} partitions, {_count(workers)}: memory of the first",
               resident_mb(instance.worker_pid()), "MB")


def _count(workers):
    return "one worker" if workers == 1 else f"{workers} workers"
