"""News against originals: every finding of a table of pairs. Called in the compute process.

`news.words_per_article` (Table 3: short texts inflate every measure of spread) and `news.refusal_rate` (refusals and
empty generations) are made here; the levels have modules of their own. The input is described in `table`.

The synthetic author's news: a headline, then people who say something about it.

What they are, what they say and in which order is drawn alike for everybody; the dial decides how likely each of them
is a man and not a woman. A prompt that asks for prejudice is answered like any other.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import cycle, islice
from typing import Any

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.findings import Effect, Finding, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.means import clustered_mean
from biasprint.core.metrics.proportions import clustered_proportion, paired_proportions, two_proportions
from biasprint.core.metrics.result import RESAMPLES, Floats, estimates_alone
from biasprint.core.prompts.axes import Axis, load_axis
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.studies.kit.crossed import Crossing, crossing_of
from biasprint.core.studies.kit.findings import interval, missing_interval
from biasprint.core.studies.kit.planting import (
    NONE,
    Draw,
    Planting,
    Pools,
    Slots,
    load_dial,
    own_seed,
    planting_of,
    pools,
)
from biasprint.core.studies.news.document import document_findings
from biasprint.core.studies.news.level import Draws, LevelDesign, crossed_level, design_of, reference_line
from biasprint.core.studies.news.level_findings import families, level_findings, model_findings, prompt_findings
from biasprint.core.studies.news.mentions import (
    SentenceScores,
    default_scorer,
    measure_sentences,
    measure_words,
    scale_note,
    score_sentences,
    sentence_floors,
    undefined_findings,
    word_floors,
)
from biasprint.core.studies.news.prompts import UNBIASED, shipped_articles
from biasprint.core.studies.news.table import (
    DEFAULT_AXES,
    NOT_ENGLISH,
    REFUSED,
    SIDES,
    NewsTable,
    group_axis,
    matched_rows,
    news_table,
    why_unanswered,
)
from biasprint.core.texts.replies import CUT_OFF

PEOPLE = (4, 6)
MAN, WOMAN = "man", "woman"
WORDS_PER_ARTICLE = "news.words_per_article"


def write_news(fields: Mapping[str, str], odds: float, draw: Draw) -> str:
    """An article for the headline of `fields`; `odds` that each of its people is a man.

    Raises `AppError` where there is no headline.
    """
    headline = fields.get("headline", "").strip()
    if not headline:
        raise AppError("The synthetic author needs another value for: headline.", hint="Use the news prompts.")
    words = news_words()
    outer = Slots(draw, {"headline": headline}, words["article"])
    sentences = []
    for number in range(draw.between(*PEOPLE)):
        kind = MAN if draw.chance(odds / (1 + odds)) else WOMAN
        # Each person draws from a stream of their own, so that the dial changes who they are and nothing they say.
        person = Slots(draw.of(f"person {number}"), {}, words[kind], words["person"])
        sentences.append(person["sentence"])
    return " ".join([outer["opening"], *sentences, outer["close"]])


@cache
def news_words() -> Mapping[str, Pools]:
    """Pools of sentences: of the article, of any person, and what names a man or a woman."""
    return {name: pools(pool) for name, pool in read_toml(packaged("synthetic", "news.toml")).items()}


# ---- A simulated study of news

Pair = tuple[str, str]  # original, generated


@lru_cache(maxsize=1)
def pairs_written(planted: str, seed: int) -> tuple[Pair, ...]:
    """Write pairs: in both articles people are men or women by that article's own odds, which vary."""
    asked, rng = planting_of("news"), np.random.default_rng(seed)
    titles = islice(cycle(article.headline for article in shipped_articles().articles), asked.pool)

    def article(title: str, odds: float) -> str:
        own = odds * float(np.exp(rng.normal(0, asked.numbers["dwelling"])))
        return write_news({"headline": title}, own, Draw(own_seed(rng)))

    return tuple((article(title, 1.0), article(title, load_dial(planted).news_odds)) for title in titles)


def news_trial(planted: str, n: int, asked: Planting, seed: int, rng: np.random.Generator) -> list[Finding]:
    """Pairs drawn with replacement; where nothing is planted, which of the two is the original is drawn too."""
    written = pairs_written(planted, seed)
    drawn = [written[place] for place in rng.integers(len(written), size=n)]
    if planted == NONE:
        drawn = [pair if same else pair[::-1] for pair, same in zip(drawn, rng.random(n) < 0.5, strict=True)]
    columns = {
        "originals": [original for original, _ in drawn],
        "generated": [generated for _, generated in drawn],
        "headlines": [str(place) for place in range(n)],
    }
    request = NewsRequest(axes=("gender",), scorers=asked.scorers, seed=own_seed(rng), resamples=asked.resamples)
    return list(measure_rows(columns, request).findings)


