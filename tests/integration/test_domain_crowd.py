"""The whole domain at once, at random, under load and with workers killed: the log is replayed independently, and every
decision, every row and every answer must be the same."""

import pytest

from harness.domain_load import DomainCrowd
from harness.load import answered
from harness.waiting import eventually

OUTCOMES = {'held', 'confirmed', 'released', 'extended', 'exchanged', 'cancelled', 'transferred', 'waiting', 'left', 'blocked',
            'defined', 'alive', 'refused'}
CAUSES = {'expiry', 'waiting_list', 'resource_closed', 'block_returned', 'resource_changed'}


def used_everything(answers):
    """Whether every outcome of a request and every cause of an unrequested answer is there: on a busy machine the same crowd gets
    other answers, and may need longer to meet all of them."""
    return (OUTCOMES <= {answer['outcome'] for answer in answers if not answer.get('unasked')}
            and CAUSES <= {answer.get('cause') for answer in answers})


@pytest.mark.parametrize('seed', [pytest.param(1, marks=pytest.mark.smoke), 2])
def test_a_crowd_that_uses_everything(make_realm, seed):
    realm = make_realm(partitions=1, USHER_HOLD_TTL='3s')
    realm.worker()
    with DomainCrowd(realm, seed=seed, pause_s=0.08).define() as crowd:
        for _time in range(2):
            answered(realm, 800)
            realm.workers[-1].kill()
            realm.worker()
        answered(realm, 600)
        eventually(lambda: used_everything(realm.client.answers.everything()), 'the crowd used everything')
        answers = crowd.finish()
    assert realm.check().facts['internal'] == 0
    outcomes = {answer['outcome'] for answer in answers}
    assert outcomes >= OUTCOMES
    assert 'invalid' not in outcomes
    causes = {answer.get('cause') for answer in realm.client.answers.everything()}
    assert causes >= CAUSES
    realm.command('reconcile')


def test_memory_that_forgets(make_realm):
    """The same with little memory, so that what is asked for is loaded again and again, also in the middle of commits."""
    realm = make_realm(partitions=1, USHER_HOLD_TTL='3s', USHER_BATCHES_IN_FLIGHT='8', USHER_RESOURCES_IN_MEMORY='10',
                       USHER_IDS_IN_MEMORY='1000', USHER_BOOKINGS_IN_MEMORY='1000', USHER_UNITS_IN_MEMORY='1000')
    realm.worker()
    with DomainCrowd(realm, seed=3, pause_s=0.08, fairs=10).define() as crowd:
        answered(realm, 2000)
        crowd.finish()
    assert realm.check().facts['internal'] == 0
