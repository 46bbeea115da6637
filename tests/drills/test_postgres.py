"""PostgreSQL fails over, or comes back with less than it had, while requests come in."""

import pytest

from harness.load import answered
from harness.replicas import Pair

BALANCED = 'nothing lost, nothing doubled, books equal'


@pytest.fixture(name='make_pair')
def pairs(stack, tmp_path):
    made = []

    def make(is_synchronous):
        made.append(Pair(stack, tmp_path, is_synchronous))
        return made[-1]
    yield make
    for pair in made:
        pair.close()


@pytest.mark.parametrize('how, what', [('kill', 'killed'), ('pause', 'fallen silent')])
def test_a_synchronous_standby_is_promoted(make_pair, make_realm, make_crowd, tell, how, what):
    pair = make_pair(is_synchronous=True)
    realm = make_realm(f'sync_{how}', site=pair)
    for _worker in range(2):
        realm.worker()
    with make_crowd(realm, seed=31) as crowd:
        answered(realm, 2000)
        getattr(pair.primary, how)('postgres')
        pair.standby.promote()
        answered(realm, 2000)
        crowd.finish()
        pair.primary.kill('postgres')
    assert realm.check().facts['internal'] == 0
    realm.command('reconcile')
    tell(f'primary of PostgreSQL {what}, synchronous standby promoted', crowd, BALANCED)
