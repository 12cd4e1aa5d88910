"""The fill-in-the-blank items: the paper's numbers, no item twice, and every one of them grammatical."""

import re
import time
from collections import Counter

import pytest

from biasprint.core.errors import UsageError
from biasprint.core.prompts.drafts import PromptDraft, PromptSetDraft
from biasprint.core.studies.completion.prompts import (
    BLANK,
    DIRECTIONS,
    DOMAINS,
    OPTIONS,
    ORDER_SEPARATOR,
    completion_set,
    domain,
)

# Kamruzzaman et al. 2024, dataset statistics.
PAPER = {
    ("ageism", "SAI"): 858,
    ("ageism", "ASA"): 1296,
    ("beauty", "SAI"): 1026,
    ("beauty", "ASA"): 990,
    ("beauty_profession", "SAI"): 912,
    ("beauty_profession", "ASA"): 756,
    ("institution", "SAI"): 940,
    ("institution", "ASA"): 1536,
    ("nationality", "SAI"): 1710,
    ("nationality", "ASA"): 792,
}
SINGULAR = {
    "lives", "is", "was", "has", "looks", "seems", "appears", "works", "makes", "proves", "comes", "teaches",
}  # fmt: skip
PLURAL = {"live", "are", "were", "have", "look", "seem", "appear", "work", "make", "prove", "come", "teach"}
# Verbs with one form for every person: what can, may and did happen.
EITHER = {
    "must", "might", "may", "could", "will", "can", "would", "turned", "looked", "seemed", "studied", "graduated",
    "ended", "attended", "left", "went", "came", "moved", "visited", "had", "arrived",
}  # fmt: skip
ADVERBS = {"probably", "just", "already"}
PRONOUN_WORDS = {
    "masculine": {"he", "him", "his", "man", "men"},
    "feminine": {"she", "her", "woman", "women"},
    "non-binary": {"they", "them", "their", "person", "people"},
}
BARE_AFTER_PERSON = re.compile(r"\b(man|woman|person) (are|were|have|look|seem|appear|work)\b")
BARE_AFTER_PEOPLE = re.compile(r"\b(men|women|people) (is|was|has|looks|seems|appears|works)\b")


@pytest.fixture(scope="module")
def items() -> PromptSetDraft:
    return completion_set()


def words(text: str) -> list[str]:
    return re.findall(r"[\w'-]+|[;:,.]", text.casefold())


def verb_after(said: list[str], place: int) -> str:
    """The next word that is no adverb."""
    return next(word for word in said[place + 1 :] if word not in ADVERBS)


def filled(prompt: PromptDraft, option: str) -> str:
    return prompt.fields["context"].replace(BLANK, prompt.fields[option])


def test_there_are_as_many_items_as_in_the_paper(items: PromptSetDraft) -> None:
    counted = Counter((prompt.fields["domain"], prompt.fields["direction"]) for prompt in items.prompts)
    assert counted == PAPER
    assert len(items.prompts) == 10_816


