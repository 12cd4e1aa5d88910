"""The form of an OpenAI-compatible endpoint, and the page that holds it."""

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPlainTextEdit, QSpinBox, QVBoxLayout, QWidget

from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine.endpoints import (
    LONGEST_DEADLINE,
    LONGEST_NAME,
    MOST_CONCURRENT,
    MOST_RETRIES,
    Address,
    Endpoint,
    Price,
    checked_address,
    is_loopback,
    origin,
)
from biasprint.desktop import theme
from biasprint.desktop.operations.writers import EndpointSeen, save_endpoint
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import FlowLayout, IconButton, Label, LinkButton, Notice, PrimaryButton, QuietButton, tr
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import hidden, named, show_if, show_words
from biasprint.desktop.widgets.layout import STRETCH, Dialog, Sheet, add_to, fitting, grid_of, in_column, in_row, scaled
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

# ---- Prices

NUMBER_WIDTH, CURRENCY_WIDTH = 96, 72


class PriceRow:
    """The fields of one model's price."""

    def __init__(self) -> None:
        self.model, self.given, self.written, self.currency = (QLineEdit() for _ in range(4))
        self.remove = IconButton("close", tr("Remove this price"), size=16)
        names = (tr("Model"), tr("Price of a million tokens in"), tr("Price of a million tokens out"), tr("Currency"))
        for field, name in zip(self.fields, names, strict=True):
            field.setAccessibleName(tr(name))
        self.currency.setMaxLength(3)
        self.currency.setToolTip(tr("Three letters, such as EUR or USD."))

    @property
    def fields(self) -> tuple[QLineEdit, ...]:
        return (self.model, self.given, self.written, self.currency)

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        return (*self.fields, self.remove)

    @property
    def empty(self) -> bool:
        return not any(field.text().strip() for field in self.fields)


