"""Keys of endpoints: in the computer's key ring, or for this session where there is none. Nowhere else.

No function here puts a key into a message, and none of its errors carries one.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Literal

from biasprint.core.errors import AppError, UsageError

SERVICE = "biasprint"
ENVIRONMENT = "BIASPRINT_API_KEY"
Place = Literal["key ring", "session"]
WHERE: dict[Place, str] = {
    "key ring": "The key is kept in this computer's key ring.",
    "session": "There is no key ring to be used here, so the key is kept until the program closes and then forgotten.",
}
OWN_RINGS = ("macOS", "Windows", "SecretService", "libsecret", "kwallet")
_OWN_MODULES = frozenset(f"keyring.backends.{module}" for module in OWN_RINGS)
# Rings that write keys into an ordinary file: no better than none.
_PLAIN_FILES = ("keyrings.alt",)

_session: dict[str, str] = {}


def key_for(endpoint: str, address: str = "") -> str | None:
    """Return the key of an endpoint: this session's first, then `BIASPRINT_API_KEY`, then the key ring's; None without
    one.

    In the session and in the ring, an `address`'s own key precedes the endpoint's. `UsageError` where what is kept
    cannot be a key.
    """
    names = [own_name(endpoint, address), endpoint] if address else [endpoint]
    of_session = next((_session[name] for name in names if _session.get(name)), None)
    key = of_session or os.environ.get(ENVIRONMENT) or next(filter(None, map(_from_ring, names)), None)
    return checked(key) if key else None


def own_name(endpoint: str, address: str) -> str:
    """Return the name under which the key of one address of an endpoint is stored."""
    return f"{endpoint} {address}"


def by_name(endpoint: str, addresses: Sequence[str], typed: str) -> dict[str, str]:
    """Parse keys as they were typed, with blanks between them: one for all addresses, or one for each in their order.

    Raises `UsageError` for another number of keys, and for what cannot be one.
    """
    parts = typed.split() if len(addresses) > 1 else [typed]
    if len(parts) <= 1:
        return {endpoint: checked(typed)}
    if len(parts) != len(addresses):
        raise UsageError(
            f"{len(parts)} keys were given for the {len(addresses)} addresses of “{endpoint}”.",
            hint="Give one key for all of them, or one for each in their order, with blanks between.",
        )
    return {own_name(endpoint, address): checked(key) for address, key in zip(addresses, parts, strict=True)}


def keep_all(endpoint: str, addresses: Sequence[str], typed: str) -> Place:
    """Keep the typed keys (see `by_name`) in place of all that the endpoint had, and say where."""
    wanted = by_name(endpoint, addresses, typed)
    places = {keep(name, key) for name, key in wanted.items()}
    if endpoint in wanted:
        forget_own(endpoint, addresses)
    else:
        forget(endpoint)
    return "session" if "session" in places else "key ring"


def forget_all(endpoint: str, addresses: Sequence[str]) -> None:
    """Remove an endpoint's key and those of its addresses. `AppError` where the ring holds on to one."""
    forget(endpoint)
    forget_own(endpoint, addresses)


def forget_own(endpoint: str, addresses: Sequence[str]) -> None:
    """Remove the keys that are for these addresses alone. `AppError` where the ring holds on to one."""
    for address in addresses:
        forget(own_name(endpoint, address))


def keep(endpoint: str, key: str) -> Place:
    """Keep a key, and say where (`WHERE` has the sentence). It counts at once, also for this session."""
    key = checked(key)
    ring = _ring()
    # First: a ring may refuse, and the key that was typed must work all the same.
    _session[endpoint] = key
    if ring is None:
        return "session"
    try:
        ring.set_password(SERVICE, endpoint, key)
    except Exception:
        return "session"
    return "key ring"


def forget(endpoint: str) -> None:
    """Remove a key from the session and the key ring. `AppError` where the ring holds on to it."""
    _session.pop(endpoint, None)
    if _from_ring(endpoint) is None:
        return
    try:
        _ring().delete_password(SERVICE, endpoint)  # type: ignore[union-attr]
    except Exception as error:
        # Only the kind of error: its text is somebody else's and may hold anything.
        kind = type(error).__name__
        raise AppError(
            f"The key ring did not let go of the key of “{endpoint}”.",
            hint="Remove it there; its entry is called biasprint.",
            details=kind,
        ) from None


def session_keys() -> dict[str, str]:
    """Return the keys of this session by endpoint, for a child process and for nothing else."""
    return dict(_session)


def use_session_keys(keys: dict[str, str]) -> None:
    """Take over the parent's session keys in a child process, in place of the previous ones."""
    _session.clear()
    _session.update(keys)


def ring_available() -> bool:
    """Return whether keys outlast the session here."""
    return _ring() is not None


def checked(key: str) -> str:
    """Return the key without the blanks that copying leaves around it.

    `UsageError` where it has characters that no header can carry: they would come back in some library's error text.
    """
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError("That cannot be a key.", hint="Copy it again: one line of letters, digits and signs.")
    return key


def _ring() -> Any | None:
    """Return the key ring of this computer, or None where there is none that can be trusted with a key."""
    try:
        from keyring.backends import chainer, fail, null

        ring = _chosen_ring()
        rings = ring.backends if isinstance(ring, chainer.ChainerBackend) else [ring]
    except Exception:
        return None
    return next((candidate for candidate in rings if _fit(candidate, (fail.Keyring, null.Keyring))), None)


def _chosen_ring() -> Any:
    """Return the ring that somebody named to the library, by its file or variable, else the best of the library's own.

    The library's own way is to load every ring that an installed package brings, and to take the one that ranks itself
    highest.
    """
    from keyring import backend, core
    from keyring.backends import fail

    named = core.load_env() or core.load_config()
    if named is not None:
        return named
    for module in OWN_RINGS:
        with suppress(Exception):
            import_module(f"keyring.backends.{module}")
    own = [ring for ring in backend.KeyringBackend.get_viable_backends() if ring.__module__ in _OWN_MODULES]
    return max(own, key=lambda ring: ring.priority, default=fail.Keyring)()


def _fit(ring: object, none: tuple[type, ...]) -> bool:
    return not isinstance(ring, none) and not type(ring).__module__.startswith(_PLAIN_FILES)


def _from_ring(endpoint: str) -> str | None:
    ring = _ring()
    if ring is None:
        return None
    try:
        key = ring.get_password(SERVICE, endpoint)
    except Exception:
        return None  # locked or broken: as good as none
    return key if isinstance(key, str) else None
