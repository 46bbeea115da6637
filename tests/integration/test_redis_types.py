"""Keys of usher in Redis to which somebody gave another type: workers, `reconcile` and `rebuild-cache` put them right."""

import pytest

from harness.realm import STEADY
from harness.shows import HALL, places
from harness.waiting import eventually
from test_cache import differences
from test_display_position import await_position, book, define, stored

SETTINGS = STEADY
WARNING = 'deleted keys of the wrong type from Redis'
RIGHT = {'worker:0': 'hash', 'contract': 'string', 'shown:0': 'string', 'resources': 'zset',
         'resources:kind:standing': 'set', 'resources:state:open': 'set'}
SHOW = ('{show}', '{show}:seats', '{show}:pools', '{show}:catalogue', 'takings:{show}')


def spoil(realm, part):
    """Replaces a key by one of another type, in one step."""
    key = realm.name + part
    with realm.cache.pipeline() as pipe:
        pipe.delete(key)
        if part.endswith(('contract', 'shown:0', 'seats', 'catalogue', 'takings:{show}')):
            pipe.rpush(key, 'x')
        else:
            pipe.set(key, 'x')
        pipe.execute()


def test_a_worker_puts_them_right(make_realm):
    realm = make_realm(partitions=2)
    worker = realm.worker()
    names = define(realm, 20)
    for part, right in RIGHT.items():
        spoil(realm, f':{part}')
        eventually(lambda: realm.cache.type(f'{realm.name}:{part}') == right, f'{part} is a {right} again')
        assert all(realm.await_shown(name, rev) for name, rev in book(realm, names[:4]).items())
        await_position(realm)
    eventually(lambda: len(realm.listed()) == len(realm.listed(':kind:standing')) == len(names), 'all are listed again')
    assert stored(realm) and differences(realm) == []
    said = [line for line in worker.log().splitlines() if WARNING in line]
    assert len(said) == 5 and 'WRONGTYPE' not in worker.log(), worker.log()  # a position is simply written again
    assert all(any(f'{realm.name}:{part} (' in line for line in said) for part in RIGHT if part != 'shown:0'), said
    assert worker.metric('usher_dependency_up', dependency='redis') == 1


@pytest.mark.parametrize('part', SHOW)
def test_the_next_change_of_a_resource_puts_its_keys_right(realm, part):
    realm.ask('define', 'show', **HALL)
    answer = realm.ask('book', 'show', customer='c', items=places('stalls', 1))
    realm.await_shown('show', answer['rev'])
    spoil(realm, f':{part}')
    realm.ask('book', 'show', customer='c', items=places('stalls', 1))
    eventually(lambda: differences(realm) == [], 'the key is replaced')


def test_reconcile_names_and_repairs_them(make_realm):
    """No worker runs."""
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **HALL)
    define(realm, 2)
    worker.stop()
    parts = [f':{part}' for part in (*RIGHT, *SHOW)]

    def spoil_all():
        for part in parts:
            spoil(realm, part)

    spoil_all()
    found = differences(realm)
    assert all(any(line.startswith(f'key {realm.name}:{part} ') for line in found) for part in RIGHT), found
    assert [line for line in found if line.startswith('show: ')] == [
        'show: ' + '; '.join(f'the key of its {what} has the wrong type' for what in (
            'fields', 'seats', 'pools', 'catalogue', 'takings'))]
    assert len(found) == 7, found
    healed = realm.run('reconcile', '--heal')
    assert healed.returncode == 0 and all(line.startswith(('repaired: ', 'reconciled ')) for line in healed.stdout.splitlines())
    assert differences(realm) == []
    spoil_all()
    assert realm.command('rebuild-cache').startswith('rebuilt 3 resources')
    realm.cache.delete(f'{realm.name}:worker:0')  # of no resource: the next worker's sign of life replaces it
    assert differences(realm) == []
    assert len(realm.listed()) == 3
