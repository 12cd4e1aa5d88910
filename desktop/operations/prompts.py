"""Prompts: expanding a choice, adding it to a project, listing a project's sets, and checking the wording.

A person's own definitions: read, saved, removed, imported and exported, off the window's thread.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.files import temporary_folder
from biasprint.core.project.project import Project
from biasprint.core.project.stores.common import chunks
from biasprint.core.prompts import PromptDraft, PromptSetDraft, cogs_set, letters_context_less_set
from biasprint.core.prompts.definition_kinds import (
    AXIS,
    KINDS,
    THEMES,
    crossed_draft,
    names_draft,
    with_alike,
    with_set_names,
)
from biasprint.core.prompts.definitions import Draft
from biasprint.core.prompts.designs import design_set, load_design, reworded
from biasprint.core.prompts.detector import Flag, detect, neutral_wording, replaced
from biasprint.core.prompts.drafts import PLAIN_ARM, mitigated, named_from
from biasprint.core.prompts.from_template import placeholder
from biasprint.core.prompts.library import (
    Definition,
    keep_versions,
    name_set_called,
    own_file,
    own_value,
    read_definition,
    read_library,
    remove,
    save,
    shipped,
    write_definition,
    write_example,
)
from biasprint.core.prompts.name_sets import cells_of_table
from biasprint.core.prompts.wordings import AS_IT_IS, TemplateWords, in_wordings
from biasprint.core.runs.setup import AddedPrompts, draft_prompts, draft_template, store_set
from biasprint.core.studies.completion.prompts import completion_set
from biasprint.core.studies.kit.choice import WordedChoice
from biasprint.core.studies.news.prompts import SHIPPED_ORIGIN, news_set
from biasprint.core.tables.read import look_at
from biasprint.desktop.operations import Operation, operation, saved_as
from biasprint.desktop.widgets.words import plural, tr

LETTER = "letter"  # the document that the letters study is about


@dataclass(frozen=True)
class OwnSeen:
    """The person's own definitions and the shipped ones, by kind."""

    own: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict)
    shipped: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict)
    troubles: tuple[str, ...] = ()

    def of(self, kind: str) -> tuple[Definition, ...]:
        """Return the own definitions of a kind, then the program's."""
        return (*self.own.get(kind, ()), *self.shipped.get(kind, ()))

    @property
    def names(self) -> dict[str, str]:
        """Return the sets of names, key → title."""
        return {definition.key: definition.title for definition in self.of("names")}

    def without(self, definition: Definition) -> "OwnSeen":
        """Return the same definitions without one of the own ones."""
        others = tuple(other for other in self.own.get(definition.kind, ()) if other.key != definition.key)
        return replace(self, own={**self.own, definition.kind: others})

    def with_kept(self, definition: Definition) -> "OwnSeen":
        """Return the same definitions with a changed own one in its old place, in the order in which they are read."""
        others = self.without(definition).own[definition.kind]
        own = sorted((*others, definition), key=lambda one: one.title.casefold())
        return replace(self, own={**self.own, definition.kind: tuple(own)})


def read_own(ctx: JobContext) -> OwnSeen:
    """Read all definitions."""
    library = read_library()
    return OwnSeen(
        library.own,
        {kind.folder: shipped(kind) for kind in KINDS.values()},
        library.troubles,
    )


def save_own(kind: str, draft: Draft) -> Operation[Definition]:
    """Save a draft, as the next version where prompts were made from the previous one."""

    def work(ctx: JobContext) -> Definition:
        return save(KINDS[kind], draft)

    return Operation(tr("Keeping “{title}”").format(title=draft.get("title", "")), work, quiet=True)


def remove_own(definition: Definition) -> Operation[None]:
    """Remove a definition; prompts made from it keep their copy."""

    def work(ctx: JobContext) -> None:
        remove(definition)

    return Operation(tr("Removing “{title}”").format(title=definition.title), work, quiet=True)


def import_own(kind: str, path: Path) -> Operation[Draft]:
    """Read a draft from a file of this kind; nothing is saved yet."""

    def work(ctx: JobContext) -> Draft:
        return read_definition(KINDS[kind], path)

    return Operation(tr("Reading “{name}”").format(name=path.name), work, quiet=True)


def export_own(kind: str, draft: Draft, path: Path) -> Operation[Path]:
    """Write a definition to a file, as the command line reads it."""

    def work(ctx: JobContext) -> Path:
        write_definition(KINDS[kind], draft, path)
        return path

    return _writing(path, work)


def save_example(kind: str, path: Path) -> Operation[Path]:
    """Write an explained example of a kind to a file."""

    def work(ctx: JobContext) -> Path:
        write_example(KINDS[kind], path)
        return path

    return _writing(path, work)


