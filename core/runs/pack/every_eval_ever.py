"""Findings, and texts where they may leave the house, as Every Eval Ever stores evaluations (schema 0.3.0).

One evaluation for each study and generator: `data/COLLECTION/DEVELOPER/MODEL/UUID.json`, and beside it one line for
each text in `UUID_samples.jsonl`, which `core/tables/logs/every_eval_ever.py` reads. The schema knows scores that are
better the higher or lower; a measure of bias is best at the value without any bias, which `least_bias_at` says.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from biasprint import core
from biasprint.core.draw.words import is_ratio, null_value
from biasprint.core.findings import BETWEEN_GENERATORS, Finding
from biasprint.core.report.audit import Audited
from biasprint.core.runs.pack.texts import PackedText

SCHEMA = "0.3.0"
SHARES = ("proportion", "share", "proportions", "shares")
HERE = ("llama_cpp", "transformers", "synthetic")  # backends that run on this computer
SAMPLING = ("temperature", "top_p", "top_k", "max_tokens")  # parameters that the schema names
NOT_STATED = "not stated"
UNSAFE = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True)
class WrittenEvaluation:
    """A file of Every Eval Ever: its path, and its content."""

    path: str
    content: dict[str, Any]


def evaluations(audited: Audited, at: str) -> list[tuple[Mapping[str, Any], WrittenEvaluation]]:
    """Return each generator of a study with its evaluation. `at`: when it was measured, as ISO 8601.

    A finding belongs to the generator that it names; where there is one alone, to that one. Those that compare
    generators, or have no estimate, belong to none.
    """
    generators = audited.generators or ({"name": NOT_STATED, "model": "", "backend": "imported", "n": 0},)
    made = []
    for generator in generators:
        name = generator["name"]
        own = [
            finding
            for finding in audited.findings
            if finding.estimate is not None
            and not finding.id.endswith(BETWEEN_GENERATORS)
            and finding.dims.get("generator", name if len(generators) == 1 else None) == name
        ]
        if own:
            made.append((generator, _evaluation(audited, generator, own, at)))
    return made


def _evaluation(
    audited: Audited, generator: Mapping[str, Any], findings: Sequence[Finding], at: str
) -> WrittenEvaluation:
    model = str(generator.get("model") or NOT_STATED)
    developer, _, own = model.rpartition("/")
    collection = f"biasprint-{audited.study}"
    stamp = str(int(datetime.fromisoformat(at).timestamp()))
    key = _uuid(collection, str(generator["name"]), stamp)
    evaluation_id = f"{collection}/{model}/{stamp}-{key[:8]}"
    folder = "/".join(["data", *(_portable(part) for part in (collection, developer or "unknown", own))])
    content: dict[str, Any] = {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation_id,
        "evaluation_timestamp": at,
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_name": "Biasprint", "source_type": "evaluation_run", "source_organization_name": NOT_STATED,
            "evaluator_relationship": "other", "additional_details": {"origin": audited.origin},
        },
        "eval_library": {"name": "biasprint", "version": core.__version__},
        "model_info": _model(generator, model, developer),
        "evaluation_results": [_result(finding, audited, generator) for finding in findings],
    }  # fmt: skip
    return WrittenEvaluation(f"{folder}/{key}.json", content)


def _model(generator: Mapping[str, Any], model: str, developer: str) -> dict[str, Any]:
    backend = str(generator.get("backend") or "")
    details = {
        "deployment_type": "self_deployed" if backend in HERE else "unknown", "model_availability": "unknown",
        "generator": str(generator["name"]), **_texts_of(generator, ("revision", "seeds", "first", "last", "n")),
    }  # fmt: skip
    info = {"name": model, "id": model, "developer": developer or "unknown", "additional_details": details}
    if generator.get("endpoint"):
        info["inference_platform"] = str(generator["endpoint"])
    if backend:
        info["inference_engine"] = {"name": backend}
    return info


def _result(finding: Finding, audited: Audited, generator: Mapping[str, Any]) -> dict[str, Any]:
    assert finding.estimate is not None
    low, high = _bounds_of_unit(finding)
    null = null_value(finding)
    about = {"unit": finding.unit, "variant": finding.variant} | ({} if null is None else {"least_bias_at": repr(null)})
    details = {
        "finding": finding.id, "label": finding.label, "groups": " : ".join(finding.groups), "n": str(finding.n),
        **{f"dim {name}": str(value) for name, value in finding.dims.items()},
        **_texts_of(vars(finding), ("p", "p_adjusted", "harm", "source", "note", "n_by_group", "dropped")),
        **({"scorers": "; ".join(f"{use.name} {use.version}" for use in finding.scorers)} if finding.scorers else {}),
    }  # fmt: skip
    score: dict[str, Any] = {"score": finding.estimate, "details": details}
    uncertainty: dict[str, Any] = {"num_samples": finding.n}
    if finding.interval is not None and finding.interval.high != float("inf"):
        uncertainty["confidence_interval"] = {
            "lower": finding.interval.low, "upper": finding.interval.high,
            "confidence_level": finding.interval.level, "method": finding.interval.method,
        }  # fmt: skip
    score["uncertainty"] = uncertainty
    return {
        "evaluation_result_id": result_id(finding),
        "evaluation_name": finding.title,
        "source_data": {
            "dataset_name": "; ".join(f"{asked.name}, version {asked.version}" for asked in audited.asked)
            or audited.texts,
            "source_type": "other",
            "additional_details": {"prompts_sha256": ", ".join(asked.sha256 for asked in audited.asked)},
        },
        "metric_config": {
            "evaluation_description": finding.title, "metric_id": f"biasprint.{finding.id}",
            "metric_name": _metric_name(finding), "metric_unit": finding.unit or "score",
            "lower_is_better": finding.floor is not None, "score_type": "continuous", "min_score": low,
            "max_score": high, "additional_details": about,
        },
        "score_details": score,
        "generation_config": _generation(generator),
    }  # fmt: skip


def _metric_name(finding: Finding) -> str:
    return f"{finding.label or finding.id}{', as published' if finding.variant == 'as_published' else ''}"


def _bounds_of_unit(finding: Finding) -> tuple[float | str, float | str]:
    """Return the least and the largest number that there can be of a unit, as the schema writes them."""
    if finding.unit.rpartition(" ")[2] in SHARES:  # one that a mean was taken off is below 0
        return -float(max(1, finding.unit.count("difference"))), float(max(1, finding.unit.count("difference")))
    return (0.0 if is_ratio(finding) and "log" not in finding.unit else "-Infinity"), "Infinity"


def _generation(generator: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {**(generator.get("parameters") or {})}
    args = {name: parameters.pop(name) for name in SAMPLING if isinstance(parameters.get(name), int | float)}
    if "max_tokens" in args:
        args["max_tokens"] = int(args["max_tokens"])
    more = {**parameters, **{name: generator[name] for name in ("system_prompt", "backend") if generator.get(name)}}
    return {"generation_args": args, "additional_details": {name: _text(value) for name, value in more.items()}}


def result_id(finding: Finding) -> str:
    """Return the name of a finding that is the same for the same finding of any measurement."""
    about = [finding.id, finding.label, finding.variant, *finding.groups, *sorted(finding.dims.items())]
    return f"{finding.id}:{hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]}"


# ---- Samples


def samples(
    evaluation: WrittenEvaluation, texts: Iterable[PackedText], scores: Mapping[Any, Mapping[str, float]], scored: str
) -> Iterator[dict[str, Any]]:
    """Yield a line for each text. `scores`: of a text, scorer → its number; `scored`: the one that is the line's score.

    The schema demands a score and whether an answer is correct. No text is correct or not here, so that it is false,
    and a text without the score has 0; `score_of` says which number it is, or that there is none.
    """
    for text in texts:
        known = scores.get(text.key, {})
        has = text.text != "" and scored in known
        yield {
            "schema_version": SCHEMA,
            "evaluation_id": evaluation.content["evaluation_id"],
            "model_id": evaluation.content["model_info"]["id"],
            "evaluation_name": f"biasprint {text.study}",
            "sample_id": f"{text.name}#{text.sample}",
            "sample_hash": hashlib.sha256(text.prompt.encode("utf-8", "replace")).hexdigest(),
            "interaction_type": "single_turn",
            "input": {"raw": text.prompt, "reference": []},
            "output": {"raw": [text.text] if text.text else []},
            "messages": None,
            "answer_attribution": [],
            "evaluation": {"score": known[scored] if has else 0.0, "is_correct": False},
            "error": None if text.text else ": ".join(filter(None, (text.reply_kind, text.error))),
            "metadata": {
                "score_of": scored if has else "none", "reply_kind": text.reply_kind, "sample": str(text.sample),
                **{name: value for name, value in text.fields.items() if value},
                **{f"score {name}": repr(value) for name, value in known.items()},
            },
        }  # fmt: skip


# ---- Parts


def _texts_of(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
    return {name: _text(values[name]) for name in names if values.get(name) not in (None, "", [], (), {})}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _portable(part: str) -> str:
    """Return a stranger's name as a folder that every system can make."""
    name = UNSAFE.sub("-", part)[:80].strip(".- ")
    return name if name and name.lower() not in ("data", "con", "nul", "aux", "prn") else f"model-{name or 'unnamed'}"


def _uuid(*parts: str) -> str:
    """Return the UUID that is the same for the same parts, in the form of version 4."""
    return str(uuid.UUID(bytes=hashlib.sha256("\x1f".join(parts).encode()).digest()[:16], version=4))
