"""Over the table of a pile: what is looked for; and while it is read, how far it is."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from desktop import theme
from desktop.jobs import JobHandle, JobState
from desktop.models.letter_pile_rows import NO_GROUP, PileFilter
from desktop.widgets import FlowLayout, Label, ProgressThin, QuietButton, number, spelled_seconds, tr
from desktop.widgets.safe_text import safe_line
from desktop.widgets.wheel import guard_wheel

PAUSE_MILLISECONDS = 150  # without a key before the table is narrowed


class PileBar(QWidget):
    """`changed` when other rows are to be shown: those that `where` lets through."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.text, self.occupation, self.group = QLineEdit(), QComboBox(), QComboBox()
        self.only_bad = QCheckBox(tr("Only files that were not read"))
        self.text.setPlaceholderText(tr("Find a file, name or note"))
        self.text.setClearButtonEnabled(True)
        self.text.setMaxLength(200)
        for field, name in (
            (self.text, tr("Find a file, name or note")),
            (self.occupation, tr("Occupation")),
            (self.group, tr("Group")),
        ):
            field.setAccessibleName(name)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self.changed)
        self.text.textChanged.connect(lambda _: self._pause.start())
        flow = FlowLayout(self, spacing=8, centred=True)
        for widget in (self.text, self.occupation, self.group, self.only_bad):
            flow.addWidget(widget)
        for box in (self.occupation, self.group):
            guard_wheel(box)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(14)
            box.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.only_bad.toggled.connect(lambda _: self.changed.emit())
        self.offer((), {})
        self._dress()
        theme.signals.changed.connect(self._dress)

    def where(self) -> PileFilter:
        """What is looked for."""
        return PileFilter(
            self.text.text().strip(),
            self.occupation.currentData() or "",
            self.group.currentData() or "",
            self.only_bad.isChecked(),
        )

    def offer(self, occupations: Sequence[str], groups: Mapping[str, str]) -> None:
        """The occupations and groups there are; what was chosen stays chosen."""
        every = [(tr("All occupations"), ""), *((safe_line(one), one) for one in occupations)]
        _fill(self.occupation, every)
        named = [(safe_line(label), key) for key, label in groups.items()]
        _fill(self.group, [(tr("All groups"), ""), *named, (tr("Group not known"), NO_GROUP)])

    def clear(self) -> None:
        """Look for nothing."""
        with QSignalBlocker(self.text), QSignalBlocker(self.only_bad):
            self.text.clear()
            self.only_bad.setChecked(False)
        self._pause.stop()
        for box in (self.occupation, self.group):
            box.setCurrentIndex(0)
        self.changed.emit()

    def _dress(self, _tokens: object = None) -> None:
        self.text.setFixedWidth(theme.current().px(232))


def _fill(box: QComboBox, items: Sequence[tuple[str, str]]) -> None:
    if [(box.itemText(place), box.itemData(place)) for place in range(box.count())] == list(items):
        return
    before = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        for words, key in items:
            box.addItem(words, key)
        box.setCurrentIndex(max(0, box.findData(before)))


class PileProgress(QWidget):
    """How far a pile is, the time left, and Pause and Cancel; it hides when the job has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.handle: JobHandle | None = None
        self.words, self.bar = Label("", "note"), ProgressThin(tr("How much of the pile is read"))
        self.pause, self.cancel = QuietButton(tr("Pause"), icon="pause"), QuietButton(tr("Cancel"), icon="stop")
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self.bar, 1)
        for widget in (self.words, self.pause, self.cancel):
            row.addWidget(widget)
        self.pause.clicked.connect(self._toggle)
        self.cancel.clicked.connect(lambda: self.handle.cancel() if self.handle is not None else None)
        self.follow(None)

    def follow(self, handle: JobHandle | None) -> None:
        """Show this job from now on; None for none."""
        if self.handle is not None:
            with suppress(RuntimeError):  # while a rater is blind, a job forgets who listens
                self.handle.changed.disconnect(self.show_state)
        self.handle = handle
        if handle is not None:
            handle.changed.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """What the job says of itself now."""
        handle = self.handle
        self.setVisible(handle is not None and handle.active)
        if handle is None or not handle.active:
            return
        paused = handle.state is JobState.PAUSED
        self.pause.set_text(tr("Resume") if paused else tr("Pause"))
        self.pause.set_icon("play" if paused else "pause")
        for button in (self.pause, self.cancel):
            button.setEnabled(not handle.cancelling)
        progress = handle.progress
        self.bar.set_progress(progress.done if progress else 0, progress.total if progress else None)
        self.words.setText(progress_said(handle))

    def _toggle(self) -> None:
        if self.handle is not None:
            paused = self.handle.state is JobState.PAUSED
            (self.handle.resume if paused else self.handle.pause)()


def progress_said(handle: JobHandle) -> str:
    """How far a pile is, in words."""
    if handle.cancelling:
        return tr("Cancelling…")
    progress = handle.progress
    if progress is None or progress.total is None:
        return tr("Looking what is in it…")
    parts = [tr("{done} of {total} files").format(done=number(progress.done), total=number(progress.total))]
    if handle.state is JobState.PAUSED:
        parts.append(tr("paused"))
    elif progress.seconds_left is not None and progress.done:
        if progress.rate:
            parts.append(_rate(progress.rate))
        parts.append(tr("{time} left").format(time=spelled_seconds(progress.seconds_left)))
    return " · ".join(parts)


def _rate(files_a_second: float) -> str:
    if files_a_second >= 1:
        return tr("{n} a second").format(n=number(files_a_second, 1))
    return tr("{n} a minute").format(n=number(60 * files_a_second, 1))
