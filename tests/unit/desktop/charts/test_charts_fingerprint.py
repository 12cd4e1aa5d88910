"""What hovering tells of an axis in a fingerprint."""

from types import SimpleNamespace

import pytest

from biasprint.core.judging.fingerprint import AxisTest
from biasprint.desktop.charts.fingerprint import _score_tip

ALONE = "The interval is for this one axis; adjusted for 3 axes it does not stand out."


@pytest.mark.parametrize(
    ("p", "adjusted", "low", "said"), [(0.02, 0.06, 0.04, True), (0.01, 0.03, 0.04, False), (0.02, 0.06, 0.0, False)]
)
def test_an_interval_away_from_0_beside_an_adjusted_p_above_05_is_explained(
    p: float, adjusted: float, low: float, said: bool
):
    axis = SimpleNamespace(
        title="Gender", abs=0.2, n=20, floor_mean=0.1, floor_p95=0.2, testing=AxisTest(p, adjusted, 3)
    )
    assert (ALONE in _score_tip(axis, low, 0.4)) == said  # type: ignore[arg-type]
