"""The examples of libusher, as a service's author would start from, and what happens to followers whom retention
overtakes."""

import contextlib
import json
import subprocess

from harness.delete_records import delete_records
from harness.producer import answers_in, producer
from harness.shows import places, standing
from harness.stack import clean_environment, program
from harness.waiting import eventually

EXAMPLES = 'producer/examples/'


@contextlib.contextmanager
def following(realm, path):
    """The follower at work; its errors are in the list once it has ended."""
    errors = []
    process = subprocess.Popen([program(EXAMPLES + 'follow'), realm.brokers, str(path)],
                               env=clean_environment(**realm.environment), stderr=subprocess.PIPE, text=True)
    try:
        yield errors
    finally:
        process.terminate()
        errors.append(process.communicate()[1])


def state_of(path):
    """(confirmed, seq) of the one partition."""
    words = path.read_text().split() if path.exists() else []
    return (int(words[1]), int(words[3])) if len(words) == 5 else None


def test_examples_sell_follow_and_are_overtaken(realm, tmp_path):
    state = tmp_path / 'state'
    results = f'{realm.name}.results.v1'
    realm.ask('define', 'show', **standing(9, currency='GBP'))
    done = realm.run(realm.brokers, 'show', 'floor', name=EXAMPLES + 'hold_pay_confirm')
    assert (done.returncode, done.stdout) == (0, 'paying 2000 minor units of GBP\nconfirmed\n'), done
    done = realm.run('', 'show', 'floor', name=EXAMPLES + 'hold_pay_confirm')
    assert done.returncode == 78 and 'no brokers given' in done.stderr, done
    done = realm.run(realm.brokers, 'show', name=EXAMPLES + 'event_loop')
    assert done.returncode == 0 and 'seq 4: alive\n' in done.stdout, done

    with following(realm, state):
        eventually(lambda: state_of(state) == (1, 4), 'all is followed')
    realm.ask('book', 'show', customer='c', items=places('floor', 1))
    with following(realm, state) as errors:
        eventually(lambda: state_of(state) == (2, 5), 'it goes on where it was')
    assert errors == ['']

    # Three answers are deleted before they were read, and one comes behind them.
    for _time in range(3):
        realm.ask('book', 'show', customer='c', items=places('floor', 1))
    start = delete_records(realm.brokers, results)
    done = producer(realm, 'watch', '--after', '0:5:4', '--until-end')
    assert done.returncode == 65 and 'retention deleted up to 3 answers of partition 0' in done.stderr, done
    realm.ask('book', 'show', customer='c', items=places('floor', 1))
    done = producer(realm, 'watch', '--after', '0:5', '--until-end')
    assert done.returncode == 65 and 'retention deleted 3 answers of partition 0 before' in done.stderr, done
    with following(realm, state) as errors:
        eventually(lambda: state_of(state) == (3, 9), 'it goes on with the oldest that is kept')
    assert 'retention deleted 3 answers' in errors[0] and start == 8
    done = producer(realm, 'watch', '--after', '0:8:7', '--until-end', '--json')
    assert done.returncode == 0 and [answer['seq'] for answer in answers_in(done)] == [9], json.dumps(done.stderr)
    done = producer(realm, 'watch', '--after', '0:99:98')
    assert done.returncode == 65 and 'its log ends at 9; was the topic recreated?' in done.stderr
    done = realm.run(realm.brokers, 'show', 'nowhere', name=EXAMPLES + 'hold_pay_confirm')
    assert (done.returncode, done.stdout) == (3, 'refused: unknown_pool\n'), done


def test_a_cart_is_sold_and_found_sold(realm):
    for show in 'show', 'hotel':
        realm.ask('define', show, **standing(9))
    arguments = (realm.brokers, 'basket-1', 'floor', 'show', 'hotel')
    done = realm.run(*arguments, name=EXAMPLES + 'sell_cart')
    assert (done.returncode, done.stdout) == (
        0, 'basket-1: held\npaying for show\npaying for hotel\nbasket-1: sold\n'), done
    done = realm.run(*arguments, name=EXAMPLES + 'sell_cart')
    assert (done.returncode, done.stdout) == (0, 'basket-1: sold\n'), done
    done = realm.run(realm.brokers, 'basket-2', 'floor', 'show', 'unknown', name=EXAMPLES + 'sell_cart')
    assert (done.returncode, done.stdout) == (3, 'basket-2: refused\n'), done
