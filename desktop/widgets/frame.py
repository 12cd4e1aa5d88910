"""The frame of the window: the rail at the left and the status line below."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QHBoxLayout, QSizePolicy, QWidget

from biasprint.desktop import theme
from biasprint.desktop.widgets.buttons import Button, pressed_by_enter
from biasprint.desktop.widgets.labels import ElidedLabel, announce
from biasprint.desktop.widgets.layout import STRETCH, Gap, add_to, in_column, in_row, mirrored
from biasprint.desktop.widgets.safe_text import safe_tip
from biasprint.desktop.widgets.words import tr

WIDTH = 208
PADDING = 12
BAR = 3  # pixels at the beginning of the entry of the panel that shows


class RailButton(QAbstractButton):
    """One entry: an icon and a name; the name is only in the tooltip when the rail is narrow."""

    def __init__(self, text: str, icon: str = "", *, brand: bool = False) -> None:
        super().__init__()
        self.setText(tr(text))
        self.setAccessibleName(tr(text))
        self.setCheckable(not brand)
        self.setAutoExclusive(not brand)  # one of several: a screen reader calls it a radio button
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self._icon_name = icon
        self._brand = brand
        self._narrow = False

    def set_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        self.setToolTip(safe_tip(self.text() if narrow else ""))
        self.updateGeometry()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        tokens = theme.current()
        text = 0 if self._narrow else QFontMetrics(self._font()).horizontalAdvance(self.text()) + PADDING
        height = max(tokens.icon + 16, tokens.px(38))
        return QSize(2 * PADDING + tokens.icon + text, height)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.sizeHint().width(), theme.current().icon + 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = self.isChecked() or self.underMouse()
        self._paint_ground(painter)
        color = tokens.ink if lit or self._brand else tokens.soft
        x = PADDING
        if self._icon_name and (self._narrow or not self._brand):
            picture = theme.pixmap(self._icon_name, color, tokens.icon, self.devicePixelRatioF())
            left = (self.width() - tokens.icon) // 2 if self._narrow else x
            place = QRect(left, (self.height() - tokens.icon) // 2, tokens.icon, tokens.icon)
            painter.drawPixmap(mirrored(self, place), picture)
            x += tokens.icon + PADDING - 2
        if not self._narrow:
            painter.setFont(self._font())
            painter.setPen(QColor(color))
            room = QRect(x, 0, self.width() - x - PADDING, self.height())
            shown = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(mirrored(self, room), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
            if self._brand:
                chevron = QRect(x + painter.fontMetrics().horizontalAdvance(shown) + 8, 0, 2 * tokens.px(4), 0)
                self._paint_chevron(painter, mirrored(self, chevron).x(), tokens)
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        tokens = theme.current()
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        sharp = frame.adjusted(0.5, 0.5, -0.5, -0.5)  # on whole pixels
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.isChecked():
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.setBrush(QColor(tokens.surface))
            painter.drawRoundedRect(sharp, tokens.radius_small, tokens.radius_small)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent))  # the tint alone is too pale to tell where one is
            painter.drawRect(mirrored(self, QRect(1, self.height() // 4, BAR, self.height() // 2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        elif self.underMouse() or self.isDown():
            painter.setBrush(QColor(tokens.hover))
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.focus), 2))
        elif self._brand:  # nothing else shows that it is a button
            painter.setPen(QColor(tokens.quiet_edge))
            frame = sharp
        painter.drawRoundedRect(frame, tokens.radius_small, tokens.radius_small)

    def _paint_chevron(self, painter: QPainter, x: float, tokens: theme.Tokens) -> None:
        side, middle = tokens.px(4), self.height() / 2
        painter.setPen(QPen(QColor(tokens.soft), 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolyline(
            QPolygonF(
                [
                    QPointF(x, middle - side / 2),
                    QPointF(x + side, middle + side / 2),
                    QPointF(x + 2 * side, middle - side / 2),
                ]
            )
        )

    def _font(self) -> QFont:
        tokens = theme.current()
        font = QFont(tokens.family)
        font.setPixelSize(tokens.heading if self._brand else tokens.control)
        font.setWeight(QFont.Weight.Bold if self._brand else QFont.Weight.Medium)
        return font


class Rail(QFrame):
    """The rail. `chosen` carries the key of the panel that the person went to."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "rail")
        self.setAccessibleName(tr("Panels"))
        self.brand = RailButton(tr("Biasprint"), "menu", brand=True)
        self.brand.setAccessibleDescription(tr("Menu: new, open, recent projects"))
        self._group = QButtonGroup(self)
        self._buttons: dict[str, RailButton] = {}
        self._narrow = False
        self._at_bottom = 0  # entries behind the stretch
        self._box = in_column(self.brand, Gap(8), STRETCH, inside=self, spacing=2)
        theme.follow(self._fit)

    def add(self, key: str, title: str, icon: str, *, at_bottom: bool = False) -> RailButton:
        """Add an entry; it can be hidden while its panel has nothing to work on."""
        button = RailButton(title, icon)
        button.set_narrow(self._narrow)
        button.clicked.connect(lambda: self.chosen.emit(key))
        self._group.addButton(button)
        self._buttons[key] = button
        # All in one column: it makes them equally low in a low window.
        self._at_bottom += at_bottom
        self._box.insertWidget(self._box.count() - (0 if at_bottom else 1 + self._at_bottom), button)
        self._fit()
        return button

    def set_current(self, key: str) -> None:
        self._buttons[key].setChecked(True)

    def set_shown(self, keys: Sequence[str]) -> None:
        """Show only the entries of these panels."""
        for key, button in self._buttons.items():
            button.setVisible(key in keys)

    def shown(self) -> list[str]:
        return [key for key, button in self._buttons.items() if not button.isHidden()]

    def button(self, key: str) -> RailButton:
        return self._buttons[key]

    def set_narrow(self, narrow: bool) -> None:
        """Show only icons, where names would take the room of the work."""
        if narrow == self._narrow:
            return
        self._narrow = narrow
        self.brand.set_narrow(narrow)
        for button in self._buttons.values():
            button.set_narrow(narrow)
        self._fit()

    def _fit(self) -> None:
        buttons = (self.brand, *self._buttons.values())
        widest = max(button.sizeHint().width() for button in buttons)
        for button in buttons:
            button.updateGeometry()
        self._box.setContentsMargins(8, 8, 8, 10)
        self.setFixedWidth(widest + 16 if self._narrow else max(WIDTH, widest + 24))


