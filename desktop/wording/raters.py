"""Plans, raters and packets in words, as rows of their tables. Plain text, no Qt widgets."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core.judging.packets.packet import HELD_WORDS, MergedFile, MergeReport
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TableRow
from biasprint.desktop.widgets.words import left_words, number, plural, spelled_seconds, tr
from biasprint.desktop.wording.generators import Titles

if TYPE_CHECKING:
    from biasprint.core.judging.carefulness import Exclusion, ReadToEnd
    from biasprint.core.judging.packets.make import MadePacket
    from biasprint.core.metrics.agreement import Agreement
    from biasprint.core.runs.rater_quality import AgreementSoFar, PlanState, RaterCard, RaterState

NOTHING = "—"
LETTERS = "ABC"
SEATS_KEPT = (
    "1 seat came back once more with other answers: those that were here first count.",
    "%n seats came back once more with other answers: those that were here first count.",
)
# What raters judge with, by its key in core (the empty one: this program).
TOOLS = {
    "": "Biasprint",
    "html": "One page for a browser or phone",
    "potato": "Potato, for browsers and phones",
    "label-studio": "Label Studio, for browsers",
}


def plan_columns() -> tuple[TableColumn, ...]:
    return (
        TableColumn(tr("Plan")),
        TableColumn(tr("What differs"), 190, help=tr("What the texts of one comparison differ in")),
        TableColumn(tr("Comparisons"), 112, number=True),
        TableColumn(
            tr("Repeats"), 84, number=True, help=tr("Hidden repeats with the cards swapped; they are in no score")
        ),
        TableColumn(tr("Raters"), 76, number=True, help=tr("Who began, or has a packet; models among them")),
        TableColumn(tr("Finished"), 104),
    )


def plan_rows(plans: "Sequence[PlanState]", titles: Titles) -> list[TableRow]:
    return [
        TableRow(
            plan.id,
            (
                plan_title(plan),
                kind_words(plan.kind, safe_line(titles.axis(plan.axis))),
                number(plan.comparisons),
                number(plan.repeats) if plan.repeats else NOTHING,
                number(plan.taking_part),
                tr("{some} of {all}").format(some=number(plan.finished), all=number(plan.taking_part))
                if plan.taking_part
                else NOTHING,
            ),
        )
        for plan in plans
    ]


def plan_title(plan: "PlanState") -> str:
    """Return the title, or a replacement for a missing one."""
    title = safe_line(plan.title) or tr("Plan without a title")
    if plan.rounds:
        return tr("{title} (round {n})").format(title=title, n=plan.rounds)
    return tr("{title} (workshop)").format(title=title) if plan.workshop else title


def kind_words(kind: str, axis: str = "") -> str:
    """Return the difference between the cards of a comparison."""
    words = {
        "identity": tr("identity: {axis}").format(axis=axis) if axis else tr("identity"),
        "model": tr("the generator that wrote it"),
        "origin": tr("written by a person or a model"),
        "twin": tr("swap twins: name and gender"),
    }
    return words.get(kind, safe_line(kind))


def rater_columns() -> tuple[TableColumn, ...]:
    return (
        TableColumn(tr("Rater")),
        TableColumn(tr("Where"), 204),
        TableColumn(tr("State"), 166),
        TableColumn(tr("Answered"), 92, number=True),
        TableColumn(tr("Skipped"), 84, number=True),
        TableColumn(tr("Left"), 64, number=True),
        TableColumn(tr("Active time"), 108, number=True, help=tr("Without pauses of more than two minutes")),
    )


def rater_rows(raters: "Sequence[RaterState]") -> list[TableRow]:
    return [
        TableRow(
            session.session_id,
            (
                tr("{code} (model)").format(code=as_given(session.code)) if session.model else as_given(session.code),
                where_words(session),
                state_words(session),
                number(session.done if session.answered is None else session.answered),
                NOTHING if session.skipped is None else number(session.skipped),
                number(session.left),
                NOTHING if session.active_seconds is None or session.model else spelled_seconds(session.active_seconds),
            ),
        )
        for session in raters
    ]


def care_columns() -> tuple[TableColumn, ...]:
    return (
        TableColumn(tr("Rater"), 96),
        TableColumn(tr("Done"), 96, number=True, help=tr("Answered or skipped, of all that were asked")),
        TableColumn(tr("Hours"), 72, number=True, help=tr("Active time, practice too, without longer pauses")),
        TableColumn(tr("Practice"), 84, number=True, help=tr("Right, of the known answers to practise with")),
        TableColumn(tr("Checks"), 84, number=True, help=tr("Right, of the hidden known answers")),
        TableColumn(
            tr("Unread"),
            84,
            number=True,
            help=tr("Answers before the end of every text was on the screen, of those with a record of it"),
        ),
        TableColumn(
            tr("Agreement, κ (95 % interval)"), 226, help=tr("With the others, beyond chance; n: comparisons in common")
        ),
        TableColumn(tr("What was seen")),
    )


def care_rows(cards: "Sequence[RaterCard]") -> list[TableRow]:
    return [
        TableRow(
            card.rater_id,
            (
                as_given(card.code),
                tr("{some} of {all}").format(some=number(card.done), all=number(card.asked)),
                NOTHING if card.open and not card.hours else f"{card.hours:.2f}",
                NOTHING if card.practice is None else f"{card.practice.right}/{card.practice.of}",
                f"{card.checks.passed}/{card.checks.asked}" if card.checks.asked else NOTHING,
                f"{card.reading.unread}/{card.reading.n}" if card.reading.n else NOTHING,
                agreement_words(card),
                flags_words(card),
            ),
        )
        for card in cards
    ]


def agreement_words(card: "RaterCard") -> str:
    agreement = card.agreement
    if agreement.kappa is None:
        return NOTHING
    bounds = (
        f" ({agreement.interval.low:.2f} to {agreement.interval.high:.2f})" if agreement.interval is not None else ""
    )
    return f"{agreement.kappa:.2f}{bounds}, n = {number(agreement.n)}"


def flags_words(card: "RaterCard") -> str:
    """Return the flags by name; for a rater who is excluded, that."""
    names = {
        "speed": tr("too quick"),
        "same answer": tr("same answer"),
        "side": tr("one side"),
        "checks": tr("failed checks"),
        "looked": tr("looked before"),
        "unsealed": tr("unsealed packet"),
        "unread": tr("unread ends"),
        "agreement": tr("low agreement"),
    }
    flags = [names[flag.key] for flag in card.flags]
    return ", ".join([tr("left out"), *flags] if card.exclusion is not None else flags) or NOTHING


def care_words(card: "RaterCard") -> list[str]:
    """Return all remarks on one rater, a sentence each."""
    remarks = [safe_line(flag.said) for flag in card.flags if flag.key != "unread"]
    remarks += read_words(card.reading)
    if card.open:
        opened = plural(card.open, "1 session is open on this machine.", "%n sessions are open on this machine.")
        remarks.append(opened + " " + tr("Until the reveal only the number of its answers is shown."))
    # Columns of the table that a narrow window has no room for.
    share = tr("{some} of {all} right")
    if card.practice is not None:
        remarks.append(tr("Practice: {n}.").format(n=share.format(some=card.practice.right, all=card.practice.of)))
    if card.checks.asked:
        remarks.append(tr("Hidden checks: {n}.").format(n=share.format(some=card.checks.passed, all=card.checks.asked)))
    if card.agreement.kappa is not None:
        remarks.append(tr("Agreement with the others: κ = {kappa}.").format(kappa=agreement_words(card)))
    reason = card.agreement.reason.removeprefix("interval: ")
    if card.agreement.kappa is None:
        remarks.append(tr("Agreement cannot be told: {reason}.").format(reason=reason))
    elif card.agreement.interval is None:
        remarks.append(tr("Agreement has no interval: {reason}.").format(reason=reason))
    from biasprint.core.runs.rater_quality import TASTE, ability_words

    remarks += ability_words(card)
    if card.others.value is not None:
        remarks.append(TASTE)
    if not card.flags and not card.open:
        remarks.insert(0, tr("Nothing was seen that would speak against these answers."))
    if card.exclusion is not None:
        remarks.insert(0, tr("Left out since {date}: {reason}").format(
            date=card.exclusion.at[:10], reason=as_given(card.exclusion.reason)))  # fmt: skip
    return remarks


def read_words(reading: "ReadToEnd") -> list[str]:
    """Return how many answers came before the end of every text was on the screen, and how many have no record."""
    remarks = []
    if (bounds := reading.interval) is not None:
        remarks.append(
            tr("{unread} of {n} answers came before the end of every text was on the screen: {share}.").format(
                unread=number(reading.unread),
                n=number(reading.n),
                share=f"{100 * reading.unread / reading.n:.0f} % ({100 * bounds.low:.0f} to {100 * bounds.high:.0f} %)",
            )
        )
    if reading.unrecorded:
        some = "%n answers have no record of what was on the screen."
        remarks.append(plural(reading.unrecorded, "1 answer has no record of what was on the screen.", some))
    return remarks


def unread_rule_words(cards: "Sequence[RaterCard]", rule: "Exclusion | None") -> list[str]:
    """Return how many answers of all raters the rule on unread answers is about, and whether it holds."""
    unread, n = sum(card.reading.unread for card in cards), sum(card.reading.n for card in cards)
    counted = tr("{unread} of {n} answers of all raters; answers without a record stay in every case.")
    counted = counted.format(unread=number(unread), n=number(n))
    if rule is None:
        return [counted, tr("They count in the findings unless you leave them out.")]
    since = tr("Left out since {date}: {reason}").format(date=rule.at[:10], reason=as_given(rule.reason))
    return [counted, since]


def where_words(rater: "RaterState") -> str:
    return {
        "here": tr("this machine"),
        "away": tr("packet away"),
        "partly": tr("packet came back in part"),
        "finished": tr("packet came back"),
        "counted": tr("packet, what came back"),
    }[rater.where] + (tr(", unsealed") if rater.unsealed else "")


def state_words(rater: "RaterState") -> str:
    """Return the state of a session; for one that is open here, only how many comparisons are done."""
    if not rater.open:
        return tr("finished")
    if rater.model:
        return tr("not through yet")
    if rater.where == "here":
        return tr("open: its count alone")
    return tr("open") if rater.seconds_left is None else left_words(rater.seconds_left)


def so_far_words(found: "AgreementSoFar") -> str:
    """Return how far the raters of a plan agree by now, and who is still missing."""
    out = plural(found.out, "1 has not finished yet.", "%n have not finished yet.") if found.out else ""
    if found.raw.value is None:
        return tr("Agreement cannot be told yet: {reason}. {out}").format(reason=found.raw.reason, out=out).strip()
    parts = [
        tr("Agreement so far: two raters chose the same text in {share} of {comparisons}{interval}.").format(
            share=_percent(found.raw.value),
            interval=_between(found.raw, _percent),
            comparisons=plural(found.raw.n, "1 comparison", "%n comparisons"),
        )
    ]
    if found.chance is not None:
        parts.append(tr("Chance alone gives {share}.").format(share=_percent(found.chance)))
    if found.alpha is not None and found.alpha.value is not None:
        parts.append(tr("Beyond chance: α = {alpha}{interval}; 0 is chance, 1 is full agreement.").format(
            alpha=f"{found.alpha.value:.2f}", interval=_between(found.alpha, "{:.2f}".format)))  # fmt: skip
    parts.append(tr("{people} so far.").format(people=plural(found.finished, "1 rater", "%n raters")))
    return " ".join([*parts, out]).strip()


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _between(found: "Agreement", shown: Callable[[float], str]) -> str:
    """Return an interval in brackets, or why there is none."""
    bounds = found.interval.bounds
    if bounds is None:
        return f" ({tr('no interval: {reason}').format(reason=found.interval.reason)})"
    return f" ({tr('95 % interval {low} to {high}').format(low=shown(bounds.low), high=shown(bounds.high))})"


def workshop_words(plan: "PlanState") -> str:
    """Return a workshop's plan in one sentence, which distinguishes no person."""
    took = plural(plan.taking_part, "1 person took part", "%n people took part")
    ended = plural(plan.finished, "1 has finished", "%n have finished")
    return tr(
        "{took}, {ended}. In a workshop everybody is anonymous: neither codes nor single answers are shown here."
    ).format(took=took, ended=ended)


