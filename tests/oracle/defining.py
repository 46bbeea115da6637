"""What a define does to a resource: merges pools into it, or says why not."""

import hashlib
import json

from .decoding import POOLS_MAX, night_name
from .inventory import Pool

FACTS = ('name', 'venue', 'description', 'timezone', 'currency', 'starts_at', 'ends_at')


def chart_name(resource):
    """The name of the layout: the hash of its canonical JSON."""
    sections = [{'section': pool.name,
                 'rows': [{'row': row, 'seats': seats, 'first': first} for row, seats, first in pool.rows]}
                for pool in resource.charted()]
    if not sections:
        return None
    text = json.dumps({'sections': sections}, ensure_ascii=False, separators=(',', ':'))
    return 'sha256:' + hashlib.sha256(text.encode()).hexdigest()


def _nights(definition):
    """The nights that the rooms[] of a define set, later entries over earlier ones."""
    nights = {}
    for room in definition['rooms']:
        for day in range(room['start'], room['end']):
            asked = nights.setdefault((room['name'], night_name(day)), {'capacity': None, 'price': None})
            for field in ('capacity', 'price'):
                if room[field] is not None:
                    asked[field] = room[field]
    return nights


def _seats(rows):
    return [f'{row}-{number}' for row, seats, first in rows for number in range(first, first + seats)]


def _kind_of(resource, name):
    if name in resource.rooms:
        return 'room'
    return resource.named[name].kind if name in resource.named else None


def _chart_breaks(resource, definition):
    """A seat name twice, or one name for pools of two kinds, or a new pool of which nothing is said."""
    for kind in ('section', 'product', 'room'):
        for asked in definition[kind + 's']:
            if _kind_of(resource, asked['name']) not in (None, kind):
                return True
            if asked['name'] not in resource.named and kind != 'room':
                if asked['capacity'] is None and not asked.get('rows'):
                    return True
    rows = {pool.name: pool.rows for pool in resource.charted()}
    for asked in definition['sections']:
        if asked['rows'] or asked['capacity'] is not None:
            rows[asked['name']] = asked['rows']
    names = [seat for one in rows.values() if one for seat in _seats(one)]
    return len(names) != len(set(names))


def _in_the_way(pool, capacity, rows):
    """Whether units that are taken would change or go."""
    if pool is None or not pool.owners:
        return False
    if rows or pool.rows:
        return (rows or capacity is not None) and rows != pool.rows
    return capacity is not None and max(pool.owners) >= capacity


def _used(resource, definition):
    for asked in definition['sections'] + definition['products']:
        if _in_the_way(resource.named.get(asked['name']), asked['capacity'], asked.get('rows')):
            return True
    return any(_in_the_way(resource.rooms.get(name, {}).get(night), asked['capacity'], None)
               for (name, night), asked in _nights(definition).items())


def _pools_after(resource, definition):
    named = {asked['name'] for asked in definition['sections'] + definition['products']}
    nights = {(name, night) for name, night in _nights(definition)}
    known = {(name, night) for name in resource.rooms for night in resource.rooms[name]}
    return len(resource.named.keys() | named) + len(known | nights)


def refusal(resource, definition):
    """The reason why not, or None."""
    if _chart_breaks(resource, definition):
        return 'bad_chart'
    if _used(resource, definition):
        return 'in_use'
    return 'limit_exceeded' if _pools_after(resource, definition) > POOLS_MAX else None


def _set(resource, pool, asked):
    rows = asked.get('rows')
    capacity = sum(row[1] for row in rows) if rows else asked['capacity']
    if capacity is not None and (rows != pool.rows or capacity != pool.capacity):
        resource.total += capacity - pool.capacity
        pool.layout(capacity, rows)
    if asked['price'] is not None:
        pool.price = asked['price']
    if asked.get('title') is not None:
        pool.title = asked['title']


def merge(resource, definition):
    for fact in FACTS:
        if definition[fact] is not None:
            resource.facts[fact] = definition[fact]
    resource.state = definition['state'] or resource.state
    resource.hold_ttl_s = definition['hold_ttl_s'] or resource.hold_ttl_s
    for kind in ('section', 'product'):
        for asked in definition[kind + 's']:
            pool = resource.named.get(asked['name'])
            if pool is None:
                pool = resource.named[asked['name']] = Pool(kind, asked['name'])
                resource.pools.append(pool)
            _set(resource, pool, asked)
    for (name, night), asked in _nights(definition).items():
        nights = resource.rooms.setdefault(name, {})
        if night not in nights:
            nights[night] = Pool('room', name, night)
            resource.pools.append(nights[night])
        _set(resource, nights[night], asked)
