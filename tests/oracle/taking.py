"""hold, book, block: units for a customer, for a time or for good, or off sale; and joining the waiting list."""

from collections import Counter

from . import choosing, possible, terms
from .drafts import Draft
from .inventory import Booking
from .outcomes import Refused, about, having, instant_or_none, overbooked

OUTCOMES = {'hold': 'held', 'book': 'confirmed', 'block': 'blocked'}
WAITABLE = ('unit_taken', 'not_enough', 'not_together')
PARTIES_MAX = 1_000_000
CART_BOOKINGS_MAX = 10_000


def take(case):
    request, resource = case.request, case.resource
    sold = request.op != 'block'
    if sold:
        must_be_on_sale(case)
    block = _block(case) if request.from_block is not None else None
    draft = Draft(resource, case.seq, block=block, sold=sold, restricted=not request.force, at=case.at)
    plan = choosing.plan(draft, request.items, request.partial, request.overbook)
    reason = plan.reason() if not plan.lines or not request.partial else None
    if sold and reason != 'not_in_booking':
        over = terms.exceeded(resource, request.op, request.items, request.customer)
        if over:
            raise Refused('limit_exceeded', **terms.refusal(resource, request, over))
        if len(resource.cart(request)) >= CART_BOOKINGS_MAX:
            raise Refused('limit_exceeded')
    if reason in WAITABLE and not possible.refusal(resource, request.items) \
            and request.wait_until is not None and request.wait_until > case.at and not resource.nobody_is_served(request.items, case.at):
        return _join(case)
    if reason:
        own = terms.own_hold_of(resource, request, plan.short) if sold and block is None and reason in WAITABLE else None
        raise Refused(reason, own_hold=own, **choosing.refusal(plan, request.partial))
    return _make(case, plan, block)


def how_it_sells(resource):
    return {'state': resource.state, 'opens_at': instant_or_none(resource.opens_at),
            'closes_at': instant_or_none(resource.closes_at)}


def must_be_on_sale(case, own=()):
    """What bookings of its `own` have is no sale, pool by pool. The house may sell what is over: by closes_at, ends_at, or
    the date."""
    request, resource = case.request, case.resource
    over = not request.force and (resource.is_closed(case.at) or resource.is_over(case.at))
    if (resource.state != 'open' or resource.opens_later(case.at) or over) and (not own or _adds(resource, request, own)):
        raise Refused('not_on_sale', retryable=not resource.is_over(case.at), **how_it_sells(resource))
    kept, past = _kept(own), []
    for index, item in enumerate(request.items if not request.force else ()):
        nights = [night for night in resource.past_nights(item, case.at)
                  if _beyond(kept, [('room', item.pool, night)], item.quantity)]
        if nights:
            past.append({'item': index, 'asked': item.quantity, 'given': 0, 'reason': 'not_on_sale', 'taken': nights})
    if past:
        raise Refused('not_on_sale', retryable=False, items=past, **how_it_sells(resource))


def _kept(own):
    """Units by pool."""
    return Counter((line.pool.kind, line.pool.name, line.pool.night)
                   for booking in own for line in booking.lines for _unit in line.units)


def _beyond(kept, pools, wanted):
    """How many of so many units are not among those kept of the pools, which are kept no more."""
    for pool in pools:
        found = min(kept[pool], wanted)
        kept[pool] -= found
        wanted -= found
    return wanted


def _adds(resource, request, own):
    """Whether it asks for more of any pool. Items that accept several sections come last: any of them will do."""
    kept, added = _kept(own), 0
    for item in sorted(request.items, key=lambda item: len(item.sections or ()) > 1):
        if item.kind == 'seats':
            for name in item.seats:
                pool, _unit = resource.seat(name)
                added += _beyond(kept, [] if pool is None else [(pool.kind, pool.name, pool.night)], 1)
        elif item.kind == 'room':
            for night in item.nights():
                added += _beyond(kept, [('room', item.pool, night)], item.quantity)
        else:
            added += _beyond(kept, [(item.kind, name, None) for name in item.sections or [item.pool]], item.quantity)
    return added > 0


def _block(case):
    block = case.resource.bookings.get(case.request.from_block)
    if block is None:
        raise Refused('unknown_booking')
    if block.state != 'blocked':
        raise Refused('not_blocked')
    return block


def _new(case, state, **fields):
    request, booking = case.request, Booking()
    booking.id, booking.number, booking.resource = request.request_id, case.seq, case.resource
    booking.state, booking.op, booking.client = state, request.op, request.client
    booking.customer, booking.cart = request.customer, request.cart
    booking.note, booking.meta = request.note, request.meta
    booking.payment = booking.ttl_s = booking.expires = booking.wants = None
    booking.created, booking.lines, booking.total = case.now, [], 0
    for name, value in fields.items():
        setattr(booking, name, value)
    case.bookings.append(booking)
    return booking


def _make(case, plan, block):
    request = case.request
    fields = {'lines': plan.lines, 'total': sum(line.total() for line in plan.lines)}
    if request.op == 'hold':
        fields['ttl_s'] = case.hold_ttl_s(request.ttl_s)
        fields['expires'] = case.now + fields['ttl_s'] * 1000
    elif request.op == 'book':
        fields['payment'] = request.payment
    else:  # the house's
        back = request.return_at
        fields.update(customer=None, cart=None, expires=None if back is None else max(back, case.at))
    if not case.resource.has_room_for(fields['total']):
        raise Refused('limit_exceeded')
    outcome = OUTCOMES[request.op]
    booking = _new(case, outcome, **fields)
    body = case.must_fit(about(
        booking, outcome=outcome, payment=booking.payment, expires_at=instant_or_none(booking.expires),
        together=plan.together, items=plan.short or None, **having(plan.lines, plan.of_items)))
    if block is not None:
        _shrink(case, block, plan.lines)
    case.resource.add(booking)
    case.partition.watch(booking)
    return {**body, 'overbooked': overbooked(plan.lines)}


def _shrink(case, block, lines):
    """What is taken out of a block is gone from it; an empty one is released."""
    gone = {(line.pool, unit) for line in lines for unit in line.units}
    rest = [line.part(units) for line in block.lines
            if (units := [unit for unit in line.units if (line.pool, unit) not in gone])]
    case.resource.change(block, lines=rest, state='blocked' if rest else 'released')


def _join(case):
    request, resource = case.request, case.resource
    if len(resource.waiting) >= PARTIES_MAX:
        raise Refused('limit_exceeded')
    party = _new(case, 'waiting', expires=resource.waits_until(request), ttl_s=case.hold_ttl_s(request.ttl_s), wants=request)
    resource.add(party)
    case.partition.watch(party)
    return {'outcome': 'waiting', 'booking': party.id, 'customer': party.customer, 'cart': party.cart,
            'position': len(resource.waiting), 'expires_at': instant_or_none(party.expires)}
