"""`biasprint judge`: a plug-in's model judges in the model process, as a rater beside the people.

The judge is scripted: it takes the longest text, leans to the first card where its folder says so, and is no model.
"""

import csv
import os
import signal
import sqlite3
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from cli_support import biasprint, refused, start

from biasprint.core.compute import models
from biasprint.core.project.project import Project

JUDGE = r"""
    import re, time
    from pathlib import Path
    from biasprint.core.backends.protocol import BackendInfo, Capabilities, Completion, GeneratorInfo

    CAPABILITIES = Capabilities(False, True, False, True, True)
    INFO = BackendInfo("magistrate", "Magistrate", "Takes the longest text.", ("fair", "first"), CAPABILITIES)
    TEXT = re.compile(r"^=== ([ABC]) ([a-z]{6}) ===\n(.*?)(?=\n=== (?:[ABC]|END) \2 ===$)", re.S | re.M)

    def open(model, parameters):
        return Magistrate(model, parameters)

    class Magistrate:
        name = "magistrate"
        capabilities = CAPABILITIES

        def __init__(self, model, parameters):
            self.model, self.parameters, self.asked = model, dict(parameters), 0

        def describe(self):
            return GeneratorInfo("magistrate", self.model, self.parameters, "1")

        def generate(self, request, on_text, check):
            check()
            self.asked += 1
            halt = Path(self.parameters.get("halt", "/nowhere"))
            while self.asked == 4 and halt.exists():
                check()
                time.sleep(0.01)
            cards = {letter: text for letter, _, text in TEXT.findall(request.prompt)}
            if self.parameters.get("broken"):
                return Completion("", "error", error="It would not.", failure="server")
            best = max(cards, key=lambda letter: (len(cards[letter]), cards[letter]))
            return Completion("A" if self.model == "first" else best, "stop")

        def close(self):
            pass
"""
PATIENCE_SECONDS = 60.0
BY = ("--backend", "magistrate", "--model")


@pytest.fixture
def magistrate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    info = folder / "magistrate-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: magistrate\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[biasprint.backends]\nmagistrate = magistrate_backend\n")
    (folder / "magistrate_backend.py").write_text(textwrap.dedent(JUDGE))
    monkeypatch.syspath_prepend(folder)
    models().close()  # the next one is started with this path
    yield folder
    models().close()
    sys.modules.pop("magistrate_backend", None)


def replies(file: Path) -> set[tuple[str, tuple[int, ...], str, int | None]]:
    """What the models of a project said, however it came to be asked."""
    with Project.open(file, read_only=True) as project:
        kinds = {rater.id: rater.kind for rater in project.judging.raters()}
        sessions = [row.id for row in project.judging.sessions() if kinds[row.rater_id] == "model"]
        rows = [row for session in sessions for row in project.judging.judgments(session, superseded=True)]
    found = {(row.comparison_id, row.shown, row.outcome, row.chosen) for row in rows}
    assert len(found) == len(rows), "a reply stands twice"
    return found


@pytest.mark.usefixtures("magistrate")
def test_a_model_judges_every_plan_and_its_flip_rate_is_told(study_file: Path) -> None:
    answer = biasprint("judge", study_file, *BY, "fair", "--seed", 4, "--json").json
    assert answer["rater"] == "fair"
    assert len(answer["plans"]) == 2
    for plan in answer["plans"]:
        assert plan["closed"]
        assert plan["wanted"] == plan["added"] == plan["replies"]["choice"]
        assert (plan["flips"], plan["flip_rate"], plan["compared"]) == (0, 0.0, plan["comparisons"])
        assert plan["flip_interval"]["low"] == 0.0
        assert plan["first_card"] == pytest.approx(plan["comparisons"] / plan["wanted"])
    told = biasprint("judge", study_file, *BY, "fair", "--seed", 4).out
    assert "The choice turned with the order of the cards in 0 of 12 comparisons: 0% (95 % interval 0% to 24%)." in told


@pytest.mark.soak
@pytest.mark.usefixtures("magistrate")
def test_a_judge_that_always_takes_the_first_card_is_seen_through(measured_file: Path, tmp_path: Path) -> None:
    answer = biasprint("judge", measured_file, *BY, "first", "--axis", "orientation", "--json").json
    (plan,) = answer["plans"]
    assert (plan["flip_rate"], plan["first_card"]) == (1.0, 1.0)
    found = biasprint("measure", "creativity", measured_file, "--axis", "orientation", "--json").json["findings"]
    of_model = [one for one in found if one["dims"] == {"axis": "orientation", "rater_kind": "model"}]
    (score,) = [one for one in of_model if (one["id"], one["variant"]) == ("creativity.abs", "default")]
    assert score["estimate"] == pytest.approx(0.0)
    (flips,) = [one for one in found if one["id"] == "creativity.agreement.flips"]
    assert (flips["estimate"], flips["dims"]) == (1.0, {"axis": "orientation", "rater": "first"})
    out = tmp_path / "judgments.csv"
    biasprint("export", measured_file, "judgments", "--out", out)
    with out.open(encoding="utf-8-sig", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["rater_kind"] == "model"]
    assert len(rows) == plan["wanted"]
    assert {(row["rater"], row["read_as"]) for row in rows} == {("first", "choice")}


