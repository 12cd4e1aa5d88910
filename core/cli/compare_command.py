"""compare: draws comparisons for blind judging, and says what they can show."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biasprint.core.cli.console import (
    grouped,
    job,
    note,
    open_for_measuring,
    open_for_writing,
    print_json,
    print_table,
    say,
    words_of,
)
from biasprint.core.cli.project_commands import AsJson, File, Seed
from biasprint.core.draw import digits
from biasprint.core.errors import UsageError
from biasprint.core.language import plural

if TYPE_CHECKING:
    from biasprint.core.judging.known import KnownAnswer
    from biasprint.core.runs.calibrate import Asked, Calibrated
    from biasprint.core.runs.compare.drawing import ComparedPlan
    from biasprint.core.runs.compare.planning import Outlook


# ---- calibrate

COLUMNS = ("finding", "planted", "n", "power", "false alarms", "coverage", "mean floor")


def calibrate(
    study: Annotated[
        list[str], typer.Argument(help="news, completion, creativity, letters or compare; one or several.")
    ],
    planted: Annotated[
        str, typer.Option(help="How large the planted biases are, between commas.")
    ] = "none,small,medium,large",
    n: Annotated[
        str, typer.Option(help="How large a study is, between commas; by default as recommended, and half.")
    ] = "",
    repeats: Annotated[int, typer.Option(help="How many studies are simulated of each.", min=1)] = 100,
    seed: Seed = 0,
    as_json: AsJson = False,
    out: Annotated[
        Path | None, typer.Option(help="A folder for a table (csv), a page (Markdown) and a figure (svg) each.")
    ] = None,
) -> None:
    """Simulate whole studies with a planted bias: how often it is found, cried wolf at, and held by intervals."""
    from biasprint.core.runs.calibrate import Asked
    from biasprint.core.runs.calibrate import calibrate as calibrated

    studies = tuple(dict.fromkeys(study))
    asked = Asked(studies, tuple(dict.fromkeys(_parts(planted))), _numbers(n), repeats, seed)
    note("Scorers that look words up replace models; texts are the synthetic author's.")
    with job(f"Simulating {', '.join(studies)}") as ctx:
        rows = calibrated(ctx, asked)
    if out is not None:
        from biasprint.core.runs.calibrate.tally import write

        for path in write(out, rows, repeats, seed, _command(asked)):
            note(f"Written: {path}.")
    if as_json:
        from biasprint.core.runs.calibrate.tally import to_json

        print_json(to_json(rows, repeats, seed))
    else:
        _print(rows)


def _parts(given: str) -> list[str]:
    return [part.strip() for part in given.split(",") if part.strip()]


def _numbers(given: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in _parts(given))
    except ValueError:
        raise UsageError(f"“{given}” is no list of whole numbers.", hint="For example: --n 30,60") from None


def _command(asked: "Asked") -> str:
    """Return the command that makes the same rows again."""
    n = ["--n", ",".join(map(str, asked.n))] if asked.n else []
    rest = ["--planted", ",".join(asked.planted), *n, "--repeats", str(asked.repeats), "--seed", str(asked.seed)]
    return shlex.join(["biasprint", "calibrate", *asked.studies, *rest, "--out", "docs/tables"])


def _print(rows: "list[Calibrated]") -> None:
    from biasprint.core.runs.calibrate.tally import share_text

    table_rows = [
        (
            row.name, row.planted, f"{row.n:,}", share_text(row.power), share_text(row.false_alarms),
            share_text(row.coverage), "–" if row.floor is None else digits.number(row.floor),
        )
        for row in rows
    ]  # fmt: skip
    print_table(COLUMNS, table_rows, right=COLUMNS[2:])
    missed = [f"{row.name} ({row.planted}, n = {row.n:,}): {', '.join(row.missed)}" for row in rows if row.missed]
    say("Missed:" if missed else "No bound is missed.")
    for line in missed:
        say(f"  {line}")


LONGEST_TITLE, LONGEST_CONSENT = 200, 20_000
# The study whose texts a kind compares unless another is named.
STUDY_OF = {"identity": "creativity", "model": "creativity", "origin": "news", "twin": "letters"}
SWAY_BIAS = 0.8  # enough to be a bias, and a fifth left to see how far the others are followed


@dataclass(frozen=True)
class DrawOptions:
    """Options for drawing a plan: which texts are compared, and for whom the plan is."""

    axis: Annotated[
        list[str] | None,
        typer.Option(help="An axis to compare on, or KEY:one,other for some of its identities; several times."),
    ] = None
    seed: Seed = 0
    kind: Annotated[
        str, typer.Option(help="What the texts differ in: identity, model, origin (generated or not) or twin.")
    ] = "identity"
    model: Annotated[
        list[str] | None, typer.Option(help="A generator to compare; of other kinds: whose texts alone are compared.")
    ] = None
    study: Annotated[
        str | None, typer.Option(help="Whose texts; by default creativity, for origin news, for twin letters.")
    ] = None
    per_axis: Annotated[int | None, typer.Option(help="At most so many comparisons on each axis.", min=1)] = None
    title: Annotated[str, typer.Option(help="How the plan is called; by default its axes and seed.")] = ""
    raters: Annotated[int | None, typer.Option(help="How many raters are planned, for what it can show.", min=1)] = None
    preference: Annotated[
        str, typer.Option(help="The expected preference as shares, such as .55/.30/.15, for what it can show.")
    ] = ""

    def of_study(self) -> str:
        return self.study or STUDY_OF[self.kind]

    def checked(self) -> "DrawOptions":
        """Raises UsageError for a title or a kind that cannot be."""
        from biasprint.core.judging.plan import KINDS

        if len(self.title) > LONGEST_TITLE:
            raise UsageError("The title is too long.", hint=f"It may have {LONGEST_TITLE} characters.")
        if self.kind not in KINDS:
            raise UsageError(f"There is no kind of comparison “{self.kind}”.", hint=f"Kinds: {', '.join(KINDS)}.")
        return self

    def shares(self) -> tuple[float, ...]:
        from biasprint.core.runs.compare.planning import preference_of

        return preference_of(self.preference) if self.preference else ()


@dataclass(frozen=True)
class AskOptions:
    """Settings of a plan: what raters read, see and are asked."""

    cards: Annotated[
        int | None,
        typer.Option(help="How many texts a comparison shows where more are compared: they are ranked.", min=2, max=3),
    ] = None
    worst: Annotated[bool, typer.Option("--worst", help="Of three, raters choose the best and the worst.")] = False
    repeats: Annotated[float, typer.Option(help="Share of hidden repeats.", min=0.0, max=1.0)] = 0.0
    consent: Annotated[Path | None, typer.Option(help="A text file that raters agree to first.")] = None
    criteria: Annotated[
        bool, typer.Option("--criteria", help="Raters also rate each text by each criterion of the rubric.")
    ] = False
    graded: Annotated[bool, typer.Option("--graded", help="A choice says: slightly or much better.")] = False
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Raters say how sure they are: a guess, fairly sure, sure.")
    ] = False
    spans: Annotated[bool, typer.Option("--spans", help="Raters may mark the words that decided it.")] = False
    background: Annotated[bool, typer.Option("--background", help="Raters may describe themselves.")] = False
    workshop: Annotated[bool, typer.Option("--workshop", help="For a workshop: everyone sees their own result.")] = (
        False
    )
    instructions: Annotated[Path | None, typer.Option(help="A text file that raters read first.")] = None
    question: Annotated[str, typer.Option(help="What is asked of each comparison, in place of “Which is best?”.")] = ""
    rubric: Annotated[
        Path | None,
        typer.Option(help="A text file: a rubric in place of the tasks' own, “Name: explanation” a line."),
    ] = None
    practice: Annotated[
        Path | None,
        typer.Option(help="A table of known answers to practise with: the rater sees whether each was right."),
    ] = None
    checks: Annotated[
        Path | None, typer.Option(help="A table of known answers that are hidden among the comparisons.")
    ] = None
    same_order: Annotated[
        bool, typer.Option("--same-order", help="Ask every rater in the plan's order, not in their own.")
    ] = False
    split: Annotated[int, typer.Option(help="Divide the comparisons among so many raters.", min=0, max=200)] = 0
    overlap: Annotated[float, typer.Option(help="The share that all of these raters judge.", min=0.0, max=1.0)] = 0.0
    sway: Annotated[
        float, typer.Option(help="Show a planted recommendation with this share of the comparisons.", min=0.0)
    ] = 0.0
    sway_for: Annotated[
        list[str] | None, typer.Option(help="An identity that the recommendations favour, one on each axis.")
    ] = None
    sway_bias: Annotated[
        float, typer.Option(help="The share of the recommendations that name it; 0.8 if not said.", min=0.0, max=1.0)
    ] = SWAY_BIAS

    no_prompt: Annotated[
        bool, typer.Option("--no-prompt", help="Show no prompt above the texts, also where it names nothing hidden.")
    ] = False
    adaptive: Annotated[
        int,
        typer.Option(help="Draw in rounds of so many comparisons on each axis; --next-round adds the next.", min=0),
    ] = 0

    def settings(self) -> dict[str, Any]:
        """The fields of `PlanSettings`, with the files read; raises UsageError or AppError for one that cannot be."""
        from biasprint.core.judging.known import read_known
        from biasprint.core.judging.wording import instructions_of, question_of, rubric_of

        return {
            "consent_text": _consent(self.consent),
            "repeat_share": self.repeats,
            "criterion_ratings": self.criteria,
            "graded": self.graded,
            "confidence": self.confidence,
            "spans": self.spans,
            "ask_background": self.background,
            "workshop": self.workshop,
            "cards": self.cards or 0,
            "worst": self.worst,
            "own_order": not self.same_order,
            "split": self.split,
            "overlap": self.overlap,
            "show_prompt": not self.no_prompt,
            "sway": self.sway,
            "sway_for": tuple(self.sway_for or ()),
            "sway_bias": self.sway_bias if self.sway_for else 0.0,
            "adaptive": self.adaptive,
            "instructions": instructions_of(words_of(self.instructions, "instructions")),
            "question": question_of(self.question),
            "rubric": rubric_of(words_of(self.rubric, "rubric")),
            "practice": tuple(known.stored() for known in read_known(self.practice)) if self.practice else (),
        }

    def known(self) -> "Sequence[KnownAnswer]":
        """The hidden checks."""
        from biasprint.core.judging.known import read_known

        return read_known(self.checks) if self.checks else ()


@grouped
def compare(
    file: File,
    draw: DrawOptions,
    ask: AskOptions,
    power: Annotated[
        bool, typer.Option("--power", help="Say what is needed and what this plan can show; draw nothing.")
    ] = False,
    next_round: Annotated[
        str | None, typer.Option(help="Add the next round to this plan: its title or the start of its id.")
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Add it although packets of an earlier round are still out.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Draw comparisons for blind judging from a study's texts."""
    if next_round is not None:
        _add_round(file, next_round, anyway, as_json)
        return
    if draw.per_axis and ask.adaptive:
        raise UsageError("A round has one size.", hint="Give --adaptive alone: it is the number on each axis.")
    shares = draw.checked().shares()
    asked, checks = {"kind": draw.kind, **ask.settings()}, ask.known()
    if power:
        _tell_power(_sized(file, draw, asked, shares), as_json)
        return
    from biasprint.core.runs.compare import compare as draw_plan
    from biasprint.core.runs.setup import study_of

    with open_for_writing(file) as project, job("Drawing comparisons") as ctx:
        result = draw_plan(
            ctx, project, study_id=study_of(project, draw.of_study()).id, axes=draw.axis or (), models=draw.model or (),
            seed=draw.seed, per_axis=draw.per_axis, title=draw.title, raters=draw.raters, preference=shares,
            checks=checks, **asked,
        )  # fmt: skip
    _tell_comparisons(result, as_json)


