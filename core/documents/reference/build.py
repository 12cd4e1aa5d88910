"""In the compute process: letters become reference letters, which are their figures and nothing of their text."""

from collections import Counter
from collections.abc import Mapping, Sequence

from core.documents import marks as language
from core.documents.files import read_pasted
from core.documents.reading.read import read_letter
from core.documents.reference.values import Built, ReferenceLetter
from core.documents.values import SCORE_NAMES
from core.errors import AppError
from core.jobs import JobContext

DIGITS = 6


def build(
    letters: Sequence[tuple[str, str, str]],
    scorers: Mapping[str, str],
    made_by: Sequence[str] | None = None,
    ctx: JobContext | None = None,
) -> Built:
    """`letters`: (text, occupation, group) each; `scorers`: role → name; `made_by`: who wrote each letter.

    A letter is read exactly as a letter that is checked. One in another language or without text is dropped and
    counted; nothing here asks whether a text is a good letter.
    """
    ctx = ctx or JobContext()
    styles: dict[str, str] = {role: name for role, name in scorers.items() if role in SCORE_NAMES}
    found: list[ReferenceLetter] = []
    dropped: Counter[str] = Counter()
    used: dict[str, str] = {}
    for place, (text, occupation, group) in enumerate(letters):
        ctx.check()
        try:
            document = read_pasted(text)
        except AppError:
            dropped["no text"] += 1
            continue
        reading = read_letter(document, scorers=styles)
        used |= {use.role: f"{use.name} {use.version}" for use in reading.scorers}
        figures = {one.name: round(one.value, DIGITS) for one in reading.figures if one.value is not None}
        if reading.stopped:
            dropped["not English"] += 1
        else:
            found.append(ReferenceLetter(occupation, group, figures, made_by[place] if made_by else ""))
        ctx.report(place + 1, len(letters))
    return Built(tuple(found), dict(dropped), used, language.version())
