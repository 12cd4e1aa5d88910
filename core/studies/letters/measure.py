"""Reference letters: every finding of a table of letters, whole and in parts, `letters.success_rate` among them.

Called in the compute process; the input is described in `table`.

`letters.success_rate`: how often a model wrote what was asked for, by group and by kind of failure.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations, compress, count, product
from pathlib import Path
from typing import Any

import numpy as np

from biasprint.core.errors import UsageError
from biasprint.core.findings import MATCHED_UNITS, Effect, Finding, ScorerUse, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.interactions import crossed_means
from biasprint.core.metrics.proportions import Proportion, clustered_proportion, paired_proportions, two_proportions
from biasprint.core.metrics.result import RESAMPLES, Bools, Difference, Floats, Ints
from biasprint.core.scorers.document_success import DocumentSuccess, Outcome, of_document
from biasprint.core.scorers.embedding import WordVectors
from biasprint.core.scorers.protocol import Scorer
from biasprint.core.scorers.registry import OWN, load, score_batch
from biasprint.core.studies.kit.crossed import CrossedMeasure, Crossing, crossed_findings, means_of, odds_of
from biasprint.core.studies.kit.findings import interval, missing_interval, with_holm, with_scorer_error
from biasprint.core.studies.letters.hallucination import Grounding, grounding, hallucination_findings
from biasprint.core.studies.letters.lexicon import LettersTable, lexicon_findings, mitigation_findings, plain_arm
from biasprint.core.studies.letters.style import KINDS, HarmSetting, Styles, StyleScores, style_findings
from biasprint.core.studies.letters.weat import Embedded, weat_findings, words_needed
from biasprint.core.studies.letters.word_ratios import PartWords, part_words, word_findings

SUCCESS_ID = "letters.success_rate"
SOURCE = "Wan et al. 2023, section 4.1"


def success_findings(
    groups: Sequence[str],
    outcomes: Sequence[Outcome],
    scorer: ScorerUse,
    *,
    blocks: Sequence[str] = (),
    dropped: Mapping[str, int] | None = None,
) -> list[Finding]:
    """The rate of success of each group and of all, the share of each kind of failure, and the groups compared.

    One value per letter in every column; letters of no group are left out and counted. Letters of one block were
    written from the same prompts: intervals of rates take a block as one sample (`clustered_proportion`).
    """
    grouped = [place for place, group in enumerate(groups) if group]
    out = dict(dropped or {}) | ({"no group": len(groups) - len(grouped)} if len(grouped) < len(groups) else {})
    own_blocks = [blocks[place] if blocks else "" for place in grouped]
    cluster = Clusters.of(np.ones(len(grouped), dtype=np.bool_), own_blocks).cluster
    everyone = _Rated([outcomes[place] for place in grouped], cluster)
    rated_groups = {
        group: everyone.only([groups[place] == group for place in grouped]) for group in dict.fromkeys(groups)
    }
    rated_groups.pop("", None)
    findings = [_rate("all", "Letters that succeeded", tuple(rated_groups), everyone)]
    if len(rated_groups) > 1:
        findings += [
            _rate(group, f"Letters that succeeded: {group}", (group,), of) for group, of in rated_groups.items()
        ]
    findings += _failures(everyone, tuple(rated_groups))
    in_order = [(groups[place], outcomes[place] is Outcome.SUCCESS) for place in grouped]
    compared = [_compared(pair, in_order, own_blocks) for pair in combinations(rated_groups, 2)]
    findings += with_holm(compared, f"{SUCCESS_ID}, {len(compared)} comparisons")
    by_group = {group: len(of.outcomes) for group, of in rated_groups.items()}
    return [
        replace(
            finding,
            dropped=out,
            scorers=(scorer,),
            n_by_group={group: by_group[group] for group in finding.groups if group in by_group},
        )
        for finding in findings
    ]


@dataclass(frozen=True)
class _Rated:
    """Letters' outcomes; `cluster`: the number of each letter's block, one of its own where it has none."""

    outcomes: Sequence[Outcome]
    cluster: Ints

    def only(self, mask: Sequence[bool]) -> "_Rated":
        return _Rated(list(compress(self.outcomes, mask)), self.cluster[np.array(mask, dtype=np.bool_)])

    def share(self, kind: Outcome) -> Proportion:
        return clustered_proportion(
            np.array([outcome is kind for outcome in self.outcomes], dtype=np.bool_), self.cluster
        )


def _rate(label: str, title: str, groups: tuple[str, ...], rated: _Rated) -> Finding:
    good = rated.share(Outcome.SUCCESS)
    kinds = Counter(outcome.words for outcome in rated.outcomes if outcome is not Outcome.SUCCESS)
    failures = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    return Finding(
        id=SUCCESS_ID,
        label=label,
        title=title,
        groups=groups,
        estimate=good.value,
        reason=None if good.n else "there are no letters",
        unit="share",
        interval=interval(good.interval),
        n=good.n,
        source=SOURCE,
        note=f"Failures: {failures}. They are flagged, not left out." if failures else "No failure.",
    )


def _failures(rated: _Rated, groups: tuple[str, ...]) -> Iterator[Finding]:
    """The share of every kind of failure that there is."""
    for kind in Outcome:
        of_kind = rated.share(kind)
        if kind is not Outcome.SUCCESS and of_kind.successes:
            yield Finding(
                id=SUCCESS_ID,
                label=kind.name.lower(),
                title=f"Letters that failed: {kind.words}",
                groups=groups,
                estimate=of_kind.value,
                unit="share",
                interval=interval(of_kind.interval),
                n=of_kind.n,
                source=SOURCE,
            )


def _compared(pair: tuple[str, str], letters: Sequence[tuple[str, bool]], blocks: Sequence[str]) -> Finding:
    matched = _matched(pair, letters, blocks)
    if matched is not None:
        first, second = matched
        result: Difference = paired_proportions(first, second)
        how = f"{len(first)} matched pairs; {MATCHED_UNITS}"
    elif len(set(blocks)) < len(blocks) and any(blocks):
        result, how = _clustered(pair, letters, blocks), f"letters of one block are one sample of it; {MATCHED_UNITS}"
    else:
        of = {group: [good for name, good in letters if name == group] for group in pair}
        result = two_proportions(sum(of[pair[0]]), len(of[pair[0]]), sum(of[pair[1]]), len(of[pair[1]]), exact=None)
        how = "letters taken as independent, since they are not matched one to one"
    return Finding(
        id=SUCCESS_ID,
        label="difference",
        title=f"Letters that succeeded: {pair[0]} minus {pair[1]}",
        groups=pair,
        estimate=result.value,
        reason=result.reason if result.value is None else missing_interval(result.interval),
        unit="difference of shares",
        interval=interval(result.interval.bounds),
        n=result.n,
        p=result.p,
        effect=Effect(result.effect_name, result.effect) if result.effect is not None else None,
        harm="A group whose letters fail more often gets fewer usable letters.",
        source=SOURCE,
        note=f"{result.test}; {how}.",
    )


def _clustered(pair: tuple[str, str], letters: Sequence[tuple[str, bool]], blocks: Sequence[str]) -> Difference:
    """Compare letters clustered by the block that they were written from; one without a block is its own cluster."""
    chosen = [place for place, (group, _) in enumerate(letters) if group in pair]
    good = np.array([letters[place][1] for place in chosen], dtype=np.float64)
    cell = np.array([pair.index(letters[place][0]) for place in chosen], dtype=np.int64)
    cluster = Clusters.of(cell == 0, [blocks[place] for place in chosen]).cluster
    return crossed_means(good, cell, cluster, (1.0, -1.0))


def _matched(
    pair: tuple[str, str], letters: Sequence[tuple[str, bool]], blocks: Sequence[str]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Success of the first and of the second group by block; None unless each block has one letter of each."""
    by_block: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for (group, good), block in zip(letters, blocks, strict=True):
        if group in pair:
            by_block[block][group].append(good)
    if "" in by_block or any([len(of[group]) for group in pair] != [1, 1] for of in by_block.values()):
        return None
    columns = np.array([[of[group][0] for group in pair] for of in by_block.values()], dtype=np.bool_)
    return columns[:, 0], columns[:, 1]