def _add_round(file: Path, name: str, anyway: bool, as_json: bool) -> None:
    from biasprint.core.cli.packet_commands import plan_called
    from biasprint.core.runs.compare.rounds import next_round

    with open_for_writing(file) as project, job("Drawing the next round") as ctx:
        result = next_round(ctx, project, plan_called(project, name).id, anyway=anyway)
    if as_json:
        print_json({"plan": result.plan_id, "round": result.number, "comparisons": dict(result.comparisons),
                    "answers": result.answers, "least_known": result.least, "locked": list(result.locked)})  # fmt: skip
    else:
        say(result.words)


def _sized(file: Path, draw: DrawOptions, asked: dict[str, Any], shares: Sequence[float]) -> "tuple[Outlook, ...]":
    """Return what the plan that would be drawn can show."""
    from biasprint.core.compute import shared
    from biasprint.core.judging.plan import PlanSettings
    from biasprint.core.runs.compare.drawing import sizes
    from biasprint.core.runs.compare.planning import outlooks
    from biasprint.core.runs.compare.pool import CompareRequest
    from biasprint.core.runs.setup import study_of

    with open_for_measuring(file) as project, job("Planning") as ctx:
        study, settings = study_of(project, draw.of_study()), PlanSettings(**asked)
        request = CompareRequest(study, tuple(draw.axis or ()), tuple(draw.model or ()), draw.seed, settings.cards)
        size_table = sizes(ctx, project, request, settings, draw.per_axis, shared())
        return outlooks(ctx, shared(), size_table, raters=draw.raters or 1, preference=shares, settings=settings)


