"""Analysis plans of a project: read from a file, locked as rows that are only ever added, read back and verified."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Adjustment, Finding, mirrored
from biasprint.core.judging.carefulness import exclusions
from biasprint.core.metrics.result import benjamini_hochberg, holm
from biasprint.core.project.project import Project
from biasprint.core.project.rows import EventRow
from biasprint.core.project.stores.common import json_sha256, utc_now
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.resource_files import parsed_toml, read_toml, validated
from biasprint.core.report.planned import (
    LATER_RATERS,
    RECIPE_KEY,
    AnalysisPlan,
    Known,
    PlanLock,
    StudyPlan,
    parse_meant,
    unknown,
    when_words,
)
from biasprint.core.studies.registry import studies
from biasprint.core.studies.registry import study as known_study
from biasprint.core.text import sha256_text
from biasprint.core.texts.generators import texts_of

LOCKED = "analysis plan locked"  # the kind of its events
ENDINGS = (".toml",)


# ---- From a file


def read_plan(path: Path) -> tuple[AnalysisPlan, str]:
    """Return the plan of a file and its exact text. Raises `AppError` for what is no plan, naming what is wrong."""
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"An analysis plan is a .toml file, not “{path.name}”.")
    read_toml(path)  # says what is wrong with the file itself
    text = path.read_bytes().decode("utf-8")
    return parse_plan(text, path.name), text


def parse_plan(text: str, called: str) -> AnalysisPlan:
    """Return the plan that a text is. Raises `AppError`, `UsageError` for findings that its study never has."""
    plan = validated(AnalysisPlan, parsed_toml(text.removeprefix("\ufeff")), called)
    known_study(plan.study)
    for sentence in _wrong(plan):
        raise UsageError(f"{called}: {sentence}", kept="Nothing was locked.")
    return plan


def _wrong(plan: AnalysisPlan) -> Iterator[str]:
    keys = set()
    for entry in plan.findings:
        meant = entry.meant
        if sentence := unknown(meant, [plan.study]):
            yield sentence
        if meant.key in keys:
            yield f"“{meant.text}” is planned twice."
        if entry.margin is not None and entry.margin <= 1 and "ratio" in meant.id:
            yield f"The margin of {meant.id} is a factor: give a number above 1, such as 1.25."
        keys.add(meant.key)


HEAD = """# An analysis plan of Biasprint. “biasprint analysis-plan lock FILE THIS” locks it with its hash and the time.
# Lock it before any text is scored or judged: what it names counts as planned, everything else as exploratory.
"""
BODY = """
analysis_plan = 1
study = {study}
title = ""
{texts}level = 0.05  # an adjusted p up to this shows a difference
exclusions = []  # texts that are left out: "refusals", "cut texts", "duplicates"

# The findings of interest, in the order in which they are reported. ID alone means every finding of it; narrow it by a
# label and dims, as in a gate: "letters.lexicon.odds_ratio[agentic, first=male]". Remove # before those that you plan.
# margin = 0.2 under a finding is the smallest difference that matters; of a ratio it is a factor above 1.
"""


def example_plan(project: Project, study: str) -> str:
    """Return a plan with the finding that leads a study's first question, and those of the others to be chosen."""
    (ask, name), *others = candidates(study)
    text = plan_text(study, [(ask, name, None)], texts=planned_texts(project, study) or None)
    return text + "".join(f"\n# [[findings]]  # {ask}\n# finding = {json.dumps(name)}\n" for ask, name in others)


def planned_texts(project: Project, study: str) -> int:
    """Return how many texts a study's prompts ask for, or more where there are more; 0 where neither is known."""
    row = project.studies.of_kind(study)
    if row is None:
        return 0
    asked = sum(project.prompts.count(each.id) for each in project.prompts.sets(row.id))
    return max(asked, texts_of(project, row.id))


