"""Letters as the study reads them: whose they are, and how often they use the words of a lexicon."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.findings import ScorerUse
from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.result import Bools
from biasprint.core.scorers.lexicon import Counting, Lexicon, LexiconCounts, LexiconScorer
from biasprint.core.studies.kit.crossed import Crossing

# Stands for a line break in letters released as one cell per letter.
RETURN = "<return>"


@dataclass(frozen=True)
class Counted:
    """Counts of a lexicon over the letters of a table, and the scorer that made them."""

    lexicon: Lexicon
    counts: LexiconCounts
    scorer: ScorerUse

    def only(self, mask: Bools) -> "Counted":
        counts = self.counts
        return replace(self, counts=LexiconCounts(counts.tokens[mask], counts.categories[mask], counts.entries[mask]))


@dataclass(frozen=True)
class LettersTable:
    """One value per letter in every column.

    `counted`: by the default rule. `published`: by the paper's, None where it is not wanted. `blocks`: the matched
    cell or biography, the same for every sample of it, empty where there is none. `names`: whom the letter is about.
    `order`: the groups to compare, the first one in every numerator; empty: in order of appearance. `dropped`: rows
    left out before, by reason. `crossing`: where the groups are identities of a crossed axis.
    """

    groups: tuple[str, ...]
    counted: Counted
    published: Counted | None = None
    blocks: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    crossing: Crossing | None = None

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
        """The pairs of groups that are compared: each with every later one."""
        return tuple(combinations(self.compared, 2))

    def members(self, pair: tuple[str, str]) -> tuple[Bools, Bools]:
        """Masks of the letters of the two groups, and among those of the first."""
        groups = np.array(self.groups, dtype=object)
        within = np.isin(groups, pair)
        return within, np.asarray(groups[within] == pair[0], dtype=np.bool_)

    def clusters(self, pair: tuple[str, str]) -> Clusters:
        """The letters of the two groups, and which of them belong together."""
        within, first = self.members(pair)
        return Clusters.of(first, [self.block(int(place)) for place in np.flatnonzero(within)])

    def block(self, letter: int) -> str:
        return self.blocks[letter] if self.blocks else ""

    def by_group(self, groups: tuple[str, ...]) -> dict[str, int]:
        return {group: self.groups.count(group) for group in groups}

    def only(self, mask: Bools, reason: str) -> "LettersTable":
        """The table with these letters only; the others are counted as dropped for `reason`."""
        places = np.flatnonzero(mask)
        if len(places) == len(self.groups):
            return self
        return LettersTable(
            groups=tuple(self.groups[place] for place in places),
            counted=self.counted.only(mask),
            published=self.published and self.published.only(mask),
            blocks=tuple(self.blocks[place] for place in places if self.blocks),
            names=tuple(self.names[place] for place in places if self.names),
            order=self.compared,
            dropped={**self.dropped, reason: len(self.groups) - len(places)},
            crossing=self.crossing,
        )


def letters_table(
    texts: Sequence[str],
    groups: Sequence[str],
    *,
    blocks: Sequence[str] = (),
    names: Sequence[str] = (),
    order: Sequence[str] = (),
    lexicon: str = "letters",
    dropped: Mapping[str, int] | None = None,
    crossing: Crossing | None = None,
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
        crossing=crossing,
    )


def _counted(texts: Sequence[str], lexicon: str, counting: Counting) -> Counted:
    scorer = LexiconScorer(lexicon, counting=counting)
    use = ScorerUse(scorer.role, scorer.name, scorer.version, scorer.sha256, scorer.stand_in)
    return Counted(scorer.lexicon, scorer.count(texts), use)
