"""What is sold when: every cell of the table in write-a-service.md; and that the time of the append decides it, whenever a
worker comes to it."""

import pathlib

import pytest

from harness.moments import past, soon, unrequested
from harness.shows import places, standing, verdict
from oracle.parsing import instant_of

PAGE = pathlib.Path(__file__).parents[2] / 'producer' / 'docs' / 'write-a-service.md'
MOMENTS = {'close': None, 'before': {'opens_at': '2099-01-01T00:00:00Z'}, 'on sale': {},
           'closed': {'closes_at': '2020-01-01T00:00:00Z'}, 'over': {'ends_at': '2020-01-01T00:00:00Z'}}


def table():
    """request → the outcome at each moment, as the page has it; a row that begins with … goes on with the one above."""
    found, above = {}, None
    section = PAGE.read_text().split('## When it is sold')[1].split('\n## ')[0]
    for line in section.splitlines():
        if line.startswith('| ') and not line.startswith(('| request', '| ---')):
            what, *cells = (cell.strip() for cell in line.strip('|').split('|'))
            above = what if not what.startswith('…') else above
            found[what if what == above else f'{above} {what}'] = [cell.strip('`') for cell in cells]
    return found


class Path:
    """A show with what each request is about; every request has bookings of its own."""

    def __init__(self, world, show):
        self.world, self.show, self.answers = world, show, []
        world.ask('define', show, **standing(99))

    def before(self, op, **fields):
        """A request while it is on sale; its booking."""
        answer = self.world.ask(op, self.show, **{'customer': 'c', 'items': places('floor', 1), **fields})
        assert answer['outcome'] in ('held', 'confirmed', 'blocked', 'waiting'), answer
        return answer['booking']

    def block(self):
        return self.before('block', customer=None, items=places('floor', 5))

    def ask(self, op, **fields):
        answer = self.world.ask(op, self.show, **{'customer': 'c', **fields})
        return answer['reason'] if answer['outcome'] == 'refused' else answer['outcome']


def sells(path, **more):
    items = {'items': places('floor', 1), **more}
    assert path.ask('book', **items) in ('confirmed', 'not_on_sale')
    return path.ask('hold', **items)


def blocks(path, _ready):
    block = path.world.ask('block', path.show, items=places('floor', 1))
    assert path.world.ask('unblock', path.show, booking=block['booking'])['outcome'] == 'released'
    return block['outcome']


def of_both(path, op, one, cart, **fields):
    """Of a booking, and of a cart."""
    assert path.ask(op, booking=one, **fields) == (outcome := path.ask(op, cart=cart, **fields))
    return outcome


# request → (what is made ready while it is on sale, the request)
WAIT = {'wait_until': '2098-01-01T00:00:00Z'}
ROWS = {
    '`hold`, `book`': (lambda p: None, lambda p, _: sells(p)),
    '`hold`, `book` … with `force`': (lambda p: None, lambda p, _: sells(p, force=True)),
    '`hold`, `book` with `from_block`': (Path.block, lambda p, block: sells(p, from_block=block)),
    '`hold`, `book` with `from_block` … with `force`': (
        Path.block, lambda p, block: sells(p, from_block=block, force=True)),
    '`hold` with `wait_until`, short of units': (
        lambda p: None, lambda p, _: p.ask('hold', items=places('floor', 99), **WAIT)),
    '`block`, `unblock`': (lambda p: None, blocks),
    '`exchange` of a block, with `force`': (
        Path.block, lambda p, b: p.ask('exchange', customer=None, booking=b, items=places('floor', 6), force=True)),
    '`confirm` of a hold': (lambda p: p.before('hold'), lambda p, b: p.ask('confirm', booking=b)),
    '`confirm` of a cart': (lambda p: p.before('hold', cart='k1'), lambda p, _: p.ask('confirm', cart='k1')),
    '`confirm` after the hold expired, its units free': (
        lambda p: p.before('hold', ttl_s=1), lambda p, b: p.ask('confirm', booking=b)),
    '`extend`, also of a cart': (
        lambda p: (p.before('hold'), p.before('hold', cart='k2')), lambda p, b: of_both(p, 'extend', b[0], 'k2', ttl_s=60)),
    '`exchange` for as many units, or fewer': (
        lambda p: p.before('book', items=places('floor', 2)),
        lambda p, b: (p.ask('exchange', booking=b, items=places('floor', 2)),
                      p.ask('exchange', booking=b, items=places('floor', 1)))[1]),
    '`exchange` that adds units': (
        lambda p: p.before('book'), lambda p, b: p.ask('exchange', booking=b, items=places('floor', 8))),
    '`exchange` that adds units … with `force`': (
        lambda p: p.before('book'), lambda p, b: p.ask('exchange', booking=b, items=places('floor', 8), force=True)),
    '`exchange` with `from_hold`': (
        lambda p: (p.before('book'), p.before('hold')),
        lambda p, b: p.ask('exchange', booking=b[0], from_hold=b[1], items=places('floor', 2))),
    '`transfer`': (lambda p: p.before('book'), lambda p, b: p.ask('transfer', booking=b, to_customer='d')),
    '`cancel`, also of a cart': (
        lambda p: (p.before('book'), p.before('book', cart='k3')), lambda p, b: of_both(p, 'cancel', b[0], 'k3')),
    '`release`, also of a cart': (
        lambda p: (p.before('hold'), p.before('hold', cart='k4')), lambda p, b: of_both(p, 'release', b[0], 'k4')),
}
WAITING = 'a party that waits, when units return'


