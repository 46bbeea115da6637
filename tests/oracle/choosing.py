"""How the units of each item are chosen, and what is said where an item falls short."""

from . import staying

PRECEDENCE = ('not_in_booking', 'unknown_pool', 'unknown_seat', 'unknown_rate', 'unknown_feature', 'restricted', 'unit_taken',
              'not_enough', 'not_together')
KNOWN_MAX = 20  # names told where one is unknown


class Choice:
    """What an item gets: (pool, unit) in order; `short`: why not more, with what is in the way; `together`: of seats
    that were left to usher, whether they are in one piece. `can_never_fit`: no units that come back would do."""

    def __init__(self, units=(), short=None, together=None, can_never_fit=False):
        self.units, self.short, self.together, self.can_never_fit = list(units), short, together, can_never_fit


class Plan:
    """What a whole request gets. `short`: the items that got less than they asked for."""

    def __init__(self):
        self.lines, self.short, self.together, self.can_never_fit = [], [], None, False
        self.of_items = {}  # the same as `together`, of each of several items

    def reason(self):
        return min((line['reason'] for line in self.short), key=PRECEDENCE.index, default=None)


def _beyond(draft, item):
    """What the item gets if it may have more than is left; None: it does not get all even so."""
    draft.beyond = True
    choice = _CHOOSE[item.kind](draft, item, False)
    draft.beyond = False
    return None if choice.short else choice


def plan(draft, items, partial, overbook=False):
    """Each item sees what earlier ones took. Not `partial`: an item gets all or nothing. `overbook`: one for which too
    little is left goes beyond that, unless it is of seats."""
    whole = Plan()
    for index, item in enumerate(items):
        choice = _CHOOSE[item.kind](draft, item, partial)
        if overbook and choice.short and item.kind != 'seats':
            choice = _beyond(draft, item) or choice
        choice = _within_rules(draft, index, item, choice)
        whole.can_never_fit = whole.can_never_fit or choice.can_never_fit
        if choice.short:
            given = len(choice.units) // (item.end - item.start if item.kind == 'room' else 1)
            whole.short.append({'item': index, 'asked': item.quantity, 'given': given, **choice.short})
        for pool, unit in choice.units:
            draft.take(pool, [unit])
        whole.lines += (draft.lines_of_members if item.members and choice.units else draft.lines)(index, item, choice.units)
        if choice.units and choice.together is not None:
            whole.together = choice.together and whole.together is not False
            if len(items) > 1:
                whole.of_items[index] = choice.together
    return whole


def _within_rules(draft, index, item, choice):
    """What an item gets, or nothing: rules of a rate at which it would be sold, without having named it, forbid the stay."""
    if not (draft.restricted and item.kind == 'room' and item.rate is None and choice.units):
        return choice
    nights = draft.resource.rooms[item.pool]
    found = staying.forbidden_by_lines(nights, item, draft.copy().lines(index, item, choice.units))
    return Choice(short={'reason': 'restricted', 'restricted': found}, can_never_fit=choice.can_never_fit) if found else choice


def refusal(plan, partial=False):
    """What is said where a plan is given up: nobody is given a part. It helps to ask again, unless it is can_never_fit; of
    what comes back a part may be given."""
    again = {'retryable': False} if plan.can_never_fit and not partial and plan.reason() in ('not_enough', 'not_together') else {}
    return {'items': [{**line, 'given': 0} for line in plan.short], **again}


# ---- names that are wrong -----------------------------------------------------------------------------------
def _wrong(reason, name, known):
    """Why an item is refused, with the name that is unknown and those that there are."""
    known = list(dict.fromkeys(known))[:KNOWN_MAX]
    return {'reason': reason, 'unknown': name, **({'known': known} if known else {})}


def unknown_pool(resource, kind, name):
    if kind == 'room':
        known = [room for room, nights in resource.rooms.items() if any(pool.capacity for pool in nights.values())]
    else:
        known = [pool.name for pool in resource.named.values() if pool.kind == kind and pool.capacity]
    return _wrong('unknown_pool', name, known)


def _unknown_rate(pool, rate):
    return _wrong('unknown_rate', rate, [name for name, _price in pool.rates] if pool.rates else ['standard'])


