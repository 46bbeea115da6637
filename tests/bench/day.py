#!/usr/bin/python3
"""A day on paper: how long requests wait in the log, second by second, while more arrive than are decided.

No part of the system runs. Each partition is a queue that is served in order, as fast as its allocator decides, and all
partitions of a database share what that takes. The capacities are options: measure them on machines of your own.
"""
import argparse
import bisect
import dataclasses
import itertools
import math
import pathlib
import random

import plots

HOURS, RELEASE = 10, 1800  # that sales are open, and how often trains go on sale
SECONDS = HOURS * 3600
PLOTTED_S = 150


@dataclasses.dataclass(frozen=True)
class Day:
    """`requests(second)`: how many arrive. `shares`: the part of them that each partition gets."""
    name: str
    requests: object
    shares: list
    databases: int


def rush(people, tries, patience_s):
    """Of so many people who come when a sale opens, fewer each second; each asks so many times."""
    first = people * tries * (1 - math.exp(-1 / patience_s))
    return lambda second: first * math.exp(-second / patience_s)


def railway(people, tries, patience_s):
    """Half of the people come when the trains that they want go on sale, the others at any time of the day."""
    asks = rush(people / 2 / (SECONDS / RELEASE), tries, patience_s)
    return lambda second: people / 2 * tries / SECONDS + asks(second % RELEASE)


def spread(resources, partitions):
    """Shares of partitions where resources are wanted by Zipf, and each lies where its hash says."""
    dice = random.Random(1)
    shares = [0.0] * partitions
    for place in range(1, resources + 1):
        shares[dice.randrange(partitions)] += 1 / (place + 50)  # the first fifty are wanted alike
    return [share / sum(shares) for share in shares]


def places(partitions, databases):
    return f"{partitions} partition{'s'[:partitions > 1]}, {databases} database{'s'[:databases > 1]}"


def days():
    for parts, databases in ((1, 1), (4, 1), (8, 4)):
        yield Day(f"stadium: {places(parts, databases)}", rush(890_000, 2, 10), [1 / parts] * parts, databases)
    for partitions, databases in ((12, 1), (48, 2), (96, 4)):
        yield Day(f"railway: {places(partitions, databases)}", railway(100_000_000, 3, 45), spread(20_000, partitions), databases)


# ---- the queues -----------------------------------------------------------------------------------------------------

def decide(waiting, partition_limit, database_limit, databases):
    """What each partition decides in a second; a database that cannot take all of it takes as much of each."""
    wanted = [min(count, partition_limit) for count in waiting]
    for number in range(databases):
        total = sum(wanted[number::databases])
        if total > database_limit:
            wanted[number::databases] = [count * database_limit / total for count in wanted[number::databases]]
    return wanted


def run(day, limits):
    """(how many wait, by second; seconds that requests waited, with how many did so)."""
    count = len(day.shares)
    waiting, arrived, decided = [0.0] * count, [0.0] * count, [0.0] * count
    came = [[0.0] for _ in range(count)]  # of each partition, by second: all that had arrived
    went = [[0.0] for _ in range(count)]
    backlog = []
    for second in range(SECONDS):
        total = day.requests(second)
        for one, share in enumerate(day.shares):
            arrived[one] += total * share
            waiting[one] += total * share
        for one, done in enumerate(decide(waiting, *limits, day.databases)):
            waiting[one] = max(0.0, waiting[one] - done)
            decided[one] = arrived[one] - waiting[one]
            came[one].append(arrived[one])
            went[one].append(decided[one])
        backlog.append(sum(waiting))
    return backlog, waits(came, went)


def waits(came, went):
    """By whole seconds; who is decided in the second of the arrival waited for none."""
    found = {}
    for arrived, decided in zip(came, went):
        for second, (before, now) in enumerate(itertools.pairwise(arrived), 1):
            if now > before:
                waited = max(0, bisect.bisect_left(decided, now - 1e-6) - second)
                found[waited] = found.get(waited, 0) + now - before
    return found


def quantile(found, part):
    left = part * sum(found.values())
    for waited in sorted(found):
        left -= found[waited]
        if left <= 0:
            return waited
    return max(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partition", type=int, default=30_000, metavar="N", help="decisions/s of a partition at most")
    parser.add_argument("--database", type=int, default=60_000, metavar="N", help="decisions/s of a PostgreSQL at most")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE", help="draw the backlogs, as SVG")
    arguments = parser.parse_args()
    lines = {}
    print(f"{'day':38}{'requests':>13}{'offered/s':>12}{'backlog':>12}{'p50':>6}{'p99':>6}{'max':>6} s waited")
    for day in days():
        backlog, found = run(day, (arguments.partition, arguments.database))
        offered = max(day.requests(second) for second in range(SECONDS))
        print(f"{day.name:38}{sum(found.values()):13,.0f}{offered:12,.0f}{max(backlog):12,.0f}"
              + "".join(f"{quantile(found, part):6}" for part in (0.5, 0.99, 1)), flush=True)
        if max(backlog) > 0:
            lines[day.name] = list(enumerate(backlog[:PLOTTED_S], 1))[::PLOTTED_S // 60]
    if arguments.plot:
        plots.draw_lines("day", lines, arguments.plot)


if __name__ == "__main__":
    main()
