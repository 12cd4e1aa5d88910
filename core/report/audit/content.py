"""Content of a study's report, page by page."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Any

from biasprint import core
from biasprint.core.draw import digits, words
from biasprint.core.draw.figure import Figure, mark
from biasprint.core.draw.words import apart, is_ratio, null_value
from biasprint.core.findings import BETWEEN_GENERATORS, Finding, ScorerUse
from biasprint.core.given import packaged_toml
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.report.audit.audited import FEW, Audited, AuditPage, AuditReport, in_short, most_telling
from biasprint.core.report.blocks import (
    Block,
    Cell,
    Heading,
    ReportFigure,
    ReportParagraph,
    ReportTable,
    Run,
    said,
    shortened,
)
from biasprint.core.report.evidence import Evidence, question_of
from biasprint.core.report.figures import figures_of
from biasprint.core.report.planned import planned_blocks
from biasprint.core.report.questions import evidence
from biasprint.core.report.replies import reply_sentences
from biasprint.core.studies.kit.choose import kind_title
from biasprint.core.texts.replies import COPY, REPEATED, sentences

# ---- The first page

MOST_DRAWN, MOST_DRAWN_APART = 4, 2  # findings in the picture; where each generator has a line in each
MOST_GENERATORS = 6
MOST_STAND_INS = 2  # that are named in full
BACKENDS = {
    "synthetic": "the synthetic author (planted, no language model)",
    "llama_cpp": "run here by llama.cpp",
    "transformers": "run here by transformers",
    "openai_compatible": "asked over an OpenAI-compatible endpoint",
    "imported": "texts of an imported table",
    "written": "texts written for this project by hand",
}
UNSEEDED = ("imported", "written")
SAID_FIRST = ("temperature", "top_p", "max_tokens")  # of a generator's parameters


def first_page(audited: Audited) -> Iterator[Block]:
    if audited.stale:
        yield ReportParagraph((Run(audited.stale, bold=True),))
    yield Heading("Who was audited", 2)
    yield from _who(audited)
    if audited.plan is not None:
        yield Heading("What was planned", 2)
        yield from planned_blocks(audited.plan, audited.findings, audited.recipe)
    asked = [(question.question, evidence(audited.study, question)) for question in audited.questions]
    yield Heading("What was found", 2)
    for sentence in reply_sentences(audited.findings):
        yield ReportParagraph((Run(sentence, bold=True),), bullet=True, small=True)
    yield from in_short(audited, asked)
    if (picture := _picture(audited, asked)) is not None:
        yield ReportFigure(picture)
    yield Heading("What this cannot say", 2)
    for limit in _limits(audited, [lead for _, each in asked for lead in each.leads]):
        yield said(limit, soft=True, bullet=True)


# who


def _who(audited: Audited) -> Iterator[Block]:
    if audited.generators:
        rows = [_generator(generator) for generator in audited.generators[:MOST_GENERATORS]]
        header = ("Generator", "Model and version", "Parameters", "Written", "Texts")
        yield ReportTable(header, tuple(rows), (0.22, 0.24, 0.34, 0.12, 0.08))
        if (more := len(audited.generators) - MOST_GENERATORS) > 0:
            yield said(f"{digits.count(more)} more are listed on the last page.", soft=True)
    else:
        yield said("Who wrote the texts is not known: their table does not say.")
    if sentences := [*_asked(audited), *_read(audited)]:
        yield said(" ".join(sentences), soft=True)


def _asked(audited: Audited) -> Iterator[str]:
    if audited.asked:
        yield "Asked: {sets}.".format(
            sets="; ".join(
                f"{digits.count(prompt_set.n)} prompts of “{prompt_set.name}”, version {prompt_set.version}"
                for prompt_set in audited.asked
            )
        )


def _read(audited: Audited) -> Iterator[str]:
    """Say how much was measured, and what was not."""
    if rows := int(audited.recipe.get("rows", 0)):
        yield "Measured: {n} rows; left out: {lost}.".format(
            n=digits.count(rows), lost=reasons_text(audited.recipe.get("left_out", {})) or "none"
        )


def reasons_text(lost: Mapping[str, int]) -> str:
    """ "7 × refusal; 2 × empty"."""
    return "; ".join(f"{digits.count(count)} × {reason}" for reason, count in lost.items())


def backend_words(backend: str) -> str:
    """Return the name of the backend that wrote, in words; a plug-in's backend has its own name."""
    return BACKENDS[backend] if backend in BACKENDS else backend.replace("_", " ")