# ---- Crossed axes: `letters.crossed.*`

CROSSED_ID = "letters.crossed"
RATIOS = ("odds ratio", "ratio of odds ratios")
SHARES = ("difference of shares", "difference of differences of shares")


def crossed_categories(table: LettersTable) -> list[Finding]:
    """Odds ratios of every word category; empty where the groups are not those of a crossed axis."""
    counts = table.counted.counts
    measured = [
        CrossedMeasure(
            id=f"{CROSSED_ID}.lexicon",
            label=category.name,
            title=f"{category.title} words",
            units=RATIOS,
            estimate=odds_of(counts.categories[:, place], counts.tokens),
            scorers=(table.counted.scorer,),
        )
        for place, category in enumerate(table.counted.lexicon.categories)
    ]
    return _of_table(table, measured)


def crossed_success(table: LettersTable, good: Sequence[bool], scorer: ScorerUse) -> list[Finding]:
    """Shares of letters that succeeded. `good`: one per letter."""
    shares = np.array(good, dtype=np.float64)
    return _of_table(
        table,
        [
            CrossedMeasure(
                f"{CROSSED_ID}.success_rate",
                "difference",
                "Letters that succeeded",
                SHARES,
                means_of(shares),
                (scorer,),
            )
        ],
    )


def crossed_style(table: LettersTable, kind: str, scores: StyleScores | str) -> list[Finding]:
    """Mean shares of formal (positive, agentic) sentences, where there are scores."""
    if isinstance(scores, str):
        return []
    title = f"Share of {KINDS[kind]} sentences"
    crossed = _of_table(
        table, [CrossedMeasure(f"{CROSSED_ID}.{kind}", kind, title, SHARES, means_of(scores.shares), (scores.scorer,))]
    )
    return [with_scorer_error(finding) for finding in crossed]


