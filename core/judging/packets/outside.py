"""Judging with another tool: the tasks of each rater as they are handed to it, and the answers as it hands them
back.

For raters who have only a browser or a phone. The tool gets what a packet holds, and no more: texts in the order of the
rater's cards, the title, and keys that mean nothing there. What comes back is checked by the hashes of its texts and
merged as the packet that was made (`merge_outside`). `hand_out` makes the folders.

Potato was tried with potato-annotation 2.12. A folder holds `config.yaml` (JSON, which is YAML), the tasks, and, once
somebody answered, `annotation_output/CODE/user_state.json`. Each rater is assigned the tasks with their own order of
cards. Label Studio was tried with label-studio 1.23. What comes back is the project's export as JSON, with the tasks'
data in it.
"""

import html
import json
import math
import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import quoteattr

from biasprint.core.errors import AppError
from biasprint.core.given import MISFIT

Tool = Literal["html", "potato", "label-studio"]
CARDS = ("card_a", "card_b", "card_c")  # the fields of the texts, in the order of the cards
LETTERS = ("A", "B", "C")
TIE, NONE, SKIP = "The same", "None is good", "Skip"  # the other answers, in the words that raters read there
OTHER_ANSWERS = {TIE: "tie", NONE: "none", SKIP: "skip"}
TIE_KEY = "0"  # as in this program
QUESTION = "Which is best?"  # where the plan has none of its own
WORKSHOP_TOLD = (
    "This is part of a workshop. Your answers are kept under the code that you were given, not under a name; whoever "
    "runs this server could read them. They join what the group chose. No picture of your own is shown: this page does "
    "not know for whom the texts were written."
)
NO_RUBRIC = "(none for these texts)"
NO_TEXT = "(there is no third text here)"  # in a plan where some comparisons have two cards and some three
LARGEST = 256 * 2**20  # bytes of a file of results


@dataclass(frozen=True)
class OutsideTask:
    """One comparison as its rater is to see it. `id` is unique in the whole handout."""

    id: str
    packet: str
    comparison: str
    rater: str
    title: str
    texts: tuple[str, ...]
    rubric: str = ""  # one criterion a line

    def fields(self, cards: int) -> dict[str, str]:
        """Return the fields for the tool, for a handout in which comparisons have up to so many cards."""
        texts = (*self.texts, *[NO_TEXT] * (cards - len(self.texts)))
        fields = {"packet": self.packet, "comparison": self.comparison, "rater": self.rater, "title": self.title}
        return fields | dict(zip(CARDS, texts, strict=False))


@dataclass(frozen=True)
class Handout:
    """Everything that one tool is given: the tasks by rater, and what the plan asks for beside a choice."""

    tasks: Mapping[str, Sequence[OutsideTask]]
    cards: int
    notes: bool
    question: str
    instructions: str
    consent_text: str
    workshop: bool = False

    @property
    def answers(self) -> dict[str, str]:
        """The answers that a rater can give, each with its key: 0 for a tie, and 1, 2 … for the others."""
        numbered = (*LETTERS[: self.cards], *(name for name in OTHER_ANSWERS if name != TIE))
        keys = {name: str(key) for key, name in enumerate(numbered, start=1)} | {TIE: TIE_KEY}
        return {name: keys[name] for name in (*LETTERS[: self.cards], *OTHER_ANSWERS)}

    @property
    def has_rubric(self) -> bool:
        """Return whether any of the comparisons has a rubric."""
        return any(task.rubric for tasks in self.tasks.values() for task in tasks)

    @property
    def about(self) -> str:
        """The text that raters read before they begin; in a workshop also who sees their answers."""
        return "\n\n".join(filter(None, (self.instructions, WORKSHOP_TOLD if self.workshop else "")))

    @property
    def told_first(self) -> str:
        """The text that raters read and agree to before they begin, for the tool's README."""
        parts = [("Raters read this first:", self.about), ("Then they agree to this:", self.consent_text)]
        return "".join(f"\n{title}\n\n{text}\n" for title, text in parts if text)

    @property
    def bring_back(self) -> str:
        """The place that the results go to, for the tool's README."""
        if self.workshop:
            return "in Biasprint, on the page of whoever leads the workshop, choose “Collect…”."
        return "in Biasprint, choose Raters, Packets."


@dataclass(frozen=True)
class OutsideAnswer:
    """One answer as the tool kept it. `key` is the answer's own there; `fields` are those of its task, as they are now.

    `problem`: it is no answer to what was asked, such as one under another rater's name.
    """

    key: str
    fields: Mapping[str, str]
    label: str
    note: str = ""
    seconds: float = 0.0
    at: str = ""
    problem: bool = False


def write_text(path: Path, text: str) -> None:
    """Write a file of a handout, on the disk. A lone surrogate, which UTF-8 cannot hold, must be escaped by then."""
    with path.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


