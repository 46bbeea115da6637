"""The schemas and examples of schema/messages: they agree, they cover the contract, and they refuse mistakes.
Needs no stack."""

import copy
import functools
import json
import re

import pytest
import yaml
from contract import EXAMPLES, MESSAGES, schema, validate_answer, validate_changes, validate_overview, validate_request
from oracle.contract import OPS, REQUEST

VALIDATE = {'request': validate_request, 'answer': validate_answer, 'changes': validate_changes,
            'overview': validate_overview}
FILES = sorted(EXAMPLES.glob('*.json'))


def load(path):
    def no_duplicates(pairs):
        assert len(dict(pairs)) == len(pairs), f'{path.name} has a duplicate key'
        return dict(pairs)

    return json.loads(path.read_text(encoding='utf-8'), object_pairs_hook=no_duplicates)


def example(name):
    return load(EXAMPLES / f'{name}.json')


def of_kind(kind):
    return [load(path) for path in FILES if path.name.endswith(f'.{kind}.json')]


# ---- the examples --------------------------------------------------------------------------------------------
@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_example(path):
    VALIDATE[path.name.split('.')[-2]](load(path))


def test_every_op_outcome_and_reason_has_an_example():
    answers = of_kind('answer')
    known = schema('answer')['properties']
    assert {request['op'] for request in of_kind('request')} == set(known['op']['enum'])
    assert {answer['outcome'] for answer in answers} == set(known['outcome']['enum'])
    assert {answer.get('reason') for answer in answers} - {None} == set(known['reason']['enum'])


def test_request_and_answer_belong_together():
    for path in FILES:
        if path.name.endswith('.request.json'):
            request, answer = load(path), load(path.with_name(path.name.replace('.request', '.answer')))
            for field in ('request_id', 'op', 'resource', 'client'):
                assert request.get(field) == answer.get(field), f'{path.name}: {field}'


def test_totals_are_the_sum_of_the_units():
    for answer in of_kind('answer'):
        groups = answer.get('units', answer.get('returned'))
        if 'total' in answer and groups:
            sizes = [group.get('quantity') or len(group.get('seats', group.get('tokens'))) for group in groups]
            assert answer['total'] == sum(size * group['price'] for size, group in zip(sizes, groups))


def test_asyncapi_names_every_message_and_what_it_points_to_is_there():
    document = yaml.safe_load((MESSAGES / 'asyncapi.yaml').read_text(encoding='utf-8'))
    text = json.dumps(document)
    assert document['asyncapi'].startswith('3.')
    for kind in VALIDATE:
        assert f'./{kind}.schema.json' in text
    for target in re.findall(r'"\$ref": "\./([^"#]+)', text):
        assert (MESSAGES / target).is_file(), target
    for pointer in re.findall(r'"\$ref": "#/([^"]+)', text):
        assert functools.reduce(lambda value, step: value.get(step, {}), pointer.split('/'), document), pointer
    for message in document['components']['messages'].values():
        for one in message.get('examples', []):
            VALIDATE[message['name']](one['payload'])


def all_schemas(value):
    """Every schema in a schema."""
    yield value
    if isinstance(value, dict):
        for name in ('properties', 'definitions'):
            for one in value.get(name, {}).values():
                yield from all_schemas(one)
        for name in ('if', 'then', 'else', 'not', 'items', 'allOf', 'anyOf', 'oneOf'):
            held = value.get(name, [])
            for one in held if isinstance(held, list) else [held]:
                yield from all_schemas(one)


@pytest.mark.parametrize('kind', VALIDATE)
def test_programs_that_make_types_of_a_schema_can_read_it(kind):
    """They call the type by the title, and some know no schema but objects."""
    assert schema(kind)['title'] == kind.capitalize()
    assert all(isinstance(one, dict) for one in all_schemas(schema(kind)))


# ---- the schemas refuse mistakes -----------------------------------------------------------------------------
NOTHING = object()


def changed(message, path, value):
    message = copy.deepcopy(message)
    *parents, last = path
    holder = message
    for parent in parents:
        holder = holder[parent]
    if value is NOTHING:
        del holder[last]
    else:
        holder[last] = value
    return message


