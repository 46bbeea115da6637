"""A realm: topics, a database and a Redis prefix of its own on the shared stack, its workers and its client. What
happens in one is not seen in another."""

import contextlib
import json
import pathlib
import subprocess
import time

import confluent_kafka
import psycopg2
import redis
from confluent_kafka.admin import AdminClient

from oracle import sources
from oracle.replay import replay, seconds

from .client import Client
from .contract_check import check_answers
from .stack import clean_environment, program
from .waiting import PATIENCE_S, eventually
from .worker import Worker

STOP_S, TICK_S = 5, 0.02
# librdkafka may hang as it destroys a handle (worker/kafka/kafka_reader.h): a worker says so, and ends at its limits.
HANDLE_HANGS = 'could not close every Kafka handle'
MIGRATED = 'migrated'


# Of workers whose batches are held up, or locked out, until something has happened.
PATIENT = {'USHER_STATEMENT_TIMEOUT': '50s'}
# Of workers that keep their partitions: a session of a second ends by itself where a machine is busy. Nobody kills them.
STEADY = {'USHER_KAFKA_SESSION_TIMEOUT': '30s'}

# Whoever moves a partition on waits while there is a row in the gate.
GATE = '''
    create table if not exists public.gate (closed boolean);
    create or replace function public.wait_at_gate() returns trigger language plpgsql security definer as $$
    begin
        while exists (select from public.gate) loop
            perform pg_sleep(0.02);
        end loop;
        return new;
    end $$;
    create or replace trigger gate before update on {table} for each row when ({condition})
        execute function public.wait_at_gate();
    insert into public.gate values (true);
'''


# Requests of the log below the next offset without a decision, but for those that were passed over by a command. Decisions
# of a topic that was replaced are of other requests.
UNDECIDED = '''
    select l.source_offset
      from unnest(%(offsets)s::bigint[]) as l (source_offset)
      join usher.partition_state as s on s.partition = %(partition)s and l.source_offset < s.next_offset
     where not exists (select from usher.decision as d
                        where d.partition = s.partition and d.source_offset = l.source_offset
                          and d.seq >= coalesce((select max(t.next_seq) from usher.partition_topic as t
                                                  where t.partition = s.partition and t.topics <> 'results'), 0))
       and not exists (select from usher.partition_skip as k
                        where k.partition = s.partition and l.source_offset < k.to_offset
                          and l.source_offset >= coalesce(k.from_offset, 0))
     order by l.source_offset
'''

# What the owner of the schema may not revoke.
NO_LARGE_OBJECTS = 'revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public'


def _delays(process):
    """For how many nanoseconds each thread of a process has waited for a processor."""
    found = {}
    for one in pathlib.Path(f'/proc/{process}/task').glob('*/schedstat'):
        with contextlib.suppress(OSError):  # it has ended
            found[one] = int(one.read_text().split()[1])
    return found


def _leaves(worker):
    """Asks it to leave, and waits. Returns for how long, as far as the machine let it: neither what its threads waited for a
    processor counts, nor what this one did."""
    before = _delays(worker.pid)
    delays, took, begun = dict(before), 0.0, time.monotonic()
    worker.resume()
    worker.terminate()
    at = begun
    while not worker.has_ended() and at - begun < PATIENCE_S:
        time.sleep(TICK_S)
        now = time.monotonic()
        took, at = took + min(now - at, 2 * TICK_S), now
        delays.update(_delays(worker.pid))
    return took - (sum(delays.values()) - sum(before.values())) / 1e9


def _stop(worker):
    """(its exit code, why it is said to be late): '' for a worker that left at once."""
    took = _leaves(worker)
    code = worker.ended()
    is_late = took >= STOP_S and HANDLE_HANGS not in worker.log()
    return code, f'{worker.name} took {took:.1f} s to leave:\n{worker.tail()}' if is_late else ''


