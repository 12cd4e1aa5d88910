"""Titles of a project's things, and the choice of whose texts are measured: each generator separately, one, or
pooled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from biasprint.core.draw import digits
from biasprint.core.language import joined
from biasprint.core.studies.kit.declared import ALL, MeasureOptions, StudyWords
from biasprint.desktop.widgets.safe_text import as_given
from biasprint.desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.project.rows import FindingRow, StudyRow
    from biasprint.core.texts.generators import KnownGenerators


@dataclass(frozen=True)
class Titles:
    """Titles by key. A key without one is shown itself, its underscores as blanks. Themes are bare words."""

    tasks: Mapping[str, str] = field(default_factory=dict)
    themes: Mapping[str, str] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    identities: Mapping[tuple[str, str], str] = field(default_factory=dict)  # by axis and identity

    def task(self, key: str) -> str:
        return self.tasks.get(key) or _words(key)

    def theme(self, key: str) -> str:
        return self.themes.get(key) or key.replace("_", " ")

    def axis(self, keys: str) -> str:
        """Return the title of one axis, or of a plan's: "gender+race" as "Gender, Race"."""
        return joined(", ", *(self.axes.get(key) or _words(key) for key in keys.split("+") if key))

    def identity(self, axis: str, key: str) -> str:
        return self.identities.get((axis, key)) or _words(key)

    def axis_and_identity(self, axis: str, key: str) -> str:
        """Return "Race · Black"; the identity alone where there is no axis."""
        return joined(" · ", *filter(None, (self.axes.get(axis) or _words(axis), self.identity(axis, key))))

    def about(self, task: str, theme: str) -> str:
        """Return "Haiku · stars", without missing parts."""
        return joined(" · ", *filter(None, (self.task(task), self.theme(theme))))


def read_titles(project: "Project") -> Titles:
    """Read the titles of tasks and themes, the program's and a person's own, and of the project's axes."""
    from biasprint.core.judging.wording import own_words, shipped_tasks
    from biasprint.core.prompts.axes import available_axes, load_axis
    from biasprint.core.prompts.cogs import cogs_themes
    from biasprint.core.prompts.designs import available_designs, load_design

    axes = project.axes.in_use()
    shipped = {key: load_axis(key) for key in axes if key in available_axes()}
    labels = {(key, identity.key): identity.label for key, axis in shipped.items() for identity in axis.identities}
    own, themes = own_words(project)
    tasks = {key: words.title for key, words in shipped_tasks().items()}
    tasks |= {key: load_design(key).title for key in available_designs()}
    return Titles(
        tasks=_as_given({key: words.title for key, words in own.items()}, tasks) | tasks,
        themes=_as_given(themes, {theme.key: theme.text for theme in cogs_themes()}),
        axes=_as_given(
            {key: axis.title for key, axis in axes.items()}, {key: axis.title for key, axis in shipped.items()}
        ),
        identities=_as_given(
            {
                (key, identity["key"]): identity["label"]
                for key, axis in axes.items()
                for identity in axis.definition["identities"]
            },
            labels,
        ),
    )


K = TypeVar("K")


def _as_given(titles: Mapping[K, str], shipped: Mapping[K, str]) -> dict[K, str]:
    """Return titles, those that a person wrote as they are: they are put into no other language."""
    return {key: title if shipped.get(key) == title else as_given(title) for key, title in titles.items()}


def _words(key: str) -> str:
    words = key.replace("_", " ")
    return words[:1].upper() + words[1:]


@dataclass(frozen=True)
class StudyWording(StudyWords):
    """The window's words for a study and its texts, as the study declares them."""

    @property
    def next_step(self) -> str:
        """The next step for imported texts, in words."""
        scored = tr("Next, the texts are scored and compared between the groups, on this computer.")
        return scored if self.scored else tr("Next, the replies are counted and compared, on this computer.")

    @property
    def action(self) -> str:
        return tr("Score and measure") if self.scored else tr("Measure")

    def counted(self, n: int) -> str:
        """Return the number of texts in words: "12 letters"."""
        return plural(n, self.one, self.many)


def study_kinds() -> tuple[str, ...]:
    """Return the studies whose texts can be imported and measured, in the order of the boxes that offer them."""
    from biasprint.core.studies.registry import studies

    imported = [study for study in studies().values() if study.imported]
    return tuple(study.kind for study in sorted(imported, key=lambda study: study.words.place))


def words_of(kind: str) -> StudyWording:
    """Return the words of a study; general ones for several, and for an unknown one."""
    from biasprint.core.studies.registry import studies

    known = studies().get(kind)
    words = known.words if known else StudyWords()
    return StudyWording(**{**vars(words), "rows": words.rows or (known.title if known else kind)})


# ---- Whose texts are measured

MOST_TOLD = 4  # generators with their numbers of texts; of more it is said how many there are besides


