"""Reads one request as the contract has it, or says that it is malformed. Written from the contract alone:
it shares nothing with the codec. Knows no state and no clock."""

import datetime
import json
import re

REQUEST_SIZE_MAX = 65536
DEFINE_SIZE_MAX = 1000000
DEPTH_MAX = 16
ITEMS_MAX = 100
UNITS_MAX = 4000
NIGHTS_MAX = 366
CAPACITY_MAX = 10_000_000
PRICE_MAX = 10**12
TTL_MAX = 31_536_000
POOLS_MAX = 65535

OPS = ('define', 'open', 'close', 'hold', 'book', 'confirm', 'release', 'cancel', 'probe')
ID = re.compile(r'[A-Za-z0-9_.:-]{1,64}\Z')
PLAIN = re.compile(r'[^\x00-\x1f\x7f-\x9f"\\]*\Z')
DATE = re.compile(r'\d{4}-\d\d-\d\d\Z')
INSTANT = re.compile(r'(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?[Zz]\Z')
EPOCH = datetime.date(1970, 1, 1)

# Fields of the contract that this version does not carry out: it refuses them rather than to sell wrongly.
NOT_CARRIED_OUT = {
    None: ('wait_until', 'to_customer', 'return_at', 'cancel_bookings', 'from_block'),
    'item': ('sections', 'features', 'avoid'),
    'define': ('opens_at', 'closes_at', 'strategy', 'limits', 'quotas', 'overbook', 'plan', 'chart'),
    'pool': ('rates', 'overbook', 'properties'),
}


class Malformed(Exception):
    """Not a request to carry out. `fields` holds what could be read of it for the answer's envelope."""

    def __init__(self, why, reason='malformed', fields=None):
        super().__init__(why)
        self.reason, self.fields = reason, fields or {}


def unless(condition, why):
    if not condition:
        raise Malformed(why)


# ---- JSON ---------------------------------------------------------------------------------------------------
def _object(pairs):
    result = dict(pairs)
    unless(len(result) == len(pairs), 'duplicate key')
    return result


def _integer(text):
    value = int(text)
    unless(-2**63 <= value < 2**63, 'number too large')
    return value


def _real(text):
    value = float(text)
    unless(abs(value) != float('inf'), 'number too large')
    return value


def _constant(_text):
    raise Malformed('not a number')


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_real,
                            parse_constant=_constant)


def _depth(text):
    deepest = depth = 0
    for bracket in re.sub(r'"(?:[^"\\]|\\.)*"|[^\[\]{}"]', '', text):
        depth += 1 if bracket in '[{' else -1
        deepest = max(deepest, depth)
    return deepest


def parse(value):
    """The JSON object in `value` (bytes), strictly."""
    unless(value is not None, 'no value')
    try:
        text = value.decode('utf-8')
        if text.count('[') + text.count('{') > DEPTH_MAX:
            unless(_depth(text) <= DEPTH_MAX, 'nested too deep')
        found = _DECODER.decode(text)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Malformed(str(error)) from None
    unless(isinstance(found, dict), 'not an object')
    if '\\u' in text:
        # Escapes can smuggle in what UTF-8 forbids, and a zero byte that no text of C can hold.
        flat = json.dumps(found, ensure_ascii=False)
        unless(not any(0xD800 <= ord(character) < 0xE000 for character in flat), 'lone surrogate')
        unless('\\u0000' not in flat, 'zero byte')
    return found


# ---- single fields ------------------------------------------------------------------------------------------
def text(found, name, maximum, pattern=PLAIN, minimum=0):
    value = found.get(name)
    if value is None:
        return None
    unless(isinstance(value, str), f'{name}: not a string')
    unless(minimum <= len(value.encode()) <= maximum, f'{name}: length')
    unless(pattern is None or pattern.match(value), f'{name}: characters')
    return value


def name_of(found, field, maximum=64):
    value = text(found, field, maximum, minimum=1)
    unless(value is None or '/' not in value, f'{field}: slash')
    return value


def integer(found, name, minimum, maximum):
    value = found.get(name)
    if value is None:
        return None
    unless(type(value) is int, f'{name}: not an integer')
    unless(minimum <= value <= maximum, f'{name}: out of bounds')
    return value


def flag(found, name):
    value = found.get(name)
    unless(value is None or isinstance(value, bool), f'{name}: not a boolean')
    return bool(value)


def objects(found, name):
    value = found.get(name)
    if value is None:
        return []
    unless(isinstance(value, list), f'{name}: not a list')
    unless(all(isinstance(one, dict) for one in value), f'{name}: not objects')
    return value


