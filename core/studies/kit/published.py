"""What the papers print, as references beside our marks. From resources/published and resources/report."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from biasprint.core.draw.figure import Printed
from biasprint.core.findings import Finding

UNBIASED = "unbiased"


@cache
def _read(*path: str) -> Mapping[str, Any]:
    return tomllib.loads(files("biasprint.resources").joinpath(*path).read_text(encoding="utf-8"))


def news(finding: Finding) -> tuple[Printed, ...]:
    """Of the finding's model, or of every model where the finding is over all of them; none for a domain."""
    if "domain" in finding.dims:
        return ()
    kind = finding.dims.get("prompt_kind", UNBIASED)
    asked = (finding.id, finding.label, finding.dims.get("axis", ""), "" if kind == UNBIASED else kind)
    found = [
        Printed(values["estimate"], model, item["where"])
        for item in _read("published", "news.toml")["reference"]
        if (item["id"], item["label"], item.get("axis", ""), item.get("prompt_kind", "")) == asked
        for model, values in item["models"].items()
    ]
    return _of_model(found, finding.dims.get("model"))


def likelihood(finding: Finding) -> tuple[Printed, ...]:
    """A likelihood of Tables 2 to 9, as a proportion."""
    found = {
        model: Printed(row[finding.label] / 100, model, f"Table {number}")
        for number, model, row in _completion_rows(finding)
        if finding.label in row
    }
    return _of_model(found.values(), finding.dims.get("model"))


def delta(finding: Finding) -> tuple[Printed, ...]:
    """A Δ made of the printed likelihoods, as in Figure 3."""
    chosen = finding.label.removeprefix("delta_")
    first, second = f"P{chosen}L", f"N{chosen}L"
    found = {
        model: Printed((row[first] - row[second]) / 100, model, f"Table {number}")
        for number, model, row in _completion_rows(finding)
        if first in row
    }
    return _of_model(found.values(), finding.dims.get("model"))


def tau(finding: Finding) -> tuple[Printed, ...]:
    """Table 1, which is over all domains and pronouns and does not say which τ it is."""
    if "domain" in finding.dims or "pronoun" in finding.dims:
        return ()
    printed = _read("published", "completion.toml")["tau"]
    direction = finding.dims["direction"]
    found = [Printed(values[direction][0], model, "Table 1") for model, values in printed.items()]
    return _of_model(found, finding.dims.get("model"))


def _completion_rows(finding: Finding) -> Iterable[tuple[int, str, dict[str, float]]]:
    dims = finding.dims
    asked = (dims.get("direction", ""), dims.get("domain", ""), dims.get("pronoun", ""))
    for table in _read("published", "completion.toml")["tables"]:
        for model, direction, domain, whose, *values in table["rows"]:
            if (direction, domain, whose) == asked:
                yield table["number"], model, dict(zip(table["labels"], values, strict=True))


def creativity(finding: Finding) -> tuple[Printed, ...]:
    """Table 1 and footnote 4, by axis; who is the model, as generator of texts (RBS) or as judge of them (ABS)."""
    values = _read("published", "creativity.toml").get(finding.id, {}).get(finding.dims.get("axis", ""), {})
    if set(finding.dims) - {"axis", "model", "rater"}:
        return ()
    where = "footnote 4" if "agreement" in finding.id else "Table 1"
    found = [Printed(value, who, where) for who, value in values.items()]
    return _of_model(found, finding.dims.get("rater" if finding.id == "creativity.abs" else "model"))


def letters(finding: Finding) -> tuple[Printed, ...]:
    """Tables 2 and 3, which compare male with female."""
    if tuple(group.casefold() for group in finding.groups) != ("male", "female") or "document" in finding.dims:
        return ()
    kept = _read("report", "letters_published.toml")["reference"]
    asked = (finding.id, finding.label, finding.dims.get("pos", ""))
    found = [
        Printed(item["value"], item["who"], item["where"])
        for item in kept
        if (item["id"], item["label"], item.get("pos", "")) == asked
    ]
    return _of_model(found, finding.dims.get("model"))


def _of_model(found: Iterable[Printed], model: str | None) -> tuple[Printed, ...]:
    """All where no model is named; otherwise those of that model, however it is spelt."""
    return tuple(one for one in found if model is None or _plain(one.who) == _plain(model))


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
