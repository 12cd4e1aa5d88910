"""The columns that the creativity study measures, from a project's rows or from the records of tables."""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import isfinite
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.judging.blocks import text_blocks
from biasprint.core.judging.carefulness import unread_rule
from biasprint.core.judging.plan import CHECK, PlanSettings, keys_of_sets, ranked_sets
from biasprint.core.judging.sway import arm_of
from biasprint.core.judging.workshop import participants
from biasprint.core.project.project import Project
from biasprint.core.project.rows import UNSEALED, ComparisonRow, JudgmentRow, OutputRow, SessionRow
from biasprint.core.project.specs import PromptSpec
from biasprint.core.prompts.axes import load_axis
from biasprint.core.prompts.cogs import NO_TOPIC
from biasprint.core.prompts.wordings import WORDING, sample_in
from biasprint.core.studies.creativity.choices import NO_CONFIDENCE, Marked
from biasprint.core.studies.creativity.degrees import DEGREE_WORDS, EQUAL, confidence_of, marked_of
from biasprint.core.studies.kit.importing import (
    ImportedText,
    check_key,
    sample_numbers,
    shipped_axes,
    store_axis,
    store_outputs,
)
from biasprint.core.studies.kit.study import StudyWork
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.texts.values import compared_texts, temperatures, text_styles, written_by

# ---- Importing creative texts

KEPT = ("temperature", WORDING)  # what is known of how an output was made, besides its model


def store_creative_texts(
    work: StudyWork, ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead
) -> int:
    """Store outputs, and return the number added. A table that cannot be stored is refused before anything is."""
    axis_of = _known_axes(project, table.rows)
    for record in table.rows:
        check_key(record, _creative_key(record, axis_of), "task and theme")
    models = [row.values.get("model", "") for row in table.rows]
    samples = sample_numbers(table.rows, zip((_creative_key(row, axis_of) for row in table.rows), models, strict=True))
    items = [
        ImportedText(_creative_prompt(record, axis_of), model, sample, record.values["text"])
        for record, model, sample in zip(table.rows, models, samples, strict=True)
    ]
    study_id = study_id or work.declared().added_to(project)
    for axis in sorted({item.prompt.axis for item in items} - {""} - set(project.axes.latest())):
        store_axis(project, load_axis(axis))
    note = "The prompts were not part of the imported table."
    return store_outputs(ctx, project, study_id, origin, items, note)


def _known_axes(project: Project, rows: Sequence[Record]) -> dict[str, str]:
    """The axis of each identity: the project's own, and shipped ones for identities that it has not met yet."""
    own = {
        identity["key"]: key
        for key, axis in project.axes.latest().items()
        if not axis.definition.get("reported_as")
        for identity in axis.definition["identities"]
    }
    new = {record.values["identity"] for record in rows} - set(own) - {"default"}
    shipped = {identity: axis for axis, identities in shipped_axes(new).items() for identity in identities}
    if unknown := new - set(shipped):
        raise AppError(
            f"The table has identities of no known axis: {', '.join(sorted(unknown)[:8])}.",
            kept="Nothing was imported.",
            hint=f"Known here: {', '.join(['default', *own])}; and the shipped axes, with two identities or more.",
        )
    return {**shipped, **own}


def _creative_prompt(record: Record, axis_of: Mapping[str, str]) -> PromptSpec:
    """Make a prompt in place of the one that nobody kept, so with an empty text."""
    values = record.values
    known = {name: values[name] for name in KEPT if values.get(name, "").strip()}
    return PromptSpec(
        key=_creative_key(record, axis_of), text="", task=values["task"], theme=values["theme"],
        axis=axis_of.get(values["identity"], ""), identity=values["identity"], fields=known,
    )  # fmt: skip


def _creative_key(record: Record, axis_of: Mapping[str, str]) -> str:
    identity = record.values["identity"]
    where = f"{axis_of[identity]}/{identity}" if identity != "default" else identity
    ending = "".join(f"/{record.values[name].strip()}" for name in KEPT if record.values.get(name, "").strip())
    return f"imported/{record.values['task']}/{record.values['theme']}/{where}{ending}"


