"""What the database itself watches over, and that reconcile finds what nobody watched over."""

import psycopg2
import pytest

from harness.moments import soon
from harness.realm import Realm
from harness.shows import HALL, pieces, places, seats, standing, verdict

# Sold under every kind of terms; all that `extra` has left is held.
FAIR = {'state': 'open', 'currency': 'EUR', 'sections': [
    {'section': 'yard', 'rates': {'adult': 2000, 'child': 500}, 'capacity': 10, 'overbook': 2},
    {'section': 'extra', 'price': 100, 'capacity': 4}],
    'limits': {'units_per_customer': 8, 'holds_per_customer': 3, 'groups': [{'pools': ['yard'], 'limit': 6}]},
    'quotas': [{'quota': 'crowd', 'pools': ['yard', 'extra'], 'limit': 14},
               {'quota': 'children', 'rate': 'child', 'pools': ['yard'], 'limit': 5}]}


@pytest.fixture(scope='module', name='damaged')
def realm_to_be_damaged(stack):
    """A realm whose worker has done its work and gone: bookings in every state, a refusal and a dead letter."""
    realm = Realm(stack, 'damaged')
    worker = realm.worker()
    realm.ask('define', 'show', **HALL)
    assert verdict(realm.ask('hold', 'show', customer='c1', items=seats('BA-12', 'B-2'))) == ('held', None)
    assert verdict(realm.ask('book', 'show', customer='c2', items=places('standing', 2))) == ('confirmed', None)
    assert verdict(realm.ask('hold', 'show', customer='c1', items=seats('B-2')))[0] == 'refused'
    assert verdict(realm.ask('hold', 'show', customer='c1'))[0] == 'invalid'
    live_through_everything(realm)
    assert worker.stop() == 0
    realm.command('reconcile')
    yield realm
    realm.workers.clear()
    realm.close()


# Which JSON may write in several ways; no name has a separator of lines.
ODD_NAME = 'Zoë/\N{GRINNING FACE}'
ODD_TEXT = f'{ODD_NAME}\u2028'


def live_through_everything(realm):
    """Each answer is checked, so that the damages below damage what they mean."""
    def told(outcome, op, resource, **fields):
        answer = realm.ask(op, resource, **fields)
        assert verdict(answer) == (outcome, None), answer
        return answer['booking'] if 'booking' in answer else None
    told('blocked', 'block', 'show', items=[*seats('C-1'), *places('standing', 2)], note='camera')
    told('held', 'hold', 'show', customer='c3', cart='k', items=pieces('programme', 1))
    told('held', 'hold', 'show', customer='c3', cart='k', items=seats('C-3', 'C-4'))
    told('confirmed', 'confirm', 'show', customer='c3', cart='k')
    told('defined', 'define', 'fair', **FAIR)
    given = [told('held', 'hold', 'fair', customer=f'f{number}', items=places('extra', 1)) for number in range(4)]
    for number in range(2):
        told('released', 'release', 'fair', customer=f'f{number}', booking=given[number])
    told('defined', 'define', 'fair', sections=[{'section': 'extra', 'capacity': 2}])
    sold = told('confirmed', 'book', 'fair', customer='f', items=places('yard', 4, rate='child'), payment='pi_1')
    told('exchanged', 'exchange', 'fair', customer='f', booking=sold, items=places('yard', 5))
    told('transferred', 'transfer', 'fair', customer='f', booking=sold, to_customer='g')
    part = told('transferred', 'transfer', 'fair', customer='g', booking=sold, to_customer='g', items=places('yard', 2))
    told('exchanged', 'exchange', 'fair', customer='g', booking=part, items=places('yard', 1, rate='child'))
    told('exchanged', 'exchange', 'fair', customer='g', booking=part, items=places('yard', 2, rate='child'))
    gone = told('confirmed', 'book', 'fair', customer='f', items=places('yard', 1))
    told('cancelled', 'cancel', 'fair', customer='f', booking=gone)
    told('defined', 'define', 'small', **standing(1))
    told('confirmed', 'book', 'small', customer=ODD_NAME, items=places('floor', 1), payment=ODD_TEXT)
    for number in range(2):
        told('waiting', 'hold', 'small', customer=f'w{number}', items=places('floor', 1), wait_until=soon(realm, 3600))


