"""The doors of Home: parts of the program, recent projects, and the facts shown on them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QDate, QEvent, QLocale, QModelIndex, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QListView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from biasprint.core.jobs import JobContext
from biasprint.desktop import theme
from biasprint.desktop.operations.models import LanguageModels
from biasprint.desktop.operations.studies import StudyFacts, study_facts
from biasprint.desktop.widgets import Button, Card, FlowLayout, Label, LinkButton, plural, tr
from biasprint.desktop.widgets.layout import STRETCH, Gap, add_to, in_row
from biasprint.desktop.widgets.safe_text import as_given, isolated
from biasprint.desktop.wording.generators import words_of

if TYPE_CHECKING:
    from biasprint.core.project.project import Project

COMPARED = "creativity"  # whose prompts are offered where there is nothing to compare; a workshop uses its texts
NOT_READ = ("completion", "packet")  # kinds of study whose texts are no texts to read side by side


@dataclass(frozen=True)
class ProjectFacts:
    """The counts of the open project, study by study, and its comparisons to rate."""

    studies: tuple[StudyFacts, ...] = ()
    comparisons: int = 0
    begun: int = 0  # rating sessions of people on this machine that are open
    finished: int = 0  # and those whose result their raters have seen

    @property
    def compared(self) -> StudyFacts:
        """The study of creative texts."""
        return next((study for study in self.studies if study.kind == COMPARED), StudyFacts(COMPARED, ""))

    @property
    def with_texts(self) -> tuple[StudyFacts, ...]:
        return tuple(study for study in self.studies if study.texts)

    @property
    def with_prompts(self) -> tuple[StudyFacts, ...]:
        return tuple(study for study in self.studies if study.prompts)


def read_facts(ctx: JobContext, project: "Project") -> ProjectFacts:
    """Count the facts, in short readings."""
    judging = project.judging
    comparisons = sum(judging.count(plan.id) for plan in judging.plans())
    people = {row.id for row in judging.raters() if row.kind == "person"}
    away = judging.packet_sessions()
    sessions = [row for row in judging.sessions() if row.rater_id in people]
    answered = judging.answered_sessions()
    finished = sum(row.revealed_at is not None and row.id in answered for row in sessions)
    begun = sum(row.revealed_at is None and row.id not in away for row in sessions)
    return ProjectFacts(study_facts(ctx, project), comparisons, begun, finished)


ICON_SIDE = 26


@dataclass(frozen=True)
class DoorState:
    """The present words of a door. `step` names what the button does, "" if nothing can be done here."""

    words: str
    action: str
    step: str
    other: str = ""  # a second, quieter way
    other_step: str = ""
    mend: str = ""  # a third: what brings something that is not here, or takes it along
    mend_step: str = ""
    own: str = ""  # a fourth: where what it asks with is made one's own
    own_step: str = ""
    may_become: tuple[str, ...] = ()  # other words, once more is known: room is kept for the longest


class _Words(Label):
    """A text as high as the longest words it may show: no button below moves when they come."""

    def __init__(self) -> None:
        super().__init__("", "note", wrap=True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.may_become: tuple[str, ...] = ()

    def heightForWidth(self, width: int) -> int:
        room, wrap = QRect(0, 0, width, 10_000), Qt.TextFlag.TextWordWrap
        others = [self.fontMetrics().boundingRect(room, wrap, words).height() for words in self.may_become]
        return max(super().heightForWidth(width), *others, 0)


class DoorCard(Card):
    """A big card: its purpose, the present state, and the one button that goes on."""

    def __init__(self, title: str, text: str, icon: str, on_step: Callable[[str], object]) -> None:
        super().__init__()
        tokens = theme.current()
        self.state = DoorState("", "", "")
        self._icon_name = icon
        self.setAccessibleName(tr(title))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.picture = QLabel()
        self.words = _Words()
        self.button = Button("", role="primary", act=lambda: on_step(self.state.step))
        self.other = LinkButton("", act=lambda: on_step(self.state.other_step))
        self.mend, self.own = LinkButton(""), LinkButton("")
        self.mend.clicked.connect(lambda: on_step(self.state.mend_step))
        self.own.clicked.connect(lambda: on_step(self.state.own_step))
        head = in_row(self.picture, (Label(title, "title"), 1), spacing=12)
        foot = FlowLayout(spacing=tokens.gap, centred=True)
        for button in (self.button, self.other, self.own, self.mend):
            foot.addWidget(button)
            button.hide()
        add_to(self.box, head, Label(text, "soft", wrap=True), STRETCH, Gap(tokens.grid), self.words, foot)
        theme.follow(self._dress)

    def set_state(self, state: DoorState) -> None:
        if state == self.state:
            return  # the layout stays
        self.state = state
        self.words.may_become = state.may_become
        self.words.setText(state.words)
        self.button.set_text(state.action)
        self.button.setVisible(bool(state.action))
        self.button.setEnabled(bool(state.step))
        self.button.setAccessibleDescription(tr(state.words))
        self.other.set_text(state.other)
        self.other.setVisible(bool(state.other))
        self.mend.set_text(state.mend)
        self.mend.setAccessibleDescription(tr(state.words))
        self.mend.setVisible(bool(state.mend))
        self.own.set_text(state.own)
        self.own.setVisible(bool(state.own))

    def _dress(self) -> None:
        tokens = theme.current()
        side = tokens.px(ICON_SIDE)
        self.picture.setPixmap(theme.pixmap(self._icon_name, tokens.accent, side, self.devicePixelRatioF()))


def rate_state(facts: ProjectFacts | None, *, read_only: bool, preparing: bool = False) -> DoorState:
    """Return the first thing that rating lacks: it needs comparisons, those outputs, those prompts."""
    if facts is None and preparing:
        return DoorState(tr("The sample is being opened. A moment…"), tr("Rate the sample"), "")
    if facts is None:
        return DoorState(
            tr("Needs a project with comparisons: the sample has some, ready to rate."),
            tr("Rate the sample"),
            "sample",
        )
    if read_only:
        return DoorState(tr("The project is open read-only: no choice could be saved."), "", "")
    if facts.comparisons:
        words = plural(facts.comparisons, "1 comparison is ready.", "%n comparisons are ready.")
        if facts.begun:
            return DoorState(tr("A session is begun and not finished."), tr("Go on rating"), "go on")
        return DoorState(words, tr("Start rating"), "judge")
    outputs = sum(study.texts for study in facts.studies if study.kind not in NOT_READ)
    prompts = facts.compared.prompts
    if outputs:
        words = plural(outputs, "1 text is there, no comparisons yet.", "%n texts are there, no comparisons yet.")
        return DoorState(words, tr("Draw comparisons…"), "judge")
    if prompts:
        words = plural(prompts, "1 prompt is there, no outputs yet.", "%n prompts are there, no outputs yet.")
        return DoorState(words, tr("Generate outputs…"), "generate")
    words = tr("Comparisons are drawn from texts, and the project has none and no prompts for creative ones yet.")
    return DoorState(words, tr("Choose prompts…"), "creative prompts", tr("Import texts…"), "import")


def fingerprint_state(facts: ProjectFacts | None, *, read_only: bool, preparing: bool = False) -> DoorState:
    """Return the state of the fingerprint: it needs a finished rating session; until then the door leads to rating."""
    if facts is None and preparing:
        return DoorState(tr("The sample is being opened. A moment…"), tr("Rate the sample"), "")
    if facts is None:
        return DoorState(
            tr("Needs comparisons that you rated to the end: the sample has some, ready to rate."),
            tr("Rate the sample"),
            "sample",
        )
    if facts.finished:
        words = plural(facts.finished, "1 finished session is there.", "%n finished sessions are there.")
        return DoorState(words, tr("See it"), "fingerprint")
    if not facts.comparisons:
        words = tr("Needs comparisons, rated to the end, and the project has none yet.")
        lacks = rate_state(facts, read_only=read_only)
        return DoorState(words, lacks.action, lacks.step)
    if read_only:
        return DoorState(tr("Needs a finished session, and the project is open read-only."), "", "")
    if facts.begun:
        return DoorState(
            tr("Hidden until your session is finished: some comparisons are left."), tr("Go on rating"), "go on"
        )
    return DoorState(
        tr("Needs a session that you rated to the end; comparisons are ready."), tr("Start rating"), "judge"
    )


def workshop_state(facts: ProjectFacts | None, *, read_only: bool) -> DoorState:
    """Return the state of the workshop: it uses the open project's texts, or the set that ships."""
    shipped = tr("A set of texts for it comes with the program.")
    if facts is None or read_only or not facts.compared.texts:
        return DoorState(shipped, tr("Lead a workshop"), "workshop set")
    words = plural(
        facts.compared.texts, "1 creative text is in this project.", "%n creative texts are in this project."
    )
    return DoorState(words, tr("Lead a workshop"), "workshop", tr("With the shipped set"), "workshop set")