Columns = dict[str, list[Any]]
JUDGED = (
    "comparison", "rater", "axis", "shown", "outcome", "chosen", "repeat_of", "rater_kind", "read_as", "seconds",
    "recommended", "adaptive",
)  # fmt: skip
KINDS = ("person", "model")
MARKED = ("true", "yes", "1")  # of a column that marks rows
MORE_THAN_WINNERS = ("degree", "confidence", "marked")
# Of the texts that were compared.
COMPARED = ("task", "theme", "topic", "model", "temperature", "words", "markup", "worst", "block", *MORE_THAN_WINNERS)
# Identities hold none of these signs, so that a table may separate them by any.
SEPARATORS = re.compile(r"[|,;]")


def output_columns(project: Project, rows: Sequence[OutputRow]) -> Columns:
    """Return a project's outputs as columns."""
    heat = temperatures(project)
    columns: Columns = {
        name: [getattr(row, name) for row in rows] for name in ("task", "theme", "identity", "model", "text")
    }
    columns["temperature"] = [row.fields.get("temperature", "") or heat[row.run_id] for row in rows]
    columns["topic"] = [_topic(row.fields.get("topic", "")) for row in rows]
    columns["sample"] = kept_apart(rows, columns["temperature"])
    return columns


def _topic(given: str) -> str:
    """The topic of a theme; empty where it was given none."""
    return "" if given == NO_TOPIC else given


def kept_apart(rows: Sequence[OutputRow], heat: Sequence[str]) -> list[int]:
    """A sample number for every output, so that several runs of one prompt are several samples of it.

    Runs of one model and temperature that wrote no prompt twice between them share their numbers: the default outputs
    of one then pair with the identities' of another. Where two wrote the same, the later one gets numbers of its own.
    """
    written: dict[tuple[str, str], dict[int, set[tuple[str, str, str, int]]]] = {}
    samples = [sample_in(row.sample, row.fields) for row in rows]
    for row, temperature, sample in zip(rows, heat, samples, strict=True):
        runs = written.setdefault((row.model, temperature), {})
        runs.setdefault(row.run_id, set()).add((row.task, row.theme, row.identity, sample))
    layer_of: dict[int, int] = {}
    for runs in written.values():
        layers: list[set[tuple[str, str, str, int]]] = []
        for run in sorted(runs):
            layer_of[run] = next(
                (place for place, known in enumerate(layers) if known.isdisjoint(runs[run])), len(layers)
            )
            if layer_of[run] == len(layers):
                layers.append(set())
            layers[layer_of[run]] |= runs[run]
    width = 1 + max(samples, default=0)
    return [layer_of[row.run_id] * width + sample for row, sample in zip(rows, samples, strict=True)]