class PriceTable(QWidget):
    """Rows of model, price in, price out and currency; a person fills them from the endpoint's price list."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[PriceRow] = []
        self.add = LinkButton(tr("Add a price"), act=lambda: self.add_row().model.setFocus())
        self._grid = grid_of(across=theme.current().grid, along=4, stretch=0)
        heads = (tr("Model"), tr("a million in"), tr("a million out"), tr("Currency"))
        self._heads = [Label(words, "note") for words in heads]
        for column, head in enumerate(self._heads):
            self._grid.addWidget(head, 0, column)
            head.hide()
        in_column(self._grid, self.add, inside=self, spacing=4, margins=0)

    def add_row(self) -> PriceRow:
        """Add an empty row at the end."""
        tokens, row = theme.current(), PriceRow()
        self.rows.append(row)
        line = self._grid.rowCount()
        for column, widget in enumerate(row.widgets):
            self._grid.addWidget(widget, line, column)
        for field in (row.given, row.written):
            scaled(field, field.setFixedWidth, NUMBER_WIDTH)
        row.currency.setFixedWidth(tokens.px(CURRENCY_WIDTH))
        row.remove.clicked.connect(lambda: self._remove(row))
        self._show_heads()
        return row

    def show_prices(self, prices: Mapping[str, Price]) -> None:
        for model, price in sorted(prices.items()):
            row = self.add_row()
            row.model.setText(model)
            row.given.setText(f"{price.input_per_million:g}")
            row.written.setText(f"{price.output_per_million:g}")
            row.currency.setText(price.currency)

    def prices(self) -> dict[str, Price]:
        """Return the prices by model. Raises `UsageError` with a sentence for an invalid row."""
        prices: dict[str, Price] = {}
        for row in self.rows:
            if row.empty:
                continue
            model = row.model.text().strip()
            if not model:
                hint = tr("Give the model's name as the endpoint lists it.")
                raise UsageError(tr("A price names no model."), hint=hint)
            if model in prices:
                raise UsageError(tr("“{model}” has two prices.").format(model=model), hint=tr("Remove one of them."))
            currency = row.currency.text().strip().upper()
            prices[model] = Price(_amount(row.given), _amount(row.written), currency)
        return prices

    def _remove(self, row: PriceRow) -> None:
        self.rows.remove(row)
        for widget in row.widgets:
            self._grid.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._show_heads()

    def _show_heads(self) -> None:
        for head in self._heads:
            show_if(head, bool(self.rows))


def _amount(field: QLineEdit) -> float:
    text = field.text().strip()
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise UsageError(
            tr("“{text}” is not a price.").format(text=text), hint=tr("Give what a million tokens cost, such as 0.15.")
        ) from None


SPIN_WIDTH, OTHERS_HEIGHT = 120, 56
# Where these servers listen unless they were told otherwise.
USUAL = (
    ("Ollama", "ollama", "http://127.0.0.1:11434/v1"),
    ("llama.cpp", "llama.cpp", "http://127.0.0.1:8080/v1"),
    ("LM Studio", "lm-studio", "http://127.0.0.1:1234/v1"),
    ("vLLM", "vllm", "http://127.0.0.1:8000/v1"),
    ("Anthropic", "anthropic", "https://api.anthropic.com"),
    ("Gemini", "gemini", "https://generativelanguage.googleapis.com"),
)


class EndpointForm(Sheet):
    """The form. `seen` is the endpoint to change, None for a new one; `taken` are the names that others have.

    A stored key is never in the field: a typed one replaces it, and the dialog clears it.
    """

    def __init__(self, seen: EndpointSeen | None, where: str, taken: frozenset[str]) -> None:
        super().__init__()
        self._seen, self._taken = seen, taken
        has_key = seen is not None and seen.key == "kept"
        self.name, self.address, self.key = QLineEdit(maxLength=LONGEST_NAME), QLineEdit(), QLineEdit()
        self.name.setPlaceholderText(tr("a short name, such as lab"))
        self.address.setPlaceholderText("https://host/v1")
        self.others = QPlainTextEdit(placeholderText=tr("further servers of the same models, one on each line"))
        self.others.setTabChangesFocus(True)
        self.others.setFixedHeight(theme.current().px(OTHERS_HEIGHT))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText(tr("kept; type another to replace it") if has_key else tr("none, or its key"))
        self.where, self.moves = Label(safe_line(where), "note", wrap=True), Label("", "note", wrap=True)
        self.forget = QCheckBox(tr("Forget the key that is kept"))
        show_if(self.forget, has_key)
        self.confirm = QCheckBox(tr("Plain http is meant"))
        words = tr("Texts and key go unencrypted over the network; others on the way can read them.")
        self.confirm_note = Label(words, "note", wrap=True)
        self.at_once, self.retries = _spin(1, MOST_CONCURRENT), _spin(0, MOST_RETRIES)
        self.seconds = _spin(1, int(LONGEST_DEADLINE))
        self.prices = PriceTable()
        self.usual = {name: self._usual(title, name, address) for title, name, address in USUAL}
        self._lay_out()
        self._fill(seen.endpoint if seen else None)
        for field in (self.address, self.key):
            field.textChanged.connect(lambda _: self._show_address())
        self.others.textChanged.connect(self._show_address)
        self.forget.toggled.connect(lambda _: self._show_address())
        self._show_address()

    def endpoint(self) -> Endpoint:
        """Return the endpoint as it is filled in. Raises `AppError` with a sentence where it cannot be."""
        name = self.name.text().strip()
        if self._seen is None and name in self._taken:
            raise UsageError(
                tr("There is an endpoint “{name}” already.").format(name=name), hint=tr("Give this one another name.")
            )
        made = Endpoint(
            name=name,
            base_url=self.address.text().strip(),
            concurrency=self.at_once.value(),
            deadline_seconds=self._deadline(),
            retries=self.retries.value(),
            plain_http_confirmed=self.confirm.isChecked(),
            prices=self.prices.prices(),
            others=self._others(),
        )
        made.require_safe()
        return made

    def first(self) -> QLineEdit:
        """Return the field to begin with."""
        return self.name if self._seen is None else self.address

    def _deadline(self) -> float:
        """Return the seconds shown; a stored fraction stays as it is unless somebody changes it."""
        before = self._seen.endpoint.deadline_seconds if self._seen else 0.0
        return before if self.seconds.value() == max(1, round(before)) else float(self.seconds.value())

    def _others(self) -> tuple[Address, ...]:
        """Return the further addresses; known ones keep a limit of their own, which is shown nowhere."""
        before = {address.base_url: address for address in self._seen.endpoint.others} if self._seen else {}
        given = [Address(line, self.at_once.value()) for line in self.others.toPlainText().split("\n") if line.strip()]
        return tuple(before.get(address.base_url, address) for address in given)

    def _show_address(self) -> None:
        """Show the questions on the address: plain http elsewhere, and a stored key that would go to another server."""
        scheme, host, port = _origin(self.address.text())
        every = [(scheme, host), *(_origin(line)[:2] for line in self.others.toPlainText().split("\n"))]
        for part in (self.confirm, self.confirm_note):
            show_if(part, any(scheme == "http" and not is_loopback(host) for scheme, host in every))
        seen = self._seen
        moved = seen is not None and seen.key == "kept" and bool(host) and seen.endpoint.origin != (scheme, host, port)
        unsure = moved and not self.key.text() and not self.forget.isChecked()
        self.moves.setText(tr("The key that is kept will be sent to this other server.") if unsure else "")
        show_if(self.moves, unsure)

    def _fill(self, endpoint: Endpoint | None) -> None:
        shown = endpoint or Endpoint("new", "http://127.0.0.1")
        self.at_once.setValue(shown.concurrency)
        self.seconds.setValue(max(1, round(shown.deadline_seconds)))
        self.retries.setValue(shown.retries)
        if endpoint is None:
            return
        self.name.setText(endpoint.name)
        self.name.setEnabled(False)  # results name it
        self.address.setText(endpoint.base_url)
        self.others.setPlainText("\n".join(address.base_url for address in endpoint.others))
        self.confirm.setChecked(endpoint.plain_http_confirmed)
        self.prices.show_prices(endpoint.prices)

    def _usual(self, title: str, name: str, address: str) -> LinkButton:
        """Return a button that fills in a server's usual address, and a name where none was typed."""
        button = named(LinkButton(title), tr("The usual address of {server}").format(server=title))
        button.setToolTip(safe_tip(tr(address)))

        def take() -> None:
            self.address.setText(address)
            if self._seen is None and not self.name.text().strip():
                self.name.setText(name)

        button.clicked.connect(take)
        return button

    def _lay_out(self) -> None:
        self._grid = grid_of(along=6)
        usual = FlowLayout(Label(tr("Usual addresses:"), "note"), *self.usual.values(), spacing=12, centred=True)
        words = tr("What a million tokens cost, from the endpoint's own price list. The program knows no prices.")
        prices = Label(words, "note", wrap=True)
        self._add(tr("Name"), self.name)
        self._add(tr("Address"), self.address, usual)
        self._add(tr("Further addresses"), self.others, self.confirm, self.confirm_note)
        self._add(tr("Key"), self.key, self.where, self.moves, self.forget)
        self._add(tr("Requests at once"), self.at_once)
        self._add(tr("Seconds for a text"), self.seconds)
        self._add(tr("Retries"), self.retries)
        self._add(tr("Prices"), prices, self.prices)
        add_to(self.box, self._grid, STRETCH)

    def _add(self, words: str, field: QWidget, *below: QWidget | FlowLayout) -> None:
        """Add a row: its name, its field, and what is below the field."""
        line, label = self._grid.rowCount(), Label(words)
        label.setBuddy(field)
        text = isinstance(field, Label)
        if not text:
            field.setAccessibleName(tr(words))
        self._grid.addWidget(label, line, 0, Qt.AlignmentFlag.AlignTop if text else Qt.AlignmentFlag(0))
        spin = isinstance(field, QSpinBox)
        self._grid.addWidget(field, line, 1, Qt.AlignmentFlag.AlignLeft if spin else Qt.AlignmentFlag(0))
        for more in below:
            line = self._grid.rowCount()
            if isinstance(more, FlowLayout):
                self._grid.addLayout(more, line, 1)
            else:
                self._grid.addWidget(more, line, 1)


