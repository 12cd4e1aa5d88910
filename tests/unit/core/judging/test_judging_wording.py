"""What a comparison is called and judged by."""

from biasprint.core.judging.blind import RatingCriterion
from biasprint.core.judging.wording import ComparisonWording, TaskWords, shipped_wording
from biasprint.core.prompts.cogs import cogs_tasks, cogs_themes


def test_every_shipped_task_has_a_title_and_its_rubric():
    wording = shipped_wording()
    for task in cogs_tasks():
        assert wording.title(task.key, "social_media") == f"{task.title} · social media"
        assert [one.name for one in wording.criteria(task.key)] == [one.name for one in task.rubric]
        assert all(one.explanation for one in wording.criteria(task.key))


def test_every_shipped_theme_is_named():
    assert all(shipped_wording().title("haiku", theme.key).endswith(theme.text) for theme in cogs_themes())


def test_unknown_tasks_and_themes_stand_for_themselves():
    wording = ComparisonWording({"known": TaskWords("Known", (RatingCriterion("a", "b"),))})
    assert wording.title("my_task", "my_theme") == "My task · my theme"
    assert wording.title("known", "") == "Known"
    assert wording.title("", "rain") == "rain"
    assert wording.criteria("my_task") == ()


def test_letters_are_titled_by_occupation_and_news_by_headline():
    wording = shipped_wording()
    assert wording.title("letter", "chef") == "Reference letter · chef"
    assert wording.title("peer_evaluation", "") == "Peer evaluation"
    assert wording.title("news", "Harbour bridge opens") == "News article · Harbour bridge opens"
    assert wording.criteria("letter") == ()


def test_where_nothing_may_be_said_there_is_still_a_title():
    assert ComparisonWording({}).title("", "") == "Texts"
