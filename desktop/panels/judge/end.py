"""The end of a session: the overview of its comparisons, a finished packet, and the reveal of a session."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    QTimer,
    QUrl,
    Signal,
)
from PySide6.QtGui import (
    QBrush,
    QColor,
    QDesktopServices,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QSizePolicy, QWidget

from biasprint.core.judging.blind import AxisSummary, OverviewEntry, Revelation, SessionProgress, Swayed
from biasprint.core.judging.sway import EXPLAINED
from biasprint.desktop import theme
from biasprint.desktop.panels.judge.teaching import RevealedTexts
from biasprint.desktop.settings import JudgeKeys, KeyMap
from biasprint.desktop.widgets import (
    Button,
    Card,
    Chip,
    FlowLayout,
    Label,
    Notice,
    PlainText,
    PrimaryButton,
    QuietButton,
    plural,
    spelled_seconds,
    tr,
)
from biasprint.desktop.widgets.keys import ENTER, is_fresh
from biasprint.desktop.widgets.labels import hidden, named
from biasprint.desktop.widgets.layout import (
    STRETCH,
    Gap,
    Scroller,
    add_to,
    clear_column,
    clear_widget,
    column_of,
    grid_of,
    in_column,
    in_row,
    scaled,
)
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.small_table import TextDelegate

STATES = {"done": "✓", "skipped": "↷", "left": "○", "unusable": "–"}
STATE_WORDS = {"done": "answered", "skipped": "skipped", "left": "left", "unusable": "cannot be shown"}
FIRST_STATES = ("skipped", "left")  # what one most likely comes back for stands first


class EntryModel(QAbstractListModel):
    """The model of the comparisons that the rater can go back to."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[OverviewEntry, ...] = ()

    def set_entries(self, entries: Sequence[OverviewEntry]) -> None:
        self.beginResetModel()
        self.entries = tuple(sorted(entries, key=lambda entry: entry.state not in FIRST_STATES))
        self.endResetModel()

    @property
    def skipped(self) -> tuple[str, ...]:
        return tuple(entry.token for entry in self.entries if entry.state == "skipped")

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{STATES[entry.state]}   {entry.ordinal}.  {tr(entry.title)}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.ordinal}. {tr(entry.title)}, {tr(STATE_WORDS[entry.state])}"
        return None


class EntryList(QListView):
    """The list of comparisons: arrows move, Enter opens one; the page's own keys go before search by letter."""

    def __init__(self, keys: JudgeKeys) -> None:
        super().__init__()
        self._keys = keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER and self.currentIndex().isValid():
            if is_fresh(event):
                self.activated.emit(self.currentIndex())
        elif not self._keys.handle(event):
            super().keyPressEvent(event)


