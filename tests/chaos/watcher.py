"""Watches every partition while things go wrong: how long one stood still although requests waited and nothing that
stops it was going on; whether one is halted; how large workers get. A partition moves when a client sees an answer."""

import collections
import contextlib
import math
import pathlib
import re
import threading
import time

LIMIT_S = 30   # beyond the end of what stopped it
EVIDENT_S = 8  # from then on it is worth to know why
TICK_S = 0.25
GAP_S = 1.0    # a watcher that was not run for longer has seen nothing meanwhile
ALL = 'all'    # stops every partition
WORKER = 'a worker'  # stops them only if no worker is left


class Ledger:
    """What Kafka has acknowledged in the log of requests that there is now: as far as is known, the last place of each
    partition, and all of them. `since`: the seq from which on answers are to that log."""

    def __init__(self, partitions):
        self.last, self.since, self.places, self.count = [-1] * partitions, [1] * partitions, set(), 0

    def append(self, place):
        partition, offset = place
        self.places.add(place)
        self.count += 1
        self.last[partition] = max(self.last[partition], offset)

    def lose(self):
        """That log is gone. Nothing is an answer to the new one before it is accepted."""
        self.places, self.last, self.since = set(), [-1] * len(self.last), [math.inf] * len(self.since)

    def accept(self, partition, seq):
        self.since[partition] = seq


class Standing:
    """One partition: for how long it has stood, and which offsets are answered."""

    def __init__(self):
        self.still_s, self.is_known, self.is_seen = 0.0, False, False
        self._begin(1)

    def _begin(self, since):
        self.seen = self.answered = -1
        self.since, self.offsets = since, set()

    def look(self, answers, last, since, lapse_s, is_stopped):
        """Time passes only while nothing stops the partition, and only an answer sets it back."""
        if since != self.since:
            self._begin(since)
        seen = len(answers)  # another thread appends to them meanwhile
        moved = seen != self.seen
        for answer in answers[max(self.seen, 0):seen]:
            if answer['seq'] >= since and 'source' in answer:
                self.offsets.add(answer['source']['offset'])
                self.answered = max(self.answered, answer['source']['offset'])
        self.seen = seen
        if moved or last <= self.answered:
            self.still_s, self.is_known, self.is_seen = 0.0, False, False
        elif not is_stopped:
            self.still_s += lapse_s
        return self.still_s


class Watcher(threading.Thread):
    def __init__(self, client, ledger, workers, findings, limit_s=LIMIT_S, evidence=None):
        """`workers` gives those that run, and how many there should be; `evidence` is taken where one stands for long."""
        super().__init__(daemon=True)
        self.limit_s, self.evidence = limit_s, evidence
        self.client, self.ledger, self.workers, self.findings = client, ledger, workers, findings
        self.partitions = [Standing() for _partition in range(client.partitions)]
        self.largest = collections.Counter()  # worker → MB
        self._stops, self._lock, self._enough = [], threading.Lock(), threading.Event()

    # ---- what stops partitions ----
    @contextlib.contextmanager
    def stopped(self, what):
        """While inside, nothing is expected of these: ALL, partitions, or those of WORKERs if no other is left."""
        with self._lock:
            self._stops.append(what)
        try:
            yield
        finally:
            with self._lock:
                self._stops.remove(what)

    def _nothing_expected(self, partition, workers):
        with self._lock:
            stops = list(self._stops)
        return stops.count(WORKER) >= workers or any(
            what == ALL or not isinstance(what, str) and partition in what for what in stops)

    # ---- looking ----
    def run(self):
        before = time.monotonic()
        while not self._enough.wait(TICK_S):
            now = time.monotonic()
            self._look(min(now - before, GAP_S))
            before = now

    def _look(self, lapse_s):
        running, count = self.workers()
        for partition, one in enumerate(self.partitions):
            still_s = one.look(self.client.answers.accepted[partition], self.ledger.last[partition],
                               self.ledger.since[partition], lapse_s, self._nothing_expected(partition, count))
            self.findings.stood(partition, still_s)
            if self.evidence and still_s > EVIDENT_S and not one.is_seen:
                one.is_seen = True
                self.findings.say(f'partition {partition} stands: {self.evidence.take(partition, still_s, running)}')
            if still_s > self.limit_s and not one.is_known:
                one.is_known = True
                self.findings.violation(
                    f'partition {partition} stood still for {self.limit_s} s: answered up to {one.answered}, '
                    f'{self.ledger.last[partition]} is in the log\n' + '\n'.join(map(state_of, running)))
        for worker in running:
            self.largest[worker.name] = max(self.largest[worker.name], largest_mb(worker.pid))

    def still_s(self):
        return max(one.still_s for one in self.partitions)

    def waiting(self):
        """How many requests that Kafka has are not answered, at most."""
        return sum(max(0, last - one.answered) for one, last in zip(self.partitions, self.ledger.last))

    def unanswered(self):
        """What Kafka has acknowledged, and nobody has answered."""
        return [(partition, offset) for partition, offset in self.ledger.places
                if offset not in self.partitions[partition].offsets]

    def close(self):
        self._enough.set()
        if self.ident:  # it was started
            self.join()


def largest_mb(pid):
    """The largest resident size that the process ever had; 0: it is gone."""
    try:
        status = pathlib.Path(f'/proc/{pid}/status').read_text(encoding='ascii', errors='replace')
    except OSError:
        return 0
    found = re.search(r'^VmHWM:\s+(\d+) kB$', status, re.M)
    return int(found[1]) // 1024 if found else 0


def state_of(worker):
    """What a worker says of itself, in a line, and the end of its log."""
    return f'{worker.name}: {worker.get("/status")[1][:2000]}\n{worker.tail()[-2000:]}'
