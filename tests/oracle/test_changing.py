"""What becomes of bookings: from which state to which; parts, other owners, other content."""

import pytest

from oracle.logs import Story, T, at, places, publish, seats, seats_of
from oracle.replay import replay

STATES = ('held', 'confirmed', 'blocked', 'waiting', 'released', 'expired', 'cancelled', 'left')
# The row of each operation: what it makes of a booking in each of these states, or why not.
TABLE = {
    'confirm': 'confirmed already_confirmed not_held not_held already_released confirmed already_cancelled not_held',
    'release': 'released already_confirmed not_held not_held already_released released already_cancelled not_held',
    'extend': 'held already_confirmed not_held not_held already_released hold_expired already_cancelled not_held',
    'cancel': 'not_confirmed cancelled not_held not_held already_released hold_expired already_cancelled not_held',
    'exchange': 'held confirmed blocked not_held already_released hold_expired already_cancelled not_held',
    'transfer': 'held confirmed not_held not_held already_released hold_expired already_cancelled not_held',
    'leave': 'not_waiting not_waiting not_waiting left already_released not_waiting already_cancelled not_waiting',
    'unblock': 'not_blocked not_blocked released not_blocked already_released not_blocked already_cancelled '
               'not_blocked',
}
NEEDS = {'extend': {'ttl_s': 60}, 'exchange': {'items': places('standing', 2)}, 'transfer': {'to_customer': 'd'}}
OUTCOMES = {'extend': 'extended', 'exchange': 'exchanged', 'transfer': 'transferred'}


@pytest.fixture(name='story')
def with_hall():
    story = Story()
    story.define()
    return story


def booking_in(story, state):
    """The id of a booking of c in that state; of a block nobody is c."""
    item = places('standing', 1)
    if state == 'blocked':
        return story.ask('block', items=item)['booking']
    if state in ('waiting', 'left'):
        story.hold(places('standing', 3), 'd', ttl_s=600)
        body = story.hold(item, wait_until=at(9000))
    else:
        body = (story.book if state in ('confirmed', 'cancelled') else story.hold)(item, ttl_s=1)
    if state in ('expired', 'left'):
        story.expire(at=10_000)
    if state in ('released', 'cancelled'):
        story.ask(state[:-1] if state == 'released' else 'cancel', booking=body['booking'], customer='c')
    return body['booking']


@pytest.mark.parametrize('op', TABLE)
@pytest.mark.parametrize('state', STATES)
def test_each_operation_from_each_state(story, op, state):
    booking = booking_in(story, state)
    assert story.booking(booking).state == state
    wanted = TABLE[op].split()[STATES.index(state)]
    # Blocks have no owner, who would be judged before the state is.
    force = {'force': True} if state == 'blocked' and op in ('release', 'cancel', 'exchange', 'transfer') else {
        'customer': 'c'}
    if state == 'blocked' and op in ('confirm', 'extend', 'leave'):
        wanted = 'not_owner'
    body = story.ask(op, booking=booking, **force, **NEEDS.get(op, {}))
    if wanted in STATES:
        assert body['outcome'] == OUTCOMES.get(op, wanted) and story.booking(booking).state == wanted
    else:
        assert body['reason'] == wanted and story.booking(booking).state == state


def test_only_the_owner_or_the_house(story):
    booking = story.hold(places('standing', 1))['booking']
    for op in ('release', 'exchange', 'transfer', 'confirm', 'extend'):
        assert story.ask(op, booking=booking, customer='d', force=True, **NEEDS.get(op, {}))['reason'] == 'not_owner'
    assert story.ask('transfer', booking=booking, force=True, to_customer='d')['customer'] == 'd'
    assert story.ask('release', booking=booking, customer='c')['reason'] == 'not_owner'
    assert story.ask('release', booking=booking, customer='d')['outcome'] == 'released'


