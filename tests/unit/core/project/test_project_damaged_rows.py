"""A damaged row is one damaged row: named by `check`, left out by every read, and not in what `rescue` saves."""

import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path
from struct import pack

import pytest
from read_everything import read_everything
from trust.report import Figure

from biasprint.core.errors import AppError
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.project.rescue import rescue_project
from biasprint.core.project.schema import expected_schema
from biasprint.core.project.stores.judging import Remark

GOLDEN = Path(__file__).parents[3] / "data" / "schema-v3.biasprint"  # rows in every table
TABLES = [name for kind, name, _, _ in expected_schema() if kind == "table" and not name.startswith("sqlite")]
LEAF_OF_A_TABLE, PAGE, HEADER_OF_LEAF = 13, 4096, 8
TOO_LONG = '{"a": ' + "9" * 5000 + "}"
TOO_DEEP = '{"a": ' + "[" * 5000 + "]" * 5000 + "}"


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project of the present format with rows in every table."""
    path = tmp_path_factory.mktemp("sound") / "every.biasprint"
    shutil.copy(GOLDEN, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASPRINT_HOME", str(tmp_path_factory.mktemp("home")))
        Project.open(path).close()
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "study.biasprint"))


def rows_in(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every value of every row, as bytes where it is text."""
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        return {table: connection.execute(f'SELECT * FROM "{table}" ORDER BY rowid').fetchall() for table in TABLES}


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


# ---- Every row has a checksum, whatever statement wrote it


def test_every_table_has_a_checksum_and_every_row_is_covered(sound: Path) -> None:
    with closing(sqlite3.connect(sound)) as connection:
        for table in TABLES:
            found = connection.execute(f'SELECT checksum FROM "{table}"').fetchall()
            assert found, table
            assert all(len(one) == 8 and one != bytes(8) for (one,) in found), table
    report = check_project(sound)
    assert report.sound
    assert report.rows.keys() == set(TABLES)


def test_the_checksum_is_the_documented_one(sound: Path) -> None:
    with closing(sqlite3.connect(sound)) as connection:
        row = connection.execute("SELECT id, kind, title, settings, created_at, checksum FROM study").fetchone()
    number, *texts, checksum = row
    form = b"(" + pack("<i", 5) + b"i" + pack("<i", number)
    for text in texts:
        form += b"s" + pack("<i", len(text.encode())) + text.encode()
    assert checksum == blake2b(form, digest_size=8).digest()


def test_what_is_changed_by_the_program_fits_its_checksum_again(path: Path) -> None:
    with Project.open(path) as project:
        (study,) = project.studies.all()
        project.studies.keep_setting(study.id, "board", {"a": [1.5, -0.0, None]})
        rater = project.judging.raters()[0].id
        project.judging.describe_rater(rater, {"age": 40})
        session = project.judging.sessions()[0]
        comparison = project.judging.comparisons(session.plan_id)[0].id
        project.judging.save_draft(session.id, comparison, Remark("another note"))
        project.judging.reveal(session.id)
    assert check_project(path).problems == ()


@pytest.mark.parametrize("flips", [300, pytest.param(1_000, marks=pytest.mark.soak)])
def test_a_flipped_bit_in_any_row_is_noticed_or_without_meaning(
    sound: Path, tmp_path: Path, flips: int, figure: Figure
) -> None:
    whole, before = sound.read_bytes(), rows_in(sound)
    places = [
        place
        for page in range(0, len(whole), PAGE)
        if page and whole[page] == LEAF_OF_A_TABLE
        for place in range(page + HEADER_OF_LEAF, page + PAGE)
        if whole[place]  # most of what is zero is unused
    ]
    drawn = random.Random(17)
    silent = []
    meant = 0
    for place in drawn.sample(places, flips):
        path = tmp_path / "flipped.biasprint"
        flipped = bytearray(whole)
        flipped[place] ^= 1 << drawn.randrange(8)
        path.write_bytes(flipped)
        try:
            noticed = not check_project(path).sound
        except AppError:
            noticed = True
        if noticed:
            meant += 1
        elif rows_in(path) != before:
            silent.append(place)
    assert silent == []
    figure(f"{flips:,} flipped bits in any row: {meant} noticed, the others without meaning, none silent", flips)
    assert meant > 200


# ---- What cannot be read is left out; everything else is there

