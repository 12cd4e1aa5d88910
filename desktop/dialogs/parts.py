"""Parts of the program that are installed after the window opened: the line at its foot, their page, and the
engine's strip.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QFrame, QSizePolicy, QVBoxLayout, QWidget
from shiboken6 import isValid

from biasprint.desktop import theme
from biasprint.desktop.operations import models as operations
from biasprint.desktop.operations.models import INSTALLING
from biasprint.desktop.operations.preparing import Preparation
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import (
    Button,
    Chip,
    IconButton,
    Label,
    LinkButton,
    Notice,
    ProgressThin,
    QuietButton,
    hairline,
    plural,
    spelled_seconds,
    tr,
)
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.layout import (
    SCROLL_BAR,
    STRETCH,
    Scroller,
    add_to,
    clear_widget,
    empty,
    in_column,
    in_row,
    mirrored,
)

if TYPE_CHECKING:
    from biasprint.core.machine.installation import PartState
    from biasprint.desktop.jobs import JobHandle

TONES = {"ready": "ok", "working": "accent", "failed": "danger", "waiting": "plain", "left out": "plain"}
WIDTH = 560
SHORTEST_LEFT_SECONDS = 20.0  # an estimate below it would jump about


def line_of(preparation: Preparation) -> tuple[str, str]:
    """Return the words of the line and its icon; both empty where there is nothing to report."""
    states, stage = preparation.states, preparation.stage
    left = [each for each in states if each.is_due]
    ready = sum(each.state == "ready" for each in states)
    failed = [each for each in left if each.state == "failed"]
    if stage in ("unknown", "ready") or not preparation.wanted:
        return "", ""
    if stage == "offline":
        return plural(len(left), "1 part waits for the offline switch", "%n parts wait for the offline switch"), "pause"
    if stage == "paused":
        return plural(len(left), "Paused: 1 part is still to come", "Paused: %n parts are still to come"), "pause"
    if stage == "stopped":
        if preparation.trouble is None and not failed:
            return plural(len(left), "1 part is still to come", "%n parts are still to come"), "jobs"
        number = len(failed) or len(left)
        return plural(number, "1 part could not be prepared", "%n parts could not be prepared"), "warn"
    working = next((each.part.title for each in states if each.state == "working"), "")
    words = [tr("Preparing: {part}").format(part=working) if working else tr("Preparing the rest")]
    words.append(tr("{done} of {total} ready").format(done=ready, total=ready + len(left)))
    if left_words := time_left(preparation):
        words.append(left_words)
    return " · ".join(words), "jobs"


def time_left(preparation: Preparation) -> str:
    """Return roughly how long it still takes; empty where that is unknown."""
    seconds = preparation.progress.seconds_left if preparation.progress is not None else None
    if seconds is None or seconds < SHORTEST_LEFT_SECONDS:
        return ""
    step = 30 if seconds < 120 else 60
    return tr("about {time} left").format(time=spelled_seconds(step * -(-seconds // step)))


class PartsLine(Button):
    """One quiet line beside the jobs; a click opens the page. It is never shown while a rater is blind."""

    def __init__(self, preparation: Preparation) -> None:
        super().__init__("", role="aside", icon="jobs")
        self._preparation = preparation
        self._silent = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleDescription(tr("Lists the parts of the program, and what works already."))
        self.setToolTip(tr("The parts of the program, and what works already"))
        self.hide()
        preparation.changed.connect(self._show)

    def set_silent(self, silent: bool) -> None:
        """Hide the line while somebody is judging, or a workshop has the screen."""
        self._silent = silent
        self._show()

    def _show(self) -> None:
        words, icon = line_of(self._preparation)
        if words != self.accessibleName():
            self.set_text(words)
            self.set_icon(icon or "jobs")
        self.setVisible(bool(words) and not self._silent)


class PartRow(QWidget):
    """A part: its title and state, its purpose, and a sentence about it while there is one to show.

    Where the light edition leaves it out, a button adds it.
    """

    def __init__(self, add: Callable[[], object]) -> None:
        super().__init__()
        self.add = LinkButton(tr("Add"))
        self.add.clicked.connect(add)
        self.title, self.state = Label("", "strong"), Chip("")
        self.purpose, self.sentence = Label("", "", wrap=True), Label("", "soft", wrap=True)
        top = in_row(self.title, STRETCH, self.add, self.state, spacing=theme.current().grid)
        in_column(top, self.purpose, self.sentence, inside=self, spacing=2, margins=(0, 6, 0, 6))

    def show_part(self, one: "PartState") -> None:
        title, state, sentence, purpose = one.part.title, one.state, one.sentence, _purpose(one)
        words = {
            "ready": tr("ready"),
            "working": tr("being prepared"),
            "failed": tr("not prepared"),
            "waiting": tr("waiting"),
            "left out": tr("not here"),
        }[state]
        self.title.setText(title)
        self.state.setText(words)
        self.state.set_tone(TONES[state])
        self.purpose.setText(purpose)
        show_if(self.add, one.can_be_added)
        self.add.setAccessibleName(tr("Add: {part}").format(part=title))
        if one.can_be_added:
            sentence = ""  # that it is left out its heading says, and how to add it the button
        self.sentence.setText(sentence)
        show_if(self.sentence, state in ("failed", "working", "left out") and bool(sentence))
        self.setAccessibleName(tr(f"{title}: {words}. {purpose} {sentence}".strip()))


class PartsPage(QFrame):
    """The page of parts, shown above the status line on request. Escape, its button or a click elsewhere closes it."""

    def __init__(self, preparation: Preparation, parent: QWidget, foot: QWidget) -> None:
        """`foot`: the widget above which it is placed."""
        super().__init__(parent)
        self._preparation, self._window, self._foot = preparation, parent, foot
        self._back: QWidget | None = None
        self._rows: list[PartRow] = []
        self._listed: list[tuple[str, str]] = []  # of each row its heading, and its part's id
        self.setProperty("role", "palette")
        self.setAccessibleName(tr("Parts of the program"))
        self.stage, self.bar = Label("", "", wrap=True), ProgressThin(tr("Progress of all parts"))
        self.pause, self.again = QuietButton(tr("Pause"), icon="pause"), LinkButton(tr("Try again"))
        self.close_button = IconButton("close", tr("Close the list of parts"), act=self.hide)
        self.pause.clicked.connect(self._pause_or_go_on)
        self.again.clicked.connect(preparation.resume)
        self._list = QVBoxLayout()
        self._area = Scroller()
        self._lay_out()
        self.hide()
        preparation.changed.connect(self._show)

    def open(self) -> None:
        """Show the page, with the keyboard in it; closing gives the keyboard back."""
        if self.isVisible():
            return
        self._back = QApplication.focusWidget()
        self._preparation.look()
        self.show()
        self._show()
        self.raise_()
        (self.pause if self.pause.isVisible() else self.close_button).setFocus(Qt.FocusReason.TabFocusReason)
        app = QApplication.instance()
        assert app is not None
        app.installEventFilter(self)

    def toggle(self) -> None:
        self.hide() if self.isVisible() else self.open()

    def rows(self) -> list[PartRow]:
        return list(self._rows)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self._window:
            self._fit()
        elif isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress:
            here = self.mapFromGlobal(event.globalPosition().toPoint())
            outside = isinstance(watched, QWidget) and watched.window() is self.window()
            if outside and not self.rect().contains(here) and not isinstance(watched, PartsLine):
                self.hide()
        return False

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
        back, self._back = self._back, None
        if back is not None and isValid(back) and self._window.isVisible():
            back.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show()

    # inside

    def _lay_out(self) -> None:
        tokens = theme.current()
        head = in_row((Label(tr("Parts of the program"), "heading"), 1), self.pause, self.close_button)
        row = in_row((self.stage, 1), (self.again, Qt.AlignmentFlag.AlignTop))
        inside = clear_widget()
        inside.setLayout(self._list)
        add_to(self._list, spacing=0, margins=(0, 0, SCROLL_BAR, 0))
        self._area.setWidget(inside)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        in_column(
            head,
            row,
            self.bar,
            hairline(),
            (self._area, 1),
            inside=self,
            spacing=tokens.grid,
            margins=(tokens.gap, tokens.gap, tokens.gap - SCROLL_BAR // 2, tokens.gap),
        )

    def _show(self) -> None:
        if not self.isVisible():
            self._clear()  # nothing is kept of what is not seen: a part can name a model
            return
        preparation, stage = self._preparation, self._preparation.stage
        self.stage.setText(" ".join((_stage_words(preparation), *_and_time(preparation))))
        progress = preparation.progress
        self.bar.setVisible(stage == "working")
        self.bar.set_progress(progress.done if progress else 0, progress.total if progress else None)
        paused = stage == "paused"
        self.pause.set_text(tr("Go on") if paused else tr("Pause"))
        self.pause.set_icon("play" if paused else "pause")
        self.pause.setVisible(stage in ("working", "paused"))
        self.again.set_text(tr("Try again") if preparation.wanted else tr("Install what is missing"))
        self.again.setVisible(stage == "stopped")
        lost = self._area.isAncestorOf(QApplication.focusWidget())
        self._show_rows()
        if lost and not self._area.isAncestorOf(QApplication.focusWidget()):  # the button that was pressed is gone
            (self.pause if self.pause.isVisible() else self.close_button).setFocus(Qt.FocusReason.OtherFocusReason)
        self._fit()

    def _show_rows(self) -> None:
        states = sorted(self._preparation.states, key=lambda each: (each.state != "ready", each.state == "left out"))
        listed = [(_heading_of(each), each.part.id) for each in states]
        if self._listed != listed:
            self._clear()
            self._listed, above = listed, ""
            for heading, part in listed:
                if heading != above:
                    self._add(self._heading(heading))
                self._rows.append(PartRow(partial(self._preparation.add, part)))
                self._add(self._rows[-1])
                above = heading
        for row, each in zip(self._rows, states, strict=True):
            row.show_part(each)

    def _heading(self, words: str) -> Label:
        heading = Label(words, "note")
        heading.setContentsMargins(0, theme.current().grid, 0, 0)
        return heading

    def _add(self, widget: QWidget) -> None:
        self._list.addWidget(widget)
        widget.show()  # now, because the page takes its height from what it holds

    def _clear(self) -> None:
        self._rows.clear()
        self._listed = []
        empty(self._list)

    def _pause_or_go_on(self) -> None:
        if self._preparation.stage == "paused":
            self._preparation.resume()
        else:
            self._preparation.pause()

    def _fit(self) -> None:
        """Place the page above its foot, at the right; no larger than the window has room, the rest scrolls."""
        room = self._window.size()
        foot = self._foot.mapTo(self._window, QPoint(0, 0)).y()
        width = min(theme.current().px(WIDTH), room.width() - 32)
        self.setFixedWidth(width)
        inside = self._area.widget()
        layout = inside.layout()
        assert layout is not None
        margins = self.layout().contentsMargins()  # type: ignore[union-attr]
        wanted = layout.heightForWidth(width - margins.left() - margins.right())
        self._area.setFixedHeight(0)
        above = self.layout().totalHeightForWidth(width)  # type: ignore[union-attr]
        high = max(0, min(wanted, foot - 16 - above))
        self._area.setFixedHeight(high)
        self.setFixedHeight(above + high)
        place = QRect(room.width() - width - 16, foot - self.height() - 8, width, self.height())
        self.move(mirrored(self._window, place).topLeft())


def _heading_of(state: "PartState") -> str:
    if state.is_due:
        return tr("Still to come")
    return tr("What works already") if state.state == "ready" else tr("Not in the light edition")


def _purpose(state: "PartState") -> str:
    """Return the part's purpose, and the megabytes to download if it is not installed yet."""
    if state.state == "ready":
        return state.part.purpose
    return tr("{purpose} About {n} MB to get.").format(purpose=state.part.purpose, n=state.part.megabytes)


