"""Setting a project up: studies, axes, prompt sets drafted from what a person narrows them to, and generators."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import Field

from biasprint.core.backends.registry import open_backend
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import PromptSetRow, StudyRow
from biasprint.core.project.specs import AxisSpec, GeneratorSpec, PromptSetSpec, PromptSpec
from biasprint.core.project.stores.common import chunks
from biasprint.core.prompts import Axis, PromptSetDraft, available_axes, cogs_set, letters_context_less_set, load_axis
from biasprint.core.prompts.axes import with_names
from biasprint.core.prompts.cogs import human_study, sweep_set
from biasprint.core.prompts.completion import completion_set
from biasprint.core.prompts.designs import available_designs, design_set, load_design
from biasprint.core.prompts.drafts import mitigated, named_from
from biasprint.core.prompts.letters import LETTER, OwnDocument, chosen_document, letters_axis, occupations_of
from biasprint.core.prompts.name_sets import load_name_set
from biasprint.core.prompts.news import SHIPPED_ORIGIN, Headline, news_set
from biasprint.core.runs.template_sets import draft_template
from biasprint.core.runs.values import original_source
from biasprint.core.runs.writing import describe_generator, whole_path
from biasprint.core.studies.letters.biographies import biographies_from_rows
from biasprint.core.studies.registry import studies
from biasprint.core.studies.registry import study as known_study
from biasprint.core.studies.study import named
from biasprint.core.tables.fields import parse_map_options
from biasprint.core.tables.rows import Record, TableRead

# ---- Drafting prompt sets

BY_TEMPLATE = {"template", "table", "columns", "set_name"}
MOST_NAMED = 12  # occupations of a table, in a message
PRONOUNS = {"m": "he", "male": "he", "man": "he", "he": "he", "f": "she", "female": "she", "woman": "she", "she": "she"}

AtLeastOne = Annotated[int, Field(ge=1)]  # in an audit file


@dataclass(frozen=True)
class PromptChoice:
    """The choices that narrow a prompt set or that it is made from; None where nothing is asked for.

    `preset`: sweep or human, the creativity paper's smaller experiments. `names`: NAME=GROUP each; `names_in_turn`: so
    many of the axis's for each group, one in each prompt; `name_set`: names of this set instead, in turn, all where no
    number is given. `document`: what the letters study asks for, `occupations`: of
    whom. `biographies`, `headlines`: tables. `ideology`: also
    the biased form of the news prompts. `base_model`: headlines alone. `mitigation`: the set once more with this
    instruction, which is a shipped one unless `instruction` gives the text. `template`: a file with the prompt's text,
    filled from the rows of `table`; `columns`: field=column each; `set_name`: what the set is called.
    `design`: a shipped one, or a file.
    """

    tasks: Sequence[str] | None = None
    themes: Sequence[str] | None = None
    axes: Sequence[str] | None = None
    preset: str | None = None
    names: Sequence[str] | None = None
    names_in_turn: AtLeastOne | None = None
    name_set: str | None = None
    document: str | None = None
    occupations: Sequence[str] | None = None
    biographies: Path | None = None
    versions: AtLeastOne | None = None
    headlines: Path | None = None
    ideology: str | None = None
    base_model: bool = False
    domains: Sequence[str] | None = None
    directions: Sequence[str] | None = None
    design: str | None = None
    mitigation: str | None = None
    instruction: str | None = None
    template: Path | None = None
    table: Path | None = None
    columns: Sequence[str] | None = None
    set_name: str | None = None

    @property
    def given(self) -> set[str]:
        return {field.name for field in fields(self) if getattr(self, field.name)}


def draft_prompts(ctx: JobContext, project: Project | None, study: str, choice: PromptChoice) -> PromptSetDraft:
    """The drafted set, for a project that may not be there yet.

    Raises `UsageError` for a choice that this study would otherwise silently leave aside.
    """
    draft = drafter(study, choice)(ctx, project, choice)
    if choice.instruction and not choice.mitigation:
        raise UsageError("An instruction needs a name.", hint="Name it with --mitigation.")
    return mitigated(draft, choice.mitigation, choice.instruction or "") if choice.mitigation else draft


def first_look(ctx: JobContext, project: Project | None, study: str) -> PromptSetDraft:
    """The prompts of a study narrowed to a set small enough for a first finding."""
    return draft_prompts(ctx, project, study, PromptChoice(**known_study(study).first_look))


Drafter = Callable[[JobContext, Project | None, PromptChoice], PromptSetDraft]


def drafter(kind: str, choice: PromptChoice) -> Drafter:
    """The function that drafts the prompts of a study. Raises `UsageError` for a choice that it cannot follow."""
    if kind not in studies():
        raise UsageError(f"There is no study “{kind}” to start.", hint=f"Studies: {', '.join(studies())}.")
    study = known_study(kind)
    if choice.given & BY_TEMPLATE:
        return lambda ctx, project, choice: draft_by_template(ctx, kind, choice)
    if foreign := sorted(choice.given - {*study.narrowed_by, "mitigation", "instruction"}):
        by = ", ".join(study.narrowed_by) or "nothing"
        raise UsageError(f"The prompts of {kind} have no {', '.join(foreign)}.", hint=f"They are narrowed by {by}.")
    if study.drafter:
        return cast(Drafter, named(study.drafter))
    if not study.prompts:
        raise UsageError(f"The study {kind} has no prompts to start with.", hint="Its texts are imported.")
    return lambda ctx, project, choice: cast(PromptSetDraft, named(study.prompts[0])())


def draft_by_template(ctx: JobContext, kind: str, choice: PromptChoice) -> PromptSetDraft:
    if choice.template is None:
        raise UsageError("A table alone makes no prompts.", hint="Give the template with --template FILE.")
    if foreign := sorted(choice.given - {*BY_TEMPLATE, "axes", "name_set", "mitigation", "instruction"}):
        raise UsageError(
            f"Prompts of a template have no {', '.join(foreign)}.", hint="They have the columns of their table."
        )
    if len(choice.axes or ()) > 1:
        raise UsageError("A template's prompts are on one axis.", hint="Cross two with “biasprint axis cross”.")
    return draft_template(
        ctx, kind, choice.template, choice.table, fields=parse_map_options(choice.columns or ()),
        name=choice.set_name or "", axis=(choice.axes or ("",))[0], name_set=choice.name_set or "",
    )  # fmt: skip


def draft_creativity(ctx: JobContext, project: Project | None, choice: PromptChoice) -> PromptSetDraft:
    if choice.preset:
        if choice.tasks or choice.themes:
            raise UsageError("A preset has its own tasks and themes.", hint="Leave --task and --theme out.")
        presets = {"sweep": lambda: sweep_set(axes=choice.axes), "human": lambda: human_study(choice.axes).prompts}
        if choice.preset not in presets:
            raise UsageError(f"There is no preset “{choice.preset}”.", hint=f"Presets: {', '.join(presets)}.")
        return presets[choice.preset]()
    return cogs_set(choice.tasks, choice.themes, choice.axes)


def draft_completion(ctx: JobContext, project: Project | None, choice: PromptChoice) -> PromptSetDraft:
    return completion_set(choice.domains, choice.directions)


def draft_design(ctx: JobContext, project: Project | None, choice: PromptChoice) -> PromptSetDraft:
    if choice.design is None:
        hint = f"Designs: {', '.join(available_designs())}; “biasprint designs” says what each asks. Or import texts."
        raise UsageError("The prompts of compare come from a design, and none was named.", hint=hint)
    return design_set(load_design(choice.design))


def draft_letters(ctx: JobContext, project: Project | None, choice: PromptChoice) -> PromptSetDraft:
    if choice.biographies is not None:
        return _biographies(ctx, choice.biographies, choice)
    if choice.axes and len(choice.axes) > 1:
        raise UsageError("Letters are written on one axis.", hint="Give --axis once.")
    if choice.names and choice.names_in_turn:
        raise UsageError("Names are given, or taken in turn.", hint="Leave out --name or --names-in-turn.")
    if choice.names and choice.name_set:
        raise UsageError("Names are given, or those of a set.", hint="Leave out --name or --name-set.")
    axis = letters_axis(choice.axes[0] if choice.axes else None)
    per_group = choice.names_in_turn
    taken = load_name_set(choice.name_set) if choice.name_set else None
    if taken is not None:
        axis = with_names(axis, taken)
        per_group = per_group or min(len(identity.names) for identity in axis.identities)
    draft = letters_context_less_set(
        names=_names(choice.names) if choice.names else None,
        names_per_group=per_group or 1,
        in_turn=bool(per_group),
        axis=axis,
        document=choice.document or LETTER,
        occupations=occupations_of(choice.occupations) if choice.occupations else None,
    )
    return named_from(draft, taken)


def _biographies(ctx: JobContext, path: Path, choice: PromptChoice) -> PromptSetDraft:
    """Biographies are rewritten in the compute process: their parts of speech are looked up."""
    from biasprint.core.compute import shared
    from biasprint.core.runs.tables import read_table

    key, written = chosen_document(choice.document or LETTER)
    table = read_table(ctx, path, "biographies")
    rows = []
    for record in _of_occupations(table, choice.occupations):
        pronoun = PRONOUNS.get(record.values["gender"].strip().casefold())
        if pronoun is None:
            raise UsageError(
                f"Row {record.number}: “{record.values['gender']}” says no gender that can be rewritten.",
                hint=f"Known: {', '.join(PRONOUNS)}.",
            )
        rows.append({**record.values, "key": f"{path.stem[:40]}-{record.number}".replace("/", "-"), "pronoun": pronoun})
    return shared().call(
        biographies_from_rows,
        rows,
        choice.versions,
        written if isinstance(written, OwnDocument) else key,
        ctx=ctx,
    )


def _of_occupations(table: TableRead, occupations: Sequence[str] | None) -> list[Record]:
    """The biographies of people with these occupations; all where none is named."""
    if not occupations:
        return list(table.rows)
    wanted = {each.strip().casefold() for each in occupations_of(occupations)}
    found = [record for record in table.rows if record.values["occupation"].strip().casefold() in wanted]
    if not found:
        there = dict.fromkeys(record.values["occupation"].strip() for record in table.rows)
        raise UsageError(
            "No biography is of somebody with one of these occupations.",
            hint=f"The table has: {', '.join(list(there)[:MOST_NAMED])}.",
        )
    return found


def draft_news(ctx: JobContext, project: Project | None, choice: PromptChoice) -> PromptSetDraft:
    return news_set(_headlines(ctx, project, choice), ideology=choice.ideology, base_model=choice.base_model)


def _headlines(ctx: JobContext, project: Project | None, choice: PromptChoice) -> Sequence[Headline] | None:
    """Those of a table; else of the project's own originals; None for the shipped ones."""
    from biasprint.core.runs.tables import read_table

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


