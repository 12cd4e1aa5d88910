"""The files inside a docx or odt, read within limits."""

import io
import zipfile
from typing import Any

from biasprint.core.errors import AppError

HINT = "Ask for a fresh copy, or paste the letter's text."
# A file that needs more is no letter, and may be an attack.
MOST_UNPACKED = 64_000_000  # bytes of a docx or odt once unpacked
MOST_PARTS = 5_000  # files inside one


class Packed:
    """The files inside. Every one is read through a limit on what all of them together may unpack to."""

    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        self._left = MOST_UNPACKED
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise self._damaged(error) from error
        parts = self._archive.infolist()
        if len(parts) > MOST_PARTS or len({part.filename for part in parts}) < len(parts):
            raise AppError(f"“{name}” is not built like a letter, and was not read.", hint=HINT)
        if any(part.flag_bits & 1 for part in parts):
            raise AppError(f"“{name}” is protected by a password.", hint="Save it without one, and try again.")

    def names(self) -> list[str]:
        return self._archive.namelist()

    def xml(self, part: str) -> Any:
        """The root of one XML file; no entity is resolved, and nothing is loaded from anywhere."""
        from lxml import etree

        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            root = etree.fromstring(self.read(part), parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise self._damaged(error) from error
        tree: Any = None if root is None else root.getroottree()
        if tree is None or tree.docinfo.doctype:
            raise AppError(f"“{self._name}” is not built like a letter, and was not read.", hint=HINT)
        return root

    def read(self, part: str) -> bytes:
        """One file inside. Raises `AppError` for what is damaged, or unpacks to too much together with the others."""
        try:
            with self._archive.open(part) as stream:
                data = stream.read(self._left + 1)
        except (
            KeyError,
            zipfile.BadZipFile,
            EOFError,
            OSError,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ) as error:
            raise self._damaged(error) from error
        except Exception as error:  # zlib.error and its like
            raise self._damaged(error) from error
        self._left -= len(data)
        if self._left < 0:
            raise AppError(f"“{self._name}” unpacks to far more than a letter holds, and was not read.", hint=HINT)
        return data

    def _damaged(self, error: Exception) -> AppError:
        return AppError(f"“{self._name}” is damaged or cut off.", hint=HINT, details=f"{type(error).__name__}: {error}")
