"""The operators' commands over several databases: each row once, wherever its partition lives, in the order of one database; and
the views that deploy/union.sql makes of them."""

import contextlib
import json
import re
import subprocess

import psycopg2
import pytest

from harness.dashboard import Dashboard
from harness.load import Crowd, answered
from harness.realm import Realm
from harness.shards import Shards
from harness.shows import places, standing
from harness.stack import TREE, clean_environment
from harness.waiting import eventually

PARTITIONS = 4
SALE = 'show:sale'
LATER = '2099-01-01T00:00:00Z'
LISTS = [
    ('resources',), *(('resources', '--sort', by) for by in ('resource', 'name', 'sold', 'free', 'waiting')),
    *(('show', resource) for resource in ('show:0', 'show:1', 'show:2', 'hotel:one', 'floor:one', SALE)),
    *(('bookings', '--resource', resource) for resource in ('show:0', 'floor:one', SALE)), ('bookings', '--customer', 'family'),
    ('bookings', '--cart', 'tour'), ('bookings', '--resource', SALE, '--limit', '2'),
    ('bookings', '--state', 'held', '--limit', '1000'), ('bookings', '--state', 'held', '--limit', '2'),
    ('history', '--since', '1d', '--limit', '3000'), ('history', '--since', '1d', '--limit', '7'), ('history', '--customer', 'family'),
    ('history', '--cart', 'tour'), ('history', '--resource', SALE),
    ('waiting',), ('waiting', '--limit', '1'), ('carts',), ('carts', '--since', '1d'), ('carts', '--state', 'mixed'), ('cart', 'tour'),
    ('takings',), ('dead-letters', 'list')]
VIEWS = """select table_name from information_schema.role_table_grants join information_schema.views using (table_schema, table_name)
            where table_schema = 'usher' and grantee = 'usher_reader' order by table_name"""
COMPARED = {'partitions': 'partition'}  # owner and epoch of one that moved are others


def sell_everything(realm):
    """All kinds of rows, in all partitions; and a cart that lies in several of them, sold in a part."""
    tour = [f'floor:{number}' for number in range(8)]
    with Crowd(realm).define() as crowd:
        answered(realm, 300)
        crowd.finish()
    realm.client.ask_all(*(realm.client.request('define', show, **standing(2)) for show in [*tour, SALE]))
    held = realm.client.ask_all(*(realm.client.request('hold', show, customer='family', cart='tour', hold_ttl_s=600,
                                                       items=places('floor', 1)) for show in tour))
    for answer in held[:4]:
        realm.ask('confirm', answer['resource'], customer='family', booking=answer['booking'])
    realm.ask('book', SALE, customer='family', items=places('floor', 2))
    for customer in 'c1', 'c2', 'c3':
        realm.ask('hold', SALE, customer=customer, items=places('floor', 1), wait_until=LATER)
    for number in range(8):
        realm.client.ask_raw(b'{"op":"book"', f'bad:{number}'.encode())


def look(uris, realm, *arguments, code=0):
    """What it lists, as JSON."""
    done = realm.run(*arguments, '--json', USHER_POSTGRES=uris)
    assert done.returncode == code, done
    return [json.loads(line) for line in done.stdout.splitlines()]


def rows(sql, view):
    return sorted(row for row, in sql(f'select ({COMPARED.get(view, "v")})::text from usher.{view} as v'))


@contextlib.contextmanager
def standing_as(shards, partition, *where):
    """While inside, the row in a says so."""
    stand = 'update usher.partition_state set shard = %s, destination = %s where partition = %s'
    stood = shards.stands('a', partition)
    shards.sql('a', stand, *where, partition)
    try:
        yield
    finally:
        shards.sql('a', stand, *stood, partition)


@pytest.fixture(name='sold', scope='module')
def two_databases_after_a_sale(stack, request):
    """What each list said while all was in one database; since then two partitions moved, and another one is arriving."""
    realm = Realm(stack, 'shards', partitions=PARTITIONS)
    request.addfinalizer(realm.close)
    shards = Shards(realm, a=range(PARTITIONS))
    worker = realm.worker()
    sell_everything(realm)
    worker.stop()
    before = {arguments: look(shards.uri('a', 'reader'), realm, *arguments) for arguments in LISTS}
    before['views'] = {view: rows(realm.sql, view) for view, in realm.sql(VIEWS)}
    for partition in 1, 3:
        shards.move('b', partition=partition)
    shards.interrupted(('move', '--partition', '2', '--to', 'b'), 12, 'killed', b'commit')
    assert shards.stands('b', 2) == ('a', 'b')
    return shards, before