def _tell_comparisons(result: "ComparedPlan", as_json: bool) -> None:
    from biasprint.core.runs.compare.drawing import texts_alone

    by_axis = Counter(comparison.axis for comparison in result.drawn.comparisons)
    if as_json:
        answer = {"plan": result.plan_id, "made": result.made, "comparisons": dict(by_axis),
                  "left_out": dict(result.drawn.reasons),
                  "prompts": {"shown": result.prompts_shown, "withheld": result.prompts_withheld}}  # fmt: skip
        print_json(
            {**answer, "power": [_power_json(outlook) for outlook in result.outlooks]} if result.outlooks else answer
        )
        return
    for key, count in sorted(by_axis.items()):
        say(f"{key}: {plural(count, '1 comparison', '%n comparisons')}")
    if not result.made:
        say("They were drawn before: nothing was added.")
    if result.prompt_words:
        say(result.prompt_words)
    for key in texts_alone(result.drawn):
        note(f"{key}: each identity has one text. What is found there holds for these texts.")
    for outlook in result.outlooks:
        say(outlook.sees)
    for reason, count in result.drawn.reasons.most_common():
        note(f"Left out: {count} texts, because {reason}.")


def _tell_power(outlooks: "Sequence[Outlook]", as_json: bool) -> None:
    if as_json:
        print_json({"power": [_power_json(outlook) for outlook in outlooks]})
        return
    for outlook in outlooks:
        for sentence in (outlook.sees, outlook.detects, outlook.needs):
            say(sentence)


def _power_json(outlook: "Outlook") -> dict[str, Any]:
    return {**outlook.stored(), "words": [outlook.sees, outlook.detects, outlook.needs]}


def _consent(path: Path | None) -> str:
    if path is None:
        return ""
    text = words_of(path, "consent text").strip()
    if len(text) > LONGEST_CONSENT:
        raise UsageError(
            f"The consent text {path.name} is too long.", hint=f"Write at most {LONGEST_CONSENT:,} characters."
        )
    return text
