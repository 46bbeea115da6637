"""Each story of tests/stories, as the oracle has it."""

import pytest

import stories
from oracle.stories_played import Play, said


def play(story, late=0):
    one = Play(late)
    for step in story.steps:
        bodies = one.take(step)
        for index, told in enumerate(step.told):
            assert index < len(bodies), f'{step}: nobody is told {told}'
            # Why, in words, is the worker's own.
            told = {name: value for name, value in told.items() if name != 'detail' or name in bodies[index]}
            wrong = stories.difference(told, bodies[index], lambda offset, found: found == said(offset))
            assert not wrong, f'{step}: {wrong}\n{bodies[index]}'
        assert not step.nothing or len(bodies) == len(step.told), f'{step}: {bodies[len(step.told):]}'


@pytest.mark.parametrize('story', stories.read_all(), ids=str)
def test_story(story):
    play(story)
    if story.late:
        play(story, late=60_000)
