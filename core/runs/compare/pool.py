"""The texts of a project that can be compared: studies, axes, the runs that wrote texts, and the pool of candidates."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import Candidate, LeftOut, PlanKind
from biasprint.core.project.project import Project
from biasprint.core.project.rows import GeneratorRow, OutputRow, SourceRow, StudyRow
from biasprint.core.project.specs import SourceSpec
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts import Axis, available_axes, load_axis
from biasprint.core.prompts.drafts import DEFAULT_IDENTITY
from biasprint.core.texts.values import KIND as ORIGINAL_SOURCE

# ---- The pool: texts of one study that could be cards, and what must be equal between them

# Texts that answer one prompt more than once, in further runs say, get numbers beyond those of all samples.
SAMPLES = 10_000
LONGEST_THEME = 160


@dataclass(frozen=True)
class CompareRequest:
    """A request to compare. `axes`: keys, or KEY:one,other for some of an axis's identities. `models`: labels of
    generators (see writers).

    `cards`: how many of them a comparison shows where there are more; 0: all, and at most MOST_CARDS.
    """

    study: StudyRow
    axes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    seed: int = 0
    cards: int = 0


@dataclass(frozen=True)
class Pool:
    """The texts that could be cards. `axes`: axis → the identities that a comparison on it shows. `left_out`: texts
    that never were candidates.

    `new`: texts that are stored once they are drawn, by a negative number in place of their source's id. `definitions`:
    axes that the project has no copy of yet.
    """

    candidates: list[Candidate]
    axes: Mapping[str, tuple[str, ...]]
    left_out: tuple[LeftOut, ...] = ()
    new: Mapping[int, SourceSpec] = field(default_factory=dict)
    definitions: tuple[Axis, ...] = ()


def check_study(study: StudyRow) -> None:
    """Raise AppError for a study whose outputs are no texts to read side by side."""
    if study.kind == "completion":
        raise AppError(
            "The completion study has no texts to compare: its outputs are the options that were chosen.",
            kept="No plan was made.",
            hint="Compare texts of a creativity, letters or news study.",
        )


def outputs(ctx: JobContext, project: Project, study_id: int) -> Iterator[OutputRow]:
    """Yield every output of the study, failed ones too, while the job reports."""
    where = OutputFilter(study_id=study_id)
    total = project.outputs.count(where)
    for number, row in enumerate(project.outputs.each(where), start=1):
        ctx.check()
        yield row
        ctx.report(number, total, note="reading outputs")


def sources(project: Project, study_id: int, kind: str) -> Iterator[SourceRow]:
    """Yield the study's texts of one kind that no prompt asked for."""
    yield from chunks(lambda after, limit: project.sources.page(study_id, after, limit, kind=kind), lambda row: row.id)


def problem_of(row: OutputRow) -> str:
    """Return why an output cannot be shown, or ""."""
    return "its generation failed" if row.status != "done" else "" if row.text.strip() else "its text is empty"


def theme_of(kind: str, theme: str, fields: Mapping[str, str]) -> str:
    """Return the theme to balance by: a letter's occupation, elsewhere the prompt's theme (a domain in news)."""
    return fields.get("occupation", "")[:LONGEST_THEME] if kind == "letters" else theme


def shown_theme(kind: str, theme: str, fields: Mapping[str, str], hidden: Collection[str]) -> str:
    """Return the theme that raters may read: in news the headline that both articles were written for.

    Empty where it holds one of the words in `hidden` (identities that are compared), which would name them.
    """
    theme_words = " ".join(fields.get("headline", "").split())[:LONGEST_THEME] if kind == "news" else theme
    return "" if names_one_of(theme_words, hidden) else theme_words


def names_one_of(text: str, words: Collection[str]) -> bool:
    """Return whether one of these is in the text as a word of its own, in any case and with any sign between its
    parts.
    """
    plain = f" {_plain(text)} "
    return any(f" {_plain(word)} " in plain for word in words if _plain(word))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.replace("_", " ").casefold()))


