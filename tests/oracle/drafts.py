"""What a decision would take, beside what is taken already: free units as that decision sees them. Nothing of the
resource changes."""

from . import seating, terms
from .inventory import Line
from .parties import Party
from .seating import FREE, ROW_END, TAKEN


class Draft:
    """`own`: bookings whose units count as free, since all of them are exchanged. `block`: the one out of which alone
    units may come. `sold`: whether prices and quotas apply; blocks have none. `restricted`: whether rules of stay do; the house
    may sell against them."""

    def __init__(self, resource, seed, own=(), block=None, sold=True, restricted=True):
        self.resource, self.seed, self.block, self.sold = resource, seed, block, sold
        self.restricted = restricted and sold
        self.taken, self._had = {}, {}
        for line in (line for booking in own for line in booking.lines):
            for unit in line.units:
                self._had.setdefault(line.pool, {})[unit] = line
        self._offered = {}
        for line in block.lines if block else ():
            self._offered.setdefault(line.pool, {}).update(dict.fromkeys(line.units, line))

    def copy(self):
        twin = Draft(self.resource, self.seed, sold=self.sold)
        twin.block, twin._had, twin._offered = self.block, self._had, self._offered
        twin.taken = {pool: set(units) for pool, units in self.taken.items()}
        return twin

    def take(self, pool, units):
        self.taken.setdefault(pool, set()).update(units)

    # ---- single units ----
    def offers(self, pool, unit):
        """Whether a unit is in the block; without one all are."""
        return self.block is None or unit in self._offered.get(pool, ())

    def is_free(self, pool, unit):
        if unit in self.taken.get(pool, ()):
            return False
        if self.block is not None:
            return self.offers(pool, unit)
        return unit not in pool.owners or unit in self._had.get(pool, ())

    def own(self, pool, item):
        """The booking's own seats of a pool that are not used yet, and will do for the item; rising."""
        return [unit for unit in self._in_order(pool, self._had, item) if suits(pool, unit, item)]

    # ---- how many ----
    def quota_left(self, pool):
        """How many more of the pool its quotas allow, or of what is exchanged is left to take again; None: no quota
        limits it."""
        if not self.sold:
            return None
        left = []
        for limit, pools in terms.quotas_of(self.resource, pool):
            used = sum(one.counts[state] for one in pools for state in terms.COUNTS)
            again = sum(len(self._had.get(one, ())) - len(self.taken.get(one, ())) for one in pools)
            left.append(max(0, limit - used + again, again))
        return min(left, default=None)

    def _count(self, pool, item):
        if pool.rows and item.needs():
            hall = self.hall(pool, item)
            seated = Party(item, pool.features).most(hall)
            return hall.free() if seated == item.quantity else seated
        if pool.rows:
            return self.hall(pool, item).free()
        if item.features or item.needs():
            return 0
        taken = len(self.taken.get(pool, ()))
        if self.block is not None:
            return len(self._offered.get(pool, ())) - taken
        return pool.free + len(self._had.get(pool, ())) - taken

    def available(self, pool, item):
        """Units that the item could have of the pool."""
        left = self.quota_left(pool)
        count = self._count(pool, item)
        return max(0, count if left is None else min(count, left))

    # ---- which ----
    def _in_order(self, pool, had, item):
        """Units that a booking had of a pool, as they are used up: by number; those that are only counted in the order
        of its lines, the ones by the item's rate before others."""
        taken = self.taken.get(pool, ())
        units = [unit for unit in had.get(pool, ()) if unit not in taken]
        if pool.numbered or not units:
            return sorted(units)
        _price, rate = self.price(pool, item)
        return sorted(units, key=lambda unit: not is_same_rate(had[pool][unit].rate, rate))

    def lowest(self, pool, quantity, item):
        """Units of a pool without rows: of a block its own, else those of the booking, then the lowest free."""
        taken = self.taken.get(pool, ())
        if self.block is not None:
            return self._in_order(pool, self._offered, item)[:quantity]
        units = self._in_order(pool, self._had, item)[:quantity]
        for unit in pool.not_taken():
            if len(units) == quantity:
                return units
            if unit not in taken:
                units.append(unit)

    def _is_spared(self, pool, item):
        """Whether seats of the pool are for others: who has a block uses it up."""
        asked = {name for part in item.parts() for name in part.features}
        return pool.spares and self.block is None and 'accessible' not in asked

    def _choose(self, pool, item, quantity, together, with_own=True):
        """Seats that are spared are taken only by those who could not be seated without them."""
        for spare in (True, False) if self._is_spared(pool, item) else (False,):
            hall = self.hall(pool, item, with_own, spare)
            found = seating.choose(hall, quantity, together, self.resource.strategy, self.seed)
            if found:
                return found
        return None

    def hall(self, pool, item, with_own=True, spare=False):
        """The rows of a pool as the item's party sees them. `spare`: as if seats that are spared were taken."""
        if self.block is not None:
            places = bytearray(place if place == ROW_END else TAKEN for place in pool.places)
            freed = self._offered.get(pool, ())
        else:
            places, freed = bytearray(pool.places), self._had.get(pool, ()) if with_own else ()
        for unit in freed:
            places[pool.place(unit)] = FREE
        for unit in self.taken.get(pool, ()):
            places[pool.place(unit)] = TAKEN
        for unit in range(pool.capacity) if spare else ():
            if 'accessible' in pool.features[unit]:
                places[pool.place(unit)] = TAKEN
        if item.features or item.avoid:
            for unit in range(pool.capacity):
                if not suits(pool, unit, item):
                    places[pool.place(unit)] = TAKEN
        return seating.Hall(pool.spans, places)

    def seats(self, pool, item, quantity, together):
        """(units, in one piece?, leaves an orphan?) of a pool with rows, or None."""
        if self.block is not None and not together:
            return [unit for unit in sorted(self._offered[pool])
                    if unit not in self.taken.get(pool, ()) and suits(pool, unit, item)][:quantity], True, False
        units = self.own(pool, item)[:quantity]
        if not units or together and not (len(units) == quantity and is_one_piece(pool, units)):
            return self._choose(pool, item, quantity, together)
        if len(units) < quantity:
            units += self._choose(pool, item, quantity - len(units), False, with_own=False)[0]
        return units, is_one_piece(pool, units), False

    def party(self, pool, item):
        """The same where members need features: units in the order of the members."""
        hall, strategy, party = self.hall(pool, item), self.resource.strategy, Party(item, pool.features)
        own = self.own(pool, item) if self.block is None else []
        stay = None
        if len(own) >= item.quantity:
            places = bytearray(place if place == ROW_END else TAKEN for place in pool.places)
            for unit in own:
                places[pool.place(unit)] = FREE
            stay = party.seat(seating.Hall(pool.spans, places), strategy, self.seed)
        elif own and not item.together and party.use(own):
            stay = party.seat(hall, strategy, self.seed, kept=own)
        if stay:
            return stay[0], is_one_piece(pool, stay[0]), False
        sparing = self.hall(pool, item, spare=True) if self._is_spared(pool, item) else None
        return sparing and party.seat(sparing, strategy, self.seed) or party.seat(hall, strategy, self.seed)

    # ---- at what price ----
    def price(self, pool, item):
        """(price, rate) of a unit, or None: the rate is unknown."""
        return pool.price_by(item.rate) if self.sold else (0, None)

    def lines(self, index, item, units):
        """The lines of an item that gets these (pool, unit), in that order; units had before keep their price, and
        their rate where none is asked for. A line
        has all seats or rooms of one price; of what is only counted, those that follow each other."""
        grouped, last, run = {}, None, 0
        for pool, unit in units:
            price, rate = self.price(pool, item)
            had = self._had.get(pool, {}).get(unit)
            if had is not None and (item.rate is None or is_same_rate(had.rate, rate)):
                price, rate = had.price, rate if is_same_rate(had.rate, rate) else had.rate
            if not pool.numbered and last != (pool, price, rate):
                last, run = (pool, price, rate), run + 1
            grouped.setdefault((pool, price, rate, run), []).append(unit)
        return [Line(index, pool, units, price, rate) for (pool, price, rate, _run), units in grouped.items()]

    def lines_of_members(self, index, item, units):
        """The same of an item with members, which have them one after another: no line is of two."""
        lines = []
        for member, part in enumerate(item.parts()):
            for line in self.lines(index, part, units[:part.quantity]):
                line.member = member
                lines.append(line)
            units = units[part.quantity:]
        return lines


def is_same_rate(one, other):
    """Units without a rate are sold by the one that is called standard."""
    return (one or 'standard') == (other or 'standard')


def suits(pool, unit, item):
    """Whether a seat has what the item wants and nothing that it avoids."""
    if not item.features and not item.avoid:
        return True
    features = pool.features[unit] if pool.rows else frozenset()
    return set(item.features) <= features and not set(item.avoid) & features


def is_one_piece(pool, units):
    """Whether seats are neighbours in one row."""
    places = sorted(pool.place(unit) for unit in units)
    return places[-1] - places[0] == len(places) - 1
