"""The files inside a docx: read within limits, some replaced, all others byte for byte as they were."""

import io
import re
import zipfile
from typing import Any

from biasprint.core.letters.files.packed import Packed
from biasprint.core.letters.files.readers import BODY

CONTENT_TYPES = "[Content_Types].xml"
RELATIONS = "word/_rels/document.xml.rels"
COMMENTS = "word/comments.xml"
SETTINGS = "word/settings.xml"
_TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_COMMENTS_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
_COMMENTS_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"
_MACROS = "application/vnd.ms-word.document.macroEnabled.main+xml"
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DEFAULT: Any = {None: _RELATION[1:-1]}
_PROTECTED = ("1", "true", "on")


class Package:
    """A docx that is being changed. `xml` gives a part's root, which `write` puts back if it was asked for."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data, self._name = data, name
        self._packed = Packed(data, name)
        self._roots: dict[str, Any] = {}

    def names(self) -> list[str]:
        return self._packed.names()

    def has(self, part: str) -> bool:
        return part in self.names()

    def xml(self, part: str) -> Any:
        """The root of a part. Raises `AppError` where it cannot be read."""
        if part not in self._roots:
            self._roots[part] = self._packed.xml(part)
        return self._roots[part]

    def comments(self) -> Any:
        """The root of the comments, made and made known to the document where there were none."""
        from lxml import etree

        part = self._comments_part()
        if part in self._roots or self.has(part):
            return self.xml(part)
        self._roots[part] = etree.Element(f"{W}comments", nsmap={"w": W[1:-1]})
        etree.SubElement(self.xml(CONTENT_TYPES), f"{_TYPES}Override", PartName=f"/{part}", ContentType=_COMMENTS_TYPE)
        relations = self.xml(RELATIONS) if self.has(RELATIONS) else self._first_relations()
        taken = {one.get("Id") for one in relations}
        number = next(n for n in range(1, len(taken) + 2) if f"rId{n}" not in taken)
        etree.SubElement(
            relations, f"{_RELATION}Relationship", Id=f"rId{number}", Type=_COMMENTS_RELATION, Target="comments.xml"
        )
        return self._roots[part]

    def protected(self) -> bool:
        """Whether the document may be edited only by who lifts its protection."""
        found = self._packed.xml(SETTINGS).find(f"{W}documentProtection") if self.has(SETTINGS) else None
        return found is not None and found.get(f"{W}enforcement") in _PROTECTED

    def macros(self) -> bool:
        """Whether the file is of the kind that may hold macros: Word opens it by the ending docm alone."""
        types = self._packed.xml(CONTENT_TYPES)
        return any(one.get("ContentType") == _MACROS for one in types)

    def write(self) -> bytes:
        """The whole file, with the parts that were asked for as they are now."""
        from lxml import etree

        stream = io.BytesIO()
        left = dict(self._roots)
        with zipfile.ZipFile(io.BytesIO(self._data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
            for info in old.infolist():  # its time and name stay
                root = left.pop(info.filename, None)
                new.writestr(info, self._packed.read(info.filename) if root is None else _bytes(etree, root))
            for part, root in left.items():
                new.writestr(part, _bytes(etree, root))
        return stream.getvalue()

    def _comments_part(self) -> str:
        """Where the document's comments stand; nearly always `COMMENTS`."""
        relations = self.xml(RELATIONS) if self.has(RELATIONS) else ()
        target = next((one.get("Target", "") for one in relations if one.get("Type") == _COMMENTS_RELATION), "")
        if not target or not re.fullmatch(r"/?[\w./-]+\.xml", target) or ".." in target:
            return COMMENTS
        return target[1:] if target.startswith("/") else f"word/{target}"

    def _first_relations(self) -> Any:
        from lxml import etree

        self._roots[RELATIONS] = etree.Element(f"{_RELATION}Relationships", nsmap=_DEFAULT)
        return self._roots[RELATIONS]


def _bytes(etree: Any, root: Any) -> bytes:
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


__all__ = ["BODY", "Package"]
