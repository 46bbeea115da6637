"""Stories as the oracle has them: what is decided in each step, without a log."""

import json

import stories

from . import unrequested
from .evidence import Record
from .outcomes import Given
from .parsing import instant_text
from .rules import Partition

TAKING = ('hold', 'book', 'block')


class Play:
    """A partition that decides at once; what nobody asked for comes right behind what made room for it."""

    def __init__(self, late=0):
        self.state = Partition(0, 1)
        self.count, self.late = 0, late
        self.now = stories.START

    def ask(self, step):
        request = {'request_id': step.name, 'op': step.op, 'resource': 'r', **said(step.fields)}
        key = request['resource'].encode()
        self.count += 1
        return self.state.decide(Record(self.count, self.now, key, json.dumps(request).encode()), self.given()).body

    def given(self):
        return Given(self.now + self.late)

    def expire(self):
        """What is due, and whatever comes of it."""
        bodies = []
        self.state.log_time = max(self.state.log_time, self.now)
        while self.state.due():
            bodies.append(self.state.expire(self.state.due(), self.given()).body)
        return bodies

    def work(self, told):
        """Cancelled resources, parties that a define concerns, parties that are served; in the order that is told, where it is
        free."""
        bodies, named = [], [body.get('booking') for body in told]
        for resource in self.state.resources.values():
            if resource.cancelling is not None:
                left = [booking for booking in resource.bookings.values() if booking.state in unrequested.CANCELLED]
                left.sort(key=lambda booking: named.index(booking.id) if booking.id in named else len(named))
                bodies += [self.state.cancel(booking, self.given()).body for booking in left]
            while (party := unrequested.concerned(resource)):
                bodies.append(self.state.tell(party, resource.woken, self.given()).body)
        return bodies + self.serve_all(told)

    def serve_all(self, told):
        named = [body.get('booking') for body in told]
        return [body for resource in self.state.resources.values() for body in self.serve(resource, named)]

    def serve(self, resource, named):
        """Where it is chance who fits, the one that is told."""
        bodies = []
        while True:
            found = self.state.next_party(resource, self.now)
            for name in named if not found else ():
                found = found or self.state.next_party(resource, self.now, name)
            if not found:
                return bodies
            bodies.append(self.state.serve(*found, self.given()).body)

    def take(self, step):
        """What is decided in a step: the answer, if it is a request, and the decisions that nobody asked for."""
        if step.passes:
            self.now += step.name
            if step.op == 'later':
                return []
        unasked = self.expire()
        if step.op in TAKING:
            unasked += self.serve_all(step.told)  # who waits comes before who asks
        answers = [] if step.passes else [self.ask(step)]
        return answers + unasked + self.work(step.told)


def said(value):
    """With the instants of a story in the place of its durations."""
    if isinstance(value, stories.Instant):
        return instant_text(stories.START + value)
    if isinstance(value, dict):
        return {name: said(part) for name, part in value.items()}
    return [said(part) for part in value] if isinstance(value, list) else value