def shut(world, show, moment):
    if moment == 'close':
        world.ask('close', show)
    elif MOMENTS[moment]:
        world.ask('define', show, **MOMENTS[moment])


def test_the_page_has_these_rows():
    assert set(table()) == {*ROWS, WAITING}


@pytest.mark.parametrize('moment', MOMENTS)
def test_every_request_at_every_moment(world, name, moment):
    path = Path(world, name())
    ready = {what: prepare(path) for what, (prepare, _request) in ROWS.items()}
    unrequested(world, ready['`confirm` after the hold expired, its units free'], path.show, 'expiry')
    shut(world, path.show, moment)
    index = list(MOMENTS).index(moment)
    expected = {what: cells[index] for what, cells in table().items() if what != WAITING}
    assert {what: request(path, ready[what]) for what, (_prepare, request) in ROWS.items()} == expected


@pytest.mark.parametrize('moment', MOMENTS)
def test_who_waits_at_every_moment(world, name, moment):
    show = name()
    world.ask('define', show, **standing(1))
    taken = world.ask('book', show, customer='c', items=places('floor', 1))['booking']
    party = world.ask('hold', show, customer='w', items=places('floor', 1), **WAIT)['booking']
    shut(world, show, moment)
    world.ask('cancel', show, customer='c', booking=taken)
    # Whoever would be served is served before the next request to take units.
    world.ask('block', show, items=places('floor', 2))
    found = world.ask('probe', show, customer='w', booking=party)['bookings'][0]['state']
    cell = table()[WAITING][list(MOMENTS).index(moment)]
    assert found == (cell if cell in ('held', 'left') else 'waiting')


# ---- whoever decides it, and when ------------------------------------------------------------------------------------
def test_the_time_of_the_append_decides(realm):
    """No worker runs while a sale closes, another opens, a show ends, a block returns and a wait ends."""
    request = realm.client.request
    for show in 'closes', 'ends', 'opens', 'returns', 'waits', 'over':
        realm.ask('define', show, **standing(4))
    taken = realm.ask('book', 'waits', customer='c', items=places('floor', 4))['booking']
    realm.ask('book', 'over', customer='c', items=places('floor', 4))
    at = soon(realm, 5)
    *_set, waits, _end, gone = realm.ask_all(
        request('define', 'closes', closes_at=at), request('define', 'ends', ends_at=at), request('define', 'opens', opens_at=at),
        request('block', 'returns', items=places('floor', 4), return_at=at),
        request('hold', 'waits', customer='w', items=places('floor', 1), wait_until=at),
        request('define', 'over', ends_at=at), request('hold', 'over', customer='w', items=places('floor', 1), **WAIT))
    assert gone['expires_at'] == at
    party = waits['booking']
    realm.workers[0].kill()

    def tries():
        return [request('hold', show, customer='c', items=places('floor', 1)) for show in ('closes', 'ends', 'opens', 'returns')]
    cancel = request('cancel', 'waits', customer='c', booking=taken)
    before = realm.client.send(*tries(), cancel)
    past(realm, at, 1)
    after = realm.client.send(*tries(), request('hold', 'waits', customer='d', items=places('floor', 4)))
    realm.worker()
    answers = realm.client.answers_to([*before, *after])
    early, late = answers[:len(before)], answers[len(before):]
    assert all(instant_of(answer['decided_at']) > instant_of(at) for answer in [*early, *late])
    assert [verdict(answer)[1] for answer in early] == [None, None, 'not_on_sale', 'not_enough', None]
    assert [verdict(answer)[1] for answer in late] == ['not_on_sale', 'not_on_sale', None, None, 'not_enough']
    served = unrequested(realm, party, 'waits', 'waiting_list')
    assert served['outcome'] == 'held' and served['seq'] < late[-1]['seq']
    left = unrequested(realm, gone['booking'], 'over', 'expiry')
    assert left['outcome'] == 'left' and left['detail'] == f'not_on_sale: it ended at {at}'
    assert early[-1]['seq'] < left['seq'] < late[0]['seq']
    realm.check()
