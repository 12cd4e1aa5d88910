"""Ray as a plug-in: what is refused before a cluster is connected."""

import pytest

from biasprint.core.cluster import _connected
from biasprint.core.errors import AppError, UsageError


def test_addresses_that_are_none_and_a_switch_that_is_on_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="Ray is not installed (extra cluster)")
    monkeypatch.setenv("BIASPRINT_OFFLINE", "1")
    with pytest.raises(AppError, match="offline switch is on"):
        _connected("10.0.0.1:6379")
    monkeypatch.delenv("BIASPRINT_OFFLINE")
    for address in ("nowhere", "ray://host:1", "host:0", "host:99999", ":1"):
        with pytest.raises(UsageError, match="is no address of a cluster"):
            _connected(address)
    with pytest.raises(AppError, match=r"No Ray cluster answers at 127\.0\.0\.1:1 "):
        _connected("127.0.0.1:1")


def test_without_ray_what_to_install_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biasprint.core.cluster.find_spec", lambda name: None)
    with pytest.raises(AppError, match="not installed") as told:
        _connected("local")
    assert "biasprint[cluster]" in told.value.hint
