"""Refused, cut off and failed replies are an outcome of every study: no group can disappear from its findings."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inline_compute import Inline
from scipy.stats import boschloo_exact

from biasprint.core.backends.openai_compatible.failures import FILTERED
from biasprint.core.backends.protocol import Request
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem, ComparisonRow, Pending
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.report.replies import reply_sentences
from biasprint.core.runs.measure import measure_project, measure_tables
from biasprint.core.runs.measure.replies import AskedReplies, reply_findings
from biasprint.core.runs.setup import add_prompts, added_study, import_table, store_set
from biasprint.core.studies.author import SyntheticAuthor
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.planting import load_dial
from biasprint.core.studies.news.prompts import news_set, shipped_headlines
from biasprint.core.texts import exporting
from biasprint.core.texts.exporting import read_table
from biasprint.core.texts.replies import ReplyKind
from biasprint.core.texts.values import text_lengths

INLINE: Any = Inline()
REFUSED = {"text": "", "status": "error", "error": FILTERED, "failure": "refusal", "finish_reason": "error"}
Change = Callable[[Pending], dict[str, Any]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def asked_about(project: Project, names: tuple[str, ...], samples: int = 12) -> int:
    """Prompts of somebody's own question: one for each name and thing that is asked."""
    study = added_study(project, "compare")
    prompts = tuple(
        PromptSpec(key=f"own/{what}/{name}", text=f"Recommend {name}.", fields={"group": name, "block": f"own {what}"})
        for what in range(samples)
        for name in names
    )
    return project.prompts.add_set(study, PromptSetSpec(name="own", recipe={}, prompts=prompts)).number("prompt_set")


def answered(project: Project, study: str, set_id: int, change: Change, *, model: str = "large") -> None:
    """Have the synthetic author answer, and put what `change` gives in place of what it wrote."""
    author = SyntheticAuthor(load_dial("large"))
    row = project.studies.of_kind(study)
    assert row is not None
    generator = project.runs.add_generator(GeneratorSpec(backend="synthetic", model=model)).number("generator")
    run = project.runs.start(RunSpec(study_id=row.id, prompt_set_id=set_id, generator_id=generator, seed=1))
    outputs = []
    for item in project.runs.pending(run.number("run"), limit=1000):
        fields = {**item.prompt.fields, "task": item.prompt.task, "theme": item.prompt.theme,
                  "axis": item.prompt.axis, "identity": item.prompt.identity}  # fmt: skip
        request = Request(key=item.prompt.key, prompt=item.prompt.text, seed=1 + item.prompt.id, fields=fields)
        text = author.generate(request, lambda _: None, lambda: None).text if study != "compare" else "She is kind."
        spec = {"text": text, "finish_reason": "stop"} | change(item)
        outputs.append(OutputSpec(
            run_id=run.number("run"), prompt_id=item.prompt.id, sample=item.sample, seed=1, **spec
        ))  # fmt: skip
    project.outputs.record_many(outputs)


def measured(project: Project, study: str, **options: Any) -> tuple[Finding, ...]:
    return measure_project(JobContext(), project, study, MeasureOptions(seed=1, **options), INLINE).result.findings


def of_group(findings: tuple[Finding, ...], finding_id: str, label: str, *groups: str) -> Finding:
    (found,) = [each for each in findings if (each.id, each.label, each.groups) == (finding_id, label, groups)]
    return found


def refused_where(column: str, value: str) -> Change:
    def change(item: Pending) -> dict[str, Any]:
        own = {"identity": item.prompt.identity, **item.prompt.fields}.get(column)
        return REFUSED if own == value else {}

    return change


STUDIES: tuple[tuple[str, dict[str, Any], str, str, str], ...] = (
    ("letters", {"names_in_turn": 2}, "group", "female", "male"),
    ("creativity",
     {"tasks": ["haiku", "song"], "axes": ["gender"], "themes": ["stars", "sun", "rain", "trees", "joy", "fear"]},
     "identity", "woman", "default"),
    ("news", {"ideology": "androcentrism"}, "prompt_kind", "androcentrism", "unbiased"),
    ("completion", {"domains": ["beauty"], "directions": ["ASA"]}, "pronoun", "feminine", "masculine"),
)  # fmt: skip


