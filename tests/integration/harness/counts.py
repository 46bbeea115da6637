"""How many units of a resource are free, held, sold and blocked, as each part that shows it has it: the probe's answer,
the tables, the view for people, and Redis. A test says the numbers, and all of them must say the same; and of what they
were sold for, too."""

import collections
import json
import typing


class Counts(typing.NamedTuple):
    free: int
    held: int = 0
    sold: int = 0
    blocked: int = 0


STATES = ('held', 'confirmed', 'blocked')


def in_lines(realm, resource):
    """pool → state → units, as the lines of the bookings that have some say it."""
    units = collections.defaultdict(collections.Counter)
    for state, lines in realm.sql('select b.state, b.lines from usher.booking b join usher.resource r '
                                  'on r.no = b.resource_no where r.id = %s and b.state = any(%s)',
                                  resource, list(STATES)):
        for _item, pool, _price, taken, *_rest in json.loads(lines):
            # Numbers, or of sections by capacity and of products how many; those had numbers once, too.
            units[pool][state] += len(taken) if isinstance(taken, list) else taken
    return units


def of_tables(realm, resource):
    """What the rows come to, pool by pool: capacities, and who has each seat and room, and how many of the rest are
    taken. The bookings must have as many."""
    pools = realm.sql('select p.index, p.kind, p.capacity, p.over, p.held, p.sold, p.blocked from usher.pool p '
                      'join usher.resource r on r.no = p.resource_no where r.id = %s', resource)
    allocated = collections.defaultdict(collections.Counter)
    for pool, state, units in realm.sql(
            'select p.index, b.state, count(*) from usher.allocation a '
            'join usher.pool p on p.no = a.pool join usher.booking b on b.no = a.booking '
            'join usher.resource r on r.no = p.resource_no and r.no = b.resource_no '
            'where r.id = %s group by p.index, b.state', resource):
        allocated[pool][state] = units
    taken, lines, free = collections.Counter(), in_lines(realm, resource), 0
    for index, kind, capacity, over, *counters in pools:
        if kind in ('section', 'product'):
            assert not allocated[index], f'{resource}: what is only counted is allocated, too'
            units = collections.Counter(dict(zip(STATES, counters)))
        else:
            assert not any(counters), f'{resource}: what is allocated is counted, too'
            units = allocated[index]
        assert set(units) <= set(STATES), f'{resource}: units of bookings that are {sorted(units)}'
        assert units == lines[index], f'{resource}: {units} of pool {index} are taken, bookings have {lines[index]}'
        beyond = max(0, sum(units.values()) - capacity)
        assert beyond == over, f'{resource}: {units} of pool {index}, whose capacity is {capacity}, with {over} over'
        taken, free = taken + units, free + capacity - sum(units.values()) + over
    return Counts(free, *(taken[state] for state in STATES))


def check_probe(answer, wanted, total):
    """What a probe of everything comes to: of rooms it says no more than what is free of how many."""
    rooms = [pool for pool in answer['pools'] if 'room' in pool]
    pools = [pool for pool in answer['pools'] if 'room' not in pool]
    found = Counts(*(sum(pool[field] for pool in pools) for field in Counts._fields))
    nights = {field: sum(night for room in rooms for night in room[field] if night is not None)
              for field in ('free', 'total')}
    assert found.free + nights['free'] == wanted.free
    assert sum(pool['total'] for pool in pools) + nights['total'] == total
    if not rooms:
        assert found[1:] == wanted[1:]


def of_redis(realm, resource, rev, total):
    """What Redis shows: the hash, after its pools were found to come to the same."""
    shown, seats, pools = realm.await_shown(resource, rev)
    found = Counts(*(int(shown[field]) for field in Counts._fields))
    free, of_all, *taken = (sum(column) for column in zip(*(map(int, pool.split('/')) for pool in pools.values())))
    assert (free, *taken) == found and of_all == total == int(shown['total'])
    if seats and len(seats) == sum(found):
        assert Counts(*(seats.count(letter) for letter in '.hsx')) == found
    return found


def check_takings(realm, resource):
    """The row and Redis have what the bookings that are sold come to."""
    [(takings, sold)] = realm.sql("select r.takings, coalesce(sum(b.total), 0)::bigint from usher.resource r left join usher.booking b "
                                  "on b.resource_no = r.no and b.state = 'confirmed' where r.id = %s group by r.no", resource)
    assert takings == sold == int(realm.cache.get(f'{realm.name}:takings:{{{resource}}}'))


def check_counts(realm, resource, free, held=0, sold=0, blocked=0, kept_back=0, over=0):
    """Everybody says that so many units are free, held, sold and blocked. Returns the probe's answer. `kept_back`: by
    quotas, of units that nobody has; the others may be sold together. `over`: units taken beyond those there are."""
    wanted, total = Counts(free, held, sold, blocked), free + held + sold + blocked + kept_back - over
    answer = realm.ask('probe', resource)
    assert answer['free'] == free, f'{resource}: {answer["free"]} free instead of {free}'
    check_probe(answer, wanted, total)
    assert of_tables(realm, resource) == wanted._replace(free=free + kept_back)
    assert realm.sql('select sum(free)::bigint, sum(held)::bigint, sum(sold)::bigint, sum(blocked)::bigint, '
                     'sum(total)::bigint, sum(over)::bigint from usher.availability where resource = %s', resource,
                     role='reader') == [(*wanted, total, over)]
    assert of_redis(realm, resource, answer['rev'], total) == wanted
    check_takings(realm, resource)
    return answer


def seats_of(groups):
    """All seats in the groups of an answer, in their order."""
    return [seat for group in groups for seat in group['seats']]


def settle(realm):
    """The end of a story: the replay of the log comes to the same as the worker, and reconcile finds nothing."""
    report = realm.check()
    realm.command('reconcile')
    return report