def letter_state() -> DoorState:
    """Return the state of the letter check, which needs only the letter."""
    words = tr("Nothing leaves this computer. Of what you edit a draft is kept until you save or close it.")
    return DoorState(words, tr("Check a letter"), "letters")


MOST_TOLD = 6  # studies with what they have; of more it is said how many there are besides


def texts_state(facts: ProjectFacts | None, *, read_only: bool) -> DoorState:
    """Return the state of texts: they are imported or generated, scored and measured, and then looked at."""
    choose = tr("Import texts…")
    if facts is None or not facts.with_texts:
        return DoorState(
            tr("Needs a table with the texts and what each is about: csv, xlsx, jsonl or parquet."), choose, "import"
        )
    lines = [study.said for study in facts.with_texts[:MOST_TOLD]]
    if (left := len(facts.with_texts) - MOST_TOLD) > 0:
        lines.append(plural(left, "1 other study", "%n other studies"))
    words = "; ".join(lines) + "."
    action, step = tr("See what was found"), "see"
    if any(study.pending for study in facts.studies) and not read_only:
        action = tr("Score and measure") if any(_scored(study) for study in facts.studies) else tr("Measure")
        step = "measure"
    report = (tr("Report…"), "report") if any(study.measured for study in facts.studies) else ("", "")
    return DoorState(words, action, step, choose, "import", *report)


