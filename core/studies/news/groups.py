"""The groups of an axis as news texts mention them, and a check of the words that mention them.

Groups are matched by the axis's words, or by descriptor and occupation, and by names.
Source: Fang et al. 2024, methods, word level (METHODS, News)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts.axes import Axis, Harm, available_axes, load_axis
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.scorers.group_words import GroupMatcher, GroupWord
from biasprint.core.scorers.segment import lookups
from biasprint.core.text import for_matching

# ---- Groups

DEFAULT_AXES = ("gender", "race")
SHOWN = 5


@dataclass(frozen=True)
class GroupAxis:
    """An axis ready for counting. `groups`: identity ids; `labels` theirs in words; `entries`: what mentions them.

    `published`: the groups of the paper; empty for an axis that it does not have. `part_of`: the axis that this one
    holds some groups of; what mentions them is found with all the groups of that one.
    """

    id: str
    title: str
    groups: tuple[str, ...]
    labels: tuple[str, ...]
    entries: tuple[GroupWord, ...]
    published: tuple[str, ...] = ()
    harm: tuple[Harm, ...] = ()
    part_of: "GroupAxis | None" = None

    @cached_property
    def matcher(self) -> GroupMatcher:
        return GroupMatcher(self.entries, len(self.groups))

    def as_published(self) -> "GroupAxis | None":
        """The same with the paper's groups alone, in its order; itself where those are all; None where it has none."""
        if not self.published or self.published == self.groups:
            return self if self.published else None
        labels = tuple(self.labels[self.groups.index(group)] for group in self.published)
        return replace(self, groups=self.published, labels=labels, part_of=self)

    @property
    def places(self) -> list[int]:
        """The places of its groups in the axis it is a part of."""
        return [self.part_of.groups.index(group) for group in self.groups] if self.part_of else []


def group_axis(axis: str | Path | Axis, names: Mapping[str, str] | None = None) -> GroupAxis:
    """An axis by key, by path, or as it is. `names`: name → group, a person's own table.

    The given names of a shipped axis name people in prompts and are not counted; those of a person's own axis are.
    Raises `UsageError` for an axis with fewer than two groups that anything mentions, and for a name of no group;
    `AppError` for a word of two groups.
    """
    group_definition = axis if isinstance(axis, Axis) else load_axis(axis)
    groups = [identity.key for identity in group_definition.identities]
    entries = axis_entries(group_definition, names)
    mentioned = {entry.group for entry in entries}
    if len(mentioned) < 2:
        raise UsageError(
            f"The axis {group_definition.id} has words for fewer than two groups.",
            hint="Give at least two of its identities words, or names.",
        )
    _refuse_collisions(group_definition.id, groups, entries)
    used = [place for place in range(len(groups)) if place in mentioned]
    return GroupAxis(
        id=group_definition.id,
        title=group_definition.title,
        groups=tuple(groups[place] for place in used),
        labels=tuple(group_definition.identities[place].label for place in used),
        entries=tuple(replace(entry, group=used.index(entry.group)) for entry in entries),
        published=_published(group_definition),
        harm=group_definition.harm,
    )


def axis_entries(axis: Axis, names: Mapping[str, str] | None = None) -> list[GroupWord]:
    """List everything that mentions a group of the axis; a group's number is its identity's place."""
    groups = [identity.key for identity in axis.identities]
    rule = _rules().get(axis.id, {})
    entries = _descriptors(rule, groups) if rule.get("descriptors") else _words(axis)
    shipped = _shipped(axis)
    if shipped is None or shipped.sha256 != axis.sha256:
        entries += [GroupWord(name, place, True) for place, who in enumerate(axis.identities) for name in who.names]
    return entries + _named(axis, groups, names or {})


def collisions(entries: tuple[GroupWord, ...] | list[GroupWord]) -> dict[str, tuple[int, ...]]:
    """Entries that are in more than one group, with the places of those groups."""
    groups_of: dict[str, set[int]] = {}
    for entry in entries:
        groups_of.setdefault(" ".join(entry.words), set()).add(entry.group)
    return {text: tuple(sorted(groups)) for text, groups in groups_of.items() if text and len(groups) > 1}


