"""Potato: one server for all raters, who log in with their codes from a browser or phone.

Tried with potato-annotation 2.12. A folder holds `config.yaml` (JSON, which is YAML), the tasks, and, once somebody
answered, `annotation_output/CODE/user_state.json`. Each rater is assigned the tasks with their own order of cards.
"""

import html
import json
import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.given import MISFIT
from biasprint.core.judging.packets.outside import (
    CARDS,
    LETTERS,
    Handout,
    OutsideAnswer,
    not_results,
    plain_fields,
    read_bytes,
    write_text,
)

FOLDER = "potato"
CONFIG, TASKS, ANSWERS, STATE = "config.yaml", "comparisons.jsonl", "annotation_output", "user_state.json"
CHOICE, NOTE = "choice", "note"
STYLE, SLIPS = "cards.css", "slips.txt"
CUT = "- " * 30 + "\n"
# Side by side where there is room, one under the other on a phone; the title above them.
CSS = """\
.layout-horizontal > .display-field, .layout-horizontal > .display-field-resizable { flex: 1 1 260px; }
.layout-horizontal > :first-child { flex-basis: 100%; min-height: 0 !important; }
"""
LATER = "Bring it once somebody has."
HINT = "Choose the folder that was made for Potato, with everything in it, or its config.yaml."


def write(folder: Path, handout: Handout) -> Mapping[str, str]:
    """Write the folder; by rater the file to name."""
    tasks = [task for tasks_of_rater in handout.tasks.values() for task in tasks_of_rater]
    lines = (json.dumps({"id": task.id, **task.fields(handout.cards)}) for task in tasks)
    write_text(folder / TASKS, "".join(f"{line}\n" for line in lines))
    write_text(folder / CONFIG, json.dumps(_config(handout), indent=2) + "\n")
    write_text(folder / STYLE, CSS)
    write_text(folder / "README.txt", _readme(handout))
    if handout.workshop:
        write_text(folder / SLIPS, _slips(handout))
    return dict.fromkeys(handout.tasks, CONFIG)


def _config(handout: Handout) -> dict[str, Any]:
    choice = {
        "annotation_type": "radio", "name": CHOICE, "description": handout.question,
        "label_requirement": {"required": True},
        "labels": [{"name": name, "key_value": key} for name, key in handout.answers.items()],
    }  # fmt: skip
    note = {"annotation_type": "text", "name": NOTE, "description": "A note, if you like", "textarea": {"on": True}}
    groups = [
        {"name": code, "annotators": [code], "instances": [task.id for task in tasks]}
        for code, tasks in handout.tasks.items()
    ]
    cards = [
        {"key": key, "type": "text", "label": letter}
        for key, letter in zip(CARDS[: handout.cards], LETTERS, strict=False)
    ]
    return {
        "annotation_task_name": "Comparisons",
        "annotation_instructions": _as_html(handout.about) + _as_html(handout.consent_text),
        "base_css": STYLE,
        "task_dir": ".",
        "output_annotation_dir": f"{ANSWERS}/",
        "data_files": [TASKS],
        "item_properties": {"id_key": "id", "text_key": "title"},
        "require_password": False,
        "user_config": {"allow_all_users": False, "users": list(handout.tasks)},
        "assignment_strategy": "batch",
        "batch_assignment": {"groups": groups},
        "instance_display": {
            "layout": {"direction": "horizontal", "gap": "16px"},
            "fields": [{"key": "title", "type": "text", "label": ""}, *cards],
        },
        "annotation_schemes": [choice, note] if handout.notes else [choice],
        "site_dir": "default",
    }


def _as_html(text: str) -> str:
    """Return a plain text as it is: Potato would read it as markdown."""
    return f"<p>{html.escape(text, quote=False)}</p>".replace("\n", "<br>") if text else ""


def _readme(handout: Handout) -> str:
    return (
        "Comparisons for raters with a browser or a phone, to be judged in Potato (https://potatoannotator.com).\n\n"
        "    pip install potato-annotation\n"
        "    potato start config.yaml -p 8000\n\n"
        f"Raters open this computer's address, port 8000, and log in as {', '.join(handout.tasks)}.\n"
        f"{_slips_words(handout)}"
        f"Afterwards bring back this folder ({CONFIG}) as it is: {handout.bring_back}\n"
        "Texts that are changed here are noticed then, and what was said of them is left out.\n"
        f"{handout.told_first}"
    )


def _slips_words(handout: Handout) -> str:
    if not handout.workshop:
        return ""
    return f"Everybody draws one of the codes, so that nobody knows whose is whose: {SLIPS} is there to be printed.\n"


def _slips(handout: Handout) -> str:
    """Return a slip of paper for each person, to be cut along the lines."""
    slip = "\n  Open in a browser:  http://________________:8000\n  Log in as:          {code}\n\n"
    return CUT + CUT.join(slip.format(code=code) for code in handout.tasks) + CUT


# ---- Results


def read(path: Path) -> tuple[OutsideAnswer, ...]:
    """Read every answer in a folder. Raises AppError for a folder that is not ours or has no answers."""
    folder = path if path.is_dir() else path.parent
    tasks = dict(_tasks(folder))
    answers: list[OutsideAnswer] = []
    places = sorted((folder / ANSWERS).glob(f"*/{STATE}"))
    if not places:
        raise not_results(
            folder, "Potato", f"nobody has answered in it yet, so it has no answers in “{ANSWERS}”", LATER
        )
    for place in places:
        if place.parent.is_symlink():
            raise not_results(place, "Potato", "it is a link", HINT)
        answers += _answers(place, tasks)
    return tuple(answers)


def _tasks(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    if not (folder / TASKS).exists():
        raise not_results(folder, "Potato", f"it has no “{TASKS}”", HINT)
    for line in read_bytes(folder / TASKS).decode("utf-8", "replace").split("\n"):
        try:
            fields = plain_fields(json.loads(line))
        except (ValueError, RecursionError):
            fields = {}
        yield fields.pop("id", ""), fields


def _answers(path: Path, tasks: Mapping[str, Mapping[str, str]]) -> Iterator[OutsideAnswer]:
    try:
        state = json.loads(read_bytes(path))
        rater = str(state["user_id"])
        labelled = {str(key): _labels(value) for key, value in state["instance_id_to_label_to_value"].items()}
        behaviour = state.get("instance_id_to_behavioral_data", {})
        for key, labels in labelled.items():
            chosen, note = [name for schema, name, _ in labels if schema == CHOICE], ""
            note = next((str(value) for schema, _, value in labels if schema == NOTE and value), "")
            if not chosen:
                continue
            fields = tasks.get(key, {})
            wrong = len(chosen) > 1 or fields.get("rater") != rater
            seconds, at = _when(behaviour.get(key, {}))
            yield OutsideAnswer(key, fields, chosen[0], note, seconds, at, wrong)
    except AppError:
        raise
    except (OSError, *MISFIT) as error:
        raise not_results(path, "Potato", "it is damaged or of another version", HINT) from error


def _labels(value: Any) -> list[tuple[str, str, Any]]:
    return [(str(label["schema"]), str(label["name"]), words) for label, words in value]


def _when(behaviour: Mapping[str, Any]) -> tuple[float, str]:
    """Return the seconds spent on a task, and when it was left; 0 and nothing where Potato does not say."""
    spent, end = behaviour.get("total_time_ms") or 0, behaviour.get("session_end")
    seconds = float(spent) / 1000
    seconds = seconds if math.isfinite(seconds) and seconds >= 0 else 0.0
    at = "" if not end else datetime.fromtimestamp(float(end), UTC).isoformat(timespec="milliseconds")
    return seconds, at
