"""The contract of `new`, `prompts`, `compare`, `generate` and `check`."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli_support import biasprint, outputs_of, refused

from biasprint.core.backends.protocol import output_seed
from biasprint.core.project.project import Project


def test_new_makes_the_whole_default_prompt_set_of_each_study(tmp_path: Path) -> None:
    file = tmp_path / "study.biasprint"
    made = biasprint("new", file, "--study", "creativity", "--study", "letters", "--json").json
    assert made == {"file": str(file), "studies": {"creativity": 3240, "letters": 120}}
    with Project.open(file, read_only=True) as project:
        creativity, letters = project.prompts.sets()
        prompts = list(project.prompts.page(creativity.id, limit=4000))
        assert project.prompts.count(letters.id) == 120
    # Kumar et al.: 12 tasks × 30 themes, without an identity and with each of 8.
    assert sum(prompt.identity == "default" for prompt in prompts) == 360
    assert len({(prompt.task, prompt.theme) for prompt in prompts}) == 360
    assert {(prompt.axis, prompt.identity) for prompt in prompts if prompt.axis} == {
        ("race", "white"), ("race", "black"), ("race", "asian"),
        ("gender", "man"), ("gender", "woman"), ("gender", "non-binary"),
        ("orientation", "straight"), ("orientation", "queer"),
    }  # fmt: skip


def test_new_without_a_study_makes_an_empty_project(tmp_path: Path) -> None:
    file = tmp_path / "deeper" / "study.biasprint"
    assert biasprint("new", file, "--json").json == {"file": str(file), "studies": {}}
    assert biasprint("check", file).out.startswith(f"{file} is sound")


def test_prompts_narrow_by_task_theme_and_axis(tmp_path: Path) -> None:
    file = tmp_path / "study.biasprint"
    biasprint("new", file)
    narrowed = ("--task", "haiku", "--task", "song", "--theme", "stars", "--axis", "gender")
    made = biasprint("prompts", file, "--study", "creativity", *narrowed, "--json").json
    # 2 tasks × 1 theme × (the default + 3 identities of the axis)
    assert made == {"study": "creativity", "set": "CoGS", "version": 1, "prompts": 8}


def test_other_prompts_under_one_name_are_its_next_version_and_the_same_ones_are_not(tmp_path: Path) -> None:
    file = tmp_path / "study.biasprint"
    biasprint("new", file)

    def version(*narrowed: str) -> int:
        answer = biasprint("prompts", file, "--study", "creativity", "--theme", "stars", *narrowed, "--json")
        return int(answer.json["version"])

    assert [version("--task", "haiku"), version("--task", "song"), version("--task", "haiku")] == [1, 2, 1]


def test_letters_take_names_and_say_what_one_name_for_a_group_means(tmp_path: Path) -> None:
    file = tmp_path / "study.biasprint"
    biasprint("new", file)
    names = [f"--name={name}" for name in ("Joseph=male", "Amir=male", "Kelly=female", "Mei=female")]
    two = biasprint("prompts", file, "--study", "letters", *names, "--json")
    assert two.json["prompts"] == 240
    assert "With one name" not in two.err
    one = biasprint("prompts", file, "--study", "letters", *names[::2], "--json")
    assert one.json["prompts"] == 120
    assert "With one name for a group" in one.err


def test_generate_writes_every_prompt_once_and_then_has_nothing_to_do(study_file: Path) -> None:
    again = ("generate", study_file, "--study", "letters", "--backend", "synthetic", "--model", "large", "--seed", 5)
    assert biasprint(*again, "--json").json == {
        "run": 2, "set": "Context-less letters", "version": 1, "wanted": 120, "done": 120, "failed": 0,
        "failures": {}, "cut": 0, "added": 0, "new": 0, "left_out": [],
    }  # fmt: skip
    more = biasprint(*again, "--samples", 2, "--json").json
    assert (more["run"], more["wanted"], more["added"]) == (2, 240, 120)
    assert biasprint(*again[:-1], 6, "--json").json["run"] == 3


def test_an_outputs_seed_comes_from_the_run_the_prompt_and_the_sample(study_file: Path) -> None:
    outputs = outputs_of(study_file)
    assert len(outputs) == 2 * 6 * 9 + 120
    assert all(seed == output_seed(5, key, sample) for (_, key, sample), (_, seed, _) in outputs.items())


def test_generate_says_which_prompts_it_writes_for_and_takes_an_older_version(tmp_path: Path) -> None:
    file = tmp_path / "study.biasprint"
    biasprint("new", file)
    for task in ("haiku", "song"):
        biasprint("prompts", file, "--study", "creativity", "--theme", "stars", "--task", task)
    write = ("generate", file, "--study", "creativity", "--backend", "synthetic", "--model", "none")
    newest = biasprint(*write, "--json")
    assert (newest.json["set"], newest.json["version"]) == ("CoGS", 2)
    assert "Writing for CoGS, version 2." in newest.err
    assert biasprint(*write, "--prompts", "CoGS", "--json").json["version"] == 2
    assert biasprint(*write, "--prompts", "CoGS@1", "--json").json["version"] == 1
    assert {key.split("/")[1] for _, key, _ in outputs_of(file)} == {"haiku", "song"}
    assert "CoGS@1, CoGS@2" in refused(*write, "--prompts", "CoGS@3", code=2, says="no prompt set “CoGS@3”")


def test_compare_draws_the_same_comparisons_for_the_same_seed_and_adds_them_once(tmp_path: Path) -> None:
    file = tmp_path / "study.biasprint"
    biasprint("new", file)
    biasprint("prompts", file, "--study", "creativity", "--task", "haiku")
    biasprint("generate", file, "--study", "creativity", "--backend", "synthetic", "--model", "none")
    draw = ("compare", file, "--axis", "race", "--axis", "gender", "--per-axis", 12, "--json")
    first = biasprint(*draw, "--seed", 4).json
    assert set(first) == {"plan", "made", "comparisons", "left_out", "prompts"}
    assert first["comparisons"] == {"race": 12, "gender": 12}
    again = biasprint(*draw, "--seed", 4).json
    assert (again["plan"], again["made"]) == (first["plan"], False)
    assert biasprint(*draw, "--seed", 5).json["plan"] != first["plan"]
    with Project.open(file, read_only=True) as project:
        one, other = (project.judging.comparisons(plan.id) for plan in project.judging.plans())
    assert [row.items for row in one] != [row.items for row in other]
    assert all(len({item.identity for item in row.items}) == 3 for row in one)


def test_check_counts_what_it_looked_at(study_file: Path) -> None:
    report = biasprint("check", study_file, "--json").json
    assert report["file"] == str(study_file)
    assert report["sound"] is True
    assert report["problems"] == []
    assert {name: report["rows"][name] for name in ("prompt", "source", "output")} == {
        "prompt": 228, "source": 0, "output": 228,
    }  # fmt: skip
    assert report["rows"]["judgment"] > 0


@pytest.mark.parametrize("as_json", [True, False])
def test_check_names_a_text_that_is_not_the_one_that_was_stored(study_file: Path, as_json: bool) -> None:
    with closing(sqlite3.connect(study_file)) as connection, connection:
        connection.execute("UPDATE output SET text = 'something else' WHERE id = 17")
    answer = biasprint("check", study_file, *(["--json"] if as_json else []), code=1)
    if as_json:
        assert answer.json["sound"] is False
        assert answer.json["problems"] == [{"table": "output", "key": "17", "what": "is not the text that was stored"}]
        return
    assert "output  17" in answer.out
    assert "is not the text that was stored" in answer.out
    assert "There is no backup of it on this machine." in answer.out


def test_check_of_a_damaged_project_lists_its_backups(study_file: Path) -> None:
    biasprint("prompts", study_file, "--study", "creativity", "--task", "haiku")  # the first write backs it up
    content = bytearray(study_file.read_bytes())
    content[4096 * 3 : 4096 * 4] = bytes(range(256)) * 16
    study_file.write_bytes(content)
    report = biasprint("check", study_file, "--json", code=1).json
    assert report["problems"]
    (backup,) = report["backups"]
    assert biasprint("check", backup, "--json").json["sound"] is True

    (listed,) = biasprint("restore", study_file, "--list", "--json").json["backups"]
    assert (listed["path"].replace("sound", "unchecked"), listed["state"]) == (backup, "sound")
    assert listed["rows"] == {"prompt": 228, "output": 228, "judgment": listed["rows"]["judgment"]}
    assert "228      228" in biasprint("restore", study_file, "--list").out
    restored = biasprint("restore", study_file, "--json").json
    assert Path(restored["kept"]).read_bytes() == content
    assert biasprint("check", study_file, "--json").json["sound"] is True
    back, kept = biasprint("restore", study_file, "--from", restored["kept"], code=None), Path(restored["kept"])
    assert back.code == 1, "a damaged file is not put back"
    sound = Path(shutil.copyfile(study_file, study_file.with_name("from elsewhere.biasprint")))
    said = biasprint("restore", study_file, "--from", sound).out.splitlines()
    assert said[0].endswith("study.biasprint is now as “from elsewhere.biasprint”.")
    assert said[1].startswith("What it was is kept as “")
    assert len(said) == 2
    assert kept.read_bytes() == content


@pytest.mark.soak
def test_generate_scores_as_it_writes_where_it_is_asked_to(tmp_path: Path) -> None:
    file = tmp_path / "study.biasprint"
    biasprint("new", file)
    biasprint("prompts", file, "--study", "creativity", "--task", "haiku", "--theme", "stars", "--axis", "gender")
    write = ("generate", file, "--study", "creativity", "--backend", "synthetic", "--model", "none")
    assert "scored" not in biasprint(*write, "--json").json
    with Project.open(file, read_only=True) as project:
        assert project.scores.known() == ()
    (scored,) = biasprint(*write, "--samples", 2, "--score", "--json").json["scored"].items()
    assert scored[1] == {"added": 8, "unscored": 0, "failed": 0, "error": ""}
    with Project.open(file, read_only=True) as project:
        assert [(name, count) for name, _, count in project.scores.known()] == [(scored[0], 8)]
