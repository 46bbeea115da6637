"""Halls and seasons that usher-producer defines from files: seating plans, and CSV with a show a line."""

import pathlib
import re

import pytest

from harness.producer import answers_in, ask_by_flags, producer
from harness.shows import verdict

pytestmark = pytest.mark.smoke

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'deploy' / 'examples'


def plan_of_its_own(tmp_path, show):
    """The hall of the examples with another seat name, so that no partition can know it already."""
    plan = tmp_path / 'hall.json'
    plan.write_text((EXAMPLES / 'playhouse.json').read_text().replace('"Box1-1"', f'"{show}"'))
    return str(plan)


def chart_name(world, plan):
    return re.search(r'sha256:[0-9a-f]{64}', producer(world, 'chart', 'check', plan).stdout)[0]


def test_a_hall_is_defined_from_its_plan(world, name, tmp_path):
    show, other = name(), name()
    plan = plan_of_its_own(tmp_path, show)
    prices = ['--rates', 'premium=9000', '--rates', 'stalls=adult:4500,child:2500', '--rates', 'circle=3800',
              '--rates', 'circle side=2200', '--rates', 'box=6000']
    defined = ask_by_flags(world, 'define', show, '--plan', plan, '--state', 'open', *prices)
    assert defined['chart'] == chart_name(world, plan) and defined['free'] == 476
    held = ask_by_flags(world, 'hold', show, '--customer', 'c', '--section', 'stalls', '--features', 'accessible',
                        '--quantity', '2', '--rate', 'child')
    assert held['units'][0]['seats'] == ['P-1', 'P-18'] and held['total'] == 5000
    unpriced = producer(world, 'define', other, '--plan', plan)
    assert unpriced.returncode == 0 and 'no price was given for section "box"' in unpriced.stderr


def test_a_define_says_what_it_did(world, name, tmp_path):
    show = name()
    definition = tmp_path / 'show.json'

    def says(content, *arguments):
        definition.write_text(content)
        done = producer(world, 'define', show, '--file', str(definition), *arguments)
        return done.returncode, (done.stdout or done.stderr).split('\n')[0]

    code, line = says('{"nmae":"x"}')
    assert code == 65 and line.endswith('it defines nothing: unknown field "nmae"; did you mean "name"?')
    code, line = says('{"state":"open"}', '--only-existing')
    assert code == 3 and re.fullmatch(rf'refused \S+ {show}: unknown_resource', line), line
    for content, arguments, word in (('{"state":"open"}', ['--only-new', '--request-id', 'first'], 'created'),
                                     ('{"state":"open"}', [], 'unchanged'), ('{"name":"Hamlet"}', ['--only-existing'], 'changed')):
        code, line = says(content, *arguments)
        assert code == 0 and re.fullmatch(rf'{word} \S+ {show}, 0 free', line), line
    code, line = says('{"state":"open"}', '--only-new')
    assert code == 3 and re.fullmatch(rf'refused \S+ {show}: already_exists, 0 free', line), line
    assert says('{"state":"open"}', '--only-new', '--request-id', 'first') == (0, f'created first {show} (repeated), 0 free')
    answers = [answer for answer in answers_in(producer(world, 'watch', show, '--from-beginning', '--until-end', '--json'))
               if answer['outcome'] == 'defined' and not answer.get('replayed')]
    assert [answer['change'] for answer in answers] == ['created', 'same', 'changed']
    assert answers[0]['rev'] == answers[1]['rev'] < answers[2]['rev']
    printed = world.run('history', '--resource', show).stdout
    assert [word for word in ('created (repeated)', 'unchanged', 'changed', 'created') if word not in printed] == []


def season(show, count, **columns):
    lines = [','.join(['resource', *columns])]
    lines += [','.join([f'{show}-{number}', *columns.values()]) for number in range(count)]
    return '\n'.join(lines) + '\n'


