#!/usr/bin/env python3
"""Sells carts over several resources, all or nothing. Why nothing is sold in half, whatever crashes, is explained in
producer/docs/sell-across-resources.md.

    cart.py        first ends the carts that an earlier life of it left, then reads carts, one JSON object per line, and
                   prints what became of each: sold, not sold, refused; mixed, if the house intervened

    {"cart": "basket-7", "customer": "c1", "lines": [
        {"resource": "show:hamlet", "items": [{"seats": ["A-1", "A-2"]}], "ttl_s": 600},
        {"resource": "hotel:grand", "booking": "web-1", "ttl_s": 600}]}

A line with items is taken by a hold, one with a booking is held already and extended. Reads what service.py reads;
DATABASE, a PostgreSQL URI, for its journal; SELLER, its name: the same after a restart, and no other live process's."""

import concurrent.futures
import datetime
import json
import os
import re
import sys
import time

import confluent_kafka
import psycopg2

import service

MARGIN_S = 2  # by which the clocks of Kafka's brokers and of PostgreSQL may differ
EPOCH_S = 1
TRIES = 2
ID = re.compile('[A-Za-z0-9_.:-]{1,40}')  # the ids of its requests begin with it


# ---- the transaction: all confirms or none ---------------------------------------------------------------------
class Seller:
    """Publishes confirms in one transaction, of one thread. Its name is the lock of its carts: a new life with the same
    name ends what an earlier one left open, and whatever that still sends is refused."""

    def __init__(self, name):
        self._settings = {**service.KAFKA, 'partitioner': 'murmur2_random', 'transactional.id': f'carts-{name}',
                          'transaction.timeout.ms': 3000, 'linger.ms': 0, 'error_cb': self._doubt}
        self._producer = None
        self._doubted = False

    def _doubt(self, _error):
        self._doubted = True

    def fence(self):
        """A new epoch: the transaction that may be open is ended, requests that are still on their way are refused."""
        self._producer, self._doubted = None, False
        producer = confluent_kafka.Producer(self._settings)
        producer.init_transactions()
        self._producer = producer

    def ready(self):
        """An epoch without a doubt: a late commit of the one before would end the next transaction in its middle."""
        if self._producer:
            self._producer.poll(0)  # errors since the last one
        if not self._producer or self._doubted:
            self.fence()

    def publish(self, confirms, ends):
        """True: all are in Kafka, each appended in time before its hold's end. False: none. KafkaException: all or none."""
        producer, self._producer, began, late = self._producer, None, time.monotonic(), []

        def look(error, record, end):
            kind, append_ms = (None, 0) if error else record.timestamp()
            if kind != confluent_kafka.TIMESTAMP_LOG_APPEND_TIME or append_ms / 1000 + MARGIN_S >= end:
                late.append(record)
        producer.begin_transaction()
        for confirm, end in zip(confirms, ends):
            producer.produce(service.REQUESTS, json.dumps(confirm), confirm['resource'],
                             on_delivery=lambda error, record, end=end: look(error, record, end))
        producer.flush()  # only now is every time of append known: the look comes after the last acknowledgement
        if late:
            producer.abort_transaction()
        else:
            producer.commit_transaction()
        if time.monotonic() - began < EPOCH_S:
            self._producer = producer
        return not late


# ---- the journal: a restart repeats, with the same ids -----------------------------------------------------------
SCHEMA = '''
    create table if not exists cart
        (id text primary key, seller text not null, content text not null, state text not null)
'''
NOTE = "insert into cart values (%s, %s, %s, 'open') on conflict do nothing"
MOVE = 'update cart set state = %s where id = %s and state = any(%s)'
UNFINISHED = ['open', 'selling', 'settling']
BEFORE = {'selling': ['open', 'selling']}  # of any other state: all that are unfinished


class Journal:
    def __init__(self, seller):
        self._seller = seller
        self._database = psycopg2.connect(os.environ['DATABASE'])
        self._database.autocommit = True
        self._run(SCHEMA)

    def _run(self, statement, *values):
        cursor = self._database.cursor()
        cursor.execute(statement, values)
        return cursor

    def note(self, cart):
        """The cart as it was first noted, and its state. Its seller's name is noted with it: only that one ends it."""
        self._run(NOTE, cart['cart'], self._seller, json.dumps(cart, allow_nan=False))
        seller, content, state = self._run('select seller, content, state from cart where id = %s', cart['cart']).fetchone()
        if seller != self._seller:
            raise ValueError(f'{cart["cart"]} is the cart of the seller {seller}')
        return json.loads(content), state

    def move(self, cart, state):
        """False: another life of this seller was quicker, and the cart is being settled, or has ended."""
        return self._run(MOVE, state, cart['cart'], BEFORE.get(state, UNFINISHED)).rowcount == 1

    def unfinished(self):
        found = self._run('select content from cart where seller = %s and state = any(%s)', self._seller, UNFINISHED)
        return [json.loads(content) for (content,) in found.fetchall()]


# ---- requests: every id comes from the cart's --------------------------------------------------------------------
def request(cart, op, number, attempt, /, **fields):
    again = '' if attempt == 1 else f'.{attempt}'
    return {'request_id': f'{cart["cart"]}.{op[0]}{number + 1}{again}', 'op': op, 'customer': cart['customer'],
            'resource': cart['lines'][number]['resource'], **fields}


