"""A pile of letters read: one row for each file, each held against its own CV where there is one."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.findings import ScorerUse
from biasprint.core.jobs import JobContext
from biasprint.core.letters.categories import version_of_marks
from biasprint.core.letters.files import read_bytes, read_file, read_pasted
from biasprint.core.letters.kinds import GOES_BACK, said_of_kind
from biasprint.core.letters.occupations import guess_occupation_read
from biasprint.core.letters.pile import FilePlace, Pile, PileColumn, PileRow, ReadOne, group_of
from biasprint.core.letters.pile.compare import GroupTest, group_tests
from biasprint.core.letters.pile.files import (
    MatchedCvs,
    PileFile,
    PileFiles,
    again,
    cvs_among,
    files_of,
    is_pile,
    match_cvs,
    named_file,
    named_like_a_cv,
)
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.references import Built, ReferenceLetter, reference_letter
from biasprint.core.letters.report import check_report_path, write_pile_report
from biasprint.core.letters.report.full import PileReport, letters_to_tell, section_of_letter
from biasprint.core.letters.report.full import report_of as report_of
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import SCORE_NAMES, Document, KeptLetter, LetterSource, Reading
from biasprint.core.letters.verdict import coding_of
from biasprint.core.report.blocks import Block
from biasprint.core.text import for_matching, sha256_text

# ---- One row of a pile, in the compute process

UNSUPPORTED = PileColumn("unsupported", "Claims without support", "share of claims")


def row_of_letter(document: Document, request: ReadingRequest, dismissed: Collection[str] = ()) -> ReadOne:
    """The figures of one letter, and guesses of whom it is about. An occupation of "" is guessed too.

    `dismissed`: the keys of what a person dismissed, which is not counted; figures are of all that was found.
    """
    text = document.text
    reading = read_letter(document, request).without(dismissed)
    guess = guess_occupation_read(text, reading.parts, reading.person)
    columns = [PileColumn(figure.name, figure.title, figure.unit) for figure in reading.figures]
    figures: dict[str, float | None] = {figure.name: figure.value for figure in reading.figures}
    if request.context is not None:
        columns.append(UNSUPPORTED)
        figures[UNSUPPORTED.name] = unsupported_share(reading)
    return ReadOne(
        person=reading.person,
        occupation=request.occupation or (guess.occupation if guess.likely else ""),
        group=group_of(reading.person.pronoun),
        figures={} if reading.stopped else figures,
        marks=dict(Counter(mark.kind for mark in reading.marks)),
        claims=dict(Counter(claim.verdict for claim in reading.support)) if request.context is not None else {},
        balance=reading.balance.leaning if reading.balance is not None else "",
        columns=tuple(columns),
        scorers=reading.scorers,
        versions=reading.versions,
        notes=tuple(filter(None, (said_of_kind(reading.read_as), *_of_advert(reading), *_not_stopping(reading)))),
        said=reading.stopped,
        text=sha256_text(" ".join(for_matching(text).split())),
    )


def _of_advert(reading: Reading) -> Iterator[str]:
    """Yield the direction of an advert's coded words, which no column of letters has."""
    if reading.read_as.kind == "advert" and not reading.stopped:
        yield f"{coding_of(reading.marks).said}."


def _not_stopping(reading: Reading) -> Iterator[str]:
    return (suspicion.said for suspicion in reading.suspicions if not suspicion.stops)


def unsupported_share(reading: Reading) -> float | None:
    """Claims that the context does not support or contradicts, as a share of all claims; None without claims."""
    verdicts = [claim.verdict for claim in reading.support]
    claims = sum(verdict in ("grounded", "unsupported", "contradicted") for verdict in verdicts)
    against = sum(verdict in ("unsupported", "contradicted") for verdict in verdicts)
    return against / claims if claims else None