def test_many_shows_are_defined_from_a_file(world, name, tmp_path):
    show = name()
    plan = plan_of_its_own(tmp_path, show)
    lines = season(show, 40, **{'rates:stalls': '"adult:45.00,child:25.00"', 'currency': 'EUR', 'state': 'open'})
    (tmp_path / 'shows.csv').write_text(lines)

    def define(*arguments):
        done = producer(world, 'define', '--shows', str(tmp_path / 'shows.csv'), '--plan', plan, '--json', *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done
    done = define('--request-id', 'first')
    answers = answers_in(done)
    places = {f'{show}-{number}' for number in range(40)}
    assert {answer['resource'] for answer in answers} == places
    assert {answer['outcome'] for answer in answers} == {'defined'} and len(answers) == 40
    assert {answer['chart'] for answer in answers} == {chart_name(world, plan)}
    prices = world.ask('probe', f'{show}-7', items=[{'section': 'stalls'}])['pools'][0]['rates']
    assert prices == {'adult': 4500, 'child': 2500}
    assert {answer['request_id'] for answer in answers} == {'first'}
    assert re.search(r'40 of 40 resources defined \(40 created\), 0 refused in [0-9.]+ s; request id first\n$', done.stderr)
    # Those who follow the answers see nothing else. Once more with its id: repeated. Without it: decided anew.
    seen = answers_in(producer(world, 'watch', '--since', '10m', '--until-end', '--json'))
    assert {answer['outcome'] for answer in seen if answer.get('resource') in places} == {'defined', 'alive'}
    done = define('--request-id', 'first')
    assert all(answer['replayed'] for answer in answers_in(done))
    assert '40 of 40 resources defined (40 repeated), 0 refused' in done.stderr
    (tmp_path / 'shows.csv').write_text(lines.replace('25.00', '26.00', 1))
    done = define()
    assert '40 of 40 resources defined (1 changed, 39 unchanged), 0 refused' in done.stderr
    answers = answers_in(done)
    assert len({answer['request_id'] for answer in answers}) == 1
    assert not any('replayed' in answer for answer in answers)


def test_shows_that_are_refused(world, name, tmp_path):
    show = name()
    plan = plan_of_its_own(tmp_path, show)
    world.ask('define', f'{show}-1', state='open', sections=[{'section': 'box', 'price': 1, 'rows': [
        {'row': 'Z', 'seats': 2}]}])
    world.ask('book', f'{show}-1', customer='c', items=[{'seats': ['Z-1']}])
    pools = ('premium', 'stalls', 'circle', 'circle side', 'box')
    prices = [word for pool in pools for word in ('--rates', f'{pool}=1')]
    done = producer(world, 'define', '--shows', '-', '--plan', plan, *prices, stdin=season(show, 6))
    assert done.returncode == 3, done.stdout + done.stderr
    assert re.search(r'5 of 6 resources defined \(5 created\), 1 refused in ', done.stderr) and 'usher-producer:' not in done.stderr
    assert re.search(rf'^refused \S+ {show}-1: in_use, ', done.stdout) and 'Z-1' in done.stdout
    lines = season(f'{show}-bad', 2, ttl='soon')
    bad = producer(world, 'define', '--shows', '-', '--plan', plan, *prices, stdin=lines)
    assert bad.returncode == 65 and 'line 3 column 2 (ttl): "soon" is not a duration' in bad.stderr
    assert verdict(world.ask('probe', f'{show}-bad-0')) == ('refused', 'unknown_resource')


def test_shows_without_an_answer_can_be_gone_on_with(make_realm, tmp_path):
    realm = make_realm(partitions=2)
    plan = plan_of_its_own(tmp_path, 'other')
    arguments = ['define', '--shows', '-', '--plan', plan, '--request-id', 'run']
    done = producer(realm, *arguments, '--opens-at', '+1d', '--wait=1s', stdin=season('show', 8))
    again = re.search(r'to go on, run it again with --request-id run (--opens-at \S+Z)\n', done.stderr)
    assert done.returncode == 75 and again, done.stderr
    arguments += again[1].split()
    assert '0 of 8 resources defined, 0 refused, 8 without an answer' in done.stderr
    realm.worker()
    done = producer(realm, *arguments, stdin=season('show', 8))
    assert done.returncode == 0 and '8 of 8 resources defined' in done.stderr, done.stdout + done.stderr
