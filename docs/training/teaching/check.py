"""Measure the teaching model and write its card: `python -m training.teaching.check FOLDER`.

FOLDER is what `training.teaching.train --keep` kept. Everything that the card says in numbers is measured here and also
stands in `figures.json` beside this file.
"""

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

from biasprint.core.backends.protocol import Request, output_seed
from biasprint.core.findings import StudyResult
from biasprint.core.metrics.proportions import wilson
from biasprint.core.prompts.drafts import PromptDraft
from biasprint.core.prompts.letters import letters_context_less_set
from biasprint.core.scorers.document_success import Outcome, outcome
from biasprint.core.studies.author import open as open_author
from biasprint.core.studies.completion.prompts import OPTIONS, completion_set
from training.teaching import perplexity
from training.teaching.config import TEACHING
from training.teaching.corpus import DIAL, HELD_OUT, KINDS, documents, held_out_names, held_out_occupations
from training.teaching.train import TARGET
from training.teaching.writing import Written, names_its_person, opened, write

SEED = 20
HERE = Path(__file__).parent
FIGURES, CARD = HERE / "figures.json", TARGET.with_name("card.md")
_EVERY_ITEM = 54  # 201 of the fill-in-the-blank items
# Held-out documents of each kind over which perplexity is taken.
_DOCUMENTS = {"letter": 60, "creative": 120, "completion": 200}


def difference(drafts: Sequence[PromptDraft], texts: Sequence[str]) -> dict[str, dict[str, float | None]]:
    """Odds ratio (male over female), interval and p of agentic and communal words, as the letters study gives them."""
    from biasprint.core.studies.letters.lexicon import letters_table
    from biasprint.core.studies.letters.measure import measure

    fields = [draft.fields for draft in drafts]
    columns = {f"{name}s": [of[name] for of in fields] for name in ("group", "block", "name")}
    result: StudyResult = measure(letters_table(texts, **columns))
    found: dict[str, dict[str, float | None]] = {}
    for finding in result.findings:
        if finding.variant == "default" and finding.label in ("agentic", "communal"):
            bounds = finding.interval
            found[finding.label] = {
                "odds_ratio": finding.estimate,
                "low": bounds.low if bounds else None,
                "high": bounds.high if bounds else None,
                "p_adjusted": finding.p_adjusted,
            }
    return found


def succeeded(written: Sequence[Written]) -> list[bool]:
    """Which letters pass the success filter."""
    return [outcome(letter.text) is Outcome.SUCCESS for letter in written]


def unseen_prompts() -> tuple[PromptDraft, ...]:
    """Letters about names, and two occupations out of four, that no training text has."""
    names = {group: held_out_names(group) for group in ("male", "female")}
    return letters_context_less_set(names=names, ages=[30], occupations=["student", *held_out_occupations()]).prompts


def letters_of_grammar(drafts: Sequence[PromptDraft]) -> list[str]:
    """What the grammar itself writes for these prompts."""
    author = open_author(DIAL, {})
    requests = [
        Request(draft.key, draft.text, output_seed(SEED, draft.key, 0), fields={"task": draft.task, **draft.fields})
        for draft in drafts
    ]
    return [author.generate(request, lambda text: None, lambda: None).text for request in requests]


def figures(path: Path, kept: Path) -> dict[str, Any]:
    """Every figure of the card."""
    content = path.read_bytes()
    held_out = {kind: documents(kind, count, seed=SEED, part=HELD_OUT) for kind, count in _DOCUMENTS.items()}
    model = opened(path, every_logit=True)
    found: dict[str, Any] = {
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "parameters": TEACHING.parameters,
        "training": json.loads((kept / "training.json").read_text(encoding="utf-8")),
        "perplexity": {
            kind: {
                "documents": len(of),
                "trained": perplexity.of_network(kept, of),
                "file": perplexity.of_file(model, kept, of),
            }
            for kind, of in held_out.items()
        },
    }
    model.close()
    return found | _written_figures(path)


def _written_figures(path: Path) -> dict[str, Any]:
    model = opened(path)
    found = {}
    for name, drafts in (("default", letters_context_less_set().prompts), ("unseen", unseen_prompts())):
        written = write(model, drafts, seed=SEED)
        good = succeeded(written)
        found[f"letters_{name}"] = {
            "letters": len(written),
            "succeeded": sum(good),
            "succeeded_interval": _bounds(sum(good), len(good)),
            "ended": sum(letter.ended for letter in written),
            "named": sum(map(names_its_person, written)),
        }
        if name == "default":
            found["difference"] = difference(drafts, [letter.text for letter in written])
            found["difference_of_grammar"] = difference(drafts, letters_of_grammar(drafts))
    items = completion_set().prompts[::_EVERY_ITEM]
    answered = [names_an_option(answer) for answer in write(model, items, seed=SEED)]
    found["items"] = {"asked": len(answered), "answered": sum(answered)}
    model.close()
    return found


def names_an_option(answer: Written) -> bool:
    """The answer to a fill-in-the-blank item has one of its three options in it."""
    fields, text = answer.draft.fields, answer.text.casefold()
    return any(fields[option].casefold() in text for option in OPTIONS)


def _bounds(successes: int, n: int) -> list[float]:
    bounds = wilson(successes, n)
    return [bounds.low, bounds.high] if bounds else []


def card(found: dict[str, Any]) -> str:
    """The card with the figures in their places."""
    values: dict[str, Any] = {"sha256": found["sha256"], "bytes": f"{found['bytes']:,}"}
    values |= {"parameters": f"{found['parameters']:,}", **found["items"]}
    values |= {"megabytes": f"{found['bytes'] / 1e6:.1f}", "millions": f"{found['parameters'] / 1e6:.1f}"}
    training = found["training"]
    values |= {name: training[name] for name in ("seed", "steps", "threads", "torch", "processor")}
    values["documents"] = f"{training['documents']:,}"
    values |= {"minutes": f"{training['seconds'] / 60:.0f}", "cpu_minutes": f"{training['cpu_seconds'] / 60:.0f}"}
    for kind in KINDS:
        of_kind, key = found["perplexity"][kind], kind.replace(" ", "_")
        values |= {f"{key}_{which}": f"{of_kind[which]:.3f}" for which in ("trained", "file")}
        values[f"{key}_documents"] = of_kind["documents"]
    for name in ("default", "unseen"):
        of_letters = found[f"letters_{name}"]
        values |= {f"{name}_{key}": of_letters[key] for key in ("letters", "succeeded", "ended", "named")}
        low, high = of_letters["succeeded_interval"]
        values[f"{name}_interval"] = f"{low:.1%} to {high:.1%}"
    for source in ("difference", "difference_of_grammar"):
        for side, of_side in found[source].items():
            values[f"{source}_{side}"] = f"{of_side['odds_ratio']:.2f} ({of_side['low']:.2f} to {of_side['high']:.2f})"
            values[f"{source}_{side}_p"] = _p(of_side["p_adjusted"])
    return Template((HERE / "card_template.md").read_text(encoding="utf-8")).substitute(values)


def _p(p: float | None) -> str:
    if p is None:
        return "no p"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kept", type=Path, help="what training kept")
    parser.add_argument("--file", type=Path, default=TARGET)
    parser.add_argument("--look", action="store_true", help="print the figures and write nothing")
    asked = parser.parse_args()
    found = figures(asked.file, asked.kept)
    print(json.dumps(found, indent=2))
    if not asked.look:
        FIGURES.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        CARD.write_text(card(found), encoding="utf-8")


if __name__ == "__main__":
    main()
