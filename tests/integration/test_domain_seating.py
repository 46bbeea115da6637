"""Which seats a party gets that leaves the choice to the house: sections to choose from, features, sitting together, and
the order in which seats are given."""

import pytest

from harness.counts import check_counts, seats_of
from harness.shows import places, seated, verdict

pytestmark = pytest.mark.smoke


@pytest.fixture(name='show')
def show_fixture(ask, name):
    """Makes shows: show(**definition)."""
    def make(**definition):
        one = name()
        assert verdict(ask('define', one, **definition)) == ('defined', None)
        return one
    return make


def chosen(ask, show, quantity, section='stalls', **more):
    """The seats of a hold, or the reason why there are none."""
    answer = ask('hold', show, customer='c', items=places(section, quantity, **more))
    return seats_of(answer['units']) if answer['outcome'] == 'held' else answer['reason']


# ---- the order in which seats are given ------------------------------------------------------------------------------
@pytest.mark.parametrize('strategy', ['best', 'first', 'random'])
def test_to_the_last_seat(world, show, strategy):
    """Whatever the order: everything can be sold, nothing twice."""
    one, sizes = show(**seated(7, 4, 9, strategy=strategy)), (3, 1, 4, 1, 2, 6, 1, 2)
    taken = [seat for quantity in sizes for seat in chosen(world.ask, one, quantity)]
    assert len(taken) == len(set(taken)) == 20
    check_counts(world, one, 0, held=20)
    assert chosen(world.ask, one, 1) == 'not_enough'
