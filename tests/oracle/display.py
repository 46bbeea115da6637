"""What Redis shows of each resource, and where it lists them, against the replay's state."""

from . import terms
from .compare import mappings
from .parsing import instant_text

KINDS, STATES = ('seats', 'standing', 'rooms', 'stock', 'mixed'), ('open', 'closed')
LETTERS = {'held': 'h', 'confirmed': 's', 'blocked': 'x'}


def _seats(resource):
    return ''.join(LETTERS[pool.owners[unit].state] if unit in pool.owners else '.'
                   for pool in resource.charted() for unit in range(pool.capacity))


def _labels(resource):
    """The seat that each character of the seats is of."""
    return [seat for pool in resource.charted() for seat in pool.seats]


def _pool_line(resource, pool):
    counts = pool.counts
    free = terms.sellable(resource, pool)
    return f'{free}/{pool.capacity}/{counts["held"]}/{counts["confirmed"]}/{counts["blocked"]}'


def _hash(resource, partition):
    times = {'starts_at': resource.facts.get('starts_at'), 'ends_at': resource.facts.get('ends_at'),
             'opens_at': resource.opens_at, 'closes_at': resource.closes_at}
    return {'kind': resource.kind(), 'state': resource.state, 'total': str(resource.total),
            'free': str(terms.sellable_in_all(resource)), 'held': str(resource.count('held')),
            'sold': str(resource.count('confirmed')),
            'blocked': str(resource.count('blocked')), 'waiting': str(len(resource.waiting)),
            'overbook': str(sum(pool.overbook for pool in resource.pools if pool.capacity)),
            'rev': str(resource.rev), 'partition': str(partition),
            **{fact: resource.facts.get(fact) or '' for fact in ('name', 'venue', 'currency', 'timezone')},
            **{name: '' if value is None else instant_text(value) for name, value in times.items()}}


def expected(resource, partition):
    """What must be shown of a resource; its hash may say more."""
    pools = {f'{pool.name}/{pool.night}' if pool.night else pool.name: _pool_line(resource, pool)
             for pool in resource.pools if pool.capacity}
    return {'hash': _hash(resource, partition), 'seats': _seats(resource), 'pools': pools, 'labels': _labels(resource),
            'takings': str(resource.takings)}


def lists(resources):
    """Where each resource that is no draft is to be listed: by start, by kind, by state."""
    shown = [resource for resource in resources if resource.state != 'draft']
    return {'': {resource.id: resource.facts.get('starts_at') or 0 for resource in shown},
            **{f':kind:{kind}': {resource.id: True for resource in shown if resource.kind() == kind} for kind in KINDS},
            **{f':state:{state}': {resource.id: True for resource in shown if resource.state == state}
               for state in STATES}}


def compare(report, evidence, partition, resources):
    """A draft need not be there."""
    for resource in resources:
        shown, place = evidence.cache.get(resource.id), f'cache {resource.id}'
        if not shown or not shown['hash']:
            if resource.state != 'draft':
                report.differ(place, 'a picture', 'none')
            continue
        wanted = expected(resource, partition)
        for name, value in wanted['hash'].items():
            report.equal(f'{place} {name}', value, shown['hash'].get(name))
        for part in ('seats', 'labels', 'takings'):
            report.equal(f'{place} {part}', wanted[part], shown[part])
        mappings(report, f'{place} pool', wanted['pools'], shown['pools'])


def compare_lists(report, evidence, resources):
    for name, wanted in lists(resources).items():
        mappings(report, f'cache list{name}', wanted, evidence.lists[name])
