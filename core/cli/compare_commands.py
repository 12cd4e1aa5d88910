"""compare: draws comparisons for blind judging, and says what they can show."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.answers import note, print_json, say
from core.cli.files import open_for_measuring, open_for_writing
from core.cli.progress import job
from core.cli.project_commands import AsJson, File, Seed
from core.errors import UsageError

if TYPE_CHECKING:
    from core.runs.compare.drawing import Compared
    from core.runs.compare.planning import Outlook

LONGEST_TITLE, LONGEST_CONSENT = 200, 20_000
# The study whose texts a kind compares unless another is named.
STUDY_OF = {"identity": "creativity", "model": "creativity", "origin": "news", "twin": "letters"}


def add_to(app: typer.Typer) -> None:
    app.command()(compare)


def compare(
    file: File,
    axis: Annotated[
        list[str] | None,
        typer.Option(help="An axis to compare on, or KEY:one,other for some of its identities; several times."),
    ] = None,
    seed: Seed = 0,
    kind: Annotated[
        str, typer.Option(help="What the texts differ in: identity, model, origin (generated or not) or twin.")
    ] = "identity",
    model: Annotated[
        list[str] | None, typer.Option(help="A generator to compare; of other kinds: whose texts alone are compared.")
    ] = None,
    study: Annotated[
        str | None, typer.Option(help="Whose texts; by default creativity, for origin news, for twin letters.")
    ] = None,
    per_axis: Annotated[int | None, typer.Option(help="At most so many comparisons on each axis.", min=1)] = None,
    repeats: Annotated[float, typer.Option(help="Share of hidden repeats.", min=0.0, max=1.0)] = 0.0,
    title: Annotated[str, typer.Option(help="How the plan is called; by default its axes and seed.")] = "",
    consent: Annotated[Path | None, typer.Option(help="A text file that raters agree to first.")] = None,
    criteria: Annotated[bool, typer.Option("--criteria", help="Raters also rate each text by each criterion.")] = False,
    background: Annotated[bool, typer.Option("--background", help="Raters may describe themselves.")] = False,
    workshop: Annotated[
        bool, typer.Option("--workshop", help="For a workshop: everyone sees their own result.")
    ] = False,
    raters: Annotated[
        int | None, typer.Option(help="How many raters are planned, for what it can show.", min=1)
    ] = None,
    preference: Annotated[
        str, typer.Option(help="The expected preference as shares, such as .55/.30/.15, for what it can show.")
    ] = "",
    power: Annotated[
        bool, typer.Option("--power", help="Say what is needed and what this plan can show; draw nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Draw comparisons for blind judging from a study's texts."""
    from core.judging.plan import KINDS
    from core.runs.compare.planning import preference_of

    if len(title) > LONGEST_TITLE:
        raise UsageError("The title is too long.", hint=f"It may have {LONGEST_TITLE} characters.")
    if kind not in KINDS:
        raise UsageError(f"There is no kind of comparison “{kind}”.", hint=f"Kinds: {', '.join(KINDS)}.")
    shares = preference_of(preference) if preference else ()
    asked: dict[str, Any] = {
        "kind": kind, "consent_text": _consent(consent), "repeat_share": repeats, "criterion_ratings": criteria,
        "ask_background": background, "workshop": workshop,
    }  # fmt: skip
    drawing: dict[str, Any] = {"axes": axis or (), "models": model or (), "seed": seed, "per_axis": per_axis}
    where = study or STUDY_OF[kind]
    if power:
        _tell_power(_sized(file, where, asked, drawing, raters or 1, shares), as_json)
        return
    drawing |= {"title": title, "raters": raters, "preference": shares}
    _draw(file, where, asked, drawing, as_json)


def _draw(file: Path, study: str, asked: dict[str, Any], drawing: dict[str, Any], as_json: bool) -> None:
    from core.runs.compare import compare as draw
    from core.runs.setup import study_of

    with open_for_writing(file) as project, job("Drawing comparisons") as ctx:
        result = draw(ctx, project, study_id=study_of(project, study).id, **drawing, **asked)
    _tell(result, as_json)


def _sized(
    file: Path, study: str, asked: dict[str, Any], drawing: dict[str, Any], raters: int, shares: Sequence[float]
) -> "tuple[Outlook, ...]":
    """What the plan that would be drawn can show."""
    from core.compute import shared
    from core.judging.plan import PlanSettings
    from core.runs.compare.drawing import sizes
    from core.runs.compare.planning import outlooks
    from core.runs.compare.pool import Request
    from core.runs.setup import study_of

    with open_for_measuring(file) as project, job("Planning") as ctx:
        request = Request(study_of(project, study), tuple(drawing["axes"]), tuple(drawing["models"]), drawing["seed"])
        found = sizes(ctx, project, request, PlanSettings(**asked), drawing["per_axis"], shared())
        return outlooks(ctx, shared(), found, raters=raters, preference=shares)


def _tell(result: "Compared", as_json: bool) -> None:
    by_axis = Counter(comparison.axis for comparison in result.drawn.comparisons)
    if as_json:
        answer = {"plan": result.plan_id, "made": result.made, "comparisons": dict(by_axis),
                  "left_out": dict(result.drawn.reasons)}  # fmt: skip
        print_json({**answer, "power": [_as_json(one) for one in result.outlooks]} if result.outlooks else answer)
        return
    for key, count in sorted(by_axis.items()):
        say(f"{key}: {count} comparisons")
    if not result.made:
        say("They were drawn before: nothing was added.")
    for one in result.outlooks:
        say(one.sees)
    for reason, count in result.drawn.reasons.most_common():
        note(f"Left out: {count} texts, because {reason}.")


def _tell_power(found: "Sequence[Outlook]", as_json: bool) -> None:
    if as_json:
        print_json({"power": [_as_json(one) for one in found]})
        return
    for one in found:
        for sentence in (one.sees, one.detects, one.needs):
            say(sentence)


def _as_json(one: "Outlook") -> dict[str, Any]:
    return {**one.stored(), "words": [one.sees, one.detects, one.needs]}


def _consent(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"The consent text {path.name} cannot be read.", hint="Name a text file in UTF-8.") from None
    if not text or len(text) > LONGEST_CONSENT:
        raise UsageError(
            f"The consent text {path.name} is {'empty' if not text else 'too long'}.",
            hint=f"Write at least a word and at most {LONGEST_CONSENT:,} characters.",
        )
    return text
