"""The services of producer/examples, as producer/docs/write-a-service.md promises them: what they ask is answered, what
is answered they take in exactly once, whatever is killed. And as producer/docs/sell-across-resources.md does: a cart is
sold whole or not at all."""

import itertools
import json
import re
import socket
import urllib.error
import urllib.request

import confluent_kafka
import pytest

from harness import services
from harness.delete_records import delete_records
from harness.gate import Gate
from harness.realm import STEADY, Realm
from harness.services import LANGUAGES, SELLING, OwnDatabase, Service
from harness.shows import places, standing, stay
from harness.stack import TREE, free_port
from harness.waiting import eventually

EXAMPLES = TREE / 'producer/examples'
PAGE = TREE / 'producer/docs/write-a-service.md'
NUMBERS = itertools.count(1)
pytestmark = [pytest.mark.whole, pytest.mark.usefixtures('premises')]


@pytest.fixture(scope='module', name='premises')
def premises_fixture(stack):
    realm = Realm(stack, 'services', partitions=2, **STEADY)
    realm.worker()
    yield realm
    realm.close()


@pytest.fixture(name='start')
def start_fixture():
    """Starts services that do not outlive the test."""
    started = []

    def start(*arguments, **settings):
        started.append(services.start(*arguments, **settings))
        return started[-1]
    yield start
    for one in started:
        one.kill()


# ---- what the page shows of them -----------------------------------------------------------------------------------
def in_one_line(text):
    """Without regard to line breaks and the placeholders of each language."""
    return ' '.join(re.sub(r':[a-z]+|%\([a-z]+\)s|\$[0-9]|\?', '?', text).split())


@pytest.mark.parametrize('program, column', [('python/service.py', 1), ('java/Service.java', 2), ('go/main.go', 3), ('node/service.mjs', 4)])
def test_the_page_shows_what_the_programs_do(program, column):
    page, text = PAGE.read_text(), (EXAMPLES / program).read_text()
    table = page.partition('\n| | Python')[2].partition('\n\n')[0]
    rows = [line.split('|')[1:-1] for line in table.splitlines()[2:]]
    assert rows and all(len(row) == 5 for row in rows)
    for snippet in [snippet for row in rows for snippet in re.findall('`([^`]+)`', row[column])]:
        assert all(piece in text for piece in snippet.split('…')), snippet
    statement = re.search(r'^    insert into followed(?:.*\n)+?(?=\n)', page, re.MULTILINE)[0]
    assert in_one_line(statement) in in_one_line(text)


# ---- asking --------------------------------------------------------------------------------------------------------
def define(premises, name, capacity=1000):
    assert premises.ask('define', name, **standing(capacity))['outcome'] == 'defined'
    return name


def book(premises, show):
    return premises.client.request('book', show, customer='c', items=places('floor', 1))


@pytest.mark.parametrize('language', LANGUAGES)
def test_a_request_without_an_answer_is_repeated_with_its_id(premises, start, language):
    show = define(premises, f'ask:{language}')
    # As often as it takes: how soon the worker is back is not what is tried.
    service = start(language, 'ask', premises.environment, ANSWER_TIMEOUT='0.5', ANSWER_TRIES='1000')
    service.tell(book(premises, show))
    assert service.answer(0)['outcome'] == 'confirmed'
    worker = premises.workers[-1]
    worker.pause()
    request = book(premises, show)
    service.tell(request)
    service.await_said(request['request_id'])
    worker.resume()
    assert service.answer(1)['booking'] == request['request_id']
    answers = eventually(lambda: two_answers(premises, show, request['request_id']), 'the repeat is answered, too')
    assert [answer.get('replayed', False) for answer in answers] == [False, True]
    # What usher cannot read as JSON is answered, too, with as much of it as it found: the programs go by where it stands.
    unreadable = [{'customer': 'a\0b'}, {'meta': {'n': 10 ** 400}}, {'mine': nested(20)}]
    for number, (fields, is_first) in enumerate(itertools.product(unreadable, (False, True))):
        request = book(premises, show)
        service.tell({**fields, **request, **fields} if is_first else {**request, **fields})
        answer = service.answer(2 + number)
        assert answer['outcome'] == 'invalid' and answer['request_id'] in (None, request['request_id']), answer
    # Of an id that usher cannot read nobody would find the answer: it is not published.
    service.tell({**request, 'request_id': 'order/17'})
    code, said = service.ended()
    assert code != 0 and 'request_id' in said and 'in line 9' in said, said
    assert premises.ask('probe', show)['pools'][0]['sold'] == 2


