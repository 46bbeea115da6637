"""Which seats a party gets that leaves the choice to usher: by trying every place. Knows rows and which of their
seats the party may have, not who asks."""

import re
from typing import NamedTuple

FREE, TAKEN, ROW_END = 0, 1, 2
_RUN = re.compile(b'\x00+')
_MASK = 2**64 - 1


def splitmix64(state):
    """The first output of the generator with that state."""
    z = (state + 0x9E3779B97F4A7C15) & _MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31


class Span(NamedTuple):
    """A row: units `first` … `first + seats - 1`."""
    first: int
    seats: int
    ranks: tuple | None


class Run(NamedTuple):
    """Free neighbours in one row."""
    row: int
    first: int
    length: int


class Hall:
    """Rows in chart order, and the runs of seats that a party may have. `places` has a byte for each seat, row by
    row, with a mark behind each row, so that the seat of unit u in row r lies at u + r."""

    def __init__(self, spans, places):
        self.spans, self.runs = spans, []
        self.by_row = [[] for _span in spans]
        row, end = 0, spans[0].seats if spans else 0
        for found in _RUN.finditer(places):
            while found.start() >= end:
                row += 1
                end += spans[row].seats + 1
            run = Run(row, found.start() - row, found.end() - found.start())
            self.runs.append(run)
            self.by_row[row].append(run)

    def free(self):
        return sum(run.length for run in self.runs)

    def longest(self):
        return max((run.length for run in self.runs), default=0)


def _places(runs, quantity, orphan):
    """The first units of the places in these runs that leave an orphan, or that leave none."""
    for run in runs:
        for left in range(run.length - quantity + 1):
            right = run.length - quantity - left
            if (left == 1 or right == 1) == orphan:
                yield run.first + left


def _off_centre(span, first, quantity):
    return abs(2 * first + quantity - (2 * span.first + span.seats))


def _rank(span, first, quantity):
    """Rows without ranks come after those that have some."""
    if span.ranks is None:
        return float('inf')
    return sum(span.ranks[first - span.first:first - span.first + quantity])


def _best(hall, quantity, orphan):
    """By rank, then front to back, then nearest to the row's middle, then the lowest."""
    found, ranked = [], any(span.ranks is not None for span in hall.spans)
    for row, span in enumerate(hall.spans):
        for first in _places(hall.by_row[row], quantity, orphan):
            found.append((_rank(span, first, quantity), row, _off_centre(span, first, quantity), first))
        if found and not ranked:
            break
    return min(found)[-1] if found else None


def _first(hall, quantity, orphan):
    return next(_places(hall.runs, quantity, orphan), None)


def _random(hall, quantity, orphan, seed):
    rows = len(hall.spans)
    begin = splitmix64(seed) % rows
    for row in range(begin, begin + rows):
        found = list(_places(hall.by_row[row % rows], quantity, orphan))
        if found:
            return found[splitmix64((seed + 1) & _MASK) % len(found)]
    return None


def one_piece(hall, quantity, strategy, seed):
    """(units, whether they leave an orphan) of neighbours in one row, or None."""
    choose = {'first': lambda orphan: _first(hall, quantity, orphan),
              'random': lambda orphan: _random(hall, quantity, orphan, seed)}.get(
                  strategy, lambda orphan: _best(hall, quantity, orphan))
    for orphan in (False, True):
        first = choose(orphan)
        if first is not None:
            return list(range(first, first + quantity)), orphan
    return None


# ---- several pieces -----------------------------------------------------------------------------------------
def _fewest(lengths, quantity):
    """In how few pieces that many seats can be had from runs of these lengths."""
    pieces = 0
    for length in sorted(lengths, reverse=True):
        if quantity <= 0:
            break
        quantity -= length
        pieces += 1
    return pieces if quantity <= 0 else float('inf')


def _first_pieces(lengths, quantity):
    """How long a run may be that is taken first, for the rest to need no more pieces than it must."""
    fewest = _fewest(lengths, quantity)
    for length in set(lengths):
        others = list(lengths)
        others.remove(length)
        if 1 + _fewest(others, quantity - length) <= fewest:
            yield length


def several_pieces(hall, quantity):
    """Units in as few pieces as possible, near the first; no row has room for all, but there are enough."""
    runs = list(hall.runs)
    piece = max(runs, key=lambda run: run.length)
    home, units = piece.row, []
    while True:
        left = quantity - len(units)
        if piece.length >= left:
            starts = list(_places([piece], left, False)) or list(_places([piece], left, True))
            return units + list(range(starts[0], starts[0] + left))
        units += range(piece.first, piece.first + piece.length)
        runs.remove(piece)
        good = set(_first_pieces([run.length for run in runs], left - piece.length))
        piece = min((run for run in runs if run.length in good), key=lambda run: (abs(run.row - home), run.row, run.first))


def choose(hall, quantity, together, strategy, seed):
    """(units, in one piece?, leaves an orphan?), or None where the party cannot be seated."""
    whole = one_piece(hall, quantity, strategy, seed)
    if whole:
        return whole[0], True, whole[1]
    if together or hall.free() < quantity:
        return None
    return several_pieces(hall, quantity), False, False
