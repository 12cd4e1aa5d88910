"""Large projects for benchmarks, filled through plain SQL because only reading and choosing is measured."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from biasprint.core.judging.plan import texts_digest
from biasprint.core.project.checksums import keep_checksums
from biasprint.core.project.connection import connect
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem
from biasprint.core.project.specs import (
    AxisSpec,
    ComparisonSpec,
    GeneratorSpec,
    OutputSpec,
    PlanSpec,
    PromptSetSpec,
    PromptSpec,
    RunSpec,
)
from biasprint.core.text import sha256_text

TEXT = "The castle keeps the hours that banners have forgotten, its gates ajar for rain and whoever walks late. " * 3
PROMPTS = 3_240
SHOWN = 200  # outputs that the comparisons are made of
IDENTITIES = ("one", "two", "three")
HEAPS, DIMENSIONS = 9, 384


def with_run(path: Path) -> int:
    """A project with one run over as many prompts as CoGS has; its run id."""
    with Project.create(path) as project:
        study = project.studies.add("creativity", "Large").number("study")
        definition = {"identities": [{"key": key, "label": key.title()} for key in IDENTITIES]}
        project.axes.add(AxisSpec(key="race", title="Race", definition=definition))
        prompts = tuple(PromptSpec(key=f"p/{n}", text=f"Write {n}", task="haiku") for n in range(PROMPTS))
        spec = PromptSetSpec(name="large", recipe={}, prompts=prompts)
        prompt_set = project.prompts.add_set(study, spec).number("prompt_set")
        generator = project.runs.add_generator(GeneratorSpec(backend="written", model="x")).number("generator")
        started = RunSpec(study_id=study, prompt_set_id=prompt_set, generator_id=generator, seed=1, samples=400)
        return project.runs.start(started).number("run")


def with_outputs(path: Path, outputs: int) -> None:
    """A project with `outputs` outputs of about 330 characters."""
    run, digest = with_run(path), sha256_text(TEXT)

    def rows() -> Iterator[tuple[object, ...]]:
        for number in range(outputs):
            sample, prompt = divmod(number, PROMPTS)
            yield (run, prompt + 1, sample, number, "done", TEXT, digest, 0, "stop", "", "{}", 0.1, "")

    _insert_outputs(path, rows())


def with_varied_outputs(path: Path, outputs: int) -> None:
    """As many of two generators in turn, to prompts of nine tasks and three identities; one of a hundred has failed.

    Each text has its number, so that one can be searched for.
    """
    with Project.create(path) as project:
        study = project.studies.add("creativity", "Varied").number("study")
        definition = {"identities": [{"key": key, "label": key.title()} for key in IDENTITIES]}
        project.axes.add(AxisSpec(key="race", title="Race", definition=definition))
        prompts = tuple(
            PromptSpec(key=f"p/{n}", text=f"Write {n}", task=f"task_{n % HEAPS}", theme=f"theme {n % 7}", axis="race",
                       identity=IDENTITIES[n % len(IDENTITIES)])
            for n in range(PROMPTS)
        )  # fmt: skip
        prompt_set = project.prompts.add_set(study, PromptSetSpec(name="varied", recipe={}, prompts=prompts))
        runs = []
        for model in ("x", "y"):
            generator = project.runs.add_generator(GeneratorSpec(backend="written", model=model)).number("generator")
            set_id = prompt_set.number("prompt_set")
            spec = RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator, seed=1, samples=400)
            runs.append(project.runs.start(spec).number("run"))

    def rows() -> Iterator[tuple[object, ...]]:
        for number in range(outputs):
            sample, prompt = divmod(number // 2, PROMPTS)
            failed = number % 100 == 99
            text = "" if failed else f"{TEXT}{number}"
            yield (runs[number % 2], prompt + 1, sample, number, "error" if failed else "done", text, sha256_text(text),
                   0, "" if failed else "stop", "timed out" if failed else "", "{}", 0.1, "")  # fmt: skip

    _insert_outputs(path, rows())


def _insert_outputs(path: Path, rows: Iterator[tuple[object, ...]]) -> None:
    with closing(connect(path, writable=True)) as connection:
        keep_checksums(connection)
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO output (run_id, prompt_id, sample, seed, status, text, text_sha256, escaped, finish_reason, "
            "error, usage, seconds, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        connection.execute("COMMIT")


def with_embeddings(path: Path, outputs: int) -> None:
    """As many outputs, each with a vector as MiniLM makes them, in as many heaps as there are tasks in CoGS."""
    with_outputs(path, outputs)
    chance = np.random.default_rng(1)
    heaps = chance.normal(size=(HEAPS, DIMENSIONS))

    def rows() -> Iterator[tuple[object, ...]]:
        for number in range(1, outputs + 1):
            vector = heaps[number % HEAPS] + chance.normal(size=DIMENSIONS)
            yield (number, "minilm", "1", vector.astype("<f4").tobytes(), "")

    with closing(connect(path, writable=True)) as connection:
        keep_checksums(connection)
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO embedding (output_id, embedder, version, vector, created_at) VALUES (?, ?, ?, ?, ?)", rows()
        )
        connection.execute("COMMIT")


def with_comparisons(path: Path, comparisons: int) -> None:
    """A project with one plan of `comparisons` comparisons of three texts."""
    run = with_run(path)
    with Project.open(path) as project:
        specs = [
            OutputSpec(
                run_id=run, prompt_id=item.prompt.id, sample=item.sample, seed=1, text=f"{item.prompt.key} {TEXT}"
            )
            for item in project.runs.pending(run, limit=SHOWN)
        ]
        ids = sorted(int(key) for key in project.outputs.record_many(specs).of("output"))
        texts = {row.id: sha256_text(row.text) for row in project.outputs.page(limit=SHOWN)}

        def comparison(number: int) -> ComparisonSpec:
            # Never the same three twice in a row, and every output with many others.
            chosen = [ids[(number * step + step) % len(ids)] for step in (1, 3, 7)]
            chosen = chosen if len(set(chosen)) == len(chosen) else ids[:3]
            return ComparisonSpec(
                position=number,
                axis="race",
                task="haiku",
                theme="castle",
                items=tuple(ComparisonItem(one, key) for one, key in zip(chosen, IDENTITIES, strict=True)),
                texts_sha256=texts_digest(texts[one] for one in chosen),
            )

        project.judging.add_plan(
            PlanSpec(study_id=project.studies.all()[0].id, title="Large", axis="race", seed=1),
            [comparison(number) for number in range(comparisons)],
        )
