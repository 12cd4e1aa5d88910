"""Each module of the program has one name, `biasprint.…`, in the source tree and in an installation alike."""

import json
import os
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
FOLDERS = ("core", "desktop", "resources", "models")


def python(folder: Path, script: str, *path: Path) -> Any:
    """What a script prints as JSON, with these folders on Python's path; started where no module of ours lies."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(script)],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_another_packages_core_and_ours_are_both_there(installed_site, tmp_path):
    script = """
        import json, sys
        from importlib.resources import files
        import core, core.findings, models
        import biasprint.core.findings, biasprint.core.studies.registry
        tops = ("core", "desktop", "resources", "models")
        plain = sorted(name for name in sys.modules if name.partition(".")[0] in tops)
        print(json.dumps({
            "theirs": [core.OWNER, core.findings.Finding, models.OWNER],
            "ours": biasprint.core.findings.Finding.__module__,
            "studies": list(biasprint.core.studies.registry.studies()),
            "axes": files("biasprint.resources").joinpath("axes", "gender.toml").is_file(),
            "plain": plain,
        }))
    """

    found = python(tmp_path, script, installed_site)

    assert found["theirs"] == ["somebody else, core", "theirs", "somebody else, models"]
    assert found["ours"] == "biasprint.core.findings"
    assert {"news", "completion", "creativity", "letters"} <= set(found["studies"])
    assert found["axes"]
    assert found["plain"] == ["core", "core.findings", "models"]


@pytest.mark.parametrize("where", ["installed", "source"])
def test_what_computes_returns_the_callers_own_classes(where, installed_site, tmp_path):
    script = """
        import json
        import biasprint.core.compute
        from biasprint.core.findings import Floor
        made = biasprint.core.compute.shared().call(Floor, 0.1, 0.2, 0.3)
        print(json.dumps([isinstance(made, Floor), type(made).__module__]))
    """
    site = installed_site if where == "installed" else ROOT / "core" / "python"

    assert python(tmp_path, script, site) == [True, "biasprint.core.findings"]


def test_in_the_source_tree_the_folders_are_no_modules_of_their_own(tmp_path):
    script = """
        import json
        from importlib.util import find_spec
        import biasprint.core.findings
        print(json.dumps([name for name in ("core", "desktop", "resources", "models") if find_spec(name)]))
    """

    assert python(tmp_path, script, ROOT / "core" / "python") == []


def test_the_wheel_holds_every_file_of_the_four_folders(tmp_path):
    command = [sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        packed = {name for name in wheel.namelist() if name.startswith("biasprint/")}

    listed = subprocess.run(["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("the files of the project are listed by git, and this is no checkout")
    own = "core/python/"
    listed_files = [file for file in listed.stdout.split() if file != "core/python/hatch_build.py"]
    there = {file.removeprefix(own) if file.startswith(own) else f"biasprint/{file}" for file in listed_files}
    assert packed == there
