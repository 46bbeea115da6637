"""Seats: many groups want so many seats of one hall at the same moment. A seat has one booking, a group has all that it
wanted or nothing, the house says in which order seats are given, and a hold lasts as long as the buyer says so."""

import random
import threading

import psycopg2
import pytest

from harness.counts import check_counts, seats_of, settle
from harness.moments import past, unrequested
from harness.shows import places, seated, seats, verdict
from harness.waiting import eventually
from oracle.parsing import instant_of

MASK = (1 << 64) - 1


# ---- choice order ----------------------------------------------------------------------------------------------------
def given(house, show, quantity, op='hold'):
    answer = house.ask(op, show, customer='c', items=places('stalls', quantity))
    assert verdict(answer)[1] is None and len(seats_of(answer['units'])) == quantity
    return answer


def test_best_begins_in_the_middle_of_the_front_and_leaves_no_seat_alone(house):
    house.ask('define', 'show:best', **seated(10, 10, strategy='best'))
    # Two in the middle; two beside them; three would leave a seat alone at either end of what is left, so they sit behind.
    for quantity, wanted in ((2, ['A-5', 'A-6']), (2, ['A-3', 'A-4']), (3, ['B-4', 'B-5', 'B-6']), (2, ['A-7', 'A-8']),
                             (4, ['B-7', 'B-8', 'B-9', 'B-10'])):
        assert seats_of(given(house, 'show:best', quantity)['units']) == wanted
    check_counts(house, 'show:best', 7, held=13)


def test_first_begins_at_the_first_seat(house):
    house.ask('define', 'show:first', **seated(10, 10, strategy='first'))
    for quantity, wanted in ((2, ['A-1', 'A-2']), (3, ['A-3', 'A-4', 'A-5']), (4, ['B-1', 'B-2', 'B-3', 'B-4']),
                             (5, ['A-6', 'A-7', 'A-8', 'A-9', 'A-10'])):
        assert seats_of(given(house, 'show:first', quantity)['units']) == wanted
    check_counts(house, 'show:first', 6, held=14)


def splitmix64(state):
    """The first output of the generator with that state."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


def runs(row):
    """Free seats side by side in a row of booleans: (begin, end)."""
    edges = [index for index in range(len(row) + 1)
             if (index < len(row) and row[index]) != (index > 0 and row[index - 1])]
    return list(zip(edges[::2], edges[1::2]))


def anywhere(hall, quantity, seed):
    """Where `random` seats a group: (row, seat), a place that leaves no seat alone before all others."""
    for careful in (True, False):
        for step in range(len(hall)):
            row = (splitmix64(seed) + step) % len(hall)
            spots = [at for begin, end in runs(hall[row]) for at in range(begin, end - quantity + 1)
                     if not careful or (at - begin != 1 and end - at - quantity != 1)]
            if spots:
                return row, spots[splitmix64(seed + 1) % len(spots)]
    raise AssertionError('no row has room')


def test_random_is_anywhere_and_can_be_repeated(house):
    """The seed is the decision's own number, so that a replay of the log gives the same seats."""
    house.ask('define', 'show:random', **seated(10, 10, 10, 10, strategy='random'))
    hall = [[True] * 10 for _row in range(4)]
    rows_used = set()
    for quantity in (2, 1, 3, 2, 4, 1, 2, 3):
        answer = given(house, 'show:random', quantity)
        row, at = anywhere(hall, quantity, answer['seq'])
        assert seats_of(answer['units']) == [f'{"ABCD"[row]}-{at + number + 1}' for number in range(quantity)]
        hall[row][at:at + quantity] = [False] * quantity
        rows_used.add(row)
    assert len(rows_used) > 1
    check_counts(house, 'show:random', 22, held=18)


def test_the_order_can_be_changed_while_seats_are_sold(house):
    house.ask('define', 'show:changed', **seated(6, 6))
    assert seats_of(given(house, 'show:changed', 2)['units']) == ['A-3', 'A-4']
    assert verdict(house.ask('define', 'show:changed', strategy='first')) == ('defined', None)
    assert seats_of(given(house, 'show:changed', 2)['units']) == ['A-1', 'A-2']