def judgment_columns(
    project: Project,
    sessions: Sequence[SessionRow],
    *,
    compared: bool,
    lengths: bool = False,
    seen: bool = False,
    unread: bool = False,
    wanted: Callable[[ComparisonRow], bool] | None = None,
) -> Columns:
    """The judgments in force of these sessions. `compared`: with what is known of the texts, for findings by part.

    `lengths`: with how long the texts are, which `compared` has too. `seen`: also those that were made after a look at
    the identities; `unread`: and those that the rule on unread texts leaves out. `wanted`: of these comparisons alone.

    Where any came in a file without its packet's seal, the column `unsealed` marks them.

    Of a model every order of the cards that it was asked in is a judgment. Those beside a recommendation are among
    them, and marked: what is measured of preferences leaves them out.
    """
    raters = {rater.id: rater for rater in project.judging.raters()}
    must_be_read = not unread and unread_rule(project) is not None
    by_session = {session.id: session for session in sessions}
    comparisons = {
        row.id: row for plan in {session.plan_id for session in sessions} for row in project.judging.comparisons(plan)
    }
    wrote = written_by(project) if compared else {}
    topics = project.prompts.topics() if compared else {}
    styles = text_styles(project, comparisons.values()) if compared or lengths else {}
    blocks = text_blocks(comparisons.values()) if compared else {}
    plans = {row.id: row for row in project.judging.plans()}
    adaptive = {key for key, plan in plans.items() if PlanSettings.of(plan.settings).adaptive}
    graded = {key for key, plan in plans.items() if PlanSettings.of(plan.settings).graded}
    judgments: Iterable[JudgmentRow] = chain.from_iterable(project.judging.judgments(key) for key in by_session)
    more = COMPARED if compared else ("words",) if lengths else ()
    columns: Columns = {name: [] for name in (*JUDGED, *more)}
    marks: list[bool] = []
    for row in judgments:
        comparison = comparisons[row.comparison_id]
        if row.outcome == "undone" or comparison.axis == CHECK or (row.seen and not seen):
            continue
        if must_be_read and row.read_to_end is False:
            continue
        if wanted and not wanted(comparison):
            continue
        identities = [item.identity for item in comparison.items]
        rater = raters[by_session[row.session_id].rater_id]
        values = {
            "comparison": row.comparison_id,
            "rater": rater.code,
            "axis": comparison.axis,
            "shown": tuple(identities[index] for index in row.shown),
            "outcome": row.outcome,
            "chosen": "" if row.chosen is None else identities[row.chosen],
            "repeat_of": comparison.repeat_of or "",
            "rater_kind": rater.kind,
            "read_as": row.detail.get("read", ""),
            "seconds": row.active_seconds,
            "recommended": arm_of(row, comparison, rater, plans[comparison.plan_id]),
            "adaptive": "1" if comparison.plan_id in adaptive else "",
        }
        if compared:
            model, heat = compared_texts(comparison, wrote)
            values |= {"task": comparison.task, "theme": comparison.theme, "model": model, "temperature": heat}
            values["topic"] = _topic(topics.get(comparison.theme, ""))
            values |= {"worst": "" if row.worst is None else identities[row.worst], "block": blocks[row.comparison_id]}
            values["degree"] = row.degree or (EQUAL if row.outcome == "tie" and comparison.plan_id in graded else "")
            values["confidence"] = row.confidence or NO_CONFIDENCE
            values["marked"] = tuple((identities[item], start, end) for item, start, end in row.spans)
        if "words" in columns:
            cards = [styles.get(comparison.items[index].key, (0, 0, 0, 0)) for index in row.shown]
            values["words"] = tuple(card[0] for card in cards)
            if compared:
                values["markup"] = tuple(tuple(card[1:]) for card in cards)
        for name, value in values.items():
            columns[name].append(value)
        marks.append(row.unsealed)
    columns = {name: column for name, column in columns.items() if name not in MORE_THAN_WINNERS or any(column)}
    return columns | ({UNSEALED: marks} if any(marks) else {})


def output_table_columns(records: Sequence[Record]) -> Columns:
    """Outputs of tables."""
    names = ("task", "theme", "identity", "model", "perceptibility", "text")
    columns: Columns = {name: [record.values.get(name, "") for record in records] for name in names}
    if not any(columns["perceptibility"]):
        del columns["perceptibility"]
    return {
        **columns,
        "sample": [_sample(record) for record in records],
        "temperature": [_temperature(record) for record in records],
    }


def judgment_table_columns(records: Sequence[Record]) -> Columns:
    """Judgments of tables, without those that a table marks as superseded.

    Raises `AppError` where identities seem to be separated by some other sign, or where nothing counts.
    """
    records = [record for record in records if not _is_marked(record, "superseded")]
    if not records:
        raise AppError("Every judgment of the table is superseded.", hint="Export the judgments in force.")
    values = [record.values for record in records]
    columns: Columns = {name: [row.get(name, "") for row in values] for name in JUDGED if name != "shown"}
    columns["seconds"] = [_seconds(row.get("seconds", "")) for row in values]
    columns["rater_kind"] = [_kind(record) for record in records]
    columns["shown"] = [tuple(part.strip() for part in SEPARATORS.split(row["shown"])) for row in values]
    if all(len(shown) == 1 for shown in columns["shown"]):
        raise AppError(
            f"Row {records[0].number}: “{records[0].values['shown']}” names one identity as shown.",
            hint="Write the identities in the order of the cards with | between them, such as man|woman|non-binary.",
        )
    compared: Columns = {
        "task": [row.get("task", "") for row in values],
        "theme": [row.get("theme", "") for row in values],
        "model": [row.get("model", "") for row in values],
        "temperature": [_temperature(record) for record in records],
        "worst": [row.get("worst", "") for row in values],
        "block": [row.get("block", "") or row["comparison"] for row in values],
        "degree": [_degree(record) for record in records],
        "confidence": [_confidence(record) for record in records],
        "marked": [_marked(record, shown) for record, shown in zip(records, columns["shown"], strict=True)],
    }
    if any(row.get("words", "") for row in values):
        compared["words"] = [
            _words(row.get("words", ""), len(shown)) for row, shown in zip(values, columns["shown"], strict=True)
        ]
    return columns | {name: column for name, column in compared.items() if any(column)}


