"""What the guide for operators has for a database that is behind Kafka, and for topics that are gone: its commands,
as they stand in deploy/recovery.md."""

import json
import re
import time

import pytest
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from harness.delete_records import delete_records
from harness.guide import carry_out
from harness.load import Crowd, answered
from harness.moments import past, unrequested
from harness.realm import STEADY
from harness.shows import places, standing, verdict
from harness.waiting import PATIENCE_S, eventually
from oracle.partitioner import partition_of

pytestmark = pytest.mark.whole


RESTORED = 'The database was restored to an earlier moment'


def accept_topic(realm, *arguments, code=0):
    done = realm.run('partition', 'accept-topic', *arguments, USHER_POSTGRES=realm.uri('owner'))
    assert done.returncode == code, done
    return done.stdout + done.stderr


def accept_loss(realm, code, *arguments):
    done = realm.run('partition', 'accept-loss', '--partition', '0', *(arguments or ('--why', 'x')),
                     USHER_POSTGRES=realm.uri('owner'))
    assert done.returncode == code, done
    return done.stderr


def await_halted(worker, because=''):
    state = eventually(lambda: next((one for one in worker.status()['partitions']
                                     if one['state'] == 'halted' and because in one['error']), None),
                       f'the partition is halted {because}')
    return state['error']


def copy_database(realm, source, target, instead=False):
    with realm.session('admin', 'postgres') as cursor:
        if instead:
            cursor.execute(f'drop database {target}')
        cursor.execute(f'create database {target} owner usher_owner template {source}')


TABLES = "select format('%I', tablename) from pg_tables where schemaname = 'usher'"


def save(realm):
    """Keeps all rows as they are now."""
    realm.sql('create schema saved')
    for table, in realm.sql(TABLES):
        realm.sql(f'create table saved.{table} as table usher.{table}')


def go_back(realm):
    """All rows are again as they were, as in a database that was restored, in one transaction."""
    rows = ''.join(f'delete from usher.{table}; insert into usher.{table} table saved.{table};' for table, in realm.sql(TABLES))
    realm.sql(f'set session_replication_role = replica; {rows} set session_replication_role = default')


def let_workers_in(realm, limit):
    """How many sessions workers may have; 0: they lose those that they have, too."""
    with realm.session('admin', 'postgres') as cursor:
        cursor.execute(f'alter database {realm.name} connection limit {limit}')
        if limit == 0:
            cursor.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s "
                           "and usename = 'usher_worker'", (realm.name,))


def test_a_loss_that_is_accepted_before_the_next_worker_looks(realm):
    """That one knows an offset of before the loss, and is assigned the partition at it: the requests since the earlier moment
    are decided again all the same."""
    owner, other = realm.workers[-1], realm.worker()
    realm.ask('define', 'show', **standing(20))
    if not owner.owns():
        owner, other = other, owner
    save(realm)
    told = realm.ask_all(*(realm.client.request('book', 'show', customer='c', items=places('floor', 1))
                           for _ in range(5)))
    knows = ("select pid from pg_stat_activity where datname = %s and application_name = %s "
             "and query like '-- The next offset of each partition%%' and state = 'idle' and query_start > %s")
    now = realm.sql('select clock_timestamp()')[0][0]
    eventually(lambda: realm.sql(knows, realm.name, f'usher-worker {other.name}', now), f'{other.name} has read the offset')
    owner.kill()
    let_workers_in(realm, 0)
    eventually(lambda: [one for one in other.status()['partitions'] if one['state'] in ('acquire', 'retrying')],
               f'{other.name} has the partition')
    go_back(realm)
    done = realm.run('partition', 'accept-loss', '--partition', '0', '--why', 'restored', '--yes', USHER_POSTGRES=realm.uri('admin'))
    assert done.returncode == 0, done
    let_workers_in(realm, -1)
    again = [realm.client.answers.await_one(lambda answer, number=number: answer['seq'] == number)
             for number in range(told[-1]['seq'] + 1, told[-1]['seq'] + len(told) + 1)]
    assert [answer['request_id'] for answer in again] == [answer['request_id'] for answer in told]
    assert not list(realm.undecided())
    realm.check()