BAD_ANSWERS = [
    ('hold-seats', ['outcome'], 'sold'),
    ('hold-seats', ['outcome'], NOTHING),
    ('hold-seats', ['request_id'], NOTHING),
    ('hold-seats', ['request_id'], None),
    ('hold-seats', ['op'], NOTHING),
    ('hold-seats', ['booking'], NOTHING),
    ('hold-seats', ['units'], NOTHING),
    ('hold-seats', ['units'], []),
    ('hold-seats', ['units', 0, 'price'], 45.0 + 0.5),
    ('hold-seats', ['units', 0, 'price'], NOTHING),
    ('hold-seats', ['units', 0, 'seats'], ['B-5', 'B-5']),
    ('hold-seats', ['units', 0, 'quantity'], 2),
    ('hold-seats', ['units', 0, 'section'], NOTHING),
    ('hold-seats', ['total'], '9000'),
    ('hold-seats', ['expires_at'], NOTHING),
    ('hold-seats', ['expires_at'], '2026-11-02T10:15:04Z'),
    ('hold-seats', ['returned'], [{'item': 0, 'product': 'p', 'quantity': 1, 'price': 1}]),
    ('hold-seats', ['reason'], 'too_late'),
    ('hold-seats', ['change'], 'created'),
    ('open', ['change'], 'same'),
    ('define-price', ['change'], 'unchanged'),
    ('hold-seats', ['retryable'], False),
    ('hold-seats', ['source'], NOTHING),
    ('hold-seats', ['source', 'offset'], -1),
    ('hold-seats', ['seq'], 0),
    ('hold-seats', ['epoch'], NOTHING),
    ('hold-seats', ['decided_at'], NOTHING),
    ('hold-seats', ['cause'], 'expiry'),
    ('hold-seats', ['replayed'], False),
    ('hold-seats', ['pools'], []),
    ('hold-seats', ['colour'], 'red'),
    ('hold-rooms', ['units', 0, 'night'], NOTHING),
    ('hold-rooms', ['units', 0, 'tokens'], [0, 0]),
    ('confirm', ['expires_at'], '2026-11-02T10:15:04.000Z'),
    ('release', ['returned'], NOTHING),
    ('book-unit-taken', ['reason'], NOTHING),
    ('book-unit-taken', ['reason'], 'malformed'),
    ('book-unit-taken', ['reason'], 'sold_out'),
    ('book-unit-taken', ['retryable'], NOTHING),
    ('book-unit-taken', ['retryable'], False),
    ('book-unit-taken', ['items', 0, 'asked'], 0),
    ('confirm-not-owner', ['retryable'], True),
    ('malformed', ['reason'], 'not_owner'),
    ('malformed', ['retryable'], True),
    ('expired', ['cause'], NOTHING),
    ('expired', ['unasked'], NOTHING),
    ('expired', ['source'], {'partition': 1, 'offset': 1}),
    ('expired', ['outcome'], 'released'),
    ('probe-hall', ['pools'], NOTHING),
    ('probe-hall', ['pools', 0, 'free'], -1),
    ('probe-rooms', ['pools', 0, 'price'], NOTHING),
    ('probe-booking', ['bookings'], NOTHING),
    ('probe-booking', ['bookings'], []),
    ('probe-booking', ['pools'], []),
    ('probe-booking', ['bookings', 0, 'state'], 'held'),
    ('probe-booking', ['bookings', 0, 'units'], 1),
    ('probe-booking', ['bookings', 0, 'position'], 0),
    ('probe-cart', ['bookings', 0, 'expires_at'], '2026-11-03T09:15:31.018Z'),
    ('probe-cart', ['bookings', 1, 'total'], NOTHING),
    ('probe-cart', ['bookings', 1, 'state'], 'sold'),
    ('open', ['rev'], NOTHING),
    ('define-hall', ['chart'], 'sha256:x'),
    ('hold-seats', ['position'], 1),
    ('hold-seats', ['difference'], 0),
    ('hold-seats', ['together'], 1),
    ('hold-seats', ['overbooked'], 0),
    ('hold-seats', ['detail'], 'a note'),
    ('hold-seats', ['units', 0, 'rate'], ''),
    ('hold-partial', ['items'], []),
    ('hold-partial', ['items', 0, 'reason'], 'sold_out'),
    ('hold-waiting', ['position'], NOTHING),
    ('hold-waiting', ['position'], 0),
    ('hold-waiting', ['expires_at'], NOTHING),
    ('waiting-moved', ['expires_at'], NOTHING),
    ('waiting-moved', ['position'], 1),
    ('waiting-moved', ['cause'], 'waiting_list'),
    ('left-by-end', ['cause'], 'waiting_list'),
    ('hold-waiting', ['units'], [{'item': 0, 'product': 'p', 'quantity': 1, 'price': 1}]),
    ('confirm-cart', ['cart'], NOTHING),
    ('confirm-cart', ['units', 0, 'booking'], NOTHING),
    ('confirm-cart', ['op'], 'book'),
    ('extend', ['expires_at'], NOTHING),
    ('extend', ['booking'], NOTHING),
    ('exchange', ['difference'], NOTHING),
    ('exchange', ['difference'], '3000'),
    ('exchange', ['op'], 'hold'),
    ('transfer', ['customer'], NOTHING),
    ('block', ['booking'], NOTHING),
    ('block', ['units'], NOTHING),
    ('block', ['op'], 'hold'),
    ('unblock', ['returned'], NOTHING),
    ('leave', ['customer'], NOTHING),
    ('served', ['outcome'], 'confirmed'),
    ('served', ['customer'], NOTHING),
    ('served', ['cause'], 'luck'),
    ('block-returned', ['outcome'], 'cancelled'),
    ('block-returned', ['op'], 'hold'),
    ('cancelled-by-close', ['outcome'], 'expired'),
    ('cancelled-by-close', ['cause'], 'expiry'),
    ('cancelled-by-close', ['booking'], NOTHING),
    ('expired', ['detail'], 'the singer is ill'),
    ('cancel-by-the-house', ['detail'], ''),
    ('transfer', ['detail'], 'a gift'),
    ('probe-rates', ['state'], NOTHING),
    ('probe-rates', ['state'], 'dusk'),
    ('probe-rates', ['waiting'], -1),
    ('probe-rates', ['pools', 0, 'overbook'], 0),
    ('probe-rates', ['pools', 0, 'rates', 'adult'], [4500]),
    ('probe-nights', ['pools', 0, 'rates', 'saver'], 12000),
    ('probe-nights', ['pools', 0, 'overbook'], 1),
    ('define-unknown-chart', ['retryable'], True),
    ('hold-restricted', ['items', 0, 'restricted'], NOTHING),
    ('hold-restricted', ['items', 0, 'restricted', 'rule'], 'rain'),
    ('hold-restricted', ['items', 1, 'reason'], 'not_enough'),
]


