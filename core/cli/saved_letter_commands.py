"""saved-letters: checked letters kept in a project, as the window keeps them."""

from pathlib import Path
from typing import Annotated

import typer

from biasprint.core.cli.console import LookAnyway, job, open_for_writing, open_to_look, print_json, print_table, say
from biasprint.core.cli.letter_commands import NAMES, checked_letter, known_pronoun, letter_request
from biasprint.core.cli.project_commands import AsJson, File
from biasprint.core.errors import UsageError

Letter = Annotated[Path, typer.Argument(help=f"The letter: {NAMES}.")]


def list_saved(file: File, look_anyway: LookAnyway = False, as_json: AsJson = False) -> None:
    """Show the letters that were saved in a project, the newest first."""
    from biasprint.core.letters.kept import saved_letters

    with open_to_look(file, look_anyway, "saved-letters list") as project:
        letters = saved_letters(project)
    if as_json:
        print_json({"letters": [{"id": letter.key, "title": letter.title, "saved": letter.when} for letter in letters]})
        return
    print_table(("id", "letter", "saved"), [(letter.key, letter.title, letter.when) for letter in letters])


def add(
    file: File,
    doc: Letter,
    context: Annotated[Path | None, typer.Option(help="The CV, or what else the letter should rest on.")] = None,
    title: Annotated[str, typer.Option(help="How it is called in the list; its file's name otherwise.")] = "",
    occupation: Annotated[str, typer.Option(help="What the candidate is; guessed from the letter otherwise.")] = "",
    name: Annotated[str, typer.Option(help="Whom the letter is about; guessed otherwise.")] = "",
    pronoun: Annotated[str, typer.Option(help="he, she or they; guessed otherwise.")] = "",
    as_json: AsJson = False,
) -> None:
    """Check a letter and keep it in a project, with what was found."""
    from biasprint.core.letters import KeptLetter
    from biasprint.core.letters.kept import save_letter

    known_pronoun(pronoun)
    with open_for_writing(file) as project, job("Reading") as ctx:
        request = letter_request(ctx, context, occupation, "bundled", None)
        reading, under, _, _ = checked_letter(ctx, doc, request, (name, pronoun), None)
        by_hand = reading.person if name.strip() or pronoun else None
        document = reading.document
        letter = KeptLetter(
            document, title.strip() or document.name, request.context, person=by_hand,
            occupation=occupation.strip() or None,
        )  # fmt: skip
        key = save_letter(project, letter, reading, under)
    if as_json:
        print_json({"id": key, "title": letter.title, "occupation": under})
        return
    say(f"“{letter.title}” is in {file.name}.")


def remove(
    file: File,
    letter: Annotated[str, typer.Argument(help="Its id, as “saved-letters list” shows it.")],
    as_json: AsJson = False,
) -> None:
    """Take a letter out of a project: its text, its CV, and every reading of it."""
    from biasprint.core.letters.kept import remove_letter, saved_letters

    with open_for_writing(file) as project:
        if letter not in {saved.key for saved in saved_letters(project)}:
            raise UsageError(
                f"There is no saved letter “{letter}” in {file.name}.", hint="“saved-letters list” has ids."
            )
        remove_letter(project, letter)
    if as_json:
        print_json({"removed": letter})
        return
    say("The letter is removed.")
