"""What goes wrong, as a table: how often, for how long, how it begins and ends, and what it stops meanwhile."""

import functools
import signal
import threading
import time
import typing

from confluent_kafka.admin import AdminClient, ConfigResource, ConfigSource
from harness.waiting import PATIENCE_S

from . import commands, moves, outside, parts, recreated
from .slow import SlowClients
from .watcher import ALL, WORKER

PARTS = 'postgres', 'redis', 'kafka'
STOP = {'postgres': signal.SIGINT, 'kafka': signal.SIGTERM}  # as `stack` stops them
STUTTER_S = 0.2, 0.1  # stopped, running
HEALTH_S = 30         # within which a worker says whether it lives, however many others ask it something
SMALLEST = '100'      # bytes: no answer is as small


class Skipped(Exception):
    """It cannot be done here, for the reason given."""


class Fault(typing.NamedTuple):
    name: str
    weight: int
    lasts_s: tuple        # shortest, longest
    begin: typing.Callable  # (site, step) → what `end` is given
    end: typing.Callable  # (site, step, that)
    stops: object         # while it lasts: ALL partitions, those of a WORKER, or none
    targets: tuple        # what it takes for itself; (): one of the workers


def nothing(_site, _step, _trace=None):
    """What ends by itself."""


# ---- workers ----
def kill_worker(site, step):
    site.workers[step.number].kill()


def leave(site, step):
    site.dismiss(site.workers[step.number])


def pause_worker(site, step):
    """Without waiting until it stands, for it may just have ended."""
    site.workers[step.number].process.send_signal(signal.SIGSTOP)


def resume_worker(site, step, _trace):
    """It may find that others have its partitions."""
    site.workers[step.number].resume()


def start_worker(site, step, _trace):
    site.start_worker(step.number)


def join(site, _step):
    return site.one_more()


def depart(site, _step, worker):
    site.dismiss(worker)


# ---- parts ----
def kill_part(site, step):
    parts.kill(*site.at(step.targets()[0]))


def stop_part(site, step):
    """What is not gone when it is to start is killed."""
    part = step.targets()[0]
    parts.send(*site.at(part), STOP[site.at(part)[1]])


def restart_part(site, step, _trace):
    kill_part(site, step)
    start_part(site, step, _trace)


def start_part(site, step, _trace):
    parts.start(*site.at(step.targets()[0]))


def pause_part(site, step):
    parts.pause(*site.at(step.targets()[0]))


def resume_part(site, step, _trace):
    parts.resume(*site.at(step.targets()[0]))


def move_away(site, step):
    site.ways[step.targets()[0]].move_away()


def move_near(site, step, _trace):
    site.ways[step.targets()[0]].move_near()


def end_backends(site, step):
    """Those of all workers, or of one partition's."""
    share = step.dice.choice([0.3, 1.0])
    site.rows(f"select pg_terminate_backend(pid) from pg_stat_activity where usename = 'usher_worker' "
              f'and datname = current_database() and random() < {share}', step.targets()[0])


def empty_redis(site, _step):
    site.realm.cache.flushall()


def stutter(site, step):
    """A part that is far too slow: stopped most of the time."""
    enough, part = threading.Event(), step.targets()[0]

    def run():
        while not enough.is_set():
            parts.pause(*site.at(part))
            enough.wait(STUTTER_S[0])
            parts.resume(*site.at(part))
            enough.wait(STUTTER_S[1])
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return enough, thread


def steady(_site, _step, trace):
    enough, thread = trace
    enough.set()
    thread.join()


def fill_disk(site, _step):
    if not site.disk.can_fill:
        raise Skipped('no full disk: the stack has none of its own')
    site.disk.fill()


def empty_disk(site, _step, _trace):
    """What could not go on without it has ended, and is started again. A broker whose folder once failed does not come
    back to it by itself."""
    site.disk.empty()
    parts.kill(site.stack, 'kafka')
    for part in PARTS:
        parts.start(site.stack, part)


# ---- what is asked of workers, and what takes their answers ----
def begin_slowly(site, step):
    worker = site.workers[step.number]
    return worker, SlowClients(worker.port)


def ask_whether_it_lives(site, _step, trace):
    """While the slow ones are still there."""
    worker, clients = trace
    begun = time.monotonic()
    while not worker.get('/livez')[0] and worker.process.poll() is None:
        if time.monotonic() - begun > HEALTH_S:
            site.findings.violation(f'{worker.name} did not answer /livez for {HEALTH_S} s beside slow clients')
            break
        time.sleep(0.1)
    clients.close()


def alter_results(site, **changes):
    """Settings of the topic of answers; returns those that it had."""
    admin = AdminClient({'bootstrap.servers': site.realm.brokers})
    topic = ConfigResource(ConfigResource.Type.TOPIC, f'{site.realm.name}.results.v1')
    had = {name: entry.value for name, entry in admin.describe_configs([topic])[topic].result(PATIENCE_S).items()
           if entry.source == ConfigSource.DYNAMIC_TOPIC_CONFIG.value}
    changed = ConfigResource(topic.restype, topic.name, set_config={**had, **changes})
    admin.alter_configs([changed])[changed].result(PATIENCE_S)
    return had


