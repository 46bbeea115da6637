"""A new version of the workers is rolled out while requests come in."""

from harness.load import answered

WORKERS = 3


def test_workers_are_replaced_one_after_another(make_realm, make_crowd, tell):
    """As Kubernetes does with `maxSurge: 0`: the next one leaves when the one before is ready."""
    realm = make_realm('rolled', partitions=6)
    workers = [realm.worker() for _number in range(WORKERS)]
    with make_crowd(realm, seed=36) as crowd:
        for worker in workers:
            answered(realm, 1000)
            assert worker.stop() == 0
            realm.worker()
        answered(realm, 1000)
        crowd.finish()
    assert realm.check().facts['internal'] == 0
    realm.command('reconcile')
    tell(f'{WORKERS} workers replaced one after another', crowd, 'nothing lost, nothing doubled, books equal')
