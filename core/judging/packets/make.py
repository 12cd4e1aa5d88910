"""Making packets: for each rater one file with the texts, the wording and nothing else, and who it is for."""

import os
import re
import sqlite3
import tempfile
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.assignment import assigned
from biasprint.core.judging.card_order import CardOrder, drawn_number, order_key, secret_of
from biasprint.core.judging.packets.packet import (
    CARD,
    FORMAT,
    ORIGIN,
    STUDY,
    SUFFIX,
    PacketInfo,
    ShownComparison,
    WordingList,
    content_sha256,
    file_sha256,
    packet_info,
    settings_for_rater,
)
from biasprint.core.judging.packets.page import PAGE_SUFFIX, NotAPage, read_page, write_page
from biasprint.core.judging.plan import PlanSettings, texts_digest
from biasprint.core.judging.sway import recommended_cards
from biasprint.core.judging.wording import ComparisonPrompts, ComparisonWording, plan_wording, wording_of
from biasprint.core.language import ENGLISH
from biasprint.core.machine.files import unfinished
from biasprint.core.machine.storage import put_in_place, put_on_disk
from biasprint.core.project.checksums import keep_checksums
from biasprint.core.project.connection import connect, explain
from biasprint.core.project.project import Project
from biasprint.core.project.rows import (
    PROMPTS,
    RECOMMENDED,
    ComparisonRow,
    PacketRow,
    PlanRow,
    RaterRow,
    SessionRow,
    TextKey,
)
from biasprint.core.project.schema import migrate
from biasprint.core.project.stores.chain import CHAIN, KEY, first_state
from biasprint.core.project.stores.common import canonical_json, new_secret, new_uuid, utc_now
from biasprint.core.project.stores.packets import NewPacket
from biasprint.core.text import TextDigest, store_text

# ---- Writing the file
#
# It is new, row by row, from what a rater may have. Never a copy with things taken out.

Rows = Iterable[Mapping[str, Any]]


@contextmanager
def written_new(target: Path, fill: Callable[[Path], None]) -> Iterator[Path]:
    """Yield a file that `fill` has filled beside `target`, on the disk; it takes its name where the block ends well.

    Raises AppError where it cannot be written; then nothing is left.
    """
    part: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
        os.close(handle)
        part = unfinished(Path(name))
        fill(part)
        with open(part, "rb+") as stream:
            put_on_disk(stream.fileno())
        yield part
        if target.exists():  # came to be while this one was written
            raise FileExistsError(f"{target.name} is there")
        os.chmod(part, 0o666 & ~umask())  # mkstemp keeps files to their maker; this one is for sending
        put_in_place(part, target)
    except (sqlite3.Error, OSError) as error:
        explained = explain(error, target)
        if isinstance(explained, AppError):
            raise explained from error
        raise AppError(
            f"The packet “{target.name}” could not be written.",
            kept="The project itself is as it was.",
            hint="Choose another folder, or free some space.",
            details=str(error),
        ) from error
    finally:
        if part is not None:
            for left in (part, part.with_name(part.name + "-journal")):
                with suppress(OSError):
                    left.unlink(missing_ok=True)


def _fill(rows: Mapping[str, Rows], part: Path) -> None:
    with closing(connect(part, writable=True)) as connection:
        connection.execute("PRAGMA synchronous=OFF")  # the whole file is put on the disk at the end
        migrate(connection, present=0)
        keep_checksums(connection)
        connection.execute("BEGIN IMMEDIATE")
        for table, values in rows.items():
            for row in values:
                names = ", ".join(f'"{name}"' for name in row)
                places = ", ".join("?" for _ in row)
                connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({places})', tuple(row.values()))
        connection.execute("COMMIT")


