"""`biasprint --self-test`: the program does everything once on the sample project, without a display, and reports it.

It tests a packaged program: it fails if the packaging omitted a file. It works in a temporary data folder of its own,
and makes no connection.
"""

import os
import pkgutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasprint import core
from biasprint.core.backends.registry import known
from biasprint.core.cli.console import never_fail_to_encode, note, say
from biasprint.core.compute import ComputeProcess, models, shared
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.installation import leaves_out
from biasprint.core.project.damaged import check_project
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts import letters_context_less_set
from biasprint.core.report.audit import write_study_report
from biasprint.core.report.export import export_rows
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.measure import measure_project
from biasprint.core.runs.reporting import audited_now
from biasprint.core.runs.sample import open_sample
from biasprint.core.runs.setup import generator_spec, store_set
from biasprint.core.scorers.entailment import pair
from biasprint.core.scorers.registry import describe, score_batch
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts.exporting import columns, rows
from biasprint.desktop.headless import offscreen_window

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.desktop.main_window import MainWindow
    from biasprint.desktop.panels.judge.panel import JudgePanel


class Failed(AppError):
    """A step without the expected result."""


@contextmanager
def step(title: str) -> Iterator[list[str]]:
    """Report a step when it is over: its seconds, its title, and the facts put into the list."""
    begun = time.monotonic()
    facts: list[str] = []
    try:
        yield facts
    except BaseException:
        say(f"{time.monotonic() - begun:6.1f} s  {title}: FAILED")
        raise
    say(f"{time.monotonic() - begun:6.1f} s  {title}: {', '.join(facts)}")


PATIENCE_SECONDS = 180


class Hand:
    """A person's hand on the window: it presses keys, and fails at every error that the window shows."""

    def __init__(self, window: "MainWindow") -> None:
        self.window = window
        self._errors: list[str] = []
        window.show_error = lambda error: self._errors.append(f"{error} {error.details}")  # type: ignore[method-assign]
        sys.excepthook = lambda *raised: self._errors.append("".join(traceback.format_exception(*raised)))

    @property
    def project(self) -> "Project":
        assert self.window.project is not None
        return self.window.project

    def check(self) -> None:
        if self._errors:
            raise Failed("The window told of an error.", details="\n".join(self._errors))

    def wait(self, until: Callable[[], bool], what: str) -> None:
        """Run the event loop until a condition holds."""
        from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer

        deadline = QDeadlineTimer(PATIENCE_SECONDS * 1000)
        loop = QEventLoop()
        timer = QTimer(interval=10)
        timer.timeout.connect(lambda: loop.quit() if self._errors or until() or deadline.hasExpired() else None)
        timer.start()
        loop.exec()
        self.check()
        if deadline.hasExpired():
            raise Failed(f"What was waited for did not come: {what}.")

    def job(self, work: Callable[[JobContext], Any]) -> Any:
        """Run a job in the window; return its result."""
        answers: list[Any] = []
        self.window.jobs.start("Self-test", work, on_done=answers.append, quiet=True)
        self.wait(lambda: bool(answers), "the end of a job")
        return answers[0]

    def shown_panel(self, key: str) -> Any:
        self.window.show_panel(key)
        self.wait(lambda: not self.window.jobs.active(), f"the panel {key}")
        return self.window.panels[key]

    def press(self, key: str) -> None:
        """Press a key, where the keyboard is."""
        from PySide6.QtCore import QEvent, Qt
        from PySide6.QtGui import QKeyEvent
        from PySide6.QtWidgets import QApplication

        target = QApplication.focusWidget() or self.window
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            event = QKeyEvent(kind, Qt.Key[f"Key_{key}"], Qt.KeyboardModifier.NoModifier, key.lower())
            QApplication.sendEvent(target, event)


KEYS = ("1", "2", "0", "X", "S", "1", "2", "1")  # two choices, a tie, none, a skip, and three choices


def judge(hand: Hand, panel: "JudgePanel", facts: list[str]) -> None:
    """Judge like a rater: start, press keys, look at the overview, reveal."""
    before = {row.id for row in hand.project.judging.judgments()}
    hand.wait(lambda: panel.pages.currentWidget() is panel.start and panel.start.start.isEnabled(), "judging")
    panel.start.start.click()
    for number, key in enumerate(KEYS, start=1):
        hand.wait(lambda n=number: _is_on(panel, n), f"comparison {number}")
        hand.press(key)
    hand.wait(lambda: _is_on(panel, len(KEYS) + 1), "the next comparison")
    panel.progress_link.click()
    hand.wait(lambda: panel.pages.currentWidget() is panel.end and not panel.control.busy, "the overview")
    panel.end.reveal.click()
    panel.end.sure.click()
    hand.wait(lambda: panel.pages.currentWidget() is panel.reveal_page and not panel.control.busy, "the reveal")
    outcomes = [row.outcome for row in hand.project.judging.judgments() if row.id not in before]
    if sorted(outcomes) != sorted(["choice"] * 5 + ["tie", "none", "skip"]):
        raise Failed(f"Other judgments are stored than were given: {outcomes}")
    facts.append(f"{len(KEYS)} comparisons by their keys, and revealed")


