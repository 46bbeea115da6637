"""The floor: a bare pump that moves records of the same size through the same broker and database (floor.c)."""

import pathlib
import signal
import subprocess

from instance import BIN
from offer import offer

HERE = pathlib.Path(__file__).resolve().parent
TOPICS = {"USHER_TOPIC_PREFIX": "floor"}


class Floor:
    """`with Floor(instance) as floor: floor.offer(rate=1000, seconds=5)`"""

    def __init__(self, instance):
        self._instance = instance
        self._pump = None

    def __enter__(self):
        instance = self._instance
        instance.sql_file(HERE / "floor.sql")
        instance.worker_command("topics", "create", "--partitions", "1", "--replication", "1", **TOPICS)
        self._pump = subprocess.Popen(
            [BIN / "tests/bench/floor", instance.environment["USHER_KAFKA_BROKERS"], instance.uri("admin"), "floor"],
            stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_error):
        self._pump.send_signal(signal.SIGTERM)
        self._pump.wait(20)

    def offer(self, **load):
        return offer(self._instance, "show:floor", **load, **TOPICS)
