"""Paragraphs of an HTML file. It is parsed and never shown: no script, style, picture or address in it is used."""

from html.parser import HTMLParser

_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt", "fieldset",
        "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li",
        "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
        "ul",
    )
)  # fmt: skip
_SILENT = frozenset(
    ("head", "script", "style", "template", "noscript", "svg", "math", "object", "iframe", "select", "textarea")
)
_NEVER_CLOSED = frozenset(["br", "hr", "img", "input", "link", "meta", "wbr"])


class _Paragraphs(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._pieces: list[str] = []
        self._silent = 0
        self._exact = 0  # inside <pre>

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        if tag in _BLOCKS:
            self._end()
        self._exact += tag == "pre"
        if tag == "br":
            self._pieces.append("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _NEVER_CLOSED or tag in _BLOCKS:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        if tag in _BLOCKS:
            self._end()
        self._exact = max(0, self._exact - (tag == "pre"))

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        self._pieces.append(data if self._exact else " ".join(f"x{data}x".split())[1:-1])

    def close(self) -> None:
        super().close()
        self._end()

    def _end(self) -> None:
        lines = ["".join(self._pieces)] if self._exact else "".join(self._pieces).split("\n")
        self._pieces = []
        text = "\n".join(line if self._exact else " ".join(line.split()) for line in lines).strip("\n")
        if text.strip():
            self.found.append(text)


def paragraphs_of(text: str) -> list[str]:
    """The text of each block, in order; blanks as a browser shows them, a <br> as a line break."""
    parser = _Paragraphs()
    parser.feed(text)
    parser.close()
    return parser.found
