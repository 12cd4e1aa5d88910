"""The hash of a file's bytes. Never of a file that this program has open: closing it would let go of SQLite's lock."""

import hashlib
from pathlib import Path

READ_BYTES = 1 << 20


def file_sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as stream:
        while piece := stream.read(READ_BYTES):
            digest.update(piece)
    return digest.hexdigest()
