"""Any score by any group: what the study is. Light; the heavy part is in `measure`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from biasprint.core.errors import UsageError
from biasprint.core.studies.kit.declared import InputTable, MeasureOptions
from biasprint.core.studies.kit.study import Study, declared_in_resources

if TYPE_CHECKING:
    import numpy as np

    from biasprint.core.compute import ComputeProcess
    from biasprint.core.draw.figure import Figure
    from biasprint.core.findings import Finding
    from biasprint.core.jobs import JobContext
    from biasprint.core.project.project import Project
    from biasprint.core.prompts.drafts import PromptSetDraft
    from biasprint.core.scorers.protocol import ScorerInfo
    from biasprint.core.studies.kit.choice import PromptChoice
    from biasprint.core.studies.kit.plain_measuring import Answer, Prepared
    from biasprint.core.studies.kit.planting import Planting
    from biasprint.core.tables.rows import TableRead


@declared_in_resources
class CompareStudy(Study):
    """Any score by any group."""

    kind = "compare"
    inputs = (InputTable(name="compare"),)
    narrowed_by = ("design",)
    first_look: ClassVar[Mapping[str, Any]] = {"design": "equal_resumes"}

    chosen_roles = ("score", "embedding")
    has_margin = True
    groupable = ("group", "second_group", "block")
    reads_other_texts = True

    def draft(self, ctx: "JobContext", project: "Project | None", choice: "PromptChoice") -> "PromptSetDraft":
        from biasprint.core.prompts.designs import available_designs, design_set, load_design, reworded

        if choice.design is None:
            listed = ", ".join(available_designs())
            raise UsageError(
                "The prompts of compare come from a design, and none was named.",
                hint=f"Designs: {listed}; “biasprint designs” says what each asks. Or import texts.",
            )
        return design_set(reworded(load_design(choice.design), choice.words))

    def needed(
        self, project: "Project | None" = None, study_id: int | None = None, set_id: int | None = None
    ) -> "Sequence[ScorerInfo]":
        from biasprint.core.studies.compare.gather import needed, needed_by

        if project is None or study_id is None:
            return needed()
        return needed_by(project, study_id, set_id)

    def of_tables(
        self,
        ctx: "JobContext",
        read: "Sequence[tuple[str, TableRead]]",
        options: "MeasureOptions",
        compute: "ComputeProcess",
    ) -> "Answer":
        from biasprint.core.studies.compare.gather import of_tables

        return of_tables(ctx, read, options, compute)

    def prepared(
        self, ctx: "JobContext", project: "Project", study_id: int, options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "list[Prepared]":
        from biasprint.core.studies.compare.gather import prepared

        return prepared(ctx, project, study_id, options, compute)

    def simulated(
        self, planted: str, n: int, asked: "Planting", seed: int, rng: "np.random.Generator"
    ) -> "list[Finding]":
        from biasprint.core.studies.compare.simulated import compare_trial

        return compare_trial(planted, n, asked, seed, rng)

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        from biasprint.core.studies.compare.figures import figures

        return figures(findings)
