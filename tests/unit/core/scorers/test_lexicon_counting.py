"""Lexicons: both ways to count, the packaged lists, a person's own file."""

import hashlib
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.errors import AppError
from biasprint.core.scorers.lexicon import (
    Category,
    Lexicon,
    LexiconCounts,
    LexiconScorer,
    count_published,
    count_words,
    load_lexicon,
)
from biasprint.core.scorers.segment import words

SMALL = Lexicon(
    name="small",
    version="1",
    sha256="",
    source="",
    categories=(
        Category("personal", "Personal", ("son", "child", "parent*")),
        Category("standout", "Standout", ("outstand*", "outstanding", "able", "led")),
    ),
)


def by_words(*texts: str) -> LexiconCounts:
    return count_words([words(text) for text in texts], SMALL)


def test_published_counting_adds_every_entry_inside_a_token() -> None:
    # "person" holds "son"; "outstanding" holds two entries; "remarkable" holds "able"; "skilled" holds "led".
    counts = count_published(["A person, OUTSTANDING! Remarkable; skilled"], SMALL)
    assert counts.tokens.tolist() == [5]
    assert counts.categories.tolist() == [[1, 4]]
    assert counts.entries.tolist() == [[1, 0, 0, 1, 1, 1, 1]]


def test_published_counting_agrees_with_a_plain_loop_on_the_packaged_list() -> None:
    lexicon = load_lexicon("letters_table17")
    texts = ["A person of remarkable ability; Led, skilled, able<return>leader of leaders.", "kind of kindness contact"]
    expected = [
        [
            sum(entry.removesuffix("*") in token for token in text.lower().split() for entry in category.entries)
            for category in lexicon.categories
        ]
        for text in texts
    ]
    assert count_published(texts, lexicon).categories.tolist() == expected
    assert sum(expected[0]) > 10


def test_published_counting_splits_on_white_space_and_leaves_return_in() -> None:
    counts = count_published(["son<return>son son\u00a0son"], SMALL)
    assert counts.tokens.tolist() == [3]
    assert counts.categories[0].tolist() == [3, 0]  # an entry counts once in a token, however often it is there


def test_default_counting_wants_the_whole_word_its_lemma_or_a_starred_start() -> None:
    counts = by_words("A person, remarkable; skilled. His sons, children and PARENTHOOD. Grandparents are able.")
    assert counts.categories.tolist() == [[3, 1]]
    assert counts.entries.tolist() == [[1, 1, 1, 0, 0, 1, 0]]


def test_default_counting_counts_a_token_once_per_category() -> None:
    counts = by_words("Outstanding")
    assert counts.categories.tolist() == [[0, 1]]
    assert counts.entries.tolist() == [[0, 0, 0, 1, 1, 0, 0]]


def test_texts_do_not_influence_each_other_and_order_is_kept() -> None:
    texts = ["My son.", "", "Able parents led.", "My son."]
    together = by_words(*texts)
    for place, text in enumerate(texts):
        alone = by_words(text)
        assert together.categories[place].tolist() == alone.categories[0].tolist()
        assert together.entries[place].tolist() == alone.entries[0].tolist()
    assert together.tokens.tolist() == [2, 0, 3, 2]


def test_no_texts_give_no_rows() -> None:
    for counts in (by_words(), count_published([], SMALL), by_words("", " ")):
        assert counts.categories.shape[1] == 2
        assert counts.tokens.sum() == 0


def test_counts_survive_being_stored_as_scores() -> None:
    counts = by_words("My son is able.", "Nothing.")
    again = LexiconCounts.from_values(counts.values(), SMALL)
    assert counts.values().dtype == np.float32
    for name in ("tokens", "categories", "entries"):
        assert (getattr(again, name) == getattr(counts, name)).all()
    with pytest.raises(AppError, match="do not fit"):
        LexiconCounts.from_values(counts.values()[:, :-1], SMALL)


