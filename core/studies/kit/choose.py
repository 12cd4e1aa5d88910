"""Choosing findings for a figure, what their keys are called there, and figures that fit a page."""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from biasprint.core.draw.figure import Figure, FigureMark, Printed, mark
from biasprint.core.findings import Finding
from biasprint.core.given import packaged_toml
from biasprint.core.studies.kit.declared import declaration

# ---- Titles of findings


def kind_title(finding_id: str) -> str:
    """Return in words what the findings of an id are called: from resources/report/kinds.toml.

    Else from the id's own words without the study's name, as for a plug-in.
    """
    kinds = packaged_toml("report", "kinds.toml")
    whole = finding_id
    endings: list[str] = []
    while (last := whole.rpartition(".")[2]) in kinds["endings"]:
        whole = whole.rpartition(".")[0]
        endings.insert(0, kinds["endings"][last])
    known = [name for name in kinds["kinds"] if whole == name or whole.startswith(f"{name}.")]
    own = whole.partition(".")[2] or whole
    title = kinds["kinds"][max(known, key=len)] if known else own.replace(".", ": ").replace("_", " ").capitalize()
    return "{title}, {ending}".format(title=title, ending=", ".join(endings)) if endings else title


# ---- Values that the papers print

UNBIASED = "unbiased"


def news(finding: Finding) -> tuple[Printed, ...]:
    """Return what is printed for the finding's model, or for every model if it is over all; none for a domain."""
    if "domain" in finding.dims:
        return ()
    kind = finding.dims.get("prompt_kind", UNBIASED)
    asked = (finding.id, finding.label, finding.dims.get("axis", ""), "" if kind == UNBIASED else kind)
    figures = [
        Printed(values["estimate"], model, item["where"])
        for item in packaged_toml("published", "news.toml")["reference"]
        if (item["id"], item["label"], item.get("axis", ""), item.get("prompt_kind", "")) == asked
        for model, values in item["models"].items()
    ]
    return _of_model(figures, finding.dims.get("model"))


def likelihood(finding: Finding) -> tuple[Printed, ...]:
    """A likelihood of Tables 2 to 9, as a proportion."""
    by_model = {
        model: Printed(row[finding.label] / 100, model, f"Table {number}")
        for number, model, row in _completion_rows(finding)
        if finding.label in row
    }
    return _of_model(by_model.values(), finding.dims.get("model"))


def delta(finding: Finding) -> tuple[Printed, ...]:
    """A Δ made of the printed likelihoods, as in Figure 3."""
    chosen = finding.label.removeprefix("delta_")
    first, second = f"P{chosen}L", f"N{chosen}L"
    by_model = {
        model: Printed((row[first] - row[second]) / 100, model, f"Table {number}")
        for number, model, row in _completion_rows(finding)
        if first in row
    }
    return _of_model(by_model.values(), finding.dims.get("model"))


def tau(finding: Finding) -> tuple[Printed, ...]:
    """Table 1, which is over all domains and pronouns and does not say which τ it is."""
    if "domain" in finding.dims or "pronoun" in finding.dims:
        return ()
    printed = packaged_toml("published", "completion.toml")["tau"]
    direction = finding.dims["direction"]
    figures = [Printed(values[direction][0], model, "Table 1") for model, values in printed.items()]
    return _of_model(figures, finding.dims.get("model"))


def _completion_rows(finding: Finding) -> Iterable[tuple[int, str, dict[str, float]]]:
    dims = finding.dims
    asked = (dims.get("direction", ""), dims.get("domain", ""), dims.get("pronoun", ""))
    for table in packaged_toml("published", "completion.toml")["tables"]:
        for model, direction, domain, whose, *values in table["rows"]:
            if (direction, domain, whose) == asked:
                yield table["number"], model, dict(zip(table["labels"], values, strict=True))


