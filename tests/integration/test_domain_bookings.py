"""What becomes of a booking: extend, transfer, exchange."""

import pytest

from harness.counts import check_counts
from harness.moments import unrequested
from harness.shows import HALL_UNITS, places, seats, verdict
from oracle.parsing import instant_of

pytestmark = pytest.mark.smoke


def ends(answer):
    return instant_of(answer['expires_at'])


# ---- extend ----------------------------------------------------------------------------------------------------------
def test_extend_lengthens_a_hold_from_now_on(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('A-1'), ttl_s=60)
    longer = ask('extend', hall, customer='c', booking=held['booking'], ttl_s=600)
    assert verdict(longer) == ('extended', None) and longer['booking'] == held['booking']
    assert ends(longer) == instant_of(longer['decided_at']) + 600_000


def test_extend_has_a_cap_counted_from_the_beginning(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('A-1'), ttl_s=60)
    longer = ask('extend', hall, customer='c', booking=held['booking'], ttl_s=31_536_000)
    assert ends(longer) == instant_of(held['decided_at']) + 86_400_000
    assert ends(ask('extend', hall, customer='c', booking=held['booking'], ttl_s=86_400)) == ends(longer)


# ---- transfer --------------------------------------------------------------------------------------------------------
def test_transfer_shows_in_the_list_of_purchases(world, hall):
    sold = world.ask('book', hall, customer='seller-7', items=seats('A-1'))
    world.ask('transfer', hall, customer='seller-7', booking=sold['booking'], to_customer='heir-7')
    rows = world.sql("select customer, seat from usher.purchase where customer in ('seller-7', 'heir-7')", role='reader')
    assert rows == [('heir-7', 'A-1')]


def test_a_split_is_seen_everywhere(world, hall):
    """Counts stay, both bookings are in the views as one sale, and the part was sold when the whole was."""
    sold = world.ask('book', hall, customer='whole-7', items=[*seats('A-1', 'A-2'), *places('standing', 3)], payment='pi_7')
    check_counts(world, hall, HALL_UNITS - 5, sold=5)
    part = world.ask('transfer', hall, customer='whole-7', booking=sold['booking'], to_customer='part-7',
                     items=[*seats('A-2'), *places('standing', 1)])
    assert verdict(part) == ('transferred', None) and part['booking'] == part['request_id'] and part['payment'] == 'pi_7'
    check_counts(world, hall, HALL_UNITS - 5, sold=5)
    rows = world.sql("select customer, booking, units, total, payment, sold_at, created_at from usher.bookings "
                     "where customer in ('whole-7', 'part-7') order by booking = %s", part['booking'], role='reader')
    assert [row[:4] for row in rows] == [('whole-7', sold['booking'], 3, sold['total'] - part['total']),
                                         ('part-7', part['booking'], 2, part['total'])]
    assert rows[0][4:] == rows[1][4:]
    assert world.sql("select outcome, sum(bookings), sum(units), sum(amount) from usher.pace where resource = %s group by 1", hall) == [
        ('sold', 1, 5, sold['total'])]
    history = world.sql('select booking, customer from usher.history where resource = %s and op = %s', hall, 'transfer')
    assert sorted(history) == sorted([(sold['booking'], 'whole-7'), (part['booking'], 'part-7')])
    # An exchange of the part is one of what was sold.
    assert world.ask('exchange', hall, customer='part-7', booking=part['booking'], items=seats('A-2'))['difference'] < 0
    world.command('reconcile')
    assert verdict(world.ask('cancel', hall, customer='part-7', booking=part['booking'])) == ('cancelled', None)
    check_counts(world, hall, HALL_UNITS - 3, sold=3)
    world.command('reconcile')


# ---- exchange: seats by name -----------------------------------------------------------------------------------------
def test_exchange_with_what_was_held_meanwhile(world, hall):
    sold = world.ask('book', hall, customer='c', items=seats('A-1', 'A-2'), payment='p')
    held = world.ask('hold', hall, customer='c', items=[*seats('A-3'), *places('standing', 2)])
    world.ask('define', hall, sections=[{'section': 'stalls', 'price': 9000}])
    check_counts(world, hall, HALL_UNITS - 5, held=3, sold=2)
    fields = {'customer': 'c', 'booking': sold['booking'], 'items': [*seats('A-2', 'A-3'), *places('standing', 1)]}
    answer = world.ask('exchange', hall, **fields, from_hold=held['booking'])
    assert verdict(answer) == ('exchanged', None) and answer['difference'] == answer['total'] - sold['total']
    assert answer['units'][0] == {'item': 0, 'section': 'stalls', 'seats': ['A-2', 'A-3'], 'price': 4500}
    assert [(group.get('seats'), group.get('booking')) for group in answer['returned']] == [
        (['A-1'], None), (None, held['booking'])]
    check_counts(world, hall, HALL_UNITS - 3, sold=3)
    assert verdict(world.ask('confirm', hall, customer='c', booking=held['booking'])) == ('refused', 'already_released')
    history = world.sql('select booking, outcome from usher.history where resource = %s and op = %s', hall, 'exchange')
    assert sorted(history) == sorted([(sold['booking'], 'exchanged'), (held['booking'], 'exchanged')])
    world.command('reconcile')


def test_exchange_with_a_hold_that_has_expired(world, hall):
    sold = world.ask('book', hall, customer='c', items=seats('A-1'), payment='p')
    held = world.ask('hold', hall, customer='c', items=seats('A-2'), ttl_s=1)
    unrequested(world, held['booking'], hall, 'expiry')
    answer = world.ask('exchange', hall, customer='c', booking=sold['booking'], items=seats('A-2'),
                       from_hold=held['booking'])
    assert verdict(answer) == ('refused', 'hold_expired')
    check_counts(world, hall, HALL_UNITS - 1, sold=1)
