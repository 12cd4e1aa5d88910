"""Getting a model: whole, with the announced hashes, going on where it stopped; against a hub on loopback."""

import copy
import hashlib
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_hub import FakeHub, Repository, Rule, classifier

from biasprint.core.errors import AppError, JobCancelled, UsageError
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.machine import offline, storage
from biasprint.core.machine.models import catalogue, installed, records, upkeep
from biasprint.core.machine.models import hub as hub_module
from biasprint.core.machine.models.get import get
from biasprint.core.machine.models.network import is_safe
from biasprint.core.machine.models.upkeep import remove, staging

NAME = "language-agency"  # of the catalogue, without a revision
REPOSITORY = "emmatliu/language-agency-classifier"
FIRST, SECOND = "a" * 40, "b" * 40
WEIGHTS = "model.safetensors"
SIZE = 300_000
FETCHED = ["config.json", WEIGHTS, "tokenizer.json", "vocab.txt"]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Iterator[FakeHub]:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setenv("BIASPRINT_HOME", str(own_home / "program"))
    monkeypatch.delenv(offline.VARIABLE, raising=False)
    monkeypatch.setenv("HF_HOME", str(own_home / "hf"))
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    monkeypatch.setattr("biasprint.core.machine.models.hub.PAUSE_SECONDS", 0.01)
    with FakeHub({REPOSITORY: Repository({FIRST: classifier(SIZE)}, FIRST)}) as made:
        monkeypatch.setenv("HF_ENDPOINT", made.url)
        yield made


def message(error: pytest.ExceptionInfo[AppError]) -> str:
    return str(error.value)


def weights_of(hub: FakeHub, commit: str = FIRST) -> bytes:
    return hub.repositories[REPOSITORY].commits[commit][WEIGHTS]


def ranges(hub: FakeHub) -> list[str]:
    """The ranges asked of the CDN, which serves the weights alone."""
    return [asked for path, asked, _ in hub.asked if path.startswith("/cdn/")]


def test_a_model_comes_whole_and_nothing_but_settings_tokenizer_and_safe_weights(hub: FakeHub) -> None:
    result = get(NAME)
    folder = result.model.path
    assert sorted(file.name for file in folder.rglob("*") if file.is_file()) == FETCHED
    assert sorted(hub.files_asked()) == FETCHED
    assert (folder / WEIGHTS).read_bytes() == weights_of(hub)
    assert (result.model.name, result.model.revision, result.model.origin) == (NAME, FIRST, "catalogue")
    assert result.size == result.fetched == sum(len(hub.repositories[REPOSITORY].commits[FIRST][n]) for n in FETCHED)
    lines = "".join(f"{n} {hashlib.sha256((folder / n).read_bytes()).hexdigest()}\n" for n in FETCHED)
    assert result.model.sha256 == hashlib.sha256(lines.encode()).hexdigest()
    assert not staging(NAME).exists()


def test_what_came_is_recorded_and_getting_it_again_asks_nothing(hub: FakeHub) -> None:
    get(NAME)
    record = records.got()[NAME]
    assert (record.repository, record.revision, record.licence) == (REPOSITORY, FIRST, "apache-2.0")
    assert record.sha256[WEIGHTS] == hashlib.sha256(weights_of(hub)).hexdigest()
    hub.asked.clear()
    assert get(NAME).fetched == 0
    assert hub.asked == []


def test_the_first_commit_is_required_from_then_on(hub: FakeHub) -> None:
    before = get(NAME).model.sha256
    repository = hub.repositories[REPOSITORY]
    repository.commits[SECOND] = classifier(SIZE, fill=2)
    repository.main = SECOND
    remove(NAME)
    again = get(NAME)
    assert (again.model.revision, again.model.sha256) == (FIRST, before)


def test_a_commit_that_is_gone_is_said_and_renewing_takes_the_new_one(hub: FakeHub) -> None:
    get(NAME)
    remove(NAME)
    hub.repositories[REPOSITORY] = Repository({SECOND: classifier(SIZE, fill=2)}, SECOND)
    with pytest.raises(AppError, match="no longer has the commit aaaaaaaaaaaa") as error:
        get(NAME)
    assert "--renew" in message(error)
    assert get(NAME, renew=True).model.revision == SECOND
    assert records.got()[NAME].revision == SECOND
    assert [each.name for each in (records.models_folder() / NAME).iterdir()] == [SECOND]


def test_other_files_under_the_recorded_commit_are_refused(hub: FakeHub) -> None:
    get(NAME)
    remove(NAME)
    hub.repositories[REPOSITORY].commits[FIRST] = classifier(SIZE, fill=9)
    with pytest.raises(AppError, match=r"another at the hub .*: model\.safetensors differs"):
        get(NAME)
    hub.repositories[REPOSITORY].commits[FIRST] = classifier(SIZE) | {"config.json": b'{"model_type": "gpt2"}'}
    with pytest.raises(AppError, match=r"config\.json differs"):  # small files are announced by git's hash
        get(NAME)
    assert installed.installed("agency") == ()


