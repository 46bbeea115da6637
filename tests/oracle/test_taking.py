"""hold, book, block: what is given, at what price, and what is said where something is short."""

import datetime

import pytest

from oracle import timezones
from oracle.logs import Story, at, places, seats, seats_of

STAY = {'room': 'double', 'from': '2026-12-24', 'to': '2026-12-27'}


@pytest.fixture(name='story')
def with_hall():
    story = Story()
    story.define()
    return story


def shorts(body):
    """item → (asked, given, reason, free, taken) of the lines that fell short."""
    return {line['item']: (line['asked'], line['given'], line['reason'], line.get('free'), line.get('taken'))
            for line in body['items']}


# ---- partial ------------------------------------------------------------------------------------------------
def test_all_or_nothing(story):
    story.book(seats('A-1'))
    body = story.hold(seats('A-1', 'A-2') + places('standing', 4))
    assert body['reason'] == 'unit_taken' and 'units' not in body
    assert shorts(body) == {0: (2, 0, 'unit_taken', None, ['A-1']), 1: (4, 0, 'not_enough', 3, None)}


def test_as_many_as_can_be_had(story):
    story.book(seats('A-1'))
    body = story.hold(seats('A-1', 'A-2') + places('standing', 4), shortage='partial')
    assert body['outcome'] == 'held' and body['total'] == 4500 + 3 * 2000
    assert seats_of({'units': body['units'][:1]}) == ['A-2'] and body['units'][1]['quantity'] == 3
    assert shorts(body) == {0: (2, 1, 'unit_taken', None, ['A-1']), 1: (4, 3, 'not_enough', 3, None)}


def test_what_is_unknown_is_a_mistake_not_a_shortage(story):
    body = story.hold(seats('A-1', 'Z-9') + places('balcony', 1) + seats('A-2'), shortage='partial')
    assert seats_of(body) == ['A-2']
    assert shorts(body) == {0: (2, 0, 'unknown_seat', None, ['Z-9']), 1: (1, 0, 'unknown_pool', None, None)}


def test_nothing_at_all_is_refused(story):
    story.book(places('standing', 3))
    body = story.hold(places('standing', 1), shortage='partial')
    assert (body['outcome'], body['reason']) == ('refused', 'not_enough')
    assert shorts(body) == {0: (1, 0, 'not_enough', 0, None)}


def test_each_of_several_items_says_whether_it_is_together(story):
    story.book(seats('A-3', 'B-2'))
    body = story.book(places('stalls', 2) + seats('A-4') + places('stalls', 2))
    assert seats_of(body) == ['A-1', 'A-2', 'A-4', 'B-1', 'B-3'] and body['together'] is False
    assert [group.get('together') for group in body['units']] == [True, None, False]
    story.ask('cancel', booking=body['booking'], customer='c')
    assert 'together' not in story.book(places('stalls', 2))['units'][0]


def test_the_longest_piece_where_they_must_sit_together(story):
    story.book(seats('A-2'))
    body = story.book(places('stalls', 4, together=True), shortage='partial')
    assert seats_of(body) == ['B-1', 'B-2', 'B-3'] and body['together'] is True
    assert shorts(body) == {0: (4, 3, 'not_together', 6, None)}
    body = story.book(places('stalls', 3, together=True))
    assert body['reason'] == 'not_together' and shorts(body)[0][3] == 3


def test_rooms_as_many_as_there_are_every_night(story):
    story.define(sections=[], rooms=[{**STAY, 'capacity': 3, 'price': 100},
                                     {'room': 'double', 'from': '2026-12-25', 'to': '2026-12-26', 'capacity': 2}])
    refused = story.hold([{**STAY, 'quantity': 3}])
    assert shorts(refused) == {0: (3, 0, 'not_enough', 2, ['2026-12-25'])}
    body = story.hold([{**STAY, 'quantity': 3}], shortage='partial')
    assert [len(group['tokens']) for group in body['units']] == [2, 2, 2] and body['total'] == 600
    assert shorts(body) == {0: (3, 2, 'not_enough', 2, ['2026-12-25'])}