def reference_of_letters(
    letters: Sequence[tuple[str, str, str]],
    scorers: Mapping[str, str],
    made_by: Sequence[str] | None = None,
    ctx: JobContext | None = None,
) -> Built:
    """`letters`: (text, occupation, group) each; `scorers`: role → name; `made_by`: who wrote each letter.

    A letter is read as a letter that is checked, but for whole passages, which no figure counts. One in another
    language or without text is dropped and counted; nothing here asks whether a text is a good letter.
    """
    ctx = ctx or JobContext()
    styles: dict[str, str] = {role: name for role, name in scorers.items() if role in SCORE_NAMES}
    letters_read: list[ReferenceLetter] = []
    dropped: Counter[str] = Counter()
    used: dict[str, str] = {}
    for place, (text, occupation, group) in enumerate(letters):
        ctx.check()
        try:
            document = read_pasted(text)
        except AppError:
            dropped["no text"] += 1
            continue
        reading = read_letter(
            document, ReadingRequest(styles, kind="reference"), words_only=True
        )  # of marks a set counts words alone
        used |= {use.role: f"{use.name} {use.version}" for use in reading.scorers}
        if reading.stopped:
            dropped["not English"] += 1
        else:
            figures = {figure.name: figure.value for figure in reading.figures}
            letters_read.append(reference_letter(occupation, group, figures, made_by[place] if made_by else ""))
        ctx.report(place + 1, len(letters))
    return Built(tuple(letters_read), dict(dropped), used, version_of_marks())


def read_pile(
    ctx: JobContext,
    paths: Path | Sequence[Path],
    compute: ComputeProcess,
    request: ReadingRequest,
    *,
    cvs: Path | None = None,
) -> Pile:
    """The rows of a folder or zip, or of files that were named one by one. Each row is reported as `partial`.

    A file that cannot be read is a row with its reason; only the pile itself can fail. `request` holds for every
    letter; `cvs`, a folder or zip, has a CV for those whose file names fit. A file of the pile itself that is named
    like a CV, and fits a letter, is that letter's CV and no row. Pausing and cancelling take effect between and within
    files.
    """
    with _opened(paths) as (root, files), _cvs_of(cvs) as others:
        name = root.name if root is not None else f"{len(files.files)} files"
        if not files.files:
            raise AppError(f"“{name}” holds no files.", hint="Choose the folder with the letters.")
        matched = _Matched(_placed(files.files, root), _placed(others, cvs))
        rows = _Rows(_Reader(compute), request)
        ctx.report(0, len(matched.letters))
        for place, file in enumerate(matched.letters, 1):
            ctx.check()
            row = rows.add(ctx, file, matched.cv_of(file), matched.remark_on(file))
            ctx.report(place, len(matched.letters), note=row.path_in_pile, partial=row)
    return replace(rows.pile(name, files.passed_over), remarks=matched.remarks)


def read_with_cvs(
    ctx: JobContext,
    paths: Sequence[Path],
    rows: Sequence[PileRow],
    compute: ComputeProcess,
    request: ReadingRequest,
    *,
    cvs: Path | None = None,
    chosen: Mapping[str, FilePlace | None] | None = None,
    kept: Mapping[str, KeptLetter] | None = None,
) -> Pile:
    """Rows of a pile that was read, again with a CV each; what a person set right stays. Only those rows.

    `cvs`: a folder or zip, whose files are matched by name; `chosen`: path of a row → its CV, None for none any more.
    `kept`: path of a row → its letter as somebody left it, which is read in place of the file.
    """
    with _opened(paths) as (root, pile_files), _cvs_of(cvs) as others:
        files = {file.path_in_pile: file for file in pile_files.files}
        letters = [files[row.path_in_pile] for row in rows if row.path_in_pile in files]
        matched = _Matched(_placed(letters, root), _placed(others, cvs), among=False)
        asked: dict[str, FilePlace | None] = {path: cv.place for path, cv in matched.by_letter.items()}
        asked |= chosen or {}
        reader = _Reader(compute)
        found_again: list[PileRow] = []
        these = [row for row in rows if row.path_in_pile in asked and row.path_in_pile in files]
        for place, row in enumerate(these, 1):
            ctx.check()
            wanted, known = asked[row.path_in_pile], matched.by_letter.get(row.path_in_pile)
            cv = known if known is not None and known.place == wanted else _Cv.at(wanted)
            letter = (kept or {}).get(row.path_in_pile)
            found_again.append(reader.read_again(ctx, row, files[row.path_in_pile], cv, request, letter))
            ctx.report(place, len(these), note=row.path_in_pile, partial=found_again[-1])
    remarks = matched.remarks if cvs is not None else ()
    return Pile("", tuple(found_again), reader.columns, tuple(reader.uses.values()), reader.versions, 0, remarks)


