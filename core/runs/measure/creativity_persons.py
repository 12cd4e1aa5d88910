"""Participants of workshops in measures: pooled with everybody, and never told apart."""

import random
from collections.abc import Sequence
from dataclasses import replace

from core.findings import Finding, StudyResult
from core.judging.workshop import participants
from core.project.project import Project
from core.runs.measure.creativity_columns import Columns


def without_codes(project: Project, columns: Columns) -> tuple[Columns, frozenset[str]]:
    """The columns with a number in place of each participant's code, shuffled anew each time; and those numbers.

    A number is needed, because two answers of one person are not those of two. It leads to nobody.
    """
    codes = sorted(participants(project) & set(columns["rater"]))
    random.SystemRandom().shuffle(codes)
    name_of = {code: f"participant {number}" for number, code in enumerate(codes, start=1)}
    named = {**columns, "rater": [name_of.get(code, code) for code in columns["rater"]]}
    return named, frozenset(name_of.values())


def without_persons(result: StudyResult, names: frozenset[str]) -> StudyResult:
    """The findings without those about one participant; in the others, participants are counted and not listed."""
    if not names:
        return result
    kept = tuple(_unlisted(finding, names) for finding in result.findings if not _about_one(finding, names))
    return replace(result, findings=kept)


def _about_one(finding: Finding, names: frozenset[str]) -> bool:
    said: Sequence[str] = (finding.label, *map(str, finding.dims.values()))
    pair = len(finding.groups) == 2 and bool(names & set(finding.groups)) and " / " in finding.label
    return pair or any(_holds(words, names) for words in said)


def _holds(words: str, names: frozenset[str]) -> bool:
    return any(name == words or name in words.split(" / ") for name in names)


def _unlisted(finding: Finding, names: frozenset[str]) -> Finding:
    if not names & {*finding.groups, *finding.n_by_group}:
        return finding
    people = len(names & {*finding.groups, *finding.n_by_group})
    groups = tuple(group for group in finding.groups if group not in names)
    counts = {group: count for group, count in finding.n_by_group.items() if group not in names}
    note = f"{finding.note} {people} of them took part in a workshop and are not listed.".strip()
    return replace(finding, groups=groups, n_by_group=counts, note=note)