EVERY = {"output": 2, "prompt": 2, "judgment": 2, "rater": 2, "session": 2}  # the others have one row
DAMAGE = {
    "no JSON": ("cannot be read", '{"a": '),
    "too deep": ("nested too deep", TOO_DEEP),
    "too long a number": ("too long a number", TOO_LONG),
    "another kind": ("is of another kind", "7"),
}
JSON_OF = {
    "study": "settings", "axis_definition": "definition", "prompt_set": "recipe", "prompt": "fields",
    "source": "fields", "generator": "parameters", "run": "recipe", "output": "detail", "score": "shape",
    "plan": "settings", "comparison": "items", "rater": "background", "judgment": "detail", "annotation": "value",
    "packet": "manifest", "reading": "result", "finding": "body", "event": "body",
}  # fmt: skip
TEXT_OF = JSON_OF | {"embedding": "created_at", "session": "consent_text", "draft": "note", "output": "text"}
NO_UTF8 = "UPDATE {0} SET {1} = CAST(x'ff' || {1} AS TEXT) WHERE rowid = (SELECT max(rowid) FROM {0})"


@pytest.mark.parametrize("table", TEXT_OF)
def test_one_damaged_text_is_named_and_the_rest_is_read(path: Path, table: str) -> None:
    change(path, NO_UTF8.format(table, TEXT_OF[table]))
    named = [problem for problem in check_project(path).problems if "no UTF-8 any more" in problem.what]
    assert [problem.table for problem in named] == [table]
    with Project.open(path, read_only=True) as project:
        there = read_everything(project)
        assert named[0] in project.left_out
    assert all(there[name] == 1 for name in {"event", "finding", "axis_definition"} - {table})
    assert there.get(table, 0) < EVERY.get(table, 1)


@pytest.mark.parametrize("damage", DAMAGE)
def test_json_that_cannot_be_read_is_named_and_left_out(path: Path, damage: str) -> None:
    words, value = DAMAGE[damage]
    for table, column in JSON_OF.items():
        change(path, f"UPDATE {table} SET {column} = ?", value)
    named = [problem for problem in check_project(path).problems if words in problem.what]
    assert {problem.table for problem in named} == JSON_OF.keys()
    with Project.open(path, read_only=True) as project:
        there = read_everything(project)
        assert set(named) <= set(project.left_out)
    assert not any(there.values())


@pytest.mark.parametrize(
    ("path_in_body", "value"),
    [("$.n", "9" * 400), ("$.estimate", "9" * 400), ("$.title", "5"), ("$.groups", "null"), ("$.dims", '{"axis": 1}'),
     ("$.interval", '{"low": 0}'), ("$.unknown", "1"), ("$.p", '"low"')],
)  # fmt: skip
def test_a_finding_that_nothing_could_show_is_named_and_left_out(path: Path, path_in_body: str, value: str) -> None:
    if len(value) > 300:
        with closing(sqlite3.connect(path)) as connection:
            (body,) = connection.execute("SELECT body FROM finding").fetchone()
        name = path_in_body.removeprefix("$.")
        change(path, "UPDATE finding SET body = ?", body.replace(f'"{name}":', f'"{name}":{value},"was":'))
    else:
        change(path, f"UPDATE finding SET body = json_set(body, '{path_in_body}', json(?))", value)
    assert "holds no finding that can be shown" in {problem.what for problem in check_project(path).problems}
    with Project.open(path) as project:
        assert project.findings.all() == ()
        assert len(project.left_out) == 1
        assert project.studies.all()


def flip_a_bit(path: Path, table: str) -> None:
    """Flip one bit in a text of a table's first row; what refers to other rows, or is one of a few words, is left."""
    tied = ("id", "key", "status", "outcome", "kind", "direction", "supersedes", "scorer", "embedder", "version")
    with closing(sqlite3.connect(path)) as connection, connection:
        row = connection.execute(f'SELECT * FROM "{table}" ORDER BY rowid').fetchone()
        names = [one[1] for one in connection.execute(f'PRAGMA table_info("{table}")')]
        for name, value in zip(names, row, strict=True):
            at = next((at for at, sign in enumerate(value) if sign in "acegikm02468"), None) if isinstance(
                value, str
            ) and not name.endswith(("_id", *tied)) else None  # fmt: skip
            if at is not None:
                flipped = value[:at] + chr(ord(value[at]) ^ 1) + value[at + 1 :]
                first = f'SELECT rowid FROM "{table}" ORDER BY rowid LIMIT 1'
                connection.execute(f'UPDATE "{table}" SET "{name}" = ? WHERE rowid = ({first})', (flipped,))
                return
    raise AssertionError(f"{table} has no text that a bit could be flipped in")


