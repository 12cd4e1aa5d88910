"""Letters in the data folder: they come back as they were left, drafts belong to one window, bad files hurt nobody."""

import json
import multiprocessing
import os
import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biasprint.core.errors import AppError
from biasprint.core.letters import kept
from biasprint.core.letters.kept import DRAFTS, SAVED, Draft, letter_of, listed, opened, put, remove, save
from biasprint.core.letters.values import Document, KeptLetter, LetterSource, Part
from biasprint.core.swap import Person

LETTER = KeptLetter(
    Document("Kelly.docx", "docx", ("Dear all,", "Kelly is warm \U0001f600."), 2, ("A note.",)),
    "Letter for Kelly",
    Document("cv.pdf", "pdf", ("Kelly, artist",), 1),
    (Part("salutation", 0, 11), Part("body", 11, 26)),
    Person("Kelly", "Moreno", "Dr.", "she"),
    "artist",
    ("communal:warm:ab",),
)


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path))
    return tmp_path


def files(folder: Path) -> list[Path]:
    return sorted(one for one in (folder / "letters").rglob("*") if one.is_file())


def test_a_letters_own_file_is_kept_with_it_unless_it_is_too_large_to_write_at_every_pause(data_folder: Path):
    first = Document("Kelly.docx", "docx", ("As it was opened.",))
    small = LetterSource(first, b"PK\x03\x04\xff", data_folder / "Kelly.docx")
    assert opened(SAVED, save(replace(LETTER, source=small))).source == small
    large = replace(small, data=b"x" * (kept.MOST_SOURCE + 1))
    assert opened(SAVED, save(replace(LETTER, source=large))).source == replace(small, data=None)


def test_a_letter_of_an_earlier_version_has_no_file(data_folder: Path):
    key = save(LETTER)
    (path,) = files(data_folder)
    content = json.loads(path.read_text("utf-8"))
    del content["letter"]["source"]
    del content["letter"]["kind"]
    path.write_text(json.dumps(content), "utf-8")
    assert opened(SAVED, key) == replace(LETTER, saved_as=key)


def test_a_saved_letter_comes_back_whole_and_is_replaced_by_the_next_save(data_folder: Path):
    key = save(LETTER)
    back = opened(SAVED, key)
    assert back == replace(LETTER, saved_as=key)
    edited = replace(back, document=Document("Kelly.docx", "docx", ("Other words.",)), parts=None, title="Another")
    assert save(edited) == key
    assert opened(SAVED, key) == edited
    assert [(one.key, one.title) for one in listed(SAVED).entries] == [(key, "Another")]
    assert len(files(data_folder)) == 1