def _origin(address: str) -> tuple[str, str, int]:
    """Return scheme, host and port, empty for an invalid address."""
    try:
        return origin(checked_address(address))
    except AppError:
        return "", "", 0


def _spin(low: int, high: int) -> QSpinBox:
    spin = guard_wheel(QSpinBox(minimum=low, maximum=high))
    spin.setMinimumWidth(theme.current().px(SPIN_WIDTH))
    return spin


SIZE = (660, 640)


class Editor(Dialog):
    """The page of the form. `kept` reports that the endpoint is stored. `seen`: the one to change, or None.

    A typed key is handed on once, and shown nowhere.
    """

    kept = Signal()

    def __init__(
        self, parent: QWidget, shell: Shell, seen: EndpointSeen | None, where: str, taken: frozenset[str]
    ) -> None:
        title = tr("Change an endpoint") if seen else tr("Add an endpoint")
        super().__init__(parent, title)
        self._shell = shell
        self._left = False
        self.form = EndpointForm(seen, where, taken)
        self.trouble = hidden(Notice("", tone="danger", closable=False))
        self.cancel, self.go = QuietButton(tr("Cancel"), act=self.reject), PrimaryButton(tr("Save"), act=self._save)
        self.go.setDefault(True)
        self._lay_out(title)
        self.form.first().setFocus()
        self.resize(fitting(parent, *SIZE))

    def _save(self) -> None:
        self.trouble.hide()
        try:
            endpoint = self.form.endpoint()
        except AppError as error:
            self._refused(error)
            return
        operation = save_endpoint(endpoint=endpoint, key=self.form.key.text(), forget_key=self.form.forget.isChecked())
        self.go.setEnabled(False)
        operation.start(
            self._shell.jobs, on_done=self._while_open(self._stored), on_error=self._while_open(self._refused)
        )

    def _stored(self, _: object) -> None:
        self.kept.emit()
        self.accept()

    def _refused(self, error: AppError) -> None:
        self.go.setEnabled(True)
        self.trouble.text.setText(safe_line(error.message))
        more = " ".join(part for part in (error.kept, error.hint) if part)
        show_words(self.trouble.more, safe_line(more))
        self.trouble.setAccessibleName(safe_line(tr(str(error))))
        self.trouble.show()

    def done(self, result: int) -> None:
        self._left = True
        self.form.key.clear()
        super().done(result)

    def _while_open(self, hear: Callable[[Any], object]) -> Callable[[Any], object]:
        return lambda heard: None if self._left else hear(heard)

    def _lay_out(self, title: str) -> None:
        tokens = theme.current()
        foot = in_row(STRETCH, self.cancel, self.go, spacing=tokens.grid)
        box = QVBoxLayout(self)
        add_to(
            box, Label(title, "title"), (self.form, 1), self.trouble, foot, spacing=tokens.gap, margins=tokens.margin
        )
