"""What pip says, in its own words as it said them here, and the reason that a person is told."""

import pytest

from core.machine.installation import pip

RETRYING = "WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by '{}': /simple/alpha/"
NOT_FOUND = "ERROR: No matching distribution found for alpha==1.0"
CONNECTION = "<pip._vendor.urllib3.connection.HTTPConnection object at 0x7f2c>"


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


def test_a_download_that_ends_early_was_cut_short() -> None:
    said = "ERROR: ('Connection broken: IncompleteRead(512 bytes read, 512 more expected)')"
    assert pip.trouble(said).kind == "cut short"


def test_an_index_without_the_package_lacks_it() -> None:
    assert pip.trouble(NOT_FOUND).kind == "missing"