@pytest.mark.parametrize('arguments', LISTS, ids=' '.join)
def test_lists_are_those_of_one_database(sold, arguments):
    shards, before = sold
    assert before[arguments]
    assert look(shards.uris('reader'), shards.realm, *arguments) == before[arguments]
    assert look(shards.uris('reader', shards='ba'), shards.realm, *arguments) == before[arguments]


def test_each_partition_is_shown_where_it_lives(sold):
    shards, _ = sold
    for command in ('status',), ('partition', 'list'):
        assert shards.realm.run(*command, USHER_POSTGRES=shards.uris('reader')).returncode == 0
    assert [row['partition'] for row in look(shards.uris('reader'), shards.realm, 'status')] == [0, 1, 2, 3]
    for shard, partitions in ('a', {0, 2}), ('b', {1, 3}):
        found = look(shards.uri(shard, 'reader'), shards.realm, 'history', '--since', '1d', '--limit', '3000', code=69)
        assert {row['partition'] for row in found} == partitions


ELSEWHERE = 'partitions 1 and 3 live in shard b, which USHER_POSTGRES does not name'


@pytest.mark.parametrize('arguments', [*LISTS, ('status',), ('workers',), ('partition', 'list')], ids=' '.join)
def test_partitions_in_a_database_that_is_not_named_are_missed(sold, arguments):
    """What the others have is shown."""
    shards, before = sold
    done = shards.realm.run(*arguments, '--json', USHER_POSTGRES=shards.uri('a', 'reader'))
    assert done.returncode == 69 and ELSEWHERE in done.stderr, done
    if arguments[0] in ('resources', 'bookings', 'history', 'waiting', 'takings', 'dead-letters') and '--limit' not in arguments:
        assert [json.loads(line) for line in done.stdout.splitlines()] == [
            row for row in before[arguments] if partition_of(shards, row) in (0, 2)]


def test_what_the_old_home_has_forgotten_is_missed_all_the_same(sold):
    shards, _ = sold
    done = shards.realm.run('takings', USHER_POSTGRES=shards.uri('b', 'reader'))
    assert done.returncode == 69, done
    assert 'partition 2 lives in shard a, which USHER_POSTGRES does not name; no database of USHER_POSTGRES has partition 0' in done.stderr


def test_a_partition_that_lives_elsewhere_is_not_without_a_worker(sold):
    shards, _ = sold
    states = {row['partition']: (row['state'], row.get('shard')) for row in look(shards.uri('a', 'reader'), shards.realm, 'status', code=69)}
    assert states[1] == states[3] == ('elsewhere', 'b') and states[0][0] == states[2][0] == 'no worker'
    assert 'it lives in shard b' in shards.realm.run('status', USHER_POSTGRES=shards.uri('a', 'reader')).stdout


def test_the_staff_pages_say_what_they_miss(sold):
    shards, _ = sold
    dashboard = Dashboard(shards.realm, '--dashboard-staff', USHER_DASHBOARD_TOKEN='sesame', USHER_POSTGRES=shards.uri('a', 'reader'))
    try:
        for question in 'takings', 'bookings?customer=family', 'refusals', 'waiting?customer=c1':
            answer = json.loads(dashboard.get(f'api/staff/{question}', Authorization='Bearer sesame')[1])
            assert answer['away'] and answer['missing'] == ELSEWHERE, answer
    finally:
        dashboard.close()


def test_an_operator_does_not_change_what_was_left_behind(sold):
    shards, _ = sold
    before = shards.sql('a', 'select * from usher.partition_state order by partition')
    for action in ('resume',), ('reset-clock',), ('skip', '--to', '99999', '--why', 'x', '--yes'):
        done = shards.realm.run('partition', action[0], '--partition', '1', *action[1:], USHER_POSTGRES=shards.uri('a', 'owner'))
        assert done.returncode == 69 and 'which USHER_POSTGRES does not name' in done.stderr, done
    assert shards.sql('a', 'select * from usher.partition_state order by partition') == before