@pytest.mark.parametrize('note', [None, '', 'no show'])
def test_the_answer_has_the_note_of_who_ended_it(note):
    story = Story()
    story.define()
    held = story.hold(seats('A-1'))['booking']
    story.book(seats('A-2'), cart='k')
    block = story.ask('block', items=seats('B-1'))['booking']
    waiting = story.hold(seats('B-1'), wait_until=at(60_000))['booking']
    asked = {} if note is None else {'note': note}
    assert 'detail' not in story.ask('cancel', booking=held, customer='c', **asked), 'it was refused'
    for op, whose in (('release', {'booking': held}), ('cancel', {'cart': 'k'}), ('leave', {'booking': waiting}),
                      ('unblock', {'booking': block})):
        assert story.ask(op, customer='c', **whose, **asked).get('detail') == (note or None), op
    evidence = story.finish()
    assert replay(evidence)
    evidence.decisions[0][-1].body['detail'] = 'another'
    evidence.answers[0].clear()
    assert not replay(publish(evidence))


def test_extend_never_shortens_and_never_passes_the_cap():
    story = Story(hold_ttl_s=900, hold_ttl_max_s=1000)
    story.define()
    booking = story.hold(places('standing', 1))['booking']
    for now, ttl, ends in ((0, 10, 900), (100, 850, 950), (100, 5000, 1000), (200, 900, 1000)):
        body = story.ask('extend', booking=booking, customer='c', ttl_s=ttl, at=now * 1000)
        assert body['expires_at'] == at(ends * 1000)
    assert story.expire(at=1_000_000)['booking'] == booking


def test_what_the_house_sets_holds_for_each_extension_and_in_all():
    story = Story(hold_ttl_s=900, hold_ttl_max_s=1000)
    story.define()
    booking = story.hold(places('standing', 1), ttl_s=50)['booking']
    story.define(sections=[], hold_ttl_s=60)
    for now, ttl, ends in ((0, 900, 60), (50, 900, 110), (70, 10, 110)):
        body = story.ask('extend', booking=booking, customer='c', ttl_s=ttl, at=now * 1000)
        assert body['expires_at'] == at(ends * 1000)
    story.define(sections=[], limits={'hold_total_s': 120})
    body = story.ask('extend', booking=booking, customer='c', ttl_s=60, at=100_000)
    assert body['expires_at'] == at(120_000)
    assert story.hold(places('standing', 1), ttl_s=60)['expires_at'] == at(160_000)


def test_the_house_has_a_maximum_of_its_own_and_so_has_its_operator():
    story = Story(hold_ttl_s=900, hold_ttl_max_s=1000, house_hold_ttl_max_s=5000)
    story.define(hold_ttl_s=60, limits={'hold_total_s': 120, 'house_hold_total_s': 9000})
    booking = story.hold(places('standing', 1), force=True, ttl_s=4000)['booking']
    for now, force, ttl, ends in ((0, False, 9000, 4000), (500, True, 4000, 4500), (600, True, 9000, 5000), (700, False, 9000, 5000)):
        body = story.ask('extend', booking=booking, customer='c', ttl_s=ttl, at=now * 1000, **({'force': True} if force else {}))
        assert body['expires_at'] == at(ends * 1000)
    assert story.hold(places('standing', 1), ttl_s=4000)['expires_at'] == at(760_000)
    assert story.hold(places('standing', 1), force=True)['expires_at'] == at(760_000)


def test_transfer_drops_the_cart(story):
    booking = story.hold(places('standing', 1), cart='k')['booking']
    body = story.ask('transfer', booking=booking, customer='c', to_customer='d')
    assert body['customer'] == 'd' and 'cart' not in body
    assert story.ask('release', cart='k', customer='d')['reason'] == 'unknown_booking'


def test_to_oneself_nothing_changes(story):
    story.define(sections=[], limits={'holds_per_customer': 1})
    booking = story.hold(places('standing', 1), cart='k')['booking']
    body = story.ask('transfer', booking=booking, customer='c', to_customer='c')
    assert (body['outcome'], body['cart']) == ('transferred', 'k')