class SampleNumbers:
    """Numbers the texts of one place and identity, so that the n-th of one identity meets the n-th of another."""

    def __init__(self) -> None:
        self._seen: defaultdict[tuple[object, ...], int] = defaultdict(int)

    def sample(self, sample: int, *place: object) -> int:
        """Return the sample's number, beyond all samples for each text that stood in this place before."""
        key = (sample, *place)
        self._seen[key] += 1
        return sample + SAMPLES * (self._seen[key] - 1)


# ---- The axes on which texts of a study can be compared: from its prompts, from imported letters, from definitions

MOST_CARDS = 3
GROUPS = "group"  # the axis of imported texts whose groups belong to no axis that is known


@dataclass(frozen=True)
class KnownAxis:
    """An axis as comparisons and findings name it. `identities`: key → label, in its order.

    `written`: the identities that prompts or letters of the study have. `shipped`: its definition, where the project
    has no copy of it.
    """

    id: str
    title: str
    identities: Mapping[str, str]
    written: frozenset[str]
    shipped: Axis | None = None

    @property
    def hidden(self) -> set[str]:
        """The words that no title may hold while its comparisons are judged: the axis and what is compared on it."""
        return {self.id, self.title, *self.identities, *self.identities.values()}


def known_axes(project: Project, study: StudyRow) -> dict[str, KnownAxis]:
    """Return by id the axes that the study's texts are written on, then those that the project has a copy of."""
    written, groups = _written(project, study)
    axes = {axis: _known(project, axis, identities) for axis, identities in written.items()}
    if groups and (axis := _axis_of_groups(project, groups)) not in axes:  # imported: nothing more of it will come
        whole = _known(project, axis, frozenset(groups))
        axes[axis] = replace(whole, identities={key: label for key, label in whole.identities.items() if key in groups})
    for row in project.axes.in_use().values():
        axis = str(row.definition.get("reported_as") or row.key)
        axes.setdefault(axis, _known(project, axis, frozenset()))
    return axes


def chosen_axes(
    project: Project, study: StudyRow, wanted: Sequence[str], *, any_number: bool = False
) -> dict[str, tuple[KnownAxis, tuple[str, ...]]]:
    """Return the axes that were asked for with the identities to compare, by id in alphabetical order.

    Raises UsageError for an axis or identity that is not there, and for more identities than a comparison shows unless
    there may be `any_number`.
    """
    known = known_axes(project, study)
    by_name = {**_keys_of_reported(project), **{axis: axis for axis in known}}
    chosen = {}
    for each in wanted:
        name, colon, some = each.partition(":")
        if name not in by_name:
            available = ", ".join(sorted(known)) or "none yet"
            raise UsageError(f"The project has no axis “{name}”.", hint=f"Its axes: {available}.")
        axis = known[by_name[name]]
        chosen[axis.id] = (axis, _chosen_identities(axis, some, any_number) if colon else _whole(axis, any_number))
    return dict(sorted(chosen.items()))


SOME_AT_A_TIME = "or “--cards 2” compares more than three in pairs, and ranks them"


def _whole(axis: KnownAxis, any_number: bool) -> tuple[str, ...]:
    identities = tuple(axis.identities)
    written = tuple(name for name in identities if name in axis.written)
    if any_number:
        return written if len(written) >= 2 else identities
    if len(identities) > MOST_CARDS and 2 <= len(written) <= MOST_CARDS:
        return written
    if len(identities) > MOST_CARDS:
        example = ",".join(identities[:2])
        raise UsageError(
            f"The axis {axis.id} has {len(identities)} identities, and a comparison shows two or three.",
            hint=f"Choose which, such as {axis.id}:{example} (there are {', '.join(identities)}), {SOME_AT_A_TIME}.",
        )
    return identities


def _chosen_identities(axis: KnownAxis, listed: str, any_number: bool) -> tuple[str, ...]:
    wanted = [name.strip() for name in listed.split(",") if name.strip()]
    for name in wanted:
        if name not in axis.identities:
            available = ", ".join(axis.identities)
            raise UsageError(f"The axis {axis.id} has no identity “{name}”.", hint=f"It has {available}.")
    many = len(set(wanted))
    if many < 2 or (many > MOST_CARDS and not any_number):
        raise UsageError(
            f"A comparison shows two or three identities, not {many}.",
            hint=f"For example {axis.id}:{','.join(list(axis.identities)[:2])}, {SOME_AT_A_TIME}.",
        )
    return tuple(name for name in axis.identities if name in wanted)  # in the axis's order, whatever was typed


