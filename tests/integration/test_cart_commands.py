"""Carts over several resources by usher-producer: each command is a seller, and the next one goes on where it was."""

import json
import subprocess
import time

import pytest

from harness.producer import producer
from harness.realm import STEADY, Realm
from harness.shows import HALL, HOTEL, standing
from harness.stack import clean_environment, program
from harness.waiting import eventually

CUSTOMER = ('--customer', 'c 1', '--json')


@pytest.fixture(scope='module')
def house(stack):
    one = Realm(stack, 'cartcommands', partitions=4, **STEADY)
    one.worker()
    one.ask('define', 'show:a', **HALL)
    one.ask('define', 'hotel:b', **HOTEL)
    one.ask('define', 'show:c', **standing(1000))
    yield one
    one.check()
    one.close()


def command(house, op, cart, *arguments):
    """(exit code, what it printed, what it complained of)."""
    done = producer(house, op, '--cart', cart, *CUSTOMER, *arguments)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def bookings(result):
    return [word for line in result['lines'] for word in ('--line', f'{line["resource"]}/{line["booking"]}')]


def outcomes(result):
    return result['state'], [line.get('reason', line['outcome']) for line in result['lines']]


def states(house, cart):
    return [state for state, in house.sql('select state from usher.booking where cart = %s order by 1', cart)]


TRIP = ('--line', 'show:a', '--seats', 'B-1,B-2', '--line', 'hotel:b', '--room', 'double', '--from', '2026-12-21', '--to', '2026-12-23',
        '--quantity', '1', '--line', 'show:c', '--section', 'floor', '--quantity', '2')


def test_a_cart_is_held_extended_confirmed_and_released(house):
    code, held, error = command(house, 'hold', 'trip', *TRIP, '--ttl', '1m')
    assert (code, outcomes(held), error) == (0, ('held', ['held'] * 3), '')
    assert command(house, 'hold', 'trip', *TRIP, '--ttl', '1m')[:1] == (0,), 'a repeat finds it held'
    code, extended, error = command(house, 'extend', 'trip', *bookings(held), '--ttl', '5m')
    assert (code, outcomes(extended), error) == (0, ('held', ['extended'] * 3), '')
    assert extended['lines'][0]['expires_at'] > held['lines'][0]['expires_at']
    for _time in range(2):
        code, sold, error = command(house, 'confirm', 'trip', *bookings(held), '--payment', 'p')
        assert (code, sold['state'], error) == (0, 'sold', '')
    assert outcomes(sold) == ('sold', ['confirmed'] * 3), 'the first answers, again'
    assert states(house, 'trip') == ['confirmed'] * 3
    for other in ('--payment', 'another'), ():
        code, kept, error = command(house, 'confirm', 'trip', *bookings(held), *other)
        assert (code, outcomes(kept)) == (3, ('sold', ['id_reused'] * 3))
        assert 'cart trip was sold before, with another payment, and keeps it' in error
    assert house.sql("select distinct payment from usher.booking where cart = 'trip'") == [('p',)]
    code, kept, error = command(house, 'release', 'trip', *bookings(held))
    assert (code, outcomes(kept)) == (3, ('sold', ['already_confirmed'] * 3))
    assert 'cart trip is sold: show:a (already_confirmed), hotel:b (already_confirmed)' in error
    _code, held, _error = command(house, 'hold', 'other', '--line', 'show:a', '--seats', 'A-1', '--line', 'show:c', '--section', 'floor')
    assert command(house, 'release', 'other', *bookings(held))[1]['state'] == 'gone'


def test_exit_3_names_the_lines_that_failed(house):
    house.ask('book', 'show:a', customer='d', items=[{'seats': ['C-1']}])
    code, refused, error = command(house, 'book', 'none', '--line', 'show:c', '--section', 'floor', '--line', 'show:a', '--seats', 'C-1',
                                   '--payment', 'p')
    assert (code, outcomes(refused)) == (3, ('refused', ['held', 'unit_taken']))
    assert error.endswith('cart none is refused: show:a (unit_taken); none of it is held, another try needs another --cart\n'), error
    assert set(states(house, 'none')) == {'released'}
    done = producer(house, 'hold', '--cart', 'nothing', '--customer', 'c 1', '--line', 'show:c', '--section', 'floor', '--line', 'show:a',
                    '--seats', 'C-1')
    assert done.stdout.startswith('nothing: refused\n') and 'unit_taken' in done.stdout and 'held' not in done.stdout, done
    done = producer(house, 'book', '--cart', 'some', '--customer', 'c 1', '--line', 'show:c', '--section', 'floor', '--line', 'show:a',
                    '--seats', 'C-2')
    assert done.returncode == 0 and done.stdout.startswith('some: sold\n') and 'C-2' in done.stdout, done
    again = command(house, 'book', 'some', '--line', 'show:c', '--section', 'floor', '--line', 'show:a', '--seats', 'C-2', '--payment', 'q')
    assert again[0] == 3 and 'with another payment' in again[2]
    _code, held, _error = command(house, 'hold', 'short', '--line', 'show:c', '--section', 'floor', '--ttl', '1s')
    code, aborted, error = command(house, 'confirm', 'short', *bookings(held))
    assert code == 3 and aborted['state'] in ('aborted', 'refused', 'gone') and 'short' in error


