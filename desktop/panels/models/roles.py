"""The roles of models: the list to choose one from, and the models of the chosen one with their actions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractButton, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from biasprint.core.machine.models import USUAL_LINE, in_words, seconds_to_get
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.jobs.drawer import JobRow
from biasprint.desktop.operations.models import RoleSeen
from biasprint.desktop.widgets import (
    Card,
    Chip,
    FlowLayout,
    Label,
    LinkButton,
    Notice,
    QuietButton,
    StandInBadge,
    hairline,
    number,
    plural,
    spelled_seconds,
    tr,
)
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import Fact, hidden, show_if, show_words
from biasprint.desktop.widgets.layout import (
    SCROLL_BAR,
    STRETCH,
    UNLIMITED,
    Sheet,
    add_to,
    empty,
    in_column,
    set_margins,
)
from biasprint.desktop.widgets.safe_text import isolated, safe_line, safe_tip

if TYPE_CHECKING:
    from biasprint.core.machine.models.installed import OverviewRow as Row
    from biasprint.core.machine.models.upkeep import Verified


def size_words(size: int | None) -> str:
    """Return "438 MB", or that the size is not known."""
    return tr("size not known") if size is None else in_words(size)


def unknown(row: "Row") -> bool:
    """Return whether its size or its licence is unknown before the hub is asked."""
    return row.size is None or not row.licence


def get_words(row: "Row", begun: int) -> str:
    """Return the words of the button: the size to download, if known; else "Get…", as a question comes first."""
    if begun:
        return tr("Go on getting")
    return tr("Get…") if unknown(row) else tr("Get {size}").format(size=size_words(row.download or row.size))


def facts(row: "Row", begun: int = 0) -> str:
    """Return size, licence, memory and, before it is got, its source, in one line."""
    licence = tr("licence {name}").format(name=row.licence) if row.licence else tr("licence not known")
    parts = [size_words(row.size), licence]
    if row.memory is not None:
        parts.append(tr("{size} in memory").format(size=in_words(row.memory)))
    if row.source and not row.here:
        parts.append(_comes_from(row))
    if begun:
        parts.append(tr("{size} of it are here").format(size=in_words(begun)))
    return " · ".join(parts)


def _comes_from(row: "Row") -> str:
    if row.source == "hub":
        return tr("from the Hugging Face hub")
    if row.download is None:
        return tr("from the package index")
    words = tr("{size} from the package index, about {time} at {line} Mbit/s")
    time = spelled_seconds(seconds_to_get(row.download))
    return words.format(size=in_words(row.download), time=time, line=USUAL_LINE)


def state_words(row: "Row") -> str:
    """Return the words for the place of a model; empty where it is not here."""
    if row.trouble:
        return tr("cannot be used")
    known = {"bundled": tr("comes with the program"), "catalogue": tr("on this computer"), "added": tr("added by you")}
    return known.get(row.origin, "")


def details(row: "Row") -> dict[str, str]:
    """Return everything that identifies a model, and the sources of its facts; without empty entries."""
    sources = "; ".join(f"{what}: {source}" for what, source in row.sources.items())
    unpinned = tr("the hub's at the first download; required from then on") if row.repository else ""
    package = row.source == "package index"
    return {
        tr("Name"): row.name,
        tr("Package") if package else tr("Repository"): row.repository,
        tr("SHA-256 of its wheels") if package else tr("Commit"): row.revision or unpinned,
        tr("SHA-256"): row.sha256,
        tr("Place"): row.path,
        tr("Known from"): sources,
    }


def used_by(papers: tuple[str, ...]) -> str:
    """Return "the letters paper's own"; empty where no paper used it."""
    names = ", ".join(map(tr, papers))
    return tr("used by the {names} paper").format(names=names) if papers else ""


def _filled_by(scorer: str, model: str) -> str:
    title = scorer_title(scorer)
    return f"{title} · {model}" if model and model not in title else title


def in_use_words(seen: RoleSeen) -> str:
    """Return what fills a role now, in a few words: the scorer and the model that it loads."""
    choice = seen.choice
    if choice is None:
        here = sum(row.here and not row.trouble for row in seen.rows)
        return plural(here, "1 model here", "%n models here")
    model = seen.in_use
    return _filled_by(choice.scorer, model.title if model is not None else "")


def verified_words(result: "Verified") -> tuple[str, str]:
    """Return tone and sentence for the result of a check."""
    if not result.sound:
        return "danger", " ".join(result.problems)
    if not result.compared:
        return "plain", tr("It was read; no hash is known to compare it with.")
    return "ok", plural(result.compared, "Verified: 1 file is as recorded.", "Verified: %n files are as recorded.")


ROW_HEIGHT = 50
WIDTH, WIDEST = 250, 330  # text pixels
INSET = 12
KEY_ROLE, IN_USE_ROLE, STAND_IN_ROLE = (Qt.ItemDataRole.UserRole + n for n in (1, 2, 3))


class RoleDelegate(QStyledItemDelegate):
    """Two lines: the role, with the badge of a stand-in at its right, and below it what fills it."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        super().initStyleOption(option, index)
        option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        super().paint(painter, option, index)
        tokens = theme.current()
        inner = option.rect.adjusted(INSET, 0, -INSET, 0)
        upper = QRect(inner.left(), inner.top() + 5, inner.width(), inner.height() // 2 - 3)
        lower = QRect(inner.left(), upper.bottom(), inner.width(), inner.height() // 2 - 4)
        painter.save()
        painter.setFont(theme.font(tokens.note))
        painter.setPen(QColor(tokens.soft))
        self._write(painter, lower, index.data(IN_USE_ROLE))
        badge = tr("stand-in") if index.data(STAND_IN_ROLE) else ""
        painter.setFont(theme.font(tokens.note, QFont.Weight.DemiBold))
        painter.setPen(QColor(tokens.warn))
        painter.drawText(upper, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), badge)
        taken = painter.fontMetrics().horizontalAdvance(badge) + INSET if badge else 0
        painter.setFont(theme.font(tokens.control, QFont.Weight.DemiBold))
        painter.setPen(QColor(tokens.ink))
        beside = QStyle.visualRect(option.direction, upper, upper.adjusted(0, 0, -taken, 0))
        self._write(painter, beside, index.data())
        painter.restore()

    @staticmethod
    def _write(painter: QPainter, room: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(isolated(text), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        """Return the width that its words need, none of them cut."""
        tokens = theme.current()
        badge = tr("stand-in") if index.data(STAND_IN_ROLE) else ""
        upper = _width(index.data(), theme.font(tokens.control, QFont.Weight.DemiBold))
        upper += _width(badge, theme.font(tokens.note, QFont.Weight.DemiBold)) + INSET if badge else 0
        lower = _width(index.data(IN_USE_ROLE) or "", theme.font(tokens.note))
        return QSize(max(upper, lower) + 2 * INSET, tokens.px(ROW_HEIGHT))


def _width(text: str, font: QFont) -> int:
    return QFontMetrics(font).horizontalAdvance(isolated(text)) + 2


class Roles(QWidget):
    """A list at the side, or a box to choose from where there is no room for it. `chosen` carries the role's key."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.key = ""
        self.model = QStandardItemModel(self)
        self.box, self.list = ComboBox(), QListView()
        for view in (self.box, self.list):
            view.setModel(self.model)
            view.setAccessibleName(tr("What models are for"))
        self.list.setProperty("role", "clear")
        self.list.setItemDelegate(RoleDelegate(self.list))
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self.card = Card("", (self.list, 1), padding=(8, 8))
        self._column = in_column(self.box, (self.card, 1), inside=self)
        self.list.selectionModel().currentChanged.connect(lambda now, _: self._choose(now.row()))
        self.box.activated.connect(self._choose)
        self.set_beside(True)
        theme.signals.changed.connect(self._dress)

    def show_roles(self, roles: Sequence[RoleSeen]) -> None:
        """Update the roles; the chosen one stays chosen."""
        if self.model.rowCount() != len(roles):
            self.model.clear()
            for _ in roles:
                self.model.appendRow(QStandardItem())
        for place, seen in enumerate(roles):
            item = self.model.item(place)
            stand_in = seen.choice is not None and seen.choice.stand_in
            item.setText(safe_line(tr(seen.role.title)))
            item.setData(seen.role.key, KEY_ROLE)
            item.setData(safe_line(tr(in_use_words(seen))), IN_USE_ROLE)
            item.setData(stand_in, STAND_IN_ROLE)
            parts = (seen.role.title, in_use_words(seen), tr("stand-in") if stand_in else "")
            item.setData(safe_line(", ".join(tr(part) for part in parts if part)), Qt.ItemDataRole.AccessibleTextRole)
        self._dress()
        self.choose(self.key or (roles[0].role.key if roles else ""))

    def choose(self, key: str) -> None:
        """Choose a role; before the roles are read the choice waits."""
        self.key = key
        for place in range(self.model.rowCount()):
            if self.model.item(place).data(KEY_ROLE) == key:
                self.list.setCurrentIndex(self.model.index(place, 0))
                self.box.setCurrentIndex(place)

    def set_beside(self, beside: bool) -> None:
        """Set whether there is room for the list."""
        self.card.setVisible(beside)
        self.box.setVisible(not beside)
        set_margins(self._column, 0, 0, 0 if beside else SCROLL_BAR, 0)  # flush with the cards below it
        self._beside = beside
        self._dress()

    def _choose(self, place: int) -> None:
        item = self.model.item(place)
        key = item.data(KEY_ROLE) if item is not None else None
        if key and key != self.key:
            self.choose(key)
            self.chosen.emit(key)

    def _dress(self, _tokens: object = None) -> None:
        tokens, around = theme.current(), self.card.box.contentsMargins()
        wanted = (
            self.list.sizeHintForColumn(0) + around.left() + around.right() + 2 * self.list.frameWidth() + 4
        )  # and the borders
        width = min(max(wanted, tokens.px(WIDTH)), tokens.px(WIDEST))
        self.setMaximumWidth(width if self._beside else UNLIMITED)
        self.setMinimumWidth(width if self._beside else 0)
        self.list.doItemsLayout()


class ModelJob(JobRow):
    """The job that works on a model, by its name, without a title; its numbers are megabytes."""

    def __init__(self, handle: JobHandle) -> None:
        super().__init__(handle, blind=False)
        self.title.hide()

    def _progress_words(self) -> str:
        progress = self.handle.progress
        if progress is None or progress.total is None:
            return super()._progress_words()
        parts = [tr("Paused")] if self.handle.state is JobState.PAUSED else []
        parts.append(tr("{done} of {total} MB").format(done=number(progress.done), total=number(progress.total)))
        if progress.seconds_left is not None and not parts[1:]:
            parts.append(tr("{time} left").format(time=spelled_seconds(progress.seconds_left)))
        return " · ".join([*parts, *([progress.note] if progress.note else [])])


class ModelRow(QWidget):
    """A model with its actions. `asked` carries the key of a button of `_buttons`, and the model."""

    asked = Signal(str, object)  # what, Row

    def __init__(self, row: "Row") -> None:
        super().__init__()
        self.row = row
        self.handle: JobHandle | None = None
        self.title = Label("", "strong", wrap=False)
        self.papers, self.state, self.used = Chip("", "accent"), Chip(""), Chip(tr("in use"), "ok")
        self.about, self.facts, self.notes = (Label("", role, wrap=True) for role in ("soft", "note", "note"))
        self.trouble = Notice("", tone="danger", closable=False)
        self.result = Notice("", closable=False)
        self.get = QuietButton("")
        self.renew = LinkButton(tr("Take what the hub has now…"))
        self.use, self.verify, self.remove, self.bring, self.copy = (LinkButton("") for _ in range(5))
        self.more = LinkButton(tr("Details"))
        self.more.setCheckable(True)
        self.offline = Label("", "note")
        self._job: JobRow | None = None
        self._lay_out()
        for what, button in self._buttons().items():
            button.clicked.connect(lambda _=False, what=what: self.asked.emit(what, self.row))
        self.more.toggled.connect(self.details.setVisible)

    def _buttons(self) -> dict[str, QAbstractButton]:
        return {
            "get": self.get, "bring": self.bring, "renew": self.renew, "use": self.use, "verify": self.verify,
            "copy": self.copy, "remove": self.remove,
        }  # fmt: skip

    def show_row(self, row: "Row", seen: RoleSeen, *, renewable: bool = False) -> None:
        """Update the row."""
        self.row = row
        begun = seen.begun.get(row.name, 0)
        in_use = seen.choice is not None and seen.choice.model == row.name
        self.setAccessibleName(safe_line(tr(row.title)))
        self.title.setText(safe_line(row.title))
        for label, text in (
            (self.papers, used_by(row.papers)),
            (self.state, state_words(row)),
            (self.about, row.description),
            (self.facts, facts(row, begun)),
            (self.notes, " ".join(row.notes)),
            (self.trouble.text, row.trouble),
        ):
            show_words(label, safe_line(text))
        show_if(self.trouble, bool(row.trouble))
        self.state.set_tone("danger" if row.trouble else "plain")
        show_if(self.used, in_use)
        self._name_buttons(row, seen, begun, in_use or seen.choice is None)
        show_if(self.renew, renewable)
        for name, fact in details(row).items():
            self.facts_behind[name].say(fact)
        self._show_job()

    def _name_buttons(self, row: "Row", seen: RoleSeen, begun: int, in_use: bool) -> None:
        """Show the actions on the model, each button named with its model for a screen reader."""
        to_get = not row.here and bool(row.repository)
        own = row.origin in ("catalogue", "added")
        chosen = seen.preferred == row.name
        shown = {
            self.get: (get_words(row, begun), to_get),
            self.bring: (tr("From a folder or stick…"), to_get and row.proved and not begun),
            self.use: (tr("Use this"), own and not row.trouble and not chosen and not in_use),
            self.verify: (tr("Verify"), row.here),
            self.copy: (tr("Copy to a stick…"), row.origin == "catalogue" and not row.trouble),
            self.remove: (tr("Forget what came") if begun else tr("Remove…"), own or bool(begun)),
            self.more: (tr("Details"), True),
        }
        for button, (text, wanted) in shown.items():
            button.set_text(text)
            button.setAccessibleName(tr(f"{text}: {safe_line(row.title)}"))
            show_if(button, wanted)

    def allow(self, why_offline: str) -> None:
        """Set whether it can be got now; `why_offline` says why not, and is empty where it can."""
        busy = self.handle is not None
        self.get.setEnabled(not why_offline and not busy)
        self.renew.setEnabled(not why_offline and not busy)
        self.get.setToolTip(safe_tip(tr(why_offline)))
        self.get.setAccessibleDescription(tr(why_offline))
        self.offline.setText(tr("not while the offline switch is on") if why_offline else "")
        show_if(self.offline, bool(why_offline) and not self.get.isHidden())
        for button in (self.use, self.verify, self.remove, self.bring, self.copy):
            button.setEnabled(not busy)

    def say(self, tone: str, sentence: str) -> None:
        """Show the result of the last action on it."""
        old, self.result = self.result, Notice(safe_line(sentence), tone=tone, closable=True)
        self._column.replaceWidget(old, self.result)
        old.hide()
        old.deleteLater()

    def follow(self, handle: JobHandle | None) -> None:
        """Show the job that works on it."""
        if handle is self.handle:
            return
        self.handle = handle
        if self._job is not None:
            self._column.removeWidget(self._job)
            self._job.hide()
            self._job.deleteLater()
            self._job = None
        if handle is not None:
            self._job = ModelJob(handle)
            self._column.insertWidget(self._column.indexOf(self.result), self._job)
        self._show_job()

    def _show_job(self) -> None:
        busy = self.handle is not None
        if busy:
            self.get.hide()

    def _lay_out(self) -> None:
        tokens = theme.current()
        head, actions = FlowLayout(spacing=tokens.grid, centred=True), FlowLayout(spacing=tokens.gap, centred=True)
        for widget in (self.title, self.papers, self.state, self.used):
            head.addWidget(widget)
        for control in (
            self.get, self.offline, self.bring, self.use, self.verify, self.copy, self.remove, self.renew, self.more
        ):  # fmt: skip
            actions.addWidget(control)
        self.details = hidden(QWidget())
        inside = in_column(inside=self.details, spacing=2, margins=(0, 4, 0, 4))
        self.facts_behind = {name: Fact(name) for name in details(self.row)}
        for fact in self.facts_behind.values():
            fact.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            inside.addWidget(fact)
        self.result.hide()
        self._column = in_column(inside=self, spacing=4, margins=(0, tokens.grid, 0, tokens.grid))
        add_to(self._column, head, self.about, self.facts, self.notes, self.trouble, actions, self.result, self.details)


class InUseCard(Card):
    """The card of the filled role. `preferred` asks for a scorer by name, or None for the program's own choice."""

    preferred = Signal(object)  # str | None
    generate_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(padding=20)
        self._stand_in = ""  # the stand-in scorer of the role shown
        self.caption = Label(tr("In use now"), "note")
        self.name = Label("", "heading")
        self.badge, self.own = StandInBadge(tr("stand-in")), Chip(tr("the paper's own"), "ok")
        self.because = Label("", "soft", wrap=True)
        self.stand_in = LinkButton(tr("Use the stand-in"), act=lambda: self.preferred.emit(self._stand_in))
        self.automatic = LinkButton(tr("Leave the choice to the program"), act=lambda: self.preferred.emit(None))
        self.generate = LinkButton(tr("Go to Generate"), act=self.generate_wanted)
        tokens = theme.current()
        head, ways = FlowLayout(spacing=tokens.grid, centred=True), FlowLayout(spacing=tokens.gap, centred=True)
        for widget in (self.name, self.badge, self.own):
            head.addWidget(widget)
        for button in (self.stand_in, self.automatic, self.generate):
            ways.addWidget(button)
        add_to(self.box, self.caption, head, self.because, ways, spacing=4)

    def show_role(self, seen: RoleSeen, *, has_project: bool) -> None:
        choice, self._stand_in = seen.choice, seen.role.stand_in
        writers = choice is None
        show_if(self.caption, not writers)
        show_if(self.badge, choice is not None and choice.stand_in)
        show_if(self.own, choice is not None and not choice.stand_in)
        show_if(self.generate, writers and has_project)
        show_if(self.automatic, bool(seen.preferred))
        others = choice is not None and choice.scorer != seen.role.stand_in and bool(seen.role.stand_in)
        show_if(self.stand_in, others)
        if choice is None:
            self.name.setText(tr("Chosen for each run"))
            self.because.setText(tr("Which of them writes is chosen in Generate. Endpoints have a page of their own."))
            return
        model = seen.in_use
        self.name.setText(safe_line(_filled_by(choice.scorer, model.title if model is not None else "")))
        sentences = [choice.because]
        if choice.stand_in:
            sentences.append(tr("A stand-in says so wherever its number appears."))
        self.because.setText(safe_line(" ".join(sentences)))


class RoleView(Sheet):
    """A role. `asked` carries what is wanted and of which model; `preferred` and `generate_wanted` as the card's."""

    asked = Signal(str, object)
    preferred = Signal(object)
    generate_wanted = Signal()
    add_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, ModelRow] = {}
        self.key = ""
        self.title, self.about = Label("", "title", wrap=True), Label("", "soft", wrap=True)
        self.in_use = InUseCard()
        self.in_use.preferred.connect(self.preferred)
        self.in_use.generate_wanted.connect(self.generate_wanted)
        self._list = in_column(spacing=0)
        self.no_models = Label("", "soft", wrap=True)
        self.add = QuietButton(tr("Add a model of your own…"), icon="plus", act=self.add_wanted)
        foot = FlowLayout(self.add, spacing=theme.current().gap, centred=True)
        self.models = Card("", self._list, self.no_models, foot, padding=(20, 12))
        add_to(self.box, in_column(self.title, self.about, spacing=2), self.in_use, self.models, STRETCH)

    def show_role(self, seen: RoleSeen, *, renewable: frozenset[str], has_project: bool) -> None:
        """Show a role; existing rows stay, so that the keyboard stays where it is."""
        self.title.setText(safe_line(seen.role.title))
        self.about.setText(safe_line(seen.role.description))
        self.in_use.show_role(seen, has_project=has_project)
        names = [row.name for row in seen.rows]
        if self.key != seen.role.key or names != list(self.rows):
            self._make_rows(seen)
            self.key = seen.role.key
        for row in seen.rows:
            self.rows[row.name].show_row(row, seen, renewable=row.name in renewable)
        show_if(self.no_models, not seen.rows)
        self.no_models.setText(_no_models(seen))
        show_if(self.add, seen.role.takes_models)

    def _make_rows(self, seen: RoleSeen) -> None:
        self.rows = {}
        empty(self._list)
        for place, row in enumerate(seen.rows):
            if place:
                self._list.addWidget(hairline())
            self.rows[row.name] = made = ModelRow(row)
            made.asked.connect(self.asked)
            self._list.addWidget(made)
        self.verticalScrollBar().setValue(0)


def _no_models(seen: RoleSeen) -> str:
    """Return why a role has no models, or what to do about it."""
    if not seen.role.takes_models:
        return tr("Its scorers come as Python packages: no model is got or added here.")
    return tr("There is none in the catalogue. Add one that you have.")
