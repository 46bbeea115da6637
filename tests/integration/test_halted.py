"""A partition that a person must look at: it stands still and says why, and what was committed before is answered."""

import json

import pytest

from harness.delete_records import delete_records
from harness.realm import PATIENT, STEADY
from harness.shows import HALL, places, seats, standing, verdict
from harness.topics import delete_only, set_topic
from harness.waiting import eventually
from harness.worker import QUICK

SETTINGS = STEADY


def await_halted(realm, worker):
    """What it says, and so does the database."""
    eventually(lambda: [one['state'] for one in worker.status()['partitions']] == ['halted'], 'the partition is halted')
    assert worker.metric('usher_partition_halted') == 1
    why, epoch, at = realm.sql('select p.halted, p.epoch, h.next_offset is not distinct from p.next_offset '
                               'from usher.partitions as p join usher.partition_halt as h using (partition, epoch)')[0]
    said = worker.status()['partitions'][0]
    assert (why, epoch, at) == (said['error'], said['epoch'], True)
    assert 'now halted' in worker.log()
    return json.dumps(worker.status())


STATE = ('next_offset', 'next_seq', 'published_seq', 'published_result_offset', 'fingerprint', 'fingerprint_offset', 'now')


def test_a_database_that_lost_commits_under_a_live_worker(realm):
    """As after a fail-over to a standby that lagged: the producer is still good, so the result log is not asked."""
    worker = realm.workers[0]
    realm.ask('define', 'show', **standing(20))
    realm.ask_all(*(realm.client.request('book', 'show', customer='c', items=places('floor', 1)) for _ in range(3)))
    before = realm.sql(f'select {", ".join(STATE)} from usher.partition_state where partition = 0')[0]
    revs = realm.sql('select rev, no from usher.resource')
    taken = realm.sql('select held, sold, blocked from usher.pool')
    assert taken == [(0, 3, 0)]
    sold = realm.ask_all(*(realm.client.request('book', 'show', customer='c', items=places('floor', 1))
                           for _ in range(5)))
    assert {verdict(answer) for answer in sold} == {('confirmed', None)}
    with realm.session() as cursor:
        cursor.execute('begin')
        cursor.execute('select from usher.partition_state where partition = 0 for update')
        cursor.execute('update usher.pool set (held, sold, blocked) = (%s, %s, %s)', taken[0])
        cursor.execute('delete from usher.booking where no & ((1::bigint << 48) - 1) >= %s', (before[1],))
        cursor.execute('delete from usher.decision where seq >= %s', (before[1],))
        cursor.execute('update usher.resource set rev = %s where no = %s', revs[0])
        cursor.execute(f'update usher.partition_state set ({", ".join(STATE)}) = ({", ".join(["%s"] * len(STATE))}) '
                       'where partition = 0', before)
        cursor.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'usher_worker' "
                       'and datname = %s', (realm.name,))
        cursor.execute('commit')
    place = realm.client.send(realm.client.request('book', 'show', customer='d', items=places('floor', 1)))
    assert 'lost commits' in await_halted(realm, worker)
    assert place[0] not in realm.client.answers.by_source, 'a unit was sold that somebody has a receipt for'


def partition(realm, action, *arguments, code=0, role='owner'):
    done = realm.run('partition', action, *arguments, USHER_POSTGRES=realm.uri(role))
    assert done.returncode == code, done
    return done.stdout + done.stderr


def events(realm):
    """What became of partitions: (event, from, to, why), the latest first."""
    listed = [json.loads(line) for line in partition(realm, 'list', '--json', role='reader').splitlines()]
    return [(one['event'], one['from_offset'], one['to_offset'], one['reason']) for one in listed]


