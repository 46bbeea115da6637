"""Which seats a party gets that leaves the choice to the house: sections to choose from, features, sitting together, and
the order in which seats are given."""

import pytest

from harness.counts import check_counts, seats_of
from harness.shows import HALL, places, rows, seated, seats, shortfalls, verdict

pytestmark = pytest.mark.smoke


def hall_of(*sections, **more):
    """A hall of sections: (name, rows) or (name, capacity)."""
    kinds = {list: 'rows', int: 'capacity'}
    return {'state': 'open', **more, 'sections': [
        {'section': name, kinds[type(what)]: what, 'price': 1000} for name, what in sections]}


def lettered(letter, *sizes):
    """Rows called LETTER1, LETTER2 …"""
    return [{'row': f'{letter}{number}', 'seats': size} for number, size in enumerate(sizes, 1)]


@pytest.fixture(name='show')
def show_fixture(ask, name):
    """Makes shows: show(**definition)."""
    def make(**definition):
        one = name()
        assert verdict(ask('define', one, **definition)) == ('defined', None)
        return one
    return make


def chosen(ask, show, quantity, section='stalls', **more):
    """The seats of a hold, or the reason why there are none."""
    answer = ask('hold', show, customer='c', items=places(section, quantity, **more))
    return seats_of(answer['units']) if answer['outcome'] == 'held' else answer['reason']


def wanted(quantity, *sections, **more):
    return [{'sections': list(sections), 'quantity': quantity, **more}]


# ---- sections to choose from -----------------------------------------------------------------------------------------
def served(ask, show, items):
    """(section, seats or quantity) of each group."""
    answer = ask('hold', show, customer='c', items=items)
    return [(group['section'], group.get('seats', group.get('quantity'))) for group in answer.get('units', [])]


def test_the_first_section_that_serves_the_whole_item(ask, show):
    one = show(**hall_of(('front', lettered('F', 4)), ('back', lettered('B', 8)), ('floor', 6)))
    assert served(ask, one, wanted(4, 'back', 'front')) == [('back', ['B1-3', 'B1-4', 'B1-5', 'B1-6'])]
    assert served(ask, one, wanted(4, 'front', 'back')) == [('front', ['F1-1', 'F1-2', 'F1-3', 'F1-4'])]
    assert served(ask, one, wanted(5, 'front', 'back', 'floor')) == [('floor', 5)]


def test_a_section_that_leaves_nobody_alone_comes_first(ask, show):
    """Three of a row of four leave one seat alone, wherever they sit."""
    one = show(**hall_of(('front', lettered('F', 4)), ('back', lettered('B', 6))))
    assert served(ask, one, wanted(3, 'front', 'back')) == [('back', ['B1-1', 'B1-2', 'B1-3'])]
    # If that cannot be had, the first in which they sit in one piece.
    assert served(ask, one, wanted(3, 'front', 'back')) == [('back', ['B1-4', 'B1-5', 'B1-6'])]
    assert served(ask, one, wanted(3, 'front', 'back')) == [('front', ['F1-1', 'F1-2', 'F1-3'])]


def test_one_piece_comes_before_the_order_of_sections(ask, show):
    one = show(**hall_of(('front', lettered('F', 2, 2, 2)), ('back', lettered('B', 4))))
    assert served(ask, one, wanted(4, 'front', 'back')) == [('back', ['B1-1', 'B1-2', 'B1-3', 'B1-4'])]
    # In pieces, the first with enough seats.
    assert served(ask, one, wanted(4, 'back', 'front')) == [('front', ['F1-1', 'F1-2', 'F2-1', 'F2-2'])]


def test_no_section_is_enough(ask, show):
    one = show(**hall_of(('front', lettered('F', 4)), ('back', lettered('B', 6))))
    refused = ask('hold', one, customer='c', items=wanted(7, 'front', 'back'))
    assert verdict(refused) == ('refused', 'not_enough') and shortfalls(refused) == {0: ('not_enough', 6, None)}
    refused = ask('hold', one, customer='c', items=wanted(2, 'front', 'pit'))
    assert verdict(refused) == ('refused', 'unknown_pool')


