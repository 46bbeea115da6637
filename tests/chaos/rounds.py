"""One round: a realm with three workers, everything at them for a while, and then the verdict. It needs a stack that it
may break."""

import contextlib
import math
import random
import re
import signal
import threading

from harness.realm import Realm
from harness.replicas import Server
from harness.shards import Shards
from harness.waiting import eventually
from oracle.partitioner import partition_of

from . import commands, moves, parts
from .disk import NoDisk
from .evidence import Evidence
from .far import Way
from .faults import MOVES, PARTS, TARGETS, database
from .findings import Findings
from .loads import Load
from .schedule import WORKERS, Schedule, plan
from .watcher import ALL, LIMIT_S, Ledger, Watcher

PARTITIONS = 4
DATABASES = 1, 1, 1, 1, 2, 3    # of which a round has one of these numbers …
OF_SEVERAL = 12, 16             # … and as many partitions, where there are several
PROGRESS_S = 5
LEFT = 0, 69     # exit codes after TERM; a part that is away when it starts is 69, too
ABORTED = 134

# How workers are set up: for all rounds, and one of several by the seed. Sessions are short, so that others take over
# soon, but not so short that a busy machine loses them by itself.
ALWAYS = {'USHER_HOLD_TTL': '3s', 'USHER_KAFKA_SESSION_TIMEOUT': '3s', 'USHER_KAFKA_HEARTBEAT': '500ms'}
SETTINGS = (
    {},
    {'USHER_BATCHES_IN_FLIGHT': '3'},
    {'USHER_RESOURCES_IN_MEMORY': '10', 'USHER_IDS_IN_MEMORY': '1000', 'USHER_BOOKINGS_IN_MEMORY': '1000',
     'USHER_UNITS_IN_MEMORY': '1000'},
    {'USHER_BATCHES_IN_FLIGHT': '2', 'USHER_BATCH_LIMIT': '20'},
    {'USHER_MEMORY_MAX': '64MB'},
)