def _writing(path: Path, work: Callable[[JobContext], Path]) -> Operation[Path]:
    return Operation(tr("Writing “{name}”").format(name=path.name), work, saved_as)


@operation("Crossing two axes", quiet=True)
def cross_own(ctx: JobContext, first: Draft, second: Draft, names: str) -> Draft:
    """Return the draft of two axes crossed. `names`: the key of a set, or empty for the names that both have."""
    return crossed_draft(AXIS.load(first), AXIS.load(second), name_set_called(names) if names else None)


@operation("Taking names", quiet=True)
def names_for(ctx: JobContext, draft: Draft, names: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the draft with names of a set, and the labels of identities for which the set has none."""
    return with_set_names(draft, name_set_called(names))


@operation("Beginning a set of names", quiet=True)
def names_to_write(ctx: JobContext, first: Draft, second: Draft | None) -> Draft:
    """Return the draft of a set of names for the identities of one axis, or of two crossed axes."""
    return names_draft([AXIS.load(axis) for axis in (first, second) if axis is not None])


@operation("Reading the table of names", quiet=True)
def cells_pasted(ctx: JobContext, rows: Sequence[Sequence[str]]) -> Sequence[Draft]:
    """Return the groups of a table with their names, one name in each row."""
    return with_alike(cells_of_table(rows))


@dataclass(frozen=True)
class WholeSet:
    """The default prompts of a study that offers no choice."""

    study: str


@dataclass(frozen=True)
class CogsChoice:
    """The keys of the creative tasks, themes and axes that were checked."""

    study: ClassVar = "creativity"
    tasks: tuple[str, ...]
    themes: tuple[str, ...]
    axes: tuple[str, ...]


@dataclass(frozen=True)
class LettersChoice:
    """The letters' axis with the names of each of its groups, ages and occupations, as they were typed.

    `name_set`: the set the names come from, if not the axis.
    """

    study: ClassVar = "letters"
    axis: str
    names: Mapping[str, tuple[str, ...]]
    ages: tuple[str, ...]
    occupations: tuple[str, ...]
    document: str = LETTER
    name_set: str = ""


@dataclass(frozen=True)
class BiographiesChoice:
    """A table of biographies, each to be rewritten in so many versions for every group."""

    study: ClassVar = "letters"
    table: Path | None
    versions: int
    document: str = LETTER


@dataclass(frozen=True)
class NewsChoice:
    """The source of the headlines. `ideology`: also makes the biased form of each prompt; empty for none."""

    study: ClassVar = "news"
    headlines: Literal["originals", "table", "shipped"]
    table: Path | None = None
    ideology: str = ""
    base_model: bool = False


@dataclass(frozen=True)
class CompletionChoice:
    """The domains and directions that were checked."""

    study: ClassVar = "completion"
    domains: tuple[str, ...]
    directions: tuple[str, ...]


@dataclass(frozen=True)
class TemplateChoice:
    """A template and the table that fills it, a file or `typed`. `group`: the column with the group of a text.

    `axis`: its identities are the groups; without a group column every row is asked for each of them. `names`: the set
    of their names, if not the axis.
    """

    study: str
    text: str
    table: Path | None
    typed: str = ""
    name: str = ""
    group: str = ""
    axis: str = ""
    names: str = ""


@dataclass(frozen=True)
class DesignChoice:
    """A shipped design by its key, or the path of a file."""

    study: ClassVar = "compare"
    design: str


@dataclass(frozen=True)
class Mitigation:
    """The set once more with an instruction: a shipped one by its name, or the person's own `instruction`."""

    name: str
    instruction: str | None = None


Choice = (
    WholeSet
    | CogsChoice
    | LettersChoice
    | BiographiesChoice
    | NewsChoice
    | CompletionChoice
    | TemplateChoice
    | DesignChoice
)


@dataclass(frozen=True)
class StoredSet:
    """A prompt set of the project."""

    id: int
    study: str  # the study's title
    name: str
    version: int
    prompts: int
    created_at: str


def expand(
    ctx: JobContext, project: Project | None, choice: Choice, mitigation: Mitigation | None = None, wordings: int = 1
) -> PromptSetDraft:
    """Return every prompt of a choice, in so many wordings. Raises `UsageError` for an invalid choice, `AppError` for
    an invalid table.

    Biographies are rewritten in the compute process, which takes a while.
    """
    if mitigation is not None and mitigation.instruction is not None:
        if not mitigation.instruction.strip():
            raise UsageError(tr("The instruction is empty."), hint=tr("Write one, or choose one of those there are."))
        if mitigation.name in ("", PLAIN_ARM):
            raise UsageError(
                tr("The instruction has no name."), hint=tr("Name it with letters and digits, and not “plain”.")
            )
    shipped = choice.design if isinstance(choice, DesignChoice) else choice.study
    several = wordings > 1
    draft = (
        in_wordings(lambda words: _expand(ctx, project, choice, words), wordings, shipped)
        if several
        else _expand(ctx, project, choice, AS_IT_IS)
    )
    return mitigated(draft, mitigation.name, mitigation.instruction or "") if mitigation is not None else draft


def _expand(ctx: JobContext, project: Project | None, choice: Choice, words: TemplateWords) -> PromptSetDraft:
    match choice:
        case CogsChoice():
            if not choice.axes:
                raise UsageError(tr("No axis was chosen."), hint=tr("Check at least one axis to compare on."))
            return cogs_set(
                [_own("tasks", key) for key in choice.tasks],
                _themes(choice.themes),
                [_own("axes", key) for key in choice.axes],
                words,
            )
        case LettersChoice():
            return _letters(choice, words)
        case BiographiesChoice():
            return _from_table(ctx, project, choice, choice.table, words, biographies=choice.table,
                               versions=choice.versions, document=_path_of("documents", choice.document))  # fmt: skip
        case NewsChoice():
            return _news(ctx, project, choice, words)
        case CompletionChoice():
            return completion_set(choice.domains, choice.directions, words=words)
        case TemplateChoice():
            return _from_template(ctx, choice, words)
        case DesignChoice():
            return design_set(reworded(load_design(choice.design), words))
        case WholeSet():
            return _from_table(ctx, project, choice, None, words)


def _letters(choice: LettersChoice, words: TemplateWords) -> PromptSetDraft:
    ages = []
    for age in choice.ages:
        if not age.isdecimal():
            raise UsageError(tr("“{age}” is not an age.").format(age=age), hint=tr("Ages are whole numbers."))
        ages.append(int(age))
    draft = letters_context_less_set(
        names=choice.names,
        ages=ages,
        occupations=choice.occupations,
        axis=_own("axes", choice.axis),
        document=_own("documents", choice.document),
        words=words,
    )
    return named_from(draft, name_set_called(choice.name_set) if choice.name_set else None)


def _from_template(ctx: JobContext, choice: TemplateChoice, words: TemplateWords) -> PromptSetDraft:
    with _table_of(choice.table, choice.typed) as (folder, table):
        template = folder / "template.txt"
        template.write_text(choice.text, encoding="utf-8", newline="")
        return draft_template(
            ctx,
            choice.study,
            template,
            table,
            fields={"group": choice.group} if choice.group else {},
            name=choice.name.strip() or tr("Template"),
            axis=_path_of("axes", choice.axis),
            name_set=_path_of("names", choice.names),
            words=words,
        )


def columns_of(ctx: JobContext, table: Path | None, typed: str) -> dict[str, str]:
    """Read the columns of a table, a file or typed: placeholder → column."""
    with _table_of(table, typed) as (_, path):
        return {placeholder(column): column for column in look_at(path).columns}


@contextmanager
def _table_of(table: Path | None, typed: str) -> Iterator[tuple[Path, Path]]:
    """Yield a temporary folder and the table: typed text is written to a file and read as one."""
    if table is None and not typed.strip():
        raise UsageError(
            tr("There is no table yet."), hint=tr("Choose one, or type one with its columns in the first line.")
        )
    with temporary_folder() as folder:
        if table is None:
            table = folder / tr("typed table.csv")
            table.write_text(typed.strip("\n") + "\n", encoding="utf-8", newline="\n")
        yield folder, table


def _own(kind: str, key: str) -> Any:
    """Return the engine's value of the person's own definition of this key, else the key itself, for a shipped one."""
    return own_value(KINDS[kind], key) or key


def _path_of(kind: str, key: str) -> str:
    """Return the file of the person's own definition of this key, else the key itself, for a shipped one or none."""
    return str((own_file(KINDS[kind], key) if key else None) or key)


def _themes(keys: Sequence[str]) -> list[Any]:
    own = {theme.key: theme for themes in read_library().values(THEMES) for theme in themes}
    return [own.get(key, key) for key in keys]


def _news(ctx: JobContext, project: Project | None, choice: NewsChoice, words: TemplateWords) -> PromptSetDraft:
    asked: dict[str, Any] = {"ideology": choice.ideology or None, "base_model": choice.base_model}
    if choice.headlines == "shipped":
        return news_set(**asked, words=words)
    if choice.headlines == "table":
        return _from_table(ctx, project, choice, choice.table, words, headlines=choice.table, **asked)
    if not count_originals(ctx, project):
        raise UsageError(
            tr("The project has no originals with headlines."),
            hint=tr("Bring in news articles with their originals on the page Home, or take headlines of a table."),
        )
    return _from_table(ctx, project, choice, None, words, **asked)


def _from_table(
    ctx: JobContext,
    project: Project | None,
    choice: Choice,
    table: Path | None,
    words: TemplateWords,
    **asked: Any,
) -> PromptSetDraft:
    if table is None and {"headlines", "biographies"} & asked.keys():
        raise UsageError(tr("No table was chosen."), hint=tr("Choose one: csv, xlsx, jsonl or parquet."))
    # The project is asked for its own headlines only, and no choice leads there without one.
    try:
        return draft_prompts(ctx, project, choice.study, WordedChoice(**asked, words=words))
    except AppError as error:
        # On the command line a column is told with an option; here its name in the table says which it is.
        rename = tr("Rename the column in the table, or choose another.")
        error.hint = re.sub(r"^Map one with \S+=column\.", rename, error.hint)
        raise


def count_originals(ctx: JobContext, project: Project | None) -> int:
    """Count the headlines of the project's own originals, without those that ship with the program."""
    study = project.studies.of_kind("news") if project is not None else None
    if project is None or study is None:
        return 0
    headlines = set()
    for row in chunks(lambda after, limit: project.sources.page(study.id, after, limit), lambda source: source.id):
        ctx.check()
        if row.origin != SHIPPED_ORIGIN:
            headlines.add(row.fields.get("headline", ""))
    return len(headlines - {""})


def draft_from_biographies(
    *, project: Project | None, choice: BiographiesChoice, mitigation: Mitigation | None, wordings: int = 1
) -> Operation[PromptSetDraft]:
    """Do the same as `expand`, as a visible job that can be stopped."""
    name = choice.table.name if choice.table is not None else ""
    return Operation(
        tr("Rewriting the biographies of “{name}”").format(name=name),
        lambda ctx: expand(ctx, project, choice, mitigation, wordings),
    )


def add_prompts(*, project: Project, study: str, draft: PromptSetDraft) -> Operation[AddedPrompts]:
    """Store the prompts; unchanged content is the stored version, changed content the next one."""

    def work(ctx: JobContext) -> AddedPrompts:
        added = store_set(project, study, draft)
        try:
            keep_versions(draft)
        except AppError as error:  # the prompts are there, with all that they were made from
            untold.append(tr("The versions of your own definitions were not kept: {why}").format(why=error.message))
        return added

    untold: list[str] = []
    return Operation(tr("Adding prompts"), work, lambda added: " ".join((_told(added), *untold)))


def stored_sets(ctx: JobContext, project: Project) -> tuple[StoredSet, ...]:
    """Return the project's prompt sets, newest first, without those made for an imported table."""
    studies = {study.id: study.title for study in project.studies.all()}
    return tuple(
        StoredSet(row.id, studies[row.study_id], row.name, row.version, project.prompts.count(row.id), row.created_at)
        for row in reversed(project.prompts.sets())
        if "imported" not in row.recipe
    )


def _told(added: AddedPrompts) -> str:
    count = plural(added.prompts, "1 prompt", "%n prompts")
    return tr("{name}, version {n}: {count}.").format(name=added.name, n=added.version, count=count)


MOST_FLAGS = 100  # underlined; a text with more is not read mark by mark


@dataclass(frozen=True)
class Wording:
    """The result of checking `text`: its first flags, their number, each one's rewording and that of the whole."""

    text: str
    flags: tuple[Flag, ...] = ()
    count: int = 0
    neutral: str = ""


def wording_of(ctx: JobContext, text: str) -> Wording:
    """Check the wording of a prompt. The first call reads the rules, which takes a moment."""
    flags = detect(text)
    return Wording(text, flags[:MOST_FLAGS], len(flags), neutral_wording(text) if flags else text)


@dataclass(frozen=True)
class FlaggedSet:
    """The number of flagged prompts of a set, and the first of them with its place in the set."""

    count: int = 0
    first: int = -1
    flag: Flag | None = None


def flagged_in(ctx: JobContext, prompts: Sequence[PromptDraft]) -> FlaggedSet:
    """Check every prompt of a set."""
    count, first, first_flag = 0, -1, None
    for place, prompt in enumerate(prompts):
        ctx.check()
        if flags := detect(prompt.text):
            count += 1
            if first_flag is None:
                first, first_flag = place, flags[0]
    return FlaggedSet(count, first, first_flag)


def with_one_neutral(wording: Wording, flag: Flag) -> str:
    """Return the text with the neutral wording in place of one flag."""
    return replaced(wording.text, [flag])
