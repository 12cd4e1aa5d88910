"""In the compute process: which sentences of a letter the context supports, and the passage that is nearest to each."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from core.cache import BatchCache
from core.documents.values import Sentence, Support, Verdict
from core.findings import ScorerUse
from core.scorers import entailment
from core.scorers.protocol import ScorerInfo
from core.scorers.registry import load, score_batch
from core.scorers.segment import sentences
from core.swap import Person
from core.swap.guess import guess_person

EMBEDDER = "minilm"
SAID: dict[str, tuple[Verdict, str]] = {
    "entailment": ("grounded", "A passage of the context says so."),
    "neutral": ("unsupported", "Nothing in the context says so."),
    "contradiction": ("contradicted", "The context says otherwise."),
}
NO_CLAIM = {
    "greeting": "A greeting, a name or a heading: it claims nothing.",
    "opinion": "What the writer thinks, wishes or does: no context could support it.",
}
_TITLES = r"(?:Dr|Prof|Professor|Mr|Mrs|Ms|Miss|Mx|Sir|Dame|Doctor)"
_verdicts: BatchCache[tuple[str, str, str], tuple[str, float]] = BatchCache(20_000)  # by scorer, context and sentence
_embedded: BatchCache[str, np.ndarray] = BatchCache(4_000)  # 6 MB


def support_of(
    body: Sequence[Sentence], context: str, scorer: str, person: Person | None = None
) -> tuple[tuple[Support, ...], tuple[ScorerUse, ...]]:
    """The verdict on every sentence of the body. Without a context there is none, and it is said so.

    `score` is the scorer's probability of entailment by the best window of the context. `person`: whom the letter is
    about. Their names are read as pronouns in the letter and in the context, so that a name alone, or a married name,
    decides nothing. Source: letters (Wan et al.), section 3.3.
    """
    people = (person or Person(), guess_person(context))
    plain = unnamed(context, people)
    windows = entailment.windows(plain)
    if not windows or not scorer:
        why = "There is no context to check against." if scorer else "No scorer for entailment is here."
        return tuple(Support(one.index, "no context", "", 0, 0, None, why) for one in body), ()
    kinds = {sentence.index: entailment.kind_of(sentence.text) for sentence in body}
    asked = [sentence for sentence in body if kinds[sentence.index] == "claim"]
    texts = [unnamed(sentence.text, people) for sentence in asked]
    judged, use = _judged(scorer, windows, plain, texts)
    nearest = _nearest(context, people, texts)
    found = {}
    for sentence, (verdict, score), (start, end) in zip(asked, judged, nearest, strict=True):
        said, reason = SAID[verdict]
        found[sentence.index] = Support(sentence.index, said, context[start:end], start, end, score, reason)
    for sentence in body:
        if sentence.index not in found:
            reason = NO_CLAIM[kinds[sentence.index]]
            found[sentence.index] = Support(sentence.index, "not a claim", "", 0, 0, None, reason)
    return tuple(found[sentence.index] for sentence in body), (use,)


def _judged(
    scorer: str, windows: Sequence[str], context: str, texts: Sequence[str]
) -> tuple[list[tuple[str, float]], ScorerUse]:
    info, _ = score_batch(scorer, [])

    def judge(new: Sequence[tuple[str, str, str]]) -> Iterator[tuple[str, float]]:
        _, values = score_batch(scorer, [entailment.pair(window, text) for *_, text in new for window in windows])
        for place in range(0, len(values), len(windows)):
            own = [value.values for value in values[place : place + len(windows)]]
            yield entailment.judged(own), float(max(value[0] for value in own))

    found = _verdicts.get([(scorer, context, text) for text in texts], judge)
    return found, ScorerInfo(**info).use()


def unnamed(text: str, people: Sequence[Person]) -> str:
    """The text with a pronoun wherever it names one of the people, title and all: “Dr. Moreno’s” becomes “their”."""
    names = {re.escape(name) for one in people for name in (*one.first_name.split(), *one.last_name.split())}
    if not names:
        return text
    own = rf"(?:{'|'.join(sorted(names, key=len, reverse=True))})"
    named = rf"(?<!\w)(?:{_TITLES}\.?\s+)?{own}(?:\s+(?:[A-Z]\.\s+)?{own})*(?P<of>['’]s?(?!\w))?(?!\w)"
    return re.sub(named, lambda found: "their" if found["of"] else "they", text)


def _nearest(context: str, people: tuple[Person, ...], texts: Sequence[str]) -> list[tuple[int, int]]:
    """For each text the place of the context's sentence with the greatest cosine to it."""
    spans, passages = _passages(context, people)
    if not texts:
        return []
    own = np.stack(_vectors(texts))
    return [spans[int(place)] for place in (own @ passages.T).argmax(axis=1)]


@lru_cache(maxsize=8)
def _passages(context: str, people: tuple[Person, ...]) -> tuple[list[tuple[int, int]], np.ndarray]:
    spans = sentences(context)
    values = load(EMBEDDER).score([unnamed(context[start:end], people) for start, end in spans])
    return spans, np.stack([_vector(value.values) for value in values])


def _vectors(texts: Sequence[str]) -> list[np.ndarray]:
    """The unit vectors of sentences; those of the letter that is being edited are kept."""
    return _embedded.get(texts, lambda new: [_vector(value.values) for value in load(EMBEDDER).score(new)])


def _vector(values: np.ndarray) -> np.ndarray:
    return values if values.size else np.zeros(384, np.float32)
