"""The findings of a project as the panel reads them, and the texts behind one: in a job, page by page, in words."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.findings import BETWEEN_GENERATORS, Finding
from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import unswayed
from biasprint.core.judging.workshop import tellable_sessions
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, OutputRow, SourceRow, StudyRow, TextKey
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.drafts import PLAIN_ARM
from biasprint.core.report.planned import StudyPlan, short_state
from biasprint.core.report.questions import answered
from biasprint.core.report.replies import reply_sentences
from biasprint.core.runs.analysis_plan import analysis_plan, locked_studies
from biasprint.core.runs.measure import ASKED, asked_again
from biasprint.core.scorers.lexicon import load_lexicon
from biasprint.core.scorers.registry import scorer_for
from biasprint.core.studies.compare.texts import BLOCK, compared_texts, groups_of
from biasprint.core.studies.creativity.choices import topic_of
from biasprint.core.studies.registry import studies
from biasprint.core.texts.exporting import matched_block
from biasprint.core.texts.generators import (
    LETTER,
    KnownGenerators,
    imported_name,
    known_generators,
    prompts_asked,
    runs_by_name,
    table_prompt,
    texts_of,
    texts_read,
)
from biasprint.core.texts.values import ORIGINAL_KEY, stored_values
from biasprint.desktop.widgets.words import plural, tr
from biasprint.desktop.wording.findings import (
    DIFFERENCES,
    FindingLine,
    FindingsData,
    Measurement,
    QuestionHead,
    line_of,
)
from biasprint.desktop.wording.generators import Titles, read_generators_of, read_titles


@dataclass(frozen=True)
class MeasuredText:
    """A text that was measured. `generator`: as the findings name it; `sides`: and the sets of runs it is in.

    `prompt`: the same for texts that answer the same prompt; empty where that is not known.
    """

    key: TextKey
    generator: str
    sides: tuple[str, ...]
    prompt: str


def read_texts(project: Project, study_id: int, recipe: Mapping[str, Any]) -> Iterator[MeasuredText]:
    """Yield the finished texts that were there when a study was measured, of the generators that were wanted.

    For findings from before recipes said that, all current texts.
    """
    asked, names = prompts_asked(project, study_id), _names(project, recipe)
    known = None if "generators" not in recipe else {entry["name"] for entry in recipe["generators"]}
    sides = [(entry["name"], frozenset(entry["runs"])) for entry in recipe.get("sides", ())]
    last = recipe.get("read_to")
    for row in project.outputs.each(OutputFilter(study_id=study_id, status="done")):
        name = names.get(row.run_id, "")
        of = tuple(side for side, runs in sides if row.run_id in runs)
        if (last is None or row.id <= last) and (known is None or name in known or of):
            yield MeasuredText(("output", row.id), name, of, asked[row.prompt_id])
    for source in chunks(lambda after, limit: project.sources.page(study_id, after, limit), lambda row: row.id):
        if source.kind == LETTER:
            name = imported_name(source.fields.get("model", ""))
            if known is None or name in known:
                yield MeasuredText(("source", source.id), name, (), table_prompt(source.fields))


def paired_texts(
    project: Project, study_id: int, finding: Finding, recipe: Mapping[str, Any]
) -> dict[TextKey, tuple[str, str]]:
    """Return, for a difference between two generators (or sets of runs), the texts of prompts that both answered.

    Text → the side whose it is, and its prompt.
    """
    prompts: dict[str, dict[TextKey, str]] = {name: {} for name in finding.groups}
    for text in read_texts(project, study_id, recipe):
        for side in (text.generator, *text.sides):
            if side in prompts and text.prompt:
                prompts[side][text.key] = text.prompt
    both = set.intersection(*(set(of.values()) for of in prompts.values())) if prompts else set()
    return {key: (side, prompt) for side, of in prompts.items() for key, prompt in of.items() if prompt in both}


def _names(project: Project, recipe: Mapping[str, Any]) -> dict[int, str]:
    """Run → the name of its generator in this recipe, else today's."""
    own = {run: entry["name"] for entry in recipe.get("generators", ()) for run in entry.get("runs", ())}
    return runs_by_name(project) | own


# ---- Findings