def taking(cart, number, attempt):
    line = {name: value for name, value in cart['lines'][number].items() if name != 'resource'}
    if 'booking' in line:
        return request(cart, 'extend', number, 1, **line)
    return request(cart, 'hold', number, attempt, cart=cart['cart'], **line)


def check(cart):
    """Before it is noted, for a noted cart is begun again at each start. KeyError, ValueError: it is no cart."""
    if not isinstance(cart['cart'], str) or not ID.fullmatch(cart['cart']):
        raise ValueError(f'{cart["cart"]!r} is no id of a cart: these are 1 to 40 of A-Z a-z 0-9 _ . : -')
    if not cart['lines']:
        raise ValueError(f'{cart["cart"]} has no lines')
    for number in range(len(cart['lines'])):
        service.place_of(taking(cart, number, 1))


def is_taken(answer):
    return answer['outcome'] in ('held', 'extended')


def instant(text):
    return datetime.datetime.fromisoformat(text).timestamp()


def pay(cart):
    """The turn of your payment provider. The cart's id is the idempotency key: a restart does not pay twice."""
    return f'payment-of-{cart["cart"]}'


# ---- a cart, from its first hold to its end ----------------------------------------------------------------------
class Till:
    def __init__(self, name):
        self.journal, self._seller, self._desk = Journal(name), Seller(name), service.Desk()
        self._threads = concurrent.futures.ThreadPoolExecutor(20)

    def left(self):
        """The carts of an earlier life. What it left open is ended first: until then all requests wait, these too."""
        carts = self.journal.unfinished()
        if carts:
            self._seller.fence()
        return carts

    def _ask(self, requests):
        return list(self._threads.map(self._desk.ask, requests))

    def end(self, cart):
        """What became of it, and the answers that say so. Told again, and after any crash, it comes to the same end."""
        check(cart)
        cart, state = self.journal.note(cart)
        if state not in UNFINISHED:
            return self._ended(cart, state, [])
        taken, attempt, refused = self._take(cart)
        if refused:
            return self._ended(cart, 'refused', refused)
        ends = [instant(answer['expires_at']) for answer in taken]
        answers = None
        if state != 'settling' and time.time() + MARGIN_S < min(ends):
            answers = self._sell(cart, taken, ends)
        answers = answers or self._settle(cart, taken, attempt)
        sold = sum('already_confirmed' == answer.get('reason') or answer['outcome'] == 'confirmed' for answer in answers)
        return self._ended(cart, 'mixed' if 0 < sold < len(answers) else 'sold' if sold else 'not sold', answers)

    def _ended(self, cart, state, answers):
        self.journal.move(cart, state)
        return {'cart': cart['cart'], 'state': state, 'answers': answers}

    def _take(self, cart):
        """All lines or none: what each was answered, in which attempt, and the refusals."""
        numbers = range(len(cart['lines']))
        answers = self._ask([taking(cart, number, 1) for number in numbers])
        refused = {number: answer for number, answer in enumerate(answers) if not is_taken(answer)}
        if not refused:
            return answers, 1, []
        self._give_back(cart, [number for number in numbers if number not in refused], 1)
        if not all(answer.get('retryable') for answer in refused.values()):
            return [], 1, list(refused.values())
        # Two carts may have taken the last units from each other. Line by line, in an order that all keep, one wins.
        again = {}
        for number in sorted(numbers, key=lambda number: (answers[number]['source']['partition'],
                                                          cart['lines'][number]['resource'], number)):
            answer = self._desk.ask(taking(cart, number, 2))
            if not is_taken(answer):
                self._give_back(cart, again, 2)
                refused[number] = answer
                return [], 2, [refused[number] for number in sorted(refused)]
            again[number] = answer
        return [again[number] for number in numbers], 2, []

    def _give_back(self, cart, numbers, attempt):
        """What it took itself: a booking that was held before stays."""
        self._ask([request(cart, 'release', number, attempt, booking=taking(cart, number, attempt)['request_id'])
                   for number in numbers if 'items' in cart['lines'][number]])

    def _sell(self, cart, taken, ends):
        """The answers to the confirms; None: not sold in time, or nobody knows."""
        payment = pay(cart)
        confirms = [request(cart, 'confirm', number, 1, booking=answer['booking'], payment=payment)
                    for number, answer in enumerate(taken)]
        for _attempt in range(TRIES):
            try:
                self._seller.ready()
                # After the new epoch, before the first confirm: if another life settles the cart, one of the two sees it.
                if not self.journal.move(cart, 'selling') or not self._seller.publish(confirms, ends):
                    return None
                return self._ask(confirms)  # each is in Kafka for good: a repeat brings its answer
            except confluent_kafka.KafkaException as error:
                print(f'{cart["cart"]}: unknown whether it is sold: {error}', file=sys.stderr, flush=True)
        return None

    def _settle(self, cart, taken, attempt):
        """Nothing can be sold behind a new epoch and a release. A release leaves what was sold: already_confirmed."""
        self.journal.move(cart, 'settling')
        self._seller.fence()
        return self._ask([request(cart, 'release', number, attempt, booking=answer['booking'])
                          for number, answer in enumerate(taken)])


def main():
    till = Till(os.environ['SELLER'])
    for cart in till.left():
        print(json.dumps(till.end(cart)), flush=True)
    service.for_each_line(lambda line: print(json.dumps(till.end(json.loads(line))), flush=True))


if __name__ == '__main__':
    main()
