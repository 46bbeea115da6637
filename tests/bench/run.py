"""What one run found: figures with their targets, lines for plots, complaints. Knows no workload."""

import os
import time


class CountsWrong(Exception):
    """The books do not balance: the figure is worth nothing, and usher has a fault."""


class Run:
    """Collects what the workloads find. `scale` below 1 makes all of them smaller, to try them out."""

    AT_RATE = ("bookings_per_s", "p50", "p99", "p99.9", "refused")

    def __init__(self, kind):
        self.kind = kind
        self.scale = float(os.environ.get("BENCH_SCALE", "1"))
        self.started = time.time()
        self.busy = os.getloadavg()[0]  # what the machine does besides
        self.figures, self.lines, self.rivals, self.at_rates, self.cpu, self.faults = [], {}, [], [], [], []
        self.best = None  # bookings a second of the hot show, for what is set beside it

    def scaled(self, number, least=1):
        return max(least, int(number * self.scale))

    def figure(self, workload, name, value, unit, at_least=None, at_most=None, floor=None, floor_limit=None):
        """
        One row of the table. `floor` is what the bare parts did in the same run, `floor_limit` how much of it is
        wanted at least (of a throughput) or at most (of a latency).
        """
        self.figures.append({"workload": workload, "name": name, "value": value, "unit": unit, "at_least": at_least,
                             "at_most": at_most, "floor": floor, "floor_limit": floor_limit})

    def point(self, plot, line, x, y):
        """One point of a line of a plot (plots.py)."""
        self.lines.setdefault(plot, {}).setdefault(line, []).append([x, y])

    def rival(self, name, **figures):
        """One row of the table of rivals: clients, bookings_per_s, p50 and p99 in ms, refused."""
        self.rivals.append({"name": name, **figures})

    def at_rate(self, name, rate, **figures):
        """One row of the table of usher and rivals at equal load: those of AT_RATE, and `us` of all servers a booking."""
        self.at_rates.append({"name": name, "rate": rate, **figures})

    def cpu_per_booking(self, name, us):
        """One row of the table of CPU time: part → microseconds, at full load (cpu.py)."""
        self.cpu.append({"name": name, "us": us})

    def fault(self, workload, text):
        self.faults.append(f"{workload}: {text}")

    def as_json(self):
        return {"kind": self.kind, "scale": self.scale, "started": self.started, "busy": self.busy,
                "seconds": time.time() - self.started, "figures": self.figures, "lines": self.lines, "rivals": self.rivals,
                "at_rates": self.at_rates, "cpu": self.cpu, "best": self.best, "faults": self.faults}


def expect(what, actual, wanted):
    if actual != wanted:
        raise CountsWrong(f"{what}: {actual} instead of {wanted}")