def test_sections_and_a_section_at_once_are_malformed(ask, hall):
    for item in ({'section': 'stalls', 'sections': ['balcony'], 'quantity': 1}, {'sections': [], 'quantity': 1}):
        assert verdict(ask('hold', hall, customer='c', items=[item])) == ('invalid', 'malformed')


# ---- features --------------------------------------------------------------------------------------------------------
FEATURED = hall_of(('stalls', [
    {'row': 'A', 'seats': 6, 'features': {'aisle': [1, 6], 'pillar': [3]}},
    {'row': 'B', 'seats': 6, 'features': {'aisle': [1, 6], 'wheelchair': [1, 2, 3]}}]), ('floor', 5))


def test_every_seat_has_all_features_wanted(ask, show):
    one = show(**FEATURED)
    assert chosen(ask, one, 2, features=['wheelchair'], together=True) == ['B-2', 'B-3']
    assert chosen(ask, one, 1, features=['wheelchair', 'aisle']) == ['B-1']
    refused = ask('hold', one, customer='c', items=places('stalls', 4, features=['aisle']))
    assert verdict(refused) == ('refused', 'not_enough') and shortfalls(refused) == {0: ('not_enough', 3, None)}
    assert chosen(ask, one, 2, features=['aisle'], together=True) == 'not_together'
    assert chosen(ask, one, 2, features=['aisle']) == ['A-1', 'A-6']
    assert chosen(ask, one, 1, features=['balcony']) == 'unknown_feature'


def test_no_seat_has_a_feature_to_be_avoided(ask, show):
    one = show(**FEATURED)
    assert chosen(ask, one, 3, avoid=['pillar', 'wheelchair']) == ['A-4', 'A-5', 'A-6']
    assert chosen(ask, one, 4, avoid=['pillar', 'wheelchair'], together=True) == 'not_together'
    assert chosen(ask, one, 1, features=['aisle'], avoid=['wheelchair']) == ['A-1']


def test_features_of_sections_without_rows(ask, show):
    """A feature that is wanted is never there; one that is to be avoided is not there either."""
    one = show(**FEATURED)
    assert chosen(ask, one, 1, 'floor', features=['aisle']) == 'unknown_feature'
    answer = ask('hold', one, customer='c', items=places('floor', 2, avoid=['aisle']))
    assert verdict(answer) == ('held', None)


def test_features_choose_among_sections(ask, show):
    one = show(**hall_of(('front', lettered('F', 4)), ('back', [{'row': 'B', 'seats': 4, 'features': {'aisle': [1]}}])))
    assert served(ask, one, wanted(1, 'front', 'back', features=['aisle'])) == [('back', ['B-1'])]


# ---- together --------------------------------------------------------------------------------------------------------
def test_the_answer_says_whether_they_sit_together(ask, show):
    one = show(**hall_of(('stalls', rows(4, 4)), ('floor', 9)))

    def said(op, items, **more):
        return ask(op, one, customer='c', items=items, **more).get('together')
    assert said('hold', places('stalls', 4)) is True
    assert said('hold', [*places('stalls', 2), *places('stalls', 2)]) is True
    assert said('hold', places('floor', 3)) is None
    other = ask('define', one, sections=[{'section': 'side', 'rows': lettered('S', 2, 2), 'price': 1}])
    assert verdict(other) == ('defined', None)
    assert said('hold', places('side', 3)) is False
    # Of seats that were named nothing is said.
    assert said('hold', seats('S2-2')) is None


