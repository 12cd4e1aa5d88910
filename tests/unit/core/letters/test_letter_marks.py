"""Language marks: sentences written by hand with what a careful reader would expect, and the rules one by one."""

import re
import time
import tomllib
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from seeded_part import seeded_part

from biasprint.core.letters.categories import categories, version_of_marks
from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.values import CATEGORIES, Mark, PartKind, Sentence
from biasprint.core.swap import Person

DATA = tomllib.loads((Path(__file__).resolve().parents[3] / "data" / "letter_marks.toml").read_text("utf-8"))
PARTS = ("development", "held_out")


def read(text: str, person: Person | None = None, part: PartKind = "body", start: int = 0) -> tuple[Mark, ...]:
    return marks_of([Sentence(0, start, start + len(text), text, part)], person)


def found(text: str, person: Person | None = None) -> set[str]:
    return {mark.category for mark in read(text, person)}


def words(text: str, category: str) -> list[str]:
    return [mark.words for mark in read(text) if mark.category == category]


def counted(rows: list[dict[str, Any]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in rows:
        person = Person(row["first"], row["last"]) if "first" in row else None
        got, expected = found(row["says"], person), set(row["has"])
        counts["hit"] += len(got & expected)
        counts["extra"] += len(got - expected)
        counts["missed"] += len(expected - got)
    return counts


def shares(counts: Counter[str]) -> tuple[float, float]:
    return counts["hit"] / (counts["hit"] + counts["extra"]), counts["hit"] / (counts["hit"] + counts["missed"])


def test_the_hand_made_sentences_cover_what_they_should() -> None:
    rows = [row for part in PARTS for row in DATA[part]]
    assert len(rows) >= 100
    assert len({row["says"] for row in rows}) == len(rows)
    assert {category for row in rows for category in row["has"]} == set(CATEGORIES)
    assert 0.55 <= len(DATA["development"]) / len(rows) <= 0.65
    assert sum(not row["has"] for row in rows) >= 20  # traps


def test_precision_and_recall_on_all_sentences() -> None:
    counts = counted([row for part in PARTS for row in DATA[part]])
    precision, recall = shares(counts)
    assert precision >= 0.9, counts
    assert recall >= 0.9, counts


@pytest.mark.parametrize("part", PARTS)
def test_precision_and_recall_on_each_part(part: str) -> None:
    precision, recall = shares(counted(DATA[part]))
    assert precision >= 0.9
    assert recall >= 0.9


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_category_is_missed_altogether(category: str) -> None:
    rows = [row for part in PARTS for row in DATA[part] if category in row["has"]]
    people = [Person(row["first"], row["last"]) if "first" in row else None for row in rows]
    hits = sum(category in found(row["says"], person) for row, person in zip(rows, people, strict=True))
    assert hits / len(rows) >= 0.75


@pytest.mark.parametrize(
    ("says", "category", "expected"),
    [
        ("He isn’t a natural leader.", "doubt", "n’t a natural leader"),
        ("He isn't a natural leader.", "doubt", "n't a natural leader"),
        ("She should be able to cope.", "doubt", "should be able"),
        ("He is an organised and skilful clerk.", "grindstone", "organised"),
        ("He is an organized and skillful clerk.", "ability", "skillful"),
        ("She will be missed by Mrs Hale.", "gender", "Mrs"),
        ("She is a forty-one-year-old baker.", "age", "forty-one-year-old"),
        ("She is a thirty-year-old baker.", "age", "thirty-year-old"),
        ("He is of Polish descent.", "origin", "of Polish descent"),
    ],
)
def test_spellings_contractions_and_quotation_marks(says: str, category: str, expected: str) -> None:
    assert expected in words(says, category)


@pytest.mark.parametrize(
    "says",
    [
        "She keeps to herself.",
        "Please polish the floor.",
        "Our dynamics lab is new.",
        "The comparison took an hour.",
        "The team lead sat next door.",
        "You may call me at any time.",
        "We will miss the deadline.",
        "If you have any concerns, call me.",
    ],
)
def test_what_only_looks_like_an_entry_is_none(says: str) -> None:
    assert found(says) == set()


@pytest.mark.parametrize(
    ("says", "hedged", "negated"),
    [
        ("She is not reliable.", False, True),
        ("She is no longer reliable.", False, True),
        ("Her leadership was lacking.", False, True),
        ("He may become a gifted writer.", True, False),
        ("If he were trained, he could become reliable.", True, False),
    ],
)
def test_praise_that_is_turned_round_is_a_doubt_that_says_how(says: str, hedged: bool, negated: bool) -> None:
    marks = [mark for mark in read(says) if mark.category == "doubt"]
    assert [(mark.hedged, mark.negated) for mark in marks] == [(hedged, negated)]
    assert ("is only hoped for" if hedged else "is denied here") in marks[0].reason
    assert found(says) == {"doubt"}


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("He is not tidy, but he is brilliant.", {"ability"}),
        ("She was never late, and she is a talented baker.", {"ability"}),
        ("She is never late and puts in long hours.", {"grindstone"}),
        ("I have never met a more talented baker.", {"ability"}),
        ("I have never known him to be reliable.", {"doubt"}),
        ("I cannot recommend her outstanding work highly enough.", {"standout"}),
        ("He had no difficulties with the exam.", set()),
    ],
)
def test_how_far_a_negation_reaches(says: str, expected: set[str]) -> None:
    assert found(says) == expected


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("I led the ward for years.", set()),
        ("I found her reliable.", {"grindstone"}),
        ("We were able to hire her.", set()),
        ("Our expertise is in law.", set()),
        ("She is our most brilliant engineer.", {"standout", "ability"}),
        ("I have taught many talented students.", set()),
        ("He is one of the most talented students.", {"standout", "ability"}),
        ("He praises the hard work of his colleagues.", set()),
        ("She taught the team, and their skills grew.", set()),
        ("This post requires creativity.", {"ability"}),
        ("I recommend her for any post that requires creativity.", set()),
        ("This has been very helpful.", set()),
    ],
)
def test_whom_praise_is_about(says: str, expected: set[str]) -> None:
    assert found(says) == expected


