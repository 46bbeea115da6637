"""The waiting list: who joins it, who is served when, who is passed over, and who leaves."""

import pytest

from harness.counts import check_counts
from harness.moments import soon, told, unrequested
from harness.shows import HALL, places, seats, shortfalls, standing, verdict
from oracle.parsing import instant_of

LATER = '2099-01-01T00:00:00Z'


@pytest.fixture(name='floor')
def floor_fixture(world, name):
    """Makes shows with so many places: floor(3). Each has an owner of all of them."""
    def make(capacity, **more):
        show = name()
        world.ask('define', show, **standing(capacity, **more))
        return show
    return make


def wait(ask, show, customer, items, **more):
    """Joins the list. Returns the booking's id."""
    answer = ask('hold', show, customer=customer, items=items, wait_until=LATER, **more)
    assert verdict(answer) == ('waiting', None), answer
    return answer['booking']


def served(world, show, booking):
    """The answer by which a party on the list was served."""
    answer = unrequested(world, booking, show, 'waiting_list')
    assert (answer['outcome'], answer['op'], answer['booking']) == ('held', 'hold', booking)
    return answer


def not_served(world, show, *bookings):
    """After all that was asked before has been decided."""
    world.ask('probe', show)
    assert not [booking for booking in bookings if told(world, booking, show)]


# ---- joining ---------------------------------------------------------------------------------------------------------
def test_who_cannot_be_served_joins_the_list(world, floor):
    show = floor(2)
    world.ask('book', show, customer='early', items=places('floor', 2))
    first = world.ask('hold', show, customer='c', client='web', cart='k', items=places('floor', 1), wait_until=LATER)
    assert verdict(first) == ('waiting', None) and (first['position'], first['booking']) == (1, first['request_id'])
    assert (first['expires_at'], first['free'], first['customer']) == ('2099-01-01T00:00:00.000Z', 0, 'c')
    assert 'units' not in first
    second = world.ask('hold', show, customer='d', items=places('floor', 2), wait_until=LATER)
    assert second['position'] == 2
    probe = check_counts(world, show, 0, sold=2)
    assert probe['waiting'] == 2
    world.ask('leave', show, customer='c', booking=first['booking'])
    shown = world.ask('probe', show, booking=second['booking'])['bookings']
    assert shown == [{'booking': second['booking'], 'state': 'waiting', 'customer': 'd', 'units': 0, 'total': 0,
                      'expires_at': second['expires_at'], 'position': 1}]


def test_who_can_be_served_does_not_wait(ask, floor):
    show = floor(2)
    answer = ask('hold', show, customer='c', items=places('floor', 2), wait_until=LATER, ttl_s=60)
    assert verdict(answer) == ('held', None) and 'position' not in answer
    assert instant_of(answer['expires_at']) == instant_of(answer['decided_at']) + 60_000


# ---- being served ----------------------------------------------------------------------------------------------------
def test_they_are_served_in_order(world, floor):
    show = floor(2, hold_ttl_s=300)
    held = world.ask('hold', show, customer='early', items=places('floor', 2))
    first, second, third = (wait(world.ask, show, customer, places('floor', count), client=f'of-{customer}', cart='k')
                            for customer, count in (('a', 2), ('b', 1), ('c', 1)))
    released = world.ask('release', show, customer='early', booking=held['booking'])
    answer = served(world, show, first)
    assert (answer['customer'], answer['client'], answer['cart']) == ('a', 'of-a', 'k') and 'source' not in answer
    assert answer['units'] == [{'item': 0, 'section': 'floor', 'quantity': 2, 'price': 1000}] and answer['total'] == 2000
    # Its time begins now, as long as its request says or the resource has it.
    assert instant_of(answer['expires_at']) == instant_of(answer['decided_at']) + 300_000
    assert answer['seq'] > released['seq'] and answer['free'] == 0
    not_served(world, show, second, third)
    assert world.ask('probe', show)['waiting'] == 2
    # And is a hold like any other.
    assert verdict(world.ask('release', show, customer='a', booking=first))[0] == 'released'
    assert served(world, show, second)['seq'] < served(world, show, third)['seq']
    sold = world.ask('confirm', show, customer='b', booking=second)
    assert verdict(sold) == ('confirmed', None)
    check_counts(world, show, 0, held=1, sold=1)