TEXTS = st.text(st.characters(codec=None), max_size=40)  # lone surrogates, NUL and line ends of every kind too


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=3), TEXTS)
def test_any_text_comes_back_exactly(title: str, paragraphs: list[str], occupation: str):
    letter = KeptLetter(Document("x", "pasted", tuple(paragraphs)), title, occupation=occupation)
    assert letter_of(json.loads(json.dumps(kept.as_json(letter)))) == letter


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps rights elsewhere")
def test_nobody_else_can_read_the_folder(data_folder: Path):
    save(LETTER)
    for folder in (data_folder / "letters", data_folder / "letters" / "saved"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_newest_is_listed_first_and_what_is_removed_is_gone():
    first, second = save(LETTER), save(replace(LETTER, title="Second"))
    put(SAVED, first, replace(opened(SAVED, first), title="Again"))
    assert {one.title for one in listed(SAVED).entries} == {"Again", "Second"}
    times = [one.when for one in listed(SAVED).entries]
    assert times == sorted(times, reverse=True)
    remove(SAVED, second)
    remove(SAVED, second)
    assert [one.key for one in listed(SAVED).entries] == [first]
    with pytest.raises(AppError, match="not here any more"):
        opened(SAVED, second)


WHOLE = {"format": 1, "when": "2026-01-01T00:00:00.000+00:00", "letter": kept.as_json(LETTER)}


def changed(**letter: object) -> str:
    return json.dumps(WHOLE | {"letter": WHOLE["letter"] | letter})  # type: ignore[operator]


BAD = {
    "empty": "",
    "no JSON": "{",
    "a list": "[]",
    "deep": "[" * 100_000,
    "newer": json.dumps(WHOLE | {"format": 2}),
    "no time": json.dumps(WHOLE | {"when": 5}),
    "no letter": json.dumps({"format": 1, "when": "x"}),
    "no document": changed(document=None),
    "paragraphs of numbers": changed(document=WHOLE["letter"]["document"] | {"paragraphs": [1]}),  # type: ignore[index]
    "pages of words": changed(document=WHOLE["letter"]["document"] | {"pages": "two"}),  # type: ignore[index]
    "a part beyond the end": changed(parts=[{"kind": "body", "start": 0, "end": 10_000}]),
    "an unknown kind": changed(kind="poem"),
    "an unknown part": changed(parts=[{"kind": "poem", "start": 0, "end": 1}]),
    "an unknown pronoun": changed(person={"first_name": "", "last_name": "", "title": "", "pronoun": "xe"}),
    "a dismissal that is none": changed(dismissed=[None]),
    "a file that is none": changed(source={"document": WHOLE["letter"]["document"], "data": "*", "path": None}),  # type: ignore[index]
}


@pytest.mark.parametrize("name", BAD)
def test_a_damaged_file_is_counted_and_refused_and_the_others_are_listed(data_folder: Path, name: str):
    good, bad = save(LETTER), kept.new_key()
    path = data_folder / "letters" / "saved" / f"{bad}.json"
    path.write_text(BAD[name], "utf-8")
    (path.parent / "notes.txt").write_text("somebody's own", "utf-8")
    (path.parent / "mine.json").write_text("somebody's own", "utf-8")
    found = listed(SAVED)
    assert [one.key for one in found.entries] == [good]
    assert found.damaged == (path.name,)
    with pytest.raises(AppError, match="cannot be read") as caught:
        opened(SAVED, bad)
    assert str(path) in caught.value.kept
    assert path.read_text("utf-8") == BAD[name]


@pytest.mark.parametrize("key", ["", "../settings", "a/b", "0" * 31])
def test_only_a_key_names_a_file(key: str):
    for touch in (lambda: opened(SAVED, key), lambda: remove(SAVED, key), lambda: put(DRAFTS, key, LETTER)):
        with pytest.raises(ValueError, match="no key"):
            touch()


# drafts


def test_a_draft_is_another_windows_until_that_lets_go_of_it():
    draft = Draft()
    assert draft.write(LETTER, 1)
    assert listed(DRAFTS).entries == ()
    draft.leave()
    (left,) = listed(DRAFTS).entries
    assert (left.key, left.title) == (draft.key, LETTER.title)
    mine = Draft(left.key)
    mine.hold()
    assert listed(DRAFTS).entries == ()
    assert opened(DRAFTS, left.key) == LETTER
    mine.discard()
    assert listed(DRAFTS).entries == ()


def test_nothing_of_a_discarded_draft_stays(data_folder: Path):
    draft = Draft()
    draft.write(LETTER, 1)
    draft.discard()
    assert not draft.write(LETTER, 2)  # a thread that was late
    assert files(data_folder) == []
    assert list((data_folder / "locks").iterdir()) == []


def test_a_write_that_was_overtaken_changes_nothing():
    draft, newer = Draft(), replace(LETTER, title="Newer")
    threads = [
        threading.Thread(target=draft.write, args=(newer if number == 9 else LETTER, number))
        for number in range(9, 0, -1)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert opened(DRAFTS, draft.key) == newer
    draft.leave()


def hold_and_wait(folder: str, key: str, ready: object) -> None:
    os.environ["BIASPRINT_HOME"] = folder
    draft = Draft(key)
    draft.write(LETTER, 1)
    ready.set()  # type: ignore[attr-defined]
    threading.Event().wait()


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is POSIX's")
def test_the_draft_of_a_killed_process_is_found_by_the_next(data_folder: Path):
    fork = multiprocessing.get_context("fork")  # spawned it would take seconds to import this module
    key, ready = kept.new_key(), fork.Event()
    other = fork.Process(target=hold_and_wait, args=(str(data_folder), key, ready))
    other.start()
    assert ready.wait(60)
    assert listed(DRAFTS).entries == ()
    assert kept.is_held(key)
    other.kill()
    other.join()
    assert [one.key for one in listed(DRAFTS).entries] == [key]
    assert opened(DRAFTS, key) == LETTER


def test_a_full_disk_leaves_the_draft_that_was_there(monkeypatch: pytest.MonkeyPatch):
    draft = Draft()
    draft.write(LETTER, 1)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        with pytest.raises(AppError, match="disk is full"):
            draft.write(replace(LETTER, title="Newer"), 2)
    assert opened(DRAFTS, draft.key) == LETTER
    assert draft.write(replace(LETTER, title="Newer"), 3)
    draft.leave()
