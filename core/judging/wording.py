"""The words around a comparison: its title, its criteria, and the prompt, where raters may read it.

A prompt is shown only if it is equal for all texts of a comparison and names nothing that stays hidden: an identity of
the project's axes, by key, label, phrase, word, name or pronoun; the axis itself; whatever the cards stand for; a
generator, a file, an address, a person. It is shown whole or not at all, and whoever doubts leaves it out: a withheld
prompt costs little.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biasprint.core.errors import UsageError
from biasprint.core.judging.blind import RatingCriterion
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.language import InLanguage, joined
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem
from biasprint.core.prompts.axes import available_axes, load_axis
from biasprint.core.prompts.cogs import OWN_TASKS, cogs_tasks, cogs_themes
from biasprint.core.prompts.letters import letter_design
from biasprint.core.swap.mentions import given_names
from biasprint.core.swap.vocabulary import gendered_words

# ---- The rubric of a file

LONGEST_INSTRUCTIONS, LONGEST_QUESTION = 20_000, 120
MOST_CRITERIA, LONGEST_NAME, LONGEST_EXPLANATION = 12, 60, 400
KEPT = "No plan was made."


def rubric_of(text: str) -> tuple[tuple[str, str], ...]:
    """Parse criteria, a line each: “Imagery: it shows instead of telling”. Empty lines are none; an empty text has
    none.

    Raises UsageError, with the line, for one without a name, one that is too long, a name twice, and too many.
    """
    criteria: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, _, explanation = (part.strip() for part in line.partition(":"))
        if not name or len(name) > LONGEST_NAME or len(explanation) > LONGEST_EXPLANATION:
            raise UsageError(
                f"Line {number} of the rubric is no criterion.", kept=KEPT,
                hint=f"Write “Name: explanation”, the name in at most {LONGEST_NAME} characters and the explanation in "
                f"at most {LONGEST_EXPLANATION}.",
            )  # fmt: skip
        if name in criteria:
            raise UsageError(f"The rubric names “{name}” twice.", kept=KEPT, hint="Each criterion has one line.")
        criteria[name] = explanation
    if len(criteria) > MOST_CRITERIA:
        raise UsageError(
            f"The rubric has {len(criteria)} criteria.", kept=KEPT, hint=f"Raters can hold {MOST_CRITERIA} at most."
        )
    return tuple(criteria.items())


def rubric_text(rubric: Sequence[tuple[str, str]]) -> str:
    """Return the inverse of `rubric_of`."""
    return "\n".join(f"{name}: {explanation}" if explanation else name for name, explanation in rubric)


def question_of(text: str) -> str:
    """Return a question in one line. Raises UsageError where it is too long to be shown above the texts."""
    question = " ".join(text.split())
    if len(question) > LONGEST_QUESTION:
        raise UsageError(
            "The question is too long.", kept=KEPT, hint=f"Ask in at most {LONGEST_QUESTION} characters; the rest "
            "belongs in the instructions.",
        )  # fmt: skip
    return question


def instructions_of(text: str) -> str:
    """Return instructions as they are written. Raises UsageError where nobody would read them."""
    if len(text.strip()) > LONGEST_INSTRUCTIONS:
        raise UsageError(
            "The instructions are too long.", kept=KEPT, hint=f"Write at most {LONGEST_INSTRUCTIONS:,} characters."
        )
    return text.strip()


UNNAMED = "Texts"  # where task and theme say nothing that may be said


@dataclass(frozen=True)
class TaskWords:
    title: str
    criteria: tuple[RatingCriterion, ...] = ()


class ComparisonWording:
    """Titles and criteria by task and theme key; an unknown key is used as it is, its underscores as blanks."""

    def __init__(self, tasks: Mapping[str, TaskWords], themes: Mapping[str, str] | None = None) -> None:
        self._tasks = tasks
        self._themes = themes or {}

    def extended(self, tasks: Mapping[str, TaskWords], themes: Mapping[str, str]) -> "ComparisonWording":
        """Return the wording with more tasks and themes; the existing ones stay unchanged."""
        return ComparisonWording({**tasks, **self._tasks}, {**themes, **self._themes})

    def title(self, task: str, theme: str) -> str:
        """Return task and theme, such as "Short poem · castle": themes are bare words, and take no article."""
        words = self._tasks.get(task)
        named = words.title if words is not None else task.replace("_", " ").capitalize()
        return joined(" · ", *filter(None, (named, self._themes.get(theme, theme.replace("_", " "))))) or UNNAMED

    def criteria(self, task: str) -> tuple[RatingCriterion, ...]:
        words = self._tasks.get(task)
        return words.criteria if words is not None else ()


class OwnRubric(ComparisonWording):
    """Another wording's titles, with a plan's own criteria for every task."""

    def __init__(self, wording: ComparisonWording, rubric: Sequence[tuple[str, str]]) -> None:
        super().__init__({})
        self._inner = wording
        self._rubric = tuple(RatingCriterion(name, explanation) for name, explanation in rubric)

    def title(self, task: str, theme: str) -> str:
        return self._inner.title(task, theme)

    def criteria(self, task: str) -> tuple[RatingCriterion, ...]:
        return self._rubric


def plan_wording(wording: ComparisonWording, settings: PlanSettings) -> ComparisonWording:
    """Return the wording of a plan's comparisons: with its own rubric, where it has one."""
    return OwnRubric(wording, settings.rubric) if settings.rubric else wording


