"""The mitigation arm: the prompts of a set once more, each with an instruction before it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from pydantic import ConfigDict, StringConstraints, TypeAdapter
from pydantic.dataclasses import dataclass

from core.errors import UsageError
from core.prompts.axes import Text
from core.prompts.drafts import PromptDraft, PromptSetDraft
from core.prompts.resource_files import packaged, read_toml, validated

PLAIN_ARM = "plain"
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$", max_length=40)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Mitigation:
    """An instruction and its title."""

    title: Text
    instruction: Text


def mitigations() -> Mapping[str, Mitigation]:
    """The shipped instructions by name."""
    where = "The file prompts/mitigation.toml"
    return validated(dict[Name, Mitigation], read_toml(packaged("prompts", "mitigation.toml")), where)


def mitigated(draft: PromptSetDraft, name: str, instruction: str = "") -> PromptSetDraft:
    """Both arms of `draft`: its prompts as they are, and again with the instruction before each.

    `name`: of a shipped instruction, or, with an `instruction` of one's own, a new one. A prompt's field `arm` is
    "plain" or `name`, and `pair` is the same in both arms, so that each text has its twin.
    """
    name = TypeAdapter(Name).validate_python(name) if instruction else name
    known = mitigations()
    if not instruction and name not in known:
        raise UsageError(f"There is no mitigation “{name}”.", hint=f"There are: {', '.join(known)}.")
    text = instruction or known[name].instruction
    arms = [_prompt(prompt, arm, said) for prompt in draft.prompts for arm, said in ((PLAIN_ARM, ""), (name, text))]
    recipe = {**draft.recipe, "mitigation": {"name": name, "instruction": text}}
    return replace(draft, name=f"{draft.name}, with {name}", recipe=recipe, prompts=tuple(arms))


def _prompt(prompt: PromptDraft, arm: str, instruction: str) -> PromptDraft:
    fields = {**prompt.fields, "arm": arm, "pair": prompt.key}
    if not instruction:
        return replace(prompt, fields=fields)
    return replace(prompt, key=f"{prompt.key}/with/{arm}", text=f"{instruction}\n\n{prompt.text}", fields=fields)
