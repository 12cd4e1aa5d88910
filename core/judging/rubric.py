"""What raters are told and asked, as a person writes it: instructions, a question of one's own, criteria."""

from collections.abc import Sequence

from biasprint.core.errors import UsageError

LONGEST_INSTRUCTIONS, LONGEST_QUESTION = 20_000, 120
MOST_CRITERIA, LONGEST_NAME, LONGEST_EXPLANATION = 12, 60, 400
KEPT = "No plan was made."


def rubric_of(text: str) -> tuple[tuple[str, str], ...]:
    """Criteria, a line each: “Imagery: it shows instead of telling”. Empty lines are none; an empty text has none.

    Raises UsageError, with the line, for one without a name, one that is too long, a name twice, and too many.
    """
    found: dict[str, str] = {}
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
        if name in found:
            raise UsageError(f"The rubric names “{name}” twice.", kept=KEPT, hint="Each criterion has one line.")
        found[name] = explanation
    if len(found) > MOST_CRITERIA:
        raise UsageError(
            f"The rubric has {len(found)} criteria.", kept=KEPT, hint=f"Raters can hold {MOST_CRITERIA} at most."
        )
    return tuple(found.items())


def rubric_text(rubric: Sequence[tuple[str, str]]) -> str:
    """The inverse of `rubric_of`."""
    return "\n".join(f"{name}: {explanation}" if explanation else name for name, explanation in rubric)


def question_of(text: str) -> str:
    """A question in one line. Raises UsageError where it is too long to stand above the texts."""
    question = " ".join(text.split())
    if len(question) > LONGEST_QUESTION:
        raise UsageError(
            "The question is too long.", kept=KEPT, hint=f"Ask in at most {LONGEST_QUESTION} characters; the rest "
            "belongs in the instructions.",
        )  # fmt: skip
    return question


def instructions_of(text: str) -> str:
    """Instructions as they are written. Raises UsageError where nobody would read them."""
    if len(text.strip()) > LONGEST_INSTRUCTIONS:
        raise UsageError(
            "The instructions are too long.", kept=KEPT, hint=f"Write at most {LONGEST_INSTRUCTIONS:,} characters."
        )
    return text.strip()
