"""llama.cpp's own functions and a model with its context, in native memory: loading, evaluating, letting go."""

import ctypes
import importlib
import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import numpy.typing as npt

from biasprint.core.backends.llama_cpp import errors
from biasprint.core.backends.llama_cpp.gguf import ModelFile, state_of
from biasprint.core.backends.llama_cpp.options import LlamaOptions, installed
from biasprint.core.backends.local_model import cache_bytes
from biasprint.core.machine.processor import cores, free_bytes, raise_out_of_memory

# ---- The library

OLDEST = "0.3.36"  # of llama-cpp-python: in older ones some functions have other parameters
_LOG_LINES = 40
_LONGEST_NOTE = 100_000
_STDERR = 2
_log: deque[str] = deque(maxlen=_LOG_LINES)
_kept: list[Any] = []  # the callback, which native code holds on to, and what says that it is set


def library() -> Any:
    """The module with llama.cpp's functions. Raises `AppError` where it is not installed or does not start."""
    if not installed():
        raise errors.not_installed()
    with suppress(PackageNotFoundError):  # a packaged program brings a version that fits
        installed_version = version("llama_cpp_python")
        if _numbers(installed_version) < _numbers(OLDEST):
            raise errors.too_old(installed_version, OLDEST)
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")  # else it calls a debugger to its deathbed
    try:
        native = importlib.import_module("llama_cpp.llama_cpp")
    except Exception as error:  # a wrong build fails in many ways
        raise_out_of_memory(error)
        raise errors.cannot_import(error) from error
    if not _kept:
        callback = native.llama_log_callback(_note)
        native.llama_log_set(callback, ctypes.c_void_p(0))
        native.llama_backend_init()
        _kept.append(callback)
    return native


def build() -> str:
    """The release of llama.cpp's package, and the processor's instructions that it uses: texts depend on both."""
    info = library().llama_print_system_info().decode("ascii", "replace")  # "CPU : SSE3 = 1 | AVX2 = 1 | OPENMP = 1 |"
    switches = (each.rpartition(":")[2].partition("=") for each in info.split("|"))
    used = [name.strip() for name, _, value in switches if value.strip() == "1"]
    return f"llama-cpp-python {version('llama_cpp_python')}: {' '.join(used)}"


def log() -> str:
    """The last lines that llama.cpp wrote: for the details of a message, never for stdout."""
    return "".join(_log)


def clear_log() -> None:
    _log.clear()


@contextmanager
def quiet() -> Iterator[None]:
    """Add to the log what native code writes straight to stderr, past the log."""
    try:
        stderr_copy = os.dup(_STDERR)
    except OSError:  # a windowed program may have none
        yield
        return
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), _STDERR)
        try:
            yield
        finally:
            os.dup2(stderr_copy, _STDERR)
            os.close(stderr_copy)
            file.seek(0)
            _log.extend(file.read(_LONGEST_NOTE).decode("utf-8", "replace").splitlines(keepends=True))


def _numbers(release: str) -> list[int]:
    return [int(part) for part in release.split(".")[:3] if part.isdecimal()]


def _note(level: int, text: bytes, data: Any) -> None:
    _log.append(text.decode("utf-8", "replace"))


