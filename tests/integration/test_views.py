"""The views for people: what each row says, that sums are exact, and that each question goes by an index."""

import datetime
import itertools
import json
import re

import pytest

from harness.moments import soon
from harness.realm import Realm
from harness.shows import HALL, pieces, places, seats, standing, stay, verdict
from harness.stack import TREE

NAMED = {'sections': [
    {'section': 'stalls', 'price': 4500, 'rows': [
        {'row': 'A', 'seats': 4}, {'row': 'B', 'seats': 6}, {'row': 'C', 'seats': 8}]},
    {'section': 'balcony', 'rows': [{'row': 'BA', 'seats': 5, 'first': 11}]},
    {'section': 'box', 'rows': [{'row': 'L', 'seats': 2, 'names': ['left-a', 'left-b']}, {'row': 'R', 'seats': 2}]}]}

SHOW = {**HALL, 'sections': [*HALL['sections'],
                             {'section': 'yard', 'rates': {'adult': 2000, 'child': 500}, 'capacity': 9, 'overbook': 1}]}


class Story:
    """What happened in a realm: the bookings by the names of whom they are of, and each answer in its order."""

    def __init__(self, realm):
        self.realm, self.bookings, self.answers = realm, {}, []

    def tell(self, outcome, op, resource, name=None, /, **fields):
        answer = self.realm.ask(op, resource, **fields)
        assert answer['outcome'] == outcome, answer
        self.answers.append(answer)
        if name:
            self.bookings[name] = answer['booking']
        return answer

    def sql(self, query, *values):
        return self.realm.sql(query, *values, role='reader')


@pytest.fixture(scope='module', name='story')
def story_of_one_evening(stack):
    realm = Realm(stack, 'views')
    worker = realm.worker()
    story = Story(realm)
    tell, bookings = story.tell, story.bookings
    tell('defined', 'define', 'show', **SHOW)
    tell('held', 'hold', 'show', 'ann', customer='ann', items=seats('BA-12', 'B-2'), client='web', meta={'to': 'home'})
    tell('confirmed', 'confirm', 'show', customer='ann', booking=bookings['ann'], payment='pi_1')
    tell('confirmed', 'book', 'show', 'ben', customer='ben', items=places('yard', 3, rate='child'), client='desk')
    tell('exchanged', 'exchange', 'show', customer='ben', booking=bookings['ben'], items=places('yard', 2, rate='adult'))
    tell('transferred', 'transfer', 'show', customer='ben', booking=bookings['ben'], to_customer='cat')
    tell('held', 'hold', 'show', 'k1', customer='dan', cart='k', items=pieces('programme', 1))
    tell('held', 'hold', 'show', 'k2', customer='dan', cart='k', items=seats('C-3', 'C-4'))
    tell('exchanged', 'exchange', 'show', customer='dan', booking=bookings['k1'], items=pieces('programme', 2))
    tell('confirmed', 'confirm', 'show', customer='dan', cart='k', payment='pi_2')
    tell('cancelled', 'cancel', 'show', customer='ann', booking=bookings['ann'])
    tell('blocked', 'block', 'show', 'house', items=seats('B-2'), note='camera')
    tell('refused', 'hold', 'show', customer='eve', items=seats('B-2'))
    tell('held', 'hold', 'show', 'open', customer='ann', items=seats('A-1'))
    tell('confirmed', 'book', 'show', 'sold', customer='fay', items=seats('A-2'))
    tell('exchanged', 'exchange', 'show', customer='fay', booking=bookings['sold'], items=seats('A-3'))
    again = {'request_id': bookings['sold'], 'op': 'book', 'resource': 'show', 'customer': 'fay', 'items': seats('A-2')}
    assert realm.ask_all(again)[0]['replayed']
    tell('defined', 'define', 'small', **standing(1))
    tell('confirmed', 'book', 'small', customer='gus', items=places('floor', 1))
    for name in ('hal', 'ida', 'joe'):
        tell('waiting', 'hold', 'small', name, customer=name, items=places('floor', 1), wait_until=soon(realm, 3600))
    tell('left', 'leave', 'small', customer='ida', booking=bookings['ida'])
    tell('defined', 'define', 'hotel', state='open', currency='GBP', rooms=[
        {'room': 'double', 'from': '2030-01-01', 'to': '2030-01-03', 'capacity': 2, 'price': 9000}])
    tell('confirmed', 'book', 'hotel', customer='ann', items=stay('double', '2030-01-01', '2030-01-03'))
    assert worker.stop() == 0
    realm.sql('vacuum analyze')
    yield story
    realm.workers.clear()
    realm.close()


