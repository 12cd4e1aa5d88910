"""Letters as the study reads them: whose they are, and how often they use the words of a lexicon."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from core.errors import AppError
from core.findings import ScorerUse
from core.scorers.lexicon import Counting, Lexicon, LexiconCounts, LexiconScorer

# Stands for a line break in letters released as one cell per letter.
RETURN = "<return>"


@dataclass(frozen=True)
class Counted:
    """Counts of a lexicon over the letters of a table, and the scorer that made them."""

    lexicon: Lexicon
    counts: LexiconCounts
    scorer: ScorerUse


@dataclass(frozen=True)
class LettersTable:
    """One value per letter in every column.

    `counted`: by the default rule. `published`: by the paper's, None where it is not wanted. `blocks`: the matched
    cell or biography, empty where there is none. `names`: whom the letter is about. `order`: the groups to compare,
    the first one in every numerator; empty: in order of appearance. `dropped`: rows left out before, by reason.
    """

    groups: tuple[str, ...]
    counted: Counted
    published: Counted | None = None
    blocks: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = [self.blocks, self.names] + [
            counted.counts.tokens for counted in (self.counted, self.published) if counted
        ]
        if any(len(column) not in (0, len(self.groups)) for column in columns):
            raise AppError("The columns of the letters are not equally long.", hint="Give one value for every letter.")

    @property
    def compared(self) -> tuple[str, ...]:
        """The groups in order, without letters of no group."""
        return self.order or tuple(dict.fromkeys(group for group in self.groups if group))

    @property
    def all_dropped(self) -> dict[str, int]:
        """Rows left out before, and letters of no group or of one that is not compared."""
        compared = set(self.compared)
        out = Counter("group not compared" if group else "no group" for group in self.groups if group not in compared)
        return {**self.dropped, **out}

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Which groups are set against each other: each with every later one."""
        return tuple(combinations(self.compared, 2))


def letters_table(
    texts: Sequence[str],
    groups: Sequence[str],
    *,
    blocks: Sequence[str] = (),
    names: Sequence[str] = (),
    order: Sequence[str] = (),
    lexicon: str = "letters",
    dropped: Mapping[str, int] | None = None,
) -> LettersTable:
    """Counts the letters both ways; runs in the compute process.

    `texts`: the cells as released. The published count needs `<return>` left in, the default reads it as a line break.
    """
    return LettersTable(
        groups=tuple(groups),
        counted=_counted([text.replace(RETURN, "\n") for text in texts], lexicon, "words"),
        published=_counted(texts, lexicon, "published"),
        blocks=tuple(blocks),
        names=tuple(names),
        order=tuple(order),
        dropped=dropped or {},
    )


def _counted(texts: Sequence[str], lexicon: str, counting: Counting) -> Counted:
    scorer = LexiconScorer(lexicon, counting=counting)
    use = ScorerUse(scorer.role, scorer.name, scorer.version, scorer.sha256, scorer.stand_in)
    return Counted(scorer.lexicon, scorer.count(texts), use)
