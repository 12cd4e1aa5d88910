"""A prompt as a string of signs, one for each word: words that a rule names have a sign of their own.

Patterns over such a string are short and run in time linear in the prompt, however long the lists of words are.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Literal, Protocol

from pydantic import Field

from biasprint.core.errors import AppError
from biasprint.core.prompts.resource_files import from_resources, strict_data
from biasprint.core.text import article

UNKNOWN, STOP, COMMA, COLON, QUOTE, SLUR, OTHER = "x", ".", ",", ":", '"', "!", "-"
_PUNCTUATION = {".": STOP, "!": STOP, "?": STOP, "\n": STOP, ",": COMMA, ":": COLON, ";": COLON}
_QUOTES = '"“”„«»'
_FIRST_SIGN = 0x4E00  # a range of 20,000 characters in a row
_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[^\w\s]|\n|_+")


@dataclass(frozen=True)
class Encoded:
    """The signs of a text, with the first and last character of each."""

    signs: str
    starts: Sequence[int]
    ends: Sequence[int]
    quoted: Sequence[bool]


@dataclass
class DetectorVocabulary:
    """The terms that rules name, and slurs that are known by their digest alone (digest → class)."""

    slurs: Mapping[str, str] = field(default_factory=dict)
    _signs: dict[tuple[str, ...], str] = field(default_factory=dict)
    _longest: dict[str, int] = field(default_factory=dict)  # words of the longest term, by its first word

    def sign(self, term: str) -> str:
        """Return the sign of a term, which is added where it is new."""
        words = tuple(fold(match[0]) for match in _TOKEN.finditer(term))
        if len(words) == 1 and words[0] in _PUNCTUATION:
            return _PUNCTUATION[words[0]]
        self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))
        return self._signs.setdefault(words, chr(_FIRST_SIGN + len(self._signs)))

    def signs(self, terms: Iterable[str]) -> str:
        return "".join(self.sign(term) for term in terms)

    def encode(self, text: str) -> Encoded:
        """Return the text in signs; the longest term that begins at a word replaces all its words."""
        tokens = [(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text)]
        words = [fold(word) for word, _, _ in tokens]
        signs: list[str] = []
        places: list[int] = []
        ends: list[int] = []
        known: dict[str, str] = {}
        at = 0
        while at < len(words):
            sign, length = self._at(words, at, known)
            signs.append(sign)
            places.append(at)
            ends.append(tokens[at + length - 1][2])
            at += length
        quoted = _quoted(words)
        return Encoded("".join(signs), [tokens[at][1] for at in places], ends, [quoted[at] for at in places])

    def slur_class(self, word: str) -> str:
        """Return the class of people that a word is a slur against; "" for any other word."""
        return self.slurs.get(digest(fold(word)), "")

    def _at(self, words: Sequence[str], at: int, known: dict[str, str]) -> tuple[str, int]:
        word = words[at]
        for length in range(min(self._longest.get(word, 0), len(words) - at), 0, -1):
            if sign := self._signs.get(tuple(words[at : at + length])):
                return sign, length
        if sign := known.get(word):
            return sign, 1
        known[word] = self._single(word)
        return known[word], 1

    def _single(self, word: str) -> str:
        if word in _PUNCTUATION:
            return _PUNCTUATION[word]
        if not word[0].isalnum():
            return QUOTE if word in _QUOTES else OTHER
        if self.slur_class(word):
            return SLUR
        owner = word.removesuffix("'s").removesuffix("'")
        return self._signs.get((owner,), UNKNOWN)  # a misogynist's view is a view of a misogynist


def fold(word: str) -> str:
    return word.replace("’", "'").casefold()


def digest(word: str) -> str:
    """Return the code of a slur in the data file, so that nobody has to read it there."""
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _quoted(words: Sequence[str]) -> list[bool]:
    """Return a mask of the quoted words: somebody else's words, as in a headline. A mark without a partner is none.

    Where no word is outside the marks, the whole is what is asked for.
    """
    marks = [place for place, word in enumerate(words) if word in _QUOTES]
    quoted = [False] * len(words)
    if marks == [0, len(words) - 1]:
        return quoted
    for first, last in zip(marks[::2], marks[1::2], strict=False):
        quoted[first : last + 1] = [True] * (last + 1 - first)
    return quoted


# ---- Rules: patterns of words, read from `biased_wording.toml`

Kind = Literal["ideology", "generalisation", "demeaning", "stereotype", "loaded", "slur"]
Words = Annotated[str, Field(min_length=1)]
_REPEATED = re.compile(r"(.+)\*(\d+)")
_ANY_WORD = f"[^{re.escape(STOP + COMMA + COLON + QUOTE + OTHER)}]"
_GAP = re.compile(r"\.\.(\d+)")


@strict_data
class RuleData:
    """A rule as it is written; the comment at the head of the file says what each entry means."""

    kind: Kind
    patterns: tuple[Words, ...]
    neutral: str
    reason: Words
    drop: str = ""
    unless: tuple[Words, ...] = ()
    unless_after: tuple[Words, ...] = ()


@strict_data
class SlurData:
    """Slurs against one group, by the digests of their folded forms; `one` and `many` are words for its people."""

    against: Words
    one: Words
    many: Words
    digests: tuple[Words, ...]


@strict_data
class WordingData:
    """The whole file."""

    version: int
    terms: Mapping[str, tuple[Words, ...]]
    macros: Mapping[str, Words]
    rules: tuple[RuleData, ...]
    slurs: tuple[SlurData, ...]


@dataclass(frozen=True)
class Rule:
    """A rule made ready: its patterns, and the signs that excuse a match when they precede or follow it."""

    data: RuleData
    patterns: tuple[re.Pattern[str], ...]
    drop: str
    unless: frozenset[str]
    unless_after: frozenset[str]


@dataclass(frozen=True)
class Ruleset:
    """All rules with the words that they know."""

    version: int
    vocabulary: DetectorVocabulary
    rules: tuple[Rule, ...]
    slurs: Mapping[str, SlurData] = field(default_factory=dict)  # by whom they are against
    proper: frozenset[str] = frozenset()  # words that keep their capital letter


@cache
def shipped_rules() -> Ruleset:
    return made(from_resources(WordingData, "prompts", "biased_wording.toml"))


def made(wording: WordingData) -> Ruleset:
    """Return the rules of a file. Raises `AppError` for a pattern that names what is not there."""
    digests = {each: slurs.against for slurs in wording.slurs for each in slurs.digests}
    compiler = _Compiler(wording, DetectorVocabulary(digests))
    rules = tuple(compiler.rule(rule) for rule in wording.rules)
    slurs = {each.against: each for each in wording.slurs}
    return Ruleset(wording.version, compiler.vocabulary, rules, slurs, frozenset(wording.terms.get("proper", ())))


class _Compiler:
    def __init__(self, wording: WordingData, vocabulary: DetectorVocabulary) -> None:
        self.vocabulary = vocabulary
        self._lists = {name: vocabulary.signs(terms) for name, terms in wording.terms.items()}
        self._macros = wording.macros

    def rule(self, rule: RuleData) -> Rule:
        return Rule(
            rule,
            tuple(re.compile(self._sequence(pattern.split())) for pattern in rule.patterns),
            self._any(rule.drop.replace(" ", "|")) if rule.drop else "",
            frozenset("".join(self._named(name) for name in rule.unless)),
            frozenset("".join(self._named(name) for name in rule.unless_after)),
        )

    def _named(self, name: str) -> str:
        return self._lists[name] if name in self._lists else self.vocabulary.sign(name)

    def _sequence(self, elements: Sequence[str]) -> str:
        simple = {"(": "(?:", "/": "|", ")": ")", "[": "(?P<lead>", "]": ")", "]?": ")?"}
        simple["^"] = rf"(?:\A|(?<=[{STOP}]))"
        return "".join(simple[element] if element in simple else self._element(element) for element in elements)

    def _element(self, element: str) -> str:
        if gap := _GAP.fullmatch(element):
            return f"[^{STOP}{QUOTE}]{{0,{gap[1]}}}?"
        if element == ".":
            return _ANY_WORD
        if element.startswith("!"):
            return f"(?!{self._element(element[1:])})"
        if element.endswith("?"):
            return f"(?:{self._element(element[:-1])})?"
        if repeated := _REPEATED.fullmatch(element):
            return f"(?:{self._element(repeated[1])}){{0,{repeated[2]}}}"
        macros = [each for each in element.split("|") if each.startswith("<")]
        others = [each for each in element.split("|") if not each.startswith("<")]
        choices = [self._macro(each.strip("<>")) for each in macros]
        if others:
            choices.append(f"[{re.escape(self._any('|'.join(others)))}]")
        return f"(?:{'|'.join(choices)})"

    def _macro(self, name: str) -> str:
        if name not in self._macros:
            raise _unknown(f"<{name}>")
        return self._sequence(self._macros[name].split())

    def _any(self, words: str) -> str:
        """Return the signs of alternatives: words and lists."""
        signs = ""
        for word in words.split("|"):
            if not word.startswith("{"):
                signs += SLUR if word == "SLUR" else self.vocabulary.sign(word.replace("_", " "))
            elif (name := word.strip("{}")) in self._lists:
                signs += self._lists[name]
            else:
                raise _unknown(word)
        return signs


def _unknown(name: str) -> AppError:
    hint = "Compare it with the file that ships with the program."
    return AppError(f"The rules of the biased-prompt detector name {name}, which is not there.", hint=hint)


# ---- The detector

BEFORE, AFTER = 40, 12  # words of the same sentence that are looked at around a match
MOST_NAMED = 5
MOST_ROUNDS = 3
SLUR_REASON = "It is a slur against {against}."
_ARTICLE = re.compile(r"\b([Aa])n?(?=\s+$)")


class _Prompt(Protocol):
    @property
    def key(self) -> str: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class Flag:
    """Characters `start` to `end` of a prompt that ask for prejudice; `neutral` is a wording to replace them."""

    start: int
    end: int
    kind: Kind
    text: str
    reason: str
    neutral: str


def detect(text: str) -> tuple[Flag, ...]:
    """Return the flags of a prompt in the order of the text, none overlapping another. Time is linear in its length."""
    rules = shipped_rules()
    encoded = rules.vocabulary.encode(text)
    flags = [flag for rule in rules.rules for flag in _by_rule(text, encoded, rule, rules)]
    flags += _slurs(text, encoded, rules)
    chosen: list[Flag] = []
    for flag in sorted(flags, key=lambda flag: (flag.start, -flag.end)):
        if not chosen or flag.start >= chosen[-1].end:
            chosen.append(flag)
    return tuple(chosen)


def neutral_wording(text: str) -> str:
    """Return the whole prompt with the neutral wording in the place of every flag, and of what shows behind one."""
    for _ in range(MOST_ROUNDS):
        flags = detect(text)
        if not flags:
            break
        text = replaced(text, flags)
    return text


def replaced(text: str, flags: Iterable[Flag]) -> str:
    """Return `text` with the neutral wording in the place of these flags of it."""
    parts: list[str] = []
    end = 0
    for flag in flags:
        parts += [text[end : flag.start], flag.neutral]
        end = flag.end
    return _joined([*parts, text[end:]])


def decline(prompts: Iterable[_Prompt]) -> None:
    """Refuse a set with a flagged prompt: raises `AppError` that names the prompts and their words."""
    asked = 0
    named: list[str] = []
    for prompt in prompts:
        asked += 1
        if flags := detect(prompt.text):
            named.append(f"{prompt.key} ({', '.join(f'“{flag.text}”' for flag in flags)})")
    if named:
        shown = "; ".join(named[:MOST_NAMED]) + (
            f"; and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
        )
        raise AppError(
            f"{len(named)} of {asked} prompts ask for prejudice, and are declined: {shown}.",
            kept="Nothing was generated.",
            hint="Use the neutral wording that the prompts panel offers, or run the set without declining.",
            details="\n".join(named),
        )


def _by_rule(text: str, encoded: Encoded, rule: Rule, rules: Ruleset) -> Iterator[Flag]:
    for pattern in rule.patterns:
        for match in pattern.finditer(encoded.signs):
            first, last = match.start(), match.end() - 1
            if last < first or encoded.quoted[first] or _excused(encoded.signs, first, match.end(), rule):
                continue
            lead = match.end("lead") if "lead" in pattern.groupindex and match["lead"] is not None else first
            start, end = encoded.starts[first], encoded.ends[last]
            neutral = _filled(text, encoded, (first, lead, match.end()), rule, rules)
            yield Flag(start, end, rule.data.kind, text[start:end], rule.data.reason, neutral)


def _excused(signs: str, first: int, end: int, rule: Rule) -> bool:
    """Return whether the sentence denies, reports or studies what the match says."""
    before = signs[max(0, first - BEFORE) : first]
    before = before[before.rfind(STOP) + 1 :]
    if not rule.unless.isdisjoint(before):
        return True
    return not rule.unless_after.isdisjoint(signs[end : end + AFTER].partition(STOP)[0])


def _filled(text: str, encoded: Encoded, match: tuple[int, int, int], rule: Rule, rules: Ruleset) -> str:
    """Return the rule's neutral wording for this match (first sign, first of the claim, one behind the last)."""
    first, lead, end = match
    claim = text[encoded.starts[lead] : encoded.ends[end - 1]]
    if claim.split(maxsplit=1)[0].casefold() not in rules.proper:
        claim = claim[0].lower() + claim[1:]
    places = [place for place in range(first, end) if encoded.signs[place] not in rule.drop]
    rest = " ".join(text[encoded.starts[place] : encoded.ends[place]] for place in places)
    neutral = rule.data.neutral.replace("{claim}", claim).replace("{rest}", rest)
    begins = text[encoded.starts[first] : encoded.ends[first]]
    neutral = neutral.replace("{first}", begins)
    for verb in ("portray", "examine"):
        neutral = neutral.replace(f"{{{verb}}}", _in_the_form_of(begins, verb))
    opens = first == 0 or encoded.signs[first - 1] == STOP
    return neutral[:1].upper() + neutral[1:] if opens else neutral


