import importlib
from collections.abc import Callable
from importlib.util import find_spec
from itertools import product
from types import SimpleNamespace

import pytest

from biasprint.core.backends import registry
from biasprint.core.backends.protocol import Backend, BackendInfo, Capabilities, output_seed
from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine import installation
from biasprint.core.machine.installation import state

SCRIPTED = BackendInfo("scripted", "Scripted", "for this test", ("m",), Capabilities(False, False, False, True, True))


# printf '1\x1f0\x1fcogs/haiku/stars/default' | sha256sum gives 9cef8cbd986f8cad…; its first 64 bits without the last.
SEED_BY_HAND = 0x9CEF8CBD986F8CAD >> 1


class FakePoint:
    """An installed plug-in's entry point."""

    def __init__(self, name: str, load: Callable[[], object]) -> None:
        self.name = name
        self.load = load


def install(monkeypatch: pytest.MonkeyPatch, *points: FakePoint) -> None:
    def entry_points(group: str) -> list[FakePoint]:
        assert group == "biasprint.backends"
        return list(points)

    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_the_synthetic_author_is_there_and_says_that_it_is_no_language_model() -> None:
    info = next(each for each in registry.known() if each.name == "synthetic")
    assert info.models == ("none", "small", "medium", "large")
    assert not info.capabilities.is_language_model
    assert info.description.startswith("Not a language model")
    assert info.capabilities.offline
    assert not info.unavailable


@pytest.mark.parametrize("model", ["none", "small", "medium", "large"])
def test_each_setting_opens_and_describes_itself(model: str) -> None:
    backend = registry.open_backend("synthetic", model)
    assert isinstance(backend, Backend)
    info = backend.describe()
    assert (info.backend, info.model) == ("synthetic", model)
    assert info.revision
    backend.close()


def test_what_is_unknown_is_refused_naming_what_there_is() -> None:
    with pytest.raises(UsageError, match="synthetic"):
        registry.open_backend("nothing", "m")
    with pytest.raises(UsageError, match="none, small, medium, large"):
        registry.open_backend("synthetic", "huge")
    with pytest.raises(UsageError, match="no parameter “colour”"):
        registry.open_backend("synthetic", "none", {"temperature": 0.2, "colour": "red"})


def test_a_plug_in_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str, object]] = []

    def open_scripted(model: str, parameters: object) -> str:
        opened.append((model, parameters))
        return "a backend"

    install(monkeypatch, FakePoint("scripted", lambda: SimpleNamespace(INFO=SCRIPTED, open=open_scripted)))
    assert [info.name for info in registry.known()] == [*registry.OWN, "scripted"]
    assert registry.open_backend("scripted", "m", {"a": 1}) == "a backend"
    assert opened == [("m", {"a": 1})]


def test_a_broken_plug_in_is_shown_as_such_and_spoils_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> object:
        raise ImportError("no module named x")

    install(monkeypatch, FakePoint("broken", broken), FakePoint("wrong", lambda: SimpleNamespace(INFO="hello")))
    by_name = {info.name: info for info in registry.known()}
    assert not by_name["synthetic"].unavailable
    assert "no module named x" in by_name["broken"].unavailable
    assert by_name["wrong"].unavailable
    with pytest.raises(AppError, match="no module named x"):
        registry.open_backend("broken", "m")


def test_a_plug_in_cannot_take_the_programs_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FakePoint("synthetic", lambda: SimpleNamespace(INFO=SCRIPTED)))
    assert [info.name for info in registry.known()] == list(registry.OWN)
    assert registry.known()[0].title == "Synthetic author"


def test_a_seed_is_the_first_63_bits_of_sha256() -> None:
    assert output_seed(1, "cogs/haiku/stars/default", 0) == SEED_BY_HAND
    assert output_seed(1, "cogs/haiku/stars/default", 1) != SEED_BY_HAND
    assert output_seed(2, "cogs/haiku/stars/default", 0) != SEED_BY_HAND


def test_seeds_fit_in_63_bits_and_do_not_collide() -> None:
    every = product((0, 2**63 - 1), range(500), (0, 1))
    seeds = {output_seed(run, f"key/{number}", sample) for run, number, sample in every}
    assert len(seeds) == 2000
    assert all(0 <= seed < 2**63 for seed in seeds)


@pytest.mark.parametrize(
    ("name", "package"), [("transformers", "torch"), ("transformers", "transformers"), ("openai_compatible", "openai")]
)
def test_what_a_part_of_the_program_brings_can_be_used_as_soon_as_it_is_there(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str
) -> None:
    place = importlib.import_module(f"{registry.OWN[name]}.{'options' if name == 'transformers' else 'settings'}")

    def without(module: str) -> object:
        return None if module == package else find_spec(module)

    with monkeypatch.context() as patch:
        patch.setattr(place, "find_spec", without)
        patch.setattr(state, "status", lambda part: (installation.PartState(part, "waiting", ""),))
        patch.setattr(state, "is_under_way", lambda: False)  # another test may hold this environment's lock
        said = next(info for info in registry.known() if info.name == name).unavailable
        assert said.startswith(
            "This needs “Scorers that are models”, a part of the program that is not installed yet. Install it by"
        )
        patch.setattr(state, "status", lambda part: ())  # a plug-in's or an old installation, of which nothing is known
        assert f"pip install {package}" in next(info for info in registry.known() if info.name == name).unavailable
        with pytest.raises(AppError, match=f"pip install {package}"):
            registry.open_backend(name, "any", {})
    assert next(info for info in registry.known() if info.name == name).unavailable == ""
