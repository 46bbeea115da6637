"""What is a request and what is malformed."""

import json
import re
from pathlib import Path

import pytest

from oracle.decoding import OPS, decode
from oracle.logs import SHOW
from oracle.parsing import Malformed
from oracle.partitioner import murmur2, partition_of
from oracle.rules import OPERATIONS

PAGE = Path(__file__).parents[2] / 'producer/docs/write-a-service.md'
CONTRACT = Path(__file__).parents[2] / 'schema/messages/request.schema.json'
GOOD = {'request_id': 'r', 'op': 'hold', 'resource': SHOW, 'customer': 'c', 'items': [{'seats': ['A-1']}]}
STAY = {'room': 'd', 'quantity': 1, 'from': '2026-01-01', 'to': '2026-01-02'}
PLACES = {'section': 's', 'quantity': 1}
WHEN = '2026-01-01T00:00:00Z'


def read(**fields):
    return decode(SHOW.encode(), json.dumps({**GOOD, **fields}).encode())


def define(**fields):
    return decode(SHOW.encode(), json.dumps({'request_id': 'r', 'op': 'define', 'resource': SHOW, **fields}).encode())


BAD = {
    'no JSON': b'hello', 'an array': b'[]', 'cut off': b'{"a":1', 'text behind': b'{} x', 'empty': b'', 'none': None,
    'bad UTF-8': b'{"op":"\xff"}', 'a key twice': b'{"op":"probe","op":"open"}',
    'a lone surrogate': b'{"x":"\\ud800"}', 'a zero byte': b'{"x":"\\u0000"}', 'too deep': b'{"x":' + b'[' * 20,
    'NaN': b'{"x":NaN}', 'a huge number': b'{"x":99999999999999999999}',
}
BAD_FIELDS = {
    'no id': {'request_id': None}, 'a long id': {'request_id': 'x' * 65}, 'a blank in the id': {'request_id': 'a b'},
    'unknown op': {'op': 'steal'}, 'no customer': {'customer': None}, 'a number for a name': {'customer': 7},
    'a quote in a name': {'customer': 'a"b'}, 'another key': {'resource': 'show:two'}, 'no items': {'items': []},
    'ttl 0': {'ttl_s': 0}, 'a deadline that is none': {'deadline': 'tomorrow'}, 'too large': {'note2': 'x' * 65536},
    'much meta': {'meta': {'x': 'y' * 1024}}, 'meta that is none': {'meta': []},
    'another shortage': {'shortage': 'some'}, 'waiting for a block': {'wait_until': WHEN, 'from_block': 'b'},
    'waiting to book': {'op': 'book', 'wait_until': WHEN}, 'a wait that is none': {'wait_until': 'soon'},
    'a hold that returns': {'return_at': WHEN}, 'a hold for another': {'to_customer': 'd'},
    'a block out of a block': {'op': 'block', 'from_block': 'b'}, 'a flag that is none': {'force': 1},
    'a hold that cancels': {'cancel_bookings': True}, 'a mark of direction in a name': {'customer': 'a\u202eb'},
    'a byte order mark in a cart': {'cart': '\ufeffk'},
}
BAD_ITEMS = {
    'quantity 0': {**PLACES, 'quantity': 0}, 'no quantity': {'section': 's'}, 'a fraction': {**PLACES, 'quantity': 1.5},
    'a seat twice': {'seats': ['A', 'A']}, 'two kinds': {**PLACES, 'product': 'p'}, 'none': {'quantity': 1},
    'from after to': {**STAY, 'to': '2026-01-01'}, 'no such day': {**STAY, 'from': '2025-02-30'},
    'too many nights': {**STAY, 'to': '2027-01-03'}, 'nights of a section': {**PLACES, 'from': '2026-01-01'},
    'a section and sections': {**PLACES, 'sections': ['t']}, 'a slash': {'section': 'a/b', 'quantity': 1},
    'features of a room': {**STAY, 'features': ['view']}, 'features of seats': {'seats': ['A'], 'avoid': ['aisle']},
    'an empty feature': {**PLACES, 'features': ['']}, 'many sections': {'sections': ['s'] * 101, 'quantity': 1},
    'seats and another quantity': {'seats': ['A', 'B'], 'quantity': 1}, 'a rate that is none': {**PLACES, 'rate': ''},
}


@pytest.mark.parametrize('value', BAD.values(), ids=BAD.keys())
def test_malformed_bytes(value):
    with pytest.raises(Malformed):
        decode(SHOW.encode(), value)


