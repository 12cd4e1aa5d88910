"""The grammar of a letter's sentences: what a negation governs, and whom a word describes.

A sentence is read by the parser of spaCy's trained pipeline, where one is installed, without the candidate's name and
gender: neither moves a mark. What the parser says of a sentence is kept, and all rules ask the same `Parse`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple

from biasprint.core.cache import BatchCache
from biasprint.core.errors import AppError
from biasprint.core.letters.categories import MASK, lists
from biasprint.core.scorers import parts_of_speech
from biasprint.core.scorers.segment import LONE_SURROGATE
from biasprint.core.swap import Person
from biasprint.core.swap.guess_pronoun import beside_the_candidate

Whose = Literal["candidate", "writer", "other", "thing", ""]

# ---- Tokens and trees


class ParsedToken(NamedTuple):
    """A word of the sentence: `start` and `end` in its text, Penn tag, relation to the token `head` (its own: a root).

    `text` is in lower case. `named`: it stands for the candidate's name.
    """

    text: str
    start: int
    end: int
    tag: str
    relation: str
    head: int
    named: bool


_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_WRITER = frozenset({"i", "we", "me", "us", "myself", "ourselves", "my", "our", "mine", "ours"})
SHE_OR_HE = {
    "she": frozenset({"she", "her", "hers", "herself"}),
    "he": frozenset({"he", "him", "his", "himself"}),
    "they": frozenset({"they", "them", "their", "theirs", "themself", "themselves"}),
}
_ANYBODY = frozenset({"you", "one", "anyone", "anybody", "everyone", "everybody", "someone", "somebody"})
_NOBODY = frozenset({"nobody", "none", "nothing", "neither", "few", "little"})
_THINGS = frozenset({"it", "this", "that", "these", "those", "there", "which", "what", "all", "both"})
# “I do not think that she is gifted” denies it, “she did not know that she was gifted” does not.
_RAISES = re.compile(
    r"(?:think|thought|thinks|believe|believed|believes|feel|felt|say|said|call|called|claim|claimed|consider|considered"
    r"|find|found|suggest|suggested|expect|expected|imagine|suppose|guess|mean|describe|described|convinced|sure|certain"
    r"|persuaded|confident|clear|true|seem|seems|seemed|appear|appears|appeared|argue|argued|recall|remember|see|seen|saw)"
)
_CALLS = re.compile(
    r"call|called|describe|described|consider|considered|say|said|think|thought|name|rate|rated|regard|regarded|see|saw"
)
_SHOWN = frozenset(
    {"evidence", "sign", "signs", "proof", "indication", "suggestion", "hint", "reason", "sense", "trace"}
)
_WISHED = frozenset(
    {"desire", "ability", "wish", "will", "willingness", "inclination", "effort", "attempt", "capacity", "interest"}
)
# What is said beside the statement: “we did not finish before her great speech” denies no greatness.
_ASIDE = frozenset(
    {
        "because",
        "despite",
        "after",
        "before",
        "during",
        "until",
        "since",
        "through",
        "besides",
        "thanks",
        "due",
        "given",
    }
)


@dataclass(frozen=True)
class Parse:
    """One sentence. `pronoun`: the candidate's; `others`: tokens that are another person's he or she."""

    tokens: tuple[ParsedToken, ...]
    pronoun: str = ""
    others: frozenset[int] = field(default_factory=frozenset)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        own: list[list[int]] = [[] for _ in self.tokens]
        for number, token in enumerate(self.tokens):
            if token.head != number:
                own[token.head].append(number)
        return tuple(map(tuple, own))

    def at(self, start: int, end: int) -> int | None:
        """The token that the words from `start` to `end` hang on: the one whose head is outside them."""
        inside = [number for number, token in enumerate(self.tokens) if token.start < end and start < token.end]
        for number in inside:
            if self.tokens[number].head not in inside or self.tokens[number].head == number:
                return number
        return None

    def subject(self, verb: int) -> int | None:
        """The subject of a verb: its own, or that of the clause which it belongs to."""
        for _ in range(8):
            own = next((child for child in self.children[verb] if self.tokens[child].relation in _SUBJECTS), None)
            if own is not None:
                return own
            if self.tokens[verb].relation not in ("conj", "xcomp", "advcl", "pcomp", "prep", "acl", "aux", "auxpass"):
                return None
            verb = self.tokens[verb].head
        return None

    # ---- What a negation or a hedge governs

    def governs(self, start: int, end: int, place: int) -> bool:
        """Return whether the negation or hedge from `start` to `end` reaches the token at `place`."""
        inside = [number for number, token in enumerate(self.tokens) if token.start < end and start < token.end]
        if not inside or place in inside:
            return False
        word = next((number for number in inside if self.tokens[number].relation == "neg"), None)
        if word is not None and self._is_supposed(self.tokens[word].head):
            return False
        return any(self._climbs(place, host, inside) for host in self._hosts(inside[-1] if word is None else word))

    def _is_supposed(self, verb: int) -> bool:
        """“If I did not mention her kindness”: nothing is denied."""
        return any(self.tokens[child].text == "if" for child in self.children[verb])

    def _hosts(self, word: int) -> Iterator[int]:
        """Yield the tokens below which everything is meant: the word's head, or the word if others hang on it."""
        yield word
        token = self.tokens[word]
        if token.relation in (
            "neg",
            "advmod",
            "aux",
            "preconj",
            "cc",
            "predet",
            "npadvmod",
            "mark",
            "amod",
            "quantmod",
        ):
            yield token.head
        if token.relation == "det":
            yield token.head
            word, token = token.head, self.tokens[token.head]
        if token.relation in _SUBJECTS and (token.text in _NOBODY or self._is_no(word)):
            yield token.head
        if token.relation == "prep" and token.text == "from":  # “far from”
            yield token.head

    def _is_no(self, word: int) -> bool:
        return any(self.tokens[child].text in ("no", "neither", "few") for child in self.children[word])

    def _climbs(self, place: int, host: int, words: Sequence[int]) -> bool:
        for _ in range(30):
            if place == host:
                return True
            head = self.tokens[place].head
            if head == place or not self._goes_on(place, head, host, words):
                return False
            place = head
        return False

    def _goes_on(self, place: int, head: int, host: int, words: Sequence[int]) -> bool:
        """Return whether what reaches the head reaches `place` as well."""
        token, above = self.tokens[place], self.tokens[head]
        if head == host and head in words:  # “hopes that she will be kind”, “fails to lead”
            return token.relation not in _SUBJECTS
        match token.relation:
            case "conj":
                return self._is_joined(place, head)
            case "ccomp":
                return _RAISES.fullmatch(above.text) is not None or above.relation in ("acomp",)
            case "advcl" | "appos" | "parataxis" | "nsubj" | "nsubjpass" | "csubj" | "csubjpass":
                return False
            case "relcl":
                return above.relation == "attr" or head == host
            case "acl":
                return above.text in _SHOWN or above.text in _WISHED
            case "prep":
                return token.text not in _ASIDE
        return True

    def _is_joined(self, place: int, head: int) -> bool:
        """Return whether “not” reaches on: “not kind or patient”, but not “was never late and works hard”."""
        between = {self.tokens[child].text for child in self.children[head] if head < child < place}
        if "but" in between or "yet" in between:
            return False
        finite = self.tokens[place].tag in ("VBZ", "VBD", "VBP", "MD") and self.tokens[head].tag != "VBN"
        own = any(
            self.tokens[child].relation in (*_SUBJECTS, "aux", "auxpass", "neg") for child in self.children[place]
        )
        return not (own or (finite and "nor" not in between))

    def denied_by_nobody(self, place: int) -> tuple[int, int] | None:
        """Return the subject that denies what is said below its verb: “nobody would call her brilliant”."""
        for _ in range(12):
            head = self.tokens[place].head
            if head == place or self.tokens[place].relation in (*_SUBJECTS, "advcl", "appos", "relcl"):
                return None
            place = head
            if _CALLS.fullmatch(self.tokens[place].text) is None:
                continue
            subject = self.subject(place)
            if subject is not None and (self.tokens[subject].text in _NOBODY or self._is_no(subject)):
                return self.tokens[subject].start, self.tokens[subject].end
        return None

    def is_compared(self, place: int) -> bool:
        """Return whether the phrase of a token compares: “a kinder nurse”, “such skill”, “harder than she does”."""
        top = place
        while self.tokens[top].relation in ("amod", "advmod", "compound") and self.tokens[top].head != top:
            top = self.tokens[top].head
        below = (place, top, *self.children[top], *self.children[place])
        return any(
            self.tokens[word].tag in ("JJR", "RBR") or self.tokens[word].text in ("such", "more", "as", "so", "equal")
            for word in below
        )

    def is_said_by_nobody(self, place: int) -> bool:
        """Return whether the clause is about the writer or nobody: “I have never met …”, “nobody works …”."""
        for _ in range(12):
            subject = self.subject(self._verb(place))
            if subject is None:
                return False
            if self.kind(subject) in ("writer", "other") or self.tokens[subject].text in ("there", "nobody", "none"):
                return True
            if self._is_no(subject):
                return True
            verb = self._verb(place)
            if self.tokens[verb].head == verb or self.tokens[verb].relation not in ("relcl", "ccomp", "acl"):
                return False
            place = self.tokens[verb].head
        return False

    # ---- Whom words describe

    def names_candidate(self, start: int, end: int) -> bool:
        """Return whether the words name the candidate, by name or pronoun."""
        return any(
            token.start < end and start < token.end and (token.named or self._is_candidates(number))
            for number, token in enumerate(self.tokens)
        )

    def _is_candidates(self, place: int) -> bool:
        text = self.tokens[place].text
        return any(
            text in forms and self._kind_of_pronoun(place, pronoun) == "candidate"
            for pronoun, forms in SHE_OR_HE.items()
        )

    def whose(self, start: int, end: int) -> Whose:
        """Return whom or what the words describe; "" where the sentence does not tell, or they say it themselves."""
        place = self.at(start, end)
        return "" if place is None else self._whose(place, start, end)

    def _whose(self, place: int, start: int, end: int) -> Whose:
        by_candidate = False
        for _ in range(12):
            token = self.tokens[place]
            owner = self._owner(place)
            if owner and owner != "writer":
                return owner
            if owner == "writer" and not self.is_person(place) and token.tag.startswith("N") and not by_candidate:
                return "" if any(self.tokens[child].named for child in self.children[place]) else "writer"
            outside = token.end <= start or end <= token.start
            if outside and token.tag == "NNS" and token.text in _people() and not self._is_among(place):
                return "other"
            own = next((child for child in self.children[place] if self.tokens[child].relation in _SUBJECTS), None)
            if own is not None:
                return "" if start <= self.tokens[own].start < end else self.kind(own)
            if token.relation in _SUBJECTS:
                return self.kind(place)
            if token.relation == "appos":
                return "" if self._is_among(token.head) else self.kind(token.head)
            if token.head == place:
                return ""
            described = token.relation in ("oprd", "acomp", "xcomp", "ccomp") or token.text == "as"
            if described and self._is_of_object(token.head):  # “found her kind”, “describe her as kind”
                return "candidate"
            if token.relation in ("dobj", "pobj") and outside and self.is_person(place):
                subject = self.subject(self._verb(place))
                near = self.tokens[token.head].text
                if (
                    subject is not None
                    and self.kind(subject) == "candidate"
                    and near not in ("as", "like", "of", "than")
                ):
                    return "other"
                return ""
            if token.relation in ("relcl", "acl"):
                return self.kind(token.head)
            by_candidate = by_candidate or token.relation in ("attr", "acomp")
            place = token.head
            if self.tokens[place].tag.startswith("V") or self.tokens[place].tag == "MD":
                subject = self.subject(place)
                if subject is None or start <= self.tokens[subject].start < end:
                    return ""
                kind = self.kind(subject)
                return kind if self.tokens[subject].head == place or kind == "candidate" else self._unless_of_root(kind)
        return ""

    def _unless_of_root(self, kind: Whose) -> Whose:
        """A second verb may belong to the main clause: “she pushed back when I was wrong and asserted herself”."""
        roots = [number for number, token in enumerate(self.tokens) if token.head == number]
        subjects = [subject for root in roots if (subject := self.subject(root)) is not None]
        return "" if any(self.kind(subject) == "candidate" for subject in subjects) else kind

    def says_of_candidate(self, start: int, end: int) -> bool:
        """Return whether the words are a quality of the candidate: “is skilled”, “a skilled chef”, “her talents”."""
        place = self.at(start, end)
        while place is not None and self.tokens[place].relation == "conj":
            place = self.tokens[place].head
        if place is None:
            return False
        token = self.tokens[place]
        if token.tag in ("NN", "NNS"):
            return self._owner(place) == "candidate"
        if token.relation == "amod" and self.tokens[token.head].relation == "attr":
            token = self.tokens[token.head]
        elif token.relation not in ("acomp", "oprd"):
            return False
        subject = self.subject(token.head)
        return self._is_of_object(token.head) or (subject is not None and self.kind(subject) == "candidate")

    def named_as(self, start: int, end: int) -> Whose:
        """Return who is said to be what the words name: an attribute, an apposition, or “as a nurse”; "" for none."""
        place = self.at(start, end)
        while place is not None and self.tokens[place].relation == "conj":
            place = self.tokens[place].head
        if place is None:
            return ""
        token, above = self.tokens[place], self.tokens[place].head
        if token.relation == "appos":
            return self.kind(above) if self.tokens[above].named or self._is_named_other(above) else ""
        if any(self.tokens[child].relation == "appos" and self.tokens[child].named for child in self.children[place]):
            return "candidate"
        if token.relation in ("attr", "oprd"):
            if token.relation == "oprd" and self._is_of_object(above):
                return "candidate"
            subject = self.subject(above)
            return self._of_people(subject) if subject is not None and subject != place else ""
        if token.relation == "pobj" and self.tokens[above].text == "as":
            verb = self._verb(above)
            if self._is_of_object(verb):
                return "candidate"
            subject = self.subject(verb)
            return self._of_people(subject) if subject is not None else ""
        return ""

    def _of_people(self, subject: int) -> Whose:
        """“Her work is the best teacher” names nobody."""
        kind = self.kind(subject)
        token = self.tokens[subject]
        if kind == "candidate" and not (token.named or self._is_candidates(subject) or token.tag in ("WP", "WDT")):
            return ""
        return "" if kind == "thing" else kind

    def _is_named_other(self, place: int) -> bool:
        return self.tokens[place].tag in ("NNP", "NNPS") and self.kind(place) == "other"

    def _is_of_object(self, verb: int) -> bool:
        """“Call her brilliant”, “found Emily kind”: the object is what the words describe."""
        return any(
            self.tokens[child].relation == "dobj" and self.kind(child) == "candidate" for child in self.children[verb]
        )

    def _verb(self, place: int) -> int:
        for _ in range(12):
            if self.tokens[place].tag[:1] == "V" or self.tokens[place].head == place:
                break
            place = self.tokens[place].head
        return place

    def kind(self, place: int) -> Whose:
        """Return whom or what a subject names."""
        token = self.tokens[place]
        if token.named:
            return "candidate"
        if token.text in _WRITER:
            return "writer"
        for pronoun, forms in SHE_OR_HE.items():
            if token.text in forms:
                return self._kind_of_pronoun(place, pronoun)
        if token.tag in ("WP", "WDT") or (token.text == "that" and token.relation in _SUBJECTS):
            return self._kind_of_relative(token.head)
        if token.text in _THINGS or token.tag == "EX":
            return "thing"
        if token.text in _NOBODY or token.text == "one":
            return ""
        if token.text in _ANYBODY:
            return "other"
        if self.is_person(place) and self._owner(place) == "candidate":
            return "other"  # “her colleague José García”, whose names are in the candidate's
        if any(
            self.tokens[child].named and self.tokens[child].relation in ("appos", "compound")
            for child in self.children[place]
        ):
            return "candidate"
        return self._kind_of_noun(place)

    def _kind_of_relative(self, verb: int) -> Whose:
        """“Somebody who works hard”: what the clause describes, and where that is an attribute, whose it is."""
        noun = self.tokens[verb].head
        if self.tokens[verb].relation != "relcl":
            return ""
        if self.tokens[noun].relation in ("attr", "oprd", "appos"):
            above = self.tokens[noun].head
            subject = above if self.tokens[noun].relation == "appos" else self.subject(above)
            return self.kind(subject) if subject is not None and subject != noun else ""
        return self.kind(noun)

    def _kind_of_pronoun(self, place: int, pronoun: str) -> Whose:
        if place in self.others:
            return "other"
        if not self.pronoun or (pronoun == "they" and self.pronoun not in ("he", "she")):
            return "candidate" if pronoun != "they" or self.pronoun == "they" else ""
        return "candidate" if pronoun == self.pronoun else "other"

    def _kind_of_noun(self, place: int) -> Whose:
        token, owner = self.tokens[place], self._owner(place)
        people = self.is_person(place)
        if token.text in _groups() or (people and (owner or token.tag in ("NNS", "NNPS"))):
            return "other"
        if owner:
            return owner
        if token.tag in ("NNP", "NNPS"):
            names = [self.tokens[child] for child in self.children[place] if self.tokens[child].relation == "compound"]
            return "other" if any(name.tag in ("NNP", "NNPS") and not name.named for name in names) else ""
        return "" if people else "thing"

    def _owner(self, place: int) -> Whose:
        """“Her skill”, “my skill”, “her colleagues' skill”, “the skill of her colleagues”."""
        for child in self.children[place]:
            token = self.tokens[child]
            if token.relation == "poss":
                if token.text in ("my", "our"):
                    return "writer"
                kind = self.kind(child)
                return (
                    "other" if kind in ("thing", "") and token.tag in ("NN", "NNS") and self.is_person(child) else kind
                )
            of = token.text == "of" and token.relation == "prep" and self.tokens[place].tag in ("NN", "NNS")
            if of and not self.is_person(place):
                for below in self.children[child]:
                    if self.is_person(below) or self.tokens[below].text in _groups() or self.tokens[below].named:
                        kind = self.kind(below)
                        return kind if kind in ("candidate", "other") else ""
        return ""

    def is_person(self, place: int) -> bool:
        """Return whether a noun names people, by the lists."""
        return self.tokens[place].tag in ("NN", "NNS") and self.tokens[place].text in _persons()

    def _is_among(self, place: int) -> bool:
        """“One of our brightest students”, “among the best teachers”."""
        above = self.tokens[self.tokens[place].head]
        return self.tokens[place].relation == "pobj" and above.text in ("of", "among", "amongst", "than", "between")