def test_a_party_that_does_not_fit_is_passed_over_and_keeps_its_place(world, floor):
    show = floor(4)
    one, other = (world.ask('hold', show, customer='early', items=places('floor', 2))['booking'] for _time in range(2))
    large, small, also = (wait(world.ask, show, customer, places('floor', count), ttl_s=ttl)
                          for customer, count, ttl in (('large', 4, 60), ('small', 1, 60), ('also', 3, 60)))
    world.ask('release', show, customer='early', booking=one)
    served(world, show, small)
    not_served(world, show, large, also)
    # One place is free, which neither of them can use: a newcomer may have it.
    assert verdict(world.ask('hold', show, customer='newcomer', items=places('floor', 1), cart='n')) == ('held', None)
    last = world.ask('hold', show, customer='last', items=places('floor', 4), wait_until=LATER)
    assert last['position'] == 3
    # Three are free: not enough for the first, so the second and not the third.
    for customer, booking in (('early', other), ('small', small)):
        not_served(world, show, large, also, last['booking'])
        world.ask('release', show, customer=customer, booking=booking)
    served(world, show, also)
    not_served(world, show, large, last['booking'])
    check_counts(world, show, 0, held=4)
    world.ask('release', show, customer='also', booking=also)
    not_served(world, show, large, last['booking'])
    world.ask('release', show, customer='newcomer', cart='n')
    served(world, show, large)
    not_served(world, show, last['booking'])


def test_newcomers_never_overtake_a_party_that_fits(world, floor):
    """Whatever comes in one batch with the release: the party is served before it."""
    show = floor(1)
    holder, holds = 'early', world.ask('hold', show, customer='early', items=places('floor', 1))['booking']
    for number in range(20):
        party = wait(world.ask, show, f'party-{number}', places('floor', 1))
        requests = [world.client.request('release', show, customer=holder, booking=holds)]
        requests += [world.client.request(op, show, customer='newcomer', items=places('floor', 1))
                     for op in ('hold', 'book', 'hold')]
        released, *refused = world.ask_all(*requests)
        assert verdict(released) == ('released', None)
        assert [verdict(answer) for answer in refused] == [('refused', 'not_enough')] * 3
        answer = served(world, show, party)
        assert released['seq'] < answer['seq'] < refused[0]['seq']
        holder, holds = f'party-{number}', party


def test_a_newcomer_that_joins_is_behind_those_that_wait(world, floor):
    show = floor(1)
    held = world.ask('hold', show, customer='early', items=places('floor', 1))['booking']
    parties = [wait(world.ask, show, f'p{number}', places('floor', 1)) for number in range(5)]
    order = []
    for party in parties:
        world.ask('release', show, customer='early' if not order else f'p{len(order) - 1}', booking=held)
        order.append(served(world, show, party)['booking'])
        held = party
    assert order == parties


def test_limits_pass_over_a_party_and_make_it_fit(world, name):
    """Who may not have it now is passed over alone; others who want the very same are not."""
    show = name()
    world.ask('define', show, state='open', limits={'units_per_customer': 2}, sections=[
        {'section': 'floor', 'capacity': 2, 'price': 1}, {'section': 'gallery', 'capacity': 9, 'price': 1}])
    early = world.ask('hold', show, customer='early', items=places('floor', 2))['booking']
    limited, free = wait(world.ask, show, 'c', places('floor', 1)), wait(world.ask, show, 'd', places('floor', 1))
    mine = world.ask('book', show, customer='c', items=places('gallery', 2))['booking']
    world.ask('release', show, customer='early', booking=early)
    served(world, show, free)
    not_served(world, show, limited)
    world.ask('exchange', show, customer='c', booking=mine, items=places('gallery', 1))
    served(world, show, limited)
    check_counts(world, show, 8, held=2, sold=1)


