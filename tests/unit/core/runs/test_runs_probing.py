"""The test of an endpoint with the keys of the window's session."""

import pytest
from bad_server import BadServer, good

from biasprint.core.machine import keys
from biasprint.core.machine.endpoints import Endpoint
from biasprint.core.runs.writing import probe_endpoint


@pytest.fixture(autouse=True)
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_session", {"old": "sk-from-before"})
    monkeypatch.delenv(keys.ENVIRONMENT, raising=False)


def test_the_keys_that_are_handed_over_are_sent_and_take_the_place_of_those_before() -> None:
    with BadServer(lambda _: good()) as server:
        tested = probe_endpoint(Endpoint("lab", server.url), "small", {"lab": "sk-0123456789"})
    assert tested.ok
    assert {asked.headers["authorization"] for asked in server.requests} == {"Bearer sk-0123456789"}
    assert keys.session_keys() == {"lab": "sk-0123456789"}
    assert "sk-0123456789" not in repr(tested)


def test_without_a_key_none_is_sent() -> None:
    with BadServer(lambda _: good()) as server:
        assert probe_endpoint(Endpoint("lab", server.url), "", {}).ok
    assert all("Bearer sk-" not in asked.headers.get("authorization", "") for asked in server.requests)
