"""The files of a pile, a folder or zip, or named one by one: which may be read, and their bytes."""

import os
import re
import stat
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file
from biasprint.core.letters.files import MOST_BYTES
from biasprint.core.letters.kinds import ENDINGS
from biasprint.core.text import for_matching

# ---- Which CV belongs to which letter

CV_WORDS = frozenset(("cv", "cvs", "resume", "resumes", "vita", "vitae", "lebenslauf", "curriculum"))
# What names of files hold beside a candidate.
PLAIN_WORDS = CV_WORDS | frozenset(
    (
        "letter", "letters", "reference", "references", "recommendation", "recommendations", "ref", "rec", "lor",
        "candidate", "candidates", "applicant", "applicants", "application", "applications", "final", "draft", "copy",
        "version", "v", "signed", "scan", "for", "of", "from", "by", "to", "the", "and", "dr", "mr", "mrs", "ms",
        "prof",
    )
)  # fmt: skip
FEWEST_FOR_COMMON = 3  # letters, before a word that all their names share tells nothing
MOST_NEAR = 200  # CVs with the same word that are looked at: more are told apart by nothing
_YEAR = re.compile(r"(?:19|20)\d\d")
_BETWEEN = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]+|\d+")


@dataclass(frozen=True)
class MatchedCvs:
    """`by_letter`: path of a letter → path of its CV. `unclear`: letters whose name fits several CVs as well."""

    by_letter: Mapping[str, str]
    unclear: tuple[str, ...]

    @property
    def used(self) -> frozenset[str]:
        return frozenset(self.by_letter.values())


@dataclass(frozen=True)
class _Named:
    """The words and the numbers of a path that may tell a candidate."""

    words: frozenset[str]
    numbers: frozenset[str]

    @property
    def telling(self) -> frozenset[str]:
        return self.words or self.numbers

    @property
    def ids(self) -> frozenset[str]:
        """Numbers that are no year and no count of letters."""
        return frozenset(number for number in self.numbers if len(number) > 1 and not _YEAR.fullmatch(number))

    def without(self, words: frozenset[str]) -> "_Named":
        return _Named(self.words - words, self.numbers)

    def fits(self, cv: "_Named") -> bool:
        """Are all telling words of one in the other, and do they share a number if both have candidates' numbers?"""
        own, others = self.telling, cv.telling
        return (
            bool(own and others)
            and (others <= own or own <= others)
            and (not self.ids or not cv.ids or bool(self.ids & cv.ids))
        )


def named_like_a_cv(path: str) -> bool:
    """Return whether a name says “CV”, in the file's name or its folder's."""
    return bool(_words(path) & CV_WORDS)


def match_cvs(letters: Sequence[str], cvs: Sequence[str]) -> MatchedCvs:
    """The CV of each letter whose name fits one: all telling words of one name are in the other, and no id differs.

    Words such as “letter” and “CV”, and what the names of all letters share, tell nothing; an id is a number that is no
    year. Of several that fit, the one with most in common is taken; where two have as much, none is.
    """
    named = {path: _named(path) for path in letters}
    common: frozenset[str] = frozenset()
    if len(named) >= FEWEST_FOR_COMMON:
        common = frozenset.intersection(*(other.words for other in named.values()))
        named = {path: other.without(common) for path, other in named.items()}
    index = _Index({path: _named(path).without(common) for path in cvs})
    by_letter: dict[str, str] = {}
    unclear: list[str] = []
    for path, other in named.items():
        fitting = sorted(((_in_common(other, index.named[cv]), cv) for cv in index.fitting(other)), reverse=True)
        if len(fitting) > 1 and fitting[0][0] == fitting[1][0]:
            unclear.append(path)
        elif fitting:
            by_letter[path] = fitting[0][1]
    return MatchedCvs(by_letter, tuple(unclear))


def cvs_among(paths: Sequence[str]) -> MatchedCvs:
    """The files of a pile that are named like a CV and fit a letter of it."""
    cvs = [path for path in paths if named_like_a_cv(path)]
    taken = set(cvs)
    return match_cvs([path for path in paths if path not in taken], cvs)


class _Index:
    """Finds the CVs that may fit without looking at each of them."""

    def __init__(self, named: Mapping[str, _Named]) -> None:
        self.named = named
        self._all = _WordIndex(named)
        self._without_id = _WordIndex({path: named_file for path, named_file in named.items() if not named_file.ids})
        self._by_id: defaultdict[str, list[str]] = defaultdict(list)
        for path, named_file in named.items():
            for number in named_file.ids:
                self._by_id[number].append(path)

    def fitting(self, letter: _Named) -> list[str]:
        """The CVs that fit."""
        if letter.ids:
            may = self._without_id.near(letter) | {cv for number in letter.ids for cv in self._by_id.get(number, ())}
        else:
            may = self._all.near(letter)
        return [cv for cv in may if letter.fits(self.named[cv])]


