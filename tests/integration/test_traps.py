"""The five traps in which such systems have been caught, each forced on the real parts."""

import datetime
import json

import confluent_kafka
import pytest

from harness.realm import PATIENT, STEADY
from harness.shows import HALL, places, seated, seats, standing, stay, verdict
from harness.waiting import eventually

ANSWER_MAX = 524288


# ---- 1 --------------------------------------------------------------------------------------------------------------
FAIL_ONCE = '''
    create sequence trap_count;
    create function trap() returns trigger language plpgsql security definer as $$
    begin
        if nextval('public.trap_count') = 1 then
            raise exception 'trapped' using errcode = 'serialization_failure';
        end if;
        return new;
    end $$;
    create trigger trap before update on usher.booking for each row when (new.state = 'expired')
        execute function trap();
'''


@pytest.mark.smoke
def test_trap_an_expiry_only_batch_that_fails_while_the_next_is_in_flight(make_realm):
    """It moves no offset. A chain of offsets alone would let the next batch through, and leave a hole in seq."""
    realm = make_realm(USHER_BATCHES_IN_FLIGHT='8', **PATIENT, **STEADY)
    worker = realm.worker()
    realm.ask('define', 'show', **HALL)
    realm.sql(FAIL_ONCE)
    with realm.held_up('usher.booking', "new.state = 'expired'"):
        held = realm.ask('hold', 'show', customer='c', items=seats('A-1'), ttl_s=2)
        eventually(realm.waiting_commits, 'the batch that expires the hold waits')
        sent = realm.client.send(realm.client.request('book', 'show', customer='d', items=seats('B-1')),
                                 realm.client.request('confirm', 'show', customer='c', booking=held['booking']))
        realm.await_in_flight(worker, 3)
    booked, confirmed = realm.client.answers_to(sent)
    assert verdict(booked) == ('confirmed', None) and verdict(confirmed) == ('confirmed', None)
    assert realm.sql('select is_called from trap_count') == [(True,)], 'the batch was not trapped'
    assert realm.position()[0] == 2
    assert realm.sql('select count(*), max(seq) from usher.decision') == [(5, 5)]
    assert realm.check().facts['expiries'] == 1


# ---- 2 --------------------------------------------------------------------------------------------------------------
@pytest.mark.smoke
def test_trap_a_look_up_beside_an_in_flight_commit(make_realm):
    """What an uncommitted batch touched must stay in memory, however cold: the database still shows the past."""
    realm = make_realm(USHER_BATCHES_IN_FLIGHT='8', USHER_RESOURCES_IN_MEMORY='10', USHER_IDS_IN_MEMORY='1000',
                       USHER_BOOKINGS_IN_MEMORY='1000', USHER_UNITS_IN_MEMORY='1000', **PATIENT, **STEADY)
    worker = realm.worker()
    others = 'hall:1', 'hall:2'
    realm.ask_all(realm.client.request('define', 'one', **standing(200)),
                  *(realm.client.request('define', hall, **seated(1000, 1000)) for hall in others))
    held = realm.ask('hold', 'one', customer='c', items=places('floor', 199))
    request = realm.client.request('book', 'one', customer='c', items=places('floor', 1))
    # A new worker, whose memory is cold.
    assert worker.stop() == 0
    worker = realm.worker()
    eventually(worker.owns, 'it owns the partition')
    with realm.held_up():
        first = realm.client.send(request)
        eventually(realm.waiting_commits, 'the last unit is sold, and waits')
        # So much else that the resource would be evicted, were it committed. No more requests than there are batches.
        noise = realm.client.send(*(realm.client.request('hold', hall, customer='n', items=places('stalls', 1))
                                    for hall in others))
        realm.await_in_flight(worker, 1 + len(others))
        second = realm.client.send(
            realm.client.request('book', 'one', customer='d', items=places('floor', 1)), request,
            realm.client.request('release', 'one', customer='c', booking=held['booking']),
            realm.client.request('cancel', 'one', customer='c', booking=request['request_id']))
        realm.await_in_flight(worker, 1 + len(others) + 4)
    sold, *_noise, refused, again, released, cancelled = realm.client.answers_to([*first, *noise, *second])
    assert verdict(sold) == ('confirmed', None) and verdict(refused) == ('refused', 'not_enough')
    assert again['replayed'] and again['units'] == sold['units']
    assert verdict(released) == ('released', None) and verdict(cancelled) == ('cancelled', None)
    assert cancelled['free'] == 200
    realm.ask('probe', others[0])
    eventually(lambda: worker.metric('usher_memory_evicted_total', kind='resources') > 0, 'once it is committed it goes')
    realm.check()


# ---- 3 --------------------------------------------------------------------------------------------------------------
def half_sent(realm):
    """Backends in the middle of a batch that wait for their client."""
    return realm.sql("select pid, backend_start from pg_stat_activity where usename = 'usher_worker' "
                     "and datname = %s and state = 'active' and wait_event = 'ClientRead' "
                     "and backend_xid is not null", realm.name)


