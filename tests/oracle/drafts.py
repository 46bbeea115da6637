"""What a decision would take, beside what is taken already: free units as that decision sees them. Nothing of the
resource changes."""

from collections import Counter

from . import seating, terms
from .definitions import CAPACITY_MAX
from .inventory import Line
from .parties import Party
from .seating import FREE, ROW_END, TAKEN


class Draft:
    """`own`: bookings whose units count as free, since all of them are exchanged. `block`: the one out of which alone
    units may come. `sold`: whether prices and quotas apply; blocks have none. `restricted`: whether stay restrictions do; the house
    may sell against them. `beyond`: whether what is no seat may be taken though too little is left, by the house's word."""

    def __init__(self, resource, seed, own=(), block=None, sold=True, restricted=True, at=0, beyond=False):
        self.resource, self.seed, self.block, self.sold, self.at = resource, seed, block, sold, at
        self.restricted, self.exchanges, self.beyond = restricted and sold, bool(own), beyond
        self.taken, self._had = {}, {}
        self._at_rate, self._had_at_rate = Counter(), Counter()  # (pool, rate)
        for line in (line for booking in own for line in booking.lines):
            self._had_at_rate[line.pool, line.rate or 'standard'] += len(line.units)
        for line in (line for booking in own for line in booking.lines):
            for unit in line.units:
                self._had.setdefault(line.pool, {})[unit] = line
        self._offered = {}
        for line in block.lines if block else ():
            self._offered.setdefault(line.pool, {}).update(dict.fromkeys(line.units, line))

    def copy(self):
        twin = Draft(self.resource, self.seed, sold=self.sold, at=self.at, beyond=self.beyond)
        twin._at_rate, twin._had_at_rate = self._at_rate.copy(), self._had_at_rate
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
        if self.beyond:
            return CAPACITY_MAX - pool.taken + len(self._had.get(pool, ())) - taken if pool.capacity else 0
        kept = sum(unit not in self.taken.get(pool, ()) for unit in self._had.get(pool, ()))  # whatever else is over
        return max(pool.capacity - pool.taken + len(self._had.get(pool, ())) - taken, kept)

    def available(self, pool, item):
        """Units that the item could have of the pool."""
        left = self.quota_left(pool) if not self.beyond or pool.rows or self.block is not None else None
        count = self._count(pool, item)
        return max(0, count if left is None else min(count, left))

    # ---- which ----
    def _in_order(self, pool, had, item, quantity=1):
        """Units that a booking had of a pool, as they are used up: by number; those that are only counted in the order
        of its lines, the ones by the item's rate before others."""
        taken = self.taken.get(pool, ())
        units = [unit for unit in had.get(pool, ()) if unit not in taken]
        if pool.numbered or not units:
            return sorted(units)
        _price, rate = self.price(pool, item, quantity)
        return sorted(units, key=lambda unit: not is_same_rate(had[pool][unit].rate, rate))

    def lowest(self, pool, quantity, item):
        """Units of a pool without rows: of a block its own, else those of the booking, then the lowest free."""
        taken = self.taken.get(pool, ())
        if self.block is not None:
            return self._in_order(pool, self._offered, item, quantity)[:quantity]
        units = self._in_order(pool, self._had, item, quantity)[:quantity]
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
    # ---- rates that end ----
    def left_at(self, pool, rate):
        """How many more of the pool the quotas of a rate allow, or of what is exchanged is left to take again, whatever the
        time; None: none limits it. Less than 0: more was taken."""
        left = []
        for limit, pools in terms.rate_groups(self.resource, pool, rate):
            used = sum(one.at_rate[rate] for one in pools)
            again = sum(self._had_at_rate[one, rate] - self._at_rate[one, rate] for one in pools)
            left.append(max(limit - used + again, again))
        return min(left, default=None)

    def rate_room(self, pool, item, count):
        """(rate, how many more of it; None: any number) that serves so many units: the first with room for all of them, else
        the one with the most."""
        best = None
        for rate in pool.offered(item.rate):
            end, left = self.resource.rate_end(pool, rate), self.left_at(pool, rate)
            left = 0 if end is not None and self.at >= end else left if left is None else max(0, left)
            if left is None or left >= count:
                return rate, left
            if best is None or left > best[1]:
                best = rate, left
        return best

    def allows(self, pool, item, units, count):
        """How many of so many units the rates allow; `units`: which, None: own ones first. Own ones that stay at their
        rates need no room."""
        if not self.sold or not self.resource.rate_quotas:
            return count
        if item.members:
            return count if self.exchanges else self._allows_members(pool, item)[0]
        _rate, left = self.rate_room(pool, item, count)
        if left is None or left >= count:
            return count
        if units is None:
            units = self._in_order(pool, self._had, item, count)[:count]
        had = [self._had.get(pool, {}).get(unit) for unit in units]
        keeps = len(units) == count and all(line is not None and (item.rate is None or is_same_rate(line.rate, item.rate))
                                            for line in had)
        return count if keeps else left

    def _allows_members(self, pool, item):
        """(how many units of the members, one after the other, the rates allow; the rate that leaves too few, or None)."""
        trial, allowed = self.copy(), 0
        for part in item.parts():
            rate, left = trial.rate_room(pool, part, part.quantity)
            if left is not None and left < part.quantity:
                return allowed + left, rate
            allowed += part.quantity
            trial._at_rate[pool, rate] += part.quantity
        return allowed, None

    def short_rate(self, pool, item):
        """The rate that leaves too few."""
        if item.members:
            return self._allows_members(pool, item)[1]
        return self.rate_room(pool, item, item.quantity)[0]

    def rates_are_over(self, pool, item):
        ends = [self.resource.rates_end(pool, part.rate) for part in item.parts()]
        return self.sold and any(end is not None and self.at >= end for end in ends)

    def exceeds_rate(self, lines):
        """The last line by which more is taken at its rate than the quotas leave, and than was given back; or at a rate that
        has ended, more than was given back; or None."""
        for line in reversed(lines) if self.sold and self.resource.rate_quotas else ():
            rate = line.rate or 'standard'
            end, left = self.resource.rate_end(line.pool, rate), self.left_at(line.pool, rate)
            more = self._at_rate[line.pool, rate] - self._had_at_rate[line.pool, rate]
            if left is not None and left < 0 or end is not None and self.at >= end and more > 0:
                return line
        return None

    # ---- at what price ----
    def price(self, pool, item, count=1):
        """(price, rate) of each of so many units, or None: the rate is unknown."""
        if not self.sold:
            return 0, None
        if not self.resource.rate_quotas or pool.price_by(item.rate) is None:
            return pool.price_by(item.rate)
        return pool.price_by(self.rate_room(pool, item, count)[0])

    def lines(self, index, item, units):
        """The lines of an item that gets these (pool, unit), in that order, pool by pool; units had before keep their price,
        and their rate where none is asked for. A line has all seats or rooms of one price; of what is only counted, those
        that follow each other. They count at their rates from now on."""
        of_pools, lines = {}, []
        for pool, unit in units:
            of_pools.setdefault(pool, []).append(unit)
        for pool, of_pool in of_pools.items():
            lines += self._lines_of(index, item, pool, of_pool)
        return lines

    def _lines_of(self, index, item, pool, units):
        grouped, last, run = {}, None, 0
        today = self.price(pool, item, len(units))
        for unit in units:
            price, rate = today
            had = self._had.get(pool, {}).get(unit)
            if had is not None and (item.rate is None or is_same_rate(had.rate, rate)):
                price, rate = had.price, rate if is_same_rate(had.rate, rate) else had.rate
            if not pool.numbered and last != (price, rate):
                last, run = (price, rate), run + 1
            grouped.setdefault((price, rate, run), []).append(unit)
        lines = [Line(index, pool, some, price, rate) for (price, rate, _run), some in grouped.items()]
        for line in lines:
            self._at_rate[pool, line.rate or 'standard'] += len(line.units)
        return lines

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
