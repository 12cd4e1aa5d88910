"""Every kind of write on a disk that is full, failing, read-only or over its quota: told, and nothing half is whole."""

import ast
import errno
import io
import json
import random
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from cli_support import ROOT, biasprint
from failing_disk import FAILING_DISK, FailingDisk, Fault
from inline_compute import Inline
from letter_files import docx
from packet_files import answer, coordinator, finished, make
from seeded_part import seeded_part
from trust.report import Figure

from biasprint.core.draw.figure import Figure as Chart
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.session import offer_plans, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import record_choice, save_note
from biasprint.core.letters.kept import Draft, save
from biasprint.core.letters.pile import Pile, PileRow
from biasprint.core.letters.pile.kept import PileFolder, PileWork
from biasprint.core.letters.values import Document, KeptLetter
from biasprint.core.machine import storage
from biasprint.core.machine.models.get import copy_checked
from biasprint.core.project.backup import back_up
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.prompts import letters
from biasprint.core.runs.sample import open_workshop_set, unpack_sample

Attempt = Callable[[Path, Callable[[], object]], object]  # of a folder; calls what it is given when it begins to write


@dataclass(frozen=True)
class Write:
    """A kind of write. `attempt` raises what a person is told; `makes`: the files that are there afterwards, as a
    pattern."""

    attempt: Attempt
    makes: str = ""


class Said(Exception):
    """A command failed and said why."""


def command(*argv: object) -> Attempt:
    """A command; of what begins with “@” the folder's file is meant."""

    def attempt(folder: Path, begin: Callable[[], object]) -> None:
        from biasprint.desktop.__main__ import main

        words = [str(folder / word[1:]) if (word := str(part)).startswith("@") else word for part in argv]
        out, told = io.StringIO(), io.StringIO()
        begin()
        with redirect_stdout(out), redirect_stderr(told):
            code = main(words)
        if code:
            raise Said(told.getvalue())

    return attempt


def at_once(do: Callable[[Path], object]) -> Attempt:
    def attempt(folder: Path, begin: Callable[[], object]) -> None:
        begin()
        do(folder)

    return attempt


def judge(what: str) -> Attempt:
    def attempt(folder: Path, begin: Callable[[], object]) -> None:
        with Project.open(folder / "rated.biasprint") as project:
            door = open_judging(ProjectStore(project))
            try:
                (offer,) = door.ask(offer_plans, "R09").result(60).offers
                view = door.ask(open_session, offer.token, "R09").result(60)
                assert view.comparison is not None
                begin()
                if what == "note":
                    door.ask(save_note, view.comparison.token, "a note").result(60)
                else:
                    door.ask(record_choice, view.comparison.token, "choice", 1).result(60)
            finally:
                door.close(30)

    return attempt


def letter() -> KeptLetter:
    return KeptLetter(Document("a", "pasted", ("Kelly paints well. " * 400,)), "A letter")


def keep_pile(folder: Path) -> None:
    pile = PileFolder("a" * 32)
    try:
        pile.write(PileWork(Pile("pile", (PileRow("a.txt", "a.txt"),)), (folder,), {}, ()), 1)
    finally:
        pile.let_go()


def keep_draft(folder: Path) -> None:
    draft = Draft("b" * 32)
    try:
        draft.write(letter(), 1)
    finally:
        draft.leave()


def save_settings(folder: Path) -> None:
    from biasprint.desktop.settings import Settings

    settings = Settings(folder / "home" / "settings.json")
    settings.set("font_percent", 150)
    settings.save()


def save_chart(folder: Path) -> None:
    from biasprint.desktop.charts.export import export_chart
    from biasprint.desktop.theme.tokens import tokens_for

    export_chart(Chart("id", "letters", "Title", "One sees", "intervals", ()), tokens_for("light"), folder / "old.svg")


def count(folder: Path) -> None:
    with storage.change("counted.json") as counted:
        counted["number"] = 2


