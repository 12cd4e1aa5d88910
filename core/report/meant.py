"""Names of findings, ID[LABEL, DIM=VALUE, …], as gates and analysis plans write them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from biasprint.core.errors import UsageError
from biasprint.core.findings import BETWEEN_GENERATORS, Finding
from biasprint.core.studies.registry import studies

VARIANT, DEFAULT = "variant", "default"
VARIANTS = (DEFAULT, "as_published")
GROUPS = ("first", "second")  # of a finding, beside its dims
NEAR = 5  # names that are offered in place of one that there is not
_MEANT = re.compile(r"\s*(?P<id>[\w.]+)\s*(?:\[(?P<chosen>.*)\])?\s*", re.DOTALL)
_PART = re.compile(r'\s*(?:(?P<key>\w+)\s*=)?\s*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^",=]+))\s*(?:,|$)')


@dataclass(frozen=True, kw_only=True)
class Meant:
    """The findings that a text names. `label`: of the findings, any where empty. `dims`: those that are named; others
    may have any value. `first`, `second` among them: the finding's groups.
    """

    text: str
    id: str
    label: str = ""
    dims: Mapping[str, str] = field(default_factory=dict)
    variant: str = DEFAULT

    @property
    def key(self) -> tuple[object, ...]:
        """Key that two names of the same findings share, however they are written."""
        return self.id, self.label, self.variant, *sorted(self.dims.items())

    def is_about(self, finding: Finding) -> bool:
        return (
            finding.id == self.id
            and finding.variant == self.variant
            and self.label in ("", finding.label)
            and all(_value(finding, name) == value for name, value in self.dims.items())
        )

    def why_none(self, findings: Sequence[Finding], asker: str) -> str:
        """Return a sentence on what of its name no finding has, with names that are like it. `asker`: “a gate”."""
        same_id = [finding for finding in findings if finding.id == self.id and finding.variant == self.variant]
        if not same_id:
            return f"There is no finding “{self.id}” for {asker}; {like(self.id, [each.id for each in findings])}."
        if self.label and not any(finding.label == self.label for finding in same_id):
            similar = like(self.label, [finding.label for finding in same_id])
            return f"{self.id} has no “{self.label}” for {asker}; {similar}."
        for name, value in self.dims.items():
            values = [own for finding in same_id if (own := _value(finding, name)) is not None]
            if not values:
                dims = [dim for finding in same_id for dim in (*finding.dims, *GROUPS[: len(finding.groups)])]
                return f"{self.id} has no {name} for {asker}; {like(name, dims)}."
            if value not in values:
                return f"{self.id} has no {name} “{value}” for {asker}; {like(value, values)}."
        return f"No finding has all that the {asker.partition(chr(32))[2]} “{self.text}” names together."


def _value(finding: Finding, name: str) -> str | None:
    """Return the value of a dim; or the first or second group."""
    if name in finding.dims or name not in GROUPS:
        return finding.dims.get(name)
    return dict(zip(GROUPS, finding.groups, strict=False)).get(name)


def parse_meant(text: str) -> Meant:
    """Parse ID[LABEL, DIM=VALUE, …]. Raises `UsageError` for anything else."""
    match = _MEANT.fullmatch(text)
    if match is None:
        raise UsageError(f"“{text.strip()}” names no finding.", hint="For example: letters.lexicon.odds_ratio[agentic]")
    label, dims, variant = parse_chosen(match["chosen"] or "", "an analysis plan")
    return Meant(text=" ".join(text.split()), id=match["id"], label=label, dims=dims, variant=variant)


def parse_chosen(chosen: str, asker: str) -> tuple[str, dict[str, str], str]:
    """Return the label, the dims and the variant between the brackets. A value with a comma is in double quotes."""
    label, dims, at = "", {}, 0
    while at < len(chosen):
        part = _PART.match(chosen, at)
        value = "" if part is None else (part["quoted"] if part["quoted"] is not None else part["plain"].strip())
        if part is None or not value or (part["key"] in dims) or (part["key"] is None and label):
            raise UsageError(
                f"“[{chosen}]” in {asker} is not a label and dims.", hint="For example: [agentic, model=large]"
            )
        at = part.end()
        if part["key"] is None:
            label = value
        else:
            dims[part["key"]] = value
    variant = dims.pop(VARIANT, DEFAULT)
    if variant not in VARIANTS:
        raise UsageError(
            f"{asker[:1].upper()}{asker[1:]} has no variant “{variant}”.", hint=f"There are: {', '.join(VARIANTS)}."
        )
    return label, dims, variant


def unknown(meant: Meant, kinds: Iterable[str]) -> str:
    """Return a sentence where none of these studies can have such a finding, with ids that are like it; else
    nothing.
    """
    own = [info for kind in kinds for info in studies()[kind].findings]
    wanted = meant.id.removesuffix(BETWEEN_GENERATORS)
    if any(wanted == info or (info.endswith("*") and wanted.startswith(info[:-1])) for info in own):
        return ""
    return f"There is no finding “{meant.id}”; {like(wanted, own)}."


def like(wanted: str, names: Iterable[str]) -> str:
    """Return the names that are like one that there is not, in words."""
    known = list(dict.fromkeys(names))
    near = get_close_matches(wanted, known, NEAR, cutoff=0.5) or known[:NEAR]
    return f"there are {', '.join(near)}" if near else "there are none"
