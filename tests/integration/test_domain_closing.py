"""A resource is closed and all of its bookings are cancelled, in batches: others go on being served meanwhile, and a
crash in the middle loses and doubles nothing."""

import collections

import pytest

from harness.counts import check_counts, seats_of
from harness.realm import PATIENT
from harness.shows import HALL, HALL_UNITS, places, seats, standing, verdict
from harness.waiting import eventually

LATER = '2099-01-01T00:00:00Z'
NOTE = 'flooded'


def told(realm, show):
    """The answers about cancelled bookings of a resource so far: booking → answer, each once."""
    answers = [answer for answer in realm.client.answers.everything()
               if answer.get('cause') == 'resource_closed' and answer['resource'] == show]
    by_booking = {answer['booking']: answer for answer in answers}
    assert len(by_booking) == len(answers), 'a booking was cancelled twice'
    return by_booking


@pytest.mark.smoke
def test_every_booking_is_cancelled_and_told_so(world, hall):
    held = world.ask('hold', hall, customer='h', client='web', items=seats('A-1'), cart='k')
    sold = world.ask('book', hall, customer='s', items=[*seats('A-2'), *places('standing', 2)], payment='p')
    blocked = world.ask('block', hall, items=seats('A-3'))
    waits = world.ask('hold', hall, customer='w', items=seats('A-2'), wait_until=LATER)
    over = world.ask('hold', hall, customer='o', items=seats('B-1'))
    world.ask('release', hall, customer='o', booking=over['booking'])
    closed = world.ask('close', hall, cancel_bookings=True, note=NOTE)
    assert verdict(closed) == ('defined', None)
    answers = eventually(lambda: len(told(world, hall)) == 3 and told(world, hall), 'all three are told')
    assert {booking: answer['outcome'] for booking, answer in answers.items()} == {
        held['booking']: 'released', sold['booking']: 'cancelled', waits['booking']: 'left'}
    for answer in answers.values():
        assert answer['unasked'] and answer['detail'] == NOTE and 'source' not in answer
    assert (answers[held['booking']]['client'], answers[held['booking']]['customer']) == ('web', 'h')
    assert answers[sold['booking']]['returned'] == sold['units'] and seats_of(answers[held['booking']]['returned']) == ['A-1']
    # A block is the house's own, and stays.
    probe = check_counts(world, hall, HALL_UNITS - 1, blocked=1)
    assert (probe['state'], probe['waiting']) == ('closed', 0)
    assert verdict(world.ask('confirm', hall, customer='h', booking=held['booking'])) == ('refused', 'already_released')
    assert verdict(world.ask('unblock', hall, booking=blocked['booking'])) == ('released', None)
    # It may be opened again, and sold again.
    assert verdict(world.ask('open', hall)) == ('defined', None)
    assert verdict(world.ask('book', hall, customer='n', items=seats('A-2'))) == ('confirmed', None)


@pytest.mark.smoke
def test_closed_without_it_keeps_every_booking(world, hall):
    world.ask('hold', hall, customer='h', items=seats('A-1'))
    world.ask('book', hall, customer='s', items=seats('A-2'))
    assert verdict(world.ask('close', hall, note=NOTE)) == ('defined', None)
    check_counts(world, hall, HALL_UNITS - 2, held=1, sold=1)
    assert not told(world, hall)


# ---- many bookings ---------------------------------------------------------------------------------------------------
SOLD, HELD, WAITING, BLOCKED = 3500, 1000, 500, 7


def crowded(realm):
    """A show with 5,000 bookings beside a small one. Returns the ids by what must become of them."""
    realm.ask('define', 'big', **standing(SOLD + HELD + BLOCKED))
    realm.ask('define', 'small', **HALL)
    request = realm.client.request
    realm.ask('block', 'big', items=places('floor', BLOCKED))
    requests = [request('book', 'big', customer=f'c{number}', items=places('floor', 1)) for number in range(SOLD)]
    requests += [request('hold', 'big', customer=f'c{number}', items=places('floor', 1)) for number in range(HELD)]
    requests += [request('hold', 'big', customer=f'c{number}', items=places('floor', 1), wait_until=LATER)
                 for number in range(WAITING)]
    becomes = {'confirmed': 'cancelled', 'held': 'released', 'waiting': 'left'}
    return {answer['booking']: becomes[answer['outcome']] for answer in realm.ask_all(*requests)}


