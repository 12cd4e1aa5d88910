"""What a run may use before it is begun: tokens, money by the user's own prices, and time at the speed known here."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.jobs import JobContext
from desktop.operations.generating_runs import IMPORTED
from desktop.widgets.words import number, spelled_seconds, tr

if TYPE_CHECKING:
    from core.machine.prices import Price
    from core.project.project import Project

MOST_TIMED = 200  # texts of the newest run whose seconds are averaged
PAGE = 200
CENT = 0.01


@dataclass(frozen=True)
class Facts:
    """Of a prompt set: how many prompts, and about how many tokens they have. `seconds` a text, over `timed` texts
    that this model wrote for this project before; None where it wrote none.
    """

    prompts: int
    tokens: int
    seconds: float | None
    timed: int


@dataclass(frozen=True)
class Plan:
    """What the estimate is for. `price` None: nobody has given one. `writes` False where options are only weighed.

    `speaks_tokens`: whether the generator reads and writes tokens at all. `charged`: whether it may cost money.
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
class Estimate:
    words: str
    how: str


def read_facts(
    ctx: JobContext,
    project: "Project",
    prompt_set_id: int,
    backend: str,
    model: str,
    counted: tuple[int, int] | None = None,
) -> Facts:
    """Count a prompt set's tokens as `core.machine.prices` does, and look up how fast the model was.

    `counted`: its prompts and tokens where they are known, for a set never changes.
    """
    prompts, tokens = counted or _count(ctx, project, prompt_set_id)
    return Facts(prompts, tokens, *_speed(ctx, project, backend, model))


def _count(ctx: JobContext, project: "Project", prompt_set_id: int) -> tuple[int, int]:
    from core.machine.prices import rough_tokens

    prompts = tokens = after = 0
    while page := project.prompts.page(prompt_set_id, after, PAGE):
        ctx.check()
        prompts += len(page)
        tokens += sum(rough_tokens(prompt.text) for prompt in page)
        after = page[-1].id
    return prompts, tokens


def _speed(ctx: JobContext, project: "Project", backend: str, model: str) -> tuple[float | None, int]:
    """Seconds a text, from the newest run of the model that has texts."""
    from core.project.stores.runs import OutputFilter

    generators = project.runs.generators()
    for run in reversed(project.runs.all()):
        ctx.check()
        generator = generators[run.generator_id]
        if (generator.backend, generator.model) != (backend, model) or backend == IMPORTED:
            continue
        rows = project.outputs.page(0, MOST_TIMED, OutputFilter(run_id=run.id, status="done"))
        if rows:
            return sum(row.seconds for row in rows) / len(rows), len(rows)
    return None, 0


def estimated(facts: Facts, plan: Plan) -> Estimate | None:
    """The estimate in words, and how it was made; None where there is nothing to say.

    tokens read = missing × (tokens of the set / prompts + tokens of the system prompt); written at most missing ×
    longest; cost by `core.machine.prices.cost`; time = missing × seconds a text / requests at once.
    """
    from core.machine.prices import CHARACTERS_PER_TOKEN, rough_tokens

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
    return Estimate(" ".join(words), " ".join(how)) if words else None


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
    from core.machine.prices import cost

    if plan.price is None:
        return tr("What it costs is not known: no price is given for this model.")
    if plan.longest is None:
        return tr("What it costs cannot be told without a longest text.")
    amount = cost([{"prompt": read, "completion": plan.missing * plan.longest}], plan.price).amount
    if 0 < amount < CENT:
        return tr("Less than {amount} {currency}.").format(amount=number(CENT, 2), currency=plan.price.currency)
    return tr("At most about {amount} {currency}.").format(amount=number(amount, 2), currency=plan.price.currency)
