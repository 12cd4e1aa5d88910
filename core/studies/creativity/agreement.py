"""Agreement: of people among each other, of each result without one rater, and of people with models that judged.

`creativity.agreement.*` and `creativity.quality.without.*`, by axis, of people alone: models agree with themselves only
as far as the order of the cards lets them (`affinity`). `creativity.agreement.common.*`: people and models on exactly
the comparisons that all of them judged; `.difference` is people's share of an identity less a model's, comparisons
paired. `creativity.agreement.people_model`: Cohen's κ of a model with the majority of people;
`creativity.agreement.classes`: shares of comparisons by who agreed.
Source: Kumar et al. 2024, section 4.1, footnote 4 (Fleiss' κ), Figure 6 and Table 3; others: METHODS."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from biasprint.core.findings import Effect, Finding
from biasprint.core.metrics.affinity import affinity_score
from biasprint.core.metrics.agreement import (
    Agreement,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    mean_cohen_kappa,
    raw_agreement,
)
from biasprint.core.metrics.means import one_sample_mean, worth_mean
from biasprint.core.metrics.proportions import paired_proportions, wilson
from biasprint.core.metrics.result import Difference, Floats, Ints
from biasprint.core.studies.creativity import affinity
from biasprint.core.studies.creativity import choices as slices
from biasprint.core.studies.creativity.choices import (
    EVERYONE,
    MODEL,
    PERSON,
    QUALITY,
    AxisChoices,
    JudgmentTable,
    Unit,
    choices_on,
    published,
)
from biasprint.core.studies.kit.findings import interval, missing_interval, with_holm

# ---- `creativity.agreement.*`, whole and by task

AGREEMENT = "creativity.agreement"
FLEISS, COHEN = f"{AGREEMENT}.fleiss_kappa", f"{AGREEMENT}.cohen_kappa"
SOURCE = "Kumar et al. 2024, section 4.1, footnote 4"
MEASURES: Mapping[str, tuple[str, Callable[[Ints], Agreement]]] = {
    FLEISS: ("Fleiss’ κ", fleiss_kappa),
    f"{AGREEMENT}.krippendorff_alpha": ("Krippendorff’s α", krippendorff_alpha),
    f"{AGREEMENT}.gwet_ac1": ("Gwet’s AC1", gwet_ac1),
    f"{AGREEMENT}.raw": ("Raw agreement", raw_agreement),
}
# So many raters make 45 pairs; of more, the mean alone is told.
MOST_RATERS_IN_PAIRS = 10
MEAN_OF_PAIRS = "Cohen’s κ, mean of pairs"


def _why_not(choices: AxisChoices, agreement: Agreement) -> str:
    if len(choices.raters) == 1:
        return "only one rater chose"
    return agreement.reason if choices.raters else "no comparison with a choice"


def agreement(table: JudgmentTable, judged: Sequence[AxisChoices]) -> list[Finding]:
    """The measures for every axis that people judged, and for every task where several judged it."""
    of_people = [choices for choices in judged if table.rows_on(choices.axis, PERSON)]
    findings = [finding for choices in of_people for finding in of_choices(choices)]
    for choices in of_people:
        rows = table.rows_on(choices.axis, PERSON)
        for dims, of_task in slices.cut(("task",), {"task": table.task} if table.task else {}, rows):
            part = choices_on(table, choices.axis, choices.identities, of_task, dims)
            if len(part.raters) > 1:
                findings += of_choices(part)
    return findings


def of_choices(choices: AxisChoices) -> Iterator[Finding]:
    """Every measure for these choices: a choice is a category, a judgment without one is a gap."""
    several = len(choices.raters) > 1
    for finding_id, (name, measure) in MEASURES.items():
        agreement = measure(choices.counts)
        yield finding_of(finding_id, name, choices, agreement)
        if finding_id == FLEISS and not choices.dims:
            yield _published(choices, agreement)
    k = len(choices.identities)
    yield finding_of(COHEN, MEAN_OF_PAIRS, choices, mean_cohen_kappa(choices.ratings, k))
    if several and len(choices.raters) <= MOST_RATERS_IN_PAIRS and not choices.dims:
        for first, second in combinations(range(len(choices.raters)), 2):
            pair = (choices.raters[first], choices.raters[second])
            agreement = cohen_kappa(choices.ratings[:, (first, second)], k)
            yield finding_of(COHEN, "Cohen’s κ", choices, agreement, pair)


def finding_of(
    finding_id: str, name: str, choices: AxisChoices, result: Agreement, pair: tuple[str, str] | None = None
) -> Finding:
    """One measure of these choices, or of a pair of their raters."""
    label = " / ".join(pair) if pair else choices.axis
    common = _common(choices, result, finding_id) | {
        "label": label,
        "title": slices.within(f"{name}: {choices.axis}{f', {label}' if pair else ''}", choices.dims),
        "groups": pair or choices.raters,
    }
    return Finding(
        id=finding_id,
        estimate=result.value,
        reason=_why_not(choices, result) if result.value is None else missing_interval(result.interval),
        interval=interval(result.interval.bounds),
        **common,
    )


def _published(choices: AxisChoices, result: Agreement) -> Finding:
    """The same number without an interval, beside the paper's."""
    common = _common(choices, result, FLEISS) | {"label": choices.axis, "groups": choices.raters}
    return Finding(
        id=FLEISS,
        title=f"Fleiss’ κ: {choices.axis}",
        variant="as_published",
        estimate=result.value,
        reason=_why_not(choices, result) if result.value is None else "interval: the paper gives none",
        **common | {"note": f"Unit assumed: one comparison.{published(FLEISS, choices.axis)}"},
    )


