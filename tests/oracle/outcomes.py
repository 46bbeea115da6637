"""What a decision is made of: the request and what it meets, the refusal, the row that must be in the table, and how
bookings are shown in answers."""

import json
from collections import Counter

from . import terms
from .parsing import instant_text

RETRYABLE = ('too_late', 'not_on_sale', 'limit_exceeded', 'in_use', 'restricted', 'unit_taken', 'not_enough', 'not_together',
             'internal')
LISTED = ('units', 'returned', 'items')
ANSWER_SIZE_SAFE = 491520
# What the worker may take for too large by a cautious estimate; above ANSWER_SIZE_SAFE it must.
ANSWER_SIZE_DOUBTFUL = 300000


class Refused(Exception):
    def __init__(self, reason, **fields):
        super().__init__(reason)
        self.reason, self.fields = reason, fields


class Decision:
    """What must be in the decision table, and in the answer but for seq and epoch. `bookings`: numbers of those that
    it made or changed."""
    __slots__ = ('request_id', 'op', 'resource', 'client', 'body', 'first', 'replayed', 'offset', 'key', 'bookings')


class Given:
    """What the log does not say and the worker's own record must: the batch's clock, and what befell it."""
    __slots__ = ('now', 'reason')

    def __init__(self, now, reason=None):
        self.now, self.reason = now, reason


class Case:
    """One request to be decided, and what it meets. `bookings`: those that it made or changed. `at`: when it was appended,
    by which it is judged what is sold; `now`: when it is decided, from which on holds last."""

    def __init__(self, partition, request, resource, given, at):
        self.partition, self.request, self.resource, self.given = partition, request, resource, given
        self.at, self.now, self.seq, self.bookings = at, given.now, partition.seq, []

    def hold_ttl_s(self, asked):
        return terms.hold_ttl_s(self.resource, self.partition, asked, self.request.force)

    def extended(self, booking, ttl_s):
        """When the hold ends if it lasts that long from now: as a new hold would, and as long in all as it may."""
        cap = booking.created + terms.hold_total_s(self.resource, self.partition, self.request.force) * 1000
        return max(booking.expires, min(self.now + self.hold_ttl_s(ttl_s) * 1000, cap))

    def must_fit(self, body):
        """The answer; refuses what could be too large to answer."""
        body = fitting(body)
        doubtful = self.given.reason == 'limit_exceeded'
        if size_of(body) > (ANSWER_SIZE_DOUBTFUL if doubtful else ANSWER_SIZE_SAFE):
            raise Refused('limit_exceeded')
        return body


# ---- its size -----------------------------------------------------------------------------------------------
def size_of(body):
    """In bytes; 0: it lists too little to be large."""
    groups = [group for name in LISTED for group in body.get(name) or ()]
    listed = sum(len(group.get('seats') or group.get('tokens') or group.get('taken') or '.') for group in groups)
    if listed < 1000 and len(body.get('bookings', ())) < 500:
        return 0
    return len(json.dumps(body, ensure_ascii=False, separators=(',', ':')).encode())


def fitting(body):
    """The answer, without what seats are called for people if it would be too large."""
    if size_of(body) <= ANSWER_SIZE_SAFE:
        return body
    return {name: [{inner: value for inner, value in group.items() if inner != 'places'} for group in value]
            if value and name in LISTED else value for name, value in body.items()}


# ---- how it is shown ----------------------------------------------------------------------------------------
def instant_or_none(milliseconds):
    return None if milliseconds is None else instant_text(milliseconds)


def overbooked(lines):
    """Units beyond the rooms or pieces there are, when bookings have these lines; None: none. A room says it by its
    number, unless more of the night are taken than are to be sold. Of what is only counted, the last ones taken are
    beyond, and nobody had them earlier."""
    beyond, taken, numbers = 0, Counter(), Counter()
    for line in lines:
        taken[line.pool] += len(line.units)
        there = line.pool.capacity - line.pool.overbook
        numbers[line.pool] += sum(unit >= there for unit in line.units if line.numbered and line.pool.overbook)
    for pool, units in taken.items():
        there = pool.capacity - (0 if pool.numbered else pool.overbook)
        beyond += max(numbers[pool], min(units, max(0, pool.taken - there)))
    return beyond or None


def about(booking, **fields):
    """What every answer about a booking says."""
    return {'booking': booking.id, 'customer': booking.customer, 'cart': booking.cart, 'total': booking.total,
            'currency': booking.resource.facts.get('currency'), **fields}


def having(lines, together=None):
    """The units that a booking has, or gets. `together`: of items among several whose seats were chosen; None: nothing was."""
    def chosen(line):
        said = {'together': together[line.item]} if line.item in together else {}
        return {**said, **({} if line.member is None else {'member': line.member})}

    return {'units': [{**line.shown(), **({} if together is None else chosen(line))} for line in lines]}


def returning(lines):
    return {'returned': [line.shown() for line in lines]} if lines else {}


def of_cart(request, bookings, groups, resource):
    """The same of a cart: each group of units names its booking. `groups`: units, returned, or none are shown."""
    body = {'customer': request.customer, 'cart': request.cart, 'total': sum(booking.total for booking in bookings),
            'currency': resource.facts.get('currency')}
    shown = [{**line.shown(), 'booking': booking.id} for booking in bookings for line in booking.lines] if groups else []
    return {**body, groups: shown} if shown else body
