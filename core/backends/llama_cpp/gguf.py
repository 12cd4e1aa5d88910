"""The head of a GGUF file, read in plain Python and within bounds and checked, before native code sees the file.

Layout: "GGUF", version, number of tensors, number of metadata entries; the entries; name, shape, type and offset of
each tensor; then, aligned, the weights. Whatever a length or count says, nothing is read past the end of the file.

Native code would stop at some of what is checked, or die. Only what holds for every architecture is asked for; the
shapes of the tensors are compared by llama.cpp itself.
"""

import math
import mmap
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biasprint.core.backends.llama_cpp import errors
from biasprint.core.given import ordinary_file

# Number of the tensor type → (weights in a block, bytes of a block). Source: ggml's type traits.
TENSOR_TYPES: dict[int, tuple[int, int]] = {
    0: (1, 4),  # F32
    1: (1, 2),  # F16
    2: (32, 18),  # Q4_0
    3: (32, 20),  # Q4_1
    6: (32, 22),  # Q5_0
    7: (32, 24),  # Q5_1
    8: (32, 34),  # Q8_0
    9: (32, 40),  # Q8_1
    10: (256, 84),  # Q2_K
    11: (256, 110),  # Q3_K
    12: (256, 144),  # Q4_K
    13: (256, 176),  # Q5_K
    14: (256, 210),  # Q6_K
    15: (256, 292),  # Q8_K
    16: (256, 66),  # IQ2_XXS
    17: (256, 74),  # IQ2_XS
    18: (256, 98),  # IQ3_XXS
    19: (256, 50),  # IQ1_S
    20: (32, 18),  # IQ4_NL
    21: (256, 110),  # IQ3_S
    22: (256, 82),  # IQ2_S
    23: (256, 136),  # IQ4_XS
    24: (1, 1),  # I8
    25: (1, 2),  # I16
    26: (1, 4),  # I32
    27: (1, 8),  # I64
    28: (1, 8),  # F64
    29: (256, 56),  # IQ1_M
    30: (1, 2),  # BF16
    34: (256, 54),  # TQ1_0
    35: (256, 66),  # TQ2_0
    39: (32, 17),  # MXFP4
    40: (64, 36),  # NVFP4
    41: (128, 18),  # Q1_0
}

# Number of the value type → struct's format; strings and arrays apart.
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING = 8
ARRAY = 9


# ---- Reading

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_SMALLEST = 24
_MOST_ENTRIES = 65_536
_MOST_TENSORS = 65_536
_MOST_ITEMS = 8_000_000  # of an array; the largest vocabularies have some 300,000 tokens
_LONGEST_KEY = 65_535
_LONGEST_STRING = 64_000_000  # some files hold a whole tokenizer as JSON
_LONGEST_TENSOR_NAME = 63
_MOST_DIMENSIONS = 4
_MOST_WEIGHTS = 2**48


@dataclass(frozen=True)
class Tensor:
    """One tensor as the head lists it: its shape, fastest dimension first, and its size in bytes."""

    name: str
    shape: tuple[int, ...]
    size: int


@dataclass(frozen=True)
class GgufHead:
    """The metadata and the list of tensors. Arrays of numbers are tuples, of strings tuples of str."""

    metadata: Mapping[str, Any]
    tensors: tuple[Tensor, ...]


class _Broken(Exception):
    """Reason why a header cannot be read, worded as the end of a sentence."""


class _CutOff(Exception):
    """The file ends before what its head announces."""


def read_head(path: Path) -> GgufHead:
    """Read and check the head of a GGUF file. Raises `AppError`: no such file, no GGUF, damaged, cut off."""
    name = path.name
    try:
        ordinary_file(path, follow=True)
        with path.open("rb") as file:
            start = file.read(_SMALLEST)
            if start[:4] != MAGIC:
                raise errors.not_gguf(name)
            if len(start) < _SMALLEST:
                raise errors.cut_off(name)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Reader(data, name).head()
    except (FileNotFoundError, IsADirectoryError) as error:
        raise errors.no_such_file(name) from error
    except OSError as error:
        raise errors.not_readable(name, error.strerror or "unknown reason") from error
    except _CutOff as error:
        raise errors.cut_off(name) from error
    except (_Broken, UnicodeDecodeError, struct.error) as error:
        why = str(error) if isinstance(error, _Broken) else "its head is no proper text"
        raise errors.broken(name, why, repr(error)) from error