class _WordIndex:
    def __init__(self, named: Mapping[str, _Named]) -> None:
        self._holding: defaultdict[str, list[str]] = defaultdict(list)
        for path, named_file in named.items():
            for word in named_file.telling:
                self._holding[word].append(path)
        self._by_rarest: defaultdict[str, list[str]] = defaultdict(list)
        for path, named_file in named.items():
            if named_file.telling:
                self._by_rarest[min(named_file.telling, key=self._often)].append(path)

    def near(self, letter: _Named) -> set[str]:
        """Return the CVs that have the letter's rarest word, and those whose rarest word the letter has."""
        if not letter.telling:
            return set()
        of_each = [self._holding.get(min(letter.telling, key=self._often), ())]
        of_each += [self._by_rarest.get(word, ()) for word in letter.telling]
        return {cv for some in of_each for cv in islice(some, MOST_NEAR)}

    def _often(self, word: str) -> tuple[int, str]:
        return len(self._holding.get(word, ())), word


def _in_common(letter: _Named, cv: _Named) -> tuple[int, int, int]:
    """Shared words, then shared numbers, then as few words of one alone as possible."""
    return len(letter.words & cv.words), len(letter.numbers & cv.numbers), -len(letter.words ^ cv.words)


def _named(path: str) -> _Named:
    words = _words(path) - PLAIN_WORDS
    numbers = frozenset(word for word in words if word.isdigit())
    return _Named(words - numbers, numbers)


def _words(path: str) -> frozenset[str]:
    stem, _, ending = path.rpartition(".")
    spaced = _BETWEEN.sub(" ", stem if ending.lower() in ENDINGS else path)
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", spaced) if not unicodedata.combining(sign))
    return frozenset(_WORD.findall(for_matching(plain)))


MOST_RATIO = 200  # unpacked to packed; text reaches 10, and only what is made to blow up reaches this
RATIO_FROM = 1_000_000  # bytes: below that, no ratio can do harm
_LINK = 0o120000
_HINT = "Unpack it yourself if you trust where it is from."


def trouble_of(part: zipfile.ZipInfo) -> str:
    """Return why this file must not be unpacked; "" where it may."""
    name = part.filename.rsplit("/", 1)[-1][:100]
    if part.flag_bits & 1:
        return f"“{name}” is protected by a password"
    if _climbs_out(part.filename):
        return f"“{name}” has a path that leads out of the zip, and was left"
    if (part.external_attr >> 16) & 0o170000 == _LINK:
        return f"“{name}” is a link to elsewhere and was not followed"
    if part.file_size > MOST_BYTES:
        return f"“{name}” has {part.file_size / 1e6:.0f} MB: a letter has far less"
    if part.file_size > RATIO_FROM and part.file_size > MOST_RATIO * max(part.compress_size, 1):
        return f"“{name}” unpacks to far more than a letter holds, and was left"
    return ""