# ---- a part -------------------------------------------------------------------------------------------------
def test_confirm_a_part(story):
    items = seats('A-1', 'A-2', 'B-1') + places('standing', 2)
    booking = story.hold(items)['booking']
    for wrong, outside in ((seats('A-1', 'A-3'), {'taken': ['A-3']}), (places('standing', 3), {}),
                           (places('balcony', 1), {}), (seats('A-1', rate='child'), {'taken': ['A-1']})):
        body = story.ask('confirm', booking=booking, customer='c', items=wrong)
        assert body['reason'] == 'not_in_booking' and body['items'] == [
            {'item': 0, 'asked': len(wrong[0].get('seats', '')) or wrong[0]['quantity'], 'given': 0,
             'reason': 'not_in_booking', **outside}]
    body = story.ask('confirm', booking=booking, customer='c', items=places('stalls', 1) + seats('B-1'))
    assert seats_of(body) == ['A-1', 'B-1'] and [group['item'] for group in body['units']] == [0, 1]
    assert (body['total'], body['free']) == (9000, 8)
    assert seats_of({'units': body['returned'][:1]}) == ['A-2'] and body['returned'][1]['quantity'] == 2


def test_confirm_a_part_of_what_is_counted(story):
    """By quantity the booking's first; an item with a rate passes those of others over."""
    story.define(sections=[{'section': 'standing', 'capacity': 9, 'rates': {'adult': 100, 'child': 40}}])
    pairs = [item for rate in ('child', 'adult', 'child') for item in places('standing', 2, rate=rate)]
    booking = story.hold(pairs)['booking']
    for asked in (places('standing', 7), places('standing', 3, rate='adult')):
        assert story.ask('confirm', booking=booking, customer='c', items=asked)['reason'] == 'not_in_booking'
    body = story.ask('confirm', booking=booking, customer='c',
                     items=places('standing', 1, rate='adult') + places('standing', 4))
    assert [(group['item'], group['quantity'], group['price']) for group in body['units']] == [
        (0, 1, 100), (1, 2, 40), (1, 1, 100), (1, 1, 40)]
    assert [(group['item'], group['quantity'], group['price']) for group in body['returned']] == [(2, 1, 40)]
    assert (body['total'], story.resource().named['standing'].counts['confirmed']) == (320, 5)


def test_confirm_some_rooms_of_some_nights():
    story = Story()
    story.define(sections=[], rooms=[{'room': 'd', 'from': '2026-12-24', 'to': '2026-12-27', 'capacity': 5,
                                      'rates': {'adult': 10, 'child': 4}}])
    stay = {'room': 'd', 'from': '2026-12-24', 'to': '2026-12-27'}
    booking = story.hold([{**stay, 'quantity': 2}, {**stay, 'quantity': 1, 'rate': 'child'}])['booking']
    wrong = story.ask('confirm', booking=booking, customer='c', items=[{**stay, 'quantity': 2, 'rate': 'child'}])
    assert wrong['reason'] == 'not_in_booking'
    body = story.ask('confirm', booking=booking, customer='c', items=[
        {**stay, 'quantity': 1, 'rate': 'child'}, {**stay, 'to': '2026-12-25', 'quantity': 1}])
    assert [(group['night'], group['tokens']) for group in body['units']] == [
        ('2026-12-24', [2]), ('2026-12-25', [2]), ('2026-12-26', [2]), ('2026-12-24', [0])]
    assert (body['total'], body['free']) == (22, 15 - 4)
    assert [group['tokens'] for group in body['returned']] == [[1], [0, 1], [0, 1]]


# ---- late ---------------------------------------------------------------------------------------------------
def test_a_late_confirm_needs_the_same_seats_or_as_many_of_the_rest(story):
    held = story.hold(seats('A-1') + places('standing', 2), ttl_s=1)
    story.expire(at=1000)
    story.book(places('standing', 1), customer='d')
    body = story.ask('confirm', booking=held['booking'], customer='c')
    assert (body['outcome'], body['total'], body['free']) == ('confirmed', 8500, 10 - 1 - 3)
    held = story.hold(seats('A-2', 'A-3'), ttl_s=1)
    story.expire(at=2000)
    story.book(seats('A-3'), customer='d')
    body = story.ask('confirm', booking=held['booking'], customer='c')
    assert (body['outcome'], body['reason']) == ('refused', 'hold_expired')
    assert body['items'] == [{'item': 0, 'asked': 2, 'given': 0, 'reason': 'unit_taken', 'taken': ['A-3']}]


