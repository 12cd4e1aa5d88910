"""What the store promises to those who use it."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from sqlalchemy.dialects import sqlite

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem
from biasprint.core.project.specs import (
    AxisSpec,
    ComparisonSpec,
    GeneratorSpec,
    JudgmentSpec,
    OutputSpec,
    PlanSpec,
    PromptSetSpec,
    PromptSpec,
    RaterSpec,
    RunSpec,
    ScoreSpec,
    SourceSpec,
)
from biasprint.core.project.stores.common import json_object
from biasprint.core.project.stores.findings import Kind
from biasprint.core.project.stores.judging import Remark
from biasprint.core.text import restore_text, sha256_text, store_text

NO_TEXTS = "0" * 64


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def prompt_set(project: Project, prompts: int = 3, name: str = "set") -> tuple[int, int]:
    study = project.studies.add("creativity", "A study").number("study")
    drafts = tuple(PromptSpec(key=f"key/{number}", text=f"Write {number}") for number in range(prompts))
    spec = PromptSetSpec(name=name, recipe={"made": "by hand"}, prompts=drafts)
    return study, project.prompts.add_set(study, spec).number("prompt_set")


def test_the_hash_of_a_set_is_that_of_its_canonical_json(project: Project) -> None:
    fields = {"b": 'x"\\y', "a": 'é\ud800,"identity":'}
    drafts = tuple(PromptSpec(key=f'k"{text}', text=text, axis="é", fields=fields) for text in ("a\nb", "\x00😀"))
    spec = PromptSetSpec(name="odd", recipe={"z": 1, "a": [1, 2.5, None]}, prompts=drafts)
    whole = json.dumps([spec.recipe, [vars(item) for item in drafts]], sort_keys=True, separators=(",", ":"))
    study = project.studies.add("creativity", "A study").number("study")
    set_id = project.prompts.add_set(study, spec).number("prompt_set")
    (stored,) = project.prompts.sets()
    assert stored.sha256 == hashlib.sha256(whole.encode("ascii")).hexdigest()
    assert [row.fields for row in project.prompts.page(set_id)] == [fields, fields]
    with pytest.raises(ValueError, match="1 to 200 characters"):
        PromptSpec(key="k" * 201, text="")


def run(project: Project, prompts: int = 3, samples: int = 1) -> int:
    study, prompt_set_id = prompt_set(project, prompts)
    generator = project.runs.add_generator(GeneratorSpec(backend="written", model="by hand")).number("generator")
    spec = RunSpec(study_id=study, prompt_set_id=prompt_set_id, generator_id=generator, seed=7, samples=samples)
    return project.runs.start(spec).number("run")


def fill(project: Project, run_id: int) -> list[int]:
    specs = [
        OutputSpec(run_id=run_id, prompt_id=item.prompt.id, sample=item.sample, seed=1, text=f"text {item.prompt.key}")
        for item in project.runs.pending(run_id)
    ]
    return sorted(int(key) for key in project.outputs.record_many(specs).of("output"))


def session(project: Project) -> tuple[str, str, list[str]]:
    outputs = fill(project, run(project, prompts=4))
    study = project.studies.all()[0].id
    items = (ComparisonItem(outputs[0], "black"), ComparisonItem(outputs[1], "white"))
    comparisons = [
        ComparisonSpec(position=n, axis="race", task="haiku", theme="stars", items=items, texts_sha256=NO_TEXTS)
        for n in range(3)
    ]
    plan = project.judging.add_plan(PlanSpec(study_id=study, title="Plan", axis="race", seed=1), comparisons)
    rater = project.judging.add_rater(RaterSpec(code="R1")).uuid("rater")
    opened = project.judging.open_session(plan.uuid("plan"), rater, "I agree")
    ids = [row.id for row in project.judging.comparisons(plan.uuid("plan"))]
    return opened.uuid("session"), rater, ids


def choice(session_id: str, comparison_id: str, chosen: int = 0, supersedes: str | None = None) -> JudgmentSpec:
    return JudgmentSpec(
        session_id=session_id,
        comparison_id=comparison_id,
        outcome="choice",
        chosen=chosen,
        shown=(1, 0),
        texts_sha256=NO_TEXTS,
        active_seconds=2.5,
        supersedes=supersedes,
    )


@given(st.text(st.characters(codec=None, categories=None)))  # lone surrogates and all
def test_text_comes_back_exactly_and_is_valid_utf8_in_the_file(text: str) -> None:
    stored = store_text(text)
    stored.text.encode("utf-8")
    assert restore_text(stored.text, stored.escaped) == text
    assert stored.text_sha256 == sha256_text(text)


def test_same_prompt_set_is_one_version_and_another_content_the_next(project: Project) -> None:
    study, first = prompt_set(project)
    same = project.prompts.sets(study)[0]
    again = PromptSetSpec(
        name="set",
        recipe={"made": "by hand"},
        prompts=tuple(PromptSpec(key=f"key/{n}", text=f"Write {n}") for n in range(3)),
    )
    assert project.prompts.add_set(study, again).number("prompt_set") == first
    changed = again.model_copy(update={"prompts": again.prompts[:2]})
    second = project.prompts.add_set(study, changed).number("prompt_set")
    assert [row.version for row in project.prompts.sets(study)] == [1, 2]
    assert project.prompts.sets(study)[0] == same
    assert [row.key for row in project.prompts.page(second)] == ["key/0", "key/1"]


def test_editing_an_axis_makes_a_version_and_keeps_the_old_one(project: Project) -> None:
    first = AxisSpec(key="race", title="Race", definition={"identities": ["a"]})
    project.axes.add(first)
    project.axes.add(first)
    project.axes.add(AxisSpec(key="race", title="Race", definition={"identities": ["a", "b"]}))
    assert [(axis.version, axis.definition["identities"]) for axis in project.axes.all()] == [
        (1, ["a"]),
        (2, ["a", "b"]),
    ]


def test_a_prompt_key_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValidationError, match="'k' stands twice"):
        PromptSetSpec(name="s", recipe={}, prompts=(PromptSpec(key="k", text="a"), PromptSpec(key="k", text="b")))


def test_pending_is_exactly_what_has_no_output(project: Project) -> None:
    run_id = run(project, prompts=3, samples=2)
    first = project.runs.pending(run_id)
    assert [(item.prompt.key, item.sample) for item in first] == [
        ("key/0", 0), ("key/0", 1), ("key/1", 0), ("key/1", 1), ("key/2", 0), ("key/2", 1),
    ]  # fmt: skip
    project.outputs.record(
        OutputSpec(run_id=run_id, prompt_id=first[1].prompt.id, sample=1, seed=1, text="one")
    ).result()
    rest = project.runs.pending(run_id)
    assert [(item.prompt.key, item.sample) for item in rest] == [
        ("key/0", 0), ("key/1", 0), ("key/1", 1), ("key/2", 0), ("key/2", 1),
    ]  # fmt: skip
    after = (rest[1].prompt.id, rest[1].sample)
    assert project.runs.pending(run_id, after, limit=2) == rest[2:4]
    counts = project.runs.counts(run_id)
    assert (counts.wanted, counts.done, counts.failed, counts.missing) == (6, 1, 0, 5)


def test_an_output_that_is_there_stays_when_it_is_written_again(project: Project) -> None:
    run_id = run(project)
    item = project.runs.pending(run_id)[0]
    spec = OutputSpec(run_id=run_id, prompt_id=item.prompt.id, sample=0, seed=1, text="first")
    assert len(project.outputs.record_many([spec]).of("output")) == 1
    assert project.outputs.record_many([spec.model_copy(update={"text": "second"})]).of("output") == frozenset()
    assert [row.text for row in project.outputs.each()] == ["first"]


def test_failures_are_data_and_can_be_asked_for_again(project: Project) -> None:
    run_id = run(project)
    item = project.runs.pending(run_id)[0]
    failed = OutputSpec(
        run_id=run_id, prompt_id=item.prompt.id, sample=0, seed=1, status="error", text="", error="timed out"
    )
    project.outputs.record_many([failed])
    assert project.runs.counts(run_id).failed == 1
    project.outputs.forget_failures(run_id)
    assert item in project.runs.pending(run_id)


def test_starting_a_run_again_resumes_it_and_more_samples_widen_it(project: Project) -> None:
    run_id = run(project, samples=1)
    row = project.runs.get(run_id)
    spec = RunSpec(
        study_id=row.study_id, prompt_set_id=row.prompt_set_id, generator_id=row.generator_id, seed=7, samples=3
    )
    assert project.runs.start(spec).number("run") == run_id
    assert project.runs.counts(run_id).wanted == 9


def test_importing_the_same_rows_again_adds_nothing(project: Project) -> None:
    study = project.studies.add("letters", "Letters").number("study")
    rows = [SourceSpec(kind="letter", origin="a.csv", row=n, text=f"letter {n}", fields={"group": "f"}) for n in (1, 2)]
    assert len(project.sources.add_many(study, rows).of("source")) == 2
    assert len(project.sources.add_many(study, rows).of("source")) == 0
    assert [row.text for row in project.sources.page(study)] == ["letter 1", "letter 2"]


def test_scores_come_back_as_they_went_in_and_are_asked_for_once(project: Project) -> None:
    run_id = run(project)
    ids = fill(project, run_id)
    study = project.studies.all()[0].id
    assert [row.output_id for row in project.scores.unscored("output", "s", "1", study_id=study)] == ids
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    spec = ScoreSpec(output_id=ids[0], scorer="s", version="1", values=values, summary=0.5)
    project.scores.record_many([spec])
    project.scores.record_many([spec.model_copy(update={"scorer": "e"})], embeddings=True)
    (row,) = project.scores.page("output", "s", "1")
    assert (row.output_id, row.summary, row.values.tolist()) == (ids[0], 0.5, values.tolist())
    (vector,) = project.scores.embeddings("output", "e", "1")
    assert vector.values.tolist() == values.ravel().tolist()
    assert [row.output_id for row in project.scores.unscored("output", "s", "1", study_id=study)] == ids[1:]
    assert [row.output_id for row in project.scores.unscored("output", "s", "2", study_id=study)] == ids
    assert [r.output_id for r in project.scores.unscored("output", "e", "1", study_id=study, embeddings=True)] == ids[
        1:
    ]


@pytest.mark.parametrize("kind", ["output", "source"])
def test_the_next_texts_to_score_are_found_without_gathering_all_of_them(
    project: Project, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    fill(project, run(project))
    study = project.studies.all()[0].id
    asked: list[sa.Select[Any]] = []
    reader = project.scores._reader
    monkeypatch.setattr(reader, "rows", lambda statement, *_: asked.append(statement) or iter(()))
    project.scores.unscored(kind, "s", "1", study_id=study, limit=8)
    sql = asked[0].compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    plan = reader.run(lambda connection: connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}").all())
    assert [row.detail for row in plan if "ORDER BY" in row.detail] == [], "a sort reads every text of the study first"


def test_revising_supersedes_and_loses_nothing(project: Project) -> None:
    session_id, _, ids = session(project)
    first = project.judging.record(choice(session_id, ids[0])).uuid("judgment")
    second = project.judging.record(choice(session_id, ids[0], chosen=1, supersedes=first)).uuid("judgment")
    project.judging.record(choice(session_id, ids[1]))
    now = project.judging.judgments(session_id)
    assert [(row.comparison_id, row.chosen) for row in now] == [(ids[0], 1), (ids[1], 0)]
    everything = project.judging.judgments(session_id, superseded=True)
    assert [row.id for row in everything][:2] == [first, second]
    assert [row.sequence for row in everything] == sorted(row.sequence for row in everything)


def test_a_judgment_is_superseded_once(project: Project) -> None:
    session_id, _, ids = session(project)
    first = project.judging.record(choice(session_id, ids[0])).uuid("judgment")
    project.judging.record(choice(session_id, ids[0], chosen=1, supersedes=first))
    with pytest.raises(AppError, match="took this one's place already"):
        project.judging.record(choice(session_id, ids[0], supersedes=first))
    assert len(project.judging.judgments(session_id)) == 1


def test_the_reveal_locks_the_session(project: Project) -> None:
    session_id, _, ids = session(project)
    project.judging.record(choice(session_id, ids[0]))
    project.judging.reveal(session_id)
    with pytest.raises(AppError, match="revealed"):
        project.judging.record(choice(session_id, ids[1]))
    assert len(project.judging.judgments(session_id)) == 1


def test_a_draft_is_replaced_as_it_grows_and_goes_with_the_judgment(project: Project) -> None:
    session_id, _, ids = session(project)
    for note in ("a", "a fi", "a fine line"):
        project.judging.save_draft(session_id, ids[0], Remark(note))
    assert project.judging.drafts(session_id) == {ids[0]: Remark("a fine line")}
    project.judging.record(choice(session_id, ids[0]).model_copy(update={"note": "a fine line"}))
    assert project.judging.drafts(session_id) == {}
    assert project.judging.judgments(session_id)[0].note == "a fine line"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"chosen": None}, "only a choice"),
        ({"outcome": "tie"}, "only a choice"),
        ({"shown": (0, 0)}, "each item once"),
        ({"chosen": 2}, "was not shown"),
        ({"active_seconds": -1.0}, "greater than or equal"),
        ({"active_seconds": float("nan")}, "finite|greater"),
        ({"detail": {"viewed": [{"seconds": 1.0, "end": True}]}}, "one entry for each text"),
        ({"detail": {"viewed": [{"seconds": float("nan"), "end": True}] * 2}}, "0 or more"),
        ({"detail": {"viewed": [{"seconds": -1, "end": True}] * 2}}, "0 or more"),
        ({"detail": {"viewed": [{"seconds": 10**400, "end": True}] * 2}}, "0 or more"),
        ({"detail": {"viewed": [{"seconds": True, "end": True}] * 2}}, "0 or more"),
        ({"detail": {"viewed": [{"seconds": 1, "end": 1}] * 2}}, "seconds and an end"),
        ({"detail": {"viewed": "all of it"}}, "one entry for each text"),
    ],
)
def test_a_judgment_that_makes_no_sense_is_refused(change: dict[str, object], why: str) -> None:
    good = choice("s", "c").model_dump()
    with pytest.raises(ValidationError, match=why):
        JudgmentSpec(**(good | change))


def test_measuring_again_replaces_what_was_found(project: Project) -> None:
    one = Finding(id="creativity.abs", label="race", title="Race", groups=("a", "b"), estimate=0.1, unit="share", n=3)
    other = Finding(
        id="creativity.abs", label="race", title="Race", groups=("a",), estimate=None, unit="share", n=0, reason="none"
    )
    project.findings.replace("creativity", "all", {"seed": 1}, [one])
    project.findings.replace("creativity", "all", {"seed": 2}, [other])
    (row,) = project.findings.all("creativity")
    assert Finding.from_json(row.body) == other
    assert row.recipe == {"seed": 2}


def test_listeners_hear_of_a_commit_once_it_is_readable(project: Project) -> None:
    heard: list[tuple[Changes, int]] = []
    stop = project.subscribe(lambda changes: heard.append((changes, len(project.studies.all()))))
    changes = project.studies.add("news", "Heard")
    stop()
    project.studies.add("news", "Not heard")
    assert heard == [(changes, 1)]


def test_outputs_are_paged_filtered_and_counted(project: Project) -> None:
    from biasprint.core.project.stores.runs import OutputFilter

    ids = fill(project, run(project, prompts=5))
    assert project.outputs.ids() == ids
    assert [row.id for row in project.outputs.page(after_id=ids[1], limit=2)] == ids[2:4]
    assert project.outputs.ids(OutputFilter(contains="KEY/3")) == [ids[3]]
    assert project.outputs.ids(OutputFilter(contains="%")) == []
    assert project.outputs.count(OutputFilter(status="error")) == 0
    assert project.outputs.texts(ids[:2]) == {ids[0]: "text key/0", ids[1]: "text key/1"}


def test_an_empty_object_is_read_as_a_new_one_each_time():
    one, other = json_object("{}"), json_object("{}")
    one["changed"] = 1
    assert other == {}
    assert json_object('{"a": [1]}') == {"a": [1]}
