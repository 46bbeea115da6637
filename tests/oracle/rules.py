"""The booking rules: one request and the state so far give one decision. What cannot be known from the request
log, the batch's clock, comes in with each request."""

import datetime
import heapq
import json

from . import defining
from .decoding import Malformed, decode, night_name
from .inventory import Booking, Line, Resource
from .partitioner import partition_of
from .probing import probe

PRECEDENCE = ('unknown_pool', 'unknown_seat', 'unknown_rate', 'unit_taken', 'not_enough', 'not_together')
RETRYABLE = ('too_late', 'not_on_sale', 'limit_exceeded', 'in_use', 'unit_taken', 'not_enough', 'not_together',
             'internal')
ANSWER_SIZE_SAFE = 491520
# What the worker may take for too large by a cautious estimate; above ANSWER_SIZE_SAFE it must.
ANSWER_SIZE_DOUBTFUL = 300000

# The state that each operation needs, and the reason that every other one gives.
STATE_REASONS = {
    'confirm': {'confirmed': 'already_confirmed', 'released': 'already_released',
                'cancelled': 'already_cancelled'},
    'release': {'expired': 'hold_expired', 'confirmed': 'already_confirmed', 'released': 'already_released',
                'cancelled': 'already_cancelled'},
    'cancel': {'held': 'not_confirmed', 'expired': 'hold_expired', 'released': 'already_released',
               'cancelled': 'already_cancelled'},
}


def instant_text(milliseconds):
    moment = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)
    return f'{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z'


class Refused(Exception):
    def __init__(self, reason, **fields):
        super().__init__(reason)
        self.reason, self.fields = reason, fields


class Decision:
    """What must be in the decision table, and in the answer but for seq and epoch."""
    __slots__ = ('request_id', 'op', 'resource', 'client', 'body', 'first', 'replayed', 'offset',
                 'key')


class Given:
    """What the log does not say and the worker's own record must: the batch's clock, and what befell it."""
    __slots__ = ('now', 'reason')

    def __init__(self, now, reason=None):
        self.now, self.reason = now, reason


