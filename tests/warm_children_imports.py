"""Imported once by the process that tests' compute processes are forked from (see warm_children)."""

import gc
import importlib
from contextlib import suppress

from warm_children import LIBRARIES

for name in LIBRARIES:
    with suppress(ImportError):  # a test will say so
        importlib.import_module(name)
with suppress(ImportError):
    from biasprint.core.scorers.textblob_sentiment import english

    english()
gc.freeze()  # what all share is not copied for counting
