"""From a plan of more models than cards, and of best and worst, to the ranking: judged, exported, measured."""

import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from compare_projects import Writing, haikus
from inline_compute import Inline

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.judging.blind import SessionView
from biasprint.core.judging.packets.make import make_packets
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.judging.packets.packet import PacketStore
from biasprint.core.judging.plan import PlanSettings, keys_of_sets, ranked_sets
from biasprint.core.judging.reveal import reveal
from biasprint.core.judging.session import offer_plans, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import JudgingWork, Refused, go_back, record_choice
from biasprint.core.project.project import Project
from biasprint.core.project.specs import PromptSpec
from biasprint.core.runs.fingerprint import gather
from biasprint.core.studies.creativity.columns import by_set, judgment_table_columns
from biasprint.core.studies.creativity.figures import figures
from biasprint.core.studies.creativity.gather import axes_of, of_judgments
from biasprint.core.tables.rows import Record
from biasprint.core.texts.exporting import judgment_rows
from biasprint.core.texts.values import text_style

MODELS = ("best", "fine", "poor", "weak")
ORDER = {name: place for place, name in enumerate(MODELS)}


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Writing]:
    made = Writing(tmp_path / "p.biasprint")
    for model in MODELS:
        haikus(made, model, samples=2)
    yield made
    made.project.close()


def opened(work: JudgingWork, code: str, plan: int = 0) -> SessionView:
    """A session of the rater with this code over the plan with this number."""
    return open_session(work, offer_plans(work, code).offers[plan].token, code)


def judged(writing: Writing, plan_id: str, *, raters: int, noise: float = 0.25) -> None:
    """Raters who mostly take the model that stands first in MODELS, and reveal."""
    project, rng = writing.project, random.Random(3)
    work = JudgingWork(ProjectStore(project))
    number_of_plan = [row.id for row in work.store.plans()].index(plan_id)
    for number in range(raters):
        view = opened(work, f"R{number + 1:02d}", number_of_plan)
        while view.comparison is not None:
            cards = list(range(len(view.comparison.texts)))
            cards.sort(key=lambda card: ORDER[view.comparison.texts[card].split(" by ")[1].split()[0]])
            if rng.random() < noise:
                rng.shuffle(cards)
            if not view.comparison.asks_worst and rng.random() < 0.1:
                view = record_choice(work, view.comparison.token, "tie")
                continue
            worst = cards[-1] if view.comparison.asks_worst else None
            view = record_choice(work, view.comparison.token, "choice", cards[0], None, worst)
        reveal(work)


def measured(project: Project) -> StudyResult:
    sessions = [row for row in project.judging.sessions() if row.revealed_at]
    return of_judgments(JobContext(), project, sessions, axes_of(project), 0, Inline(), parts=True)  # type: ignore[arg-type]


def of(result: StudyResult, finding_id: str) -> dict[str, Finding]:
    return {one.label: one for one in result.findings if one.id == finding_id and set(one.dims) == {"axis"}}


def test_models_in_pairs_are_ranked_and_have_no_shares_of_pairs(writing: Writing) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, per_axis=18, seed=1)
    judged(writing, plan.plan_id, raters=6)
    result = measured(writing.project)
    strength, place = of(result, "creativity.rank.strength"), of(result, "creativity.rank.place")
    assert set(strength) == set(MODELS)
    assert [place[name].estimate for name in MODELS] == [1, 2, 3, 4]
    assert place["best"].interval is not None
    assert place["best"].interval.low == 1
    assert strength["best"].interval is not None
    assert strength["best"].interval.low > 0.5
    assert strength["best"].n == 18 * 6
    assert sum(strength["best"].n_by_group.values()) == 2 * 18 * 6
    assert "6 raters, which are few" in strength["best"].note
    assert "called equal in" in strength["best"].note
    pairs = of(result, "creativity.rank.pair")
    ends = next(one for one in pairs.values() if set(one.groups) == {"best", "weak"})
    assert len(pairs) == 6
    assert ends.p_adjusted is not None
    assert ends.contrast is not None
    assert ends.contrast["best"] > 0.2
    # Six sets of two make a ranking: no share, no score, and nothing left out for it.
    assert not [one for one in result.findings if one.id in ("creativity.share", "creativity.abs")]
    assert result.dropped == {}
    positions = [one for one in result.findings if one.id == "creativity.quality.position"]
    assert positions
    assert positions[0].n > 70
    assert gather(writing.project, writing.project.judging.sessions()).asked == ()


