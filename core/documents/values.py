"""What the parts of the letter check hand to each other: frozen values, and nothing heavy to import.

Places are characters of the letter's text as it was read, start included and end not.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from core.text import for_matching, sha256_text

Kind = Literal["docx", "odt", "pdf", "txt", "md", "rtf", "html", "pasted"]
PartKind = Literal["letterhead", "salutation", "body", "closing", "signature", "quoted_cv"]
Verdict = Literal["grounded", "unsupported", "contradicted", "not a claim", "no context"]
Category = Literal[
    "agentic", "communal", "standout", "ability", "grindstone", "doubt",
    "personal_life", "gender", "age", "family", "appearance", "health", "origin",
]  # fmt: skip
ScoreName = Literal["formality", "positivity", "agency"]

KINDS: tuple[Kind, ...] = get_args(Kind)
PART_KINDS: tuple[PartKind, ...] = get_args(PartKind)
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
CATEGORIES: tuple[Category, ...] = get_args(Category)
SCORE_NAMES: tuple[ScoreName, ...] = get_args(ScoreName)


class Span(NamedTuple):
    """Characters `start` to `end` of the letter's text."""

    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """A file's or a pasted text's paragraphs. `pages` is `None` where the kind has none; `notes` are for the person."""

    name: str
    kind: Kind
    paragraphs: tuple[str, ...]
    pages: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The paragraphs with a blank line between them: what every place is counted in."""
        return "\n\n".join(self.paragraphs)


@dataclass(frozen=True)
class Part:
    """What a stretch of the letter is: only the body is scored."""

    kind: PartKind
    start: int
    end: int


@dataclass(frozen=True)
class Sentence:
    """The sentence `index` of the letter, counted from 0, and the part it stands in."""

    index: int
    start: int
    end: int
    text: str
    part: PartKind


@dataclass(frozen=True)
class Mark:
    """Words of one sentence that a category's rule found, with the reason and the source of the rule.

    `sentence` is the index of its sentence. A hedged mark is said weakly, a negated one is denied.
    """

    category: Category
    start: int
    end: int
    sentence: int
    words: str
    reason: str
    source: str
    hedged: bool = False
    negated: bool = False

    def key(self, sentence_text: str) -> str:
        """What a dismissal is remembered by: it outlives edits elsewhere in the letter, not of its own sentence."""
        said = sha256_text(" ".join(sentence_text.split()))[:16]
        return f"{self.category}:{for_matching(self.words)}:{said}"


@dataclass(frozen=True)
class Support:
    """Whether the context supports a sentence. `start` and `end` are the place of `passage` in the context.

    `score` is the checker's own, `None` where nothing was scored; `reason` says how the verdict came about.
    """

    sentence: int
    verdict: Verdict
    passage: str
    start: int
    end: int
    score: float | None
    reason: str


@dataclass(frozen=True)
class SentenceScore:
    """One scorer's value for one sentence; `None` with a reason where it has none. `label` is for reading aloud."""

    sentence: int
    name: ScoreName
    value: float | None
    label: str
    reason: str