def night(found, name):
    """The day, counted from 1970-01-01."""
    value = text(found, name, 10)
    if value is None:
        return None
    unless(DATE.match(value), f'{name}: not a date')
    try:
        day = (datetime.date.fromisoformat(value) - EPOCH).days
    except ValueError:
        raise Malformed(f'{name}: no such day') from None
    unless(day >= 0, f'{name}: before 1970')
    return day


def night_name(day):
    return (EPOCH + datetime.timedelta(days=day)).isoformat()


def instant_of(value):
    """Milliseconds since 1970 of an RFC 3339 instant in UTC, or None."""
    match = INSTANT.match(value)
    if not match:
        return None
    date, hour, minute, second, fraction = match.groups()
    try:
        day = (datetime.date.fromisoformat(date) - EPOCH).days
    except ValueError:
        return None
    if int(hour) > 23 or int(minute) > 59 or int(second) > 59:
        return None
    milliseconds = int(((fraction or '.0')[1:] + '00')[:3])
    return ((day * 24 + int(hour)) * 60 + int(minute)) * 60000 + int(second) * 1000 + milliseconds


def instant(found, name):
    value = text(found, name, 64, pattern=None)
    if value is None:
        return None
    milliseconds = instant_of(value)
    unless(milliseconds is not None, f'{name}: not an instant')
    return milliseconds


def carried_out(found, where):
    for name in NOT_CARRIED_OUT[where]:
        unless(not found.get(name), f'{name}: not supported')


# ---- items --------------------------------------------------------------------------------------------------
class Item:
    __slots__ = ('kind', 'pool', 'seats', 'quantity', 'start', 'end', 'together', 'rate')

    def content(self):
        return (self.kind, self.pool, self.seats, self.quantity, self.start, self.end, self.together,
                self.rate)

    def units(self):
        return self.quantity * (self.end - self.start if self.kind == 'room' else 1)


def _kind(found):
    kinds = [kind for kind in ('seats', 'section', 'room', 'product') if found.get(kind) is not None]
    unless(len(kinds) == 1, 'an item is about one of seats, section, room, product')
    return kinds[0]


def _seats(found):
    seats = found['seats']
    unless(isinstance(seats, list) and seats, 'seats: not a list')
    for seat in seats:
        unless(isinstance(seat, str) and 1 <= len(seat.encode()) <= 64 and PLAIN.match(seat), 'seats: name')
    unless(len(set(seats)) == len(seats), 'seats: twice')
    return tuple(seats)


def _item(found, op):
    carried_out(found, 'item')
    item = Item()
    item.kind = _kind(found)
    item.pool = item.seats = item.start = item.end = None
    item.together = flag(found, 'together') and item.kind == 'section'
    item.rate = text(found, 'rate', 64, minimum=1)
    item.quantity = integer(found, 'quantity', 1, UNITS_MAX)
    if item.kind == 'seats':
        unless(op != 'probe', 'seats: of a probe')
        item.seats = _seats(found)
        unless(item.quantity in (None, len(item.seats)), 'quantity: not the seats named')
        item.quantity = len(item.seats)
    else:
        item.pool = name_of(found, item.kind)
        unless(item.quantity is not None or op == 'probe', 'quantity: missing')
        item.quantity = item.quantity or 1
    if item.kind == 'room':
        item.start, item.end = night(found, 'from'), night(found, 'to')
        unless(item.start is not None and item.end is not None, 'from or to: missing')
        unless(0 < item.end - item.start <= NIGHTS_MAX, 'nights')
    else:
        unless(found.get('from') is None and found.get('to') is None, 'from, to: only a room has nights')
    return item


def _items(found, op):
    listed = objects(found, 'items')
    unless(len(listed) <= ITEMS_MAX, 'items: too many')
    items = [_item(one, op) for one in listed]
    unless(sum(item.units() for item in items) <= UNITS_MAX, 'items: too many units')
    named = [seat for item in items if item.seats for seat in item.seats]
    unless(len(named) == len(set(named)), 'items: a seat twice')
    return items


# ---- the catalogue ------------------------------------------------------------------------------------------
def _rows(found):
    if found.get('rows') is None:
        return None
    rows = []
    for one in objects(found, 'rows'):
        row, seats = text(one, 'row', 64, minimum=1), integer(one, 'seats', 1, 10000)
        first = integer(one, 'first', 0, 1_000_000)
        unless(row is not None and seats is not None, 'row or seats: missing')
        first = 1 if first is None else first
        unless(len(f'{row}-{first + seats - 1}'.encode()) <= 64, 'row: seat names too long')
        rows.append((row, seats, first))
    unless(rows, 'rows: none')
    unless(sum(seats for _row, seats, _first in rows) <= CAPACITY_MAX, 'rows: too many seats')
    return rows


