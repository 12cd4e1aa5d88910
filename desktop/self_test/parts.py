"""Imports all that is used only now and then, to see that it is there. For a child process: much of it is heavy."""

import pkgutil
from importlib import import_module

import core
from desktop.self_test import Failed

# Packages that are imported only when somebody asks for what they do, and the kinds of models that the catalogue names.
PARTS = (
    "gensim.models", "statsmodels.stats.proportion", "statsmodels.stats.inter_rater", "openai",
    "statsmodels.stats.contingency_tables", "scipy.stats", "pandas", "pyarrow.parquet", "openpyxl", "huggingface_hub",
    "textblob.sentiments", "textblob.en", "spacy.lang.en", "safetensors.torch", "joblib.numpy_pickle",
    "sentence_transformers", "detoxify",
)  # fmt: skip
KINDS = (
    ("MODEL_MAPPING", "bert", "mpnet"),
    ("MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING", "bert", "distilbert", "roberta", "xlm-roberta"),
    ("MODEL_FOR_CAUSAL_LM_MAPPING", "gpt2", "llama", "mixtral", "qwen2"),
)


def import_parts() -> int:
    """Import every module of core, and what is used only now and then; how many there were."""
    names = [found.name for found in pkgutil.walk_packages(core.__path__, f"{core.__name__}.")]
    for name in (*names, *PARTS):
        import_module(name)
    from transformers import AutoTokenizer  # noqa: F401 - that it can be imported is the test
    from transformers.models.auto import modeling_auto
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    classes = [getattr(modeling_auto, table)[CONFIG_MAPPING[kind]] for table, *kinds in KINDS for kind in kinds]
    from keyring.backend import get_all_keyring

    if not get_all_keyring():
        raise Failed("No key ring is known.")
    return len(names) + len(PARTS) + len(classes)
