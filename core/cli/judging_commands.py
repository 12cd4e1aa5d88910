"""judge: having comparisons judged by models, as raters beside the people; certificate: judging such a judge."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biasprint.core.cli.console import (
    STOPS,
    Backend,
    GeneratorOptions,
    Model,
    check_target,
    grouped,
    job,
    named,
    note,
    open_for_measuring,
    open_for_writing,
    print_json,
    print_table,
    say,
)
from biasprint.core.cli.project_commands import AsJson, File, Seed
from biasprint.core.errors import AppError, UsageError

if TYPE_CHECKING:
    from biasprint.core.judging.carefulness import ReadToEnd
    from biasprint.core.metrics.agreement import Ability
    from biasprint.core.metrics.result import Bounds
    from biasprint.core.project.project import Project
    from biasprint.core.project.rows import PlanRow
    from biasprint.core.runs.judge import JudgeResult
    from biasprint.core.runs.rater_quality import RaterCard


# ---- raters list, exclude, include

Code = Annotated[str, typer.Argument(help="The rater's code, such as R01.")]
Unread = Annotated[
    bool, typer.Option("--unread", help="In place of a rater: answers before the end of every text was on the screen.")
]


def show_raters(file: File, as_json: AsJson = False) -> None:
    """Show each rater's progress, hours to pay, results of hidden checks, agreement with the others, and flags."""
    from biasprint.core.judging.carefulness import unread_rule
    from biasprint.core.runs.rater_quality import TASTE, ability_words, hard_words, rater_overview

    with open_for_measuring(file) as project, job("Reading") as ctx:
        overview, rule = rater_overview(ctx, project), unread_rule(project)
    cards, hard = overview.cards, overview.hard
    if as_json:
        unread_out = {"unread_excluded": {"reason": rule.reason, "at": rule.at}} if rule is not None else {}
        split = {"split": hard.split, "n": hard.n, "checks": [{"right": right, "n": n} for right, n in hard.checks]}
        print_json({"raters": [_card_json(card) for card in cards], "hard": split, **unread_out})
        return
    if not cards:
        say("Nobody has rated yet, and nobody has a packet.")
        return
    print_table(("rater", "done", "of", "hours", "practice", "checks", "unread", "κ", "n", "flags", "left out"), [
        (card.code, f"{card.done:,}", f"{card.asked:,}", f"{card.hours:.2f}", _of(card.practice), _passed(card),
         f"{card.reading.unread:,}/{card.reading.n:,}" if card.reading.n else "–",
         "–" if card.agreement.kappa is None else f"{card.agreement.kappa:.2f}", f"{card.agreement.n:,}",
         str(len(card.flags) or "–"), "yes" if card.exclusion else "–")
        for card in cards
    ])  # fmt: skip
    for card in cards:
        if card.reading.n or card.reading.unrecorded:
            say(f"{card.code}: {read_words(card.reading)}")
        for sentence in ability_words(card):
            say(f"{card.code}: {sentence}")
        for flag in card.flags:
            if flag.key != "unread":
                say(f"{card.code}: {flag.said}")
        if card.exclusion is not None:
            say(f"{card.code} is left out: {card.exclusion.reason}")
    told = [TASTE] if any(card.others.value is not None for card in cards) else []
    for sentence in [*told, *hard_words(hard)]:
        say(sentence)
    if rule is not None:
        say(f"Answers given before the end of every text was on the screen are left out: {rule.reason}")


def exclude(
    file: File,
    reason: Annotated[str, typer.Option(help="The reason, which is stored and reported with the findings.")],
    code: Code = "",
    unread: Unread = False,
    as_json: AsJson = False,
) -> None:
    """Leave a rater, or unread answers of all raters, out of every finding. “raters include” takes it back."""
    from biasprint.core.judging.carefulness import exclude as leave_out

    with open_for_writing(file) as project:
        leave_out(project, _excluded_target(project, code, unread), reason)
    _tell_decided(code, unread, True, as_json)


def _excluded_target(project: "Project", code: str, unread: bool) -> str:
    """Return the id of whom a decision is about, or what stands for unread answers. UsageError for both, or none."""
    from biasprint.core.judging.carefulness import UNREAD_TEXTS
    from biasprint.core.runs.rater_quality import person_called

    if bool(code) == unread:
        raise UsageError("Name one rater, or give --unread.", kept="Nothing was changed.")
    return UNREAD_TEXTS if unread else person_called(project, code).id


def include(
    file: File,
    code: Code = "",
    unread: Unread = False,
    reason: Annotated[str, typer.Option(help="Why: it is stored with the decision.")] = "",
    as_json: AsJson = False,
) -> None:
    """Count a rater, or the unread answers, again."""
    from biasprint.core.judging.carefulness import exclusions
    from biasprint.core.judging.carefulness import include as count_again

    with open_for_writing(file) as project:
        target = _excluded_target(project, code, unread)
        if target not in exclusions(project):
            raise UsageError(f"{code or 'No answer'} is not left out.", kept="Nothing was changed.")
        count_again(project, target, reason)
    _tell_decided(code, unread, False, as_json)


