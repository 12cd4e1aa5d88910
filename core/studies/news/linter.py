"""What is wrong, or worth knowing, about the words that mention the groups of an axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from core.prompts.axes import Axis
from core.scorers.group_words import GroupMatcher
from core.studies.news.groups import axis_entries, collisions
from core.text import for_matching

MOST_SHOWN = 12


@dataclass(frozen=True)
class GroupLint:
    """`collisions`: entries of more than one group, with those groups; measuring refuses them.

    `ordinary`: names that are also words. `impossible`: entries without a letter or digit, which nothing can match.
    `unused`: entries that the given texts never match. `coverage`: the share of the texts that mention each group;
    `mentioned`: any of them. The last three are None where no texts are given.
    """

    collisions: Mapping[str, tuple[str, ...]]
    ordinary: tuple[str, ...]
    impossible: tuple[str, ...]
    unused: tuple[str, ...] | None = None
    coverage: Mapping[str, float] | None = None
    mentioned: float | None = None

    @property
    def clean(self) -> bool:
        return not (self.collisions or self.ordinary or self.impossible)


def lint_groups(axis: Axis, names: Mapping[str, str] | None = None, texts: Sequence[str] = ()) -> GroupLint:
    """Checks the entries of an axis and a person's table of names, and how the texts are covered. Loads word forms."""
    groups = [identity.key for identity in axis.identities]
    entries = axis_entries(axis, names)
    matched = [entry for entry in entries if entry.words]
    lint = GroupLint(
        collisions={text: tuple(groups[place] for place in places) for text, places in collisions(entries).items()},
        ordinary=tuple(dict.fromkeys(entry.text for entry in matched if entry.exact and _is_word(entry.words))),
        impossible=tuple(dict.fromkeys(entry.text for entry in entries if not entry.words)),
    )
    if not texts:
        return lint
    matcher = GroupMatcher(matched, len(groups))
    used = {entry.text for entry in matcher.uses(texts)}
    covered = matcher.blocks(texts).totals() > 0
    return GroupLint(
        lint.collisions,
        lint.ordinary,
        lint.impossible,
        unused=tuple(dict.fromkeys(entry.text for entry in matched if entry.text not in used)),
        coverage=dict(zip(groups, map(float, covered.mean(axis=0)), strict=True)),
        mentioned=float(covered.any(axis=1).mean()),
    )


def remarks(axis: Axis, names: Mapping[str, str] | None, texts: Sequence[str]) -> list[str]:
    """What a person who brought these words should know, in sentences; nothing where there is nothing to say."""
    lint = lint_groups(axis, names, texts)
    said = []
    if lint.ordinary:
        said.append(f"Names that are also words: {_some(lint.ordinary)}.")
    if lint.impossible:
        said.append(f"Entries that nothing can match: {_some(lint.impossible)}.")
    if lint.unused:
        said.append(f"Entries that no text holds: {_some(lint.unused)}.")
    if lint.coverage is not None and lint.mentioned is not None:
        each = ", ".join(f"{group} {share:.0%}" for group, share in lint.coverage.items())
        said.append(f"{lint.mentioned:.0%} of the articles mention a group ({each}).")
    return [f"Axis {axis.key}: {sentence[0].lower()}{sentence[1:]}" for sentence in said]


def _some(entries: Sequence[str]) -> str:
    more = f" and {len(entries) - MOST_SHOWN} more" if len(entries) > MOST_SHOWN else ""
    return f"{', '.join(entries[:MOST_SHOWN])}{more}"


def _is_word(words: tuple[str, ...]) -> bool:
    """Is a name of one word also an English word, such as Grace, Mark or Will?"""
    return len(words) == 1 and for_matching(words[0]) in _word_forms()


@cache
def _word_forms() -> frozenset[str]:
    """The words that inflected forms come from, by spaCy's lookup table: every English word with more than one form."""
    from spacy.lookups import load_lookups

    return frozenset(load_lookups("en", ["lemma_lookup"]).get_table("lemma_lookup").values())
