"""What expanding a prompt set gives, before a project stores it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import AppError
from core.prompts.axes import Axis

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
class PromptSetDraft:
    """A prompt set, the recipe that made it (plain data) and the axes it uses, for a project to keep copies of.

    `hints` are sentences for whoever plans with it.
    """

    name: str
    recipe: Mapping[str, Any]
    prompts: tuple[PromptDraft, ...]
    axes: tuple[Axis, ...] = ()
    hints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for prompt in self.prompts:
            if prompt.key in seen:
                raise AppError(f"The prompt set {self.name} has the key {prompt.key} twice.", hint="Keys must differ.")
            seen.add(prompt.key)
