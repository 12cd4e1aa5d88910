"""A project's audit as a file: what is in it, and that the file is read back as it was."""

import tomllib
from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec
from biasprint.core.prompts.resource_files import read_toml
from biasprint.core.runs.audit.reading import as_toml, checked, read_audit, saved_audit
from biasprint.core.runs.generate import start_run
from biasprint.core.runs.setup import add_prompts
from biasprint.core.studies.kit.choice import PromptChoice

STRANGE = 'two\nlines, a "quote", a \\ and \x7f, ünï'


def saved(project: Project, path: Path) -> dict[str, object]:
    path.write_text(saved_audit(JobContext(), project, path), encoding="utf-8")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_seeds_and_system_prompts_of_one_model_are_generators_of_their_own(tmp_path: Path) -> None:
    with Project.create(tmp_path / "a.biasprint") as project:
        prompts = add_prompts(project, "completion", domains=["nationality"], directions=["ASA"])
        spec = {"backend": "openai_compatible", "model": "m"}
        parameters = {"endpoint": "lab", "temperature": 0.2, "top_p": None}
        fair = GeneratorSpec(**spec, parameters={**parameters, "system": STRANGE})
        plain = GeneratorSpec(**spec, parameters={**parameters, "system": ""})
        for generator, seed in ((fair, 1), (fair, 2), (plain, 1)):
            start_run(project, prompt_set_id=prompts.set_id, generator=generator, seed=seed)
        saved(project, tmp_path / "a.toml")
    audit, _ = read_audit(tmp_path / "a.toml")
    assert [(one.system, one.seed) for one in audit.generators] == [(STRANGE, 1), (STRANGE, 2), (None, 1)]
    assert {(one.endpoint, one.preset, tuple(one.parameters.items())) for one in audit.generators} == {
        ("lab", False, (("temperature", 0.2),))
    }
    assert len({one.called for one in audit.generators}) == 3
    assert audit.outputs.project == tmp_path.resolve() / "a-again.biasprint"
    assert audit.prompts[0].of == tmp_path.resolve() / "a.biasprint"


def test_an_audit_as_toml_is_read_back_the_same() -> None:
    audit = checked(
        {
            "title": STRANGE,
            "prompts": [{"study": "letters", "names": ["Ana María=female"], "from": None}],
            "generators": [
                {"backend": "b", "model": "m", "parameters": {"stop here": STRANGE, "t": 1.5, "on": True, "k": 3}}
            ],
            "measure": [{"study": "letters", "scorers": {"formality": "formality_f"}}],
            "gates": ['letters.weat[x, generator="a, b"] p_below 0.05'],
            "outputs": {"project": "a.biasprint", "json": "a.json"},
        },
        "a.toml",
    )
    assert checked(tomllib.loads(as_toml(audit)), "a.toml") == audit


def test_a_project_on_another_drive_is_named_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def of_two_drives(*_: object) -> str:
        raise ValueError("path is on mount 'C:', start on mount 'D:'")

    with Project.create(tmp_path / "a.biasprint") as project:
        prompts = add_prompts(project, "completion", domains=["nationality"], directions=["ASA"])
        start_run(project, prompt_set_id=prompts.set_id, generator=GeneratorSpec(backend="b", model="m"), seed=1)
        monkeypatch.setattr("os.path.relpath", of_two_drives)
        found = tomllib.loads(saved_audit(JobContext(), project, tmp_path / "a.toml"))
    assert found["prompts"][0]["from"] == (tmp_path.resolve() / "a.biasprint").as_posix()


def test_a_file_that_is_nested_without_end_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("a = " + "[" * 100_000)
    with pytest.raises(UsageError, match="nested too deeply"):
        read_audit(tmp_path / "a.toml")
    with pytest.raises(AppError, match="nested too deeply"):
        read_toml(tmp_path / "a.toml")


def test_a_project_without_a_text_is_no_audit(tmp_path: Path) -> None:
    with Project.create(tmp_path / "a.biasprint") as project, pytest.raises(AppError, match="There is no text"):
        saved_audit(JobContext(), project, tmp_path / "a.toml")


def test_every_choice_of_prompts_is_one_of_an_audit_file_and_paths_are_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "own.toml").touch()
    (tmp_path / "a.toml").write_text(
        """
        [[prompts]]
        study = "letters"
        name_set = "own.toml"
        axes = ["gender", "own.toml"]
        occupations = ["nurse", "own.txt"]
        document = "not there.toml"
        biographies = "people.csv"
        [[texts]]
        study = "letters"
        table = "letters.parquet"
        [[measure]]
        study = "compare"
        texts_of = "letters"
        scorers = { score = "length, words:own.txt" }
        [[generators]]
        backend = "b"
        model = "m"
        [[generators]]
        backend = "llama_cpp"
        model = "models/m.gguf"
        [outputs]
        project = "a.biasprint"
        """
    )
    audit, _ = read_audit(tmp_path / "a.toml")
    plain, local = audit.generators
    assert audit.measure[0].scorers == {"score": f"length,words:{tmp_path.resolve() / 'own.txt'}"}
    assert (plain.model, local.model) == ("m", str(tmp_path.resolve() / "models" / "m.gguf"))
    assert local.called == "models/m.gguf"
    own = str(tmp_path.resolve() / "own.toml")
    asked = {
        "name_set": own, "axes": ["gender", own], "biographies": tmp_path.resolve() / "people.csv",
        "occupations": ["nurse", str(tmp_path.resolve() / "own.txt")],
        "document": str(tmp_path.resolve() / "not there.toml"),
    }  # fmt: skip
    assert audit.prompts[0].choice() == asked
    assert PromptChoice(**audit.prompts[0].choice())
    assert audit.texts[0].table == tmp_path.resolve() / "letters.parquet"
