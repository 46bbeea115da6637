"""The booking rules: one request and the state so far give one decision. What cannot be known from the request log, the
batch's clock, comes in with each request. What each operation does is in modules of their own."""

import heapq

from . import catalogue, changing, confirming, exchanging, probing, taking, terms, unrequested
from .decoding import KEY_MAX, decode
from .outcomes import RETRYABLE, Case, Decision, Refused, fitting
from .parsing import Malformed, instant_text
from .partitioner import partition_of

OPERATIONS = {
    'define': catalogue.define, 'open': catalogue.open_sale, 'close': catalogue.close_sale,
    'hold': taking.take, 'book': taking.take, 'block': taking.take,
    'confirm': confirming.confirm, 'exchange': exchanging.exchange,
    'release': changing.release, 'cancel': changing.cancel, 'extend': changing.extend,
    'transfer': changing.transfer, 'leave': changing.leave, 'unblock': changing.unblock,
    'probe': probing.answer,
}
# Those after which a waiting party can fit no better than before.
ONLY_TAKES = ('hold', 'book', 'block', 'probe', 'extend', 'leave')


class Partition:
    """All resources of one partition, decided record by record."""

    def __init__(self, number, count, hold_ttl_s=900, hold_ttl_max_s=86400, house_hold_ttl_max_s=31536000):
        self.number, self.count = number, count
        self.hold_ttl_s, self.hold_ttl_max_s = hold_ttl_s, hold_ttl_max_s
        self.house_hold_ttl_max_s = house_hold_ttl_max_s
        self.resources, self.charts = {}, {}
        self.seq = 0
        self.log_time = 0
        self._times = []

    # ---- times ----
    def watch(self, booking):
        """The booking ends at a time, if it has one."""
        if booking.expires is not None:
            heapq.heappush(self._times, (booking.expires, booking.number, booking))

    def expire_at(self, booking, expires):
        booking.expires = expires
        self.watch(booking)

    def next_expiry(self):
        """The hold, party or block whose time ends first, or None."""
        while self._times:
            expires, _number, booking = self._times[0]
            if unrequested.is_timed(booking, expires):
                return booking
            heapq.heappop(self._times)
        return None

    def due(self):
        booking = self.next_expiry()
        return booking if booking and booking.expires <= self.log_time else None

    # ---- decisions without a request ----
    def _unrequested(self, resource, given, at, decide):
        self.seq += 1
        decision = decide()
        resource.rev = self.seq
        if at is not None:
            resource.wake(at)
        self._note_cancelled(resource)
        decision.body = self._body(given, resource, decision.body)
        return decision

    def expire(self, booking, given):
        return self._unrequested(booking.resource, given, booking.expires, lambda: unrequested.end_by_time(booking))

    def cancel(self, booking, given):
        return self._unrequested(booking.resource, given, given.now, lambda: unrequested.cancel(booking))

    def tell(self, party, by, given):
        return self._unrequested(party.resource, given, None, lambda: unrequested.tell(party, by, self))

    def next_party(self, resource, until, served=None):
        return unrequested.next_party(resource, until, self.seq + 1, served)

    def serve(self, party, plan, given):
        return self._unrequested(party.resource, given, None, lambda: unrequested.serve(party, plan, given, self))

    @staticmethod
    def _note_cancelled(resource):
        if resource.cancelling is not None and not unrequested.remains_to_cancel(resource):
            resource.cancelling = None

    # ---- a record ----
    def decide(self, record, given):
        """The decision on a record; its log time must have been taken in, and what is due have expired."""
        self.seq += 1
        decision = Decision()
        decision.offset, decision.bookings = record.offset, []
        decision.key = record.key and record.key[:KEY_MAX]
        decision.replayed = decision.first = False
        try:
            request = self._decode(record, given)
        except Malformed as error:
            fields = error.fields
            decision.request_id, decision.op = fields.get('request_id'), fields.get('op')
            decision.resource, decision.client = fields.get('resource'), fields.get('client')
            if decision.resource is not None:
                decision.key = decision.resource.encode()
            # The database may refuse what is written of a request that is invalid anyway.
            reason = 'internal' if given.reason == 'internal' else error.reason
            decision.body = self._body(given, None, {'outcome': 'invalid', 'reason': reason})
            return decision
        decision.request_id, decision.op, decision.resource = request.request_id, request.op, request.resource
        decision.client = request.client
        decision.key = request.resource.encode()
        # Where nobody knows when it was appended, it is judged by when it is decided.
        self._answer(request, given, decision, self.log_time if record.time > 0 else given.now)
        return decision

    def _decode(self, record, given):
        request = decode(record.key, record.value)
        reason = 'internal' if given.reason == 'internal' else None
        if partition_of(record.key, self.count) != self.number:
            reason = 'wrong_partition'
        if reason:
            raise Malformed(reason, reason, {'request_id': request.request_id, 'op': request.op,
                                             'resource': request.resource, 'client': request.client})
        return request

    def _answer(self, request, given, decision, at):
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
            if resource is None and (request.op != 'define' or request.only == 'existing'):
                raise Refused('unknown_resource')
            body = self._carry_out(Case(self, request, resource, given, at), decision)
        except Refused as refused:
            body = {'outcome': 'refused', 'reason': refused.reason, 'customer': request.customer,
                    'cart': request.cart, 'booking': request.booking, **refused.fields}
        resource = self.resources.get(request.resource)
        decision.body = self._body(given, resource, {**body, 'ignored': request.ignored})
        if resource and not earlier:
            decision.first = True
            resource.answered[request.request_id] = (request.content, decision.body)

    def _carry_out(self, case, decision):
        request = case.request
        body = OPERATIONS[request.op](case)
        resource = case.resource
        changing.restart(case, body)
        if body.pop('changes', request.op != 'probe'):
            resource.rev = self.seq
        if request.op not in ONLY_TAKES:
            resource.wake(case.at)
        self._note_cancelled(resource)
        decision.bookings = [booking.number for booking in case.bookings]
        return body

    def _body(self, given, resource, body):
        if body['outcome'] in ('refused', 'invalid'):
            body.setdefault('retryable', body['reason'] in RETRYABLE)
        body['decided_at'] = instant_text(given.now)
        if resource:
            body['rev'], body['free'] = resource.rev, terms.sellable_in_all(resource)
        return fitting({name: value for name, value in body.items() if value is not None})
