"""An instance of the local stack that a workload has to itself, and what its parts say of themselves."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import urllib.request

import psycopg2

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TREE / "build"))
BIN = pathlib.Path(os.environ.get("BIN_DIR", BUILD / os.environ.get("MODE", "release")))
DIRECTORY = BUILD / "bench"
LOAD = BIN / "tests/bench/load/load"


class Broken(Exception):
    """Something that must succeed did not: there is nothing to measure."""


def call(*command, stdin=None, environment=None):
    """The output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], input=stdin, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        raise Broken(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-2000:]}"
                     f"{done.stderr[-2000:]}")
    return done.stdout


class Instance:
    """`with Instance(partitions=4, USHER_BATCH_LIMIT="10") as instance:` starts everything afresh."""

    def __init__(self, partitions=1, workers=1, dashboard=False, **settings):
        self.partitions, self.workers, self.dashboard = partitions, workers, dashboard
        # No hold may end while something else is measured.
        self.settings = {"USHER_LOG_LEVEL": "warning", "USHER_HOLD_TTL": "12h", "KAFKA_JAVA": "steady", **settings}
        self.environment = {}
        self.directory = DIRECTORY / "stack"
        self.scratch = DIRECTORY / "load"  # files of requests, of answers

    def _stack(self, *arguments, **settings):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("USHER_")}
        command = [str(TREE / "deploy/local/stack"), arguments[0], "--dir", str(self.directory), *arguments[1:]]
        done = subprocess.run(command, env={**environment, **self.settings, **settings}, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise Broken(f"stack {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr[-4000:]}")
        return done.stdout

    def __enter__(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        try:
            exports = self._stack("up", "--fresh", "--partitions", str(self.partitions),
                                  "--workers", str(self.workers), *(["--dashboard"] if self.dashboard else []))
        except BaseException as error:
            self.__exit__(error)
            raise
        self.environment = dict(re.findall(r"^export (\w+)='(.*)'$", exports, re.M))
        return self

    def __exit__(self, error=None, *_more):
        """What was measured leaves nothing behind; what failed leaves its logs and its data."""
        self._stack("down", *([] if error else ["--wipe"]))
        if not error:
            shutil.rmtree(self.scratch)

    # ---- its parts ----
    def uri(self, role):
        return self._stack("uri", role).strip()

    def stop_worker(self, number=1):
        self._stack("worker", "stop", str(number))

    def kill_worker(self, number=1):
        self._stack("worker", "kill", str(number))

    def start_worker(self, number=1, arguments=(), **settings):
        self._stack("worker", "start", str(number), "--", *arguments, **settings)

    def restart_worker(self, number=1, arguments=(), **settings):
        self.stop_worker(number)
        self.start_worker(number, arguments, **settings)

    def stop_part(self, part):
        self._stack("stop", part)

    def start_part(self, part):
        self._stack("start", part)

    def restart_part(self, part):
        self.stop_part(part)
        self.start_part(part)

    def worker_pid(self, number=1):
        return int(self._stack("worker", "pid", str(number)))

    def part_pid(self, part):
        """Of postgres, kafka, redis or dashboard: where the stack keeps it."""
        return int((self.directory / "run" / f"{part}.pid").read_text(encoding="ascii").split()[0])

    def worker_http(self, number=1):
        return self._stack("worker", "http", str(number)).strip()

    def await_balance(self, workers, seconds=30):
        """Waits until this number of workers share the partitions, and each is active."""
        deadline = time.monotonic() + seconds
        while True:
            owned = [self.partitions_of(number) for number in range(1, workers + 1)]
            if all(owned) and sum(owned) == self.partitions:
                return
            if time.monotonic() > deadline:
                raise Broken(f"the partitions are not shared by {workers} workers: {owned}")
            time.sleep(0.1)

    def partitions_of(self, number):
        """How many partitions the worker says that it is active on."""
        with urllib.request.urlopen(f"http://{self.worker_http(number)}/status", timeout=5) as page:
            return sum(one["state"] == "active" for one in json.load(page)["partitions"])

    # ---- programs ----
    def with_environment(self, **environment):
        return {**os.environ, **self.environment, **environment}

    def producer(self, *arguments, stdin=None, **environment):
        return call(BIN / "usher-producer", *arguments, stdin=stdin, environment={**self.environment, **environment})

    def load(self, *arguments, **environment):
        return call(LOAD, *arguments, environment={**self.environment, **environment})

    def load_beside(self, *arguments):
        """One that runs beside what is done next."""
        return subprocess.Popen([LOAD, *arguments], env=self.with_environment(), text=True,
                                stdout=subprocess.PIPE)

    def worker_command(self, *arguments, **environment):
        return call(BIN / "usher-worker", *arguments, environment={**self.environment, **environment})

    def send(self, requests, **environment):
        """Requests that must all succeed."""
        self.producer("send", "--wait=120s", stdin="".join(json.dumps(one) + "\n" for one in requests), **environment)

    # ---- PostgreSQL ----
    def sql(self, statement, *values):
        """Runs one statement as the administrator; returns its rows, if it has any."""
        connection = psycopg2.connect(self.uri("admin"))
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement, values or None)
                return cursor.fetchall() if cursor.description is not None else []
        finally:
            connection.close()

    def sql_file(self, path, **variables):
        settings = [word for name, value in variables.items() for word in ("-v", f"{name}={value}")]
        call("psql", "-qX", "-v", "ON_ERROR_STOP=1", *settings, self.uri("admin"), "-f", path)


# ---- what processes say of themselves -----------------------------------------------------------------------------

def _memory_mb(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(rf"^{field}:\s+(\d+) kB$", status.read(), re.M)[1]) / 1024


def resident_mb(pid):
    return _memory_mb(pid, "VmRSS")


def peak_mb(pid):
    """The most that was ever resident."""
    return _memory_mb(pid, "VmHWM")


class Metrics:
    """The sums of a worker's metrics at one moment."""

    def __init__(self, instance, number=1):
        with urllib.request.urlopen(f"http://{instance.worker_http(number)}/metrics", timeout=5) as page:
            self._page = page.read().decode()

    def sum(self, name):
        """Over all labels, as a counter or as the `_sum` or `_count` of a histogram."""
        return sum(float(value) for value in re.findall(rf"^{name}(?:\{{[^\n]*\}})? (\S+)$", self._page, re.M))
