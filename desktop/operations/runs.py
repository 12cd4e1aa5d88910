"""Runs as they are listed: the request, the facts for an estimate, and the counts of the texts written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from biasprint.core.jobs import JobContext
from biasprint.core.scorers.refusal import REFUSAL, is_refusal
from biasprint.desktop.operations.writers import same_generator
from biasprint.desktop.widgets.words import number, plural, spelled_seconds, tr

if TYPE_CHECKING:
    from biasprint.core.backends.protocol import Parameter
    from biasprint.core.machine.endpoints import Price
    from biasprint.core.project.project import Project
    from biasprint.core.project.rows import GeneratorRow, OutputRow, RunRow

IMPORTED = "imported"  # the generator of texts that came in as a table


@dataclass(frozen=True)
class WriteRequest:
    """The request of a run: the prompt set, the generator, and `parameters` in the order of their names."""

    prompt_set_id: int
    backend: str
    model: str
    seed: int
    samples: int
    parameters: "tuple[tuple[str, Parameter], ...]" = ()


@dataclass(frozen=True)
class RunLine:
    """A run as it is listed: the request it belongs to, the set's name, and its progress. `failures` by kind."""

    id: int
    request: WriteRequest
    prompt_set: str
    done: int
    failed: int
    missing: int
    study: str = ""  # its kind
    failures: Mapping[str, int] = field(default_factory=dict)
    cut: int = 0  # texts that end at the limit on tokens

    @property
    def refused(self) -> int:
        return self.failures.get(REFUSAL, 0)

    @property
    def can_go_on(self) -> bool:
        return self.request.backend != IMPORTED


BACKENDS = {"synthetic": "synthetic author", "llama_cpp": "", "written": "by hand"}  # as readers know them


def author_words(request: WriteRequest) -> str:
    """Return the generator in a few words: its endpoint or backend, its model, and the temperature if it has one.

    A model in a file is known by its own name.
    """
    given = dict(request.parameters)
    backend = tr(BACKENDS[request.backend]) if request.backend in BACKENDS else request.backend
    words = " · ".join(part for part in (str(given.get("endpoint") or backend), request.model) if part)
    temperature = given.get("temperature")
    if isinstance(temperature, int | float):
        words += tr(", temperature {t}").format(t=f"{temperature:g}")
    return words + (tr(", by likelihood") if given.get("choose") else "")


def goes_on_with(request: WriteRequest, run: RunLine) -> bool:
    """Return whether a request would continue a run, as far as that is known before the model is opened."""
    stored = run.request
    same = (stored.prompt_set_id, stored.backend, stored.model, stored.seed)
    return (request.prompt_set_id, request.backend, request.model, request.seed) == same and same_generator(
        request.backend, dict(request.parameters), dict(stored.parameters)
    )


def read_runs(ctx: JobContext, project: "Project") -> tuple[RunLine, ...]:
    """Read the project's runs, newest first, each with its counts."""
    generators, sets = project.runs.generators(), {row.id: row for row in project.prompts.sets()}
    studies = {row.id: row.kind for row in project.studies.all()}
    lines = []
    for run in reversed(project.runs.all()):
        ctx.check()
        prompt_set = sets[run.prompt_set_id]
        counts = project.runs.counts(run.id)
        name = tr("{name} v{n}").format(name=prompt_set.name, n=prompt_set.version)
        if IMPORTED in prompt_set.recipe:
            name = prompt_set.name
        request = _request(run, generators[run.generator_id])
        line = RunLine(
            run.id, request, name, counts.done, counts.failed, counts.missing, studies[run.study_id], counts.failures,
            counts.cut,
        )  # fmt: skip
        lines.append(line)
    return tuple(lines)


def _request(run: "RunRow", generator: "GeneratorRow") -> WriteRequest:
    parameters = tuple(sorted(generator.parameters.items()))
    return WriteRequest(run.prompt_set_id, generator.backend, generator.model, run.seed, run.samples, parameters)


def parameter_words(request: WriteRequest) -> str:
    """Return every parameter of a generator, one a line."""
    return "\n".join(f"{name}: {value}" for name, value in request.parameters)


