"""Twins made with the parser and without it: a word that is wrong always carries a doubt."""

import pytest
from recorded_parses import install

from biasprint.core.swap import Person, Twin
from biasprint.core.swap.engine import swap

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
