"""systemd, as far as a service of Type=notify needs it: a socket that hears what it tells."""

import contextlib
import socket

from .waiting import PATIENCE_S


class ServiceManager:
    def __init__(self, path):
        """`settings` are for the environment of the service; its watchdog is a second."""
        self.settings = {'NOTIFY_SOCKET': str(path), 'WATCHDOG_USEC': '1000000'}
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(PATIENCE_S)

    def hear(self, line):
        """Up to that line: what was told since the one before."""
        told = []
        while line not in told:
            told.extend(self._socket.recv(4096).decode().splitlines())
        return told

    def close(self):
        self._socket.close()


@contextlib.contextmanager
def service_manager(folder):
    """One whose socket lies in that folder."""
    with contextlib.closing(ServiceManager(folder / 'notify')) as manager:
        yield manager
