"""The template page, the preview of the prompts it makes, and the check of their wording."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QListView, QStyleOptionViewItem, QTextEdit, QWidget

from biasprint.core.errors import AppError
from biasprint.core.prompts import (
    PromptDraft,
    PromptSetDraft,
    Template,
    TemplateError,
    cogs_tasks,
    cogs_themes,
    load_axis,
)
from biasprint.core.prompts.cogs import PAPER_AXES
from biasprint.core.prompts.detector import Flag
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.desktop import theme
from biasprint.desktop.jobs import Refresher
from biasprint.desktop.operations.prompts import (
    FlaggedSet,
    TemplateChoice,
    Wording,
    flagged_in,
    with_one_neutral,
    wording_of,
)
from biasprint.desktop.panels.prompts.template_table import TemplateTableCard
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import (
    Card,
    ElidedLabel,
    FlowLayout,
    Label,
    LinkButton,
    Notice,
    PlainText,
    ProgressThin,
    QuietButton,
    plural,
    tr,
)
from biasprint.desktop.widgets.labels import named
from biasprint.desktop.widgets.layout import LowEdit, RowOrColumn, Sheet, add_to, clear_widget, empty, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.small_table import TextDelegate

PAUSE_MILLISECONDS = 250  # without a key before the text is looked at
MOST_SHOWN = 3
LONGEST_SHOWN = 90  # characters of a flag's words or wording
SIDE_BY_SIDE_FROM = 720  # text pixels


class WordingWatch(QObject):
    """The wording check. It checks the last given text, in a thread, once typing pauses; `seen` brings the result."""

    seen = Signal(object)  # Wording

    def __init__(self, shell: Shell, parent: QObject) -> None:
        super().__init__(parent)
        self._text = ""
        self._reading = Refresher(shell.jobs, tr("Wording"), self._finished, self._failed, self)
        self._reading.read_with(lambda ctx: wording_of(ctx, self._text))
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self._reading.ask)

    def look_at(self, text: str) -> None:
        self._text = text
        self._pause.start()

    def _finished(self, wording: Wording) -> None:
        if wording.text == self._text:  # else it was typed over meanwhile, and is looked at again
            self.seen.emit(wording)

    def _failed(self, error: AppError) -> None:
        self.seen.emit(Wording(self._text))


class WordingCard(Card):
    """The flags of a prompt, each with its reason and a button; `replaced` brings the reworded text."""

    replaced = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.wording = Wording("")
        self.title = Label("", "heading", wrap=True)
        self.all = LinkButton(tr("Use every neutral wording"), act=lambda: self.replaced.emit(self.wording.neutral))
        head = in_row((self.title, 1), self.all)
        self._rows = in_column(spacing=theme.current().gap)
        self.more = Label("", "note")
        add_to(self.box, head, self._rows, self.more)
        self.hide()

    def show_wording(self, wording: Wording) -> None:
        """List the first flags; show nothing where there is none."""
        self.wording = wording
        empty(self._rows)
        for flag in wording.flags[:MOST_SHOWN]:
            self._rows.addWidget(self._row(flag))
        self.title.setText(plural(wording.count, "1 place asks for prejudice", "%n places ask for prejudice"))
        left = wording.count - min(wording.count, MOST_SHOWN)
        self.more.setText(plural(left, "and 1 more", "and %n more"))
        self.more.setVisible(left > 0)
        self.all.setVisible(wording.count > 1)
        self.setVisible(wording.count > 0)

    def _row(self, flag: Flag) -> QWidget:
        words = _short(flag.text)
        offered = tr("Instead: “{words}”").format(words=_short(flag.neutral)) if flag.neutral else ""
        use = LinkButton(tr("Use this") if flag.neutral else tr("Leave out"))
        use.setAccessibleName(tr("{action}: {words}").format(action=use.text(), words=words))
        use.clicked.connect(lambda: self.replaced.emit(with_one_neutral(self.wording, flag)))
        row = clear_widget()
        column = in_column(Label(f"“{words}”", "strong", wrap=True), spacing=2)
        for text, role in ((tr(flag.reason), "soft"), (offered, "")):
            if text:
                column.addWidget(Label(text, role, wrap=True))
        in_row((column, 1), use, inside=row, margins=0)
        return row


def flag_format() -> QTextCharFormat:
    """Return the format that underlines flagged words: it differs from a mistake's by colour and by the line's form."""
    made = QTextCharFormat()
    made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DashUnderline)
    made.setUnderlineColor(QColor(theme.current().warn))
    made.setBackground(QColor(theme.current().warn_soft))
    return made


def _short(words: str) -> str:
    line = safe_line(words)
    return line if len(line) <= LONGEST_SHOWN else f"{line[:LONGEST_SHOWN]}…"


EDIT_HEIGHT, FILLED_HEIGHT = 110, 120  # text pixels, at least
MOST_FILLED = 12  # prompts that are shown of a table
BY_AXIS = ("identity", "name", "group")  # placeholders that an axis brings


class _Filled(PlainText):
    """The same for the text of a filled template."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())


