"""The sample's real part: what one language model wrote, chose and judged, once, and how it comes into the sample.

Its letters and judgments are asked for here by the jobs that everybody's runs go through (`ask`, see
docs/make_real_outputs.py) and kept in the folder `rows`; the rest is taken from the replications of the four studies.
`add_real` puts all of it into a project, so that the sample is made without the model.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from biasprint.core.backends.protocol import Completion, output_seed
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models import catalogue
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec
from biasprint.core.prompts import PromptSetDraft, cogs_set, letters_context_less_set
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.judge import ModelSession, judge
from biasprint.core.runs.sample import MODEL
from biasprint.core.runs.setup import draft_prompts, generator_spec, store_set
from biasprint.core.runs.writing import BUILD
from biasprint.core.studies.completion.prompts import completion_set
from biasprint.core.studies.kit.choice import PromptChoice
from biasprint.core.studies.news.prompts import Headline, news_set
from sample_making.rows import Row, check_whole, outputs_of, read_rows

BACKEND = "llama_cpp"
SEED = 2026
NAMES = 6  # for each group
HEADLINES = 20
LETTERS, JUDGING = "letters", "judging"
ASKED = (LETTERS, JUDGING)
DOCS = Path(__file__).parent.parent
ROWS = Path(__file__).with_name("rows")
REPLICATIONS = DOCS / "replications"
EXAMPLES = DOCS.parent / "resources" / "examples"


@dataclass(frozen=True)
class RealPart:
    """The prompts of a study that the model was asked, how many outputs each has, and the folder with their rows."""

    study: str
    draft: Callable[[], PromptSetDraft]
    samples: int = 1
    folder: Path = REPLICATIONS

    @property
    def file(self) -> Path:
        return self.folder / f"{self.study}.jsonl.gz"


def letters() -> PromptSetDraft:
    """The 120 context-less prompts with six names for each group, one in each prompt."""
    return letters_context_less_set(names_per_group=NAMES, in_turn=True)


def choices() -> PromptSetDraft:
    """One domain in one direction: 912 items."""
    return completion_set(["beauty_profession"], directions=["SAI"])


def creative() -> PromptSetDraft:
    """Gender over all themes, in the task with the shortest texts."""
    return cogs_set(["haiku"], None, ["gender"])


def news() -> PromptSetDraft:
    """The first headlines of the replication with their originals, asked for plainly and with the paper's ideology."""
    whole = draft_prompts(
        JobContext(), None, "news", PromptChoice(headlines=EXAMPLES / "news.jsonl", ideology=IDEOLOGY)
    )
    some = [Headline(each.headline, each.domain, each.text) for each in islice(whole.originals, HEADLINES)]
    return news_set(some, ideology=IDEOLOGY, origin="news.jsonl")


IDEOLOGY = "Androcentrism"
PARTS: Mapping[str, RealPart] = {
    LETTERS: RealPart("letters", letters, 3, ROWS),
    "completion": RealPart("completion", choices),
    "creativity": RealPart("creativity", creative),
    "news": RealPart("news", news),
}


# ---- Asking the model, and what came back as rows


def ask(ctx: JobContext, project: Project, name: str, compute: ComputeProcess) -> None:
    """Have the model write the letters or judge what it has not yet, by what the catalogue recommends for it."""
    recommended = catalogue.preset(MODEL, name)
    if recommended is None:
        raise AppError(f"The catalogue recommends nothing for {MODEL} and {name}.")
    generator = generator_spec(BACKEND, MODEL, recommended.parameters, compute, ctx=ctx)
    if name == JUDGING:
        judge(ctx, project, project.judging.plans()[0].id, generator, compute, seed=SEED)
        return
    generate(ctx, project, _start(project, PARTS[name], generator, SEED), compute)


def rows_of(project: Project, name: str) -> list[Row]:
    """The recipe, and a row for each output or reply. Raises `AppError` where some are missing."""
    return _replies(project) if name == JUDGING else outputs_of(project, PARTS[name].study, MODEL)


def _start(project: Project, part: RealPart, generator: GeneratorSpec, seed: int) -> int:
    prompts = store_set(project, part.study, part.draft())
    return start_run(project, prompt_set_id=prompts.set_id, generator=generator, seed=seed, samples=part.samples)


def _replies(project: Project) -> list[Row]:
    """What the model said to each comparison in each order of its cards."""
    rater = next(row for row in project.judging.raters() if row.kind == "model")
    spec = GeneratorSpec(**rater.background["generator"])
    session = ModelSession.open(project, project.judging.plans()[0].id, spec, SEED)
    check_whole(session.wanted - session.answered)
    replies = [
        {
            "comparison": ask.comparison.position, "shown": list(ask.shown), "text": said.detail["reply"],
            "ended": said.detail["finish_reason"],
        }
        for ask in session.asks()
        if (said := session.said[ask.comparison.id, ask.shown])
    ]  # fmt: skip
    return [{**rater.background, "texts": len(replies)}, *replies]


# ---- Kept rows into a project


def rows_kept(name: str) -> list[Row]:
    """The rows of a part, or of the judgments, as they are kept: the recipe first."""
    return read_rows(ROWS / f"{JUDGING}.jsonl.gz" if name == JUDGING else PARTS[name].file)


def add_real(project: Project) -> None:
    """Everything that the model wrote, chose and judged, with its recipes, into a project with the plan."""
    for name, part in PARTS.items():
        _add_outputs(project, part, rows_kept(name))
    _add_replies(project, rows_kept(JUDGING))


def _add_outputs(project: Project, part: RealPart, rows: list[Row]) -> None:
    """Add the outputs that answer the part's prompts; the replication may have answered more."""
    recipe, *outputs = rows
    run = project.runs.get(_start(project, part, GeneratorSpec(**recipe["generator"]), recipe["seed"]))
    ids = {row.key: row.id for row in project.prompts.page(run.prompt_set_id, limit=len(outputs) + 1)}
    answers = [row for row in outputs if row["key"] in ids]
    if len(answers) != len(ids) * part.samples:
        raise AppError(
            f"The prompts of {part.study} are no longer those that the kept outputs answer.",
            kept="Nothing was changed.",
            hint="Ask the model again: docs/make_real_outputs.py and docs/make_replications.py",
        )
    (build,) = recipe["builds"]
    project.outputs.record_many(
        [
            OutputSpec(
                run_id=run.id, prompt_id=ids[row["key"]], sample=row["sample"],
                seed=output_seed(recipe["seed"], row["key"], row["sample"]), text=row["text"],
                finish_reason=row["ended"], status="error" if "error" in row else "done",
                error=row.get("error", ""), failure=row.get("failure", ""),
                detail={**row.get("detail", {}), BUILD: build},
            )
            for row in answers
        ]
    )  # fmt: skip


def _add_replies(project: Project, rows: list[Row]) -> None:
    recipe, *replies = rows
    plan = project.judging.plans()[0]
    session = ModelSession.open(project, plan.id, GeneratorSpec(**recipe["generator"]), recipe["seed"])
    said = {(row["comparison"], tuple(row["shown"])): row for row in replies}
    for ask in session.asks():
        row = said[ask.comparison.position, tuple(ask.shown)]
        texts = project.texts(ask.texts)
        session.record(ask, Completion(row["text"], row["ended"]), [texts[key] for key in ask.texts])
    session.close()