# kind of failure → what to say of one, and of several
FAILURES: Mapping[str, tuple[str, str]] = {
    "timeout": ("1 took longer than its deadline.", "%n took longer than their deadline."),
    "rate_limit": ("1 was turned away: the server wanted fewer requests.",
                   "%n were turned away: the server wanted fewer requests."),
    "credit": ("1 was turned away: the account has no credit left.",
               "%n were turned away: the account has no credit left."),
    "server": ("1 met an error of the server.", "%n met an error of the server."),
    "connection": ("1 had no connection, or it broke.", "%n had no connection, or it broke."),
    "key": ("1 was refused for its key: check it under Models.",
            "%n were refused for their key: check it under Models."),
    "model": ("1 asked for a model that is unknown there.", "%n asked for a model that is unknown there."),
    "context": ("1 prompt is longer than the context.", "%n prompts are longer than the context."),
    REFUSAL: ("1 is a refusal: the model declined, or a filter held it back.",
              "%n are refusals: the model declined, or a filter held them back."),
    "empty": ("1 reply had no text.", "%n replies had no text."),
    "cut": ("1 reached the limit on tokens before any text.", "%n reached the limit on tokens before any text."),
    "rejected": ("1 request was not accepted by the server.", "%n requests were not accepted by the server."),
    "redirect": ("1 was sent elsewhere, and redirects are not followed: check the address.",
                 "%n were sent elsewhere, and redirects are not followed: check the address."),
    "too_large": ("1 reply was larger than is taken.", "%n replies were larger than is taken."),
    "bad_reply": ("1 reply was not in the promised form.", "%n replies were not in the promised form."),
    "parameters": ("1 prompt lacks what this generator needs.", "%n prompts lack what this generator needs."),
}  # fmt: skip
_OTHER = ("1 failed for another reason.", "%n failed for another reason.")


def failure_words(kind: str, count: int) -> str:
    """Return a sentence on the failures of a kind."""
    kind = "rejected" if kind == "refused" else kind  # as earlier versions stored it
    return plural(count, *FAILURES.get(kind, _OTHER))


def run_words(run: RunLine) -> str:
    """Return the state of a run that no job is working on, in a word or two."""
    if not run.can_go_on:
        return tr("imported")
    parts = [tr("{n} to write").format(n=number(run.missing))] if run.missing else []
    parts += without_text(run.failed, run.refused)
    return ", ".join([*(parts or [tr("done")]), *cut_off(run.cut)])


def without_text(failed: int, refused: int) -> list[str]:
    """Return how many outputs are refusals and how many failed, in words. `failed`: refusals among them."""
    parts = [plural(refused, "1 refused", "%n refused")] if refused else []
    return parts + ([plural(failed - refused, "1 failed", "%n failed")] if failed > refused else [])


def cut_off(cut: int) -> list[str]:
    return [plural(cut, "1 cut off", "%n cut off")] if cut else []


def cut_sentence(cut: int) -> str:
    """Return a sentence on texts that end at the limit on tokens."""
    return plural(
        cut,
        "1 text was cut off at the limit on tokens: its length is not compared.",
        "%n texts were cut off at the limit on tokens: their length is not compared.",
    )


AT_ONCE = 50  # texts; a letter takes about 15 ms
COMPLETION = "completion"
LETTERS = "letters"  # alone has a rule for what is off task


@dataclass(frozen=True)
class Tally:
    """Counts by kind over the `texts` looked at, the last of which has the id `last`."""

    last: int = 0
    texts: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)


def add_to_tally(ctx: JobContext, project: "Project", run_id: int, study: str, before: Tally) -> tuple[Tally, bool]:
    """Return the tally with the run's next texts added, and whether there may be more. Texts are not changed.

    For replies of the completion study it counts those that name no option, or two. For all other texts it applies the
    rules of the success scorer, which runs in the compute process and loads its sentence splitter there.
    """
    from biasprint.core.project.stores.runs import OutputFilter

    where = OutputFilter(run_id=run_id, status="done")
    rows = project.outputs.page(before.last, AT_ONCE, where)
    if not rows:
        return before, False
    counts = dict(before.counts)
    for kind in _replies(rows) if study == COMPLETION else _texts(ctx, rows):
        if kind:
            counts[kind] = counts.get(kind, 0) + 1
    return replace(before, last=rows[-1].id, texts=before.texts + len(rows), counts=counts), len(rows) == AT_ONCE