def _refuse_collisions(axis: str, groups: list[str], entries: list[GroupWord]) -> None:
    if clashes := collisions(entries):
        listed = [f"“{text}” ({', '.join(groups[place] for place in places)})" for text, places in clashes.items()]
        more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
        raise AppError(
            f"The axis {axis} has words in two groups: {'; '.join(listed[:SHOWN])}{more}.",
            hint="Keep each in one group: a mention must say whom it is about.",
        )


def _shipped(axis: Axis) -> Axis | None:
    return load_axis(axis.key) if axis.key in available_axes() else None


def _published(axis: Axis) -> tuple[str, ...]:
    """The paper's groups; none where the axis lacks one, or has other words for it than the paper."""

    def words(of: Axis) -> dict[str, tuple[str, ...]]:
        return {identity.key: identity.words for identity in of.identities if identity.key in published}

    shipped = _shipped(axis)
    published = tuple(_rules().get(axis.id, {}).get("published", ()))
    return published if shipped and len(words(axis)) == len(published) and words(axis) == words(shipped) else ()


def _words(axis: Axis) -> list[GroupWord]:
    return [GroupWord(word, place) for place, identity in enumerate(axis.identities) for word in identity.words]


def _descriptors(rule: Mapping[str, Any], groups: list[str]) -> list[GroupWord]:
    occupations = read_occupations(rule["followed_by"])
    return [
        GroupWord(f"{descriptor} {occupation}", groups.index(group))
        for group, descriptors in rule["descriptors"].items()
        for descriptor, occupation in product(descriptors, occupations)
        if group in groups
    ]


def _named(axis: Axis, groups: list[str], names: Mapping[str, str]) -> list[GroupWord]:
    keys = {for_matching(form): identity.key for identity in axis.identities for form in (identity.label, identity.key)}
    unknown = sorted({group for group in names.values() if for_matching(group) not in keys})
    if unknown:
        raise UsageError(
            f"The table of names has groups that the axis {axis.id} does not: {', '.join(unknown[:SHOWN])}.",
            hint=f"Its groups: {', '.join(groups)}.",
        )
    return [GroupWord(name, groups.index(keys[for_matching(group)]), True) for name, group in names.items()]


def read_occupations(name: str) -> tuple[str, ...]:
    """The occupations of a packaged list, one in a line; a line that begins with # is a remark."""
    lines = packaged("lexicons", name).read_text(encoding="utf-8").splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def _rules() -> dict[str, Any]:
    return read_toml(packaged("lexicons", "news_groups.toml"))


# ---- Check of the words that mention the groups of an axis

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


def word_remarks(axis: Axis, names: Mapping[str, str] | None, texts: Sequence[str]) -> list[str]:
    """Remarks for a person who brought these words, in sentences; nothing where there is nothing to say."""
    lint = lint_groups(axis, names, texts)
    remarks = []
    if lint.ordinary:
        remarks.append(f"Names that are also words: {_some(lint.ordinary)}.")
    if lint.impossible:
        remarks.append(f"Entries that nothing can match: {_some(lint.impossible)}.")
    if lint.unused:
        remarks.append(f"Entries that no text holds: {_some(lint.unused)}.")
    if lint.coverage is not None and lint.mentioned is not None:
        each = ", ".join(f"{group} {share:.0%}" for group, share in lint.coverage.items())
        remarks.append(f"{lint.mentioned:.0%} of the articles mention a group ({each}).")
    return [f"Axis {axis.key}: {sentence[0].lower()}{sentence[1:]}" for sentence in remarks]


def _some(entries: Sequence[str]) -> str:
    more = f" and {len(entries) - MOST_SHOWN} more" if len(entries) > MOST_SHOWN else ""
    return f"{', '.join(entries[:MOST_SHOWN])}{more}"


def _is_word(words: tuple[str, ...]) -> bool:
    """True if a name of one word is also an English word, such as Grace, Mark or Will."""
    return len(words) == 1 and for_matching(words[0]) in _word_forms()


@cache
def _word_forms() -> frozenset[str]:
    """The words that inflected forms come from, by spaCy's lookup table: every English word with more than one form."""
    return frozenset(lookups("lemma_lookup").values())
