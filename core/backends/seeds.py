"""Seeds: an output's seed depends on nothing but the run's seed, the prompt's key and the sample's number."""

import hashlib


def output_seed(run_seed: int, prompt_key: str, sample: int) -> int:
    """A seed from 0 to 2⁶³ − 1, the same on every machine: the first 63 bits of SHA-256 over the three.

    A resumed run therefore equals an uninterrupted one, in whatever order its outputs are written.
    """
    joined = f"{run_seed}\x1f{sample}\x1f{prompt_key}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(joined).digest()[:8], "big") >> 1
