"""What the head of a GGUF file must say for llama.cpp to write with it. Native code would stop at some of this, or die.

Only what holds for every architecture is asked for; the shapes of the tensors are compared by llama.cpp itself.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.backends.llama_cpp import errors
from core.backends.llama_cpp.gguf_reader import GgufHead, read_head

_NO_WRITERS = {
    "adapter": "an adapter for another model",
    "mmproj": "the part of a model that sees pictures",
    "clip": "the part of a model that sees pictures",
    "imatrix": "a table for quantising a model",
    "vocab": "a vocabulary without weights",
    "t5": "a model that reads and writes apart, which is not supported",
    "t5encoder": "a model that only reads",
    "wavtokenizer-dec": "a model for sounds",
}
_READERS = re.compile(r"bert|embed|encoder")
# Above 512 layers llama.cpp ends the process.
_LARGEST = {"block_count": 512, "context_length": 2**31 - 1, "embedding_length": 2**20}
_MOST_HEADS = 65_536
_TEMPLATE = "tokenizer.chat_template"
_LONGEST_TEMPLATE = 65_536


@dataclass(frozen=True)
class ModelFile:
    """What is known of a model before it is loaded. `template` is None where the file has none.

    `begin` and `end` are the texts of the tokens for the beginning and the end of a text, "" where the file names none.
    `state` is its size and time of change when it was looked at.
    """

    path: Path
    state: tuple[int, int]
    metadata: Mapping[str, Any]
    trained_context: int
    template: str | None
    begin: str
    end: str


def check_file(path: Path) -> ModelFile:
    """Read the head of a file and check it. Raises `AppError` saying what is wrong with it."""
    head, state = read_head(path), state_of(path)
    name = path.name
    kind = _kind(head, name)
    _check_sizes(head.metadata, kind, name)
    tokens = _check_vocabulary(head, name)
    return ModelFile(
        path=path,
        state=state,
        metadata={key: value for key, value in head.metadata.items() if not key.startswith("tokenizer.ggml.")},
        trained_context=head.metadata[f"{kind}.context_length"],
        template=_template(head.metadata),
        begin=_token(head.metadata, tokens, "bos"),
        end=_token(head.metadata, tokens, "eos"),
    )


def state_of(path: Path) -> tuple[int, int]:
    """Size in bytes and time of change; (0, 0) for a file that is gone."""
    try:
        about = path.stat()
    except OSError:
        return 0, 0
    return about.st_size, about.st_mtime_ns


def _kind(head: GgufHead, name: str) -> str:
    """The architecture, such as "llama"."""
    kind = head.metadata.get("general.architecture")
    if not isinstance(kind, str) or not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", kind):
        raise errors.broken(name, "it does not say of what kind the model is")
    purpose = head.metadata.get("general.type")
    for what in (purpose, kind):
        if isinstance(what, str) and what in _NO_WRITERS:
            raise errors.no_writer(name, _NO_WRITERS[what])
    if _READERS.search(kind):
        raise errors.no_writer(name, "a model that only reads")
    parts = head.metadata.get("split.count", 1)
    if isinstance(parts, int) and parts > 1:
        raise errors.one_of_several(name, parts)
    if not head.tensors:
        raise errors.no_writer(name, "a file without weights")
    return kind


def _check_sizes(metadata: Mapping[str, Any], kind: str, name: str) -> None:
    for key, largest in _LARGEST.items():
        size = metadata.get(f"{kind}.{key}")
        if not _is_whole(size) or not 0 < size <= largest:  # type: ignore[operator] # _is_whole says that it is one
            raise errors.broken(name, f"the model's {key.replace('_', ' ')} is missing or impossible")
    heads = metadata.get(f"{kind}.attention.head_count", 1)
    kept = metadata.get(f"{kind}.attention.head_count_kv", heads)
    each = [*_each(heads), *_each(kept)]
    if not all(_is_whole(one) and 0 <= one <= _MOST_HEADS for one in each):
        raise errors.broken(name, "the model's number of heads is impossible")
    # Models that keep a state instead of attending have none, and some layers of mixed models.
    stateful = any(key.startswith((f"{kind}.ssm.", f"{kind}.wkv.")) for key in metadata)
    if _is_whole(heads) and _is_whole(kept) and not stateful and (0 in each or heads % kept):
        raise errors.broken(name, "the model's number of heads is impossible")
    for key in ("attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon", "rope.freq_base"):
        value = metadata.get(f"{kind}.{key}", 1.0)
        if not isinstance(value, int | float) or value <= 0:
            raise errors.broken(name, f"the model's {key} is impossible")


def _check_vocabulary(head: GgufHead, name: str) -> tuple[str, ...]:
    metadata = head.metadata
    tokens = metadata.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, tuple) or not tokens or not isinstance(tokens[0], str):
        raise errors.broken(name, "it has no vocabulary")
    named = [token for token in tokens if token]  # llama.cpp gives those without a text names of their own
    if len(set(named)) != len(named):
        raise errors.broken(name, "its vocabulary has a token twice")
    for key, what in (("scores", float), ("token_type", int)):
        values = metadata.get(f"tokenizer.ggml.{key}")
        if values is None:
            continue
        if not isinstance(values, tuple) or len(values) != len(tokens) or not isinstance(values[0], what):
            raise errors.broken(name, "its vocabulary does not fit together")
    for key in ("bos_token_id", "eos_token_id"):
        if not _fits(metadata.get(f"tokenizer.ggml.{key}", 0), len(tokens)):
            raise errors.broken(name, f"its {key} is no token of its vocabulary")
    for tensor in head.tensors:
        if tensor.name == "token_embd.weight" and tensor.shape[-1] != len(tokens):
            raise errors.broken(name, "its vocabulary and its weights are of different sizes")
    return tokens


def _template(metadata: Mapping[str, Any]) -> str | None:
    template = metadata.get(_TEMPLATE)
    if template is None or template == "":
        return None
    if not isinstance(template, str) or len(template) > _LONGEST_TEMPLATE:
        raise errors.bad_template("it is no text, or an impossibly long one")
    return template


def _token(metadata: Mapping[str, Any], tokens: tuple[str, ...], which: str) -> str:
    number = metadata.get(f"tokenizer.ggml.{which}_token_id")
    return tokens[number] if _is_whole(number) and number < len(tokens) else ""  # type: ignore[operator,index]


def _each(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _fits(value: object, count: int) -> bool:
    # Some files write −1, as 32 bits without a sign, for a token that they do not have.
    return _is_whole(value) and (0 <= value < count or value in (-1, 2**32 - 1))  # type: ignore[operator]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