def made_columns() -> tuple[TableColumn, ...]:
    return TableColumn(tr("Rater"), 120), TableColumn(tr("Comparisons"), 120, number=True), TableColumn(tr("File"))


def made_rows(made: "Sequence[MadePacket]") -> list[TableRow]:
    return [
        TableRow(
            f"{packet.path} {packet.code}",
            (as_given(packet.code), number(packet.comparisons), as_given(packet.path.name)),
        )
        for packet in made
    ]


def merge_columns() -> tuple[TableColumn, ...]:
    return (
        TableColumn(tr("File"), 170),
        TableColumn(tr("Rater"), 80),
        TableColumn(tr("New"), 56, number=True, help=tr("Answers that were not here yet")),
        TableColumn(tr("Repeated"), 90, number=True, help=tr("Answers that were here already: they count once")),
        TableColumn(
            tr("Conflicting"), 104, number=True, help=tr("Other answers to the same comparison by the same rater")
        ),
        TableColumn(
            tr("Changed texts"), 118, number=True, help=tr("Comparisons whose texts are not the ones sent out")
        ),
        TableColumn(tr("What came of it, and what to do")),
    )


# Which columns are given room first: the file, what came of it, and who it is from; the counts are in the words too.
MERGE_KEEP = (0, 6, 1, 2, 4, 3, 5)


