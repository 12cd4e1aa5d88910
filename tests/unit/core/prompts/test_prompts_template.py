import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasprint.core.prompts import Placeholder, Template, TemplateError


def test_placeholders_are_replaced_and_doubled_braces_become_braces() -> None:
    template = Template("Dear {name}, {{this}} is for {name} at {place}.")
    assert template.names == ("name", "place")
    assert template.fill(name="Kim", place="home") == "Dear Kim, {this} is for Kim at home."


def test_a_value_is_not_read_as_a_template() -> None:
    assert Template("{a}").fill(a="{b} }} {") == "{b} }} {"


@pytest.mark.parametrize(
    ("text", "value", "filled"),
    [
        ("Ann, a {x} cook", "Asian", "Ann, an Asian cook"),
        ("Ann, an {x} cook", "black", "Ann, a black cook"),
        ("a {x}-year-old", "18", "an 18-year-old"),
        ("A {x} came.", "actor", "An actor came."),
        ("He left. A {x} came.", "actor", "He left. An actor came."),
        ("grade A {x}", "apples", "grade A apples"),
        ("vitamin-a {x}", "intake", "vitamin-a intake"),
        ("a {x}", "“actor”", "a “actor”"),
        ("a {x}", "", "a "),
    ],
)
def test_an_article_fits_the_value_behind_it(text: str, value: str, filled: str) -> None:
    assert Template(text).fill(x=value) == filled


def test_an_article_that_is_itself_a_value_stays() -> None:
    assert Template("{letter}{word}").fill(letter="a ", word="apple") == "a apple"


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("{}", 1, 1, "has no name"),
        ("one {0}", 1, 5, "has no name"),
        ("{a.b}", 1, 1, "more than a name"),
        ("{a[0]}", 1, 1, "more than a name"),
        ("{a!r}", 1, 1, "more than a name"),
        ("{a:>5}", 1, 1, "more than a name"),
        ("first\n  { a }", 2, 3, "blank"),
        ("first\nsecond } here", 2, 8, "no partner"),
        ("{{ fine }} and { not", 1, 16, "no partner"),
    ],
)
def test_what_is_no_named_placeholder_is_refused_with_its_place(text: str, line: int, column: int, says: str) -> None:
    with pytest.raises(TemplateError) as caught:
        Template(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert f"line {line}, column {column}" in str(caught.value)
    assert says in str(caught.value)


def test_an_unknown_placeholder_is_named_with_its_place_and_the_likely_one() -> None:
    with pytest.raises(TemplateError) as caught:
        Template("Write about\na {theem}").require(known=("theme", "task"))
    assert (caught.value.line, caught.value.column) == (2, 3)
    assert "{theem}" in str(caught.value)
    assert "Did you mean {theme}?" in str(caught.value)


def test_a_missing_placeholder_is_refused_at_the_end() -> None:
    with pytest.raises(TemplateError) as caught:
        Template("Write").require(known=("theme",), needed=("theme",))
    assert (caught.value.line, caught.value.column) == (1, 6)
    assert "{theme} is missing" in str(caught.value)


def test_filling_wants_exactly_the_values_that_are_used() -> None:
    template = Template("{a} and {b}")
    with pytest.raises(TemplateError, match=r"column 9: \{b\}"):
        template.fill(a="1")
    with pytest.raises(TemplateError, match=r"\{c\} is missing"):
        template.fill(a="1", b="2", c="3")


@given(st.text())
def test_any_text_with_its_braces_doubled_comes_back(text: str) -> None:
    assert Template(text.replace("{", "{{").replace("}", "}}")).fill() == text


@given(st.text(alphabet="{}ab .\n", max_size=12))
def test_a_template_is_parsed_or_refused_at_a_brace(text: str) -> None:
    refused_at, placeholders = parse(text)
    assert refused_at is None or text[refused_at] in "{}"
    for placeholder in placeholders:
        assert text[placeholder.start : placeholder.end] == f"{{{placeholder.name}}}"


def parse(text: str) -> tuple[int | None, tuple[Placeholder, ...]]:
    """Where the template is refused, or its placeholders."""
    try:
        return None, Template(text).placeholders
    except TemplateError as error:
        return error.offset, ()