@pytest.mark.smoke
def test_trap_a_worker_stopped_between_two_pipelined_statements(make_realm):
    """Its backend holds the partition's row and waits for more, past every timeout of the server: the heir finds it
    by pid and start, and ends it."""
    # One request writes 16 MB, far more than what fits between a client and a server that does not read: how many requests
    # a batch has depends on the machine.
    room, end = 'r' * 64, str(datetime.date(2026, 1, 1) + datetime.timedelta(days=65_535))
    realm = make_realm(**PATIENT)
    zombie = realm.worker()
    with realm.held_up(condition='new.next_seq > old.next_seq'):
        sent = realm.client.send(
            realm.client.request('define', 'hotel', state='open', rooms=[
                {'room': room, 'from': '2026-01-01', 'to': end, 'capacity': 1, 'price': 9900}]),
            realm.client.request('book', 'hotel', customer='c', items=stay(room, '2026-01-01', '2026-01-03')))
        eventually(realm.waiting_commits, 'the batch waits')
        zombie.pause()
    backends = eventually(lambda: half_sent(realm), 'the backend waits for the rest of the batch')
    epoch = realm.position()[0]
    heir = realm.worker()
    eventually(lambda: realm.position()[0] > epoch, 'the heir has the partition')
    assert not realm.sql('select from pg_stat_activity where (pid, backend_start) in %s', tuple(backends))
    assert [verdict(answer) for answer in realm.client.answers_to(sent)] == [('defined', None), ('confirmed', None)]
    zombie.resume()
    assert verdict(realm.ask('probe', 'hotel')) == ('alive', None)
    eventually(lambda: zombie.ready() and heir.ready(), 'both live')
    realm.check()


# ---- 4 --------------------------------------------------------------------------------------------------------------
def test_trap_the_largest_possible_answer(realm):
    """Up to the limit it is given, above it it is refused, and nothing is stuck."""
    rows = [{'row': f'{number:02d}' + 'r' * 57, 'seats': 1000, 'first': 1000} for number in range(8)]
    realm.ask('define', 'seats', state='open', sections=[{'section': 'all', 'rows': rows, 'price': 10**12}])
    named = realm.ask('hold', 'seats', customer='c', items=places('all', 4000))
    assert verdict(named) == ('held', None) and len(named['units'][0]['seats']) == 4000
    assert all(len(seat) == 64 for seat in named['units'][0]['seats'])
    released = realm.ask('release', 'seats', customer='c', booking=named['booking'])
    assert len(released['returned'][0]['seats']) == 4000

    rooms = [f'{number:02d}' + 'r' * 62 for number in range(10)]
    realm.ask('define', 'rooms', state='open', rooms=[
        {'room': room, 'from': '2026-01-01', 'to': '2028-01-01', 'capacity': 10, 'price': 10**12}
        for room in rooms])
    first, sizes = datetime.date(2026, 1, 1), {}
    for nights in (100, 300, 330, 340, 345, 350, 355, 360, 366):
        end = (first + datetime.timedelta(days=nights)).isoformat()
        answer = realm.ask('book', 'rooms', customer='c',
                           items=[item for room in rooms for item in stay(room, '2026-01-01', end)])
        assert verdict(answer) in (('confirmed', None), ('refused', 'limit_exceeded'))
        sizes.setdefault(answer['outcome'], []).append(len(realm.client.answers.record_of(answer).value()))
    assert 450_000 < max(sizes['confirmed']) <= ANSWER_MAX and sizes['refused']
    realm.check()


@pytest.mark.smoke
@pytest.mark.parametrize('size, cut', [(1_000_000, False), (1_000_001, True), (1_099_900, True)])
def test_trap_a_dead_letter_at_and_above_the_limit(realm, size, cut):
    realm.ask('define', 'show', **standing(10))
    value = bytes(number % 251 for number in range(size))
    answer = realm.client.ask_raw(value, 'show')
    assert verdict(answer) == ('invalid', 'malformed')
    message, headers = realm.client.dead_letters.await_one((0, answer['source']['offset']))
    assert message.value() == value[:1_000_000] and ('dlq-truncated' in headers) == cut
    assert verdict(realm.ask('hold', 'show', customer='c', items=places('floor', 1))) == ('held', None)
    realm.check()