STUDY, OLD = "@study.biasprint", "@old."
WRITES: Mapping[str, Write] = {
    "a new project": Write(command("new", "@new.biasprint", "--study", "completion"), "new.biasprint"),
    "prompts": Write(command("prompts", STUDY, "--study", "completion")),
    "texts of a model": Write(
        command("generate", STUDY, "--study", "letters", "--backend", "synthetic", "--model", "small", "--seed", 9)
    ),
    "scores": Write(command("score", STUDY, "--scorer", "lexicon_published")),
    "a plan": Write(command("compare", STUDY, "--axis", "race", "--seed", 4)),
    "an answer": Write(judge("answer")),
    "a note": Write(judge("note")),
    "packets": Write(
        command("packet", "make", "@rated.biasprint", "--out", "@out", "--rater", "R05"), "out/packet-R05.bpacket"
    ),
    "pages for a browser": Write(
        command("packet", "make", "@rated.biasprint", "--out", "@out", "--rater", "R05", "--to", "html"), "out/*.html"
    ),
    "tasks for Potato": Write(
        command("packet", "make", "@rated.biasprint", "--out", "@out", "--rater", "R05", "--to", "potato"), "out/**/*"
    ),
    "tasks for Label Studio": Write(
        command("packet", "make", "@rated.biasprint", "--out", "@out", "--rater", "R05", "--to", "label-studio"),
        "out/**/*",
    ),
    "what came back in packets": Write(command("packet", "merge", "@rated.biasprint", "@packets/packet-R01.bpacket")),
    **{
        f"a table as {ending}": Write(command("export", STUDY, "outputs", "--out", OLD + ending), f"old.{ending}")
        for ending in ("csv", "jsonl", "xlsx", "parquet")
    },
    "a data set": Write(
        command("export", STUDY, "outputs", "--format", "dataset", "--out", "@out/set"), "out/set/**/*"
    ),
    **{
        f"a report as {ending}": Write(
            command("report", STUDY, "--study", "letters", "--out", OLD + ending), f"old.{ending}"
        )
        for ending in ("html", "pdf", "md", "tex")
    },
    "an evidence pack": Write(command("pack", "make", STUDY, "--out", "@pack"), "pack/**/*"),
    "an audit file": Write(command("audit-file", STUDY, "--out", OLD + "toml"), "old.toml"),
    "an axis": Write(command("axis", "cross", "gender", "race", "--out", OLD + "toml", "--replace"), "old.toml"),
    "a letter in a project": Write(command("saved-letters", "add", STUDY, "@letter.docx")),
    "a report on a letter": Write(command("letter", "@letter.docx", "--report", OLD + "docx"), "old.docx"),
    "a letter in Word": Write(command("letter", "@letter.docx", "--word", OLD + "docx"), "old.docx"),
    "a reference set": Write(command("reference", "make", "mine", STUDY), "home/references/*"),
    "a rescued project": Write(command("rescue", STUDY, "--out", "@new.biasprint"), "new.biasprint"),
    "a restored project": Write(
        command("restore", "@rated.biasprint", "--from", "@study.biasprint"), "rated.biasprint"
    ),
    "an endpoint": Write(command("endpoints", "add", "mine", "--url", "http://127.0.0.1:1/v1"), "home/endpoints.json"),
    "the offline switch": Write(command("offline", "on"), "home/*.json"),
    "a backup": Write(at_once(lambda folder: back_up(folder / "study.biasprint"))),
    "a letter's draft": Write(at_once(keep_draft), "home/letters/drafts/*.json"),
    "a saved letter": Write(at_once(lambda folder: save(letter())), "home/letters/saved/*.json"),
    "a pile": Write(at_once(keep_pile), "home/letters/piles/*/*"),
    "settings": Write(at_once(save_settings), "home/settings.json"),
    "small files of the data folder": Write(at_once(count), "home/counted.json"),
    "a picture": Write(at_once(save_chart), "old.svg"),
    "the sample": Write(at_once(lambda folder: unpack_sample(folder / "new.biasprint")), "new.biasprint"),
    "the workshop's texts": Write(at_once(lambda folder: open_workshop_set())),
    "a part of a model": Write(
        at_once(lambda folder: copy_checked(folder / "letter.docx", folder / "old.docx", "", JobContext(), 0, 1)),
        "old.docx",
    ),
}
# Every module that writes files by other means than core/machine's storage and files, which write them whole, with the
# kind of write that shows how it fails: a new one belongs in here. “Own” files are temporary, or a developer's.
OWN = "own"
MODULES = {
    "core/judging/packets/make": "packets", "core/judging/packets/outside": "tasks for Label Studio",
    "core/judging/packets/page": "pages for a browser", "core/machine/bill": OWN,
    "core/machine/files": "a saved letter", "core/machine/installation/declared": OWN,
    "core/machine/installation/pins": OWN, "core/machine/installation/state": OWN,
    "core/machine/models/get": "a part of a model", "core/machine/models/hub": "a part of a model",
    "core/machine/models/index": "a part of a model", "core/machine/storage": "small files of the data folder",
    "core/project/backup": "a backup", "core/project/connection": "an answer", "core/project/copies": "a backup",
    "core/project/drives": "small files of the data folder", "core/project/left_out": OWN,
    "core/project/rescue": "a rescued project", "core/project/schema": OWN, "core/project/working_copy": "a backup",
    "core/prompts/library": "an axis", "core/python/biasprint/measuring": OWN, "core/report/export": "a table as csv",
    "core/runs/pack/making": "an evidence pack", "core/runs/pack/signing": "an evidence pack",
    "core/runs/result_folder/scoring": "a table as parquet", "core/scorers/folders/loading": OWN,
    "core/scorers/kept": "scores", "core/studies/kit/live": OWN, "desktop/charts/export": "a picture",
    "desktop/operations/prompts": OWN, "desktop/settings": "settings", "desktop/theme/__init__": OWN,
}  # fmt: skip
WRITING = {
    "write_text", "write_bytes", "mkstemp", "copyfile", "copy2", "copytree", "fdopen", "ParquetWriter", "QPdfWriter",
    "QSvgGenerator", "QFile", "QSaveFile", "os.replace", "os.link", "os.rename", "sqlite3.connect",
}  # fmt: skip
ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT)
ROOM = re.compile("disk is full|free some space|has room|until there is room", re.IGNORECASE)
LEFT = re.compile("What was begun of “(.+?)” could not be deleted")
FAULTS = list(product(ERRORS, (1, 3, 6, 12, 25)))  # the error, and the first of the calls that fail
ONE = [(name, random.Random(name).sample(FAULTS, 1)) for name in WRITES]
OLD_ENDINGS = ("csv", "jsonl", "xlsx", "parquet", "html", "pdf", "md", "tex", "toml", "docx", "svg")

