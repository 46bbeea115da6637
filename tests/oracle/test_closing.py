"""A whole resource cancelled, booking by booking; blocks that return; times that pass: and what the replay finds."""

import copy

import pytest

from oracle.logs import Story, at, places, publish, seats, seats_of
from oracle.replay import replay


@pytest.fixture(name='story')
def with_bookings():
    """r2 held, r3 sold, r4 blocked, r5 waiting, r6 released."""
    story = Story()
    story.define()
    story.hold(seats('A-1'))
    story.book(seats('A-2') + places('standing', 2), 'd')
    story.ask('block', items=places('standing', 1))
    story.hold(places('standing', 1), 'e', wait_until=at(60_000))
    story.ask('release', booking=story.hold(seats('B-1'))['booking'], customer='c')
    return story


def close(story, **fields):
    return story.ask('close', cancel_bookings=True, **fields)


def test_every_booking_ends_and_blocks_stay(story):
    assert close(story, note='ill')['outcome'] == 'defined'
    assert story.resource().state == 'closed'
    for op, fields in (('open', {}), ('define', {'name': 'x'})):
        assert story.ask(op, **fields)['reason'] == 'in_use'
    body = story.cancel('r3')
    assert (body['outcome'], body['cause'], body['detail']) == ('cancelled', 'resource_closed', 'ill')
    assert seats_of({'units': body['returned'][:1]}) == ['A-2'] and body['total'] == 8500
    assert story.cancel('r2')['outcome'] == 'released'
    assert story.ask('open')['reason'] == 'in_use'
    assert story.cancel('r5')['outcome'] == 'left'
    assert story.booking('r4').state == 'blocked' and story.resource().free == 9
    assert story.ask('open')['outcome'] == 'defined'
    report = replay(story.finish())
    assert report, str(report)
    assert report.facts['cancelled'] == 3


def test_what_ends_otherwise_need_not_be_cancelled(story):
    close(story)
    story.ask('release', booking='r2', customer='c')
    story.ask('cancel', booking='r3', customer='d')
    story.expire(at=60_000)
    assert story.resource().cancelling is None
    assert replay(story.finish())


def test_nothing_to_cancel_is_a_plain_close():
    story = Story()
    story.define()
    close(story)
    assert story.ask('open')['outcome'] == 'defined'


@pytest.fixture(name='cancelled')
def all_cancelled(story):
    close(story, note='ill')
    for booking in ('r3', 'r5', 'r2'):
        story.cancel(booking)
    return story.finish()


def rows(evidence):
    return evidence.decisions[0]


def drop(evidence):
    del rows(evidence)[-1]


def twice(evidence):
    rows(evidence).append(copy.deepcopy(rows(evidence)[-1]))
    rows(evidence)[-1].seq += 1


def of_a_block(evidence):
    row = rows(evidence)[-1]
    row.request_id = row.body['booking'] = 'r4'


WRONG = {
    'one is left': drop, 'one is cancelled twice': twice, 'a block is cancelled': of_a_block,
    'another reason': lambda e: rows(e)[-1].body.update(detail='well'),
    'no reason': lambda e: rows(e)[-1].body.pop('detail'),
    'a hold is cancelled': lambda e: setattr(rows(e)[-1], 'outcome', 'cancelled'),
    'it goes on': lambda e: e.resources['show:one'].update(cancelling='ill'),
}


@pytest.mark.parametrize('wrong', WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_reported(cancelled, wrong):
    wrong(cancelled)
    cancelled.answers[0].clear()
    publish(cancelled)
    assert not replay(cancelled)


def test_any_order_will_do(story):
    close(story)
    for booking in ('r5', 'r2', 'r3'):
        story.cancel(booking)
    assert replay(story.finish())


def test_a_resource_that_is_not_cancelled_keeps_its_bookings(story):
    story.ask('close')
    story.cancel('r2')
    report = replay(story.finish())
    assert 'decision 9 of partition 0 (resource_closed of r2): expected none: it is not being cancelled, found one' \
        in report.lines


# ---- times --------------------------------------------------------------------------------------------------
def test_times_end_in_their_order_whatever_they_end():
    story = Story()
    story.define()
    story.ask('block', items=places('standing', 3), return_at=at(3000))
    story.hold(places('standing', 1), wait_until=at(2000))
    story.hold(seats('A-1'), ttl_s=1)
    causes = [story.expire(at=5000)['cause'] for _one in range(3)]
    assert causes == ['expiry', 'expiry', 'block_returned']
    story.ask('probe')
    evidence = story.finish()
    assert replay(evidence)
    ends = rows(evidence)[4:7]
    assert [row.outcome for row in ends] == ['expired', 'left', 'released']
    evidence.decisions[0][4:6] = ends[1::-1]
    for seq, row in enumerate(rows(evidence), 1):
        row.seq = seq
    assert not replay(evidence)


def test_what_was_due_must_have_ended_before_the_next_record():
    story = Story()
    story.define()
    story.ask('block', items=places('standing', 3), return_at=at(3000))
    story.ask('probe', at=3001)
    report = replay(story.finish())
    assert report.lines[0] == 'decision 3 of partition 0: expected the end of r2, whose time was over, found another'
