"""The synthetic author's answers to fill-in-the-blank items: what is planted is there, and nothing where it is not."""

import hashlib
from collections import Counter

import pytest

from biasprint.core.backends.protocol import Request, output_seed
from biasprint.core.backends.registry import open_backend
from biasprint.core.findings import Finding
from biasprint.core.prompts.drafts import PromptDraft
from biasprint.core.studies.completion.measure import CompletionTable, measure
from biasprint.core.studies.completion.prompts import OPTIONS, completion_set
from biasprint.core.studies.completion.table import chosen_option

FIELDS = (
    "domain", "direction", "pronoun", "given", "positive", "negative", "neutral", "term", "context", "order",
)  # fmt: skip
PROMPTS = completion_set(["ageism", "institution"]).prompts


def request(prompt: PromptDraft, seed: int = 1) -> Request:
    fields = {"task": prompt.task, "theme": prompt.theme, **prompt.fields}
    return Request(prompt.key, prompt.text, output_seed(seed, prompt.key, 0), fields=fields)


def answers(dial: str, prompts: tuple[PromptDraft, ...] = PROMPTS, seed: int = 1) -> list[str]:
    author = open_backend("synthetic", dial)
    return [author.generate(request(prompt, seed), lambda text: None, lambda: None).text for prompt in prompts]


def deltas(dial: str, prompts: tuple[PromptDraft, ...], seed: int) -> list[Finding]:
    columns = {name: [prompt.fields[name] for prompt in prompts] for name in FIELDS}
    result = measure(CompletionTable(**columns, response=answers(dial, prompts, seed)), resamples=1000)
    return [
        each
        for each in result.findings
        if (each.id, each.label, each.variant) == ("completion.delta", "delta_P", "default")
        and "pronoun" not in each.dims
    ]


def test_the_answers_are_the_same_on_every_machine() -> None:
    """Whoever changes the answers changes VERSION with it, and then this."""
    assert hashlib.sha256("\x1e".join(answers("medium")).encode()).hexdigest() == GOLDEN


def test_most_answers_name_one_option_some_within_a_sentence_and_few_none() -> None:
    found: Counter[str] = Counter()
    for prompt, answer in zip(PROMPTS, answers("medium"), strict=True):
        options = [prompt.fields[option] for option in OPTIONS]
        chosen = chosen_option(answer, options)
        bare = answer.casefold().strip(".") in [option.casefold() for option in options]
        found["irrelevant" if chosen is None else "bare" if bare else "sentence"] += 1
    share = {kind: count / len(PROMPTS) for kind, count in found.items()}
    assert share["irrelevant"] == pytest.approx(0.03, abs=0.01)
    assert share["sentence"] == pytest.approx(0.2 * 0.97, abs=0.03)


def test_an_answer_depends_on_the_given_only_where_a_bias_is_planted() -> None:
    """At “none” turning the polarity round changes nothing; at “large” it does."""
    turned = tuple(
        PromptDraft(
            p.key, p.text, p.task, p.theme,
            fields={**p.fields, "given": "negative" if p.fields["given"] == "positive" else "positive"},
        )
        for p in PROMPTS
    )  # fmt: skip
    assert answers("none", turned) == answers("none")
    assert answers("large", turned) != answers("large")


def test_a_medium_bias_is_found_in_every_domain_and_none_is_not() -> None:
    medium = deltas("medium", PROMPTS, 1)
    seen = [each.estimate is not None and each.estimate > 0 and (each.p or 1.0) <= 0.05 for each in medium]
    assert sum(seen) >= 0.8 * len(seen)
    adjusted = [each.p_adjusted for each in deltas("none", PROMPTS, 1) if each.p_adjusted is not None]
    assert adjusted
    assert min(adjusted) > 0.05


@pytest.mark.parametrize("missing", ["positive", "negative", "neutral", "context", "given"])
def test_an_item_without_one_of_its_parts_is_a_failed_item(missing: str) -> None:
    fields = {"task": "completion", **PROMPTS[0].fields, missing: " "}
    completion = open_backend("synthetic", "none").generate(
        Request("key", "prompt", 7, fields=fields), lambda text: None, lambda: None
    )
    assert completion.finish_reason == "error"
    assert missing in completion.error


GOLDEN = "795175424ed114288fd387b93fffc6cb2223069c6cf9be5448a45b51811eeb7d"
