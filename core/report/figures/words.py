"""What keys are called in a figure. A key without a title stands for itself, its underscores as blanks."""

from core.findings import Finding

TITLES = {
    "SAI": "Stimulus given, attribute chosen (SAI)",
    "ASA": "Attribute given, stimulus chosen (ASA)",
    "beauty_profession": "Beauty × profession",
    "PPL": "P → positive",
    "PNL": "P → negative",
    "PNuL": "P → neutral",
    "NPL": "N → positive",
    "NNL": "N → negative",
    "NNuL": "N → neutral",
    "unbiased": "Unbiased prompt",
    "androcentrism": "Androcentrism",
    "career_family": "Career and family words",
    "names": "Names of the groups",
}
PRONOUNS = {"masculine": "Masculine pronoun", "feminine": "Feminine pronoun", "non-binary": "Non-binary pronoun"}


def words(key: str) -> str:
    """ "very_short_story" → "Very short story"; a name such as "GPT-4" stays as it is."""
    if key in TITLES:
        return TITLES[key]
    text = key.replace("_", " ")
    return text[:1].upper() + text[1:]


def pronoun(key: str) -> str:
    return PRONOUNS.get(key, words(key))


def against(finding: Finding) -> str:
    """ "Male against female", for a finding about two groups."""
    return " against ".join([words(finding.groups[0]), *finding.groups[1:2]]) if finding.groups else ""


def joined(*parts: str) -> str:
    """The parts that are there, such as "Gender · GPT-4"."""
    return " · ".join(part for part in parts if part)
