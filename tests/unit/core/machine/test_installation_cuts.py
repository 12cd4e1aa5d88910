"""An installation that is cut short, at whatever moment and by whatever: it says so in a sentence, what is there works,
and the next one goes on to the end. pip is the real one; the package index is on loopback.
"""

import hashlib
import json
import os
import socket
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import pytest
from fake_index import Cut, FakeIndex

from biasprint.core.machine.installation import declared

ROOT = Path(__file__).parents[4]
TESTS = ROOT / "tests"
TIMEOUT = 120
PARTS = """
[[part]]
id = "first"
title = "The first part"
purpose = "Trying."
megabytes = 3
[part.packages]
alpha = []
[[part]]
id = "second"
title = "The second part"
purpose = "Trying more."
megabytes = 3
[part.packages]
beta = []
"""
PROJECT = """
[project]
dependencies = ["alpha==1.0", "beta==1.0"]
[project.optional-dependencies]
engine = []
"""
# Ends pip, or lets it fail, when it begins to write a file of such a name.
WATCH = """
import os, signal, sys
def watch(event, arguments):
    if event == "open" and str(arguments[0]).endswith({names!r}) and "w" in (arguments[1] or ""):
        {what}
sys.addaudithook(watch)
"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"
FULL = "raise OSError(28, 'No space left on device')"


@pytest.fixture
def index() -> Any:
    with FakeIndex() as made:
        made.add_wheel("alpha")
        made.add_wheel("beta", "gamma")
        made.add_wheel("gamma")
        yield made


class Environment:
    """A virtual environment with nothing in it but pip and what `prepare` itself imports."""

    def __init__(self, folder: Path, index: FakeIndex) -> None:
        self.folder = folder
        self.prefix = folder / "environment"
        venv.create(self.prefix, symlinks=sys.platform != "win32")
        windows = sys.platform == "win32"
        self.python = self.prefix / ("Scripts/python.exe" if windows else "bin/python")
        self.site = next(iter([*self.prefix.glob("lib/python*/site-packages"), self.prefix / "Lib" / "site-packages"]))
        for name in ("pip", "packaging", "platformdirs"):
            spec = find_spec(name)
            assert spec
            assert spec.origin
            package = Path(spec.origin).parent
            for found in [package, *package.parent.glob(f"{name}-*.dist-info")]:
                (self.site / found.name).symlink_to(found, target_is_directory=True)
        (folder / "parts.toml").write_text(PARTS)
        (folder / "pyproject.toml").write_text(PROJECT)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
        self.variables = kept | {
            "PYTHONPATH": os.pathsep.join([str(ROOT / "core" / "python"), str(folder)]),
            "BIASPRINT_HOME": str(folder / "home"),
            "PIP_RETRIES": "1",
            "PIP_DEFAULT_TIMEOUT": "10",
        }
        self.set_index(index.url)

    def set_index(self, address: str) -> None:
        """Set pip's index as a person does: in its settings, here those of the environment."""
        nothing = "".join(f"{option} =\n" for option in ("extra-index-url", "find-links", "constraint"))
        text = f"[global]\nindex-url = {address}\n{nothing}cache-dir = {self.folder / 'cache'}\n"
        (self.prefix / ("pip.ini" if sys.platform == "win32" else "pip.conf")).write_text(text)

    def lock(self, hashes: dict[str, str]) -> None:
        """Write a lock of these packages, each in its version 1.0."""
        text = "".join(f"{name}==1.0 \\\n    --hash=sha256:{digest}\n    # via\n" for name, digest in hashes.items())
        (self.folder / "requirements.lock").write_text(text)

    def unlock(self) -> None:
        (self.folder / "requirements.lock").unlink()

    def start(self, *words: str, **variables: str) -> "subprocess.Popen[str]":
        command = [str(self.python), str(TESTS / "prepares.py"), str(self.folder), *words]
        return subprocess.Popen(command, env=self.variables | variables, stdout=subprocess.PIPE, text=True)

    def prepare(self, *words: str, **variables: str) -> list[dict[str, Any]]:
        """What was told; the last is how it ended."""
        with self.start(*words, **variables) as child:
            said, _ = child.communicate(timeout=TIMEOUT)
        return [json.loads(line) for line in said.splitlines()]

    def watch(self, names: tuple[str, ...], what: str) -> None:
        (self.folder / "sitecustomize.py").write_text(WATCH.format(names=names, what=what))

    def unwatch(self) -> None:
        (self.folder / "sitecustomize.py").unlink()

    def works(self, *modules: str) -> bool:
        asks = "\n".join(f"import {name}; assert {name}.NAME" for name in modules)
        return subprocess.run([str(self.python), "-c", asks], env=self.variables).returncode == 0


