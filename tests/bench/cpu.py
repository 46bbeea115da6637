"""CPU time of the processes that take part in a load, and how much of it a booking takes."""

import os
import resource

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# Part of the stack → the column of the table; the load generator and the clients of rivals are our own children.
PARTS = {"postgres": "PostgreSQL", "kafka": "broker", "worker": "worker", "redis": "Redis", "clients": "clients"}


def _stat_text(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        return stat.read()


def _stat(pid):
    """The fields of /proc/PID/stat after the name, which may have blanks."""
    return _stat_text(pid).rsplit(")", 1)[1].split()


def _own_ticks(fields):
    return int(fields[11]) + int(fields[12])


def cpu_seconds(pid):
    """All threads of a process, those that have ended with them."""
    return _own_ticks(_stat(pid)) / TICKS_PER_S


def compiler_seconds(pid):
    """The threads of a Java that compile."""
    compiling = (task for task in os.listdir(f"/proc/{pid}/task") if "Compiler" in _stat_text(f"{pid}/task/{task}"))
    return sum(cpu_seconds(f"{pid}/task/{task}") for task in compiling)


def _ended_ticks(pid):
    """Of children that have ended and that their parent has noticed."""
    fields = _stat(pid)
    return int(fields[13]) + int(fields[14])


def _children(pid):
    """What the children that there are say of themselves; one that ends meanwhile may be left out."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = _stat(process)
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == pid:
            yield fields


def family_seconds(pid):
    """A server and its children, as PostgreSQL has one for each connection: those that have ended with them."""
    while True:
        ended = _ended_ticks(pid)
        running = sum(_own_ticks(child) for child in _children(pid))
        if ended == _ended_ticks(pid):  # else a child that has just ended might be counted twice, or not at all
            return cpu_seconds(pid) + (ended + running) / TICKS_PER_S


def _clients_seconds():
    """Our own children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Meter:
    """
    `meter = Meter(postgres=pid, worker=pid)`, then `with meter:` around each load and nothing else: any other program
    that is called there counts as a client.
    """

    def __init__(self, **pids):
        self._pids = pids
        self._before = {}
        self._seconds = dict.fromkeys([*pids, "clients"], 0)

    def _now(self):
        servers = {part: family_seconds(pid) if part == "postgres" else cpu_seconds(pid)
                   for part, pid in self._pids.items()}
        return {**servers, "clients": _clients_seconds()}

    def __enter__(self):
        self._before = self._now()
        return self

    def __exit__(self, *_error):
        for part, seconds in self._now().items():
            self._seconds[part] += seconds - self._before[part]

    def us_per(self, count):
        """Part → microseconds, of which there were `count`."""
        return {part: seconds * 1e6 / count for part, seconds in self._seconds.items()}


def of_servers(us):
    """All parts together, but for the clients."""
    return sum(time for part, time in us.items() if part != "clients")


def usher_meter(instance):
    return Meter(worker=instance.worker_pid(),
                 **{part: instance.part_pid(part) for part in ("postgres", "kafka", "redis")})


def rival_meter(instance):
    """Of those that need the database alone."""
    return Meter(postgres=instance.part_pid("postgres"))
