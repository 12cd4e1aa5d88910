"""Opens a large project and tells when the first page of its outputs could be used, and what memory that took.

`store FILE`: through the store, counting and reading a page. `window FILE`: in the real window, on the outputs panel,
which is started for the file. `running FILE`: in one that is up already and gets the file, as from its menu.
"""

import gc
import sys
from collections.abc import Callable
from pathlib import Path

from children import peak_megabytes, seconds_since_start, tell

FIRST_PAGE = 200


def store(path: Path) -> None:
    from biasprint.core.project.project import Project

    imported = seconds_since_start()
    with Project.open(path) as project:
        opened = seconds_since_start()
        outputs = project.outputs.count()
        rows = project.outputs.page(limit=FIRST_PAGE)
        usable = seconds_since_start()
        assert len(rows) == FIRST_PAGE
        tell({"imported": imported, "opened": opened, "usable": usable, "outputs": outputs, "peak": peak_megabytes()})


def window(path: Path) -> int:
    from whole_program import run

    return run(["gui", str(path)], looker)


def running(path: Path) -> int:
    from whole_program import run

    def meet(window):
        watcher = looker(window)
        # What the window imports behind its first paint is there, and no job is left.
        watcher.when(lambda: "biasprint.core.project.project" in sys.modules and gc.get_freeze_count() > 0
                     and not window.jobs.active(), lambda: window.open_project(path))  # fmt: skip
        return watcher

    return run([], meet)


def looker(window):
    from PySide6.QtCore import QEvent, QObject, QTimer

    class Looker(QObject):
        """Goes to the outputs panel as soon as the project is open, and looks at its table."""

        def __init__(self) -> None:
            super().__init__()
            self.answer = {}
            window.session.opened.connect(lambda _: QTimer.singleShot(0, self, self.opened))
            ask = window.open_project

            def asked(path: Path) -> None:
                self.answer["asked"] = seconds_since_start()
                ask(path)

            window.open_project = asked

        def opened(self) -> None:
            self.answer["opened"] = seconds_since_start()
            window.show_panel("outputs")
            self.panel = window.panels["outputs"]
            self.panel.loader.counted.connect(self.counted)
            self.panel.view.viewport().installEventFilter(self)

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and "usable" not in self.answer and self.filled():
                self.answer["usable"] = 0.0
                QTimer.singleShot(0, self, self.usable)  # when it has been painted
            return False

        def filled(self) -> bool:
            return self.panel.table.rowCount() > 0 and self.panel.table.text_at(0, 0) != "…"

        def usable(self) -> None:
            self.answer["usable"] = seconds_since_start()
            self.answer["peak"] = peak_megabytes()

        def counted(self, outputs: int, all_of_them: bool) -> None:
            if all_of_them and outputs:
                self.answer["outputs"] = outputs
                self.answer["listed"] = seconds_since_start()
                self.answer["peak_listed"] = peak_megabytes()
                self.when(lambda: "peak" in self.answer and self.may_write(), self.end)

        def may_write(self) -> bool:
            examination = window.project.examination
            self.answer["writable"] = seconds_since_start()
            return examination is None or examination.passed

        def when(self, ready: Callable[[], bool], then: Callable[[], object]) -> None:
            QTimer.singleShot(20, self, lambda: then() if ready() else self.when(ready, then))

        def end(self) -> None:
            tell(self.answer)
            window.leaving.begin()

    return Looker()


if __name__ == "__main__":
    how, path = sys.argv[1:]
    sys.exit({"store": store, "window": window, "running": running}[how](Path(path)))
