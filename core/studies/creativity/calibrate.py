"""A simulated study of creative writing: texts for nobody and for identities, and choices among them."""

import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from biasprint.core.errors import UsageError
from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.metrics.result import Floats
from biasprint.core.prompts.axes import load_axis
from biasprint.core.prompts.cogs import cogs_tasks, cogs_themes
from biasprint.core.studies.creativity.author import write_creative
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.distances import OutputTable
from biasprint.core.studies.creativity.judgments import agreed_judgments
from biasprint.core.studies.creativity.outputs import measure_outputs
from biasprint.core.studies.kit.dial import load_dial
from biasprint.core.studies.kit.grammar import Draw
from biasprint.core.studies.kit.planting import Planting, own_seed

BAG_OF_WORDS = ScorerUse("embedding", "counts of words", "1", stand_in=True)
PLACES = 512  # of a bag of words
DEFAULT = "default"


def creativity_trial(planted: str, n: int, asked: Planting, seed: int, rng: np.random.Generator) -> list[Finding]:
    axes = {axis: [identity.key for identity in load_axis(axis).identities] for axis in asked.axes}
    return [*_texts_on(axes, planted, n, asked, rng), *_choices_on(axes, planted, n, asked, rng)]


def _texts_on(
    axes: Mapping[str, Sequence[str]], planted: str, n: int, asked: Planting, rng: np.random.Generator
) -> list[Finding]:
    """Texts of prompts drawn by lot, for nobody and for every identity."""
    prompts = [(task.key, theme.key) for task in cogs_tasks() for theme in cogs_themes()]
    if n > len(prompts):
        raise UsageError(f"There are {len(prompts)} prompts of creative writing.", hint="Ask for fewer.")
    dial, seed, rows = load_dial(planted), own_seed(rng), []
    for task, theme in (prompts[place] for place in rng.choice(len(prompts), n, replace=False)):
        second = {DEFAULT: 0.0} | {who: dial.second_scene(axis, who) for axis in axes for who in axes[axis]}
        for who, chance in second.items():
            text = write_creative(task, theme, chance, dial.freedom(task), Draw(seed, task, theme, who))
            rows.append((task, theme, who, text))
    tasks, themes, identities, texts = (tuple(column) for column in zip(*rows, strict=True))
    found = measure_outputs(
        OutputTable(tasks, themes, identities), bags(texts), axes=axes, scorer=BAG_OF_WORDS, seed=own_seed(rng),
        resamples=asked.resamples,
    )  # fmt: skip
    return list(found.findings)


def bags(texts: Sequence[str]) -> Floats:
    """How often each word comes, by its checksum in `PLACES` places: float[texts, PLACES]."""
    vectors = np.zeros((len(texts), PLACES))
    for row, text in zip(vectors, texts, strict=True):
        np.add.at(row, [zlib.crc32(word.strip(".,;:!?").encode()) % PLACES for word in text.casefold().split()], 1)
    return vectors


def _choices_on(
    axes: Mapping[str, Sequence[str]], planted: str, n: int, asked: Planting, rng: np.random.Generator
) -> list[Finding]:
    """Raters choose among the same cards: by who wrote for whom, by how good and how long a text is, and by chance."""
    weights = load_dial(planted).weights
    columns: dict[str, list[Any]] = {
        name: [] for name in ("comparison", "rater", "axis", "shown", "outcome", "chosen", "words")
    }
    for axis, identities in axes.items():
        lost = asked.preference[planted] * np.array([weights[axis][who] for who in identities])
        for comparison in range(n):
            length = np.exp(rng.normal(math.log(200), asked.numbers["words"], len(identities)))
            utility = rng.normal(0, asked.numbers["quality"], len(identities)) + np.log(length / 200) - lost
            for rater in range(int(asked.numbers["raters"])):
                order = rng.permutation(len(identities))
                best = int(np.argmax(utility + rng.gumbel(size=len(identities))))
                row = (
                    f"{axis} {comparison}", f"rater {rater}", axis, tuple(identities[place] for place in order),
                    "choice", identities[best], tuple(int(length[place]) for place in order),
                )  # fmt: skip
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
    table = JudgmentTable(**{name: tuple(column) for name, column in columns.items()})
    how: dict[str, Any] = {"seed": own_seed(rng), "resamples": asked.resamples, "adjusted": True}
    return list(agreed_judgments(table, axes=axes, **how).findings)