class _Reader:
    def __init__(self, data: mmap.mmap, name: str) -> None:
        self._data = data
        self._name = name
        self._end = len(data)
        self._at = len(MAGIC)

    def head(self) -> GgufHead:
        version = self._number("I")
        if version not in _VERSIONS:
            raise self._other_version(version)
        tensors, entries = self._number("Q"), self._number("Q")
        if tensors > _MOST_TENSORS or entries > _MOST_ENTRIES:
            raise _Broken("it announces an impossible number of tensors or entries")
        metadata: dict[str, Any] = {}
        for _ in range(entries):
            key = self._string(_LONGEST_KEY)
            if not key or key in metadata:
                raise _Broken("an entry of its head has no name, or another's")
            metadata[key] = self._value()
        return GgufHead(metadata, self._tensors(tensors, _alignment(metadata)))

    def _other_version(self, version: int) -> Exception:
        swapped = int.from_bytes(version.to_bytes(4, "little"), "big")
        if swapped in _VERSIONS:
            return errors.other_version(self._name, "was written for machines of another byte order")
        if version == 1:
            return errors.other_version(self._name, "is a GGUF file of version 1, which is no longer read")
        return _Broken("its version is unknown")

    def _tensors(self, count: int, alignment: int) -> tuple[Tensor, ...]:
        tensors_at = [self._tensor(alignment) for _ in range(count)]
        if len({tensor.name for tensor, _ in tensors_at}) != count:
            raise _Broken("two of its tensors have one name")
        weights_at = -(-self._at // alignment) * alignment
        if any(weights_at + offset + tensor.size > self._end for tensor, offset in tensors_at):
            raise _CutOff
        expected = 0
        for tensor, offset in tensors_at:
            if offset != expected:
                raise _Broken("its tensors do not follow one another")
            expected += -(-tensor.size // alignment) * alignment
        return tuple(tensor for tensor, _ in tensors_at)

    def _tensor(self, alignment: int) -> tuple[Tensor, int]:
        name = self._string(_LONGEST_TENSOR_NAME)
        dimensions = self._number("I")
        if not 1 <= dimensions <= _MOST_DIMENSIONS:
            raise _Broken("a tensor has an impossible shape")
        shape = tuple(self._number("Q") for _ in range(dimensions))
        kind, offset = self._number("I"), self._number("Q")
        if kind not in TENSOR_TYPES:
            raise _Broken(f"a tensor is stored in a way that is not known here (type {kind})")
        weights, size = TENSOR_TYPES[kind]
        count = math.prod(shape)
        if not 0 < count <= _MOST_WEIGHTS or shape[0] % weights or offset % alignment:
            raise _Broken("a tensor has an impossible shape")
        return Tensor(name, shape, count // weights * size), offset

    def _value(self) -> Any:
        kind = self._number("I")
        if kind in NUMBERS:
            return self._known(NUMBERS[kind])
        if kind == STRING:
            return self._string(_LONGEST_STRING)
        if kind != ARRAY:
            raise _Broken("an entry of its head is of an unknown kind")
        return self._array()

    def _array(self) -> tuple[Any, ...]:
        kind, count = self._number("I"), self._number("Q")
        if count > _MOST_ITEMS:
            raise _Broken("a list in its head is impossibly long")
        if kind == STRING:
            return self._strings(count)
        if kind not in NUMBERS:
            raise _Broken("a list in its head is of an unknown kind")
        layout = f"<{count}{NUMBERS[kind]}"
        return struct.unpack(layout, self._bytes(struct.calcsize(layout)))

    def _strings(self, count: int) -> tuple[str, ...]:
        """Read several strings as `_string` does, in one loop: a vocabulary has hundreds of thousands."""
        strings, data, at, end = [], self._data, self._at, self._end
        length_at = struct.Struct("<Q").unpack_from
        for _ in range(count):
            if at + 8 > end:
                raise _CutOff
            length = length_at(data, at)[0]
            at += 8 + length
            if at > end:
                raise _CutOff
            strings.append(data[at - length : at].decode("utf-8"))
        self._at = at
        return tuple(strings)

    def _known(self, layout: str) -> Any:
        value = self._number(layout)
        if isinstance(value, float) and math.isnan(value):
            raise _Broken("a number in its head is none")
        return value

    def _number(self, layout: str) -> Any:
        return struct.unpack("<" + layout, self._bytes(struct.calcsize("<" + layout)))[0]

    def _string(self, longest: int) -> str:
        length = self._number("Q")
        if length > longest:
            raise _Broken("a text in its head is impossibly long")
        return self._bytes(length).decode("utf-8")

    def _bytes(self, count: int) -> bytes:
        if self._at + count > self._end:
            raise _CutOff
        self._at += count
        return self._data[self._at - count : self._at]


def _alignment(metadata: Mapping[str, Any]) -> int:
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or not 8 <= alignment <= 2**20 or alignment & (alignment - 1):
        raise _Broken("its alignment is impossible")
    return alignment


# ---- Checks

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
    """Facts about a model that are known before it is loaded. `template` is None where the file has none.

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
    kv_heads = metadata.get(f"{kind}.attention.head_count_kv", heads)
    each = [*_each(heads), *_each(kv_heads)]
    if not all(_is_whole(count) and 0 <= count <= _MOST_HEADS for count in each):
        raise errors.broken(name, "the model's number of heads is impossible")
    # Models that keep a state instead of attending have none, and some layers of mixed models.
    stateful = any(key.startswith((f"{kind}.ssm.", f"{kind}.wkv.")) for key in metadata)
    if _is_whole(heads) and _is_whole(kv_heads) and not stateful and (0 in each or heads % kv_heads):
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
