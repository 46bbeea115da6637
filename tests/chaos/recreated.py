"""The topic of requests is deleted and created again, beside workers that run or stand still. What was decided stays, and the
rest of that log is lost; whatever Kafka acknowledges in the new one is to be answered, once an operator has accepted it."""

import signal

from harness.waiting import eventually

AT_ONCE = 0.5  # how often the next one follows while the log is still short: it may get longer than the one before was read

DECIDED = 'select count(*) from usher.partition_state where next_offset is not null'
ACCEPTED = 'select next_seq from usher.partition_topic where partition = %s order by epoch'


def recreate(site, step):
    """Returns the workers that stand still."""
    if step.dice.random() < AT_ONCE:
        accept(site, step, _recreate(site, step))
    return _recreate(site, step)


def _await_decisions(site):
    """One that has decided nothing in this log may go on in the next one as if nothing were."""
    eventually(lambda: site.realm.sql(DECIDED) == [(site.realm.partitions,)], 'all have decided something in this log')


def _recreate(site, step):
    _await_decisions(site)
    still = [worker for worker in site.workers if step.dice.random() < 0.5]
    with site.load.held():
        for worker in still:
            worker.process.send_signal(signal.SIGSTOP)
        site.realm.keep_log()
        site.realm.recreate('requests')
        site.ledger.lose()
    return still


def accept(site, _step, still):
    """As the guide says, but each partition as soon as it lets itself be accepted: when it has halted, or nobody has it."""
    for worker in still:
        worker.resume()
    left, said = set(range(site.realm.partitions)), ''

    def accepted():
        nonlocal said
        for partition in sorted(left):
            said = _accept(site, partition)
            seqs = site.realm.sql(ACCEPTED, partition)
            if len(seqs) == len(site.realm.former_logs):
                site.ledger.accept(partition, seqs[-1][0])
                left.remove(partition)
        return not left
    try:
        eventually(accepted)
    except AssertionError:
        site.findings.violation(f'partitions {left} did not halt when their topic was recreated: {said}')


def _accept(site, partition):
    done = site.realm.run('partition', 'accept-topic', '--partition', str(partition), '--topic', 'requests', '--why', 'chaos',
                          '--yes', USHER_POSTGRES=site.realm.uri('owner'))
    return done.stdout + done.stderr