@pytest.fixture
def environment(tmp_path: Path, index: FakeIndex) -> Environment:
    return Environment(tmp_path, index)


def finishes(environment: Environment, *modules: str) -> None:
    """The next start installs what is missing, and what it installed is whole."""
    end = environment.prepare()[-1]
    assert end == {"end": "", "states": {"first": "ready", "second": "ready"}}
    assert environment.works("alpha", "beta", "gamma")


def sentence(told: list[dict[str, Any]], part: str) -> str:
    return next((str(each["sentence"]) for each in told if each.get("part") == part and each["state"] == "failed"), "")


UNREACHED = ("could not be reached", "cut short", "its hash differs", "does not have it")
MOMENTS = {
    "before the index page": ({"/": Cut()}, []),
    "in the index page": ({"/alpha/": Cut(0.5), "/beta/": Cut(0.5)}, []),
    "in the first wheel": ({"alpha-1.0": Cut(0.5), "/beta/": Cut()}, []),
    "between two parts": ({"/beta/": Cut()}, ["alpha"]),
    "in the last wheel": ({"gamma-1.0": Cut(0.9)}, ["alpha"]),
}


@pytest.mark.soak
@pytest.mark.parametrize(
    "moments",
    [["in the first wheel", "between two parts"], pytest.param(list(MOMENTS), marks=pytest.mark.soak)],
    ids=["two", "every"],
)
def test_the_network_is_cut_at_every_moment_and_the_next_start_finishes(
    environment: Environment, index: FakeIndex, moments: list[str]
) -> None:
    """One start after another, each cut short later than the one before."""
    for moment in moments:
        cuts, there = MOMENTS[moment]
        index.cuts = cuts
        told = environment.prepare()
        states = told[-1]["states"]
        assert states["first"] == ("ready" if there else "failed"), moment
        assert states["second"] in ("failed", "waiting"), moment
        said = sentence(told, "second" if there else "first")
        assert any(reason in said for reason in UNREACHED), f"{moment}: {said}"
        assert environment.works(*there), moment
    index.cuts = {}
    finishes(environment)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
@pytest.mark.soak
def test_pip_is_killed_in_the_middle_of_unpacking(environment: Environment) -> None:
    """Behind METADATA the package is there for pip, which would leave it as it is."""
    half = ("alpha-1.0.dist-info", "gamma-1.0.dist-info")
    for names in (("alpha/large.bin", "gamma-1.0.dist-info/WHEEL"), tuple(f"{folder}/WHEEL" for folder in half)):
        environment.watch(names, KILL)
        assert environment.prepare()[-1]["states"] == {"first": "failed", "second": "failed"}
    for folder in half:
        assert (environment.site / folder / "METADATA").is_file()
        assert not (environment.site / folder / "INSTALLER").exists()
    environment.unwatch()
    finishes(environment)


