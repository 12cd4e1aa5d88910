"""The candidate's names as pronouns: whichever name it is, in capitals, with a title, possessive."""

import pytest

from biasprint.core.letters.support import name_at_top, names_of, unnamed
from biasprint.core.swap import Person

CV = """{upper}
Registered nurse

2019–present Staff nurse, Leicester Royal Infirmary
2016–2019 Nurse, {last} & Partners, Kettering
Young Nurse of the Year 2018"""
LETTER = (
    "{first} joined us in 2019. Ms. {last}’s lines are short. DR {upper} WON A PRIZE. {upper}'S WARD LOVES HER. "
    "I recommend {first} {last} with grace and will do so again. Nobody writes like {first}."
)
PEOPLE = [
    ("Marta", "Kowalczyk"), ("Grace", "Okafor"), ("Will", "Rose"), ("Samantha", "O'Leary-Voss"), ("Jun", "Li"),
    ("Ngozi", "van Rensburg"), ("Émilie", "Ñandú"), ("Lakisha", "Washington"), ("Emily", "Walsh"),
]  # fmt: skip


def put(text: str, first: str, last: str) -> str:
    return text.format(first=first, last=last, upper=f"{first} {last}".upper().replace(" VAN ", " van "))


@pytest.mark.parametrize(("first", "last"), PEOPLE)
@pytest.mark.parametrize("guessed", [True, False])
def test_whatever_the_name_both_texts_become_the_same(first: str, last: str, guessed: bool) -> None:
    """Property: exchanging the names changes nothing that a scorer reads, also where no name was guessed."""
    found = []
    for one, other in ((first, last), ("Anna", "Berg")):
        cv, person = put(CV, one, other), Person(one, other) if guessed else Person()
        names = names_of(person, cv)
        found.append((unnamed(cv, names), unnamed(put(LETTER, one, other), names)))
    assert found[0] == found[1]
    assert found[0][1] == (
        "they joined us in 2019. their lines are short. they WON A PRIZE. their WARD LOVES HER. I recommend they with "
        "grace and will do so again. Nobody writes like they."
    )
    assert "grace" in found[0][1]  # in small letters it names nobody
    assert "will do so" in found[0][1]


@pytest.mark.parametrize(
    ("top", "name"),
    [
        ("MARTA KOWALCZYK\nNurse", "MARTA KOWALCZYK"),
        ("Curriculum Vitae\n\nName: Daniel Okwuosa\nLondon", "Daniel Okwuosa"),
        ("WEBER, KATHARINA\nDipl.-Kauffrau", "WEBER, KATHARINA"),
        ("Gregory P. Stankiewicz, CPA\nMilwaukee", "Gregory P. Stankiewicz"),
        ('Sir William ("Bill") Tarrant-Hughes\nGardener', 'William ("Bill") Tarrant-Hughes'),
        ("Ellen van Rensburg\nStellenbosch", "Ellen van Rensburg"),
        ("Erik Lind is a Swedish furniture maker.", "Erik Lind"),
        ("2010 Nurse, Leeds", ""),
        ("", ""),
    ],
)
def test_the_name_at_the_top_of_a_cv(top: str, name: str) -> None:
    assert name_at_top(top) == name


def test_a_guessed_name_that_the_cv_has_further_down_names_no_person() -> None:
    cv = "Sunil Bhandari\nSummits: Mera Peak (6 times)"
    names = names_of(Person("Mera", "Peak"), cv)
    assert unnamed("Sunil has been up Mera Peak once.", names) == "they has been up Mera Peak once."
    assert names_of(Person("Rosa", "Married"), cv) >= {"Rosa", "Married"}  # a name that only the letter uses


def test_without_a_name_nothing_is_changed() -> None:
    assert unnamed("She sings.", names_of(Person(), "2010 Nurse, Leeds")) == "She sings."
