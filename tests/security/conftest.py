"""A broker that speaks TLS, beside the stack of the session."""

import pytest

from harness.certificates import Certificates
from harness.secured import USERS, Broker


@pytest.fixture(name='broker', scope='session')
def secured_broker(stack, tmp_path_factory):
    directory = tmp_path_factory.mktemp('secured')
    certificates = Certificates(directory)
    for user in USERS:
        certificates.authority.issue(user)
    certificates.stranger.issue('impostor')
    broker = Broker(directory, certificates)
    try:
        broker.start()
        yield broker
    finally:
        broker.close()
