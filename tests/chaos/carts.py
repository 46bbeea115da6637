"""Carts over several resources, by a seller that is killed or stands still where it hurts, as long as it takes. Another one
of the same transactional id goes on. The replay judges whether each is sold in all its resources or in none."""

import contextlib
import json
import signal
import threading
import time

from harness.seller import Seller, about, take
from harness.shows import standing
from harness.waiting import PATIENCE_S

TOURS = [f'tour:{number}' for number in range(8)]  # there is enough of each
SECTIONS = 'stalls', 'pit', 'balcony'              # of the resources that all the others use
FEW = 5                  # units for which carts of the same moment meet
TTLS_S = 3, 5, 60        # the least is hardly longer than the margin
STANDS_S = 0.5, 8        # the longest is longer than the transaction's time-out
CALLS = 50               # a seller is killed, or stopped, before one of so many
AGAIN_S = 0.2            # until the next seller, where one ended by itself


def carts(kind):
    """Some at once, each until its end is known."""
    load, dice = kind.load, kind.dice
    if kind.left is None:
        kind.left = 0
        for tour in TOURS:
            kind.put(load.client.request('define', tour, **standing(1_000_000)))
    last = f'last:{load.client.new_id()}'
    kind.put(load.client.request('define', last, **standing(FEW)))
    left = dict(_basket(kind, last) for _cart in range(dice.randint(1, 5)))
    count, call = len(left), dice.randint(1, CALLS)
    breaks = dice.choice(['', '', f'kill:{call}', f'stop:{call}', 'stop:commit:1'])
    deadline = time.monotonic() + 3 * PATIENCE_S
    with load.watcher.stopped(range(load.client.partitions) if breaks else ()):
        while left:
            _sell(kind, breaks, left)
            breaks = ''
            if left:
                assert time.monotonic() < deadline, f'the end of {list(left.values())} is not known'
                time.sleep(AGAIN_S)
    return count


def _basket(kind, last):
    """(its id, the command that takes it)"""
    dice, name = kind.dice, kind.load.client.new_id()
    lines = [(tour, 'floor', dice.randint(1, 3)) for tour in dice.sample(TOURS, dice.randint(1, 4))]
    lines += dice.choice([[], [(last, 'floor', dice.randint(1, 3))]])
    lines += dice.choice([[], [], [(kind.resource(), dice.choice(SECTIONS), 1)]])
    dice.shuffle(lines)
    return name, take(name, *lines, ttl_s=dice.choice(TTLS_S), customer=f'basket{dice.randint(1, 9)}')


def _sell(kind, breaks, left):
    """One seller, from its start to its end; of `left` stays only that whose end is not known then."""
    seller, ended = Seller(kind.load.realm, 'carts', breaks), threading.Event()
    nudge = threading.Thread(daemon=True, target=_nudge, args=(
        seller.process, ended, kind.dice.uniform(*STANDS_S), kind.dice.choice([signal.SIGCONT, signal.SIGCONT, signal.SIGKILL])))
    nudge.start()
    with contextlib.suppress(BrokenPipeError, json.JSONDecodeError):
        _do_all(kind, seller, left)
    with contextlib.suppress(BrokenPipeError):
        seller.process.stdin.close()
    code = seller.process.wait(PATIENCE_S)
    ended.set()
    nudge.join()
    if code < 0 and code != -signal.SIGKILL:
        kind.load.findings.violation(f'a seller of carts ended with {code}: {seller.process.stderr.read()}')


def _do_all(kind, seller, left):
    while left:
        seller.write(*left.values())
        for _cart in list(left):
            result = seller.read()
            if 'cart' not in result:
                return  # it has ended
            _go_on(kind, result, left)


def _nudge(process, ended, after_s, number):
    """Whoever stands still goes on, or is over; or it is over without having stood still."""
    while not ended.wait(after_s):
        process.send_signal(number)


def _go_on(kind, result, left):
    """The next command for a cart, or none: then its end is known, or left to time."""
    name, state, dice = result['cart'], result['state'], kind.dice
    operation, _name, customer, *_rest = left[name].split()

    def command(operation, *word):
        return about(operation, result, *word, customer=customer)
    if state in ('held', 'aborted'):
        left[name] = dice.choice([command('sell'), command('sell'), command('sell'), command('release'),
                                  command('extend', dice.choice(TTLS_S)), None])
    elif state != 'unknown':
        left[name] = None
    elif operation == 'sell':
        left[name] = dice.choice([command('sell'), command('settle')])
    if not left[name]:
        del left[name]
        kind.load.findings.count(kind.load.findings.loads, f'carts {state}')
