"""A model judges a plan: it is asked every comparison in every order of its cards, and what it said is summed up.

A judgment is stored for each reply as it comes. Killed at any point, the next start asks only for what is missing; as
the seed of a request depends on nothing but the session's seed, the texts and their order, that gives the same.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from biasprint.core.backends.protocol import Completion, Failure, Request, output_seed
from biasprint.core.backends.registry import known
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.model_rater import (
    READ_AS,
    JudgingPrompt,
    ParsedReply,
    answers_to,
    card_orders,
    judging_prompt,
    judging_words,
    read_reply,
    words_sha256,
)
from biasprint.core.judging.plan import CHECK, PlanSettings, texts_digest
from biasprint.core.judging.verdict import READER_VERSION
from biasprint.core.judging.wording import ComparisonWording, plan_wording, wording_of
from biasprint.core.machine.models import catalogue
from biasprint.core.metrics.proportions import wilson
from biasprint.core.metrics.result import Bounds
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, JudgmentRow, Outcome, RaterRow, SessionRow, TextKey
from biasprint.core.project.specs import GeneratorSpec, JudgmentSpec, RaterSpec
from biasprint.core.project.stores.common import canonical_json
from biasprint.core.project.stores.judging import ANSWERS
from biasprint.core.runs.generate import FailureWatch, ask_all, sampling
from biasprint.core.runs.writing import LiveText, Written
from biasprint.core.text import sha256_text

# ---- The session: its rater, the requests that are left, and how a reply becomes a judgment

LONGEST_CODE = 180  # of a rater's 200 characters: a number may follow
LONGEST_REPLY = 20_000  # characters that are kept of one
# What would fail again however often it is asked.
FOR_GOOD: frozenset[Failure] = frozenset(("context", "rejected", "too_large", "parameters"))
# After so many replies without an answer a model is given up. One that answers a fifth of what it is asked is given up
# wrongly in 7 of 100 sessions (.8 ** 12); one that answers half of it, in 2 of 10,000.
PROBED = 12
SHOWN = 200  # characters of a reply in an error's details
OUTCOMES: Mapping[str, Outcome] = {"choice": "choice", "tie": "tie", "none": "none"}  # any other is left out: a skip


@dataclass(frozen=True)
class OrderedComparison:
    """One comparison in one order of its cards. `shown`: item indexes; `order`: the number of the order, from 0."""

    comparison: ComparisonRow
    order: int
    shown: tuple[int, ...]

    @property
    def key(self) -> str:
        """A key that is the same for the same texts in the same order, in any project."""
        return f"judge/{self.comparison.texts_sha256}/{'-'.join(map(str, self.shown))}"

    @property
    def texts(self) -> tuple[TextKey, ...]:
        """The keys of the texts in the order of the cards."""
        return tuple(self.comparison.items[index].key for index in self.shown)


class ModelSession:
    """One generator's session with one plan, as it is on disk; `open` begins or resumes it."""

    def __init__(self, project: Project, plan_id: str, rater: RaterRow, session: SessionRow, seed: int) -> None:
        self._project = project
        self.plan_id, self.rater, self.id, self.seed = plan_id, rater, session.id, seed
        self.locked = session.revealed_at is not None
        rows = project.judging.comparisons(plan_id)
        self.comparisons = tuple(row for row in rows if row.repeat_of is None and row.axis != CHECK)
        self.said = {(row.comparison_id, row.shown): row for row in project.judging.judgments(session.id)}
        self._now: set[tuple[str, tuple[int, ...]]] = set()
        self.unusable: set[str] = set()

    @classmethod
    def open(cls, project: Project, plan_id: str, generator: GeneratorSpec, seed: int) -> "ModelSession":
        """Open the session. Raises UsageError for a plan that the project does not have."""
        if all(plan.id != plan_id for plan in project.judging.plans()):
            raise UsageError("The project has no such plan.", hint="“biasprint compare” draws one.")
        rater = model_rater(project, generator, seed)
        key = project.judging.open_session(plan_id, rater.id).uuid("session")
        session = next(row for row in project.judging.sessions() if row.id == key)
        return cls(project, plan_id, rater, session, seed)

    # what is to be asked

    @property
    def reply_tokens(self) -> int:
        return judging_words().reply_tokens

    @property
    def wanted(self) -> int:
        return sum(len(row.items) for row in self.comparisons if row.id not in self.unusable)

    @property
    def answered(self) -> int:
        return len(self.said)

    @property
    def added(self) -> int:
        """The number of replies of this start."""
        return len(self._now)

    @property
    def closed(self) -> bool:
        """Return whether measures count it: nothing is left to ask, and at least one reply is an answer."""
        return self.locked and self._has_answer

    @property
    def _has_answer(self) -> bool:
        return any(row.outcome in ANSWERS for row in self.said.values())

    def asks(self) -> Iterator[OrderedComparison]:
        """Yield every comparison in every order. Of three cards half the comparisons turn the other way round."""
        for row in self.comparisons:
            mirrored = len(row.items) > 2 and output_seed(self.seed, row.texts_sha256, 0) % 2 == 1
            for order, shown in enumerate(card_orders(len(row.items), mirrored=mirrored)):
                yield OrderedComparison(row, order, shown)

    def left(self) -> list[OrderedComparison]:
        """Return the requests that have no reply yet, or that failed in passing; those of a task one after another.

        So prompts share their beginning, which a model on this computer works out once.
        """
        asks = [ask for ask in self.asks() if _to_ask(self.said.get((ask.comparison.id, ask.shown)))]
        return sorted(asks, key=lambda ask: (ask.comparison.task, ask.comparison.theme))

    def asked_now(self, ask: OrderedComparison) -> bool:
        """Return whether this start has its reply, or found that its texts are not the ones that were planned."""
        return (ask.comparison.id, ask.shown) in self._now or ask.comparison.id in self.unusable

    def as_planned(self, ask: OrderedComparison, texts: Mapping[TextKey, str]) -> bool:
        """Return whether the texts are those that were planned; a comparison whose texts are not is unusable."""
        row = ask.comparison
        present = [texts[item.key] for item in row.items if item.key in texts]
        planned = texts_digest(sha256_text(text) for text in present) == row.texts_sha256
        if not planned:
            self.unusable.add(row.id)
        return planned

    def seed_of(self, ask: OrderedComparison) -> int:
        return output_seed(self.seed, ask.key, 0)

    def prompt(self, ask: OrderedComparison, texts: Sequence[str], wording: ComparisonWording) -> JudgingPrompt:
        row = ask.comparison
        title, criteria = wording.title(row.task, row.theme), wording.criteria(row.task)
        # The same for every order of a comparison, so that all of the prompt but the texts is shared.
        salt = output_seed(self.seed, row.texts_sha256, 0)
        return judging_prompt(title, criteria, texts, salt=f"{salt}")

    # what was replied

    def record(self, ask: OrderedComparison, completion: Completion, texts: Sequence[str]) -> None:
        """Store a reply; on disk when this returns. One that failed before is superseded."""
        read = read_completion(completion, texts)
        before = self.said.get((ask.comparison.id, ask.shown))
        spec = JudgmentSpec(
            session_id=self.id,
            comparison_id=ask.comparison.id,
            outcome=OUTCOMES.get(read.as_, "skip"),
            chosen=None if read.card is None else ask.shown[read.card],
            shown=ask.shown,
            texts_sha256=ask.comparison.texts_sha256,
            active_seconds=max(0.0, completion.seconds),
            supersedes=None if before is None else before.id,
            detail=self._detail(ask, completion, read),
        )
        key = self._project.judging.record(spec).uuid("judgment")
        row = JudgmentRow(
            0, key, spec.session_id, spec.comparison_id, spec.outcome, spec.chosen, spec.shown, spec.texts_sha256, "",
            spec.active_seconds, spec.supersedes, "", spec.detail,
        )  # fmt: skip
        self.said[ask.comparison.id, ask.shown] = row
        self._now.add((ask.comparison.id, ask.shown))

    def _detail(self, ask: OrderedComparison, completion: Completion, read: ParsedReply) -> dict[str, Any]:
        detail: dict[str, Any] = {
            "reply": completion.text[:LONGEST_REPLY],
            "read": read.as_,
            "reader": READER_VERSION,
            "order": ask.order,
            "seed": self.seed_of(ask),
            "prompt_version": judging_words().version,
            "finish_reason": completion.finish_reason,
            "usage": dict(completion.usage),
        }
        detail |= {name: completion.detail[name] for name in ("answers", "reasoning") if name in completion.detail}
        if len(completion.text) > LONGEST_REPLY:
            detail["characters"] = len(completion.text)
        if read.as_ == "failed":
            detail |= {"failure": completion.failure or "other", "error": completion.error}
        return detail

    def check_form(self) -> None:
        """Raise AppError where none of the first replies is an answer in the form asked: the rest would be none."""
        read = [row for row in self.said.values() if row.detail.get("read") != "failed"]
        if len(read) >= PROBED and not self._has_answer:
            raise AppError(
                f"“{self.rater.code}” cannot judge: none of its first {len(read)} replies is an answer in the form "
                f"asked ({reasons_in_words(unread_reasons(read))}).",
                kept="Its replies are kept; the session is not finished and counts nowhere.",
                hint="Choose a model that follows instructions.",
                details=f"It was asked for one letter, TIE or NONE. Its last reply: {read[-1].detail['reply'][:SHOWN]}",
            )

    def close(self, *, although_failed: bool = False) -> None:
        """Lock the session where nothing is left to ask and something was answered, so that measures count it."""
        asks = [ask for ask in self.asks() if ask.comparison.id not in self.unusable]
        replies = [self.said.get((ask.comparison.id, ask.shown)) for ask in asks]
        if self._has_answer and all(row is not None if although_failed else not _to_ask(row) for row in replies):
            self._project.judging.reveal(self.id)
            self.locked = True


