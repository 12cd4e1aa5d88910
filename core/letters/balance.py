"""Balance of one letter's praise between warmth and drive. Runs in the compute process; needs no other letters.

The rule is stated here once; docs/explanation/letter-balance.md says how well it tells letters apart.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from biasprint.core.errors import NotInstalledYet
from biasprint.core.letters.about_whom import unnamed
from biasprint.core.letters.values import BY_STAND_IN, LEANING, Balance, Category, Leaning, Mark, Sentence
from biasprint.core.swap import Person

if TYPE_CHECKING:
    from biasprint.core.scorers.agency_minilm import AgencyMiniLM

RULE = "rule 3"
BESIDE = "agency_minilm"  # the scorer whose classes and embeddings the head has
WEIGHTS_SHA256 = "fc8f71e1de1739409d52683353967e680731865e21710b169bcff9a22536b7db"
TIMES = 2.5  # as much of one kind as of the other, and praise leans to it
PRAISES_FROM = 0.4  # of the sentences: with less of either kind there is no praise to divide
LEAST_SHARE = 0.2  # of what is counted of warmth and drive, below which a kind is not one of “both”
FEWEST_COUNTED = 3  # of a kind, from which on counts alone make praise mostly of it
SURE = 0.5  # the probability from which on a sentence is counted as one of a kind
FEWEST = 4  # sentences: one or two of them would decide
WORDS: Mapping[Category, str] = {
    "communal": "warmth", "grindstone": "effort", "agentic": "drive", "ability": "talent", "standout": "excellence",
}  # fmt: skip
KIND_OF: Mapping[str, Category] = {"warmth": "communal", "drive": "agentic"}  # the two that a letter can lean to
SAID_WHERE_NONE = ("warmth", "effort", "drive")
TITLES: Mapping[Leaning, str] = {
    "warmth": "Praise mostly of warmth",
    "drive": "Praise mostly of drive",
    "balanced": "Praise of both warmth and drive",
    "little praise": "Little praise of either kind",
    "too short": "Too short to tell",
}
UNCLEAR = "Praise with no clear balance"  # balanced, and not of both
KNOWN_FOR: Mapping[Leaning, tuple[str, str]] = {
    "warmth": (
        "In one study of letters for academic posts, the more words of warmth a letter held, the lower its applicant "
        "was rated.",
        "Madera, Hebl and Martin 2009",
    ),
    "drive": (
        "Guides to writing references advise to say as well how somebody works with others. No study that this program "
        "rests on has found that letters with this balance are rated otherwise.",
        "convention of writing guides",
    ),
    "too short": (f"A balance is told from {FEWEST} sentences on: in fewer, one or two of them would decide.", ""),
}


def balance_of(body: Sequence[Sentence], marks: Sequence[Mark], person: Person | None = None) -> Balance | None:
    """The balance of a letter's praise; None for a letter without a body, or while what reads it is not installed.

    Of each kind, warmth and drive, the letter has as much as the sum over its sentences of the probability that the
    head gives to it (communal, agentic), and one for each word marked so. Sentences are read without the names of
    `person`. `marks`: all that the lists find, as the numbers of the rule, `leaning_of`, were set with: words that a
    model doubts as well, and no passages. The title agrees with what is counted (`by_count`).
    """
    if not body:
        return None
    try:
        head = _head()
    except NotInstalledYet:
        return None
    from biasprint.core.scorers.agency_minilm import CLASSES

    marks = [mark for mark in marks if not mark.passage]
    chances = head.probabilities([unnamed(sentence, person) for sentence in body])
    words = {name: sum(mark.category == key for mark in marks) for key, name in WORDS.items()}
    warm, driven = (float(chances[:, CLASSES.index(name)].sum()) for name in ("communal", "agentic"))
    sure = {
        name: {sentence.index for sentence, row in zip(body, chances, strict=True) if row[CLASSES.index(kind)] >= SURE}
        for name, kind in KIND_OF.items()
    }
    counts = {name: words[name] + len(sure.get(name, ())) for name in words}
    leaning, title = by_count(without_one_word(warm, driven, words, len(body)), counts)
    kind = KIND_OF.get(leaning, "")
    marked = {mark.sentence for mark in marks if mark.category == kind}
    reason, source = KNOWN_FOR.get(leaning, ("", ""))
    said = _said(words, len(sure["warmth"]), len(sure["drive"]), len(body))
    places = tuple(sorted(marked | sure.get(leaning, set())))
    return Balance(words, warm, driven, len(body), leaning, title, said, reason, source, places)


def without_one_word(warm: float, driven: float, words: Mapping[str, int], sentences: int) -> Leaning:
    """Return the direction that praise leans: one word alone does not make praise of what is little praise.

    `warm`, `driven`: sums over sentences, without `words`.
    """
    leaning = leaning_of(warm + words["warmth"], driven + words["drive"], sentences)
    if leaning not in LEANING or not words[leaning]:
        return leaning
    fewer = {**words, leaning: words[leaning] - 1}
    without = leaning_of(warm + fewer["warmth"], driven + fewer["drive"], sentences)
    return without if without == "little praise" else leaning


def by_count(leaning: Leaning, counts: Mapping[str, int]) -> tuple[Leaning, str]:
    """Return the leaning and its title, as far as they are true of what is counted: words, and sure sentences.

    `counts`: of each kind. Praise is mostly of a kind that has more than half of all that is counted. It is of both
    where both are there, each with LEAST_SHARE of the two.
    """
    if leaning not in (*LEANING, "balanced"):
        return leaning, TITLES[leaning]
    total = sum(counts.values())
    if leaning in LEANING and 2 * counts[leaning] > total:
        return leaning, TITLES[leaning]
    fewer, more = sorted(LEANING, key=lambda kind: counts[kind])
    if counts[fewer] and counts[fewer] >= LEAST_SHARE * (counts[fewer] + counts[more]):
        return "balanced", TITLES["balanced"]
    if counts[more] >= FEWEST_COUNTED and 2 * counts[more] > total:
        return more, TITLES[more]
    return "balanced", UNCLEAR


def leaning_of(warm: float, driven: float, sentences: int) -> Leaning:
    """Return the direction that praise leans: to one kind with at least TIMES as much of it as of the other.

    `warm`, `driven`: how much of both. Less than PRAISES_FROM for each sentence is little praise; fewer than FEWEST
    sentences are too short to tell.
    """
    if sentences < FEWEST:
        return "too short"
    if warm + driven < PRAISES_FROM * sentences:
        return "little praise"
    if warm >= TIMES * driven:
        return "warmth"
    return "drive" if driven >= TIMES * warm else "balanced"


def version_of_balance() -> str:
    """The rule, and the head that it rests on."""
    return f"{RULE}; {_head().version}"


def _said(words: Mapping[str, int], warm: int, driven: int, sentences: int) -> str:
    """“8 words of warmth, none of effort or drive, in 11 sentences. Sentences of warmth …”"""
    some = [(count, name) for name, count in words.items() if count]
    listed = [f"{count} of {name}" for count, name in some]
    if some:
        listed[0] = f"{some[0][0]} {'word' if some[0][0] == 1 else 'words'} of {some[0][1]}"
    sure = {"warmth": warm, "drive": driven}  # a kind of which there are sentences is not “none”
    if none := [name for name in SAID_WHERE_NONE if not words[name] and not sure.get(name)]:
        named = " or ".join(filter(None, (", ".join(none[:-1]), none[-1])))
        listed.append(f"{'none' if some else 'No words'} of {named}")
    by = f"Sentences of warmth{BY_STAND_IN}"
    length = "1 sentence" if sentences == 1 else f"{sentences} sentences"
    return f"{', '.join(listed)}, in {length}. {by}: {warm or 'none'}; of drive: {driven or 'none'}."


@cache
def _head() -> "AgencyMiniLM":
    from biasprint.core.scorers.agency_minilm import AgencyMiniLM
    from biasprint.core.scorers.registry import load

    load(BESIDE)  # where what it needs is not installed, this says so
    return AgencyMiniLM(files("biasprint.models").joinpath("balance", "head.safetensors"), WEIGHTS_SHA256)
