"""define: what is merged, what is refused, charts and plans."""

import pytest

from oracle.logs import Story, places, seats, seats_of

ROWS = [{'row': 'A', 'seats': 3}, {'row': 'B', 'seats': 2}]
NIGHTS = {'room': 'd', 'from': '2026-12-24', 'to': '2026-12-27'}


def section(**fields):
    return {'sections': [{'section': 's', **fields}]}


@pytest.fixture(name='story')
def with_rows():
    story = Story()
    story.define(**section(rows=ROWS, price=100))
    return story


# ---- rows ---------------------------------------------------------------------------------------------------
def test_rows_may_change_as_long_as_taken_seats_keep_name_and_number(story):
    story.book(seats('A-3'))
    story.ask('block', items=seats('B-1'))
    for rows, reason in (
            (ROWS + [{'row': 'C', 'seats': 5}], None), ([ROWS[0], {'row': 'B', 'seats': 1}], None),
            ([{'row': 'A', 'seats': 4}, ROWS[1]], 'in_use'), ([ROWS[0]], 'in_use'), (ROWS[::-1], 'in_use'),
            ([ROWS[0], {'row': 'X', 'seats': 2, 'names': ['B-1', 'X-9']}], None),
            ([{**ROWS[0], 'features': {'aisle': [1]}}, ROWS[1]], None)):
        assert story.define(**section(rows=rows)).get('reason') == reason
    assert story.define(**section(capacity=9))['reason'] == 'in_use'
    assert story.define(**section(capacity=0))['reason'] == 'in_use'


def test_calendars_reach_so_far():
    def nights(room, first, last):
        return {'room': room, 'from': first, 'to': last, 'capacity': 1, 'price': 1}
    story = Story()
    assert story.define(rooms=[nights('twin', '2026-01-01', '2028-01-01')])['outcome'] == 'defined'
    assert story.define(rooms=[nights('twin', '9026-01-01', '9026-01-02')])['reason'] == 'limit_exceeded'
    assert story.define(rooms=[nights('twin', '2706-06-25', '2706-06-26')])['outcome'] == 'defined'
    assert story.define(rooms=[nights('double', '2026-01-01', '2031-01-01')])['reason'] == 'limit_exceeded'


def test_what_was_removed_does_not_count():
    def ask(room, capacity, start='2030-01-01', end='2120-01-01'):
        return story.define(rooms=[{'room': room, 'from': start, 'to': end, 'capacity': capacity}]).get('reason')
    story = Story()
    assert [ask('twin', 1), ask('double', 1), ask('twin', 0), ask('double', 1), ask('twin', 1)] == [
        None, 'limit_exceeded', None, None, 'limit_exceeded']
    assert [ask('suite', 1, '1970-01-01', '1970-01-02'), ask('suite', 1, '2700-01-01', '2700-01-02'),
            ask('suite', 0, '1970-01-01', '1970-01-02'), ask('suite', 1, '2700-01-01', '2700-01-02')] == [
        None, 'limit_exceeded', None, None]


def test_the_currency_stays_while_units_are_taken(story):
    def set_to(currency):
        return story.define(currency=currency, **section()).get('reason')
    assert set_to('GBP') is None and set_to('EUR') is None
    story.book(seats('A-3'))
    assert set_to('EUR') is None and set_to('GBP') == 'in_use'


def test_a_late_confirm_finds_its_seats_where_they_were(story):
    held = story.hold(seats('B-2'), ttl_s=1)
    story.expire(at=1000)
    story.define(**section(rows=ROWS[1:]))
    assert story.ask('confirm', booking=held['booking'], customer='c')['reason'] == 'hold_expired'
    story.define(**section(rows=ROWS + [{'row': 'C', 'seats': 5}]))
    assert seats_of(story.ask('confirm', booking=held['booking'], customer='c')) == ['B-2']
    assert list(story.resource().named['s'].owners) == [4]


def test_a_chart_that_breaks_a_rule(story):
    for definition in (section(rows=ROWS + ROWS[:1]), section(overbook=1), {'rooms': [{**NIGHTS, 'price': 1}]},
                       {'sections': [{'section': 't', 'price': 1}]}, {'products': [{'product': 's', 'capacity': 1}]},
                       {'sections': [{'section': 't', 'rows': ROWS[:1]}]},
                       {'products': [{'product': 'p', 'overbook': 1}]}):
        assert story.define(**{'sections': [], **definition})['reason'] == 'bad_chart'


