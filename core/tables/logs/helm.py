"""Files of HELM: `scenario_state.json`, and `display_predictions.json` with the files beside it in its run's folder."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.tables.logs.parts import LogFormat, RecordReader, Values, part_missing, row
from biasprint.core.tables.nested import as_text, at_path
from biasprint.core.tables.rows import Fault

TITLE = "HELM"
MOST_BYTES = 1024**3


def inside(whole: Values, path: Path) -> Sequence[Values] | None:
    """The requests of a scenario state."""
    if "adapter_spec" not in whole:
        return None
    if not isinstance(whole.get("request_states"), list):
        raise part_missing(path, TITLE, "the list of requests")
    return whole["request_states"]  # type: ignore[no-any-return]


def fits_state(record: Values) -> bool:
    return {"instance", "request", "result"} <= record.keys()


def state_rows(record: Values) -> Iterator[Values | Fault]:
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


STATE = LogFormat("helm_state", TITLE, fits_state, lambda _: state_rows, inside)


def fits_prediction(record: Values) -> bool:
    return "instance_id" in record and ("predicted_text" in record or "stats" in record)


def prediction_reader(path: Path) -> RecordReader:
    """Rows of predictions, with the instances and requests of the files beside it, where they are there."""
    instances = {(as_text(item.get("id")), _kind(item)): item for item in _beside(path, "instances.json")}
    models = {as_text(at_path(item, "request.model")) for item in _beside(path, "display_requests.json")}
    model = models.pop() if len(models) == 1 else None

    def rows(record: Values) -> Iterator[Values | Fault]:
        if "predicted_text" not in record:
            raise part_missing(path, TITLE, "the text of the predictions (it is in display_predictions.json)")
        name = as_text(record["instance_id"])
        instance = instances.get((name, _kind(record)), {})
        own = {"instance_id": name, "train_trial_index": record.get("train_trial_index")}
        more = (own, instance.get("extra_data"), _perturbation(instance or record))
        asked = as_text(at_path(instance, "input.text"))
        yield row(text=as_text(record["predicted_text"]), prompt=asked, model=model, more=more)

    return rows


PREDICTIONS = LogFormat("helm_predictions", TITLE, fits_prediction, prediction_reader)


def _perturbation(record: Values) -> dict[str, Any]:
    return {"perturbation": kind} if (kind := _kind(record)) else {}


def _kind(record: Values) -> str:
    return as_text(at_path(record, "perturbation.name"))


def _beside(path: Path, name: str) -> list[Values]:
    file = path.with_name(name)
    if not file.is_file() or file.stat().st_size > MOST_BYTES:
        return []
    try:
        items = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise AppError(f"“{name}” beside “{path.name}” is not valid JSON.", hint="Copy the folder again.") from error
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
