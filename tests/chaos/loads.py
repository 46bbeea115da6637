"""What is asked meanwhile, as a table of kinds, each a thread of its own that does the same again and again; what it
asks is a function of the seed, when it comes is not. The replay judges what came of it."""

import contextlib
import datetime
import json
import random
import socket
import subprocess
import threading
import time
import traceback
import typing
from collections import deque

import confluent_kafka

from harness.domain_load import DomainCrowd
from harness.shows import pieces, places, seated
from harness.stack import clean_environment, program
from harness.waiting import PATIENCE_S
from oracle.partitioner import partition_of

from .carts import carts
from .poison import BOMBS, POISONS, TOO_LARGE, bomb

AHEAD = 1000   # requests without an answer, at most
KEPT = 2000    # requests that may be repeated
FAIRS = 3      # resources of each strategy

# The replay has to go through it all. Powers of two are drawn.
ROUND_S = 300           # what follows is for so long a round; a shorter one has less
IMPORTED = 13, 18.2     # pools and seats that houses bring in
LARGEST = 60_000        # of them, those of one; 65,535 is the maximum of pools
PUSHED = 2_500_000      # pools whose rates are told …
PUSHED_HOTEL = 10, 15.9  # … of one hotel that has so many
TORN = b'\0\0\xff\xff\0\0\0\x09', b'\x7f\xff\xff\xff', b'GET / HTTP/1.1\r\n\r\n'
SLOWLY_S = 0.02  # from one line to the next of a client that will vanish
CODECS = ('gzip', 'snappy', 'lz4', 'zstd')


class Load:
    """What the kinds share: the client, the ledger, what was asked of late."""

    def __init__(self, realm, ledger, watcher, findings, seed, seconds):
        self.realm, self.client, self.ledger, self.watcher = realm, realm.client, ledger, watcher
        self.findings, self.seed = findings, seed
        self.history, self.enough = deque(maxlen=KEPT), threading.Event()
        self.seasons = 0  # shows that were opened and closed
        self.seconds = seconds
        crowd = DomainCrowd(realm, fairs=FAIRS).define()
        crowd.close()
        self.resources = crowd.resources
        self.client.outlive_brokers()
        self._threads = [Kind(self, *kind) for kind in KINDS]

    def start(self):
        for thread in self._threads:
            thread.start()

    @contextlib.contextmanager
    def held(self):
        """While inside nobody sends, and Kafka has all that was sent before."""
        with contextlib.ExitStack() as all_of_them:
            for thread in self._threads:
                all_of_them.enter_context(thread.sending)
            self.client.flush()
            yield

    def finish(self):
        self.enough.set()
        for thread in self._threads:
            thread.join()
            thread.close()
        self.client.flush()

    def producer(self, **settings):
        """One more, which sends what is too large, too."""
        return self.client.connected(**{'message.max.bytes': 1_000_000_000, **settings})


class Kind(threading.Thread):
    """One of the table."""

    def __init__(self, load, name, pause_s, do):
        super().__init__(daemon=True, name=name)
        self.load, self.pause_s, self.do = load, pause_s, do
        self.dice, self.sending = random.Random(f'{load.seed}/{name}'), threading.Lock()
        self.left, self.hotel = None, None  # what a kind that is limited may still send; what it sends again and again
        self._crowd = DomainCrowd(load.realm, seed=f'{load.seed}/{name}/requests', fairs=FAIRS)

    def run(self):
        while not self.load.enough.is_set():
            if self.load.watcher.waiting() + len(self.load.client.producer) < AHEAD:
                try:
                    with self.sending:
                        count = self.do(self)
                    self.load.findings.count(self.load.findings.loads, self.name, count)
                except Exception:  # pylint: disable=broad-except
                    self.load.findings.violation(f'the load "{self.name}" ended: {traceback.format_exc()}')
                    return
            self.load.client.producer.poll(0)
            self.load.enough.wait(self.dice.uniform(0.5, 1.5) * self.pause_s)

    def close(self):
        self._crowd.close()

    # ---- what kinds are made of ----
    def request(self):
        request = self._crowd._request()  # pylint: disable=protected-access
        self.load.history.append(request)
        return request

    def requests(self, least, most):
        return [self.request() for _number in range(self.dice.randint(least, most))]

    def resource(self):
        return self.dice.choice(self.load.resources)

    def put(self, request):
        self.load.client.put(json.dumps(request), request['resource'], self.load.ledger)

    def produce(self, producer, value, key, places, **options):
        """By a producer of its own."""
        producer.produce(self.load.client.topic, value, key, on_delivery=lambda error, message: error or places.append(
            (message.partition(), message.offset())), **options)
        producer.poll(0)


