"""Logs and results that other programs wrote, known by their content: a section for each family, all in LOG_FORMATS."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.tables.rows import Fault, as_text, at_path

Values = Mapping[str, Any]
RecordReader = Callable[[Values], Iterable[Values | Fault]]

# Reasons why a model stopped, by every name that the logs have for them → the column `reply_kind`.
_REPLY_KINDS = {
    "length": "cut off", "max_tokens": "cut off", "model_length": "cut off", "content_filter": "refusal",
    "refusal": "refusal",
}  # fmt: skip
# Where a message, or the response that holds one, keeps its text; the first that is there counts.
_TEXT_KEYS = ("content", "text", "completion", "output", "answer", "response", "generations", "choices", "message",
              "messages", "kwargs", "parts", "raw")  # fmt: skip
_DEEPEST = 12


@dataclass(frozen=True)
class LogFormat:
    """A log that another program wrote. It is recognised by its content, whatever the file is called.

    `fits`: is this record one of its? `reader`: what makes rows of each record, for a file at a path. `inside`: the
    records of a whole JSON document of this format, None for another one; it raises `AppError` for a version that
    cannot be read or a part that is missing.
    """

    name: str
    title: str
    fits: Callable[[Values], bool]
    reader: Callable[[Path], RecordReader]
    inside: Callable[[Values, Path], Sequence[Values] | None] = lambda whole, path: None


def having(needed: set[str], one_of: set[str] | None = None) -> Callable[[Values], bool]:
    """Return the condition that a record has all of these keys, and one of those at least."""
    return lambda record: needed <= record.keys() and (one_of is None or bool(one_of & record.keys()))


def message_text(value: Any, depth: int = 0) -> str:
    """Return the text of a reply: a plain text, a message, its parts, or the last of several messages.

    A text that holds one of these as JSON is read too. "" where there is none.
    """
    if depth > _DEEPEST or value is None:
        return ""
    if isinstance(value, str):
        inner = as_json(value)
        return (message_text(inner, depth + 1) if isinstance(inner, dict | list) else "") or value
    if isinstance(value, list):
        return _text_of_list(value, depth)
    if isinstance(value, Mapping):
        inner = next((value[key] for key in _TEXT_KEYS if value.get(key) not in (None, "", [])), None)
        return message_text(inner, depth + 1)
    return as_text(value)


def _text_of_list(items: Sequence[Any], depth: int) -> str:
    if not items:
        return ""
    parts = [part for part in items if isinstance(part, Mapping) and part.get("type") in ("text", "output_text")]
    if parts and "role" not in parts[0]:  # the parts of one message
        return "".join(as_text(part.get("text")) for part in parts if not isinstance(part.get("text"), Mapping))
    spoken = [item for item in items if isinstance(item, Mapping) and item.get("role") == "assistant"]
    if any(isinstance(item, Mapping) and item.get("type") == "ChatGeneration" for item in items):
        return message_text(items[0], depth + 1)
    return message_text((spoken or items)[-1], depth + 1)


def prompt_text(value: Any) -> str:
    """Return the text of a prompt: of several messages the last that a user wrote."""
    if isinstance(value, str):
        inner = as_json(value)
        return prompt_text(inner) if isinstance(inner, dict | list) else value
    if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
        return prompt_text(value["messages"])
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return prompt_text(value[0])
        asked = [item for item in value if isinstance(item, Mapping) and _role(item) in ("user", "human")]
        return message_text((asked or value)[-1]) if value else ""
    if isinstance(value, Mapping) and len(value) == 1:
        return prompt_text(next(iter(value.values())))
    return message_text(value)


def _role(message: Values) -> Any:
    kind = message.get("id")
    of_class = str(kind[-1]).removesuffix("Message").casefold() if isinstance(kind, list) and kind else None
    return message.get("role") or message.get("type") or of_class


def as_json(text: Any) -> Any:
    """Return the value that a cell holds as JSON, or the cell itself; numbers stay as they are written."""
    if not isinstance(text, str) or not text.lstrip().startswith(("{", "[", '"')):
        return text
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return text


def row(*, text: str, prompt: str = "", model: Any = None, stopped: Any = None, sample: Any = None,
        more: Iterable[Any] = ()) -> dict[str, str]:  # fmt: skip
    """Return the columns of one reply. `stopped`: why the model stopped; `more`: objects whose values get columns."""
    values = {"text": text, "prompt": prompt, "model": as_text(model), "sample": as_text(sample)}
    values = {name: value for name, value in values.items() if value or name == "text"}
    if kind := _REPLY_KINDS.get(str(stopped)):
        values["reply_kind"] = kind
    for part in more:
        if isinstance(part, Mapping):
            for name, value in part.items():
                values.setdefault(
                    name if name not in ("text", "prompt", "model") else f"metadata {name}", as_text(value)
                )
    return values


def failed(*, refused: bool = False, **columns: Any) -> dict[str, str]:
    """Return the columns of a request that gave no text."""
    return {**row(text="", **columns), "reply_kind": "refusal" if refused else "failed"}


def other_version(path: Path, title: str, version: Any, known: Sequence[str]) -> AppError:
    """Return the error for a file of a version that cannot be read."""
    return AppError(
        f"“{path.name}” is a file of {title} in version {version or 'unknown'}, which cannot be read.",
        hint=f"Versions that can be read: {', '.join(known)}. Export it as csv there.",
    )


def part_missing(path: Path, title: str, part: str) -> AppError:
    """Return the error for a file that lacks a part."""
    return AppError(
        f"“{path.name}” looks like a file of {title}, but {part} is missing.", hint="Save or export it again."
    )


# ---- inspect_ai: `.json`, and `.eval`, an archive with one file for each sample (its log format, version 2)

INSPECT_TITLE = "inspect_ai"
INSPECT_VERSIONS = ("1", "2")
ATTACHED = "attachment://"


def inspect_inside(whole: Values, path: Path) -> Sequence[Values] | None:
    """The samples of a `.json` log."""
    if not (isinstance(whole.get("eval"), Mapping) and "version" in whole):
        return None
    check_inspect_header(whole, path)
    if not isinstance(whole.get("samples"), list):
        raise part_missing(path, INSPECT_TITLE, "the list of samples")
    return whole["samples"]  # type: ignore[no-any-return]


def check_inspect_header(whole: Values, path: Path) -> None:
    """Raise `AppError` for a log of a version that is not known."""
    if str(whole.get("version")) not in INSPECT_VERSIONS:
        raise other_version(path, INSPECT_TITLE, whole.get("version"), INSPECT_VERSIONS)


def inspect_rows(record: Values) -> Iterator[Values | Fault]:
    attachments = record.get("attachments")
    missing: list[str] = []
    output = _attached(record.get("output"), attachments, missing)
    asked = _attached(record.get("input"), attachments, missing)
    if missing:
        yield Fault("attachment is missing", f"the log names “{missing[0][:40]}” and does not hold it")
        return
    scores = {f"score {name}": at_path(score, "value") for name, score in (record.get("scores") or {}).items()}
    columns: dict[str, Any] = {
        "prompt": prompt_text(asked),
        "model": at_path(output, "model") if isinstance(output, Mapping) else None,
        "more": (record.get("metadata"), {"id": record.get("id"), "epoch": record.get("epoch"), **scores}),
    }
    text = message_text(at_path(output, "choices.0.message") or at_path(output, "completion")) if output else ""
    stopped = at_path(output, "choices.0.stop_reason") if output else None
    if record.get("error") or (not text and stopped == "content_filter"):
        yield failed(refused=stopped == "content_filter", **columns)
    else:
        yield row(text=text, stopped=stopped, **columns)


def _attached(value: Any, attachments: Any, missing: list[str]) -> Any:
    """Return the value with every long text that the log keeps apart in its place."""
    if isinstance(value, str) and value.startswith(ATTACHED):
        name = value.removeprefix(ATTACHED)
        if isinstance(attachments, Mapping) and name in attachments:
            return attachments[name]
        missing.append(name)
        return ""
    if isinstance(value, Mapping):
        return {key: _attached(part, attachments, missing) for key, part in value.items()}
    return [_attached(part, attachments, missing) for part in value] if isinstance(value, list) else value


INSPECT_FORMAT = LogFormat(
    "inspect_ai", INSPECT_TITLE, having({"id", "epoch", "input", "output"}), lambda _: inspect_rows, inspect_inside
)


# ---- promptfoo: the JSON of `promptfoo eval -o` (results of version 2 and 3), its jsonl, and its csv

PROMPTFOO_TITLE = "promptfoo"
PROMPTFOO_VERSIONS = ("2", "3")
_COLUMN = re.compile(r"\[([^\]]+)\] (.*)", re.DOTALL)  # [provider] prompt
_VERDICT = re.compile(r"\[(PASS|FAIL|ERROR)\]\s?(?:\(\d[\d.]*\)\s?)?")


def promptfoo_inside(whole: Values, path: Path) -> Sequence[Values] | None:
    """The results of a JSON file."""
    results = whole.get("results")
    if not isinstance(results, Mapping) or not ({"evalId", "config"} & whole.keys() or "stats" in results):
        return None
    if (version := as_text(results.get("version"))) not in PROMPTFOO_VERSIONS:
        raise other_version(path, PROMPTFOO_TITLE, version, PROMPTFOO_VERSIONS)
    if not isinstance(results.get("results"), list):
        raise part_missing(path, PROMPTFOO_TITLE, "the list of results")
    return results["results"]  # type: ignore[no-any-return]


def promptfoo_reader(path: Path) -> RecordReader:
    """Rows of results. Two providers of one name and prompt, such as one model at two temperatures, get numbers."""
    names: dict[str, str] = {}  # of each column of the evaluation, which promptfoo numbers as promptIdx
    used: Counter[tuple[str, str]] = Counter()

    def rows(record: Values) -> Iterator[Values | Fault]:
        provider = record["provider"]
        model = as_text((provider.get("label") or provider.get("id")) if isinstance(provider, Mapping) else provider)
        column = as_text(record.get("promptIdx"))
        if column and column not in names:
            used[of := (model, as_text(record.get("promptId") or at_path(record, "prompt.label")))] += 1
            names[column] = model if used[of] == 1 else f"{model} ({used[of]})"
        output = at_path(record, "response.output")
        asked = message_text(at_path(record, "prompt.raw") or record["prompt"])
        columns: dict[str, Any] = {"prompt": asked, "model": names.get(column, model), "more": (record.get("vars"),)}
        if output in (None, ""):
            yield failed(refused=at_path(record, "response.isRefusal") is True, **columns)
        else:
            yield row(text=message_text(output), stopped=at_path(record, "response.finishReason"), **columns)

    return rows


PROMPTFOO_FORMAT = LogFormat(
    "promptfoo",
    PROMPTFOO_TITLE,
    having({"provider", "prompt", "vars"}, {"response", "error"}),
    promptfoo_reader,
    promptfoo_inside,
)


# A csv of promptfoo: a column of texts for each provider and prompt, with the verdict before each text


def promptfoo_fits_csv(record: Values) -> bool:
    return any(_COLUMN.fullmatch(name) and _VERDICT.match(as_text(cell)) for name, cell in record.items())


def promptfoo_csv_rows(record: Values) -> Iterator[Values | Fault]:
    columns = {name: hit for name in record if (hit := _COLUMN.fullmatch(name))}
    others = {name: cell for name, cell in record.items() if name not in columns}
    for name, hit in columns.items():
        verdict = _VERDICT.match(cell := as_text(record[name]))
        text = cell[verdict.end() :] if verdict else cell
        if verdict and verdict[1] == "ERROR":
            yield failed(prompt=_filled(hit[2], others), model=hit[1], more=(others,))
        else:
            yield row(text=text, prompt=_filled(hit[2], others), model=hit[1], more=(others,))


def _filled(template: str, values: Values) -> str:
    return re.sub(r"{{\s*(\w+)\s*}}", lambda hit: as_text(values.get(hit[1], hit[0])), template)


PROMPTFOO_CSV = LogFormat("promptfoo_csv", f"{PROMPTFOO_TITLE} (csv)", promptfoo_fits_csv, lambda _: promptfoo_csv_rows)


# ---- the LM Evaluation Harness (`--log_samples`): one line for each document and filter


def lm_eval_reader(path: Path) -> RecordReader:
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


LM_EVAL = LogFormat("lm_eval", "the LM Evaluation Harness", having({"doc_id", "doc", "resps"}), lm_eval_reader)


# ---- OpenAI's Batch API: one line for each request, named by its `custom_id`

_BETWEEN = re.compile(r"[|/:;,]+")


def batch_rows(record: Values) -> Iterator[Values | Fault]:
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


OPENAI_BATCH = LogFormat(
    "openai_batch", "OpenAI's Batch API", having({"custom_id"}, {"response", "error"}), lambda _: batch_rows
)


# ---- HELM: `scenario_state.json`, and `display_predictions.json` with the files beside it in its run's folder

HELM_TITLE = "HELM"
MOST_BYTES_BESIDE = 1024**3


def helm_inside(whole: Values, path: Path) -> Sequence[Values] | None:
    """The requests of a scenario state."""
    if "adapter_spec" not in whole:
        return None
    if not isinstance(whole.get("request_states"), list):
        raise part_missing(path, HELM_TITLE, "the list of requests")
    return whole["request_states"]  # type: ignore[no-any-return]


def helm_state_rows(record: Values) -> Iterator[Values | Fault]:
    instance = record["instance"]
    completions = at_path(record, "result.completions") or []
    more = ({"instance_id": at_path(instance, "id")}, instance.get("extra_data"), _perturbation(instance))
    for sample, completion in enumerate(completions):
        yield row(
            text=as_text(completion.get("text")), prompt=as_text(at_path(instance, "input.text")),
            model=at_path(record, "request.model"), sample=sample if len(completions) > 1 else None,
            stopped=at_path(completion, "finish_reason.reason"), more=more,
        )  # fmt: skip
    if not completions:
        yield Fault("no text in the reply", "the request gave no completion")


HELM_STATE = LogFormat(
    "helm_state", HELM_TITLE, having({"instance", "request", "result"}), lambda _: helm_state_rows, helm_inside
)


def helm_prediction_reader(path: Path) -> RecordReader:
    """Rows of predictions, with the instances and requests of the files beside it, where they are there."""
    instances = {(as_text(item.get("id")), helm_kind(item)): item for item in helm_beside(path, "instances.json")}
    models = {as_text(at_path(item, "request.model")) for item in helm_beside(path, "display_requests.json")}
    model = models.pop() if len(models) == 1 else None

    def rows(record: Values) -> Iterator[Values | Fault]:
        if "predicted_text" not in record:
            raise part_missing(path, HELM_TITLE, "the text of the predictions (it is in display_predictions.json)")
        name = as_text(record["instance_id"])
        instance = instances.get((name, helm_kind(record)), {})
        own = {"instance_id": name, "train_trial_index": record.get("train_trial_index")}
        more = (own, instance.get("extra_data"), _perturbation(instance or record))
        asked = as_text(at_path(instance, "input.text"))
        yield row(text=as_text(record["predicted_text"]), prompt=asked, model=model, more=more)

    return rows


HELM_PREDICTIONS = LogFormat(
    "helm_predictions", HELM_TITLE, having({"instance_id"}, {"predicted_text", "stats"}), helm_prediction_reader
)


def _perturbation(record: Values) -> dict[str, Any]:
    return {"perturbation": kind} if (kind := helm_kind(record)) else {}


def helm_kind(record: Values) -> str:
    return as_text(at_path(record, "perturbation.name"))


def helm_beside(path: Path, name: str) -> list[Values]:
    file = path.with_name(name)
    if not file.is_file() or file.stat().st_size > MOST_BYTES_BESIDE:
        return []
    try:
        items = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise AppError(f"“{name}” beside “{path.name}” is not valid JSON.", hint="Copy the folder again.") from error
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []


# ---- Every Eval Ever (instance_level_eval.schema.json 0.2): one line for each sample

EVERY_TITLE = "Every Eval Ever"


def every_inside(whole: Values, path: Path) -> Sequence[Values] | None:
    """Refuse the file of a whole evaluation, which has no texts."""
    if {"schema_version", "evaluation_id", "evaluation_results"} <= whole.keys():
        raise part_missing(path, EVERY_TITLE, "the text of each sample (it is in the jsonl file beside it)")
    return None


def every_rows(record: Values) -> Iterator[Values | Fault]:
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


EVERY_EVAL_EVER = LogFormat(
    "every_eval_ever",
    EVERY_TITLE,
    having({"evaluation_id", "sample_id", "input"}, {"output", "messages"}),
    lambda _: every_rows,
    every_inside,
)


# ---- Langfuse: csv, JSON or jsonl


def langfuse_rows(record: Values) -> Iterator[Values | Fault]:
    text = message_text(record["output"])
    more = (as_json(record["metadata"]), {name: record[name] for name in ("id", "name") if record.get(name)})
    columns: dict[str, Any] = {"prompt": prompt_text(record["input"]), "model": record.get("model"), "more": more}
    if not text and (record.get("level") == "ERROR" or record.get("statusMessage")):
        yield failed(**columns)
    else:
        yield row(text=text, **columns)


LANGFUSE = LogFormat(
    "langfuse", "Langfuse", having({"input", "output", "metadata"}, {"timestamp", "startTime"}), lambda _: langfuse_rows
)

# ---- LangSmith: csv or jsonl


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


LANGSMITH = LogFormat("langsmith", "LangSmith", having({"run_type", "inputs", "outputs"}), lambda _: langsmith_rows)


# ---- the list

LOG_FORMATS: tuple[LogFormat, ...] = (
    INSPECT_FORMAT,
    PROMPTFOO_FORMAT,
    PROMPTFOO_CSV,
    LM_EVAL,
    OPENAI_BATCH,
    HELM_STATE,
    HELM_PREDICTIONS,
    EVERY_EVAL_EVER,
    LANGSMITH,
    LANGFUSE,
)


def format_of(record: Values) -> LogFormat | None:
    """Return the format that a record is of, None for an ordinary one."""
    return next((known for known in LOG_FORMATS if known.fits(record)), None)


def records_inside(whole: Values, path: Path) -> Sequence[Values] | None:
    """Return the records of a whole JSON document, None where it is of no known format.

    Raises `AppError` for a version that cannot be read, and for a part that is missing.
    """
    return next((records for known in LOG_FORMATS if (records := known.inside(whole, path)) is not None), None)
