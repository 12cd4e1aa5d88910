"""WEAT of salient words: which words are chosen, whose attributes they are set against, what is said beside d."""

import numpy as np
import pytest

from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.studies.letters.lexicon import LettersTable, letters_table
from biasprint.core.studies.letters.weat import Embedded, attribute_pairs, weat_findings, words_needed
from biasprint.core.studies.letters.word_ratios import PartWords, part_words

USE = ScorerUse("word_vectors", "test", "1")
# Each in one of the nine categories; the tagger takes all for nouns.
FIRST = ("talent", "skill", "leader", "expert", "ability", "genius", "capacity", "insight")
SECOND = ("compassion", "kindness", "daughter", "commitment", "emotion", "husband", "mother", "wedding")


def study(
    lean: float, pairs: int = 60, groups: tuple[str, str] = ("male", "female")
) -> tuple[LettersTable, list[PartWords]]:
    """Matched letters of twelve words from the two lists; the first group takes FIRST with probability ½ + lean."""
    rng = np.random.default_rng(2)
    texts, of, blocks = [], [], []
    for pair in range(pairs):
        for group, chance in zip(groups, (0.5 + lean, 0.5 - lean), strict=True):
            words = [rng.choice(FIRST if rng.random() < chance else SECOND) for _ in range(12)]
            texts.append(" ".join(f"We saw the {word} and the garden." for word in words))
            of.append(group)
            blocks.append(str(pair))
    return letters_table(texts, of, blocks=blocks, order=groups), part_words(texts, "pos_textblob")[0]


def vectors(without: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
    """FIRST and the first attributes point one way, SECOND and the second attributes another; none exactly alike."""
    rng = np.random.default_rng(0)
    ways = {word: 0 for pair in attribute_pairs() for word in pair.first.words} | dict.fromkeys(FIRST, 0)
    ways |= {word: 1 for pair in attribute_pairs() for word in pair.second.words} | dict.fromkeys(SECOND, 1)
    return {word: np.eye(4)[way] + rng.normal(0, 0.2, 4) for word, way in ways.items() if word not in without}


def measured(lean: float, **more: object) -> dict[tuple[str, str, str], Finding]:
    table, parts = study(lean)
    found = weat_findings(table, parts, Embedded(vectors(**more), USE), 0, 400)  # type: ignore[arg-type]
    return {(each.label, each.dims["pos"], each.variant): each for each in found}


def test_a_planted_association_is_found_with_its_words() -> None:
    found = measured(0.3)[("names", "noun", "default")]
    assert found.estimate is not None
    assert found.estimate > 1
    assert found.p is not None
    assert found.p < 0.05
    assert found.floor is not None
    assert found.floor.p95 < found.estimate
    assert all(word in found.note.split("female:")[0] for word in FIRST)
    assert all(word in found.note.split("female:")[1] for word in SECOND)
    assert "chosen again" in found.note
    assert (found.reason or "").startswith("interval: ")
    assert "John" in found.harm.split("female")[0]


def test_the_published_p_takes_the_words_as_given() -> None:
    found = measured(0.3)[("names", "noun", "as_published")]
    # 8 and 8 words, perfectly apart: one of the 12,870 splits.
    assert found.p == pytest.approx(1 / 12_870)
    assert "as given" in found.note


@pytest.mark.soak
def test_the_default_p_is_not_fooled_by_the_choice_of_words() -> None:
    """Without bias the words still fall apart by chance; re-choosing them keeps p uniform, fixed words do not."""
    table, parts = study(0.0)
    alarms = 0
    for seed in range(40):
        order = np.random.default_rng(seed).permutation(len(table.groups) // 2)
        swapped = np.random.default_rng(seed).random(len(order)) < 0.5
        groups = [g for flip in swapped for g in (("female", "male") if flip else ("male", "female"))]
        again = LettersTable(tuple(groups), table.counted, table.published, table.blocks, (), ("male", "female"))
        found = weat_findings(again, parts[:1], Embedded(vectors(), USE), seed, 200)
        p = next(each.p for each in found if (each.label, each.variant) == ("names", "default"))
        alarms += p is not None and p <= 0.05
    assert alarms <= 40 * 0.05 + 2 * np.sqrt(40 * 0.05 * 0.95)


def test_the_attributes_follow_the_groups() -> None:
    table, parts = study(0.3)
    turned, same_parts = study(-0.3, groups=("female", "male"))
    embedded = Embedded(vectors(), USE)
    one = next(iter(weat_findings(table, parts[:1], embedded, 0, 100)))
    other = next(iter(weat_findings(turned, same_parts[:1], embedded, 0, 100)))
    assert one.estimate is not None
    assert other.estimate is not None
    # In the second study women's letters come first and men's still take FIRST: female names are now the first list.
    assert other.estimate > 1
    assert "Amy" in other.harm.split("male nearer")[0]


def test_groups_without_names_of_their_own_have_career_and_family_only() -> None:
    table, parts = study(0.3, groups=("north", "south"))
    found = {
        (each.label, each.variant): each for each in weat_findings(table, parts[:1], Embedded(vectors(), USE), 0, 50)
    }
    assert found[("names", "default")].estimate is None
    assert "for north and south" in (found[("names", "default")].reason or "")
    assert found[("career_family", "default")].estimate is not None


def test_words_without_a_vector_are_listed() -> None:
    found = measured(0.3, without=("talent", "Amy"))[("names", "noun", "default")]
    assert "Without a vector: talent, Amy." in found.note
    assert found.estimate is not None


@pytest.mark.parametrize("without", [FIRST, FIRST[:7], SECOND])
def test_too_few_words_with_a_vector_are_a_reason(without: tuple[str, ...]) -> None:
    found = measured(0.3, without=without)[("names", "noun", "default")]
    assert found.estimate is None
    assert "fewer than 2 words" in (found.reason or "")


def test_no_attribute_with_a_vector_is_a_reason() -> None:
    names = tuple(word for pair in attribute_pairs() for word in pair.first.words)
    found = measured(0.3, without=names)[("names", "noun", "default")]
    assert "no word of an attribute" in (found.reason or "")


def test_the_words_asked_for_are_the_attributes_and_what_any_choice_could_take() -> None:
    table, parts = study(0.1)
    needed = words_needed(table, parts)
    assert {*FIRST, *SECOND, "John", "relatives"} <= set(needed)
    assert "garden" not in needed  # in no category
    assert len(needed) == len(set(needed))


def test_table_18_is_whole() -> None:
    names, career = attribute_pairs()
    assert [len(side.words) for pair in (names, career) for side in (pair.first, pair.second)] == [8, 8, 8, 8]
