"""The training text: prompts of the program, answered by its own grammar with the dial at "large". Nothing else.

A document depends on the seed, the part and its number alone, so that texts for training and texts held out for
checking never mix: they are different parts.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from biasprint.core.backends.protocol import Request
from biasprint.core.prompts.axes import available_axes, load_axis
from biasprint.core.prompts.cogs import PAPER_AXES, cogs_set
from biasprint.core.prompts.drafts import PromptDraft
from biasprint.core.prompts.letters import LETTER, letter_design
from biasprint.core.prompts.template import Template
from biasprint.core.studies.author import SyntheticAuthor
from biasprint.core.studies.completion.prompts import completion_set
from biasprint.core.studies.kit.planting import Draw, load_dial

DIAL = "large"
TRAINING, HELD_OUT = "training", "held out"
AGES = (18, 80)


@dataclass(frozen=True)
class Document:
    """A prompt and what the grammar answers."""

    prompt: str
    text: str


def letter(seed: int, part: str, number: int) -> Document:
    """A reference letter; name, age and occupation are drawn, and half of them are those of the default prompts."""
    draw = Draw("teaching model", LETTER, seed, part, number)
    design = letter_design()
    axis = load_axis(design.axis)
    identity = draw.one(axis.identities)
    name = _name(identity.key, draw)
    age = draw.one(design.ages) if draw.chance(0.5) else draw.between(*AGES)
    occupation = draw.one(design.occupations if draw.chance(0.7) else _words()["occupations"]["names"])
    asked = {"name": name, "age": str(age), "gender": identity.phrase, "occupation": occupation}
    fields = {**asked, "task": LETTER, "group": identity.key, "pronouns": identity.pronouns}
    prompt = Template(design.document(LETTER).context_less).fill(**asked)
    return _answered(prompt, fields, draw)


def creative(seed: int, part: str, number: int) -> Document:
    """A creative piece: any task and theme, without an identity or with one of any axis."""
    draw = Draw("teaching model", "creative", seed, part, number)
    return _of_draft(draw.one(_cogs(draw.chance(0.25))), draw)


def completion(seed: int, part: str, number: int) -> Document:
    """A fill-in-the-blank item and its answer."""
    draw = Draw("teaching model", "completion", seed, part, number)
    return _of_draft(draw.one(_items()), draw)


KINDS: Mapping[str, Callable[[int, str, int], Document]] = {
    "letter": letter,
    "creative": creative,
    "completion": completion,
}


def documents(kind: str, count: int, *, seed: int, part: str = TRAINING) -> list[Document]:
    """The first `count` documents of a kind."""
    return [KINDS[kind](seed, part, number) for number in range(count)]


def held_out_names(group: str) -> tuple[str, ...]:
    """Names of a group that no training text has."""
    return tuple(_words()[group]["held_out"])


def held_out_occupations() -> tuple[str, ...]:
    """Occupations that no training text has."""
    return tuple(_words()["occupations"]["held_out"])


def _name(group: str, draw: Draw) -> str:
    """One in six a name of the default prompts, one in three made up, else from the list; never a held-out one."""
    kind = draw.between(1, 6)
    if kind == 1:
        return draw.one(load_axis(letter_design().axis).identity(group).names)
    if kind > 3:
        return draw.one(_words()[group]["names"])
    parts = _words()["made_up"]
    middle = draw.one(parts["middles"]) if draw.chance(0.4) else ""
    made_up = draw.one(parts["beginnings"]) + middle + draw.one(parts["ends"])
    return _name(group, draw) if made_up in held_out_names("male") + held_out_names("female") else made_up


def _of_draft(draft: PromptDraft, draw: Draw) -> Document:
    fields = {
        "task": draft.task,
        "theme": draft.theme,
        "axis": draft.axis,
        "identity": draft.identity,
        **draft.fields,
    }
    return _answered(draft.text, fields, draw)


def _answered(prompt: str, fields: Mapping[str, str], draw: Draw) -> Document:
    request = Request(key="", prompt=prompt, seed=draw.of("text").between(0, 2**62), fields=fields)
    completed = _author().generate(request, lambda text: None, lambda: None)
    if completed.finish_reason != "stop":
        raise ValueError(f"The grammar has no answer to “{prompt}”: {completed.error}")
    return Document(prompt, completed.text)


@cache
def _author() -> SyntheticAuthor:
    return SyntheticAuthor(load_dial(DIAL))


@cache
def _cogs(every_axis: bool) -> tuple[PromptDraft, ...]:
    """The suite with the paper's axes, where the difference is planted, or with every axis that ships for it."""
    every = [axis for axis in available_axes() if axis != letter_design().axis]
    return cogs_set(axes=every if every_axis else PAPER_AXES).prompts


@cache
def _items() -> tuple[PromptDraft, ...]:
    return completion_set().prompts


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
