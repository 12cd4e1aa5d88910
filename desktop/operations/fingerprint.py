"""Reading fingerprints, and saving one as a picture. Nothing is written unless the person asks for it."""

from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core import compute
from biasprint.core.jobs import JobContext
from biasprint.core.runs.fingerprint import fingerprint_of, raters_with_fingerprint, texts_read
from biasprint.desktop import theme
from biasprint.desktop.charts.fingerprint_page import save_page
from biasprint.desktop.charts.live import TextBehind, TextsBehind
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import tr

SAID = {"tie": "a tie", "none": "no text was good", "skip": "skipped"}

if TYPE_CHECKING:
    from biasprint.core.findings import Finding
    from biasprint.core.judging.fingerprint import Fingerprint
    from biasprint.core.project.project import Project
    from biasprint.core.runs.fingerprint import OfferedRaters


def read_raters(*, project: "Project") -> "Operation[OfferedRaters]":
    """Return the raters of a project who have a fingerprint."""

    def work(ctx: JobContext) -> "OfferedRaters":
        return raters_with_fingerprint(ctx, project)

    return Operation(tr("Raters"), work, quiet=True)


def read_fingerprint(*, project: "Project", rater: str) -> "Operation[Fingerprint]":
    """Measure one rater's fingerprint in the compute process."""

    def work(ctx: JobContext) -> "Fingerprint":
        return fingerprint_of(ctx, project, rater, compute.shared())

    return Operation(tr("Fingerprint"), work, quiet=True)


def read_texts(*, project: "Project", found: "Fingerprint", finding: "Finding") -> "Operation[TextsBehind]":
    """Read the texts behind a figure of this fingerprint, the chosen ones first."""
    labels = {share.identity: share.label for axis in found.axes for share in axis.identities}
    identity = finding.label if finding.id == "creativity.share" else ""

    def work(ctx: JobContext) -> "TextsBehind":
        read = texts_read(ctx, project, found.rater, finding.dims["axis"], identity)
        items = (
            TextBehind(
                f"{text.key[0]} {text.key[1]}",
                f"{text.title} · {labels.get(text.identity, text.identity)}",
                tr(SAID.get(text.said, text.said)),
                text.text,
            )
            for text in read.texts
        )
        return TextsBehind(read.total, tuple(items))

    return Operation(tr("Texts behind a figure"), work, quiet=True)


def save_fingerprint(*, found: "Fingerprint", path: Path) -> Operation[Path]:
    """Write the picture. It is light and always of one size, as it goes on a page, not on this screen."""
    tokens = theme.tokens_for("light")

    def work(ctx: JobContext) -> Path:
        return save_page(found, tokens, path)

    return Operation(
        tr("Save picture"), work, lambda saved: tr("Saved as “{name}”").format(name=saved.name), quiet=True
    )