@pytest.mark.parametrize(
    ("says", "category"),
    [
        ("She is remarkably articulate.", "origin"),
        ("He is a credit to his community.", "origin"),
        ("She has natural rhythm.", "origin"),
        ("He comes from the inner city.", "origin"),
        ("Like most Indians, she is good with numbers.", "origin"),
        ("He is a typically German engineer.", "origin"),
        ("She is not emotional like other women.", "gender"),
        ("Unlike most women, she is calm.", "gender"),
        ("She does a good day's work for her age.", "age"),
        ("At 54, she still learns.", "age"),
        ("He is 61.", "age"),
        ("Grace, 41, runs the ward.", "age"),
        ("He is set in his ways.", "age"),
        ("She did what was asked.", "doubt"),
        ("He needs only minimum supervision.", "doubt"),
        ("Unlike most historians of his generation, he writes.", "age"),
        ("She is livelier than the usual run of men in this work.", "gender"),
        ("She is more careful than other male clerks.", "gender"),
        ("Men do not have the patience for it.", "gender"),
        ("Most of her kind cannot back up a trailer.", "origin"),
        ("Measured against students from that region, she did well.", "origin"),
        ("By the standards of her country, she writes well.", "origin"),
        ("In spite of a shaky beginning, she stayed.", "doubt"),
        ("You will want to keep an eye on her.", "doubt"),
        ("She can get rattled.", "doubt"),
        ("I have some hesitation about it.", "doubt"),
        ("If she keeps her head screwed on, she will go far.", "doubt"),
        ("Her files are no worse than what others deliver.", "doubt"),
        ("It remains to be seen whether she can lead a group.", "doubt"),
    ],
)
def test_stereotypes_comparisons_ages_and_faint_praise(says: str, category: str) -> None:
    assert category in found(says, Person("Grace", "Young", pronoun="she"))


