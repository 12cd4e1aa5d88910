"""The values that the parts of the letter check hand to each other: frozen, and nothing heavy to import.

Places are characters of the letter's text as it was read, start included and end not.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from biasprint.core.findings import ScorerUse
from biasprint.core.swap import Person
from biasprint.core.swap.page import Twin
from biasprint.core.text import for_matching, sha256_text

PartKind = Literal["letterhead", "salutation", "body", "closing", "signature", "quoted_cv"]
Verdict = Literal["grounded", "unsupported", "contradicted", "not a claim", "no context"]
LetterCategory = Literal[
    "agentic", "communal", "standout", "ability", "grindstone", "doubt",
    "personal_life", "gender", "age", "family", "appearance", "health", "origin",
]  # fmt: skip
CodedCategory = Literal["masculine", "feminine"]  # of job adverts
Category = Literal[LetterCategory, CodedCategory, "personality"]  # the last of reviews and peer evaluations
DocumentKind = Literal["reference", "recommendation", "review", "peer", "advert"]
ScoreName = Literal["formality", "positivity", "agency"]
Leaning = Literal["warmth", "drive", "balanced", "little praise", "too short"]

PART_KINDS: tuple[PartKind, ...] = get_args(PartKind)
LEANING: tuple[Leaning, ...] = ("warmth", "drive")  # to one side
PASTED = "pasted"  # the kind of a text that came from no file
CATEGORIES: tuple[LetterCategory, ...] = get_args(LetterCategory)
DOCUMENT_KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)
SCORE_NAMES: tuple[ScoreName, ...] = get_args(ScoreName)


class Extracted(NamedTuple):
    """The result of a reader: paragraphs in reading order, the number of pages where there are pages, and notes."""

    paragraphs: list[str]
    pages: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """A file's or a pasted text's paragraphs. `kind`: a format's (`biasprint.core.letters.files`), or pasted.

    `pages` is `None` where the kind has none; `notes` are for the person.
    """

    name: str
    kind: str
    paragraphs: tuple[str, ...]
    pages: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The paragraphs with a blank line between them: what every place is counted in."""
        return "\n\n".join(self.paragraphs)


@dataclass(frozen=True)
class ReadAs:
    """The kind that a document is read as, and whether it was guessed, with the reason: “it says “…””."""

    kind: DocumentKind = "reference"
    guessed: bool = True
    reason: str = ""


@dataclass(frozen=True)
class Part:
    """The kind of a stretch of the letter: only the body is scored."""

    kind: PartKind
    start: int
    end: int


@dataclass(frozen=True)
class Sentence:
    """The sentence `index` of the letter, counted from 0, and the part it is in."""

    index: int
    start: int
    end: int
    text: str
    part: PartKind


@dataclass(frozen=True)
class Mark:
    """Words of one sentence that a category's rule found, with the reason and the source of the rule.

    `sentence` is the index of its sentence. A hedged mark is said weakly, a negated one is denied. A passage was found
    by what it says and not by a word of a list (`biasprint.core.letters.passages`). An unlawful mark is about what in
    many countries no applicant may be asked.
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
    passage: bool = False
    unlawful: bool = False

    @property
    def kind(self) -> str:
        """The group that people see the mark in: its category, or what no applicant should be asked."""
        return UNLAWFUL if self.unlawful else self.category

    @property
    def of_house(self) -> bool:
        """True if the house list asked for the mark: its reason is the list's, and no study's."""
        return self.source == HOUSE_LIST

    def key(self, sentence_text: str) -> str:
        """Return the key of a dismissal: it survives edits elsewhere in the letter, but not of its own sentence."""
        sentence_hash = sha256_text(" ".join(sentence_text.split()))[:16]
        return f"{self.category}:{for_matching(self.words)}:{sentence_hash}"


UNLAWFUL = "unlawful"  # the kind of an unlawful mark, whatever its category
UNLAWFUL_TITLE = "What no applicant should be asked"
BY_STAND_IN = ", by a stand-in scorer"
MAY_BE = "may be worth a look"  # in place of a number of marks that are too often wrong
HOUSE_LIST = "house list"  # the source of a mark that it asked for
CHECKED_WORDS = "checked words"  # the version of the model that has read them
LARGER_READER = "larger reader"  # the version of the second model that has read passages
COUNTED_STILL = "Shares of sentences count them, as those of reference letters do."


def how_said(mark: Mark) -> str:
    """Return the remark that accompanies a mark everywhere; "" where there is none."""
    if mark.passage:
        return "a model's reading"
    return "denied" if mark.negated else "said weakly" if mark.hedged else ""


def beside_category(mark: Mark) -> str:
    """Return the remark beside a mark under its category's reason: a mark of the house list has its own reason."""
    return f"{HOUSE_LIST}: {mark.reason}" if mark.of_house else how_said(mark)


