"""Facts from the hub about a repository, and fetching one file of it, or of a package index.

Only metadata goes through `huggingface_hub`: its own download checks no hash, cannot be paused, and in its faster form
cannot be resumed. Files come in pieces that are kept, go on where they stopped, and are checked before they are put in
place; their bytes are read in a thread of their own, so that cancel and pause work while the network is silent.
"""

import contextlib
import importlib
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urljoin, urlsplit

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.installation.state import explained
from biasprint.core.machine.models.catalogue import CatalogueEntry
from biasprint.core.machine.models.layout import git_blob_sha1, remember, sha256_of
from biasprint.core.machine.models.network import Proxy, Source, is_safe, making_a_client, unreachable
from biasprint.core.machine.models.records import COMMIT
from biasprint.core.machine.storage import way_out

# ---- What the hub says

DEFAULT = "https://huggingface.co"
TIMEOUT_SECONDS = 30.0
GATED = (401, 403)
LARGEST = 10**13  # bytes of one file


@dataclass(frozen=True)
class HubFile:
    """A file of a repository. Large files have a SHA-256, the others the hash that git gives them."""

    name: str
    size: int
    sha256: str
    git_sha1: str


@dataclass(frozen=True)
class Listing:
    """A repository at one commit. `licence` as the repository states it."""

    commit: str
    files: tuple[HubFile, ...]
    licence: str


class Hub:
    """The hub at `HF_ENDPOINT`, or the usual one. `session` is the client library's own (httpx, by version)."""

    called = "The hub"

    def __init__(self) -> None:
        try:
            import huggingface_hub
        except ImportError as error:
            missing = AppError(
                "The hub's client is not installed, so nothing can be got.",
                hint="Install it: pip install huggingface_hub",
            )
            raise explained(error) or missing from error
        self.endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/") or DEFAULT
        if not is_safe(self.endpoint):
            raise AppError(
                f"The hub is set to “{self.endpoint}”, which is not encrypted.",
                kept="No connection was made.",
                hint="Set HF_ENDPOINT to an address that begins with https.",
            )
        self._client = huggingface_hub
        self.proxy = Proxy.of(self.endpoint)
        with making_a_client():
            self.session: Any = huggingface_hub.get_session()
        # httpx or httpx2, by the client's version; their errors have one name.
        library = importlib.import_module(type(self.session).__module__.partition(".")[0])
        self.transport_errors: tuple[type[Exception], ...] = (library.HTTPError, OSError)
        self.token = ""  # sent only after the hub has asked who we are

    def url(self, repository: str, commit: str, name: str) -> str:
        return f"{self.endpoint}/{repository}/resolve/{commit}/{quote(name)}"

    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"} if self.token else {}

    def sign_in(self) -> bool:
        """Send the hub token on this computer from now on. Return False where there is none or it was sent already."""
        token = "" if self.token else (self._client.get_token() or "")
        self.token = self.token or token
        return bool(token)

    def refusal(self, entry: CatalogueEntry, status: int) -> AppError:
        return refusal(entry, status)

    def list_files(self, entry: CatalogueEntry, revision: str) -> Listing:
        """The repository at `revision`, a commit or a branch. Raises `AppError` in a sentence."""
        try:
            return self._list(entry, revision)
        except _Gated:
            if self.sign_in():
                return self._list(entry, revision)
            raise

    def _list(self, entry: CatalogueEntry, revision: str) -> Listing:
        from huggingface_hub import errors

        api = self._client.HfApi(endpoint=self.endpoint, token=self.token or False, library_name="biasprint")
        try:
            info = api.model_info(entry.repository, revision=revision, files_metadata=True, timeout=TIMEOUT_SECONDS)
            return _listing(info)
        except errors.OfflineModeIsEnabled as error:
            raise AppError(
                "The hub's client is set to work offline by HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE.",
                kept="No connection was made.",
                hint="Start the program without that setting.",
            ) from error
        except errors.RevisionNotFoundError as error:
            raise commit_gone(entry, revision) from error
        except errors.GatedRepoError as error:
            raise refusal(entry, 403) from error
        except errors.RepositoryNotFoundError as error:  # the hub says 401 of what it does not have
            raise refusal(entry, 404) from error
        except errors.HfHubHTTPError as error:
            raise refusal(entry, error.response.status_code) from error
        except self.transport_errors as error:
            raise unreachable(self, error) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise AppError(
                "The hub's answer cannot be understood.", hint="Try again later.", details=repr(error)
            ) from error