def nested(depth):
    return json.loads('[' * depth + ']' * depth)


def two_answers(premises, show, request_id):
    answers = [answer for accepted in premises.client.answers.accepted.values() for answer in list(accepted)
               if (answer.get('resource'), answer['request_id']) == (show, request_id)]
    return answers[:2] if len(answers) >= 2 else None


def post(port, request):
    """(status, body) of a request, or of bytes as they are."""
    body = request if isinstance(request, bytes) else json.dumps(request).encode()
    try:
        with urllib.request.urlopen(f'http://127.0.0.1:{port}', body) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_a_request_over_http(premises):
    show, port = define(premises, 'ask:http', capacity=2), free_port()
    service = Service(['/usr/bin/python3', str(EXAMPLES / 'python/rest.py'), str(port)], premises.environment)
    try:
        eventually(lambda: is_open(port), 'it listens')
        request = book(premises, show)
        assert post(port, request)[0] == 200
        status, answer = post(port, request)
        assert (status, answer['replayed']) == (200, True)
        status, answer = post(port, {**book(premises, show), 'items': places('floor', 5)})
        assert (status, answer['reason']) == (409, 'not_enough')
        assert post(port, {**book(premises, show), 'items': []})[0] == 400
        assert post(port, {'op': 'book'}) == (400, {'error': "missing 'resource'"})
        for field in {'customer': '\ud83c'}, {'customer': '\0'}, {'meta': {'n': 10 ** 400}}, {'mine': nested(800)}:
            status, answer = post(port, {**book(premises, show), **field})
            assert (status, answer['reason']) == (400, 'malformed') and answer['detail'], answer
        premises.ask('probe', show)  # what was published before has its answer now
        decided = premises.client.answers.count()
        eventually(lambda: get(port, show)[1]['sold'] == '1', 'Redis shows it')
        status, shown = get(port, show)
        assert (status, shown['free'], shown['pools'], shown['stale']) == (200, '1', {'floor': '1/2/0/1/0'}, False)
        assert [get(port, path)[0] for path in ('', 'favicon.ico', 'show%2fx', 'ask%3Ahttp')] == [400, 404, 400, 200]
        premises.ask('probe', show)
        assert premises.client.answers.count() == decided + 1, 'who looks asks usher nothing'
        for body in b'{"request_id":', b'[]', b'[' * 100_000, b'\xff', b'', json.dumps({**request, 'request_id': 'order/17'}).encode():
            status, answer = post(port, body)
            assert (status, list(answer)) == (400, ['error']), body
        for header, status in (b'', 411), (b'Content-Length: -1', 400), (b'Content-Length: 1e3', 400), (b'Content-Length: ', 400), \
                (b'Content-Length: \xc2\xb2', 400), (b'Content-Length: 1000001', 413), (b'Content-Length: ' + b'9' * 5000, 413), \
                (b'Transfer-Encoding: chunked', 411), (b'Content-Length: 5', 400):
            assert post_raw(port, header, b'{"a"') == status, header
        assert get(port, show)[0] == 200
    finally:
        service.kill()


def get(port, path):
    try:
        with urllib.request.urlopen(f'http://127.0.0.1:{port}/{path}') as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def post_raw(port, header, body):
    """The status of a POST with this header; nothing comes behind the body."""
    with socket.create_connection(('127.0.0.1', port), 30) as connection:
        connection.sendall(b'POST / HTTP/1.1\r\nHost: x\r\n' + header + b'\r\n\r\n' + body if header else
                           b'POST / HTTP/1.1\r\nHost: x\r\n\r\n' + body)
        connection.shutdown(socket.SHUT_WR)
        return int(connection.makefile('rb').readline().split()[1])