class Round:
    def __init__(self, stack, name, seed, disk=NoDisk(), limit_s=LIMIT_S):
        self.stack, self.seed, self.disk = stack, seed, disk
        self.findings = Findings(seed)
        dice = random.Random(f'{seed}/databases')
        databases = dice.choice(DATABASES)
        self.partitions = dice.randint(*OF_SEVERAL) if databases > 1 else PARTITIONS
        self.servers = {'postgres': stack, **{database(number): Server(stack.directory / f'postgres-{number}').begin()
                                              for number in range(1, databases)}}
        self.parts = *PARTS, *list(self.servers)[1:]
        self.ways = {'postgres': Way(stack.uri('worker', name)), 'redis': Way(stack.exports['USHER_REDIS'])}
        targets = {*TARGETS, *self.servers, *(target for fault in MOVES for target in fault.targets)}
        self.locks = {target: threading.Lock() for target in [*sorted(targets), *(f'worker {one}' for one in range(WORKERS))]}
        self._starting = threading.Lock()
        self.settings = random.Random(f'{seed}/settings').choice(SETTINGS)
        self.realm = Realm(stack, name, self.partitions, USHER_POSTGRES=self.ways['postgres'].uri,
                           USHER_REDIS=self.ways['redis'].uri, **ALWAYS, **self.settings)
        if databases > 1:
            self._place()
        self.realm.rows(commands.OVER_AT_ONCE)
        self.archive = stack.worker_logs / 'archive'
        self.archive.mkdir(exist_ok=True)
        self.workers = [self.realm.worker(await_ready=False) for _number in range(WORKERS)]
        self.ledger = Ledger(self.partitions)
        self.watcher = Watcher(self.realm.client, self.ledger, self.running, self.findings, limit_s,
                               Evidence(self.realm, stack.worker_logs))
        self.load = self.schedule = None
        self._told_s = 0.0

    def _place(self):
        """The partitions in turn over all databases, each of which workers reach by a way of its own."""
        count = len(self.servers)
        shards = Shards(self.realm, *list(self.servers.values())[1:],
                        **{'abcdefgh'[number]: range(number, self.partitions, count) for number in range(count)})
        self.ways.update({target: Way(shards.uri(shard, 'worker')) for target, shard in zip(self.servers, shards) if shard != 'a'})
        self.realm.environment['USHER_POSTGRES'] = ' '.join(self.ways[target].uri for target in self.servers)

    # ---- what faults do ----
    def at(self, part):
        """(the stack that it is in, what it is called there)"""
        return (self.servers[part], 'postgres') if part in self.servers else (self.stack, part)

    def rows(self, statement, target):
        """Of one of its databases."""
        shards = self.realm.shards
        return shards.sql(list(shards)[list(self.servers).index(target)], statement) if shards else self.realm.sql(statement)

    def start_worker(self, number):
        with self._starting:
            self.workers[number] = self.realm.worker(await_ready=False)

    def one_more(self):
        with self._starting:
            return self.realm.worker(await_ready=False)

    def dismiss(self, worker):
        """
        It leaves by TERM: in good order, or, where a part is away, without it. A process that has not yet begun to be a
        worker, on a busy machine, is ended by the signal itself.
        """
        code = worker.stop()
        if code not in LEFT and not (code == -signal.SIGTERM and not worker.log()):
            self.ended(worker, code)

    def running(self):
        """Those that run, and how many there should be."""
        return [worker for worker in list(self.realm.workers) if worker.process.poll() is None], WORKERS

    # ---- what ends by itself is started again, as its supervisor would ----
    def ended(self, worker, code):
        """As it may when it is stuck or fenced, but not by a signal."""
        if code and not self.findings.is_interrupted:
            self.findings.count(self.findings.exits, f'worker with {code}')
            if code not in LEFT:
                self.findings.note(f'{worker.name} ended with {code}: {worker.tail().splitlines()[-1:]}')
        if code < 0 or code == ABORTED:
            self.findings.violation(f'{worker.name} ended with {code}:\n{worker.tail()}')

    def _revive(self):
        for number in range(WORKERS):
            lock = self.locks[f'worker {number}']
            if lock.acquire(blocking=False):
                try:
                    code = self.workers[number].process.poll()
                    if code is not None:
                        self.ended(self.workers[number], code)
                        self.start_worker(number)
                finally:
                    lock.release()
        for part in self.parts:
            if self.locks[part].acquire(blocking=False):
                try:
                    self._revive_part(part)
                finally:
                    self.locks[part].release()

    def _revive_part(self, part):
        if not parts.is_alive(*self.at(part)):
            with self.watcher.stopped(ALL):
                parts.start(*self.at(part))
            self.findings.count(self.findings.exits, part)

    # ---- the round ----
    def run(self, seconds):
        """Everything at once for so long, and the verdict; returns the findings."""
        self.findings.say(f'seed {self.seed}: {seconds:.0f} s, {WORKERS} workers with {self.settings or "defaults"}, '
                          f'{self.partitions} partitions in {len(self.servers)} databases')
        try:
            self.workers[0].await_ready()
            self.load = Load(self.realm, self.ledger, self.watcher, self.findings, self.seed, seconds)
            self.schedule = Schedule(self, plan(self.seed, seconds, len(self.servers)))
            self.watcher.start()
            self.load.start()
            try:
                self.schedule.run(seconds, self._tick)
            except KeyboardInterrupt:
                self.findings.is_interrupted = True
                self.findings.note('interrupted')
            self._calm()
            self._judge()
        except KeyboardInterrupt:
            self.findings.is_interrupted = True
            self.findings.violation('interrupted before the verdict')
        finally:
            self._close()
        return self.findings

    def _tick(self):
        self._revive()
        if self.findings.lapsed_s() - self._told_s >= PROGRESS_S:
            self._told_s = self.findings.lapsed_s()
            self.findings.say(
                f'{self.ledger.count} records, {self.realm.client.answers.count()} answers, '
                f'{sum(self.findings.faults.values())} faults, {len(self.findings.violations)} violations, still '
                f'{self.watcher.still_s():.1f} s, at most {self.findings.longest_still_s:.1f} s, worker '
                f'{max(self.watcher.largest.values(), default=0)} MB; now: {", ".join(self.schedule.active) or "calm"}')

    def _calm(self):
        """Everything goes on again, and each partition has a last request behind all others."""
        self.findings.say('calm')
        self.schedule.finish()
        for part in self.parts:
            parts.start(*self.at(part))
        self._revive()
        self.findings.say('all parts run')
        self.load.finish()
        self.findings.say('all load is sent')
        if self._expect(lambda: self._ask(*self._tails())):
            self._expect(self._prune)

    def _tails(self):
        """A request in each partition."""
        names = {partition_of(f'tail:{number}'.encode(), self.partitions): f'tail:{number}' for number in range(1000)}
        return [self.realm.client.request('probe', name) for name in names.values()]

    def _ask(self, *requests):
        """And waits until there is an answer to all that was ever acknowledged: as long as it takes, if answers come."""
        for place in self.realm.client.send(*requests):
            self.ledger.append(place)
        left = math.inf
        while (now := len(self.watcher.unanswered())) < left:
            left = now
            with contextlib.suppress(AssertionError):
                eventually(self._is_answered)
                return
        raise AssertionError(f'{left} acknowledged records are not answered, the first at {min(self.watcher.unanswered())}')

    def _is_answered(self):
        self._revive()
        return not self.watcher.unanswered()

    def _prune(self):
        """No show that is over is left, nor what was forgotten of one."""
        self._ask(*(self.realm.client.request('close', show) for show, in self.realm.rows(
            "select id from usher.resource where starts_with(id, 'season:') and state <> 'closed'")))
        eventually(self._is_pruned, 'all that is over is pruned')

    def _is_pruned(self):
        """Some seconds after a partition's last batch it is known that its answers, and what came of a hold's end, are published."""
        self._revive()
        self.realm.command('prune', '--older-than', '1d', USHER_POSTGRES=self.realm.uris('owner'))
        return not self.realm.rows("select from usher.resource where starts_with(id, 'season:')")

    def _judge(self):
        """By the replay, and by reconcile."""
        begun = self.findings.lapsed_s()
        if self.realm.shards:
            self._expect(lambda: moves.settle(self))
        self._forget_pruned()

        def replayed():
            report = self.realm.check()
            assert report.facts['internal'] == 0, f'the database rejected a request: {report}'
            self.findings.say(f'the replay is {report}')
            self.findings.records = report.facts['requests']
        self._expect(replayed)
        self._expect(lambda: self.realm.command('reconcile'))
        self.findings.say(f'judged in {self.findings.lapsed_s() - begun:.0f} s')

    def _forget_pruned(self):
        """Of what was pruned at the very moment in which a worker wrote it Redis still has something, as its contract says."""
        found = [line for line in self.realm.run('reconcile').stdout.splitlines() if not line.startswith(('note: ', 'reconciled '))]
        if found and all(re.match('season:[0-9]+: in Redis, but not in PostgreSQL', line) for line in found):
            self.findings.note(f'written to Redis when they were pruned: {len(found)} shows')
            self.realm.command('rebuild-cache')

    def _expect(self, condition):
        """Whether it holds; a violation where it does not."""
        try:
            condition()
            return True
        except (AssertionError, RuntimeError) as error:
            states = [f'{worker.name}: {worker.get("/status")[1][:1500]}' for worker in self.running()[0]]
            self.findings.violation('\n'.join([str(error), *states]))
            return False

    def _close(self):
        self.watcher.close()
        self.findings.answers = len(self.realm.client.answers.everything())
        self.findings.largest_mb = max(self.watcher.largest.values(), default=0)
        try:
            self.realm.close()
        except AssertionError as error:
            self.findings.violation(str(error))
        for way in self.ways.values():
            way.close()
        for server in list(self.servers.values())[1:]:
            server.kill('postgres')
            server.wipe()
