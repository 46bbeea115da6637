"""What usher-producer does for people and scripts: its commands, what it prints, what a watch shows."""

import json
import re

import pytest

from harness.producer import answers_in, ask_by_flags, producer
from harness.shows import HALL, places, standing
from harness.waiting import eventually

pytestmark = pytest.mark.smoke


def test_send_takes_lines_and_prints_their_answers(world, name):
    show = name()
    lines = [world.client.request('define', show, **standing(3)),
             world.client.request('hold', show, customer='c', items=places('floor', 2)),
             world.client.request('probe', show)]
    done = producer(world, 'send', '--wait', stdin=''.join(json.dumps(line) + '\n' for line in lines))
    assert done.returncode == 0, done.stderr
    assert [answer['outcome'] for answer in answers_in(done)] == ['defined', 'held', 'alive']
    assert [answer['request_id'] for answer in answers_in(done)] == [line['request_id'] for line in lines]
    refused = world.client.request('hold', show, customer='c', items=places('floor', 2))
    done = producer(world, 'send', '--wait', stdin=json.dumps(refused) + '\n')
    assert done.returncode == 3 and answers_in(done)[0]['reason'] == 'not_enough'
    assert done.stderr == '', done.stderr
    done = producer(world, 'send', stdin='{"op":"hold"}\n')
    assert done.returncode == 65 and 'line 1' in done.stderr
    done = producer(world, 'send', '--wait', stdin='')
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '0 requests\n')


def test_send_takes_files_of_windows_and_says_that_a_request_is_a_line(world, name, tmp_path):
    show = name()
    world.ask('define', show, **standing(3))
    probes = [world.client.request('probe', show) for _ in range(3)]
    windows = tmp_path / 'windows.jsonl'
    windows.write_bytes(b'\xef\xbb\xbf' + b''.join(json.dumps(probe).encode() + b'\r\n' for probe in probes[:2]))
    other = tmp_path / 'other.jsonl'
    other.write_bytes(b'\xef\xbb\xbf' + json.dumps(probes[2]).encode())
    done = producer(world, 'send', '--wait', str(windows), str(other))
    assert done.returncode == 0, done.stderr
    assert [answer['request_id'] for answer in answers_in(done)] == [probe['request_id'] for probe in probes]
    done = producer(world, 'send', '--wait', stdin=json.dumps(probes[0], indent=2))
    assert done.returncode == 65 and done.stdout == ''
    assert done.stderr.splitlines()[0].endswith('; one request is one line, as jq -c prints it'), done.stderr
    assert done.stderr.count('one request is one line') == 1


def test_a_strict_send_keeps_back_what_is_mistyped(world, name):
    show = name()
    world.ask('define', show, **standing(3))
    good = world.client.request('probe', show)
    mistyped = world.client.request('hold', show, customer='c', items=places('floor', 2), ttl=60)
    done = producer(world, 'send', '--wait', '--strict', stdin=f'{json.dumps(mistyped)}\n{json.dumps(good)}\n')
    assert done.returncode == 65 and 'line 1: unknown field "ttl"' in done.stderr
    answer, = answers_in(done)
    assert answer['request_id'] == good['request_id'] and answer['free'] == 3
    # Without answers a warning says once what they would have named.
    done = producer(world, 'send', stdin=2 * f'{json.dumps(mistyped)}\n')
    assert done.returncode == 0 and done.stderr.count('unknown field "ttl", which usher ignores; --strict') == 1


def test_each_command_makes_its_request(world, name):
    show = name()
    definition = {key: value for key, value in HALL.items() if key != 'state'}
    world.ask('define', show, **definition)

    def run(*arguments):
        done = producer(world, *arguments, '--json')
        assert done.returncode == 0, done.stdout + done.stderr
        return answers_in(done)[0]
    assert run('open', show)['outcome'] == 'defined'
    held = run('hold', show, '--customer', 'c1', '--seats', 'B-5,B-6')
    assert held['units'][0]['seats'] == ['B-5', 'B-6']
    assert run('confirm', show, '--customer', 'c1', '--booking', held['booking'])['outcome'] == 'confirmed'
    assert run('cancel', show, '--customer', 'c1', '--booking', held['booking'])['outcome'] == 'cancelled'
    second = run('hold', show, '--customer', 'c1', '--section', 'standing', '--quantity', '2')
    assert run('release', show, '--customer', 'c1', '--booking', second['booking'])['outcome'] == 'released'
    assert run('book', show, '--customer', 'c1', '--product', 'programme', '--quantity', '1')['total'] == 500
    assert run('probe', show)['free'] == 35
    assert run('close', show)['outcome'] == 'defined'
    done = producer(world, 'hold', show, '--customer', 'c1', '--seats', 'B-5')
    assert done.returncode == 3 and 'not_on_sale' in done.stdout + done.stderr