DEFAULT, IMPORTED = "default", "imported"
OF_EVERY = {"axis", "identity"}  # dims that a default output lacks, which is compared with all
COMPARED, NEWS = "compare", "news"
Rank = tuple[int, str]  # how much a text says about the finding, as a number and in words
_KINDS = {"output": "generated"}  # what a text is called where groups do not tell texts apart
WITH_ARM = ("completion", "news")  # studies whose models are named with the instruction they were given
WRITER_FIELDS = ("generator", "model")  # their values are names, which stay as they are written
UNTELLING = (
    "generator",
    "model",
    "kind",
    "group",
    "identity",
    "axis",
    "block",
    "sample",
    ORIGINAL_KEY,
    "name",
    "design",
)
SHORT = 40  # characters of a field in a title
CHECKED_EVERY = 250  # texts, between two looks at whether the person has cancelled


@dataclass(frozen=True)
class TextRef:
    """A reference to a stored text, without its content. Texts of one `block` were written to be compared."""

    key: TextKey
    study_id: int
    title: str
    note: str
    block: str = ""
    rank: int = 0


@dataclass(frozen=True)
class TextGroup:
    """The texts of one group, the most telling ones first."""

    key: str
    title: str
    refs: tuple[TextRef, ...]


@dataclass(frozen=True)
class Behind:
    """The texts behind a finding; groups in the finding's order.

    The dims and groups of a finding name the part of the study it is about. A text has the same words as fields of its
    prompt or of its table. These fields decide which texts belong to a finding, and to which group.
    """

    groups: tuple[TextGroup, ...] = ()

    @property
    def total(self) -> int:
        return sum(len(group.refs) for group in self.groups)


def texts_behind(
    ctx: JobContext, project: Project, study: str, finding: Finding, recipe: Mapping[str, Any] | None = None
) -> Behind:
    """Return every finished text that the finding is about. `recipe`: its own, with the limit and generators read."""
    asked = asked_again(recipe)
    row = project.studies.of_kind(asked.texts_of or study)
    if row is None:
        return Behind()
    columns = _compared_by(project, row.id, asked.columns) if study == COMPARED else {}
    titles, rank_of = read_titles(project), _ranking(project, finding)
    between = finding.id.endswith(BETWEEN_GENERATORS)
    common = paired_texts(project, row.id, finding, recipe or {}) if between else {}
    was_read = {text.key: text for text in read_texts(project, row.id, recipe or {})}
    texts: list[tuple[Mapping[str, str], TextRef]] = []
    said: dict[TextKey, Mapping[str, str]] = {}  # by their prompts
    for number, (fields, ref, text) in enumerate(_texts(project, row, titles)):
        if number % CHECKED_EVERY == 0:
            ctx.check()
        said[ref.key] = fields
        if study == COMPARED:
            if ref.key not in columns:
                continue
            fields = {**columns[ref.key], "generator": fields["generator"]}
            ref = replace(ref, block=fields.get(BLOCK, ""))
        if ref.key in was_read:
            fields = {**fields, "generator": was_read[ref.key].generator}
        elif fields["generator"]:
            continue
        if between:
            if ref.key not in common:
                continue
            side, prompt = common[ref.key]
            fields, ref = {**fields, "generator": side}, replace(ref, block=prompt)
        if not _fits(fields, finding.dims):
            continue
        if rank_of is None:
            texts.append((fields, ref))
        elif (ranked := rank_of(ref.key, text)) is not None:
            texts.append((fields, replace(ref, rank=ranked[0], note=ranked[1])))
    texts = _without_what_lacks(texts, finding.dims.keys() - OF_EVERY)
    if study == NEWS and not between and finding.id != "news.refusal_rate":
        texts = _with_partner(texts)
    groups = tuple(_grouped(_told_apart(texts, said), _groups(finding), finding.dims.get("axis", ""), titles))
    return Behind(_matched_alone(groups) if study == COMPARED else groups)


def _told_apart(
    texts: Sequence[tuple[Mapping[str, str], TextRef]], said: Mapping[TextKey, Mapping[str, str]]
) -> list[tuple[Mapping[str, str], TextRef]]:
    """Return the texts, those of one title with up to two fields of their prompts that differ, such as the ward."""
    by_title: dict[str, list[Mapping[str, str]]] = {}
    for _, ref in texts:
        by_title.setdefault(ref.title, []).append(said[ref.key])
    names = {title: _telling(same) for title, same in by_title.items() if len(same) > 1}

    def title(ref: TextRef) -> str:
        return " · ".join([ref.title, *filter(None, (said[ref.key].get(name) for name in names.get(ref.title, ())))])

    return [(fields, replace(ref, title=title(ref))) for fields, ref in texts]


