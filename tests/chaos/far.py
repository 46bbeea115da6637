"""A part by a longer way: its proxy (bench/delay_proxy.c) is far away or near, by turns."""

import signal
import subprocess

from harness.stack import program
from harness.waiting import PATIENCE_S

LATE_US = 15000  # in each direction


class Way:
    """Goes to the port of a URI; `uri` is what is to be used in its place."""

    def __init__(self, uri):
        head, _colon, tail = uri.rpartition(':')
        port, slash, path = tail.partition('/')
        self._process = subprocess.Popen([program('tests/bench/delay_proxy'), port, str(LATE_US)], text=True,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
        self.uri = f'{head}:{int(self._process.stdout.readline())}{slash}{path}'
        self.move_near()

    def move_away(self):
        self._process.send_signal(signal.SIGUSR1)

    def move_near(self):
        self._process.send_signal(signal.SIGUSR2)

    def close(self):
        self._process.terminate()
        self._process.wait(PATIENCE_S)
        self._process.stdout.close()
