"""Forms of English verbs: “writes” and “write”, by rules of spelling and a dictionary of what can be a verb."""

from functools import cache

from core.swap.words import swap_words

_HISSING = ("s", "sh", "ch", "x", "z", "o")


def plural_form(form: str) -> str:
    """The form for they of a form for he and she: “writes” → “write”, “is” → “are”; others stay."""
    known: dict[str, str] = {one: many for one, many in swap_words().file.verbs.irregular}  # noqa: C416 - typed
    if form in known:
        return known[form]
    if form.endswith("ies"):
        return form[:-3] + "y"
    if form.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return form[:-2]
    return form[:-1] if form.endswith("s") and not form.endswith("ss") else form


def singular_form(form: str) -> str:
    """The form for he and she of a form for they: “write” → “writes”, “are” → “is”."""
    known = {many: one for one, many in swap_words().file.verbs.irregular}
    if form in known:
        return known[form]
    if form.endswith("y") and form[-2:-1] not in ("a", "e", "i", "o", "u"):
        return form[:-1] + "ies"
    return form + ("es" if form.endswith(_HISSING) else "s")


def is_singular_verb(form: str) -> bool:
    """Can this be the third person of a verb (“writes”, also “plans”)?"""
    if form in {one for one, _ in swap_words().file.verbs.irregular}:
        return True
    return form.endswith("s") and not form.endswith("ss") and plural_form(form) in _known("verb")


def is_base(form: str) -> bool:
    """Can this be a verb's plain form (“write”, also “plan”)?"""
    return form in _known("verb") or form in {many for _, many in swap_words().file.verbs.irregular}


def can_be_noun(form: str) -> bool:
    return plural_form(form) in _known("noun") or form in _known("noun")


def is_a_word(form: str, *kinds: str) -> bool:
    """Is it in the dictionary as one of `kinds`; by default other than as a noun (names are nouns to it)?"""
    return any(form in _known(kind) for kind in kinds or ("verb", "adj", "adv"))


@cache
def _known(kind: str) -> frozenset[str]:
    from spacy.lookups import load_lookups

    known: frozenset[str] = frozenset(load_lookups("en", ["lemma_index"]).get_table("lemma_index")[kind])
    return known
