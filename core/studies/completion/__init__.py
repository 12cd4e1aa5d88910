"""Fill in the blank (Kamruzzaman et al. 2024): the study's declaration and figures. Light: `measure` is not."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from biasprint.core.draw.figure import Figure, FigureMark, Printed, mark
from biasprint.core.findings import Finding
from biasprint.core.studies.kit.choose import (
    crossed_figures,
    delta,
    having,
    joined,
    likelihood,
    parted,
    pronoun,
    tau,
    words,
    worth_drawing,
)
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
    from biasprint.core.studies.kit.choice import PromptChoice
    from biasprint.core.studies.kit.live import StudyTally
    from biasprint.core.studies.kit.plain_measuring import Answer, Prepared
    from biasprint.core.studies.kit.planting import Planting
    from biasprint.core.tables.rows import TableRead

EVERY = "All domains"
BASE = {"PL": "Positive", "NL": "Negative", "NuL": "Neutral"}
GIVEN = {"P": "Something positive given", "N": "Something negative given"}
CONDITIONAL = ("PPL", "PNL", "PNuL", "NPL", "NNL", "NNuL")
DELTAS = {"delta_P": "ΔPL (positive)", "delta_N": "ΔNL (negative)", "delta_Nu": "ΔNuL (neutral)"}
SHORT = {"SAI": "SAI: stimulus given", "ASA": "ASA: attribute given"}
LIKELIHOOD = "completion.likelihood"


def figures(findings: Sequence[Finding]) -> list[Figure]:
    """Every figure that these findings give; of several models each has its own."""
    own = [finding for finding in findings if finding.id.startswith("completion.")]
    drawn: list[Figure] = []
    for model, of_model in parted(own, lambda finding: finding.dims.get("model", "")).items():
        drawn += _Study(model, of_model).figures()
    return worth_drawing(drawn) + crossed_figures("completion", own)


@dataclass(frozen=True)
class _Study:
    model: str
    findings: Sequence[Finding]

    def having(self, finding_id: str, *dims: str) -> list[Finding]:
        return having(self.findings, finding_id, (*dims, *(["model"] if self.model else [])))

    def figure(self, **fields: Any) -> Figure:
        own = {"study": "completion", "part": self.model, "unit": "proportion", **fields}
        return Figure(**own | {"source": f"Kamruzzaman et al. 2024, {own['source']}"})

    def figures(self) -> Iterator[Figure]:
        yield self.tau()
        yield self.base_rates()
        yield self.pronouns()
        for direction in dict.fromkeys(
            finding.dims["direction"] for finding in self.findings if "direction" in finding.dims
        ):
            yield from self.conditional(direction)
        yield self.deltas()
        yield from self.beside()

    def by_domain(self, finding_id: str, labels: Iterable[str]) -> list[Finding]:
        wanted = set(labels)
        findings = self.having(finding_id, "direction") + self.having(finding_id, "direction", "domain")
        return [finding for finding in findings if finding.label in wanted]

    def tau(self) -> Figure:
        return self.figure(
            key="completion.tau",
            title="Does the choice follow what was given?",
            subtitle="Kendall's τ between what is given and what is chosen: above 0 pleasant goes with pleasant. "
            "The paper's own tables do not give its τ, and it does not say which τ it is.",
            kind="grouped",
            marks=tuple(
                _by_domain(finding, series, tau if series == "τ-b" else None)
                for name, series in (("tau_b", "τ-b"), ("tau_c", "τ-c"))
                for finding in self.by_domain(f"completion.{name}", [name])
            ),
            unit="τ",
            axis="Kendall's τ",
            null=0.0,
            null_words="no association",
            source="Table 1",
        )

    def base_rates(self) -> Figure:
        return self.figure(
            key="completion.base_rates",
            title="Base rates: what is chosen, whatever was given",
            subtitle="A model that never says anything bad about a domain looks unbiased: read every Δ beside these.",
            kind="grouped",
            marks=tuple(
                _by_domain(finding, BASE[finding.label], likelihood) for finding in self.by_domain(LIKELIHOOD, BASE)
            ),
            axis="share of replies",
            series_title="chosen",
            source="Table 2",
        )

    def pronouns(self) -> Figure:
        return self.figure(
            key="completion.pronouns",
            title="Likelihoods by pronoun, over all domains",
            subtitle="How often each kind of option is chosen after something positive and negative, for each pronoun.",
            kind="grouped",
            marks=tuple(
                mark(
                    finding,
                    f"{words(finding.dims['pronoun'])}: {BASE[finding.label[1:]].lower()}",
                    series=GIVEN[finding.label[0]],
                    section=SHORT.get(finding.dims["direction"], finding.dims["direction"]),
                    references=likelihood(finding),
                )
                for finding in self.having(LIKELIHOOD, "direction", "pronoun")
                if finding.label in CONDITIONAL
            ),
            axis="share of replies",
            series_title="given",
            source="Table 3",
        )

    def conditional(self, direction: str) -> Iterator[Figure]:
        here = [
            finding for finding in self.by_domain(LIKELIHOOD, CONDITIONAL) if finding.dims["direction"] == direction
        ]
        title = SHORT.get(direction, direction)
        yield self.figure(
            key="completion.likelihood",
            part=joined(self.model, direction),
            title=f"Conditional likelihoods by domain, {title}",
            subtitle="Without bias both lines of a row agree: what is chosen does not depend on what was given.",
            kind="grouped",
            marks=tuple(
                mark(
                    finding,
                    BASE[finding.label[1:]],
                    series=GIVEN[finding.label[0]],
                    section=words(finding.dims.get("domain", EVERY)),
                    references=likelihood(finding),
                )
                for finding in here
            ),
            axis="share of replies",
            series_title="given",
            source="Tables 4 and 7",
        )
        yield self.figure(
            key="completion.domain_pronoun",
            part=joined(self.model, direction),
            title=f"Conditional likelihoods by domain and pronoun, {title}",
            subtitle="P → negative reads: something positive given, the negative option chosen. In percent.",
            kind="matrix",
            marks=tuple(
                mark(
                    finding,
                    pronoun(finding.dims["pronoun"]),
                    series=words(finding.label),
                    section=words(finding.dims["domain"]),
                    references=likelihood(finding),
                )
                for finding in self.having(LIKELIHOOD, *("direction", "domain", "pronoun"))
                if finding.label in CONDITIONAL and finding.dims["direction"] == direction
            ),
            axis="share of replies",
            rows_title="pronoun",
            series_title="given → chosen",
            source="Tables 5 and 8" if direction == "SAI" else "Tables 6 and 9",
        )

    def deltas(self) -> Figure:
        return self.figure(
            key="completion.delta",
            title="How the choice changes with what was given",
            subtitle="Likelihood after something positive less after something negative. Without bias all are 0.",
            kind="grouped",
            marks=tuple(
                _by_domain(finding, DELTAS[finding.label], delta)
                for finding in self.by_domain("completion.delta", DELTAS)
            ),
            unit="difference of proportions",
            axis="difference of likelihoods",
            null=0.0,
            series_title="chosen",
            source="Figure 3",
        )

    def beside(self) -> Iterator[Figure]:
        """Yield figures that the paper describes or leaves out: omnibus test, irrelevant replies, options' places."""
        yield self.figure(
            key="completion.omnibus",
            title="Does the choice depend on what was given at all?",
            subtitle="Cramér's V of given and chosen. It is above 0 without any bias too: compare it with the floor.",
            kind="intervals",
            marks=tuple(_by_domain(finding, "") for finding in self.by_domain("completion.delta", ["omnibus"])),
            unit="Cramér's V",
            axis="Cramér's V",
            source="the omnibus test of Figure 3's differences",
        )
        yield self.figure(
            key="completion.irrelevant",
            title="Replies that are left out",
            subtitle="Replies that name no option, or two. The paper left out 431 (GPT-3.5), 964 (PaLM 2) of 10,816.",
            kind="intervals",
            marks=tuple(_by_domain(finding, "") for finding in self.by_domain("completion.irrelevant", ["irrelevant"])),
            axis="share of replies",
            source="section on irrelevant replies",
        )
        yield self.figure(
            key="completion.option_position",
            title="Does the place of an option decide?",
            subtitle="The share of choices by the place at which the option was shown; chance is one in three.",
            kind="intervals",
            marks=tuple(
                mark(
                    finding,
                    f"Shown {finding.label}",
                    section=SHORT.get(finding.dims["direction"], finding.dims["direction"]),
                )
                for finding in self.having("completion.option_position", "direction")
            ),
            axis="share of choices",
            null=1 / 3,
            null_words="chance",
            source="beyond the paper",
        )


