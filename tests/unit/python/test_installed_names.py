"""Installed beside other packages, the program is `biasprint.core` and the rest; nobody's `core` is taken or used."""

import json
import os
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest
from setuptools import find_namespace_packages

ROOT = Path(__file__).parents[3]
FOLDERS = ("core", "desktop", "resources", "models")
KINDS = (".py", ".toml", ".jsonl", ".sql", ".svg", ".gguf", ".safetensors", ".gz", ".ttf")


def python(folder: Path, script: str, *path: Path) -> Any:
    """What a script prints as JSON, with these folders on Python's path; started where no module of ours lies."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_another_packages_core_and_ours_are_both_there(installed_site, tmp_path):
    script = """
        import json, sys
        import core, core.findings, models
        import biasprint.core.findings, biasprint.core.studies.registry
        from biasprint.core.own import own_files
        tops = ("core", "desktop", "resources", "models")
        plain = sorted(name for name in sys.modules if name.partition(".")[0] in tops)
        print(json.dumps({
            "theirs": [core.OWNER, core.findings.Finding, models.OWNER],
            "ours": biasprint.core.findings.Finding.__module__,
            "studies": list(biasprint.core.studies.registry.studies()),
            "axes": own_files("resources").joinpath("axes", "gender.toml").is_file(),
            "plain": plain,
        }))
    """

    found = python(tmp_path, script, installed_site)

    assert found["theirs"] == ["somebody else, core", "theirs", "somebody else, models"]
    assert found["ours"] == "biasprint.core.findings"
    assert {"news", "completion", "creativity", "letters"} <= set(found["studies"])
    assert found["axes"]
    assert found["plain"] == ["core", "core.findings", "models"]


def test_what_computes_gives_classes_of_the_installed_names(installed_site, tmp_path):
    script = """
        import json
        import biasprint.core.compute
        from biasprint.core.findings import Floor
        made = biasprint.core.compute.shared().call("core.findings:Floor", 0.1, 0.2, 0.3)
        print(json.dumps([isinstance(made, Floor), type(made).__module__]))
    """

    assert python(tmp_path, script, installed_site) == [True, "biasprint.core.findings"]


@pytest.mark.parametrize("first", ["core.findings", "biasprint.core.findings"])
def test_with_the_tree_on_the_path_each_module_is_there_once(first, tmp_path):
    script = f"""
        import json, sys
        import {first}
        import biasprint
        import core, core.findings, core.metrics.adjust, desktop.settings
        import biasprint.core, biasprint.core.findings, biasprint.core.metrics.adjust, biasprint.desktop.settings
        import biasprint.core.text
        from core import text
        twice = [
            name for name, module in sys.modules.items()
            if name.startswith(("core", "desktop")) and sys.modules.get("biasprint." + name, module) is not module
        ]
        print(json.dumps([
            twice, core.findings.Finding is biasprint.core.findings.Finding, text is biasprint.core.text,
            core.findings.__name__, core.findings.__spec__.name,
        ]))
    """

    assert python(tmp_path, script, ROOT, ROOT / "core" / "python") == [[], True, True, first, first]


def test_what_pip_installs_lies_below_our_name_and_is_all():
    given = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    found = find_namespace_packages(str(ROOT), include=[f"{folder}*" for folder in FOLDERS], exclude=["core.python*"])
    assert sorted(given["packages"]) == sorted(["biasprint", *(f"biasprint.{name}" for name in found)])
    with_files = {
        "biasprint." + ".".join(file.parent.relative_to(ROOT).parts)
        for folder in FOLDERS for file in (ROOT / folder).rglob("*")
        if file.suffix in KINDS and ROOT / "core" / "python" not in file.parents
    }  # fmt: skip
    assert not with_files - set(given["packages"])
    assert given["package-dir"] == {
        "biasprint": "core/python/biasprint", **{f"biasprint.{folder}": folder for folder in FOLDERS}
    }  # fmt: skip


def test_no_name_in_a_text_passes_by_what_knows_where_we_are_installed():
    """`core.own` alone turns "core.…" into a module or a folder."""
    looked_up = ("import_module(", "files(", "find_spec(", "__import__(")
    found = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for top in ("core", "desktop")
        for file in sorted((ROOT / top).rglob("*.py"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if any(f"{call}{quote}{name}" in line for call in looked_up for quote in "\"'" for name in FOLDERS)
        and "own_files(" not in line
    ]
    assert found == []