def _tell_decided(code: str, unread: bool, excluded: bool, as_json: bool) -> None:
    if as_json:
        print_json({"unread": True, "excluded": excluded} if unread else {"code": code, "excluded": excluded})
        return
    if unread:
        decided = (
            f"Answers given before the end of every text was on the screen {'are left out' if excluded else 'count'}"
        )
    else:
        decided = f"{code} is left out" if excluded else f"{code} counts again"
    say(f"{decided}. “biasprint measure” computes the findings again.")


def read_words(reading: "ReadToEnd") -> str:
    """Return how many answers came before the end of every text was on the screen, with the interval of their share."""
    bounds = reading.interval
    without = f"{reading.unrecorded:,} answers have no record of what was on the screen."
    if bounds is None:
        return without
    share = f"{reading.unread / reading.n:.0%}, 95 % interval {bounds.low:.0%} to {bounds.high:.0%}"
    early = (
        f"{reading.unread:,} of {reading.n:,} answers came before the end of every text was on the screen ({share})."
    )
    return f"{early} {without}" if reading.unrecorded else early


def _of(practice: Any) -> str:
    return "–" if practice is None else f"{practice.right}/{practice.of}"


def _passed(card: "RaterCard") -> str:
    return f"{card.checks.passed}/{card.checks.asked}" if card.checks.asked else "–"


def _card_json(card: "RaterCard") -> dict[str, Any]:
    agreement, bounds = card.agreement, card.agreement.interval
    return {
        "code": card.code,
        "asked": card.asked,
        "done": card.done,
        "open": card.open,
        "hours": card.hours,
        "practice": None if card.practice is None else {"right": card.practice.right, "of": card.practice.of},
        "checks": {"asked": card.checks.asked, "passed": card.checks.passed},
        "read_to_end": {
            "unread": card.reading.unread,
            "n": card.reading.n,
            "unrecorded": card.reading.unrecorded,
            "interval": None if (read := card.reading.interval) is None else _bounds_json(read),
        },
        "agreement": {
            "kappa": agreement.kappa,
            "n": agreement.n,
            "interval": None if bounds is None else _bounds_json(bounds),
            "reason": agreement.reason or None,
        },
        "ability": {"checks": _ability_json(card.known), "others": _ability_json(card.others)},
        "flags": [{"key": flag.key, "said": flag.said} for flag in card.flags],
        "excluded": None if card.exclusion is None else {"reason": card.exclusion.reason, "at": card.exclusion.at},
    }


def _ability_json(ability: "Ability") -> dict[str, Any]:
    bounds = ability.interval
    return {
        "value": ability.value,
        "right": ability.right,
        "n": ability.n,
        "interval": None if bounds is None else _bounds_json(bounds),
        "reason": ability.reason or None,
    }


def _bounds_json(bounds: "Bounds") -> dict[str, float]:
    return {"low": bounds.low, "high": bounds.high, "level": bounds.level}


# ---- judge: a model works through plans of comparisons, as a rater beside the people

SHORTEST_ID = 4  # of a plan's id: so much of it names the plan


