"""The swap twin: what is kept, what carries a doubt, what is lost, and that no text breaks it."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeded_part import seeded_part

from biasprint.core.errors import UsageError
from biasprint.core.letters.values import Part
from biasprint.core.swap import Person
from biasprint.core.swap.engine import swap
from biasprint.core.swap.guess import guess_person
from biasprint.core.swap.vocabulary import Loss, plural_form, singular_form, swap_words
from biasprint.core.text import article

ANN = Person("Ann", "Weber", "", "she")
JOSEPH = Person("Joseph", "Hart", "", "he")
SAM = Person("Sam", "Reed", "", "they")
NAUGHTY = Path(__file__).parents[3] / "data" / "naughty_texts.jsonl"

LETTER = """Faculty of Law
Re: Ann Weber

Dear Ms. Weber-Lane,

Ms. Weber worked with me for two years. She leads calmly, she's exact, and her clients trust her.
Her paper “Her Own Room” won a prize; write to ann.weber@law.org.

Sincerely,

Ruth Weber
Chairwoman"""


def test_a_letter_keeps_its_greeting_its_signature_and_its_layout() -> None:
    assert swap(LETTER, ANN, JOSEPH).text == LETTER.replace("Re: Ann Weber", "Re: Joseph Hart").replace(
        "Ms. Weber worked with me for two years. She leads calmly, she's exact, and her clients trust her.\nHer paper",
        "Mr. Hart worked with me for two years. He leads calmly, he's exact, and his clients trust him.\nHis paper",
    )


def test_parts_that_are_known_say_what_is_greeting_and_signature() -> None:
    text = "Ann Weber\n\nShe is ready.\n\nAnn Weber"
    parts = (Part("letterhead", 0, 9), Part("body", 11, 24), Part("signature", 26, 35))
    assert swap(text, ANN, JOSEPH, parts=parts).text == "Joseph Hart\n\nHe is ready.\n\nAnn Weber"
    assert swap(text, ANN, JOSEPH).text == "Joseph Hart\n\nHe is ready.\n\nJoseph Hart"


def test_every_change_has_a_reason_and_what_may_be_wrong_a_doubt() -> None:
    twin = swap("Grace Hill says that she was lucky. Her husband agrees with her.", ANN, JOSEPH)
    assert twin.text == "Grace Hill says that she was lucky. Her husband agrees with her."
    left = {change.old: change.doubt for change in twin.left_alone}
    assert all(left[word].startswith("may be about another person") for word in ("she", "Her", "her"))
    assert "somebody else" in left["husband"]
    assert {change.reason for change in swap("She says that she was lucky.", ANN, JOSEPH).changes} == {"pronoun"}


def test_a_relation_stays_and_its_pronoun_carries_a_doubt_only_where_it_could_be_theirs() -> None:
    with_sister = swap("Her sister says that she sings.", ANN, JOSEPH)
    assert [change.doubt != "" for change in with_sister.changes] == [False, True]
    with_brother = swap("Her brother says that she sings.", ANN, JOSEPH)
    assert [change.doubt != "" for change in with_brother.changes] == [False, False]


def test_a_couples_word_asks_for_a_look() -> None:
    left = swap("Her wife is a judge.", ANN, JOSEPH).left_alone
    assert [(change.old, change.doubt != "") for change in left] == [("wife", True)]


def test_words_inside_a_quotation_carry_a_doubt_and_its_names_stay() -> None:
    twin = swap("One client wrote: “She is a lady.” “Ann sings,” said another.", ANN, JOSEPH)
    assert twin.text == "One client wrote: “He is a gentleman.” “Ann sings,” said another."
    assert all("quotation" in change.doubt for change in (*twin.changes, *twin.left_alone))


def test_an_honour_that_has_no_form_for_everybody_stays_and_says_so() -> None:
    twin = swap("Dame Ann Weber spoke.", ANN, SAM)
    assert twin.text == "Dame Sam Reed spoke."
    assert [change.doubt for change in twin.left_alone] == ["has no form for everybody"]


def test_the_title_that_is_given_is_used() -> None:
    mrs = Person("Nora", "Lane", "Mrs.", "she")
    assert swap("Mr. Hart sings.", JOSEPH, mrs).text == "Mrs. Lane sings."
    assert swap("Mrs. Lane sings.", mrs, JOSEPH).text == "Mr. Hart sings."
    assert swap("Dr. Hart sings.", JOSEPH, mrs).text == "Dr. Lane sings."
    assert swap("Mr. Hart sings.", JOSEPH, Person("Nora", "Lane", "Miss", "she")).text == "Miss Lane sings."


def test_a_name_that_is_not_known_stays_and_a_pronoun_is_guessed() -> None:
    assert swap("Ann Weber sings; she dances.", ANN, Person("Joseph", "", "", "he")).text == (
        "Joseph Weber sings; he dances."
    )
    assert swap("Ann sings; she dances.", Person("Ann"), JOSEPH).text == "Joseph sings; he dances."
    assert swap("Ann sings; she dances.", ANN, Person("Ada")).text == "Ada sings; she dances."


def test_a_title_in_the_place_of_the_first_name_is_a_title() -> None:
    assert swap("Ms. Renkow sings.", Person("Ms.", "Renkow", "", "she"), JOSEPH).text == "Mr. Hart sings."


def test_a_letter_in_small_letters_is_swapped_too() -> None:
    assert swap("weber paints; she sells her work.", ANN, JOSEPH).text == "hart paints; he sells his work."


def test_a_pronoun_that_is_not_known_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be made with the pronoun “xe”"):
        swap("Ann sings.", ANN, Person("Sam", "Reed", "", "xe"))  # type: ignore[arg-type]


@pytest.mark.parametrize("loss", swap_words().file.losses, ids=lambda loss: loss.what)
def test_what_is_lost_is_lost_as_it_is_listed(loss: Loss) -> None:
    people = {"he": ("Joseph", "Hart"), "she": ("Ann", "Weber"), "they": ("Sam", "Reed")}
    one = Person(*people[loss.from_pronoun], "", loss.from_pronoun)
    other = Person(*people[loss.to_pronoun], "", loss.to_pronoun)
    if "NAMEs'" in loss.text:
        one = Person(one.first_name, one.last_name + "s", "", one.pronoun)

    def filled(text: str) -> str:
        return text.replace("NAME", one.last_name.removesuffix("s")).replace("OTHER", other.last_name)

    twin = swap(filled(loss.text), one, other).text
    assert twin == filled(loss.twin)
    assert swap(twin, other, one).text == filled(loss.back)
    assert loss.back != loss.text


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"), ("goes", "go"), ("writes", "write"),
        ("teaches", "teach"), ("carries", "carry"), ("plays", "play"), ("focuses", "focus"), ("uses", "use"),
        ("addresses", "address"), ("fixes", "fix"), ("pushes", "push"), ("lies", "lie"), ("raises", "raise"),
        ("undergoes", "undergo"), ("buzzes", "buzz"), ("quizzes", "quiz"), ("chooses", "choose"), ("enjoys", "enjoy"),
    ],
)  # fmt: skip
def test_verbs_lead_to_they_and_back(one: str, many: str) -> None:
    assert plural_form(one) == many
    assert singular_form(many) == one


@pytest.mark.parametrize(
    ("word", "expected"),
    [("actor", "an"), ("heir", "an"), ("hero", "a"), ("honest", "an"), ("unique", "a"), ("uncle", "an"), ("M.", "an"),
     ("J.", "a"), ("one", "a"), ("Eugene", "a"), ("Ann", "an"), ("Ms.", "a"), ("umbrella", "an"),
     ("18-year-old", "an"), ("80", "an"), ("11", "an"), ("180", "a"), ("110", "a"), ("81 year old", "an"), ("50", "a"),
     ("Asian", "an"), ("Ukrainian", "a"), ("Ugandan", "a"), ("Uzbek", "an"), ("urologist", "a"),
     ("Ukrainian-born", "a"), ("uninsured", "an"), ("unemployed", "an"), ("union worker", "a"),
     ("usher", "an"), ("user", "a"), ("upholsterer", "an"),
     ("US citizen", "a"), ("UX designer", "a"), ("HR manager", "an"), ("MRT driver", "an"), ("X-ray assistant", "an"),
     ("T-shirt", "a"), ("MBA", "an"), ("MAN", "a"), ("NASA", "a"), ("ACTOR", "an"), ("Émigré", "an"), ("éclair", "an")],
)  # fmt: skip
def test_articles_go_by_sound(word: str, expected: str) -> None:
    assert article(word) == expected


def test_every_word_for_he_has_a_word_for_everybody_or_says_that_it_has_none() -> None:
    words = swap_words()
    assert words.file.neutral["man"] == "person"
    for word, (_, _, neutral) in {**words.self, **words.kin}.items():
        if words.said_of[word] == "he" and neutral == word and word not in words.file.neutral.values():
            twin = swap(f"He is a {word}.", JOSEPH, SAM)
            assert any(change.old == word and change.doubt for change in twin.left_alone), word


def _bijective() -> list[tuple[str, str]]:
    """Pairs of which each word leads to the other alone."""
    words = swap_words()
    nouns = [(man, words.self[man][1]) for man in words.self if words.said_of[man] == "he"]
    singular = [(man, woman) for man, woman in nouns if man != woman and man not in words.file.nouns.plural]
    skipped = (*words.file.nouns.adjectives, *words.file.nouns.traits, "males", "emeritus")
    return [(man, woman) for man, woman in singular if man not in skipped and words.self[woman][0] == man]


SENTENCES = (
    "{She} is a {noun}.",
    "As a {noun}, {she} leads.",
    "I trust {her}.",
    "{Her} work is exact.",
    "The idea was {hers}.",
    "{She} taught {herself} well.",
    "{Name} thanked me for {its} seat.",
)
FORMS = {
    "she": {
        "She": "She",
        "she": "she",
        "her": "her",
        "Her": "Her",
        "hers": "hers",
        "herself": "herself",
        "Name": "Ann",
        "its": "her",
    },
    "he": {
        "She": "He",
        "she": "he",
        "her": "him",
        "Her": "His",
        "hers": "his",
        "herself": "himself",
        "Name": "Joseph",
        "its": "his",
    },
}


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_he_and_she_swapped_twice_give_the_text_back(data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4))
    pairs = data.draw(st.lists(st.sampled_from(_bijective()), min_size=4, max_size=4))
    hers, his = [], []
    for sentence, (man, woman) in zip(chosen, pairs, strict=False):
        for said, pronoun, noun in ((hers, "she", woman), (his, "he", man)):
            text = sentence.format(**FORMS[pronoun], noun=noun)
            for vowel in "aeiou":
                text = text.replace(f" a {vowel}", f" an {vowel}")
            said.append(text.replace(" a heir", " an heir"))
    of_her, of_him = " ".join(hers), " ".join(his)
    assert swap(of_her, ANN, JOSEPH).text == of_him
    assert swap(of_him, JOSEPH, ANN).text == of_her


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_no_text_breaks_it(text: str) -> None:
    for one, other in ((ANN, JOSEPH), (JOSEPH, SAM), (SAM, ANN)):
        twin = swap(text, one, other)
        assert twin.place(len(text)) == len(twin.text)


NAUGHTY_ROWS = {row["name"]: row for row in map(json.loads, NAUGHTY.read_text(encoding="utf-8").splitlines())}


@pytest.mark.parametrize("name", seeded_part(NAUGHTY_ROWS, 10))
def test_naughty_texts_are_swapped_without_error(name: str) -> None:
    row = NAUGHTY_ROWS[name]
    text = row["text"] if "text" in row else row["repeat"][0] * row["repeat"][1]
    for one, other in ((ANN, JOSEPH), (SAM, ANN))[: 2 if len(text) < 100_000 else 1]:
        assert swap(text, one, other).place(0) == 0
    guess_person(text)


LONG = {
    "one word": "a" * 80_000, "she": "she " * 8_000, "quotation marks": "“" * 20_000, "initials": "A." * 20_000,
    "underscores": "a_" * 20_000, "names": "Ann Weber " * 3_000, "joined": "she and " * 4_000, "signs": "@" * 40_000,
    "hyphens": "x-" * 20_000,
}  # fmt: skip


@pytest.mark.parametrize("kind", seeded_part(LONG, 1))
def test_long_and_hostile_texts_take_no_longer_than_their_length(kind: str) -> None:
    text = LONG[kind]
    swap("Ann sings.", ANN, JOSEPH)
    start = time.process_time()
    swap(text, ANN, JOSEPH)
    swap(text, ANN, SAM)
    assert time.process_time() - start < 8


def test_a_letter_of_400_words_takes_well_under_100_ms_once_warm() -> None:
    text = "\n\n".join([LETTER] * 10)
    assert len(text.split()) >= 400
    swap(text, ANN, JOSEPH)
    times = []
    for _ in range(5):
        start = time.process_time()
        swap(text, ANN, JOSEPH)
        times.append(time.process_time() - start)
    assert min(times) < 0.1


@pytest.mark.parametrize(
    ("hers", "his"),
    [
        ("That seat is still hers today.", "That seat is still his today."),
        ("It is said that her worsened health is known.", "It is said that his worsened health is known."),
        ("It honours her Swedish maternal grandmother.", "It honours his Swedish maternal grandmother."),
        ("Ann Weber was sought for chairwoman of the board.", "Joseph Hart was sought for chairman of the board."),
        ("Robert Reed and Paul Hill have put her work on.", "Robert Reed and Paul Hill have put his work on."),
        ("ms. weber sings.", "mr. hart sings."),
    ],
)  # fmt: skip
def test_what_was_learnt_from_biographies_leads_there_and_back(hers: str, his: str) -> None:
    assert swap(hers, ANN, JOSEPH).text == his
    assert swap(his, JOSEPH, ANN).text == hers


@pytest.mark.parametrize(
    ("text", "twin"),
    [
        ("Her husband cooks too.", "His wife cooks too."),
        ("Ann Weber and her husband moved here.", "Joseph Hart and his wife moved here."),
        ("Her wife is a judge.", "His husband is a judge."),
        ("She and her fiancé are from Bern.", "He and his fiancée are from Bern."),
        # What else is told of the partner would contradict the new word.
        ("Her husband, Mark, cooks too.", "His husband, Mark, cooks too."),
        ("Her husband cooks, and he is kind.", "His husband cooks, and he is kind."),
        # The writer's partner.
        ("My husband knows her well.", "My husband knows him well."),
    ],
)
def test_a_couple_reads_as_before_where_nothing_else_tells_the_partners_gender(text: str, twin: str) -> None:
    assert swap(text, ANN, JOSEPH, couples=True).text == twin


def test_a_partner_who_was_changed_is_always_in_doubt_and_comes_back() -> None:
    made = swap("Her husband cooks too.", ANN, JOSEPH, couples=True)
    (partner,) = [one for one in made.changes if one.old == "husband"]
    assert "couple reads as before" in partner.doubt
    assert swap(made.text, JOSEPH, ANN, couples=True).text == "Her husband cooks too."
    assert (
        swap("Her husband cooks.", ANN, Person("Alex", "Weber", "", "they"), couples=True).text
        == "Their husband cooks."
    )
