"""Answers against the JSON Schema of the contract, by a validator that compiles it: a run has a hundred thousand."""

import functools
import json

import fastjsonschema

from .stack import TREE

REPORTED_MAX = 10


@functools.cache
def _validate():
    schema = json.loads((TREE / 'schema/messages/answer.schema.json').read_text())
    return fastjsonschema.compile(schema)


def check_answers(answers):
    """Each is an answer of the contract; else says what is wrong with the first that are not."""
    wrong = []
    for answer in answers:
        try:
            _validate()(answer)
        except fastjsonschema.JsonSchemaException as error:
            wrong.append(f'{error.message}: {json.dumps(answer)[:400]}')
    assert not wrong, f'{len(wrong)} answers are not as the contract has them:\n' + '\n'.join(wrong[:REPORTED_MAX])
