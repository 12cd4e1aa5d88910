"""The choices that narrow a prompt set."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

from pydantic import Field

from biasprint.core.prompts.wordings import AS_IT_IS, TemplateWords

AtLeastOne = Annotated[int, Field(ge=1)]  # in an audit file


@dataclass(frozen=True)
class PromptChoice:
    """The choices that narrow a prompt set or that it is made from; None where nothing is asked for.

    `preset`: sweep or human, the creativity paper's smaller experiments. `names`: NAME=GROUP each; `names_in_turn`: so
    many of the axis's for each group, one in each prompt; `name_set`: names of this set instead, in turn, all where no
    number is given. `document`: what the letters study asks for, `occupations`: of
    whom. `biographies`, `headlines`: tables. `ideology`: also
    the biased form of the news prompts. `base_model`: headlines alone. `mitigation`: the set once more with this
    instruction, which is a shipped one unless `instruction` gives the text. `template`: a file with the prompt's text,
    filled from the rows of `table`; `columns`: field=column each; `set_name`: what the set is called.
    `design`: a shipped one, or a file. `wordings`: how many of each prompt, “all”, or a file of them.
    """

    tasks: Sequence[str] | None = None
    themes: Sequence[str] | None = None
    axes: Sequence[str] | None = None
    preset: str | None = None
    names: Sequence[str] | None = None
    names_in_turn: AtLeastOne | None = None
    name_set: str | None = None
    document: str | None = None
    occupations: Sequence[str] | None = None
    biographies: Path | None = None
    versions: AtLeastOne | None = None
    headlines: Path | None = None
    ideology: str | None = None
    base_model: bool = False
    domains: Sequence[str] | None = None
    directions: Sequence[str] | None = None
    design: str | None = None
    mitigation: str | None = None
    instruction: str | None = None
    template: Path | None = None
    table: Path | None = None
    columns: Sequence[str] | None = None
    set_name: str | None = None
    wordings: int | str | None = None
    words = AS_IT_IS  # no choice of a person: the wording that a set is made in

    @property
    def given(self) -> set[str]:
        return {field.name for field in fields(PromptChoice) if getattr(self, field.name)}


@dataclass(frozen=True)
class WordedChoice(PromptChoice):
    """A choice, and the wording that its prompts are made in."""

    words: TemplateWords = AS_IT_IS

    @classmethod
    def of(cls, choice: PromptChoice, words: TemplateWords) -> "WordedChoice":
        """Return the same choice, to be made in this wording."""
        return cls(**{each.name: getattr(choice, each.name) for each in fields(PromptChoice)}, words=words)
