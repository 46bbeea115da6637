"""What is measured, in which order, on which instances."""

import dataclasses
import re
from typing import Callable

import rivals
from instance import BIN, call
from workloads import (across, carts, cold_starts, front_rows, growth, hot_show, hotel, large_quantities, little_memory, many,
                       redis_away, sell_out, slow_parts, takeover, waiting)


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
    run.best = hot_show.by_seats(instance, run)
    _beside(run, rivals.best_of(instance, run, "skip_locked", clients=(1, 8, 32)))
    rivals.at_equal_load(instance, run, ("skip_locked",), (1_000, 3_000, 5_000))


def beside_all_rivals(instance, run):
    run.best = hot_show.by_seats_all(instance, run)
    found = {name: rivals.best_of(instance, run, name) for name in rivals.RIVALS}
    _beside(run, found["skip_locked"])
    rivals.at_equal_load(instance, run)


def _beside(run, locked):
    run.figure(hot_show.SEATS.name, "full load, to the best of FOR UPDATE SKIP LOCKED", run.best / locked, "×", at_least=12)


def old_database(instance, run):
    growth.old_database(instance, run)
    takeover.measure(instance, run)


SEATING = Stage("seating: how full a hall gets", {}, fill_up)
LARGE = Stage("large quantities: holds of 100 beside holds of 1, a product of 10,000,000 pieces", {"partitions": 1},
              large_quantities.measure)
WAITING = Stage("waiting list: a sale while 100,000 parties wait", {"partitions": 1}, waiting.measure)

STAGES = {
    "quick": (
        SEATING,
        Stage("hot show, by seats: full load, 10,000/s, 1,000/s, the floor, SKIP LOCKED", {"partitions": 1},
              beside_skip_locked),
        Stage("hot show, by quantity: full load, 10,000/s, the floor", {"partitions": 1}, hot_show.by_quantity),
        LARGE,
        WAITING,
    ),
    "full": (
        SEATING,
        Stage("hot show, by seats: loads, batch sizes, the floor, all rivals", {"partitions": 1}, beside_all_rivals),
        Stage("hot show, by quantity: loads, the floor", {"partitions": 1}, hot_show.by_quantity_all),
        LARGE,
        Stage("front rows: named seats with conflicts", {"partitions": 1}, front_rows.measure),
        Stage("carts: a theatre, a shop", {"partitions": 4}, carts.measure),
        Stage("carts over several resources", {"partitions": 12}, across.measure),
        Stage("sell-out: more buyers than seats, a rush", {"partitions": 1}, sell_out.measure),
        Stage("hotel: 40 room types, two years", {"partitions": 4}, hotel.measure),
        Stage("many resources, 4 partitions", {"partitions": 4}, many.measure),
        Stage("many resources, 16 partitions", {"partitions": 16}, many.measure),
        Stage("little memory: 12 partitions in 256 MB", {"partitions": 12}, little_memory.measure),
        Stage("Redis away for a minute", {"partitions": 4}, redis_away.measure),
        WAITING,
        Stage("slow parts: a slow flush, a long way to the database", {"partitions": 1}, slow_parts.measure),
        Stage("cold starts: a million seats, a thousand hotels, large repeats", {"partitions": 1}, cold_starts.measure),
        Stage("growth: sizes of shows, numbers of resources", {"partitions": 1}, growth.measure),
        Stage("growth: an old, full database, takeover in it", {"partitions": 1}, old_database),
    ),
}