def test_of_several_reasons_the_first_is_answered(story):
    story.book(places('standing', 3))
    wrong = places('standing', 1) + seats('Z-1') + places('balcony', 1) + seats('A-1', rate='child')
    for items, reason in ((wrong, 'unknown_pool'), (wrong[:2], 'unknown_seat'), (wrong[3:] + wrong[:1], 'unknown_rate'),
                          (wrong[:1], 'not_enough')):
        assert story.hold(items)['reason'] == reason


# ---- sections to choose from, features -----------------------------------------------------------------------
def test_the_first_section_that_seats_all_in_one_piece_and_leaves_no_orphan():
    story = Story()
    story.define(sections=[{'section': name, 'rows': [{'row': name, 'seats': size}]}
                           for name, size in (('a', 3), ('b', 2), ('c', 2))])

    def sold(quantity, names='abc', **more):
        return story.book([{'sections': list(names), 'quantity': quantity, **more}])
    assert sold(2)['units'][0]['section'] == 'b'
    assert sold(2)['units'][0]['section'] == 'c'
    assert sold(2)['units'][0]['section'] == 'a'
    assert shorts(sold(2)) == {0: (2, 0, 'not_enough', 1, None)}
    assert sold(1, 'ad')['reason'] == 'unknown_pool'


def test_several_pieces_are_the_last_resort():
    story = Story()
    story.define(sections=[{'section': 'a', 'rows': [{'row': 'A', 'seats': 2}, {'row': 'B', 'seats': 2}]},
                           {'section': 'b', 'capacity': 2}])
    items = [{'sections': ['b', 'a'], 'quantity': 3}]
    assert story.book([{**items[0], 'together': True}])['reason'] == 'not_together'
    body = story.book([{**items[0], 'together': True}], shortage='partial')
    assert body['units'][0]['section'] == 'b' and shorts(body) == {0: (3, 2, 'not_together', 4, None)}
    body = story.book(items)
    assert (seats_of(body), body['together']) == (['A-1', 'A-2', 'B-1'], False)


def test_seats_that_lack_a_feature_count_as_taken():
    story = Story()
    story.define(sections=[{'section': 's', 'rows': [
        {'row': 'A', 'seats': 6, 'features': {'aisle': [1, 2, 6], 'dim': [2]}}]}, {'section': 'floor', 'capacity': 5}])
    wish = {'features': ['aisle'], 'avoid': ['dim']}
    assert shorts(story.book(places('s', 3, **wish))) == {0: (3, 0, 'not_enough', 2, None)}
    body = story.book(places('s', 2, **wish))
    assert sorted(seats_of(body)) == ['A-1', 'A-6'] and body['together'] is False
    assert shorts(story.book(places('floor', 1, features=['aisle']))) == {0: (1, 0, 'unknown_feature', None, None)}
    body = story.book(places('s', 1, features=['dim', 'ramp']))
    assert (body['reason'], body['items'][0]['unknown'], body['items'][0]['known']) == ('unknown_feature', 'ramp', ['aisle', 'dim'])
    assert story.book(places('floor', 1, avoid=['aisle']))['outcome'] == 'confirmed'


# ---- prices -------------------------------------------------------------------------------------------------
def test_rates():
    story = Story()
    story.define(sections=[{'section': 's', 'capacity': 9, 'rates': {'adult': 30, 'child': 10}},
                           {'section': 't', 'capacity': 9, 'rates': {'child': 11, 'standard': 33}},
                           {'section': 'u', 'capacity': 9, 'price': 5}])
    asked = [('s', None, 30, 'adult'), ('s', 'child', 10, 'child'), ('t', None, 33, 'standard'),
             ('t', 'child', 11, 'child'), ('u', None, 5, None), ('u', 'standard', 5, None)]
    for section, rate, price, named in asked:
        group = story.book(places(section, 2, rate=rate))['units'][0]
        assert (group['price'], group.get('rate')) == (price, named)
    for section, known in (('s', ['adult', 'child']), ('u', ['standard'])):
        assert story.book(places(section, 1, rate='senior'))['items'][0] == {
            'item': 0, 'asked': 1, 'given': 0, 'reason': 'unknown_rate', 'unknown': 'senior', 'known': known}