@pytest.mark.parametrize('name, path, value', BAD_ANSWERS)
def test_bad_answer(name, path, value):
    with pytest.raises(AssertionError):
        validate_answer(changed(example(f'{name}.answer'), path, value))


BAD_REQUESTS = [
    ('hold-seats', ['customer'], 'a"b'),
    ('hold-seats', ['items'], []),
    ('hold-seats', ['items', 0, 'section'], 'stalls'),
    ('hold-seats', ['items', 0, 'from'], '2026-01-01'),
    ('hold-seats', ['items', 0, 'seats'], ['B-5', 'B-5']),
    ('hold-seats', ['items', 0, 'features'], ['aisle']),
    ('hold-seats', ['items', 0, 'sections'], ['stalls']),
    ('hold-waiting', ['from_block'], 'press-1'),
    ('hold-choice', ['items', 0, 'sections'], []),
    ('hold-choice', ['items', 0, 'section'], 'boxes'),
    ('hold-choice', ['items', 0, 'avoid'], 'pillar'),
    ('hold-party', ['items', 0, 'rate'], 'adult'),
    ('hold-party', ['items', 0, 'features'], ['aisle']),
    ('hold-party', ['items', 0, 'members'], []),
    ('hold-party', ['items', 0, 'members', 0, 'quantity'], NOTHING),
    ('hold-party', ['items', 0], {'seats': ['A-1'], 'members': [{'quantity': 1}]}),
    ('hold-party', ['items', 0], {'product': 'mug', 'members': [{'quantity': 1, 'features': ['blue']}]}),
    ('hold-party', ['op'], 'probe'),
    ('confirm-partial', ['items', 1], {'section': 'stalls', 'members': [{'quantity': 1}]}),
    ('book-from-block', ['wait_until'], '2026-12-24T19:30:00Z'),
    ('book-products', ['items', 0, 'avoid'], ['dents']),
    ('confirm-cart', ['items'], [{'seats': ['P-1-1']}]),
    ('confirm-cart', ['customer'], NOTHING),
    ('confirm-partial', ['booking'], NOTHING),
    ('confirm-partial', ['items', 1, 'features'], ['aisle']),
    ('extend', ['booking'], NOTHING),
    ('exchange-by-the-house', ['force'], NOTHING),
    ('block', ['items'], []),
    ('probe-rates', ['items', 0], {'sections': ['stalls']}),
    ('probe-rates', ['booking'], 'web-1'),
    ('probe-cart', ['customer'], NOTHING),
    ('probe-cart', ['items'], [{'section': 'stalls'}]),
    ('hold-together', ['items', 0, 'quantity'], NOTHING),
    ('hold-together', ['deadline'], '2026-11-02T10:01:00+01:00'),
    ('hold-rooms', ['items', 0, 'to'], NOTHING),
    ('confirm', ['booking'], NOTHING),
    ('cancel-by-the-house', ['force'], False),
    ('probe-rooms', ['items', 0], {'seats': ['B-5']}),
    ('define-hall', ['currency'], 'gbp'),
    ('define-hall', ['sections', 0, 'rows'], []),
    ('define-hall', ['sections', 0, 'rows', 0, 'seats'], 10001),
    ('define-hall', ['sections', 0, 'rates'], {'adult': 4500}),
    ('define-hall', ['limits'], {'units_min': 0}),
    ('define-hall', ['sections', 0, 'rows', 0, 'x'], [1]),
    ('define-hall', ['sections', 0, 'rows', 0, 'row'], ''),
    ('define-hall', ['sections', 0, 'rows', 0, 'features'], {'aisle': [0]}),
    ('define-plan', ['chart'], 'sha256:' + 64 * '0'),
    ('define-plan', ['plan'], []),
    ('define-plan', ['strategy'], 'worst'),
    ('define-plan', ['sections', 0, 'rates'], {}),
    ('define-plan', ['sections', 0, 'rates', 'adult'], 45.5),
    ('define-plan', ['limits', 'groups', 0, 'pools'], []),
    ('define-plan', ['limits', 'hold_total_s'], 0),
    ('define-plan', ['limits', 'house_hold_total_s'], '30d'),
    ('define-plan', ['quotas', 0, 'pools'], NOTHING),
    ('define-chart', ['chart'], 'hall'),
    ('define-overbook', ['rooms', 0, 'overbook'], -1),
    ('define-restrictions', ['restrictions', 0, 'days'], ['holiday']),
    ('define-restrictions', ['restrictions', 0, 'to'], NOTHING),
    ('define-restrictions', ['restrictions', 1, 'max_stay'], 367),
]