# ---- Reading what a tool wrote: everything is checked


def read_bytes(path: Path) -> bytes:
    """Return an ordinary file's content. Raises AppError for anything else, or more than results can be."""
    with suppress(OSError):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST:
            return path.read_bytes()
    raise AppError(
        f"“{path.name}” is no file of results, or cannot be read.", kept="None of it was merged.",
        hint="Copy it again from where it was made.",
    )  # fmt: skip


def not_results(path: Path, tool: str, what: str, hint: str) -> AppError:
    """Return the error for a file that is not what the tool writes."""
    return AppError(f"“{path.name}” is no result of {tool}: {what}.", kept="None of it was merged.", hint=hint)


def plain_fields(data: Any) -> dict[str, str]:
    """Return the fields of a task as text; fields of other types are omitted, and then fit no task."""
    return {str(key): value for key, value in data.items() if isinstance(value, str)} if isinstance(data, dict) else {}


# ---- Potato: one server for all raters, who log in with their codes from a browser or phone

POTATO_FOLDER = "potato"
POTATO_CONFIG, TASKS, ANSWERS, STATE = "config.yaml", "comparisons.jsonl", "annotation_output", "user_state.json"
POTATO_CHOICE, POTATO_NOTE = "choice", "note"
STYLE, SLIPS = "cards.css", "slips.txt"
CUT = "- " * 30 + "\n"
# Side by side where there is room, one under the other on a phone; the title above them.
CSS = """\
.layout-horizontal > .display-field, .layout-horizontal > .display-field-resizable { flex: 1 1 260px; }
.layout-horizontal > :first-child { flex-basis: 100%; min-height: 0 !important; }
"""
LATER = "Bring it once somebody has."
POTATO_HINT = "Choose the folder that was made for Potato, with everything in it, or its config.yaml."


def write_potato(folder: Path, handout: Handout) -> Mapping[str, str]:
    """Write the folder; by rater the file to name."""
    tasks = [task for tasks_of_rater in handout.tasks.values() for task in tasks_of_rater]
    lines = (json.dumps({"id": task.id, **task.fields(handout.cards)}) for task in tasks)
    write_text(folder / TASKS, "".join(f"{line}\n" for line in lines))
    write_text(folder / POTATO_CONFIG, json.dumps(_config(handout), indent=2) + "\n")
    write_text(folder / STYLE, CSS)
    write_text(folder / "README.txt", _potato_readme(handout))
    if handout.workshop:
        write_text(folder / SLIPS, _slips(handout))
    return dict.fromkeys(handout.tasks, POTATO_CONFIG)


def _config(handout: Handout) -> dict[str, Any]:
    choice = {
        "annotation_type": "radio", "name": POTATO_CHOICE, "description": handout.question,
        "label_requirement": {"required": True},
        "labels": [{"name": name, "key_value": key} for name, key in handout.answers.items()],
    }  # fmt: skip
    note = {
        "annotation_type": "text",
        "name": POTATO_NOTE,
        "description": "A note, if you like",
        "textarea": {"on": True},
    }
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


