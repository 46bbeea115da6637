"""A hotel: rooms of a type are tokens, so many for each night. A stay takes one for each of its nights, the day of
departure excluded, or nothing; the house may sell more rooms than it has, and takes nights back from who leaves early."""

import pytest

from harness.counts import check_counts, settle
from harness.shows import shortfalls, stay, verdict

FIRST, END = '2030-06-01', '2030-06-11'
NIGHTS = 10


def rooms(house, hotel, doubles=3, singles=2, **more):
    """A hotel for ten nights, of two types where it has singles; a double costs more over the weekend of the seventh."""
    types = [{'room': 'double', 'from': FIRST, 'to': END, 'capacity': doubles, 'price': 10000, **more},
             {'room': 'double', 'from': '2030-06-07', 'to': '2030-06-09', 'price': 15000}]
    if singles:
        types.append({'room': 'single', 'from': FIRST, 'to': END, 'capacity': singles, 'price': 6000})
    answer = house.ask('define', hotel, state='open', currency='GBP', rooms=types)
    assert verdict(answer) == ('defined', None)
    assert answer['free'] == NIGHTS * (doubles + more.get('overbook', 0) + singles)
    return hotel


def night(day):
    return f'2030-06-{day:02d}'


def nights_of(answer, field='units'):
    """{night: tokens} of an answer about one room type."""
    return {group['night']: group['tokens'] for group in answer[field]}


def free_doubles(house, hotel):
    return house.ask('probe', hotel)['pools'][0]['free']


def capacity(house, hotel, count, **more):
    """Doubles on all nights from now on."""
    return house.ask('define', hotel, rooms=[{'room': 'double', 'from': FIRST, 'to': END, 'capacity': count, **more}])


def test_a_stay_takes_a_token_a_night_but_not_on_the_day_of_departure(house):
    hotel = rooms(house, 'hotel:tokens')
    held = house.ask('hold', hotel, customer='g1', items=stay('double', night(6), night(9)))
    assert verdict(held) == ('held', None)
    assert held['units'] == [{'item': 0, 'room': 'double', 'night': night(6), 'tokens': [0], 'price': 10000},
                             {'item': 0, 'room': 'double', 'night': night(7), 'tokens': [0], 'price': 15000},
                             {'item': 0, 'room': 'double', 'night': night(8), 'tokens': [0], 'price': 15000}]
    assert (held['total'], held['currency'], held['free']) == (40000, 'GBP', 5 * NIGHTS - 3)
    # The next guests come on the day on which these leave, and leave on the day on which these came.
    for start, end in ((9, 11), (3, 6)):
        sold = house.ask('book', hotel, customer='g2', items=stay('double', night(start), night(end), 3))
        assert all(tokens == [0, 1, 2] for tokens in nights_of(sold).values())
    check_counts(house, hotel, 5 * NIGHTS - 3 - 15, held=3, sold=15)
    assert free_doubles(house, hotel) == [3, 3, 0, 0, 0, 2, 2, 2, 0, 0]


def test_so_many_rooms_for_every_night_or_nothing(house):
    hotel = rooms(house, 'hotel:all-or-nothing')
    house.ask('book', hotel, customer='g1', items=stay('double', night(4), night(5), 2))
    for quantity, days, fine in ((2, (3, 6), False), (1, (3, 6), True), (3, (5, 7), False), (2, (5, 7), True)):
        before = house.ask('probe', hotel)['free']
        answer = house.ask('book', hotel, customer='g2', items=stay('double', night(days[0]), night(days[1]), quantity))
        assert verdict(answer) == (('confirmed', None) if fine else ('refused', 'not_enough'))
        assert answer['free'] == before - (quantity * (days[1] - days[0]) if fine else 0)
    refused = house.ask('book', hotel, customer='g3', items=stay('double', night(2), night(8), 2))
    assert shortfalls(refused) == {0: ('not_enough', 0, [night(4), night(5), night(6)])}
    assert free_doubles(house, hotel) == [3, 3, 2, 0, 0, 1, 3, 3, 3, 3]
    check_counts(house, hotel, 50 - 2 - 3 - 4, sold=9)


def test_two_types_in_one_request_are_one_stay(house):
    hotel = rooms(house, 'hotel:family')
    house.ask('book', hotel, customer='g1', items=stay('single', night(2), night(3), 2))
    both = [*stay('double', night(1), night(4), 2), *stay('single', night(1), night(4))]
    refused = house.ask('book', hotel, customer='g2', items=both)
    assert shortfalls(refused) == {1: ('not_enough', 0, [night(2)])}
    check_counts(house, hotel, 48, sold=2)


