"""Which seats a party gets whose members need different features: by trying every place, and who could sit where."""

from .seating import splitmix64


def _matching(left, right, fits):
    """Who of `left` gets which of `right`: as many as possible, each another one. Index → index."""
    owner = {}

    def place(one, seen):
        for other in right:
            if other in seen or not fits(one, other):
                continue
            seen.add(other)
            if other not in owner or place(owner[other], seen):
                owner[other] = one
                return True
        return False

    for one in left:
        place(one, set())
    return {one: other for other, one in owner.items()}


class Party:
    """`people`: what each of them needs, in the order of the members. `features`: of each unit of the pool."""

    def __init__(self, item, features):
        self.item, self.features = item, features
        self.people = [frozenset(needs) for quantity, _rate, needs in item.members for _one in range(quantity)]
        self.needs = {needs for needs in self.people if needs}

    def _suits(self, unit):
        return any(needs <= self.features[unit] for needs in self.needs)

    def _have_seats(self, people, units):
        """How many of these people could sit on these units."""
        needy = [one for one in people if self.people[one]]
        suited = [unit for unit in units if self._suits(unit)]
        seated = len(_matching(needy, suited, lambda one, unit: self.people[one] <= self.features[unit]))
        return min(len(units), seated + len(people) - len(needy))

    def most(self, hall):
        """How many can be seated."""
        units = [run.first + index for run in hall.runs for index in range(run.length)]
        return self._have_seats(range(len(self.people)), units)

    def use(self, units):
        """Whether each of these units could have somebody else of the party on it."""
        return len(_matching(units, range(len(self.people)),
                             lambda unit, one: self.people[one] <= self.features[unit])) == len(units)

    # ---- in one piece ----
    def _places(self, hall):
        """(suited seats, leaves an orphan?, run, first) of each place where all have a seat."""
        quantity = len(self.people)
        needy = sum(1 for needs in self.people if needs)
        for run in hall.runs:
            for left in range(run.length - quantity + 1):
                right = run.length - quantity - left
                units = range(run.first + left, run.first + left + quantity)
                suited = sum(self._suits(unit) for unit in units)
                if suited >= needy and self._have_seats(range(quantity), units) == quantity:
                    yield suited, left == 1 or right == 1, run, run.first + left

    def _one_piece(self, hall, strategy, seed):
        quantity, places = len(self.people), list(self._places(hall))
        if not places:
            return None
        suited, orphan = min(place[:2] for place in places)
        good = [(run.row, first) for found, alone, run, first in places if (found, alone) == (suited, orphan)]
        if strategy == 'first':
            first = good[0][1]
        elif strategy == 'random':
            rows, begin = len(hall.spans), splitmix64(seed) % len(hall.spans)
            row = min((row for row, _first in good), key=lambda row: (row - begin) % rows)
            in_row = [first for at, first in good if at == row]
            first = in_row[splitmix64((seed + 1) % 2**64) % len(in_row)]
        else:
            first = min(good, key=lambda place: self._worth(hall.spans[place[0]], *place, quantity))[1]
        return list(range(first, first + quantity)), orphan

    @staticmethod
    def _worth(span, row, first, quantity):
        at = first - span.first
        rank = float('inf') if span.ranks is None else sum(span.ranks[at:at + quantity])
        return rank, row, abs(2 * first + quantity - (2 * span.first + span.seats)), first

    # ---- in several ----
    def _piece(self, hall, units, length, home):
        """The units of the nearest piece of that length that can be used beside those, or None."""
        found = []
        for run in hall.runs:
            for first in range(run.first, run.first + run.length - length + 1):
                piece = list(range(first, first + length))
                if not set(piece) & set(units) and self.use(units + piece):
                    found.append((0 if home is None else abs(run.row - home), first, run.row))
        if not found:
            return None
        _far, first, row = min(found)
        return list(range(first, first + length)), row

    def _pieces(self, hall, kept):
        units, row_of = list(kept), {run.first + index: run.row for run in hall.runs for index in range(run.length)}
        home, length = row_of[kept[0]] if kept else None, len(self.people) - len(kept)
        while len(units) < len(self.people):
            length = min(length, len(self.people) - len(units))
            piece = self._piece(hall, units, length, home)
            if piece is None:  # nor will there be one later: more are used
                length -= 1
                continue
            units += piece[0]
            home = piece[1] if home is None else home
        return units

    # ---- whose is which ----
    def _by_member(self, units):
        left, given = list(units), []
        for one, needs in enumerate(self.people):
            others = range(one + 1, len(self.people))
            for unit in left:
                rest = [other for other in left if other != unit]
                if needs <= self.features[unit] and self._have_seats(others, rest) == len(others):
                    break
            given.append(unit)
            left.remove(unit)
        return given

    def seat(self, hall, strategy, seed, kept=()):
        """(units in the order of the members, in one piece?, leaves an orphan?), or None. `kept`: units of theirs, all of
        which can be used."""
        if self.most(hall) < len(self.people):
            return None
        whole = None if kept else self._one_piece(hall, strategy, seed)
        if whole:
            return self._by_member(whole[0]), True, whole[1]
        if self.item.together:
            return None
        return self._by_member(self._pieces(hall, kept)), False, False