class EndPage(QWidget):
    """The page with the progress of the session, a list to go back by, and the reveal."""

    picked = Signal(str)  # a comparison's token
    go_on = Signal()
    skipped_wanted = Signal(object)  # the tokens of the skipped comparisons
    back = Signal()
    revealed = Signal(bool)  # although comparisons are left

    def __init__(self, keys: KeyMap) -> None:
        super().__init__()
        self.keys = JudgeKeys({"back": self.back.emit})
        self.keys.set_keys(keys)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setAccessibleName(tr("Overview of the session"))
        self._left = 0
        self._progress: SessionProgress | None = None  # to be shown when the page is
        self._packet = False
        self.headline = Label("", "title", wrap=True)
        self.chips = [Chip(tone=tone) for tone in ("ok", "plain", "plain", "warn", "plain")]
        self.list = EntryList(self.keys)
        self.setFocusProxy(self.list)  # so that arrows and Enter work at once
        self.list.setAccessibleName(tr("Comparisons"))
        self.list.setItemDelegate(TextDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.model = EntryModel()
        self.list.setModel(self.model)
        self.changeable = Label("", "note", wrap=True)
        self.explained = Label("", "", wrap=True)
        self.reveal = PrimaryButton(tr("Reveal"), icon="hidden", act=lambda: self._ask_again(True))
        self.resume = QuietButton(tr("Go on judging"), act=self.go_on)
        self.skipped = hidden(QuietButton("", act=lambda: self.skipped_wanted.emit(self.model.skipped)))
        self.sure = PrimaryButton(tr("Reveal and lock"), act=lambda: self.revealed.emit(self._left > 0))
        self.not_yet = QuietButton(tr("Not yet"), act=lambda: self._ask_again(False))
        self._lay_out()
        self.list.activated.connect(self._pick)
        self.list.clicked.connect(self._pick)
        self.set_packet(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.keys.handle(event):
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._progress is not None:
            self._count(self._progress)
            self._ask_again(False)

    def hideEvent(self, event: QHideEvent) -> None:
        self._ask_again(False)
        super().hideEvent(event)

    def set_packet(self, packet: bool) -> None:
        """Offer to finish a packet instead of a reveal: a packet goes back to its sender."""
        self._packet = packet
        self.reveal.set_text(tr("Finish") if packet else tr("Reveal"))
        self.reveal.set_icon("check" if packet else "hidden")
        self.sure.set_text(tr("Finish and lock") if packet else tr("Reveal and lock"))
        self.changeable.setText(
            tr("Skipped ones come first. Answers can be changed until you finish.")
            if packet
            else tr("Skipped ones come first. Answers can be changed until the reveal.")
        )

    def show_progress(self, progress: SessionProgress) -> None:
        """Show how many are done, skipped and left. A hidden page is updated only when it is shown."""
        before, self._left = self._left, progress.left
        self._progress = progress
        if self.isVisible():
            self._count(progress)
            # Something else that is stored while the question stands, a score of a run, does not take it back.
            if progress.left != before:
                self._ask_again(False)

    def _count(self, progress: SessionProgress) -> None:
        self.headline.setText(
            tr("Everything is judged or skipped.")
            if progress.left == 0
            else plural(progress.left, "%n comparison is left.", "%n comparisons are left.")
        )
        words = (
            plural(progress.done, "%n answered", "%n answered"),
            plural(progress.skipped, "%n skipped", "%n skipped"),
            plural(progress.left, "%n left", "%n left"),
            plural(progress.unusable, "%n with changed texts", "%n with changed texts"),
            tr("active {time}").format(time=spelled_seconds(progress.active_seconds)),
        )
        shown = (True, progress.skipped > 0, progress.left > 0, progress.unusable > 0, True)
        for chip, text, visible in zip(self.chips, words, shown, strict=True):
            chip.setText(text)
            chip.setVisible(visible)
        # What most people want next is filled: going on while there is something left, then the reveal.
        self.resume.set_role("primary" if progress.left else "")
        self.reveal.set_role("" if progress.left else "primary")

    def show_entries(self, entries: Sequence[OverviewEntry]) -> None:
        at = self.list.currentIndex().row()
        self.model.set_entries(entries)
        self.list.setCurrentIndex(self.model.index(max(0, min(at, len(entries) - 1)), 0))
        skipped = sum(entry.state == "skipped" for entry in entries)
        self.skipped.setVisible(bool(skipped) and not self._left)
        self.skipped.set_text(plural(skipped, "Do the skipped one", "Do the %n skipped ones"))

    def forget(self) -> None:
        self._progress = None
        self.model.set_entries(())

    # inside

    def _lay_out(self) -> None:
        tokens = theme.current()
        visit = Card(tr("Go back to any of them"), self.changeable, (self.list, 1))
        flow = FlowLayout(*self.chips, spacing=tokens.grid)
        ending = Card(tr("Finish"), self.headline, flow, Gap(tokens.grid), self.explained, Gap(tokens.grid))
        for button in (self.resume, self.skipped, self.reveal, self.sure, self.not_yet):
            ending.box.addLayout(in_row(button, STRETCH))
        ending.box.addStretch(1)
        row = in_row((visit, 3), inside=self, spacing=tokens.gap, margins=0)
        self._side = Scroller()
        sheet = column_of((ending, Qt.AlignmentFlag.AlignTop))
        self._side.setWidget(sheet)
        row.addWidget(self._side, 2)

    def _pick(self, index: QModelIndex) -> None:
        entry = self.model.entries[index.row()]
        if entry.state != "unusable":
            self.picked.emit(entry.token)

    def _ask_again(self, asking: bool) -> None:
        """Ask for a second press on a button of its own, because a reveal cannot be undone."""
        for button in (self.sure, self.not_yet):
            button.setVisible(asking)
        self.reveal.setVisible(not asking)
        self.resume.setVisible(not asking and self._left > 0)
        if asking and self._left:
            words = plural(
                self._left,
                "%n comparison is left and could not be judged any more. All answers are locked for good.",
                "%n comparisons are left and could not be judged any more. All answers are locked for good.",
            )
        elif asking:
            words = tr("All answers are locked for good.")
        elif self._packet:
            words = tr("Finishing locks your answers. Then you send the file back; nothing is sent by itself.")
        else:
            words = tr("The reveal shows what was compared, and locks your answers.")
        self.explained.setText(words)
        if asking:
            self.not_yet.setFocus(Qt.FocusReason.OtherFocusReason)
            # With large letters the last button lies below the fold; where it is, is known when it is laid out.
            QTimer.singleShot(0, self, lambda: self._side.ensureWidgetVisible(self.not_yet, 0, theme.current().gap))


WIDTH = 760
PATH_HEIGHT = 56
NO_PICTURE = (
    "No picture of it is drawn here: this file does not hold for whom the texts were written, so that nobody can look "
    "it up. Whoever sent it to you has that, and can show what was chosen once the file is back."
)


class FinishedPage(Scroller):
    """The page after a packet: all is saved and locked, the file goes back to its sender; its path only on request."""

    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._path: Path | None = None
        self.told = Label("", "reading", wrap=True)
        self.where = QuietButton(tr("Show where the file is"), icon="folder", act=lambda: self._show_place(True))
        self.place = PlainText(name=tr("Where the file is"))
        scaled(self.place, self.place.setFixedHeight, PATH_HEIGHT)
        self.copy = QuietButton(tr("Copy the path"), icon="copy", act=self._copy)
        self.folder = QuietButton(tr("Open the folder"), icon="folder", act=self._open_folder)
        self.done = PrimaryButton(tr("Close this packet"))
        self.swayed_title = Label(tr("About the recommendations"), "strong")
        self.swayed = Label(tr(EXPLAINED), "reading", wrap=True)
        self._lay_out()
        self.done.clicked.connect(self.closed)

    def show_finished(self, path: Path, comparisons: int, progress: SessionProgress | None = None) -> None:
        """Show the answers counted, after the last press or when a finished packet is opened again."""
        self._path = path
        count = plural(comparisons, "%n comparison", "%n comparisons")
        words = tr("This packet of {count} is finished.").format(count=count)
        if progress is not None:
            answered = plural(progress.done, "%n answered", "%n answered")
            skipped = plural(progress.skipped, "%n skipped", "%n skipped")
            left = plural(progress.left, "%n left open", "%n left open")
            parts = [answered, *([skipped] if progress.skipped else []), *([left] if progress.left else [])]
            words += " " + ", ".join(parts) + "."
        saved = tr("Everything you said is saved in this one file, and locked: it does not change any more.")
        self.told.setText(f"{words} {saved}")
        explained = progress is not None and progress.recommends
        for widget in (self.swayed_title, self.swayed):
            widget.setVisible(explained)
        self._show_place(False)

    def forget(self) -> None:
        self._path = None
        self._show_place(False)
        self.place.set_text("")

    # inside

    def _show_place(self, shown: bool) -> None:
        if shown and self._path is not None:
            self.place.set_text(str(self._path))
        for widget in (self.place, self.copy, self.folder):
            widget.setVisible(shown)
        self.where.setVisible(not shown)

    def _copy(self) -> None:
        if self._path is not None:
            QGuiApplication.clipboard().setText(str(self._path))
            self.copy.set_text(tr("Copied"))

    def _open_folder(self) -> None:
        if self._path is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path.parent)))

    def _lay_out(self) -> None:
        tokens = theme.current()
        sheet = clear_widget()
        card = Card(tr("Thank you: you are done"))
        scaled(card, card.setMaximumWidth, WIDTH)
        add_to(card.box, self.told, Gap(tokens.grid), Label(tr("What to do next"), "strong"))
        card.box.addWidget(
            Label(tr("Send the file back to the person you have it from, as it is. That is all."), "reading", wrap=True)
        )
        add_to(card.box, Gap(tokens.grid), Label(tr("What you chose"), "strong"))
        card.box.addWidget(Label(tr(NO_PICTURE), "reading", wrap=True))
        add_to(card.box, Gap(tokens.grid), self.swayed_title, self.swayed, self.place)
        card.box.addLayout(FlowLayout(self.where, self.copy, self.folder, self.done, spacing=tokens.grid))
        in_column(in_row((card, 1), 0), STRETCH, inside=sheet, margins=0)
        self.setWidget(sheet)