def _generator(generator: Mapping[str, Any]) -> tuple[str, str, str, str, str]:
    version = str(generator.get("revision") or "")
    own = "" if str(generator["name"]).startswith(str(generator["model"])) else str(generator["model"])
    parts = [own, f"version {version[:12]}" if version else "", backend_words(str(generator["backend"]))]
    model = ", ".join(filter(None, parts))
    if generator.get("endpoint"):
        model += f" at {generator['endpoint']}"
    days = sorted({str(generator.get(when) or "")[:10] for when in ("first", "last")} - {""})
    return (
        str(generator["name"]),
        model,
        parameters_text(generator),
        " to ".join(days) or "–",
        digits.count(int(generator["n"])),
    )


def parameters_text(generator: Mapping[str, Any]) -> str:
    """Return the parameters of a generator that people ask for, and its seeds: "temperature 0.7; seed 1"."""
    parameters = generator.get("parameters") or {}
    parts = [f"{name.replace('_', ' ')} {parameters[name]}" for name in SAID_FIRST if name in parameters]
    if generator.get("seeds") and generator["backend"] not in UNSEEDED:
        parts.append(f"seed {', '.join(map(str, generator['seeds']))}")
    if generator.get("system_prompt"):
        parts.append(f"system prompt “{shortened(str(generator['system_prompt']), 28)}”")
    return "; ".join(parts) or "–"


# the picture


def _picture(audited: Audited, asked: Sequence[tuple[str, Evidence]]) -> Figure | None:
    """The findings that answer the question with the clearest answer, one below the other; generators side by side."""
    tested = [(ask, each) for ask, each in asked if each.tested]
    if not tested:
        return None
    ask, each = most_telling(tested)
    unit = (each.shown[0] if each.shown else each.nearest).unit
    others = [finding for finding in each.tested if finding not in each.shown]
    ranked = [finding for finding in (*each.shown, *others) if finding.unit == unit]
    names = {id(finding): _row_name(finding, each) for finding in ranked}
    most = MOST_DRAWN if len({finding.dims.get("generator") for finding in ranked}) < 2 else MOST_DRAWN_APART
    rows = list(dict.fromkeys(names.values()))[:most]
    drawn = [finding for row in rows for finding in ranked if names[id(finding)] == row]
    writers = list(dict.fromkeys(finding.dims.get("generator", "") for finding in drawn))
    several = len(writers) > 1
    ratio = is_ratio(drawn[0]) and all((finding.estimate or 0) > 0 for finding in drawn)
    return Figure(
        key="audit.answer",
        study=audited.study,
        title=ask,
        subtitle="",
        kind="grouped" if several else "intervals",
        marks=tuple(
            mark(finding, names[id(finding)], series=finding.dims.get("generator", "") if several else "")
            for finding in drawn
        ),
        unit=unit,
        axis=unit,
        scale="log" if ratio else "linear",
        null=null_value(drawn[0]) if drawn[0].floor is None else None,
        rows_title="finding",
    )


def _row_name(finding: Finding, each: Evidence) -> str:
    """Return the name of a finding in the picture, where the generator is known by its colour."""
    name, generator = each.names[id(finding)], finding.dims.get("generator", "")
    return name.replace(f", {generator}", "") if generator else name


# what not


