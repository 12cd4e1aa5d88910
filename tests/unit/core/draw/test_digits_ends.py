"""An interval that leaves 0 out is not written as if it reached it."""

import pytest

from biasprint.core.draw.digits import whole


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        ((0.032, 0.00039, 0.055), "0.032 (0.0004–0.055)"),
        ((-0.032, -0.055, -0.00039), "−0.032 (−0.055 to −0.0004)"),
        ((0.032, 0.0, 0.055), "0.032 (0.000–0.055)"),
        ((0.032, 1e-12, 0.055), "0.032 (0.000–0.055)"),
    ],
)
def test_an_end_beyond_zero_is_not_rounded_to_zero(numbers: tuple[float, float, float], shown: str) -> None:
    assert whole(*numbers) == shown
