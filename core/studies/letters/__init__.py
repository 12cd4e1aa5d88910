"""Reference letters (Wan et al. 2023): the study's declaration and figures. Light: `measure` is not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from biasprint.core.draw.digits import p_text
from biasprint.core.draw.figure import Figure, FigureMark, mark
from biasprint.core.findings import Finding
from biasprint.core.language import InLanguage
from biasprint.core.studies.kit.choose import (
    against,
    crossed_figures,
    drawn,
    joined,
    letters,
    parted,
    words,
    worth_drawing,
)
from biasprint.core.studies.kit.declared import InputTable
from biasprint.core.studies.kit.study import StudyDeclaration, StudyWork, declared_in_resources

if TYPE_CHECKING:
    from biasprint.core.jobs import JobContext
    from biasprint.core.project.project import Project
    from biasprint.core.prompts.drafts import PromptSetDraft
    from biasprint.core.studies.kit.choice import PromptChoice

CATEGORIES, WORDS, WEAT = "letters.lexicon.odds_ratio", "letters.word.odds_ratio", "letters.weat"
STYLE, HALLUCINATION, SUCCESS = "letters.style.", "letters.hallucination.", "letters.success_rate"
VARIANTS = {"default": "Default", "as_published": "As published"}
KINDS = {"formality": "Formal sentences", "positivity": "Positive sentences", "agency": "Agentic sentences"}
COMPARED = {
    "hallucinated_against_grounded": "Hallucinated − grounded",
    "hallucinated_against_whole": "Hallucinated − whole letter (as published)",
    "difference_of_differences": "Difference between the groups",
}


def figures(findings: Sequence[Finding]) -> list[Figure]:
    """Every figure that these findings give; several models, documents and pairs of groups have each their own."""
    figures_made: list[Figure] = []
    own = [finding for finding in findings if finding.id.startswith("letters.") and "arm" not in finding.dims]
    for (whose, pair), of_pair in parted(
        [finding for finding in own if len(finding.groups) == 2], _whose_and_pair
    ).items():
        part = joined(whose, pair)
        figures_made += [*_categories(part, pair, of_pair), *_words(part, pair, of_pair)]
        figures_made += [*_weat(part, pair, of_pair), *_style(part, pair, of_pair)]
    every = worth_drawing([*figures_made, *_hallucination(own), *_success(own), *_mitigation(findings)])
    return every + crossed_figures("letters", own)


def _whose(finding: Finding) -> str:
    """The model and the document that the letters are of, where there are several."""
    return joined(finding.dims.get("model", ""), words(finding.dims.get("document", "")))


def _whose_and_pair(finding: Finding) -> tuple[str, str]:
    return _whose(finding), against(finding)


def _ways(pair: str) -> str:
    first, _, second = pair.partition(" against ")
    return f"Right of 1 such words are more frequent for {first.lower()}, left of 1 for {second}."


def _categories(part: str, pair: str, findings: Sequence[Finding]) -> Iterator[Figure]:
    yield drawn(
        "letters.categories",
        (
            mark(
                finding,
                words(finding.label),
                series=VARIANTS[finding.variant],
                references=letters(finding) if finding.variant == "as_published" else (),
            )
            for finding in findings
            if finding.id == CATEGORIES
        ),
        part=part,
        places={"pair": _ways(pair)},
    )


def _words(part: str, pair: str, findings: Sequence[Finding]) -> Iterator[Figure]:
    for variant, about in VARIANTS.items():
        yield drawn(
            "letters.words",
            (
                mark(finding, InLanguage(finding.label), section=f"{words(finding.dims['pos'])}s")
                for finding in findings
                if (finding.id, finding.variant) == (WORDS, variant)
            ),
            part=joined(part, about if variant == "as_published" else ""),
            places={"part": joined(part, about.lower()), "pair": _ways(pair)},
        )


def _weat(part: str, pair: str, findings: Sequence[Finding]) -> Iterator[Figure]:
    first, _, second = pair.partition(" against ")
    yield drawn(
        "letters.weat",
        (
            mark(
                finding,
                words(finding.label),
                series=VARIANTS[finding.variant],
                section=f"{words(finding.dims['pos'])}s",
                references=letters(finding) if finding.variant == "as_published" else (),
            )
            for finding in findings
            if finding.id == WEAT and "pos" in finding.dims
        ),
        part=part,
        places={"lower": first.lower(), "second": second},
    )


def _style(part: str, pair: str, findings: Sequence[Finding]) -> Iterator[Figure]:
    own = [finding for finding in findings if finding.id.startswith(STYLE)]
    first, _, second = pair.partition(" against ")
    yield drawn(
        "letters.style",
        (
            mark(finding, KINDS.get(finding.label, words(finding.label)))
            for finding in own
            if finding.variant == "default"
        ),
        part=part,
        places={"lower": first.lower(), "second": second},
    )
    yield drawn(
        "letters.style.tests",
        (cell for finding in own if finding.estimate is not None for cell in _tests(finding)),
        part=part,
    )


def _tests(finding: Finding) -> Iterator[FigureMark]:
    row, whose = KINDS.get(finding.label, words(finding.label)), VARIANTS[finding.variant]
    effect = f"{finding.effect.name} = {finding.effect.value:.3f}" if finding.effect else "–"
    yield mark(finding, row, series=f"{whose}: effect", text=effect)
    yield mark(finding, row, series=f"{whose}: p", text=p_text(finding.p) or "–")


def _hallucination(findings: Sequence[Finding]) -> Iterator[Figure]:
    own = [finding for finding in findings if finding.id.startswith(HALLUCINATION)]
    marks = []
    for finding in sorted(
        own, key=lambda finding: list(COMPARED).index(finding.label) if finding.label in COMPARED else len(COMPARED)
    ):
        kind = finding.id.removeprefix(HALLUCINATION)
        row = words(finding.dims["identity"]) if "identity" in finding.dims else against(finding)
        marks.append(
            mark(
                finding,
                row,
                series=COMPARED.get(finding.label, words(finding.label)),
                section=joined(_whose(finding), KINDS.get(kind, words(kind))),
            )
        )
    yield drawn("letters.hallucination", marks)


def _success(findings: Sequence[Finding]) -> Iterator[Figure]:
    own = [finding for finding in findings if finding.id == SUCCESS and finding.unit == "share"]
    rates = {group for finding in own for group in finding.groups} | {"all"}
    yield drawn(
        "letters.success",
        (
            mark(
                finding,
                "All letters" if finding.label == "all" else words(finding.label),
                section=joined(_whose(finding), "" if finding.label in rates else "Failures"),
            )
            for finding in own
        ),
    )


def _mitigation(findings: Sequence[Finding]) -> Iterator[Figure]:
    changes = [finding for finding in findings if "arm" in finding.dims and finding.unit == "ratio of odds ratios"]
    for part, own in parted(
        changes, lambda finding: joined(_whose(finding), words(finding.dims["arm"]), against(finding))
    ).items():
        yield drawn("letters.mitigation", (mark(finding, words(finding.label)) for finding in own), part=part)


# ---- The declaration


@declared_in_resources
class LettersStudy(StudyDeclaration):
    """Reference letters (Wan et al. 2023)."""

    kind = "letters"
    inputs = (
        InputTable(
            name="letters",
            scorers=("lexicon",),
        ),
    )
    narrowed_by = ("names", "names_in_turn", "name_set", "axes", "document", "occupations", "biographies", "versions")
    # With one name for each group, name and group cannot be told apart.
    first_look: ClassVar[Mapping[str, Any]] = {"names_in_turn": 4}
    sampling: ClassVar[Mapping[str, Any]] = {"temperature": 1.0, "top_p": 1.0}
    wordings = ("document", "wording", "template")
    telltale = r"(?i)\b(recommend\w*|dear|sincerely|to whom it may concern|reference|regards)\b"
    telltale_columns = ("letter", "occupation", "job", "profession", "biography", "bio")

    chosen_roles = ("parts_of_speech", "word_vectors", "formality", "positivity", "agency", "entailment")
    groupable = ("group",)

    def prompts(self) -> "PromptSetDraft":
        from biasprint.core.prompts.letters import letters_context_less_set

        return letters_context_less_set()

    def draft(self, ctx: "JobContext", project: "Project | None", choice: "PromptChoice") -> "PromptSetDraft":
        from biasprint.core.studies.letters.biographies import draft_letters

        return draft_letters(ctx, project, choice)

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        return figures(findings)

    def work(self) -> StudyWork:
        from biasprint.core.studies.letters.live import LettersWork

        return LettersWork(self)