def model_rater(project: Project, generator: GeneratorSpec, seed: int) -> RaterRow:
    """Return the rater of this generator with this seed and wording of the question; added where it is new.

    Its code is the model's name, with a number where another rater has that name already.
    """
    words = judging_words()
    recipe = {
        "generator": generator.model_dump(),
        "seed": seed,
        "prompt": {"version": words.version, "sha256": words_sha256(), "reply_tokens": words.reply_tokens},
    }
    raters = project.judging.raters()
    wanted = canonical_json(recipe)
    for row in raters:
        if row.kind == "model" and canonical_json(row.background) == wanted:
            return row
    base = (generator.model or generator.backend)[:LONGEST_CODE]
    taken = {row.code for row in raters}
    code = base if base not in taken else next(name for name in _numbered(base) if name not in taken)
    added = project.judging.add_rater(RaterSpec(code=code, kind="model", background=recipe)).uuid("rater")
    return next(row for row in project.judging.raters() if row.id == added)


def _numbered(base: str) -> Iterator[str]:
    number = 2
    while True:
        yield f"{base} #{number}"
        number += 1


def _to_ask(row: JudgmentRow | None) -> bool:
    if row is None:
        return True
    return row.detail.get("read") == "failed" and row.detail.get("failure") not in FOR_GOOD


