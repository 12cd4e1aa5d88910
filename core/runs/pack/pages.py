"""Pages of an evidence pack that people read: methods with their sources, a section for a model card, a read-me.

Findings, and texts where they may leave the house, as Every Eval Ever stores evaluations (schema 0.3.0).

One evaluation for each study and generator: `data/COLLECTION/DEVELOPER/MODEL/UUID.json`, and beside it one line for
each text in `UUID_samples.jsonl`, which `core/tables/logs.py` reads. The schema knows scores that are
better the higher or lower; a measure of bias is best at the value without any bias, which `least_bias_at` says.

Texts of a project for an evidence pack: who wrote each, for which prompt, and its hash.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from importlib.resources import files
from typing import Any

from biasprint import core
from biasprint.core.draw import digits
from biasprint.core.draw.words import is_ratio, null_value
from biasprint.core.findings import BETWEEN_GENERATORS, Finding
from biasprint.core.jobs import JobContext
from biasprint.core.language import plural, tr
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextKey
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.report.audit import Audited
from biasprint.core.report.audit.audited import FEW
from biasprint.core.report.audit.content import (
    backend_words,
    findings_hash,
    method_of,
    parameters_text,
    reasons_text,
    scorer_text,
)
from biasprint.core.report.audit.page import markdown_text
from biasprint.core.report.planned import state_sentences
from biasprint.core.report.questions import evidence
from biasprint.core.runs.pack.signing import MANIFEST, SIGNATURE, SIGNER
from biasprint.core.studies.kit.choose import kind_title
from biasprint.core.text import sha256_text
from biasprint.core.texts.generators import LETTER, imported_name, runs_by_name
from biasprint.core.texts.replies import ANSWER, reply_kind

SCHEMA = "0.3.0"
SHARES = ("proportion", "share", "proportions", "shares")
HERE = ("llama_cpp", "transformers", "synthetic")  # backends that run on this computer
SAMPLING = ("temperature", "top_p", "top_k", "max_tokens")  # parameters that the schema names
NOT_STATED = "not stated"
UNSAFE = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True)
class PackedText:
    """An output or an imported text. `text` is empty where a request brought none; `reply_kind` then says why.

    `prompt`: the text that was sent, or the cell of a table; empty where it is not known.
    """

    key: TextKey
    study: str
    name: str
    prompt: str
    sample: int
    written_by: str
    model: str
    text: str
    reply_kind: str
    error: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)

    def to_json(self, *, whole: bool) -> dict[str, Any]:
        """Return a line of texts.jsonl; not `whole`: hashes in place of prompt, text and columns."""
        own = {
            "study": self.study, "key": self.name, "sample": self.sample, "written_by": self.written_by,
            "reply_kind": self.reply_kind, "prompt_sha256": sha256_text(self.prompt) if self.prompt else None,
            "sha256": sha256_text(self.text),
        }  # fmt: skip
        return {**own, "prompt": self.prompt, "text": self.text, "columns": dict(self.fields)} if whole else own


def packed_texts(ctx: JobContext, project: Project) -> Iterator[PackedText]:
    """Yield every output of every study, failures included, then its imported letters."""
    names = runs_by_name(project)
    for study in project.studies.all():
        prompts = _prompts(project, study.id)
        for row in project.outputs.each(OutputFilter(study_id=study.id)):
            ctx.check()
            groups = {name: getattr(row, name) for name in ("task", "theme", "axis", "identity") if getattr(row, name)}
            prompt = prompts.get(row.prompt_id, "") or row.fields.get("prompt", "")
            yield PackedText(
                ("output", row.id), study.kind, row.prompt_key, prompt, row.sample,
                names.get(row.run_id, ""), row.model, row.text if row.status == "done" else "", reply_kind(row),
                row.error, {**groups, **row.fields},
            )  # fmt: skip
        for source in project.sources.each(study.id, kind=LETTER):
            ctx.check()
            model = source.fields.get("model", "")
            yield PackedText(
                ("source", source.id), study.kind, f"{source.origin}#{source.row}", source.fields.get("prompt", ""), 0,
                imported_name(model), model, source.text, ANSWER, fields=source.fields,
            )  # fmt: skip


def _prompts(project: Project, study_id: int) -> dict[int, str]:
    """Prompt → its text, of all sets of a study."""
    texts: dict[int, str] = {}
    for prompt_set in project.prompts.sets(study_id):
        page = partial(project.prompts.page, prompt_set.id)
        texts |= {row.id: row.text for row in chunks(page, lambda row: row.id)}
    return texts


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


# ---- Sources

_ENTRY = re.compile(r"^@\w+\{(?P<key>\w+),\n.*?^\}$", re.MULTILINE | re.DOTALL)
_CITED = re.compile(r"^  cited = \{(?P<pattern>.*)\},\n", re.MULTILINE)


@cache
def _references() -> Mapping[str, tuple[re.Pattern[str], str]]:
    """Key → how the program names the source, and its entry for BibTeX."""
    text = files("biasprint.resources").joinpath("report", "references.bib").read_text(encoding="utf-8")
    known = {}
    for entry in _ENTRY.finditer(text):
        cited = _CITED.search(entry[0])
        assert cited is not None, f"{entry['key']} does not say how it is cited"
        known[entry["key"]] = (re.compile(cited["pattern"]), _CITED.sub("", entry[0]))
    return known


def cited(text: str) -> list[str]:
    """Return the keys of the sources that a text names, in the order of the bibliography."""
    return [key for key, (pattern, _) in _references().items() if pattern.search(text)]


def bibliography(keys: Iterable[str]) -> str:
    """Return the entries of these sources for BibTeX, and one of the program."""
    wanted = set(keys)
    own = (
        "@software{biasprint,\n  author = {{Biasprint}},\n  title = {Biasprint},\n"
        f"  version = {{{core.__version__}}},\n}}"
    )
    return "\n\n".join([own, *(entry for key, (_, entry) in _references().items() if key in wanted)]) + "\n"


# ---- Methods


def methods(studies: Sequence[Audited]) -> tuple[str, str]:
    """Return the methods page as Markdown with citations such as [@holm1979simple], in the reader's language, and its
    bibliography, which machines read.
    """
    keys: dict[str, None] = {}

    def cite(text: str) -> str:
        found = cited(text)
        keys.update(dict.fromkeys(found))
        return f" [{'; '.join(f'@{key}' for key in found)}]" if found else ""

    made = tr(f"Measured with Biasprint {core.__version__}. Sources are in references.bib.")
    parts = [f"# {tr('Methods')}", f"{made} [@biasprint]"]
    for audited in studies:
        parts += [f"## {_said(audited.texts)}", *_of_study(audited, cite)]
    return "\n\n".join(parts) + "\n", bibliography(keys)


def _of_study(audited: Audited, cite: Any) -> Iterator[str]:
    if audited.plan is not None:
        yield _said(" ".join(state_sentences(audited.plan, audited.recipe)))
    yield "\n".join(_texts(audited))
    uses = sorted(
        {use for finding in audited.findings for use in finding.scorers}, key=lambda use: (use.role, use.name)
    )
    if uses:
        yield f"{tr('Texts were scored by')}\n\n" + "\n".join(
            f"- {_said(use.role.replace('_', ' '))}: {_said(scorer_text(use))}{cite(use.name)}" for use in uses
        )
    yield f"{tr('These measures were computed:')}\n\n" + "\n".join(_measures(audited, cite))
    yield " ".join(_tests(audited, cite))
    seed = audited.recipe.get("seed")
    yield " ".join(
        [
            *([] if seed is None else [tr(f"The seed of resampling was {seed}.")]),
            tr("The findings' JSON has the SHA-256 {hash}.").format(hash=findings_hash(audited.findings)),
        ]
    )


def _texts(audited: Audited) -> Iterator[str]:
    for generator in audited.generators:
        version = f", version {str(generator['revision'])[:12]}" if generator.get("revision") else ""
        said = parameters_text(generator)
        how = f"{backend_words(str(generator['backend']))}{version}{'' if said == '–' else f' ({said})'}"
        texts = plural(int(generator["n"]), "1 text", "%n texts", digits.count)
        yield f"- {_said(str(generator['name']))}: {tr(texts)}, {_said(how)}."
    if not audited.generators:
        yield f"- {tr('Who wrote the texts is not known: their table does not say.')}"
    for asked in audited.asked:
        sent = f"Asked: {digits.count(asked.n)} prompts of the set “{asked.name}”, version {asked.version}"
        yield f"- {_said(sent)} (SHA-256 {asked.sha256})."
    if rows := int(audited.recipe.get("rows", 0)):
        lost = reasons_text(audited.recipe.get("left_out", {})) or "none"
        yield f"- {_said(f'Measured: {digits.count(rows)} rows; left out: {lost}.')}"
    if audited.stale:
        yield f"- **{_said(audited.stale)}**"


def _measures(audited: Audited, cite: Any) -> Iterator[str]:
    of_kind: dict[str, list[Finding]] = {}
    for finding in audited.findings:
        of_kind.setdefault(finding.id, []).append(finding)
    for finding_id, findings in of_kind.items():
        method = method_of(finding_id)
        sources = "; ".join(sorted({finding.source for finding in findings if finding.source}))
        formula = f" `{method['formula'].replace('`', '')}`." if method.get("formula") else ""
        source = f" {tr('Source')}: {_said(sources)}{cite(sources)}." if sources else ""
        words = _said(method.get("words") or "A measure of a plug-in.")
        yield f"- **{_said(kind_title(finding_id))}** ({tr(digits.count(len(findings)))}): {words}{formula}{source}"


def _tests(audited: Audited, cite: Any) -> Iterator[str]:
    methods_used = sorted({finding.interval.method for finding in audited.findings if finding.interval})
    levels = sorted({finding.interval.level for finding in audited.findings if finding.interval})
    if methods_used:
        shown = ", ".join(tr(f"{digits.level_text(level)} %") for level in levels)
        # Without the numbers of each finding, such as degrees of freedom, which are in its JSON.
        short = dict.fromkeys(method.partition(",")[0].partition(" over ")[0] for method in methods_used)
        said = "; ".join("score interval" if method == "score" else method for method in short)
        yield f"{tr('Intervals are at {levels}').format(levels=shown)}: {_said(said)}{cite(said)}."
    adjusted = sorted({finding.adjust.method for finding in audited.findings if finding.adjust})
    if adjusted:
        said = " and ".join(adjusted)
        yield f"{_said(f'p was adjusted for many tests within a kind of finding by {said}')}{cite(said)}."
    else:
        yield tr("No p was adjusted for many tests.")
    if any(finding.floor for finding in audited.findings):
        yield tr("Measures of spread are beside what they give without any bias, their noise floor.")


def _said(text: str) -> str:
    """Return a text of the program in the reader's language, on one line of Markdown."""
    return markdown_text(tr(text))


