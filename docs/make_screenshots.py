"""Makes docs/screenshots anew: python docs/make_screenshots.py, with the project's own environment. Takes a minute.

The pictures of the main job come from the end-to-end test's own script; the others show the sample project.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.main_window import MainWindow

ROOT = Path(__file__).resolve().parent.parent
SCREENSHOTS = ROOT / "docs" / "screenshots"
MAIN_JOB = ROOT / "tests" / "e2e" / "main_job.py"


def main() -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    for old in SCREENSHOTS.glob("*.png"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="biasprint-") as folder:
        # A home of its own: nobody's recent projects are on the pictures.
        os.environ |= {"BIASPRINT_HOME": str(Path(folder) / "home"), "QT_QPA_PLATFORM": "offscreen"}
        for which in ("first", "second"):
            subprocess.run([sys.executable, str(MAIN_JOB), folder, str(SCREENSHOTS), which], check=True)
        sample_pictures(Path(folder))
    for picture in sorted(SCREENSHOTS.iterdir()):
        print(picture.relative_to(ROOT))


def sample_pictures(folder: Path) -> None:
    """The sample project's letters and distances, and the first of its comparisons in both themes."""
    sys.path.insert(0, str(ROOT))
    from core.compute import shared
    from core.jobs import JobContext
    from core.runs.sample import build_sample
    from desktop.headless import offscreen_window

    sample = folder / "Sample.biasprint"
    build_sample(JobContext(), shared(), sample)
    with offscreen_window(sample) as (window, settle):
        for section in ("letters", "distance"):
            window.show_panel("charts", section=section)
            settle()
            window.grab().save(str(SCREENSHOTS / f"charts-{section}.png"))
        findings_pictures(window, settle)
        window.show_panel("judge")
        settle()
        window.panels["judge"].start.start.click()
        for theme in ("light", "dark"):
            window.settings.set("theme", theme)
            settle()
            window.grab().save(str(SCREENSHOTS / f"judge-sample-{theme}.png"))


def findings_pictures(window: "MainWindow", settle: "Callable[[], None]") -> None:
    """The findings as they were measured, one in full in either theme, and the texts behind it."""
    from core.compute import shared
    from core.jobs import JobContext
    from core.runs.measure import measure_project
    from core.runs.measure.options import Options

    for study in ("letters", "creativity"):
        measure_project(JobContext(), window.project, study, Options(), shared())
    window.show_panel("findings")
    settle()
    window.grab().save(str(SCREENSHOTS / "findings.png"))
    panel = window.panels["findings"]
    row = next(
        row for row, line in enumerate(panel.board.table.shown) if line.finding.id == "letters.lexicon.odds_ratio"
    )
    panel.board.view.selectRow(row)
    for theme in ("light", "dark"):
        window.settings.set("theme", theme)
        settle()
        window.grab().save(str(SCREENSHOTS / f"findings-one-{theme}.png"))
    window.settings.set("theme", "light")
    panel.open_texts()
    settle()
    window.grab().save(str(SCREENSHOTS / "findings-texts.png"))


if __name__ == "__main__":
    main()
