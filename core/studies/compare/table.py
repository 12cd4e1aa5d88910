"""Table of a comparison: columns of texts, groups, blocks and units, a number of each text, and which groups are set
against each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from biasprint.core.findings import ScorerUse
from biasprint.core.machine.models.catalogue import scorer_title, scorers
from biasprint.core.metrics.result import Floats

MOST_IN_ALL_PAIRS = 4  # groups; of more, each is set against the one with most texts


def title_of(label: str) -> str:
    """Return in words what is measured: "Sentiment (TextBlob)" of "textblob", "Agency balance: agentic" of
    "agency_balance: agentic".
    """
    if (title := scorer_title(label)) != label:
        return title
    text = label.replace("_", " ")
    return text[:1].upper() + text[1:]


def unit_of(label: str, *, yes_or_no: bool = False, difference: bool = False) -> str:
    """The unit of a scorer's numbers: its own, such as words, else a score; shares of what is 1 or 0."""
    declared = scorers().get(label)
    own = declared.unit if declared is not None else ""
    if difference:
        return f"difference of {'shares' if yes_or_no else own or 'scores'}"
    return "share" if yes_or_no else own or "score"


@dataclass(frozen=True)
class Measure:
    """One number of each text, NaN where it has none. `label`: what it is called; `why`: of a text without one.

    `yes_or_no`: is it 1 or 0 by what it is? A score that happens to be 0 or 1 everywhere stays a score.
    """

    label: str
    values: Floats
    scorer: ScorerUse | None = None
    why: Mapping[int, str] = field(default_factory=dict)
    yes_or_no: bool = False

    @property
    def title(self) -> str:
        return title_of(self.label)


@dataclass(frozen=True)
class Compared:
    """Columns of one row each. `groups`: by what it is grouped (group, second_group, both) → the group of each row.

    `units`: what samples of one prompt share; their mean is taken first. `embeddings`: rows' vectors for cosines, None
    for a row without; `embedder`: who made them. `base`: by what is grouped → the group that the others are set
    against, else every pair. `dims`, `source`, `family`: of every finding, where the texts are a part of all.
    `missing`: by what is grouped → a group without any text → why.
    `alike`, `company`: are pairs of texts set against each other, and words looked for beside words of a gender?
    """

    texts: Sequence[str]
    groups: Mapping[str, Sequence[str]]
    blocks: Sequence[str]
    units: Sequence[str] = ()
    embeddings: Sequence[Floats | None] = ()
    embedder: ScorerUse | None = None
    base: Mapping[str, str] = field(default_factory=dict)
    dims: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    family: str = ""
    missing: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    alike: bool = True
    company: bool = True


def pairs(sizes: Mapping[str, int], base: str = "") -> list[tuple[str, str]]:
    """Each group against the base; without one all pairs of up to four groups, of more each against the largest."""
    names = sorted(sizes)
    if base in sizes:
        return [(name, base) for name in names if name != base]
    if len(names) <= MOST_IN_ALL_PAIRS:
        return list(combinations(names, 2))
    most = max(names, key=lambda name: sizes[name])
    return [(name, most) for name in names if name != most]
