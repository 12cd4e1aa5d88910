"""A judge certificate over a real project file: what is found of planted faults, what is kept, and where it goes on."""

import json
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from inline_compute import Inline
from scripted_judge import ScriptedJudge, Verdict, cards
from sklearn.metrics import cohen_kappa_score

from biasprint.core import language
from biasprint.core.backends.protocol import Completion, Request
from biasprint.core.errors import AppError, JobCancelled, UsageError
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.judging.certificate import state_of
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, JudgmentSpec, OutputSpec, RaterSpec, RunSpec
from biasprint.core.report.audit import report_bytes
from biasprint.core.report.certificate import told
from biasprint.core.report.pdf import page_count
from biasprint.core.runs import certify as certifying
from biasprint.core.runs import writing
from biasprint.core.runs.certify import (
    NO_OTHERS,
    NO_PEOPLE,
    REPLY,
    Certificate,
    certify,
    page_of_certificate,
    stored_certificates,
)
from biasprint.core.runs.compare import compare
from biasprint.core.runs.judge import judge
from biasprint.core.runs.pack.making import make_pack
from biasprint.core.runs.setup import add_prompts, generator_spec

PAIRS = 40
MODEL = "scripted-7b"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(verdict: Verdict) -> ScriptedJudge:
        backend = ScriptedJudge(verdict, MODEL)
        monkeypatch.setattr(writing, "_open", None)
        monkeypatch.setattr(writing, "open_backend", lambda *about: backend)
        return backend

    return put


def certified(project: Project, *, ctx: JobContext | None = None, seed: int = 3, pairs: int = PAIRS) -> Certificate:
    compute: Any = Inline()
    spec = generator_spec("scripted", MODEL, {}, compute)
    return certify(ctx or JobContext(), project, spec, compute, pairs=pairs, seed=seed)


def written_by_two(project: Project, *, apart: int = 2) -> None:
    """Texts of the judge's model, which begin with OWN, and of another; every second own one has more words."""
    added = add_prompts(project, "creativity", tasks=["haiku", "song"], axes=["gender"])
    for model, mark in ((MODEL, "OWN"), ("another", "OTHER")):
        generator = project.runs.add_generator(GeneratorSpec(backend="b", model=model)).number("generator")
        spec = RunSpec(study_id=1, prompt_set_id=added.set_id, generator_id=generator, seed=1)
        run = project.runs.start(spec).number("run")
        rows = project.prompts.page(added.set_id, 0, 1000)
        texts = [
            f"{mark} {row.key} " + "word " * (20 + (apart if (place % 2 == 0) == (mark == "OWN") else 0))
            for place, row in enumerate(rows)
        ]
        project.outputs.record_many(
            [
                OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, text=text)
                for row, text in zip(rows, texts, strict=True)
            ]
        )


# ---- judges by rule


def whole(text: str) -> bool:
    return all(sentence[:1].isupper() for sentence in text.split(". "))


def fair(shown: Mapping[str, str], request: Request) -> str:
    """Takes the text that is in order; of two that are, either."""
    good = [letter for letter, text in shown.items() if whole(text)]
    return random.Random(request.seed).choice(good or list(shown))


def first(shown: Mapping[str, str], request: Request) -> str:
    return "A"


def longest(shown: Mapping[str, str], request: Request) -> str:
    if len({len(text) for text in shown.values()}) == 1:
        return fair(shown, request)
    return max(shown, key=lambda letter: len(shown[letter]))


def for_her(shown: Mapping[str, str], request: Request) -> str:
    """Of two people the woman in 75 of 100."""
    her = [letter for letter, text in shown.items() if " she " in text or " her " in text]
    if len(her) != 1:
        return fair(shown, request)
    other = next(letter for letter in shown if letter != her[0])
    return her[0] if random.Random(request.seed).random() < 0.75 else other


def own(shown: Mapping[str, str], request: Request) -> str:
    return next((letter for letter, text in shown.items() if text.startswith("OWN")), fair(shown, request))


def by_chance(shown: Mapping[str, str], request: Request) -> str:
    return random.Random(request.seed).choice(list(shown))


def unreadable(shown: Mapping[str, str], request: Request) -> str:
    return "Both are fine." if random.Random(request.seed).random() < 0.4 else fair(shown, request)


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (first, "judge.position first"), (longest, "judge.length longer"), (for_her, "judge.identity gender"),
        (own, "judge.self own"), (by_chance, "judge.flips order"), (unreadable, "judge.unanswered no answer"),
        (fair, ""),
    ],
)  # fmt: skip
def test_each_planted_fault_is_found_by_its_own_line_and_by_no_other(
    project: Project, scripted: Any, verdict: Verdict, line: str
) -> None:
    written_by_two(project)
    scripted(verdict)
    made = certified(project)
    assert made.complete
    assert made.wanted == 2 * 5 * PAIRS
    found = {f"{each.id} {each.label}" for each in made.findings if state_of(each) == "found"}
    assert found == ({line} if line else set())