def _replies(rows: "Sequence[OutputRow]") -> list[str]:
    from biasprint.core.runs.writing import OPTIONS
    from biasprint.core.studies.completion.table import chosen_option

    kinds = []
    for row in rows:
        if chosen_option(row.text, [row.fields.get(option, "") for option in OPTIONS]) is not None:
            kinds.append("")
        elif not row.text.strip():
            kinds.append("empty")
        else:
            kinds.append("refusal" if is_refusal(row.text) else "off task")
    return kinds


def _texts(ctx: JobContext, rows: "Sequence[OutputRow]") -> list[str]:
    from biasprint.core import compute
    from biasprint.core.scorers.document_success import Outcome, of_document
    from biasprint.core.scorers.registry import score_batch

    _, values = compute.shared().call(
        score_batch, "document_success", [row.text for row in rows], ctx=ctx, on_report=_quiet
    )
    # A task of another study is no document: nothing is off task there.
    outcomes = [of_document(scored.values.tolist(), row.task) for scored, row in zip(values, rows, strict=True)]
    return ["" if outcome is Outcome.SUCCESS else outcome.words for outcome in outcomes]


def _quiet(done: int, total: int | None, note: str) -> None:
    """Return a context without progress of its own: the counts themselves are shown."""


_WORDS: Mapping[str, tuple[str, str]] = {
    REFUSAL: ("1 refusal", "%n refusals"),
    "empty": ("1 empty", "%n empty"),
    "repetitive": ("1 repetitive", "%n repetitive"),
    "off task": ("1 off task", "%n off task"),
}


def tally_words(tally: Tally, study: str) -> str:
    """Return the counts in a sentence, with zeros for the kinds that were looked for."""
    if not tally.texts:
        return ""
    kinds = [kind for kind in _WORDS if tally.counts.get(kind) or _looked_for(kind, study)]
    counted = ", ".join(plural(tally.counts.get(kind, 0), *_WORDS[kind]) for kind in kinds)
    return tr("{found}, of {texts} looked at.").format(
        found=counted, texts=plural(tally.texts, "1 text", "%n texts")
    )  # fmt: skip


def _looked_for(kind: str, study: str) -> bool:
    if kind == "off task":
        return study in (LETTERS, COMPLETION)
    return kind != "repetitive" or study != COMPLETION


HOW = (
    "Counted by rules as the texts come, for a first look: a short text that declines near its beginning, one without "
    "a word, one that repeats itself; in letters also one in which nobody recommends, in replies one that names no "
    "option or two. No text is left out because of it."
)


MOST_TIMED = 200  # texts of the newest run whose seconds are averaged
PAGE = 200
CENT = 0.01


@dataclass(frozen=True)
class PromptSetSize:
    """The size of a prompt set: its number of prompts, and about how many tokens they have.

    `seconds` a text, over `timed` texts that this model wrote for this project before; None where it wrote none.
    """

    prompts: int
    tokens: int
    seconds: float | None
    timed: int


@dataclass(frozen=True)
class Plan:
    """The facts that the estimate is for. `price` None: not given. `writes` False where options are only weighed.

    `speaks_tokens`: the generator reads and writes tokens. `charged`: it may cost money.
    """

    missing: int
    longest: int | None
    system: str
    price: "Price | None"
    at_once: int
    speaks_tokens: bool
    charged: bool
    writes: bool = True


@dataclass(frozen=True)
class RunEstimate:
    words: str
    how: str


def read_facts(
    ctx: JobContext,
    project: "Project",
    prompt_set_id: int,
    backend: str,
    model: str,
    counted: tuple[int, int] | None = None,
) -> PromptSetSize:
    """Count a prompt set's tokens as `biasprint.core.machine.endpoints` does, and look up the model's speed.

    `counted`: its prompts and tokens if known already, since a set never changes.
    """
    prompts, tokens = counted or _count(ctx, project, prompt_set_id)
    return PromptSetSize(prompts, tokens, *_speed(ctx, project, backend, model))


