"""TextBlob, imported for the compute process without what NLTK takes along although nobody asks for it."""

from functools import cache
from typing import Any

from core.scorers.hidden import hidden


@cache
def english() -> Any:
    """The module `textblob.en`: tagger and sentiment. Heavy: imports NLTK.

    NLTK imports scikit-learn (and with it pandas) and scipy wherever they are installed, for classifiers and tests
    that nothing here uses: 1.6 s of processor time of the 2, for which every first letter would wait.
    """
    with hidden("sklearn", "scipy"):
        import textblob.en
    return textblob.en
