"""A way to the broker that stops at a chosen request of Kafka's protocol, or at its response: there the client can be
killed or stopped, at exactly that step. What was stopped can still arrive, however late."""

import contextlib
import queue
import socket
import struct
import threading

APIS = {'Produce': 0, 'InitProducerId': 22, 'EndTxn': 26}
# A client that has a transaction names it in each request that is part of it.
TRANSACTIONAL = b'carts-'


class Stop:
    """One request or response of that kind, the first that comes, waits here until it is let go."""

    def __init__(self, api, side, transactional, kills):
        self.side, self._kind, self._kills = side, (APIS[api], transactional), kills
        self._caught, self._go, self._doomed = threading.Event(), threading.Event(), queue.SimpleQueue()

    def catches(self, side, kind):
        """In one thread at a time."""
        if self._caught.is_set() or (self.side, self._kind) != (side, kind):
            return False
        self._caught.set()
        return True

    def caught(self):
        return self._caught.is_set()

    def is_of(self, process):
        """Whom it kills: at once, for by its other connections it would go on."""
        self._doomed.put(process)

    def hold(self):
        if self._kills:
            self._doomed.get().kill()
        self._go.wait()

    def let_go(self):
        self._go.set()


class Gate:
    def __init__(self, brokers):
        host, port = brokers.split(':')
        self._broker, self._lock, self._stops = (host, int(port)), threading.Lock(), []
        self._listener = socket.create_server(('127.0.0.1', 0))
        own = self._listener.getsockname()[1]
        self.address = f'127.0.0.1:{own}'
        # Brokers tell clients where they are: here.
        self._told, self._tell = (host.encode() + struct.pack('>i', number) for number in (int(port), own))
        threading.Thread(target=self._accept, daemon=True).start()

    def stop_at(self, api, side, transactional=True, kills=False):
        with self._lock:
            self._stops.append(Stop(api, side, transactional, kills))
            return self._stops[-1]

    def close(self):
        self._listener.close()
        for stop in self._stops:
            stop.let_go()

    def _accept(self):
        with contextlib.suppress(OSError):  # closed
            while True:
                client = self._listener.accept()[0]
                broker = socket.create_connection(self._broker)
                for one in client, broker:
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                kinds = {}  # of requests under way, by their correlation id
                for work in self._requests, self._responses:
                    threading.Thread(target=work, args=(client, broker, kinds), daemon=True).start()

    def _requests(self, client, broker, kinds):
        for frame in frames(client):
            api, _version, correlation = struct.unpack('>hhi', frame[4:12])
            kinds[correlation] = api, TRANSACTIONAL in frame
            self._pass('request', kinds[correlation], broker, frame)
        end(broker)

    def _responses(self, client, broker, kinds):
        for frame in frames(broker):
            kind = kinds.pop(struct.unpack('>i', frame[4:8])[0])
            self._pass('response', kind, client, frame.replace(self._told, self._tell))
        end(client)

    def _pass(self, side, kind, to, frame):
        with self._lock:
            stop = next((stop for stop in self._stops if stop.catches(side, kind)), None)
        if stop:
            stop.hold()
        with contextlib.suppress(OSError):  # who is gone gets nothing
            to.sendall(frame)


def end(connection):
    with contextlib.suppress(OSError):  # it has ended
        connection.shutdown(socket.SHUT_RDWR)


def frames(connection):
    """Each message of Kafka's protocol, its length in front, until the other side closes."""
    with contextlib.suppress(OSError), connection.makefile('rb') as stream:
        while len(size := stream.read(4)) == 4:
            rest = stream.read(struct.unpack('>i', size)[0])
            yield size + rest
