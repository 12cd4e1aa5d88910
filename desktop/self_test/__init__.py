"""`biasprint --self-test`: the program does everything once on the sample project, without a display, and tells.

It is how a packaged program is tried: what the packaging left out is missed here. It works in a data folder of its
own, which is gone afterwards, and makes no connection.
"""

import os
import tempfile
import time
import traceback
from pathlib import Path

from core.cli.console import never_fail_to_encode, note, say
from core.compute import ComputeProcess, models, shared
from core.errors import AppError
from core.jobs import JobContext
from desktop.self_test.hand import Hand
from desktop.self_test.judging import judge
from desktop.self_test.telling import Failed, step
from desktop.self_test.work import measure, write_and_score

__all__ = ["run"]


def run() -> int:
    """Do everything, print what was done and how long it took. The exit code: 0, or 1 where anything failed."""
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
    from core.project.check import check_project
    from core.runs.sample import open_sample
    from desktop.headless import offscreen_window

    with step("sample project") as facts:
        file = open_sample(JobContext(), shared())
        facts.append("written and scored")
    with offscreen_window(file) as (window, settle):
        hand = Hand(window)
        with step("window") as facts:
            _panels(hand, facts)
        write_and_score(hand)
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
        process = ComputeProcess(("desktop",))
        try:
            facts.append(f"{process.call('desktop.self_test.parts:import_parts')} modules and models found")
        finally:
            process.close()


def _panels(hand: Hand, facts: list[str]) -> None:
    keys = hand.window.rail.shown()
    for key in keys:
        hand.shown_panel(key)
        if hand.window.grab().isNull():
            raise Failed(f"The panel {key} cannot be drawn.")
    facts.append(f"{len(keys)} panels shown")
