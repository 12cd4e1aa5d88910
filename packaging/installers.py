"""Makes installers of a packaged folder: for Debian, as an archive that is unpacked and run, and for Windows.

    python packaging/installers.py deb FOLDER OUT        a .deb with menu entry, file types and man page; needs dpkg-deb
    python packaging/installers.py portable FOLDER OUT   a .tar.gz with a script that adds it to the menu
    python packaging/installers.py windows FOLDER OUT    a setup .exe; needs makensis
    python packaging/installers.py here FOLDER OUT       all that this system installs, in the folder OUT
    python packaging/installers.py sizes DIST PAGE       the table of what lies in the folder DIST

`run.py package --installers` calls “here”. Only the standard library is used. Times in archives are those of the
version's release where SOURCE_DATE_EPOCH is set.
"""

import gzip
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINUX = HERE / "linux"
ICON = HERE.parent / "resources" / "icons" / "biasprint.svg"
LIGHT = "biasprint-light"
DOWNLOADS = (".deb", ".gz", ".exe", ".whl")
LARGEST = 12  # parts of a folder that have lines of their own
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
MAINTAINER = "The Biasprint maintainers <maintainers@users.noreply.github.com>"
ABOUT = """Shows the social bias in generated text
 Measures whether text that language models write treats people alike, checks
 reference letters, and lets people judge texts blind. Works offline."""


