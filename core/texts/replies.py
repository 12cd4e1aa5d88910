"""Kinds of replies: a text that answers, a refusal, none at all, one that was cut off, or a failed request.

What has no text leaves before groups are counted, so each kind is counted by group of what was asked
(`biasprint.core.runs.measure.replies`).
"""

from collections import Counter
from collections.abc import Mapping
from typing import Literal, cast, get_args

from biasprint.core.backends.openai_compatible.failures import FILTERED
from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow
from biasprint.core.project.stores.runs import CUT, OutputFilter
from biasprint.core.scorers.refusal import REFUSAL, is_refusal
from biasprint.core.texts.values import ORIGINAL_KEY

ReplyKind = Literal["answer", "refusal", "empty", "cut off", "failed"]
ANSWER: ReplyKind = "answer"
EMPTY: ReplyKind = "empty"
CUT_OFF: ReplyKind = "cut off"
FAILED: ReplyKind = "failed"
GENERATION_FAILED = "generation failed"
REPLY_KIND = "reply_kind"  # the column of a table that says it
# Failures that are a kind of reply; every other is a failed request.
_OF_FAILURE: dict[str, ReplyKind] = {REFUSAL: "refusal", "empty": EMPTY, "cut": CUT_OFF}


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
