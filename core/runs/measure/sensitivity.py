"""Sensitivity of each “Yes”: it is measured again with one choice of the analysis changed at a time.

A choice is another stored scorer of the same role, the paper's own formula or another model, texts left out (refusals,
cut texts, exact duplicates), one wording of the prompts left out, or judgments made after a look. Only what is
stored is read: no text is written or scored again. The note of a finding keeps the result, and answers read it there.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from biasprint.core.compute import part_of_work
from biasprint.core.draw.words import DECIDES, doubted, null_value
from biasprint.core.findings import Finding, StudyResult, tried_sentence
from biasprint.core.jobs import JobContext
from biasprint.core.judging.looking import seen_count
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextKey
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.report.questions import answered, evidence
from biasprint.core.scorers.refusal import is_refusal
from biasprint.core.scorers.registry import usable
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.study import StudyDeclaration
from biasprint.core.studies.registry import studies
from biasprint.core.texts.generators import LETTER
from biasprint.core.texts.values import unscored

MOST_WORDINGS = 12  # of one column; with more of them one is a small part of the texts
AS_PUBLISHED = "with the formula as published"
REFUSALS, CUT, DUPLICATES = "without refusals", "without cut texts", "without exact duplicates"
Again = Callable[[Project, MeasureOptions], StudyResult]
Key = tuple[object, ...]


@dataclass(frozen=True)
class AnalysisChoice:
    """A change of the analysis. `name` follows “holds” or “not”. `left_out`: the texts that it leaves out; `role`: of
    the scorer that it replaces.
    """

    name: str
    options: MeasureOptions
    left_out: frozenset[TextKey] = frozenset()
    role: str = ""

    def concerns(self, finding: Finding) -> bool:
        """Return False for findings of another scorer, and for those about refusals where these are left out."""
        roles = {use.role for use in finding.scorers}
        if self.name == REFUSALS:
            return not {"refusal", "replies"} & {*finding.id.split("."), *roles} and "refusal" not in finding.id
        return not self.role or self.role in roles


def with_sensitivity(
    ctx: JobContext,
    project: Project,
    study: StudyDeclaration,
    study_id: int | None,
    options: MeasureOptions,
    result: StudyResult,
    again: Again,
) -> StudyResult:
    """Return the result with, in the note of each finding that makes a “Yes”, the choices under which it holds.

    `study_id`: of the texts that are measured; None where judgments alone are. `again`: measures a project that is read
    without some texts, with other options.
    """
    shown = [
        finding
        for question in answered(result.study, result.findings)
        for finding in evidence(result.study, question).shown
    ]
    if not shown:
        return result
    tried: dict[int, dict[str, bool]] = {id(finding): {} for finding in shown}
    choices = list(choices_of(project, study, study_id, options, shown))
    for done, choice in enumerate(choices):
        ctx.check()
        ctx.report(done, len(choices), note=choice.name)
        findings: tuple[Finding, ...] = ()
        with part_of_work():  # there may be too little left to be measured
            findings = again(project.without(choice.left_out), choice.options).findings
        index = {key_of(finding): finding for finding in findings}
        for finding in filter(choice.concerns, shown):
            other = _same(finding, index)
            if other is None or _numbers(other) != _numbers(finding):  # else it is not about what was changed
                tried[id(finding)][choice.name] = other is not None and _holds(finding, other)
    for finding in shown:
        tried[id(finding)] |= _beside(study, finding, result.findings)
    return replace(result, findings=tuple(_noted(finding, tried.get(id(finding))) for finding in result.findings))


def _noted(finding: Finding, tried: Mapping[str, bool] | None) -> Finding:
    if tried is None:
        return finding
    holds, fails = ([name for name, held in tried.items() if held is wanted] for wanted in (True, False))
    return replace(finding, note=f"{finding.note} {tried_sentence(holds, fails)}".strip())


# ---- Choices


def choices_of(
    project: Project, study: StudyDeclaration, study_id: int | None, options: MeasureOptions, shown: Sequence[Finding]
) -> Iterator[AnalysisChoice]:
    """Yield what can be changed with what is stored, those that change fewest texts first."""
    if study_id is not None:
        texts = list(_texts(project, study_id, studies().get(options.texts_of, study)))
        writers = {text.writer for text in texts}
        left_out = [
            choice
            for choice in _left_out(texts, options)
            # What one generator alone was asked is no wording of the same question.
            if {text.writer for text in texts if text.key not in choice.left_out} == writers
        ]
        yield from sorted(left_out, key=lambda choice: len(choice.left_out))
    if seen_count(project, [session.id for session in project.judging.sessions() if session.revealed_at is not None]):
        with_or_without = "without" if options.seen else "with"
        name = f"{with_or_without} judgments made after a look at the identities"
        yield AnalysisChoice(name, replace(options, seen=not options.seen))
    if study_id is not None:
        yield from _scorers(project, study, study_id, options, shown)


@dataclass(frozen=True)
class _Text:
    """A text as choices see it. `wordings`: the wording of its prompt, by what kind of wording it is; `writer`: its
    generator; `group`: what texts of a writer must share to be duplicates.
    """

    key: TextKey
    text: str
    cut: bool
    wordings: Mapping[str, str]
    writer: Key
    group: Key


def _texts(project: Project, study_id: int, study: StudyDeclaration) -> Iterator[_Text]:
    sets = {row.id: row for row in project.prompts.sets(study_id) if "imported" not in row.recipe}
    runs = {run.id: run for run in project.runs.all()}
    for row in project.outputs.each(OutputFilter(study_id=study_id, status="done")):
        run = runs[row.run_id]
        asked = sets.get(run.prompt_set_id)
        fields = {**row.fields, "task": row.task}
        wordings = {name: fields.get(name, "") for name in study.wordings}
        wordings["prompt set"] = f"{asked.name}, version {asked.version}" if asked else ""
        group = (row.axis, row.identity, *_group(row.fields))
        writer: Key = ("generator", run.generator_id)
        yield _Text(("output", row.id), row.text, row.finish_reason == "length", wordings, writer, group)
    letters = chunks(lambda after, limit: project.sources.page(study_id, after, limit, kind=LETTER), lambda row: row.id)
    for source in letters:
        wordings = {name: source.fields.get(name, "") for name in study.wordings}
        writer = ("model", source.fields.get("model", ""))
        yield _Text(("source", source.id), source.text, False, wordings, writer, _group(source.fields))


def _group(fields: Mapping[str, str]) -> Key:
    return fields.get("group", ""), fields.get("second_group", ""), fields.get("direction", "")


def _left_out(texts: Sequence[_Text], options: MeasureOptions) -> Iterator[AnalysisChoice]:
    refused = [text.key for text in texts if is_refusal(text.text)]
    cut = [text.key for text in texts if text.cut]
    for name, keys in ((REFUSALS, refused), (CUT, cut), (DUPLICATES, _duplicates(texts))):
        if keys:
            yield AnalysisChoice(name, options, frozenset(keys))
    for kind in dict.fromkeys(name for text in texts for name in text.wordings):
        counts = Counter(wording for text in texts if (wording := text.wordings[kind]))
        if 2 <= len(counts) <= MOST_WORDINGS:
            for wording in counts:
                keys = [text.key for text in texts if text.wordings[kind] == wording]
                yield AnalysisChoice(f"without the {kind} “{wording}”", options, frozenset(keys))


EXCLUSIONS = {"refusals": REFUSALS, "cut texts": CUT, "duplicates": DUPLICATES}  # rule of an analysis plan → choice


def excluded_texts(
    project: Project, study_id: int, study: StudyDeclaration, options: MeasureOptions
) -> dict[str, frozenset[TextKey]]:
    """Return the texts that each rule of the analysis plan leaves out; one that two rules fit, by the first alone."""
    if not options.exclusions:
        return {}
    choices = {choice.name: choice.left_out for choice in _left_out(list(_texts(project, study_id, study)), options)}
    by_rule: dict[str, frozenset[TextKey]] = {}
    for rule in options.exclusions:
        by_rule[rule] = choices.get(EXCLUSIONS[rule], frozenset()).difference(*by_rule.values())
    return by_rule


SHORT = 20  # words: replies that are shorter come again by themselves


def _duplicates(texts: Sequence[_Text]) -> list[TextKey]:
    """The texts that are the same as an earlier one of the same group and writer, short replies left aside."""
    first: dict[Key, TextKey] = {}
    same = [
        (text.key, first.setdefault((text.text, *text.writer, *text.group), text.key))
        for text in texts
        if _long(text.text)
    ]
    return [key for key, earlier in same if key != earlier]


def _long(text: str) -> bool:
    return len(text.split(maxsplit=SHORT)) > SHORT


def _scorers(
    project: Project, study: StudyDeclaration, study_id: int, options: MeasureOptions, shown: Sequence[Finding]
) -> Iterator[AnalysisChoice]:
    """Yield every other scorer of a role whose scores of all texts are stored."""
    used = dict.fromkeys((use.role, use.name) for finding in shown for use in finding.scorers)
    for role in dict.fromkeys(role for role, _ in used):
        asked_as = role if role in study.roles else "score" if "score" in study.roles else ""
        for info in usable(role) if asked_as else ():
            if (role, info.name) not in used and not unscored(project, info, study_id):
                changed = replace(options, scorers={**options.scorers, asked_as: info.name})
                yield AnalysisChoice(f"with the scorer “{info.name}”", changed, role=role)


# ---- Does a finding hold?


def _beside(study: StudyDeclaration, finding: Finding, findings: Sequence[Finding]) -> dict[str, bool]:
    """Return what the paper's own formula, and another model of the same question, say in the same findings."""
    said: dict[str, bool] = {}
    for other in findings:
        published = other.variant == "as_published" and finding.variant == "default" and other.p is not None
        if published and key_of(replace(other, variant="default")) == key_of(finding):
            said[AS_PUBLISHED] = _holds(finding, other)
    for name, other_id in study.other_models.get(finding.id, {}).items():
        of_model = [
            other
            for other in findings
            if other.id == other_id and other.dims == finding.dims and finding.label in (other.label, *_axis(other))
        ]
        if any(other.p is not None for other in of_model):
            said[name] = any(_holds(finding, other) for other in of_model)
    return said


