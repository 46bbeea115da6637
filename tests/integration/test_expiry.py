"""Holds that run out: the unrequested answer, what can still be done afterwards, and whose time it is that counts."""

import pytest

from harness.moments import past, unrequested
from harness.shows import HALL, HALL_UNITS, places, seats, standing, verdict
from harness.waiting import eventually
from oracle.parsing import instant_of


def expired_answer(realm, booking, resource):
    return unrequested(realm, booking, resource, 'expiry')


def test_expirations_are_answered_in_order(world, hall):
    """On a partition where nothing else happens, a second or so after they ran out."""
    items = [*seats('C-7', 'C-8'), *places('standing', 2)]
    late, early, last = holds = world.ask_all(
        world.client.request('hold', hall, customer='c1', items=items, ttl_s=2, client='web', cart='k'),
        world.client.request('hold', hall, customer='c2', items=seats('B-1'), ttl_s=1),
        world.client.request('hold', hall, customer='c3', items=seats('B-2'), ttl_s=2))
    told = [expired_answer(world, held['booking'], hall)
            for held in sorted(holds, key=lambda held: instant_of(held['expires_at']))]
    assert [answer['seq'] for answer in told] == sorted(answer['seq'] for answer in told)
    answer = next(answer for answer in told if answer['booking'] == late['booking'])
    assert answer['outcome'] == 'expired' and answer['cause'] == 'expiry' and 'source' not in answer
    for field in ('request_id', 'op', 'client', 'customer', 'cart', 'booking', 'total'):
        assert answer[field] == late[field]
    assert answer['returned'] == late['units']
    assert instant_of(answer['decided_at']) >= instant_of(late['expires_at'])
    assert told[2]['free'] == HALL_UNITS and told[2]['rev'] == told[2]['seq']

    # What can still be done with them.
    for op, more in (('extend', {'ttl_s': 60}), ('cancel', {})):
        refused = world.ask(op, hall, customer='c1', booking=late['booking'], **more)
        assert verdict(refused) == ('refused', 'hold_expired')
    assert verdict(world.ask('confirm', hall, customer='c9', booking=late['booking'])) == ('refused', 'not_owner')
    confirmed = world.ask('confirm', hall, customer='c1', booking=late['booking'], payment='p')
    assert verdict(confirmed) == ('confirmed', None)
    assert (confirmed['units'], confirmed['total']) == (late['units'], late['total'])
    world.ask('book', hall, customer='c4', items=[*seats('B-1'), *places('standing', 1)])
    gone = world.ask('confirm', hall, customer='c2', booking=early['booking'])
    assert verdict(gone) == ('refused', 'hold_expired')
    assert gone['items'] == [{'item': 0, 'asked': 1, 'given': 0, 'reason': 'unit_taken', 'taken': ['B-1']}]
    shown = world.await_shown(hall, gone['rev'])
    assert shown[1] == '....' + 's.....' + '......ss' + '.....'


@pytest.mark.smoke
def test_a_confirm_that_waited_in_the_log_while_no_worker_ran_is_in_time(realm):
    realm.ask('define', 'show', **HALL)
    in_time, late = (realm.ask('hold', 'show', customer='c', items=seats(seat), ttl_s=6) for seat in ('A-1', 'B-1'))
    realm.workers[0].kill()  # at once
    confirm = realm.client.request('confirm', 'show', customer='c', booking=in_time['booking'])
    before = realm.client.send(confirm)
    past(realm, late['expires_at'])
    after = realm.client.send(
        realm.client.request('book', 'show', customer='d', items=seats('A-1')),
        realm.client.request('book', 'show', customer='d', items=seats('B-1')),
        realm.client.request('confirm', 'show', customer='c', booking=late['booking']))
    realm.worker()
    confirmed, taken, granted, too_late = realm.client.answers_to([*before, *after])
    assert instant_of(confirmed['decided_at']) > instant_of(in_time['expires_at'])
    assert verdict(confirmed) == ('confirmed', None)
    assert verdict(taken) == ('refused', 'unit_taken')
    assert verdict(granted) == ('confirmed', None)
    assert verdict(too_late) == ('refused', 'hold_expired')
    assert expired_answer(realm, late['booking'], 'show')['seq'] == granted['seq'] - 2
    assert not [answer for answer in realm.client.answers.everything()
                if answer.get('unasked') and answer['booking'] == in_time['booking']]
    realm.check()


def test_holds_that_no_worker_has_in_memory_expire(make_realm):
    """They are found in the database by the index of what is due, more than fit into one batch included."""
    realm = make_realm(USHER_HOLD_TTL='1s')
    realm.worker()
    realm.ask('define', 'show', **standing(5000))
    held = realm.ask_all(*(realm.client.request('hold', 'show', customer='c', items=places('floor', 1))
                           for _number in range(1500)))
    realm.workers[0].kill()
    past(realm, held[-1]['expires_at'])
    realm.worker()
    eventually(lambda: realm.sql("select count(*) from usher.booking where state = 'held'") == [(0,)],
               'every hold has expired')
    report = realm.check()
    assert report.facts['expiries'] == 1500


def test_the_clock_does_not_stand_still_while_nothing_happens(make_realm):
    """An idle partition is looked over for holds that are due; what is decided later is decided later."""
    realm = make_realm()
    worker = realm.worker()
    eventually(worker.owns, 'it owns the partition')
    soon = realm.sql("select clock_timestamp() + interval '4 s'")[0][0]
    past(realm, soon)
    realm.ask('define', 'show', **standing(5))
    assert realm.sql("select count(*) from usher.decision where decided_at < appended_at - interval '2 s'") == [(0,)]
