"""Plans are called by names in words, which their lead changes; the plan stays as it was drawn."""

from pathlib import Path

import pytest
from fingerprint_project import plan_of, project_with_texts

from biasprint.core.errors import UsageError
from biasprint.core.judging.plan import LONGEST_NAME, plan_names, rename_plan


def test_a_plan_is_called_in_words_until_it_is_given_a_name(tmp_path: Path) -> None:
    with project_with_texts(tmp_path / "study.biasprint", ["orientation"], tasks=["haiku"]) as project:
        plan = plan_of(project, "orientation", per_axis=6, seed=4)
        title = project.axes.latest()["orientation"].title
        assert plan_names(project, project.judging.plans()) == {plan: f"{title} (seed 4)"}
        rename_plan(project, plan, "Spring")
        rename_plan(project, plan, " Spring,\n again ")
        assert plan_names(project, project.judging.plans()) == {plan: "Spring, again"}
        for wrong in ("", " \n", "x" * (LONGEST_NAME + 1)):
            with pytest.raises(UsageError, match="1 to 120"):
                rename_plan(project, plan, wrong)
        assert project.judging.plans()[0].title == "orientation, seed 4"