# ---- many groups -----------------------------------------------------------------------------------------------------
def rush(house, show, groups, clients):
    """Each client asks for its groups at once, all clients at the same time. Returns (wanted, answer) of all."""
    results = []

    def client(mine):
        requests = [house.client.request('hold', show, customer=f'g{number}', items=places('stalls', wanted))
                    for number, wanted in mine]
        results.extend(zip((wanted for _number, wanted in mine), house.ask_all(*requests)))
    numbered = list(enumerate(groups))
    threads = [threading.Thread(target=client, args=(numbered[number::clients],)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == len(groups)
    return sorted(results, key=lambda result: result[1]['seq'])


@pytest.mark.parametrize('strategy', ['best', 'first', 'random'])
def test_many_groups_at_once(house, strategy):
    """Never two bookings of a seat, never fewer seats than wanted, and refused only when there are too few."""
    show, dice = f'show:rush-{strategy}', random.Random(strategy)
    house.ask('define', show, **seated(*[20] * 15, strategy=strategy))
    groups = [dice.choice((1, 2, 2, 2, 3, 4, 4, 5, 6)) for _group in range(240)]
    free, owner = 300, {}
    for wanted, answer in rush(house, show, groups, 4):
        if wanted > free:
            assert verdict(answer) == ('refused', 'not_enough') and answer['items'][0]['free'] == free
            continue
        assert verdict(answer) == ('held', None)
        mine = seats_of(answer['units'])
        assert len(set(mine)) == wanted and not owner.keys() & set(mine)
        owner.update(dict.fromkeys(mine, answer['customer']))
        free -= wanted
        assert answer['free'] == free
    assert free < 10 and len(owner) == 300 - free
    check_counts(house, show, free, held=300 - free)
    assert house.sql('select count(*), count(distinct (a.pool, a.unit)) from usher.allocation a '
                     'join usher.booking b on b.no = a.booking join usher.resource r on r.no = b.resource_no '
                     'where r.id = %s', show) == [(300 - free, 300 - free)]


# ---- the time of a hold ----------------------------------------------------------------------------------------------
def test_a_hold_lasts_as_long_as_the_buyer_says_so(make_realm):
    """The answer says when it ends, so that the buyer can be asked in time; who does not extend it loses the seats."""
    house = make_realm(USHER_HOLD_TTL_MAX='10s')
    house.worker()
    house.ask('define', 'show:prompt', **seated(10))
    silent, spoken, greedy = (house.ask('hold', 'show:prompt', customer=customer, items=seats(seat), ttl_s=5)
                              for customer, seat in (('silent', 'A-1'), ('spoken', 'A-2'), ('greedy', 'A-3')))
    assert instant_of(spoken['expires_at']) - instant_of(spoken['decided_at']) == 5000
    # No longer than ten seconds since it was made, whatever is asked for.
    capped = house.ask('extend', 'show:prompt', customer='greedy', booking=greedy['booking'], ttl_s=600)
    assert instant_of(capped['expires_at']) == instant_of(greedy['decided_at']) + 10000
    past(house, spoken['decided_at'], 1)
    longer = house.ask('extend', 'show:prompt', customer='spoken', booking=spoken['booking'], ttl_s=6)
    assert verdict(longer) == ('extended', None)
    assert instant_of(longer['expires_at']) == instant_of(longer['decided_at']) + 6000
    expired = unrequested(house, silent['booking'], 'show:prompt', 'expiry')
    assert expired['outcome'] == 'expired' and expired['free'] == 8  # as of then: the others end soon after
    late = house.ask('extend', 'show:prompt', customer='silent', booking=silent['booking'], ttl_s=6)
    assert verdict(late) == ('refused', 'hold_expired')
    for held in (spoken, greedy):
        assert unrequested(house, held['booking'], 'show:prompt', 'expiry')['returned'] == held['units']
    check_counts(house, 'show:prompt', 10)
    settle(house)


def test_the_sweep_takes_all_that_ran_out_and_nothing_else(house):
    house.ask('define', 'show:sweep', **seated(*[20] * 10))
    requests = [house.client.request('hold', 'show:sweep', customer=f'c{number}', items=places('stalls', 1),
                                     ttl_s=1 if number % 2 else 600) for number in range(150)]
    answers = house.ask_all(*requests)
    for answer in answers[1::2]:
        assert unrequested(house, answer['booking'], 'show:sweep', 'expiry')['returned'] == answer['units']
    sales = house.ask_all(*(house.client.request('confirm', 'show:sweep', customer=answer['customer'],
                                                 booking=answer['booking']) for answer in answers[::2]))
    for answer, sold in zip(answers[::2], sales):
        assert verdict(sold) == ('confirmed', None) and sold['units'] == answer['units']
    check_counts(house, 'show:sweep', 125, sold=75)


# ---- the last defence ------------------------------------------------------------------------------------------------
def test_the_database_refuses_a_second_booking_of_a_seat(house):
    house.ask('define', 'show:defence', **seated(4))
    for customer, seat in (('a', 'A-1'), ('b', 'A-2')):
        house.ask('book', 'show:defence', customer=customer, items=seats(seat))
    with pytest.raises(psycopg2.errors.UniqueViolation):
        house.sql('insert into usher.allocation (pool, unit, booking) select a.pool, a.unit, max(b.no) '
                  'from usher.allocation a join usher.pool p on p.no = a.pool '
                  'join usher.resource r on r.no = p.resource_no join usher.booking b on b.resource_no = r.no '
                  "where r.id = 'show:defence' group by a.pool, a.unit")
    check_counts(house, 'show:defence', 2, sold=2)


def test_a_seat_that_was_taken_behind_the_workers_back_is_not_sold_again(house):
    """Memory thinks it free, the database knows better: the commit fails, nobody is told that he has it, and the
    partition waits for a person."""
    house.ask('define', 'show:bypass', **seated(4))
    house.ask('book', 'show:bypass', customer='a', items=seats('A-1'))
    house.sql("insert into usher.allocation (pool, unit, booking) select pool, 3, booking from usher.allocation a "
              "join usher.pool p on p.no = a.pool join usher.resource r on r.no = p.resource_no "
              "where r.id = 'show:bypass'")
    sent = house.client.send(house.client.request('book', 'show:bypass', customer='b', items=seats('A-4')))
    worker = house.workers[-1]
    eventually(lambda: worker.metric('usher_partition_halted') == 1, 'the partition is halted')
    assert sent[0] not in house.client.answers.by_source
    assert house.sql("select count(*) from usher.booking where customer = 'b' and resource_no in "
                     "(select no from usher.resource where id = 'show:bypass')") == [(0,)]
    worker.kill()
    house.sql("delete from usher.allocation where unit = 3 and pool in (select p.no from usher.pool p "
              "join usher.resource r on r.no = p.resource_no where r.id = 'show:bypass')")
    house.worker()
    assert verdict(house.client.answers_to(sent)[0]) == ('confirmed', None)
    check_counts(house, 'show:bypass', 2, sold=2)


def test_the_books_balance(house):
    assert settle(house).facts['internal'] == 0
