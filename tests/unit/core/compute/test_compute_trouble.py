"""The compute process when things go wrong: crashes, cancels, a parent that dies."""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import compute_targets
import psutil
import pytest
from seeded_part import seeded_part

from biasprint.core.compute import ComputeCrashed, ComputeProcess, process, worker
from biasprint.core.compute.plain import load
from biasprint.core.compute.process import ChildGone, ComputeStopped, Turns
from biasprint.core.errors import AppError, JobCancelled, NotInstalledYet
from biasprint.core.jobs import JobContext
from biasprint.core.machine.child_main import OUT_OF_MEMORY
from biasprint.core.text import sha256_text

HERE = Path(__file__).parents[3]
ROOT = Path(__file__).parents[4]
CANCEL_SECONDS = 2.0


@pytest.fixture(scope="module")
def compute():
    process = ComputeProcess()
    yield process
    process.close()


class Background:
    """A call in a thread of its own, with when and how it ended."""

    def __init__(self, call):
        self.error = None
        self._call = call
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        try:
            self._call()
        except BaseException as error:
            self.error = error
        self.ended = time.monotonic()

    def join(self):
        self._thread.join(30)
        assert not self._thread.is_alive()
        return self.error


def seconds_to_cancel(compute, target, *arguments):
    """Cancels as soon as the child works, and says how long the caller still waited."""
    ctx, began = JobContext(), threading.Event()
    pid = compute.call(compute_targets.pid)
    call = Background(
        lambda: compute.call(
            getattr(compute_targets, target), *arguments, ctx=ctx, on_report=lambda done, total, note: began.set()
        )
    )
    if target != "spin_forever":
        assert began.wait(10)
    else:
        wait_until_busy(pid)
    cancelled = time.monotonic()
    ctx.cancel()
    assert isinstance(call.join(), JobCancelled)
    return call.ended - cancelled


def wait_until_busy(pid):
    """Until the process has used the processor for a tenth of a second more than now."""
    process = psutil.Process(pid)
    goal = process.cpu_times().user + 0.1
    deadline = time.monotonic() + 20
    while process.cpu_times().user < goal:
        assert time.monotonic() < deadline, "the child never became busy"


def wait_until_dead(process):
    deadline = time.monotonic() + 5
    with contextlib.suppress(psutil.NoSuchProcess):  # gone between the two looks
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline, "the child outlives its parent"


@pytest.mark.parametrize(
    ("target", "ending"),
    seeded_part(
        [
            ("kill_itself", "SIGKILL"),
            ("exit_at_once", "exit code 3"),
            ("crash_in_c", "SIGSEGV"),
            ("run_out_of_memory", "not enough memory"),
        ],
        2,
    ),
)
def test_a_crash_is_a_message_and_the_next_call_works(compute, target, ending):
    before = compute.call(compute_targets.pid)

    with pytest.raises(ComputeCrashed, match=ending) as caught:
        compute.call(getattr(compute_targets, target))

    assert caught.value.hint
    assert caught.value.kept
    assert target in caught.value.details
    assert compute.call(compute_targets.pid) != before
    assert not psutil.pid_exists(before)


def test_a_child_killed_from_outside_while_it_works_is_a_crash(compute):
    pid = compute.call(compute_targets.pid)
    call = Background(lambda: compute.call(compute_targets.spin_forever))
    wait_until_busy(pid)

    os.kill(pid, signal.SIGKILL)

    assert isinstance(call.join(), ComputeCrashed)
    assert compute.call(compute_targets.add, 1, 1) == 2


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="nobody is told of a stopped process here")
def test_a_child_that_is_stopped_and_not_continued_is_ended_with_a_sentence(compute, monkeypatch):
    monkeypatch.setattr(process, "STOPPED_SECONDS", 0.3)
    before = compute.call(compute_targets.pid)
    call = Background(lambda: compute.call(compute_targets.spin_forever))
    wait_until_busy(before)

    os.kill(before, signal.SIGSTOP)

    error = call.join()
    assert isinstance(error, ComputeStopped)
    assert "was stopped by another program or person, did not go on, and was ended." in str(error)
    assert "goes on where it stopped" in str(error)
    assert not psutil.pid_exists(before)
    assert compute.call(compute_targets.add, 1, 1) == 2


