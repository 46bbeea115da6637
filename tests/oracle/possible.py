"""Whether a request could be fulfilled if every unit of its resource were free: who wants more waits in vain."""

from collections import Counter

from . import staying, terms
from .drafts import suits
from .parties import Party
from .seating import FREE, ROW_END, TAKEN, Hall


def refusal(resource, items):
    """Why not, by pools, rates, features, limits and quotas as they are; None: it could. What is over is another matter."""
    if not _is_allowed(resource, items):
        return 'limit_exceeded'
    for item in items:
        reason = _of_item(resource, item)
        if reason:
            return reason
    return None if _is_enough(resource, items) else 'not_enough'


def _is_allowed(resource, items):
    """Whether a customer who has nothing may ask for it."""
    limits = resource.limits or {}
    asked = terms.asked_of(resource, items, None)
    most = [limits[name] for name in ('units_per_request', 'units_per_customer') if name in limits]
    return limits.get('units_min', 0) <= asked <= min(most, default=asked) and all(
        terms.asked_of(resource, items, group['pools']) <= group['limit'] for group in limits.get('groups', ()))


def _pools(resource, item):
    """Those that the item names, night by night or seat by seat; None: there is no such one."""
    if item.kind == 'seats':
        return [resource.seat(seat)[0] for seat in item.seats]
    if item.kind == 'room':
        return [resource.rooms.get(item.pool, {}).get(night) for night in item.nights()]
    pools = [resource.named.get(name) for name in item.sections or [item.pool]]
    return [pool if pool is not None and pool.kind == item.kind else None for pool in pools]


def _of_item(resource, item):
    pools = _pools(resource, item)
    for pool in pools:
        if pool is None or not pool.capacity:
            return 'unknown_seat' if item.kind == 'seats' else 'unknown_pool'
        if any(pool.price_by(part.rate) is None for part in item.parts()):
            return 'unknown_rate'
    if item.kind == 'room' and staying.forbidden(resource.rooms[item.pool], item):
        return 'restricted'
    if item.kind in ('seats', 'room'):
        wanted = Counter(pools) if item.kind == 'seats' else dict.fromkeys(pools, item.quantity)
        limits = [(terms.limit_at(resource, pool, item.rate), units) for pool, units in wanted.items()]
        enough = all(limit is None or units <= limit for limit, units in limits)
    else:
        enough = any(_most(resource, pool, item) >= item.quantity for pool in pools)
    return None if enough else 'not_enough'


def _at_rates(resource, pool, item):
    """The most units of a pool by the rates of the item, 0 if a member can never have its own; None: no limit."""
    if not item.members:
        return terms.limit_at(resource, pool, item.rate)
    limits = [(terms.limit_at(resource, pool, part.rate), part.quantity) for part in item.parts()]
    return 0 if any(limit is not None and limit < quantity for limit, quantity in limits) else None


def _most(resource, pool, item):
    """Units of a pool that the item could have: as many as there are, and as the quotas of the pool and its rates allow."""
    at_rate = _at_rates(resource, pool, item)
    return min([_there(pool, item), *(limit for names, limit in resource.quotas.values() if pool.name in names),
                *([] if at_rate is None else [at_rate])])


def _there(pool, item, apart=False):
    """Units of a pool that suit the item; side by side, if they must be and it is not about all of them."""
    together = item.together and not apart
    if not pool.rows:
        return 0 if item.features or item.needs() else pool.capacity
    if item.needs():
        return item.quantity if _could_seat(pool, item) else 0
    runs = [0]
    for span in pool.spans:
        runs += [0] if together else []
        for unit in range(span.first, span.first + span.seats):
            if suits(pool, unit, item):
                runs[-1] += 1
            elif together:
                runs.append(0)
    return max(runs)


def _could_seat(pool, item):
    """Whether members that need features could all be seated."""
    places = bytearray(place if place == ROW_END else TAKEN for place in pool.places)
    for unit in range(pool.capacity):
        places[pool.place(unit)] = FREE if suits(pool, unit, item) else TAKEN
    hall, party = Hall(pool.spans, places), Party(item, pool.features)
    return party.most(hall) == item.quantity and (not item.together or party.seat(hall, 'first', 0) is not None)


def _asked_within(resource, items, item):
    """Units that items ask for which can be had of nothing but what suits this item."""
    asked, names = 0, item.sections or [item.pool]
    for other in (part for one in items for part in one.parts()):
        if other.kind == 'seats':
            found = [resource.seat(seat) for seat in other.seats]
            asked += sum(pool.kind == item.kind and pool.name in names and suits(pool, unit, item) for pool, unit in found)
        elif (other.kind == item.kind and set(other.sections or [other.pool]) <= set(names)
              and set(item.features) <= set(other.features) and set(item.avoid) <= set(other.avoid)):
            asked += other.quantity
    return asked


def _asked_at(resource, items, quota):
    """Units that items ask for which name the rate of a quota, and can be had of nothing but its pools; on the fullest
    night."""
    always, nights = 0, Counter()
    for item in items:
        inside = [pool.name in quota.pools for pool in _pools(resource, item)]
        quantity = sum(part.quantity for part in item.parts() if part.rate == quota.rate)
        if item.kind == 'room':
            nights.update({pool.night: quantity for pool in _pools(resource, item) if pool.name in quota.pools})
        elif item.kind == 'seats':
            always += sum(inside) if quantity else 0
        else:
            always += quantity if all(inside) else 0
    return always + max(nights.values(), default=0)


def _is_enough(resource, items):
    """Whether all items together fit into each pool that has no alternative, into what suits each, and into the quotas."""
    wanted, either = Counter(), []
    if any(_asked_within(resource, items, item) > sum(_there(pool, item, apart=True) for pool in _pools(resource, item))
           for one in items if one.kind not in ('seats', 'room') for item in one.parts()):
        return False
    for item in items:
        pools = _pools(resource, item)
        if item.kind not in ('seats', 'room') and len(pools) > 1:
            either.append((item, {pool.name for pool in pools}))
            continue
        for pool in pools:
            wanted[pool] += 1 if item.kind == 'seats' else item.quantity
    if any(units > pool.capacity for pool, units in wanted.items()):
        return False
    if any(quota.limit is not None and _asked_at(resource, items, quota) > quota.limit for quota in resource.rate_quotas):
        return False
    for names, limit in resource.quotas.values():
        always = sum(item.quantity for item, of in either if of <= set(names))
        counted = [(pool.night, units) for pool, units in wanted.items() if pool.name in names]
        always += sum(units for night, units in counted if night is None)
        nights = Counter()
        for night, units in counted:
            nights[night] += units if night is not None else 0
        if always + max(nights.values(), default=0) > limit:
            return False
    return True
