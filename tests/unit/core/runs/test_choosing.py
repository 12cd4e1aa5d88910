"""Choosing options by likelihood: the whole sentence, the option's own prior, and what cannot be chosen."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from biasprint.core.backends.protocol import Capabilities, Completion, GeneratorInfo, Likelihood, Request
from biasprint.core.backends.registry import open_backend
from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.runs import writing
from biasprint.core.runs.writing import Chooser

# The probability of a word anywhere, but for one: "kind" is likelier after "was".
WORDS = {"The": 0.1, "man": 0.1, "was": 0.2, "kind": 0.02, "cruel": 0.04, "tall": 0.03, "today.": 0.5, "very": 0.1}
AFTER = {("was", "kind"): 0.06}


class WordModel:
    """A language model of a few words, whose likelihoods can be worked out by hand."""

    name = model = "words"
    capabilities = Capabilities(False, True, True, True, True)

    def describe(self) -> GeneratorInfo:
        return GeneratorInfo("words", "words", {"temperature": 1.0})

    def generate(self, request: Request, on_text: Any, check: Any) -> Completion:
        return Completion("asked", "stop")

    def likelihood(self, prompt: str, continuations: Sequence[str], check: Any) -> list[Likelihood]:
        return [self._one(prompt, continuation) for continuation in continuations]

    def _one(self, prompt: str, continuation: str) -> Likelihood:
        if prompt:
            assert continuation.startswith(" "), "the blank belongs to the word"
        words = continuation.split()
        before = [*prompt.split()[-1:], *words]
        pairs = list(zip(["", *before], before, strict=False))[-len(words) :]
        return Likelihood(sum(math.log(AFTER.get(pair, WORDS[pair[1]])) for pair in pairs), len(words))

    def close(self) -> None: ...


FIELDS = {"context": "The man was BLANK today.", "positive": "kind", "negative": "cruel", "neutral": "tall"}


def choose(by: str, fields: dict[str, str] = FIELDS) -> Completion:
    return Chooser(WordModel(), by).generate(Request("k", "p", 1, fields=fields), lambda text: None, lambda: None)


def test_the_likeliest_sentence_is_chosen_and_all_scores_are_kept():
    answer = choose("likelihood")
    assert answer.text == "kind"
    scores = answer.detail["likelihoods"]
    # By hand: log(.06 × .5), log(.04 × .5), log(.03 × .5); alone .02, .04, .03.
    assert scores["positive"]["logprob"] == pytest.approx(math.log(0.06 * 0.5))
    assert scores["negative"]["logprob"] == pytest.approx(math.log(0.04 * 0.5))
    assert scores["positive"]["corrected"] == pytest.approx(math.log(0.06 * 0.5 / 0.02))
    assert scores["neutral"]["corrected"] == pytest.approx(math.log(0.5))
    assert scores["positive"]["tokens"] == 2


def test_a_long_option_is_not_held_against_itself_once_corrected():
    fields = {**FIELDS, "positive": "very very kind"}
    assert choose("likelihood", fields).text == "cruel"
    scores = choose("likelihood_corrected", fields).detail["likelihoods"]
    assert scores["positive"]["corrected"] == pytest.approx(math.log(0.5))  # "very" after "was" is as likely as ever


def test_a_tie_is_no_answer():
    assert choose("likelihood", {**FIELDS, "positive": "tall"}).text == "cruel"
    answer = choose("likelihood_corrected", {**FIELDS, "positive": "cruel", "negative": "cruel"})
    assert (answer.text, answer.finish_reason) == ("", "stop")


@pytest.mark.parametrize("missing", ["context", "negative"])
def test_a_prompt_without_options_fails_alone(missing: str):
    answer = choose("likelihood", {name: value for name, value in FIELDS.items() if name != missing})
    assert (answer.finish_reason, answer.failure) == ("error", "parameters")
    assert missing in answer.error


def test_a_backend_without_likelihoods_says_so():
    with pytest.raises(UsageError, match="cannot say how likely a sentence is"):
        Chooser(open_backend("synthetic", "none"), "likelihood")
    with pytest.raises(UsageError, match="One cannot choose by “luck”"):
        Chooser(WordModel(), "luck")


def test_the_way_of_choosing_belongs_to_the_generator(monkeypatch: pytest.MonkeyPatch):
    opened: list[Any] = []

    def open_words(backend: str, model: str, parameters: Any) -> WordModel:
        opened.append(parameters)
        return WordModel()

    monkeypatch.setattr(writing, "_open", None)
    monkeypatch.setattr(writing, "open_backend", open_words)
    by = {"choose": "likelihood", "temperature": 1.0}
    assert writing.describe_generator("words", "words", by, {}, JobContext()).parameters == by
    seen: list[object] = []
    ctx = JobContext(lambda progress: seen.append(progress.partial))
    writing.write_all("words", "words", by, [Request("k", "p", 1, fields=FIELDS)], {}, ctx)
    assert [one.completions[0][1].text for one in seen if isinstance(one, writing.Written)] == ["kind"]
    assert opened == [{"temperature": 1.0}]  # once, and without what is not the backend's
