"""Carts: bookings of one customer and name, done with as one, and kept by every step; over several resources, sold as a whole."""

import pytest

from oracle import changing, taking, whole
from oracle.compare import Report
from oracle.evidence import Evidence, Row
from oracle.logs import Story, T, at, places, seats, seats_of


@pytest.fixture(name='story')
def with_hall():
    story = Story()
    story.define()
    return story


def hold(story, items, **fields):
    return story.hold(items, **{'cart': 'k', **fields})['booking']


def test_a_cart_has_an_end(story, monkeypatch):
    monkeypatch.setattr(taking, 'CART_BOOKINGS_MAX', 2)
    hold(story, seats('A-1'))
    story.ask('release', booking=hold(story, seats('A-2')), customer='c')
    assert story.hold(seats('A-3'), cart='k')['reason'] == 'limit_exceeded'
    assert story.hold(seats('A-3'), cart='other')['outcome'] == 'held'
    assert story.ask('confirm', cart='k', customer='c')['outcome'] == 'confirmed'


def test_a_cart_of_very_many_units_is_done_with_one_by_one(story, monkeypatch):
    monkeypatch.setattr(changing, 'CART_UNITS_MAX', 2)
    hold(story, seats('A-1'))
    second = hold(story, seats('A-2', 'B-1'))
    for op in ('confirm', 'release'):
        assert story.ask(op, cart='k', customer='c')['reason'] == 'limit_exceeded'
    assert story.ask('release', booking=second, customer='c')['outcome'] == 'released'
    assert story.ask('confirm', cart='k', customer='c')['outcome'] == 'confirmed'


def test_confirm_and_cancel_all_of_a_cart(story):
    first, second = hold(story, seats('A-1')), hold(story, seats('A-2', 'B-1'))
    other, foreign = hold(story, seats('A-3'), cart='other'), hold(story, seats('A-4'), customer='d')
    body = story.ask('confirm', cart='k', customer='c', payment='p')
    assert (body['outcome'], body['total'], body['cart'], body['payment']) == ('confirmed', 13500, 'k', 'p')
    assert [(group['booking'], group['seats']) for group in body['units']] == [
        (first, ['A-1']), (second, ['A-2', 'B-1'])]
    assert 'booking' not in body and story.booking(first).payment == 'p'
    assert [story.booking(one).state for one in (other, foreign)] == ['held', 'held']
    body = story.ask('cancel', cart='k', customer='c')
    assert (body['outcome'], body['total'], len(body['returned'])) == ('cancelled', 13500, 2)
    for op in ('confirm', 'cancel', 'release'):
        assert story.ask(op, cart='k', customer='c')['reason'] == 'unknown_booking'


def test_release_those_held_and_extend_to_the_earliest_end(story):
    hold(story, seats('A-1'), ttl_s=10)
    second = hold(story, seats('A-2'), ttl_s=500)
    body = story.ask('extend', cart='k', customer='c', ttl_s=300)
    assert body['expires_at'] == at(300_000) and story.booking(second).expires == T + 500_000
    story.ask('confirm', booking=second, customer='c')
    body = story.ask('release', cart='k', customer='c')
    assert seats_of(body, 'returned') == ['A-1']
    assert story.booking(second).state == 'confirmed'


def test_an_extended_cart_lasts_as_long_as_its_holds_would_anyway(story):
    first, second = hold(story, seats('A-1'), ttl_s=100), hold(story, seats('A-2'), ttl_s=200)
    body = story.ask('extend', cart='k', customer='c', ttl_s=5, at=50_000)
    assert body['expires_at'] == at(150_000) and 'units' not in body
    assert story.booking(second).expires == T + 250_000
    body = story.ask('extend', booking=first, cart='k', customer='c', ttl_s=5, at=60_000)
    assert body['expires_at'] == at(160_000)


def test_with_both_the_booking_is_meant(story):
    first, second = hold(story, seats('A-1')), hold(story, seats('A-2'))
    story.ask('release', booking=first, cart='k', customer='c')
    assert [story.booking(one).state for one in (first, second)] == ['released', 'held']


