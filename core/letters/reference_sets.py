"""Reference sets: only figures of many letters, from a project or a pile."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.letters import scorers_for_letters
from biasprint.core.letters.occupations import occupation_key
from biasprint.core.letters.pile import Pile, PileRow
from biasprint.core.letters.pile.read import read_pile, reference_of_letters
from biasprint.core.letters.references import Built, ReferenceLetter, ReferenceSet, check_name, reference_letter, save
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.project.project import Project
from biasprint.core.prompts.letters import LETTER
from biasprint.core.runs.setup import study_of
from biasprint.core.studies.letters.gather import Letter, letters

AT_ONCE = 64  # letters that cross to the compute process together
BY_HAND = "imported"


@dataclass(frozen=True)
class MadeReference:
    """`dropped`: reason → letters that are not in it."""

    reference: ReferenceSet
    dropped: Mapping[str, int]


def make_reference(
    ctx: JobContext,
    project: Project,
    name: str,
    compute: ComputeProcess,
    *,
    title: str = "",
    occupation: str = "",
) -> MadeReference:
    """A set from every finished letter of the project, generated or imported, by occupation and group; it is kept.

    `occupation`: only letters for it. Letters without an occupation cannot serve as a reference, and are counted.
    Raises `AppError` where no letter is left.
    """
    check_name(name)
    chosen = scorers_for_letters()
    every = (letter for letter in letters(project, study_of(project, "letters").id, texts=True) if _is_letter(letter))
    reference_letters: list[ReferenceLetter] = []
    dropped: Counter[str] = Counter()
    built = Built((), {}, {}, "")
    for page in _pages(every, occupation, dropped):
        ctx.check()
        built = _built(ctx, page, chosen, compute)
        reference_letters += built.letters
        dropped.update(built.dropped)
        ctx.report(len(reference_letters))
    if not reference_letters:
        raise AppError(
            "The project has no finished letters with an occupation to make a reference from.",
            hint="Generate letters, or import a table with a column “occupation”.",
        )
    by_machine = all(letter.made_by != BY_HAND for letter in reference_letters)
    made = ReferenceSet(
        name,
        title or name,
        _made_from(reference_letters),
        by_machine,
        tuple(reference_letters),
        built.scorers,
        built.marks,
    )
    save(made)
    return MadeReference(made, dict(dropped))


def make_reference_from_pile(
    ctx: JobContext,
    path: Path,
    name: str,
    compute: ComputeProcess,
    request: ReadingRequest,
    *,
    title: str = "",
    hint: str = "Say what the candidates are with --occupation.",
) -> MadeReference:
    """A set from the letters of a folder or zip, taken as written by people; it is kept.

    The request's occupation is what all of them are for; guessed from each letter otherwise. Files that are not read,
    copies, and letters without an occupation are left out and counted. Raises `AppError` where no letter is left.
    """
    check_name(name)
    return reference_of_pile(read_pile(ctx, path, compute, request), name, title=title, hint=hint)


def reference_of_pile(pile: Pile, name: str, *, title: str = "", hint: str = "") -> MadeReference:
    """Keep a set from the rows of a pile in their present state, corrected by hand or not. No letter is read again."""
    check_name(name)
    dropped = Counter(why for row in pile.rows if (why := _why_no_reference(row)))
    reference_letters = tuple(
        reference_letter(occupation_key(row.occupation), row.group, row.figures, BY_HAND)
        for row in pile.rows
        if not _why_no_reference(row)
    )
    if not reference_letters:
        raise AppError(
            f"“{pile.name}” has no letter with an occupation to make a reference from.",
            hint=hint,
            details="\n".join(f"{reason}: {count}" for reason, count in dropped.items()),
        )
    used = {use.role: f"{use.name} {use.version}" for use in pile.scorers}
    made = ReferenceSet(
        name,
        title or name,
        _made_from(reference_letters, f"“{pile.name}”"),
        False,
        reference_letters,
        used,
        pile.versions["marks"],
    )
    save(made)
    return MadeReference(made, dict(dropped))


def _why_no_reference(row: PileRow) -> str:
    if not row.read:
        return "not read"
    return "a copy" if row.same_as else "" if row.occupation else "no occupation"


def _pages(every: Iterable[Letter], occupation: str, dropped: Counter[str]) -> Iterator[list[Letter]]:
    """The letters that fit, some at a time, so that a large project is never in memory as a whole."""
    page: list[Letter] = []
    for letter in every:
        if not _fits(letter, occupation):
            dropped["no such occupation" if occupation else "no occupation"] += 1
            continue
        page.append(letter)
        if len(page) == AT_ONCE:
            yield page
            page = []
    if page:
        yield page


def _built(ctx: JobContext, page: Sequence[Letter], scorers: Mapping[str, str], compute: ComputeProcess) -> Built:
    return compute.call(
        reference_of_letters,
        [(letter.text, occupation_key(letter.fields.get("occupation", "")), letter.group) for letter in page],
        scorers,
        [_author(letter) for letter in page],
        ctx=ctx,
        on_report=lambda done, total, note: None,
    )


def _is_letter(letter: Letter) -> bool:
    """Return whether it is a letter, and not one that an instruction was to make fairer."""
    return letter.fields.get("document", LETTER) in ("", LETTER) and not letter.fields.get("arm")


def _fits(letter: Letter, occupation: str) -> bool:
    own = occupation_key(letter.fields.get("occupation", ""))
    return bool(own) and (not occupation or own == occupation_key(occupation))


def _author(letter: Letter) -> str:
    return BY_HAND if letter.key[0] == "source" else letter.fields.get("model", "") or "a generator"


def _made_from(letters: Sequence[ReferenceLetter], place: str = "a project") -> str:
    """Describe whose letters these are. Of imported ones the program does not know who wrote them."""
    counts = Counter(letter.made_by for letter in letters)
    imported = counts.pop(BY_HAND, 0)
    parts = [f"{count:,} written by {author}" for author, count in counts.most_common()]
    parts += [f"{imported:,} imported, by whoever wrote them"] if imported else []
    generated = "" if imported else " No person wrote them."
    return f"letters of {place}, {', '.join(parts)}.{generated}"