def _by_domain(
    finding: Finding, series: str, printed: Callable[[Finding], tuple[Printed, ...]] | None = None
) -> FigureMark:
    direction = finding.dims["direction"]
    return mark(
        finding,
        words(finding.dims.get("domain", EVERY)),
        series=series,
        section=SHORT.get(direction, direction),
        references=printed(finding) if printed else (),
    )


# ---- The declaration


class CompletionStudy(Study):
    """Fill in the blank (Kamruzzaman et al. 2024)."""

    kind = "completion"
    title = "Fill in the blank"
    inputs = (
        InputTable(
            name="completion",
            columns=("response",),
        ),
    )
    findings = (
        "completion.likelihood",
        "completion.delta",
        "completion.tau_b",
        "completion.tau_c",
        "completion.crossed.main_effect",
        "completion.crossed.interaction",
        "completion.option_position",
        "completion.irrelevant",
        *reply_ids("completion"),
    )
    figures = (
        "completion.tau",
        "completion.base_rates",
        "completion.pronouns",
        "completion.likelihood",
        "completion.domain_pronoun",
        "completion.delta",
        "completion.omnibus",
        "completion.irrelevant",
        "completion.option_position",
        "completion.crossed",
    )
    narrowed_by = ("domains", "directions")
    first_look: ClassVar[Mapping[str, Any]] = {"domains": ("ageism",), "directions": ("SAI",)}
    asked_of = ("pronoun", "domain")
    matched_by = ("direction", "term", "positive", "negative", "neutral")
    questions = (
        StudyQuestion(
            "Does the description of a person change which option is chosen?",
            ("completion.delta", "completion.tau_b", "completion.tau_c"),
        ),
        StudyQuestion("Does the pronoun change the effect of the description?", ("completion.crossed.interaction",)),
        StudyQuestion(
            "Does the pronoun change which option is chosen?", ("completion.crossed.main_effect", "completion.crossed")
        ),
        StudyQuestion("How often is each option chosen?", ("completion.likelihood", "completion.irrelevant")),
        StudyQuestion("Do replies follow the place of an option?", ("completion.option_position",)),
        replies_question("completion"),
    )
    spreads = ("completion.delta[omnibus]",)
    words = StudyWords(
        rows="Fill-in-the-blank replies",
        one="1 reply",
        many="%n replies",
        scored=False,
        place=4,
        items=(("completion.", "replies"),),
    )

    chosen_roles = ()

    def prompts(self) -> "PromptSetDraft":
        from biasprint.core.studies.completion.prompts import completion_set

        return completion_set()

    def draft(self, ctx: "JobContext", project: "Project | None", choice: "PromptChoice") -> "PromptSetDraft":
        from biasprint.core.studies.completion.prompts import completion_set

        return completion_set(choice.domains, choice.directions, words=choice.words)

    def store(
        self, ctx: "JobContext", project: "Project", study_id: int | None, origin: str, table: "TableRead"
    ) -> int:
        from biasprint.core.studies.completion.live import store_replies

        return store_replies(self, ctx, project, study_id, origin, table)

    def of_tables(
        self,
        ctx: "JobContext",
        read: "Sequence[tuple[str, TableRead]]",
        options: "MeasureOptions",
        compute: "ComputeProcess",
    ) -> "Answer":
        from biasprint.core.studies.completion.live import of_tables

        return of_tables(ctx, read, options, compute)

    def prepared(
        self, ctx: "JobContext", project: "Project", study_id: int, options: "MeasureOptions", compute: "ComputeProcess"
    ) -> "list[Prepared]":
        from biasprint.core.studies.completion.live import prepared

        return prepared(ctx, project, study_id, options, compute)

    def live(self, project: "Project", study_id: int, compute: "ComputeProcess") -> "StudyTally":
        from biasprint.core.studies.completion.live import CompletionTally

        return CompletionTally(project, study_id, compute)

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        return figures(findings)

    def simulated(
        self, planted: str, n: int, asked: "Planting", seed: int, rng: "np.random.Generator"
    ) -> "list[Finding]":
        from biasprint.core.studies.completion.author import completion_trial

        return completion_trial(planted, n, asked, seed, rng)
