"""Parts of a model on the disk, which of its files count, and their hashes.

Only what loading reads counts: weights as GGUF or safetensors, settings, and the tokenizer. Pickles and program code
are neither fetched nor hashed nor loaded; a folder that has code beside its weights is used without it. A hash is kept
by path, size and time of change, so that gigabytes are read once.
"""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from biasprint.core.errors import AppError
from biasprint.core.given import MISFIT, NOT_JSON, ordinary_file
from biasprint.core.machine import storage

# ---- Files of a model

Format = Literal["gguf", "folder", "checkpoint", "pipeline"]

GGUF_MAGIC = b"GGUF"
ZIP_MAGIC = b"PK\x03\x04"  # how torch writes checkpoints
LFS_POINTER = b"version https://git-lfs"
WEIGHTS = "model.safetensors"
CONFIG = "config.json"
INDEX = f"{WEIGHTS}.index.json"
LONGEST_HEADER = 100_000_000  # bytes; the limit of the safetensors library
LARGEST_SETTINGS = 64_000_000  # bytes of a JSON or vocabulary file; the largest that are known have 33 million
MOST_VALUES = 3_000_000  # in one JSON file: Python takes up to 100 bytes for one of three characters

_SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
_GGUF_PART = re.compile(r"-\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)
_MODULE_SETTINGS = re.compile(r"[0-9]{1,2}_[A-Za-z]{1,40}/config\.json")  # the parts of a sentence embedder
_MODULE_WEIGHTS = re.compile(r"[0-9]{1,2}_Dense/model\.safetensors")
_TOKENIZERS = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
)
_SETTINGS = {
    CONFIG, INDEX, "generation_config.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
    "merges.txt", "chat_template.jinja", "chat_template.json", "modules.json", "sentence_bert_config.json",
    "config_sentence_transformers.json", *_TOKENIZERS,
}  # fmt: skip
_PASSED: set[tuple[str, int, int]] = set()  # path, size, time of change (ns) of parts that were looked at
# Of a pipeline of spaCy: its settings, and what its parts were saved as (msgpack, JSON and plain lists).
PIPELINE = "config.cfg"
_PIPELINE = re.compile(
    r"config\.cfg|meta\.json|tokenizer|vocab/[a-z0-9_]{1,40}(\.bin|\.json|\.cfg)?"
    r"|[a-z0-9_]{1,40}/(cfg|model|moves|patterns|lookups/lookups\.bin)"
)
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".msgpack", ".h5")


@dataclass(frozen=True)
class Found:
    """A model as it lies on the disk: `files` are names below `path`, or the file's own name. `notes` are sentences.

    Of a checkpoint the first file is the weights.
    """

    path: Path
    format: Format
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()


def counts(name: str) -> bool:
    """Return whether a file of this name, relative to the model's folder, is part of the model."""
    return (
        name in _SETTINGS
        or name == WEIGHTS
        or any(form.fullmatch(name) for form in (_SHARD, _MODULE_SETTINGS, _MODULE_WEIGHTS))
    )


def chosen(names: Iterable[str], form: Format = "folder") -> tuple[str, ...]:
    """Return the names that count, sorted, without the shards where the whole weights are there too.

    Of spaCy's pipelines every file counts but program code, pickles and text for readers.
    """
    if form == "pipeline":
        return tuple(sorted(name for name in names if _PIPELINE.fullmatch(name)))
    listed = sorted(name for name in names if counts(name))
    if WEIGHTS in listed:
        listed = [name for name in listed if name != INDEX and not _SHARD.fullmatch(name)]
    return tuple(listed)


def lacks(names: Iterable[str]) -> str:
    """Return in words what a folder with these files lacks to be loaded; empty where nothing."""
    present = set(names)
    if not any(name == WEIGHTS or _SHARD.fullmatch(name) for name in present):
        return f"weights in the safetensors format ({WEIGHTS})"
    if CONFIG not in present:
        return f"its settings ({CONFIG})"
    return "" if present & set(_TOKENIZERS) else "its tokenizer (such as tokenizer.json)"


def part(path: Path, name: str) -> Path:
    """Return the path of the file `name` of a model: below its folder, or the model's one file itself."""
    return path / name if path.is_dir() else path


def look_at(path: Path) -> Found:
    """Return what is at `path`, checked by its first bytes, without loading or running any of it.

    Raises `AppError` where it is no model that can be loaded safely, in a sentence that says what is wrong.
    """
    try:
        if path.is_dir():
            return _folder(path)
        if path.is_file():
            return _file(path)
    except OSError as error:
        raise AppError(f"“{path}” cannot be read ({error.strerror}).") from error
    raise AppError(f"There is no file or folder “{path}”.", hint="Look for a wrong letter in its name.")


