"""A sequence classifier from a folder, and what its labels mean. Heavy: compute process.

A classifier is used only where each of its labels is understood: a wrong guess would turn a measure round. Names are
compared in lower case, blanks and hyphens as underscores. Models that number their classes are listed one by one.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.scorers.folders import loading
from biasprint.core.scorers.folders.loading import BATCH, batches, filled, read_settings, whole_groups

# ---- Labels


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
    """Return the place of the asked class. `numbered`: the classes where the labels are numbers.

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
    shown_labels = ", ".join(f"“{label[:40]}”" for label in labels[:8]) or "none"
    return AppError(
        f"The labels of “{model}” are not understood: {shown_labels}.",
        kept="Nothing was scored.",
        hint=f"Choose a classifier whose settings name {wanted} as its labels.",
    )


def _plain(labels: Sequence[str], numbered: Sequence[str]) -> list[str]:
    known = [re.sub(r"[\s-]+", "_", label.strip().lower()) for label in labels]
    if numbered and len(numbered) == len(known) and all(_NUMBER.fullmatch(label) for label in known):
        return list(numbered)
    return known


# ---- The classifier

Floats = NDArray[np.float64]
Encoded = Mapping[str, Sequence[int]]  # input_ids, and token_type_ids where the model takes them

# Models that count positions from behind their padding token, as RoBERTa does.
_FROM_PADDING = frozenset({"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "data2vec-text"})
LONGEST = 512  # tokens, where a model's settings name no limit


class Classifier:
    """`labels`: of the outputs, in order; outputs without one are left out. `most`: tokens that the model takes, marks
    included.
    """

    def __init__(
        self, model: Any, tokenizer: Any, names: Sequence[str], most: int, where: str = "cpu", name: str = "model"
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._name = name
        self.labels = tuple(names)
        self.most = most
        self.device = where
        _fill_heads(model)

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Tokens of texts, each cut at what the model takes."""
        if not texts:
            return []
        encoded = self._spelled([_clean(text) for text in texts], truncation=True, max_length=self.most)
        if any(len(each["input_ids"]) > self.most for each in encoded):
            raise loading.fails_at_a_text(self._name, "it adds more tokens than the model takes")
        return encoded

    def encode_pairs(self, first: Sequence[str], second: Sequence[str]) -> list[Encoded]:
        """Tokens of pairs, whole: whoever asks has seen to it that they fit."""
        if not first:
            return []
        pairs = ([_clean(text) for text in side] for side in (first, second))
        return self._spelled(*pairs, verbose=False)

    def split(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return the start and end of each token in the text."""
        options = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
        tokenized = loading.spelled(self._name, lambda: self._tokenizer(_clean(text), **options))
        return tuple((int(start), int(end)) for start, end in tokenized["offset_mapping"])

    def _spelled(self, *texts: Any, **options: Any) -> list[Encoded]:
        return loading.spelled(self._name, lambda: _apart(self._tokenizer(*texts, **options)))

    @property
    def marks(self) -> int:
        """The number of special tokens around and between a pair."""
        return int(self._tokenizer.num_special_tokens_to_add(pair=True))

    def logits(self, encoded: Sequence[Encoded]) -> Floats:
        """float64[texts, labels]. Only sequences of equal length share a batch."""
        logits = np.empty((len(encoded), len(self.labels)), dtype=np.float64)
        for batch in batches([len(each["input_ids"]) for each in encoded]):
            logits[batch] = self._logits([encoded[place] for place in batch])[:, : len(self.labels)]
        return logits

    def _logits(self, equal: Sequence[Encoded]) -> Floats:
        import torch

        count, length = len(equal), len(equal[0]["input_ids"])
        # A graphics processor picks its kernels by the number of rows, so there each batch is full.
        rows = BATCH if self.device != "cpu" else filled(count, length)
        whole = [*equal, *[equal[-1]] * (rows - count)]
        given = {key: torch.tensor([each[key] for each in whole]).to(self.device) for key in equal[0]}
        with torch.inference_mode():
            values: Floats = self._model(**given).logits[:count].float().cpu().double().numpy()
        return values


def load_classifier(folder: Path) -> Classifier:
    """Load a classifier. Raises `AppError` where the folder is no classifier that can be loaded safely."""
    import torch

    read = read_settings(folder)
    config = loading.configuration(read)
    tokenizer = loading.tokenizer(read, config)
    where = loading.chosen()
    model = loading.model(read, "classifier", config, where, torch.float32)
    names = label_names(read.values) or tuple(f"LABEL_{place}" for place in range(config.num_labels))
    return Classifier(model, tokenizer, names, longest(read.kind, config, tokenizer), where, read.name)


def sigmoid(logits: Floats) -> Floats:
    """1 / (1 + exp(−x)), without overflow."""
    return np.exp(-np.logaddexp(0, -logits))


def softmax(logits: Floats) -> Floats:
    """exp(x) / Σ exp(x) over the last axis."""
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True), dtype=np.float64)


def longest(kind: str, config: Any, tokenizer: Any) -> int:
    positions = int(getattr(config, "max_position_embeddings", 0) or LONGEST)
    if kind in _FROM_PADDING:
        positions -= int(config.pad_token_id) + 1
    limit = int(tokenizer.model_max_length)
    return max(8, min(positions, limit) if limit < 10**9 else positions)


def _fill_heads(model: Any) -> None:
    """The head computes one row per text, too few for equal sums: it is given whole groups, and the rest is cut off."""

    def fill(_: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
        states = given[0]
        return (_repeated(states, whole_groups(len(states)) - len(states)), *given[1:])

    base = model.base_model
    heads = [part for name, part in model.named_children() if part is not base]
    heads += [part for name, part in base.named_children() if name == "pooler" and part is not None]
    for head in heads:
        head.register_forward_pre_hook(fill)


def _repeated(states: Any, missing: int) -> Any:
    import torch

    return torch.cat([states, states[-1:].expand(missing, *states.shape[1:])]) if missing else states


def _apart(encodings: Mapping[str, Any]) -> list[Encoded]:
    names = [key for key in ("input_ids", "token_type_ids") if key in encodings]
    return [{key: encodings[key][place] for key in names} for place in range(len(encodings["input_ids"]))]


def _clean(text: str) -> str:
    return text.encode("utf-8", "ignore").decode()  # tokenizers refuse lone surrogates, which say nothing