def _common(choices: AxisChoices, result: Agreement, finding_id: str) -> dict[str, Any]:
    n = len(choices.raters)
    note = f"The interval resamples comparisons: it holds for these {n} raters, not for others like them."
    left_out = len(choices.counts) - result.n
    reasons = {"comparison not judged by enough of these raters": left_out} if left_out and n > 1 else {}
    return {
        "unit": "proportion" if finding_id.endswith("raw") else "agreement beyond chance",
        "n": result.n,
        "dims": {"axis": choices.axis, **choices.dims},
        "n_by_group": {
            rater: int((choices.ratings[:, place] >= 0).sum()) for place, rater in enumerate(choices.raters)
        },
        "dropped": {**choices.dropped, **reasons},
        "source": SOURCE,
        "note": note if n > 1 else "",
    }


# ---- `creativity.quality.without.*`
# Each finding is the same measure without the rater it is named after; the contrast says what that rater adds. It shows
# who carries a result, and is no test of its own: the floor's p stands in the floor, and there is no other.

WITHOUT = f"{QUALITY}.without"
# Who carries a result is a question for a few raters; of many, no single one does.
MOST_RATERS = 20


def without_each(
    table: JudgmentTable, judged: Sequence[AxisChoices], seed: int, resamples: int, planned: float
) -> Iterator[Finding]:
    """Yield ABS without each person, for every axis that two people or more judged; of three or more also agreement."""
    for whole in judged:
        rows = table.rows_on(whole.axis, PERSON)
        if not rows or len(whole.raters) < 2:
            continue
        if len(whole.raters) > MOST_RATERS:
            yield Finding(
                id=f"{WITHOUT}.abs",
                label=EVERYONE,
                title=f"Affinity bias score without each rater: {whole.axis}",
                groups=whole.identities,
                estimate=None,
                reason=f"{len(whole.raters)} raters: with more than {MOST_RATERS} no single one carries a result",
                unit="proportion",
                n=whole.n,
                dims={"axis": whole.axis},
                source=affinity.SOURCE,
            )
            continue
        of_all = dict(_measures(whole))
        for rater in sorted(whole.raters):
            others = [row for row in rows if table.rater[row] != rater]
            left = choices_on(table, whole.axis, whole.identities, others)
            yield _score(whole, left, rater, seed, resamples, planned)
            if len(left.raters) > 1:
                yield from _agreement(left, rater, of_all)


def _score(whole: AxisChoices, left: AxisChoices, rater: str, seed: int, resamples: int, planned: float) -> Finding:
    score_found = affinity.score(left, "", seed, resamples, planned)
    return replace(
        _named(score_found, "abs", rater, affinity_score(whole.chosen).value),
        title=f"Affinity bias score without {rater}: {whole.axis}",
        p=None,
        power=None,
    )


def _measures(choices: AxisChoices) -> Iterator[tuple[str, tuple[str, Agreement]]]:
    """Every measure of agreement by id, with its name; Cohen's κ only of raters who are few enough for pairs."""
    for finding_id, (name, measure) in MEASURES.items():
        yield finding_id, (name, measure(choices.counts))
    if len(choices.raters) <= MOST_RATERS_IN_PAIRS:
        yield COHEN, (MEAN_OF_PAIRS, mean_cohen_kappa(choices.ratings, len(choices.identities)))


