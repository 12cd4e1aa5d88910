"""The category of marks that a clause belongs to, and whether listed words mean theirs: heads on a changed MiniLM
and MPNet.

The packaged all-MiniLM-L6-v2 keeps its first layers. To the matrices of the last ones changes of low rank are added,
which docs/training/passages learned together with each head. MPNet, once it is here, gives the same classes and is made
in the same way. How, and how good each and both together are: models/passages/card.md.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.machine.models import installed as models
from biasprint.core.machine.models.installed import InstalledModel
from biasprint.core.machine.processor import raise_out_of_memory
from biasprint.core.scorers.bert import WINDOW_TOKENS, Bert, Floats, checked_embedder
from biasprint.core.scorers.embedding import SoftmaxHead, embedded, head_of, read_weights

# The categories of marks but gender, which a clause is read without; praise of none in particular; and neither.
FOUND = (
    "agentic", "communal", "standout", "ability", "grindstone", "doubt",
    "personal_life", "age", "family", "appearance", "health", "origin",
)  # fmt: skip
CLASSES = (*FOUND, "approval", "neutral")
FILE = "head.safetensors"
WEIGHTS_SHA256 = "be23d541ba0fe12ab0f3f0a41d7d34c92f248b7dc12d4792c335cc9d28825871"
NOTHING = tuple(float(name == "neutral") for name in CLASSES)  # of a text without a word


def probabilities(clauses: Sequence[str]) -> Iterator[tuple[float, ...]]:
    """Return the probabilities of CLASSES for each clause, put without gender and names.

    Raises `AppError` where the model or the head cannot be loaded.
    """
    if clauses:
        yield from read_by(*_model(), clauses)


def read_by(model: Bert, head: SoftmaxHead, clauses: Sequence[str]) -> Iterator[tuple[float, ...]]:
    for value in embedded(model, clauses, WINDOW_TOKENS, windows=True):
        yield tuple(map(float, head.of(value.values))) if value.values.size else NOTHING


def changes_of(weights: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
    """The changes of the layers, by torch's names: each is the product of a tall and a wide matrix."""
    names = [name.removesuffix(".tall") for name in weights if name.endswith(".tall")]
    return {name: weights[f"{name}.tall"] @ weights[f"{name}.wide"] for name in names}


@cache
def _model() -> tuple[Bert, SoftmaxHead]:
    weights = read_weights(files("biasprint.models").joinpath("passages", FILE), WEIGHTS_SHA256, "passages")
    return checked_embedder().with_changes(changes_of(weights)), head_of(weights)


# ---- The check that listed words of a letter describe the candidate as their category means: a second head
# “Leader election” is no leadership, and “the surgeon who led” is somebody else.

# The rows of the head.
CATEGORIES = (
    "agentic", "communal", "standout", "ability", "grindstone", "doubt",
    "personal_life", "gender", "age", "family", "appearance", "health", "origin",
)  # fmt: skip
WORDS_FILE = "words.safetensors"
WORDS_SHA256 = "d8c2c4f0d3a8bd4b513e1eb357b8830307006dfe8e29183c7f1075a8756b4c71"
NEAR = 40  # tokens that are read before the words, and behind them
MOST_TOKENS = 60  # of the words themselves


class Words(NamedTuple):
    """Words in their sentence, put without gender and names, and the category that the lists mark them as."""

    before: str
    words: str
    after: str
    category: str


class Row(NamedTuple):
    """Token ids, int64[tokens], and which of them are the words', bool[tokens]."""

    ids: NDArray[np.int64]
    words: NDArray[np.bool_]


def shares(asked: Sequence[Words]) -> Iterator[float]:
    """Yield for each the probability that the words are meant so. The batch does not change it.

    Raises `AppError` where the model or the head cannot be loaded.
    """
    if not asked:
        return
    model, head = _words_model()
    given = word_rows(model, asked)
    for asked_words, row, states in zip(asked, given, model.states([row.ids for row in given]), strict=True):
        seen = np.concatenate([_unit(states[row.words]), _unit(states)])
        place = CATEGORIES.index(asked_words.category)
        yield float(1 / (1 + np.exp(-(head.weight[place] @ seen + head.bias[place]))))


def word_rows(model: Bert, asked: Sequence[Words]) -> list[Row]:
    """Return the model's input for each item."""
    parts = [
        model.tokens(texts) for texts in zip(*((item.before, item.words, item.after) for item in asked), strict=True)
    ]
    rows_made = []
    for before, words, after in zip(*parts, strict=True):
        start, end = before[-NEAR:], after[:NEAR]
        words = words[:MOST_TOKENS]
        ids = model.marked(np.concatenate([start, words, end]))
        inside = np.zeros(len(ids), dtype=np.bool_)
        first = len(model.first) + len(start)
        inside[first : first + len(words)] = True
        rows_made.append(Row(ids, inside if len(words) else np.ones(len(ids), dtype=np.bool_)))
    return rows_made