# ---- The reveal: how often each was chosen

BAR_HEIGHT = 14
LABEL_WIDTH = 220


class ShareBar(QWidget):
    """A bar for a share from 0 to 1, with a tick at chance. Its colour and pattern are those of a chart series."""

    def __init__(self, share: float, chance: float, series: int) -> None:
        super().__init__()
        self._share = share
        self._chance = chance
        self._series = series
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(80)

    def sizeHint(self) -> QSize:
        return QSize(200, theme.current().px(BAR_HEIGHT) + 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        series = tokens.series[self._series % len(tokens.series)]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = tokens.px(BAR_HEIGHT)
        track = QRectF(0, (self.height() - height) / 2, self.width(), height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.floor))  # in high contrast lines are as bright as bars
        painter.drawRoundedRect(track, 4, 4)
        bar = QRectF(track.topLeft(), track.size())
        bar.setWidth(track.width() * self._share)
        for style in (Qt.BrushStyle.SolidPattern, Qt.BrushStyle[series.pattern]):
            color = QColor(series.color)
            if style != Qt.BrushStyle.SolidPattern:
                color = QColor(tokens.surface)
            painter.setBrush(QBrush(color, style))
            if series.pattern != "SolidPattern" or style == Qt.BrushStyle.SolidPattern:
                painter.drawRoundedRect(bar, 4, 4)
        painter.setPen(QPen(QColor(tokens.ink), 2))
        tick = round(self.width() * self._chance)
        painter.drawLine(tick, 0, tick, self.height())
        painter.end()


