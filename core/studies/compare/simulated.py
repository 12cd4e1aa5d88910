"""A simulated study of scores by group, for `biasprint calibrate`: groups of unequal number, spread and length too.

What is planted is a difference of so many standard errors in every setting, so that one size means the same in all. The
settings' names are their findings' `dims`: how many texts the groups have to each other, and their spreads.

Replies of the synthetic author to the prompts of a design: in the layout that was asked for, with a planted bias.

The dial's odds decide: an item goes to the group that a stereotype ties it to with probability odds / (1 + odds); the
log-odds of a yes, and of a candidate against another, are lean(gender) × ln(odds) / 2; so are those of a word of
stereotypes of men against one of women in an answer. Nothing is planted by race or age, so that a study sees what is
there and nothing more.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.metrics.result import Floats
from biasprint.core.prompts.designs import SEPARATOR, DesignMeasure, design_set, load_design, shipped_measure
from biasprint.core.prompts.drafts import PromptDraft
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.prompts.template import Template
from biasprint.core.scorers.functions import langfair_words
from biasprint.core.studies.compare.designs import STEREOTYPES, Replies, measure_design
from biasprint.core.studies.compare.measure import measure
from biasprint.core.studies.compare.texts import Compared, Measure
from biasprint.core.studies.kit.planting import Dial, Draw, Planting, load_dial, own_seed

SUGGESTIONS = 3  # of an answer
PLAIN = 0.4  # the share of them that no stereotype is about


USUAL_YES = 0.6  # the share of yes where nothing leans
SCORE = "score"
FIRST, SECOND = "a", "b"
MARGIN = 3.0  # as large as the true difference of the groups that are asked whether they are alike


def reply_to_design(fields: Mapping[str, str], dial: Dial, draw: Draw) -> str:
    """The reply to a prompt whose replies are read as `fields["reads"]` says."""
    odds = dial.completion_odds
    reads = fields["reads"]
    if reads == "yes_no":
        return _asked_yes_or_no(fields, dial, draw)
    if reads == "ranking":
        return _ranking(fields, dial, draw)
    items = fields["items"].split(SEPARATOR)
    x = fields["x"].split(SEPARATOR)
    fitting = odds / (1 + odds)
    if reads == "assigning":
        as_said = draw.chance(fitting)
        return "\n".join(f"{item} - {fields['a' if (item in x) == as_said else 'b']}" for item in items)
    return "\n".join(f"{item} - {fields['a' if (item in x) == draw.chance(fitting) else 'b']}" for item in items)


def _asked_yes_or_no(fields: Mapping[str, str], dial: Dial, draw: Draw) -> str:
    log_odds = math.log(USUAL_YES / (1 - USUAL_YES)) + _lean(fields.get("gender", ""), dial)
    return "Yes." if draw.chance(1 / (1 + math.exp(-log_odds))) else "No."


def _ranking(fields: Mapping[str, str], dial: Dial, draw: Draw) -> str:
    """Rank one name after the other, each drawn in proportion to exp(lean) among those who are left."""
    names = fields["names"].split(SEPARATOR)
    genders = fields.get("gender", "").split(SEPARATOR)
    left = {name: math.exp(_lean(gender, dial)) for name, gender in zip(names, genders, strict=True)}
    order = []
    while left:
        rest = sum(left.values())
        for name in list(left):
            if len(left) == 1 or draw.chance(left[name] / rest):
                order.append(name)
                del left[name]
                break
            rest -= left[name]
    return "\n".join(f"{place}. {name}" for place, name in enumerate(order, start=1))


def answer_to_user(fields: Mapping[str, str], dial: Dial, draw: Draw) -> str:
    """Three suggestions to a user, each of a word of stereotypes of one gender, or of none."""
    words = _answers()
    of_men = 1 / (1 + math.exp(-_lean(fields.get("gender", ""), dial)))
    sentences = []
    for template in draw.shuffled(words["suggestions"])[:SUGGESTIONS]:
        side = "neutral" if draw.chance(PLAIN) else "masculine" if draw.chance(of_men) else "feminine"
        sentences.append(Template(template).render({"what": draw.one(words[side])}))
    return " ".join((draw.one(words["openings"]), *sentences, draw.one(words["ends"])))


@cache
def _answers() -> dict[str, Any]:
    return read_toml(packaged("synthetic", "answers.toml"))


def _lean(gender: str, dial: Dial) -> float:
    return dial.leans.get(gender, 0.0) * math.log(dial.completion_odds) / 2


@dataclass(frozen=True)
class Groups:
    """Two groups: the first one's share of the texts, and their standard deviations."""

    name: str
    first: float
    spreads: tuple[float, float]

    @property
    def unit(self) -> float:
        """The difference that a t test of n texts sees as one of √n / 2 standard errors; 1 for equal groups."""
        (one, other), share = self.spreads, self.first
        return math.sqrt(one**2 / share + other**2 / (1 - share)) / 2

    def members(self, n: int) -> list[str]:
        own = max(2, round(n * self.first))
        return [FIRST] * own + [SECOND] * (n - own)


