"""A scorer that ends its own process: once, or at every try until the marks' folder holds `mended`."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from biasprint.core.scorers.protocol import ScoreValue


class Killer:
    role, name, version, sha256, stand_in, shape = "length", "killer", "1", None, False, "characters"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        marks = Path(os.environ["KILLER_MARKS"])
        for text in texts:
            if (text == "dies once" and not (marks / "died").exists()) or (
                text == "dies always" and not (marks / "mended").exists()
            ):
                (marks / "died").touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return [ScoreValue(np.array([len(text)], np.float32), float(len(text))) for text in texts]