def test_a_request_may_only_be_published(world, name):
    """Then nobody knows that it is refused."""
    show = name()
    done = producer(world, 'probe', show)
    assert done.returncode == 3 and 'unknown_resource' in done.stdout
    done = producer(world, 'probe', show, '--no-wait', '--request-id', 'p')
    assert done.returncode == 0 and re.fullmatch(r'published p: partition \d+, offset \d+\n', done.stdout)


def test_commands_that_change_a_booking(world, name):
    show = name()
    world.ask('define', show, **HALL)

    def run(command, *arguments):
        return ask_by_flags(world, command, show, *arguments)
    held = run('hold', '--customer', 'c1', '--sections', 'balcony,stalls', '--quantity', '3', '--together',
               '--ttl', '1m')
    booking = ['--booking', held['booking']]
    assert held['together'] and held['units'][0]['section'] == 'balcony'
    longer = run('extend', *booking, '--customer', 'c1', '--ttl', '2m')
    assert longer['outcome'] == 'extended' and longer['expires_at'] > held['expires_at']
    changed = run('exchange', *booking, '--customer', 'c1', '--seats', 'A-1,A-2')
    assert changed['outcome'] == 'exchanged' and changed['difference'] == 2 * 4500 - 3 * 3000
    given = run('transfer', *booking, '--customer', 'c1', '--to', 'c2')
    assert given['outcome'] == 'transferred' and given['customer'] == 'c2'
    part = run('transfer', *booking, '--customer', 'c2', '--to', 'c3', '--seats', 'A-1')
    assert part['booking'] == part['request_id'] and part['customer'] == 'c3' and part['total'] == 4500
    assert part['units'] == [{'item': 0, 'section': 'stalls', 'seats': ['A-1'], 'price': 4500, 'booking': held['booking']}]
    back = run('exchange', '--booking', part['booking'], '--customer', 'c3', '--seats', 'A-3')
    assert back['returned'][0]['seats'] == ['A-1']
    run('exchange', *booking, '--customer', 'c2', '--seats', 'A-1,A-2')
    sold = run('confirm', *booking, '--customer', 'c2', '--seats', 'A-2')
    assert sold['units'][0]['seats'] == ['A-2'] and sold['returned'][0]['seats'] == ['A-1']
    assert run('cancel', *booking, '--force', '--note', 'ill')['outcome'] == 'cancelled'


def test_commands_of_the_house_and_of_those_who_wait(world, name):
    show = name()
    world.ask('define', show, **HALL)

    def run(command, *arguments):
        return ask_by_flags(world, command, show, *arguments)
    block = run('block', '--product', 'programme', '--quantity', '3', '--note', 'press', '--return-at', '+1h')
    assert block['outcome'] == 'blocked'
    waiting = run('hold', '--customer', 'c1', '--product', 'programme', '--wait-until', '+1h')
    assert (waiting['outcome'], waiting['position']) == ('waiting', 1)
    assert run('leave', '--customer', 'c1', '--booking', waiting['booking'])['outcome'] == 'left'
    part = run('book', '--customer', 'c1', '--product', 'programme', '--quantity', '2',
               '--from-block', block['booking'])
    assert part['outcome'] == 'confirmed'
    less = run('hold', '--customer', 'c1', '--seats', 'A-1,A-2', '--product', 'programme', '--shortage', 'partial')
    assert less['outcome'] == 'held' and less['items'][0]['item'] == 1
    assert run('unblock', '--booking', block['booking'])['outcome'] == 'released'
    assert run('close', '--cancel-bookings', '--note', 'the play is off')['outcome'] == 'defined'


