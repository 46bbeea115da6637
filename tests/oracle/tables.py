"""The tables against the replay's state: resources, pools, bookings, allocations."""

import json

from . import staying, terms
from .compare import columns, mappings

FACTS = ('name', 'venue', 'description', 'timezone', 'currency')


def line_of(by_index, resource, line):
    """A line of a booking as this file has it: with the numbers of seats and rooms, or how many."""
    item, index, price, units, _seats_hash, rate = [*line, None, None][:6]
    name, night = by_index[resource, index]
    return [item, name, night, price, units, rate]


def _resource(resource):
    return {'state': resource.state, 'rev': resource.rev, 'hold_ttl_s': resource.hold_ttl_s,
            'opens_at': resource.opens_at, 'closes_at': resource.closes_at, 'strategy': resource.strategy,
            'terms': terms.as_kept(resource), 'cancelling': resource.cancelling, 'takings': resource.takings, 'promised': resource.price_of('held'),
            'by_rate': _by_rate(resource),
            **{fact: resource.facts.get(fact) for fact in FACTS}}


def _by_rate(resource):
    counts = {(pool.name, pool.night): {rate: units for rate, units in pool.at_rate.items() if units}
              for pool in resource.pools if pool.counts_rates}
    return counts or None


def _pool(pool):
    return {'capacity': pool.capacity, 'price': pool.default_price(), 'overbook': pool.overbook,
            'rates': [list(rate) for rate in pool.rates] if pool.rates else None,
            'properties': pool.properties and json.loads(pool.properties), 'restrictions': staying.listed(pool.rules) or None,
            'spares': pool.spares, **_counters(pool)}


def _counters(pool):
    """Of a numbered pool the allocations say it."""
    states = {'held': 'held', 'sold': 'confirmed', 'blocked': 'blocked'}
    return {name: 0 if pool.numbered else pool.counts[state] for name, state in states.items()}


def _wants(party):
    """As decoding.wanted reads what the record keeps."""
    if party.wants is None:
        return None
    return [item.content() for item in party.wants.items], party.wants.partial, party.wants.ttl_s, party.wants.wait_until


def _line(line):
    units = list(line.units) if line.numbered else len(line.units)
    return [line.item, line.pool.name, line.pool.night, line.price, units, line.rate]


def _booking(booking):
    return {'state': booking.state, 'op': booking.op, 'customer': booking.customer, 'client': booking.client,
            'cart': booking.cart, 'payment': booking.payment, 'note': booking.note, 'meta': booking.meta,
            'total': booking.total, 'created': booking.created, 'expires': booking.expires, 'ttl_s': booking.ttl_s,
            'wants': _wants(booking),
            'lines': [_line(line) for line in booking.lines]}


def expected(resources):
    """(resources, pools, bookings, allocations) as they must be."""
    rows, pools, bookings, allocations = {}, {}, {}, {}
    for resource in resources:
        rows[resource.id] = _resource(resource)
        for pool in resource.pools:
            pools[resource.id, pool.name, pool.night] = _pool(pool)
            for unit, booking in pool.owners.items() if pool.numbered else ():
                allocations[resource.id, pool.name, pool.night, unit] = booking.id
        for booking in resource.bookings.values():
            bookings[resource.id, booking.id] = _booking(booking)
    return rows, pools, bookings, allocations


def former_owners(resources):
    return {(resource.id, *former): surely for resource in resources
            for former, surely in resource.former_owners.items()}


def _compare_former_owners(report, evidence, resources):
    """Those who are there had it; those who had it over a batch are there."""
    expected = former_owners(resources)
    stored = {former: True for former, surely in expected.items()
              if surely or former in evidence.former_owners}
    mappings(report, 'former owner', stored, evidence.former_owners)


def compare(report, evidence, resources):
    """Each seat and room lies with one booking; of the rest as many are taken as bookings have."""
    rows, pools, bookings, allocations = expected(resources)
    columns(report, 'resource', rows, evidence.resources)
    columns(report, 'pool', pools, evidence.pools)
    columns(report, 'booking', bookings, evidence.bookings)
    mappings(report, 'allocation', allocations, evidence.allocations)
    _compare_former_owners(report, evidence, resources)
