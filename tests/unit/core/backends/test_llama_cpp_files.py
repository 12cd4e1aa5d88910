"""Model files: whatever is wrong with one, a sentence says what, before native code has seen it."""

import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("gguf", reason="tiny models are written with the gguf package")

from tiny_gguf import opened, patched, write_tiny

from biasprint.core.backends import llama_cpp, local_model
from biasprint.core.backends.llama_cpp.gguf import check_file, read_head
from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine import processor

FIRST_TENSOR = b"token_embd.weight"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture
def file_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that writes bytes to a file; the backend counts as installed, and nothing of it is needed."""
    monkeypatch.setattr(llama_cpp, "installed", lambda: True)

    def write(data: bytes) -> Path:
        path = tmp_path / "changed.gguf"
        path.write_bytes(data)
        return path

    return write


def refusal(path: Path, tried: Callable[[Path], object] = check_file) -> AppError:
    began = time.process_time()
    with pytest.raises(AppError) as refused:
        tried(path)
    assert time.process_time() - began < 5
    assert refused.value.hint
    assert "\n" not in refused.value.message
    return refused.value


def test_what_a_good_file_says(model: Path) -> None:
    from gguf import GGUFReader

    peer = GGUFReader(model)
    head = read_head(model)
    assert [(one.name, list(one.shape), one.size) for one in head.tensors] == [
        (one.name, list(one.shape), one.n_bytes) for one in peer.tensors
    ]
    for key, field in peer.fields.items():
        if not key.startswith("GGUF."):
            told = head.metadata[key]
            assert (list(told) if isinstance(told, tuple) else told) == field.contents()
    checked = check_file(model)
    assert (checked.trained_context, checked.begin, checked.end) == (256, "<|begin|>", "<|end|>")
    assert "messages" in (checked.template or "")


def test_every_cut_is_noticed(model: Path, file_of) -> None:
    data = model.read_bytes()
    for length in [*range(4, 400, 13), *range(400, len(data), len(data) // 40), len(data) - 1]:
        assert "is incomplete" in refusal(file_of(data[:length])).message
    for length in (0, 3):
        assert "not a GGUF file" in refusal(file_of(data[:length])).message


def test_lengths_and_counts_beyond_reason_cost_neither_time_nor_memory(model: Path, file_of) -> None:
    data = model.read_bytes()
    huge = struct.pack("<Q", 2**62)
    assert "impossible number" in refusal(file_of(data[:8] + huge + data[16:])).message
    assert "impossible number" in refusal(file_of(data[:16] + huge + data[24:])).message
    assert "impossibly long" in refusal(file_of(data[:24] + huge + data[32:])).message
    tokens = b"tokenizer.ggml.tokens"
    at = data.index(tokens) + len(tokens) + 8
    assert "impossibly long" in refusal(file_of(data[:at] + huge + data[at + 8 :])).message
    assert "incomplete" in refusal(file_of(data[:at] + struct.pack("<Q", 5_000_000) + data[at + 8 :])).message


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("llama.block_count", struct.pack("<I", 0), "block count"),
        ("llama.context_length", struct.pack("<I", 0), "context length"),
        ("llama.embedding_length", struct.pack("<I", 2**31), "embedding length"),
        ("llama.attention.head_count", struct.pack("<I", 0), "number of heads"),
        ("llama.attention.head_count_kv", struct.pack("<I", 0), "number of heads"),
        ("llama.attention.layer_norm_rms_epsilon", struct.pack("<f", 0.0), "layer_norm_rms_epsilon"),
        ("llama.rope.freq_base", struct.pack("<f", float("nan")), "a number in its head is none"),
        ("tokenizer.ggml.bos_token_id", struct.pack("<I", 9_999), "bos_token_id"),
        ("tokenizer.ggml.eos_token_id", struct.pack("<I", 384), "eos_token_id"),
        ("general.architecture", struct.pack("<Q", 5) + b"ll\xffma", "no proper text"),
        ("general.architecture", struct.pack("<Q", 5) + b"ll ma", "of what kind"),
    ],
)
def test_values_that_native_code_would_stumble_over(model: Path, file_of, key: str, value: bytes, says: str) -> None:
    error = refusal(file_of(patched(model.read_bytes(), key, value)))
    assert "is damaged" in error.message
    assert says in error.message


def test_tensors_that_do_not_fit_together(model: Path, file_of) -> None:
    data = model.read_bytes()
    shape_at = data.index(FIRST_TENSOR) + len(FIRST_TENSOR) + 4
    for at, value, says in [
        (shape_at - 4, struct.pack("<I", 7), "impossible shape"),
        (shape_at, struct.pack("<Q", 0), "impossible shape"),
        (shape_at, struct.pack("<Q", 2**60), "impossible shape"),
        (shape_at, struct.pack("<Q", 33), "do not follow one another"),
        (shape_at + 16, struct.pack("<I", 77), "not known here"),
        (shape_at + 20, struct.pack("<Q", 64), "do not follow one another"),
        (shape_at + 20, struct.pack("<Q", 13), "impossible shape"),
        (shape_at + 20, struct.pack("<Q", 2**62), "incomplete"),
    ]:
        assert says in refusal(file_of(data[:at] + value + data[at + len(value) :])).message


def test_vocabularies_that_do_not_fit_together(model: Path, file_of) -> None:
    data = model.read_bytes()
    word = struct.pack("<Q", 1)
    assert data.count(word + b"X") == 1
    assert "a token twice" in refusal(file_of(data.replace(word + b"X", word + b"Y"))).message
    name = b"tokenizer.ggml.token_type"
    at = data.index(name) + len(name) + 4
    as_floats = data[:at] + struct.pack("<I", 6) + data[at + 4 :]
    assert "does not fit together" in refusal(file_of(as_floats)).message


def test_files_that_are_something_else(tmp_path: Path, model: Path, file_of) -> None:
    data = model.read_bytes()
    assert "not a GGUF file" in refusal(file_of(b"PK\x03\x04" + bytes(200))).message
    assert "version 1" in refusal(file_of(data[:4] + struct.pack("<I", 1) + data[8:])).message
    assert "another byte order" in refusal(file_of(data[:4] + struct.pack(">I", 3) + data[8:])).message
    assert "its version is unknown" in refusal(file_of(data[:4] + struct.pack("<I", 99) + data[8:])).message
    assert (
        "only reads" in refusal(file_of(data.replace(b"\x05\0\0\0\0\0\0\0llama", b"\x05\0\0\0\0\0\0\0tbert"))).message
    )
    for path in (tmp_path / "missing.gguf", tmp_path):
        refusal(path)
        refusal(path, opened)


def test_one_part_of_several_and_adapters_are_told_apart(tmp_path: Path, file_of) -> None:
    import gguf

    for key, value, says in [("split.count", 3, "one of 3 parts"), ("general.type", "adapter", "an adapter")]:
        writer = gguf.GGUFWriter(tmp_path / "other.gguf", "llama")
        writer.add_uint16(key, value) if isinstance(value, int) else writer.add_string(key, value)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        writer.close()
        assert says in refusal(file_of((tmp_path / "other.gguf").read_bytes())).message


def test_a_hostile_template_is_refused_when_the_file_is_opened_and_can_be_left_out(tmp_path: Path, file_of) -> None:
    path = write_tiny(tmp_path / "hostile.gguf", chat_template="{{ 'a' * 10 ** 10 }}{{ messages[0].content }}")
    assert "chat template" in refusal(file_of(path.read_bytes()), opened).message
    opened(path, chat_template=False).close()
    path = write_tiny(tmp_path / "long.gguf", chat_template="{# " + "a" * 70_000 + " #}")
    assert "impossibly long" in refusal(file_of(path.read_bytes())).message


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"temprature": 1}, "no parameter “temprature”"),
        ({"temperature": -1}, "from 0"),
        ({"temperature": "hot"}, "a number"),
        ({"temperature": float("nan")}, "a number"),
        ({"top_k": 1.5}, "a whole number"),
        ({"prefix_cache": 1}, "true or false"),
        ({"context": 0}, "from 1"),
        ({"context": 100_000}, "trained with 256"),
    ],
)
def test_parameters_that_cannot_be(model: Path, file_of, parameters: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        opened(file_of(model.read_bytes()), **parameters)


def test_a_context_that_memory_cannot_hold_is_told_before_it_is_tried(model: Path, monkeypatch) -> None:
    pytest.importorskip("llama_cpp")
    from tiny_gguf import written

    from biasprint.core.backends.llama_cpp import native_model

    monkeypatch.setattr(native_model, "free_bytes", lambda: 10_000)
    with pytest.raises(AppError, match="not enough memory for a context of 256 tokens"):
        written(model)
    free = processor.free_bytes()
    assert free is None or free > 10_000_000
    assert (
        local_model.cache_bytes(check_file(model).metadata, 256) == 2 * 2 * 256 * 32 * 2
    )  # keys, values; layers; width


def test_without_the_library_the_backend_says_what_to_install(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_cpp, "installed", lambda: False)
    with pytest.raises(AppError, match="not installed") as refused:
        llama_cpp.open(str(model), {})
    assert "biasprint models engine" in refused.value.hint
    assert "C++ compiler" in refused.value.hint


def test_opening_and_describing_load_nothing_native(model: Path) -> None:
    import hashlib
    import subprocess

    code = (
        "import sys; from biasprint.core.backends import llama_cpp as backend; before = set(sys.modules);"
        "assert backend.INFO.name == 'llama_cpp' and 'jinja2' not in before;"
        f"opened = backend.open({str(model)!r}, {{'top_k': 0}}); print(opened.describe().revision);"
        "print([name for name in sys.modules if name.split('.')[0] in ('llama_cpp', 'torch', 'transformers')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if "not installed" in ran.stderr:
        pytest.skip("llama_cpp is not installed")
    assert ran.stdout.split("\n")[:2] == [hashlib.sha256(model.read_bytes()).hexdigest(), "[]"], ran.stderr
