"""The contract of `measure`: the envelope, every key of a finding, the ids, and that exports give the same numbers."""

import csv
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_support import biasprint, narrow, refused
from seeded_part import seeded_part

from biasprint.core.project.project import Project
from biasprint.core.project.specs import OutputSpec

ENVELOPE = ["version", "study", "rows", "dropped", "findings", "audited", "questions", "without_number"]
# DESIGN.md, "The command line": these keys, no others.
FINDING = {
    "id", "label", "title", "groups", "dims", "variant", "estimate", "reason", "unit", "interval", "n", "n_by_group",
    "dropped", "p", "p_adjusted", "adjust", "effect", "contrast", "floor", "floor_subtracted", "power", "scorers",
    "harm", "source", "note",
}  # fmt: skip
INNER = {
    "interval": {"low", "high", "level", "method"},
    "adjust": {"method", "family"},
    "effect": {"name", "value"},
    "floor": {"mean", "p95", "p"},
    "power": {"detectable", "n_for_planned"},
}
CATEGORIES = (
    "ability", "standout", "leadership", "masculine", "feminine", "agentic", "communal", "professional", "personal",
)  # fmt: skip
IDENTITIES = {
    "gender": ["man", "woman", "non-binary"],
    "orientation": ["straight", "queer"],
    "race": ["white", "black", "asian"],
}

Findings = Callable[[str], str]


def findings(answer: Any, finding_id: str, variant: str = "default") -> list[dict[str, Any]]:
    return [f for f in answer["findings"] if (f["id"], f["variant"]) == (finding_id, variant)]


def told(answer: dict[str, Any]) -> dict[str, Any]:
    """All but who was audited: a table knows less of that than the project it was exported from."""
    return {key: value for key, value in answer.items() if key != "audited"}


def pooled(answer: Any, finding_id: str, variant: str = "default") -> list[dict[str, Any]]:
    """Those that are about an axis as a whole, not one task, topic or rater."""
    return [finding for finding in findings(answer, finding_id, variant) if set(finding["dims"]) == {"axis"}]


@pytest.mark.parametrize("study", ["letters", "creativity"])
def test_the_answer_is_one_document_with_exactly_the_keys_of_the_contract(findings_of: Findings, study: str) -> None:
    answer = json.loads(findings_of(study))
    assert list(answer) == ENVELOPE
    assert (answer["version"], answer["study"]) == (1, study)
    assert answer["findings"]
    for finding in answer["findings"]:
        assert set(finding) == FINDING
        for name, keys in INNER.items():
            assert finding[name] is None or set(finding[name]) == keys, name
        for scorer in finding["scorers"]:
            assert set(scorer) == {"role", "name", "version", "sha256", "stand_in"}


@pytest.mark.parametrize("study", seeded_part(["letters", "creativity"], 2))
def test_every_finding_can_be_judged_by_what_stands_in_it(findings_of: Findings, study: str) -> None:
    for finding in json.loads(findings_of(study))["findings"]:
        told = f"{finding['id']} {finding['label']} {finding['variant']}"
        assert finding["variant"] in ("default", "as_published"), told
        assert finding["title"], told
        assert finding["unit"], told
        assert finding["source"], told
        assert len(finding["groups"]) >= 2, told
        if finding["estimate"] is None:
            assert finding["reason"], f"{told} is undefined and does not say why"
        elif finding["interval"] is None:
            assert finding["reason"].startswith("interval: "), f"{told} has no interval and does not say why"
        else:
            low, high = finding["interval"]["low"], finding["interval"]["high"]
            assert low <= finding["estimate"] <= high, told
            if (finding["id"], finding["variant"]) == ("letters.word.odds_ratio", "default"):
                assert 0.95 < finding["interval"]["level"] < 1, told  # wider, for so many words
            else:
                assert finding["interval"]["level"] == 0.95, told
        for p in (finding["p"], finding["p_adjusted"]):
            assert p is None or 0 <= p <= 1, told
        assert (finding["p_adjusted"] is None) == (finding["adjust"] is None), told


