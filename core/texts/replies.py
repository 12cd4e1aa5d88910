"""Kinds of replies: a text that answers, a refusal, none at all, one that was cut off, or a failed request.

What has no text leaves before groups are counted, so each kind is counted by group of what was asked
(`biasprint.core.runs.measure.replies`).

Texts that come more than once from one prompt and generator: a copy is no new evidence and narrows no interval.

A copy of a long text that was imported is counted once. What else repeats is counted and named: a model may well give a
short answer twice, which looks the same as a copy.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from biasprint.core.backends.openai_compatible.failures import FILTERED
from biasprint.core.draw import digits
from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow
from biasprint.core.project.stores.runs import CUT, OutputFilter
from biasprint.core.scorers.refusal import REFUSAL, is_refusal
from biasprint.core.tables.rows import TableRead
from biasprint.core.texts.generators import IMPORTED, LETTER, NOT_WRITTEN, prompts_asked
from biasprint.core.texts.values import ORIGINAL_KEY

COPY = "exact copy, counted once"  # the reason for which a row is left out
LONG = 30  # words: asked again, a model hardly writes so many in the same way
REPEATED = "repeated"  # the part of a recipe that says how many rows repeat another and were counted
JUDGMENTS = "judgments"
AT_ONCE = 500  # texts
SAMPLE, WRITTEN_BY = "sample", "written_by"
WRITTEN = ("text", "generated", "response")  # fields of a table that hold what was written
SINGLE = ("block", "prompt", "score")  # fields that hardly any two rows without a text share
COPIES_SAID = "{copies} of {rows} rows are exact copies of others and were counted once: n = {n}."
REPEATS_SAID = (
    "{repeats} of {rows} rows repeat another of the same prompt and generator word for word. They are counted as "
    "samples of their prompt; if they are copies, n = {n}."
)
ReplyKind = Literal["answer", "refusal", "empty", "cut off", "failed"]
ANSWER: ReplyKind = "answer"
EMPTY: ReplyKind = "empty"
CUT_OFF: ReplyKind = "cut off"
FAILED: ReplyKind = "failed"
GENERATION_FAILED = "generation failed"
REPLY_KIND = "reply_kind"  # the column of a table that says it
# Failures that are a kind of reply; every other is a failed request.
_OF_FAILURE: dict[str, ReplyKind] = {REFUSAL: "refusal", "empty": EMPTY, "cut": CUT_OFF}


@dataclass(frozen=True)
class Repeats:
    """Rows that repeat an earlier one. `outputs`, `sources`: ids of copies. `counted`: how many of the others do."""

    outputs: frozenset[int] = frozenset()
    sources: frozenset[int] = frozenset()
    counted: int = 0

    @property
    def copies(self) -> int:
        return len(self.outputs) + len(self.sources)


def repeats_in(project: Project, study_id: int) -> Repeats:
    """Return the finished texts of a study that repeat one of the same prompt and generator."""
    generators, runs = project.runs.generators(), {run.id: run.generator_id for run in project.runs.all()}
    asked = prompts_asked(project, study_id)
    alike: dict[tuple[int, str, int], list[int]] = {}
    for key, run, prompt, length in project.outputs.lengths(study_id):
        alike.setdefault((runs[run], asked[prompt], length), []).append(key)
    outputs: set[int] = set()
    counted = 0
    for groups in _batches([(key[0], ids) for key, ids in alike.items() if len(ids) > 1]):  # the only texts to read
        texts = project.outputs.texts([key for _, ids in groups for key in ids])
        for generator, ids in groups:
            repeated = _later((key, texts[key]) for key in ids)
            imported = generators[generator].backend in NOT_WRITTEN
            copies = [key for key in repeated if imported and is_long(texts[key])]
            outputs.update(copies)
            counted += len(repeated) - len(copies)
    letters = {row.id: row for row in project.sources.each(study_id, kind=LETTER)}
    repeated = _later((key, (_cells(row.fields), row.text)) for key, row in letters.items())
    sources = [key for key in repeated if is_long(letters[key].text) and _imported(letters[key].fields)]
    return Repeats(frozenset(outputs), frozenset(sources), counted + len(repeated) - len(sources))


def counted_once(tables: Sequence[tuple[str, TableRead]]) -> tuple[list[tuple[str, TableRead]], int]:
    """Return the tables, each with its kind, without rows that copy another one; and how many others repeat one."""
    places = [(at, record) for at, (_, table) in enumerate(tables) for record in table.rows]
    repeated = _later((row, (tables[at][0], _cells(record.values))) for row, (at, record) in enumerate(places))
    copies: dict[int, set[int]] = {}
    counted = 0
    for row in repeated:
        at, record = places[row]
        text = next((record.values[name] for name in WRITTEN if name in record.values), "")
        if tables[at][0] == JUDGMENTS or (is_long(text) and _imported(record.values)):
            copies.setdefault(at, set()).add(record.number)
        else:
            counted += bool(text.strip() or any(record.values.get(name, "").strip() for name in SINGLE))
    return [(kind, _without(table, copies.get(at, set()))) for at, (kind, table) in enumerate(tables)], counted


def is_long(text: str) -> bool:
    return len(text.split(None, LONG)) >= LONG


def sentences(rows: int, copies: int, counted: int) -> list[str]:
    """Say in sentences how many of the rows are copies, which were left out, and how many were counted and repeat."""
    said = [COPIES_SAID.format(copies=digits.count(copies), rows=digits.count(rows), n=digits.count(rows - copies))]
    left = rows - copies - counted
    repeats = REPEATS_SAID.format(repeats=digits.count(counted), rows=digits.count(rows), n=digits.count(left))
    return [*(said if copies else []), *([repeats] if counted else [])]


def _batches(groups: Sequence[tuple[int, list[int]]]) -> Iterator[list[tuple[int, list[int]]]]:
    """The groups in pieces with so many texts that they can be read at once."""
    batch: list[tuple[int, list[int]]] = []
    for group in groups:
        batch.append(group)
        if sum(len(ids) for _, ids in batch) >= AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _later(rows: Iterable[tuple[int, Hashable]]) -> list[int]:
    """The keys of rows that equal an earlier one."""
    seen: set[Hashable] = set()
    later = []
    for key, row in rows:
        if row in seen:
            later.append(key)
        seen.add(row)
    return later


def _cells(values: Mapping[str, str]) -> Hashable:
    """Return the cells that copies share: all but the number of the sample, which importing gives to rows without."""
    return frozenset((name, value) for name, value in values.items() if name != SAMPLE)


def _imported(values: Mapping[str, str]) -> bool:
    """False for rows of an export that were generated, whose samples are real ones."""
    return values.get(WRITTEN_BY, IMPORTED).startswith(IMPORTED) or not values[WRITTEN_BY]


def _without(table: TableRead, numbers: set[int]) -> TableRead:
    if not numbers:
        return table
    rows = tuple(record for record in table.rows if record.number not in numbers)
    return replace(table, rows=rows, dropped={**table.dropped, COPY: len(table.rows) - len(rows)})


def reply_kind(row: OutputRow) -> ReplyKind:
    """Return the kind of reply that an output is, in whatever way a refusal came."""
    if row.status == "error":
        # Before there was a kind for it, a filter's failure was stored as one of a request that was not accepted.
        kind = REFUSAL if row.error.startswith(FILTERED) else row.failure
        return _OF_FAILURE.get(kind, FAILED)
    if not row.text.strip():
        return EMPTY
    if is_refusal(row.text):
        return "refusal"
    return CUT_OFF if row.finish_reason == CUT else ANSWER


def kind_in_table(values: Mapping[str, str], text: str) -> ReplyKind:
    """Return the kind of reply that a row of a table is: as its column says, else by its text."""
    said = values.get(REPLY_KIND, "").strip().casefold()
    if said in get_args(ReplyKind) and said != ANSWER:
        return cast(ReplyKind, said)
    if values.get("status", "") not in ("", "done"):
        return FAILED
    if not text.strip():
        return EMPTY
    return "refusal" if is_refusal(text) else ANSWER


def is_missing(row: OutputRow) -> bool:
    """Return whether an output has no text to measure."""
    return row.status == "error" or not row.text.strip()


def is_cut(fields: Mapping[str, str]) -> bool:
    """Return whether a row says that its text was cut off at the limit."""
    return REPLY_KIND in fields and fields[REPLY_KIND].strip().casefold() == CUT_OFF


def is_filtered(row: OutputRow) -> bool:
    """Return whether a filter, and not the model, held the text back."""
    return row.status == "error" and row.error.startswith(FILTERED)


def failures(project: Project, study_id: int) -> dict[str, int]:
    """Count the outputs of a study without a text, by the reason for which they are left out; empty for none."""
    failed = project.outputs.each(OutputFilter(study_id=study_id, status="error"))
    return dict(Counter(reason_of(reply_kind(row)) for row in failed))


def reason_of(kind: str) -> str:
    """Return the kind of a reply as a reason for which it is left out."""
    return GENERATION_FAILED if kind == FAILED else kind


def matched(row: OutputRow) -> str:
    """Return what counterfactual texts share: a matched block, a headline, or task and theme."""
    own = row.fields.get("block", "") or row.fields.get("prompt", "")
    story = row.fields.get(ORIGINAL_KEY, "") or row.fields.get("headline", "")
    return own or story or (f"{row.task}/{row.theme}" if row.task and row.theme else "")
