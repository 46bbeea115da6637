"""What Redis shows of each resource against the replay's state."""

from . import terms
from .compare import mappings
from .parsing import instant_text

LETTERS = {'held': 'h', 'confirmed': 's', 'blocked': 'x'}


def _seats(resource):
    return ''.join(LETTERS[pool.owners[unit].state] if unit in pool.owners else '.'
                   for pool in resource.charted() for unit in range(pool.capacity))


def _pool_line(resource, pool):
    return f'{terms.sellable(resource, pool)}/{pool.capacity}/{pool.counts["held"]}/{pool.counts["confirmed"]}'


def _hash(resource, partition):
    times = {'starts_at': resource.facts.get('starts_at'), 'opens_at': resource.opens_at,
             'closes_at': resource.closes_at}
    return {'kind': resource.kind(), 'state': resource.state, 'total': str(resource.total),
            'free': str(terms.sellable_in_all(resource)), 'held': str(resource.count('held')), 'sold': str(resource.count('confirmed')),
            'blocked': str(resource.count('blocked')), 'rev': str(resource.rev), 'partition': str(partition),
            **{fact: resource.facts[fact] for fact in ('name', 'currency', 'timezone') if resource.facts.get(fact)},
            **{name: instant_text(value) for name, value in times.items() if value is not None}}


def expected(resource, partition):
    """What must be shown of a resource; its hash may say more."""
    pools = {f'{pool.name}/{pool.night}' if pool.night else pool.name: _pool_line(resource, pool)
             for pool in resource.pools if pool.capacity}
    return {'hash': _hash(resource, partition), 'seats': _seats(resource), 'pools': pools}


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
        report.equal(f'{place} seats', wanted['seats'], shown['seats'] or '')
        mappings(report, f'{place} pool', wanted['pools'], shown['pools'])
