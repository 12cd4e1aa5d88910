"""What the texts of a run turned out to be: refusals, empty, repetitive and off-task ones, counted as they come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.jobs import JobContext
from desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from core.project.project import Project
    from core.project.rows import OutputRow

AT_ONCE = 50  # texts; a letter takes about 15 ms
COMPLETION = "completion"
LETTERS = "letters"  # alone has a rule for what is off task


@dataclass(frozen=True)
class Tally:
    """Counts by kind over the `texts` looked at, the last of which has the id `last`."""

    last: int = 0
    texts: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)


def add_to_tally(ctx: JobContext, project: "Project", run_id: int, study: str, before: Tally) -> tuple[Tally, bool]:
    """The tally with the run's next texts, and whether there may be more. Texts stay as they are: this only counts.

    Replies of the completion study: what names no option, or two. Everything else: the rules of the success scorer,
    which runs in the compute process and loads its sentence splitter there.
    """
    from core.project.stores.runs import OutputFilter

    where = OutputFilter(run_id=run_id, status="done")
    rows = project.outputs.page(before.last, AT_ONCE, where)
    if not rows:
        return before, False
    counts = dict(before.counts)
    for kind in _replies(rows) if study == COMPLETION else _texts(ctx, rows):
        if kind:
            counts[kind] = counts.get(kind, 0) + 1
    return replace(before, last=rows[-1].id, texts=before.texts + len(rows), counts=counts), len(rows) == AT_ONCE


def _replies(rows: "Sequence[OutputRow]") -> list[str]:
    from core.runs.writing import OPTIONS
    from core.scorers.refusal import is_refusal
    from core.studies.completion.replies import chosen_option

    found = []
    for row in rows:
        if chosen_option(row.text, [row.fields.get(option, "") for option in OPTIONS]) is not None:
            found.append("")
        elif not row.text.strip():
            found.append("empty")
        else:
            found.append("refusal" if is_refusal(row.text) else "off task")
    return found


def _texts(ctx: JobContext, rows: "Sequence[OutputRow]") -> list[str]:
    from core.compute import shared
    from core.scorers.document_success import Outcome, of_document

    _, values = shared().call(
        "core.scorers.registry:score_batch", "document_success", [row.text for row in rows], ctx=ctx, on_report=_quiet
    )
    # A task of another study is no document: nothing is off task there.
    outcomes = [of_document(one.values.tolist(), row.task) for one, row in zip(values, rows, strict=True)]
    return ["" if one is Outcome.SUCCESS else one.words for one in outcomes]


def _quiet(done: int, total: int | None, note: str) -> None:
    """The counts themselves are what is shown."""


_WORDS: Mapping[str, tuple[str, str]] = {
    "refusal": ("1 refusal", "%n refusals"),
    "empty": ("1 empty", "%n empty"),
    "repetitive": ("1 repetitive", "%n repetitive"),
    "off task": ("1 off task", "%n off task"),
}


def tally_words(tally: Tally, study: str) -> str:
    """The counts in a sentence, those that were looked for and not found included."""
    if not tally.texts:
        return ""
    kinds = [kind for kind in _WORDS if tally.counts.get(kind) or _looked_for(kind, study)]
    found = ", ".join(plural(tally.counts.get(kind, 0), *_WORDS[kind]) for kind in kinds)
    return tr("{found}, of {texts} looked at.").format(
        found=found, texts=plural(tally.texts, "1 text", "%n texts")
    )  # fmt: skip


def _looked_for(kind: str, study: str) -> bool:
    if kind == "off task":
        return study in (LETTERS, COMPLETION)
    return kind != "repetitive" or study != COMPLETION


HOW = (
    "Counted by rules as the texts come, for a first look: a short text that declines near its beginning, one without "
    "a word, one that repeats itself; in letters also one in which nobody recommends, in replies one that names no "
    "option or two. No text is left out because of it."
)
