"""Projects whose texts are scored without a model, and a compute process that resamples a hundred times at most."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
from inline_compute import Inline

from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextKey
from biasprint.core.project.specs import ScoreSpec
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.live import LiveTally, LiveValue
from biasprint.core.runs.measure import measure_project
from biasprint.core.runs.setup import add_prompts, generator_spec, study_of
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.segment import is_english, words
from biasprint.core.studies.completion import live as completion
from biasprint.core.studies.completion.measure import measure
from biasprint.core.studies.completion.table import CompletionTable
from biasprint.core.studies.creativity import gather as creativity
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.letters import gather as letters
from biasprint.core.studies.news import gather as news

FEW = 100
DRAWS = "biasprint.core.studies.news.level.FEWEST_DEALS"
MEASURE_OF_LETTERS = "biasprint.core.studies.letters.measure"


class Quick(Inline):
    """Measures what is followed live, and resamples few times: estimates do not depend on it."""

    def call(self, target: Any, *args: Any, **named: Any) -> Any:
        if target == creativity.measure_creative_outputs:
            table, vectors, axes, scorer, how = args
            args = (table, vectors, axes, scorer, {**how, "parts": False, "resamples": FEW})
        if target == creativity.measure_creative_judgments:
            table, axes, how = args
            args = (table, axes, {**how, "parts": False, "resamples": FEW})
        if target == completion.measure_completion:
            columns, dropped, seed, *_ = args
            return measure(CompletionTable(**columns, dropped=dropped), seed=seed, resamples=FEW)
        if target == news.measure_news:
            with patch("biasprint.core.studies.news.measure.document_findings", _none), patch(DRAWS, 50):
                return super().call(target, *args, **named)
        if target == letters.measure_letters:
            values, uses, columns, reading, seed, *_ = args
            args = (values, uses, columns, {**reading, "entailment": ""}, seed)
            with patch.multiple(MEASURE_OF_LETTERS, **LEFT_OUT):
                return super().call(target, *args, **named)
        return super().call(target, *args, **named)


def _none(*_: object, **__: object) -> list[Any]:
    return []


def _read(texts: Sequence[str], tagger: str, ctx: object) -> tuple[list[Any], np.ndarray]:
    """No parts of speech, which take long; the language, as `part_words` tells it."""
    return [], np.array([is_english(words(text)) for text in texts])


# Of the measure of letters, what is not followed live.
LEFT_OUT = {
    "word_findings": _none, "weat_findings": _none, "words_needed": _none, "embedded": _none, "part_words": _read,
}  # fmt: skip


def written(project: Project, kind: str, *, model: str = "large", seed: int = 1, **chosen: Any) -> int:
    """A run of the synthetic author over prompts of a study; the run's id."""
    added = add_prompts(project, kind, **chosen)
    run = start_run(project, prompt_set_id=added.set_id, generator=generator_spec("synthetic", model, {}), seed=seed)
    generate(JobContext(), project, run, Inline())  # type: ignore[arg-type]
    return run


def store(project: Project, info: ScorerInfo, values: Mapping[TextKey, np.ndarray]) -> None:
    """Scores as if `info` had given them."""
    specs = [
        ScoreSpec(
            output_id=number if kind == "output" else None,
            source_id=number if kind == "source" else None,
            scorer=info.name,
            version=info.version,
            values=np.asarray(of, dtype=np.float32),
            summary=float(of[0]) if len(of) else None,
        )
        for (kind, number), of in values.items()
    ]
    project.scores.record_many(specs, embeddings=info.role == "embedding")


def tally_of(project: Project, kind: str, **how: Any) -> LiveTally:
    return LiveTally(project, study_of(project, kind), compute=Quick(), **how)  # type: ignore[arg-type]


def measured(project: Project, kind: str) -> list[Finding]:
    found = measure_project(JobContext(), project, kind, MeasureOptions(), Quick())  # type: ignore[arg-type]
    return list(found.result.findings)


def compared(values: Iterable[LiveValue], findings: Iterable[Finding]) -> int:
    """Hold every live estimate to the finding of its id, label and dims, to the last digit; how many there were."""
    known: dict[tuple[Any, ...], Finding] = {}
    for one in findings:
        known[one.id, one.label, one.variant, writer_once(one.dims.items()), pair_of(one)] = one
    count = 0
    for value in values:
        key = value.key
        groups = key.groups if len(key.groups) == 2 else ()
        finding = known.get((key.id, key.label, key.variant, writer_once(key.dims), groups))
        if finding is None:
            assert value.estimate is None or (key.id.startswith(ONLY_LIVE) and len(key.groups) == 1), key
            continue
        n = sum(finding.n_by_group.values()) if of_success(finding) else finding.n  # letters, also where pairs are told
        assert (value.estimate, value.n) == (finding.estimate, n), key
        count += 1
    return count


def writer_once(dims: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Without the model where the generator is told, whose name has it."""
    told = dict(dims)
    return tuple((name, value) for name, value in told.items() if name != "model" or "generator" not in told)


# Rates of single groups, which the measure tells in the notes of their differences.
ONLY_LIVE = "letters.style."
PAIRED = ("letters.lexicon", "letters.style")


def pair_of(finding: Finding) -> tuple[str, ...]:
    paired = finding.id.startswith(PAIRED) or of_success(finding)
    return finding.groups if paired and len(finding.groups) == 2 else ()


def of_success(finding: Finding) -> bool:
    return (finding.id, finding.label) == ("letters.success_rate", "difference")