# ---- kinds: each returns how many records it sent ----
def crowd(kind):
    """The whole domain."""
    requests = kind.requests(5, 40)
    for request in requests:
        kind.put(request)
    return len(requests)


def repeats(kind):
    """Earlier requests again, as they were or changed under the same id."""
    history = list(kind.load.history)
    requests = [dict(kind.dice.choice(history)) for _number in range(kind.dice.randint(1, 10) if history else 0)]
    for request in requests:
        kind.dice.choice([lambda: None, lambda: request.update(client='another'), lambda: request.update(customer='c1'),
                          lambda: request.update(op='probe')])()
        kind.put(request)
    return len(requests)


def poison(kind):
    value, key, options = POISONS[kind.dice.choice(list(POISONS))](
        kind.dice, kind.resource(), kind.load.client.partitions)
    kind.load.client.put(value, key, kind.load.ledger, **options)
    return 1


def compressed(kind):
    """Batches of good requests."""
    codec = kind.dice.choice(CODECS)
    producer = kind.load.producer(**{'compression.type': codec, 'linger.ms': 20})
    requests = kind.requests(5, 60)
    for request in requests:
        kind.produce(producer, json.dumps(request), request['resource'], kind.load.ledger)
    producer.flush(PATIENCE_S)
    return len(requests)