def test_requests_are_skipped_and_a_worker_that_runs_cannot_commit_over_it(realm):
    worker = realm.workers[0]
    realm.ask('define', 'show', **standing(20))
    worker.pause()
    gone = [realm.client.request('book', 'show', customer='gone', items=places('floor', 1)) for _ in range(3)]
    realm.client.send(*gone)
    start = realm.position()[1]
    skip = ('skip', '--partition', '0', '--to', str(start + 3), '--why', 'as agreed with the box office')
    assert 'standard input is no terminal' in partition(realm, *skip, code=64)
    partition(realm, 'skip', '--partition', '0', '--to', str(start + 3), '--yes', code=64)
    partition(realm, *skip, '--yes', code=77, role='worker')
    assert 'behind the end' in partition(realm, 'skip', '--partition', '0', '--to', '999', '--why', 'x', '--yes', code=65)
    assert 'already' in partition(realm, 'skip', '--partition', '0', '--to', '0', '--why', 'x', '--yes', code=65)
    assert 'ever took' in partition(realm, 'skip', '--partition', '7', '--to', '1', '--why', 'x', '--yes', code=65)
    for why, said in ('x' * 1001, '1001 bytes, and the maximum is 1000'), ('\udcff', 'not UTF-8'), ('', '--why TEXT is required'):
        refused = partition(realm, *skip[:-1], why, '--yes', code=64)
        assert said in refused and refused.count('\n') == 1, refused
    for action in 'resume', 'accept-loss':
        partition(realm, action, '--partition', '0', '--why', 'x', '--to', '1', code=64)
    assert 'partition skip takes no --json' in partition(realm, *skip, '--yes', '--json', code=64)
    assert 'ever took partition 7' in partition(realm, 'resume', '--partition', '7', code=65)
    assert realm.position()[1] == start
    said = partition(realm, *skip, '--yes', '--limit', '2')
    assert [request['request_id'] in said for request in gone] == [True, True, False]
    assert '1 more' in said and '3 requests' in said and worker.name in said
    place = realm.client.send(realm.client.request('book', 'show', customer='d', items=places('floor', 1)))
    worker.resume()
    assert realm.client.answers_to(place)[0]['free'] == 19, 'what was skipped took nothing'
    assert events(realm) == [('skipped', start, start + 3, 'as agreed with the box office')]
    realm.check()


def test_a_log_that_begins_behind_what_was_decided_is_taken_up_where_it_begins(make_realm):
    """Its worker halted, and goes on without a restart; so does one whose cause is gone."""
    realm = make_realm()
    worker = realm.worker(**QUICK)  # it is killed
    realm.ask('define', 'show', **standing(20))
    worker.pause()
    lost = realm.client.send(*(realm.client.request('book', 'show', customer='gone', items=places('floor', 1))
                               for _ in range(3)))
    delete_records(realm.brokers, realm.client.topic)
    kept = realm.client.send(realm.client.request('book', 'show', customer='d', items=places('floor', 1)))
    worker.kill()
    worker = realm.worker()
    said = await_halted(realm, worker)
    assert 'deleted before they were decided' in said
    [(event, stands, _to, why)] = events(realm)
    assert event == 'halted' and stands == lost[0][1] and why in said
    checked = realm.run('check')
    assert checked.returncode == 0 and 'partition 0 has halted since' in checked.stdout and why in checked.stdout
    partition(realm, 'resume', '--partition', '0', code=77, role='worker')
    assert 'tries again' in partition(realm, 'resume', '--partition', '0')
    eventually(lambda: len(events(realm)) == 2, 'it halted again, as the cause is not gone')
    assert 'deleted' in await_halted(realm, worker)
    worker.pause()
    said = partition(realm, 'skip', '--partition', '0', '--to', str(kept[0][1]), '--why', 'retention', '--yes')
    with realm.session() as cursor:  # before the worker looks: as prune, forget-customer and reset-clock begin one
        cursor.execute('update usher.partition_state set epoch = epoch + 1')
    worker.resume()
    assert 'no records before offset' in said and '0 requests' in said and 'tries again' in said
    assert realm.client.answers_to(kept)[0]['free'] == 19
    assert worker.metric('usher_partition_halted') == 0
    assert [event for event, *_ in events(realm)] == ['skipped', 'was halted', 'was halted']
    assert 'not halted' in partition(realm, 'resume', '--partition', '0')


