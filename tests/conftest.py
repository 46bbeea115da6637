"""Of all tests on the real stack: the stack of the session, a shared realm for plain operations, and realms of their
own for tests that break things. The worker under test is the built program; nothing of it is imported here."""

import contextlib
import fcntl
import itertools
import os
import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS / 'integration')]

from harness.own_redis import OwnRedis  # noqa: E402
from harness.realm import Realm  # noqa: E402
from harness.shows import HALL, HOTEL  # noqa: E402
from harness.stack import BUILD, Stack  # noqa: E402

PARTS = ('postgres', 'redis', 'kafka')


def company(item):
    """How soon a test is to begin, and whose fixtures it must stay together with, or nobody's: the realm of all, or what
    its file makes once. The longest first."""
    if 'shared_realm' in item.fixturenames:
        return 0, 'shared'
    if 'stack' not in item.fixturenames:
        return 4, item.path.name
    if any(found[-1].scope == 'module' for found in item._fixtureinfo.name2fixturedefs.values()):
        return 1, item.path.name
    return 2 if 'parts' in item.fixturenames else 3, None


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: (company(item)[0], item.get_closest_marker('last') is not None))
    for item in items:
        together = company(item)[1]
        if together:
            item.add_marker(pytest.mark.xdist_group(together))


@contextlib.contextmanager
def kept_for_us(directory):
    """Another run in the same build, such as `make drills` beside `make test-image`, would recreate the stack under this one."""
    with open(f'{directory}.lock', 'w', encoding='utf-8') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pytest.fail(f'another run of tests uses {directory}: wait until it has ended, or build elsewhere (BUILD=)', pytrace=False)
        yield


@pytest.fixture(scope='session')
def stack():
    """Each process that runs tests has one of its own."""
    process = os.environ.get('PYTEST_XDIST_WORKER', 'gw0')
    one = Stack(BUILD / ('integration' if process == 'gw0' else f'integration-{process}'))
    with kept_for_us(one.directory):
        try:
            one.up()
            yield one
        finally:
            # Its data is of no use any more, and each would take its time to write down what it has.
            for part in PARTS:
                one.kill(part)
            one.down()


@pytest.fixture(scope='session')
def shared_realm(stack):
    """One realm with one worker over four partitions, for all tests that only ask and look."""
    realm = Realm(stack, 'shared', partitions=4)
    realm.worker()
    yield realm
    realm.close()


@pytest.fixture
def world(shared_realm):
    """The shared realm, with its worker ready, whatever the tests before did to the stack."""
    shared_realm.workers[-1].await_ready()
    return shared_realm


@pytest.fixture
def ask(world):
    return world.ask


@pytest.fixture
def make_own_redis(tmp_path):
    """Starts a Redis of the test's own in a folder with this name; each is stopped whatever became of the test."""
    with contextlib.ExitStack() as made:
        def make(name, *options):
            directory = tmp_path / name
            directory.mkdir()
            one = OwnRedis(directory, *options)
            made.callback(one.close)
            return one
        yield make


@pytest.fixture
def own_redis(make_own_redis):
    return make_own_redis('redis')


_numbers = itertools.count(1)


@pytest.fixture
def name(request):
    """Makes names that no other test uses: name('show') → show:<test>-1."""
    test = request.node.originalname.removeprefix('test_')[:40].replace('_', '-')
    return lambda kind='show': f'{kind}:{test}-{next(_numbers)}'


@pytest.fixture
def make_realm(stack):
    """Makes realms of the test's own: make_realm(partitions=1, USHER_…=…)."""
    realms = []

    def make(partitions=1, **settings):
        realms.append(Realm(stack, f'realm{next(_numbers)}', partitions, **settings))
        return realms[-1]
    yield make
    for realm in realms:
        realm.close()


@pytest.fixture
def realm(make_realm):
    """A realm of one partition, its worker running."""
    one = make_realm()
    one.worker()
    return one


@pytest.fixture
def parts(stack):
    """The stack, for tests that stop parts of it: they all run again afterwards."""
    yield stack
    for part in PARTS:
        stack.start(part)


@pytest.fixture
def hall(ask, name):
    """A show of the shared realm: rows, a section by capacity, products."""
    show = name()
    assert ask('define', show, **HALL)['outcome'] == 'defined'
    return show


@pytest.fixture
def hotel(ask, name):
    one = name('hotel')
    assert ask('define', one, **HOTEL)['outcome'] == 'defined'
    return one
