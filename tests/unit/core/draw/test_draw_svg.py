"""Figures as SVG: valid, escaped, within their frame, complete, and readable without colour."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from biasprint.core.draw import frame
from biasprint.core.draw.figure import Figure, FigureMark, Printed, mark
from biasprint.core.draw.frame import SvgCanvas, svg
from biasprint.core.draw.plots import linear_scale, ratio_scale, scale_over
from biasprint.core.findings import Finding, Floor, Interval, ScorerUse

HOSTILE = '<script>alert("1")</script> & \x00\x07\ud800 ]]> \' "quoted" ' + "W" * 90
SVG = "{http://www.w3.org/2000/svg}"


def finding(**changes: Any) -> Finding:
    fields: dict[str, Any] = {
        "id": "x.y", "label": "a", "title": "A", "groups": ("man", "woman"), "estimate": 0.4, "unit": "proportion",
        "n": 1200, "interval": Interval(0.3, 0.52, 0.95, "t"),
    }  # fmt: skip
    return Finding(**(fields | changes))


def one_mark(row: str = "Row", **changes: Any) -> FigureMark:
    return replace(mark(finding(), row), **changes)


def figure(*marks: FigureMark, **changes: Any) -> Figure:
    fields: dict[str, Any] = {
        "key": "x.y", "study": "x", "title": "Title", "subtitle": "Subtitle.", "kind": "grouped", "marks": marks,
        "unit": "proportion", "axis": "share", "source": "A paper, Figure 1",
    }  # fmt: skip
    return Figure(**(fields | changes))


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.encode("utf-8"))


def words(text: str) -> list[str]:
    return [element.text or "" for element in parsed(text).iter(f"{SVG}text")]


def places(root: ElementTree.Element) -> Iterator[tuple[float, float, str]]:
    """Every point that anything reaches, texts with their whole width."""
    for element in root.iter():
        tag, get = element.tag.removeprefix(SVG), lambda name, of=element: float(of.get(name, "0"))
        if tag == "rect":
            yield get("x"), get("y"), "rect"
            yield get("x") + get("width"), get("y") + get("height"), "rect"
        elif tag == "line":
            yield get("x1"), get("y1"), "line"
            yield get("x2"), get("y2"), "line"
        elif tag == "path":
            for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", element.get("d", "")):
                yield float(x), float(y), "path"
        elif tag == "text":
            bold = 1.06 if element.get("font-weight") else 1.0
            long = SvgCanvas(100).measure(element.text or "", "note") / 12 * get("font-size") * bold
            left = {"start": 0.0, "middle": long / 2, "end": long}[element.get("text-anchor", "start")]
            yield get("x") - left, get("y") - get("font-size"), element.text or ""
            yield get("x") - left + long, get("y") + get("font-size") * 0.25, element.text or ""


def assert_within(text: str) -> None:
    root = parsed(text)
    left, top, wide, high = map(float, root.get("viewBox", "").split())
    for x, y, what in places(root):
        assert left - 0.5 <= x <= left + wide + 0.5, (x, what)
        assert top - 0.5 <= y <= top + high + 0.5, (y, what)


def every_kind() -> dict[str, Figure]:
    floor, printed = Floor(0.1, 0.2, 0.01), (Printed(0.6, "GPT-4", "Table 1"), Printed(0.1, "PaLM 2", "Table 1"))
    rows = [
        one_mark("One", series="Unbiased", section="First", floor=floor, references=printed),
        one_mark("One", series="Biased", section="First", value=0.9, low=0.7, high=0.97),
        one_mark(
            "Two", series="Unbiased", section="Second", value=None, low=None, high=None, reason="no article " * 30
        ),
        one_mark("Two", series="Biased", section="Second", low=None, high=None),
    ]
    odds = [
        one_mark(str(place), value=value, low=value / 3, high=value * 3) for place, value in enumerate((0.02, 1, 70))
    ]
    return {
        "grouped": figure(*rows, null=0.5),
        "intervals": figure(*(replace(one, series="") for one in rows[:1]), kind="intervals", unit="words"),
        "log": figure(*odds, kind="intervals", unit="odds ratio", scale="log", null=1.0),
        "matrix": figure(*rows, kind="matrix", null=0.5),
        "bars": figure(*rows[:1], kind="bars", null=0.5),
        "line": figure(*(replace(one, x=float(place)) for place, one in enumerate(rows)), kind="line", x_axis="heat"),
        "table": figure(*rows, replace(rows[0], row="Three", text="many words " * 40), kind="table"),
        "empty": figure(),
    }  # fmt: skip


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", every_kind())
def test_every_kind_is_valid_and_within_its_frame(name: str, theme: Any) -> None:
    text = svg(every_kind()[name], theme=theme)
    assert_within(text)
    assert "NaN" not in text
    assert "nan" not in text
    assert "inf" not in text


@pytest.mark.parametrize("name", every_kind())
def test_hostile_texts_stay_texts(name: str) -> None:
    one = every_kind()[name]
    marks = tuple(
        replace(each, row=f"{each.row} {HOSTILE}", section=HOSTILE, series=HOSTILE + each.series,
                reason=each.reason and HOSTILE, text=each.text and HOSTILE,
                references=tuple(replace(ref, who=HOSTILE + ref.who) for ref in each.references))
        for each in one.marks
    )  # fmt: skip
    hostile = replace(one, marks=marks, title=HOSTILE, subtitle=HOSTILE, axis=HOSTILE, source=HOSTILE, part=HOSTILE)
    text = svg(hostile)
    assert "<script" not in text
    assert_within(text)
    assert "script" in parsed(text).findtext(f"{SVG}title", "")


def test_it_has_a_title_and_tells_its_values_to_readers_that_see_nothing() -> None:
    root = parsed(svg(figure(one_mark("Women", references=(Printed(0.5, "GPT-4"),)))))
    assert root.findtext(f"{SVG}title") == "Title"
    assert "Women: 40 %, n = 1,200; 95 % interval 30–52 % (t)" in root.findtext(f"{SVG}desc", "")
    assert root.get("role") == "img"


def test_estimate_interval_and_n_are_written_beside_every_row() -> None:
    found = words(svg(figure(one_mark())))
    assert {"40 %", "(30–52)"} <= set(found)
    assert "1,200" in found


def test_an_estimate_without_interval_says_so() -> None:
    assert "(no interval)" in words(svg(figure(one_mark(low=None, high=None))))


def test_an_undefined_row_is_listed_grey_with_its_reason() -> None:
    text = svg(figure(one_mark("Here"), one_mark("Nowhere", value=None, low=None, high=None, reason="no article")))
    texts = {element.text: element.get("fill") for element in parsed(text).iter(f"{SVG}text")}
    assert texts["not defined: no article"] == texts["Nowhere"] == "#5C6370"
    assert texts["Here"] == "#1F2328"


def test_the_legend_explains_what_is_there_and_nothing_else() -> None:
    bare = words(svg(figure(one_mark(low=None, high=None))))
    assert not any("floor" in text or "printed" in text or text == "95 % interval" for text in bare)
    full = words(svg(every_kind()["grouped"]))
    for part in (
        "Unbiased",
        "Biased",
        "95 % interval",
        "50 %: no difference",
        "printed in the paper: a GPT-4, b PaLM 2",
    ):
        assert part in full
    assert any(text.startswith("noise floor") for text in full)


def test_an_interval_that_holds_at_every_look_is_not_called_like_one_for_one_look() -> None:
    one = one_mark()
    finding = one.finding
    assert finding.interval is not None
    live = replace(one, finding=replace(finding, interval=replace(finding.interval, method="anytime-valid")))
    found = words(svg(figure(live)))
    assert "95 % band, valid whenever one looks" in found
    assert "95 % interval" not in found


def test_the_floor_reaches_from_the_axis_to_its_95th_percentile() -> None:
    one = one_mark(floor=Floor(0.1, 0.3, 0.2))
    root = parsed(svg(figure(one)))
    (floor,) = (
        each for each in root.iter(f"{SVG}rect") if each.get("fill") == "#E4E1DA" and each.get("width") != "24.0"
    )
    # The interval begins at 0.3 too.
    interval = [each for each in root.iter(f"{SVG}path") if each.get("stroke-width") == "2" and "#0072B2" in
                str(each.get("stroke"))]  # fmt: skip
    (begin,) = (float(each.get("d", "").split()[0][1:]) for each in interval)
    assert float(floor.get("x", "")) + float(floor.get("width", "")) == pytest.approx(begin, abs=0.11)


def test_references_are_hollow_and_tell_who_printed_them() -> None:
    text = svg(figure(one_mark(references=(Printed(0.6308, "GPT-3.5", "Table 2"),))))
    assert "Published: GPT-3.5 63.08 % (Table 2)" in text
    hollow = [each for each in parsed(text).iter(f"{SVG}path") if each.get("fill") == "#FFFFFF"]
    assert len(hollow) == 2  # in the row and in the legend


def test_series_differ_by_marker_as_well_as_by_colour() -> None:
    marks = [one_mark(series=str(place)) for place in range(8)]
    shapes = {
        (each.get("fill"), len(re.findall("[ML]", each.get("d", ""))), _spread(each.get("d", "")))
        for each in parsed(svg(figure(*marks))).iter(f"{SVG}path")
        if each.get("fill") != "none"
    }
    assert len({fill for fill, *_ in shapes}) == 8
    assert len({(count, spread) for _, count, spread in shapes}) == 8


def _spread(path: str) -> tuple[int, int]:
    points = [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path)]
    xs, ys = zip(*points, strict=True)
    return round(max(xs) - min(xs)), round(max(ys) - min(ys))


def test_ratios_lie_at_equal_distances_around_one() -> None:
    scale = ratio_scale([0.7, 4.4])
    assert scale.at(1.0) == pytest.approx(0.5)
    assert scale.at(4.4) == pytest.approx(1 - scale.at(1 / 4.4))
    assert 0 <= scale.at(4.4) <= 1
    assert (1.0, "1") in scale.ticks


def test_a_ratio_far_out_lies_beyond_the_scale() -> None:
    scale = ratio_scale([1e6])
    assert scale.high == 100
    assert scale.at(1e6) > 1
    assert scale.at(0) < 0
    assert not scale.holds(0)


def test_an_interval_far_out_on_a_ratio_scale_is_cut_and_shown_as_cut() -> None:
    one = one_mark(value=1.1, low=0.0, high=1e9, unit="odds ratio")
    text = svg(figure(one, scale="log", unit="odds ratio", null=1.0))
    assert_within(text)
    arrows = [each for each in parsed(text).iter(f"{SVG}path") if each.get("d", "").count("L") == 2]
    assert len(arrows) == 2
    assert ratio_scale([1.1], [1e9]).high == 100
    assert ratio_scale([1.1], [1.4]).high == 1.5


@pytest.mark.parametrize("ends", [(0.0, 1.0), (-0.034, 0.081), (1200.0, 98000.0), (0.2, 0.2), (-5.0, -5.0)])
def test_ticks_are_round_and_even_and_hold_every_value(ends: tuple[float, float]) -> None:
    scale = scale_over(ends)
    ticks = [value for value, _ in scale.ticks]
    assert 2 <= len(ticks) <= 9
    assert (scale.low, scale.high) == pytest.approx((ticks[0], ticks[-1]))
    assert all(scale.holds(end) for end in ends)
    steps = {round(second - first, 9) for first, second in itertools.pairwise(ticks)}
    assert len(steps) == 1
    assert f"{steps.pop():e}"[0] in "125"


def test_a_scale_of_shares_is_written_in_per_cent() -> None:
    assert [text for _, text in linear_scale(0.913, sign=" %").ticks] == ["0 %", "25 %", "50 %", "75 %", "100 %"]
    assert [text for _, text in linear_scale(0.21).ticks] == ["0.0", "0.1", "0.2", "0.3"]
    assert linear_scale(0.0).high > 0


def test_a_scale_goes_below_zero_with_zero_among_its_ticks() -> None:
    scale = linear_scale(0.31, low=-0.12)
    assert [text for _, text in scale.ticks] == ["−0.2", "0.0", "0.2", "0.4"]
    assert scale.at(0.0) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [((0.2, 0.5), 0.0, 0.6), ((0.96, 0.99), 0.96, 0.99), ((5.0,), 0.0, 6.0), ((), 0.0, 1.0), ((-3.0, -1.0), -3.0, 0.0)],
)
def test_a_scale_begins_at_zero_unless_that_would_squeeze_the_values(
    values: tuple[float, ...], low: float, high: float
) -> None:
    scale = scale_over(values)
    assert (scale.low, scale.high) == pytest.approx((low, high))


def test_values_that_are_not_finite_do_not_break_the_scale() -> None:
    scale = scale_over([float("nan"), 0.5, float("inf")])
    assert scale.holds(0.5)
    assert scale.high < 2


def test_lines_fit_and_lose_no_letter() -> None:
    text = "Women’s football final and a very-long-word-" + "x" * 80
    canvas = SvgCanvas(500)
    lines = canvas.wrap(text, "label", 120)
    assert all(canvas.measure(line, "label") <= 120 for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert canvas.wrap(text, "label", 120, most=2)[-1].endswith("…")


def test_differences_of_proportions_are_in_percentage_points() -> None:
    one = one_mark(value=-0.088, low=-0.127, high=-0.048)
    assert {"−8.8 points", "(−12.7 to −4.8)"} <= set(
        words(svg(figure(one, unit="difference of proportions", null=0.0)))
    )


def test_a_stand_in_scorer_wears_its_badge() -> None:
    use = ScorerUse("embedding", "minilm", "1", stand_in=True)
    assert "stand-in for embedding: MiniLM embeddings" in words(svg(figure(mark(finding(scorers=(use,)), "Row"))))


def test_in_a_page_colours_are_the_pages_and_nothing_is_loaded() -> None:
    text = svg(figure(one_mark()), theme="page", alone=False)
    assert "var(--ink)" in text
    assert "#1F2328" not in text
    assert "http" not in text
    assert "url(" not in text


def test_a_figure_without_marks_says_so() -> None:
    assert "There is nothing to show yet." in words(svg(figure()))


def test_bars_of_several_series_have_a_sign_beside_their_colour() -> None:
    two = figure(
        *(one_mark("One", series=name, value=0.5, low=0.4, high=0.6) for name in ("you", "group")), kind="bars"
    )
    one = replace(two, marks=two.marks[:1])
    signs = [svg(made).count("Z") for made in (one, two)]
    assert signs == [0, 4], "one at each bar, and one for each in the legend"


def test_no_line_runs_through_the_numbers_below_a_mark_and_each_count_has_its_title(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frame, "WIDTH", 280)  # too narrow for numbers beside the marks
    root = parsed(svg(figure(one_mark(), one_mark("Another"), n_title="choices")))
    counts = [element for element in root.iter(f"{SVG}text") if element.text == "1,200"]
    titles = [element for element in root.iter(f"{SVG}text") if element.text == "choices"]
    assert len(counts) == len(titles) == 2
    assert [one.get("y") for one in counts] == [one.get("y") for one in titles]
    strokes = [re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d", "")) for path in root.iter(f"{SVG}path")]
    upright = [(float(one[0][1]), float(one[1][1])) for one in strokes if len(one) == 2 and one[0][0] == one[1][0]]
    assert len(upright) > 4
    for count in counts:
        top, foot = float(count.get("y", "0")) - 9, float(count.get("y", "0"))
        assert not [ends for ends in upright if min(ends) < foot and max(ends) > top]
