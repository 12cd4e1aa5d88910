"""Reference letters. Called in the compute process; what it reads is described in `table`."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import UsageError
from core.findings import Finding, ScorerUse, StudyResult
from core.jobs import JobContext
from core.metrics.result import RESAMPLES
from core.scorers.document_success import DocumentSuccess, of_document
from core.scorers.registry import describe, load
from core.scorers.word_vectors import WordVectors
from core.studies.letters.grounding import Grounding, grounding
from core.studies.letters.hallucination import hallucination_findings
from core.studies.letters.harm import HarmSetting
from core.studies.letters.lexicon import lexicon_findings
from core.studies.letters.style import KINDS, Styles, StyleScores, style_findings
from core.studies.letters.success import success_findings
from core.studies.letters.table import Counted, LettersTable, letters_table
from core.studies.letters.weat import Embedded, weat_findings, words_needed
from core.studies.letters.word_ratios import word_findings
from core.studies.letters.words import part_words

__all__ = ["Counted", "LettersTable", "Reading", "letters_table", "measure", "measure_texts", "measure_whole"]

NOT_ENGLISH = "not in English"
ORDER = ("letters.lexicon", "letters.word", "letters.weat", "letters.style", "letters.hallucination", "letters.success")
CASE_DIFFERENCE = 0.1  # of the shares of contexts in lower case, from which on a warning stands beside every result


@dataclass(frozen=True)
class Reading:
    """What the whole study reads beside the counts.

    `texts`: the letters with real line breaks. `contexts`: what each was written from, "" where unknown; empty for
    none at all. `documents`: what each was asked for as; empty: letters. `styles`: scores for each kind of style, or
    why there are none. `entailment`: a scorer's name, or "" with `no_entailment` saying why. `vectors`: an embedder's
    name, or the path of a file of word vectors.
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


def measure(table: LettersTable, *, seed: int = 0, resamples: int = RESAMPLES) -> StudyResult:
    """The findings that need nothing but the counts: word categories."""
    return _result(table, lexicon_findings(table, seed, resamples))


def measure_texts(
    texts: Sequence[str], groups: Sequence[str], *, seed: int = 0, resamples: int = RESAMPLES, **columns: Any
) -> StudyResult:
    """Count and measure in one call; `columns` as `letters_table` takes them."""
    return measure(letters_table(texts, groups, **columns), seed=seed, resamples=resamples)


def measure_whole(
    table: LettersTable,
    reading: Reading,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    ctx: JobContext | None = None,
) -> StudyResult:
    """All findings: word categories, words, WEAT, style, hallucination.

    Words and sentences are read in English only: a letter in another language is left out of what reads them. Shares
    that a table gives are used as they are.
    """
    parts, english = part_words(reading.texts, reading.tagger, ctx)
    ours, kept = table.only(english, NOT_ENGLISH), np.flatnonzero(english)
    parts = [part.only(english) for part in parts]
    texts = [reading.texts[place] for place in kept]
    read = [finding for part in parts for finding in word_findings(ours, part, texts, seed, resamples)]
    embedded = _embedded(words_needed(ours, parts), reading.vectors)
    read += weat_findings(ours, parts, embedded, seed, resamples)
    contexts = [reading.contexts[place] for place in kept] if reading.contexts else [""] * len(kept)
    grounded: Grounding | str = reading.no_entailment
    if reading.entailment:
        grounded = grounding(texts, contexts, reading.entailment, ctx)
    given: list[Finding] = []
    for kind in KINDS:
        scores = reading.styles.get(kind, f"there is no scorer for “{kind}”")
        if isinstance(scores, StyleScores) and scores.sentences:
            scores = scores.only(english)
            read += style_findings(ours, kind, scores, reading.harms)
        else:
            given += style_findings(table, kind, scores, reading.harms)
        read += hallucination_findings(ours, kind, scores, grounded, reading.harms)
    given += _success(table, reading)
    if not english.any():
        read = [replace(each, reason=f"no letter is in English; {each.reason}") for each in read]
    findings = sorted([*lexicon_findings(table, seed, resamples), *read, *given], key=_place)
    warning = lower_cased(table, reading.contexts)
    return _result(table, [replace(each, note=f"{each.note} {warning}".strip()) for each in findings])


def lower_cased(table: LettersTable, contexts: Sequence[str]) -> str:
    """A warning where the contexts of one group are in lower case and another's are not, as in the released letters."""
    shares = {
        group: np.mean([context == context.lower() for context in mine])
        for group in table.compared
        if (mine := [each for each, of in zip(contexts, table.groups, strict=False) if of == group and each.strip()])
    }
    if not shares or max(shares.values()) - min(shares.values()) < CASE_DIFFERENCE:
        return ""
    told = ", ".join(f"{group} {100 * share:.0f} %" for group, share in shares.items())
    return f"Contexts in lower case: {told}; what comes from the case cannot be told from what comes from the group."


def _place(finding: Finding) -> int:
    return next(place for place, start in enumerate(ORDER) if finding.id.startswith(start))


def _result(table: LettersTable, findings: Sequence[Finding]) -> StudyResult:
    return StudyResult(study="letters", rows=len(table.groups), dropped=table.all_dropped, findings=tuple(findings))


def _success(table: LettersTable, reading: Reading) -> list[Finding]:
    """Success counts every letter, also one in another language; groups in the table's order."""
    scorer = DocumentSuccess()
    documents = reading.documents or ("letter",) * len(reading.texts)
    values = scorer.score(reading.texts)
    places = sorted(range(len(table.groups)), key=lambda place: _rank(table, table.groups[place]))
    findings = success_findings(
        [table.groups[place] for place in places],
        [of_document(values[place].values.tolist(), documents[place]) for place in places],
        ScorerUse(scorer.role, scorer.name, scorer.version, scorer.sha256, scorer.stand_in),
        blocks=[table.block(place) for place in places],
        dropped=table.dropped,
    )
    # The other groups stand beside a group's own rate, as in every finding.
    return [replace(each, groups=tuple(dict.fromkeys([*each.groups, *table.compared]))) for each in findings]


def _rank(table: LettersTable, group: str) -> int:
    return table.compared.index(group) if group in table.compared else len(table.compared)


def _embedded(words: Sequence[str], chosen: str) -> Embedded:
    """The vectors of the words that have one, from a scorer of texts or from a file."""
    known = {info.name: info for info in describe()}
    if chosen in known:
        scorer = load(chosen)
        if scorer.role not in ("embedding", "word_vectors"):
            raise UsageError(f"The scorer “{chosen}” gives no vectors.", hint="Choose an embedder, or a file.")
        use = ScorerUse("word_vectors", scorer.name, scorer.version, scorer.sha256, scorer.role == "embedding")
        values = scorer.score(words)
    else:
        from_file = WordVectors(Path(chosen))
        use = ScorerUse("word_vectors", from_file.name, from_file.version, from_file.sha256, False)
        values = from_file.score(words)
    vectors = {
        word: value.values.astype(np.float64)
        for word, value in zip(words, values, strict=True)
        if value.values.size and np.linalg.norm(value.values) > 0
    }
    return Embedded(vectors, use)