def test_what_others_take_makes_nobody_fit_before_units_come_back(world, name):
    """Two seats side by side, for which usher takes one that the party names, too, until somebody has the other."""
    show = name()
    world.ask('define', show, state='open', sections=[
        {'section': 'stalls', 'price': 1, 'rows': [{'row': 'A', 'seats': 4}, {'row': 'B', 'seats': 3}]},
        {'section': 'floor', 'capacity': 9, 'price': 1}])
    last = world.ask('book', show, customer='early', items=seats('A-3', 'A-4', 'B-3'))['booking']
    items = [*places('stalls', 2, together=True), *seats('A-1')]
    party = wait(world.ask, show, 'c', items)
    world.ask('book', show, customer='early', items=seats('A-2'))
    assert verdict(world.ask('book', show, customer='d', items=places('floor', 1))) == ('confirmed', None)
    not_served(world, show, party)
    world.ask('cancel', show, customer='early', booking=last)
    served(world, show, party)


# What else can make a party fit: each prepares, and says what to do then. The party wants two places of the floor.
def by_cancel(ask, show):
    booking = ask('book', show, customer='early', items=places('floor', 2))['booking']
    return lambda: ask('cancel', show, customer='early', booking=booking)


def by_exchange(ask, show):
    booking = ask('hold', show, customer='early', items=places('floor', 2))['booking']
    return lambda: ask('exchange', show, customer='early', booking=booking, items=places('gallery', 1))


def by_part(ask, show):
    items = [*places('floor', 2), *places('gallery', 1)]
    booking = ask('hold', show, customer='early', items=items)['booking']
    return lambda: ask('confirm', show, customer='early', booking=booking, items=places('gallery', 1))


def by_unblock(ask, show):
    booking = ask('block', show, items=places('floor', 2))['booking']
    return lambda: ask('unblock', show, booking=booking)


def by_define(ask, show):
    ask('book', show, customer='early', items=places('floor', 2))
    return lambda: ask('define', show, sections=[{'section': 'floor', 'capacity': 4}])


def by_quota(ask, show):
    ask('define', show, quotas=[{'quota': 'q', 'pools': ['floor', 'gallery'], 'limit': 2}])
    ask('book', show, customer='early', items=places('gallery', 1))
    return lambda: ask('define', show, quotas=[{'quota': 'q', 'pools': []}])


def by_open(ask, show):
    booking = ask('book', show, customer='early', items=places('floor', 2))['booking']

    def reopen():
        ask('close', show)
        assert verdict(ask('cancel', show, customer='early', booking=booking)) == ('cancelled', None)
        # Only while it is on sale.
        probe = ask('probe', show)
        assert (probe['waiting'], probe['pools'][0]['free']) == (1, 2)
        return ask('open', show)
    return reopen


def by_confirm(ask, show):
    """Of the waiting customer's own hold, where he may have but one."""
    booking = ask('hold', show, customer='early', items=places('floor', 2))['booking']
    ask('define', show, limits={'holds_per_customer': 1})

    def confirm():
        mine = ask('hold', show, customer='c', items=places('gallery', 1))['booking']
        ask('release', show, customer='early', booking=booking)
        assert ask('probe', show)['waiting'] == 1
        return ask('confirm', show, customer='c', booking=mine)
    return confirm


def by_transfer(ask, show):
    """Of what the waiting customer has to another one."""
    booking = ask('hold', show, customer='early', items=places('floor', 2))['booking']
    ask('define', show, limits={'units_per_customer': 2})

    def transfer():
        mine = ask('book', show, customer='c', items=places('gallery', 1))['booking']
        ask('release', show, customer='early', booking=booking)
        assert ask('probe', show)['waiting'] == 1
        return ask('transfer', show, customer='c', booking=mine, to_customer='heir')
    return transfer


