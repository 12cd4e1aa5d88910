"""Tiny models for the tests of llama.cpp, made from scratch, and what a test runs with them in a child process."""

import struct
from pathlib import Path
from typing import Any

from biasprint.core.backends import llama_cpp
from biasprint.core.backends.protocol import Completion, LikelihoodBackend, Request
from biasprint.core.compute.process import ComputeProcess
from biasprint.core.errors import AppError

PROMPT = "Write a reference letter for Kim, who is a chef."


def write_tiny(path: Path, **changes: Any) -> Path:
    """A random model of 0.2 MB that writes nonsense; see `write_tiny_gguf` for what can be changed."""
    from training.teaching.gguf_file import write_tiny_gguf

    write_tiny_gguf(path, **changes)
    return path


def write_tiny_mamba(path: Path) -> Path:
    """A random model that keeps a state instead of attending: what it has read cannot be unread."""
    import gguf
    import numpy as np

    from training.teaching.gguf_file import _add_tokens
    from training.teaching.tokenizer import CHAT_TEMPLATE, train_tokenizer

    width, inner, states, rank, kernel, vocabulary = 32, 64, 16, 2, 4, 384
    random = np.random.default_rng(1)

    def matrix(*shape: int) -> Any:
        return (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)

    writer = gguf.GGUFWriter(path, "mamba")
    writer.add_context_length(256)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_block_count(2)
    writer.add_ssm_conv_kernel(kernel)
    writer.add_ssm_inner_size(inner)
    writer.add_ssm_state_size(states)
    writer.add_ssm_time_step_rank(rank)
    writer.add_layer_norm_rms_eps(1e-5)
    _add_tokens(writer, train_tokenizer(["A tiny model writes nonsense."], vocabulary), vocabulary)
    writer.add_chat_template(CHAT_TEMPLATE)
    tensors = {"token_embd.weight": matrix(vocabulary, width), "output_norm.weight": np.ones(width, np.float32)}
    for layer in range(2):
        tensors |= {
            f"blk.{layer}.{name}": value
            for name, value in {
                "attn_norm.weight": np.ones(width, np.float32),
                "ssm_in.weight": matrix(2 * inner, width),
                "ssm_conv1d.weight": matrix(inner, kernel),
                "ssm_conv1d.bias": np.zeros(inner, np.float32),
                "ssm_x.weight": matrix(rank + 2 * states, inner),
                "ssm_dt.weight": matrix(inner, rank),
                "ssm_dt.bias": np.zeros(inner, np.float32),
                "ssm_a": -np.tile(np.arange(1, states + 1, dtype=np.float32), (inner, 1)),
                "ssm_d": np.ones(inner, np.float32),
                "ssm_out.weight": matrix(width, inner),
            }.items()
        }
    for name, tensor in tensors.items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def nothing(*anything: object) -> None:
    """For texts that nobody reads, and for a person who does not cancel."""


def request(prompt: str = PROMPT, seed: int = 1, **changes: Any) -> Request:
    return Request("key", prompt, seed, **changes)


def opened(path: Path, **parameters: Any) -> LikelihoodBackend:
    return llama_cpp.open(str(path), {"threads": 1, "max_tokens": 24, **parameters})


def written(path: Path, asked: Request | None = None, **parameters: Any) -> Completion:
    """One text from a model that is opened for it."""
    backend = opened(path, **parameters)
    try:
        return backend.generate(asked or request(), nothing, nothing)
    finally:
        backend.close()


def try_file(path: str) -> str:
    """For the child process: what comes of opening a file and writing with it, in a word or a sentence."""
    completion = written(Path(path))
    return completion.error or completion.finish_reason


def crash(path: str) -> None:
    """For the child process: native code reads where nothing is, with a model in memory."""
    from biasprint.core.backends.llama_cpp.native_model import library

    backend = opened(Path(path))
    backend.generate(request(), nothing, nothing)
    library().llama_n_ctx(None)


def outcome(compute: ComputeProcess, path: Path) -> AppError | str:
    """What the parent learns of a file that the child tries."""
    try:
        answer: str = compute.call(try_file, str(path))
    except AppError as error:
        return error
    return answer


def patched(data: bytes, key: str, value: bytes) -> bytes:
    """A GGUF file with other bytes for the value of a metadata entry of the same size; its type stays."""
    name = struct.pack("<Q", len(key)) + key.encode()
    at = data.index(name) + len(name) + 4
    return data[:at] + value + data[at + len(value) :]