def _agreement(left: AxisChoices, rater: str, of_all: Mapping[str, tuple[str, Agreement]]) -> Iterator[Finding]:
    for finding_id, (name, agreement) in _measures(left):
        if finding_id in of_all:
            finding = replace(
                finding_of(finding_id, name, left, agreement), title=f"{name}, without {rater}: {left.axis}"
            )
            yield _named(finding, finding_id.rpartition(".")[2], rater, of_all[finding_id][1].value)


def _named(finding: Finding, name: str, rater: str, whole: float | None) -> Finding:
    adds = {} if whole is None or finding.estimate is None else {rater: whole - finding.estimate}
    with_all = "" if whole is None else f" With all raters {whole:.3f}; contrast: what this one adds."
    return replace(
        finding,
        id=f"{WITHOUT}.{name}",
        label=rater,
        contrast=adds or None,
        note=f"{finding.note}{with_all}".strip(),
    )


# ---- `creativity.agreement.common.*`

COMMON = "creativity.agreement.common"
SHARE, ABS, DIFFERENCE = f"{COMMON}.share", f"{COMMON}.abs", f"{COMMON}.difference"
COMMON_SOURCE = "Kumar et al. 2024, Figure 6"
# With fewer comparisons that every person judged, what some person and every model judged is compared instead.
FEWEST = 10


@dataclass(frozen=True)
class Common:
    """Choices of people and models on the same comparisons of an axis.

    `everyone`: whether every single person judged them too; otherwise some person did. `left_out`: comparisons that
    somebody chose in, but not all.
    """

    axis: str
    identities: tuple[str, ...]
    units: tuple[Unit, ...]
    people: AxisChoices
    models: Mapping[str, AxisChoices]
    persons: Mapping[str, AxisChoices]
    everyone: bool
    left_out: int


def common_choices(table: JudgmentTable, axis: str, identities: Sequence[str]) -> Common | None:
    """The comparisons in which people and every model chose; None where only one of the two kinds judged this axis."""
    people, models = table.rows_on(axis, PERSON), table.rows_on(axis, MODEL)
    if not people or not models:
        return None
    rows = {rater: [row for row in models if table.rater[row] == rater] for rater in _raters(table, models)}
    persons = {rater: [row for row in people if table.rater[row] == rater] for rater in _raters(table, people)}
    chose = {rater: set(choices_on(table, axis, identities, own).units) for rater, own in (persons | rows).items()}
    of_models = set.intersection(*(chose[rater] for rater in rows))
    of_everyone = of_models.intersection(*(chose[rater] for rater in persons))
    of_people = set.union(*(chose[rater] for rater in persons))
    everyone = len(persons) == 1 or len(of_everyone) >= min(FEWEST, len(of_models & of_people))
    same = of_everyone if everyone else of_models & of_people

    def narrowed(own: Sequence[int], **dims: str) -> AxisChoices:
        return choices_on(table, axis, identities, [row for row in own if table.unit(row) in same], dims)

    return Common(
        axis=axis,
        identities=tuple(identities),
        units=tuple(dict.fromkeys(table.unit(row) for row in people if table.unit(row) in same)),
        people=narrowed(people, rater_kind=PERSON),
        models={rater: narrowed(own, rater=rater) for rater, own in rows.items()},
        persons={rater: narrowed(own, rater=rater) for rater, own in persons.items()} if everyone else {},
        everyone=everyone,
        left_out=len(of_models | of_people) - len(same),
    )


def evaluators(common: Common, harm: str, seed: int, resamples: int, planned: float) -> list[Finding]:
    """Shares and ABS of everyone on the same comparisons, and how far people differ from each model."""
    of_each = [common.people, *common.persons.values(), *common.models.values()]
    shares = [
        _common_fields(common, share_finding, SHARE, "Share of choices")
        for choices in of_each
        for share_finding in affinity.shares(choices, harm, seed, resamples)
        if share_finding.variant == "default"
    ]
    scores = [
        _common_fields(common, affinity.score(choices, harm, seed, resamples, planned), ABS, "Affinity bias score")
        for choices in of_each
    ]
    differences = [share_finding for rater in common.models for share_finding in _differences(common, rater, harm)]
    return [
        finding
        for family in (shares, scores, differences)
        for finding in with_holm(family, f"{family[0].id}, axis {common.axis}, {len(family)} tests")
    ]


def paired(first: Floats, second: Floats) -> Difference:
    """The mean of `first` − `second` over comparisons: McNemar where both are one choice each, t where one is a mean.

    Shapes (n,), values from 0 to 1.
    """
    if np.isin(first, (0, 1)).all() and np.isin(second, (0, 1)).all():
        return paired_proportions(first == 1, second == 1)
    return one_sample_mean(first - second)


