"""A reference set as data: for each letter its occupation, its group and its figures; never its text."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.documents.reference.occupations import same_occupation


@dataclass(frozen=True)
class ReferenceLetter:
    """`figures`: name → value; a figure that could not be worked out is absent. `made_by`: what or who wrote it."""

    occupation: str
    group: str
    figures: Mapping[str, float]
    made_by: str = ""


@dataclass(frozen=True)
class ReferenceSet:
    """`made_from` says in words whose letters these are; `stand_in`: no person wrote them.

    `scorers`: role → "name version", `marks`: the version of the word lists: figures of others are not compared with
    these.
    """

    name: str
    title: str
    made_from: str
    stand_in: bool
    letters: tuple[ReferenceLetter, ...]
    scorers: Mapping[str, str] = field(default_factory=dict)
    marks: str = ""

    @property
    def occupations(self) -> tuple[str, ...]:
        return tuple(sorted({letter.occupation for letter in self.letters if letter.occupation}))

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(sorted({letter.group for letter in self.letters if letter.group}))

    def narrowed(self, occupation: str) -> "ReferenceSet":
        """The same set with nothing but the letters for one occupation: less to hand to another process."""
        kept = tuple(letter for letter in self.letters if same_occupation(letter.occupation, occupation))
        return replace(self, letters=kept)


@dataclass(frozen=True)
class Built:
    """`dropped`: reason → letters without figures. `scorers`, `marks`: as a `ReferenceSet` has them."""

    letters: tuple[ReferenceLetter, ...]
    dropped: Mapping[str, int]
    scorers: Mapping[str, str]
    marks: str