def test_a_late_confirm_of_a_part(story):
    held = story.hold(seats('A-1', 'A-2'), ttl_s=1)
    story.expire(at=1000)
    story.book(seats('A-2'), customer='d')
    body = story.ask('confirm', booking=held['booking'], customer='c', items=seats('A-1'))
    assert (body['outcome'], body['total']) == ('confirmed', 4500) and 'returned' not in body


def test_a_late_confirm_wants_its_seats_at_their_numbers(story):
    first, second = (story.hold(seats(*names), ttl_s=1)['booking'] for names in (['A-2', 'A-3'], ['B-1', 'B-2']))
    for _booking in (first, second):
        story.expire(at=2000)

    def confirm(booking, **fields):
        return story.ask('confirm', booking=booking, customer='c', **fields)
    grown = [{'row': 'A', 'seats': 5}, {'row': 'B', 'seats': 3}]
    story.define(sections=[{'section': 'stalls', 'rows': grown}])
    # B-1 and B-2 are there and free, but under other numbers; whatever else failed could be named.
    body = confirm(second)
    assert (body['reason'], body['items']) == ('hold_expired', [
        {'item': 0, 'asked': 2, 'given': 0, 'reason': 'unit_taken'}])
    # The number that was B-2 is called B-1 now.
    assert confirm(second, items=seats('B-1'))['items'] == [
        {'item': 0, 'asked': 1, 'given': 0, 'reason': 'unit_taken'}]
    assert confirm(second, items=seats('B-2'))['reason'] == 'not_in_booking'
    other = story.book(seats('A-3'))['booking']
    assert confirm(first)['items'][0]['taken'] == ['A-3']
    assert confirm(first, items=seats('A-2'))['outcome'] == 'confirmed'
    for booking in (first, other):
        story.ask('cancel', booking=booking, customer='c')
    story.define()
    assert seats_of(confirm(second)) == ['B-1', 'B-2']


def test_a_late_confirm_beyond_a_quota(story):
    booking = story.hold(seats('A-1', 'A-2'), ttl_s=1)['booking']
    story.expire(at=2000)
    story.define(sections=[], quotas=[{'quota': 'q', 'pools': ['stalls'], 'limit': 1}])
    body = story.ask('confirm', booking=booking, customer='c')
    assert body['items'] == [{'item': 0, 'asked': 2, 'given': 0, 'reason': 'not_enough', 'free': 1}]


# ---- exchange -----------------------------------------------------------------------------------------------
def exchange(story, booking, items, **fields):
    return story.ask('exchange', **{'booking': booking, 'customer': 'c', 'items': items, **fields})


def test_exchange_works_with_nothing_free():
    story = Story()
    story.define(sections=[{'section': 's', 'price': 10, 'rows': [{'row': 'A', 'seats': 3}]}])
    booking = story.book(seats('A-1', 'A-2', 'A-3'))['booking']
    body = exchange(story, booking, seats('A-2', 'A-3'))
    assert (seats_of(body), seats_of(body, 'returned')) == (['A-2', 'A-3'], ['A-1'])
    assert (body['total'], body['difference'], body['free']) == (20, -10, 1)
    body = exchange(story, booking, places('s', 3))
    assert sorted(seats_of(body)) == ['A-1', 'A-2', 'A-3'] and 'returned' not in body and body['difference'] == 10
    refused = exchange(story, booking, places('s', 4))
    assert refused['reason'] == 'not_enough' and refused['items'][0]['free'] == 3
    assert story.booking(booking).units() == 3