def plan_of(story, query, *values):
    """Of a table as small as these, a plan would read it all; what it can do is asked."""
    with story.realm.session('reader') as cursor:
        cursor.execute('set enable_seqscan = off')
        cursor.execute(f'explain {query}', values or None)
        return '\n'.join(line for line, in cursor.fetchall())


def assert_by(plan, *indexes, but=()):
    """By these indexes, and no table but those is read as a whole; nor that of partitions, which is small."""
    for index in indexes:
        assert index in plan, plan
    whole = [line.split('Seq Scan on ')[1].split()[0] for line in plan.splitlines() if 'Seq Scan' in line]
    assert set(whole) <= {*but, 'partition_state', 'shard'}, plan


# ---- purchase --------------------------------------------------------------------------------------------------------
def test_purchase_is_what_a_customer_has(story):
    rows = story.sql("select pool, seat, night, unit, price, rate, currency, payment, cart from usher.purchase "
                     "where customer = 'dan' order by pool, unit")
    assert rows == [('programme', None, None, None, 500, None, 'EUR', 'pi_2', 'k'),
                    ('programme', None, None, None, 500, None, 'EUR', 'pi_2', 'k'),
                    ('stalls', 'C-3', None, 12, 4500, None, 'EUR', 'pi_2', 'k'),
                    ('stalls', 'C-4', None, 13, 4500, None, 'EUR', 'pi_2', 'k')]
    assert story.sql("select pool, rate, price from usher.purchase where customer = 'cat'") == [('yard', 'adult', 2000)] * 2
    assert story.sql("select pool, night, unit from usher.purchase where customer = 'ann' order by night") == [
        ('double', datetime.date(2030, 1, 1), 0), ('double', datetime.date(2030, 1, 2), 0)]
    assert story.sql("select count(*) from usher.purchase where customer in ('ben', 'hal')") == [(0,)]


def test_purchase_goes_by_the_customer(story):
    assert_by(plan_of(story, "select * from usher.purchase where customer = 'dan'"), 'booking_customer')


def test_purchase_knows_when_it_was_sold(story):
    """Not when it was held: what was booked at once, what was confirmed alone, and in a cart."""
    told = {answer['request_id']: answer['decided_at'] for answer in story.answers}
    sold = {row[0]: row[1:] for row in story.sql(
        "select distinct booking, created_at < sold_at, to_char(sold_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'), "
        "booking_number = usher.booking_number(resource, booking) from usher.purchase where resource = 'show'")}
    confirmed = next(answer for answer in story.answers if (answer['op'], answer.get('cart')) == ('confirm', 'k'))
    assert sold == {**{story.bookings[name]: (True, confirmed['decided_at'], True) for name in ('k1', 'k2')},
                    **{story.bookings[name]: (False, told[story.bookings[name]], True) for name in ('ben', 'sold')}}


# ---- carts -----------------------------------------------------------------------------------------------------------
def test_a_cart_is_its_bookings(story):
    """Over several resources: test_domain_carts.py."""
    [row] = story.sql("select customer, state, bookings, units, totals, sold_at = modified_at, lines from usher.cart "
                      "where cart = 'k'")
    assert row[:6] == ('dan', 'confirmed', 2, 4, {'EUR': 10000}, True)
    assert [(line['resource'], line['booking'], line['total']) for line in row[6]] == [
        ('show', story.bookings['k1'], 1000), ('show', story.bookings['k2'], 9000)]