def open_row(
    ctx: JobContext, paths: Path | Sequence[Path], row: PileRow, kept: KeptLetter | None = None
) -> tuple[KeptLetter, str]:
    """The letter of a row and its CV, read again from their files, with a remark on what is not as expected, or "".

    `kept`: the letter as somebody left it. It is opened as it is, also where its file is gone, or another one by now.
    """
    root, alone = _root_of(paths), Path(row.path_in_pile)
    if root is None and not alone.is_absolute() and not isinstance(paths, Path) and len(paths) == 1:
        root = paths[0]  # a folder that is gone, as with a drive that was pulled out
    place = FilePlace(alone) if root is None else FilePlace(root, row.path_in_pile)
    if kept is None:
        source = _source(ctx, place)
        letter, remark = KeptLetter(source.document, source.document.name, source=source), ""
    else:
        letter, remark = kept, _change_of(ctx, place, kept)
    if letter.context is None and row.cv is not None:
        try:
            letter = replace(letter, context=read_place(ctx, row.cv))
        except AppError as error:
            remark = f"{remark} Its CV was not used: {error}".strip()
    return letter, remark


def _source(ctx: JobContext, place: FilePlace) -> LetterSource:
    """The letter in a file, with the file itself where a checked letter goes back into it."""
    if not place.root.exists():
        raise AppError(
            f"“{place.root.name}” is not there any more.", kept="What you did to its letters is kept.",
            hint="Connect the drive that it is on, or put it back where it was.",
        )  # fmt: skip
    document = read_place(ctx, place)
    goes_back = document.kind in GOES_BACK
    data = (again(place.root, place.inside) if place.inside else place.root.read_bytes()) if goes_back else None
    path = place.root / place.inside if place.root.is_dir() else None if place.inside else place.root
    return LetterSource(document, data, path)


def _change_of(ctx: JobContext, place: FilePlace, kept: KeptLetter) -> str:
    """Return how the file differs from the one that a kept letter was opened from; "" where it does not."""
    try:
        text = read_place(ctx, place).text
    except AppError:
        return f"“{place.name}” cannot be read any more: your version of it is shown."
    if kept.source is None or text == kept.source.document.text:
        return ""
    changed = f"“{place.name}” was changed elsewhere since you opened it"
    return f"{changed}: your version is shown, and the file stays as it is."


def row_of_kept(
    ctx: JobContext, row: PileRow, letter: KeptLetter, compute: ComputeProcess, request: ReadingRequest
) -> PileRow:
    """The row of a letter as somebody left it: with its text, its CV, what was set by hand, and without what they
    dismissed.
    """
    context = letter.context
    one = compute.call(row_of_letter, letter.document, _as_left(request, row, letter), letter.dismissed, ctx=ctx)
    same = row.cv is not None and context is not None and row.cv.name == context.name
    cv = row.cv if same else None if context is None else FilePlace(Path(context.name))
    person, occupation = letter.person or row.person, letter.occupation or row.occupation
    group = row.group if letter.person is None or letter.person == row.person else group_of(letter.person.pronoun)
    return replace(_measured(row, one, cv), person=person, occupation=occupation, group=group)


def _as_left(request: ReadingRequest, row: PileRow, letter: KeptLetter) -> ReadingRequest:
    return replace(
        request,
        context=letter.context,
        parts=letter.parts,
        person=letter.person,
        occupation=letter.occupation or row.occupation,
        kind=letter.kind or request.kind,
    )


def read_place(ctx: JobContext, place: FilePlace) -> Document:
    """The text of a file. Raises `AppError` where it is gone or cannot be read."""
    return read_bytes(again(place.root, place.inside), place.name, ctx) if place.inside else read_file(place.root, ctx)


def compare_groups(
    ctx: JobContext, rows: Sequence[PileRow], columns: Sequence[PileColumn], compute: ComputeProcess
) -> tuple[GroupTest, ...]:
    """Return the group tests of the rows in their present state, corrected by hand or not. Empty without two groups."""
    return compute.call(group_tests, tuple(rows), tuple(columns), ctx=ctx)


def report_pile(
    ctx: JobContext,
    paths: Path | Sequence[Path],
    target: Path,
    report: PileReport,
    compute: ComputeProcess,
    request: ReadingRequest,
    kept: Mapping[str, KeptLetter] | None = None,
) -> tuple[str, ...]:
    """Write the report of a pile, PDF or docx by its ending; return a message for each letter that was lost.

    The letters that have something to look at are read again, because the pile keeps no text; one whose file has
    changed or gone since is named. The context of `request` is the CV of those that have
    none of their own. `kept`: path of a row → its letter as somebody left it.
    """
    check_report_path(target)  # before letters are read for it
    # Marks need no scorer; claims and the balance of praise do.
    scorers = {role: name for role, name in request.scorers.items() if role in ("entailment", "agency")}
    sections: list[tuple[Block, ...]] = []
    lost: list[str] = []
    rows = letters_to_tell(report.pile.rows)
    for place, row in enumerate(rows, 1):
        ctx.check()
        try:
            letter, remark = open_row(ctx, paths, row, (kept or {}).get(row.path_in_pile))
        except AppError as error:
            lost.append(str(error))
            continue
        lost += [remark] if remark else []
        person = letter.person or (row.person if row.person.full_name else None)
        own = replace(_as_left(request, row, letter), scorers=scorers, person=person)
        own = replace(own, context=own.context or request.context)
        section = compute.call(section_of_letter, letter.document, row.path_in_pile, own, letter.dismissed, ctx=ctx)
        sections.append(section)
        ctx.report(place, len(rows), note=row.path_in_pile)
    compute.call(write_pile_report, target, replace(report, sections=tuple(sections)), ctx=ctx)
    return tuple(dict.fromkeys(lost))


