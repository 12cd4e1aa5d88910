"""Instances of Every Eval Ever (instance_level_eval.schema.json 0.2): one line for each sample."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from biasprint.core.tables.logs.parts import LogFormat, Values, failed, message_text, part_missing, row
from biasprint.core.tables.nested import as_text, at_path
from biasprint.core.tables.rows import Fault

TITLE = "Every Eval Ever"


def fits(record: Values) -> bool:
    return {"evaluation_id", "sample_id", "input"} <= record.keys() and bool({"output", "messages"} & record.keys())


def inside(whole: Values, path: Path) -> Sequence[Values] | None:
    """Refuse the file of a whole evaluation, which has no texts."""
    if {"schema_version", "evaluation_id", "evaluation_results"} <= whole.keys():
        raise part_missing(path, TITLE, "the text of each sample (it is in the jsonl file beside it)")
    return None


def rows(record: Values) -> Iterator[Values | Fault]:
    replies = at_path(record, "output.raw")
    if not isinstance(replies, list):
        replies = [replies if replies is not None else message_text(record.get("messages"))]
    asked = as_text(at_path(record, "input.raw"))
    score = at_path(record, "evaluation.score")
    more = (record.get("metadata"), {"sample_id": record["sample_id"], "evaluation_score": score})
    if record.get("error") and not any(replies):
        yield failed(refused="refus" in str(record["error"]), prompt=asked, model=record.get("model_id"), more=more)
        return
    for sample, reply in enumerate(replies):
        several = sample if len(replies) > 1 else None
        text = message_text(reply) if isinstance(reply, Mapping) else as_text(reply)
        yield row(text=text, prompt=asked, model=record.get("model_id"), sample=several, more=more)


FORMAT = LogFormat("every_eval_ever", TITLE, fits, lambda _: rows, inside)
