"""Sentences on how far a finding or a “Yes” reaches: over wordings of the prompts, and under other choices."""

from collections.abc import Sequence

from biasprint.core.draw import digits
from biasprint.core.draw.digits import tr
from biasprint.core.draw.words import null_value
from biasprint.core.findings import Finding, tried

MOST_FAILS = 3  # choices that are named under which a “Yes” does not hold


def over_wordings(finding: Finding) -> str:
    """ "Over 5 wordings of the prompts it lies between 0.02 and 0.31; it holds in 3 of them …": how a finding varies.

    It holds in a wording where the interval of that wording alone lies on the same side of no bias. Empty where the
    prompts had one wording.
    """
    over = finding.wordings
    if over is None or over.lowest is None or over.highest is None:
        return ""
    low, high = (digits.number(value, finding.unit) for value in (over.lowest, over.highest))
    varies = tr("Over {n} wordings of the prompts it lies between {low} and {high}{sides}.")
    same = tr("In each of {n} wordings of the prompts it is {low}{sides}.")
    parts = [
        (same if low == high else varies).format(
            n=digits.count(over.measured), low=low, high=high, sides=_sides(finding)
        )
    ]
    if over.like_these is not None:
        low, high = (digits.number(value, finding.unit) for value in (over.like_these.low, over.like_these.high))
        parts.append(
            tr("Its interval is for these wordings; for others like them it is {low} to {high}.").format(
                low=low, high=high
            )
        )
    elif finding.interval is not None:
        parts.append(tr("Its interval is for these wordings."))
    reasons: dict[str, list[str]] = {}
    for one in over.each:
        if one.estimate is None:
            reasons.setdefault(one.reason or "", []).append(one.wording)
    parts += [tr("Not measured in {which}: {why}.").format(which=_named(of), why=why) for why, of in reasons.items()]
    return " ".join(parts)


def _sides(finding: Finding) -> str:
    """Say in which wordings it holds, or in which it lies above or below what would be no bias."""
    over, null = finding.wordings, null_value(finding)
    if over is None or null is None:
        return ""
    shown = f"{null:g}" if null in (0, 1) else digits.number(null, finding.unit)
    if over.holds is not None:
        return tr("; it holds in {k} of {n}: the interval of that wording alone is on the same side of {null}").format(
            k=digits.count(over.holds), n=digits.count(over.measured), null=shown
        )
    above, below = ([one.wording for one in over.each if one.side == side] for side in ("above", "below"))
    if above and below:
        return tr("; the wordings disagree: above {null} in {above}, below it in {below}").format(
            null=shown, above=_named(above), below=_named(below)
        )
    if above or below:
        side = tr("above") if above else tr("below")
        return tr("; alone it lies {side} {null} in {which}").format(
            side=side, null=shown, which=_named(above or below)
        )
    return tr("; in none of them alone does the interval leave out {null}").format(null=shown)


def _named(wordings: Sequence[str]) -> str:
    if len(wordings) == 1:
        return tr("wording {name}").format(name=wordings[0])
    return tr("wordings {names} and {last}").format(names=", ".join(wordings[:-1]), last=wordings[-1])


def holds_in(shown: Sequence[Finding]) -> str:
    """ "It holds in 2 of 5 wordings; not in wordings 1, 3 and 4.": in which wordings a “Yes” of these findings holds.

    It holds in a wording in which one of them does. Empty where the prompts had one wording.
    """
    sides = {True: "above", False: "below"}
    held: dict[str, bool] = {}
    for finding in shown:
        null, over = null_value(finding), finding.wordings
        if over is None or over.holds is None or null is None or finding.estimate is None:
            continue
        for one in over.each:
            if one.estimate is not None:
                held[one.wording] = held.get(one.wording, False) or one.side == sides[finding.estimate > null]
    if not held:
        return ""
    fails = [wording for wording, holds in held.items() if not holds]
    if not fails:
        return tr("It holds in each of {n} wordings.").format(n=digits.count(len(held)))
    return tr("It holds in {k} of {n} wordings; not in {fails}.").format(
        k=digits.count(len(held) - len(fails)), n=digits.count(len(held)), fails=_named(fails)
    )


def holds_under(shown: Sequence[Finding]) -> str:
    """ "It holds under 5 of 6 choices; not without the wording “B”.": how far a “Yes” of these findings holds.

    It holds under a choice under which one of them does. Empty where it was not asked for.
    """
    each = [said for finding in shown if (said := tried(finding)) is not None]
    if not each:
        return ""
    choices = list(dict.fromkeys(name for said in each for name in (*said.fails, *said.holds)))
    if not choices:
        return tr("It was tried under no other choice: nothing else is stored.")
    fails = [name for name in choices if all(name in said.fails for said in each)]
    held, all_of_them = digits.count(len(choices) - len(fails)), digits.count(len(choices))
    if not fails:
        return (
            tr("It holds under the one other choice that there is, {choice}.").format(choice=choices[0])
            if len(choices) == 1
            else tr("It holds under all {n} choices.").format(n=all_of_them)
        )
    if len(choices) == 1:
        return tr("It does not hold {choice}, the one other choice that there is.").format(choice=choices[0])
    named = "; ".join(tr("not {choice}").format(choice=name) for name in fails[:MOST_FAILS])
    more = len(fails) - MOST_FAILS
    rest = tr("; nor under {n} more").format(n=digits.count(more)) if more > 0 else ""
    sentence = (
        tr("It holds under none of {n} choices; {fails}{rest}.")
        if len(fails) == len(choices)
        else tr("It holds under {held} of {n} choices; {fails}{rest}.")
    )
    return sentence.format(held=held, n=all_of_them, fails=named, rest=rest)
