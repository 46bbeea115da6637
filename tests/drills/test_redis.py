"""Redis is replaced by an empty one while requests come in."""

import time

from harness.load import answered
from harness.own_redis import OwnRedis
from harness.waiting import eventually


def test_redis_is_replaced_by_an_empty_one(tmp_path, keep, make_realm, make_crowd, balance, tell):
    own = keep(OwnRedis(tmp_path))
    realm = make_realm('displayed', USHER_REDIS=own.url)
    with make_crowd(realm, seed=35) as crowd:
        answered(realm, 1000)
        own.kill()
        answered(realm, 1000)
        own.start()
        begun = time.monotonic()
        eventually(lambda: set(realm.listed()) == set(crowd.resources), 'all resources are shown again')
        took_s = time.monotonic() - begun
        answered(realm, 1000)
        crowd.finish()
    balance(realm)
    tell('Redis killed and replaced by an empty one', crowd,
         f'sold on; all shown again {took_s:.1f} s after it was there, by itself; equal to PostgreSQL')