def version() -> str:
    """Return the program's version."""
    found = re.search(r'__version__ = "(.+)"', (HERE.parent / "core" / "__init__.py").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def system_packages() -> list[str]:
    """Return Debian's packages with the libraries that Qt needs from the system."""
    sys.path.insert(0, str(HERE.parent / "core" / "machine"))
    from system_libraries import QT_NEEDS, X11_NEEDS

    return sorted({debian for _, debian, _ in (*QT_NEEDS, *X11_NEEDS)})


def filled_in(source: Path) -> str:
    day = time.strftime("%Y-%m-%d", time.gmtime(float(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    return source.read_text(encoding="utf-8").replace("@VERSION@", version()).replace("@DATE@", day)


def make_deb(folder: Path, out: Path) -> None:
    """Write the Debian package of `folder`, called after it. Raises CalledProcessError where dpkg-deb fails."""
    name, other = (LIGHT, "biasprint") if folder.name == LIGHT else ("biasprint", LIGHT)
    with tempfile.TemporaryDirectory(dir=out.parent) as work:
        root = Path(work)
        share = root / "usr" / "share"
        shutil.copytree(folder, root / "usr" / "lib" / "biasprint", symlinks=True)
        put(root / "usr" / "bin").joinpath("biasprint").symlink_to("../lib/biasprint/biasprint")
        shutil.copy(LINUX / "biasprint.desktop", put(share / "applications"))
        shutil.copy(LINUX / "biasprint-mime.xml", put(share / "mime" / "packages"))
        shutil.copy(ICON, put(share / "icons" / "hicolor" / "scalable" / "apps"))
        put(share / "metainfo").joinpath("biasprint.metainfo.xml").write_text(
            filled_in(LINUX / "biasprint.metainfo.xml")
        )
        page = filled_in(LINUX / "biasprint.1").encode()
        put(share / "man" / "man1").joinpath("biasprint.1.gz").write_bytes(gzip.compress(page, mtime=0))
        licences = put(share / "doc" / name)
        licences.joinpath("copyright").write_bytes(
            b"".join((folder / each).read_bytes() for each in ("LICENSE", "LICENCES.txt"))
        )
        kilobytes = sum(each.lstat().st_size for each in root.rglob("*")) // 1024
        control = {
            "Package": name, "Version": version(), "Section": "science", "Priority": "optional",
            "Architecture": ARCHITECTURES.get(platform.machine(), platform.machine()), "Maintainer": MAINTAINER,
            "Installed-Size": str(kilobytes), "Depends": ", ".join(["libc6", *system_packages()]),
            "Conflicts": other, "Replaces": other, "Description": ABOUT,
        }  # fmt: skip
        lines = "".join(f"{field}: {value}\n" for field, value in control.items())
        put(root / "DEBIAN").joinpath("control").write_text(lines)
        open_to_all(root)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zzstd", "-z9", "--build", root, out], check=True)


def make_portable(folder: Path, out: Path) -> None:
    """Write an archive of `folder` with its menu entry and a script that puts it into the menu."""
    inside = f"{folder.name}-{version()}"
    beside = [LINUX / "biasprint.desktop", LINUX / "biasprint-mime.xml", LINUX / "add-to-menu.sh", ICON]
    with tarfile.open(out, "w:gz", compresslevel=6) as archive:
        archive.add(folder, inside, filter=nobodys)
        for each in beside:
            archive.add(each, f"{inside}/{each.name}", filter=nobodys)


def make_windows(folder: Path, out: Path) -> None:
    """Write the setup program. Raises CalledProcessError where makensis fails."""
    given = {"VERSION": version(), "FOLDER": str(folder.resolve()), "OUT": str(out.resolve())}
    script = HERE / "windows" / "biasprint.nsi"
    subprocess.run(["makensis", "-V2", *(f"-D{key}={value}" for key, value in given.items()), str(script)], check=True)


def make_here(folder: Path, out: Path) -> None:
    """Make what this system installs, and say what could not be made."""
    for kind, tool, ending in HERE_ARE.get(sys.platform, ()):
        if tool and shutil.which(tool) is None:
            print(f"{tool} is not here, so no {ending} was made.")
            continue
        made = out / f"{folder.name}-{version()}-{platform.machine()}{ending}"
        KINDS[kind](folder, made)
        print(f"{made.stat().st_size / 1e6:.0f} MB in\n  {made}")


def write_sizes(dist: Path, page: Path) -> None:
    """Write a page with the sizes of the packaged folders, of what is largest in them, and of the files to download."""
    folders = [folder for folder in (dist / "biasprint", dist / LIGHT) if folder.is_dir()]
    lines = [
        "# Sizes of the packages\n",
        f"`python packaging/installers.py sizes dist {page.as_posix()}` makes this page. Version {version()}, "
        f"{sys.platform} {platform.machine()}. In megabytes of 1,000,000 bytes, as files are long.\n",
        "| to download | MB |\n|---|---:|",
        *(f"| {file.name} | {megabytes(file)} |" for file in sorted(dist.iterdir()) if file.suffix in DOWNLOADS),
        "\n| unpacked | MB |\n|---|---:|",
        *(f"| {folder.name} | {megabytes(folder)} |" for folder in folders),
    ]
    for folder in folders:
        parts = sorted(((size_of(each), each.name) for each in (folder / "_internal").iterdir()), reverse=True)
        lines += [f"\n| largest of {folder.name} | MB |\n|---|---:|"]
        lines += [f"| {name} | {size / 1e6:.0f} |" for size, name in parts[:LARGEST]]
        lines += [f"| {len(parts) - LARGEST} others | {sum(size for size, _ in parts[LARGEST:]) / 1e6:.0f} |"]
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def megabytes(path: Path) -> str:
    return f"{size_of(path) / 1e6:,.0f}"


def size_of(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() and not path.is_symlink() else [path]
    return sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink())


def open_to_all(root: Path) -> None:
    """Let everybody read the files, and run those that their owner may run, whatever the umask is."""
    root.chmod(0o755)
    for path in root.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def nobodys(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def put(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


KINDS: dict[str, Callable[[Path, Path], None]] = {
    "deb": make_deb, "portable": make_portable, "windows": make_windows, "here": make_here, "sizes": write_sizes,
}  # fmt: skip
HERE_ARE = {  # by system: which kinds, with what each needs and how its file ends
    "linux": (("deb", "dpkg-deb", ".deb"), ("portable", "", ".tar.gz")),
    "win32": (("windows", "makensis", "-setup.exe"),),
    "darwin": (("portable", "", ".tar.gz"),),
}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    KINDS[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