@pytest.mark.parametrize(
    ("says", "category"),
    [
        ("Her duties include, but are not limited to, filing.", "doubt"),
        ("I would be remiss if I did not write this.", "doubt"),
        ("There is no denying her talent.", "doubt"),
        ("She raised the team's batting average.", "doubt"),
        ("Her appearance on the evening news went well.", "appearance"),
        ("She worked with slim margins.", "appearance"),
        ("She set up a warm standby.", "communal"),
        ("She treated a patient's hearing loss.", "health"),
        ("She works with children with diabetes.", "health"),
        ("Her mother's cancer kept her from the exam.", "health"),
        ("She teaches young adults.", "age"),
        ("She restored a fifty-year-old bridge.", "age"),
        ("My wife and I know her well.", "family"),
        ("As a mother myself, I trust her.", "family"),
        ("I myself am an old man.", "age"),
        ("I am a woman of few words, and she is not.", "gender"),
        ("The team was brilliant.", "ability"),
        ("She learned from a confident predecessor.", "agentic"),
        ("She worked with Amanda Lear, a French singer.", "origin"),
        ("Her essay “A Young Man in Lyon” was printed.", "gender"),
        ("The office lady calls her spicy.", "gender"),
        ("Our Scottish foreman took weeks to follow.", "gender"),
        ("One man on our board said so.", "gender"),
        ("There was an old boy at the stop.", "gender"),
        ("She walked into the chairman's office.", "gender"),
        ("She plated eleven around the fireman.", "gender"),
        ("She is one of the finest of her generation.", "age"),
        ("She has had no trouble with the office.", "doubt"),
        ("She is clearly above the average.", "doubt"),
        ("She makes a shell that doesn't shrink, and reduces a bold red to a sauce.", "doubt"),
        ("She is, let me not waste your time, a genius.", "doubt"),
        ("She framed it and hung it above the toilet.", "grindstone"),
        ("She is ambitious in the best sense.", "standout"),
        ("She walked into it without raising her voice.", "family"),
    ],
)
def test_idioms_and_what_is_said_of_others(says: str, category: str) -> None:
    assert category not in found(says, Person("Grace", "Young", pronoun="she"))


@pytest.mark.parametrize(
    "says",
    [
        "She is the only woman on the crew.",
        "The young lady before you is Grace.",
        "The chairwoman signed it.",
        "She is a fine lady.",
        "Our office lady, Grace, does the wages.",
        "She is the best salesman we had.",
        "The lad works hard.",
    ],
)
def test_a_word_of_gender_for_the_candidate_stays(says: str) -> None:
    assert "gender" in found(says, Person("Grace", "Young", pronoun="she"))


def test_the_candidates_names_are_no_words_and_other_peoples_are_not_either() -> None:
    will, young = Person("Will", "Bright", pronoun="he"), Person("Grace", "Young", pronoun="she")
    assert found("Will Bright’s desk is by the door.", will) == set()
    assert found("Ms Young and GRACE came.", young) == set()
    assert found("Bright is a young man.", will) == {"age", "gender"}
    assert found("He worked with Professor Young and Dr Sharp.") == set()


def test_an_initial_for_a_name_masks_no_word() -> None:
    assert found("A kind man came.", Person("A", "I", pronoun="he")) == {"communal", "gender"}


def test_they_as_one_person_keeps_their_praise() -> None:
    assert found("Their skills are rare.", Person("Sam", "Roe", pronoun="they")) == {"ability"}


def test_only_the_body_has_marks() -> None:
    assert read("He is brilliant.", part="signature") == ()
    assert read("He is brilliant.", part="quoted_cv") == ()
    assert read("", part="body") == ()


