"""A partition that fails again and again is not called active: it says what fails, and where."""

import pytest

from harness.realm import STEADY
from harness.shows import places, standing, verdict
from harness.waiting import eventually

SETTINGS = STEADY

# A failure that the database may recover from, so that the same is tried again for as long as it lasts.
TRAP = '''
    create function trap() returns trigger language plpgsql as $$
    begin
        raise exception 'trapped' using errcode = 'serialization_failure';
    end $$;
    create trigger trap before insert on usher.booking for each row execute function trap();
'''


def test_a_commit_that_fails_each_time_is_seen(make_realm):
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **standing(20))
    before = realm.position()
    realm.sql(TRAP)
    place = realm.client.send(realm.client.request('book', 'show', customer='c', items=places('floor', 1)))
    eventually(lambda: worker.metric('usher_partition_retries') >= 3, 'it failed three times in a row')
    # However long it goes on, it is ready at no moment between two failures.
    while worker.metric('usher_partition_retries') < 5:
        status, said = worker.get('/readyz')
        assert status == 503 and 'trapped' in said and f'at offset {before[1]} ' in said
        assert worker.get('/livez')[0] == 200, 'another process would fail in the same way'
        partition = eventually(lambda: worker.status()['partitions'], 'it is assigned')[0]
        assert partition['state'] == 'retrying' and 'in state retrying' in said
        assert partition['retries'] >= 3 and 'trapped' in partition['error']
        assert partition['next_offset'] == before[1]
    assert f'at offset {before[1]}, failure ' in worker.log()
    realm.sql('drop trigger trap on usher.booking')
    assert verdict(realm.client.answers_to(place)[0]) == ('confirmed', None)
    worker.await_ready()
    assert worker.owns() and worker.status()['partitions'][0]['error'] is None
    eventually(lambda: worker.metric('usher_partition_retries') == 0, 'the failures are over')
    realm.check()


# ---- an error that the schema of usher does not make, which somebody added ---------------------------------------------
def refuse(realm, code, condition='true', table='usher.booking'):
    realm.sql(f'''
        create or replace function trap() returns trigger language plpgsql as $$
        begin
            raise exception 'not this one' using errcode = '{code}';
        end $$;
        create trigger trap before insert on {table} for each row when ({condition}) execute function trap()''')


def accept(realm, table='usher.booking'):
    realm.sql(f'drop trigger trap on {table}')


def bookings(realm, *customers):
    return [realm.client.request('book', 'show', customer=customer, items=places('floor', 1)) for customer in customers]


@pytest.mark.parametrize('code', ['P0001', '42501', '42P01', '21000'])
def test_what_a_trigger_refuses_of_one_customer_is_set_aside_and_nothing_else(realm, code):
    """However many of his in a row, as long as others are committed between."""
    worker = realm.workers[0]
    realm.ask('define', 'show', **standing(200))
    refuse(realm, code, "new.customer = 'poison'")
    customers = [customer for number in range(12) for customer in ('poison', f'c{number}')]
    for customer, answer in zip(customers, realm.ask_all(*bookings(realm, *customers))):
        assert verdict(answer) == (('invalid', 'internal') if customer == 'poison' else ('confirmed', None))
    assert worker.process.poll() is None and worker.get('/livez')[0] == 200
    assert realm.sql('select count(*) from usher.dead_letter') == [(12,)]
    assert realm.position()[0] == 1, 'the partition is not acquired again for it'
    accept(realm)
    assert realm.check().facts['internal'] == 12


def test_what_is_refused_only_when_it_is_committed_is_set_aside(make_realm):
    """Its error comes behind the answers of all statements, and others are in flight behind it."""
    realm = make_realm(USHER_BATCHES_IN_FLIGHT='4')
    realm.worker()
    realm.ask('define', 'show', **standing(200))
    realm.sql('''
        create function trap() returns trigger language plpgsql as $$
        begin
            raise exception 'not this one' using errcode = '23000';
        end $$;
        create constraint trigger trap after insert on usher.booking deferrable initially deferred
            for each row when (new.customer = 'poison') execute function trap()''')
    customers = [customer for number in range(40) for customer in (f'c{number}', 'poison' if number % 8 == 3 else f'd{number}')]
    for customer, answer in zip(customers, realm.ask_all(*bookings(realm, *customers))):
        assert verdict(answer) == (('invalid', 'internal') if customer == 'poison' else ('confirmed', None))
    assert realm.position()[0] == 1, 'the partition is not acquired again for it'
    accept(realm)
    assert realm.check().facts['internal'] == 5