LIVE = """
from itertools import product
from pathlib import Path
import biasprint.core.compute as compute
from inline_compute import Inline
from test_full_disk import WRITES, live_through
import biasprint.core.cli.app, biasprint.desktop.__main__, biasprint.core.runs.generate, biasprint.core.texts.score
compute.shared = compute.quick = Inline

def live(name, fail, work):
    return live_through(WRITES[name], Path(FOLDER), fail, work)
"""


def live_through(write: Write, folder: Path, fail: Callable[[], object], work: Callable[[], object]) -> dict[str, Any]:
    """In another process: try it while the disk fails, and again when it works."""
    told = {"first": told_by(write, folder, fail)}
    work()
    return told | {"changed": changed(folder), "second": told_by(write, folder, lambda: None)}


def told_by(write: Write, folder: Path, begin: Callable[[], object]) -> str:
    """Return the sentence of a failure; nothing where all went well."""
    try:
        write.attempt(folder, begin)
    except Said as said:
        return str(said)
    except (AppError, OSError) as error:
        known = error if isinstance(error, AppError) else storage.refused(error)
        if known is None:
            raise
        return str(known)
    return ""


def changed(folder: Path) -> list[str]:
    """Files outside the data folder, and letters in it, that are not as they were. Projects are looked at later."""
    pristine, names = folder.with_name("pristine"), []
    for path in (*files_in(folder), *files_in(pristine)):
        name = path.relative_to(folder if path.is_relative_to(folder) else pristine)
        before, now = pristine / name, folder / name
        if name.parts[0] == "home" and name.parts[1:2] != ("letters",):
            continue
        if (
            not before.exists()
            or not now.exists()
            or (name.suffix != ".biasprint" and before.read_bytes() != now.read_bytes())
        ):
            names.append(str(name))
    return sorted({*names})


def files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not is_leftover(path, folder))


def is_leftover(path: Path, folder: Path) -> bool:
    """Whether a name is one that the next start clears away, or a lock."""
    inside = path.relative_to(folder).parts
    return any(part.endswith((".part", "-journal", ".lock")) for part in inside) or inside[:2] in (
        ("home", "locks"), ("home", "unfinished"),
    )  # fmt: skip


@dataclass(frozen=True)
class Bench:
    folder: Path
    pristine: Path
    disk: FailingDisk

    def lived(self, name: str, fault: Fault) -> dict[str, Any]:
        shutil.rmtree(self.folder)
        shutil.copytree(self.pristine, self.folder)
        return self.disk.lived(name, fault)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    scratch = tmp_path_factory.mktemp("full")
    folder, pristine, design = scratch / "disk", scratch / "pristine", letters.letter_design()
    (pristine / "home").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASPRINT_HOME", str(pristine / "home"))
        for shared in ("shared", "quick"):
            patch.setattr(f"biasprint.core.compute.{shared}", Inline)
        patch.setattr(letters, "letter_design", lambda: replace(design, occupations=design.occupations[:2]))
        study = pristine / "study.biasprint"
        biasprint("new", study)
        biasprint("prompts", study, "--study", "creativity", "--task", "haiku", "--theme", "stars")
        biasprint("prompts", study, "--study", "letters")
        for kind in ("creativity", "letters"):
            biasprint("generate", study, "--study", kind, "--backend", "synthetic", "--model", "large", "--seed", 5)
        biasprint("measure", "letters", study)
        (pristine / "letter.docx").write_bytes(docx())
        for ending in OLD_ENDINGS:
            (pristine / f"old.{ending}").write_bytes(b"old")
        plan = coordinator(pristine / "rated.biasprint", comparisons=4)
        (packet,) = make(pristine / "rated.biasprint", plan, "R01", folder=pristine / "packets")
        finished(answer(packet.path, (0, "choice", 1), (1, "tie", None)))
        shutil.copytree(pristine, folder)
        patch.setenv("BIASPRINT_HOME", str(folder / "home"))
        patch.syspath_prepend(Path(__file__).parent)
        with FailingDisk(folder, scratch, f"FOLDER = {str(folder)!r}\n{LIVE}") as disk:
            yield Bench(folder, pristine, disk)