def test_counting_agrees_with_a_plain_loop_on_the_packaged_list() -> None:
    lexicon = load_lexicon("letters")
    text = (
        "She manages research with remarkable intellect, leads warmly, and helps. Kindness, committed professionals, "
        "a trusted expert: talented, skilled, impulsive? Her children, her wife. The best, most confident analyst."
    )
    document = words(text)
    expected = []
    for category in lexicon.categories:
        hits = 0
        for word in document:
            form = word.text.casefold()
            hits += any(
                form.startswith(entry[:-1]) if entry.endswith("*") else entry in (form, word.lemma)
                for entry in category.entries
            )
        expected.append(hits)
    assert count_words([document], lexicon).categories[0].tolist() == expected
    assert min(expected) > 0


def test_the_printed_list_keeps_the_papers_slips_and_the_edited_one_mends_them() -> None:
    printed, edited = load_lexicon("letters_table17"), load_lexicon("letters")
    assert [len(category.entries) for category in printed.categories] == [27, 15, 4, 39, 34, 10, 12, 9, 13]
    for lexicon in (printed, edited):
        assert [category.title for category in lexicon.categories][:3] == ["Ability", "Standout", "Leadership"]
        assert [category.name for category in lexicon.categories][3:6] == ["masculine", "feminine", "agentic"]
        assert [category.name for category in lexicon.categories][6:] == ["communal", "professional", "personal"]
    assert "implusive*" in printed.entries
    assert "impulsive*" in edited.entries
    assert {"profess", "hierarch", "empath", "aggress", "intellect"} <= set(printed.entries)
    assert {"profess*", "hierarch*", "empath*", "aggress*", "intellect*"} <= set(edited.entries)
    assert edited.as_printed == "letters_table17"
    assert (
        printed.sha256
        == hashlib.sha256(
            files("biasprint.resources").joinpath("lexicons/letters_table17.toml").read_bytes()
        ).hexdigest()
    )


def test_the_scorers_count_with_the_list_their_rule_needs() -> None:
    default, published = LexiconScorer(), LexiconScorer("letters", counting="published")
    assert (default.lexicon.name, published.lexicon.name) == ("letters", "letters_table17")
    values = published.score(["A skilled person"])[0]
    assert values.values[0] == 3
    assert values.summary is None
    assert published.lexicon.entries[int(np.flatnonzero(values.values[10:])[0])] == "skill"
    assert default.version != published.version


def own_file(folder: Path, body: str) -> Path:
    path = folder / "own.toml"
    path.write_text(body, encoding="utf-8")
    return path


def test_a_persons_own_file_is_read(tmp_path: Path) -> None:
    path = own_file(tmp_path, 'name="own"\nversion="3"\n[[category]]\nname="x"\nentries=["élan", "brav*"]\n')
    lexicon = load_lexicon(path)
    assert (lexicon.name, lexicon.version, lexicon.entries) == ("own", "3", ("élan", "brav*"))
    assert count_words([words("E\u0301LAN, bravery")], lexicon).categories.tolist() == [[2]]


@pytest.mark.parametrize(
    "body",
    [
        "not toml",
        'name="own"\nversion="1"\n',
        'name="own"\nversion="1"\n[[category]]\nname="x"\nentries=["two words"]\n',
        'name="own"\nversion="1"\n[[category]]\nname="x"\nentries=["*"]\n',
        'name="own"\nversion="1"\n[[category]]\nname="x"\nentries=["in*side"]\n',
        'name="own"\nversion="1"\n[[category]]\nname="x"\nentries=["a","a"]\n',
        'name="own"\nversion="1"\n[[category]]\nname="x"\nharm="both"\nentries=["a"]\n',
        'name="own"\nversion="1"\n[[category]]\nname="x"\nentries=[1]\n',
        'name="own"\nversion="1"\ncategory=5\n',
        'name="own"\nversion="1"\n[[category]]\nname="x"\nentries=["a"]\n[[category]]\nname="x"\nentries=["b"]\n',
    ],
)
def test_a_broken_file_is_refused_with_one_clear_error(tmp_path: Path, body: str) -> None:
    with pytest.raises(AppError, match="cannot be read"):
        load_lexicon(own_file(tmp_path, body))


def test_a_missing_list_is_named() -> None:
    with pytest.raises(AppError, match="no word list “nothing”"):
        load_lexicon("nothing")