@pytest.mark.parametrize("table", TABLES)
def test_reading_alone_notices_a_flipped_bit(path: Path, table: str) -> None:
    with Project.open(path) as project:
        before = read_everything(project)
        assert project.left_out == ()
    flip_a_bit(path, table)
    with Project.open(path) as project:
        after = read_everything(project)
        assert table in {problem.table for problem in project.left_out}
    assert after[table] < before[table]


def test_a_row_that_is_not_asked_for_is_compared_as_it_is(path: Path) -> None:
    """SQLite puts a value that is asked for in a column's place, in rows too that have another one."""
    with Project.open(path) as project:
        project.studies.add("letters", "Letters")
    with Project.open(path) as project:
        (letters,) = [row for row in [project.studies.of_kind("letters")] if row is not None]
        assert letters.title == "Letters"
        assert project.left_out == ()


def test_a_row_that_was_read_is_compared_again_when_asked_for(path: Path) -> None:
    with Project.open(path, read_only=True) as project:
        outputs = len(list(project.outputs.each()))
        change(path, "UPDATE output SET text = 'a longer text than before' WHERE id = 1")
        project.compare_again()
        assert len(list(project.outputs.each())) < outputs
        assert "output" in {problem.table for problem in project.left_out}


def test_a_score_is_not_read_without_its_text(path: Path) -> None:
    flip_a_bit(path, "output")
    with Project.open(path) as project:
        assert project.scores.page("output", "golden", "1") == ()
        assert {"output", "score"} <= {problem.table for problem in project.left_out}


def test_what_is_written_into_a_damaged_row_does_not_make_it_sound(path: Path) -> None:
    flip_a_bit(path, "rater")
    flip_a_bit(path, "draft")
    with Project.open(path) as project:
        with closing(sqlite3.connect(path)) as plain:
            (rater,) = plain.execute("SELECT id FROM rater ORDER BY rowid LIMIT 1").fetchone()
            session, comparison = plain.execute("SELECT session_id, comparison_id FROM draft").fetchone()
        project.judging.describe_rater(rater, {"age": 40})
        project.judging.save_draft(session, comparison, Remark("typed anew"))
    assert [(one.table, one.key) for one in check_project(path).problems] == [("rater", rater)]


def test_rows_behind_a_damaged_one_are_still_read_page_by_page(path: Path) -> None:
    with Project.open(path) as project:
        for number in range(600):
            project.events.add("counted", {"number": number})
    change(path, "UPDATE event SET body = '{' WHERE id IN (3, 300)")
    with Project.open(path) as project:
        assert len(project.events.recent(1000)) == 601 - 2
        assert {one.key for one in project.left_out} == {"3", "300"}


def test_what_a_damaged_answer_replaced_does_not_count_again(path: Path) -> None:
    change(path, "UPDATE judgment SET note = CAST(x'ff' AS TEXT) WHERE supersedes IS NOT NULL")
    with Project.open(path) as project:
        assert project.judging.judgments() == ()
        assert [one.what for one in project.left_out if "replaced" in one.what] == [
            "was replaced by a row of judgment that is lost"
        ]


def test_with_a_damaged_text_goes_what_was_measured_and_judged_of_it(path: Path) -> None:
    change(path, "UPDATE output SET text = CAST(x'ff' AS TEXT) WHERE id = 1")
    with Project.open(path) as project:
        assert [row.id for row in project.outputs.each()] == [2]
        there = read_everything(project)
        assert (there["score"], there["embedding"], there["comparison"], there["judgment"]) == (0, 0, 0, 0)


# ---- Rescue


def test_of_a_sound_project_everything_is_saved(path: Path, tmp_path: Path) -> None:
    before = rows_in(path)
    saved = rescue_project(path, tmp_path / "new.biasprint")
    assert saved.lost == ()
    after = rows_in(tmp_path / "new.biasprint")
    rescued = after["event"].pop()
    assert (rescued[1], json.loads(rescued[2])["from"]) == (b"rescued", "study.biasprint")  # type: ignore[arg-type]
    assert after == before
    assert check_project(tmp_path / "new.biasprint").sound


def test_an_older_project_is_saved_in_the_present_format(tmp_path: Path) -> None:
    old = Path(shutil.copy(GOLDEN, tmp_path / "old.biasprint"))
    before = old.read_bytes()
    assert rescue_project(old, tmp_path / "new.biasprint").lost == ()
    assert check_project(tmp_path / "new.biasprint").sound
    assert old.read_bytes() == before


