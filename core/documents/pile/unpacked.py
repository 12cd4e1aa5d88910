"""One file of a zip, in memory and within limits. No name from a zip ever becomes a path on the disk."""

import re
import zipfile
from collections.abc import Callable

from core.documents.files.limits import MOST_BYTES
from core.errors import AppError

MOST_RATIO = 200  # unpacked to packed; text reaches 10, and only what is made to blow up reaches this
RATIO_FROM = 1_000_000  # bytes: below that, no ratio can do harm
_LINK = 0o120000
_HINT = "Unpack it yourself if you trust where it is from."


def trouble_of(part: zipfile.ZipInfo) -> str:
    """Why this file must not be unpacked; "" where it may."""
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
    """What reads the file, once; raises `AppError` for one that is damaged or larger than it says."""

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