NOTICE_MILLISECONDS = 8_000
SAVING_SHOWN_AFTER_MILLISECONDS = 50


class _Dot(QWidget):
    """A dot: filled for saved, a ring while saving, a crossed ring when it failed; shape and colour differ."""

    def __init__(self) -> None:
        super().__init__()
        self.state = self._painted = "saved"
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self._fit)

    def bring_up_to_date(self) -> None:
        if self.state != self._painted:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        self._painted = self.state
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


class _SavedWords(QWidget):
    """The words beside the dot, in their tone. Painted: dressing a label twice a key delays a rater's next text."""

    def __init__(self) -> None:
        super().__init__()
        self._text = self._tone = ""
        self._painted = ("", "")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        return self._text

    def show_words(self, text: str, tone: str) -> None:
        """Show the words. `tone`: their colour."""
        if (text, tone) == (self._text, self._tone):
            return
        width = self.sizeHint().width()
        self._text, self._tone = text, tone
        self.setAccessibleName(text)
        if self.sizeHint().width() != width:
            self.updateGeometry()

    def bring_up_to_date(self) -> None:
        if (self._text, self._tone) != self._painted:
            self.update()

    def sizeHint(self) -> QSize:
        """Return the width of the usual words, so that nothing beside them moves at each key."""
        metrics = QFontMetrics(theme.font(theme.current().note))
        words = (self._text, tr("Saved"), tr("Saving…"))
        return QSize(max(map(metrics.horizontalAdvance, words)), metrics.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._painted = (self._text, self._tone)
        painter = QPainter(self)
        painter.setFont(theme.font(theme.current().note))
        painter.setPen(QColor(self._tone))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._text)
        painter.end()