class Realm:
    def __init__(self, stack, name, partitions=1, replication=1, **settings):
        self.stack, self.name, self.partitions, self.replication = stack, name, partitions, replication
        self.workers, self.former_logs = [], []
        self.shards = None  # its databases, where it has several
        self.environment = {
            'USHER_KAFKA_BROKERS': stack.exports['USHER_KAFKA_BROKERS'], 'USHER_REDIS': stack.exports['USHER_REDIS'],
            'USHER_POSTGRES': self.uri('worker'), 'USHER_TOPIC_PREFIX': name, 'USHER_REDIS_PREFIX': name,
            'USHER_KAFKA_GROUP': name, **settings}
        self.brokers = self.environment['USHER_KAFKA_BROKERS']
        self._make()
        self.client = Client(self.brokers, self.environment['USHER_TOPIC_PREFIX'], partitions)
        if replication > 1:  # there are several brokers so that one can be killed
            self.client.outlive_brokers()
        self.ask, self.ask_all = self.client.ask, self.client.ask_all
        self.cache = redis.from_url(self.environment['USHER_REDIS'], decode_responses=True)

    def _make(self):
        self.make_database(self.name, self.stack)
        self.make_topics()

    def make_database(self, name, server):
        """A copy of the one that was migrated once on that server."""
        with self.session('admin', 'postgres', server) as cursor:
            cursor.execute('select pg_advisory_lock(1)')  # several processes begin at once
            cursor.execute('select from pg_database where datname = %s', (MIGRATED,))
            if not cursor.fetchall():
                cursor.execute(f'create database {MIGRATED} owner usher_owner')
                self.command('migrate', 'up', USHER_POSTGRES=server.uri('owner', MIGRATED))
                with self.session('admin', MIGRATED, server) as migrated:
                    migrated.execute(NO_LARGE_OBJECTS)
            cursor.execute('select pg_advisory_unlock(1)')
            cursor.execute(f'create database {name} owner usher_owner template {MIGRATED}')
            cursor.execute(f'revoke temporary on database {name} from public')

    # ---- topics ----
    def make_topics(self):
        """Those that are not there."""
        self.command('topics', 'create', '--partitions', str(self.partitions), '--replication', str(self.replication))

    def delete_topics(self, *names):
        """Returns the client that did it, when they are gone."""
        admin = AdminClient({'bootstrap.servers': self.brokers})
        topics = {f'{self.environment["USHER_TOPIC_PREFIX"]}.{name}.v1' for name in names}
        for done in admin.delete_topics(list(topics)).values():
            done.result(PATIENCE_S)
        eventually(lambda: not topics & set(admin.list_topics(timeout=PATIENCE_S).topics), 'the topics are gone')
        return admin

    def recreate(self, *names):
        """These topics are there again, and empty."""
        self.delete_topics(*names)
        self.make_topics()

    def keep_log(self):
        """Reads the log of requests, which is about to be lost, for the replay."""
        self.former_logs.append(sources.read_requests(self._sources()))

    # ---- programs ----
    def run(self, *arguments, name='usher-worker', timeout=PATIENCE_S, stdin=None, **settings):
        """Runs a program to its end in this realm's environment."""
        return subprocess.run([program(name), *arguments], env=clean_environment(**{**self.environment, **settings}),
                              input=stdin, capture_output=True, text=True, timeout=timeout, check=False)

    def command(self, *arguments, **settings):
        """As run, but it must succeed. Returns what it printed."""
        done = self.run(*arguments, **settings)
        assert done.returncode == 0, f'{" ".join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}'
        return done.stdout

    def worker(self, *arguments, await_ready=True, binary='usher-worker', **settings):
        """Starts one more worker."""
        worker = Worker(f'{self.name}-{len(self.workers) + 1}', {**self.environment, **settings},
                        self.stack.worker_logs, arguments, binary)
        self.workers.append(worker)
        return worker.await_ready() if await_ready else worker

    # ---- PostgreSQL ----
    def uri(self, role):
        return self.stack.uri(role, self.name)

    def uris(self, role):
        """Of all its databases."""
        return self.shards.uris(role) if self.shards else self.uri(role)

    @contextlib.contextmanager
    def session(self, role='admin', database=None, server=None):
        """A cursor, each statement a transaction of its own."""
        uri = (server or self.stack).uri(role, database or self.name)
        connection = psycopg2.connect(uri, connect_timeout=PATIENCE_S)
        try:
            connection.autocommit = True
            yield connection.cursor()
        finally:
            connection.close()

    def sql(self, statement, *values, role='admin'):
        """Runs one statement; returns its rows, if it has any."""
        with self.session(role) as cursor:
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description is not None else []

    def rows(self, statement):
        """Of all its databases."""
        return [row for shard in self.shards for row in self.shards.sql(shard, statement)] if self.shards else self.sql(statement)

    @contextlib.contextmanager
    def locked(self, partition=0):
        """While inside, no batch of the partition can commit: its row is locked by somebody else."""
        connection = psycopg2.connect(self.uri('admin'))
        try:
            cursor = connection.cursor()
            cursor.execute('select from usher.partition_state where partition = %s for update', (partition,))
            yield
        finally:
            connection.rollback()
            connection.close()

    @contextlib.contextmanager
    def held_up(self, table='usher.partition_state', condition='true'):
        """While inside, batches that update such a row wait for as long as a statement may take; one that waits for a
        lock, as in `locked`, gives up after two seconds."""
        self.sql(GATE.format(table=table, condition=condition))
        try:
            yield
        finally:
            self.sql('delete from public.gate')

    def position(self, partition=0):
        """(epoch, next_offset, next_seq) as PostgreSQL has it."""
        return self.sql('select epoch, coalesce(next_offset, 0), next_seq from usher.partition_state '
                        'where partition = %s', partition)[0]

    def group_position(self, partition=0):
        """(end of the log, offset that the consumer group has committed) as Kafka has them; -1001: none."""
        at = confluent_kafka.TopicPartition(self.client.topic, partition)
        consumer = confluent_kafka.Consumer(
            {'bootstrap.servers': self.brokers, 'group.id': self.environment['USHER_KAFKA_GROUP'], 'log_level': 0})
        try:
            return (consumer.get_watermark_offsets(at, PATIENCE_S)[1],
                    consumer.committed([at], PATIENCE_S)[0].offset)
        finally:
            consumer.close()

    def offsets(self, partition=0):
        """Of the requests in the log: neither records of transactions that were aborted nor no-op records."""
        consumer = confluent_kafka.Consumer(
            {'bootstrap.servers': self.brokers, 'group.id': 'offsets', 'enable.auto.commit': False,
             'enable.partition.eof': True, 'isolation.level': 'read_committed', 'message.max.bytes': 2000000})
        consumer.assign([confluent_kafka.TopicPartition(self.client.topic, partition, confluent_kafka.OFFSET_BEGINNING)])
        found, at_end = [], False
        try:
            while not at_end:
                for message in consumer.consume(10000, 0.2):
                    at_end = message.error() and message.error().code() == confluent_kafka.KafkaError._PARTITION_EOF
                    assert at_end or not message.error(), message.error()
                    found += [] if at_end or sources.is_noop(sources.record_of(message)) else [message.offset()]
            return found
        finally:
            consumer.close()

    def undecided(self):
        """(partition, offset) of requests that the workers have passed over: the database goes on behind them."""
        with self.session() as cursor:
            for partition in range(self.partitions):
                cursor.execute(UNDECIDED, {'partition': partition, 'offsets': self.offsets(partition)})
                yield from ((partition, offset) for offset, in cursor.fetchall())

    def waiting_commits(self):
        """Backends of workers that wait for a lock, or are held up."""
        return self.sql("select pid from pg_stat_activity where usename = 'usher_worker' and datname = %s "
                        "and (wait_event_type = 'Lock' or wait_event = 'PgSleep')", self.name)

    def await_in_flight(self, worker, count):
        """Waits until so many decisions are in flight. No more than the batches that may be: a slow machine cuts them by their
        age, after one request each."""
        eventually(lambda: sum(one['next_seq'] for one in worker.status()['partitions']) - self.position()[2] >= count,
                   f'{count} decisions are in flight')

    # ---- Redis ----
    def shown(self, resource):
        """(hash, seats, pools) as Redis shows them."""
        key = f'{self.name}:{{{resource}}}'
        with self.cache.pipeline() as pipe:
            return pipe.hgetall(key).get(f'{key}:seats').hgetall(f'{key}:pools').execute()

    def catalogue(self, resource):
        return json.loads(self.cache.get(f'{self.name}:{{{resource}}}:catalogue'))

    def layout(self, resource):
        """That of its seats, which its hash names."""
        name = self.cache.hget(f'{self.name}:{{{resource}}}', 'layout')
        return json.loads(self.cache.get(f'{self.name}:layout:{name}'))

    def listed(self, name=''):
        """The resources in the list of all, or, as `:kind:seats`, in another one."""
        key = f'{self.name}:resources{name}'
        return self.cache.zrange(key, 0, -1) if not name else self.cache.smembers(key)

    def await_shown(self, resource, rev):
        def found():
            shown = self.shown(resource)
            return shown if shown[0].get('rev') == str(rev) else None
        return eventually(found, f'Redis shows rev {rev} of {resource}')

    # ---- the verdict ----
    def set_clock(self, ahead):
        """Puts PostgreSQL's clock ahead by an interval, for all who connect from now on."""
        if not self.sql("select 1 from pg_proc where proname = 'real_clock'"):
            self.sql('alter function pg_catalog.clock_timestamp() rename to real_clock')
        self.sql('create or replace function pg_catalog.clock_timestamp() returns timestamptz language plpgsql as '
                 f"$$ begin return pg_catalog.real_clock() + interval '{ahead}'; end $$")

    def check(self, cache=True, **limits):
        """Waits until all is answered, then replays the log: everything must be equal. Returns the report."""
        evidence, left = sources.gather_quiet(self._sources(cache), PATIENCE_S, self.former_logs)
        report = replay(evidence, *self._ttls(), **limits)
        assert report, f'{left}\n{report}'
        return report

    def _sources(self, cache=True):
        return sources.Settings(self.brokers, self.uris('admin'), self.environment['USHER_REDIS'] if cache else None,
                                self.environment['USHER_TOPIC_PREFIX'], self.name)

    def _ttls(self):
        return (seconds(self.environment.get('USHER_HOLD_TTL', '15m')),
                seconds(self.environment.get('USHER_HOLD_TTL_MAX', '24h')),
                seconds(self.environment.get('USHER_HOUSE_HOLD_TTL_MAX', '365d')))

    def close(self):
        """Stops everything and checks what must hold of any run: each answer is as the contract has it, and workers
        that have nothing left to do leave at once."""
        ended = [_stop(worker) for worker in self.workers if worker.process.poll() is None]
        for worker in self.workers:
            worker.close()
        self.client.close()
        self.cache.close()
        check_answers(self.client.answers.everything())
        complaints = [line for worker in self.workers for line in worker.complaints()]
        assert not complaints, '\n'.join(complaints)
        assert not any(code for code, _late in ended), f'workers ended with {ended} after TERM'
        assert not any(late for _code, late in ended), '\n'.join(late for _code, late in ended)
