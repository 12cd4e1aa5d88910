"""`STUDY.replies`: refused, empty, cut off and failed replies by group, for the texts of any study in a project.

What has no text is left out before a study counts its groups: an endpoint that refuses every request for one identity
would else lead to findings in which that identity is nowhere.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from biasprint.core.compute import ComputeProcess
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.proportions import clustered_proportion, two_proportions
from biasprint.core.metrics.result import Bools
from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.designs import SEPARATOR
from biasprint.core.studies.compare.texts import GROUP, MOST_GROUPS, Compared, Measure, columns_of, groups_of
from biasprint.core.studies.kit.choose import UNBIASED
from biasprint.core.studies.kit.declared import DIFFERENCE, REPLIES, TITLES, MeasureOptions
from biasprint.core.studies.kit.findings import interval, missing_interval, with_holm
from biasprint.core.studies.kit.study import StudyDeclaration
from biasprint.core.tables.rows import TableRead
from biasprint.core.texts.generators import NOT_WRITTEN, prompts_asked, table_prompt
from biasprint.core.texts.replies import (
    ANSWER,
    ReplyKind,
    is_filtered,
    is_missing,
    kind_in_table,
    matched,
    reason_of,
    reply_kind,
)
from biasprint.core.texts.replies import WRITTEN as WRITTEN_IN

IDENTITY, PROMPT_KIND = "identity", "prompt_kind"
DEFAULT = "default"
SOURCE = "ours: what became of each prompt that was sent"
HARM = "Above 0, {group} is left without an answer more often."
OF_TABLE = "Of what the table holds: what was left out of it is not known."
MOST_NAMED = 3  # groups in a note
Part = tuple[tuple[str, str], ...]  # the dims of the findings on one way to group


@dataclass(frozen=True)
class AskedReplies:
    """Replies of a study, one row each. `groups`: part (dims as a tuple of pairs) → the group of each row in it, empty
    for none. `prompts`: what samples of one prompt share. `filtered`: was it a filter that held the text back? `note`:
    what to know of all of them.
    """

    kinds: tuple[ReplyKind, ...]
    missing: tuple[bool, ...]
    filtered: tuple[bool, ...]
    blocks: tuple[str, ...]
    prompts: tuple[str, ...]
    groups: Mapping[Part, tuple[str, ...]] = field(default_factory=dict)
    note: str = ""

    @property
    def all_answer(self) -> bool:
        return set(self.kinds) <= {ANSWER}


def replies_asked(project: Project, study_id: int, study: StudyDeclaration, options: MeasureOptions) -> AskedReplies:
    """Return the kind of every reply to a study's prompts, with the group that it was asked for."""
    rows = list(project.outputs.each(OutputFilter(study_id=study_id)))
    axes = tuple(project.axes.latest())
    asked = prompts_asked(project, study_id)
    columns = [columns_of(row, axes) for row in rows]
    if rows and options.columns:
        columns = options.regrouped(columns)
    return AskedReplies(
        kinds=tuple(map(reply_kind, rows)),
        missing=tuple(map(is_missing, rows)),
        filtered=tuple(map(is_filtered, rows)),
        blocks=tuple(_block(study, row) for row in rows),
        prompts=tuple(f"{row.model}/{asked[row.prompt_id]}" for row in rows),
        groups=dict(_groups(study, columns, [(row.axis, row.identity) for row in rows])),
        note=OF_TABLE if any(row.backend in NOT_WRITTEN for row in rows) else "",
    )


def replies_in_tables(study: StudyDeclaration, read: Sequence[tuple[str, TableRead]]) -> AskedReplies:
    """Return the kind of every reply that a study's tables hold, those that are dropped for want of a text included."""
    rows = [
        (f"{at} {record.number}", record.values, is_text)
        for at, (kind, table) in enumerate(read)
        if study.imported is not None and kind == study.imported.kind
        for records, is_text in ((table.rows, True), (table.unanswered, False))
        for record in records
    ]
    columns = [{PROMPT_KIND: UNBIASED, **{name: value for name, value in values.items() if value.strip()}}
               for _, values, _ in rows]  # fmt: skip
    identities = [(values.get("axis", "") or IDENTITY, values.get(IDENTITY, "")) for values in columns]
    texts = [next((values[name] for name in WRITTEN_IN if name in values), "") for values in columns]
    return AskedReplies(
        kinds=tuple(map(kind_in_table, columns, texts)),
        missing=tuple(not is_text for _, _, is_text in rows),
        filtered=(False,) * len(rows),
        blocks=tuple(_block_in_table(study, values) for values in columns),
        prompts=tuple(table_prompt(values) or number for number, values, _ in rows),
        groups=dict(_groups(study, columns, identities)),
        note=OF_TABLE,
    )


