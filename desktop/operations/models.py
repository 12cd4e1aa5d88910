"""Models of this computer: list by role, get, check, add, remove, and choose a preferred one."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models import InMegabytes, catalogue
from biasprint.core.machine.models import installed as installed_models
from biasprint.desktop.operations import Operation, operation
from biasprint.desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from biasprint.core.machine.models.catalogue import CatalogueRole
    from biasprint.core.machine.models.get import Announced, Fetched
    from biasprint.core.machine.models.installed import InstalledModel, OverviewRow, RoleChoice
    from biasprint.core.machine.models.upkeep import Verified
    from biasprint.desktop.jobs import JobHandle, JobRunner

GETTING, VERIFYING, INSTALLING = "getting", "verifying", "installing"  # what jobs are found again by


@dataclass(frozen=True)
class RoleSeen:
    """A role with its models, and the one in use (`choice`; None for writers, which are chosen for each run).

    `preferred` is the user's choice, empty where it is left to the program. `begun`: the bytes already downloaded of
    models whose download was stopped, by name.
    """

    role: "CatalogueRole"
    rows: "tuple[OverviewRow, ...]"
    choice: "RoleChoice | None"
    preferred: str
    begun: dict[str, int]

    @property
    def in_use(self) -> "OverviewRow | None":
        """Return the model that the role's scorer loads now."""
        name = self.choice.model if self.choice is not None else ""
        return next((row for row in self.rows if row.name == name), None)


@dataclass(frozen=True)
class LanguageModels:
    """The language models that could write here: the number got or added, of endpoints, and whether `teaching` is."""

    models: int
    endpoints: int
    teaching: bool

    @property
    def real(self) -> bool:
        return self.models + self.endpoints > 0


def read_models(ctx: JobContext) -> tuple[RoleSeen, ...]:
    """Read every role of the catalogue with its models. Hashes new and changed files, so it may take a while."""
    from biasprint.core.machine.models import installed, records

    seen = []
    for key, role in catalogue.roles().items():
        ctx.check()
        rows = tuple(installed_models.overview(key))
        choice = installed.choose(key) if role.scorer else None
        begun = {row.name: size for row in rows if not row.here and (size := _begun(row.name))}
        seen.append(RoleSeen(role, rows, choice, records.preferred().get(key, ""), begun))
    return tuple(seen)


def read_writers(ctx: JobContext) -> LanguageModels:
    """Count the generators that could write, without reading any model."""
    from biasprint.core.machine.endpoints import endpoints
    from biasprint.core.machine.models import records

    writer = "generator"
    got = [record for record in records.got().values() if record.role == writer and record.folder.is_dir()]
    added = [record for record in records.added().values() if record.role == writer and Path(record.path).exists()]
    try:
        known = len(endpoints())
    except AppError:  # it is said where endpoints are shown
        known = 0
    teaching = any(entry.bundled and entry.bundled_at() is not None for entry in catalogue.entries(writer))
    return LanguageModels(len(got) + len(added), known, teaching)


def announced_model(*, name: str, title: str) -> "Operation[Announced]":
    """Ask for the size and licence of a model before it is downloaded."""

    def work(ctx: JobContext) -> "Announced":
        from biasprint.core.machine.models.get import announced

        return announced(name, ctx)

    return Operation(tr("Asking about {title}").format(title=title), work)


def get_model(*, name: str, title: str, renew: bool = False, folder: Path | None = None) -> "Operation[Fetched]":
    """Download a model of the catalogue, or resume its download, or copy it from a folder or stick.

    `renew` takes the hub's present version.
    """

    def work(ctx: JobContext) -> "Fetched":
        from biasprint.core.machine.models.get import get

        return get(name, InMegabytes(ctx), renew=renew, where=folder or "")

    def done(_: "Fetched") -> str:
        return tr("{title} is here; the hash of every file was checked.").format(title=title)

    return Operation(tr("Getting {title}, in MB").format(title=title), work, done)


