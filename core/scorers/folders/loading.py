"""A model's folder, checked and loaded through transformers: known architectures, safetensors, nothing from the hub.

The classes are looked up in transformers' own tables and never by what a folder names, so its code cannot be reached;
`trust_remote_code` stays off besides.

On what a model computes, and the one model per role that stays in memory.
"""

import contextlib
import gc
import inspect
import json
import os
import shutil
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeVar

from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine.child import at_most
from biasprint.core.machine.models import layout
from biasprint.core.machine.models.layout import Format
from biasprint.core.machine.processor import free_bytes, is_out_of_memory, keep_sums_alike

# ---- Batches

keep_sums_alike()  # before whatever imports this module computes with torch

BATCH = 16  # larger ones are slower on a processor
# The kernels of matrix products treat rows that do not fill a group of four otherwise, unless there are many.
GROUP = 4
ENOUGH_ROWS = 16


def batches(lengths: Sequence[int], most: int = BATCH) -> Iterator[list[int]]:
    """Places of equal length, at most `most` at a time, the shortest first; every place once."""
    by_length = sorted(range(len(lengths)), key=lambda place: lengths[place])
    for _, group in groupby(by_length, key=lambda place: lengths[place]):
        equal = list(group)
        for start in range(0, len(equal), most):
            yield equal[start : start + most]


