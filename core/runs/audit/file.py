"""The contents of an audit file: prompts, generators, judges, measures, comparisons, and the gates under which it
fails.

docs/reference/audit-files.md explains the keys. `biasprint.core.runs.audit.reading` reads a file.
"""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from biasprint.core.judging.plan import PlanKind
from biasprint.core.runs.audit.gates import Gate, parse_gate
from biasprint.core.studies.kit.choice import PromptChoice

Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
Words = Annotated[str, Field(min_length=1)]


JUDGED = "creativity"  # the study that measures what was judged, of whatever texts


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _choices() -> dict[str, Any]:
    """Return the fields of `PromptChoice`: a choice that the command line gets is one of an audit file."""
    kinds = get_type_hints(PromptChoice, include_extras=True)
    return {each.name: (kinds[each.name], each.default) for each in fields(PromptChoice)}


_Narrowed = create_model("_Narrowed", __base__=_Part, **_choices())


class AskedPrompts(_Narrowed):  # type: ignore[misc, valid-type]
    """A prompt set: made from choices, as `biasprint prompts` makes it; or `set` (NAME@VERSION) of the project `from`.

    `name`: how generators of the file call it; its study where it has none.
    """

    study: Words
    name: str = ""
    set: str | None = None
    of: Path | None = Field(None, alias="from")

    @property
    def called(self) -> str:
        return self.name or self.study

    def choice(self) -> dict[str, Any]:
        """Return the fields of `PromptChoice` that are given."""
        names = {each.name for each in fields(PromptChoice)} & self.model_fields_set
        return {name: value for name in sorted(names) if (value := getattr(self, name)) is not None}


class AskedTexts(_Part):
    """Texts that are there already: a `table`, read as `biasprint import` reads it; or all that the project `from` has
    imported for the study. `columns`: field → column, where a column has another name. `sheet` and `header_row`: where
    its header is.
    """

    study: Words
    table: Path | None = None
    of: Path | None = Field(None, alias="from")
    columns: dict[str, str] = {}
    format: str | None = None
    encoding: str | None = None
    sheet: str = ""
    header_row: Annotated[int | None, Field(ge=1)] = None
    duplicates: Literal["report", "drop"] = "report"

    @property
    def source(self) -> Path:
        """The place of the texts: the table or the project, whichever is given."""
        source = self.table or self.of
        assert source is not None, "checked when the file was read"
        return source


class _AskedModel(_Part):
    """A model of the file. `name`: how the file calls it; its model where it has none. `system`: its system prompt.
    `preset`: begin with what the catalogue recommends for a local model.
    """

    backend: Words
    model: Words
    name: str = ""
    endpoint: str | None = None
    system: str | None = None
    parameters: dict[str, str | int | float | bool] = {}
    seed: Seed | None = None
    preset: bool = True

    @property
    def called(self) -> str:
        return self.name or self.model

    def given(self) -> dict[str, Any]:
        """Return its parameters as a backend takes them."""
        named = {"endpoint": self.endpoint, "system": self.system}
        return dict(self.parameters) | {name: value for name, value in named.items() if value is not None}


class AskedGenerator(_AskedModel):
    """A generator that writes. `prompts`: names of the prompt sets that it answers; all by default."""

    prompts: list[str] | None = None
    samples: Annotated[int, Field(ge=1, le=10_000)] = 1


class AskedJudge(_AskedModel):
    """A model that says of each comparison which text is best."""


class AskedComparisons(_Part):
    """Comparisons of a study's texts, drawn as `biasprint compare` draws them. `models`: names of generators, in the
    file or the project. `judges`: names of those that judge them; all where not given.
    """

    study: Words
    kind: PlanKind = "identity"
    axes: list[str] = []
    models: list[str] = []
    per_axis: Annotated[int, Field(ge=1)] | None = None
    cards: Annotated[int, Field(ge=0, le=3)] = 0
    worst: bool = False
    question: str = ""
    title: str = Field("", max_length=200)
    seed: Seed | None = None
    judges: list[str] | None = None


class AskedMeasure(_Part):
    """The measuring of a study: the options of `biasprint measure`. `scorers`: role → name. `columns`: field → column.

    `generators`, `compare`: by their names in the file, or as `measure` takes them. `texts_of`: of `compare`, the study
    of this file whose texts are measured, where that is another one.
    """

    study: Words
    seed: Seed | None = None
    adjust: Literal["holm", "bh"] = "holm"
    axes: list[str] = []
    scorers: dict[str, str] = {}
    margin: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    generators: list[str] = []
    compare: list[str] = []
    columns: dict[str, str] = {}
    pool: bool = False
    keep_seen: bool = False
    texts_of: str = ""


class AskedOutputs(_Part):
    """The files to write: the project file, and beside it the answer as JSON, a report of each study and the gates."""

    project: Path
    json_: Path | None = Field(None, alias="json")
    report: Path | None = None
    junit: Path | None = None


class Audit(_Part):
    """The whole file. `seed`: of writing and measuring, where a part has none. `scorers`: beyond what measures need."""

    audit: Literal[1] = 1
    title: str = ""
    seed: Seed = 0
    prompts: list[AskedPrompts] = []
    texts: list[AskedTexts] = []
    generators: list[AskedGenerator] = []
    comparisons: list[AskedComparisons] = []
    judges: list[AskedJudge] = []
    scorers: list[str] = []
    measure: list[AskedMeasure] = []
    gates: list[str] = []
    outputs: AskedOutputs

    @property
    def studies(self) -> tuple[str, ...]:
        asked: Sequence[AskedPrompts | AskedTexts] = [*self.prompts, *self.texts]
        return tuple(dict.fromkeys(part.study for part in asked))

    def measures(self) -> tuple[AskedMeasure, ...]:
        """Return how each study is measured; then what is asked of the texts of another study."""
        by_study = {measure.study: measure for measure in self.measure}
        kinds = dict.fromkeys([*self.studies, *([JUDGED] if self.comparisons else [])])
        own = [by_study.pop(kind, AskedMeasure(study=kind)) for kind in kinds]
        return (*own, *by_study.values())

    def held(self) -> tuple[Gate, ...]:
        return tuple(parse_gate(text) for text in self.gates)

    def to_json(self) -> dict[str, Any]:
        """Return the audit as a file has it, without default values."""
        fields: dict[str, Any] = self.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude_none=True)
        return {"audit": self.audit, **fields}
