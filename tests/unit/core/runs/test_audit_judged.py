"""An audit whose texts are judged by a model: drawn, judged, measured, saved, and done again to the same numbers."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from inline_compute import Inline
from scripted_judge import ScriptedJudge, Verdict

from biasprint.core.backends.protocol import Request
from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs import writing
from biasprint.core.runs.audit import doing
from biasprint.core.runs.audit.doing import AuditResult, AuditRun
from biasprint.core.runs.audit.reading import as_toml, checked, read_audit, saved_audit
from biasprint.core.runs.measure import MeasuredStudy
from biasprint.core.studies.creativity.gather import axes_of, of_judgments

INLINE: Any = Inline()
ASKED: dict[str, Any] = {
    "prompts": [{
        "study": "creativity", "tasks": ["haiku"], "axes": ["orientation"],
        "themes": ["stars", "sun", "rain", "castle", "fear", "joy"],
    }],
    "generators": [{"backend": "synthetic", "model": "none"}],
    "comparisons": [{"study": "creativity", "axes": ["orientation"], "per_axis": 6}],
    "judges": [{"backend": "scripted", "model": "scripted-7b", "seed": 5}],
    "outputs": {"project": "a.biasprint"},
}  # fmt: skip


def longest(shown: Any, request: Request) -> str:
    """Whatever the order of the cards."""
    return max(sorted(shown), key=lambda letter: (len(shown[letter]), shown[letter]))


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A judge beside the backends that there are."""

    def put(verdict: Verdict) -> ScriptedJudge:
        judge, real = ScriptedJudge(verdict), writing.open_backend
        monkeypatch.setattr(writing, "_open", None)
        monkeypatch.setattr(
            writing, "open_backend", lambda name, *about: judge if name == "scripted" else real(name, *about)
        )
        return judge

    return put


def of_judged(ctx: JobContext, project: Project, *_: Any) -> MeasuredStudy:
    """What was chosen is measured, and no text: that takes longer, and is held elsewhere."""
    sessions = [one for one in project.judging.sessions() if one.revealed_at is not None]
    result = of_judgments(ctx, project, sessions, axes_of(project), 0, INLINE, parts=False)
    return MeasuredStudy(result, {})


@pytest.fixture(autouse=True)
def light(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(doing, "measure_project", of_judged)


def done(path: Path, found: dict[str, Any]) -> AuditResult:
    with Project.create(path) if not path.exists() else Project.open(path) as project:
        return AuditRun(project, checked(found, "a.toml"), INLINE, INLINE)(JobContext())


def test_a_model_judges_what_was_written_and_the_saved_file_finds_the_same(scripted: Any, tmp_path: Path) -> None:
    judge = scripted(longest)
    first = done(tmp_path / "a.biasprint", ASKED)
    assert first.undone == ()
    (judged,) = first.to_json()["judged"]
    assert (judged["name"], judged["comparisons"], judged["wanted"]) == ("scripted-7b", 6, 12)  # either order
    assert judged["closed"]
    asked = len(judge.asked)
    shares = [one for one in first.measured["creativity"].result.findings if one.id == "creativity.share"]
    assert shares
    assert all(one.estimate is not None for one in shares if one.dims == {"axis": "orientation"})

    again = done(tmp_path / "a.biasprint", ASKED)
    assert len(judge.asked) == asked  # it goes on where it was: nothing is asked twice
    assert again.measured["creativity"].result.findings == first.measured["creativity"].result.findings

    with Project.open(tmp_path / "a.biasprint", read_only=True) as project:
        text = saved_audit(JobContext(), project, tmp_path / "b.toml")
    (tmp_path / "b.toml").write_text(text, encoding="utf-8")
    audit, _ = read_audit(tmp_path / "b.toml")
    with Project.create(tmp_path / "b.biasprint") as project:
        other = AuditRun(project, audit, INLINE, INLINE)(JobContext())
    assert other.undone == ()
    assert other.measured["creativity"].result.findings == first.measured["creativity"].result.findings


def test_a_model_that_cannot_judge_is_a_sentence_and_the_rest_is_done(scripted: Any, tmp_path: Path) -> None:
    scripted(longest)
    judges = [{"backend": "synthetic", "model": "large"}]
    result = done(tmp_path / "a.biasprint", {**ASKED, "judges": judges})
    (said,) = result.undone
    assert said.startswith("large did not judge ")
    assert "is no language model and cannot judge" in said
    assert list(result.measured) == ["creativity"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"judges": []}, "There are comparisons and nobody to judge them"),
        ({"comparisons": []}, "There are judges and nothing to judge"),
        ({"comparisons": [{"study": "letters"}]}, "Texts of “letters” are to be judged, and there are none here"),
        (
            {"comparisons": [{"study": "creativity", "judges": ["Anna"]}]},
            "“Anna” is to judge and is none of the judges",
        ),
        ({"comparisons": [{"study": "creativity", "kind": "length"}]}, "comparisons 1 kind"),
        ({"judges": [{"backend": "b", "model": "m", "samples": 2}]}, "There is no key “samples” in judges 1"),
    ],
)
def test_what_does_not_fit_is_said_before_anything_is_done(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        checked({**ASKED, **changes}, "a.toml")


def test_a_judge_and_comparisons_are_toml() -> None:
    audit = checked(ASKED, "a.toml")
    assert checked(tomllib.loads(as_toml(audit)), "a.toml") == audit