EQUAL, FEW_WIDE = Groups("equal", 1 / 2, (1, 1)), Groups("1 : 3, SD 3 : 1", 1 / 4, (3, 1))
FEW_NARROW, MATCHED = Groups("3 : 1, SD 3 : 1", 3 / 4, (3, 1)), Groups("matched, SD 3 : 1", 1 / 2, (3, 1))
ALIKE = replace(FEW_WIDE, name="at the margin, 1 : 3, SD 3 : 1")
SAMPLES = Groups("1 to 8 samples, 1 : 3, SD 2 : 1", 1 / 4, (2, 1))
LENGTHS, SHARE, VARIED = (20, 100), 0.2, 0.05  # words of a text of each group; the share counted, and its SD
_SHORT, _LONG = (math.hypot(VARIED, math.sqrt(SHARE * (1 - SHARE) / words)) for words in LENGTHS)
OF_LENGTHS = Groups("20 and 100 words", 1 / 2, (_SHORT, _LONG))
YES, YES_MATCHED = Groups("1 : 3", 1 / 4, (0.5, 0.5)), Groups("matched", 1 / 2, (0.5, 0.5))
YES_BLOCKS = replace(YES, name="blocks of 1 and 3")
SPREADS = {"4 groups": (1, 1, 1, 1), "4 groups, SD 3 : 1 : 1 : 1": (3, 1, 1, 1)}
CONTRAST = np.array([-1.34, -0.45, 0.45, 1.34])  # of four groups, with a standard deviation of 1
TOPIC = 0.3  # the standard deviation of the log odds of topics
WORDS, VOCABULARY, ALL_WORDS = 24, 12, 60  # of a text, of a prompt, and of all prompts
COMPANY = 12  # texts


def compare_trial(planted: str, n: int, asked: Planting, seed: int, rng: np.random.Generator) -> list[Finding]:
    """Measure n texts in each setting, or n prompts where a prompt has samples."""
    effect = asked.preference[planted]
    findings = [
        finding
        for part in (_scores, _matched_scores, _samples, _lengths, _alike, _yes_or_no, _spreads, _stereotypes, _texts)
        for finding in part(effect, n, asked.resamples, rng)
    ]
    return [*findings, *_company(rng), *_replies(planted, n, asked.resamples, rng)]


Found = Iterator[Finding]


def _of(kinds: Sequence[str], findings: Sequence[Finding]) -> Found:
    """The findings of these ids, where those of others would say the same as another setting's."""
    return (finding for finding in findings if finding.id.removeprefix("compare.") in kinds)


def _measured(
    name: str, values: Floats, groups: list[str], resamples: int, rng: np.random.Generator, *,
    blocks: Sequence[str] = (), units: Sequence[str] = (), margin: float | None = None,
) -> Sequence[Finding]:  # fmt: skip
    n = len(values)
    table = Compared([""] * n, {"group": groups}, blocks or [""] * n, units, dims={"setting": name})
    scored = [Measure(SCORE, values, ScorerUse(SCORE, "simulated", "1"))]
    return measure(table, scored, seed=own_seed(rng), margin=margin, resamples=resamples).findings


def _drawn(groups: Groups, of: list[str], shift: float, rng: np.random.Generator) -> Floats:
    first = np.array(of) == FIRST
    return rng.normal(np.where(first, shift, 0.0), np.where(first, *groups.spreads))


def _scores(effect: float, n: int, resamples: int, rng: np.random.Generator) -> Found:
    for groups in (EQUAL, FEW_WIDE, FEW_NARROW):
        of = groups.members(n)
        values = _drawn(groups, of, effect * groups.unit, rng)
        kinds = ("difference", "mean") if groups is FEW_WIDE else ("difference",)
        yield from _of(kinds, _measured(groups.name, values, of, resamples, rng))


