"""Reading the head of a GGUF file, in plain Python and within bounds, before native code sees the file.

Layout: "GGUF", version, number of tensors, number of metadata entries; the entries; name, shape, type and offset of
each tensor; then, aligned, the weights. Whatever a length or count says, nothing is read past the end of the file.
"""

import math
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.backends.llama_cpp import errors
from core.backends.llama_cpp.gguf_types import ARRAY, NUMBERS, STRING, TENSOR_TYPES

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
    """Why a head cannot be read, as the end of a sentence."""


class _CutOff(Exception):
    """The file ends before what its head announces."""


def read_head(path: Path) -> GgufHead:
    """Read and check the head of a GGUF file. Raises `AppError`: no such file, no GGUF, damaged, cut off."""
    name = path.name
    try:
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
        found = [self._tensor(alignment) for _ in range(count)]
        if len({tensor.name for tensor, _ in found}) != count:
            raise _Broken("two of its tensors have one name")
        weights_at = -(-self._at // alignment) * alignment
        if any(weights_at + offset + tensor.size > self._end for tensor, offset in found):
            raise _CutOff
        expected = 0
        for tensor, offset in found:
            if offset != expected:
                raise _Broken("its tensors do not follow one another")
            expected += -(-tensor.size // alignment) * alignment
        return tuple(tensor for tensor, _ in found)

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
        """As `_string` does, in one loop: a vocabulary has hundreds of thousands."""
        found, data, at, end = [], self._data, self._at, self._end
        length_at = struct.Struct("<Q").unpack_from
        for _ in range(count):
            if at + 8 > end:
                raise _CutOff
            length = length_at(data, at)[0]
            at += 8 + length
            if at > end:
                raise _CutOff
            found.append(data[at - length : at].decode("utf-8"))
        self._at = at
        return tuple(found)

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