@pytest.mark.parametrize('arguments', LISTS, ids=' '.join)
def test_a_database_that_is_away_is_named(sold, arguments):
    """What the others have is shown."""
    shards, before = sold
    away = re.sub(r'@[^/]*/', '@127.0.0.1:1/', shards.uri('b', 'reader'))
    done = shards.realm.run(*arguments, '--json', USHER_POSTGRES=f'{shards.uri("a", "reader")} {away}')
    assert done.returncode == 69 and f'127.0.0.1:1/{shards.realm.name}_b' in done.stderr, done
    if arguments[0] in ('resources', 'bookings', 'history', 'waiting', 'takings', 'dead-letters') and '--limit' not in arguments:
        assert [json.loads(line) for line in done.stdout.splitlines()] == [
            row for row in before[arguments] if partition_of(shards, row) in (0, 2)]


def partition_of(shards, row):
    if 'partition' in row:
        return row['partition']
    return shards.sql('a', 'select partition from usher.resource where id = %s', row['resource'])[0][0]


def test_the_staff_pages_have_the_rows_of_all(sold):
    shards, _ = sold
    dashboard = Dashboard(shards.realm, '--dashboard-staff', USHER_DASHBOARD_TOKEN='sesame', USHER_POSTGRES=shards.uris('reader'))
    try:
        status, text, _ = dashboard.get('api/staff/refusals', Authorization='Bearer sesame')
        rows = [(row['resource'], row['reason'], row['requests']) for row in json.loads(text)['rows']]
    finally:
        dashboard.close()
    assert status == 200 and [requests for _, _, requests in rows] == sorted((requests for _, _, requests in rows), reverse=True)
    assert sorted(rows, key=str) == sorted((row for shard in 'ab' for row in shards.sql(
        shard, 'select resource, reason, sum(requests)::bigint from usher.refusals group by resource, reason')), key=str)
    assert {shard for shard in 'ab' if shards.sql(shard, 'select 1 from usher.refusals')} == {'a', 'b'}


@pytest.mark.parametrize('partition, stands, code, why', [
    (0, (None, 'b'), 69, 'no database of USHER_POSTGRES has partition 0: it stands still on its way'),
    (1, ('a', None), 78, 'more than one database of USHER_POSTGRES has partition 1')],
    ids=['it lives nowhere for now', 'it lives in two'])
def test_a_partition_that_does_not_live_in_one_is_named(sold, partition, stands, code, why):
    shards, _ = sold
    with standing_as(shards, partition, *stands):
        done = shards.realm.run('resources', USHER_POSTGRES=shards.uris('reader'))
        assert done.returncode == code and why in done.stderr, done


# ---- views of all, by postgres_fdw ----

class Union:
    """A database of somebody who may do there what deploy/recovery.md says, and no more."""

    def __init__(self, shards):
        self._shards, realm, name = shards, shards.realm, f'{shards.realm.name}_union'
        with realm.session('admin', 'postgres') as cursor:
            cursor.execute("create role analyst login password 'analyst'")
            cursor.execute("create role \"box/office\" login password 'a/b@c%d' in role usher_reader")
            cursor.execute(f'create database {name} owner analyst')
        with realm.session('admin', name) as cursor:
            cursor.execute('create extension postgres_fdw')
            cursor.execute('grant usage on foreign data wrapper postgres_fdw to analyst')
        self.uri = re.sub(r'//.*@(.*)/.*', rf'//analyst:analyst@\1/{name}', realm.uri('reader'))

    def make(self, uris=None, into=None):
        """As it ended."""
        if uris is None:
            uris = re.sub('//[^@]*@', '//box%2Foffice:a%2fb%40c%25d@', self._shards.uris('reader'))
        return subprocess.run(['psql', '-X', '-f', TREE / 'deploy/union.sql', into or self.uri], capture_output=True, text=True,
                              env=clean_environment(USHER_POSTGRES=uris), check=False)

    def sql(self, *statements):
        """The rows of the last one."""
        connection = psycopg2.connect(self.uri)
        try:
            cursor = connection.cursor()
            for statement in statements:
                cursor.execute(statement)
            found = cursor.fetchall() if cursor.description is not None else []
            connection.commit()
            return found
        finally:
            connection.close()


@pytest.fixture(name='union', scope='module')
def views_of_both_databases(sold):
    union = Union(sold[0])
    done = union.make()
    assert (done.returncode, done.stderr) == (0, ''), done
    assert done.stdout == 'the views of schema usher have the rows of shards a, b\n'
    return union


