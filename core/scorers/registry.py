"""The available scorers, and scoring a batch of texts. The program's own are declared in models/catalogue.toml.

A third party adds one by an entry point in the group `biasprint.scorers`: its name is the scorer's, its object a class
or function without parameters that gives a `Scorer`. The program's own names cannot be taken.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np

from biasprint.core.errors import AppError, JobCancelled, NotInstalledYet, UsageError
from biasprint.core.jobs import JobContext, in_halves
from biasprint.core.machine.installation import explained
from biasprint.core.machine.models import catalogue, records
from biasprint.core.machine.models.installed import best
from biasprint.core.machine.plug_ins import entry_points
from biasprint.core.machine.processor import is_out_of_memory, raise_out_of_memory
from biasprint.core.scorers import kept
from biasprint.core.scorers.lexicon import OWN_WORDS, own_words
from biasprint.core.scorers.protocol import Scorer, ScorerInfo, ScoreValue

ENTRY_POINTS = "biasprint.scorers"
BATCH_SECONDS = 0.8  # between two checks for a cancel
FIRST_BATCH = 8
AHEAD = 1_024  # texts that a scorer with `prepare` gets ready together, checking for a cancel itself

# Name → where its class is and what it is made with.
OWN: dict[str, tuple[str, dict[str, Any]]] = {
    name: (declared.made_by, dict(declared.arguments)) for name, declared in catalogue.scorers().items()
}


def describe() -> list[ScorerInfo]:
    """Return all scorers, the program's own first; light. One that cannot be used says so in `unavailable`."""
    return [_describe(name) for name in _factories()]


def described(name: str) -> ScorerInfo | None:
    """Return what `describe` says of one scorer; None where there is none of this name."""
    return _describe(name) if name in _factories() else None


def usable(role: str) -> list[ScorerInfo]:
    """The scorers that can be used for a role."""
    declared = catalogue.scorers()  # what is declared for another role need not be looked at
    names = [name for name in _factories() if name not in declared or declared[name].role == role]
    return [info for info in map(_describe, names) if info.role == role and not info.unavailable]


def preference(info: ScorerInfo) -> tuple[bool, bool]:
    """Return a sort key for a role's scorers, best first: the paper's own, then plug-ins, then the other stand-ins."""
    return info.stand_in, info.name in OWN  # who installed a plug-in wants it before what stands in here


@cache
def load(name: str) -> Scorer:
    """The scorer of this name, the same object each time, so that a model is loaded once.

    One that lacks its model is given all the same: its `unavailable` says so, and its `score` raises it.
    Raises `UsageError` for an unknown name, `AppError` for a scorer that cannot be set up.
    """
    factories = _factories()
    if name not in factories:
        raise UsageError(f"There is no scorer “{name}”.", hint=f"Choose one of: {', '.join(factories)}.")
    try:
        scorer = factories[name]()
        _info(name, scorer)  # a plug-in that lacks something is found here, not in the middle of a job
        return scorer
    except AppError:
        raise
    except Exception as error:
        raise_out_of_memory(error)
        if missing := explained(error):
            raise missing from error
        raise AppError(
            f"The scorer “{name}” cannot be used ({type(error).__name__}: {error}).",
            hint="Install the program or the plug-in that brings this scorer again.",
        ) from error


def info_of(name: str) -> ScorerInfo:
    """A scorer by its name, or `words:` and the path of a word list. Raises as `load` does."""
    return _info(name, _loaded(name))


def _loaded(name: str) -> Scorer:
    return own_words(name) if name.startswith(OWN_WORDS) else load(name)


# What texts were scored while somebody measures the same ones again and again: scorer → text → value.
_REMEMBERED: dict[str, dict[str, ScoreValue]] | None = None


@contextmanager
def remembered_scores() -> Iterator[None]:
    """Remember scores for a while: within it `score_batch` scores no text twice."""
    global _REMEMBERED
    before, _REMEMBERED = _REMEMBERED, {}
    try:
        yield
    finally:
        _REMEMBERED = before