def filled(count: int, length: int) -> int:
    """Return how many sequences of this length to compute for `count`; the last is repeated to fill a small batch.

    Sequences of 16 tokens and more have the same sums in any number; shorter ones in multiples of four that have 16
    tokens together. Four single words with their two marks are 12, and had others than eight of them.
    """
    return count if length >= ENOUGH_ROWS else whole_groups(max(count, -(-ENOUGH_ROWS // length)))


def whole_groups(count: int) -> int:
    """`count`, rounded up to a multiple of four."""
    return -(-count // GROUP) * GROUP


CHOICES = ("auto", "cpu", "cuda", "mps")


def chosen(wanted: str = "auto") -> str:
    """cuda, mps or cpu. Imports torch. Raises `UsageError` for a device that is not here."""
    import torch

    here = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if wanted == "auto":
        return "cuda" if here["cuda"] else "cpu"  # Apple's gives other numbers for some models: only when asked for
    if not here.get(wanted, False):
        devices = ", ".join(name for name, is_here in here.items() if is_here)
        raise UsageError(f"There is no device “{wanted}” here.", hint=f"Choose one of: auto, {devices}.")
    return wanted


def in_words(device: str) -> str:
    """Return the device's name in words, for a note beside a result."""
    return {"cpu": "the processor", "cuda": "the graphics processor", "mps": "Apple's graphics processor"}.get(
        device, device
    )


def let_go(device: str) -> None:
    """Give a graphics processor's memory back after a model was dropped."""
    gc.collect()
    if device == "cuda":
        import torch

        torch.cuda.empty_cache()


Model = TypeVar("Model")

_held: dict[str, tuple[Hashable, object]] = {}


def held(role: str, key: Hashable, load: Callable[[], Model]) -> Model:
    """Return the model loaded for the role under this key; otherwise release the former one and load this one."""

    loaded = _held.get(role)
    if loaded is not None and loaded[0] == key:
        return loaded[1]  # type: ignore[return-value] # a key stands for one kind of model
    if loaded is not None:
        device = str(getattr(loaded[1], "device", "cpu"))
        del _held[role], loaded
        let_go(device)
    made = load()
    _held[role] = (key, made)
    return made


def device_of(role: str) -> str:
    """Return the device of the role's model; empty while none is loaded in this process."""
    loaded = _held.get(role)
    return str(getattr(loaded[1], "device", "")) if loaded else ""


def release(role: str) -> None:
    """Let go of the role's model."""
    _held.pop(role, None)


# ---- A folder's settings, checked before anything is loaded

ANOTHER = "Choose another model, or get this one again."
NO_TOKENIZER = "its tokenizer cannot be read"
NO_FIT = "its settings and its weights do not fit together"
MOST_PARTS = 2_048  # layers, experts: each is built before a weight is looked at
TOKENIZER_ROOM = 2 << 30  # bytes beside what the process has
MODEL_ROOM, TIMES_WEIGHTS = 4 << 30, 4
_PARTS = ("layer", "block", "expert", "depth", "stage")
IN_NO_VOCABULARY = "\ua66e"  # the letter ꙮ, which stands in one manuscript
# What may make the library fetch, import or run something; nothing here is needed to compute the model.
_LEFT_OUT = (
    "auto_map", "attn_implementation", "_attn_implementation", "_attn_implementation_internal", "custom_pipelines",
    "custom_generate", "_name_or_path", "transformers_weights",
)  # fmt: skip


@dataclass(frozen=True)
class FolderSettings:
    """`values`: config.json without what could run code. `own_code`: the folder has some, which is never run."""

    folder: Path
    values: Mapping[str, Any]
    own_code: bool
    weight_bytes: int

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def generation(self) -> Mapping[str, Any]:
        """generation_config.json; empty where it is missing or damaged."""
        try:
            values = json.loads((self.folder / "generation_config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return values if isinstance(values, dict) else {}

    @property
    def kind(self) -> str:
        """The model's type, as transformers calls it; empty where there is none."""
        return str(self.values.get("model_type", ""))

    @property
    def architecture(self) -> str:
        listed = self.values.get("architectures")
        return str(listed[0]) if isinstance(listed, list) and listed else ""


def read_settings(folder: Path, form: Format = "folder") -> FolderSettings:
    """Read a model's settings. Raise `AppError`, in one sentence, for a folder that cannot be loaded safely."""
    files = layout.look_at(folder)
    if files.format != form or not folder.is_dir():
        raise AppError(f"“{folder.name}” is no folder with a model.", hint="Choose a folder with safetensors weights.")
    values = json.loads((folder / layout.CONFIG).read_text(encoding="utf-8"))
    if not isinstance(values, dict):
        raise unreadable(folder.name, "its settings (config.json) are no object")
    if (folder / "adapter_config.json").exists():
        raise AppError(
            f"“{folder.name}” is an adapter for another model, not a whole one.",
            hint="Merge the adapter into its model, save that, and choose the folder.",
        )
    if values.get("quantization_config"):
        raise AppError(
            f"“{folder.name}” has quantised weights, which are not read from a folder.",
            hint="Choose the model's full weights, or a GGUF file of it.",
        )
    weights = sum((folder / name).stat().st_size for name in files.files if name.endswith((".safetensors", ".ckpt")))
    config = {key: value for key, value in values.items() if key not in _LEFT_OUT}
    return FolderSettings(folder, config, bool(files.notes), weights)


def unreadable(name: str, why: str, details: str = "") -> AppError:
    return AppError(f"The model “{name}” cannot be loaded: {why}.", hint=ANOTHER, details=details)


# ---- Loading

Purpose = Literal["classifier", "embedder", "writer"]
Made = TypeVar("Made")

_TABLES = {
    "classifier": "MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING",
    "embedder": "MODEL_MAPPING",
    "writer": "MODEL_FOR_CAUSAL_LM_MAPPING",
}
_WHAT = {
    "classifier": "classify texts",
    "embedder": "embed texts",
    "writer": "write texts",
}
_NEVER_MISSED = ("position_ids",)  # buffers that older files held and newer ones make


def configuration(settings: FolderSettings) -> Any:
    """The model's settings as transformers' own class. Raises `AppError` for an unknown type or impossible settings."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    if settings.kind not in CONFIG_MAPPING:
        if settings.own_code:
            raise unreadable(settings.name, "it needs program code of its own, and that is never run")
        raise unreadable(settings.name, f"its type “{settings.kind[:60]}” is not known here")
    if _has_too_many(settings.values):
        raise unreadable(settings.name, NO_FIT, f"more than {MOST_PARTS} parts of a kind")
    return said(settings.name, lambda: CONFIG_MAPPING[settings.kind].from_dict(dict(settings.values)))


def _has_too_many(values: Mapping[str, Any]) -> bool:
    """Return whether settings, or those within them, name an impossible number of layers or their like."""
    return any(
        _has_too_many(value)
        if isinstance(value, dict)
        else isinstance(value, int) and value > MOST_PARTS and any(part in str(key) for part in _PARTS)
        for key, value in values.items()
    )


def model(settings: FolderSettings, purpose: Purpose, config: Any, device: str, dtype: Any) -> Any:
    """The model with its weights on the device, ready to compute.

    Raises `AppError` where it is for something else, lacks weights, is damaged, or memory runs out.
    """
    chosen = class_for(settings, purpose, config)
    options = {"add_pooling_layer": False} if purpose == "embedder" and _takes_pooling(chosen) else {}
    quiet()
    refuse_without_memory(settings, device, dtype)

    def load() -> Any:
        made, report = chosen.from_pretrained(
            str(settings.folder), config=config, local_files_only=True, use_safetensors=True,
            output_loading_info=True, dtype=dtype, **options,
        )  # fmt: skip
        missing = [key for key in report["missing_keys"] if not key.endswith(_NEVER_MISSED)]
        if missing:
            raise unreadable(settings.name, "its weights lack parts that its settings name", ", ".join(missing[:5]))
        return made.to(device).eval()

    return said(settings.name, load, room=MODEL_ROOM + TIMES_WEIGHTS * settings.weight_bytes if device == "cpu" else 0)


def tokenizer(settings: FolderSettings, config: Any) -> Any:
    """The tokenizer beside the weights. Raises `AppError` where it cannot be read, or has no token for the unknown."""
    from transformers import AutoTokenizer

    def load() -> Any:
        tokenizer = AutoTokenizer.from_pretrained(
            str(settings.folder), config=config, local_files_only=True, trust_remote_code=False
        )
        tokenizer(IN_NO_VOCABULARY)
        return tokenizer

    quiet()
    return said(settings.name, load, NO_TOKENIZER)


@contextmanager
def staged(documents: Mapping[str, object], files: Mapping[str, Path]) -> Iterator[Path]:
    """A folder of our own while something is loaded: JSON documents, and files of a model by the names they get there.

    What a library reads from it is what was checked, and nothing else of the model's folder.
    """
    with TemporaryDirectory(prefix="biasprint-", ignore_cleanup_errors=True) as place:
        for name, document in documents.items():
            (Path(place) / name).write_text(json.dumps(document), encoding="utf-8")
        for name, source in files.items():
            target = Path(place) / name
            target.parent.mkdir(exist_ok=True)
            _linked(source.absolute(), target)
        yield Path(place)


def _linked(source: Path, target: Path) -> None:
    """Weights are large: they are copied only where no link can be made."""
    for link in (os.symlink, os.link):
        with contextlib.suppress(OSError):
            link(source, target)
            return
    shutil.copyfile(source, target)


def out_of_memory(name: str, error: BaseException) -> AppError:
    return AppError(
        f"There is not enough memory for the model “{name}”.",
        hint="Close other programs, or choose a smaller model.",
        details=repr(error)[:500],
    )


def class_for(settings: FolderSettings, purpose: Purpose, config: Any) -> Any:
    """The class of transformers for this type and purpose.

    Raises `AppError` where there is none, and where the folder's weights are for another one: its head would be random.
    """
    from transformers.models.auto import modeling_auto

    table = getattr(modeling_auto, _TABLES[purpose])
    if type(config) not in table:
        raise _for_something_else(settings, purpose)
    model_class = table[type(config)]
    model_class = model_class[0] if isinstance(model_class, tuple) else model_class
    fits = settings.architecture == model_class.__name__
    if purpose != "embedder" and settings.architecture and not fits:
        raise _for_something_else(settings, purpose)
    return model_class


def refuse_without_memory(settings: FolderSettings, device: str, dtype: Any) -> None:
    """Said before it is tried: some systems end a process that takes too much, instead of refusing it."""
    stored = 2 if "16" in str(settings.values.get("dtype") or settings.values.get("torch_dtype") or "") else 4
    needed = settings.weight_bytes * int(dtype.itemsize) // stored
    free = free_bytes() if device == "cpu" else None
    if free is not None and needed > free:
        raise AppError(
            f"There is not enough memory for the model “{settings.name}”: it needs {needed / 1e9:,.1f} GB, "
            f"and {free / 1e9:,.1f} GB are free.",
            hint="Close other programs, or choose a smaller model.",
        )


def _for_something_else(settings: FolderSettings, purpose: Purpose) -> AppError:
    return AppError(
        f"“{settings.name}” cannot {_WHAT[purpose]}: it is a {(settings.architecture or settings.kind)[:80]}.",
        hint=ANOTHER,
    )


def _takes_pooling(chosen: Any) -> bool:
    return "add_pooling_layer" in inspect.signature(chosen.__init__).parameters


def said(name: str, make: Callable[[], Made], why: str = "", room: int = TOKENIZER_ROOM) -> Made:
    """Return the result of `make`. Raise any error of the library on a stranger's folder as one sentence.

    `room`: bytes that it may take; 0 for any number.
    """

    def explain(error: BaseException, details: str) -> AppError:
        damaged = type(error).__name__ == "SafetensorError"
        return unreadable(name, "its weights are damaged" if damaged else why or NO_FIT, details)

    return _bounded(name, make, room, explain)


def spelled(name: str, spell: Callable[[], Made]) -> Made:
    """Return what a stranger's tokenizer makes of texts. Raises `AppError` where it fails, or takes too much memory."""
    return _bounded(name, spell, TOKENIZER_ROOM, lambda _, details: fails_at_a_text(name, details))


def _bounded(name: str, make: Callable[[], Made], room: int, explain: Callable[[BaseException, str], AppError]) -> Made:
    try:
        with at_most(room) if room else contextlib.nullcontext():
            return make()
    except AppError:
        raise
    except BaseException as error:
        if is_out_of_memory(error):
            raise out_of_memory(name, error) from error
        if not _is_of_library(error):
            raise
        raise explain(error, f"{type(error).__name__}: {error}"[:2000]) from error


def fails_at_a_text(name: str, details: str) -> AppError:
    return AppError(f"The tokenizer of “{name}” fails at a text.", hint=ANOTHER, details=details)


def _is_of_library(error: BaseException) -> bool:
    """Return whether an error is no order to end. A panic of a library in Rust is none, and no `Exception` either."""
    return isinstance(error, Exception) or type(error).__module__ == "pyo3_runtime"


def quiet() -> None:
    """Turn off progress bars and warnings on the console of a program with a window."""
    import transformers.utils

    logging: Any = transformers.utils.logging
    logging.set_verbosity_error()
    logging.disable_progress_bar()