POISON = '''
    create table enough ();
    create function trap() returns trigger language plpgsql security definer as $$
    begin
        if new.customer = 'slow' then
            while not exists (select from public.enough) loop
                perform pg_sleep(0.02);
            end loop;
        else
            raise exception 'trapped' using errcode = 'US003';
        end if;
        return new;
    end $$;
    create trigger trap before insert on usher.booking for each row when (new.customer in ('slow', 'poison'))
        execute function trap();
'''


def test_what_a_halted_partition_shows_comes_back_by_rebuilding(realm):
    """Redis was emptied meanwhile: its worker writes nothing until it goes on, so reconcile tells, and rebuild-cache writes."""
    worker = realm.workers[0]
    answer = realm.ask('define', 'show', **standing(20))
    realm.await_shown('show', answer['rev'])
    set_topic(realm, cleanup_policy='compact')
    await_halted(realm, worker)
    for key in realm.cache.scan_iter(f'{realm.name}:*'):
        realm.cache.delete(key)
    done = realm.run('reconcile')
    assert done.returncode == 4 and 'in Redis' in done.stdout
    realm.command('rebuild-cache')
    realm.await_shown('show', answer['rev'])
    assert realm.run('reconcile').returncode == 0
    delete_only(realm)
    realm.command('partition', 'resume', '--partition', '0', USHER_POSTGRES=realm.uri('owner'))
    assert verdict(realm.ask('book', 'show', customer='c', items=places('floor', 1))) == ('confirmed', None)
    realm.check()


def test_a_halt_that_nobody_ended(realm):
    """It was recorded while an operator began the next epoch, and so too late to be ended: the worker tries again all the same."""
    realm.ask('define', 'show', **HALL)
    realm.sql(POISON)
    sent = realm.client.send(realm.client.request('book', 'show', customer='poison', items=places('standing', 1)))
    await_halted(realm, realm.workers[0])
    realm.sql('drop trigger trap on usher.booking')
    with realm.session() as cursor:
        cursor.execute('update usher.partition_state set epoch = epoch + 1')
    assert verdict(realm.client.answers_to(sent)[0]) == ('confirmed', None)


def test_what_was_committed_before_is_answered(make_realm, parts):
    """Its answers gather while others are under way, and nobody turns the loop any more."""
    realm = make_realm(USHER_BATCHES_IN_FLIGHT='8', **PATIENT)
    worker = realm.worker()
    realm.ask('define', 'show', **HALL)
    realm.sql(POISON)
    sent, decided = [], 0
    # Three batches: each is begun when it is as large as all before it.
    for customers in (['slow'], ['b'], ['poison', 'c']):
        sent += realm.client.send(*(realm.client.request('book', 'show', customer=customer,
                                                         items=places('standing', 1)) for customer in customers))
        decided += len(customers)
        realm.await_in_flight(worker, decided)
    parts.pause('kafka')
    realm.sql('insert into enough default values')
    assert 'trapped' in await_halted(realm, worker)
    parts.resume('kafka')
    for answer in realm.client.answers_to(sent[:2]):
        assert verdict(answer) == ('confirmed', None)


UNCHECKED = 'alter table usher.pool drop constraint pool_taken_check'
CHECKED = ('alter table usher.pool add constraint pool_taken_check check (held >= 0 and sold >= 0 and blocked >= 0 and '
           'held::bigint + sold + blocked <= capacity) not valid')


@pytest.mark.parametrize('damage, said', [
    # Memory has less sold than the row.
    ('update usher.pool set sold = 19', 'updates of usher.pool: 0 rows instead of 1'),
    # Its numbers are as memory has them, but the capacity was lowered to less than memory sells.
    ('update usher.pool set capacity = 4', 'pool_taken_check'),
    # Lowered to less than is sold already.
    (f'{UNCHECKED}; update usher.pool set capacity = 2; {CHECKED}', 'pool_taken_check')])
