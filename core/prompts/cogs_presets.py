"""Prompt sets of the paper's smaller experiments, cut from the suite so that the same call gives the same prompts.

Temperature sweep: 500 prompts at 0, 0.25, 0.5, 0.75 and 1. Human study: 50 very short stories, three raters (Kumar et
al., section 4.1). The main runs are at temperature 0.2.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from core.errors import UsageError
from core.prompts.axes import Axis
from core.prompts.cogs import cogs_set
from core.prompts.drafts import PromptDraft, PromptSetDraft

TEMPERATURE = 0.2
SWEEP_TEMPERATURES = (0.0, 0.25, 0.5, 0.75, 1.0)
SWEEP_PROMPTS = 500
HUMAN_TASK = "very_short_story"


@dataclass(frozen=True)
class HumanStudy:
    """`comparisons` on each axis, judged by each of `raters`; `prompts` are what they are made from."""

    prompts: PromptSetDraft
    comparisons: int
    raters: int


def sweep_set(
    prompts: int = SWEEP_PROMPTS, axes: Sequence[str | Path | Axis] | None = None, seed: int = 0
) -> PromptSetDraft:
    """`prompts` prompts of the suite, in blocks, spread over the tasks.

    A block is a task and theme: its default prompt and one for each identity. Blocks are taken task by task in turn,
    themes in an order that `seed` decides; the last block is cut where the number is reached, and what it has of whole
    axes still counts. Raises `UsageError` where not even one block fits, or the suite has fewer.
    """
    whole = cogs_set(axes=axes)
    blocks: dict[tuple[str, str], list[PromptDraft]] = {}
    for prompt in whole.prompts:
        blocks.setdefault((prompt.task, prompt.theme), []).append(prompt)
    size = len(next(iter(blocks.values())))
    if not size <= prompts <= len(whole.prompts):
        raise UsageError(
            f"{prompts} prompts cannot be taken from the suite.", hint=f"Ask for {size} to {len(whole.prompts)}."
        )
    in_turn = [prompt for block in _in_turn(blocks, seed) for prompt in blocks[block]]
    chosen = {prompt.key for prompt in in_turn[:prompts]}
    kept = tuple(prompt for prompt in whole.prompts if prompt.key in chosen)
    recipe = {**whole.recipe, "preset": "temperature sweep", "prompts": prompts, "seed": seed}
    temperatures = ", ".join(f"{temperature:g}" for temperature in SWEEP_TEMPERATURES)
    hint = f"Write these prompts once at each temperature: {temperatures}."
    return replace(whole, name="CoGS, temperature sweep", recipe=recipe, prompts=kept, hints=(hint,))


def human_study(axes: Sequence[str | Path | Axis] | None = None) -> HumanStudy:
    """Very short stories on all thirty themes, for 50 comparisons an axis and three raters.

    Thirty themes give thirty comparisons of one model; the paper's fifty need two samples of each prompt.
    """
    draft = cogs_set([HUMAN_TASK], axes=axes)
    hint = "Thirty themes and one task give thirty comparisons an axis: write two samples of each prompt for fifty."
    recipe = {**draft.recipe, "preset": "human study"}
    return HumanStudy(replace(draft, name="CoGS, human study", recipe=recipe, hints=(hint,)), comparisons=50, raters=3)


def _in_turn(blocks: Collection[tuple[str, str]], seed: int) -> list[tuple[str, str]]:
    """One block of every task, then the next of every task: an order that depends on names and `seed` alone."""
    tasks = list(dict.fromkeys(task for task, _ in blocks))
    queues = {
        task: sorted(
            (theme for of_task, theme in blocks if of_task == task),
            key=lambda theme: sha256(f"{seed} {task} {theme}".encode()).digest(),
        )
        for task in tasks
    }
    longest = max(map(len, queues.values()))
    return [(task, queues[task][turn]) for turn in range(longest) for task in tasks if turn < len(queues[task])]