def _pool(found, kind):
    carried_out(found, 'pool')
    pool = {'name': name_of(found, kind), 'price': integer(found, 'price', 0, PRICE_MAX),
            'capacity': integer(found, 'capacity', 0, CAPACITY_MAX)}
    unless(pool['name'] is not None, f'{kind}: missing')
    return pool


def _section(found):
    section = _pool(found, 'section')
    section['rows'] = rows = _rows(found)
    if rows and section['capacity']:
        unless(section['capacity'] == sum(row[1] for row in rows), 'capacity: not the seats')
    return section


def _room(found):
    room = _pool(found, 'room')
    room['start'], room['end'] = night(found, 'from'), night(found, 'to')
    unless(room['start'] is not None and room['end'] is not None, 'from or to: missing')
    unless(0 < room['end'] - room['start'] <= POOLS_MAX, 'nights')
    return room


def _product(found):
    product = _pool(found, 'product')
    product['title'] = text(found, 'name', 256)
    return product


def _definition(found):
    carried_out(found, 'define')
    definition = {name: text(found, name, maximum) for name, maximum in
                  (('name', 256), ('venue', 256), ('description', 4096))}
    definition['timezone'] = text(found, 'timezone', 64, minimum=1)
    definition['currency'] = text(found, 'currency', 3, re.compile(r'[A-Z]{3}\Z'))
    definition['starts_at'], definition['ends_at'] = instant(found, 'starts_at'), instant(found, 'ends_at')
    definition['hold_ttl_s'] = integer(found, 'hold_ttl_s', 1, TTL_MAX)
    definition['state'] = found.get('state')
    unless(definition['state'] in (None, 'draft', 'open', 'closed'), 'state')
    for kind, read in (('sections', _section), ('rooms', _room), ('products', _product)):
        definition[kind] = [read(one) for one in objects(found, kind)]
    names = [pool['name'] for kind in ('sections', 'products') for pool in definition[kind]]
    names += {room['name'] for room in definition['rooms']}
    unless(len(names) == len(set(names)), 'a pool twice')
    return definition


# ---- the request --------------------------------------------------------------------------------------------
class Request:
    __slots__ = ('request_id', 'op', 'resource', 'client', 'customer', 'booking', 'cart', 'payment', 'items',
                 'ttl_s', 'deadline', 'force', 'definition', 'content')


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


def _needs(request, found):
    op = request.op
    unless(found.get('shortage') in (None, 'all'), 'shortage: not supported')
    if op in ('hold', 'book'):
        unless(request.customer is not None, 'customer: missing')
        unless(request.items, 'items: missing')
    elif op in ('confirm', 'release', 'cancel'):
        unless(request.booking is not None, 'booking: missing')
        unless(request.customer is not None or (request.force and op != 'confirm'), 'customer: missing')


def _read(found, size):
    request = Request()
    request.op = text(found, 'op', 64)
    unless(request.op in OPS, 'op')
    unless(size <= REQUEST_SIZE_MAX or request.op == 'define', 'too large')
    request.request_id = text(found, 'request_id', 64, ID)
    request.resource = text(found, 'resource', 64, ID)
    unless(request.request_id and request.resource, 'request_id or resource: missing')
    for name in ('client', 'customer', 'cart'):
        setattr(request, name, text(found, name, 64, minimum=1))
    request.booking = text(found, 'booking', 64, ID)
    request.payment = text(found, 'payment', 128, minimum=1)
    note = text(found, 'note', 256, pattern=None)
    meta = found.get('meta')
    unless(meta is None or isinstance(meta, dict), 'meta: not an object')
    carried_out(found, None)
    request.ttl_s = integer(found, 'ttl_s', 1, TTL_MAX)
    request.deadline = instant(found, 'deadline')
    request.force = flag(found, 'force')
    request.items = _items(found, request.op)
    unless(not request.items or request.op in ('hold', 'book', 'probe'), 'items: not supported')
    request.definition = _definition(found) if request.op == 'define' else None
    _needs(request, found)
    request.content = (request.op, request.customer, request.booking, request.cart, request.payment, note,
                       meta, request.ttl_s, request.force, [item.content() for item in request.items],
                       request.definition)
    return request


def decode(key, value):
    """The request in a record, or Malformed. `content` of two requests is equal where they are repeats."""
    unless(value is None or len(value) <= DEFINE_SIZE_MAX, 'too large')
    found = parse(value)
    try:
        request = _read(found, len(value))
        unless(key is not None, 'no key')
        unless(key == request.resource.encode(), 'the key is not the resource')
    except Malformed as error:
        error.fields = envelope(found)
        raise
    return request
