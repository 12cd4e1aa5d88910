"""The parts of a Word file or odt that could run or fetch something: they do not leave with the checked letter.

Only what is reached by relations of known kinds inside the file stays: macros, embedded objects and documents,
controls, custom data, and every target elsewhere go, with what refers to them. The words of links and fields stay.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from biasprint.core.errors import AppError

CONTENT_TYPES = "[Content_Types].xml"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_RUNNING = ("macroEnabled.main+xml", "macroEnabledTemplate.main+xml")
# The last word of a relation's type.
_KEPT = frozenset({
    "officeDocument", "core-properties", "extended-properties", "custom-properties", "thumbnail", "styles",
    "stylesWithEffects", "settings", "webSettings", "fontTable", "font", "theme", "themeOverride", "numbering",
    "footnotes", "endnotes", "header", "footer", "image", "comments", "commentsExtended", "commentsIds",
    "commentsExtensible", "people", "chart", "chartEx", "chartStyle", "chartColorStyle", "chartUserShapes",
    "diagramData", "diagramLayout", "diagramQuickStyle", "diagramColors", "diagramDrawing",
})  # fmt: skip
_DATA = frozenset({"customXml", "customXmlProps"})
_WORDS = {
    "vbaProject": "macros", "wordVbaData": "macros", "keyMapCustomizations": "macros", "oleObject": "embedded objects",
    "package": "embedded objects", "control": "controls", "activeXControlBinary": "controls",
    "aFChunk": "other documents in it", "subDocument": "other documents in it", "glossaryDocument": "text blocks",
    "attachedTemplate": "its template's address", "hyperlink": "the addresses of links", "image": "linked pictures",
    "customXml": "custom data", "mailMergeSource": "sources of data", "mailMergeHeaderSource": "sources of data",
}  # fmt: skip
_FIELDS = frozenset({
    "PAGE", "NUMPAGES", "SECTION", "SECTIONPAGES", "DATE", "TIME", "CREATEDATE", "SAVEDATE", "PRINTDATE", "EDITTIME",
    "REVNUM", "AUTHOR", "LASTSAVEDBY", "TITLE", "SUBJECT", "KEYWORDS", "COMMENTS", "USERNAME", "USERINITIALS",
    "USERADDRESS", "NUMWORDS", "NUMCHARS", "REF", "PAGEREF", "NOTEREF", "STYLEREF", "SEQ", "TOC", "TC", "XE", "INDEX",
    "SYMBOL", "LISTNUM", "ADVANCE", "MERGEFIELD", "DOCPROPERTY", "DOCVARIABLE", "FORMTEXT", "FORMCHECKBOX",
    "FORMDROPDOWN",
})  # fmt: skip
_OF_RELATIONS = ("officeDocument/2006/relationships", "officeDocument/relationships")
_ELSEWHERE = ("href", "src", "althref")  # attributes of VML

Look = Callable[[str], Any]


class Harmless:
    """The parts of a file that stay. `roots`: those that had to be changed; `left_out`: what went, in words."""

    def __init__(self, names: Iterable[str], look: Look) -> None:
        """`look`: gives the root of an XML part, as it is to be written. Raises what it raises."""
        self._names, self._look = frozenset(names), look
        self.kept: set[str] = set()
        self.roots: dict[str, Any] = {}
        self.left_out: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence about what was left out; none where there was nothing."""
        return (
            (f"What could run or fetch something was left out: {', '.join(sorted(self.left_out))}.",)
            if self.left_out
            else ()
        )

    def _root(self, part: str) -> Any:
        return self.roots[part] if part in self.roots else self._look(part)

    def _went(self, part: str, root: Any, what: str) -> None:
        self.roots[part] = root
        self.left_out[what] = None