# ---- The files, and which CV is whose


def _root_of(paths: Path | Sequence[Path]) -> Path | None:
    """The folder or zip that is the pile; None where its files were named one by one."""
    if isinstance(paths, Path):
        return paths
    is_one = len(paths) == 1 and (is_pile(paths[0]) or paths[0].suffix.lower() == ".zip")
    return paths[0] if is_one else None


@contextmanager
def _opened(paths: Path | Sequence[Path]) -> Iterator[tuple[Path | None, PileFiles]]:
    """The folder or zip and its files; None and the files that were named."""
    root = _root_of(paths)
    if root is not None:
        with files_of(root) as files:
            yield root, files
    elif not isinstance(paths, Path):
        yield None, PileFiles(tuple(named_file(path) for path in paths), 0)


@contextmanager
def _cvs_of(root: Path | None) -> Iterator[Sequence[PileFile]]:
    with nullcontext(PileFiles((), 0)) if root is None else files_of(root) as files:
        yield [file for file in files.files if not file.trouble]


@dataclass(frozen=True)
class _Cv:
    """`read` gives its text; it raises `AppError`."""

    place: FilePlace
    read: Callable[[JobContext], Document]

    @classmethod
    def at(cls, place: FilePlace | None) -> "_Cv | None":
        return None if place is None else cls(place, lambda ctx: read_place(ctx, place))


def _placed(files: Sequence[PileFile], root: Path | None) -> Mapping[PileFile, FilePlace]:
    """Return where each file can be read again."""
    return {
        file: FilePlace(Path(file.path_in_pile)) if root is None else FilePlace(root, file.path_in_pile)
        for file in files
    }


class _Matched:
    """The letters of a pile and which CV is whose: one of `others` by its name, else one in the pile itself."""

    def __init__(
        self, files: Mapping[PileFile, FilePlace], others: Mapping[PileFile, FilePlace], *, among: bool = True
    ) -> None:
        keys = {file.path_in_pile if place.inside else file.name: file for file, place in files.items()}
        here = cvs_among([key for key, file in keys.items() if not file.trouble]) if among else MatchedCvs({}, ())
        own = {key: file for key, file in keys.items() if key not in here.used}
        cvs = {file.path_in_pile if place.inside else file.name: file for file, place in others.items()}
        by_name = match_cvs(list(own), list(cvs))
        taken = {keys[key] for key in here.used}
        self.letters = [file for file in files if file not in taken]
        self.by_letter = {
            own[key].path_in_pile: _of_pile(keys[cv], files[keys[cv]]) for key, cv in here.by_letter.items()
        } | {own[key].path_in_pile: _of_pile(cvs[cv], others[cvs[cv]]) for key, cv in by_name.by_letter.items()}
        self._unclear = {own[key].path_in_pile for key in (*here.unclear, *by_name.unclear)} - self.by_letter.keys()
        self._like_a_cv = {file.path_in_pile for key, file in own.items() if among and named_like_a_cv(file.name)}
        unused = [key for key in cvs if key not in by_name.used]
        self.remarks = (_unused_said(unused),) if unused else ()

    def cv_of(self, file: PileFile) -> _Cv | None:
        return self.by_letter.get(file.path_in_pile)

    def remark_on(self, file: PileFile) -> str:
        """Return the remark on a file as a letter, or as a CV that fits none."""
        if file.path_in_pile in self._unclear:
            return "Its name fits several CVs: none was used."
        return "It is named like a CV, and fits no letter here." if file.path_in_pile in self._like_a_cv else ""


def _of_pile(file: PileFile, place: FilePlace) -> _Cv:
    return _Cv(place, lambda ctx: read_bytes(file.read(), file.name, ctx))


NAMED = 3  # CVs that are told by name