@cache
def _people() -> frozenset[str]:
    return frozenset(lists()["people"])


@cache
def _persons() -> frozenset[str]:
    people = frozenset((*lists()["people"], *lists()["person"], *lists()["relative"])) | beside_the_candidate()
    return people - {"talent", "mind", "model", "head", "family"}


@cache
def _groups() -> frozenset[str]:
    return frozenset(lists()["groups"])


# ---- Reading sentences

_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-"})


def masked(text: str, person: Person | None) -> str:
    """The text, of the same length, with plain apostrophes and a mask for the candidate's names with a capital."""
    cased = text.translate(_PLAIN)
    whole = [person.first_name, person.last_name] if person else []
    pieces = [piece for name in whole for piece in name.split() if piece[0].isupper()]  # “Thomas” of “Thomas José”
    names = [name for name in dict.fromkeys((*whole, *pieces)) if len(name) > 1]
    for name in names:
        plain = name.translate(_PLAIN)
        pattern = rf"(?<![\w-])(?:{re.escape(plain)}|{re.escape(plain.upper())})(?=$|'s?(?!\w)|[^\w'-])"
        cased = re.sub(pattern, lambda match: MASK * len(match[0]), cased)
    return cased


_HIDDEN = re.compile(
    rf"(?P<name>{MASK}(?:[{MASK}\s]*{MASK})?)|(?<![\w’'-])(?P<pronoun>himself|he|him|his)(?![\w-])", re.IGNORECASE
)
_AS_SHE = {"he": "she", "him": "her", "his": "her", "himself": "herself"}
RULES = 1
_read: BatchCache[str, tuple[ParsedToken, ...]] = BatchCache(20_000)  # by the sentence with its names masked