def test_a_hub_that_answers_with_another_commit_is_refused(hub: FakeHub) -> None:
    get(NAME)
    remove(NAME)
    hub.lies["commit"] = SECOND
    with pytest.raises(AppError, match="another commit"):
        get(NAME)


def test_a_file_with_another_hash_is_thrown_away_and_nothing_is_put_in_place(hub: FakeHub) -> None:
    hub.rules[WEIGHTS] = Rule("wrong")
    with pytest.raises(AppError, match="arrived with another content") as error:
        get(NAME)
    assert "Traceback" not in message(error)
    assert installed.installed("agency") == ()
    assert NAME not in records.got()
    assert not list(staging(NAME).rglob(f"{WEIGHTS}*"))
    get(NAME)  # the next try brings it, and only it
    assert (installed.find(NAME, ("agency",)).path / WEIGHTS).read_bytes() == weights_of(hub)


def test_small_files_are_checked_too(hub: FakeHub) -> None:
    hub.rules["vocab.txt"] = Rule("wrong")
    with pytest.raises(AppError, match=r"vocab\.txt"):
        get(NAME)


def test_more_bytes_than_announced_are_refused(hub: FakeHub) -> None:
    hub.rules[WEIGHTS] = Rule("more")
    with pytest.raises(AppError, match="another content"):
        get(NAME)


def test_a_cut_connection_goes_on_by_a_range_at_once(hub: FakeHub) -> None:
    hub.rules[WEIGHTS] = Rule("cut", at=100_000)
    get(NAME)
    first, second = ranges(hub)
    assert first == ""
    assert second == "bytes=100000-"
    assert hub.sent == sum(len(hub.repositories[REPOSITORY].commits[FIRST][name]) for name in FETCHED)


def test_a_server_that_ignores_the_range_is_read_from_the_beginning(hub: FakeHub) -> None:
    hub.rules[WEIGHTS] = Rule("cut", at=100_000)
    real = hub.fault_of

    def fault_of(name: str) -> Rule | None:
        rule = real(name)
        return rule or (Rule("whole") if name == WEIGHTS else None)

    hub.fault_of = fault_of  # type: ignore[method-assign]
    assert (get(NAME).model.path / WEIGHTS).read_bytes() == weights_of(hub)


def test_what_came_before_a_failure_is_not_fetched_again(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biasprint.core.machine.models.hub.TRIES", 1)
    hub.rules[WEIGHTS] = Rule("cut", at=200_000)
    with pytest.raises(AppError, match="could not be reached") as error:
        get(NAME)
    assert "goes on where it stopped" in message(error)
    before = hub.sent
    result = get(NAME)
    assert ranges(hub)[-1] == "bytes=200000-"
    assert hub.sent - before == result.fetched
    assert result.fetched < result.size - 190_000


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_hub_is_asked_again(hub: FakeHub, status: int) -> None:
    hub.rules[WEIGHTS] = Rule("status", times=2, status=status)
    assert get(NAME).model.revision == FIRST
    assert len(ranges(hub)) == 3


def test_a_hub_that_stays_broken_is_given_up(hub: FakeHub) -> None:
    hub.rules[WEIGHTS] = Rule("status", times=99, status=500)
    with pytest.raises(AppError, match="status 500"):
        get(NAME)
    assert len(ranges(hub)) == hub_module.TRIES


def test_a_cancel_keeps_what_came_and_the_next_get_goes_on(hub: FakeHub) -> None:
    hub.rules[WEIGHTS] = Rule("silent", at=150_000)
    ctx = JobContext()
    part = staging(NAME) / FIRST / f"{WEIGHTS}.part"
    ended = threading.Event()

    def cancel_when_silent() -> None:
        while not (part.exists() and part.stat().st_size == 150_000) and not ended.wait(0.01):
            pass
        ctx.cancel()

    thread = threading.Thread(target=cancel_when_silent)
    thread.start()
    with pytest.raises(JobCancelled):
        get(NAME, ctx)
    ended.set()
    thread.join()
    get(NAME)
    assert ranges(hub)[-1] == "bytes=150000-"
    assert (installed.find(NAME, ("agency",)).path / WEIGHTS).read_bytes() == weights_of(hub)


def test_a_cancel_is_not_kept_waiting_by_a_silent_hub(hub: FakeHub) -> None:
    hub.rules["metadata"] = Rule("silent")
    ctx = JobContext()
    threading.Timer(0.2, ctx.cancel).start()
    started = time.monotonic()
    with pytest.raises(JobCancelled):
        get(NAME, ctx)
    assert time.monotonic() - started < hub_module.TIMEOUT_SECONDS / 2  # a silent hub ends it by itself after so many


def test_a_pause_stops_the_download_until_it_is_resumed(hub: FakeHub) -> None:
    paused, reports = threading.Event(), []

    def listen(progress: Progress) -> None:
        reports.append(progress.done)
        if not paused.is_set():
            ctx.pause()
            paused.set()

    ctx = JobContext(listen)
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(get(NAME, ctx)))
    thread.start()
    assert paused.wait(10)
    thread.join(0.3)
    assert thread.is_alive()
    assert results == []
    assert not (records.models_folder() / NAME).exists()
    ctx.resume()
    thread.join(20)
    assert results[0].model.revision == FIRST


