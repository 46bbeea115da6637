"""
A worker is killed under load and another takes its partition over: how long usher's own work takes, apart from the
time in which Kafka notices. In whatever database the instance has by then.
"""

import datetime
import json
import re
import statistics
import time

from offer import check_books, hall, holds
from run import expect

NAME = "takeover"
KILLS, RATE, SECONDS = 3, 1_000, 8
WORKERS = (1, 2)
# Kafka notices in a second; the log says when it gave the partition to the next.
QUICK = {"USHER_KAFKA_SESSION_TIMEOUT": "1s", "USHER_KAFKA_HEARTBEAT": "200ms", "USHER_LOG_LEVEL": "info"}


def _await_one_owner(instance):
    """The worker that has the partition, once a new member of the group has changed nothing any more for a second."""
    owner, since, deadline = None, time.monotonic(), time.monotonic() + 30
    while time.monotonic() < deadline:
        owners = [number for number in WORKERS if instance.partitions_of(number)]
        if len(owners) != 1 or owners[0] != owner:
            owner, since = owners[0] if len(owners) == 1 else None, time.monotonic()
        elif time.monotonic() - since > 1:
            return owner
        time.sleep(0.05)
    raise AssertionError("no worker owns the partition")


def _log(instance, number):
    return (instance.directory / "log" / f"worker-{number}.log").read_text(encoding="utf-8")


def _line(text, words):
    """(when, the number in it) of the last line of the log with these words."""
    when, number = re.findall(rf'^ts=(\S+) .*msg="{words}', text, re.M)[-1]
    return datetime.datetime.fromisoformat(when.replace("Z", "+00:00")), int(number)


def _kill_one(instance, run, show):
    """Figures of one takeover: (own work in ms, ms from the assignment to the first decision, longest wait in ms)."""
    rate, seconds = run.scaled(RATE, 50), max(4, run.scaled(SECONDS))
    instance.send([hall(show, 2 * rate * seconds)])
    owner = _await_one_owner(instance)
    heir = 3 - owner
    seen = len(_log(instance, heir))
    load = instance.load_beside(holds(instance, show), "--rate", str(rate), "--seconds", str(seconds), "--warmup", "0s",
                                "--wait", "30s")
    time.sleep(seconds / 3)  # into the load
    instance.kill_worker(owner)
    figures = json.loads(load.communicate(timeout=120)[0])
    expect("outcomes", figures["outcomes"], {"held": rate * seconds})
    check_books(instance, show, 2 * rate * seconds, rate * seconds)
    text = _log(instance, heir)[seen:]
    assigned, _partitions = _line(text, r"assigned (\d+) partitions")
    _when, own_ms = _line(text, r"active after (\d+) ms")
    first = instance.sql("select min(decided_at) from usher.decision where epoch ="
                         " (select epoch from usher.partition_state where partition = 0)")[0][0]
    instance.start_worker(owner, **QUICK)
    return own_ms, (first - assigned).total_seconds() * 1000, figures["latency_ms"]["max"]


def measure(instance, run):
    instance.restart_worker(1, **QUICK)
    instance.start_worker(2, **QUICK)
    kills = [_kill_one(instance, run, f"show:takeover-{number}") for number in range(KILLS)]
    own, first, wait = (statistics.median(one) for one in zip(*kills))
    run.figure(NAME, "usher's own work until the partition is active", own, "ms", at_most=100)
    run.figure(NAME, "from Kafka's reassignment to the first decision", first, "ms", at_most=500)
    run.figure(NAME, "longest wait of a request, Kafka's 1 s to notice with it", wait, "ms")
