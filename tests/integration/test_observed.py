"""What those see who watch a worker from outside: the group's offsets in Kafka."""

from harness.shows import places, standing
from harness.waiting import eventually


def is_level(realm):
    end, committed = realm.group_position()
    return end == committed


def test_the_group_keeps_up_where_nothing_more_comes(realm):
    """Whoever reads the group's lag sees none on a partition that is quiet: after a burst, whose last commits follow
    each other too soon for Kafka to be told of each, and where the owner was killed before it had told Kafka."""
    realm.ask('define', 'show', **standing(20))
    for _ in range(3):
        realm.ask('book', 'show', customer='c', items=places('floor', 1))
    eventually(lambda: is_level(realm), 'Kafka knows that all was read')
    for _ in range(3):
        realm.ask('book', 'show', customer='c', items=places('floor', 1))
    realm.workers[-1].kill()
    realm.worker()
    eventually(lambda: is_level(realm), 'the next owner tells Kafka')
    assert realm.group_position()[0] == 7
