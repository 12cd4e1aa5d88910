"""Twins made with the parser and without it: a word that is wrong always carries a doubt."""

import json
import sys
import time
from pathlib import Path

import pytest
from recorded_parses import install

from biasprint.core.swap import Person, Twin
from biasprint.core.swap.engine import swap
from biasprint.core.swap.guess import guess_called, named

sys.path.insert(0, str(Path(__file__).parents[4] / "docs"))

from letters_measured.twins import RIGHT, UNWARNED, measure

ROWS = [
    json.loads(line) for line in (Path(__file__).parents[3] / "data" / "twins.jsonl").read_text("utf-8").splitlines()
]

MARIA = Person("Maria", "Kowalski", "", "she")
JAMES = Person("James", "Miller", "", "he")


@pytest.fixture(params=["with the parser", "without"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both ways to make a twin."""
    if request.param == "with the parser":
        install(monkeypatch)
    return bool(request.param == "with the parser")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def doubts(twin: Twin) -> list[str]:
    return [change.old for change in (*twin.changes, *twin.left_alone) if change.doubt]


TWO_READINGS = [
    ("I met her Monday.", "I met him Monday."),
    ("I told her yesterday.", "I told him yesterday."),
    ("We made her first author.", "We made him first author."),
    ("I found her work superb.", "I found his work superb."),
    ("I have known her three years.", "I have known him three years."),
    ("We hired her full time.", "We hired him full time."),
    ("I met her Monday crew.", "I met his Monday crew."),
    ("We made her head of department.", "We made him head of department."),
    ("We gave her students a prize.", "We gave his students a prize."),
    ("I gave her feedback every week.", "I gave him feedback every week."),
    ("I sent her sonnets to a friend.", "I sent his sonnets to a friend."),
    ("The deadline cost her sleep.", "The deadline cost him sleep."),
    ("I watched her present her thesis.", "I watched him present his thesis."),
    ("Her and my work differ.", "His and my work differ."),
]


@pytest.mark.parametrize(("letter", "right"), TWO_READINGS)
def test_her_is_right_or_asked(letter: str, right: str, parser: bool) -> None:
    twin = swap(letter, MARIA, JAMES)
    assert twin.text == right or "her" in [word.lower() for word in doubts(twin)]


@pytest.mark.parametrize(
    ("letter", "right"),
    [
        ("A spell off with his back.", "A spell off with her back."),
        ("His and my work differ.", "Her and my work differ."),
        ("His is the best record.", "Hers is the best record."),
        ("A friend of his called.", "A friend of hers called."),
        ("Mine are longer than his.", "Mine are longer than hers."),
    ],
)
def test_his_is_right_or_asked(letter: str, right: str, parser: bool) -> None:
    twin = swap(letter, JAMES, MARIA)
    assert twin.text == right or doubts(twin)


@pytest.mark.parametrize(
    ("letter", "right"),
    [
        ("I trust her completely, and her judgement too.", "I trust him completely, and his judgement too."),
        ("Hers and my work differ.", "His and my work differ."),
        ("Nobody outworks her.", "Nobody outworks him."),
        ("She gave her all.", "He gave his all."),
        ("I would hire her again tomorrow.", "I would hire him again tomorrow."),
        ("Colleagues praised her and her patience.", "Colleagues praised him and his patience."),
        ("We will give her every chance.", "We will give him every chance."),
        ("I consider her a friend.", "I consider him a friend."),
        ("Nothing makes her nervous.", "Nothing makes him nervous."),
    ],
)
def test_where_rules_and_parser_agree_nothing_is_asked(letter: str, right: str, parsed: None) -> None:
    twin = swap(letter, MARIA, JAMES)
    assert (twin.text, doubts(twin)) == (right, [])


def test_no_word_of_the_letters_written_for_it_is_wrong_without_a_warning() -> None:
    """Known letters, which the rules were made with: others are measured by `docs/letters_measured/twins.py`."""
    measured = measure(ROWS)
    assert [place for place in measured.places if place.outcome == UNWARNED] == []
    assert sum(place.outcome == RIGHT for place in measured.places) >= 0.68 * len(measured.places)


def test_the_right_twin_may_be_given_whole_or_as_words() -> None:
    pairs = {"id": "a", "text": "Maria Kowalski left. I saw her Monday.", "from": "Maria Kowalski",
             "from_pronoun": "she", "to": "James Miller", "to_pronoun": "he",
             "words": [["Maria Kowalski", "James Miller"], ["her", "him"]]}  # fmt: skip
    whole = {**pairs, "twin": "James Miller left. I saw him Monday."}
    del whole["words"]
    assert measure([pairs]).places == measure([whole]).places
    nobody = {**whole, "text": "The shop is open. It sells bread.", "from": "", "from_pronoun": "", "twin": None}
    assert [place.outcome for place in measure([nobody]).places] == ["asked"]


HE = Person("Tomasz", "Nowak", "", "he")
ANNA = Person("Anna", "Berg", "", "she")
OTHERS = [
    ("A patient told me that he had never felt so safe.", ["he"]),
    ("When a child hurt himself, Tomasz calmed him in minutes.", ["himself", "him"]),
    ("Tomasz listened to a widower until he slept.", ["he"]),
    ("Mr Hale leads the unit. He is strict.", ["He"]),
    ("Tomasz works under Mr Hale and sees him daily.", ["him"]),
    ("One old man asked for a book.", ["man"]),
]


@pytest.mark.parametrize(("letter", "others"), OTHERS)
def test_somebody_else_stays_or_is_asked(letter: str, others: list[str], parser: bool) -> None:
    twin = swap(letter, HE, ANNA)
    changed = [change.old for change in twin.changes if not change.doubt]
    assert not set(others) & set(changed)
    listed = [change.old for change in (*twin.changes, *twin.left_alone)]
    assert all(word in listed for word in others)


@pytest.mark.parametrize(
    "letter", ["The auditors said that they were pleased.", "The auditors came. They were pleased."]
)
def test_the_they_of_several_stays_or_is_asked(letter: str, parser: bool) -> None:
    twin = swap(f"Sam Reed kept our books. {letter}", Person("Sam", "Reed", "", "they"), JAMES)
    assert twin.text.endswith(letter) or "they" in [word.lower() for word in doubts(twin)]


NAMES = [
    ("SSG Daniel Whitefeather", "he", "SSG Daniel Whitefeather led us. Sergeant Whitefeather left.",
     "SSG Anna Berg led us. Sergeant Berg left."),
    ("Nguyễn Thị Hạnh", "she", "Nguyễn Thị Hạnh bakes. Ms Hạnh sells. Hạnh rests.",
     "Thomas Hart bakes. Mr Hart sells. Thomas rests."),
    ("José Luis García Muñoz", "he", "José Luis García Muñoz cooks. Mr Munoz sells. José rests.",
     "Anna Berg cooks. Ms Berg sells. Anna rests."),
    ("Robert Kowalski", "he", "Robert (Bob) Kowalski cooks. Bob rests.", "Anna Berg cooks. Anna rests."),
    ("Thomas José García Moreno", "he", "Dr. Thomas José García Moreno leads. Dr. Moreno and Dr. García Moreno rest.",
     "Dr. Anna Berg leads. Dr. Berg and Dr. Berg rest."),
    ("Carter Min-jun", "he", "Carter Min-jun's sister sings. Min-jun rests.", "Anna Berg's sister sings. Anna rests."),
    ("M. K. Shaw", "she", "M. K. Shaw leads. Ms. Shaw rests.", "Thomas Hart leads. Mr. Hart rests."),
    ("Zoë Müller", "she", "Ms Zoe Mueller leads. ZOË MÜLLER rests.", "Mr Thomas Hart leads. THOMAS HART rests."),
    ("Will Young", "he", "Will Young led young people. Young people trust Will. Young led.",
     "Anna Berg led young people. Young people trust Anna. Berg led."),
    ("Faith Adeyemi", "she", "Faith Adeyemi has our faith, and Faith's calm spreads.",
     "Thomas Hart has our faith, and Thomas's calm spreads."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "pronoun", "letter", "twin"), NAMES)
def test_a_name_changes_in_all_its_forms(name: str, pronoun: str, letter: str, twin: str, parser: bool) -> None:
    person = guess_called(letter, name).person
    about = Person(person.first_name, person.last_name, "", pronoun, person.whole)  # type: ignore[arg-type]
    other = Person("Anna", "Berg", "", "she") if pronoun == "he" else Person("Thomas", "Hart", "", "he")
    assert swap(letter, about, other).text == twin


def test_names_are_typed_with_initials_and_two_family_names() -> None:
    typed = ("J. R. Shaw", "Kelly van Dyke", "Thomas José García Moreno", "Mary Ann Smith", "Cher")
    parts = [
        ("J. R.", "Shaw"),
        ("Kelly", "van Dyke"),
        ("Thomas José", "García Moreno"),
        ("Mary Ann", "Smith"),
        ("Cher", ""),
    ]
    assert [(named(name).first_name, named(name).last_name) for name in typed] == parts


def test_every_place_where_the_old_name_title_or_pronoun_stays_is_listed() -> None:
    letter = (
        "Dear Ms Kowalski,\n\nMaria Kowalski wrote “Her Own Room”. “Maria sings,” said one. Write to "
        "m.kowalski@web.org. We say: thank you, ma'am.\n\nYours sincerely,\nMaria Kowalski"
    )
    twin = swap(letter, MARIA, JAMES)
    listed = [change.old for change in twin.left_alone]
    assert listed == ["Ms", "Kowalski", "Her", "Maria", "m.kowalski@web.org", "ma'am", "Maria", "Kowalski"]
    assert all(change.doubt for change in twin.left_alone)


def test_a_letter_of_four_hundred_words_is_swapped_at_once() -> None:
    """Without the parser; with it 0.08 s of processor time were measured (docs/letters_measured/twins.py)."""
    letter = " ".join(" ".join(row["text"] for row in ROWS).split()[:400])
    swap(letter, MARIA, JAMES)
    began = time.process_time()
    swap(letter, MARIA, JAMES)
    assert time.process_time() - began < 0.3