def _degree(record: Record) -> str:
    given = record.values.get("degree", "").strip().lower()
    outcome = record.values.get("outcome", "")
    if given and (given not in DEGREE_WORDS or (given == EQUAL) != (outcome == "tie")):
        raise AppError(
            f"Row {record.number}: “{given}” is no degree of a {outcome or 'judgment'}.", kept="Nothing was measured.",
            hint="A choice is slightly or much better, a tie is equal; leave the others empty.",
        )  # fmt: skip
    return given


def _confidence(record: Record) -> int:
    given = record.values.get("confidence", "")
    try:
        return confidence_of(given)
    except ValueError:
        raise AppError(
            f"Row {record.number}: “{given}” is no confidence.", kept="Nothing was measured.",
            hint="It is 1 (a guess), 2 (fairly sure) or 3 (sure), or empty.",
        ) from None  # fmt: skip


def _marked(record: Record, shown: Sequence[str]) -> tuple[Marked, ...]:
    given = record.values.get("spans", "")
    try:
        return marked_of(given, shown)
    except (ValueError, RecursionError):
        raise AppError(
            f"Row {record.number}: “{given[:60]}” are no marked words.", kept="Nothing was measured.",
            hint="Write [[card from 1, first character, one behind the last], …], or leave it empty.",
        ) from None  # fmt: skip


def _words(given: str, cards: int) -> tuple[int, ...]:
    """A number for each card; 0, which is not known, for all of them where one is missing or no whole number."""
    parts = [part.strip() for part in SEPARATORS.split(given)]
    whole = len(parts) == cards and all(part.isdecimal() for part in parts)
    return tuple(map(int, parts)) if whole else (0,) * cards


def _seconds(given: str) -> float:
    """0, which is no time, for what is no number: only response times need it, and they count what has none."""
    try:
        value = float(given)
    except ValueError:
        return 0.0
    return value if isfinite(value) and value > 0 else 0.0


def is_seen(record: Record) -> bool:
    """True if a row was judged after a look at the identities, as far as its table says."""
    return _is_marked(record, "seen")


def is_let_in(record: Record) -> bool:
    """True if a row came in a file without its packet's seal, as far as its table says."""
    return _is_marked(record, UNSEALED)


def is_excluded(record: Record) -> bool:
    """True if a row's rater is left out, as far as its table says."""
    return _is_marked(record, "excluded")


def _is_marked(record: Record, column: str) -> bool:
    return record.values.get(column, "").strip().lower() in MARKED


def _kind(record: Record) -> str:
    given = record.values.get("rater_kind", "").strip().lower()
    if given and given not in KINDS:
        raise AppError(
            f"Row {record.number}: “{given}” is no kind of rater.", hint=f"A rater is a {' or a '.join(KINDS)}."
        )
    return given


def _sample(record: Record) -> int:
    given = record.values.get("sample", "").strip() or "0"
    if not given.isdecimal():
        raise AppError(
            f"Row {record.number}: “{given}” is not a sample number.", hint="Samples are whole numbers from 0."
        )
    return sample_in(int(given), record.values)


def _temperature(record: Record) -> str:
    given = record.values.get("temperature", "").strip()
    if not given:
        return ""
    try:
        value = float(given)
    except ValueError:
        value = -1.0
    if not 0 <= value < 100:
        raise AppError(
            f"Row {record.number}: “{given}” is not a temperature.",
            hint="Temperatures are numbers from 0, such as 0.2.",
        )
    return f"{value:g}"


