"""Drafting a prompt set for a study from what a person narrows it to or makes it from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from core.errors import UsageError
from core.jobs import JobContext
from core.project.project import Project
from core.project.stores.common import chunks
from core.prompts import PromptSetDraft, cogs_set, letters_context_less_set
from core.prompts.cogs_presets import human_study, sweep_set
from core.prompts.completion import completion_set
from core.prompts.letters import LETTER
from core.prompts.mitigation import mitigated
from core.prompts.news import Headline, news_set

PRONOUNS = {"m": "he", "male": "he", "man": "he", "he": "he", "f": "she", "female": "she", "woman": "she", "she": "she"}


@dataclass(frozen=True)
class PromptChoice:
    """What a prompt set is narrowed to or made from; None where a person asks for nothing.

    `preset`: sweep or human, the creativity paper's smaller experiments. `names`: NAME=GROUP each. `document`: what
    the letters study asks for. `biographies`, `headlines`: tables. `ideology`: also the biased form of the news
    prompts. `base_model`: headlines alone. `mitigation`: the set once more with this instruction, which is a shipped
    one unless `instruction` gives the text.
    """

    tasks: Sequence[str] | None = None
    themes: Sequence[str] | None = None
    axes: Sequence[str] | None = None
    preset: str | None = None
    names: Sequence[str] | None = None
    document: str | None = None
    biographies: Path | None = None
    versions: int | None = None
    headlines: Path | None = None
    ideology: str | None = None
    base_model: bool = False
    domains: Sequence[str] | None = None
    directions: Sequence[str] | None = None
    mitigation: str | None = None
    instruction: str | None = None

    @property
    def given(self) -> set[str]:
        return {field.name for field in fields(self) if getattr(self, field.name)}


def draft_prompts(ctx: JobContext, project: Project, study: str, choice: PromptChoice) -> PromptSetDraft:
    """The drafted set. Raises `UsageError` for a choice that this study would otherwise silently leave aside."""
    draft = drafter(study, choice)(ctx, project, choice)
    if choice.instruction and not choice.mitigation:
        raise UsageError("An instruction needs a name.", hint="Name it with --mitigation.")
    return mitigated(draft, choice.mitigation, choice.instruction or "") if choice.mitigation else draft


Drafter = Callable[[JobContext, Project, PromptChoice], PromptSetDraft]


def drafter(study: str, choice: PromptChoice) -> Drafter:
    """What drafts the prompts of a study, once the choice is known to be one that it can follow."""
    if study not in _DRAFTERS:
        raise UsageError(f"There is no study “{study}” to start.", hint=f"Studies: {', '.join(_DRAFTERS)}.")
    known, make = _DRAFTERS[study]
    if foreign := sorted(choice.given - {*known, "mitigation", "instruction"}):
        raise UsageError(
            f"The prompts of {study} have no {', '.join(foreign)}.", hint=f"They are narrowed by {', '.join(known)}."
        )
    return make


def _creativity(ctx: JobContext, project: Project, choice: PromptChoice) -> PromptSetDraft:
    if choice.preset:
        if choice.tasks or choice.themes:
            raise UsageError("A preset has its own tasks and themes.", hint="Leave --task and --theme out.")
        presets = {"sweep": lambda: sweep_set(axes=choice.axes), "human": lambda: human_study(choice.axes).prompts}
        if choice.preset not in presets:
            raise UsageError(f"There is no preset “{choice.preset}”.", hint=f"Presets: {', '.join(presets)}.")
        return presets[choice.preset]()
    return cogs_set(choice.tasks, choice.themes, choice.axes)


def _completion(ctx: JobContext, project: Project, choice: PromptChoice) -> PromptSetDraft:
    return completion_set(choice.domains, choice.directions)


def _letters(ctx: JobContext, project: Project, choice: PromptChoice) -> PromptSetDraft:
    if choice.biographies is not None:
        return _biographies(ctx, choice.biographies, choice)
    if choice.axes and len(choice.axes) > 1:
        raise UsageError("Letters are written on one axis.", hint="Give --axis once.")
    return letters_context_less_set(
        names=_names(choice.names) if choice.names else None,
        axis=choice.axes[0] if choice.axes else None,
        document=choice.document or LETTER,
    )


def _biographies(ctx: JobContext, path: Path, choice: PromptChoice) -> PromptSetDraft:
    """Biographies are rewritten in the compute process: their parts of speech are looked up."""
    from core.compute import shared
    from core.runs.tables import read_table

    table = read_table(ctx, path, "biographies")
    rows = []
    for record in table.rows:
        pronoun = PRONOUNS.get(record.values["gender"].strip().casefold())
        if pronoun is None:
            raise UsageError(
                f"Row {record.number}: “{record.values['gender']}” says no gender that can be rewritten.",
                hint=f"Known: {', '.join(PRONOUNS)}.",
            )
        rows.append({**record.values, "key": f"{path.stem[:40]}-{record.number}".replace("/", "-"), "pronoun": pronoun})
    draft: PromptSetDraft = shared().call(
        "core.studies.letters.biographies:set_from_rows",
        rows,
        choice.versions,
        choice.document or LETTER,
        ctx=ctx,
    )
    return draft


def _news(ctx: JobContext, project: Project, choice: PromptChoice) -> PromptSetDraft:
    return news_set(_headlines(ctx, project, choice), ideology=choice.ideology, base_model=choice.base_model)


def _headlines(ctx: JobContext, project: Project, choice: PromptChoice) -> Sequence[Headline] | None:
    """Those of a table; else of the project's own originals; None for the shipped ones."""
    from core.runs.tables import read_table

    if choice.headlines is not None:
        table = read_table(ctx, choice.headlines, "headlines", duplicates="drop")
        return [Headline(row.values["headline"], row.values.get("domain", "")) for row in table.rows]
    study = project.studies.of_kind("news")
    if study is None:
        return None
    rows = chunks(lambda after, limit: project.sources.page(study.id, after, limit), lambda source: source.id)
    own = [Headline(row.fields.get("headline", ""), row.fields.get("domain", "")) for row in rows]
    return [headline for headline in own if headline.text] or None


def _names(given: Sequence[str]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for entry in given:
        name, separator, group = entry.rpartition("=")
        if not separator or not name.strip() or not group.strip():
            raise UsageError(f"“{entry}” is not a name with its group.", hint="For example: --name Kelly=female")
        names.setdefault(group.strip(), []).append(name.strip())
    return names


_DRAFTERS: Mapping[str, tuple[tuple[str, ...], Drafter]] = {
    "news": (("headlines", "ideology", "base_model"), _news),
    "completion": (("domains", "directions"), _completion),
    "creativity": (("tasks", "themes", "axes", "preset"), _creativity),
    "letters": (("names", "axes", "document", "biographies", "versions"), _letters),
}
