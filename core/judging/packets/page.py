"""A packet as one page for any browser or phone: written with its texts, and read with its answers.

The page is one HTML file without a network: `resources/packet_page` holds its markup, style and scripts, which are
allowed by their hashes alone. Texts are in it as JSON without a “<”, and are shown as plain text. A saved page is the
same page with answers, signed as in any packet; it is read as text, and never opened as HTML.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, model_validator

from biasprint.core.errors import AppError
from biasprint.core.judging.packets.packet import FORMAT, PacketParts
from biasprint.core.language import ENGLISH, tr
from biasprint.core.project.rows import PacketRow, PlanRow, RaterRow, SessionRow
from biasprint.core.project.stores.chain import CHAIN

PAGE_SUFFIX = ".html"
LARGEST = 64 * 2**20  # bytes of a page: more is no file for a phone
SCRIPTS = ("seal.js", "keep.js", "answers.js", "page.js")
LONGEST_NOTE = 100_000
MOST_ROWS = 200_000  # of judgments and of annotations
PACKET, ANSWERS = "packet", "answers"  # the ids of the two elements with data
_PLACE = re.compile("@([a-z_]+)@")
_UNSAFE = re.compile("[<>&]")  # what is not ASCII is escaped already


def _text(value: object) -> str:
    """Return any text; pydantic's own strings have no lone surrogates."""
    if not isinstance(value, str):
        raise ValueError("it is no text")
    return value


Text = Annotated[str, PlainValidator(_text)]
Key = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[\w-]+$")]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?\+00:00$")]
TimeOrNone = Annotated[str, Field(pattern=r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?\+00:00)?$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Part = TypeVar("Part", bound=_Part)


class PageComparison(_Part):
    """One comparison as it is shown: `texts` in the order of the cards, each with its blanks."""

    id: Key
    wording: Annotated[str, Field(pattern=r"^\d{1,6}$")]
    texts: Annotated[list[Text], Field(min_length=2, max_length=3)]
    texts_sha256: Hash


class PageContent(_Part):
    """The content of a packet in a page, the same in every copy of it. `name`: of its file, without the ending."""

    format: int
    packet: Key
    plan: Key
    rater: Key
    session: Key
    code: Annotated[str, Field(min_length=1, max_length=40)]
    name: Annotated[str, Field(max_length=100)]
    created_at: Time
    content_sha256: Hash
    settings: dict[str, Any]
    comparisons: Annotated[list[PageComparison], Field(min_length=1)]


class PageJudgment(_Part):
    id: Key
    session_id: Key
    comparison_id: Key
    outcome: Literal["choice", "tie", "none", "skip", "undone"]
    chosen: int | None
    shown: Annotated[str, Field(max_length=20)]
    texts_sha256: Hash
    note: Annotated[str, Field(max_length=LONGEST_NOTE)]
    active_seconds: Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)]
    supersedes: Key | None
    created_at: Time
    detail: Annotated[str, Field(max_length=100_000)]
    row_sha256: Hash

    @model_validator(mode="after")
    def choice_names_a_card(self) -> "PageJudgment":
        if (self.outcome == "choice") != (self.chosen is not None):
            raise ValueError("a choice names a card, and only a choice does")
        return self


class PageAnnotation(_Part):
    id: Key
    kind: Annotated[str, Field(max_length=40)]
    target: Key
    rater_id: Key
    value: Annotated[str, Field(max_length=10_000)]
    supersedes: Key | None
    created_at: Time


class PageAnswers(_Part):
    """The answers so far. `chain`: its state, without a key once the page is finished. `drafts` and `marks`: notes and
    marked words by comparison that no answer has taken yet; they are not merged.
    """

    consent_text: Text = ""
    consent_at: TimeOrNone = ""
    opened_at: TimeOrNone = ""
    revealed_at: Time | None = None
    background: dict[Literal["described"], Annotated[str, Field(max_length=10_000)]] = {}
    chain: dict[Literal["key", "tag"], Hash]
    seal: Hash | None = None
    judgments: Annotated[list[PageJudgment], Field(max_length=MOST_ROWS)] = []
    annotations: Annotated[list[PageAnnotation], Field(max_length=MOST_ROWS)] = []
    drafts: dict[Key, Annotated[str, Field(max_length=LONGEST_NOTE)]] = {}
    marks: dict[Key, list[list[int]]] = {}


# ---- Writing one


def write_page(path: Path, content: Mapping[str, Any], chain: Mapping[str, str], language: str = ENGLISH) -> None:
    """Write a page without answers; English where it has no words of the language. Raises AppError where it is too
    large to be sent and opened."""
    answers = PageAnswers.model_validate({CHAIN: dict(chain)})
    data = {PACKET: _embedded(content), ANSWERS: _embedded(answers.model_dump())}
    whole = _filled(data, language if language in page_languages() else ENGLISH).encode("ascii")
    if len(whole) > LARGEST:
        raise AppError(
            f"The page would have {len(whole) / 2**20:,.0f} MB, and phones cannot open more than "
            f"{LARGEST / 2**20:,.0f}.", kept="No page was made.",
            hint="Draw fewer comparisons, split them among raters, or make packets for this program.",
        )  # fmt: skip
    path.write_bytes(whole)


