"""Creative writing, CoGS (Kumar et al. 2024): what the study is. Light; the heavy parts are modules of their own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from biasprint.core.errors import UsageError
from biasprint.core.studies.kit.declared import InputTable, MeasureOptions
from biasprint.core.studies.kit.study import Study, declared_in_resources

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


@declared_in_resources
class CreativityStudy(Study):
    """Creative writing, CoGS (Kumar et al. 2024)."""

    kind = "creativity"
    inputs = (
        InputTable(
            name="judgments",
            columns=("chosen",),
        ),
        InputTable(
            name="outputs",
            table="creativity",
            scorers=("embedding",),
        ),
    )
    narrowed_by = ("tasks", "themes", "axes", "preset")
    first_look: ClassVar[Mapping[str, Any]] = {  # a set that one person can rate
        "tasks": ("haiku", "short_poem", "very_short_story", "song"),
        "themes": ("truth", "freedom", "rights"),
    }
    sampling: ClassVar[Mapping[str, Any]] = {"temperature": 0.2}
    asked_of = ("identity",)
    wordings = ("task", "wording")
    other_models: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "creativity.abs": {"with a mixed model": "creativity.share.mixed"},
        "creativity.share": {"with a mixed model": "creativity.share.mixed"},
    }

    chosen_roles = ("embedding",)
    by_axis = True

    def prompts(self) -> "PromptSetDraft":
        from biasprint.core.prompts.cogs import cogs_set

        return cogs_set()

    def draft(self, ctx: "JobContext", project: "Project | None", choice: "PromptChoice") -> "PromptSetDraft":
        from biasprint.core.prompts.cogs import cogs_set, human_study, sweep_set

        if not choice.preset:
            return cogs_set(choice.tasks, choice.themes, choice.axes, choice.words)
        if choice.tasks or choice.themes:
            raise UsageError("A preset has its own tasks and themes.", hint="Leave --task and --theme out.")
        presets = {
            "sweep": lambda: sweep_set(axes=choice.axes, words=choice.words),
            "human": lambda: human_study(choice.axes, choice.words).prompts,
        }
        if choice.preset not in presets:
            raise UsageError(f"There is no preset “{choice.preset}”.", hint=f"Presets: {', '.join(presets)}.")
        return presets[choice.preset]()

    def store(
        self, ctx: "JobContext", project: "Project", study_id: int | None, origin: str, table: "TableRead"
    ) -> int:
        from biasprint.core.studies.creativity.columns import store_creative_texts

        return store_creative_texts(self, ctx, project, study_id, origin, table)

    def needed(
        self, project: "Project | None" = None, study_id: int | None = None, set_id: int | None = None
    ) -> "Sequence[ScorerInfo]":
        from biasprint.core.studies.creativity.gather import needed

        return needed()

    def kind_of(self, path: Path, mapping: Mapping[str, str]) -> str:
        from biasprint.core.studies.creativity.gather import kind_of

        return kind_of(path, mapping)

    def of_tables(
        self,
        ctx: "JobContext",
        read: "Sequence[tuple[str, TableRead]]",
        options: "MeasureOptions",
        compute: "ComputeProcess",
    ) -> "Answer":
        from biasprint.core.studies.creativity.gather import of_tables

        return of_tables(ctx, read, options, compute)

    def prepared(
        self, ctx: "JobContext", project: "Project", study_id: int, options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "list[Prepared]":
        from biasprint.core.studies.creativity.gather import prepared

        return prepared(ctx, project, study_id, options, compute)

    def of_project(
        self, ctx: "JobContext", project: "Project", study_id: int, options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "Answer":
        from biasprint.core.studies.creativity.gather import of_project

        return of_project(ctx, project, study_id, options, compute)

    def of_judged(
        self, ctx: "JobContext", project: "Project", options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "Answer":
        from biasprint.core.studies.creativity.gather import of_judged

        return of_judged(ctx, project, options, compute)

    def of_several(
        self,
        ctx: "JobContext",
        project: "Project",
        narrowed: "Sequence[Project]",
        options: "MeasureOptions",
        compute: "ComputeProcess",
    ) -> "tuple[StudyResult | None, list[str]]":
        from biasprint.core.studies.creativity.gather import of_several

        return of_several(ctx, project, narrowed, options, compute)

    def live(self, project: "Project", study_id: int, compute: "ComputeProcess") -> "StudyTally":
        from biasprint.core.studies.creativity.live import CreativityTally

        return CreativityTally(project, study_id, compute)

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        from biasprint.core.studies.creativity.figures import figures

        return figures(findings)

    def simulated(
        self, planted: str, n: int, asked: "Planting", seed: int, rng: "np.random.Generator"
    ) -> "list[Finding]":
        from biasprint.core.studies.creativity.author import creativity_trial

        return creativity_trial(planted, n, asked, seed, rng)