@pytest.mark.soak
def test_cancelling_ends_pip_within_two_seconds_and_then_the_window_is_killed(
    environment: Environment, index: FakeIndex
) -> None:
    index.cuts = {"alpha-1.0": Cut(0.8, held=True)}
    told = environment.prepare("cancel")
    assert told[-1]["end"] == "cancelled"
    assert next(each["seconds"] for each in told if "seconds" in each) < 2
    assert not [each for each in psutil.process_iter(["cmdline"]) if str(environment.prefix) in str(each.info)]
    assert not environment.works("alpha")

    if sys.platform != "win32":  # it has no such signal
        index.cuts = {"beta-1.0": Cut(0.5, held=True)}
        index.holding.clear()
        with environment.start() as child:  # it finishes what was cancelled
            assert index.holding.wait(TIMEOUT)
            child.kill()
        assert environment.works("alpha")
        assert not environment.works("beta")
    index.cuts = {}
    index.let_go.set()
    finishes(environment)


@pytest.mark.soak
def test_parts_come_in_order_and_are_told_and_two_windows_install_once(
    environment: Environment, index: FakeIndex
) -> None:
    index.cuts = {"alpha-1.0": Cut(0.5, held=True)}
    with environment.start() as one:
        assert index.holding.wait(TIMEOUT)
        assert declared.is_held(environment.prefix)
        with environment.start() as other:
            assert other.stdout
            first_words = json.loads(other.stdout.readline())
            index.cuts = {}
            index.let_go.set()
            rest, _ = other.communicate(timeout=TIMEOUT)
        said, _ = one.communicate(timeout=TIMEOUT)
    assert (first_words["part"], first_words["state"]) == ("first", "working")
    for words in (said, rest):
        assert json.loads(words.splitlines()[-1]) == {"end": "", "states": {"first": "ready", "second": "ready"}}
    states = [(each["part"], each["state"]) for each in map(json.loads, said.splitlines()[:-1])]
    assert list(dict.fromkeys(states)) == [
        ("first", "working"), ("first", "ready"), ("second", "working"), ("second", "ready"),
    ]  # fmt: skip
    assert sorted(path for path in index.asked if path.endswith(".whl")) == [
        f"/files/{name}-1.0-py3-none-any.whl" for name in ("alpha", "beta", "gamma")
    ]
    assert environment.works("alpha", "beta", "gamma")
    asked = len(index.asked)
    environment.prepare()
    assert len(index.asked) == asked, "what is there is not asked for again"


@pytest.mark.soak
def test_a_part_that_cannot_be_had_fails_and_the_rest_goes_on(environment: Environment, index: FakeIndex) -> None:
    """With another hash than the index or the lock says, in neither of them, or only as source that cannot
    be compiled: each start for another reason.
    """
    name = "alpha-1.0-py3-none-any.whl"
    index.announced[name] = "0" * 64
    reasons = [first_fails(environment)]
    assert environment.works("beta")
    assert not environment.works("alpha")
    index.announced.clear()
    hashes = {each: hashlib.sha256(index.files[f"{each}-1.0-py3-none-any.whl"]).hexdigest() for each in NAMES}
    environment.lock(hashes | {"alpha": "0" * 64})
    reasons.append(first_fails(environment))
    environment.lock({each: digest for each, digest in hashes.items() if each != "alpha"})
    reasons.append(first_fails(environment))
    assert not environment.works("alpha")
    environment.lock(hashes)
    whole = index.files.pop(name)
    reasons.append(first_fails(environment))
    environment.unlock()
    index.add_source("alpha", "CMake Error: No CMAKE_CXX_COMPILER could be found.")
    reasons.append(first_fails(environment))
    for reason, said in zip(REASONS, reasons, strict=True):
        assert reason in said
    assert "build-essential" in reasons[-1]
    index.files[name] = whole
    environment.lock(hashes)
    finishes(environment)


NAMES = ("alpha", "beta", "gamma")
REASONS = ("its hash differs", "its hash differs", "does not name", "does not have it", "it could not be compiled")


def first_fails(environment: Environment) -> str:
    """What is said of the first part, which fails; the second is ready."""
    told = environment.prepare()
    assert told[-1] == {"end": "", "states": {"first": "failed", "second": "ready"}}
    return sentence(told, "first")


