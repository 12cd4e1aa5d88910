"""Projects small enough to count by hand, for the tests of drawing comparisons."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inline_compute import Inline

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec, SourceSpec
from biasprint.core.prompts import load_axis
from biasprint.core.runs.compare import ComparedPlan, compare
from biasprint.core.studies.kit.importing import store_axis

NAMES = {"male": "Joseph", "female": "Kelly"}
HE = {"He": "He", "he": "he", "his": "his", "him": "him"}
SHE = {"He": "She", "he": "she", "his": "her", "him": "her"}
LETTER = "I recommend {name} Lee. {He} is a {job}, and {his} work is good. We trust {him}. Number {number}."


class Writing:
    """A project that texts are put into, one call for each kind of text."""

    def __init__(self, path: Path) -> None:
        self.project = Project.create(path)
        self._sets = 0

    def study(self, kind: str) -> int:
        found = self.project.studies.of_kind(kind)
        return found.id if found else self.project.studies.add(kind, kind.capitalize()).number("study")

    def write(
        self,
        kind: str,
        prompts: Sequence[PromptSpec],
        texts: Mapping[str, str],
        *,
        model: str = "one",
        parameters: Mapping[str, Any] | None = None,
        samples: int = 1,
        seed: int = 1,
    ) -> None:
        """A run that writes `texts` (by prompt key; several samples get a number); a prompt without one failed."""
        project, study = self.project, self.study(kind)
        spec = PromptSetSpec(name="set", recipe={"of": [prompt.key for prompt in prompts]}, prompts=tuple(prompts))
        set_id = project.prompts.add_set(study, spec).number("prompt_set")
        generator = GeneratorSpec(backend="b", model=model, parameters=dict(parameters or {}))
        generator_id = project.runs.add_generator(generator).number("generator")
        run = RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator_id, seed=seed, samples=samples)
        run_id = project.runs.start(run).number("run")
        ids = project.prompts.by_key(set_id, [prompt.key for prompt in prompts])
        rows = []
        for prompt in prompts:
            for sample in range(samples):
                text = texts.get(prompt.key, "")
                rows.append(
                    OutputSpec(
                        run_id=run_id, prompt_id=ids[prompt.key], sample=sample, seed=0,
                        text=f"{text} {sample}" if text and samples > 1 else text,
                        status="done" if text else "error",
                    )
                )  # fmt: skip
        project.outputs.record_many(rows)

    def draw(self, study: str, /, **asked: Any) -> ComparedPlan:
        return compare(JobContext(), self.project, study_id=self.study(study), compute=Inline(), **asked)  # type: ignore[arg-type]

    def texts(self, drawn: ComparedPlan) -> list[list[str]]:
        """The texts of each stored comparison, in the order of its items."""
        rows = self.project.judging.comparisons(drawn.plan_id)
        return [list(self.project.texts([item.key for item in row.items]).values()) for row in rows]


def letter_prompts(jobs: Sequence[str], *, names: Mapping[str, Sequence[str]] | None = None) -> list[PromptSpec]:
    return [
        PromptSpec(
            key=f"letters/{job}/{group}/{name}", text=f"A letter for {name}, a {job}.", task="letter", axis="gender",
            identity=group,
            fields={"name": name, "occupation": job, "group": group, "block": f"{job}/20",
                    "pronouns": "he" if group == "male" else "she"},
        )
        for job in jobs
        for group, given in (names or {group: [name] for group, name in NAMES.items()}).items()
        for name in given
    ]  # fmt: skip


def letter_texts(prompts: Sequence[PromptSpec]) -> dict[str, str]:
    return {
        prompt.key: LETTER.format(
            name=prompt.fields["name"], job=prompt.fields["occupation"], number=number,
            **(HE if prompt.fields["pronouns"] == "he" else SHE),
        )
        for number, prompt in enumerate(prompts)
    }  # fmt: skip


def letters(writing: Writing, jobs: Sequence[str] = ("chef", "dancer", "writer", "artist")) -> None:
    store_axis(writing.project, load_axis("letters_gender"))
    prompts = letter_prompts(jobs)
    writing.write("letters", prompts, letter_texts(prompts))


def haikus(writing: Writing, model: str, **options: Any) -> None:
    """Haikus without an identity and for three, by one model."""
    store_axis(writing.project, load_axis("gender"))
    prompts = [
        PromptSpec(
            key=f"haiku/{theme}/{identity}", text=f"A haiku, {theme}, {identity}", task="haiku", theme=theme,
            axis="" if identity == "default" else "gender", identity=identity,
        )
        for theme in ("stars", "rain")
        for identity in ("default", "man", "woman", "non-binary")
    ]  # fmt: skip
    texts = {prompt.key: f"{prompt.key} by {model} {options}" for prompt in prompts}
    writing.write("creativity", prompts, texts, model=model, **options)


def articles(writing: Writing, headlines: Sequence[str], *, model: str = "one", kind: str = "unbiased") -> None:
    prompts = [
        PromptSpec(
            key=f"news/{kind}/{headline}", text=headline, task="news", theme="sports",
            fields={"headline": headline, "domain": "sports", "prompt_kind": kind},
        )
        for headline in headlines
    ]  # fmt: skip
    writing.write(
        "news", prompts, {one.key: f"{model} wrote, {kind}: {one.fields['headline']}" for one in prompts}, model=model
    )


def originals(writing: Writing, headlines: Sequence[str]) -> None:
    specs = [
        SourceSpec(
            kind="original",
            origin="paper.csv",
            row=row,
            text=f"Somebody wrote: {headline}",
            fields={"headline": headline},
        )
        for row, headline in enumerate(headlines)
    ]
    writing.project.sources.add_many(writing.study("news"), specs)


def imported_letters(writing: Writing, rows: Sequence[Mapping[str, str]]) -> None:
    specs = [
        SourceSpec(
            kind="letter", origin="letters.csv", row=row, text=fields["text"],
            fields={name: value for name, value in fields.items() if name != "text"},
        )
        for row, fields in enumerate(rows)
    ]  # fmt: skip
    writing.project.sources.add_many(writing.study("letters"), specs)
