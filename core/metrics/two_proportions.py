"""The difference of two proportions of independent units."""

from core.metrics.difference import Difference, untested
from core.metrics.result import LEVEL, Bounds, MaybeBounds

# Below either the z-test raises up to 7.7 % false alarms (tests/unit/core/test_metrics_simulations.py).
FEWEST_FOR_Z = 200
FEWEST_EXPECTED = 5.0
# With fewer in a group the interval covers down to 88 %.
FEWEST_FOR_INTERVAL = 8


def two_proportions(
    successes_first: int, n_first: int, successes_second: int, n_second: int, *, exact: bool | None = False
) -> Difference:
    """p₁ − p₂, Agresti and Caffo's interval, effect Cohen's h = 2 asin √p₁ − 2 asin √p₂.

    `exact`: False, the pooled z-test as papers run it; True, Boschloo's test up to FEWEST_FOR_Z units in all and
    Fisher's above; None, for decisions: exact where there are few units or expected counts. The interval covers at
    least 93 % where both chances lie between 5 and 95 %; Newcombe's goes down to 88 % (Agresti & Caffo 2000). No p
    where all units of both groups agree. ValueError where successes exceed n.
    """
    from statsmodels.stats.proportion import proportion_effectsize

    counts = (n_first, n_second)
    if not (0 <= successes_first <= n_first and 0 <= successes_second <= n_second):
        raise ValueError("successes must lie between 0 and n")
    if min(counts) == 0:
        return untested(None, "a group has no units", "two proportions", "Cohen's h", sum(counts), counts)
    first, second = successes_first / n_first, successes_second / n_second
    tested = 0 < successes_first + successes_second < n_first + n_second
    test, statistic, p = _test(successes_first, n_first, successes_second, n_second, exact) if tested else NO_TEST
    return Difference(
        value=first - second,
        reason="" if tested else "all units of both groups agree",
        interval=_interval(successes_first, n_first, successes_second, n_second),
        p=p,
        statistic=statistic,
        test=test,
        effect_name="Cohen's h",
        effect=float(proportion_effectsize(first, second)),
        n=sum(counts),
        n_by_group=counts,
    )


def _interval(x: int, n: int, y: int, m: int) -> MaybeBounds:
    from statsmodels.stats.proportion import confint_proportions_2indep

    if min(n, m) < FEWEST_FOR_INTERVAL:
        return MaybeBounds(None, f"fewer than {FEWEST_FOR_INTERVAL} units in a group")
    low, high = confint_proportions_2indep(x, n, y, m, method="agresti-caffo", compare="diff", alpha=1 - LEVEL)
    return MaybeBounds(Bounds(max(-1.0, float(low)), min(1.0, float(high)), "Agresti–Caffo", LEVEL))


NO_TEST: tuple[str, float | None, float | None] = ("two proportions", None, None)


def _test(x: int, n: int, y: int, m: int, exact: bool | None) -> tuple[str, float | None, float | None]:
    from scipy.stats import boschloo_exact, fisher_exact
    from statsmodels.stats.proportion import proportions_ztest

    expected = min(x + y, n + m - x - y) * min(n, m) / (n + m)
    if exact is None:
        exact = n + m < FEWEST_FOR_Z or expected < FEWEST_EXPECTED
    if not exact:
        z, p = proportions_ztest([x, y], [n, m])
        return "pooled z", float(z), float(p)
    if n + m <= FEWEST_FOR_Z:
        return "Boschloo, exact", None, min(1.0, float(boschloo_exact([[x, y], [n - x, m - y]]).pvalue))
    return "Fisher, exact", None, float(fisher_exact([[x, n - x], [y, m - y]]).pvalue)
