"""Nothing is published on the strength of a commit whose effect was not confirmed, nor decided on rows that are hidden."""

import pytest

from harness.realm import STEADY
from harness.shows import places, seats, standing, verdict
from harness.waiting import eventually

SETTINGS = STEADY

HALL = {'state': 'open', 'sections': [{'section': 'stalls', 'price': 4500, 'rows': [{'row': 'A', 'seats': 9}]},
                                      {'section': 'floor', 'price': 1000, 'capacity': 9}]}
SKIP = "create function skip() returns trigger language plpgsql as 'begin return null; end'"


def await_halted(realm, said):
    worker = realm.workers[0]
    eventually(lambda: [one['state'] for one in worker.status()['partitions']] == ['halted'], f'it is halted: {said}')
    assert said in worker.status()['partitions'][0]['error'], worker.status()
    assert worker.process.poll() is None


def partition(realm, action, *arguments, code=0):
    done = realm.run('partition', action, '--partition', '0', *arguments, USHER_POSTGRES=realm.uri('owner'))
    assert done.returncode == code, done
    return done.stdout + done.stderr


def answered(realm, sent):
    return [place for place in sent if place in realm.client.answers.by_source]


def stand(realm):
    return realm.sql('select next_seq, next_offset, (select count(*) from usher.decision) from usher.partition_state')


def requests(realm, show):
    """By the table of which rows are dropped, and how: a request that writes such a row."""
    make = realm.client.request
    book = make('book', show, customer='c', items=seats('A-1'))
    return [
        ('insert', 'resource', make('define', f'{show}:new', **standing(3))),
        ('insert', 'pool', make('define', f'{show}:newer', **standing(3))),
        ('insert', 'chart', make('define', f'{show}:newest', state='open', sections=[
            {'section': 'stalls', 'price': 1, 'rows': [{'row': 'Z', 'seats': 7}]}])),
        ('insert', 'decision', make('hold', show, customer='c', items=seats('A-2'))),
        ('insert', 'booking', book),
        ('insert', 'allocation', make('book', show, customer='c', items=seats('A-3'))),
        ('update', 'pool', make('book', show, customer='c', items=places('floor', 1))),
        ('update', 'resource', make('book', show, customer='c', items=places('floor', 1))),
        ('insert', 'quarter', make('book', show, customer='c', items=seats('A-4'))),
        ('insert', 'former_owner', make('transfer', show, customer='c', booking=book['request_id'], to_customer='d')),
        ('delete', 'allocation', make('cancel', show, customer='d', booking=book['request_id'])),
        ('update', 'booking', make('confirm', show, customer='cc', cart='cart')),
        ('insert', 'cart_decision', make('confirm', show, customer='dd', cart='cart')),
    ]


def test_rows_that_a_trigger_drops_halt_their_partition(realm):
    """Whichever statement of a batch it is: its table is named, nothing is committed or answered, and all is well once the
    trigger is gone."""
    realm.ask('define', 'show', **HALL)
    for customer in 'cc', 'dd':
        for number in 1, 2:
            realm.ask('hold', 'show', customer=customer, cart='cart', items=places('floor', number))
    realm.sql(SKIP)
    for event, table, request in requests(realm, 'show'):
        before = stand(realm)
        realm.sql(f'create trigger skip before {event} on usher.{table} for each row execute function skip()')
        sent = realm.client.send(request)
        await_halted(realm, f'usher.{table}: 0 rows instead of {2 if request["op"] == "confirm" else 1}')
        assert stand(realm) == before and not answered(realm, sent), table
        if table in ('booking', 'pool'):
            checked = realm.run('check')
            assert checked.returncode == 78 and f'trigger skip of usher.{table} is not of usher' in checked.stdout, checked
        realm.sql(f'drop trigger skip on usher.{table}')
        partition(realm, 'resume')
        answer = realm.client.answers_to(sent)[0]
        assert answer['outcome'] not in ('refused', 'invalid'), (table, answer)
    realm.check()


def test_a_dead_letter_that_a_trigger_drops_halts_its_partition(realm):
    realm.ask('define', 'show', **HALL)
    realm.sql(SKIP)
    realm.sql('create trigger skip before insert on usher.dead_letter for each row execute function skip()')
    sent = [realm.client.send_raw(b'{', b'show')]
    await_halted(realm, 'inserts into usher.dead_letter: 0 rows instead of 1')
    realm.sql('drop trigger skip on usher.dead_letter')
    partition(realm, 'resume')
    assert verdict(realm.client.answers_to(sent)[0]) == ('invalid', 'malformed')


def test_a_rule_that_drops_rows_halts_its_partition(realm):
    """Made beside a worker, or before it starts: then it cannot even prepare its statements."""
    realm.ask('define', 'show', **HALL)
    realm.sql('create rule away as on insert to usher.booking do instead nothing')
    sent = realm.client.send(realm.client.request('book', 'show', customer='c', items=seats('A-1')))
    await_halted(realm, 'relation "booking"; `usher-worker check` names')
    partition(realm, 'resume')
    await_halted(realm, 'relation "booking"; `usher-worker check` names')
    assert realm.workers[0].stop() == 0
    worker = realm.worker(await_ready=False)
    eventually(lambda: [one['state'] for one in worker.status()['partitions']] == ['halted'], 'it is halted from the start')
    checked = realm.run('check')
    assert checked.returncode == 78 and 'drop rule away on usher.booking' in checked.stdout, checked
    assert 'rule away of usher.booking' in worker.log() and not answered(realm, sent)
    realm.sql('drop rule away on usher.booking')
    partition(realm, 'resume')
    assert verdict(realm.client.answers_to(sent)[0]) == ('confirmed', None)
    realm.check()


