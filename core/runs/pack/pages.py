"""Pages of an evidence pack that people read: methods with their sources, a section for a model card, a read-me."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from biasprint import core
from biasprint.core.draw import digits
from biasprint.core.findings import Finding
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
    """Return the methods page as Markdown with citations such as [@holm1979simple], and its bibliography."""
    keys: dict[str, None] = {}

    def cite(text: str) -> str:
        found = cited(text)
        keys.update(dict.fromkeys(found))
        return f" [{'; '.join(f'@{key}' for key in found)}]" if found else ""

    parts = ["# Methods", f"Measured with Biasprint {core.__version__} [@biasprint]. Sources are in references.bib."]
    for audited in studies:
        parts += [f"## {markdown_text(audited.texts)}", *_of_study(audited, cite)]
    return "\n\n".join(parts) + "\n", bibliography(keys)


def _of_study(audited: Audited, cite: Any) -> Iterator[str]:
    if audited.plan is not None:
        yield markdown_text(" ".join(state_sentences(audited.plan, audited.recipe)))
    yield "\n".join(_texts(audited))
    uses = sorted(
        {use for finding in audited.findings for use in finding.scorers}, key=lambda use: (use.role, use.name)
    )
    if uses:
        yield "Texts were scored by\n\n" + "\n".join(
            f"- {markdown_text(use.role.replace('_', ' '))}: {markdown_text(scorer_text(use))}{cite(use.name)}"
            for use in uses
        )
    yield "These measures were computed:\n\n" + "\n".join(_measures(audited, cite))
    yield " ".join(_tests(audited, cite))
    seed = audited.recipe.get("seed")
    yield " ".join(
        [
            *([] if seed is None else [f"The seed of resampling was {seed}."]),
            f"The findings' JSON has the SHA-256 {findings_hash(audited.findings)}.",
        ]
    )


def _texts(audited: Audited) -> Iterator[str]:
    for generator in audited.generators:
        version = f", version {str(generator['revision'])[:12]}" if generator.get("revision") else ""
        said = parameters_text(generator)
        how = f"{backend_words(str(generator['backend']))}{version}{'' if said == '–' else f' ({said})'}"
        n = digits.count(int(generator["n"]))
        yield f"- {markdown_text(str(generator['name']))}: {n} texts, {markdown_text(how)}."
    if not audited.generators:
        yield "- Who wrote the texts is not known: their table does not say."
    for asked in audited.asked:
        name = f"“{asked.name}”, version {asked.version}"
        yield f"- Asked: {digits.count(asked.n)} prompts of the set {markdown_text(name)} (SHA-256 {asked.sha256})."
    if rows := int(audited.recipe.get("rows", 0)):
        lost = reasons_text(audited.recipe.get("left_out", {}))
        yield f"- Measured: {digits.count(rows)} rows; left out: {markdown_text(lost or 'none')}."
    if audited.stale:
        yield f"- **{markdown_text(audited.stale)}**"


def _measures(audited: Audited, cite: Any) -> Iterator[str]:
    of_kind: dict[str, list[Finding]] = {}
    for finding in audited.findings:
        of_kind.setdefault(finding.id, []).append(finding)
    for finding_id, findings in of_kind.items():
        method = method_of(finding_id)
        sources = "; ".join(sorted({finding.source for finding in findings if finding.source}))
        formula = f" `{method['formula'].replace('`', '')}`." if method.get("formula") else ""
        source = f" Source: {markdown_text(sources)}{cite(sources)}." if sources else ""
        words = markdown_text(method.get("words") or "A measure of a plug-in.")
        yield f"- **{markdown_text(kind_title(finding_id))}** ({digits.count(len(findings))}): {words}{formula}{source}"


def _tests(audited: Audited, cite: Any) -> Iterator[str]:
    methods_used = sorted({finding.interval.method for finding in audited.findings if finding.interval})
    levels = sorted({finding.interval.level for finding in audited.findings if finding.interval})
    if methods_used:
        shown = ", ".join(digits.level_text(level) + " %" for level in levels)
        # Without the numbers of each finding, such as degrees of freedom, which are in its JSON.
        said = "; ".join(dict.fromkeys(method.partition(",")[0].partition(" over ")[0] for method in methods_used))
        yield f"Intervals are at {shown}: {markdown_text(said)}{cite(said)}."
    adjusted = sorted({finding.adjust.method for finding in audited.findings if finding.adjust})
    if adjusted:
        said = " and ".join(adjusted)
        yield f"p was adjusted for many tests within a kind of finding by {said}{cite(said)}."
    else:
        yield "No p was adjusted for many tests."
    if any(finding.floor for finding in audited.findings):
        yield "Measures of spread are beside what they give without any bias, their noise floor."


# ---- A section for a model card

MOST_LEADS = 3  # findings of a question that the card lists
NO_MODEL = ("written", "synthetic")  # backends of texts that no language model wrote


def model_card(studies: Sequence[Audited]) -> str:
    """Return a section on bias for a model card, with a `model-index` of the findings that answer, in YAML."""
    index = [line for entry in _by_model(studies).items() for line in _model_index(entry)]
    head = ["---", "model-index:", *index, "---"] if index else []
    parts = ["\n".join(head), "## Bias", "Measured with Biasprint; the numbers hold for these texts and settings only."]
    for audited in studies:
        parts.append(f"### {markdown_text(audited.texts)}")
        for question in audited.questions:
            support = evidence(audited.study, question)
            answer = f"**{markdown_text(question.question)}** {markdown_text(question.answer)}"
            leads = [lead for lead in support.strongest_first if lead.estimate is not None][:MOST_LEADS]
            listed = [_lead(lead, support.names[id(lead)]) for lead in leads]
            parts.append("\n".join([answer, *([""] if leads else []), *listed]))
        if few := sum(finding.n < FEW for finding in audited.findings):
            parts.append(f"{digits.count(few)} findings rest on fewer than {FEW} items.")
    return "\n\n".join(filter(None, parts)) + "\n"


def _lead(finding: Finding, name: str) -> str:
    estimate, interval = digits.of_finding(finding)
    parts = [f"interval {interval}" if interval else "", f"n = {digits.count(finding.n)}"]
    if finding.p_adjusted is not None:
        parts.append(digits.p_value(finding.p_adjusted))
    return f"- {markdown_text(name)}: {estimate} ({', '.join(filter(None, parts))})"


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
