"""Each story of tests/stories in which no time passes, as a worker on the real parts has it. The oracle says how many decisions
without a request there are to wait for."""

import itertools

import pytest

import stories
from harness.counts import check_counts
from harness.moments import soon
from harness.waiting import PATIENCE_S
from oracle.parsing import instant_of, instant_text
from oracle.partitioner import partition_of
from oracle.stories_played import Play

EVERY = 8  # of these stories one is part of the shorter run


class Telling:
    """A story of resources with names that nobody else has."""

    def __init__(self, world, prefix):
        self.world, self.prefix = world, prefix
        self.home = partition_of(prefix.encode(), world.partitions)
        self.start = instant_of(soon(world, 0))
        self.begun = {self.start}  # and the times of its decisions

    def said(self, value, name=None):
        if isinstance(value, stories.Instant):
            return instant_text(self.start + value)
        if isinstance(value, dict):
            return {name: self.said(part, name) for name, part in value.items()}
        if isinstance(value, list):
            return [self.said(part) for part in value]
        return self.resource(value) if name == 'resource' else value

    def resource(self, name):
        """All of a story are in one partition, as its charts are."""
        names = (f'{self.prefix}:{name}{number or ""}' for number in itertools.count())
        return next(found for found in names if partition_of(found.encode(), self.world.partitions) == self.home)

    def is_right(self, offset, found):
        """What begins with the story, or with one of its decisions, by the clock of whoever decides."""
        return instant_of(found) - offset in self.begun

    def ask(self, step):
        request = {'request_id': step.name, 'op': step.op, **self.said({'resource': 'r', **step.fields})}
        return self.world.client.ask_all(request)[0]

    def unasked(self):
        return [answer for answer in self.world.client.answers.everything()
                if answer.get('unasked') and answer['resource'].startswith(f'{self.prefix}:')]

    def await_unasked(self, count):
        answers = self.world.client.answers
        with answers.changed:
            assert answers.changed.wait_for(lambda: len(self.unasked()) >= count, PATIENCE_S), self.unasked()
        found = self.unasked()
        assert len(found) == count, found
        return found


def check_parts(world, probe):
    """The tables, the view for people and Redis have what a probe of everything says. Of rooms it says less."""
    pools = probe['pools']
    taken = {state: sum(pool.get(state, 0) for pool in pools) for state in ('held', 'sold', 'blocked')}
    free, total = (sum(pool[field] for pool in pools if 'room' not in pool) for field in ('free', 'total'))
    if not any('room' in pool for pool in pools) and free + sum(taken.values()) == total:
        check_counts(world, probe['resource'], probe['free'], **taken, kept_back=free - probe['free'])


def is_of_now(story):
    """A story that begins whenever it is told, and ends at once."""
    return not any(step.passes for step in story.steps) and '1970-' not in repr([vars(step) for step in story.steps])


def stories_of_now():
    for number, story in enumerate(filter(is_of_now, stories.read_all())):
        yield pytest.param(story, id=str(story), marks=pytest.mark.smoke if number % EVERY == 0 else pytest.mark.whole)


@pytest.mark.parametrize('story', stories_of_now())
def test_story(world, name, story):
    oracle, telling, count = Play(), Telling(world, name('story')), 0
    for step in story.steps:
        expected = len(oracle.take(step)) - 1
        answers = [telling.ask(step), *telling.await_unasked(count + expected)[count:]]
        telling.begun |= {instant_of(answer['decided_at']) for answer in answers}
        count += expected
        for body, answer in zip(step.told, answers):
            told = {name: value for name, value in body.items() if name != 'rev'}  # others are in the partition, too
            wrong = stories.difference(told, answer, telling.is_right)
            assert not wrong, f'{step}: {wrong}\n{answer}'
        if step.op == 'probe' and not step.fields and answers[0]['outcome'] == 'alive':
            check_parts(world, answers[0])