@pytest.mark.parametrize('value, wanted', [
    (b'{"request_id":"r","op":"hold","resource":"s","client":"caf\\u00e9","n":9223372036854775808}',
     {'request_id': 'r', 'op': 'hold', 'resource': 's', 'client': 'caf\u00e9'}),
    (b'{"request_id":"r","request_id":"q","resource":"s"}', {'resource': 's'}),
    (b'{"n":{"a":1,"a":2},"request_id":"r","client":"a\\u0000"}', {'request_id': 'r'}),
    (b'{"customer":"\xff","request_id":"r","client":"w"} x', {'request_id': 'r', 'client': 'w'}),
    (b'{"n":[{"op":"hold"},"]"],"request_id":"r","client":"caf\\u00e9","x":NaN}', {'request_id': 'r'}),
    (b'{"request_id":"r" "op":"hold"}', {'request_id': 'r'}), (b'{"request_id":"r', {}),
    (b'{"request_id":"r",' + b' ' * 1_000_000 + b'"op":"hold"}', {'request_id': 'r'}),
], ids=range(8))
def test_what_an_invalid_answer_says_of_its_request(value, wanted):
    with pytest.raises(Malformed) as raised:
        decode(b's', value)
    assert raised.value.fields == wanted


@pytest.mark.parametrize('change', BAD_FIELDS.values(), ids=BAD_FIELDS.keys())
def test_malformed_fields(change):
    with pytest.raises(Malformed):
        read(**change)


@pytest.mark.parametrize('item', BAD_ITEMS.values(), ids=BAD_ITEMS.keys())
def test_malformed_items(item):
    with pytest.raises(Malformed):
        read(items=[item])


def test_too_much_is_malformed():
    for items in ([PLACES] * 101, [{**PLACES, 'quantity': 4000}, PLACES], [{'seats': ['A']}, {'seats': ['A']}]):
        with pytest.raises(Malformed):
            read(items=items)
    assert sum(item.units() for item in read(items=[{**PLACES, 'quantity': 4000}]).items) == 4000


# What each operation needs: with all of it a request is good, without any one of it malformed.
NEEDS = {
    'confirm': {'customer': 'c', 'booking': 'b'}, 'release': {'customer': 'c', 'booking': 'b'},
    'cancel': {'customer': 'c', 'booking': 'b'}, 'extend': {'customer': 'c', 'booking': 'b', 'ttl_s': 5},
    'exchange': {'customer': 'c', 'booking': 'b', 'items': [PLACES]}, 'leave': {'customer': 'c', 'booking': 'b'},
    'transfer': {'customer': 'c', 'booking': 'b', 'to_customer': 'd'}, 'block': {'items': [PLACES]},
    'unblock': {'booking': 'b'}, 'hold': {'customer': 'c', 'items': [PLACES]},
    'book': {'customer': 'c', 'items': [PLACES]}, 'probe': {}, 'open': {}, 'close': {},
}
BARE = {'customer': None, 'items': None}


def test_each_operation_is_known():
    """Those of the contract, and no others."""
    known = json.loads(CONTRACT.read_text(encoding='utf-8'))['properties']['op']['enum']
    assert sorted([*NEEDS, 'define']) == sorted(OPERATIONS) == sorted(OPS) == sorted(known)


@pytest.mark.parametrize('op', NEEDS)
def test_what_each_operation_needs(op):
    needs = NEEDS[op]
    assert read(**BARE, **{'op': op}).op == op if not needs else read(**{**BARE, 'op': op, **needs}).op == op
    for missing in needs:
        with pytest.raises(Malformed):
            read(**{**BARE, 'op': op, **needs, missing: None})


def test_a_cart_in_place_of_the_booking():
    for op in ('confirm', 'release', 'cancel', 'extend'):
        more = {'op': op, 'cart': 'k', 'ttl_s': 5, 'items': None}
        assert read(**more).cart == 'k'
        with pytest.raises(Malformed):
            read(**{**more, 'customer': None, 'force': True})
    with pytest.raises(Malformed):
        read(op='confirm', cart='k', items=[PLACES])
    assert read(op='confirm', cart='k', booking='b', items=[PLACES]).items
    for op in ('exchange', 'transfer', 'leave'):
        with pytest.raises(Malformed):
            read(op=op, cart='k', to_customer='d' if op == 'transfer' else None,
                 items=[PLACES] if op == 'exchange' else None)


