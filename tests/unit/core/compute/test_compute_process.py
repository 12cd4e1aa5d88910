"""The compute process: calls, progress, errors, and what the child is like."""

import hashlib
import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import compute_targets
import numpy as np
import psutil
import pytest

from biasprint.core.compute import ComputeCrashed, ComputeProcess, shared
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext

HERE = Path(__file__).parents[3]
ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def compute():
    process = ComputeProcess()
    yield process
    process.close()


def run_script(tmp_path, text, *arguments):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(text))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "core" / "python"), str(HERE)])}
    return subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, text=True, timeout=60, env=environment
    )


def test_a_function_runs_in_another_process_that_lives_on(compute):
    first = compute.call(compute_targets.pid)

    assert first == compute.pid != os.getpid()
    assert compute.call(compute_targets.pid) == first


def test_arguments_and_results_cross(compute):
    assert compute.call(compute_targets.add, 2, 3) == 5
    assert compute.call(compute_targets.add, ["é", None], [{"ключ": 1.5}]) == ["é", None, {"ключ": 1.5}]


def test_what_the_child_has_loaded_stays_loaded(compute):
    compute.call(compute_targets.make_loaded, "one")

    assert compute.call(compute_targets.make_loaded, "two") == {"one": 0, "two": 1}


def test_an_array_of_100_megabytes_crosses_both_ways_and_is_writable(compute):
    array = np.arange(25_000_000, dtype=np.float32)

    result = compute.call(compute_targets.double, array)

    assert result.dtype == np.float32
    assert np.array_equal(result, array * 2)
    result[0] = 1.0


def test_a_heavy_import_in_the_child_leaves_the_parent_without_it(tmp_path):
    script = """
        import sys
        import compute_targets
        from biasprint.core.compute import ComputeProcess
        if __name__ == "__main__":
            compute = ComputeProcess()
            assert compute.call(compute_targets.import_heavy)
            there = compute.call(compute_targets.modules)
            assert "scipy.stats" in there
            compute.close()
            print(*sorted({name.partition(".")[0] for name in sys.modules}))
    """

    done = run_script(tmp_path, script)

    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "biasprint" in loaded
    heavy = {"torch", "transformers", "sentence_transformers", "spacy", "textblob", "scipy", "statsmodels", "numpy"}
    assert not loaded & heavy


def test_the_child_is_offline_quiet_and_modest(compute):
    child = compute.call(compute_targets.surroundings)

    environment = child["environment"]
    assert environment["HF_HUB_OFFLINE"] == environment["TRANSFORMERS_OFFLINE"] == "1"
    assert environment["TOKENIZERS_PARALLELISM"] == "false"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert int(environment["OMP_NUM_THREADS"]) == max(1, cores - 1)
    assert child["sigint"]
    assert child["daemon threads"]
    if hasattr(os, "nice"):
        assert child["niceness"] > os.nice(0)


def test_a_child_that_somebody_waits_for_keeps_its_turn_among_other_programs():
    if hasattr(os, "nice"):
        compute = ComputeProcess(niceness=0)
        try:
            assert compute.call(compute_targets.surroundings)["niceness"] == os.nice(0)
        finally:
            compute.close()


def test_progress_reaches_the_callers_context(compute):
    seen = []

    assert compute.call(compute_targets.count, 20, ctx=JobContext(seen.append)) == 20

    assert [(seen[-1].done, seen[-1].total, seen[-1].note)] == [(20, 20, "item 20")]
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)


def test_progress_can_go_elsewhere_than_to_the_context_that_cancels(compute):
    of_the_job, of_the_call = [], []

    compute.call(
        compute_targets.count,
        5,
        ctx=JobContext(of_the_job.append),
        on_report=lambda done, total, note: of_the_call.append((done, total, note)),
    )

    assert of_the_job == []
    assert of_the_call[-1] == (5, 5, "item 5")


def test_a_listener_that_fails_leaves_no_answer_behind_for_the_next_call(compute):
    def fail(done, total, note):
        raise OSError("the disk of the listener is full")

    with pytest.raises(OSError, match="disk of the listener"):
        compute.call(compute_targets.count, 5, on_report=fail)

    assert compute.call(compute_targets.add, 1, 1) == 2


def test_an_app_error_comes_back_as_itself(compute):
    with pytest.raises(UsageError) as caught:
        compute.call(compute_targets.refuse)

    error = caught.value
    assert (error.message, error.hint) == ("There is no such model.", "Choose another.")
    assert (error.kept, error.exit_code) == ("Nothing was changed.", 2)
    assert "Traceback" not in error.details


