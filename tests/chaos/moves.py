"""Partitions move from one database to another and back, as an operator moves them who is interrupted now and then: what was begun is
run again, or cancelled, until it has ended."""

import re
import shlex
import signal
import subprocess

from harness.shards import moving
from harness.stack import clean_environment, program
from harness.waiting import PATIENCE_S, eventually

KILLED = 0.4     # of all
CANCELLED = 0.4  # of those that were killed
AWAY, REFUSED = 69, 65  # a database was away; it lives there already


def _start(site, words):
    return subprocess.Popen([program('usher-worker'), 'partition', *words], text=True, stdin=subprocess.DEVNULL, start_new_session=True,
                            env=clean_environment(**{**site.realm.environment, 'USHER_POSTGRES': site.realm.uris('owner')}),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def _ended(site, words, process, *allowed):
    """Its exit code and what it said."""
    try:
        said = process.communicate(timeout=PATIENCE_S)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        said = f'it did not end within {PATIENCE_S} s\n{process.communicate()[0]}'
    if process.returncode not in (0, AWAY, *allowed):
        site.findings.violation(f'partition {shlex.join(words)} ended with {process.returncode}:\n{said[-2000:]}')
    return process.returncode, said


def _until_it_ends(site, words, *allowed):
    """Run again as long as a database is away; its exit code."""
    code = AWAY

    def ended():
        nonlocal code
        code = _ended(site, words, _start(site, words), *allowed)[0]
        return code != AWAY
    eventually(ended, f'{shlex.join(words)} ends')
    return code


def begin_move(site, step):
    """A copy that is not the first one of that partition goes on where its rows were left."""
    partition, to = step.dice.randrange(site.realm.partitions), step.dice.choice(list(site.realm.shards))
    words = moving(to, partition=partition)
    return partition, to, words, _start(site, words)


def end_move(site, step, begun):
    partition, to, words, process = begun
    if is_killed := step.dice.random() < KILLED:
        process.kill()
    is_cancelled = step.dice.random() < CANCELLED
    code, said = _ended(site, words, process, *([-signal.SIGKILL] if is_killed else []))
    if code:
        # It may stand still until somebody comes back to it.
        with site.watcher.stopped({partition}):
            if is_cancelled or _until_it_ends(site, words):
                _until_it_ends(site, moving(to, '--cancel', partition=partition), REFUSED)
        site.findings.count(site.findings.moves, 'cancelled' if is_cancelled else 'run again')
    elif found := re.search(r'stood still for (\d+) ms', said):
        site.findings.moved(partition, int(found[1]))


def begin_forgetting(site, _step):
    return _start(site, ['forget-moved'])


def end_forgetting(site, step, process):
    is_killed = step.dice.random() < KILLED
    if is_killed:
        process.kill()
    _ended(site, ['forget-moved'], process, *([-signal.SIGKILL] if is_killed else []))


def settle(site):
    """Each partition lives in one database, and nothing of it is left in another one."""
    assert _until_it_ends(site, ['forget-moved']) == 0, 'what was moved is not forgotten'
    shards = site.realm.shards
    for partition in range(site.realm.partitions):
        home = shards.home(partition)
        rows = {shard: shards.stands(shard, partition) for shard in shards}
        assert home and all(row == (None, None) for shard, row in rows.items() if shard != home), (partition, rows)
