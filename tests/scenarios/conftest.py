"""Of the scenarios: the house of one story, a realm of its own with a worker that is running when a test begins, and a
till that sells carts over several resources."""

import itertools

import pytest

from harness import services
from harness.gate import Gate
from harness.realm import Realm

_tills = itertools.count(1)


class Till:
    """The seller of producer/examples in Python. It goes to Kafka through a gate, and its journal outlives it."""

    def __init__(self, stack, house):
        self._gate, self._house, self._service = Gate(house.brokers), house, None
        self._journal = services.OwnDatabase(stack, f'till_{house.name}_{next(_tills)}')

    def open(self):
        """Begins, or begins again."""
        environment = {**self._house.environment, 'USHER_KAFKA_BROKERS': self._gate.address}
        self._service = services.start('python', 'sell', environment, self._journal,
                                       SELLER=f'till-{self._house.name}', ANSWER_TRIES='1000')
        return self

    def says(self, number=0):
        """What became of a cart: of those that its predecessor left, then of those that it was told."""
        return self._service.answer(number)

    def tell(self, cart):
        self._service.tell(cart)

    def check_out(self, cart):
        number = len(self._service.printed)
        self.tell(cart)
        return self.says(number)

    def reaches(self, cart, *step, kills=False):
        """The checkout has come to that request to Kafka, or to its response, and no further until it is let go. On a machine that
        is very busy it may find by itself that too little time is left."""
        stop = self._gate.stop_at(*step, kills=kills)
        stop.is_of(self._service.process)
        number = len(self._service.printed)
        self.tell(cart)
        self._service.await_line(self._service.said, lambda: stop.caught() or (
            len(self._service.printed) > number and self.says(number)['state'] == 'not sold'))
        return stop

    def dies(self, cart, *step):
        """It is killed there."""
        self.reaches(cart, *step, kills=True)
        self._service.kill()

    def close(self):
        if self._service:
            self._service.kill()
        self._gate.close()


@pytest.fixture
def till(stack, house):
    one = Till(stack, house).open()
    yield one
    one.close()


@pytest.fixture(scope='module', name='premises')
def premises_fixture(request):
    """The realm of one file; its settings are what the file calls SETTINGS, and one that stops parts says so."""
    stack = request.getfixturevalue('own_stack' if getattr(request.module, 'STOPS_PARTS', False) else 'stack')
    realm = Realm(stack, request.module.__name__.removeprefix('test_'), **getattr(request.module, 'SETTINGS', {}))
    realm.worker()
    yield realm
    realm.close()


@pytest.fixture
def house(premises):
    """The same, with its worker ready, whatever became of it in the test before."""
    last = premises.workers[-1]
    if last.process.poll() is None:
        last.resume()
        last.await_ready()
    else:
        premises.worker()
    return premises