def _block_in_table(study: StudyDeclaration, values: Mapping[str, str]) -> str:
    names = study.matched_by or ("block",)
    task = "/".join(values.get(name, "") for name in ("task", "theme")).strip("/")
    return "/".join(values.get(name, "") for name in names).strip("/") or values.get("headline", "") or task


def _block(study: StudyDeclaration, row: OutputRow) -> str:
    if not study.matched_by:
        return matched(row)
    return "/".join(row.fields.get(name, "") for name in study.matched_by).strip("/")


def _groups(
    study: StudyDeclaration, columns: Sequence[Mapping[str, str]], identities: Sequence[tuple[str, str]]
) -> Iterator[tuple[Part, tuple[str, ...]]]:
    """Yield each way to group the replies, with more than one group: by the study's columns, or axis by axis."""
    ways: dict[Part, tuple[str, ...]]
    if study.asked_of == (GROUP,) and any(row.get("second_group", "").strip() for row in columns):
        ways = {(("by", name),): tuple(groups) for name, groups in groups_of(columns).items()}
    elif study.asked_of == (IDENTITY,):
        axes = dict.fromkeys(axis for axis, identity in identities if axis and identity not in ("", DEFAULT))
        ways = {
            (("axis", axis),): tuple(
                identity if own == axis else DEFAULT if identity in ("", DEFAULT) else ""
                for own, identity in identities
            )
            for axis in axes
        }
    else:
        several = len(study.asked_of) > 1
        ways = {
            ((("by", name),) if several else ()): tuple(row.get(name, "").strip() for row in columns)
            for name in study.asked_of
        }
    for dims, groups in ways.items():
        one = tuple("" if SEPARATOR in group else group for group in groups)  # a prompt of several is of none
        if 1 < len(set(one) - {""}) <= MOST_GROUPS:
            yield dims, one


# ---- Findings, in the compute process


def with_replies(
    ctx: JobContext,
    result: StudyResult,
    study: StudyDeclaration,
    asked: AskedReplies,
    options: MeasureOptions,
    compute: ComputeProcess,
) -> StudyResult:
    """Return the result with what became of every reply by group, and a sentence in each finding that misses texts."""
    if asked.all_answer:
        return result
    own = compute.call(reply_findings, study.kind, asked, options.seed, ctx=ctx)
    told = tuple(_with_missing(finding, asked) for finding in result.findings)
    return replace(result, findings=(*told, *own))


def reply_findings(study: str, asked: AskedReplies, seed: int, ctx: JobContext | None = None) -> list[Finding]:
    """Return for each kind of reply but answers its share of all and of each group, and the differences.

    Shares have Wilson's interval with replies of one block taken together. Differences: McNemar's test where each block
    has one reply of each group, t over blocks where it has several, else the test of two proportions; Holm's p.
    """
    kinds = [kind for kind in TITLES if kind in asked.kinds]
    findings = [_share(study, kind, asked, (), "", range(len(asked.kinds))) for kind in kinds]
    apart: list[Finding] = []
    for dims, groups in asked.groups.items():
        for kind in kinds:
            for group in sorted(set(groups) - {""}):
                places = [place for place, of in enumerate(groups) if of == group]
                findings.append(_share(study, kind, asked, dims, group, places))
        apart += _differences(study, kinds, asked, dims, groups, seed)
    family = f"{study}{DIFFERENCE}, {sum(finding.p is not None for finding in apart)} comparisons"
    return [*findings, *with_holm(apart, family)]


def _share(study: str, kind: ReplyKind, asked: AskedReplies, dims: Part, group: str, places: Sequence[int]) -> Finding:
    is_kind = np.array([asked.kinds[place] == kind for place in places], dtype=bool)
    together = [asked.blocks[place] or asked.prompts[place] for place in places]
    cluster = Clusters.of(np.ones(len(is_kind), dtype=bool), together).cluster
    share = clustered_proportion(is_kind, cluster)
    held_back = sum(asked.filtered[place] for place in places) if kind == "refusal" else 0
    by_filter = f"; {held_back} held back by a filter" if held_back else ""
    return Finding(
        f"{study}{REPLIES}", label=kind, title=f"{TITLES[kind]}, {group}" if group else TITLES[kind],
        groups=(group,) if group else (), estimate=share.value, unit="share", n=share.n,
        interval=interval(share.interval), dims=dict(dims), source=SOURCE,
        note=f"{share.successes} of {share.n}{by_filter}. {asked.note}".rstrip(),
    )  # fmt: skip