def _unit(states: NDArray[np.float32]) -> NDArray[np.float64]:
    mean = states.mean(axis=0, dtype=np.float64)
    unit: NDArray[np.float64] = mean / np.linalg.norm(mean)
    return unit


@cache
def _words_model() -> tuple[Bert, SoftmaxHead]:
    weights = read_weights(files("biasprint.models").joinpath("passages", WORDS_FILE), WORDS_SHA256, "words")
    return checked_embedder().with_changes(changes_of(weights)), head_of(weights)


# ---- A second, larger reader of passages: a head on a slightly changed all-mpnet-base-v2, where that model is here

MPNET_FILE = "larger.safetensors"
MPNET_WEIGHTS_SHA256 = "139f0858a7f1486a49b56ef09ebb067f01f69017de8bd3783ac6e1aaeebe8289"


def mpnet_probabilities(sentences: Sequence[str]) -> Iterator[tuple[float, ...]]:
    """Return the probabilities of CLASSES for each sentence, put without gender and names.

    Raises `AppError` where the model or the head cannot be loaded.
    """
    if sentences:
        yield from read_by(*_mpnet(), sentences)


def readiness() -> tuple[bool, str]:
    """Return whether it can read, and a sentence why not if the model is here and cannot be used. Load the model."""
    if installed() is None:
        return False, ""
    try:
        _mpnet()
    except AppError as error:
        return False, error.message
    return True, ""


def _mpnet() -> tuple[Bert, SoftmaxHead]:
    _weights()  # before the model is loaded: a head that cannot be read costs nothing
    return _changed(larger_encoder())


@lru_cache(maxsize=1)
def _changed(encoder: Bert) -> tuple[Bert, SoftmaxHead]:
    return encoder.with_changes(changes_of(_weights())), head_of(_weights())


@cache
def _weights() -> Mapping[str, NDArray[np.float32]]:
    return read_weights(
        files("biasprint.models").joinpath("passages", MPNET_FILE), MPNET_WEIGHTS_SHA256, "larger passages"
    )


# ---- The model computed in numpy: within 1e-5 of transformers, and neither it nor torch has to be there

NAME = "all-mpnet-base-v2"
ROLE = "embedding"
CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"


def installed() -> InstalledModel | None:
    """Return the official model, under whatever name it was added; one that has changed has its `trouble`."""
    here = (model for model in models.installed(ROLE) if model.origin != "bundled" and models.is_papers_own(model))
    return min(here, key=lambda model: bool(model.trouble), default=None)


def larger_encoder() -> Bert:
    """Return the model; it is loaded once. Raises `AppError` where it is not here or cannot be read."""
    model = installed()
    if model is None or model.trouble:
        said = model.trouble if model is not None else f"{NAME} is not on this computer."
        raise AppError(said, hint=f"Get it: biasprint models get {NAME}")
    return of_folder(model.path)


@lru_cache(maxsize=1)
def of_folder(folder: Path) -> Bert:
    """Return the MPNet in a folder, laid out as transformers does it. Raises `AppError` where it cannot be read."""
    from safetensors import safe_open
    from tokenizers import Tokenizer

    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        with safe_open(folder / WEIGHTS, "np") as file:
            return Bert(config, _ByBertNames(file), tokenizer)
    except Exception as error:  # the libraries for weights and word pieces raise errors of their own kinds
        raise_out_of_memory(error)
        raise AppError(f"The model in “{folder.name}” cannot be read.", details=repr(error)[:500]) from error


_NAMES = {
    "attention.attn.q.": "attention.self.query.",
    "attention.attn.k.": "attention.self.key.",
    "attention.attn.v.": "attention.self.value.",
    "attention.attn.o.": "attention.output.dense.",
    "attention.LayerNorm.": "attention.output.LayerNorm.",
}
_PLACES, _KINDS = "embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight"
_FIRST_PLACE = 2  # the rows before it are for padding


class _ByBertNames(Mapping[str, Floats]):
    """The tensors in a file of MPNet by BERT's names, each read when it is asked for. Source: Song et al. 2020."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._theirs = {_bert_name(name): name for name in file.keys()}  # noqa: SIM118 - no mapping

    def __getitem__(self, name: str) -> Floats:
        if name == _KINDS:
            return np.zeros((1, self[_PLACES].shape[1]), dtype=np.float32)
        values: Floats = self._file.get_tensor(self._theirs[name])
        return values[_FIRST_PLACE:] if name == _PLACES else values

    def __iter__(self) -> Iterator[str]:
        return iter(self._theirs)

    def __len__(self) -> int:
        return len(self._theirs)


def _bert_name(name: str) -> str:
    for theirs, ours in _NAMES.items():
        name = name.replace(theirs, ours)
    return name