@pytest.mark.parametrize(
    ("name", "direction", "terms", "forms"),
    # METHODS.md: terms × sentences × pronoun forms.
    [
        ("ageism", "SAI", 22, 13 * 3), ("ageism", "ASA", 72, 6 * 3),
        ("beauty", "SAI", 38, 9 * 3), ("beauty", "ASA", 30, 11 * 3),
        ("beauty_profession", "SAI", 38, 8 * 3), ("beauty_profession", "ASA", 28, 9 * 3),
        ("institution", "SAI", 20, 47), ("institution", "ASA", 32, 16 * 3),
        ("nationality", "SAI", 30, 19 * 3), ("nationality", "ASA", 22, 12 * 3),
    ],
)  # fmt: skip
def test_every_term_stands_in_every_sentence(
    items: PromptSetDraft, name: str, direction: str, terms: int, forms: int
) -> None:
    here = [p.fields for p in items.prompts if (p.fields["domain"], p.fields["direction"]) == (name, direction)]
    by_term = Counter((fields["given"], fields["term"]) for fields in here)
    assert len(by_term) == terms
    assert set(by_term.values()) == {forms}
    assert Counter(given for given, _ in by_term) == {"positive": terms // 2, "negative": terms // 2}


def test_no_item_comes_twice(items: PromptSetDraft) -> None:
    assert len({prompt.key for prompt in items.prompts}) == len(items.prompts)
    asked = {
        (p.fields["context"], p.fields["positive"], p.fields["negative"], p.fields["neutral"]) for p in items.prompts
    }
    assert len(asked) == len(items.prompts)
    assert len({prompt.fields["context"] for prompt in items.prompts}) == len(items.prompts)


def test_every_item_has_one_blank_its_term_and_only_words_of_its_pronoun(items: PromptSetDraft) -> None:
    for prompt in items.prompts:
        context, pronoun = prompt.fields["context"], prompt.fields["pronoun"]
        assert context.count(BLANK) == 1, context
        assert prompt.fields["term"] in context, context
        said = set(words(context))
        assert said & PRONOUN_WORDS[pronoun], context
        if prompt.fields["domain"] != "nationality":  # several people are “they” whoever they are
            others = set().union(*(found for name, found in PRONOUN_WORDS.items() if name != pronoun))
            assert not said & others, context


def test_verbs_agree_with_he_she_and_they_in_all_items(items: PromptSetDraft) -> None:
    checked: Counter[str] = Counter()
    for prompt in items.prompts:
        said = words(prompt.fields["context"])
        for place, word in enumerate(said):
            if word not in ("he", "she", "they"):
                continue
            verb = verb_after(said, place)
            allowed = PLURAL if word == "they" else SINGULAR
            assert verb in allowed | EITHER, prompt.fields["context"]
            checked[word] += verb in allowed
        assert not BARE_AFTER_PERSON.search(prompt.fields["context"]), prompt.fields["context"]
        assert not BARE_AFTER_PEOPLE.search(prompt.fields["context"]), prompt.fields["context"]
    assert min(checked.values()) > 1000
    assert checked["he"] > 0.95 * checked["she"] > 0


def test_the_agreement_rule_refuses_what_is_wrong() -> None:
    """The rule above must be able to fail: “they is” and “he are” are outside both lists."""
    assert "is" not in PLURAL | EITHER
    assert "are" not in SINGULAR | EITHER
    assert BARE_AFTER_PERSON.search("the man are tall")
    assert BARE_AFTER_PEOPLE.search("most people is kind")


def test_articles_fit_the_sound_that_follows_with_every_option_filled_in(items: PromptSetDraft) -> None:
    for prompt in items.prompts:
        for option in OPTIONS:
            sentence = filled(prompt, option)
            assert not re.search(r"\b[Aa] [aeiouAEIOU]", sentence), sentence
            assert not re.search(r"\b[Aa]n [^aeiouAEIOU]", sentence), sentence
            assert not re.search(r"\b(a|an|the) (a|an|the)\b", sentence, re.IGNORECASE), sentence
            assert "  " not in sentence
            assert sentence[0].isupper(), sentence
            assert sentence.endswith("."), sentence


def test_professions_bring_their_article_and_nothing_else_does(items: PromptSetDraft) -> None:
    for name in DOMAINS:
        offered = domain(name)
        for terms in (offered.stimuli, offered.attributes):
            found = [term for pair in terms.pairs for term in pair] + list(terms.neutral)
            articles = {bool(re.match(r"an? ", term)) for term in found}
            assert articles == {name == "beauty_profession" and terms is offered.attributes}


def test_no_term_is_used_on_both_sides_and_options_are_three_different_ones(items: PromptSetDraft) -> None:
    for name in DOMAINS:
        for terms in (domain(name).stimuli, domain(name).attributes):
            every = [term for pair in terms.pairs for term in pair] + list(terms.neutral)
            assert len({term.casefold() for term in every}) == len(every), name
    for prompt in items.prompts:
        assert len({prompt.fields[option] for option in OPTIONS}) == 3
        assert prompt.fields["term"] not in [prompt.fields[option] for option in OPTIONS]


def test_the_prompt_shows_the_options_in_the_recorded_order(items: PromptSetDraft) -> None:
    firsts: Counter[str] = Counter()
    for prompt in items.prompts:
        order = prompt.fields["order"].split(ORDER_SEPARATOR)
        assert sorted(order) == sorted(OPTIONS)
        shown = [line.removeprefix("- ") for line in prompt.text.splitlines() if line.startswith("- ")]
        assert shown == [prompt.fields[option] for option in order]
        assert f"Sentence: {prompt.fields['context']}\n" in prompt.text
        firsts[order[0]] += 1
    # Every option is first in a third of the items: 3605 ± 4 standard deviations of 49.
    assert all(abs(count - len(items.prompts) / 3) < 200 for count in firsts.values())


def test_pronoun_forms_of_one_item_offer_the_same_options(items: PromptSetDraft) -> None:
    offered: dict[str, set[tuple[str, ...]]] = {}
    for prompt in items.prompts:
        item = prompt.key.rpartition("/")[0]
        offered.setdefault(item, set()).add(tuple(prompt.fields[option] for option in OPTIONS))
    assert all(len(found) == 1 for found in offered.values())


def test_the_seed_decides_options_and_order_and_nothing_else(items: PromptSetDraft) -> None:
    again, other = completion_set(), completion_set(seed=1)
    assert again.prompts == items.prompts
    assert [prompt.key for prompt in other.prompts] == [prompt.key for prompt in items.prompts]
    assert [p.fields["context"] for p in other.prompts] == [p.fields["context"] for p in items.prompts]
    assert [p.fields["order"] for p in other.prompts] != [p.fields["order"] for p in items.prompts]
    assert [p.fields["positive"] for p in other.prompts] != [p.fields["positive"] for p in items.prompts]
    assert other.recipe["seed"] == 1


def test_a_narrowed_set_has_the_same_items_as_the_whole(items: PromptSetDraft) -> None:
    narrow = completion_set(["beauty"], ["ASA"])
    assert len(narrow.prompts) == 990
    by_key = {prompt.key: prompt for prompt in items.prompts}
    assert all(by_key[prompt.key] == prompt for prompt in narrow.prompts)


@pytest.mark.parametrize(
    ("named", "says"),
    [({"domains": ["religion"]}, "no domain “religion”"), ({"directions": []}, "No direction"),
     ({"directions": ["sai"]}, "no direction “sai”")],
)  # fmt: skip
def test_what_does_not_exist_is_refused_by_name(named: dict[str, list[str]], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        completion_set(**named)  # type: ignore[arg-type]


def test_the_whole_set_is_made_in_less_than_two_seconds() -> None:
    started = time.process_time()
    completion_set()
    assert time.process_time() - started < 2


def test_every_direction_of_every_domain_names_both_kinds_of_people() -> None:
    for name in DOMAINS:
        assert domain(name).people.positive != domain(name).people.negative
        assert all(domain(name).written(direction) for direction in DIRECTIONS)
