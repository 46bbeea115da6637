"""What is deployed goes on under this version: a database that the program before the migrations were joined made and wrote
(../data/README.md) has the schema that these make; all that was decided is there, counts, and is answered again."""

import re
import subprocess

import pytest

from harness.realm import Realm
from harness.shows import pieces, places, seats, stay, verdict
from harness.stack import TREE

from test_migrate import FILES, VERSION, Database, refused

DEPLOYED = (TREE / 'tests/data/schema_019.sql').read_text()


class DeployedRealm(Realm):
    """Its database is restored from a dump."""

    def __init__(self, stack, name):
        super().__init__(stack, name)
        self.client.answers.behind = self.sql('select published_seq from usher.partition_state')[0][0]

    def _make(self):
        Database(self.stack, self.name).sql(DEPLOYED)
        self.make_topics()


@pytest.fixture(name='deployed')
def realm_that_is_deployed(stack, request):
    realm = DeployedRealm(stack, re.sub(r'\W+', '_', request.node.name.removeprefix('test_'))[:60])
    yield realm
    realm.close()


def migrate(realm, *arguments):
    return realm.command('migrate', *arguments, USHER_POSTGRES=realm.uri('owner'))


def schema_of(database):
    """All that it is, as statements; without the lines for psql."""
    done = subprocess.run(['pg_dump', '--schema-only', database.stack.uri('admin', database.name)],
                          capture_output=True, text=True, check=True)
    return re.sub(r'(?m)^\\.*\n', '', done.stdout)


def restored_schema_of(database, name):
    """As it is after it was restored from a dump: a view is not printed as it was written."""
    (restored := Database(database.stack, name)).sql(schema_of(database))
    return schema_of(restored)


def test_what_earlier_files_made_is_what_these_make(deployed, make_realm):
    later = FILES[FILES.index('019_comments.sql') + 1:]
    assert re.findall('applied (.*)\n', migrate(deployed, 'up')) == list(later)
    assert [line.split(' 2')[0] for line in migrate(deployed, 'list').splitlines()] == [f'{file} applied' for file in FILES]
    assert restored_schema_of(deployed, 'from_earlier') == restored_schema_of(make_realm(), 'from_these')


def test_what_is_older_than_the_first_files_is_told_by_which_way(deployed):
    deployed.sql('delete from usher.schema_migration where version = 19')
    for action in 'up', 'list':
        done = deployed.run('migrate', action, USHER_POSTGRES=deployed.uri('owner'))
        refused((done.returncode, done.stdout, done.stderr), 78,
                'the schema is version 18, this program goes on from version 19; run `usher-worker migrate up` of commit ')
    done = deployed.run('reconcile')
    assert done.returncode == 78 and f"it is version 18, this program's is {VERSION}" in done.stderr


def test_what_was_decided_goes_on(deployed):
    tables = [row[0] for row in deployed.sql("select tablename from pg_tables where schemaname = 'usher'")]
    assert all(deployed.sql(f'select exists (select from usher.{table})') == [(True,)] for table in tables)
    ask, sold = deployed.ask, deployed.sql('select count(*), sum(price) from usher.purchase', role='reader')
    migrate(deployed, 'up')
    assert deployed.sql('select count(*), sum(price) from usher.purchase', role='reader') == sold and sold[0][0] > 20
    assert 'no differences' in deployed.command('reconcile', USHER_REDIS='')
    worker = deployed.worker()
    assert f'ok schema version {VERSION}\n' in deployed.command('check')
    again = deployed.ask_all({'request_id': 'sold', 'op': 'book', 'resource': 'hall', 'customer': 'ann', 'payment': 'pi_1',
                              'items': [*seats('A-1', 'A-2'), *places('standing', 2), *pieces('programme', 1)]})[0]
    assert (again['outcome'], again.get('replayed'), again['decided_at'][:10]) == ('confirmed', True, '2026-01-03')
    # What was held is over by now; whoever waited is served by what comes back.
    assert verdict(ask('confirm', 'hall', customer='bob', booking='kept')) == ('confirmed', None)
    assert verdict(ask('confirm', 'hotel', customer='cleo', cart='trip')) == ('confirmed', None)
    assert verdict(ask('cancel', 'hall', customer='dan', booking='programmes')) == ('refused', 'not_owner')
    assert verdict(ask('cancel', 'hall', customer='fay', booking='programmes')) == ('cancelled', None)
    assert deployed.client.answers.await_one(lambda answer: answer.get('cause') == 'waiting_list')['booking'] == 'queue'
    assert verdict(ask('confirm', 'hall', customer='eve', booking='queue')) == ('confirmed', None)
    assert verdict(ask('unblock', 'hall', booking='camera')) == ('released', None)
    assert verdict(ask('define', 'hall', limits={'units_per_customer': 2})) == ('defined', None)
    assert verdict(ask('book', 'hall', customer='ann', items=seats('A-3'))) == ('refused', 'limit_exceeded')
    assert verdict(ask('book', 'hall', customer='kim', items=seats('BA-11'))) == ('confirmed', None)
    assert verdict(ask('book', 'hotel', customer='kim', items=stay('single', '2100-12-22', '2100-12-23'))) == ('confirmed', None)
    assert verdict(ask('close', 'fair:first:0', cancel_bookings=True)) == ('defined', None)
    assert worker.stop() == 0
    assert 'no differences' in deployed.command('reconcile')
