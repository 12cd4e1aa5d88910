"""Classifiers, embedders and taggers from a folder, in the catalogue's architectures, against transformers itself."""

import json

import numpy as np
import pytest
import tiny_models as tiny
import torch
from seeded_part import seeded_part

from biasprint.core.errors import AppError
from biasprint.core.machine.models.installed import InstalledModel
from biasprint.core.scorers import registry
from biasprint.core.scorers.entailment import pair
from biasprint.core.scorers.folders import loading, scorers
from biasprint.core.scorers.folders.scorers import best
from biasprint.core.scorers.segment import sentences

TEXT = "She led the team. He was kind and warm, never bold!\n\nThe letter was long? Good work."
TEXTS = [TEXT, "", "The teacher wrote a book.", "x.", "She won the first prize and helped the old doctor."]


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(5)
    loading._held.clear()
    yield
    loading._held.clear()


@pytest.fixture
def put(monkeypatch):
    """Puts a model in place for its role, as if the models panel had."""
    models: dict[str, InstalledModel] = {}
    monkeypatch.setattr(scorers, "model_for", models.get)

    def put(role, path, *, name="mine", origin="added", form="folder", sha="ab" * 32):
        models[role] = InstalledModel(name, role, path, form, sha, "", "My model", origin)

    return put


def parts(text):
    return [text[start:end] for start, end in sentences(text)]


def direct(folder, *texts):
    """Logits of each text, or pair of texts, on its own."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model, tokenizer = AutoModelForSequenceClassification.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        return [
            model(**tokenizer(*given, return_tensors="pt", truncation=True, max_length=64)).logits[0]
            for given in zip(*texts, strict=True)
        ]


@pytest.mark.parametrize(
    ("scorer", "role", "make", "labels", "place"),
    seeded_part(
        [
            ("sst2", "positivity", tiny.distilbert_classifier, tiny.SST2, 1),
            ("sst2", "positivity", tiny.bert_classifier, tiny.SST2, 1),
            ("sst2", "positivity", tiny.roberta_classifier, ("positive", "neutral", "negative"), 0),
            ("formality_classifier", "formality", tiny.roberta_classifier, tiny.FORMALITY, 1),
            ("agency_classifier", "agency", tiny.bert_classifier, ("communal", "agentic"), 1),
        ],
        2,
    ),
)
def test_a_classifier_gives_what_transformers_gives(tmp_path, put, scorer, role, make, labels, place):
    put(role, make(tmp_path / "model", labels))

    info, values = registry.score_batch(scorer, TEXTS)

    for text, value in zip(TEXTS, values, strict=True):
        expected = [float(logits.softmax(0)[place]) for logits in direct(tmp_path / "model", parts(text))]
        assert value.values.dtype == np.float32
        assert value.values == pytest.approx(expected, abs=1e-5)
        assert value.summary == (np.mean(value.values >= 0.5) if expected else None)
    assert info["unavailable"] == ""
    assert "It computes on" in info["note"]


@pytest.mark.parametrize(
    ("scorer", "role", "make"),
    [
        ("formality_classifier", "formality", tiny.roberta_classifier),
        ("mpnet", "embedding", tiny.minilm_embedder),
    ],
)
def test_a_value_is_the_same_to_the_bit_in_any_company(tmp_path, put, scorer, role, make):
    put(role, make(tmp_path / "model", width=256))  # wide enough for the kernels of real models
    many = ["x", "a b", "a b c", "old", *[f"{'very ' * (n % 7)}good idea {n % 10}." for n in range(60)]]

    together = registry.load(scorer).score(many)
    alone = [registry.load(scorer).score([text])[0] for text in many]

    assert all(np.array_equal(one.values, other.values) for one, other in zip(together, alone, strict=True))


def test_a_sentence_longer_than_the_model_takes_is_cut_there(tmp_path, put):
    put("formality", tiny.roberta_classifier(tmp_path / "model"))
    long = "the very old teacher " * 30

    _, values = registry.score_batch("formality_classifier", [long])

    expected = direct(tmp_path / "model", [long.strip()])[0].softmax(0)[1]
    assert values[0].values == pytest.approx([float(expected)], abs=1e-5)


def test_a_text_in_another_language_has_no_value(tmp_path, put):
    put("positivity", tiny.bert_classifier(tmp_path / "model"))
    german = "Die Lehrerin schrieb einen langen Brief über ihre Schülerin, die immer freundlich und fleißig war. " * 2

    _, values = registry.score_batch("sst2", [german])

    assert (values[0].values.size, values[0].summary) == (0, None)


def test_entailment_gives_the_three_classes_in_order(tmp_path, put):
    labels = ("contradiction", "entailment", "neutral")
    put("entailment", tiny.roberta_classifier(tmp_path / "model", labels, most=96))
    premise, claim = "She led the team.", "She was bold."

    _, values = registry.score_batch("nli", [pair(premise, claim), pair("", claim), pair(premise, "")])

    expected = direct(tmp_path / "model", [premise], [claim])[0].softmax(0)[[1, 2, 0]]
    assert values[0].values == pytest.approx(expected.numpy(), abs=1e-5)
    assert values[0].summary == pytest.approx(float(expected[0]), abs=1e-5)
    assert [(value.values.tolist(), value.summary) for value in values[1:]] == [([0, 1, 0], None)] * 2


def test_a_long_premise_is_read_whole_in_windows_that_overlap(tmp_path, put):
    put("entailment", tiny.roberta_classifier(tmp_path / "model", tiny.NLI, most=96))
    scorer = registry.load("nli")
    scorer.score([pair("a.", "b.")])
    classifier = loading._held["entailment"][1]
    seen = []
    encode = classifier.encode_pairs
    classifier.encode_pairs = lambda first, second: seen.extend(first) or encode(first, second)
    premise = " ".join(f"idea {n} was good." for n in range(40))

    value = scorer.score([pair(premise, "She led.")])[0]

    rows = torch.stack(direct(tmp_path / "model", seen, ["She led."] * len(seen))).softmax(1).double().numpy()
    assert value.values == pytest.approx(best(rows), abs=1e-5)
    assert len(seen) > 5
    assert all(len(encode([piece], ["She led."])[0]["input_ids"]) <= 96 for piece in seen)
    starts = [premise.index(piece.strip()) for piece in seen]
    ends = [start + len(piece.strip()) for start, piece in zip(starts, seen, strict=True)]
    assert starts[0] == 0
    assert ends[-1] == len(premise)
    assert all(start < end for start, end in zip(starts[1:], ends, strict=False))


def test_of_windows_the_best_entailment_counts_then_a_contradiction():
    entails, against, neither = [0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.3, 0.6, 0.1]

    assert best(np.array([neither, against, entails])).tolist() == entails
    assert best(np.array([neither, against])).tolist() == against
    assert best(np.array([neither])).tolist() == neither


def with_cls_pooling(folder):
    return tiny.mpnet_embedder(folder, pooling="pooling_mode_cls_token")


def with_prompt(folder):
    """Its prompt stands before every text and is left out of the mean, as for INSTRUCTOR's models."""
    tiny.mpnet_embedder(folder)
    prompts = {"prompts": {"query": "the book : "}, "default_prompt_name": "query"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts), encoding="utf-8")
    pooling = json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8")) | {"include_prompt": False}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling), encoding="utf-8")
    return folder


