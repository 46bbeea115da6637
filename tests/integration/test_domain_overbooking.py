"""What is a fact already: units that the house takes beyond those there are, and what everybody is told of them."""

from harness.counts import check_counts
from harness.shows import places, standing, stay, verdict

FACT = {'force': True, 'overbook': True}
WAIT = {'wait_until': '2099-01-01T00:00:00Z'}


def test_everybody_says_how_many_are_over(world, name):
    show = name()
    world.ask('define', show, **standing(4))
    world.ask('book', show, customer='c', items=places('floor', 4))
    assert verdict(world.ask('book', show, customer='ota', force=True, items=places('floor', 3))) == ('refused', 'not_enough')
    answer = world.ask('book', show, customer='ota', items=places('floor', 3), **FACT)
    assert (answer['outcome'], answer['overbooked'], answer['free']) == ('confirmed', 3, 0)
    [pool] = check_counts(world, show, 0, sold=7, over=3)['pools']
    assert (pool['free'], pool['total'], pool['over']) == (0, 4, 3)
    assert world.sql('select pool, free, total, over from usher.availability where resource = %s', show,
                     role='reader') == [('floor', 0, 4, 3)]
    # What comes back fills the hole before anybody is served.
    party = world.ask('hold', show, customer='w', items=places('floor', 1), **WAIT)['booking']
    world.ask('exchange', show, customer='ota', booking=answer['booking'], items=places('floor', 1))
    check_counts(world, show, 0, sold=5, over=1)
    world.ask('cancel', show, customer='ota', booking=answer['booking'])
    probe = check_counts(world, show, 0, sold=4)
    assert 'over' not in probe['pools'][0] and probe['waiting'] == 1
    assert world.ask('probe', show, customer='w', booking=party)['bookings'][0]['state'] == 'waiting'


def test_nights_have_as_many_guests_as_the_house_says(world, name):
    hotel = name('hotel')
    world.ask('define', hotel, state='open', currency='EUR', rooms=[
        {'room': 'double', 'from': '2030-06-01', 'to': '2030-06-04', 'capacity': 2, 'price': 100}])
    world.ask('book', hotel, customer='c', items=stay('double', '2030-06-01', '2030-06-04', 2))
    ota = world.ask('book', hotel, customer='ota', items=stay('double', '2030-06-02', '2030-06-04', 1), **FACT)
    assert [unit['tokens'] for unit in ota['units']] == [[2], [2]] and ota['overbooked'] == 2
    assert check_counts(world, hotel, 0, sold=8, over=2)['pools'][0]['over'] == [0, 1, 1]
    # A room is gone for one night.
    nights = {'room': 'double', 'from': '2030-06-02', 'to': '2030-06-03', 'capacity': 1}
    assert verdict(world.ask('define', hotel, rooms=[nights])) == ('refused', 'in_use')
    assert verdict(world.ask('define', hotel, rooms=[nights], **FACT)) == ('defined', None)
    assert check_counts(world, hotel, 0, sold=8, over=3)['pools'][0]['over'] == [0, 2, 1]
    world.ask('cancel', hotel, customer='ota', booking=ota['booking'])
    check_counts(world, hotel, 0, sold=6, over=1)