def test_a_night_without_inventory_refuses_the_stay(house):
    """Never a shorter stay, never a free night: nights before the season, after it, and one taken out of it."""
    hotel = rooms(house, 'hotel:gap')
    closed = house.ask('define', hotel, rooms=[{'room': 'double', 'from': night(5), 'to': night(6), 'capacity': 0}])
    assert verdict(closed) == ('defined', None) and closed['free'] == 50 - 3
    for start, end, missing in (('2030-05-30', night(3), ['2030-05-30', '2030-05-31']), (night(4), night(7), [night(5)]),
                                (night(10), '2030-06-13', ['2030-06-11', '2030-06-12'])):
        answer = house.ask('book', hotel, customer='g', items=stay('double', start, end))
        assert verdict(answer) == ('refused', 'unknown_pool') and not answer['retryable']
        assert answer['items'][0]['taken'] == missing
    check_counts(house, hotel, 47)
    assert free_doubles(house, hotel)[4] is None


def test_the_quantity_of_rooms_goes_up_and_down_in_step_with_the_tokens(house):
    hotel = rooms(house, 'hotel:quantity', singles=0)
    sold = house.ask('book', hotel, customer='g1', items=stay('double', night(2), night(4), 2))
    assert verdict(capacity(house, hotel, 5)) == ('defined', None)
    check_counts(house, hotel, 5 * NIGHTS - 4, sold=4)
    more = house.ask('book', hotel, customer='g2', items=stay('double', night(2), night(3), 3))
    assert nights_of(more) == {night(2): [2, 3, 4]}
    refused = capacity(house, hotel, 4)
    assert verdict(refused) == ('refused', 'in_use') and refused['retryable']
    check_counts(house, hotel, 5 * NIGHTS - 7, sold=7)
    house.ask('cancel', hotel, customer='g1', booking=sold['booking'])
    assert verdict(capacity(house, hotel, 3)) == ('defined', None)
    # Three are taken of three, by the tokens 2, 3, 4: none is free, and none of them is sold again.
    check_counts(house, hotel, 3 * NIGHTS - 3, sold=3)
    assert verdict(house.ask('book', hotel, customer='g3', items=stay('double', night(2), night(3))))[1] == 'not_enough'


@pytest.mark.parametrize('reloaded', [False, True], ids=['in memory', 'after a crash'])
def test_tokens_after_much_coming_and_going(house, reloaded):
    """Free are the lowest numbers that are not taken, as many as there are free rooms, whatever was taken before."""
    hotel = rooms(house, f'hotel:churn-{int(reloaded)}', doubles=6, singles=0)

    def book():
        answer = house.ask('book', hotel, customer='g', items=stay('double', night(1), night(2)))
        return answer.get('booking'), nights_of(answer)[night(1)][0] if 'units' in answer else None

    def give_back(booking):
        assert verdict(house.ask('cancel', hotel, customer='g', booking=booking)) == ('cancelled', None)
    stays = [book() for _guest in range(6)]
    assert [token for _booking, token in stays] == [0, 1, 2, 3, 4, 5]
    for token in (0, 1, 3):
        give_back(stays[token][0])
    # The tokens 2, 4, 5 are taken: the house may go down to three rooms, not to two.
    assert verdict(capacity(house, hotel, 2)) == ('refused', 'in_use')
    assert verdict(capacity(house, hotel, 3)) == ('defined', None)
    if reloaded:
        house.workers[-1].kill()
        house.worker()
    assert book()[1] is None
    give_back(stays[4][0])
    zero, token = book()
    assert token == 0, 'a token beyond the rooms does not come back itself'
    give_back(stays[5][0])
    give_back(zero)
    assert [book()[1], book()[1], book()[1]] == [0, 1, None]
    assert verdict(capacity(house, hotel, 4)) == ('defined', None)
    assert [book()[1], book()[1]] == [3, None]
    check_counts(house, hotel, 4 * NIGHTS - 4, sold=4)


