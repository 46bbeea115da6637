"""What becomes of bookings and carts: which step is allowed from which state; release, cancel, extend, transfer, leave,
unblock. Confirming and exchanging have modules of their own."""

from . import picking, terms
from .inventory import Booking
from .outcomes import Refused, about, instant_or_none, of_cart, returning

CART_UNITS_MAX = 100_000  # that one request may change

_ENDED = {'released': 'already_released', 'expired': 'hold_expired', 'cancelled': 'already_cancelled'}
_NEVER_HELD = {'blocked': 'not_held', 'waiting': 'not_held', 'left': 'not_held'}
_NOT_WAITING = dict.fromkeys(('held', 'confirmed', 'blocked', 'expired', 'left'), 'not_waiting')
_NOT_BLOCKED = dict.fromkeys(('held', 'confirmed', 'waiting', 'expired', 'left'), 'not_blocked')

# The states that an operation is refused in, and why. (A confirm of an expired booking may come too late, or not.)
REFUSES = {
    'confirm': {**_NEVER_HELD, 'confirmed': 'already_confirmed', 'released': 'already_released',
                'cancelled': 'already_cancelled'},
    'release': {**_NEVER_HELD, 'confirmed': 'already_confirmed', 'released': 'already_released',
                'cancelled': 'already_cancelled'},
    'extend': {**_NEVER_HELD, **_ENDED, 'confirmed': 'already_confirmed'},
    'cancel': {**_NEVER_HELD, **_ENDED, 'held': 'not_confirmed'},
    'exchange': {'waiting': 'not_held', 'left': 'not_held', **_ENDED},
    'transfer': {**_NEVER_HELD, **_ENDED},
    'leave': {**_NOT_WAITING, 'released': 'already_released', 'cancelled': 'already_cancelled'},
    'unblock': {**_NOT_BLOCKED, 'released': 'already_released', 'cancelled': 'already_cancelled'},
}


def find(case):
    """The booking that a request names, in a state that its operation needs."""
    request = case.request
    booking = case.resource.bookings.get(request.booking)
    if booking is None:
        raise Refused('unknown_booking')
    house = request.force and request.customer is None or request.op == 'unblock'
    if request.customer != booking.customer and not house:
        raise Refused('not_owner')
    reason = REFUSES[request.op].get(booking.state)
    if reason:
        raise Refused(reason)
    case.bookings.append(booking)
    return booking


def in_cart(case, *states):
    """The bookings of the named cart in those states, by number; there are some. Of expired ones those that belong to
    what is held now: from the newest to older ones, each that ended later than those so far began. Where nothing is
    held it begins with the newest that expired."""
    cart = case.resource.cart(case.request)
    found, began = [], None
    for booking in (cart[number] for number in sorted(cart, reverse=True)):
        earlier = began is not None and booking.state == 'expired' and booking.expires <= began
        if booking.state in states and not earlier:
            found.insert(0, booking)
            began = booking.created if began is None else min(began, booking.created)
    if not found:
        raise Refused('unknown_booking')
    if sum(len(line.units) for booking in found for line in booking.lines) > CART_UNITS_MAX:
        raise Refused('limit_exceeded')
    case.bookings += found
    return found


# ---- giving back --------------------------------------------------------------------------------------------
def give_back(resource, booking, state, **more):
    """Ends a booking; returns the answer's body."""
    lines = [] if booking.state == 'expired' else booking.lines  # its units went back then
    body = about(booking, outcome=state, **returning(lines), **more)
    if not lines:  # it has nothing yet, or any more, that could have a price
        del body['total']
    resource.change(booking, state=state, wants=None)
    return body


def _why(request):
    """Whoever ends a booking may say why, and the answer says it."""
    return {'detail': request.note or None}


