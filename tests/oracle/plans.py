"""A pretix seating plan (its public schema, 0.0.1) as sections with rows: each category is a section."""

import itertools
import math

from .inventory import Row
from .parsing import PLAIN

ROW_SEATS_MAX = 10000
RANK_MAX = 1_000_000
POSITION_MAX = 10_000_000
FEATURES_MAX = 100


class BadPlan(Exception):
    """The plan breaks a rule of charts; says where."""


def _demand(condition, where, why):
    if not condition:
        raise BadPlan(f'{where}: {why}')


def _objects(found, name, where):
    listed = found.get(name)
    _demand(isinstance(listed, list) and all(isinstance(one, dict) for one in listed), where, f'{name}: not objects')
    return listed


def _name(found, field, where, minimum=1, pool=False):
    value = found.get(field)
    _demand(isinstance(value, str) and minimum <= len(value.encode()) <= 64 and PLAIN.match(value), where, field)
    _demand(not pool or '/' not in value, where, field)
    return value


def _optional_name(found, field, where):
    return None if found.get(field) in (None, '') else _name(found, field, where)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _position(found, where, needed=False):
    """Where it is, counted from what it lies in."""
    position = found.get('position')
    if position is None and not needed:
        return 0, 0
    _demand(isinstance(position, dict) and _is_number(position.get('x')) and _is_number(position.get('y')), where,
            'position')
    return position['x'], position['y']


def _rounded(value, where):
    _demand(-POSITION_MAX < value < POSITION_MAX, where, 'position: too far')
    return math.floor(value + 0.5)


def _is_uuid(name):
    digits = name.replace('-', '')
    return len(digits) == 32 and set(digits.lower()) <= set('0123456789abcdef')


class _Seat:
    """One seat of a plan, where it really is."""

    def __init__(self, found, x, y, where):
        self.name = _name(found, 'seat_guid', where)
        number = '' if found.get('seat_number') is None else _name(found, 'seat_number', where, minimum=0)
        self.number = number if _is_uuid(self.name) and number else None
        self.category = _name(found, 'category', where, pool=True)
        own_x, own_y = _position(found, where, needed=True)
        self.x, self.y = _rounded(x + own_x, where), _rounded(y + own_y, where)
        self.rank = found.get('rank')
        _demand(self.rank is None or type(self.rank) is int and 0 <= self.rank <= RANK_MAX, where, 'rank')
        features = found.get('features')
        features = [] if features is None else features
        _demand(isinstance(features, list) and all(isinstance(name, str) for name in features), where, 'features')
        self.features = [_name({'feature': name}, 'feature', where) for name in features]


def _row(name, zone, seats, where):
    """Neighbours of one category."""
    _demand(len(seats) <= ROW_SEATS_MAX, where, 'too many seats')
    ranks = tuple(seat.rank for seat in seats)
    _demand(None not in ranks or not any(rank is not None for rank in ranks), where, 'some seats without a rank')
    features = sorted({name for seat in seats for name in seat.features})
    _demand(len(features) <= FEATURES_MAX, where, 'too many features')
    numbers = tuple(seat.number or seat.name for seat in seats) if any(seat.number for seat in seats) else None
    return Row(name, len(seats), 1, zone, tuple(seat.name for seat in seats), None if None in ranks else ranks,
               tuple(seat.x for seat in seats), tuple(seat.y for seat in seats),
               tuple((name, tuple(place for place, seat in enumerate(seats) if name in seat.features))
                     for name in features), numbers)


def _seats_of(row, x, y, where):
    row_x, row_y = _position(row, where)
    return [_Seat(seat, x + row_x, y + row_y, f'{where}, seat {index + 1}')
            for index, seat in enumerate(_objects(row, 'seats', where))]


def sections(plan):
    """Pairs of a category and its rows, in the order of the plan's categories; or BadPlan."""
    rows = {_name(category, 'name', 'plan', pool=True): [] for category in _objects(plan, 'categories', 'plan')}
    _demand(len(rows) == len(plan['categories']), 'plan', 'a category twice')
    names = []
    for zone in _objects(plan, 'zones', 'plan'):
        zone_name = _optional_name(zone, 'name', 'zone') or _optional_name(zone, 'zone_id', 'zone')
        x, y = _position(zone, f'zone {zone_name}')
        for row in _objects(zone, 'rows', f'zone {zone_name}'):
            row_name = _name(row, 'row_number', f'zone {zone_name}', minimum=0)
            where = f'zone {zone_name}, row {row_name}'
            seats = _seats_of(row, x, y, where)
            names += [seat.name for seat in seats]
            for category, run in itertools.groupby(seats, key=lambda seat: seat.category):
                _demand(category in rows, where, f'no category {category}')
                rows[category].append(_row(row_name, zone_name, list(run), where))
    _demand(names, 'plan', 'no seats')
    _demand(len(names) == len(set(names)), 'plan', 'a seat twice')
    return [(category, laid) for category, laid in rows.items() if laid]