def score_batch(
    name: str, texts: Sequence[str], ctx: JobContext | None = None
) -> tuple[dict[str, Any], list[ScoreValue]]:
    """Score `texts` with the scorer `name`: its `ScorerInfo` as a dict, and one value per text, in order.

    Texts of like length are scored together, the shortest first: no value depends on it, and it is faster.
    Runs in the compute process: `shared().call(score_batch, name, texts, ctx=ctx)`.
    """
    ctx = ctx or JobContext()
    if texts:
        ctx.report(0, len(texts), note=f"getting {name} ready")  # the first texts wait until its model is loaded
    scorer = _loaded(name)
    if _REMEMBERED is None:
        values = _kept_or_scored(name, scorer, texts, ctx)
        return asdict(_info(name, scorer)), values  # told now: a loaded scorer says on what it computes
    known = _REMEMBERED.setdefault(name, {})
    new = [text for text in dict.fromkeys(texts) if text not in known]
    known.update(zip(new, _kept_or_scored(name, scorer, new, ctx), strict=True))
    return asdict(_info(name, scorer)), [known[text] for text in texts]


def _kept_or_scored(name: str, scorer: Scorer, texts: Sequence[str], ctx: JobContext) -> list[ScoreValue]:
    """Score texts; within `kept_scores` a scorer with a version scores no text twice. One without scores every time."""
    if not kept.keeping() or not scorer.version:
        return _scored(scorer, texts, ctx)

    whose = "" if name in OWN else f" of {type(scorer).__module__}"  # two plug-ins may take one name after another

    def reader() -> str:
        return f"{name}{whose} {scorer.version} {scorer.sha256 or ''}"

    def make(new: Sequence[str], keep: kept.Keep) -> None:
        _scored(scorer, new, ctx, keep)

    return kept.completed(reader, texts, make)


