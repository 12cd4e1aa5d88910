"""The letter check: one letter of 400 words with a CV, what is scored again while somebody types, and a pile."""

import resource
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from figures import at_most, figure, spread, title
from letter_sentences import letters

from biasprint.core.compute import shared
from biasprint.core.jobs import JobContext
from biasprint.core.letters import check_letter, scorers_for_letters
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.pile.read import read_pile
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import Document, Reading

pytestmark = pytest.mark.bench

WORDS = 400
LETTER_BOUND = 1.5  # seconds, scorers warm, letter and CV never seen before
TYPING_BOUND = 0.15  # after one sentence changed
MANY, EACH_BOUND = 40, 0.4  # letters; seconds of processor time
COLD_BOUND = 6.0  # seconds of processor time, models not loaded
PILE, WHOLE_PILE = 100, 1_000
PILE_BOUND = 600.0  # seconds for the whole pile
GROWTH_BOUND = 1.25  # the compute process's memory after the last letter, to that after the first quarter
ROUNDS = 5


def of_words(texts: list[str], words: int) -> str:
    """One letter with about so many words in its body, from the sentences of several."""
    greeting, *_ = texts[0].split("\n\n")
    body: list[str] = []
    for text in texts:
        for paragraph in text.split("\n\n")[1:-1]:
            body.append(paragraph)
            if sum(len(one.split()) for one in body) >= words:
                return "\n\n".join([greeting, *body, "Sincerely,", "Jonas Field"])
    raise AssertionError


def cv(place: int) -> Document:
    """A CV of about 200 words."""
    lines = [
        f"{2000 + year}: exhibition number {year} of series {place}, shown in the city museum." for year in range(14)
    ]
    return read_pasted("Kelly Moreno\n\nExhibitions\n\n" + "\n\n".join(lines))


def read(ctx: JobContext, text: str, context: Document, scorers: dict[str, str]) -> tuple[float, Reading]:
    started = time.perf_counter()
    reading = check_letter(ctx, read_pasted(text), shared(), ReadingRequest(scorers, context=context))
    return time.perf_counter() - started, reading


def cpu_seconds() -> float:
    """What the compute process has used of processors: this says something even beside other work."""
    times = psutil.Process(shared().pid).cpu_times()
    return float(times.user + times.system)


def test_one_letter_with_a_cv() -> None:
    ctx, scorers = JobContext(), scorers_for_letters()
    texts = letters(8 * (ROUNDS + 1), seed=11)
    written = [of_words(texts[8 * place :], WORDS) for place in range(ROUNDS + 1)]
    read(ctx, written[-1], cv(99), scorers)  # loads the models
    first, again = [], []
    began = cpu_seconds()
    for place, text in enumerate(written[:ROUNDS]):
        seconds, reading = read(ctx, text, cv(place), scorers)
        first.append(seconds)
        assert {one.verdict for one in reading.support} & {"grounded", "unsupported", "contradicted"}
        more = f" This sentence is number {place} and was typed just now."
        typed = text.replace("\n\nSincerely,", f"{more}\n\nSincerely,")
        again.append(read(ctx, typed, cv(place), scorers)[0])
    words = [len(text.split()) for text in written]
    title(f"Letter check: letters of {min(words)} to {max(words)} words, a CV of 200 words, stand-ins warm")
    figure("first reading", spread(first), "s")
    figure("again, one sentence changed", spread(again), "s")
    figure("both together, in processor time", (cpu_seconds() - began) / ROUNDS, "s")
    at_most("first reading, median", spread(first).median, LETTER_BOUND, "s")
    at_most("again, median", spread(again).median, TYPING_BOUND, "s")


def test_letters_with_cvs_warm() -> None:
    """One after the other, each with a CV of its own; what the author repeats is known from the letters before."""
    ctx, scorers = JobContext(), scorers_for_letters()
    texts = letters(8 * (MANY + 1), seed=13)
    written = [of_words(texts[8 * place :], WORDS) for place in range(MANY + 1)]
    read(ctx, written[-1], cv(99), scorers)  # loads the models
    began = cpu_seconds()
    for place, text in enumerate(written[:MANY]):
        read(ctx, text, cv(place), scorers)
    each = (cpu_seconds() - began) / MANY
    title(f"{MANY} letters of 400 words, each with a CV of 200 words, stand-ins warm")
    at_most("processor time of each", each, EACH_BOUND, "s", "one letter with a CV, models loaded, processor time")


def test_one_letter_from_cold(tmp_path: Path) -> None:
    letter, context = tmp_path / "letter.txt", tmp_path / "cv.txt"
    letter.write_text(of_words(letters(8, seed=14), WORDS), encoding="utf-8")
    context.write_text(cv(0).text, encoding="utf-8")
    command = [sys.executable, "-m", "biasprint", "letter", letter, "--context", context, "--json"]
    spent = []
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    title("One letter of 400 words with a CV on the command line, processor time of all its processes")
    figure("from its start to its answer", spread(spent), "s")
    row = "one letter with a CV on the command line, processor time of all processes"
    at_most("median", spread(spent).median, COLD_BOUND, "s", row)


def test_a_pile(tmp_path: Path) -> None:
    for place, text in enumerate(letters(PILE, seed=12)):
        # The author repeats itself, and what was scored once is kept: a number makes every sentence a new one.
        (tmp_path / f"letter-{place:03}.txt").write_text(text.replace(". ", f" {place}. "), encoding="utf-8")
    scorers = scorers_for_letters()
    (tmp_path / "warm").mkdir()
    (tmp_path / "warm" / "one.txt").write_text("I recommend her. " * 20, encoding="utf-8")
    read_pile(JobContext(), tmp_path / "warm", shared(), ReadingRequest(scorers))
    (tmp_path / "warm" / "one.txt").unlink()
    memory: list[float] = []

    def listen(progress: object) -> None:
        pid = shared().pid
        if pid is not None:
            own = psutil.Process().memory_info().rss
            memory.append((own + psutil.Process(pid).memory_info().rss) / 1e6)

    started = time.perf_counter()
    pile = read_pile(JobContext(listen), tmp_path, shared(), ReadingRequest(scorers))
    seconds = time.perf_counter() - started
    assert [row.reason for row in pile.rows] == [""] * PILE
    title(f"Pile of {PILE} letters without a CV, scaled to {WHOLE_PILE:,}")
    figure(f"{PILE} letters", seconds, "s")
    figure("memory after the first quarter", memory[len(memory) // 4], "MB")
    figure("memory after the last letter", memory[-1], "MB")
    at_most(f"{WHOLE_PILE:,} letters at that rate", seconds * WHOLE_PILE / PILE, PILE_BOUND, "s")
    at_most(
        "memory at the end to after the first quarter", memory[-1] / memory[len(memory) // 4], GROWTH_BOUND, "times"
    )
