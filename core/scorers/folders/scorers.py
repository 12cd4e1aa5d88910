"""Scorers with a classifier from a folder: formality, positivity, agency and toxicity of sentences; entailment.

Each loads the paper's own model, or another that fills its role on this computer, and says which.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.errors import AppError
from core.machine.models import installed
from core.machine.models.installed import InstalledModel
from core.scorers.entailment import CLASSES, split_pair
from core.scorers.folders.classifier import (
    DETOXIFY,
    NUMBERED,
    Classifier,
    Floats,
    asked_class,
    entailment_order,
    jigsaw_classes,
    load_classifier,
    sigmoid,
    softmax,
)
from core.scorers.folders.detoxify import is_detoxify, load_detoxify
from core.scorers.folders.device import device_of, held, in_words
from core.scorers.protocol import ScoreValue
from core.scorers.segment import SEGMENTER, sentences
from core.scorers.stand_in import NOTHING, reads, style_value

GET = "Get it in the models panel, or add a folder."


def model_for(role: str) -> InstalledModel | None:
    """The model that a scorer of this role loads; None where there is none."""
    return installed.for_role(role)


def needed(role: str) -> InstalledModel:
    """Raises `AppError` where there is none, or where it is no folder."""
    model = model_for(role)
    if model is None:
        raise AppError("Its model is not on this computer.", hint=GET)
    if model.format == "gguf":
        raise AppError(f"“{model.name}” is a GGUF file, which only writes texts.", hint=GET)
    return model


def papers_own(model: InstalledModel) -> bool:
    """Whether it is the very model that a paper used: got from the catalogue, or by the hash that is recorded."""
    return installed.is_papers_own(model)


class FolderScorer:
    """Which model it loads can change while the program runs, so what it says of itself is looked up each time.

    `stand_in` is False only for the very model that a paper used; any other one that fills the role stands in for it.
    """

    role = ""
    name = ""
    rules = ""  # how texts are read; changes whenever the same text could get other numbers
    papers = ""  # what the paper used, in words

    @property
    def unavailable(self) -> str:
        """Why it cannot be used now; empty where it can."""
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
        return model is not None and not papers_own(model)

    @property
    def note(self) -> str:
        """What it is; and on what it computes, once it is loaded in this process."""
        model = self._found()
        if model is None:
            return f"{self.papers[:1].upper()}{self.papers[1:]}."
        own = not self.stand_in
        said = f"{model.title}: {self.papers}." if own else f"{model.title}, here in the place of {self.papers}."
        device = device_of(self.role)
        return f"{said} It computes on {in_words(device)}." if device else said

    def model(self) -> InstalledModel:
        """Raises `AppError` where no model for the role is on this computer."""
        return needed(self.role)

    def _found(self) -> InstalledModel | None:
        try:
            return self.model()
        except AppError:
            return None


RULES = f"sentences cut at what the model takes; {SEGMENTER}; rules 1"


class SentenceClassifier(FolderScorer):
    """The probability of one class for each sentence: softmax over the classes, or sigmoid where each stands alone.

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

    def _probabilities(self, found: Sequence[str]) -> Floats:
        if not found:
            return np.empty((0, 1))
        model = self.model()
        classifier = held(self.role, (model.path, model.sha256), lambda: self._load(model))
        names = NUMBERED.get(model.name, ()) if model.origin == "catalogue" else ()
        place, apart = asked_class(self.role, classifier.labels, model.name, names)
        logits = classifier.logits(classifier.encode(found))
        if not np.isfinite(logits).all():
            raise _no_numbers(model)
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


def _no_numbers(model: InstalledModel) -> AppError:
    return AppError(
        f"What “{model.name}” computes are no numbers, so its weights are damaged.",
        kept="Nothing of this batch was stored.",
        hint="Get the model again, or choose another one.",
    )


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
    """Of windows' probabilities, float64[windows, 3], the row that counts (see `core.scorers.entailment.judged`)."""
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
    if not premise or not hypothesis or not reads(hypothesis) or not reads(premise):
        return None
    room = classifier.most - classifier.marks
    claimed = classifier.split(hypothesis)
    kept = min(len(claimed), HYPOTHESIS, room // 2)
    if not kept:
        return None
    hypothesis = hypothesis if kept == len(claimed) else hypothesis[: claimed[kept - 1][1]]
    tokens = classifier.split(premise)
    # One to spare: a piece cut out of a text can be split into one token more.
    size = room - kept - 2
    if len(tokens) <= size:
        return _Windows([premise], hypothesis)
    step = max(1, size - min(OVERLAP, size // 2))
    starts = range(0, max(1, len(tokens) - (size - step)), step)
    return _Windows([premise[tokens[at][0] : tokens[min(at + size, len(tokens)) - 1][1]] for at in starts], hypothesis)