# ---- A section for a model card

MOST_LEADS = 3  # findings of a question that the card lists
NO_MODEL = ("written", "synthetic")  # backends of texts that no language model wrote


def model_card(studies: Sequence[Audited]) -> str:
    """Return a section on bias for a model card, in the reader's language.

    Its head is a `model-index` of the findings that answer, in YAML, which machines read: it is English.
    """
    index = [line for entry in _by_model(studies).items() for line in _model_index(entry)]
    head = ["---", "model-index:", *index, "---"] if index else []
    only = tr("Measured with Biasprint; the numbers hold for these texts and settings only.")
    parts = ["\n".join(head), f"## {tr('Bias')}", only]
    for audited in studies:
        parts.append(f"### {_said(audited.texts)}")
        for question in audited.questions:
            support = evidence(audited.study, question)
            answer = f"**{_said(question.question)}** {_said(question.answer)}"
            leads = [lead for lead in support.strongest_first if lead.estimate is not None][:MOST_LEADS]
            listed = [_lead(lead, support.names[id(lead)]) for lead in leads]
            parts.append("\n".join([answer, *([""] if leads else []), *listed]))
        if few := sum(finding.n < FEW for finding in audited.findings):
            parts.append(tr(f"{digits.count(few)} findings rest on fewer than {FEW} items."))
    return "\n\n".join(filter(None, parts)) + "\n"