def test_a_probe_of_bookings_names_no_items():
    assert read(op='probe', customer=None, booking='b', items=None).booking == 'b'
    assert read(op='probe', cart='k', items=None).cart == 'k'
    for bad in ({'cart': 'k', 'customer': None}, {'cart': 'k', 'items': [PLACES]}, {'booking': 'b', 'items': [PLACES]}):
        with pytest.raises(Malformed):
            read(**{'op': 'probe', 'items': None, **bad})


def test_the_house_leaves_the_customer_out():
    for op in ('release', 'cancel', 'exchange', 'transfer'):
        assert read(**{**BARE, **NEEDS[op], 'op': op, 'customer': None, 'force': True}).customer is None
    for op in ('confirm', 'extend', 'leave'):
        with pytest.raises(Malformed):
            read(**{**BARE, **NEEDS[op], 'op': op, 'customer': None, 'force': True})


@pytest.mark.parametrize('op', ['release', 'cancel', 'extend', 'leave', 'unblock', 'open', 'close'])
def test_items_where_they_are_of_no_use(op):
    with pytest.raises(Malformed):
        read(op=op, booking='b', ttl_s=5, items=[PLACES])


@pytest.mark.parametrize('item', [{'sections': ['s'], 'quantity': 1}, {**PLACES, 'features': ['aisle']}])
def test_a_confirm_a_transfer_and_a_probe_leave_nothing_to_choose(item):
    assert read(items=[item]).items
    for op in ('confirm', 'transfer', 'probe'):
        with pytest.raises(Malformed):
            read(op=op, booking='b', to_customer='d' if op == 'transfer' else None, items=[item])


# ---- definitions --------------------------------------------------------------------------------------------
ROW = {'row': 'A', 'seats': 2}
BAD_DEFINITIONS = {
    'price and rates': {'sections': [{'section': 's', 'capacity': 1, 'price': 1, 'rates': {'adult': 1}}]},
    'no rates': {'sections': [{'section': 's', 'capacity': 1, 'rates': {}}]},
    'a rate below 0': {'products': [{'product': 'p', 'capacity': 1, 'rates': {'adult': -1}}]},
    'too many beyond': {'products': [{'product': 'p', 'capacity': 9_999_999, 'overbook': 2}]},
    'another strategy': {'strategy': 'worst'}, 'another state': {'state': 'sold'},
    'an end before the beginning': {'opens_at': WHEN, 'closes_at': WHEN},
    'a show that ends before it starts': {'starts_at': WHEN, 'ends_at': '2000-01-01T00:00:00Z'},
    'a least above the most': {'limits': {'units_min': 3, 'units_per_request': 2}},
    'a least above what a customer may have': {'limits': {'units_min': 3, 'units_per_customer': 2}},
    'a limit of 0': {'limits': {'units_per_customer': 0}}, 'a hold of no time': {'limits': {'hold_total_s': 0}}, 'a group of none': {'limits': {'groups': [{'limit': 1}]}},
    'a quota without a name': {'quotas': [{'pools': ['s'], 'limit': 1}]},
    'a quota without pools': {'quotas': [{'quota': 'q', 'limit': 1}]},
    'a quota twice': {'quotas': [{'quota': 'q', 'pools': []}, {'quota': 'q', 'pools': []}]},
    'plan and chart': {'plan': {}, 'chart': 'sha256:' + 'a' * 64}, 'a chart that is none': {'chart': 'sha256:a'},
    'a name for too few': {'sections': [{'section': 's', 'rows': [{**ROW, 'names': ['A-1']}]}]},
    'a rank for too many': {'sections': [{'section': 's', 'rows': [{**ROW, 'ranks': [1, 2, 3]}]}]},
    'x without y': {'sections': [{'section': 's', 'rows': [{**ROW, 'x': [1, 2]}]}]},
    'a feature beyond the row': {'sections': [{'section': 's', 'rows': [{**ROW, 'features': {'aisle': [3]}}]}]},
    'a feature nowhere': {'sections': [{'section': 's', 'rows': [{**ROW, 'features': {'aisle': []}}]}]},
    'rows of another sum': {'sections': [{'section': 's', 'capacity': 3, 'rows': [ROW]}]},
    'a pool twice': {'sections': [{'section': 's', 'capacity': 1}], 'products': [{'product': 's', 'capacity': 1}]},
    'restrictions on no date': {'restrictions': [{'room': 'd', 'from': '2027-01-03', 'to': '2027-01-09', 'days': ['sat']}]},
    'restrictions of a day that is none': {'restrictions': [{'room': 'd', 'from': '2027-01-03', 'to': '2027-01-09', 'days': ['x']}]},
    'restrictions without a room': {'restrictions': [{'from': '2027-01-03', 'to': '2027-01-09'}]},
    'a stay beyond a year': {'restrictions': [{'room': 'd', 'from': '2027-01-03', 'to': '2027-01-09', 'max_stay': 367}]},
    'a rule that is no truth': {'restrictions': [{'room': 'd', 'from': '2027-01-03', 'to': '2027-01-09', 'stop_sell': 1}]},
    'properties that are none': {'products': [{'product': 'p', 'capacity': 1, 'properties': []}]},
}