def _names(given: Sequence[str]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for entry in given:
        name, separator, group = entry.rpartition("=")
        if not separator or not name.strip() or not group.strip():
            raise UsageError(f"“{entry}” is not a name with its group.", hint="For example: --name Kelly=female")
        names.setdefault(group.strip(), []).append(name.strip())
    return names


# ---- Storing what was drafted or shipped

OPENING_SECONDS = 600.0  # a large model from a slow disk takes minutes; a broken one must not take for ever


@dataclass(frozen=True)
class AddedPrompts:
    """The prompt set that is in the project now; `hints` are sentences for whoever plans with it."""

    set_id: int
    name: str
    version: int
    prompts: int
    hints: tuple[str, ...]


def check_studies(names: Sequence[str]) -> None:
    """Raise `UsageError` for a study that has no prompts to start with."""
    for name in names:
        drafter(name, PromptChoice())


def add_study(project: Project, name: str) -> AddedPrompts:
    """A study with its whole default prompt set."""
    return add_prompts(project, name)


def add_prompts(project: Project, study: str, *, ctx: JobContext | None = None, **choice: Any) -> AddedPrompts:
    """A prompt set, narrowed to or made from what `choice` says (the fields of `PromptChoice`)."""
    return store_set(project, study, draft_prompts(ctx or JobContext(), project, study, PromptChoice(**choice)))


def store_set(project: Project, study: str, draft: PromptSetDraft) -> AddedPrompts:
    """Store a drafted prompt set with copies of its axes, and its originals, in the project's study of that kind."""
    for axis in draft.axes:
        store_axis(project, axis)
    study_id = added_study(project, study)
    prompts = tuple(
        PromptSpec(
            key=item.key, text=item.text, task=item.task, theme=item.theme, axis=item.axis, identity=item.identity,
            fields=dict(item.fields),
        )
        for item in draft.prompts
    )  # fmt: skip
    spec = PromptSetSpec(name=draft.name, recipe=dict(draft.recipe), prompts=prompts)
    set_id = project.prompts.add_set(study_id, spec).number("prompt_set")
    originals = [
        original_source(SHIPPED_ORIGIN, number, one.text, {"headline": one.headline, "domain": one.domain})
        for number, one in enumerate(draft.originals, start=1)
    ]
    project.sources.add_many(study_id, originals)
    stored = next(row for row in project.prompts.sets(study_id) if row.id == set_id)
    return AddedPrompts(set_id, stored.name, stored.version, len(prompts), draft.hints)


def added_study(project: Project, kind: str) -> int:
    """The id of the project's study of this kind, added where there is none."""
    found = project.studies.of_kind(kind)
    return found.id if found else project.studies.add(kind, known_study(kind).title).number("study")


def shipped_axes(identities: Collection[str]) -> dict[str, list[str]]:
    """The shipped axes that these identities belong to, with all of theirs: every axis with at least two of them."""
    found: dict[str, list[str]] = {}
    for key in available_axes():
        axis = load_axis(key)
        names = [identity.key for identity in axis.identities]
        if not axis.reported_as and len(set(names).intersection(identities)) >= 2:
            found[key] = names
    return found


def store_axis(project: Project, axis: Axis) -> None:
    """A copy of an axis as it is now; an edited one becomes the next version."""
    project.axes.add(AxisSpec(key=axis.key, title=axis.title, definition=axis.definition()))


def study_of(project: Project, kind: str) -> StudyRow:
    """The project's study of a kind, or what to do to have one."""
    found = project.studies.of_kind(kind)
    if found is None:
        raise AppError(
            f"The project has no {kind} study.", hint=f"Add it with “biasprint prompts FILE --study {kind}”."
        )
    return found


def newest_set(project: Project, study: str, name: str | None = None) -> PromptSetRow:
    """The newest prompt set of a study; the newest version of the one with this name; or what NAME@VERSION names."""
    found = project.studies.of_kind(study)
    if found is None:
        known_study(study)
    sets = [row for row in project.prompts.sets(found.id) if not row.name.startswith("imported: ")] if found else []
    for row in reversed(sets):
        if name in (None, row.name, f"{row.name}@{row.version}"):
            return row
    if name is not None and sets:
        there = ", ".join(f"{row.name}@{row.version}" for row in sets)
        raise UsageError(f"There is no prompt set “{name}”.", hint=f"There are: {there}.")
    raise AppError(
        f"The project has no prompts for {study}.", hint=f"Make them with “biasprint prompts FILE --study {study}”."
    )


def recommended(backend: str, model: str, purpose: str) -> dict[str, Any]:
    """The parameters that the catalogue recommends for a local model and a study, or for judging; else none."""
    from biasprint.core.machine.models import catalogue

    preset = catalogue.preset(model, purpose) if backend == "llama_cpp" else None
    return dict(preset.parameters) if preset else {}


def generator_spec(
    backend: str,
    model: str,
    parameters: Mapping[str, Any],
    compute: ComputeProcess | None = None,
    *,
    ctx: JobContext | None = None,
    keys: Mapping[str, str] | None = None,
) -> GeneratorSpec:
    """A generator as it is recorded. Raises `AppError` where the backend or model cannot be used.

    It is opened in the model process `compute`, where it stays open; without one here, for what is light.
    """
    if compute is not None:
        info = compute.call(
            describe_generator, backend, whole_path(backend, model), dict(parameters), dict(keys or {}),
            ctx=ctx, timeout=OPENING_SECONDS,
        )  # fmt: skip
    else:
        writer = open_backend(backend, model, dict(parameters))
        try:
            info = writer.describe()
        finally:
            writer.close()
    return GeneratorSpec(
        backend=info.backend, model=info.model, parameters=dict(info.parameters), revision=info.revision
    )