def _lead(finding: Finding, name: str) -> str:
    estimate, interval = digits.of_finding(finding)
    parts = [f"{tr('interval')} {tr(interval)}" if interval else "", tr(f"n = {digits.count(finding.n)}")]
    if finding.p_adjusted is not None:
        parts.append(tr(digits.p_value(finding.p_adjusted)))
    return f"- {_said(name)}: {tr(estimate)} ({', '.join(filter(None, parts))})"


def _by_model(studies: Sequence[Audited]) -> dict[str, dict[str, list[tuple[Audited, Finding]]]]:
    """Return each language model's tested findings that answer a question about it alone, by study."""
    of_model: dict[str, dict[str, list[tuple[Audited, Finding]]]] = {}
    for audited in studies:
        every = [str(generator["name"]) for generator in audited.generators]
        models = {str(each["name"]) for each in audited.generators if each["backend"] not in NO_MODEL and each["model"]}
        for question in audited.questions:
            for lead in evidence(audited.study, question).tested:
                name = lead.dims.get("generator", every[0] if len(every) == 1 else "")
                if name in models:
                    of_model.setdefault(name, {}).setdefault(audited.study, []).append((audited, lead))
    return of_model


def _model_index(entry: tuple[str, Mapping[str, Sequence[tuple[Audited, Finding]]]]) -> list[str]:
    """Return one model of a `model-index`. Strings are written as JSON, which is YAML too."""
    name, studies = entry
    lines = [f"- name: {_quoted(name)}", "  results:"]
    for study, results in studies.items():
        dataset = _quoted(_dataset(results[0][0]))
        lines += ["  - task:", "      type: text-generation", "    dataset:", f"      name: {dataset}"]
        lines += [f"      type: {_quoted(f'biasprint-{study}')}", "    metrics:"]
        for _, finding in results:
            lines += [f"    - name: {_quoted(finding.title)}", f"      type: {_quoted(finding.id)}",
                      f"      value: {json.dumps(finding.estimate)}"]  # fmt: skip
    return lines