# ---- bookings, door list, catalogue ----------------------------------------------------------------------------------
def test_bookings_are_what_became_of_them(story):
    rows = story.sql("select booking, customer, state, units, total, sold_at is not null, items from usher.bookings "
                     "where resource = 'show' order by booking_number")
    names = {booking: name for name, booking in story.bookings.items()}
    assert [(names[row[0]], *row[1:6]) for row in rows] == [
        ('ann', 'ann', 'cancelled', 2, 7500, True), ('ben', 'cat', 'confirmed', 2, 4000, True),
        ('k1', 'dan', 'confirmed', 2, 1000, True), ('k2', 'dan', 'confirmed', 2, 9000, True),
        ('house', None, 'blocked', 1, 0, False), ('open', 'ann', 'held', 1, 4500, False),
        ('sold', 'fay', 'confirmed', 1, 4500, True)]
    assert rows[0][6] == [{'section': 'balcony', 'seats': ['BA-12'], 'quantity': 1, 'price': 3000},
                          {'section': 'stalls', 'seats': ['B-2'], 'quantity': 1, 'price': 4500}]
    assert rows[1][6] == [{'section': 'yard', 'quantity': 2, 'price': 2000, 'rate': 'adult'}]
    assert story.sql("select items from usher.bookings where customer = 'ann' and resource = 'hotel'") == [([
        {'room': 'double', 'night': f'2030-01-0{day}', 'tokens': [0], 'quantity': 1, 'price': 9000} for day in (1, 2)],)]


def test_what_is_held_and_blocked_now(story):
    assert story.sql('select resource, customer, booking, units, ends_at > held_since, items from usher.open_holds') == [
        ('show', 'ann', story.bookings['open'], 1, True,
         [{'section': 'stalls', 'seats': ['A-1'], 'quantity': 1, 'price': 4500}])]
    assert story.sql('select resource, booking, note, units, returns_at from usher.blocks') == [
        ('show', story.bookings['house'], 'camera', 1, None)]


def test_the_door_list_is_who_sits_where(story):
    rows = story.sql("select pool, seat, quantity, customer, booking, rate, price, payment, cart, sold_at is not null "
                     "from usher.door_list where resource = 'show' order by pool, unit")
    assert rows == [
        ('programme', None, 2, 'dan', story.bookings['k1'], None, 500, 'pi_2', 'k', True),
        ('stalls', 'A-3', 1, 'fay', story.bookings['sold'], None, 4500, None, None, True),
        ('stalls', 'C-3', 1, 'dan', story.bookings['k2'], None, 4500, 'pi_2', 'k', True),
        ('stalls', 'C-4', 1, 'dan', story.bookings['k2'], None, 4500, 'pi_2', 'k', True),
        ('yard', None, 2, 'cat', story.bookings['ben'], 'adult', 2000, None, None, True)]
    assert story.sql("select pool, night, unit, customer from usher.door_list where resource = 'hotel' order by night") == [
        ('double', datetime.date(2030, 1, 1), 0, 'ann'), ('double', datetime.date(2030, 1, 2), 0, 'ann')]
    for column in ('customer, booking, sold_at, price, rate, payment, cart, currency, starts_at', 'pool, seat, unit, night'):
        assert story.sql(f"select {column}, sum(quantity) from usher.door_list group by {column} order by {column}") == story.sql(
            f"select {column}, count(*) from usher.purchase group by {column} order by {column}")


def test_sales_add_up_by_pool_and_rate(story):
    rows = story.sql("select pool, rate, sum(units), sum(amount), currency from usher.sales where resource = 'show' "
                     "group by pool, rate, currency order by pool")
    assert rows == [('programme', None, 2, 1000, 'EUR'), ('stalls', None, 3, 13500, 'EUR'), ('yard', 'adult', 2, 4000, 'EUR')]
    assert story.sql('select distinct extract(minute from hour) from usher.sales') == [(0,)]
    assert story.sql("select night, units from usher.sales where resource = 'hotel' order by night") == [
        (night, len(list(rooms))) for night, rooms in itertools.groupby(
            night for night, in story.sql("select night from usher.door_list where resource = 'hotel' order by night"))]


def test_when_a_booking_was_sold_is_in_its_row_as_its_decisions_say(story):
    looked_up = ("(select min(h.decided_at) from usher.history as h where h.booking_number = b.no and h.outcome = 'confirmed' "
                 'and not h.replayed)')
    assert story.realm.sql(f'select b.request_id, b.sold_at from usher.booking as b '
                           f'where b.sold_at is distinct from {looked_up}') == []
    assert story.realm.sql('select count(*) > 5 from usher.booking where sold_at is not null') == [(True,)]


