"""The lock: it has everything that pyproject.toml asks for, with hashes, and pip is given just that."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from biasprint.core.machine.installation import declared, pins

PROJECT = tomllib.loads((declared.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = """\
# The exact packages
alpha==1.0 ; python_full_version < '3.12' \\
    --hash=sha256:{a} \\
    --hash=sha256:{b}
    # via biasprint (pyproject.toml)
alpha==2.0 ; python_full_version >= '3.12' \\
    --hash=sha256:{c}
    # via biasprint (pyproject.toml)
torch==2.13.0 \\
    --hash=sha256:{d}
    # via
    #   biasprint (pyproject.toml)
""".format(a="a" * 64, b="b" * 64, c="c" * 64, d="d" * 64)
PAGE = (
    '<a href="/whl/cpu/torch-2.13.0%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl#sha256={e}" data-core-metadata="x">'
    '<a href="/whl/cpu/torch-2.12.0%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl#sha256={f}">'
    '<a href="/whl/cpu/torch-2.13.0%2Bxpu-cp311-cp311-manylinux_2_28_x86_64.whl#sha256={f}">'
).format(e="e" * 64, f="f" * 64)


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(declared, "ROOT", tmp_path)
    file = tmp_path / pins.NAME
    file.write_text(LOCK, encoding="utf-8")
    return file


def given(options: list[str]) -> str:
    return Path(options[options.index("--constraint") + 1]).read_text(encoding="utf-8")


def test_the_lock_has_every_requirement_in_a_version_that_fits_for_every_supported_python() -> None:
    stated = PROJECT["project"]
    wanted = [*stated["dependencies"], *(each for extra in stated["optional-dependencies"].values() for each in extra)]
    locked = pins.entries()
    for requirement in map(Requirement, [*wanted, *PROJECT["dependency-groups"]["installing"]]):
        found = locked.get(declared.normalized(requirement.name), [])
        if requirement.marker:  # another system may have another version
            found = [each for each in found if requirement.specifier.contains(pins.version(each))]
            assert found, str(requirement)
            if not requirement.marker.evaluate():
                continue
        for python in ("3.11.0", "3.12.0", "3.13.0"):
            assert [each for each in found if _is_for(each, python)], f"{requirement.name}: python run.py lock"
        assert all(requirement.specifier.contains(pins.version(each)) for each in found), requirement.name


def test_every_package_of_the_lock_has_a_hash() -> None:
    for name, found in pins.entries().items():
        assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", each) for each in found), name


def test_the_lock_knows_the_builds_of_pytorch_without_nvidias_libraries() -> None:
    """The one for Python 3.11 and Linux was hashed here; the others are as PyTorch's index announces them."""
    assert "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b" in pins.hashes(pins.entries()["torch"])


def test_pip_is_given_what_is_locked_and_what_stays_as_it_is(lock: Path) -> None:
    with pins.constraints({"alpha": "1.5"}) as options:
        assert "--require-hashes" in options
        assert given(options) == f"alpha==1.5\ntorch==2.13.0 \\\n    --hash=sha256:{'d' * 64}\n"
        assert options[-2:] == ["--build-constraint", str(lock)]


@pytest.mark.parametrize("without", ["no file", "asked for"])
def test_without_a_lock_pip_is_held_to_what_is_there_alone(
    without: str, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if without == "no file":
        lock.unlink()
    else:
        monkeypatch.setenv(pins.WITHOUT_LOCK, "1")
    with pins.constraints({"alpha": "1.5"}) as options:
        assert given(options) == "alpha==1.5\n"
        assert len(options) == 2
    with pins.constraints({}) as options:
        assert options == []
    with pins.missing_pip(lock.parent) as arguments:
        assert arguments == []


def test_the_small_build_of_pytorch_that_somebody_has_is_asked_for(lock: Path) -> None:
    def pip(words: list[str]) -> None:
        assert words[-1] == "torch==2.13.0"
        found = {"install": [{"metadata": {"version": "2.13.0+cpu"}}]}
        Path(words[words.index("--report") + 1]).write_text(json.dumps(found), encoding="utf-8")

    build = pins.build_of_torch(pip)
    with pins.constraints({"alpha": "1.5"}, build) as options:
        assert f"torch==2.13.0+cpu \\\n    --hash=sha256:{'d' * 64}\n" in given(options)
    assert pins.build_of_torch(lambda words: None) == ""  # pip found none, or could not be asked


@pytest.mark.parametrize("without", ["", "1"])
def test_pip_of_the_lock_is_installed_where_another_is(
    without: str, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(pins.WITHOUT_LOCK, without)
    lock.write_text(LOCK + f"pip==26.3 \\\n    --hash=sha256:{'e' * 64}\n", encoding="utf-8")
    with pins.missing_pip(lock.parent) as arguments:
        file = Path(arguments[arguments.index("--requirement") + 1])
        assert file.read_text(encoding="utf-8") == f"pip==26.3 \\\n    --hash=sha256:{'e' * 64}\n"
    (lock.parent / "pip-26.3.dist-info").mkdir()
    (lock.parent / "pip-26.3.dist-info" / "INSTALLER").touch()
    with pins.missing_pip(lock.parent) as arguments:
        assert arguments == []


def test_a_new_lock_keeps_the_hashes_of_builds_that_only_another_index_has() -> None:
    more = pins.cpu_hashes(PAGE, "2.13.0")
    assert more == {"e" * 64}
    text = pins.with_hashes(LOCK, "torch", more)
    assert f"torch==2.13.0 \\\n    --hash=sha256:{'d' * 64} \\\n    --hash=sha256:{'e' * 64}\n    # via\n" in text
    assert text.startswith(LOCK.partition("torch")[0])


def _is_for(entry: str, python: str) -> bool:
    marker = entry.partition(";")[2].partition("\\")[0]
    return not marker.strip() or Marker(marker).evaluate({"python_full_version": python, "python_version": python[:4]})
