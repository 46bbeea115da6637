"""How the units of each item are chosen, and what is said where an item falls short."""

PRECEDENCE = ('not_in_booking', 'unknown_pool', 'unknown_seat', 'unknown_rate', 'unit_taken', 'not_enough',
              'not_together')


class Choice:
    """What an item gets: (pool, unit) in order; `short`: why not more, with what is in the way; `together`: of seats
    that were left to usher, whether they are in one piece."""

    def __init__(self, units=(), short=None, together=None):
        self.units, self.short, self.together = list(units), short, together


class Plan:
    """What a whole request gets. `short`: the items that got less than they asked for."""

    def __init__(self):
        self.lines, self.short, self.together = [], [], None

    def reason(self):
        return min((line['reason'] for line in self.short), key=PRECEDENCE.index, default=None)


def plan(draft, items, partial):
    """Each item sees what earlier ones took. Not `partial`: an item gets all or nothing."""
    whole = Plan()
    for index, item in enumerate(items):
        choice = _CHOOSE[item.kind](draft, item, partial)
        if choice.short:
            given = len(choice.units) // (item.end - item.start if item.kind == 'room' else 1)
            whole.short.append({'item': index, 'asked': item.quantity, 'given': given, **choice.short})
        for pool, unit in choice.units:
            draft.take(pool, [unit])
        whole.lines += draft.lines(index, item, choice.units)
        if choice.units and choice.together is not None:
            whole.together = choice.together and whole.together is not False
    return whole


# ---- named seats --------------------------------------------------------------------------------------------
def _allowed(draft, found):
    """Those of the (pool, unit) that quotas allow: section by section in the order in which they first come."""
    if not draft.resource.quotas:
        return found
    order = list(dict.fromkeys(pool for pool, _unit in found))
    trial, allowed = draft.copy(), []
    for pool, unit in sorted(found, key=lambda one: order.index(one[0])):
        if trial.quota_left(pool) != 0:
            trial.take(pool, [unit])
            allowed.append((pool, unit))
    return allowed


def _choose_seats(draft, item, partial):
    outside, unknown, unpriced, taken, good = [], [], [], [], []
    for seat in item.seats:
        pool, unit = draft.resource.seat(seat)
        if draft.block is not None and (pool is None or not draft.offers(pool, unit)):
            outside.append(seat)
        elif pool is None:
            unknown.append(seat)
        elif draft.price(pool, item) is None:
            unpriced.append(seat)
        elif not draft.is_free(pool, unit):
            taken.append(seat)
        else:
            good.append((pool, unit))
    allowed = _allowed(draft, good)
    short = None
    for reason, seats in (('not_in_booking', outside), ('unknown_seat', unknown), ('unknown_rate', unpriced),
                          ('unit_taken', taken)):
        if seats:
            short = {'reason': reason} if reason == 'unknown_rate' else {'reason': reason, 'taken': seats}
            break
    if short is None and len(allowed) < len(good):
        short = {'reason': 'not_enough', 'free': len(allowed)}
    # A name that is unknown is a mistake, not a shortage.
    mistaken = short and short['reason'].startswith('unknown')
    return Choice(allowed if not short or partial and not mistaken else (), short)


# ---- a quantity ---------------------------------------------------------------------------------------------
def _had(draft, pool, item, quantity):
    """(units, in one piece?, leaves an orphan?) or None."""
    if draft.available(pool, item) < quantity:
        return None
    if pool.rows:
        return draft.seats(pool, item, quantity, item.together)
    return draft.lowest(pool, quantity, item), True, False


def _best(draft, pools, item):
    """(pool, units, in one piece?) of the section that serves the whole item best, or None."""
    found = [(pool, _had(draft, pool, item, item.quantity)) for pool in pools]
    found = [(pool, *had) for pool, had in found if had]
    for good in (lambda piece, orphan: piece and not orphan, lambda piece, orphan: piece,
                 lambda piece, orphan: True):
        for pool, units, piece, orphan in found:
            if good(piece, orphan):
                return pool, units, piece
    return None


def _most(draft, pools, item):
    """As _best, of the section that gives the most, if any gives something."""
    most = []
    for pool in pools:
        count = draft.available(pool, item)
        if pool.rows and item.together:
            count = min(count, draft.hall(pool, item).longest())
        most.append(count)
    best = most.index(max(most))
    had = most[best] and _had(draft, pools[best], item, most[best])
    return (pools[best], *had[:2]) if had else None


def _choose_counted(draft, item, partial):
    pools = [draft.resource.named.get(name) for name in item.sections or [item.pool]]
    if draft.block is not None:
        pools = [pool for pool in pools if pool is not None and pool.kind == item.kind and pool.capacity]
        if not pools:
            return Choice(short={'reason': 'not_enough', 'free': 0})
    if any(pool is None or pool.kind != item.kind or pool.capacity == 0 for pool in pools):
        return Choice(short={'reason': 'unknown_pool'})
    if any(draft.price(pool, item) is None for pool in pools):
        return Choice(short={'reason': 'unknown_rate'})
    found, short = _best(draft, pools, item), None
    if not found:
        free = max(draft.available(pool, item) for pool in pools)
        short = {'reason': 'not_together' if free >= item.quantity else 'not_enough', 'free': free}
        found = _most(draft, pools, item) if partial else None
    if not found:
        return Choice(short=short)
    pool, units, piece = found
    chosen = pool.rows and (draft.block is None or item.together)
    return Choice([(pool, unit) for unit in units], short, piece if chosen else None)


# ---- nights -------------------------------------------------------------------------------------------------
def _choose_room(draft, item, partial):
    nights, names = draft.resource.rooms.get(item.pool, {}), item.nights()
    missing = [night for night in names if night not in nights or nights[night].capacity == 0]
    if missing and draft.block is not None:
        full = [night for night in names if night in missing or draft.available(nights[night], item) < item.quantity]
        return Choice(short={'reason': 'not_enough', 'free': 0, 'taken': full})
    if missing:
        return Choice(short={'reason': 'unknown_pool', 'taken': missing})
    if any(draft.price(nights[night], item) is None for night in names):
        return Choice(short={'reason': 'unknown_rate'})
    free = {night: draft.available(nights[night], item) for night in names}
    full = [night for night in names if free[night] < item.quantity]
    short, quantity = None, item.quantity
    if full:
        short = {'reason': 'not_enough', 'free': min(free.values()), 'taken': full}
        quantity = min(free.values()) if partial else 0
    return Choice([(nights[night], unit) for night in names
                   for unit in draft.lowest(nights[night], quantity, item)], short)


_CHOOSE = {'seats': _choose_seats, 'section': _choose_counted, 'product': _choose_counted, 'room': _choose_room}