def test_commands_on_a_cart(world, name):
    show = name()
    world.ask('define', show, **HALL)
    cart = ['--customer', 'c1', '--cart', 'k']
    first, second = (ask_by_flags(world, 'hold', show, '--seats', seat, *cart)['booking'] for seat in ('A-1', 'B-1'))
    assert ask_by_flags(world, 'extend', show, *cart, '--ttl', '20m')['outcome'] == 'extended'
    sold = ask_by_flags(world, 'confirm', show, *cart)
    assert {unit['booking'] for unit in sold['units']} == {first, second}
    assert ask_by_flags(world, 'cancel', show, *cart)['outcome'] == 'cancelled'
    done = producer(world, 'release', show, *cart)
    assert done.returncode == 3 and 'unknown_booking' in done.stdout


def test_answers_as_people_read_them(world, name):
    show = name()
    world.ask('define', show, **HALL)

    def says_of(*arguments):
        done = producer(world, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    says_of('define', show, '--currency', 'EUR', '--rates', 'stalls=adult:45.00,child:25.00',
            '--quota', 'all:pools=stalls+balcony,limit=20')
    text = says_of('hold', show, '--customer', 'c1', '--section', 'stalls', '--quantity', '2', '--rate', 'child',
                   '--request-id', 'h1')
    assert text.startswith(f'held h1 {show}, ') and '  booking h1\n' in text and ', child, 25.00 each\n' in text
    assert '  together\n' in text and '  total EUR 50.00\n' in text and '\n  until ' in text
    text = says_of('exchange', show, '--customer', 'c1', '--booking', 'h1', '--seats', 'A-1', '--rate', 'adult')
    assert '  back: stalls ' in text and ', difference -5.00\n' in text
    assert '  now booked by c2\n' in says_of('transfer', show, '--customer', 'c1', '--booking', 'h1', '--to', 'c2')
    says_of('hold', show, '--customer', 'c1', '--seats', 'A-3,A-4', '--request-id', 'h2')
    text = says_of('transfer', show, '--customer', 'c1', '--booking', 'h2', '--to', 'c2', '--seats', 'A-4', '--request-id', 'h3')
    assert '  booking h3\n  now booked by c2\n' in text and '  from h2: stalls A-4, ' in text
    says_of('block', show, '--product', 'programme', '--quantity', '3')
    text = says_of('hold', show, '--customer', 'c1', '--product', 'programme', '--wait-until', '+1h')
    assert '  position 1 on the waiting list, 1 is next\n' in text
    text = says_of('probe', show)
    assert '  open, 1 waiting\n' in text and re.search(r'\n  stalls +\d.* adult 45.00, child 25.00\n', text)
    assert re.search(r'\n  programme +0 +3 +- +- +3 +- +5.00\n', text), text
    text = says_of('hold', show, '--customer', 'c1', '--seats', 'B-1..B-4', '--color=always')
    assert text.startswith('\x1b[32mheld\x1b[0m ') and ' B-1..B-4, ' in text
    text = says_of('hold', show, '--customer', 'c1', '--seats', 'A-1,A-2', '--shortage', 'partial')
    assert '  item 0: asked 2, got 1: unit_taken (A-1)\n' in text


def test_what_a_hold_did_not_get_is_said(world, name):
    show = name()
    hold = ['hold', show, '--customer', 'c1', '--section', 'floor', '--request-id', 'h']
    text = producer(world, *hold).stdout
    assert 'unknown_resource' in text and text.endswith('\n  usher-worker resources lists those there are\n')
    world.ask('define', show, **standing(9))
    assert 'shortened' not in producer(world, *hold[:-1], 'h1', '--ttl', '24h').stdout
    assert producer(world, *hold[:-1], 'h2', '--ttl', '48h').stdout.endswith('Z\n  shortened to 24h, the maximum\n')
    world.ask('define', show, hold_ttl_s=90)
    assert producer(world, *hold[:-1], 'h3', '--ttl', '2m').stdout.endswith('Z\n  shortened to 90s, the maximum\n')
    short = [*hold[:-1], 'h4', '--ttl', '1s']
    producer(world, *short)
    ended = eventually(lambda: [text for text in [producer(world, *short).stdout] if 'ended' in text], 'the hold is over')[0]
    assert ended.startswith(f'held h4 {show} (repeated), ') and re.search(r'\n  until \S+ \S+Z, ended\n$', ended), ended


def test_a_hotel_is_a_calendar(world, name):
    """A line a type, a column a night; what is alike in nights is said once."""
    hotel = name()
    world.ask('define', hotel, state='open', currency='GBP', timezone='Europe/Paris', closes_at='2099-12-30T12:00:00Z', rooms=[
        {'room': 'double', 'from': '2026-12-30', 'to': '2027-01-03', 'capacity': 12, 'price': 12900},
        {'room': 'double', 'from': '2027-01-02', 'to': '2027-01-03', 'capacity': 12, 'price': 9900},
        {'room': 'single', 'from': '2026-12-31', 'to': '2027-01-02', 'capacity': 1, 'price': 5000}])
    world.ask('book', hotel, customer='c', items=[
        {'room': 'single', 'from': '2027-01-01', 'to': '2027-01-02', 'quantity': 1}])
    late = producer(world, 'hold', hotel, '--customer', 'c', '--room', 'double', '--from', '2029-12-26', '--to', '2029-12-27').stdout
    assert late.endswith(f'unknown_pool (2029-12-26)\n  usher-worker show {hotel} has its nights\n'), late
    text = producer(world, 'probe', hotel).stdout
    assert '  open, on sale until 2099-12-30 12:00:00Z (2099-12-30 13:00 CET)\n' in text
    assert ' until 2099-12-30 21:00:00+09 (2099-12-30 13:00 CET)\n' in producer(world, 'probe', hotel, TZ='Asia/Tokyo').stdout
    assert text.endswith("""\
  2026-12  30  31
  double   12  12
  single    -   1
  2027-01  01  02
  double   12  12
  single    0   -
  room    nights                  total  price
  double  2026-12-30..2027-01-01     12  129.00
  double  2027-01-02                 12  99.00
  single  2026-12-31..2027-01-01      1  50.00
"""), text


# ---- watch -------------------------------------------------------------------------------------------------------
def watched(world, *arguments):
    """The answers that were there."""
    done = producer(world, 'watch', *arguments, '--until-end', '--json')
    assert done.returncode == 0, done.stderr
    return answers_in(done)


def test_what_is_past_comes_in_the_order_of_time(make_realm):
    """A realm of its own: in the one that is shared holds of other tests end meanwhile."""
    realm = make_realm(partitions=4)
    realm.worker()
    shows = [f'show:{number}' for number in range(6)]
    for _ in range(3):
        for show in shows:
            realm.ask('probe', show)
    answers = watched(realm, '--since', '10m')
    # A repeated answer says when its request was decided first.
    times = [answer['decided_at'] for answer in answers if not answer.get('replayed')]
    assert times == sorted(times) and {answer.get('resource') for answer in answers} >= set(shows)
    last = watched(realm, '--tail', '5')
    assert last == answers[-5:]
    assert watched(realm, '--since', '10m', '--tail', '4', '--op', 'probe') == [
        answer for answer in answers if answer.get('op') == 'probe'][-4:]
    assert watched(realm, '--since', '2999-01-01T00:00:00+01:00') == []


def test_answers_that_are_asked_for(world, name):
    show = name()
    world.ask('define', show, **standing(5))
    mine = world.ask('hold', show, customer='c1', items=places('floor', 1))['booking']
    world.ask('hold', show, customer='c2', items=places('floor', 1))
    world.ask('confirm', show, customer='c1', booking=mine)
    world.ask('hold', show, customer='c2', items=places('floor', 9))

    def outcomes(*arguments):
        return [answer['outcome'] for answer in watched(world, show, *arguments)]
    assert outcomes() == ['defined', 'held', 'held', 'confirmed', 'refused']
    assert outcomes('--customer', 'c1') == ['held', 'confirmed'] == outcomes('--booking', mine)
    assert outcomes('--op', 'hold', '--customer', 'c2') == ['held', 'refused']
    assert outcomes('--outcome', 'refused') == ['refused'] == outcomes('--tail', '1')
    assert outcomes('--count', '2') == ['defined', 'held']
    lines = producer(world, 'watch', show, '--until-end').stdout.splitlines()
    assert re.match(rf'20\d\d-\d\d-\d\d [0-9:]+Z held {mine} {show}, customer c1, 4 free$', lines[1]), lines
    missing = producer(world, 'watch', 'nosuch', '--until-end')
    assert (missing.returncode, missing.stdout, missing.stderr) == (0, '', 'no answers of "nosuch"\n')


def test_a_watch_goes_on_behind_any_answer(world, name):
    """Also behind one that nobody asked for, which has no source."""
    show = name()
    world.ask('define', show, **standing(5))
    world.ask('book', show, customer='c1', items=places('floor', 1))
    world.ask('close', show, cancel_bookings=True)
    answers = eventually(lambda: [seen for seen in [watched(world, show)] if seen[-1].get('unasked')], 'it was cancelled')[0]
    assert [answer['outcome'] for answer in answers] == ['defined', 'confirmed', 'defined', 'cancelled']
    for number, answer in enumerate(answers, 1):
        record = answer['record']
        after = f'{record["partition"]}:{answer["seq"]}:{record["offset"]}'
        assert watched(world, show, '--after', after) == answers[number:]


def test_no_answer_in_time(make_realm):
    realm = make_realm()
    probes = [realm.client.request('probe', 'nowhere') for _time in range(12)]
    done = producer(realm, 'send', '--wait=1s', stdin=''.join(json.dumps(probe) + '\n' for probe in probes))
    assert done.returncode == 75 and '12 requests had no answer in time' in done.stderr, done.stderr
    assert ', '.join(probe['request_id'] for probe in probes[:10]) + ' and 2 more' in done.stderr, done.stderr
    arguments = ['define', 'show', '--section', 'a:capacity=1', '--starts-at', '+3d', '--opens-at', '+1d',
                 '--closes-at', '2100-01-01T00:00:00Z']
    before = realm.group_position()[0]
    done = producer(realm, *arguments, '--wait=1s')
    assert done.returncode == 75, done.stdout + done.stderr
    reached = realm.group_position()[0] - before  # on a machine that is busy enough, not even Kafka in time
    # What was a time from now on is told as the instant that it was: so it is the same request again.
    again = re.search(r'ask again with (--request-id \S+ --starts-at \S+Z --opens-at \S+Z)$', done.stderr.strip())[1]
    realm.worker()
    given = again.split()
    arguments = [*arguments[:4], *given, *arguments[8:]]
    assert [producer(realm, *arguments).returncode for _ in range(2)] == [0, 0]
    log = answers_in(producer(realm, 'watch', '--until-end', '--json'))
    log = [answer for answer in log if answer['resource'] == 'show']
    assert {answer['request_id'] for answer in log} == {given[1]}
    assert [answer['outcome'] for answer in log] == ['defined'] * (reached + 2)
    assert ['replayed' in answer for answer in log] == [False] + [True] * (reached + 1)


def test_a_topic_that_is_not_there(shared_realm):
    done = producer(shared_realm, 'probe', 'show', '--wait=1s', USHER_TOPIC_PREFIX='nothing')
    assert done.returncode == 69 and 'nothing.requests.v1' in done.stderr


def test_a_price_is_in_the_currency_that_the_resource_has(world, name):
    """Without --currency the resource is asked for it, unless nothing is to be sent."""
    show, bare = name(), name()
    assert producer(world, 'define', show, '--state', 'open', '--currency', 'KWD', '--section', 'stalls:capacity=3,price=4.500').returncode == 0
    done = producer(world, 'define', show, '--section', 'stalls:price=40.250')
    assert done.returncode == 0, done.stderr
    assert world.ask('hold', show, customer='c', items=places('stalls', 1))['units'][0]['price'] == 40250
    done = producer(world, 'define', show, '--rates', 'stalls=child:1.5')
    assert done.returncode == 64 and 'no amount of KWD, which has 3 decimals' in done.stderr
    assert producer(world, 'define', bare, '--section', 'stalls:capacity=3,price=4500').returncode == 0
    for show, flag in ((bare, '--no-wait'), (show, '--dry-run')):
        done = producer(world, 'define', show, flag, '--section', 'stalls:price=40.25')
        assert done.returncode == 64 and 'need --currency' in done.stderr