def _file(path: Path) -> Found:
    ordinary_file(path, follow=True)
    with path.open("rb") as file:
        start = file.read(32)
    if start.startswith(LFS_POINTER):
        raise _only_a_pointer(path)
    if start.startswith(GGUF_MAGIC):
        return _gguf(path, start)
    if path.suffix.lower() == ".ckpt" and start.startswith(ZIP_MAGIC):
        return Found(path, "checkpoint", (path.name,))
    if path.suffix.lower() in _PICKLES:
        raise _pickle(path.name)
    if path.suffix.lower() == ".safetensors":
        hint = f"Give the folder that it lies in, with {CONFIG} and the tokenizer beside it."
        raise AppError(f"“{path.name}” is only the weights of a model.", hint=hint)
    raise AppError(
        f"“{path.name}” is no GGUF file: it does not begin with the letters GGUF.",
        hint="A model is one GGUF file, or a folder with safetensors weights.",
    )


def _gguf(path: Path, start: bytes) -> Found:
    version = int.from_bytes(start[4:8], "little")
    if len(start) < 24 or version not in (2, 3):
        raise AppError(
            f"“{path.name}” begins as a GGUF file but is damaged or of a version that is not read.",
            hint="Get it again, or convert it with a newer llama.cpp.",
            details=f"version {version}",
        )
    if _GGUF_PART.search(path.name):
        raise AppError(
            f"“{path.name}” is one part of a model that was split into several files.",
            hint="Join the parts first: llama-gguf-split --merge FIRST_PART WHOLE.gguf",
        )
    return Found(path, "gguf", (path.name,))


def _folder(path: Path) -> Found:
    if (path / PIPELINE).is_file():
        return _pipeline(path)
    present = [file.relative_to(path).as_posix() for file in (*path.glob("*"), *path.glob("*/*")) if file.is_file()]
    files = chosen(present)
    missing = lacks(files)
    checkpoints = [name for name in present if name.endswith(".ckpt") and "/" not in name]
    if missing.startswith("weights") and len(checkpoints) == 1 and not lacks([*files, WEIGHTS]):
        return _checkpoint_folder(path, checkpoints[0], files)
    if missing:
        if any(name.endswith(".gguf") for name in present):
            raise AppError(f"“{path.name}” holds GGUF files.", hint="Give one of those files instead of the folder.")
        if missing.startswith("weights") and any(name.endswith(_PICKLES) for name in present):
            raise _pickle(path.name)
        raise AppError(
            f"The folder “{path.name}” is no model that can be loaded: it lacks {missing}.",
            hint="Get the whole folder again, with every file of it.",
        )
    for name in files:
        _check_part(path / name)
    settings = _json(path / CONFIG)
    code = any(name.endswith(".py") for name in present) or "auto_map" in settings
    note = "It comes with program code of its own. That is never run: the model is loaded without it, or not at all."
    return Found(path, "folder", files, (note,) if code else ())


def _pipeline(path: Path) -> Found:
    """A trained pipeline of spaCy. Its parts are msgpack and JSON; spaCy runs no code of the folder."""
    present = [file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()]
    files = chosen(present, "pipeline")
    if not {"meta.json", "tokenizer", "tagger/model"} <= set(files):
        raise AppError(
            f"The folder “{path.name}” is no pipeline of spaCy with a tagger.",
            hint="Get the whole folder again, with every file of it.",
        )
    return Found(path, "pipeline", files)


def _checkpoint_folder(path: Path, weights: str, files: tuple[str, ...]) -> Found:
    """A checkpoint with the settings and tokenizer of its model beside it."""
    _file(path / weights)
    for name in files:
        _check_part(path / name)
    return Found(path, "checkpoint", (weights, *files))


def _check_part(path: Path) -> None:
    """Raise `AppError` unless the file is what its name says, as far as its first bytes tell.

    One that passed is not looked at again while its size and time of change stay: a tokenizer is megabytes of JSON,
    and each page that names a scorer asks.
    """
    state = ordinary_file(path, follow=True)
    passed = (str(path.absolute()), state.st_size, state.st_mtime_ns)
    if passed in _PASSED:
        return
    with path.open("rb") as file:
        start = file.read(32)
    if start.startswith(LFS_POINTER):
        raise _only_a_pointer(path)
    if path.suffix == ".safetensors":
        _check_safetensors(path)
    elif state.st_size > LARGEST_SETTINGS:
        raise _damaged(path, f"{state.st_size} bytes")
    elif path.suffix == ".json":
        _json(path)
    _PASSED.add(passed)


