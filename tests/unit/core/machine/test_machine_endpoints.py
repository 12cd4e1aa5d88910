"""Endpoints and prices as this computer keeps them."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine.endpoints import (
    FILE,
    Address,
    Endpoint,
    Price,
    checked_address,
    cost,
    endpoint,
    endpoint_of,
    endpoints,
    estimate,
    is_loopback,
    remove,
    rough_tokens,
    save,
)
from biasprint.core.machine.storage import home

EUROS = Price(2.0, 8.0, "EUR")


def test_what_is_saved_comes_back_the_same() -> None:
    lab = Endpoint("lab", "http://127.0.0.1:8080/v1", 16, 30.0, 2, False, {"small": EUROS})
    hosted = Endpoint("hosted", "https://api.example.org/v1")
    save(lab)
    save(hosted)
    assert endpoints() == [hosted, lab]
    assert endpoint("lab") == lab
    remove("lab")
    assert endpoints() == [hosted]


def test_saving_again_replaces() -> None:
    save(Endpoint("lab", "http://127.0.0.1:8080/v1"))
    save(Endpoint("lab", "http://127.0.0.1:9090/v1", concurrency=2))
    assert [(one.base_url, one.concurrency) for one in endpoints()] == [("http://127.0.0.1:9090/v1", 2)]


def test_two_windows_that_save_at_once_lose_nothing() -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: save(Endpoint(f"lab {n}", "http://127.0.0.1:1/v1")), range(16)))
    assert len(endpoints()) == 16


def test_none_are_there_at_first_and_no_prices_are_invented() -> None:
    assert endpoints() == []
    assert Endpoint("lab", "http://127.0.0.1:8080/v1").prices == {}


def test_an_unknown_name_is_refused_naming_the_known() -> None:
    save(Endpoint("lab", "http://127.0.0.1:8080/v1"))
    with pytest.raises(UsageError, match=r"no endpoint “hosted”.*There are: lab"):
        endpoint("hosted")


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"endpoints": 3}', '{"endpoints": [{"name": "x"}]}', '{"endpoints": [{"colour": 1}]}']
)
def test_a_damaged_file_is_said_and_left_as_it_is(text: str) -> None:
    path = home() / FILE
    path.write_text(text, "utf-8")
    with pytest.raises(AppError, match="cannot be read"):
        endpoints()
    with pytest.raises(AppError, match="cannot be read"):
        save(Endpoint("lab", "http://127.0.0.1:8080/v1"))
    assert path.read_text("utf-8") == text


def test_plain_http_is_confirmed_by_nothing_but_the_word(monkeypatch: pytest.MonkeyPatch) -> None:
    save(Endpoint("lab", "http://lab.example.org/v1"))
    stored = json.loads((home() / FILE).read_text("utf-8"))
    stored["endpoints"][0]["plain_http_confirmed"] = "false"
    (home() / FILE).write_text(json.dumps(stored), "utf-8")
    with pytest.raises(AppError, match="plain http"):
        endpoint("lab").require_safe()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://api.example.org/v1", "https://api.example.org/v1"),
        (" https://api.example.org/v1/ ", "https://api.example.org/v1"),
        ("https://api.example.org/v1/chat/completions", "https://api.example.org/v1"),
        ("HTTPS://API.example.org", "https://api.example.org"),
        ("http://[::1]:11434/v1", "http://[::1]:11434/v1"),
        ("http://localhost:1234/v1/models", "http://localhost:1234/v1"),
    ],
)
def test_an_address_has_one_spelling(given: str, kept: str) -> None:
    assert checked_address(given) == kept


@pytest.mark.parametrize(
    "given",
    ["", "api.example.org", "ftp://host/v1", "https://", "http://host:99999/v1", "file:///etc/passwd", "http://a b/v1"],
)
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="not the address"):
        Endpoint("lab", given)


@pytest.mark.parametrize(
    "given", ["https://user:sk-1@host/v1", "https://host/v1?api-key=sk-1", "https://host/v1#sk-1", "https://sk-1@host"]
)
def test_an_address_carries_no_secret(given: str) -> None:
    with pytest.raises(UsageError, match="more than an address") as raised:
        Endpoint("lab", given)
    assert "sk-1" not in str(raised.value) + raised.value.details


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("localhost.example.org", False),
        ("127.0.0.1.example.org", False),
        ("192.168.0.5", False),
        ("::ffff:8.8.8.8", False),
    ],
)
def test_only_this_computer_is_loopback(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_plain_http_leaves_this_computer_only_when_confirmed() -> None:
    Endpoint("lab", "http://127.0.0.1:1/v1").require_safe()
    Endpoint("lab", "https://lab.example.org/v1").require_safe()
    Endpoint("lab", "http://lab.example.org/v1", plain_http_confirmed=True).require_safe()
    with pytest.raises(AppError, match=r"plain http.*https address"):
        Endpoint("lab", "http://lab.example.org/v1").require_safe()


@pytest.mark.parametrize(
    "wrong",
    [
        {"concurrency": 0},
        {"concurrency": 257},
        {"concurrency": 1.5},
        {"concurrency": True},
        {"deadline_seconds": 0},
        {"deadline_seconds": float("nan")},
        {"retries": -1},
        {"retries": 11},
        {"name": ""},
        {"name": "a\nb"},
        {"name": "x" * 61},
    ],
)
def test_impossible_limits_and_names_are_refused(wrong: dict) -> None:
    with pytest.raises(UsageError):
        Endpoint(**{"name": "lab", "base_url": "http://127.0.0.1:1/v1"} | wrong)


def test_cost_is_tokens_by_the_million_and_says_what_it_leaves_out() -> None:
    # By hand: 1,500 × 2 / 1,000,000 + 300 × 8 / 1,000,000 = 0.003 + 0.0024.
    usages = [{"prompt": 1000, "completion": 200, "cached": 900}, {"prompt": 500, "completion": 100}, {}, {"prompt": 5}]
    spent = cost(usages, EUROS)
    assert spent.amount == pytest.approx(0.0054)
    assert (spent.currency, spent.counted, spent.uncounted) == ("EUR", 2, 2)


def test_an_estimate_is_at_most_and_says_that_it_is_one() -> None:
    # By hand: two prompts of 40 Latin characters are 10 tokens each; 20 × 2 + 2 × 500 × 8 by the million.
    rough = estimate(["a" * 40, "b" * 40], 500, EUROS)
    assert (rough.prompt_tokens, rough.completion_tokens, rough.reason) == (20, 1000, "")
    assert rough.amount == pytest.approx(0.00804)
    assert "rough count" in rough.how


def test_without_a_limit_or_a_price_nothing_is_made_up() -> None:
    unlimited = estimate(["word"], None, EUROS)
    assert unlimited.completion_tokens is None
    assert unlimited.amount is None
    assert "no limit" in unlimited.reason
    unpriced = estimate(["word"], 100, None)
    assert (unpriced.completion_tokens, unpriced.amount) == (100, None)
    assert "no price" in unpriced.reason


def test_other_scripts_count_a_token_a_sign() -> None:
    assert rough_tokens("") == 0
    assert rough_tokens("abcde") == 2
    assert rough_tokens("星の詩") == 3


@pytest.mark.parametrize(
    "wrong", [(-1, 2, "EUR"), (float("inf"), 2, "EUR"), (1, 2, "euro"), ("1", 2, "EUR"), (1, 2, 3)]
)
def test_what_is_no_price_is_refused(wrong: tuple) -> None:
    with pytest.raises(UsageError):
        Price(*wrong)


# ---- Several addresses

HERE, THERE = "http://127.0.0.1:8080/v1", "http://127.0.0.1:9090/v1"


def test_an_endpoint_of_several_addresses_comes_back_the_same() -> None:
    both = endpoint_of("both", [HERE, f"{THERE}/chat/completions"], [4, 16], retries=2)
    save(both)
    assert endpoint("both") == both
    assert both.addresses == (Address(HERE, 4), Address(THERE, 16))
    assert both.at_once == 20
    assert both.at(Address(THERE, 16)) == Endpoint("both", THERE, 16, retries=2)


def test_one_limit_is_every_addresses_and_without_one_they_have_the_default() -> None:
    assert [one.concurrency for one in endpoint_of("lab", [HERE, THERE], [3]).addresses] == [3, 3]
    assert [one.concurrency for one in endpoint_of("lab", [HERE, THERE]).addresses] == [8, 8]
    assert endpoint_of("lab", [HERE]) == Endpoint("lab", HERE)


def test_the_file_of_endpoints_with_one_address_is_one_that_earlier_versions_read() -> None:
    save(Endpoint("lab", HERE))
    (entry,) = json.loads((home() / FILE).read_text("utf-8"))["endpoints"]
    assert set(entry) == {
        "name", "base_url", "concurrency", "deadline_seconds", "retries", "plain_http_confirmed", "prices",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("urls", "limits", "says"),
    [
        ([HERE, "http://127.0.0.1:8080/v1/models"], [], f"has the address {HERE} twice"),
        (["http://lab.example.org/v1", "http://lab.example.org:80/v1"], [], "twice"),
        ([HERE, "there"], [], "not the address of an endpoint"),
        ([HERE, "https://me:sk-1@host/v1"], [], "holds more than an address"),
        ([HERE, THERE], [4, 0], "concurrency cannot be 0"),
        ([HERE, THERE], [4, 5, 6], "3 limits were given for 2 addresses"),
        ([HERE], [4, 5], "2 limits were given for 1 address."),
        ([f"http://127.0.0.1:{port}/v1" for port in range(1, 66)], [], "at most 64 addresses"),
    ],
)
def test_addresses_and_limits_that_cannot_be_are_refused(urls: list[str], limits: list[int], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        endpoint_of("lab", urls, limits)


def test_plain_http_is_asked_about_at_every_address() -> None:
    with pytest.raises(AppError, match="plain http"):
        endpoint_of("lab", [HERE, "http://lab.example.org/v1"]).require_safe()
    endpoint_of("lab", [HERE, "http://lab.example.org/v1"], plain_http_confirmed=True).require_safe()
