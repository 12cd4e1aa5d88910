"""Words given to two groups: the score by hand."""

import pytest

from biasprint.core.metrics.grouped import association_score


@pytest.mark.parametrize(
    ("counts", "score"),
    [
        # A got 6 of X and 2 of Y, B 2 of X and 6 of Y: 6/8 + 6/8 − 1.
        ((6, 2, 2, 6), 0.5),
        ((8, 0, 0, 8), 1.0),
        ((0, 8, 8, 0), -1.0),
        ((4, 4, 4, 4), 0.0),
        # All but one word go to A: 7/15 + 1/1 − 1.
        ((7, 8, 0, 1), 7 / 15),
        ((8, 8, 0, 0), None),
    ],
)
def test_the_bias_score_by_hand(counts, score):
    found = association_score(*counts)

    assert found == (None if score is None else pytest.approx(score))


def test_groups_exchanged_the_score_has_the_other_sign():
    assert association_score(5, 3, 1, 7) == pytest.approx(-association_score(1, 7, 5, 3))
