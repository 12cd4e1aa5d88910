"""raters list, exclude, include: who rated how carefully, and who is left out."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from biasprint.core.cli.console import (
    add_group,
    job,
    open_for_measuring,
    open_for_writing,
    print_json,
    print_table,
    say,
)
from biasprint.core.cli.project_commands import AsJson, File
from biasprint.core.errors import UsageError

if TYPE_CHECKING:
    from biasprint.core.runs.rater_quality import RaterCard

Code = Annotated[str, typer.Argument(help="The rater's code, such as R01.")]


def add_raters_to(app: typer.Typer) -> None:
    add_group(
        app,
        "raters",
        "Who rated how far and how carefully, and who is left out: list, exclude, include.",
        {"list": show_raters, "exclude": exclude, "include": include},
    )


def show_raters(file: File, as_json: AsJson = False) -> None:
    """How far raters are, the time to pay for, hidden checks, agreement with the others, and flags."""
    from biasprint.core.runs.rater_quality import rater_cards

    with open_for_measuring(file) as project, job("Reading") as ctx:
        cards = rater_cards(ctx, project)
    if as_json:
        print_json({"raters": [_card_json(one) for one in cards]})
        return
    if not cards:
        say("Nobody has rated yet, and nobody has a packet.")
        return
    print_table(("rater", "done", "of", "hours", "practice", "checks", "κ", "n", "flags", "left out"), [
        (one.code, f"{one.done:,}", f"{one.asked:,}", f"{one.hours:.2f}", _of(one.practice), _passed(one),
         "–" if one.agreement.kappa is None else f"{one.agreement.kappa:.2f}", f"{one.agreement.n:,}",
         str(len(one.flags) or "–"), "yes" if one.exclusion else "–")
        for one in cards
    ])  # fmt: skip
    for one in cards:
        for flag in one.flags:
            say(f"{one.code}: {flag.said}")
        if one.exclusion is not None:
            say(f"{one.code} is left out: {one.exclusion.reason}")


def exclude(
    file: File,
    code: Code,
    reason: Annotated[str, typer.Option(help="Why: it is stored, and told with the findings.")],
    as_json: AsJson = False,
) -> None:
    """Leave a rater out of every finding from now on. Nothing is deleted; “raters include” takes it back."""
    from biasprint.core.judging.exclusion import exclude as leave_out
    from biasprint.core.runs.rater_quality import person_called

    with open_for_writing(file) as project:
        leave_out(project, person_called(project, code).id, reason)
    _tell_decided(code, True, as_json)


def include(
    file: File,
    code: Code,
    reason: Annotated[str, typer.Option(help="Why: it is stored with the decision.")] = "",
    as_json: AsJson = False,
) -> None:
    """Count a rater again who was left out."""
    from biasprint.core.judging.exclusion import exclusions
    from biasprint.core.judging.exclusion import include as count_again
    from biasprint.core.runs.rater_quality import person_called

    with open_for_writing(file) as project:
        rater = person_called(project, code)
        if rater.id not in exclusions(project):
            raise UsageError(f"{code} is not left out.", kept="Nothing was changed.")
        count_again(project, rater.id, reason)
    _tell_decided(code, False, as_json)


def _tell_decided(code: str, excluded: bool, as_json: bool) -> None:
    if as_json:
        print_json({"code": code, "excluded": excluded})
    else:
        left = "is left out" if excluded else "counts again"
        say(f"{code} {left}. “biasprint measure” tells the findings anew.")


def _of(practice: Any) -> str:
    return "–" if practice is None else f"{practice.right}/{practice.of}"


def _passed(card: "RaterCard") -> str:
    return f"{card.checks.passed}/{card.checks.asked}" if card.checks.asked else "–"


def _card_json(one: "RaterCard") -> dict[str, Any]:
    found, bounds = one.agreement, one.agreement.interval
    return {
        "code": one.code,
        "asked": one.asked,
        "done": one.done,
        "open": one.open,
        "hours": one.hours,
        "practice": None if one.practice is None else {"right": one.practice.right, "of": one.practice.of},
        "checks": {"asked": one.checks.asked, "passed": one.checks.passed},
        "agreement": {
            "kappa": found.kappa,
            "n": found.n,
            "interval": None if bounds is None else {"low": bounds.low, "high": bounds.high, "level": bounds.level},
            "reason": found.reason or None,
        },
        "flags": [{"key": flag.key, "said": flag.said} for flag in one.flags],
        "excluded": None if one.exclusion is None else {"reason": one.exclusion.reason, "at": one.exclusion.at},
    }
