"""What a worker loads: portions of it, where all at once would take too long."""

from harness.shows import standing

# Each row of a resource that a worker reads takes this long, as on a database that is cold or busy.
SLOW = '''
    alter table usher.resource rename to slow_resource;
    create view usher.resource as select ctid, * from usher.slow_resource where pg_sleep(0.05) is not null;
    grant select, insert, update on usher.resource to usher_worker;
'''
FAST = 'drop view usher.resource; alter table usher.slow_resource rename to resource'


def test_a_load_that_takes_too_long_gets_smaller(make_realm):
    """The same load again would take as long again: with a backlog for many resources, none would ever be decided."""
    realm = make_realm()
    worker = realm.worker()
    shows = [f'show:{number}' for number in range(60)]
    realm.ask_all(*(realm.client.request('define', show, **standing(20)) for show in shows))
    assert worker.stop() == 0
    realm.sql(SLOW)
    sent = realm.client.send(*(realm.client.request('probe', show) for show in shows))
    worker = realm.worker(await_ready=False, USHER_STATEMENT_TIMEOUT='2s', USHER_REDIS='')
    answers = realm.client.answers_to(sent)
    assert [answer['outcome'] for answer in answers] == ['alive'] * len(shows), answers
    assert 'statement timeout' in worker.log(), 'a load took too long'
    realm.sql(FAST)
    assert realm.position()[1] == 2 * len(shows)


def test_rebuild_reads_before_it_clears(make_realm):
    """What is shown stays where PostgreSQL cannot say what it should be."""
    realm = make_realm()
    worker = realm.worker()
    answer = realm.ask('define', 'show', **standing(20))
    realm.await_shown('show', answer['rev'])
    assert worker.stop() == 0
    shown = realm.cache.hgetall(f'{realm.name}:{{show}}')
    realm.sql('revoke select on usher.pool from usher_worker')
    assert realm.run('rebuild-cache').returncode == 77
    assert realm.cache.hgetall(f'{realm.name}:{{show}}') == shown
    realm.sql('grant select on usher.pool to usher_worker')
    assert realm.command('rebuild-cache').startswith('rebuilt 1 resource in')