def _telling(same: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the fields by which texts of one title differ most, which are short and name no writer."""
    values = {
        name: {fields.get(name, "") for fields in same}
        for name in dict.fromkeys(name for fields in same for name in fields)
        if name not in UNTELLING
    }
    short = {name: own for name, own in values.items() if len(own) > 1 and all(len(value) <= SHORT for value in own)}
    return sorted(short, key=lambda name: -len(short[name]))[:2]


def _compared_by(project: Project, study_id: int, columns: Mapping[str, str]) -> dict[TextKey, dict[str, str]]:
    """Return, for texts of a comparison of scores, their groups and the block they are matched by."""
    by_text = {}
    for text in compared_texts(project, study_id):
        own = {**text.fields, **{name: text.fields.get(column, "") for name, column in columns.items()}}
        named = {name: column[0] for name, column in groups_of([own]).items()}
        by_text[text.key] = {**named, BLOCK: own.get(BLOCK, "") or own.get("prompt", "")}
    return by_text


def _with_partner(texts: Sequence[tuple[Mapping[str, str], TextRef]]) -> list[tuple[Mapping[str, str], TextRef]]:
    """Return articles with an original, and originals with an article: only these are compared."""
    kinds: dict[str, set[bool]] = {}
    for fields, ref in texts:
        kinds.setdefault(ref.block, set()).add(fields["kind"] == "output")
    return [(fields, ref) for fields, ref in texts if len(kinds[ref.block]) == 2]


def _matched_alone(groups: tuple[TextGroup, ...]) -> tuple[TextGroup, ...]:
    """Keep, of two groups with matched texts, only the matched ones, in one order: the difference rests on these."""
    if len(groups) != 2:
        return groups
    both = {ref.block for ref in groups[0].refs if ref.block} & {ref.block for ref in groups[1].refs}
    if not both:
        return groups
    return tuple(
        replace(group, refs=tuple(sorted((ref for ref in group.refs if ref.block in both), key=lambda ref: ref.block)))
        for group in groups
    )


def read_text(project: Project, ref: TextRef) -> str:
    """Read the text itself, with its line breaks; empty where it is gone."""
    kind, number = ref.key
    if kind == "output":
        output = project.outputs.get(number)
        return output.text if output else ""
    page = project.sources.page(ref.study_id, number - 1, 1)
    if not page or page[0].id != number:
        return project.sources.texts([number]).get(number, "")  # one that was made to be judged
    line_break = page[0].fields.get("line_break", "")
    return page[0].text.replace(line_break, "\n") if line_break else page[0].text


def wanted_groups(finding: Finding) -> tuple[str, ...]:
    """Return the one group that the finding is about, where its label names one; else all of them."""
    return (finding.label,) if finding.label in finding.groups else finding.groups


# which texts


def _groups(finding: Finding) -> tuple[str, ...]:
    """Return the groups to show. A distance is from the default output; for others every group, the named one first."""
    named = wanted_groups(finding)
    if finding.id in ("creativity.distance", "creativity.rbs"):
        return (*named, DEFAULT)
    return tuple(dict.fromkeys((*named, *finding.groups)))


def _texts(project: Project, study: StudyRow, titles: Titles) -> Iterator[tuple[Mapping[str, str], TextRef, str]]:
    study_id, wrote = study.id, runs_by_name(project)
    for output in project.outputs.each(OutputFilter(study_id=study_id, status="done")):
        fields = {
            **output.fields,
            **{name: getattr(output, name) for name in ("axis", "identity", "task", "theme")},
            "topic": topic_of(output.theme) or output.fields.get("topic", ""),
            "model": _model(output, study.kind),
            "group": output.fields.get("group", output.identity),
            "kind": "output",
            "generator": wrote.get(output.run_id, ""),
        }
        title = _name(output.fields) or titles.about(output.task, output.theme) or output.prompt_key
        whose = fields["generator"] if fields["model"] == output.model else fields["model"]
        author = fields["model"] if output.backend == IMPORTED else f"{output.backend} · {whose}"
        note = "\n".join(part for part in (_asked(output.fields), author) if part)
        yield fields, TextRef(("output", output.id), study_id, title, note, _block(output)), output.text
    for source in chunks(lambda after, limit: project.sources.page(study_id, after, limit), lambda row: row.id):
        title = _name(source.fields) or f"{source.origin.rpartition(' ')[0] or source.origin}, {source.row}"
        ref = TextRef(("source", source.id), study_id, title, source.origin.rpartition(" ")[0], _block(source))
        whose = {"generator": imported_name(source.fields.get("model", "")) if source.kind == LETTER else ""}
        yield {"kind": source.kind, **source.fields, **whose}, ref, source.text


def _model(row: OutputRow, study: str) -> str:
    """Return the writer as the study's findings name it: some studies treat an instruction like a model of its own."""
    model, arm = row.fields.get("model") or row.model, row.fields.get("arm", PLAIN_ARM)
    return f"{model}, with {arm}" if study in WITH_ARM and arm != PLAIN_ARM else model


def _fits(fields: Mapping[str, str], dims: Mapping[str, str]) -> bool:
    """Return whether a text matches the dims, as far as it has them."""
    return all(not fields.get(name) or fields[name] == value for name, value in dims.items())


def _without_what_lacks(
    texts: Sequence[tuple[Mapping[str, str], TextRef]], dims: Collection[str]
) -> list[tuple[Mapping[str, str], TextRef]]:
    """Return the texts without those that lack a dim which others of their kind have: an original has no model, and an
    output without a topic is of none.
    """
    had = {(fields.get("kind"), name) for fields, _ in texts for name in dims if fields.get(name)}
    return [
        (fields, ref)
        for fields, ref in texts
        if all(fields.get(name) or (fields.get("kind"), name) not in had for name in dims)
    ]


def _name(fields: Mapping[str, str]) -> str:
    """Return a person's name for the text: "Kelly · dancer · 30", a headline, the sentence with its blank."""
    named = next((fields[name] for name in ("name", "headline", "context", "term") if fields.get(name)), "")
    return " · ".join(part for part in (named, fields.get("occupation", ""), fields.get("age", "")) if part)


def _asked(fields: Mapping[str, str]) -> str:
    """Return the question of a short reply: the sentence with its blank, and the options."""
    options = [fields[name] for name in ("positive", "negative", "neutral") if fields.get(name)]
    if not options:
        return ""
    choices = tr("Options: {options}").format(options=" / ".join(options))
    return "\n".join(part for part in (fields.get("context", ""), choices) if part)


def _block(row: OutputRow | SourceRow) -> str:
    story = row.fields.get("headline", "") or row.fields.get(ORIGINAL_KEY, "")
    if isinstance(row, SourceRow):
        return row.fields.get("block", "") or story
    letters = matched_block(row)
    return (
        (letters and f"{letters}/{row.sample}")
        or story
        or (f"{row.task}/{row.theme}/{row.sample}/{row.model}" if row.task else "")
    )


# in which group


def _grouped(
    texts: Sequence[tuple[Mapping[str, str], TextRef]], groups: Sequence[str], axis: str, titles: Titles
) -> Iterator[TextGroup]:
    """Yield the texts by the field that holds the groups; if none does (articles about both genders), by kind."""
    field = _group_field([fields for fields, _ in texts], groups)
    keys = groups if field != "kind" else list(dict.fromkeys(fields["kind"] for fields, _ in texts))
    members: dict[str, list[TextRef]] = {key: [] for key in keys}
    for fields, ref in texts:
        if (key := fields.get(field, "")) in members:
            members[key].append(ref)
    for key, refs in members.items():
        title = titles.identities.get((axis, key)) or _KINDS.get(key, key).replace("_", " ")
        title = key if field in WRITER_FIELDS else title[:1].upper() + title[1:]
        yield TextGroup(key, title, tuple(sorted(refs, key=lambda ref: -ref.rank)))


def _group_field(texts: Sequence[Mapping[str, str]], groups: Sequence[str]) -> str:
    """Return the field whose values are the groups: the first that knows the most of them."""
    names = dict.fromkeys(("group", "identity", *(name for fields in texts for name in fields)))
    known = {name: len({fields.get(name, "") for fields in texts} & set(groups)) for name in names}
    best = max(known, key=lambda name: known[name], default="kind")
    return best if known.get(best) else "kind"


# how much each says


def _ranking(project: Project, finding: Finding) -> Callable[[TextKey, str], Rank | None] | None:
    """Return the function that ranks or excludes texts, if the finding rests on some more than others, else None."""
    whose = finding.id.removesuffix(BETWEEN_GENERATORS)
    if finding.id.removesuffix(".adjusted") in ("creativity.share", "creativity.abs"):
        chosen = _times_chosen(project, finding.dims.get("axis", ""))
        return lambda key, text: chosen.get(key)
    if whose == "letters.lexicon.odds_ratio":
        counted = _words_found(project, finding)
        return lambda key, text: counted.get(key)
    if whose == "letters.word.odds_ratio":
        word = re.compile(rf"\b{re.escape(finding.label)}\b", re.IGNORECASE)
        return lambda key, text: _times_written(len(word.findall(text)), finding.label)
    return None


def _times_written(count: int, word: str) -> Rank:
    return count, plural(count, "“{word}” once", "“{word}” %n times").format(word=word)


def _times_chosen(project: Project, axis: str) -> Mapping[TextKey, Rank]:
    """Count how often people chose a text. Unrevealed sessions are excluded, since they must not be unblinded.

    Models, which judge a comparison in every order of its cards, count only where nobody else has judged.
    """
    times: Counter[TextKey] = Counter()
    finished = [session for session in project.judging.sessions() if session.revealed_at is not None]
    revealed = list(tellable_sessions(project, finished))
    people = {rater.id for rater in project.judging.raters() if rater.kind == "person"}
    revealed = [session for session in revealed if session.rater_id in people] or revealed
    comparisons: dict[str, ComparisonRow] = {}
    for plan_id in {session.plan_id for session in revealed}:
        comparisons |= {row.id: row for row in project.judging.comparisons(plan_id)}
    for session in revealed:
        for row in unswayed(project, session.id):
            comparison = comparisons[row.comparison_id]
            if row.chosen is not None and comparison.axis == axis and not comparison.repeat_of:
                times[comparison.items[row.chosen].key] += 1
    return {key: (count, plural(count, "chosen once", "chosen %n times")) for key, count in times.items()}


def _words_found(project: Project, finding: Finding) -> Mapping[TextKey, Rank]:
    """Count the words of the finding's category in each counted letter."""
    name = "lexicon_published" if finding.variant == "as_published" else "lexicon"
    place = 1 + [category.name for category in load_lexicon("letters").categories].index(finding.label)
    scored = stored_values(project, scorer_for("lexicon", name, name))
    counts = {key: int(values[place]) for key, values in scored.items()}
    return {
        key: (count, plural(count, "1 word of the category", "%n words of the category"))
        for key, count in counts.items()
    }


def _heads(lines: Sequence[FindingLine]) -> Iterator[QuestionHead]:
    """Return the questions that the lines answer, study by study, in the order of the studies."""
    titles = {line.study: line.shown.study for line in lines}
    for study, title in titles.items():
        for answer in answered(study, [line.finding for line in lines if line.study == study]):
            told = answer.told
            yield QuestionHead(study, answer.question, told.words, title if len(titles) > 1 else "", told.figures)


def _replies(lines: Sequence[FindingLine]) -> dict[str, tuple[str, ...]]:
    """Return by study what is to be known of replies that are no whole answers."""
    by_study: dict[str, list[Finding]] = {}
    for line in lines:
        by_study.setdefault(line.study, []).append(line.finding)
    told = {study: tuple(reply_sentences(findings)) for study, findings in by_study.items()}
    return {study: sentences for study, sentences in told.items() if sentences}


def read_plan_of(project: Project, study: str) -> StudyPlan | None:
    """Return a study's analysis plan; None where there is none, or none that is as it was locked."""
    with suppress(AppError):
        return analysis_plan(project, study)
    return None


def read_plan_state(project: Project, study: str) -> str:
    """Return the state of a study's analysis plan, or what is wrong with it; empty where there is none."""
    try:
        plan = analysis_plan(project, study)
    except AppError as error:
        return str(error)
    return short_state(plan) if plan else ""


class StoredFindings:
    """The findings of an open project. Called on worker threads only.

    Findings are measured from revealed sessions only, so that none unblinds an open session.
    """

    def __init__(self, project: "Project") -> None:
        self._project = project

    def load(self, ctx: JobContext) -> FindingsData:
        """Return every finding, study by study, in the order of its measurement."""
        titles, studies = read_titles(self._project), _study_titles()
        lines: list[FindingLine] = []
        plans = {study: read_plan_of(self._project, study) for study in locked_studies(self._project)}
        recipes: dict[tuple[str, str], Mapping[str, Any]] = {}  # one for all findings of a measurement
        for row in self._project.findings.all():
            ctx.check()
            recipe = recipes.setdefault((row.study, row.measurement), row.recipe)
            title = studies.get(row.study, row.study)
            lines.append(line_of(row.finding, row.study, title, titles, recipe, plans.get(row.study)))
        lines.sort(key=lambda line: line.shown.study)
        axes = dict.fromkeys(axis for line in lines if (axis := line.finding.dims.get("axis")))
        shown = tuple((axis, titles.axes.get(axis, axis)) for axis in axes)
        named = dict.fromkeys(line.generator for line in lines if line.generator is not None)
        generators = tuple(sorted(named, key=lambda name: name == DIFFERENCES))  # these come last
        return FindingsData(tuple(lines), shown, tuple(_heads(lines)), generators, _replies(lines))

    def measurements(self, ctx: JobContext) -> tuple[Measurement, ...]:
        """Return the last measurement of each study of the project, and the number of new texts since."""
        titles, once = _study_titles(), _read_once(self._project)
        measurements = []
        for study in self._project.studies.all():
            ctx.check()
            measurements.append(self._measurement(study, titles.get(study.kind, study.title), once))
        return tuple(measurements)

    def open_sessions(self) -> int:
        """Count people's sessions that wait for their reveal: no finding includes their judgments."""
        people = {rater.id for rater in self._project.judging.raters() if rater.kind == "person"}
        sessions = self._project.judging.sessions()
        return sum(session.revealed_at is None and session.rater_id in people for session in sessions)

    def texts(self, ctx: JobContext, line: FindingLine) -> Behind:
        """Return references to the texts behind a finding, group by group."""
        last = self._project.findings.last(line.study)
        return texts_behind(ctx, self._project, line.study, line.finding, last.recipe if last else None)

    def text(self, ref: TextRef) -> str:
        """Return one whole text."""
        return read_text(self._project, ref)

    def _measurement(self, study: "StudyRow", title: str, once: "_ReadOnce") -> Measurement:
        kind, own = study.kind, study.id
        last = self._project.findings.last(study.kind)
        other = asked_again(last.recipe if last else None).texts_of
        study = (other and self._project.studies.of_kind(other)) or study  # whose texts are measured
        writers = read_generators_of(self._project, study, last, once.generators)
        if last is None:
            texts = texts_of(self._project, study.id)
            return Measurement(kind, title, texts=texts, writers=writers, plan=read_plan_state(self._project, kind))
        at, plan = last.created_at, read_plan_state(self._project, kind)
        texts, read = texts_of(self._project, study.id), texts_read(last.recipe)
        written = OutputFilter(study_id=study.id, written_after=at, status="done")
        sources = self._project.sources.count(study.id, at)
        letters, originals = (0, sources) if study.kind == "news" else (sources, 0)
        new, left_out = self._project.outputs.count(written) + letters, 0
        if read is not None:  # else it was measured by a program that did not say what it read
            unread = max(0, texts - read)
            left_out = max(0, unread - new) if last.recipe.get(ASKED, {}).get("generators") else 0
            new = unread - left_out
        revealed = sum(then > at for then in once.revealed[own])
        return Measurement(kind, title, at, last.recipe, new, texts, revealed, left_out, originals, writers, plan)


@dataclass(frozen=True)
class _ReadOnce:
    """The data that is the same for every study. `revealed`: study → when its sessions were revealed."""

    generators: "KnownGenerators"
    revealed: Mapping[int, Sequence[str]]


def _read_once(project: "Project") -> _ReadOnce:
    studies = {plan.id: plan.study_id for plan in project.judging.plans()}
    revealed: dict[int, list[str]] = defaultdict(list)
    for session in project.judging.sessions():
        if session.revealed_at:
            revealed[studies[session.plan_id]].append(session.revealed_at)
    return _ReadOnce(known_generators(project), revealed)


def _study_titles() -> dict[str, str]:
    return {kind: study.title for kind, study in studies().items()}
