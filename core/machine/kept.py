"""Small JSON files in the data folder: read whole, written whole, changed by one process at a time."""

import contextlib
import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.errors import AppError
from core.machine.home import home
from core.machine.locked import locked


def read(name: str) -> dict[str, Any]:
    """What the file `name` of the data folder holds; empty where there is none. `AppError` where it is damaged."""
    path = home() / name
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, OSError) as error:
        raise _damaged(path, error) from error
    if not isinstance(data, dict):
        raise _damaged(path, None)
    return data


@contextlib.contextmanager
def change(name: str) -> Iterator[dict[str, Any]]:
    """What the file holds, to be changed; written when the block ends well. Other processes wait meanwhile."""
    with locked(f"{name}.lock"):
        data = read(name)
        yield data
        write(name, data)


def write(name: str, data: dict[str, Any]) -> None:
    """Put `data` in place of what the file held, whole or not at all."""
    path = home() / name
    part = path.with_name(f".{name}.{uuid.uuid4().hex[:8]}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            json.dump(data, file, ensure_ascii=False, indent=1, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise AppError(
            f"“{path}” could not be written ({error.strerror}).",
            kept="What it held before is unchanged.",
            hint="Free some space, or see to it that you may write there.",
        ) from error


def _damaged(path: Path, error: Exception | None) -> AppError:
    return AppError(
        f"“{path}” cannot be read.",
        kept="Nothing was changed.",
        hint="Mend it, or move it away: the program then starts with none.",
        details=str(error or "it is no JSON object"),
    )
