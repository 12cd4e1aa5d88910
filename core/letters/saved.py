"""Checked letters that a person saved in a project: put there, listed, and opened again as they were left.

The text is a source of the letters study, in the exact form it had. Everything else is a reading: what was found, and
what it takes to open the letter again. Nothing is changed: a letter that is saved again adds a reading that follows the
earlier one, and lists show the last. A person may take a letter out again, and then all of it goes.
"""

from dataclasses import asdict, replace
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.letters.kept import KeptEntry, as_json, letter_of
from biasprint.core.letters.values import Document, KeptLetter, Reading
from biasprint.core.project.project import Project
from biasprint.core.project.specs import SourceSpec
from biasprint.core.project.stores.common import chunks
from biasprint.core.runs.setup import added_study
from biasprint.core.text import sha256_text


def save_letter(project: Project, letter: KeptLetter, reading: Reading, occupation: str) -> str:
    """Keep a letter with its reading, after the one that it was opened from; the id of the new reading."""
    study, digest = added_study(project, "letters"), sha256_text(letter.document.text)
    fields = {"name": reading.person.full_name, "pronoun": reading.person.pronoun, "occupation": occupation}
    spec = SourceSpec(
        kind="letter",
        origin=f"checked: {digest[:16]}",
        row=0,
        text=letter.document.text,
        fields={key: value for key, value in fields.items() if value},
    )
    added = project.sources.add_many(study, [spec])
    source = added.number("source") if added.touches("source") else _source_of(project, study, spec.origin)
    result = {**_found(reading), "occupation": occupation, "dismissed": list(letter.dismissed)}
    result |= {"kept": _without_text(letter), "follows": letter.reading or None}
    return project.readings.add(letter.title, digest, result, source).uuid("reading")


def saved_letters(project: Project) -> tuple[KeptEntry, ...]:
    """The last reading of every letter that was saved here, the newest first."""
    heads = [one for one in project.readings.latest() if one.source_id is not None]
    return tuple(KeptEntry(one.id, one.title, one.created_at, one.id) for one in heads)


def saved_letter(project: Project, reading_id: str) -> KeptLetter:
    """A saved letter as it was left. `AppError` where it is not in the project, or only its reading was kept."""
    row = project.readings.get(reading_id)
    text = None if row is None or row.source_id is None else project.sources.texts([row.source_id]).get(row.source_id)
    if row is None or text is None:
        raise AppError("The text of this letter is not in the project.", hint="Open another one, or the file itself.")
    kept = row.result.get("kept")
    if kept is None:  # saved by an earlier version: what was set by hand is not known
        made = row.result["document"]
        document = Document(made["name"], made["kind"], _paragraphs(text), made["pages"], tuple(made["notes"]))
        return KeptLetter(document, row.title, dismissed=tuple(row.result.get("dismissed", ())), reading=row.id)
    whole = {**kept, "document": {**kept["document"], "paragraphs": _paragraphs(text)}}
    return replace(letter_of(whole), title=row.title, saved_as="", reading=row.id)


def remove_letter(project: Project, reading_id: str) -> None:
    """Take a letter out of the project: its text, its CV, and every reading of it."""
    project.readings.remove_letter(reading_id)


def _found(reading: Reading) -> dict[str, Any]:
    """The reading without the letter's text, which is a source of the project."""
    result = asdict(reading)
    result["document"] = {**result["document"], "paragraphs": []}
    result["sentences"] = [{**one, "text": ""} for one in result["sentences"]]
    return result


def _without_text(letter: KeptLetter) -> dict[str, Any]:
    # Neither its file: a project goes to others, and a docx names its authors and tells what they said in comments.
    kept = as_json(replace(letter, source=None))
    return {**kept, "document": {**kept["document"], "paragraphs": []}}


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n\n"))


def _source_of(project: Project, study: int, origin: str) -> int | None:
    rows = chunks(lambda after, limit: project.sources.page(study, after, limit), lambda row: row.id)
    return next((row.id for row in rows if row.origin == origin), None)