def _unused_said(names: Sequence[str]) -> str:
    listed = ", ".join(f"“{name}”" for name in names[:NAMED]) + (" …" if len(names) > NAMED else "")
    if len(names) == 1:
        return f"A CV fits no letter by its name: {listed}."
    return f"{len(names):,} CVs fit no letter by their names: {listed}."


# ---- The rows


class _Reader:
    """Reads letters one by one; `columns`, `uses` and `versions` are those of all that it read."""

    def __init__(self, compute: ComputeProcess) -> None:
        self._compute = compute
        self._last: tuple[FilePlace, Document] | None = None  # the letters of one candidate come together
        self.columns: tuple[PileColumn, ...] = ()
        self.uses: dict[str, ScorerUse] = {}
        self.versions: Mapping[str, str] = {}

    def read(
        self, ctx: JobContext, document: Document, request: ReadingRequest, dismissed: Collection[str] = ()
    ) -> ReadOne:
        read_letter = self._compute.call(row_of_letter, document, request, dismissed, ctx=ctx)
        self.columns += tuple(column for column in read_letter.columns if column not in self.columns)
        self.versions = self.versions or read_letter.versions
        self.uses |= {use.role: use for use in read_letter.scorers}
        return read_letter

    def cv(self, ctx: JobContext, cv: _Cv) -> Document:
        if self._last is None or self._last[0] != cv.place:
            self._last = cv.place, cv.read(ctx)
        return self._last[1]

    def read_again(
        self,
        ctx: JobContext,
        row: PileRow,
        file: PileFile,
        cv: _Cv | None,
        request: ReadingRequest,
        kept: KeptLetter | None,
    ) -> PileRow:
        """The row with the figures that it has beside this CV; as it was where letter or CV cannot be read."""
        try:
            context = self.cv(ctx, cv) if cv is not None else None
            if kept is None:
                document = read_bytes(file.read(), file.name, ctx)
                read_letter = self.read(ctx, document, replace(request, context=context, occupation=row.occupation))
            else:
                beside = _as_left(request, row, replace(kept, context=context))
                read_letter = self.read(ctx, kept.document, beside, kept.dismissed)
        except AppError as error:
            return replace(row, notes=(*row.notes, str(error)))
        return _measured(row, read_letter, cv.place if cv is not None else None)


def _measured(row: PileRow, read_letter: ReadOne, cv: FilePlace | None) -> PileRow:
    """The row with what a reading beside this CV says of its letter."""
    return replace(
        row,
        figures=read_letter.figures,
        marks=read_letter.marks,
        claims=read_letter.claims,
        balance=read_letter.balance,
        reason=read_letter.said,
        cv=cv,
    )


class _Rows:
    """The rows so far. `request` holds for all of them, but for a letter's own CV."""

    def __init__(self, reader: _Reader, request: ReadingRequest) -> None:
        self._reader, self._request = reader, request
        self._rows: list[PileRow] = []
        self._first: dict[str, str] = {}  # hash of a text → the first file with it

    def add(self, ctx: JobContext, file: PileFile, cv: _Cv | None, remark: str) -> PileRow:
        row = PileRow(file.name, file.path_in_pile, reason=f"{file.trouble}." if file.trouble else "")
        if not file.trouble:
            try:
                row = self._read(ctx, row, read_bytes(file.read(), file.name, ctx), cv)
            except AppError as error:
                row = replace(row, reason=error.message, hint=error.hint)
        self._rows.append(replace(row, notes=(*row.notes, remark)) if remark else row)
        return self._rows[-1]

    def pile(self, name: str, passed_over: int) -> Pile:
        reader = self._reader
        return Pile(name, tuple(self._rows), reader.columns, tuple(reader.uses.values()), reader.versions, passed_over)

    def _read(self, ctx: JobContext, row: PileRow, document: Document, cv: _Cv | None) -> PileRow:
        request, notes = self._request, list(document.notes)
        if cv is not None:
            try:
                request = replace(request, context=self._reader.cv(ctx, cv))
            except AppError as error:
                notes.append(f"Its CV was not used: {error}")
                cv = None
        read_letter = self._reader.read(ctx, document, request)
        first = self._first.setdefault(read_letter.text, row.path_in_pile)
        return replace(
            _measured(row, read_letter, cv.place if cv is not None else None),
            person=read_letter.person,
            occupation=read_letter.occupation,
            group=read_letter.group,
            notes=(*notes, *read_letter.notes),
            same_as="" if first == row.path_in_pile else first,
        )
