"""Requests of few bytes that change very much: a batch ends before it has too much to write, or is too old."""

import datetime

from harness.shows import standing, verdict
from test_memory import memory_mb

MAX_MB = 96


def night(number):
    return str(datetime.date(2026, 1, 1) + datetime.timedelta(days=number))


def hotel(nights):
    """One pool a night, by a request of 200 bytes."""
    room = {'room': 'double', 'from': night(0), 'to': night(nights), 'capacity': 1, 'price': 9900}
    return {'state': 'open', 'rooms': [room]}


def batches_of(answers):
    """How many batches decided them: each has a time of its own."""
    return len({answer['decided_at'] for answer in answers})


def test_many_large_defines_at_once_stay_within_the_memory(make_realm):
    """Half a million pools in 8 KB of requests, over four partitions; smaller requests in between."""
    realm = make_realm(4, USHER_MEMORY_MAX=f'{MAX_MB}MB')
    worker = realm.worker()
    requests = []
    for number in range(36):
        requests.append(realm.client.request('define', f'hotel:{number}', **hotel(15_000)))
        requests.append(realm.client.request('define', f'show:{number}', **standing(20)))
    answers = realm.ask_all(*requests)
    assert {verdict(answer) for answer in answers} == {('defined', None)}
    assert worker.get('/livez')[0] == 200 and 'state active failed' not in worker.log()
    assert memory_mb(worker, 'VmHWM') < 1.1 * MAX_MB
    assert realm.sql('select count(*) from usher.pool')[0][0] == 36 * 15_000 + 36


def test_a_batch_of_slow_requests_is_cut_by_its_age(make_realm):
    """All of them wait before the worker starts: else one batch would decide them all, however long that takes."""
    realm = make_realm()
    changes = [{'rooms': [{'room': 'double', 'from': night(0), 'to': night(15_000), 'price': number}]}
               for number in range(50)]
    sent = realm.client.send(realm.client.request('define', 'hotel', **hotel(15_000)),
                             *(realm.client.request('define', 'hotel', **change) for change in changes))
    worker = realm.worker()
    answers = realm.client.answers_to(sent)
    assert {verdict(answer) for answer in answers} == {('defined', None)}
    deciding = worker.metric('usher_batch_decide_seconds_sum')
    # One decides for a tenth of a second, or a quarter of what the commit before took, and as long as its last request.
    committing = worker.metric('usher_batch_commit_seconds_sum') / worker.metric('usher_batch_commit_seconds_count')
    longest = max(0.1, committing / 4) + 4 * deciding / len(sent)
    assert batches_of(answers) >= deciding / longest / 2
    assert worker.get('/livez')[0] == 200


def test_small_requests_between_changes_of_a_large_resource_cut_no_batch(make_realm):
    """Else each change would be a batch of its own, for which whatever comes after it has to wait."""
    realm = make_realm()
    worker = realm.worker()
    assert verdict(realm.ask('define', 'hotel', **hotel(60_000))) == ('defined', None)
    assert worker.stop() == 0
    requests = []
    for number in range(20):
        requests.append(realm.client.request(
            'define', 'hotel', rooms=[{'room': 'double', 'from': night(0), 'to': night(60_000), 'price': number}]))
        requests.append(realm.client.request('define', f'show:{number}', **standing(20)))
    sent = realm.client.send(*requests)
    realm.worker()
    answers = realm.client.answers_to(sent)
    assert {verdict(answer) for answer in answers} == {('defined', None)}
    assert batches_of(answers) < 20
