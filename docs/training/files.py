"""Read tables of sentences, and write heads with the hash that the program asks of them."""

import csv
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TRAINING = Path(__file__).parent
ROOT = TRAINING.parents[1]
MODELS = ROOT / "models"  # what the program reads


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a csv file by the names of their columns."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_head(path: Path, weights: Mapping[str, Any]) -> str:
    """Write arrays as safetensors, and tell the SHA-256 of the file."""
    from safetensors.numpy import save

    content = save(dict(weights))
    path.write_bytes(content)
    return hashlib.sha256(content).hexdigest()
