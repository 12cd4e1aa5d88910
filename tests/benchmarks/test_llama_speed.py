"""llama.cpp through the backend is as fast as bare llama_cpp; three options cost little more than one evaluation.

Times are of the processor (one thread computes), and runs take turns: whoever else uses the machine matters little.
"""

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from figures import at_least, figure, spread, title
from ratios import Ratio, more

pytest.importorskip("gguf", reason="tiny models are written with the gguf package")
pytest.importorskip("llama_cpp", reason="llama_cpp is not installed")

from llama_cpp import Llama
from llama_cpp import llama_cpp as lib

from biasprint.core.backends import llama_cpp as backend_package
from biasprint.core.backends.llama_cpp.writer import LlamaCpp
from biasprint.core.backends.protocol import Request
from biasprint.core.errors import AppError
from biasprint.core.machine.models import catalogue
from biasprint.core.prompts import letters_context_less_set
from biasprint.core.studies.completion.prompts import completion_set

pytestmark = pytest.mark.bench

TEACHING = Path(__file__).parents[2] / "models" / "teaching" / "teaching.gguf"
TURNS = 15
TOKENS = 300
CONTEXT = 1_024
SAMPLING = {"top_k": 40, "top_p": 0.95, "min_p": 0.05, "temperature": 0.8}
SAME = 0.1  # quantised weights meet inputs that are quantised for each evaluation, which differ in their last bits
BOUND = 0.95
BOUND_OF_OPTIONS = 2.5
TOGETHER = 16
WRITER = "qwen2.5-coder-1.5b-instruct"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The teaching model; where it has not been made, one of its size with random weights."""
    return TEACHING if TEACHING.exists() else random_model(tmp_path_factory.mktemp("model") / "random.gguf")


def random_model(path: Path) -> Path:
    from training.teaching.config import TEACHING as SIZES
    from training.teaching.gguf_file import random_tensors, write_llama_gguf
    from training.teaching.tokenizer import train_tokenizer

    texts = [prompt.text for prompt in (*completion_set().prompts, *letters_context_less_set().prompts)]
    tokenizer = train_tokenizer(texts, SIZES.vocabulary)
    write_llama_gguf(path, config=SIZES, tensors=random_tensors(SIZES, 1), tokenizer=tokenizer)
    return path


@pytest.fixture
def backend(model: Path) -> Iterator[LlamaCpp]:
    parameters = {"threads": 1, "context": CONTEXT, "prefix_cache": False, "max_tokens": TOKENS, **SAMPLING}
    made = backend_package.open(str(model), parameters)
    yield made
    made.close()


@pytest.fixture
def bare(model: Path) -> Iterator[Llama]:
    made = Llama(str(model), n_ctx=CONTEXT, n_threads=1, n_threads_batch=1, verbose=False)
    yield made
    made.close()


def by_class(bare: Llama, prompt: Sequence[int], seed: int) -> str:
    """The package's own loop: tokens from `Llama.generate`, spelled at the end."""
    bare.reset()
    bare.set_seed(seed)
    sampling = {**SAMPLING, "temp": SAMPLING["temperature"]}
    del sampling["temperature"]
    written: list[int] = []
    for token in bare.generate(list(prompt), repeat_penalty=1.0, **sampling):
        if lib.llama_vocab_is_eog(bare._model.vocab, token):
            break
        written.append(token)
        if len(written) == TOKENS:
            break
    return bare.detokenize(written).decode("utf-8", "replace")


def by_functions(bare: Llama, prompt: Sequence[int], seed: int) -> str:
    """The loop that llama.cpp's own examples have, over its bare functions."""
    context, vocab = bare.ctx, bare._model.vocab
    lib.llama_memory_clear(lib.llama_get_memory(context), False)
    chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
    for step in (
        lib.llama_sampler_init_top_k(SAMPLING["top_k"]),
        lib.llama_sampler_init_top_p(SAMPLING["top_p"], 1),
        lib.llama_sampler_init_min_p(SAMPLING["min_p"], 1),
        lib.llama_sampler_init_temp(SAMPLING["temperature"]),
        lib.llama_sampler_init_dist(seed),
    ):
        lib.llama_sampler_chain_add(chain, step)
    tokens = (ctypes.c_int32 * len(prompt))(*prompt)
    one, piece, text = (ctypes.c_int32 * 1)(), ctypes.create_string_buffer(256), b""
    lib.llama_decode(context, lib.llama_batch_get_one(tokens, len(prompt)))
    for number in range(TOKENS):
        one[0] = lib.llama_sampler_sample(chain, context, -1)
        if lib.llama_vocab_is_eog(vocab, one[0]):
            break
        length = lib.llama_token_to_piece(vocab, one[0], piece, len(piece), 0, False)
        text += piece.raw[:length]
        if number < TOKENS - 1:
            lib.llama_decode(context, lib.llama_batch_get_one(one, 1))
    lib.llama_sampler_free(chain)
    return text.decode("utf-8", "replace")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    done = work()
    return time.process_time() - began, done