def merge_rows(report: "MergeReport", accepted: Collection[Path] = ()) -> list[TableRow]:
    """Return a row for each file. `accepted`: those whose raters were unknown, and were added."""
    return [
        TableRow(
            f"{place}",
            (
                as_given(file.name),
                tr("a seat") if file.workshop else as_given(file.code) or NOTHING,
                *(
                    (NOTHING,) * 4
                    if not was_merged(file, accepted)
                    else tuple(
                        number(n) for n in (file.added, file.repeated, file.conflicting, len(file.changed_texts))
                    )
                ),
                merged_words(file, accepted),
            ),
        )
        for place, file in enumerate(report.files)
    ]


def was_merged(one: "MergedFile", accepted: Collection[Path] = ()) -> bool:
    """Return whether a file is in the project now: neither refused nor waiting for a decision."""
    return not one.refused and (one.path in accepted or not (one.unknown_rater or one.held))


WAITING = {
    "altered": "{packets}, because answers are not as they were signed: {codes}.",
    "unsealed": "{packets}, because nothing shows whose answers these are: the seal of the packet that was made here "
    "is missing ({codes}).",
    "copy": "{packets}, because another finished copy was merged before: {codes}.",
}


def merged_words(one: "MergedFile", accepted: Collection[Path] = ()) -> str:
    """Return the result of merging one file, and the remedy."""
    if one.refused:
        return tr("Not merged. {why} {hint}").format(why=safe_line(one.refused), hint=safe_line(one.hint)).strip()
    if not was_merged(one, accepted) and one.held:
        return tr("Not merged: {why} Ask the rater.").format(why=tr(HELD_WORDS[one.held]))
    if not was_merged(one, accepted):
        return tr("Not merged: this project made no packet for rater {code}.").format(code=as_given(one.code) or "?")
    parts = []
    if one.added:
        parts.append(plural(one.added, "1 answer is new.", "%n answers are new."))
    if one.repeated:
        parts.append(plural(one.repeated, "1 was here already.", "%n were here already."))
    if one.conflicting:
        parts.append(plural(one.conflicting, "1 conflict waits for a decision.", "%n conflicts wait for a decision."))
    if one.changed_texts:
        changed = "1 comparison shows other texts: its answer is left out."
        parts.append(
            plural(len(one.changed_texts), changed, "%n comparisons show other texts: their answers are left out.")
        )
    if one.strange:
        strange = "1 answer is none that was asked for: it is left out."
        parts.append(plural(one.strange, strange, "%n answers are none that were asked for: they are left out."))
    if one.held:
        parts.append(tr("Merged by your decision, although {why}").format(why=tr(HELD_WORDS[one.held])))
    elif one.copies:
        parts.append(tr("Another finished copy was merged before: two different finished copies."))
    if one.unsealed:
        parts.append(tr("Unsealed: these answers stay marked."))
    if not one.code:
        return " ".join(parts)
    parts.append(tr("Finished.") if one.finished else tr("Not finished yet: it counts when it comes back finished."))
    if one.hint:
        parts.append(safe_line(one.hint))
    return " ".join(parts)