def _differences(
    study: str,
    kinds: Sequence[ReplyKind],
    asked: AskedReplies,
    dims: Part,
    groups: Sequence[str],
    seed: int,
) -> list[Finding]:
    from biasprint.core.studies.compare.measure import measure

    inside = [place for place, group in enumerate(groups) if group]
    table = Compared(
        [""] * len(inside),
        {GROUP: [groups[place] for place in inside]},
        [asked.blocks[place] for place in inside],
        [asked.prompts[place] for place in inside],
        base={GROUP: DEFAULT},
        dims=dict(dims),
        alike=False,
        company=False,
    )
    measures = [
        Measure(kind, np.array([asked.kinds[place] == kind for place in inside], dtype=float), yes_or_no=True)
        for kind in kinds
    ]
    values = {each.label: each.values == 1 for each in measures}
    of = np.array(table.groups[GROUP])
    return [
        replace(
            _of_samples(finding, values[finding.label], of),
            id=f"{study}{DIFFERENCE}",
            title=f"{TITLES[finding.label]}, {finding.groups[0]} minus {finding.groups[1]}",
            harm=HARM.format(group=finding.groups[0]),
            source=SOURCE,
            p_adjusted=None,
            adjust=None,
        )
        for finding in measure(table, measures, seed=seed).findings
        if finding.id == "compare.difference"
    ]


def _of_samples(finding: Finding, is_kind: Bools, groups: np.ndarray) -> Finding:
    """Return the difference; of few prompts, which are too few units, by their samples and for these prompts alone."""
    from biasprint.core.metrics.grouped import FEWEST_IN_A_CELL

    if finding.estimate == 0 and finding.p is None:
        return replace(finding, p=1.0)  # all of both groups agree
    sides = [is_kind[groups == group] for group in finding.groups]
    if finding.estimate is not None or min(map(len, sides)) < FEWEST_IN_A_CELL:
        return finding
    (x, n), (y, m) = ((int(side.sum()), len(side)) for side in sides)
    result = two_proportions(x, n, y, m, exact=None)
    return replace(
        finding, estimate=result.value, reason=missing_interval(result.interval), n=result.n, effect=None,
        p=1.0 if result.p is None else result.p, interval=interval(result.interval.bounds),
        n_by_group=dict(zip(finding.groups, (n, m), strict=True)),
        note=f"{result.test}; samples of few prompts are the units, so that it holds for these prompts alone.",
    )  # fmt: skip


def _with_missing(finding: Finding, asked: AskedReplies) -> Finding:
    """Return the finding with the groups that it needs and that texts of are missing, in its note."""
    sentence = missing_sentence(asked, finding)
    return replace(finding, note=f"{finding.note} {sentence}".strip()) if sentence else finding


def missing_sentence(asked: AskedReplies, finding: Finding) -> str:
    """Name the groups whose missing texts a finding is without: its own, or all where it is of none of them; and those
    without any text, which it would else be compared with.
    """
    lacking = [
        _lacking(group, [place for place, of in enumerate(groups) if of == group], asked)
        for groups in asked.groups.values()
        for group in sorted({of for of, missing in zip(groups, asked.missing, strict=True) if of and missing})
    ]
    every = {group for groups in asked.groups.values() for group in groups}
    own = {*finding.groups, *finding.dims.values()} & every
    named = [words for group, words, whole in lacking if not own or group in own or whole]
    if not lacking and not own and (missing := sum(asked.missing)):
        named = [f"{missing} of {len(asked.missing)} ({_why(range(len(asked.missing)), asked)})"]
    if not named:
        return ""
    more = f"; and of {len(named) - MOST_NAMED} more groups" if len(named) > MOST_NAMED else ""
    return f"Texts that are missing: {'; '.join(named[:MOST_NAMED])}{more}."


def _lacking(group: str, places: Sequence[int], asked: AskedReplies) -> tuple[str, str, bool]:
    """Return the group, what it lacks in words, and whether that is all of it."""
    missing = [place for place in places if asked.missing[place]]
    words = f"{len(missing)} of {len(places)} of {group} ({_why(missing, asked)})"
    return group, words, len(missing) == len(places)


def reasons_missing(asked: AskedReplies) -> dict[str, int]:
    """Count what has no text, by kind."""
    return dict(Counter(reason_of(kind) for kind, missing in zip(asked.kinds, asked.missing, strict=True) if missing))


def _why(places: Sequence[int], asked: AskedReplies) -> str:
    kinds = Counter(asked.kinds[place] for place in places if asked.missing[place])
    return ", ".join(kind for kind, _ in kinds.most_common())
