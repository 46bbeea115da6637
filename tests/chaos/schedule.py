"""Which fault begins when, and for how long: a function of the seed. What is still being attacked is not attacked
again: that is planned, and where the machine is slower than the plan the step is left out."""

import contextlib
import random
import threading
import time
import traceback
from dataclasses import dataclass

from .faults import Skipped, faults_of

FIRST_S = 2.0       # what there is before the first fault
BETWEEN_S = 1.0     # from the beginning of one to that of the next, on average
REST_S = {'kafka': 12.0, 'disk': 20.0, 'moves': 0.0}  # for which what was attacked is left alone: Kafka takes long to start
REST_ELSE_S = 2.0
HOLD_S = 10.0       # once a partition has stood for so long, nothing new begins until it moves: now it must get up
TICK_S = 0.25
PATIENCE_S = 2.0    # a step that is later than this is left out
WORKERS = 3


@dataclass
class Step:
    at_s: float
    fault: object
    lasts_s: float
    number: int         # of the worker, where the fault is about one
    dice: random.Random

    def targets(self):
        return self.fault.targets or (f'worker {self.number}',)

    def __str__(self):
        return f'{self.fault.name} {self.number + 1}' if not self.fault.targets else self.fault.name


def plan(seed, seconds, databases=1):
    """The steps of a run, by time."""
    faults = faults_of(databases)
    dice, at_s, busy, steps = random.Random(f'{seed}/faults'), FIRST_S, {}, []
    while at_s < seconds:
        fault = dice.choices(faults, [one.weight for one in faults])[0]
        step = Step(at_s, fault, dice.uniform(*fault.lasts_s), dice.randrange(WORKERS),
                    random.Random(dice.randrange(2**32)))
        if all(busy.get(target, 0) <= at_s for target in step.targets()):
            steps.append(step)
            busy.update({target: at_s + step.lasts_s + REST_S.get(target, REST_ELSE_S) for target in step.targets()})
        at_s += min(dice.expovariate(1 / BETWEEN_S), 4 * BETWEEN_S)
    return steps


class Schedule:
    """Carries a plan out, each step in a thread of its own."""

    def __init__(self, site, steps):
        self.site, self.steps, self.active = site, steps, []
        self.enough = threading.Event()
        self._threads = []

    def run(self, seconds, tick):
        """Until the time is over or it is interrupted; calls `tick` every now and then."""
        begun, held_s = time.monotonic(), 0.0
        for step in [*self.steps, None]:
            while not step or time.monotonic() - begun - held_s < step.at_s:
                before = time.monotonic()
                if before - begun >= seconds or self.enough.wait(TICK_S):
                    return
                tick()
                if self.site.watcher.still_s() > HOLD_S:
                    held_s += time.monotonic() - before
            self._threads.append(threading.Thread(target=self._carry_out, args=(step,), daemon=True))
            self._threads[-1].start()

    def finish(self):
        """Ends every fault that goes on."""
        self.enough.set()
        for thread in self._threads:
            thread.join()

    def _carry_out(self, step):
        try:
            with contextlib.ExitStack() as held:
                for target in sorted(step.targets()):
                    if not self.site.locks[target].acquire(timeout=PATIENCE_S):
                        self.site.findings.left_out += 1
                        return
                    held.callback(self.site.locks[target].release)
                self._attack(step)
        except Skipped as why:
            self.site.findings.note(str(why))
        except Exception:  # pylint: disable=broad-except
            if not self.site.findings.is_interrupted:
                self.site.findings.violation(f'"{step}" could not be carried out: {traceback.format_exc()}')

    def _attack(self, step):
        with self.site.watcher.stopped(step.fault.stops):
            trace = step.fault.begin(self.site, step)
            self.active.append(str(step))
            self.enough.wait(step.lasts_s)
            step.fault.end(self.site, step, trace)
            self.active.remove(str(step))
        self.site.findings.count(self.site.findings.faults, step.fault.name)
