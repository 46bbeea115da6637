"""Answers against the JSON Schema of the contract, by a validator that compiles it: a run has a hundred thousand."""

import functools
import json
import re

import fastjsonschema

from .stack import TREE

REPORTED_MAX = 10


class Different(Exception):
    """Not as the schema has it, without saying why."""


def _schema():
    return json.loads((TREE / 'schema/messages/answer.schema.json').read_text())


@functools.cache
def explain():
    """The validator whose exceptions say what is wrong."""
    return fastjsonschema.compile(_schema())


@functools.cache
def _matches():
    """The same validator without the words for each complaint, which would take most of the time: branches of the schema
    that do not apply complain as well."""
    code = re.sub(r'raise JsonSchemaValueException\(.*\)$', 'raise Different', fastjsonschema.compile_to_code(_schema()),
                  flags=re.MULTILINE).replace('except JsonSchemaValueException:', 'except Different:')
    names = {'Different': Different}
    exec(compile(code, 'answer.schema.json', 'exec'), names)  # pylint: disable=exec-used
    return next(value for name, value in names.items() if name.startswith('validate_urn'))


def complaint(answer):
    """What is wrong with an answer; None: nothing."""
    try:
        _matches()(answer)
        return None
    except Different:
        pass
    try:
        explain()(answer)
    except fastjsonschema.JsonSchemaException as error:
        return f'{error.message}: {json.dumps(answer)[:400]}'
    raise AssertionError(f'the two validators disagree about {answer}')


def check_answers(answers):
    """Each is an answer of the contract; else says what is wrong with the first that are not."""
    wrong = list(filter(None, map(complaint, answers)))
    assert not wrong, f'{len(wrong)} answers are not as the contract has them:\n' + '\n'.join(wrong[:REPORTED_MAX])
