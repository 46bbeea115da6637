"""Of all tests on the real stack: the stack of the session, a shared realm for plain operations, and realms of their
own for tests that break things. The worker under test is the built program; nothing of it is imported here."""

import contextlib
import fcntl
import itertools
import os
import pathlib
import sys
import zlib

import pytest
import redis

TESTS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS / 'integration')]

from harness.own_redis import OwnRedis  # noqa: E402
from harness.realm import STEADY, Realm  # noqa: E402
from harness.shows import HALL, HOTEL  # noqa: E402
from harness.stack import BUILD, Stack  # noqa: E402

PARTS = ('postgres', 'redis', 'kafka')


def company(item):
    """How soon a test is to begin, and whose fixtures it must stay together with, or nobody's: the realm of all, or what
    its file makes once. The longest first."""
    if 'shared_realm' in item.fixturenames:
        return 0, 'shared'
    if getattr(item.module, 'STOPS_PARTS', False):  # its realm is of one name, and is made once
        return 1, 'parts'
    if not {'stack', 'make_realm', 'parts'} & set(item.fixturenames):
        return 4, item.path.name
    if 'newcomer' in item.fixturenames:  # a role is of the server, which all processes share
        return 3, 'newcomer'
    if 'parts' in item.fixturenames:  # each process that has one of these starts a stack for them
        return 2, f'parts{zlib.crc32(item.nodeid.encode()) % 2 or ""}'
    if any(found[-1].scope == 'module' for found in item._fixtureinfo.name2fixturedefs.values()):
        return 1, item.path.name
    return 3, None


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items):
    for item in items:
        if 'browser' in item.fixturenames:
            item.add_marker(pytest.mark.whole)
    items.sort(key=lambda item: (company(item)[0], item.get_closest_marker('last') is not None))
    for item in items:
        together = company(item)[1]
        if together:
            item.add_marker(pytest.mark.xdist_group(together))


# This process, of those that run tests; and their run.
PROCESS = os.environ.get('PYTEST_XDIST_WORKER', 'gw0')
RUN = os.environ.get('PYTEST_XDIST_TESTRUNUID', str(os.getpid()))


@contextlib.contextmanager
def joined(one):
    """A stack for all processes of a run: the first that needs it starts it, the last that leaves stops it. Another run in the
    same build, such as `make drills` beside `make test-image`, would recreate the stack under this one."""
    lock, door = pathlib.Path(f'{one.directory}.lock'), pathlib.Path(f'{one.directory}.door')
    lock.parent.mkdir(parents=True, exist_ok=True)
    with open(lock, 'a+', encoding='utf-8') as users, open(door, 'w', encoding='utf-8') as entry:
        fcntl.flock(entry, fcntl.LOCK_EX)
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            users.truncate(0)
            users.write(RUN)
            users.flush()
            one.up()
        except BlockingIOError:
            users.seek(0)
            if users.read() != RUN:
                pytest.fail(f'another run of tests uses {one.directory}: wait until it has ended, or build elsewhere (BUILD=)', pytrace=False)
            one.join()
        fcntl.flock(users, fcntl.LOCK_SH)
        fcntl.flock(entry, fcntl.LOCK_UN)
        try:
            yield one
        finally:
            fcntl.flock(entry, fcntl.LOCK_EX)
            with contextlib.suppress(BlockingIOError):  # others go on with it
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Its data is of no use any more, and each part would take its time to write down what it has.
                for part in PARTS:
                    one.kill(part)
                one.down()


@pytest.fixture(scope='session')
def stack():
    """One for all processes: a test that breaks a part takes `parts`."""
    with joined(Stack(BUILD / 'integration')) as one:
        # Other tests go on beside the one that would empty their Redis.
        redis.from_url(one.exports['USHER_REDIS']).execute_command('ACL', 'SETUSER', 'default', '-flushall', '-flushdb')
        yield one


@pytest.fixture(scope='session')
def own_stack():
    """One of this process alone, whose parts may be stopped and killed."""
    with joined(Stack(BUILD / f'integration-{PROCESS}')) as one:
        yield one


@pytest.fixture(scope='session')
def shared_realm(stack):
    """One realm with one worker over four partitions, for all tests that only ask and look."""
    realm = Realm(stack, 'shared', partitions=4)
    realm.worker(**STEADY)
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
def make_realm(request):
    """Makes realms of the test's own: make_realm(partitions=1, USHER_…=…). A file may have SETTINGS of all of its realms."""
    one = request.getfixturevalue('own_stack' if 'parts' in request.fixturenames else 'stack')
    common, realms = getattr(request.module, 'SETTINGS', {}), []

    def make(partitions=1, **settings):
        realms.append(Realm(one, f'realm{PROCESS[2:]}_{next(_numbers)}', partitions, **{**common, **settings}))
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
def parts(own_stack):
    """A stack for tests that stop parts of it: they all run again afterwards."""
    yield own_stack
    for part in PARTS:
        own_stack.start(part)


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
