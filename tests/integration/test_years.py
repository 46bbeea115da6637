"""What years bring: resources that are long over are pruned and customers are forgotten, beside a worker that has them in memory."""

import contextlib
import hashlib
import json
import re
import subprocess

import psycopg2
import pytest

from harness.delete_records import restart_behind_deleted
from harness.moments import unrequested
from harness.shows import HALL, pieces, places, seats, standing, verdict
from harness.stack import clean_environment, program
from harness.waiting import eventually
from test_cache import differences
from test_recovery import accept_loss, accept_topic, await_halted

pytestmark = pytest.mark.whole

AGO = "interval '500 days'"


def prune(realm, *arguments, code=0, role='owner', **settings):
    done = realm.run('prune', '--older-than', '400d', *arguments, USHER_POSTGRES=realm.uri(role), **settings)
    assert done.returncode == code, done
    return done.stdout + done.stderr


@pytest.fixture(name='old')
def realm_with_old_shows(make_realm):
    """Two that are over for more than a year, one that is not closed, one that is closed and young; all in memory."""
    realm = make_realm()
    realm.set_clock('-500 days')
    worker = realm.worker()
    realm.ask('define', 'old', **HALL)
    realm.ask('book', 'old', customer='ann', items=[*seats('A-1', 'A-2'), *pieces('programme', 1)], request_id='first')
    realm.ask('book', 'old', customer='ann', items=[*seats('A-1', 'A-2'), *pieces('programme', 1)], request_id='first')
    realm.ask('hold', 'old', customer='ben', items=seats('B-1'), request_id='held', cart='x')
    realm.ask('hold', 'old', customer='ben', items=seats('B-2'), cart='x')
    realm.ask('confirm', 'old', customer='ben', cart='x')
    realm.ask('transfer', 'old', customer='ben', booking='held', to_customer='cid')
    realm.ask('cancel', 'old', customer='cid', booking='held')
    realm.ask('book', 'old', customer='ann', items=[])
    realm.ask('define', 'older', **standing(5))
    realm.ask('book', 'older', customer='ann', items=places('floor', 2))
    realm.ask('define', 'running', **standing(5))
    realm.ask('book', 'running', customer='ann', items=places('floor', 2))
    realm.ask('close', 'old')
    realm.ask('close', 'older')
    worker.stop()
    realm.set_clock('0')
    realm.worker()
    realm.ask('define', 'young', state='open', rooms=[
        {'room': 'double', 'from': '2100-01-01', 'to': '2100-01-03', 'capacity': 2, 'price': 9000}])
    realm.ask('close', 'young')
    realm.ask('probe', 'old')
    return realm


def tables(realm):
    names = ('resource', 'pool', 'booking', 'allocation', 'decision', 'cart_decision', 'former_owner', 'dead_letter')
    return {name: realm.sql(f'select count(*) from usher.{name}')[0][0] for name in names}


def published(realm):
    """The answers about what is old are known to be published, which a quiet partition says by itself."""
    eventually(lambda: realm.sql(
        "select published_seq >= (select max(seq) from usher.decision where resource in ('old', 'older')) "
        'from usher.partition_state') == [(True,)], 'the last answer is recorded as published')


