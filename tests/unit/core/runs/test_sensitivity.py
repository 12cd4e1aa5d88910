"""How far a “Yes” holds: measured again without a wording, a kind of text, by another scorer, by another model."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fingerprint_project import plan_of, project_with_texts, rated
from inline_compute import Inline

from biasprint.core.findings import Finding, ScorerUse, Tried, tried, tried_sentence
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec, SourceSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.report.audit import audit_report
from biasprint.core.report.evidence import holds_under
from biasprint.core.report.questions import answered
from biasprint.core.runs.measure import MeasuredStudy, asked_again, measure_project, measure_tables
from biasprint.core.runs.measure.sensitivity import choices_of
from biasprint.core.runs.reporting import audited
from biasprint.core.runs.setup import added_study
from biasprint.core.scorers.registry import scorer_for
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.registry import studies
from biasprint.core.texts.generators import generators_of
from biasprint.core.texts.values import complete_values

INLINE: Any = Inline()
BLOCKS = 8


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def write(project: Project, longer: Mapping[str, int]) -> None:
    """Texts of two groups. `longer`: by template, how many words longer those of group b are."""
    study = added_study(project, "compare")
    rng = np.random.default_rng(4)
    prompts, texts = [], []
    for template, words in longer.items():
        for block in range(BLOCKS):
            for group in "ab":
                fields = {"group": group, "template": template}
                prompts.append(PromptSpec(key=f"{template}/{block}/{group}", text=f"Write {block}.", fields=fields))
                size = 30 + int(rng.integers(0, 6)) + (words if group == "b" else 0)
                texts.append(" ".join(f"word{number}" for number in rng.integers(0, 999, size)))
    made = PromptSetSpec(name="all", recipe={}, prompts=tuple(prompts))
    sets = project.prompts.add_set(study, made).number("prompt_set")
    writer = project.runs.add_generator(GeneratorSpec(backend="b", model="m")).number("generator")
    run = project.runs.start(RunSpec(study_id=study, prompt_set_id=sets, generator_id=writer, seed=1)).number("run")
    by_key = {row.key: row.id for row in project.prompts.page(sets, 0, 5000)}
    project.outputs.record_many(
        [
            OutputSpec(run_id=run, prompt_id=by_key[prompt.key], sample=0, seed=0, text=text, finish_reason="stop")
            for prompt, text in zip(prompts, texts, strict=True)
        ]
    )


def measured(project: Project, *, sensitivity: bool = True, **options: Any) -> MeasuredStudy:
    asked = MeasureOptions(seed=1, sensitivity=sensitivity, scorers={"score": "length"}, **options)
    return measure_project(JobContext(), project, "compare", asked, INLINE)


def answer(result: MeasuredStudy, question: str = "Do texts of one group score higher") -> str:
    answers = {each.question: each.answer for each in answered(result.result.study, result.result.findings)}
    (said,) = [said for asked, said in answers.items() if asked.startswith(question)]
    return said


def test_a_yes_that_one_wording_makes_says_so_wherever_it_is_read(project: Project) -> None:
    write(project, {"asked": 25, "told": 0, "begged": 0})
    found = measured(project)
    ending = "It holds under 2 of 3 choices; not without the template “asked”."
    assert answer(found).startswith("Yes: ")
    assert answer(found).endswith(ending)
    report = audited(project, "compare")  # from what is stored
    assert any(each.answer.endswith(ending) for each in report.questions)
    words = " ".join(
        run.text for block in audit_report(report).pages[0].blocks for run in getattr(block, "runs", ())
    )  # of the first page
    assert ending in words


def test_a_robust_yes_holds_under_all_choices(project: Project) -> None:
    write(project, {"asked": 25, "told": 25, "begged": 25})
    assert answer(measured(project)).endswith("It holds under all 3 choices.")


def test_where_nothing_can_be_varied_that_is_said(project: Project) -> None:
    write(project, {"asked": 25})
    assert answer(measured(project)).endswith("It was tried under no other choice: nothing else is stored.")


def test_nothing_is_tried_unless_it_is_asked_for_and_numbers_stay_as_they_are(project: Project) -> None:
    write(project, {"asked": 25, "told": 0, "begged": 0})
    plain, with_it = measured(project, sensitivity=False), measured(project)
    assert "choices" not in answer(plain)
    bare = [replace(finding, note="") for finding in plain.result.findings]
    assert bare == [replace(finding, note="") for finding in with_it.result.findings]
    assert not asked_again(with_it.recipe).sensitivity  # measured again, it is asked for again


def test_a_no_is_not_measured_again(project: Project) -> None:
    write(project, {"asked": 0, "told": 0})
    calls = len(INLINE.calls)
    plain = measured(project, sensitivity=False)
    between = len(INLINE.calls)
    found = measured(project)
    assert len(INLINE.calls) - between <= between - calls
    assert plain.result == found.result


def test_texts_that_are_refused_cut_or_doubled_are_left_out_in_turn(project: Project) -> None:
    write(project, {"asked": 25})
    study = added_study(project, "compare")
    rows = list(project.outputs.each(OutputFilter(study_id=study)))
    long = max((row for row in rows if row.fields["group"] == "b"), key=lambda row: len(row.text))
    fields = {"group": "b"}
    refusal = "I'm sorry, but I cannot help with that request."
    more = [(refusal, "stop"), (long.text, "stop"), (long.text, "stop"), ("cut " * 50, "length")]
    made = PromptSetSpec(
        name="imported", recipe={"imported": "x"},
        prompts=tuple(PromptSpec(key=f"more/{at}", text="", fields=fields) for at in range(len(more))),
    )  # fmt: skip
    sets = project.prompts.add_set(study, made).number("prompt_set")
    run = project.runs.start(RunSpec(study_id=study, prompt_set_id=sets, generator_id=1, seed=1)).number("run")
    project.outputs.record_many(
        [
            OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, text=text, finish_reason=reason)
            for row, (text, reason) in zip(project.prompts.page(sets, 0, 9), more, strict=True)
        ]
    )
    assert tried_of(measured(project)).holds == ("without refusals", "without exact duplicates")


def tried_of(found: MeasuredStudy, finding_id: str = "compare.difference") -> Tried:
    said = [said for each in found.result.findings if each.id == finding_id and (said := tried(each)) is not None]
    assert len(said) == 1
    return said[0]


def test_another_scorer_of_the_role_is_a_choice_where_its_scores_of_all_texts_are_stored(project: Project) -> None:
    write(project, {"asked": 0})
    study, options = added_study(project, "compare"), MeasureOptions(sensitivity=True)
    (shown_by,) = shown("")
    shown_by = replace(shown_by, scorers=(ScorerUse("embedding", "minilm", "1"),))
    assert not list(choices_of(project, studies()["compare"], study, options, [shown_by]))
    cut = scorer_for("embedding", "minilm_cut", "minilm_cut")
    complete_values(JobContext(), project, study, cut, INLINE, [])
    (choice,) = choices_of(project, studies()["compare"], study, options, [shown_by])
    assert choice.name == "with the scorer “minilm_cut”"
    assert choice.options == replace(options, scorers={"embedding": "minilm_cut"})
    assert choice.concerns(shown_by)
    assert not choice.concerns(replace(shown_by, scorers=()))


def preferring(identity: str, task: str, rater: int) -> Callable[[int, ComparisonRow], int]:
    def choose(number: int, row: ComparisonRow) -> int:
        identities = [item.identity for item in row.items]
        turn = sorted(identities)[(number // 2 + rater) % 2]
        return identities.index(identity if row.task == task else turn)

    return choose


def test_a_preference_is_tried_by_task_as_published_and_with_a_mixed_model(tmp_path: Path) -> None:
    with project_with_texts(tmp_path / "rated.biasprint", ["orientation"]) as project:
        plan = plan_of(project, "orientation")
        for rater in range(3):
            rated(project, plan, f"r{rater}", preferring("queer", "haiku", rater))
        asked = MeasureOptions(sensitivity=True, as_stored=True)
        found = measure_project(JobContext(), project, "creativity", asked, INLINE)
    said = answer(found, "Are texts for some identities preferred?")
    assert said.startswith("Yes, by these 3 raters: ")
    assert "not without the task “haiku”" in said
    score = tried_of(found, "creativity.abs")
    assert {"without the task “song”", "with the formula as published"} <= {*score.holds}
    mixed = [finding for finding in found.result.findings if finding.id == "creativity.share.mixed"]
    shows = any(finding.p_adjusted is not None and finding.p_adjusted <= 0.05 for finding in mixed)
    assert all(finding.estimate is not None for finding in mixed)
    assert "with a mixed model" in (score.holds if shows else score.fails)


def test_tables_are_tried_as_a_project_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    lines = ["group,template,text"]
    for template, more in (("asked", 25), ("told", 0)):
        for block in range(8):
            for group in "ab":
                size = 30 + (block * 7) % 5 + (more if group == "b" else 0)
                lines.append(f"{group},{template},{template}{block}{group} {'word ' * size}")
    path = tmp_path / "letters.csv"
    path.write_text("\n".join(lines))
    asked = MeasureOptions(sensitivity=True, scorers={"score": "length"})
    found = measure_tables(JobContext(), [path], "compare", asked, INLINE)
    assert answer(found).endswith("It holds under 1 of 2 choices; not without the wording “asked”.")


# ---- Texts that are read as if they were not there


def test_a_project_without_some_texts_reads_counts_and_names_the_others(project: Project) -> None:
    write(project, {"asked": 25, "told": 0})
    study = added_study(project, "compare")
    project.sources.add_many(
        study,
        [SourceSpec(kind="letter", origin="x", row=row, text="t", fields={"model": "m"}) for row in range(3)],
    )
    gone = project.outputs.ids()[:20]
    view = project.without([*(("output", key) for key in gone), ("source", 2)])
    where = OutputFilter(study_id=study, status="done")
    assert view.outputs.ids(where) == [row.id for row in view.outputs.each(where)] == project.outputs.ids()[20:]
    assert view.outputs.count(where) == view.outputs.count() == 12
    assert [row.id for row in view.sources.page(study)] == [1, 3]
    assert view.sources.count(study) == 2
    counts = {generator.name: generator.n for generator in generators_of(view, study)}
    assert sum(counts.values()) == 12 + 2
    assert (view.outputs.whole, project.outputs.whole) == (False, True)
    assert project.outputs.count() == 32


# ---- Words


def shown(*sentences: str) -> list[Finding]:
    return [
        Finding("compare.difference", "x", "X", ("a", "b"), 1.0, "points", 9, note=f"Before. {each}".strip())
        for each in sentences
    ]


@pytest.mark.parametrize(
    ("sentences", "said"),
    [
        ([""], ""),
        ([tried_sentence([], [])], "It was tried under no other choice: nothing else is stored."),
        ([tried_sentence(["without A"], [])], "It holds under the one other choice that there is, without A."),
        ([tried_sentence(["without A", "without B"], [])], "It holds under all 2 choices."),
        ([tried_sentence(["without A. b"], ["with C; d"])], "It holds under 1 of 2 choices; not with C, d."),
        ([tried_sentence([], ["with A"])], "It does not hold with A, the one other choice that there is."),
        # One finding of the answer is enough for a yes.
        ([tried_sentence("c", "ab"), tried_sentence("a", "bc")], "It holds under 2 of 3 choices; not b."),
        # One that a choice is not about holds under it.
        ([tried_sentence([], ["a"]), tried_sentence(["b"], [])], "It holds under all 2 choices."),
        (
            [tried_sentence([], list("abcde"))],
            "It holds under none of 5 choices; not a; not b; not c; nor under 2 more.",
        ),
    ],
)
def test_the_answer_says_under_which_choices_it_holds(sentences: list[str], said: str) -> None:
    assert holds_under(shown(*sentences)) == said


def test_what_is_written_in_a_note_is_read_again() -> None:
    holds, fails = ("without the task “a. b”", "with the scorer “x”"), ("as published",)
    (finding,) = shown(tried_sentence(holds, fails))
    assert tried(finding) == Tried(holds, fails)
    assert tried(replace(finding, note="Other words.")) is None