def test_a_union_has_the_rows_of_one_database(sold, union):
    """Whatever is left in the old home, or arrives: each is there once."""
    views = sold[1]['views']
    assert [view for view, in union.sql("select viewname from pg_views where schemaname = 'usher' order by viewname")] == sorted(views)
    assert all(found for view, found in views.items() if view not in ('blocks', 'partition_events'))
    for view, found in views.items():
        if view != 'partition_events':
            assert rows(union.sql, view) == found, view
    assert union.sql('select partition, event, by_whom from usher.partition_events order by partition') == [
        (partition, 'moved a → b', 'usher_owner') for partition in (1, 3)]


@pytest.mark.parametrize('query, values', [
    ("select * from usher.bookings where customer = 'family' and state = 'held'", ['family', 'held']),
    ("select seat from usher.door_list where resource = 'show:0'", ['show:0']),
    ("select * from usher.purchase where booking_number = 4711", ['4711']),
    ("select * from usher.history where resource = 'show:0' and decided_at >= '2026-01-02 00:00Z'", ['show:0', '2026-01-02']),
    ("select sum(amount) from usher.audit where partition = 3 and seq between 17 and 4711", ['3', '17', '4711']),
    ("select * from usher.refusals where resource = 'show:0' and reason = 'unit_taken'", ['show:0', 'unit_taken']),
    ("select state from usher.cart where customer = 'family' and cart = 'tour'", ['family', 'tour']),
    ("select free from usher.availability where resource = 'hotel:one' and night >= '2030-01-01'", ['hotel:one', '2030-01-01'])],
    ids=lambda value: value.split('usher.')[1].split()[0] if isinstance(value, str) else None)
def test_conditions_of_a_union_go_to_the_databases(union, query, values):
    """To both: which of them has the rows, nobody knows before. Nothing is left out here that a database could leave out."""
    plan = '\n'.join(line for line, in union.sql("set timezone = 'UTC'", f'explain (verbose, costs off) {query}'))
    asked = re.findall('Remote SQL: (.*)', plan)
    scans = [sql for sql in asked if all(value in sql for value in values)]
    assert len(scans) == 2 and all(' WHERE ' in sql for sql in asked) and 'Filter:' not in plan, plan


def test_a_union_reads_only_the_columns_that_are_asked_for(union):
    """Of the catalogue, counted where they are selected."""
    plan = '\n'.join(line for line, in union.sql("explain verbose select takings from usher.catalogue where resource = 'show:0'"))
    assert re.findall('Remote SQL: SELECT (.*) FROM', plan) == ['takings'] * 2, plan


def test_a_union_is_made_again(union):
    """With its permissions, and the views that somebody made of it."""
    union.sql('create view report as select count(*) as bookings from usher.bookings', 'grant usage on schema usher to public',
              'grant select on usher.cart to public')
    asked = ('select bookings from report', "select nspacl::text from pg_namespace where nspname = 'usher'",
             "select relname, relacl::text from pg_class where relacl::text ~ ',=r/analyst'")
    before = [union.sql(query) for query in asked]
    assert all(before), before
    done = union.make()
    assert (done.returncode, done.stderr) == (0, ''), done
    assert [union.sql(query) for query in asked] == before
    assert union.sql('select srvname from pg_foreign_server order by srvname') == [('usher_a',), ('usher_b',)]
    assert union.sql("select nspname from pg_namespace where nspname ~ 'usher' order by nspname") == [
        ('usher',), ('usher_a',), ('usher_b',)]


@pytest.mark.parametrize('uris, why', [
    (lambda shards: '', 'no databases are given'),
    (lambda shards: 'db.example.com', 'a word of USHER_POSTGRES is no URI'),
    (lambda shards: shards.uri('a', 'reader'), 'no database of USHER_POSTGRES has partition 1, 3'),
    (lambda shards: shards.uris('reader', shards='aba'), 'is there twice'),
    (lambda shards: ' '.join((shards.uri('a', 'reader'), shards.uri('a', 'reader').replace('127.0.0.1', 'localhost'))),
     'shard a is there twice'),
    (lambda shards: shards.uris('worker'), 'may do more than read the views'),
    (lambda shards: shards.uri('a', 'reader').replace('/shards', '/postgres'), 'schema "usher" is not present'),
    (lambda shards: re.sub('@[^/]*/', '@127.0.0.1:1/', shards.uris('reader')), 'could not connect to server "127.0.0.1:1/shards"'),
    (lambda shards: re.sub('//[^@]*@', '//usher_reader:wrong@', shards.uris('reader')), 'password authentication failed')],
    ids=['none', 'no URI', 'not all', 'twice', 'twice by two addresses', 'not a reader', 'not of usher', 'away', 'denied'])