def retrying(realm, said):
    """Waits until the partition has failed some times, and says what is wrong, in a worker that lives."""
    worker = realm.workers[0]
    eventually(lambda: worker.metric('usher_partition_retries') >= 6 and said in worker.get('/readyz')[1], f'it says {said}')
    assert worker.process.poll() is None and worker.get('/livez')[0] == 200


def test_what_is_denied_to_all_is_waited_for(realm):
    """No request is at fault where the worker itself may not write."""
    realm.ask('define', 'show', **standing(20))
    realm.sql('revoke insert on usher.booking from usher_worker')
    sent = realm.client.send(*bookings(realm, *'abc'))
    retrying(realm, 'permission denied for table booking')
    assert realm.sql('select count(*) from usher.dead_letter') == [(0,)]
    realm.sql('grant insert on usher.booking to usher_worker')
    assert [verdict(answer) for answer in realm.client.answers_to(sent)] == 3 * [('confirmed', None)]
    realm.check()


def test_what_a_trigger_refuses_of_all_is_set_aside_a_few_times_and_then_waited_for(realm):
    """A trigger that may not write its own table, say: then each request would become a dead letter."""
    realm.ask('define', 'show', **standing(200))
    refuse(realm, '42501')
    sent = realm.client.send(*bookings(realm, *(f'c{number}' for number in range(30))))
    eventually(lambda: realm.sql('select count(*) from usher.dead_letter') == [(10,)], 'ten are set aside')
    retrying(realm, 'not this one')
    assert realm.sql('select count(*) from usher.dead_letter') == [(10,)]
    accept(realm)
    answers = [verdict(answer) for answer in realm.client.answers_to(sent)]
    assert answers == 10 * [('invalid', 'internal')] + 20 * [('confirmed', None)]
    realm.check()


@pytest.mark.parametrize('code', ['P0001', '23514', '22P02'])
def test_nobody_is_set_aside_for_what_refuses_the_dead_letter_too(realm, code):
    """The table of decisions takes nothing at all, so no request is to blame."""
    realm.ask('define', 'show', **standing(20))
    refuse(realm, code, table='usher.decision')
    sent = realm.client.send(*bookings(realm, *'abc'))
    retrying(realm, 'not this one')
    accept(realm, 'usher.decision')
    assert [verdict(answer) for answer in realm.client.answers_to(sent)] == 3 * [('confirmed', None)]
    assert realm.sql('select count(*) from usher.dead_letter') == [(0,)]
    assert realm.sql('select count(*) from usher.partition_halt') == [(0,)]
    realm.check()


def test_a_transaction_that_took_too_long_is_tried_again(realm):
    realm.ask('define', 'show', **standing(20))
    refuse(realm, '25P04')
    sent = realm.client.send(*bookings(realm, *'abc'))
    retrying(realm, 'not this one')
    accept(realm)
    assert [verdict(answer) for answer in realm.client.answers_to(sent)] == 3 * [('confirmed', None)]
    realm.check()


CANCEL = '''
    create sequence cancelled;
    create function trap() returns trigger language plpgsql security definer as $$
    begin
        if nextval('public.cancelled') <= 12 then
            perform pg_cancel_backend(pg_backend_pid());
            perform pg_sleep(1);
        end if;
        return new;
    end $$;
    create trigger trap before insert on usher.booking for each row execute function trap();
'''


def test_a_commit_that_somebody_cancels_is_tried_again_however_often(realm):
    """The same code as of a statement that took too long, which may be the fault of its data."""
    realm.ask('define', 'show', **standing(20))
    realm.sql(CANCEL)
    assert [verdict(answer) for answer in realm.ask_all(*bookings(realm, *'abc'))] == 3 * [('confirmed', None)]
    assert realm.sql('select last_value > 12 from cancelled') == [(True,)]
    accept(realm)
    assert realm.sql('select count(*) from usher.dead_letter') == [(0,)]
    realm.check()
