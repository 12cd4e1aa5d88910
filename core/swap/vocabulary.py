"""The words that the rules are made of (prompts/gendered_words.toml, letters/swap.toml), and forms of verbs."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from biasprint.core.prompts.resource_files import from_resources, packaged, strict_data
from biasprint.core.scorers.segment import lookups

Pair = Annotated[tuple[str, ...], Field(min_length=2, max_length=2)]


@strict_data
class GenderedWords:
    """Pairs are (for he, for she). See the file for what each list is for."""

    version: int
    self: tuple[Pair, ...]
    kin: tuple[Pair, ...]
    titles: tuple[Pair, ...]
    not_before: Mapping[str, tuple[str, ...]]
    two_objects: tuple[str, ...]
    naming: tuple[str, ...]
    seeing: tuple[str, ...]
    quantities: tuple[str, ...]
    names_that_are_words: tuple[str, ...]


@cache
def gendered_words() -> GenderedWords:
    return from_resources(GenderedWords, "prompts", "gendered_words.toml")


def towards(pairs: tuple[Pair, ...], pronoun: str) -> dict[str, str]:
    """Lower-case word → the word for a person of `pronoun` (he or she); both members of a pair lead there."""
    place = 0 if pronoun == "he" else 1
    return {word: pair[place] for pair in pairs for word in pair}


Words = frozenset[str]
_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, config=_STRICT)
class NounRules:
    """The nouns that change, and where; see the file for the purpose of each list."""

    plural: Words
    adjectives: Words
    people: Words
    people_plural: Words
    collectives: Words
    person_endings: tuple[str, ...]
    not_person_endings: tuple[str, ...]
    partners: Words
    beside: Words
    met: Words
    told_of: Words
    keep: Words
    jobs: Words
    traits: Words


@dataclass(frozen=True, config=_STRICT)
class TitleRules:
    """Titles by the person they are for, and what may follow a name that is no person's."""

    neutral: str
    for_he: Words
    for_she: Words
    no_neutral: Words
    foreign: tuple[Pair, ...]
    without_gender: Words
    before_office: Words
    organisations: Words
    months: Words
    month_signs: Words


@dataclass(frozen=True, config=_STRICT)
class VerbRules:
    """Words that distinguish the forms of verbs."""

    being: Words
    has_done: Words
    is_done: Words
    same_in_the_past: Words
    mostly_past: Words
    irregular: tuple[Pair, ...]


@dataclass(frozen=True, config=_STRICT)
class ReadingRules:
    """Words that distinguish the object “her” from the possessive."""

    finding: Words
    this_time: Words
    times: Words
    her_own: Words
    of_ones_own: Words
    given_to_her: Words
    doing: Words
    two_objects: Words
    watching: Words
    asked_of_people: Words
    her_own_people: Words
    uncounted: Words
    uncounted_endings: tuple[str, ...]
    brought_to: Words
    closed: Words


@dataclass(frozen=True, config=_STRICT)
class ListRules:
    """Words that the tagger and the rules of spelling do not tell apart."""

    abbreviations: Words
    adverbs: Words
    small: Words
    before_inversion: Words
    modals: Words
    before_nouns: Words
    no_names: Words
    given_to_both: Words
    family_first: Words


@dataclass(frozen=True, config=_STRICT)
class Loss:
    """Something that swapping twice does not give back: `text` becomes `twin`, and that becomes `back`."""

    what: str
    from_pronoun: str
    to_pronoun: str
    text: str
    twin: str
    back: str


@dataclass(frozen=True, config=_STRICT)
class SwapFile:
    """The file as it is written."""

    version: int
    self: tuple[Pair, ...]
    kin: tuple[Pair, ...]
    one_way: Mapping[str, str]
    neutral: Mapping[str, str]
    from_neutral: Mapping[str, Pair]
    nouns: NounRules
    not_before: Mapping[str, tuple[str, ...]]
    titles: TitleRules
    verbs: VerbRules
    readings: ReadingRules
    lists: ListRules
    losses: tuple[Loss, ...]
    given_names: Mapping[str, Words]
    short_names: Mapping[str, Words]


@dataclass(frozen=True)
class SwapWords:
    """Both files as the engine asks them. Nouns lead from a word to (the word for he, for she, for they)."""

    gendered: GenderedWords
    self: Mapping[str, tuple[str, str, str]]
    kin: Mapping[str, tuple[str, str, str]]
    said_of: Mapping[str, str]
    not_before: Mapping[str, tuple[str, ...]]
    file: SwapFile

    def is_plural(self, word: str) -> bool:
        """Is it a noun's plural (“women”)?"""
        forms = self.self.get(word) or self.kin.get(word)
        return forms is not None and forms[0] in self.file.nouns.plural

    def kin_pronoun(self, word: str) -> str:
        """he or she for a relation (“brother”), "" for any other word."""
        return self.said_of[word] if word in self.kin else ""


