"""What a probe answers."""

import datetime

SIZE_MAX = 400 * 1024


def _counted(pool):
    return {pool.kind: pool.name, 'free': pool.free, 'held': pool.count('held'), 'sold': pool.count('confirmed'),
            'blocked': 0, 'total': pool.capacity, 'rates': {'standard': pool.price}}


def _days(first, last):
    day, end = datetime.date.fromisoformat(first), datetime.date.fromisoformat(last)
    while day <= end:
        yield day.isoformat()
        day += datetime.timedelta(days=1)


def _room(name, nights, first, last):
    pools = [nights.get(night) for night in _days(first, last)]
    pools = [pool if pool and pool.capacity else None for pool in pools]
    return {'room': name, 'from': first, 'free': [pool and pool.free for pool in pools],
            'total': [pool and pool.capacity for pool in pools],
            'price': [pool and pool.price for pool in pools]}


def _everything(resource):
    shown = [_counted(pool) for pool in resource.sections() + resource.products() if pool.capacity]
    for name, nights in resource.rooms.items():
        alive = sorted(night for night, pool in nights.items() if pool.capacity)
        if alive:
            shown.append(_room(name, nights, alive[0], alive[-1]))
    return shown


def _chosen(resource, item):
    if item.kind == 'room':
        first = datetime.date(1970, 1, 1) + datetime.timedelta(days=item.start)
        last = datetime.date(1970, 1, 1) + datetime.timedelta(days=item.end - 1)
        nights = resource.rooms.get(item.pool)
        return nights and _room(item.pool, nights, first.isoformat(), last.isoformat())
    pool = resource.named.get(item.pool)
    return _counted(pool) if pool and pool.kind == item.kind and pool.capacity else None


def probe(resource, items):
    """`pools` and maybe `next`; or `items`, the ones that are not there."""
    if not items:
        return {'pools': _everything(resource)}
    shown = [_chosen(resource, item) for item in items]
    missing = [{'item': index, 'asked': item.quantity, 'given': 0, 'reason': 'unknown_pool'}
               for index, item in enumerate(items) if not shown[index]]
    return {'items': missing} if missing else {'pools': shown}
