"""What a resource has and who has it: pools, their units, bookings. Which units are chosen, and whether they may be
taken, is decided elsewhere."""

from collections import Counter
from typing import NamedTuple

from . import timezones
from .parsing import instant_text
from .seating import FREE, ROW_END, TAKEN, Span

POSSESSING = ('held', 'confirmed', 'blocked')
SUM_MAX = 2**53 - 1  # of the price of all that is held or sold: what JavaScript still counts exactly
TIMED = ('held', 'waiting', 'blocked')  # those that end by themselves, where they have a time


class Row(NamedTuple):
    """A row of seats. `features`: pairs of a name and the places in the row that have it, from 0."""
    row: str
    seats: int
    first: int = 1
    zone: str | None = None
    names: tuple | None = None
    ranks: tuple | None = None
    x: tuple | None = None
    y: tuple | None = None
    features: tuple = ()
    numbers: tuple | None = None

    def labels(self):
        return self.names or [f'{self.row}-{number}' for number in range(self.first, self.first + self.seats)]

    def places(self):
        """What people call its seats."""
        if self.numbers is None:
            return self.labels()
        head = [self.zone] if self.zone is not None else []
        head += [f'row {self.row}'] if self.row else []
        return [', '.join([*head, f'seat {number}']) for number in self.numbers]


class Pool:
    """A section, a product, or one night of a room type. Its units have numbers, to tell whose they are; those of one
    that is not `numbered` are known here only."""

    def __init__(self, kind, name, night=None):
        self.kind, self.name, self.night = kind, name, night
        self.title = self.properties = self.rows = self.rates = None
        self.rules = {}  # of stay, by rate; None: of all rates
        self.capacity = self.overbook = self.price = 0
        self.spares = True
        self.owners, self.counts = {}, Counter()
        self.at_rate, self.counts_rates = Counter(), False  # units held and sold; whether the record has them
        self.layout(0, None)

    @property
    def taken(self):
        return len(self.owners)

    @property
    def free(self):
        return max(0, self.capacity - self.taken)

    @property
    def over(self):
        """How many the house took beyond all that there are; what comes back first fills that hole."""
        return max(0, self.taken - self.capacity)

    @property
    def numbered(self):
        """Whether a unit is a certain seat or room; others are only counted."""
        return bool(self.rows) or self.kind == 'room'

    # ---- catalogue ----
    def layout(self, capacity, rows):
        """Gives the pool other units. Whoever has some keeps them."""
        self.capacity, self.rows = capacity, rows
        self.seats, self.spans, self.features = [], [], []
        self.called = []  # of seats, by people
        self.has_numbers = any(row.numbers for row in rows or ())
        self.places, self._place_of, self._lowest = bytearray(), [], 0
        for row in rows or ():
            self._lay_row(row)
        self.number_of = {seat: unit for unit, seat in enumerate(self.seats)}
        if rows:
            for unit in self.owners:
                self.places[self._place_of[unit]] = TAKEN

    def _lay_row(self, row):
        self.spans.append(Span(len(self.seats), row.seats, row.ranks))
        self.seats += row.labels()
        self.called += row.places()
        self._place_of += range(len(self.places), len(self.places) + row.seats)
        self.places += bytes([FREE] * row.seats + [ROW_END])
        self.features += [frozenset(name for name, places in row.features if place in places)
                          for place in range(row.seats)]

    def name_of(self, unit):
        """The seat of that number, or None."""
        return self.seats[unit] if unit < len(self.seats) else None

    def place(self, unit):
        """Where a seat lies in `places`."""
        return self._place_of[unit]

    def price_by(self, rate):
        """(price, the rate's name where the pool has named rates), or None: unknown."""
        if self.rates is None:
            return (self.price, None) if rate in (None, 'standard') else None
        prices = dict(self.rates)
        rate = rate or self.default_rate()
        return (prices[rate], rate) if rate in prices else None

    def default_rate(self):
        names = [name for name, _price in self.rates or ()]
        return 'standard' if 'standard' in names or not names else names[0]

    def offered(self, rate):
        """The rates of which one serves who names this one, or none: in their order."""
        names = ['standard'] if self.rates is None else [name for name, _price in self.rates]
        if rate is None and 'standard' not in names:
            return names
        return [name for name in names if name == (rate or 'standard')]

    def default_price(self):
        return self.price_by(None)[0]

    # ---- units ----
    def take(self, units, booking):
        for unit in units:
            assert unit not in self.owners, f'unit {unit} of {self.name} is taken twice'
            self.owners[unit] = booking
            if self.rows:
                self.places[self._place_of[unit]] = TAKEN
        self.counts[booking.state] += len(units)

    def give_back(self, units, booking):
        for unit in units:
            assert self.owners.pop(unit) is booking
            if self.rows:
                self.places[self._place_of[unit]] = FREE
        self.counts[booking.state] -= len(units)
        self._lowest = min([self._lowest, *units])

    def not_taken(self):
        """The free numbers, ascending, without end; of a pool without rows the first `free` are free."""
        while self._lowest in self.owners:
            self._lowest += 1
        unit = self._lowest
        while True:
            if unit not in self.owners:
                yield unit
            unit += 1


