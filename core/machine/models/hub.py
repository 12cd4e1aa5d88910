"""What the hub says of a repository: its commit, its files, their sizes and hashes. Loads the hub's client.

Only metadata goes through `huggingface_hub`; the files are fetched by `transfer`, because its own download checks no
hash, cannot be paused, and in its faster form cannot be resumed.
"""

import importlib
import os
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, urlsplit

from core.errors import AppError
from core.machine.models.catalogue import CatalogueEntry
from core.machine.models.records import COMMIT

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

    def __init__(self) -> None:
        try:
            import huggingface_hub
        except ImportError as error:
            raise AppError(
                "The hub's client is not installed, so nothing can be got.",
                hint="Install it: pip install huggingface_hub",
            ) from error
        self.endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/") or DEFAULT
        if not is_safe(self.endpoint):
            raise AppError(
                f"The hub is set to “{self.endpoint}”, which is not encrypted.",
                kept="No connection was made.",
                hint="Set HF_ENDPOINT to an address that begins with https.",
            )
        self._client = huggingface_hub
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
        """Whether the user has a token of the hub on this computer that was not sent yet; it is, from now on."""
        found = "" if self.token else (self._client.get_token() or "")
        self.token = self.token or found
        return bool(found)

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
            raise unreachable(self.endpoint, error) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise AppError(
                "The hub's answer cannot be understood.", hint="Try again later.", details=repr(error)
            ) from error


class _Gated(AppError):
    """The hub wants to know who asks."""


def is_safe(url: str) -> bool:
    """Encrypted, or on this very computer."""
    parts = urlsplit(url)
    if parts.scheme == "https":
        return True
    host = parts.hostname or ""
    return parts.scheme == "http" and (host == "localhost" or _is_loopback(host))


def refusal(entry: CatalogueEntry, status: int) -> AppError:
    """What an error status of the hub means for a person."""
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


def unreachable(endpoint: str, error: BaseException) -> AppError:
    if isinstance(error, AppError):  # the offline switch was set meanwhile
        return error
    cause = next((each for each in _causes(error) if isinstance(each, AppError)), None)
    return cause or AppError(
        f"The hub at {urlsplit(endpoint).hostname} could not be reached.",
        kept="What was got so far is kept.",
        hint="Look at the network connection, then try again: it goes on where it stopped.",
        details=f"{type(error).__name__}: {error}",
    )


def _causes(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in chain:
        chain.append(following)
        following = following.__cause__ or following.__context__
    return chain


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


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