def paired_people(people: AxisChoices, answers: Mapping[Unit, Floats], place: int) -> Difference:
    """The same for several people with the person as a unit beside the comparison: t of the mean, comparisons alike.

    A person's choice less the model's weighs one part of all people who chose in that comparison.
    """
    sizes = 1 / people.counts.sum(axis=1)[people.cell_unit]
    model = np.array([answers[unit][place] for unit in people.units], dtype=np.float64)[people.cell_unit]
    differences = people.cells[:, place] / people.cells.sum(axis=1) - model
    sizes = sizes * people.cells.sum(axis=1)
    return replace(worth_mean(differences, sizes, people.cell_rater, people.cell_unit), n=len(people.units))


def by_unit(choices: AxisChoices) -> dict[Unit, Floats]:
    """Each comparison's share of choices on each identity: of several people the mean, of a model over its orders."""
    totals = choices.counts.sum(axis=1, keepdims=True)
    return dict(zip(choices.units, choices.counts / np.maximum(1, totals), strict=True))


def _raters(table: JudgmentTable, rows: Sequence[int]) -> list[str]:
    return sorted({table.rater[row] for row in rows})


def _common_fields(common: Common, finding: Finding, finding_id: str, name: str) -> Finding:
    whose = finding.dims.get("rater", "people")
    return replace(
        finding,
        id=finding_id,
        title=f"{name} on comparisons that people and models judged: {finding.label}, {whose}",
        dropped=dict(finding.dropped) | _left_out(common),
        source=COMMON_SOURCE,
        note=f"{finding.note} {_which(common)}".strip(),
    )


def _differences(common: Common, model: str, harm: str) -> Iterator[Finding]:
    people, answers = by_unit(common.people), by_unit(common.models[model])
    shape = (-1, len(common.identities))
    first = np.array([people[unit] for unit in common.units], dtype=np.float64).reshape(shape)
    second = np.array([answers[unit] for unit in common.units], dtype=np.float64).reshape(shape)
    for place, identity in enumerate(common.identities):
        if common.people.raters_are_units and common.units:
            difference = paired_people(common.people, answers, place)
        else:
            difference = paired(first[:, place], second[:, place])
        yield _difference(common, model, identity, difference, harm)


def _difference(common: Common, model: str, identity: str, difference: Difference, harm: str) -> Finding:
    undefined = difference.value is None
    return Finding(
        id=DIFFERENCE,
        label=identity,
        title=f"Share of choices, people minus {model}: {identity}",
        groups=("people", model),
        estimate=difference.value,
        reason="no comparison in which people and every model chose"
        if undefined
        else missing_interval(difference.interval),
        unit="difference of proportions",
        interval=interval(difference.interval.bounds),
        n=difference.n,
        dims={"axis": common.axis, "rater": model},
        dropped=_left_out(common),
        p=difference.p,
        effect=None if difference.effect is None else Effect(difference.effect_name, difference.effect),
        harm=harm,
        source=COMMON_SOURCE,
        note=f"Comparisons are paired; p: {difference.test}. {_which(common)}",
    )


def _left_out(common: Common) -> dict[str, int]:
    return {"comparison not judged by all of them": common.left_out} if common.left_out else {}


def _which(common: Common) -> str:
    if common.everyone:
        return f"{len(common.units)} comparisons in which every person and every model chose."
    return (
        f"{len(common.units)} comparisons in which at least one person and every model chose: "
        f"fewer than {FEWEST} were judged by every person."
    )


# ---- `creativity.agreement.people_model` and `.classes`
# Table 3 gives one example each of the first, second and third class.

PEOPLE_MODEL, CLASSES = "creativity.agreement.people_model", "creativity.agreement.classes"
CLASSES_SOURCE = "Kumar et al. 2024, Table 3"
SPLIT, TURNED = "people are split", "a model's choice turns with the order of the cards"
ALL = "all agree"
AGAINST = "models agree, people chose another"
ONE = "one model alone agrees with people"
SEVERAL = "several models agree with people, not all"
NOBODY = "no model agrees with people, nor the models with each other"


@dataclass(frozen=True)
class Agreed:
    """One comparison: what most people chose, what each model chose, and who agreed."""

    unit: Unit
    people: str
    models: Mapping[str, str]
    who: str


def classes_for(models: int, identities: int) -> tuple[str, ...]:
    """The classes that so many models and identities can give."""
    several = (SEVERAL,) if models > 2 else ()
    nobody = (NOBODY,) if models > 1 and identities > 2 else ()
    return (ALL, AGAINST, *((ONE,) if models > 1 else ()), *several, *nobody)


