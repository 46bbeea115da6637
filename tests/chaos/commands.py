"""What operators do meanwhile, as a table of their commands: each beside load, and now and then killed midway. What they show,
delete and move is chosen when one begins."""

import json
import re
import shlex
import signal
import subprocess
import typing

from harness.stack import clean_environment, program
from harness.waiting import PATIENCE_S

KILLED = 0.35  # of all
AWAY = 69      # a part was away, or two got in each other's way
# What one says whose rows others hide, or keep from being written (outside.py): it ends with an error, and not in silence.
OUTSIDE = re.compile('row-level security|rows? instead of')

# What is over is pruned at once, and not a day later.
OVER_AT_ONCE = '''
    alter function usher.prunable(timestamptz) rename to prunable_before;
    create function usher.prunable(p_before timestamptz)
    returns table (resource_no bigint, partition integer, resource text, ended_at timestamptz) language sql stable
    as $$ select * from usher.prunable_before(p_before + interval '1 day') $$;
'''


class Command(typing.NamedTuple):
    line: str         # {names} are chosen
    weight: int
    role: str         # it logs in as
    codes: tuple      # it may end with, besides AWAY
    targets: tuple = ()

    @property
    def name(self):
        return re.split(r' --(?!heal)| \{', self.line)[0]


COMMANDS = (
    #       line                                                  weight  role      codes    what must be left alone meanwhile
    Command('reconcile',                                               1, 'worker', (0, 4)),
    Command('reconcile --heal',                                        3, 'worker', (0, 4)),
    Command('rebuild-cache',                                           3, 'worker', (0,)),
    Command('prune {age}{archive}',                                   12, 'owner',  (0,)),
    Command('forget-customer {guest}',                                 4, 'owner',  (0, 3)),
    Command('dead-letters list',                                       1, 'reader', (0,)),
    Command('dead-letters resend {letters}',                           2, 'reader', (0, 65), ('log',)),
    Command('partition list',                                          1, 'reader', (0,)),
    Command('partition resume {answered}',                             3, 'owner',  (0,)),
    Command('partition reset-clock {answered}',                        2, 'owner',  (0,)),
    # A healthy partition refuses. That nobody is there to be asked keeps the last one from where no worker is.
    Command('partition skip --to 0 --yes --why x {answered}',          1, 'owner',  (65,), ('log',)),
    Command('partition accept-loss --yes --why x {answered}',          1, 'owner',  (65,), ('log',)),
    Command('partition accept-topic --topic both --why x {answered}',  1, 'owner',  (64, 65), ('log',)),
    Command('check',                                                   1, 'worker', (0,), ('log', 'answers')),
    Command('topics check',                                            1, 'worker', (0,), ('log', 'answers')),
    Command('topics create --replication 1 --partitions {count}',      1, 'worker', (0, 78), ('log', 'answers')),
    Command('migrate up',                                              2, 'owner',  (0,)),
    Command('status',                                                  1, 'reader', (0,)),
    Command('resources',                                               1, 'reader', (0,)),
    Command('show {resource}',                                         1, 'reader', (0, 65)),
    Command('bookings --customer c1',                                  1, 'reader', (0,)),
    Command('history --resource {resource}',                           1, 'reader', (0, 65)),
    Command('waiting',                                                 1, 'reader', (0,)),
)


# ---- what is chosen ----
def letters(site, dice):
    """Some that there are."""
    listed = site.realm.run('dead-letters', 'list', '--json', '--limit', '50', USHER_POSTGRES=site.realm.uris('reader'))
    names = [json.loads(line)['id'] for line in listed.stdout.splitlines()]
    return ' '.join(dice.sample(names, min(len(names), dice.randint(1, 3)))) or '0-1'


def answered(site, dice):
    """A partition that has decided something."""
    have = [partition for partition, answers in site.realm.client.answers.accepted.items() if answers]
    return f'--partition {dice.choice(have or [0])}'


CHOICES = {
    'age': lambda _site, dice: f'--older-than {86400 + dice.choice([0, 0, 3])}',
    'archive': lambda site, dice: dice.choice(['', f' --archive {site.archive}']),
    'guest': lambda site, dice: f'guest:{dice.randint(1, max(site.load.seasons, 1))}',
    'letters': letters,
    'answered': answered,
    'count': lambda site, dice: site.realm.partitions + dice.choice([0, 1]),
    'resource': lambda site, dice: dice.choice(site.load.resources),
}


class Chosen(dict):
    def __init__(self, site, dice):
        super().__init__()
        self.site, self.dice = site, dice

    def __missing__(self, name):
        return CHOICES[name](self.site, self.dice)


# ---- carried out ----
def begin(command, site, step):
    words = shlex.split(command.line.format_map(Chosen(site, step.dice)))
    environment = {**site.realm.environment}
    if command.role != 'worker':
        environment['USHER_POSTGRES'] = site.realm.uris(command.role)
    return step.dice.random() < KILLED, words, subprocess.Popen(
        [program('usher-worker'), *words], env=clean_environment(**environment), text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)


def end(command, site, _step, begun):
    """Kills it, or waits for it."""
    is_killed, words, process = begun
    if is_killed:
        process.kill()
    try:
        said = process.communicate(timeout=PATIENCE_S)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        said = f'it did not end within {PATIENCE_S} s\n{process.communicate()[0]}'
    allowed = {*command.codes, AWAY, *([-signal.SIGKILL] if is_killed else [])}
    if process.returncode not in allowed and not OUTSIDE.search(said):
        site.findings.violation(f'{shlex.join(words)} ended with {process.returncode}:\n{said[-2000:]}')
