"""Label Studio: one project for each rater, from a file of tasks and the labelling interface that all of them share.

Tried with label-studio 1.23. What comes back is the project's export as JSON, with the tasks' data in it.
"""

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from biasprint.core.given import MISFIT
from biasprint.core.judging.packets.outside import (
    CARDS,
    LETTERS,
    NO_RUBRIC,
    SKIP,
    Handout,
    OutsideAnswer,
    not_results,
    plain_fields,
    read_bytes,
    write_text,
)

FOLDER = "label-studio"
INTERFACE, SUFFIX = "labeling-interface.xml", ".json"
CHOICE, NOTE, RUBRIC = "choice", "note", "rubric"
HINT = "In the project, choose Export and JSON (not JSON-MIN), and bring that file."


def write(folder: Path, handout: Handout) -> Mapping[str, str]:
    """Write the folder; by rater the file with their tasks."""
    names: dict[str, str] = {}
    for number, (code, tasks) in enumerate(handout.tasks.items(), start=1):
        safe = re.sub(r"[^\w.-]", "_", unicodedata.normalize("NFC", code))
        taken = {name.casefold() for name in names.values()}
        names[code] = f"{safe}{SUFFIX}" if f"{safe}{SUFFIX}".casefold() not in taken else f"{safe}-{number}{SUFFIX}"
        data = [{"data": task.fields(handout.cards)} for task in tasks]
        if handout.has_rubric:  # the interface of all tasks shows this field, so that each of them needs it
            for shown, task in zip(data, tasks, strict=True):
                shown["data"][RUBRIC] = task.rubric or NO_RUBRIC
        write_text(folder / names[code], json.dumps(data, indent=1) + "\n")
    write_text(folder / INTERFACE, _interface(handout))
    write_text(folder / "README.txt", _readme(handout, names))
    return names


def _interface(handout: Handout) -> str:
    cards = "".join(
        '    <View style="flex: 1 1 280px; min-width: 0">\n'
        f'      <Header value="{letter}" size="4"/>\n      <Text name="{key}" value="${key}"/>\n    </View>\n'
        for key, letter in zip(CARDS[: handout.cards], LETTERS, strict=False)
    )
    choices = "".join(
        f'    <Choice value={quoteattr(name)} hotkey="{key}"/>\n' for name, key in handout.answers.items()
    )
    note = '  <TextArea name="note" toName="card_a" placeholder="A note, if you like" maxSubmissions="1"/>\n'
    rubric = f'  <Header value="Rubric" size="5"/>\n  <Text name="{RUBRIC}" value="${RUBRIC}"/>\n'
    return (
        f'<View>\n  <Header value="$title"/>\n{rubric if handout.has_rubric else ""}'
        f'  <View style="display: flex; flex-wrap: wrap; gap: 16px">\n{cards}  </View>\n'
        f'  <Header value={quoteattr(handout.question)} size="4"/>\n'
        f'  <Choices name="{CHOICE}" toName="card_a" choice="single-radio" required="true" showInline="true">\n'
        f"{choices}  </Choices>\n{note if handout.notes else ''}</View>\n"
    )


def _readme(handout: Handout, names: Mapping[str, str]) -> str:
    files = "".join(f"    {code}: {name}\n" for code, name in names.items())
    return (
        "Comparisons for raters with a browser, to be judged in Label Studio (https://labelstud.io).\n\n"
        f"Make one project for each rater. Labeling interface: the code of {INTERFACE}. Import: the rater's file.\n\n"
        f"{files}\n"
        "Under Settings, General choose sequential sampling, so that everyone keeps the order. Afterwards export each\n"
        f"project as JSON and bring the files back: {handout.bring_back}\n"
        "Texts that are changed there are noticed then, and what was said of them is left out.\n"
        f"{handout.told_first}"
    )


# ---- Results


def is_tasks(path: Path) -> bool:
    """Return whether this is what was handed out, and not yet what came back."""
    try:
        tasks = json.loads(read_bytes(path))
    except (ValueError, RecursionError):
        return False
    return isinstance(tasks, list) and all(isinstance(task, dict) and task.keys() == {"data"} for task in tasks)


def read(path: Path) -> tuple[OutsideAnswer, ...]:
    """Read every answer in an export. Raises AppError for any other file."""
    try:
        tasks = json.loads(read_bytes(path))
        if not isinstance(tasks, list) or not all("annotations" in task and "data" in task for task in tasks):
            raise not_results(path, "Label Studio", "it is no export as JSON", HINT)
        answers = tuple(answer for task in tasks for answer in _answers(task))
    except MISFIT as error:
        raise not_results(path, "Label Studio", "it is no export as JSON", HINT) from error
    if not answers:
        raise not_results(path, "Label Studio", "nobody has answered in it yet", HINT)
    return answers


def _answers(task: Mapping[str, Any]) -> Iterator[OutsideAnswer]:
    fields = plain_fields(task["data"])
    for annotation in task["annotations"]:
        choices = [part for part in annotation["result"] if part.get("from_name") == CHOICE]
        labels = [str(label) for part in choices for label in part["value"]["choices"]]
        if annotation.get("was_cancelled"):
            labels = [SKIP]
        notes = [
            text for part in annotation["result"] if part.get("from_name") == NOTE for text in _texts(part["value"])
        ]
        key = str(annotation.get("unique_id") or annotation["id"])
        seconds = float(annotation.get("lead_time") or 0)
        yield OutsideAnswer(
            key=key,
            fields=fields,
            label=labels[0] if labels else "",
            note="\n".join(notes),
            seconds=seconds if math.isfinite(seconds) and seconds >= 0 else 0.0,
            at=_time(annotation.get("created_at")),
            problem=len(labels) != 1,
        )


def _texts(value: Mapping[str, Any]) -> list[str]:
    content = value["text"]
    return [content] if isinstance(content, str) else [str(text) for text in content]


def _time(stated: Any) -> str:
    """Return a time as the project keeps times; nothing where none is stated."""
    if not isinstance(stated, str):
        return ""
    at = datetime.fromisoformat(stated)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="milliseconds")
