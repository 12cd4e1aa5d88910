"""Samples of the LM Evaluation Harness (`--log_samples`): one line for each document and filter."""

from collections.abc import Iterator
from pathlib import Path

from biasprint.core.tables.logs.parts import LogFormat, RecordReader, Values, row
from biasprint.core.tables.nested import as_text, at_path
from biasprint.core.tables.rows import Fault


def fits(record: Values) -> bool:
    return {"doc_id", "doc", "resps"} <= record.keys()


def reader(path: Path) -> RecordReader:
    """Rows of the first filter: each document comes once for every filter, with the same replies."""
    first: list[str] = []

    def rows(record: Values) -> Iterator[Values | Fault]:
        used = as_text(record.get("filter"))
        first[:] = first or [used]
        if used != first[0]:
            return
        replies = record["resps"][0] if isinstance(record["resps"], list) and record["resps"] else []
        if not isinstance(replies, list):
            replies = [replies]
        if not replies or not all(isinstance(reply, str) for reply in replies):
            yield Fault("no text in the reply", "the task compares likelihoods of given answers")
            return
        asked = as_text(at_path(record, "arguments.gen_args_0.arg_0") or at_path(record, "arguments.0.0"))
        more = (record["doc"], {"doc_id": record["doc_id"]})
        for sample, reply in enumerate(replies):
            several = sample if len(replies) > 1 else None
            yield row(text=reply, prompt=asked, sample=several, more=more)

    return rows


FORMAT = LogFormat("lm_eval", "the LM Evaluation Harness", fits, reader)
