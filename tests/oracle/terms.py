"""What a resource is sold under: limits of a request and of a customer, and quotas over pools."""

from .parsing import instant_text

COUNTS = ('held', 'confirmed')
EXCEEDED, ALL = 'exceeded', 'all'


def asked_of(resource, items, pools):
    """Units that items ask for of these pools (None: of any)."""
    if pools is None:
        return sum(item.units() for item in items)
    asked = 0
    for item in items:
        if item.kind == 'seats':
            found = [resource.seat(seat)[0] for seat in item.seats]
            asked += sum(pool is not None and pool.name in pools for pool in found)
        elif set(item.sections or [item.pool]) & set(pools):
            asked += item.units()
    return asked


def has(resource, customer, pools=None, beside=()):
    """Units that a customer holds or bought, over these pools (None: all), but for the bookings `beside`."""
    return sum(len(line.units) for booking in resource.customers.get(customer, {}).values()
               if booking.state in COUNTS and booking not in beside
               for line in booking.lines if pools is None or line.pool.name in pools)


def _is_more(most, before, after):
    """Whether there would be more beyond a maximum than before."""
    return most is not None and after > max(most, before)


def _customer_exceeds(resource, customer, asked_over, beside, pools, most):
    before, after = has(resource, customer, pools), has(resource, customer, pools, beside) + asked_over(pools)
    return _is_more(most, before, after)


def limits_customers(resource):
    """Whether a limit counts what each customer has."""
    return bool(resource.limits) and any(resource.limits.get(name)
                                         for name in ('units_per_customer', 'holds_per_customer', 'groups'))


def own_hold(resource, request, stops):
    """The newest open hold of the customer that stops its request: with a line of which that is true. None: no such hold, or
    nobody counts what customers have."""
    if request.customer is None or not limits_customers(resource):
        return None
    held = resource.customers.get(request.customer, {})
    return next((booking.id for _number, booking in sorted(held.items(), reverse=True)
                 if booking.state == 'held' and booking.id not in (request.booking, request.from_hold)
                 and any(map(stops, booking.lines))), None)


def _in_the_way(resource, items, short):
    """What is in the way of the items that fell short: of a line, whether it has some of it."""
    def stops(line):
        for one in short:
            item = items[one['item']]
            if one['reason'] == 'unit_taken':
                found = [resource.seat(name) for name in one['taken']]
                if any(pool is line.pool and unit in line.units for pool, unit in found):
                    return True
            elif item.kind == 'seats':
                if any(resource.seat(name)[0] is line.pool for name in item.seats):
                    return True
            elif line.pool.name in (item.sections or [item.pool]) \
                    and (item.kind != 'room' or line.pool.night in one['taken']):
                return True
        return False
    return stops


def own_hold_of(resource, request, short):
    return own_hold(resource, request, _in_the_way(resource, request.items, short))


def _holds_exceed(resource, customer):
    most = resource.limits.get('holds_per_customer')
    held = sum(booking.state == 'held' for booking in resource.customers.get(customer, {}).values())
    return most is not None and held + 1 > most


def exceeded(resource, op, items, customer, beside=()):
    """Whether a request asks for more (or less) than the limits allow, and than the bookings `beside` had, which it
    changes: EXCEEDED; or of the limit of a customer the pools that it counts, ALL for any."""
    limits = resource.limits
    if not limits:
        return None
    asked, had = asked_of(resource, items, None), [booking.units() for booking in beside]
    if asked < min([limits.get('units_min', 0), *had]) or _is_more(limits.get('units_per_request'), max(had, default=0), asked):
        return EXCEEDED
    return exceeded_by_items(resource, items, customer, op == 'hold', beside)


def exceeded_by_items(resource, items, customer, holds, beside=()):
    """Which limit of a customer is exceeded, as `exceeded` has it; `holds`: by one more hold."""
    return _exceeded(resource, customer, lambda pools: asked_of(resource, items, pools), beside, holds)


def _exceeded(resource, customer, asked_over, beside, holds):
    if not resource.limits:
        return None
    if _customer_exceeds(resource, customer, asked_over, beside, None, resource.limits.get('units_per_customer')):
        return ALL
    if holds and _holds_exceed(resource, customer):
        return ALL
    return next((group['pools'] for group in resource.limits.get('groups', ())
                 if _customer_exceeds(resource, customer, asked_over, beside, group['pools'], group['limit'])), None)


def refusal(resource, request, over):
    """What is said of the limit that `exceeded` found."""
    if over is EXCEEDED:
        return {}
    return {'own_hold': own_hold(resource, request, lambda line: over is ALL or line.pool.name in over)}


