"""Signals to the parts of a stack. `stack` does one thing at a time: what is to be killed or paused would wait until
another part has started."""

import contextlib
import os
import pathlib
import signal
import subprocess

from harness.waiting import eventually


def process_of(stack, part):
    return int((stack.directory / 'run' / f'{part}.pid').read_text(encoding='ascii').split()[0])


def is_alive(stack, part):
    """Until the last of its threads is gone."""
    try:
        folder = pathlib.Path(f'/proc/{process_of(stack, part)}')
        stat = (folder / 'stat').read_text(encoding='ascii', errors='replace')
        return stat.rpartition(') ')[2][0] != 'Z' or len(list((folder / 'task').iterdir())) > 1
    except (OSError, IndexError):
        return False


def family(process):
    """The process and its children: PostgreSQL is many."""
    yield process
    with contextlib.suppress(OSError):
        for task in pathlib.Path(f'/proc/{process}/task').iterdir():
            yield from map(int, (task / 'children').read_text(encoding='ascii').split())


def send(stack, part, number):
    """To all of its processes, if it runs."""
    if is_alive(stack, part):
        for process in list(family(process_of(stack, part))):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)


def mend_redis(stack):
    """A disk that was full may leave half of a command within Redis' log. With that it does not start until an operator
    has its own tool cut the log off there."""
    for manifest in (stack.directory / 'redis').glob('*/*.manifest'):
        subprocess.run(['redis-check-aof', '--fix', manifest], input=b'y\n', check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)


def start(stack, part):
    """Again, if it ended while it was waited for."""
    def started():
        try:
            return stack.start(part) is None
        except AssertionError:
            if part == 'redis' and not is_alive(stack, part):
                mend_redis(stack)
            raise
    eventually(started, f'{part} runs')


def kill(stack, part):
    """Returns when it is gone: what is still there would not be started."""
    send(stack, part, signal.SIGKILL)
    eventually(lambda: not is_alive(stack, part), f'{part} is gone')


def pause(stack, part):
    send(stack, part, signal.SIGSTOP)


def resume(stack, part):
    send(stack, part, signal.SIGCONT)