def test_a_plug_ins_own_error_comes_back_with_its_sentences(compute):
    with pytest.raises(AppError) as caught:
        compute.call(compute_targets.refuse_foreign)

    assert (caught.value.message, caught.value.hint) == ("code 7", "Ask the plug-in.")


@pytest.mark.parametrize(
    ("target", "arguments", "word"),
    [
        ("divide", (1, 0), "ZeroDivisionError"),
        ("leave", (), "SystemExit"),
        ("return_a_lock", (), "cannot leave the compute process"),
        ("add", (1, "a"), "TypeError"),
    ],
)
def test_any_other_exception_becomes_an_app_error_with_the_traceback(compute, target, arguments, word):
    before = compute.call(compute_targets.pid)

    with pytest.raises(AppError, match=word) as caught:
        compute.call(getattr(compute_targets, target), *arguments)

    assert "Traceback" in caught.value.details
    assert not isinstance(caught.value, ComputeCrashed)
    assert compute.call(compute_targets.pid) == before


def test_a_result_that_would_import_its_library_here_is_refused(compute):
    with pytest.raises(Exception, match=r"psutil.* cannot leave the compute process"):
        compute.call(compute_targets.return_a_librarys_object)

    assert compute.call(compute_targets.add, 1, 1) == 2


def of_the_main_script():
    """A function that says it is of the main script, which no child runs."""


of_the_main_script.__module__ = "__main__"


def wrapped():
    """A name that stands for another function at the top of its module."""


def replaced():
    """Not what its name is at the top of its module: see below."""


first_replaced, replaced = replaced, wrapped


@pytest.mark.parametrize(
    "function",
    [
        lambda: 1,
        JobContext().check,
        JobContext.check,
        partial(compute_targets.add, 1),
        of_the_main_script,
        first_replaced,
        "compute_targets:pid",
    ],
)
def test_what_another_process_cannot_import_is_refused(function):
    compute = ComputeProcess()

    with pytest.raises(TypeError, match="cannot be called in another process; define it at the top of a module"):
        compute.call(function)

    assert compute.pid is None


def test_a_function_in_a_function_is_refused():
    def inner():
        """Of no module."""

    with pytest.raises(TypeError, match="inner"):
        shared().call(inner)


def test_arguments_that_cannot_cross_are_the_callers_error_and_disturb_nothing(compute):
    before = compute.call(compute_targets.pid)

    with pytest.raises(TypeError, match="pickle"):
        compute.call(compute_targets.add, threading.Lock())

    assert compute.call(compute_targets.pid) == before


def test_callers_in_many_threads_get_their_own_answers(compute):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: compute.call(compute_targets.add, i, 1000), range(200)))

    assert answers == [1000 + i for i in range(200)]


def test_the_compute_process_does_not_start_another(compute):
    with pytest.raises(AppError, match="cannot be started from here"):
        compute.call(compute_targets.call_again)


def test_what_libraries_print_stays_out_of_stdout_and_what_they_remark_out_of_stderr(tmp_path):
    script = """
        import compute_targets
        from biasprint.core.compute import ComputeProcess
        if __name__ == "__main__":
            compute = ComputeProcess()
            print(compute.call(compute_targets.chatter))
    """

    done = run_script(tmp_path, script)

    assert done.stdout == "the answer\n"
    assert "a library's greeting" in done.stderr
    assert "and another" in done.stderr
    assert "remark" not in done.stderr, "remarks of libraries are for nobody here"
    assert "Warning" not in done.stderr


def test_a_script_needs_no_guard_and_runs_once(tmp_path):
    script = """
        from biasprint.core.compute import shared
        from biasprint.core.text import sha256_text
        print("imported")
        print(shared().call(sha256_text, "a")[:8])
        print(__name__)
    """

    done = run_script(tmp_path, script)

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["imported", hashlib.sha256(b"a").hexdigest()[:8], "__main__"]


def test_a_program_that_ends_takes_its_child_along(tmp_path):
    script = """
        from biasprint.core.compute import shared
        from biasprint.core.text import sha256_text
        if __name__ == "__main__":
            shared().call(sha256_text, "a")
            print(shared().pid)
    """

    done = run_script(tmp_path, script)

    assert done.returncode == 0, done.stderr
    assert not psutil.pid_exists(int(done.stdout))