def audit_state(facts: ProjectFacts | None, *, read_only: bool, writers: LanguageModels | None = None) -> DoorState:
    """Return the state of an audit: it begins with prompts, in a new or the open project, and needs a writer."""
    state = _audit_state(facts, read_only=read_only)
    return replace(
        state,
        words=f"{state.words} {_writers_words(writers)}",
        may_become=tuple(f"{state.words} {_writers_words(each)}" for each in WRITERS),
        own=tr("Own people…"),
        own_step="own",
        mend=tr("Get a model…"),
        mend_step="models",
    )


WRITERS = (None, LanguageModels(0, 0, False), LanguageModels(0, 0, True), LanguageModels(1, 0, False))


def _writers_words(writers: LanguageModels | None) -> str:
    if writers is None:
        return tr("Looking for models that can write…")
    if writers.real:
        return tr("A language model is here to write.")
    return tr("Only the teaching model is here to write.") if writers.teaching else tr("No model is here to write yet.")


def _audit_state(facts: ProjectFacts | None, *, read_only: bool) -> DoorState:
    if facts is None or read_only:
        return DoorState(tr("A first look takes a few clicks, and a project of its own."), tr("New audit…"), "audit")
    if not facts.with_prompts:
        return DoorState(
            tr("The open project has no prompts yet."), tr("New audit…"), "audit", tr("Choose prompts…"), "prompts"
        )
    studies = facts.with_prompts
    words = tr("{study}: {prompts}, {texts}.").format(
        study=studies[0].title if len(studies) == 1 else plural(len(studies), "1 study", "%n studies"),
        prompts=plural(sum(study.prompts for study in studies), "1 prompt", "%n prompts"),
        texts=plural(sum(study.texts for study in studies), "1 text", "%n texts"),
    )
    return DoorState(words, tr("Go on"), "generate", tr("New audit…"), "audit")


def _scored(one: StudyFacts) -> bool:
    return one.pending and words_of(one.kind).scored


ROW_HEIGHT = 48
MOST_ROWS = 6  # seen at once; more scroll, and can be searched
INSET = 12  # of a row's text, so that the tint under the pointer has room around it
PATH_ROLE, FOLDER_ROLE, DATE_ROLE = (Qt.ItemDataRole.UserRole + n for n in (1, 2, 3))


@dataclass(frozen=True)
class RecentProject:
    """A recent project. `changed`: the last write of the file, None where it is missing or not `looked_up` yet."""

    path: Path
    changed: datetime | None
    looked_up: bool = True


def look_up(ctx: JobContext, paths: Sequence[Path]) -> tuple[RecentProject, ...]:
    """Look for each project on disk; a network folder may take its time, so this is a job."""
    projects = []
    for path in paths:
        ctx.check()
        try:
            projects.append(RecentProject(path, datetime.fromtimestamp(path.stat().st_mtime)))
        except (OSError, OverflowError, ValueError):
            projects.append(RecentProject(path, None))
    return tuple(projects)