def test_a_child_that_is_stopped_and_continued_goes_on(compute):
    before = compute.call(compute_targets.pid)
    began, answers = threading.Event(), []
    call = Background(
        lambda: answers.append(compute.call(compute_targets.work_a_while, on_report=lambda *_: began.set()))
    )
    assert began.wait(10)

    os.kill(before, signal.SIGSTOP)
    psutil_process = psutil.Process(before)
    while psutil_process.status() != psutil.STATUS_STOPPED:
        pass
    os.kill(before, signal.SIGCONT)

    assert call.join() is None
    assert answers == [before]


def test_a_stopped_child_can_be_cancelled_at_once(compute):
    before = compute.call(compute_targets.pid)
    ctx = JobContext()
    call = Background(lambda: compute.call(compute_targets.spin_forever, ctx=ctx))
    wait_until_busy(before)
    os.kill(before, signal.SIGSTOP)

    cancelled = time.monotonic()
    ctx.cancel()

    assert isinstance(call.join(), JobCancelled)
    assert call.ended - cancelled < CANCEL_SECONDS
    assert not psutil.pid_exists(before)


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="nobody is told of a stopped process here")
def test_a_child_stopped_while_idle_is_replaced_unnoticed(compute):
    before = compute.call(compute_targets.pid)
    os.kill(before, signal.SIGSTOP)
    while os.waitid(os.P_PID, before, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is None:
        pass  # its first thread stands still before the others do

    assert compute.call(compute_targets.pid) != before
    assert not psutil.pid_exists(before)


LITTLE = 64 << 20  # bytes that a child held to a little memory may take besides what it has
MUCH = 256 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to its memory")
@pytest.mark.parametrize(
    ("target", "arguments"),
    [
        ("text_of", (MUCH,)), ("add", ("x" * MUCH,)), ("as_a_library_says_it", ()), ("many_threads", ()),
        ("fail_strangely_without_memory", ()), ("spin_without_any_memory", ()),
    ],
    ids=["for its answer", "for its request", "as a library says it", "for threads", "said strangely", "for anything"],
)  # fmt: skip
def test_a_child_without_memory_is_one_sentence_and_the_next_call_works(compute, capfd, target, arguments, monkeypatch):
    monkeypatch.setattr(process, "FULL_SECONDS", 0.3)
    compute.close()
    compute.call(compute_targets.hold_to, LITTLE)

    with pytest.raises(ComputeCrashed, match=r"^There was not enough memory for this computation\.") as caught:
        compute.call(getattr(compute_targets, target), *arguments)

    assert "Everything finished before is saved. Close other programs" in str(caught.value)
    assert "Traceback" not in capfd.readouterr().err
    assert compute.call(compute_targets.add, 1, 1) == 2


def test_a_scorer_without_memory_to_load_is_not_called_missing(compute):
    with pytest.raises(ComputeCrashed, match="not enough memory"):
        compute.call(compute_targets.describe_a_scorer_that_takes_all_memory)


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't allocate lock")], ids=repr)
def test_a_child_that_cannot_even_listen_ends_with_the_code_for_memory(monkeypatch, error):
    def no_memory():
        raise error

    ended = []
    monkeypatch.setattr(worker, "JobContext", no_memory)
    monkeypatch.setattr(worker.os, "_exit", ended.append)
    with contextlib.suppress(type(error)):  # as the process goes on here
        worker._listen(None, None, None)
    assert ended == [OUT_OF_MEMORY]


def test_a_parent_without_memory_for_an_answer_says_so(compute, monkeypatch):
    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr(process.plain, "load", no_memory)
    with pytest.raises(ComputeCrashed, match="not enough memory"):
        compute.call(compute_targets.add, 1, 1)
    monkeypatch.undo()
    compute.call(compute_targets.pid)
    monkeypatch.setattr(compute._child._connection, "recv_bytes", no_memory)

    with pytest.raises(ComputeCrashed, match="not enough memory"):
        [compute.call(compute_targets.pid) for _ in range(2)]  # the first answer may be read already

    assert compute.call(compute_targets.add, 1, 1) == 2


def test_a_child_killed_while_idle_is_replaced_unnoticed(compute):
    before = compute.call(compute_targets.pid)
    process = psutil.Process(before)
    process.kill()
    psutil.wait_procs([process], timeout=10)

    assert compute.call(compute_targets.pid) != before


def test_a_child_that_is_being_ended_is_asked_nothing_more(compute):
    before = compute.call(compute_targets.pid)
    compute._child.closed = True  # by another thread, and the system takes its time

    assert compute.call(compute_targets.pid) != before


def test_a_child_killed_again_and_again_is_always_replaced(compute):
    for _ in range(3):
        with pytest.raises(ComputeCrashed):
            compute.call(compute_targets.kill_itself)
    assert compute.call(compute_targets.add, 1, 1) == 2


@pytest.mark.parametrize("target", ["count_until_cancelled", "report_until_cancelled"])
def test_work_that_reports_stops_at_a_cancel_and_the_child_lives_on(compute, target):
    before = compute.call(compute_targets.pid)

    assert seconds_to_cancel(compute, target) < CANCEL_SECONDS / 2

    assert compute.call(compute_targets.pid) == before


def test_work_that_never_reports_is_ended_within_two_seconds(compute):
    before = compute.call(compute_targets.pid)

    assert seconds_to_cancel(compute, "spin_forever") < CANCEL_SECONDS

    assert compute.call(compute_targets.pid) != before


def test_work_that_holds_the_interpreter_is_ended_within_two_seconds(compute):
    assert seconds_to_cancel(compute, "hold_the_interpreter_forever", "now") < CANCEL_SECONDS
    assert compute.call(compute_targets.add, 1, 1) == 2


def test_a_cancelled_job_does_not_disturb_the_child(compute):
    ctx = JobContext()
    ctx.cancel()
    before = compute.call(compute_targets.pid)

    with pytest.raises(JobCancelled):
        compute.call(compute_targets.spin_forever, ctx=ctx)

    assert compute.call(compute_targets.pid) == before


def test_a_cancel_of_one_call_does_not_reach_the_next(compute):
    for _ in range(20):
        ctx = JobContext()
        call = Background(lambda ctx=ctx: compute.call(compute_targets.count_until_cancelled, ctx=ctx))
        ctx.cancel()
        assert isinstance(call.join(), JobCancelled)
        assert compute.call(compute_targets.count, 3) == 3


def test_a_caller_that_waits_for_its_turn_can_be_cancelled(compute):
    running, waiting = JobContext(), JobContext()
    began = threading.Event()
    first = Background(
        lambda: compute.call(
            compute_targets.count_until_cancelled, ctx=running, on_report=lambda done, total, note: began.set()
        )
    )
    assert began.wait(10)
    second = Background(lambda: compute.call(compute_targets.pid, ctx=waiting))

    asked = time.monotonic()
    waiting.cancel()

    assert isinstance(second.join(), JobCancelled)
    assert second.ended - asked < CANCEL_SECONDS / 2
    running.cancel()
    assert isinstance(first.join(), JobCancelled)


def test_a_job_that_calls_in_a_loop_lets_a_waiting_request_go_first():
    turns, order = Turns(), []

    def request():
        with turns.take(None):
            order.append("request")

    waiting = threading.Thread(target=request)
    with turns.take(None):
        waiting.start()
        while len(turns._queue) < 2:
            pass
    with turns.take(None):
        order.append("the job's next call")
    waiting.join(10)

    assert order == ["request", "the job's next call"]


def test_closing_ends_a_running_call_silently_and_a_later_call_starts_anew(compute):
    pid = compute.call(compute_targets.pid)
    call = Background(lambda: compute.call(compute_targets.spin_forever))
    wait_until_busy(pid)

    compute.close()

    assert isinstance(call.join(), JobCancelled)
    assert not psutil.pid_exists(pid)
    assert compute.pid is None
    assert compute.call(compute_targets.add, 1, 1) == 2


@pytest.mark.parametrize("busy", [True, False])
def test_the_child_dies_with_its_parent(tmp_path, busy):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import compute_targets
            from biasprint.core.compute import ComputeProcess
            if __name__ == "__main__":
                compute = ComputeProcess()
                print(compute.call(compute_targets.pid), flush=True)
                if {busy}:
                    compute.call(compute_targets.spin_forever)
                input()
            """
        )
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "core" / "python"), str(HERE)])}
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        child = psutil.Process(int(parent.stdout.readline()))
        if busy:
            wait_until_busy(child.pid)
        parent.kill()

    wait_until_dead(child)


@pytest.mark.skipif(sys.platform == "win32", reason="signals to a group are POSIX")
@pytest.mark.parametrize("by", ["signal", "job"])
def test_ctrl_c_while_the_child_only_starts_is_a_stop_and_no_crash(monkeypatch, by):
    """A terminal sends it to both; the child dies of it before it knows that it is not meant."""

    class Starting:
        closed, interrupted = False, by == "signal"

        def __init__(self, *_):
            pass

        def send(self, data):
            if by == "job":
                ctx.cancel()
            raise ChildGone

        def end(self):
            pass

    monkeypatch.setattr(process, "Child", Starting)
    ctx = JobContext()
    with pytest.raises(JobCancelled):
        ComputeProcess().call(sha256_text, "a", ctx=ctx)


def test_ctrl_c_reaches_the_parent_and_not_the_child(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import signal
            import compute_targets
            from biasprint.core.compute import ComputeProcess
            if __name__ == "__main__":
                signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
                compute = ComputeProcess()
                before = compute.call(compute_targets.pid)
                try:
                    print(before, flush=True)
                    input()
                except KeyboardInterrupt:
                    print(compute.call(compute_targets.pid) == before)
            """
        )
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "core" / "python"), str(HERE)])}
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    ) as parent:
        parent.stdout.readline()
        os.killpg(parent.pid, signal.SIGINT)
        out, err = parent.communicate(timeout=30)

    assert out == "True\n", err
    assert "KeyboardInterrupt" not in err


