"""Fill in the blank (Kamruzzaman et al. 2024): what the study is. Light; the heavy part is in `measure`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from biasprint.core.studies.kit.declared import (
    InputTable,
    MeasureOptions,
    StudyQuestion,
    StudyWords,
    replies_question,
    reply_ids,
)
from biasprint.core.studies.kit.study import Study

if TYPE_CHECKING:
    import numpy as np

    from biasprint.core.compute import ComputeProcess
    from biasprint.core.draw.figure import Figure
    from biasprint.core.findings import Finding
    from biasprint.core.jobs import JobContext
    from biasprint.core.project.project import Project
    from biasprint.core.prompts.drafts import PromptSetDraft
    from biasprint.core.studies.kit.choice import PromptChoice
    from biasprint.core.studies.kit.live import StudyTally
    from biasprint.core.studies.kit.plain_measuring import Answer, Prepared
    from biasprint.core.studies.kit.planting import Planting
    from biasprint.core.tables.rows import TableRead


class CompletionStudy(Study):
    """Fill in the blank (Kamruzzaman et al. 2024)."""

    kind = "completion"
    title = "Fill in the blank"
    inputs = (
        InputTable(
            name="completion",
            columns=("response",),
        ),
    )
    findings = (
        "completion.likelihood",
        "completion.delta",
        "completion.tau_b",
        "completion.tau_c",
        "completion.crossed.main_effect",
        "completion.crossed.interaction",
        "completion.option_position",
        "completion.irrelevant",
        *reply_ids("completion"),
    )
    figures = (
        "completion.tau",
        "completion.base_rates",
        "completion.pronouns",
        "completion.likelihood",
        "completion.domain_pronoun",
        "completion.delta",
        "completion.omnibus",
        "completion.irrelevant",
        "completion.option_position",
        "completion.crossed",
    )
    narrowed_by = ("domains", "directions")
    first_look: ClassVar[Mapping[str, Any]] = {"domains": ("ageism",), "directions": ("SAI",)}
    asked_of = ("pronoun", "domain")
    matched_by = ("direction", "term", "positive", "negative", "neutral")
    questions = (
        StudyQuestion(
            "Does the description of a person change which option is chosen?",
            ("completion.delta", "completion.tau_b", "completion.tau_c"),
        ),
        StudyQuestion("Does the pronoun change the effect of the description?", ("completion.crossed.interaction",)),
        StudyQuestion(
            "Does the pronoun change which option is chosen?", ("completion.crossed.main_effect", "completion.crossed")
        ),
        StudyQuestion("How often is each option chosen?", ("completion.likelihood", "completion.irrelevant")),
        StudyQuestion("Do replies follow the place of an option?", ("completion.option_position",)),
        replies_question("completion"),
    )
    spreads = ("completion.delta[omnibus]",)
    words = StudyWords(
        rows="Fill-in-the-blank replies",
        one="1 reply",
        many="%n replies",
        scored=False,
        place=4,
        items=(("completion.", "replies"),),
    )

    chosen_roles = ()

    def prompts(self) -> "PromptSetDraft":
        from biasprint.core.studies.completion.prompts import completion_set

        return completion_set()

    def draft(self, ctx: "JobContext", project: "Project | None", choice: "PromptChoice") -> "PromptSetDraft":
        from biasprint.core.studies.completion.prompts import completion_set

        return completion_set(choice.domains, choice.directions, words=choice.words)

    def store(
        self, ctx: "JobContext", project: "Project", study_id: int | None, origin: str, table: "TableRead"
    ) -> int:
        from biasprint.core.studies.completion.live import store_replies

        return store_replies(self, ctx, project, study_id, origin, table)

    def of_tables(
        self,
        ctx: "JobContext",
        read: "Sequence[tuple[str, TableRead]]",
        options: "MeasureOptions",
        compute: "ComputeProcess",
    ) -> "Answer":
        from biasprint.core.studies.completion.live import of_tables

        return of_tables(ctx, read, options, compute)

    def prepared(
        self, ctx: "JobContext", project: "Project", study_id: int, options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "list[Prepared]":
        from biasprint.core.studies.completion.live import prepared

        return prepared(ctx, project, study_id, options, compute)

    def live(self, project: "Project", study_id: int, compute: "ComputeProcess") -> "StudyTally":
        from biasprint.core.studies.completion.live import CompletionTally

        return CompletionTally(project, study_id, compute)

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        from biasprint.core.studies.completion.figures import figures

        return figures(findings)

    def simulated(
        self, planted: str, n: int, asked: "Planting", seed: int, rng: "np.random.Generator"
    ) -> "list[Finding]":
        from biasprint.core.studies.completion.author import completion_trial

        return completion_trial(planted, n, asked, seed, rng)
