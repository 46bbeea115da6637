"""What must hold of everything that the session asked of the shared realm."""

import pytest

from harness.contract_check import check_answers

pytestmark = [pytest.mark.last, pytest.mark.smoke]


def test_the_shared_realm_equals_its_replay(world):
    report = world.check()
    assert report.facts['requests'] > 0


def test_every_answer_is_as_the_contract_has_it(world):
    answers = world.client.answers.everything()
    assert answers
    check_answers(answers)


def test_reconcile_agrees(world):
    assert world.command('reconcile')