OVERLAPPING = """
import json, sys, threading, service
desk, request = service.Desk(), json.loads(sys.stdin.readline())
first = threading.Thread(target=lambda: desk.ask(request, 1))
second = threading.Thread(target=lambda: print(json.dumps(desk.ask(request, 1000)), flush=True))
first.start(), second.start()
first.join()
print('gave up', file=sys.stderr, flush=True)
second.join()
"""


def test_who_gives_up_leaves_the_others_waiting(premises):
    worker, request = premises.workers[-1], book(premises, define(premises, 'ask:twice'))
    service = Service(['/usr/bin/python3', '-c', OVERLAPPING],
                      {**premises.environment, 'PYTHONPATH': str(EXAMPLES / 'python'), 'ANSWER_TRIES': '1'})
    worker.pause()
    try:
        service.tell(request)
        service.await_said('gave up')
        worker.resume()
        assert service.answer(0)['booking'] == request['request_id']
    finally:
        worker.resume()
        service.kill()


def is_open(port):
    try:
        post(port, {})
        return True
    except urllib.error.URLError:
        return False


# ---- following -----------------------------------------------------------------------------------------------------
def append(brokers, topic, records):
    """Records (partition, key, value) at the end of a topic, as they are: those of a partition in one request."""
    producer = confluent_kafka.Producer({'bootstrap.servers': brokers, 'enable.idempotence': True, 'log_level': 0, 'linger.ms': 100})
    for partition, key, value in records:
        producer.produce(topic, value, key, partition=partition)
    assert producer.flush(90) == 0


def letters(database):
    return [words.split()[2] for (words,) in database.sql("select words from letter order by id")]


def has_all(premises, database):
    """Whether the service has taken in every answer that there is now."""
    last = {partition: len(accepted) for partition, accepted in premises.client.answers.accepted.items() if accepted}
    return dict(database.sql('select partition, seq from followed')) == last


def publish_again(premises):
    """What a successor does that cannot know how far its predecessor came."""
    topic = f'{premises.name}.results.v1'
    append(premises.brokers, topic, [
        (partition, message.key(), message.value()) for partition, messages in premises.client.answers.records.items()
        for message in messages[-5:]])


@pytest.mark.parametrize('language', LANGUAGES)
def test_each_answer_has_its_effect_once(stack, premises, start, language):
    show, database = define(premises, f'follow:{language}'), OwnDatabase(stack, f'letters_{language}')
    database.sql('create table letter (id bigserial, customer text not null, words text not null)')
    sold = [answer['booking'] for answer in premises.ask_all(*(book(premises, show) for _time in range(50)))]
    cart = [premises.ask('hold', show, customer='c', cart='k', items=places('floor', 1))['booking'] for _time in range(2)]
    for operation in 'confirm', 'cancel':
        assert premises.ask(operation, show, customer='c', cart='k')['total']
        sold += cart
    with database.locked('letter'):
        service = start(language, 'follow', premises.environment, database)
        database.await_blocked()
        service.kill()  # between the position and the effect
    database.await_left()
    assert letters(database) == [] == database.sql('select * from followed')
    publish_again(premises)
    service = start(language, 'follow', premises.environment, database)
    eventually(lambda: has_all(premises, database), 'it has all there is')
    assert [booking for booking in letters(database) if booking in sold] == sold


def told(seq):
    """An answer as it could be in a log."""
    return (0, 'show:made', json.dumps({'request_id': f'b{seq}', 'resource': 'show:made', 'op': 'book', 'seq': seq,
                                        'outcome': 'confirmed', 'booking': f'b{seq}', 'customer': 'c'}))