def test_the_catalogue_adds_up(story):
    rows = story.sql('select resource, kind, state, total, held, sold, blocked, waiting, takings from usher.catalogue order by 1')
    assert rows == [('hotel', 'rooms', 'open', 4, 0, 2, 0, 0, 18000), ('show', 'mixed', 'open', 46, 1, 7, 1, 0, 18500),
                    ('small', 'standing', 'open', 1, 0, 1, 0, 2, 1000)]
    assert story.sql('select resource, sum(total), sum(held), sum(sold), sum(blocked) from usher.availability group by 1 '
                     'order by 1') == [(row[0], *row[3:7]) for row in rows]
    assert [layout['sections'][0]['section'] for layout, in story.sql(
        "select layout from usher.hall where resource = 'show'")] == ['stalls']
    assert story.sql("select section, unit, state, customer from usher.taken_seats where resource = 'show' order by 1, 2") == [
        ('stalls', 0, 'held', 'ann'), ('stalls', 2, 'confirmed', 'fay'), ('stalls', 5, 'blocked', None),
        ('stalls', 12, 'confirmed', 'dan'), ('stalls', 13, 'confirmed', 'dan')]


def test_refusals_are_counted_by_reason(story):
    assert story.sql("select resource, op, outcome, reason, requests from usher.refusals") == [
        ('show', 'hold', 'refused', 'unit_taken', 1)]


def test_the_latest_refusals_are_counted(story):
    """Of so many decisions in all; what partitions with few leave is for those with many."""
    realm = Realm(story.realm.stack, 'views_refused', partitions=3)
    try:
        realm.sql('insert into usher.partition_state (partition, partition_count, next_seq) values (0, 3, 3), (1, 3, 4), (2, 3, 21)')
        realm.sql("insert into usher.decision (partition, seq, decided_at, epoch, codec, first, replayed, cloud_events, id_hash, content_hash, outcome, "
                  "reason, request_id, resource, body) select p, s, now() - interval '100 s' + s * interval '1 s', 1, 1, false, false, false, md5('')::uuid, "
                  "md5('')::uuid, 'refused', 'not_enough', 'r' || s, 'show:' || p, '\"a\":1' from (values (0, 2), (1, 3), (2, 20)) as n (p, size), "
                  'generate_series(1, size) as s')
        for most, expected in ('12', [('show:2', 7, True), ('show:1', 3, False), ('show:0', 2, False)]), ('25', [
                ('show:2', 20, False), ('show:1', 3, False), ('show:0', 2, False)]), ('6', [('show:0', 2, False), ('show:1', 2, True), ('show:2', 2, True)]):
            rows = realm.sql(statement('refusals').replace('500000', most).replace('$1', 'null'), role='reader')
            assert [(resource, requests, last_at - since < datetime.timedelta(minutes=1)) for resource, _, requests, last_at, since in rows] == expected
    finally:
        realm.close()


def test_partitions_say_who_owns_them(story):
    position = story.realm.sql('select epoch, next_offset, next_seq from usher.partition_state')[0]
    assert story.sql('select partition, owner, connected, epoch, next_offset, next_seq, halted from usher.partitions') == [
        (0, story.realm.workers[0].name, False, *position, None)]


# ---- availability, waiting -------------------------------------------------------------------------------------------
def test_availability_adds_up(story):
    rows = story.sql("select pool, free, held, sold, blocked, total, overbook, over, price, rates from usher.availability "
                     "where resource = 'show' order by pool")
    assert rows == [('balcony', 5, 0, 0, 0, 5, 0, 0, 3000, None), ('programme', 1, 0, 2, 0, 3, 0, 0, 500, None),
                    ('stalls', 13, 1, 3, 1, 18, 0, 0, 4500, None), ('standing', 10, 0, 0, 0, 10, 0, 0, 2000, None),
                    ('yard', 8, 0, 2, 0, 10, 1, 0, 2000, [['adult', 2000], ['child', 500]])]


def test_availability_goes_by_the_resource(story):
    """Pools that are counted ask for no allocations, those with seats for theirs alone."""
    query = "select * from usher.availability where resource = 'show'"
    assert_by(plan_of(story, query), 'resource_id_key', 'pool_resource_no_index_key', 'allocation_pkey', 'booking_pkey')
    with story.realm.session('reader') as cursor:
        cursor.execute('set enable_seqscan = off')
        cursor.execute(f"explain (analyze, costs off, timing off) {query} and pool in ('standing', 'programme')")
        plan = '\n'.join(line for line, in cursor.fetchall())
    looked_up = [line for line in plan.splitlines() if 'allocation_pkey' in line]
    assert looked_up and all('never executed' in line for line in looked_up), plan


