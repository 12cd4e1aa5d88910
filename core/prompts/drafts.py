"""Drafts of prompt sets before they are stored, and mitigation: a set with an instruction added to every prompt."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import StringConstraints, TypeAdapter

from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts.axes import Axis, Text
from biasprint.core.prompts.name_sets import NameSet
from biasprint.core.prompts.resource_files import from_resources, strict_data

DEFAULT_IDENTITY = "default"


@dataclass(frozen=True)
class PromptDraft:
    """One prompt. `key` names it for ever: the same task, theme and identity give the same key in every set.

    A prompt without an identity has identity "default" and axis "".
    """

    key: str
    text: str
    task: str
    theme: str = ""
    axis: str = ""
    identity: str = DEFAULT_IDENTITY
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OriginalDraft:
    """An original that comes with a prompt set: what articles for this headline are measured against.

    `origin`: where it was found.
    """

    headline: str
    domain: str
    text: str
    origin: str


@dataclass(frozen=True)
class PromptSetDraft:
    """A prompt set, the recipe that made it (plain data) and the axes it uses, for a project to keep copies of.

    `hints` are sentences for whoever plans with it; `originals` are stored beside the prompts.
    """

    name: str
    recipe: Mapping[str, Any]
    prompts: tuple[PromptDraft, ...]
    axes: tuple[Axis, ...] = ()
    hints: tuple[str, ...] = ()
    originals: tuple[OriginalDraft, ...] = ()

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for prompt in self.prompts:
            if prompt.key in seen:
                raise AppError(f"The prompt set {self.name} has the key {prompt.key} twice.", hint="Keys must differ.")
            seen.add(prompt.key)


def named_from(draft: PromptSetDraft, names: NameSet | None) -> PromptSetDraft:
    """Return the draft telling which set its names are from, and which groups have few names there; as it is without a
    set.
    """
    if names is None:
        return draft
    set_named = {"key": names.key, "title": names.title, "version": names.version}
    return replace(draft, recipe={**draft.recipe, "name_set": set_named}, hints=(*draft.hints, *names.remarks()))


# ---- Mitigation: the prompts of a set again, each with an instruction before it

PLAIN_ARM = "plain"
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$", max_length=40)]


@strict_data
class MitigationInstruction:
    """An instruction and its title."""

    title: Text
    instruction: Text


def mitigations() -> Mapping[str, MitigationInstruction]:
    """Return the shipped instructions by name."""
    return from_resources(dict[Name, MitigationInstruction], "prompts", "mitigation.toml")


def mitigated(draft: PromptSetDraft, name: str, instruction: str = "") -> PromptSetDraft:
    """Return both arms of `draft`: its prompts as they are, and again with the instruction before each.

    `name`: of a shipped instruction, or, with an `instruction` of one's own, a new one. A prompt's field `arm` is
    "plain" or `name`, and `pair` is the same in both arms, so that each text has its twin.
    """
    name = TypeAdapter(Name).validate_python(name) if instruction else name
    known = mitigations()
    if not instruction and name not in known:
        raise UsageError(f"There is no mitigation “{name}”.", hint=f"There are: {', '.join(known)}.")
    text = instruction or known[name].instruction
    arms = [_prompt(prompt, arm, system) for prompt in draft.prompts for arm, system in ((PLAIN_ARM, ""), (name, text))]
    recipe = {**draft.recipe, "mitigation": {"name": name, "instruction": text}}
    return replace(draft, name=f"{draft.name}, with {name}", recipe=recipe, prompts=tuple(arms))


def _prompt(prompt: PromptDraft, arm: str, instruction: str) -> PromptDraft:
    fields = {**prompt.fields, "arm": arm, "pair": prompt.key}
    if not instruction:
        return replace(prompt, fields=fields)
    return replace(prompt, key=f"{prompt.key}/with/{arm}", text=f"{instruction}\n\n{prompt.text}", fields=fields)
