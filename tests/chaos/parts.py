"""Signals to the parts of a stack. `stack` does one thing at a time: what is to be killed or paused would wait until
another part has started."""

import contextlib
import os
import pathlib
import signal


def process_of(stack, part):
    return int((stack.directory / 'run' / f'{part}.pid').read_text(encoding='ascii').split()[0])


def is_alive(stack, part):
    try:
        stat = pathlib.Path(f'/proc/{process_of(stack, part)}/stat').read_text(encoding='ascii', errors='replace')
    except (OSError, IndexError):
        return False
    return stat.rpartition(') ')[2][0] != 'Z'


def family(process):
    """The process and its children: PostgreSQL is many."""
    yield process
    with contextlib.suppress(OSError):
        for task in pathlib.Path(f'/proc/{process}/task').iterdir():
            yield from map(int, (task / 'children').read_text(encoding='ascii').split())


def send(stack, part, number):
    for process in list(family(process_of(stack, part))):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


def kill(stack, part):
    send(stack, part, signal.SIGKILL)


def pause(stack, part):
    send(stack, part, signal.SIGSTOP)


def resume(stack, part):
    send(stack, part, signal.SIGCONT)
