"""Audits done in a project: generators by the names of the file, imported texts, and findings measured again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inline_compute import Inline
from seeded_part import seeded_part

from biasprint import core
from biasprint.core.errors import UsageError
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec
from biasprint.core.runs.audit import doing
from biasprint.core.runs.audit.again import measured_again
from biasprint.core.runs.audit.doing import AuditResult, AuditRun
from biasprint.core.runs.audit.reading import checked, read_audit, saved_audit
from biasprint.core.runs.measure import measure_project
from biasprint.core.runs.setup import store_set
from biasprint.core.studies.compare import gather as compare
from biasprint.core.studies.compare.measure import measure
from biasprint.core.studies.completion.prompts import completion_set
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.planting import SETTINGS

INLINE: Any = Inline()
ASKED = {"study": "completion", "set": "few@1"}
DELTA = "completion.delta"


def asked(**parts: Any) -> dict[str, Any]:
    return {"prompts": [ASKED], "outputs": {"project": "a.biasprint"}, **parts}


def author(model: str, **more: Any) -> dict[str, Any]:
    return {"backend": "synthetic", "model": model, **more}


def done(project: Project, found: Mapping[str, Any]) -> AuditResult:
    return AuditRun(project, checked(found, "a.toml"), INLINE, INLINE)(JobContext())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    whole = completion_set(["nationality"], ["ASA"])
    with Project.create(tmp_path / "a.biasprint") as made:
        store_set(made, "completion", replace(whole, name="few", prompts=whole.prompts[::4]))
        yield made


@pytest.fixture
def by_temperature(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a model would be: generators of one model differ by their temperature, which says nothing to the author."""

    def spec(backend: str, model: str, parameters: Mapping[str, Any], *_: Any, **__: Any) -> GeneratorSpec:
        if model not in SETTINGS:
            raise UsageError(f"There is no model “{model}”.")
        return GeneratorSpec(backend=backend, model=model, parameters=dict(parameters), revision="1")

    monkeypatch.setattr(doing, "generator_spec", spec)


def test_a_gate_on_a_study_that_the_file_does_not_measure_fails_before_anything_is_written(project: Project) -> None:
    found = asked(generators=[author("large")], gates=["letters.weat[male] p_below 0.05"])
    with pytest.raises(UsageError, match="cannot hold") as raised:
        done(project, found)
    assert "measures completion" in raised.value.hint
    assert project.runs.all() == ()


@pytest.mark.soak
@pytest.mark.usefixtures("by_temperature")
def test_generators_of_one_model_are_compared_and_held_by_their_names_in_the_file(project: Project) -> None:
    """One of them is not there: that is said, and the others are measured and compared."""
    writers = [
        author("large", name=name, parameters={"temperature": heat}) for name, heat in (("cool", 0.2), ("hot", 0.9))
    ]
    gates = [
        f"{DELTA}[delta_P, generator=hot] estimate_above 0.2",
        f"{DELTA}.between_generators[delta_P, first=hot, second=cool] estimate_above 0.5",
        f"{DELTA}[delta_P, generator=away] interval_above 0.9",
    ]
    measure = [{"study": "completion", "compare": ["hot", "cool", "away"]}]
    result = done(project, asked(generators=[*writers, author("huge", name="away")], gates=gates, measure=measure))

    assert [one.generator for one in result.runs] == ["large", "large, temperature 0.9"]
    between = [
        (one.groups, one.estimate)
        for one in result.measured["completion"].result.findings
        if (one.id, one.label) == (f"{DELTA}.between_generators", "delta_P")
    ]
    assert set(between) == {(("large, temperature 0.9", "large"), 0)}
    cool, difference, away = result.gates
    assert [(one.checked, one.passed) for one in (cool, difference)] == [(len(between), False), (len(between), True)]
    assert (away.passed, away.misused) == (False, False)
    assert "“away” wrote nothing, so nothing can be told" in away.said
    assert result.undone == (
        "away wrote nothing for completion: There is no model “huge”.",
        "“away” is not among the generators of completion: it wrote nothing.",
    )
    assert result.exit_code == 2