def _end(case, state, *needed):
    if case.request.booking is not None:
        booking = find(case)
        case.must_fit(about(booking, **returning(booking.lines)))
        return give_back(case.resource, booking, state, **_why(case.request))
    bookings = in_cart(case, *needed)
    had = [booking for booking in bookings if booking.state != 'expired']
    body = case.must_fit({'outcome': state, **_why(case.request), **of_cart(case.request, had, 'returned', case.resource)})
    for booking in bookings:
        case.resource.change(booking, state=state)
    return body


def release(case):
    return _end(case, 'released', 'held', 'expired')


def cancel(case):
    return _end(case, 'cancelled', 'confirmed')


def unblock(case):
    return give_back(case.resource, find(case), 'released', **_why(case.request))


def leave(case):
    return give_back(case.resource, find(case), 'left', **_why(case.request))


# ---- extend, transfer ---------------------------------------------------------------------------------------
def extend(case):
    request = case.request
    if request.booking is not None:
        booking = find(case)
        case.partition.expire_at(booking, case.extended(booking, request.ttl_s))
        return about(booking, outcome='extended', expires_at=instant_or_none(booking.expires))
    bookings = in_cart(case, 'held', 'expired')
    if any(booking.state == 'expired' for booking in bookings):
        raise Refused('hold_expired')
    for booking in bookings:  # to name the cart gives each its own time too
        case.partition.expire_at(booking, case.extended(booking, max(request.ttl_s, booking.ttl_s)))
    body = {'outcome': 'extended', **of_cart(request, bookings, None, case.resource)}
    return {**body, 'expires_at': instant_or_none(min(booking.expires for booking in bookings))}


def transfer(case):
    request, booking = case.request, find(case)
    if request.items:
        part, rest = picking.pick(booking.lines, request.items)
        if rest:
            return _split(case, booking, part, rest)
    if request.to_customer != booking.customer:
        if terms.exceeded_by(case.resource, booking.lines, request.to_customer, holds=booking.state == 'held'):
            raise Refused('limit_exceeded')
        # Whoever had it within one batch only was never stored; batches are told apart by their clock.
        since = case.resource.owned_since.get(booking.id, booking.created)
        case.resource.former_owners[booking.id, booking.customer] = since != case.now
        case.resource.owned_since[booking.id] = case.now
        case.resource.change(booking, customer=request.to_customer, cart=None)
    return about(booking, outcome='transferred', expires_at=instant_or_none(booking.expires))


def _split(case, booking, lines, rest):
    """Some units become a booking of their own, with the id of the request, in no cart; all else is as it was. It is one
    more hold of its owner, also of one that has the units already."""
    request, resource, part = case.request, case.resource, Booking()
    added = lines if request.to_customer != booking.customer else []
    if terms.exceeded_by(resource, added, request.to_customer, holds=booking.state == 'held'):
        raise Refused('limit_exceeded')
    for name in Booking.__slots__:
        setattr(part, name, getattr(booking, name))
    part.id, part.number, part.op, part.client = request.request_id, case.seq, request.op, request.client
    part.customer, part.cart, part.lines = request.to_customer, None, lines
    part.total = sum(line.total() for line in lines)
    body = case.must_fit(about(
        part, outcome='transferred', payment=part.payment, expires_at=instant_or_none(part.expires),
        units=[{**line.shown(), 'booking': booking.id} for line in lines]))
    resource.change(booking, lines=rest, total=booking.total - part.total)
    resource.add(part)
    resource.owned_since[part.id] = case.now
    case.partition.watch(part)
    case.bookings.insert(0, part)  # which it made
    return body


def restart(case, body=None):
    """An accepted request that names a cart and its customer restarts the time of the cart's holds; a probe only looks."""
    request = case.request
    if request.cart is None or request.customer is None or request.op == 'probe':
        return
    for booking in case.resource.cart(request).values():
        if booking.state == 'held':
            case.partition.expire_at(booking, case.extended(booking, booking.ttl_s))
    named = case.resource.bookings.get(body['booking']) if request.booking and body and 'booking' in body else None
    if named is not None and named.state == 'held':
        body['expires_at'] = instant_or_none(named.expires)