def test_what_is_long_over_goes_beside_a_worker_that_has_it_in_memory(old, tmp_path):
    realm, worker = old, old.workers[-1]
    published(realm)
    before = tables(realm)
    said = prune(realm, '--dry-run')
    assert 'old  over since' in said and 'older' in said and 'running' not in said and 'young' not in said
    assert '2 resources' in said and tables(realm) == before
    announced = re.search(r'2 resources with (\d+) decisions would be', said)[1]
    # A night is over when its morning has come everywhere.
    assert realm.sql("select ended_at = '2100-01-03 12:00Z' from usher.prunable('infinity') where resource = 'young'") == [(True,)]
    assert 'deleted' not in prune(realm, code=77, role='worker')
    assert 'deleted' not in prune(realm, '--archive', str(tmp_path / 'none'), code=78)
    assert realm.run('prune').returncode == 64
    done = realm.run('prune', '--older-than', '400')
    assert done.returncode == 64 and 'is not within 1d and 36500d; 400 means seconds' in done.stderr
    said = prune(realm, '--archive', str(tmp_path))
    assert 'deleted 2 resources' in said and '2 from Redis' in said and f', {announced} decisions, ' in said
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
    left = tables(realm)
    assert (left['resource'], left['booking'], left['allocation'], left['dead_letter']) == (2, 1, 0, 0)
    # Each row that is gone is in a file, and the files are as their checksums say.
    rows = {name: 0 for name in before}
    for file in tmp_path.iterdir():
        if file.suffix[1:] in rows:
            rows[file.suffix[1:]] += len(file.read_text().splitlines())
    assert rows == {name: before[name] - left[name] for name in before}
    [sums] = tmp_path.glob('*.sha256')
    subprocess.run(['sha256sum', '--check', '--strict', '--quiet', sums.name], cwd=tmp_path, check=True)
    assert f'{hashlib.sha256(sums.with_suffix(".resource").read_bytes()).hexdigest()}  ' in sums.read_text()
    assert set(realm.listed()) == {'running', 'young'} and realm.shown('old') == [{}, None, {}]
    assert differences(realm) == []

    # The worker knows of none any more, and a request id of a pruned resource is as good as new.
    assert verdict(realm.ask('probe', 'old')) == ('refused', 'unknown_resource')
    assert verdict(realm.ask('book', 'older', customer='d', items=places('floor', 1))) == ('refused', 'unknown_resource')
    assert verdict(realm.ask('book', 'running', customer='d', items=places('floor', 3))) == ('confirmed', None)
    realm.ask('define', 'old', **HALL)
    again = realm.ask('book', 'old', customer='ann', items=[*seats('A-1', 'A-2'), *pieces('programme', 1)], request_id='first')
    assert verdict(again) == ('confirmed', None) and not again.get('replayed')
    assert worker.process.poll() is None
    realm.await_shown('old', again['rev'])
    assert 'deleted 0 resources' in prune(realm)
    assert differences(realm) == []
    realm.sql("delete from usher.decision where seq = (select max(seq) - 1 from usher.decision)")
    assert differences(realm) != [], 'a decision is missing that was not pruned'


def test_what_redis_could_not_be_told_it_is_told_by_the_next_run(old):
    realm = old
    published(realm)
    assert 'deleted 2 resources' in prune(realm, USHER_REDIS='redis://127.0.0.1:1', code=69)
    assert 'old' in realm.listed()
    said = realm.command('reconcile')
    assert [line.split(' was pruned')[0] for line in said.splitlines() if 'pruned' in line] == [
        'note: resource "old"', 'note: resource "older"']
    realm.cache.zadd(f'{realm.name}:resources', {'stranger': 0})
    assert 'stranger: in Redis, but not in PostgreSQL' in realm.run('reconcile').stdout
    realm.cache.zrem(f'{realm.name}:resources', 'stranger')
    assert '2 from Redis' in prune(realm)
    assert set(realm.listed()) == {'running', 'young'}
    realm.check(tolerance_ms=10**12)


def test_an_earlier_owner_does_not_show_again_what_was_pruned(make_realm, make_own_redis, tmp_path):
    """It reaches Redis after the prune, with all of a resource that it does not know to be gone: its partition is quiet."""
    socket = tmp_path / 'redis.sock'
    own = make_own_redis('own', '--unixsocket', str(tmp_path / 'socket'))
    realm = make_realm(USHER_REDIS=f'unix://{socket}')
    realm.set_clock('-500 days')
    worker = realm.worker()
    realm.ask('define', 'old', **HALL)
    realm.ask('close', 'old')
    realm.set_clock('0')
    realm.ask('define', 'young', **standing(5))
    eventually(lambda: realm.sql('select published_seq = next_seq - 1 from usher.partition_state') == [(True,)],
               'it has nothing left to commit, by which it would notice')
    assert 'deleted 1 resource ' in prune(realm, USHER_REDIS=own.url)
    epoch, _offset, next_seq = realm.position()
    socket.symlink_to(tmp_path / 'socket')
    eventually(lambda: own.client.get(f'{realm.name}:shown:0') == f'{epoch - 1}/{next_seq - 1}', 'it goes on, and has written all')
    assert realm.listed() == ['young'] and realm.shown('old') == [{}, None, {}] and differences(realm) == []
    assert realm.position()[0] == epoch and worker.metric('usher_cache_writes_total', result='stale') >= 1
    # Its successor knows, and one that is defined anew is another one.
    realm.await_shown('old', realm.ask('define', 'old', **HALL)['rev'])
    assert realm.listed() == ['old', 'young'] and differences(realm) == []
    # A database of before the prune has it, and an earlier epoch.
    worker.stop()
    realm.sql('update usher.partition_state set epoch = 1')
    realm.command('rebuild-cache')
    assert realm.listed() == ['old', 'young']
    realm.cache.close()


