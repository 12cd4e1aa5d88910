"""How fast texts are written, imported and embedded: no bounds, but a peer or the same work in a plainer way."""

import csv
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from figures import figure, ratio, spread, title

from biasprint.core.backends.protocol import Request
from biasprint.core.backends.registry import open_backend
from biasprint.core.compute import ComputeProcess
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.prompts import cogs_set, letters_context_less_set
from biasprint.core.prompts.drafts import PromptDraft
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.sample import sample_texts
from biasprint.core.runs.setup import generator_spec, import_table, store_set
from biasprint.core.runs.writing import write_all
from biasprint.core.scorers.registry import score_batch
from biasprint.core.text import sha256_text
from biasprint.core.texts.exporting import read_table

pytestmark = pytest.mark.bench

RUNS = 3
ROWS = 100_000


@pytest.fixture(scope="module")
def compute() -> Iterator[ComputeProcess]:
    process = ComputeProcess()
    yield process
    process.close()


def test_writing_with_the_synthetic_author(tmp_path: Path, compute: ComputeProcess) -> None:
    prompts = {"creative texts": cogs_set().prompts, "letters": letters_context_less_set(names_per_group=2).prompts}
    title("The synthetic author, medium bias, on one core")
    for name, drafts in prompts.items():
        figure(f"{name} written alone", spread([written_per_second(drafts) for _ in range(RUNS)]), "a second")

    with Project.create(tmp_path / "generated.biasprint") as project:
        prompt_set = store_set(project, "creativity", cogs_set())
        run = start_run(
            project, prompt_set_id=prompt_set.set_id, generator=generator_spec("synthetic", "medium", {}), seed=1
        )
        compute.call(write_all, "synthetic", "medium", {}, [], {})  # the process is up
        began = time.perf_counter()
        result = generate(JobContext(), project, run, compute)
        whole = result.added / (time.perf_counter() - began)
    assert result.added == len(prompts["creative texts"])
    figure("creative texts, the whole job: written there, stored here", whole, "a second")


def written_per_second(drafts: tuple[PromptDraft, ...]) -> float:
    backend = open_backend("synthetic", "medium", {})
    requests = [
        Request(
            key=draft.key,
            prompt=draft.text,
            seed=number,
            fields={
                "task": draft.task,
                "theme": draft.theme,
                "axis": draft.axis,
                "identity": draft.identity,
                **draft.fields,
            },
        )
        for number, draft in enumerate(drafts)
    ]
    began = time.perf_counter()
    completions = [backend.generate(request, lambda _: None, lambda: None) for request in requests]
    seconds = time.perf_counter() - began
    assert not [one.error for one in completions if one.finish_reason == "error"]
    return len(requests) / seconds


def test_importing_a_csv_of_100_000_letters(tmp_path: Path) -> None:
    path = tmp_path / "letters.csv"
    letter = " ".join(text["text"] for text in sample_texts()[:4])
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["text", "group", "name", "occupation"])
        writer.writerows([f"{letter} {n}", ("female", "male")[n % 2], f"Name {n % 50}", "artist"] for n in range(ROWS))

    reading, storing, peer = [], [], []
    for number in range(RUNS):
        began = time.perf_counter()
        table = read_table(JobContext(), path, "letters")
        reading.append(time.perf_counter() - began)
        with Project.create(tmp_path / f"imported{number}.biasprint") as project:
            study = project.studies.add("letters", "Letters").number("study")
            began = time.perf_counter()
            result = import_table(JobContext(), project, study, "letters", path, table)
            storing.append(time.perf_counter() - began)
        assert result.added == ROWS
        began = time.perf_counter()
        with open(path, encoding="utf-8", newline="") as stream:
            assert len(list(csv.DictReader(stream))) == ROWS
        peer.append(time.perf_counter() - began)

    title(f"Importing {ROWS:,} letters from a csv of {path.stat().st_size / 1e6:.0f} MB")
    figure("reading: encoding, mapping, duplicates, empty rows", spread(reading), "s")
    figure("storing, on disk", spread(storing), "s")
    figure("csv.DictReader alone", spread(peer), "s")
    ratio("reading to csv.DictReader", spread(reading).median, spread(peer).median)
    ratio("reading and storing to csv.DictReader", spread(reading).median + spread(storing).median, spread(peer).median)


def test_importing_a_csv_of_100_000_outputs_beside_plain_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "outputs.csv"
    text = sample_texts()[0]["text"]
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["text", "group", "prompt"])
        writer.writerows([f"{text} {n}", ("female", "male")[n % 2], f"Prompt {n // 2}"] for n in range(ROWS))

    began, cpu = time.perf_counter(), time.process_time()
    table = read_table(JobContext(), path, "compare")
    with Project.create(tmp_path / "outputs.biasprint") as project:
        result = import_table(JobContext(), project, None, "compare", path, table)
    own, own_cpu = time.perf_counter() - began, time.process_time() - cpu
    assert result.added == ROWS

    began, cpu = time.perf_counter(), time.process_time()
    with closing(sqlite3.connect(tmp_path / "plain.db")) as plain, plain, open(path, encoding="utf-8") as stream:
        plain.execute("CREATE TABLE output (text TEXT, hash TEXT, grouped TEXT, prompt TEXT)")
        rows = ((row[0], sha256_text(row[0]), row[1], row[2]) for row in csv.reader(stream))
        plain.executemany("INSERT INTO output VALUES (?, ?, ?, ?)", rows)
    peer, peer_cpu = time.perf_counter() - began, time.process_time() - cpu

    title(f"Importing {ROWS:,} outputs from a csv of {path.stat().st_size / 1e6:.0f} MB")
    figure("read, checked and stored with their prompts", own, "s")
    figure("of that in the processor", own_cpu, "s")
    figure("plain SQLite with a hash a row", peer, "s")
    figure("of that in the processor", peer_cpu, "s")
    ratio("import to plain SQLite, in the processor", own_cpu, peer_cpu)


def test_embedding_sentences(compute: ComputeProcess) -> None:
    texts = [text["text"] for text in sample_texts()]
    began = time.perf_counter()
    compute.call(score_batch, "minilm", texts[:1])
    loading = time.perf_counter() - began
    speeds = {}
    for name, batch in {"short texts": texts, "sentences": [text.split(".")[0] for text in texts]}.items():
        seconds = []
        for _ in range(RUNS):
            began = time.perf_counter()
            compute.call(score_batch, "minilm", batch)
            seconds.append(time.perf_counter() - began)
        speeds[name] = spread([len(batch) / one for one in seconds])

    title("MiniLM in the compute process")
    figure("until its first answer: imports and weights", loading, "s")
    figure(f"short texts, {sum(map(len, texts)) // len(texts)} characters", speeds["short texts"], "a second")
    figure("first sentences of them", speeds["sentences"], "a second")
