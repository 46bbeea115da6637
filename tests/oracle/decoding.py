"""Reads one request as the contract has it, or says that it is malformed. Written from the contract alone: it shares
nothing with the codec. Knows no state and no clock."""

from . import definitions, items, unknown
from .parsing import (ID, LABEL, PLAIN, SIZE_MAX, Malformed, an_object, canonical, flag, instant, integer, parse, salvaged, text,
                      unless)

REQUEST_SIZE_MAX = 65536
KEY_MAX = 65536  # what is kept of a longer one
IDENTITY = ('request_id', 'op', 'resource', 'client')
META_MAX = 1024
TTL_MAX = 31_536_000

OPS = ('define', 'open', 'close', 'hold', 'book', 'confirm', 'release', 'cancel', 'extend', 'exchange', 'transfer',
       'leave', 'block', 'unblock', 'probe')
TAKES_ITEMS = ('hold', 'book', 'confirm', 'exchange', 'block', 'probe')
NEEDS_ITEMS = ('hold', 'book', 'exchange', 'block')
NEEDS_BOOKING = ('confirm', 'release', 'cancel', 'extend', 'exchange', 'transfer', 'leave', 'unblock')
OR_CART = ('confirm', 'release', 'cancel', 'extend')
NEEDS_CUSTOMER = ('hold', 'book', 'confirm', 'release', 'cancel', 'extend', 'exchange', 'transfer', 'leave')
HOUSE_MAY = ('release', 'cancel', 'exchange', 'transfer')

# An op refuses a condition that it would not carry out: ignoring it would sell wrongly.
CONDITIONS = {'shortage': ('hold', 'book', 'block'), 'wait_until': ('hold',), 'return_at': ('block',),
              'from_block': ('hold', 'book'), 'to_customer': ('transfer',), 'cancel_bookings': ('close',),
              'only': ('define',), 'from_hold': ('exchange',)}


class Request:
    __slots__ = ('request_id', 'op', 'resource', 'client', 'customer', 'booking', 'cart', 'payment', 'note', 'meta',
                 'items', 'ttl_s', 'deadline', 'force', 'partial', 'wait_until', 'return_at', 'from_block',
                 'to_customer', 'cancel_bookings', 'only', 'from_hold', 'definition', 'content', 'ignored')


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


def _read_fields(request, found):
    for name in ('client', 'customer', 'cart', 'to_customer'):
        setattr(request, name, text(found, name, 64, minimum=1))
    for name in ('booking', 'from_block', 'from_hold'):
        setattr(request, name, text(found, name, 64, ID))
    request.payment = text(found, 'payment', 128, LABEL, minimum=1)
    request.note = text(found, 'note', 256, pattern=None)
    request.meta = an_object(found, 'meta')
    unless(request.meta is None or len(canonical(request.meta).encode()) <= META_MAX, 'meta: too large')
    request.ttl_s = integer(found, 'ttl_s', 1, TTL_MAX)
    for name in ('deadline', 'wait_until', 'return_at'):
        setattr(request, name, instant(found, name))
    request.force, request.cancel_bookings = flag(found, 'force'), flag(found, 'cancel_bookings')
    shortage = text(found, 'shortage', 64)
    unless(shortage in (None, 'all', 'partial'), 'shortage')
    request.partial = shortage == 'partial'
    request.only = text(found, 'only', 64)
    unless(request.only in (None, 'new', 'existing'), 'only')


def _check_needs(request):
    op, house = request.op, request.force and request.op in HOUSE_MAY
    if op in NEEDS_BOOKING and request.booking is None:
        unless(op in OR_CART and request.cart is not None, 'booking: missing')
        unless(request.customer is not None, 'customer: a cart is somebody\'s')
    unless(op not in NEEDS_CUSTOMER or house or request.customer is not None, 'customer: missing')
    unless(op != 'transfer' or request.to_customer is not None, 'to_customer: missing')
    unless(op != 'extend' or request.ttl_s is not None, 'ttl_s: missing')


def _check_conditions(request):
    given = {'shortage': request.partial, 'cancel_bookings': request.cancel_bookings}
    for name, ops in CONDITIONS.items():
        asked = given.get(name, getattr(request, name, None) is not None)
        unless(not asked or request.op in ops, f'{name}: not of {request.op}')
    unless(request.wait_until is None or request.from_block is None, 'wait_until with from_block')
    unless(request.from_hold is None or request.from_hold != request.booking, 'from_hold: the booking itself')


def _check_items(request):
    unless(request.items or request.op not in NEEDS_ITEMS, 'items: missing')
    asks = request.op == 'probe' and (request.booking is not None or request.cart is not None)
    unless(not asks or request.booking is not None or request.customer is not None, 'customer: a cart is somebody\'s')
    if request.items:
        unless(request.op in TAKES_ITEMS and not asks, 'items: of no use')
        unless(request.op not in OR_CART or request.booking is not None, 'items: of a cart')


def _read(found, size):
    request = Request()
    request.op = text(found, 'op', 64)
    unless(request.op in OPS, 'op')
    unless(size <= REQUEST_SIZE_MAX or request.op == 'define', 'too large')
    request.request_id = text(found, 'request_id', 64, ID)
    request.resource = text(found, 'resource', 64, ID)
    unless(request.request_id and request.resource, 'request_id or resource: missing')
    _read_fields(request, found)
    request.items = items.read(found, request.op)
    request.definition = definitions.read(found) if request.op == 'define' else None
    _check_needs(request)
    _check_conditions(request)
    _check_items(request)
    request.content = tuple(
        [item.content() for item in request.items] if name == 'items' else getattr(request, name)
        for name in Request.__slots__
        if name not in ('request_id', 'resource', 'client', 'deadline', 'content', 'ignored'))
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