def test_a_database_of_an_earlier_moment(realm):
    """The requests since are decided again, to the same seats, with seqs that no consumer has seen."""
    earlier = f'{realm.name}_earlier'
    realm.ask('define', 'show', **standing(20))
    realm.workers[-1].stop()
    copy_database(realm, realm.name, earlier)
    realm.worker()
    told = realm.ask_all(*(realm.client.request('book', 'show', customer='c', items=places('floor', 1))
                           for _ in range(3)))
    realm.workers[-1].stop()
    copy_database(realm, earlier, realm.name, instead=True)
    highest = re.search(r'the result log holds seq (\d+) but', await_halted(realm.worker()))[1]
    listed, accepted, *_rest = carry_out(realm, RESTORED, [0])
    assert 'lost commits' in listed and f'from seq 2 to {highest}, whose answers' in accepted
    realm.client.answers.await_one(lambda answer: answer['seq'] == told[-1]['seq'] + len(told))
    again = [realm.client.answers.by_source[0, answer['source']['offset']] for answer in told]
    assert [answer['seq'] for answer in again] == [answer['seq'] + len(told) for answer in told]
    for member in ('request_id', 'outcome', 'units', 'total'):
        assert [answer[member] for answer in again] == [answer[member] for answer in told]
    realm.await_shown('show', again[-1]['rev'])
    assert 'loss accepted' in realm.command('partition', 'list')
    assert f'note: partition 0: the decisions from seq 2 to {highest} were lost' in realm.command('reconcile')
    realm.check()
    assert 'lost nothing' in accept_loss(realm, 65)
    assert '--why' in accept_loss(realm, 64, '--yes')
    realm.sql(f'delete from usher.partition_skip where next_seq > {highest}')
    books = realm.run('reconcile')
    assert books.returncode == 4 and f'no decision between seq 1 and {int(highest) + 1}' in books.stdout


def test_a_database_of_before_the_first_decision(make_realm):
    """Its partition is not one that was never started: what Kafka has deleted since is passed over by an operator only, and
    written down."""
    realm = make_realm()
    earlier = f'{realm.name}_earlier'
    copy_database(realm, realm.name, earlier)
    realm.worker()
    told = realm.ask_all(realm.client.request('define', 'show', **standing(20)), booking(realm))
    realm.workers[-1].stop()
    start = delete_records(realm.brokers, realm.client.topic)
    kept = realm.client.send(realm.client.request('define', 'other', **standing(20)))
    copy_database(realm, earlier, realm.name, instead=True)
    worker = realm.worker()
    await_halted(worker, 'lost commits')
    accept_loss(realm, 0, '--why', 'restored', '--yes')
    assert f'begins at offset {start} but is consumed only up to 0: requests were deleted' in await_halted(worker, 'deleted')
    assert kept[0] not in realm.client.answers.by_source
    done = realm.run('partition', 'skip', '--partition', '0', '--to', str(start), '--why', 'retention', '--yes',
                     USHER_POSTGRES=realm.uri('owner'))
    assert done.returncode == 0 and 'no records before offset' in done.stdout, done
    assert realm.client.answers_to(kept)[0]['seq'] == told[-1]['seq'] + 1
    listed = [json.loads(line) for line in realm.command('partition', 'list', '--json').splitlines()]
    assert [(one['event'], one['from_offset'], one['to_offset']) for one in listed if one['event'] != 'was halted'] == [
        ('skipped', 0, start), ('loss accepted', 0, 0)]
    assert realm.run('reconcile', '--redis', '').returncode == 0


def test_a_database_that_goes_on_meanwhile_lost_nothing(realm):
    with Crowd(realm).define():
        answered(realm, 1)
        for _call in range(6):
            assert 'lost nothing' in accept_loss(realm, 65, '--why', 'x', '--yes')


def lose_decision(realm, behind):
    """A decision is gone before it was published, and so many are behind it. Returns its seq."""
    realm.ask('define', 'show', **standing(20))
    told = realm.ask_all(*(realm.client.request('book', 'show', customer='c', items=places('floor', 99))
                           for _ in range(1 + behind)))
    realm.workers[-1].stop()
    realm.recreate('results')
    accept_topic(realm, '--topic', 'results', '--published', str(told[0]['seq'] - 1), '--why', 'deleted', '--yes')
    realm.sql('delete from usher.decision where seq = %s', told[0]['seq'])
    return told[0]['seq']


def seqs(realm):
    """Of all answers in the topic, as a consumer takes them, with their requests and causes."""
    lines = realm.command('watch', '--from-beginning', '--until-end', '--json', name='usher-producer').splitlines()
    return [(one['seq'], one['request_id'], one.get('cause')) for one in map(json.loads, lines)]


