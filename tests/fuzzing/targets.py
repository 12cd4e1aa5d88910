"""The kinds of input that others make, with small sound samples and what the program does with each."""

import asyncio
import csv
import gzip
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

from hypothesis import strategies as st

from biasprint.core.errors import AppError
from biasprint.core.judging.session import offer_plans, open_session
from fuzzing.changes import damaged_archive, damaged_bytes, damaged_database, damaged_json, damaged_toml

DATA = Path(__file__).parents[1] / "data"
AUDITS = Path(__file__).parents[2] / "docs" / "audits"
Samples = Callable[[], Sequence[bytes]]
Changes = Callable[[Sequence[bytes]], "st.SearchStrategy[bytes]"]


def _nothing(*_: object) -> None:
    """For kinds that need no folder laid out, and no preparation of their process."""


@dataclass(frozen=True)
class Target:
    """One kind of input.

    `place`: where the input lies below the folder of its campaign. `take`: what the program does with it, in the
    child; it raises `AppError`, or gives a sentence to be looked at, or nothing. `apart`: whether the program reads
    such inputs in a process of their own, whose end is a sentence. `lay_out`: makes the files that lie beside it.
    """

    name: str
    place: str
    samples: Samples
    take: Callable[[Path], str]
    changes: Changes = damaged_bytes
    apart: bool = False
    seconds: float = 10.0
    lay_out: Callable[[Path], None] = _nothing
    prepare: Callable[[], None] = _nothing
    may_change: bool = False

    def inputs(self) -> "st.SearchStrategy[bytes]":
        return self.changes(self.samples())


def every_refused(path: Path, *readers: Callable[[Path], object]) -> str:
    """Each reader reads the file or refuses it; what they say, or the first refusal where all refuse."""
    refused = []
    for read in readers:
        try:
            read(path)
        except AppError as error:
            refused.append(error)
    if len(refused) == len(readers):
        raise refused[0]
    return "\n".join(dict.fromkeys(" ".join(error.message.split()) for error in refused))


# ---- Projects and packets


def _projects() -> list[bytes]:
    return [(DATA / f"schema-v{version}.biasprint").read_bytes() for version in (1, 3, 3, 3)]


def _take_project(path: Path) -> str:
    from read_everything import read_everything

    from biasprint.core.project.damaged import check_project
    from biasprint.core.project.project import Project
    from biasprint.core.project.rescue import rescue_project

    def opened(path: Path) -> None:
        with Project.open(path, read_only=True) as project:
            read_everything(project)

    def written_to(path: Path) -> None:
        with Project.open(copied(path)) as project:
            read_everything(project)
            for study in project.studies.all():
                project.studies.keep_setting(study.id, "board", {"a": 1})

    def rescued(path: Path) -> None:
        rescue_project(path, copied(path).with_name("rescued.biasprint"))

    # Of the two that take long, each damage meets one.
    return every_refused(path, check_project, opened, rescued if crc32(path.read_bytes()) % 2 else written_to)


def copied(path: Path) -> Path:
    """The file alone in a folder of its own that may be written to."""
    return Path(shutil.copy(path, tempfile.mkdtemp()))


def _lay_out_packets(root: Path) -> None:
    from packet_files import answer, coordinator, finished, make

    file = root / "project" / "canaryprojectqx.biasprint"
    plan = coordinator(file, comparisons=2, repeats=1, consent_text="Do you agree?", criterion_ratings=True)
    made = make(file, plan, "R01", folder=root / "project")[0].path
    finished(answer(made, (0, "choice", 1), (1, "tie", None)))


def _packets() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        _lay_out_packets(Path(folder))
        return [file.read_bytes() for file in sorted(Path(folder).rglob("*.bpacket"))]


def _take_packet(path: Path) -> str:
    from packet_files import judging, merge

    from biasprint.core.judging.packets.merge import read_packet

    def rated(path: Path) -> None:
        with judging(copied(path)) as door:
            (offer,) = door.ask(offer_plans).result().offers
            door.ask(open_session, offer.token, "R01", True).result()

    def merged(path: Path) -> None:
        (file,) = path.parent.glob("project/*.biasprint")
        merge(copied(file), path)

    return every_refused(path, read_packet, rated, merged)