@pytest.mark.parametrize('name, path, value', BAD_REQUESTS)
def test_bad_request(name, path, value):
    with pytest.raises(AssertionError):
        validate_request(changed(example(f'{name}.request'), path, value))


# Values that no field of a type takes.
WRONG = {'id': 'a b', 'word': 'no such word', 'flag': 1, 'object': [], 'instant': 'tomorrow', 'parts': [7]}


def wrong_value(row):
    return WRONG[row['type']] if row['type'] in WRONG else row['max'] + 1 if row['type'] == 'integer' else 'x' * (row['max'] + 1)


@pytest.mark.parametrize('name', REQUEST)
def test_bad_requests_of_each_field(name):
    """As its row has it: missing where it is needed, given where it is refused, and of a wrong value."""
    row = REQUEST[name]
    given = next(request[name] for request in of_kind('request') if request.get(name))
    for op in OPS:
        request = next(request for request in of_kind('request') if request['op'] == op)
        bad = [{**request, name: wrong_value(row)}] if op == 'hold' else []
        bad += [{**request, name: given}] if op not in row.get('only', OPS) else []
        if op in row.get('needed_by', ()) and op not in row.get('or_else', ()):
            bad += [{field: value for field, value in request.items() if field != name}]
        for one in bad:
            with pytest.raises(AssertionError):
                validate_request(one)


BAD_CHANGES = [
    ('sale', ['rev'], NOTHING),
    ('sale', ['state'], 'on'),
    ('sale', ['seats', 0], [11, 'hz']),
    ('sale', ['seats', 0], ['11', 'hh']),
    ('sale', ['pools', 'stalls'], '298/362/4/60'),
    ('sale', ['reload'], True),
    ('sale', ['catalogue_rev'], NOTHING),
]


@pytest.mark.parametrize('name, path, value', BAD_CHANGES)
def test_bad_changes(name, path, value):
    with pytest.raises(AssertionError):
        validate_changes(changed(example(f'{name}.changes'), path, value))


def test_an_overview_says_what_the_change_of_one_resource_does():
    change = {field: value for field, value in example('sale.changes').items() if field not in ('seats', 'pools')}
    assert example('sale.overview') == {'resource': 'show:hamlet-2026-12-24', **change}


def test_clients_may_say_more_than_is_known():
    validate_request({**example('hold-seats.request'), 'colour': 'red'})
