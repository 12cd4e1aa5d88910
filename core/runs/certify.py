"""A model is asked the pairs of a judge certificate, and its replies are kept in the project.

Each reply is an annotation, stored before it counts as done and never changed; no measure, session or packet reads one.
A certificate is found by its judge, seed, number of pairs and wording: asked for again, it goes on where it stopped.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from biasprint.core.backends.protocol import Completion, Request, output_seed
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.judging.blind import RatingCriterion
from biasprint.core.judging.certificate import (
    FEWEST,
    USUAL,
    Case,
    CaseReply,
    certificate_findings,
    certificate_words,
    packaged_cases,
    state_of,
)
from biasprint.core.judging.model_rater import answers_to, judging_prompt, judging_words, words_sha256
from biasprint.core.judging.plan import CHECK, texts_digest
from biasprint.core.judging.wording import ComparisonWording, wording_of
from biasprint.core.judging.workshop import tellable_sessions
from biasprint.core.project.project import Project
from biasprint.core.project.rows import AnnotationRow, ComparisonRow, JudgmentRow
from biasprint.core.project.specs import AnnotationSpec, GeneratorSpec
from biasprint.core.project.stores.common import canonical_json
from biasprint.core.report.audit.audited import AuditReport
from biasprint.core.report.certificate import certificate_report
from biasprint.core.runs.compare.kinds import gather_models
from biasprint.core.runs.compare.pool import CompareRequest, writers
from biasprint.core.runs.generate import FailureWatch, ask_all, sampling
from biasprint.core.runs.judge import (
    AT_ONCE,
    FOR_GOOD,
    LONGEST_REPLY,
    MEND,
    PROBED,
    check_can_judge,
    read_completion,
    reasons_in_words,
    why_unread,
)
from biasprint.core.runs.writing import LiveText, Written
from biasprint.core.text import sha256_text

BEGUN, REPLY = "judge certificate", "judge certificate reply"  # kinds of annotations
MOST_PAIRS = 400
LONGER_BY = 0.2  # of the longer of two texts that are of like length
NO_OTHERS = "no text of this model and another one’s for the same prompt is in the project"
NO_PEOPLE = "no person judged comparisons here that this model judged too"


@dataclass(frozen=True)
class Certificate:
    """The figures of a judge, from what is on disk. `recipe`: generator, seed, pairs and the wording's hashes.

    `wanted`: requests in all; `failed`: those without a reply, by kind. `read`: replies by how they were read.
    """

    id: str
    recipe: Mapping[str, Any]
    begun_at: str
    wanted: int
    added: int
    read: Mapping[str, int]
    failed: Mapping[str, int]
    findings: tuple[Finding, ...]

    @property
    def model(self) -> str:
        generator = self.recipe["generator"]
        return str(generator["model"] or generator["backend"])

    @property
    def complete(self) -> bool:
        """Return whether every request has a reply, or failed for good."""
        return sum(self.read.values()) >= self.wanted

    def to_json(self) -> dict[str, Any]:
        return {
            "certificate": self.id, "model": self.model, "recipe": dict(self.recipe), "begun_at": self.begun_at,
            "complete": self.complete, "wanted": self.wanted, "added": self.added, "replies": dict(self.read),
            "failures": dict(self.failed),
            "lines": [finding.to_json() | {"fault": state_of(finding)} for finding in self.findings],
        }  # fmt: skip


def page_of_certificate(made: Certificate) -> AuditReport:
    """Return the page of a certificate."""
    day = f"{datetime.fromisoformat(made.begun_at):%d %B %Y}".lstrip("0")
    replies = sum(made.read.values())
    return certificate_report(
        made.recipe, made.findings, model=made.model, day=day, replies=replies, wanted=made.wanted
    )


def certify(
    ctx: JobContext,
    project: Project,
    generator: GeneratorSpec,
    compute: ComputeProcess,
    keys: Mapping[str, str] | None = None,
    *,
    pairs: int = USUAL,
    seed: int = 0,
    opens: str = "",
    statistics: ComputeProcess | None = None,
) -> Certificate:
    """Ask a judge every pair in both orders, and return its certificate; what it replied before is not asked again.

    generator, keys, opens: as for `core.runs.judge.judge`. statistics: the process that computes the figures, or None
    for this one. Raises UsageError for a number of pairs, AppError where the backend cannot be used or none of the
    first replies is an answer.
    """
    if not FEWEST <= pairs <= MOST_PAIRS:
        raise UsageError(f"A line of the certificate has {FEWEST} to {MOST_PAIRS} pairs.", hint=f"Usual: {USUAL}.")
    check_can_judge(generator.backend, generator.model)
    asked = _Asked.open(ctx, project, generator, pairs, seed)
    opened = generator.model_copy(update={"model": opens or generator.model})
    _Asking(ctx, asked, opened, compute, dict(keys or {})).all()
    return asked.certificate(statistics)


def stored_certificates(
    ctx: JobContext, project: Project, statistics: ComputeProcess | None = None
) -> tuple[Certificate, ...]:
    """Return the certificates of a project from what is on disk, in the order in which they were begun.

    ctx, statistics: as for `certify`. Nothing is asked.
    """
    last = {row.target: row for row in project.annotations.of_kind(BEGUN)}
    return tuple(_Asked(ctx, project, row).certificate(statistics) for row in last.values())


# ---- What is asked, and what is on disk of it


@dataclass(frozen=True)
class _Ask:
    case: Case
    first: int  # which of the two texts is the first card

    @property
    def place(self) -> tuple[str, int]:
        return self.case.key, self.first

    @property
    def texts(self) -> tuple[str, str]:
        one, other = self.case.texts
        return (other, one) if self.first else (one, other)


class _Asked:
    """A certificate that was begun, with its replies."""

    def __init__(self, ctx: JobContext, project: Project, row: AnnotationRow) -> None:
        self._ctx, self._project, self._row = ctx, project, row
        self.recipe: dict[str, Any] = row.value["recipe"]
        self.seed = int(self.recipe["seed"])
        rows = project.annotations.of_kind(REPLY, target=row.target)
        self.said = {(str(reply.value["case"]), int(reply.value["first"])): reply for reply in rows}
        self.added = 0

    @classmethod
    def open(cls, ctx: JobContext, project: Project, generator: GeneratorSpec, pairs: int, seed: int) -> "_Asked":
        recipe = {
            "generator": generator.model_dump(), "seed": seed, "pairs": pairs,
            "prompt": {"version": judging_words().version, "sha256": words_sha256()},
            "texts": {"version": certificate_words().version, "sha256": sha256_text(repr(certificate_words()))},
        }  # fmt: skip
        target = sha256_text(canonical_json(recipe))
        before = project.annotations.of_kind(BEGUN, target=target)
        if before and before[-1].value["own"]:
            return cls(ctx, project, before[-1])
        # The pairs of its own texts are drawn once, as soon as there are some: later texts change no certificate.
        own, why = own_pairs(ctx, project, generator.model, pairs, seed)
        if not before or own:
            value = {"recipe": recipe, "own": own, "why": why}
            last = before[-1].id if before else None
            project.annotations.add(AnnotationSpec(kind=BEGUN, target=target, value=value, supersedes=last))
        return cls(ctx, project, project.annotations.of_kind(BEGUN, target=target)[-1])

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        stored = self._row.value["own"]
        texts = self._project.texts(("output", number) for pair in stored for number in pair["outputs"])
        own: list[Case] = []
        for number, pair in enumerate(stored):
            both = [texts.get(("output", key), "") for key in pair["outputs"]]
            if texts_digest(map(sha256_text, both)) == pair["sha256"]:
                own.append(Case("self", number, (both[0], both[1]), pair["task"], pair["theme"]))
        return (*packaged_cases(self.recipe["pairs"], self.seed), *own)

    @cached_property
    def asks(self) -> tuple[_Ask, ...]:
        return tuple(_Ask(case, first) for case in self.cases for first in (0, 1))

    def left(self) -> list[_Ask]:
        """Return the requests without a reply, and those that failed in passing."""
        return [ask for ask in self.asks if _to_ask(self.said.get(ask.place))]

    @cached_property
    def _wording(self) -> ComparisonWording:
        return wording_of(self._project)

    def request(self, ask: _Ask, parameters: Mapping[str, Any]) -> Request:
        case, words = ask.case, certificate_words()
        title, criteria = words.title, [RatingCriterion(name, explained) for name, explained in words.criteria]
        if case.line == "self":
            title, criteria = self._wording.title(case.task, case.theme), list(self._wording.criteria(case.task))
        salt = output_seed(self.seed, "/".join(map(sha256_text, sorted(case.texts))), 0)
        prompt = judging_prompt(title, criteria, ask.texts, salt=f"{salt}")
        drawn = {"max_tokens": judging_words().reply_tokens} | sampling(parameters)
        key = f"certificate/{case.key}/{ask.first}"
        return Request(key=key, prompt=prompt.text, seed=output_seed(self.seed, key, 0), answers=answers_to(2), **drawn)

    def record(self, ask: _Ask, completion: Completion) -> None:
        """Store a reply; on disk when this returns. One that failed before is superseded."""
        read = read_completion(completion, ask.texts)
        value = {
            "case": ask.case.key, "first": ask.first, "read": read.as_,
            "chosen": None if read.card is None else (read.card + ask.first) % 2,
            "texts_sha256": texts_digest(map(sha256_text, ask.case.texts)),
            "reply": completion.text[:LONGEST_REPLY], "finish_reason": completion.finish_reason,
        }  # fmt: skip
        if read.as_ == "failed":
            value |= {"failure": completion.failure or "other", "error": completion.error}
        before = self.said.get(ask.place)
        spec = AnnotationSpec(
            kind=REPLY, target=self._row.target, value=value, supersedes=None if before is None else before.id
        )
        key = self._project.annotations.add(spec).uuid("annotation")
        self.said[ask.place] = AnnotationRow(key, REPLY, spec.target, None, value, spec.supersedes, "")
        self.added += 1

    def check_form(self) -> None:
        """Raise AppError where none of the first replies is an answer in the form asked: the rest would be none."""
        read = [row.value for row in self.said.values() if row.value["read"] != "failed"]
        if len(read) >= PROBED and all(value["read"] in ("refused", "unreadable") for value in read):
            why = Counter(map(why_unread, read))
            raise AppError(
                f"“{self.certificate_name}” cannot judge: none of its first {len(read)} replies is an answer in the "
                f"form asked ({reasons_in_words(why)}).",
                kept="Its replies are kept; it gets no certificate.",
                hint="Choose a model that follows instructions.",
                details=f"Its last reply: {read[-1]['reply'][:200]}",
            )

    @property
    def certificate_name(self) -> str:
        return str(self.recipe["generator"]["model"] or self.recipe["generator"]["backend"])

    def certificate(self, statistics: ComputeProcess | None = None) -> Certificate:
        known = {ask.place: ask.case for ask in self.asks}
        rows = {place: row.value for place, row in self.said.items() if place in known}
        replies = [
            CaseReply(known[place].line, known[place].number, place[1], value["read"], value["chosen"])
            for place, value in rows.items()
        ]
        left = {ask.place for ask in self.left()}
        people = judged_by_people(self._ctx, self._project, GeneratorSpec(**self.recipe["generator"]))
        about = (replies, people, str(self._row.value["why"]), "" if people else NO_PEOPLE)
        found = certificate_findings(*about) if statistics is None else statistics.call(certificate_findings, *about)
        return Certificate(
            id=self._row.target,
            recipe=self.recipe,
            begun_at=self._row.created_at,
            wanted=len(self.asks),
            added=self.added,
            read=dict(Counter(value["read"] for place, value in rows.items() if place not in left)),
            failed=dict(Counter(str(value["failure"]) for value in rows.values() if value["read"] == "failed")),
            findings=found,
        )


def _to_ask(row: AnnotationRow | None) -> bool:
    if row is None:
        return True
    return row.value["read"] == "failed" and row.value.get("failure") not in FOR_GOOD


# ---- The job


@dataclass
class _Asking:
    """One start: sends what is left to the model process and stores replies as they come."""

    ctx: JobContext
    asked: _Asked
    generator: GeneratorSpec
    compute: ComputeProcess
    keys: dict[str, str]
    failures: FailureWatch = field(default_factory=lambda: FailureWatch(MEND))

    def all(self) -> None:
        self.asked.check_form()
        self._report()
        left = self.asked.left()
        for start in range(0, len(left), AT_ONCE):
            some = left[start : start + AT_ONCE]
            while some:
                self.ctx.check()  # waits here while paused
                answered: set[tuple[str, int]] = set()
                whole = self._ask(some, answered)
                rest = [ask for ask in some if ask.place not in answered]
                if rest and whole:
                    raise AppError(
                        f"The backend left {len(rest):,} requests without a reply.",
                        kept="Every reply that came is saved.",
                        hint="Its plug-in needs mending; choose another generator.",
                    )
                some = rest

    def _ask(self, asks: Sequence[_Ask], answered: set[tuple[str, int]]) -> bool:
        about = (self.generator.backend, self.generator.model, self.generator.parameters)
        requests = [self.asked.request(ask, self.generator.parameters) for ask in asks]
        receive = partial(self._receive, asks, answered)
        return ask_all(self.ctx, self.compute, about, requests, self.keys, receive)

    def _receive(self, asks: Sequence[_Ask], answered: set[tuple[str, int]], partial_result: object) -> None:
        if isinstance(partial_result, Written):
            completions = [completion for _, completion in partial_result.completions]
            for place, completion in partial_result.completions:
                self.asked.record(asks[place], completion)
                answered.add(asks[place].place)
            self._report(completions[-1].text)
            self.failures.look(completions)
            self.asked.check_form()
        elif isinstance(partial_result, LiveText):
            self._report(partial_result.text)

    def _report(self, text: str | None = None) -> None:
        self.ctx.report(len(self.asked.said), len(self.asked.asks), partial=text)


# ---- The judge's own texts, each beside another model's of like length for the same prompt


def own_pairs(ctx: JobContext, project: Project, model: str, most: int, seed: int) -> tuple[list[dict[str, Any]], str]:
    """Return at most so many pairs of outputs, the judge's own first; or none and the reason.

    Texts are of like length where they differ by at most a fifth, in characters. As many own ones are the longer as are
    the shorter, so that a preference for length looks like none for its own.
    """
    found: list[dict[str, Any]] = []
    for study in project.studies.all():
        labels = {} if study.kind in ("completion", "packet") else writers(project, study.id)
        generators = project.runs.generators()
        own = {
            label for run, label in labels.items() if _is(generators[project.runs.get(run).generator_id].model, model)
        }
        if own and set(labels.values()) - own:
            pool = gather_models(ctx, project, CompareRequest(study, cards=2))
            by_prompt: defaultdict[tuple[str, int], list[Any]] = defaultdict(list)
            for candidate in pool.candidates:
                if not candidate.problem:
                    by_prompt[candidate.block, candidate.sample].append(candidate)
            for cell in by_prompt.values():
                found += _beside(project, cell, own)
    chosen = _even(found, most, random.Random(f"{seed} own"))
    if len(chosen) >= FEWEST:
        return chosen, ""
    if not found:
        return [], NO_OTHERS
    return [], f"{len(chosen)} pairs of like length, as many of them longer as shorter, and {FEWEST} are the fewest"


def _is(one: str, other: str) -> bool:
    return bool(other) and one.casefold() == other.casefold()


def _beside(project: Project, cell: Sequence[Any], own: set[str]) -> list[dict[str, Any]]:
    texts = project.texts(candidate.key for candidate in cell)
    mine = [candidate for candidate in cell if candidate.identity in own]
    others = [candidate for candidate in cell if candidate.identity not in own]
    pairs = []
    for one, other in zip(mine, others, strict=False):
        lengths = [len(texts[candidate.key]) for candidate in (one, other)]
        if one.text_sha256 != other.text_sha256 and abs(lengths[0] - lengths[1]) <= LONGER_BY * max(lengths):
            theme = one.theme if one.shown_theme is None else one.shown_theme
            pairs.append({
                "outputs": [one.output, other.output], "task": one.task, "theme": theme,
                "sha256": texts_digest([one.text_sha256, other.text_sha256]), "longer": lengths[0] - lengths[1],
            })  # fmt: skip
    return pairs


def _even(found: list[dict[str, Any]], most: int, rng: random.Random) -> list[dict[str, Any]]:
    rng.shuffle(found)
    longer = [pair for pair in found if pair["longer"] > 0]
    shorter = [pair for pair in found if pair["longer"] < 0]
    equal = [pair for pair in found if pair["longer"] == 0][:most]
    each = min(len(longer), len(shorter), (most - len(equal)) // 2)
    return [*equal, *longer[:each], *shorter[:each]]


# ---- People who judged the same comparisons


def judged_by_people(ctx: JobContext, project: Project, generator: GeneratorSpec) -> list[tuple[int, int]]:
    """Return for each comparison that people and this model judged the card of most people and that of the model.

    The model's counts where every order of the cards gave the same; a split of people has no majority. Only revealed
    sessions are read, a workshop's in groups.
    """
    wanted = canonical_json(generator.model_dump())
    raters = {row.id: row for row in project.judging.raters()}
    models = {
        key for key, row in raters.items()
        if row.kind == "model" and canonical_json(row.background.get("generator", {})) == wanted
    }  # fmt: skip
    finished = [row for row in project.judging.sessions() if row.revealed_at is not None]
    plans = {row.plan_id for row in finished if row.rater_id in models}
    of_people: defaultdict[str, Counter[int]] = defaultdict(Counter)
    of_model: defaultdict[str, list[JudgmentRow]] = defaultdict(list)
    for session in tellable_sessions(project, (row for row in finished if row.plan_id in plans)):
        ctx.check()
        is_model = session.rater_id in models
        if not is_model and raters[session.rater_id].kind != "person":
            continue
        for row in project.judging.judgments(session.id):
            if is_model:
                of_model[row.comparison_id].append(row)
            elif row.chosen is not None and not row.seen and row.recommended is None:
                of_people[row.comparison_id][row.chosen] += 1
    rows = {row.id: row for plan in plans for row in project.judging.comparisons(plan)}
    pairs = (
        (_majority(of_people[key]), _steady(rows[key], of_model[key]))
        for key in sorted(of_people.keys() & of_model.keys())
        if rows[key].axis != CHECK and rows[key].repeat_of is None
    )
    return [(most, same) for most, same in pairs if most is not None and same is not None]


def _majority(chosen: Counter[int]) -> int | None:
    ranked = chosen.most_common(2)
    return None if len(ranked) == 2 and ranked[0][1] == ranked[1][1] else ranked[0][0]


def _steady(comparison: ComparisonRow, rows: Sequence[JudgmentRow]) -> int | None:
    cards = {row.chosen for row in rows}
    return cards.pop() if len(rows) == len(comparison.items) and len(cards) == 1 else None
