"""The pages of producer/docs: their commands are run as they stand there, and print what stands below them. Where what
is printed has changed, PAGES=write writes it into the pages, to be read before it is committed. The commands of README.md
and of the page that continues it are run, too, and do what they say."""

import os
import pathlib
import re
import subprocess

import pytest

from harness.realm import STEADY, Realm
from harness.stack import BIN_DIR, TREE, clean_environment
from harness.waiting import PATIENCE_S, eventually

PAGES = sorted(path for path in (TREE / 'producer/docs').glob('*.md') if '```console' in path.read_text())
BLOCK = re.compile(r'(?<=^```console\n)(.*?)(?=^```$)', re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r'^\$ (?:.*\\\n)*.*\n', re.MULTILINE)
# Of each run its own: instants, how long it took, request ids that nobody chose.
OWN = re.compile(r'\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:\d\d)?)|\b\d+\.\d s\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b')
REFUSED = 3


@pytest.fixture(scope='module', name='premises')
def premises_fixture(stack):
    """A realm with the names that usher has by default."""
    realm = Realm(stack, 'booking', partitions=12, USHER_REDIS_PREFIX='usher', **STEADY)
    realm.worker()
    yield realm
    realm.close()


def run(premises, command, **settings):
    """What a command of a page prints; it is done, or refused."""
    environment = clean_environment(**{**premises.environment, **settings}, NO_COLOR='1', TZ='UTC')
    environment['PATH'] = f'{BIN_DIR}{os.pathsep}{environment["PATH"]}'
    done = subprocess.run(['bash', '-c', command], cwd=TREE, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode in (0, REFUSED), f'{command}: exit {done.returncode}\n{done.stdout}'
    return done.stdout


def plain(text):
    return OWN.sub('…', text)


def printed(premises, block):
    """The block with what its commands print now; as it was where that is of the same kind."""
    commands = COMMAND.findall(block)
    texts = COMMAND.split(block)[1:] if commands else []
    assert ''.join(a + b for a, b in zip(commands, texts)) == block, f'text before the first command: {block}'
    after = []
    for command, text in zip(commands, texts):
        now = run(premises, command.removeprefix('$ '))
        after += [command, text if plain(now) == plain(text) else now]
    return ''.join(after)


@pytest.mark.parametrize('path', PAGES, ids=lambda path: path.name)
def test_page(premises, path):
    page = pathlib.Path(path).read_text()
    now = BLOCK.sub(lambda block: printed(premises, block[1]), page)
    if os.environ.get('PAGES') == 'write':
        path.write_text(now)
    assert now == page


# ---- commands with a word behind each ------------------------------------------------------------------------------
ANSWERED = re.compile(r'^    (usher-.*\S) +# (\w+)$', re.MULTILINE)
SAYING = sorted(path for path in (TREE / 'producer/docs').glob('*.md') if ANSWERED.search(path.read_text()))


@pytest.mark.parametrize('path', SAYING, ids=lambda path: path.name)
def test_page_says_what_each_command_is_answered(make_realm, path):
    page, realm = path.read_text(), make_realm()
    realm.worker()
    commands = ANSWERED.findall(page)
    assert len(commands) == len(re.findall(r'^    usher-', page, re.MULTILINE)), 'a command without a word behind it'
    found = [(command, run(realm, command).split(maxsplit=1)[0]) for command, _word in commands]
    assert found == commands


# ---- README.md -------------------------------------------------------------------------------------------------------
SELLING = re.compile(r'^## Sell a seat\n(.*?)^## ', re.MULTILINE | re.DOTALL)
CONTINUED = TREE / 'producer/docs/first-steps.md'
# What the reader's own stack is for: here the realm is there already.
STACK = re.compile(r'^(eval|export) ')
# Of each command that does something: how it is known, and what the pages say, or let expect, of it.
SAYS = {
    ' define ': 'show:hamlet, 42 free', ' hold show:hamlet --customer c1': 'held h1 ', ' confirm ': 'booking h1',
    ' kcat -P ': '', 'kcat -C ': '"request_id":"h1"', ' book ': 'confirmed ', ' --wait-until ': 'position 1 on the waiting list',
    ' exchange ': 'exchanged ', ' watch ': 'stalls A-6', 'redis-cli ': 'ss', ' resources ': 'show:hamlet', ' show show:hamlet': 'sold',
    ' bookings ': 'h1', ' carts ': 'cart', ' history --resource ': 'h1', ' history --customer ': 'h1', ' history --booking ': 'confirm', '-worker waiting': 'no waiting parties', '-worker takings': 'show:hamlet',
    ' status ': 'owned', '-worker workers': 'version', ' dead-letters list': 'no ', ' partition list': 'no events'}


def test_readme(premises):
    """On the stack that the pages have been tried on: no show is in both."""
    text = SELLING.search((TREE / 'README.md').read_text())[1] + CONTINUED.read_text()
    lines = [line[4:] for line in text.splitlines() if line[:4] == '    ']
    commands = [line for line in lines if not STACK.match(line)]
    known = [[says for words, says in SAYS.items() if words in ' ' + command + ' '] for command in commands]
    assert [len(says) for says in known] == [1] * len(SAYS), list(zip(commands, known))
    for command, (says,) in zip(commands, known):
        command = command.replace('build/release/', '')
        command = command.replace('watch ', 'watch --until-end ') # else until Ctrl-C
        settings = {'USHER_POSTGRES': premises.uri('reader')} if 'usher-worker' in command else {}
        printed_now = run(premises, command, **settings)
        if ' watch ' in command or 'redis-cli' in command: # what follows a decision comes a moment later
            eventually(lambda command=command, says=says: says in run(premises, command), f'{command} says {says}')
        else:
            assert says in printed_now, f'{command}\n{printed_now}'
    shown = 'redis-cli -u "$USHER_REDIS" get \'usher:{show:hamlet}:seats\''
    eventually(lambda: run(premises, shown) == 's' * 4 + 'sh' + 's' * 36 + '\n', 'Redis shows what was sold')
