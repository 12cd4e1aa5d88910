"""Project files that are missing, locked, read-only, foreign, corrupt or newer, and disks that are full.

Each gets one clear sentence and exit code 1, and nothing in the file changes.
"""

import contextlib
import errno
import multiprocessing
import os
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from cli_support import biasprint, outputs_of, program, refused
from seeded_part import seeded_part

NOBODY = 65534
WRITE = ("--study", "letters", "--backend", "synthetic", "--model", "small")
COMMANDS: dict[str, tuple[str, ...]] = {
    "prompts": ("prompts", "FILE", "--study", "letters"),
    "compare": ("compare", "FILE", "--axis", "gender"),
    "generate": ("generate", "FILE", *WRITE),
    "score": ("score", "FILE", "--scorer", "lexicon_published"),
    "import": ("import", "FILE", "TABLE", "--study", "letters"),
    "measure": ("measure", "letters", "FILE"),
    "export": ("export", "FILE", "outputs", "--out", "OUT"),
    "check": ("check", "FILE"),
    "rescue": ("rescue", "FILE", "--out", "NEW"),
}
WRITING = ("prompts", "compare", "generate", "score", "import")


def command(name: str, file: Path) -> list[str]:
    table, out = file.with_name("table.csv"), file.with_name("out.csv")
    if not table.exists():
        table.write_text("text,group\nA letter.,male\n")
    places = {"FILE": str(file), "TABLE": str(table), "OUT": str(out), "NEW": str(file.with_name("new.biasprint"))}
    return [places.get(part, part) for part in COMMANDS[name]]