def exceeded_by(resource, lines, customer, holds):
    """The same of units that become the customer's, or are taken again."""
    def units(pools):
        return sum(len(line.units) for line in lines if pools is None or line.pool.name in pools)
    return _exceeded(resource, customer, units, (), holds)


# ---- how long a hold lasts ----------------------------------------------------------------------------------
def _of_house(resource, force):
    """What the house alone may hold for, in all; None: no more than others."""
    return (resource.limits or {}).get('house_hold_total_s') if force else None


def hold_total_s(resource, partition, force):
    """In all, from when it was made."""
    house = _of_house(resource, force)
    if house is not None:
        return min(house, partition.house_hold_ttl_max_s)
    return min(partition.hold_ttl_max_s, (resource.limits or {}).get('hold_total_s', partition.hold_ttl_max_s))


def hold_ttl_s(resource, partition, asked, force):
    """At a time: as asked, else as the resource has it, else as configured; capped by both. The house's is capped in all."""
    own = resource.hold_ttl_s
    ttl = asked or own or partition.hold_ttl_s
    if _of_house(resource, force) is None:
        ttl = min(ttl, own or ttl)
    return min(ttl, hold_total_s(resource, partition, force))


# ---- quotas -------------------------------------------------------------------------------------------------
def _groups(resource, names, pool):
    """The pools that count together with `pool`: of room types those of the same night. What has no night counts on
    every one, so it is in a group for each."""
    if pool.night is not None:
        nights = [pool.night]
    else:
        nights = {night for name in names for night in resource.rooms.get(name, ())} or [None]
    of_night = [[resource.rooms[name].get(night) if name in resource.rooms else resource.named.get(name)
                 for name in names] for night in nights]
    return [[one for one in pools if one is not None] for pools in of_night]


def quotas_of(resource, pool):
    """Pairs of a limit and the pools that share it with `pool`."""
    return [(limit, pools) for names, limit in resource.quotas.values() if pool.name in names
            for pools in _groups(resource, names, pool)]


def rate_groups(resource, pool, rate):
    """Of the quotas of a rate that have a pool: pairs of a limit and the pools that share it with that pool."""
    return [(quota.limit, pools) for quota in resource.quotas_at(pool, rate) if quota.limit is not None
            for pools in _groups(resource, quota.pools, pool)]


def limit_at(resource, pool, rate):
    """The most units at a rate, or at one of those that may serve who names none; None: no limit."""
    limits = [min((quota.limit for quota in resource.quotas_at(pool, name) if quota.limit is not None), default=None)
              for name in pool.offered(rate)]
    return None if None in limits or not limits else max(limits)


def _used(pool):
    return sum(pool.counts[state] for state in COUNTS)


def sellable(resource, pool):
    """Units that can still be sold of a pool: fewer than are free, if a quota leaves fewer."""
    left = [max(0, limit - sum(map(_used, pools))) for limit, pools in quotas_of(resource, pool)]
    return min([pool.free, *left])


def _order(resource):
    """Pools as they are filled: rooms, then what has no night; those in few quotas first; then as they were defined."""
    defined, quotas = {}, {}
    for pool in resource.pools:
        defined.setdefault(pool.name, len(defined))
        quotas[pool.name] = sum(pool.name in names for names, _limit in resource.quotas.values())
    return sorted(resource.pools, key=lambda pool: (pool.night is None, quotas[pool.name], defined[pool.name]))


def sellable_in_all(resource):
    """The most that all pools can sell together, filled one after the other."""
    if not resource.quotas:
        return resource.free
    left, sold = {}, 0
    for pool in _order(resource):
        most, limits = pool.free, []
        for name, (names, limit) in resource.quotas.items():
            if pool.name in names:
                for pools in _groups(resource, names, pool):
                    nights = [one.night for one in pools if one.night is not None]
                    key = name, nights[0] if nights else None
                    left.setdefault(key, limit - sum(map(_used, pools)))
                    limits.append(key)
        most = max(0, min([most, *(left[key] for key in limits)]))
        for key in limits:
            left[key] -= most
        sold += most
    return sold


def as_kept(resource):
    """The terms as the record keeps them, decoded; None: there are none."""
    kept = {}
    if resource.limits:
        kept['limits'] = resource.limits
    if resource.all_quotas:
        kept['quotas'] = [{name: value for name, value in (
            ('quota', quota.name), ('pools', list(quota.pools)), ('limit', quota.limit), ('rate', quota.rate),
            ('closes_at', quota.closes_at and instant_text(quota.closes_at))) if value is not None}
            for quota in resource.all_quotas.values()]
    return kept or None
