"""The judge panel: compare texts side by side, blind. It leads from page to page; `control` asks the judging thread."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from biasprint.core.errors import AppError
from biasprint.core.judging.blind import Offer, Revelation, SessionProgress, SessionView, StartInfo
from biasprint.core.judging.packets.packet import PacketInfo, PacketStore
from biasprint.core.judging.session import offer_plans, offer_to_new_rater, open_judging
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import go_to, list_entries, resume, touch
from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import save_copy
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.judge.control import JudgeControl
from biasprint.desktop.panels.judge.end import EndPage, FinishedPage, RevealPage
from biasprint.desktop.panels.judge.question import UnreadWord
from biasprint.desktop.panels.judge.setup import Drawing, SetupPage
from biasprint.desktop.panels.judge.start import JudgeStartPage
from biasprint.desktop.panels.judge.teaching import InstructionsPage
from biasprint.desktop.panels.judge.work import WorkPage
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import (
    Chip,
    CountLink,
    EmptyState,
    IconButton,
    Notice,
    ProgressThin,
    left_words,
    plural,
    spelled_seconds,
    tr,
)
from biasprint.desktop.widgets.layout import stack_of


class PacketPlace:
    """The state of the pages in a packet. `info` is None in an ordinary project."""

    def __init__(self, shell: Shell, start: JudgeStartPage, end: EndPage, page: FinishedPage, chip: Chip) -> None:
        self.info: PacketInfo | None = None
        self._shell = shell
        self._start = start
        self._end = end
        self._page = page
        self._chip = chip

    @property
    def finished(self) -> bool:
        return self.info is not None and self.info.finished

    def enter(self, project: Project) -> None:
        """Set the pages for a newly opened file. A packet makes the window blind at once."""
        self.info = packet = self._shell.packet
        why = tr("The project is open read-only: no choice could be saved.") if project.read_only else ""
        if why and packet is not None:
            why = tr("Nothing can be written where this packet is: ratings could not be saved.")
        self._start.set_place(packet_code=packet.code if packet is not None else "", read_only=why)
        self._end.set_packet(packet is not None)
        self._chip.setText(
            tr("identities hidden until the end") if packet is None else tr("who and what is compared stays hidden")
        )
        if self.finished:
            self._show_end(project, None)
        elif packet is not None:
            self._shell.set_blind(not project.read_only)

    def leave(self) -> None:
        """Reset the pages when no file is open any more."""
        self.info = None
        self._start.set_place()
        self._page.forget()

    def set_blind(self, blind: bool) -> None:
        """Set whether the window is blind; in a packet it stays blind until the packet is finished, even in a pause."""
        self._shell.set_blind(blind or (self.info is not None and not self.info.finished))

    def finish(self, progress: SessionProgress) -> None:
        """Show the end of a packet that is locked and sealed; its path can be asked for now."""
        assert self.info is not None
        self.info = replace(self.info, finished=True)
        self._shell.set_blind(False)
        project = self._shell.project
        assert project is not None
        self._show_end(project, progress)

    def _show_end(self, project: Project, progress: SessionProgress | None) -> None:
        assert self.info is not None
        self._page.show_finished(project.path, self.info.comparisons, progress)


USUAL_PERCENT, LARGER_PERCENT = 100, 150  # of texts to be read
BREAK_SECONDS, BREAK_ANSWERS = 45 * 60.0, 60  # since the last, of active time or comparisons: a break is offered
ROOMY_HEADER = 760  # pixels of text room from which the header has place for more than the title


class JudgePanel(Panel):
    """The pages of judging, one at a time, and the steps between them."""

    key = "judge"
    title = "Judge"
    concerns = frozenset({"plan"})
    steady = True

    def build(self) -> None:
        keys = self.shell.settings.keys()
        self._last_break = (0.0, 0)  # active time, and comparisons that were done
        self._break: Notice | None = None
        self._next_person = False
        self._go_on = False
        self._wants_keyboard = False  # it was just come to: Enter starts, once it is known what
        self._progress: SessionProgress | None = None
        self._skipped: list[str] = []  # comparisons still to come of "do the skipped ones"
        self._see_again: Callable[[], object] = lambda: None
        self._rater = ""  # the id of whoever saw their result last
        self.blank = QWidget()  # until it is known what there is to show
        self.empty = EmptyState(
            tr("Nothing to judge yet"),
            tr("Comparisons show outputs of one prompt, written for different identities, side by side."),
            tr("Generate outputs"),
            lambda: self.shell.show_panel("generate"),
            icon="judge",
            other=tr("Import texts…"),
            on_other=self.shell.import_texts,
        )
        self.setup, self.start, self.work = SetupPage(), JudgeStartPage(keys), WorkPage(keys)
        self.instructions = InstructionsPage()
        self._wanted: tuple[Offer, str, bool, str] | None = None  # what is opened once the instructions are read
        self.control = JudgeControl(self.work, self)
        self.unread = UnreadWord(self.body, self.shell.settings, self)
        self.end, self.finished_page = EndPage(keys), FinishedPage()
        self.reveal_page = RevealPage()
        self.pages = stack_of(
            self.blank, self.empty, self.setup, self.start, self.instructions, self.work, self.end, self.reveal_page
        )
        self.pages.addWidget(self.finished_page)
        self.body.addWidget(self.pages, 1)
        self.drawing = Drawing(
            self.shell,
            self.setup,
            on_choices=lambda: self.control.in_session or self._show_page(self.setup),
            on_drawn=lambda: self._ask_offers(""),
            on_nothing=lambda: self._show_page(self.empty),
        )
        self._build_header()
        self.packet = PacketPlace(self.shell, self.start, self.end, self.finished_page, self.hidden_chip)
        self._connect_control()
        self._connect_pages()
        self._turn_to(self.blank)

    # the panel's life

    def project_opened(self, project: Project) -> None:
        self.work.flush_note()
        self.reveal_page.forget()
        self.packet.enter(project)
        self.control.close()
        if self.packet.finished:
            self._show_finished_page()
            return
        # Handed through to the judging thread, and not held here.
        in_packet = self.packet.info is not None
        self.control.take(open_judging(PacketStore(project) if in_packet else ProjectStore(project)))
        self._show_page(self.blank)

    def project_closed(self) -> None:
        self.work.flush_note()
        self.packet.leave()  # first: what is closed must not make the window blind again
        self.control.close()
        self._show_page(self.empty)

    def refresh(self) -> None:
        if self.pages.currentWidget() is self.finished_page and self.packet.finished:
            return
        if not self.control.has_project:
            self._show_page(self.empty)
        elif not self.control.in_session and self.pages.currentWidget() is not self.reveal_page:
            self._ask_offers(self.start.code.text().strip())

    def showEvent(self, event: QShowEvent) -> None:
        self._stale = True  # what can be judged depends on more than plans: look again whenever one comes here
        if self.built:
            self._wants_keyboard = True
        if self.built and self.control.in_session:
            self.shell.set_blind(True)  # the rater had gone to another panel, and is back
            self.control.touch()
            self.pages.currentWidget().setFocus()
        super().showEvent(event)

    def opened_with(self, *, go_on: bool = False, draw: bool = False, **what: object) -> None:
        """Open for rating; with `go_on`, go straight to where the one open session stopped; `draw`: new comparisons."""
        self._go_on = go_on
        if draw:
            self.shell.look("judge/draw", self._draw_anew)

    def commands(self) -> list[Command]:
        return [Command(tr("Larger texts, and back"), self._switch_size, enabled=lambda: self.control.in_session)]

    @property
    def blinds(self) -> bool:
        return self.built and self.control.in_session

    def take_keyboard(self) -> None:
        if self.built and self.control.in_session:
            self.pages.currentWidget().setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.built:
            self._fit_header()

    # what the judging thread says

    def _show_start(self, info: StartInfo) -> None:
        if self.control.in_session:
            return
        if self._next_person and all(offer.revealed for offer in info.offers):
            self._start_new_rater()  # whoever sits down next is not shown what this one chose
            return
        self._next_person = False
        if not info.offers:
            self.drawing.offer(can_cancel=False)
            return
        self.start.show_info(info)
        if self.pages.currentWidget() is not self.setup or not self.drawing.open_by_choice:
            self._show_page(self.start)
            self._give_keyboard()
        go_on, self._go_on = self._go_on, False
        begun = [offer for offer in info.offers if offer.opened and not offer.revealed]
        if go_on and info.code and len(begun) == 1 and begun[0] is self.start.offer:
            self.start.begin()

    def _show(self, view: SessionView) -> None:
        if view.comparison is None:
            if self._skipped:
                self.control.go(go_to, self._skipped.pop(0))
            else:
                self._show_overview()
            return
        if self.pages.currentWidget() in (self.start, self.instructions):
            self._last_break = (view.progress.active_seconds, view.progress.done)
            self.shell.set_saved("saved")
        self.work.show_view(view)
        self._show_page(self.work)
        if view.practice is not None and view.practice.right is not None:
            self.work.question.practised.setFocus(Qt.FocusReason.OtherFocusReason)  # Space goes on
        self.header.set_title(view.comparison.title)
        self._offer_break(view.progress)

    def _show_progress(self, progress: SessionProgress) -> None:
        if not self.control.in_session:
            return
        self._progress = progress
        words = tr("{done} of {total}").format(done=progress.done, total=progress.total)
        if progress.skipped:
            words += " · " + plural(progress.skipped, "%n skipped", "%n skipped")
        self.progress_link.set_text(words)
        self.bar.set_progress(progress.done + progress.skipped, progress.total)
        status = tr("Active time {time}").format(time=spelled_seconds(progress.active_seconds))
        if progress.left and progress.seconds_left is not None:
            status += tr(" · {left} at your pace").format(left=left_words(progress.seconds_left))
        self.shell.set_status(status)
        self.end.show_progress(progress)

    def _show_revelation(self, revelation: Revelation) -> None:
        self._rater = revelation.rater
        self.reveal_page.show_revelation(revelation)
        self._show_page(self.reveal_page)
        self.reveal_page.take_keyboard()
        self.header.set_title(tr("What you chose"))

    def _show_fingerprint(self) -> None:
        self.shell.show_panel("fingerprint", rater=self._rater)

    def _forget(self) -> None:
        """Clear the pages when a session has ended."""
        self._skipped = []
        self.unread.put_away()
        self.work.forget()
        self.end.forget()
        self.shell.set_status("")

    def _fail(self, error: AppError) -> None:
        self.start.set_opening(False)
        if self.control.view is not None:
            self.work.set_answer(self.control.view.answer)
        self.shell.show_error(error)

    # what the rater does

    def _ask_offers(self, code: str) -> None:
        """Ask what the rater with this code can judge; without a code, which raters have an open session."""
        self.control.ask_offers(offer_plans, code or None)

    def _open(self, offer: Offer, code: str, consent: bool, background: str) -> None:
        if offer.instructions and not offer.done + offer.skipped and not offer.revealed:
            self._wanted = (offer, code, consent, background)
            self.instructions.show_offer(offer)
            self._show_page(self.instructions)
            self.instructions.setFocus()
        else:
            self._begin(offer, code, consent, background)

    def _begin(self, offer: Offer, code: str, consent: bool, background: str) -> None:
        self.setup.forget()

        def go_on() -> None:
            self.start.set_opening(True)
            self.control.open(offer, code, consent, background)

        self._see_again = go_on
        self.shell.settle(go_on)  # the window becomes blind, and other panels go

    def _go_on_reading(self) -> None:
        """Open the requested set after its instructions were read."""
        if self._wanted is not None and not self.control.busy:
            wanted, self._wanted = self._wanted, None
            self._begin(*wanted)

    def _stop_reading(self) -> None:
        self._wanted = None
        self.instructions.forget()
        self._show_page(self.start)

    def _do_skipped(self, tokens: tuple[str, ...]) -> None:
        """Go through the skipped comparisons one after the other, until the rater goes elsewhere."""
        self._skipped = list(tokens[1:])
        self.control.go(go_to, tokens[0])

    def _show_overview(self) -> None:
        self._skipped = []
        self.work.flush_note()
        self._show_page(self.end)
        self.header.set_title(tr("Overview"))
        self.control.ask(self.control.progressed.emit, touch)
        self.control.ask(self.end.show_entries, list_entries)

    def _leave(self) -> None:
        if not self.control.busy:
            self.work.flush_note()
            self.control.leave(self._pause)

    def _pause(self) -> None:
        self._back_to_start()
        if self._progress is not None:
            self.start.show_paused(self._progress)
            self.start.start.setFocus(Qt.FocusReason.OtherFocusReason)  # Enter goes on

    def _draw_anew(self) -> None:
        self.drawing.offer(can_cancel=True)

    def _start_new_rater(self) -> None:
        self._next_person = False
        self.start.forget()
        self.control.ask_offers(offer_to_new_rater)

    def _put_result_away(self) -> None:
        self._next_person = True
        self._back_to_start()

    def _end_session(self, anyway: bool) -> None:
        if self.packet.info is None:
            self.control.reveal(anyway)
        else:
            self.control.finish(anyway)

    def _back_to_start(self) -> None:
        self.reveal_page.forget()
        self._show_page(self.start)
        self._ask_offers(self.start.code.text().strip())

    # a packet

    def _show_finished(self, progress: SessionProgress) -> None:
        self.control.close()  # the file is free to be copied from here on
        self.packet.finish(progress)
        self._show_finished_page()

    def _show_finished_page(self) -> None:
        self._show_page(self.finished_page)
        self.finished_page.where.setFocus(Qt.FocusReason.OtherFocusReason)
        self.header.set_title(tr("Finished"))

    def _save_elsewhere(self) -> None:
        save_copy(self.shell)

    # inside

    def _offer_break(self, progress: SessionProgress) -> None:
        seconds, done = self._last_break
        answers = progress.done - done
        long, many = progress.active_seconds - seconds >= BREAK_SECONDS, answers >= BREAK_ANSWERS
        if not (long or many) or self._break is not None or not self.shell.settings.get("offer_breaks"):
            return
        self._last_break = (progress.active_seconds, progress.done)
        minutes = round(BREAK_SECONDS / 60)
        words = (
            plural(minutes, "You have judged for %n minute.", "You have judged for %n minutes.")
            if long
            else plural(answers, "You have judged %n comparison.", "You have judged %n comparisons.")
        )
        self._break = Notice(
            words + " " + tr("A short break helps; everything is saved, and the time stops by itself.")
        )
        self._break.closed.connect(self._forget_break)
        self.body.insertWidget(0, self._break)

    def _forget_break(self) -> None:
        self._break = None

    def _show_page(self, page: QWidget) -> None:
        if page is not self.pages.currentWidget():  # as it is with nearly every key while judging
            self._turn_to(page)
        if page not in (self.work, self.end):
            self.header.set_title(tr(self.title))
        elif not self.work.note.hasFocus():
            page.setFocus()

    def _give_keyboard(self) -> None:
        """Give the keyboard to the start button on arrival, unless another field of the page has it."""
        wanted, self._wants_keyboard = self._wants_keyboard, False
        if wanted and self.isVisible() and not QApplication.activeModalWidget():
            self.start.take_keyboard()

    def _turn_to(self, page: QWidget) -> None:
        for other in (self.pages.widget(index) for index in range(self.pages.count())):
            # A page that is not shown must not make the window larger.
            policy = QSizePolicy.Policy.Expanding if other is page else QSizePolicy.Policy.Ignored
            other.setSizePolicy(policy, policy)
        self.pages.setCurrentWidget(page)
        self._wants_keyboard = page is self.start
        working = page in (self.work, self.end)
        self.progress_link.setVisible(working)
        self.leave_button.setVisible(working)
        self._fit_header()
        self.start.set_opening(False)

    def _fit_header(self) -> None:
        """Keep the title of the comparison readable; the rest of the header gives way."""
        working = self.pages.currentWidget() in (self.work, self.end)
        roomy = self.width() / theme.current().scale > ROOMY_HEADER
        self.hidden_chip.setVisible(working and roomy)
        self.bar.setVisible(working and roomy)

    def _build_header(self) -> None:
        self.hidden_chip = Chip(tr("identities hidden until the end"))
        self.progress_link = CountLink("", act=self._show_overview)
        self.progress_link.setToolTip(tr("Overview: go back to any comparison, or finish"))
        self.bar = ProgressThin(tr("Answered or skipped"))
        self.bar.setFixedWidth(160)
        self.leave_button = IconButton("pause", tr("Pause: leave the session, to go on later"), act=self._leave)
        self.header.add_chip(self.hidden_chip)
        for widget in (self.progress_link, self.bar, self.leave_button):
            self.header.add_action(widget)

    def _connect_control(self) -> None:
        self.control.started_with.connect(self._show_start)
        self.control.shown.connect(self._show)
        self.control.shown.connect(self.unread.show_view)
        self.control.progressed.connect(self._show_progress)
        self.control.revealed.connect(self._show_revelation)
        self.control.saved.connect(lambda state: self.shell.set_saved(state))
        self.control.blinded.connect(self.packet.set_blind)
        self.control.finished.connect(self._show_finished)
        self.control.ended.connect(self._forget)
        self.control.failed.connect(self._fail)

    def _connect_pages(self) -> None:
        self.start.started.connect(self._open)
        self.instructions.went_on.connect(self._go_on_reading)
        self.instructions.closed.connect(self._stop_reading)
        self.start.code_edited.connect(self._ask_offers)
        self.start.another_person.connect(self._start_new_rater)
        self.start.copy_wanted.connect(self._save_elsewhere)
        # What can be drawn is said by axes and identities.
        self.start.new_wanted.connect(lambda: self.shell.look("judge/draw", self._draw_anew))
        self.start.texts_wanted.connect(self.shell.import_texts)
        self.setup.cancelled.connect(lambda: self._show_page(self.start))
        self.end.back.connect(self.control.back)
        self.end.picked.connect(lambda token: self.control.go(go_to, token))
        self.work.larger_wanted.connect(self._switch_size)
        self.end.go_on.connect(lambda: self.control.go(resume))
        self.end.skipped_wanted.connect(self._do_skipped)
        self.end.revealed.connect(self._end_session)
        # What others here still judge blind is behind the question.
        self.reveal_page.all_wanted.connect(lambda: self.shell.look("judge/result", self._see_again))
        self.reveal_page.charts_wanted.connect(lambda: self.shell.show_panel("charts"))
        self.reveal_page.fingerprint_wanted.connect(self._show_fingerprint)
        self.reveal_page.closed.connect(self._put_result_away)
        self.finished_page.closed.connect(lambda: self.shell.session.close())
        self.shell.settings.changed.connect(self._settings_changed)
        self.work.markdown.setChecked(bool(self.shell.settings.get("markdown")))
        self.work.markdown.toggled.connect(lambda on: self.shell.settings.set("markdown", on))

    def _switch_size(self) -> None:
        usual = self.shell.settings.get("reading_percent") == USUAL_PERCENT
        self.shell.settings.set("reading_percent", LARGER_PERCENT if usual else USUAL_PERCENT)

    def _settings_changed(self, key: str) -> None:
        if key == "markdown":
            self.work.markdown.setChecked(bool(self.shell.settings.get("markdown")))
        if key == "keys":
            keys = self.shell.settings.keys()
            self.start.set_keys(keys)
            self.work.set_keys(keys)
            self.end.keys.set_keys(keys)