class _Gated(AppError):
    """The hub wants to know who asks."""


def refusal(entry: CatalogueEntry, status: int) -> AppError:
    """Return the error that explains an error status of the hub to a person."""
    if status in GATED:
        return _Gated(
            f"The hub does not hand out “{entry.name}” to everybody: its makers want their terms accepted first.",
            hint=f"Accept them at {DEFAULT}/{entry.repository}, then sign in with “hf auth login”; "
            "or download the files with a browser and add the folder.",
            details=f"status {status}",
        )
    if status == 404:
        return AppError(
            f"The hub has no “{entry.repository}” any more, or not this file of it.",
            hint="Look for it at the hub, and add a folder that you have downloaded.",
            details="status 404",
        )
    return AppError(f"The hub refused (status {status}).", hint="Try again later: it goes on where it stopped.")


def commit_gone(entry: CatalogueEntry, revision: str) -> AppError:
    return AppError(
        f"The hub no longer has the commit {revision[:12]} of “{entry.name}”, which is the one that is required.",
        kept="Nothing was got.",
        hint=f"To take what is there now, and require that from then on: biasprint models get {entry.name} --renew",
    )


def _listing(info: Any) -> Listing:
    if not COMMIT.fullmatch(info.sha or ""):
        raise ValueError(f"no commit: {info.sha!r}")
    files = tuple(_file(each) for each in info.siblings or () if each.size is not None)
    licences = [tag.partition(":")[2] for tag in info.tags or () if tag.startswith("license:")]
    return Listing(info.sha, files, licences[0] if licences else "")


def _file(stated: Any) -> HubFile:
    size = int(stated.size)
    if not 0 <= size <= LARGEST:
        raise ValueError(f"{size} bytes")
    sha256 = str(stated.lfs.sha256) if stated.lfs else ""
    return HubFile(str(stated.rfilename), size, sha256, "" if sha256 else str(stated.blob_id or ""))


# ---- Fetching a file

WAITING_CHUNKS = 64  # of at most 64 kB
READ_SECONDS = 20.0  # of silence, then the connection counts as broken
POLL_SECONDS = 0.2
TRIES = 5  # in a row that bring nothing
PAUSE_SECONDS = 1.0  # before the second try; doubled for each further one
LONGEST_WAIT_SECONDS = 60.0  # that a busy hub may ask for
REDIRECTS = 5

Piece = tuple[Literal["start", "data", "end", "broken", "refused", "redirect"], Any]


class _Broken(Exception):
    """The connection ended early, or the hub is busy: worth another try after `wait` seconds."""

    def __init__(self, cause: BaseException, wait: float = 0.0) -> None:
        super().__init__(str(cause))
        self.cause, self.wait = cause, wait


class _GatedFile(Exception):
    """The hub wants to know who asks for the file."""


