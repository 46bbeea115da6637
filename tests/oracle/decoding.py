"""Reads one request as the contract has it, or says that it is malformed. Written from the contract alone: it shares
nothing with the codec but the rows of contract.json. Knows no state and no clock."""

from . import definitions, items, unknown
from .contract import OPS, REQUEST
from .parsing import (ID, LABEL, PLAIN, SIZE_MAX, Malformed, an_object, canonical, flag, instant, integer, parse, salvaged, text,
                      unless)

REQUEST_SIZE_MAX = 65536
KEY_MAX = 65536  # what is kept of a longer one
IDENTITY = ('request_id', 'op', 'resource', 'client')
TTL_MAX = REQUEST['ttl_s']['max']


class Request:
    __slots__ = (*REQUEST, 'partial', 'definition', 'content', 'ignored')


def envelope(found):
    """What an `invalid` answer can say of the request: as much as can be read."""
    fields = {name: found[name] for name in ('request_id', 'resource')
              if isinstance(found.get(name), str) and ID.match(found[name])}
    if found.get('op') in OPS:
        fields['op'] = found['op']
    client = found.get('client')
    if isinstance(client, str) and 1 <= len(client.encode()) <= 64 and PLAIN.match(client):
        fields['client'] = client
    return fields


def _word(found, name, row):
    value = text(found, name, 64)
    unless(value is None or value in row['words'], name)
    return value


def _object(found, name, row):
    value = an_object(found, name)
    unless(value is None or len(canonical(value).encode()) <= row['max'], f'{name}: too large')
    return value


_READ = {
    'id': lambda found, name, row: text(found, name, row['max'], ID),
    'name': lambda found, name, row: text(found, name, row['max'], minimum=1),
    'label': lambda found, name, row: text(found, name, row['max'], LABEL, row['min']),
    'text': lambda found, name, row: text(found, name, row['max'], pattern=None),
    'integer': lambda found, name, row: integer(found, name, row['min'], row['max']),
    'instant': lambda found, name, row: instant(found, name),
    'flag': lambda found, name, row: flag(found, name),
    'word': _word,
    'object': _object,
}


def _stands_in(request, name):
    """A cart, which is somebody's, for a booking; the house for the customer."""
    return request.cart and request.customer if name == 'booking' else request.force


def _check_needs(request):
    for name, row in REQUEST.items():
        if request.op in row.get('needed_by', ()) and not getattr(request, name):
            unless(request.op in row.get('or_else', ()) and _stands_in(request, name), f'{name}: missing')


def _check_conditions(request):
    """An op refuses a condition that it would not carry out: ignoring it would sell wrongly."""
    for name, row in REQUEST.items():
        asked = request.partial if name == 'shortage' else getattr(request, name)
        unless(not asked or request.op in row.get('only', OPS), f'{name}: not of {request.op}')
    unless(request.wait_until is None or request.from_block is None, 'wait_until with from_block')
    unless(not request.overbook or request.force, 'overbook: without force')
    unless(request.from_hold is None or request.from_hold != request.booking, 'from_hold: the booking itself')


def _check_items(request):
    asks = request.op == 'probe' and (request.booking is not None or request.cart is not None)
    unless(not asks or request.booking is not None or request.customer is not None, 'customer: a cart is somebody\'s')
    if request.items:
        unless(not asks, 'items: of no use')
        unless(request.op not in REQUEST['booking']['or_else'] or request.booking is not None, 'items: of a cart')


def _read(found, size):
    request = Request()
    for name, row in REQUEST.items():
        if row['type'] in _READ:
            setattr(request, name, _READ[row['type']](found, name, row))
    unless(request.op, 'op: missing')
    unless(size <= REQUEST_SIZE_MAX or request.op == 'define', 'too large')
    request.partial = request.shortage == 'partial'
    request.items = items.read(found, request.op)
    request.definition = definitions.read(found) if request.op == 'define' else None
    _check_needs(request)
    _check_conditions(request)
    _check_items(request)
    request.content = tuple(
        [item.content() for item in request.items] if name == 'items' else getattr(request, name)
        for name in Request.__slots__
        if name not in ('request_id', 'resource', 'client', 'deadline', 'shortage', 'content', 'ignored'))
    request.ignored = unknown.fields(found)
    return request


def wanted(found):
    """What a waiting party wants, as the record keeps it: as (items, partial, ttl_s, wait_until)."""
    return ([item.content() for item in items.read(found, 'hold')], found.get('shortage') == 'partial',
            integer(found, 'ttl_s', 1, TTL_MAX), instant(found, 'wait_until'))


def decode(key, value):
    """The request in a record, or Malformed. `content` of two requests is equal where they are repeats."""
    try:
        unless(value is None or len(value) <= SIZE_MAX, 'too large')
        found = parse(value)
    except Malformed as error:
        error.fields = envelope(salvaged(value, IDENTITY))
        raise
    try:
        request = _read(found, len(value))
        unless(key is not None, 'no key')
        unless(key == request.resource.encode(), 'the key is not the resource')
    except Malformed as error:
        error.fields = envelope(found)
        raise
    return request
