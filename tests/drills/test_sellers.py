"""Brokers die in the middle of the sale of a cart: a leader of its partitions, and its transaction's coordinator."""

import pytest

from harness.brokers import Trio
from harness.seller import Seller, about, take
from harness.shows import standing
from harness.waiting import await_stopped
from oracle.partitioner import partition_of

STATE = '__transaction_state', 0
SHOWS = [f'show:{number}' for number in range(8)]
STOPS = 'begin:1', 'produce:12', 'commit:1'  # the twelfth record is in the middle of the confirms, after as many holds


def sold(realm, held, seller):
    """Waits until a cart is sold, by that seller or by successors of its transactional id. Returns the last one."""
    result = seller.read()
    while result.get('state') in ('unknown', 'aborted'):
        seller.end()
        seller = Seller(realm)
        result = seller.do(about('sell', held))
    assert result.get('state') == 'sold', (result, seller.end())
    return seller


@pytest.mark.parametrize('which', ['leader', 'coordinator'])
def test_a_broker_is_killed_in_the_middle_of_a_sale(tmp_path, keep, make_realm, make_crowd, balance, tell, which):
    trio = keep(Trio(tmp_path))
    realm = make_realm(f'sale_{which}', replication=3, USHER_KAFKA_BROKERS=trio.brokers)
    requests = f'{realm.name}.requests.v1'
    for show in SHOWS:
        realm.ask('define', show, **standing(1000))
    with make_crowd(realm, seed=35) as crowd:
        for stop in STOPS:
            trio.await_in_sync(requests)
            seller = Seller(realm, breaks=f'stop:{stop}')
            held = seller.do(take(stop, *((show, 'floor', 1) for show in SHOWS), ttl_s=600))
            assert held['state'] == 'held', held
            seller.write(about('sell', held))
            await_stopped(seller.process)
            killed = trio.leader(*(STATE if which == 'coordinator' else
                                   (requests, partition_of(SHOWS[0].encode(), realm.partitions))))
            killed.kill()
            seller.resume()
            sold(realm, held, seller).end()
            states = realm.sql('select distinct state from usher.booking where cart = %s', stop)
            assert states == [('confirmed',)], states
            killed.launch()
            killed.await_answer()
        crowd.finish()
    balance(realm)
    tell(f'{which} killed in the middle of the sale of a cart, {len(STOPS)} times, of three brokers', crowd,
         'each cart sold whole, books equal')
