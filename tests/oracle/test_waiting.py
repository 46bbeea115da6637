"""The waiting list: who joins it, who is served, in which order; and that the replay finds it where that was not so."""

import copy

import pytest

from oracle.logs import Story, T, at, places, publish, seats, seats_of
from oracle.replay import replay


@pytest.fixture(name='story')
def with_full_floor():
    """Three places, all sold one by one: bookings r2, r3, r4."""
    story = Story()
    story.define()
    for _place in range(3):
        story.book(places('standing', 1))
    return story


def wait(story, quantity, customer='c', rate=None, **fields):
    items = places('standing', quantity, **({'rate': rate} if rate else {}))
    body = story.hold(items, customer, **{'wait_until': at(60_000), **fields})
    assert body['outcome'] == 'waiting', body
    return body


def cancel(story, number):
    return story.ask('cancel', booking=f'r{number}', customer='c')


# ---- joining and leaving -------------------------------------------------------------------------------------
def test_nobody_waits_for_more_than_there_is(story):
    story.define(sections=[], quotas=[{'quota': 'fire', 'pools': ['standing'], 'limit': 2}], rooms=[
        {'room': 'twin', 'from': '2027-01-01', 'to': '2027-01-03', 'capacity': 2, 'price': 1},
        {'room': 'twin', 'from': '2027-01-02', 'to': '2027-01-03', 'capacity': 1}])
    stay = {'room': 'twin', 'from': '2027-01-01', 'to': '2027-01-03', 'quantity': 2}
    for items in (places('standing', 4), [stay]):
        body = story.hold(items, wait_until=at(60_000))
        assert (body['reason'], body['retryable']) == ('not_enough', False)
    assert story.ask('block', items=places('standing', 4))['retryable'] is False
    for items, more in ((places('standing', 3), {}), (places('standing', 4), {'shortage': 'partial'})):
        assert story.hold(items, wait_until=at(60_000), **more)['reason'] == 'not_enough'
    assert wait(story, 2)['position'] == 1


def test_a_party_joins_where_nothing_is_free(story):
    body = wait(story, 2, ttl_s=30)
    assert (body['position'], body['expires_at'], body['free']) == (1, at(60_000), 7) and 'units' not in body
    assert wait(story, 1, 'd')['position'] == 2
    assert story.ask('probe')['waiting'] == 2
    party = story.booking(body['booking'])
    assert (party.state, party.total, party.lines, party.ttl_s) == ('waiting', 0, [], 30)


def test_waiting_helps_only_where_units_may_come_back(story):
    for items, reason in ((places('balcony', 1), 'unknown_pool'), (seats('Z-1'), 'unknown_seat'),
                          (places('standing', 1, rate='child'), 'unknown_rate')):
        assert story.hold(items, wait_until=at(60_000))['reason'] == reason
    assert story.hold(places('standing', 1), wait_until=at(0))['reason'] == 'not_enough'
    story.define(sections=[], limits={'units_per_customer': 3})
    assert story.hold(places('standing', 1), wait_until=at(60_000))['reason'] == 'limit_exceeded'
    story.define(sections=[], limits={})
    assert story.hold(seats('A-1'), wait_until=at(60_000))['outcome'] == 'held'
    assert story.hold(seats('A-1'), wait_until=at(60_000))['outcome'] == 'waiting'


def test_a_party_leaves_by_itself_or_in_time(story):
    first, second = wait(story, 1)['booking'], wait(story, 1)['booking']
    body = story.ask('leave', booking=first, customer='c')
    assert (body['outcome'], body['free']) == ('left', 7)
    body = story.expire(at=60_000)
    assert (body['outcome'], body['cause'], body['booking']) == ('left', 'expiry', second) and 'returned' not in body
    assert story.ask('probe')['waiting'] == 0