class Partition:
    """All resources of one partition, decided record by record."""

    def __init__(self, number, count, hold_ttl_s=900, hold_ttl_max_s=86400):
        self.number, self.count = number, count
        self.hold_ttl_s, self.hold_ttl_max_s = hold_ttl_s, hold_ttl_max_s
        self.resources = {}
        self.seq = 0
        self.log_time = 0
        self._expiries = []

    # ---- expiry ----
    def next_expiry(self):
        """The held booking that expires first, or None."""
        while self._expiries:
            expires, _number, booking = self._expiries[0]
            if booking.state == 'held' and booking.expires == expires:
                return booking
            heapq.heappop(self._expiries)
        return None

    def due(self):
        booking = self.next_expiry()
        return booking if booking and booking.expires <= self.log_time else None

    def expire(self, booking, given):
        self.seq += 1
        resource = booking.resource
        returned = booking.shown()
        resource.give_back(booking)
        booking.state = 'expired'
        resource.rev = self.seq
        decision = Decision()
        decision.request_id, decision.op, decision.resource = booking.id, booking.op, resource.id
        decision.client, decision.offset, decision.key = booking.client, None, resource.id.encode()
        decision.first = decision.replayed = False
        decision.body = self._body(given, resource, {
            'outcome': 'expired', 'unasked': True, 'cause': 'expiry', 'customer': booking.customer,
            'cart': booking.cart, 'booking': booking.id, 'returned': returned, 'total': booking.total,
            'currency': resource.facts.get('currency')})
        return decision

    # ---- a record ----
    def decide(self, record, given):
        """The decision on a record; its log time must have been taken in, and what is due have expired."""
        self.seq += 1
        decision = Decision()
        decision.offset, decision.key = record.offset, record.key
        decision.replayed = decision.first = False
        try:
            request = self._decode(record, given)
        except Malformed as error:
            fields = error.fields
            decision.request_id, decision.op = fields.get('request_id'), fields.get('op')
            decision.resource, decision.client = fields.get('resource'), fields.get('client')
            if decision.resource is not None:
                decision.key = decision.resource.encode()
            decision.body = self._body(given, None, {'outcome': 'invalid', 'reason': error.reason})
            return decision
        decision.request_id, decision.op, decision.resource = request.request_id, request.op, request.resource
        decision.client = request.client
        decision.key = request.resource.encode()
        self._answer(request, given, decision)
        return decision

    def _decode(self, record, given):
        request = decode(record.key, record.value)
        reason = None
        if partition_of(record.key, self.count) != self.number:
            reason = 'wrong_partition'
        elif given.reason == 'internal':
            reason = 'internal'
        if reason:
            raise Malformed(reason, reason, {'request_id': request.request_id, 'op': request.op,
                                             'resource': request.resource, 'client': request.client})
        return request

    def _answer(self, request, given, decision):
        resource = self.resources.get(request.resource)
        earlier = resource.answered.get(request.request_id) if resource else None
        if earlier and earlier[0] == request.content:
            decision.replayed, decision.body = True, earlier[1]
            return
        try:
            if earlier:
                raise Refused('id_reused')
            if request.deadline is not None and given.now > request.deadline:
                raise Refused('too_late')
            if resource is None and request.op != 'define':
                raise Refused('unknown_resource')
            body = getattr(self, '_' + request.op)(request, resource, given)
        except Refused as refused:
            body = {'outcome': 'refused', 'reason': refused.reason, 'customer': request.customer,
                    'cart': request.cart, 'booking': request.booking, **refused.fields}
        resource = self.resources.get(request.resource)
        decision.body = self._body(given, resource, body)
        if resource and not earlier:
            decision.first = True
            resource.answered[request.request_id] = (request.content, decision.body)

    def _body(self, given, resource, body):
        if body['outcome'] in ('refused', 'invalid'):
            body['retryable'] = body['reason'] in RETRYABLE
        body['decided_at'] = instant_text(given.now)
        if resource:
            body['rev'], body['free'] = resource.rev, resource.free
        return {name: value for name, value in body.items() if value is not None}

    # ---- catalogue ----
    def _define(self, request, resource, given):
        known = resource or Resource(request.resource, self.seq)
        reason = defining.refusal(known, request.definition)
        if reason:
            raise Refused(reason)
        defining.merge(known, request.definition)
        known.rev = self.seq
        self.resources[request.resource] = known
        return {'outcome': 'defined', 'chart': defining.chart_name(known)}

    def _set_state(self, resource, state):
        if resource.state != state:
            resource.state, resource.rev = state, self.seq
        return {'outcome': 'defined'}

    def _open(self, request, resource, given):
        return self._set_state(resource, 'open')

    def _close(self, request, resource, given):
        return self._set_state(resource, 'closed')

    def _probe(self, request, resource, given):
        found = probe(resource, request.items)
        if 'items' in found:
            raise Refused('unknown_pool', **found)
        return {'outcome': 'alive', **found}

    # ---- taking ----
    def _hold(self, request, resource, given):
        ttl = request.ttl_s or resource.hold_ttl_s or self.hold_ttl_s
        ttl = min(ttl, resource.hold_ttl_s or ttl, self.hold_ttl_max_s)
        return self._make(request, resource, given, 'held', given.now + ttl * 1000)

    def _book(self, request, resource, given):
        return self._make(request, resource, given, 'confirmed', None)

    def _make(self, request, resource, given, state, expires):
        if resource.state != 'open':
            raise Refused('not_on_sale')
        booking = Booking()
        booking.id, booking.number, booking.resource = request.request_id, self.seq, resource
        booking.state, booking.op, booking.client = state, request.op, request.client
        booking.customer, booking.cart = request.customer, request.cart
        booking.payment = request.payment if state == 'confirmed' else None
        booking.created, booking.expires = given.now, expires
        booking.lines = self._plan(request, resource, booking)
        booking.total = sum(line.price * len(line.units) for line in booking.lines)
        body = self._receipt(booking)
        if self._too_large(body, given):
            resource.give_back(booking)
            raise Refused('limit_exceeded')
        resource.rev = self.seq
        resource.bookings[booking.id] = booking
        if expires is not None:
            heapq.heappush(self._expiries, (expires, booking.number, booking))
        return body

    def _too_large(self, body, given):
        if sum(len(group.get('seats') or group.get('tokens') or '.') for group in body['units']) < 1000:
            return False
        size = len(json.dumps(body, ensure_ascii=False, separators=(',', ':')).encode())
        return size > (ANSWER_SIZE_DOUBTFUL if given.reason == 'limit_exceeded' else ANSWER_SIZE_SAFE)

    def _receipt(self, booking):
        return {'outcome': booking.state, 'customer': booking.customer, 'cart': booking.cart,
                'payment': booking.payment, 'booking': booking.id, 'units': booking.shown(),
                'total': booking.total, 'currency': booking.resource.facts.get('currency'),
                'expires_at': booking.expires and instant_text(booking.expires)}

    def _plan(self, request, resource, booking):
        """The lines of a new booking, taken; each item sees what earlier ones took. Refused: nothing is."""
        planned, short = [], []
        for index, item in enumerate(request.items):
            shortfall, lines = _PLANNERS[item.kind](resource, index, item)
            if shortfall:
                short.append({'item': index, 'asked': item.quantity, 'given': 0, **shortfall})
            for line in lines:
                line.pool.take(line.units, booking)
                resource.taken += len(line.units)
            planned += lines
        if short:
            booking.lines = planned
            resource.give_back(booking)
            raise Refused(min((line['reason'] for line in short), key=PRECEDENCE.index), items=short)
        return planned

    # ---- what becomes of a booking ----
    def _booking(self, request, resource):
        booking = resource.bookings.get(request.booking)
        if booking is None:
            raise Refused('unknown_booking')
        if request.customer != booking.customer and not (request.force and request.customer is None):
            raise Refused('not_owner')
        reason = STATE_REASONS[request.op].get(booking.state)
        if reason:
            raise Refused(reason)
        return booking

    def _confirm(self, request, resource, given):
        booking = self._booking(request, resource)
        if booking.state == 'expired':
            self._take_again(booking)
        booking.state, booking.expires = 'confirmed', None
        booking.payment = request.payment or booking.payment
        resource.rev = self.seq
        return self._receipt(booking)

    def _take_again(self, booking):
        """Of a late confirm: the very same seats, or as many units of the other pools, item by item."""
        short, taken = [], []
        for item in dict.fromkeys(line.item for line in booking.lines):
            lines = [line for line in booking.lines if line.item == item]
            again = [_again(line) for line in lines]
            if None in again:
                short.append(_shortfall_again(item, lines, again))
                continue
            for line, units in zip(lines, again):
                line.pool.take(units, booking)
                taken.append((line, units))
        if short:
            for line, units in taken:
                line.pool.give_back(units)
            raise Refused('hold_expired', items=short)
        for line, units in taken:
            line.units = units
            booking.resource.taken += len(units)

    def _release(self, request, resource, given):
        return self._end(request, resource, 'released')

    def _cancel(self, request, resource, given):
        return self._end(request, resource, 'cancelled')

    def _end(self, request, resource, state):
        booking = self._booking(request, resource)
        returned = booking.shown()
        resource.give_back(booking)
        booking.state = state
        resource.rev = self.seq
        return {'outcome': state, 'customer': booking.customer, 'cart': booking.cart, 'booking': booking.id,
                'returned': returned, 'total': booking.total, 'currency': resource.facts.get('currency')}