class Line:
    """Units of one pool that a booking took for one item, at the price of that time."""
    __slots__ = ('item', 'pool', 'price', 'rate', 'units', 'seats', 'member')

    def __init__(self, item, pool, units, price, rate):
        self.member = None  # of the item, as the answer says that chose them
        self.item, self.pool, self.units, self.price, self.rate = item, pool, list(units), price, rate
        self.seats = [pool.seats[unit] for unit in units] if pool.rows else None

    @property
    def numbered(self):
        """As its pool was when it was taken."""
        return self.seats is not None or self.pool.kind == 'room'

    def seat(self, unit):
        """The name that the seat had when it was taken."""
        return self.seats[self.units.index(unit)]

    def is_current(self):
        """Whether its numbers still mean what they meant when it was taken: the same seats, or still none."""
        if self.seats is None:
            return not self.pool.rows
        return [self.pool.name_of(unit) for unit in self.units] == self.seats

    def part(self, units, item=None):
        """A line of some of its units."""
        part = Line(self.item if item is None else item, self.pool, (), self.price, self.rate)
        part.units = list(units)
        part.seats = None if self.seats is None else [self.seat(unit) for unit in units]
        return part

    def anew(self, units):
        """The same with other units."""
        return Line(self.item, self.pool, units, self.price, self.rate)

    def total(self):
        return self.price * len(self.units)

    def shown(self):
        pool, shown = self.pool, {'item': self.item, self.pool.kind: self.pool.name}
        if self.seats is not None:
            shown['seats'] = self.seats
            if pool.has_numbers:
                shown['places'] = [pool.called[unit] for unit in self.units]
        elif self.numbered:
            shown.update(night=pool.night, tokens=list(self.units))
        else:
            shown['quantity'] = len(self.units)
        shown['price'] = self.price
        if self.rate is not None:
            shown['rate'] = self.rate
        return shown


class Booking:
    """`number`: the seq of the decision that made it. `wants`: of a waiting party, its request."""
    __slots__ = ('id', 'number', 'resource', 'state', 'op', 'client', 'customer', 'cart', 'payment', 'note', 'meta',
                 'created', 'expires', 'ttl_s', 'total', 'lines', 'wants')

    def shown(self):
        return [line.shown() for line in self.lines]

    def units(self):
        return sum(len(line.units) for line in self.lines)

    def units_of(self, pool):
        return {unit for line in self.lines if line.pool is pool for unit in line.units}


