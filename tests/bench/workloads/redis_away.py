"""
Redis away for a minute at full load, with 100,000 resources of which any may be wanted next: what it costs the sale to
write to it again, and how long it takes until it shows what changed meanwhile.
"""

import random
import threading
import time

from instance import Metrics
from offer import all_held, offer, write_requests

NAME = "Redis away"
RESOURCES, REQUESTS = 100_000, 90_000
AWAY_S, BESIDE_S, TURNS = 60, 15, 4


def _define(instance, resources):
    instance.send({"request_id": f"def-{n}", "op": "define", "resource": f"place:{n}", "state": "open", "currency": "GBP",
                   "sections": [{"section": "floor", "price": 1000, "capacity": 10_000}]} for n in range(resources))


class Pace:
    """How many decisions were committed, and how many since the last look."""

    def __init__(self, instance):
        self._instance = instance
        self._seen, self._since = self.total(), time.monotonic()

    def total(self):
        return float(self._instance.sql("select sum(next_seq - 1) from usher.partition_state")[0][0])

    def lap(self):
        seen, since, self._seen, self._since = self._seen, self._since, self.total(), time.monotonic()
        return (self._seen - seen) / (self._since - since)


def _writes(instance):
    return Metrics(instance).sum("usher_cache_writes_total")


def _await_shown(instance, pace, decided):
    """Waits until Redis shows what was decided by then: what is behind is at most what was decided since."""
    while Metrics(instance).sum("usher_display_lag_decisions") > pace.total() - decided:
        time.sleep(0.1)


def measure(instance, run):
    resources, count = run.scaled(RESOURCES, 200), run.scaled(REQUESTS, 500)
    away_s, beside_s = run.scaled(AWAY_S, 3), run.scaled(BESIDE_S, 3)
    dice = random.Random(10)
    _define(instance, resources)
    path = write_requests(instance, "draws", ({"op": "hold", "resource": f"place:{dice.randrange(resources)}",
                                               "items": [{"section": "floor", "quantity": 1}]} for _ in range(count)))
    all_held(offer(instance, requests=path, count=count))  # the warm-up

    # One load all the time, which gets slower and quicker by itself: so Redis comes back and goes away in turn.
    load = threading.Thread(target=offer, args=(instance,), daemon=True,
                            kwargs={"requests": path, "seconds": beside_s + away_s + (2 * TURNS + 1) * beside_s})
    load.start()
    pace = Pace(instance)
    time.sleep(beside_s)
    before = pace.lap()
    instance.stop_part("redis")
    time.sleep(away_s)
    back, away = [], []
    for _ in range(TURNS):
        instance.start_part("redis")
        pace.lap()
        time.sleep(beside_s)
        back.append(pace.lap())
        instance.stop_part("redis")
        pace.lap()
        time.sleep(beside_s)
        away.append(pace.lap())
    load.join()
    instance.start_part("redis")
    began, decided, written = time.monotonic(), pace.total(), _writes(instance)
    _await_shown(instance, pace, decided)
    seconds, written = time.monotonic() - began, _writes(instance) - written
    run.figure(NAME, f"{resources} resources: bookings with Redis there", before, "/s")
    run.figure(NAME, "the same with Redis away", sum(away) / TURNS, "/s")
    run.figure(NAME, "bookings while it is written again, to those while it is away", sum(back) / sum(away), "×",
               at_least=0.95)
    run.figure(NAME, "without a load: until it shows all that was decided meanwhile", seconds, "s")
    run.figure(NAME, "writes until then", written, "")
