"""What others change beside the workers: triggers that drop rows or refuse all of them, policies that hide rows, the wait for a
standby that somebody cancels, and how long Kafka keeps the requests. Nothing may be published on the strength of what was not
confirmed, and all goes on afterwards."""

import threading

from harness.topics import delete_only, set_topic
from harness.waiting import eventually

TABLES = ('insert', 'decision'), ('insert', 'booking'), ('insert', 'allocation'), ('update', 'pool'), ('update', 'booking')
HIDDEN = 'resource', 'booking', 'pool', 'decision'
CANCEL_S = 0.05

DROP = '''
    create or replace function public.drop_rows() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger chaos before {event} on usher.{table} for each row execute function public.drop_rows()
'''
REFUSE = '''
    create or replace function public.refuse_all() returns trigger language plpgsql as $$
    begin
        raise exception 'database is not accepting commands' using errcode = '54000', hint = 'Vacuum it.';
    end $$;
    create trigger chaos before insert on usher.decision for each statement execute function public.refuse_all()
'''
CANCEL = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and usename = 'usher_worker'"
HALTED = 'select partition from usher.partitions where halted is not null'


def _resume(site, step):
    """An operator has the partitions that halted go on, until none is."""
    def resumed():
        halted = site.rows(HALTED, step.targets()[0])
        for partition, in halted:
            site.realm.run('partition', 'resume', '--partition', str(partition), USHER_POSTGRES=site.realm.uris('owner'))
        return not halted
    eventually(resumed, 'no partition is halted')


def drop_rows(site, step):
    """Of one kind: the partition that loses one halts."""
    event, table = step.dice.choice(TABLES)
    site.rows(DROP.format(event=event, table=table), step.targets()[0])
    return table


def keep_rows(site, step, table):
    """And the partitions that halted go on."""
    site.rows(f'drop trigger chaos on usher.{table}', step.targets()[0])
    _resume(site, step)


def hide_rows(site, step):
    table = step.dice.choice(HIDDEN)
    site.rows(f'alter table usher.{table} enable row level security', step.targets()[0])
    return table


def show_rows(site, step, table):
    site.rows(f'alter table usher.{table} disable row level security', step.targets()[0])


def refuse_all(site, step):
    """As when transaction ids have run out."""
    site.rows(REFUSE, step.targets()[0])
    return 'decision'


def accept_all(site, step, table):
    site.rows(f'drop trigger chaos on usher.{table}', step.targets()[0])


def _standbys(site, step, setting):
    site.rows(f'alter system {setting}', step.targets()[0])
    site.rows('select pg_reload_conf()', step.targets()[0])


def cancel_waits(site, step):
    """No standby confirms a commit, and somebody cancels each wait for it: the rows are there, with a warning."""
    enough = threading.Event()
    _standbys(site, step, "set synchronous_standby_names = 'nobody'")

    def run():
        while not enough.wait(CANCEL_S):
            site.rows(CANCEL, step.targets()[0])
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return enough, thread


def await_none(site, step, trace):
    enough, thread = trace
    enough.set()
    thread.join()
    _standbys(site, step, 'reset synchronous_standby_names')


def set_compacted(site, _step):
    """Of the segment that is appended to Kafka removes nothing: what else it removed nobody could decide, nor judge."""
    set_topic(site.realm, cleanup_policy='compact')


def set_kept(site, step, _trace):
    """Once all partitions have halted, those that nobody has when somebody takes them."""
    eventually(lambda: len(site.rows(HALTED, step.targets()[0])) == site.realm.partitions, 'all partitions halt')
    delete_only(site.realm)
    _resume(site, step)
