"""The expanded prompts: how many, a list of them, and the chosen one whole."""

from collections.abc import Sequence
from os.path import commonprefix
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QModelIndex, QSize, Qt
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem, QTextEdit

from core.errors import AppError
from desktop import theme
from desktop.jobs.refresher import Refresher
from desktop.operations.wording import FlaggedSet, Wording, flagged_in
from desktop.panels.base import Shell
from desktop.panels.prompts.wording import WordingWatch, flag_format
from desktop.widgets import Card, ElidedLabel, Label, Notice, PlainText, ProgressThin, plural, tr
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.prompts import PromptDraft, PromptSetDraft

LIST_HEIGHT, WHOLE_HEIGHT = 96, 84  # text pixels; the list has at least so many


LONG_BEGINNING, LOOKED_AT = 40, 200  # characters; prompts


class PromptsModel(QAbstractListModel):
    """Prompts as single lines, made only for what is seen. A long beginning that all share is left out."""

    def __init__(self) -> None:
        super().__init__()
        self._prompts: tuple[PromptDraft, ...] = ()
        self._shared = ""

    def show(self, prompts: "tuple[PromptDraft, ...]") -> None:
        self.beginResetModel()
        self._prompts = prompts
        step = max(1, len(prompts) // LOOKED_AT)
        self._shared = shared_beginning([prompt.text for prompt in prompts[::step]])
        self.endResetModel()

    def prompt(self, row: int) -> "PromptDraft":
        return self._prompts[row]

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._prompts)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        text = self._prompts[index.row()].text
        if self._shared and text.startswith(self._shared):
            text = "… " + text.removeprefix(self._shared).lstrip()
        return safe_line(text)


def shared_beginning(texts: Sequence[str]) -> str:
    """What all texts begin with, up to the end of a sentence or line, where it is long; else nothing."""
    shared = commonprefix(texts) if len(texts) > 1 else ""  # noqa: RUF071 - by characters is what is meant
    end = max(shared.rfind("\n"), shared.rfind(". "), shared.rfind("? "))
    return shared[: end + 1] if end >= LONG_BEGINNING else ""


class _OneLine(QStyledItemDelegate):
    """As wide as the list is; what does not fit ends in "…"."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(0, super().sizeHint(option, index).height())


class _List(QListView):
    """Takes what is left, down to some lines: what it would like to have does not count."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())


class PreviewCard(Card):
    """What the choice expands to, or why it expands to nothing; and which of it asks for prejudice, with what words."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._flagged = FlaggedSet()
        self._looking = Refresher(shell.jobs, tr("Wording"), self._show_flagged, lambda _: None, self)
        self._watch = WordingWatch(shell, self)
        self._watch.seen.connect(self._show_wording)
        self.set_padding(20)
        self.count = Label("", "heading")
        self.trouble = Label("", "", wrap=True)
        self.waiting = ProgressThin(tr("Making the prompts"))
        self.waiting.set_progress(0, None)
        self.hints = Notice(tr("To keep in mind"), tone="warn", closable=False)
        self.hints.more.show()
        self.biased = Notice("", tone="warn", closable=False)
        self.show_first = self.biased.add_action(tr("Show the first"), self._go_to_flagged)
        self.model = PromptsModel()
        self.list = _List()
        self.list.setAccessibleName(tr("Prompts"))
        self.list.setModel(self.model)
        self.list.setItemDelegate(_OneLine(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.selectionModel().currentChanged.connect(lambda index, _: self._show_whole(index))
        self.whole = PlainText(name=tr("The chosen prompt"))
        self.key = ElidedLabel("", "note", mode=Qt.TextElideMode.ElideMiddle)
        for widget in (
            self.count,
            self.trouble,
            self.waiting,
            self.hints,
            self.biased,
            self.list,
            self.whole,
            self.key,
        ):
            self.box.addWidget(widget, int(widget is self.list))
        self.box.addStretch(0)
        self._dress()
        theme.signals.changed.connect(self._dress)
        self.show_draft(None)

    def show_draft(self, draft: "PromptSetDraft | None") -> None:
        self.trouble.hide()
        self.waiting.hide()
        prompts = draft.prompts if draft is not None else ()
        self.count.setText(plural(len(prompts), "1 prompt", "%n prompts"))
        self.hints.more.setText(" ".join(draft.hints) if draft is not None else "")
        self.hints.setVisible(draft is not None and bool(draft.hints))
        self.model.show(prompts)
        for widget in (self.list, self.whole, self.key):
            widget.setVisible(bool(prompts))
        self.biased.hide()
        self._looking.read_with((lambda ctx: flagged_in(ctx, prompts)) if prompts else None)
        self._looking.ask()
        if prompts:
            self.list.setCurrentIndex(self.model.index(0, 0))
        self._show_whole(self.list.currentIndex())

    def show_waiting(self) -> None:
        """The choice takes a while to expand."""
        self.show_draft(None)
        self.count.setText(tr("Making the prompts…"))
        self.waiting.show()

    def show_trouble(self, error: AppError) -> None:
        """The choice makes no prompts: say why."""
        self.show_draft(None)
        self.trouble.setText(safe_line(" ".join(part for part in (error.message, error.hint) if part)))
        self.trouble.show()

    def _show_whole(self, index: QModelIndex) -> None:
        shown = index.isValid() and index.row() < self.model.rowCount()
        prompt = self.model.prompt(index.row()) if shown else None
        self.whole.set_text(prompt.text if prompt is not None else "")
        self.key.set_text(prompt.key if prompt is not None else "")
        self._watch.look_at(self.whole.text())

    def _show_wording(self, wording: Wording) -> None:
        marks = []
        for flag in wording.flags:
            mark = QTextEdit.ExtraSelection()
            mark.cursor, mark.format = self.whole.cursor_for(flag.start, flag.end), flag_format()
            marks.append(mark)
        self.whole.setExtraSelections(marks)

    def _show_flagged(self, found: FlaggedSet) -> None:
        self._flagged = found
        self.biased.setVisible(found.flag is not None)
        if found.flag is not None:
            self.biased.text.setText(plural(found.count, "1 prompt asks for prejudice", "%n prompts ask for prejudice"))
            told = tr("The first: “{words}”. {reason}").format(words=found.flag.text, reason=tr(found.flag.reason))
            if found.flag.neutral:
                told += " " + tr("Instead: “{words}”").format(words=found.flag.neutral)
            self.biased.more.setText(safe_line(told))
            self.biased.more.show()

    def _go_to_flagged(self) -> None:
        self.list.setCurrentIndex(self.model.index(self._flagged.first, 0))

    def _dress(self, _tokens: object = None) -> None:
        self.list.setMinimumHeight(theme.current().px(LIST_HEIGHT))
        self.whole.setFixedHeight(theme.current().px(WHOLE_HEIGHT))
