"""Which sentences of a letter its context supports."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.errors import AppError
from core.findings import ScorerUse
from core.jobs import JobContext
from core.metrics.result import Bools
from core.scorers import claims, entailment
from core.scorers.protocol import ScorerInfo
from core.scorers.registry import score_batch
from core.scorers.segment import sentences


@dataclass(frozen=True)
class LetterGrounding:
    """One value per sentence of a letter; none where the letter has no context to check against."""

    entailed: Bools
    contradicted: Bools
    claim: Bools

    @property
    def hallucinated(self) -> Bools:
        return np.asarray(self.claim & ~self.entailed)

    @property
    def grounded(self) -> Bools:
        return np.asarray(self.claim & self.entailed)


@dataclass(frozen=True)
class Grounding:
    letters: tuple[LetterGrounding, ...]
    scorer: ScorerUse

    def only(self, kept: Bools) -> "Grounding":
        return Grounding(tuple(self.letters[place] for place in np.flatnonzero(kept)), self.scorer)


def grounding(
    texts: Sequence[str], contexts: Sequence[str], scorer: str, ctx: JobContext | None = None
) -> Grounding | str:
    """Premise: the whole context, in overlapping windows where it is long; hypothesis: each sentence.

    A string says why there is none. Source: letters (Wan et al.), section 3.3.
    """
    if not any(context.strip() for context in contexts):
        return "no letter has the context that it was written from (field context)"
    ctx = ctx or JobContext()
    letters, use = [], ScorerUse("entailment", scorer, "")
    for text, context in zip(texts, contexts, strict=True):
        ctx.check()
        windows = entailment.windows(context)
        spans = sentences(text) if windows else []
        hypotheses = [text[start:end] for start, end in spans]
        pairs = [entailment.pair(window, hypothesis) for hypothesis in hypotheses for window in windows]
        info, values = score_batch(scorer, pairs, ctx)
        if any(len(value.values) != len(entailment.CLASSES) for value in values):
            raise AppError(
                f"The scorer “{scorer}” does not give a probability for each of {', '.join(entailment.CLASSES)}.",
                hint="Its plug-in needs mending; choose another scorer.",
            )
        use = replace(ScorerInfo(**info).use(), version=f"{info['version']}; {claims.version()}")
        judged = [
            entailment.judged([value.values for value in values[start : start + len(windows)]])
            for start in range(0, len(values), max(1, len(windows)))
        ]
        kinds = [claims.kind_of(hypothesis) for hypothesis in hypotheses]
        letters.append(LetterGrounding(_are(judged, "entailment"), _are(judged, "contradiction"), _are(kinds, "claim")))
        ctx.report(len(letters), len(texts), note="sentences against their contexts")
    return Grounding(tuple(letters), use)


def _are(values: Sequence[str], wanted: str) -> Bools:
    return np.array([value == wanted for value in values], dtype=np.bool_)