class StatusLine(QFrame):
    """The status line. `jobs_wanted` is emitted when the person asks for the jobs drawer."""

    jobs_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        tokens = theme.current()
        self.setProperty("role", "status")
        self.setAccessibleName(tr("Status"))
        self._dot = _Dot()
        self.saved = _SavedWords()
        self.offline = ElidedLabel("", "note")
        self.panel = ElidedLabel("", "note")
        self.notice = ElidedLabel("", "note")
        self.project = ElidedLabel("", "note", mode=Qt.TextElideMode.ElideMiddle)
        self.jobs = Button("", role="aside", icon="jobs", act=self.jobs_wanted)
        self.jobs.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._saved_box = QWidget()
        in_row(self._dot, self.saved, inside=self._saved_box, spacing=6, margins=0)
        self._row = row = QHBoxLayout(self)
        add_to(row, spacing=tokens.margin, margins=(tokens.margin, 0, tokens.margin, 0))
        add_to(row, self._saved_box, self.offline, self.panel, STRETCH, self.notice, self.jobs, self.project)
        self._timer = QTimer(self, interval=NOTICE_MILLISECONDS, singleShot=True)
        self._timer.timeout.connect(lambda: self.notify(""))
        self._late = QTimer(self, interval=SAVING_SHOWN_AFTER_MILLISECONDS, singleShot=True)
        self._late.timeout.connect(self._show_saved)
        self.set_saved("")
        self.set_jobs("")
        theme.follow(self._fit)

    def set_saved(self, state: str, text: str = "") -> None:
        """Set the state: "saved", "saving", "failed", or "" where there is nothing to save."""
        words = {"saved": tr("Saved"), "saving": tr("Saving…"), "failed": tr("Not saved")}
        self._saved_box.setVisible(bool(state))
        self._dot.state = state
        tone = {"saved": theme.current().ok, "failed": theme.current().danger}.get(state, theme.current().soft)
        self.saved.show_words(text or words.get(state, ""), tone)
        if state == "saving":
            self._late.start()  # mostly it is saved before anybody could see this
        else:
            self._late.stop()
            self._show_saved()

    def _show_saved(self) -> None:
        self._dot.bring_up_to_date()
        self.saved.bring_up_to_date()

    @property
    def saved_state(self) -> str:
        """Return the state that was set last."""
        return "" if self._saved_box.isHidden() else self._dot.state

    def set_offline(self, by: str | None) -> None:
        """Show what set the offline switch; "" while it is off, None while that is not known."""
        words = tr("Offline switch on: no connection is attempted") if by else tr("Connects only when asked")
        self.offline.set_text("" if by is None else words)
        on = tr("It is on because BIASPRINT_OFFLINE is set.") if by == "environment" else tr("Switch it off in Models.")
        off = tr("Nothing leaves this computer unless you get a model or ask an endpoint.")
        self.offline.setToolTip(safe_tip(on if by else off))

    def set_panel_text(self, text: str) -> None:
        self.panel.set_text(text)

    def set_project(self, name: str) -> None:
        self.project.set_text(name)

    def add_line(self, line: QWidget) -> None:
        """Add another quiet line, beside the jobs."""
        self._row.insertWidget(self._row.indexOf(self.jobs), line)

    def set_jobs(self, text: str) -> None:
        self.jobs.set_text(text)
        self.jobs.setVisible(bool(text))

    def notify(self, text: str) -> None:
        """Show a message for a moment, without asking for attention."""
        self.notice.set_text(text)
        announce(self, text)
        if text:
            self._timer.start()

    def _fit(self) -> None:
        self.setFixedHeight(max(32, theme.current().px(31)))
        self.set_saved(self._dot.state if not self._saved_box.isHidden() else "", self.saved.text())