# ---- the time of its holds -----------------------------------------------------------------------------------
def test_each_accepted_step_that_names_the_cart_gives_the_holds_their_own_time_again():
    story = Story(hold_ttl_s=900, hold_ttl_max_s=100)
    story.define()
    short, long = hold(story, seats('A-1'), ttl_s=10), hold(story, seats('A-2'), ttl_s=60)

    def ends():
        return [(story.booking(one).expires - T) // 1000 for one in (short, long)]
    assert ends() == [10, 60]
    story.ask('probe', cart='k', customer='c', at=5000)
    assert ends() == [10, 60]  # who looks does not use it
    story.ask('extend', cart='k', customer='c', ttl_s=1, at=5000)
    assert ends() == [15, 65]
    story.book(seats('A-2'), cart='k', at=6000)  # refused
    story.book(seats('A-4'), cart='k', customer='d', at=6000)  # none of theirs
    assert ends() == [15, 65]
    story.ask('extend', booking=short, customer='c', ttl_s=50, at=6000)  # does not name the cart
    assert ends() == [56, 65]
    story.book(seats('A-3'), cart='k', at=50_000)
    assert ends() == [60, 100]  # no longer than the cap, from when it began
    story.ask('release', booking=short, cart='k', customer='c')
    assert story.booking(long).expires == T + 100_000


# ---- after its time ------------------------------------------------------------------------------------------
def test_confirm_takes_what_expired_meanwhile(story):
    first = hold(story, seats('A-1'), ttl_s=5)
    second = hold(story, seats('A-2'), ttl_s=60, cart=None, at=3000)
    assert story.expire(at=5000)['booking'] == first
    third = hold(story, seats('A-3'), at=4000 + 2000)
    story.ask('transfer', booking=second, customer='c', to_customer='d')
    # The first ended before the third began: it belongs to an earlier life of the cart.
    body = story.ask('confirm', cart='k', customer='c')
    assert [group['booking'] for group in body['units']] == [third]


def test_the_present_life_goes_back_as_long_as_they_overlap(story):
    first = hold(story, seats('A-1'), ttl_s=5)
    assert story.booking(first).expires == T + 5000
    second = hold(story, seats('A-2'), ttl_s=5, at=3000)
    third = hold(story, seats('A-3'), ttl_s=600, at=4000)
    for expires in (8000, 9000):
        story.expire(at=expires)
    assert [story.booking(one).state for one in (first, second, third)] == ['expired', 'expired', 'held']
    body = story.ask('confirm', cart='k', customer='c')
    assert [group['booking'] for group in body['units']] == [first, second, third] and body['total'] == 13500


def test_one_that_is_gone_is_too_much(story):
    first = hold(story, seats('A-1'), ttl_s=5)
    third = hold(story, seats('A-3'), ttl_s=600)
    story.expire(at=9000)
    story.book(seats('A-1'), customer='d')
    body = story.ask('confirm', cart='k', customer='c')
    assert body['reason'] == 'hold_expired' and body['items'][0]['taken'] == ['A-1']
    assert [story.booking(one).state for one in (first, third)] == ['expired', 'held']
    assert story.ask('extend', cart='k', customer='c', ttl_s=5)['reason'] == 'hold_expired'
    body = story.ask('release', cart='k', customer='c')
    assert [group['booking'] for group in body['returned']] == [third] and body['total'] == 4500
    assert [story.booking(one).state for one in (first, third)] == ['released', 'released']


def test_a_part_is_of_a_booking_only(story):
    first = hold(story, seats('A-1') + places('standing', 1))
    body = story.ask('confirm', cart='k', booking=first, customer='c', items=seats('A-1'))
    assert body['outcome'] == 'confirmed' and body['returned'][0]['section'] == 'standing'


# ---- over several resources ------------------------------------------------------------------------------------------
def sold(*reasons, cart='k', label='k', hold='{cart}.h{number}', confirm='{cart}.c{number}'):
    """What is said of a cart with a line in each resource whose confirms were answered so; None: confirmed."""
    evidence, report = Evidence(len(reasons)), Report()
    for number, reason in enumerate(reasons):
        evidence.bookings[f'show:{number}', hold.format(cart=cart, number=number)] = {'customer': 'c', 'cart': label}
        evidence.decisions[number] = [
            Row(seq, 1, seq, None, confirm.format(cart=cart, number=number), 'confirm', f'show:{number}', None,
                'refused' if reason else 'confirmed', reason, seq == 1, seq > 1, T, {}) for seq in (1, 2)]
    whole.compare(report, evidence)
    return report


@pytest.mark.parametrize('reasons', [(None, None), ('hold_expired', 'hold_expired'), (None, 'already_released'),
                                     (None, 'internal', None), (None, 'already_confirmed')])
def test_a_cart_is_sold_as_a_whole_but_for_what_the_house_did(reasons):
    assert sold(*reasons)


def test_half_a_cart_is_found():
    assert not sold('hold_expired', 'already_confirmed')
    report = sold(None, 'hold_expired', None)
    assert report.count == 1 and "'k.c1 of show:1': 'hold_expired'" in str(report)


@pytest.mark.parametrize('hold', ['{cart}.h{number}', '{cart}.h{number}-2'])
def test_half_a_cart_of_libusher_is_found(hold):
    assert sold(None, None, hold=hold, confirm=f'{hold}.c')
    assert not sold(None, 'hold_expired', hold=hold, confirm=f'{hold}.c')


def test_what_is_only_named_alike_is_no_cart():
    assert sold(None, 'hold_expired', label=None) and sold(None, 'hold_expired', label='other')