def test_what_a_hold_has_goes_into_the_booking(story):
    booking = story.book(seats('A-1', 'A-2') + places('standing', 1))['booking']
    hold = story.hold(seats('A-3') + places('standing', 2))['booking']
    story.define(sections=[{'section': 'stalls', 'price': 9000}, {'section': 'standing', 'price': 9000}])
    body = exchange(story, booking, seats('A-2', 'A-3') + places('standing', 2), from_hold=hold)
    assert [(group.get('seats') or group['quantity'], group['price']) for group in body['units']] == [
        (['A-2', 'A-3'], 4500), (2, 2000)]
    assert [(group.get('seats') or group['quantity'], group.get('booking')) for group in body['returned']] == [
        (['A-1'], None), (1, hold)]
    assert (body['difference'], body['free']) == (2000, 6)
    assert (story.booking(hold).state, story.booking(booking).state) == ('released', 'confirmed')


def test_only_a_hold_of_the_same_customer_goes_into_a_booking(story):
    booking, sold = (story.book(seats(seat))['booking'] for seat in ('A-1', 'A-2'))
    foreign, expired = story.hold(seats('A-3'), 'd')['booking'], story.hold(seats('A-4'), ttl_s=1)['booking']
    story.expire(at=1000)
    for hold, reason in (('none', 'unknown_booking'), (foreign, 'not_owner'), (sold, 'already_confirmed'),
                         (expired, 'hold_expired'), (booking, 'malformed')):
        assert exchange(story, booking, seats('A-4'), from_hold=hold)['reason'] == reason
    assert story.ask('hold', customer='c', items=seats('A-4'), from_hold=foreign)['reason'] == 'malformed'


def test_limits_and_quotas_do_not_count_the_hold_twice(story):
    story.define(sections=[], limits={'units_per_customer': 3},
                 quotas=[{'quota': 'fire', 'pools': ['stalls', 'standing'], 'limit': 3}])
    booking, hold = story.book(seats('A-1'))['booking'], story.hold(seats('A-2', 'A-3'))['booking']
    assert exchange(story, booking, seats('A-1', 'A-2', 'A-3', 'A-4'), from_hold=hold)['reason'] == 'limit_exceeded'
    assert exchange(story, booking, seats('A-1', 'A-2', 'A-3'), from_hold=hold)['outcome'] == 'exchanged'


def test_what_it_had_keeps_its_price_at_the_same_rate(story):
    story.define(sections=[{'section': 'standing', 'rates': {'adult': 100, 'child': 40}}])
    booking = story.hold(places('standing', 2, rate='adult'))['booking']
    story.define(sections=[{'section': 'standing', 'rates': {'adult': 150, 'child': 60}}])
    body = exchange(story, booking, places('standing', 3))
    assert [(group['quantity'], group['price'], group['rate']) for group in body['units']] == [
        (2, 100, 'adult'), (1, 150, 'adult')]
    body = exchange(story, booking, places('standing', 2) + places('standing', 1, rate='child'))
    assert [(group['quantity'], group['price']) for group in body['units']] == [(2, 100), (1, 60)]
    assert body['difference'] == 260 - 350


def test_what_it_keeps_keeps_its_rate_unless_another_is_named(story):
    story.define(sections=[{'section': 'standing', 'rates': {'adult': 100, 'child': 40}},
                           {'section': 'stalls', 'rates': {'adult': 50, 'child': 30}}])
    booking = story.book(seats('A-1', rate='child') + places('standing', 2, rate='child'))['booking']
    body = exchange(story, booking, seats('A-1', 'A-2') + places('standing', 3))
    assert [(group.get('seats') or group['quantity'], group['price'], group['rate']) for group in body['units']] == [
        (['A-1'], 30, 'child'), (['A-2'], 50, 'adult'), (2, 40, 'child'), (1, 100, 'adult')]
    assert exchange(story, booking, seats('A-1', rate='adult'))['total'] == 50


def counted(body, groups='units'):
    return [(group['quantity'], group['price'], group.get('rate')) for group in body.get(groups, ())]


