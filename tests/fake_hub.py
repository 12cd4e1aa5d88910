"""A hub and a package index on loopback for tests.

Repositories with commits, wheels, a second server that plays the hub's CDN, and faults. It is a proxy as well, for any
address without encryption.

Speaks as much of the hub's language as its client asks for: metadata of a revision with sizes and hashes, and files,
large ones by a redirect to the CDN.
"""

import copy
import hashlib
import io
import json
import os
import threading
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import pytest

from biasprint.core.machine import offline
from biasprint.core.machine.models import catalogue, index

Fault = Literal["", "cut", "wrong", "more", "silent", "whole", "plain", "status"]
LARGE = (".safetensors", ".gguf", ".bin")
PIECE = 1 << 14


@dataclass
class Repository:
    """`commits` holds file name → content by commit; `main` is where the branch stands."""

    commits: dict[str, dict[str, bytes]]
    main: str
    tags: tuple[str, ...] = ("license:apache-2.0",)
    needs_token: bool = False  # the metadata is public, the files are not


@dataclass
class Rule:
    """What goes wrong with a file, how many times: `at` bytes come before it, `status` is what is answered."""

    fault: Fault
    times: int = 1
    at: int = 0
    status: int = 500


@dataclass
class FakeHub:
    """Used as a context; `url` is what HF_ENDPOINT is set to. `asked` is every request: path, range, authorization."""

    repositories: dict[str, Repository] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    lies: dict[str, Any] = field(default_factory=dict)  # sha256 announced for a file, or "commit"
    sent: int = 0  # bytes of files
    packages: dict[str, dict[str, bytes]] = field(default_factory=dict)  # wheels by name, by package
    no_tunnel: int = 502  # what it answers, as a proxy, to whoever wants one
    html: bool = False  # how the package index answers; JSON by default

    def __enter__(self) -> "FakeHub":
        self.released = threading.Event()  # lets go of answers that keep silent
        self._hub = self._serve()
        self._cdn = self._serve()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.released.set()
        for server in (self._hub, self._cdn):
            server.shutdown()
            server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._hub.server_address[1]}"

    @property
    def cdn(self) -> str:
        return f"http://127.0.0.1:{self._cdn.server_address[1]}"

    @property
    def index(self) -> str:
        """What pip's index-url is set to."""
        return f"{self.url}/simple"

    def files_asked(self) -> list[str]:
        """The names of the files that were asked for at the hub, once each, in order."""
        names = [
            unquote(path.split("/resolve/")[1].partition("/")[2]) for path, _, _ in self.asked if "/resolve/" in path
        ]
        return list(dict.fromkeys(names))

    def content(self, digest: str) -> tuple[str, bytes]:
        for repository in self.repositories.values():
            for files in repository.commits.values():
                for name, data in files.items():
                    if hashlib.sha256(data).hexdigest() == digest:
                        return name, data
        raise KeyError(digest)

    def fault_of(self, name: str) -> Rule | None:
        rule = self.rules.get(name)
        if rule is None or rule.times <= 0:
            return None
        rule.times -= 1
        return rule

    def _serve(self) -> ThreadingHTTPServer:
        hub = self

        class Answers(_Handler):
            server_hub = hub

        server = _Server(("127.0.0.1", 0), Answers)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return server


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is what the tests are about, not an error."""


class _Handler(BaseHTTPRequestHandler):
    server_hub: FakeHub
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_CONNECT(self) -> None:
        self._refuse(self.server_hub.no_tunnel)

    def do_GET(self) -> None:
        hub, path = self.server_hub, urlsplit(self.path).path
        hub.asked.append((path, self.headers.get("range", ""), self.headers.get("authorization", "")))
        if path.startswith("/api/models/"):
            self._metadata(path.removeprefix("/api/models/"))
        elif "/resolve/" in path:
            self._resolve(*path.strip("/").split("/resolve/"))
        elif path.startswith("/cdn/"):
            self._file(*hub.content(path.removeprefix("/cdn/")))
        elif path.startswith("/simple/"):
            self._package(path.strip("/").rpartition("/")[2])
        elif path.startswith("/wheels/"):
            package, _, name = path.removeprefix("/wheels/").partition("/")
            self._file(name, hub.packages[package][name])
        else:
            self._refuse(404)

    def _package(self, package: str) -> None:
        hub, wheels = self.server_hub, self.server_hub.packages.get(package)
        rule = hub.fault_of("page")
        if wheels is None or rule is not None:
            return self._refuse(rule.status if rule else 404)
        hashes = {name: hub.lies.get(name, hashlib.sha256(data).hexdigest()) for name, data in wheels.items()}
        if hub.html:
            links = "".join(
                f'<a href="../../wheels/{package}/{name}#sha256={hashes[name]}">{name}</a>' for name in wheels
            )
            return self._send(200, f"<!DOCTYPE html><body>{links}".encode(), {"Content-Type": "text/html"})
        files = [
            {"filename": name, "url": f"{hub.url}/wheels/{package}/{name}", "hashes": {"sha256": hashes[name]},
             "size": len(data)}
            for name, data in wheels.items()
        ]  # fmt: skip
        self._send(200, json.dumps({"files": files}).encode(), {"Content-Type": "application/vnd.pypi.simple.v1+json"})

    def _metadata(self, path: str) -> None:
        hub = self.server_hub
        name, _, revision = path.partition("/revision/")
        repository = hub.repositories.get(name)
        if repository is None:
            return self._refuse(401, {"X-Error-Code": "RepoNotFound"})
        rule = hub.fault_of("metadata")
        if rule is not None:
            if rule.fault == "silent":
                hub.released.wait()
            return self._refuse(rule.status)
        commit = repository.main if revision in ("", "main") else revision
        known = [each for each in repository.commits if each.startswith(commit)]
        if not known:
            return self._refuse(404, {"X-Error-Code": "RevisionNotFound"})
        files = [self._sibling(each, data) for each, data in repository.commits[known[0]].items()]
        answer = {"id": name, "sha": hub.lies.get("commit", known[0]), "siblings": files, "tags": list(repository.tags)}
        self._send(200, json.dumps(answer).encode(), {"Content-Type": "application/json"})

    def _sibling(self, name: str, data: bytes) -> dict[str, Any]:
        digest = self.server_hub.lies.get(name, hashlib.sha256(data).hexdigest())
        blob = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
        lfs = {"lfs": {"size": len(data), "sha256": digest, "pointerSize": 134}} if name.endswith(LARGE) else {}
        return {"rfilename": name, "size": len(data), "blobId": blob} | lfs

    def _resolve(self, repository: str, rest: str) -> None:
        hub = self.server_hub
        commit, _, name = rest.partition("/")
        name = unquote(name)
        found = hub.repositories[repository]
        if found.needs_token and not self.headers.get("authorization"):
            return self._refuse(401, {"X-Error-Code": "GatedRepo"})
        data = found.commits.get(commit, {}).get(name)
        if data is None:
            return self._refuse(404, {"X-Error-Code": "EntryNotFound"})
        if hub.rules.get(name) and hub.rules[name].fault == "plain":
            return self._send(302, b"", {"Location": "http://files.example.org/model"})
        if name.endswith(LARGE):
            return self._send(302, b"", {"Location": f"{hub.cdn}/cdn/{hashlib.sha256(data).hexdigest()}"})
        return self._file(name, data)

    def _file(self, name: str, data: bytes) -> None:
        hub, rule = self.server_hub, self.server_hub.fault_of(name)
        if rule is not None and rule.fault == "status":
            return self._refuse(rule.status, {"Retry-After": "0"})
        asked = self.headers.get("range", "")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and (not rule or rule.fault != "whole") else 0
        content = data[start:]
        if rule is not None and rule.fault == "wrong":
            content = bytes(len(content))
        if rule is not None and rule.fault == "more":
            content += b"more"
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        stop = rule.at if rule is not None and rule.fault in ("cut", "silent") else len(content)
        try:
            for first in range(0, stop, PIECE):
                piece = content[first : min(first + PIECE, stop)]
                self.wfile.write(piece)
                hub.sent += len(piece)
            if rule is not None and rule.fault == "silent":
                hub.released.wait()
        except OSError:  # nobody listens any more
            pass
        if stop < len(content):
            self.close_connection = True

    def _refuse(self, status: int, headers: Mapping[str, str] | None = None) -> None:
        self._send(status, b"{}", headers or {})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def safetensors(size: int = 4, fill: int = 1) -> bytes:
    """The smallest file that is one: a header, and one tensor of `size` bytes."""
    header = json.dumps({"a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    return len(header).to_bytes(8, "little") + header + bytes([fill]) * size


def classifier(size: int = 4, fill: int = 1) -> dict[str, bytes]:
    """The files of a classifier's repository, with what must never be fetched among them."""
    return {
        "config.json": b'{"model_type": "bert"}',
        "tokenizer.json": b"{}",
        "vocab.txt": b"a\nb\n",
        "model.safetensors": safetensors(size, fill),
        "pytorch_model.bin": b"a pickle",
        "modeling_special.py": b"raise SystemExit('never run')",
        "README.md": b"# A model",
        "onnx/model.onnx": b"onnx",
    }