def wording_of(project: Project) -> ComparisonWording:
    """Return the shipped wording, with the tasks, documents and themes of a person's own as they were when prompts were
    made.

    It reads the project.
    """
    return shipped_wording().extended(*own_words(project))


def own_words(project: Project) -> tuple[dict[str, TaskWords], dict[str, str]]:
    """Return the tasks that do not ship, by key, and every theme that was asked for. It reads the project.

    Of several versions the newest that texts were written for counts.
    """
    written = {run.prompt_set_id for run in project.runs.all()}
    tasks: dict[str, TaskWords] = {}
    themes: dict[str, str] = {}
    for prompt_set in sorted(project.prompts.sets(), key=lambda row: (row.id in written, row.id)):
        for key, words in prompt_set.recipe.get(OWN_TASKS, {}).items():
            tasks[key] = TaskWords(
                InLanguage(words["title"]), tuple(RatingCriterion(*each) for each in words["rubric"])
            )
        own = prompt_set.recipe.get("themes", {})
        themes |= own if isinstance(own, dict) else {}
    return tasks, themes


def shipped_wording() -> ComparisonWording:
    """Return the wording of the tasks and themes that come with the program, of every study.

    Letters are distinguished by occupation (“Reference letter · chef”), news by the headline that both articles were
    written for. A theme that would name what is compared was left empty when the comparison was drawn.
    """
    return ComparisonWording(shipped_tasks(), {theme.key: theme.text for theme in cogs_themes()})


def shipped_tasks() -> dict[str, TaskWords]:
    """Return the words of every task that comes with the program, by key."""
    tasks = {
        task.key: TaskWords(
            task.title, tuple(RatingCriterion(criterion.name, criterion.explanation) for criterion in task.rubric)
        )
        for task in cogs_tasks()
    }
    tasks |= {key: TaskWords(document.title) for key, document in letter_design().documents.items()}
    return tasks | {"news": TaskWords("News article"), "completion": TaskWords("Fill in the blank")}


# ---- Prompts

AT_ONCE = 500  # comparisons whose prompts are read together
LONG = 5  # letters from which a term is also found at the beginning of a longer word
PRONOUNS = {
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "hers", "herself"),
    "they": ("they", "them", "their", "theirs", "themself", "themselves"),
}
UNNAMED_MODELS = ("", "none")  # of the synthetic author
_LATIN = "\u024f"  # beyond it words may stand without blanks between them
_WORD = re.compile(r"[^\W_]+")
_PLACE = re.compile(
    r"https?://|www\.|\w@\w|[\w-]\.(?:gguf|safetensors|biasprint|bpacket|csv|tsv|jsonl?|xlsx?|docx?|pdf|txt|toml|md|html?"
    r"|zip)\b|(?:^|\s)(?:~|[A-Za-z]:)?[\\/][\w.-]+[\\/]",
    re.IGNORECASE,
)
_TITLED = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Sir|Lady|Herr|Frau)\b\.?\s+[^\W\d_]")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;…“”\"'‘’(\n-])\s*$")
Term = tuple[str, ...]


@dataclass(frozen=True)
class ShownPrompt:
    """A comparison's prompt; "" where none is shown. `withheld`: there is one, and it names what stays hidden."""

    text: str = ""
    withheld: bool = False


