"""The rules of the biased-prompt detector: patterns of words, read from `biased_wording.toml`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as data

from core.errors import AppError
from core.prompts.detector_words import COLON, COMMA, OTHER, QUOTE, SLUR, STOP, Vocabulary
from core.prompts.resource_files import packaged, read_toml, validated

Kind = Literal["ideology", "generalisation", "demeaning", "stereotype", "loaded", "slur"]
Words = Annotated[str, Field(min_length=1)]
_REPEATED = re.compile(r"(.+)\*(\d+)")
_ANY_WORD = f"[^{re.escape(STOP + COMMA + COLON + QUOTE + OTHER)}]"
_GAP = re.compile(r"\.\.(\d+)")


@data(frozen=True, config=ConfigDict(extra="forbid"))
class RuleData:
    """A rule as it is written; the comment at the head of the file says what each entry means."""

    kind: Kind
    patterns: tuple[Words, ...]
    neutral: str
    reason: Words
    drop: str = ""
    unless: tuple[Words, ...] = ()
    unless_after: tuple[Words, ...] = ()


@data(frozen=True, config=ConfigDict(extra="forbid"))
class SlurData:
    """Slurs against one group, by the digests of their folded forms; `one` and `many` are words for its people."""

    against: Words
    one: Words
    many: Words
    digests: tuple[Words, ...]


@data(frozen=True, config=ConfigDict(extra="forbid"))
class WordingData:
    """The whole file."""

    version: int
    terms: Mapping[str, tuple[Words, ...]]
    macros: Mapping[str, Words]
    rules: tuple[RuleData, ...]
    slurs: tuple[SlurData, ...]


@dataclass(frozen=True)
class Rule:
    """A rule made ready: its patterns, and the signs that excuse a match when they stand before or behind it."""

    data: RuleData
    patterns: tuple[re.Pattern[str], ...]
    drop: str
    unless: frozenset[str]
    unless_after: frozenset[str]


@dataclass(frozen=True)
class Ruleset:
    """All rules with the words that they know."""

    version: int
    vocabulary: Vocabulary
    rules: tuple[Rule, ...]
    slurs: Mapping[str, SlurData] = field(default_factory=dict)  # by whom they are against
    proper: frozenset[str] = frozenset()  # words that keep their capital letter


@cache
def shipped_rules() -> Ruleset:
    return made(validated(WordingData, read_toml(packaged("prompts", "biased_wording.toml")), "biased_wording.toml"))


def made(wording: WordingData) -> Ruleset:
    """The rules of a file. Raises `AppError` for a pattern that names what is not there."""
    digests = {each: slurs.against for slurs in wording.slurs for each in slurs.digests}
    compiler = _Compiler(wording, Vocabulary(digests))
    rules = tuple(compiler.rule(rule) for rule in wording.rules)
    slurs = {each.against: each for each in wording.slurs}
    return Ruleset(wording.version, compiler.vocabulary, rules, slurs, frozenset(wording.terms.get("proper", ())))


class _Compiler:
    def __init__(self, wording: WordingData, vocabulary: Vocabulary) -> None:
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
        """The signs of alternatives: words and lists."""
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
