"""Every metric keeps the same rules: order, names of groups, units, empty and degenerate input, NaN.

The table is in tests/metric_cases; a metric that is missing there fails here.
"""

import inspect
import pkgutil
from importlib import import_module

import numpy as np
import pytest
from metric_cases.case import EDGES, NONE, REFUSED, UNDEFINED, Case, flat, leaves
from metric_cases.table import CASES, HELPERS

from biasprint.core import metrics
from biasprint.core.metrics.result import TestResult


def each_with(check: str) -> pytest.MarkDecorator:
    """Every metric to which a check applies; a text in its place says why it does not."""
    cases = [case for case in CASES if not isinstance(getattr(case, check), str)]
    assert cases
    return pytest.mark.parametrize("case", cases, ids=[case.name for case in cases])


def public_metrics() -> set[str]:
    """Every public function in core.metrics, as `module.function`, and every class that computes something."""
    found = set()
    for module in pkgutil.iter_modules(metrics.__path__):
        named = f"biasprint.core.metrics.{module.name}"
        found |= {
            f"{module.name}.{name}"
            for name, member in vars(import_module(named)).items()
            if not name.startswith("_") and getattr(member, "__module__", "") == named and computes(member)
        }
    return found


def computes(member: object) -> bool:
    """Functions do, and classes with methods; results and names of types do not."""
    if not inspect.isclass(member):
        return inspect.isfunction(member)
    methods = (part for name, part in vars(member).items() if not name.startswith("_"))
    return any(inspect.isfunction(part) or isinstance(part, classmethod) for part in methods)


def alike(found: object, expected: object, about: float) -> bool:
    one, other = list(leaves(found)), list(leaves(expected))
    return [leaf is None for leaf in one] == [leaf is None for leaf in other] and flat(one) == pytest.approx(
        flat(other), rel=about, abs=about
    )


def test_no_metric_is_left_out() -> None:
    described = {case.name for case in CASES}
    assert public_metrics() - described - set(HELPERS) == set()
    assert (described | set(HELPERS)) - public_metrics() == set(), "the table names what is no longer there"
    assert all(HELPERS.values())


@each_with("items")
def test_the_order_of_items_does_not_matter(case: Case) -> None:
    expected = case.answer(case.args)
    for places in case.items:
        order = np.random.default_rng(3).permutation(len(case.args[places[0]]))
        args = tuple(arg[order] if place in places else arg for place, arg in enumerate(case.args))
        assert alike(case.answer(args), expected, case.about)


@each_with("relabel")
def test_renamed_groups_turn_the_answer_as_they_should(case: Case) -> None:
    rename, turned = case.relabel
    assert alike(case.answer(rename(*case.args)), turned(case.answer(case.args)), case.about)


@each_with("scale")
def test_the_unit_of_measurement_does_not_matter(case: Case) -> None:
    places, grown = case.scale
    for factor in (1000.0, 1e-6):
        args = tuple(arg * factor if place in places else arg for place, arg in enumerate(case.args))
        expected = np.array(flat(grown(case.answer(case.args), factor)))
        found = np.array(flat(case.answer(args)))
        # Relative alone: an answer in a tiny unit is tiny, and still an answer.
        assert found == pytest.approx(expected, rel=max(case.about, 1e-9), abs=0), factor


@each_with("edges")
def test_degenerate_input_gives_a_number_a_reason_or_a_refusal(case: Case) -> None:
    assert set(case.edges) == set(EDGES)
    described = {edge: given for edge, given in case.edges.items() if not isinstance(given, str)}
    assert {edge: case.kind(args) for edge, (args, _) in described.items()} == {
        edge: kind for edge, (_, kind) in described.items()
    }


@each_with("nan")
def test_nan_never_becomes_an_estimate(case: Case) -> None:
    for place in case.nan:
        assert case.kind(with_nan(case.args, place)) in (REFUSED, UNDEFINED)


def with_nan(args: tuple, place: int) -> tuple:
    """The arguments with one number of one of them not a number."""
    poisoned = list(args)
    if isinstance(args[place], np.ndarray):
        values = args[place].astype(np.float64)
        values.flat[-1] = np.nan
        poisoned[place] = values
    elif isinstance(args[place], list):
        poisoned[place] = [np.nan, *args[place][1:]]
    else:
        poisoned[place] = np.nan
    return tuple(poisoned)


def test_the_checks_see_what_they_are_for() -> None:
    def case(metric: object) -> Case:
        return Case(metric, (np.array([1.0, 2.0]),), [(0,)], "", "", {}, (0,))

    with pytest.raises(AssertionError, match="nan"):
        case(lambda values: TestResult("x", 1.0, float(values.mean()))).kind((np.array([1.0, np.nan]),))
    assert case(lambda values: TestResult("x", None, None)).kind((np.ones(2),)) == NONE
    assert case(lambda values: TestResult("x", None, None, "no units")).kind((np.ones(2),)) == UNDEFINED
    assert not alike((1.0, None), (1.0, 0.0), 1e-9)
    assert not alike((1.0, 2.0), (1.0, 2.1), 1e-9)
