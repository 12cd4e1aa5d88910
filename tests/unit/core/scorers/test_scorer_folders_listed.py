"""How scorers that need a model are listed while there is none; and spaCy's tagger from an installed pipeline."""

import json

import pytest
import tiny_models as tiny
import torch

from biasprint.core.errors import AppError
from biasprint.core.machine.models.upkeep import add
from biasprint.core.scorers import parts_of_speech, registry
from biasprint.core.scorers.parts_of_speech import CODES
from biasprint.core.scorers.segment import words

NEED_A_MODEL = {
    "sst2": "positivity", "detoxify": "toxicity", "formality_classifier": "formality", "agency_classifier": "agency",
    "nli": "entailment", "mpnet": "embedding",
}  # fmt: skip


def test_scorers_without_their_model_are_listed_with_what_to_do():
    listed = {info.name: info for info in registry.describe()}

    for name, role in NEED_A_MODEL.items():
        assert listed[name].role == role
        assert listed[name].unavailable.endswith("Get it in the models panel, or add a folder.")
        assert listed[name].note
        with pytest.raises(AppError, match="not on this computer"):
            registry.score_batch(name, ["A letter."])


def test_a_folder_that_was_added_fills_its_role(tmp_path, monkeypatch):
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    torch.manual_seed(2)
    add(tiny.bert_classifier(tmp_path / "folder"), "positivity", name="mine")

    info, values = registry.score_batch("sst2", ["She was very kind. He won."])

    assert len(values[0].values) == 2
    assert info["version"].startswith("mine ")
    assert (info["stand_in"], info["unavailable"]) == (True, "")
    assert "It computes on the" in info["note"]
    assert registry._describe("sst2").sha256 == info["sha256"]


@pytest.fixture
def pipeline(tmp_path, monkeypatch):
    """A pipeline laid out as spaCy's packages are; its tags are looked up, so that they can be checked by hand."""
    import spacy

    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    tags = {
        "teacher": "NOUN",
        "book": "NOUN",
        "kind": "ADJ",
        "wrote": "VERB",
        "is": "AUX",
        "very": "ADV",
        "Anna": "PROPN",
    }
    for form, tag in tags.items():
        ruler.add([[{"ORTH": form}]], {"POS": tag})
    package = tmp_path / "en_core_web_sm"
    package.mkdir()
    nlp.to_disk(package / "en_core_web_sm-9.9.9")
    (package / "__init__.py").write_text("raise RuntimeError('the package is not imported')")
    (package / "meta.json").write_text(json.dumps({"version": "9.9.9"}))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    parts_of_speech._pipeline.cache_clear()


def test_spacys_tags_stand_for_the_words_of_the_segmenter(pipeline):
    text = "Anna, the kind teacher, is very\n\nlate: she didn't  write “book”; wrote 3-4 pages.\ud800"

    info, values = registry.score_batch("pos_spacy", [text, "", "…"])

    names = {code: name for name, code in CODES.items()}
    found = dict(zip([word.text for word in words(text)], [names[code] for code in values[0].values], strict=True))
    assert {word: part for word, part in found.items() if part != "other"} == {
        "Anna": "name", "kind": "adjective", "teacher": "noun", "is": "verb", "very": "adverb", "book": "noun",
        "wrote": "verb",
    }  # fmt: skip
    assert (values[1].values.size, values[2].values.size) == (0, 0)
    assert info["version"].startswith("en_core_web_sm-9.9.9; ")
    assert (info["unavailable"], info["stand_in"], len(info["sha256"])) == ("", False, 64)


def test_a_pipeline_that_cannot_be_loaded_is_one_sentence(pipeline, tmp_path):
    (tmp_path / "en_core_web_sm" / "en_core_web_sm-9.9.9" / "config.cfg").write_text("[nlp]\nlang = ")

    with pytest.raises(AppError, match=r"“en_core_web_sm-9\.9\.9” cannot be loaded"):
        registry.score_batch("pos_spacy", ["A letter."])