class PromptGuard:
    """Tells whether a text names an identity, an axis, a generator, a file or a person of this project."""

    def __init__(self, project: Project) -> None:
        definitions = [row.definition for row in project.axes.in_use().values()]
        ours = {row.key for row in project.axes.in_use().values()} | {row.axis for row in project.judging.plans()}
        named = {part for key in ours for part in key.split("+")}
        shipped = (load_axis(key) for key in available_axes())
        definitions += [axis.definition() for axis in shipped if named & {axis.key, axis.id}]
        words: list[str] = [*named, *(row.title for row in project.axes.in_use().values())]
        self._names: set[str] = set(given_names()) - set(gendered_words().names_that_are_words)
        for definition in definitions:
            words.append(str(definition.get("title", "")))
            for identity in definition.get("identities", ()):
                words += _words_of(identity)
                self._names |= {word for name in identity.get("names", ()) for word in _plain(str(name))}
        words += (word for row in project.runs.generators().values() for word in _model_words(row.model))
        stem = project.path.stem
        if len(_plain(stem)) > 1 or any(map(str.isdigit, stem)):  # “haiku” would stand in every prompt
            words.append(stem)
        self._terms = _Terms(words)
        self._known: dict[str, bool] = {}

    def names_hidden(self, text: str, identities: Iterable[str]) -> bool:
        """Return whether a text names something that stays hidden, or one of these identities."""
        if text not in self._known:
            self._known[text] = self._terms.is_in(text) or _PLACE.search(text) is not None or self._names_person(text)
        return self._known[text] or _Terms(identities).is_in(text)

    def _names_person(self, text: str) -> bool:
        """Return whether a text names a person: by a title, a given name, or two capital words within a sentence."""
        clean = _clean(text)
        if _TITLED.search(clean):
            return True
        tokens = list(_WORD.finditer(clean))
        for place, token in enumerate(tokens):
            if not _is_capital(token[0]):
                continue
            if token[0].casefold() in self._names:
                return True
            after = tokens[place + 1] if place + 1 < len(tokens) else None
            begins = _SENTENCE_START.search(clean[max(0, token.start() - 4) : token.start()]) is not None
            beside = after is not None and clean[token.end() : after.start()] == " " and _is_capital(after[0])
            if beside and not begins:
                return True
        return False


class ComparisonPrompts:
    """Finds the prompts of a project's comparisons; the guard is made for the first of them."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._guard: PromptGuard | None = None

    def of(self, items: Sequence[ComparisonItem]) -> ShownPrompt:
        (shown,) = self.each([items])
        return shown

    def each(self, comparisons: Iterable[Sequence[ComparisonItem]]) -> Iterator[ShownPrompt]:
        """Yield the prompt of each comparison, read so many at a time."""
        every = list(comparisons)
        for start in range(0, len(every), AT_ONCE):
            some = every[start : start + AT_ONCE]
            outputs = {item.output for items in some for item in items if item.output is not None}
            prompts = self._project.outputs.prompts(sorted(outputs))
            for items in some:
                yield self._shown([prompts.get(item.output or 0, "") for item in items], items)

    def _shown(self, prompts: Sequence[str], items: Sequence[ComparisonItem]) -> ShownPrompt:
        if not all(prompt.strip() for prompt in prompts):
            return ShownPrompt()
        self._guard = self._guard or PromptGuard(self._project)
        named = len(set(prompts)) > 1 or self._guard.names_hidden(prompts[0], (item.identity for item in items))
        return ShownPrompt(withheld=True) if named else ShownPrompt(prompts[0])


class _Terms:
    """Words and phrases, found as words of their own, in the plural, and long ones at the beginning of others."""

    def __init__(self, words: Iterable[str]) -> None:
        terms = [term for term in map(_plain, words) if term]
        self._inside = {"".join(term) for term in terms if max(term[0]) > _LATIN}
        self._starts: dict[str, set[Term]] = {}
        for term in terms:
            self._starts.setdefault(term[0], set()).add(term)
        self._long = {term[0] for term in terms if len(term) == 1 and len(term[0]) >= LONG}

    def is_in(self, text: str) -> bool:
        words = _plain(text)
        whole = "".join(words)
        return any(term in whole for term in self._inside) or any(
            self._begins(words, place) for place in range(len(words))
        )

    def _begins(self, words: Sequence[str], place: int) -> bool:
        word = words[place]
        for first in (word, word.removesuffix("s")):
            for term in self._starts.get(first, ()):
                if term[1:] == tuple(words[place + 1 : place + len(term)]):
                    return True
        return any(word[:length] in self._long for length in range(LONG, len(word)))


def _words_of(identity: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words by which an identity appears, besides names."""
    yield from (str(identity.get(name, "")) for name in ("key", "label", "phrase"))
    yield from map(str, identity.get("words", ()))
    pronoun = str(identity.get("pronouns", ""))
    yield from PRONOUNS.get(pronoun, ())
    if pronoun in ("he", "she"):
        gendered = gendered_words()
        yield from (word for pairs in (gendered.self, gendered.kin, gendered.titles) for pair in pairs for word in pair)


def _model_words(model: str) -> Iterator[str]:
    """Yield a model's name without its folder, and the name of its family."""
    name = re.split(r"[\\/:]", model)[-1]
    if name in UNNAMED_MODELS:
        return
    yield name
    family = re.match(r"[^\W\d_]{3,}", name)
    if family is not None:
        yield family[0]


def _is_capital(word: str) -> bool:
    return word[:1].isupper() and word[1:].islower()


def _clean(text: str) -> str:
    """Return a text without the signs that nobody sees and that would part a word."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", text) if unicodedata.category(sign) != "Cf")


def _plain(text: str) -> Term:
    return tuple(_WORD.findall(_clean(text).casefold()))