# ---- how the units of an item are chosen: (shortfall, lines) ----------------------------------------------------
def _rate(item):
    return item.rate in (None, 'standard')


def _plan_seats(resource, index, item):
    found = [(seat, *resource.seat(seat)) for seat in item.seats]
    unknown = [seat for seat, pool, _unit in found if pool is None]
    if unknown:
        return {'reason': 'unknown_seat', 'taken': unknown}, []
    if not _rate(item):
        return {'reason': 'unknown_rate'}, []
    taken = [seat for seat, pool, unit in found if unit in pool.owners]
    if taken:
        return {'reason': 'unit_taken', 'taken': taken}, []
    by_section = {}
    for _seat, pool, unit in found:
        by_section.setdefault(pool.name, (pool, []))[1].append(unit)
    return None, [Line(index, pool, units) for pool, units in by_section.values()]


def _plan_counted(resource, index, item):
    pool = resource.named.get(item.pool)
    if pool is None or pool.kind != item.kind or pool.capacity == 0:
        return {'reason': 'unknown_pool'}, []
    if not _rate(item):
        return {'reason': 'unknown_rate'}, []
    if pool.free < item.quantity:
        return {'reason': 'not_enough', 'free': pool.free}, []
    if not pool.rows:
        return None, [Line(index, pool, pool.lowest(item.quantity))]
    units = pool.together(item.quantity)
    if units is None and item.together:
        return {'reason': 'not_together', 'free': pool.free}, []
    return None, [Line(index, pool, units or pool.pieces(item.quantity))]


def _plan_room(resource, index, item):
    nights = resource.rooms.get(item.pool, {})
    names = [night_name(day) for day in range(item.start, item.end)]
    missing = [night for night in names if night not in nights or nights[night].capacity == 0]
    if missing:
        return {'reason': 'unknown_pool', 'taken': missing}, []
    if not _rate(item):
        return {'reason': 'unknown_rate'}, []
    full = [night for night in names if nights[night].free < item.quantity]
    if full:
        return {'reason': 'not_enough', 'free': min(nights[night].free for night in names), 'taken': full}, []
    return None, [Line(index, nights[night], nights[night].lowest(item.quantity)) for night in names]


_PLANNERS = {'seats': _plan_seats, 'section': _plan_counted, 'product': _plan_counted, 'room': _plan_room}


# ---- late confirms -------------------------------------------------------------------------------------------
def _again(line):
    """The units that the line gets now, or None."""
    if line.seats is not None:
        units = [line.pool.number_of.get(seat) for seat in line.seats]
        return None if any(unit is None or unit in line.pool.owners for unit in units) else units
    return line.pool.lowest(len(line.units)) if line.pool.free >= len(line.units) else None


def _shortfall_again(item, lines, again):
    """Why an item of an expired booking cannot be had again."""
    short = {'item': item, 'asked': sum(len(line.units) for line in lines), 'given': 0}
    failing = [line for line, units in zip(lines, again) if units is None]
    if lines[0].seats is not None:
        gone = [seat for line in failing for seat in line.seats
                if line.pool.number_of.get(seat) in line.pool.owners or seat not in line.pool.number_of]
        return {**short, 'reason': 'unit_taken', 'taken': gone}
    short.update(reason='not_enough', free=min(line.pool.free for line in failing))
    if lines[0].pool.kind == 'room':
        short.update(asked=len(lines[0].units), taken=[line.pool.night for line in failing])
    return short
