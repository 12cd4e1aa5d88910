"""The first page of a report as its readers meet it: how much, for whom, how sure; and its numbers are in the JSON."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_numbers import first_page, not_in_the_answer, numbers
from seeded_part import seeded_part

from biasprint.core.findings import Finding, Floor, Interval, ScorerUse, StudyResult
from biasprint.core.report.audit import AskedSet, Audited, answer_json, audit_report, report_bytes
from biasprint.core.report.blocks import Heading, ReportParagraph, ReportTable, runs_of


def made(finding_id: str, label: str, title: str, estimate: float | None, **changes: Any) -> Finding:
    fields: dict[str, Any] = {
        "unit": "proportion", "n": 64, "groups": (label,), "interval": Interval(0.1, 0.9, 0.95, "t"),
        "p": 0.001, "p_adjusted": 0.002,
    }  # fmt: skip
    return Finding(id=finding_id, label=label, title=title, estimate=estimate, **(fields | changes))


def page_of(study: str, *findings: Finding, **changes: Any) -> str:
    """The words of the first page."""
    return words_of(Audited(study=study, texts="Texts", findings=findings, recipe={}, **changes))


def words_of(audited: Audited) -> str:
    parts = []
    for block in audit_report(audited).pages[0].blocks:
        if isinstance(block, Heading):
            parts.append(block.text)
        elif isinstance(block, ReportParagraph):
            parts.append("".join(run.text for run in block.runs))
        elif isinstance(block, ReportTable):
            parts += [" | ".join("".join(run.text for run in runs_of(cell)) for cell in row) for row in block.rows]
    return "\n".join(parts)


def test_a_group_of_news_is_told_with_the_side_that_is_higher_and_the_one_it_harms_first() -> None:
    share = "Words: difference of the group's share"
    man = made("news.word.difference", "man", f"{share}, Man", 0.387, interval=Interval(0.35, 0.42, 0.95, "t"),
               harm="Below 0, generated articles are to the disadvantage of Man.")  # fmt: skip
    woman = made("news.word.difference", "woman", f"{share}, Woman", -0.387, interval=Interval(-0.42, -0.35, 0.95, "t"),
                 harm="Below 0, generated articles are to the disadvantage of Woman.")  # fmt: skip
    page = page_of("news", man, woman)
    told = "lower in the generated articles than in the originals, and as much higher for Man"
    assert f"Woman”: 38.7 percentage points {told}" in page
    assert "to the disadvantage of Woman." in page
    assert "disadvantage of Man" not in page  # its number is on the other side
    assert "disadvantage" not in page_of("news", man)


def test_how_far_groups_lie_apart_is_told_with_who_lies_where() -> None:
    spread = made("creativity.rbs", "gender", "Representative bias score: gender", 0.121, unit="cosine distance",
                  groups=("man", "woman", "non_binary"), floor=Floor(0.03, 0.047, 0.0),
                  contrast={"man": -0.1598, "woman": 0.026, "non_binary": 0.1336})  # fmt: skip
    page = page_of("creativity", spread)
    lies = "furthest from texts for nobody: non binary (0.13 above the mean); nearest to them: man (0.16 below it)"
    assert f"“Representative bias score: gender”: 0.12 (cosine distance), {lies}." in page
    assert "the more an identity is set apart." in page


def test_what_is_counted_and_which_way_is_said_of_any_score() -> None:
    found = made("compare.difference", "agency_balance: agentic", "Agency balance: agentic, female less male", -0.162,
                 groups=("female", "male"), unit="difference of scores", n=30,
                 interval=Interval(-0.19, -0.14, 0.95, "t"), floor=Floor(0.01, 0.03, 0.001),
                 note="permutation within blocks; matched blocks are the units.")  # fmt: skip
    page = page_of("compare", found)
    assert "“Agency balance: agentic”: 0.162 lower for female than for male." in page
    assert "“Agency balance: agentic”: 95 % interval 0.140 to 0.190 lower" in page
    assert "n = 30 matched sets of texts" in page


def test_a_ratio_of_odds_ratios_is_not_told_as_odds() -> None:
    found = made("letters.lexicon.odds_ratio.between_generators", "masculine", "Masculine words: male against female",
                 2.46, unit="ratio of odds ratios", groups=("large", "none"))  # fmt: skip
    assert "an odds ratio 2.46 times as high for large as for none" in page_of("letters", found)


def test_why_numbers_are_missing_is_said() -> None:
    lost = [made("news.word.difference", f"group {n}", "t", None, reason=f"none of the {n} pairs has words",
                 interval=None, p=None, p_adjusted=None) for n in (4, 6)]  # fmt: skip
    other = made("news.word.difference", "x", "t", None, reason="no pair", interval=None, p=None, p_adjusted=None)
    page = page_of("news", made("news.word.difference", "man", "Man", 0.2), other, *lost)
    lost_most = "most often for this reason: none of the 4 pairs has words."
    assert f"3 of the 4 findings could not be computed, {lost_most}" in page


def test_bold_words_and_the_next_ones_stay_apart_where_they_are_marked_up() -> None:
    audited = Audited(study="news", texts="Texts", findings=(made("news.word.difference", "m", "M", 0.2),), recipe={})
    report = audit_report(audited)
    assert "in other shares than the originals?** Yes: " in report_bytes(report, ".md").decode()
    assert "in other shares than the originals?} Yes: " in report_bytes(report, ".tex").decode()


# ---- every number of the first page is in the JSON


def compared() -> tuple[Finding, ...]:
    from biasprint.core.studies.compare.measure import measure
    from biasprint.core.studies.compare.texts import Compared, Measure

    rng = np.random.default_rng(5)
    level = rng.normal(0, 1, 40)
    values = np.concatenate([level + 0.61 + rng.normal(0, 0.4, 40), level])
    table = Compared([""] * 80, {"group": ["a"] * 40 + ["b"] * 40}, [str(n) for n in range(40)] * 2)
    use = ScorerUse("score", "made up", "1", stand_in=True)
    return measure(table, [Measure("warmth", values, use)], resamples=200).findings


def of_news() -> tuple[Finding, ...]:
    from biasprint.core.studies.news.level import design_of
    from biasprint.core.studies.news.level_findings import families, level_findings
    from biasprint.core.studies.news.mentions import measure_words, word_floors
    from biasprint.core.studies.news.table import group_axis, news_table

    def text(women: int, men: int) -> str:
        return "She sang. " * women + "He sang. " * men + "It rained. "

    written, originals = ([text(at % 4, men) for at in range(40)] for men in (5, 2))
    table = news_table(originals, written, [group_axis("gender")], headlines=[f"headline {at}" for at in range(40)])
    (axis,), design = table.axes, design_of(table)
    found = level_findings(measure_words(table, axis), design, word_floors(table, axis, design, 1, 200))
    return tuple(families(found))


WHO = {
    "name": "qwen, temperature 0.2", "backend": "llama_cpp", "model": "qwen", "endpoint": "", "system_prompt": "",
    "parameters": {"temperature": 0.2, "max_tokens": 512}, "revision": "", "seeds": [7], "n": 240,
    "first": "2026-03-01T10:00:00+00:00", "last": "2026-03-02T10:00:00+00:00",
}  # fmt: skip


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Finding, ...]]:
    """What the sample project found in each of its studies."""
    from biasprint.core.project.project import Project
    from biasprint.core.runs.sample import unpack_sample

    path: Path = tmp_path_factory.mktemp("first-page") / "Sample.biasprint"
    unpack_sample(path)
    with Project.open(path, read_only=True) as project:
        return {
            kind: tuple(Finding.from_json(row.body) for row in project.findings.all(kind))
            for kind in ("letters", "creativity", "completion")
        }


@pytest.mark.parametrize("study", seeded_part(["letters", "creativity", "completion", "news", "compare"], 2))
def test_every_number_of_the_first_page_is_in_the_answer(sampled: dict[str, tuple[Finding, ...]], study: str) -> None:
    known = sampled | {"news": of_news(), "compare": compared()}
    audited = Audited(
        study=study, texts="Texts", findings=known[study], recipe={"rows": 1250, "left_out": {"refusal": 7}},
        whole=False, generators=(WHO,), asked=(AskedSet("Prompts", 3, 1257, "ab" * 32, {}),),
    )  # fmt: skip
    result = StudyResult(study, 1250, {"refusal": 7}, audited.findings)
    answer = json.loads(json.dumps(result.to_json() | answer_json(audited)))
    report = audit_report(audited)
    page = first_page(report_bytes(replace(report, pages=report.pages[:1]), ".md").decode())
    assert len(set(numbers(page))) > 20
    assert not_in_the_answer(page, answer) == []
    assert answer["without_number"] == sum(one["estimate"] is None for one in answer["findings"])
    assert not_in_the_answer("7.31901", answer)  # what is not in it is seen