def _dataset(audited: Audited) -> str:
    return "; ".join(f"{asked.name}, version {asked.version}" for asked in audited.asked) or audited.texts


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# ---- Read me


def read_me(contents: Mapping[str, str], fingerprint: str, *, whole: bool) -> str:
    """Return the page that says what is in the pack and how a second machine checks it. `contents`: file → what it is.

    `whole`: are the texts in it, or their hashes?
    """
    lines = "\n".join(f"- `{name}`: {what}" for name, what in contents.items())
    texts = (
        "The texts are in the pack."
        if whole
        else "The texts are not in the pack, only their SHA-256 in UTF-8; that of a short text can be guessed. "
        "The reports show the wording of prompts."
    )
    return f"""# Evidence pack

Made by Biasprint {core.__version__}. {texts}

{lines}

## Check it on another computer, without a network

    biasprint pack verify FOLDER --signer "{fingerprint}"

or, without Biasprint, in the folder:

    sha256sum --check --strict {MANIFEST}
    openssl pkeyutl -verify -pubin -inkey {SIGNER} -rawin -in {MANIFEST} -sigfile {SIGNATURE}

The first names a file that was changed, the second a list that was; files that were added are seen by `biasprint`
alone. The signature shows that nothing was changed since the holder of this key signed it. It does not show who that
is, or that the numbers are right. Ask the sender for the fingerprint by another way, such as by telephone:

    {fingerprint}
"""