@pytest.mark.parametrize('language', LANGUAGES)
def test_the_log_of_two_writers_and_what_retention_deleted(stack, premises, start, language):
    settings = {**premises.environment, 'USHER_TOPIC_PREFIX': f'made-{language}'}
    topic, database = f'made-{language}.results.v1', OwnDatabase(stack, f'made_{language}')
    premises.command('topics', 'create', '--partitions', '1', '--replication', '1', **settings)

    def log(*seqs):
        append(premises.brokers, topic, map(told, seqs))

    def await_letters(*seqs):
        eventually(lambda: letters(database) == [f'b{seq}' for seq in seqs], f'letters {seqs}, each once and in order')

    log(5, 6, 3, 4, 5, 6, 7)
    service = start(language, 'follow', settings, database)
    await_letters(5, 6, 7)
    log(10, 11, 8, 9, 10, 11)
    await_letters(5, 6, 7, 8, 9, 10, 11)
    service.kill()
    database.await_left()

    log(12)
    first = delete_records(premises.brokers, topic)
    log(13)
    code, said = start(language, 'follow', settings, database).ended()
    assert code != 0 and f'its log begins at {first}' in said, said
    await_letters(5, 6, 7, 8, 9, 10, 11)
    # As the page says: once what was deleted was read from the history.
    database.sql('update followed set seq = 12, next_offset = %s', first)
    service = start(language, 'follow', settings, database)
    await_letters(5, 6, 7, 8, 9, 10, 11, 13)

    # Overtaken while it is at work: it ends, whether its client says so or jumps. A response that was under way when it was
    # stopped may have brought it the first of them.
    service.pause()
    for seq in 14, 15, 16:
        log(seq)
    first = delete_records(premises.brokers, topic)
    log(17)
    service.resume()
    code, said = service.ended()
    assert code != 0 and ('offset' in said.lower()), said
    assert letters(database)[8:] in (['b14'], []), letters(database)
    database.sql('update followed set seq = 16, next_offset = %s', first)
    service = start(language, 'follow', settings, database)
    eventually(lambda: letters(database)[-1:] == ['b17'], 'it goes on')

    # Nobody deleted them, but they are not there: what came before is taken in, and then it ends.
    log(18, 20, 21)
    code, said = service.ended()
    assert code != 0 and 'seq 19 of partition 0 is not in the log' in said, said
    assert letters(database)[-2:] == ['b17', 'b18']


# ---- carts over several resources ------------------------------------------------------------------------------------
NIGHTS = {'state': 'open', 'rooms': [
    {'room': 'double', 'from': '2030-12-20', 'to': '2030-12-22', 'capacity': 100, 'price': 9000}]}
# Requests of Kafka's protocol, in the order in which a cart makes them, and their responses: the steps between which a
# service can be killed. Without a transaction: of the holds, and, the second time, of what comes after the commit.
STEPS = [('InitProducerId', 'request', True), ('InitProducerId', 'response', True), ('Produce', 'request', False),
         ('Produce', 'response', False), ('Produce', 'request', True), ('Produce', 'response', True),
         ('EndTxn', 'request', True), ('EndTxn', 'response', True)]


class Evening:
    """Two shows and a hotel, in two partitions, and carts over all three."""

    def __init__(self, premises, name, capacity=100):
        self._premises = premises
        self.shows = [define(premises, f'show:{name}-{number}', capacity) for number in range(2)]
        self.hotel = f'hotel:{name}'
        assert premises.ask('define', self.hotel, **NIGHTS)['outcome'] == 'defined'

    def cart(self, name, **line):
        lines = [{'resource': show, 'items': places('floor', 2), **line} for show in self.shows]
        return {'cart': name, 'customer': f'customer of {name}', 'lines': [
            *lines, {'resource': self.hotel, 'items': stay('double', '2030-12-20', '2030-12-22'), **line}]}

    def states(self, cart):
        """Of its bookings, in the order of its lines; of a line that was tried twice, the last."""
        rows = dict(self._premises.sql('select r.id, b.state from usher.booking b join usher.resource r on r.no = b.resource_no '
                                       'where b.cart = %s order by b.no', cart['cart']))
        return [rows.get(line['resource']) for line in cart['lines']]

    def is_sold_once(self, *carts):
        """Each of them is sold, with as many units as it asked for, and nothing else is taken."""
        assert [self.states(cart) for cart in carts] == [['confirmed'] * 3 for _cart in carts]
        for show in self.shows:
            pool = self._premises.ask('probe', show)['pools'][0]
            assert (pool['sold'], pool['held']) == (2 * len(carts), 0)
        assert self._premises.ask('probe', self.hotel)['pools'][0]['free'] == [100 - len(carts)] * 2


