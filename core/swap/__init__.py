"""The swap engine: a text about one person as one about a person of another name and gender.

`engine.swap` makes the twin, `engine.strict_twin` only where nothing in it is unsure; `guess.guess` says whom a text
is about. Here are the values they work with.
"""

from biasprint.core.swap.page import HE_AND_SHE, PRONOUNS, Change, Person, Pronoun, Twin
