"""Installers, made of a folder that looks like the packaged one: what is in them, and that it would be found."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml

from biasprint.core import __version__
from biasprint.core.machine.installation import declared, pins, pip, state
from biasprint.core.machine.installation.declared import normalized
from packaging import markers

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "packaging" / "installers.py"
LINUX = ROOT / "packaging" / "linux"
# The systems by pip's names, with what a requirement's marker asks of them.
MAC = {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"}
SYSTEMS = {
    "win_amd64": {
        "sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "platform_machine": "AMD64",
    },
    "macosx_14_0_arm64": {**MAC, "platform_machine": "arm64"},
    "macosx_14_0_x86_64": {**MAC, "platform_machine": "x86_64"},
}  # fmt: skip
# What is not built any more for Macs with Intel processors; the light edition needs none of it.
NOT_BUILT = {"macosx_14_0_x86_64": {"torch"}}
LOCK = pins.entries()


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
        archive.extractall(tmp_path / "with a blank")
    (there,) = (tmp_path / "with a blank").iterdir()
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    subprocess.run([there / "add-to-menu.sh"], env=environment, check=True)
    entry = (tmp_path / "data" / "applications" / "biasprint.desktop").read_text(encoding="utf-8")
    assert f'Exec="{there}/biasprint" %F' in entry
    assert f"Icon={there}/biasprint.svg" in entry
    subprocess.run([there / "add-to-menu.sh", "--remove"], env=environment, check=True)
    assert not (tmp_path / "data" / "applications" / "biasprint.desktop").exists()


@tool("dpkg-deb")
@pytest.mark.skipif(platform.system() != "Linux", reason="what is made depends on the system")
def test_one_command_makes_all_that_this_system_installs(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "dist"
    out.mkdir()
    make("here", folder, out)
    name = f"{folder.name}-{__version__}-{platform.machine()}"
    assert {file.name for file in out.iterdir()} == {f"{name}.deb", f"{name}.tar.gz"}


def test_the_table_of_sizes_has_each_folder_its_largest_parts_and_each_file_to_download(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "_internal" / "torch").mkdir()
    (folder / "_internal" / "torch" / "large.so").write_bytes(bytes(3_000_000))
    (folder / "_internal" / "torch" / "again.so").symlink_to("large.so")  # it is there once
    (tmp_path / "made.tar.gz").write_bytes(bytes(1_600_000))
    make("sizes", tmp_path, tmp_path / "sizes.md")
    page = (tmp_path / "sizes.md").read_text(encoding="utf-8")
    assert f"| {folder.name} | 3 |" in page
    assert "| torch | 3 |" in page
    assert "| made.tar.gz | 2 |" in page


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
    checked("desktop-file-validate", LINUX / "biasprint.desktop")


@tool("appstreamcli")
@tool("desktop-file-validate")
@pytest.mark.skipif(platform.system() != "Linux", reason="it is for Linux")
def test_the_commands_of_the_flatpak_make_what_a_software_centre_reads(folder: Path, tmp_path: Path) -> None:
    """Done as flatpak-builder does them, but in folders: its runtime comes from a network that is not here."""
    manifest = yaml.safe_load((LINUX / "io.github.biasprint.Biasprint.yml").read_text(encoding="utf-8"))
    (module,) = manifest["modules"]
    work, app = tmp_path / "work", tmp_path / "root" / "usr"  # where appstreamcli looks
    app.mkdir(parents=True)
    shutil.copytree(folder, work / "biasprint")
    (work / "biasprint" / "_internal" / "biasprint-1.2.3.dist-info").mkdir()
    for source in module["sources"][1:]:
        shutil.copy(LINUX / source["path"], work)
    environment = {**os.environ, "FLATPAK_ID": manifest["id"]}
    for command in module["build-commands"]:
        subprocess.run(command.replace("/app/", f"{app}/"), shell=True, cwd=work, env=environment, check=True)
    started = subprocess.run([app / "bin" / "biasprint", "x"], capture_output=True, text=True, check=True)
    assert started.stdout == "started with x\n"
    told = checked("appstreamcli", "validate-tree", "--no-net", app.parent)
    assert "Validation was successful" in told
    (entry,) = (app / "share" / "applications").iterdir()
    checked("desktop-file-validate", entry)
    assert entry.stem == manifest["id"]
    for shared in (app / "share").rglob("*.*"):
        if shared.is_file():
            assert shared.name.startswith(manifest["id"])  # no other file is shown outside of the Flatpak
            assert "@" not in shared.read_text(encoding="utf-8")
    assert '<release version="1.2.3"' in (app / "share" / "metainfo" / f"{manifest['id']}.metainfo.xml").read_text()


@tool("flatpak-builder")
def test_flatpak_builder_reads_the_manifest(tmp_path: Path) -> None:
    read = checked("flatpak-builder", "--show-manifest", LINUX / "io.github.biasprint.Biasprint.yml", cwd=tmp_path)
    assert json.loads(read)["command"] == "biasprint"


@tool("man")
def test_the_man_page_is_read_without_a_warning(tmp_path: Path) -> None:
    page = tmp_path / "biasprint.1"
    page.write_text(
        (LINUX / "biasprint.1").read_text(encoding="utf-8").replace("@VERSION@", __version__), encoding="utf-8"
    )
    told = checked("man", "--warnings", "--local-file", page)
    assert "biasprint - show the social bias" in told.replace("‐", "-").replace("−", "-")


def checked(*words: str | Path, cwd: Path | None = None) -> str:
    """The output of a tool that finds nothing wrong and says nothing on the side."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100", "MANPAGER": "cat"}
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout


