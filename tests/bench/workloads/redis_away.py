"""
Redis away for a minute at full load, with 100,000 resources of which any may be wanted next: how long it takes until it
shows what changed meanwhile, how many writes that takes, and what it costs the sale that goes on.
"""

import random
import threading
import time

from instance import Metrics, cpu_seconds
from offer import all_held, offer, write_requests

NAME = "Redis away"
RESOURCES, REQUESTS, AWAY_S = 100_000, 90_000, 60


def _define(instance, resources):
    instance.send({"request_id": f"def-{n}", "op": "define", "resource": f"place:{n}", "state": "open", "currency": "GBP",
                   "sections": [{"section": "floor", "price": 1000, "capacity": 10_000}]} for n in range(resources))


class Return(threading.Thread):
    """From the return of Redis until it has what was decided before: seconds, writes, CPU time of the worker."""

    def __init__(self, instance):
        super().__init__(daemon=True)
        self._instance = instance
        self._behind = Metrics(instance).sum("usher_display_lag_decisions")
        self._decided = self._total()
        self._written = self._writes()
        self.seconds = self.writes = None

    def _total(self):
        return float(self._instance.sql("select sum(next_seq - 1) from usher.partition_state")[0][0])

    def _writes(self):
        return Metrics(self._instance).sum("usher_cache_writes_total")

    def run(self):
        begun = time.monotonic()
        # What is behind now is at most what was decided since.
        while Metrics(self._instance).sum("usher_display_lag_decisions") > self._total() - self._decided:
            time.sleep(0.1)
        self.seconds, self.writes = time.monotonic() - begun, self._writes() - self._written


def measure(instance, run):
    resources, count = run.scaled(RESOURCES, 200), run.scaled(REQUESTS, 500)
    away_s = run.scaled(AWAY_S, 3)
    dice = random.Random(10)
    _define(instance, resources)
    path = write_requests(instance, "draws", ({"op": "hold", "resource": f"place:{dice.randrange(resources)}",
                                               "items": [{"section": "floor", "quantity": 1}]} for _ in range(count)))

    def sell(**how):
        return all_held(offer(instance, requests=path, **how))["bookings_per_s"]

    sell(count=count)  # the warm-up
    before = sell(count=count)
    instance.stop_part("redis")
    away = sell(seconds=away_s)
    instance.start_part("redis")
    back = Return(instance)
    back.start()
    cpu = cpu_seconds(instance.worker_pid())
    beside = sell(count=count)
    back.join()
    cpu = cpu_seconds(instance.worker_pid()) - cpu
    after = sell(count=count)
    run.figure(NAME, f"{resources} resources: bookings with Redis there", before, "/s")
    run.figure(NAME, f"Redis away for {away_s} s: bookings", away, "/s")
    run.figure(NAME, "bookings while it is written again, to those before and after", 2 * beside / (before + after), "×",
               at_least=0.95)
    run.figure(NAME, "until it shows all that was decided while it was away", back.seconds, "s")
    run.figure(NAME, "writes until then", back.writes, "")
    run.figure(NAME, "CPU time of the worker from its return to the end of that load", cpu, "s")
