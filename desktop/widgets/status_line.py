"""The status line: what is saved, whether the program is offline, which project, and one quiet notice at a time."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from desktop import theme
from desktop.widgets.buttons import Button
from desktop.widgets.labels import ElidedLabel, Label
from desktop.widgets.words import tr

NOTICE_MILLISECONDS = 8_000


class _Dot(QWidget):
    """A dot: filled for saved, a ring while saving, a crossed ring when it failed. Shape and colour both tell."""

    def __init__(self) -> None:
        super().__init__()
        self.state = "saved"
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._fit()
        theme.signals.changed.connect(self._fit)

    def set_state(self, state: str) -> None:
        self.state = state
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        color = QColor(
            {"saved": tokens.ok, "saving": tokens.soft, "failed": tokens.danger}.get(self.state, tokens.soft)
        )
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        disc = self.rect().adjusted(1, 1, -1, -1)
        painter.setPen(color)
        painter.setBrush(color if self.state == "saved" else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(disc)
        if self.state == "failed":
            painter.drawLine(disc.topLeft(), disc.bottomRight())
            painter.drawLine(disc.topRight(), disc.bottomLeft())
        painter.end()

    def _fit(self) -> None:
        side = theme.current().px(10)
        self.setFixedSize(side, side)


class StatusLine(QFrame):
    """`jobs_wanted` is emitted when the person asks for the jobs drawer."""

    jobs_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tokens = theme.current()
        self.setProperty("role", "status")
        self.setAccessibleName(tr("Status"))
        self._dot = _Dot()
        self.saved = Label("", "note")
        self.offline = ElidedLabel("", "note")
        self.panel = ElidedLabel("", "note")
        self.notice = ElidedLabel("", "note")
        self.project = ElidedLabel("", "note", mode=Qt.TextElideMode.ElideMiddle)
        self.jobs = Button("", role="aside", icon="jobs")
        self.jobs.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.jobs.clicked.connect(self.jobs_wanted)
        self._saved_box = QWidget()
        saved_row = QHBoxLayout(self._saved_box)
        saved_row.setContentsMargins(0, 0, 0, 0)
        saved_row.setSpacing(6)
        saved_row.addWidget(self._dot)
        saved_row.addWidget(self.saved)
        row = QHBoxLayout(self)
        row.setContentsMargins(tokens.margin, 0, tokens.margin, 0)
        row.setSpacing(tokens.margin)
        for widget in (self._saved_box, self.offline, self.panel):
            row.addWidget(widget)
        row.addStretch(1)
        for widget in (self.notice, self.jobs, self.project):
            row.addWidget(widget)
        self._timer = QTimer(self, interval=NOTICE_MILLISECONDS, singleShot=True)
        self._timer.timeout.connect(lambda: self.notify(""))
        self.set_saved("")
        self.set_jobs("")
        self._fit()
        theme.signals.changed.connect(self._fit)

    def set_saved(self, state: str, text: str = "") -> None:
        """ "saved", "saving", "failed", or "" where there is nothing to save."""
        words = {"saved": tr("Saved"), "saving": tr("Saving…"), "failed": tr("Not saved")}
        self._saved_box.setVisible(bool(state))
        self._dot.set_state(state)
        self.saved.setText(text or words.get(state, ""))
        tone = {"saved": theme.current().ok, "failed": theme.current().danger}.get(state, theme.current().soft)
        self.saved.setStyleSheet(f"color: {tone}")

    def set_offline(self, by: str | None) -> None:
        """What the offline switch is on by; "" while it is off, None while that is not known."""
        words = tr("Offline switch on: no connection is attempted") if by else tr("Connects only when asked")
        self.offline.set_text("" if by is None else words)
        on = tr("It is on because BIASPRINT_OFFLINE is set.") if by == "environment" else tr("Switch it off in Models.")
        off = tr("Nothing leaves this computer unless you get a model or ask an endpoint.")
        self.offline.setToolTip(on if by else off)

    def set_panel_text(self, text: str) -> None:
        self.panel.set_text(text)

    def set_project(self, name: str) -> None:
        self.project.set_text(name)

    def set_jobs(self, text: str) -> None:
        self.jobs.set_text(text)
        self.jobs.setVisible(bool(text))

    def notify(self, text: str) -> None:
        """Say something for a moment, without asking for attention."""
        self.notice.set_text(text)
        if text:
            self._timer.start()

    def _fit(self) -> None:
        self.setFixedHeight(max(32, theme.current().px(31)))
        self.set_saved(self._dot.state if not self._saved_box.isHidden() else "", self.saved.text())