def test_best_and_worst_are_stored_exported_and_measured_alike(writing: Writing) -> None:
    plan = writing.draw("creativity", kind="model", cards=3, worst=True, per_axis=10, seed=2)
    judged(writing, plan.plan_id, raters=5)
    result = measured(writing.project)
    assert [of(result, "creativity.rank.place")[name].estimate for name in MODELS] == [1, 2, 3, 4]
    study = writing.study("creativity")
    rows = list(judgment_rows(writing.project, [study]))
    named = [row["worst"] for row in rows if row["outcome"] == "choice"]
    assert named
    assert set(named) <= set(MODELS)
    assert all(row["worst"] != row["chosen"] for row in rows)
    records = [Record(at, at, {key: str(value) for key, value in row.items()}) for at, row in enumerate(rows, start=2)]
    table, axes = by_set(judgment_table_columns(records), {"model": list(MODELS)})
    from biasprint.core.studies.creativity.gather import measure_creative_judgments

    again = measure_creative_judgments({name: tuple(values) for name, values in table.items()}, axes, {"parts": True})
    first, second = (of(one, "creativity.rank.strength") for one in (result, again))
    assert [second[name].estimate for name in MODELS] == pytest.approx([first[name].estimate for name in MODELS])
    best_alone = [replace_worst(row) for row in records]
    less, axes = by_set(judgment_table_columns(best_alone), {"model": list(MODELS)})
    told = measure_creative_judgments({name: tuple(values) for name, values in less.items()}, axes, {"parts": True})
    wide, narrow = (of(one, "creativity.rank.pair")["fine / poor"].interval for one in (told, result))
    assert wide is not None
    assert narrow is not None
    assert narrow.high - narrow.low < wide.high - wide.low


def replace_worst(record: Record) -> Record:
    return Record(record.number, record.line, {**record.values, "worst": ""})


def test_the_worst_is_another_card_and_only_where_it_is_asked_for(writing: Writing) -> None:
    writing.draw("creativity", kind="model", cards=3, worst=True, per_axis=4, seed=2)
    project = writing.project
    work = JudgingWork(ProjectStore(project))
    first = opened(work, "R01").comparison
    assert first is not None
    assert first.asks_worst
    for worst in (None, 1, 3, -1):
        with pytest.raises(Refused, match="best text and then the worst"):
            record_choice(work, first.token, "choice", 1, None, worst)
    with pytest.raises(Refused, match="does not ask"):
        record_choice(work, first.token, "tie", worst=2)
    assert not project.judging.judgments()
    record_choice(work, first.token, "choice", 1, None, 2)
    answer = go_back(work).answer
    assert answer is not None
    assert (answer.card, answer.worst) == (1, 2)
    record_choice(work, first.token, "choice", 1, None, 0)  # another worst is another answer
    assert [row.worst for row in project.judging.judgments()] == [row.shown[0] for row in project.judging.judgments()]
    assert len(project.judging.judgments(superseded=True)) == 2


def test_the_worst_comes_back_in_a_packet(writing: Writing, tmp_path: Path) -> None:
    plan = writing.draw("creativity", kind="model", cards=3, worst=True, per_axis=5, seed=2)
    (made,) = make_packets(
        JobContext(), writing.project, plan_id=plan.plan_id, codes=["R01"], folder=tmp_path / "packets"
    )
    chosen: dict[str, tuple[str, str]] = {}
    with Project.open(made.path) as packet:
        work = JudgingWork(PacketStore(packet))
        view = opened(work, "R01")
        while (shown := view.comparison) is not None:
            assert shown.asks_worst
            at = work.session.rows[shown.ordinal - 1].id
            chosen[at] = shown.texts[0].rstrip(" "), shown.texts[2].rstrip(" ")
            view = record_choice(work, shown.token, "choice", 0, worst=2)
        reveal(work)
    report = merge_packets(JobContext(), writing.project, [made.path])
    assert [one.added for one in report.files] == [5]
    assert not report.files[0].refused
    comparisons = {row.id: row for row in writing.project.judging.comparisons(plan.plan_id)}
    for judgment in writing.project.judging.judgments():
        items = comparisons[judgment.comparison_id].items
        texts = writing.project.texts([item.key for item in items])
        assert judgment.chosen is not None
        assert judgment.worst is not None
        said = tuple(texts[items[place].key] for place in (judgment.chosen, judgment.worst))
        assert said == chosen[judgment.comparison_id]