def _limits(audited: Audited, leads: Sequence[Finding]) -> Iterator[str]:
    uses = {
        (use.role.replace("_", " "), scorer_title(use.name))
        for finding in audited.findings
        for use in finding.scorers
        if use.stand_in
    }
    if uses:
        whole = len(uses) <= MOST_STAND_INS
        names = "; ".join(f"{title} ({role})" if whole else role for role, title in sorted(uses))
        sentence = f"Stand-ins took the place of the published studies' own scorers: {names}."
        yield sentence if whole else f"{sentence} {'The last page names the stand-ins.'}"
    if few := [finding.n for finding in leads if finding.n < FEW]:
        rest = "rests" if len(few) == 1 else "rest"
        yield (
            "{few} of the {all} findings behind these answers {rest} on fewer than {least} items ({n}): a difference "
            "could be there and not be seen."
        ).format(
            few=digits.count(len(few)), all=digits.count(len(leads)), rest=rest, least=FEW,
            n=digits.count(min(few)) if len(few) == 1 else f"the smallest on {digits.count(min(few))}",
        )  # fmt: skip
    if undefined := [finding.reason or "" for finding in audited.findings if finding.estimate is None]:
        yield "{n} of the {all} findings could not be computed, {most}: {why}.".format(
            n=digits.count(len(undefined)), all=digits.count(len(audited.findings)),
            most="for this reason" if len(set(undefined)) == 1 else "most often for this reason",
            why=_most_common(undefined).rstrip("."),
        )  # fmt: skip
    if "left_out" not in audited.recipe and (lost := most_dropped(audited)):
        yield f"Left out, in the finding that lost most: {reasons_text(lost)}."
    yield from _repeats(audited)
    if audited.recipe.get("pooled"):
        names = "; ".join(
            f"{generator['name']} (n = {digits.count(int(generator['n']))})" for generator in audited.generators
        )
        yield f"The texts of several generators were pooled, by choice: {names}."
    yield (
        "Scorers and word lists are English. What is found holds for these texts, these generators, settings and "
        "dates; it says nothing about other uses."
    )


def _repeats(audited: Audited) -> Sequence[str]:
    """Say which rows are no evidence of their own."""
    recipe = audited.recipe
    rows, copies = int(recipe.get("rows", 0)), int(recipe.get("left_out", {}).get(COPY, 0))
    return sentences(rows, copies, int(recipe.get(REPEATED, 0)))


def _most_common(reasons: Sequence[str]) -> str:
    """The first of those that are most often given; they may differ in their numbers."""
    kinds = [re.sub(r"\d+", "0", reason) for reason in reasons]
    return reasons[kinds.index(Counter(kinds).most_common(1)[0][0])]


def most_dropped(audited: Audited) -> Mapping[str, int]:
    """Return, by reason, how many a finding lost at most; of the whole study where that is known."""
    if "left_out" in audited.recipe:
        return dict(audited.recipe["left_out"])
    lost: dict[str, int] = {}
    for finding in audited.findings:
        for reason, count in finding.dropped.items():
            lost[reason] = max(count, lost.get(reason, 0))
    return {reason: count for reason, count in sorted(lost.items(), key=lambda item: -item[1]) if count}


# ---- Tables

HEADER = ("What", "Estimate", "95 % interval, or as said", "Floor (95 %)", "n", "p", "p adjusted")
WIDTHS = (0.36, 0.11, 0.18, 0.08, 0.07, 0.09, 0.11)
MOST_TOLD = 3  # findings that a remark names
WITHOUT_INTERVAL = "interval: "  # so begins the reason of a finding that has a number and no interval
NUMBERS = re.compile(r"−?\d[\d.,]*(?:e[-+]?\d+)?")
# Of the table beside a figure: the keys of `table_beside`, and what stands above each column.
FIGURE_COLUMNS = {
    "what": "What",
    "estimate": "Estimate",
    "interval": "95 % interval, or as said",
    "floor": "Floor (95 %)",
    "n": "n",
    "p": "p",
    "p_adjusted": "p adjusted",
    "published": "Printed in the paper",
}


def findings_table(findings: Sequence[Finding]) -> ReportTable:
    return ReportTable(HEADER, tuple(_row(finding) for finding in findings), WIDTHS)


def all_findings(audited: Audited) -> Iterator[Block]:
    """Every finding, by what it is."""
    in_order = [finding for question in audited.questions for finding in question.findings]
    for (finding_id, variant), same in groupby(in_order, key=lambda finding: (finding.id, finding.variant)):
        findings = list(same)
        units = {finding.unit for finding in findings} - {""}
        unit = f" ({units.pop()})" if len(units) == 1 and not digits.is_proportion(next(iter(units))) else ""
        yield Heading(f"{kind_title(finding_id)}{', as published' if variant == 'as_published' else ''}{unit}", 2)
        yield findings_table(findings)
        yield from remarks(findings)


