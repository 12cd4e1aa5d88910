"""Writing a Llama-architecture model as a GGUF file: the teaching model, and tiny random ones for tests."""

import json
from collections.abc import Mapping
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from training.teaching.config import TINY, ModelConfig
from training.teaching.tokenizer import BEGIN, CHAT_TEMPLATE, END, SPECIAL, train_tokenizer

Tensors = Mapping[str, npt.NDArray[np.float32]]
_FILE_TYPES = {
    "Q8_0": gguf.LlamaFileType.MOSTLY_Q8_0,
    "F16": gguf.LlamaFileType.MOSTLY_F16,
    "F32": gguf.LlamaFileType.ALL_F32,
}


def write_llama_gguf(
    path: Path,
    *,
    config: ModelConfig,
    tensors: Tensors,
    tokenizer: Tokenizer,
    chat_template: str = CHAT_TEMPLATE,
    matrices: str = "Q8_0",
    name: str = "tiny",
    about: Mapping[str, str] | None = None,
) -> None:
    """Write the model; the same arguments give the same bytes.

    `tensors`: float32 under the names of `config.matrices()`, shapes (outputs, inputs), and of `config.norms()`. Heads
    turn neighbouring pairs of numbers (2i, 2i + 1) by position, as llama.cpp does for this architecture. `matrices`
    is how they are stored, "Q8_0", "F16" or "F32"; norms are always F32. `tokenizer`: see `train_tokenizer`; a smaller
    vocabulary than the configuration's is filled up with unused tokens. `about`: further metadata, such as
    "general.license". Raises `ValueError` for a missing tensor or a wrong shape.
    """
    _check(config, tensors)
    kind = gguf.GGMLQuantizationType[matrices]
    writer = gguf.GGUFWriter(path, "llama")
    _add_sizes(writer, config)
    writer.add_name(name)
    writer.add_file_type(_FILE_TYPES[matrices])
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    for key, value in (about or {}).items():
        writer.add_string(key, value)
    _add_tokens(writer, tokenizer, config.vocabulary)
    writer.add_chat_template(chat_template)
    for tensor in config.matrices():
        writer.add_tensor(tensor, gguf.quants.quantize(tensors[tensor], kind), raw_dtype=kind)
    for tensor in config.norms():
        writer.add_tensor(tensor, tensors[tensor])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_tiny_gguf(
    path: Path, *, seed: int = 1, chat_template: str = CHAT_TEMPLATE, config: ModelConfig = TINY, matrices: str = "F32"
) -> None:
    """A tiny model with random weights, whose texts are nonsense: for tests of whatever loads a model."""
    tokenizer = train_tokenizer(["A tiny model for tests writes nonsense in no time at all."] * 8, config.vocabulary)
    tensors = random_tensors(config, seed)
    write_llama_gguf(
        path,
        config=config,
        tensors=tensors,
        tokenizer=tokenizer,
        chat_template=chat_template,
        matrices=matrices,
    )


def random_tensors(config: ModelConfig, seed: int) -> dict[str, npt.NDArray[np.float32]]:
    """Weights drawn from a normal distribution with deviation 1/√inputs; norms are 1."""
    random = np.random.default_rng(seed)
    drawn = {
        name: (random.standard_normal(shape) / np.sqrt(shape[1])).astype(np.float32)
        for name, shape in config.matrices().items()
    }
    return drawn | {name: np.ones(config.width, dtype=np.float32) for name in config.norms()}


def _check(config: ModelConfig, tensors: Tensors) -> None:
    wanted: dict[str, tuple[int, ...]] = {**config.matrices(), **dict.fromkeys(config.norms(), (config.width,))}
    for name, shape in wanted.items():
        if name not in tensors:
            raise ValueError(f"The tensor {name} is missing.")
        if tensors[name].shape != shape or tensors[name].dtype != np.float32:
            raise ValueError(f"The tensor {name} is not float32 of shape {shape}.")


def _add_sizes(writer: gguf.GGUFWriter, config: ModelConfig) -> None:
    writer.add_vocab_size(config.vocabulary)
    writer.add_context_length(config.context)
    writer.add_embedding_length(config.width)
    writer.add_block_count(config.layers)
    writer.add_feed_forward_length(config.hidden)
    writer.add_head_count(config.heads)
    writer.add_head_count_kv(config.heads)
    writer.add_rope_dimension_count(config.head)
    writer.add_rope_freq_base(config.rope_base)
    writer.add_layer_norm_rms_eps(config.norm_epsilon)


def _add_tokens(writer: gguf.GGUFWriter, tokenizer: Tokenizer, vocabulary: int) -> None:
    """Tokens in the order of their numbers, and the merges in the order in which they apply."""
    own = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    if len(own) > vocabulary:
        raise ValueError(f"The tokeniser has {len(own)} tokens, and the model {vocabulary}.")
    unused = [f"<|unused {number}|>" for number in range(len(own), vocabulary)]
    types = [gguf.TokenType.CONTROL if token in SPECIAL else gguf.TokenType.NORMAL for token, _ in own]
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([token for token, _ in own] + unused)
    writer.add_token_types(types + [gguf.TokenType.UNUSED] * len(unused))
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in merges])
    writer.add_bos_token_id(tokenizer.token_to_id(BEGIN))
    writer.add_eos_token_id(tokenizer.token_to_id(END))
    writer.add_add_bos_token(True)