def _unknown_feature(pools, item):
    """Why, where no seat of these pools has one of the features; else None."""
    known = [name for pool in pools for row in pool.rows or () for name, places in row.features if places]
    wanted = [name for part in item.parts() for name in part.features]
    missing = [name for name in wanted if name not in known] if pools else []
    return _wrong('unknown_feature', missing[0], known) if missing else None


def places_of(resource, names):
    """Where seats are, for people, if one has a number for them."""
    found = [resource.seat(name) for name in names]
    return {'places': [pool.called[unit] for pool, unit in found]} if any(pool.has_numbers for pool, _unit in found) else {}


# ---- named seats --------------------------------------------------------------------------------------------
def _allowed(draft, item, found):
    """(those of the (pool, unit) that quotas and rates allow, what is said of the first that does not): section by section
    in the order in which they first come."""
    if not draft.resource.all_quotas:
        return found, None
    order = list(dict.fromkeys(pool for pool, _unit in found))
    trial, allowed, short = draft.copy(), [], None
    for pool in order:
        wanted, units = [unit for one, unit in found if one is pool], []
        for unit in wanted:
            if trial.quota_left(pool) != 0:
                trial.take(pool, [unit])
                units.append(unit)
        if len(units) < len(wanted) and short is None:
            short = {}
        trial.taken.get(pool, set()).difference_update(units)
        count = trial.allows(pool, item, units, len(units))
        if count < len(units) and short is None:
            short = {'rate': trial.rate_room(pool, item, len(units))[0], 'pool': pool}
        trial.take(pool, units[:count])
        trial.lines(0, item, [(pool, unit) for unit in units[:count]])
        allowed += [(pool, unit) for unit in units[:count]]
    return allowed, short


def _choose_seats(draft, item, partial):
    outside, unknown, unpriced, taken, good = [], [], [], [], []
    for seat in item.seats:
        pool, unit = draft.resource.seat(seat)
        if draft.block is not None and (pool is None or not draft.offers(pool, unit)):
            outside.append(seat)
        elif pool is None:
            unknown.append(seat)
        elif draft.price(pool, item) is None:
            unpriced.append(pool)
        elif not draft.is_free(pool, unit):
            taken.append(seat)
        else:
            good.append((pool, unit))
    allowed, limited = _allowed(draft, item, good)
    short, over = None, False
    for reason, seats in (('not_in_booking', outside), ('unknown_seat', unknown), ('unknown_rate', unpriced),
                          ('unit_taken', taken)):
        if seats:
            short = {'reason': reason, 'taken': seats} if seats is not unpriced else _unknown_rate(seats[0], item.rate)
            if seats is taken:
                short.update(places_of(draft.resource, taken))
            break
    if short is None and len(allowed) < len(good):
        short = {'reason': 'not_enough', 'free': len(allowed), **({'rate': limited['rate']} if limited else {})}
        over = bool(limited) and not partial and draft.rates_are_over(limited['pool'], item)
    # A name that is unknown is a mistake, not a shortage.
    mistaken = short and short['reason'].startswith('unknown')
    return Choice(allowed if not short or partial and not mistaken else (), short, can_never_fit=over)


# ---- a quantity ---------------------------------------------------------------------------------------------
def _had(draft, pool, item, quantity):
    """(units, in one piece?, leaves an orphan?) or None."""
    found = _there(draft, pool, item, quantity)
    return found if found and draft.allows(pool, item, found[0], quantity) >= quantity else None


def _there(draft, pool, item, quantity):
    """The same, whatever the rates leave."""
    if draft.available(pool, item) < quantity:
        return None
    if pool.rows and item.needs():
        return draft.party(pool, item)
    if pool.rows:
        return draft.seats(pool, item, quantity, item.together)
    trial, units = draft.copy(), []
    for part in item.parts() if item.members else ():
        units += trial.lowest(pool, part.quantity, part)
        trial.take(pool, units)
    return units or draft.lowest(pool, quantity, item), True, False