def test_letters_have_every_category_in_both_variants(findings_of: Findings) -> None:
    answer = json.loads(findings_of("letters"))
    assert (answer["rows"], answer["dropped"]) == (120, {})
    for variant in ("default", "as_published"):
        found = findings(answer, "letters.lexicon.odds_ratio", variant)
        assert tuple(finding["label"] for finding in found) == CATEGORIES
        for finding in found:
            assert finding["groups"] == ["male", "female"]
            assert finding["n_by_group"] == {"male": 60, "female": 60}
            assert finding["dims"] == {}
            assert [scorer["role"] for scorer in finding["scorers"]] == ["lexicon"]
            assert finding["scorers"][0]["sha256"]


def test_creative_writing_has_its_four_measures_with_floors_and_contrasts(findings_of: Findings) -> None:
    answer = json.loads(findings_of("creativity"))
    ids = {"creativity.distance", "creativity.rbs", "creativity.share", "creativity.abs"}
    assert {finding["id"] for finding in answer["findings"]} >= ids
    for finding_id, axes in (("creativity.rbs", set(IDENTITIES)), ("creativity.abs", {"gender", "orientation"})):
        for variant in ("default", "as_published"):
            found = pooled(answer, finding_id, variant)
            assert sorted(finding["dims"]["axis"] for finding in found) == sorted(axes)
        for finding in pooled(answer, finding_id):
            assert finding["groups"] == IDENTITIES[finding["dims"]["axis"]]
            assert finding["floor"]["mean"] <= finding["floor"]["p95"]
            assert finding["p"] == finding["floor"]["p"]
            assert finding["floor_subtracted"] == pytest.approx(finding["estimate"] - finding["floor"]["mean"])
            assert set(finding["contrast"]) == set(finding["groups"])
            assert sum(finding["contrast"].values()) == pytest.approx(0, abs=1e-9)
    for finding_id in ("creativity.distance", "creativity.share"):
        for axis in {finding["dims"]["axis"] for finding in pooled(answer, finding_id)}:
            labels = [f["label"] for f in pooled(answer, finding_id) if f["dims"]["axis"] == axis]
            assert labels == IDENTITIES[axis]


def test_shares_of_an_axis_add_up_to_one_and_are_proportions(findings_of: Findings) -> None:
    shares = pooled(json.loads(findings_of("creativity")), "creativity.share")
    for axis in ("gender", "orientation"):
        estimates = [share["estimate"] for share in shares if share["dims"]["axis"] == axis]
        assert all(0 <= estimate <= 1 for estimate in estimates)
        assert sum(estimates) == pytest.approx(1)


def test_the_stand_in_embedder_is_called_one(findings_of: Findings) -> None:
    (scorer,) = findings(json.loads(findings_of("creativity")), "creativity.rbs")[0]["scorers"]
    assert (scorer["role"], scorer["name"], scorer["stand_in"]) == ("embedding", "minilm", True)
    # The official file's hash, as DESIGN.md gives it.
    assert scorer["sha256"] == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def test_a_rating_session_that_is_still_blind_is_left_out_and_said(measured_file: Path) -> None:
    answer = biasprint("measure", "creativity", measured_file, "--axis", "gender", "--json")
    assert "1 open rating sessions were left out until their reveal." in answer.err
    # How a rater judged (repeats, places, times) is asked over all axes.
    of_axes = [f for f in answer.json["findings"] if not f["id"].startswith("creativity.quality.")]
    assert all(finding["dims"]["axis"] == "gender" for finding in of_axes)


def test_measuring_stores_the_findings_with_their_recipe(measured_file: Path, findings_of: Findings) -> None:
    with Project.open(measured_file, read_only=True) as project:
        for study in ("letters", "creativity"):
            stored = project.findings.all(study)
            assert [dict(row.body) for row in stored] == json.loads(findings_of(study))["findings"]
            assert stored[0].recipe["seed"] == 0
            assert stored[0].recipe["scorers"]