class Transfer:
    """Fetches the files of one model at one commit. `on_bytes` gets the bytes that a file has so far."""

    def __init__(self, hub: Source, entry: CatalogueEntry, commit: str, ctx: JobContext) -> None:
        self._hub, self._entry, self._commit, self._ctx = hub, entry, commit, ctx

    def fetch(self, file: HubFile, target: Path, on_bytes: Callable[[int], None]) -> None:
        """Put `file` at `target`, whole and with the hash that the hub reports, or not at all.

        What came before a failure lies beside it as “.part” and is not fetched again. Raises `AppError`, and
        `JobCancelled` through the context.
        """
        part = target.with_name(f"{target.name}.part")
        part.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._fill(file, part, on_bytes)
            self._check_hash(file, part)
            part.replace(target)
            if file.sha256:
                remember(target, file.sha256)
        except OSError as error:
            raise AppError(
                f"The download could not be written to “{part.parent}” ({error.strerror}).",
                kept="What was got so far is kept.",
                hint=f"{way_out(error)}, then try again: it goes on where it stopped.",
                details=str(error),
            ) from error

    def _fill(self, file: HubFile, part: Path, on_bytes: Callable[[int], None]) -> None:
        failures = 0
        while (have := _size_of(part)) != file.size:
            if have > file.size:
                part.unlink()
                continue
            try:
                self._append(file, part, have, on_bytes)
                if _size_of(part) < file.size:
                    raise _Broken(_ended_early(self._hub, self._entry, file))
            except _GatedFile:
                if not self._hub.sign_in():
                    raise self._hub.refusal(self._entry, 401) from None
            except _Broken as broken:
                failures = failures + 1 if _size_of(part) <= have else 1
                if failures >= TRIES:
                    raise unreachable(self._hub, broken.cause) from broken.cause
                self._wait(broken.wait or PAUSE_SECONDS * 2 ** (failures - 1))
        if file.size == 0:
            part.touch()

    def _append(self, file: HubFile, part: Path, have: int, on_bytes: Callable[[int], None]) -> None:
        """Add to the part what the hub sends from its end on."""
        url = self._hub.url(self._entry.repository, self._commit, file.name)
        with _reading(self._hub, url, have) as pieces:
            starts_at = self._started(file, pieces)
            if starts_at not in (0, have):
                raise _Broken(ValueError(f"the answer begins at byte {starts_at}, not at {have}"))
            with part.open("r+b" if starts_at else "wb") as stream:
                stream.seek(starts_at)
                for chunk in self._chunks(pieces):
                    if stream.tell() + len(chunk) > file.size:
                        stream.truncate(0)
                        raise _wrong(self._hub, self._entry, file, "more bytes came than were announced")
                    stream.write(chunk)
                    stream.flush()
                    on_bytes(stream.tell())

    def _started(self, file: HubFile, pieces: "queue.Queue[Piece]") -> int:
        kind, value = self._next(pieces)
        if kind == "start":
            return int(value)
        if kind == "refused":
            status, wait = value
            if status in (401, 403) and not self._hub.token:
                raise _GatedFile
            if status == 416:  # asked for the rest, it says that there is none
                raise _Broken(_ended_early(self._hub, self._entry, file))
            refused = self._hub.refusal(self._entry, status)
            if status == 429 or status >= 500:
                raise _Broken(refused, wait)
            raise refused
        if kind == "redirect":
            raise AppError(
                f"{self._hub.called} sends the download of “{self._entry.name}” to an address that is not encrypted.",
                kept="It was not followed.",
                hint="Try again later, or over another network.",
                details=str(value),
            )
        raise _Broken(value)

    def _chunks(self, pieces: "queue.Queue[Piece]") -> Iterator[bytes]:
        while True:
            kind, value = self._next(pieces)
            if kind == "end":
                return
            if kind == "broken":
                raise _Broken(value)
            yield value

    def _next(self, pieces: "queue.Queue[Piece]") -> Piece:
        while True:
            self._ctx.check()
            with contextlib.suppress(queue.Empty):
                return pieces.get(timeout=POLL_SECONDS)

    def _check_hash(self, file: HubFile, part: Path) -> None:
        """Throw the part away, and raise `AppError`, unless it has the hash that the hub reports."""
        check = self._ctx.check
        digest = sha256_of(part, check, fresh=True) if file.sha256 else git_blob_sha1(part, check)
        known = file.sha256 or file.git_sha1
        if digest != known:
            part.unlink()
            raise _wrong(self._hub, self._entry, file, f"expected {known}, found {digest}")

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._ctx.check()
            time.sleep(min(POLL_SECONDS, max(end - time.monotonic(), 0)))