def _check_safetensors(path: Path) -> None:
    """Eight bytes tell the header's length, the header is JSON, and the last tensor ends where the file does."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = file.read(length) if 2 <= length <= min(LONGEST_HEADER, size - 8) else b""
    try:
        tensors = _parsed(header)
        ends = [int(tensor["data_offsets"][1]) for name, tensor in tensors.items() if name != "__metadata__"]
    except MISFIT as error:
        raise _damaged(path, str(error)) from error
    if 8 + length + max(ends, default=0) != size:
        raise _damaged(path, f"{size} bytes instead of {8 + length + max(ends, default=0)}")


def _json(path: Path) -> dict[str, Any]:
    try:
        data = _parsed(path.read_bytes())
    except NOT_JSON as error:
        raise _damaged(path, str(error)) from error
    return data if isinstance(data, dict) else {}


def _parsed(data: bytes) -> Any:
    """Parse JSON. Raises `ValueError` also for so many values that they would fill the memory."""
    if sum(data.count(sign) for sign in b",[{") > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES:,} values")
    return json.loads(data.decode("utf-8"))


def _damaged(path: Path, details: str) -> AppError:
    return AppError(
        f"“{path.name}” in “{path.parent.name}” is damaged or incomplete.", hint="Get it again.", details=details
    )


def _pickle(name: str) -> AppError:
    return AppError(
        f"“{name}” has its weights as a pickle only, and a pickle can run any program when it is opened.",
        kept="It was not opened.",
        hint="Get the model with weights in the safetensors format, or as a GGUF file.",
    )


def _only_a_pointer(path: Path) -> AppError:
    return AppError(
        f"“{path.name}” is only a pointer to the file: git's large-file storage has not fetched it.",
        hint="Run “git lfs pull” in that folder, or download the file with a browser.",
    )


# ---- Hashes

FILE = "hashes.json"
CHUNK = 1 << 20

Check = Callable[[], None]


def sha256_of(path: Path, check: Check | None = None, *, fresh: bool = False) -> str:
    """SHA-256 (hex) of a file. Read only if its size, times or inode changed since, or if `fresh`.

    `check` is called once for every megabyte and may raise. `AppError` where the file cannot be read.
    """
    try:
        state = path.stat()
        place = str(path.absolute())
        known = _known().get(place)
        if not fresh and isinstance(known, dict) and _same(known, state):
            return str(known["sha256"])
        digest = _read(path, check)
    except OSError as error:
        raise AppError(
            f"“{path}” cannot be read ({error.strerror}).", hint="See to it that the file is there and may be read."
        ) from error
    _remember(place, _stamp(state) | {"sha256": digest})
    return digest


def remember(path: Path, sha256: str) -> None:
    """Note the hash of a file that was just read and then renamed."""
    with contextlib.suppress(OSError):
        _remember(str(path.absolute()), _stamp(path.stat()) | {"sha256": sha256})


def of_all(files: Mapping[str, str]) -> str:
    """One SHA-256 for a folder: over the sorted lines "name sha256", each ended by a line feed."""
    lines = "".join(f"{name} {files[name]}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def git_blob_sha1(path: Path, check: Check | None = None) -> str:
    """The hash by which git, and so the hub, names a file that is not in large-file storage."""
    digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    _feed(path, digest.update, check)
    return digest.hexdigest()


def _read(path: Path, check: Check | None) -> str:
    digest = hashlib.sha256()
    _feed(path, digest.update, check)
    return digest.hexdigest()


def _feed(path: Path, update: Callable[[bytes], None], check: Check | None) -> None:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            if check is not None:
                check()
            update(chunk)


def _known() -> dict[str, object]:
    try:
        return storage.read(FILE)
    except AppError:  # only a cache: what cannot be read is computed again
        return {}


def _same(known: dict[str, object], state: os.stat_result) -> bool:
    return known.items() >= _stamp(state).items() and isinstance(known.get("sha256"), str)


def _stamp(state: os.stat_result) -> dict[str, object]:
    """Return values that change with a file, even where its time was set back or another file was put in its place."""
    return {"size": state.st_size, "mtime_ns": state.st_mtime_ns, "ctime_ns": state.st_ctime_ns, "inode": state.st_ino}


def _remember(place: str, entry: dict[str, object]) -> None:
    # Only a cache: whatever keeps it from being written (another process, a full disk) is no failure.
    with contextlib.suppress(AppError), storage.change(FILE) as data:
        for gone in [known for known in data if not os.path.exists(known)]:
            del data[gone]
        data[place] = entry