DIFFERS, LACKS = "Differs from the CV", "Not in the CV"  # how the reason begins where a fact decides the verdict


@dataclass(frozen=True)
class Support:
    """The support of a sentence by the context. `start` and `end` are the place of `passage` in the context.

    `score` is the checker's own, `None` where nothing was scored; `reason` says how the verdict came about.
    """

    sentence: int
    verdict: Verdict
    passage: str
    start: int
    end: int
    score: float | None
    reason: str

    def key(self, sentence_text: str) -> str:
        """Return the key of a dismissal."""
        return f"{self.verdict}:{' '.join(sentence_text.split())}"

    @property
    def fact(self) -> str:
        """The fact that the context gives otherwise or lacks, in words; "" where none decided the verdict."""
        return self.reason if self.reason.startswith((DIFFERS, LACKS)) else ""


@dataclass(frozen=True)
class SentenceScore:
    """One scorer's value for one sentence; `None` with a reason where it has none. `label` is for reading aloud."""

    sentence: int
    name: ScoreName
    value: float | None
    label: str
    reason: str


@dataclass(frozen=True)
class Suspicion:
    """`said`: one sentence for the person. `stops`: nothing is scored."""

    what: Literal[
        "language", "cv", "two letters", "too short", "too long", "candidate", "candidates", "context language",
        "context letter",
    ]  # fmt: skip
    said: str
    stops: bool = False


@dataclass(frozen=True)
class LetterFigure:
    """One number about the whole letter.

    A share (`unit` “share of sentences”) is `count` of `n`, with Wilson's interval over the letter's own sentences: it
    says how far so few sentences pin the share down. Others are counts or rates, and have no interval. `value` is None
    with a `reason`.
    """

    name: str
    title: str
    value: float | None
    unit: str
    n: int
    low: float | None = None
    high: float | None = None
    reason: str = ""
    scorer: ScorerUse | None = None


@dataclass(frozen=True)
class Naming:
    """The way in which the candidate is named, and how often: “Dr. Moreno”, “Moreno”, “Kelly Moreno”, “Kelly”."""

    titled: int
    last: int
    full: int
    first: int

    @property
    def first_only(self) -> bool:
        """Named by the first name alone, after whatever introduction there was."""
        return self.first > 0 and self.titled + self.last == 0


@dataclass(frozen=True)
class Balance:
    """The division of a letter's praise (`biasprint.core.letters.balance`).

    `words`: counts of warmth, effort, drive, talent, excellence. `warm`, `driven`: about how many of its `sentences`
    are of warmth and of drive. `title`, `said`: in words for a person; `reason` and `source`: what is known of such
    letters, or why nothing is given, "" where there is nothing to say. `places`: the indexes of the sentences with what
    it leans to.
    """

    words: Mapping[str, int]
    warm: float
    driven: float
    sentences: int
    leaning: Leaning
    title: str
    said: str
    reason: str = ""
    source: str = ""
    places: tuple[int, ...] = ()

    @property
    def leans(self) -> bool:
        """True if the balance is something to look at."""
        return self.leaning in LEANING

    @property
    def key(self) -> str:
        """The key of a dismissal."""
        return f"balance:{self.leaning}"

    @property
    def line(self) -> str:
        """All of it in one line."""
        return f"{self.title}: {self.said} {self.reason}{f' ({self.source})' if self.source else ''}".strip()

    @property
    def line_for_writer(self) -> str:
        """The line without how sentences were counted, for somebody who does not use this program."""
        return self.line.replace(BY_STAND_IN, "")


@dataclass(frozen=True)
class ComparedFigure:
    """A figure among the same figure of reference letters: their middle 80 %, and how many lie below this letter.

    `below`: share of the reference letters with a smaller value, ties counted half. `low`, `high` bound its 95 %
    interval (Wilson over the reference letters). `machine_made`: no person wrote them.
    """

    name: str
    value: float
    n: int
    middle_low: float
    middle_high: float
    below: float
    low: float
    high: float
    machine_made: bool = False

    @property
    def outside(self) -> str:
        """“high” or “low” where the letter lies outside the middle 80 % of the reference letters, else “”."""
        return "high" if self.value > self.middle_high else "low" if self.value < self.middle_low else ""

    @property
    def stands_out(self) -> str:
        """`outside` as something to look at: beside machine-made letters nearly every real one lies outside."""
        return "" if self.machine_made else self.outside


