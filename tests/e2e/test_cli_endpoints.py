"""Endpoints from the command line: kept, tested, written with; and what is said where one does not answer well."""

import json
import os
import signal
import subprocess
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from bad_server import TEXT, Answer, Asked, BadServer, answer, cut, error, good
from cli_support import biasprint, outputs_of, refused, start

from biasprint.core.compute import models
from biasprint.core.machine import keys
from biasprint.core.project.project import Project

KEY = "sk-canary-0123456789"
WAITING = 16  # texts that have come and wait to be stored together


class Ended(NamedTuple):
    prompt: str
    failure: str


def read(file: Path) -> list[Ended]:
    """How every output ended, with the text of its prompt."""
    with Project.open(file, read_only=True) as project:
        (chosen,) = project.prompts.sets()
        texts = {prompt.key: prompt.text for prompt in project.prompts.page(chosen.id, 0, 10_000)}
        return [Ended(texts[row.prompt_key], row.failure) for row in project.outputs.each()]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(keys, "_session", {})
    models().close()  # the next one is started with this home
    return tmp_path / "home"


def letters(path: Path) -> Path:
    biasprint("new", path)
    biasprint("prompts", path, "--study", "letters")
    return path


def test_an_endpoint_is_kept_shown_and_forgotten():
    assert "no endpoint yet" in biasprint("endpoints", "list").out
    kept = biasprint(
        "endpoints", "add", "lab", "--url", "http://127.0.0.1:9/v1/chat/completions", "--concurrency", 3,
        "--price", "small=0.5/1.5 EUR", "--json",
    ).json["endpoint"]  # fmt: skip
    assert (kept["base_url"], kept["concurrency"]) == ("http://127.0.0.1:9/v1", 3)
    assert kept["prices"] == {"small": {"input_per_million": 0.5, "output_per_million": 1.5, "currency": "EUR"}}
    assert biasprint("endpoints", "list", "--json").json["endpoints"] == [kept]
    assert biasprint("endpoints", "remove", "lab", "--json").json == {"removed": "lab"}
    refused("endpoints", "remove", "lab", code=2, says="There is no endpoint “lab”.")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--url", "not an address"), "not the address of an endpoint"),
        (("--url", "https://me:secret@host/v1"), "holds more than an address"),
        (("--url", "http://example.org/v1"), "plain http"),
        (("--url", "https://host/v1", "--price", "small=cheap"), "“small=cheap” is no price."),
        (("--url", "https://host/v1", "--concurrency", "0"), "concurrency cannot be 0."),
        (("--url", "https://host/v1", "--url", "https://host/v1/"), "has the address https://host/v1 twice."),
        (("--url", "https://host/v1", "--url", "elsewhere"), "not the address of an endpoint"),
        (("--url", "https://a/v1", "--url", "https://b/v1", *2 * ("--concurrency", "0")), "concurrency cannot be 0."),
        (("--url", "https://a/v1", *2 * ("--concurrency", "4")), "2 limits were given for 1 address."),
    ],
)
def test_what_cannot_be_an_endpoint_is_refused_in_one_sentence(arguments: tuple[str, ...], says: str):
    answer = biasprint("endpoints", "add", "lab", *arguments, code=None)
    assert answer.code == (1 if says == "plain http" else 2)
    assert says in answer.err
    assert biasprint("endpoints", "list", "--json").json["endpoints"] == []


@pytest.mark.soak
def test_letters_are_written_by_an_endpoint_and_failures_are_asked_for_again_by_kind(tmp_path: Path):
    file = letters(tmp_path / "study.biasprint")
    broken = True

    def script(asked: Asked):  # type: ignore[no-untyped-def]
        if broken and "Kelly" in asked.prompt:
            return error("400 Bad Request", "the prompt is too long", code="context_length_exceeded")
        return good(wait=0.05)

    write = ("generate", file, "--study", "letters", "--backend", "openai_compatible", "--model", "small")
    with BadServer(script) as server:
        biasprint("endpoints", "add", "here", "--url", server.url, "--concurrency", 16)
        tested = biasprint("endpoints", "test", "here", "--model", "small", "--json").json
        assert tested["ok"], tested["sentence"]
        first = biasprint(*write, "--endpoint", "here", "--temperature", 1, "--json").json
        assert (first["done"], first["failures"]) == (60, {"context": 60})
        broken = False
        again = biasprint(*write, "--endpoint", "here", "--temperature", 1, "--retry", "context", "--json").json
        assert (again["done"], again["failed"], again["added"]) == (120, 0, 60)
        assert {text for text, _, _ in outputs_of(file).values()} == {TEXT}
        assert server.most_at_once > 1
        assert max(server.times.values()) <= 2  # each prompt once, those that failed once more
        body = server.requests[-1].body
        assert body["temperature"] == 1
        assert body["seed"] > 0


