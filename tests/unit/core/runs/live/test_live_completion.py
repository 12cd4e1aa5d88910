"""Replies followed one by one: shares and differences with the digits of the measure, and bands by what they share."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from live_scene import compared, measured, tally_of

from biasprint.core.jobs import JobContext
from biasprint.core.metrics.anytime import share_band
from biasprint.core.project.project import Project
from biasprint.core.project.specs import OutputSpec
from biasprint.core.prompts.drafts import PromptDraft, PromptSetDraft
from biasprint.core.runs.generate import start_run
from biasprint.core.runs.live import LiveValue
from biasprint.core.runs.setup import generator_spec, store_set

ITEM = {"positive": "kind", "negative": "rude", "neutral": "tall"}
DOMAINS, PRONOUNS = ("ageism", "beauty"), ("masculine", "feminine")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def items(terms: int, pairs: int) -> PromptSetDraft:
    prompts = [
        PromptDraft(
            f"c/{domain}/{pronoun}/{term}/{option}", "Fill in.", "completion",
            fields={
                "domain": domain, "direction": "SAI", "pronoun": pronoun, "given": ("positive", "negative")[term % 2],
                "term": f"term {term}", "context": f"They are BLANK {term}.",
                **{name: f"{word}{option}" for name, word in ITEM.items()},
            },
        )
        for domain in DOMAINS for pronoun in PRONOUNS for term in range(terms) for option in range(pairs)
    ]  # fmt: skip
    return PromptSetDraft("Items", {"suite": "test"}, tuple(prompts))


def replied(project: Project, terms: int = 8, model: str = "none", seed: int = 1, pairs: int = 3) -> None:
    """Replies that lean on their term; some name no option."""
    added = store_set(project, "completion", items(terms, pairs))
    run = start_run(project, prompt_set_id=added.set_id, generator=generator_spec("synthetic", model, {}), seed=seed)
    rng = np.random.default_rng(seed)
    leaning = rng.dirichlet(np.ones(3), terms)
    specs = []
    for number, pending in enumerate(project.runs.pending(run, limit=10_000)):
        fields = pending.prompt.fields
        said = rng.choice(list(ITEM), p=leaning[int(fields["term"].split()[1])])
        text = "I cannot say." if number % 11 == 0 else fields[said]
        specs.append(
            OutputSpec(
                run_id=run, prompt_id=pending.prompt.id, sample=0, seed=1, status="done", text=text,
                finish_reason="stop", error="", usage={}, seconds=0.1, failure="", detail={},
            )
        )  # fmt: skip
    for some in np.array_split(np.array(specs, dtype=object), 3):
        project.outputs.record_many(list(some))


def test_the_last_value_is_the_measured_one(project: Project) -> None:
    replied(project)
    tally = tally_of(project, "completion")
    tally.catch_up(JobContext())
    # Both domains and each, both pronouns and each: nine cells of nine shares, three differences, and what is left out.
    assert compared(tally.values(), measured(project, "completion")) == 9 * (9 + 3 + 1)


def test_models_are_told_apart(project: Project) -> None:
    replied(project, 4)
    replied(project, 4, "large", 2)
    tally = tally_of(project, "completion")
    tally.catch_up(JobContext())
    assert compared(tally.values(), measured(project, "completion")) == 2 * 9 * 13


def whole(project: Project) -> LiveValue:
    """The share of positive options among all replies."""
    tally = tally_of(project, "completion")
    tally.catch_up(JobContext())
    (found,) = [one for one in tally.values() if one.key.label == "PL" and len(one.key.dims) == 1]
    return found


def test_the_band_waits_for_enough_pairs_of_options(project: Project) -> None:
    replied(project, 20)
    assert whole(project).low is None
    assert whole(project).reason == "a band needs 10 terms and pairs of options; so far there are 3"


def test_the_band_is_wider_than_for_independent_replies(project: Project) -> None:
    replied(project, 20, pairs=12)
    found = whole(project)
    assert found.low is not None
    assert found.high is not None
    assert found.estimate is not None
    alone = share_band(found.estimate * found.n, found.n)
    assert found.low < alone.low < found.estimate < alone.high < found.high
