"""Any score by any group: what the study is. Light; the heavy part is in `measure`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from biasprint.core.errors import UsageError
from biasprint.core.studies.kit.declared import InputTable
from biasprint.core.studies.kit.study import StudyDeclaration, StudyWork, declared_in_resources

if TYPE_CHECKING:
    from biasprint.core.draw.figure import Figure
    from biasprint.core.findings import Finding
    from biasprint.core.jobs import JobContext
    from biasprint.core.project.project import Project
    from biasprint.core.prompts.drafts import PromptSetDraft
    from biasprint.core.studies.kit.choice import PromptChoice


@declared_in_resources
class CompareStudy(StudyDeclaration):
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

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        from biasprint.core.studies.compare.figures import figures

        return figures(findings)

    def work(self) -> StudyWork:
        from biasprint.core.studies.compare.gather import CompareWork

        return CompareWork(self)