def page_languages() -> tuple[str, ...]:
    """Return the codes of the languages that a page can speak."""
    names = (each.name for each in files("biasprint.resources").joinpath("packet_page").iterdir())
    return tuple(sorted(name.split(".")[1] for name in names if name.startswith("words.")))


def _filled(data: Mapping[str, str], language: str) -> str:
    fixed = _parts(language)
    return _PLACE.sub(lambda place: data.get(place[1]) or fixed[place[1]], fixed["page"])


@cache
def _parts(language: str) -> dict[str, str]:
    folder = files("biasprint.resources").joinpath("packet_page")
    style = folder.joinpath("page.css").read_text("utf-8")
    script = "\n".join(folder.joinpath(name).read_text("utf-8") for name in (f"words.{language}.js", *SCRIPTS))
    script = re.sub("[^\x00-\x7f]", lambda letter: f"\\u{ord(letter[0]):04x}", script)
    said = {
        "title": tr("Comparisons", language),
        "asleep": tr(
            "If you can still read this line, this is only a preview: save the file and open it with a browser, such "
            "as Chrome, Firefox or Safari.", language,
        ),
    }  # fmt: skip
    said = {place: words.encode("ascii", "xmlcharrefreplace").decode() for place, words in said.items()}
    hashes = {"style_hash": _allowed(style), "script_hash": _allowed(script)}
    page = folder.joinpath("page.html").read_text("utf-8")
    return {"page": page, "style": style, "script": script, "language": language, **said, **hashes}


def _allowed(inline: str) -> str:
    """Return the source expression of a Content-Security-Policy that allows this inline element alone."""
    return "sha256-" + base64.b64encode(hashlib.sha256(inline.encode("utf-8")).digest()).decode("ascii")


def _embedded(value: Any) -> str:
    """Return JSON that ends no element and begins none."""
    return _UNSAFE.sub(lambda letter: f"\\u{ord(letter[0]):04x}", json.dumps(value, separators=(",", ":")))


# ---- Reading one that came back


class NotAPage(ValueError):
    """A file that is not a page as it was saved. The message completes “the page …”."""


@dataclass(frozen=True)
class ReadPage:
    """A page that fits its form; whether it was altered is for the hashes to say."""

    own: PacketParts
    comparisons: Sequence[PageComparison]
    judgments: Sequence[dict[str, Any]]
    annotations: Sequence[dict[str, Any]]


def read_page(path: Path) -> ReadPage:
    """Return the packet in a page. Raises NotAPage where it is none, or was changed out of its form; OSError."""
    if path.stat().st_size > LARGEST:
        raise NotAPage("is larger than any page that was made")
    html = path.read_bytes().decode("utf-8", "replace")
    content, answers = _checked(PageContent, html, PACKET), _checked(PageAnswers, html, ANSWERS)
    if content.format != FORMAT:
        raise NotAPage("is of another version")
    return ReadPage(
        own=_parts_of(content, answers),
        comparisons=content.comparisons,
        judgments=[{**row.model_dump(), "sequence": place} for place, row in enumerate(answers.judgments, start=1)],
        annotations=[row.model_dump() for row in answers.annotations],
    )


def _checked(kind: type[Part], html: str, element: str) -> Part:
    begin = f'<script type="application/json" id="{element}">'
    if html.count(begin) != 1:
        raise NotAPage("holds no packet")
    data = html.split(begin, 1)[1].split("</script>", 1)[0]
    try:
        return kind.model_validate(json.loads(data, parse_constant=_refuse))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise NotAPage(f"has a value that it cannot have ({where})") from error
    except (ValueError, RecursionError) as error:
        raise NotAPage("holds data that cannot be read") from error


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _parts_of(content: PageContent, answers: PageAnswers) -> PacketParts:
    at, described = content.created_at, {str(name): words for name, words in answers.background.items()}
    manifest: dict[str, Any] = {
        "format": content.format,
        "content_sha256": content.content_sha256,
        "comparisons": len(content.comparisons),
        "packet": content.packet,
        CHAIN: dict(answers.chain),
    }
    if answers.seal is not None:
        manifest["seal"] = answers.seal
    return PacketParts(
        PacketRow(content.packet, content.plan, content.rater, "made", "", manifest, at),
        PlanRow(content.plan, 1, "", "", 0, content.settings, at),
        RaterRow(content.rater, content.code, "person", described, at),
        SessionRow(
            content.session, content.plan, content.rater, answers.consent_text, answers.consent_at, answers.opened_at,
            answers.revealed_at,
        ),
    )  # fmt: skip