def umask() -> int:
    """Return the rights that new files lack."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


LONGEST_CODE = 40
AT_ONCE = 100  # comparisons whose texts are read together


@dataclass(frozen=True)
class MadePacket:
    """A packet in a file. `comparisons`: how many it holds; those whose texts are not as planned are left out."""

    path: Path
    code: str
    packet_id: str
    comparisons: int


@dataclass(frozen=True)
class PlanToSend:
    """The part that all packets of a plan share."""

    row: PlanRow
    rows: tuple[ComparisonRow, ...]  # all of them: the order of the cards depends on all
    usable: Mapping[str, str]  # comparisons that can be judged, with the number of their wording
    digests: Mapping[TextKey, TextDigest]
    settings: dict[str, Any] = field(default_factory=dict)
    round: int = 0  # of a plan that is drawn in rounds, which alone is sent
    practised: frozenset[str] = frozenset()  # raters who had a packet of an earlier round, and its practice round
    settings_practised: dict[str, Any] = field(default_factory=dict)  # theirs
    prompts: Mapping[str, str] = field(default_factory=dict)  # of the comparisons that show one


def make_packets(
    ctx: JobContext,
    project: Project,
    *,
    plan_id: str,
    codes: Sequence[str],
    folder: Path,
    wording: ComparisonWording | None = None,
    number: int | None = None,
    page_language: str | None = None,
) -> tuple[MadePacket, ...]:
    """Write one packet for each code into `folder`, and note rater, session and packet in the project.

    number: of a plan in rounds, the round whose comparisons are sent; None: the last. page_language: each is
    a page for a browser or phone (`page`) in this language, and the same packet for the project.

    A packet that is there already, made for the same code and plan and not rated in yet, is as good as a new one and
    stays. Raises UsageError for a code or plan that makes no sense, AppError for a code that has rated this plan here,
    a file that is in the way, or a folder that cannot be written to. Nothing is written unless all can be made.
    """
    wanted = rater_codes(codes)
    suffix, later = SUFFIX if page_language is None else PAGE_SUFFIX, later_round(project, plan_id, number)
    targets = {code: folder / file_name(code, later, suffix) for code in wanted}
    if len({str(path).casefold() for path in targets.values()}) < len(wanted):
        raise UsageError("Two of these codes would give one file name.", hint="Make their packets in two folders.")
    plan = read_plan(ctx, project, plan_id, wording or wording_of(project), number)
    begun = {code: begun_packet(project, plan, code) for code in wanted}
    standing = {code: _already_written(targets[code], begun[code]) for code in wanted}
    made = []
    for done, code in enumerate(wanted, start=1):
        ctx.check()
        if not standing[code]:
            _write(ctx, project, plan, begun[code], targets[code], page_language or ENGLISH)
        made.append(MadePacket(targets[code], code, begun[code].packet.id, len(asked_of(plan, code))))
        ctx.report(done, len(wanted), note=code)
    return tuple(made)


def file_name(code: str, later: int = 0, suffix: str = SUFFIX) -> str:
    """Return the packet's name in a folder: after the rater and a later round, never after the project."""
    safe = re.sub(r"[^\w.-]", "_", unicodedata.normalize("NFC", code))
    return f"packet-{safe}{f'-round-{later}' if later else ''}{suffix}"


def later_round(project: Project, plan_id: str, number: int | None) -> int:
    """Return the round that is sent where it is not the first, else 0. Raises UsageError for one that is not there."""
    rounds = len(PlanSettings.of(_plan(project, plan_id).settings).rounds)
    if number is not None and not 1 <= number <= rounds:
        drawn = f"{rounds} round{'s' * (rounds != 1)}" if rounds else "no rounds: its comparisons were drawn at once"
        raise UsageError(f"There is no round {number}: the plan has {drawn}.", kept="No packet was made.",
                         hint="Draw it first: “biasprint compare FILE --next-round PLAN”.")  # fmt: skip
    sent = rounds if number is None else number
    return sent if sent > 1 else 0


def rater_codes(codes: Sequence[str]) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(code.strip() for code in codes))
    for code in wanted:
        if not code or len(code) > LONGEST_CODE or not code.isprintable():
            raise UsageError(
                f"“{code}” is no rater code.", hint=f"A code has 1 to {LONGEST_CODE} printable characters, such as R01."
            )
    if not wanted:
        raise UsageError("Packets are made for raters, and none was named.", hint="Name their codes, such as R01.")
    return wanted


def read_plan(
    ctx: JobContext, project: Project, plan_id: str, wording: ComparisonWording, number: int | None = None
) -> PlanToSend:
    plan = _plan(project, plan_id)
    if packet_info(project) is not None:
        raise UsageError("This is a packet itself.", hint="Make packets from the project that it came from.")
    rows = project.judging.comparisons(plan_id)
    if not order_key(plan):
        project.judging.give_key(plan_id)
        plan = _plan(project, plan_id)
    digests: dict[TextKey, TextDigest] = {}
    for start in range(0, len(rows), AT_ONCE):
        ctx.check()
        keys = {item.key for row in rows[start : start + AT_ONCE] for item in row.items} - digests.keys()
        digests |= {key: TextDigest(text) for key, text in project.texts(keys).items()}
    asked = PlanSettings.of(plan.settings)
    later = later_round(project, plan_id, number)
    sent = later or min(1, len(asked.rounds))
    usable = tuple(
        row for row in rows if _as_planned(row, digests) and (not sent or asked.round_of(row.position) == sent)
    )
    if not usable:
        raise AppError(
            "The plan has no comparison whose texts are as they were planned.", kept="No packet was made.",
            hint="Draw comparisons first." if not rows else "“biasprint check” says what is wrong with the project.",
        )  # fmt: skip
    listed = WordingList(plan_wording(wording, asked))
    numbers = {row.id: listed.number(row.task, row.theme) for row in usable}
    settings_practised = settings_for_rater(replace(asked, practice=()), listed.all)
    practice = tuple(
        {**practice_text, "task": listed.number(practice_text["task"], practice_text["theme"]), "theme": ""}
        for practice_text in asked.practice
    )
    shown = ComparisonPrompts(project).each([row.items for row in usable] if asked.show_prompt else [])
    prompts = {row.id: prompt.text for row, prompt in zip(usable, shown, strict=False) if prompt.text}
    settings = settings_for_rater(replace(asked, practice=practice), listed.all)
    practised = _had_a_packet_before(project, plan_id, sent)
    return PlanToSend(plan, rows, numbers, digests, settings, sent, practised, settings_practised, prompts)


