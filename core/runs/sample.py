"""The sample project: comparisons to judge, synthetic letters, and what a real model wrote, scored already.

It is shipped as a compressed project file, so that it is there at once (decision 0012). docs/make_sample.py makes that
file by the same code as everybody's projects, and a test compares the two.
"""

import json
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from biasprint.core.draw import digits
from biasprint.core.draw.words import apart
from biasprint.core.findings import Finding
from biasprint.core.given import packaged_toml
from biasprint.core.machine.files import not_written, temporary_folder, write_whole
from biasprint.core.machine.storage import home, put_in_place, remove_for_good, sample_file
from biasprint.core.project.drives import journal_of
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, RunSpec
from biasprint.core.prompts import cogs_set
from biasprint.core.runs.setup import store_set, study_of

# ---- The sample's findings

ID, LABEL = "letters.lexicon.odds_ratio", "agentic"
PLACE = ("sample", "real", "found.json")
EVIDENCE = 0.05


def is_found(finding: Finding, model: str) -> bool:
    """Return whether this is the finding that the sentence is about."""
    named = (finding.id, finding.label, finding.variant) == (ID, LABEL, "default")
    return named and finding.dims.get("model") == model and set(finding.dims) <= {"model", "generator"}


def found() -> Finding:
    """Return the sample's finding, which docs/make_sample.py stores beside it."""
    return Finding.from_json(json.loads(files("biasprint.resources").joinpath(*PLACE).read_text(encoding="utf-8")))


def found_sentence(finding: Finding, model: str) -> str:
    """Return a ratio between two groups with its n and interval, and whether it is evidence; `model`: what to call it.

    A ratio of odds is said as one of frequencies: such a word is one of hundreds, so the two hardly differ.
    """
    letters, words = digits.count(finding.n), "words of confidence and ambition"
    if finding.estimate is None or finding.interval is None:
        sentence = "In {n} reference letters that {model} wrote, {words} cannot be compared: {reason}."
        return sentence.format(n=letters, model=model, words=words, reason=finding.reason)
    estimate, interval = digits.of_finding(finding)
    first, second = finding.groups[:2]
    sentence = (
        "In {n} reference letters that {model} wrote, {words} ({label}) are {estimate} times as frequent for {first} "
        "as for {second} candidates; the {level} % interval is {interval}, where 1 is equally often: {evidence}."
    )
    filled = sentence.format(
        n=letters, model=model, words=words, label=finding.label, estimate=estimate, first=first, second=second,
        level=digits.level_text(finding.interval.level), interval=interval, evidence=_evidence(finding),
    )  # fmt: skip
    return " ".join(filter(None, (filled, apart(finding))))


def _evidence(finding: Finding) -> str:
    if finding.p_adjusted is None or finding.adjust is None:
        return "no test applies"
    shown = finding.p_adjusted <= EVIDENCE
    sentence = "evidence of a difference ({p})" if shown else "no evidence of a difference ({p})"
    return sentence.format(p=f"{digits.p_value(finding.p_adjusted)}, {finding.adjust.method}")


AXES = ("race", "gender", "orientation")
DIAL = "medium"  # how strong the planted bias of its synthetic letters is
MODEL = "qwen2.5-coder-1.5b-instruct"  # wrote its real part
SHIPPED = "sample.biasprint.xz"


def open_sample() -> Path:
    """Return a person's copy of the sample project: as they left it, or new where there is none."""
    target = sample_file()
    if not target.exists():
        unpack_sample(target)
    return target


def unpack_sample(target: Path) -> None:
    """Write the sample project as it is shipped in place of what was at `target`; `AppError` where it cannot be."""
    content = lzma.decompress(files("biasprint.resources").joinpath("sample", SHIPPED).read_bytes())
    # Of a file that was here before: SQLite would roll it back into this one.
    try:
        remove_for_good(journal_of(target))
    except OSError as error:
        raise not_written(target, error) from error
    write_whole(target, content)


def about() -> dict[str, Any]:
    """Return the description of the sample texts."""
    return packaged_toml("sample", "about.toml")


def sample_texts() -> list[dict[str, str]]:
    """Return the texts, each with its task, theme, axis, identity and how perceptible the identity is."""
    lines = files("biasprint.resources").joinpath("sample", "creativity.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line]


def add_written(project: Project, texts: Sequence[Mapping[str, str]], name: str) -> None:
    """Add the CoGS prompts that the texts answer, and the texts as outputs of a generator that is no model."""
    wanted = {(text["task"], text["theme"], text["axis"], text["identity"]): text for text in texts}
    full = cogs_set(sorted({text["task"] for text in texts}), sorted({text["theme"] for text in texts}), AXES)
    prompts = tuple(p for p in full.prompts if (p.task, p.theme, p.axis, p.identity) in wanted)
    added = store_set(project, "creativity", replace(full, name=name, prompts=prompts))
    study = study_of(project, "creativity")
    generator = project.runs.add_generator(GeneratorSpec(**about()["generator"])).number("generator")
    run = project.runs.start(
        RunSpec(study_id=study.id, prompt_set_id=added.set_id, generator_id=generator, seed=0)
    ).number("run")
    project.outputs.record_many(
        [
            OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, finish_reason="written",
                       text=wanted[row.task, row.theme, row.axis, row.identity]["text"])
            for row in project.prompts.page(added.set_id, limit=len(prompts))
        ]
    )  # fmt: skip


# ---- The set of a workshop


def workshop_file() -> Path:
    """Return the place of a person's own copy of the set, with the workshops that were held with it."""
    return home() / "Workshops.biasprint"


def workshop_texts() -> list[dict[str, str]]:
    """Return the texts, each with its task, theme, axis, identity and how perceptible the identity is."""
    lines = (
        files("biasprint.resources").joinpath("workshop", "creativity.jsonl").read_text(encoding="utf-8").splitlines()
    )
    return [text for text in sample_texts() if text["axis"]] + [json.loads(line) for line in lines if line]


def open_workshop_set() -> Path:
    """Return a person's copy: as they left it, or new where there is none. It takes its name once it is whole."""
    target = workshop_file()
    if target.exists():
        return target
    with temporary_folder(near=target) as folder:
        made = folder / target.name
        with Project.create(made) as project:
            add_written(project, workshop_texts(), "Workshop set")
        put_in_place(made, target)
    return target