@dataclass(frozen=True)
class Reading:
    """Everything that was found in one letter. `reference` says what it was compared with, or why it was not."""

    document: Document
    parts: tuple[Part, ...]
    person: Person
    sentences: tuple[Sentence, ...]
    marks: tuple[Mark, ...]
    scores: tuple[SentenceScore, ...]
    support: tuple[Support, ...]
    figures: tuple[LetterFigure, ...]
    naming: Naming
    compared: tuple[ComparedFigure, ...]
    reference: str
    suspicions: tuple[Suspicion, ...]
    scorers: tuple[ScorerUse, ...]
    versions: Mapping[str, str]
    context_name: str = ""
    balance: Balance | None = None  # None where nothing is scored, or what reads it is not here
    doubted: tuple[Mark, ...] = ()  # listed words that a model reads otherwise: no marks, and counted in the figures
    no_grammar: str = ""  # why it was read without grammar; "" where it was read with it, or not read
    beside: tuple[Person, ...] = ()  # others whom the letter recommends too: nothing said of them is marked or scored
    read_as: ReadAs = ReadAs()
    no_larger: str = ""  # why the larger reader that is here read no passages; "" where it did, or is not here

    @property
    def by_words_alone(self) -> bool:
        """True if no model has read the marked words: words with another meaning are then marked as well."""
        return CHECKED_WORDS not in self.versions

    @property
    def said_of_marks(self) -> str:
        """A remark on what is missing for the marks, and on marks that a model removed; "" where nothing is to say."""
        return " ".join(filter(None, (self._words_alone, self.without_grammar, self._read_by, self._left_out)))

    @property
    def without_grammar(self) -> str:
        """A remark on the missing parser; "" where the letter was read with it."""
        return f"Read without grammar: {self.no_grammar.rstrip('.')}." if self.no_grammar else ""

    @property
    def _words_alone(self) -> str:
        if self.read_as.kind == "advert":
            return "Marked by word lists alone, wherever the words are; how many marks are right was not measured."
        if not self.by_words_alone:
            return ""
        return "Marked by word lists alone: the model that reads whether words are meant so is not installed."

    @property
    def _read_by(self) -> str:
        if self.no_larger:
            return f"Passages were read by MiniLM alone: {self.no_larger}"
        return "Passages were read by MiniLM and all-mpnet-base-v2." if LARGER_READER in self.versions else ""

    @property
    def _left_out(self) -> str:
        if not self.doubted:
            return ""
        words = ", ".join(dict.fromkeys(f"“{' '.join(mark.words.split())}”" for mark in self.doubted))
        return f"Left out, because a model reads them otherwise: {words}. {COUNTED_STILL}"

    @property
    def stopped(self) -> str:
        """The reason that nothing was scored; "" where it was."""
        return next((suspicion.said for suspicion in self.suspicions if suspicion.stops), "")

    @property
    def first_name_alone(self) -> bool:
        """True if a letter names its candidate by the first name alone; in reviews that is the custom."""
        return self.naming.first_only and self.read_as.kind in ("reference", "recommendation")

    @property
    def naming_key(self) -> str:
        """The key of a dismissal of what is said about the first name."""
        return f"naming:first:{self.person.first_name}"

    def figure(self, name: str) -> LetterFigure | None:
        return next((figure for figure in self.figures if figure.name == name), None)

    def without(self, dismissed: Collection[str]) -> "Reading":
        """Return the reading without the marks, the claims and the balance that a person dismissed."""
        if not dismissed:
            return self
        texts = [sentence.text for sentence in self.sentences]
        marks = tuple(mark for mark in self.marks if mark.key(texts[mark.sentence]) not in dismissed)
        support = tuple(claim for claim in self.support if claim.key(texts[claim.sentence]) not in dismissed)
        aside = self.balance is not None and self.balance.key in dismissed
        return replace(self, marks=marks, support=support, balance=None if aside else self.balance)

    def sentence(self, index: int) -> Sentence:
        return self.sentences[index]


@dataclass(frozen=True)
class LetterSource:
    """A letter as it was first opened. `data`: the docx or odt itself, where it is one; `path`: where it lies."""

    document: Document
    data: bytes | None = None
    path: Path | None = None


@dataclass(frozen=True)
class KeptLetter:
    """A letter as somebody left it: its text as it is, the CV beside it, what they set by hand and what they dismissed.

    `parts`, `person`, `occupation`, `kind`: None where they are guessed. `saved_as`: its key among the saved letters;
    `reading`: the reading of a project that it was opened from. Both are "" where there is none. `source`: None where
    it was not kept.
    """

    document: Document
    title: str
    context: Document | None = None
    parts: tuple[Part, ...] | None = None
    person: Person | None = None
    occupation: str | None = None
    dismissed: tuple[str, ...] = ()
    saved_as: str = ""
    reading: str = ""
    source: LetterSource | None = None
    kind: DocumentKind | None = None


