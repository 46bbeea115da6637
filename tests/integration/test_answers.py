"""Repeats, the envelope of answers and their headers, and where else a decision can be seen: Redis and the views."""

import itertools
import json

import pytest

from harness.shows import HALL_UNITS, places, seats, standing, verdict
from harness.waiting import PATIENCE_S

pytestmark = pytest.mark.smoke


# ---- repeats -------------------------------------------------------------------------------------------------
def same(answer, first):
    """Whether an answer repeats another: all but what each answer has of its own."""
    own = ('seq', 'epoch', 'source', 'client', 'replayed')
    return {name: value for name, value in answer.items() if name not in own} == \
        {name: value for name, value in first.items() if name not in own}


@pytest.mark.parametrize('quantity', [2, 99], ids=['granted', 'refused'])
def test_a_repeat_gets_the_first_answer(world, hall, quantity):
    request = world.client.request('hold', hall, customer='c', items=places('standing', quantity), client='web')
    first = world.ask_all(request)[0]
    world.ask('book', hall, customer='d', items=places('standing', 1))
    again = {**dict(reversed(request.items())), 'client': 'retry', 'deadline': '2020-01-01T00:00:00Z', 'x': [1]}
    second, third = world.ask_all(again, again)
    assert same(second, first) and same(third, first)
    assert second['replayed'] and 'replayed' not in first and second['client'] == 'retry'
    assert second['seq'] != first['seq'] and second['source'] != first['source']
    assert world.ask('probe', hall)['free'] == HALL_UNITS - 1 - (2 if quantity == 2 else 0)


def test_unknown_fields_are_named_and_a_repeat_names_the_first_ones(world, hall):
    request = world.client.request('hold', hall, customer='c', ttl=60, items=[
        {'section': 'standing', 'quantity': 2, 'togehter': True}])
    first, again = world.ask_all(request, {**request, 'other': 1})
    assert verdict(first) == ('held', None) and first['ignored'] == ['ttl', 'items[0].togehter']
    assert again['replayed'] and same(again, first)
    refused = world.ask('cancel', hall, customer='c', booking='none', nite='2026-12-24')
    assert verdict(refused) == ('refused', 'unknown_booking') and refused['ignored'] == ['nite']
    assert 'ignored' not in world.ask('probe', hall)


def test_other_content_under_one_id(world, hall):
    request = world.client.request('hold', hall, customer='c', items=places('standing', 2))
    first, changed = world.ask_all(request, {**request, 'items': places('standing', 3)})
    assert verdict(changed) == ('refused', 'id_reused') and not changed['retryable']
    assert changed['free'] == first['free']
    again = world.ask_all(request)[0]
    assert again['replayed'] and same(again, first)


def test_ids_are_counted_by_resource(world, name):
    one, other = name(), name()
    answers = world.ask_all(*({'request_id': 'same-id', 'op': 'define', 'resource': show, **standing(5)}
                              for show in (one, other)))
    assert [verdict(answer) for answer in answers] == [('defined', None)] * 2


def test_an_id_is_not_used_up_where_the_resource_is_unknown(world, name):
    show = name()
    request = {'request_id': 'early', 'op': 'hold', 'resource': show, 'customer': 'c', 'items': places('floor', 1)}
    assert verdict(world.ask_all(request)[0]) == ('refused', 'unknown_resource')
    world.ask('define', show, **standing(5))
    answer = world.ask_all(request)[0]
    assert verdict(answer) == ('held', None) and 'replayed' not in answer


# ---- the answer's envelope and headers -----------------------------------------------------------------------
def test_seqs_are_dense_and_sources_true(world, hall):
    places_in_log = world.client.send(*(world.client.request('probe', hall) for _time in range(20)))
    answers = world.client.answers_to(places_in_log)
    assert [(answer['source']['partition'], answer['source']['offset']) for answer in answers] == places_in_log
    for partition, accepted in world.client.answers.accepted.items():
        assert [answer['seq'] for answer in accepted] == list(range(1, len(accepted) + 1)), partition