@grouped
def judge(
    file: File,
    backend: Backend,
    model: Model,
    how: GeneratorOptions,
    plan: Annotated[
        list[str] | None, typer.Option(help="Only this plan: its title or the start of its id; several times for more.")
    ] = None,
    axis: Annotated[list[str] | None, typer.Option(help="Only plans that compare on this axis.")] = None,
    seed: Seed = 0,
    finish: Annotated[
        bool, typer.Option("--finish", help="Count the session although requests failed: they are not made again.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Have a model judge every comparison in every order of its cards. Stopped at any point, the same command goes on.

    A rater and a session of its own: people's sessions and judgments stay as they are.
    """
    from biasprint.core.compute import models
    from biasprint.core.runs.judge import check_can_judge
    from biasprint.core.runs.judge import judge as judge_plan
    from biasprint.core.runs.setup import generator_spec

    given, keys = how.chosen(backend, model, "judging")
    with open_for_writing(file) as project, job("Judging", f"{STOPS}, and what is judged is kept") as ctx:
        plans = chosen_plans(project, plan or (), axis or ())
        check_can_judge(backend, model)
        spec = generator_spec(backend, model, given, models(), ctx=ctx, keys=keys)
        results = []
        for row in plans:
            note(f"Judging {row.title}.")
            results.append(
                judge_plan(ctx, project, row.id, spec, models(), keys, seed=seed, finish=finish, opens=model)
            )
    if as_json:
        judged = [_judged_json(row, result) for row, result in zip(plans, results, strict=True)]
        print_json({"rater": results[0].rater, "plans": judged})
        return
    for row, result in zip(plans, results, strict=True):
        _tell_judged(row, result)


def chosen_plans(project: "Project", names: Sequence[str], axes: Sequence[str]) -> "list[PlanRow]":
    """The creativity study's plans with one of these names and on one of these axes; all where none are named."""
    study = project.studies.of_kind("creativity")
    known = [row for row in project.judging.plans() if study is not None and row.study_id == study.id]
    if not known:
        raise AppError(
            "There is nothing to judge yet.", hint="Draw comparisons with “biasprint compare FILE --axis A”."
        )
    plans_text = "; ".join(f"{row.title} ({row.id[:8]})" for row in known)
    wanted = known
    if names:
        for name in names:
            if not any(_is_called(row, name) for row in known):
                raise UsageError(f"There is no plan “{name}”.", hint=f"Plans: {plans_text}.")
        wanted = [row for row in known if any(_is_called(row, name) for name in names)]
    if axes:
        wanted = [row for row in wanted if set(row.axis.split("+")) & set(axes)]
    if not wanted:
        raise UsageError(f"No plan compares on {' or '.join(axes)}.", hint=f"Plans: {plans_text}.")
    return wanted


def _is_called(row: "PlanRow", name: str) -> bool:
    return name == row.title or (len(name) >= SHORTEST_ID and row.id.startswith(name))


def _judged_json(plan: "PlanRow", result: "JudgeResult") -> dict[str, Any]:
    bounds = result.flip_interval
    return {
        "plan": plan.id,
        "title": plan.title,
        "session": result.session_id,
        "closed": result.closed,
        "comparisons": result.comparisons,
        "unusable": result.unusable,
        "wanted": result.wanted,
        "added": result.added,
        "replies": dict(result.read),
        "failures": dict(result.failures),
        "unread": dict(result.unread),
        "compared": result.compared,
        "flips": result.flips,
        "flip_rate": result.flip_rate,
        "flip_interval": None if bounds is None else _bounds_json(bounds),
        "first_card": result.first / result.choices if result.choices else None,
    }


def _tell_judged(plan: "PlanRow", result: "JudgeResult") -> None:
    from biasprint.core.runs.judge import reasons_in_words

    replies = ", ".join(f"{count:,} {name}" for name, count in result.read.items() if count)
    say(f"{plan.title}: {result.rater} gave {sum(result.read.values()):,} of {result.wanted:,} replies ({replies}).")
    bounds = result.flip_interval
    if bounds is None or result.flip_rate is None:
        say("  No comparison has a choice in every order of its cards, so that no preference can be told.")
    else:
        say(
            f"  The choice turned with the order of the cards in {result.flips:,} of {result.compared:,} comparisons: "
            f"{result.flip_rate:.0%} (95 % interval {bounds.low:.0%} to {bounds.high:.0%})."
        )
        say(f"  {result.first / result.choices:.0%} of those choices fell on the first card.")
    if result.unusable:
        say(f"  {result.unusable:,} comparisons cannot be judged: their texts are not the ones that were planned.")
    if result.unread:
        say(f"  No answer in the form asked: {reasons_in_words(result.unread)}.")
    if not result.answers:
        say("  Without an answer the session is not finished and counts nowhere.")
    if not result.closed and result.failures:
        failed = ", ".join(f"{count:,} {kind}" for kind, count in sorted(result.failures.items()))
        say(f"  Requests failed ({failed}): the same command makes them again, --finish counts the rest without them.")


# ---- certificate: what a model prefers among texts that should not differ


@grouped
def certificate(
    file: File,
    backend: Backend,
    model: Model,
    how: GeneratorOptions,
    out: Annotated[Path | None, typer.Option(help="Also write the page: html, pdf, md or tex.")] = None,
    pairs: Annotated[int, typer.Option(help="Pairs of texts of each line, from 6 to 400.")] = 40,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Test a model as a judge: place, names, length, its own texts, order. Stopped, the same command goes on.

    Its replies are kept in the project and change no finding, session or judgment.
    """
    from biasprint.core.compute import models
    from biasprint.core.report.audit import ENDINGS, write_audit_report
    from biasprint.core.report.certificate import in_short, told
    from biasprint.core.runs.certify import certify, page_of_certificate
    from biasprint.core.runs.judge import check_can_judge
    from biasprint.core.runs.setup import generator_spec

    if out is not None:
        check_target(out, ENDINGS, [file])
    given, keys = how.chosen(backend, model, "judging")
    with open_for_writing(file) as project, job("Asking") as ctx:
        check_can_judge(backend, model)
        spec = generator_spec(backend, model, given, models(), ctx=ctx, keys=keys)
        made = certify(ctx, project, spec, models(), keys, pairs=pairs, seed=seed, opens=model)
    if out is not None:
        write_audit_report(out, page_of_certificate(made))
        note(f"The page is in {named(out)}.")
    if as_json:
        print_json(made.to_json())
        return
    say(f"{made.model} gave {sum(made.read.values()):,} of {made.wanted:,} replies. {in_short(made.findings)}")
    for line in told(made.findings):
        say(f"  {line}")
    if not made.complete:
        failed = ", ".join(f"{count:,} {kind}" for kind, count in sorted(made.failed.items()))
        say(f"  Requests failed ({failed}): the same command makes them again.")
