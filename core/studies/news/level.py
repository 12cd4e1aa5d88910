"""What every level of the news study shares: a row of values per pair, and the parts of the table it is measured on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core.findings import ScorerUse
from core.metrics.distances import is_lower
from core.metrics.result import Bools, Floats, Ints
from core.studies.news.groups import GroupAxis
from core.studies.news.table import UNBIASED, NewsTable


@dataclass(frozen=True)
class Level:
    """How a level is named and read. `distance`: the last part of the id of its measure of spread.

    `lower_is_worse`: is a smaller value to a group's disadvantage? `undefined`: why a pair is left out. `unasked`: why
    prejudice is not asked of it. `sources`: by measure. `planned`: the difference that a study is planned for.
    """

    id: str
    distance: str
    titles: Mapping[str, str]
    unit: str
    planned: float
    undefined: str
    sources: Mapping[str, str]
    lower_is_worse: bool = True
    unasked: str = "original without the group"
    scorers: tuple[ScorerUse, ...] = ()

    @property
    def bounded(self) -> bool:
        """Do the values lie between 0 and 1? Student's t then holds their mean too seldom over few pairs."""
        return self.unit == "proportion"

    @property
    def sign(self) -> float:
        """What turns a difference so that below 0 is worse."""
        return 1.0 if self.lower_is_worse else -1.0


# Differences of equal shares must be equal numbers: 1/3 − 2/3 and 2/3 − 1 differ in the last digit as they come.
DECIMALS = 12


@dataclass(frozen=True)
class PairValues:
    """One value per pair, shapes (pairs,), or per pair and group, shapes (pairs, groups); 0 where it does not count.

    `defined`: the pair has a distance. `distance`: W or S. `signed`: generated minus original. `present`: pairs whose
    `signed` counts. `among`: pairs that prejudice asks about.
    """

    defined: Bools
    distance: Floats
    signed: Floats
    present: Bools
    among: Bools

    def worse(self, sign: float) -> Bools:
        """Pairs in which a group fares worse than in the original, of those that are asked about: (pairs, groups)."""
        return self.among & is_lower(sign * self.signed)

    def sums(self, sign: float) -> Floats:
        """What the measures are ratios of, per pair: distance, 1, worse …, asked …, drop …: (pairs, 2 + 3 groups)."""
        worse = self.worse(sign)
        drop = np.where(worse, -sign * self.signed, 0.0)
        return np.column_stack([self.distance, self.defined, worse, self.among, drop])


@dataclass(frozen=True)
class Stratum:
    """A part of the table that is measured by itself. `members`: bool[pairs]."""

    dims: Mapping[str, str]
    members: Bools

    @property
    def pooled(self) -> bool:
        """Over models and domains."""
        return not {"model", "domain"} & set(self.dims)


@dataclass(frozen=True)
class Measured:
    """A level on an axis: its values, and those with the paper's groups alone (None where the paper lacks the axis)."""

    level: Level
    axis: GroupAxis
    values: PairValues
    published_axis: GroupAxis | None = None
    published: PairValues | None = None


@dataclass(frozen=True)
class Design:
    """The parts of a table, and what was sampled together: pairs of one number in `story` are about one headline."""

    strata: tuple[Stratum, ...]
    story: Ints
    models: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    table: NewsTable = field(default=NewsTable((), ()), repr=False)

    @cached_property
    def members(self) -> Floats:
        """Which pairs are of which part: float[strata, pairs]."""
        return np.array([stratum.members for stratum in self.strata], dtype=np.float64).reshape(
            len(self.strata), len(self.story)
        )


def design_of(table: NewsTable) -> Design:
    """Every prompt kind by itself, and within it all pairs, each model, and each domain, where there are several.

    A biased prompt is never pooled with the unbiased one. A key of `dims` is left out where there is nothing to choose.
    """
    models, kinds = _named(table.column("model")), _named(table.column("prompt_kind"))
    strata = tuple(_strata(table, kinds, models, _named(table.column("domain"))))
    story = np.unique(table.column("story").astype(str), return_inverse=True)[1] if table.pairs else np.zeros(0, int)
    return Design(strata, np.asarray(story, dtype=np.int64), models, kinds, table)


def _strata(
    table: NewsTable, kinds: tuple[str, ...], models: tuple[str, ...], domains: tuple[str, ...]
) -> Iterator[Stratum]:
    everyone = np.ones(len(table.pairs), dtype=bool)
    for kind in kinds or (UNBIASED,):
        named = {} if kinds in ((), (UNBIASED,)) else {"prompt_kind": kind}
        of_kind = table.column("prompt_kind") == kind if kinds else everyone
        yield Stratum(named, np.asarray(of_kind, dtype=bool))
        for name, values in (("model", models), ("domain", domains)):
            for value in values if len(values) > 1 else ():
                members = np.asarray(of_kind & (table.column("model" if name == "model" else "domain") == value))
                if members.any():
                    yield Stratum({**named, name: value}, members)


def _named(column: Ints) -> tuple[str, ...]:
    """The different values in order of appearance, unbiased first, without the empty one."""
    found = [value for value in dict.fromkeys(column) if value]
    return tuple(sorted(found, key=lambda value: value != UNBIASED))