def test_a_union_of_other_databases_is_refused(sold, union, uris, why):
    """What was made before stays."""
    done = union.make(uris(sold[0]))
    assert done.returncode == 3 and why in done.stderr, done
    assert not set(re.findall('//[^:]*:([^@]*)@', sold[0].uris('reader'))) & set(re.findall(r'\w+', done.stderr)), 'a password'
    assert rows(union.sql, 'home') == ['(0)', '(1)', '(2)', '(3)']


@pytest.mark.parametrize('statement, back, why', [
    ("delete from usher.shard", "insert into usher.shard (name) values ('b')", 'has no name among several'),
    ("insert into usher.schema_migration values (99, 'later', '')", "delete from usher.schema_migration where version = 99",
     'different versions: a '),
    ("update usher.partition_state set shard = 'b', destination = null where partition = 2",
     "update usher.partition_state set shard = 'a', destination = 'b' where partition = 2", 'more than one database')],
    ids=['without a name', 'of another version', 'with the same partition'])
def test_a_union_of_databases_that_do_not_fit_together_is_refused(sold, union, statement, back, why):
    shards, _ = sold
    shards.sql('b', statement)
    try:
        done = union.make()
        assert done.returncode == 3 and why in done.stderr, done
    finally:
        shards.sql('b', back)
    assert union.make().returncode == 0


def test_a_union_is_refused_where_the_schema_is_another(sold, union):
    shards, _ = sold
    done = union.make(into=shards.uri('a', 'owner'))
    assert done.returncode == 3 and f'database "{shards.realm.name}" is one of usher' in done.stderr, done
    union.sql("comment on schema usher is 'mine'")
    try:
        done = union.make()
        assert done.returncode == 3 and 'has a schema usher that union.sql did not make' in done.stderr, done
    finally:
        union.sql("comment on schema usher is 'made by union.sql'")


# ---- commands that prove or change ----

def test_all_are_reconciled_where_they_live(sold):
    """What is left in the old home, and what has arrived in part, is nobody's difference."""
    shards, _ = sold
    both = look(shards.uris('worker'), shards.realm, 'reconcile')[-1]
    assert (both['result'], both['differences'], both['redis']) == ('verdict', 0, True)
    assert both['resources'] == shards.sql('a', 'select count(*) from usher.resource')[0][0]


def test_a_difference_is_found_where_the_partition_lives(sold):
    shards, _ = sold
    wrong = ("update usher.booking set total = total + 1 where no = (select min(no) from usher.booking "
             "where no >> 48 in (1, 3) and state = 'confirmed')")
    right = wrong.replace('total + 1', 'total - 1')
    for shard, differences in ('a', False), ('b', True):
        shards.sql(shard, wrong)
        try:
            verdict = look(shards.uris('worker'), shards.realm, 'reconcile', '--redis', '', code=4 if differences else 0)[-1]
        finally:
            shards.sql(shard, right)
        assert bool(verdict['differences']) == bool(differences), verdict


def test_nothing_is_proven_without_a_database(sold):
    shards, _ = sold
    away = re.sub(r'@[^/]*/', '@127.0.0.1:1/', shards.uri('b', 'worker'))
    done = shards.realm.run('reconcile', USHER_POSTGRES=f'{shards.uri("a", "worker")} {away}')
    assert done.returncode == 69 and '127.0.0.1' in done.stderr and 'reconciled' not in done.stdout, done


def test_redis_is_rebuilt_from_all(sold):
    shards, _ = sold
    done = shards.realm.run('rebuild-cache', USHER_POSTGRES=shards.uris('worker'))
    resources = shards.sql('a', 'select count(*) from usher.resource')[0][0]
    assert done.returncode == 0 and f'rebuilt {resources} resources' in done.stdout, done
    assert look(shards.uris('worker'), shards.realm, 'reconcile')[-1]['differences'] == 0


# ---- a partition that does not live in one of them ----

# The commands that need all, and who runs them.
NEED_ALL = {('reconcile',): 'worker', ('rebuild-cache',): 'worker', ('forget-customer', 'nobody'): 'owner'}


