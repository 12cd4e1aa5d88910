"""Many letters read: a pile, one row for each file, and a reference set, of which only figures are kept."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.compute import ComputeProcess, calls
from core.documents.files import read_bytes
from core.documents.house import HouseList
from core.documents.occupations import occupation_key
from core.documents.pile import Pile, PileColumn, PileRow, ReadOne
from core.documents.pile.differences import GroupTest
from core.documents.pile.files import PileFile, again, files_of, named_file
from core.documents.references import Built, ReferenceLetter, ReferenceSet, check_name, save
from core.documents.values import Document
from core.errors import AppError
from core.findings import ScorerUse
from core.jobs import JobContext
from core.project.project import Project
from core.prompts.letters import LETTER
from core.runs.letter_check import scorers_for_letters
from core.runs.measure.letters import Letter, letters
from core.runs.setup import study_of


def read_pile(
    ctx: JobContext,
    path: Path,
    compute: ComputeProcess,
    *,
    context: Document | None = None,
    occupation: str = "",
    scorers: Mapping[str, str] | None = None,
    house: HouseList | None = None,
) -> Pile:
    """The rows of a folder or zip. Every row is reported as `partial` when it is there.

    A file that cannot be read is a row with its reason; only the pile itself can fail. `context` and `occupation` hold
    for every letter. Pausing and cancelling take effect between and within files.
    """
    with files_of(path) as found:
        if not found.files:
            raise AppError(f"“{path.name}” holds no files.", hint="Choose the folder with the letters.")
        chosen = dict(scorers) if scorers is not None else scorers_for_letters()
        rows = _Rows(compute, chosen, context, occupation, house)
        ctx.report(0, len(found.files))
        for place, file in enumerate(found.files, 1):
            ctx.check()
            row = rows.add(ctx, file)
            ctx.report(place, len(found.files), note=row.path_in_pile, partial=row)
    return rows.pile(path.name, found.passed_over)


def read_files(
    ctx: JobContext,
    paths: Sequence[Path],
    compute: ComputeProcess,
    *,
    context: Document | None = None,
    occupation: str = "",
    scorers: Mapping[str, str] | None = None,
    house: HouseList | None = None,
) -> Pile:
    """The same for files that were named one by one."""
    chosen = dict(scorers) if scorers is not None else scorers_for_letters()
    rows = _Rows(compute, chosen, context, occupation, house)
    for place, path in enumerate(paths, 1):
        ctx.check()
        row = rows.add(ctx, named_file(path))
        ctx.report(place, len(paths), note=row.path_in_pile, partial=row)
    return rows.pile(f"{len(paths)} files", 0)


def open_row(ctx: JobContext, path: Path, row: PileRow) -> Document:
    """The letter of a row, read again from its file: the pile keeps no text."""
    return read_bytes(again(path, row.path_in_pile)[1], row.name, ctx)


def compare_groups(
    ctx: JobContext, rows: Sequence[PileRow], columns: Sequence[PileColumn], compute: ComputeProcess
) -> tuple[GroupTest, ...]:
    """The group tests of the rows as they stand, corrected by hand or not. Empty without two groups."""
    found: tuple[GroupTest, ...] = compute.call(calls.group_tests, tuple(rows), tuple(columns), ctx=ctx)
    return found


class _Rows:
    """The rows so far, and what is the same for all of them."""

    def __init__(
        self,
        compute: ComputeProcess,
        scorers: Mapping[str, str],
        context: Document | None,
        occupation: str,
        house: HouseList | None,
    ) -> None:
        self._compute, self._scorers = compute, dict(scorers)
        self._context, self._occupation, self._house = context, occupation, house
        self._rows: list[PileRow] = []
        self._first: dict[str, str] = {}  # hash of a text → the first file with it
        self._columns: tuple[PileColumn, ...] = ()
        self._uses: dict[str, ScorerUse] = {}
        self._versions: Mapping[str, str] = {}

    def add(self, ctx: JobContext, file: PileFile) -> PileRow:
        row = PileRow(file.name, file.path_in_pile, reason=f"{file.trouble}." if file.trouble else "")
        if not file.trouble:
            try:
                row = self._read(ctx, row, read_bytes(file.read(), file.name, ctx))
            except AppError as error:
                row = replace(row, reason=error.message, hint=error.hint)
        self._rows.append(row)
        return row

    def pile(self, name: str, passed_over: int) -> Pile:
        uses = tuple(self._uses.values())
        return Pile(name, tuple(self._rows), self._columns, uses, self._versions, passed_over)

    def _read(self, ctx: JobContext, row: PileRow, document: Document) -> PileRow:
        one: ReadOne = self._compute.call(
            calls.row_of_letter, document, self._scorers, self._context, self._occupation, self._house, ctx=ctx
        )
        self._columns = self._columns or one.columns
        self._versions = self._versions or one.versions
        self._uses |= {use.role: use for use in one.scorers}
        first = self._first.setdefault(one.text, row.path_in_pile)
        return replace(
            row,
            person=one.person,
            occupation=one.occupation,
            group=one.group,
            figures=one.figures,
            marks=one.marks,
            claims=one.claims,
            reason=one.said,
            notes=(*document.notes, *one.notes),
            same_as="" if first == row.path_in_pile else first,
        )


DIGITS = 6  # of a figure in a set
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
    scorers: Mapping[str, str] | None = None,
) -> MadeReference:
    """A set from every finished letter of the project, generated or imported, by occupation and group; it is kept.

    `occupation`: only letters for it. Letters without an occupation cannot serve as a reference, and are counted.
    Raises `AppError` where no letter is left.
    """
    check_name(name)
    chosen = dict(scorers) if scorers is not None else scorers_for_letters()
    every = (one for one in letters(project, study_of(project, "letters").id, texts=True) if _is_letter(one))
    found: list[ReferenceLetter] = []
    dropped: Counter[str] = Counter()
    built = Built((), {}, {}, "")
    for page in _pages(every, occupation, dropped):
        ctx.check()
        built = _built(ctx, page, chosen, compute)
        found += built.letters
        dropped.update(built.dropped)
        ctx.report(len(found))
    if not found:
        raise AppError(
            "The project has no finished letters with an occupation to make a reference from.",
            hint="Generate letters, or import a table with a column “occupation”.",
        )
    by_machine = all(one.made_by != BY_HAND for one in found)
    made = ReferenceSet(name, title or name, _made_from(found), by_machine, tuple(found), built.scorers, built.marks)
    save(made)
    return MadeReference(made, dict(dropped))


def make_reference_from_pile(
    ctx: JobContext,
    path: Path,
    name: str,
    compute: ComputeProcess,
    *,
    title: str = "",
    occupation: str = "",
    scorers: Mapping[str, str] | None = None,
) -> MadeReference:
    """A set from the letters of a folder or zip, taken as written by people; it is kept.

    `occupation`: what all of them are for; guessed from each letter otherwise. Files that are not read, copies, and
    letters without an occupation are left out and counted. Raises `AppError` where no letter is left.
    """
    check_name(name)
    pile = read_pile(ctx, path, compute, occupation=occupation, scorers=scorers)
    dropped = Counter(why for row in pile.rows if (why := _why_no_reference(row)))
    found = tuple(
        ReferenceLetter(
            occupation_key(row.occupation),
            row.group,
            {figure: round(value, DIGITS) for figure, value in row.figures.items() if value is not None},
            BY_HAND,
        )
        for row in pile.rows
        if not _why_no_reference(row)
    )
    if not found:
        raise AppError(
            f"“{path.name}” has no letter with an occupation to make a reference from.",
            hint="Say what the candidates are with --occupation.",
            details="\n".join(f"{reason}: {count}" for reason, count in dropped.items()),
        )
    used = {use.role: f"{use.name} {use.version}" for use in pile.scorers}
    made = ReferenceSet(
        name, title or name, _made_from(found, f"“{path.name}”"), False, found, used, pile.versions["marks"]
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
    for one in every:
        if not _fits(one, occupation):
            dropped["no such occupation" if occupation else "no occupation"] += 1
            continue
        page.append(one)
        if len(page) == AT_ONCE:
            yield page
            page = []
    if page:
        yield page


def _built(ctx: JobContext, page: Sequence[Letter], scorers: Mapping[str, str], compute: ComputeProcess) -> Built:
    built: Built = compute.call(
        calls.reference_of_letters,
        [(one.text, occupation_key(one.fields.get("occupation", "")), one.group) for one in page],
        scorers,
        [_author(one) for one in page],
        ctx=ctx,
        on_report=lambda done, total, note: None,
    )
    return built


def _is_letter(letter: Letter) -> bool:
    """Not another document, and not one that an instruction was to make fairer."""
    return letter.fields.get("document", LETTER) in ("", LETTER) and not letter.fields.get("arm")


def _fits(letter: Letter, occupation: str) -> bool:
    own = occupation_key(letter.fields.get("occupation", ""))
    return bool(own) and (not occupation or own == occupation_key(occupation))


def _author(letter: Letter) -> str:
    return BY_HAND if letter.key[0] == "source" else letter.fields.get("model", "") or "a generator"


def _made_from(found: Sequence[ReferenceLetter], place: str = "a project") -> str:
    """Whose letters these are, in words. Of imported ones the program does not know who wrote them."""
    counts = Counter(one.made_by for one in found)
    imported = counts.pop(BY_HAND, 0)
    said = [f"{count:,} written by {author}" for author, count in counts.most_common()]
    said += [f"{imported:,} imported, by whoever wrote them"] if imported else []
    generated = "" if imported else " No person wrote them."
    return f"letters of {place}, {', '.join(said)}.{generated}"