@contextlib.contextmanager
def started(realm, *arguments, waits):
    """A command of the owner, once it waits in the database for such an event; then it is the caller's."""
    environment = clean_environment(**{**realm.environment, 'USHER_POSTGRES': realm.uri('owner')})
    with subprocess.Popen([program('usher-worker'), *arguments], env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        waiting = "select pid from pg_stat_activity where usename = 'usher_owner' and datname = %s and wait_event_type = %s"
        try:
            eventually(lambda: realm.sql(waiting, realm.name, waits), 'it waits')
            yield process
        finally:
            process.kill()
    eventually(lambda: not realm.sql("select from pg_stat_activity where usename = 'usher_owner' and datname = %s", realm.name))


def test_a_prune_that_is_killed_is_finished_by_the_next(old):
    realm = old
    published(realm)
    before = tables(realm)
    with realm.held_up('usher.partition_state', 'new.epoch > old.epoch'), \
            started(realm, 'prune', '--older-than', '400d', waits='Timeout') as process:
        process.kill()  # all is deleted, and nothing committed
        realm.sql('delete from public.gate')
    assert tables(realm) == before
    realm.sql('drop trigger gate on usher.partition_state')
    with realm.held_up('usher.pruned', 'new.hidden_at is not null'), \
            started(realm, 'prune', '--older-than', '400d', waits='Timeout') as process:
        process.kill()  # one is deleted from Redis, and nobody has noted it
        realm.sql('delete from public.gate')
    assert len({'old', 'older'} & set(realm.listed())) == 1
    assert 'was pruned' in realm.command('reconcile')
    said = prune(realm)
    assert 'deleted 0 resources' in said and re.search('[12] from Redis', said)
    assert set(realm.listed()) == {'running', 'young'} and 'pruned' not in realm.command('reconcile')


def test_what_a_trigger_keeps_is_neither_pruned_nor_forgotten(old):
    """All or nothing, with the name of the table: rows of a resource that is gone would belong to nothing."""
    realm = old
    published(realm)
    before, named = tables(realm), realm.sql('select customer from usher.booking order by no')
    realm.sql("create function skip() returns trigger language plpgsql as 'begin return null; end'")
    for event, table, said in (
            *(('delete', table, f'what deletes left of usher.{table}') for table in (
                'cart_decision', 'former_owner', 'allocation', 'decision', 'booking', 'pool', 'quarter', 'resource')),
            ('update', 'decision', 'updates of usher.decision'), ('update', 'booking', 'updates of usher.booking'),
            ('update', 'former_owner', 'updates of usher.former_owner'),
            ('update', 'partition_state', 'updates of usher.partition_state')):
        realm.sql(f'create trigger skip before {event} on usher.{table} for each row execute function skip()')
        done = realm.run(*(('prune', '--older-than', '400d') if event == 'delete' else ('forget-customer', 'ben')),
                         USHER_POSTGRES=realm.uri('owner'))
        realm.sql(f'drop trigger skip on usher.{table}')
        assert done.returncode == 70 and said in done.stdout + done.stderr, (table, done)
        assert tables(realm) == before and realm.sql('select customer from usher.booking order by no') == named
    assert 'deleted 2 resources' in prune(realm)


def test_what_is_not_published_stays(make_realm):
    """Also what nobody asked for, as the end of a hold by a close: no consumer would pass the gap."""
    realm = make_realm()
    realm.set_clock('-500 days')
    worker = realm.worker()
    realm.ask('define', 'old', **HALL)
    realm.ask('define', 'other', **standing(5))
    held = realm.ask('hold', 'old', customer='ann', items=seats('A-1'))
    realm.ask('close', 'old', cancel_bookings=True)
    ended = unrequested(realm, held['booking'], 'old', 'resource_closed')
    assert worker.stop() == 0
    realm.set_clock('0')
    before = tables(realm)
    # As a worker leaves it that is killed between commit and publishing.
    realm.sql('update usher.partition_state set published_seq = %s', ended['seq'] - 1)
    said = prune(realm)
    assert 'resource "old" cannot be pruned now' in said and 'deleted 0 resources' in said and 'kept 1' in said
    assert tables(realm) == before
    realm.sql('update usher.partition_state set published_seq = %s', ended['seq'])
    assert_prune_is_fenced(realm)
    assert 'deleted 1 resource' in prune(realm)
    # Answers that have been pruned are to be published again.
    realm.recreate('results')
    accept_topic(realm, '--topic', 'results', '--published', '0', '--why', 'lost', '--yes')
    worker = realm.worker()
    assert 'the decision after seq 0 is missing' in await_halted(worker)
    assert realm.run('reconcile').returncode == 4
    accept_loss(realm, 0, '--why', 'pruned', '--yes')
    watch = ('watch', '--from-beginning', '--until-end', '--json')
    eventually(lambda: [(one['seq'], one.get('cause')) for one in map(json.loads, realm.command(
        *watch, name='usher-producer').splitlines())] == [(1, 'lost'), (2, None), (3, 'lost'), (4, 'lost'), (5, 'lost')],
               'all seqs are published')
    assert 'note: partition 0: 4 of the decisions before seq 6 were lost' in realm.command('reconcile')


def test_a_halted_partition_stays_halted_whoever_begins_another_epoch(old):
    """And its worker, which runs, is told when an operator ends that."""
    realm, worker = old, old.workers[-1]
    published(realm)
    worker, start, kept = restart_behind_deleted(realm, worker, 'running')
    await_halted(worker, 'deleted before they were decided')
    halted = 'select halted is not null from usher.partitions'
    eventually(lambda: realm.sql(halted) == [(True,)], 'the halt is recorded')
    realm.sql("update usher.partition_state set now = now + interval '1 hour'")

    def partition(*arguments):
        return realm.command('partition', *arguments, USHER_POSTGRES=realm.uri('owner'))
    for begin in (lambda: forget(realm, 'ben'), lambda: prune(realm), lambda: partition('reset-clock', '--partition', '0')):
        before = realm.position()[0]
        begin()
        assert realm.position()[0] > before and realm.sql(halted) == [(True,)]
    assert 'tries again' in partition('skip', '--partition', '0', '--to', str(start), '--why', 'retention', '--yes')
    assert realm.client.answers_to(kept)[0]['free'] == 3
    assert worker.process.poll() is None and worker.metric('usher_partition_halted') == 0


def assert_prune_is_fenced(realm):
    """From its begin to its end nobody may ask for what it deletes to be published again."""
    with realm.session() as cursor:
        cursor.execute('begin')
        cursor.execute("select no, set_config('usher.published', usher.prune_begin(no, clock_timestamp())::text, true) "
                       "from usher.resource where id = 'old'")
        [(number, _published)] = cursor.fetchall()
        cursor.execute('delete from usher.decision where resource_no = %s', (number,))
        cursor.execute('update usher.partition_state set published_seq = published_seq - 1')
        with pytest.raises(psycopg2.Error) as refused:
            cursor.execute("select usher.prune_end(%s, 0, 'old', clock_timestamp(), 1, 1, 0)", (number,))
        assert refused.value.pgcode == 'US002' and 'published again' in str(refused.value)
        cursor.execute('rollback')


def forget(realm, customer, code=0, role='owner'):
    done = realm.run('forget-customer', customer, USHER_POSTGRES=realm.uri(role))
    assert done.returncode == code, done
    return done.stdout


def test_who_is_forgotten_beside_others_that_lock_in_another_order(old):
    """Of two that wait for each other PostgreSQL ends one: here the one that gives up first."""
    realm = old
    published(realm)
    with realm.session() as other:
        other.execute("set deadlock_timeout = '1h'; begin")
        other.execute("select from usher.booking where customer = 'ann' for update")
        with started(realm, 'forget-customer', 'ann', waits='Lock') as process:
            other.execute('select from usher.partition_state for update')
            other.execute('rollback')
            said, errors = process.communicate()
    assert process.returncode == 3 and re.search(r'tried again after \d+ collisions? with', errors), (said, errors)
    assert ': 2 bookings, ' in said and realm.sql("select count(*) from usher.booking where customer = 'ann'") == [(1,)]


def test_who_has_very_many_bookings_is_forgotten_page_by_page(make_realm):
    """All partitions wait for a page, and none for all of them."""
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **standing(20))
    assert worker.stop() == 0
    realm.sql('update usher.partition_state set next_seq = 100001, published_seq = 100000')
    realm.sql("insert into usher.booking (no, partition, resource_no, created_at, expires_at, total, state, op, request_id, "
              "customer, lines) select 10 + n, 0, r.no, clock_timestamp(), clock_timestamp(), 0, "
              "case n % 5000 when 0 then 'held' else 'released' end, 'hold', 'r' || n, 'door', '[]' "
              "from generate_series(1, 25000) as n, usher.resource as r")
    before = realm.position()[0]
    said = forget(realm, 'door', code=3)
    assert said.count('not over: show') == 5 and ': 24995 bookings, ' in said
    assert realm.sql("select count(*) from usher.booking where customer = 'door'") == [(5,)]
    assert realm.position()[0] == before + 3, 'each page fences the owners'