class WantedTexts(NamedTuple):
    """The generators whose texts are measured, as in `MeasureOptions`; by default each generator separately."""

    generators: tuple[str, ...] = ()
    compare: tuple[str, ...] = ()
    pool: bool = False

    def of(self, options: "MeasureOptions") -> "MeasureOptions":
        """Return the options with these generators, and everything else unchanged."""
        return replace(options, generators=self.generators, compare=self.compare, pool=self.pool)


EACH = WantedTexts()


@dataclass(frozen=True)
class StudyGenerators:
    """The generators of a study's texts, each with its number of texts.

    `asked`: the generators chosen the last time. `comparable`: whether the study can compare generators.
    """

    texts: Mapping[str, int] = field(default_factory=dict)
    asked: WantedTexts = EACH
    comparable: bool = False

    @property
    def several(self) -> bool:
        return len(self.texts) > 1


NOBODY = StudyGenerators()


def read_generators_of(
    project: "Project", study: "StudyRow", last: "FindingRow | None", every: "KnownGenerators | None" = None
) -> StudyGenerators:
    """Return the generators of a study's texts, and those chosen for the finding `last`. Reads the project."""
    from biasprint.core.runs.measure import asked_again, measuring
    from biasprint.core.studies.registry import studies
    from biasprint.core.texts.generators import generators_of

    options = asked_again(last.recipe if last else None)
    kind = last.study if last else study.kind
    known = kind in studies()
    return StudyGenerators(
        {generator.name: generator.n for generator in generators_of(project, study.id, every)},
        WantedTexts(options.generators, options.compare, options.pool),
        known and measuring(kind).compares_generators,
    )


def said_of(writers: StudyGenerators) -> str:
    """Return "2 generators: A (60 texts), B (60)"; empty for one."""
    if not writers.several:
        return ""
    names = [
        (tr("{name} ({n} texts)") if not place else "{name} ({n})").format(name=name, n=digits.count(n))
        for place, (name, n) in enumerate(writers.texts.items())
    ]
    if len(names) > MOST_TOLD:
        left = len(names) - MOST_TOLD + 1
        names = [*names[: MOST_TOLD - 1], plural(left, "1 other", "%n others")]
    count = plural(len(writers.texts), "1 generator", "%n generators")
    return tr("{count}: {names}").format(count=count, names=tr(", ").join(names))


def choices(writers: StudyGenerators) -> list[tuple[WantedTexts, str]]:
    """Return the possible choices, the usual first, each with its title."""
    from biasprint.core.runs.measure.by_generator import MOST_IN_PAIRS

    names = list(writers.texts)
    choices = [(EACH, tr("Each by itself"))]
    if writers.comparable:
        if len(names) == 2:
            pairs = [*combinations(names, 2), *combinations(names[::-1], 2)]
            choices += [(WantedTexts(compare=pair), compared_words(pair)) for pair in pairs]
        else:
            if len(names) <= MOST_IN_PAIRS:
                choices.append((WantedTexts(compare=(ALL,)), tr("Compare every two of them")))
            choices += [
                (_first(name, names), tr("Compare “{name}” with each other").format(name=name)) for name in names
            ]
    choices += [(WantedTexts(generators=(name,)), tr("“{name}” only").format(name=name)) for name in names]
    choices.append((WantedTexts(pool=True), tr("All as one (pooled)")))
    if writers.asked not in [whose for whose, _ in choices]:
        choices.append((writers.asked, tr("As last time: {what}").format(what=_plainly(writers.asked))))
    return choices


def compared_words(names: Sequence[str]) -> str:
    """Return "Compare “A” with “B”"."""
    return tr("Compare “{one}” with “{other}”").format(one=names[0], other=names[1])


def explained(whose: WantedTexts, writers: StudyGenerators) -> str:
    """Return what will be measured with this choice; for a pooling, what it pools."""
    if whose.pool:
        names = tr(", ").join(f"{name} ({digits.count(n)})" for name, n in writers.texts.items())
        return tr(
            "Pooled: the {total} texts of {told} count as one generator’s. Where they differ, no finding is about any "
            "one of them; each finding says what was pooled."
        ).format(total=digits.count(sum(writers.texts.values())), told=names)
    if whose.compare:
        return tr(
            "Each by itself, and how much they differ on the prompts that both answered, with an interval and a p "
            "of their own."
        )
    if whose.generators:
        return tr("The texts of the others are left out.")
    return tr("Every finding is about one generator, and says which.")


def _first(name: str, names: Sequence[str]) -> WantedTexts:
    return WantedTexts(compare=(name, *(other for other in names if other != name)))


def _plainly(whose: WantedTexts) -> str:
    names = tr(", ").join(whose.compare or whose.generators)
    return tr("compare {names}").format(names=names) if whose.compare else names