class TemplatePage(Sheet):
    """A template with a table, which becomes a prompt set.

    `changed` asks for that set; `show_draft` or `show_trouble` answers.

    Without a table it is tried on an example: the identity template of the creativity suite.
    """

    changed = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._values = _example()
        self.table = TemplateTableCard(shell)
        self._mistake: list[QTextEdit.ExtraSelection] = []
        self._watch = WordingWatch(shell, self)
        self.edit = named(LowEdit(read_toml(packaged("prompts", "cogs.toml"))["identity"]), tr("Template"))
        self.edit.setTabChangesFocus(True)
        self.verdict = Label("", "", wrap=True)
        self.wording = WordingCard()
        self.filled = _Filled(name=tr("The template, filled"))
        self._lay_out()
        theme.follow(self._dress)
        self._watch.seen.connect(self._show_wording)
        self.wording.replaced.connect(self._replace)
        self.edit.textChanged.connect(self._typed)
        theme.signals.changed.connect(self._check)
        self.table.changed.connect(self._table_changed)
        self._check()

    def choice(self) -> TemplateChoice | None:
        """Return the template with its table; None without a table, or where the template has a mistake."""
        return self.table.choice(self.edit.toPlainText()) if not self._mistake else None

    def begin_with(self, question: TemplateChoice) -> None:
        """Take a template with a typed table in place of what is here."""
        self.edit.setPlainText(question.text)
        self.table.begin_with(question)

    def show_draft(self, draft: PromptSetDraft) -> None:
        """Show the prompts made from the table's rows."""
        parts = [plural(len(draft.prompts), "1 prompt", "%n prompts"), *draft.hints]
        self.verdict.setText(safe_line(". ".join(part.removesuffix(".") for part in parts) + "."))
        self.filled.set_text("\n\n".join(prompt.text for prompt in draft.prompts[:MOST_FILLED]))
        more = len(draft.prompts) - MOST_FILLED
        self.example.setText(plural(more, "and 1 more", "and %n more") if more > 0 else "")

    def show_trouble(self, error: AppError) -> None:
        """Show why the table's rows make no prompts."""
        self.verdict.setText(safe_line(" ".join(part for part in (error.message, error.hint) if part)))
        self.filled.set_text("")
        self.example.setText("")

    def _table_changed(self) -> None:
        self._show_chips()
        self._check()
        self.changed.emit()

    def _typed(self) -> None:
        self._check()
        if self.table.columns:
            self.changed.emit()

    def _check(self, _tokens: object = None) -> None:
        """Check the template against its table's columns, not all of which need be used, or against the example."""
        text = self.edit.toPlainText()
        self._mistake = []
        known, needed = (self.table.columns, ()) if self.table.columns else (self._values, self._values)
        known = {**known, **dict.fromkeys(BY_AXIS, "")} if self.table.columns else known
        try:
            template = Template(text).require(known, needed)
        except TemplateError as error:
            self._mark(text, error.offset)
            self.show_trouble(error)
        else:
            if not self.table.columns:
                self.verdict.setText(tr("Every placeholder is known and none is missing."))
                self.filled.set_text(template.render(self._values))
                words = tr("With the identity “{identity}” and the task “{task}”.").format(**self._values)
                self.example.setText(words)
        self._watch.look_at(text)
        self._show_marks(text)

    def _show_wording(self, wording: Wording) -> None:
        self.wording.show_wording(wording)
        self._show_marks(wording.text)

    def _show_marks(self, text: str) -> None:
        """Mark the mistake and the flags; drop those of an older text, as their places may have moved."""
        seen = self.wording.wording
        flags = seen.flags if seen.text == text else ()
        marks = []
        for flag in flags:
            start = _units(text[: flag.start])
            marks.append(self._selection(start, start + _units(flag.text), flag_format()))
        self.edit.setExtraSelections([*marks, *self._mistake])

    def _replace(self, text: str) -> None:
        """Replace the old text by this one, in one step that can be undone."""
        if self.edit.toPlainText() != self.wording.wording.text:
            return  # typed over since: the offer is out of date
        cursor = QTextCursor(self.edit.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.edit.setFocus()

    def _selection(self, start: int, end: int, look: QTextCharFormat) -> QTextEdit.ExtraSelection:
        """Return a mark over a part of the text, in UTF-16 units."""
        made = QTextEdit.ExtraSelection()
        made.cursor = QTextCursor(self.edit.document())
        made.cursor.setPosition(start)
        made.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        made.format = look
        return made

    def _mark(self, text: str, offset: int) -> None:
        """Underline from the mistake to its brace or the end of the word; a missing part at the last character."""
        end = next((at + (text[at] == "}") for at in range(offset + 1, len(text)) if text[at] in "} \n"), len(text))
        start = offset if offset < len(text) else max(0, len(text) - 1)
        look = QTextCharFormat()
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        look.setUnderlineColor(QColor(theme.current().danger))
        look.setBackground(QColor(theme.current().danger_soft))
        self._mistake = [self._selection(_units(text[:start]), _units(text[:end]), look)]

    def _lay_out(self) -> None:
        tokens = theme.current()
        left, right = Card(tr("Template")), Card(tr("What it becomes"))
        words = tr(
            "A prompt with placeholders in braces. With a table it becomes a prompt set; without one it is only tried, "
            "on an example of Creative writing."
        )
        add_to(left.box, Label(words, "soft", wrap=True), (self.edit, 1))
        self._chips_holder = QWidget()
        self._chips = FlowLayout(Label(tr("Insert"), "soft"), inside=self._chips_holder, centred=True)
        self._show_chips()
        add_to(left.box, self._chips_holder, self.verdict)
        right.box.addWidget(self.filled, 1)
        self.example = Label("", "note", wrap=True)
        right.box.addWidget(self.example)
        texts = in_column((left, 1), (right, 1), spacing=tokens.gap)
        sources = in_column(self.table, self.wording, 0, spacing=tokens.gap)
        self.box.addLayout(RowOrColumn((texts, 1), (sources, 1), least=SIDE_BY_SIDE_FROM))

    def chips(self) -> list[QWidget]:
        """Return the buttons of the placeholders."""
        items = (self._chips.itemAt(place) for place in range(1, self._chips.count()))
        return [item.widget() for item in items if item is not None]

    def _show_chips(self) -> None:
        """Show a button for each placeholder that can be used."""
        while self._chips.count() > 1:
            item = self._chips.takeAt(1)
            if item is not None and (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for name in self.table.columns or self._values:
            button = QuietButton(safe_line(f"{{{name}}}"))
            button.clicked.connect(lambda _=False, name=name: self._insert(name))
            self._chips.addWidget(button)
        self._chips_holder.updateGeometry()

    def _dress(self, _tokens: object = None) -> None:
        """Keep room for some lines at every size of text; a low window scrolls."""
        for widget, least in ((self.edit, EDIT_HEIGHT), (self.filled, FILLED_HEIGHT)):
            widget.setMinimumHeight(theme.current().px(least))

    def _insert(self, name: str) -> None:
        self.edit.insertPlainText(f"{{{name}}}")
        self.edit.setFocus()


def _units(text: str) -> int:
    """Return the number of UTF-16 units that Qt counts for a text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _example() -> dict[str, str]:
    task, subject = cogs_tasks()[0], cogs_themes()[0]
    asked = Template(task.template).fill(theme=subject.text)
    return {"identity": load_axis(PAPER_AXES[0]).identities[0].phrase, "task": asked[0].lower() + asked[1:]}


LIST_HEIGHT, WHOLE_LEAST, WHOLE_MOST = 80, 56, 84  # text pixels; the list has at least so many


LOOKED_AT = 200  # prompts
TOGETHER, LONG_RUN = 3, 4  # words that are compared at a time, and that are left out at least


class PromptsModel(QAbstractListModel):
    """The prompts as single lines, made only for those in view. Long runs of words that most share are omitted."""

    def __init__(self) -> None:
        super().__init__()
        self._prompts: tuple[PromptDraft, ...] = ()
        self._shared: frozenset[tuple[str, ...]] = frozenset()

    def show(self, prompts: tuple[PromptDraft, ...]) -> None:
        self.beginResetModel()
        self._prompts = prompts
        step = max(1, len(prompts) // LOOKED_AT)
        self._shared = shared_words([prompt.text for prompt in prompts[::step]])
        self.endResetModel()

    def prompt(self, row: int) -> PromptDraft:
        return self._prompts[row]

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._prompts)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return safe_line(what_differs(self._prompts[index.row()].text, self._shared))


def shared_words(texts: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """Return the groups of neighbouring words that more than half of the texts contain."""
    found = Counter(group for text in texts for group in set(_groups(text.split())))
    return frozenset(group for group, count in found.items() if count > max(1, len(texts) / 2))


def what_differs(text: str, shared: frozenset[tuple[str, ...]]) -> str:
    """Return a text with “…” in place of long runs of shared words; unchanged where nothing else would be left."""
    words = text.split()
    known = [False] * len(words)
    for place, group in enumerate(_groups(words)):
        if group in shared:
            known[place : place + TOGETHER] = [True] * TOGETHER
    parts = []
    for is_known, run in groupby(zip(words, known, strict=True), key=itemgetter(1)):
        run_words = [word for word, _ in run]
        parts.append("…" if is_known and len(run_words) >= LONG_RUN else " ".join(run_words))
    return " ".join(parts) if "…" in parts and len(parts) > 1 else text


def _groups(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[place : place + TOGETHER]) for place in range(len(words) - TOGETHER + 1)]


class _OneLine(TextDelegate):
    """A text as wide as the list; the rest is shown as "…"."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(0, super().sizeHint(option, index).height())


class _List(QListView):
    """A list that takes the remaining height, down to some lines, whatever it would prefer."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())


class PreviewCard(Card):
    """The expanded choice, or why there is none; and the prompts that ask for prejudice, with their words."""

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
        self.list = named(_List(), tr("Prompts"))
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
        theme.follow(self._dress)
        self.show_draft(None)

    def show_draft(self, draft: PromptSetDraft | None) -> None:
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
        """Show that the choice takes a while to expand."""
        self.show_draft(None)
        self.count.setText(tr("Making the prompts…"))
        self.waiting.show()

    def show_trouble(self, error: AppError) -> None:
        """Show why the choice makes no prompts."""
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
            words = tr("The first: “{words}”. {reason}").format(words=found.flag.text, reason=tr(found.flag.reason))
            if found.flag.neutral:
                words += " " + tr("Instead: “{words}”").format(words=found.flag.neutral)
            self.biased.more.setText(safe_line(words))
            self.biased.more.show()

    def _go_to_flagged(self) -> None:
        self.list.setCurrentIndex(self.model.index(self._flagged.first, 0))

    def _dress(self, _tokens: object = None) -> None:
        self.list.setMinimumHeight(theme.current().px(LIST_HEIGHT))
        self.whole.setMinimumHeight(theme.current().px(WHOLE_LEAST))
        self.whole.setMaximumHeight(theme.current().px(WHOLE_MOST))
