"""Installing the local-model engine: a stand-in for pip says what pip says, and leaves a file instead of a package."""

import sys
import threading
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from biasprint.core.backends.llama_cpp import options
from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.machine import offline
from biasprint.core.machine.installation import declared, preparing

FakePip = Callable[[str], None]


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakePip:
    """Sets what `python -m pip` does; the engine is here once the file “here” is."""
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(offline.VARIABLE, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(options, "installed", (tmp_path / "here").exists)
    monkeypatch.setattr(options, "why_not", lambda: "")

    def set_program(program: str) -> None:
        head = f"import sys, time, subprocess\nfrom pathlib import Path\nfolder = Path({str(tmp_path)!r})\n"
        (tmp_path / "pip.py").write_text(head + program, encoding="utf-8")

    set_program("(folder / 'asked').write_text(' '.join(sys.argv[1:]))\n(folder / 'here').touch()")
    return set_program


def requirement() -> str:
    project = tomllib.loads((declared.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (engine,) = project["optional-dependencies"]["engine"]
    return str(engine)


def refused(ctx: JobContext | None = None) -> AppError:
    with pytest.raises(AppError) as caught:
        options.install(ctx or JobContext())
    return caught.value


def test_pip_installs_it_and_says_how_far_it_is(pip: FakePip, tmp_path: Path) -> None:
    pip(
        "for line in ('Downloading llama_cpp_python-0.3.36.tar.gz (60 MB)', "
        "'Building wheel for llama-cpp-python (pyproject.toml): started', 'Installing collected packages: a, b'):\n"
        "    print(line, flush=True)\n    time.sleep(0.3)\n"
        "(folder / 'asked').write_text(' '.join(sys.argv[1:]))\n(folder / 'here').touch()"
    )
    told: list[Progress] = []
    options.install(JobContext(told.append))
    assert (tmp_path / "asked").read_text().startswith("install ")
    assert (tmp_path / "asked").read_text().endswith(" " + requirement())
    notes = list(dict.fromkeys(progress.note for progress in told))
    assert notes[:3] == [
        "looking for it",
        "fetching llama-cpp-python 0.3.36 (60 MB)",
        "compiling llama-cpp-python, which takes some minutes",
    ]


def test_nothing_is_done_where_it_is_here(pip: FakePip, tmp_path: Path) -> None:
    (tmp_path / "here").touch()
    options.install(JobContext())
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("error: externally-managed-environment", "belongs to the system"),
        ("OSError: [Errno 13] Permission denied: '/usr/lib'", "may not be written"),
        ("SSLError(SSLCertVerificationError: CERTIFICATE_VERIFY_FAILED)", "not trusted"),
        ("NewConnectionError: [Errno -3] Temporary failure in name resolution", "could not be reached"),
        ("Cannot connect to proxy.\nERROR: No matching distribution found", "the proxy refuses"),
        ("ERROR: No matching distribution found for llama-cpp-python", "does not have it"),
        ("CMake Error: No CMAKE_CXX_COMPILER could be found.\nERROR: Failed building wheel", "could not be compiled"),
        ("something new", "pip failed"),
    ],
)
def test_a_failure_is_one_sentence(pip: FakePip, said: str, why: str) -> None:
    pip(f"print({said!r})\nsys.exit(1)")
    error = refused()
    assert error.message.startswith("The local-model engine could not be installed")
    assert why in error.message
    assert error.hint
    assert said in error.details
    assert "works without it" in error.kept


def test_pip_that_succeeds_without_leaving_it_is_a_failure(pip: FakePip) -> None:
    pip("pass")
    assert "could not be installed" in refused().message


def test_the_offline_switch_stands_above_it(pip: FakePip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(offline.VARIABLE, "1")
    assert "offline switch is on" in refused().message
    assert not (tmp_path / "asked").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a compiler's stand-in tells its end by a signal")
def test_cancelling_ends_pip_with_all_that_it_started(pip: FakePip, tmp_path: Path) -> None:
    pip(
        "beat = \"import time, pathlib\\nwhile True:\\n    pathlib.Path(r'{}').touch()\\n    time.sleep(0.05)\"\n"
        "subprocess.Popen([sys.executable, '-c', beat.format(folder / 'beat')])\n"
        "time.sleep(60)"
    )
    ctx = JobContext()

    def cancel_once_it_compiles() -> None:
        while not (tmp_path / "beat").exists():
            time.sleep(0.05)
        ctx.cancel()

    threading.Thread(target=cancel_once_it_compiles, daemon=True).start()
    with pytest.raises(JobCancelled):
        options.install(ctx)
    time.sleep(0.3)
    (tmp_path / "beat").unlink()
    time.sleep(0.3)
    assert not (tmp_path / "beat").exists(), "the compiler goes on"


def test_where_it_cannot_be_installed_it_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "installed", lambda: False)
    monkeypatch.setattr(preparing.os, "access", lambda path, mode: False)
    assert "may not be written" in refused().message
    monkeypatch.setattr(preparing, "find_spec", lambda name: None)
    assert "no pip" in refused().message
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert "packaged program" in refused().message
