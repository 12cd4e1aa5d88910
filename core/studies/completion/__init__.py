"""Fill in the blank (Kamruzzaman et al. 2024): the study's declaration and figures. Light: `measure` is not."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from biasprint.core.draw.figure import Figure, FigureMark, Printed, mark
from biasprint.core.findings import Finding
from biasprint.core.studies.kit.choose import (
    crossed_figures,
    delta,
    drawn,
    having,
    joined,
    likelihood,
    parted,
    pronoun,
    tau,
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
    every: list[Figure] = []
    for model, of_model in parted(own, lambda finding: finding.dims.get("model", "")).items():
        every += _Study(model, of_model).figures()
    return worth_drawing(every) + crossed_figures("completion", own)


@dataclass(frozen=True)
class _Study:
    model: str
    findings: Sequence[Finding]

    def having(self, finding_id: str, *dims: str) -> list[Finding]:
        return having(self.findings, finding_id, (*dims, *(["model"] if self.model else [])))

    def drawn(self, name: str, marks: Iterable[FigureMark], direction: str = "", **own: Any) -> Figure:
        return drawn(f"completion.{name}", marks, part=joined(self.model, direction), **own)

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
        return self.drawn(
            "tau",
            (
                _by_domain(finding, series, tau if series == "τ-b" else None)
                for name, series in (("tau_b", "τ-b"), ("tau_c", "τ-c"))
                for finding in self.by_domain(f"completion.{name}", [name])
            ),
        )

    def base_rates(self) -> Figure:
        return self.drawn(
            "base_rates",
            (_by_domain(finding, BASE[finding.label], likelihood) for finding in self.by_domain(LIKELIHOOD, BASE)),
        )

    def pronouns(self) -> Figure:
        return self.drawn(
            "pronouns",
            (
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
        )

    def conditional(self, direction: str) -> Iterator[Figure]:
        here = [
            finding for finding in self.by_domain(LIKELIHOOD, CONDITIONAL) if finding.dims["direction"] == direction
        ]
        title = SHORT.get(direction, direction)
        yield self.drawn(
            "likelihood",
            (
                mark(
                    finding,
                    BASE[finding.label[1:]],
                    series=GIVEN[finding.label[0]],
                    section=words(finding.dims.get("domain", EVERY)),
                    references=likelihood(finding),
                )
                for finding in here
            ),
            direction,
            places={"title": title},
        )
        yield self.drawn(
            "domain_pronoun",
            (
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
            direction,
            source=f"Kamruzzaman et al. 2024, {'Tables 5 and 8' if direction == 'SAI' else 'Tables 6 and 9'}",
            places={"title": title},
        )

    def deltas(self) -> Figure:
        return self.drawn(
            "delta",
            (
                _by_domain(finding, DELTAS[finding.label], delta)
                for finding in self.by_domain("completion.delta", DELTAS)
            ),
        )

    def beside(self) -> Iterator[Figure]:
        """Yield figures that the paper describes or leaves out: omnibus test, irrelevant replies, options' places."""
        yield self.drawn(
            "omnibus",
            (_by_domain(finding, "") for finding in self.by_domain("completion.delta", ["omnibus"])),
        )
        yield self.drawn(
            "irrelevant",
            (_by_domain(finding, "") for finding in self.by_domain("completion.irrelevant", ["irrelevant"])),
        )
        yield self.drawn(
            "option_position",
            (
                mark(
                    finding,
                    f"Shown {finding.label}",
                    section=SHORT.get(finding.dims["direction"], finding.dims["direction"]),
                )
                for finding in self.having("completion.option_position", "direction")
            ),
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


@declared_in_resources
class CompletionStudy(StudyDeclaration):
    """Fill in the blank (Kamruzzaman et al. 2024)."""

    kind = "completion"
    inputs = (
        InputTable(
            name="completion",
            columns=("response",),
        ),
    )
    narrowed_by = ("domains", "directions")
    first_look: ClassVar[Mapping[str, Any]] = {"domains": ("ageism",), "directions": ("SAI",)}
    asked_of = ("pronoun", "domain")
    matched_by = ("direction", "term", "positive", "negative", "neutral")

    chosen_roles = ()

    def prompts(self) -> "PromptSetDraft":
        from biasprint.core.studies.completion.prompts import completion_set

        return completion_set()

    def draft(self, ctx: "JobContext", project: "Project | None", choice: "PromptChoice") -> "PromptSetDraft":
        from biasprint.core.studies.completion.prompts import completion_set

        return completion_set(choice.domains, choice.directions, words=choice.words)

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        return figures(findings)

    def work(self) -> StudyWork:
        from biasprint.core.studies.completion.live import CompletionWork

        return CompletionWork(self)
