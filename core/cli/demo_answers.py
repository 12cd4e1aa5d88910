"""Output of the demo in a terminal: each study's clearest answer, then a table of at most ten lines a study."""

import shutil
import textwrap
from collections.abc import Iterator, Sequence

from biasprint.core.cli.console import say
from biasprint.core.draw import digits
from biasprint.core.report.audit.audited import Audited, most_telling
from biasprint.core.report.evidence import Evidence
from biasprint.core.report.in_words import verdict
from biasprint.core.report.questions import evidence
from biasprint.core.runs.sample import DIAL, MODEL, about, found_sentence, is_found

MARGIN, GAP = 2, 2
LEAST_WIDTH, MOST_WIDTH = 60, 100  # shorter lines leave the table no room, longer ones are hard to read
YES, NOT_SHOWN, NO_TEST, NOT_KNOWN, NONE = "yes", "not shown", "no test", "not known", "–"
STAND_IN = "*"
LEGEND = {
    YES: "yes: in at least one comparison the groups differ by more than chance explains (p at most 0.05, adjusted "
    "for all comparisons of the kind).",
    NOT_SHOWN: "not shown: no such difference. This does not prove that there is none.",
    NO_TEST: "no test: measured, but there is nothing to test it against.",
    NOT_KNOWN: "not known: the project has too little to answer it, or its scorer errs too often to tell.",
    STAND_IN: "*: measured with a stand-in, a scorer that comes with Biasprint, in place of the one that the study's "
    "paper used. Its numbers differ from the paper's.",
}
WHAT_IT_IS = (
    "Biasprint looks for social bias in texts that language models write, and in the people and models that judge "
    "them. This demo measured its sample project here and now, without a connection."
)
PLANTED, REAL, EXAMPLES = "planted bias", "real model", "examples"
HEADINGS = {DIAL: PLANTED, MODEL: REAL, about()["generator"]["model"]: EXAMPLES}
WRITERS = {
    PLANTED: "letters by the synthetic author, a small program and no language model, which plants a bias: to show "
    "what a found bias looks like.",
    REAL: f"texts by {about()['real']['title']}, a small language model. Nothing is planted. What is found holds for "
    "this model and these prompts, and for no other.",
    EXAMPLES: "texts written for this project with the help of a language model, to show how judging works. No model "
    "under study wrote them, so nothing about a model follows from them.",
}


def print_answers(measured: Sequence[Audited]) -> None:
    """Print the clearest answer of each study in a sentence, who wrote the texts, and every question in a table."""
    say(wrapped(WHAT_IT_IS))
    say("\nIN SHORT", bold=True)
    for audited in measured:
        for paragraph in _in_short(audited):
            say(paragraph)
    say("\nWHO WROTE THE TEXTS", bold=True)
    for heading, writer in WRITERS.items():
        say(wrapped(f"{heading}: {writer}", 2, hanging=2))
    say("\nEVERY QUESTION", bold=True)
    for audited in measured:
        for line in answers_table(audited):
            say(line)
        say("")
    for meaning in legend(measured):
        say(wrapped(meaning, 2, hanging=2))


def _headings(audited: Audited) -> dict[str, str]:
    """Map each generator's name to a heading: who wrote. One model has several generators, by its parameters."""
    names = [str(generator["name"]) for generator in audited.generators]
    return {name: heading for name in names for start, heading in HEADINGS.items() if name.startswith(start)}


def _in_short(audited: Audited) -> Iterator[str]:
    """The question with the clearest answer, and for each generator the answer in a sentence."""
    headings = _headings(audited)
    asked = [(question.question, evidence(audited.study, question)) for question in audited.questions]
    question, all_of_it = most_telling([each for each in asked if each[1].tested])
    yield wrapped(f"{audited.texts}: {question}", 2, hanging=2)
    for generator, heading in headings.items():
        own = _of_generator(all_of_it, generator)
        agentic = next((finding for finding in own.leads if is_found(finding, MODEL)), None)
        if agentic is not None:
            answer = found_sentence(agentic, about()["real"]["title"])
        elif own.shown or own.doubted:
            answer = verdict(audited.study, own, most=1)
        else:
            answer = f"No difference was shown in {len(own.tested)} comparisons."
        yield wrapped(f"{heading}: {answer}", 4, hanging=2)


def text_width() -> int:
    """Return the width of text: the terminal's, 80 where there is none, within limits."""
    return max(LEAST_WIDTH, min(shutil.get_terminal_size((80, 24)).columns, MOST_WIDTH))


def wrapped(text: str, indent: int = 0, *, hanging: int = 0) -> str:
    """A paragraph in lines of the text's width; `hanging`: how much further all lines but the first are indented."""
    first = " " * indent
    return textwrap.fill(
        text, text_width(), initial_indent=first, subsequent_indent=first + " " * hanging, break_on_hyphens=False
    )


def answers_table(audited: Audited) -> list[str]:
    """The table's lines: a row for each question, and a column for each generator; first how many texts each has."""
    headings = _headings(audited)
    names = [str(generator["name"]) for generator in audited.generators]
    counts = [digits.count(int(generator["n"])) for generator in audited.generators]
    columns = [[headings.get(name, name), *(answer for _, answer in _answers(audited, name))] for name in names]
    widths = [max(map(len, column)) for column in columns]
    questions = [question.question for question in audited.questions]
    title = f"{audited.texts}, n = {' and '.join(counts)}"
    room = text_width() - 2 * MARGIN - sum(widths) - GAP * len(widths)
    lines = []
    for number, text in enumerate([title, *questions]):
        cells = "".join(f"{'':{GAP}}{column[number]:>{width}}" for column, width in zip(columns, widths, strict=True))
        indent = 2 * MARGIN if number else MARGIN
        first, *others = textwrap.wrap(text, room) or [""]
        lines.append(f"{'':{indent}}{first}".ljust(room + 2 * MARGIN) + cells)
        lines += [f"{'':{indent}}{other}" for other in others]
    return lines


def legend(audited: Sequence[Audited]) -> list[str]:
    """Explain the words of these tables; those that do not occur are left out."""
    words = {
        word
        for each in audited
        for generator in each.generators
        for kind, answer in _answers(each, str(generator["name"]))
        for word in (kind, STAND_IN if answer.endswith(STAND_IN) else kind)
    }
    return [meaning for word, meaning in LEGEND.items() if word in words]


def _answers(audited: Audited, generator: str) -> Iterator[tuple[str, str]]:
    """Each question's answer for the texts of a generator: the kind of answer, and how it is written."""
    for question in audited.questions:
        of_all = evidence(audited.study, question)
        own = _of_generator(of_all, generator)
        kind = _kind(of_all, own)
        stand_in = any(use.stand_in for finding in own.leads for use in finding.scorers)
        yield kind, kind + (STAND_IN if stand_in else "")


def _of_generator(evidence_of_all: Evidence, generator: str) -> Evidence:
    """Return the evidence about one generator's texts; findings that name no generator are about every one."""
    return evidence_of_all.of(
        finding for finding in evidence_of_all.leads if finding.dims.get("generator", generator) == generator
    )


def _kind(of_all: Evidence, own: Evidence) -> str:
    if own.shown:
        return YES
    if own.doubted:
        return NOT_KNOWN
    if own.tested:
        return NOT_SHOWN
    if own.leads:
        return NO_TEST
    return NONE if of_all.leads else NOT_KNOWN