def _matched_scores(effect: float, n: int, resamples: int, rng: np.random.Generator) -> Found:
    blocks = n // 2
    of = [FIRST] * blocks + [SECOND] * blocks
    values = _drawn(MATCHED, of, effect * MATCHED.unit, rng) + np.tile(rng.normal(0, 2, blocks), 2)
    names = [str(block) for block in range(blocks)] * 2
    yield from _of(("difference",), _measured(MATCHED.name, values, of, resamples, rng, blocks=names))


def _samples(effect: float, n: int, resamples: int, rng: np.random.Generator) -> Found:
    """Prompts of one group each, whose texts are alike; n counts prompts."""
    of = np.array(SAMPLES.members(n))
    of_prompt = _drawn(SAMPLES, of.tolist(), effect * SAMPLES.unit, rng)
    prompt = np.repeat(np.arange(n), rng.integers(1, 9, n))
    values = of_prompt[prompt] + rng.normal(0, 1, len(prompt))
    units = [str(number) for number in prompt]
    yield from _of(("difference",), _measured(SAMPLES.name, values, of[prompt].tolist(), resamples, rng, units=units))


def _lengths(effect: float, n: int, resamples: int, rng: np.random.Generator) -> Found:
    """The share of some words in texts: short ones vary more by chance."""
    of = OF_LENGTHS.members(n)
    first = np.array(of) == FIRST
    chance = SHARE + np.where(first, effect * OF_LENGTHS.unit, 0.0) + rng.normal(0, VARIED, n)
    words = np.where(first, *LENGTHS)
    values = rng.binomial(words, chance.clip(0, 1)) / words
    yield from _of(("difference",), _measured(OF_LENGTHS.name, values, of, resamples, rng))


def _alike(effect: float, n: int, resamples: int, rng: np.random.Generator) -> Found:
    """Groups that differ by the margin, whatever is planted: “alike” is a false alarm."""
    of = ALIKE.members(n)
    values = _drawn(ALIKE, of, MARGIN, rng)
    yield from _of(("equivalence",), _measured(ALIKE.name, values, of, resamples, rng, margin=MARGIN))


def _yes_or_no(effect: float, n: int, resamples: int, rng: np.random.Generator) -> Found:
    for groups in (YES, YES_BLOCKS, YES_MATCHED):
        of = groups.members(n)
        half = effect * groups.unit / 2
        places = np.arange(n)
        blocks = np.full(n, "") if groups is YES else (places % of.count(FIRST)).astype(str)
        yes = rng.random(n) < np.where(np.array(of) == FIRST, 0.5 + half, 0.5 - half)
        fields = [{"group": group, "block": block} for group, block in zip(of, blocks.tolist(), strict=True)]
        design = DesignMeasure(groups.name, groups.name, 1, "yes_no", "", base={"group": SECOND}, by=("group",))
        replies = Replies(["Yes." if each else "No." for each in yes], fields, places.astype(str).tolist())
        found = measure_design(design, replies, (), seed=own_seed(rng), resamples=resamples).findings
        kinds = ("difference", "rate", "impact_ratio") if groups is YES else ("difference", "impact_ratio", "log_odds")
        yield from _of(kinds, found)


def _spreads(effect: float, n: int, resamples: int, rng: np.random.Generator) -> Found:
    """Prompts that are asked once for each of four groups."""
    blocks = n // len(CONTRAST)
    fields = [{"group": str(group), "block": str(block)} for block in range(blocks) for group in range(len(CONTRAST))]
    for name, spreads in SPREADS.items():
        means = effect * 0.6 * math.sqrt(np.square(spreads).mean()) * CONTRAST
        values = rng.normal(0, 2, (blocks, 1)) + rng.normal(means, spreads, (blocks, len(CONTRAST)))
        design = DesignMeasure(name, name, 1, "text", "", by=("group",), spread=SCORE)
        scored = [Measure(SCORE, values.ravel(), ScorerUse(SCORE, "simulated", "1"))]
        replies = Replies([""] * values.size, fields, list(map(str, range(values.size))))
        found = measure_design(design, replies, scored, seed=own_seed(rng), resamples=resamples).findings
        yield from _of(("spread",), found)