def is_whole(path: Path) -> bool:
    """Whether a file that was made can be read to its end."""
    content = path.read_bytes()
    match path.suffix:
        case ".biasprint" | ".bpacket":
            return bool(check_project(path).sound)
        case ".json" | ".jsonl":
            lines = content.splitlines() if path.suffix == ".jsonl" else [content]
            return all(json.loads(line) is not None for line in lines)
        case ".xlsx" | ".docx":
            return zipfile.ZipFile(path).testzip() is None
        case ".parquet":
            return content.endswith(b"PAR1")
        case ".pdf":
            return content.rstrip().endswith(b"%%EOF")
        case ".html":
            return content.rstrip().endswith(b"</html>")
        case ".svg":
            return content.rstrip().endswith(b"</svg>")
    return content.endswith(b"\n") or path.suffix in (".sig", "")


def named(part: ast.expr) -> str:
    return part.attr if isinstance(part, ast.Attribute) else part.id if isinstance(part, ast.Name) else ""


def writes(call: ast.Call) -> bool:
    """Whether a call in the source writes files: one of `WRITING`, or an `open` with a mode that writes."""
    name, owner = named(call.func), named(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if name != "open" or owner == "os":
        return name in WRITING or f"{owner}.{name}" in WRITING
    given = [node for part in (*call.args, *call.keywords) for node in ast.walk(part) if isinstance(node, ast.Constant)]
    modes = [str(node.value) for node in given if not set(str(node.value)) - set("rwaxbt+")]
    return any(set(mode) & set("wax+") for mode in modes)


def test_every_module_that_writes_by_its_own_means_is_listed() -> None:
    might = re.compile("|".join(map(re.escape, (*WRITING, "open("))))  # what cannot need not be parsed
    found = {
        path.relative_to(ROOT).with_suffix("").as_posix()
        for path in (*ROOT.glob("core/**/*.py"), *ROOT.glob("desktop/**/*.py"))
        if might.search(source := path.read_text("utf-8"))
        and any(isinstance(node, ast.Call) and writes(node) for node in ast.walk(ast.parse(source)))
    }
    assert sorted(found - {*MODULES}) == [], "write by core.machine.files, or name it in MODULES and its kind in WRITES"
    assert {*MODULES.values()} - {OWN} <= {*WRITES}


@pytest.mark.skipif(not FAILING_DISK, reason="needs a C compiler, on Linux")
@pytest.mark.parametrize(
    ("name", "faults"),
    [*seeded_part(ONE, 14), *(pytest.param(name, FAULTS, marks=pytest.mark.soak, id=f"{name}-all") for name in WRITES)],
)
def test_a_write_that_fails_is_told_and_the_old_file_stays(
    bench: Bench, name: str, faults: list[tuple[int, int]], figure: Figure
) -> None:
    """From its first call on, or from a later one, everything fails: of each error of the system one sentence."""
    write = WRITES[name]
    for error, first in faults:
        told = bench.lived(name, Fault(first, 1_000_000, error, half=first > 1, names=True))
        where = f"{name}, {errno.errorcode[error]} from call {first}:"
        assert "traceback" not in told, f"{where}\n{told['traceback']}"
        for sign in ("Traceback", "not foreseen"):
            assert sign not in told["first"], f"{where}\n{told['first']}"
        assert "Errno" not in told["first"].partition("\n")[0], f"{where}\n{told['first']}"
        if left := LEFT.search(told["first"]):
            (bench.folder / left[1]).unlink()  # what the person is asked to delete
            assert told["changed"] == [left[1]]
            assert "There is a file" in told["second"]
            continue
        if told["first"]:
            assert told["changed"] == [], f"{where} told as failed, and changed\n{told['first']}"
        if error in storage.FULL and told["first"]:
            assert ROOM.search(told["first"]), f"{where}\n{told['first']}"
            assert "Copy it to a folder" not in told["first"], f"{where}\n{told['first']}"
        assert told["second"] == "", f"{where} it does not go on\n{told['second']}"
        made = [path for path in bench.folder.glob(write.makes) if path.is_file()] if write.makes else []
        assert bool(made) == bool(write.makes), f"{where} nothing was made"
        projects = bench.folder.glob("*.biasprint")
        half = [path.name for path in (*made, *projects) if not is_whole(path)]
        assert not half, f"{where} {half}"
    figure(f"{name}: {len(faults)} ways to fail", len(faults))
