"""What can be seen of a partition while it stands still, written to a file at once: afterwards it is gone."""

import shutil
import subprocess
import threading
import time

import confluent_kafka

from .watcher import state_of

PART_S = 10  # for each look: what stands may stop a look, too

ACTIVITY = """select pid, usename, state, wait_event_type, wait_event, now() - state_change as since,
       pg_blocking_pids(pid) as blocked_by, left(query, 120) as query
  from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"""


class Evidence:
    """Of the parts of one realm, in `folder`."""

    def __init__(self, realm, folder):
        self.realm, self.folder = realm, folder

    def take(self, partition, still_s, running):
        """In the background, as the watcher goes on: the file, which has each look as soon as it was had."""
        path = self.folder / f'still-{partition}-{time.strftime("%H%M%S")}.txt'
        threading.Thread(target=self._write, args=(path, partition, still_s, running), daemon=True).start()
        return path

    def _write(self, path, partition, still_s, running):
        with path.open('w', encoding='utf-8') as file:
            print(f'partition {partition} has stood for {still_s:.1f} s', file=file, flush=True)
            looks = [(f'{worker.name} {look.__name__}', look, worker) for look in (state_of, stacks, metrics)
                     for worker in running]
            for name, look, subject in [*looks, ('topics', self._topics, partition), ('sessions', self._sessions, None)]:
                try:
                    text = look(subject)
                except Exception as error:  # pylint: disable=broad-exception-caught  # a look that fails says so
                    text = f'{type(error).__name__}: {error}'
                print(f'---- {time.strftime("%H:%M:%S")} {name}\n{text}', file=file, flush=True)

    def _topics(self, partition):
        """How far both topics go, and how far the client has read."""
        client = self.realm.client
        answers = client.answers.accepted[partition]
        lines = [f'{len(answers)} answers accepted behind seq {client.answers.behind}; the last: {answers[-1:]}',
                 f'{len(client.answers.records[partition])} result records read']
        consumer = confluent_kafka.Consumer({'bootstrap.servers': client.brokers, 'group.id': 'usher-evidence'})
        try:
            for topic in client.topic, client.answers.topic:
                place = confluent_kafka.TopicPartition(topic, partition)
                lines.append(f'{topic}: {consumer.get_watermark_offsets(place, PART_S)}')
        finally:
            consumer.close()
        return '\n'.join(lines)

    def _sessions(self, _nothing):
        """Who does what in the database, and who waits for whom."""
        return '\n'.join(str(row) for statement in (ACTIVITY, 'select * from usher.partition_state order by 1')
                         for row in self.realm.rows(statement))


def metrics(worker):
    return worker.get('/metrics')[1]


def stacks(worker):
    """Of all threads, where there is a debugger."""
    if not shutil.which('gdb'):
        return 'no gdb'
    return subprocess.run(['gdb', '-batch', '-nx', '-p', str(worker.pid), '-ex', 'thread apply all bt 12'],
                          check=False, capture_output=True, text=True, timeout=PART_S).stdout