# ---- being served --------------------------------------------------------------------------------------------
def test_the_oldest_that_fits_is_served_whole(story):
    big, small, last = (wait(story, quantity, customer, ttl_s=20)['booking']
                        for quantity, customer in ((2, 'c'), (1, 'd'), (1, 'e')))
    assert story.serve() is None
    cancel(story, 2)
    body = story.serve(at=1000)
    assert (body['outcome'], body['cause'], body['booking']) == ('held', 'waiting_list', small)
    assert (body['customer'], body['total'], body['expires_at']) == ('d', 2000, at(21_000))
    assert story.booking(small).created == T + 1000
    assert story.serve() is None
    cancel(story, 3)
    cancel(story, 4)
    assert [story.serve()['booking'], story.serve()] == [big, None]
    story.ask('release', booking=small, customer='d')
    assert story.serve()['booking'] == last


def test_nobody_is_served_after_its_time(story):
    late, other = (wait(story, 1, wait_until=until)['booking'] for until in (at(1000), at(60_000)))
    story.now = 1000
    cancel(story, 2)
    assert story.serve(at=1000)['booking'] == other
    cancel(story, 3)
    assert story.serve(at=1000) is None
    assert story.expire(at=1000)['booking'] == late


def test_what_returned_in_time_is_given_however_late(story):
    waiting = wait(story, 1, wait_until=at(1000))['booking']
    story.define(closes_at=at(500))
    cancel(story, 2)
    assert story.serve(at=60_000)['booking'] == waiting


def test_what_returns_after_the_close_is_for_nobody(story):
    wait(story, 1, wait_until=at(60_000))
    story.define(closes_at=at(500))
    story.now = 500
    cancel(story, 2)
    assert story.serve(at=60_000) is None


def test_who_is_limited_is_passed_over_alone(story):
    story.define(sections=[], limits={'holds_per_customer': 1})
    story.hold(seats('A-1'), 'd')
    first = story.hold(places('standing', 1), 'e', wait_until=at(60_000))['booking']
    other = story.hold(places('standing', 1), 'f', wait_until=at(60_000))['booking']
    story.hold(seats('A-2'), 'e')
    cancel(story, 2)
    assert story.serve()['booking'] == other
    cancel(story, 3)
    assert story.serve() is None
    story.ask('release', booking=story.hold(seats('A-3'), 'g')['booking'], customer='g')
    assert story.serve() is None
    story.define(sections=[], limits={})
    assert story.serve()['booking'] == first


def test_only_while_it_is_on_sale(story):
    party = wait(story, 1)['booking']
    story.ask('close')
    cancel(story, 2)
    assert story.serve() is None
    story.ask('open')
    assert story.serve()['booking'] == party


def test_seats_are_chosen_for_a_party_as_for_anybody():
    story = Story()
    story.define()
    sold = story.book(places('stalls', 7))
    party = story.hold(places('stalls', 3, together=True), wait_until=at(60_000))['booking']
    story.ask('exchange', booking=sold['booking'], customer='c', items=seats('A-1', 'A-2', 'B-3', 'A-4'))
    assert story.serve() is None
    story.ask('cancel', booking=sold['booking'], customer='c')
    body = story.serve()
    assert body['booking'] == party and len(seats_of(body)) == 3 and body['together'] is True


# ---- in vain -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize('definition', [
    {'limits': {'units_per_request': 2}}, {'limits': {'units_per_customer': 2}}, {'limits': {'units_min': 4}},
    {'limits': {'groups': [{'pools': ['standing'], 'limit': 2}]}},
    {'quotas': [{'quota': 'q', 'pools': ['standing', 'stalls'], 'limit': 2}]},
    {'sections': [{'section': 'standing', 'rates': {'child': 1}}]},
    {'sections': [{'section': 'standing', 'capacity': 2}]}])
def test_who_can_no_longer_be_served_is_told_so_at_once(definition):
    story = Story()
    story.define()
    story.book(places('standing', 1) + seats('A-1'))
    gone = [wait(story, 3, customer, rate='standard')['booking'] for customer in 'de']
    stays = story.hold(seats('A-1'), 'f', wait_until=at(60_000))
    assert story.tell() is None
    story.define(**{'sections': [], **definition})
    if definition.get('limits') != {'units_min': 4}:  # nor may that one be so small
        assert story.booking(stays['booking']).state == 'waiting'
        for booking in gone:
            body = story.tell()
            assert (body['outcome'], body['cause'], body['booking']) == ('left', 'resource_changed', booking)
        assert story.tell() is None
    else:
        assert [story.tell()['booking'] for _party in range(3)] == [*gone, stays['booking']]
    assert replay(story.finish())