def test_waiting_is_the_list_in_its_order(story):
    rows = story.sql("select position, customer, booking, items, until > since from usher.waiting "
                     "where resource = 'small' order by position")
    items = [{'section': 'floor', 'quantity': 1}]
    assert rows == [(1, 'hal', story.bookings['hal'], items, True), (2, 'joe', story.bookings['joe'], items, True)]
    assert_by(plan_of(story, "select * from usher.waiting where resource = 'small'"), 'booking_waiting')


# ---- history ---------------------------------------------------------------------------------------------------------
def history(story, where, *values):
    return story.sql(f'select op, outcome, booking from usher.history where {where} order by partition, seq', *values)


def test_history_has_every_decision(story):
    told = [(answer['op'], answer['outcome'], answer.get('reason'), answer['request_id']) for answer in story.answers]
    rows = story.sql('select distinct on (partition, seq) op, outcome, reason, request_id, replayed from usher.history '
                     'order by partition, seq')
    assert [row[:4] for row in rows if not row[4]] == told
    assert [row[:2] for row in rows if row[4]] == [('book', 'confirmed')]
    assert story.realm.sql('select count(*) from usher.decision') == [(len(rows),)]


def test_a_customer_finds_all_that_concerned_them(story):
    ann, open_hold = story.bookings['ann'], story.bookings['open']
    assert history(story, "customer = 'ann' and resource = 'show'") == [
        ('hold', 'held', ann), ('confirm', 'confirmed', ann), ('cancel', 'cancelled', ann), ('hold', 'held', open_hold)]
    # What was handed on concerns both, and from then on only the new owner.
    ben = story.bookings['ben']
    assert history(story, "customer = 'ben'") == [('transfer', 'transferred', ben)]
    assert history(story, "customer = 'cat'") == [
        ('book', 'confirmed', ben), ('exchange', 'exchanged', ben), ('transfer', 'transferred', ben)]
    assert history(story, "customer = 'ida'") == [('hold', 'waiting', story.bookings['ida']),
                                                  ('leave', 'left', story.bookings['ida'])]


def test_an_operation_on_a_cart_happened_to_each_of_its_bookings(story):
    first, second = story.bookings['k1'], story.bookings['k2']
    rows = history(story, "customer = 'dan'")
    assert rows[:3] == [('hold', 'held', first), ('hold', 'held', second), ('exchange', 'exchanged', first)]
    assert sorted(rows[3:]) == sorted([('confirm', 'confirmed', first), ('confirm', 'confirmed', second)])
    for booking in (first, second):
        assert history(story, "booking_number = usher.booking_number('show', %s)", booking)[-1] == (
            'confirm', 'confirmed', booking)


def test_a_unit_is_found_among_what_happened_to_its_resource(story):
    units = '[{"section": "stalls", "seats": ["B-2"]}]'
    assert story.sql("select op, outcome from usher.history where resource = 'show' and units @> %s order by seq",
                     units) == [('hold', 'held'), ('confirm', 'confirmed'), ('cancel', 'cancelled'), ('block', 'blocked')]
    assert history(story, "resource = 'show' and outcome = 'refused' and answer ->> 'customer' = 'eve'") == [
        ('hold', 'refused', None)]