def closing(realm):
    return realm.client.request('close', 'big', cancel_bookings=True, note=NOTE)


def check_cancelled(realm, expected):
    """Everything was, each booking told once, and nothing is left but the block."""
    answers = eventually(lambda: len(told(realm, 'big')) == len(expected) and told(realm, 'big'), 'all are cancelled')
    assert {booking: answer['outcome'] for booking, answer in answers.items()} == expected
    assert collections.Counter(expected.values()) == {'cancelled': SOLD, 'released': HELD, 'left': WAITING}
    check_counts(realm, 'big', SOLD + HELD, blocked=BLOCKED)
    assert realm.sql("select count(*) from usher.booking where state in ('held', 'confirmed', 'waiting') and "
                     "resource_no = (select no from usher.resource where id = 'big')") == [(0,)]


def test_another_resource_is_served_meanwhile(make_realm):
    realm = make_realm(**PATIENT)
    realm.worker()
    expected = crowded(realm)
    request, half = realm.client.request, realm.position()[2] + len(expected) // 2
    with realm.held_up(condition=f'new.next_seq > {half}'):
        # In the log before anything of it is done: what may not be done while it lasts.
        with realm.locked():
            place = realm.client.send(closing(realm))
            eventually(realm.waiting_commits, 'the closing waits')
            early = realm.client.send(request('open', 'big'), request('define', 'big', name='Big'),
                                      request('hold', 'big', customer='n', items=places('floor', 1)),
                                      request('probe', 'big'))
        # In the middle of it, others that go on.
        eventually(lambda: told(realm, 'big') and realm.waiting_commits(), 'some are cancelled, and the next ones wait')
        rush = realm.client.send(*(request('book', 'small', customer='s', items=places('standing', 1)) for _ in range(5)))
    others = realm.client.answers_to(rush)
    eventually(lambda: len(told(realm, 'big')) == len(expected), 'all are cancelled')
    closed, opened, defined, hold, probe = realm.client.answers_to([*place, *early])
    assert verdict(closed) == ('defined', None)
    for answer in (opened, defined):
        assert verdict(answer) == ('refused', 'in_use') and answer['retryable']
    assert verdict(hold) == ('refused', 'not_on_sale') and probe['state'] == 'closed'
    assert all(verdict(answer) == ('confirmed', None) for answer in others)
    seqs = sorted(answer['seq'] for answer in told(realm, 'big').values())
    assert all(seqs[0] < answer['seq'] < seqs[-1] for answer in others)
    check_cancelled(realm, expected)
    assert verdict(realm.ask('define', 'big', name='Big')) == ('defined', None)
    assert verdict(realm.ask('open', 'big')) == ('defined', None)
    realm.check()


def test_goes_on_in_a_rush(make_realm):
    """Batches that are full of requests have room for it, too."""
    realm = make_realm()
    worker = realm.worker()
    expected = crowded(realm)
    worker.stop()
    client, rush = realm.client, []
    client.send(closing(realm))

    def is_done_in_the_rush():
        """Many times as many requests as a batch may have are waiting all the time."""
        while len(rush) - sum(place in client.answers.by_source for place in rush) < 2000:
            rush.extend(client.send(*(client.request('probe', 'small') for _ in range(1000))))
        return len(told(realm, 'big')) == len(expected)
    is_done_in_the_rush()
    realm.worker(USHER_BATCH_LIMIT='50')
    eventually(is_done_in_the_rush, 'all are cancelled')
    last = max(answer['seq'] for answer in told(realm, 'big').values())
    assert last < max(answer['seq'] for answer in client.answers_to(rush)), 'it waited for the end of the rush'
    check_cancelled(realm, expected)
    realm.check()


@pytest.mark.smoke
def test_killed_in_the_middle(realm):
    """Twice: by each of three workers a part is cancelled."""
    expected = crowded(realm)
    realm.client.send(closing(realm))
    for part in (0.1, 0.5):
        eventually(lambda: len(told(realm, 'big')) > part * len(expected), 'a part is cancelled')
        realm.workers[-1].kill()
        realm.worker()
    assert verdict(realm.ask('book', 'small', customer='s', items=seats('A-1'))) == ('confirmed', None)
    check_cancelled(realm, expected)
    report = realm.check()
    assert report.facts['internal'] == 0
    realm.command('reconcile')