def _known(project: Project, axis: str, written: frozenset[str]) -> KnownAxis:
    """Return the axis by the definition that knows most of what was written: two axes may be reported under
    one name.
    """
    own = [
        row
        for row in project.axes.in_use().values()
        if axis in (row.key, row.definition.get("reported_as")) and not _lacks(row.definition["identities"], written)
    ]
    if own:
        row = max(own, key=lambda row: (row.key == axis, row.id))
        labels = {
            str(identity["key"]): str(identity.get("label", identity["key"]))
            for identity in row.definition["identities"]
        }
        return KnownAxis(axis, row.title, labels, written)
    for definition in _shipped():
        if definition.id == axis and written <= {identity.key for identity in definition.identities}:
            labels = {identity.key: identity.label for identity in definition.identities}
            return KnownAxis(axis, definition.title, labels, written, definition)
    return KnownAxis(axis, axis.replace("_", " ").capitalize(), {name: name for name in sorted(written)}, written)


def _lacks(identities: Sequence[Mapping[str, object]], written: Collection[str]) -> bool:
    return bool(set(written) - {str(identity["key"]) for identity in identities})


def _written(project: Project, study: StudyRow) -> tuple[dict[str, frozenset[str]], set[str]]:
    """Return by axis the identities that the study's prompts have, and the groups of imported texts and letters."""
    written: dict[str, set[str]] = {}
    groups = {row.fields.get("group", "") for row in sources(project, study.id, "letter")} - {""}
    for prompt_set in project.prompts.sets(study.id):
        page = chunks(lambda after, limit: project.prompts.page(prompt_set.id, after, limit), lambda row: row.id)  # noqa: B023
        for prompt in page:
            if prompt.identity not in ("", DEFAULT_IDENTITY):
                (written.setdefault(prompt.axis, set()) if prompt.axis else groups).add(prompt.identity)
    return {axis: frozenset(identities) for axis, identities in sorted(written.items())}, groups


def imported_axis(project: Project, study: StudyRow) -> str:
    """Return the axis of the study's imported texts and letters, whose tables name groups and no axis; "" for none."""
    groups = _written(project, study)[1]
    return _axis_of_groups(project, groups) if groups else ""


def _axis_of_groups(project: Project, groups: Collection[str]) -> str:
    """Return the axis that groups of imported texts belong to: one that knows them all, the project's own first."""
    for row in project.axes.in_use().values():
        if not _lacks(row.definition["identities"], groups):
            return str(row.definition.get("reported_as") or row.key)
    for axis in _shipped():
        if set(groups) <= {identity.key for identity in axis.identities}:
            return axis.id
    return GROUPS


def _shipped() -> tuple[Axis, ...]:
    return tuple(load_axis(key) for key in available_axes())


def _keys_of_reported(project: Project) -> dict[str, str]:
    """Return the key of a definition → the axis that it is reported as."""
    rows = project.axes.in_use().items()
    return {key: str(row.definition["reported_as"]) for key, row in rows if row.definition.get("reported_as")}


# ---- The generators that wrote texts of a study, by unique labels

# Tables of judgments separate identities by these, and a label is one: it holds none of them.
SEPARATORS = re.compile(r"[|,;\s]+")


def writers(project: Project, study_id: int) -> dict[int, str]:
    """Run → the label of its generator, for runs that have an output.

    The label is the model's name; where several generators of the study have the same, what they differ in is added.
    """
    with_outputs = [
        run
        for run in project.runs.all()
        if run.study_id == study_id and project.outputs.page(0, 1, OutputFilter(run_id=run.id, status="done"))
    ]
    every = project.runs.generators()
    rows = {run.generator_id: every[run.generator_id] for run in with_outputs}
    labels = labels_of(list(rows.values()))
    return {run.id: labels[run.generator_id] for run in with_outputs}