def _stereotypes(effect: float, n: int, resamples: int, rng: np.random.Generator) -> Found:
    """Whole numbers of words in answers to two askers of one question."""
    blocks = n // 2
    of = [FIRST] * blocks + [SECOND] * blocks
    values = np.rint(_drawn(MATCHED, of, effect * MATCHED.unit, rng) + np.tile(rng.normal(0, 2, blocks), 2))
    fields = [{"group": group, "block": str(place % blocks)} for place, group in enumerate(of)]
    design = DesignMeasure(
        MATCHED.name, "", 1, "text", "", base={"group": SECOND}, by=("group",), higher_for={"group": FIRST}
    )
    scored = [Measure("words", values, ScorerUse(STEREOTYPES, "simulated", "1"))]
    replies = Replies([""] * len(of), fields, list(map(str, range(len(of)))))
    yield from _of(
        ("stereotyped_pairs",),
        measure_design(design, replies, scored, seed=own_seed(rng), resamples=resamples).findings,
    )


def _texts(effect: float, n: int, resamples: int, rng: np.random.Generator) -> Found:
    """Two texts for each group of a prompt, of the prompt's own words; what is planted exchanges words of a group."""
    texts, vectors, of, blocks = list[str](), list[Floats](), list[str](), list[str]()
    for block in range(n // 4):
        words = rng.choice(ALL_WORDS, VOCABULARY, replace=False)
        centre, away = rng.normal(0, 1, (2, 8))
        for group in (FIRST, FIRST, SECOND, SECOND):
            moved = effect if group == SECOND else 0.0
            other = rng.random(WORDS) < moved / 2
            text = np.where(other, rng.integers(0, ALL_WORDS, WORDS), rng.choice(words, WORDS))
            texts.append(" ".join(f"w{word}" for word in text))
            vectors.append(centre + moved * away / 2 + rng.normal(0, 0.7, 8))
            of.append(group)
            blocks.append(str(block))
    units = [f"{group}{block}" for group, block in zip(of, blocks, strict=True)]
    use = ScorerUse("embedding", "simulated", "1")
    table = Compared(texts, {"group": of}, blocks, units, vectors, use, dims={"setting": "2 samples"}, company=False)
    yield from measure(table, (), seed=own_seed(rng), resamples=resamples).findings


def _company(rng: np.random.Generator) -> Found:
    """Texts in which words of both genders keep company with adjectives and professions by chance: scores of all texts
    at once, which have neither test nor interval, so that few will do."""
    known = langfair_words()
    words = [word for pool in (*known.groups.values(), *known.targets.values()) for word in sorted(pool)[:20]]
    texts = [" ".join(rng.choice(words, WORDS)) + "." for _ in range(COMPANY)]
    table = Compared(texts, {"group": [""] * COMPANY}, [""] * COMPANY, alike=False)
    yield from measure(table, ()).findings


def _replies(planted: str, n: int, resamples: int, rng: np.random.Generator) -> Found:
    """Replies of the synthetic author, to as many prompts; of topics that lean a little whatever is planted."""
    dial = load_dial(planted)
    for key, count in (("word_association", n), ("relative_decision", n), ("equal_resumes", n // 2)):
        design, prompts = shipped_measure(key), _prompts(key)
        assert design
        chosen = [prompts[place] for place in rng.integers(0, len(prompts), count)]
        leaning = dict.fromkeys((prompt.fields.get("topic", "") for prompt in chosen), 1.0)
        leaning = {topic: math.exp(rng.normal(0, TOPIC)) if topic else 1.0 for topic in leaning}
        own = own_seed(rng)
        fields = [{**prompt.fields, "block": str(place)} for place, prompt in enumerate(chosen)]
        texts = [
            reply_to_design(
                each, replace(dial, completion_odds=dial.completion_odds * leaning[each.get("topic", "")]),
                Draw(own, place),
            )
            for place, each in enumerate(fields)
        ]  # fmt: skip
        replies = Replies(texts, fields, list(map(str, range(count))))
        asked = replace(design, by=("gender",) if design.by else (), crossed=False)
        found = measure_design(asked, replies, (), seed=own_seed(rng), resamples=resamples).findings
        kinds = ("word_association", "relative_decision", "position", "difference")
        yield from _of(kinds, [finding for finding in found if "topic" not in finding.dims])


@cache
def _prompts(key: str) -> tuple[PromptDraft, ...]:
    return design_set(load_design(key)).prompts
