"""The largest that is allowed, many times over: `make drills MARK=size`. Minutes each, and gigabytes of disk."""

import datetime
import json
import time

import pytest

from harness.load import Beside
from harness.shows import standing, verdict
from test_memory import memory_mb

NIGHTS = 65_000      # of one room type: the maximum is 65,535 pools
MAX_MB = 256
PROBES_S = 0.5       # from one to the next
PATIENCE_S = 30      # without any answer

pytestmark = pytest.mark.size


def night(number):
    return str(datetime.date(2026, 1, 1) + datetime.timedelta(days=number))


def room(name, nights, **terms):
    return {'room': name, 'from': night(0), 'to': night(nights), **terms}


class Looks(Beside):
    """Looks again and again at whether a worker lives, and how long its partition went without an answer."""

    def __init__(self, realm, worker, count):
        super().__init__()
        self.realm, self.worker, self.count = realm, worker, count
        self.dead, self.longest_s = 0, 0.0

    def asked(self):
        return self.count

    def longest_wait_s(self):
        return self.longest_s

    def run(self):
        seen, since = self.realm.client.answers.count(), time.monotonic()
        while not self._enough.wait(PROBES_S):
            self.dead += self.worker.get('/livez')[0] != 200
            if (now := self.realm.client.answers.count()) != seen:
                seen, since = now, time.monotonic()
            self.longest_s = max(self.longest_s, time.monotonic() - since)


def answers_to(realm, sent):
    """However long it takes, as long as answers come."""
    answers = realm.client.answers
    while True:
        before = answers.count()
        with answers.changed:
            if answers.changed.wait_for(lambda: all(place in answers.by_source for place in sent), PATIENCE_S):
                return [answers.by_source[place] for place in sent]
        assert answers.count() > before, f'no answer within {PATIENCE_S} s, {len(sent)} requests were sent'


def asked(realm, worker, requests, tell, what):
    """All of them at once: all are done, within the memory, by a worker that lives."""
    began = time.monotonic()
    with Looks(realm, worker, len(requests)) as looks:
        answers = answers_to(realm, realm.client.send(*requests))
    took_s = time.monotonic() - began
    assert {verdict(answer) for answer in answers} == {('defined', None)}
    assert looks.dead == 0 and 'state active failed' not in worker.log()
    tell(what, looks, f'{took_s:.0f} s, {memory_mb(worker, "VmHWM"):.0f} of {MAX_MB} MB')
    assert memory_mb(worker, 'VmHWM') < 1.1 * MAX_MB


@pytest.fixture(name='realm')
def realm_within_its_memory(make_realm, request):
    return make_realm(request.node.name.removeprefix('test_')[:20], workers=1, partitions=1, USHER_MEMORY_MAX=f'{MAX_MB}MB')


def test_many_of_the_largest_hotels(realm, tell):
    """By requests of 200 bytes; smaller ones in between, of other resources of the partition."""
    requests = []
    for number in range(200):
        requests.append(realm.client.request('define', f'hotel:{number}', state='open',
                                             rooms=[room('double', NIGHTS, capacity=1, price=9900)]))
        requests.append(realm.client.request('define', f'show:{number}', **standing(20)))
    asked(realm, realm.workers[0], requests, tell, f'200 hotels of {NIGHTS:,} nights')
    assert realm.sql('select count(*) from usher.pool') == [(200 * NIGHTS + 200,)]


def test_rates_of_the_largest_hotel_are_pushed(realm, tell):
    """A hundred rates for each night, changed again and again."""
    rates = {f'r{rate}': 100 + rate for rate in range(100)}
    requests = [realm.client.request('define', 'hotel', state='open', rooms=[room('double', NIGHTS, capacity=1, rates=rates)])]
    for number in range(1000):
        rates = {f'r{rate}': 100 + rate + number % 7 for rate in range(100)}
        requests.append(realm.client.request('define', 'hotel', rooms=[room('double', NIGHTS, rates=rates)]))
    asked(realm, realm.workers[0], requests, tell, f'1,000 changes of 100 rates of {NIGHTS:,} nights')


def test_hotels_are_imported_by_the_program(realm, tell):
    """900 hotels of 20 room types for two years, by `usher-producer send`."""
    lines = [json.dumps({'op': 'define', 'resource': f'hotel:{number}', 'request_id': f'import-{number}', 'state': 'open',
                         'rooms': [room(f'type-{kind}', 730, capacity=4, price=9900) for kind in range(20)]})
             for number in range(900)]
    worker = realm.workers[0]
    began = time.monotonic()
    with Looks(realm, worker, len(lines)) as looks:
        done = realm.run('send', '--wait=1800s', name='usher-producer', timeout=3600, stdin='\n'.join(lines) + '\n')
    assert done.returncode == 0, done.stderr[-2000:]
    assert looks.dead == 0 and 'state active failed' not in worker.log()
    assert realm.sql('select count(*) from usher.pool') == [(900 * 20 * 730,)]
    tell('900 hotels of 20 types for two years, imported', looks,
         f'{time.monotonic() - began:.0f} s, {memory_mb(worker, "VmHWM"):.0f} of {MAX_MB} MB')
    assert memory_mb(worker, 'VmHWM') < 1.1 * MAX_MB
