"""Folders made to fill the memory or to run something: one sentence each, in bounded memory, and nothing runs."""

import json
import os
import pickle
import resource
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import scorers_targets
import tiny_models as tiny
import torch

from biasprint.core.compute import ComputeCrashed, ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.machine.child import at_most
from biasprint.core.machine.models import installed, layout, upkeep
from biasprint.core.scorers.folders.classifier import load_classifier

MOST_MB = 300  # for looking at any of them
TEXT = "the teacher was never a very good leader of the t" + "e" * 50


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    torch.manual_seed(3)
    return tiny.bert_classifier(tmp_path_factory.mktemp("sound") / "model")


@pytest.fixture
def folder(sound, tmp_path):
    return Path(shutil.copytree(sound, tmp_path / "model"))


def refused(folder):
    """What is said of a folder that somebody adds, and how many MB it took at most."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(AppError) as caught:
        upkeep.add(folder, "formality")
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < MOST_MB
    return str(caught.value)


def header(content, length=None):
    return (len(content) if length is None else length).to_bytes(8, "little") + content


def of_tensor(offsets, shape="[1]"):
    return b'{"a":{"dtype":"F32","shape":%s,"data_offsets":%s}}' % (shape.encode(), offsets.encode())


HEADERS = {  # each is made where it is tried: test processes would keep hundreds of megabytes of them
    "of gigabytes that are not there": lambda: header(b"{}", 1 << 33),
    "of many tensors": lambda: header(
        b"{" + b",".join(b'"%d":{"data_offsets":[0,0]}' % place for place in range(1_000_000)) + b"}"
    ),
    "of empty lists": lambda: header(b'{"__metadata__":[' + b"[]," * 20_000_000 + b"[]]}"),
    "nested a million deep": lambda: header(b"[" * 1_000_000),
    "that ends nowhere": lambda: header(of_tensor("[0,1e999]")),
    "that ends at no number": lambda: header(of_tensor("[0,NaN]")),
    "that ends at a number of 10,000 digits": lambda: header(of_tensor(f"[0,{'9' * 10_000}]")),
}


@pytest.mark.parametrize("what", HEADERS)
def test_a_header_of_weights(folder, what):
    (folder / layout.WEIGHTS).write_bytes(HEADERS[what]())

    assert f"“{layout.WEIGHTS}” in “model” is damaged or incomplete. Get it again." in refused(folder)


@pytest.mark.parametrize(
    ("offsets", "shape"), [("[-4,0]", "[1]"), ("[0,4]", "[4611686018427387904,4]"), ("[0,4]", "[-1]")]
)
def test_weights_whose_places_are_impossible(folder, offsets, shape):
    content = header(of_tensor(offsets, shape))
    (folder / layout.WEIGHTS).write_bytes(content + bytes(4 if "4]" in offsets else 0))

    with pytest.raises(AppError, match="its weights are damaged"):
        load_classifier(folder)


def test_weights_that_lie_over_each_other(folder):
    tensors = {f"t{place}": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]} for place in range(3)}
    (folder / layout.WEIGHTS).write_bytes(header(json.dumps(tensors).encode()) + bytes(4))

    with pytest.raises(AppError, match="its weights are damaged"):
        load_classifier(folder)


@pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors", "merges.txt"])
def test_a_part_of_holes(folder, name):
    with (folder / name).open("wb") as stream:
        stream.truncate(1 << 40)

    assert "next to nothing is in it" in refused(folder)


SETTINGS = {
    "of empty lists": lambda: b'{"a":[' + b"[]," * 20_000_000 + b"[]]}",
    "nested a million deep": lambda: b'{"a":' + b"[" * 10**6 + b"]" * 10**6 + b"}",
    "of one endless word": lambda: b'"' + b"a" * 70_000_000,
}


@pytest.mark.parametrize("what", SETTINGS)
@pytest.mark.parametrize("name", ["tokenizer.json", "config.json"])
def test_settings_that_would_fill_the_memory(folder, name, what):
    (folder / name).write_bytes(SETTINGS[what]())

    assert f"“{name}” in “model” is damaged or incomplete" in refused(folder)


def change_tokenizer(folder, **parts):
    """Have the library take every part of tokenizer.json as it is there."""
    for name, changed in (
        ("tokenizer.json", parts),
        ("tokenizer_config.json", {"tokenizer_class": "TokenizersBackend"}),
    ):
        values = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps(values | changed))


ENDLESS_PATTERN = {"type": "Split", "pattern": {"Regex": "(e|ee|[a-z]+ ?)+$X"}, "behavior": "Isolated", "invert": False}
ENDLESS_TEMPLATE = {
    "type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}] * 20_000,
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {},
}  # fmt: skip
TENFOLD = {"type": "Replace", "pattern": {"String": "e"}, "content": "e" * 10}


@pytest.mark.parametrize(
    "part", [{"pre_tokenizer": ENDLESS_PATTERN}, {"post_processor": ENDLESS_TEMPLATE}], ids=["pattern", "template"]
)
def test_a_tokenizer_that_never_ends_at_a_text(folder, part):
    change_tokenizer(folder, **part)
    classifier = load_classifier(folder)

    with pytest.raises(AppError, match="The tokenizer of “model” fails at a text"):
        classifier.encode([TEXT])


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to its memory")
def test_a_tokenizer_that_makes_a_terabyte_of_a_text_costs_its_process(folder):
    change_tokenizer(folder, normalizer={"type": "Sequence", "normalizers": [TENFOLD] * 12})
    compute = ComputeProcess()

    with pytest.raises(ComputeCrashed, match=r"stopped unexpectedly|not enough memory"):
        compute.call(scorers_targets.tokens_of, folder, TEXT)

    compute.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to its memory")
def test_memory_is_held_within_the_block_alone():
    with pytest.raises(MemoryError), at_most(100 << 20):
        bytearray(200 << 20)
    assert len(bytearray(200 << 20)) == 200 << 20


@pytest.mark.parametrize(
    "settings",
    [
        {"num_hidden_layers": 10**9}, {"vocab_size": 10**12}, {"hidden_size": 10**7, "intermediate_size": 10**9},
        {"deep": {"num_experts": 10**6}},
    ],
)  # fmt: skip
def test_settings_of_an_impossible_size(folder, settings):
    with pytest.raises(AppError, match=r"do not fit together|not enough memory"):
        load_classifier(tiny.change(folder, **settings))


class Runs:
    """What a pickle of a stranger may be."""

    def __init__(self, mark):
        self.mark = str(mark)

    def __reduce__(self):
        return os.mkdir, (self.mark,)


@pytest.mark.parametrize(
    "name",
    ["pytorch_model.bin", "model.pt", "model.pth", "model.pkl", "model.ckpt", "model.msgpack", "model.h5", "model.npy",
     "model.joblib", "model.npz"],
)  # fmt: skip
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside safetensors"])
def test_no_pickle_is_opened(folder, tmp_path, name, beside):
    bomb, mark = Runs(tmp_path / "mark"), tmp_path / "mark"
    if name.endswith(".npy"):
        np.save(folder / name, np.array([bomb], dtype=object))
    elif name.endswith(".npz"):
        np.savez(folder / name, np.array([bomb], dtype=object))
    elif name == "model.pt":
        torch.save({"state_dict": {}, "config": bomb}, folder / name)  # as a zip
    else:
        (folder / name).write_bytes(pickle.dumps(bomb))
    if beside:
        assert installed.at_path(folder, "formality").sha256
        assert load_classifier(folder).labels == tiny.SST2
    else:
        (folder / layout.WEIGHTS).unlink()
        assert "pickle" in refused(folder) or "it lacks weights" in refused(folder)
        refused(folder / name)
    assert not mark.exists()
    bomb.__reduce__()[0](*bomb.__reduce__()[1])
    assert mark.exists(), "what would have run leaves no mark"
