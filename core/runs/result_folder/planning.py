"""Plan which files a result folder still has to score: it can be begun, interrupted and gone on with.

What has a sound output, by its footer, need not be scored again. `scoring` scores one file.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from biasprint import core
from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine.files import write_whole
from biasprint.core.runs.result_folder import FORMAT, MANIFEST, SCORES, footer_of, manifest
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import info_of
from biasprint.core.studies.registry import table_fields
from biasprint.core.tables.fields import guess_mapping
from biasprint.core.tables.read import look_at
from biasprint.core.text import sha256_file

ENDING, PART = ".parquet", ".part"


@dataclass(frozen=True)
class ScoringOrder:
    """An order to score texts with scorers. It goes to each machine, where both folders have the same paths.

    `data`: a Parquet file or a folder of them. `scorers`: as they are where the order was given. `text`: the column.
    """

    data: Path
    out: Path
    text: str
    scorers: tuple[ScorerInfo, ...]
    version: str = core.__version__

    def source(self, name: str) -> Path:
        """Return the input file of a partition."""
        return self.data if self.data.is_file() else self.data / name

    def target(self, name: str) -> Path:
        """Return the output file of a partition."""
        return self.out / SCORES / name

    def stated(self) -> dict[str, Any]:
        """Return what the manifest and every output file state of the order; it must be equal to resume."""
        return {"format": FORMAT, "text": self.text, "scorers": [stated(scorer) for scorer in self.scorers]}


def stated(scorer: ScorerInfo) -> dict[str, Any]:
    """Return a scorer as a result folder keeps it."""
    values = asdict(scorer)
    return {name: value for name, value in values.items() if name not in ("note", "unavailable")} | {
        "labels": list(scorer.labels)
    }


@dataclass(frozen=True)
class ScoringPlan:
    """The partitions that are left to score. `names`: all partitions. `done`: those with a sound output, and its
    footer. `again`: outputs found broken.
    """

    order: ScoringOrder
    names: tuple[str, ...]
    done: dict[str, dict[str, Any]]
    again: tuple[str, ...] = ()
    new: tuple[str, ...] = ()

    @property
    def left(self) -> list[str]:
        return [name for name in self.names if name not in self.done]


def plan(data: Path, out: Path, scorers: Sequence[str], text: str | None = None) -> ScoringPlan:
    """Return what is left to score. Writes the manifest where the folder is begun; unfinished files are removed.

    Raises `UsageError` and `AppError`: no Parquet files, an unknown column, and a folder that was begun with something
    else (another scorer, version or column, an input file that is another or is gone).
    """
    data, out = data.resolve(), out.resolve()
    names = partitions(data)
    if out == data or data in out.parents or out in data.parents:
        raise UsageError("The result folder and the data lie in each other.", hint="Name another folder with --out.")
    infos = tuple(info_of(name) for name in scorers)
    for info in infos:
        if info.unavailable:
            raise AppError(f"The scorer “{info.name}” cannot be used here.", hint=info.unavailable)
    begun = manifest(out)
    column = text or (str(begun["text"]) if begun else None) or _text_column(data, names)
    order = ScoringOrder(data, out, column, infos)
    listed = _as_begun(order, begun, names) if begun else ()
    _remove_unfinished(out)
    done, again = _finished(order, names)
    new = tuple(name for name in names if begun and name not in listed)
    write_manifest(order, names)
    return ScoringPlan(order, names, done, again, new)


def partitions(data: Path) -> tuple[str, ...]:
    """Return the Parquet files of a folder, by their relative names with “/”; those that begin with “.” or “_” are no
    data.
    """
    if data.is_file():
        return (data.name,)
    if not data.is_dir():
        raise UsageError(f"There is no “{data}”.", hint="Name a Parquet file, or a folder of them.")
    paths = sorted(path.relative_to(data) for path in data.rglob(f"*{ENDING}") if not path.is_dir())
    names = tuple(file.as_posix() for file in paths if not any(part[0] in "._" for part in file.parts))
    if not names:
        raise UsageError(f"There is no Parquet file in “{data}”.", hint=f"Their names end in {ENDING}.")
    return names


def write_manifest(order: ScoringOrder, names: Sequence[str], failed: Sequence[tuple[str, str]] = ()) -> None:
    """State the order, all partitions, and those that could not be scored and why."""
    (order.out / SCORES).mkdir(parents=True, exist_ok=True)
    content = {"biasprint": order.version, **order.stated(), "data": str(order.data), "partitions": list(names)}
    content["failed"] = [{"partition": name, "why": why} for name, why in failed]
    write_whole(order.out / MANIFEST, (json.dumps(content, indent=1) + "\n").encode())


def _text_column(data: Path, names: Sequence[str]) -> str:
    """Return the column with the texts, by the first file that can be read."""
    whys: list[AppError] = []
    for name in names:
        try:
            table = look_at(data if data.is_file() else data / name)
        except AppError as error:
            whys.append(error)
            continue
        guessed = guess_mapping(table.columns, table.sample_rows, table_fields("texts"))
        if guessed.get("text") not in table.columns:
            raise UsageError(f"No column of “{name}” looks like texts.", hint="Say which it is: --map text=COLUMN.")
        return guessed["text"]
    raise whys[0]


def _as_begun(order: ScoringOrder, begun: dict[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """Return the partitions that the folder was begun with. Raises `AppError` where it is not this order's."""
    before, now = {own["name"]: own for own in begun["scorers"]}, order.stated()["scorers"]
    other = "Name another folder with --out; this one stays as it is."
    for own in now:
        known = before.get(own["name"])
        if known is not None and (known["version"], known.get("sha256")) != (own["version"], own["sha256"]):
            raise AppError(
                f"“{order.out.name}” was begun with {own['name']} {known['version']}, and here it is {own['version']}"
                f"{'' if known['version'] != own['version'] else ' with other weights'}.", hint=other,
            )  # fmt: skip
    if list(before) != [own["name"] for own in now]:
        raise AppError(f"“{order.out.name}” was begun with other scorers: {', '.join(before)}.", hint=other)
    if begun["text"] != order.text:
        raise AppError(f"“{order.out.name}” was begun with the texts of column “{begun['text']}”.", hint=other)
    listed: tuple[str, ...] = tuple(begun["partitions"])
    if gone := [name for name in listed if name not in set(names)]:
        more = f" and {len(gone) - 1:,} more" if len(gone) > 1 else ""
        raise AppError(
            f"“{order.out.name}” was begun with “{gone[0]}”{more}, which the data no longer have.", hint=other
        )
    return listed


