"""Output of OpenAI's Batch API: one line for each request, named by its `custom_id`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from biasprint.core.tables.logs.parts import LogFormat, Values, failed, message_text, row
from biasprint.core.tables.nested import at_path
from biasprint.core.tables.rows import Fault

_BETWEEN = re.compile(r"[|/:;,]+")


def fits(record: Values) -> bool:
    return "custom_id" in record and bool({"response", "error"} & record.keys())


def rows(record: Values) -> Iterator[Values | Fault]:
    """One row for each choice. The parts of `custom_id` are columns `custom_id.0`, `custom_id.1` …"""
    name = str(record["custom_id"])
    parts = _BETWEEN.split(name)
    own = {"custom_id": name, **({f"custom_id.{n}": part for n, part in enumerate(parts)} if len(parts) > 1 else {})}
    body = at_path(record, "response.body")
    if not isinstance(body, Mapping) or record.get("error") or body.get("error"):
        refused = "content_filter" in str(record.get("error") or at_path(record, "response.body.error.code"))
        yield failed(refused=refused, more=(own,))
        return
    choices = body.get("choices") or [{"message": {"content": message_text(body.get("output"))}}]
    for sample, choice in enumerate(choices):
        text = message_text(at_path(choice, "message.content") or choice.get("text"))
        several = sample if len(choices) > 1 else None
        stopped = choice.get("finish_reason")
        columns: dict[str, Any] = {"model": body.get("model"), "sample": several, "more": (own,)}
        if not text and (at_path(choice, "message.refusal") or stopped == "content_filter"):
            yield failed(refused=True, **columns)
        else:
            yield row(text=text, stopped=stopped, **columns)


FORMAT = LogFormat("openai_batch", "OpenAI's Batch API", fits, lambda _: rows)
