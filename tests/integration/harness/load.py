"""A crowd that books, confirms, releases, cancels and repeats itself, as fast as it is answered, until it is told to
stop. What it asks is a function of its seed; what it gets is judged by the replay."""

import json
import random
import threading
import time

from .shows import HALL, HOTEL, pieces, places, standing, stay
from .waiting import eventually

SHOWS = 4
AHEAD = 1000  # requests without an answer, at most: neither an outage nor a slow machine makes the log longer


def answered(realm, more):
    """Waits until so many more answers have come."""
    count = len(realm.client.answers.everything())
    try:
        eventually(lambda: len(realm.client.answers.everything()) >= count + more, f'{more} more answers')
    except AssertionError as error:
        tails = '\n'.join(f'{worker.name}, {worker.process.poll()}:\n{worker.tail()}' for worker in realm.workers)
        raise AssertionError(f'{error}; {len(realm.client.producer)} requests are not delivered\n{tails}') from None


class Beside(threading.Thread):
    """Runs beside what is inside, until that has ended: `run` goes on until it is enough."""

    def __init__(self):
        super().__init__(daemon=True)
        self._enough = threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_error):
        self._enough.set()
        self.join()


class Crowd(Beside):
    def __init__(self, realm, seed=1, pause_s=0.0):
        super().__init__()
        self.client, self._random = realm.client, random.Random(seed)
        self._pause_s = pause_s
        self.slots, self._sent_at, self._taken = [], [], []
        self.resources = [f'show:{number}' for number in range(SHOWS)] + ['hotel:one', 'floor:one']

    def define(self):
        """The resources that it fights for."""
        requests = [self.client.request('define', show, **HALL) for show in self.resources[:SHOWS]]
        requests.append(self.client.request('define', 'hotel:one', **HOTEL))
        requests.append(self.client.request('define', 'floor:one', **standing(200_000)))
        for answer in self.client.ask_all(*requests):
            assert answer['outcome'] == 'defined'
        return self

    # ---- what it asks ----
    def _items(self, resource):
        choose = self._random.choice
        if resource.startswith('hotel'):
            day = self._random.randint(20, 27)
            return stay(choose(['double', 'single']), f'2026-12-{day}', f'2026-12-{day + choose([1, 2, 3])}')
        if resource.startswith('floor'):
            return places('floor', self._random.randint(1, 5))
        return choose([places('stalls', self._random.randint(1, 4)), places('standing', 2), pieces('programme', 1),
                       [{'seats': [f'{choose("ABC")}-{self._random.randint(1, 8)}']}]])

    def _request(self):
        choose = self._random.choice
        if self._taken and self._random.random() < 0.45:
            op = choose(['confirm', 'release', 'cancel', 'repeat'])
            earlier = choose(self._taken)
            if op == 'repeat':
                return earlier
            return self.client.request(op, earlier['resource'], customer=earlier['customer'],
                                       booking=earlier['request_id'])
        resource = choose(self.resources)
        request = self.client.request(choose(['hold', 'hold', 'book']), resource, items=self._items(resource),
                                      customer=f'c{self._random.randint(1, 50)}',
                                      ttl_s=choose([None, 1, 2, 900]))
        self._taken = self._taken[-500:] + [request]
        return request

    def run(self):
        while not self._enough.is_set():
            if self.asked() - self.client.answers.count() >= AHEAD:
                self.client.producer.poll(0.01)
                continue
            for _number in range(50):
                request = self._request()
                slot = []
                self._sent_at.append(time.monotonic())
                self.client.put(json.dumps(request), request['resource'], slot)
                self.slots.append(slot)
            self._enough.wait(self._pause_s)

    # ---- the outcome ----
    def asked(self):
        return len(self.slots)

    def finish(self):
        """Stops, and waits until Kafka has every request and each has its answer."""
        self._enough.set()
        self.join()
        self.client.flush()
        assert all(self.slots), 'Kafka refused a request'
        return self.client.answers_to([slot[0] for slot in self.slots])

    def longest_wait_s(self):
        """Of those that are answered: from being sent until the answer was there."""
        came_at = self.client.answers.came_at
        return max(came_at[slot[0]] - sent_at for slot, sent_at in zip(self.slots, self._sent_at)
                   if slot and slot[0] in came_at)
