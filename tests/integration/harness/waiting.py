"""Waiting for things to become true. Nothing here sleeps for a time that was guessed."""

import contextlib
import os
import signal
import time

# For what does not come at all. How long something takes is no matter of this: on a machine that is busy with other
# things everything takes many times as long.
PATIENCE_S = 90


def eventually(condition, what=None):
    """Asks until the condition holds and returns its value. A failed assertion inside, or what is not there, counts as not yet."""
    deadline = time.monotonic() + PATIENCE_S
    pause = 0.005
    while True:
        try:
            last = condition()
            if last:
                return last
        except (AssertionError, LookupError) as error:
            last = error
        if time.monotonic() > deadline:
            raise AssertionError(f'not within {PATIENCE_S} s: {what or "it became true"} (last: {last})')
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)


def await_stopped(process):
    """Until a child has stopped, or ended: on a busy machine some of its threads run on for a while after the signal."""
    with contextlib.suppress(ChildProcessError):
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)


def pause(process):
    process.send_signal(signal.SIGSTOP)
    await_stopped(process)
