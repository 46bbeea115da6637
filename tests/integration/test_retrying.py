"""A partition that fails again and again is not called active: it says what fails, and where."""

from harness.shows import places, standing, verdict
from harness.waiting import eventually

# A failure that the database may recover from, so that the same is tried again for as long as it lasts.
TRAP = '''
    create function trap() returns trigger language plpgsql as $$
    begin
        raise exception 'trapped' using errcode = 'serialization_failure';
    end $$;
    create trigger trap before insert on usher.booking for each row execute function trap();
'''


def test_a_commit_that_fails_each_time_is_seen(realm):
    worker = realm.workers[0]
    realm.ask('define', 'show', **standing(20))
    before = realm.position()
    realm.sql(TRAP)
    place = realm.client.send(realm.client.request('book', 'show', customer='c', items=places('floor', 1)))
    eventually(lambda: worker.metric('usher_partition_retries') >= 3, 'it failed three times in a row')
    # However long it goes on, it is ready at no moment between two failures.
    while worker.metric('usher_partition_retries') < 5:
        status, said = worker.get('/readyz')
        assert status == 503 and 'trapped' in said and f'at offset {before[1]} ' in said
        assert worker.get('/livez')[0] == 200, 'another process would fail in the same way'
        partition = eventually(lambda: worker.status()['partitions'], 'it is assigned')[0]
        assert partition['state'] == 'retrying' and 'in state retrying' in said
        assert partition['retries'] >= 3 and 'trapped' in partition['error']
        assert partition['next_offset'] == before[1]
    assert f'at offset {before[1]}, failure ' in worker.log()
    realm.sql('drop trigger trap on usher.booking')
    assert verdict(realm.client.answers_to(place)[0]) == ('confirmed', None)
    worker.await_ready()
    assert worker.owns() and worker.status()['partitions'][0]['error'] is None
    eventually(lambda: worker.metric('usher_partition_retries') == 0, 'the failures are over')
    realm.check()
