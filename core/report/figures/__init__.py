"""The papers' figures and result tables, made from findings: each study draws its own.

A study that draws none has no figures: its findings are in the table. With texts of several generators each has its
own figures, and where they were compared the first figure is of their differences.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from biasprint.core.draw.figure import Figure, mark
from biasprint.core.findings import BETWEEN_GENERATORS, OF_GROUPS, Finding
from biasprint.core.studies.kit.choose import joined, parted, words, worth_drawing
from biasprint.core.studies.registry import studies

# ---- Figures of several generators

Draw = Callable[[Sequence[Finding]], list[Figure]]


def split(findings: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The differences between generators, and all others."""
    differences = [finding for finding in findings if finding.id.endswith(BETWEEN_GENERATORS)]
    return differences, [finding for finding in findings if not finding.id.endswith(BETWEEN_GENERATORS)]


def of_generator(draw: Draw, generator: str, findings: Sequence[Finding]) -> list[Figure]:
    """One generator's figures, as of a project that has no other; each says whose it is."""
    if not generator:
        return draw(findings)
    own = [_alone(finding, generator) for finding in findings]
    whose = {id(alone): finding for alone, finding in zip(own, findings, strict=True)}
    return [
        replace(
            figure,
            part=joined(figure.part, generator),
            title=joined(figure.title, generator),
            marks=tuple(replace(mark, finding=whose.get(id(mark.finding), mark.finding)) for mark in figure.marks),
        )
        for figure in draw(own)
    ]


def _alone(finding: Finding, generator: str) -> Finding:
    """Without its generator, and without its model where the generator's name says that."""
    dims = {name: value for name, value in finding.shown_dims.items() if name != "generator"}
    return replace(finding, dims=dims)


def difference_figures(study: str, findings: Sequence[Finding]) -> list[Figure]:
    """A dot with its interval for each difference, those of one unit together, as little narrowed down as can be."""
    return worth_drawing(
        figure
        for pair, own in parted(findings, lambda finding: finding.groups).items()
        for figure in _of_pair(study, pair, own)
    )


def _of_pair(study: str, pair: Sequence[str], findings: Sequence[Finding]) -> Iterator[Figure]:
    first, second = pair
    least = {
        key: min(len(finding.dims) for finding in own)
        for key, own in parted(findings, lambda finding: finding.id).items()
    }
    wide = [finding for finding in findings if len(finding.dims) == least[finding.id]]
    for unit, own in parted(wide, lambda finding: finding.unit).items():
        ratio = "ratio" in unit
        yield Figure(
            key=f"{study}.generators",
            study=study,
            part=joined(f"{first} against {second}", unit),
            title=f"{first} against {second}: {unit}",
            subtitle="The findings of both on the prompts that both answered. "
            f"Right of {'1' if ratio else '0'} they are higher for {first}, left of it for {second}.",
            kind="intervals",
            marks=tuple(mark(finding, _row(finding), section=words(finding.title)) for finding in own),
            unit=unit,
            scale="log" if ratio else "linear",
            null=1.0 if ratio else 0.0,
            null_words="no difference between them",
            axis=unit,
            n_title="prompts",
            source="docs/explanation/generators.md",
        )


def _row(finding: Finding) -> str:
    parts = (words(value) for name, value in finding.dims.items() if name != OF_GROUPS)  # which the section names
    return joined(words(finding.label), *parts)


def figures_of(kind: str, findings: Sequence[Finding]) -> list[Figure]:
    """Every figure that these findings give, in the order of the study's paper; never an empty one."""
    study = studies().get(kind)
    differences, own = split(findings)
    drawn: list[Figure] = []
    if study is not None:
        for generator, of_one in parted(own, lambda finding: finding.dims.get("generator", "")).items():
            drawn += of_generator(study.draw, generator, of_one)
    return [*difference_figures(kind, differences), *drawn]
