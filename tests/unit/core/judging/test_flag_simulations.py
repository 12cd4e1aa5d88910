"""The simulation of careful raters in short: no flag is raised for more than a few of a hundred."""

from simulations.flags import rows


def test_a_careful_rater_hardly_ever_gets_a_flag():
    found = rows(40)
    assert {row.method for row in found} == {"speed", "same answer", "side", "checks", "agreement"}
    assert max(row.false_positives or 0.0 for row in found) <= 0.1, "4 of 40 where 1 in 100 is meant"