def _had_a_packet_before(project: Project, plan_id: str, number: int) -> frozenset[str]:
    """Return the codes of the raters for whom a packet of an earlier round of the plan was made."""
    earlier = {
        row.rater_id
        for row in project.packets.all()
        if (row.direction, row.plan_id) == ("made", plan_id) and int(row.manifest.get("round", number)) < number
    }
    return frozenset(row.code for row in project.judging.raters() if row.id in earlier)


def _plan(project: Project, plan_id: str) -> PlanRow:
    plan = next((row for row in project.judging.plans() if row.id == plan_id), None)
    if plan is None:
        raise UsageError("The project has no such plan.", hint="Draw comparisons first.")
    return plan


def _as_planned(row: ComparisonRow, digests: Mapping[TextKey, TextDigest]) -> bool:
    digests_found = [digests[item.key].hexdigest() for item in row.items if item.key in digests]
    return len(digests_found) == len(row.items) and texts_digest(digests_found) == row.texts_sha256


def order_for(plan: PlanToSend, code: str) -> CardOrder:
    return CardOrder(plan.rows, plan=plan.row, rater_code=code)


def asked_of(plan: PlanToSend, code: str) -> list[ComparisonRow]:
    """Return the comparisons of one rater's packet, in the order in which they are asked."""
    settings = PlanSettings.of(plan.row.settings)
    mine = (plan.rows[place] for place in assigned(plan.rows, settings, secret=secret_of(plan.row), code=code))
    return [row for row in mine if row.id in plan.usable]


def settings_of(plan: PlanToSend, code: str) -> dict[str, Any]:
    """Return the settings in one rater's packet: those of all, the prompts, and which card is recommended."""
    advised, order = recommended_cards(plan.rows, plan.row, code), order_for(plan, code)
    asked = asked_of(plan, code)
    cards = {row.id: order.of(row.id).index(advised[row.id]) for row in asked if row.id in advised}
    prompts = _prompts(plan, code, asked)
    more = {RECOMMENDED: cards} if PlanSettings.of(plan.row.settings).sway else {}
    settings = plan.settings_practised if code in plan.practised else plan.settings
    return {**settings, **more, **({PROMPTS: prompts} if prompts else {})}


def _prompts(plan: PlanToSend, code: str, asked: Sequence[ComparisonRow]) -> dict[str, str]:
    """Return the prompts of one rater's comparisons. Blanks behind them, as behind texts, keep equal ones apart."""
    key = order_key(plan.row)
    used: defaultdict[str, set[int]] = defaultdict(set)
    prompts = {}
    for row in asked:
        if (prompt := plan.prompts.get(row.id)) is not None:
            taken = used[prompt]
            blanks = _free_number(taken, drawn_number(key, "prompt", code, row.id)) if key else 0
            taken.add(blanks)
            prompts[row.id] = prompt + " " * blanks
    return prompts


@dataclass(frozen=True)
class LaidOut:
    """One comparison of a packet: its items in the order of the cards, and the number of blanks after each text.

    The blanks are not seen. A text that comes twice has another number of them each time, so that equal rows, hashes or
    lengths do not reveal which comparison repeats which; whoever compares texts without their blanks can tell.
    """

    row: ComparisonRow
    cards: tuple[TextKey, ...]
    blanks: tuple[int, ...]


FEWEST_BLANKS = 64  # numbers of blanks to draw from


