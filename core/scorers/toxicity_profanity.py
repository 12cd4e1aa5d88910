"""Toxicity by alt-profanity-check, a linear classifier of words: the stand-in for Detoxify.

Its package stores a scikit-learn model as two pickles. Unpickling can run any code, so three checks come first:
the files must be the very ones that were looked at (their hashes), what they name may only be numpy's and joblib's
array reading, and every other class becomes an empty holder. So neither scikit-learn nor the package is imported.
"""

import hashlib
import importlib
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.machine.installation import explained
from biasprint.core.scorers.checked_files import fitted, stamp
from biasprint.core.scorers.protocol import NOTHING, ScoreValue, reads
from biasprint.core.scorers.segment import SEGMENTER, sentences
from biasprint.core.text import for_matching, sha256_text

# ---- Weights

PACKAGE, VERSION = "alt-profanity-check", "1.9.1"
MODULE = "profanity_check"
FILES = {
    "model.joblib": "aeafc04849d4d93db4721cf30a86ebf22085595294b8a07d51918e7fa98f538b",
    "vectorizer.joblib": "19c5200dc6a41f026e0558e2f164f5fe8d8f58e502b46b37e4385037fcfa4831",
}
REINSTALL = f"Install it: pip install {PACKAGE}=={VERSION}"
# What an array needs to come back. Nothing here opens a file, imports or runs anything of the pickle's choosing.
READS_ARRAYS = {
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("numpy", "float64"),
    ("numpy._core.multiarray", "scalar"),
    ("joblib.numpy_pickle", "NumpyArrayWrapper"),
}
STANDS_EMPTY = ("sklearn.",)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """A bag of words and linear classifiers, one per fold, each with its calibration.

    `place`: word → column. `idf`: float64[words]. `coefficients`: float64[folds, words]; `intercepts`,
    `slopes`, `offsets`: float64[folds]; p = mean over folds of 1 / (1 + exp(slope · decision + offset)).
    """

    place: dict[str, int]
    idf: Floats
    coefficients: Floats
    intercepts: Floats
    slopes: Floats
    offsets: Floats


def data_folder() -> Path:
    """Return the folder of the package's weights without importing the package (which would unpickle them)."""
    package = find_spec(MODULE)
    if package is None or package.origin is None:
        missing = AppError(f"The package {PACKAGE} is missing.", hint=REINSTALL)
        raise explained(ModuleNotFoundError(name=MODULE)) or missing
    return Path(package.origin).parent / "data"


def weights(folder: Path) -> Weights:
    """Raises `AppError` where a file cannot be read, or is not the one that was looked at."""
    try:
        return _weights(folder, tuple(stamp(folder / name) for name in FILES))
    except OSError as error:
        raise AppError(
            f"The weights of {PACKAGE} cannot be read from {folder} ({error.strerror}).", hint=REINSTALL
        ) from error


@lru_cache(maxsize=1)
def _weights(folder: Path, stamps: tuple[tuple[int, ...], ...]) -> Weights:
    """Read the weights once; check and read changed files again."""
    model, vectorizer = (unpickled(_checked(folder, name)) for name in FILES)
    folds = model.calibrated_classifiers_
    calibrations = [fold.calibrators[0] for fold in folds]
    return Weights(
        place={word: int(column) for word, column in vectorizer.vocabulary_.items()},
        idf=np.asarray(vectorizer._tfidf.idf_, dtype=np.float64),
        coefficients=np.stack([np.asarray(fold.estimator.coef_[0], dtype=np.float64) for fold in folds]),
        intercepts=np.array([float(fold.estimator.intercept_[0]) for fold in folds]),
        slopes=np.array([float(each.a_) for each in calibrations]),
        offsets=np.array([float(each.b_) for each in calibrations]),
    )