def class_of(people: str, models: Sequence[str]) -> str:
    """Return who agreed on a comparison in which people chose `people` and the models chose `models`."""
    agreeing = sum(choice == people for choice in models)
    if agreeing == len(models):
        return ALL
    if agreeing:
        return ONE if agreeing == 1 else SEVERAL
    return AGAINST if len(set(models)) == 1 else NOBODY


def sorted_by_agreement(common: Common) -> tuple[list[Agreed], dict[str, int]]:
    """Each comparison in its class, and how many have none, by reason."""
    majority, answers = _majority(common), {model: _answers(common, model) for model in common.models}
    agreed: list[Agreed] = []
    dropped: Counter[str] = Counter()
    for unit in common.units:
        model_answers = {model: of_unit[unit] for model, of_unit in answers.items() if unit in of_unit}
        if majority[unit] is None:
            dropped[SPLIT] += 1
        elif len(model_answers) < len(answers):
            dropped[TURNED] += 1
        else:
            people = common.identities[majority[unit] or 0]
            models = {model: common.identities[place] for model, place in model_answers.items()}
            agreed.append(Agreed(unit, people, models, class_of(people, list(models.values()))))
    return agreed, dict(dropped)


def who_agrees(common: Common) -> Iterator[Finding]:
    """κ of people's majority with each model, then the share of each class."""
    for model in common.models:
        yield _kappa(common, model)
    agreed, dropped = sorted_by_agreement(common)
    counted = Counter(unit.who for unit in agreed)
    names = classes_for(len(common.models), len(common.identities))
    for name in names:
        yield _class(common, name, names, counted, dropped, agreed)


def _majority(common: Common) -> dict[Unit, int | None]:
    """The majority's choice, by comparison; None where two identities have equally many."""
    most: dict[Unit, int | None] = {}
    for unit, counts in zip(common.people.units, common.people.counts, strict=True):
        first = np.flatnonzero(counts == counts.max())
        most[unit] = int(first[0]) if len(first) == 1 else None
    return most


def _answers(common: Common, model: str) -> dict[Unit, int]:
    """The choice of a model that is the same in every order of the cards, by comparison."""
    choices = common.models[model]
    return {unit: int(line[0]) for unit, line in zip(choices.units, choices.ratings, strict=True) if line[0] >= 0}


def _kappa(common: Common, model: str) -> Finding:
    majority, answers = _majority(common), _answers(common, model)
    both = [(majority[unit], answers[unit]) for unit in common.units if majority[unit] is not None and unit in answers]
    ratings: Ints = np.array(both, dtype=np.int64).reshape(-1, 2)
    kappa = cohen_kappa(ratings, len(common.identities))
    split = sum(majority[unit] is None for unit in common.units)
    reasons = {SPLIT: split, TURNED: len(common.units) - split - len(both)}
    return Finding(
        id=PEOPLE_MODEL,
        label=model,
        title=f"Cohen’s κ of people’s majority and {model}: {common.axis}",
        groups=("people", model),
        estimate=kappa.value,
        reason=kappa.reason if kappa.value is None else missing_interval(kappa.interval),
        unit="agreement beyond chance",
        interval=interval(kappa.interval.bounds),
        n=kappa.n,
        dims={"axis": common.axis, "rater": model},
        dropped={reason: count for reason, count in reasons.items() if count},
        source=CLASSES_SOURCE,
        note=f"The interval resamples comparisons: it holds for these {len(common.people.raters)} people.",
    )


def _class(
    common: Common,
    name: str,
    names: Sequence[str],
    counted: Mapping[str, int],
    dropped: Mapping[str, int],
    agreed: Sequence[Agreed],
) -> Finding:
    n = len(agreed)
    return Finding(
        id=CLASSES,
        label=name,
        title=f"Comparisons by who agreed: {name}, {common.axis}",
        groups=tuple(names),
        estimate=counted.get(name, 0) / n if n else None,
        reason=None if n else "no comparison in which people and every model have one answer",
        unit="proportion",
        interval=interval(wilson(counted.get(name, 0), n)),
        n=n,
        dims={"axis": common.axis},
        n_by_group={each: counted.get(each, 0) for each in names},
        dropped=dict(dropped),
        source=CLASSES_SOURCE,
        note=_which_model(agreed) if name == ONE else "",
    )


def _which_model(agreed: Sequence[Agreed]) -> str:
    alone = Counter(
        model for unit in agreed if unit.who == ONE for model in unit.models if unit.models[model] == unit.people
    )
    return f"Which one: {', '.join(f'{model} {count}' for model, count in sorted(alone.items()))}." if alone else ""