def test_total_stock_is_shown_beside_free_stock(house):
    hotel = rooms(house, 'hotel:stock')
    house.ask('book', hotel, customer='g1', items=stay('double', night(2), night(4), 2))
    house.ask('hold', hotel, customer='g2', items=stay('double', night(3), night(5)))
    double, single = check_counts(house, hotel, 50 - 6, held=2, sold=4)['pools']
    assert (double['room'], double['from']) == ('double', FIRST) and double['total'] == [3] * NIGHTS
    assert double['free'] == [3, 1, 0, 2, 3, 3, 3, 3, 3, 3]
    assert double['price'] == [10000] * 6 + [15000] * 2 + [10000] * 2
    assert (single['free'], single['total']) == ([2] * NIGHTS, [2] * NIGHTS)
    pools = house.shown(hotel)[2]
    assert (pools[f'double/{night(2)}'], pools[f'double/{night(3)}']) == ('1/3/0/2/0', '0/3/1/2/0')
    assert pools[f'single/{night(3)}'] == '2/2/0/0/0'
    rows = house.sql("select night::text, free, held, sold, total from usher.availability where resource = %s "
                     "and pool = 'double' order by night limit 3", hotel, role='reader')
    assert rows == [(night(1), 3, 0, 0, 3), (night(2), 1, 0, 2, 3), (night(3), 0, 1, 2, 3)]


def test_more_rooms_are_sold_than_there_are(house):
    """And the answer says how many of a stay's room nights are beyond them."""
    hotel = rooms(house, 'hotel:overbooked', doubles=2, singles=0, overbook=1)
    check_counts(house, hotel, 3 * NIGHTS)
    first = house.ask('book', hotel, customer='g1', items=stay('double', night(1), night(4), 2))
    assert 'overbooked' not in first
    second = house.ask('book', hotel, customer='g2', items=stay('double', night(3), night(6)))
    assert verdict(second) == ('confirmed', None)
    assert nights_of(second) == {night(3): [2], night(4): [0], night(5): [0]} and second['overbooked'] == 1
    third = house.ask('book', hotel, customer='g3', items=stay('double', night(3), night(4)))
    assert verdict(third) == ('refused', 'not_enough')
    check_counts(house, hotel, 3 * NIGHTS - 9, sold=9)
    # No more than there are, once nobody is beyond them.
    assert verdict(capacity(house, hotel, 2, overbook=0)) == ('refused', 'in_use')
    house.ask('cancel', hotel, customer='g2', booking=second['booking'])
    assert verdict(capacity(house, hotel, 2, overbook=0)) == ('defined', None)
    check_counts(house, hotel, 2 * NIGHTS - 6, sold=6)


def test_a_guest_who_leaves_early_gets_the_rest_of_the_nights_back(house):
    hotel = rooms(house, 'hotel:early')
    sold = house.ask('book', hotel, customer='g1', items=stay('double', night(5), night(9)), payment='pi_1')
    assert sold['total'] == 2 * 10000 + 2 * 15000
    # What the nights cost today is of no matter to who has them.
    house.ask('define', hotel, rooms=[{'room': 'double', 'from': FIRST, 'to': END, 'price': 99900}])
    gone = house.ask('exchange', hotel, customer='g1', booking=sold['booking'],
                     items=stay('double', night(5), night(8)))
    assert verdict(gone) == ('exchanged', None)
    assert gone['units'] == sold['units'][:3] and gone['returned'] == sold['units'][3:]
    assert (gone['total'], gone['difference'], gone['free']) == (35000, -15000, 50 - 3)
    check_counts(house, hotel, 47, sold=3)
    rows = house.sql("select night::text, price, payment from usher.purchase where customer = 'g1' and resource = %s "
                     'order by night', hotel, role='reader')
    assert rows == [(night(5), 10000, 'pi_1'), (night(6), 10000, 'pi_1'), (night(7), 15000, 'pi_1')]


def test_a_guest_who_stays_longer_pays_the_new_nights_as_they_are(house):
    hotel = rooms(house, 'hotel:longer')
    sold = house.ask('book', hotel, customer='g1', items=stay('double', night(5), night(7)))
    house.ask('book', hotel, customer='g2', items=stay('double', night(9), night(10), 3))
    full = house.ask('exchange', hotel, customer='g1', booking=sold['booking'], items=stay('double', night(5), night(11)))
    assert verdict(full) == ('refused', 'not_enough') and shortfalls(full)[0][2] == [night(9)]
    check_counts(house, hotel, 50 - 5, sold=5)
    longer = house.ask('exchange', hotel, customer='g1', booking=sold['booking'],
                       items=stay('double', night(5), night(9)))
    assert (longer['total'], longer['difference'], 'returned' in longer) == (50000, 30000, False)
    check_counts(house, hotel, 50 - 7, sold=7)


def test_the_books_balance(house):
    assert settle(house).facts['internal'] == 0