def _free(draft, pool, item):
    """(how many units the item could have, the rate that leaves so few or None)."""
    free, found = draft.available(pool, item), _there(draft, pool, item, item.quantity)
    allowed = draft.allows(pool, item, found and found[0], item.quantity)
    if allowed >= item.quantity or allowed >= free:
        return free, None
    return allowed, draft.short_rate(pool, item)


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
        count = min(_free(draft, pool, item)[0], item.quantity)
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
    for name, pool in zip(item.sections or [item.pool], pools):
        if pool is None or pool.kind != item.kind or pool.capacity == 0:
            return Choice(short=unknown_pool(draft.resource, item.kind, name))
    for pool in pools:
        for part in item.parts():
            if draft.price(pool, part) is None:
                return Choice(short=_unknown_rate(pool, part.rate))
    found, short, can_never_fit = _best(draft, pools, item), None, False
    if not found:
        wrong = _unknown_feature(pools, item)
        if wrong:
            return Choice(short=wrong)
        free, rate = max((_free(draft, pool, item) for pool in pools), key=lambda one: one[0])
        short = {'reason': 'not_together' if free >= item.quantity else 'not_enough', 'free': free}
        short.update({'rate': rate} if rate and free < item.quantity else {})
        can_never_fit = bool(item.together) and all(
            pool.rows and max(span.seats for span in pool.spans) < item.quantity for pool in pools)
        can_never_fit = can_never_fit or not partial and all(pool.capacity < item.quantity for pool in pools)
        can_never_fit = can_never_fit or not partial and all(draft.rates_are_over(pool, item) for pool in pools)
        found = _most(draft, pools, item) if partial and not item.members else None
    if not found:
        return Choice(short=short, can_never_fit=can_never_fit)
    pool, units, piece = found
    chosen = pool.rows and (draft.block is None or item.together)
    return Choice([(pool, unit) for unit in units], short, piece if chosen else None, can_never_fit)


# ---- nights -------------------------------------------------------------------------------------------------
def _rooms_at_rates(draft, pool, item):
    """How many rooms of a night its rates allow; a rate that it does not have limits nothing."""
    return draft.allows(pool, item, None, item.quantity) if pool.offered(item.rate) else item.quantity


def _short_of_rooms(draft, item, stay):
    """(which nights have too few rooms, or None; whether they have no rate any more). `stay`: date → pool, None: none is on
    sale."""
    there = {night: pool and draft.available(pool, item) or 0 for night, pool in stay.items()}
    allowed = {night: pool and _rooms_at_rates(draft, pool, item) or 0 for night, pool in stay.items()}
    free = {night: min(there[night], allowed[night]) for night in stay}
    full = [night for night in stay if free[night] < item.quantity]
    if not full:
        return None, False
    short, tight = {'reason': 'not_enough', 'free': min(free.values()), 'taken': full}, min(stay, key=free.get)
    by_rate = allowed[tight] < there[tight]
    if by_rate:
        short['rate'] = draft.rate_room(stay[tight], item, item.quantity)[0]
    return short, by_rate and draft.rates_are_over(stay[tight], item)


def _choose_room(draft, item, partial):
    nights, names = draft.resource.rooms.get(item.pool, {}), item.nights()
    missing = [night for night in names if night not in nights or nights[night].capacity == 0]
    unsold = not any(pool.capacity for pool in nights.values())
    beyond = not partial and any(nights[night].capacity < item.quantity for night in names if night not in missing)
    if missing and draft.block is not None:
        short, over = _short_of_rooms(draft, item, {night: None if night in missing else nights[night] for night in names})
        return Choice(short=short, can_never_fit=not partial and (beyond or over))
    if missing:
        return Choice(short=unknown_pool(draft.resource, 'room', item.pool) if unsold
                      else {'reason': 'unknown_pool', 'taken': missing})
    for night in names:
        if draft.price(nights[night], item) is None:
            return Choice(short=_unknown_rate(nights[night], item.rate))
    forbidden = draft.restricted and staying.forbidden(nights, item)
    if forbidden:
        return Choice(short={'reason': 'restricted', 'restricted': forbidden})
    short, over = _short_of_rooms(draft, item, {night: nights[night] for night in names})
    quantity = item.quantity
    if short:
        beyond = beyond or not partial and over
        quantity = short['free'] if partial else 0
    return Choice([(nights[night], unit) for night in names
                   for unit in draft.lowest(nights[night], quantity, item)], short, can_never_fit=bool(short) and beyond)


_CHOOSE = {'seats': _choose_seats, 'section': _choose_counted, 'product': _choose_counted, 'room': _choose_room}