def _pages() -> list[bytes]:
    from packet_files import coordinator
    from page_files import made_pages, row_of, signed

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.biasprint"
        (made,) = made_pages(file, coordinator(file, comparisons=2, spans=True, criterion_ratings=True), "R01")
        half = signed(made.path, "half.html", row_of(made.path, 0))
        return [half.read_bytes(), signed(half, "whole.html", row_of(half, 1, "tie"), finish=True).read_bytes()]


def _take_page(path: Path) -> str:
    from biasprint.core.judging.packets.merge import read_packet

    return every_refused(path, read_packet)


# ---- Letters


def _letters(*names: str) -> Samples:
    def samples() -> list[bytes]:
        from letter_files import MAKERS

        short = ("To whom it may concern,", "Kelly is a warm colleague, “the best” – naïve or not.", "Dr. Jonas Field")
        return [MAKERS[name](short) for name in names]

    return samples


def _take_letter(path: Path) -> str:
    from biasprint.core.letters.files import parse_letter_file

    parse_letter_file(path.read_bytes(), path.name)
    return ""


def _limit() -> None:
    from biasprint.core.machine.child import limit_once

    limit_once()


def letter(ending: str, changes: Changes = damaged_bytes) -> Target:
    samples = _letters(f"letter.{ending}")
    return Target(ending, f"in/letter.{ending}", samples, _take_letter, changes, apart=True, prepare=_limit)


# ---- Tables


ROWS = (
    ("text", "group", "name", "value"), ("She is kind, “warm”.", "f", "Ann", "1.5"), ("He leads.", "m", "Ben", "2"),
    ("=1+1", "m", "Ça\nva", ""),
)  # fmt: skip


def _csvs() -> list[bytes]:
    stream = io.StringIO()
    csv.writer(stream).writerows(ROWS)
    text = stream.getvalue()
    return [text.encode(), text.replace(",", ";").encode("cp1252"), text.replace(",", "\t").encode("utf-16")]


def _jsonls() -> list[bytes]:
    rows = [dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]]
    return ["\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()]


def _workbooks() -> list[bytes]:
    from openpyxl import Workbook

    book, stream = Workbook(), io.BytesIO()
    for row in ROWS:
        book.active.append(row)
    book.create_sheet("other").append(("more",))
    book.save(stream)
    return [stream.getvalue()]


def _parquets() -> list[bytes]:
    import pyarrow
    import pyarrow.parquet

    columns = {name: [row[place] for row in ROWS[1:]] for place, name in enumerate(ROWS[0])}
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({**columns, "list": [[1], [2], []], "number": [1.5, None, 2.0]}), stream)
    return [stream.getvalue()]


def _take_table(path: Path) -> str:
    from biasprint.core.letters.pile.outcomes import read_outcomes
    from biasprint.core.letters.request import read_list
    from biasprint.core.tables import fields_of, known_formats, look_at, read_format, read_records
    from biasprint.core.tables.read import read_columns

    def as_format(name: str) -> Callable[[Path], object]:
        return lambda path: read_format(name, path)

    readers: list[Callable[[Path], object]] = [
        look_at, lambda path: read_columns(path, kept=""), lambda path: read_records(path, fields_of("letters")),
        read_outcomes, *map(as_format, known_formats()),
    ]  # fmt: skip
    if path.suffix == ".csv":
        readers.append(read_list)
    return every_refused(path, *readers)


# ---- Results of other tools


def _results() -> list[bytes]:
    compared = {
        "metadata": {}, "models": [{"name": "a"}, {"name": "b"}],
        "examples": [{
            "input_text": "q", "tags": [], "output_text_a": "one", "output_text_b": "two", "score": 1.5,
            "individual_rater_scores": [{"is_flipped": False, "score": 1.5, "rating_label": "A", "rationale": "r"}],
        }],
    }  # fmt: skip
    task = {
        "id": 1, "data": {"comparison": "c", "rater": "R01", "card_a": "one", "card_b": "two"},
        "annotations": [{
            "result": [{"from_name": "choice", "to_name": "cards", "type": "choices", "value": {"choices": ["A"]}}],
            "id": 1, "lead_time": 7.25, "created_at": "2026-01-01T00:00:00Z",
        }],
    }  # fmt: skip
    return [json.dumps(compared).encode(), json.dumps([task]).encode()]


