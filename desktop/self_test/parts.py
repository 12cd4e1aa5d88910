"""Imports all that is used only now and then, to see that it is there. For a child process: much of it is heavy.

What the light edition leaves out is not looked for.
"""

import pkgutil
from importlib import import_module

from biasprint import core
from biasprint.core.errors import AppError
from biasprint.core.machine.installation import leaves_out

# Packages that are imported only when somebody asks for what they do, and the kinds of models that the catalogue names.
PARTS = (
    "gensim.models", "statsmodels.stats.proportion", "statsmodels.stats.inter_rater", "openai",
    "statsmodels.stats.contingency_tables", "scipy.stats", "pandas", "pyarrow.parquet", "openpyxl", "huggingface_hub",
    "textblob.sentiments", "textblob.en", "spacy.lang.en", "safetensors.numpy", "joblib.numpy_pickle",
    "sentence_transformers", "detoxify",
)  # fmt: skip
KINDS = (
    ("MODEL_MAPPING", "bert", "mpnet"),
    ("MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING", "bert", "distilbert", "roberta", "xlm-roberta"),
    ("MODEL_FOR_CAUSAL_LM_MAPPING", "gpt2", "llama", "mixtral", "qwen2"),
)


def import_parts() -> tuple[int, int]:
    """Import every module of core, and what is used only now and then: how many there were, and how many are left out.

    Kinds of models count as modules do.
    """
    names = [found.name for found in pkgutil.walk_packages(core.__path__, f"{core.__name__}.")]
    found = sum(_is_here(name) for name in (*names, *PARTS))
    missing = len(names) + len(PARTS) - found
    from keyring.backend import get_all_keyring

    if not get_all_keyring():
        raise AppError("No key ring is known.")
    return (found, missing) if leaves_out("transformers") else (found + _kinds(), missing)


def _is_here(name: str) -> bool:
    """Whether a module can be imported; raises its error where no part that is left out would bring it."""
    try:
        import_module(name)
    except ImportError as error:
        if not leaves_out(error.name or ""):
            raise
        return False
    return True


def _kinds() -> int:
    import safetensors.torch  # noqa: F401 - that it can be imported is the test, as with the next one
    from transformers import AutoTokenizer  # noqa: F401
    from transformers.models.auto import modeling_auto
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    return len([getattr(modeling_auto, table)[CONFIG_MAPPING[kind]] for table, *kinds in KINDS for kind in kinds])
