"""Installers, made of a folder that looks like the packaged one: what is in them, and that it would be found."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from biasprint.core import __version__

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "packaging" / "installers.py"
# How uv calls the systems that we promise; torch has no builds for Macs with Intel processors any more.
SYSTEMS = {"x86_64-pc-windows-msvc": {}, "aarch64-apple-darwin": {"MACOSX_DEPLOYMENT_TARGET": "14.0"}}


def tool(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")


def make(kind: str, folder: Path, out: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", SCRIPT, kind, folder, out], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(params=["biasprint", "biasprint-light"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = tmp_path / request.param
    (made / "_internal" / "biasprint").mkdir(parents=True)
    for name in ("biasprint", "biasprint.exe"):
        (made / name).write_text('#!/bin/sh\necho started with "$@"\n')
        (made / name).chmod(0o755)
    for name in ("LICENSE", "LICENCES.txt", "bill-of-materials.cdx.json", "_internal/base.so"):
        (made / name).write_text(name)
    return made


@tool("dpkg-deb")
def test_the_package_for_debian_starts_has_its_files_and_needs_what_qt_needs(folder: Path, tmp_path: Path) -> None:
    make("deb", folder, tmp_path / "made.deb")
    there = tmp_path / "root"
    subprocess.run(["dpkg-deb", "-x", tmp_path / "made.deb", there], check=True)
    started = subprocess.run([there / "usr" / "bin" / "biasprint", "x"], capture_output=True, text=True, check=True)
    assert started.stdout == "started with x\n"
    share = there / "usr" / "share"
    for name in (
        "applications/biasprint.desktop", "mime/packages/biasprint-mime.xml", "man/man1/biasprint.1.gz",
        "icons/hicolor/scalable/apps/biasprint.svg", f"doc/{folder.name}/copyright",
    ):  # fmt: skip
        assert (share / name).is_file(), name
    fields = {
        name: subprocess.run(
            ["dpkg-deb", "-f", tmp_path / "made.deb", name], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("Package", "Version", "Depends", "Conflicts")
    }
    assert (fields["Package"], fields["Version"]) == (folder.name, __version__)
    assert {"libegl1", "libxcb-cursor0"} <= set(fields["Depends"].split(", "))
    assert fields["Conflicts"] in ("biasprint", "biasprint-light")
    assert fields["Conflicts"] != fields["Package"]


@pytest.mark.skipif(platform.system() != "Linux", reason="it is for Linux")
def test_the_archive_runs_where_it_is_unpacked_and_goes_into_the_menu_and_out_again(
    folder: Path, tmp_path: Path
) -> None:
    make("portable", folder, tmp_path / "made.tar.gz")
    with tarfile.open(tmp_path / "made.tar.gz") as archive:
        assert {entry.uid for entry in archive} == {0}
        archive.extractall(tmp_path / "with a blank", filter="tar")
    (there,) = (tmp_path / "with a blank").iterdir()
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    subprocess.run([there / "add-to-menu.sh"], env=environment, check=True)
    entry = (tmp_path / "data" / "applications" / "biasprint.desktop").read_text(encoding="utf-8")
    assert f'Exec="{there}/biasprint" %F' in entry
    assert f"Icon={there}/biasprint.svg" in entry
    subprocess.run([there / "add-to-menu.sh", "--remove"], env=environment, check=True)
    assert not (tmp_path / "data" / "applications" / "biasprint.desktop").exists()


@tool("makensis")
def test_the_setup_program_for_windows_takes_all_files_and_leaves_none_behind(folder: Path, tmp_path: Path) -> None:
    make("windows", folder, tmp_path / "setup.exe")
    assert (tmp_path / "setup.exe").read_bytes()[:2] == b"MZ"
    script = (ROOT / "packaging" / "windows" / "biasprint.nsi").read_text(encoding="utf-8")
    brought = {file.name for file in folder.iterdir() if file.name != "biasprint"}  # that one is Linux's
    deleted = {name for name in brought if f'"$INSTDIR\\{name}"' in script}
    assert deleted == brought


@tool("desktop-file-validate")
def test_the_menu_entry_is_valid() -> None:
    entry = ROOT / "packaging" / "linux" / "biasprint.desktop"
    done = subprocess.run(["desktop-file-validate", entry], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.soak
@pytest.mark.skipif(find_spec("uv") is None, reason="uv is not installed")
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_package_that_is_needed_is_there_for_the_system_without_a_compiler(system: str, tmp_path: Path) -> None:
    """Asks the package index. llama.cpp is an extra, because it is compiled everywhere."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert not any(each.startswith("llama-cpp-python") for each in needed)
    asked = tmp_path / "asked.txt"
    asked.write_text("\n".join(needed))
    command = [sys.executable, "-m", "uv", "pip", "compile", "-q", "--only-binary", ":all:", "--python-version", "3.11"]
    done = subprocess.run(
        [*command, "--python-platform", system, asked], env={**os.environ, **SYSTEMS[system]},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "pyside6-essentials==" in done.stdout


def test_the_recipe_for_three_systems_is_one() -> None:
    import yaml

    recipe = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    systems = recipe["jobs"]["package"]["strategy"]["matrix"]["os"]
    assert sorted(each.partition("-")[0] for each in systems) == ["macos", "ubuntu", "windows"]
    steps = json.dumps(recipe["jobs"]["package"]["steps"])
    assert all(word in steps for word in ("run.py package", "--installers", "signtool", "codesign", "notarytool"))