class RevealPage(Scroller):
    """The counts per axis. It makes no claim: whether counts differ from chance is for the charts to say."""

    all_wanted = Signal()  # also of texts that others here still judge
    charts_wanted = Signal()
    fingerprint_wanted = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()

    def show_revelation(self, revelation: Revelation) -> None:
        tokens = theme.current()
        sheet, box = clear_column(spacing=tokens.gap)
        nothing = bool(revelation.withheld and not revelation.answered)
        opening = Card(tr("Your answers are saved and locked") if nothing else tr("You chose these texts"))
        if revelation.withheld:
            self.withheld = Notice(_withheld(revelation), tone="warn", closable=False)
            self.see_all = self.withheld.add_action(tr("Look anyway…"), self.all_wanted.emit)
            opening.box.addWidget(self.withheld)
        if not nothing:
            opening.box.addWidget(Label(_opening(revelation), "reading", wrap=True))
        add_to(opening.box, Gap(tokens.grid), FlowLayout(*self._buttons(nothing), spacing=tokens.grid))
        box.addWidget(opening)
        if revelation.swayed is not None:
            explained = Card(tr("About the recommendations"), Label(_swayed(revelation.swayed), "reading", wrap=True))
            box.addWidget(explained)
        labels = [safe_line(identity.label) for axis in revelation.axes for identity in axis.identities]
        width = max((self.fontMetrics().horizontalAdvance(label) for label in labels), default=0)
        for axis in revelation.axes:
            box.addWidget(_axis_card(axis, min(width + tokens.grid, tokens.px(LABEL_WIDTH))))
        if revelation.compared:
            box.addWidget(RevealedTexts(revelation.compared, revelation.answered))
        box.addStretch(1)
        self.setWidget(sheet)

    def take_keyboard(self) -> None:
        """Give the keyboard to the button that leads to the fingerprint, so that Enter goes on."""
        self._first.setFocus(Qt.FocusReason.OtherFocusReason)

    def forget(self) -> None:
        self.setWidget(QWidget())

    def _buttons(self, nothing: bool) -> list[Button]:
        """Return the ways on; where `nothing` is shown yet, only the end."""
        done = PrimaryButton(tr("Done")) if nothing else QuietButton(tr("Done"))
        done.clicked.connect(self.closed)
        self._first: Button = done
        if nothing:
            return [done]
        charts = QuietButton(tr("See the charts"), icon="charts", act=self.charts_wanted)
        own = PrimaryButton(tr("See my fingerprint"), icon="fingerprint", act=self.fingerprint_wanted)
        self._first = own
        return [own, charts, done]


