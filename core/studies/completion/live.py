"""Live figures of filling in the blank: shares of positive, negative and neutral options, and their differences.

Replies to fill-in-the-blank items: gathered from a project or from tables, measured in the compute process.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.anytime import FIRST_CLUSTERS, clustered_share_band, normal_band
from biasprint.core.metrics.associations import CHOSEN, DELTAS, GIVEN, conditional_likelihoods, delta_values
from biasprint.core.metrics.result import Bounds
from biasprint.core.metrics.result import Floats as Doubles
from biasprint.core.metrics.sums import ClusterSums
from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow
from biasprint.core.project.specs import PromptSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.drafts import PLAIN_ARM
from biasprint.core.studies.completion.author import completion_trial
from biasprint.core.studies.completion.measure import DELTA_ID, IRRELEVANT_ID, LIKELIHOOD_ID, measure
from biasprint.core.studies.completion.prompts import DIRECTIONS, DOMAINS, PRONOUNS
from biasprint.core.studies.completion.table import IRRELEVANT, REQUIRED, CompletionTable, read_reply
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.importing import MODEL, SAMPLE, ImportedText, sample_numbers, store_outputs
from biasprint.core.studies.kit.live import LiveKey, LiveValue, StudyTally, banded, undefined
from biasprint.core.studies.kit.plain_measuring import Prepared, called, taken, units_or_prompts
from biasprint.core.studies.kit.study import OwnWork, StudyWork
from biasprint.core.tables.fields import columns_there
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.text import sha256_text
from biasprint.core.texts.generators import POOLED, prompts_asked
from biasprint.core.texts.replies import failures

SHARE, DIFFERENCE = "proportion", "difference of proportions"
Dims = tuple[tuple[str, str], ...]
ALL = -1  # domains, or pronouns, together


# ---- Importing replies

REPLY = "response"

REPLIES_NOTE = "The items were part of the imported table, the wording of the question was not."


def store_replies(
    work: StudyWork, ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead
) -> int:
    """Store replies, and return the number added. A table that cannot be stored is refused before anything is."""
    check_replies(table)
    samples = sample_numbers(table.rows, ((_reply_key(row), row.values.get(MODEL, "")) for row in table.rows))
    items = [
        ImportedText(_item(record), record.values.get(MODEL, ""), sample, record.values[REPLY])
        for record, sample in zip(table.rows, samples, strict=True)
    ]
    study_id = study_id or work.declared().added_to(project)
    return store_outputs(ctx, project, study_id, origin, items, REPLIES_NOTE)


def check_replies(table: TableRead) -> None:
    """Raise `AppError` where no column holds the replies: single replies may be empty, so reading does not ask."""
    if REPLY not in table.mapping:
        raise AppError(
            "No column was recognised as response (what the model answered).",
            hint=f"Map one with response=column. {columns_there(table.columns)}",
        )


def _item(record: Record) -> PromptSpec:
    fields = _item_fields(record.values)
    return PromptSpec(key=_reply_key(record), text="", task="completion", theme=fields["domain"][:200], fields=fields)


def _reply_key(record: Record) -> str:
    fields = _item_fields(record.values)
    return f"imported/completion/{sha256_text(repr(sorted(fields.items())))[:32]}"


def _item_fields(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name not in (REPLY, MODEL, SAMPLE)}


COLUMNS = (
    "domain", "direction", "pronoun", "given", "positive", "negative", "neutral", "response", "term", "context",
    "model", "order",
)  # fmt: skip


def of_tables(
    ctx: JobContext, read: Sequence[tuple[str, TableRead]], options: MeasureOptions, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of replies in tables."""
    tables = [table for _, table in read]
    dropped: Counter[str] = Counter()
    for table in tables:
        dropped.update(table.dropped)
        check_replies(table)
    rows = [record.values for table in tables for record in table.rows]
    result = _measure(ctx, compute, rows, dict(dropped), options.seed)
    return replace(result, rows=sum(table.total for table in tables)), []