def _is_on(panel: "JudgePanel", number: int) -> bool:
    view = panel.control.view
    shown = panel.pages.currentWidget() is panel.work and not panel.control.busy
    return shown and view is not None and view.comparison is not None and view.comparison.ordinal == number


LETTERS = 6  # that each writer writes


def write_and_score(hand: Hand) -> None:
    writers = {info.name: info.unavailable for info in known()}
    texts: list[str] = []
    for backend, model in (("synthetic", "medium"), ("llama_cpp", "teaching")):
        with step(f"generate with {backend}") as facts:
            if writers[backend]:
                facts.append(f"left out: {writers[backend]}")
                continue
            written = hand.job(lambda ctx, b=backend, m=model: _write(ctx, hand.project, b, m))
            texts += written
            facts.append(f"{len(written)} letters, {sum(map(len, written)):,} characters")
    for info in describe():
        with step(f"score with {info.name}") as facts:
            if info.unavailable:
                facts.append(f"left out: {info.unavailable}")
            else:
                facts.append(hand.job(lambda ctx, info=info: _score(ctx, info.name, info.role, texts)))


def _write(ctx: JobContext, project: "Project", backend: str, model: str) -> list[str]:
    whole = letters_context_less_set()
    few = store_set(project, "letters", replace(whole, name="Self-test", prompts=whole.prompts[:LETTERS]))
    spec = generator_spec(backend, model, {}, models(), ctx=ctx)
    run = start_run(project, prompt_set_id=few.set_id, generator=spec, seed=1)
    written = generate(ctx, project, run, models())
    rows = [row.text for row in project.outputs.each(OutputFilter(run_id=run))]
    if (written.done, written.failed, len(rows)) != (LETTERS, 0, LETTERS) or not all(rows):
        raise Failed(f"{written.done} of {LETTERS} letters were written, {len(rows)} are stored.")
    return rows


def _score(ctx: JobContext, name: str, role: str, texts: list[str]) -> str:
    read = [pair(text, text[:80]) for text in texts] if role == "entailment" else texts
    _, values = shared().call(score_batch, name, read, ctx=ctx)
    if len(values) != len(texts) or not any(value.values.size for value in values):
        raise Failed(f"The scorer “{name}” gave no values.")
    return f"{len(values)} texts, {values[0].values.size} numbers for the first"


LETTER = "Dear all,\n\nI recommend Emily Stone. She is a warm and caring engineer.\n\nSincerely,\n\nJohn Field"
CV = "Emily Stone\nEngineer at a bridge works since 2019."


def check_letter(ctx: JobContext, facts: list[str]) -> None:
    """Read a letter beside a CV, with all scorers for letters."""
    from biasprint.core.letters import ReadingRequest, check_letter, read_pasted, scorers_for_letters

    request = ReadingRequest(scorers_for_letters(), read_pasted(CV))
    reading = check_letter(ctx, read_pasted(LETTER), shared(), request)
    read_by = {use.role for use in reading.scorers}
    if not (reading.marks and reading.support and reading.balance) or reading.by_words_alone:
        raise Failed(
            f"The letter was read without some of what it is read for: {', '.join(sorted(read_by))} are there."
        )
    facts.append(f"{len(reading.marks)} marks, {len(reading.support)} claims, {', '.join(sorted(read_by))}")


def measure(ctx: JobContext, project: "Project", folder: Path, facts: list[str]) -> None:
    for study in ("letters", "creativity"):
        measured = measure_project(ctx, project, study, MeasureOptions(), shared())
        defined = sum(finding.estimate is not None for finding in measured.result.findings)
        if not defined:
            raise Failed(f"No finding of {study} could be measured.")
        write_study_report(folder / f"{study}.html", audited_now(measured, project))
        facts.append(f"{defined} findings of {study}")
    for ending in ("xlsx", *["parquet"] * (not leaves_out("pyarrow"))):
        export_rows(rows(ctx, project, "findings"), folder / f"findings.{ending}", columns(project, "findings"))
    facts.append("reports and tables written")


