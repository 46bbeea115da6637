"""A broker that speaks TLS, beside the stack of the session."""

import pytest

from harness.secured import secured_broker


@pytest.fixture(scope='session')
def broker(stack, tmp_path_factory):
    with secured_broker(tmp_path_factory.mktemp('secured')) as one:
        yield one
