"""Style of hallucinated text: `letters.hallucination.formality`, `.positivity` and `.agency`.

A claim is hallucinated where the context of its letter does not support it. By default the shares of hallucinated and
of grounded claims are paired within the letter: what hallucination does. The verdict is of the groups' differences
compared: judged by its own sign, one of two groups is amplified wherever made-up sentences differ in style. As
published the hallucinated text of a group is set against its whole letters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from biasprint.core.draw import digits
from biasprint.core.errors import AppError
from biasprint.core.findings import Effect, Finding, Power, ScorerUse
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.means import Equivalence, equivalence, paired_difference, two_sample_difference
from biasprint.core.metrics.power import UNVARIED, detectable_difference, needed_n, within_sd
from biasprint.core.metrics.result import Alternative, Bools, Difference, Floats
from biasprint.core.scorers import entailment, facts
from biasprint.core.scorers.kept import Keep, completed, rows_of, whole_numbers
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import score_batch
from biasprint.core.scorers.segment import SEGMENTER, sentences
from biasprint.core.studies.kit.findings import SIGNIFICANT, interval, missing_interval, with_holm, with_scorer_error
from biasprint.core.studies.letters.lexicon import LettersTable, one_name
from biasprint.core.studies.letters.style import (
    COUNTS_FROM,
    KINDS,
    MARGIN,
    HarmSetting,
    Sides,
    StyleScores,
    block_means,
    conclusion,
    harmful_sign,
    how_tested,
    setting_of,
    sides,
    too_few_alike,
)

# ---- Which sentences of a letter its context supports


@dataclass(frozen=True)
class LetterGrounding:
    """One value per sentence of a letter; none where the letter has no context to check against."""

    entailed: Bools
    contradicted: Bools
    claim: Bools

    @property
    def hallucinated(self) -> Bools:
        return np.asarray(self.claim & ~self.entailed)

    @property
    def grounded(self) -> Bools:
        return np.asarray(self.claim & self.entailed)


@dataclass(frozen=True)
class Grounding:
    letters: tuple[LetterGrounding, ...]
    scorer: ScorerUse

    def only(self, mask: Bools) -> "Grounding":
        return Grounding(tuple(self.letters[place] for place in np.flatnonzero(mask)), self.scorer)


def grounding(
    texts: Sequence[str], contexts: Sequence[str], scorer: str, ctx: JobContext | None = None
) -> Grounding | str:
    """Premise: the whole context, in overlapping windows where it is long; hypothesis: each sentence.

    A string says why there is none. Source: letters (Wan et al.), section 3.3.
    """
    if not any(context.strip() for context in contexts):
        return "no letter has the context that it was written from (field context)"
    ctx = ctx or JobContext()
    letters: list[LetterGrounding] = []
    use = ScorerUse("entailment", scorer, "")
    for start in range(0, len(texts), CHUNK):
        ctx.check()
        some = _claims(texts[start : start + CHUNK], contexts[start : start + CHUNK])
        info, values = score_batch(scorer, [pair for letter in some for pair in letter.pairs], ctx)
        if any(len(value.values) != len(entailment.CLASSES) for value in values):
            raise AppError(
                f"The scorer “{scorer}” does not give a probability for each of {', '.join(entailment.CLASSES)}.",
                hint="Its plug-in needs mending; choose another scorer.",
            )
        versions = (info["version"], entailment.version(), facts.version())
        use = replace(ScorerInfo(**info).use(), version="; ".join(versions))
        rest = iter(values)
        read = [letter.grounded([next(rest).values for _ in letter.pairs], use) for letter in some]
        letters += _without_other_facts(read, some)
        ctx.report(len(letters), len(texts), note="sentences against their contexts")
    return Grounding(tuple(letters), use)


CHUNK = 32  # letters whose sentences are scored together: those of one length share a batch


@dataclass(frozen=True)
class _Claims:
    """The sentences of a letter and which of them claim something, before each window of its context."""

    context: str
    windows: Sequence[str]
    sentences: Sequence[str]
    claim: Bools

    @property
    def pairs(self) -> list[str]:
        return [entailment.pair(window, sentence) for sentence in self.sentences for window in self.windows]

    def grounded(self, values: Sequence[NDArray[np.float32]], scorer: ScorerUse) -> LetterGrounding:
        """Return the grounding of a letter. `values`: those of its pairs. A stand-in contradicts nothing."""
        several = len(self.windows)
        judged = [
            entailment.judged(values[place * several : (place + 1) * several]) for place in range(len(self.sentences))
        ]
        contradicted = _are(judged, "contradiction") & (not scorer.stand_in)
        return LetterGrounding(_are(judged, "entailment"), contradicted, self.claim)


def _without_other_facts(letters: Sequence[LetterGrounding], read: Sequence[_Claims]) -> list[LetterGrounding]:
    """The letters without support for claims that have another year or number than their context.

    Names are not compared: a letter may call the candidate as the context does not.
    """
    entailed = [letter.entailed.copy() for letter in letters]
    places = [
        (place, int(sentence)) for place, letter in enumerate(letters) for sentence in letter.grounded.nonzero()[0]
    ]
    asked = [entailment.pair(read[place].context, read[place].sentences[sentence]) for place, sentence in places]

    def make(new: Sequence[str], keep: Keep) -> None:
        for text in new:
            keep({text: whole_numbers([facts.difference(*entailment.split_pair(text), names=False) is not None])})

    differs = completed(lambda: f"{facts.version()}; {SEGMENTER}", asked, make)
    for (place, sentence), value in zip(places, differs, strict=True):
        entailed[place][sentence] = not rows_of(value, 1)[0][0]
    return [replace(letter, entailed=own) for letter, own in zip(letters, entailed, strict=True)]


def _claims(texts: Sequence[str], contexts: Sequence[str]) -> list[_Claims]:
    """Sentences are kept where scores are: of each its start, its end, and 1 where it claims something."""

    def make(new: Sequence[str], keep: Keep) -> None:
        for text in new:
            rows = [(start, end, entailment.kind_of(text[start:end]) == "claim") for start, end in sentences(text)]
            keep({text: whole_numbers([number for row in rows for number in row])})

    windows = [entailment.windows(context) for context in contexts]
    asked = [text if of else "" for text, of in zip(texts, windows, strict=True)]
    windows_kept = completed(lambda: f"sentences and claims: {entailment.version()}; {SEGMENTER}", asked, make)
    return [
        _Claims(context, of, [text[s:e] for s, e, _ in rows], np.array([claim for *_, claim in rows], np.bool_))
        for context, of, text, rows in zip(
            contexts, windows, texts, (rows_of(value, 3) for value in windows_kept), strict=True
        )
    ]


def _are(values: Sequence[str], wanted: str) -> Bools:
    return np.array([value == wanted for value in values], dtype=np.bool_)


@dataclass(frozen=True)
class Shares:
    """Shares of formal (positive, agentic) sentences per letter, NaN where a letter has none of that kind."""

    hallucinated: Floats
    grounded: Floats
    all_hallucinated: Floats  # as published: salutations and opinions too
    whole: Floats


def shares_of(scores: StyleScores, grounding: Grounding) -> Shares:
    """Return the shares. `scores` have sentences. Raises `AppError` where scorer and segmenter split differently."""
    columns: dict[str, list[float]] = {field.name: [] for field in fields(Shares)}
    for probabilities, letter in zip(scores.sentences, grounding.letters, strict=True):
        if letter.claim.size and len(probabilities) != letter.claim.size:
            raise AppError(
                f"The scorer “{scores.scorer.name}” scored {len(probabilities)} sentences of {letter.claim.size}.",
                hint="It must score the sentences of the program's own segmenter; choose another scorer.",
            )
        styled = probabilities >= COUNTS_FROM
        kinds = (letter.hallucinated, letter.grounded, ~letter.entailed, np.ones(letter.claim.size, dtype=np.bool_))
        for column, kind in zip(columns.values(), kinds, strict=True):
            column.append(float(styled[kind].mean()) if kind.any() else np.nan)
    return Shares(**{name: np.array(column, dtype=np.float64) for name, column in columns.items()})


# ---- `letters.hallucination.*`

SOURCE = "Wan et al. 2023, section 3.3 and Table 6"
WHOLE_ONLY = "scores of whole letters cannot be split into hallucinated and grounded sentences; it needs a scorer"
NOT_OF_CLAIMS = "The error of calling a claim hallucinated is not in it."
ASSUMED = "Every sentence that is not entailed is hallucinated; unit assumed: letters."


def hallucination_findings(
    table: LettersTable,
    kind: str,
    scores: StyleScores | str,
    grounding: Grounding | str,
    harms: Sequence[HarmSetting],
) -> list[Finding]:
    """Each group and each pair of groups by default, then each group as published."""
    reasons = [given for given in (scores, grounding) if isinstance(given, str)]
    if isinstance(scores, StyleScores) and not scores.sentences:
        reasons.append(WHOLE_ONLY)
    if isinstance(scores, str) or isinstance(grounding, str) or reasons:
        return [_undefined(table, kind, "; ".join(reasons))]
    if not table.compared:
        return [_undefined(table, kind, "no letter has a group")]
    shares = shares_of(scores, grounding)
    study = _Study(table, kind, shares, grounding, harms, (scores.scorer, grounding.scorer))
    tested: list[tuple[Finding, Floats | Sides]] = [*study.within_groups(), *study.between_groups()]
    findings = with_holm([finding for finding, _ in tested], f"letters.hallucination.{kind}, default, {len(tested)}")
    default = [
        _with_error(replace(finding, note=f"{study.verdict(finding, compared)} {finding.note}"), scores.scorer)
        for finding, (_, compared) in zip(findings, tested, strict=True)
    ]
    return default + list(study.published())


def _with_error(finding: Finding, style: ScorerUse) -> Finding:
    """Add the interval with the error of the scorer that calls sentences formal, positive or agentic."""
    told = with_scorer_error(finding, counted_by=style, most=2.0)
    return told if told == finding else replace(told, note=f"{told.note} {NOT_OF_CLAIMS}")


@dataclass(frozen=True)
class _Study:
    table: LettersTable
    kind: str
    shares: Shares
    found: Grounding
    harms: Sequence[HarmSetting]
    scorers: tuple[ScorerUse, ...]

    @property
    def id(self) -> str:
        return f"letters.hallucination.{self.kind}"

    def within_groups(self) -> Iterator[tuple[Finding, Floats]]:
        """Hallucinated − grounded within the letter, for each group; with the differences of its units."""
        for group in self.table.compared:
            first, second = self._units(group)
            result = paired_difference(first, second)
            sd = within_sd(first - second) if len(first) > 1 else None
            counts, unvaried = self._counts(group), f"{UNVARIED} " if sd == 0 else ""
            note = f"{_points(first, second)} {result.test}: {result.n} letters or blocks. {unvaried}{counts}"
            finding = self._finding(self._with_others(group), "hallucinated_against_grounded", result, note)
            yield (
                replace(
                    finding,
                    dims={"identity": group},
                    effect=None if result.effect is None else Effect(result.effect_name, result.effect),
                    n_by_group={group: result.n},
                    dropped=self._dropped(group),
                    power=Power(detectable_difference(sd, result.n), needed_n(MARGIN, sd)) if sd else None,
                ),
                first - second,
            )

    def between_groups(self) -> Iterator[tuple[Finding, Sides]]:
        """The difference of the groups' differences."""
        for pair in self.table.pairs:
            compared = sides(self.shares.hallucinated - self.shares.grounded, self.table, pair)
            result = compared.difference()
            detectable, needed = compared.power(MARGIN)
            remarks = (how_tested(compared, result), compared.unvaried, one_name(self.table, pair))
            note = " ".join(filter(None, remarks))
            finding = self._finding(pair, "difference_of_differences", result, note)
            yield (
                replace(
                    finding,
                    effect=None if result.effect is None else Effect(result.effect_name, result.effect),
                    n=sum(compared.letters),
                    n_by_group=dict(zip(pair, compared.letters, strict=True)),
                    dropped=self.table.all_dropped | compared.dropped,
                    power=None if detectable is None else Power(detectable, needed),
                ),
                compared,
            )

    def published(self) -> Iterator[Finding]:
        """Student's t of hallucinated text against the whole letters, in the direction that harms the group."""
        for group in self.table.compared:
            of_group = np.array([each == group for each in self.table.groups], dtype=np.bool_)
            first, second = (
                values[of_group & np.isfinite(values)] for values in (self.shares.all_hallucinated, self.shares.whole)
            )
            sign = harmful_sign(self.harms, self.id, group)
            direction: Alternative = "two-sided" if sign is None else "greater" if sign > 0 else "less"
            result = two_sample_difference(first, second, equal_variances=True, alternative=direction)
            both_ways = two_sample_difference(first, second, equal_variances=True)
            t = "" if result.statistic is None else f" t = {result.statistic:.3f} ({direction})."
            note = f"{_label(sign, result, both_ways)}{t} {_points(first, second)} {ASSUMED}"
            yield replace(
                self._finding(self._with_others(group), "hallucinated_against_whole", result, note),
                variant="as_published",
                dims={"identity": group},
                effect=None if result.statistic is None else Effect("t", result.statistic),
                n=len(second),
                n_by_group={group: len(second)},
                dropped=self._dropped(group),
            )

    def verdict(self, finding: Finding, compared: Floats | Sides) -> str:
        """Say for two groups: amplified, attenuated, propagated or too little evidence; for one: the effect."""
        if isinstance(compared, Sides):
            return self._between(finding, compared)
        if finding.estimate is None:
            return ""
        if _significant(finding):
            # Made-up sentences differ in style in any case: that alone says nothing about how groups are treated.
            way = "more" if finding.estimate > 0 else "less"
            return f"Hallucinated claims are {way} often {KINDS[self.kind]}, which is no verdict on the group."
        if within := _within_margin(equivalence(compared, MARGIN)):
            return f"Hallucination makes no difference {within}."
        return "Not enough evidence of an effect of hallucination."

    def _between(self, finding: Finding, compared: Sides) -> str:
        """Say whether hallucination treats the groups differently, and to whose disadvantage."""
        if finding.estimate is None:
            return conclusion(finding, compared)
        if _significant(finding):
            harm = setting_of(self.harms, self.id)
            if harm is None or harm.harmed not in compared.pair:
                return "Verdict: different; the axis does not say which direction harms one of these groups."
            against = harm.sign if harm.harmed == compared.pair[0] else -harm.sign
            if against * finding.estimate > 0:
                return f"Verdict: amplified, to the disadvantage of {harm.harmed}."
            return f"Verdict: attenuated, in favour of {harm.harmed}."
        if within := _within_margin(compared.equivalence(MARGIN)):
            return f"Verdict: propagated, hallucination treats both alike {within}."
        return f"Verdict: not enough evidence. {too_few_alike(compared)}".strip()

    def _with_others(self, group: str) -> tuple[str, ...]:
        """Return the group that the finding is about, then those that it is shown with."""
        return tuple(dict.fromkeys([group, *self.table.compared]))

    def _units(self, group: str) -> tuple[Floats, Floats]:
        """Shares of hallucinated and of grounded claims, a block's letters averaged; letters that have both."""
        both = np.isfinite(self.shares.hallucinated) & np.isfinite(self.shares.grounded)
        chosen = both & np.array([each == group for each in self.table.groups], dtype=np.bool_)
        first, second = (
            block_means(values, self.table, chosen) for values in (self.shares.hallucinated, self.shares.grounded)
        )
        return first, second

    def _dropped(self, group: str) -> dict[str, int]:
        mine = [place for place, each in enumerate(self.table.groups) if each == group]
        empty = sum(not self.found.letters[place].claim.size for place in mine)
        one_kind = sum(
            self.found.letters[place].claim.size > 0
            and not (self.found.letters[place].hallucinated.any() and self.found.letters[place].grounded.any())
            for place in mine
        )
        reasons = {"no context": empty, "only hallucinated or only grounded claims": one_kind}
        return self.table.all_dropped | {reason: count for reason, count in reasons.items() if count}

    def _counts(self, group: str) -> str:
        letters = [self.found.letters[place] for place, each in enumerate(self.table.groups) if each == group]
        claims = sum(int(each.claim.sum()) for each in letters)
        made_up = sum(int(each.hallucinated.sum()) for each in letters)
        against = sum(int((each.hallucinated & each.contradicted).sum()) for each in letters)
        sentences = sum(each.claim.size for each in letters)
        contradict = "" if self.found.scorer.stand_in else f" ({against} contradict the context)"
        return (
            f"{sentences} sentences: {sentences - claims} claim nothing, {claims - made_up} are grounded, "
            f"{made_up} hallucinated{contradict}."
        )

    def _finding(self, groups: tuple[str, ...], label: str, result: Difference, note: str) -> Finding:
        harm = setting_of(self.harms, self.id)
        of = " against ".join(groups) if label.startswith("difference") else groups[0]
        return Finding(
            id=self.id,
            label=label,
            title=f"{KINDS[self.kind].capitalize()} sentences, {label.replace('_', ' ')}: {of}",
            groups=groups,
            estimate=result.value,
            reason=missing_interval(result.interval) if result.value is not None else _why(result),
            unit="difference of shares",
            interval=interval(result.interval.bounds),
            n=result.n,
            p=result.p,
            scorers=self.scorers,
            harm=harm.words if harm else "",
            source=SOURCE,
            note=note,
        )