def locked_for(platform_name: str) -> dict[str, str]:
    """The lock's requirements that the program itself leads to on a system, by name, with their hashes."""
    given = {"python_version": "3.11", "python_full_version": "3.11.9", **SYSTEMS[platform_name]}
    needed = {normalized(each) for each in declared.all_requirements()} - {"llama-cpp-python"}
    via = {
        name: set(re.findall(r"#(?:   via)? +([a-z0-9][\w.-]*)$", "".join(found), re.M)) for name, found in LOCK.items()
    }
    while more := {name for name, parents in via.items() if parents & needed} - needed:
        needed |= more
    requirements = {}
    for name in needed:
        for entry in LOCK[name]:
            lines = [line.strip().removesuffix("\\").strip() for line in entry.splitlines() if "#" not in line]
            requirement, _, marker = lines[0].partition(" ; ")
            if not marker or markers.Marker(marker).evaluate(given):
                requirements[name] = " ".join([requirement, *lines[1:]])
    return requirements


@pytest.mark.soak
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_package_of_the_lock_is_there_for_the_system_without_a_compiler(system: str, tmp_path: Path) -> None:
    """pip is asked for one wheel after another, and downloads none. llama.cpp, an extra, is compiled everywhere."""
    file, missing, left = tmp_path / "asked.txt", set(), locked_for(system)
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--only-binary", ":all:", "--quiet"]
    command += ["--require-hashes", "--python-version", "3.11", "--platform", system, "--target", tmp_path / "none"]
    while True:
        file.write_text("\n".join(left.values()))
        done = subprocess.run([*command, "-r", file], capture_output=True, text=True, check=False)
        if pip.trouble(done.stderr).kind in ("network", "proxy", "certificate"):
            pytest.skip("the package index cannot be reached")
        refused = re.search(r"(?:No matching distribution found for|Cannot install) ([\w.-]+)==", done.stderr)
        if refused is None:
            break
        missing.add(normalized(refused[1]))
        del left[normalized(refused[1])]
    assert done.returncode == 0, done.stderr
    assert missing == NOT_BUILT.get(system, set())
    light = {normalized(each) for each in declared.requirements_of_light()}
    assert not missing & light


def test_the_recipe_for_three_systems_signs_before_it_packs_and_names_what_is_there() -> None:
    recipe = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    package = recipe["jobs"]["package"]
    systems = package["strategy"]["matrix"]["os"]
    assert sorted(each.partition("-")[0] for each in systems) == ["macos", "ubuntu", "windows"]
    assert package["strategy"]["matrix"]["edition"] == ["", "--light"]
    commands = [each.get("run", "") for each in package["steps"]]

    def step(words: str) -> int:
        return next(place for place, command in enumerate(commands) if words in command)

    assert step("run.py package --self-test") < step("codesign --force") < step("installers.py here")
    assert (
        step("sign.ps1")
        < step("installers.py here")
        < len(commands) - 1 - commands[::-1].index(commands[step("sign.ps1")])
    )
    assert "notarytool" in commands[step("codesign --force")]
    named = re.findall(r"packaging/[\w./-]+", " ".join(commands))
    assert len(named) >= 4
    assert [each for each in named if not (ROOT / each).is_file()] == []
    release = recipe["jobs"]["release"]
    assert set(release["needs"]) == {"wheel", "package"}
    assert any("gh release create" in each.get("run", "") for each in release["steps"])


# ---- The packaged folder, on systems that are not this one

# Names as the wheels for Windows and for Macs have them, and whether the folder is to have them.
THERE = {
    "win32": {
        "torch/lib/torch_cpu.dll": True, "torch/lib/torch_python.dll": True, "torch/lib/dnnl.lib": False,
        "torch/include/torch/all.h": False, "torch/bin/protoc.exe": False, "pyarrow/arrow.dll": True,
        "pyarrow/parquet.dll": True, "pyarrow/arrow_flight.dll": False, "pyarrow/arrow_s3.dll": False,
        "pyarrow/_s3fs.cp311-win_amd64.pyd": False, "pyarrow/arrow.lib": False,
        "PySide6/plugins/platforms/qwindows.dll": True, "PySide6/translations/qt_de.qm": False,
    },
    "darwin": {
        "torch/lib/libtorch_cpu.dylib": True, "torch/bin/torch_shm_manager": True, "torch/bin/protoc": False,
        "pyarrow/libarrow.2600.dylib": True, "pyarrow/libarrow_python_flight.2600.dylib": False,
        "pyarrow/_flight.cpython-311-darwin.so": False, "PySide6/Qt/plugins/platforms/libqcocoa.dylib": True,
        "PySide6/Qt/translations/qt_de.qm": False, "spacy_lookups_data/data/de_lemma.json.gz": False,
        "spacy_lookups_data/data/en_lemma_lookup.json.gz": True,
    },
}  # fmt: skip


