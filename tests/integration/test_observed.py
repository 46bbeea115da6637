"""What those see who watch a worker from outside: the group's offsets in Kafka, and its log."""

import json

from harness.shows import places, standing
from harness.waiting import eventually


def is_level(realm):
    end, committed = realm.group_position()
    return end == committed


def test_the_group_keeps_up_where_nothing_more_comes(realm):
    """Whoever reads the group's lag sees none on a partition that is quiet: after a burst, whose last commits follow
    each other too soon for Kafka to be told of each, and where the owner was killed before it had told Kafka."""
    realm.ask('define', 'show', **standing(20))
    for _ in range(3):
        realm.ask('book', 'show', customer='c', items=places('floor', 1))
    eventually(lambda: is_level(realm), 'Kafka knows that all was read')
    for _ in range(3):
        realm.ask('book', 'show', customer='c', items=places('floor', 1))
    realm.workers[-1].kill()
    realm.worker()
    eventually(lambda: is_level(realm), 'the next owner tells Kafka')
    assert realm.group_position()[0] == 7


def logged(worker, **members):
    """The lines of a log in JSON that have these members; a line that is none fails."""
    lines = [json.loads(line) for line in worker.log().splitlines(keepends=True) if line.endswith('\n')]
    return [line for line in lines if members.items() <= line.items()]


def test_what_became_of_a_request(make_realm):
    """At debug its id finds its decision, its place leads to the batch and to the delivery; as JSON, too."""
    realm = make_realm()
    worker = realm.worker('--log-level=debug', USHER_LOG_FORMAT='json')
    realm.ask('define', 'show', **standing(1))
    held = realm.ask('hold', 'show', customer='a customer', items=places('floor', 1), ttl_s=1)
    refused = realm.ask('hold', 'show', customer='c', items=places('floor', 1))
    line, = logged(worker, msg='decided', request_id=refused['request_id'])
    assert line['level'] == 'debug' and {'partition', 'epoch', 'ts'} <= line.keys()
    assert {name: line[name] for name in ('resource', 'op', 'outcome', 'reason', 'seq', 'offset')} == {
        'resource': 'show', 'op': 'hold', 'outcome': 'refused', 'reason': 'not_enough', 'seq': refused['seq'],
        'offset': refused['source']['offset']}
    assert logged(worker, msg='committed a batch', next_seq=refused['seq'] + 1)
    eventually(lambda: logged(worker, msg='delivered answers', last_seq=refused['seq']))
    assert logged(worker, msg='loaded what memory lacks')
    line, = eventually(lambda: logged(worker, msg='decided without a request', request_id=held['request_id']))
    assert line['outcome'] == 'expired' and 'offset' not in line
    assert 'a customer' not in worker.log()
