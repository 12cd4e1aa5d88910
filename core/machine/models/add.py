"""Adding a model that the user has: it is checked and hashed, and stays where it is."""

import re
from pathlib import Path

from core.errors import AppError, UsageError
from core.jobs import JobContext
from core.machine.models import catalogue, installed, layout, records
from core.machine.models.installed import InstalledModel
from core.machine.models.layout import Found


def add(path: Path, role: str, name: str | None = None, ctx: JobContext | None = None) -> InstalledModel:
    """Add the GGUF file, folder or known checkpoint at `path` for a role; adding it again renews its hashes.

    Nothing is copied, loaded or run. Raises `UsageError` for a role or name that cannot be, `AppError` for what is no
    model that may be loaded.
    """
    known = catalogue.role(role)
    if not known.takes_models:
        raise UsageError(f"The role “{role}” takes no models.", hint=f"It is filled by {known.scorer}.")
    where = Path(path).expanduser().absolute()
    found = layout.look_at(where)
    _check_role(found, role)
    called = _name(name, found, role)
    check = None if ctx is None else ctx.check
    hashes = installed.hashes_of(where, found.files, check)
    if found.format == "checkpoint":
        _check_checkpoint(found, role, hashes[found.files[0]])
    records.keep_added(records.Added(called, role, str(where), found.format, _title(where), hashes, found.notes))
    return installed.find(called, (role,))


def _check_role(found: Found, role: str) -> None:
    if found.format == "gguf" and role != "generator":
        raise UsageError(
            f"A GGUF file writes texts; it cannot fill the role “{role}”.",
            hint="Add a folder with safetensors weights, or use --role generator.",
        )


def _check_checkpoint(found: Found, role: str, sha256: str) -> None:
    # A checkpoint is a pickle. This one is read weights-only, and only because its hash is known.
    known = catalogue.known_checkpoint(sha256)
    if known is None or known.role != role:
        raise _unknown_checkpoint(found)
    if known.needs_folder and found.path.is_file():
        raise AppError(
            f"“{known.title}” needs a tokenizer, which its file does not hold.",
            kept="It was not opened.",
            hint="Put the checkpoint in a folder with config.json and the tokenizer of the model that it was trained "
            "from, and add the folder.",
        )


def _unknown_checkpoint(found: Found) -> AppError:
    known = "; ".join(each.title for each in catalogue.known_checkpoints())
    return AppError(
        f"“{found.path.name}” is not a known checkpoint, and a checkpoint can run any program when it is opened.",
        kept="It was not opened.",
        hint=f"Known, by their hash: {known}. Other models come as safetensors or GGUF.",
    )


def _name(name: str | None, found: Found, role: str) -> str:
    """The name asked for, or one made from the file's; free, or that of the same file added before."""
    called = name or re.sub(r"[^A-Za-z0-9._-]+", "-", found.path.stem).strip("-._")[:80] or role
    if not records.NAME.fullmatch(called):
        raise UsageError(
            f"“{called}” cannot be a model's name.", hint="Use letters, digits, dot, dash and underscore; at most 80."
        )
    if catalogue.entry(called) is not None:
        raise UsageError(f"“{called}” is a name of the catalogue.", hint="Give the model another name with --name.")
    before = records.added().get(called)
    if before is not None and (before.path, before.role) != (str(found.path), role):
        raise UsageError(
            f"There is another model called “{called}” already.", hint="Give the model another name with --name."
        )
    return called


def _title(path: Path) -> str:
    return path.stem if path.is_file() else path.name