def _count(ctx: JobContext, project: "Project", prompt_set_id: int) -> tuple[int, int]:
    from biasprint.core.machine.endpoints import rough_tokens

    prompts = tokens = after = 0
    while page := project.prompts.page(prompt_set_id, after, PAGE):
        ctx.check()
        prompts += len(page)
        tokens += sum(rough_tokens(prompt.text) for prompt in page)
        after = page[-1].id
    return prompts, tokens


def _speed(ctx: JobContext, project: "Project", backend: str, model: str) -> tuple[float | None, int]:
    """Return the seconds a text, from the newest run of the model that has texts."""
    from biasprint.core.project.stores.runs import OutputFilter

    generators = project.runs.generators()
    for run in reversed(project.runs.all()):
        ctx.check()
        generator = generators[run.generator_id]
        if (generator.backend, generator.model) != (backend, model) or backend == IMPORTED:
            continue
        rows = project.outputs.page(0, MOST_TIMED, OutputFilter(run_id=run.id, status="done"))
        # Of texts that came with a sample or an import nobody knows how long they took.
        if seconds := [row.seconds for row in rows if row.seconds]:
            return sum(seconds) / len(seconds), len(seconds)
    return None, 0


def estimated(facts: PromptSetSize, plan: Plan) -> RunEstimate | None:
    """Return the estimate in words, and how it was made; None where nothing can be estimated.

    tokens read = missing × (tokens of the set / prompts + tokens of the system prompt); written at most missing ×
    longest; cost by `biasprint.core.machine.endpoints.cost`; time = missing × seconds a text / requests at once.
    """
    from biasprint.core.machine.endpoints import CHARACTERS_PER_TOKEN, rough_tokens

    if not plan.missing or not facts.prompts:
        return None
    words, how = [], []
    if plan.speaks_tokens:
        read = round(plan.missing * (facts.tokens / facts.prompts + rough_tokens(plan.system)))
        words.append(_token_words(read, plan))
        how.append(
            tr("Tokens are a rough count: one for every {n} Latin characters and one for every other letter or sign. "
               "The model's own count differs, often by a fifth or more. Texts count as if each were as long as it may "
               "be.").format(n=f"{CHARACTERS_PER_TOKEN:g}")
        )  # fmt: skip
        if plan.charged and plan.writes:
            words.append(_cost_words(read, plan))
            how.append(tr("Money is counted with the prices that you gave under Models; the program knows none."))
    if facts.seconds is not None:
        seconds = plan.missing * facts.seconds / plan.at_once
        about = tr("About {time}.").format(time=spelled_seconds(seconds))
        words.append(about if seconds >= 1 else tr("Less than a second."))
        how.append(tr("Time is by the last texts of this model in this project: {s} s each, over {n}.").format(
            s=number(facts.seconds, 1 if facts.seconds >= 1 else 3), n=number(facts.timed)))  # fmt: skip
        if plan.at_once > 1:
            how.append(tr("{n} are asked for at once.").format(n=number(plan.at_once)))
    return RunEstimate(" ".join(words), " ".join(how)) if words else None


def _token_words(read: int, plan: Plan) -> str:
    if not plan.writes:
        return tr("About {read} tokens to read; nothing is written.").format(read=number(read))
    if plan.longest is None:
        return tr("About {read} tokens to read; how many are written is not known without a longest text.").format(
            read=number(read)
        )
    return tr("About {read} tokens to read, at most {written} to write.").format(
        read=number(read), written=number(plan.missing * plan.longest)
    )


def _cost_words(read: int, plan: Plan) -> str:
    from biasprint.core.machine.endpoints import cost

    if plan.price is None:
        return tr("What it costs is not known: no price is given for this model.")
    if plan.longest is None:
        return tr("What it costs cannot be told without a longest text.")
    amount = cost([{"prompt": read, "completion": plan.missing * plan.longest}], plan.price).amount
    if 0 < amount < CENT:
        return tr("Less than {amount} {currency}.").format(amount=number(CENT, 2), currency=plan.price.currency)
    return tr("At most about {amount} {currency}.").format(amount=number(amount, 2), currency=plan.price.currency)
