"""What else is on this computer, against the stand-ins, on their own sets: `python -m training.stand_ins.compare`.

Prints the table of docs/tables/stand-in-candidates.md. What a candidate needs (a threshold, a head) is chosen on
the development part of a set; the held-out part is only measured. SmolLM2 is left out where it was not got.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.metrics.proportions import wilson
from biasprint.core.scorers import registry
from biasprint.core.scorers.entailment import CLASSES, pair
from training.files import TRAINING, read_rows

SMOLLM2 = "smollm2-135m-instruct"
PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # C: the weight of the sentences against that of the penalty
FOLDS = 5
ASKED = {  # of SmolLM2, with the answer that stands for the wanted class first
    "formality": ("Is the style of this sentence formal or informal?", (" formal", " informal")),
    "positivity": ("Is this sentence positive, or is it negative or neutral?", (" positive", " negative", " neutral")),
    "toxicity": ("Is this sentence toxic (insulting, obscene or threatening)?", (" yes", " no")),
    "entailment": ("Does the statement follow from the text?", (" yes", " unknown", " no")),
}
WANTED = {"formality": "formal", "positivity": "positive", "toxicity": "toxic"}
STAND_INS = {
    "formality": "formality_f", "positivity": "positivity_lexicon", "toxicity": "toxicity_profanity",
    "entailment": "entailment_minilm",
}  # fmt: skip

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Row(NamedTuple):
    """`label` is the wanted class's name, or another. A pair has a premise and a hypothesis as its text."""

    text: str
    premise: str
    label: str
    held_out: bool


class Compared(NamedTuple):
    """What of the held-out part each got right, row by row."""

    role: str
    candidate: str
    right: Flags
    stand_in: Flags


def rows(role: str) -> list[Row]:
    if role == "entailment":
        contexts = {row["context"]: row["text"] for row in read_rows(TRAINING / "entailment/contexts.csv")}
        return [
            Row(row["hypothesis"], contexts[row["context"]], row["label"], row["part"] == "held-out")
            for row in read_rows(TRAINING / "entailment/pairs.csv")
            if row["part"] != "lines"  # letters beside CVs, which the stand-in alone was fitted to
        ]
    return [
        Row(row["text"], "", row["label"], row["part"] == "held-out")
        for row in read_rows(TRAINING / role / "sentences.csv")
    ]


def classes(role: str, of: Sequence[Row]) -> NDArray[np.int64]:
    """1 for the wanted class and 0 for any other; of pairs the place in CLASSES."""
    if role == "entailment":
        return np.array([CLASSES.index(row.label) for row in of])
    return np.array([int(row.label == WANTED[role]) for row in of])


# ---- What each says of a row, before anything is chosen: float64[rows, features]


def stand_in(role: str, of: Sequence[Row]) -> NDArray[np.int64]:
    """The stand-in's class of each row, as the program uses it."""
    texts = [pair(row.premise, row.text) if row.premise else row.text for row in of]
    _, values = registry.score_batch(STAND_INS[role], texts)
    if role == "entailment":
        return np.array([value.values.argmax() for value in values])
    return np.array([int(value.values.mean() >= 0.5) for value in values])


def by_minilm(of: Sequence[Row]) -> Floats:
    _, values = registry.score_batch("minilm", [row.text for row in of])
    return np.stack([value.values for value in values]).astype(np.float64)


def by_vader(of: Sequence[Row]) -> Floats:
    from biasprint.core.scorers.plain import compound

    return np.array([[compound(row.text)] for row in of])


def by_textblob(of: Sequence[Row]) -> Floats:
    from textblob import TextBlob

    return np.array([[TextBlob(row.text).sentiment.polarity] for row in of])


def by_smollm2(role: str, of: Sequence[Row]) -> Floats:
    """log P of each answer, as the model's own template asks for it."""
    question, answers = ASKED[role]
    made = []
    for row in of:
        about = f"Text: {row.premise}\nStatement: {row.text}" if row.premise else f"Sentence: {row.text}"
        prompt = f"<|im_start|>user\n{question}\n{about}<|im_end|>\n<|im_start|>assistant\nAnswer:"
        made.append([each.logprob for each in _smollm2().likelihood(prompt, answers, lambda: None)])
    return np.array(made)


@cache
def _smollm2() -> Any:
    from biasprint.core.backends import llama_cpp

    return llama_cpp.open(SMOLLM2, {"chat_template": False})


# ---- Choosing on the development part


def with_head(table: Floats, of: NDArray[np.int64], held_out: Flags) -> NDArray[np.int64]:
    """A logistic head on standardised features, its penalty by cross-validation inside the development part."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def head(penalty: float) -> Any:
        return make_pipeline(StandardScaler(), LogisticRegression(C=penalty / table.shape[1], max_iter=10_000))

    known, wanted = table[~held_out], of[~held_out]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=1)
    best = max(PENALTIES, key=lambda penalty: cross_val_score(head(penalty), known, wanted, cv=folds).mean())
    return np.asarray(head(best).fit(known, wanted).predict(table[held_out]), dtype=np.int64)


def candidates(role: str) -> Mapping[str, Callable[[Sequence[Row]], Floats]]:
    """By name, what may stand in for the stand-in. Each gets a head, of one weight where it says one number."""
    found: dict[str, Callable[[Sequence[Row]], Floats]] = {}
    if role != "entailment":  # whose stand-in is a head on MiniLM already
        found["all-MiniLM-L6-v2 with a head"] = by_minilm
    if role == "positivity":
        found["TextBlob's polarity"] = by_textblob
    if role == "toxicity":
        found["VADER's compound"] = by_vader
    return found | {"SmolLM2 135M Instruct, asked": lambda of: by_smollm2(role, of)}


def compare() -> Iterator[Compared]:
    for role in STAND_INS:
        of = rows(role)
        wanted, held_out = classes(role, of), np.array([row.held_out for row in of])
        now = stand_in(role, [row for row in of if row.held_out]) == wanted[held_out]
        for name, says in candidates(role).items():
            try:
                table = says(of)
            except AppError as error:
                print(f"{role}, {name}: left out. {error}", file=sys.stderr)
                continue
            yield Compared(role, name, with_head(table, wanted, held_out) == wanted[held_out], now)


def p_value(first: Flags, second: Flags) -> float:
    """McNemar's exact test: rows that one got right and the other did not, against even odds."""
    from scipy.stats import binomtest

    one, other = int((first & ~second).sum()), int((second & ~first).sum())
    return float(binomtest(one, one + other).pvalue) if one + other else 1.0


def in_words(right: Flags) -> str:
    bounds = wilson(int(right.sum()), len(right))
    assert bounds is not None
    return f"{right.mean():.2f} ({bounds.low:.2f} to {bounds.high:.2f})"


def main() -> None:
    print("| role | candidate | right | stand-in | n | p |\n|---|---|---|---|---|---|")
    for each in compare():
        p = p_value(each.right, each.stand_in)
        said = f"{p:.3f}" if p >= 0.001 else "< 0.001"
        figures = f"{in_words(each.right)} | {in_words(each.stand_in)} | {len(each.right)} | {said}"
        print(f"| {each.role} | {each.candidate} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