@pytest.fixture(name='settled', scope='module')
def nothing_is_being_moved(sold):
    shards, _ = sold
    shards.move('b', '--cancel', partition=2)
    return shards


def keys(realm):
    """Of all resources."""
    return {key: realm.cache.dump(key) for key in realm.cache.keys(f'{realm.name}:{{*')}


def refused(shards, arguments, uris, code):
    """What it said. Redis shows what it showed."""
    shown = keys(shards.realm)
    done = shards.realm.run(*arguments, USHER_POSTGRES=uris)
    assert done.returncode == code and not re.search('rebuilt|reconciled', done.stdout), done
    assert shown and keys(shards.realm) == shown
    return done.stderr


@pytest.mark.parametrize('arguments', NEED_ALL, ids=' '.join)
@pytest.mark.parametrize('shard, why', [
    ('a', ELSEWHERE), ('b', 'no database of USHER_POSTGRES has partition 0 and 2: perhaps the URI of one is missing')])
def test_a_database_that_is_not_named_is_missed(settled, arguments, shard, why):
    assert why in refused(settled, arguments, settled.uri(shard, NEED_ALL[arguments]), 69)


@pytest.mark.parametrize('arguments', NEED_ALL, ids=' '.join)
@pytest.mark.parametrize('partition, stands, code, why', [
    (0, ('c', None), 69, 'partition 0 lives in shard c, which USHER_POSTGRES does not name'),
    (0, ('b', None), 69, 'no database of USHER_POSTGRES has partition 0: its rows were left in one of them'),
    (0, (None, 'b'), 69, 'partition 0: it stands still on its way|partition 0 is being moved to shard b'),
    (1, ('a', None), 78, 'more than one database of USHER_POSTGRES has partition 1: ')],
    ids=['it lives elsewhere', 'it lives in none', 'it lives nowhere for now', 'it lives in two'])
def test_what_needs_all_needs_each_partition_once(settled, arguments, partition, stands, code, why):
    with standing_as(settled, partition, *stands):
        assert re.search(why, refused(settled, arguments, settled.uris(NEED_ALL[arguments]), code))


def test_a_customer_is_forgotten_in_all_under_one_name(settled):
    shards = settled
    away = re.sub(r'@[^/]*/', '@127.0.0.1:1/', shards.uri('b', 'owner'))
    done = shards.realm.run('forget-customer', 'nobody', USHER_POSTGRES=f'{shards.uri("a", "owner")} {away}')
    assert done.returncode == 69 and f'127.0.0.1:1/{shards.realm.name}_b' in done.stderr, done
    assert 'forgotten-' in done.stdout
    for resource in look(shards.uris('reader'), shards.realm, 'resources'):
        shards.realm.client.send(shards.realm.client.request('close', resource['resource']))
    worker = shards.realm.worker()
    eventually(lambda: all(row['state'] == 'closed' for row in look(shards.uris('reader'), shards.realm, 'resources')), 'all are closed')
    worker.stop()
    bookings = len(look(shards.uris('reader'), shards.realm, 'bookings', '--customer', 'family'))
    done = shards.realm.run('forget-customer', 'family', USHER_POSTGRES=shards.uris('owner'))
    names = set(re.findall(r'forgotten-\w+', done.stdout))
    told = re.findall(r': (\d+) bookings?,', done.stdout)
    held = re.findall('not over: ', done.stdout)
    assert len(names) == 1 and len(told) == 2 and sum(map(int, told)) + len(held) == bookings, done
    assert done.returncode == 3 and (held or 'forget-moved' in done.stderr), done


def test_resources_are_pruned_where_they_live(sold):
    """None of what is left in the old home is listed."""
    shards, _ = sold
    resources = shards.sql('a', 'select count(*) from usher.resource')[0][0]
    for shard in 'a', 'b':
        shards.sql(shard, "update usher.resource set state = 'closed', starts_at = now() - interval '900 days', ends_at = null")
    done = shards.realm.run('prune', '--older-than', '1d', '--dry-run', USHER_POSTGRES=shards.uris('owner'))
    assert done.returncode == 0 and f'/{shards.realm.name}_b:\n' in done.stdout, done
    assert len(set(re.findall(r'^(\S+)  over since', done.stdout, re.M))) == len(re.findall('over since', done.stdout)) <= resources