def copy_model(*, name: str, title: str, folder: Path) -> "Operation[tuple[Path, int]]":
    """Copy a model that is here to a folder or stick, for a computer without a network."""

    def work(ctx: JobContext) -> tuple[Path, int]:
        from biasprint.core.machine.models.get import export

        return export(name, folder, InMegabytes(ctx))

    def done(copied: tuple[Path, int]) -> str:
        return tr("{title} was copied to {place}; the hash of every file was checked.").format(
            title=title, place=copied[0]
        )  # fmt: skip

    return Operation(tr("Copying {title}, in MB").format(title=title), work, done)


def verify_models(*, name: str | None = None, title: str = "") -> "Operation[list[Verified]]":
    """Read a model's files again, or those of every model here, and compare their hashes with the recorded ones."""

    def work(ctx: JobContext) -> "list[Verified]":
        from biasprint.core.machine.models.upkeep import verify

        return verify(name, InMegabytes(ctx))

    words = tr("Verifying {title}, in MB").format(title=title or tr("all models"))
    return Operation(words, work, _verified)


def _verified(results: "list[Verified]") -> str:
    wrong = [result.name for result in results if not result.sound]
    if wrong:
        return tr("Not as recorded: {names}.").format(names=", ".join(wrong))
    compared = sum(result.compared > 0 for result in results)
    if not compared:
        return tr("No hash is known to compare with.")
    return plural(compared, "The model is as recorded.", "All %n models are as recorded.")


def add_model(*, path: Path, role: str, name: str = "") -> "Operation[InstalledModel]":
    """Add a model that lies on this computer. It is checked and hashed, and stays where it is."""

    def work(ctx: JobContext) -> "InstalledModel":
        from biasprint.core.machine.models.upkeep import add

        return add(path, role, name or None, ctx)

    def done(model: "InstalledModel") -> str:
        return tr("{name} was added.").format(name=model.name)

    return Operation(tr("Reading {name}").format(name=path.name), work, done)


def remove_model(*, name: str, title: str) -> Operation[bool]:
    """Delete the files of a downloaded model; forget one that was added."""

    def work(ctx: JobContext) -> bool:
        from biasprint.core.machine.models.upkeep import remove

        return remove(name)

    def done(deleted: bool) -> str:
        words = tr("{title} was removed.") if deleted else tr("{title} was forgotten; its files are where they were.")
        return words.format(title=title)

    return Operation(tr("Removing {title}").format(title=title), work, done)


def why_no_engine(ctx: JobContext) -> str | None:
    """Return None if GGUF files can be opened; else why the engine cannot be installed, "" if it can."""
    from biasprint.core.backends.llama_cpp import options
    from biasprint.core.backends.llama_cpp.options import installed

    return None if installed() else options.why_not()


def install_engine() -> Operation[None]:
    """Install the engine for GGUF files, into the environment that the program runs in."""

    def work(ctx: JobContext) -> None:
        from biasprint.core.backends.llama_cpp import options

        options.install(ctx)

    done = tr("The local-model engine is installed: GGUF files can be opened.")
    return Operation(tr("Installing the local-model engine, in seconds"), work, done)


@operation("Choosing a model", quiet=True)
def prefer(ctx: JobContext, *, role: str, name: str | None) -> None:
    """Choose the model of a role; None leaves it to the program."""
    from biasprint.core.machine.models import installed

    installed.prefer(role, name)


def mark(handle: "JobHandle", what: str, name: str) -> None:
    """Mark a job so that a page made again while it runs can find it. The mark names nothing: a rater may be blind."""
    handle.setObjectName(f"{what} {hash(name):x}")


def running(jobs: "JobRunner", what: str, name: str) -> "JobHandle | None":
    """Return the job marked so that still runs."""
    return next((handle for handle in jobs.active() if handle.objectName() == f"{what} {hash(name):x}"), None)


def _begun(name: str) -> int:
    """Return the bytes already here of a stopped download."""
    from biasprint.core.machine.models.upkeep import staging

    return sum(file.stat().st_size for file in staging(name).rglob("*") if file.is_file())
