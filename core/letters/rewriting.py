"""A letter and its twin rewritten by a generator from the candidate's context, and both read."""

from dataclasses import replace

from biasprint.core.backends.protocol import Request, output_seed
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.pile import group_of
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.twins import swapped_context
from biasprint.core.letters.values import Document, Generator, TwinDifference, figure_differences
from biasprint.core.prompts.letters import LETTER, letter_design
from biasprint.core.prompts.template import Template
from biasprint.core.runs.generate import answers_to, sampling
from biasprint.core.studies.letters.biographies import WORDS, paragraphs, sampled
from biasprint.core.swap import Person

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


def prompt_for(person: Person, context: str, occupation: str) -> str:
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
        prompt=prompt_for(person, context.text, occupation),
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