# What the server does to a prompt, in turn, the last one for ever; and how it ends.
ENDS: tuple[tuple[tuple[Answer, ...], str], ...] = (
    ((good(wait=0.01),), ""),
    ((error("429 Too Many Requests", "slow down", Retry_After="0"), good()), ""),
    ((answer("500 Oops", b"trace"), good()), ""),
    ((cut, good()), ""),
    ((answer("500 Oops", b"trace"),), "server"),
    ((answer("200 OK", {"result": "text"}),), "bad_reply"),
    ((answer("307 Temporary Redirect", b"", Location="http://127.0.0.1:9/"),), "redirect"),
    ((error("400 Bad Request", "too long", "context_length_exceeded"),), "context"),
)


@pytest.mark.soak
@pytest.mark.usefixtures("few_letters")
def test_a_run_without_a_text_is_a_failure_that_says_why(tmp_path: Path):
    file = letters(tmp_path / "study.biasprint")
    with BadServer(lambda asked: error("400 Bad Request", "no such thing")) as server:
        biasprint("endpoints", "add", "lab", "--url", server.url, "--retries", 0)
        write = ("generate", file, "--study", "letters", "--backend", "openai_compatible", "--endpoint", "lab")
        failed = biasprint(*write, "--model", "m", "--json", code=1)
    assert failed.json["done"] == 0
    assert failed.json["failed"] == failed.json["wanted"] > 0
    assert f"No text was written: all {failed.json['failed']} requests failed" in failed.err
    assert "no such thing" in failed.err


@pytest.mark.soak
def test_every_prompt_of_a_run_ends_once_as_done_or_failed_whatever_the_server_does(tmp_path: Path):
    """108 prompts in eight ways. Another seed is another request, and all of a prompt end alike."""
    file = tmp_path / "study.biasprint"
    biasprint("new", file)
    themes = [f"--theme={theme}" for theme in ("stars", "sun", "rain", "trees", "joy", "fear")]
    biasprint("prompts", file, "--study", "creativity", "--task", "haiku", "--task", "song", *themes)
    asked_for: dict[tuple[str, int], int] = {}

    def ends(prompt: str) -> tuple[tuple[Answer, ...], str]:
        return ENDS[zlib.crc32(prompt.encode()) % len(ENDS)]

    def script(asked: Asked) -> Answer:
        request = (asked.prompt, asked.body["seed"])
        asked_for[request] = asked_for.get(request, 0) + 1
        answers = ends(asked.prompt)[0]
        return answers[min(asked_for[request], len(answers)) - 1]

    with BadServer(script) as server:
        biasprint("endpoints", "add", "here", "--url", server.url, "--concurrency", 64, "--retries", 1)
        write = ("generate", file, "--study", "creativity", "--backend", "openai_compatible", "--model", "small")
        found = biasprint(*write, "--endpoint", "here", "--json").json
    outputs = read(file)
    assert len(outputs) == found["wanted"] == found["done"] + found["failed"] == 108
    assert all(row.failure == ends(row.prompt)[1] for row in outputs)
    assert found["failures"] == {kind: count for kind, count in Counter(row.failure for row in outputs).items() if kind}
    assert len(asked_for) == 108
    assert {ends(row.prompt) for row in outputs} == set(ENDS)
    for (prompt, _), times in asked_for.items():
        answers, failure = ends(prompt)
        assert times == (2 if failure == "server" else len(answers)), (prompt, failure)


