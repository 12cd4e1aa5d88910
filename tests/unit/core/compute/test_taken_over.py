"""A child that a stranger's file has taken over writes whatever it likes, and its parent gets one sentence."""

import json
import math
import os
import pickle
import resource
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import compute_targets
import numpy as np
import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biasprint.core.compute import ComputeCrashed, ComputeProcess, plain, process
from biasprint.core.compute.plain import StrangeMessage, dump, load
from biasprint.core.errors import UsageError
from biasprint.core.findings import Finding
from biasprint.core.letters.values import Document

DOCUMENT = Document("a.docx", "docx", ("Dear committee,", "she is \udce9 kind [1]."), pages=2, notes=("a note",))


class Bomb:
    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def framed(data):
    return len(data).to_bytes(4, "big") + data


def in_json(value, classes=(), pieces=b""):
    text = json.dumps({"classes": classes, "value": value}).encode()
    return len(text).to_bytes(4, "big") + text + pieces


def record(value):
    return in_json(["tuple", ["done", value]], ["biasprint.core.letters.values:Document"])


@pytest.fixture(scope="module")
def compute():
    child = ComputeProcess(most=1 << 26)
    yield child
    child.close()


def written_to_the_parent(tmp_path):
    return {
        "a pickle": framed(pickle.dumps(("done", Bomb(tmp_path / "mark")))),
        "no frame": os.urandom(1000),
        "a length of 4 GB": (-1 & 0xFFFFFFFF).to_bytes(4, "big") + (4 << 30).to_bytes(8, "big") + b"x" * 1000,
        "a deep nest": framed((10**6).to_bytes(4, "big") + b"[" * 10**6),
        "another result": framed(in_json(["tuple", ["done", "a text"]])),
    }


@pytest.mark.parametrize("what", written_to_the_parent(Path()))
def test_whatever_a_child_writes_is_one_sentence(compute, what, tmp_path):
    data = written_to_the_parent(tmp_path)[what]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with pytest.raises(ComputeCrashed, match=r"is no result|stopped unexpectedly") as refused:
        compute.call(compute_targets.write_to_the_parent, data)

    assert refused.value.hint
    assert not (tmp_path / "mark").exists()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 300_000  # kB


MESSAGES = {
    "nothing": b"",
    "noise": os.urandom(1000),
    "a pickle of a name": pickle.dumps(("done", subprocess.Popen)),
    "a JSON text of 4 GB": b"\xff\xff\xff\xff{}",
    "much JSON": (1 << 25).to_bytes(4, "big") + b"[" * (1 << 25),
    "another kind": in_json(["tuple", ["run", "rm"]]),
    "no pair": in_json(["list", [1, 2, 3]]),
    "an error that is none": in_json(["tuple", ["failed", "a text"]]),
    "a class of Python": in_json(["tuple", ["done", ["record", 0, ["true"]]]], ["subprocess:Popen"]),
    "a function of ours": in_json(["record", 0, [["path", "/"]]], ["biasprint.core.machine.storage:private"]),
    "a record with too few fields": record(["record", 0, ["a"]]),
    "a record of other types": record(["record", 0, ["a", "b", ["list", [1]], None, ["tuple", []]]]),
    "no number of pages": record(["record", 0, ["a", "b", ["tuple", ["c"]], math.nan, ["tuple", []]]]),
    "bytes that are not there": in_json(["tuple", ["done", ["bytes", 0, 1 << 40]]]),
    "an endless array": in_json(["tuple", ["done", ["array", "<f8", [1 << 40], 0, 0]]]),
    "an array of objects": in_json(["tuple", ["done", ["array", "|O", [1], 0, 8]]], pieces=bytes(8)),
}


@pytest.mark.parametrize("what", MESSAGES)
def test_a_message_that_no_child_of_ours_sends_is_refused(what):
    with pytest.raises(StrangeMessage):
        process._checked(load(MESSAGES[what], most=1 << 26))


def test_a_child_that_writes_half_a_message_is_given_up(compute):
    with pytest.raises(ComputeCrashed, match="longer than it ever should"):
        compute.call(compute_targets.write_to_the_parent, framed(b"x" * 1000)[:500], timeout=3.0)

    assert compute.call(compute_targets.add, 1, 1) == 2


def test_a_child_that_writes_without_an_end_is_given_up(compute):
    with pytest.raises(ComputeCrashed, match="longer than it ever should"):
        compute.call(compute_targets.write_to_the_parent, framed(dump(("report", (1, 2, "", "x" * 10**6)))), 10**6,
                     timeout=3.0)  # fmt: skip

    assert compute.call(compute_targets.add, 1, 1) == 2


def test_a_child_that_reads_nothing_is_given_up(compute, monkeypatch):
    monkeypatch.setattr(process, "is_stopped", lambda _: False)  # else it is replaced before it is asked
    psutil.Process(compute.call(compute_targets.pid)).suspend()

    with pytest.raises(ComputeCrashed, match="longer than it ever should"):
        compute.call(compute_targets.add, "x" * 10**8, "y", timeout=2.0)

    assert compute.call(compute_targets.add, 1, 1) == 2


def test_no_child_leaves_a_core_file(compute):
    assert compute.call(compute_targets.limit_of_core_files) == (0, 0)


@pytest.mark.parametrize(
    "value",
    [
        None, True, 7, 1 << 80, -0.0, math.inf, "a\ud800\n“b”", b"\x00\xff", [], [1, [2, "x"]], (1, (2.5, None)),
        {1, 2}, frozenset({"a"}), {"a": 1, ("b", 2): [3]}, DOCUMENT, [DOCUMENT, replace(DOCUMENT, pages=None)],
    ],
)  # fmt: skip
def test_plain_data_and_our_records_cross_as_they_are(value):
    back = load(dump(value))

    assert back == value
    assert type(back) is type(value)


def test_arrays_and_errors_cross():
    array = np.arange(12, dtype=np.float32).reshape(3, 4).T
    np.testing.assert_array_equal(load(dump(array)), array)
    assert load(dump(np.zeros((0, 3)))).shape == (0, 3)
    error = load(dump(UsageError("No.", hint="h", kept="k", details="d")))
    assert (type(error), str(error), error.details) == (UsageError, "No. k h", "d")


def test_a_message_loads_no_module():
    message = in_json(["record", 0, []], ["biasprint.core.letters.report.full:PileReport"])
    script = (
        "import sys\nfrom biasprint.core.compute.plain import StrangeMessage, load\n"
        f"try:\n    load({message!r})\nexcept StrangeMessage:\n    print(sorted(sys.modules))\n"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert "plain" in done.stdout
    assert "letters" not in done.stdout


TREES = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(sorted(plain._Reader._OTHERS)),
    lambda inner: st.lists(inner, max_size=5),
    max_leaves=20,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=50) | TREES.map(lambda tree: in_json(tree, [f"{Finding.__module__}:Finding"], b"12345678")))
def test_any_bytes_are_a_value_or_refused(message):
    with suppress(StrangeMessage):
        assert type(load(message)).__module__ in {"builtins", "pathlib", "datetime"}
