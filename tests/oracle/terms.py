"""What a resource is sold under: limits of a request and of a customer, and quotas over pools."""

COUNTS = ('held', 'confirmed')


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


def has(resource, customer, pools=None, beside=None):
    """Units that a customer holds or bought, over these pools (None: all), but for one booking."""
    return sum(len(line.units) for booking in resource.customers.get(customer, {}).values()
               if booking.state in COUNTS and booking is not beside
               for line in booking.lines if pools is None or line.pool.name in pools)


def _customer_exceeds(resource, customer, asked_over, beside):
    limits = resource.limits
    most = limits.get('units_per_customer')
    if most is not None and has(resource, customer, None, beside) + asked_over(None) > most:
        return True
    for group in limits.get('groups', ()):
        asked = asked_over(group['pools'])
        if asked and has(resource, customer, group['pools'], beside) + asked > group['limit']:
            return True
    return False


def _holds_exceed(resource, customer):
    most = resource.limits.get('holds_per_customer')
    held = sum(booking.state == 'held' for booking in resource.customers.get(customer, {}).values())
    return most is not None and held + 1 > most


def exceeded(resource, op, items, customer, beside=None):
    """Whether a request asks for more (or less) than the limits allow."""
    limits = resource.limits
    if not limits:
        return False
    asked = asked_of(resource, items, None)
    if asked < limits.get('units_min', 0) or asked > limits.get('units_per_request', asked):
        return True
    return exceeded_by_items(resource, items, customer, op == 'hold', beside)


def exceeded_by_items(resource, items, customer, holds, beside=None):
    """Whether a customer may not have so much; `holds`: nor one more hold."""
    if not resource.limits:
        return False
    return _customer_exceeds(resource, customer, lambda pools: asked_of(resource, items, pools), beside) \
        or holds and _holds_exceed(resource, customer)


def exceeded_by(resource, lines, customer, holds):
    """The same of units that become the customer's, or are taken again."""
    if not resource.limits:
        return False

    def units(pools):
        return sum(len(line.units) for line in lines if pools is None or line.pool.name in pools)
    return _customer_exceeds(resource, customer, units, None) or holds and _holds_exceed(resource, customer)


# ---- quotas -------------------------------------------------------------------------------------------------
def quota_pools(resource, names, pool):
    """The pools whose units count together with those of `pool`; of room types those of the same night."""
    found = []
    for name in names:
        one = resource.rooms.get(name, {}).get(pool.night) if name in resource.rooms else resource.named.get(name)
        if one is not None:
            found.append(one)
    return found


def quotas_of(resource, pool):
    """Pairs of a limit and the pools that share it with `pool`."""
    return [(limit, quota_pools(resource, names, pool)) for names, limit in resource.quotas.values()
            if pool.name in names]


def as_kept(resource):
    """The terms as the record keeps them, decoded; None: there are none."""
    kept = {}
    if resource.limits:
        kept['limits'] = resource.limits
    if resource.quotas:
        kept['quotas'] = [{'quota': name, 'pools': list(pools), 'limit': limit}
                          for name, (pools, limit) in resource.quotas.items()]
    return kept or None
