"""A language model's own reading of a letter, beside the program's: passages in a fixed format, found in the text.

The model is asked for one line for each passage, `category | words of the letter | reason`, and END. What is no such
line, of no category, or is not in the letter's body is left out and counted. The format and the prompt are in
docs/reference/model-reading.md, so that others can measure their model.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from biasprint.core.backends.protocol import Request, output_seed
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.pile import group_of
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import Generator, ModelReading, ReadingRequest
from biasprint.core.letters.twins import swapped_context
from biasprint.core.letters.values import (
    CATEGORIES,
    Category,
    Document,
    Mark,
    Reading,
    Sentence,
    TwinDifference,
    figure_differences,
)
from biasprint.core.prompts.letters import LETTER, letter_design
from biasprint.core.prompts.template import Template
from biasprint.core.runs.generate import answers_to, sampling
from biasprint.core.studies.letters.biographies import WORDS, paragraphs, sampled
from biasprint.core.swap import Person
from biasprint.core.text import sha256_text

END = "END"
NOT_A_LINE, NO_CATEGORY, NOT_IN_LETTER, TWICE = (
    "not in the format", "of no category", "not in the letter's text", "named twice",
)  # fmt: skip
MOST_TOKENS = 900  # of a reply: some forty lines
SEED = 0

MEANINGS: Mapping[Category, str] = {
    "agentic": "drive and leadership",
    "communal": "warmth and care for others",
    "standout": "sets the candidate above others",
    "ability": "talent and skill",
    "grindstone": "effort and diligence",
    "doubt": "faint praise, a hedge, or a hint at a weakness",
    "personal_life": "life outside work",
    "gender": "says the candidate's gender beyond name and pronouns",
    "age": "how old or young the candidate is",
    "family": "marriage, children, relatives",
    "appearance": "looks and dress",
    "health": "illness, disability, fitness",
    "origin": "nationality, ethnicity, religion, class, accent",
}
PROMPT = """\
You read letters of reference. Find the passages that say something about the candidate in one of these ways:
{meanings}

Write one line for each passage: category | the words, copied from the letter | why, in a few words. Copy at most \
eight words. Leave out what is said of anybody or anything else. After the last line write {end}.

An example.
Letter: Peter Lund is a gifted tailor. At 61 he still learns quickly. He seems to be reliable, and he never complains \
about his bad hip.
Lines:
ability | a gifted tailor | he has talent
age | At 61 | tells his age
doubt | seems to be reliable | weakens the praise
health | his bad hip | tells of an ailment
{end}

Now this letter.
Letter: {letter}
Lines:
"""


def read_by_model(ctx: JobContext, reading: Reading, models: ComputeProcess, generator: Generator) -> ModelReading:
    """Have a language model read the body of a letter that was read already.

    Raises `UsageError` where there is nothing to read, `AppError` where the model answers nothing.
    """
    body = [sentence for sentence in reading.sentences if sentence.part == "body"]
    if reading.stopped or not body:
        raise UsageError("There is no letter that a model could read.", kept="Nothing was sent.")
    prompt = prompt_for("\n".join(sentence.text for sentence in body))
    parameters = {"temperature": 0.0, "max_tokens": MOST_TOKENS, **generator.parameters}
    request = Request(key="letter/reading", prompt=prompt, seed=SEED, **sampling(parameters))
    about = (generator.backend, generator.model, parameters)
    (completion,) = answers_to(ctx, models, about, [request], generator.keys, _not_read)
    marks, left_out = passages_of_reply(completion.text, body)
    made_by = f"{generator.model or generator.backend} ({generator.backend})"
    return ModelReading(made_by, marks, left_out, completion.text, completion.finish_reason, sha256_text(prompt))


def prompt_for(letter: str) -> str:
    """Return the prompt for a letter's body."""
    meanings = "; ".join(f"{category} ({meaning})" for category, meaning in MEANINGS.items())
    return PROMPT.format(meanings=meanings, end=END, letter=letter)


def passages_of_reply(reply: str, body: Sequence[Sentence]) -> tuple[tuple[Mark, ...], dict[str, int]]:
    """Return the passages of a reply that the letter has, by place, and how many lines were left out, and why."""
    marks: dict[tuple[str, int, int], Mark] = {}
    left_out: Counter[str] = Counter()
    for line in _lines(reply):
        fields = [field.strip() for field in line.split("|")]
        if len(fields) < 2 or not fields[1]:
            left_out[NOT_A_LINE] += 1
            continue
        category = _CATEGORY.sub("_", fields[0].lower().strip("*- .0123456789"))
        if category not in CATEGORIES:
            left_out[NO_CATEGORY] += 1
            continue
        reason = " ".join(" ".join(fields[2:]).split())
        places = [place for place in _places(fields[1], body) if (category, *place[1:]) not in marks]
        if not places:
            named = any(True for _ in _places(fields[1], body))
            left_out[TWICE if named else NOT_IN_LETTER] += 1
            continue
        sentence, start, end = places[0]
        marks[category, start, end] = _mark(category, sentence, start, end, reason)
    ordered = sorted(marks.values(), key=lambda mark: (mark.start, -mark.end))
    return tuple(ordered), dict(left_out)


_CATEGORY = re.compile(r"[\s-]+")
_FENCE = re.compile(r"^`{3}\w*$")
_HEAD = re.compile(r"^category\s*\|", re.IGNORECASE)
_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-"})


