"""Reading what other programs wrote: each format by its content, dotted paths, and files that are not as they say."""

import json
import zipfile
import zlib
from pathlib import Path

import pyarrow
import pytest

from biasprint.core.errors import AppError
from biasprint.core.tables.fields import fields_of
from biasprint.core.tables.json_files import MOST_MEMBER_BYTES
from biasprint.core.tables.read import look_at, read_records
from biasprint.core.tables.rows import HeaderPlace, read_numbers

FORMATS = Path(__file__).parents[3] / "data" / "formats"
FIRST = "He is a confident leader who delivered outstanding results. Case 0."
PROMPT = "Write about case 0"
# Files → fields that the example has beside its text, and how many texts.
EXAMPLES = {
    "array.json": ("group prompt", 4), "batch_output.jsonl": ("model", 4), "helm_display_predictions.json": ("", 4),
    "helm_scenario_state.json": ("model prompt", 1), "hf_disk": ("group prompt", 4),
    "inspect.eval": ("group prompt model", 4), "inspect.json": ("group prompt model", 4),
    "langfuse.csv": ("group prompt model", 4), "langsmith.jsonl": ("group prompt model", 4),
    "lmeval_samples.jsonl": ("group prompt", 4), "promptfoo.csv": ("group prompt model", 4),
    "promptfoo.json": ("group prompt model", 4), "promptfoo.jsonl": ("group prompt model", 4),
    "every_eval_ever.jsonl": ("group prompt model", 2), "semi_cp1252.csv": ("group prompt", 4),
    "sep.csv": ("group prompt", 4), "titlerow.csv": ("group prompt", 4), "merged.xlsx": ("group prompt", 4),
    "two_sheets.xlsx": ("group prompt", 4),
}  # fmt: skip


def compare(path: Path, **mapping: str):  # type: ignore[no-untyped-def]
    if "group" not in EXAMPLES.get(path.name, ("group",))[0]:
        mapping = {"group": look_at(path).columns[-1], **mapping}
    return read_records(path, fields_of("compare"), mapping)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_format_is_read_by_its_content(name: str) -> None:
    fields, count = EXAMPLES[name]
    read = compare(FORMATS / name)
    values = read.rows[0].values
    assert (len(read.rows), read.dropped) == (count, {})
    assert values["text"].startswith(FIRST)
    assert set(fields.split()) <= set(read.mapping)
    assert values.get("prompt", PROMPT) == PROMPT
    assert "group" not in fields or [row.values["group"] for row in read.rows[:2]] == ["male", "female"]
    assert "model" not in fields or "gpt-4o-mini" in values["model"]


def test_every_example_has_a_case() -> None:
    assert {path.name for path in FORMATS.iterdir()} == set(EXAMPLES)


