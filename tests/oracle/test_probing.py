"""What a probe says of bookings, as of now: one by its id, or those of a cart."""

import pytest

from oracle.logs import Story, at, places, seats


@pytest.fixture(name='story')
def with_a_hall():
    story = Story(hold_ttl_s=60)
    story.define()
    return story


def test_a_booking_through_its_life(story):
    booking = story.hold(seats('A-1', 'A-2'), ttl_s=30, cart='k')['booking']

    def shown(**more):
        return story.ask('probe', booking=booking, **more)['bookings']
    assert shown() == [{'booking': booking, 'state': 'held', 'customer': 'c', 'cart': 'k', 'units': 2, 'total': 9000,
                        'expires_at': at(30_000)}]
    story.ask('confirm', booking=booking, customer='c', payment='p')
    assert shown(customer='c') == [{'booking': booking, 'state': 'confirmed', 'customer': 'c', 'cart': 'k',
                                    'payment': 'p', 'units': 2, 'total': 9000}]
    assert story.ask('probe', booking=booking, customer='d')['reason'] == 'not_owner'
    assert story.ask('probe', booking='none')['reason'] == 'unknown_booking'


def test_a_cart_and_the_time_of_its_holds(story):
    first = story.hold(seats('A-1'), ttl_s=10, cart='k')['booking']
    second = story.book(seats('A-2'), cart='k')['booking']
    body = story.ask('probe', cart='k', customer='c', at=5000)
    assert [(one['booking'], one['state'], one.get('expires_at')) for one in body['bookings']] == [
        (first, 'held', at(10_000)), (second, 'confirmed', None)]
    assert body['outcome'] == 'alive' and 'pools' not in body
    assert story.ask('probe', cart='k', customer='d')['reason'] == 'unknown_booking'


def test_a_party_moves_up(story):
    sold = story.book(places('standing', 3))['booking']
    parties = [story.hold(places('standing', 1), wait_until=at(60_000))['booking'] for _party in range(2)]

    def position():
        return story.ask('probe', booking=parties[1])['bookings'][0].get('position')
    assert position() == 2
    story.ask('leave', booking=parties[0], customer='c')
    assert position() == 1
    story.ask('cancel', booking=sold, customer='c')
    story.serve()
    assert story.ask('probe', booking=parties[1])['bookings'][0]['state'] == 'held'