def test_what_is_counted_is_used_up_by_the_same_rate_first(story):
    def price(adult, child):
        story.define(sections=[{'section': 'standing', 'capacity': 9, 'rates': {'adult': adult, 'child': child}}])
    price(100, 40)
    booking = story.book(places('standing', 2, rate='child') + places('standing', 3, rate='adult'))['booking']
    price(150, 60)
    # Two of the adults' at their old price: though the children's come first in the booking, the third adult's is left.
    body = exchange(story, booking, places('standing', 2, rate='adult'))
    assert counted(body) == [(2, 100, 'adult')]
    assert counted(body, 'returned') == [(2, 40, 'child'), (1, 100, 'adult')]
    # With more adults than it had, the children's places are theirs at today's price, and so are the free ones.
    body = exchange(story, booking, places('standing', 1, rate='child') + places('standing', 3, rate='adult'))
    assert counted(body) == [(1, 60, 'child'), (1, 100, 'adult'), (2, 150, 'adult')]
    assert 'returned' not in body


def test_what_is_counted_stays_in_the_order_in_which_it_was_had(story):
    def price(price):
        story.define(sections=[{'section': 'standing', 'capacity': 9, 'price': price}])
    price(10)
    booking = story.book(places('standing', 1))['booking']
    price(12)
    assert counted(exchange(story, booking, places('standing', 2))) == [(1, 10, None), (1, 12, None)]
    price(10)
    body = exchange(story, booking, places('standing', 4))
    assert counted(body) == [(1, 10, None), (1, 12, None), (2, 10, None)]
    body = exchange(story, booking, places('standing', 1) + places('standing', 2))
    assert counted(body) == [(1, 10, None), (1, 12, None), (1, 10, None)]
    assert [group['item'] for group in body['units']] == [0, 1, 1]
    assert counted(body, 'returned') == [(1, 10, None)]


def test_by_quantity_its_own_seats_come_first():
    story = Story()
    story.define(sections=[{'section': 's', 'rows': [{'row': 'A', 'seats': 8}, {'row': 'B', 'seats': 8}]}])
    booking = story.book(seats('B-5', 'A-1', 'A-8'))['booking']
    assert seats_of(exchange(story, booking, places('s', 2))) == ['A-1', 'A-8']
    body = exchange(story, booking, places('s', 4))
    assert seats_of(body)[:2] == ['A-1', 'A-8'] and body['together'] is False
    # The others are the best two of what was free: the middle of the first row.
    assert seats_of(body)[2:] == ['A-4', 'A-5']
    body = exchange(story, booking, places('s', 5, together=True))
    assert seats_of(body) == ['A-1', 'A-2', 'A-3', 'A-4', 'A-5'] and body['together'] is True
    assert exchange(story, booking, places('s', 9, together=True))['reason'] == 'not_together'


def test_own_room_tokens_come_first():
    story = Story()
    stay = {'room': 'd', 'from': '2026-12-24', 'to': '2026-12-25'}
    story.define(sections=[], rooms=[{**stay, 'capacity': 4}])
    story.book([{**stay, 'quantity': 1}])
    booking = story.book([{**stay, 'quantity': 2}])['booking']
    assert exchange(story, booking, [{**stay, 'quantity': 1}])['units'][0]['tokens'] == [1]
    assert exchange(story, booking, [{**stay, 'quantity': 3}])['units'][0]['tokens'] == [1, 2, 3]


def test_an_exchange_adds_only_what_is_on_sale(story):
    held = story.hold(places('standing', 1) + seats('A-1'), ttl_s=60)
    story.ask('close')
    for items in places('standing', 2), seats('A-1', 'A-2'), seats('A-1', 'none'), places('nowhere', 1):
        refused = exchange(story, held['booking'], items)
        assert (refused['reason'], refused['retryable']) == ('not_on_sale', True)
    assert exchange(story, held['booking'], places('standing', 2), force=True)['reason'] == 'not_on_sale'
    body = exchange(story, held['booking'], seats('A-2') + places('standing', 1))
    assert body['outcome'] == 'exchanged' and body['expires_at'] == held['expires_at']
    assert story.booking(held['booking']).expires == T + 60_000