def test_a_group_that_an_endpoint_refuses_is_said_at_every_step(tmp_path: Path):
    """Whether the endpoint's filter ends the text, turns the prompt away, or the model declines beside the text."""
    refusals = {
        "Lakisha": good("", "content_filter"),
        "Kim": error("400 Bad Request", "The prompt was filtered.", "content_filter"),
        "Jamal": answer("200 OK", {"choices": [{"message": {"content": None, "refusal": "I can't."},
                                                "finish_reason": "stop"}]}),
    }  # fmt: skip

    def script(asked: Asked) -> Answer:
        refused = next((reply for name, reply in refusals.items() if name in asked.prompt), None)
        return refused or good("She is a kind colleague.", "length" if "Anne" in asked.prompt else "stop")

    file, template, table = (tmp_path / name for name in ("own.biasprint", "own.txt", "own.csv"))
    template.write_text("Recommend {name} for {job}.", encoding="utf-8")
    rows = "".join(f"{name},job {job},{name}\n" for job in range(8) for name in ("Emily", "Anne", *refusals))
    table.write_text(f"name,job,group\n{rows}", encoding="utf-8")
    biasprint("new", file)
    biasprint("prompts", file, "--study", "compare", "--template", template, "--table", table)
    with BadServer(script) as server:
        biasprint("endpoints", "add", "here", "--url", server.url, "--retries", 0)
        write = ("generate", file, "--study", "compare", "--backend", "openai_compatible", "--endpoint", "here")
        written = biasprint(*write, "--model", "m").out
        again = biasprint(*write, "--model", "m", "--retry-failures", "--json").json
    assert "24 refused; a refusal is an answer, so that only --retry refusal asks again." in written
    assert "8 texts were cut off at the limit on tokens (max_tokens): their length is not compared." in written
    assert (again["failures"], again["added"], again["cut"]) == ({"refusal": 24}, 0, 8)
    report = tmp_path / "report.md"
    biasprint("measure", "compare", file, "--scorer", "score=length", "--report", report)
    page = report.read_text(encoding="utf-8")
    assert "All 24 texts asked for Jamal, Kim and Lakisha were refused, none of 16 for Anne and Emily." in page