@pytest.fixture(name='gate')
def gate_fixture(premises):
    one = Gate(premises.brokers)
    yield one
    one.close()


@pytest.fixture(name='seller')
def seller_fixture(stack, premises, start, gate):
    """Starts sellers, who share a journal, and go to Kafka through the gate."""
    number = next(NUMBERS)
    database = OwnDatabase(stack, f'carts_{number}')

    def seller(language, name='pod-0'):
        return start(language, 'sell', {**premises.environment, 'USHER_KAFKA_BROKERS': gate.address}, database,
                     SELLER=f'{name}-{number}', ANSWER_TRIES='1000')  # as often as it takes
    return seller


def outcome(service, number=0):
    answer = service.answer(number)
    return answer['cart'], answer['state']


@pytest.mark.parametrize('language', SELLING)
def test_a_cart_is_sold_whole_wherever_its_seller_is_killed(premises, gate, seller, language):
    """One cart, and many lives of its seller: each repeats what the one before did, and is killed a step later. What that
    one sent and was stopped on its way arrives now."""
    evening, late = Evening(premises, f'killed-{language}'), None
    cart = evening.cart(f'killed-{language}')
    for step in STEPS:
        stop = gate.stop_at(*step, kills=True)
        service = seller(language)
        stop.is_of(service.process)
        if not late:
            service.tell(cart)
        service.await_line(service.said, stop.caught)
        if late:
            late.let_go()
        service.kill()
        late = stop
        eventually(lambda: len(set(evening.states(cart))) == 1, 'all lines are in the same state')
    service = seller(language)
    assert outcome(service) == (cart['cart'], 'sold')
    late.let_go()
    other = evening.cart(f'after-{language}')
    for number, again in enumerate((other, cart, other), 1):
        service.tell(again)
        assert outcome(service, number) == (again['cart'], 'sold')
    evening.is_sold_once(cart, other)


@pytest.mark.parametrize('language', SELLING)
def test_a_seller_that_was_stopped_too_long_sells_nothing_late(premises, gate, seller, language):
    """Stopped before it sees that Kafka has its confirms, until Kafka has given up its transaction: what it goes on with
    is refused. While the holds last it sells once more; once they are over, nothing."""
    evening = Evening(premises, f'stopped-{language}')
    carts = [evening.cart(f'stopped-{language}-{ttl_s}', ttl_s=ttl_s) for ttl_s in (600, 10)]
    service = seller(language)
    for number, (cart, state) in enumerate(zip(carts, ('sold', 'not sold'))):
        stop = gate.stop_at('Produce', 'response')
        service.tell(cart)
        # On a machine that is very busy it may find by itself that too little time is left.
        service.await_line(service.said, lambda: stop.caught() or len(service.printed) > number)
        service.pause()
        stop.let_go()
        # Until then all who come later wait.
        assert [premises.ask('probe', line['resource'])['outcome'] for line in cart['lines']] == ['alive'] * 3
        assert 'confirmed' not in evening.states(cart)
        if state == 'not sold':
            eventually(lambda: 'held' not in evening.states(cart), 'its holds are over')
        service.resume()
        assert outcome(service, number) == (cart['cart'], state)
    evening.is_sold_once(carts[0])


@pytest.mark.parametrize('language', SELLING)
def test_a_cart_whose_time_ran_out_on_the_way_is_not_sold(premises, gate, seller, language):
    """There was time when it was paid for. Sold late, it would be without the first show, which somebody else has now."""
    evening, service = Evening(premises, f'late-{language}', capacity=2), seller(language)
    cart, stop = evening.cart(f'late-{language}', ttl_s=4), gate.stop_at('InitProducerId', 'response')
    service.tell(cart)
    # On a machine that is very busy it may find by itself that too little time is left.
    service.await_line(service.said, lambda: stop.caught() or service.printed)
    eventually(lambda: evening.states(cart)[0] != 'held', 'its time is over')
    other = premises.ask('book', evening.shows[0], customer='d', items=places('floor', 2))
    assert other['outcome'] == 'confirmed'
    stop.let_go()
    assert outcome(service) == (cart['cart'], 'not sold')
    assert evening.states(cart) == ['released'] * 3


