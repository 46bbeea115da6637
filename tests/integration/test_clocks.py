"""Clocks that are wrong: PostgreSQL's was ahead, as before a fail-over, or a broker's is."""

from datetime import timedelta

from harness.moments import unrequested
from harness.realm import STEADY
from harness.shows import HALL, seats, verdict
from harness.waiting import eventually
from oracle.parsing import instant_of
from test_cache import differences

SETTINGS = STEADY
DAY_MS = 86_400_000


def ahead_ms(realm, instant):
    """How far an instant is ahead of the clock."""
    return instant_of(instant) - realm.sql('select extract(epoch from clock_timestamp()) * 1000')[0][0]


def assert_audit_finds_all(realm):
    """Searches by time find what was decided between any two moments, on both sides of a time that was set back."""
    times = [row[0] for row in realm.sql('select decided_at from usher.decision order by 1')]
    spans = [(start, stop) for start in times for stop in [*times, times[-1] + timedelta(seconds=1)]]
    with realm.session() as cursor:
        for span in spans:
            cursor.execute('select partition, seq from usher.audit_between(%s, %s) order by 1, 2', span)
            found = cursor.fetchall()
            cursor.execute('select partition, seq from usher.audit where decided_at >= %s and decided_at < %s order by 1, 2', span)
            assert found == cursor.fetchall(), span


def append_ahead(realm, worker, low, high):
    """Each request tells it anew: one that waited before it was taken tells less."""
    def is_told():
        realm.ask('probe', 'show')
        return low < worker.metric('usher_partition_append_ahead_seconds') < high
    eventually(is_told, f"Kafka's clock is {low} to {high} s ahead")


def test_kafka_and_postgres_that_differ_are_told_of(make_realm):
    realm = make_realm()
    realm.set_clock('-5 minutes')
    worker = realm.worker()
    realm.ask('define', 'show', **HALL)
    append_ahead(realm, worker, 240, 360)  # the clocks are compared over a way that may be slow
    assert worker.status()['partitions'][0]['append_ahead_ms'] > 200_000
    assert 'warning partition 0: the append times of Kafka are ' in realm.command('check')
    assert ' s ahead of this clock' in realm.command('check')


def test_a_clock_that_was_ahead_is_warned_of_and_set_back(make_realm):
    realm = make_realm()
    realm.set_clock('1 day')
    first = realm.worker()
    realm.ask('define', 'show', **HALL)
    realm.ask('book', 'show', customer='c', items=seats('A-1'))
    held = realm.ask('hold', 'show', customer='c', items=seats('B-1'), ttl_s=600)
    append_ahead(realm, first, -86_460, -86_340)
    first.stop()
    assert 'ahead of the database' not in first.log()

    realm.set_clock('0')
    worker = realm.worker()
    eventually(lambda: 'ahead of the database\'s clock' in worker.log() and 'partition reset-clock' in worker.log())
    eventually(lambda: 80_000 < worker.metric('usher_partition_clock_ahead_seconds') < 86_400)
    append_ahead(realm, worker, -60, 60)
    assert 80_000_000 < worker.status()['partitions'][0]['clock_ahead_ms'] < DAY_MS
    assert ahead_ms(realm, realm.ask('probe', 'show')['decided_at']) > 80_000_000, 'time stands still'

    done = realm.run('partition', 'reset-clock', '--partition', '0')
    assert done.returncode == 77, 'a worker may not move time'
    said = realm.command('partition', 'reset-clock', '--partition', '0', USHER_POSTGRES=realm.uri('owner'))
    assert 'set back' in said and 'keep their ends: 1, the last one' in said and held['expires_at'] in said, said
    answer = realm.ask('hold', 'show', customer='d', items=seats('C-7'), ttl_s=1)
    assert 0 < ahead_ms(realm, answer['expires_at']) + 60_000 < 120_000, 'the worker that runs goes on with the right time'
    unrequested(realm, answer['booking'], 'show', 'expiry')
    eventually(lambda: worker.metric('usher_partition_clock_ahead_seconds') == 0)
    assert verdict(realm.ask('release', 'show', customer='c', booking=held['booking'])) == ('released', None)
    realm.ask('book', 'show', customer='d', items=seats('C-8'))
    assert 'nothing to do' in realm.command('partition', 'reset-clock', '--partition', '0', USHER_POSTGRES=realm.uri('owner'))
    done = realm.run('partition', 'reset-clock', '--partition', '7', USHER_POSTGRES=realm.uri('owner'))
    assert done.returncode == 65 and 'no worker ever took partition 7' in done.stderr
    assert realm.run('partition', 'reset-clock').returncode == realm.run('partition', 'reset').returncode == 64
    assert differences(realm) == []
    assert_audit_finds_all(realm)
    realm.check()
    realm.sql('delete from usher.clock_reset')
    assert len(differences(realm)) == 1, 'time went back without a record of it'


def test_a_broker_that_is_ahead_ends_holds_a_minute_early_at_most(make_realm):
    realm = make_realm()
    realm.set_clock('-1 hour')
    realm.worker()
    realm.ask('define', 'show', **HALL)
    long = realm.ask('hold', 'show', customer='c', items=seats('B-1'), ttl_s=900)
    short = realm.ask('hold', 'show', customer='c', items=seats('B-2'), ttl_s=30)
    assert verdict(realm.ask('confirm', 'show', customer='c', booking=long['booking'])) == ('confirmed', None)
    unrequested(realm, short['booking'], 'show', 'expiry')
    assert [answer['booking'] for answer in realm.client.answers.everything() if answer.get('unasked')] == [short['booking']]
    realm.check(tolerance_ms=DAY_MS)
