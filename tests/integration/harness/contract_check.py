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


def _quick(schema):
    """A validator without the words for each complaint, which would take most of the time: branches of the schema that do
    not apply complain as well."""
    code = re.sub(r'raise JsonSchemaValueException\(.*\)$', 'raise Different', fastjsonschema.compile_to_code(schema),
                  flags=re.MULTILINE).replace('except JsonSchemaValueException:', 'except Different:')
    names = {'Different': Different}
    exec(compile(code, 'answer.schema.json', 'exec'), names)  # pylint: disable=exec-used
    return next(value for name, value in names.items() if name.startswith('validate_urn'))


def _compared(rules):
    """The fields whose values matter to rules about several fields."""
    for key, value in rules.items() if isinstance(rules, dict) else enumerate(rules):
        if key == 'properties':
            yield from (name for name, field in value.items() if not field.keys().isdisjoint(('const', 'enum')))
        elif isinstance(value, (dict, list)):
            yield from _compared(value)


@functools.cache
def _parts():
    """The schema in two: of each field by itself, and of several together; and the fields that those compare."""
    schema = _schema()
    together = {name: schema[name] for name in ('$schema', '$id', 'allOf', 'definitions')}
    return _quick({**schema, 'allOf': []}), _quick(together), frozenset(_compared(schema['allOf']))


def _form(value):
    """Whether it is there, and which fields its members have."""
    if isinstance(value, list):
        return frozenset(frozenset(member) if isinstance(member, dict) else type(member) for member in value)
    return type(value), bool(value)


_right = set()


def _matches(answer):
    """What several fields must be together takes most of the time, and is the same for all answers that look alike: they
    have the same fields, and the same values in those that are compared."""
    each, together, compared = _parts()
    each(answer)
    look = tuple((name, value if name in compared and isinstance(value, (str, bool)) else _form(value))
                 for name, value in answer.items())
    if look not in _right:
        together(answer)
        _right.add(look)


def complaint(answer):
    """What is wrong with an answer; None: nothing."""
    try:
        _matches(answer)
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
