"""What reconcile says of requests that the database goes on behind without a decision, and what it must not take for one."""

import json

from harness.delete_records import delete_records
from harness.realm import STEADY
from harness.shows import places, standing, verdict
from harness.waiting import eventually
from test_transactions import Sender, booking
from test_recovery import accept_topic

SETTINGS = STEADY


def pass_over(realm, count):
    """The worker is gone; the database goes on behind what it did not read, as a worker with a fault would leave it."""
    realm.sql('update usher.partition_state set next_offset = next_offset + %s', count)


def undecided(realm, *arguments):
    """The lines, without the verdict; what is found has exit code 4."""
    done = realm.run('reconcile', *arguments)
    # One that takes long says how far it is.
    assert done.returncode in (0, 4) and all(' compared' in line for line in done.stderr.splitlines()), done
    *lines, last = done.stdout.splitlines()
    assert (done.returncode == 4) == (' difference' in last and 'no differences' not in last)
    return lines


def no_request(offsets, why):
    """What is said where there is no difference, but offsets without a decision."""
    return [f'note: partition 0: no decision about {offsets} offsets where the topic has no request: {why}']


def test_requests_that_were_passed_over(make_realm):
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **standing(20))
    realm.ask_all(*(booking(realm) for _ in range(3)))
    assert worker.stop() == 0
    assert undecided(realm) == []
    lost = [booking(realm) for _ in range(2)]
    offsets = [offset for _, offset in realm.client.send(*lost)]
    realm.client.send_raw('no request', 'show')
    assert undecided(realm) == [], 'they wait'
    pass_over(realm, 3)
    said = [f'partition 0: no decision about the request at offset {offset}: book "{request["request_id"]}" of "show"'
            for offset, request in zip(offsets, lost)]
    said.append(f'partition 0: no decision about the request at offset {offsets[-1] + 1}')
    assert undecided(realm) == said
    assert undecided(realm, '--decisions', '1') == said, 'they lie behind the last decision'
    assert undecided(realm, '--decisions', '0') == []
    *found, last = map(json.loads, realm.run('reconcile', '--json').stdout.splitlines())
    assert [(one['result'], one['text']) for one in found] == [('difference', line) for line in said]
    assert last['differences'] == 3
    # A worker goes on behind them, as if nothing were amiss.
    realm.sql('update usher.partition_state set fingerprint_offset = null, fingerprint = null')
    worker = realm.worker()
    realm.ask_all(*(booking(realm) for _ in range(3)))
    assert worker.stop() == 0
    assert undecided(realm) == undecided(realm, '--decisions', '4') == said
    assert undecided(realm, '--decisions', '3') == []
    realm.client.send(*(booking(realm) for _ in range(99)))
    pass_over(realm, 99)
    assert len(undecided(realm)) == 101 and undecided(realm)[-1] == 'no decision about 2 more requests'
    delete_records(realm.brokers, realm.client.topic)
    assert undecided(realm) == no_request(102, "102 before the log's start"), 'nobody can tell'


def test_what_is_no_request_or_has_no_decision_any_more(make_realm):
    """Transactions that were aborted, no-op records, what was skipped, pruned, or in an earlier topic."""
    realm = make_realm()
    realm.set_clock('-500 days')
    worker = realm.worker()
    owner = {'USHER_POSTGRES': realm.uri('owner')}
    realm.ask('define', 'old', **standing(20))
    realm.ask('define', 'show', **standing(20))
    realm.ask('book', 'old', customer='c', items=places('floor', 1))
    realm.ask('close', 'old')
    realm.ask_all(*(booking(realm) for _ in range(2)))
    sender = Sender(realm)
    sender.send(booking(realm), booking(realm), commit=False)
    sender.send(booking(realm))
    realm.client.send_raw(None, None, headers={'usher-noop': b''}, partition=0)
    assert [verdict(answer) for answer in realm.ask_all(booking(realm))] == [('confirmed', None)]
    assert worker.stop() == 0
    passed = no_request(5, '2 ends of transactions, 2 records of aborted ones, 1 no-op record')
    assert undecided(realm) == passed
    # What an operator passed over.
    _, at = realm.client.send(booking(realm), booking(realm))[-1]
    realm.command('partition', 'skip', '--partition', '0', '--to', str(at + 1), '--why', 'x', '--yes', **owner)
    assert undecided(realm) == passed
    realm.set_clock('0')
    worker = realm.worker()
    eventually(lambda: realm.ask_all(booking(realm)) and
               realm.sql("select s.published_seq >= max(d.seq) from usher.partition_state as s, usher.decision as d "
                         "where d.resource = 'old' group by s.published_seq") == [(True,)], 'what is old is published')
    assert undecided(realm) == passed
    # What is pruned, before and between what is not.
    assert 'deleted 1 resource' in realm.command('prune', '--older-than', '400d', **owner)
    assert undecided(realm) == []
    realm.ask_all(booking(realm))
    assert worker.stop() == 0
    assert undecided(realm) == []
    # A new topic, in which offsets begin again; what was skipped in the other one was skipped there.
    realm.recreate('requests')
    accept_topic(realm, '--topic', 'requests', '--why', 'x', '--yes')
    worker = realm.worker()
    realm.client.send(*(booking(realm) for _ in range(3)))
    eventually(lambda: realm.position()[1] == 3, 'they are decided')
    assert worker.stop() == 0
    assert undecided(realm) == []
    realm.client.send(*(booking(realm) for _ in range(30)))
    pass_over(realm, 30)
    assert [int(line.split('offset ')[1].split(':')[0]) for line in undecided(realm)] == list(range(3, 33))


def test_what_kafka_does_not_tell_is_a_note(make_realm):
    realm = make_realm(partitions=2)
    worker = realm.worker()
    realm.ask_all(*(realm.client.request('define', f'show-{number}', **standing(1)) for number in range(8)))
    assert worker.stop() == 0
    away = realm.run('reconcile', USHER_KAFKA_BROKERS='127.0.0.1:1')
    note, last = away.stdout.splitlines()
    assert away.returncode == 0 and last.endswith(': no differences, 1 note')
    assert note.startswith('note: partition 0: requests, and those of partitions behind it, were not compared with the decisions: ')
    # A log that ends before what was decided.
    for partition in range(2):
        realm.sql('update usher.partition_state set next_offset = 100 where partition = %s', partition)
    assert [line.split(': ')[1] for line in undecided(realm)] == ['partition 0', 'partition 1']
    assert all(line.endswith(f'offset 100 is behind the end of the log, {realm.group_position(number)[0]}')
               for number, line in enumerate(undecided(realm)))