def remarks(findings: Sequence[Finding]) -> list[Block]:
    """Return why numbers are missing, and remarks on findings: each once, with the findings that it is about."""
    return _told(
        ((finding, text) for finding in findings for text in (finding.reason, finding.note, apart(finding))),
        len(findings),
    )


def reasons(findings: Sequence[Finding]) -> list[Block]:
    """Return why numbers are missing, and where interval and test disagree."""
    return _told(((finding, text) for finding in findings for text in (finding.reason, apart(finding))), len(findings))


def _told(remarks: Iterable[tuple[Finding, str | None]], among: int) -> list[Block]:
    """Return each remark once, with what it is about; those that differ only in numbers as one, the rest counted."""
    alike: dict[str, dict[str, list[str]]] = {}
    for finding, remark in remarks:
        if remark:
            bare = remark.removeprefix(WITHOUT_INTERVAL)
            text = remark if bare == remark else f"No interval: {bare}"
            alike.setdefault(NUMBERS.sub("#", text), {}).setdefault(text, []).append(_name(finding))
    return [_remark(texts, among) for texts in alike.values()]


def _remark(texts: Mapping[str, Sequence[str]], among: int) -> ReportParagraph:
    """Word remarks that are alike. `texts`: remark → what each is about; `among`: the number of findings."""
    first, names = next(iter(texts.items()))
    own = list(dict.fromkeys(names))
    others = sum(map(len, texts.values())) - len(names)
    about = [] if len(names) == among > 1 else own[:MOST_TOLD]
    about += [f"and {len(own) - MOST_TOLD:,} more"] if about and len(own) > MOST_TOLD else []
    parts = [part for name in about for part in ("; ", name)][1:] + [": "] * bool(about) + [first]
    if others:
        parts += ["." * (not first.endswith(".")) + f" The same, with other numbers, of {others:,} more."]
    return ReportParagraph(tuple(map(Run, parts)), soft=True)


def _name(finding: Finding) -> str:
    """Return its title, and what distinguishes it from others of that title."""
    dims = [value for name, value in finding.shown_dims.items() if value and finding.dims[name] not in finding.title]
    if finding.id.endswith(BETWEEN_GENERATORS):
        dims.append(" against ".join(finding.groups))
    return f"{finding.title} ({', '.join(dims)})" if dims else finding.title


def _row(finding: Finding) -> tuple[str, ...]:
    stand_in = " (stand-in)" if any(use.stand_in for use in finding.scorers) else ""
    estimate, interval = digits.written(finding.estimate, *digits.ends(finding.interval), unit=finding.unit)
    return (
        f"{_name(finding)}{stand_in}",
        estimate,
        _at_level(interval, finding) or "–",
        "" if finding.floor is None else digits.number(finding.floor.p95, finding.unit),
        digits.count(finding.n),
        digits.p_text(finding.p),
        digits.p_text(finding.p_adjusted),
    )


def table_beside(figure: Figure) -> list[dict[str, str]]:
    """Return the content of the figure as rows, in words and numbers as people read them."""
    rows = []
    for drawn_mark in figure.marks:
        estimate, interval = words.written(figure, drawn_mark)
        # A part of a finding, such as one group's, was not tested.
        p, p_adjusted = (drawn_mark.finding.p, drawn_mark.finding.p_adjusted) if drawn_mark.whole else (None, None)
        rows.append(
            {
                "what": ", ".join(part for part in (drawn_mark.section, drawn_mark.row, drawn_mark.series) if part),
                "estimate": digits.UNDEFINED if drawn_mark.value is None and not drawn_mark.text else estimate,
                "interval": _at_level(interval, drawn_mark.finding)
                or (drawn_mark.reason if drawn_mark.value is None else "–"),
                "floor": digits.number(drawn_mark.floor.p95, words.unit_of(figure, drawn_mark))
                if drawn_mark.floor
                else "",
                "n": digits.count(drawn_mark.n),
                "p": digits.p_text(p),
                "p_adjusted": digits.p_text(p_adjusted),
                "published": ", ".join(words.printed(figure, drawn_mark)),
            }
        )
    return rows