@pytest.mark.parametrize('definition', BAD_DEFINITIONS.values(), ids=BAD_DEFINITIONS.keys())
def test_malformed_definitions(definition):
    with pytest.raises(Malformed):
        define(**definition)


def test_a_definition_is_read():
    read_one = define(limits={}, quotas=[{'quota': 'q', 'pools': [], 'limit': None}], sections=[
        {'section': 's', 'rates': {'child': 1, 'adult': 2},
         'rows': [{**ROW, 'features': {'b': [2, 1], 'a': [1]}, 'ranks': [2, 1]}]}]).definition
    assert read_one['limits'] == {} and read_one['quotas'] == [('q', [], None, None, None)]
    section = read_one['sections'][0]
    assert section['rates'] == [('child', 1), ('adult', 2)]
    assert section['rows'][0].features == (('a', (0,)), ('b', (0, 1)))


def test_the_framing_of_a_schema_registry_is_skipped():
    framed = b'\0\0\0\0\7' + json.dumps(GOOD).encode()
    assert decode(GOOD['resource'].encode(), framed).content == read().content
    with pytest.raises(Malformed):
        decode(GOOD['resource'].encode(), b'\0\0\0\0\7\2' + json.dumps(GOOD).encode())


# ---- what nobody knows ---------------------------------------------------------------------------------------
def test_unknown_fields_are_named():
    assert read().ignored is None and read(ttl=None).ignored is None
    items = [{'seats': ['A-1'], 'price': 1}, {'section': 's', 'quantity': 1, 'togehter': True}]
    assert read(ttl=60, items=items).ignored == ['ttl', 'items[0].price', 'items[1].togehter']
    assert read(**{f'x{i}': i for i in range(20)}).ignored == [f'x{i}' for i in range(10)]
    assert read(**{'x' * 63 + 'é': 1}).ignored == ['x' * 63]
    read_one = define(nmae='n', plan={'zones': [], 'x': 1}, limits={'units': 1, 'groups': [
        {'pools': ['s'], 'limit': 1, 'x': 1}]}, sections=[{'section': 's', 'rows': [{**ROW, 'x1': 1}], 'y1': 1}])
    assert read_one.ignored == ['nmae', 'sections[0].y1', 'sections[0].rows[0].x1', 'limits.units', 'limits.groups[0].x']


# ---- repeats, keys ------------------------------------------------------------------------------------------
def test_a_good_request_is_read_whatever_comes_with_it():
    request = read(unknown=[1.5], cart=None, shortage='all', deadline=WHEN, client='web')
    assert request.content == read().content
    with pytest.raises(Malformed):
        decode(None, json.dumps(GOOD).encode())


@pytest.mark.parametrize('change', [{'shortage': 'partial'}, {'wait_until': WHEN}, {'from_block': 'b'}, {'cart': 'k'},
                                    {'items': [{'seats': ['A-1'], 'rate': 'child'}]}])
def test_another_content(change):
    assert read(**change).content != read().content


def test_partitions_are_those_of_the_contract():
    """The keys of the page find a client that forgets to clear the top bit, and one that clears more."""
    rows = re.findall(r'^\| `(.+)` \| (\d+) \| (set|clear) \|$', PAGE.read_text(), re.MULTILINE)
    assert [(key, partition_of(key.encode(), 12), 'set' if murmur2(key.encode()) >> 31 else 'clear') for key, _p, _b in rows] == [
        (key, int(partition), bit) for key, partition, bit in rows]
    unmasked = [murmur2(key.encode()) % 12 == int(partition) for key, partition, _bit in rows]
    assert {True, False} == set(unmasked) and [bit == 'clear' for _k, _p, bit in rows] == unmasked


def test_murmur2_of_every_tail_length():
    assert [murmur2(b'21'), murmur2(b'foobar'), murmur2(b'a-little-bit-long-string')] == [
        -973932308 & 0xFFFFFFFF, -790332482 & 0xFFFFFFFF, -985981536 & 0xFFFFFFFF]
