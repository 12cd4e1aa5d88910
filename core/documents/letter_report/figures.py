"""Figures of the whole letter as a report says them: no number without its n and interval."""

from collections.abc import Iterator

from core.documents.letter_report.blocks import Block, Table, said
from core.documents.reading.values import Figure, Naming, Reading

LISTED = ("formality", "positivity", "agency", "agentic", "communal", "standout", "ability", "grindstone", "doubt")


def share(figure: Figure) -> str:
    """“12 % of 17 sentences (3 to 34 %)”; a stand-in says that it is one."""
    if figure.value is None:
        return f"none: {figure.reason}"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.0f} {figure.unit}" if figure.value >= 10 else f"{figure.value:.1f} {figure.unit}"
    bounds = f"{100 * figure.low:.0f} to {100 * figure.high:.0f} %"
    stand_in = ", stand-in scorer" if figure.scorer is not None and figure.scorer.stand_in else ""
    return f"{100 * figure.value:.0f} % of {figure.n} sentences ({bounds}{stand_in})"


def whole_figures(reading: Reading) -> Iterator[Block]:
    """Length, naming, and the shares."""
    words, superlatives = reading.figure("words"), reading.figure("superlatives")
    if words is not None and words.value is not None:
        line = f"{words.value:.0f} words"
        if superlatives is not None and superlatives.value is not None:
            line += f", {superlatives.value:.1f} superlatives in 100 words"
        yield said(f"{line}. {_naming(reading.naming)}")
    listed = [figure for name in LISTED if (figure := reading.figure(name)) is not None]
    yield Table(("", "Share of the sentences"), tuple((one.title, share(one)) for one in listed), (0.35, 0.65))


def figure_rows(reading: Reading) -> Iterator[tuple[str, ...]]:
    """A row for each figure that was compared with reference letters."""
    for one in reading.compared:
        figure = reading.figure(one.name)
        if figure is None:
            continue
        of_100 = f"{100 * one.below:.0f} ({100 * one.low:.0f} to {100 * one.high:.0f})"
        middle = f"{_plain(figure, one.middle_low)} to {_plain(figure, one.middle_high)}"
        outside = {"high": "  (above)", "low": "  (below)", "": ""}[one.outside]
        yield figure.title, f"{_plain(figure, one.value)}{outside}", f"{middle}, n = {one.n}", of_100


def _plain(figure: Figure, value: float) -> str:
    return (
        f"{100 * value:.0f} %" if figure.unit.startswith("share") else f"{value:.1f}" if value < 10 else f"{value:.0f}"
    )


def _naming(naming: Naming) -> str:
    ways = (
        (naming.titled, "with a title"), (naming.full, "by the full name"),
        (naming.last, "by the family name"), (naming.first, "by the first name"),
    )  # fmt: skip
    told = [f"{count} × {way}" for count, way in ways if count]
    return f"The candidate is named {', '.join(told)}." if told else "The candidate is not named."