def _axis(finding: Finding) -> tuple[str, ...]:
    """The label of what is measured of the whole axis of a finding."""
    return (finding.dims["axis"],) if "axis" in finding.dims else ()


def key_of(finding: Finding) -> Key:
    return finding.id, finding.label, finding.variant, finding.groups, tuple(sorted(finding.dims.items()))


def _same(finding: Finding, index: Mapping[Key, Finding]) -> Finding | None:
    """The finding of the same number; where it is called by its scorer, the one of another scorer of the same role."""
    if key_of(finding) in index:
        return index[key_of(finding)]
    about, tail = (finding.id, finding.variant, finding.groups, finding.dims), finding.label.partition(": ")[2]
    roles = {use.role for use in finding.scorers}
    alike = [
        other
        for other in index.values()
        if (other.id, other.variant, other.groups, other.dims) == about and roles & {use.role for use in other.scorers}
    ]
    named_alike = [other for other in alike if other.label.partition(": ")[2] == tail]
    return named_alike[0] if named_alike else alike[0] if len(alike) == 1 else None


def _numbers(finding: Finding) -> Key:
    return finding.estimate, finding.n, finding.p, finding.interval, finding.scorers


def _holds(finding: Finding, other: Finding) -> bool:
    """Return whether the other finding is significant as well, on the same side of no bias."""
    p = other.p if other.p_adjusted is None else other.p_adjusted
    if other.estimate is None or p is None or p > DECIDES or doubted(other):
        return False
    one, two = _side(finding, other), _side(other, finding)
    return one is None or two is None or one == two


def _side(finding: Finding, beside: Finding) -> bool | None:
    """Return whether it lies above the value without bias; of a spread, for whom it is what the other is about."""
    if finding.floor is not None and not finding.unit.startswith("difference"):
        mean = (finding.contrast or {}).get(beside.label)
        return None if mean is None else mean > 0
    null = null_value(finding)
    return None if null is None or finding.estimate is None else finding.estimate > null