def _take_results(path: Path) -> str:
    from biasprint.core.judging.packets import outside
    from biasprint.core.runs.comparator import read_comparator

    return every_refused(path, read_comparator, outside.read_label_studio)


# ---- Models


def _models() -> list[bytes]:
    from tiny_gguf import write_tiny

    with tempfile.TemporaryDirectory() as folder:
        return [write_tiny(Path(folder) / "tiny.gguf").read_bytes()]


def _take_model(path: Path) -> str:
    from tiny_gguf import try_file

    ending = try_file(str(path))
    return "" if ending in ("stop", "length") else ending


def _classifier(root: Path) -> None:
    import torch
    from tiny_models import bert_classifier

    torch.manual_seed(1)
    bert_classifier(root / "model")


@cache
def _classifier_file(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        _classifier(Path(folder))
        return (Path(folder) / "model" / name).read_bytes()


def _take_folder(path: Path) -> str:
    from biasprint.core.scorers.folders.classifier import load_classifier

    classifier = load_classifier(path.parent)
    classifier.logits(classifier.encode(["She is kind and warm.", ""]))
    return ""


def model_file(kind: str, name: str, changes: Changes = damaged_bytes) -> Target:
    def samples() -> list[bytes]:
        return [_classifier_file(name)]

    return Target(kind, f"model/{name}", samples, _take_folder, changes, apart=True, seconds=20, lay_out=_classifier)


# ---- Replies of endpoints


def _replies() -> list[bytes]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Words."}}
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 2}}
    whole = json.dumps({"model": "small", "system_fingerprint": "f", "choices": [choice], "usage": usage}).encode()
    busy = json.dumps({"error": {"message": "slow down", "type": "rate", "code": "rate_limit_exceeded"}}).encode()
    kind = "Content-Type: application/json"
    return [
        _reply("200 OK", whole, kind), _reply("200 OK", gzip.compress(whole, mtime=0), kind, "Content-Encoding: gzip"),
        _reply("429 Too Many Requests", busy, kind, "Retry-After: 0"), _reply("500 Oops", b"<html>trace", kind),
        _stream(), _reply("307 Temporary Redirect", b"", "Location: http://127.0.0.1:9/v1"),
    ]  # fmt: skip


def _reply(status: str, body: bytes, *headers: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]).encode() + body


def _stream() -> bytes:
    events = [
        {"model": "small", "choices": [{"index": 0, "finish_reason": None, "delta": {"content": "Words"}}]},
        {"model": "small", "choices": [{"index": 0, "finish_reason": "stop", "delta": {}}]},
    ]
    said = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events) + b"data: [DONE]\n\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + f"{len(said):x}\r\n".encode() + said + b"\r\n0\r\n\r\n"


_now: dict[str, bytes] = {}  # what the server of this process answers


@cache
def _server() -> str:
    from bad_server import Asked, BadServer, Hangup

    async def give(writer: asyncio.StreamWriter, _: Asked) -> None:
        writer.write(_now["reply"])
        await writer.drain()
        raise Hangup

    return BadServer(lambda _: give).__enter__().url


def _take_reply(path: Path) -> str:
    from biasprint.core.backends.openai_compatible.failures import Clock
    from biasprint.core.backends.openai_compatible.settings import EndpointSettings
    from biasprint.core.backends.openai_compatible.writer import EndpointWriter
    from biasprint.core.backends.protocol import Request
    from biasprint.core.machine.endpoints import Endpoint

    _now["reply"] = path.read_bytes()
    endpoint = Endpoint("lab", _server(), retries=0, deadline_seconds=3.0)
    backend = EndpointWriter(EndpointSettings(endpoint, "small"), [None], Clock())
    try:
        done = backend.generate(Request("key", "prompt", 1), _nothing, _nothing)
    finally:
        backend.close()
    assert (done.finish_reason == "error") == bool(done.error)
    assert done.error or done.text
    return done.error