UNCHECKED = 'alter table usher.pool drop constraint pool_taken_check'
CHECKED = ("alter table usher.pool add constraint pool_taken_check check (held >= 0 and sold >= 0 and blocked >= 0 and "
           "held::bigint + sold + blocked <= case when kind in ('section', 'product') then capacity else 0 end)")

# Each damage, what undoes it, and what reconcile says of it.
DAMAGES = {
    'an allocation lost': (
        "with gone as (delete from usher.allocation where unit = 5 returning *) insert into usher.spare select * from gone",
        'insert into usher.allocation select * from usher.spare; delete from usher.spare',
        'has unit 5 of pool "stalls" in its lines, but not allocated'),
    'an allocation too many': (
        'insert into usher.allocation (pool, unit, booking) select pool, 9, booking from usher.allocation limit 1',
        'delete from usher.allocation where unit = 9',
        'in its allocations, but not in its lines'),
    'a unit of nobody': (
        'insert into usher.allocation (pool, unit, booking) select pool, 9, 777 from usher.allocation limit 1',
        'delete from usher.allocation where unit = 9',
        'is allocated to booking 777, which is unknown'),
    'a unit of a booking that is over': (
        "update usher.booking set state = 'released' where customer = 'c1'",
        "update usher.booking set state = 'held' where customer = 'c1'",
        ', which is released'),
    'a unit of a party that waits': (
        "insert into usher.allocation (pool, unit, booking) select p.no, 40, b.no from usher.booking b "
        "join usher.pool p using (resource_no) where b.customer = 'w0'",
        'delete from usher.allocation where unit = 40',
        'which is waiting'),
    'a block without a unit': (
        "with gone as (delete from usher.allocation where unit = 10 returning *) insert into usher.spare select * from gone",
        'insert into usher.allocation select * from usher.spare; delete from usher.spare',
        'has unit 10 of pool "stalls" in its lines, but not allocated'),
    'a unit outside its pool': (
        "update usher.pool set capacity = 1 where name = 'balcony'",
        "update usher.pool set capacity = 5 where name = 'balcony'",
        'unit 1 is allocated in pool "balcony", whose capacity is 1'),
    'more taken than there is': (
        "update usher.pool set capacity = 3 where name = 'stalls'",
        "update usher.pool set capacity = 18 where name = 'stalls'",
        'resource "show": of pool "stalls" as many as 4 are taken, whose capacity is 3 with 0 beyond it'),
    'more beyond than the house took': (
        "update usher.pool set over = 1 where name = 'standing'",
        "update usher.pool set over = 0 where name = 'standing'",
        'of pool "standing" as many as 4 are taken, whose capacity is 10 with 1 beyond it'),
    'more counted than there are': (
        f"{UNCHECKED}; update usher.pool set capacity = 1 where name = 'extra'",
        f"update usher.pool set capacity = 2 where name = 'extra'; {CHECKED}",
        'fair: "extra" has 1 unit and 0 taken beyond them, but 2 held, 0 sold and 0 blocked'),
    'a unit that is held by no booking': (
        "update usher.pool set held = held + 1 where name = 'standing'",
        "update usher.pool set held = held - 1 where name = 'standing'",
        'resource "show": pool "standing" counts 1 held, 2 sold and 2 blocked, but its bookings have 0, 2 and 2'),
    'a unit that is sold and not counted': (
        "update usher.pool set sold = sold - 1 where name = 'yard'",
        "update usher.pool set sold = sold + 1 where name = 'yard'",
        'resource "fair": pool "yard" counts 0 held, 4 sold and 0 blocked, but its bookings have 0, 5 and 0'),
    'some counted as something else': (
        "update usher.pool set held = blocked, blocked = held where name = 'standing'",
        "update usher.pool set held = blocked, blocked = held where name = 'standing'",
        'resource "show": pool "standing" counts 2 held, 2 sold and 0 blocked, but its bookings have 0, 2 and 2'),
    'a booking of more than is counted': (
        "update usher.booking set note = lines, lines = replace(lines, ',2]', ',3]') where customer = 'c2'",
        "update usher.booking set lines = note, note = null where customer = 'c2'",
        'resource "show": pool "standing" counts 0 held, 2 sold and 2 blocked, but its bookings have 0, 3 and 2'),
    'seats that are counted': (
        f"{UNCHECKED}; update usher.pool set blocked = 1 where name = 'balcony'",
        f"update usher.pool set blocked = 0 where name = 'balcony'; {CHECKED}",
        'resource "show": pool "balcony" counts 0 held, 0 sold and 1 blocked, but its bookings have 0, 0 and 0'),
    'a counted unit that is allocated': (
        "insert into usher.allocation (pool, unit, booking) select p.no, 40, b.no from usher.booking b "
        "join usher.pool p using (resource_no) where b.customer = 'c2' and p.name = 'standing'",
        'delete from usher.allocation where unit = 40',
        'has unit 40 of pool "standing" in its allocations, but not in its lines'),
    'a total that is not the price': (
        "update usher.booking set total = total + 1 where customer = 'c1'",
        "update usher.booking set total = total - 1 where customer = 'c1'",
        'is 7501, but its units cost 7500'),
    'a block that costs something': (
        "update usher.booking set total = 1 where state = 'blocked'",
        "update usher.booking set total = 0 where state = 'blocked'",
        'is 1, but its units cost 0'),
    'a sale that no decision made': (
        """update usher.decision set body = replace(body, '"total":4000', '"total":4001') where op = 'book'""",
        """update usher.decision set body = replace(body, '"total":4001', '"total":4000') where op = 'book'""",
        'resource "show": by its decisions 13501 was sold, by its bookings 13500, by its takings 13500'),
    'a cancellation that no decision made': (
        "update usher.decision set replayed = true where outcome = 'cancelled'",
        "update usher.decision set replayed = false where outcome = 'cancelled'",
        'resource "fair": by its decisions 6000 was sold, by its bookings 4000, by its takings 4000'),
    'takings that nobody paid': (
        "update usher.resource set takings = takings + 1 where id = 'show'",
        "update usher.resource set takings = takings - 1 where id = 'show'",
        'resource "show": by its decisions 13500 was sold, by its bookings 13500, by its takings 13501'),
    'sales that are not kept': (
        "update usher.quarter q set amount = amount + 1 from usher.resource r where r.no = q.resource_no and r.id = 'fair' and outcome = 'sold'",
        "update usher.quarter q set amount = amount - 1 from usher.resource r where r.no = q.resource_no and r.id = 'fair' and outcome = 'sold'",
        'resource "fair": in the quarter of an hour from '),
    'a unit that is not counted at its rate': (
        "update usher.resource set by_rate = replace(by_rate, '1', '11') where id = 'fair'",
        "update usher.resource set by_rate = replace(by_rate, '11', '1') where id = 'fair'",
        'resource "fair": of pool 0 at rate "adult", 11 units are counted, but its bookings have 1'),
    'a pool that is not counted by rate': (
        "update usher.resource set by_rate = '{}' where id = 'fair'",
        """update usher.resource set by_rate = '{"0":{"child":4,"adult":1}}' where id = 'fair'""",
        'fair: quota "children" is of a rate, but the units of "yard" are not counted by rate'),
    'a hold that is not counted': (
        "update usher.resource set promised = promised + 1 where id = 'show'",
        "update usher.resource set promised = promised - 1 where id = 'show'",
        'resource "show": its holds cost '),
    'a booking that no decision made': (
        "update usher.decision set first = false where op = 'book' and seq = 3",
        "update usher.decision set first = true where op = 'book' and seq = 3",
        'was not made by decision 3 of partition 0'),
    'a booking that another operation made': (
        "update usher.booking set op = 'hold' where customer = 'c2'",
        "update usher.booking set op = 'book' where customer = 'c2'",
        'was not made by decision 3 of partition 0'),
    'a booking that is not what was decided': (
        "update usher.booking set state = 'cancelled' where state = 'expired' or customer = 'f0'",
        "update usher.booking set state = 'released' where customer = 'f0'",
        'is cancelled, but decision 15 of partition 0 says released'),
    'a booking of a cart that is not what was decided': (
        "update usher.booking set state = 'held', expires_at = now() where customer = 'c3' and total = 9000",
        "update usher.booking set state = 'confirmed', expires_at = null where customer = 'c3' and total = 9000",
        'is held, but decision 9 of partition 0 says confirmed'),
    'a decision about a booking that is not there': (
        'update usher.decision set booking_no = 777 where seq = 3', 'update usher.decision set booking_no = 3 where seq = 3',
        'decision 3 of partition 0 names booking 777, which is unknown'),
    'a decision about a cart with a booking of another resource': (
        "update usher.decision set booking_nos = booking_nos || 11::bigint where seq = 9",
        "update usher.decision set booking_nos = booking_nos[1:2] where seq = 9",
        'decision 9 of partition 0 names booking 11, which is of another resource'),
    'a cart that its booking does not know of': (
        'update usher.cart_decision set seq = 8 where seq = 9 and booking = 7',
        'update usher.cart_decision set seq = 9 where seq = 8',
        'decision 9 of partition 0 and booking 7 do not refer to each other'),
    'a booking in a cart that it was not put in': (
        "update usher.booking set cart = 'k' where customer = 'c1'",
        "update usher.booking set cart = null where customer = 'c1'",
        'is in cart "k", but was not made in it'),
    'a cart of nobody': (
        "update usher.booking set customer = null where cart = 'k'",
        "update usher.booking set customer = 'c3' where cart = 'k'",
        'is in cart "k", but has no customer'),
    'a booking of another customer': (
        "update usher.booking set customer = 'thief' where customer = 'c1'",
        "update usher.booking set customer = 'c1' where customer = 'thief'",
        'belongs to "thief", but decision '),
    'a booking that was transferred, of the first customer': (
        "update usher.booking set customer = 'f' where customer = 'g'",
        "update usher.booking set customer = 'g' where customer = 'f' and state = 'confirmed'",
        'belongs to "f", but decision '),
    'a booking that was paid with nothing': (
        "update usher.booking set payment = null where customer = 'g'",
        "update usher.booking set payment = 'pi_1' where customer = 'g'",
        'was paid with nothing, but decision '),
    'a cart that was paid with something else': (
        "update usher.booking set payment = 'pi_9' where customer = 'c3' and total = 9000",
        "update usher.booking set payment = null where customer = 'c3' and total = 9000",
        'was paid with "pi_9", but decision 9 of partition 0 says otherwise'),
    'a party that waits for nothing': (
        "update usher.booking set note = wants, wants = null where customer = 'w0'",
        "update usher.booking set wants = note, note = null where customer = 'w0'",
        'waits, but for nothing'),
    'a party whose wish cannot be read': (
        "update usher.booking set note = wants, wants = '{}' where customer = 'w1'",
        "update usher.booking set wants = note, note = null where customer = 'w1'",
        'small: the wanted items of booking'),
    'a party that waits for ever': (
        "alter table usher.booking drop constraint booking_end_check; "
        "update usher.booking set payment = expires_at::text, expires_at = null where customer = 'w0'",
        "update usher.booking set expires_at = payment::timestamptz, payment = null where customer = 'w0'; "
        "alter table usher.booking add constraint booking_end_check "
        "check (expires_at is not null or state not in ('held', 'waiting'))",
        'waits, but without an end'),
    'a party that is nobody': (
        "update usher.booking set customer = null where customer = 'w0'",
        "update usher.booking set customer = 'w0' where state = 'waiting' and customer is null",
        'waits, but without a customer'),
    'bookings cancelled while they are sold': (
        "update usher.resource set cancelling = '' where id = 'show'",
        "update usher.resource set cancelling = null where id = 'show'",
        'resource "show": all of its bookings are being cancelled, but it is open'),
    'overbooked seats': (
        "update usher.pool set overbook = 1 where name = 'stalls'",
        "update usher.pool set overbook = 0 where name = 'stalls'",
        'show: "stalls" is overbooked by 1 of 18 units, but has seats'),
    'a price that is no rate': (
        "update usher.pool set price = 1 where name = 'yard'", "update usher.pool set price = 2000 where name = 'yard'",
        'fair: "yard" costs 1, but by its rates 2000'),
    'restrictions that cannot be read': (
        "update usher.pool set restrictions = '[7]' where name = 'yard'", "update usher.pool set restrictions = null where name = 'yard'",
        'fair: the restrictions of "yard" cannot be read: [7]'),
    'terms that cannot be read': (
        """update usher.resource set venue = terms, terms = '{"quotas":7}' where id = 'fair'""",
        "update usher.resource set terms = venue, venue = null where id = 'fair'",
        'fair: its terms cannot be read'),
    'terms about what never was': (
        """update usher.resource set venue = terms, terms = replace(terms, '"extra"', '"attic"') where id = 'fair'""",
        "update usher.resource set terms = venue, venue = null where id = 'fair'",
        'fair: its terms name "attic", which never existed'),
    'a decision lost': (
        'update usher.decision set seq = 400 where seq = 4',
        'update usher.decision set seq = 4 where seq = 400',
        'no decision between seq 3 and 5'),
    'time that goes back': (
        "update usher.decision set decided_at = decided_at - interval '1 day' where seq = 4",
        "update usher.decision set decided_at = decided_at + interval '1 day' where seq = 4",
        'decision 4 was decided before the one before it'),
    'a partition that stands elsewhere': (
        'update usher.partition_state set next_seq = next_seq + 1',
        'update usher.partition_state set next_seq = next_seq - 1',
        'the last decision is 29, but the next is to be 31'),
    'more open holds than there are': (
        'update usher.partition_state set holds = holds + 1',
        'update usher.partition_state set holds = holds - 1',
        'partition 0: 3 holds are open and 2 parties wait, but its row says 4 and 2'),
    'a dead letter lost': (
        'update usher.dead_letter set seq = 3',
        'update usher.dead_letter set seq = 5',
        'decision 5 is invalid, but not dead-lettered'),
}