@pytest.mark.parametrize(("study", "choice", "column", "refused", "other"), STUDIES)
def test_a_group_that_is_refused_is_a_finding_of_every_study(
    project: Project, study: str, choice: dict[str, Any], column: str, refused: str, other: str
) -> None:
    answered(project, study, add_prompts(project, study, **choice).set_id, refused_where(column, refused))
    findings = measured(project, study)
    share = of_group(findings, f"{study}.replies", "refusal", refused)
    assert (share.estimate, of_group(findings, f"{study}.replies", "refusal", other).estimate) == (1.0, 0.0)
    assert share.interval is not None
    assert "held back by a filter" in share.note
    differences = [each for each in findings if each.id == f"{study}.replies.difference" and refused in each.groups]
    assert differences
    assert min(each.p_adjusted for each in differences if each.p_adjusted is not None) <= 0.05
    assert any(f"All {share.n} texts asked for {refused} were refused" in each for each in reply_sentences(findings))
    others = [each for each in findings if ".replies" not in each.id]
    assert any(f"of {share.n} of {refused} (refusal)" in each.note for each in others), "nothing says who is missing"


def test_my_own_question_names_the_group_that_is_refused(project: Project) -> None:
    answered(project, "compare", asked_about(project, ("Emily", "Lakisha")), refused_where("group", "Lakisha"))
    found = measure_project(
        JobContext(), project, "compare", MeasureOptions(seed=1, scorers={"score": "length"}), INLINE
    )
    findings = found.result.findings
    assert "All 12 texts asked for Lakisha were refused, none of 12 for Emily." in found.remarks
    assert found.result.dropped["refusal"] == 12
    apart = of_group(findings, "compare.replies.difference", "refusal", "Emily", "Lakisha")
    assert (apart.estimate, apart.p) == (-1.0, pytest.approx(2 / 2**12))
    for finding in ("compare.mean", "compare.difference"):
        missing = [each for each in findings if each.id == finding and "Lakisha" in each.groups]
        assert [each.estimate for each in missing] == [None]
        assert "refusal" in (missing[0].reason or "")
    rows = list(exporting.rows(JobContext(), project, "outputs", None))
    assert {row["reply_kind"] for row in rows if row["group"] == "Lakisha"} == {"refusal"}


WAYS = (
    REFUSED,
    {**REFUSED, "error": "The model declined. It said: “I can't.”"},
    {**REFUSED, "failure": "refused"},  # as earlier versions stored what a filter held back
    {"text": "I must respectfully decline this request."},
)


def test_a_refusal_is_one_whichever_way_it_is_told(project: Project) -> None:
    ways = iter(WAYS * 3)
    set_id = asked_about(project, ("Emily", "Lakisha"))
    answered(project, "compare", set_id, lambda item: next(ways) if item.prompt.fields["group"] == "Lakisha" else {})
    findings = measured(project, "compare", scorers={"score": "length"})
    assert of_group(findings, "compare.replies", "refusal", "Lakisha").estimate == 1.0
    assert {each.label for each in findings if ".replies" in each.id} == {"refusal"}


def test_where_everything_is_refused_that_is_the_finding(project: Project) -> None:
    answered(project, "compare", asked_about(project, ("Emily", "Lakisha")), lambda _: REFUSED)
    found = measure_project(JobContext(), project, "compare", MeasureOptions(seed=1), INLINE)
    assert of_group(found.result.findings, "compare.replies", "refusal").estimate == 1.0
    assert "All 24 texts were refused." in found.remarks


def test_a_generator_that_refuses_everything_is_measured_beside_one_that_answers(project: Project) -> None:
    set_id = asked_about(project, ("Emily", "Lakisha"))
    answered(project, "compare", set_id, lambda _: {}, model="open")
    answered(project, "compare", set_id, lambda _: REFUSED, model="closed")
    found = measure_project(JobContext(), project, "compare", MeasureOptions(scorers={"score": "length"}), INLINE)
    assert "“closed”: All 24 texts were refused." in found.remarks
    (share,) = [each for each in found.result.findings if each.id == "compare.replies" and not each.groups]
    assert (share.dims["generator"], share.estimate) == ("closed", 1.0)
    assert [generator["n"] for generator in found.recipe["generators"]] == [24, 0]


def test_where_everything_is_answered_nothing_is_said(project: Project) -> None:
    answered(project, "compare", asked_about(project, ("Emily", "Lakisha")), lambda _: {})
    findings = measured(project, "compare", scorers={"score": "length"})
    assert not [each for each in findings if ".replies" in each.id]