def laid_out(plan: PlanToSend, code: str) -> list[LaidOut]:
    """Return one rater's comparisons as the packet has them. Always the same, because it follows from the plan's
    key.
    """
    order, key = order_for(plan, code), order_key(plan.row)
    used: defaultdict[str, set[int]] = defaultdict(set)
    layout = []
    for row in asked_of(plan, code):
        cards = tuple(row.items[index].key for index in order.of(row.id))
        blanks = []
        for place, card in enumerate(cards):
            taken = used[plan.digests[card].hexdigest()]
            blanks.append(_free_number(taken, drawn_number(key, "blanks", code, row.id, str(place))) if key else 0)
            taken.add(blanks[-1])
        layout.append(LaidOut(row, cards, tuple(blanks)))
    return layout


def _free_number(taken: set[int], drawn: int) -> int:
    """Draw one of the numbers that are not taken, of 64 more than those."""
    free = [number for number in range(FEWEST_BLANKS + len(taken)) if number not in taken]
    return free[drawn % len(free)]


def _digests(plan: PlanToSend, comparison: LaidOut) -> list[str]:
    return [plan.digests[card].hexdigest(more) for card, more in zip(comparison.cards, comparison.blanks, strict=True)]


def _content(plan: PlanToSend, code: str) -> str:
    shown = (
        ShownComparison(comparison.row.id, plan.usable[comparison.row.id], _digests(plan, comparison))
        for comparison in laid_out(plan, code)
    )
    return content_sha256(code, settings_of(plan, code), shown)


def begun_packet(project: Project, plan: PlanToSend, code: str) -> NewPacket:
    """Return rater, session and packet as they are in the project, or as they will be."""
    content = _content(plan, code)
    if not asked_of(plan, code):
        raise AppError(
            f"No comparison of this plan falls to {code}: it has fewer than raters it is split among.",
            kept="No packet was made.", hint="Draw more comparisons, or split them among fewer raters.",
        )  # fmt: skip
    now = utc_now()
    rater = next((row for row in project.judging.raters() if row.code == code), None)
    if rater is not None and rater.kind != "person":
        raise UsageError(f"{code} is a model.", hint="Packets are for people: use another code.")
    rater = rater or RaterRow(new_uuid(), code, "person", {}, now)
    same = [row for row in project.judging.sessions() if (row.plan_id, row.rater_id) == (plan.row.id, rater.id)]
    if same and not project.judging.is_packet_session(same[0].id):
        raise AppError(
            f"{code} has begun to rate this plan on this computer.", kept="No packet was made.",
            hint="Use another code for the packet.",
        )  # fmt: skip
    session = same[0] if same else SessionRow(new_uuid(), plan.row.id, rater.id, "", "", now, None)
    earlier = [
        row
        for row in project.packets.all()
        if (row.direction, row.plan_id, row.rater_id) == ("made", plan.row.id, rater.id)
        and row.manifest.get("content_sha256") == content
    ]
    counted = len(asked_of(plan, code))
    manifest = {"format": FORMAT, "content_sha256": content, "comparisons": counted, KEY: new_secret()}
    if plan.round:
        manifest["round"] = plan.round
    packet = earlier[0] if earlier else PacketRow(new_uuid(), plan.row.id, rater.id, "made", "", manifest, now)
    return NewPacket(packet, rater, session)


def _already_written(target: Path, new: NewPacket) -> bool:
    """Return whether the packet is there already, as it would be written. Raises AppError for anything else in its
    place.
    """
    if not target.exists():
        return False
    try:
        info, rated = _present(target)
    except (AppError, NotAPage):
        info, rated = None, False
    if info is not None and info.packet_id == new.packet.id and not rated and not info.finished:
        return True
    has = "a packet with answers in it" if rated else "another file"
    raise AppError(
        f"There is {has} at “{target.name}” already.", kept="No packet was made, and the file was not changed.",
        hint="Choose another folder.",
    )  # fmt: skip


def _present(target: Path) -> tuple[PacketInfo | None, bool]:
    """Return the packet that a file holds, and whether anybody has rated in it."""
    if target.suffix == PAGE_SUFFIX:
        page = read_page(target)
        ended = page.own.session.revealed_at is not None
        info = PacketInfo(page.own.packet.id, page.own.rater.code, len(page.comparisons), ended)
        return info, bool(page.judgments)
    with Project.open(target, read_only=True) as present:
        return packet_info(present), bool(present.judging.judgments(superseded=True))


def _write(ctx: JobContext, project: Project, plan: PlanToSend, new: NewPacket, target: Path, language: str) -> None:
    def fill(part: Path) -> None:
        if target.suffix == PAGE_SUFFIX:
            key = (
                new.packet.manifest.get(KEY) or new_secret()
            )  # packets of earlier versions have none, and are unsealed
            write_page(part, _page(ctx, project, plan, new, target.stem), first_state(key), language)
        else:
            _fill(_rows(ctx, project, plan, new), part)

    with written_new(target, fill) as part:
        packet = PacketRow(**{**vars(new.packet), "file_sha256": file_sha256(part)})
        project.packets.register(NewPacket(packet, new.rater, new.session))