def test_what_became_of_a_cart_is_settled_long_after(premises, gate, seller):
    """Killed before its commit, and after: when the holds are over each is found to be what it is, and stays so, although
    of the one that was not sold a seat is sold to somebody else meanwhile."""
    evenings = {language: Evening(premises, f'settled-{language}', capacity=4) for language in SELLING}
    carts = [(language, side, evening.cart(f'{language}-{side}', ttl_s=ttl_s))
             for language, evening in evenings.items() for side, ttl_s in (('request', 20), ('response', 600))]
    for language, side, cart in carts:
        stop, service = gate.stop_at('EndTxn', side), seller(language, cart['cart'])
        service.tell(cart)
        # On a machine that is very busy it may find by itself that too little time is left.
        service.await_line(service.said, lambda: stop.caught() or (side == 'request' and service.printed))
        service.kill()
    for language, side, cart in carts:
        evening, state, end = evenings[language], 'sold', ['confirmed'] * 3
        if side == 'request':
            eventually(lambda: 'held' not in evening.states(cart), 'its holds are over')
            other = premises.ask('book', evening.shows[0], customer='d', items=places('floor', 2))
            assert other['outcome'] == 'confirmed'
            state, end = 'not sold', ['released'] * 3
        service = seller(language, cart['cart'])
        assert outcome(service) == (cart['cart'], state)
        service.tell(cart)
        assert outcome(service, 1) == (cart['cart'], state)
        assert evening.states(cart) == end


@pytest.mark.parametrize('language', SELLING)
def test_what_an_earlier_life_left_open_is_ended_first(premises, gate, seller, language):
    """Else its own requests, too, would wait behind it until Kafka gives it up."""
    evening = Evening(premises, f'first-{language}')
    cart, service, commit = evening.cart(f'first-{language}'), seller(language), gate.stop_at('EndTxn', 'request')
    service.tell(cart)
    service.await_line(service.said, commit.caught)
    service.kill()
    epoch, hold = gate.stop_at('InitProducerId', 'request'), gate.stop_at('Produce', 'request', False)
    successor = seller(language)
    successor.await_line(successor.said, lambda: epoch.caught() or hold.caught())
    assert not hold.caught()
    for stop in epoch, hold, commit:
        stop.let_go()
    assert outcome(successor) == (cart['cart'], 'sold')
    evening.is_sold_once(cart)


@pytest.mark.parametrize('language', SELLING)
def test_two_lives_of_a_seller_come_to_the_same_end(premises, gate, seller, language):
    """A successor that is started while its predecessor is only stopped ends the transaction that this has open."""
    evening = Evening(premises, f'two-lives-{language}')
    cart, former, stop = evening.cart(f'two-lives-{language}'), seller(language), gate.stop_at('Produce', 'response')
    former.tell(cart)
    former.await_line(former.said, stop.caught)
    former.pause()
    stop.let_go()
    successor = seller(language)
    assert outcome(successor) == (cart['cart'], 'sold')
    former.resume()
    assert outcome(former) == (cart['cart'], 'sold')
    evening.is_sold_once(cart)


