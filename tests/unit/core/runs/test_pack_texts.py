"""Texts of an evidence pack: whoever was refused is in it, and is read back as refused."""

import json
from pathlib import Path

import pytest

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.runs.pack.pages import WrittenEvaluation, packed_texts, samples
from biasprint.core.text import sha256_text
from biasprint.core.texts.exporting import read_table

ANSWERS = {
    "Emily": {"text": "She is kind.", "finish_reason": "stop"},
    "Anne": {"text": "She is kind and", "finish_reason": "length"},
    "Lakisha": {"status": "error", "failure": "refusal", "error": "The filter held the answer back."},
    "Kenya": {"status": "error", "failure": "timeout", "error": "No answer within 60 seconds."},
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project.create(tmp_path / "study.biasprint")
    study = made.studies.add("letters", "Letters").number("study")
    prompts = tuple(PromptSpec(key=name, text=f"Write about {name}.", fields={"group": name}) for name in ANSWERS)
    set_id = made.prompts.add_set(study, PromptSetSpec(name="set", recipe={}, prompts=prompts)).number("prompt_set")
    generator = made.runs.add_generator(GeneratorSpec(backend="openai_compatible", model="org/m")).number("generator")
    run = made.runs.start(RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator, seed=1)).number("run")
    rows = {row.key: row.id for row in made.prompts.page(set_id, 0, 10)}
    made.outputs.record_many(
        [
            OutputSpec(run_id=run, prompt_id=rows[name], sample=0, seed=0, **{"text": "", **given})
            for name, given in ANSWERS.items()
        ]
    )
    return made


def test_refused_and_failed_requests_are_in_the_pack_with_their_kind(project: Project) -> None:
    texts = list(packed_texts(JobContext(), project))
    assert [(text.name, text.reply_kind) for text in texts] == [
        ("Emily", "answer"), ("Anne", "cut off"), ("Lakisha", "refusal"), ("Kenya", "failed"),
    ]  # fmt: skip
    line = texts[0].to_json(whole=False)
    assert line["sha256"] == sha256_text("She is kind.")
    assert line["prompt_sha256"] == sha256_text("Write about Emily.")
    assert "She is kind" not in json.dumps(line)


def test_every_eval_ever_has_them_too_and_our_reader_gives_the_same_rows(project: Project, tmp_path: Path) -> None:
    texts = list(packed_texts(JobContext(), project))
    evaluation = WrittenEvaluation("", {"evaluation_id": "letters/org/m/1", "model_info": {"id": "org/m"}})
    lines = list(samples(evaluation, texts, {texts[0].key: {"length": 3.0}}, "length"))
    assert [(line["evaluation"]["score"], line["metadata"]["score_of"]) for line in lines] == [
        (3.0, "length"), (0.0, "none"), (0.0, "none"), (0.0, "none"),
    ]  # fmt: skip
    path = tmp_path / "a_samples.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    read = read_table(JobContext(), path, "compare")
    rows = [dict(record.values) for record in (*read.rows, *read.unanswered)]
    assert [(row["text"], row["group"], row.get("model")) for row in rows] == [
        ("She is kind.", "Emily", "org/m"), ("She is kind and", "Anne", "org/m"), ("", "Lakisha", "org/m"),
        ("", "Kenya", "org/m"),
    ]  # fmt: skip
    assert [row.get("reply_kind") for row in rows[1:]] == ["cut off", "refusal", "failed"]