def nothing(*anything: object) -> None:
    pass


def test_tokens_per_second(model: Path, backend: LlamaCpp, bare: Llama, record: Callable[[Ratio], None]) -> None:
    prompts = [prompt.text for prompt in letters_context_less_set().prompts[:TURNS]]
    backend.generate(Request("warm", prompts[0], 0), nothing, nothing)
    speeds: dict[str, list[float]] = {"here": [], "class": [], "functions": []}
    for seed, prompt in enumerate(prompts):
        tokens = backend._load(nothing).prompt(prompt)
        seconds, completion = timed(lambda: backend.generate(Request("k", prompt, seed), nothing, nothing))  # noqa: B023
        count = completion.usage["completion"]
        speeds["here"].append(count / seconds)
        for name, loop in (("class", by_class), ("functions", by_functions)):
            seconds, text = timed(lambda: loop(bare, tokens, seed))  # noqa: B023
            assert text == completion.text  # so that both did the same work
            speeds[name].append(count / seconds)
    title(f"Writing {TURNS} texts of up to {TOKENS} tokens with {model.name}, one thread, prompts included")
    figure("through the backend", spread(speeds["here"]), "tokens/s")
    figure("llama_cpp.Llama.generate", spread(speeds["class"]), "tokens/s")
    figure("llama_cpp's bare functions", spread(speeds["functions"]), "tokens/s")
    for name in ("class", "functions"):
        peer = "llama_cpp’s generate" if name == "class" else "llama_cpp’s bare functions"
        record(
            more(f"writing with {model.name}, beside {peer}", speeds["here"], peer, speeds[name], "tokens/s", "equal")
        )
        shares = spread([ours / theirs for ours, theirs in zip(speeds["here"], speeds[name], strict=True)])
        at_least(f"share of the bare {name}' speed, median of {TURNS}", shares.median, BOUND, "")


def test_letters_written_beside_each_other(record: Callable[[Ratio], None]) -> None:
    """By the clock: what is saved is the reading of the weights, which all texts of a step share."""
    preset = catalogue.preset(WRITER, "letters")
    assert preset is not None
    try:
        backend_package.find_file(WRITER)
    except AppError as error:
        pytest.skip(f"{WRITER} is not in the home that BIASPRINT_HOME names: {error}")
    prompts = [prompt.text for prompt in letters_context_less_set().prompts[:TOGETHER]]
    requests = [Request(f"letter {seed}", prompt, seed) for seed, prompt in enumerate(prompts)]
    speeds = {}
    for at_once in (TOGETHER, 1):
        writer = backend_package.open(WRITER, {**preset.parameters, "at_once": at_once})
        writer.generate(requests[0], nothing, nothing)
        written: list[int] = []
        began = time.perf_counter()
        writer.generate_many(
            requests, lambda _, done: written.append(done.usage["completion"]), nothing, nothing, lambda: True,  # noqa: B023
        )  # fmt: skip
        speeds[at_once] = sum(written) / (time.perf_counter() - began)
        writer.close()
        assert len(written) == TOGETHER
    title(f"Writing {TOGETHER} letters with {WRITER}")
    name = f"{TOGETHER} letters beside each other, Qwen 1.5B, by the clock"
    record(more(name, [speeds[TOGETHER]], "one after another", [speeds[1]], "tokens/s"))


def test_three_options_beside_each_other(model: Path, backend: LlamaCpp) -> None:
    """The completion study's prompts, each with its three options behind it."""
    every = completion_set().prompts
    items = every[:: len(every) // TURNS][:TURNS]
    asked = [(f"{item.text}\n", [item.fields[name] for name in ("positive", "negative", "neutral")]) for item in items]
    backend.likelihood(*asked[0], nothing)
    together, apart, lengths = [], [], []
    for prompt, options in asked:
        lengths.append(len(backend._load(nothing).vocabulary.plain(prompt)))
        seconds, all_three = timed(lambda: backend.likelihood(prompt, options, nothing))  # noqa: B023
        together.append(seconds)
        each = [timed(lambda: backend.likelihood(prompt, [option], nothing)) for option in options]  # noqa: B023
        apart.append(sum(seconds for seconds, _ in each))
        assert [one.logprob for one in all_three] == pytest.approx([one[0].logprob for _, one in each], abs=SAME)
    title(f"Likelihood of three options with {model.name}, one thread, prompts of {spread(lengths).median:.0f} tokens")
    figure("three at once", spread([1_000 * seconds for seconds in together]), "ms")
    figure("three evaluations of prompt and option", spread([1_000 * seconds for seconds in apart]), "ms")
    shares = spread([one / other for one, other in zip(apart, together, strict=True)])
    at_least(f"times as fast, median of {TURNS}", shares.median, BOUND_OF_OPTIONS, "")