def test_an_operator_is_told_of_rows_that_were_dropped(realm):
    realm.ask('define', 'show', **HALL)
    realm.sql(SKIP)
    realm.sql('create trigger skip before insert on usher.booking for each row execute function skip()')
    sent = realm.client.send(realm.client.request('book', 'show', customer='c', items=seats('A-1')))
    await_halted(realm, 'usher.booking')
    realm.sql('drop trigger skip on usher.booking')
    at = realm.sql('select next_offset from usher.partition_state')[0][0]
    for event, table, action in (('update', 'partition_halt', ['resume']), ('update', 'partition_state', ['resume']),
                                 ('insert', 'partition_skip', ['skip', '--to', str(at + 1), '--why', 'no', '--yes'])):
        realm.sql(f'create trigger skip before {event} on usher.{table} for each row execute function skip()')
        assert f'usher.{table}: 0 rows instead of 1' in partition(realm, *action, code=70)
        realm.sql(f'drop trigger skip on usher.{table}')
    assert not answered(realm, sent)
    # Nor does a worker take a halt for noted that is not.
    realm.sql('create trigger skip before insert on usher.booking for each row execute function skip()')
    realm.sql('create trigger skip before insert on usher.partition_halt for each row execute function skip()')
    partition(realm, 'resume')
    eventually(lambda: 'usher.partition_halt: 0 rows instead of 1' in realm.workers[0].log(), 'it says so')
    realm.sql('drop trigger skip on usher.booking')
    realm.sql('drop trigger skip on usher.partition_halt')
    # Its worker looks for the end of the halt in the database, and would look for ever.
    assert realm.workers[0].stop() == 0
    realm.worker()
    assert verdict(realm.client.answers_to(sent)[0]) == ('confirmed', None)


@pytest.mark.parametrize('table', ['resource', 'booking', 'pool', 'decision'])
def test_rows_that_a_policy_hides_are_not_taken_for_missing(realm, table):
    realm.ask('define', 'show', **HALL)
    booked = realm.ask('book', 'show', customer='c', items=seats('A-1'))
    assert realm.workers[0].stop() == 0
    realm.sql(f'alter table usher.{table} enable row level security')
    worker = realm.worker(await_ready=False)
    sent = realm.client.send(realm.client.request('cancel', 'show', customer='c', booking=booked['booking']))
    eventually(lambda: f'row-level security policy for table \\"{table}' in worker.log(), 'it says so')
    checked = realm.run('check')
    assert checked.returncode != 0 and f'alter table usher.{table} disable row level security' in checked.stdout, checked
    assert not answered(realm, sent) and worker.process.poll() is None
    realm.sql(f'alter table usher.{table} disable row level security')
    assert verdict(realm.client.answers_to(sent)[0]) == ('cancelled', None)
    realm.check()


REFUSE = '''
    create function refuse() returns trigger language plpgsql as $$
    begin
        raise exception 'no more' using errcode = '%s', hint = 'Make room.';
    end $$;
    create trigger refuse before insert on usher.decision for each statement execute function refuse();
'''


@pytest.mark.parametrize('code', ['54000', '53100', '25006', '57P03', '55000', '58030'])
def test_what_no_request_causes_is_waited_for(realm, code):
    """As transaction ids that have run out, or a full disk: it goes on by itself, and no request is set aside."""
    worker = realm.workers[0]
    realm.ask('define', 'show', **HALL)
    realm.sql(REFUSE.replace('%s', code))
    sent = realm.client.send(*(realm.client.request('hold', 'show', customer=customer, items=places('floor', 1))
                               for customer in 'abc'))
    eventually(lambda: worker.metric('usher_partition_retries') >= 5, 'it tries again')
    eventually(lambda: 'Make room.' in worker.error(), 'it says why')
    realm.sql('drop trigger refuse on usher.decision')
    assert [verdict(answer) for answer in realm.client.answers_to(sent)] == 3 * [('held', None)]
    assert realm.sql('select count(*) from usher.dead_letter') == [(0,)]
    realm.check()


def test_a_warning_makes_a_commit_uncertain(realm):
    """Its rows are there; they are answered once another commit has gone well, and not before."""
    realm.ask('define', 'show', **HALL)
    realm.sql('''
        create function warn() returns trigger language plpgsql as
            $$ begin raise warning 'canceling wait for synchronous replication due to user request'; return null; end $$;
        create trigger warn after insert on usher.booking for each statement execute function warn();
        create trigger warn after update on usher.partition_state for each statement when (pg_trigger_depth() = 0)
            execute function warn()''')
    sent = realm.client.send(realm.client.request('book', 'show', customer='c', items=seats('A-1')))
    worker = realm.workers[0]
    eventually(lambda: worker.metric('usher_partition_retries') >= 3, 'it acquires the partition again')
    eventually(lambda: 'PostgreSQL warned: canceling wait' in worker.error(), 'it says why')
    assert realm.sql('select count(*) from usher.booking') == [(1,)] and not answered(realm, sent)
    realm.sql('drop trigger warn on usher.partition_state')
    assert verdict(realm.client.answers_to(sent)[0]) == ('confirmed', None)
    realm.sql('drop trigger warn on usher.booking')
    realm.check()