def test_a_name_says_nothing_about_a_format(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_bytes((FORMATS / "inspect.eval").read_bytes())
    (tmp_path / "lines.json").write_bytes((FORMATS / "promptfoo.jsonl").read_bytes())
    assert len(compare(tmp_path / "log.json").rows) == len(compare(tmp_path / "lines.json").rows) == 4


def test_a_dotted_path_is_a_column(tmp_path: Path) -> None:
    batch = FORMATS / "batch_output.jsonl"
    read = compare(batch, text="response.body.choices.0.message.content", group="custom_id.0")
    assert (read.rows[0].values["text"], read.rows[1].values["group"]) == (FIRST, "female")
    own = tmp_path / "own.jsonl"
    own.write_text(json.dumps({"a": {"text": FIRST}, "who": {"gender": "male"}}) + "\n")
    assert dict(compare(own, group="who.gender").rows[0].values) == {"group": "male", "text": FIRST}
    with pytest.raises(AppError, match=r"has no column “a\.b”"):
        compare(own, text="a.b", group="who.gender")


def test_refused_failed_and_cut_replies_are_said(tmp_path: Path) -> None:
    body = {"model": "m", "choices": [{"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}]}
    cut = {"model": "m", "choices": [{"message": {"content": "He is"}, "finish_reason": "length"}]}
    lines = [
        {"response": {"body": body}},
        {"response": None, "error": {"code": "timeout"}},
        {"response": {"body": cut}},
    ]
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps({"custom_id": f"{n}|x", **line}) + "\n" for n, line in enumerate(lines)))
    read = compare(path, group="custom_id.1")
    assert [row.values["reply_kind"] for row in read.rows] == ["refusal", "failed", "cut off"]


def changed(tmp_path: Path, name: str, change: str, by: str) -> Path:
    path = tmp_path / name
    path.write_text((FORMATS / name).read_text().replace(change, by))
    return path


def archive(tmp_path: Path, members: dict[str, str]) -> Path:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as into:
        for name, content in members.items():
            into.writestr(name, content)
    return path


HEADER = json.dumps({"version": 2, "status": "success", "eval": {"model": "m"}})
SAMPLE = {"id": 1, "epoch": 1, "input": "Write", "output": {"choices": [{"message": {"content": "attachment://ab"}}]}}


def test_another_version_or_a_missing_part_is_one_sentence(tmp_path: Path) -> None:
    for path, says in (
        (changed(tmp_path, "promptfoo.json", '"version": 3', '"version": 9'), "promptfoo in version 9, which cannot"),
        (changed(tmp_path, "inspect.json", '"samples"', '"others"'), "the list of samples is missing"),
        (archive(tmp_path, {"samples/1.json": "{}"}), "the header of the log is missing"),
    ):
        with pytest.raises(AppError, match=says):
            look_at(path)
    cut = tmp_path / "cut.json"
    cut.write_text((FORMATS / "inspect.json").read_text()[:-40])
    with pytest.raises(AppError, match=r"“cut\.json” is not valid JSON"):
        look_at(cut)


def test_two_models_of_one_name_are_two_models(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("gender,[m] Say {{gender}},[m] Say {{gender}}\nmale,[PASS] Yes.,[FAIL] No.\n")
    read = read_records(table, fields_of("compare"))
    assert [(row.values["model"], row.values["text"], row.values["prompt"]) for row in read.rows] == [
        ("m", "Yes.", "Say male"), ("m (2)", "No.", "Say male"),
    ]  # fmt: skip
    first = json.loads((FORMATS / "promptfoo.jsonl").read_text().splitlines()[0])
    other = {**first, "promptIdx": 1, "response": {"output": "Another text."}}
    worded = {**other, "promptIdx": 2, "promptId": "another", "response": {"output": "A third."}}
    log = tmp_path / "two.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in (first, other, worded)))
    models = [row.values["model"] for row in read_records(log, fields_of("compare")).rows]
    assert models == ["openai:gpt-4o-mini", "openai:gpt-4o-mini (2)", "openai:gpt-4o-mini"]


def test_a_sample_without_its_attachment_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    whole = {**SAMPLE, "attachments": {"ab": FIRST}}
    path = archive(
        tmp_path, {"header.json": HEADER, "samples/1.json": json.dumps(SAMPLE), "samples/2.json": json.dumps(whole)}
    )
    read = read_records(path, fields_of("texts"))
    assert [row.values["text"] for row in read.rows] == [FIRST]
    assert read.dropped == {"attachment is missing": 1}


def zstd_archive(tmp_path: Path, members: dict[str, str]) -> Path:
    """An archive packed by Zstandard as inspect_ai writes them: packed members stored, and named as of method 93."""
    path = tmp_path / "zstd.eval"
    with zipfile.ZipFile(path, "w") as into:
        for name, content in members.items():
            into.writestr(name, pyarrow.compress(content.encode(), codec="zstd", asbytes=True))
        places = {part.filename: part.header_offset for part in into.infolist()}
        directory = into.start_dir
    whole = bytearray(path.read_bytes())
    for name, content in members.items():
        for start, method in ((places[name], 8), (whole.index(name.encode(), directory) - 46, 10)):
            crc, size = zlib.crc32(content.encode()), len(content.encode())
            whole[start + method : start + method + 2] = (93).to_bytes(2, "little")
            whole[start + method + 6 : start + method + 10] = crc.to_bytes(4, "little")
            whole[start + method + 14 : start + method + 18] = size.to_bytes(4, "little")
    path.write_bytes(whole)
    return path


def test_an_archive_packed_by_zstandard_is_read(tmp_path: Path) -> None:
    sample = {**SAMPLE, "attachments": {"ab": FIRST}}
    path = zstd_archive(tmp_path, {"header.json": HEADER, "samples/1.json": json.dumps(sample)})
    assert [row.values["text"] for row in read_records(path, fields_of("texts")).rows] == [FIRST]
    whole = path.read_bytes()
    for right, wrong in ((b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfe"), (b"success", b"succes5")):
        assert right in whole
        path.write_bytes(whole.replace(right, wrong))
        with pytest.raises(AppError, match="is broken, or not an archive of inspect_ai"):
            look_at(path)


def test_an_archive_unpacks_to_no_more_than_a_sample_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biasprint.core.tables.json_files.MOST_MEMBER_BYTES", 1000)
    path = archive(tmp_path, {"header.json": HEADER, "samples/1.json": " " * 2000})
    with pytest.raises(AppError, match="more than a sample needs"):
        look_at(path)
    assert MOST_MEMBER_BYTES > 1000


def test_a_folder_that_lacks_a_part_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text('{"_data_files": [{"filename": "data-0.arrow"}]}')
    with pytest.raises(AppError, match=r"lacks its part “data-0\.arrow”"):
        look_at(tmp_path)


def test_sheet_and_header_row_can_be_chosen(tmp_path: Path) -> None:
    fields = fields_of("texts")
    notes = read_records(FORMATS / "two_sheets.xlsx", fields, {"text": "notes"}, place=HeaderPlace("Notes"))
    assert [row.values["text"] for row in notes.rows] == ["read me"]
    with pytest.raises(AppError, match="has no sheet “Other”"):
        look_at(FORMATS / "two_sheets.xlsx", place=HeaderPlace("Other"))
    table = tmp_path / "t.csv"
    table.write_text("a,b\nc,d\ntext,group\nHello,x\n")
    assert dict(read_records(table, fields, place=HeaderPlace(row=3)).rows[0].values) == {"text": "Hello"}


@pytest.mark.parametrize(
    ("cells", "values", "says"),
    [
        (["3,5", "4", "1.234,5"], [3.5, 4, 1234.5], "decimal commas (2 cells)"),
        (["1,234.5", "2,000"], [1234.5, 2000], "separators of thousands (2 cells)"),
        (["1 234", "0.5"], [1234, 0.5], ""),
        (["1.5", ""], [1.5, None], ""),
        (["1,234", "5,678"], [None, None], "may have decimal commas or thousands, such as “1,234”"),
        (["3,5", "good", "fair"], [3.5, None, None], "score is not a number, such as “good”"),
    ],
)
def test_numbers_are_read_as_people_write_them(cells: list[str], values: list[float | None], says: str) -> None:
    read = read_numbers("score", cells)
    assert [None if value != value else value for value in read.values] == values
    assert says in f"{read.reason} {read.notice}"