def _finished(order: ScoringOrder, names: Sequence[str]) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """Return the partitions whose output is sound, and those whose output is not. `AppError` where an input has changed
    since.
    """
    done: dict[str, dict[str, Any]] = {}
    again = []
    for name in names:
        if not order.target(name).exists():
            continue
        footer = footer_of(order.target(name))
        if footer is None or footer.get("order") != order.stated():
            again.append(name)
            continue
        if not _same_input(order.source(name), footer["input"]):
            raise AppError(
                f"“{name}” is not what “{order.out.name}” was begun with: it has changed since.",
                hint="Name another folder with --out, or put the file back.",
            )
        done[name] = footer
    return done, tuple(again)


def _same_input(path: Path, known: dict[str, Any]) -> bool:
    """Return whether a file is unchanged, by size and time; where the time alone differs (a copy), by its bytes."""
    status = path.stat()
    if status.st_size != known["bytes"]:
        return False
    return bool(status.st_mtime_ns == known["changed_ns"] or sha256_file(path) == known["sha256"])


def _remove_unfinished(out: Path) -> None:
    """Remove the unfinished files of lost machines: only below `scores`, where nobody else writes."""
    for path in _unfinished(out):
        path.unlink(missing_ok=True)


def _unfinished(out: Path) -> Iterator[Path]:
    if (out / SCORES).is_dir():
        yield from (out / SCORES).rglob(f".*{PART}")