# ---- capacity, prices ----------------------------------------------------------------------------------------
def test_capacity_and_what_is_beyond_it():
    story = Story()
    story.define(sections=[], products=[{'product': 'p', 'capacity': 3, 'overbook': 1}])
    pool = story.resource().named['p']

    def define(**fields):
        return story.define(sections=[], products=[{'product': 'p', **fields}]).get('reason')
    for fields, capacity, overbook in (({'capacity': 5}, 6, 1), ({'overbook': 4}, 9, 4), ({'price': 7}, 9, 4),
                                       ({'capacity': 2, 'overbook': 0}, 2, 0)):
        assert define(**fields) is None and (pool.capacity, pool.overbook) == (capacity, overbook)
    story.book([{'product': 'p', 'quantity': 2}])
    assert define(capacity=1) == 'in_use' and define(capacity=1, overbook=1) is None
    assert define(capacity=0) == 'in_use' and define(overbook=0) == 'in_use'
    assert define(capacity=0, overbook=2) == 'in_use'
    story.define(sections=[], products=[{'product': 'q', 'capacity': 3, 'overbook': 1}])
    story.define(sections=[], products=[{'product': 'q', 'capacity': 0, 'overbook': 2}])
    assert story.resource().named['q'].capacity == 0


def test_prices_and_rates():
    story = Story()
    story.define(sections=[], products=[{'product': 'p', 'capacity': 3, 'price': 5}])
    pool = story.resource().named['p']
    for fields, rates, price in (
            ({'price': 6}, None, 6), ({'rates': {'b': 1, 'a': 2}}, [('b', 1), ('a', 2)], 1),
            ({'price': 9}, [('standard', 9), ('b', 1), ('a', 2)], 9),
            ({'price': 8}, [('standard', 8), ('b', 1), ('a', 2)], 8), ({'rates': {'c': 3}}, [('c', 3)], 3)):
        story.define(sections=[], products=[{'product': 'p', **fields}])
        assert (pool.rates, pool.default_price()) == (rates, price)


def test_later_nights_override_earlier_ones():
    story = Story()
    story.define(sections=[], rooms=[
        {**NIGHTS, 'capacity': 3, 'rates': {'adult': 10}},
        {'room': 'd', 'from': '2026-12-25', 'to': '2026-12-26', 'price': 20, 'overbook': 1}])
    shown = story.ask('probe')['pools'][0]
    assert (shown['total'], shown['price']) == ([3, 4, 3], [10, 20, 10])
    assert shown['rates'] == {'adult': [10, 10, 10], 'standard': [None, 20, None]}


def test_a_probe_says_what_is_sold_and_how(story):
    story.define(sections=[], products=[{'product': 'p', 'capacity': 4, 'overbook': 1, 'rates': {'b': 1, 'a': 2}}])
    story.ask('block', items=[{'product': 'p', 'quantity': 2}])
    body = story.ask('probe', items=[{'product': 'p'}, {'section': 's'}])
    assert (body['state'], body['waiting']) == ('open', 0) and 'opens_at' not in body
    assert body['pools'] == [
        {'product': 'p', 'free': 3, 'held': 0, 'sold': 0, 'blocked': 2, 'total': 5, 'overbook': 1,
         'rates': {'b': 1, 'a': 2}},
        {'section': 's', 'free': 5, 'held': 0, 'sold': 0, 'blocked': 0, 'total': 5, 'rates': {'standard': 100}}]


def test_too_many_units_for_one_resource(story):
    products = [{'product': f'p{number}', 'capacity': 10_000_000} for number in range(2)]
    assert story.define(sections=[], products=products)['reason'] == 'limit_exceeded'
    products[1]['capacity'] -= 5
    assert story.define(sections=[], products=products)['free'] == 20_000_000