@pytest.mark.smoke
def test_trap_a_gzipped_request_that_unpacks_to_more_than_any_limit(realm):
    """The broker counts packed bytes, so that 20 MB get in; no dead letter may be that large."""
    realm.ask('define', 'show', **standing(10))
    packer = confluent_kafka.Producer({
        'bootstrap.servers': realm.brokers, 'partitioner': 'murmur2_random', 'compression.type': 'gzip',
        'message.max.bytes': 30_000_000, 'log_level': 0})
    request = json.dumps(realm.client.request('hold', 'show', customer='c', items=places('floor', 1)))
    offsets = []
    for padding in (1_100_000, 20_000_000):
        packer.produce(realm.client.topic, request + ' ' * padding, 'show',
                       on_delivery=lambda error, message: offsets.append(error or message.offset()))
        assert packer.flush(30) == 0
    assert all(isinstance(offset, int) for offset in offsets), offsets
    for answer in realm.client.answers_to([(0, offset) for offset in offsets]):
        assert verdict(answer) == ('invalid', 'malformed')
        assert answer['request_id'] == json.loads(request)['request_id'] # it comes before what is too much
        message, headers = realm.client.dead_letters.await_one((0, answer['source']['offset']))
        assert len(message.value()) == 1_000_000 and 'dlq-truncated' in headers
    assert verdict(realm.ask('hold', 'show', customer='c', items=places('floor', 1))) == ('held', None)
    realm.check()


def test_trap_a_define_at_the_limit(realm):
    """A million bytes is a request; one byte more is a dead letter."""
    def define(number, size):
        request = {'request_id': f'big-{number}', 'op': 'define', 'resource': 'show', 'padding': '', **HALL}
        bare = len(json.dumps(request))
        return json.dumps({**request, 'padding': 'x' * (size - bare)})
    assert verdict(realm.client.ask_raw(define(1, 1_000_000), 'show')) == ('defined', None)
    assert verdict(realm.client.ask_raw(define(2, 1_000_001), 'show')) == ('invalid', 'malformed')
    assert verdict(realm.ask('hold', 'show', customer='c', items=places('standing', 1))) == ('held', None)
    realm.check()


# ---- 5 --------------------------------------------------------------------------------------------------------------
@pytest.mark.smoke
def test_trap_a_record_that_the_database_rejects_again_and_again(make_realm):
    """It is set aside alone; those before and behind it in its batch go on."""
    realm = make_realm(USHER_BATCHES_IN_FLIGHT='2', **PATIENT, **STEADY)
    worker = realm.worker()
    realm.ask('define', 'show', **standing(200))
    realm.sql("alter table usher.booking add constraint trap check (customer <> 'poison') not valid")
    requests = [realm.client.request('hold', 'show', customer='poison' if number in (20, 41) else f'c{number}',
                                     items=places('floor', 1)) for number in range(60)]
    with realm.held_up():
        first = realm.client.send(realm.client.request('probe', 'show'))
        eventually(realm.waiting_commits, 'a batch waits, so that the next ones grow')
        sent = realm.client.send(*requests)
    answers = realm.client.answers_to([*first, *sent])[1:]
    for number, answer in enumerate(answers):
        assert verdict(answer) == (('invalid', 'internal') if number in (20, 41) else ('held', None))
    assert answers[-1]['free'] == 200 - 58
    for number in (20, 41):
        message, headers = realm.client.dead_letters.await_one(sent[number])
        assert headers['dlq-reason'] == b'internal' and json.loads(message.value()) == requests[number]
    eventually(lambda: worker.metric('usher_dead_letters_total', reason='internal') == 2)
    assert realm.position()[0] == 1, 'the partition is not acquired again for it'
    # Nobody's fault but the database's: once it takes them, the same request may be asked again.
    realm.sql('alter table usher.booking drop constraint trap')
    assert verdict(realm.ask_all(requests[20])[0]) == ('held', None)
    assert realm.check().facts['internal'] == 2


BREAK_OFF = '''
    create function break_off() returns trigger language plpgsql security definer as $$
    begin
        perform pg_terminate_backend(pg_backend_pid());
        return new;
    end $$;
    create trigger break_off before insert on usher.booking for each row when (new.customer = 'poison')
        execute function break_off();
'''


def test_a_record_whose_commit_is_never_answered(realm):
    """It is tried alone, so that those before it in its batch go on; but nobody knows that it is to blame, and it is not
    set aside however often it fails."""
    realm.ask('define', 'show', **standing(20))
    realm.workers[-1].stop()
    realm.sql(BREAK_OFF)
    sent = realm.client.send(*(realm.client.request('book', 'show', customer=customer, items=places('floor', 1))
                               for customer in ('before', 'poison', 'behind')))
    realm.worker(await_ready=False)
    assert verdict(realm.client.answers_to(sent[:1])[0]) == ('confirmed', None)
    epoch = realm.position()[0]
    eventually(lambda: realm.position()[0] > epoch + 2, 'the next one is tried again and again')
    assert realm.sql('select count(*) from usher.dead_letter') == [(0,)]
    realm.sql('drop function break_off cascade')
    assert [verdict(answer) for answer in realm.client.answers_to(sent)] == 3 * [('confirmed', None)]
    realm.check()
