"""A way to PostgreSQL that ends at a chosen statement: before the server has it, or when it is done and nobody has heard."""

import contextlib
import re
import socket
import struct
import threading
import urllib.parse

# A statement with and without parameters, and the end of what `copy … from stdin` is sent.
BEGINNINGS = b'QPc'
# It is done, or waits for what is copied.
READY = b'ZG'


class Way:
    """Statements with that in them count over all connections, from one on; at the chosen one `happens` is called, and its
    connection ends."""

    def __init__(self, server, at, what=b'', is_done=False, happens=lambda: None):
        self._server, self._at, self._what, self._is_done, self._happens = server, at, what, is_done, happens
        self._lock, self.count = threading.Lock(), 0
        self._listener = socket.create_server(('127.0.0.1', 0))
        threading.Thread(target=self._accept, daemon=True).start()

    def uri(self, uri):
        """The URI, by this way."""
        parts = urllib.parse.urlsplit(uri)
        user = parts.netloc.rpartition('@')[0]
        host = f'127.0.0.1:{self._listener.getsockname()[1]}'
        return urllib.parse.urlunsplit(parts._replace(netloc=f'{user}@{host}', query='sslmode=disable&gssencmode=disable'))

    def close(self):
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):  # closed
            while True:
                client, server = self._listener.accept()[0], socket.create_connection(self._server)
                for one in client, server:
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                stopped = threading.Event()
                threading.Thread(target=self._ask, args=(client, server, stopped), daemon=True).start()
                threading.Thread(target=self._answer, args=(client, server, stopped), daemon=True).start()

    def _is_chosen(self, kind, message):
        with self._lock:
            counts = kind in BEGINNINGS and re.search(self._what, message) is not None
            self.count += counts
            return counts and self.count == self._at

    def _ask(self, client, server, stopped):
        for kind, message in messages(client, has_startup=True):
            if kind and self._is_chosen(kind, message):
                if not self._is_done:
                    self._happens()
                    break
                stopped.set()
            with contextlib.suppress(OSError):  # it has ended
                server.sendall(message)
        end(client, server)

    def _answer(self, client, server, stopped):
        for kind, message in messages(server):
            if stopped.is_set():
                if kind in READY:
                    self._happens()
                    break
            else:
                with contextlib.suppress(OSError):  # it has ended
                    client.sendall(message)
        end(client, server)


def end(*connections):
    for connection in connections:
        with contextlib.suppress(OSError):  # it has ended
            connection.shutdown(socket.SHUT_RDWR)


def messages(connection, has_startup=False):
    """(kind, bytes) of each message, until the other side closes; the one that begins a connection has no kind."""
    with contextlib.suppress(OSError), connection.makefile('rb') as stream:
        kind = b'' if has_startup else stream.read(1)
        while len(size := stream.read(4)) == 4:
            yield kind, kind + size + stream.read(struct.unpack('>i', size)[0] - 4)
            kind = stream.read(1)
