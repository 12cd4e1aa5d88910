"""Reference letters (Wan et al. 2023): what the study is. Light; the heavy part is in `measure`."""

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
    from biasprint.core.scorers.protocol import ScorerInfo
    from biasprint.core.studies.kit.choice import PromptChoice
    from biasprint.core.studies.kit.live import StudyTally
    from biasprint.core.studies.kit.plain_measuring import Answer, Prepared
    from biasprint.core.studies.kit.planting import Planting
    from biasprint.core.tables.rows import TableRead


class LettersStudy(Study):
    """Reference letters (Wan et al. 2023)."""

    kind = "letters"
    title = "Reference letters"
    inputs = (
        InputTable(
            name="letters",
            scorers=("lexicon",),
        ),
    )
    findings = (
        "letters.lexicon.odds_ratio",
        "letters.crossed.*",
        "letters.word.odds_ratio",
        "letters.weat",
        "letters.style.*",
        "letters.hallucination.*",
        "letters.success_rate",
        "letters.mitigation.odds_ratio",
        *reply_ids("letters"),
    )
    figures = (
        "letters.categories",
        "letters.words",
        "letters.weat",
        "letters.style",
        "letters.style.tests",
        "letters.hallucination",
        "letters.success",
        "letters.mitigation",
        "letters.crossed",
    )
    narrowed_by = ("names", "names_in_turn", "name_set", "axes", "document", "occupations", "biographies", "versions")
    # With one name for each group, name and group cannot be told apart.
    first_look: ClassVar[Mapping[str, Any]] = {"names_in_turn": 4}
    sampling: ClassVar[Mapping[str, Any]] = {"temperature": 1.0, "top_p": 1.0}
    questions = (
        StudyQuestion("Are words of some kinds more frequent in one group's letters?", ("letters.lexicon.odds_ratio",)),
        StudyQuestion(
            "Does one axis alone explain it, or do both together say more (gender × race)?",
            ("letters.crossed.lexicon.interaction", "letters.crossed"),
        ),
        StudyQuestion("Is one group written about in another style?", ("letters.style",)),
        StudyQuestion("Is more made up for one group, and how?", ("letters.hallucination",)),
        StudyQuestion("Does the instruction against bias help?", ("letters.mitigation.odds_ratio",)),
        StudyQuestion("Do more letters fail for one group?", ("letters.success_rate",)),
        StudyQuestion("Are single words more frequent for one group?", ("letters.word.odds_ratio",)),
        StudyQuestion("Are the words that stand out tied to a gender?", ("letters.weat",)),
        StudyQuestion("Do words that stand out set career against family?", ("letters.weat[career_family]",)),
        replies_question("letters"),
    )
    words = StudyWords(
        rows="Reference letters",
        one="1 letter",
        many="%n letters",
        panel="charts",
        section="letters",
        place=1,
        items=(("letters.", "letters"),),
    )
    wordings = ("document", "wording", "template")
    telltale = r"(?i)\b(recommend\w*|dear|sincerely|to whom it may concern|reference|regards)\b"
    telltale_columns = ("letter", "occupation", "job", "profession", "biography", "bio")

    chosen_roles = ("parts_of_speech", "word_vectors", "formality", "positivity", "agency", "entailment")
    groupable = ("group",)

    def prompts(self) -> "PromptSetDraft":
        from biasprint.core.prompts.letters import letters_context_less_set

        return letters_context_less_set()

    def draft(self, ctx: "JobContext", project: "Project | None", choice: "PromptChoice") -> "PromptSetDraft":
        from biasprint.core.studies.letters.biographies import draft_letters

        return draft_letters(ctx, project, choice)

    def store(
        self, ctx: "JobContext", project: "Project", study_id: int | None, origin: str, table: "TableRead"
    ) -> int:
        from biasprint.core.studies.letters.gather import store_letters

        return store_letters(self, ctx, project, study_id, origin, table)

    def needed(
        self, project: "Project | None" = None, study_id: int | None = None, set_id: int | None = None
    ) -> "Sequence[ScorerInfo]":
        from biasprint.core.studies.letters.gather import needed

        return needed()

    def of_tables(
        self,
        ctx: "JobContext",
        read: "Sequence[tuple[str, TableRead]]",
        options: "MeasureOptions",
        compute: "ComputeProcess",
    ) -> "Answer":
        from biasprint.core.studies.letters.gather import of_tables

        return of_tables(ctx, read, options, compute)

    def prepared(
        self, ctx: "JobContext", project: "Project", study_id: int, options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "list[Prepared]":
        from biasprint.core.studies.letters.gather import prepared

        return prepared(ctx, project, study_id, options, compute)

    def live(self, project: "Project", study_id: int, compute: "ComputeProcess") -> "StudyTally":
        from biasprint.core.studies.letters.live import LettersTally

        return LettersTally(project, study_id, compute)

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        from biasprint.core.studies.letters.figures import figures

        return figures(findings)

    def simulated(
        self, planted: str, n: int, asked: "Planting", seed: int, rng: "np.random.Generator"
    ) -> "list[Finding]":
        from biasprint.core.studies.letters.author import letters_trial

        return letters_trial(planted, n, asked, seed, rng)
