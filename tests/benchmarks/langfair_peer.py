"""LangFair's own measures, without what else it brings: its packages import LangChain, and NLTK's data are a download.

It asks for numpy below 2 and so is installed without its dependencies. Given our tokens, it counts by its own code.
"""

import importlib
import importlib.util
import sys
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from biasprint.core.scorers.functions import langfair_words, word_tokens

HINT = "pip install --no-deps langfair==0.8.0, and the extra “bench”"
FOLDERS = ("counterfactual", "counterfactual.metrics", "stereotype", "stereotype.metrics")


@cache
def _prepared() -> None:
    """The folders as packages whose own first lines are not run."""
    if importlib.util.find_spec("langfair") is None or importlib.util.find_spec("rouge_score") is None:
        pytest.skip(f"LangFair is not installed ({HINT})")
    base = next(iter(importlib.import_module("langfair.metrics").__path__))
    for folder in FOLDERS:
        module = ModuleType(f"langfair.metrics.{folder}")
        module.__path__ = [f"{base}/{folder.replace('.', '/')}"]
        sys.modules[module.__name__] = module


def measure_of(module: str, name: str, *arguments: Any, **options: Any) -> Any:
    """One of its measures, with our tokens and its stop words as they stand in our file."""
    _prepared()
    with pytest.MonkeyPatch.context() as patch:
        import nltk.corpus
        import nltk.tokenize

        class Stop:
            words = staticmethod(lambda language: sorted(langfair_words().stop))

        patch.setattr(nltk.tokenize, "word_tokenize", word_tokens)
        patch.setattr(nltk.corpus, "stopwords", Stop)
        loaded = importlib.import_module(f"langfair.metrics.{module}")
        if hasattr(loaded, "word_tokenize"):
            loaded.word_tokenize = word_tokens
        return getattr(loaded, name)(*arguments, **options)