def creativity(finding: Finding) -> tuple[Printed, ...]:
    """Table 1 and footnote 4, by axis; who is the model, as generator of texts (RBS) or as judge of them (ABS)."""
    values = packaged_toml("published", "creativity.toml").get(finding.id, {}).get(finding.dims.get("axis", ""), {})
    if set(finding.dims) - {"axis", "model", "rater"}:
        return ()
    where = "footnote 4" if "agreement" in finding.id else "Table 1"
    figures = [Printed(value, who, where) for who, value in values.items()]
    return _of_model(figures, finding.dims.get("rater" if finding.id == "creativity.abs" else "model"))


def letters(finding: Finding) -> tuple[Printed, ...]:
    """Tables 2 and 3, which compare male with female."""
    if tuple(group.casefold() for group in finding.groups) != ("male", "female") or "document" in finding.dims:
        return ()
    reference = packaged_toml("report", "letters_published.toml")["reference"]
    asked = (finding.id, finding.label, finding.dims.get("pos", ""))
    figures = [
        Printed(item["value"], item["who"], item["where"])
        for item in reference
        if (item["id"], item["label"], item.get("pos", "")) == asked
    ]
    return _of_model(figures, finding.dims.get("model"))


def _of_model(printed: Iterable[Printed], model: str | None) -> tuple[Printed, ...]:
    """All where no model is named; otherwise those of that model, however it is spelt."""
    return tuple(figure for figure in printed if model is None or _plain(figure.who) == _plain(model))


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


NAME = re.compile(r"\S*(?:[A-Z./:]|[a-z]\d|\d[a-z]|-\d)\S*")  # as models and endpoints are called


def words(key: str) -> str:
    """ "very_short_story" → "Very short story"; a name such as "GPT-4" or "qwen2.5:3b" stays as it is."""
    titles = packaged_toml("report", "kinds.toml")["words"]
    if key in titles:
        return str(titles[key])
    if NAME.fullmatch(key):
        return key
    text = key.replace("_", " ")
    return text[:1].upper() + text[1:]


def pronoun(key: str) -> str:
    return str(packaged_toml("report", "kinds.toml")["pronouns"].get(key, words(key)))


def against(finding: Finding) -> str:
    """ "Male against female", for a finding about two groups."""
    return " against ".join([words(finding.groups[0]), *finding.groups[1:2]]) if finding.groups else ""


def joined(*parts: str) -> str:
    """The parts that are there, such as "Gender · GPT-4"."""
    return " · ".join(part for part in parts if part)


def drawn(
    key: str,
    marks: Iterable[FigureMark],
    *,
    part: str = "",
    like: str = "",
    places: Mapping[str, str] | None = None,
    **own: Any,
) -> Figure:
    """Return a figure as its study declares it in `resources/studies`.

    `like`: the declared figure, where that is not `key`. `places`: texts for the places in its words, beside `part`.
    `own`: fields that the findings decide.
    """
    study = key.partition(".")[0]
    filled = {"part": part, **(places or {})}
    declared = {
        name: value.format_map(filled) if isinstance(value, str) else value
        for name, value in declaration(study)["figures"][like or key].items()
    }
    return Figure(**{"key": key, "study": study, "part": part, "marks": tuple(marks), **declared, **own})


Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")

MOST_ROWS = 60  # a figure that is longer is cut into several
MOST_COLUMNS = 12  # the same for a matrix that is wider
MOST_SERIES = 8  # as many as there are colours and markers


def having(
    findings: Iterable[Finding], finding_id: str, dims: Iterable[str], variant: str = "default"
) -> list[Finding]:
    """Return the findings with this id and variant that are narrowed to exactly these dims."""
    wanted = set(dims)
    return [
        finding
        for finding in findings
        if (finding.id, finding.variant) == (finding_id, variant) and set(finding.dims) == wanted
    ]


def values(findings: Iterable[Finding], dim: str) -> list[str]:
    """The values of a dim in the order in which they appear; nothing where none has it."""
    return list(dict.fromkeys(finding.dims[dim] for finding in findings if dim in finding.dims))


