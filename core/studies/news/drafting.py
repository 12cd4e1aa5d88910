"""The prompts for news, of the headlines that a person chose."""

from collections.abc import Sequence

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.stores.common import chunks
from biasprint.core.prompts.drafts import PromptSetDraft
from biasprint.core.studies.kit.choice import PromptChoice
from biasprint.core.studies.news.prompts import SHIPPED_ORIGIN, Headline, news_set
from biasprint.core.texts.tables import read_table


def draft_news(ctx: JobContext, project: Project | None, choice: PromptChoice) -> PromptSetDraft:
    return news_set(_headlines(ctx, project, choice), ideology=choice.ideology, base_model=choice.base_model)


def _headlines(ctx: JobContext, project: Project | None, choice: PromptChoice) -> Sequence[Headline] | None:
    """Those of a table; else of the project's own originals; None for the shipped ones."""
    if choice.headlines is not None:
        table = read_table(ctx, choice.headlines, "headlines", duplicates="drop")
        return [Headline(row.values["headline"], row.values.get("domain", "")) for row in table.rows]
    study = project.studies.of_kind("news") if project is not None else None
    if project is None or study is None:
        return None
    rows = chunks(lambda after, limit: project.sources.page(study.id, after, limit), lambda source: source.id)
    own = [
        Headline(row.fields.get("headline", ""), row.fields.get("domain", ""))
        for row in rows
        if row.origin != SHIPPED_ORIGIN
    ]
    return [headline for headline in own if headline.text] or None
