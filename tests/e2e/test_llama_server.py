"""llama.cpp's own server and the backend here write the same texts.

What makes them equal: the same file; the chat template rendered alike (but for the date, which here is always the same
day); the same seed, of which both take the lower 32 bits; the same samplers in the same order (repeat penalty, `top_k`
40, `top_p`, `min_p` 0.05, temperature, draw), of which the server punishes repetition by 1.1 where nothing is said, and
the backend here does not; the same number type for keys and values, and no flash attention, the Python package's
defaults; one thread each. The server keeps the beginnings that prompts share in its cache; here that is off, so that
each text depends on its request alone.
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf", reason="tiny models are written with the gguf package")
pytest.importorskip("llama_cpp", reason="llama_cpp is not installed")
pytest.importorskip("uvicorn", reason="llama.cpp's server needs llama-cpp-python[server]")

from cli_support import biasprint, narrow, outputs_of, refused

from biasprint.core.backends import llama_cpp, openai_compatible
from biasprint.core.backends.protocol import Parameter, Request, output_seed
from biasprint.core.prompts import cogs_set, letters_context_less_set

TEACHING = Path(__file__).parents[2] / "models" / "teaching" / "teaching.gguf"
CONTEXT = 1_024
SERVERS_PENALTY = 1.1
TOKENS = 60
TEXTS = {"tiny.gguf": 20, "teaching.gguf": 8}  # what one writes in a second, the other in ten


def plain_tiny(path: Path) -> Path:
    """A random model that draws only letters, digits and signs of ASCII.

    Of characters that are cut apart, the server loses count and forgets `max_tokens`; their tokens are as likely here
    as the middle one, and so never among the 40 that are drawn from.
    """
    from training.teaching.config import ModelConfig
    from training.teaching.gguf_file import random_tensors, write_llama_gguf
    from training.teaching.tokenizer import train_tokenizer

    config = ModelConfig(vocabulary=384, width=64, layers=2, heads=2, hidden=128, context=CONTEXT)
    tokenizer = train_tokenizer(["A tiny model for tests writes nonsense in no time at all."] * 8, config.vocabulary)
    tensors = random_tensors(config, seed=3)
    for token, number in tokenizer.get_vocab().items():
        if not token.replace("Ġ", "").isascii():
            tensors["token_embd.weight"][number] = np.float32(0)
    write_llama_gguf(path, config=config, tensors=tensors, tokenizer=tokenizer, matrices="F32")
    return path


@pytest.fixture(scope="module", params=["tiny", pytest.param("teaching", marks=pytest.mark.soak)])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "tiny":
        return plain_tiny(tmp_path_factory.mktemp("model") / "tiny.gguf")
    if not TEACHING.exists():
        pytest.skip("models/teaching/teaching.gguf has not been made")
    return TEACHING


@pytest.fixture(scope="module")
def server(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of llama.cpp's server with the model, on a free port of this machine.

    By default a request that comes ends the one before it, of which the client then has half.
    """
    options = {"model": model, "host": "127.0.0.1", "port": 0, "verbose": False}
    options |= {"n_ctx": CONTEXT, "n_threads": 1, "n_threads_batch": 1, "interrupt_requests": False}
    command = [sys.executable, "-m", "llama_cpp.server"]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    said = tmp_path_factory.mktemp("server") / "said.txt"  # a pipe that nobody reads would stop it
    with (
        said.open("w", encoding="utf-8") as log,
        subprocess.Popen(command, stderr=log, stdout=subprocess.DEVNULL) as process,
    ):
        until = time.monotonic() + 120
        while not (found := re.search(r"running on (http://127\.0\.0\.1:\d+)", said.read_text(encoding="utf-8"))):
            if process.poll() is not None or time.monotonic() > until:
                pytest.fail("The server did not start:\n" + said.read_text(encoding="utf-8")[-2000:])
            time.sleep(0.05)
        yield found[1]
        process.terminate()


def asked(number: int) -> list[Request]:
    """Prompts of two studies, each with the seed that its first output would have."""
    prompts = [prompt for each in zip(letters_context_less_set().prompts, cogs_set().prompts, strict=False)
               for prompt in each][:number]  # fmt: skip
    return [
        Request(prompt.key, prompt.text, output_seed(1, prompt.key, 0), temperature=0.9, top_p=0.9, max_tokens=TOKENS)
        for prompt in prompts
    ]


def from_server(server: str, requests: list[Request]) -> list[tuple[str, str]]:
    """Through the client that the program has for endpoints; one at a time, since this server does one at a time."""
    backend = openai_compatible.open("any", {"base_url": f"{server}/v1", "stream": False})
    written = [backend.generate(request, lambda text: None, lambda: None) for request in requests]
    backend.close()
    return [(completion.text, completion.finish_reason) for completion in written]


def from_here(model: Path, requests: list[Request], **parameters: Parameter) -> list[tuple[str, str]]:
    backend = llama_cpp.open(
        str(model), {"context": CONTEXT, "threads": 1, "repeat_penalty": SERVERS_PENALTY, **parameters}
    )
    written = [backend.generate(request, lambda text: None, lambda: None) for request in requests]
    backend.close()
    # Bytes that are no character are marked here, and left out by the server.
    return [(completion.text.replace("\ufffd", ""), completion.finish_reason) for completion in written]


def test_the_server_and_the_backend_write_the_same_texts(
    server: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    number = TEXTS[model.name]
    requests = asked(number)
    theirs = from_server(server, requests)
    ours = from_here(model, requests, prefix_cache=False)
    assert len({text for text, _ in ours}) > number / 2
    assert ours == from_here(model, requests[::-1], prefix_cache=False)[::-1]  # whatever was written before
    same = sum(one == other for one, other in zip(ours, theirs, strict=True))
    cached = from_here(model, requests, prefix_cache=True)
    same_cached = sum(one == other for one, other in zip(cached, theirs, strict=True))
    with capsys.disabled():
        said = f"equal to the server's: {same} of {number} texts, with the prefix cache {same_cached}"
        sys.stdout.write(f"\n  {model.name}: {said}\n")
    assert ours == theirs
    assert same_cached >= 0.8 * number


@pytest.mark.soak
@pytest.mark.parametrize("model", ["teaching"], indirect=True)
def test_letters_are_generated_and_comparisons_judged_by_the_server(server: str, study_file: Path) -> None:
    """Through the command line. The teaching model does not judge: after a few replies that are none it is given up."""
    narrow(study_file, 24)
    before = outputs_of(study_file)
    asked = ("--backend", "openai_compatible", "--model", "any", f"--set=base_url={server}/v1", "--set=stream=false")
    short = ("--temperature", 1, "--max-tokens", 12)
    written = biasprint("generate", study_file, "--study", "letters", *asked, *short, "--json").json
    assert written["done"] + written["failed"] == written["wanted"] == 24
    assert written["done"] >= 20, written["failures"]
    assert before.items() <= outputs_of(study_file).items()
    judging = ("judge", study_file, *asked, *short, "--axis", "orientation")
    refused(*judging, code=1, says="cannot judge: none of its first")