def _potato_readme(handout: Handout) -> str:
    return (
        "Comparisons for raters with a browser or a phone, to be judged in Potato (https://potatoannotator.com).\n\n"
        "    pip install potato-annotation\n"
        "    potato start config.yaml -p 8000\n\n"
        f"Raters open this computer's address, port 8000, and log in as {', '.join(handout.tasks)}.\n"
        f"{_slips_words(handout)}"
        f"Afterwards bring back this folder ({POTATO_CONFIG}) as it is: {handout.bring_back}\n"
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


def read_potato(path: Path) -> tuple[OutsideAnswer, ...]:
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
            raise not_results(place, "Potato", "it is a link", POTATO_HINT)
        answers += _potato_answers(place, tasks)
    return tuple(answers)


def _tasks(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    if not (folder / TASKS).exists():
        raise not_results(folder, "Potato", f"it has no “{TASKS}”", POTATO_HINT)
    for line in read_bytes(folder / TASKS).decode("utf-8", "replace").split("\n"):
        try:
            fields = plain_fields(json.loads(line))
        except (ValueError, RecursionError):
            fields = {}
        yield fields.pop("id", ""), fields


def _potato_answers(path: Path, tasks: Mapping[str, Mapping[str, str]]) -> Iterator[OutsideAnswer]:
    try:
        state = json.loads(read_bytes(path))
        rater = str(state["user_id"])
        labelled = {str(key): _labels(value) for key, value in state["instance_id_to_label_to_value"].items()}
        behaviour = state.get("instance_id_to_behavioral_data", {})
        for key, labels in labelled.items():
            chosen, note = [name for schema, name, _ in labels if schema == POTATO_CHOICE], ""
            note = next((str(value) for schema, _, value in labels if schema == POTATO_NOTE and value), "")
            if not chosen:
                continue
            fields = tasks.get(key, {})
            wrong = len(chosen) > 1 or fields.get("rater") != rater
            seconds, at = _when(behaviour.get(key, {}))
            yield OutsideAnswer(key, fields, chosen[0], note, seconds, at, wrong)
    except AppError:
        raise
    except (OSError, *MISFIT) as error:
        raise not_results(path, "Potato", "it is damaged or of another version", POTATO_HINT) from error


def _labels(value: Any) -> list[tuple[str, str, Any]]:
    return [(str(label["schema"]), str(label["name"]), words) for label, words in value]


def _when(behaviour: Mapping[str, Any]) -> tuple[float, str]:
    """Return the seconds spent on a task, and when it was left; 0 and nothing where Potato does not say."""
    spent, end = behaviour.get("total_time_ms") or 0, behaviour.get("session_end")
    seconds = float(spent) / 1000
    seconds = seconds if math.isfinite(seconds) and seconds >= 0 else 0.0
    at = "" if not end else datetime.fromtimestamp(float(end), UTC).isoformat(timespec="milliseconds")
    return seconds, at


# ---- Label Studio: one project for each rater, from a file of tasks and the interface that all of them share

LABEL_STUDIO_FOLDER = "label-studio"
INTERFACE, EXPORT_SUFFIX = "labeling-interface.xml", ".json"
LABEL_STUDIO_CHOICE, LABEL_STUDIO_NOTE, RUBRIC = "choice", "note", "rubric"
LABEL_STUDIO_HINT = "In the project, choose Export and JSON (not JSON-MIN), and bring that file."


def write_label_studio(folder: Path, handout: Handout) -> Mapping[str, str]:
    """Write the folder; by rater the file with their tasks."""
    names: dict[str, str] = {}
    for number, (code, tasks) in enumerate(handout.tasks.items(), start=1):
        safe = re.sub(r"[^\w.-]", "_", unicodedata.normalize("NFC", code))
        taken = {name.casefold() for name in names.values()}
        names[code] = (
            f"{safe}{EXPORT_SUFFIX}"
            if f"{safe}{EXPORT_SUFFIX}".casefold() not in taken
            else f"{safe}-{number}{EXPORT_SUFFIX}"
        )
        data = [{"data": task.fields(handout.cards)} for task in tasks]
        if handout.has_rubric:  # the interface of all tasks shows this field, so that each of them needs it
            for shown, task in zip(data, tasks, strict=True):
                shown["data"][RUBRIC] = task.rubric or NO_RUBRIC
        write_text(folder / names[code], json.dumps(data, indent=1) + "\n")
    write_text(folder / INTERFACE, _interface(handout))
    write_text(folder / "README.txt", _label_studio_readme(handout, names))
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
        f'  <Choices name="{LABEL_STUDIO_CHOICE}" toName="card_a" choice="single-radio" required="true" '
        'showInline="true">\n'
        f"{choices}  </Choices>\n{note if handout.notes else ''}</View>\n"
    )


def _label_studio_readme(handout: Handout, names: Mapping[str, str]) -> str:
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


def is_label_studio_tasks(path: Path) -> bool:
    """Return whether this is what was handed out, and not yet what came back."""
    try:
        tasks = json.loads(read_bytes(path))
    except (ValueError, RecursionError):
        return False
    return isinstance(tasks, list) and all(isinstance(task, dict) and task.keys() == {"data"} for task in tasks)


def read_label_studio(path: Path) -> tuple[OutsideAnswer, ...]:
    """Read every answer in an export. Raises AppError for any other file."""
    try:
        tasks = json.loads(read_bytes(path))
        if not isinstance(tasks, list) or not all("annotations" in task and "data" in task for task in tasks):
            raise not_results(path, "Label Studio", "it is no export as JSON", LABEL_STUDIO_HINT)
        answers = tuple(answer for task in tasks for answer in _label_studio_answers(task))
    except MISFIT as error:
        raise not_results(path, "Label Studio", "it is no export as JSON", LABEL_STUDIO_HINT) from error
    if not answers:
        raise not_results(path, "Label Studio", "nobody has answered in it yet", LABEL_STUDIO_HINT)
    return answers


def _label_studio_answers(task: Mapping[str, Any]) -> Iterator[OutsideAnswer]:
    fields = plain_fields(task["data"])
    for annotation in task["annotations"]:
        choices = [part for part in annotation["result"] if part.get("from_name") == LABEL_STUDIO_CHOICE]
        labels = [str(label) for part in choices for label in part["value"]["choices"]]
        if annotation.get("was_cancelled"):
            labels = [SKIP]
        notes = [
            text
            for part in annotation["result"]
            if part.get("from_name") == LABEL_STUDIO_NOTE
            for text in _texts(part["value"])
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