def candidates(study: str) -> list[tuple[str, str]]:
    """Return the questions of a study, each with the name of the finding that leads it."""
    known = known_study(study)
    named = [(question.ask, question.about[0]) for question in known.questions if question.about]
    fitting = [(ask, name) for ask, name in named if not unknown(parse_meant(name), [study])]
    return fitting or [("", name) for name in known.findings if not name.endswith("*")]


def plan_text(
    study: str,
    findings: Sequence[tuple[str, str, float | None]],
    *,
    texts: int | None = None,
    exclusions: Sequence[str] = (),
    level: float = 0.05,
) -> str:
    """Return a plan as an explained file. `findings`: question, finding and margin of each."""
    number = f"texts = {texts}  # how many are to be written or imported\n" if texts else ""
    body = BODY.format(study=json.dumps(study), texts=number)
    body = body.replace("level = 0.05", f"level = {level:g}").replace("[]  #", f"{json.dumps(list(exclusions))}  #")
    for ask, name, margin in findings:
        body += f"\n[[findings]]{f'  # {ask}' if ask else ''}\nfinding = {json.dumps(name, ensure_ascii=False)}\n"
        body += f"margin = {margin!r}\n" if margin is not None else ""
    return HEAD + body


# ---- In the project


def lock_plan(project: Project, plan: AnalysisPlan, text: str) -> PlanLock:
    """Store a plan, beside those that were locked before; on disk when this returns.

    Raises `UsageError` for a study that the project is not of, `AppError` for the plan that is locked already.
    """
    kinds = [study.kind for study in project.studies.all()]
    if kinds and plan.study not in kinds and not studies()[plan.study].reads_other_texts:
        raise UsageError(
            f"The plan is for the study “{plan.study}”; this project has: {', '.join(kinds)}.",
            kept="Nothing was locked.", hint="Write the plan for one of them: biasprint analysis-plan new.",
        )  # fmt: skip
    before = analysis_plan(project, plan.study)
    sha256 = sha256_text(text)
    if before is not None and before.last.sha256 == sha256:
        raise AppError(f"This plan is locked already, since {when_words(before.last.at)}.", kept="Nothing was added.")
    body: dict[str, Any] = {
        "study": plan.study, "text": text, "sha256": sha256, "at": utc_now(),
        "known": vars(known_now(project, plan.study)), "before": before.last.row_sha256 if before else "",
    }  # fmt: skip
    project.events.add(LOCKED, {**body, "row_sha256": json_sha256(body)})
    locked = analysis_plan(project, plan.study)
    assert locked is not None
    return locked.last


def analysis_plan(project: Project, study: str) -> StudyPlan | None:
    """Return the locks of a study's plan; None where there is none. What was altered after its lock does not count."""
    locks: list[PlanLock] = []
    troubles: list[str] = []
    last = ""
    for row in project.events.of_kind(LOCKED):
        if row.body.get("study") != study:
            continue
        lock = _lock(row)
        if lock is None:
            troubles.append(
                f"The plan that was locked on {when_words(row.created_at)} was altered or damaged after its lock: "
                "its hash no longer fits, and it is left out."
            )
        else:
            if row.body.get("before") != last and not troubles:
                troubles.append(f"A plan that was locked before {when_words(row.created_at)} is missing.")
            locks.append(lock)
        last = str(row.body.get("row_sha256"))
    if any(problem.table == "event" for problem in project.left_out):
        troubles.append("Damaged rows of the project's diary are left out: a lock of a plan may be among them.")
    if not locks:
        if troubles:
            raise AppError(" ".join(troubles), hint="Take the project from a backup, or lock the plan again.")
        return None
    return StudyPlan(study, tuple(locks), tuple(troubles))