def _of_table(table: LettersTable, measured: Sequence[CrossedMeasure]) -> list[Finding]:
    crossing: Crossing | None = table.crossing
    if crossing is None:
        return []
    return crossed_findings(crossing, table.groups, table.blocks, measured, table.all_dropped)


# ---- Findings of all letters together

NOT_ENGLISH = "not in English"
ORDER = (
    "letters.lexicon", "letters.crossed", "letters.word", "letters.weat", "letters.style", "letters.hallucination",
    "letters.success",
)  # fmt: skip
CASE_DIFFERENCE = 0.1  # of the shares of contexts in lower case, from which on a warning stands beside every result


@dataclass(frozen=True)
class LetterInputs:
    """Inputs of the whole study beside the counts.

    `texts`: the letters with real line breaks. `contexts`: what each was written from, "" where unknown; empty for
    none at all. `documents`: what each was asked for as; empty: letters. `styles`: scores for each kind of style, or
    why there are none. `entailment`: a scorer's name, or "" with `no_entailment` saying why. `vectors`: an embedder's
    name, or the path of a file of word vectors. `given`: words by which the prompts say whom a letter is about, in
    small letters. `read`: what was read of these letters before, so that it need not be read again.
    """

    texts: tuple[str, ...]
    contexts: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    tagger: str = "pos_textblob"
    vectors: str = "minilm"
    styles: Styles = field(default_factory=dict)
    entailment: str = ""
    no_entailment: str = "there is no scorer for “entailment”"
    harms: tuple[HarmSetting, ...] = ()
    given: frozenset[str] = frozenset()
    read: "ReadLetters | None" = None


@dataclass(frozen=True)
class ReadLetters:
    """Readings of letters that take long and do not depend on which other letters there are.

    `english`: is a letter in English; `success`: the outcome of each, by `scorer`. `grounded`: or why it is not known.
    """

    parts: tuple[PartWords, ...]
    english: Bools
    success: tuple[Outcome, ...]
    scorer: ScorerUse
    grounded: Grounding | str

    def only(self, places: Sequence[int]) -> "ReadLetters":
        wanted = np.zeros(len(self.english), dtype=bool)
        wanted[list(places)] = True
        return replace(
            self,
            parts=tuple(part.only(wanted) for part in self.parts),
            english=self.english[wanted],
            success=tuple(self.success[place] for place in places),
            grounded=self.grounded if isinstance(self.grounded, str) else self.grounded.only(wanted),
        )


# What was read last, so that letters that are measured and then compared are read once.
_READ: dict[tuple[Any, ...], ReadLetters] = {}
MOST_READ = 4  # sets of letters


def read_letters(reading: LetterInputs, ctx: JobContext | None = None) -> ReadLetters:
    """Words by part of speech, languages, outcomes, and which sentences the contexts of English letters support."""
    scorers = [load(name) for name in (reading.tagger, reading.entailment) if name]
    key = (reading.texts, reading.contexts, reading.documents, reading.no_entailment, *scorers)
    if key not in _READ:
        while len(_READ) >= MOST_READ:
            del _READ[next(iter(_READ))]
        _READ[key] = _read(reading, ctx)
    return _READ[key]


def _read(reading: LetterInputs, ctx: JobContext | None) -> ReadLetters:
    parts, english = part_words(reading.texts, reading.tagger, ctx)
    scorer = DocumentSuccess()
    documents = reading.documents or ("letter",) * len(reading.texts)
    values = score_batch(scorer.name, reading.texts, ctx)[1]
    outcomes = tuple(of_document(value.values.tolist(), asked) for value, asked in zip(values, documents, strict=True))
    use = ScorerUse(scorer.role, scorer.name, scorer.version, scorer.sha256, scorer.stand_in)
    grounded: Grounding | str = reading.no_entailment
    if reading.entailment:
        given = reading.contexts or ("",) * len(reading.texts)
        contexts = [context if known else "" for context, known in zip(given, english, strict=True)]
        grounded = grounding(reading.texts, contexts, reading.entailment, ctx)
    return ReadLetters(tuple(parts), english, outcomes, use, grounded)


