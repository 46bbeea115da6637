"""The tests' own ground: a fault in it must not look like tests that passed. Needs no stack."""

import copy
import json

import fastjsonschema
import pytest
from contract import EXAMPLES

from harness.contract_check import complaint, explain

@pytest.mark.parametrize('path', sorted(EXAMPLES.glob('*.answer.json')), ids=lambda path: path.name)
def test_the_quick_check_of_answers_refuses_what_the_whole_one_refuses(path):
    answer = json.loads(path.read_text())
    assert complaint(answer) is None
    for field in answer:
        for value in (None, []):
            changed = copy.deepcopy(answer)
            changed[field] = value
            try:
                explain()(changed)
                assert complaint(changed) is None
            except fastjsonschema.JsonSchemaException as error:
                assert complaint(changed).startswith(error.message)