def refuse_answers(site, _step):
    return alter_results(site, **{'max.message.bytes': SMALLEST})


def take_answers(site, _step, had):
    alter_results(site, **had)


def command(row):
    return Fault(f'"{row.name}"', row.weight, (0.0, 0.4), functools.partial(commands.begin, row),
                 functools.partial(commands.end, row), (), (f'"{row.name}"', *row.targets))


FAULTS = (
    #      name                     weight  lasts, s    begin         end            stops   targets
    Fault('worker killed',              16, (0.0, 3.0), kill_worker,  start_worker,  WORKER, ()),
    Fault('worker paused',               8, (0.5, 8.0), pause_worker, resume_worker, WORKER, ()),
    Fault('worker left',                 6, (0.5, 5.0), leave,        start_worker,  WORKER, ()),
    Fault('one more worker',             5, (1.0, 8.0), join,         depart,        (),     ('one more',)),
    Fault('backends ended',             12, (0.0, 0.1), end_backends, nothing,       (),     ('postgres',)),
    Fault('PostgreSQL killed',           4, (0.0, 3.0), kill_part,    start_part,    ALL,    ('postgres',)),
    Fault('PostgreSQL stopped',          2, (1.0, 4.0), stop_part,    restart_part,  ALL,    ('postgres',)),
    Fault('PostgreSQL paused',           4, (0.5, 8.0), pause_part,   resume_part,   ALL,    ('postgres',)),
    Fault('PostgreSQL far away',         4, (2.0, 8.0), move_away,    move_near,     (),     ('postgres',)),
    Fault('Redis killed',                4, (0.0, 4.0), kill_part,    start_part,    (),     ('redis',)),
    Fault('Redis paused',                4, (0.5, 8.0), pause_part,   resume_part,   (),     ('redis',)),
    Fault('Redis far away',              3, (2.0, 8.0), move_away,    move_near,     (),     ('redis',)),
    Fault('Redis emptied',               3, (0.0, 0.1), empty_redis,  nothing,       (),     ('redis',)),
    Fault('Kafka killed',                2, (0.0, 2.0), kill_part,    start_part,    ALL,    ('kafka',)),
    Fault('Kafka stopped',               1, (1.0, 4.0), stop_part,    restart_part,  ALL,    ('kafka',)),
    Fault('Kafka paused',                3, (0.5, 6.0), pause_part,   resume_part,   ALL,    ('kafka',)),
    Fault('Kafka slow',                  3, (2.0, 5.0), stutter,      steady,        (),     ('kafka',)),
    Fault('disk full',                  10, (1.0, 5.0), fill_disk,    empty_disk,    ALL,    ('disk', *PARTS)),
    Fault('answers refused',             6, (1.0, 6.0), refuse_answers, take_answers, ALL,   ('kafka', 'answers')),
    Fault('topic recreated',             4, (0.0, 6.0), recreated.recreate, recreated.accept, ALL,
          ('kafka', 'postgres', 'log', 'answers')),
    Fault('topic set to be compacted',   3, (0.0, 2.0), outside.set_compacted, outside.set_kept, ALL,
          ('postgres', 'kafka', 'log')),
    Fault('rows dropped',                6, (0.2, 2.0), outside.drop_rows, outside.keep_rows, ALL,  ('postgres',)),
    Fault('rows hidden',                 4, (0.2, 3.0), outside.hide_rows, outside.show_rows, ALL,  ('postgres',)),
    Fault('all rows refused',            4, (0.2, 4.0), outside.refuse_all, outside.accept_all, ALL, ('postgres',)),
    Fault('waits for a standby cancelled', 6, (0.2, 3.0), outside.cancel_waits, outside.await_none, ALL, ('postgres',)),
    Fault('slow HTTP clients',           4, (2.0, 8.0), begin_slowly, ask_whether_it_lives, (), ()),
    *map(command, commands.COMMANDS),
)
# Of several databases each is attacked like the only one, with these besides, and without those that are made for one.
MOVES = (
    Fault('partition moved',            40, (0.0, 1.5), moves.begin_move, moves.end_move, (), ('moves',)),
    Fault('what was moved forgotten',   10, (0.0, 0.4), moves.begin_forgetting, moves.end_forgetting, (), ('moves',)),
)
OF_ONE_ONLY = 'disk full', 'topic recreated', 'topic set to be compacted'


def database(number):
    """Of several, what it is called among the targets."""
    return f'postgres {"abcdefgh"[number]}' if number else 'postgres'


def faults_of(databases):
    """The table for so many."""
    if databases == 1:
        return FAULTS
    return [*(one._replace(targets=(database(number),)) if one.targets == ('postgres',) else one
              for one in FAULTS if one.name not in OF_ONE_ONLY
              for number in range(databases if one.targets == ('postgres',) else 1)), *MOVES]


TARGETS = sorted({target for fault in FAULTS for target in fault.targets})
