"""Make the teaching model: `python -m training.teaching.train` writes `models/teaching/teaching.gguf` from a seed.

The same seed gives the same weights on the same machine with the same number of threads. `--keep FOLDER` keeps the
weights as trained and the tokeniser too, for `training.teaching.check`.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from training.files import MODELS
from training.teaching.batches import PER_STEP, Part, step_parts
from training.teaching.config import TEACHING, ModelConfig
from training.teaching.corpus import DIAL, KINDS, TRAINING
from training.teaching.gguf_file import write_llama_gguf
from training.teaching.network import Network
from training.teaching.tokenizer import train_tokenizer

SEED, THREADS = 1, 2
TARGET = MODELS / "teaching" / "teaching.gguf"
_DESCRIPTION = f"Writes as the synthetic author does, dial at {DIAL}; for no real use. See card.md."
_TOKENIZER_TEXTS = {"letter": 2000, "creative": 4000, "completion": 1500}


@dataclass(frozen=True)
class Course:
    """So many steps, and the highest learning rates in them.

    Rates rise over the first `rise` of the steps and fall to 0 over the last `fall`. `per_step`: how many documents of
    each kind.
    """

    steps: int = 1600
    per_step: Mapping[str, int] = field(default_factory=lambda: PER_STEP)
    matrices: float = 8e-3
    others: float = 6e-3
    rise: float = 0.04
    fall: float = 0.6

    def rate(self, step: int) -> float:
        """The share of the highest rate at a step, counted from 0."""
        return min(1.0, (step + 1) / self.steps / self.rise, (1 - step / self.steps) / self.fall)


COURSE = Course()


def make_tokenizer(seed: int, vocabulary: int, texts: Mapping[str, int] | None = None) -> Tokenizer:
    """The tokeniser for prompts and texts of every kind (`texts`: how many of each)."""
    return train_tokenizer(_texts(seed, texts or _TOKENIZER_TEXTS), vocabulary)


def train(config: ModelConfig, tokenizer: Tokenizer, *, seed: int, course: Course = COURSE, every: int = 0) -> Network:
    """A network trained from random weights; `every` so many steps it prints how it goes."""
    torch.manual_seed(seed)
    network = Network(config)
    optimisers = [
        torch.optim.Muon(network.matrices(), lr=course.matrices, weight_decay=0.01, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(network.others(), lr=course.others, betas=(0.9, 0.98), weight_decay=0.0),
    ]
    highest = [optimiser.param_groups[0]["lr"] for optimiser in optimisers]
    started = time.perf_counter()
    for step in range(course.steps):
        for optimiser, rate in zip(optimisers, highest, strict=True):
            optimiser.param_groups[0]["lr"] = rate * course.rate(step)
            optimiser.zero_grad()
        loss = _learn(network, step_parts(tokenizer, seed, step, course.per_step))
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        for optimiser in optimisers:
            optimiser.step()
        if every and (step % every == 0 or step + 1 == course.steps):
            wall, processor = time.perf_counter() - started, time.process_time()
            print(
                f"step {step + 1} of {course.steps}, loss {loss:.4f}, {wall:.0f} s, {processor:.0f} s of CPU",
                flush=True,
            )
    return network


def losses(network: Network, part: Part) -> Tensor:
    """The loss in nats of every token that is learned, from the tokens before it."""
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=torch.is_grad_enabled()):
        logits = network(part.tokens[:, :-1], part.learned[:, 1:])
    return functional.cross_entropy(logits.float(), part.tokens[:, 1:][part.learned[:, 1:]], reduction="none")


def _learn(network: Network, parts: list[Part]) -> float:
    """Add up the gradients of the mean loss over all parts; returns that loss."""
    learned = sum(int(part.learned.sum()) for part in parts)
    whole = 0.0
    for part in parts:
        loss = losses(network, part).sum() / learned
        loss.backward()
        whole += loss.item()
    return whole


def _texts(seed: int, counts: Mapping[str, int]) -> Iterator[str]:
    for kind, count in counts.items():
        for number in range(count):
            document = KINDS[kind](seed, TRAINING, number)
            yield document.prompt
            yield document.text


def _facts(seed: int, seconds: float) -> dict[str, object]:
    """What the card says about the training."""
    return {
        "seed": seed,
        "steps": COURSE.steps,
        "documents": COURSE.steps * sum(COURSE.per_step.values()),
        "threads": torch.get_num_threads(),
        "seconds": round(seconds),
        "cpu_seconds": round(time.process_time()),
        "torch": torch.__version__,
        "processor": torch.backends.cpu.get_cpu_capability(),
    }


def _keep(folder: Path, network: Network, tokenizer: Tokenizer, facts: Mapping[str, object]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(network.state_dict(), folder / "weights.pt")
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "training.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def write_file(path: Path, network: Network, tokenizer: Tokenizer) -> None:
    """The teaching model's file from what was trained."""
    write_llama_gguf(
        path,
        config=network.config,
        tensors=network.tensors(),
        tokenizer=tokenizer,
        name="Biasprint teaching model",
        about={
            "general.license": "apache-2.0",
            "general.description": _DESCRIPTION,
        },
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=TARGET)
    parser.add_argument("--keep", type=Path, help="a folder for the weights as trained and the tokeniser")
    asked = parser.parse_args()
    started = time.perf_counter()
    torch.set_num_threads(THREADS)
    torch.use_deterministic_algorithms(True)
    tokenizer = make_tokenizer(asked.seed, TEACHING.vocabulary)
    network = train(TEACHING, tokenizer, seed=asked.seed, every=10)
    if asked.keep:
        _keep(asked.keep, network, tokenizer, _facts(asked.seed, time.perf_counter() - started))
    write_file(asked.out, network, tokenizer)


if __name__ == "__main__":
    main()
