"""The tests' own ground: a fault in it must not look like tests that passed. Needs no stack."""

import copy
import json
import os
import subprocess
import sys

import fastjsonschema
import pytest
from contract import EXAMPLES

from harness.contract_check import complaint, explain
from harness.stack import TREE

CREW = '''
import os
import pytest

@pytest.fixture(scope='session')
def mine(request):
    yield request.config.crew_member
    assert 'torn' not in os.environ.get('FAULT', '')

@pytest.mark.parametrize('number', range(6))
def test_it(mine, number):
    print('said by', number)
    fault = os.environ.get('FAULT')
    assert fault != 'failed' or number != 3
    if fault == 'lost' and number == 3:
        os._exit(0)

@pytest.mark.crew('pair')
@pytest.mark.parametrize('number', range(2))
def test_pair(mine, number, seen=[]):
    seen.append(mine)
    assert seen == [mine] * (number + 1)
'''


def run_crew(tmp_path, fault):
    """The exit code of three processes for eight tests, and what they printed."""
    (tmp_path / 'test_of_crew.py').write_text(CREW)
    done = subprocess.run(
        [sys.executable, '-m', 'pytest', '-v', '-p', 'no:cacheprovider', '-p', 'crew', '--crew', '3', str(tmp_path)],
        cwd=tmp_path, env={**os.environ, 'PYTHONPATH': str(TREE / 'tests'), 'FAULT': fault, 'COLUMNS': '200'},
        capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_a_crew_runs_every_test_once(tmp_path):
    code, text = run_crew(tmp_path, '')
    assert code == 0 and text.count(' PASSED ') == 8 and '8 passed' in text, text


def test_a_crew_says_what_failed(tmp_path):
    code, text = run_crew(tmp_path, 'failed')
    assert code == 1 and '1 failed, 7 passed' in text and 'said by 3' in text, text


def test_a_crew_says_what_failed_at_the_end_of_a_process(tmp_path):
    code, text = run_crew(tmp_path, 'torn')
    assert code == 1 and '8 passed' in text and 'ERROR at teardown' in text, text


def test_a_crew_says_which_tests_were_lost(tmp_path):
    code, text = run_crew(tmp_path, 'lost')
    assert code != 0 and 'not run: ' in text and 'test_it[3]' in text.partition('not run: ')[2], text


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