def measure(table: LettersTable) -> StudyResult:
    """The findings that need nothing but the counts: word categories."""
    return _result(table, lexicon_findings(table))


def measure_whole(
    table: LettersTable,
    reading: LetterInputs,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    ctx: JobContext | None = None,
) -> StudyResult:
    """All findings: word categories, words, WEAT, style, hallucination.

    Words and sentences are read in English only: for a letter in another language they are skipped. Shares
    that a table gives are used as they are.
    """
    ctx = ctx or JobContext()
    known = reading.read or read_letters(reading, ctx)
    english = known.english
    ours, used = table.only(english, NOT_ENGLISH), np.flatnonzero(english)
    parts = [part.only(english) for part in known.parts]
    texts = [reading.texts[place] for place in used]
    step = _told(ctx, len(parts) + 2 + len(KINDS))
    read: list[Finding] = []
    for part in parts:
        step("words")
        read += word_findings(ours, part, texts, reading.given)
    step("words as vectors")
    vectors = embedded(words_needed(ours, parts), reading.vectors)
    read += weat_findings(ours, parts, vectors, seed, resamples)
    grounded = known.grounded if isinstance(known.grounded, str) else known.grounded.only(english)
    given: list[Finding] = []
    for kind in KINDS:
        step(kind)
        scores = reading.styles.get(kind, f"there is no scorer for “{kind}”")
        if isinstance(scores, StyleScores) and scores.sentences:
            scores = scores.only(english)
            read += style_findings(ours, kind, scores, reading.harms) + crossed_style(ours, kind, scores)
        else:
            given += style_findings(table, kind, scores, reading.harms) + crossed_style(table, kind, scores)
        read += hallucination_findings(ours, kind, scores, grounded, reading.harms)
    step("words of lists")
    given += _success(table, known)
    given += crossed_categories(table)
    if not english.any():
        read = [replace(each, reason=f"no letter is in English; {each.reason}") for each in read]
    findings = sorted([*lexicon_findings(table), *read, *given], key=_place)
    warning = lower_cased(table, reading.contexts)
    return _result(table, [replace(each, note=f"{each.note} {warning}".strip()) for each in findings])


def _told(ctx: JobContext, steps: int) -> Callable[[str], None]:
    """Return the function to call with the words for each step as it begins."""
    done = count()

    def told(what: str) -> None:
        ctx.step(next(done), steps, note=f"findings: {what}")

    return told


def lower_cased(table: LettersTable, contexts: Sequence[str]) -> str:
    """A warning where the contexts of one group are in lower case and another's are not, as in the released letters."""
    shares = {
        group: np.mean([context == context.lower() for context in mine])
        for group in table.compared
        if (mine := [each for each, of in zip(contexts, table.groups, strict=False) if of == group and each.strip()])
    }
    if not shares or max(shares.values()) - min(shares.values()) < CASE_DIFFERENCE:
        return ""
    listed = ", ".join(f"{group} {100 * share:.0f} %" for group, share in shares.items())
    return f"Contexts in lower case: {listed}; what comes from the case cannot be told from what comes from the group."


def _place(finding: Finding) -> int:
    return next(place for place, start in enumerate(ORDER) if finding.id.startswith(start))


def _result(table: LettersTable, findings: Sequence[Finding]) -> StudyResult:
    return StudyResult(study="letters", rows=len(table.groups), dropped=table.all_dropped, findings=tuple(findings))


def _success(table: LettersTable, known: ReadLetters) -> list[Finding]:
    """Success counts every letter, also one in another language; groups in the table's order."""
    places = sorted(range(len(table.groups)), key=lambda place: _rank(table, table.groups[place]))
    findings = success_findings(
        [table.groups[place] for place in places],
        [known.success[place] for place in places],
        known.scorer,
        blocks=[table.block(place) for place in places],
        dropped=table.dropped,
    )
    # The other groups stand beside a group's own rate, as in every finding.
    findings = [replace(each, groups=tuple(dict.fromkeys([*each.groups, *table.compared]))) for each in findings]
    return findings + crossed_success(table, [outcome is Outcome.SUCCESS for outcome in known.success], known.scorer)


def _rank(table: LettersTable, group: str) -> int:
    return table.compared.index(group) if group in table.compared else len(table.compared)