@pytest.mark.parametrize('what', DAMAGES)
def test_reconcile_finds(damaged, what):
    damage, repair, line = DAMAGES[what]
    damaged.sql('create table if not exists usher.spare (like usher.allocation)')
    damaged.sql(damage)
    try:
        done = damaged.run('reconcile')
    finally:
        damaged.sql(repair)
    assert done.returncode == 4, done.stdout + done.stderr
    assert line in done.stdout
    damaged.command('reconcile')


# A define may lower what is in use already, so nothing is wrong; but somebody may want to know.
NOTES = {
    '"limit":14': ('"limit":6', 'quota "crowd" allows 6 units, 7 held or sold'),
    '"units_per_customer":8': ('"units_per_customer":4', 'a customer has 5 units, the limit is 4'),
    '"limit":6': ('"limit":4', 'a customer has 5 units of a group, the limit is 4'),
}


@pytest.mark.parametrize('limit', NOTES)
def test_what_was_allowed_before_is_noted_and_no_difference(damaged, limit):
    lower, line = NOTES[limit]
    terms = damaged.sql("select terms from usher.resource where id = 'fair'")[0][0]
    assert limit in terms
    damaged.sql("update usher.resource set terms = %s where id = 'fair'", terms.replace(limit, lower))
    damaged.run('reconcile', '--heal') # a define would have written to Redis what is free under it
    out = damaged.command('reconcile')
    damaged.sql("update usher.resource set terms = %s where id = 'fair'", terms)
    damaged.run('reconcile', '--heal')
    assert f'note: fair: {line}' in out and out.splitlines()[-1].endswith(': no differences, 1 note')
    assert damaged.command('reconcile').endswith(': no differences\n')