def is_person(noun: str) -> bool:
    """Does this noun, in the singular, say what somebody is (“dancer”), by a list and by its ending?"""
    rules = swap_words().file.nouns
    ends = noun.endswith(rules.person_endings) and not noun.endswith(rules.not_person_endings)
    return noun in rules.people or ends


@cache
def people_met() -> frozenset[str]:
    """Return the nouns for one person of either gender whom a candidate may meet: roles and occupations."""
    lines = packaged("lexicons", "occupations.txt").read_text(encoding="utf-8").splitlines()
    occupations = {line.strip() for line in lines if line.strip().isalpha()}
    return swap_words().file.nouns.met | {name for name in occupations if f"{name}s" in occupations}


@cache
def swap_words() -> SwapWords:
    """The words; raises `AppError` where a file is not valid."""
    file = from_resources(SwapFile, "letters", "swap.toml")
    gendered = gendered_words()
    said_of: dict[str, str] = {}
    nouns = _forms((*gendered.self, *file.self), file, said_of)
    for woman, man in file.one_way.items():
        nouns[woman] = (man, woman, file.neutral.get(man, woman))
        said_of[woman] = "she"
    for neutral, (man, woman) in file.from_neutral.items():
        nouns[neutral] = (man, woman, neutral)
        said_of[neutral] = "they"
    kin = _forms((*gendered.kin, *file.kin), file, said_of)
    before = {key: (*gendered.not_before.get(key, ()), *file.not_before.get(key, ()))
              for key in (*gendered.not_before, *file.not_before)}  # fmt: skip
    return SwapWords(gendered, nouns, kin, said_of, before, file)


def _forms(pairs: tuple[Pair, ...], file: SwapFile, said_of: dict[str, str]) -> dict[str, tuple[str, str, str]]:
    forms: dict[str, tuple[str, str, str]] = {}
    for man, woman in pairs:
        neutral = file.neutral.get(man, "")
        forms[man] = (man, man if man in file.nouns.keep else woman, neutral or man)
        # In two pairs (“dad” of “mom” and “mum”), the first is the word's own.
        forms.setdefault(woman, (man, woman, neutral or woman))
        said_of |= {man: "he", woman: "she"}
    return forms


_HISSING = ("s", "sh", "ch", "x", "z", "o")


def plural_form(form: str) -> str:
    """The form for they of a form for he and she: “writes” → “write”, “is” → “are”; others stay."""
    known: dict[str, str] = {singular: many for singular, many in swap_words().file.verbs.irregular}  # noqa: C416 - typed
    if form in known:
        return known[form]
    if form.endswith("ies"):
        return form[:-3] + "y"
    if form.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return form[:-2]
    return form[:-1] if form.endswith("s") and not form.endswith("ss") else form


def singular_form(form: str) -> str:
    """The form for he and she of a form for they: “write” → “writes”, “are” → “is”."""
    known = {many: singular for singular, many in swap_words().file.verbs.irregular}
    if form in known:
        return known[form]
    if form.endswith("y") and form[-2:-1] not in ("a", "e", "i", "o", "u"):
        return form[:-1] + "ies"
    return form + ("es" if form.endswith(_HISSING) else "s")


def is_singular_verb(form: str) -> bool:
    """Can this be the third person of a verb (“writes”, also “plans”)?"""
    if form in {singular for singular, _ in swap_words().file.verbs.irregular}:
        return True
    return form.endswith("s") and not form.endswith("ss") and plural_form(form) in _known("verb")


def is_base(form: str) -> bool:
    """Can this be a verb's plain form (“write”, also “plan”)?"""
    return form in _known("verb") or form in {many for _, many in swap_words().file.verbs.irregular}


def can_be_noun(form: str) -> bool:
    return plural_form(form) in _known("noun") or form in _known("noun")


def is_a_word(form: str, *kinds: str) -> bool:
    """Is it in the dictionary as one of `kinds`; by default other than as a noun (names are nouns to it)?"""
    return any(form in _known(kind) for kind in kinds or ("verb", "adj", "adv"))


@cache
def _known(kind: str) -> frozenset[str]:
    known: frozenset[str] = frozenset(lookups("lemma_index")[kind])
    return known