def _scored(
    scorer: Scorer, texts: Sequence[str], ctx: JobContext, keep: kept.Keep = lambda _: None
) -> list[ScoreValue]:
    """`keep` is handed each batch as soon as it is scored."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    values: dict[int, ScoreValue] = {}
    size = FIRST_BATCH
    prepare, ahead = getattr(scorer, "prepare", None), 0
    further = getattr(scorer, "ahead", AHEAD)
    while len(values) < len(texts):
        ctx.check()
        if prepare is not None and len(values) >= ahead:
            prepare([texts[place] for place in order[ahead : ahead + further]], ctx.check)
            ahead += further
        started = time.monotonic()
        batch = order[len(values) : min(len(values) + size, ahead or len(order))]
        scored = _score(scorer, [texts[place] for place in batch])
        values.update(zip(batch, scored, strict=True))
        keep({texts[place]: value for place, value in zip(batch, scored, strict=True)})
        ctx.report(len(values), len(texts))
        size = _next_size(size, time.monotonic() - started)
    return [values[place] for place in range(len(texts))]


def score_kept(
    name: str, texts: Sequence[str], ctx: JobContext | None = None
) -> tuple[dict[str, Any], list[ScoreValue], dict[int, str]]:
    """Score texts as `score_each`, for a measure: a text that this version has scored before is not scored again."""
    with kept.kept_scores():
        return score_each(name, texts, ctx)


def score_each(
    name: str, texts: Sequence[str], ctx: JobContext | None = None
) -> tuple[dict[str, Any], list[ScoreValue], dict[int, str]]:
    """Score texts as `score_batch`, but lose only texts that the scorer fails on: they have no value, and place → why.

    Raises what the first text raised where no text can be scored.
    """
    info = info_of(name)
    if info.unavailable:  # nothing can be scored: it is not the texts
        score_batch(name, texts, ctx)
    values = [NO_VALUE] * len(texts)
    failed: dict[int, str] = {}

    def together(places: Sequence[int]) -> None:
        scored = score_batch(name, [texts[place] for place in places], ctx)[1]
        for place, value in zip(places, scored, strict=True):
            values[place] = value

    def alone(place: int, why: Exception) -> None:
        failed[place] = OUT_OF_MEMORY if is_out_of_memory(why) else _in_words(why)
        if len(failed) == len(texts):
            raise why

    in_halves(range(len(texts)), together, alone, stops=(JobCancelled,))  # a third party's scorer may raise anything
    return asdict(info), values, failed


NO_VALUE = ScoreValue(np.zeros(0, np.float32), None)
OUT_OF_MEMORY = "Memory ran out. Close other programs, then measure again."


def _in_words(error: Exception) -> str:
    return (str(error) if isinstance(error, AppError) else f"{type(error).__name__}: {error}")[:200]


def _factories() -> dict[str, Callable[[], Scorer]]:
    own: dict[str, Callable[[], Scorer]] = {name: partial(_make, *recipe) for name, recipe in OWN.items()}
    others = {point.name: partial(_make_plug_in, point) for point in entry_points(group=ENTRY_POINTS)}
    return {**own, **others, **own}  # the program's own stand first and win


def _make(place: str, arguments: dict[str, Any]) -> Scorer:
    module, _, attribute = place.partition(":")
    scorer: Scorer = getattr(import_module(module), attribute)(**arguments)
    return scorer


def _make_plug_in(point: EntryPoint) -> Scorer:
    scorer: Scorer = point.load()()
    return scorer


def _describe(name: str) -> ScorerInfo:
    try:
        return _info(name, load(name))
    except AppError as error:
        why = error.message if isinstance(error, NotInstalledYet) else str(error)
        declared = catalogue.scorers().get(name)  # a plug-in does not say its role before it is made
        if declared is None:
            return ScorerInfo(name, unavailable=why)
        return ScorerInfo(name, declared.role, stand_in=declared.fills == "stand_in", unavailable=why)


def _info(name: str, scorer: Scorer) -> ScorerInfo:
    return ScorerInfo(
        name=name,
        role=scorer.role,
        version=scorer.version,
        sha256=scorer.sha256,
        stand_in=scorer.stand_in,
        shape=scorer.shape,
        note=getattr(scorer, "note", ""),
        unavailable=getattr(scorer, "unavailable", ""),
        labels=tuple(getattr(scorer, "labels", ())),
        yes_or_no=bool(getattr(scorer, "yes_or_no", False)),
    )


def _next_size(size: int, seconds: float) -> int:
    """Larger batches are faster, smaller ones can be cancelled: aim between."""
    if seconds > BATCH_SECONDS:
        return max(1, size // 2)
    return size * 2 if seconds < BATCH_SECONDS / 2 else size


def _score(scorer: Scorer, texts: Sequence[str]) -> list[ScoreValue]:
    values = scorer.score(texts)
    if len(values) != len(texts):
        raise AppError(
            f"The scorer “{scorer.name}” gave {len(values)} values for {len(texts)} texts.",
            kept="None of this batch was stored.",
            hint="Its plug-in needs mending; choose another scorer.",
        )
    return values


# ---- The best scorer of a role


def scorer_for(role: str, chosen: str | None, default: str) -> ScorerInfo:
    """Return the scorer of a role: the one requested, or the default."""
    info = described(chosen or default)
    if info is None or info.role != role:
        fitting = ", ".join(other.name for other in describe() if other.role == role)
        raise UsageError(f"There is no scorer “{chosen}” for {role}.", hint=f"Choose from: {fitting}.")
    return info


def best_scorer(role: str, chosen: str | None = None) -> ScorerInfo | None:
    """The scorer that was chosen for a role; else the best that can be used here; None where there is none.

    The best is what this computer prefers, else the paper's own, else a plug-in, else another model, else a stand-in.
    Raises `UsageError` for a choice that there is not.
    """
    scorers = usable(role)
    if chosen and not scorers:
        raise UsageError(f"There is no scorer for {role} here.", hint=f"Leave out --scorer {role}={chosen}.")
    if chosen:
        return scorer_for(role, chosen, chosen)
    preferred = records.preferred().get(role)
    try:
        resolved = best(role)
    except UsageError:  # a role that only a plug-in knows
        resolved = ""
    return min(
        scorers,
        key=lambda info: (info.name != preferred, *preference(info), info.name != resolved),
        default=None,
    )