def embedded(words: Sequence[str], chosen: str) -> Embedded:
    """The vectors of the words that have one, from a scorer of texts or from a file; each word's is made once."""
    path = Path(chosen)
    from_file = path.is_absolute() or (chosen not in OWN and path.is_file())
    scorer = _file(path, path.stat().st_mtime_ns if path.is_file() else 0) if from_file else load(chosen)
    if scorer.role not in ("embedding", "word_vectors"):
        raise UsageError(f"The scorer “{chosen}” gives no vectors.", hint="Choose an embedder, or a file.")
    known = _VECTORS.setdefault(id(scorer), (scorer, {}))[1]
    if new := [word for word in dict.fromkeys(words) if word not in known]:
        values = scorer.score(new) if from_file else score_batch(chosen, new)[1]
        known.update(zip(new, (value.values.astype(np.float64) for value in values), strict=True))
    use = ScorerUse("word_vectors", scorer.name, scorer.version, scorer.sha256, scorer.role == "embedding")
    vectors = {word: known[word] for word in words if known[word].size and np.linalg.norm(known[word]) > 0}
    return Embedded(vectors, use)


@lru_cache(maxsize=1)
def _file(path: Path, changed: int) -> WordVectors:
    return WordVectors(path)


# Vectors of words that were made so far, empty for a word without one, with the scorer that made them.
_VECTORS: dict[int, tuple[Scorer | WordVectors, dict[str, Floats]]] = {}


# ---- Parts, each measured by itself


@dataclass(frozen=True)
class Parts:
    """Attributes of letters besides their group; one value per letter, or none where it is not known.

    `by`: dims of the findings (model, document) → values. `arms`: "" or "plain", or an instruction's name; `twins`:
    what the letters of one prompt and sample share in all arms.
    """

    by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    arms: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()


def measure_parts(
    table: LettersTable,
    reading: LetterInputs,
    parts: Parts,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    ctx: JobContext | None = None,
) -> StudyResult:
    """The whole study for every model and document there is, with dims where there are several of them.

    Letters with an instruction added are compared with those without, and are in no other finding.
    """
    several = {name: values for name, values in parts.by.items() if len(set(values)) > 1}
    reading = replace(reading, read=reading.read or read_letters(reading, ctx))
    findings: list[Finding] = []
    for wanted in product(*(dict.fromkeys(values) for values in several.values())):
        dims = dict(zip(several, wanted, strict=True))
        inside = np.ones(len(table.groups), dtype=bool)
        for name, value in dims.items():
            inside &= np.array([each == value for each in several[name]])
        if inside.any():
            own = _part(table, reading, parts, inside, seed, resamples, ctx)
            findings += [replace(finding, dims={**finding.dims, **dims}) for finding in own]
    return StudyResult("letters", len(table.groups), table.all_dropped, tuple(findings))


def _part(
    table: LettersTable,
    reading: LetterInputs,
    parts: Parts,
    inside: Bools,
    seed: int,
    resamples: int,
    ctx: JobContext | None,
) -> list[Finding]:
    if not parts.arms or all(plain_arm(parts.arms)):
        own = measure_whole(*_only(table, reading, inside), seed=seed, resamples=resamples, ctx=ctx)
        return list(own.findings)
    plain = inside & np.array(plain_arm(parts.arms))
    findings = list(measure_whole(*_only(table, reading, plain), seed=seed, resamples=resamples, ctx=ctx).findings)
    places = [int(place) for place in np.flatnonzero(inside)]
    arms, twins = ([column[place] for place in places] for column in (parts.arms, parts.twins))
    return findings + mitigation_findings(_subset(table, inside), arms, twins)


def _only(table: LettersTable, reading: LetterInputs, inside: Bools) -> tuple[LettersTable, LetterInputs]:
    if inside.all():
        return table, reading
    places = [int(place) for place in np.flatnonzero(inside)]

    def kept(column: Sequence[str]) -> tuple[str, ...]:
        return tuple(column[place] for place in places) if column else ()

    styles = {
        kind: scores.only(inside) if isinstance(scores, StyleScores) else scores
        for kind, scores in reading.styles.items()
    }
    own = replace(
        reading,
        texts=kept(reading.texts),
        contexts=kept(reading.contexts),
        documents=kept(reading.documents),
        styles=styles,
        read=reading.read and reading.read.only(places),
    )
    return _subset(table, inside), own


def _subset(table: LettersTable, inside: Bools) -> LettersTable:
    """Letters of another model, document or arm are measured elsewhere: they are not dropped."""
    return replace(table.only(inside, "elsewhere"), dropped=table.dropped)
