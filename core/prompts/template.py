"""The template language: plain text with named placeholders, `{name}`. `{{` and `}}` are the braces themselves.

There is nothing else in it: no numbers, no attributes, no format. What a template may hold is therefore exactly what a
person sees in the editor, and a mistake has a place: line and column, both counted from 1.
"""

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from biasprint.core.errors import AppError
from biasprint.core.text import article

# ---- The pattern that the prompts of a set share

SHORTEST = 2  # letters of a value that is looked for: a shorter one occurs inside other words
SAME = ("block", "group", "axis")  # fields that repeat what another field says


class AskedPrompt(Protocol):
    """The fields of a stored prompt that are read."""

    @property
    def text(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def theme(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def fields(self) -> Mapping[str, str]: ...


def prompt_patterns(prompts: Iterable[AskedPrompt]) -> dict[str, int]:
    """Return each pattern, in the order of its first prompt, with how many prompts have it.

    “A letter for Joseph, a 20 year old student.” with the fields name, age and occupation has the pattern “A letter for
    {name}, a {age} year old {occupation}.”
    """
    return dict(Counter(map(_pattern, prompts)))


def _pattern(prompt: AskedPrompt) -> str:
    named: dict[str, str] = {}
    own = {name: value for name, value in prompt.fields.items() if name not in SAME}
    for name, value in {**own, "theme": prompt.theme, "identity": prompt.identity, "task": prompt.task}.items():
        if len(value) >= SHORTEST:
            named.setdefault(value, name)
    found = sorted((at, -len(value), value) for value in named for at in _places_of(value, prompt.text))
    pattern, end = "", 0
    for at, _, value in found:  # the longest first: what was put in is not looked at again
        if at >= end:
            pattern += f"{prompt.text[end:at]}{{{named[value]}}}"
            end = at + len(value)
    # “an” before one value and “a” before another are one wording
    return re.sub(r"\b([Aa])n(?= +\{)", r"\1", pattern + prompt.text[end:]) if named else prompt.text


def _places_of(value: str, text: str) -> Iterator[int]:
    """Yield the places in a text that hold a value as whole words."""
    at = text.find(value)
    while at >= 0:
        if not _IN_WORD.match(text[max(0, at - 1) : at]) and not _IN_WORD.match(text, at + len(value)):
            yield at
        at = text.find(value, at + 1)


_IN_WORD = re.compile(r"\w")
_TOKEN = re.compile(r"\{\{|\}\}|\{[^{}]*\}|\{|\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A capital one begins a sentence: in “grade A {word}” it is no article.
_ARTICLE = re.compile(r"(?:(?<![\w’'-])an?|(?:(?<=\n)|(?<=[.!?:] )|(?<=[“\"])|^)An?)(?= $)")


class TemplateError(AppError):
    """A mistake in a template, with the place where it is.

    `line` and `column` count from 1, `offset` from 0; all three in characters.
    """

    def __init__(self, problem: str, text: str, offset: int, *, hint: str = "") -> None:
        self.offset = offset
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - (text.rfind("\n", 0, offset) + 1) + 1
        super().__init__(f"In the template, line {self.line}, column {self.column}: {problem}", hint=hint)


@dataclass(frozen=True)
class Placeholder:
    """One `{name}` and its place: characters `start` to `end` of the template."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Template:
    """A parsed template. Raises `TemplateError` where `text` is not one."""

    text: str
    parts: tuple[str | Placeholder, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(_parse(self.text)))

    @cached_property
    def placeholders(self) -> tuple[Placeholder, ...]:
        return tuple(part for part in self.parts if isinstance(part, Placeholder))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The placeholders' names in order of first use, each once."""
        return tuple(dict.fromkeys(placeholder.name for placeholder in self.placeholders))

    def require(self, known: Collection[str], needed: Collection[str] = ()) -> "Template":
        """Refuse a placeholder that is not `known`, and a template that lacks one that is `needed`."""
        for placeholder in self.placeholders:
            if placeholder.name not in known:
                problem = f"{{{placeholder.name}}} is not a placeholder here."
                raise TemplateError(problem, self.text, placeholder.start, hint=_suggest(placeholder.name, known))
        for name in needed:
            if name not in self.names:
                problem = f"{{{name}}} is missing from this template."
                raise TemplateError(problem, self.text, len(self.text), hint=f"Write {{{name}}} where it belongs.")
        return self

    def fill(self, **values: str) -> str:
        """Return the text with each placeholder replaced. Every placeholder needs a value, and every value a
        placeholder.
        """
        self.require(known=values, needed=values)
        return self.render(values)

    def render(self, values: Mapping[str, str]) -> str:
        """Fill the placeholders like `fill`, from a mapping that may hold more than is used. An “a” or “an” before a
        value fits it.
        """
        filled: list[str] = []
        for before, part in zip((None, *self.parts), self.parts, strict=False):
            if isinstance(part, str):
                filled.append(part)
                continue
            try:
                value = values[part.name]
            except KeyError:
                problem = f"there is no value for {{{part.name}}}."
                raise TemplateError(problem, self.text, part.start, hint=_suggest(part.name, values)) from None
            if isinstance(before, str):
                filled[-1] = _with_article_for(value, before)
            filled.append(value)
        return "".join(filled)


def _parse(text: str) -> list[str | Placeholder]:
    parts: list[str | Placeholder] = []
    end = 0
    for token in _TOKEN.finditer(text):
        parts.append(text[end : token.start()])
        end = token.end()
        match_text = token.group()
        if match_text in ("{{", "}}"):
            parts.append(match_text[0])
        elif len(match_text) == 1:
            problem = f"this {match_text} has no partner."
            raise TemplateError(problem, text, token.start(), hint=f"Write {match_text * 2} for the sign itself.")
        else:
            parts.append(Placeholder(_name(match_text, text, token.start()), token.start(), token.end()))
    parts.append(text[end:])
    return [part for part in parts if part != ""]


def _name(placeholder: str, text: str, offset: int) -> str:
    inside = placeholder[1:-1]
    if _NAME.fullmatch(inside):
        return inside
    if not inside.strip() or inside.strip().isdigit():
        problem = f"{placeholder} has no name."
    elif inside != inside.strip():
        problem = f"{placeholder} has a blank next to the brace."
    else:
        problem = f"{placeholder} is more than a name."
    hint = "A placeholder is one name in braces, such as {theme}; {{ and }} stand for the braces themselves."
    raise TemplateError(problem, text, offset, hint=hint)


def _with_article_for(value: str, before: str) -> str:
    """Return the text before a value, its last word made “a” or “an” where it is one of them and the value is a
    word.
    """
    if not before.endswith(("a ", "A ", "n ")) or not value[:1].isalnum():
        return before
    return _ARTICLE.sub(lambda match: match[0][0] + article(value)[1:], before)


def _suggest(name: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"Did you mean {{{close[0]}}}?"
    listed = ", ".join(f"{{{each}}}" for each in known)
    return f"Placeholders that can be used: {listed}." if listed else "This template takes no placeholders."
