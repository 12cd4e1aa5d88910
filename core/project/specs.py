"""The values that may be written, validated: SQLModel data models, one per table written from outside of the store.

Their fields are columns, in Python's terms: the store encodes JSON and texts, and adds keys, times and hashes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator
from sqlmodel import SQLModel

from biasprint.core.project.rows import VIEWED, WORST, ComparisonItem, Outcome, text_views, wrong_answer

LONGEST_NAME = 200
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]


class Spec(SQLModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)  # type: ignore[assignment]


class AxisSpec(Spec):
    key: Name
    title: Name
    definition: dict[str, Any]


@dataclass(frozen=True)
class PromptSpec:
    """A prompt of a set. A plain class: an import makes one for each row, and a validated one takes ten times as long.

    Raises ValueError for a key that is empty or has more than 200 characters.
    """

    key: str
    text: str
    task: str = ""
    theme: str = ""
    axis: str = ""
    identity: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < len(self.key) <= LONGEST_NAME:
            raise ValueError(f"a prompt's key has 1 to {LONGEST_NAME} characters")


class PromptSetSpec(Spec):
    name: Name
    recipe: dict[str, Any]
    prompts: tuple[PromptSpec, ...]

    @model_validator(mode="after")
    def keys_are_unique(self) -> "PromptSetSpec":
        keys = [prompt.key for prompt in self.prompts]
        if len(set(keys)) != len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"the prompt key {twice!r} stands twice")
        return self


class SourceSpec(Spec):
    kind: Literal["original", "context", "letter", "twin", "card"]
    origin: Name
    row: int
    text: str
    fields: dict[str, str] = {}


class GeneratorSpec(Spec):
    backend: Name
    model: str
    parameters: dict[str, Any] = {}
    revision: str = ""


class RunSpec(Spec):
    study_id: int
    prompt_set_id: int
    generator_id: int
    seed: Seed
    samples: Annotated[int, Field(ge=1, le=10_000_000)] = 1  # rows of a table without prompts are samples of one
    recipe: dict[str, Any] = {}


class OutputSpec(Spec):
    run_id: int
    prompt_id: int
    sample: Annotated[int, Field(ge=0)]
    seed: Seed
    status: Literal["done", "error"] = "done"
    text: str
    finish_reason: str = ""
    error: str = ""
    usage: dict[str, int] = {}
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    failure: str = ""
    detail: dict[str, Any] = {}


class PlanSpec(Spec):
    study_id: int
    title: Annotated[str, Field(max_length=200)]  # empty in a packet
    axis: str
    seed: Seed
    settings: dict[str, Any] = {}


class ComparisonSpec(Spec):
    """A comparison to store. `id` may be given where one comparison repeats another of the same plan."""

    id: str | None = None
    position: Annotated[int, Field(ge=0)]
    axis: Annotated[str, Field(max_length=200)]  # empty in a packet
    task: str
    theme: str
    items: tuple[ComparisonItem, ...] = Field(min_length=2, max_length=3)
    texts_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    repeat_of: str | None = None


class RaterSpec(Spec):
    code: Name
    kind: Literal["person", "model"] = "person"
    background: dict[str, Any] = {}


class JudgmentSpec(Spec):
    """A judgment to store. `lengths`: characters of each item's text; only with them can words be marked."""

    session_id: str
    comparison_id: str
    outcome: Outcome
    chosen: int | None = None
    shown: tuple[int, ...]
    texts_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    note: str = ""
    active_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    supersedes: str | None = None
    detail: dict[str, Any] = {}
    lengths: Annotated[tuple[int, ...], Field(exclude=True)] = ()

    @model_validator(mode="after")
    def choice_names_a_card(self) -> "JudgmentSpec":
        if sorted(self.shown) != list(range(len(self.shown))):
            raise ValueError("“shown” must hold each item once")
        if (self.outcome == "choice") != (self.chosen is not None):
            raise ValueError("a choice names an item, and only a choice does")
        if self.chosen is not None and self.chosen not in self.shown:
            raise ValueError("the chosen item was not shown")
        worst = self.detail.get(WORST)
        if worst is not None and (worst not in self.shown or self.chosen in (None, worst)):
            raise ValueError("the worst item is another one than the chosen, and was shown")
        if VIEWED in self.detail:
            text_views(self.detail[VIEWED], len(self.shown))
        if wrong := wrong_answer(self.detail, self.outcome, self.lengths):
            raise ValueError(wrong)
        return self


class AnnotationSpec(Spec):
    """An annotation to store. `id` is given where the annotation was made elsewhere and came in a packet."""

    id: str | None = None
    kind: Name
    target: Name
    rater_id: str | None = None
    value: dict[str, Any]
    supersedes: str | None = None
    created_at: str = ""


class ScoreSpec(Spec):
    """One text's scores. Exactly one id is set; `values` has the shape the scorer declares."""

    output_id: int | None = None
    source_id: int | None = None
    scorer: Name
    version: Name
    values: Any  # a float32 array
    summary: float | None = None

    @model_validator(mode="after")
    def one_text(self) -> "ScoreSpec":
        if (self.output_id is None) == (self.source_id is None):
            raise ValueError("a score belongs to one output or to one source")
        return self