class HarmlessDocx(Harmless):
    """The parts of a docx that stay."""

    def __init__(self, names: Iterable[str], look: Look) -> None:
        super().__init__(names, look)
        self.kept = {CONTENT_TYPES}
        waiting = [""]
        while waiting:
            waiting += self._related(waiting.pop())
        for part in sorted(self.kept):
            if part.lower().endswith(".xml") and part != CONTENT_TYPES:
                self._clean(part)
        if self._names - self.kept and not self.left_out:
            self.left_out["parts that nothing refers to"] = None
        self._declare()

    def _related(self, source: str) -> Iterator[str]:
        """Keep the relations of a part that may stay, and yield their targets."""
        folder, name = posixpath.split(source)
        own = posixpath.join(folder, "_rels", f"{name}.rels")
        if own not in self._names:
            return
        self.kept.add(own)
        root, gone = self._root(own), set()
        for relation in list(root):
            kind = (relation.get("Type") or "").rpartition("/")[2]
            target = unquote(relation.get("Target") or "")
            part = posixpath.normpath(posixpath.join("/", folder, target))[1:]
            inside = part in self._names and (relation.get("TargetMode") or "Internal") == "Internal"
            if inside and (kind in _KEPT or (kind in _DATA and self._is_read(part))):
                if part not in self.kept:
                    self.kept.add(part)
                    yield part
                continue
            gone.add(relation.get("Id"))
            root.remove(relation)
            self._went(own, root, _WORDS.get(kind, "parts of other kinds"))
        if gone and source in self._names:
            body = self._root(source)
            _let_go(body, gone)
            self.roots[source] = body

    def _is_read(self, part: str) -> bool:
        try:
            self._look(part)
        except AppError:  # custom data with entities
            return False
        return True

    def _clean(self, part: str) -> None:
        root = self._root(part)
        if _without_fields(root):
            self._went(part, root, "fields that fetch something or start a program")
        for element in [each for each in root.iter() if _local(each) == "mailMerge"]:
            _remove(element)
            self._went(part, root, "sources of data")
        for element in root.iter():
            if "urn:schemas-microsoft-com" in str(element.tag):
                for name in [each for each in element.attrib if each.rpartition("}")[2] in _ELSEWHERE]:
                    del element.attrib[name]
                    self._went(part, root, "the addresses of links")

    def _declare(self) -> None:
        """Name the types of what stays alone; a file without macros is none of the kind that may hold them."""
        root = self._look(CONTENT_TYPES)
        for entry in list(root):
            if entry.get("PartName") is not None and entry.get("PartName")[1:] not in self.kept:
                root.remove(entry)
                self.roots[CONTENT_TYPES] = root
            elif (entry.get("ContentType") or "").endswith(_RUNNING):
                entry.set("ContentType", _MAIN)
                self._went(CONTENT_TYPES, root, "macros")


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _remove(element: Any) -> None:
    if element.getparent() is not None:
        element.getparent().remove(element)


def _unwrap(element: Any) -> None:
    for child in list(element):
        element.addprevious(child)
    _remove(element)


def _let_go(root: Any, gone: set[str]) -> None:
    """Remove what refers to relations that are gone; the words of a link stay."""
    for element in list(root.iter()):
        own = [name for name in element.attrib if name[1:].partition("}")[0].endswith(_OF_RELATIONS)]
        lost = [name for name in own if element.get(name) in gone]
        if not lost:
            continue
        if _local(element) == "hyperlink":
            _unwrap(element)
        elif len(lost) < len(own):
            for name in lost:
                del element.attrib[name]
        else:
            _remove(element)


class _Field:
    def __init__(self) -> None:
        self.parts: list[Any] = []  # the elements that make it a field
        self.asked: list[Any] = []  # others among the words of its instruction
        self.words = ""
        self.shows = False  # from here on its result stands


def _is_kept(words: str) -> bool:
    first = words.split()
    return bool(first) and first[0].upper() in _FIELDS