def _and_time(preparation: Preparation) -> list[str]:
    left = time_left(preparation)
    return [f"{left[:1].upper()}{left[1:]}."] if left else []


def _stage_words(preparation: Preparation) -> str:
    trouble = preparation.trouble
    if preparation.stage == "stopped" and trouble is not None:
        return str(trouble)
    free = tr("All of it is free software; “About and licences…” names the licence of each package that is here.")
    light = any(each.state == "left out" for each in preparation.states)
    return {
        "unknown": tr("What is installed is being looked up."),
        "ready": tr("All of the light edition is here.") if light else tr("Everything is here."),
        "working": tr("The rest is prepared behind your work. You may close the window: the next start goes on."),
        "paused": tr("Paused. What was fetched is kept."),
        "offline": tr("The offline switch is on: the rest waits until it is off. What is here works."),
        "stopped": tr("What is here works. The rest can be installed now, without another start.") + f" {free}",
    }[preparation.stage]


# ---- The strip that warns that nothing can open GGUF files here, and installs the engine

ENGINE = "engine"
COMING = ("working", "paused", "offline")


class EngineNotice(Notice):
    """The strip, hidden where the engine is installed, or not `wanted`. Its job outlives it and is found again."""

    ended = Signal()  # an installation from here, well or not

    def __init__(self, shell: Shell, *, wanted: bool = True, narrow: bool = False) -> None:
        missing = tr("The local-model engine (llama.cpp) is not installed here.")
        super().__init__(missing, closable=False, narrow=narrow)
        self._shell, self._wanted = shell, wanted
        self._stage = shell.preparation.stage
        self._job: JobHandle | None = None
        self.install = self.add_action(tr("Install the local-model engine"), self._install)
        self.cancel = self.add_action(tr("Cancel"), self._cancel)
        self.parts = self.add_action(tr("Parts of the program"), shell.show_parts)
        self.hide()
        shell.preparation.changed.connect(self._preparation_changed)

    def want(self, wanted: bool) -> None:
        """Set whether the engine is needed here, for instance after somebody chose a GGUF file to write."""
        if wanted == self._wanted:
            return
        self._wanted = wanted
        if wanted:
            self.read()
        else:
            show_if(self, False)

    def read(self) -> None:
        """Look for the engine, off the window's thread."""
        self._shell.jobs.start(tr("Models"), operations.why_no_engine, on_done=self._show, quiet=True)

    def _show(self, reason: str | None) -> None:
        show_if(self, self._wanted and reason is not None)
        if reason is None:
            return
        running = operations.running(self._shell.jobs, INSTALLING, ENGINE)
        if running is not None and running is not self._job:
            self._follow(running)
        coming = running is None and self._stage in COMING and self._is_due()
        self.parts.setVisible(coming)
        self.install.setVisible(running is None and not coming and not reason)
        self.cancel.setVisible(running is not None)
        if coming:
            self._say(self._how_it_comes())
        elif running is None:
            self._say(tr("It cannot be installed here: {reason}.").format(reason=reason) if reason else self._why_not())

    def _how_it_comes(self) -> str:
        return {
            "working": tr("It is a part of the program that is still being prepared, behind your work."),
            "paused": tr("It is a part of the program that is still to come; preparing it is paused."),
            "offline": tr("It is a part of the program that comes when the offline switch is off."),
        }[self._stage]

    def _why_not(self) -> str:
        """Return the reason of a failed installation, else what installing needs."""
        tried = self._engine()
        if tried is not None and tried.state == "failed":
            return tried.sentence
        return tr("GGUF files need it. It is compiled, which takes some minutes and needs a C++ compiler.")

    def _is_due(self) -> bool:
        engine = self._engine()
        return engine is None or engine.is_due

    def _engine(self) -> "PartState | None":
        return next((each for each in self._shell.preparation.states if each.part.id == ENGINE), None)

    def _preparation_changed(self) -> None:
        if self._stage != self._shell.preparation.stage:
            self._stage = self._shell.preparation.stage
            if self._wanted:
                self.read()

    def _install(self) -> None:
        shell = self._shell  # not this strip, which may be gone when the job ends: its error is to be seen all the same
        handle = operations.install_engine().start(shell.jobs, on_error=lambda error: shell.show_error(error))
        operations.mark(handle, INSTALLING, ENGINE)
        self._follow(handle)
        self.install.hide()
        self.cancel.show()
        self._say(tr("It is being installed."))

    def _follow(self, handle: "JobHandle") -> None:
        self._job = handle
        handle.changed.connect(self._job_changed)

    def _job_changed(self) -> None:
        if self._job is None:
            return
        if not self._job.active:
            self._job = None
            self._shell.preparation.look()
            self.read()
            self.ended.emit()
        elif self._job.progress is not None and self._job.progress.note:
            self._say(tr("It is being installed: {note}.").format(note=self._job.progress.note))

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _say(self, words: str) -> None:
        self.more.setText(words)
        show_if(self.more, True)
        self.setAccessibleName(tr(f"{self.text.text()} {words}"))