def test_what_reconcile_counts(damaged):
    assert damaged.command('reconcile').splitlines()[-1] == (
        'reconciled 3 resources, 51 units (33 free, 4 held, 11 sold, 3 blocked): no differences')


def test_reconcile_repairs_redis_and_nothing_else(damaged):
    key = f'{damaged.name}:{{show}}'
    shown = damaged.shown('show')
    damaged.cache.hset(key, 'free', '99')
    damaged.cache.setrange(f'{key}:seats', 0, 'sss')
    damaged.cache.delete(f'{damaged.name}:{{fair}}:pools')
    assert damaged.run('reconcile').returncode == 4
    out = damaged.command('reconcile', '--heal')
    assert 'repaired: show: ' in out and 'repaired: fair: ' in out
    assert out.splitlines()[-1].endswith(': no differences, 2 repaired')
    again = damaged.shown('show')
    written = {field: again[0][field] for field in ('updated_ms', 'catalogue_rev')}
    assert again == [{**shown[0], **written}, *shown[1:]]
    damaged.command('reconcile')
    # What PostgreSQL has too much or too little is for people to judge; what only Redis has, is not its own to delete.
    damaged.sql('insert into usher.allocation (pool, unit, booking) select pool, 9, 777 from usher.allocation limit 1')
    damaged.cache.set(f'{damaged.name}:{{gone}}:seats', '....')
    done = damaged.run('reconcile', '--heal')
    assert done.returncode == 4 and done.stdout.endswith(': 4 differences\n'), done.stdout
    assert 'show: unit 9 is outside of pool ' in done.stdout  # as a worker would meet it
    assert damaged.sql('select count(*) from usher.allocation where booking = 777') == [(1,)]
    damaged.sql('delete from usher.allocation where booking = 777')
    damaged.command('rebuild-cache')
    damaged.command('reconcile')