def by_limits(ask, show):
    booking = ask('hold', show, customer='early', items=places('floor', 2))['booking']

    def loosen():
        ask('book', show, customer='c', items=places('gallery', 1))
        ask('define', show, limits={'units_per_customer': 2})
        ask('release', show, customer='early', booking=booking)
        assert ask('probe', show)['waiting'] == 1
        return ask('define', show, limits={})
    return loosen


@pytest.mark.parametrize('way', [by_cancel, by_exchange, by_part, by_unblock, by_define, by_quota, by_open, by_confirm,
                                 by_transfer, by_limits], ids=lambda way: way.__name__.removeprefix('by_'))
def test_the_list_is_served_when_something_changed(world, name, way):
    show = name()
    world.ask('define', show, state='open', sections=[{'section': 'floor', 'capacity': 2, 'price': 1},
                                                      {'section': 'gallery', 'capacity': 9, 'price': 1}])
    change = way(world.ask, show)
    party = wait(world.ask, show, 'c', places('floor', 2))
    done = change()
    assert done.get('outcome') not in ('refused', 'invalid'), done
    assert served(world, show, party)['units'][0]['quantity'] == 2


@pytest.mark.parametrize('definition', [
    {'limits': {'units_per_customer': 1}}, {'quotas': [{'quota': 'q', 'pools': ['floor'], 'limit': 1}]},
    {'sections': [{'section': 'floor', 'capacity': 1}]}], ids=lambda definition: next(iter(definition)))
def test_who_can_no_longer_be_served_is_told_so_and_leaves(world, floor, definition):
    show = floor(2)
    world.ask('book', show, customer='early', items=places('floor', 1))
    party, stays = wait(world.ask, show, 'c', places('floor', 2)), world.ask('block', show, items=places('floor', 1))
    assert verdict(stays) == ('blocked', None), 'that may come back: nobody is turned away'
    assert world.ask('probe', show)['waiting'] == 1
    world.ask('unblock', show, booking=stays['booking'])
    assert verdict(world.ask('define', show, **definition)) == ('defined', None)
    answer = unrequested(world, party, show, 'resource_changed')
    assert verdict(answer) == ('left', None) and answer['detail'].endswith('it can no longer be had')
    assert world.ask('probe', show)['waiting'] == 0


def taken_for_a_moment(world, show):
    """By a hold, and by a block."""
    request = world.client.request
    return {'expiry': request('hold', show, customer='early', items=places('floor', 2), ttl_s=1),
            'block': request('block', show, items=places('floor', 2), return_at=soon(world, 3))}


@pytest.mark.parametrize('how', ['expiry', 'block'])
def test_units_that_come_back_by_themselves_serve_the_list(world, floor, how):
    show = floor(2)
    party = world.client.request('hold', show, customer='c', items=places('floor', 2), wait_until=LATER)
    _taken, waits = world.ask_all(taken_for_a_moment(world, show)[how], party)
    assert verdict(waits) == ('waiting', None)
    assert served(world, show, waits['booking'])['units'][0]['quantity'] == 2
    check_counts(world, show, 0, held=2)


def test_many_parties_are_served_at_once(world, floor):
    show = floor(302)
    held = world.ask('hold', show, customer='early', items=places('floor', 302))['booking']
    parties = [answer['booking'] for answer in world.ask_all(*(
        world.client.request('hold', show, customer=f'c{number}', items=places('floor', 1 + number % 3), wait_until=LATER)
        for number in range(200)))]
    world.ask('release', show, customer='early', booking=held)
    # Whole parties, the oldest first: 150 of them have 300, and of the two that are left two parties have one each.
    wanted = [*parties[:151], parties[153]]
    answers = [served(world, show, party) for party in wanted]
    assert [answer['seq'] for answer in answers] == sorted(answer['seq'] for answer in answers)
    not_served(world, show, *(party for party in parties if party not in wanted))
    assert check_counts(world, show, 0, held=302)['waiting'] == 200 - len(wanted)


