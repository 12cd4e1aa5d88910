"""TextBlob, imported for the compute process without what NLTK takes along although nobody asks for it."""

from functools import cache
from typing import Any

from biasprint.core.scorers.checked_files import require_unchanged
from biasprint.core.scorers.hidden import hidden

FILES = (
    "en-context.txt", "en-entities.txt", "en-lexicon.txt", "en-morphology.txt", "en-sentiment.xml", "en-spelling.txt",
)  # fmt: skip


@cache
def english() -> Any:
    """The module `textblob.en`: tagger and sentiment. Heavy: imports NLTK.

    NLTK imports scikit-learn (and with it pandas) and scipy wherever they are installed, for classifiers and tests
    that nothing here uses: 1.6 s of processor time of the 2, for which every first letter would wait.
    """
    require_unchanged("textblob", *(f"textblob/en/{name}" for name in FILES))
    with hidden("sklearn", "scipy"):
        import textblob.en
    return textblob.en
