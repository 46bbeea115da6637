"""Of the scenarios: the house of one story, a realm of its own with a worker that is running when a test begins."""

import pytest

from harness.realm import Realm


@pytest.fixture(scope='module', name='premises')
def premises_fixture(request, stack):
    """The realm of one file; its settings are what the file calls SETTINGS."""
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
