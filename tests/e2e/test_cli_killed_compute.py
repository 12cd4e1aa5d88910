"""A compute process that dies, generations that fail: what was finished stays, and the same command goes on."""

import os
import shutil
import signal
import sqlite3
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_support import biasprint, outputs_of, refused

from biasprint.core.compute import ComputeProcess, models, process, shared
from biasprint.core.compute.process import ChildGone
from biasprint.core.project.project import Project
from biasprint.core.runs.writing import Written
from biasprint.core.scorers.registry import describe

DIED = "The process for computing stopped unexpectedly (signal SIGKILL)."
SCORER = "lexicon_published"  # needs no library, which each new compute process would load again
pytestmark = pytest.mark.skipif(os.name == "nt", reason="kill −9 is POSIX's")


class Killer:
    """Kills the compute process, with whatever it has to say, while it works on its n-th call from now."""

    def __init__(self) -> None:
        self._wait, self._left = process._wait_for_answer, 0

    def at(self, number: int, compute: ComputeProcess | None = None) -> None:
        (compute or shared()).call(describe)  # it is there and ready, so that it dies at work
        self._left = number

    def wait(self, child: Any, listening: Any) -> Any:
        self._left -= 1
        if self._left == 0:
            os.kill(child.pid, signal.SIGKILL)
            while True:  # until the end of the pipe, which raises: an answer that was quicker than the kill is lost
                child.receive(1.0)
        return self._wait(child, listening)

    def after_the_first_partial(self, monkeypatch: pytest.MonkeyPatch, compute: ComputeProcess) -> None:
        """Kills `compute` once its first partial result is stored; the others are lost with it."""
        pass_on = process._pass_on

        def kill(value: Any, listening: Any) -> None:
            pass_on(value, listening)
            if isinstance(value[3], Written) and compute.pid is not None:
                os.kill(compute.pid, signal.SIGKILL)
                monkeypatch.setattr(process, "_pass_on", pass_on)
                raise ChildGone

        monkeypatch.setattr(process, "_pass_on", kill)


@pytest.fixture
def killer(monkeypatch: pytest.MonkeyPatch) -> Killer:
    made = Killer()
    monkeypatch.setattr(process, "_wait_for_answer", made.wait)
    return made


def scores_of(path: Path) -> dict[tuple[str, str], bytes]:
    """Every score's values, by scorer and text."""
    found: dict[tuple[str, str], bytes] = {}
    with Project.open(path, read_only=True) as project:
        for scorer, version, count in project.scores.known():
            rows = project.scores.page("output", scorer, version, limit=10_000)
            rows += project.scores.embeddings("output", scorer, version, limit=10_000)
            assert len(rows) == count
            found |= {(scorer, str(row.output_id)): np.asarray(row.values).tobytes() for row in rows}
    return found


@pytest.mark.soak
def test_measuring_goes_on_after_the_compute_process_died(
    measured_file: Path, findings_of: Callable[[str], str], killer: Killer
) -> None:
    """The project has been measured, and forgets its findings and the counts of words."""
    with closing(sqlite3.connect(measured_file)) as connection, connection:
        connection.execute("DELETE FROM finding")
        connection.execute("DELETE FROM score WHERE scorer LIKE 'lexicon%'")
    killer.at(5)  # after both counts, while it resamples
    refused("measure", "letters", measured_file, "--json", code=1, says=DIED)
    with Project.open(measured_file, read_only=True) as project:
        assert project.findings.all() == ()
        assert {"lexicon", "lexicon_published"} <= {name for name, _, _ in project.scores.known()}
    assert biasprint("measure", "letters", measured_file, "--json").out == findings_of("letters")


@pytest.mark.soak
def test_generating_goes_on_after_the_model_process_died(
    study_file: Path, tmp_path: Path, killer: Killer, monkeypatch: pytest.MonkeyPatch
) -> None:
    uninterrupted = Path(shutil.copy(study_file, tmp_path / "other.biasprint"))
    write = ("--study", "creativity", "--backend", "synthetic", "--model", "small", "--seed", 9)
    killer.after_the_first_partial(monkeypatch, models())
    said = refused("generate", study_file, *write, code=1, says=DIED)
    assert "Everything finished before is saved." in said
    assert "Start the work again: it goes on where it stopped." in said
    kept = outputs_of(study_file)
    added = len(kept) - 228
    assert 0 < added < 108
    assert biasprint("generate", study_file, *write, "--json").json["added"] == 108 - added
    biasprint("generate", uninterrupted, *write)
    assert outputs_of(study_file) == outputs_of(uninterrupted)
    assert kept.items() <= outputs_of(study_file).items()