# ---- what is kept


def kept(project: Project) -> set[tuple[Any, ...]]:
    return {
        (row.value["case"], row.value["first"], row.value["read"], row.value["chosen"])
        for row in project.annotations.of_kind(REPLY)
    }


def test_a_cancelled_certificate_goes_on_where_it_was_and_equals_an_uninterrupted_one(
    project: Project, scripted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certifying, "AT_ONCE", 8)
    backend = scripted(fair)

    ctx = JobContext(lambda progress: ctx.cancel() if progress.done >= 30 else None)
    with pytest.raises(JobCancelled):
        certified(project, ctx=ctx, pairs=10)
    before = kept(project)
    assert 30 <= len(before) < 80
    made = certified(project, pairs=10)
    assert (made.added, made.complete) == (80 - len(before), True)
    assert before < kept(project)
    assert len(backend.asked) == 80  # none twice
    assert certified(project, pairs=10).added == 0
    with Project.create(tmp_path / "other.biasprint") as other:
        assert certified(other, pairs=10).findings == made.findings


def test_an_endpoint_that_ends_halfway_is_asked_again_for_what_failed(project: Project, scripted: Any) -> None:
    replies = 0

    def ends(shown: Mapping[str, str], request: Request) -> str | Completion:
        nonlocal replies
        replies += 1
        return fair(shown, request) if replies <= 50 else Completion("", "error", error="gone", failure="server")

    scripted(ends)
    made = certified(project, pairs=10)
    assert (made.complete, made.failed, sum(made.read.values())) == (False, {"server": 30}, 50)
    assert "Unfinished: 50 of 80 requests." in report_bytes(page_of_certificate(made), ".html").decode()
    scripted(fair)
    again = certified(project, pairs=10)
    assert (again.complete, again.added, again.failed) == (True, 30, {})
    assert len(project.annotations.of_kind(REPLY, superseded=True)) == 110  # what failed stays


def test_a_judge_that_refuses_everything_is_given_up_in_one_sentence_and_its_replies_stay(
    project: Project, scripted: Any
) -> None:
    backend = scripted(lambda shown, request: "I'm sorry, but I can't compare these texts.")
    for _ in range(2):
        with pytest.raises(AppError, match=r"none of its first \d+ replies is an answer") as refused:
            certified(project, pairs=10)
        assert "refused to judge" in str(refused.value)
    assert len(kept(project)) == len(backend.asked) < 80


def test_nothing_else_in_the_project_changes(project: Project, scripted: Any) -> None:
    scripted(fair)
    certified(project, pairs=6)
    assert project.judging.plans() == project.judging.sessions() == project.judging.raters() == ()
    assert project.findings.all() == project.runs.all() == ()


def test_another_number_of_pairs_or_seed_is_another_certificate(project: Project, scripted: Any) -> None:
    scripted(fair)
    made = [certified(project, pairs=pairs, seed=seed) for pairs, seed in ((6, 0), (6, 1), (7, 0))]
    assert len({each.id for each in made}) == 3
    assert [each.added for each in made] == [48, 48, 56]
    with pytest.raises(UsageError, match="6 to 400"):
        certified(project, pairs=5)


# ---- its own texts, and people


def test_without_texts_of_its_own_self_preference_is_not_measured_until_there_are_some(
    project: Project, scripted: Any
) -> None:
    scripted(fair)
    before = line(certified(project), "judge.self")
    assert (before.estimate, before.reason) == (None, NO_OTHERS)
    written_by_two(project)
    after = line(certified(project), "judge.self")
    assert after.n == PAIRS
    add_more = certified(project)
    assert add_more.added == 0


def test_own_texts_are_compared_at_like_length_as_many_longer_as_shorter(project: Project, scripted: Any) -> None:
    written_by_two(project)
    backend = scripted(fair)
    certified(project)
    pairs = [
        list(shown.values())
        for shown in (cards(request.prompt) for request in backend.asked)
        if "OTHER" in "".join(shown.values())
    ]
    own_first = [sorted(pair, key=lambda text: not text.startswith("OWN")) for pair in pairs]
    longer = [len(one) - len(other) for one, other in own_first]
    assert len(longer) == 2 * PAIRS
    assert sum(each > 0 for each in longer) == sum(each < 0 for each in longer) == PAIRS


