"""exchange: a booking gets another content in one step; what it has counts as free meanwhile, and what a hold of the
customer has, which ends with it."""

from . import changing, choosing, taking, terms
from .drafts import Draft
from .outcomes import Refused, about, having, instant_or_none, overbooked


def exchange(case):
    request, resource = case.request, case.resource
    booking = changing.find(case)
    own, sold = [booking, *_hold(case, booking)], booking.state != 'blocked'
    if sold:  # the house blocks what it likes
        taking.must_be_on_sale(case, own)
        over = terms.exceeded(resource, 'exchange', request.items, booking.customer, beside=own)
        if over:
            raise Refused('limit_exceeded', **terms.refusal(resource, request, over))
    draft = Draft(resource, case.seq, own=own, sold=sold, restricted=not request.force, at=case.at)
    plan = choosing.plan(draft, request.items, partial=False, overbook=request.overbook)
    line = None if plan.short else draft.exceeds_rate(plan.lines)
    if line:  # an earlier item took what it keeps
        plan.short.append({'item': line.item, 'asked': request.items[line.item].quantity, 'given': 0, 'reason': 'not_enough',
                           'free': 0, 'rate': line.rate or 'standard'})
    if plan.short:
        own_hold = terms.own_hold_of(resource, request, plan.short) if plan.reason() in taking.WAITABLE else None
        raise Refused(plan.reason(), own_hold=own_hold, **choosing.refusal(plan))
    old, total = booking.total, sum(line.total() for line in plan.lines)
    if not resource.has_room_for(total - sum(one.total for one in own)):
        raise Refused('limit_exceeded')
    kept = {(line.pool, unit) for line in plan.lines for unit in line.units}
    returned = [(one, line.part(units)) for one in own for line in one.lines
                if (units := [unit for unit in line.units if (line.pool, unit) not in kept])]
    gone = [{**line.shown(), **({} if one is booking else {'booking': one.id})} for one, line in returned]
    body = case.must_fit(about(
        booking, outcome='exchanged', difference=total - old, together=plan.together, payment=booking.payment,
        expires_at=instant_or_none(booking.expires), **having(plan.lines, plan.of_items),
        **({'returned': gone} if gone else {})))
    for hold in own[1:]:  # first: a unit is one booking's
        resource.change(hold, state='released')
        case.bookings.append(hold)
    resource.change(booking, lines=plan.lines, total=total)
    return {**body, 'total': total, 'overbooked': overbooked(plan.lines)}


def _hold(case, booking):
    """The hold that goes into the booking, if one is named."""
    if case.request.from_hold is None:
        return []
    hold = case.resource.bookings.get(case.request.from_hold)
    if hold is None:
        raise Refused('unknown_booking')
    if hold.customer != booking.customer or hold.customer is None:  # a block is nobody's
        raise Refused('not_owner')
    reason = changing.REFUSES['extend'].get(hold.state)
    if reason:
        raise Refused(reason)
    return [hold]
