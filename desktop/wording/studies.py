"""What the window calls each study and its texts, and where it goes to see what was measured. The one place for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from desktop.widgets.words import plural, tr


@dataclass(frozen=True)
class StudyWords:
    """`rows`: what the rows of an imported table are. `one`, `many`: so many of the study's texts. `scored`: are its
    texts scored before they are measured? `panel`, `section`: where its findings are seen.
    """

    rows: str
    one: str
    many: str
    scored: bool = True
    panel: str = "findings"
    section: str = ""

    @property
    def next_step(self) -> str:
        """What happens to texts that came in, in words."""
        scored = tr("Next, the texts are scored and compared between the groups, on this computer.")
        return scored if self.scored else tr("Next, the replies are counted and compared, on this computer.")

    @property
    def action(self) -> str:
        return tr("Score and measure") if self.scored else tr("Measure")

    def counted(self, n: int) -> str:
        """ "12 letters"."""
        return plural(n, self.one, self.many)


# In the order of the tabs and boxes that offer them.
STUDIES: Mapping[str, StudyWords] = MappingProxyType(
    {
        "letters": StudyWords("Reference letters", "1 letter", "%n letters", panel="charts", section="letters"),
        "creativity": StudyWords(
            "Creative texts", "1 creative text", "%n creative texts", panel="charts", section="distance"
        ),
        "news": StudyWords("News articles with their originals", "1 news article", "%n news articles"),
        "completion": StudyWords("Fill-in-the-blank replies", "1 reply", "%n replies", scored=False),
    }
)


def words_of(kind: str) -> StudyWords:
    """The words of a study; general ones for several, and for a third party's study."""
    return STUDIES.get(kind) or StudyWords(kind, "1 text", "%n texts")
