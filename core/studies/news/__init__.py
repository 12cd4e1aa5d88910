"""News against originals (Fang et al. 2024): what the study is. Light; the heavy part is in `measure`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from biasprint.core.studies.kit.declared import (
    InputTable,
    MeasureOptions,
    StudyQuestion,
    StudyWords,
    replies_question,
    reply_ids,
)
from biasprint.core.studies.kit.study import Study
from biasprint.core.studies.news.names import DISTANCES

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


class NewsStudy(Study):
    """News against originals (Fang et al. 2024)."""

    kind = "news"
    title = "News articles"
    inputs = (
        InputTable(
            name="news",
            columns=("generated",),
            scorers=("sentiment", "toxicity"),
        ),
    )
    findings = (
        "news.word.*",
        "news.sentence.sentiment.*",
        "news.sentence.toxicity.*",
        "news.document.*",
        "news.refusal_rate",
        "news.refusal_rate.prompts",
        "news.words_per_article",
        *reply_ids("news"),
    )
    figures = (
        *(
            f"{level}.{name}"
            for level in DISTANCES
            for name in (
                "distance",
                "difference",
                "prejudice_share",
                "prejudice_drop",
                "prompts.prejudice_share",
                "prompts.prejudice_drop",
                "prompts.change",
                "models",
            )
        ),
        "news.document.topics",
        "news.document.counts",
        "news.document.words",
        "news.refusals",
        "news.words_per_article",
        "news.crossed",
    )
    narrowed_by = ("headlines", "ideology", "base_model")
    asked_of = ("prompt_kind",)
    questions = (
        StudyQuestion(
            "Do generated articles name groups in other shares than the originals?",
            ("news.word.difference", "news.word"),
        ),
        StudyQuestion(
            "Are sentences about a group more negative than in the originals?",
            ("news.sentence.sentiment.difference", "news.sentence.sentiment"),
        ),
        StudyQuestion(
            "Are sentences about a group more toxic than in the originals?",
            ("news.sentence.toxicity.difference", "news.sentence.toxicity"),
        ),
        StudyQuestion(
            "Do whole articles treat groups otherwise than the originals?",
            ("news.document.difference", "news.document"),
        ),
        StudyQuestion(
            "On a crossed axis: is it one of the two axes, or both together?",
            (
                "news.word.crossed.interaction",
                "news.word.crossed",
                "news.sentence.sentiment.crossed",
                "news.sentence.toxicity.crossed",
                "news.document.crossed",
            ),
        ),
        StudyQuestion("Does the model decline what asks for prejudice?", ("news.refusal_rate",)),
        StudyQuestion("Are the articles longer or shorter than the originals?", ("news.words_per_article",)),
        replies_question("news"),
    )
    spreads = tuple(
        f"{level}.{name}"
        for level, distance in DISTANCES.items()
        for name in (distance, "prejudice_share", "prejudice_drop")
    )
    words = StudyWords(
        rows="News articles with their originals",
        one="1 news article",
        many="%n news articles",
        place=3,
        items=(("news.refusal_rate", "prompts"), ("news.", "pairs of articles")),
        sides=("the generated articles", "the originals"),
    )

    chosen_roles = ("sentiment", "toxicity")
    by_axis = True

    def prompts(self) -> "PromptSetDraft":
        from biasprint.core.studies.news.prompts import news_set

        return news_set()

    def draft(self, ctx: "JobContext", project: "Project | None", choice: "PromptChoice") -> "PromptSetDraft":
        from biasprint.core.studies.news.prompts import draft_news

        return draft_news(ctx, project, choice)

    def store(
        self, ctx: "JobContext", project: "Project", study_id: int | None, origin: str, table: "TableRead"
    ) -> int:
        from biasprint.core.studies.news.gather import store_articles

        return store_articles(self, ctx, project, study_id, origin, table)

    def needed(
        self, project: "Project | None" = None, study_id: int | None = None, set_id: int | None = None
    ) -> "Sequence[ScorerInfo]":
        from biasprint.core.studies.news.gather import needed

        return needed()

    def of_tables(
        self,
        ctx: "JobContext",
        read: "Sequence[tuple[str, TableRead]]",
        options: "MeasureOptions",
        compute: "ComputeProcess",
    ) -> "Answer":
        from biasprint.core.studies.news.gather import of_tables

        return of_tables(ctx, read, options, compute)

    def prepared(
        self, ctx: "JobContext", project: "Project", study_id: int, options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "list[Prepared]":
        from biasprint.core.studies.news.gather import prepared

        return prepared(ctx, project, study_id, options, compute)

    def of_project(
        self, ctx: "JobContext", project: "Project", study_id: int, options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "Answer":
        from biasprint.core.studies.news.gather import of_project

        return of_project(ctx, project, study_id, options, compute)

    def live(self, project: "Project", study_id: int, compute: "ComputeProcess") -> "StudyTally":
        from biasprint.core.studies.news.live import NewsTally

        return NewsTally(project, study_id, compute)

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        from biasprint.core.studies.news.figures import figures

        return figures(findings)

    def simulated(
        self, planted: str, n: int, asked: "Planting", seed: int, rng: "np.random.Generator"
    ) -> "list[Finding]":
        from biasprint.core.studies.news.measure import news_trial

        return news_trial(planted, n, asked, seed, rng)
