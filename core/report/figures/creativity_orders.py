"""What the order of the cards did to models that judged, and what they left unanswered: beyond Kumar et al. 2024."""

from collections.abc import Callable, Iterator, Sequence

from core.draw.figure import Figure, mark
from core.findings import Finding
from core.report.figures.choose import having
from core.report.figures.words import joined, words

ROWS = {
    ("flips", ""): "Choice turns with the order",
    ("position", "first"): "Choice falls on the first card",
    ("unanswered", "refused"): "Reply is a refusal",
    ("unanswered", "unreadable"): "Reply cannot be read",
    ("unanswered", "failed"): "Request failed",
}


def orders_figure(findings: Sequence[Finding], make: Callable[..., Figure]) -> Iterator[Figure]:
    """One figure, a section for each axis and model."""
    own = [
        (one, name)
        for (measure, label), name in ROWS.items()
        for one in having(findings, f"creativity.agreement.{measure}", ("axis", "rater"))
        if label in ("", one.label)
    ]
    yield make(
        key="creativity.agreement.orders",
        title="Do models judge by the order of the cards?",
        subtitle="Shares of comparisons, choices and replies. The first card's share is 1 ÷ number of cards by chance.",
        kind="intervals",
        marks=tuple(mark(one, name, section=joined(words(one.dims["axis"]), one.dims["rater"])) for one, name in own),
        unit="proportion",
        axis="share",
        source="extended: every order of the cards is asked",
    )
