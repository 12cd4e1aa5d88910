"""How the next token is drawn: llama.cpp's samplers, in the order of its own server."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from core.backends.llama_cpp.options import Options
from core.backends.protocol import Request

_REMEMBERED = 64  # tokens
_RANDOM = 0xFFFFFFFF  # llama.cpp takes this one for “any seed”


def folded(seed: int) -> int:
    """A seed of 63 bits as llama.cpp has it: its lower 32 bits, as its server takes them from a larger number too.

    The one value that would mean “any seed” becomes the one below.
    """
    return min(seed & _RANDOM, _RANDOM - 1)


@contextmanager
def sampler(lib: Any, words: int, request: Request, options: Options) -> Iterator[Any]:
    """A chain: the most likely `top_k`, then `top_p`, then `min_p` of them, their temperature, one drawn by the seed.

    Temperature 0 takes the most likely token. A repeat penalty, where there is one, comes before everything else and
    looks at the last 64 tokens of the answer. `words`: how many tokens the model has.
    """
    temperature = options.temperature if request.temperature is None else request.temperature
    top_p = options.top_p if request.top_p is None else request.top_p
    chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
    try:
        steps = []
        if options.repeat_penalty != 1:
            steps.append(lib.llama_sampler_init_penalties(words, _REMEMBERED, options.repeat_penalty, 0.0, 0.0))
        if temperature <= 0:
            steps += [lib.llama_sampler_init_greedy()]
        else:
            steps += [
                lib.llama_sampler_init_top_k(options.top_k),
                lib.llama_sampler_init_top_p(top_p, 1),
                lib.llama_sampler_init_min_p(options.min_p, 1),
                lib.llama_sampler_init_temp(temperature),
                lib.llama_sampler_init_dist(folded(request.seed)),
            ]
        for step in steps:
            lib.llama_sampler_chain_add(chain, step)
        yield chain
    finally:
        lib.llama_sampler_free(chain)
