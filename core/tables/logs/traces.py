"""Exports of traces: Langfuse (csv, JSON or jsonl) and LangSmith (csv or jsonl)."""

from collections.abc import Iterator, Mapping
from typing import Any

from biasprint.core.tables.logs.parts import LogFormat, Values, as_json, failed, message_text, prompt_text, row
from biasprint.core.tables.nested import as_text, at_path
from biasprint.core.tables.rows import Fault

# ---- Langfuse


def fits_langfuse(record: Values) -> bool:
    return {"input", "output", "metadata"} <= record.keys() and bool({"timestamp", "startTime"} & record.keys())


def langfuse_rows(record: Values) -> Iterator[Values | Fault]:
    text = message_text(record["output"])
    more = (as_json(record["metadata"]), {name: record[name] for name in ("id", "name") if record.get(name)})
    columns: dict[str, Any] = {"prompt": prompt_text(record["input"]), "model": record.get("model"), "more": more}
    if not text and (record.get("level") == "ERROR" or record.get("statusMessage")):
        yield failed(**columns)
    else:
        yield row(text=text, **columns)


LANGFUSE = LogFormat("langfuse", "Langfuse", fits_langfuse, lambda _: langfuse_rows)

# ---- LangSmith


def fits_langsmith(record: Values) -> bool:
    return {"run_type", "inputs", "outputs"} <= record.keys()


def langsmith_rows(record: Values) -> Iterator[Values | Fault]:
    outputs, extra = as_json(record["outputs"]), as_json(record.get("extra"))
    metadata = at_path(extra, "metadata") if isinstance(extra, Mapping) else None
    own = {name: value for name, value in (metadata or {}).items() if not name.startswith("ls_")}
    written = outputs if isinstance(outputs, Mapping) else {}
    model = at_path(written, "llm_output.model_name") or (metadata or {}).get("ls_model_name")
    stopped = at_path(written, "generations.0.0.generation_info.finish_reason")
    reply = {name: value for name, value in written.items() if name != "llm_output"} or outputs
    columns: dict[str, Any] = {"prompt": prompt_text(as_json(record["inputs"])), "model": model, "more": (own,)}
    text = message_text(reply) or (as_text(next(iter(reply.values()))) if len(reply or ()) == 1 else "")
    yield failed(**columns) if record.get("error") else row(text=text, stopped=stopped, **columns)


LANGSMITH = LogFormat("langsmith", "LangSmith", fits_langsmith, lambda _: langsmith_rows)
