"""What a run has found: counted, and told at its end."""

import collections
import threading
import time


class Findings:
    def __init__(self, seed):
        self.seed, self.begun = seed, time.monotonic()
        self.violations, self.notes = [], []
        self.faults, self.loads, self.exits, self.moves = (collections.Counter() for _kind in range(4))
        self.records = self.answers = self.largest_mb = self.left_out = 0
        self.is_interrupted = False
        self.longest_still_s, self.still_partition = 0.0, None
        self.longest_move_ms, self.moved_partition = 0, None
        self._lock = threading.Lock()

    def lapsed_s(self):
        return time.monotonic() - self.begun

    def violation(self, text):
        with self._lock:
            self.violations.append(text)
        self.say(f'VIOLATION (seed {self.seed}): {text}')

    def note(self, text):
        """Worth a line in the report, once, and no violation."""
        with self._lock:
            if text not in self.notes:
                self.notes.append(text)

    def stood(self, partition, seconds):
        if seconds > self.longest_still_s:
            self.longest_still_s, self.still_partition = seconds, partition

    def moved(self, partition, milliseconds):
        """To another database, for which it stood still for so long."""
        self.count(self.moves, 'at once')
        if milliseconds >= self.longest_move_ms:
            self.longest_move_ms, self.moved_partition = milliseconds, partition

    def count(self, counter, name, by=1):
        with self._lock:
            counter[name] += by

    def say(self, text):
        print(f'[{self.lapsed_s():5.0f} s] {text}', flush=True)

    def __str__(self):
        lines = [f'seed {self.seed}, {self.lapsed_s():.0f} s',
                 f'faults                {sum(self.faults.values())}: {_counts(self.faults)}; {self.left_out} left out',
                 f'load                  {_counts(self.loads)}',
                 f'records, answers      {self.records:,}, {self.answers:,}',
                 f'longest stand-still   {self.longest_still_s:.1f} s (partition {self.still_partition})',
                 f'largest worker        {self.largest_mb} MB']
        if self.moves:
            lines.append(f'partitions moved      {_counts(self.moves)}; stood still for {self.longest_move_ms / 1000:.1f} s at most '
                         f'(partition {self.moved_partition})')
        if self.exits:
            lines.append(f'ended by themselves   {_counts(self.exits)}')
        lines += [f'note                  {note}' for note in self.notes]
        lines.append(f'violations            {len(self.violations)}')
        return '\n'.join([*lines, *(f'  {text}' for text in self.violations)])


def total(reports):
    """All rounds together."""
    faults = sum((one.faults for one in reports), collections.Counter())
    moves = sum((one.moves for one in reports), collections.Counter())
    worst = max(reports, key=lambda one: one.longest_still_s, default=None)
    moved = [f'partitions moved      {_counts(moves)}; stood still for '
             f'{max(one.longest_move_ms for one in reports) / 1000:.1f} s at most'] if moves else []
    return '\n'.join([
        f'{len(reports)} rounds, seeds {", ".join(str(one.seed) for one in reports)}',
        f'faults                {sum(faults.values())}: {_counts(faults)}',
        f'records, answers      {sum(one.records for one in reports):,}, {sum(one.answers for one in reports):,}',
        f'longest stand-still   {worst.longest_still_s if worst else 0:.1f} s',
        *moved,
        f'largest worker        {max((one.largest_mb for one in reports), default=0)} MB',
        f'violations            {sum(len(one.violations) for one in reports)}'])


def _counts(counter):
    return ', '.join(f'{count} {name}' for name, count in sorted(counter.items())) or 'none'
