"""Decisions without a request: times that pass, the waiting list, the cancelling of a whole resource. Each makes one
decision, of which the rules say what it must be, and whether it may come now."""

from . import changing, choosing, possible, terms
from .drafts import Draft
from .inventory import TIMED
from .outcomes import Decision, Given, about, having, instant_or_none, overbooked

CANCELLED = {'held': 'released', 'confirmed': 'cancelled', 'waiting': 'left'}
ENDS = {'held': ('expired', 'expiry'), 'waiting': ('left', 'expiry'), 'blocked': ('released', 'block_returned')}


def decision_about(booking, body):
    decision = Decision()
    decision.request_id, decision.op, decision.resource = booking.id, booking.op, booking.resource.id
    decision.client, decision.offset, decision.key = booking.client, None, booking.resource.id.encode()
    decision.first = decision.replayed = False
    decision.bookings = [booking.number]
    decision.body = body
    return decision


def is_timed(booking, expires):
    """Whether a time that was noted for a booking is still the one at which it ends."""
    return booking.state in TIMED and booking.expires == expires


def end_by_time(booking):
    """A hold expires, a party leaves, a block returns."""
    state, cause = ENDS[booking.state]
    over = booking.resource.why_over(booking.wants.items, booking.expires) if booking.state == 'waiting' else None
    more = {'detail': f'not_on_sale: {over}'} if over else {}
    return decision_about(booking, changing.give_back(booking.resource, booking, state, unasked=True, cause=cause, **more))


# ---- the waiting list ---------------------------------------------------------------------------------------
def fits(party, seed, now):
    """The plan that serves a whole party, or why not: 'limited', 'short'."""
    resource, wants = party.resource, party.wants
    if terms.exceeded_by_items(resource, wants.items, party.customer, holds=True):
        return 'limited'
    plan = choosing.plan(Draft(resource, seed, at=now), wants.items, partial=False)
    counts = resource.has_room_for(sum(line.total() for line in plan.lines))
    return 'short' if plan.short or not counts else plan


def leaves_choice(resource, item):
    """Whether usher chooses the seats, or the section."""
    return len(item.sections or ()) > 1 or any(
        pool is not None and bool(pool.rows) for pool in map(resource.named.get, item.sections or [item.pool])
        if item.kind == 'section')


def by_chance(party):
    """
    Whether a party may fit at one decision that did not at an earlier one, though no units came back between the two. It
    wants several items: what is chosen for the first one decides what is left for the second, and that changes with the
    seq where seats are chosen at random, and with what others take. A worker looks when units come back, between two
    decisions that nobody else knows.
    """
    resource, items = party.resource, party.wants.items
    return len(items) > 1 and (resource.strategy == 'random' or any(leaves_choice(resource, item) for item in items))


def next_party(resource, until, seed, served=None):
    """
    (the oldest party that fits, its plan), or None. Where one is short of units, all that want the same are. Of those
    that fit by chance only `served` counts, the id of the party that was: others were looked at earlier. `until`: the
    log's time; who waits for the opening of the sale waits until then.
    """
    now = resource.served_at()
    if served is None and resource.settled or not resource.on_sale(now) or resource.opens_later(resource.woken) and now > until:
        return None
    short = set()
    for number in sorted(resource.waiting):
        party = resource.waiting[number]
        wish = tuple(item.content() for item in party.wants.items)
        if party.expires <= now or wish in short or party.id != served and by_chance(party):
            continue
        past = any(resource.past_nights(item, now) for item in party.wants.items)
        found = 'short' if past or possible.refusal(resource, party.wants.items) else fits(party, seed, now)
        if found == 'short':
            short.add(wish)
        elif found != 'limited':
            return party, found
    resource.settled = served is None
    return None


def concerned(resource):
    """The oldest party that must be told of a define: it cannot be served any more, or waits until another time; or None."""
    return next((party for _number, party in sorted(resource.waiting.items())
                 if possible.refusal(resource, party.wants.items) or resource.waits_until(party.wants) != party.expires), None)


def tell(party, by, partition):
    """It is told so, and leaves the list, or until when it waits now. `by`: what is over by then is not waited for."""
    resource, wants = party.resource, party.wants
    over = resource.over_at(wants.items)
    reason = possible.refusal(resource, wants.items) or ('not_on_sale' if over is not None and over <= by else None)
    fields = {'unasked': True, 'cause': 'resource_changed'}
    if reason:
        return decision_about(party, changing.give_back(
            resource, party, 'left', detail=f'{reason}: it can no longer be had', **fields))
    partition.expire_at(party, resource.waits_until(wants))
    return decision_about(party, {**about(party, outcome='waiting', detail='the end of its wait was moved', **fields),
                                  'total': None, 'expires_at': instant_or_none(party.expires)})


def serve(party, plan, given: Given, partition):
    """The party has its units now: a hold that begins at this moment."""
    party.resource.change(party, state='held', created=given.now, lines=plan.lines, wants=None,
                          total=sum(line.total() for line in plan.lines))
    ttl_s = terms.hold_ttl_s(party.resource, partition, party.ttl_s, force=False)
    partition.expire_at(party, given.now + ttl_s * 1000)
    return decision_about(party, about(
        party, outcome='held', unasked=True, cause='waiting_list', expires_at=instant_or_none(party.expires),
        together=plan.together, **having(plan.lines, plan.of_items), overbooked=overbooked(plan.lines)))


# ---- a resource that is cancelled ---------------------------------------------------------------------------
def remains_to_cancel(resource):
    return any(resource.count(state) for state in ('held', 'confirmed')) or bool(resource.waiting)


def cancel(booking):
    """Ends a booking of a resource that is being cancelled."""
    more = {'detail': booking.resource.cancelling} if booking.resource.cancelling else {}
    return decision_about(booking, changing.give_back(
        booking.resource, booking, CANCELLED[booking.state], unasked=True, cause='resource_closed', **more))
