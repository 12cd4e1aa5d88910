"""The quality of judgments: the stored findings about raters as plain tables, one for each question."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from biasprint.core.draw import digits
from biasprint.core.draw.words import p_sentence
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.operations.measuring import MeasureJobs
from biasprint.desktop.panels.findings.studies import said_of
from biasprint.desktop.panels.raters.section import RatersSection
from biasprint.desktop.read.findings import StoredFindings
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Button, Card, Chip, ElidedLabel, EmptyState, Label, LinkButton, plural, tr
from biasprint.desktop.widgets.labels import show_if, show_words
from biasprint.desktop.widgets.layout import STRETCH, FlowLayout, Sheet, add_to, in_column, row_of
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable
from biasprint.desktop.wording import findings as words
from biasprint.desktop.wording.findings import Measurement
from biasprint.desktop.wording.generators import Titles, read_titles

# ---- Findings as rows

SENTENCE_ENDS = re.compile(r"(?<=\.)\s+(?=[A-ZÀ-Þ])")
WITH_ALL = "With all raters "  # how a finding without one rater tells the figure with all of them
LIKE_ALL = "; contrast:"
SAME = "same"
COMMON, CHANCE = "creativity.agreement.common.", "Chance is "


def quality_columns() -> tuple[TableColumn, ...]:
    return (
        TableColumn(tr("Of what")),
        TableColumn(tr("Figure (95 % interval)"), 190),
        TableColumn(tr("n"), 150),
        TableColumn(tr("What to know"), 330),
    )


def quality_rows(key: str, found: Sequence[Finding], titles: Titles) -> tuple[tuple[TableRow, ...], str]:
    """Return a row for each finding, and the sentences that all of them have in common."""
    notes = [_sentences(finding) for finding in found]
    sentence_sets = [set(note) for note, finding in zip(notes, found, strict=True) if finding.estimate is not None]
    common = set.intersection(*sentence_sets) if len(sentence_sets) > 1 else set()
    head = _common_head(found)
    rows = []
    for place, (finding, note) in enumerate(zip(found, notes, strict=True)):
        own = [_cut(sentence) for sentence in note if sentence not in common and _belongs(finding, sentence)]
        cells = (_name(finding, head, titles), _figure(finding), n_words(finding), safe_line(_remark(finding, own)))
        rows.append(TableRow(f"{key}/{place}", cells))
    below = [sentence for sentence in next((n for n in notes if common <= set(n)), []) if sentence in common]
    return tuple(rows), safe_line(" ".join(below))


def n_words(one: Finding) -> str:
    """Return n with its unit, which depends on the question."""
    name = one.id.removeprefix("creativity.")
    if name.startswith("quality.consistency"):
        return plural(one.n, "1 repeat", "%n repeats")
    if name.startswith("quality.time"):
        return plural(one.n, "1 judgment", "%n judgments")
    if name.endswith(".unanswered"):
        return plural(one.n, "1 reply", "%n replies")
    if name.endswith(("position", "abs", "share")):
        return plural(one.n, "1 choice", "%n choices")
    return plural(one.n, "1 comparison", "%n comparisons")


def _figure(one: Finding) -> str:
    figure, interval = words.figures(one)
    return f"{figure} ({interval})" if interval else figure


def _name(one: Finding, head: str, titles: Titles) -> str:
    title = safe_line(one.title)
    if head:
        title = title.removeprefix(head)
        return title[:1].upper() + title[1:]
    dims = {name: value for name, value in one.dims.items() if name != "rater_kind"}  # the title says whose it is
    about = safe_line(words.about(replace(one, dims=dims), titles))
    return f"{title} · {about}" if about else title


def _common_head(found: Sequence[Finding]) -> str:
    """Return the head that all titles share, like "Hidden repeats answered the same both times: ", or ""."""
    heads = {f"{head}: " for finding in found if (head := safe_line(finding.title).partition(": ")[0])}
    return heads.pop() if len(heads) == 1 and len(found) > 1 and all(": " in finding.title for finding in found) else ""


def _sentences(one: Finding) -> list[str]:
    """Return the note as sentences; for consistency and “without” measures, only the number that explains the row."""
    if one.id.endswith("quality.consistency"):
        if one.estimate is None or not one.contrast:
            return []
        chance = digits.number(one.estimate - one.contrast[SAME])
        return [tr("Chance alone gives {chance}.").format(chance=chance)]
    sentences = [part.strip() for part in SENTENCE_ENDS.split(one.note) if part.strip()]
    if ".without." in one.id:
        with_all = [part.partition(LIKE_ALL)[0].rstrip(".") + "." for part in sentences if part.startswith(WITH_ALL)]
        return with_all or sentences[-1:]
    return sentences


def _belongs(one: Finding, sentence: str) -> bool:
    """Return whether a sentence belongs in a row; how people and models were compared is left to the finding itself."""
    return not one.id.startswith(COMMON) or sentence.startswith(CHANCE)


def _cut(sentence: str) -> str:
    """Return "Chance is 0.333." without the test behind the semicolon, which the finding itself names."""
    return f"{sentence.partition(';')[0]}." if sentence.startswith(CHANCE) and ";" in sentence else sentence


def _remark(one: Finding, sentences: Sequence[str]) -> str:
    """Return why there is no number or no interval, the test, and the note on this row alone."""
    if one.estimate is None:
        return tr("Not defined: {reason}.").format(reason=(one.reason or "").rstrip("."))
    parts = []
    if one.interval is None and one.reason:
        parts.append(tr("No interval: {reason}.").format(reason=one.reason.removeprefix("interval: ").rstrip(".")))
    if one.p is not None:
        parts.append(f"{p_sentence(one)}.")
    return " ".join([*parts, *sentences])


# ---- The stored findings, sorted into tables

STUDY = "creativity"
QUALITY, AGREEMENT = "creativity.quality.", "creativity.agreement."
PAIR = " / "  # between the codes of two raters in a label
# How the tables stand; `QUESTIONS` sorts the findings into them, the narrowest question first.
ORDER = (
    "consistency", "position", "time", "axes", "tasks", "pairs", "excluded", "without", "models", "orders", "other"
)  # fmt: skip


@dataclass(frozen=True)
class QualityTable:
    """One question with its rows. `below`: notes on all of them. `hidden`: the number of rows that would identify one
    person of a workshop.
    """

    key: str
    title: str
    help: str
    rows: tuple[TableRow, ...]
    below: str = ""
    hidden: int = 0


@dataclass(frozen=True)
class QualityData:
    """The tables of the quality tab.

    `measurement`: that of the creativity study; None if the project has none. `newer`: there are newer judgments than
    the findings. `revealed`: the number of sessions that can be measured at all.
    """

    tables: tuple[QualityTable, ...]
    measurement: Measurement | None
    newer: bool
    revealed: int


@dataclass(frozen=True)
class _Question:
    key: str
    title: str
    help: str
    holds: Callable[[Finding], bool]


def read_quality(ctx: JobContext, project: Project) -> QualityData:
    """Read the tables that have rows, and whether they are up to date."""
    titles = read_titles(project)
    findings = [
        finding
        for row in project.findings.all(STUDY)
        if (finding := row.finding).id.startswith((QUALITY, AGREEMENT)) and finding.variant == "default"
    ]
    ctx.check()
    measured = next((each for each in StoredFindings(project).measurements(ctx) if each.study == STUDY), None)
    revealed = sum(row.revealed_at is not None for row in project.judging.sessions())
    return QualityData(
        tables_of(findings, titles, workshop_codes(project)), measured, _newer(project, measured), revealed
    )


def tables_of(
    found: Sequence[Finding], titles: Titles, secret: frozenset[str] = frozenset()
) -> tuple[QualityTable, ...]:
    """Return findings in tables, in the order of the questions. `secret`: the codes that are never shown."""
    tables = []
    left = list(found)
    for question in QUESTIONS:
        mine = [finding for finding in left if question.holds(finding)]
        left = [finding for finding in left if not question.holds(finding)]
        open_ones = [finding for finding in mine if not tells(finding, secret)]
        rows, below = quality_rows(question.key, open_ones, titles)
        if mine:
            hidden = len(mine) - len(rows)
            tables.append(QualityTable(question.key, tr(question.title), tr(question.help), rows, below, hidden))
    return tuple(sorted(tables, key=lambda table: ORDER.index(table.key)))


def hidden_words(hidden: int) -> str:
    """Say that rows about single people of a workshop are not shown; empty if there are none."""
    if not hidden:
        return ""
    singular = "1 row about a single participant of a workshop is not shown."
    return plural(hidden, singular, "%n rows about single participants of a workshop are not shown.")


def tells(one: Finding, secret: frozenset[str]) -> bool:
    """Return whether a finding names a person whose anonymity was promised."""
    named = {one.dims.get("rater", ""), one.label, *one.label.split(PAIR)}
    return bool(named & secret)


def workshop_codes(project: Project) -> frozenset[str]:
    plans = {plan.id for plan in project.judging.plans() if PlanSettings.of(plan.settings).workshop}
    raters = {row.id: row.code for row in project.judging.raters() if row.kind == "person"}
    sessions = project.judging.sessions()
    return frozenset(raters[row.rater_id] for row in sessions if row.plan_id in plans and row.rater_id in raters)


def _newer(project: Project, measured: Measurement | None) -> bool:
    """Return whether sessions ended, packets were merged or conflicts were decided after the measurement."""
    if measured is None or not measured.measured_at:
        return False
    at = measured.measured_at
    decisions = (row for kind in ("decision", "exclusion") for row in project.annotations.of_kind(kind))
    decided = any(row.created_at > at for row in decisions)
    merged = any(row.direction == "merged" and row.created_at > at for row in project.packets.all())
    return measured.new_sessions > 0 or decided or merged


def _ids(*starts: str) -> Callable[[Finding], bool]:
    return lambda finding: finding.id.startswith(starts)


def _of_agreement(one: Finding) -> bool:
    return one.id.startswith(AGREEMENT)


# A finding belongs to the first that matches.
QUESTIONS = (
    _Question(
        "consistency",
        "Self-consistency",
        "How often a hidden repeat, with the cards swapped, was answered the same; repeats are in no score.",
        _ids(f"{QUALITY}consistency"),
    ),
    _Question(
        "position",
        "Position",
        "Whether the choice leans to one place among the cards.",
        _ids(f"{QUALITY}position"),
    ),
    _Question(
        "time",
        "Response times",
        "Judgments much quicker or slower than the rater’s usual ones.",
        _ids(f"{QUALITY}time"),
    ),
    _Question(
        "models",
        "People and models",
        "The same comparisons judged by people and by models.",
        _ids(*(f"{AGREEMENT}{name}" for name in ("people_model", "classes", "common"))),
    ),
    _Question(
        "orders",
        "Models and the order of the cards",
        "How far a model’s choice turns with it.",
        _ids(*(f"{AGREEMENT}{name}" for name in ("flips", "position", "unanswered"))),
    ),
    _Question(
        "pairs",
        "Agreement of pairs of raters",
        "Cohen’s κ of two raters at a time.",
        lambda one: _of_agreement(one) and PAIR in one.label,
    ),
    _Question(
        "tasks",
        "Agreement by task",
        "As by axis, on the comparisons of one task.",
        lambda one: _of_agreement(one) and "task" in one.dims,
    ),
    _Question(
        "axes",
        "Agreement by axis",
        "Beyond what chance alone would give; raw agreement is not corrected for it.",
        _of_agreement,
    ),
    _Question(
        "without",
        "Without one rater",
        "The same measures with each rater left out in turn: whether one of them carries the result.",
        _ids(f"{QUALITY}without"),
    ),
    _Question(
        "excluded",
        "With everybody",
        "Shares and ABS with the raters who are left out too; every other finding is without them.",
        _ids(f"{QUALITY}excluded"),
    ),
    _Question("other", "Other measures", "Further findings about the raters.", _ids(QUALITY)),
)


# ---- The tab


class TableCard(Card):
    """One question and its rows."""

    def __init__(self, table: QualityTable) -> None:
        super().__init__(table.title)
        self.view = TextTable(table.title, quality_columns(), keep=(0, 1, 2, 3), fold=(3,), wrap=True, tall=True)
        self.below, self.hidden = Label("", "note", wrap=True), Label("", "note", wrap=True)
        self.help = Label(table.help, "soft", wrap=True)
        for part in (self.help, self.view, self.below, self.hidden):
            self.box.addWidget(part)
        self.set_padding(16)
        self.show_table(table)

    def show_table(self, table: QualityTable) -> None:
        self.view.show_rows(table.rows)
        self.help.setText(table.help)
        show_if(self.view, bool(table.rows))
        for label, text in ((self.below, table.below), (self.hidden, hidden_words(table.hidden))):
            show_words(label, text)


class QualitySection(RatersSection):
    """The tables, the time of their measurement, and the button that measures."""

    concerns = frozenset({"finding", "session", "annotation", "packet", "event", "plan", "axis_definition"})

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell, tr("Quality"))
        self.data: QualityData | None = None
        self.cards: dict[str, TableCard] = {}
        self.jobs = MeasureJobs(shell, self)
        self.said = ElidedLabel("", "soft")
        self.newer = Chip(tr("judgments are newer"), "accent")
        self.measure = Button(tr("Measure now"), act=lambda: self.jobs.start(STUDY, as_stored=True))
        self.nothing = EmptyState("", "", tr("Measure now"), self._go_on, icon="raters")
        self.jobs.changed.connect(self._allow)
        self._lay_out()

    # the tab's life

    def reading(self, project: Project) -> Callable[[JobContext], Any]:
        return partial(_read, project=project)

    def ask(self) -> None:
        self.jobs.pick_up()
        super().ask()

    def show_data(self, data: QualityData) -> None:
        self.data = data
        self.said.set_text(said_of(data.measurement) if data.measurement is not None else "")
        show_if(self.newer, data.newer)
        self._show_tables(data)
        self._allow()
        self._say_nothing(data)
        self.pages.setCurrentWidget(self.sheet if data.tables else self.nothing)

    def forget(self) -> None:
        self.data = None
        self.jobs.forget()
        for key in list(self.cards):
            self.cards.pop(key).deleteLater()

    def _show_tables(self, data: QualityData) -> None:
        """Update the rows of the cards in place, so that nothing jumps under the reader."""
        for key in self.cards.keys() - {table.key for table in data.tables}:
            self.cards.pop(key).deleteLater()
        for place, table in enumerate(data.tables):
            if table.key in self.cards:
                self.cards[table.key].show_table(table)
            else:
                self.cards[table.key] = TableCard(table)
                self._tables.insertWidget(place, self.cards[table.key])

    def _say_nothing(self, data: QualityData) -> None:
        """Say why there is no table yet, and how to get one."""
        if not data.revealed:
            title, explanation = (
                tr("Nobody has finished yet"),
                tr("How far judgments can be trusted shows once a rater has finished, here or with a packet."),
            )
        else:
            title, explanation = (
                tr("Not measured yet"),
                tr(
                    "Measuring tells how consistent raters are with themselves and with each other, each number "
                    "with its interval."
                ),
            )
        self.nothing.title.setText(title)
        self.nothing.text.setText(explanation)
        self.nothing.button.set_text(self._button_words() if data.revealed else tr("See the plans"))

    def _go_on(self) -> None:
        if self.data is not None and self.data.revealed:
            self.jobs.start(STUDY, as_stored=True)  # what raters said waits for no scorer
        else:
            self.go_to.emit("plans")

    def _button_words(self) -> str:
        return tr("Measuring…") if STUDY in self.jobs.busy() else tr("Measure now")

    def _allow(self) -> None:
        data, may = self.data, self.jobs.may(STUDY)
        self.measure.set_text(self._button_words())
        self.measure.setEnabled(may and data is not None and data.revealed > 0)
        self.measure.set_role("primary" if data is not None and data.newer else "")
        self.measure.setToolTip(
            "" if self.writable else tr("The project is open read-only: findings cannot be stored.")
        )
        if data is not None and data.revealed:
            self.nothing.button.set_text(self._button_words())
            self.nothing.button.setEnabled(may)
        else:
            self.nothing.button.setEnabled(True)

    def _lay_out(self) -> None:
        self.sheet = Sheet()
        more = LinkButton(tr("More under Findings"), act=lambda: self.shell.show_panel("findings"))
        steps = row_of(more, self.measure, spacing=theme.current().grid)
        self.sheet.box.addLayout(FlowLayout(self.said, self.newer, steps, centred=True, last_at_end=True))
        self._tables = in_column(spacing=theme.current().gap)
        add_to(self.sheet.box, self._tables, STRETCH)
        self.add_page(self.sheet)
        self.add_page(self.nothing)


def _read(ctx: JobContext, project: Project) -> QualityData:
    return read_quality(ctx, project)