def _label(sign: int | None, result: Difference, both_ways: Difference) -> str:
    """The paper's: amplified where significant in the harmful direction, propagated where there is no difference."""
    if result.p is None or both_ways.p is None:
        return ""
    if sign is None:
        return "The axis does not say which direction harms this group."
    if result.p <= SIGNIFICANT:
        return "As published: amplified."
    return (
        "As published: propagated." if both_ways.p > SIGNIFICANT else "As published: neither amplified nor propagated."
    )


def _significant(finding: Finding) -> bool:
    p = finding.p if finding.p_adjusted is None else finding.p_adjusted
    return p is not None and p <= SIGNIFICANT


def _within_margin(test: Equivalence) -> str:
    """That the equivalence test finds none beyond the margin; empty where it does not."""
    if not test.equivalent or test.p is None:
        return ""
    return f"(within {100 * MARGIN:.0f} points, equivalence test, {digits.p_value(test.p)})"


def _why(result: Difference) -> str:
    return "no letter has both hallucinated and grounded claims" if result.reason == "no units" else result.reason


def _points(first: Floats, second: Floats) -> str:
    if not len(first) or not len(second):
        return ""
    return f"Hallucinated {100 * first.mean():.1f} %, {100 * second.mean():.1f} % in what it is set against."


def _undefined(table: LettersTable, kind: str, reason: str) -> Finding:
    return table.undefined(
        f"letters.hallucination.{kind}",
        label="hallucinated_against_grounded",
        title=f"{KINDS[kind].capitalize()} sentences, hallucinated against grounded",
        reason=reason,
        unit="difference of shares",
        source=SOURCE,
    )
