"""Brokers of a test's own, beside the one of the stack: one as its settings say, or three that replicate."""

import pathlib
import signal
import subprocess

import confluent_kafka

from .stack import BUILD, TREE, free_port
from .waiting import PATIENCE_S, eventually, pause

CLUSTER = 'AAAAAAAAAAAAAAAAAAAAAA'

# What every broker of a test has.
COMMON = {
    'process.roles': 'broker,controller',
    'controller.listener.names': 'CONTROLLER',
    'auto.create.topics.enable': 'false',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.num.partitions': '1',
    'group.initial.rebalance.delay.ms': '0',
}


def java(jars):
    """The command line of a broker's Java, as the stack has it: deploy/local/kafka.sh says why."""
    shell = '. deploy/local/common.sh; . deploy/local/kafka.sh; kafka_java "$1"'
    return subprocess.check_output(['bash', '-c', shell, 'java', str(jars)], cwd=TREE, text=True).splitlines()


class Broker:
    """One process of Kafka, broker and controller at once. `address` is where it can be asked without a login."""

    def __init__(self, directory, settings, address):
        self.directory, self.address, self.process = pathlib.Path(directory), address, None
        self.directory.mkdir(exist_ok=True)
        self._java = java(sorted(BUILD.glob('kafka-*/'))[-1])
        self._settings = self.directory / 'server.properties'
        self._settings.write_text('\n'.join(f'{name}={value}' for name, value in
                                            {**COMMON, 'log.dirs': self.directory / 'data', **settings}.items()))

    def format(self, *arguments):
        with open(self.directory / 'kafka.log', 'ab') as log:
            subprocess.run([*self._java, 'kafka.tools.StorageTool', 'format', '-t', CLUSTER, '-c', self._settings,
                            *arguments], check=True, stdout=log, stderr=log, timeout=120)

    def launch(self):
        """Starts it; does not wait."""
        with open(self.directory / 'kafka.log', 'ab') as log:
            self.process = subprocess.Popen([*self._java, 'kafka.Kafka', self._settings], stdout=log, stderr=log,
                                            start_new_session=True)

    def await_answer(self):
        eventually(self._answers, f'Kafka answers; {self.directory}/kafka.log')

    def _answers(self):
        if self.process.poll() is not None:
            raise RuntimeError((self.directory / 'kafka.log').read_text()[-3000:])
        return subprocess.run(['kcat', '-L', '-m', '2', '-b', self.address], capture_output=True,
                              check=False).returncode == 0

    def pause(self):
        pause(self.process)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait(30)


class Trio:
    """Three that replicate, with the times that Kafka has by default."""

    def __init__(self, directory):
        self.addresses = [f'127.0.0.1:{free_port()}' for _node in range(3)]
        controllers = [f'127.0.0.1:{free_port()}' for _node in range(3)]
        voters = ','.join(f'{node}@{address}' for node, address in enumerate(controllers))
        self.nodes = [Broker(directory / f'node{node}', {
            'node.id': node, 'controller.quorum.voters': voters,
            'listeners': f'BROKER://{address},CONTROLLER://{controllers[node]}',
            'advertised.listeners': f'BROKER://{address}',
            'listener.security.protocol.map': 'BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
            'inter.broker.listener.name': 'BROKER',
            'message.max.bytes': '1200000', 'replica.fetch.max.bytes': '1200000',
            'offsets.topic.replication.factor': '3', 'transaction.state.log.replication.factor': '3',
            'transaction.state.log.min.isr': '2'}, address) for node, address in enumerate(self.addresses)]
        self.brokers = ','.join(self.addresses)
        for node in self.nodes:  # the feature is on by default, from Kafka 4.1 on
            node.format('--feature', 'eligible.leader.replicas.version=1')
            node.launch()
        for node in self.nodes:
            node.await_answer()
        self._admin = confluent_kafka.Producer({'bootstrap.servers': self.brokers, 'log_level': 0})
        eventually(lambda: len(self._admin.list_topics(timeout=PATIENCE_S).brokers) == 3, 'all three know each other')

    def _partitions(self, topic):
        return self._admin.list_topics(topic, PATIENCE_S).topics[topic].partitions.values()

    def leader(self, topic, partition):
        """The node that leads a partition."""
        return self.nodes[next(one.leader for one in self._partitions(topic) if one.id == partition)]

    def await_in_sync(self, *topics):
        """Until each replica has everything."""
        eventually(lambda: all(len(one.isrs) == 3 for topic in topics for one in self._partitions(topic)),
                   'all replicas are in sync')

    def close(self):
        for node in self.nodes:
            node.kill()