def test_no_more_are_sold_than_the_database_says_there_are(realm, damage, said):
    """As a second owner of a unit: no request is at fault, so none is set aside."""
    worker = realm.workers[0]
    realm.ask('define', 'show', **standing(20))
    assert verdict(realm.ask('book', 'show', customer='c', items=places('floor', 3))) == ('confirmed', None)
    before = realm.position()
    realm.sql(damage)
    place = realm.client.send(realm.client.request('book', 'show', customer='d', items=places('floor', 2)))
    assert said in await_halted(realm, worker)
    assert realm.position() == before
    assert realm.sql("select count(*) from usher.booking where customer = 'd'") == [(0,)]
    assert realm.sql('select count(*) from usher.dead_letter') == [(0,)]
    assert place[0] not in realm.client.answers.by_source
    assert realm.run('reconcile').returncode == 4


TAKEN = 'its units are not taken as its lines say'


@pytest.mark.parametrize('damage, op, said', [
    ('delete from usher.allocation', 'cancel', TAKEN),
    ("update usher.booking set lines = replace(lines, '[0,1]', '[0,9]')", 'cancel', TAKEN),
    ("update usher.booking set lines = replace(lines, '[0,1]', '[0,0]')", 'cancel', 'its lines cannot be read'),
    ('update usher.pool set sold = 2 where sold = 3', 'cancel', TAKEN),
    ("update usher.booking set created_at = 'infinity'", 'cancel', 'did not write its created_at'),
    ("update usher.booking set created_at = '1969-07-20'", 'cancel', 'did not write its created_at'),
    ('update usher.resource set rev = 1000000', 'cancel', 'its rev 1000000 is of no decision yet'),
    ("update usher.pool set name = 'arena' where name = 'floor'", 'cancel', 'do not fit together'),
    ("update usher.pool set night = '200000-01-01' where night is not null", 'cancel', 'do not fit together'),
    ("update usher.decision set booking_nos = '{{1,2},{3,4}}'", 'again', 'did not write its booking_nos'),
    ("update usher.decision set booking_nos = '{null,null}'", 'again', 'did not write its booking_nos')])
def test_rows_that_somebody_else_wrote_halt_their_partition(realm, damage, op, said):
    """The worker that meets them goes on with its other partitions, and does not end, again and again."""
    realm.ask('define', 'show', state='open', sections=[{'section': 'arena', 'price': 1, 'rows': [{'row': 'A', 'seats': 5}]},
                                                        {'section': 'floor', 'price': 1, 'capacity': 9}],
              rooms=[{'room': 'box', 'from': '2030-01-01', 'to': '2030-01-02', 'capacity': 1, 'price': 1}])
    booking = realm.client.request('book', 'show', customer='c', items=[*seats('A-1', 'A-2'), *places('floor', 3)])
    assert verdict(realm.ask_all(booking)[0]) == ('confirmed', None)
    realm.workers[0].stop()
    assert realm.sql(f'with damaged as ({damage} returning 1) select count(*) > 0 from damaged') == [(True,)]
    worker = realm.worker()
    realm.client.send(booking if op == 'again' else
                      realm.client.request(op, 'show', customer='c', booking=booking['request_id']))
    assert said in await_halted(realm, worker)
    assert worker.process.poll() is None


@pytest.mark.parametrize('damage', ['published_result_offset = -7', "now = 'infinity'"])
def test_a_position_that_somebody_else_wrote_is_not_taken_up(realm, damage):
    """It goes on once the row is mended: whose the partition is, is not known."""
    realm.workers[0].stop()
    mended = realm.sql('select published_result_offset, now from usher.partition_state')[0]
    realm.sql(f'update usher.partition_state set {damage}')
    worker = realm.worker(await_ready=False)
    eventually(lambda: 'did not write its row of partition_state' in worker.log(), 'it says so')
    realm.sql('update usher.partition_state set (published_result_offset, now) = (%s, %s)', *mended)
    worker.await_ready()
    assert verdict(realm.ask('probe', 'nothing')) == ('refused', 'unknown_resource')
