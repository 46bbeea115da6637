"""exchange: a booking gets another content in one step; what it has counts as free meanwhile."""

from . import changing, choosing, taking, terms
from .drafts import Draft
from .outcomes import Refused, about, having, instant_or_none, overbooked, returning


def exchange(case):
    request, resource = case.request, case.resource
    booking = changing.find(case)
    taking.must_not_be_over(case, had=lambda room, night: sum(
        len(line.units) for line in booking.lines
        if (line.pool.kind, line.pool.name, line.pool.night) == ('room', room, night)))
    if terms.exceeded(resource, 'exchange', request.items, booking.customer, beside=booking):
        raise Refused('limit_exceeded')
    plan = choosing.plan(Draft(resource, case.seq, own=booking), request.items, partial=False)
    if plan.short:
        raise Refused(plan.reason(), **choosing.refusal(plan))
    old, total = booking.total, sum(line.total() for line in plan.lines)
    kept = {(line.pool, unit) for line in plan.lines for unit in line.units}
    returned = [line.part(units) for line in booking.lines
                if (units := [unit for unit in line.units if (line.pool, unit) not in kept])]
    body = case.must_fit(about(
        booking, outcome='exchanged', difference=total - old, together=plan.together, payment=booking.payment,
        expires_at=instant_or_none(booking.expires), **having(plan.lines), **returning(returned)))
    resource.change(booking, lines=plan.lines, total=total)
    return {**body, 'total': total, 'overbooked': overbooked(plan.lines)}