def forget(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """As on a machine that has not seen any project."""
    monkeypatch.setenv("BIASPRINT_HOME", str(folder))


@pytest.mark.parametrize("name", seeded_part(COMMANDS, 3))
def test_a_missing_file_is_named_and_nothing_is_made(tmp_path: Path, name: str) -> None:
    file = tmp_path / "none.biasprint"
    argv = command(name, file)
    before = sorted(tmp_path.iterdir())
    assert "biasprint new" in refused(*argv, code=1, says=f"There is no file “{file}”.")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", seeded_part(COMMANDS, 2, seed=2))
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "It is empty."),
        (b"text,group\nHello,male\n", "It is not an SQLite database."),
        (b"SQLite format 3\x00" + bytes(84), "It belongs to another program."),
    ],
    ids=["empty", "text", "another"],
)
def test_a_foreign_file_is_refused_and_not_touched(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    file = tmp_path / "foreign.biasprint"
    file.write_bytes(content)
    assert why in refused(*command(name, file), code=1, says="“foreign.biasprint” is not a Biasprint project.")
    assert file.read_bytes() == content


@pytest.mark.parametrize("name", seeded_part(COMMANDS, 3, seed=3))
def test_a_newer_file_names_the_version_it_needs(study_file: Path, name: str) -> None:
    with open(study_file, "r+b") as stream:  # user_version lies at byte 60 of the header
        stream.seek(60)
        stream.write(struct.pack(">I", 7))
    before = study_file.read_bytes()
    said = refused(*command(name, study_file), code=1, says="was made by a newer Biasprint: it needs format 7")
    assert "Update Biasprint" in said
    assert study_file.read_bytes() == before


@pytest.mark.parametrize("name", seeded_part([name for name in COMMANDS if name not in ("check", "rescue")], 3))
def test_a_corrupt_file_is_refused_and_points_to_its_backups(
    study_file: Path, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    forget(monkeypatch, tmp_path / "home")
    content = bytearray(study_file.read_bytes())
    content[4096 * 5 : 4096 * 9] = b"\xff" * 4096 * 4
    study_file.write_bytes(content)
    assert "biasprint check" in refused(*command(name, study_file), code=1, says="“study.biasprint” is damaged")
    assert study_file.read_bytes() == content


def test_one_damaged_row_is_told_and_everything_else_is_done(study_file: Path, tmp_path: Path) -> None:
    rows = biasprint("export", study_file, "prompts", "--out", tmp_path / "before.csv", "--json").json["rows"]
    with closing(sqlite3.connect(study_file)) as connection, connection:
        connection.execute("UPDATE prompt SET fields = CAST(x'ff' AS TEXT) WHERE id = 2")
    answer = biasprint("export", study_file, "prompts", "--out", tmp_path / "after.csv", "--json")
    assert answer.json["rows"] == rows - 1
    assert "2 rows of “study.biasprint” are damaged and left out" in answer.err  # the prompt and its text
    checked = biasprint("check", study_file, "--json", code=1).json
    assert [(one["table"], one["key"]) for one in checked["problems"]] == [("prompt", "2")]
    out = tmp_path / "rescued.biasprint"
    saved = biasprint("rescue", study_file, "--out", out, "--json").json
    assert [one["table"] for one in saved["lost"]] == ["prompt", "output"]
    assert saved["rows"]["prompt"] == rows - 1
    assert biasprint("check", out, "--json").json["sound"] is True


def test_a_file_with_another_structure_is_refused(study_file: Path) -> None:
    with closing(sqlite3.connect(study_file)) as connection, connection:
        connection.execute("CREATE TRIGGER harmless AFTER INSERT ON output BEGIN DELETE FROM judgment; END")
    refused(*command("generate", study_file), code=1, says="does not have the structure of a Biasprint project")


HOLD = """
import sys
from pathlib import Path
from biasprint.core.project.project import Project
for line in sys.stdin:
    with Project.open(Path(line.rstrip())):
        print("open", flush=True)
        sys.stdin.readline()
    print("closed", flush=True)
"""


@pytest.fixture(scope="module")
def holder() -> Iterator[Callable[[str], str]]:
    """Another process: told a project it opens it, and with the next line closes it. Gives what it answers."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", HOLD], **pipes) as process:  # type: ignore[call-overload]

        def tell(line: str) -> str:
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            return str(process.stdout.readline()).rstrip()

        yield tell


@pytest.mark.parametrize("name", seeded_part(WRITING, 2))
def test_a_locked_file_says_who_holds_it_and_is_not_changed(
    study_file: Path, name: str, holder: Callable[[str], str]
) -> None:
    before = study_file.read_bytes()
    assert holder(str(study_file)) == "open"
    said = refused(*command(name, study_file), code=1, says="“study.biasprint” is already open in another window")
    assert "Nothing was changed." in said
    # Looking is free: a project that is being written can be exported and checked.
    assert biasprint(*command("export", study_file)).code == 0
    assert biasprint(*command("check", study_file)).code == 0
    assert holder("") == "closed"
    assert study_file.read_bytes() == before
    assert biasprint(*command(name, study_file)).code == 0


def as_a_plain_user(work: Callable[[], None]) -> None:
    """Run `work` where permissions count: in a forked child that has given up root, if we are root."""

    def child() -> None:
        if os.geteuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        work()

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(60)
    assert process.exitcode == 0


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that every user can reach, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="biasprint-test-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(os.name == "nt", reason="permission bits are POSIX's")
@pytest.mark.parametrize("what", seeded_part(["file", "folder"], 1))
def test_a_read_only_project_is_not_written_but_can_be_looked_at(
    study_file: Path, open_to_all: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(open_to_all / "home"))
    folder = open_to_all / "shelf"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    file = Path(shutil.copy(study_file, folder / "study.biasprint"))
    file.chmod(0o444)
    out = open_to_all / "out.csv"
    for name in WRITING:
        biasprint(*command(name, Path(shutil.copy(study_file, open_to_all / "any.biasprint"))))  # all is imported now
    shutil.rmtree(open_to_all / "home")
    before = file.read_bytes()
    arguments = {name: command(name, file) for name in WRITING}
    if what == "folder":
        folder.chmod(0o555)

    def work() -> None:
        for name in WRITING:
            said = refused(*arguments[name], code=1, says="cannot be written to")
            assert "Nothing was changed." in said
            assert "Copy it to a folder that you may write to." in said
        assert biasprint("export", file, "outputs", "--out", out).code == 0
        assert biasprint("check", file).code == 0

    try:
        as_a_plain_user(work)
    finally:
        folder.chmod(0o777)
    assert file.read_bytes() == before
    assert out.stat().st_size > 10_000


def test_a_new_project_never_takes_the_place_of_a_file(study_file: Path, tmp_path: Path) -> None:
    before = study_file.read_bytes()
    refused("new", study_file, code=1, says="There is a file “study.biasprint” already.")
    assert study_file.read_bytes() == before
    assert "study.biasprint" in refused("new", tmp_path / "study.txt", code=2, says="A project file ends in .biasprint")


def test_an_answer_never_takes_the_place_of_what_it_was_made_from(measured_file: Path, tmp_path: Path) -> None:
    table = tmp_path / "letters.csv"
    biasprint("export", measured_file, "outputs", "--study", "letters", "--out", table)
    link = tmp_path / "report.html"
    link.symlink_to(measured_file)
    before = measured_file.read_bytes(), table.read_bytes()
    refused("measure", "letters", measured_file, "--report", measured_file, code=2, says="no ending to write to")
    refused("measure", "letters", measured_file, "--report", link, code=2, says="would take the place of")
    refused("measure", "letters", table, "--report", table, code=2, says="Endings: .html, .htm")
    refused("score", table, "--scorer", "textblob", "--out", table, code=2, says="would take the place of")
    refused("score", table, "--scorer", "textblob", "--out", measured_file, code=2, says="no ending to write to")
    refused("export", measured_file, "outputs", "--out", measured_file, code=2, says="no ending to export to")
    assert (measured_file.read_bytes(), table.read_bytes()) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root on Linux can mount a small disk")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], capture_output=True)
    if made.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {made.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path, *, leave: int) -> None:
    (disk / "ballast").write_bytes(bytes(shutil.disk_usage(disk).free - leave))


def test_on_a_full_disk_what_was_written_stays_and_the_run_goes_on_when_there_is_room(
    study_file: Path, small_disk: Path
) -> None:
    file = Path(shutil.copy(study_file, small_disk / "study.biasprint"))
    write = ("generate", file, *WRITE, "--samples", 20)
    said = refused(*write, code=1, says="The disk is full: the last change was not saved.")
    assert "Everything that was saved before is kept." in said
    assert "Free some space and try again." in said
    kept = outputs_of(file)
    assert 228 < len(kept) < 228 + 120 * 20
    assert biasprint("check", file, "--json").json["sound"] is True
    refused(*write, code=1, says="The disk is full")
    assert kept.items() <= outputs_of(file).items()
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert biasprint(*write, "--json").json["done"] == 120 * 20
    assert kept.items() <= outputs_of(file).items()


@pytest.mark.soak
def test_a_new_project_on_a_full_disk_leaves_no_half_of_one(small_disk: Path) -> None:
    fill(small_disk, leave=500_000)
    file = small_disk / "study.biasprint"
    refused("new", file, "--study", "creativity", code=1, says="The disk is full")
    assert [path.name for path in small_disk.iterdir()] == ["ballast"]
    (small_disk / "ballast").unlink()
    biasprint("new", file, "--study", "creativity")


def test_an_export_to_a_full_disk_leaves_the_old_file(measured_file: Path, small_disk: Path) -> None:
    out = small_disk / "scores.csv"
    out.write_text("what was there")
    fill(small_disk, leave=4096)
    said = refused("export", measured_file, "scores", "--out", out, code=1, says="The disk is full")
    assert "“scores.csv” that was there before is unchanged" in said
    assert out.read_text() == "what was there"
    page = small_disk / "report.html"
    refused("measure", "letters", measured_file, "--report", page, code=1, says="“report.html” was not written")
    assert sorted(path.name for path in small_disk.iterdir()) == ["ballast", "scores.csv"]


@pytest.mark.soak
@pytest.mark.skipif(os.name == "nt", reason="file size limits are POSIX's")
def test_a_disk_that_refuses_to_write_loses_nothing(study_file: Path) -> None:
    before = outputs_of(study_file)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (study_file.stat().st_size + 100_000, hard))
    try:
        said = refused("generate", study_file, *WRITE, "--samples", 10, code=1, says="the last change was not saved")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "Everything that was saved before is kept." in said
    kept = outputs_of(study_file)
    assert before.items() <= kept.items()
    assert len(before) < len(kept) < len(before) + 1200
    assert biasprint("check", study_file, "--json").json["sound"] is True
    assert biasprint("generate", study_file, *WRITE, "--samples", 10, "--json").json["done"] == 1200
    assert kept.items() <= outputs_of(study_file).items()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_an_answer_that_cannot_be_written_is_a_failure_and_says_so(study_file: Path) -> None:
    with open("/dev/full", "wb") as full:
        answer = program("export", study_file, "outputs", "--out", study_file.with_name("out.csv"), stdout=full)
    assert answer.code == 1
    told = answer.err.splitlines()
    assert told[0] == f"The answer could not be written ({os.strerror(errno.ENOSPC)})."
    assert len(told) == 3, answer.err


def test_an_answer_that_nobody_reads_ends_quietly(study_file: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with contextlib.closing(os.fdopen(write, "wb")) as unread:
        answer = program("check", study_file, "--json", stdout=unread)
    assert answer.code == 1
    assert answer.err == ""
