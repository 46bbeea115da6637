"""Clients of a worker's HTTP server that are too slow: each sends a byte now and then, and comes again when it is sent away."""

import socket
import threading

ADDRESS = '127.0.0.2'  # another one than that of whoever asks how the worker is
CLIENTS = 300
PAUSE_S = 1.0          # from one byte to the next
REQUEST = b'GET /livez HTTP/1.1\r\nHost: slow\r\nX: ' + b'x' * 1000


class Slow:
    def __init__(self, port):
        self._port, self._socket, self._sent = port, None, 0

    def go_on(self):
        try:
            if not self._socket:
                self._socket, self._sent = socket.socket(), 0
                self._socket.setblocking(False)
                self._socket.bind((ADDRESS, 0))
                self._socket.connect_ex(('127.0.0.1', self._port))
            self._sent += self._socket.send(REQUEST[self._sent:self._sent + 1])
        except BlockingIOError:
            pass  # nobody has taken it yet
        except OSError:
            self.close()

    def close(self):
        if self._socket:
            self._socket.close()
        self._socket = None


class SlowClients(threading.Thread):
    def __init__(self, port):
        super().__init__(daemon=True)
        self._clients, self._enough = [Slow(port) for _client in range(CLIENTS)], threading.Event()
        self.start()

    def run(self):
        while not self._enough.wait(PAUSE_S):
            for client in self._clients:
                client.go_on()

    def close(self):
        self._enough.set()
        self.join()
        for client in self._clients:
            client.close()
