"""The test of an endpoint: does it answer, does it take the key, which models has it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from biasprint.core.backends.openai_compatible.failures import Clock, Trouble, with_retries
from biasprint.core.backends.openai_compatible.settings import EndpointSettings, mode_at, shown_models, why_not
from biasprint.core.backends.protocol import Request
from biasprint.core.errors import AppError
from biasprint.core.machine.endpoints import Endpoint
from biasprint.core.machine.endpoints import endpoint as kept_endpoint
from biasprint.core.machine.keys import key_for
from biasprint.core.machine.offline import require_connection

if TYPE_CHECKING:
    from biasprint.core.backends.openai_compatible.asking import Asker

Result = TypeVar("Result")
LONGEST_SECONDS = 30.0
_TOKENS = 16
_PROMPT = "Write one word."


@dataclass(frozen=True)
class EndpointTest:
    """Result of a test. `sentence` is for the person; `models` is empty where the endpoint lists none."""

    ok: bool
    sentence: str
    models: tuple[str, ...] = ()
    seconds: float | None = None


def test_endpoint(endpoint: Endpoint | str, model: str) -> EndpointTest:
    """Ask an endpoint for its models and for one short text, each once and not again, at each of its addresses.

    `endpoint` is a kept one's name, or one that is not kept yet. Where `model` is empty, its first is taken. `seconds`
    is how long the text took. To be called where models run: it loads the openai package. Raises nothing that a person
    can meet: what is wrong is the sentence.
    """
    try:
        return _tested(kept_endpoint(endpoint) if isinstance(endpoint, str) else endpoint, model)
    except AppError as error:
        return EndpointTest(False, str(error))


test_endpoint.__test__ = False  # type: ignore[attr-defined]  # its name is no test's


def _tested(endpoint: Endpoint, model: str) -> EndpointTest:
    if reason := why_not():
        return EndpointTest(False, reason)
    endpoint.require_safe()
    require_connection(f"the endpoint “{endpoint.name}”")
    short = replace(endpoint, retries=0, deadline_seconds=min(endpoint.deadline_seconds, LONGEST_SECONDS))
    return asyncio.run(_asked_each(short, model.strip()))


async def _asked_each(endpoint: Endpoint, model: str) -> EndpointTest:
    """One test of all addresses: of each its sentence, and of the models those that every address has."""
    tests: list[EndpointTest] = []
    for address in endpoint.addresses:
        tested = await _asked(endpoint.at(address), model, key_for(endpoint.name, address.base_url))
        model = model or next(iter(tested.models), "")
        tests.append(tested if len(endpoint.addresses) == 1 else _of_several(tested, endpoint.at(address), model))
    models = tuple(name for name in tests[0].models if all(name in test.models for test in tests))
    seconds = [test.seconds for test in tests if test.seconds is not None]
    sentence = " ".join(test.sentence for test in tests)
    return EndpointTest(all(test.ok for test in tests), sentence, models, max(seconds, default=None))


def _of_several(tested: EndpointTest, endpoint: Endpoint, model: str) -> EndpointTest:
    """Return the test as a run takes it, which leaves an address out that lists other models."""
    where = f"{endpoint.base_url}: "
    if tested.ok and tested.models and not EndpointSettings(endpoint, model).is_among(tested.models):
        return replace(tested, ok=False, sentence=f"{where}it lists {shown_models(tested.models)} and not “{model}”.")
    return replace(tested, sentence=where + tested.sentence)


async def _asked(endpoint: Endpoint, model: str, key: str | None) -> EndpointTest:
    from biasprint.core.backends.openai_compatible.asking import Asker

    models: tuple[str, ...] = ()
    mode = mode_at(endpoint)
    asker = Asker(EndpointSettings(endpoint, model or "any", mode=mode), key)
    try:
        models, unlisted = await _listed(asker, endpoint)
        if not model and not models:
            return EndpointTest(False, unlisted or "The endpoint lists no models; name the one to ask.")
        chosen = model or models[0]
    finally:
        await asker.close()
    asker = Asker(EndpointSettings(endpoint, chosen, mode=mode), key)
    started = time.perf_counter()
    try:
        await _once(endpoint, lambda: _short_text(asker))
    except Trouble as trouble:
        return EndpointTest(False, trouble.sentence, models)
    finally:
        await asker.close()
    seconds = time.perf_counter() - started
    known = f"; it lists {len(models)} model{'s' if len(models) > 1 else ''}" if models else ""
    return EndpointTest(True, f"“{chosen}” answers in {seconds:.1f} seconds{known}.", models, seconds)


async def _listed(asker: "Asker", endpoint: Endpoint) -> tuple[tuple[str, ...], str]:
    """The models, and why there are none. Some servers list none and answer all the same."""
    try:
        return await _once(endpoint, asker.models), ""
    except Trouble as trouble:
        return (), trouble.sentence


async def _short_text(asker: "Asker") -> None:
    from biasprint.core.backends.openai_compatible.asking import Wanted

    reply = await asker.ask(Wanted(Request("test", _PROMPT, seed=1, max_tokens=_TOKENS), lambda _: None))
    if reply.finish != "length":  # a model that thinks first may have no words left, and still it answered
        reply.finished()


async def _once(endpoint: Endpoint, attempt: Callable[[], Awaitable[Result]]) -> Result:
    return await with_retries(attempt, retries=0, deadline_seconds=endpoint.deadline_seconds, clock=Clock())