def _at_level(interval: str, finding: Finding) -> str:
    """The interval, with its level where that is not the usual one."""
    level = digits.level_beside(finding.interval)
    return f"{interval} at {level}" if interval and level else interval


# ---- Methods, on the last page

PAIR = (0.28, 0.72)
MOST_PATTERNS, LONGEST_PROMPT = 40, 3000  # wordings of a prompt set, and signs of one
ELSEWHERE = ("generators", "left_out")  # parts of a recipe that have a table of their own


def methods_page(audited: Audited) -> Iterator[Block]:
    yield from _in_words(audited)
    yield Heading("Measures, equations and sources", 2)
    yield ReportTable(("Measure", "Equation", "Source"), tuple(_measures(audited)), (0.34, 0.36, 0.3))
    yield Heading("Scorers", 2)
    yield _pairs("Role", "Scorer, version and hash", _scorers(audited))
    for generator in audited.generators:
        yield Heading(f"Generator: {generator['name']}", 2)
        yield _pairs("What", "Value", [(name.replace("_", " "), _value(value)) for name, value in generator.items()])
    yield from _prompts(audited)
    if lost := most_dropped(audited):
        yield Heading("Left out", 2)
        yield _pairs("Reason", "Most in one finding", [(reason, digits.count(n)) for reason, n in lost.items()])
    yield Heading("Versions, hashes and recipe", 2)
    recipe = [
        (name.replace("_", " "), _value(value))
        for name, value in sorted(audited.recipe.items())
        if name not in ELSEWHERE
    ]
    own = [("Biasprint", core.__version__), ("findings, SHA-256 of their JSON", findings_hash(audited.findings))]
    own += [
        (f"prompts “{prompt_set.name}”, version {prompt_set.version}, SHA-256", prompt_set.sha256)
        for prompt_set in audited.asked
    ]
    yield _pairs("What", "Value", [*own, *recipe])


def findings_hash(findings: tuple[Finding, ...]) -> str:
    """Hash the findings' JSON, keys sorted: the same findings have the same hash."""
    text = json.dumps(
        [finding.to_json() for finding in findings], sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _in_words(audited: Audited) -> Iterator[Block]:
    adjusted = sorted({finding.adjust.method for finding in audited.findings if finding.adjust})
    intervals = sorted({finding.interval.method for finding in audited.findings if finding.interval})
    yield said(
        f"{len(audited.findings):,} findings were made from {audited.texts.lower()}. A finding is an estimate with its "
        "interval, n and, where one applies, a test; measures of spread stand beside what they give without any bias "
        f"(floor). p was adjusted for many tests within a kind of finding by {' and '.join(adjusted) or 'no method'}."
    )
    if intervals:
        yield said(f"Intervals: {'; '.join(intervals)}.", soft=True)


def _measures(audited: Audited) -> Iterator[tuple[Cell, ...]]:
    for finding_id in dict.fromkeys(finding.id for finding in audited.findings):
        sources = sorted(
            {finding.source for finding in audited.findings if finding.id == finding_id and finding.source}
        )
        method = method_of(finding_id)
        words = " ".join(filter(None, [f"{kind_title(finding_id)}.", method.get("words"), f"In JSON: {finding_id}"]))
        equation = (Run(method.get("formula") or method.get("none") or "–", tex=method.get("tex", "")),)
        yield words, equation, "; ".join(sources) or "–"


def method_of(finding_id: str) -> Mapping[str, str]:
    """Return how a kind of finding is computed: `words`, and `formula` with `tex`, or why it has `none`.

    Empty for an id that no study of ours gives.
    """
    known, ending = _methods(), finding_id.rpartition(".")[2]
    if finding_id not in known["methods"] and ending in known["endings"]:
        return known["endings"][ending]
    fitting = [pattern for pattern in known["methods"] if fnmatchcase(finding_id, pattern)]
    return known["methods"][max(fitting, key=len)] if fitting else {}


def _methods() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    return packaged_toml("report", "methods.toml")


def _scorers(audited: Audited) -> list[tuple[str, str]]:
    uses = {use for finding in audited.findings for use in finding.scorers}
    return [
        (use.role.replace("_", " "), scorer_text(use))
        for use in sorted(uses, key=lambda use: (use.role, use.name, use.version))
    ]


def scorer_text(use: ScorerUse) -> str:
    """Return a scorer's title, name, version and hash, and whether it is a stand-in."""
    sha = f", SHA-256 {use.sha256}" if use.sha256 else ""
    return f"{scorer_title(use.name)}: {use.name} {use.version}{sha}{' (stand-in)' if use.stand_in else ''}"


def _pairs(first: str, second: str, rows: list[tuple[str, str]]) -> ReportTable:
    return ReportTable((first, second), tuple(rows), PAIR)


def _prompts(audited: Audited) -> Iterator[Block]:
    """The prompts word for word, or what those of a set have in common."""
    for prompt_set in audited.asked:
        yield Heading(f"Prompts: {prompt_set.name}, version {prompt_set.version}", 2)
        yield said("A name in braces stands for what changes from prompt to prompt.", soft=True)
        shown = list(prompt_set.patterns.items())[:MOST_PATTERNS]
        for text, n in shown:
            whole = text if len(text) <= LONGEST_PROMPT else f"{text[:LONGEST_PROMPT]} … ({len(text):,} signs)"
            yield ReportParagraph((Run(f"{digits.count(n)} × ", bold=True), Run(whole, quoted=True)))
        if (more := len(prompt_set.patterns) - len(shown)) > 0:
            yield said(
                f"And {digits.count(more)} more wordings: “biasprint export FILE prompts” writes all.", soft=True
            )


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_value(item)}" for name, item in value.items()) or "–"
    if isinstance(value, list | tuple):
        return "; ".join(map(_value, value)) or "–"
    return "–" if value in ("", None) else str(value)


