"""Waiting for things to become true. Nothing here sleeps for a time that was guessed."""

import time


def eventually(condition, deadline_s=10, what=None):
    """Asks until the condition holds and returns its value. A failed assertion inside counts as not yet."""
    deadline = time.monotonic() + deadline_s
    pause = 0.005
    while True:
        try:
            last = condition()
            if last:
                return last
        except AssertionError as error:
            last = error
        if time.monotonic() > deadline:
            raise AssertionError(f'not within {deadline_s} s: {what or "it became true"} (last: {last})')
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
