"""Who agrees with whom: people's majority against each model, and comparisons sorted by who agreed.

`creativity.agreement.people_model`: Cohen's κ. `creativity.agreement.classes`: shares of comparisons.
Source: Kumar et al. 2024, Table 3, which gives one example each of the first, second and third class.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.findings import Finding
from core.metrics.agreement import cohen_kappa
from core.metrics.proportions import wilson
from core.metrics.result import Ints
from core.studies.creativity.choices import Unit
from core.studies.creativity.evaluators import Common
from core.studies.findings import interval, missing_interval

PEOPLE_MODEL, CLASSES = "creativity.agreement.people_model", "creativity.agreement.classes"
SOURCE = "Kumar et al. 2024, Table 3"
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
    """Who agreed on a comparison that people chose `people` in and the models `models`."""
    agreeing = sum(choice == people for choice in models)
    if agreeing == len(models):
        return ALL
    if agreeing:
        return ONE if agreeing == 1 else SEVERAL
    return AGAINST if len(set(models)) == 1 else NOBODY


def sorted_by_agreement(common: Common) -> tuple[list[Agreed], dict[str, int]]:
    """Each comparison in its class, and how many have none, by reason."""
    majority, answers = _majority(common), {model: _answers(common, model) for model in common.models}
    found: list[Agreed] = []
    dropped: Counter[str] = Counter()
    for unit in common.units:
        said = {model: of_unit[unit] for model, of_unit in answers.items() if unit in of_unit}
        if majority[unit] is None:
            dropped[SPLIT] += 1
        elif len(said) < len(answers):
            dropped[TURNED] += 1
        else:
            people = common.identities[majority[unit] or 0]
            models = {model: common.identities[place] for model, place in said.items()}
            found.append(Agreed(unit, people, models, class_of(people, list(models.values()))))
    return found, dict(dropped)


def who_agrees(common: Common) -> Iterator[Finding]:
    """κ of people's majority with each model, then the share of each class."""
    for model in common.models:
        yield _kappa(common, model)
    found, dropped = sorted_by_agreement(common)
    counted = Counter(one.who for one in found)
    names = classes_for(len(common.models), len(common.identities))
    for name in names:
        yield _class(common, name, names, counted, dropped, found)


def _majority(common: Common) -> dict[Unit, int | None]:
    """What most people chose, by comparison; None where two identities have equally many."""
    most: dict[Unit, int | None] = {}
    for unit, counts in zip(common.people.units, common.people.counts, strict=True):
        first = np.flatnonzero(counts == counts.max())
        most[unit] = int(first[0]) if len(first) == 1 else None
    return most


def _answers(common: Common, model: str) -> dict[Unit, int]:
    """What a model chose in every order of the cards alike, by comparison."""
    choices = common.models[model]
    return {unit: int(line[0]) for unit, line in zip(choices.units, choices.ratings, strict=True) if line[0] >= 0}


def _kappa(common: Common, model: str) -> Finding:
    majority, answers = _majority(common), _answers(common, model)
    both = [(majority[unit], answers[unit]) for unit in common.units if majority[unit] is not None and unit in answers]
    ratings: Ints = np.array(both, dtype=np.int64).reshape(-1, 2)
    found = cohen_kappa(ratings, len(common.identities))
    split = sum(majority[unit] is None for unit in common.units)
    reasons = {SPLIT: split, TURNED: len(common.units) - split - len(both)}
    return Finding(
        id=PEOPLE_MODEL,
        label=model,
        title=f"Cohen’s κ of people’s majority and {model}: {common.axis}",
        groups=("people", model),
        estimate=found.value,
        reason=found.reason if found.value is None else missing_interval(found.interval),
        unit="agreement beyond chance",
        interval=interval(found.interval.bounds),
        n=found.n,
        dims={"axis": common.axis, "rater": model},
        dropped={reason: count for reason, count in reasons.items() if count},
        source=SOURCE,
        note=f"The interval resamples comparisons: it holds for these {len(common.people.raters)} people.",
    )


def _class(
    common: Common,
    name: str,
    names: Sequence[str],
    counted: Mapping[str, int],
    dropped: Mapping[str, int],
    found: Sequence[Agreed],
) -> Finding:
    n = len(found)
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
        source=SOURCE,
        note=_which_model(found) if name == ONE else "",
    )


def _which_model(found: Sequence[Agreed]) -> str:
    alone = Counter(model for one in found if one.who == ONE for model in one.models if one.models[model] == one.people)
    return f"Which one: {', '.join(f'{model} {count}' for model, count in sorted(alone.items()))}." if alone else ""
