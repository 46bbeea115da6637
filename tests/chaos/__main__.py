"""`make chaos`: rounds of a few minutes, each with a seed of its own, on a stack of their own. Exit 1: something
that must not be was found."""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / 'integration')]

from harness.stack import BUILD, Stack  # noqa: E402

from .disk import Disk  # noqa: E402
from .findings import total  # noqa: E402
from .rounds import Round  # noqa: E402

PRIVATE = 'CHAOS_IS_PRIVATE'
ROUND_S = 300  # the replay has all of a round in memory


def interrupt(*_signal):
    raise KeyboardInterrupt


def new_logs(seed):
    """A folder that outlasts the round, and is not on the disk that can be full."""
    folder = BUILD / 'chaos' / f'seed-{seed}'
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def privately():
    """Goes on in a name space of its own where that is what it takes to mount a disk."""
    if os.geteuid() == 0 or os.environ.get(PRIVATE):
        return
    os.environ[PRIVATE] = 'yes'
    command = ['unshare', '--map-current-user', '--mount', '--keep-caps']
    if subprocess.run([*command, 'true'], check=False, capture_output=True).returncode == 0:
        os.execvp(command[0], [*command, sys.executable, '-m', 'chaos', *sys.argv[1:]])


def main():
    words = argparse.ArgumentParser(prog='make chaos', description=__doc__)
    words.add_argument('--minutes', type=float, default=5)
    words.add_argument('--seed', type=int, default=random.randrange(1_000_000))
    options = words.parse_args()
    privately()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    disk = Disk()
    stack, reports, left_s = Stack(disk.folder), [], options.minutes * 60
    # The database's files follow the stack's, where its user may go there.
    os.environ['TMPDIR'] = str(disk.folder)
    try:
        while left_s > 0 and not any(one.is_interrupted for one in reports):
            stack.up()
            seed = options.seed + len(reports)
            stack.worker_logs = new_logs(seed)
            print(f'round {len(reports) + 1}, repeated by: make chaos MINUTES={min(left_s, ROUND_S) / 60:g} '
                  f'SEED={seed}', flush=True)
            reports.append(Round(stack, f'chaos{len(reports) + 1}', seed, disk).run(min(left_s, ROUND_S)))
            left_s -= ROUND_S
            shutil.copytree(stack.directory / 'log', stack.worker_logs, dirs_exist_ok=True)
            print(f'{reports[-1]}\nlogs                  {stack.worker_logs}', flush=True)
    finally:
        stack.kill('kafka')
        stack.down()
        disk.close()
    print(total(reports))
    return 1 if not reports or any(one.violations for one in reports) else 0


if __name__ == '__main__':
    sys.exit(main())