def words_of(definitions: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Identity → the words that refer to it, from axis definitions."""
    return {
        identity["key"]: tuple(identity.get("words", ()))
        for definition in definitions
        for identity in definition["identities"]
    }


def harm_of(definitions: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Axis → the direction that harms in the axis's own words, where it says so of the creativity study."""
    harms = {
        axis: [harm["words"] for harm in definition.get("harm", ()) if harm["finding"].startswith("creativity.")]
        for axis, definition in definitions.items()
    }
    return {axis: "; ".join(dict.fromkeys(words)) for axis, words in harms.items() if words}


# ---- Participants of workshops: pooled with everybody, and never told apart


def without_codes(project: Project, columns: Columns) -> tuple[Columns, frozenset[str]]:
    """The columns with a number in place of each participant's code, shuffled again each time; and those numbers.

    A number is needed, because two answers of one person are not those of two. It leads to nobody.
    """
    codes = sorted(participants(project) & set(columns["rater"]))
    random.SystemRandom().shuffle(codes)
    name_of = {code: f"participant {number}" for number, code in enumerate(codes, start=1)}
    named = {**columns, "rater": [name_of.get(code, code) for code in columns["rater"]]}
    return named, frozenset(name_of.values())


def without_persons(result: StudyResult, names: frozenset[str]) -> StudyResult:
    """The findings without those about one participant; in the others, participants are counted and not listed."""
    if not names:
        return result
    findings = tuple(_unlisted(finding, names) for finding in result.findings if not _about_one(finding, names))
    return replace(result, findings=findings)


def _about_one(finding: Finding, names: frozenset[str]) -> bool:
    names_in: Sequence[str] = (finding.label, *map(str, finding.dims.values()))
    pair = len(finding.groups) == 2 and bool(names & set(finding.groups)) and " / " in finding.label
    return pair or any(_holds(words, names) for words in names_in)


def _holds(words: str, names: frozenset[str]) -> bool:
    return any(name == words or name in words.split(" / ") for name in names)


def _unlisted(finding: Finding, names: frozenset[str]) -> Finding:
    if not names & {*finding.groups, *finding.n_by_group}:
        return finding
    people = len(names & {*finding.groups, *finding.n_by_group})
    groups = tuple(group for group in finding.groups if group not in names)
    counts = {group: count for group, count in finding.n_by_group.items() if group not in names}
    note = f"{finding.note} {people} of them took part in a workshop and are not listed.".strip()
    return replace(finding, groups=groups, n_by_group=counts, note=note)


Axes = dict[str, list[str]]


def compared_axes(project: Project, known: Axes) -> Axes:
    """Axes of comparisons that no definition names, with their identities in the order of the cards' items."""
    identities_of: dict[str, dict[str, None]] = {}
    for plan in project.judging.plans():
        if set(plan.axis.split("+")) <= {"", *known}:
            continue
        for row in project.judging.comparisons(plan.id):
            if row.axis not in ("", CHECK, *known):
                identities_of.setdefault(row.axis, {}).update(dict.fromkeys(item.identity for item in row.items))
    return {axis: list(identities) for axis, identities in sorted(identities_of.items())}


def by_set(columns: Columns, axes: Axes) -> tuple[Columns, Axes]:
    """Judgments with each set of identities that an axis was compared in as an axis of its own.

    Where there is one set, the axis keeps its key and has these identities (two of its three, say); see
    `core.judging.plan`. Rows that show an identity twice, or one alone, stay with the whole axis, and drop out there.
    Sets of incomplete blocks make a ranking: the column `ranked` names its axis, which everything compared on it and
    every answer of best and worst belongs to; they have no shares, and an axis that nothing else has.
    """
    rows = list(zip(columns["axis"], columns["shown"], strict=True))
    sets = [(axis, frozenset(shown)) if len(set(shown)) == len(shown) > 1 else None for axis, shown in rows]
    compared = {set_key for set_key in sets if set_key is not None and set_key[0] in axes}
    keys, blocks = keys_of_sets(compared), ranked_sets(compared)
    worst = columns.get("worst", ())
    ranked = {axis for axis, _ in blocks} | {axis for (axis, _), named in zip(rows, worst, strict=False) if named}
    in_ranking = [
        axis if set_key in compared and axis in ranked else "" for set_key, (axis, _) in zip(sets, rows, strict=True)
    ]
    named = [
        f"{axis}: ranking" if set_key in blocks else axis if set_key is None else keys.get(set_key, axis)
        for set_key, (axis, _) in zip(sets, rows, strict=True)
    ]
    split = {
        key: [*(name for name in axes[axis] if name in identities), *sorted(identities - set(axes[axis]))]
        for (axis, identities), key in sorted(keys.items(), key=lambda item: item[1])
    }
    order = list(axes)
    whole = {axis: split.get(axis, axes[axis]) for axis in order}
    more = {"ranked": in_ranking} if ranked else {}
    return {**columns, "axis": named, **more}, whole | split