# A partition that has seen much: of each kind of decision some, and every tenth booking of a cart of two; few are held now.
GROWN = """
insert into usher.resource (no, partition, id, state, rev)
    select i, 0, 'show:' || i, 'open', 1 from generate_series(1, 2000) i;
insert into usher.booking (partition, no, resource_no, state, created_at, expires_at, total, op, request_id, customer, cart,
                           lines)
    select 0, i, i % 1000 + 1, case when i % 500 = 0 then 'held' else 'confirmed' end, now(), now(), 0, 'hold', 'r' || i,
           'c' || i % 5000, case when i % 10 in (8, 9) then 'k' || i / 10 end, '[]' from generate_series(1, 50000) i;
insert into usher.decision (partition, seq, resource_no, booking_no, booking_nos, decided_at, epoch, codec, first, replayed,
                            cloud_events, id_hash, content_hash, outcome, request_id, resource, body)
    select 0, i, b % 1000 + 1, case when i <= 100000 then b end, case when b % 10 = 9 and i > 50000 then array[b, b - 1] end,
           now(), 1, 1, i <= 100000 or i % 2 = 0, false, false,
           encode(substr(sha256(('r' || i)::bytea), 1, 16), 'hex')::uuid, md5('')::uuid, 'held', 'r' || i,
           'show:' || b % 1000 + 1, '"a":1'
      from (select i, ((i - 1) % 50000 + 1)::bigint as b from generate_series(1, 110000) i) as n;
insert into usher.cart_decision select b, 0, seq from usher.decision, unnest(booking_nos) as n (b);
insert into usher.former_owner select 'c' || i, i from generate_series(1, 1000) i;
update usher.resource set chart = 'hall', state = case when no = 2000 then 'closed' else state end;
insert into usher.pool (no, resource_no, index, kind, name, capacity, price)
    select i * 4 + n, i, n, case when n < 3 then 'seats' else 'section' end, (array['stalls', 'balcony', 'box', 'yard'])[n + 1],
           (array[18, 5, 4, 100])[n + 1], 4500 from generate_series(1, 2000) i, generate_series(0, 3) n;
update usher.pool set sold = 1 where kind = 'section';
insert into usher.allocation (pool, booking, unit)
    select p.no, p.resource_no - 1 + u * 1000, u from usher.pool as p, generate_series(0, capacity - 1) u where kind = 'seats';
"""


@pytest.fixture(scope='module', name='grown')
def tables_that_have_grown(story):
    realm = Realm(story.realm.stack, 'views_grown')
    realm.sql("insert into usher.chart select 0, case i when 0 then 'hall' else 'hall' || i end, %s "
              'from generate_series(0, 500) i', json.dumps(NAMED))
    realm.sql(GROWN)
    realm.sql('insert into usher.partition_state (partition, partition_count) values (0, 1)')
    realm.sql('vacuum analyze')
    yield realm
    realm.close()


@pytest.mark.parametrize('query, indexes', [
    ("history where customer = 'c7'", ('booking_customer', 'booking_claims', 'decision_pkey', 'decision_booking',
                                       'cart_decision_pkey', 'former_owner_pkey')),
    ("history where booking_number = usher.booking_number('show:8', 'r7')",
     ('booking_pkey', 'decision_pkey', 'decision_booking', 'cart_decision_pkey')),
    ("history where resource = 'show:7'", ('decision_first', 'decision_booking', 'cart_decision_pkey', 'decision_aside')),
    ("purchase where customer = 'c7'", ('booking_customer', 'decision_pkey', 'pool_resource_no_index_key', 'seat_row_pkey')),
    ("purchase where resource = 'show:7'", ('decision_first', 'booking_pkey', 'pool_resource_no_index_key')),
    ("purchase where booking_number = usher.booking_number('show:8', 'r7')", ('booking_pkey', 'decision_pkey')),
    ("purchase where resource = 'show:8' and booking = 'r7'", ('decision_first', 'booking_pkey')),
    ("door_list where resource = 'show:7'", ('pool_resource_no_index_key', 'seat_row_pkey', 'allocation_pkey', 'booking_pkey',
                                             'decision_first')),
    ("sales where resource = 'show:7'", ('seat_row_pkey', 'allocation_pkey', 'booking_pkey', 'decision_first')),
    ("bookings where customer = 'c7'", ('booking_customer', 'booking_claims', 'decision_pkey')),
    ("bookings where resource = 'show:7'", ('decision_first', 'booking_pkey')),
    ("bookings where booking_number = 7", ('booking_pkey', 'decision_pkey')),
    ("cart where cart = 'k7'", ('booking_cart on booking', 'decision_pkey', 'decision_booking', 'cart_decision_pkey')),
    ("cart where customer = 'c78' and cart = 'k7'", ('booking_cart on booking', 'decision_pkey')),
    ("open_holds where resource = 'show:7'", ('booking_claims', 'decision_pkey')),
    ("blocks where resource = 'show:7'", ('booking_claims', 'decision_pkey')),
    ("catalogue where resource = 'show:7'", ('pool_resource_no_index_key', 'allocation_pkey', 'booking_claims',
                                             'booking_waiting')),
    ("taken_seats where resource = 'show:7'", ('pool_resource_no_index_key', 'allocation_pkey', 'booking_pkey')),
    ("refusals where resource = 'show:7'", ('decision_first', 'decision_aside'))])
