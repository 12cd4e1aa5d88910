"""Connections: the offline switch as the window knows it, and the endpoints of this computer."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.desktop.jobs import JobRunner
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from biasprint.core.backends.openai_compatible.probe import EndpointTest
    from biasprint.core.machine.endpoints import Endpoint
    from biasprint.core.machine.keys import Place


class Connections(QObject):
    """The offline switch. `by`: "environment" or "switch" set it, "" while it is off; None until it was read.

    Files are read and written in jobs. Another window or a command may switch too: `look` reads it again.
    """

    changed = Signal()

    def __init__(self, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.by: str | None = None
        self._jobs = jobs

    @property
    def offline(self) -> bool:
        return bool(self.by)

    @property
    def fixed(self) -> bool:
        """True if the environment sets the switch, so that nobody can switch it off here."""
        return self.by == "environment"

    def look(self) -> None:
        """Read the switch again."""
        self._jobs.start(tr("The offline switch"), _read, on_done=self._show, quiet=True)

    def switch(self, on: bool) -> None:
        """Set the switch for all windows and commands of this user. Where that cannot be stored, the window says so."""

        def work(ctx: JobContext) -> str:
            from biasprint.core.machine import offline

            offline.switch(on)
            return offline.set_by()

        self._jobs.start(tr("The offline switch"), work, on_done=self._show, on_error=self._failed, quiet=True)

    def _show(self, by: str) -> None:
        if by != self.by:
            self.by = by
            self.changed.emit()

    def _failed(self, error: object) -> None:
        self.changed.emit()  # whoever showed it as switched shows again how it is
        self._jobs.failed.emit(error)


def _read(ctx: JobContext) -> str:
    from biasprint.core.machine import offline

    return offline.set_by()


def why_offline(connections: Connections) -> str:
    """Return why no connection is possible now, in a sentence; empty while one is."""
    if connections.fixed:
        return tr("The offline switch is on because BIASPRINT_OFFLINE is set; start the program without it.")
    return tr("The offline switch is on: no connection is attempted.") if connections.offline else ""


def newest_version(ctx: JobContext) -> str:
    """Return the version of the program on the package index where it is newer than this one, else “”."""
    from packaging.version import Version

    from biasprint.core import __version__
    from biasprint.core.machine.models import index

    newest = index.newest_version()
    return str(newest) if newest > Version(__version__) else ""


@dataclass(frozen=True)
class EndpointSeen:
    """An endpoint and where its key is: "kept", from the "environment", or "" for none.

    A key goes in and never comes out.

    `trouble` says in a sentence why the stored key cannot be used.
    """

    endpoint: "Endpoint"
    key: str
    trouble: str = ""


@dataclass(frozen=True)
class EndpointsSeen:
    """All endpoints, and the sentence on where a key is kept on this computer."""

    endpoints: tuple[EndpointSeen, ...]
    where: str


def read_endpoints(ctx: JobContext) -> EndpointsSeen:
    """Read the endpoints; the key ring is asked about each, which may take a moment."""
    from biasprint.core.machine.endpoints import endpoints
    from biasprint.core.machine.keys import WHERE, ring_available

    seen = []
    for endpoint in endpoints():
        ctx.check()
        seen.append(_seen(endpoint))
    return EndpointsSeen(tuple(seen), WHERE["key ring" if ring_available() else "session"])


def _seen(endpoint: "Endpoint") -> EndpointSeen:
    from biasprint.core.machine.keys import ENVIRONMENT, key_for, session_keys

    try:
        each = [key_for(endpoint.name, address.base_url) for address in endpoint.addresses]
        has_key = any(each)
    except AppError as error:
        return EndpointSeen(endpoint, "", str(error))
    from_outside = endpoint.name not in session_keys() and bool(os.environ.get(ENVIRONMENT))
    return EndpointSeen(endpoint, ("environment" if from_outside else "kept") if has_key else "")


def save_endpoint(*, endpoint: "Endpoint", key: str = "", forget_key: bool = False) -> "Operation[Place | None]":
    """Save an endpoint in place of the one of its name, and its key if one was typed; return where the key is kept."""

    def work(ctx: JobContext) -> "Place | None":
        from biasprint.core.machine import endpoints, keys

        urls = [address.base_url for address in endpoint.addresses]
        if key:
            keys.by_name(endpoint.name, urls, key)  # first: with an impossible key nothing is changed
        endpoints.save(endpoint)
        if forget_key and not key:
            keys.forget_all(endpoint.name, urls)
        return keys.keep_all(endpoint.name, urls, key) if key else None

    def done(place: "Place | None") -> str:
        from biasprint.core.machine.keys import WHERE

        words = tr("“{name}” was saved.").format(name=endpoint.name)
        return words if place is None else f"{words} {WHERE[place]}"

    return Operation(tr("Saving “{name}”").format(name=endpoint.name), work, done)


def remove_endpoint(*, name: str) -> Operation[None]:
    """Forget an endpoint and its key."""

    def work(ctx: JobContext) -> None:
        from biasprint.core.machine import endpoints, keys

        urls = [address.base_url for address in endpoints.endpoint(name).addresses]
        keys.forget_all(name, urls)  # first: were it to fail, the endpoint is still there to be seen
        endpoints.remove(name)

    words = tr("“{name}” and its key were forgotten.").format(name=name)
    return Operation(tr("Forgetting “{name}”").format(name=name), work, words)


def test_endpoint(*, endpoint: "Endpoint", model: str) -> "Operation[EndpointTest]":
    """Ask an endpoint for its models and one short text, in the process for models, after any run at work there."""

    def work(ctx: JobContext) -> "EndpointTest":
        from biasprint.core.compute import models
        from biasprint.core.machine.keys import session_keys
        from biasprint.core.runs.writing import probe_endpoint

        return models().call(probe_endpoint, endpoint, model, session_keys(), ctx=ctx)

    def done(tested: "EndpointTest") -> str:
        return tested.sentence

    return Operation(tr("Testing “{name}”").format(name=endpoint.name), work, done)


test_endpoint.__test__ = False  # type: ignore[attr-defined]  # its name is no test's