@pytest.mark.soak
def test_another_seed_gives_the_same_estimates_and_other_resamples(measured_file: Path, findings_of: Findings) -> None:
    """That the same one gives the same numbers is seen in what follows."""
    before = json.loads(findings_of("letters"))
    other = biasprint("measure", "letters", measured_file, "--seed", 1, "--json").json
    assert [f["estimate"] for f in other["findings"]] == [f["estimate"] for f in before["findings"]]
    assert [f["interval"] for f in other["findings"]] != [f["interval"] for f in before["findings"]]


@pytest.mark.soak
def test_exported_letters_give_the_findings_of_the_project(
    measured_file: Path, tmp_path: Path, findings_of: Findings
) -> None:
    """As JSON lines; two tables of CSV are measured together below."""
    out = tmp_path / "letters.jsonl"
    biasprint("export", measured_file, "outputs", "--study", "letters", "--out", out)
    assert told(biasprint("measure", "letters", out, "--json").json) == told(json.loads(findings_of("letters")))


@pytest.mark.soak
def test_exported_letters_of_several_samples_give_the_findings_of_the_project(empty: Path, tmp_path: Path) -> None:
    biasprint("prompts", empty, "--study", "letters")
    narrow(empty, 12)
    write = ("generate", empty, "--study", "letters", "--backend", "synthetic", "--seed", 5, "--model")
    biasprint(*write, "large", "--samples", 2)
    biasprint(*write, "none")
    out = tmp_path / "letters.csv"
    biasprint("export", empty, "outputs", "--study", "letters", "--out", out)
    measured = biasprint("measure", "letters", empty, "--json").json
    assert measured["rows"] == 36
    with open(out, encoding="utf-8", newline="") as stream:
        blocks = Counter(row["block"] for row in csv.DictReader(stream))
    # The letters to a man and a woman of one age and occupation are matched, all samples of a model together.
    assert {(block.partition("/")[0], count) for block, count in blocks.items()} == {("large", 4), ("none", 2)}
    assert told(biasprint("measure", "letters", out, "--json").json) == told(measured)


def test_exported_outputs_and_judgments_give_the_findings_of_the_project(
    measured_file: Path, tmp_path: Path, findings_of: Findings
) -> None:
    outputs, judgments = tmp_path / "outputs.jsonl", tmp_path / "judgments.csv"
    biasprint("export", measured_file, "outputs", "--study", "creativity", "--out", outputs)
    biasprint("export", measured_file, "judgments", "--out", judgments)
    answer = biasprint("measure", "creativity", outputs, judgments, "--json").json
    expected = json.loads(findings_of("creativity"))
    assert _rounded(answer["findings"]) == _rounded(expected["findings"])
    assert (answer["rows"], answer["dropped"]) == (expected["rows"], expected["dropped"])
    by_itself = biasprint("measure", "creativity", judgments, "--json").json["findings"]
    of_judgments = tuple(f"creativity.{name}" for name in ("share", "abs", "length", "agreement.", "quality."))
    judged = [f for f in expected["findings"] if f["id"].startswith(of_judgments)]
    assert by_itself == judged