# ---- what the database watches over ----------------------------------------------------------------------------------
def test_a_unit_has_one_booking(damaged):
    with pytest.raises(psycopg2.errors.UniqueViolation):
        damaged.sql('insert into usher.allocation (pool, unit, booking) select pool, unit, 777 from usher.allocation')


def test_a_request_id_has_one_first_answer(damaged):
    with pytest.raises(psycopg2.errors.UniqueViolation):
        damaged.sql('create temporary table again as select * from usher.decision where seq = 2;'
                    'update again set seq = 77; insert into usher.decision select * from again')


@pytest.mark.parametrize('wrong', [
    "update usher.booking set state = 'sold'", "update usher.booking set expires_at = null where state = 'held'",
    "update usher.booking set expires_at = null where state = 'waiting'", 'update usher.booking set total = -1',
    "update usher.resource set strategy = 'worst'", 'update usher.pool set overbook = -1',
    'update usher.pool set held = -1', "update usher.pool set sold = capacity + 1 where name = 'floor'",
    "update usher.pool set capacity = 1 where name = 'extra'", "update usher.pool set blocked = 1 where kind = 'seats'"])
def test_no_row_may_be_so(damaged, wrong):
    with pytest.raises(psycopg2.errors.CheckViolation):
        damaged.sql(wrong)