def test_headers_come_back_only_where_they_were_sent(world, hall):
    trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    request = world.client.request('probe', hall, client='web')
    body = json.dumps(request)
    plain = world.client.ask_raw(body, hall)
    assert dict(world.client.answers.record_of(plain).headers() or []) == {'client': b'web'}
    traced = world.client.ask_raw(body, hall, headers={'traceparent': trace, 'ce_id': 'x', 'ce_specversion': '1.0',
                                                       'ce_type': 't', 'ce_source': 's'})
    headers = dict(world.client.answers.record_of(traced).headers())
    assert headers['traceparent'] == trace.encode()
    assert headers['ce_id'] == f'{traced["source"]["partition"]}-{traced["seq"]}'.encode()


# ---- where else it can be seen -------------------------------------------------------------------------------
def test_redis_shows_it(world, hall):
    world.ask('hold', hall, customer='c', items=seats('A-2', 'BA-15'))
    answer = world.ask('book', hall, customer='c', items=[*seats('C-8'), *places('standing', 3)])
    shown, chart, pools = world.await_shown(hall, answer['rev'])
    assert chart == '.h..' + '......' + '.......s' + '....h'
    assert pools == {'stalls': '16/18/1/1/0', 'balcony': '4/5/1/0/0', 'standing': '7/10/0/3/0', 'programme': '3/3/0/0/0'}
    expected = {'kind': 'mixed', 'name': 'Hamlet', 'state': 'open', 'total': '36', 'free': '30', 'held': '2',
                'sold': '4', 'blocked': '0', 'currency': 'EUR', 'timezone': 'Europe/London',
                'partition': str(answer['source']['partition']), 'epoch': str(answer['epoch'])}
    assert {field: shown.get(field) for field in expected} == expected
    assert world.cache.get(f'{world.name}:contract') == '2'
    assert hall in world.listed()
    beat = world.cache.hgetall(f'{world.name}:worker:{answer["source"]["partition"]}')
    assert beat['epoch'] == str(answer['epoch']) and 0 < world.cache.ttl(f'{world.name}:worker:0') <= 15


def test_redis_tells_of_each_change(world, hall):
    world.await_shown(hall, world.ask('probe', hall)['rev'])
    with world.cache.pubsub() as listener:
        listener.subscribe(f'{world.name}:{{{hall}}}:changes')
        assert listener.get_message(timeout=PATIENCE_S)['type'] == 'subscribe'
        answer = world.ask('hold', hall, customer='c', items=seats('A-2', 'A-3'))
        message = listener.get_message(timeout=PATIENCE_S)
        change = json.loads(message['data'])
    assert (change['rev'], change['free'], change['held']) == (answer['rev'], answer['free'], 2)
    assert change['from'] == 0 or change['seats'] == [[1, 'hh']]
    assert change['pools']['stalls'] == '16/18/2/0/0'


def test_views_show_it(world, hall):
    world.ask('book', hall, customer='reader-1', items=[*seats('BA-13'), *places('standing', 1)], payment='p9')
    rows = world.sql('select pool, seat, price, payment from usher.purchase where customer = %s order by pool',
                     'reader-1', role='reader')
    assert rows == [('balcony', 'BA-13', 3000, 'p9'), ('standing', None, 2000, 'p9')]
    rows = world.sql('select pool, free, held, sold, total from usher.availability where resource = %s', hall,
                     role='reader')
    assert set(rows) >= {('balcony', 4, 0, 1, 5), ('standing', 9, 0, 1, 10)}
    rows = world.sql('select op, outcome, booking, total from usher.history where resource = %s order by seq', hall,
                     role='reader')
    assert [row[:2] for row in rows] == [('define', 'defined'), ('book', 'confirmed')] and rows[1][3] == 5000


def test_many_requests_at_once_are_decided_in_their_order(world, name):
    show = name()
    world.ask('define', show, **standing(300))
    requests = [world.client.request('hold', show, customer=f'c{number}', items=places('floor', 1 + number % 3))
                for number in range(200)]
    answers = world.ask_all(*requests)
    assert [answer['request_id'] for answer in answers] == [request['request_id'] for request in requests]
    free = 300
    for quantity, answer in zip(itertools.cycle((1, 2, 3)), answers):
        if free >= quantity:
            free -= quantity
            assert verdict(answer) == ('held', None)
        else:
            assert verdict(answer) == ('refused', 'not_enough')
        assert answer['free'] == free
