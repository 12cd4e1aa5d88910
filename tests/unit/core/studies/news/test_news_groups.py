"""Mentions of groups: words, phrases, descriptors with occupations, names; and which group a sentence is about."""

from pathlib import Path

import numpy as np
import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts.axes import load_axis
from biasprint.core.scorers.group_words import GroupMatcher, GroupWord, sentence_group
from biasprint.core.scorers.segment import sentences
from biasprint.core.studies.news.table import GroupAxis, group_axis, read_occupations

# The lists as the paper prints them (methods, gender words).
PAPER_FEMALE = (
    "she daughter hers her mother woman girl herself female sister daughters mothers women girls females sisters aunt "
    "aunts niece nieces"
)
PAPER_MALE = (
    "he son his him father man boy himself male brother sons fathers men boys males "
    "brothers uncle uncles nephew nephews"
)
AXIS = """
key = "team"
title = "Team"
version = 1
[[identities]]
key = "red"
label = "Red"
phrase = "red"
words = ["red", "scarlet player"]
names = ["Rosa Vega"]
[[identities]]
key = "blue"
label = "Blue"
phrase = "blue"
words = ["blue", "{blue}"]
"""


def mentions(axis: GroupAxis, text: str) -> list[tuple[str, str]]:
    return [(entry.text, axis.groups[entry.group]) for _, entry in axis.matcher.mentions(text)]


def counts(axis: GroupAxis, text: str) -> dict[str, int]:
    return dict(zip(axis.groups, axis.matcher.blocks([text]).totals()[0].tolist(), strict=True))


def own_axis(folder: Path, blue: str = "azure") -> Path:
    path = folder / "team.toml"
    path.write_text(AXIS.replace("{blue}", blue), encoding="utf-8")
    return path


def test_as_published_the_gender_words_are_the_papers_two_lists() -> None:
    published = group_axis("gender").as_published()
    assert published is not None
    assert published.groups == ("woman", "man")
    text = f"{PAPER_FEMALE} {PAPER_MALE} nonbinary enby"
    assert counts(group_axis("gender"), text) == {"man": 20, "woman": 20, "non-binary": 2}
    assert {entry.text for entry in published.entries if entry.group == 1} == set(PAPER_FEMALE.split())
    assert {entry.text for entry in published.entries if entry.group == 0} == set(PAPER_MALE.split())


def test_words_count_in_any_case_inside_punctuation_and_before_an_apostrophe() -> None:
    axis = group_axis("gender")
    assert counts(axis, "“HER” (mother): women's, He’s—his.") == {"man": 2, "woman": 3, "non-binary": 0}


def test_parts_of_words_do_not_count() -> None:
    assert counts(group_axis("gender"), "there heroes human shepherd season") == {"man": 0, "woman": 0, "non-binary": 0}


def test_a_phrase_may_be_written_with_a_hyphen_or_a_blank() -> None:
    axis = group_axis("gender")
    for text in ("a non-binary artist", "a non binary artist", "a Non‑Binary artist"):
        assert counts(axis, text)["non-binary"] == 1
    assert counts(axis, "non. Binary stars")["non-binary"] == 0


def test_a_race_descriptor_counts_before_an_occupation_alone() -> None:
    axis = group_axis("race")
    assert counts(axis, "A black teacher met two Asian police officers.") == {"white": 0, "black": 1, "asian": 1}
    assert counts(axis, "A black ball, a white, teacher. Black. Teachers") == {"white": 0, "black": 0, "asian": 0}


def test_another_word_that_ends_like_a_descriptor_is_none() -> None:
    assert counts(group_axis("race"), "a caucasian student") == {"white": 0, "black": 0, "asian": 0}


def test_names_of_people_count_once_in_their_own_case_the_longest_first() -> None:
    names = {"Ann Lee": "asian", "Ann Lee Brown": "black", "Brown": "White"}
    axis = group_axis("race", names)
    assert mentions(axis, "Ann Lee Brown and Ann Lee saw Brown, not ann lee.") == [
        ("Ann Lee Brown", "black"),
        ("Ann Lee", "asian"),
        ("Brown", "white"),
    ]


def test_a_name_of_no_group_is_refused() -> None:
    with pytest.raises(UsageError, match="martian"):
        group_axis("race", {"Zed": "martian"})


def test_a_persons_own_axis_is_counted_by_its_words_and_names(tmp_path: Path) -> None:
    axis = group_axis(own_axis(tmp_path))
    assert counts(axis, "Rosa Vega, a Scarlet Player, beat the azure and blue.") == {"red": 2, "blue": 2}
    assert axis.as_published() is None


def test_the_given_names_of_a_shipped_axis_are_not_counted() -> None:
    assert load_axis("gender").identity("man").names
    assert counts(group_axis("gender"), "John and Paul") == {"man": 0, "woman": 0, "non-binary": 0}


def test_a_word_of_two_groups_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="“red” \\(red, blue\\)"):
        group_axis(own_axis(tmp_path, blue="Red"))


def test_an_axis_with_words_for_one_group_is_refused(tmp_path: Path) -> None:
    path = own_axis(tmp_path)
    path.write_text(path.read_text().replace('words = ["blue", "azure"]', ""))
    with pytest.raises(UsageError, match="fewer than two"):
        group_axis(path)


def test_there_are_many_occupations_in_singular_and_plural() -> None:
    occupations = read_occupations("occupations.txt")
    assert len(occupations) >= 300
    assert len(set(occupations)) == len(occupations)
    assert {"teacher", "teachers", "policewoman", "policewomen", "salesperson", "salespeople"} <= set(occupations)


def test_a_sentence_belongs_to_the_group_with_strictly_the_most_words() -> None:
    # The paper's example: three male words (his, himself, his) and one female (women).
    text = "French's book gave similar scrutiny to the novelist himself, uncovering his treatment of women in his life."
    axis = group_axis("gender")
    rows = axis.matcher.blocks([text, "He met her.", "It rained.", "She told her son."]).totals()
    assert [axis.groups[group] if group >= 0 else "neutral" for group in sentence_group(rows)] == [
        "man", "neutral", "neutral", "woman",
    ]  # fmt: skip


PROSE = """Dr. Mary Hill told the U.S. Senate that she would not resign. "He knows why," she said. Her sister agreed!
Was it his fault? Prices rose 3.5 percent in Jan. 2020, and J. R. Stone blamed his rivals... She did not.

A NEW START
Mr. and Mrs. Vane left with their son; he slept. The women stayed (for a week). They sang, e.g. old songs."""


def test_sentences_end_where_the_segmenter_ends_them() -> None:
    """Exactly so in ordinary prose: the mentions fall into the same groups of one sentence each."""
    matcher = GroupMatcher([GroupWord(word, 0) for word in (*PAPER_FEMALE.split(), *PAPER_MALE.split())], 1)
    quick = [len(matcher.mentions(PROSE[start:end])) for start, end in sentences(PROSE)]
    assert matcher.blocks([PROSE]).counts[:, 0].tolist() == [count for count in quick if count]


def test_no_groups_and_no_texts_are_no_trouble() -> None:
    axis = group_axis("gender")
    blocks = axis.matcher.blocks([])
    assert blocks.totals().shape == (0, 3)
    assert sentence_group(np.zeros((0, 2), dtype=np.int64)).tolist() == []
    assert axis.matcher.mentions("") == []