@pytest.mark.parametrize('behind', [0, 2])
def test_a_decision_that_is_gone_before_it_was_published(realm, behind):
    """Seqs are dense and each of them is published: nothing comes behind a gap, and what fills it is of no request."""
    gone = lose_decision(realm, behind)
    worker = realm.worker()
    assert f'the decision after seq {gone - 1} is missing' in await_halted(worker)
    books = realm.run('reconcile')
    assert books.returncode == 4
    assert (f'no decision between seq {gone - 1} and {gone + 1}' if behind else
            f'the last decision is {gone - 1}, but the next is to be {gone + 1}') in books.stdout
    assert 'standard input is no terminal' in accept_loss(realm, 64)
    said, = carry_out(realm, 'Decisions are gone before they were published', [0])
    assert f'lost 1 decision of the seqs {gone} to {gone} before it was published' in said and 'tries again' in said
    realm.command('book', 'show', '--customer', 'c', '--section', 'floor', '--quantity', '1', '--request-id', 'next',
                  f'--wait={PATIENCE_S}s', name='usher-producer')
    published = seqs(realm)
    assert [seq for seq, *_ in published] == list(range(gone, gone + behind + 2))
    assert published[0] == (gone, None, 'lost') and published[-1] == (gone + behind + 1, 'next', None)
    assert 'the answer with this seq was lost' in realm.command('watch', '--from-beginning', '--until-end', name='usher-producer')
    assert None not in (request for _, request, _ in published[1:]), 'those behind it are as they were'
    assert 'note: partition 0: 1 of the decisions before seq' in realm.command('reconcile')
    assert 'lost nothing' in accept_loss(realm, 65)
    assert [json.loads(line)['event'] for line in realm.command('partition', 'list', '--json').splitlines()][:2] == [
        'loss accepted', 'was halted']


def test_all_topics_are_lost(realm):
    """What was decided stays decided, and selling goes on in new ones; answers that were missed are told again."""
    def book(request_id):
        return realm.command('book', 'show', '--customer', 'c', '--section', 'floor', '--quantity', '1',
                             '--request-id', request_id, f'--wait={PATIENCE_S}s', name='usher-producer')
    assert verdict(realm.ask('define', 'show', **standing(2))) == ('defined', None)
    first = book('b1')
    realm.workers[-1].stop()
    realm.recreate('requests', 'results')
    worker = realm.worker()
    assert 'the topic was recreated' in await_halted(worker)
    assert 'standard input is no terminal' in accept_topic(realm, '--topic', 'both', '--why', 'x', code=64)
    said, = carry_out(realm, 'A topic is lost', [0], only='--topic both')
    assert 'partition 0: offset 2 is next in the old topic of requests' in said and 'tries again' in said
    assert book('b1').replace(' (repeated)', '') == first
    assert 'confirmed' in book('b2')
    resend = ('--partition', '0', '--topic', 'results', '--published', '0', '--why', 'not read', '--yes')
    assert f'worker {worker.name} has a session for partition 0' in accept_topic(realm, *resend, code=65)
    worker.stop()
    assert 'holds seq 4 already' in accept_topic(realm, *resend, code=65), 'the topic is not a new one'
    realm.recreate('results')
    assert 'answers after seq 0, up to 4, are published' in accept_topic(realm, *resend)
    listed = [json.loads(line) for line in realm.command('partition', 'list', '--json').splitlines()]
    assert [(one['event'], one['from_offset'], one['reason']) for one in listed[:2]] == [
        ('new topic of results', 2, 'not read'), ('new topics', 2, 'Kafka was lost')]
    realm.worker()
    watch = ('watch', '--from-beginning', '--until-end', '--json')
    eventually(lambda: re.findall(r'"op":"(\w+)"', realm.command(*watch, name='usher-producer')) ==
               ['define', 'book', 'book', 'book'], 'all answers are told again')


def booking(realm, resource='show'):
    return realm.client.request('book', resource, customer='c', items=places('floor', 1))


def await_distrust():
    begun = time.monotonic()
    eventually(lambda: time.monotonic() - begun > 2.2, 'the worker has not looked at the log for two seconds')


def await_answer(realm, request):
    """Offsets of a new topic are those of the one before, too."""
    return realm.client.answers.await_one(lambda answer: answer['request_id'] == request['request_id'])


def test_a_topic_recreated_behind_a_worker_that_did_not_run(make_realm):
    """Its place is in the new log as well, and what is there looks like the next request."""
    realm = make_realm()
    worker = realm.worker(**STEADY)
    realm.ask('define', 'show', **standing(20))
    realm.ask_all(*(booking(realm) for _ in range(3)))
    before = realm.position()
    worker.pause()
    realm.recreate('requests')
    sent = [booking(realm) for _ in range(before[1] + 5)]
    realm.client.send(*sent)
    await_distrust()
    worker.resume()
    assert 'the topic was recreated' in await_halted(worker)
    assert realm.position() == before
    accept_topic(realm, '--topic', 'requests', '--why', 'a mistake', '--yes')
    assert [verdict(await_answer(realm, request)) for request in sent] == [('confirmed', None)] * len(sent)
    assert realm.run('reconcile').returncode == 0