def parses(sentences: Sequence[str]) -> list[Parse]:
    """Return the grammar of each sentence. Names of the candidate are masked in it.

    Raises `AppError` where there is no parser.
    """
    return [Parse(tokens) for tokens in _read.get(sentences, _parsed)]


def _parsed(sentences: Sequence[str]) -> Iterator[tuple[ParsedToken, ...]]:
    neutral = [_neutral(sentence) for sentence in sentences]
    pipeline = parts_of_speech.parsing_pipeline(parts_of_speech.place())
    for sentence, (_, places), read in zip(sentences, neutral, pipeline.pipe(text for text, _ in neutral), strict=True):
        yield tuple(_token(token, sentence, places) for token in read)


@dataclass(frozen=True)
class _Place:
    """Characters of the sentence as it is parsed, and the same ones of the letter."""

    low: int
    high: int
    start: int
    end: int
    named: bool


def _neutral(sentence: str) -> tuple[str, list[_Place]]:
    """The sentence with one name for every candidate and “she” for “he”, and the places of each."""
    pieces, places, done, length = [], [], 0, 0
    for match in _HIDDEN.finditer(sentence):
        if match["name"]:
            new = "Mary Smith" if re.search(r"\s", match[0]) else "Mary"
        else:
            new = _AS_SHE[match[0].lower()]
            new = new.capitalize() if match[0][0].isupper() else new
        pieces += [sentence[done : match.start()], new]
        low = length + match.start() - done
        length = low + len(new)
        places.append(_Place(low, length, match.start(), match.end(), bool(match["name"])))
        done = match.end()
    return LONE_SURROGATE.sub("\ufffd", "".join([*pieces, sentence[done:]])), places


def _token(token: Any, sentence: str, places: Sequence[_Place]) -> ParsedToken:
    low, high, moved = token.idx, token.idx + len(token), 0
    for place in places:
        if low < place.high and place.low < high:
            start, end = place.start, place.end
            return ParsedToken(
                sentence[start:end].lower(), start, end, token.tag_, token.dep_, token.head.i, place.named
            )
        if place.high <= low:
            moved = place.end - place.high
    start, end = low + moved, high + moved
    return ParsedToken(sentence[start:end].lower(), start, end, token.tag_, token.dep_, token.head.i, False)


def why_without() -> str:
    """Return why letters are read without grammar, as the end of a sentence; "" where they are read with it."""
    if parts_of_speech.installed() is None:
        return "the tagger is not installed"
    try:
        parses(["She led the studio."])
    except AppError as error:
        return str(error)
    return ""


def version_of_grammar() -> str:
    """Return a version that changes with the pipeline and with the rules that ask it."""
    return f"{parts_of_speech.called(parts_of_speech.place())}; rules {RULES}"