@pytest.mark.parametrize('arguments, complaint', [
    (['hold', 'show:a', '--line', 'show:c'], 'could not use show:a with --line'),
    (['hold', '--line', 'show:c', '--section', 'floor'], '--cart is required with --line'),
    (['hold', '--line', 'show:c', '--cart', 'k'], '--customer is required with --line'),
    (['extend', '--line', 'show:c/b', '--cart', 'k', '--customer', 'c'], '--ttl is required with --line'),
    (['confirm', '--line', 'show:c', '--cart', 'k', '--customer', 'c'], 'RESOURCE/BOOKING is needed'),
    (['hold', '--line', 'show:c', '--section', 'floor', '--cart', 'k', '--customer', 'c', '--meta', '{}'], 'could not use --meta with --line'),
    (['hold', '--line', 'show:c', '--section', 'floor', '--cart', 'k', '--customer', 'c', '--no-wait'], 'could not use --no-wait with --line'),
    (['hold', '--line', 'hotel:b', '--room', 'double', '--cart', 'k', '--customer', 'c'], '--from: missing'),
])
def test_bad_usage(house, arguments, complaint):
    done = producer(house, *arguments)
    assert done.returncode == 64 and complaint in done.stderr, done


def test_bad_input_is_named(house):
    code, _result, error = command(house, 'hold', 'a cart', '--line', 'show:c', '--section', 'floor')
    assert code == 65 and 'its id is not of 1 to 40 characters' in error, error
    code, _result, error = command(house, 'hold', 'k', '--line', 'show:c', '--section', 'floor', '--line', 'show:c')
    assert code == 65 and 'line 2 of cart k: it has no items' in error, error


def test_a_line_that_cannot_be_had_is_named_and_nothing_is_held(house):
    house.ask('define', 'show:draft', **{**standing(9), 'state': 'draft'})
    for number, (show, reason) in enumerate((('show:unknown', 'unknown_resource'), ('show:draft', 'not_on_sale'))):
        code, refused, error = command(house, 'hold', f'bad{number}', '--line', 'show:c', '--section', 'floor',
                                       '--line', show, '--section', 'floor')
        assert (code, outcomes(refused)) == (3, ('refused', ['held', reason])) and f'{show} ({reason})' in error, error
        assert set(states(house, f'bad{number}')) == {'released'}


def test_nobody_has_another_customers_cart(house):
    code, held, _error = command(house, 'hold', 'mine', '--line', 'show:c', '--section', 'floor', '--ttl', '5m')
    assert code == 0
    line = '--line', 'show:c', '--section', 'floor', '--ttl', '5m'
    for op, words, reason in (('hold', line, 'id_reused'), ('extend', (*bookings(held), '--ttl', '9m'), 'not_owner'),
                              ('confirm', bookings(held), 'not_owner'), ('release', bookings(held), 'not_owner')):
        done = producer(house, op, '--cart', 'mine', '--customer', 'c 2', *words)
        assert done.returncode == 3 and f'show:c ({reason})' in done.stderr, done
    assert states(house, 'mine') == ['held']
    assert command(house, 'confirm', 'mine', *bookings(held))[1]['state'] == 'sold'


def test_a_command_that_was_killed_is_given_again(house):
    """At any moment: what was begun is ended, and nothing is doubled."""
    for number in range(12):
        cart = f'killed{number}'
        arguments = ['--line', 'show:c', '--section', 'floor', '--line', 'hotel:b', '--room', 'single', '--from', '2026-12-20',
                     '--to', '2026-12-21'] if number == 0 else ['--line', 'show:c', '--section', 'floor', '--quantity', '2']
        words = [program('usher-producer'), 'book', '--cart', cart, *CUSTOMER, *arguments, '--payment', 'p']
        process = subprocess.Popen(words, env=clean_environment(**house.environment), stdout=subprocess.DEVNULL)
        eventually(lambda: process.poll() is not None or house.sql(
            'select from usher.booking where cart = %s', cart) or number % 2)
        time.sleep(number * 0.01)
        process.kill()
        process.wait()
        code, sold, _error = command(house, 'book', cart, *arguments, '--payment', 'p')
        assert (code, sold['state']) == (0, 'sold'), number
        assert set(states(house, cart)) == {'confirmed'} and len(states(house, cart)) == len(sold['lines'])