# ---- charts -------------------------------------------------------------------------------------------------
def test_a_chart_that_is_known_is_laid_again(story):
    drawn = story.define(**section(rows=[{**ROWS[0], 'features': {'aisle': [1, 3]}, 'zone': 'z'}]))
    other = story.ask('define', 'show:two', chart=drawn['chart'], sections=[{'section': 's', 'price': 7}], state='open')
    assert (other['chart'], other['free']) == (drawn['chart'], 3)
    assert story.ask('define', 'show:two', chart='sha256:' + '0' * 64)['reason'] == 'unknown_chart'
    assert story.ask('book', 'show:two', items=places('s', 1, features=['aisle']), customer='c')['total'] == 7
    assert story.ask('define', 'show:two', chart=story.define(**section(rows=ROWS[1:]))['chart'])['reason'] == 'in_use'


def test_the_chart_is_canonical(story):
    from oracle.charts import content_of
    story.define(**section(rows=[{'row': 'A', 'seats': 2, 'y': [1, 2], 'x': [3, 4], 'ranks': [2, 1],
                                  'names': ['a', 'b'], 'features': {'b': [2, 1], 'a': [1]}, 'zone': 'Zürich'}]))
    assert content_of(story.resource()) == (
        '{"sections":[{"section":"s","rows":[{"row":"A","seats":2,"first":1,"zone":"Zürich","names":["a","b"],'
        '"ranks":[2,1],"x":[3,4],"y":[1,2],"features":{"a":[1],"b":[1,2]}}]}]}')


# ---- plans --------------------------------------------------------------------------------------------------
def seat(name, category, x=0, **more):
    return {'seat_guid': name, 'seat_number': '1', 'category': category, 'position': {'x': x, 'y': 0}, **more}


def plan(*rows, categories=('gold', 'red'), zone='Hall'):
    return {'name': 'p', 'size': {'width': 9, 'height': 9}, 'categories': [
        {'name': name, 'color': '#000'} for name in categories], 'zones': [
        {'name': zone, 'position': {'x': 10, 'y': 5}, 'rows': [
            {'row_number': str(number + 1), 'position': {'x': 0.5, 'y': number}, 'seats': list(row)}
            for number, row in enumerate(rows)]}]}


PLAN = plan([seat('a', 'red', 1), seat('b', 'red', 2), seat('c', 'gold', 3), seat('d', 'red', 4)],
            [seat('e', 'gold', 1, rank=1, features=['aisle'])])


def test_a_plan_becomes_sections_whose_neighbours_stay_neighbours():
    story = Story()
    body = story.define(plan=PLAN, sections=[{'section': 'red', 'price': 9}])
    assert body['free'] == 5
    gold, red = story.resource().named['gold'], story.resource().named['red']
    assert list(story.resource().named) == ['gold', 'red'] and (gold.price, red.price) == (0, 9)
    assert [row.names for row in red.rows] == [('a', 'b'), ('d',)]
    assert [(row.row, row.zone, row.x, row.y, row.ranks, row.features) for row in gold.rows] == [
        ('1', 'Hall', (14,), (5,), None, ()), ('2', 'Hall', (12,), (6,), (1,), (('aisle', (0,)),))]
    assert story.book(places('red', 3, together=True))['reason'] == 'not_together'
    assert seats_of(story.book(places('red', 2, together=True))) == ['a', 'b']
    # It replaces its own categories only.
    story.define(sections=[{'section': 'floor', 'capacity': 2}])
    assert story.define(plan=plan([seat('x', 'gold')]), sections=[])['free'] == 1 + 1 + 2


BAD_PLANS = {
    'a seat twice': plan([seat('a', 'red'), seat('a', 'gold')]), 'no such category': plan([seat('a', 'blue')]),
    'no name': plan([seat('', 'red')]), 'no position': plan([{**seat('a', 'red'), 'position': None}]),
    'some ranked': plan([seat('a', 'red', rank=1), seat('b', 'red')]), 'no seats': plan([]), 'nothing': {},
    'features that are none': plan([seat('a', 'red', features={})]),
    'a slash': plan([seat('a', 'r/d')], categories=['r/d']), 'too far': plan([seat('a', 'red', 10**8)]),
    'a category twice': plan([seat('a', 'red')], categories=['red', 'red']),
}


@pytest.mark.parametrize('bad', BAD_PLANS.values(), ids=BAD_PLANS.keys())
def test_a_plan_that_breaks_a_rule(bad):
    story = Story()
    assert story.define(plan=plan([seat('a', 'red')]), sections=[])['outcome'] == 'defined'
    assert story.define(plan=bad, sections=[])['reason'] == 'bad_chart'
