"""Which identities a rater's choices favour, whole and in parts: shares, ABS and the raters' agreement.

Source: Kumar et al. 2024 (METHODS, Creativity).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from core.findings import Finding, StudyResult
from core.metrics.result import RESAMPLES
from core.studies.creativity import affinity, slices
from core.studies.creativity.affinity import of_orders
from core.studies.creativity.agreement import agreement
from core.studies.creativity.choices import MODEL, PERSON, AxisChoices, JudgmentTable, choices_on
from core.studies.creativity.quality import quality
from core.studies.findings import with_holm

# The preference a study is planned for: .55/.30/.15 among three identities is 0.35 of the largest possible ABS.
PLANNED_NORMALISED = 0.35
# Who judges whose texts is the evaluator × evaluatee matrix; with the task, Figures 12 to 20.
PARTS = (
    ("task",),
    ("topic",),
    ("temperature",),
    ("model",),
    ("rater_kind",),
    ("rater",),
    ("rater", "model"),
    ("rater", "task"),
    ("rater", "model", "task"),
)
# Cut by these, people and models stand side by side. Everywhere else it is people who are spoken of, where they judged.
OF_RATERS = {"rater", "rater_kind"}
# A rater's choices on one task are a handful: cells with fewer say nothing and would be most of the findings.
FEWEST_OF_RATER_AND_TASK = 5


def measure_judgments(
    table: JudgmentTable,
    *,
    axes: Mapping[str, Sequence[str]],
    harm: Mapping[str, str] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    planned: float = PLANNED_NORMALISED,
    parts: bool = False,
) -> StudyResult:
    """Shares and ABS for every axis that was judged, people pooled; of models alone, the models.

    `axes`: identities in their order, by axis. `harm`: the harmful direction in words, by axis. `planned`: the
    normalised ABS that `power.n_for_planned` is for. `parts`: also by task, topic, temperature, kind of rater, rater
    and model, the agreement between people, what the order of the cards did to models, and how far the judgments can
    be trusted (quality.py).
    """
    judged = [
        choices_on(table, axis, identities, table.leading(axis))
        for axis, identities in axes.items()
        if axis in set(table.axis)
    ]
    in_words = harm or {}
    shares: list[Finding] = []
    for choices in judged:
        of_axis = list(affinity.shares(choices, in_words.get(choices.axis, ""), seed, resamples))
        shares += with_holm(of_axis, f"{affinity.SHARE}, axis {choices.axis}, {len(choices.identities)} identities")
    scores = [affinity.score(each, in_words.get(each.axis, ""), seed, resamples, planned) for each in judged]
    scores = with_holm(scores, f"{affinity.ABS}, {len(scores)} axes")
    findings = [*shares, *scores, *(affinity.published_score(each, in_words.get(each.axis, "")) for each in judged)]
    if parts:
        findings += _parts(table, axes, findings, in_words, seed, resamples, planned)
        findings += agreement(table, judged)
        findings += of_orders(table, axes, seed, resamples)
        findings += quality(table, axes, judged, in_words, seed=seed, resamples=resamples, planned=planned)
    dropped = Counter("axis not measured" for axis in table.axis if axis not in axes)
    for choices in judged:
        dropped.update(choices.dropped)
        behind = set(table.rows_on(choices.axis, MODEL)) - set(table.leading(choices.axis))
        if behind:
            dropped.update(choices_on(table, choices.axis, choices.identities, sorted(behind)).dropped)
    return StudyResult("creativity", len(table), dict(dropped), tuple(findings))


def _parts(
    table: JudgmentTable,
    axes: Mapping[str, Sequence[str]],
    wholes: Sequence[Finding],
    harm: Mapping[str, str],
    seed: int,
    resamples: int,
    planned: float,
) -> list[Finding]:
    found: list[Finding] = []
    known = [*wholes]
    models = {table.rater[row] for row in range(len(table)) if table.by_model(row)}
    for by in PARTS:
        findings: list[Finding] = []
        for choices in _cells(table, axes, by):
            in_words = harm.get(choices.axis, "")
            findings += affinity.shares(choices, in_words, seed, resamples)
            findings.append(affinity.score(choices, in_words, seed, resamples, planned))
            findings.append(affinity.published_score(choices, in_words))
        # People's raters and the models are families of their own: a model that judges changes nothing said of people.
        of_models = [one for one in findings if one.dims.get("rater") in models]
        of_people = [one for one in findings if one.dims.get("rater") not in models]
        adjusted = slices.adjusted(of_people, known, by) + slices.adjusted(of_models, known, by)
        found += adjusted
        if set(by) <= set(slices.WHOSE):
            known += adjusted
    return found


def _cells(table: JudgmentTable, axes: Mapping[str, Sequence[str]], by: Sequence[str]) -> Iterator[AxisChoices]:
    """The choices of every part on every axis; parts without a judgment on an axis are not there."""
    values = cut_values(table)
    for axis, identities in axes.items():
        rows = table.rows_on(axis) if OF_RATERS & set(by) else table.leading(axis)
        for dims, chosen in slices.cut(by, values, rows):
            choices = choices_on(table, axis, identities, chosen, dims)
            if not {"rater", "task"} <= set(by) or len(choices.counts) >= FEWEST_OF_RATER_AND_TASK:
                yield choices


def cut_values(table: JudgmentTable) -> dict[str, Sequence[str]]:
    return slices.columns(
        {
            "task": table.task,
            "theme": table.theme,
            "temperature": table.temperature,
            "model": table.model,
            "rater": table.rater,
            "rater_kind": [kind or PERSON for kind in table.rater_kind],
        }
    )
