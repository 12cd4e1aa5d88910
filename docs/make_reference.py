"""Makes resources/letters/reference/bundled.json: the figures of letters that no person wrote, by occupation.

    python docs/make_reference.py

Half are by the synthetic author with its dial at none, half by the teaching model, which has a planted bias. Takes a
few minutes on one core. Has to be run again when a scorer or the word lists of resources/letters/marks change:
figures of other versions are not compared.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "core" / "python"))

from biasprint.core.backends.protocol import Request, output_seed  # noqa: E402
from biasprint.core.backends.registry import open_backend  # noqa: E402
from biasprint.core.jobs import JobContext, Progress  # noqa: E402
from biasprint.core.letters.pile.read import reference_of_letters  # noqa: E402
from biasprint.core.letters.references import (  # noqa: E402
    Built,
    ReferenceSet,
    to_bytes,
)
from biasprint.core.prompts import PromptDraft, letters_context_less_set  # noqa: E402

FILE = ROOT / "resources" / "letters" / "reference" / "bundled.json"
SEED = 6
NAMES = 3  # for each gender: with 5 ages 30 letters by each author for an occupation
AUTHORS = (("synthetic", "none", {}), ("llama_cpp", "teaching", {"temperature": 0.7}))
MADE_BY = {"synthetic": "synthetic author, no bias", "llama_cpp": "teaching model"}
# The stand-ins that come with the program: what a computer without other models uses.
SCORERS = {"formality": "formality_f", "positivity": "positivity_lexicon", "agency": "agency_minilm"}
TITLE = "Machine-made letters"
MADE_FROM = (
    "no person wrote these letters. Half are by the program's own grammar without a planted bias, half by its small "
    "teaching model, which has one planted. They show how such a letter can look, not how letters by people do."
)


def prompts() -> tuple[PromptDraft, ...]:
    """360 prompts: 12 occupations, 5 ages, 6 names."""
    return letters_context_less_set(names_per_group=NAMES).prompts


def letters(drafts: Sequence[PromptDraft]) -> Iterator[tuple[str, str, str, str]]:
    """(text, occupation, group, made by), by every author from every prompt."""
    for backend, model, parameters in AUTHORS:
        author = open_backend(backend, model, parameters)
        for draft in drafts:
            fields = {"task": draft.task, "axis": draft.axis, "identity": draft.identity, **draft.fields}
            seed = output_seed(SEED, draft.key, 0)
            written = author.generate(
                Request(draft.key, draft.text, seed, fields=fields, **parameters), lambda _: None, lambda: None
            )
            if written.finish_reason != "error" and written.text.strip():
                yield written.text, draft.fields["occupation"], draft.fields["group"], MADE_BY[backend]
        author.close()


def figures_of(rows: Sequence[tuple[str, str, str, str]], ctx: JobContext | None = None) -> Built:
    """What the file holds of these letters."""
    return reference_of_letters([row[:3] for row in rows], SCORERS, [row[3] for row in rows], ctx)


def reference_set(built: Built) -> ReferenceSet:
    return ReferenceSet("bundled", TITLE, MADE_FROM, True, built.letters, built.scorers, built.marks)


def main() -> None:
    def listen(progress: Progress) -> None:
        print(f"\r{progress.done} of {progress.total}", end="", flush=True)

    built = figures_of(list(letters(prompts())), JobContext(listen))
    FILE.write_bytes(to_bytes(reference_set(built)))
    counts: Mapping[str, int] = built.dropped
    print(f"\n{len(built.letters)} letters in {FILE.relative_to(ROOT)}; left out: {dict(counts) or 'none'}.")


if __name__ == "__main__":
    main()
