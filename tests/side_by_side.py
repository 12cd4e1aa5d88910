"""`--processes N`: the tests in N processes, which are forked from one that has collected them all.

Processes that collect by themselves, as xdist's do, each import thirteen seconds' worth of modules. A file's tests stay
together and in their order; a process that is done with one takes the next. Only where a process can be forked.
"""

import atexit
import contextlib
import itertools
import os
import signal
from collections import deque
from collections.abc import Iterable
from multiprocessing import Pipe, util
from multiprocessing.connection import Connection, wait
from typing import Any

import pytest

from biasprint.core.machine import child

OPTION = "--processes"
WORKER = "PYTEST_XDIST_WORKER"  # xdist's name: who works side by side with others asks for it


class Worker:
    """A forked process as the first one sees it."""

    def __init__(self, session: pytest.Session, others: list["Worker"]) -> None:
        self.id = f"gw{len(others)}"
        self.gateway, self._workerinfocache = self, f"[{self.id}]"  # where pytest looks for the names of xdist's
        self.running = ""
        self.connection, theirs = Pipe()
        self._pid = os.fork()
        if self._pid == 0:
            for first_end in (self, *others):  # which is then seen to close where that process ends
                first_end.connection.close()
            _work(session, self.id, theirs)
        theirs.close()

    def end(self) -> None:
        """End it, if it has not ended."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        self.wait()

    def wait(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


class SideBySide:
    """Runs the session's tests in other processes, and reports what they report."""

    def __init__(self, config: pytest.Config, count: int) -> None:
        self._hook = config.hook
        self._config = config
        self._count = count
        terminal: Any = config.pluginmanager.getplugin("terminalreporter")
        if terminal:
            terminal.showfspath = False  # files are mixed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed or session.config.option.collectonly or not session.items:
            return None  # pytest's own says so
        base: Any = session.config
        base._tmp_path_factory.getbasetemp()
        of_files = itertools.groupby(range(len(session.items)), lambda index: session.items[index].path)
        files = deque([*indexes] for _, indexes in of_files)
        workers: list[Worker] = []
        for _ in range(min(self._count, len(files))):
            workers.append(Worker(session, workers))
        running = {worker.connection: worker for worker in workers}
        try:
            while running:
                for connection in wait(list(running)):
                    worker = running[connection]  # type: ignore[index]
                    try:
                        self._hear(worker, worker.connection.recv(), files)
                    except (EOFError, ConnectionError):
                        del running[worker.connection]
                        self._take_leave(worker)
                    if session.shouldfail:
                        raise session.Failed(session.shouldfail)
                    if session.shouldstop:
                        raise session.Interrupted(session.shouldstop)
        finally:
            for worker in running.values():
                worker.end()
        return True

    def _hear(self, worker: Worker, message: tuple[str, dict[str, Any]], files: deque[list[int]]) -> None:
        about, values = message
        if about == "next":
            worker.connection.send(files.popleft() if files else None)
        elif about == "report":
            report: Any = self._hook.pytest_report_from_serializable(config=self._config, data=values)
            report.node = worker
            self._hook.pytest_runtest_logreport(report=report)
        else:
            worker.running = values["nodeid"] if about == "pytest_runtest_logstart" else ""
            getattr(self._hook, about)(**values)

    def _take_leave(self, worker: Worker) -> None:
        """A process that did not end by itself fails the test that it was in; what it had not run yet is not run."""
        code = worker.wait()
        if code or worker.running:
            where = worker.running or f"process {worker.id}"
            text = f"The test process {worker.id} ended with {code}; the file's other tests were not run."
            lost: Any = pytest.TestReport(where, (where, None, where), {}, "failed", text, "call")
            lost.node = worker
            self._hook.pytest_runtest_logreport(report=lost)


class _Told:
    """Sends what happens in a forked process to the first one."""

    def __init__(self, config: pytest.Config, connection: Connection) -> None:
        self._config = config
        self._connection = connection

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self._connection.send(("pytest_runtest_logstart", {"nodeid": nodeid, "location": location}))

    def pytest_runtest_logfinish(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self._connection.send(("pytest_runtest_logfinish", {"nodeid": nodeid, "location": location}))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._connection.send(("report", data))


def _work(session: pytest.Session, name: str, connection: Connection) -> None:
    """Run files of tests until there are no more, and end this process."""
    code = 1
    try:
        _begin(session, name, connection)
        _run_files(session, connection)
        code = 0
    except (KeyboardInterrupt, EOFError, ConnectionError):  # the first process says so, or has ended
        pass
    finally:
        atexit._run_exitfuncs()
        os._exit(code)


def _begin(session: pytest.Session, name: str, connection: Connection) -> None:
    atexit._clear()  # what the first process is to do at its end
    atexit.register(util._exit_function)  # what this one makes is put away all the same
    atexit.register(child._end_children)
    os.environ[WORKER] = name
    config: Any = session.config
    plugins = config.pluginmanager
    plugins.unregister(name="terminalreporter")
    plugins.register(_Told(config, connection))
    folders = config._tmp_path_factory
    folders._given_basetemp, folders._basetemp = folders.getbasetemp() / name, None
    if capture := plugins.getplugin("capturemanager"):  # into files of its own
        capture.stop_global_capturing()
        capture.start_global_capturing()
        capture.suspend_global_capture()


def _run_files(session: pytest.Session, connection: Connection) -> None:
    def take() -> list[int] | None:
        connection.send(("next", {}))
        indexes: list[int] | None = connection.recv()
        return indexes

    indexes = take()
    while indexes:
        following = None
        for place, index in enumerate(indexes, 1):
            if place == len(indexes):  # what the last test leaves for the next depends on which that is
                following = take()
            next_indexes: Iterable[int] = indexes[place:] or following or ()
            next_item = next((session.items[each] for each in next_indexes), None)
            item = session.items[index]
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
        indexes = following