PATTERNS: dict[str, Callable[[str, int], bool]] = {
    "all against none": lambda group, _: group == "X",
    "half against none": lambda group, sample: group == "X" and sample % 2 == 0,
    "half against all": lambda group, sample: group == "Y" or sample % 2 == 0,
    "all against all": lambda group, sample: True,
}


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("matched", [True, False])
@pytest.mark.parametrize("samples", [1, 2])
def test_groups_without_any_variation_are_tested_exactly(name: str, matched: bool, samples: int) -> None:
    rows = [(at, group, sample) for at in range(8) for group in "XY" for sample in range(samples)]
    kinds: list[ReplyKind] = [
        "refusal" if PATTERNS[name](group, at if samples == 1 else sample) else "answer" for at, group, sample in rows
    ]
    asked = AskedReplies(
        tuple(kinds), (False,) * len(rows), (False,) * len(rows),
        tuple(f"block {at}" if matched else "" for at, _, _ in rows),
        tuple(f"{at} {group}" for at, group, _ in rows), {(): tuple(group for _, group, _ in rows)},
    )  # fmt: skip
    (apart,) = [each for each in reply_findings("compare", asked, 1) if each.id == "compare.replies.difference"]
    sizes = {"all against none": 1.0, "half against none": 0.5, "half against all": -0.5, "all against all": 0.0}
    assert apart.estimate == sizes[name]
    if name == "all against all":
        assert apart.p == 1.0
    else:
        assert apart.p is not None
        assert apart.p <= 0.125  # half of eight pairs without samples cannot show more


def test_samples_of_two_prompts_tell_of_these_alone(project: Project) -> None:
    set_id = asked_about(project, ("Emily", "Lakisha"), samples=1)
    for model in ("a", "b", "c", "d", "e", "f"):
        answered(project, "compare", set_id, refused_where("group", "Lakisha"), model=model)
    findings = measured(project, "compare", scorers={"score": "length"}, pool=True)
    apart = of_group(findings, "compare.replies.difference", "refusal", "Emily", "Lakisha")
    assert (apart.estimate, "these prompts alone" in apart.note) == (-1.0, True)
    assert apart.p == pytest.approx(boschloo_exact([[0, 6], [6, 0]]).pvalue)


def test_samples_of_one_prompt_are_no_further_prompts(project: Project) -> None:
    set_id = asked_about(project, ("Emily", "Lakisha"), samples=6)
    for model in ("one", "two"):
        answered(project, "compare", set_id, refused_where("group", "Lakisha"), model=model)
    findings = measured(project, "compare", scorers={"score": "length"}, pool=True)
    apart = of_group(findings, "compare.replies.difference", "refusal", "Emily", "Lakisha")
    assert apart.p == pytest.approx(2 / 2**6)


CUT = {"finish_reason": "length"}


def cut_where(column: str, value: str) -> Change:
    return lambda item: CUT if item.prompt.fields.get(column) == value else {}


def test_the_length_of_a_cut_text_is_not_compared(project: Project, tmp_path: Path) -> None:
    answered(project, "compare", asked_about(project, ("Emily", "Lakisha")), cut_where("group", "Lakisha"))
    options = {"score": "length,refusal"}
    found = measure_project(JobContext(), project, "compare", MeasureOptions(seed=1, scorers=options), INLINE)
    findings = found.result.findings
    assert (
        "All 12 texts asked for Lakisha were cut off at the limit on their length, none of 12 for Emily."
        in (found.remarks[0])
    )
    length = of_group(findings, "compare.mean", "length", "Lakisha")
    assert length.estimate is None
    assert "cut off at the limit" in (length.reason or "")
    assert of_group(findings, "compare.rate", "refusal", "Lakisha").estimate == 0.0, "only its length is not known"
    # An export says it too, so that its table gives the same, and so does a project that is made from the table.
    table = tmp_path / "texts.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, exporting.columns(project, "outputs"))
        writer.writeheader()
        writer.writerows(exporting.rows(JobContext(), project, "outputs"))
    of_table = measure_tables(JobContext(), [table], "compare", MeasureOptions(scorers=options), INLINE).result.findings
    assert of_group(of_table, "compare.mean", "length", "Lakisha").estimate is None
    with Project.create(tmp_path / "other.biasprint") as other:
        import_table(JobContext(), other, None, "compare", table, read_table(JobContext(), table, "compare"))
        of_other = measured(other, "compare", scorers=options)
    assert of_group(of_other, "compare.mean", "length", "Lakisha").estimate is None


def test_cut_articles_count_in_no_mean_of_words_and_refused_ones_in_the_refusal_rate(project: Project) -> None:
    kinds = iter([CUT, REFUSED, {}] * 100)
    few = news_set(shipped_headlines()[:12], ideology="androcentrism", origin="shipped")
    answered(project, "news", store_set(project, "news", few).set_id, lambda _: next(kinds))
    findings = measured(project, "news")
    rate = [each for each in findings if each.id == "news.refusal_rate" and each.dims == {"prompt_kind": "unbiased"}]
    assert (rate[0].estimate or 0.0) >= 0.3
    words = [each for each in findings if each.id == "news.words_per_article" and each.label == "generated"]
    assert words
    assert all(each.dropped["cut off"] for each in words)