class Evaluated:
    """`build.spec` as PyInstaller evaluates it, on a system that `sys.platform` and the markers of packages say it is.

    What PyInstaller would search packages for is named only; the names of `THERE` are what its analysis gives.
    """

    def __init__(self, system: str, light: bool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from biasprint.core.machine import bill  # before the system is another

        here = markers.default_environment()  # which is kept from the first call on
        hooks = ModuleType("PyInstaller.utils.hooks")
        hooks.collect_data_files = lambda package, **_: [(f"{package}/data", package)]  # type: ignore[attr-defined]
        hooks.collect_dynamic_libs = lambda package: [(f"{package}/library", package)]  # type: ignore[attr-defined]
        hooks.collect_submodules = lambda package: [package]  # type: ignore[attr-defined]
        hooks.copy_metadata = lambda package: [(f"{package}.dist-info", package)]  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "PyInstaller.utils.hooks", hooks)
        monkeypatch.setattr(sys, "argv", ["pyinstaller", "build.spec", *(["--", "--light"] if light else [])])
        monkeypatch.setattr(sys, "path", list(sys.path))
        monkeypatch.setattr(sys, "platform", system)
        there = {**here, **SYSTEMS["win_amd64" if system == "win32" else "macosx_14_0_arm64"]}
        monkeypatch.setattr(markers, "default_environment", lambda: there)
        monkeypatch.setattr(bill, "write", lambda *_: None)
        monkeypatch.setattr(state, "_applies", state._applies.__wrapped__)  # whose cache is for one system
        self.program: dict[str, Any] = {}
        self._folder = folder / "dist"
        given = {
            "SPECPATH": str(ROOT), "DISTPATH": str(folder / "dist"), "workpath": str(folder / "work"),
            "Analysis": self._analysis, "PYZ": lambda pure: pure, "EXE": lambda *_, **words: self.program.update(words),
            "COLLECT": self._collect,
        }  # fmt: skip
        (folder / "work").mkdir()
        separator = "\\" if system == "win32" else "/"
        self._there = [(name.replace("/", separator), str(ROOT / "LICENSE"), "BINARY") for name in THERE[system]]
        exec(compile((ROOT / "build.spec").read_text(encoding="utf-8"), "build.spec", "exec"), given)

    def _analysis(self, _: object, **words: Any) -> SimpleNamespace:
        self.asked = words
        return SimpleNamespace(datas=[], binaries=self._there, pure=[], scripts=[("pyi_rth_nltk", "", "")])

    def _collect(self, _: object, binaries: list[Any], datas: list[Any], name: str) -> None:
        self.name, self.binaries = name, {entry[0].replace("\\", "/"): entry[1] for entry in binaries}
        (self._folder / name).mkdir(parents=True)


@pytest.mark.parametrize(("system", "light"), [("win32", False), ("darwin", True)])
def test_the_folder_for_another_system_has_what_runs_there_and_nothing_else(
    system: str, light: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        made = Evaluated(system, light, tmp_path, patched)
    assert made.name == ("biasprint-light" if light else "biasprint")
    # Each library as its wheel has it: what strips symbols is Linux's alone.
    assert made.binaries == {name: str(ROOT / "LICENSE") for name, wanted in THERE[system].items() if wanted}
    assert made.program["hide_console"] == ("hide-early" if system == "win32" else None)
    if system == "win32":
        assert Path(made.program["icon"]).read_bytes()[:6] == b"\0\0\1\0\1\0"  # one picture
    metadata = {package for name, package in made.asked["datas"] if name.endswith(".dist-info")}
    heavy = {"torch", "transformers", "pyarrow", "sentence-transformers"}
    assert {"biasprint", "numpy", "scipy", "spacy", "pyside6-essentials"} <= metadata
    assert (heavy & metadata) == (set() if light else heavy)
    assert ("transformers" in made.asked["excludes"]) == light
    hidden = set(made.asked["hiddenimports"])
    assert {"biasprint.core", "biasprint.desktop", "keyring.backends", "spacy.lang.en"} <= hidden
    assert ("safetensors.torch" in hidden) == (not light)
    assert not {each for each in metadata if each.startswith("nvidia")}
    assert "secretstorage" not in metadata  # which keyring needs on Linux alone


def test_only_the_program_is_searched_for_data_not_the_folder_that_it_was_cloned_into(tmp_path: Path) -> None:
    """PyInstaller takes what lies in a package's folders: of these there is one, as where the program is installed."""
    laid = tmp_path / "biasprint"
    laid.mkdir()
    for name in ("core", "desktop", "resources", "models", "core/python/biasprint/__init__.py"):
        (laid / Path(name).name).symlink_to(ROOT / name)
    asks = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import biasprint; print(*biasprint.__path__, sep='\\n')"
    done = subprocess.run([sys.executable, "-I", "-c", asks], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [str(laid)]
