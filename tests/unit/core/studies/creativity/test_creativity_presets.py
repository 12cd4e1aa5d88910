"""Prompt sets of the paper's smaller experiments."""

from collections import Counter

import pytest

from biasprint.core.errors import UsageError
from biasprint.core.prompts.cogs import SWEEP_TEMPERATURES, cogs_set, human_study, sweep_set


def test_the_sweep_has_the_papers_500_prompts_and_temperatures() -> None:
    """Kumar et al., section 4.1: 500 prompts at 0, 0.25, 0.5, 0.75 and 1."""
    draft = sweep_set()
    assert len(draft.prompts) == 500
    assert SWEEP_TEMPERATURES == (0, 0.25, 0.5, 0.75, 1)
    assert "0, 0.25, 0.5, 0.75, 1" in draft.hints[0]
    whole = {prompt.key: prompt for prompt in cogs_set().prompts}
    assert all(whole[prompt.key] == prompt for prompt in draft.prompts)


def test_the_sweep_keeps_blocks_whole_and_tasks_even() -> None:
    sizes = Counter((prompt.task, prompt.theme) for prompt in sweep_set().prompts)
    assert sorted(sizes.values())[1:] == [9] * 55  # 500 = 55 · 9 + 5
    per_task = Counter(task for task, _ in sizes)
    assert len(per_task) == 12
    assert max(per_task.values()) - min(per_task.values()) <= 1
    cut = next(block for block, size in sizes.items() if size == 5)
    identities = [prompt.identity for prompt in sweep_set().prompts if (prompt.task, prompt.theme) == cut]
    assert identities[:4] == ["default", "white", "black", "asian"]


def test_the_same_seed_gives_the_same_prompts_and_another_others() -> None:
    assert sweep_set().prompts == sweep_set().prompts
    assert sweep_set().recipe == sweep_set().recipe
    assert {prompt.key for prompt in sweep_set(seed=1).prompts} != {prompt.key for prompt in sweep_set().prompts}


def test_a_sweep_is_cut_to_size_and_axes() -> None:
    small = sweep_set(12, axes=["orientation"])
    assert Counter(prompt.identity for prompt in small.prompts) == {"default": 4, "straight": 4, "queer": 4}
    assert len({prompt.task for prompt in small.prompts}) == 4
    with pytest.raises(UsageError, match="cannot be taken"):
        sweep_set(2, axes=["orientation"])
    with pytest.raises(UsageError, match="cannot be taken"):
        sweep_set(5000)


def test_the_human_study_is_fifty_very_short_stories_and_three_raters() -> None:
    study = human_study()
    assert (study.comparisons, study.raters) == (50, 3)
    assert {prompt.task for prompt in study.prompts.prompts} == {"very_short_story"}
    assert len(study.prompts.prompts) == 30 * 9