def test_no_hold_ends_at_the_end_of_a_recreated_topic(make_realm):
    """Its end, before what was consumed, does not say that nothing came: a confirm may be there, and in time."""
    realm = make_realm()
    worker = realm.worker(**STEADY)
    realm.ask('define', 'show', **standing(20))
    first, second = (realm.ask('hold', 'show', customer='c', items=places('floor', 1), ttl_s=ttl_s) for ttl_s in (1, 5))
    unrequested(realm, first['booking'], 'show', 'expiry')  # the partition is idle
    before = realm.position()
    worker.pause()
    realm.recreate('requests')
    past(realm, second['expires_at'])
    await_distrust()
    worker.resume()
    await_halted(worker)
    assert realm.position() == before


def test_a_log_that_lost_what_was_read_last_is_the_same(make_realm):
    """By retention, while nothing came."""
    realm = make_realm()
    worker = realm.worker(**STEADY)
    realm.ask('define', 'show', **standing(20))
    delete_records(realm.brokers, realm.client.topic)
    await_distrust()
    assert verdict(realm.ask_all(booking(realm))[0]) == ('confirmed', None)
    await_distrust()
    assert verdict(realm.ask_all(booking(realm))[0]) == ('confirmed', None)
    assert worker.owns()


def test_a_new_topic_that_some_partitions_did_not_notice(make_realm):
    """One that had decided nothing has no reason to halt, and may be at work in it."""
    realm = make_realm(partitions=2)
    worker = realm.worker(**STEADY)
    noticing, quiet = (next(name for name in map(str, range(99)) if partition_of(name.encode(), 2) == partition)
                       for partition in range(2))
    realm.ask('define', noticing, **standing(20))
    accept = ('--topic', 'requests', '--why', 'a mistake', '--yes')
    assert 'has a session for partition 0' in accept_topic(realm, *accept, code=65), 'nothing says that it is a new one'
    worker.pause()
    realm.recreate('requests')
    sent = [realm.client.request('define', quiet, **standing(20)), booking(realm, quiet), booking(realm, noticing)]
    realm.client.send(*sent)
    await_distrust()
    worker.resume()
    await_halted(worker)
    first = [await_answer(realm, request) for request in sent[:2]]
    assert worker.owns(1)
    assert 'has a session for partition 1' in accept_topic(realm, *accept[:1], 'both', *accept[2:], code=65)
    assert 'tries again' in accept_topic(realm, *accept)
    assert verdict(await_answer(realm, sent[2])) == ('confirmed', None)
    # What was decided in the new topic before is repeated.
    eventually(lambda: realm.position(1)[1:] == (2, 5), 'partition 1 has begun from the start')
    assert [answer['seq'] for answer in first] == [1, 2]
    later = booking(realm, quiet)
    realm.client.send(later)
    assert verdict(await_answer(realm, later)) == ('confirmed', None)
    assert realm.sql("select count(*) from usher.booking where customer = 'c'") == [(3,)]
    assert worker.owns(0) and worker.owns(1) and realm.run('reconcile').returncode == 0


def test_the_topic_that_was_consumed_is_no_new_one(make_realm):
    """Where nothing was recreated, nothing is read again; nor where a worker was started with the topics of somebody else."""
    realm = make_realm(partitions=2)
    worker = realm.worker()
    shows = [next(name for name in map(str, range(99)) if partition_of(name.encode(), 2) == partition) for partition in range(2)]
    realm.client.ask_all(*(realm.client.request('define', show, **standing(20)) for show in shows))
    assert [verdict(answer) for answer in realm.ask_all(*(booking(realm, shows[0]) for _ in range(3)))] == [('confirmed', None)] * 3
    assert worker.stop() == 0
    others = {'USHER_TOPIC_PREFIX': f'{realm.name}-others'}
    realm.command('topics', 'create', '--partitions', '2', '--replication', str(realm.replication), **others)
    worker = realm.worker(**others)
    assert 'or USHER_TOPIC_PREFIX or USHER_KAFKA_BROKERS is that of another installation' in await_halted(worker)
    assert worker.stop() == 0
    stood = realm.position(0), realm.position(1)
    for arguments in ('--topic', 'requests'), ('--topic', 'both'), ('--topic', 'requests', '--partition', '1'):
        assert 'nothing was changed: the topic of requests is the one that this database knows' in accept_topic(
            realm, *arguments, '--why', 'a mistake', '--yes', code=65)
    assert (realm.position(0), realm.position(1)) == stood and realm.sql('select partition from usher.partition_topic') == []
    realm.worker()
    sent = booking(realm, shows[0])
    realm.client.send(sent)
    assert verdict(await_answer(realm, sent)) == ('confirmed', None)
    assert realm.run('reconcile').returncode == 0


