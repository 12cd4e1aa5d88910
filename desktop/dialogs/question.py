"""Questions over the window: two ways on, where a file is, and where a new one shall be."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QPlainTextEdit, QWidget

from biasprint.desktop import theme
from biasprint.desktop.operations.session import PACKET_SUFFIX, PROJECT_SUFFIX, data_endings
from biasprint.desktop.operations.session import save_copy as save_copy_operation
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Label, PrimaryButton, QuietButton, tr
from biasprint.desktop.widgets.layout import STRETCH, Dialog, fitting, in_column, in_row

# ---- A text in a dialog


class TextDialog(Dialog):
    """A dialog with a text. Escape or Enter closes it."""

    def __init__(self, parent: QWidget, title: str, text: str) -> None:
        super().__init__(parent, tr(title), modal=False)
        tokens = theme.current()
        self.text = QPlainTextEdit(text, readOnly=True)
        self.text.setAccessibleName(tr(title))
        self.close_button = PrimaryButton(tr("Close"), act=self.accept)
        self.close_button.setDefault(True)
        in_column(self.text, in_row(STRETCH, self.close_button), inside=self, spacing=tokens.gap, margins=tokens.margin)
        self.resize(fitting(parent, 640, 520))


OTHER = 2  # an answer beside Qt's own 0 and 1


class Question(Dialog):
    """A question with two ways on, or three with `other`; it never blocks, a callable gets the answer.

    Escape means the safe way, which is also offered first.
    """

    def __init__(
        self,
        parent: QWidget,
        *,
        title: str,
        text: str,
        safe: str,
        risky: str,
        on_risky: Callable[[], object],
        other: str = "",
        on_other: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(parent, tr(title))
        tokens = theme.current()
        self.safe_button = PrimaryButton(safe, act=self.reject)
        self.risky_button = QuietButton(risky, act=self.accept)
        self.safe_button.setDefault(True)
        self.accepted.connect(lambda: on_risky())
        buttons = in_row(STRETCH, self.risky_button, spacing=tokens.grid)
        if other and on_other is not None:
            buttons.addWidget(self._other_button(other, on_other))
        buttons.addWidget(self.safe_button)
        heading, words = Label(title, "title", wrap=True), Label(text, wrap=True)
        for label in (heading, words):
            label.setMinimumWidth(tokens.px(400))
        in_column(heading, words, buttons, inside=self, spacing=tokens.gap, margins=tokens.margin)

    def _other_button(self, words: str, on_other: Callable[[], object]) -> QuietButton:
        self.other_button = QuietButton(words, act=lambda: self.done(OTHER))
        self.finished.connect(lambda answer: on_other() if answer == OTHER else None)
        return self.other_button


def new_project(window: Shell) -> None:
    path = ask_where(window, tr("New project"), tr("My study"))
    if path is not None:
        window.session.create(path)


def open_file(window: Shell) -> None:
    """Ask for a project, a packet, a table of texts or a letter, and open it."""
    tables, letters = data_endings()
    kinds = (
        (tr("All that can be opened"), (PROJECT_SUFFIX, PACKET_SUFFIX, *tables, *letters)),
        (tr("Projects and rating packets"), (PROJECT_SUFFIX, PACKET_SUFFIX)),
        (tr("Tables of texts"), tables),
        (tr("Letters"), letters),
    )
    filters = ";;".join(f"{title} ({' '.join(f'*{ending}' for ending in endings)})" for title, endings in kinds)
    name, _ = QFileDialog.getOpenFileName(window, tr("Open"), _folder(window), filters)
    if name:
        window.open_files([Path(name)])


def open_result_folder(window: Shell) -> None:
    name = QFileDialog.getExistingDirectory(window, tr("Open a result folder"), _folder(window))
    if name:
        window.open_project(Path(name))


def save_copy(window: Shell) -> None:
    project = window.project
    if project is None:
        return
    suffix = PACKET_SUFFIX if window.packet is not None else PROJECT_SUFFIX
    name = project.path.stem if window.packet is not None else tr("{name} copy").format(name=project.path.stem)
    path = ask_where(window, tr("Save a copy"), name, suffix)
    if path is not None:
        copying = save_copy_operation(project=project, target=path)
        # A read-only project is copied to go on with it.
        copying.start(window.jobs, on_done=window.open_project if project.read_only else None)


def ask_where(window: Shell, title: str, name: str, suffix: str = PROJECT_SUFFIX) -> Path | None:
    """Ask where to put a new file, by default a project; None if the person cancels."""
    suggested = str(Path(_folder(window)) / f"{name}{suffix}")
    kinds = {PROJECT_SUFFIX: tr("Biasprint projects"), PACKET_SUFFIX: tr("Rating packets")}
    chosen, _ = QFileDialog.getSaveFileName(window, title, suggested, f"{kinds[suffix]} (*{suffix})")
    if not chosen:
        return None
    path = Path(chosen)
    return path if path.suffix == suffix else path.with_name(path.name + suffix)


def _folder(window: Shell) -> str:
    recent = window.settings.recent()
    return str(recent[0].parent if recent else Path.home())
