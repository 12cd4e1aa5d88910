"""What the tests of pages share: pages for raters, what is in one, and pages that somebody answered or edited."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.hand_out import hand_out
from biasprint.core.judging.packets.make import MadePacket
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.judging.packets.packet import MergedFile
from biasprint.core.project.project import Project
from biasprint.core.project.stores import chain
from biasprint.core.project.stores.common import canonical_json, new_uuid
from biasprint.core.project.stores.judging import judgment_sha256
from biasprint.core.project.stores.packets import seal_sha256

Data = dict[str, Any]


def made_pages(project: Path, plan: str, *codes: str, folder: Path | None = None) -> tuple[MadePacket, ...]:
    with Project.open(project) as opened:
        target = folder or project.parent / "pages"
        return hand_out(JobContext(), opened, "html", plan_id=plan, codes=codes, folder=target)


def merged(project: Path, *pages: Path, accept: bool = False) -> tuple[MergedFile, ...]:
    with Project.open(project) as opened:
        return merge_packets(JobContext(), opened, pages, accept_held=accept).files


def data_in(page: Path, element: str) -> Data:
    (found,) = re.findall(f'<script type="application/json" id="{element}">(.*?)</script>', page.read_text("utf-8"))
    return dict(json.loads(found))


def with_data(page: Path, name: str, **elements: Any) -> Path:
    """A copy whose elements hold something else, as a person with an editor would make it."""
    html = page.read_text("utf-8")
    for element, value in elements.items():
        begin = f'<script type="application/json" id="{element}">'
        head, rest = html.split(begin, 1)
        text = value if isinstance(value, str) else json.dumps(value)
        html = head + begin + text + "</script>" + rest.split("</script>", 1)[1]
    copy = page.with_name(name)
    copy.write_text(html, "utf-8")
    return copy


def row_of(page: Path, index: int, outcome: str = "choice", chosen: int | None = 1, **more: Any) -> Data:
    """An answer to one comparison, as the page writes it."""
    packet = data_in(page, "packet")
    each = packet["comparisons"][index]
    row = {
        "id": new_uuid(), "session_id": packet["session"], "comparison_id": each["id"], "outcome": outcome,
        "chosen": chosen if outcome == "choice" else None, "shown": canonical_json(list(range(len(each["texts"])))),
        "texts_sha256": each["texts_sha256"], "note": "", "active_seconds": 2.0, "supersedes": None,
        "created_at": f"2026-11-29T10:{index:02d}:00.000+00:00", "detail": "{}", **more,
    }  # fmt: skip
    return hashed(row)


def hashed(row: Mapping[str, Any]) -> Data:
    return {**row, "row_sha256": judgment_sha256(dict(row))}


def signed(page: Path, name: str, *rows: Data, finish: bool = False, **more: Any) -> Path:
    """A page with these answers, signed one after the other as its script does."""
    packet, answers = data_in(page, "packet"), {**data_in(page, "answers"), **more}
    for row in rows:
        answers["judgments"] = [*answers["judgments"], row]
        answers["chain"] = chain._next(answers["chain"], row["row_sha256"])
    if finish:
        answers = sealed(packet, {**answers, "revealed_at": "2026-11-29T12:00:00.000+00:00"})
        answers["chain"] = chain._ended(answers["chain"], answers["seal"])
    return with_data(page, name, answers=answers)


def sealed(packet: Data, answers: Data) -> Data:
    """Answers with the seal that fits them: no secret is needed for that."""

    class Session:
        id = packet["session"]
        consent_text, consent_at = answers["consent_text"], answers["consent_at"]
        revealed_at = answers["revealed_at"]

    pairs = [(row["id"], row["row_sha256"]) for row in answers["judgments"]]
    seal = seal_sha256(packet["content_sha256"], Session, answers["background"], pairs, answers["annotations"])
    return {**answers, "seal": seal}


def altered(page: Path, name: str, alter: Callable[[Data], object]) -> Path:
    """A finished page whose answers were altered, with every hash and seal made anew that needs no key."""
    packet, answers = data_in(page, "packet"), data_in(page, "answers")
    alter(answers)
    answers["judgments"] = [hashed(row) for row in answers["judgments"]]
    return with_data(page, name, answers=sealed(packet, answers) if answers["seal"] else answers)
