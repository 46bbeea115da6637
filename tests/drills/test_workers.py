"""A new version of the workers is rolled out while requests come in."""

from harness.load import answered

WORKERS = 3


def test_workers_are_replaced_one_after_another(make_realm, make_crowd, balance, tell):
    """As Kubernetes does with `maxSurge: 0`: the next one leaves when the one before is ready."""
    realm = make_realm('rolled', workers=WORKERS, partitions=6)
    with make_crowd(realm, seed=36) as crowd:
        for worker in realm.workers[:WORKERS]:
            answered(realm, 1000)
            assert worker.stop() == 0
            realm.worker()
        answered(realm, 1000)
        crowd.finish()
    balance(realm)
    tell(f'{WORKERS} workers replaced one after another', crowd, 'nothing lost, nothing doubled, books equal')