def test_the_replay_finds_who_waits_in_vain_and_who_was_sent_away_wrongly():
    story = Story()
    story.define()
    story.book(places('standing', 1))
    wait(story, 3, 'd')
    story.define(sections=[], limits={'units_per_request': 2})
    assert not replay(copy.deepcopy(story).finish())
    assert story.tell()['outcome'] == 'left'
    evidence = story.finish()
    assert replay(evidence)
    evidence.decisions[0][-1].body['cause'] = 'expiry'
    assert not replay(publish(evidence))


# ---- until it is over ----------------------------------------------------------------------------------------
def test_who_waits_leaves_when_the_show_ends(story):
    story.define(sections=[], ends_at=at(5000))
    assert wait(story, 1, wait_until=at(4000))['expires_at'] == at(4000)
    party = wait(story, 1)
    assert party['expires_at'] == at(5000)
    assert 'detail' not in story.expire(at=4000)
    body = story.expire(at=5000)
    assert (body['outcome'], body['cause'], body['booking']) == ('left', 'expiry', party['booking'])
    assert body['detail'] == f'not_on_sale: it ended at {at(5000)}'
    assert replay(story.finish())


def test_who_waits_leaves_when_its_first_night_is_over():
    story = Story()
    nights = {'room': 'twin', 'from': '2099-01-01', 'to': '2099-01-09'}
    story.define(timezone='America/Havana', rooms=[{**nights, 'capacity': 1, 'price': 1}])
    nights['quantity'] = 1
    story.book([nights])
    stay = story.hold([{**nights, 'from': '2099-01-03'}, {**nights, 'from': '2099-01-02', 'to': '2099-01-03'}],
                      wait_until='2100-01-01T00:00:00Z')
    assert stay['expires_at'] == '2099-01-03T05:00:00.000Z'


def test_a_define_moves_the_end_of_who_waits(story):
    story.define(sections=[], ends_at=at(5000))
    party = wait(story, 1)['booking']
    story.define(sections=[], ends_at=at(90_000))
    assert not replay(copy.deepcopy(story).finish())
    body = story.tell()
    assert (body['outcome'], body['cause'], body['booking']) == ('waiting', 'resource_changed', party)
    assert body['expires_at'] == at(60_000) and story.tell() is None
    story.define(sections=[], ends_at=at(0))
    body = story.tell()
    assert (body['outcome'], body['detail']) == ('left', 'not_on_sale: it can no longer be had')
    evidence = story.finish()
    assert replay(evidence)
    rows(evidence)[-3].body['expires_at'] = at(5000)
    assert not replay(publish(evidence))


# ---- what the replay finds -----------------------------------------------------------------------------------
@pytest.fixture(name='served')
def a_list_served_in_order(story):
    """A place comes back twice: each time the next of three is served, then a request finds nothing."""
    for customer in 'def':
        wait(story, 1, customer)
    cancel(story, 2)
    assert story.serve()['customer'] == 'd'
    assert story.book(places('standing', 1), 'z')['reason'] == 'not_enough'
    cancel(story, 3)
    assert story.serve()['customer'] == 'e'
    story.ask('probe')
    return story


def test_a_list_that_was_served_is_found_right(served):
    report = replay(served.finish())
    assert report, str(report)
    assert report.facts['served'] == 2


def rows(evidence):
    return evidence.decisions[0]


def serving(evidence):
    return [row for row in rows(evidence) if row.body.get('cause') == 'waiting_list']


def not_served(evidence):
    """The last one never was."""
    rows(evidence).remove(serving(evidence)[-1])
    renumber(evidence)


def served_twice(evidence):
    at_row = rows(evidence).index(serving(evidence)[-1])
    rows(evidence).insert(at_row, copy.deepcopy(serving(evidence)[-1]))
    renumber(evidence)


def another_served(evidence):
    row = serving(evidence)[0]
    row.request_id, row.body['booking'], row.body['customer'] = 'r6', 'r6', 'e'