def test_places_are_those_of_the_letter_and_a_mark_says_why() -> None:
    text = "She is an İzmir-born, talented baker."
    (mark,) = [one for one in read(text, start=100) if one.category == "ability"]
    assert text[mark.start - 100 : mark.end - 100] == mark.words == "talented"
    assert mark.reason == categories()["ability"].known_for
    assert mark.source == categories()["ability"].source
    assert mark.key(text) == read(text)[-1].key(text)


def test_marks_come_in_order_and_those_of_one_category_do_not_overlap() -> None:
    text = "She is one of the most talented, most brilliant, hard-working and kind young women of Polish descent."
    marks = read(text)
    assert [mark.start for mark in marks] == sorted(mark.start for mark in marks)
    for category in CATEGORIES:
        own = [mark for mark in marks if mark.category == category]
        assert all(one.end <= other.start for one, other in pairwise(own))


def test_every_category_names_its_source_and_the_version_is_of_the_data() -> None:
    assert tuple(categories()) == (*CATEGORIES, "personality", "masculine", "feminine")
    for category in categories().values():
        assert category.title
        assert category.known_for.endswith(".")
        assert any(map(str.isdigit, category.source)) or category.source == "convention of writing guides"
        assert category.entries
        assert len(set(category.entries)) == len(category.entries)
    assert len(version_of_marks().split()[-1]) == 12


LONG = {
    "word": "a" * 250_000,
    "entries": "talented " * 2_500,
    "compound": "helps helps " + "a-" * 125_000,
    "apostrophes": "capab'" * 40_000 + "-",
    "negations": "not " * 15_000 + "talented",
    "hedges": "she may " * 3_000,
    "spaces": " " * 125_000 + "talented",
    "quotes": "’" * 25_000,
    "commas": "perhaps, " * 3_000,
    "capitals": "Young " * 2_500,
}


@pytest.mark.parametrize("kind", seeded_part(LONG, 2))
def test_a_long_hostile_text_does_not_stall(kind: str) -> None:
    text = LONG[kind]
    read("Warm up.")
    began = time.process_time()
    read(text, Person("Young", "Talent", pronoun="she"))
    assert time.process_time() - began < 3  # linear: half a second at most; quadratic: many minutes


@pytest.mark.soak
def test_a_letter_is_marked_faster_than_the_words_of_the_lists_are_looked_for_one_by_one() -> None:
    """The plain way, without any of the rules, in the same run: 30 ms or so for 400 words."""
    says = [row["says"] for part in PARTS for row in DATA[part]][:60]
    sentences = [Sentence(place, 0, len(text), text, "body") for place, text in enumerate(says)]
    assert sum(len(text.split()) for text in says) >= 400
    person = Person("Grace", "Young", pronoun="she")
    entries = [word.split()[0] for one in categories().values() for entry in one.entries for word in entry.split("|")]
    patterns = [re.compile(rf"\b{re.escape(word.strip('*^'))}") for word in dict.fromkeys(entries)]

    def one_by_one() -> None:
        assert sum(pattern.search(text) is not None for text in says for pattern in patterns)

    taken: dict[str, list[float]] = {"marks": [], "plain": []}
    for _ in range(6):
        for name, work in (("marks", lambda: marks_of(sentences, person)), ("plain", one_by_one)):
            began = time.process_time()
            work()
            taken[name].append(time.process_time() - began)
    assert min(taken["marks"]) < min(taken["plain"]) / 2


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("As a mother of two she never missed a deadline.", "As a mother of two"),
        ("She is a mother of three young children and a fine cook.", "three young children"),
        ("Being the mother of a small boy, she left early.", "mother of a small boy"),
        ("She is a mother and leads the team.", "a mother"),
        ("She is a single mother and never let it affect her work.", "is a single mother"),
        ("As a married father of two he never missed a deadline.", "married father of two"),
    ],
)
def test_a_parent_is_marked_once_with_whom_they_are_the_parent_of(says: str, expected: str) -> None:
    assert expected.lower() in [mark.lower() for mark in words(says, "family")]
    assert not words(says, "personal life")