# ---- Definitions, audits, settings


def _definitions() -> list[bytes]:
    from biasprint.core.prompts.definition_kinds import KINDS
    from biasprint.core.prompts.library import example_of
    from biasprint.core.prompts.resource_files import packaged

    found = [example_of(kind).encode() for kind in KINDS.values() if kind.suffixes[0] == "toml"]
    shipped = [packaged("axes"), packaged("designs")]
    return found + [file.read_bytes() for folder in shipped for file in folder.iterdir() if file.name.endswith(".toml")]


def _take_definition(path: Path) -> str:
    from biasprint.core.prompts.axes import load_axis
    from biasprint.core.prompts.definition_kinds import KINDS
    from biasprint.core.prompts.designs import load_design
    from biasprint.core.prompts.library import read_definition

    def as_kind(kind: Any) -> Callable[[Path], object]:
        return lambda path: read_definition(kind, path)

    return every_refused(path, load_axis, load_design, *map(as_kind, KINDS.values()))


def _audits() -> list[bytes]:
    return [file.read_bytes() for file in sorted(AUDITS.glob("*.toml"))]


def _take_audit(path: Path) -> str:
    from biasprint.core.runs.audit.reading import read_audit

    read_audit(path)
    return ""


def _settings() -> list[bytes]:
    chosen = {"theme": "dark", "font_percent": 110, "keys": {"first": ["1"]}, "recent": ["/a/b.biasprint"]}
    endpoints = {"endpoints": [{"name": "lab", "base_url": "http://127.0.0.1:1/v1", "concurrency": 8}]}
    records = {"added": {"m": {"name": "m", "role": "generator", "path": "/m"}}, "preferred": {"generator": "m"}}
    return [json.dumps(one, indent=1).encode() for one in (chosen, endpoints, records)]


def _take_settings(path: Path) -> str:
    from biasprint.core.machine import endpoints, storage
    from biasprint.core.machine.models import records
    from biasprint.core.project import gate
    from biasprint.desktop.settings import BY_KEY, Settings

    settings = Settings(copied(path))
    for key in BY_KEY:
        settings.get(key)
    settings.keys(), settings.recent()
    names = (endpoints.FILE, "models.json", "known-projects.json", "settings.json", "offline.json")
    for name in names:
        shutil.copy(path, storage.home() / name)
    gate.is_known(path)
    with suppress(AppError):
        storage.read("offline.json")
    return every_refused(path, *(
        lambda _, read=read: read() for read in (endpoints.endpoints, records.got, records.added, records.preferred)
    )) or settings.notice  # fmt: skip


TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        Target("project", "in/study.biasprint", _projects, _take_project, damaged_database, seconds=15),
        Target(
            "packet", "packet-R01.bpacket", _packets, _take_packet, damaged_database, seconds=15,
            lay_out=_lay_out_packets,
        ),
        Target("page", "packet-R01.html", _pages, _take_page),
        letter("docx", damaged_archive), letter("odt", damaged_archive), letter("pdf"), letter("rtf"), letter("html"),
        letter("txt"), letter("md"), letter("eml"),
        Target("csv", "in/table.csv", _csvs, _take_table),
        Target("jsonl", "in/table.jsonl", _jsonls, _take_table),
        Target("xlsx", "in/table.xlsx", _workbooks, _take_table, damaged_archive),
        Target("parquet", "in/table.parquet", _parquets, _take_table),
        Target("results", "in/results.json", _results, _take_results, damaged_json),
        Target("gguf", "in/tiny.gguf", _models, _take_model, apart=True, seconds=20),
        model_file("safetensors", "model.safetensors"), model_file("tokenizer", "tokenizer.json", damaged_json),
        model_file("model settings", "config.json", damaged_json),
        Target("reply", "in/reply.http", _replies, _take_reply),
        Target("definition", "in/mine.toml", _definitions, _take_definition, damaged_toml),
        Target("audit", "in/audit.toml", _audits, _take_audit, damaged_toml),
        Target("settings", "in/settings.json", _settings, _take_settings, damaged_json),
    )
}  # fmt: skip
