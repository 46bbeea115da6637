"""schema/messages/usher.d.ts: as the schemas are, and what a service in TypeScript gets from it."""

import json
import subprocess

import pytest

from harness.services import BUILT
from harness.stack import TREE

MESSAGES = TREE / 'schema/messages'
TSC = BUILT / 'clients/node_modules/typescript/bin/tsc'
REQUEST = "const request: Request = { op: 'hold', request_id: 'r', resource: 'show:x', customer: 'c', items: [%s] }"
RIGHT = [
    REQUEST % "{ section: 's', quantity: 2, together: true }",
    REQUEST % "{ seats: ['A-1'], rate: 'child' }",
    "const until = (answer: Answer): string => answer.outcome === 'held' ? answer.expires_at : answer.request_id ?? ''",
    "const why = (answer: Answer): string | undefined => answer.reason",
    "const own = (answer: AnswerConfirmed): string | undefined => answer.booking",
]
WRONG = {
    REQUEST % "{ section: 's', quantity: 2, togehter: true }": "'togehter' does not exist in type 'RequestItem'",
    REQUEST.replace('customer', 'costumer') % "{ section: 's' }": "'costumer' does not exist",
    REQUEST.replace("customer: 'c', ", '') % "{ section: 's' }": "Property 'customer' is missing",
    "const request: Request = { op: 'define', request_id: 'r', resource: 'show:x', sections: [{ section: 's', capcity: 3 }] }":
        "'capcity' does not exist in type 'RequestSection'",
    "const request: Request = { op: 'confirm', request_id: 'r', resource: 'x', customer: 'c', booking: 'b', return_at: 'x' }":
        "Type 'string' is not assignable to type 'undefined'",
    "const until = (answer: Answer): string => answer.expires_at": "Type 'string | undefined' is not assignable to type 'string'",
    "const until = (answer: AnswerRefused): string => answer.expires_at": "Type 'undefined' is not assignable to type 'string'",
    "const refused = (answer: Answer): boolean => answer.outcome === 'refsued'": 'This comparison appears to be unintentional',
}


def compiled(folder, lines):
    """What the compiler says of each line, by its number."""
    if not TSC.exists():
        pytest.skip(f'{TSC} is not there: no registry was reached')
    (folder / 'tried.ts').write_text("import type { Answer, AnswerConfirmed, AnswerRefused, Changes, Overview, Request } from "
                                     f"'{MESSAGES}/usher'\n" + ''.join('{ %s }\n' % line for line in lines))
    done = subprocess.run(['node', str(TSC), '--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', 'false', 'tried.ts'],
                          cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    said, number = {}, 0
    for line in done.stdout.splitlines():
        if line.startswith('tried.ts('):
            number = int(line[9:].partition(',')[0]) - 2
        said[number] = said.get(number, '') + line + '\n'
    return said


def test_they_are_as_the_schemas_are():
    done = subprocess.run([TREE / 'schema/types', '--check'], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_examples_of_the_contract_are_of_these_types(tmp_path):
    """But for fields that are there to be ignored."""
    lines = []
    for path in sorted((MESSAGES / 'examples').glob('*.json')):
        name, kind = path.name.split('.')[:2]
        if kind in ('request', 'answer', 'changes', 'overview') and name != 'hold-ignored':
            lines.append(f'const one: {kind.capitalize()} = {json.dumps(json.loads(path.read_text()))}')
    assert len(lines) > 100 and compiled(tmp_path, lines) == {}


def test_what_is_right_compiles_and_what_is_wrong_does_not(tmp_path):
    assert compiled(tmp_path, RIGHT) == {}
    said = compiled(tmp_path, WRONG)
    assert [number for number, words in enumerate(WRONG.values()) if words not in said.get(number, '')] == [], said
