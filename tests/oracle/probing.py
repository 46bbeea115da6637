"""What a probe answers: the pools, or the bookings that it asks about."""

import datetime

from . import changing, choosing, staying, terms
from .outcomes import Refused, instant_or_none

PARTIES_COUNTED_MAX = 10_000


def answer(case):
    resource, request = case.resource, case.request
    about_bookings = request.booking is not None or request.cart is not None
    found = _bookings(case) if about_bookings else probe(resource, request.items, case.at)
    if 'items' in found:
        raise Refused('unknown_pool', **found)
    return {'outcome': 'alive', 'state': resource.state, 'opens_at': instant_or_none(resource.opens_at),
            'closes_at': instant_or_none(resource.closes_at), 'ends_at': instant_or_none(resource.facts.get('ends_at')),
            'waiting': len(resource.waiting),
            'currency': resource.facts.get('currency'), 'timezone': resource.facts.get('timezone'), **found}


# ---- bookings ------------------------------------------------------------------------------------------------
def _bookings(case):
    resource, request = case.resource, case.request
    if request.booking is not None:
        found = [resource.bookings[request.booking]] if request.booking in resource.bookings else []
    else:
        found = [booking for _number, booking in sorted(resource.cart(request).items())]
    if not found:
        raise Refused('unknown_booking')
    if request.booking is not None and request.customer not in (None, found[0].customer):
        raise Refused('not_owner')
    changing.restart(case)
    positions = _positions(resource, found)
    return case.must_fit({'bookings': [_status(booking, positions.get(booking.id)) for booking in found]})


def _positions(resource, bookings):
    """Of those that wait, as far as one answer counts."""
    order, left, found = sorted(resource.waiting), PARTIES_COUNTED_MAX, {}
    for booking in bookings:
        if booking.state == 'waiting' and left:
            position = order.index(booking.number) + 1
            if position <= left:
                found[booking.id] = position
            left -= min(position, left)
    return found


def _status(booking, position):
    timed = booking.state in ('held', 'waiting', 'blocked')
    shown = {'booking': booking.id, 'state': booking.state, 'customer': booking.customer, 'cart': booking.cart,
             'payment': booking.payment, 'units': booking.units(), 'total': booking.total,
             'expires_at': instant_or_none(booking.expires) if timed else None, 'position': position}
    return {name: value for name, value in shown.items() if value is not None}


# ---- pools ---------------------------------------------------------------------------------------------------
def _rates(pool):
    return dict(pool.rates) if pool.rates else {'standard': pool.price}


def _counted(resource, pool, at):
    counts = pool.counts
    shown = {pool.kind: pool.name, 'free': terms.sellable(resource, pool), 'held': counts['held'], 'sold': counts['confirmed'],
             'blocked': counts['blocked'], 'total': pool.capacity, 'rates': _rates(pool)}
    if pool.overbook:
        shown['overbook'] = pool.overbook
    if pool.over:
        shown['over'] = pool.over
    left = {rate: _left(resource, pool, rate, at) for rate in _rates(pool)}
    if any(units is not None for units in left.values()):
        shown['left_at_rates'] = {rate: units for rate, units in left.items() if units is not None}
    return shown


def _left(resource, pool, rate, at):
    """Units left at a rate; None: no quota limits or has ended it."""
    end = resource.rate_end(pool, rate)
    if end is not None and at >= end:
        return 0
    left = [limit - sum(one.at_rate[rate] for one in pools) for limit, pools in terms.rate_groups(resource, pool, rate)]
    return max(0, min(left)) if left else None


def _days(first, last):
    day, end = datetime.date.fromisoformat(first), datetime.date.fromisoformat(last)
    while day <= end:
        yield day.isoformat()
        day += datetime.timedelta(days=1)


def _room(resource, name, first, last):
    nights = resource.rooms[name]
    pools = [nights.get(night) for night in _days(first, last)]
    pools = [pool if pool and pool.capacity else None for pool in pools]
    shown = {'room': name, 'from': first, 'free': [pool and terms.sellable(resource, pool) for pool in pools],
             'total': [pool and pool.capacity for pool in pools],
             'price': [pool and pool.default_price() for pool in pools]}
    if any(pool and pool.over for pool in pools):
        shown['over'] = [pool and pool.over for pool in pools]
    if any(pool and pool.rates for pool in pools):
        rates = dict.fromkeys(rate for pool in pools if pool for rate in _rates(pool))
        shown['rates'] = {rate: [_rates(pool).get(rate) if pool else None for pool in pools] for rate in rates}
    return shown


def _everything(resource, at):
    shown = [_counted(resource, pool, at) for pool in resource.sections() + resource.products() if pool.capacity]
    for name, nights in resource.rooms.items():
        alive = sorted(night for night, pool in nights.items() if pool.capacity)
        if alive:
            shown.append(_room(resource, name, alive[0], alive[-1]))
    return shown


def _chosen(resource, item, at):
    if item.kind == 'room':
        names = item.nights()
        on_sale = any(pool.capacity for pool in resource.rooms.get(item.pool, {}).values())
        shown = on_sale and _room(resource, item.pool, names[0], names[-1])
        forbidden = shown and staying.forbidden(resource.rooms[item.pool], item)
        return {**shown, 'restricted': forbidden} if forbidden else shown
    pool = resource.named.get(item.pool)
    return _counted(resource, pool, at) if pool and pool.kind == item.kind and pool.capacity else None


def probe(resource, items, at):
    """`pools` and maybe `next`; or `items`, the ones that are not there."""
    if not items:
        return {'pools': _everything(resource, at)}
    shown = [_chosen(resource, item, at) for item in items]
    missing = [{'item': index, 'asked': item.quantity, 'given': 0,
                **choosing.unknown_pool(resource, item.kind, item.pool)}
               for index, item in enumerate(items) if not shown[index]]
    return {'items': missing} if missing else {'pools': shown}