def bytes_of(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> Callable[[], bytes]:
    """Return a function that reads the file, once, and raises `AppError` for a file damaged or larger than it says."""

    def read() -> bytes:
        try:
            with archive.open(part) as stream:
                return stream.read(MOST_BYTES + 1)
        except Exception as error:  # zipfile and its decompressors raise many kinds, some of their own
            raise AppError(
                f"“{part.filename.rsplit('/', 1)[-1][:100]}” is damaged in the zip.", hint=_HINT,
                details=f"{type(error).__name__}: {error}",
            ) from error  # fmt: skip

    return read


def _climbs_out(name: str) -> bool:
    parts = re.split(r"[/\\]", name)
    return ".." in parts or name.startswith(("/", "\\")) or bool(re.match(r"[A-Za-z]:", name)) or "\x00" in name


MOST_FILES = 20_000
_LEFT_BEHIND = {"thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r"}
_OFFICE = ("[Content_Types].xml", "mimetype")


@dataclass(frozen=True)
class PileFile:
    """A file of the pile. `trouble`: why it must not be read, "" where it may; then `read` gives its bytes.

    `read` raises `AppError` with a sentence about this file.
    """

    name: str
    path_in_pile: str
    read: Callable[[], bytes]
    trouble: str = ""


@dataclass(frozen=True)
class PileFiles:
    """`passed_over`: how many files were left aside because no person put them there."""

    files: tuple[PileFile, ...]
    passed_over: int


def is_pile(path: Path) -> bool:
    """Return whether it is a folder, or a zip that is no document of an office program."""
    if path.is_dir():
        return True
    if not path.is_file():  # a pipe would be waited for
        return False
    try:
        with path.open("rb") as file:
            if file.read(4) not in (b"PK\x03\x04", b"PK\x05\x06"):
                return False
        with zipfile.ZipFile(path) as archive:
            return not any(part.filename in _OFFICE for part in archive.infolist()[:50])
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


@contextmanager
def files_of(path: Path) -> Iterator[PileFiles]:
    """The files in `path`, in the order of their paths. Raises `AppError` where it cannot be opened."""
    if path.is_dir():
        yield _in_folder(path)
        return
    with _opened(path) as archive:
        yield _in_zip(archive, path.name)


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        ordinary_file(path, follow=True)
        return zipfile.ZipFile(path)
    except FileNotFoundError:
        raise AppError(f"There is no file “{path}”.", hint="Check the name.") from None
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise AppError(
            f"“{path.name}” is damaged, or is no folder and no zip.", hint="Unpack it, and check the folder.",
            details=f"{type(error).__name__}: {error}",
        ) from error  # fmt: skip


def again(path: Path, path_in_pile: str) -> bytes:
    """The bytes of the file at this place of the pile. `AppError` where it is gone or must not be read."""
    with files_of(path) as pile_files:
        for file in pile_files.files:
            if file.path_in_pile == path_in_pile:
                if file.trouble:
                    raise AppError(f"{file.trouble}.", hint="Choose another file.")
                return file.read()
    raise AppError(f"“{path_in_pile}” is no longer in “{path.name}”.", hint="Read the pile again.")


def _in_folder(folder: Path) -> PileFiles:
    files: list[PileFile] = []
    passed_over = 0

    def unopened(error: OSError) -> None:
        place = os.path.relpath(error.filename or folder, folder).replace(os.sep, "/")
        files.append(PileFile(Path(place).name, place, _nothing, f"The folder “{place}” could not be opened"))

    for place, folders, names in os.walk(folder, followlinks=False, onerror=unopened):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in names:
            if _left_behind(name):
                passed_over += 1
                continue
            file = Path(place, name)
            files.append(_of_folder(file, file.relative_to(folder).as_posix()))
            _check_number(len(files), folder.name)
    return PileFiles(tuple(sorted(files, key=lambda each: each.path_in_pile)), passed_over)


def named_file(path: Path) -> PileFile:
    """A file that a person named: a link is followed, because they meant it."""
    read = _reader(path)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return PileFile(path.name, str(path), read, f"There is no file “{path}”")
    except OSError:
        return PileFile(path.name, str(path), read, f"“{path.name}” could not be read")
    if stat.S_ISDIR(mode):
        return PileFile(path.name, str(path), read, f"“{path.name}” is a folder: check it as a pile of its own")
    if not stat.S_ISREG(mode):
        return PileFile(path.name, str(path), read, f"“{path.name}” is no ordinary file")
    return PileFile(path.name, str(path), read)


def _reader(file: Path) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with file.open("rb") as opened:
                return opened.read(MOST_BYTES + 1)
        except OSError as error:
            raise AppError(
                f"“{file.name}” could not be read.", hint="See that you may read it.", details=str(error)
            ) from error

    return read


def _of_folder(file: Path, place: str) -> PileFile:
    read = _reader(file)
    try:
        status = file.lstat()
    except OSError:
        return PileFile(file.name, place, read, f"“{file.name}” could not be read")
    if stat.S_ISLNK(status.st_mode):
        return PileFile(file.name, place, read, f"“{file.name}” is a link to elsewhere and was not followed")
    if not stat.S_ISREG(status.st_mode):
        return PileFile(file.name, place, read, f"“{file.name}” is no ordinary file")
    return PileFile(file.name, place, read)


def _in_zip(archive: zipfile.ZipFile, name: str) -> PileFiles:
    files: list[PileFile] = []
    passed_over = 0
    for part in archive.infolist():
        last = part.filename.rsplit("/", 1)[-1]
        if part.is_dir():
            continue
        if _left_behind(last) or part.filename.startswith("__MACOSX/"):
            passed_over += 1
            continue
        files.append(PileFile(last, part.filename, bytes_of(archive, part), trouble_of(part)))
        _check_number(len(files), name)
    return PileFiles(tuple(sorted(files, key=lambda file: file.path_in_pile)), passed_over)


def _left_behind(name: str) -> bool:
    """Files that an operating system or an open word processor puts beside a person's own."""
    return name.startswith((".", "~$", "~lock.")) or name.lower() in _LEFT_BEHIND


def _check_number(count: int, name: str) -> None:
    if count > MOST_FILES:
        raise AppError(f"“{name}” holds more than {MOST_FILES:,} files.", hint="Choose the folder with the letters.")


def _nothing() -> bytes:
    return b""
