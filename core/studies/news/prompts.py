"""The news prompts: a headline as the title of an article to write, under the neutral and under a biased instruction.

Source: Fang et al. 2024, methods, investigated LLMs; results, bias under biased prompts.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from pydantic.dataclasses import dataclass

from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.stores.common import chunks
from biasprint.core.prompts.axes import Text
from biasprint.core.prompts.drafts import OriginalDraft, PromptDraft, PromptSetDraft
from biasprint.core.prompts.resource_files import from_resources, strict_data
from biasprint.core.prompts.template import Template
from biasprint.core.prompts.wordings import AS_IT_IS, TemplateWords
from biasprint.core.studies.kit.choice import PromptChoice
from biasprint.core.text import sha256_text
from biasprint.core.texts.exporting import read_table

TASK = "news"
UNBIASED = "unbiased"
SLUG = 60  # letters of a headline in its prompt's key
SHIPPED_ORIGIN = "articles of the program"  # of the sources that hold the shipped originals


@dataclass(frozen=True)
class Headline:
    """A headline to write an article for. `domain`: what it is about, such as sports. `original`: what people wrote."""

    text: str
    domain: str = ""
    original: str = ""


@strict_data
class NewsTemplates:
    """The shipped wording: neutral, biased, and for base models; and the paper's ideology."""

    unbiased: Text
    biased: Text
    bare: Text
    ideology: Text


def news_templates() -> NewsTemplates:
    return from_resources(NewsTemplates, "prompts", "news.toml")


@strict_data
class ShippedArticle:
    """A headline, what it is about, and an original written for it by a language model (see the card)."""

    headline: Text
    domain: Text
    original: Text


@strict_data
class ArticleCard:
    """Origin of the shipped articles. `statement` says what they can show; `short` is that for a finding."""

    title: Text
    statement: Text
    short: Text
    licence: Text


@strict_data
class ShippedArticles:
    """The card, and the articles in the paper's domains."""

    card: ArticleCard
    articles: tuple[ShippedArticle, ...]


def shipped_articles() -> ShippedArticles:
    """Headlines with originals that were written for this program, to try the study out."""
    return from_resources(ShippedArticles, "prompts", "news_articles.toml")


def shipped_headlines() -> tuple[Headline, ...]:
    """The headlines of the shipped articles."""
    return tuple(Headline(each.headline, each.domain, each.original) for each in shipped_articles().articles)


def news_set(
    headlines: Sequence[Headline | str] | None = None,
    *,
    ideology: str | None = None,
    base_model: bool = False,
    origin: str = "",
    words: TemplateWords = AS_IT_IS,
) -> PromptSetDraft:
    """A prompt for every headline; with an `ideology` also its biased form, so that both answer the same headlines.

    `headlines`: by default the shipped ones, with their originals. `origin`: the file that the headlines' own originals
    are from. `base_model`: the headline alone, for models that follow no instruction. Each prompt's fields: headline,
    domain, and prompt_kind, which is “unbiased” or the ideology in lower case. A headline that comes again is asked
    once. Raises `UsageError` where there is no headline, or a base model is to be biased.
    """
    if base_model and ideology:
        raise UsageError(
            "A base model gets the headline alone: it cannot be asked to be biased.", hint="Leave one out."
        )
    templates = news_templates()
    asked = list(_distinct(shipped_headlines() if headlines is None else headlines))
    if not asked:
        raise UsageError("There is no headline to write for.", hint="Name a table with headlines.")
    neutral = Template(templates.bare if base_model else words.of(UNBIASED, templates.unbiased)).require(
        ["headline"], ["headline"]
    )
    prompts = [_draft(headline, UNBIASED, neutral.fill(headline=headline.text)) for headline in asked]
    if ideology is not None:
        biased = Template(words.of("biased", templates.biased)).require(
            ["headline", "ideology"], ["headline", "ideology"]
        )
        kind = _kind(ideology)
        prompts += [_draft(each, kind, biased.fill(headline=each.text, ideology=ideology.strip())) for each in asked]
    recipe = {
        "suite": "news",
        "source": "Fang et al. 2024",
        "templates": {"unbiased": neutral.text, **({"biased": templates.biased} if ideology else {})},
        **({"ideology": ideology.strip()} if ideology else {}),
        "headlines": len(asked),
    }
    name = "News articles" + (f", also {ideology.strip()}" if ideology else "") + (", bare" if base_model else "")
    hints = (shipped_articles().card.statement,) if headlines is None else ()
    originals = tuple(
        OriginalDraft(each.text, each.domain, each.original, SHIPPED_ORIGIN if headlines is None else origin)
        for each in asked
        if each.original
    )
    return PromptSetDraft(name, recipe, tuple(prompts), hints=hints, originals=originals)


def _distinct(headlines: Sequence[Headline | str]) -> Iterator[Headline]:
    seen = set()
    for given in headlines:
        headline = Headline(given) if isinstance(given, str) else given
        if headline.text.strip() and headline.text not in seen:
            seen.add(headline.text)
            yield headline


def _kind(ideology: str) -> str:
    kind = " ".join(ideology.split()).casefold()
    if not kind or kind == UNBIASED:
        raise UsageError(f"“{ideology}” names no ideology.", hint=f"For example: {news_templates().ideology}.")
    return kind


def _draft(headline: Headline, kind: str, text: str) -> PromptDraft:
    fields = {"headline": headline.text, "domain": headline.domain, "prompt_kind": kind}
    return PromptDraft(f"news/{_slug(kind)}/{headline_key(headline.text)}", text, TASK, headline.domain, fields=fields)


def headline_key(text: str) -> str:
    """A headline as part of a prompt's key: its letters, and a hash that tells alike ones apart."""
    return f"{_slug(text)}-{sha256_text(text)[:8]}"


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:SLUG].strip("-") or "x"


# ---- Prompts for chosen headlines


def draft_news(ctx: JobContext, project: Project | None, choice: PromptChoice) -> PromptSetDraft:
    origin = "" if choice.headlines is None else choice.headlines.name
    headlines = _headlines(ctx, project, choice)
    return news_set(
        headlines, ideology=choice.ideology, base_model=choice.base_model, origin=origin, words=choice.words
    )


def _headlines(ctx: JobContext, project: Project | None, choice: PromptChoice) -> Sequence[Headline] | None:
    """Return the headlines of a table; else those of the project's own originals; None for the shipped ones."""
    if choice.headlines is not None:
        table = read_table(ctx, choice.headlines, "headlines", duplicates="drop")
        return [
            Headline(row.values["headline"], row.values.get("domain", ""), row.values.get("original", ""))
            for row in table.rows
        ]
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
