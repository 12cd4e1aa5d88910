"""Prompts panel (`PromptsPanel`): prompt sets of each study, made and checked."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QTabBar, QTableView

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.prompts import PromptSetDraft
from biasprint.core.prompts.definition_kinds import DOCUMENT, NAMES, OCCUPATIONS
from biasprint.core.runs.setup import AddedPrompts
from biasprint.core.studies.kit.study import StudyDeclaration
from biasprint.core.studies.registry import studies as every_study
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobState, Refresher
from biasprint.desktop.operations.prompts import (
    BiographiesChoice,
    Choice,
    Mitigation,
    OwnSeen,
    StoredSet,
    TemplateChoice,
    add_prompts,
    count_originals,
    draft_from_biographies,
    expand,
    read_own,
    stored_sets,
)
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.prompts.letters import LettersChoiceCard
from biasprint.desktop.panels.prompts.own import OwnPage
from biasprint.desktop.panels.prompts.studies import (
    CompletionChoiceCard,
    CreativeChoice,
    DesignChoiceCard,
    MitigationCard,
    NewsChoiceCard,
    StudyCard,
    WholeSetCard,
)
from biasprint.desktop.panels.prompts.template import PreviewCard, TemplatePage
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, Chip, FlowLayout, Label, PrimaryButton, QuietButton, number, tr
from biasprint.desktop.widgets.labels import named
from biasprint.desktop.widgets.layout import Pages, RowOrColumn, Sheet, add_to, in_column
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip
from biasprint.desktop.widgets.small_table import TextDelegate

ROW_HEIGHT = 30
MOST_ROWS = 4  # seen at once; more scroll


CARDS: Mapping[str, type[StudyCard]] = {
    "news": NewsChoiceCard,
    "completion": CompletionChoiceCard,
    "creativity": CreativeChoice,
    "letters": LettersChoiceCard,
    "compare": DesignChoiceCard,
}


def offered_cards() -> list[tuple[StudyDeclaration, type[StudyCard]]]:
    """Return the studies with prompts to choose, in the order of their tabs, and their cards."""
    cards = [
        (study, CARDS.get(study.kind) or study.card() or WholeSetCard)
        for study in every_study().values()
        if study.has_prompts or study.card()
    ]
    return sorted(cards, key=lambda offered: offered[1].rank)


class SetsModel(QAbstractTableModel):
    """One row per version of a set."""

    def __init__(self) -> None:
        super().__init__()
        self.sets: tuple[StoredSet, ...] = ()

    def show(self, sets: Sequence[StoredSet]) -> None:
        self.beginResetModel()
        self.sets = tuple(sets)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.sets)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 2

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.sets[index.row()]
        name = tr("{name}, version {n}").format(name=tr(row.name), n=row.version)
        if role == Qt.ItemDataRole.ToolTipRole:
            return safe_tip(f"{row.study}: {name}")
        if role == Qt.ItemDataRole.DisplayRole:
            return safe_line((name if row.version > 1 else tr(row.name), number(row.prompts))[index.column()])
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return (tr("Set"), tr("Prompts"))[section]
        return None


class SetsCard(Card):
    """A table, and a button to generate from the chosen set."""

    generate_wanted = Signal(int)  # the set's id

    def __init__(self) -> None:
        super().__init__(padding=20)
        self.model = SetsModel()
        self.table = named(QTableView(), tr("Prompt sets in this project"))
        self.table.setProperty("role", "clear")
        self.table.setModel(self.model)
        self.table.setItemDelegate(TextDelegate(self.table))
        self.table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        columns = self.table.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        columns.setResizeContentsPrecision(0)  # by the rows that are seen: measuring 2,000 held the window for a second
        columns.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.nothing = Label(tr("None yet: choose prompts and add them."), "soft", wrap=True)
        self.generate = QuietButton(tr("Generate outputs…"), act=lambda: self.generate_wanted.emit(self._chosen()))
        head = FlowLayout(spacing=theme.current().grid, centred=True, last_at_end=True)
        head.addWidget(Label(tr("In this project"), "heading"))
        head.addWidget(self.generate)
        add_to(self.box, head, self.nothing, (self.table, 1))
        theme.signals.changed.connect(self._dress)
        self.show_sets(())

    def show_sets(self, sets: Sequence[StoredSet]) -> None:
        """List the sets. The chosen one stays chosen, unless there is a newer one, which is chosen then."""
        before = self.model.sets
        chosen = self._chosen() if before and sets[:1] == before[:1] else None
        self.model.show(sets)
        for widget in (self.table, self.generate):
            widget.setVisible(bool(sets))
        self.nothing.setVisible(not sets)
        self._dress()
        if sets:
            self.table.selectRow(next((row for row, one in enumerate(sets) if one.id == chosen), 0))

    def _chosen(self) -> int:
        return self.model.sets[max(0, self.table.currentIndex().row())].id

    def _dress(self, _tokens: object = None) -> None:
        height = theme.current().px(ROW_HEIGHT)
        self.table.verticalHeader().setDefaultSectionSize(height)
        rows = min(self.model.rowCount(), MOST_ROWS)
        self.table.setFixedHeight(self.table.horizontalHeader().sizeHint().height() + rows * height + 4)


PAUSE_MILLISECONDS = 400  # without another change before biographies are rewritten


class Drafting(QObject):
    """The expansion. `drafted` brings the set of the last choice, `failed` the error, `waiting` that it is slow."""

    drafted = Signal(object)  # PromptSetDraft
    failed = Signal(object)  # AppError
    waiting = Signal()

    def __init__(self, shell: Shell, parent: QObject) -> None:
        super().__init__(parent)
        self._shell = shell
        self._quick = Refresher(shell.jobs, tr("Prompts"), self.drafted.emit, self.failed.emit, self)
        self._rewriting: JobHandle | None = None
        self._start: Callable[[], object] = lambda: None
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(lambda: self._start())

    def draft(self, choice: Choice, mitigation: Mitigation | None, wordings: int) -> None:
        """Expand this choice; drop the result of an earlier one."""
        self.stop()
        project = self._shell.project
        if isinstance(choice, BiographiesChoice) and choice.table is not None:
            self._start = lambda: self._rewrite(choice, mitigation, wordings)
            self._pause.start()
            self.waiting.emit()
        else:
            self._quick.read_with(lambda ctx: expand(ctx, project, choice, mitigation, wordings))
            self._quick.ask()

    def stop(self) -> None:
        self._pause.stop()
        self._quick.read_with(None)
        handle, self._rewriting = self._rewriting, None
        if handle is not None:
            handle.cancel()

    def _rewrite(self, choice: BiographiesChoice, mitigation: Mitigation | None, wordings: int) -> None:
        operation = draft_from_biographies(
            project=self._shell.project, choice=choice, mitigation=mitigation, wordings=wordings
        )
        self._rewriting = operation.start(self._shell.jobs, on_done=self._rewritten, on_error=self._cannot_rewrite)
        self._rewriting.changed.connect(self._rewriting_changed)

    def _rewritten(self, draft: PromptSetDraft) -> None:
        if self._rewriting is not None and self._rewriting.result is draft:
            self._rewriting = None
            self.drafted.emit(draft)

    def _cannot_rewrite(self, error: AppError) -> None:
        if self._rewriting is not None and self._rewriting.error is error:
            self._rewriting = None
            self.failed.emit(error)

    def _rewriting_changed(self) -> None:
        """Take note that somebody stopped the job."""
        if self._rewriting is not None and self._rewriting.state is JobState.CANCELLED:
            self._rewriting = None
            hint = tr("Choose the table again to go on.")
            self.failed.emit(AppError(tr("The biographies were not rewritten: it was cancelled."), hint=hint))


SIDE_BY_SIDE_FROM = 900  # text pixels
LEAST_HEIGHT = 400  # text pixels of the card with what can be chosen
LEAST_WIDTH = 624  # text pixels of a study's choices beside the prompts: their lists stand in a row


class PromptsPanel(Panel):
    """A page for each study with one preview, and a page to try a template."""

    key = "prompts"
    title = "Prompts"
    concerns = frozenset({"prompt_set", "source"})
    scrolls = True

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._draft: PromptSetDraft | None = None
        self._adding = False
        self._originals = 0
        self._own = OwnSeen()
        self._offered = offered_cards()
        self._cards: dict[str, StudyCard] = {}
        self._drafting = Drafting(shell, self)

    def build(self) -> None:
        self.read_only = Chip(tr("read-only: nothing can be added"), "warn")
        self.add = PrimaryButton(tr("Add to the project"), icon="plus", act=lambda: self._add())
        self.add_on = QuietButton(tr("Add and generate…"), act=lambda: self._add(go_on=True))
        self.header.add_chip(self.read_only)
        self.header.add_action(self.add_on)
        self.header.add_action(self.add)
        self.tabs = named(QTabBar(drawBase=False, expanding=False), tr("Kind of prompts"))
        for study, card in self._offered:
            self.tabs.addTab(tr(card.tab) if card.tab else safe_line(study.title))
        self.tabs.addTab(tr("Template"))
        self.tabs.addTab(tr("Own people and texts"))
        self.preview, self.sets, self.mitigation = PreviewCard(self.shell), SetsCard(), MitigationCard()
        self._lay_out()
        self._fit()
        self.tabs.currentChanged.connect(self._show_tab)
        self.mitigation.changed.connect(self._expand)
        self._drafting.drafted.connect(self._show_draft)
        self._drafting.failed.connect(self._show_trouble)
        self._drafting.waiting.connect(self.preview.show_waiting)
        self.sets.generate_wanted.connect(lambda one: self.shell.show_panel("generate", prompt_set=one))
        # The choices after an event: with the rest of the panel they would hold the window too long.
        QTimer.singleShot(0, self, lambda: self._show_tab(self.tabs.currentIndex()))

    # Made when they are first seen.

    def card(self, kind: str) -> StudyCard:
        """Return the card on which a study's prompts are chosen."""
        if kind not in self._cards:
            study, make = next(offered for offered in self._offered if offered[0].kind == kind)
            made = self._cards[kind] = make(study) if make is WholeSetCard else make()
            made.show_originals(self._originals)
            made.show_own(self._own)
            made.changed.connect(self._card_changed)
            made.own_wanted.connect(lambda kind: self.opened_with(own=kind))
            self.choices.addWidget(made)
        return self._cards[kind]

    @cached_property
    def template(self) -> TemplatePage:
        page = TemplatePage(self.shell)
        page.table.show_own(self._own)
        page.changed.connect(self._expand)
        self.pages.addWidget(page)
        return page

    @cached_property
    def own(self) -> OwnPage:
        page = OwnPage(self.shell)
        page.kept.connect(self._offer_own)
        page.prompts_wanted.connect(self._choose_own)
        page.show_own(self._own)
        self.pages.addWidget(page)
        return page

    def refresh(self) -> None:
        self._read_project()
        self._read_own()
        if self._draft is None and self.choices.count():  # another project was open when it was being made
            self._expand()
        self._allow()

    def changed(self, changes: Changes) -> None:
        self._read_project()

    def project_closed(self) -> None:
        self._drafting.stop()
        self.sets.show_sets(())
        self._show_originals(0)

    def opened_with(
        self,
        *,
        study: str = "",
        own: str = "",
        question: TemplateChoice | None = None,
        new_audit: bool = False,
        **what: object,
    ) -> None:
        """Open a study's prompts, or the person's own definitions of a kind, or a template with this question.

        `new_audit`: with the choices that it begins with, not those that were left here.
        """
        if new_audit and question is None and study in self._cards:
            self._forget_card(study)
        self.tabs.setCurrentIndex(
            self.own_tab if own else self.template_tab if question is not None else self.tab_of(study)
        )
        if own:
            self.own.show_kind(own)
        elif question is not None and question.text.strip():
            self.template.begin_with(question)
        elif new_audit:
            self._show_tab(self.tabs.currentIndex())
            self._shown_card().choose_first_look()

    def _forget_card(self, kind: str) -> None:
        card = self._cards.pop(kind)
        self.choices.removeWidget(card)
        card.deleteLater()

    def before_it_goes(self, then: Callable[[], object]) -> None:
        if "own" in self.__dict__:
            self.own.if_it_may_go(then)
        else:
            then()

    # choosing

    def choice(self) -> Choice | None:
        """Return the choice in the shown tab; None for a template without a table."""
        if self.tabs.currentIndex() == self.template_tab:
            return self.template.choice()
        return self._shown_card().choice()

    def tab_of(self, kind: str) -> int:
        """Return the tab of a study; the first for one that has none."""
        kinds = [study.kind for study, _ in self._offered]
        return kinds.index(kind) if kind in kinds else 0

    @property
    def template_tab(self) -> int:
        return len(self._offered)

    @property
    def own_tab(self) -> int:
        return self.template_tab + 1

    def _shown_card(self) -> StudyCard:
        tab = self.tabs.currentIndex()
        return self.card(self._offered[tab if tab < self.template_tab else 0][0].kind)

    def _show_tab(self, tab: int) -> None:
        if tab >= self.template_tab:
            self.pages.setCurrentWidget(self.template if tab == self.template_tab else self.own)
            self._expand()
        else:
            self.pages.setCurrentIndex(0)
            self.choices.setCurrentWidget(self._shown_card())
            self._expand()
        for button in (self.add, self.add_on):
            button.setVisible(tab <= self.template_tab)

    def _card_changed(self) -> None:
        if self.sender() is self.choices.currentWidget():
            self._expand()

    def _expand(self) -> None:
        """Expand the choice in a thread; nothing can be added until that is done."""
        self._draft = None
        self._allow()
        tab, choice = self.tabs.currentIndex(), None if self.tabs.currentIndex() == self.own_tab else self.choice()
        if choice is None:
            self._drafting.stop()
        else:
            own = tab >= self.template_tab
            self._drafting.draft(
                choice, None if own else self.mitigation.choice(), 1 if own else self.mitigation.wordings()
            )

    def _show_draft(self, draft: PromptSetDraft) -> None:
        self._draft = draft
        self._seen.show_draft(draft)
        self._allow()

    @property
    def _seen(self) -> PreviewCard | TemplatePage:
        """Return where the prompts of the shown tab appear."""
        return self.template if self.tabs.currentIndex() == self.template_tab else self.preview

    def _show_trouble(self, error: AppError) -> None:
        self._seen.show_trouble(error)
        self._allow()

    # adding

    def _add(self, *, go_on: bool = False) -> None:
        """Store the shown prompts. `go_on`: then show where texts are written, unless the person went elsewhere."""
        project, draft, choice = self.project, self._draft, self.choice()
        if project is None or draft is None or choice is None:
            return

        def end(added: AddedPrompts | None, error: AppError | None) -> None:
            self._adding = False
            self._allow()
            self._read_own()  # versions that prompts were made from now
            if error is not None:
                self.shell.show_error(error)
            elif go_on and added is not None and project is self.project and self.isVisible():
                self.shell.show_panel("generate", prompt_set=added.set_id)

        self._adding = True
        self._allow()
        add_prompts(project=project, study=choice.study, draft=draft).start(
            self.shell.jobs, on_done=lambda added: end(added, None), on_error=lambda error: end(None, error)
        )

    def _allow(self) -> None:
        read_only = self.project is not None and bool(self.project.read_only)
        self.read_only.setVisible(read_only)
        why = self._why_not()
        for button in (self.add, self.add_on):
            button.setEnabled(not why)
            button.setToolTip(safe_tip(tr(why)))
            button.setAccessibleDescription(tr(why))

    def _why_not(self) -> str:
        """Return why nothing can be added now; empty if it can."""
        if self.project is None:
            return tr("No project is open.")
        if self.project.read_only:
            return tr("The project is open read-only.")
        if self._adding:
            return tr("The prompts are being added.")
        if self._draft is not None:
            return ""
        if self.tabs.currentIndex() == self.template_tab and not self.template.table.columns:
            return tr("A template needs a table: choose or type one.")
        return tr("There are no prompts to add: the preview says why.")

    def _read_project(self) -> None:
        project = self.project
        if project is None:
            return

        def read(ctx: JobContext) -> tuple[tuple[StoredSet, ...], int]:
            return stored_sets(ctx, project), count_originals(ctx, project)

        def show(found: tuple[tuple[StoredSet, ...], int]) -> None:
            if project is self.project:
                self.sets.show_sets(found[0])
                self._show_originals(found[1])

        self.shell.jobs.start(tr("Prompt sets"), read, on_done=show, quiet=True)

    def _read_own(self) -> None:
        def show(seen: OwnSeen) -> None:
            self._offer_own(seen)
            if "own" in self.__dict__:
                self.own.show_own(seen)

        self.shell.jobs.start(tr("Own definitions"), read_own, on_done=show, quiet=True)

    def _offer_own(self, seen: OwnSeen) -> None:
        self._own = seen
        for card in self._cards.values():
            card.show_own(seen)
        if "template" in self.__dict__:
            self.template.table.show_own(seen)

    def _choose_own(self, kind: str, key: str) -> None:
        """Choose a definition for making prompts, in the tab of its study."""
        study = "letters" if kind in (DOCUMENT.folder, OCCUPATIONS.folder, NAMES.folder) else "creativity"
        self.card(study).choose_own(kind, key)
        self.tabs.setCurrentIndex(self.tab_of(study))

    def _show_originals(self, originals: int) -> None:
        self._originals = originals
        for card in self._cards.values():
            card.show_originals(originals)

    # the look

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.choices, self.pages, sheet = Pages(), QStackedWidget(), Sheet()
        right = in_column((self.preview, 1), self.sets, spacing=tokens.gap)
        left = in_column((self.choices, 1), self.mitigation, spacing=tokens.gap)
        sheet.box.addLayout(RowOrColumn((left, 1), (right, 1), least=SIDE_BY_SIDE_FROM))
        self.pages.addWidget(sheet)
        self.body.addWidget(self.tabs)
        self.body.addWidget(self.pages, 1)
        theme.signals.changed.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.built:
            self._fit()

    def _fit(self, _tokens: object = None) -> None:
        """Let a low window scroll."""
        tokens = theme.current()
        self.choices.setMinimumHeight(tokens.px(LEAST_HEIGHT))
        self.choices.setMinimumWidth(tokens.px(LEAST_WIDTH) if self.width() >= tokens.px(SIDE_BY_SIDE_FROM) else 0)