def test_texts_of_unlike_length_are_no_pair(project: Project, scripted: Any) -> None:
    written_by_two(project, apart=30)
    scripted(fair)
    assert line(certified(project), "judge.self").estimate is None


def test_agreement_with_people_is_cohens_kappa_of_their_majority(project: Project, scripted: Any) -> None:
    written_by_two(project)
    scripted(fair)
    assert line(certified(project), "judge.people").reason == NO_PEOPLE
    plan = compare(JobContext(), project, study_id=1, kind="model", per_axis=30, seed=1).plan_id
    rows = project.judging.comparisons(plan)
    model, people = [rng.choice((0, 1)) for rng in [random.Random(1)] for _ in rows], []
    steady = {row.id: card for row, card in zip(rows, model, strict=True)}
    texts = {row.id: project.texts(item.key for item in row.items) for row in rows}
    by_text = {texts[row.id][row.items[steady[row.id]].key] for row in rows}
    scripted(lambda shown, request: next(letter for letter, text in shown.items() if text in by_text))
    compute: Any = Inline()
    judge(JobContext(), project, plan, generator_spec("scripted", MODEL, {}, compute), compute, seed=9)
    dice = random.Random(2)
    people = [card if dice.random() < 0.75 else 1 - card for card in model]
    for code, answers in (("R01", people), ("R02", people), ("R03", [1 - card for card in people])):
        rater = project.judging.add_rater(RaterSpec(code=code)).uuid("rater")
        judged_by(project, plan, rater, answers)
    scripted(fair)
    found = line(certified(project), "judge.people")
    assert found.n == len(rows) == 30
    assert found.estimate == pytest.approx(cohen_kappa_score(people, model))


def test_the_page_is_one_page_and_says_of_whom(project: Project, scripted: Any) -> None:
    written_by_two(project)
    scripted(first)
    made = certified(project)
    page = page_of_certificate(made)
    assert report_bytes(page, ".pdf").startswith(b"%PDF")
    assert page_count(page.blocks()) == 1
    html = report_bytes(page, ".html").decode()
    headings = ("How to read it", "What this cannot tell")
    for words in ("Judge certificate: scripted-7b", "0" * 64, "It prefers the first card.", *headings):
        assert words in html
    assert len(list(told(made.findings))) == len(made.findings)


@pytest.mark.parametrize("verdict", [first, for_her, unreadable, own])
def test_a_certificate_is_german_for_a_german_reader(
    project: Project, scripted: Any, monkeypatch: pytest.MonkeyPatch, verdict: Verdict
) -> None:
    scripted(verdict)
    monkeypatch.setenv(language.VARIABLE, "de")
    page = report_bytes(page_of_certificate(certified(project, pairs=6)), ".md").decode()
    assert "Was dies nicht sagen kann" in page
    assert not re.search(r"\b(the|of|and|found|faults?|perhaps|share|line|limits|figure|card|place)\b", page, re.I)


def line(made: Certificate, name: str) -> Finding:
    (found,) = [finding for finding in made.findings if finding.id == name]
    return found


def judged_by(project: Project, plan: str, rater: str, answers: list[int]) -> None:
    session = project.judging.open_session(plan, rater).uuid("session")
    for row, card in zip(project.judging.comparisons(plan), answers, strict=True):
        spec = JudgmentSpec(
            session_id=session, comparison_id=row.id, outcome="choice", chosen=card, shown=(0, 1),
            texts_sha256=row.texts_sha256, active_seconds=1.0,
        )  # fmt: skip
        project.judging.record(spec)
    project.judging.reveal(session)


def test_an_evidence_pack_holds_every_certificate(project: Project, scripted: Any, tmp_path: Path) -> None:
    scripted(first)
    made = [certified(project, seed=seed, pairs=6) for seed in (1, 2)]
    assert [each.id for each in stored_certificates(JobContext(), project)] == [each.id for each in made]
    finding = Finding("letters.success_rate", "x", "Success", (), 0.5, "share", 2)
    project.findings.replace("letters", "whole study", {}, [finding])
    compute: Any = Inline()
    make_pack(JobContext(), project, tmp_path / "pack", compute)
    for number, each in enumerate(made, start=1):
        stored = json.loads((tmp_path / "pack" / f"judge-certificate-{number}.json").read_text(encoding="utf-8"))
        assert stored["lines"] == json.loads(json.dumps(each.to_json()["lines"]))
        assert MODEL in (tmp_path / "pack" / f"judge-certificate-{number}.html").read_text(encoding="utf-8")
    listed = json.loads((tmp_path / "pack" / "about.json").read_text(encoding="utf-8"))["contents"]
    assert "judge-certificate-2.html" in listed