# ---- numbers without rows -----------------------------------------------------------------------------------
def test_the_lowest_numbers_are_given_and_none_beyond_what_there_is():
    story = Story()
    night = {'room': 'd', 'from': '2026-12-24', 'to': '2026-12-25'}
    story.define(sections=[], rooms=[{**night, 'capacity': 5}])
    one, two, three = (story.hold([{**night, 'quantity': quantity}]) for quantity in (2, 2, 1))
    assert [group['units'][0]['tokens'] for group in (one, two, three)] == [[0, 1], [2, 3], [4]]
    story.ask('release', booking=one['booking'], customer='c')
    assert story.define(sections=[], rooms=[{**night, 'capacity': 2}])['reason'] == 'in_use'
    assert story.define(sections=[], rooms=[{**night, 'capacity': 4}])['free'] == 1
    # 2, 3 and 4 are taken of four: the free one is 0. When 4 comes back it is a lower one that is free.
    story.ask('release', booking=three['booking'], customer='c')
    assert story.hold([{**night, 'quantity': 2}])['units'][0]['tokens'] == [0, 1]
    assert story.hold([{**night, 'quantity': 1}])['reason'] == 'not_enough'


def test_what_is_sold_beyond_the_rooms_is_said():
    story = Story()
    story.define(sections=[], products=[{'product': 'p', 'capacity': 2, 'overbook': 2}])
    item = [{'product': 'p', 'quantity': 3}]
    body = story.hold(item)
    assert (body['overbooked'], body['free']) == (1, 1)
    assert story.ask('confirm', booking=body['booking'], customer='c')['overbooked'] == 1
    assert story.hold([{'product': 'p', 'quantity': 1}])['overbooked'] == 1
    story.define(sections=[], products=[{'product': 'p', 'capacity': 9}])
    assert 'overbooked' not in story.hold([{'product': 'p', 'quantity': 1}])


@pytest.fixture(name='stock')
def with_overbooked_stock():
    """Two pieces, and two more that may be sold."""
    story = Story()
    story.define(sections=[], products=[{'product': 'p', 'capacity': 2, 'overbook': 2}])
    return story


def pieces(quantity, **more):
    return [{'product': 'p', 'quantity': quantity, **more}]


def test_pieces_given_back_are_those_that_were_too_many(stock):
    """Nobody has the piece that is missing: it is the last one taken, whoever else comes and goes."""
    early = stock.book(pieces(2))['booking']
    late = stock.hold(pieces(1))
    assert late['overbooked'] == 1
    stock.ask('cancel', booking=early, customer='c')
    assert 'overbooked' not in stock.ask('confirm', booking=late['booking'], customer='c')
    # A hold that had its piece when it was made may lack it when it is sold.
    held = stock.hold(pieces(1))
    assert 'overbooked' not in held and stock.hold(pieces(1))['overbooked'] == 1
    assert stock.ask('confirm', booking=held['booking'], customer='c')['overbooked'] == 1


def test_a_part_that_is_sold_is_beyond_by_what_remains(stock):
    held = stock.hold(pieces(4))
    assert held['overbooked'] == 2
    body = stock.ask('confirm', booking=held['booking'], customer='c', items=pieces(3))
    assert (body['overbooked'], body['returned'][0]['quantity'], body['free']) == (1, 1, 1)
    stock.ask('cancel', booking=held['booking'], customer='c')
    held = stock.hold(pieces(3))['booking']
    assert 'overbooked' not in stock.ask('confirm', booking=held, customer='c', items=pieces(2))