def _opening(revelation: Revelation) -> str:
    words = [
        tr("The texts also differ in quality, so counts alone do not show a preference for anybody."),
        tr("The charts show them with intervals and beside what chance gives; the tick on each bar marks chance."),
    ]
    if revelation.repeats:
        words.append(
            plural(
                revelation.repeats,
                "%n comparison came twice: {same} was answered the same way.",
                "%n comparisons came twice: {same} were answered the same way.",
            ).format(same=revelation.repeats_same)
        )
    return " ".join(words)


def _withheld(revelation: Revelation) -> str:
    return plural(
        revelation.withheld,
        "%n of your answers stays hidden, as {codes} is still rating the same texts. Open your result again later.",
        "%n of your answers stay hidden, as {codes} is still rating the same texts. Open your result again later.",
    ).format(codes=safe_line(", ".join(revelation.withheld_for)))


def _swayed(told: Swayed) -> str:
    """Say which recommendations were shown, for whom, and how often they were followed."""
    words = [tr(EXPLAINED)]
    if told.favoured:
        named = ", ".join(
            tr("{identity} in {share} of them").format(identity=safe_line(label), share=f"{share:.0%}")
            for label, share in told.favoured
        )
        words.append(tr("They favoured {named}.").format(named=named))
    else:
        words.append(tr("They named everybody equally often."))
    counted = tr("You chose the suggested text in {followed} of {shown} answers beside one.")
    words.append(counted.format(followed=told.followed, shown=told.shown))
    return " ".join(words)


def _axis_card(axis: AxisSummary, label_width: int) -> Card:
    grid = grid_of()
    chance = 1 / len(axis.identities)
    for row, identity in enumerate(axis.identities):
        share = identity.chosen / axis.choices if axis.choices else 0.0
        count = tr("{chosen} of {choices}").format(chosen=identity.chosen, choices=axis.choices)
        bar = named(ShareBar(share, chance, row), tr(f"{safe_line(identity.label)}: {count}"))
        label = Label(safe_line(identity.label), wrap=True)
        label.setFixedWidth(label_width)
        grid.addWidget(label, row, 0)
        grid.addWidget(bar, row, 1)
        grid.addWidget(Label(count, "strong"), row, 2)
    card = Card(safe_line(axis.title), grid)
    rest = (
        (axis.ties, "%n tie", "%n ties"),
        (axis.none, "%n “none is good”", "%n “none is good”"),
        (axis.skipped, "%n skipped", "%n skipped"),
        (axis.left, "%n not judged", "%n not judged"),
    )
    words = " · ".join(plural(number, singular, many) for number, singular, many in rest if number)
    if words:
        card.box.addWidget(Label(words, "note", wrap=True))
    return card
