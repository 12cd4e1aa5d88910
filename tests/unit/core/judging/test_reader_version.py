"""What reads a judge's reply has a version, which every judgment by a model keeps."""

import hashlib
from pathlib import Path

from biasprint.core.judging import model_rater, verdict
from biasprint.core.scorers import refusal

# Version → hash of the sources that decide how a reply is read. Who changes one gives it a new version here.
KNOWN = {"replies 1": "59fe836827fab0f7"}  # an import of it was renamed, which reads nothing otherwise


def test_a_reader_that_changes_has_a_new_version() -> None:
    sources = b"".join(Path(module.__file__).read_bytes() for module in (verdict, model_rater))
    digest = hashlib.sha256(sources + refusal.VERSION.encode()).hexdigest()[:16]
    assert KNOWN.get(verdict.READER_VERSION) == digest, (
        f"What reads replies has changed: raise READER_VERSION and put it here with {digest}."
    )