def test_a_customer_is_forgotten_where_it_is_over_and_no_worker_writes_the_name_back(old):
    realm = old
    realm.ask('book', 'running', customer='ann', items=places('floor', 9), request_id='too-many')
    kept = realm.ask('book', 'running', customer='ann', items=places('floor', 1), payment='pi_2', meta={'name': 'Ann'})
    realm.ask('open', 'older')
    gone = realm.ask('book', 'older', customer='ann', items=places('floor', 1), payment='pi_1', meta={'name': 'Ann'},
                     request_id='paid')
    realm.ask('book', 'older', customer='ann', items=places('floor', 1), request_id='ill')
    why = {'customer': 'ann', 'booking': 'ill', 'note': 'ann is "ill", says ben', 'request_id': 'why'}
    assert [realm.ask('cancel', 'older', **why)['detail'] for _twice in range(2)] == [why['note']] * 2
    realm.ask('close', 'older')
    published(realm)
    sold = realm.sql('select count(*), sum(total) from usher.booking')
    forget(realm, 'ann', code=77, role='worker')
    said = forget(realm, 'ann', code=3)
    assert f'not over: running  {kept["booking"]}  confirmed' in said and '4 bookings' in said and '3 other answers' in said
    pseudonym = said.splitlines()[-1].split(':')[0]
    assert pseudonym.startswith('forgotten-')
    assert realm.sql('select count(*), sum(total) from usher.booking') == sold
    assert realm.sql("select r.id, payment from usher.booking b join usher.resource r on r.no = b.resource_no "
                     "where customer = 'ann' order by 2") == [('running', 'pi_2'), ('running', None)]
    assert realm.sql("select customer, payment, meta from usher.booking where request_id = 'paid'") == [
        (pseudonym, 'forgotten', '{}')]
    named = realm.sql("select distinct resource from usher.decision where body like '%ann%'")
    assert named == [('running',)], 'only what is about bookings that are not over'
    assert realm.sql("select count(*) from usher.dead_letter where value is not null") == [(0,)]
    # The worker that had it all in memory repeats what is kept, and takes its owner for somebody else.
    again = realm.ask('book', 'older', customer='ann', items=places('floor', 1), payment='pi_1', meta={'name': 'Ann'},
                      request_id='paid')
    assert (again['replayed'], again['customer'], again['payment']) == (True, pseudonym, 'forgotten')
    assert again['total'] == gone['total']
    again = realm.ask('cancel', 'older', **why)
    assert (again['replayed'], again['customer'], again['detail']) == (True, pseudonym, 'forgotten')
    assert verdict(realm.ask('cancel', 'older', customer='ann', booking='paid')) == ('refused', 'not_owner')
    assert verdict(realm.ask('cancel', 'older', booking='paid', force=True)) == ('cancelled', None)
    assert realm.sql("select customer from usher.booking where request_id = 'paid'") == [(pseudonym,)]
    # Who had a booking before it was transferred, and in a cart.
    assert ': 1 booking,' in forget(realm, 'ben')
    assert realm.sql("select count(*) from usher.former_owner where customer = 'ben'") == [(0,)]
    assert realm.sql("select count(*) from usher.decision where body like '%\"ben\"%'") == [(0,)]
    assert differences(realm) == []