def _without_fields(root: Any) -> bool:
    """Make plain text of each field that is none of `_FIELDS`; return whether there was one."""
    from_here: list[_Field] = []
    doomed: list[_Field] = []
    simple = []
    for element in root.iter():
        name = _local(element)
        if name == "fldSimple" and not _is_kept(_attribute(element, "instr")):
            simple.append(element)
        elif name == "fldChar":
            _fold(element, from_here, doomed)
        elif from_here and name in ("instrText", "delInstrText"):
            from_here[-1].words += element.text or ""
            from_here[-1].parts.append(element)
        elif name in ("t", "delText"):
            for field in from_here:
                if not field.shows:
                    field.asked.append(element)
    doomed += from_here  # those that never end
    for field in doomed:
        for element in (*field.parts, *field.asked):
            _remove(element)
    for element in simple:
        _unwrap(element)
    return bool(doomed or simple)


def _fold(mark: Any, open_fields: list[_Field], doomed: list[_Field]) -> None:
    kind = _attribute(mark, "fldCharType")
    if kind == "begin":
        open_fields.append(_Field())
    if not open_fields:
        return
    open_fields[-1].parts.append(mark)
    if kind == "separate":
        open_fields[-1].shows = True
    if kind == "end":
        field = open_fields.pop()
        if not _is_kept(field.words):
            doomed.append(field)


def _attribute(element: Any, name: str) -> str:
    return next((str(value) for each, value in element.attrib.items() if each.rpartition("}")[2] == name), "")


# ---- OpenDocument

MANIFEST = "META-INF/manifest.xml"
_ODT_PARTS = ("mimetype", "content.xml", "styles.xml", "meta.xml", "settings.xml", "manifest.rdf", MANIFEST)
_ODT_FOLDERS = ("Pictures/", "Thumbnails/")
_ODT_GONE = {
    "scripts": "macros", "event-listeners": "macros", "event-listener": "macros", "script": "macros",
    "execute-macro": "macros", "dde-connection": "fields that fetch something or start a program",
    "dde-connection-decls": "fields that fetch something or start a program", "dde-source": "sources of data",
    "section-source": "sources of data", "database-display": "sources of data", "table-source": "sources of data",
    "object": "embedded objects", "object-ole": "embedded objects", "applet": "embedded objects",
    "plugin": "embedded objects", "floating-frame": "embedded objects", "forms": "controls", "control": "controls",
    "template": "its template's address",
}  # fmt: skip


class HarmlessOdt(Harmless):
    """The parts of an odt that stay."""

    def __init__(self, names: Iterable[str], look: Look) -> None:
        super().__init__(names, look)
        self.kept = {name for name in self._names if name in _ODT_PARTS or name.startswith(_ODT_FOLDERS)}
        for part in ("content.xml", "styles.xml", "meta.xml", "settings.xml"):
            if part in self.kept:
                self._clean(part)
        if any(not name.endswith("/") and not name.startswith("Configurations2/") for name in self._names - self.kept):
            self.left_out.setdefault("parts of other kinds")
        if MANIFEST in self.kept:
            self._declare()

    def _clean(self, part: str) -> None:
        root = self._root(part)
        for element in list(root.iter()):
            name = _local(element)
            if name in _ODT_GONE:
                what = _ODT_GONE[name]
                _keep_tail(element)
                self._went(part, root, what)
        for element in list(root.iter()):
            address = next((each for each in element.attrib if each.endswith("/xlink}href")), None)
            if address is None or element.get(address, "").startswith(("#", *_ODT_FOLDERS)):
                continue
            what = "the addresses of links" if _local(element) == "a" else "linked pictures"
            if _local(element) == "a":
                element.tag = element.tag.rpartition("}")[0] + "}span"
                element.attrib.clear()
            else:
                _keep_tail(element)
            self._went(part, root, what)

    def _declare(self) -> None:
        root = self._look(MANIFEST)
        for entry in list(root):
            path = _attribute(entry, "full-path")
            if not path.endswith("/") and path not in self.kept:
                root.remove(entry)
                self.roots[MANIFEST] = root


def _keep_tail(element: Any) -> None:
    """Remove an element and not the words after it, which belong to it in a tree of lxml."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)