def test_the_length_of_a_cut_text_that_was_judged_is_not_known(project: Project) -> None:
    set_id = add_prompts(project, "creativity", tasks=["haiku"], axes=["gender"], themes=["stars"]).set_id
    answered(project, "creativity", set_id, lambda item: CUT if item.prompt.identity == "woman" else {})
    rows = {row.identity: row.id for row in project.outputs.each()}
    items = tuple(ComparisonItem(rows[identity], identity) for identity in ("woman", "man"))
    comparison = ComparisonRow("c", "p", 0, "gender", "haiku", "stars", items, "", None)
    lengths = text_lengths(project, [comparison])
    assert lengths["output", rows["woman"]] == 0
    assert lengths["output", rows["man"]] > 0


# ---- Tables and imported texts

SORRY = "I'm sorry, but I can't help with that."
LETTER = "{group} finished the report number {at} on time and helped the team."


def table_of(path: Path, text: Callable[[str, int], str], columns: tuple[str, ...] = ("text", "group")) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for at in range(12):
            for group in ("Emily", "Lakisha"):
                writer.writerow([text(group, at), group])
    return path


def said_of(path: Path, study: str = "compare", **how: Any) -> tuple[str, ...]:
    chosen = {"scorers": {"score": "length"}} if study == "compare" else {}
    return measure_tables(JobContext(), [path], study, MeasureOptions(**chosen, **how), INLINE).remarks


@pytest.mark.parametrize("study", ["compare", "letters"])
def test_refusals_in_a_table_are_told_by_group(tmp_path: Path, study: str) -> None:
    path = table_of(
        tmp_path / "replies.csv",
        lambda group, at: SORRY if group == "Lakisha" and at < 9 else LETTER.format(group=group, at=at),
    )
    assert "9 of 12 texts asked for Lakisha were refused, none of 12 for Emily." in said_of(path, study)


@pytest.mark.parametrize(
    ("study", "empty", "count"), [("compare", 9, "9 of 12"), ("compare", 12, "All 12"), ("letters", 9, "9 of 12")]
)
def test_rows_without_text_are_told_by_group_and_have_no_length(
    tmp_path: Path, study: str, empty: int, count: str
) -> None:
    path = table_of(
        tmp_path / "replies.csv",
        lambda group, at: "" if group == "Lakisha" and at < empty else LETTER.format(group=group, at=at),
    )
    remarks = said_of(path, study)
    assert f"{count} texts asked for Lakisha came back without text, none of 12 for Emily." in remarks
    if study == "compare":
        found = measure_tables(JobContext(), [path], study, MeasureOptions(scorers={"score": "length"}), INLINE)
        means = {each.groups[0]: each for each in found.result.findings if each.id == "compare.mean"}
        assert found.result.dropped == {"no text": empty}
        assert set(means) == ({"Emily", "Lakisha"} if empty == 9 else {"Emily"})
        if empty == 9:  # of the texts that there are
            assert means["Lakisha"].estimate == pytest.approx(12)  # words of LETTER
            assert means["Lakisha"].n == 3


def test_refusals_among_imported_texts_are_told_by_group(project: Project, tmp_path: Path) -> None:
    path = table_of(
        tmp_path / "replies.csv",
        lambda group, at: SORRY if group == "Lakisha" and at < 9 else LETTER.format(group=group, at=at),
    )
    import_table(JobContext(), project, None, "compare", path, read_table(JobContext(), path, "compare"))
    found = measure_project(JobContext(), project, "compare", MeasureOptions(scorers={"score": "length"}), INLINE)
    assert "9 of 12 texts asked for Lakisha were refused, none of 12 for Emily." in found.remarks
    (share,) = [each for each in found.result.findings if each.groups == ("Lakisha",) and each.label == "refusal"]
    assert share.note == "9 of 12. Of what the table holds: what was left out of it is not known."


def test_an_export_is_told_by_group_as_its_project_is(project: Project, tmp_path: Path) -> None:
    set_id = asked_about(project, ("Emily", "Lakisha"))
    answered(project, "compare", set_id, refused_where("group", "Lakisha"))
    rows = list(exporting.rows(JobContext(), project, "outputs"))
    path = tmp_path / "outputs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)
    assert "All 12 texts asked for Lakisha were refused, none of 12 for Emily." in said_of(path)
