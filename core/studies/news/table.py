"""News as the study reads it: pairs of an original and a generated article, their group words and their sentences.

Built once and read by every level: words, sentences and documents share what has been counted and segmented."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError, UsageError
from biasprint.core.metrics.result import Ints
from biasprint.core.scorers.group_words import WordBlocks, blocks_of, sentence_group
from biasprint.core.scorers.refusal import REFUSAL, is_refusal
from biasprint.core.scorers.segment import sentences
from biasprint.core.studies.news.groups import GroupAxis
from biasprint.core.studies.news.prompts import UNBIASED  # what pairs say of their prompt, where it is not biased

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