def test_a_study_whose_prompts_were_not_made_is_one_sentence_and_the_rest_is_done(
    project: Project, tmp_path: Path
) -> None:
    alone = tmp_path / "alone.toml"
    alone.write_text(
        'key = "alone"\ntitle = "Alone"\nversion = 1\n[[identities]]\nkey = "a"\nlabel = "A"\nphrase = "a"\n', "utf-8"
    )
    wrong = {"study": "creativity", "tasks": ["haiku"], "axes": [str(alone)]}
    writers = [author("large"), author("none")]
    measure = [{"study": "creativity", "compare": ["large", "none"]}, {"study": "completion"}]
    result = done(project, asked(prompts=[wrong, ASKED], generators=writers, measure=measure))
    (sentence,) = result.undone
    assert sentence.startswith("The prompts “creativity” were not made: ")
    assert "an axis needs at least two identities" in sentence
    assert (list(result.measured), result.exit_code) == (["completion"], 1)


# ---- Texts that are there already

REPLIES = {
    "domain": "ageism", "direction": "ASA", "pronoun": ["masculine", "feminine"] * 10, "given": ["positive"] * 20,
    "positive": "kind", "negative": "rude", "neutral": "tall", "term": [f"t{place // 4}" for place in range(20)],
    "answer": (["kind"] * 3 + ["tall"] * 2) * 4,
}  # fmt: skip


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    """Replies of two models to the same items, as somebody's table has them."""
    frames = [pd.DataFrame(REPLIES).assign(llm=model) for model in ("alpha", "beta")]
    frames[1]["answer"] = "tall"
    pd.concat(frames).to_parquet(tmp_path / "replies.parquet")
    return tmp_path / "replies.parquet"


def read(table: Path, **more: Any) -> dict[str, Any]:
    columns = {"response": "answer", "model": "llm"}
    return asked(prompts=[], texts=[{"study": "completion", "table": str(table), "columns": columns}], **more)


def test_a_table_with_its_own_columns_is_audited_and_read_once(project: Project, replies: Path) -> None:
    compare = [{"study": "completion", "compare": ["alpha", "beta"]}]
    gates = ['completion.likelihood[PPL, model=alpha, generator="imported: alpha"] estimate_below 0.1']
    first = done(project, read(replies, measure=compare, gates=gates))
    again = done(project, read(replies, measure=compare, gates=gates))
    assert [one.to_json() for one in first.texts] == [
        {"study": "completion", "source": "replies.parquet", "added": 40, "rows": 40, "dropped": {}}
    ]
    assert (again.texts[0].added, again.undone, first.gates[0].passed) == (0, (), True)
    between = [one for one in first.measured["completion"].result.findings if "between" in one.id]
    assert {one.groups for one in between} == {("imported: alpha", "imported: beta")}
    assert again.measured["completion"].result == first.measured["completion"].result


@pytest.mark.soak
def test_a_saved_audit_brings_imported_texts_along_and_finds_the_same(
    project: Project, replies: Path, tmp_path: Path
) -> None:
    found = read(replies, generators=[author("small")]) | {"prompts": [ASKED]}
    first = done(project, found)
    (tmp_path / "again.toml").write_text(saved_audit(JobContext(), project, tmp_path / "again.toml"), encoding="utf-8")
    project.close()
    audit, _ = read_audit(tmp_path / "again.toml")
    with Project.create(audit.outputs.project) as other:
        again = AuditRun(other, audit, INLINE, INLINE)(JobContext())
        twice = AuditRun(other, audit, INLINE, INLINE)(JobContext())
    assert (again.undone, again.texts[0].added, twice.texts[0].added) == ((), 40, 0)
    assert told(again.measured["completion"].result.findings) == told(first.measured["completion"].result.findings)