def bombs(kind):
    """Good requests on both sides of one, as a rule in the same batch."""
    sizes = TOO_LARGE if kind.dice.random() < 0.3 else BOMBS
    codec = kind.dice.choice(list(sizes))
    producer, resource = kind.load.producer(**{'compression.type': codec, 'linger.ms': 20}), kind.resource()
    value = bomb(kind.dice, codec, kind.dice.randint(sizes[codec] // 3, sizes[codec])
                 if sizes is BOMBS else sizes[codec])
    for one in (json.dumps(kind.request()), value, json.dumps(kind.request())):
        kind.produce(producer, one, resource, kind.load.ledger)
    producer.flush(PATIENCE_S)
    return 3


def transactions(kind):
    """Committed, aborted, or left open until a successor fences it. An open one stops its partitions for readers of
    what is committed."""
    load, dice = kind.load, kind.dice
    requests, places, what = kind.requests(1, 6), [], dice.choice(['commit', 'commit', 'abort', 'leave', 'vanish'])
    partitions = {partition_of(request['resource'].encode(), load.client.partitions) for request in requests}
    identity = {'transactional.id': f'{load.realm.name}-transactions', 'transaction.timeout.ms': 60000}
    with load.watcher.stopped(partitions):
        producer = begun(load, identity)
        try:
            producer.begin_transaction()
            for request in requests:
                kind.produce(producer, json.dumps(request), request['resource'], places)
            producer.flush(5)
            if what in ('leave', 'vanish'):
                load.enough.wait(dice.uniform(0.2, 4))
            if what == 'commit':
                producer.commit_transaction(5)
            elif what == 'abort':
                producer.abort_transaction(5)
        except confluent_kafka.KafkaException:
            what = 'unknown'
        if what != 'commit':
            if what == 'vanish':
                del producer
            begun(load, identity)  # the log goes on behind whatever there was
    if what == 'commit':
        for place in places:
            load.ledger.append(place)
    return len(places)


def begun(load, identity):
    """A producer that may begin a transaction; those before it have none open any more."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        producer = load.producer(**identity)
        try:
            producer.init_transactions(5)
            return producer
        except confluent_kafka.KafkaException:
            if time.monotonic() > deadline:
                raise


def vanishing(kind):
    """A client that is killed while it sends and waits."""
    requests = kind.requests(20, 150)
    client = subprocess.Popen([program('usher-producer'), 'send', '--wait'], text=True, bufsize=1, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                              env=clean_environment(**kind.load.realm.environment))
    with contextlib.suppress(BrokenPipeError), client:  # it may have ended, if a part was away
        for request in requests:
            client.stdin.write(json.dumps(request) + '\n')
            time.sleep(SLOWLY_S)
        client.kill()
    return len(requests)


def torn(kind):
    """A connection that ends in the middle of what it sends: only the broker sees it."""
    host, _colon, port = kind.load.realm.brokers.rpartition(':')
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), timeout=1) as connection:
        connection.sendall(kind.dice.choice(TORN))
    return 1


def show_is_over(kind):
    """A show that is over as soon as it is on, with a guest of its own. Nobody asks for it again: `prune` deletes it, and
    `forget-customer` may forget the guest, of whom the replay must find no trace."""
    load, dice = kind.load, kind.dice
    show, guest = f'season:{load.seasons + 1}', f'guest:{load.seasons + 1}'

    def request(op, **fields):
        return load.client.request(op, show, **fields)
    requests = [request('define', **seated(6, 8), products=[{'product': 'programme', 'capacity': 9, 'price': 500}])]
    for _number in range(dice.randint(1, 5)):
        items = dice.choice([places('stalls', dice.randint(1, 3)), pieces('programme', 1)])
        how = dice.choice([{'op': 'book', 'payment': 'card'}, *({'op': 'hold', 'ttl_s': seconds} for seconds in (1, 2, 3))])
        requests.append(request(**how, customer=guest, items=items, meta={'name': guest}))
        if dice.random() < 0.4:
            requests.append(request(dice.choice(['confirm', 'release', 'cancel']), customer=guest,
                                    booking=requests[-1]['request_id']))
    requests.append(request('close', cancel_bookings=dice.choice([None, None, True])))
    for one in requests:
        kind.put(one)
    load.seasons += 1
    return len(requests)


def night(number):
    return (datetime.date(2030, 1, 1) + datetime.timedelta(number)).isoformat()


def hotel(kinds, nights, **each):
    """So many kinds of rooms."""
    return {'state': 'open', 'rooms': [{'room': f'kind{number}', 'from': night(0), 'to': night(nights), **each}
                                       for number in range(kinds)]}


def hall(seats):
    """In rows of a hundred and a last one."""
    rows = [100] * (seats // 100) + [seats % 100] * (seats % 100 > 0)
    return {'state': 'open', 'sections': [{'section': 'hall', 'price': 4500, 'rows': [
        {'row': f'R{number}', 'seats': size} for number, size in enumerate(rows)]}]}


def imports(kind):
    """A house brings in all that it has: some that are as large as they may be, or thousands of small ones."""
    load, dice = kind.load, kind.dice
    if kind.left is None:
        kind.left = int(2 ** dice.uniform(*IMPORTED) * load.seconds / ROUND_S)
    count = int(2 ** dice.uniform(0, 11))
    sizes = [min(LARGEST, int(dice.uniform(0.2, 1) * kind.left / count)) for _number in range(count)]
    for size in filter(None, sizes):
        kinds = min(size, dice.randint(1, 30))
        definition = hall(size) if dice.random() < 0.5 else hotel(kinds, size // kinds, capacity=5, price=9000)
        kind.put(load.client.request('define', f'import:{load.client.new_id()}', **definition))
    kind.left -= sum(sizes)
    return len(sizes) - sizes.count(0)


def pushes(kind):
    """All rates of a large hotel again and again: as they are, with another rate of one kind of rooms, or of all."""
    dice = kind.dice
    if kind.left is None:
        kinds, size, rates = dice.randint(2, 30), int(2 ** dice.uniform(*PUSHED_HOTEL)), dice.randint(2, 100)
        kind.left = int(PUSHED * kind.load.seconds / ROUND_S / size)
        kind.hotel = hotel(kinds, size // kinds, capacity=3,
                           rates={f'rate{number}': 9000 + number for number in range(rates)})
    count = min(kind.left, dice.randint(1, 100))
    kind.left -= count
    for _number in range(count):
        rooms = kind.hotel['rooms']
        for room in dice.choice([[], [], [dice.choice(rooms)], rooms]):
            room['rates'] = {**room['rates'], 'rate1': dice.randint(1, 99999)}
        kind.put(kind.load.client.request('define', 'pushed', **kind.hotel))
    return count


class Row(typing.NamedTuple):
    name: str
    pause_s: float  # on average
    do: typing.Callable


KINDS = (
    Row('crowd', 0.15, crowd),
    Row('repeats', 0.5, repeats),
    Row('poison', 0.4, poison),
    Row('compressed', 1.0, compressed),
    Row('bombs', 4.0, bombs),
    Row('transactions', 1.0, transactions),
    Row('carts', 0.3, carts),
    Row('vanishing', 3.0, vanishing),
    Row('torn', 5.0, torn),
    Row('shows that are over', 1.0, show_is_over),
    Row('imports', 10.0, imports),
    Row('pushes', 5.0, pushes),
)
