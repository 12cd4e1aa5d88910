"""All completion findings of 11,000 replies take a second of one core, once everything is imported."""

import time

import pytest
from figures import at_most, figure, spread, title
from threadpoolctl import threadpool_limits

from biasprint.core.backends.protocol import Request, output_seed
from biasprint.core.backends.registry import open_backend
from biasprint.core.studies.completion.measure import CompletionTable, measure
from biasprint.core.studies.completion.prompts import completion_set
from biasprint.core.studies.completion.table import coded

pytestmark = pytest.mark.bench

REPLIES = 11_000
RUNS = 7
BOUND = 1.0
FIELDS = (
    "domain", "direction", "pronoun", "given", "positive", "negative", "neutral", "term", "context", "order",
)  # fmt: skip


def replies() -> CompletionTable:
    """The synthetic author's answers to the whole set, and to its first items once more."""
    author = open_backend("synthetic", "small")
    asked = [(prompt, sample) for sample in (0, 1) for prompt in completion_set().prompts][:REPLIES]
    requests = [
        Request(prompt.key, "", output_seed(1, prompt.key, sample), fields={"task": prompt.task, **prompt.fields})
        for prompt, sample in asked
    ]
    answers = [author.generate(request, lambda text: None, lambda: None).text for request in requests]
    columns = {name: [prompt.fields[name] for prompt, _ in asked] for name in FIELDS}
    return CompletionTable(**columns, response=answers)


def test_all_findings_of_eleven_thousand_replies() -> None:
    table = replies()
    measure(table, resamples=100)  # everything is imported
    seconds, reading = [], []
    with threadpool_limits(1):  # on one core, not with one helper for each
        for _ in range(RUNS):
            # Processor time over all threads: what one core does, whoever else uses the machine.
            began = time.process_time()
            result = measure(table)
            seconds.append(time.process_time() - began)
            began = time.process_time()
            coded(table)
            reading.append(time.process_time() - began)
    assert len(result.findings) > 1000
    title(
        f"Completion: {len(result.findings):,} findings of {REPLIES:,} replies, 10,000 resamples and permutations each"
    )
    figure("of which matching replies to options", spread(reading), "s")
    figure("all findings", spread(seconds), "s")
    row = f"all findings of {REPLIES:,} fill-in-the-blank replies"
    at_most("all findings, median", spread(seconds).median, BOUND, "s", row)
