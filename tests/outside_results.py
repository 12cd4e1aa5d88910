"""Results as Potato 2.12 and Label Studio write them, made from the tasks that they were given."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

# A task's fields → the answer there, or None for a task that is still open.
Answering = Callable[[Mapping[str, str]], str | None]


def potato_answers(folder: Path, code: str, answering: Answering) -> Path:
    """What the server keeps of one rater: as of potato-annotation 2.12.1, recorded from a run."""
    said: dict[str, Any] = {}
    told: dict[str, Any] = {}
    for number, line in enumerate((folder / "comparisons.jsonl").read_text("utf-8").splitlines()):
        task = json.loads(line)
        if task["rater"] == code and (label := answering(task)) is not None:
            said[task["id"]] = [[{"schema": "choice", "name": label}, "1"]]
            said[task["id"]].append([{"schema": "note", "name": "text_box"}, f"note {number}"])
            told[task["id"]] = {"instance_id": task["id"], "session_start": 1_790_000_000.0 + 60 * number,
                                "session_end": 1_790_000_009.5 + 60 * number, "total_time_ms": 9500}  # fmt: skip
    place = folder / "annotation_output" / code / "user_state.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    state = {
        "user_id": code, "instance_id_to_label_to_value": said, "instance_id_to_behavioral_data": told,
        "instance_id_to_span_to_value": {}, "current_phase_and_page": ["annotation", ""],
    }  # fmt: skip
    place.write_text(json.dumps(state, indent=2), "utf-8")
    return folder / "config.yaml"


def label_studio_answers(tasks: Path, to: Path, *answering: Answering) -> Path:
    """A project's export as JSON, with an annotation by each of `answering`."""
    exported = []
    for number, task in enumerate(json.loads(tasks.read_text("utf-8")), start=1):
        given = [(who, one(task["data"])) for who, one in enumerate(answering, start=1)]
        annotations = [annotation(1000 * who + number, who, number, label) for who, label in given if label is not None]
        exported.append({"id": number, "annotations": annotations, "data": task["data"], "meta": {}, "project": 3,
                         "created_at": "2026-11-20T10:00:00.000000Z", "predictions": []})  # fmt: skip
    to.write_text(json.dumps(exported), "utf-8")
    return to


def annotation(key: int, who: int, task: int, label: str) -> dict[str, Any]:
    """One annotation as https://labelstud.io/guide/task_format describes it."""
    return {
        "id": key, "completed_by": who, "was_cancelled": False, "ground_truth": False, "lead_time": 7.25,
        "created_at": f"2026-11-20T10:{task:02d}:00.123456Z", "updated_at": f"2026-11-20T10:{task:02d}:05.000000Z",
        "task": task, "unique_id": f"00000000-0000-0000-0000-{key:012d}",
        "result": [
            {"from_name": "choice", "to_name": "card_a", "type": "choices", "id": "c", "origin": "manual",
             "value": {"choices": [label]}},
            {"from_name": "note", "to_name": "card_a", "type": "textarea", "id": "n", "origin": "manual",
             "value": {"text": [f"note {task}"]}},
        ],
    }  # fmt: skip