def wheel_of(content: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return packed.getvalue()


def computer_without_pip(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """A data folder of its own, online, and no pip to ask: the environment says it all.

    What pip itself says has tests of its own, for it is slow.
    """
    monkeypatch.setenv("BIASPRINT_HOME", str(home / "program"))
    monkeypatch.delenv(offline.VARIABLE, raising=False)
    for name in [each for each in os.environ if each.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setattr("biasprint.core.machine.models.hub.PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(index, "find_spec", lambda name: None if name == "pip" else find_spec(name))


def know_wheel(
    monkeypatch: pytest.MonkeyPatch, name: str, wheel: bytes = b"", gguf: bytes = b"GGUF" + bytes(60)
) -> tuple[bytes, bytes]:
    """Let the catalogue state the hashes and sizes of these, or of small ones, for the model `name`."""
    data = copy.deepcopy(catalogue._data())
    model = data["models"][name]
    (known,) = model["wheels"]
    wheel = wheel or wheel_of({known["file"]: gguf})
    model |= {"size": len(gguf), "sha256": {model["file"]: hashlib.sha256(gguf).hexdigest()}}
    known |= {"size": len(wheel), "sha256": hashlib.sha256(wheel).hexdigest(), "holds": len(gguf)}
    monkeypatch.setattr(catalogue, "_data", lambda: data)
    return wheel, gguf