def _lines(reply: str) -> Iterator[str]:
    for line in map(str.strip, reply.splitlines()):
        if line.rstrip(".") == END:
            return
        if line and not _FENCE.match(line) and not _HEAD.match(line) and set(line) - set("|-: "):
            yield line.strip("|").strip() if line.startswith("|") else line


def _places(words: str, body: Sequence[Sentence]) -> Iterator[tuple[Sentence, int, int]]:
    """Yield the places in the letter that have the words, whatever their blanks, capitals and kinds of quotes."""
    wanted = words.translate(_QUOTES).strip(" \"'.…,;:")
    if not wanted:
        return
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, wanted.split())) + r"(?!\w)", re.IGNORECASE)
    for sentence in body:
        for match in pattern.finditer(sentence.text.translate(_QUOTES)):
            yield sentence, sentence.start + match.start(), sentence.start + match.end()


def _mark(category: str, sentence: Sentence, start: int, end: int, reason: str) -> Mark:
    known = next(key for key in CATEGORIES if key == category)
    words = sentence.text[start - sentence.start : end - sentence.start]
    return Mark(known, start, end, sentence.index, words, reason, "", passage=True)


def _not_read(why: str) -> AppError:
    return AppError(
        f"The model could not read the letter: {why}",
        kept="The program's own reading is there.",
        hint="Choose another model, or try again.",
    )


# ---- A letter and its twin rewritten by a generator from the candidate's context, and both read

PLACEHOLDERS = ("name", "occupation", "biography")


def regenerate_twin(
    ctx: JobContext,
    other: Person,
    compute: ComputeProcess,
    models: ComputeProcess,
    generator: Generator,
    request: ReadingRequest,
    *,
    seed: int = 0,
) -> TwinDifference:
    """A letter for the request's person and one for `other`, both by `generator`, both read; and their differences.

    Both are written from the request's context, for its occupation. The context is cut to some paragraphs, as the
    context-based prompts do, and swapped for the twin; each letter is read beside its own context. Raises `UsageError`
    where the context, a name or the occupation is missing, `AppError` where a letter could not be written.
    """
    context, person, occupation = request.context, request.person or Person(), request.occupation or ""
    if context is None:
        raise UsageError("A letter is rewritten from a CV, and there is none.", hint="Add the CV.")
    _check(person, other, occupation)
    text = "\n\n".join(sampled(paragraphs(context.text), WORDS, seed))
    short = Document(context.name, context.kind, tuple(text.split("\n\n")), context.pages)
    swapped = compute.call(swapped_context, short, person, other, ctx=ctx)
    sides = ((person, short), (other, swapped))
    requests = [_request(letter, about, occupation, generator, seed) for letter, about in sides]
    about = (generator.backend, generator.model, generator.parameters)
    written = answers_to(ctx, models, about, requests, generator.keys, _not_written)
    readings = []
    for letter, (who, own_context) in zip(written, sides, strict=True):
        own = replace(request, context=own_context, parts=None, person=who).narrowed()
        readings.append(compute.call(read_letter, _document(letter.text, who), own, ctx=ctx))
    made_by = f"{generator.model or generator.backend} ({generator.backend})"
    caveat = (
        f"Both letters were written by {made_by} from the same context. One letter for each shows nothing by itself: "
        "letters from the very same prompt differ too. Many are compared in an audit of letters.",
    )
    return TwinDifference(
        person, other, readings[0], readings[1], figure_differences(*readings), (), 0, caveat, made_by=made_by
    )


def letter_prompt(person: Person, context: str, occupation: str) -> str:
    """The context-based prompt of the letters study (Wan et al., appendix C)."""
    written = letter_design().document(LETTER).context_based
    template = Template(written).require(known=PLACEHOLDERS, needed=PLACEHOLDERS)
    return template.fill(name=person.full_name, occupation=occupation, biography=context)


def _request(person: Person, context: Document, occupation: str, generator: Generator, seed: int) -> Request:
    key = "letter_context/twin"  # the same for both, so that chance is the same where a backend allows that
    group = group_of(person.pronoun)
    fields = {
        "task": LETTER, "theme": "", "axis": "gender", "identity": group, "group": group, "name": person.full_name,
        "occupation": occupation, "pronouns": person.pronoun, "context": context.text,
    }  # fmt: skip
    return Request(
        key=key,
        prompt=letter_prompt(person, context.text, occupation),
        seed=output_seed(seed, key, 0),
        fields=fields,
        **sampling(generator.parameters),
    )


def _not_written(why: str) -> AppError:
    return AppError(f"A letter could not be written: {why}", hint="Choose another generator, or try again.")


def _document(text: str, person: Person) -> Document:
    pasted = read_pasted(text)
    return Document(f"Written for {person.full_name}", pasted.kind, pasted.paragraphs)


def _check(person: Person, other: Person, occupation: str) -> None:
    if not person.full_name or not other.full_name:
        raise UsageError("A letter is written for somebody by name.", hint="Give both names.")
    if not person.pronoun or not other.pronoun:
        raise UsageError("The context cannot be swapped without pronouns.", hint="Give both pronouns.")
    if not occupation.strip():
        raise UsageError("A letter is written for an occupation.", hint="Give the occupation.")