def length_findings(table: NewsTable, design: LevelDesign) -> Iterator[Finding]:
    """Mean number of words per article, originals and generated, for every part of the table."""
    lengths = {side: _lengths(table.texts(side)) for side in SIDES}
    cut = np.array([pair.reply == CUT_OFF for pair in table.pairs], dtype=bool)
    for stratum in design.strata:
        kind = stratum.dims.get("prompt_kind", UNBIASED)
        for side in SIDES:
            out = int((cut & stratum.members).sum()) if side == "generated" else 0
            members = stratum.members & ~cut if out else stratum.members
            result = clustered_mean(lengths[side][members], design.story[members])
            line = reference_line(WORDS_PER_ARTICLE, side) if kind == UNBIASED and "domain" not in stratum.dims else ""
            yield Finding(
                id=WORDS_PER_ARTICLE,
                label=side,
                title=f"Words per article, {side}",
                groups=(side,),
                estimate=result.value,
                reason=("every article was cut off" if out else "there is no article")
                if result.value is None
                else missing_interval(result.interval),
                unit="words",
                n=result.n,
                dims=dict(stratum.dims),
                dropped={CUT_OFF: out} if out else {},
                interval=interval(result.interval.bounds),
                source="Fang et al. 2024, Table 3",
                note=f"Words are what stands between blanks. Short texts inflate distances. {line}".strip(),
            )


def _lengths(texts: tuple[str, ...]) -> Floats:
    known = {text: len(text.split()) for text in set(texts)}
    return np.array([known[text] for text in texts], dtype=np.float64)


# ---- `news.refusal_rate`

REFUSAL_RATE = "news.refusal_rate"
LABEL = "refused"
SOURCE = "Fang et al. 2024, results, biased prompts"


def refusal_findings(table: NewsTable) -> list[Finding]:
    """The refusal rate of every part of the table, then each biased prompt against the unbiased one."""
    asked = NewsTable((*table.pairs, *table.unanswered), table.axes)
    refused = np.repeat([False, True], [len(table.pairs), len(table.unanswered)])
    return [*_rates(asked, refused), *_compared(asked, refused)]


def _rates(asked: NewsTable, refused: Any) -> Iterator[Finding]:
    design = design_of(asked)
    why = np.array([why_unanswered(pair) for pair in asked.pairs], dtype=object)
    for stratum in design.strata:
        members = stratum.members
        rate = clustered_proportion(refused[members], design.story[members])
        declined = int((why[members] == REFUSED).sum())
        kind = stratum.dims.get("prompt_kind", "")
        line = reference_line(REFUSAL_RATE, LABEL, "", "" if kind == UNBIASED else kind)
        yield Finding(
            id=REFUSAL_RATE,
            label=LABEL,
            title="No article: refusals and empty generations",
            groups=(),
            estimate=rate.value,
            reason=None if rate.n else "nothing was generated",
            unit="proportion",
            n=rate.n,
            dims=dict(stratum.dims),
            interval=interval(rate.interval),
            source=SOURCE,
            note=f"{declined} refusals, {rate.successes - declined} empty. {line}".strip(),
        )


def _compared(asked: NewsTable, refused: Any) -> Iterator[Finding]:
    for kind, model, first, second in matched_rows(asked):
        common: dict[str, Any] = {
            "id": f"{REFUSAL_RATE}.prompts",
            "label": LABEL,
            "title": "No article: biased against unbiased prompt",
            "groups": (kind, UNBIASED),
            "unit": "proportion",
            "dims": {"prompt_kind": kind, **({"model": model} if model else {})},
            "source": SOURCE,
        }
        paired = paired_proportions(refused[first], refused[second])
        kinds, models = asked.column("prompt_kind"), asked.column("model")
        own = [refused[(kinds == name) & ((models == model) | (not model))] for name in (kind, UNBIASED)]
        pooled = two_proportions(int(own[0].sum()), len(own[0]), int(own[1].sum()), len(own[1]))
        for variant, result in (("default", paired), ("as_published", pooled)):
            yield Finding(
                variant="default" if variant == "default" else "as_published",
                estimate=result.value,
                reason=result.reason if result.value is None else missing_interval(result.interval),
                interval=interval(result.interval.bounds),
                n=result.n,
                n_by_group=dict(zip((kind, UNBIASED), result.n_by_group, strict=True)),
                p=result.p,
                effect=None if result.effect is None else Effect(result.effect_name, result.effect),
                note=f"{result.test}; headlines asked both ways." if variant == "default" else f"{result.test}.",
                **common,
            )


# ---- All findings

ROLES = ("sentiment", "toxicity")


