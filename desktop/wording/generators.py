"""Whose texts are measured, in words: who wrote them, and each by itself, one only, compared, or as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from biasprint.core.draw import digits
from biasprint.core.studies.kit.declared import ALL
from biasprint.core.studies.registry import studies
from biasprint.desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.project.rows import FindingRow, StudyRow
    from biasprint.core.studies.kit.declared import MeasureOptions
    from biasprint.core.texts.generators import KnownGenerators

MOST_TOLD = 4  # generators with their numbers of texts; of more it is said how many there are besides


class WantedTexts(NamedTuple):
    """Of whose texts there shall be findings, as `MeasureOptions` has it; the usual: of each generator by itself."""

    generators: tuple[str, ...] = ()
    compare: tuple[str, ...] = ()
    pool: bool = False

    def of(self, options: "MeasureOptions") -> "MeasureOptions":
        """What else was asked for, of these generators."""
        return replace(options, generators=self.generators, compare=self.compare, pool=self.pool)


EACH = WantedTexts()


@dataclass(frozen=True)
class StudyGenerators:
    """The generators of a study's texts, each with its number of texts.

    `asked`: whose texts were wanted the last time. `comparable`: whether the study can compare generators.
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
    """Who wrote a study's texts, and what was asked of them when the finding `last` was measured. Reads the project."""
    from biasprint.core.runs.measure import asked_again, measuring
    from biasprint.core.texts.generators import generators_of

    options = asked_again(last.recipe if last else None)
    kind = last.study if last else study.kind
    known = kind in studies()
    return StudyGenerators(
        {one.name: one.n for one in generators_of(project, study.id, every)},
        WantedTexts(options.generators, options.compare, options.pool),
        known and measuring(kind).compares_generators,
    )


def said_of(writers: StudyGenerators) -> str:
    """ "2 generators: A (60 texts), B (60)"; empty for one."""
    if not writers.several:
        return ""
    told = [
        (tr("{name} ({n} texts)") if not place else "{name} ({n})").format(name=name, n=digits.count(n))
        for place, (name, n) in enumerate(writers.texts.items())
    ]
    if len(told) > MOST_TOLD:
        left = len(told) - MOST_TOLD + 1
        told = [*told[: MOST_TOLD - 1], plural(left, "1 other", "%n others")]
    count = plural(len(writers.texts), "1 generator", "%n generators")
    return tr("{count}: {names}").format(count=count, names=tr(", ").join(told))


def choices(writers: StudyGenerators) -> list[tuple[WantedTexts, str]]:
    """What can be chosen, the usual first, each with its title."""
    from biasprint.core.runs.measure.by_generator import MOST_IN_PAIRS

    names = list(writers.texts)
    found = [(EACH, tr("Each by itself"))]
    if writers.comparable:
        if len(names) == 2:
            pairs = [*combinations(names, 2), *combinations(names[::-1], 2)]
            found += [(WantedTexts(compare=pair), compared_words(pair)) for pair in pairs]
        else:
            if len(names) <= MOST_IN_PAIRS:
                found.append((WantedTexts(compare=(ALL,)), tr("Compare every two of them")))
            found += [(_first(name, names), tr("Compare “{name}” with each other").format(name=name)) for name in names]
    found += [(WantedTexts(generators=(name,)), tr("“{name}” only").format(name=name)) for name in names]
    found.append((WantedTexts(pool=True), tr("All as one (pooled)")))
    if writers.asked not in [whose for whose, _ in found]:
        found.append((writers.asked, tr("As last time: {what}").format(what=_plainly(writers.asked))))
    return found


def compared_words(names: Sequence[str]) -> str:
    """ "Compare “A” with “B”"."""
    return tr("Compare “{one}” with “{other}”").format(one=names[0], other=names[1])


def explained(whose: WantedTexts, writers: StudyGenerators) -> str:
    """What will be measured so; of a pooling, what it pools."""
    if whose.pool:
        told = tr(", ").join(f"{name} ({digits.count(n)})" for name, n in writers.texts.items())
        return tr(
            "Pooled: the {total} texts of {told} count as one generator’s. Where they differ, no finding is about any "
            "one of them; each finding says what was pooled."
        ).format(total=digits.count(sum(writers.texts.values())), told=told)
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
