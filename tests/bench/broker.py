#!/usr/bin/python3
"""What Java does to the latency of the broker: `make bench-broker`.

Each way to run it (deploy/local/kafka.sh) on an instance of its own, in turn, ROUNDS times: warmed until its compilers are
idle, then 1,000 requests a second. The pauses are all the safepoints that Java itself logs meanwhile; unlike the
latencies they can be compared on a busy machine, too.
"""
import argparse
import json
import os
import signal
import statistics
import sys
import time

import safepoints
from instance import Instance, resident_mb
from offer import all_held, hall, offer, warm_up

RATE, SECONDS, SETTLE_S = 1_000, 20, 2
# What KAFKA_JAVA says; the last of two flags wins.
WAYS = {
    "quick": "quick",
    "steady": "steady",
    "serial": "quick -XX:+UseSerialGC",
    "both": "steady -XX:TieredStopAtLevel=4",  # compilers
}


def _measure(way):
    safepoints.begin()
    busy, begun = os.getloadavg()[0], time.monotonic()
    with Instance(KAFKA_JAVA=f"{way} {safepoints.OPTION}") as instance:
        up_s, warm = time.monotonic() - begun, warm_up(instance)
        instance.send([hall("show:main", 2 * RATE * (SECONDS + SETTLE_S))])
        since_ms = (time.time() + SETTLE_S) * 1000
        latency = all_held(offer(instance, "show:main", rate=RATE, seconds=SECONDS, warmup_s=SETTLE_S))["latency_ms"]
        pauses = [length for end, length in safepoints.read() if end >= since_ms]
        return {**{f"{name} ms": latency[name] for name in ("p50", "p99", "p99.9", "max")}, "pauses": len(pauses),
                "longest ms": max(pauses, default=0), "paused ms/s": sum(pauses) / SECONDS,
                "resident MB": resident_mb(instance.part_pid("kafka")), "up s": up_s, "warm-up": warm, "load": busy}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(143))
    found = {way: [] for way in arguments.ways}
    for number in range(arguments.rounds):
        for way, figures in found.items():
            figures.append(_measure(WAYS[way]))
            print(number + 1, way, json.dumps(figures[-1]), file=sys.stderr, flush=True)
    columns = list(figures[-1])
    print("| medians |", " | ".join(columns), "|\n| ---", "| ---:" * len(columns), "|")
    for way, figures in found.items():
        print(f"| {way} |", " | ".join(f"{statistics.median(one[name] for one in figures):,.1f}" for name in columns), "|")


if __name__ == "__main__":
    main()
