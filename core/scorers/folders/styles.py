"""Formality, positivity, agency and toxicity of sentences by classifiers: the papers' own, or others in a folder."""

from collections.abc import Sequence

import numpy as np

from core.errors import AppError
from core.machine.models.installed import InstalledModel
from core.scorers.folders.classifier import Classifier, Floats, load_classifier, sigmoid, softmax
from core.scorers.folders.detoxify import is_detoxify, load_detoxify
from core.scorers.folders.held import held
from core.scorers.folders.labels import DETOXIFY, NUMBERED, asked_class, jigsaw_classes
from core.scorers.folders.scorer import FolderScorer
from core.scorers.protocol import ScoreValue
from core.scorers.segment import SEGMENTER, sentences
from core.scorers.sentence_style import NOTHING, reads, style_value

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
