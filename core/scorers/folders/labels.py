"""What the labels of classifiers mean, by role.

A classifier is used only where each of its labels is understood: a wrong guess would turn a measure round. Names are
compared in lower case, blanks and hyphens as underscores. Models that number their classes are listed one by one.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.errors import AppError


class Meaning(NamedTuple):
    """`asked`: the names of the class whose probability is wanted; `others`: the names beside it."""

    asked: frozenset[str]
    others: frozenset[str]


class AskedClass(NamedTuple):
    """The place of the asked class, and whether each class has a probability of its own (sigmoid, not softmax)."""

    place: int
    apart: bool


MEANINGS: Mapping[str, Meaning] = {
    "positivity": Meaning(frozenset({"positive", "pos"}), frozenset({"negative", "neg", "neutral"})),
    "formality": Meaning(frozenset({"formal"}), frozenset({"informal", "neutral"})),
    "agency": Meaning(frozenset({"agentic", "agency"}), frozenset({"communal", "communion", "neutral", "balanced"})),
    "toxicity": Meaning(
        frozenset({"toxic", "toxicity"}), frozenset({"non_toxic", "nontoxic", "not_toxic", "neutral", "clean"})
    ),
}
# Classes of comments in the Jigsaw challenges, of which a comment can have several, in the order in which their
# probabilities are stored; the first challenge called some otherwise. Source: unitaryai/detoxify.
DETOXIFY = (
    "toxicity", "severe_toxicity", "obscene", "threat", "insult", "identity_attack", "sexual_explicit",
)  # fmt: skip
_FIRST_CHALLENGE = {"toxic": "toxicity", "severe_toxic": "severe_toxicity", "identity_hate": "identity_attack"}
# Outputs that the later models have behind their classes: which group a comment is about.
_GROUPS = frozenset({
    "male", "female", "homosexual_gay_or_lesbian", "christian", "jewish", "muslim", "black", "white",
    "psychiatric_or_mental_illness",
})  # fmt: skip
ENTAILMENT: Mapping[str, str] = {
    "entailment": "entailment", "entails": "entailment", "neutral": "neutral", "contradiction": "contradiction",
    "contradicts": "contradiction",
}  # fmt: skip
# Name in the catalogue → its classes in order, where its settings only number them.
# language-agency: 0 communal, 1 agentic, as in the data that the paper's authors released with it.
NUMBERED: Mapping[str, Sequence[str]] = {"language-agency": ("communal", "agentic")}
_NUMBER = re.compile(r"label_\d+")


def label_names(values: Mapping[str, object]) -> tuple[str, ...]:
    """The labels of config.json in the order of the outputs; empty where it names none."""
    listed = values.get("id2label")
    if not isinstance(listed, dict):
        return ()
    try:
        ordered = sorted((int(place), str(label)) for place, label in listed.items())
    except ValueError:
        return ()
    complete = [place for place, _ in ordered] == list(range(len(ordered)))
    return tuple(label for _, label in ordered) if complete else ()


def asked_class(role: str, labels: Sequence[str], model: str, numbered: Sequence[str] = ()) -> AskedClass:
    """Where the asked class stands. `numbered`: the classes where the labels are numbers.

    Raises `AppError` that names the labels where they are not understood.
    """
    known = _plain(labels, numbered)
    meaning = MEANINGS[role]
    places = [place for place, label in enumerate(known) if label in meaning.asked]
    if role == "toxicity" and jigsaw_classes(labels):
        return AskedClass(places[0], apart=True)
    if len(places) == 1 and len(known) > 1 and set(known) <= meaning.asked | meaning.others:
        return AskedClass(places[0], apart=False)
    wanted = f"“{sorted(meaning.asked)[0]}” and “{sorted(meaning.others)[0]}”"
    raise not_understood(model, labels, wanted)


def jigsaw_classes(labels: Sequence[object]) -> tuple[str, ...]:
    """Detoxify's names of the classes of a model from the Jigsaw challenges, in order; empty for any other model.

    Outputs for groups may follow the classes; they are left out.
    """
    known = [_FIRST_CHALLENGE.get(label, label) for label in _plain([str(label) for label in labels], ())]
    classes = [label for label in known if label in DETOXIFY]
    whole = known[: len(classes)] == classes and set(known[len(classes) :]) <= _GROUPS
    return tuple(classes) if whole and "toxicity" in classes and len(set(classes)) == len(classes) else ()


def entailment_order(labels: Sequence[str], model: str) -> tuple[int, int, int]:
    """The places of entailment, neutral and contradiction. Raises `AppError` that names the labels otherwise."""
    known = [ENTAILMENT.get(label, "") for label in _plain(labels, ())]
    if sorted(known) != ["contradiction", "entailment", "neutral"]:
        raise not_understood(model, labels, "“entailment”, “neutral” and “contradiction”")
    return known.index("entailment"), known.index("neutral"), known.index("contradiction")


def not_understood(model: str, labels: Sequence[str], wanted: str) -> AppError:
    said = ", ".join(f"“{label[:40]}”" for label in labels[:8]) or "none"
    return AppError(
        f"The labels of “{model}” are not understood: {said}.",
        kept="Nothing was scored.",
        hint=f"Choose a classifier whose settings name {wanted} as its labels.",
    )


def _plain(labels: Sequence[str], numbered: Sequence[str]) -> list[str]:
    known = [re.sub(r"[\s-]+", "_", label.strip().lower()) for label in labels]
    if numbered and len(numbered) == len(known) and all(_NUMBER.fullmatch(label) for label in known):
        return list(numbered)
    return known
