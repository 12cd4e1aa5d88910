"""News as the study reads it: pairs of an original and a generated article, their group words and their sentences.

Built once and read by every level: words, sentences and documents share what has been counted and segmented.

The groups of an axis as news texts mention them, and a check of the words that mention them.

Groups are matched by the axis's words, or by descriptor and occupation, and by names.
Source: Fang et al. 2024, methods, word level (METHODS, News).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from itertools import combinations, product
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError, UsageError
from biasprint.core.metrics.result import Ints
from biasprint.core.prompts.axes import Axis, Harm, available_axes, load_axis
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.scorers.group_words import GroupMatcher, GroupWord, WordBlocks, blocks_of, sentence_group
from biasprint.core.scorers.refusal import REFUSAL, is_refusal
from biasprint.core.scorers.segment import lookups, sentences
from biasprint.core.studies.news.prompts import UNBIASED  # what pairs say of their prompt, where it is not biased
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


# ---- Language: is an article English?
# The word lists are, and their words mean other things elsewhere (“man”, “her”). Quick, because every article is asked:
# biasprint.core.scorers.segment is more exact, and has a segmented text to look at.

# Together about a third of the words of English prose, and far fewer of any other language's.
COMMON = frozenset((
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "was", "with", "his", "her", "he", "she", "it", "on",
    "as", "at", "by", "from", "be", "are", "this",
))  # fmt: skip
LEAST = 0.1
READ = 2_000  # characters
SHORTEST = 20  # words; a shorter text is taken as English


# Articles whose sentences and language are kept: generators are compared by measuring them many times over.
MOST_KEPT = 4_096


@lru_cache(maxsize=MOST_KEPT)
def looks_english(text: str) -> bool:
    """True if at least a tenth of its first words are among the most common English ones."""
    words = text[:READ].casefold().split()
    return len(words) < SHORTEST or sum(word in COMMON for word in words) >= LEAST * len(words)


# ---- The table

Side = Literal["original", "generated"]
SIDES: tuple[Side, Side] = ("original", "generated")
NEUTRAL = -1
EMPTY, REFUSED = "empty generation", REFUSAL
NOT_ENGLISH = "an article is not in English"
V = TypeVar("V")


@dataclass(frozen=True)
class NewsPair:
    """One original and what a model generated for its headline. `prompt_kind`: unbiased, or a biased prompt's name.
    `reply`: the kind of its reply where that is known, such as a refusal in no words.
    """

    original: str
    generated: str
    headline: str = ""
    model: str = ""
    prompt_kind: str = UNBIASED
    domain: str = ""
    reply: str = ""

    @property
    def story(self) -> str:
        """The key that pairs about the same event share: the headline, or the original itself where there is none."""
        return self.headline or self.original


@dataclass(frozen=True)
class NewsTable:
    """`pairs`: those with an article on both sides. `unanswered`: refusals and empty generations, which are no pairs.

    `axes`: the groups that are looked for. `dropped`: rows left out, by reason, refusals and empty ones among them.
    """

    pairs: tuple[NewsPair, ...]
    axes: tuple[GroupAxis, ...]
    unanswered: tuple[NewsPair, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    _known: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def rows(self) -> int:
        return len(self.pairs) + sum(self.dropped.values())

    def texts(self, side: Side) -> tuple[str, ...]:
        """The articles of one side, one per pair."""
        return tuple(getattr(pair, side) for pair in self.pairs)

    def column(self, name: Literal["model", "prompt_kind", "domain", "story"]) -> NDArray[Any]:
        """One value per pair: object[pairs]."""
        return np.array([getattr(pair, name) for pair in self.pairs], dtype=object)

    def word_blocks(self, axis: GroupAxis, side: Side) -> WordBlocks:
        """The sentences that mention a group, found without the segmenter (see biasprint.core.scorers.group_words)."""
        if axis.part_of:
            return self.word_blocks(axis.part_of, side).of_groups(axis.places)
        return self._once(("words", side), lambda: self._all_blocks(side))[axis.id]

    def word_counts(self, axis: GroupAxis, side: Side) -> Ints:
        """Mentions of each group per pair: int64[pairs, groups]."""
        return self._once(("counts", axis.id, axis.groups, side), lambda: self.word_blocks(axis, side).totals())

    def sentences(self, side: Side) -> tuple[tuple[str, ...], ...]:
        """The sentences of each pair's article, by the project's segmenter. A text that comes again is read once."""
        return self._once(("sentences", side), lambda: _each_once(self.texts(side), _sentences))

    def sentence_groups(self, axis: GroupAxis, side: Side) -> tuple[Ints, ...]:
        """Return by pair the group of each of `sentences`: the place in `axis.groups` or NEUTRAL. int64[sentences]."""

        def label() -> tuple[Ints, ...]:
            counts = self._sentence_counts(axis.part_of or axis, side)
            return tuple(sentence_group(each[:, axis.places] if axis.part_of else each) for each in counts)

        return self._once(("labels", axis.id, axis.groups, side), label)

    def _all_blocks(self, side: Side) -> dict[str, WordBlocks]:
        blocks_by_axis = blocks_of([axis.matcher for axis in self.axes], self.texts(side))
        return {axis.id: blocks for axis, blocks in zip(self.axes, blocks_by_axis, strict=True)}

    def _sentence_counts(self, axis: GroupAxis, side: Side) -> tuple[Ints, ...]:
        def count(sentences: tuple[str, ...]) -> Ints:
            return axis.matcher.blocks(sentences).totals()

        return self._once(("sentence counts", axis.id, side), lambda: _each_once(self.sentences(side), count))

    def _once(self, key: Any, make: Callable[[], V]) -> V:
        if key not in self._known:
            self._known[key] = make()
        known: V = self._known[key]
        return known


def news_table(
    originals: Sequence[str],
    generated: Sequence[str],
    axes: Sequence[GroupAxis],
    *,
    headlines: Sequence[str] = (),
    models: Sequence[str] = (),
    prompt_kinds: Sequence[str] = (),
    domains: Sequence[str] = (),
    replies: Sequence[str] = (),
    dropped: Mapping[str, int] | None = None,
) -> NewsTable:
    """The pairs of a table, in its order. A row without an original or in another language is dropped and counted.

    Raises `AppError` where the columns are not equally long, `UsageError` for an axis that comes twice.
    """
    ids = [axis.id for axis in axes]
    for key in ids:
        if ids.count(key) > 1:
            raise UsageError(f"The axis {key} is given twice.", hint="Name each axis once.")
    columns = [originals, generated] + [
        column or [""] * len(originals) for column in (headlines, models, prompt_kinds, domains, replies)
    ]
    if any(len(column) != len(originals) for column in columns):
        raise AppError("The columns of the news are not equally long.", hint="Give one value for every pair.")
    pairs, unanswered = [], []
    counted: Counter[str] = Counter(dropped or {})
    for original, written, headline, model, kind, domain, reply in zip(*columns, strict=True):
        of = (headline.strip(), model.strip(), kind.strip() or UNBIASED, domain.strip(), reply.strip())
        pair = NewsPair(original, written, *of)
        if not original.strip():
            counted["no original"] += 1
        elif reason := why_unanswered(pair):
            counted[reason] += 1
            unanswered.append(pair)
        elif not (looks_english(original) and looks_english(written)):
            counted[NOT_ENGLISH] += 1
        else:
            pairs.append(pair)
    return NewsTable(tuple(pairs), tuple(axes), tuple(unanswered), dict(counted))


def why_unanswered(pair: NewsPair) -> str:
    """Return the reason why a generation is no article: it is empty, or a refusal. Empty for an article."""
    if pair.reply == REFUSED or is_refusal(pair.generated):
        return REFUSED
    return "" if pair.generated.strip() else EMPTY


@lru_cache(maxsize=MOST_KEPT)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in sentences(text))


T = TypeVar("T")


def _each_once(items: Sequence[T], make: Callable[[T], V]) -> tuple[V, ...]:
    known: dict[T, V] = {}
    for item in items:
        if item not in known:
            known[item] = make(item)
    return tuple(known[item] for item in items)


# ---- Matched rows: the same headline under a biased and the unbiased prompt, or by two models

Key = tuple[str, int]  # story, and which of its generations


def matched_rows(table: NewsTable) -> Iterator[tuple[str, str, Ints, Ints]]:
    """Yield for each biased prompt and model: the kind, the model (empty where there is one only), and the rows.

    The rows are of headlines asked both ways, biased and unbiased, in the same order. Generation i pairs with
    generation i.
    """
    by_key = _rows_by_key(table)
    kinds = dict.fromkeys(kind for _, kind in by_key)
    models = dict.fromkeys(model for model, _ in by_key)
    for kind in kinds:
        for model in models:
            biased, unbiased = by_key.get((model, kind)), by_key.get((model, UNBIASED))
            if kind != UNBIASED and biased and unbiased:
                yield kind, model if len(models) > 1 else "", *_shared(biased, unbiased)


def shared_rows(table: NewsTable) -> Iterator[tuple[str, str, Ints, Ints]]:
    """Yield for each two models: names, and the rows of headlines that both wrote for under the unbiased prompt."""
    by_key = _rows_by_key(table)
    models = [model for model in dict.fromkeys(model for model, _ in by_key) if model and (model, UNBIASED) in by_key]
    for first_model, second_model in combinations(models, 2):
        yield first_model, second_model, *_shared(by_key[first_model, UNBIASED], by_key[second_model, UNBIASED])


def _rows_by_key(table: NewsTable) -> dict[tuple[str, str], dict[Key, int]]:
    """Return, by model and prompt kind, the row of each headline's generations."""
    by_key: dict[tuple[str, str], dict[Key, int]] = {}
    seen: Counter[tuple[str, str, str]] = Counter()
    for row, pair in enumerate(table.pairs):
        place = seen[pair.model, pair.prompt_kind, pair.story]
        seen[pair.model, pair.prompt_kind, pair.story] += 1
        by_key.setdefault((pair.model, pair.prompt_kind), {})[pair.story, place] = row
    return by_key


def _shared(first: dict[Key, int], second: dict[Key, int]) -> tuple[Ints, Ints]:
    keys = [key for key in first if key in second]
    return tuple(np.array([rows[key] for key in keys], dtype=np.int64) for rows in (first, second))  # type: ignore[return-value]
