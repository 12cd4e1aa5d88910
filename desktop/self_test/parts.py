"""The import of all modules that are used only rarely, to prove they exist. In a child process: much of it is heavy.

Modules that the light edition omits are not expected.
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
    """Import every module of core, and rarely used packages; return how many there were, and how many are omitted.

    Kinds of models count as modules do.
    """
    names = [module.name for module in pkgutil.walk_packages(core.__path__, f"{core.__name__}.")]
    imported = sum(_is_here(name) for name in (*names, *PARTS))
    missing = len(names) + len(PARTS) - imported
    from keyring.backend import get_all_keyring

    if not get_all_keyring():
        raise AppError("No key ring is known.")
    return (imported, missing) if leaves_out("transformers") else (imported + _kinds(), missing)


def _is_here(name: str) -> bool:
    """Return whether a module can be imported; raise its error unless an omitted part would provide it."""
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
