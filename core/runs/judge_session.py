"""The session of a model that judges: its rater, what is left to ask, and how a reply becomes a judgment."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.backends.protocol import Completion, Failure
from core.backends.seeds import output_seed
from core.errors import UsageError
from core.judging.model_rater import (
    JudgingPrompt,
    Read,
    card_orders,
    judging_prompt,
    judging_words,
    read_reply,
    words_sha256,
)
from core.judging.plan import texts_digest
from core.judging.wording import Wording
from core.project.project import Project
from core.project.rows import ComparisonRow, JudgmentRow, Outcome, RaterRow, SessionRow, TextKey
from core.project.specs import GeneratorSpec, JudgmentSpec, RaterSpec
from core.project.stores.common import canonical_json
from core.text import sha256_text

LONGEST_CODE = 180  # of a rater's 200 characters: a number may follow
LONGEST_REPLY = 20_000  # characters that are kept of one
# What would fail again however often it is asked.
FOR_GOOD: frozenset[Failure] = frozenset(("context", "refused", "too_large", "parameters"))
OUTCOMES: Mapping[str, Outcome] = {"choice": "choice", "tie": "tie", "none": "none"}  # any other is left out: a skip


@dataclass(frozen=True)
class Ask:
    """One comparison in one order of its cards. `shown`: item indexes; `order`: the number of the order, from 0."""

    comparison: ComparisonRow
    order: int
    shown: tuple[int, ...]

    @property
    def key(self) -> str:
        """The same for the same texts in the same order, in any project."""
        return f"judge/{self.comparison.texts_sha256}/{'-'.join(map(str, self.shown))}"

    @property
    def texts(self) -> tuple[TextKey, ...]:
        """Which texts, in the order of the cards."""
        return tuple(self.comparison.items[index].key for index in self.shown)


class ModelSession:
    """One generator's session with one plan, as it is on disk; `open` begins or resumes it."""

    def __init__(self, project: Project, plan_id: str, rater: RaterRow, session: SessionRow, seed: int) -> None:
        self._project = project
        self.plan_id, self.rater, self.id, self.seed = plan_id, rater, session.id, seed
        self.closed = session.revealed_at is not None
        rows = project.judging.comparisons(plan_id)
        self.comparisons = tuple(row for row in rows if row.repeat_of is None)
        self.said = {(row.comparison_id, row.shown): row for row in project.judging.judgments(session.id)}
        self._now: set[tuple[str, tuple[int, ...]]] = set()
        self.unusable: set[str] = set()

    @classmethod
    def open(cls, project: Project, plan_id: str, generator: GeneratorSpec, seed: int) -> "ModelSession":
        """Raises UsageError for a plan that the project does not have."""
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
        """Replies of this start."""
        return len(self._now)

    def asks(self) -> Iterator[Ask]:
        """Every comparison in every order. Of three cards half the comparisons turn the other way round."""
        for row in self.comparisons:
            mirrored = len(row.items) > 2 and output_seed(self.seed, row.texts_sha256, 0) % 2 == 1
            for order, shown in enumerate(card_orders(len(row.items), mirrored=mirrored)):
                yield Ask(row, order, shown)

    def left(self) -> list[Ask]:
        """What has no reply yet, and what failed in passing."""
        return [ask for ask in self.asks() if _to_ask(self.said.get((ask.comparison.id, ask.shown)))]

    def asked_now(self, ask: Ask) -> bool:
        """Whether this start has its reply, or found that its texts are not the ones that were planned."""
        return (ask.comparison.id, ask.shown) in self._now or ask.comparison.id in self.unusable

    def as_planned(self, ask: Ask, texts: Mapping[TextKey, str]) -> bool:
        """Whether the texts are those that were planned; a comparison whose texts are not is unusable."""
        row = ask.comparison
        found = [texts[item.key] for item in row.items if item.key in texts]
        planned = texts_digest(sha256_text(text) for text in found) == row.texts_sha256
        if not planned:
            self.unusable.add(row.id)
        return planned

    def seed_of(self, ask: Ask) -> int:
        return output_seed(self.seed, ask.key, 0)

    def prompt(self, ask: Ask, texts: Sequence[str], wording: Wording) -> JudgingPrompt:
        row = ask.comparison
        title, criteria = wording.title(row.task, row.theme), wording.criteria(row.task)
        return judging_prompt(title, criteria, texts, salt=f"{self.seed_of(ask)}")

    # what was replied

    def record(self, ask: Ask, completion: Completion, texts: Sequence[str]) -> None:
        """Store a reply; on disk when this returns. One that failed before is superseded."""
        read = _read(completion, texts)
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

    def _detail(self, ask: Ask, completion: Completion, read: Read) -> dict[str, Any]:
        detail: dict[str, Any] = {
            "reply": completion.text[:LONGEST_REPLY],
            "read": read.as_,
            "order": ask.order,
            "seed": self.seed_of(ask),
            "prompt_version": judging_words().version,
            "finish_reason": completion.finish_reason,
            "usage": dict(completion.usage),
        }
        if len(completion.text) > LONGEST_REPLY:
            detail["characters"] = len(completion.text)
        if read.as_ == "failed":
            detail |= {"failure": completion.failure or "other", "error": completion.error}
        return detail

    def close(self, *, although_failed: bool = False) -> None:
        """Lock the session where nothing is left to ask, so that measures count it."""
        asks = [ask for ask in self.asks() if ask.comparison.id not in self.unusable]
        said = [self.said.get((ask.comparison.id, ask.shown)) for ask in asks]
        if all(row is not None if although_failed else not _to_ask(row) for row in said):
            self._project.judging.reveal(self.id)
            self.closed = True


def model_rater(project: Project, generator: GeneratorSpec, seed: int) -> RaterRow:
    """The rater that stands for this generator with this seed and wording of the question; added where it is new.

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


def _read(completion: Completion, texts: Sequence[str]) -> Read:
    if completion.finish_reason == "error":
        return Read("failed")
    return read_reply(completion.text, texts, whole=completion.finish_reason == "stop")