def test_the_pieces_of_a_cart_are_beyond_together(stock):
    assert [stock.hold(pieces(quantity), cart='k').get('overbooked') for quantity in (1, 2)] == [None, 1]
    assert stock.ask('confirm', cart='k', customer='c')['overbooked'] == 1


def test_pieces_out_of_a_block_are_beyond_as_others_are(stock):
    block = stock.ask('block', items=pieces(3))
    assert block['overbooked'] == 1
    assert stock.book(pieces(2), from_block=block['booking'])['overbooked'] == 1
    assert stock.book(pieces(1), from_block=block['booking'])['overbooked'] == 1
    assert stock.resource().free == 1


# ---- when ---------------------------------------------------------------------------------------------------
def test_only_while_it_is_on_sale(story):
    story.define(opens_at=at(1000), closes_at=at(2000))
    for now, outcome in ((999, 'refused'), (1000, 'held'), (1999, 'held'), (2000, 'refused')):
        body = story.hold(places('standing', 1), at=now)
        assert body['outcome'] == outcome and body.get('reason') == ('not_on_sale' if outcome == 'refused' else None)
    assert story.ask('block', items=places('stalls', 1))['outcome'] == 'blocked'


def test_what_has_ended_is_kept_by_those_who_have_it_and_sold_by_the_house(story):
    story.define(ends_at=at(2000))
    kept, late = (story.hold(places('standing', 1), ttl_s=ttl)['booking'] for ttl in (100, 1))
    story.expire(at=2000)
    for fields, verdict in (({}, ('refused', 'not_on_sale')), ({'force': True}, ('exchanged', None))):
        body = story.ask('exchange', booking=kept, customer='c', items=places('standing', 2), **fields)
        assert (body['outcome'], body.get('reason')) == verdict
    assert story.ask('confirm', booking=late, customer='c')['reason'] == 'hold_expired'
    assert story.ask('confirm', booking=kept, customer='c')['outcome'] == 'confirmed'
    body = story.hold(places('standing', 99), force=True, wait_until=at(9000))
    assert body['reason'] == 'not_enough'


def test_nights_that_are_over_are_kept_and_not_added(story):
    def nights(first, last, quantity=1):
        return [{'room': 'double', 'from': first, 'to': last, 'quantity': quantity}]
    story.define(timezone='Europe/Rome', sections=[], rooms=[
        {'room': 'double', 'from': '2025-12-17', 'to': '2025-12-24', 'capacity': 3}])
    kept = story.book(nights('2025-12-17', '2025-12-19'))['booking']
    late = story.hold(nights('2025-12-17', '2025-12-19'), ttl_s=1)['booking']
    story.expire(at=16_200_000)  # the next day, in Rome
    body = story.ask('exchange', booking=kept, customer='c', items=nights('2025-12-17', '2025-12-20'))
    assert body['outcome'] == 'exchanged'
    body = story.ask('exchange', booking=kept, customer='c', items=nights('2025-12-17', '2025-12-20', 2))
    assert (body['reason'], body['items'][0]['taken']) == ('not_on_sale', ['2025-12-17'])
    body = story.ask('confirm', booking=late, customer='c')
    assert (body['reason'], body['items'][0]['taken']) == ('hold_expired', ['2025-12-17'])


@pytest.mark.parametrize('zone, instant, expected', [
    ('Africa/Casablanca', '2026-02-25T23:30', '2026-02-25'),  # Ramadan, when clocks there are an hour back
    ('Africa/Casablanca', '2026-01-25T23:30', '2026-01-26'),
    ('Europe/Dublin', '2026-07-01T23:30', '2026-07-02'), ('Europe/Dublin', '2026-12-01T23:30', '2026-12-01'),
    ('America/New_York', '2026-11-01T03:59', '2026-10-31'), ('Australia/Lord_Howe', '2026-07-01T13:29', '2026-07-01'),
    ('Pacific/Kiritimati', '2026-12-31T10:00', '2027-01-01'), ('UTC', '2026-06-30T23:59', '2026-06-30')])