def run() -> int:
    """Do everything and print each step with its time. Return the exit code: 0, or 1 where anything failed."""
    never_fail_to_encode()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="biasprint-self-test-", ignore_cleanup_errors=True) as folder:
        os.environ.update(QT_QPA_PLATFORM="offscreen", BIASPRINT_HOME=folder, BIASPRINT_OFFLINE="1")
        try:
            _everything(Path(folder))
        except AppError as error:
            for part in (f"FAILED: {error.message}", error.hint, error.details):
                if part:
                    note(part)
            return 1
        except Exception as error:
            note(f"FAILED: {type(error).__name__}: {error}")
            note(traceback.format_exc(), dim=True)
            return 1
        finally:
            for process in (shared(), models()):
                process.close()
    say(f"Everything works. {time.monotonic() - begun:.1f} s in all.")
    return 0


def _everything(folder: Path) -> None:
    with step("sample project") as facts:
        file = open_sample()
        facts.append("unpacked")
    with offscreen_window(file) as (window, settle):
        hand = Hand(window)
        with step("window") as facts:
            _panels(hand, facts)
        write_and_score(hand)
        with step("letter with a CV") as facts:
            hand.job(lambda ctx: check_letter(ctx, facts))
        with step("judge") as facts:
            judge(hand, hand.shown_panel("judge"), facts)
        with step("measure") as facts:
            hand.job(lambda ctx: measure(ctx, hand.project, folder, facts))
            window.show_panel("charts")
            settle()
            hand.check()
    with step("close") as facts:
        report = check_project(file)
        if not report.sound or file.with_name(file.name + ".lock").exists():
            raise Failed("The project was not closed in order.", details=str(report.problems))
        facts.append("the file is sound and free")
    with step("other parts") as facts:
        process = ComputeProcess()
        try:
            imported, left_out = process.call(import_parts)
            facts.append(f"{imported} modules and models found, {left_out} left out")
        finally:
            process.close()


def _panels(hand: Hand, facts: list[str]) -> None:
    keys = hand.window.rail.shown()
    for key in keys:
        hand.shown_panel(key)
        if hand.window.grab().isNull():
            raise Failed(f"The panel {key} cannot be drawn.")
    facts.append(f"{len(keys)} panels shown")


# ---- The import of all modules that are used only rarely, to prove they exist
# In a child process: much of it is heavy. Modules that the light edition omits are not expected.

# Packages that are imported only when somebody asks for what they do, and the kinds of models that the catalogue names.
PARTS = (
    "gensim.models", "statsmodels.stats.proportion", "statsmodels.stats.inter_rater", "openai",
    "statsmodels.stats.contingency_tables", "scipy.stats", "pandas", "pyarrow.parquet", "openpyxl", "huggingface_hub",
    "textblob.sentiments", "textblob.en", "spacy.lang.en", "safetensors.numpy", "joblib.numpy_pickle",
    "sentence_transformers", "detoxify",
)  # fmt: skip
KINDS = (
    ("MODEL_MAPPING", "bert", "mpnet"),
    ("MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING", "bert", "distilbert", "roberta", "xlm-roberta"),
    ("MODEL_FOR_CAUSAL_LM_MAPPING", "gpt2", "llama", "mixtral", "qwen2"),
)


def import_parts() -> tuple[int, int]:
    """Import every module of core, and rarely used packages; return how many there were, and how many are omitted.

    Kinds of models count as modules do.
    """
    names = [module.name for module in pkgutil.walk_packages(core.__path__, f"{core.__name__}.")]
    imported = sum(_is_here(name) for name in (*names, *PARTS))
    missing = len(names) + len(PARTS) - imported
    from keyring.backend import get_all_keyring

    if not get_all_keyring():
        raise AppError("No key ring is known.")
    return (imported, missing) if leaves_out("transformers") else (imported + _kinds(), missing)


def _is_here(name: str) -> bool:
    """Return whether a module can be imported; raise its error unless an omitted part would provide it."""
    try:
        import_module(name)
    except ImportError as error:
        if not leaves_out(error.name or ""):
            raise
        return False
    return True


def _kinds() -> int:
    import safetensors.torch  # noqa: F401 - that it can be imported is the test, as with the next one
    from transformers import AutoTokenizer  # noqa: F401
    from transformers.models.auto import modeling_auto
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    return len([getattr(modeling_auto, table)[CONFIG_MAPPING[kind]] for table, *kinds in KINDS for kind in kinds])
