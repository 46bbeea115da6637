"""Rates that end: what is left at each is shown, and is what is sold."""

from harness.shows import places, seats, stay, verdict

SECTIONS = [{'section': 'pit', 'capacity': 9, 'rates': {'early': 20, 'late': 30}},
            {'section': 'stalls', 'rows': [{'row': 'A', 'seats': 6}], 'rates': {'early': 40, 'late': 50}}]


def test_what_is_left_at_each_rate_is_shown(world, name):
    show = name()
    birds = {'quota': 'birds', 'rate': 'early', 'pools': ['pit', 'stalls'], 'limit': 5}
    ended = {'quota': 'ended', 'rate': 'late', 'pools': ['pit'], 'closes_at': '2020-01-01T00:00:00Z'}
    assert world.ask('define', show, state='open', sections=SECTIONS, quotas=[birds, ended])['outcome'] == 'defined'
    assert world.ask('hold', show, customer='c', items=places('pit', 2))['total'] == 40
    sold = world.ask('book', show, customer='c', items=seats('A-1'))
    assert sold['total'] == 40

    def left():
        kept = dict(world.sql('select pool, left_at_rates from usher.availability where resource = %s', show, role='reader'))
        assert kept == {pool['section']: pool['left_at_rates'] for pool in world.ask('probe', show)['pools']}
        return kept

    assert left() == {'pit': {'early': 2, 'late': 0}, 'stalls': {'early': 2}}
    out = world.command('show', show)
    assert 'quota birds: at most 5 of pit, stalls, at rate early' in out
    assert 'quota ended: all of pit, at rate late until ' in out
    assert 'pit: 2 left at rate early' in out and 'stalls: 2 left at rate early' in out and ' over\n' not in out
    short = world.ask('hold', show, customer='c', items=places('pit', 3, rate='early'))
    assert verdict(short) == ('refused', 'not_enough')
    assert [(item['free'], item['rate']) for item in short['items']] == [(2, 'early')]
    world.ask('cancel', show, customer='c', booking=sold['booking'])
    assert left() == {'pit': {'early': 3, 'late': 0}, 'stalls': {'early': 3}}
    world.command('reconcile')


def test_what_is_left_of_rooms_is_shown_night_by_night(world, name):
    hotel = name('hotel')
    world.ask('define', hotel, state='open', quotas=[{'quota': 'birds', 'rate': 'early', 'pools': ['double'], 'limit': 1}], rooms=[
        {'room': 'double', 'from': '2030-01-01', 'to': '2030-01-04', 'capacity': 4, 'rates': {'early': 100, 'late': 150}}])
    assert world.ask('book', hotel, customer='g', items=stay('double', '2030-01-01', '2030-01-03'))['total'] == 200
    assert world.ask('book', hotel, customer='g', items=stay('double', '2030-01-02', '2030-01-04'))['total'] == 250
    assert world.sql('select night::text, left_at_rates from usher.availability where resource = %s order by 1', hotel, role='reader') == [
        ('2030-01-01', {'early': 0}), ('2030-01-02', {'early': 0}), ('2030-01-03', {'early': 0})]
