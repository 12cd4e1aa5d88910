"""packet make, merge, list, decide, seats, count: judging in files that are sent to raters."""

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from biasprint.core.cli.console import complain, job, note, open_for_writing, open_to_read, print_json, print_table, say
from biasprint.core.cli.judging_commands import Code
from biasprint.core.cli.project_commands import AsJson, File
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext

if TYPE_CHECKING:
    from biasprint.core.judging.packets.decisions import Conflict
    from biasprint.core.judging.packets.make import MadePacket
    from biasprint.core.judging.packets.outside import Tool
    from biasprint.core.judging.packets.packet import MergedFile
    from biasprint.core.project.project import Project
    from biasprint.core.project.rows import PlanRow

SHORTEST_ID = 4  # of an id: so much of it names its row
SHOWN_ID = 8


def make(
    file: File,
    out: Annotated[Path, typer.Option(help="The folder for the packets.")],
    to: Annotated[
        Literal["biasprint", "html", "potato", "label-studio"],
        typer.Option(help="What raters judge with: this program, one page for any browser or phone, or a server."),
    ] = "biasprint",
    rater: Annotated[list[str] | None, typer.Option(help="A rater's code; several times for more.")] = None,
    raters: Annotated[int | None, typer.Option(help="So many raters with new codes.", min=1, max=500)] = None,
    plan: Annotated[
        str | None, typer.Option(help="The plan: its title or the start of its id; needed where there are several.")
    ] = None,
    round_: Annotated[
        int | None, typer.Option("--round", help="Of a plan in rounds: which is sent; by default the last.", min=1)
    ] = None,
    language: Annotated[
        str, typer.Option(help="The language of a page: en or de; by default the one you read this program in.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Write one blinded file for each rater. A packet that is there already and has no answers stays as it is."""
    from biasprint.core.judging.packets.hand_out import make_seats
    from biasprint.core.judging.packets.page import page_languages
    from biasprint.core.judging.plan import workshops_among

    if (rater is None) == (raters is None):
        raise UsageError("Who are the packets for?", hint="Say it with --rater R01 --rater R02, or with --raters 3.")
    known = page_languages()
    if language and (to != "html" or language not in known):
        raise UsageError(
            f"A page can speak {' or '.join(known)}, and only what is made with “--to html” is one.",
            kept="No packet was made.", hint="Leave “--language” out, or give one of these with “--to html”.",
        )  # fmt: skip
    with open_for_writing(file) as project, job("Making packets") as ctx:
        chosen = plan_called(project, plan)
        workshop = bool(workshops_among([chosen]))
        if workshop and rater is not None:
            raise UsageError(
                "In a workshop everybody is anonymous: seats get random codes.",
                hint="Say how many seats with --raters.",
            )
        tool = None if to == "biasprint" else to
        if workshop:
            with suppress(OSError):  # then it is said that there is no such folder
                out.mkdir(parents=True, exist_ok=True)
            made = make_seats(ctx, project, chosen.id, raters or 0, out, tool)
        else:
            codes = rater if rater is not None else _new_codes(project, raters or 0)
            made = _made(ctx, project, chosen.id, codes, out, tool, round_, language)
    if as_json:
        listed = [
            {
                "code": packet.code,
                "file": str(packet.path),
                "packet": packet.packet_id,
                "comparisons": packet.comparisons,
            }
            for packet in made
        ]
        print_json({"plan": chosen.id, "packets": listed})
        return
    if workshop:
        say(f"{_counted(len(made), 'seat')} of {made[0].comparisons:,} comparisons each in {out}")
        return
    for packet in made:
        say(f"{packet.code}: {packet.comparisons:,} comparisons in {packet.path}")


def _made(
    ctx: JobContext,
    project: "Project",
    plan_id: str,
    codes: list[str],
    out: Path,
    tool: "Tool | None",
    number: int | None,
    language: str,
) -> "tuple[MadePacket, ...]":
    from biasprint.core.judging.packets.hand_out import hand_out
    from biasprint.core.judging.packets.make import make_packets

    if tool is None:
        return make_packets(ctx, project, plan_id=plan_id, codes=codes, folder=out, number=number)
    return hand_out(ctx, project, tool, plan_id=plan_id, codes=codes, folder=out, number=number, page_language=language)


def merge(
    file: File,
    packets: Annotated[
        list[Path],
        typer.Argument(help="What came back: packets, pages, folders of Potato, exports of Label Studio as JSON."),
    ],
    accept_raters: Annotated[
        bool, typer.Option("--accept-raters", help="Add raters that the project does not know.")
    ] = False,
    accept_altered: Annotated[
        bool,
        typer.Option(
            "--accept-altered",
            help="Merge packets that were altered outside the program or lack their seal, and second finished copies "
            "that take the place of answers in the first. They stay marked.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Add what came back in packets. They are only read, and nothing in the project is overwritten."""
    from biasprint.core.judging.packets.merge import merge_packets

    with open_for_writing(file) as project, job("Merging") as ctx:
        report = merge_packets(ctx, project, packets, accept_raters=accept_raters, accept_held=accept_altered)
    if as_json:
        files = [_file(merged) for merged in report.files]
        seats = {"to_decide": report.seats_to_decide, "kept": report.seats_kept}
        print_json({"files": files, "conflicts": report.conflicts, "seats": seats})
    else:
        for merged in report.files:
            _tell_packet(merged, accept_altered)
        if report.conflicts:
            say(f"{_counted(report.conflicts, 'conflict')} to decide: “biasprint packet list” shows the answers.")
        if report.seats_to_decide:
            say(
                f"{_counted(report.seats_to_decide, 'seat')} of a workshop in copies that differ: decide with "
                "“biasprint packet seats FILE --count first”, or last."
            )
        if report.seats_kept:
            say(
                f"{_counted(report.seats_kept, 'seat')} with other answers once more: those that were here first count."
            )
    if any(_is_left_out(merged, accept_raters, accept_altered) for merged in report.files):
        raise typer.Exit(1)


def _is_left_out(merged: "MergedFile", accept_raters: bool, accept_altered: bool) -> bool:
    waits = (merged.unknown_rater and not accept_raters) or (merged.held and not accept_altered)
    return bool(merged.refused or waits)


def show(file: File, as_json: AsJson = False) -> None:
    """List the packets with their progress and state, and the answers that differ between copies of one packet."""
    from biasprint.core.judging.packets.decisions import conflicts, packets

    with open_to_read(file) as project:
        made, differing = packets(project), conflicts(project)
    if as_json:
        renamed = {"plan_id": "plan", "plan_title": "title", "session_id": "session"}
        listed = [{renamed.get(name, name): value for name, value in asdict(packet).items()} for packet in made]
        print_json({"packets": listed, "conflicts": [_conflict(conflict) for conflict in differing]})
        return
    if not made:
        say("There is no packet yet. Make some with: biasprint packet make FILE --raters 3 --out FOLDER")
        return
    rows = [
        (
            packet.code,
            packet.plan_title,
            f"{packet.answered:,}",
            f"{packet.skipped:,}",
            f"{packet.comparisons:,}",
            f"{packet.state}, unsealed" if packet.unsealed else packet.state,
        )
        for packet in made
    ]
    print_table(("rater", "plan", "answered", "skipped", "comparisons", "state"), rows)
    for conflict in differing:
        say(f"{conflict.code}, comparison {conflict.comparison_id[:SHOWN_ID]}: {_decided(conflict)}")
        for answer in _conflict(conflict)["answers"]:
            card = f", card {answer['card']}" if answer["card"] else ""
            say(f"  {answer['judgment'][:SHOWN_ID]}  {answer['outcome']}{card}, {answer['judged_at']}")


def decide(
    file: File,
    code: Code,
    comparison: Annotated[str, typer.Argument(help="The comparison's id, or its start.")],
    judgment: Annotated[str | None, typer.Option(help="The answer that counts: its id, or its start.")] = None,
    neither: Annotated[bool, typer.Option("--neither", help="None of the answers counts.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say which of the answers counts where two copies of a packet differ."""
    from biasprint.core.judging.packets.decisions import conflicts
    from biasprint.core.judging.packets.decisions import decide as keep

    if (judgment is None) != neither:
        raise UsageError("Which answer counts?", hint="Say it with --judgment ID, or --neither.")
    with open_for_writing(file) as project:
        mine = [
            conflict
            for conflict in conflicts(project)
            if conflict.code == code and _starts(conflict.comparison_id, comparison)
        ]
        if len(mine) != 1:
            what = "no such conflict" if not mine else "more than one conflict that begins so"
            raise UsageError(f"{code} has {what}.", hint="“biasprint packet list” shows them.")
        heads = [row.id for row in mine[0].heads if judgment is not None and _starts(row.id, judgment)]
        if judgment is not None and len(heads) != 1:
            raise UsageError(f"“{judgment}” is none of the answers.", hint="“biasprint packet list” shows them.")
        keep(project, mine[0], heads[0] if heads else None)
    chosen = heads[0] if heads else None
    if as_json:
        print_json({"code": code, "comparison": mine[0].comparison_id, "decided": chosen})
    else:
        say("Neither answer counts." if chosen is None else f"The answer {chosen[:SHOWN_ID]} counts.")


def seats(
    file: File,
    count: Annotated[
        Literal["first", "last"] | None, typer.Option(help="Which answers count: those given first, or last.")
    ] = None,
    plan: Annotated[
        str | None, typer.Option(help="The workshop: its title or the start of its id; else all of them.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the workshop seats that came back in differing copies; with --count, decide for all of them which count."""
    from biasprint.core.judging.packets.decisions import decide_seats, seats_to_decide

    with open_for_writing(file) as project:
        chosen = None if plan is None else plan_called(project, plan).id
        waiting = [workshop for workshop in seats_to_decide(project) if chosen in (None, workshop.plan_id)]
        decided = (
            sum(decide_seats(project, workshop.plan_id, count) for workshop in waiting) if count is not None else 0
        )
    if as_json:
        workshops_json = [
            {"plan": workshop.plan_id, "title": workshop.title, "seats": workshop.seats, "answers": workshop.answers}
            for workshop in waiting
        ]
        print_json({"waiting": workshops_json, "decided": decided})
        return
    for workshop in waiting:
        say(
            f"{workshop.title}: {_counted(workshop.seats, 'seat')} in copies that differ in "
            f"{_counted(workshop.answers, 'answer')}."
        )
    if not waiting:
        say("No seat waits for a decision.")
    elif count is not None:
        say(f"In {_counted(decided, 'answer')} the {count} one counts.")


def count(file: File, code: Code, as_json: AsJson = False) -> None:
    """End a packet that never came back finished: what came counts from now on."""
    from biasprint.core.judging.packets.decisions import count_unfinished, packets

    with open_for_writing(file) as project:
        mine = [packet for packet in packets(project) if packet.code == code]
        if not mine:
            raise UsageError(f"There is no packet of {code}.", hint="“biasprint packet list” shows them.")
        still = [packet for packet in mine if packet.state in ("away", "partly")]
        for packet in still:
            count_unfinished(project, packet.session_id)
    if as_json:
        print_json({"code": code, "sessions": [packet.session_id for packet in still]})
    elif still:
        say(f"{_counted(sum(packet.answered for packet in still), 'answer')} of {code} count from now on.")
    else:
        say(f"What {code} sent counts already.")


def plan_called(project: "Project", name: str | None) -> "PlanRow":
    plans = project.judging.plans()
    if not plans:
        raise AppError(
            "There is nothing to judge yet.", hint="Draw comparisons with “biasprint compare FILE --axis A”."
        )
    titles = "; ".join(f"{row.title} ({row.id[:SHOWN_ID]})" for row in plans)
    fitting = [row for row in plans if name is None or row.title == name or _starts(row.id, name)]
    if not fitting:
        raise UsageError(f"There is no plan “{name}”.", hint=f"Plans: {titles}.")
    if len(fitting) > 1:
        raise UsageError("Which plan is meant?", hint=f"Name one by its title or id. Plans: {titles}.")
    return fitting[0]


def _new_codes(project: "Project", number: int) -> list[str]:
    taken = {row.code.casefold() for row in project.judging.raters()}
    free = (code for n in range(1, number + len(taken) + 1) if (code := f"R{n:02d}").casefold() not in taken)
    return [next(free) for _ in range(number)]


def _starts(key: str, start: str) -> bool:
    return key == start or (len(start) >= SHORTEST_ID and key.startswith(start))


def _file(merged: "MergedFile") -> dict[str, Any]:
    fields = {name: value for name, value in vars(merged).items() if name not in ("path", "name")}
    code = "" if merged.workshop else merged.code
    return {"file": str(merged.path), **fields, "code": code, "changed_texts": list(merged.changed_texts)}


def _tell_packet(merged: "MergedFile", accepted: bool) -> None:
    from biasprint.core.judging.packets.packet import HELD_WORDS

    if merged.refused:
        complain(f"{merged.name}: {merged.refused} {merged.hint}".rstrip())
        return
    if not merged.code:
        note(f"{merged.name}: {_counted(merged.strange, 'answer')} to nothing that was handed out here were left out.")
        return
    if merged.unknown_rater and not merged.added and not merged.repeated:
        complain(f"{merged.name}: the project does not know the rater {merged.code}. {merged.hint}".rstrip())
        return
    if merged.held and not accepted:
        hint = "Ask the rater; --accept-altered merges it all the same."
        complain(f"{merged.name}, {merged.code}: {HELD_WORDS[merged.held]} None of it was merged. {hint}")
        return
    end = ", finished" if merged.finished else ", not finished yet"
    whom = "a seat" if merged.workshop else merged.code
    say(f"{merged.name}: {_counted(merged.added, 'answer')} of {whom} added, {merged.repeated:,} were here{end}.")
    if merged.held:
        say(f"  Merged as you asked, although {HELD_WORDS[merged.held]}")
    elif merged.copies:
        say("  Another finished copy of this packet was merged before: two different finished copies.")
    if merged.unsealed:
        say("  Unsealed: nothing shows that these are the answers as they were given; they stay marked.")
    if merged.conflicting:
        say(f"  {_counted(merged.conflicting, 'comparison')} with answers that conflict.")
    if merged.changed_texts:
        say(f"  {_counted(len(merged.changed_texts), 'comparison')} with other texts than the project’s were left out.")
    if merged.strange:
        say(f"  {_counted(merged.strange, 'answer')} that nobody was asked for so were left out.")


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _decided(conflict: "Conflict") -> str:
    if conflict.open:
        return "not decided"
    return "neither counts" if conflict.decided is None else f"{conflict.decided[:SHOWN_ID]} counts"


def _conflict(conflict: "Conflict") -> dict[str, Any]:
    """Return the answers by the place of the card, which reveals no identity."""
    answers = [
        {"judgment": row.id, "outcome": row.outcome, "note": row.note, "judged_at": row.created_at,
         "card": None if row.chosen is None else row.shown.index(row.chosen) + 1}
        for row in conflict.heads
    ]  # fmt: skip
    return {
        "code": conflict.code,
        "session": conflict.session_id,
        "comparison": conflict.comparison_id,
        "decided": conflict.decided,
        "open": conflict.open,
        "answers": answers,
    }
