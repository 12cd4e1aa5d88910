"""Choosing an option by how likely the model finds the filled sentence, in place of asking for an answer.

The score of an option is the log-likelihood of the sentence with the option in its place, log P(sentence). All three
share the words before the blank, whose own likelihood is the same for each and is left out. Long and rare options have
less of it whatever the sentence says; so the corrected score takes away what the option has alone, at the beginning of
a text: log P(sentence) − log P(option). Both are stored with the output, and one of them chooses.
"""

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Literal

from core.backends.protocol import Backend, Completion, Likelihood, LikelihoodBackend, Request
from core.errors import AppError, UsageError

Choice = Literal["likelihood", "likelihood_corrected"]
CHOICES: tuple[Choice, ...] = ("likelihood", "likelihood_corrected")
PARAMETER = "choose"  # of a generator: how its answers come about
BLANK = "BLANK"
OPTIONS = ("positive", "negative", "neutral")


class Chooser:
    """A backend that answers by likelihood; otherwise the one it stands before."""

    def __init__(self, backend: Backend, choice: str) -> None:
        """Raises `UsageError` where the backend cannot say likelihoods, or `choice` is none of `CHOICES`."""
        if choice not in CHOICES:
            raise UsageError(f"One cannot choose by “{choice}”.", hint=f"Choose by one of: {', '.join(CHOICES)}.")
        if not isinstance(backend, LikelihoodBackend) or not backend.capabilities.likelihood:
            raise UsageError(
                f"“{backend.name}” cannot say how likely a sentence is.",
                hint="Use a local model (llama_cpp or transformers), or let the model answer in words.",
            )
        self._backend: LikelihoodBackend = backend
        self._corrected = choice == "likelihood_corrected"

    def generate(self, request: Request, on_text: Callable[[str], None], check: Callable[[], None]) -> Completion:
        """The most likely option as the text; the scores of all in `detail`. A tie is no answer."""
        started = time.perf_counter()
        missing = [name for name in (*OPTIONS, "context") if not request.fields.get(name)]
        if missing or BLANK not in request.fields["context"]:
            what = ", ".join(missing) or f"a context with {BLANK}"
            return Completion("", "error", error=f"Likelihoods need {what}.", failure="parameters")
        try:
            scores = self._scores(request, check)
        except AppError as error:
            return Completion("", "error", seconds=time.perf_counter() - started, error=str(error), failure="context")
        by = "corrected" if self._corrected else "logprob"
        best = max(scores, key=lambda option: scores[option][by])
        tied = [option for option in scores if scores[option][by] == scores[best][by]]
        text = request.fields[best] if len(tied) == 1 else ""
        on_text(text)
        detail = {"likelihoods": scores, "chosen_by": by}
        return Completion(text, "stop", seconds=time.perf_counter() - started, detail=detail)

    def _scores(self, request: Request, check: Callable[[], None]) -> dict[str, dict[str, float]]:
        before, _, after = request.fields["context"].partition(BLANK)
        options = [request.fields[option] for option in OPTIONS]
        # A blank before a word belongs to the word for every tokeniser that we met.
        gap = " " if before.endswith(" ") else ""
        whole = self._backend.likelihood(before.rstrip(" "), [f"{gap}{option}{after}" for option in options], check)
        prior = self._backend.likelihood("", options, check)
        return {
            option: _score(in_sentence, alone) for option, in_sentence, alone in zip(OPTIONS, whole, prior, strict=True)
        }


def _score(whole: Likelihood, prior: Likelihood) -> dict[str, float]:
    return {**asdict(whole), "prior": prior.logprob, "corrected": whole.logprob - prior.logprob}