def test_views_go_by_indexes(grown, query, indexes):
    """Planned for tables that have grown, with nothing forbidden to the planner."""
    with grown.session('reader') as cursor:
        cursor.execute(f'explain select * from usher.{query}')
        assert_by('\n'.join(line for line, in cursor.fetchall()), *indexes,
                  but=('resource', 'former_owner', 'chart', 'seat_row'))


def statement(view):
    """Of the program."""
    statements = (TREE / 'worker/postgres/sql/view.sql').read_text().split('-- name: ')
    return next(text.removeprefix(view) for text in statements if text.startswith(f'{view}\n'))


@pytest.mark.parametrize('view, values, indexes', [
    ('bookings', {2: 'show:7', 5: 'stalls', 6: '3'}, ('pool_resource_no_index_key', 'allocation_pkey', 'booking_pkey')),
    ('history', {2: 'show:7'}, ('decision_first', 'decision_booking', 'cart_decision_pkey', 'decision_aside')),
    ('history', {2: 'show:8', 4: 'r7'}, ('booking_pkey', 'decision_booking', 'cart_decision_pkey')),
    ('history', {1: 'c7'}, ('booking_customer', 'former_owner_pkey', 'decision_booking')),
    ('history', {1: 'c7', 2: 'show:7'}, ('former_owner_pkey', 'decision_first', 'decision_aside')),
    ('history', {1: 'c7', 5: '3600'}, ('booking_customer', 'decision_pkey on decision d')),
    ('history', {3: 'r7'}, ('decision_pkey', 'booking_pkey', 'cart_decision_pkey')),
    ('history', {4: 'r7'}, ('booking_pkey', 'decision_booking', 'cart_decision_pkey')),
    ('history', {5: '3600', 7: '100'}, ('decision_pkey', 'booking_pkey', 'cart_decision_pkey')),
    ('bookings', {3: 'r7'}, ('booking_pkey', 'decision_pkey')),
    ('history', {6: 'k7'}, ('booking_cart', 'booking_pkey', 'decision_booking', 'cart_decision_pkey')),
    ('bookings', {7: 'k7'}, ('booking_cart', 'decision_pkey')),
    ('open_holds', {1: '100'}, ('booking_due', 'booking_pkey', 'decision_pkey')),
    ('cart', {1: 'k7'}, ('booking_cart', 'decision_pkey')),
    ('carts', {3: '3600'}, ('booking_cart', 'decision_pkey')),
    ('mixed_carts', {}, ('booking_cart_sold', 'booking_cart', 'decision_pkey')),
    ('refusals', {}, ('decision_pkey on decision d',))])
def test_commands_go_by_indexes(grown, view, values, indexes):
    query = statement(view)
    for number in range(8, 0, -1):
        query = query.replace(f'${number}', f"'{values[number]}'" if number in values else 'null')
    with grown.session('worker' if view == 'mixed_carts' else 'reader') as cursor:
        cursor.execute(f'explain {query}')
        assert_by('\n'.join(line for line, in cursor.fetchall()), *indexes, but=('resource', 'former_owner', 'chart', 'seat_row'))


def test_seats_have_their_names(grown):
    rows = grown.sql("select pool, array_agg(seat order by unit) from usher.door_list where resource = 'show:7' "
                     "group by pool order by pool")
    assert rows == [('balcony', [f'BA-{number}' for number in range(11, 16)]), ('box', ['left-a', 'left-b', 'R-1', 'R-2']),
                    ('stalls', [f'{row}-{number}' for row, seats in (('A', 4), ('B', 6), ('C', 8))
                                for number in range(1, seats + 1)])]


