"""What drills have in common: how workers are set up, and the table at the end."""

import pytest

from harness.load import Crowd
from harness.realm import Realm

# Sessions as an installation has them, not the short ones of the other tests: the waits are to be those of operators.
SESSIONS = {'USHER_KAFKA_SESSION_TIMEOUT': '6s', 'USHER_KAFKA_HEARTBEAT': '500ms'}
PAUSE_S = 0.05  # of the crowd, after 50 requests
TITLES = 'drill', 'records', 'longest wait', 'verdict'


@pytest.fixture(scope='session')
def stack(own_stack):
    """Drills stop and replace its parts."""
    return own_stack


@pytest.fixture(name='keep')
def what_is_kept():
    """Whatever it is given ends with the test, behind the realms on it."""
    kept = []
    yield lambda site: kept.append(site) or site
    for site in kept:
        site.close()


@pytest.fixture(name='make_realm')
def realms_of_drills(stack, keep):  # pylint: disable=unused-argument
    """Makes realms with workers: make_realm(name, site), on the stack or on something that stands in for it."""
    realms = []

    def make(name, site=stack, workers=2, partitions=4, **settings):
        realms.append(Realm(site, name, partitions, **{**SESSIONS, **settings}))
        for _worker in range(workers):
            realms[-1].worker()
        return realms[-1]
    yield make
    for realm in realms:
        realm.close()


@pytest.fixture
def make_crowd():
    """A crowd that has its resources, not started yet."""
    return lambda realm, seed: Crowd(realm, seed, PAUSE_S).define()


@pytest.fixture
def balance():
    """Whether the log has no request that was passed over, then the replay's verdict on all of them, then the program's own
    on the books, which it returns."""
    def verify(realm):
        assert not list(realm.undecided())
        assert realm.check().facts['internal'] == 0
        return realm.command('reconcile')
    return verify


@pytest.fixture
def tell(capsys, record_property):
    """Prints what was found, and keeps it for the table: with the report, whichever process makes it."""
    def say(what, crowd, verdict):
        row = what, f'{crowd.asked():,}', f'{crowd.longest_wait_s():.1f} s', verdict
        record_property('drill', row)
        with capsys.disabled():
            print(f'\n{row[0]}: {row[1]} records, longest wait {row[2]}, {row[3]}', flush=True)
    return say


def pytest_terminal_summary(terminalreporter):
    told = [value for report in terminalreporter.getreports('passed') if report.when == 'call'
            for name, value in report.user_properties if name == 'drill']
    failed = [(report.nodeid.rpartition('::test_')[2].replace('_', ' '), '', '', 'FAILED')
              for report in terminalreporter.getreports('failed') + terminalreporter.getreports('error')]
    rows = [TITLES, *told, *failed]
    widths = [max(len(row[column]) for row in rows) for column in range(len(TITLES))]
    terminalreporter.section('drills')
    for what, records, wait, verdict in rows:
        terminalreporter.line(f'{what:{widths[0]}}  {records:>{widths[1]}}  {wait:>{widths[2]}}  {verdict}')
