"""A package index on loopback, with tiny packages that a test makes, and what can go wrong with it."""

import base64
import gzip
import hashlib
import io
import random
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

LARGE = 1_500_000  # bytes of a wheel's one large file: more than fits into what is sent in one piece


@dataclass
class Cut:
    """The connection ends when `at` (a share of the answer) is sent; the rest follows later where it is `held`."""

    at: float = 0.0
    held: bool = False


@dataclass
class FakeIndex:
    """Used as a context. `files` by name; `cuts` by a part of the path; `announced` hashes other than the real ones."""

    files: dict[str, bytes] = field(default_factory=dict)
    cuts: dict[str, Cut] = field(default_factory=dict)
    announced: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    holding: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "FakeIndex":
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index.asked.append(self.path)
                found = index.answer(self.path)
                cut = next((cut for part, cut in index.cuts.items() if part in self.path), None)
                if cut is not None and cut.at == 0 and not cut.held:
                    return self.close()
                self.send_response(404 if found is None else 200)
                body = found or b""
                self.send_header("content-type", "text/html" if self.path.endswith("/") else "application/octet-stream")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                sent = len(body) if cut is None else int(len(body) * cut.at)
                self.wfile.write(body[:sent])
                self.wfile.flush()
                if cut is not None and cut.held:
                    index.holding.set()
                    index.let_go.wait(60)
                    self.wfile.write(body[sent:])
                elif cut is not None:
                    self.close()

            def close(self) -> None:
                self.close_connection = True
                self.connection.close()

            def log_message(self, *words: object) -> None: ...

            def handle(self) -> None:
                try:
                    super().handle()
                except (OSError, ValueError):  # the other side has gone, or we closed it
                    self.close_connection = True

            def finish(self) -> None:
                try:
                    super().finish()
                except (OSError, ValueError):
                    return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.let_go.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/simple"

    def answer(self, path: str) -> bytes | None:
        if not path.endswith("/"):
            return self.files.get(path.rpartition("/")[2])
        wanted = path.rstrip("/").rpartition("/")[2]
        names = [name for name in self.files if name.partition("-")[0] == wanted]
        if not names:
            return None
        links = (f'<a href="/files/{name}#sha256={self.hash_of(name)}">{name}</a><br/>' for name in names)
        return f"<html><head><title>{wanted}</title></head><body>{''.join(links)}</body></html>".encode()

    def hash_of(self, name: str) -> str:
        return self.announced.get(name) or hashlib.sha256(self.files[name]).hexdigest()

    def add_wheel(self, name: str, *needs: str) -> None:
        """A package of one module and one large file."""
        self.files[f"{name}-1.0-py3-none-any.whl"] = wheel(name, needs)

    def add_source(self, name: str, message: str) -> None:
        """A package that has to be compiled, and cannot be: that is what its builder says."""
        self.files[f"{name}-1.0.tar.gz"] = source(name, message)


def wheel(name: str, needs: tuple[str, ...] = ()) -> bytes:
    info = f"{name}-1.0.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n" + "".join(f"Requires-Dist: {n}\n" for n in needs)
    content = {
        f"{name}/__init__.py": f"NAME = {name!r}\n".encode(),
        f"{name}/large.bin": random.Random(name).randbytes(LARGE),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    content[f"{info}/RECORD"] = "".join([*_recorded(content), f"{info}/RECORD,,\n"]).encode()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in content.items():
            archive.writestr(path, data)
    return stream.getvalue()


def _recorded(content: dict[str, bytes]) -> Iterator[str]:
    for path, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        yield f"{path},sha256={digest},{len(data)}\n"


def source(name: str, message: str) -> bytes:
    builder = (
        "def get_requires_for_build_wheel(*given):\n    return []\n"
        f"def build_wheel(*given, **more):\n    raise SystemExit({message!r})\n"
    )
    files = {
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "builder"\nbackend-path = ["."]\n',
        "builder.py": builder + _METADATA.format(name=name),
    }
    stream = io.BytesIO()
    with gzip.GzipFile(fileobj=stream, mode="w") as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"{name}-1.0/{path}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return stream.getvalue()


_METADATA = """
def prepare_metadata_for_build_wheel(folder, *given):
    import pathlib
    place = pathlib.Path(folder) / "{name}-1.0.dist-info"
    place.mkdir()
    (place / "METADATA").write_text("Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n")
    return place.name
"""
