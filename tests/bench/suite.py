"""What is measured, in which order, on which instances."""

import dataclasses
import re
from typing import Callable

import rivals
from instance import BIN, call
from workloads import hot_show, waiting


@dataclasses.dataclass(frozen=True)
class Stage:
    """What shares one instance. `settings` are those of Instance; none: it needs no stack."""
    title: str
    settings: dict
    measure: Callable


def fill_up(_instance, run):
    """How full a hall gets before a pair is refused: only the seating, in memory."""
    text = call(BIN / "tests/bench/fill_up")
    run.figure("seating", "1,200-seat hall, parties of 1-6, sold before a pair is refused",
               float(re.search(r"refusal of a pair: ([\d.]+) %", text)[1]), "%", at_least=98)


def beside_skip_locked(instance, run):
    """The hot show and the best known of the rivals."""
    run.best = hot_show.measure(instance, run)
    locked = rivals.best_of(instance, run, "skip_locked", clients=(1, 8, 32))
    run.figure(hot_show.NAME, "… to the best of FOR UPDATE SKIP LOCKED", run.best / locked, "×", at_least=12)


STAGES = {
    "quick": (
        Stage("seating: how full a hall gets", {}, fill_up),
        Stage("hot show: full load, 10,000/s, 1,000/s, the floor, SKIP LOCKED", {"partitions": 1}, beside_skip_locked),
        Stage("waiting list: a sale while 100,000 parties wait", {"partitions": 1}, waiting.measure),
    ),
}