def test_the_date_at_a_place_is_that_of_the_worker(zone, instant, expected):
    now = datetime.datetime.fromisoformat(f'{instant}+00:00').timestamp() * 1000
    assert timezones.date(zone, now) == expected


def test_a_hold_lasts_as_asked_and_never_longer_than_both_allow():
    story = Story(hold_ttl_s=900, hold_ttl_max_s=1000)
    story.define()

    def lasts(**fields):
        return story.booking(story.hold(places('standing', 1), **fields)['booking']).ttl_s
    assert (lasts(), lasts(ttl_s=5), lasts(ttl_s=5000)) == (900, 5, 1000)
    story.define(hold_ttl_s=60, sections=[{'section': 'standing', 'capacity': 99}])
    assert (lasts(), lasts(ttl_s=5), lasts(ttl_s=5000)) == (60, 5, 60)


# ---- blocks -------------------------------------------------------------------------------------------------
def test_blocks_and_what_is_taken_out_of_them(story):
    block = story.ask('block', items=seats('A-1', 'A-2') + places('standing', 2), note='press', return_at=at(5000))
    assert (block['outcome'], block['total'], block['free']) == ('blocked', 0, 6)
    assert 'customer' not in block and {group['price'] for group in block['units']} == {0}
    assert story.hold(seats('A-1'))['reason'] == 'unit_taken'
    taken = story.hold(seats('A-2') + places('standing', 1), from_block=block['booking'])
    assert (taken['total'], taken['free']) == (6500, 6)
    assert story.hold(places('standing', 2), from_block=block['booking'])['items'][0]['free'] == 1
    assert story.hold(seats('A-3'), from_block=block['booking'])['items'] == [
        {'item': 0, 'asked': 1, 'given': 0, 'reason': 'not_in_booking', 'taken': ['A-3']}]
    assert story.hold(seats('A-1') + places('standing', 1), from_block=block['booking'])['outcome'] == 'held'
    gone = story.booking(block['booking'])
    assert (gone.state, gone.lines) == ('released', [])
    assert story.hold(seats('A-1'), from_block=block['booking'])['reason'] == 'not_blocked'
    assert story.hold(seats('A-1'), from_block='none')['reason'] == 'unknown_booking'


def test_who_must_sit_together_does_so_in_a_block_too(story):
    block = story.ask('block', items=seats('A-1', 'A-3', 'A-4', 'B-1'))['booking']
    body = story.hold(places('stalls', 3, together=True), from_block=block)
    assert (body['reason'], body['items'][0]['free']) == ('not_together', 4)
    body = story.hold(places('stalls', 2, together=True), from_block=block)
    assert (seats_of(body), body['together']) == (['A-3', 'A-4'], True)
    assert seats_of(story.hold(places('stalls', 2), from_block=block)) == ['A-1', 'B-1']


def test_a_block_has_nothing_of_what_nobody_sells(story):
    block = story.ask('block', items=places('standing', 2))['booking']
    story.define(sections=[{'section': 'stalls', 'capacity': 0, 'rows': []}])
    for items in (places('balcony', 1), places('stalls', 1), [{**STAY, 'quantity': 1}]):
        assert story.hold(items, from_block=block)['reason'] == 'not_enough'


def test_a_block_returns(story):
    block = story.ask('block', items=seats('A-1'), return_at=at(5000))
    kept = story.ask('block', items=seats('A-2'))
    body = story.expire(at=5000)
    assert (body['outcome'], body['cause'], body['free']) == ('released', 'block_returned', 9)
    assert seats_of(body, 'returned') == ['A-1'] and body['booking'] == block['booking']
    body = story.ask('unblock', booking=kept['booking'])
    assert (body['outcome'], body['total'], body['free']) == ('released', 0, 10)
