"""Reaching the hub or the package index: which addresses are safe, what lies between, what is said when it fails."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from biasprint.core.errors import AppError
from biasprint.core.machine.models.catalogue import CatalogueEntry


class Source(Protocol):
    """Source of files over the network. `called` begins its sentences, `session` is a client of httpx."""

    called: str
    endpoint: str
    session: Any
    token: str
    proxy: "Proxy | None"

    def url(self, repository: str, commit: str, name: str) -> str: ...

    def headers(self) -> dict[str, str]:
        """Sent to the endpoint's host alone."""
        ...

    def sign_in(self) -> bool: ...

    def refusal(self, entry: CatalogueEntry, status: int) -> AppError: ...


@dataclass(frozen=True)
class Proxy:
    """Proxy between this computer and the network: `address` without name and password. `set_by` says where."""

    address: str
    set_by: str

    @classmethod
    def of(cls, endpoint: str, own: str = "") -> "Proxy | None":
        """Return `own`, which pip is set to, or the system's proxy for this address; None where there is none."""
        parts = urlsplit(endpoint)
        system = {} if proxy_bypass(parts.hostname or "") else getproxies()
        used = own or system.get(parts.scheme) or system.get("all") or ""
        address = used.partition("://")[2] or used
        set_by = "pip's option proxy" if own else "HTTPS_PROXY, or the system's settings"
        return cls(address.rpartition("@")[2].rstrip("/"), set_by) if used else None

    def wants_password(self) -> AppError:
        return AppError(
            f"The proxy {self.address} wants a name and password.",
            kept="What was got so far is kept.",
            hint=f"Write them where it is set ({self.set_by}): http://name:password@{self.address}",
        )


@contextlib.contextmanager
def making_a_client(proxy_set_by: str = "HTTPS_PROXY and the like") -> Iterator[None]:
    """Say in a sentence what a client library cannot take of the settings that it is made with."""
    try:
        yield
    except OSError as error:
        raise AppError(
            "The certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read.",
            kept="No connection was made.",
            hint="Set it to a file or folder of certificates, or take the setting away.",
            details=str(error),
        ) from error
    except Exception as error:  # a ValueError, an ImportError for SOCKS, or the library's own InvalidURL
        raise AppError(
            f"A proxy is set that cannot be used ({proxy_set_by}).",
            kept="No connection was made.",
            hint="Write it as http://host:port, or http://name:password@host:port; SOCKS proxies are not supported.",
            details=type(error).__name__,  # its words may hold the password
        ) from error


def is_safe(url: str) -> bool:
    """Encrypted, or on this very computer."""
    parts = urlsplit(url)
    if parts.scheme == "https":
        return True
    host = parts.hostname or ""
    return parts.scheme == "http" and (host == "localhost" or _is_loopback(host))


def unreachable(source: Source, error: BaseException) -> AppError:
    if isinstance(error, AppError):  # the offline switch was set meanwhile
        return error
    cause = next((each for each in _causes(error) if isinstance(each, AppError)), None)
    if cause is not None:
        return cause
    if source.proxy is not None and type(error).__name__ == "ProxyError" and "407" in str(error):
        return source.proxy.wants_password()
    through = f", through the proxy {source.proxy.address}," if source.proxy else ""
    look_at = f"the proxy ({source.proxy.set_by})" if source.proxy else "the network connection"
    return AppError(
        f"{source.called} at {urlsplit(source.endpoint).hostname}{through} could not be reached.",
        kept="What was got so far is kept.",
        hint=f"Look at {look_at}, then try again: it goes on where it stopped.",
        details=f"{type(error).__name__}: {error}",
    )


def _causes(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in chain:
        chain.append(following)
        following = following.__cause__ or following.__context__
    return chain


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
