"""Class of a study: its tables, findings and figures, and methods that may be left out.

A third party's study needs nothing but this module and an entry point. A study's class is light: its methods import
what is heavy when they are called. Its methods do the plain thing, for studies that leave them out.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from biasprint.core.errors import UsageError
from biasprint.core.studies.kit.declared import (
    InputTable,
    MeasureOptions,
    StudyQuestion,
    StudyWords,
    declaration,
    declared_questions,
    declared_words,
    figure_keys,
    reply_ids,
)

if TYPE_CHECKING:
    import numpy as np

    from biasprint.core.compute import ComputeProcess
    from biasprint.core.draw.figure import Figure
    from biasprint.core.findings import Finding, StudyResult
    from biasprint.core.jobs import JobContext
    from biasprint.core.project.project import Project
    from biasprint.core.prompts.drafts import PromptSetDraft
    from biasprint.core.scorers.protocol import ScorerInfo
    from biasprint.core.studies.kit.choice import PromptChoice
    from biasprint.core.studies.kit.live import StudyTally
    from biasprint.core.studies.kit.plain_measuring import Answer, Prepared
    from biasprint.core.studies.kit.planting import Planting
    from biasprint.core.tables.rows import TableRead


class StudyWork:
    """Work with the tables and projects of a study: the plain one, where a study has no other."""

    def declared(self) -> "StudyDeclaration":
        """Return the study whose tables and projects these are."""
        raise NotImplementedError

    def store(
        self, ctx: "JobContext", project: "Project", study_id: int | None, origin: str, table: "TableRead"
    ) -> int:
        """Store the rows of a table; return how many were not there already. A bad table is refused before that.

        `study_id` None: in the project's study of this kind. Each row's `text` becomes an output of a prompt that has
        the row's other fields.
        """
        from biasprint.core.studies.kit.importing import store_rows

        study = self.declared()
        return store_rows(study.kind, ctx, project, lambda: study_id or study.added_to(project), origin, table)

    def needed(
        self, project: "Project | None" = None, study_id: int | None = None, set_id: int | None = None
    ) -> "Sequence[ScorerInfo]":
        """Return the scorers whose stored values its measures read, where nobody chooses others; light.

        Of a project's study, or of one of its prompt sets, those that its prompts need where that depends on them.
        """
        return self.needed_by_any()

    def needed_by_any(self) -> "Sequence[ScorerInfo]":
        """Return the scorers that are needed whatever the prompts are."""
        from biasprint.core.scorers.registry import best_scorer

        return [info for role in self.declared().roles if (info := best_scorer(role))]

    def kind_of(self, path: Path, mapping: Mapping[str, str]) -> str:
        """Return which kind of table a file is."""
        return self.declared().inputs[0].kind

    def of_tables(
        self,
        ctx: "JobContext",
        read: "Sequence[tuple[str, TableRead]]",
        options: "MeasureOptions",
        compute: "ComputeProcess",
    ) -> "Answer":
        """Return the findings of tables, each with its kind, and remarks for the person."""
        from biasprint.core.studies.kit import plain_measuring

        study = self.declared()
        return plain_measuring.of_tables(study.inputs[0], study.roles, ctx, read, options, compute)

    def prepared(
        self, ctx: "JobContext", project: "Project", study_id: int, options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "list[Prepared]":
        """Return what is measured of a project: of its texts, and of its judgments where there are any."""
        from biasprint.core.studies.kit import plain_measuring

        study = self.declared()
        return plain_measuring.prepared(study.inputs[0], study.roles, ctx, project, study_id, options, compute)

    def of_project(
        self, ctx: "JobContext", project: "Project", study_id: int, options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "Answer":
        """Return the findings of a project's texts, scoring first what is not scored, and remarks for the person."""
        from biasprint.core.studies.kit.plain_measuring import whole

        (only,) = self.prepared(ctx, project, study_id, options, compute)
        return whole(ctx, only, compute), list(only.remarks)

    def of_judged(
        self, ctx: "JobContext", project: "Project", options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "Answer | None":
        """Return the findings of revealed sessions in a project without this study; None where it measures none."""
        return None

    def of_several(
        self,
        ctx: "JobContext",
        project: "Project",
        narrowed: "Sequence[Project]",
        options: "MeasureOptions",
        compute: "ComputeProcess",
    ) -> "tuple[StudyResult | None, list[str]]":
        """Return the findings of what compares texts of several generators; `narrowed` to each they are not among."""
        return None, []

    def live(self, project: "Project", study_id: int, compute: "ComputeProcess") -> "StudyTally":
        """Return the sums that follow texts and scores as they come: here the scores of its roles, by group."""
        from biasprint.core.studies.kit.live import PlainTally

        return PlainTally(self.declared().kind, self.needed(project, study_id))

    def simulated(
        self, planted: str, n: int, asked: "Planting", seed: int, rng: "np.random.Generator"
    ) -> "list[Finding]":
        """Return the findings of one simulated study of a planted size; `seed`: of what all of them are drawn from."""
        raise UsageError(f"“{self.declared().kind}” cannot be calibrated.")


class StudyDeclaration:
    """A kind of study: what it asks for, what it reads, and which findings and figures it gives.

    `inputs`: the tables it measures; the first whose kind is the study's, else the first, is the one that is imported.
    `findings`: ids, where a trailing `.*` means all that follow. `figures`: keys of its figures.
    `narrowed_by`: the fields of `PromptChoice` that narrow its prompts. `first_look`: those that narrow them to a set
    small enough for a first finding. `sampling`: the parameters its paper generated with. `questions`: what its
    findings are grouped by. `spreads`: ids, or id[label], of what chance alone keeps above 0, the more the noisier the
    texts are: no test of two generators. `contrasts`: ids of one group each, of which two generators are also compared
    by what the group is above or below the mean of all. `wordings`: the columns of a prompt that say how it is worded:
    with --sensitivity each wording is left out in turn. `other_models`: id → in words, such as “with a mixed model”,
    the id of what another model says of the same. `telltale`: a pattern that nearly every text of it matches
    somewhere; a table without is rather another study's, unless it has one of the `telltale_columns`.
    Of measuring: `chosen_roles`: the roles whose scorer a person may choose; None for all that its first table needs.
    `asked_of`: the columns of a prompt that say of whom its text was asked for; the identity means axis by axis.
    `matched_by`: those that matched prompts of several groups share; where empty a block, a headline or task and theme.
    `by_axis`: may a person name axes? `has_margin`: may a person choose a margin of equivalence? `groupable`: fields
    that may be read from another column of a project's prompts. `reads_other_texts`: can it measure another study's
    texts? `compares_generators`: can the texts of generators be compared?
    """

    kind: str
    title: str
    inputs: tuple[InputTable, ...] = ()
    findings: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    narrowed_by: tuple[str, ...] = ()
    first_look: ClassVar[Mapping[str, Any]] = {}
    sampling: ClassVar[Mapping[str, float]] = {}
    questions: tuple[StudyQuestion, ...] = ()
    spreads: tuple[str, ...] = ()
    contrasts: tuple[str, ...] = ()
    words: StudyWords = StudyWords()
    wordings: tuple[str, ...] = ("wording", "template", "form")
    other_models: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    telltale: str = ""
    telltale_columns: tuple[str, ...] = ()
    asked_of: tuple[str, ...] = ("group",)
    matched_by: tuple[str, ...] = ()
    chosen_roles: tuple[str, ...] | None = None
    by_axis: bool = False
    has_margin: bool = False
    groupable: tuple[str, ...] = ()
    reads_other_texts: bool = False
    compares_generators: bool = True

    # ---- Prompts

    def prompts(self) -> "PromptSetDraft | None":
        """Return the prompt set that ships for the study; None where its texts can only be imported."""
        return None

    def draft(self, ctx: "JobContext", project: "Project | None", choice: "PromptChoice") -> "PromptSetDraft":
        """Return the prompt set that a person's choice narrows it to. Raises `UsageError` where there is none."""
        whole = self.prompts()
        if whole is None:
            raise UsageError(f"The study {self.kind} has no prompts to start with.", hint="Its texts are imported.")
        return whole

    @property
    def has_prompts(self) -> bool:
        """True where one can start it with prompts."""
        return type(self).prompts is not StudyDeclaration.prompts or type(self).draft is not StudyDeclaration.draft

    # ---- Tables

    @property
    def scorers(self) -> tuple[str, ...]:
        """Every role that any of its tables needs."""
        return tuple(dict.fromkeys(role for table in self.inputs for role in table.scorers))

    @property
    def imported(self) -> InputTable | None:
        """The table whose texts are imported; None where there is none."""
        return next(
            (table for table in self.inputs if table.kind == self.kind), self.inputs[0] if self.inputs else None
        )

    def input_for(self, fields: set[str]) -> InputTable | None:
        """Return the first kind of data whose required fields are all there."""
        return next((table for table in self.inputs if set(table.required) <= fields), None)

    def added_to(self, project: "Project") -> int:
        """Return the id of the project's study of this kind, which is added where there is none."""
        row = project.studies.of_kind(self.kind)
        return row.id if row else project.studies.add(self.kind, self.title).number("study")

    # ---- Measuring

    def work(self) -> StudyWork:
        """Return what is done with its tables and projects; of the program's own studies in a module of its own."""
        raise NotImplementedError

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles whose scorer a person may choose."""
        if self.chosen_roles is not None:
            return self.chosen_roles
        return self.inputs[0].scorers if self.inputs else ()

    # ---- What is shown

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        """Return the figures of findings."""
        return []

    def card(self) -> type | None:
        """Return the window's card on which a third party's prompts are chosen; None: all of them are offered."""
        return None

    def chart_sections(self) -> Sequence[type]:
        """Return the window's sections of live charts of a third party's study."""
        return ()


class Study(StudyDeclaration, StudyWork):
    """A third party's study: a declaration that does its work itself."""

    def work(self) -> StudyWork:
        return self

    def declared(self) -> StudyDeclaration:
        return self


class OwnWork(StudyWork):
    """The work of one of the program's own studies, in a module that is imported when it is first needed."""

    def __init__(self, study: StudyDeclaration) -> None:
        self._study = study

    def declared(self) -> StudyDeclaration:
        return self._study


Own = TypeVar("Own", bound=type[StudyDeclaration])


def declared_in_resources(study: Own) -> Own:
    """Give a study of the program what `resources/studies` declares of its kind."""
    kind = study.kind
    content = declaration(kind)
    study.title = content["title"]
    study.findings = (*content["findings"], *reply_ids(kind))
    study.figures = study.figures or figure_keys(kind)
    study.spreads = tuple(content.get("spreads", ()))
    study.contrasts = tuple(content.get("contrasts", ()))
    study.questions = declared_questions(kind)
    study.words = declared_words(kind)
    return study
