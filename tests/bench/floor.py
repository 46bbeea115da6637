"""The floor: a bare pump that moves records of the same size through the same broker and database (floor.c)."""

import pathlib
import signal
import subprocess

from cpu import Meter
from instance import BIN
from offer import offer

HERE = pathlib.Path(__file__).resolve().parent
TOPICS = {"USHER_TOPIC_PREFIX": "floor"}


class Floor:
    """
    `with Floor(instance, "seats") as floor: floor.offer(rate=1000, seconds=5)`: it writes a row for each unit.
    "quantity": one row of counters a batch in place of them. One floor an instance.
    """

    def __init__(self, instance, way):
        self._instance, self._way = instance, way
        self._pump = None

    def __enter__(self):
        instance = self._instance
        instance.sql_file(HERE / "floor.sql")
        instance.worker_command("topics", "create", "--partitions", "1", "--replication", "1", **TOPICS)
        self._pump = subprocess.Popen(
            [BIN / "tests/bench/floor", instance.environment["USHER_KAFKA_BROKERS"], instance.uri("admin"), "floor",
             self._way], stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_error):
        self._pump.send_signal(signal.SIGTERM)
        self._pump.wait(20)

    def meter(self):
        """The pump is in the place of the worker; nobody uses Redis."""
        return Meter(worker=self._pump.pid, **{part: self._instance.part_pid(part) for part in ("postgres", "kafka")})

    def offer(self, **load):
        return offer(self._instance, "show:floor", **load, **TOPICS)