def served_too_early(evidence):
    """Before the place came back."""
    row = serving(evidence)[0]
    rows(evidence).remove(row)
    rows(evidence).insert(7, row)
    renumber(evidence)


def renumber(evidence):
    for seq, row in enumerate(rows(evidence), 1):
        row.seq = seq


WRONG = {
    'one was not served': not_served, 'one was served twice': served_twice, 'another was served': another_served,
    'served before the place came back': served_too_early,
    'a hold of another time': lambda e: serving(e)[0].body.update(expires_at=at(5)),
    'no units': lambda e: serving(e)[0].body.pop('units'),
    'another cause': lambda e: serving(e)[0].body.update(cause='expiry'),
    'a wish that stayed': lambda e: e.bookings['show:one', 'r5'].update(wants=([], False, None, None)),
    'a wish that is another': lambda e: e.bookings['show:one', 'r7'].update(wants=([], False, None, None)),
    'a position of another': lambda e: rows(e)[5].body.update(position=1),
}


@pytest.mark.parametrize('wrong', WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_reported(served, wrong):
    evidence = served.finish()
    wrong(evidence)
    evidence.answers[0].clear()
    publish(evidence)
    assert not replay(evidence)


def test_a_newcomer_before_the_list_is_reported(story):
    """Somebody gets the place that came back while another waits for it."""
    wait(story, 1, 'd')
    cancel(story, 2)
    newcomer = story.book(places('standing', 1), 'z')
    assert newcomer['outcome'] == 'confirmed'
    report = replay(story.finish())
    assert report.lines == ['decision 7 of partition 0 (offset 6): expected r5 is served before, found it waits']


def test_whether_several_items_fit_at_random_is_known_to_the_worker_alone(story):
    story.define(strategy='random')
    two = story.hold(places('standing', 1) * 2, 'd', wait_until=at(60_000))
    assert two['outcome'] == 'waiting'
    for number in (2, 3):
        cancel(story, number)
    assert story.book(places('standing', 1), 'z')['outcome'] == 'confirmed'
    report = replay(story.finish())
    assert report, str(report)


@pytest.mark.parametrize('strategy, items, served', [('random', 2, 'e'), ('random', 1, 'd'), ('best', 2, 'd')])
def test_only_who_fits_by_chance_may_be_passed_over(story, strategy, items, served):
    """The worker had looked at the first one at another seq, when it did not fit."""
    story.define(strategy=strategy)
    story.hold(places('standing', 1) * items, 'd', wait_until=at(60_000))
    second = story.hold(places('standing', 1), 'e', wait_until=at(60_000))
    for number in range(2, 2 + items):
        cancel(story, number)
    assert story.serve(who=second['booking'])['customer'] == served
    report = replay(story.finish())
    assert report, str(report)


def test_who_fits_by_what_others_took_waits_until_units_come_back():
    """Two seats side by side, for which usher takes one that the party names, too, until somebody has the other."""
    story = Story()
    story.define()
    story.book(seats('A-3', 'A-4', 'B-3'))
    party = story.hold([*places('stalls', 2, together=True), *seats('A-1')], 'd', wait_until=at(60_000))
    assert party['outcome'] == 'waiting'
    story.book(seats('A-2'))
    other = story.book(places('standing', 1))
    story.ask('cancel', booking=other['booking'], customer='c')
    assert story.serve() is None
    assert story.book(places('standing', 1))['outcome'] == 'confirmed'
    assert replay(story.finish()), 'none of its own came back, so it may wait'
    assert seats_of(story.serve(who=party['booking'])) == ['B-1', 'B-2', 'A-1']
    assert replay(story.finish())


def test_a_newcomer_may_take_what_nobody_on_the_list_can_use(story):
    wait(story, 2, 'd')
    cancel(story, 2)
    assert story.book(places('standing', 1), 'z')['outcome'] == 'confirmed'
    report = replay(story.finish())
    assert report, str(report)


def test_who_fits_at_the_end_must_not_wait(story):
    wait(story, 1, 'd')
    cancel(story, 2)
    report = replay(story.finish())
    assert report.lines == ['resource show:one: expected r5 is served, found it waits']
