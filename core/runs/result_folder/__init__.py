"""Result folders: the scores of texts in many Parquet files, one file of scores for each of them.

`scoring` begins one, goes on with it, and scores its files. `measuring` gives its findings, and `rows` its rows and a
read-only project of them. A plug-in hands files to many machines (`core.cluster`).

A result folder holds `manifest.json` (which scorers, in which version, of which files) and below `scores` one Parquet
file for each input file, by the same relative name. Such a file is there whole or not at all, and its footer says what
it was made from: the input's SHA-256, size and time, and the scorers.
"""

import json
from pathlib import Path, PurePosixPath
from typing import Any

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import MISFIT

MANIFEST, SCORES, FORMAT = "manifest.json", "scores", 1
FOOTER = b"biasprint"
TEXT_HASH = "text_sha256"  # the column with the SHA-256 of a row's text
VALUES = ".values"  # ends the name of the column with all numbers of a scorer


def is_result_folder(path: Path) -> bool:
    """Return whether `score --cluster` may have made it: only looked at, nothing is read."""
    return all((path / name).exists() for name in (MANIFEST, SCORES))


def manifest(out: Path) -> dict[str, Any] | None:
    """Return the folder's manifest; None where it was not begun. `AppError` where that cannot be read."""
    path = out / MANIFEST
    if not path.is_file():
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise UsageError(f"“{out}” is there and is no result folder.", hint="Name one that is empty or not there.")
        return None
    try:
        content = json.loads(path.read_bytes())
        if content["format"] != FORMAT:
            raise AppError(f"“{out.name}” was written by another version of the program.", hint="Name another folder.")
        scorers, names, text = content["scorers"], content["partitions"], content["text"]
        sound = all(isinstance(scorer["version"], str) for scorer in scorers) and all(map(_is_inside, names))
        if not sound or not isinstance(text, str):
            raise TypeError
    except (OSError, *MISFIT) as error:
        raise AppError(
            f"“{MANIFEST}” of “{out.name}” cannot be read.",
            kept="The scores in it are unchanged.",
            hint="Put it back from a copy, or name another folder.",
            details=repr(error),
        ) from None
    return dict(content)


def _is_inside(name: object) -> bool:
    """Return whether it can be a partition's name: a folder that came from elsewhere may name files that are
    not in it.
    """
    return isinstance(name, str) and not PurePosixPath(name).is_absolute() and ".." not in PurePosixPath(name).parts


def footer_of(path: Path) -> dict[str, Any] | None:
    """Return what an output file states that it was made from, and `rows` as the file has them; None where it is not
    whole.
    """
    import pyarrow
    from pyarrow import parquet

    try:
        metadata = parquet.read_metadata(path)
        footer: dict[str, Any] = json.loads((metadata.metadata or {})[FOOTER])
        return footer if footer["rows"] == metadata.num_rows and footer["input"]["sha256"] else None
    except (OSError, pyarrow.ArrowException, *MISFIT):
        return None
