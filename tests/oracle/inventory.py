"""What a resource has and who holds it: pools, their units, bookings. Units are chosen here; whether they may be
taken is decided in rules.py."""

FREE, TAKEN, ROW_END = 0, 1, 2


class Pool:
    """A section, a product, or one night of a room type. The units of a section with rows lie in `places` row
    by row, with a mark behind each row, so that a free run is found as a run of zero bytes."""

    def __init__(self, kind, name, night=None):
        self.kind, self.name, self.night = kind, name, night
        self.title = self.rows = None
        self.capacity = self.price = 0
        self.owners = {}
        self.seats, self.number_of = [], {}
        self.layout(0, None)

    @property
    def free(self):
        return self.capacity - len(self.owners)

    def count(self, state):
        return sum(1 for booking in self.owners.values() if booking.state == state)

    # ---- catalogue ----
    def layout(self, capacity, rows):
        """Gives the pool other units. Whoever holds some keeps them: they are below the new capacity."""
        self.capacity, self.rows = capacity, rows
        self.place_of, self.unit_at, self.seats = range(capacity), range(capacity), []
        self.places = bytearray(capacity)
        if rows:
            self._lay_rows(rows)
        self.number_of = {seat: unit for unit, seat in enumerate(self.seats)}
        for unit in self.owners:
            self.places[self.place_of[unit]] = TAKEN
        self._hints = {}

    def _lay_rows(self, rows):
        self.places, self.place_of, self.unit_at = bytearray(), [], []
        for row, seats, first in rows:
            for number in range(first, first + seats):
                self.place_of.append(len(self.places))
                self.unit_at.append(len(self.seats))
                self.seats.append(f'{row}-{number}')
                self.places.append(FREE)
            self.unit_at.append(None)
            self.places.append(ROW_END)

    # ---- units ----
    def take(self, units, booking):
        for unit in units:
            assert unit not in self.owners, f'unit {unit} of {self.name} is taken twice'
            self.owners[unit] = booking
            self.places[self.place_of[unit]] = TAKEN

    def give_back(self, units):
        lowest = self.place_of[min(units)]
        for unit in units:
            del self.owners[unit]
            self.places[self.place_of[unit]] = FREE
        for length, hint in self._hints.items():
            self._hints[length] = min(hint, max(0, lowest - length))

    def run(self, length):
        """Where the first run of that many free units begins, or None."""
        found = self.places.find(bytes(length), self._hints.get(length, 0))
        self._hints[length] = len(self.places) if found < 0 else found
        return None if found < 0 else found

    def lowest(self, quantity):
        """The lowest-numbered free units; there are enough."""
        units, place = [], self.run(1) if quantity else 0
        while len(units) < quantity:
            place = self.places.index(FREE, place)
            units.append(self.unit_at[place])
            place += 1
        return units

    def together(self, quantity):
        """The first free seats side by side, or None."""
        place = self.run(quantity)
        return None if place is None else [self.unit_at[at] for at in range(place, place + quantity)]

    def pieces(self, quantity):
        """Seats in the fewest pieces: the first run that takes what is left, else the longest one, taken whole."""
        units, hints = [], dict(self._hints)
        while len(units) < quantity:
            piece = self._piece(quantity - len(units))
            for unit in piece:
                self.places[self.place_of[unit]] = TAKEN
            units += piece
        for unit in units:
            self.places[self.place_of[unit]] = FREE
        self._hints = hints
        return units

    def _piece(self, wanted):
        return next(piece for piece in map(self.together, range(wanted, 0, -1)) if piece)


class Line:
    """Units of one pool that a booking took for one item, at the price of that time."""
    __slots__ = ('item', 'pool', 'price', 'units', 'seats')

    def __init__(self, item, pool, units):
        self.item, self.pool, self.price, self.units = item, pool, pool.price, units
        self.seats = [pool.seats[unit] for unit in units] if pool.rows else None

    def shown(self):
        pool = self.pool
        if self.seats is not None:
            return {'item': self.item, 'section': pool.name, 'seats': self.seats, 'price': self.price}
        if pool.kind == 'room':
            return {'item': self.item, 'room': pool.name, 'night': pool.night, 'tokens': list(self.units),
                    'price': self.price}
        return {'item': self.item, pool.kind: pool.name, 'quantity': len(self.units), 'price': self.price}


class Booking:
    __slots__ = ('id', 'number', 'resource', 'state', 'op', 'client', 'customer', 'cart', 'payment', 'created',
                 'expires', 'total', 'lines')

    def shown(self):
        return [line.shown() for line in self.lines]


class Resource:
    def __init__(self, name, number):
        self.id, self.number = name, number
        self.rev = number
        self.facts = {}
        self.state = 'draft'
        self.hold_ttl_s = None
        self.pools = []
        self.named, self.rooms = {}, {}
        self.bookings, self.answered = {}, {}
        self.total = self.taken = 0

    @property
    def free(self):
        return self.total - self.taken

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

    def take(self, booking):
        for line in booking.lines:
            line.pool.take(line.units, booking)
            self.taken += len(line.units)

    def give_back(self, booking):
        for line in booking.lines:
            line.pool.give_back(line.units)
            self.taken -= len(line.units)

    def kind(self):
        kinds = {pool.kind for pool in self.pools if pool.capacity}
        words = {'section': 'seats', 'room': 'rooms', 'product': 'stock'}
        return words[kinds.pop()] if len(kinds) == 1 else 'mixed'