def _in_the_form_of(verb_found: str, verb: str) -> str:
    """Return `verb` with the ending of the verb that was found."""
    word = verb_found.split(maxsplit=1)[0].casefold()
    if word.endswith("ing"):
        return f"{verb.removesuffix('e')}ing"
    return f"{verb}s" if word.endswith("s") and not word.endswith("ss") else verb


def _slurs(text: str, encoded: Encoded, rules: Ruleset) -> Iterator[Flag]:
    for place, sign in enumerate(encoded.signs):
        if sign == SLUR and not encoded.quoted[place]:
            start, end = encoded.starts[place], encoded.ends[place]
            slur = rules.slurs[rules.vocabulary.slur_class(text[start:end])]
            reason = SLUR_REASON.format(against=slur.against)
            neutral = slur.many if text[start:end].casefold().endswith("s") else slur.one
            yield Flag(start, end, "slur", text[start:end], reason, neutral)


def _joined(parts: list[str]) -> str:
    """Join parts, every second of them inserted, mending blanks, capitals and articles where they meet."""
    joined = [part for part in parts[:1] if part]
    for place, part in enumerate(parts[1:], start=1):
        last = joined.pop() if joined else ""
        opens = (not last.strip() and not joined) or last.rstrip()[-1:] in tuple(".!?\n")
        if place % 2 == 0 and not parts[place - 1]:  # after what was taken out
            if opens:
                part = part.lstrip(" \t,")
                part = part[:1].upper() + part[1:]
            elif last[-1:].isspace():
                part = part.lstrip(" \t")
        if part[:1] in tuple(",.;:!?"):
            last = last.rstrip(" \t")
        if part[:1].isalpha():
            ending = article(part)[1:]
            last = _ARTICLE.sub(lambda hit, ending=ending: hit[1] + ending, last)  # type: ignore[misc]
        joined += [piece for piece in (last, part) if piece]
    return "".join(joined)