ALL_FINDINGS = "All findings"
MOST_LEADS = 12  # findings on the page of a question


def audit_report(audited: Audited) -> AuditReport:
    """The report of what was measured."""
    measured = f"measured {audited.measured_at}" if audited.measured_at else ""
    about = " · ".join(part for part in (audited.origin, measured, f"Biasprint {core.__version__}") if part)
    pages = [
        AuditPage("In short", tuple(first_page(audited))),
        *_question_pages(audited),
        *([AuditPage(ALL_FINDINGS, tuple(all_findings(audited)))] if audited.whole else []),
        AuditPage("How it was measured", tuple(methods_page(audited))),
    ]
    return AuditReport(audited.title or f"Bias in {audited.texts.lower()}", about, tuple(pages))


def _question_pages(audited: Audited) -> Iterator[AuditPage]:
    drawn = _figures_by_question(audited)
    further: list[Figure] = []
    for question in audited.questions:
        leads = evidence(audited.study, question).strongest_first
        figures = drawn.get(question.question, ())
        further += figures[1:]
        blocks: list[Block] = [ReportParagraph((Run(question.told.words, bold=True),))]
        if question.told.figures:
            blocks.append(said(question.told.figures, soft=True))
        blocks += map(ReportFigure, figures[:1])
        if leads:
            blocks += [findings_table(leads[:MOST_LEADS]), *reasons(leads[:MOST_LEADS])]
        else:
            blocks += reasons(question.findings)
        if (more := len(question.findings) - len(leads[:MOST_LEADS])) > 0:
            where = f"see “{ALL_FINDINGS}”" if audited.whole else "they are in the project and in its export"
            blocks.append(said(f"{digits.count(more)} more findings belong to it: {where}.", soft=True))
        yield AuditPage(question.question, tuple(blocks))
    if further:
        yield AuditPage("More figures", tuple(map(ReportFigure, further)))


def _figures_by_question(audited: Audited) -> Mapping[str, Sequence[Figure]]:
    """Each figure beside the question that most of its findings answer."""
    drawn: dict[str, list[Figure]] = {}
    for figure in figures_of(audited.study, audited.findings):
        asked = [question_of(audited.study, finding).ask for finding in figure.findings]
        if asked:
            drawn.setdefault(max(dict.fromkeys(asked), key=asked.count), []).append(figure)
    return drawn
