"""The test button: one sentence on whether an endpoint can be used."""

import pytest
from bad_server import Answer, Asked, BadServer, answer, error, good, trickle
from seeded_part import seeded_part

from biasprint.core.backends.openai_compatible.probe import test_endpoint as probe
from biasprint.core.compute import ComputeProcess
from biasprint.core.machine import keys, offline
from biasprint.core.machine.endpoints import Endpoint, endpoint_of, save
from biasprint.core.machine.keys import use_session_keys


def lab(server: BadServer, **more: object) -> Endpoint:
    return Endpoint("lab", server.url, **more)


def test_an_endpoint_that_answers_lists_its_models_and_is_asked_once() -> None:
    with BadServer(lambda _: good()) as server:
        save(lab(server))
        tested = probe("lab", "small")
    assert tested.ok
    assert tested.models == ("large", "small")
    assert tested.sentence.startswith("“small” answers in ")
    assert tested.sentence.endswith("it lists 2 models.")
    assert tested.seconds is not None
    assert tested.seconds > 0
    assert [asked.path for asked in server.requests] == ["/v1/models", "/v1/chat/completions"]
    assert server.requests[1].body["max_tokens"] == 16


def test_without_a_model_the_first_that_is_listed_is_asked() -> None:
    with BadServer(lambda _: good()) as server:
        assert probe(lab(server), "").sentence.startswith("“large” answers")


def test_names_of_models_that_cannot_be_names_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_session", {"lab": "sk-0123456789"})
    listed = {"data": [{"id": "fit"}, {"id": "a\nb"}, {"id": ""}, {"id": "x" * 999}, {"id": "my sk-0123456789"}, 3, {}]}
    with BadServer(lambda asked: good() if asked.body else answer("200 OK", listed)) as server:
        assert probe(lab(server), "fit").models == ("fit",)


def test_it_runs_in_another_process_with_this_sessions_keys() -> None:
    process = ComputeProcess()
    try:
        with BadServer(lambda _: good()) as server:
            process.call(use_session_keys, {"lab": "sk-0123456789"})
            tested = process.call(probe, lab(server), "small")
    finally:
        process.close()
    assert tested.ok
    assert {asked.headers["authorization"] for asked in server.requests} == {"Bearer sk-0123456789"}


def only_texts(answers: Answer):
    return lambda asked: answers if asked.path.endswith("/models") else good()


def test_a_server_that_lists_no_models_can_be_used_by_a_models_name() -> None:
    with BadServer(only_texts(error("404 Not Found", "no such route"))) as server:
        assert probe(lab(server), "small").ok
        unnamed = probe(lab(server), "")
    assert not unnamed.ok
    assert "404" in unnamed.sentence


def test_a_model_that_only_thinks_in_so_few_tokens_still_answers() -> None:
    with BadServer(lambda asked: good("", finish="length") if asked.body else good()) as server:
        assert probe(lab(server), "small").ok


@pytest.mark.parametrize(
    ("wrong", "words"),
    seeded_part(
        [
            (error("401 Unauthorized", "bad key"), "did not accept the key"),
            (error("404 Not Found", "The model `x` does not exist", "model_not_found"), "does not know this model"),
            (answer("200 OK", b"<html>", Content_Type="text/html"), "web page"),
            (answer("302 Found", b"", Location="http://127.0.0.1:1/"), "sent the request elsewhere"),
            (answer("200 OK", {"hello": 1}), "not the promised form"),
            (trickle, "No complete reply within 0.5 seconds"),
        ],
        3,
    ),
)
def test_what_is_wrong_is_one_sentence_and_is_not_tried_again(
    wrong: Answer, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "_session", {"lab": "sk-wrong-key"})

    def script(asked: Asked) -> Answer:
        return good() if asked.path.endswith("/models") else wrong

    with BadServer(script) as server:
        tested = probe(lab(server, retries=5, deadline_seconds=0.5 if wrong is trickle else 20.0), "x")
    assert not tested.ok
    assert words in tested.sentence
    assert "\n" not in tested.sentence
    assert tested.models == ("large", "small")
    assert len(server.requests) == 2


def test_unreachable_unknown_offline_and_plain_http_are_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Nothing answers" in probe(Endpoint("lab", "http://127.0.0.1:1/v1"), "small").sentence
    assert "no endpoint “nowhere”" in probe("nowhere", "small").sentence
    assert "plain http" in probe(Endpoint("lab", "http://lab.example.org/v1"), "small").sentence
    monkeypatch.setenv(offline.VARIABLE, "1")
    assert "offline switch" in probe(Endpoint("lab", "http://127.0.0.1:1/v1"), "small").sentence


def test_each_address_is_tested_and_named_and_one_that_lists_other_models_fails_the_test() -> None:
    others = answer("200 OK", {"data": [{"id": "huge"}]})
    with (
        BadServer(lambda _: good()) as first,
        BadServer(lambda _: good()) as second,
        BadServer(lambda asked: good() if asked.body else others) as stranger,
    ):
        both = probe(endpoint_of("lab", [first.url, second.url]), "")
        assert both.ok
        assert both.models == ("large", "small")
        assert f"{first.url}: “large” answers" in both.sentence
        assert f"{second.url}: “large” answers" in both.sentence
        tested = probe(endpoint_of("lab", [first.url, stranger.url]), "small")
    assert not tested.ok
    assert tested.models == ()
    assert tested.sentence.endswith(f"{stranger.url}: it lists “huge” and not “small”.")
