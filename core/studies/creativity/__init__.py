"""Creative writing, CoGS (Kumar et al. 2024): what the study is. Light; the heavy parts are modules of their own."""

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
class CreativityStudy(StudyDeclaration):
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

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        from biasprint.core.studies.creativity.figures import figures

        return figures(findings)

    def work(self) -> StudyWork:
        from biasprint.core.studies.creativity.live import CreativityWork

        return CreativityWork(self)
