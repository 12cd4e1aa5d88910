"""Prices of an endpoint's models, as somebody types them in."""

from collections.abc import Mapping

from PySide6.QtWidgets import QGridLayout, QLineEdit, QVBoxLayout, QWidget

from biasprint.core.errors import UsageError
from biasprint.core.machine.endpoints import Price
from biasprint.desktop import theme
from biasprint.desktop.widgets import IconButton, Label, LinkButton, tr
from biasprint.desktop.widgets.labels import show_if

NUMBER_WIDTH, CURRENCY_WIDTH = 96, 72


class PriceRow:
    """The fields of one model's price."""

    def __init__(self) -> None:
        self.model, self.given, self.written, self.currency = (QLineEdit() for _ in range(4))
        self.remove = IconButton("close", tr("Remove this price"), size=16)
        names = (tr("Model"), tr("Price of a million tokens in"), tr("Price of a million tokens out"), tr("Currency"))
        for field, name in zip(self.fields, names, strict=True):
            field.setAccessibleName(name)
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
    """Rows of model, price in, price out and currency; empty until somebody fills it from the endpoint's price list."""

    def __init__(self) -> None:
        super().__init__()
        tokens = theme.current()
        self.rows: list[PriceRow] = []
        self.add = LinkButton(tr("Add a price"))
        self.add.clicked.connect(lambda: self.add_row().model.setFocus())
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(tokens.grid)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        heads = (tr("Model"), tr("a million in"), tr("a million out"), tr("Currency"))
        self._heads = [Label(words, "note") for words in heads]
        for column, head in enumerate(self._heads):
            self._grid.addWidget(head, 0, column)
            head.hide()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addLayout(self._grid)
        box.addWidget(self.add)

    def add_row(self) -> PriceRow:
        """An empty row at the end."""
        tokens, row = theme.current(), PriceRow()
        self.rows.append(row)
        line = self._grid.rowCount()
        for column, widget in enumerate(row.widgets):
            self._grid.addWidget(widget, line, column)
        for field in (row.given, row.written):
            field.setFixedWidth(tokens.px(NUMBER_WIDTH))
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
        """What was filled in, by model. `UsageError` in a sentence where a row makes no sense."""
        found: dict[str, Price] = {}
        for row in self.rows:
            if row.empty:
                continue
            model = row.model.text().strip()
            if not model:
                hint = tr("Give the model's name as the endpoint lists it.")
                raise UsageError(tr("A price names no model."), hint=hint)
            if model in found:
                raise UsageError(tr("“{model}” has two prices.").format(model=model), hint=tr("Remove one of them."))
            currency = row.currency.text().strip().upper()
            found[model] = Price(_amount(row.given), _amount(row.written), currency)
        return found

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