def report_words(report: "MergeReport", accepted: Collection[Path] = ()) -> str:
    """Return the whole report in one line."""
    merged = [file for file in report.files if was_merged(file, accepted) and file.code]
    parts = [
        plural(len(merged), "1 packet was merged", "%n packets were merged"),
        plural(sum(file.added for file in merged), "1 new answer", "%n new answers"),
    ]
    if left := sum(not was_merged(file, accepted) for file in report.files):
        parts.append(plural(left, "1 file was left out", "%n files were left out"))
    return " ".join([", ".join(parts) + ".", *seats_words(report)])


def seats_words(report: "MergeReport") -> list[str]:
    """Return the copies of a workshop's seats, a sentence each, which distinguishes no person."""
    waiting = "1 seat of a workshop came back in copies that differ: decide under Decisions which counts."
    several = "%n seats of a workshop came back in copies that differ: decide under Decisions which count."
    return [
        *([plural(report.seats_to_decide, waiting, several)] if report.seats_to_decide else []),
        *([plural(report.seats_kept, *SEATS_KEPT)] if report.seats_kept else []),
    ]


def outcome_words(
    outcome: str, chosen: int | None, order: Sequence[int], degree: str | None = None, confidence: int | None = None
) -> str:
    """Return an answer by the letters that the texts have here, with its degree and confidence where it has them."""
    if confidence is not None:
        sure = {1: tr("a guess"), 2: tr("fairly sure"), 3: tr("sure")}[confidence]
        return f"{outcome_words(outcome, chosen, order, degree)}, {sure}"
    if chosen is not None and outcome == "choice":
        words = {"much": tr("{letter} much better"), "slightly": tr("{letter} slightly better")}
        return words.get(degree or "", tr("{letter} chosen")).format(letter=letter_of(chosen, order))
    return {
        "tie": tr("a tie"),
        "none": tr("none is good"),
        "skip": tr("skipped"),
        "undone": tr("taken back"),
        "withdrawn": tr("taken back"),
    }.get(outcome, outcome)


def letter_of(item: int, order: Sequence[int]) -> str:
    return LETTERS[tuple(order).index(item)]


def counted_outcomes(said: Sequence[tuple[str, int | None]], order: Sequence[int]) -> str:
    """Return the number of answers of each kind: "A 2 · B 1 · tie 1"."""
    counts: dict[str, int] = {}
    letters = [letter_of(item, order) for item in order]
    for outcome, chosen in said:
        key = letter_of(chosen, order) if outcome == "choice" and chosen is not None else outcome
        counts[key] = counts.get(key, 0) + 1
    names: Mapping[str, str] = {"tie": tr("tie"), "none": tr("none good")}
    ordered = [*letters, "tie", "none"]
    return " · ".join(f"{names.get(key, key)} {number(counts[key])}" for key in ordered if key in counts)


def safe_lines(text: str) -> str:
    """Return a note as it was typed, line by line, made safe to show."""
    return "\n".join(safe_line(line) for line in text.splitlines()).strip()