def test_a_new_topic_is_one_though_the_last_requests_were_decided(make_realm):
    """As by a worker that went on in it where the one before ended, and was killed before it noticed."""
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **standing(20))
    realm.ask_all(*(booking(realm) for _ in range(3)))
    assert worker.stop() == 0
    realm.recreate('requests')
    realm.sql('update usher.partition_state set fingerprint_offset = null, fingerprint = null')
    sent = [booking(realm) for _ in range(7)]
    realm.client.send(*sent)
    worker = realm.worker()
    assert [verdict(await_answer(realm, request)) for request in sent[4:]] == [('confirmed', None)] * 3
    assert worker.stop() == 0
    assert 'offset 7 is next in the old topic' in accept_topic(realm, '--topic', 'requests', '--why', 'a mistake', '--yes')
    realm.worker()
    assert [verdict(await_answer(realm, request)) for request in sent[:4]] == [('confirmed', None)] * 4


def test_partitions_that_were_added(make_realm):
    """Keys go elsewhere from then on: who runs reads those that there were, and nobody starts until they are gone."""
    realm = make_realm(partitions=2)
    worker = realm.worker()
    known, added = (next(name for name in map(str, range(99)) if partition_of(name.encode(), 4) == partition)
                    for partition in (1, 3))
    realm.ask('define', known, **standing(20))
    admin = AdminClient({'bootstrap.servers': realm.brokers})
    admin.create_partitions([NewPartitions(realm.client.topic, 4)])[realm.client.topic].result(PATIENCE_S)
    eventually(lambda: all(f'partition {number} is not consumed' in worker.log() for number in (2, 3)), 'it notices')
    realm.client.producer = realm.client.connected()
    sent = [booking(realm, known), realm.client.request('define', added, **standing(20))]
    assert [place[0] for place in realm.client.send(*sent)] == [1, 3]
    assert verdict(await_answer(realm, sent[0])) == ('confirmed', None)
    for command in 'run', 'check':
        done = realm.run(command)
        assert done.returncode == 78 and '`usher-worker topics check --partitions N`' in done.stdout + done.stderr
    said = realm.run('topics', 'check', '--partitions', '2')
    assert said.returncode == 78
    assert f'"{realm.client.topic}": has 4 partitions, expected 2' in said.stdout
    for way in ('delete this topic', 'topics create --partitions 2`', 'accept-topic --topic requests`'):
        assert way in said.stdout
    worker.stop()
    realm.recreate('requests')
    carry_out(realm, 'Partitions were added to a topic', [], only='accept-topic')
    realm.worker()
    assert all(request['request_id'] != sent[1]['request_id'] for request in realm.client.answers.everything())
    realm.client.producer = realm.client.connected()
    realm.client.send(sent[1])
    assert verdict(await_answer(realm, sent[1])) == ('defined', None)
    assert realm.run('reconcile').returncode == 0


def test_a_topic_that_was_recreated_without_its_settings(realm):
    """As by whoever knows its name only."""
    realm.ask('define', 'show', **standing(20))
    realm.workers[-1].stop()
    topic = realm.client.topic
    admin = realm.delete_topics('requests')
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(PATIENCE_S)
    eventually(lambda: topic in admin.list_topics(timeout=PATIENCE_S).topics, 'the broker knows of it')
    for command in ('check',), ('topics', 'check'), ('topics', 'create', '--partitions', '1'):
        done = realm.run(*command)
        assert done.returncode == 78
        assert (f'FAIL topic "{topic}": message.timestamp.type is "CreateTime": set it to "LogAppendTime" '
                f'(kafka-configs.sh --alter --topic {topic} --add-config message.timestamp.type=LogAppendTime)'
                in done.stdout)
    accept_topic(realm, '--topic', 'requests', '--why', 'recreated', '--yes')
    worker = realm.worker()
    sent = booking(realm)
    realm.client.send(sent)
    assert verdict(await_answer(realm, sent)) == ('confirmed', None)
    assert f'topic \\"{topic}\\" does not record append times: set message.timestamp.type to LogAppendTime' in worker.log()