@contextlib.contextmanager
def _reading(hub: Source, url: str, first: int) -> Iterator["queue.Queue[Piece]"]:
    """The pieces of the file from byte `first` on, as a thread reads them; it ends when nobody wants them any more."""
    pieces: queue.Queue[Piece] = queue.Queue(WAITING_CHUNKS)
    unwanted = threading.Event()

    def put(*piece: Any) -> None:
        while not unwanted.is_set():
            with contextlib.suppress(queue.Full):
                pieces.put((piece[0], piece[1]), timeout=POLL_SECONDS)
                return
        raise _Unwanted

    def read() -> None:
        with contextlib.suppress(_Unwanted):
            try:
                _read(hub, url, first, put)
            except _Unwanted:
                raise
            except Exception as error:  # whatever it was, the other thread must not wait for ever
                put("broken", error)

    threading.Thread(target=read, name="download", daemon=True).start()
    try:
        yield pieces
    finally:
        unwanted.set()


class _Unwanted(Exception):
    """Signal that nobody waits for the bytes any more."""


def _read(hub: Source, url: str, first: int, put: Callable[..., None]) -> None:
    # Not packed on the way: the range and the sizes are those of the file.
    headers = {"accept-encoding": "identity", **({"range": f"bytes={first}-"} if first else {})}
    host = urlsplit(hub.endpoint).netloc
    for _ in range(REDIRECTS):
        # Who we are is told to the hub alone, not to where it sends us.
        ours = hub.headers() if urlsplit(url).netloc == host else {}
        options = {"headers": headers | ours, "timeout": READ_SECONDS, "follow_redirects": False}
        with hub.session.stream("GET", url, **options) as answer:
            if answer.has_redirect_location:
                url = urljoin(url, answer.headers["location"])
                if not is_safe(url):
                    put("redirect", url)
                    return
                continue
            if answer.status_code not in (200, 206):
                put("refused", (answer.status_code, _wait_asked_for(answer.headers.get("retry-after", ""))))
                return
            put("start", _first_byte(answer) if answer.status_code == 206 else 0)
            for chunk in answer.iter_raw():  # as they come: what is gathered first is lost when the connection breaks
                put("data", chunk)
            put("end", None)
            return
    put("broken", OSError("too many redirects"))


def _first_byte(answer: Any) -> int:
    """Return the place where a partial answer begins: “bytes 100-199/200”; -1 where it does not say so."""
    start = str(answer.headers.get("content-range", "")).removeprefix("bytes ").partition("-")[0]
    return int(start) if start.isdigit() else -1


def _wait_asked_for(header: str) -> float:
    return min(float(header), LONGEST_WAIT_SECONDS) if header.isdigit() else 0.0


def _size_of(part: Path) -> int:
    try:
        return part.stat().st_size
    except FileNotFoundError:
        return 0


def _ended_early(source: Source, entry: CatalogueEntry, file: HubFile) -> AppError:
    return AppError(
        f"{source.called} ended the download of “{entry.name}” before {file.name} was whole.",
        kept="What was got so far is kept.",
        hint="Try again later: it goes on where it stopped.",
    )


def _wrong(source: Source, entry: CatalogueEntry, file: HubFile, details: str) -> AppError:
    name = source.called[:1].lower() + source.called[1:]
    return AppError(
        f"{file.name} of “{entry.name}” arrived with another content than {name} had announced, and was thrown away.",
        kept="Files that were right are kept.",
        hint=f"Try again; if it stays so, somebody between you and {name} changes what you download.",
        details=details,
    )