def test_a_key_that_is_asked_for_goes_to_its_endpoint_and_nowhere_else(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("typer.prompt", lambda *about, **how: KEY)
    file = letters(tmp_path / "study.biasprint")
    with BadServer(lambda asked: error("401 Unauthorized", f"the key {KEY} is wrong")) as server:
        biasprint("endpoints", "add", "here", "--url", server.url)
        write = ("generate", file, "--study", "letters", "--backend", "openai_compatible", "--model", "small")
        answer = biasprint(*write, "--endpoint", "here", "--ask-key", "--json", code=1)
        assert "Every request failed: " in answer.err
        assert "Mend it, then start the run again" in answer.err
        assert 16 <= len(outputs_of(file)) < 120  # it does not ask for every letter what it cannot get
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in answer.out + answer.err
    written = [file, *(path for path in home.rglob("*") if path.is_file())]
    assert not [path for path in written if KEY.encode() in path.read_bytes()]


def test_an_unknown_endpoint_and_a_switched_off_connection_are_said_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = letters(tmp_path / "study.biasprint")
    write = ("generate", file, "--study", "letters", "--backend", "openai_compatible", "--model", "small")
    refused(*write, "--endpoint", "nowhere", code=2, says="There is no endpoint “nowhere”.")
    biasprint("endpoints", "add", "here", "--url", "http://127.0.0.1:9/v1")
    biasprint("offline", "on")
    refused(*write, "--endpoint", "here", code=1, says="the offline switch is on")
    assert outputs_of(file) == {}


# ---- Several addresses


def test_an_endpoint_of_several_addresses_is_kept_shown_and_has_a_key_for_each(monkeypatch: pytest.MonkeyPatch):
    two = ("--url", "http://127.0.0.1:8/v1", "--url", "http://127.0.0.1:9/v1")
    kept = biasprint("endpoints", "add", "lab", *two, "--concurrency", 4, "--concurrency", 16, "--json").json
    assert (kept["endpoint"]["base_url"], kept["endpoint"]["concurrency"]) == ("http://127.0.0.1:8/v1", 4)
    assert kept["endpoint"]["others"] == [{"base_url": "http://127.0.0.1:9/v1", "concurrency": 16}]
    shown = biasprint("endpoints", "list").out
    assert "http://127.0.0.1:8/v1, http://127.0.0.1:9/v1" in shown
    assert "4 + 16" in shown
    monkeypatch.setattr("typer.prompt", lambda *about, **how: "sk-a sk-b")
    biasprint("endpoints", "key", "lab")
    assert [keys.key_for("lab", f"http://127.0.0.1:{port}/v1") for port in (8, 9)] == ["sk-a", "sk-b"]
    monkeypatch.setattr("typer.prompt", lambda *about, **how: "sk-a sk-b sk-c")
    for command in (("endpoints", "key", "lab"), ("endpoints", "add", "new", *two, "--ask-key")):
        said = refused(*command, code=2, says="3 keys were given for the 2 addresses of")
        assert "sk-" not in said
    assert [one["name"] for one in biasprint("endpoints", "list", "--json").json["endpoints"]] == ["lab"]
    biasprint("endpoints", "remove", "lab")
    assert keys.session_keys() == {}


@pytest.mark.soak
@pytest.mark.usefixtures("few_letters")
def test_a_run_over_several_addresses_names_what_it_leaves_out_and_exports_say_the_set(tmp_path: Path):
    file = letters(tmp_path / "study.biasprint")
    others = answer("200 OK", {"data": [{"id": "huge"}]})
    with (
        BadServer(lambda _: good(wait=0.02)) as first,
        BadServer(lambda _: good(wait=0.02)) as second,
        BadServer(lambda _: others) as stranger,
    ):
        urls = [server.url for server in (first, second, stranger)]
        biasprint("endpoints", "add", "lab", *(part for url in urls for part in ("--url", url)), "--concurrency", 2)
        write = ("generate", file, "--study", "letters", "--backend", "openai_compatible", "--model", "small")
        done = biasprint(*write, "--endpoint", "lab", "--json")
    left_out = f"{stranger.url} was left out: it serves “huge” and not “small”."
    assert (done.json["done"], done.json["failed"]) == (done.json["wanted"], 0)
    assert done.json["left_out"] == [left_out]
    assert done.err.count(left_out) == 1
    asked = [[(one.prompt, one.body["seed"]) for one in server.requests if one.prompt] for server in (first, second)]
    assert all(asked)
    assert len(asked[0] + asked[1]) == len({*asked[0], *asked[1]}) == done.json["wanted"]
    biasprint("export", file, "outputs", "--out", tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert {row["endpoint"] for row in rows} == {f"lab ({', '.join(sorted(urls))})"}


@pytest.mark.soak
def test_a_run_that_nobody_answers_ends_within_seconds_in_one_sentence_and_can_be_resumed(tmp_path: Path):
    file = letters(tmp_path / "study.biasprint")
    with BadServer(lambda _: good()) as gone:
        biasprint("endpoints", "add", "lab", "--url", gone.url)
    write = ("generate", file, "--study", "letters", "--backend", "openai_compatible", "--model", "small")
    began = time.monotonic()
    said = refused(*write, "--endpoint", "lab", code=1, says="The endpoint “lab” does not answer, 5 tries in a row.")
    assert time.monotonic() - began < 30.0  # 120 letters in turn took a minute and a half
    assert "it goes on where it stopped" in said
    assert outputs_of(file) == {}
    with BadServer(lambda _: good(), port=gone.port):
        done = biasprint(*write, "--endpoint", "lab", "--json").json
    assert (done["done"], done["failed"]) == (120, 0)


@pytest.mark.skipif(os.name == "nt", reason="kill −9 is POSIX's")
@pytest.mark.soak
def test_killed_while_several_addresses_write_no_text_is_lost_or_twice(tmp_path: Path):
    file = tmp_path / "study.biasprint"
    biasprint("new", file, "--study", "letters")
    limits = (3, 5)
    asked_for: Counter[tuple[str, int]] = Counter()

    def script(asked: Asked) -> Answer:
        if asked.prompt:
            asked_for[asked.prompt, asked.body["seed"]] += 1
        return good(f"{asked.prompt} {asked.body.get('seed')}", wait=0.05)

    with BadServer(script) as first, BadServer(script) as second:
        urls = ("--url", first.url, "--url", second.url)
        biasprint("endpoints", "add", "lab", *urls, "--concurrency", limits[0], "--concurrency", limits[1])
        write = ("generate", file, "--study", "letters", "--backend", "openai_compatible", "--model", "small",
                 "--endpoint", "lab")  # fmt: skip
        process = start(write, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        until(lambda: len(asked_for) > 40)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        until(lambda: not first.at_once and not second.at_once)
        before = outputs_of(file)
        done = biasprint(*write, "--json").json
    after = outputs_of(file)
    assert before.items() <= after.items()
    assert 0 < len(before) < len(after) == done["done"] == done["wanted"]
    assert len({text for text, _, _ in after.values()}) == len(asked_for)
    assert sum(times - 1 for times in asked_for.values()) <= sum(limits) + WAITING
    assert (first.most_at_once, second.most_at_once) == limits


def until(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + 60.0
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.005)