def _checked(folder: Path, name: str) -> bytes:
    # Read once, so that what is unpickled is what was checked.
    content = (folder / name).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != FILES[name]:
        raise AppError(
            f"The file {name} in {folder} is not the one of {PACKAGE} {VERSION}, so it was not read.",
            kept="Nothing was changed.",
            hint=REINSTALL,
            details=f"SHA-256 of {name}: expected {FILES[name]}, found {digest}",
        )
    return content


class Holder:
    """Stands for a class of scikit-learn: keeps the attributes and can do nothing."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def unpickled(content: bytes) -> Any:
    """Return what joblib wrote, as arrays, plain values and holders. Raise `AppError` for a pickle that names more."""
    numpy_pickle = importlib.import_module("joblib.numpy_pickle")

    class Reader(numpy_pickle.NumpyUnpickler):  # type: ignore[misc, name-defined]
        def find_class(self, module: str, name: str) -> Any:
            if module.startswith(STANDS_EMPTY):
                return Holder
            if (module, name) not in READS_ARRAYS:
                raise AppError(f"The weights of {PACKAGE} name {module}.{name}, which they must not.", hint=REINSTALL)
            return super().find_class(module, name)

    return Reader("", io.BytesIO(content), ensure_native_byte_order=True).load()


# ---- The scorer

WORD = re.compile(r"\b\w\w+\b")  # as the classifier was trained


class ToxicityProfanity:
    """The probability that a sentence is offensive.

    Words that only say who somebody is (models/toxicity/identity_words.txt) are not read: the classifier takes
    "He is a gay teacher" for toxic, and a measure of bias must not bring that in. Statements about the group count.
    Otherwise it is the package's own probability; nothing in it was chosen here.
    `values`: float32[sentences]; `summary`: their mean, None for a text without a sentence or not in English.
    A substitute for Detoxify's `toxicity`. Source: news (Fang et al.), appendix A.
    """

    role = "toxicity"
    name = "toxicity_profanity"
    stand_in = True
    # Not “each”: news then asks sentence by sentence, and one without a value leaves its article whole.
    shape = "probability of every sentence that it is offensive, 0 to 1; summary: their mean"
    note = (
        "Used in place of Detoxify: it knows rude words, and misses threats and slights in plain words. "
        "See models/toxicity/card.md."
    )

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: where the weights lie; the installed package's by default."""
        self._folder = folder or data_folder()
        self.sha256 = sha256_text("\n".join([*FILES.values(), _identity_text()]))
        self.version = f"{PACKAGE} {version(PACKAGE)}; rules 1; {SEGMENTER}"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        known = weights(self._folder)
        return [_value(text, known) if reads(text) else NOTHING for text in texts]


def _value(text: str, known: Weights) -> ScoreValue:
    values = np.array([offensive(text[start:end], known) for start, end in sentences(text)], dtype=np.float32)
    return ScoreValue(values, float(values.mean()) if values.size else None)


def offensive(sentence: str, known: Weights, *, leave_out: frozenset[str] | None = None) -> float:
    """The package's own probability, for the words that are not left out (by default those of identities).

    Counts × idf, scaled to length 1, then the mean of the folds' calibrated decisions.
    """
    skipped = identity_words() if leave_out is None else leave_out
    counts = Counter(word for word in WORD.findall(sentence.lower()) if word in known.place and word not in skipped)
    columns = [known.place[word] for word in counts]
    values = np.array(list(counts.values()), dtype=np.float64) * known.idf[columns]
    length = float(np.linalg.norm(values)) or 1.0
    decisions = known.coefficients[:, columns] @ values / length + known.intercepts
    return float(np.mean(1 / (1 + np.exp(known.slopes * decisions + known.offsets))))


@cache
def identity_words() -> frozenset[str]:
    lines = (line.partition("#")[0] for line in _identity_text().splitlines())
    return frozenset(for_matching(word) for line in lines for word in line.split())


@cache
def _identity_text() -> str:
    return fitted("models", "toxicity", "identity_words.txt").decode("utf-8")