class Rows:
    """llama.cpp's batch with room for so many tokens, and its arrays as numpy sees them."""

    def __init__(self, lib: Any, room: int, texts: int = 1) -> None:
        """`texts`: the number of texts to which one token may belong."""
        self._lib = lib
        self.batch = lib.llama_batch_init(room, 0, texts)
        self._tokens = np.ctypeslib.as_array(self.batch.token, (room,))
        self._places = np.ctypeslib.as_array(self.batch.pos, (room,))
        self._wanted = np.ctypeslib.as_array(self.batch.logits, (room,))
        self._counts = np.ctypeslib.as_array(self.batch.n_seq_id, (room,))
        self._texts = [self.batch.seq_id[at] for at in range(room)]
        self.of_text_0(room)
        self._wanted[:] = 1
        self.batch.n_tokens = room

    def fill(self, tokens: Sequence[int], places: Sequence[int]) -> None:
        """Tokens of text 0 at their places; what follows is wanted of the last."""
        count = len(tokens)
        self.batch.n_tokens = count
        self._tokens[:count] = tokens
        self._places[:count] = places
        self._wanted[:count] = 0
        self._wanted[count - 1] = 1

    def divide(self, texts: Sequence[Sequence[int]], first_wanted: int) -> None:
        """Let each token belong to these texts; what follows is wanted from one token on."""
        self._wanted[first_wanted : len(texts)] = 1
        for at, numbers in enumerate(texts):
            self._counts[at] = len(numbers)
            row = self._texts[at]
            for place, number in enumerate(numbers):
                row[place] = number

    def of_text_0(self, count: int) -> None:
        """Let the first so many rows be of text 0 again."""
        self._counts[:count] = 1
        for at in range(count):
            self._texts[at][0] = 0

    def free(self) -> None:
        self._lib.llama_batch_free(self.batch)


# ---- The model

BATCH = 512  # tokens of a prompt that are evaluated between two checks
SEQUENCES = 8  # how many texts may share the context: the prompt and up to seven continuations
MOST_ASKED = 64  # of how many tokens of one batch the likelihoods can be had
ALL_LAYERS = 0x7FFFFFFF
_CHECKED_UP_TO = 1_000_000_000  # bytes: a larger file's weights are not looked through before use
_WATCHED_FROM = 64_000_000  # bytes: a smaller model does a batch in a moment
_SECONDS_BETWEEN_CHECKS = 0.1

Check = Callable[[], None]


