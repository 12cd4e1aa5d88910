"""Judging by a model: every comparison of a plan is asked in every order of its cards, and every reply is kept.

A judgment is stored for each reply as it comes. Killed at any point, the next start asks only for what is missing; as
the seed of a request depends on nothing but the session's seed, the texts and their order, that gives the same.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from core.backends.protocol import Request
from core.backends.registry import known
from core.compute import ComputeProcess
from core.errors import AppError
from core.jobs import JobContext
from core.judging.wording import Wording, shipped_wording
from core.project.project import Project
from core.project.specs import GeneratorSpec
from core.runs.asking import Hope, ask_all, sampling
from core.runs.judge_result import JudgeResult, judge_result
from core.runs.judge_session import Ask, ModelSession
from core.runs.writing import Live, Written

MEND = "Mend it, then judge again: what failed is asked again."
AT_ONCE = 200  # requests that cross to the model process together: each carries two or three texts


def judge(
    ctx: JobContext,
    project: Project,
    plan_id: str,
    generator: GeneratorSpec,
    compute: ComputeProcess,
    keys: Mapping[str, str] | None = None,
    *,
    seed: int = 0,
    finish: bool = False,
    opens: str = "",
) -> JudgeResult:
    """Have a generator judge a plan, as a rater of kind “model” with a session of its own.

    generator: as `core.runs.setup.generator_spec` describes it. opens: the model as it was given, where that is a path:
    the recipe keeps the file's name alone. keys: endpoints' keys that this session alone knows.
    The session is closed, so that measures count it, once every order of every comparison has a reply. Requests that
    failed in passing keep it open and are made again at the next start; `finish` closes it without them. Hidden
    repeats are not asked: what they would tell is told by the orders.
    Raises AppError where the backend is no language model, cannot be used, fails by key or model with every request, or
    where the project cannot be written to.
    """
    refuse_what_cannot_judge(generator.backend)
    session = ModelSession.open(project, plan_id, generator, seed)
    if not session.closed:
        opened = generator.model_copy(update={"model": opens or generator.model})
        _Asking(ctx, project, session, opened, shipped_wording(), compute, dict(keys or {})).all()
        session.close(although_failed=finish)
    return judge_result(session)


def refuse_what_cannot_judge(backend: str) -> None:
    """Raise AppError for a backend that is known and is no language model, such as the synthetic author."""
    for info in known():
        if info.name == backend and not info.unavailable and not info.capabilities.is_language_model:
            raise AppError(
                f"“{info.title}” is no language model and cannot judge.",
                kept="Nothing was asked.",
                hint="Choose a model that follows instructions.",
            )


class _Asking:
    """One start: sends what is left to the model process and stores replies as they come."""

    def __init__(
        self,
        ctx: JobContext,
        project: Project,
        session: ModelSession,
        generator: GeneratorSpec,
        wording: Wording,
        compute: ComputeProcess,
        keys: dict[str, str],
    ) -> None:
        self._ctx, self._project, self._session, self._generator = ctx, project, session, generator
        self._wording, self._compute, self._keys = wording, compute, keys
        self._hope = Hope(MEND)

    def all(self) -> None:
        self._report()
        asks = self._session.left()
        for start in range(0, len(asks), AT_ONCE):
            left = asks[start : start + AT_ONCE]
            while left:
                self._ctx.check()  # waits here while paused
                whole = self._ask(left)
                rest = [ask for ask in left if not self._session.asked_now(ask)]
                if rest and whole:  # it was not paused, so that the rest would never come
                    raise AppError(
                        f"The backend left {len(rest):,} requests without a reply.",
                        kept="Every reply that came is saved.",
                        hint="Its plug-in needs mending; choose another generator.",
                    )
                left = rest

    def _ask(self, asks: Sequence[Ask]) -> bool:
        texts = self._project.texts({key for ask in asks for key in ask.texts})
        usable = [ask for ask in asks if self._session.as_planned(ask, texts)]
        shown = [[texts[key] for key in ask.texts] for ask in usable]
        requests = [self._request(ask, cards) for ask, cards in zip(usable, shown, strict=True)]
        if not requests:
            return True
        about = (self._generator.backend, self._generator.model, self._generator.parameters)
        receive = partial(self._receive, usable, shown)
        return ask_all(self._ctx, self._compute, about, requests, self._keys, receive)

    def _request(self, ask: Ask, texts: Sequence[str]) -> Request:
        prompt = self._session.prompt(ask, texts, self._wording)
        drawn = {"max_tokens": self._session.reply_tokens} | sampling(self._generator.parameters)
        return Request(key=ask.key, prompt=prompt.text, seed=self._session.seed_of(ask), **drawn)

    def _receive(self, asks: Sequence[Ask], texts: Sequence[Sequence[str]], partial_result: object) -> None:
        if isinstance(partial_result, Written):
            completions = [completion for _, completion in partial_result.completions]
            for place, completion in partial_result.completions:
                self._session.record(asks[place], completion, texts[place])
            self._report(completions[-1].text)
            self._hope.look(completions)
        elif isinstance(partial_result, Live):
            self._report(partial_result.text)

    def _report(self, text: str | None = None) -> None:
        self._ctx.report(self._session.answered, self._session.wanted, partial=text)
