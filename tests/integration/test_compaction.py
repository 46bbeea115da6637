"""A topic of requests that Kafka is to compact, as somebody set it beside a worker that runs or sleeps: the partition
halts, and says why. What was removed meanwhile is noticed, and nothing else is taken for it."""

import random
import re
import threading

from harness.realm import STEADY
from harness.shows import standing, verdict
from harness.topics import compact, delete_only, set_topic
from harness.waiting import eventually
from test_transactions import Sender, booking

SETTINGS = STEADY


def said_missing(worker):
    return sum(map(int, re.findall(r'level=error .* has nothing at (\d+) offset', worker.log())))


def looked_until(worker):
    """The offset before which a worker has looked at all that it read over."""
    return max((int(offset) for offset in re.findall(r'looked at what was read over before offset (\d+)', worker.log())), default=0)


def reconciled(realm, code):
    done = realm.run('reconcile')
    assert done.returncode == code, done
    return done.stdout.splitlines()[:-1]


def test_a_topic_that_is_set_to_be_compacted_halts_a_worker_that_runs(make_realm):
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **standing(20))
    set_topic(realm, cleanup_policy='compact,delete')
    eventually(lambda: worker.status()['partitions'][0]['state'] == 'halted', 'it is noticed without a request')
    assert worker.error().startswith(
        f'cleanup.policy of the topic "{realm.client.topic}" is "compact,delete": Kafka deletes requests that are not decided yet')
    delete_only(realm)
    place = realm.client.send(booking(realm))
    realm.command('partition', 'resume', '--partition', '0', USHER_POSTGRES=realm.uri('owner'))
    assert [verdict(answer) for answer in realm.client.answers_to(place)] == [('confirmed', None)]
    realm.check()


def test_a_topic_that_is_compacted_is_not_taken(make_realm):
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **standing(20))
    assert worker.stop() == 0
    set_topic(realm, cleanup_policy='compact')
    realm.client.send(*(booking(realm) for _ in range(5)))
    worker = realm.worker()
    eventually(lambda: worker.status()['partitions'][0]['state'] == 'halted', 'it is not taken')
    assert worker.error().startswith(f'cleanup.policy of the topic "{realm.client.topic}" is "compact"')
    assert realm.position()[1] == 1, 'none of them is decided'


def test_requests_that_were_removed_while_the_worker_slept(make_realm):
    """The policy is as it was when it comes back; the ends of transactions around them are no requests."""
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **standing(20))
    realm.ask('define', 'other', **standing(20))
    assert worker.stop() == 0
    sender = Sender(realm)
    sent = [*sender.send(booking(realm), booking(realm)), *realm.client.send(booking(realm), booking(realm)),
            *sender.send(booking(realm), booking(realm), commit=False), *sender.send(booking(realm))]
    offsets = [offset for _, offset in sent]
    committed = set(offsets[:4])
    # All are of one resource, and the last one is kept. Those that were aborted may be removed, too.
    compact(realm, committed, lambda number: realm.client.request('define', f'filler-{number}', **standing(1)))
    worker = realm.worker(USHER_LOG_LEVEL='debug')
    assert verdict(realm.client.answers_to(sent[-1:])[0]) == ('confirmed', None)
    eventually(lambda: looked_until(worker) > offsets[-1], 'all that is before what is kept was looked at')
    missing = said_missing(worker)
    assert missing >= len(committed)
    eventually(lambda: worker.metric('usher_offsets_unexplained_total', partition='0') == missing, 'it is counted')
    assert worker.metric('usher_offsets_unchecked_total') == 0
    assert worker.stop() == 0
    *found, note = reconciled(realm, 4)
    ranges = [re.fullmatch(r'partition 0: no decision about \d+ offsets? from (\d+) to (\d+), and the topic has nothing there: '
                           r'requests were removed before they were decided', line) for line in found]
    assert all(ranges), found
    gone = [offset for one in ranges for offset in range(int(one[1]), int(one[2]) + 1)]
    assert committed <= set(gone) <= set(offsets[:-1]) and len(gone) == missing
    assert note.endswith(f', {missing} where nothing is')


def test_many_transactions_at_once_are_explained(make_realm):
    """Committed and aborted ones, of one and of many requests, whose ends and records lie between those of others."""
    realm = make_realm()
    worker = realm.worker(USHER_LOG_LEVEL='debug')
    realm.ask('define', 'show', **standing(2000))
    sent, aborted, ended, failed = [], [], [], []

    def send(number):
        try:
            dice, sender = random.Random(number), Sender(realm, f'-{number}')
            for _ in range(25):
                commit, count = dice.random() < 0.6, dice.randint(1, 4)
                sender.send(*(booking(realm) for _ in range(count)), commit=commit)
                sent.extend([1] * count)
                aborted.extend([] if commit else [1] * count)
                ended.append(1)
        except BaseException as error:
            failed.append(error)
            raise
    threads = [threading.Thread(target=send, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    # Kafka writes the end of a transaction a moment after it said so: the last request comes behind all of them.
    eventually(lambda: realm.group_position()[0] == 1 + len(sent) + len(ended), 'all transactions have their ends')
    (_, last), = realm.client.send(booking(realm))
    eventually(lambda: realm.position()[1] > last, 'all is decided')
    eventually(lambda: looked_until(worker) >= last, 'all that was read over was looked at')
    assert worker.metric('usher_offsets_unexplained_total') == 0 and worker.metric('usher_offsets_unchecked_total') == 0
    assert 'level=error' not in worker.log()
    assert worker.stop() == 0
    assert reconciled(realm, 0) == [
        f'note: partition 0: no decision about {len(ended) + len(aborted)} offsets where the topic has no request: '
        f'{len(ended)} ends of transactions, {len(aborted)} records of aborted ones']
    realm.check()