class RecentModel(QAbstractListModel):
    """The rows of the list."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[RecentProject, ...] = ()

    def show(self, rows: Sequence[RecentProject]) -> None:
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == PATH_ROLE:
            return row.path
        if role == Qt.ItemDataRole.DisplayRole:
            return as_given(row.path.stem)
        if role == FOLDER_ROLE:
            return as_given(short_folder(row.path.parent))
        if role == DATE_ROLE:
            missing = tr("not there now") if row.looked_up else ""
            return missing if row.changed is None else day_words(row.changed)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(
                str(self.data(index, each)) for each in (Qt.ItemDataRole.DisplayRole, FOLDER_ROLE, DATE_ROLE)
            )
        return None


class RecentDelegate(QStyledItemDelegate):
    """Two lines: the name, and under it the folder; the day at the right."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        super().initStyleOption(option, index)
        option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        super().paint(painter, option, index)
        tokens = theme.current()
        inner = option.rect.adjusted(INSET, 0, -INSET, 0)
        upper = QRect(inner.left(), inner.top() + 4, inner.width(), inner.height() // 2 - 2)
        lower = QRect(inner.left(), upper.bottom(), inner.width(), inner.height() // 2 - 4)
        day = str(index.data(DATE_ROLE))
        painter.save()
        font = QFont(option.font)
        font.setPixelSize(tokens.note)
        painter.setFont(font)
        painter.setPen(tokens.soft)
        day_width = painter.fontMetrics().horizontalAdvance(day)
        painter.drawText(upper, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, day)
        folder = painter.fontMetrics().elidedText(
            isolated(index.data(FOLDER_ROLE)), Qt.TextElideMode.ElideMiddle, inner.width()
        )
        painter.drawText(lower, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, folder)
        font.setPixelSize(tokens.control)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(tokens.ink)
        room = max(0, inner.width() - day_width - 12)
        name = painter.fontMetrics().elidedText(isolated(index.data()), Qt.TextElideMode.ElideRight, room)
        painter.drawText(upper, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(0, theme.current().px(ROW_HEIGHT))


class RecentCard(Card):
    """The list of recent projects with a search in their names and folders, or what will be shown there."""

    chosen = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__(padding=(theme.current().margin - INSET, theme.current().margin))
        self.setAccessibleName(tr("Recent projects"))
        self.model = RecentModel()
        self.list = QListView()
        self.list.setProperty("role", "clear")
        self.list.setAccessibleName(tr("Recent projects"))
        self.list.setModel(self.model)
        self.list.setItemDelegate(RecentDelegate(self.list))
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.nothing = Label(tr("Projects that you open or make will be listed here."), "soft", wrap=True)
        drop = tr("A project, a table or a letter can also be dropped anywhere on this window.")
        self.rows: tuple[RecentProject, ...] = ()
        self.search, self.count = QLineEdit(placeholderText=tr("Find a project or folder")), Label("", "note")
        self.search.setAccessibleName(tr("Find a project or folder"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._narrow)
        self.search.returnPressed.connect(lambda: self._choose(self.list.currentIndex()))
        self.search.installEventFilter(self)
        head = in_row((Label(tr("Recent projects"), "heading"), 1), self.count, margins=(INSET, 0, INSET, 0))
        self.nothing.setContentsMargins(INSET, 0, INSET, 0)
        add_to(self.box, head, self.nothing, in_row(self.search, margins=(INSET, 0, INSET, 0)), self.list, STRETCH)
        foot = Label(drop, "note", wrap=True)
        foot.setContentsMargins(INSET, 0, INSET, 0)
        self.box.addWidget(foot)
        theme.follow(self._fit)

    def show_projects(self, rows: Sequence[RecentProject]) -> None:
        if tuple(rows) != self.rows:
            self.rows = tuple(rows)
            self._narrow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys in the search move through the list."""
        if isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            return QApplication.sendEvent(self.list, event)
        return super().eventFilter(watched, event)

    def _narrow(self) -> None:
        words = self.search.text().casefold().split()
        self.model.show([row for row in self.rows if all(word in str(row.path).casefold() for word in words)])
        if words:
            self.list.setCurrentIndex(self.model.index(0, 0))
        self._fit()

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(index.data(PATH_ROLE))

    def _fit(self, _tokens: object = None) -> None:
        rows, known, many = self.model.rowCount(), len(self.rows), len(self.rows) > MOST_ROWS
        self.list.setFixedHeight(min(known, MOST_ROWS) * theme.current().px(ROW_HEIGHT) + 4)
        self.list.setVisible(bool(known))
        self.nothing.setVisible(not known)
        self.search.setVisible(many)
        self.count.setVisible(many)
        self.count.setText(tr("{shown} of {all}").format(shown=rows, all=known))


def day_words(moment: datetime) -> str:
    """Return a day in everyday words: the hour today, "yesterday", else the date."""
    days = (datetime.now().date() - moment.date()).days
    if days == 0:
        return moment.strftime("%H:%M")
    if days == 1:
        return tr("yesterday")
    day = QDate(moment.year, moment.month, moment.day)
    return QLocale().toString(day, QLocale.FormatType.ShortFormat)


def short_folder(folder: Path) -> str:
    """Return a folder with the home folder written as "~"."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(folder)
