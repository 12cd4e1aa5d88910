"""Reference letters (Wan et al. 2023): the study's declaration and figures. Light: `measure` is not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from biasprint.core.draw.digits import p_text
from biasprint.core.draw.figure import Figure, FigureMark, mark
from biasprint.core.findings import Finding
from biasprint.core.language import InLanguage
from biasprint.core.studies.kit.choose import against, crossed_figures, joined, letters, parted, words, worth_drawing
from biasprint.core.studies.kit.declared import (
    InputTable,
    MeasureOptions,
    StudyQuestion,
    StudyWords,
    replies_question,
    reply_ids,
)
from biasprint.core.studies.kit.study import Study

if TYPE_CHECKING:
    import numpy as np

    from biasprint.core.compute import ComputeProcess
    from biasprint.core.jobs import JobContext
    from biasprint.core.project.project import Project
    from biasprint.core.prompts.drafts import PromptSetDraft
    from biasprint.core.scorers.protocol import ScorerInfo
    from biasprint.core.studies.kit.choice import PromptChoice
    from biasprint.core.studies.kit.live import StudyTally
    from biasprint.core.studies.kit.plain_measuring import Answer, Prepared
    from biasprint.core.studies.kit.planting import Planting
    from biasprint.core.tables.rows import TableRead

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
    drawn = worth_drawing([*figures_made, *_hallucination(own), *_success(own), *_mitigation(findings)])
    return drawn + crossed_figures("letters", own)


def _whose(finding: Finding) -> str:
    """The model and the document that the letters are of, where there are several."""
    return joined(finding.dims.get("model", ""), words(finding.dims.get("document", "")))


def _whose_and_pair(finding: Finding) -> tuple[str, str]:
    return _whose(finding), against(finding)


def _figure(**fields: Any) -> Figure:
    return Figure(**{"study": "letters", **fields, "source": f"Wan et al. 2023, {fields['source']}"})


def _ratios(part: str) -> dict[str, Any]:
    return {"part": part, "unit": "odds ratio", "scale": "log", "null": 1.0, "axis": "odds ratio"}


def _ways(pair: str) -> str:
    first, _, second = pair.partition(" against ")
    return f"Right of 1 such words are more frequent for {first.lower()}, left of 1 for {second}."


def _categories(part: str, pair: str, findings: Sequence[Finding]) -> Iterator[Figure]:
    yield _figure(
        key="letters.categories",
        title=f"Words of nine categories: {part}",
        subtitle=f"{_ways(pair)} Default counts whole words, as published pieces of words too (“son” in “person”).",
        kind="grouped",
        marks=tuple(
            mark(
                finding,
                words(finding.label),
                series=VARIANTS[finding.variant],
                references=letters(finding) if finding.variant == "as_published" else (),
            )
            for finding in findings
            if finding.id == CATEGORIES
        ),
        rows_title="category",
        series_title="variant",
        source="Table 2",
        **_ratios(part),
    )


def _words(part: str, pair: str, findings: Sequence[Finding]) -> Iterator[Figure]:
    for variant, about in VARIANTS.items():
        yield _figure(
            key="letters.words",
            title=f"The words that differ most: {joined(part, about.lower())}",
            subtitle=f"{_ways(pair)} They were chosen because they differ: some come out like this without bias too.",
            kind="intervals",
            marks=tuple(
                mark(finding, InLanguage(finding.label), section=f"{words(finding.dims['pos'])}s")
                for finding in findings
                if (finding.id, finding.variant) == (WORDS, variant)
            ),
            rows_title="word",
            source="Table 3, words",
            **_ratios(joined(part, about if variant == "as_published" else "")),
        )


def _weat(part: str, pair: str, findings: Sequence[Finding]) -> Iterator[Figure]:
    first, _, second = pair.partition(" against ")
    yield _figure(
        key="letters.weat",
        part=part,
        title=f"Are each group's salient words nearer to its stereotype? {part}",
        subtitle=f"WEAT: above 0 the words for {first.lower()} are nearer to the first list of names, or to career, "
        f"those for {second} to the second. The words were chosen by group, so the default floor chooses them again.",
        kind="grouped",
        marks=tuple(
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
        unit="d",
        axis="effect size d",
        null=0.0,
        series_title="variant",
        source="Table 3, WEAT",
    )


def _style(part: str, pair: str, findings: Sequence[Finding]) -> Iterator[Figure]:
    own = [finding for finding in findings if finding.id.startswith(STYLE)]
    first, _, second = pair.partition(" against ")
    yield _figure(
        key="letters.style",
        part=part,
        title=f"Language style: {part}",
        subtitle=f"The share of such sentences per letter, {first.lower()} minus {second}.",
        kind="intervals",
        marks=tuple(
            mark(finding, KINDS.get(finding.label, words(finding.label)))
            for finding in own
            if finding.variant == "default"
        ),
        unit="difference of shares",
        axis="difference of shares",
        null=0.0,
        source="Table 4",
    )
    yield _figure(
        key="letters.style.tests",
        part=part,
        title=f"Language style, the tests: {part}",
        subtitle="Default: paired where letters match, otherwise Welch, two-sided. As published: pooled, one-sided.",
        kind="table",
        marks=tuple(cell for finding in own if finding.estimate is not None for cell in _tests(finding)),
        source="Table 4",
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
    yield _figure(
        key="letters.hallucination",
        title="Hallucination bias: does what was made up differ in style?",
        subtitle="The share of such sentences among hallucinated ones, less that among grounded ones of a letter.",
        kind="grouped",
        marks=tuple(marks),
        unit="difference of shares",
        axis="difference of shares",
        null=0.0,
        source="Table 6",
    )


def _success(findings: Sequence[Finding]) -> Iterator[Figure]:
    own = [finding for finding in findings if finding.id == SUCCESS and finding.unit == "share"]
    rates = {group for finding in own for group in finding.groups} | {"all"}
    yield _figure(
        key="letters.success",
        title="Letters that succeeded",
        subtitle="Neither empty nor repetitive nor off the task. Failures are flagged, never left out silently.",
        kind="intervals",
        marks=tuple(
            mark(
                finding,
                "All letters" if finding.label == "all" else words(finding.label),
                section=joined(_whose(finding), "" if finding.label in rates else "Failures"),
            )
            for finding in own
        ),
        unit="proportion",
        axis="share of letters",
        source="Table 9; failures of Table 8",
    )


def _mitigation(findings: Sequence[Finding]) -> Iterator[Figure]:
    changes = [finding for finding in findings if "arm" in finding.dims and finding.unit == "ratio of odds ratios"]
    for part, own in parted(
        changes, lambda finding: joined(_whose(finding), words(finding.dims["arm"]), against(finding))
    ).items():
        yield _figure(
            key="letters.mitigation",
            part=part,
            title=f"What an instruction changes: {part}",
            subtitle="The odds ratio with the instruction over that without, same prompts. At 1 nothing changes.",
            kind="intervals",
            marks=tuple(mark(finding, words(finding.label)) for finding in own),
            unit="ratio of odds ratios",
            axis="ratio of odds ratios",
            scale="log",
            null=1.0,
            source="discussion; beyond the paper",
        )


# ---- The declaration


class LettersStudy(Study):
    """Reference letters (Wan et al. 2023)."""

    kind = "letters"
    title = "Reference letters"
    inputs = (
        InputTable(
            name="letters",
            scorers=("lexicon",),
        ),
    )
    findings = (
        "letters.lexicon.odds_ratio",
        "letters.crossed.*",
        "letters.word.odds_ratio",
        "letters.weat",
        "letters.style.*",
        "letters.hallucination.*",
        "letters.success_rate",
        "letters.mitigation.odds_ratio",
        *reply_ids("letters"),
    )
    figures = (
        "letters.categories",
        "letters.words",
        "letters.weat",
        "letters.style",
        "letters.style.tests",
        "letters.hallucination",
        "letters.success",
        "letters.mitigation",
        "letters.crossed",
    )
    narrowed_by = ("names", "names_in_turn", "name_set", "axes", "document", "occupations", "biographies", "versions")
    # With one name for each group, name and group cannot be told apart.
    first_look: ClassVar[Mapping[str, Any]] = {"names_in_turn": 4}
    sampling: ClassVar[Mapping[str, Any]] = {"temperature": 1.0, "top_p": 1.0}
    questions = (
        StudyQuestion("Are words of some kinds more frequent in one group's letters?", ("letters.lexicon.odds_ratio",)),
        StudyQuestion(
            "Does one axis alone explain it, or do both together say more (gender × race)?",
            ("letters.crossed.lexicon.interaction", "letters.crossed"),
        ),
        StudyQuestion("Is one group written about in another style?", ("letters.style",)),
        StudyQuestion("Is more made up for one group, and how?", ("letters.hallucination",)),
        StudyQuestion("Does the instruction against bias help?", ("letters.mitigation.odds_ratio",)),
        StudyQuestion("Do more letters fail for one group?", ("letters.success_rate",)),
        StudyQuestion("Are single words more frequent for one group?", ("letters.word.odds_ratio",)),
        StudyQuestion("Are the words that stand out tied to a gender?", ("letters.weat",)),
        StudyQuestion("Do words that stand out set career against family?", ("letters.weat[career_family]",)),
        replies_question("letters"),
    )
    words = StudyWords(
        rows="Reference letters",
        one="1 letter",
        many="%n letters",
        panel="charts",
        section="letters",
        place=1,
        items=(("letters.", "letters"),),
    )
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

    def store(
        self, ctx: "JobContext", project: "Project", study_id: int | None, origin: str, table: "TableRead"
    ) -> int:
        from biasprint.core.studies.letters.gather import store_letters

        return store_letters(self, ctx, project, study_id, origin, table)

    def needed(
        self, project: "Project | None" = None, study_id: int | None = None, set_id: int | None = None
    ) -> "Sequence[ScorerInfo]":
        from biasprint.core.studies.letters.gather import needed

        return needed()

    def of_tables(
        self,
        ctx: "JobContext",
        read: "Sequence[tuple[str, TableRead]]",
        options: "MeasureOptions",
        compute: "ComputeProcess",
    ) -> "Answer":
        from biasprint.core.studies.letters.gather import of_tables

        return of_tables(ctx, read, options, compute)

    def prepared(
        self, ctx: "JobContext", project: "Project", study_id: int, options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "list[Prepared]":
        from biasprint.core.studies.letters.gather import prepared

        return prepared(ctx, project, study_id, options, compute)

    def live(self, project: "Project", study_id: int, compute: "ComputeProcess") -> "StudyTally":
        from biasprint.core.studies.letters.live import LettersTally

        return LettersTally(project, study_id, compute)

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        return figures(findings)

    def simulated(
        self, planted: str, n: int, asked: "Planting", seed: int, rng: "np.random.Generator"
    ) -> "list[Finding]":
        from biasprint.core.studies.letters.author import letters_trial

        return letters_trial(planted, n, asked, seed, rng)