def test_what_is_asked_of_another_studys_texts_is_done_and_saved(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "_embedder", lambda options: [])
    monkeypatch.setitem(measure.__kwdefaults__, "resamples", 100)
    few = completion_set(["nationality"], ["ASA"])
    store_set(project, "completion", replace(few, name="fewer", prompts=few.prompts[::60]))
    words = tmp_path / "kind words.txt"
    words.write_text("kind\nfriendly\n", encoding="utf-8")
    how = {
        "study": "compare", "texts_of": "completion", "columns": {"group": "pronoun"},
        "scorers": {"score": f"length,words:{words}"}, "generators": ["large"],
    }  # fmt: skip
    result = done(
        project,
        asked(
            prompts=[{**ASKED, "set": "fewer@1"}], generators=[author("large")], measure=[how], scorers=["textblob"],
            gates=["compare.mean[length] estimate_above 999"],
        ),
    )  # fmt: skip
    assert (result.undone, result.exit_code) == ((), 0)
    assert list(result.measured) == ["completion", "compare"]
    saved = saved_audit(JobContext(), project, tmp_path / "saved.toml")
    (tmp_path / "saved.toml").write_text(saved, encoding="utf-8")
    audit, _ = read_audit(tmp_path / "saved.toml")
    assert audit.scorers == ["textblob"]  # by which texts were scored and nothing was measured
    with Project.create(tmp_path / "again.biasprint") as other:
        again = AuditRun(other, audit, INLINE, INLINE)(JobContext())
    assert again.undone == ()
    assert told(again.measured["compare"].result.findings) == told(result.measured["compare"].result.findings)
    assert any("kind words" in one.label for one in again.measured["compare"].result.findings)


def told(findings: Sequence[Finding]) -> list[str]:
    return sorted(str(one.to_json()) for one in findings)


# ---- Findings measured again by their recipe


@pytest.fixture
def three(project: Project, replies: Path) -> Project:
    """Two models of a table, and one whose texts came later."""
    done(project, read(replies))
    later = pd.read_parquet(replies).query("llm == 'beta'").assign(llm="gamma")
    later.to_csv(replies.with_name("later.csv"), index=False)
    done(project, read(replies.with_name("later.csv")))
    return project


@pytest.mark.parametrize(
    "options",
    seeded_part(
        [
            {},
            {"pool": True},
            {"generators": ("beta",)},
            {"generators": ("alpha", "gamma"), "compare": ("gamma", "alpha")},
        ],
        2,
    ),
    ids=["each", "pooled", "narrowed", "compared"],
)
def test_findings_are_the_same_numbers_when_measured_again_by_their_recipe(
    three: Project, options: dict[str, Any]
) -> None:
    measure_project(JobContext(), three, "completion", MeasureOptions(seed=9, adjust="bh", **options), INLINE)
    stored = three.findings.all("completion")
    again = measured_again(JobContext(), read_only(three), "completion", INLINE)
    assert (again.same, len(again.findings), again.reasons) == (len(stored), len(stored), ())


def read_only(project: Project) -> Project:
    project.close()
    return Project.open(project.path, read_only=True)


def test_what_differs_when_measured_again_is_said_with_the_reason(project: Project, replies: Path) -> None:
    few = pd.read_parquet(replies).query("llm == 'alpha'")
    few[:12].to_csv(replies.with_name("few.csv"), index=False)
    done(project, read(replies.with_name("few.csv")))
    rows = project.findings.all("completion")
    findings = [Finding.from_json(row.body) for row in rows]
    changed = replace(findings[0], estimate=0.125)
    done(project, read(replies))
    recipe = rows[0].recipe | {"program_version": "0.1"}
    project.findings.replace("completion", "whole study", recipe, [changed, *findings[2:]])
    again = measured_again(JobContext(), read_only(project), "completion", INLINE)
    said = [one.said for one in again.differing]
    assert any("estimate 0.125 then" in one for one in said)
    assert any(one.endswith("not there then") for one in said)
    assert again.reasons[:2] == (
        "imported: alpha had 12 texts then and has 32 now.",
        f"It was measured with version 0.1 of the program; this is {core.__version__}.",
    )