def read_completion(completion: Completion, texts: Sequence[str]) -> ParsedReply:
    """Read what a model replied about these cards; a failed request is read as “failed”."""
    if completion.failure == "refusal":
        return ParsedReply("refused")
    if completion.finish_reason == "error":
        return ParsedReply("failed")
    return read_reply(completion.text, texts, whole=completion.finish_reason == "stop")


# ---- The result: replies by how they were read, and how often the order of the cards decided


@dataclass(frozen=True)
class JudgeResult:
    """The result of judging. `read` counts the replies in force, `added` those of this start; `failures` the failed
    ones by kind.

    `compared`: comparisons with a choice in every order; `flips`: those of them in which not every order gave the same
    output; `first`: choices in them that fell on the first card, of `choices`. `closed`: measures count the session,
    which has a choice, tie or none in it. `unread`: the refused and unreadable replies by reason.
    """

    plan_id: str
    session_id: str
    rater: str
    comparisons: int
    unusable: int
    wanted: int
    added: int
    read: Mapping[str, int]
    failures: Mapping[str, int]
    unread: Mapping[str, int]
    compared: int
    flips: int
    first: int
    choices: int
    closed: bool

    @property
    def answers(self) -> int:
        """The number of replies that are an answer in the form asked."""
        return sum(self.read.get(name, 0) for name in OUTCOMES)

    @property
    def flip_rate(self) -> float | None:
        """The share of comparisons whose choice depends on the order of the cards; None without a comparison that has a
        choice in every order.
        """
        return self.flips / self.compared if self.compared else None

    @property
    def flip_interval(self) -> Bounds | None:
        """Wilson's interval of the flip rate, over comparisons."""
        return wilson(self.flips, self.compared)


def judge_result(session: ModelSession) -> JudgeResult:
    """Return the result from what is on disk."""
    rows = list(session.said.values())
    counted = Counter(str(row.detail.get("read", "")) for row in rows)
    complete = _complete(session)
    chosen = [
        [(row.shown.index(row.chosen), row.chosen) for row in replies if row.chosen is not None] for replies in complete
    ]
    return JudgeResult(
        plan_id=session.plan_id,
        session_id=session.id,
        rater=session.rater.code,
        comparisons=len(session.comparisons),
        unusable=len(session.unusable),
        wanted=session.wanted,
        added=session.added,
        read={name: counted[name] for name in READ_AS},
        failures=dict(Counter(str(row.detail["failure"]) for row in rows if row.detail.get("read") == "failed")),
        unread=unread_reasons(rows),
        compared=len(complete),
        flips=sum(len({item for _, item in places}) > 1 for places in chosen),
        first=sum(place == 0 for places in chosen for place, _ in places),
        choices=sum(map(len, chosen)),
        closed=session.closed,
    )


def unread_reasons(rows: Iterable[JudgmentRow]) -> dict[str, int]:
    """Count the reasons why replies are no answer, from what is stored of each."""
    return dict(Counter(why_unread(row.detail) for row in rows if row.detail.get("read") in ("refused", "unreadable")))