class NativeModel:
    """`lib`: llama.cpp's functions; `context` and `vocab`: its pointers; `size`: the context in tokens.

    What `check` raises ends an evaluation in the middle, if the model is large enough for that to take long.
    """

    def __init__(self, file: ModelFile, options: LlamaOptions, size: int, check: Check) -> None:
        self.name = file.path.name
        self.size = size
        self._watch = _Watch()
        self.lib = library()
        self._model: Any = None
        self.context: Any = None
        self._taken: list[Rows] = []
        self._aborts: list[Any] = []
        clear_log()
        if state_of(file.path) != file.state:
            raise errors.has_changed(self.name)
        _enough_memory(file, size, options)
        try:
            self._load(file, options, check)
            self.vocab = self.lib.llama_model_get_vocab(self._model)
            self._rows, self._single = self._taken = [Rows(self.lib, BATCH, SEQUENCES), Rows(self.lib, 1)]
            self.context = self._make_context(file, options)
        except BaseException:
            self.close()
            raise
        self.words = int(self.lib.llama_vocab_n_tokens(self.vocab))
        self.memory = self.lib.llama_get_memory(self.context)
        # Whether the state after some tokens can be gone back to: not with recurrent models.
        self.can_go_back = not (
            self.lib.llama_model_is_recurrent(self._model) or self.lib.llama_model_is_hybrid(self._model)
        )

    def _load(self, file: ModelFile, options: LlamaOptions, check: Check) -> None:
        parameters = self.lib.llama_model_default_params()
        parameters.n_gpu_layers = ALL_LAYERS if options.gpu_layers < 0 else options.gpu_layers
        parameters.check_tensors = file.state[0] <= _CHECKED_UP_TO
        progress = self.lib.llama_progress_callback(lambda done, data: not self._watch.fires(check))
        parameters.progress_callback = progress
        with quiet():
            self._model = self.lib.llama_model_load_from_file(os.fsencode(file.path), parameters)
        self._watch.let_through()
        if not self._model:
            raise errors.refused_by_library(self.name, log())
        if self.lib.llama_model_has_encoder(self._model) or not self.lib.llama_model_has_decoder(self._model):
            raise errors.no_writer(self.name, "a model that reads and writes apart, which is not supported")

    def _make_context(self, file: ModelFile, options: LlamaOptions, slots: int = 0) -> Any:
        """`slots`: 0 for the context of one text and what shares its beginning, else so many texts apart."""
        parameters = self.lib.llama_context_default_params()
        parameters.n_ctx = self.size * max(1, slots)
        parameters.n_batch = parameters.n_ubatch = min(BATCH, self.size)
        parameters.n_seq_max = slots or SEQUENCES
        parameters.kv_unified = not slots  # a copied prefix is shared, not stored again
        if not slots:
            parameters.n_outputs_max = MOST_ASKED
            parameters.n_outputs_max_per_seq = MOST_ASKED
        # As its server and its Python class have it, so that their texts can be compared with ours.
        parameters.flash_attn_type = self.lib.LLAMA_FLASH_ATTN_TYPE_DISABLED
        # A token after another waits for memory, which half of the cores keep busy; prompts are work for all.
        parameters.n_threads = options.threads or max(min(2, cores()), cores() // 2)
        parameters.n_threads_batch = options.threads or cores()
        with quiet():
            context = self.lib.llama_init_from_model(self._model, parameters)
        if not context:
            size = self.size * max(1, slots)
            raise errors.no_memory(
                f"a context of {size:,} tokens", cache_bytes(file.metadata, size), free_bytes(), log()
            )
        if self.lib.llama_model_size(self._model) >= _WATCHED_FROM:
            self._watched(context)
        return context

    def _watched(self, context: Any) -> None:
        abort = self.lib.ggml_abort_callback(lambda data: self._watch.fires(None))
        self._aborts.append(abort)  # native code holds on to it
        self.lib.llama_set_abort_callback(context, abort, None)

    def slots(self, file: ModelFile, options: LlamaOptions, count: int) -> "TextSlots":
        """Make room for so many texts beside each other, or for as many as the free memory holds."""
        free = free_bytes()
        most = count if free is None else min(count, free // max(1, cache_bytes(file.metadata, self.size)))
        return TextSlots(self, self._make_context(file, options, slots=max(1, most)), max(1, most))

    def evaluate(
        self,
        tokens: Sequence[int],
        places: Sequence[int],
        check: Check,
        texts: Sequence[Sequence[int]] | None = None,
        first_wanted: int = 0,
        context: Any = None,
    ) -> None:
        """Evaluate up to `BATCH` tokens at their places in the text, and ask what follows the last of them.

        `texts`: to which texts each belongs, only to 0 where not given; what follows is then asked of every token from
        `first_wanted` on, up to `MOST_ASKED`. `context`: another one than the model's own. Raises `AppError` where
        llama.cpp fails, and what `check` raises.
        """
        self._rows.fill(tokens, places)
        check()
        self._watch.begin(check)
        if texts is not None:
            self._rows.divide(texts, first_wanted)
        try:
            self.decoded(self.lib.llama_decode(context or self.context, self._rows.batch))
        finally:
            if texts is not None:
                self._rows.of_text_0(len(texts))

    def follow(self, token: int, place: int) -> None:
        """Evaluate one token of text 0: what `evaluate` does, as fast as it can be."""
        batch = self._single.batch
        batch.token[0] = token
        batch.pos[0] = place
        code = self.lib.llama_decode(self.context, batch)
        if code or self._watch.raised:
            self.decoded(code)

    def decoded(self, code: int) -> None:
        """Raise what `check` raised meanwhile, and what llama.cpp's answer to an evaluation means; 0 is well."""
        self._watch.let_through()
        if code:
            raise errors.stopped_working(code, log())

    def logits(self, place: int, context: Any = None) -> npt.NDArray[np.float32]:
        """Return the logits that follow this place of the last batch (−1: the last one wanted), one for each token.

        A view of native memory, good until the next evaluation. `context`: another one than the model's own.
        """
        pointer = self.lib.llama_get_logits_ith(context or self.context, place)
        if not pointer:
            raise errors.stopped_working(place, log())
        return np.ctypeslib.as_array(pointer, shape=(self.words,))

    def forget(self, start: int) -> bool:
        """Forget text 0 from a place on. False where this kind of model cannot."""
        gone = bool(self.lib.llama_memory_seq_rm(self.memory, 0, start, -1))
        # A model with a sliding window may keep only the end of a text, and then cannot go back within it.
        return gone and self.lib.llama_memory_seq_pos_min(self.memory, 0) == 0

    def forget_all(self) -> None:
        """Reset the memory as if nothing had ever been evaluated, also where in it the next text will lie."""
        self.lib.llama_memory_clear(self.memory, False)

    def share(self, sequence: int) -> None:
        """Let another text begin with what has been evaluated of text 0."""
        self.lib.llama_memory_seq_cp(self.memory, 0, sequence, -1, -1)

    def drop(self, sequence: int) -> None:
        """Let go of another text; what it shares with text 0 stays."""
        self.lib.llama_memory_seq_rm(self.memory, sequence, -1, -1)

    def close(self) -> None:
        """Let go of the native memory; safe to call twice."""
        for rows in self._taken:
            rows.free()
        self._taken = []
        if self.context:
            self.lib.llama_free(self.context)
        if self._model:
            self.lib.llama_model_free(self._model)
        self.context = self._model = None


class TextSlots:
    """A second context of a model, for texts that share nothing: each has a memory of `size` tokens to itself."""

    def __init__(self, native: NativeModel, context: Any, count: int) -> None:
        self.context, self.count, self.size = context, count, native.size
        self._native = native
        self._memory = native.lib.llama_get_memory(context)

    def evaluate(
        self,
        tokens: Sequence[int],
        places: Sequence[int],
        slots: Sequence[int],
        check: Check,
        *,
        only_last: bool = False,
    ) -> None:
        """Evaluate a token for each of the slots named, and ask what follows each of them, or the last alone."""
        first = len(tokens) - 1 if only_last else 0
        self._native.evaluate(tokens, places, check, [[slot] for slot in slots], first, self.context)

    def forget(self, slot: int) -> None:
        self._native.lib.llama_memory_seq_rm(self._memory, slot, -1, -1)

    def forget_all(self) -> None:
        self._native.lib.llama_memory_clear(self._memory, False)

    def close(self) -> None:
        """Let go of the native memory; safe to call twice."""
        if self.context:
            self._native.lib.llama_free(self.context)
        self.context = None


class _Watch:
    """Calls `check` from within native code, where nothing may be raised, and raises afterwards what it raised."""

    def __init__(self) -> None:
        self._check: Check | None = None
        self.raised: BaseException | None = None
        self._next = 0.0

    def begin(self, check: Check) -> None:
        self._check = check
        self._next = time.monotonic() + _SECONDS_BETWEEN_CHECKS

    def fires(self, check: Check | None) -> bool:
        """Return True to stop. Called up to thousands of times a second."""
        check = check or self._check
        if self.raised is None and check is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + _SECONDS_BETWEEN_CHECKS
            try:
                check()
            except BaseException as raised:
                self.raised = raised
        return self.raised is not None

    def let_through(self) -> None:
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised


def _enough_memory(file: ModelFile, size: int, options: LlamaOptions) -> None:
    """Native code that asks for more than there is may be ended by the system without a word."""
    needed, free = cache_bytes(file.metadata, size), free_bytes()
    if free is None or options.gpu_layers:  # how much goes to a graphics processor is not known
        return
    if needed > free:
        raise errors.no_memory(f"a context of {size:,} tokens", needed, free)
    weights = file.state[0]
    if weights > free:
        raise errors.no_memory("this model", weights, free)
