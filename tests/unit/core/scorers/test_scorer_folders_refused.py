"""Folders that are no model, are damaged, or bring code: one sentence each, and nothing of them runs."""

import json
import random
import socket
from contextlib import suppress

import pytest
import tiny_models as tiny
import torch
from huggingface_hub import constants, hf_hub_download

from biasprint.core.backends import transformers_local
from biasprint.core.backends.protocol import Request
from biasprint.core.errors import AppError
from biasprint.core.scorers.folders.classifier import load_classifier
from biasprint.core.scorers.folders.embedder import load_embedder


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(3)


def said(load, folder):
    with pytest.raises(AppError) as caught:
        load(folder)
    assert "\n" not in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert caught.value.hint
    return caught.value.message


def test_only_pickles_are_refused_and_not_opened(tmp_path):
    folder = tiny.only_pickles(tiny.roberta_classifier(tmp_path / "model"))

    assert "as a pickle only" in said(load_classifier, folder)


@pytest.mark.parametrize(
    ("missing", "what"),
    [
        (("config.json",), "its settings"),
        (("model.safetensors",), "weights in the safetensors format"),
        (("tokenizer.json", "vocab.txt", "vocab.json"), "its tokenizer"),
    ],
)
def test_what_is_missing_is_named(tmp_path, missing, what):
    folder = tiny.bert_classifier(tmp_path / "model")
    for name in missing:
        (folder / name).unlink(missing_ok=True)

    assert f"it lacks {what}" in said(load_classifier, folder)


@pytest.mark.parametrize("make", [tiny.roberta_classifier, tiny.bert_classifier])
def test_code_of_the_folder_never_runs(tmp_path, make):
    canary = tmp_path / "canary"
    known = tiny.with_code(make(tmp_path / "known"), canary)
    unknown = tiny.with_code(make(tmp_path / "unknown"), canary, model_type="hidden")

    assert load_classifier(known).labels
    assert "program code of its own, and that is never run" in said(load_classifier, unknown)
    assert not canary.exists()


def test_code_of_an_embedder_never_runs(tmp_path):
    canary = tmp_path / "canary"
    folder = tiny.with_code(tiny.mpnet_embedder(tmp_path / "model"), canary)
    parts = json.loads((folder / "modules.json").read_text())
    parts.append({"idx": 3, "name": "3", "path": "", "type": "modeling_hidden.Hidden"})
    (folder / "modules.json").write_text(json.dumps(parts))

    assert "a part of the kind “Hidden”" in said(load_embedder, folder)
    assert not canary.exists()


def test_settings_that_would_fetch_code_are_not_followed(tmp_path):
    folder = tiny.change(
        tiny.bert_classifier(tmp_path / "model"),
        attn_implementation="nobody/kernels",
        _attn_implementation="nobody/kernels",
    )

    assert load_classifier(folder).labels == tiny.SST2
    embedder = tiny.change(tiny.mpnet_embedder(tmp_path / "embedder"), attn_implementation="nobody/kernels")
    (embedder / "sentence_bert_config.json").write_text(json.dumps({"model_args": {"attn_implementation": "nobody/k"}}))
    assert load_embedder(embedder).most


def test_another_architecture_is_refused_by_its_name(tmp_path):
    assert "cannot classify texts: it is a LlamaForCausalLM" in said(load_classifier, tiny.llama(tmp_path / "llama"))
    assert "cannot classify texts: it is a MPNetModel" in said(load_classifier, tiny.mpnet_embedder(tmp_path / "mpnet"))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"model_type": "no_such_type"}, "its type “no_such_type” is not known here"),
        ({"model_type": None}, "its type “” is not known here"),
        ({"hidden_size": 48}, "do not fit together"),
        ({"hidden_size": "many"}, "do not fit together"),
        ({"num_attention_heads": 0}, "do not fit together"),
        ({"num_hidden_layers": 3}, "lack parts"),
        ({"vocab_size": -4}, "do not fit together"),
        ({"quantization_config": {"quant_method": "bitsandbytes"}}, "quantised weights"),
    ],
)
def test_settings_that_do_not_fit_are_refused(tmp_path, changes, what):
    assert what in said(load_classifier, tiny.change(tiny.bert_classifier(tmp_path / "model"), **changes))


def test_an_adapter_is_no_model(tmp_path):
    folder = tiny.bert_classifier(tmp_path / "model")
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "nobody/model"}')

    assert "an adapter for another model" in said(load_classifier, folder)


def test_weights_cut_short_are_refused(tmp_path):
    folder = tiny.bert_classifier(tmp_path / "model")
    weights = (folder / "model.safetensors").read_bytes()
    for end in (0, 5, 8, 200, len(weights) // 2, len(weights) - 1):
        (folder / "model.safetensors").write_bytes(weights[:end])
        said(load_classifier, folder)


def test_mutated_weights_and_settings_load_or_are_one_sentence(tmp_path):
    folder = tiny.bert_classifier(tmp_path / "model")
    chance = random.Random(4)
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        whole = (folder / name).read_bytes()
        head = min(len(whole), 3000)  # of weights the header; a changed number deeper in is a number still
        sentences = []
        for _ in range(12):
            changed = bytearray(whole)
            for _ in range(3):
                changed[chance.randrange(head)] = chance.randrange(256)
            (folder / name).write_bytes(changed)
            try:
                load_classifier(folder).encode(["a letter"])
            except AppError as error:
                sentences.append(str(error))
        (folder / name).write_bytes(whole)
        assert sentences
        assert not any("\n" in sentence for sentence in sentences)
    assert load_classifier(folder).labels == tiny.SST2


def test_an_embedder_that_lacks_weights_is_refused(tmp_path):
    """The library itself would fill them with random numbers."""
    folder = tiny.change(tiny.mpnet_embedder(tmp_path / "model"), num_hidden_layers=3)

    assert "lack parts" in said(load_embedder, folder)


def test_an_embedders_part_elsewhere_is_not_followed(tmp_path):
    folder = tiny.mpnet_embedder(tmp_path / "model")
    parts = json.loads((folder / "modules.json").read_text())
    parts[1]["path"] = "../other"
    (folder / "modules.json").write_text(json.dumps(parts))

    assert "(modules.json) is damaged" in said(load_embedder, folder)


class Asked(Exception):
    """Not an error of the network: those are tried again, for half a minute."""


def test_loading_asks_nobody(tmp_path, monkeypatch):
    """Also where nothing tells the hub's library to stay offline."""
    classifier = tiny.roberta_classifier(tmp_path / "classifier")
    embedder = tiny.mpnet_embedder(tmp_path / "embedder")
    llama = tiny.llama(tmp_path / "llama")
    asked = []

    def nobody(*given, **named):
        asked.append(given)
        raise Asked

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, nobody)

    load_classifier(classifier).encode(["a"])
    load_embedder(embedder)
    writer = transformers_local.open(str(llama), {})
    writer.generate(Request(key="a", prompt="b", seed=1, max_tokens=3), lambda _: None, lambda: None)
    assert asked == []
    with suppress(Asked):
        hf_hub_download("nobody/nothing", "config.json", local_dir=tmp_path)
    assert asked, "whoever asked would not have been seen"