def why_unread(reply: Mapping[str, Any]) -> str:
    """Return why a stored reply is no answer: refused, empty, cut off or other words."""
    if reply["read"] == "refused":
        return "refused"
    if not str(reply.get("reply", "")).strip():
        return "empty"
    return "cut off" if reply.get("finish_reason") == "length" else "other words"


def reasons_in_words(reasons: Mapping[str, int]) -> str:
    """Return counted reasons in one line, the most frequent first."""
    words = {"refused": "refused to judge", "empty": "empty", "cut off": "cut off before an answer",
             "other words": "other words than the answers"}  # fmt: skip
    return ", ".join(f"{count:,} {words[why]}" for why, count in sorted(reasons.items(), key=lambda item: -item[1]))


def _complete(session: ModelSession) -> list[list[JudgmentRow]]:
    """Return the replies of every comparison that has a choice in each of its orders."""
    by_comparison: dict[str, list[JudgmentRow]] = {}
    for row in session.said.values():
        if row.outcome == "choice":
            by_comparison.setdefault(row.comparison_id, []).append(row)
    return [
        by_comparison[row.id] for row in session.comparisons if len(by_comparison.get(row.id, ())) == len(row.items)
    ]


# ---- The job

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
    the recipe keeps the file's name alone. keys: endpoints' keys that this session alone knows. The session is closed,
    so that measures count it, once every order of every comparison has a reply. Requests that failed in passing keep it
    open and are made again at the next start; `finish` closes it without them. Hidden repeats are not asked: the orders
    measure the same. Raises AppError where the backend is no language model, cannot be used, fails by key or model with
    every request, where none of the first replies is an answer in the form asked, or where the project cannot be
    written to.
    """
    check_can_judge(generator.backend, generator.model)
    session = ModelSession.open(project, plan_id, generator, seed)
    if not session.locked:
        opened = generator.model_copy(update={"model": opens or generator.model})
        plan = next(row for row in project.judging.plans() if row.id == plan_id)
        wording = plan_wording(wording_of(project), PlanSettings.of(plan.settings))
        _Asking(ctx, project, session, opened, wording, compute, dict(keys or {})).all()
        session.close(although_failed=finish)
    return judge_result(session)


def check_can_judge(backend: str, model: str = "") -> None:
    """Raise AppError for what is known not to judge: no language model, or one that answers no question."""
    known_model = catalogue.entry(model)
    if known_model is not None and not known_model.judges:
        raise AppError(
            f"“{known_model.title}” cannot judge: it writes texts of its own and answers no question.",
            kept="Nothing was asked.",
            hint="Choose a model that follows instructions.",
        )
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
        wording: ComparisonWording,
        compute: ComputeProcess,
        keys: dict[str, str],
    ) -> None:
        self._ctx, self._project, self._session, self._generator = ctx, project, session, generator
        self._wording, self._compute, self._keys = wording, compute, keys
        self._failures = FailureWatch(MEND)

    def all(self) -> None:
        self._session.check_form()
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

    def _ask(self, asks: Sequence[OrderedComparison]) -> bool:
        texts = self._project.texts({key for ask in asks for key in ask.texts})
        usable = [ask for ask in asks if self._session.as_planned(ask, texts)]
        shown = [[texts[key] for key in ask.texts] for ask in usable]
        requests = [self._request(ask, cards) for ask, cards in zip(usable, shown, strict=True)]
        if not requests:
            return True
        about = (self._generator.backend, self._generator.model, self._generator.parameters)
        receive = partial(self._receive, usable, shown)
        return ask_all(self._ctx, self._compute, about, requests, self._keys, receive)

    def _request(self, ask: OrderedComparison, texts: Sequence[str]) -> Request:
        prompt = self._session.prompt(ask, texts, self._wording)
        drawn = {"max_tokens": self._session.reply_tokens} | sampling(self._generator.parameters)
        answers = answers_to(len(texts))
        return Request(key=ask.key, prompt=prompt.text, seed=self._session.seed_of(ask), answers=answers, **drawn)

    def _receive(
        self, asks: Sequence[OrderedComparison], texts: Sequence[Sequence[str]], partial_result: object
    ) -> None:
        if isinstance(partial_result, Written):
            completions = [completion for _, completion in partial_result.completions]
            for place, completion in partial_result.completions:
                self._session.record(asks[place], completion, texts[place])
            self._report(completions[-1].text)
            self._failures.look(completions)
            self._session.check_form()
        elif isinstance(partial_result, LiveText):
            self._report(partial_result.text)

    def _report(self, text: str | None = None) -> None:
        self._ctx.report(self._session.answered, self._session.wanted, partial=text)
