"""The load generator: its figures must be true, above all when something stalls."""

import json
import signal
import subprocess
import time

from harness.shows import seated, standing
from harness.stack import clean_environment, program
from harness.waiting import PATIENCE_S, eventually

LOAD = 'tests/bench/load/load'
RATE, SECONDS, STALL_S = 100, 6, 2.0  # there is time to notice that a load has begun


def write_requests(path, *requests):
    path.write_text(''.join(json.dumps({'request_id': 'x', 'customer': 'x', **one}) + '\n' for one in requests))
    return str(path)


def holds(tmp_path, quantity=1):
    return write_requests(tmp_path / 'holds.jsonl', {'op': 'hold', 'resource': 'show:x',
                                                     'items': [{'section': 'floor', 'quantity': quantity}]})


def stalled(realm, tmp_path, stop, go_on):
    """Figures of a load on show:x during which something stands still for a third of it."""
    assert realm.ask('define', 'show:x', **standing(RATE * SECONDS))['outcome'] == 'defined'
    load = subprocess.Popen(
        [program(LOAD), holds(tmp_path), '--rate', str(RATE), '--seconds', str(SECONDS), '--warmup', '0s'],
        env=clean_environment(**realm.environment), stdout=subprocess.PIPE, text=True)
    eventually(lambda: realm.sql("select count(*) from usher.booking")[0][0] > 0, 'the load has begun')
    stop(load)
    time.sleep(STALL_S)  # the length of the stall, not a wait for something
    go_on(load)
    figures = json.loads(load.communicate(timeout=PATIENCE_S)[0])
    assert figures['outcomes'] == {'held': RATE * SECONDS}
    return figures


def shows_the_stall(figures):
    """A third of the requests were due while nothing moved, and waited for half of that in the middle."""
    assert figures['latency_ms']['max'] > 800 * STALL_S
    assert figures['latency_ms']['p90'] > 400 * STALL_S
    assert figures['latency_ms']['mean'] > 100 * STALL_S


def test_a_stall_of_usher_shows_in_the_percentiles(realm, tmp_path):
    worker = realm.workers[0]
    shows_the_stall(stalled(realm, tmp_path, lambda load: worker.pause(), lambda load: worker.resume()))


def test_a_stall_of_the_generator_counts_from_the_scheduled_times(realm, tmp_path):
    """What it could not send in time is late by its own fault, and must not look fast."""
    figures = stalled(realm, tmp_path, lambda load: load.send_signal(signal.SIGSTOP),
                      lambda load: load.send_signal(signal.SIGCONT))
    shows_the_stall(figures)
    assert figures['late_max_ms'] > 800 * STALL_S


def test_a_full_load_that_nobody_answers_ends(realm, tmp_path):
    """More than may be under way: the next waits for answers that do not come."""
    assert realm.ask('define', 'show:x', **standing(1000))['outcome'] == 'defined'
    realm.workers[0].pause()
    try:
        for warmup in ('0s', '1s'):
            done = realm.run(holds(tmp_path), '--rate', '0', '--count', '900', '--in-flight', '100', '--warmup', warmup,
                             '--wait', '2s', name=LOAD)
            assert done.returncode == 75, done
            assert '100 requests had no answer in time' in done.stderr
    finally:
        realm.workers[0].resume()


def run(realm, *arguments):
    done = realm.run(*arguments, '--warmup', '0s', name=LOAD)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_requests_of_a_file_are_sent_in_turn_and_confirmed(realm, tmp_path):
    assert realm.ask('define', 'show:one', **seated(40))['outcome'] == 'defined'
    assert realm.ask('define', 'show:two', **standing(25))['outcome'] == 'defined'
    requests = write_requests(tmp_path / 'requests.jsonl',
                              {'op': 'hold', 'resource': 'show:one', 'items': [{'section': 'stalls', 'quantity': 2}]},
                              {'op': 'book', 'resource': 'show:two', 'items': [{'section': 'floor', 'quantity': 1}]})
    answers = tmp_path / 'answers.jsonl'
    figures = run(realm, requests, '--then', 'confirm', '--rate', '200', '--count', '60',
                  '--answers', str(answers))
    assert (figures['sent'], figures['answered'], figures['missing']) == (60, 60, 0)
    assert figures['outcomes'] == {'held': 20, 'confirmed': 25, 'refused': 15}
    assert figures['reasons'] == {'not_enough': 15}
    assert figures['then']['outcomes'] == {'confirmed': 20}
    assert figures['then']['together_ms']['mean'] >= figures['then']['latency_ms']['mean'] > 0
    assert len(answers.read_text().splitlines()) == 60 + 20
    assert realm.sql("select count(distinct customer), count(*) from usher.booking where state = 'confirmed'") == [(45, 45)]


def test_what_is_released_at_once_can_be_had_again(realm, tmp_path):
    assert realm.ask('define', 'show:x', **standing(2))['outcome'] == 'defined'
    figures = run(realm, holds(tmp_path, 2), '--then', 'release', '--rate', '0', '--in-flight', '1', '--count', '20')
    assert figures['outcomes'] == {'held': 20}
    assert figures['then']['outcomes'] == {'released': 20}
    assert realm.sql("select held, sold, blocked from usher.pool p join usher.resource r on r.no = p.resource_no "
                     "where r.id = 'show:x'") == [(0, 0, 0)]


def test_what_cannot_be_sent_is_refused(realm, tmp_path):
    probe = write_requests(tmp_path / 'requests.jsonl', {'op': 'probe', 'resource': 'show:x'})
    for arguments, exit_code, text in (
            ([probe], 65, 'requests.jsonl line 1: a load is made of hold and book'),
            (['/dev/null'], 65, '/dev/null: there is no request in it'),
            (['/nonexistent'], 65, 'could not read "/nonexistent"'),
            ([], 64, 'usage: load FILE'),
            ([holds(tmp_path), '--count', '1', '--seconds', '1'], 64, 'give either --count or --seconds')):
        done = realm.run(*arguments, name=LOAD)
        assert (done.returncode, text in done.stderr) == (exit_code, True), done