@pytest.mark.parametrize('language', SELLING)
def test_a_cart_that_cannot_be_had_is_given_back(premises, seller, language):
    """Every line that fails is named, the others are free again. A booking that was held before is kept."""
    evening, service = Evening(premises, f'refused-{language}', capacity=4), seller(language)
    held = premises.ask('hold', evening.shows[0], customer='c', items=places('floor', 1))
    cart = {**evening.cart(f'refused-{language}'), 'customer': 'c'}
    cart['lines'][0] = {'resource': evening.shows[0], 'booking': held['booking'], 'ttl_s': 600}
    assert premises.ask('book', evening.shows[1], customer='d', items=places('floor', 3))['outcome'] == 'confirmed'
    rooms = stay('double', '2030-12-21', '2030-12-22', 100)
    assert premises.ask('book', evening.hotel, customer='d', items=rooms)['outcome'] == 'confirmed'
    service.tell(cart)
    answer = service.answer(0)
    assert (answer['state'], [(one['resource'], one['reason']) for one in answer['answers']]) == (
        'refused', [(evening.shows[1], 'not_enough'), (evening.hotel, 'not_enough')])
    probes = [premises.ask('probe', show)['pools'][0] for show in evening.shows]
    assert [(pool['held'], pool['sold']) for pool in probes] == [(1, 0), (0, 3)]
    # The same without what is sold out.
    less = {**cart, 'cart': cart['cart'] + '-less', 'lines': cart['lines'][:1]}
    service.tell(less)
    assert outcome(service, 1) == (less['cart'], 'sold')


@pytest.mark.parametrize('language', SELLING)
def test_what_is_no_cart_is_not_noted(premises, seller, language):
    """Else each later life of the seller would begin with it, and end."""
    evening = Evening(premises, f'no-cart-{language}')
    cart = evening.cart(f'no-cart-{language}')
    for wrong in ({'cart': 'web+7'}, {'cart': 'x' * 41}, {'lines': []}, {'lines': [{**cart['lines'][0], 'resource': 'show a'}]}):
        service = seller(language)
        service.tell({**cart, **wrong})
        code, said = service.ended()
        assert code != 0 and 'in line 1' in said, (wrong, said)
    service = seller(language)
    service.tell(cart)
    assert outcome(service) == (cart['cart'], 'sold')
    evening.is_sold_once(cart)


RECIPE = """
import datetime, json, os, sys, time
from confluent_kafka import Producer, TIMESTAMP_LOG_APPEND_TIME
instant = lambda text: datetime.datetime.fromisoformat(text).timestamp()
{recipe}
seller = Seller(os.environ['USHER_KAFKA_BROKERS'], 'page')
for line in sys.stdin:
    print(json.dumps(seller.sell(json.loads(line), 'pi_1')), flush=True)
"""


def test_the_recipe_of_the_page_sells_a_cart(premises):
    """In time, or not at all."""
    evening, page = Evening(premises, 'recipe'), (TREE / 'producer/docs/sell-across-resources.md').read_text()
    recipe = re.search(r'^```python\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)[1]
    recipe = recipe.replace('booking.requests.v1', premises.client.topic)
    service = Service(['/usr/bin/python3', '-c', RECIPE.format(recipe=recipe)], premises.environment)
    try:
        for number, (ttl_s, sold) in enumerate(((600, True), (2, False), (600, True))):
            cart = evening.cart(f'recipe-{number}', ttl_s=ttl_s)
            service.tell([premises.ask('hold', customer='c', cart=cart['cart'], **line) for line in cart['lines']])
            assert service.answer(number) is sold
            end = 'confirmed' if sold else 'expired'
            eventually(lambda: evening.states(cart) == [end] * 3, f'it is {end}')
    finally:
        service.kill()


def test_of_carts_that_cross_one_is_sold(premises, seller):
    """Each may have taken the last units of the others."""
    evening, meeting, states = Evening(premises, 'crossing', capacity=2), 0, []
    sellers = [seller(language, f'pod-{number}') for number, language in zip(range(3), itertools.cycle(SELLING))]
    while 'sold' not in states:  # rarely none is: where one's second try meets another's first
        carts = [evening.cart(f'crossing-{meeting}-{number}') for number in range(3)]
        for number, cart in enumerate(carts):
            cart['lines'] = cart['lines'][number:] + cart['lines'][:number]
            sellers[number].tell(cart)
        states = [outcome(service, meeting)[1] for service in sellers]
        meeting += 1
        assert meeting < 10
    assert sorted(states) == ['refused', 'refused', 'sold']
    evening.is_sold_once(carts[states.index('sold')])
