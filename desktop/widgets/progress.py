"""A thin progress bar."""

from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from desktop.theme import reduced_motion

STEPS = 10_000  # fine enough for a bar, and no count is too large for Qt's int


class ProgressThin(QProgressBar):
    """Six pixels high, without a text. `set_progress(done, None)` shows that the end is unknown."""

    def __init__(self, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaximum(STEPS)
        if name:
            self.setAccessibleName(name)

    def set_progress(self, done: int, total: int | None) -> None:
        if total is None and not reduced_motion():
            self.setMaximum(0)  # Qt's bar that runs to and fro
            return
        self.setMaximum(STEPS)
        self.setValue(0 if total is None else STEPS if total <= 0 else round(STEPS * min(1.0, done / total)))
