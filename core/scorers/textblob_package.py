"""TextBlob, imported for the compute process without what NLTK takes along although nobody asks for it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@cache
def english() -> Any:
    """The module `textblob.en`: tagger and sentiment. Heavy: imports NLTK and scipy.

    NLTK imports scikit-learn, and with it pandas, wherever they are installed, for classifiers that nothing here uses:
    0.7 s of processor time of the 1.7 s, for which every first letter would wait.
    """
    with _hidden("sklearn"):
        import textblob.en
    return textblob.en


@contextmanager
def _hidden(package: str) -> Iterator[None]:
    """As if the package were not installed; one that is imported already stays."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]  # what Python takes for “cannot be imported”
    try:
        yield
    finally:
        del sys.modules[package]