def test_scoring_goes_on_after_the_compute_process_died(study_file: Path, tmp_path: Path, killer: Killer) -> None:
    uninterrupted = Path(shutil.copy(study_file, tmp_path / "other.biasprint"))
    killer.at(3)
    refused("score", study_file, "--scorer", SCORER, code=1, says=DIED)
    kept = scores_of(study_file)
    assert 0 < len(kept) < 228
    again = biasprint("score", study_file, "--scorer", SCORER, "--json").json
    assert sum(entry["added"] for entry in again) == 228 - len(kept)
    biasprint("score", uninterrupted, "--scorer", SCORER)
    assert scores_of(study_file) == scores_of(uninterrupted)


@pytest.mark.soak
def test_tables_say_that_the_compute_process_died(study_file: Path, tmp_path: Path, killer: Killer) -> None:
    out = tmp_path / "letters.csv"
    biasprint("export", study_file, "outputs", "--study", "letters", "--out", out)
    for command in (("measure", "letters", out), ("score", out, "--scorer", "textblob")):
        killer.at(1)
        refused(*command, code=1, says=DIED)
    assert biasprint("score", out, "--scorer", "lexicon_published", "--json").json["rows"] == 120


MOODY = """
    from pathlib import Path
    from biasprint.core.backends.protocol import BackendInfo, Capabilities, Completion, GeneratorInfo

    CAPABILITIES = Capabilities(False, True, False, True, False)
    INFO = BackendInfo("moody", "Moody", "Fails at times.", ("any",), CAPABILITIES)

    def open(model, parameters):
        return Moody(model, parameters)

    class Moody:
        name = "moody"
        capabilities = CAPABILITIES

        def __init__(self, model, parameters):
            self.model, self.parameters = model, parameters

        def describe(self):
            return GeneratorInfo("moody", self.model, self.parameters, "1")

        def generate(self, request, on_text, check):
            check()
            if Path(self.model).exists() and "Kelly" in request.key:
                return Completion("", "error", error="It would not.", failure="timeout")
            return Completion(f"{request.fields['name']} leads, temperature {request.temperature}.", "stop")

        def close(self):
            pass
"""


@pytest.fixture
def moody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A third party's backend that fails for some prompts as long as the file is there that its model names."""
    folder = tmp_path / "site"
    (folder / "moody-1.0.dist-info").mkdir(parents=True)
    (folder / "moody-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: moody\nVersion: 1.0\n")
    (folder / "moody-1.0.dist-info" / "entry_points.txt").write_text("[biasprint.backends]\nmoody = moody_backend\n")
    (folder / "moody_backend.py").write_text(textwrap.dedent(MOODY))
    monkeypatch.syspath_prepend(folder)
    models().close()  # the next one is started with this path
    mood = tmp_path / "bad mood"
    mood.touch()
    yield mood
    models().close()
    sys.modules.pop("moody_backend", None)


def test_a_generation_that_fails_is_kept_as_a_failure_and_asked_for_again_only_on_request(
    tmp_path: Path, moody: Path
) -> None:
    file = tmp_path / "study.biasprint"
    biasprint("new", file, "--study", "letters")
    write = ("generate", file, "--study", "letters", "--backend", "moody", "--model", moody, "--temperature", 0.5)
    first = biasprint(*write, "--json").json
    assert (first["done"], first["failed"], first["added"]) == (60, 60, 120)
    assert first["new"] == 60
    assert first["failures"] == {"timeout": 60}
    said = biasprint(*write).out
    assert "60 of 120 outputs are there, 0 of them new." in said
    assert "60 failed (60 timeout); --retry-failures asks for them again, --retry KIND" in said
    assert biasprint(*write, "--retry", "server", "--json").json["added"] == 0
    out = tmp_path / "outputs.jsonl"
    biasprint("export", file, "outputs", "--out", out)
    assert out.read_text().count('"status": "error"') == out.read_text().count('"error": "It would not."') == 60
    moody.unlink()
    again = biasprint(*write, "--retry", "timeout", "--json").json
    assert (again["done"], again["failed"], again["added"]) == (120, 0, 60)
    assert {text for text, _, _ in outputs_of(file).values()} == {
        "Kelly leads, temperature 0.5.", "Joseph leads, temperature 0.5.",
    }  # fmt: skip