def _rows(ctx: JobContext, project: Project, plan: PlanToSend, new: NewPacket) -> dict[str, Rows]:
    """Return the rows of a packet by table. Every time in it is the time when the packet was made."""
    at = new.packet.created_at
    place = {"plan_id": plan.row.id, "rater_id": new.rater.id}
    shown = laid_out(plan, new.rater.code)
    return {
        "study": [{"id": 1, "kind": STUDY, "title": "", "settings": "{}", "created_at": at}],
        "source": _sources(ctx, project, shown, at),
        # The seed stays at home: with it, who guesses the axis could work out the order of the cards.
        "plan": [{"id": plan.row.id, "study_id": 1, "title": "", "axis": "", "seed": 0,
                  "settings": canonical_json(settings_of(plan, new.rater.code)), "created_at": at}],
        "comparison": _comparisons(plan, shown),
        "rater": [{"id": new.rater.id, "code": new.rater.code, "kind": "person", "background": "{}",
                   "created_at": at}],
        "session": [{"id": new.session.id, **place, "consent_text": "", "consent_at": "", "opened_at": "",
                     "revealed_at": None}],
        "packet": [{"id": new.packet.id, **place, "direction": "made", "file_sha256": "",
                    "manifest": canonical_json(_manifest(new.packet)), "created_at": at}],
    }  # fmt: skip


def _page(ctx: JobContext, project: Project, plan: PlanToSend, new: NewPacket, name: str) -> dict[str, Any]:
    """Return the content of a page, as `page.PageContent` describes it."""
    shown = laid_out(plan, new.rater.code)
    texts = _card_texts(ctx, project, shown)
    return {
        "format": FORMAT,
        "packet": new.packet.id,
        "plan": plan.row.id,
        "rater": new.rater.id,
        "session": new.session.id,
        "code": new.rater.code,
        "name": name,
        "created_at": new.packet.created_at,
        "content_sha256": new.packet.manifest["content_sha256"],
        "settings": settings_of(plan, new.rater.code),
        "comparisons": [
            {
                "id": comparison.row.id,
                "wording": plan.usable[comparison.row.id],
                "texts": [next(texts) for _ in comparison.cards],
                "texts_sha256": texts_digest(_digests(plan, comparison)),
            }
            for comparison in shown
        ],
    }


def _manifest(packet: PacketRow) -> dict[str, Any]:
    """Return the manifest in the file: in place of the key that the project keeps, what signing begins with."""
    fields = {name: value for name, value in packet.manifest.items() if name != KEY}
    chain = {CHAIN: first_state(packet.manifest[KEY])} if KEY in packet.manifest else {}
    return {**fields, **chain, "packet": packet.id}


def _sources(ctx: JobContext, project: Project, shown: Sequence[LaidOut], at: str) -> Iterator[Mapping[str, Any]]:
    for number, text in enumerate(_card_texts(ctx, project, shown), start=1):
        yield {"id": number, "study_id": 1, "kind": CARD, "origin": ORIGIN, "row": number, **vars(store_text(text)),
               "fields": "{}", "created_at": at}  # fmt: skip


def _card_texts(ctx: JobContext, project: Project, shown: Sequence[LaidOut]) -> Iterator[str]:
    """Yield the texts, card by card. One that is in two comparisons is there twice: the packet does not say which is a
    repeat.
    """
    for start in range(0, len(shown), AT_ONCE):
        ctx.check()
        some = shown[start : start + AT_ONCE]
        texts = project.texts({card for source in some for card in source.cards})
        for source in some:
            for card, more in zip(source.cards, source.blanks, strict=True):
                yield texts[card] + " " * more


def _comparisons(plan: PlanToSend, shown: Sequence[LaidOut]) -> Iterator[Mapping[str, Any]]:
    number = 0
    for position, comparison in enumerate(shown):
        row, cards = (
            comparison.row,
            [{"identity": "", "source": number + card} for card in range(1, len(comparison.cards) + 1)],
        )
        number += len(cards)
        yield {
            "id": row.id,
            "plan_id": plan.row.id,
            "position": position,
            "axis": "",
            "task": plan.usable[row.id],
            "theme": "",
            "items": canonical_json(cards),
            "texts_sha256": texts_digest(_digests(plan, comparison)),
            "repeat_of": None,
        }
