"""Own definitions: what is wrong with a draft and where, their files, and the versions that prompts were made from."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine import storage
from biasprint.core.prompts import load_axis
from biasprint.core.prompts.definition_kinds import AXIS, OCCUPATIONS, THEMES, crossed_draft, with_set_names
from biasprint.core.prompts.definitions import DefinitionKind, completed, copied, key_of, problems
from biasprint.core.prompts.library import keep_version, read_definition, read_library, remove, save
from biasprint.core.prompts.name_sets import load_name_set
from biasprint.core.prompts.resource_files import read_toml, toml_text

RED = {"label": "Red-haired", "phrase": "red-haired", "words": ["redhead"], "names": ["Ann"]}
GREY = {"label": "Grey-haired", "phrase": "grey-haired"}


def hair(*identities: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"title": "Hair colour", "identities": list(identities or (RED, GREY)), **more}


def said(draft: dict[str, Any], titles: tuple[str, ...] = ()) -> list[tuple[tuple[str | int, ...], str]]:
    return [(one.place, one.words) for one in problems(AXIS, draft, titles) if not one.caution]


# drafts


def test_a_whole_draft_has_no_problem_but_what_to_keep_in_mind() -> None:
    assert said(hair()) == []
    cautions = [(one.place, one.words) for one in problems(AXIS, hair())]
    assert [place for place, _ in cautions] == [("identities", 1, "words"), ("identities", 1, "names")]
    assert cautions[0][1].startswith("“Grey-haired” has no words, and others have")


@pytest.mark.parametrize(
    ("draft", "place", "words"),
    [
        (hair(title=" "), ("title",), "Give it a title."),
        (hair(RED), ("identities",), "At least 2 are needed, and there is 1: add one."),
        (hair(RED, {"label": "", "phrase": "x"}), ("identities", 1, "label"), "Say what people call it."),
        (hair(RED, {"label": "Grey"}), ("identities", 1, "phrase"), "Say how prompts name it."),
        (
            hair(RED, {**GREY, "label": "red-Haired "}),
            ("identities", 1, "label"),
            "Another identity is called “red-Haired” too: give each its own name.",
        ),
        (hair(RED, {**GREY, "names": ["Bo", "ann"]}), ("identities", 1, "names"), "“ann” is there twice, also at"),
        (hair({**RED, "names": ["Ann", "Ann"]}, GREY), ("identities", 0, "names"), "“Ann” is there twice: leave one"),
        (hair({**RED, "names": ["A/B"]}, GREY), ("identities", 0, "names"), "A name has no slash."),
        (hair({**RED, "phrase": "x" * 2001}, GREY), ("identities", 0, "phrase"), "This is too long: 2,000 characters"),
    ],
)
def test_a_problem_stands_at_its_field(draft: dict[str, Any], place: tuple[str | int, ...], words: str) -> None:
    ((where, sentence),) = said(draft)
    assert where == place
    assert sentence.startswith(words)


def test_a_title_that_another_has_is_refused() -> None:
    assert said(hair(), ("HAIR colour",)) == [(("title",), "Another axis has this title: give this one its own.")]


def test_what_only_the_engine_refuses_is_said_too() -> None:
    ((place, words),) = said(hair(pronouns="zie"))  # no field of an axis
    assert place == ()
    assert "pronouns" in words


def test_keys_are_made_of_any_script_and_never_twice() -> None:
    assert key_of("Grüne Augen!", (), "axis") == "grune-augen"
    assert key_of("Женщина", (), "identity") == "identity"
    assert key_of("Race", {"race", "race-2"}, "axis") == "race-3"
    assert key_of("Default", (), "identity") == "default-2"
    assert key_of("CON", (), "axis") == "con-2"


# files


def test_a_saved_axis_is_read_as_the_same_and_by_the_engine(tmp_path: Path) -> None:
    kept = save(AXIS, hair(source="our survey, §3 “hair”"))
    assert (kept.key, kept.version, kept.used) == ("hair-colour", 1, False)
    (own,) = read_library().own["axes"]
    assert own == kept
    (axis,) = read_library().values(AXIS)
    assert [(one.key, one.phrase, one.names) for one in axis.identities] == [
        ("red-haired", "red-haired", ("Ann",)),
        ("grey-haired", "grey-haired", ()),
    ]
    path = tmp_path / "hair.toml"
    path.write_text(toml_text(kept.data), "utf-8")
    assert load_axis(path) == axis  # what the command line reads


def test_toml_reads_back_what_was_written() -> None:
    awkward = {
        "a": 'quo"te\\ back\nline\ttab \x7f “ü” 😀',
        "b": [1, 2.5, True, []],
        "two words": {"x": [{"y": {"z": "w"}}]},
    }
    assert tomllib.loads(toml_text(awkward)) == awkward


@pytest.mark.parametrize("key", ["race", "letters_gender", "letters_gender_race"])
def test_a_copy_of_a_shipped_axis_keeps_all_but_its_key(key: str) -> None:
    shipped = load_axis(key)
    kept = save(AXIS, copied(shipped.definition(), [shipped.title]))
    (axis,) = read_library().values(AXIS)
    assert axis.title == f"{shipped.title} (copy)"
    assert axis.key == axis.id == kept.key != shipped.key
    assert (axis.identities, axis.harm, axis.crosses) == (shipped.identities, shipped.harm, shipped.crosses)


def test_the_harm_of_an_identity_goes_with_it() -> None:
    draft = copied(load_axis("letters_gender").definition(), ())
    draft["identities"] = [*draft["identities"][:1], GREY]
    save(AXIS, draft)
    assert not problems(AXIS, draft) or all(one.caution for one in problems(AXIS, draft))
    (axis,) = read_library().values(AXIS)
    assert axis.harm == ()


def test_an_edit_changes_a_version_until_prompts_were_made_from_it() -> None:
    first = save(AXIS, hair())
    second = save(AXIS, {**first.data, "note": "mended"})
    assert second.version == 1
    keep_version(AXIS, second.key)
    assert save(AXIS, second.data).version == 1  # nothing was changed
    third = save(AXIS, {**second.data, "note": "mended again", "title": "Hair"})
    assert (third.key, third.version, third.used) == ("hair-colour", 2, False)
    (own,) = read_library().own["axes"]
    assert own == third
    folder = read_toml_folder("hair-colour@1")
    assert folder["note"] == "mended"  # as prompts were made from it


def read_toml_folder(name: str) -> dict[str, Any]:
    return read_toml(storage.home() / "definitions" / "axes" / f"{name}.toml")


def test_a_key_that_prompts_name_never_means_another_axis() -> None:
    first = save(AXIS, hair())
    keep_version(AXIS, first.key)
    remove(first)
    assert read_library().own["axes"] == ()
    assert save(AXIS, hair()).key == "hair-colour-2"


def test_a_damaged_file_is_told_of_and_the_others_are_there() -> None:
    save(AXIS, hair())
    (storage.home() / "definitions" / "axes" / "bad.toml").write_text("key = ", "utf-8")
    library = read_library()
    assert len(library.own["axes"]) == 1
    assert "bad.toml is not valid TOML" in library.troubles[0]


def test_a_file_with_a_shipped_axis_key_becomes_another_one(tmp_path: Path) -> None:
    path = tmp_path / "race.toml"
    path.write_text(toml_text(completed(AXIS, load_axis("race").definition(), ())), "utf-8")
    draft = read_definition(AXIS, path)
    assert save(AXIS, draft).key == "race-2"


@pytest.mark.parametrize("kind", [THEMES, OCCUPATIONS], ids=lambda kind: kind.folder)
def test_a_key_from_a_file_leads_out_of_the_folder_of_no_kind(tmp_path: Path, kind: DefinitionKind) -> None:
    draft = {"title": "Theirs", "theme": [{"text": "tides"}], "occupations": ["chef"]}
    for key in ("../../../theirs", str(tmp_path / "theirs"), "a b"):
        with pytest.raises(AppError, match="key"):
            save(kind, {**draft, "key": key})
    with pytest.raises(AppError, match="version"):
        save(kind, {**draft, "version": "new"})
    assert not list(storage.home().rglob("theirs*"))
    assert not list(tmp_path.rglob("theirs*"))


def test_a_key_that_is_no_file_name_on_windows_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "theirs.toml").write_text('key = "con"\ntitle = "Con"\n[[theme]]\ntext = "tides"\nkey = "tides"\n')
    assert save(THEMES, read_definition(THEMES, tmp_path / "theirs.toml")).key == "con-2"
    assert save(THEMES, {"title": "Темы", "theme": [{"text": "tides"}]}).key == "list-of-themes"


def test_a_file_that_is_no_axis_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "task.toml"
    one = {"key": "x", "title": "X", "version": 1, "identities": [{"key": "a", **GREY}]}
    path.write_text(toml_text(one), "utf-8")
    with pytest.raises(AppError, match="at least two identities"):
        read_definition(AXIS, path)


# crossed, and the names of a set


def test_a_copy_takes_the_names_of_a_set_by_the_identities_that_it_shares() -> None:
    names = load_name_set("us")
    draft = {**copied(load_axis("race").definition(), ()), "key": "race-copy"}
    draft["identities"] = [*draft["identities"], {"label": "Purple", "phrase": "purple"}]
    filled, without = with_set_names(draft, names)
    assert without == ("Purple",)
    expected = {key: names.names_of({"race": key}) for key in ("white", "black", "asian")}
    assert {row["key"]: tuple(row["names"]) for row in filled["identities"][:3]} == expected


def test_a_set_without_a_name_for_any_of_them_is_refused() -> None:
    with pytest.raises(UsageError, match="has none for these identities"):
        with_set_names(hair(), load_name_set("us"))


def test_crossed_drafts_have_the_names_of_both(tmp_path: Path) -> None:
    names = load_name_set("us")
    draft = crossed_draft(load_axis("gender"), load_axis("race"), names)
    assert draft["title"] == "Gender × race"
    rows = {tuple(row["of"]): tuple(row.get("names", ())) for row in draft["identities"]}
    assert len(rows) == 9
    assert rows["woman", "black"] == names.names_of({"gender": "woman", "race": "black"})
    assert rows["non-binary", "black"] == ()
    assert save(AXIS, draft).key == "gender-race"
