"""Makes docs/screenshots anew: python docs/make_screenshots.py, with the project's own environment. Takes some minutes.

The pictures of the main job come from the end-to-end test's own script. The others show the sample project, and a
project that is made here: replies of the synthetic author, and news articles put together below. A language model wrote
only what the sample names as Qwen's (docs/explanation/sample-project.md).
"""

import csv
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from biasprint.core.project.project import Project
    from biasprint.desktop.main_window import MainWindow

ROOT = Path(__file__).resolve().parent.parent
SCREENSHOTS = ROOT / "docs" / "screenshots"
MAIN_JOB = ROOT / "tests" / "e2e" / "main_job.py"
PROMPT_PAGES = (
    "letters",
    "news",
    "completion",
    "designs",
    "template",
    "own",
)  # in the order of their tabs, after the first
FIGURES = {  # of each study, the one that is shown
    "letters": "Words of nine categories",
    "creativity": "How far each identity is from the default output",
    "completion": "Conditional likelihoods by domain, SAI",
    "news": "Words, gender: which way",
}
ARTICLES = 80  # pairs
PLACES = ("bridge", "school", "harbour", "clinic", "library", "market")
DEEDS = ("opened", "closed", "repaired", "praised", "visited", "paid for")
WORK = ("The {job} said that {she} had planned it for years.", "{She} thanked the workers for {her} sake.")
JOBS = ("mayor", "engineer", "nurse", "teacher")
SHE = {"she": "she", "She": "She", "her": "her"}
HE = {"she": "he", "She": "He", "her": "his"}


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
        studies_pictures(Path(folder))
    for picture in sorted(SCREENSHOTS.iterdir()):
        print(picture.relative_to(ROOT))


def sample_pictures(folder: Path) -> None:
    """The sample project's letters and distances, and the first of its comparisons in both themes."""
    sys.path.insert(0, str(ROOT / "core" / "python"))
    from biasprint.core.runs.sample import unpack_sample
    from biasprint.desktop.headless import offscreen_window

    sample = folder / "Sample.biasprint"
    unpack_sample(sample)
    with offscreen_window(sample) as (window, settle):
        for section in ("letters", "distance"):
            window.show_panel("charts", section=section)
            settle()
            save(window, f"charts-{section}")
        findings_pictures(window, settle)
        for study in ("letters", "creativity"):
            figure_picture(window, settle, study)
        window.show_panel("models", role="embedding")
        settle()
        save(window, "models")
        window.show_panel("judge")
        settle()
        window.panels["judge"].start.start.click()
        for theme in ("light", "dark"):
            window.settings.set("theme", theme)
            settle()
            save(window, f"judge-sample-{theme}")


def findings_pictures(window: "MainWindow", settle: "Callable[[], None]") -> None:
    """The findings as they were measured, one in full in either theme, and the texts behind it."""
    from biasprint.core.compute import shared
    from biasprint.core.jobs import JobContext
    from biasprint.core.runs.measure import measure_project
    from biasprint.core.studies.kit.declared import MeasureOptions

    for study in ("letters", "creativity"):
        measure_project(JobContext(), window.project, study, MeasureOptions(), shared())
    window.show_panel("findings")
    settle()
    save(window, "findings")
    panel = window.panels["findings"]
    table = panel.board.table
    shown = next(line for line in table.shown if line.finding.id == "letters.lexicon.odds_ratio")
    table.open_question_of(shown.same)
    panel.board.view.selectRow(table.row_of(shown.same))
    for theme in ("light", "dark"):
        window.settings.set("theme", theme)
        settle()
        save(window, f"findings-one-{theme}")
    window.settings.set("theme", "light")
    panel.open_texts()
    settle()
    save(window, "findings-texts")


def studies_pictures(folder: Path) -> None:
    """The pages of the prompts panel, the import dialog, and a figure of each study that the sample does not have."""
    from biasprint.core.project.project import Project
    from biasprint.desktop.dialogs.import_table import ImportDialog
    from biasprint.desktop.headless import offscreen_window

    file, table = folder / "Studies.biasprint", folder / "news.csv"
    with Project.create(file) as project:
        write_replies(project)
    write_articles(table)
    with offscreen_window(file) as (window, settle):
        window.settings.set("theme", "light")
        window.show_panel("prompts")
        settle()
        for tab, page in enumerate(PROMPT_PAGES, start=1):
            window.panels["prompts"].tabs.setCurrentIndex(tab)
            settle()
            save(window, f"prompts-{page}")
        window.show_panel("home")
        window.files_dropped.emit([table])
        settle()
        (dialog,) = window.findChildren(ImportDialog)
        save(dialog, "import")
        dialog.go.click()
        settle()
        dialog.result_page.measure.click()
        settle()
        for study in ("completion", "news"):
            figure_picture(window, settle, study)


def figure_picture(window: "MainWindow", settle: "Callable[[], None]", study: str) -> None:
    """The study's figure of `FIGURES`, measured from what the open project has."""
    window.show_panel("charts", section="measured", study=study)
    settle()
    panel = window.panels["charts"]
    panel.measured.choose_study(study)
    if not panel.measured.figures:
        panel.measure(study)
        settle()
    titles = [figure.title for figure in panel.measured.figures]
    panel.measured.choose_figure(next(place for place, title in enumerate(titles) if FIGURES[study] in title))
    window.drawer.set_open(False)
    settle()
    save(window, f"charts-measured-{study}")


def write_replies(project: "Project") -> None:
    """All items of the completion study, answered by the synthetic author."""
    from biasprint.core.compute import shared
    from biasprint.core.jobs import JobContext
    from biasprint.core.runs.generate import generate, start_run
    from biasprint.core.runs.setup import add_prompts, generator_spec

    added = add_prompts(project, "completion")
    spec = generator_spec("synthetic", "medium", {})
    generate(JobContext(), project, start_run(project, prompt_set_id=added.set_id, generator=spec, seed=1), shared())


def write_articles(table: Path) -> None:
    """Pairs of short articles; of the generated ones, fewer are about women than of the originals: so it is planted."""
    chance = random.Random(1)

    def article(women: float, deed: str, place: str) -> str:
        who = [SHE if chance.random() < women else HE for _ in WORK]
        told = [f"The {place} was {deed} on Monday."]
        told += [
            line.format(job=chance.choice(JOBS), **words)
            for line, words in zip(chance.sample(WORK, 2), who, strict=True)
        ]
        return " ".join(told)

    with table.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(("headline", "domain", "model", "original", "generated"))
        for number in range(ARTICLES):
            place, deed = chance.choice(PLACES), chance.choice(DEEDS)
            texts = article(0.5, deed, place), article(0.3, deed, place)
            rows.writerow(
                (f"{place.capitalize()} {deed}, {number}", chance.choice(("city", "money")), "made up", *texts)
            )


def save(widget: "QWidget", name: str) -> None:
    """The picture of a widget, packed as small as it goes."""
    widget.grab().save(str(SCREENSHOTS / f"{name}.png"), "PNG", 0)


if __name__ == "__main__":
    main()