# ---- audit -----------------------------------------------------------------------------------------------------------
def test_audit_has_every_sale_and_what_it_came_to(story):
    rows = story.sql("select op, outcome, client, customer, amount, currency, payment from usher.audit "
                     "where resource = 'show' order by partition, seq")
    assert rows == [('confirm', 'confirmed', None, 'ann', 7500, 'EUR', 'pi_1'),
                    ('book', 'confirmed', 'desk', 'ben', 1500, 'EUR', None),
                    ('exchange', 'exchanged', None, 'ben', 2500, 'EUR', None),
                    ('confirm', 'confirmed', None, 'dan', 10000, 'EUR', 'pi_2'),
                    ('cancel', 'cancelled', None, 'ann', -7500, 'EUR', None),
                    ('book', 'confirmed', None, 'fay', 4500, 'EUR', None),
                    ('exchange', 'exchanged', None, 'fay', 0, 'EUR', None)]
    for resource in ('show', 'small', 'hotel'):
        assert story.sql('select sum(amount) from usher.audit where resource = %s', resource) == story.sql(
            'select sum(price) from usher.purchase where resource = %s', resource)


def test_audit_of_a_time_has_exactly_what_was_decided_then(story):
    moments = [at for at, in story.sql('select distinct decided_at from usher.audit order by 1')]
    assert len(moments) > 5
    bounds = [moments[0] - datetime.timedelta(1), *moments[::2], moments[-1] + datetime.timedelta(1)]
    spans = list(zip(bounds, bounds[1:]))
    for start, end in spans:
        assert story.sql('select partition, seq from usher.audit_between(%s, %s) order by 1, 2', start, end) == story.sql(
            'select partition, seq from usher.audit where decided_at >= %s and decided_at < %s order by 1, 2', start, end)
    sums = [story.sql('select coalesce(sum(amount), 0) from usher.audit_between(%s, %s)', *span)[0][0] for span in spans]
    assert sum(sums) == story.sql('select sum(amount) from usher.audit')[0][0]
    assert story.sql("select count(*) from usher.audit_between('-infinity', 'infinity')") == story.sql(
        'select count(*) from usher.audit')


def test_the_start_of_a_time_is_found_by_bisection(story):
    """Seqs as a table of decisions has them, with gaps as pruning will leave them."""
    realm = Realm(story.realm.stack, 'views_halved', partitions=2)
    realm.sql('insert into usher.partition_state (partition, partition_count, next_seq) values (0, 2, 101), (1, 2, 1);'
              'insert into usher.decision (partition, seq, decided_at, epoch, codec, first, replayed, cloud_events, id_hash, '
              "content_hash, outcome, body) select 0, i, '2026-01-01'::timestamptz + i / 3 * interval '1 hour', 1, 1, false, "
              "false, false, md5('')::uuid, md5('')::uuid, 'alive', '' from generate_series(31, 100) i where i not in (40, 41)")
    try:
        for hours in (-1, 0, 10, 13, 13.5, 14, 20, 33, 34):
            wanted = realm.sql("select coalesce(min(seq), 101) from usher.decision "
                               "where decided_at >= '2026-01-01'::timestamptz + %s * interval '1 hour'", hours)[0][0]
            found, empty = (realm.sql("select usher.seq_at(%s, '2026-01-01'::timestamptz + %s * interval '1 hour')",
                                      partition, hours)[0][0] for partition in (0, 1))
            assert realm.sql('select coalesce(min(seq), 101) from usher.decision where seq >= %s', found) == [(wanted,)]
            assert empty == 1
    finally:
        realm.close()


def test_what_the_readme_asks_can_be_asked(story):
    text = (TREE / 'schema/postgres/README.md').read_text()
    queries = re.findall(r'^    (select .*?;)$', text, re.MULTILINE | re.DOTALL)
    assert len(queries) >= 9
    for query in queries:
        story.sql(query)
    for view, in story.realm.sql("select table_name from information_schema.role_table_grants "
                                 "where table_schema = 'usher' and grantee = 'usher_reader' and table_name !~ '^(schema_|shard$)'"):
        assert f'### {view}: ' in text or view in ('hall', 'taken_seats', 'cart_booking') # under `catalogue`, `cart`
        assert any(f'usher.{view}' in query for query in queries)


def test_no_verdict_is_hidden(story):
    """The story is told as it was meant: nothing of it was refused but what had to be."""
    assert [verdict(answer) for answer in story.answers if verdict(answer)[1]] == [('refused', 'unit_taken')]