@pytest.mark.soak
def test_what_stops_an_installation_is_said_and_the_next_start_gets_past_it(
    environment: Environment, index: FakeIndex
) -> None:
    """The offline switch, a proxy that refuses, a disk that is full."""
    told = environment.prepare(BIASPRINT_OFFLINE="1")
    assert "offline switch is on" in told[-1]["end"]
    assert index.asked == []

    environment.set_index("http://index.example/simple\ntrusted-host = index.example")
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        told = environment.prepare(PIP_PROXY=f"http://127.0.0.1:{taken.getsockname()[1]}")
    environment.set_index(index.url)
    said = sentence(told, "first")  # the second as of pip 26, which does not say that it was a proxy
    assert "the proxy refuses" in said or "through the proxy that is set" in said
    assert told[-1]["states"]["second"] == "waiting"

    if sys.platform != "win32":  # the system itself refuses here: no file may be longer than half of a wheel
        limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, 700_000))"
        (environment.folder / "sitecustomize.py").write_text(limit)
        assert "the disk is full" in sentence(environment.prepare(), "first")

    environment.watch(("alpha/large.bin",), FULL)
    told = environment.prepare()
    assert "the disk is full" in sentence(told, "first")
    assert "the disk is full" in told[-1]["end"]
    assert told[-1]["states"]["second"] == "waiting"
    environment.unwatch()
    finishes(environment)


def test_variables_of_a_strangers_folder_choose_neither_the_packages_nor_where_they_go(
    environment: Environment, index: FakeIndex
) -> None:
    """Such as those of a `.env` that a shell or an editor has read. Nothing here says which hashes are right."""
    marks = environment.folder / "marks"
    runs = environment.folder / "python"
    runs.write_text(f"#!/bin/sh\ntouch '{marks}'\n")
    runs.chmod(0o755)
    with FakeIndex() as strangers:
        strangers.add_wheel("alpha")
        strangers.files["alpha-1.0-py3-none-any.whl"] = strangers.files["alpha-1.0-py3-none-any.whl"][:-1]
        settings = environment.folder / "strangers.conf"
        settings.write_text(f"[global]\nindex-url = {strangers.url}\ntarget = {marks}\n")
        told = environment.prepare(
            PIP_INDEX_URL=strangers.url, PIP_EXTRA_INDEX_URL=strangers.url, PIP_FIND_LINKS=strangers.url,
            PIP_CONFIG_FILE=str(settings), PIP_TARGET=str(marks), PIP_PREFIX=str(marks), PIP_ROOT=str(marks),
            PIP_PYTHON=str(runs), PIP_LOG=str(marks), PIP_REQUIREMENT=str(settings), PIP_CACHE_DIR=str(marks),
            PIP_index_url=strangers.url, PIP_NO_BINARY=":all:",
        )  # fmt: skip
        assert strangers.asked == []
    assert told[-1] == {"end": "", "states": {"first": "ready", "second": "ready"}}
    assert not marks.exists()
    assert environment.works("alpha", "beta", "gamma")


def test_an_index_of_a_variable_serves_what_the_lock_has_hashes_of(environment: Environment, index: FakeIndex) -> None:
    hashes = {
        name: hashlib.sha256(index.files[f"{name}-1.0-py3-none-any.whl"]).hexdigest()
        for name in ("alpha", "beta", "gamma")
    }
    environment.lock(hashes)
    environment.set_index("http://127.0.0.1:9/simple")
    told = environment.prepare(PIP_INDEX_URL=index.url)
    assert told[-1] == {"end": "", "states": {"first": "ready", "second": "ready"}}


def test_an_index_that_is_not_used_is_named_where_nothing_could_be_reached(environment: Environment) -> None:
    environment.set_index("http://127.0.0.1:9/simple")
    told = environment.prepare(PIP_RETRIES="0", PIP_INDEX_URL="http://127.0.0.1:9/mirror")
    assert "PIP_INDEX_URL of the environment is not used here" in sentence(told, "first")