def test_nothing_costs_time_for_every_row(damaged):
    """Triggers for each row (foreign keys are some) would: the guard, the counts and reconcile watch instead."""
    assert damaged.sql("select tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid "
                       "where c.relnamespace = 'usher'::regnamespace and tgtype & 1 = 1") == []


def test_a_plain_hold_goes_into_no_more_indexes_than_it_needs(damaged):
    """Of all indexes of the three tables, those whose condition a hold without a cart meets, and its decision."""
    rows = damaged.sql("select indexrelid::regclass::text, indrelid::regclass::text, pg_get_expr(indpred, indrelid) "
                       "from pg_index where indrelid in ('usher.booking'::regclass, 'usher.decision'::regclass, "
                       "'usher.allocation'::regclass)")
    entered = []
    for index, table, condition in rows:
        where = {'usher.booking': "state = 'held' and cart is null", 'usher.allocation': 'true',
                 'usher.decision': "outcome = 'held' and booking_nos is null and first"}[table]
        if damaged.sql(f'select count(*) from {table} where {where} and ({condition or "true"})')[0][0]:
            entered.append(index)
    assert sorted(entered) == ['usher.allocation_pkey', 'usher.booking_claims', 'usher.booking_due',
                               'usher.booking_pkey', 'usher.decision_first', 'usher.decision_pkey']