def prepared(
    ctx: JobContext, project: Project, study_id: int, options: MeasureOptions, compute: ComputeProcess
) -> list[Prepared]:
    """The columns of a project's replies. Those after one given term are kept together."""
    replies = list(project.outputs.each(OutputFilter(study_id=study_id, status="done")))
    if not replies:
        raise AppError("There is no reply to measure yet.", hint="Generate or import replies first.")
    rows = [{**row.fields, "response": row.text, "model": model_of(row)} for row in replies]
    asked, failed = prompts_asked(project, study_id), failures(project, study_id)
    prompts = tuple(asked[row.prompt_id] for row in replies)
    of_replies = Prepared(
        *called(measure_completion, _columns(rows), failed, options.seed),
        take=take,
        prompts=prompts,
        units=units_or_prompts((row.get("term", "") for row in rows), prompts),
        texts=len(rows) + sum(failed.values()),
    )
    return [of_replies]


def take(args: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    """Return the arguments with some of the replies, in the compute process."""
    columns, *rest = args
    return taken(columns, places), *rest


BY_LIKELIHOOD = {"logprob": ", by likelihood", "corrected": ", by corrected likelihood"}


def model_of(row: OutputRow) -> str:
    """Return the model, how it chose, and the instruction of a mitigation arm: each of them is measured separately."""
    how = "" if row.model == POOLED else BY_LIKELIHOOD.get(str(row.detail.get("chosen_by", "")), "")
    model = row.model + how
    arm = row.fields.get("arm", PLAIN_ARM)
    return model if arm == PLAIN_ARM else f"{model}, with {arm}"


def _measure(
    ctx: JobContext, compute: ComputeProcess, rows: Sequence[Mapping[str, str]], dropped: Mapping[str, int], seed: int
) -> StudyResult:
    return compute.call(measure_completion, _columns(rows), dict(dropped), seed, ctx=ctx)


def _columns(rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    return {name: [row.get(name, "") for row in rows] for name in COLUMNS}


def measure_completion(columns: Mapping[str, Sequence[str]], dropped: Mapping[str, int], seed: int) -> StudyResult:
    """Measure the study over the columns, in the compute process."""
    return measure(CompletionTable(**columns, dropped=dropped), seed=seed)


class CompletionTally(StudyTally):
    """Follows the replies of a study: counts by cell, and by given term and pair of options for the bands."""

    def __init__(self, project: Project, study_id: int, compute: ComputeProcess) -> None:
        self._cells: dict[tuple[str, int, int, int], _Cell] = {}
        self._replies = 0

    def text(self, row: OutputRow) -> None:
        fields = {name: row.fields.get(name, "") for name in (*REQUIRED, "term", "context")}
        reply = read_reply({**fields, "response": row.text, "model": model_of(row)}, self._replies)
        self._replies += 1
        if isinstance(reply, str):
            return
        domain, direction, pronoun, given = reply.places
        for place in product((domain, ALL), (pronoun, ALL)):
            cell = self._cells.setdefault((reply.model, direction, *place), _Cell())
            cell.add(given, reply.outcome, reply.term, reply.pair)

    def values(self) -> list[LiveValue]:
        models = list(dict.fromkeys(model for model, *_ in self._cells))
        values: list[LiveValue] = []
        for model, direction in product(models, range(len(DIRECTIONS))):
            inside = {key[2:]: cell for key, cell in self._cells.items() if key[:2] == (model, direction)}
            domains = sorted({domain for domain, _ in inside} - {ALL})
            pronouns = sorted({pronoun for _, pronoun in inside} - {ALL})
            named = {"model": model or "(no name)"} if len(models) > 1 else {}
            # As the measure has it: all together where there are several, then each by itself.
            for domain in [*([ALL] if len(domains) > 1 else []), *domains]:
                for pronoun in [ALL, *(pronouns if len(pronouns) > 1 else [])]:
                    if cell := inside.get((domain, pronoun)):
                        dims = {**named, "direction": DIRECTIONS[direction]}
                        dims |= {"domain": DOMAINS[domain]} if domain != ALL else {}
                        dims |= {"pronoun": PRONOUNS[pronoun]} if pronoun != ALL else {}
                        values += cell.values(tuple(dims.items()))
        return values


class _Cell:
    """Replies that are looked at together: how often each outcome followed each polarity, by what they share."""

    def __init__(self) -> None:
        outcomes = IRRELEVANT + 1
        self._terms, self._pairs, self._both = (ClusterSums(outcomes) for _ in range(3))
        self._made: dict[Dims, list[LiveValue]] = {}  # since the last reply

    def add(self, given: int, outcome: int, term: Hashable, pair: Hashable) -> None:
        self._made.clear()
        for sums, cluster in ((self._terms, term), (self._pairs, pair), (self._both, (term, pair))):
            row = np.zeros(sums.width)
            row[outcome] = 1
            sums.add(cluster, given, row)

    def values(self, dims: Dims) -> list[LiveValue]:
        """Made again for cells that a reply was added to: bands of shares are found by bisection."""
        if dims not in self._made:
            self._made[dims] = list(self._values(dims))
        return self._made[dims]

    def _values(self, dims: Dims) -> Iterator[LiveValue]:
        counts = np.array([self._terms.totals(given) for given in range(len(GIVEN))])
        chosen = counts[:, :IRRELEVANT]
        n = int(chosen.sum())
        for place, likelihood in enumerate(conditional_likelihoods(chosen)):
            given = (place // 3,) if place < 6 else tuple(range(len(GIVEN)))
            key = LiveKey(LIKELIHOOD_ID, likelihood.label, "", dims)
            if likelihood.n == 0:
                yield undefined(key, SHARE, n, likelihood.reason)
            else:
                yield self._share(key, likelihood.chosen, likelihood.n, place % 3, given)
        for place, value in enumerate(delta_values(chosen)):
            key = LiveKey(DELTA_ID, DELTAS[place], "", dims)
            if value is None:
                yield undefined(key, DIFFERENCE, n, "a polarity has no usable reply yet")
            else:
                yield self._difference(key, n, value, place, chosen)
        together = int(counts.sum())
        key = LiveKey(IRRELEVANT_ID, "irrelevant", "", dims)
        yield self._share(key, int(counts[:, IRRELEVANT].sum()), together, IRRELEVANT, (0, 1))

    def _share(self, key: LiveKey, times: int, n: int, column: int, given: tuple[int, ...]) -> LiveValue:
        share, among = times / n, IRRELEVANT + (column == IRRELEVANT)
        slope = np.zeros(IRRELEVANT + 1)
        slope[:among] = -share / n
        slope[column] += 1 / n
        return self._banded(key, SHARE, n, share, dict.fromkeys(given, slope))

    def _difference(self, key: LiveKey, n: int, value: float, place: int, chosen: Doubles) -> LiveValue:
        slopes = {}
        for given, sign in ((0, 1.0), (1, -1.0)):
            whole = float(chosen[given].sum())
            slope = np.zeros(IRRELEVANT + 1)
            slope[: len(CHOSEN)] = -chosen[given, place] / whole / whole
            slope[place] += 1 / whole
            slopes[given] = sign * slope
        return self._banded(key, DIFFERENCE, n, value, slopes)

    def _banded(self, key: LiveKey, unit: str, n: int, value: float, slopes: Mapping[int, Doubles]) -> LiveValue:
        """Replies share given terms and pairs of options: their errors add up, less what both have in common."""
        terms = min(self._terms.clusters(given) for given in slopes)
        units = min(terms, self._pairs.clusters(*slopes))
        if units < FIRST_CLUSTERS:
            reason = f"a band needs {FIRST_CLUSTERS} terms and pairs of options; so far there are {units}"
            return banded(key, unit, n, value, None, reason)
        of_terms, of_pairs, common = (
            (sums.error(slopes) or 0.0) ** 2 for sums in (self._terms, self._pairs, self._both)
        )
        error = max(of_terms + of_pairs - common, of_terms, of_pairs) ** 0.5
        if unit == SHARE:
            return banded(key, unit, n, value, clustered_share_band(value, n, error, units))
        if not error:
            return banded(key, unit, n, value, None, "nothing varies yet")
        bounds = normal_band(value, error, units)
        return banded(key, unit, n, value, Bounds(max(-1.0, bounds.low), min(1.0, bounds.high), bounds.method))


class CompletionWork(OwnWork):
    """Replies to fill-in-the-blank items."""

    store = store_replies
    of_tables = staticmethod(of_tables)
    prepared = staticmethod(prepared)
    live = CompletionTally
    simulated = staticmethod(completion_trial)