def with_dense(folder):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense

    plain = SentenceTransformer(str(tiny.mpnet_embedder(folder / "plain")), device="cpu")
    plain.insert(2, Dense(32, 8))
    plain.save_pretrained(str(folder))
    return folder


def without_parts(folder):
    (tiny.mpnet_embedder(folder) / "modules.json").unlink()
    return folder


@pytest.mark.parametrize(
    "make", [tiny.mpnet_embedder, tiny.minilm_embedder, with_cls_pooling, with_prompt, with_dense, without_parts]
)
def test_an_embedder_gives_what_sentence_transformers_gives(tmp_path, put, make):
    from sentence_transformers import SentenceTransformer

    put("embedding", make(tmp_path / "model"))
    texts = ["she led the team .", "a kind and warm doctor", "x", "the old garden in the city , at night"]

    _, values = registry.score_batch("mpnet", [*texts, ""])

    expected = SentenceTransformer(str(tmp_path / "model"), device="cpu").encode(texts, normalize_embeddings=True)
    assert np.allclose([value.values for value in values[:-1]], expected, atol=1e-6)
    assert values[-1].values.size == 0


def test_long_texts_are_embedded_in_windows(tmp_path, put):
    put("embedding", tiny.mpnet_embedder(tmp_path / "model"))  # takes 40 tokens, two of them marks
    words = ["garden", "old", "teacher", "book"] * 19

    halves = [" ".join(words[:38]), " ".join(words[38:])]
    _, values = registry.score_batch("mpnet", [" ".join(words), *halves])

    mean = values[1].values.astype(float) + values[2].values
    assert values[0].values == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)


def test_another_model_for_the_role_frees_the_former(tmp_path, put):
    put("positivity", tiny.bert_classifier(tmp_path / "one"), sha="1" * 64)
    first = registry.score_batch("sst2", [TEXT])
    kept = loading._held["positivity"][1]
    put("positivity", tiny.roberta_classifier(tmp_path / "two", tiny.SST2), name="two", sha="2" * 64)
    second = registry.score_batch("sst2", [TEXT])

    assert loading._held["positivity"][1] is not kept
    assert len(loading._held) == 1
    assert first[0]["version"] != second[0]["version"]
    assert second[0]["version"].startswith("two 222222222222; ")
    assert second[0]["sha256"] == "2" * 64


def test_only_the_papers_own_model_is_no_stand_in(tmp_path, put):
    tiny.distilbert_classifier(tmp_path / "model")
    put("positivity", tmp_path / "model")
    other = registry._describe("sst2")
    put("positivity", tmp_path / "model", name="distilbert-sst2", origin="catalogue")
    own = registry._describe("sst2")

    assert (other.stand_in, own.stand_in) == (True, False)
    assert "in the place of the letters paper's positivity classifier" in other.note


def test_numbered_labels_are_understood_of_the_catalogues_model_alone(tmp_path, put):
    tiny.bert_classifier(tmp_path / "model", ("LABEL_0", "LABEL_1"))
    put("agency", tmp_path / "model", name="language-agency", origin="catalogue")
    _, values = registry.score_batch("agency_classifier", [TEXT])
    expected = [float(logits.softmax(0)[1]) for logits in direct(tmp_path / "model", parts(TEXT))]
    assert values[0].values == pytest.approx(expected, abs=1e-5)

    put("agency", tmp_path / "model", name="language-agency", origin="added")
    with pytest.raises(AppError, match="labels of “language-agency” are not understood: “LABEL_0”, “LABEL_1”"):
        registry.score_batch("agency_classifier", [TEXT])


@pytest.mark.parametrize("labels", [("joy", "anger"), ("positive", "POSITIVE"), ("positive", "joy"), ("toxic",)])
def test_labels_that_are_not_understood_are_named(tmp_path, put, labels):
    put("positivity", tiny.bert_classifier(tmp_path / "model", labels))

    with pytest.raises(AppError, match=f"not understood: “{labels[0]}”"):
        registry.score_batch("sst2", [TEXT])