# ---- leaving ---------------------------------------------------------------------------------------------------------
def test_who_leaves_is_not_served(world, floor):
    show = floor(1)
    held = world.ask('hold', show, customer='early', items=places('floor', 1))['booking']
    first, second = (wait(world.ask, show, customer, places('floor', 1)) for customer in ('a', 'b'))
    left = world.ask('leave', show, customer='a', booking=first)
    assert verdict(left) == ('left', None) and left['booking'] == first
    assert world.ask('probe', show)['waiting'] == 1
    world.ask('release', show, customer='early', booking=held)
    served(world, show, second)
    not_served(world, show, first)
    assert verdict(world.ask('leave', show, customer='a', booking=first)) == ('refused', 'not_waiting')


def test_who_waited_too_long_leaves_by_himself(world, floor):
    show, until = floor(1), soon(world, 3)
    _booked, party = world.ask_all(
        world.client.request('book', show, customer='early', items=places('floor', 1)),
        world.client.request('hold', show, customer='c', items=places('floor', 1), wait_until=until))
    answer = unrequested(world, party['booking'], show, 'expiry')
    assert (answer['outcome'], answer['op'], answer['customer']) == ('left', 'hold', 'c') and 'returned' not in answer
    assert instant_of(answer['decided_at']) >= instant_of(until)
    assert world.ask('probe', show)['waiting'] == 0


# ---- crashes ---------------------------------------------------------------------------------------------------------
def test_the_list_survives_a_crash(realm):
    """Its order too, and who asked for what."""
    realm.ask('define', 'show', **HALL)
    holds = [realm.ask('hold', 'show', customer='early', items=items)['booking']
             for items in (seats('A-1', 'A-2'), places('standing', 10))]
    named, large, small = (wait(realm.ask, 'show', customer, items, ttl_s=ttl) for customer, items, ttl in (
        ('named', seats('A-2'), 77), ('large', places('standing', 9), None), ('small', places('standing', 2), 88)))
    realm.workers[0].kill()
    realm.worker()
    assert realm.ask('probe', 'show')['waiting'] == 3
    assert realm.ask('hold', 'show', customer='d', items=places('standing', 1), wait_until=LATER)['position'] == 4
    for booking in holds:
        realm.ask('release', 'show', customer='early', booking=booking)
    answer = served(realm, 'show', named)
    assert answer['units'][0]['seats'] == ['A-2']
    assert instant_of(answer['expires_at']) == instant_of(answer['decided_at']) + 77_000
    served(realm, 'show', large)
    not_served(realm, 'show', small)
    check_counts(realm, 'show', 36 - 1 - 10, held=1 + 10)
    realm.check()


def test_a_crash_between_the_release_and_the_serving(make_realm):
    """What was free is the list's, whoever takes over, and whatever comes first."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **standing(400))
    held = realm.ask('hold', 'show', customer='early', items=places('floor', 400))['booking']
    parties = [answer['booking'] for answer in realm.ask_all(*(
        realm.client.request('hold', 'show', customer=f'c{number}', items=places('floor', 1), wait_until=LATER)
        for number in range(400)))]
    with realm.locked():
        sent = realm.client.send(realm.client.request('release', 'show', customer='early', booking=held),
                                 realm.client.request('book', 'show', customer='newcomer', items=places('floor', 1)))
        realm.workers[0].kill()
    realm.worker()
    released, refused = realm.client.answers_to(sent)
    assert verdict(released) == ('released', None) and verdict(refused) == ('refused', 'not_enough')
    assert shortfalls(refused) == {0: ('not_enough', 0, None)}
    for party in parties:
        served(realm, 'show', party)
    check_counts(realm, 'show', 0, held=400)
    realm.check()