class Resource:
    def __init__(self, name, number):
        self.id, self.number = name, number
        self.rev = number
        self.facts = {}
        self.state = 'draft'
        self.hold_ttl_s = self.opens_at = self.closes_at = self.strategy = None
        self.limits = None
        self.set_quotas({})
        self.cancelling = None               # why all of its bookings are being cancelled; '' : unsaid
        self.pools = []
        self.named, self.rooms = {}, {}
        self.bookings, self.answered = {}, {}
        self.carts, self.customers = {}, {}  # (customer, cart), customer → bookings
        self.waiting = {}                    # parties by number
        self.former_owners = {}              # (booking, customer) of those who had it before → surely stored
        self.owned_since = {}                # booking → when it was transferred
        self.settled = False                 # nobody on the waiting list fits, as far as is known
        self.woken = None                    # when that happened last that may let somebody fit
        self.total = self.taken = 0
        self.full = set()                    # pools of which more are taken than there are
        self.price = 0                       # of all that is held or sold

    def set_quotas(self, quotas):
        """By name. Those of a rate leave the other rates of their pools alone."""
        self.all_quotas = quotas
        self.quotas = {name: (quota.pools, quota.limit) for name, quota in quotas.items() if quota.rate is None}
        self.rate_quotas = [quota for quota in quotas.values() if quota.rate is not None]

    @property
    def over(self):
        return sum(pool.over for pool in self.full)

    @property
    def free(self):
        return self.total - self.taken + self.over

    def note_over(self, pool):
        (self.full.add if pool.over else self.full.discard)(pool)

    def sections(self):
        return [pool for pool in self.named.values() if pool.kind == 'section']

    def products(self):
        return [pool for pool in self.named.values() if pool.kind == 'product']

    def seat(self, name):
        for pool in self.named.values():
            unit = pool.number_of.get(name)
            if unit is not None:
                return pool, unit
        return None, None

    def charted(self):
        """Sections with rows, in chart order."""
        return [pool for pool in self.sections() if pool.rows and pool.capacity]

    def price_of(self, state):
        return sum(booking.total for booking in self.bookings.values() if booking.state == state)

    @property
    def takings(self):
        return self.price_of('confirmed')

    def has_room_for(self, total):
        """Whether what is held and sold may cost so much more."""
        return total <= 0 or self.price + total <= SUM_MAX

    def count(self, state):
        return sum(pool.counts[state] for pool in self.pools)

    def kind(self):
        kinds = {pool.kind for pool in self.pools if pool.capacity}
        words = {'section': 'seats' if self.charted() else 'standing', 'room': 'rooms', 'product': 'stock'}
        return words[kinds.pop()] if len(kinds) == 1 else 'mixed'

    def today(self, now):
        """The date where it is, or None: nobody knows."""
        zone = self.facts.get('timezone')
        return None if zone is None else timezones.date(zone, now)

    def is_over(self, now):
        ends = self.facts.get('ends_at')
        return ends is not None and now >= ends

    def past_nights(self, item, now):
        """The nights of an item that are over."""
        today = self.today(now)
        return [night for night in item.nights() if night < today] if item.kind == 'room' and today else []

    def waits_until(self, wants):
        """When who waits for that leaves by itself: at the time asked for, or as soon as it is over."""
        return min(end for end in (wants.wait_until, self.over_at(wants.items)) if end is not None)

    def over_at(self, items):
        """From when on nobody is served with these items any more, or None."""
        zone = self.facts.get('timezone')
        nights = [timezones.end_of(zone, min(item.nights())) for item in items if zone and item.kind == 'room']
        ends = (self.facts.get('ends_at'), *nights, self.rates_over_at(items))
        return min((end for end in ends if end is not None), default=None)

    def rates_over_at(self, items):
        """From when on some item has no rate any more, or None."""
        return min((end for end in map(self._item_over_at, items if self.rate_quotas else ()) if end is not None), default=None)

    def _item_over_at(self, item):
        if item.kind == 'seats':
            pools = [self.seat(name)[0] for name in item.seats]
        elif item.kind == 'room':
            pools = [self.rooms.get(item.pool, {}).get(night) for night in item.nights()]
        else:
            pools = [self.named.get(name) for name in item.sections or [item.pool]]
        ends = [None if pool is None else self._pool_over_at(pool, item) for pool in pools]
        if item.kind in ('seats', 'room'):
            return min((end for end in ends if end is not None), default=None)
        return None if None in ends else max(ends)  # any section will do

    def _pool_over_at(self, pool, item):
        """Each member needs its rate."""
        ends = [self.rates_end(pool, part.rate) for part in item.parts()]
        return min((end for end in ends if end is not None), default=None)

    def rates_end(self, pool, rate):
        """When the last of the rates ends that may serve who names this one; None: never, or it is unknown."""
        ends = [self.rate_end(pool, name) for name in pool.offered(rate)]
        return None if None in ends or not ends else max(ends)

    def quotas_at(self, pool, rate):
        return [quota for quota in self.rate_quotas if quota.rate == (rate or 'standard') and pool.name in quota.pools]

    def rate_end(self, pool, rate):
        return min((quota.closes_at for quota in self.quotas_at(pool, rate) if quota.closes_at is not None), default=None)

    def why_over(self, items, now):
        if self.is_over(now):
            return f'it ended at {instant_text(self.facts["ends_at"])}'
        if any(self.past_nights(item, now) for item in items):
            return f'it is {self.today(now)} in {self.facts["timezone"]}, earlier nights are over'
        end = self.rates_over_at(items)
        return f'its rates were sold until {instant_text(end)}' if end is not None and now >= end else None

    # ---- what is sold at a time ----
    def is_closed(self, now):
        return self.closes_at is not None and now >= self.closes_at

    def opens_later(self, now):
        return self.state == 'open' and self.opens_at is not None and now < self.opens_at

    def on_sale(self, now):
        return self.state == 'open' and not self.opens_later(now) and not self.is_closed(now) and not self.is_over(now)

    def nobody_is_served(self, items, now):
        """Whether who waits for these items waits in vain: it is not sold any more, or a night of them is over."""
        end = self.rates_over_at(items)
        return not self.on_sale(now) or any(self.past_nights(item, now) for item in items) or end is not None and now >= end

    # ---- the waiting list's time ----
    def wake(self, at):
        """Something happened then that may let somebody fit who waits; of what is not sold any more nobody gets any."""
        self.settled = not (self.on_sale(at) or self.opens_later(at))
        self.woken = at

    def served_at(self):
        """The time by which who waits is served: when it became possible, or the sale opened after that."""
        return self.opens_at if self.opens_later(self.woken) else self.woken

    def is_served_before(self, at):
        """Whether who fits must be served before that time, since less is sold then."""
        served_at = self.served_at()
        ends = [quota.closes_at for quota in self.rate_quotas if quota.closes_at is not None]
        return (self.on_sale(served_at) != self.on_sale(at) or self.today(served_at) != self.today(at)
                or any((served_at < end) != (at < end) for end in ends))

    # ---- bookings ----
    def add(self, booking):
        self.bookings[booking.id] = booking
        self._enter(booking)

    def change(self, booking, **fields):
        """The one way in which a booking changes."""
        self._leave(booking)
        for name, value in fields.items():
            setattr(booking, name, value)
        self._enter(booking)

    def _enter(self, booking):
        if booking.state in POSSESSING:
            self.price += booking.total
            for line in booking.lines:
                line.pool.take(line.units, booking)
                self.taken += len(line.units)
                line.pool.at_rate[line.rate or 'standard'] += len(line.units) if booking.state != 'blocked' else 0
                self.note_over(line.pool)
        if booking.state == 'waiting':
            self.waiting[booking.number] = booking
        self.customers.setdefault(booking.customer, {})[booking.number] = booking
        if booking.cart is not None:
            self.carts.setdefault((booking.customer, booking.cart), {})[booking.number] = booking

    def cart(self, request):
        """The bookings of the cart that the request names, by number, whatever became of them."""
        return self.carts.get((request.customer, request.cart), {})

    def _leave(self, booking):
        if booking.state in POSSESSING:
            self.price -= booking.total
            for line in booking.lines:
                line.pool.give_back(line.units, booking)
                self.taken -= len(line.units)
                line.pool.at_rate[line.rate or 'standard'] -= len(line.units) if booking.state != 'blocked' else 0
                self.note_over(line.pool)
        self.waiting.pop(booking.number, None)
        del self.customers[booking.customer][booking.number]
        if booking.cart is not None:
            del self.carts[booking.customer, booking.cart][booking.number]