def _rounded(value: Any) -> Any:
    """The embedder's last digits depend on which texts share a batch: equal to six digits is equal here."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.soak
def test_outputs_that_could_not_be_generated_are_counted_as_left_out(
    measured_file: Path, findings_of: Findings
) -> None:
    with Project.open(measured_file) as project:
        for run, count in ((1, 3), (2, 5)):
            prompts = project.prompts.page(project.runs.get(run).prompt_set_id, limit=count)
            failed = [
                OutputSpec(run_id=run, prompt_id=row.id, sample=7, seed=0, status="error", text="", error="No.")
                for row in prompts
            ]
            project.outputs.record_many(failed)
    for study, count in (("creativity", 3), ("letters", 5)):
        answer = biasprint("measure", study, measured_file, "--json").json
        assert answer["dropped"]["generation failed"] == count
        assert answer["rows"] == json.loads(findings_of(study))["rows"] + count


def test_every_row_of_a_table_is_counted_and_what_was_left_out_says_why(tmp_path: Path) -> None:
    letters, creative = tmp_path / "letters.csv", tmp_path / "creative.csv"
    letters.write_text("text,group\nHe leads.,male\nShe helps.,female\n,male\nNobody.,\n")
    answer = biasprint("measure", "letters", letters, "--json").json
    assert (answer["rows"], answer["dropped"]) == (4, {"no text": 1, "no group": 1})
    creative.write_text("task,theme,identity,text\nhaiku,sun,man,a\nhaiku,sun,woman,b\nhaiku,sun,elf,c\nhaiku,,man,\n")
    answer = biasprint("measure", "creativity", creative, "--json").json
    assert answer["rows"] == 4
    assert answer["dropped"]["no theme"] == answer["dropped"]["identity not measured"] == 1


def test_a_mapping_is_for_the_tables_that_have_the_field(measured_file: Path, tmp_path: Path) -> None:
    outputs, judgments = tmp_path / "outputs.csv", tmp_path / "judgments.csv"
    outputs.write_text("task,theme,identity,text\nhaiku,sun,default,a\nhaiku,sun,straight,b\nhaiku,sun,queer,c\n")
    biasprint("export", measured_file, "judgments", "--out", judgments)
    judgments.write_text(judgments.read_text(encoding="utf-8").replace("outcome", "verdict", 1), encoding="utf-8")
    measure = ("measure", "creativity", outputs, judgments, "--axis", "orientation")
    refused(*measure, "--map", "colour=verdict", code=2, says="There is no field “colour”")
    answer = biasprint(*measure, "--map", "outcome=verdict", "--json").json
    assert {f["id"] for f in answer["findings"]} >= {"creativity.rbs", "creativity.abs"}


def test_the_table_for_people_says_why_a_number_is_missing(tmp_path: Path) -> None:
    table = tmp_path / "letters.csv"
    table.write_text("text,group\nHe is here.,male\nShe is here.,female\n")
    answer = biasprint("measure", "letters", table)
    assert answer.out.splitlines()[0] == "2 rows read."
    assert "undefined" in answer.out
    reasons = {f["reason"] for f in biasprint("measure", "letters", table, "--json").json["findings"] if f["reason"]}
    assert reasons
    assert all(reason.removeprefix("interval: ") in answer.out for reason in reasons)


def test_a_project_that_cannot_be_written_is_measured_and_reported_all_the_same(
    measured_file: Path, tmp_path: Path, findings_of: Findings
) -> None:
    """The report is one page that loads nothing from anywhere."""
    page = tmp_path / "letters.html"
    with Project.open(measured_file) as holder:
        before = holder.findings.all()
        answer = biasprint("measure", "letters", measured_file, "--report", page, "--json")
        assert answer.json == json.loads(findings_of("letters"))
        assert "findings are not stored in it" in answer.err
        assert holder.findings.all() == before
    assert f"The report is in {page}." in answer.err
    html = page.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert "letters.lexicon.odds_ratio" in html
    for outside in ("http://", "https://", "src=", "@import", "<script"):
        assert outside not in html


def test_options_that_a_study_would_leave_aside_are_refused(measured_file: Path, tmp_path: Path) -> None:
    other = Path(shutil.copy(measured_file, tmp_path / "other.biasprint"))
    refused("measure", "letters", measured_file, "--axis", "gender", code=2, says="is not measured by axis")
    refused("measure", "letters", measured_file, "--scorer", "lexicon=textblob", code=2, says="no scorer to choose")
    refused("measure", "creativity", measured_file, "--scorer", "toxicity=x", code=2, says="Roles: embedding")
    refused("measure", "creativity", measured_file, "--scorer", "embedding=textblob", code=2, says="minilm")
    refused("measure", "creativity", measured_file, "--scorer", "minilm", code=2, says="--scorer embedding=minilm")
    refused("measure", "creativity", measured_file, "--axis", "age", code=2, says="Axes: gender, orientation, race")
    refused("measure", "letters", measured_file, "--format", "wan", code=2, says="A project has its own columns")
    refused("measure", "letters", measured_file, "--map", "text=x", code=2, says="reads no “text” from another column")
    refused("measure", "letters", measured_file, "--map", "group=x", code=2, says="No prompt has a column “x”")
    refused("measure", "letters", measured_file, other, code=2, says="One project, or tables")