@pytest.mark.parametrize("table", TABLES)
def test_what_is_sound_beside_a_damaged_row_is_saved(path: Path, tmp_path: Path, table: str) -> None:
    column = TEXT_OF[table]
    change(path, NO_UTF8.format(table, column))
    saved = rescue_project(path, tmp_path / "new.biasprint")
    assert table in {one.table for one in saved.lost}
    assert check_project(tmp_path / "new.biasprint").problems == ()
    assert saved.saved["event"] == (0 if table == "event" else 1)


def test_a_later_answer_is_saved_without_the_damaged_one_that_it_replaced(path: Path, tmp_path: Path) -> None:
    change(path, "UPDATE judgment SET note = 'altered' WHERE supersedes IS NULL")
    saved = rescue_project(path, tmp_path / "new.biasprint")
    assert [one.what for one in saved.lost] == [
        "is not the judgment that was recorded", "is kept; what it refers to is lost"
    ]  # fmt: skip
    assert check_project(tmp_path / "new.biasprint").sound
    with Project.open(tmp_path / "new.biasprint") as project:
        (answer,) = project.judging.judgments()
        assert (answer.chosen, answer.note, answer.supersedes) == (1, "after a second look", None)


def test_rows_around_damaged_pages_are_saved(path: Path, tmp_path: Path) -> None:
    with Project.open(path) as project:
        for number in range(400):
            project.events.add("counted", {"number": number, "filling": "x" * 200})
    whole = bytearray(path.read_bytes())
    pages = [start for start in range(0, len(whole), PAGE) if b'"number":150}' in whole[start : start + PAGE]]
    pages += [start for start in range(0, len(whole), PAGE) if b'"number":250}' in whole[start : start + PAGE]]
    numbers = {
        int(word.split(b"}")[0]) for start in pages for word in whole[start : start + PAGE].split(b'"number":')[1:]
    }
    for start in pages:
        whole[start : start + PAGE] = b"\x5a" * PAGE
    path.write_bytes(whole)
    saved = rescue_project(path, tmp_path / "new.biasprint")
    with Project.open(tmp_path / "new.biasprint") as project:
        kept = {row.body["number"] for row in project.events.recent(1000) if row.kind == "counted"}
    assert kept == set(range(400)) - numbers
    assert [one.table for one in saved.lost] == ["event"]
    assert "pages of it are damaged" in saved.lost[0].what


@pytest.mark.parametrize("damage", [b"CREATE TABLE generatXr", b"CREATE TABL\xc5 generator", b"CREATEXTABLE generator"])
def test_a_file_that_does_not_say_what_its_tables_are_is_refused_and_rescued(
    path: Path, tmp_path: Path, damage: bytes
) -> None:
    before = rows_in(path)
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE generator", damage))
    spoiled = path.read_bytes()
    with pytest.raises(AppError, match=r"damaged|structure"):
        Project.open(path)
    assert rescue_project(path, tmp_path / "new.biasprint").lost == ()
    after = rows_in(tmp_path / "new.biasprint")
    assert after["event"].pop()[1] == b"rescued"
    assert after == before
    assert path.read_bytes() == spoiled


def test_rescue_never_takes_the_place_of_a_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "there.biasprint").write_text("mine")
    with pytest.raises(AppError, match="There is a file"):
        rescue_project(path, tmp_path / "there.biasprint")
    assert (tmp_path / "there.biasprint").read_text() == "mine"


# ---- Numbers at limits


def numbers_of(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return [
            (table, name)
            for table in TABLES
            for _, name, kind, _, _, key in connection.execute(f'PRAGMA table_info("{table}")')
            if kind in ("REAL", "INTEGER") and not key
        ]


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), 2**63 - 1, -(2**63)])
def test_a_number_at_its_limit_is_named_and_neither_check_nor_rescue_ends(
    path: Path, tmp_path: Path, number: float
) -> None:
    for table, column in numbers_of(path):
        changed = Path(shutil.copy(path, tmp_path / f"{table}-{column}.biasprint"))
        with closing(sqlite3.connect(changed)) as connection, connection:
            try:
                least = f'(SELECT min(rowid) FROM "{table}")'
                connection.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = {least}', (number,))
            except sqlite3.IntegrityError:
                continue  # the schema refuses it
        report = check_project(changed)
        assert not report.sound, (table, column)
        rescue_project(changed, tmp_path / f"{table}-{column}-rescued.biasprint")
        assert check_project(tmp_path / f"{table}-{column}-rescued.biasprint").sound, (table, column)
        with suppress(AppError), Project.open(changed) as project:
            read_everything(project)