def test_a_module_of_a_part_that_is_not_installed_yet_is_one_sentence(compute):
    with pytest.raises(NotInstalledYet) as raised:
        compute.call(compute_targets.needs_a_part_that_is_not_there)

    assert raised.value.message == "This needs “Measuring”, a part of the program that is not installed yet."
    assert not raised.value.details


def test_a_module_is_missing_and_nobody_can_look_up_why(monkeypatch):
    def unreadable(error):
        raise PermissionError("the notes of the installation cannot be read")

    monkeypatch.setattr(worker, "explained", unreadable)
    call = pickle.dumps(("importlib", "import_module", ("no_such_module",), 0))
    kind, error = load(worker._perform(call, JobContext()))
    assert kind == "failed"
    assert "not foreseen (ModuleNotFoundError" in error.message


def test_a_missing_module_that_no_part_brings_is_not_called_one_of_a_part(compute):
    with pytest.raises(AppError, match="not foreseen") as raised:
        compute.call(compute_targets.needs_a_part_that_is_not_there, "no_such_module")

    assert "no_such_module" in raised.value.details


def test_after_an_installation_the_next_call_starts_a_new_child_and_the_running_one_ends_well(compute):
    first = compute.call(compute_targets.pid)
    began = threading.Event()
    ctx, answers = JobContext(), []
    call = Background(
        lambda: answers.append(compute.call(compute_targets.work_a_while, ctx=ctx, on_report=lambda *_: began.set()))
    )
    assert began.wait(10)

    compute.renew()

    assert call.join() is None
    assert answers == [first]
    second = compute.call(compute_targets.pid)
    assert second != first
    assert compute.call(compute_targets.pid) == second