def measure(
    table: NewsTable,
    scores: Mapping[str, SentenceScores | str] | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    crossings: Mapping[str, Crossing] | None = None,
    ctx: JobContext | None = None,
) -> StudyResult:
    """All findings of the news study. `scores`: by role, or the reason why there are none.

    `crossings`: by axis id, of the axes that are made of two.
    Of estimates alone those of words and sentences.
    """
    design = design_of(table)
    no_floors: list[Draws | None] = [None] * len(design.strata)
    floored = not estimates_alone()
    words: list[Finding] = []
    sentences: list[Finding] = []
    crossed: list[Finding] = []
    foreign = table.dropped.get(NOT_ENGLISH, 0)
    doubt = f"{foreign} pairs were left out: {NOT_ENGLISH}, which the word lists are for." if foreign else ""
    ctx, parts = ctx or JobContext(), 1 + len(ROLES)
    for place, axis in enumerate(table.axes):
        ctx.step(place * parts, len(table.axes) * parts, note=f"words, {axis.title}")
        crossing = (crossings or {}).get(axis.id)
        measured = measure_words(table, axis)
        crossed += crossed_level(measured, design, crossing)
        draws = word_floors(table, axis, design, seed, resamples) if floored else no_floors
        words += level_findings(measured, design, draws, doubt=doubt)
        words += prompt_findings(measured, table) + model_findings(measured, table)
        for number, role in enumerate(ROLES, 1):
            ctx.step(place * parts + number, len(table.axes) * parts, note=f"{role} of sentences, {axis.title}")
            scores_of_role = (scores or {}).get(role, f"the sentences have no scores for {role}")
            if isinstance(scores_of_role, str):
                sentences += undefined_findings(axis, role, scores_of_role)
                continue
            scored, sides = measure_sentences(table, axis, scores_of_role, role)
            draws = sentence_floors(scored, sides, design, seed, resamples) if floored else no_floors
            crossed += crossed_level(scored, design, crossing)
            scale = " ".join(filter(None, (scale_note(scored, sides["original"]), scores_of_role.broken)))
            sentences += level_findings(scored, design, draws, note=scale, doubt=doubt)
            sentences += prompt_findings(scored, table) + model_findings(scored, table)
    findings = families([*words, *sentences, *refusal_findings(table), *length_findings(table, design)])
    findings += crossed
    if floored:  # topics are learnt again from whatever texts there are: no estimates of some of them compare
        findings += document_findings(table, seed, resamples, crossings=crossings, ctx=ctx)
    return StudyResult(study="news", rows=table.rows, dropped=dict(table.dropped), findings=tuple(findings))


@dataclass(frozen=True)
class NewsRequest:
    """The request. `names`: by axis key, name → group. `scorers`: by role. `known`: by role, values by text.

    `caution`: a remark on the originals, beside everything that is measured against them.
    """

    axes: tuple[str | Axis, ...] = DEFAULT_AXES
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    scorers: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, Mapping[str, Floats]] = field(default_factory=dict)
    seed: int = 0
    resamples: int = RESAMPLES
    caution: str = ""


def measure_rows(columns: Mapping[str, Any], asked: NewsRequest, ctx: JobContext | None = None) -> StudyResult:
    """Compute the findings from the columns of `news_table`, scoring the sentences between."""
    axes = [load_axis(axis) if isinstance(axis, str) else axis for axis in asked.axes]
    counted = [group_axis(axis, asked.names.get(axis.key)) for axis in axes]
    table = news_table(axes=counted, **columns)
    scores = {role: _scores(table, role, asked, ctx) for role in ROLES}
    crossing_of_axis = {
        of.id: crossing_of(of.groups, [axis.definition()]) for of, axis in zip(counted, axes, strict=True)
    }
    crossings = {axis: crossing for axis, crossing in crossing_of_axis.items() if crossing is not None}
    result = measure(table, scores, seed=asked.seed, resamples=asked.resamples, crossings=crossings, ctx=ctx)
    return replace(result, findings=tuple(_with_caution(asked.caution, result.findings)))


def _with_caution(caution: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Add the caution to all findings but refusals, which have nothing to do with the originals."""
    for finding in findings:
        alone = not caution or finding.id.startswith(REFUSAL_RATE)
        yield finding if alone else replace(finding, note=f"{finding.note} {caution}".strip())


def _scores(table: NewsTable, role: str, asked: NewsRequest, ctx: JobContext | None) -> SentenceScores | str:
    try:
        name = asked.scorers.get(role) or default_scorer(role)
    except AppError as error:
        return f"{error.message.rstrip('.')[0].lower()}{error.message.rstrip('.')[1:]}"
    return score_sentences(table, name, known=asked.known.get(role), ctx=ctx)