@pytest.mark.soak
@pytest.mark.usefixtures("magistrate")
def test_what_people_judged_is_measured_as_before(measured_file: Path) -> None:
    measure = ("measure", "creativity", measured_file, "--axis", "gender", "--json")
    before = biasprint(*measure).json["findings"]
    biasprint("judge", measured_file, *BY, "fair")
    after = biasprint(*measure).json["findings"]
    assert all(one in after for one in before)
    assert len(after) > len(before)


@pytest.mark.soak
@pytest.mark.usefixtures("magistrate")
def test_requests_that_failed_are_made_again_by_the_same_command(measured_file: Path) -> None:
    command = ("judge", measured_file, *BY, "fair", "--axis", "gender")
    told = biasprint(*command, "--set", "broken=true").out
    assert "Requests failed (36 server): the same command makes them again, --finish counts the rest" in told
    assert "no preference can be told" in told
    said = biasprint("measure", "creativity", measured_file, "--axis", "gender", "--json").err
    assert "1 sessions of models that have not judged everything were left out" in said
    (again,) = biasprint(*command, "--set", "broken=true", "--finish", "--json").json["plans"]
    assert (again["closed"], again["failures"]) == (False, {"server": 36})  # not even --finish makes answers
    (mended,) = biasprint(*command, "--json").json["plans"]
    assert (mended["closed"], mended["failures"]) == (True, {})


@pytest.mark.skipif(os.name == "nt", reason="kill −9 is POSIX's")
@pytest.mark.soak
def test_a_judging_that_is_killed_goes_on_and_equals_one_that_was_not(
    study_file: Path, magistrate: Path, tmp_path: Path
) -> None:
    whole, halt = tmp_path / "whole.biasprint", tmp_path / "halt"
    whole.write_bytes(study_file.read_bytes())
    halt.touch()
    command = ("judge", study_file, *BY, "first", "--axis", "orientation", "--set", f"halt={halt}")
    path = os.pathsep.join((str(magistrate), os.environ.get("PYTHONPATH", "")))
    process = start(command, env={**os.environ, "PYTHONPATH": path})
    try:
        wait_for_replies(study_file, 3)  # it waits at the fourth
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    kept = replies(study_file)
    assert len(kept) == 3
    halt.unlink()
    (plan,) = biasprint(*command, "--json").json["plans"]
    assert (plan["wanted"], plan["added"]) == (24, 21)
    assert kept < replies(study_file)
    biasprint("judge", whole, *BY, "first", "--axis", "orientation", "--set", f"halt={halt}")
    assert replies(study_file) == replies(whole)


def wait_for_replies(file: Path, number: int) -> None:
    """Until so many are on disk, looking as an onlooker who never writes."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as onlooker:
            if onlooker.execute("SELECT count(*) FROM judgment WHERE detail != '{}'").fetchone()[0] >= number:
                return
        time.sleep(0.02)
    pytest.fail("no replies came")


def test_who_cannot_judge_and_what_is_not_there_is_said_plainly(study_file: Path, empty: Path) -> None:
    synthetic = ("--backend", "synthetic", "--model", "none")
    refused("judge", study_file, *synthetic, code=1, says="is no language model and cannot judge")
    refused("judge", study_file, "--backend", "nobody", "--model", "x", code=2, says="There is no backend “nobody”")
    refused("judge", study_file, *synthetic, "--plan", "mine", code=2, says="There is no plan “mine”")
    refused("judge", study_file, *synthetic, "--axis", "race", code=2, says="No plan compares on race")
    teaching = ("--backend", "llama_cpp", "--model", "teaching")
    refused("judge", study_file, *teaching, code=1, says="“Teaching model” cannot judge")
    refused("judge", empty, *synthetic, code=1, says="There is nothing to judge yet")
    refused("judge", study_file, *BY, "x", code=2, says="There is no backend “magistrate”")


@pytest.mark.usefixtures("magistrate")
def test_a_certificate_of_a_judge_is_kept_in_the_project_and_makes_a_page(tmp_path: Path) -> None:
    file, page = tmp_path / "empty.biasprint", tmp_path / "page.html"
    biasprint("new", file)
    asked = ("certificate", file, *BY, "first", "--pairs", 6)
    broken = biasprint(*asked, "--set", "broken=true", "--json").json
    assert (broken["complete"], broken["failures"]) == (False, {"server": 48})
    answer = biasprint(*asked, "--json", "--out", page).json
    assert (answer["complete"], answer["wanted"], answer["added"]) == (True, 48, 48)
    faults = {line["id"]: line["fault"] for line in answer["lines"]}
    assert (faults["judge.position"], faults["judge.flips"], faults["judge.self"]) == (
        "found", "see place", "not measured"
    )  # fmt: skip
    assert biasprint(*asked, "--json").json["added"] == 0
    told = biasprint(*asked).out
    assert "first gave 48 of 48 replies. Faults found: place of the card." in told
    assert "Place: is the first card chosen more often? 100 % (" in told
    assert "It prefers the first card." in page.read_text(encoding="utf-8")
    refused("certificate", file, *BY, "first", "--pairs", 3, code=2, says="6 to 400 pairs")
    refused("certificate", file, "--backend", "synthetic", "--model", "none", code=1, says="cannot judge")