def test_progress_is_told_in_bytes_up_to_the_whole(hub: FakeHub) -> None:
    reports: list[Progress] = []
    result = get(NAME, JobContext(reports.append))
    assert [each.done for each in reports] == sorted(each.done for each in reports)
    assert (reports[-1].done, reports[-1].total) == (result.size, result.size)


def test_a_gated_model_says_what_to_do(hub: FakeHub) -> None:
    hub.repositories[REPOSITORY].needs_token = True
    with pytest.raises(AppError, match="its makers want their terms accepted") as error:
        get(NAME)
    assert "hf auth login" in message(error)


def test_a_token_is_sent_only_when_asked_for_and_never_to_the_cdn(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.get_token", lambda: "hf_secret")
    get(NAME)
    assert {authorization for _, _, authorization in hub.asked} == {""}
    remove(NAME)
    hub.asked.clear()
    hub.repositories[REPOSITORY].needs_token = True
    get(NAME)
    sent = [path for path, _, authorization in hub.asked if authorization]
    assert sent
    assert not any(path.startswith("/cdn/") for path in sent)
    assert "hf_secret" not in "".join(file.read_text() for file in records.models_folder().parent.glob("*.json"))


def test_a_repository_that_is_gone_is_said(hub: FakeHub) -> None:
    hub.repositories.clear()
    with pytest.raises(AppError, match="has no “emmatliu/language-agency-classifier” any more"):
        get(NAME)


def test_a_repository_with_pickles_only_is_refused_before_a_byte_comes(hub: FakeHub) -> None:
    del hub.repositories[REPOSITORY].commits[FIRST][WEIGHTS]
    with pytest.raises(AppError, match="lacks weights in the safetensors format"):
        get(NAME)
    assert hub.files_asked() == []


def test_a_redirect_that_is_not_encrypted_is_not_followed(hub: FakeHub) -> None:
    hub.rules[WEIGHTS] = Rule("plain")
    with pytest.raises(AppError, match="not encrypted"):
        get(NAME)


def test_a_hub_address_that_is_not_encrypted_is_refused(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.example.org")
    with pytest.raises(AppError, match="not encrypted"):
        get(NAME)


@pytest.mark.parametrize("url", ["https://a.example/x", "http://127.0.0.1:80/x", "http://localhost/x", "http://[::1]/"])
def test_encrypted_and_own_addresses_are_safe(url: str) -> None:
    assert is_safe(url)


@pytest.mark.parametrize(
    "url", ["http://a.example/x", "http://127.0.0.1.example/x", "ftp://a/x", "file:///etc/passwd", ""]
)
def test_other_addresses_are_not(url: str) -> None:
    assert not is_safe(url)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [("HTTPS_PROXY", "http://me:secret", "A proxy is set that cannot be used"),
     ("SSL_CERT_FILE", "/nowhere.pem", "certificates")],
)  # fmt: skip
def test_settings_that_the_client_cannot_take_are_said(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    import huggingface_hub

    huggingface_hub.close_session()  # one from before knows the old settings
    monkeypatch.setenv(variable, value)
    with pytest.raises(AppError, match=said) as error:
        get(NAME)
    assert "secret" not in message(error) + str(error.value.details)
    assert hub.asked == []


def test_a_proxy_on_the_way_to_the_hub_is_named(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    huggingface_hub.close_session()
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.example.org")
    monkeypatch.setenv("HTTPS_PROXY", hub.url)
    with pytest.raises(AppError, match=r"The hub at hub\.example\.org, through the proxy 127\.0\.0\.1:\d+, could not"):
        get(NAME)
    huggingface_hub.close_session()


def test_the_offline_switch_keeps_every_request_back(hub: FakeHub) -> None:
    offline.switch(True)
    with pytest.raises(AppError, match="the offline switch is on") as error:
        get(NAME)
    assert "biasprint offline off" in message(error)
    assert hub.asked == []


def test_a_full_disk_is_said_before_anything_comes(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1_000_000))
    with pytest.raises(AppError, match=r"needs 300 kB more, and the disk has 1\.0 MB free"):
        get(NAME)
    assert hub.files_asked() == []


def test_a_failing_write_keeps_what_came(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.open

    def full(path: Path, *args: Any, **kwargs: Any) -> Any:
        if path.name == f"{WEIGHTS}.part":
            raise OSError(28, "No space left on device")
        return real(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(AppError, match="No space left on device"):
        get(NAME)
    assert installed.installed("agency") == ()


def test_two_at_once_do_not_write_into_one_file(hub: FakeHub) -> None:
    with storage.locked(f"model-{NAME}.lock"), pytest.raises(storage.Busy, match="Another window or command"):
        get(NAME)
    staging(NAME).mkdir(parents=True)
    with storage.locked(f"model-{NAME}.lock"), pytest.raises(storage.Busy):
        remove(NAME)
    assert staging(NAME).exists()


@pytest.mark.parametrize("status", [429, 500])
def test_a_hub_that_refuses_to_list_is_said(hub: FakeHub, status: int) -> None:
    hub.rules["metadata"] = Rule("status", status=status)
    with pytest.raises(AppError, match=rf"refused \(status {status}\)"):
        get(NAME)


@pytest.mark.parametrize("commit", ["", "../../x", 7])
def test_an_answer_that_makes_no_sense_is_said(hub: FakeHub, commit: object) -> None:
    hub.lies["commit"] = commit
    with pytest.raises(AppError, match="cannot be understood"):
        get(NAME)


def test_a_pinned_revision_is_asked_for_and_a_named_gguf_file_comes_alone(hub: FakeHub) -> None:
    pinned = "714eb0f" + "c" * 33
    hub.repositories["distilbert/distilbert-base-uncased-finetuned-sst-2-english"] = Repository(
        {pinned: classifier(), SECOND: classifier(fill=3)}, SECOND
    )
    assert get("distilbert-sst2").model.revision == pinned
    gguf = b"GGUF" + (3).to_bytes(4, "little") + bytes(40)
    file = "qwen2.5-0.5b-instruct-q4_k_m.gguf"
    hub.repositories["Qwen/Qwen2.5-0.5B-Instruct-GGUF"] = Repository({FIRST: {file: gguf, "other.gguf": gguf}}, FIRST)
    model = get("qwen2.5-0.5b-instruct").model
    assert (model.format, model.path.name, model.sha256) == ("gguf", file, hashlib.sha256(gguf).hexdigest())
    assert "other.gguf" not in hub.files_asked()


def test_names_that_cannot_be_got(hub: FakeHub) -> None:
    with pytest.raises(UsageError, match="in the catalogue"):
        get("no-such-model")
    with pytest.raises(UsageError, match="comes with the program"):
        get("all-minilm-l6-v2")


def test_a_changed_file_is_found_by_verify_and_by_the_next_use(hub: FakeHub) -> None:
    folder = get(NAME).model.path
    assert upkeep.verify(NAME)[0].sound
    (folder / "vocab.txt").write_bytes(b"x\ny\n")
    (report,) = upkeep.verify(NAME)
    assert report.problems == ("vocab.txt has changed: its hash is another.",)
    with pytest.raises(AppError, match=r"has changed since it was got: vocab\.txt"):
        installed.find(NAME, ("agency",))
    assert installed.for_role("agency") is None
    (folder / "vocab.txt").unlink()
    assert upkeep.verify(NAME)[0].problems == ("vocab.txt is gone.",)


def test_removing_deletes_the_files_and_a_half_download(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biasprint.core.machine.models.hub.TRIES", 1)
    hub.rules[WEIGHTS] = Rule("cut", at=100_000)
    with pytest.raises(AppError):
        get(NAME)
    assert remove(NAME)
    assert not staging(NAME).exists()
    get(NAME)
    assert remove(NAME)
    assert installed.installed("agency") == ()
    assert [each.name for each in records.models_folder().iterdir() if not each.name.startswith(".getting")] == []
    with pytest.raises(UsageError, match="is not on this computer"):
        remove(NAME)


def test_a_model_that_the_index_has_too_is_recorded_as_the_hubs_where_it_came_from_there(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = copy.deepcopy(catalogue._data())
    weights = hashlib.sha256(classifier(SIZE)[WEIGHTS]).hexdigest()
    data["models"]["all-mpnet-base-v2"] |= {"revision": FIRST, "sha256": {WEIGHTS: weights}}
    monkeypatch.setattr(catalogue, "_data", lambda: data)
    hub.repositories["sentence-transformers/all-mpnet-base-v2"] = Repository({FIRST: classifier(SIZE)}, FIRST)
    get("all-mpnet-base-v2", where="hub")
    (row,) = [each for each in installed.overview("embedding") if each.name == "all-mpnet-base-v2"]
    assert (row.source, row.repository) == ("hub", "sentence-transformers/all-mpnet-base-v2")
