"""Ratings that are open on this computer, whatever file they are in, and looks at identities before they began.

A copy, backup or rescued file does not hold a session that was begun after it was made. So sessions are also written
down in the data folder, under the mark of their project, which all of its copies share. `looking` decides by them; the
window imports this alone, to learn whether anything changed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.machine import storage

RATINGS, LOOKS = "ratings.json", "looks.json"
MOST = 1_000  # of each that are kept: the latest
PATIENCE_SECONDS = 2.0  # nobody waits longer for the record before a rating begins


@dataclass(frozen=True)
class OpenRating:
    """A session as this computer knows it. `looks`: where its identities were shown, its own reveal among them."""

    project: str
    plan: str
    rater: str
    code: str
    at: str
    looks: tuple[str, ...] = ()


def stamp() -> tuple[int, int]:
    """Return a value that changes whenever a rating begins or ends, or somebody looks."""
    try:
        state = (storage.home() / RATINGS).stat()
    except (AppError, OSError):
        return (0, 0)
    return (state.st_mtime_ns, state.st_ino)


def ratings(project: str) -> dict[str, OpenRating]:
    """Return the sessions over a project, by id. Entries that somebody spoilt are left out: they stop nobody."""
    return {key: rating for key, rating in _parsed(_read(RATINGS)).items() if project and rating.project == project}


def rating_of(session: str) -> OpenRating | None:
    """Return what is known of a session, whatever file it is in."""
    return _parsed(_read(RATINGS)).get(session)


def begin(session: str, rating: OpenRating) -> None:
    """Write down that a session was begun or goes on; what is known of it stays."""
    if session not in ratings(rating.project):
        _try_to_change(RATINGS, lambda known: {session: asdict(rating), **known})


def add_look(sessions: Iterable[str], where: str) -> None:
    """Write into each of these sessions, if it is known here, where its identities are shown.

    Raises `AppError` where that cannot be written.
    """
    rows = _parsed(_read(RATINGS))
    wanted = {key for key in sessions if key in rows and where not in rows[key].looks}

    def with_look(known: Mapping[str, Any]) -> dict[str, Any]:
        rows = _parsed(known)
        new = {key: replace(rows[key], looks=(*rows[key].looks, where)) for key in wanted & rows.keys()}
        return {key: asdict(row) for key, row in (rows | new).items()}

    if wanted:
        _change(RATINGS, with_look)


def end(session: str) -> None:
    """Write down that a session was revealed: whoever goes on with it in another copy has seen its identities."""
    rating = rating_of(session)
    if rating is not None:
        try:
            add_look([session], f"reveal of {rating.code}")
        except AppError:
            return
        looked(rating.project, f"reveal of {rating.code}")


def looked(project: str, where: str) -> None:
    """Write down that identities of a project were shown here, to whoever it was."""
    if project:
        at = now()
        _try_to_change(
            LOOKS, lambda known: {**known, project: {"at": at, "where": {**_places(known, project), where: at}}}
        )


def looks(project: str) -> dict[str, str]:
    """Return where the identities of a project were shown on this computer, each with the last time."""
    return _places(_read(LOOKS), project)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _places(known: Mapping[str, Any], project: str) -> dict[str, str]:
    entry = known.get(project)
    places = entry.get("where") if isinstance(entry, dict) else None
    return {str(where): str(at) for where, at in places.items()} if isinstance(places, dict) else {}


def _parsed(known: Mapping[str, Any]) -> dict[str, OpenRating]:
    rows = {}
    for key, value in known.items():
        try:
            project, plan, rater, code, at = (str(value[name]) for name in ("project", "plan", "rater", "code", "at"))
            rows[key] = OpenRating(project, plan, rater, code, at, tuple(map(str, value["looks"])))
        except (TypeError, KeyError):
            continue
    return rows


def _read(name: str) -> dict[str, Any]:
    try:
        return storage.read(name)
    except AppError:
        return {}


def _change(name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    with storage.locked(f"{name}.lock", patience=PATIENCE_SECONDS):
        known = {key: value for key, value in change(_read(name)).items() if isinstance(value, dict)}
        latest = sorted(known, key=lambda key: str(known[key].get("at")), reverse=True)[:MOST]
        storage.write(name, {key: known[key] for key in latest})


def _try_to_change(name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Change the file; where that fails, a full disk say, nobody is kept from work: the project has its own rows."""
    try:
        _change(name, change)
    except AppError:
        return
