"""Holding the figures of one letter against those of reference letters."""

from collections.abc import Sequence

from core.documents.reading.values import Compared, Figure
from core.documents.reference.occupations import occupation_key
from core.documents.reference.values import ReferenceSet
from core.documents.values import CATEGORIES
from core.metrics.proportions import wilson

FEWEST = 20  # letters: with fewer, the middle 80 % leaves out nobody in particular
MIDDLE = (0.1, 0.9)


def compared_with(
    figures: Sequence[Figure], reference: ReferenceSet | None, occupation: str, marks: str = ""
) -> tuple[tuple[Compared, ...], str]:
    """Each figure among the reference letters for the occupation, and a sentence on what they are, or why not.

    `marks`: the version of the word lists that the figures were made with. Figures that other versions made are left
    out, and the sentence names them.
    """
    if reference is None:
        return (), "No reference letters are chosen."
    wanted = occupation_key(occupation)
    if not wanted:
        return (), "The occupation is not known: choose one to compare with letters for it."
    letters = reference.narrowed(occupation).letters
    if not letters:
        return (), f"There is no reference for this occupation: “{reference.title}” has no letters for “{wanted}”."
    if len(letters) < FEWEST:
        return (), (
            f"“{reference.title}” has {len(letters)} letters for “{wanted}”: too few to compare with "
            f"({FEWEST} are needed)."
        )
    defined = [figure for figure in figures if figure.value is not None]
    alike = [figure for figure in defined if _same_makers(figure, reference, marks)]
    found = [
        _compared(figure, [letter.figures[figure.name] for letter in letters if figure.name in letter.figures])
        for figure in alike
    ]
    left = [figure.title.lower() for figure in defined if figure not in alike]
    said = f"Compared with {len(letters)} letters for {wanted}: {reference.made_from}"
    if left:
        said += f" Left out, because another version made the reference's figures: {', '.join(left)}."
    return tuple(one for one in found if one is not None), said


def _compared(figure: Figure, values: Sequence[float]) -> Compared | None:
    from numpy import quantile

    n = len(values)
    if n < FEWEST or figure.value is None:
        return None
    low, high = (float(bound) for bound in quantile(values, MIDDLE))
    smaller = sum(value < figure.value for value in values) + 0.5 * sum(value == figure.value for value in values)
    bounds = wilson(smaller, n)
    assert bounds is not None
    return Compared(figure.name, figure.value, n, low, high, smaller / n, bounds.low, bounds.high)


def _same_makers(figure: Figure, reference: ReferenceSet, marks: str) -> bool:
    """Figures of one scorer or word list say nothing about those of another, or of another version."""
    if figure.name in CATEGORIES:
        return marks == reference.marks
    use = figure.scorer
    return use is None or reference.scorers.get(use.role) == f"{use.name} {use.version}"