def _lock(row: EventRow) -> PlanLock | None:
    """Return the plan of a row; None where it is not as it was stored."""
    body = {name: value for name, value in row.body.items() if name != "row_sha256"}
    try:
        if json_sha256(body) != row.body["row_sha256"] or sha256_text(body["text"]) != body["sha256"]:
            return None
        plan = validated(AnalysisPlan, parsed_toml(body["text"].removeprefix("\ufeff")), "The locked plan")
        for entry in plan.findings:
            assert entry.meant
        return PlanLock(plan, body["text"], body["sha256"], body["at"], Known(**body["known"]), row.body["row_sha256"])
    except (KeyError, TypeError, ValueError, AttributeError, AppError):
        return None


def locked_studies(project: Project) -> list[str]:
    """Return the studies that a plan was locked for, in the order of their first lock."""
    named = [str(row.body.get("study")) for row in project.events.of_kind(LOCKED)]
    return [study for study in dict.fromkeys(named) if study in studies()]


def why_edited(plan: StudyPlan, path: Path) -> str:
    """Return a sentence where a file is not the plan that was locked last; empty where it is."""
    sha256 = sha256_text(path.read_bytes().decode("utf-8", "surrogateescape"))
    if sha256 == plan.last.sha256:
        return ""
    return (
        f"“{path.name}” is not the plan that was locked on {when_words(plan.last.at)}: its SHA-256 is {sha256[:12]}…, "
        f"that of the locked one {plan.last.sha256[:12]}…."
    )


def known_now(project: Project, study: str) -> Known:
    """Return what could be known; of a study that measures other texts, of the whole project."""
    own = project.studies.of_kind(study)
    rows = [own] if own and not studies()[study].reads_other_texts else project.studies.all()
    scored = 0
    for row in rows:
        written = project.outputs.count(OutputFilter(study_id=row.id, status="done"))
        sources = project.sources.count(row.id)
        by_scorer = [
            written
            + sources
            - project.scores.missing("output", name, version, study_id=row.id, embeddings=of)
            - project.scores.missing("source", name, version, study_id=row.id, embeddings=of)
            for name, version, _ in project.scores.known()
            for of in (False, True)
        ]
        scored += max(by_scorer, default=0)
    ids = {row.id for row in rows}
    plans = {plan.id for plan in project.judging.plans() if plan.study_id in ids}
    judgments = sum(
        project.judging.judgment_count(session.id) for session in project.judging.sessions() if session.plan_id in plans
    )
    return Known(sum(texts_of(project, row.id) for row in rows), scored, judgments, len(project.findings.all(study)))


# ---- Measured under a plan


def plan_recipe(project: Project, plan: StudyPlan) -> dict[str, Any]:
    """Return the part of a recipe that says under which plan findings were measured."""
    later = sum(decision.at > plan.last.at for decision in exclusions(project).values())
    return {RECIPE_KEY: plan.last.sha256, **({LATER_RATERS: later} if later else {})}


def with_planned_family(plan: StudyPlan, findings: Sequence[Finding], adjust: str) -> tuple[Finding, ...]:
    """Return the findings with p of those planned before scoring adjusted among each other, by Holm's rule or `bh`.

    A finding that mirrors another is one test with it. What was planned when results could be known keeps the p that
    is adjusted among all tests of its kind: else a plan could be made of what came out.
    """
    planned = [finding for finding in findings if finding.p is not None and plan.before_scoring(finding)]
    copies = mirrored(planned)
    tests = [finding for finding in planned if id(finding) not in copies]
    if not tests:
        return tuple(findings)
    family = "1 planned test" if len(tests) == 1 else f"{len(tests)} planned tests"
    rule, name = (benjamini_hochberg, "Benjamini–Hochberg") if adjust == "bh" else (holm, "Holm")
    by_id = dict(zip(map(id, tests), rule([finding.p for finding in tests]), strict=True))
    own = by_id | {second: by_id[id(first)] for second, first in copies.items()}
    return tuple(
        replace(finding, p_adjusted=own[id(finding)], adjust=Adjustment(name, family))
        if id(finding) in own
        else finding
        for finding in findings
    )
