"""The swap engine: a text about one person as one about a person of another name and gender.

`engine.swap` makes the twin, `guess.guess` says whom a text is about; here are the values they work with.
"""

from core.swap.result import PRONOUNS, Change, Person, Pronoun, Twin

__all__ = ["PRONOUNS", "Change", "Person", "Pronoun", "Twin"]