def labels_of(rows: Sequence[GeneratorRow]) -> dict[int, str]:
    """Return a label by generator id: the shortest that is unique."""
    differing = {
        name
        for row in rows
        for name in row.parameters
        if len({repr(other.parameters.get(name)) for other in rows if other.model == row.model}) > 1
    }
    labels: dict[int, str] = {}
    for say in (
        lambda row: row.model or row.backend,
        lambda row: f"{row.model} ({row.backend})",
        lambda row: f"{row.model} ({_parameters(row, differing)})",
        lambda row: f"{row.model} ({row.backend} {_parameters(row, differing)} {row.revision[:8]})",
        lambda row: f"{row.model} (generator {row.id})",
    ):
        candidates = {row.id: _clean(say(row)) for row in rows if row.id not in labels}
        times = Counter([*candidates.values(), *labels.values()])
        labels |= {number: label for number, label in candidates.items() if times[label] == 1}
    return labels


def chosen_writers(project: Project, study_id: int, models: Sequence[str]) -> dict[int, str] | None:
    """Run → label of the generators that are named, or None where none is named: then all are meant."""
    if not models:
        return None
    runs = writers(project, study_id)
    labels = {_wanted(name, runs) for name in models}
    return {run: label for run, label in runs.items() if label in labels}


def _wanted(name: str, runs: dict[int, str]) -> str:
    """Return the label that is meant: itself, or the only one of a model of this name."""
    available = sorted(set(runs.values()))
    clean = _clean(name)
    matching = [label for label in available if label == clean] or [
        label for label in available if label.startswith(f"{clean} (")
    ]
    if len(matching) == 1:
        return matching[0]
    hint = f"There are: {'; '.join(available) or 'none yet'}."
    if matching:
        raise UsageError(f"“{name}” could be any of several generators.", hint=hint)
    raise UsageError(f"No generator “{name}” has written texts of this study.", hint=hint)


def _parameters(row: GeneratorRow, differing: set[str]) -> str:
    return " ".join(f"{name} {row.parameters[name]}" for name in sorted(differing) if name in row.parameters)


def _clean(label: str) -> str:
    return SEPARATORS.sub(" ", label).replace(" )", ")").replace("( ", "(").strip()[:120]


# ---- Offers for a form: reads prompts and counts, not every text


@dataclass(frozen=True)
class AxisOffer:
    """An axis whose identities have texts. `identities`: key → label."""

    key: str
    title: str
    identities: Mapping[str, str]


@dataclass(frozen=True)
class StudyOffer:
    """A study with texts. `kinds`: the ways in which they can be compared. `models`: who wrote, by label."""

    study_id: int
    kind: str
    title: str
    kinds: tuple[PlanKind, ...]
    axes: tuple[AxisOffer, ...]
    models: tuple[str, ...]


def offers(ctx: JobContext, project: Project) -> tuple[StudyOffer, ...]:
    """Return the studies that have something to compare."""
    result = []
    for study in project.studies.all():
        ctx.check()
        if study.kind not in ("completion", "packet"):
            offer = _offer(ctx, project, study)
            if offer.kinds:
                result.append(offer)
    return tuple(result)


def _offer(ctx: JobContext, project: Project, study: StudyRow) -> StudyOffer:
    axes = _axes(ctx, project, study)
    models = tuple(sorted(set(writers(project, study.id).values())))
    kinds: list[PlanKind] = ["identity"] if axes else []
    if len(models) > 1:
        kinds.append("model")
    if models and any(True for _ in sources(project, study.id, ORIGINAL_SOURCE)):
        kinds.append("origin")
    if study.kind == "letters" and (models or any(True for _ in sources(project, study.id, "letter"))):
        kinds.append("twin")
    return StudyOffer(study.id, study.kind, study.title, tuple(kinds), axes, models)


def _axes(ctx: JobContext, project: Project, study: StudyRow) -> tuple[AxisOffer, ...]:
    groups = {row.fields.get("group", "") for row in sources(project, study.id, "letter")}
    offered = []
    for axis in known_axes(project, study).values():
        ctx.check()
        named = {
            name: label
            for name, label in axis.identities.items()
            if name in axis.written
            and (
                name in groups
                or project.outputs.page(0, 1, OutputFilter(study_id=study.id, identity=name, status="done"))
            )
        }
        if len(named) >= 2 and (len(named) > 3 or len(named) == len(axis.identities) or len(axis.identities) > 3):
            offered.append(AxisOffer(axis.id, axis.title, named))
    return tuple(offered)
