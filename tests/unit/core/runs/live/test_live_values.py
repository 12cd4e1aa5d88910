"""Shares of outcomes: exact where each text is by itself, worth fewer texts where several share what decides them."""

import numpy as np
import pytest

from biasprint.core.metrics.anytime import clustered_share_band, share_band
from biasprint.core.runs.live import LiveKey
from biasprint.core.studies.kit.live import OutcomeCounts

KEY = LiveKey("news.refusal_rate", "refused", "")


def counted(outcomes: list[tuple[int, int]]) -> OutcomeCounts:
    found = OutcomeCounts(2, "headlines")
    for headline, refused in outcomes:
        found.add(headline, refused)
    return found


def test_texts_by_themselves_have_the_exact_band_from_the_first_on() -> None:
    for n in (1, 40):
        value = counted([(headline, headline % 4 == 0) for headline in range(n)]).share(KEY, "proportion", 1)
        exact = share_band(-(-n // 4), n)
        assert (value.n, value.low, value.high) == (n, exact.low, exact.high)


def test_texts_of_few_headlines_have_no_band_yet() -> None:
    value = counted([(number % 9, number % 2) for number in range(27)]).share(KEY, "proportion", 1)
    assert (value.estimate, value.low) == (13 / 27, None)
    assert value.reason == "a band needs 10 headlines; so far there are 9"


def test_headlines_that_are_refused_together_are_worth_one_text_each() -> None:
    value = counted([(headline, headline % 4 == 0) for headline in range(40) for _ in range(3)]).share(KEY, "", 1)
    # Of 40 headlines, 10 refused three times each: the error of a share of 40, s with ddof 1.
    error = float(np.std([1.0] * 10 + [0.0] * 30, ddof=1) / np.sqrt(40))
    wanted = clustered_share_band(0.25, 120, error, 40)
    assert (value.n, value.estimate) == (120, 0.25)
    assert (value.low, value.high) == pytest.approx((wanted.low, wanted.high))
