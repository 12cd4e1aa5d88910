"""The biased-prompt detector: which words of a prompt ask for prejudice, why, and how to ask without it.

Rules and words are data (`resources/prompts/biased_wording.toml`); there is no model. What stands in quotation marks
is somebody else's: a headline about a prejudice is no prejudice. What it finds and misses: `docs/biased-prompts.md`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from core.errors import AppError
from core.prompts.detector_rules import Kind, Rule, Ruleset, shipped_rules
from core.prompts.detector_words import SLUR, STOP, Encoded

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
    """Characters `start` to `end` of a prompt that ask for prejudice; `neutral` is what could stand there instead."""

    start: int
    end: int
    kind: Kind
    text: str
    reason: str
    neutral: str


def detect(text: str) -> tuple[Flag, ...]:
    """The flags of a prompt in the order of the text, none overlapping another. Time is linear in its length."""
    rules = shipped_rules()
    encoded = rules.vocabulary.encode(text)
    found = [flag for rule in rules.rules for flag in _by_rule(text, encoded, rule, rules)]
    found += _slurs(text, encoded, rules)
    kept: list[Flag] = []
    for flag in sorted(found, key=lambda flag: (flag.start, -flag.end)):
        if not kept or flag.start >= kept[-1].end:
            kept.append(flag)
    return tuple(kept)


def neutral_wording(text: str) -> str:
    """The whole prompt with the neutral wording in the place of every flag, and of what shows behind one."""
    for _ in range(MOST_ROUNDS):
        flags = detect(text)
        if not flags:
            break
        text = replaced(text, flags)
    return text


def replaced(text: str, flags: Iterable[Flag]) -> str:
    """`text` with the neutral wording in the place of these flags of it."""
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
    """Whether the sentence denies, reports or studies what the match says."""
    before = signs[max(0, first - BEFORE) : first]
    before = before[before.rfind(STOP) + 1 :]
    if not rule.unless.isdisjoint(before):
        return True
    return not rule.unless_after.isdisjoint(signs[end : end + AFTER].partition(STOP)[0])


def _filled(text: str, encoded: Encoded, match: tuple[int, int, int], rule: Rule, rules: Ruleset) -> str:
    """The rule's neutral wording for this match (first sign, first of the claim, one behind the last)."""
    first, lead, end = match
    claim = text[encoded.starts[lead] : encoded.ends[end - 1]]
    if claim.split(maxsplit=1)[0].casefold() not in rules.proper:
        claim = claim[0].lower() + claim[1:]
    kept = [place for place in range(first, end) if encoded.signs[place] not in rule.drop]
    rest = " ".join(text[encoded.starts[place] : encoded.ends[place]] for place in kept)
    neutral = rule.data.neutral.replace("{claim}", claim).replace("{rest}", rest)
    begins = text[encoded.starts[first] : encoded.ends[first]]
    neutral = neutral.replace("{first}", begins)
    for verb in ("portray", "examine"):
        neutral = neutral.replace(f"{{{verb}}}", _in_the_form_of(begins, verb))
    opens = first == 0 or encoded.signs[first - 1] == STOP
    return neutral[:1].upper() + neutral[1:] if opens else neutral


def _in_the_form_of(found: str, verb: str) -> str:
    """`verb` with the ending of the verb that was found."""
    word = found.split(maxsplit=1)[0].casefold()
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
    """Parts as one text, every second of them put in. Blanks, capitals and articles are mended where they meet."""
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
            ending = "n" if part[0].casefold() in "aeiou" else ""
            last = _ARTICLE.sub(lambda hit, ending=ending: hit[1] + ending, last)  # type: ignore[misc]
        joined += [piece for piece in (last, part) if piece]
    return "".join(joined)
