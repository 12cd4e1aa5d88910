"""Levels of text at which articles are compared with originals: from resources/studies/news.toml. Light."""

from collections.abc import Mapping
from dataclasses import dataclass

from biasprint.core.findings import ScorerUse
from biasprint.core.studies.kit.declared import declaration


@dataclass(frozen=True)
class Level:
    """A level's names and titles.

    `spread`: the last part of the id of its measure of spread. `what` is compared. `planned`: the difference that a
    study is planned for. `undefined`: why a pair is left out. `lower_is_worse`: is a smaller value to a group's
    disadvantage? `unasked`: why prejudice is not asked of it. `titles`, `sources`: by measure. `of_gender`, `of_race`,
    `of_prompts`: the paper's figures.
    """

    id: str
    name: str
    what: str
    spread: str
    unit: str
    planned: float
    undefined: str
    titles: Mapping[str, str]
    sources: Mapping[str, str]
    of_gender: str
    of_race: str
    of_prompts: str = ""
    lower_is_worse: bool = True
    unasked: str = "original without the group"
    scorers: tuple[ScorerUse, ...] = ()

    @property
    def bounded(self) -> bool:
        """Do the values lie between 0 and 1? Student's t then holds their mean too seldom over few pairs."""
        return self.unit == "proportion"

    @property
    def sign(self) -> float:
        """The sign that makes differences below 0 the worse ones."""
        return 1.0 if self.lower_is_worse else -1.0

    @property
    def unit_of_difference(self) -> str:
        return "difference of proportions" if self.bounded else self.unit

    def figure(self, axis: str, panel: str) -> str:
        """Return the source of a figure: the paper's for an axis, or that the same was done for another."""
        printed = {"gender": self.of_gender, "race": self.of_race}.get(axis)
        return (
            f"Fang et al. 2024, {printed}{panel}" if printed else "Fang et al. 2024, the same measure on another axis"
        )


LEVELS = {name: Level(name, **level) for name, level in declaration("news")["levels"].items()}
WORD, DOCUMENT = LEVELS["news.word"], LEVELS["news.document"]