def parted(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """The findings or marks by key, in order of appearance."""
    parts: dict[Key, list[Item]] = {}
    for item in items:
        parts.setdefault(key(item), []).append(item)
    return parts


def worth_drawing(figures: Iterable[Figure]) -> list[Figure]:
    """Leave out figures in which nothing is defined; lay out otherwise what is too wide or too long for a page."""
    return [
        piece
        for figure in figures
        if figure.defined
        for narrow in _narrow(figure)
        for piece in _cut(narrow, [(mark.section, mark.row) for mark in narrow.marks], MOST_ROWS)
    ]


def _narrow(figure: Figure) -> Sequence[Figure]:
    """Series that colours and markers cannot tell apart become rows; columns that do not fit, figures of their own."""
    if figure.kind == "grouped" and len(figure.series) > MOST_SERIES:
        rows = [
            replace(mark, section=joined(mark.section, mark.row), row=mark.series, series="") for mark in figure.marks
        ]
        return [replace(figure, kind="intervals", marks=tuple(rows))]
    if figure.kind == "matrix":
        return _cut(figure, [mark.series for mark in figure.marks], MOST_COLUMNS)
    return [figure]


def _cut(figure: Figure, keys: Sequence[Hashable], most: int) -> Sequence[Figure]:
    """Pieces of at most `most` keys, where each mark has a key; they are numbered in their part."""
    wanted = set(keys)
    # Rows of a section stay together although they may not have appeared together.
    order: list[Hashable] = [row for row in figure.rows if row in wanted] or list(dict.fromkeys(keys))
    if len(order) <= most:
        return [figure]
    pieces = []
    for start in range(0, len(order), most):
        here = set(order[start : start + most])
        marks = tuple(mark for mark, key in zip(figure.marks, keys, strict=True) if key in here)
        number = f"{start // most + 1} of {-(-len(order) // most)}"
        part, title = joined(figure.part, number), f"{figure.title} ({number})"
        pieces.append(replace(figure, marks=marks, part=part, title=title))
    return pieces


# ---- Figures of crossed axes

CROSSED, MAIN, INTERACTION = ".crossed.", ".main_effect", ".interaction"
IN_ROWS = ("axis", "domain")  # dims that do not make a figure of their own


def crossed_figures(study: str, findings: Sequence[Finding]) -> list[Figure]:
    """Return by measure a figure of main effects and one of interactions; empty where nothing is crossed."""
    crossed = [finding for finding in findings if CROSSED in finding.id and finding.id.endswith((MAIN, INTERACTION))]
    return worth_drawing(
        _figure(study, joined(kind_title(finding_id), *map(words, narrowed)), own)
        for (finding_id, narrowed), own in parted(crossed, lambda finding: (finding.id, _narrowed(finding))).items()
    )


def _narrowed(finding: Finding) -> tuple[str, ...]:
    return tuple(value for name, value in finding.dims.items() if name not in IN_ROWS)


def _figure(study: str, part: str, findings: Sequence[Finding]) -> Figure:
    ratio = "ratio" in findings[0].unit
    null = 1.0 if ratio else 0.0
    adds_up = f"At {null:g} the two axes add up: nobody is treated otherwise than both parts together say."
    several = len({finding.label for finding in findings}) > 1
    return drawn(
        f"{study}.crossed",
        (_mark(finding, several) for finding in findings),
        part=part,
        title=part,
        subtitle=adds_up if findings[0].id.endswith(INTERACTION) else "Each identity of the other axis counts alike.",
        unit=findings[0].unit,
        axis=findings[0].unit,
        scale="log" if ratio else "linear",
        null=null,
        null_words="the two axes add up" if findings[0].id.endswith(INTERACTION) else "no difference",
    )


def _mark(finding: Finding, several: bool) -> FigureMark:
    """A row for each label below its contrast; for each contrast, below its axis, where there is one label."""
    contrast, _, beside = words(finding.title.partition(": ")[2]).partition(" (")
    domain = words(finding.dims["domain"]) if "domain" in finding.dims else ""
    if several:
        return mark(finding, words(finding.label), section=joined(domain, contrast))
    return mark(finding, contrast, section=joined(domain, words(beside.rstrip(")"))))
