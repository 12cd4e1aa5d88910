"""What pip says, in its own words as it said them here, and the reason that a person is told."""

import pytest

from biasprint.core.machine.installation import pip

RETRYING = "WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by '{}': /simple/alpha/"
NOT_FOUND = "ERROR: No matching distribution found for alpha==1.0"
CONNECTION = "<pip._vendor.urllib3.connection.HTTPConnection object at 0x7f2c>"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PIP_PROXY", *(f"{kind}_proxy" for kind in ("http", "https", "all"))):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("broken_by", "kind"),
    [
        (f"ProxyError('Cannot connect to proxy.', NewConnectionError('{CONNECTION}: [Errno 111] Refused'))", "proxy"),
        (f"NewConnectionError('{CONNECTION}: Failed to establish a new connection: [Errno 111] Refused')", "network"),
        ("ReadTimeoutError(\"HTTPConnectionPool(host='127.0.0.1', port=9): Read timed out.\")", "network"),
        ("ProtocolError('Connection aborted.', RemoteDisconnected('closed'))", "network"),
    ],
)
def test_a_connection_that_pip_tries_again_is_told_by_what_broke_it(broken_by: str, kind: str) -> None:
    """pip goes on to say that there is no such package, because it saw none."""
    assert pip.trouble(f"{RETRYING.format(broken_by)}\n{NOT_FOUND}").kind == kind


@pytest.mark.parametrize("set_by", ["PIP_PROXY", "HTTPS_PROXY"])
def test_a_proxy_that_pip_does_not_name_is_named(monkeypatch: pytest.MonkeyPatch, set_by: str) -> None:
    """As pip 26 says it: the host is the proxy's, and nothing else tells that it is one."""
    refused = "NewConnectionError(\"HTTPSConnection(host='127.0.0.1', port=9): Failed to establish a new connection\")"
    monkeypatch.setenv(set_by, "http://127.0.0.1:9")
    told = pip.trouble(f"{RETRYING.format(refused)}\n{NOT_FOUND}")
    assert (told.kind, told.stops) == ("proxy", True)
    assert "through the proxy" in told.why


def test_a_download_that_ends_early_was_cut_short() -> None:
    said = "ERROR: ('Connection broken: IncompleteRead(512 bytes read, 512 more expected)')"
    assert pip.trouble(said).kind == "cut short"


def test_an_index_without_the_package_lacks_it() -> None:
    assert pip.trouble(NOT_FOUND).kind == "missing"


@pytest.mark.parametrize(
    "said",
    [
        "ERROR: No matching distribution found for torch==2.13.0",
        "some packages in these conflicts have no matching distributions available for your environment:\n    torch\n",
    ],
)
def test_a_mac_with_an_intel_processor_is_told_that_pytorch_is_no_longer_made_for_it(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Macs" not in pip.trouble(said).why
    monkeypatch.setattr(pip, "is_intel_mac", lambda: True)
    told = pip.trouble(said)
    assert told.why == "PyTorch is no longer made for Macs with Intel processors"
    assert "run.py --light" in told.hint
    assert pip.trouble(NOT_FOUND).why != told.why
