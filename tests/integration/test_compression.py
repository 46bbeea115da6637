"""Records that their producers compressed: what cannot be unpacked is answered `invalid` like any other bad record, and
costs nothing but its own batch."""

import json

import pytest

from harness.batches import log_batches
from harness.shows import places, standing, verdict
from harness.waiting import eventually

pytestmark = pytest.mark.whole
MB = 1_000_000
# librdkafka unpacks up to 100 MB of zstd; the others are limited by how far they can compress the MB that Kafka takes.
TOO_MUCH = ('zstd', 101)
MUCH = (('zstd', 20), ('gzip', 20), ('lz4', 20), ('snappy', 20))


def compressed(realm, codec, *records):
    """Sends records, (key, value) each, in one compressed batch; returns their places in the log."""
    sent = realm.client.send_batch(*records, **{
        'compression.type': codec, 'compression.level': 1, 'message.max.bytes': 1000 * MB, 'batch.size': 2000 * MB,
        'queue.buffering.max.kbytes': 2 * MB})
    partition, first = sent[0]
    batch, = (batch for batch in log_batches(realm, partition) if batch.first <= first <= batch.last)
    assert (batch.first, batch.last) == (first, sent[-1][1]), 'the records are in one batch, and it has no others'
    return sent


def booking(realm):
    return 'show', json.dumps(realm.client.request('book', 'show', customer='c', items=places('floor', 1)))


def zeros(megabytes):
    return 'show', bytes(megabytes * MB)


def verdicts(realm, sent):
    return [verdict(answer) for answer in realm.client.answers_to(sent)]


def kept(realm):
    """How many bytes are kept of what was set aside, by offset; None: none are known."""
    return dict(realm.sql('select source_offset, length(value) from usher.dead_letter'))


BOOKED, INVALID = ('confirmed', None), ('invalid', 'malformed')


def test_records_that_unpack_to_very_much(realm):
    """Whether their bytes can be had or not."""
    realm.ask('define', 'show', **standing(20))
    sizes = {}
    for codec, megabytes in (*MUCH, TOO_MUCH):
        (place, following) = compressed(realm, codec, zeros(megabytes)) + compressed(realm, codec, booking(realm))
        assert verdicts(realm, [place, following]) == [INVALID, BOOKED]
        sizes[place[1]] = MB if (codec, megabytes) != TOO_MUCH else None
        letter, headers = realm.client.dead_letters.await_one(place)
        assert len(letter.value() or b'') == (sizes[place[1]] or 0)
        assert headers['dlq-reason'] == b'malformed' and headers['dlq-offset'] == str(place[1]).encode()
    assert kept(realm) == sizes
    realm.check()


def test_a_key_that_unpacks_to_very_much(realm):
    """It is kept and published as far as a message has room for it."""
    place, = compressed(realm, 'gzip', (b'k' * 5 * MB, b'{}'))
    assert verdicts(realm, [place]) == [INVALID]
    assert realm.sql('select length(key) from usher.decision') == [(65536,)]
    assert realm.sql('select length(key), truncated from usher.dead_letter') == [(65536, True)]
    letter, headers = realm.client.dead_letters.await_one(place)
    assert len(letter.key()) == 65536 and headers['dlq-truncated'] == b'true'
    realm.check()


def test_headers_count(realm):
    def taken():
        return realm.workers[0].metric('usher_request_bytes_total')
    before = taken()
    realm.client.answers_to([realm.client.send_raw(b'{}', 'show', headers=[('h', bytes(400_000)), ('h', bytes(400_000))])])
    assert taken() - before > 800_000


STOP_AT = '''
    create function stand_still() returns trigger language plpgsql security definer as $$
    begin
        while new.next_offset > {0} and exists (select from pg_trigger where tgname = 'stand_still') loop
            perform pg_sleep(0.02);
        end loop;
        return new;
    end $$;
    create trigger stand_still before update on usher.partition_state for each row execute function stand_still();
'''


def test_a_batch_that_cannot_be_unpacked_takes_none_with_it(make_realm):
    """Its own records cannot be had, not even the good ones; it does not matter who owns the partition when. It is the
    first of the log, so that there is no record before it to know the log by."""
    realm = make_realm(USHER_BATCH_LIMIT='1')
    first = compressed(realm, TOO_MUCH[0], zeros(TOO_MUCH[1]))
    realm.worker()
    assert verdicts(realm, first) == [INVALID]
    # Right behind it.
    realm.workers[-1].stop()
    realm.worker()
    realm.ask('define', 'show', **standing(20))
    before = compressed(realm, 'zstd', booking(realm))
    assert verdicts(realm, before) == [BOOKED]
    # Somewhere in it.
    halfway = before[-1][1] + 3
    realm.sql(STOP_AT.format(halfway))
    batch = compressed(realm, TOO_MUCH[0], booking(realm), booking(realm), zeros(TOO_MUCH[1]), *(booking(realm),) * 4)
    behind = compressed(realm, 'zstd', booking(realm))
    eventually(lambda: realm.position()[1] == halfway, 'some of its records are decided')
    realm.workers[-1].kill()
    realm.sql('drop function stand_still cascade')
    realm.worker()
    assert verdicts(realm, batch + behind) == 7 * [INVALID] + [BOOKED]
    assert kept(realm) == {offset: None for _partition, offset in first + batch}
    realm.check()
