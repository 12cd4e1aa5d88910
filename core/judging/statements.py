"""What a rater says beside the choices: each card rated by each criterion, and a few words about themselves.

A rating is an annotation of the kind "criterion" on its comparison, by its rater: `{"card": item index, "criterion":
name, "rating": 1 to 5}`. A changed one supersedes the one before; one that was taken back has the rating null.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from core.judging.blind import Criterion, Ratings
from core.project.project import Project
from core.project.specs import AnnotationSpec

KIND = "criterion"
LOWEST, HIGHEST = 1, 5
LONGEST_DESCRIPTION = 2_000  # characters


class Stated(NamedTuple):
    """One rating in force; `item` is the index of the card among the comparison's items, not where it was shown."""

    id: str
    comparison_id: str
    item: int
    criterion: str
    rating: int | None


class Statements(Protocol):
    def ratings(self, rater_id: str) -> Iterable[Stated]: ...

    def rate(self, rater_id: str, stated: Stated) -> str:
        """Add a rating that goes on from the one with `stated.id`, if any. Its own id, once it is on disk."""
        ...

    def describe(self, rater_id: str, words: str) -> None:
        """Keep how a rater describes themselves."""
        ...


class ProjectStatements:
    """A project or packet as `Statements`."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def ratings(self, rater_id: str) -> Iterable[Stated]:
        for row in self._project.annotations.of_kind(KIND, rater_id=rater_id):
            value = row.value
            yield Stated(row.id, row.target, value["card"], value["criterion"], value["rating"])

    def rate(self, rater_id: str, stated: Stated) -> str:
        value = {"card": stated.item, "criterion": stated.criterion, "rating": stated.rating}
        spec = AnnotationSpec(
            kind=KIND, target=stated.comparison_id, rater_id=rater_id, value=value, supersedes=stated.id or None
        )
        return self._project.annotations.add(spec).uuid("annotation")

    def describe(self, rater_id: str, words: str) -> None:
        self._project.judging.describe_rater(rater_id, {"described": words})


class CriterionRatings:
    """The ratings of one rater, all in memory: what comes next is shown without another read."""

    def __init__(self, statements: Statements, rater_id: str) -> None:
        self._statements = statements
        self._rater_id = rater_id
        self._given: dict[str, dict[tuple[int, str], Stated]] = {}
        for stated in statements.ratings(rater_id):
            self._keep(stated)

    def shown(self, comparison_id: str, order: Sequence[int], criteria: Sequence[Criterion]) -> Ratings:
        """By card as shown, then by criterion; None where nothing was rated."""
        given = self._given.get(comparison_id, {})
        return tuple(
            tuple(given[item, one.name].rating if (item, one.name) in given else None for one in criteria)
            for item in order
        )

    def rate(self, comparison_id: str, item: int, criterion: str, rating: int | None) -> None:
        """Write a rating; an unchanged one is not written again. What is kept here changes once it is on disk."""
        before = self._given.get(comparison_id, {}).get((item, criterion))
        if (before.rating if before is not None else None) == rating:
            return
        stated = Stated(before.id if before is not None else "", comparison_id, item, criterion, rating)
        self._keep(stated._replace(id=self._statements.rate(self._rater_id, stated)))

    def _keep(self, stated: Stated) -> None:
        self._given.setdefault(stated.comparison_id, {})[stated.item, stated.criterion] = stated
