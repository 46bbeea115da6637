"""Tests side by side: with `pytest --crew N` N processes take them from one queue. Tests with the same `crew` mark stay
together, in their order; session fixtures are made in every process that needs them, and `config.crew_member` tells
the processes apart (1 … N). Forked when everything is collected, they send their reports to the first process, which
shows and counts them as if it had run them itself. Knows nothing of what is tested."""

import multiprocessing
import multiprocessing.connection
import os

import pytest
from _pytest import runner
from _pytest.config import create_terminal_writer

CONTEXT = multiprocessing.get_context('fork')


def pytest_addoption(parser):
    parser.addoption('--crew', type=int, default=1, metavar='N', help='run the tests in N processes side by side')


def pytest_configure(config):
    config.crew_member = 1
    config.addinivalue_line('markers', 'crew(name): tests of one name run in one process, in their order')


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    if session.config.option.crew < 2 or session.config.option.collectonly or session.testsfailed:
        return None
    groups = {}
    for item in session.items:
        mark = item.get_closest_marker('crew')
        groups.setdefault(mark.args[0] if mark else item.nodeid, []).append(item)
    session.config._tmp_path_factory.getbasetemp()  # pylint: disable=protected-access # one for all
    crew = Crew(session, list(groups.values()))
    try:
        crew.listen()
    finally:
        crew.dismiss()
    crew.check()
    return True


class Crew:
    """The processes, as the first one has them."""

    def __init__(self, session, groups):
        self.session, self.groups, self.taken = session, groups, CONTEXT.Value('i', 0)
        self.done, self.processes, self.pipes = set(), [], []
        for number in range(1, min(session.config.option.crew, len(groups)) + 1):
            receiver, sender = CONTEXT.Pipe(duplex=False)
            member = Member(session, groups, self.taken, number)
            process = CONTEXT.Process(target=member.run, args=(sender,))
            process.start()
            sender.close()
            self.processes.append(process)
            self.pipes.append(receiver)

    def listen(self):
        """Passes every report on, until all processes have ended."""
        while self.pipes:
            for pipe in multiprocessing.connection.wait(self.pipes):
                try:
                    self._pass_on(pipe.recv())
                except EOFError:
                    self.pipes.remove(pipe)

    def _pass_on(self, data):
        hook = self.session.config.hook
        report = hook.pytest_report_from_serializable(config=self.session.config, data=data)
        hook.pytest_runtest_logreport(report=report)
        if report.when == 'teardown':
            self.done.add(report.nodeid)
        if self.session.shouldfail or self.session.shouldstop:
            self._stop()

    def _stop(self):
        self.taken.value = len(self.groups)

    def dismiss(self):
        """Waits for what is being run: each process puts its own things away."""
        self._stop()
        for process in self.processes:
            process.join()

    def check(self):
        """A process that was lost must not look like tests that passed."""
        for cause, outcome in ((self.session.shouldfail, self.session.Failed),
                               (self.session.shouldstop, self.session.Interrupted)):
            if cause:
                raise outcome(cause)
        lost = [item.nodeid for item in self.session.items if item.nodeid not in self.done]
        codes = [process.exitcode for process in self.processes]
        if lost or any(codes):
            raise self.session.Interrupted(f'processes ended with {codes}; not run: {", ".join(lost) or "nothing"}')


class Member:
    """One process: takes groups of tests until there are none, and reports."""

    def __init__(self, session, groups, taken, number):
        self.session, self.config, self.groups, self.taken = session, session.config, groups, taken
        self.number, self.pipe, self._parent = number, None, os.getpid()

    def run(self, pipe):
        self.pipe = pipe
        self.config.crew_member = self.number
        self._fall_silent()
        self.config.pluginmanager.register(self)
        try:
            self._run_items()
        except KeyboardInterrupt:
            pass
        finally:
            runner.pytest_sessionfinish(self.session)

    def _fall_silent(self):
        """What it prints is captured in a file of its own, and shown by the first process, if at all."""
        manager = self.config.pluginmanager
        capture, reporter = manager.getplugin('capturemanager'), manager.getplugin('terminalreporter')
        capture.stop_global_capturing()
        capture.start_global_capturing()
        reporter._tw = create_terminal_writer(  # pylint: disable=protected-access
            self.config, open(os.devnull, 'w', encoding='utf-8'))

    def _run_items(self):
        items = self._items()
        item = next(items, None)
        while item:
            following = next(items, None)
            self.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            item = following

    def _items(self):
        while os.getppid() == self._parent:
            with self.taken.get_lock():
                number = self.taken.value
                self.taken.value += 1
            if number >= len(self.groups):
                return
            yield from self.groups[number]

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        self.pipe.send(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))
