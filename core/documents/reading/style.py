"""Formality, positivity and agency of each sentence. What was scored is kept: while somebody edits, little changes."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from core.documents.values import SCORE_NAMES, ScoreName, Sentence, SentenceScore
from core.findings import ScorerUse
from core.scorers.protocol import ScorerInfo
from core.scorers.registry import score_batch

KEPT = 20_000
LABELS: Mapping[ScoreName, tuple[str, str]] = {
    "formality": ("formal", "informal"),
    "positivity": ("positive", "not positive"),
    "agency": ("agentic", "not agentic"),
}
_kept: OrderedDict[tuple[str, str, str], float | None] = OrderedDict()


def styles_of(
    body: Sequence[Sentence], scorers: Mapping[str, str]
) -> tuple[tuple[SentenceScore, ...], tuple[ScorerUse, ...]]:
    """The scores of every sentence of the body, and the scorers that gave them. `scorers`: role → name."""
    scores: list[SentenceScore] = []
    uses: list[ScorerUse] = []
    for name in SCORE_NAMES:
        if name not in scorers:
            scores += [SentenceScore(one.index, name, None, "", f"no scorer for {name} is here") for one in body]
            continue
        values, use = _values(scorers[name], [sentence.text for sentence in body])
        uses.append(use)
        scores += [_score(sentence, name, values[sentence.text]) for sentence in body]
    return tuple(scores), tuple(uses)


def _values(scorer: str, texts: Sequence[str]) -> tuple[dict[str, float | None], ScorerUse]:
    info, _ = score_batch(scorer, [])
    version = str(info["version"])
    new = [text for text in dict.fromkeys(texts) if (scorer, version, text) not in _kept]
    _, given = score_batch(scorer, new)
    for text, value in zip(new, given, strict=True):
        _kept[scorer, version, text] = float(value.values.mean()) if value.values.size else None
    found = {text: _kept[scorer, version, text] for text in texts}
    while len(_kept) > KEPT:
        _kept.popitem(last=False)
    return found, ScorerInfo(**info).use()


def _score(sentence: Sentence, name: ScoreName, value: float | None) -> SentenceScore:
    if value is None:
        return SentenceScore(sentence.index, name, None, "", "too little to score")
    return SentenceScore(sentence.index, name, value, LABELS[name][0 if value >= 0.5 else 1], "")