def long_texts(writing: Writing, model: str, words: int, rng: random.Random) -> None:
    """Haikus of about so many words; the longest model has lists too."""
    prompts = [
        PromptSpec(key=f"haiku/{theme}/default", text=theme, task="haiku", theme=theme)
        for theme in ("stars", "rain", "sea", "snow", "dust", "wind", "fire", "moon")
    ]
    texts = {
        prompt.key: f"{prompt.theme} by {model} " + "word " * round(words * rng.lognormvariate(0, 0.35))
        for prompt in prompts
    }
    texts = {key: f"- {text}" if rng.random() < words / 200 else text for key, text in texts.items()}
    writing.write("creativity", prompts, texts, model=model)


def test_who_wins_by_length_alone_does_not_at_equal_style(tmp_path: Path) -> None:
    """“weak” writes twice as long, and raters take the longer text: nothing else is behind its first place."""
    writing, rng = Writing(tmp_path / "p.biasprint"), random.Random(5)
    for model in MODELS:
        long_texts(writing, model, 120 if model == "weak" else 60, rng)
    plan = writing.draw("creativity", kind="model", cards=2, per_axis=48, seed=1)
    work = JudgingWork(ProjectStore(writing.project))
    for number in range(8):
        view = opened(work, f"R{number + 1:02d}")
        while view.comparison is not None:
            texts = view.comparison.texts
            chance = random.Random(f"{number} {sorted(texts)}")  # whatever their order is
            by_length = sorted(texts, key=lambda text: len(text.split()))
            apart = math.log(len(by_length[1].split()) / len(by_length[0].split()))
            longer = chance.random() < 1 / (1 + math.exp(-2.5 * apart))
            view = record_choice(work, view.comparison.token, "choice", texts.index(by_length[longer]))
        reveal(work)
    result = measured(writing.project)
    raw, equal = of(result, "creativity.rank.strength"), of(result, "creativity.rank.strength.adjusted")
    assert of(result, "creativity.rank.place")["weak"].estimate == 1
    assert raw["weak"].interval is not None
    assert raw["weak"].interval.low > 0.5
    assert equal["weak"].interval is not None
    assert equal["weak"].interval.low < 0.5 < equal["weak"].interval.high
    assert equal["weak"].n == 48 * 8
    assert "With length, lists and place held equal, the order" in equal["weak"].note
    assert "pairs that were told apart no longer are" in equal["weak"].note
    styles = of(result, "creativity.rank.style")
    assert styles["length"].interval is not None
    assert styles["length"].interval.low > 1
    assert styles["headings"].reason == "it never differs between the texts"
    assert styles["lists"].interval is not None
    drawn = {figure.key: figure for figure in figures(result.findings)}
    assert {mark.section for mark in drawn["creativity.rank.adjusted"].marks} == {"as judged", "style held equal"}
    assert drawn["creativity.rank.adjusted"].subtitle.startswith("With length, lists and place held equal, the order")
    assert len(drawn["creativity.rank.style"].marks) == 3
    assert plan.plan_id
    writing.project.close()


def test_a_table_without_lengths_has_no_ranking_at_equal_style_and_says_why(writing: Writing) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, per_axis=18, seed=1)
    judged(writing, plan.plan_id, raters=2)
    rows = [{**row, "words": ""} for row in judgment_rows(writing.project, [writing.study("creativity")])]
    records = [Record(at, at, {key: str(value) for key, value in row.items()}) for at, row in enumerate(rows, start=2)]
    table, axes = by_set(judgment_table_columns(records), {"model": list(MODELS)})
    from biasprint.core.studies.creativity.gather import measure_creative_judgments

    columns = {name: tuple(column) for name, column in table.items()}
    result = measure_creative_judgments(columns, axes, {"parts": True, "resamples": 99})
    assert of(result, "creativity.rank.strength")["best"].estimate is not None
    assert of(result, "creativity.rank.strength.adjusted")["best"].reason == "the lengths of the texts are not known"


def test_markdown_is_counted_outside_of_code() -> None:
    text = "# Title\n\n- **one** thing\n- two\n1. three\n```\n# not\n- not\n```\n2 * 3 * 4 and __more__\n"
    assert text_style(text)[1:] == (1, 3, 2)


def test_which_sets_are_a_ranking() -> None:
    pairs = [("model", frozenset(pair)) for pair in (("a", "b"), ("a", "c"), ("b", "c"))]
    whole, two = ("model", frozenset("abc")), ("race", frozenset("xy"))
    assert ranked_sets([*pairs, whole, two]) == frozenset(pairs)
    assert keys_of_sets([*pairs, whole, two]) == {whole: "model", two: "race"}
    assert ranked_sets(pairs[:2]) == frozenset()
    assert PlanSettings(cards=2, worst=True).stored() == {"cards": 2, "worst": True}