def test_who_must_sit_together_is_refused_rather_than_split(ask, show):
    one = show(**seated(4, 6))
    ask('hold', one, customer='d', items=seats('B-3'))
    for quantity, reason in ((5, 'not_together'), (9, 'not_together'), (10, 'not_enough')):
        refused = ask('hold', one, customer='c', items=places('stalls', quantity, together=True))
        assert verdict(refused) == ('refused', reason)
        assert refused['retryable'] == (quantity <= 6)  # no row has more, whoever gives seats back
    assert chosen(ask, one, 4, together=True) == ['A-1', 'A-2', 'A-3', 'A-4']


# ---- the order in which seats are given ------------------------------------------------------------------------------
def test_best_is_the_first_row_from_its_middle_outward(ask, show):
    one = show(**seated(9, 9))
    assert [chosen(ask, one, quantity) for quantity in (3, 1, 1, 4)] == [
        ['A-4', 'A-5', 'A-6'], ['A-3'], ['A-7'], ['B-3', 'B-4', 'B-5', 'B-6']]


def test_best_is_by_rank_where_seats_have_one(ask, show):
    ranks = [[9, 9, 5, 5, 9, 9], [9, 1, 1, 1, 9, 9]]
    one = show(**hall_of(('stalls', [{'row': row, 'seats': 6, 'ranks': rank} for row, rank in zip('AB', ranks)])))
    # The lowest sum that leaves nobody alone; the middle does not matter.
    assert chosen(ask, one, 4) == ['B-1', 'B-2', 'B-3', 'B-4']
    assert chosen(ask, one, 2) == ['A-3', 'A-4']
    # Whoever comes now leaves somebody alone, and the ranks are equal: the first row, near its middle.
    assert chosen(ask, one, 1) == ['A-2']


def test_nobody_is_left_alone_if_it_can_be_helped(ask, show):
    """A single free seat between others is hard to sell. Only in the row that is cut from; a gap that was is no matter."""
    one = show(**seated(5, 7))
    assert chosen(ask, one, 4) == ['B-1', 'B-2', 'B-3', 'B-4']
    assert chosen(ask, one, 2) == ['A-1', 'A-2']
    assert chosen(ask, one, 3) == ['A-3', 'A-4', 'A-5']
    # Now it cannot be helped: two of three.
    assert chosen(ask, one, 2) == ['B-5', 'B-6']


def test_few_pieces_near_the_first(ask, show):
    one = show(**seated(5, 3, 6, 3, 5))
    ask('hold', one, customer='d', items=seats('A-3', 'C-6', 'E-3'))
    # Nowhere eight in a row: five of C, and of the rows that have the three missing ones the nearest.
    answer = ask('hold', one, customer='c', items=places('stalls', 8))
    assert seats_of(answer['units']) == ['C-1', 'C-2', 'C-3', 'C-4', 'C-5', 'B-1', 'B-2', 'B-3']
    assert answer['together'] is False


@pytest.mark.parametrize('strategy', ['best', 'first', 'random'])
def test_to_the_last_seat(world, show, strategy):
    """Whatever the order: everything can be sold, nothing twice."""
    one, sizes = show(**seated(7, 4, 9, strategy=strategy)), (3, 1, 4, 1, 2, 6, 1, 2)
    taken = [seat for quantity in sizes for seat in chosen(world.ask, one, quantity)]
    assert len(taken) == len(set(taken)) == 20
    check_counts(world, one, 0, held=20)
    assert chosen(world.ask, one, 1) == 'not_enough'


def test_the_order_is_the_houses(ask, name):
    answer = ask('define', name(), **HALL, strategy='nearest')
    assert verdict(answer) == ('invalid', 'malformed')


def test_items_of_one_request_do_not_get_each_others_seats(ask, show):
    one = show(**seated(4, 4))
    answer = ask('hold', one, customer='c', items=[*seats('A-2'), *places('stalls', 2), *places('stalls', 4)])
    assert [group['seats'] for group in answer['units']] == [['A-2'], ['A-3', 'A-4'], ['B-1', 'B-2', 'B-3', 'B-4']]
