"""Stay restrictions: which rule on the dates of a room type forbids a stay, at its rate, and what would be allowed."""

import datetime

YEAR = 366  # dates that are looked at for one that would do


def _standing(pool, rate):
    """The rules of a date for a rate: those of all rates and its own, whichever is stricter. Without a name it is `standard`,
    else the first."""
    if pool is None:
        return {}
    names = [name for name, _price in pool.rates or [('standard', 0)]]
    rate = rate or ('standard' if 'standard' in names else names[0])
    rules = [pool.rules.get(None, {}), pool.rules.get(rate, {})]
    found = {}
    for rule in ('min_stay_arrival', 'min_stay_through'):
        found[rule] = max(one.get(rule, 0) for one in rules)
    found['max_stay'] = min((one['max_stay'] for one in rules if 'max_stay' in one), default=0)
    for rule in ('closed_to_arrival', 'closed_to_departure', 'stop_sell'):
        found[rule] = any(one.get(rule) for one in rules)
    return found


def _after(date, days=1):
    return (datetime.date.fromisoformat(date) + datetime.timedelta(days=days)).isoformat()


def _closed(nights, at, date, rule):
    if not _standing(nights.get(date), at).get(rule):
        return None
    open_ones = (day for days in range(1, YEAR + 1) for day in [_after(date, days)]
                 if day in nights and nights[day].capacity and not _standing(nights[day], at)[rule])
    found = next(open_ones, None)
    return {'rule': rule, 'date': date, **({'next': found} if found else {})}


def forbidden_at(nights, item, at):
    """The first rule that forbids the stay of an item if it is sold at a rate, and what would do; None: it may be had.
    `nights`: pools by date."""
    stay = item.nights()
    arrival, departure, length = stay[0], _after(stay[-1]), len(stay)
    closed = [('stop_sell', night) for night in stay]
    closed += [('closed_to_arrival', arrival), ('closed_to_departure', departure)]
    for rule, date in closed:
        found = _closed(nights, at, date, rule)
        if found:
            return found
    rules = _standing(nights.get(arrival), at)
    lengths = [('min_stay_arrival', arrival, rules['min_stay_arrival'] > length),
               ('max_stay', arrival, 0 < rules['max_stay'] < length)] if rules else []
    for night in stay:
        lengths.append(('min_stay_through', night, _standing(nights.get(night), at).get('min_stay_through', 0) > length))
    for rule, date, broken in lengths:
        if broken:
            return {'rule': rule, 'date': date, 'nights': _standing(nights[date], at)[rule]}
    return None


def forbidden(nights, item):
    """The same by the rate that the item names; without one by any that it may have: None if one of them allows it."""
    found = forbidden_at(nights, item, item.rate)
    if item.rate is None and item.nights()[0] in nights:
        others = nights[item.nights()[0]].offered(None)[1:]
        if not all(forbidden_at(nights, item, rate) for rate in others):
            return None
    return found


def forbidden_by_lines(nights, item, lines):
    """What forbids the stay of an item without a rate by one of those at which it was sold."""
    for rate in dict.fromkeys(line.rate or 'standard' for line in lines):
        found = forbidden_at(nights, item, rate)
        if found:
            return found
    return None


def contradict(rules):
    """Whether no stay that arrives could meet the rules of a date: those of all rates, or of a rate beside them."""
    every = rules.get(None, {})
    for own in [every, *(one for rate, one in rules.items() if rate is not None)]:
        least = max(one.get(rule, 0) for one in (every, own) for rule in ('min_stay_arrival', 'min_stay_through'))
        most = min((one['max_stay'] for one in (every, own) if 'max_stay' in one), default=least)
        if least > most:
            return True
    return False


def listed(rules):
    """As the table has them: those of all rates, then by rate."""
    return [{**({} if rate is None else {'rate': rate}), **rules[rate]} for rate in sorted(rules, key=lambda rate: rate or '')]