SAME = 1e-6  # a score that differs by less differs by how a computer adds


@dataclass(frozen=True)
class FigureDifference:
    """One figure of the letter and of its twin; `difference` is the twin's minus the letter's, None where one lacks."""

    name: str
    title: str
    unit: str
    value: float | None
    twin: float | None

    @property
    def difference(self) -> float | None:
        return None if self.value is None or self.twin is None else self.twin - self.value


@dataclass(frozen=True)
class SentenceDifference:
    """One scorer's values for a sentence of the letter and for the sentence of the twin that came of it.

    `sentence`, `twin_sentence`: their indexes. `name` is “support” for the entailment scorer. `turned`: the value is
    on the other side, or the verdict another.
    """

    sentence: int
    twin_sentence: int
    name: ScoreName | str
    scorer: str
    value: float
    twin: float
    turned: bool

    @property
    def difference(self) -> float:
        return self.twin - self.value


@dataclass(frozen=True)
class AskedSentence:
    """A sentence to ask about, “would you have written this of him?”, and its counterpart in the twin.

    `marks`: those it is asked for, which a person may put aside, with one of `reasons` for each. `said_of`: words that
    no category marks and that are said mostly of the candidate's gender, with `said_why`.
    """

    sentence: int
    twin_sentence: int
    marks: tuple[Mark, ...]
    reasons: tuple[str, ...]
    said_of: tuple[str, ...] = ()
    said_why: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        return (*(mark.words for mark in self.marks), *self.said_of)

    @property
    def why(self) -> str:
        """The reasons that it is asked about, in words."""
        return "; ".join(dict.fromkeys(reason for reason in (*self.reasons, self.said_why) if reason))


@dataclass(frozen=True)
class TwinDifference:
    """The letter and its twin. `twin`: the swap; None where a generator wrote both letters, which `made_by` names.

    `sentences`: only those whose score differs. `unpaired`: sentences of the letter without one counterpart, which are
    not compared. `findings`: what the differences say, in sentences for a person: about the scorers where only names
    and gender changed. `question`: “Would you have written this of him?” with how many sentences of the letter ask it;
    `asked`: those sentences. "" and none where nothing was read, or a generator wrote both.
    """

    person: Person
    other: Person
    reading: Reading
    twin_reading: Reading
    figures: tuple[FigureDifference, ...]
    sentences: tuple[SentenceDifference, ...]
    unpaired: int
    findings: tuple[str, ...]
    twin: Twin | None = None
    made_by: str = ""
    question: str = ""
    asked: tuple[AskedSentence, ...] = ()


@dataclass(frozen=True)
class NameTwin:
    """The twin of the letter under a name of one group."""

    group: str
    label: str
    twin: TwinDifference


@dataclass(frozen=True)
class NameFigure:
    """A figure of the whole letter under each group's name, in the order of the twins. `letter`: under its own."""

    name: str
    title: str
    unit: str
    letter: float | None
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class NameTwins:
    """`figures`: those that differ between the names. `findings`: remarks on all names together."""

    twins: tuple[NameTwin, ...]
    figures: tuple[NameFigure, ...]
    findings: tuple[str, ...]


def figure_differences(reading: Reading, twin: Reading) -> tuple[FigureDifference, ...]:
    """Return every figure of the letter with the twin's of the same name."""
    others = {figure.name: figure.value for figure in twin.figures}
    return tuple(
        FigureDifference(figure.name, figure.title, figure.unit, figure.value, others.get(figure.name))
        for figure in reading.figures
    )


def changed(differences: Sequence[FigureDifference]) -> tuple[FigureDifference, ...]:
    """Return the figures that differ at all."""
    return tuple(figure for figure in differences if figure.difference is not None and abs(figure.difference) > SAME)


@dataclass(frozen=True)
class OccupationGuess:
    """A guess for a person to confirm. `occupation`: in the singular, "" where none is prominent.

    `likely`: the letter says it in so many words.
    """

    occupation: str
    likely: bool
    reason: str


# ---- A letter as a Word file


@dataclass(frozen=True)
class Comment:
    """Words about characters `start` to `end` of the edited text. A line of `text` is a paragraph of the comment."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class WordFile:
    """`data` is the file, `ending` the one Word opens it by, `notes` are for the person."""

    data: bytes
    ending: str = "docx"
    notes: tuple[str, ...] = ()
