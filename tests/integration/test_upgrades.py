"""What this version sold goes on under the next one: its rows are there, count, and are answered again."""

from harness.shows import places, seats, verdict

from test_migrate import FILES, LATER, VERSION

HALL = {'state': 'open', 'sections': [{'section': 'stalls', 'rows': [{'row': 'A', 'seats': 4}]},
                                      {'section': 'standing', 'capacity': 4}]}


def migrate(realm, *arguments):
    return realm.command('migrate', *arguments, name=LATER, USHER_POSTGRES=realm.uri('owner'))


def test_what_was_decided_goes_on(make_realm):
    realm = make_realm()
    ask = realm.ask
    sold = {'request_id': 'sold', 'op': 'book', 'resource': 'hall', 'customer': 'ann', 'items': [*seats('A-1'), *places('standing', 2)]}
    worker = realm.worker()
    assert verdict(ask('define', 'hall', **HALL)) == ('defined', None)
    first = realm.ask_all(sold)[0]
    kept = ask('hold', 'hall', customer='bob', items=[*seats('A-2'), *places('standing', 2)])
    assert (first['outcome'], kept['outcome']) == ('confirmed', 'held')
    waits = ask('hold', 'hall', customer='eve', items=places('standing', 1), wait_until='2099-01-01T00:00:00Z')
    assert waits['outcome'] == 'waiting'
    assert worker.stop() == 0

    assert 'applied 901_stop.sql' in migrate(realm, 'up')
    assert realm.command('migrate', 'list', name=LATER).count(' applied ') == len(FILES) + 2
    done = realm.run('run')
    assert done.returncode == 78 and f"it is version 901, this program's is {VERSION}; run a newer program" in done.stderr
    realm.worker(binary=LATER)
    again = realm.ask_all(sold)[0]
    assert (again['outcome'], again['replayed'], again['decided_at']) == ('confirmed', True, first['decided_at'])
    assert verdict(ask('confirm', 'hall', customer='bob', booking=kept['booking'])) == ('confirmed', None)
    assert verdict(ask('cancel', 'hall', customer='ann', booking='sold')) == ('cancelled', None)
    served = realm.client.answers.await_one(lambda answer: answer.get('cause') == 'waiting_list')
    assert verdict(ask('confirm', 'hall', customer='eve', booking=served['booking'])) == ('confirmed', None)
    assert 'no differences' in realm.command('reconcile', name=LATER)
