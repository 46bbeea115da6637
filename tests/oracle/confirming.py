"""confirm: of a booking, of a part of it, of a cart; after expiry too, where what it had is still free."""

from . import changing, choosing, picking, terms
from .drafts import Draft
from .outcomes import Refused, about, having, of_cart, overbooked, returning


def confirm(case):
    request, resource = case.request, case.resource
    if request.booking is None:
        return _cart(case)
    booking = changing.find(case)
    lines, rest = picking.pick(booking.lines, request.items) if request.items else (booking.lines, [])
    if booking.state == 'expired':
        lines, rest = _again_all(case, {booking: lines})[booking], []
    payment, total = request.payment or booking.payment, sum(line.total() for line in lines)
    body = case.must_fit(about(booking, outcome='confirmed', payment=payment, **having(lines), **returning(rest)))
    _sell(resource, booking, lines, payment)
    return {**body, 'total': total, 'overbooked': overbooked(lines)}


def _sell(resource, booking, lines, payment):
    resource.change(booking, state='confirmed', lines=lines, expires=None, payment=payment,
                    total=sum(line.total() for line in lines))


# ---- late ---------------------------------------------------------------------------------------------------
def _again_all(case, wanted):
    """What expired bookings get now instead of those lines: booking → lines, all or nothing; or Refused."""
    draft, taken, short = Draft(case.resource, case.seq, beyond=bool(case.request.overbook)), {}, []
    for booking, lines in wanted.items():
        _must_not_be_over(case, lines)
        taken[booking], stale = [], _stale(booking)
        for item in dict.fromkeys(line.item for line in lines):
            of_item = [line for line in lines if line.item == item]
            again = _again_item(draft, of_item, stale)
            if again is None:
                short.append(_shortfall(draft, item, of_item, stale))
            taken[booking] += again or []
        if short:  # that one says what is in the way
            raise Refused('hold_expired', items=short)
    late = [line for lines in taken.values() for line in lines]
    if late and terms.exceeded_by(case.resource, late, case.request.customer, holds=False):
        raise Refused('limit_exceeded')
    if not case.resource.has_room_for(sum(line.total() for line in late)):
        raise Refused('limit_exceeded')
    return taken


def _must_not_be_over(case, lines):
    if case.resource.is_over(case.at):
        raise Refused('hold_expired')
    today, short = case.resource.today(case.at), {}
    for line in lines:
        if line.pool.kind == 'room' and today and line.pool.night < today:
            item = short.setdefault(line.item, {'item': line.item, 'asked': len(line.units), 'given': 0,
                                                'reason': 'not_on_sale', 'taken': []})
            item['taken'].append(line.pool.night)
    if short:
        raise Refused('hold_expired', items=list(short.values()))


class _Any:
    """An item that takes whatever is there."""
    features = avoid = ()

    @staticmethod
    def needs():
        return False


def _stale(booking):
    """The (pool, unit) that are not what they were when the booking got them. The record keeps no names, so of a line
    whose seats are not all where they were, none is known again, though its name may be there."""
    return {(line.pool, unit) for line in booking.lines if not line.is_current() for unit in line.units}


def _is_stale(line, stale):
    return any((line.pool, unit) in stale for unit in line.units)


def _again(draft, line, stale):
    """The units that the line gets now: the very same seats, or as many of the other pools; or None."""
    if _is_stale(line, stale) or draft.available(line.pool, _Any) < len(line.units):
        return None
    if line.seats is None:
        return draft.lowest(line.pool, len(line.units), _Any)
    return line.units if all(draft.is_free(line.pool, unit) for unit in line.units) else None


def _again_item(draft, lines, stale):
    """All of an item again, each line seeing what the earlier ones took; or None."""
    trial, taken = draft.copy(), []
    for line in lines:
        units = _again(trial, line, stale)
        if units is None:
            return None
        trial.take(line.pool, units)
        taken.append(line.anew(units))
    for line in taken:
        draft.take(line.pool, line.units)
    return taken


def _shortfall(draft, item, lines, stale):
    """Why an item of an expired booking cannot be had again."""
    short = {'item': item, 'asked': sum(len(line.units) for line in lines), 'given': 0}
    failing = [line for line in lines if _again(draft, line, stale) is None]
    gone = [seat for line in failing if line.seats is not None and not _is_stale(line, stale)
            for seat, unit in zip(line.seats, line.units) if not draft.is_free(line.pool, unit)]
    if gone or any(line.seats is not None and _is_stale(line, stale) for line in failing):
        return {**short, 'reason': 'unit_taken', **({'taken': gone, **choosing.places_of(draft.resource, gone)} if gone else {})}
    short['reason'] = 'not_enough'
    if failing:  # else there is enough for each of its lines, but not for all
        short['free'] = min(0 if _is_stale(line, stale) else draft.available(line.pool, _Any) for line in failing)
    if lines[0].pool.kind == 'room':
        short.update(asked=len(lines[0].units), taken=[line.pool.night for line in failing])
    return short


# ---- carts --------------------------------------------------------------------------------------------------
def _cart(case):
    request, resource = case.request, case.resource
    life = changing.in_cart(case, 'held', 'expired')
    again = _again_all(case, {booking: booking.lines for booking in life if booking.state == 'expired'})
    lines = {booking: again.get(booking, booking.lines) for booking in life}
    body = case.must_fit({
        'outcome': 'confirmed', 'payment': request.payment or life[0].payment, **of_cart(request, life, None, resource),
        'units': [{**line.shown(), 'booking': booking.id} for booking in life for line in lines[booking]]})
    for booking in life:
        _sell(resource, booking, lines[booking], request.payment or booking.payment)
    return {**body, 'overbooked': overbooked([line for booking in life for line in lines[booking]])}
