"""Keys: the key ring where there is one, this session where there is none."""

import subprocess
import sys
from pathlib import Path

import bad_server  # noqa: F401  no test touches a real key ring
import keyring
import keyring.backend
import keyring.backends.fail
import pytest
from keyring.backends.chainer import ChainerBackend
from keyring.errors import KeyringError, NoKeyringError

from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine import keys
from biasprint.core.machine.endpoints import endpoint_of, save
from biasprint.core.machine.storage import home

CANARY = "sk-canary-0123456789abcdef"


class Ring(keyring.backend.KeyringBackend):
    """A key ring in memory."""

    priority = 1

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.held[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.held[service, username]


class Broken(Ring):
    """A ring that fails, and says the key while doing so."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringError(f"locked: {CANARY}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NoKeyringError(f"cannot keep {password}")


class Stuck(Ring):
    def delete_password(self, service: str, username: str) -> None:
        raise KeyringError(f"will not let go of {self.held[service, username]}")


class PlainFile(Ring):
    """As the rings that write ordinary files."""

    __module__ = "keyrings.alt.file"


@pytest.fixture(autouse=True)
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_session", {})
    monkeypatch.delenv(keys.ENVIRONMENT, raising=False)


def use(monkeypatch: pytest.MonkeyPatch, ring: object) -> None:
    monkeypatch.setattr(keys, "_chosen_ring", lambda: ring)


def test_a_key_goes_into_the_ring_and_is_there_in_the_next_session(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring()
    use(monkeypatch, ring)
    assert keys.keep("lab", f"  {CANARY}\n") == "key ring"
    assert ring.held == {("biasprint", "lab"): CANARY}
    keys.use_session_keys({})
    assert keys.key_for("lab") == CANARY
    assert keys.key_for("other") is None


def test_forgetting_empties_ring_and_session(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring()
    use(monkeypatch, ring)
    keys.keep("lab", CANARY)
    keys.forget("lab")
    assert keys.key_for("lab") is None
    assert not ring.held
    keys.forget("lab")  # nothing to forget is no error


@pytest.mark.parametrize(
    "ring", [keyring.backends.fail.Keyring(), Broken(), PlainFile()], ids=["none", "broken", "file"]
)
def test_without_a_ring_that_can_be_trusted_the_session_keeps_it(monkeypatch: pytest.MonkeyPatch, ring: Ring) -> None:
    use(monkeypatch, ring)
    assert keys.keep("lab", CANARY) == "session"
    assert keys.key_for("lab") == CANARY
    assert "until the program closes" in keys.WHERE["session"]
    keys.forget("lab")
    assert keys.key_for("lab") is None
    assert not getattr(ring, "held", {})


def test_among_several_rings_the_plain_file_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    good, plain = Ring(), PlainFile()

    class Chain(ChainerBackend):
        backends = [plain, good]

    use(monkeypatch, Chain())
    assert keys.keep("lab", CANARY) == "key ring"
    assert good.held
    assert not plain.held


def test_a_ring_that_holds_on_to_a_key_is_named_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Stuck())
    keys.keep("lab", CANARY)
    with pytest.raises(AppError, match="did not let go") as raised:
        keys.forget("lab")
    assert CANARY not in str(raised.value) + raised.value.details
    assert raised.value.__suppress_context__


def test_the_session_stands_above_the_environment_and_that_above_the_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring()
    ring.set_password("biasprint", "lab", "of-the-ring")
    use(monkeypatch, ring)
    assert keys.key_for("lab") == "of-the-ring"
    monkeypatch.setenv(keys.ENVIRONMENT, "of-the-environment")
    assert keys.key_for("lab") == "of-the-environment"
    keys.use_session_keys({"lab": "of-the-session"})
    assert keys.key_for("lab") == "of-the-session"
    assert keys.session_keys() == {"lab": "of-the-session"}


@pytest.mark.parametrize("wrong", ["", "  ", "two words", "line\nbreak", "tab\tbed", "schlüssel", "nul\0"])
def test_what_no_header_can_carry_is_no_key(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    with pytest.raises(UsageError, match="cannot be a key") as raised:
        keys.keep("lab", wrong)
    if wrong.strip():
        assert wrong not in str(raised.value) + raised.value.details
        monkeypatch.setenv(keys.ENVIRONMENT, wrong.replace("\0", "\x01"))
        with pytest.raises(UsageError):
            keys.key_for("lab")


def test_no_file_is_written_for_a_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "program"))
    use(monkeypatch, keyring.backends.fail.Keyring())
    keys.keep("lab", CANARY)
    assert list(home().rglob("*")) == []


def test_keyring_is_imported_only_when_a_key_is_asked_for() -> None:
    script = (
        "import sys, biasprint.core.machine.keys, biasprint.core.backends.openai_compatible\n"
        "print('keyring' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# ---- Several addresses

ADDRESSES = ("https://a.example.org/v1", "https://b.example.org/v1")


def test_one_key_serves_every_address_and_several_one_each(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring()
    use(monkeypatch, ring)
    assert keys.keep_all("lab", ADDRESSES, " sk-all ") == "key ring"
    assert [keys.key_for("lab", address) for address in ADDRESSES] == ["sk-all"] * 2
    keys.keep_all("lab", ADDRESSES, "sk-a  sk-b")
    assert [keys.key_for("lab", address) for address in ADDRESSES] == ["sk-a", "sk-b"]
    assert keys.key_for("lab") is None  # what was for all is no longer kept
    keys.use_session_keys({})
    assert [keys.key_for("lab", address) for address in ADDRESSES] == ["sk-a", "sk-b"]
    keys.use_session_keys({"lab": "sk-now"})
    assert [keys.key_for("lab", address) for address in ADDRESSES] == ["sk-now"] * 2
    keys.forget_all("lab", ADDRESSES)
    assert [keys.key_for("lab", address) for address in ADDRESSES] == [None, None]
    assert not ring.held


def test_an_address_that_an_endpoint_no_longer_has_takes_its_key_along(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring()
    use(monkeypatch, ring)
    save(endpoint_of("lab", ADDRESSES))
    keys.keep_all("lab", ADDRESSES, "sk-a sk-b")
    save(endpoint_of("lab", ADDRESSES[:1]))
    assert list(ring.held.values()) == ["sk-a"]
    assert keys.key_for("lab", ADDRESSES[1]) is None


@pytest.mark.parametrize("typed", ["sk-1 sk-2 sk-3", "sk-1 sk-2 sk-3 sk-4"])
def test_more_keys_than_addresses_are_refused_without_showing_them(typed: str) -> None:
    with pytest.raises(UsageError, match=r"^\d keys were given for the 2 addresses of “lab”") as raised:
        keys.keep_all("lab", ADDRESSES, typed)
    assert "sk-" not in str(raised.value) + raised.value.details
    assert keys.session_keys() == {}
