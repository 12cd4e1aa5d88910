"""The two readings of “her” (his book, him) and of “his” (her book, hers), distinguished by the words around them."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from biasprint.core.scorers.segment import words
from biasprint.core.swap.page import Page, Token
from biasprint.core.swap.vocabulary import (
    GenderedWords,
    can_be_noun,
    is_a_word,
    is_base,
    is_person,
    is_singular_verb,
    plural_form,
    swap_words,
)

Reading = Literal["owner", "object"]


class Answer(NamedTuple):
    """Is it the owner's form (his book, her book), and do rules and grammar leave no doubt of it?"""

    owner: bool
    sure: bool


_INSIDE = ("JJ", "CD", "RB", "VBN", "VBG", "VBD")  # what may stand between “her” and its noun
_NOUN = ("NN", "FW")
_TIMES = ("today", "yesterday", "tomorrow", "tonight", "twice", "once")


def reading_of_her(tokens: Sequence[Token], place: int, words: GenderedWords) -> Reading:
    """Is this “her” an owner's (his) or an object (him)?

    An owner's leads to a noun within its phrase. Not every noun that follows belongs to it: some verbs take two
    objects, some are followed by what a person is or does. Where even a reader hesitates (“gave her flowers”), the
    verb decides.
    """
    noun = _noun_after(tokens, place)
    if noun is None:
        return "object"
    following, verb = tokens[place + 1], _verb_before_her(tokens, place)
    if following.lower in ("own", "first", "last", "late", "early", "debut", "entire", "whole"):
        return "owner"
    if verb is None:
        return "owner"
    kin = {word for pair in words.kin for word in pair}
    if _is(verb, words.seeing) and following.tag == "VB":
        return "object"
    if _is(verb, words.naming) and tokens[noun].lower not in kin and not _is_made(verb, tokens, noun):
        return "object"
    if _is(verb, words.two_objects) and not _says_so_of_herself(tokens, place):
        plain = tokens[noun].tag in ("NNS", "NN", "VB") and tokens[noun].lower not in kin
        return "object" if plain else "owner"
    return "owner"


def _noun_after(tokens: Sequence[Token], place: int) -> int | None:
    """The place of the noun that the phrase after `place` leads to."""
    at = place + 1
    while at < len(tokens):
        token = tokens[at]
        if token.lower in _TIMES:
            return None
        if token.tag.startswith(_NOUN):
            return at
        if token.tag == "VB":
            # The tagger takes a noun such as “help” for a verb; before another noun phrase it is one.
            return at if at == place + 1 or _is_looks_of(tokens, place, at) else None
        if token.tag in ("VBZ", "VBP") and _is_looks_of(tokens, place, at):
            return at  # “with her good looks”
        joins = token.text in (",", "“", '"', "-") or token.lower in ("and", "but")
        inside = token.tag.startswith(_INSIDE) or token.tag == ""
        if not (inside or (joins and at > place + 1)):
            return None
        if (
            token.tag.startswith("RB")
            and at + 1 < len(tokens)
            and tokens[at + 1].tag.startswith(("IN", "TO", ".", ","))
        ):
            return None
        at += 1
    return None


def _is_looks_of(tokens: Sequence[Token], place: int, at: int) -> bool:
    """A word that the tagger takes for a verb, after an adjective: the noun of its phrase, if it can be one.

    Not after verbs that find her so (“makes her happy plays a part”).
    """
    adjective = at > place + 1 and tokens[at - 1].tag.startswith("JJ")
    verb = _verb_before_her(tokens, place)
    words = swap_words()
    other = (*words.file.readings.finding, *words.gendered.two_objects)
    return adjective and not (verb is not None and _is(verb, other)) and can_be_noun(tokens[at].lower)


def _verb_before_her(tokens: Sequence[Token], place: int) -> Token | None:
    """Return the verb right before the pronoun; None where another word is there."""
    token = tokens[place - 1] if place else None
    return token if token is not None and token.tag.startswith("VB") else None


def _is(verb: Token, verbs: Sequence[str]) -> bool:
    return _lemma(verb.lower) in verbs


def _is_made(verb: Token, tokens: Sequence[Token], noun: int) -> bool:
    """“made her debut”, “called her agent”: done with a thing of hers, not making her something."""
    name = tokens[noun].lower
    things = ("debut", "home", "name", "way", "mark", "living", "money", "fortune", "film", "career", "work", "album")
    return name in things or (tokens[noun].tag == "NNS" and _lemma(verb.lower) != "make")


def _says_so_of_herself(tokens: Sequence[Token], place: int) -> bool:
    """“She won her title”: within the sentence the last subject before the verb is the person."""
    for token in reversed(tokens[:place]):
        if token.lower in ("she", "he", "who"):
            return True
        if token.tag.startswith(("NN", "PRP", "DT")) or token.first:
            return token.tag == "NNP"
    return False


def _lemma(form: str) -> str:
    irregular = {"found": "find", "saw": "see", "felt": "feel", "crew": "crew"}  # the lookup: “to found”, “to crow”
    if form in irregular:
        return irregular[form]
    lemmas = words(form)
    return lemmas[0].lemma if lemmas else form


_OPENING = ("“", '"', "‘", "«", "'")
_FUNCTION = ("a", "an", "the", "this", "that", "me", "him", "it", "them", "us", "who", "what", "as", "and", "or")
_NO_PHRASE = ("IN", "TO", "CC", "WP", "WRB", "MD", "WDT")
_ENDS = (",", ".", ";")
_WRITER = ("i", "we", "you")
_SOME_WHO = ("everyone", "everybody", "anyone", "anybody", "those", "people", "all")
_AUXILIARIES = ("is", "was", "are", "were", "has", "had", "have", "does", "did")


def her_is_an_owners(page: Page, place: int) -> bool:
    """Is this “her” the owner's (his book), not the object (him)?"""
    after = page.touching(place)
    if after is None or page.sentence[after] != page.sentence[place]:
        return False
    for rule in (_by_its_place, _by_what_follows, _by_the_verb):
        answer = rule(page, place, after)
        if answer is not None:
            return answer
    return reading_of_her(page.tokens, place, swap_words().gendered) == "owner"


def _by_its_place(page: Page, place: int, after: int) -> bool | None:
    """At the beginning of a clause, or where she owns what she does something with."""
    lower, tag = page.lower(after), page.tag(after)
    if page.lower(place - 1) == "that" and page.tag(place - 1) == "IN" and tag in ("VBN", "VBD", "VBG"):
        return True  # “that her worsened health has …”
    if _is_the_verb_waited_for(page, place, after):
        return False
    if page.tokens[place].first or page.tokens[place - 1].text in (",", ":", ";", "(", "—"):
        return lower not in _AUXILIARIES and tag not in ("MD", "DT", "PRP", "IN", "TO", ".", ",")
    if page.lower(place - 1) in ("and", "or", "but", "nor") and not page.is_adverb(after):
        return lower not in _AUXILIARIES and tag not in (*_NO_PHRASE, "DT", "PRP", ".", ",", ":")
    verb = _verb_before(page, place)
    if not verb and (_is_noun_after_all(page, after) or _is_what_a_preposition_brings(page, place, after)):
        return True
    if lower not in _FUNCTION and verb and (verb == "be" or _said_of_herself(page, place)):
        return tag not in (*_NO_PHRASE, ".", ",", ":") and page.tokens[after].text != "–"
    return None


def _by_what_follows(page: Page, place: int, after: int) -> bool | None:
    """A word that begins no phrase, a quotation, “best”, a verb of the next clause."""
    lower, tag, beyond = page.lower(after), page.tag(after), page.lower(after + 1)
    if tag in (*_NO_PHRASE, "DT", "PRP") and lower not in ("all", "both"):
        return False
    gives_all = lower == "all" and (beyond in (*_ENDS, "to") or page.tag(after + 1) in ("IN", "CC"))
    if lower in (*_OPENING, "own") or tag == "JJS" or gives_all:
        return True  # “brings her best”, “gives her all in every game”
    if tag.startswith("JJ") and beyond in ("one", "ones"):
        return True
    if tag == "JJ" and page.tag(after + 1) == "VBG" and can_be_noun(beyond):
        return True  # “found her true calling”
    rules = swap_words().file.readings
    if _verb_before(page, place) and lower in rules.this_time and beyond in rules.times:
        return False  # “hired her last spring”
    next_clause = page.tag(after + 1) in ("PRP", "PRP$", "DT") or beyond in ("that", "whether")
    if _verb_before(page, place) and is_singular_verb(lower) and next_clause:
        # “everyone who meets her trusts her”
        return "who" not in [page.lower(at) for at in range(max(0, place - 4), place)]
    return None


def _by_the_verb(page: Page, place: int, after: int) -> bool | None:
    """Verbs that find her so, see her do it, or give her something."""
    rules, gendered = swap_words().file.readings, swap_words().gendered
    verb, tag = _verb_before(page, place), page.tag(after)
    if verb in rules.finding and _ends_as_adjective(page, after):
        return False
    if tag == "VBG":  # “saw her presenting”, but “her writing shows”
        return verb not in rules.doing
    if not verb:
        return None
    often = page.lower(after) in ("daily", "weekly", "right", "well", "early", "late")
    if tag == "JJ" and not often and can_be_noun(page.lower(after)) and verb not in (*rules.finding, *gendered.naming):
        ends = after + 1 >= len(page.tokens) or page.is_adverb(after + 1) or page.lower(after + 1) in _ENDS
        if ends:
            return True  # “tailors her routine accordingly”
    if tag == "JJR" and verb in gendered.two_objects:
        return False  # “gained her greater freedom”
    if verb in rules.watching and is_base(page.lower(after)) and page.lower(after + 1) != "of":
        return False  # “watching her work”
    head = _head(page, after)
    if head is None:
        return None
    if verb == "cost":
        return False
    if verb == "consider" and page.tag(head) == "NN" and not is_person(page.lower(head)):
        return True  # “I consider her readiness beyond doubt”
    if (answer := _given_by_another(page, place, verb, head)) is not None:
        return answer
    return True if _has_more(page, verb, head) or _is_her_own(page, verb, head) else None


def _verb_before(page: Page, place: int) -> str:
    """The dictionary form of the verb right before, "" where there is none."""
    if place == 0 or page.sentence[place - 1] != page.sentence[place]:
        return ""
    # The tagger takes “hand” and “cost” for nouns; right after “I” or “it” they are verbs.
    after_subject = page.lower(place - 2) in (*_WRITER, "it") and is_base(page.lower(place - 1))
    return lemma(page.lower(place - 1)) if page.tag(place - 1).startswith("VB") or after_subject else ""


def _head(page: Page, place: int) -> int | None:
    """The noun that ends the phrase beginning at `place`."""
    at, head = place, None
    while at < len(page.tokens) and page.sentence[at] == page.sentence[place]:
        if page.tag(at).startswith("NN"):
            head = at
        elif head is not None or not (page.tag(at).startswith(_INSIDE) or page.is_adverb(at)):
            break
        at += 1
    return head


def _has_more(page: Page, verb: str, head: int) -> bool:
    """Does the noun have what makes it hers: a kind that one has, or a second object (“gives her work a shine”)?"""
    words = swap_words()
    if verb not in (*words.gendered.two_objects, *words.gendered.naming):
        return False
    if verb in words.file.readings.of_ones_own:
        return page.lower(head) not in words.file.readings.given_to_her
    if page.lower(head) in words.file.readings.her_own or plural_form(page.lower(head)) in words.file.readings.her_own:
        return True
    after = head + 1
    while after < len(page.tokens) and page.is_adverb(after):
        after += 1
    if page.lower(after) in words.file.readings.this_time and page.lower(after + 1) in words.file.readings.times:
        return False  # “gave her feedback every week”
    more = ("DT", "JJ", "VB") if verb in words.gendered.naming else ("DT",)
    return page.tag(after).startswith(more) and page.sentence[after] == page.sentence[head]


_GIVING = ("give", "teach", "lend", "offer", "buy", "grant", "award", "promise", "owe", "assign", "wish")


def _given_by_another(page: Page, place: int, verb: str, head: int) -> bool | None:
    """“I gave her feedback”, “we asked her questions”: the writer does it, so that it is she who is given something."""
    rules, noun = swap_words().file.readings, page.tokens[head]
    if (
        verb not in (*swap_words().gendered.two_objects, *rules.two_objects)
        or _subject_before(page, place) not in _WRITER
    ):
        return None
    if page.lower(head + 1) == "to":
        return True  # “I showed her plans to the board”
    if noun.lower in (*swap_words().file.nouns.people_plural, *rules.her_own_people):
        return True if verb in rules.asked_of_people else None
    is_given = noun.tag == "NNS" or noun.lower in rules.uncounted or verb in _GIVING
    return False if is_given and noun.lower not in _kin() else None


def _subject_before(page: Page, place: int) -> str:
    """Return the pronoun before the verb that comes right before `place`, "" for any other subject."""
    at = place - 1
    while at >= 0 and (page.tag(at).startswith(("VB", "MD")) or at == place - 1 or page.is_adverb(at)):
        at -= 1
    return page.lower(at) if at >= 0 and page.sentence[at] == page.sentence[place] else ""


def _kin() -> frozenset[str]:
    return frozenset(word for pair in swap_words().gendered.kin for word in pair)


def _is_her_own(page: Page, verb: str, head: int) -> bool:
    """Return whether the words after a verb of two objects cannot be what she is given.

    One thing that can be counted has an article where it is given (“earned her a diploma”); without one it is hers
    (“earned her diploma”). “brings her ideas to life” and “gives her drawings depth” say of hers what becomes of it;
    and who brings something by her own ability or will brings it herself (“her ability to bring her team success”).
    """
    if verb not in swap_words().gendered.two_objects and verb not in swap_words().file.readings.two_objects:
        return False
    rules, noun, beyond = swap_words().file.readings, page.tokens[head], head + 1
    if noun.lower in rules.uncounted or noun.lower.endswith(rules.uncounted_endings):
        return False
    if noun.tag == "NN":
        return can_be_noun(noun.lower)
    if noun.tag != "NNS":
        return False
    if page.lower(beyond) == "to" and page.lower(beyond + 1) in rules.brought_to:
        return True
    return page.tag(beyond) == "NN" and page.tag(beyond + 1)[:2] in ("", ".", ",", "CC", "IN")


def _is_what_a_preposition_brings(page: Page, place: int, after: int) -> bool:
    """“after her shows have ended”, “in her travels to Europe”: nouns that the tagger takes for verbs.

    Where the sentence waits for a verb, `_is_the_verb_waited_for` has answered before.
    """
    if page.tag(place - 1) not in ("IN", "TO") or page.tag(after) not in ("VB", "VBP", "VBZ"):
        return False
    return page.lower(after) not in _AUXILIARIES and can_be_noun(page.lower(after))


def _is_the_verb_waited_for(page: Page, place: int, after: int) -> bool:
    """“everyone who works with her benefits from it”: no other verb follows that could be the sentence's."""
    lower, tag = page.lower(after), page.tag(after)
    plain = is_base(lower) and tag != "NN"
    if page.tag(place - 1) not in ("IN", "TO") or not (is_singular_verb(lower) or plain):
        return False
    if page.lower(after + 1) in (*_ENDS, "and", "or", "") or tag.startswith(("JJ", "RB")):
        return False
    later = [page.tag(at) for at in page.after(after)]
    near = range(max(0, place - 5), place)
    waits = any(
        page.lower(at) in _SOME_WHO or (page.tokens[at].first and page.lower(at).endswith("ing")) for at in near
    )
    return waits and not any(part_of_speech in ("VBZ", "VBP", "VBD", "MD") for part_of_speech in later)


def _said_of_herself(page: Page, place: int) -> bool:
    """“She gave her all”: an object is not its own clause's subject, so that this is the owner."""
    at = place - 1
    while at >= 0 and (page.tag(at).startswith(("VB", "MD")) or page.is_adverb(at)):
        at -= 1
    return page.lower(at) == "she" and page.sentence[at] == page.sentence[place]


def his_is_an_owners(page: Page, place: int) -> bool:
    """Is this “his” before what is his (her book), not alone (hers)?"""
    if _noun_after(page.tokens, place) is not None:  # “his” before its noun, not alone
        return True
    after = page.touching(place)
    if after is None or page.sentence[after] != page.sentence[place] or page.lower(after) in _TIMES:
        return False
    if page.tokens[after].text in _OPENING or page.lower(after) == "own":
        return True
    if page.tag(after).startswith(("JJS", "NN", "CD", "FW", "VBG")) or page.lower(after) == "all":
        return True
    if page.tag(after).startswith("JJ"):
        # “he proved his worth”, but “he keeps his tidy”
        is_noun = can_be_noun(page.lower(after)) and _verb_before(page, place) not in swap_words().file.readings.finding
        return is_noun or page.lower(after + 1) not in (*_ENDS, "")
    if is_singular_verb(page.lower(after)) and can_be_noun(page.lower(after)) and not _verb_before(page, place):
        if page.tag(place - 1) in ("IN", "TO"):
            # “ready for his shoots”, “fans of his shows”, but “a friend of his shows the way”
            few = ("a", "an", "one", "this", "that")
            return page.lower(place - 1) != "of" or not any(
                page.lower(at) in few for at in range(max(0, place - 4), place)
            )
        begins = page.tokens[place].first or page.lower(place - 1) in ("and", "but", "or", ",", ";")
        # “and his shows are good”, but “and his shows the way”
        return begins and page.tag(after + 1) not in ("DT", "PRP", "PRP$", "IN", "TO")
    if page.tag(after).startswith("VB") and _verb_before(page, place) and can_be_noun(page.lower(after)):
        return page.lower(after) not in _AUXILIARIES  # “kept his promises”: no verb follows a verb so
    return _is_noun_after_all(page, after)


def _is_noun_after_all(page: Page, place: int) -> bool:
    """“in his will, he …”: a verb that ends its phrase is a noun, if it can be one."""
    is_plain = page.tag(place) in ("MD", "VB", "VBP", "VBZ") and page.lower(place) not in _AUXILIARIES
    ends = page.lower(place + 1) in _ENDS or (page.tag(place) == "MD" and page.tag(place + 1) == "PRP")
    return is_plain and can_be_noun(page.lower(place)) and ends


def _ends_as_adjective(page: Page, place: int) -> bool:
    """Do adjectives alone follow (“found her approachable and kind.”)?"""
    for at in [place, *page.after(place)]:
        lower, tag = page.lower(at), page.tag(at)
        if lower in (".", ";", "!", "?") or tag in ("IN", "TO", "WRB"):
            return at > place
        adjective = tag.startswith(("JJ", "RB", "VBN", "CC")) or lower == "," or is_a_word(lower, "adj")
        if not adjective:
            return False
    return True


def lemma(form: str) -> str:
    """The dictionary form of a verb; “found” and “saw” as they are meant in a letter."""
    irregular = {"found": "find", "saw": "see", "felt": "feel", "left": "leave"}
    if form in irregular:
        return irregular[form]
    lemmas = words(form)
    return lemmas[0].lemma if lemmas else form


# ---- Both readings, and whether they are sure

_LENGTHS = ("mornings", "evenings", "weekends", "hours", "days", "weeks", "months", "years", "decades", "ages")
_LASTING = ("in", "during", "over", "throughout", "after", "for", "of", "within", "across", "from", "since")


def read_her(page: Page, place: int) -> Answer:
    """Return whether “her” is the owner's (his), not the object (him), and whether that is sure.

    Two independent readers decide: the rules, and the parser where one is installed. Where they differ, or
    where the words allow both (“gave her flowers”, “met her Monday”), a person is asked.
    """
    after = page.touching(place)
    if after is None or page.sentence[after] != page.sentence[place]:
        return Answer(False, True)
    if page.lower(after) in ("and", "&", "or", "/") and page.lower(after + 1) in ("my", "our", "your", "his", "their"):
        return Answer(page.tokens[place].first, False)  # “Her and my work differ”
    if page.lower(after) in (*swap_words().file.readings.closed, "and", "&"):
        return Answer(False, True)
    if page.lower(after) in ("every", "each", "any", "some", "another") and _verb_before(page, place):
        return Answer(False, page.touching(after) is not None)  # “gave her every chance”
    if _begins_what_she_does(page, place, after):
        return Answer(False, True)
    owner = her_is_an_owners(page, place)
    grammar = _owner_by_grammar(page, place)
    if owner and page.lower(after) in ("own", "all", "best", "utmost") and _said_of_herself(page, place):
        return Answer(True, True)
    if grammar is not None and grammar != owner:
        return Answer(owner and not _is_time(page, after), False)
    return Answer(owner, not _allows_both(page, place, after, owner))


def _begins_what_she_does(page: Page, place: int, after: int) -> bool:
    """“makes her stand out”, “saw her grow”, “makes her one of the best”: a verb's plain form, or “one of”."""
    verb, lower, beyond = _verb_before(page, place), page.lower(after), page.lower(after + 1)
    if verb and (lower, beyond) in (("one", "of"), ("all", "the")):
        return True
    rules = swap_words().file.readings
    does = verb in (*rules.watching, *swap_words().gendered.seeing, "make", "let", "help")
    return does and is_base(lower) and (beyond in ("out", "apart", "up", "into") or not can_be_noun(lower))


def read_his(page: Page, place: int) -> Answer:
    """Return whether “his” is before what is his (her book), not alone (hers), and whether that is sure."""
    after = page.touching(place)
    if after is None or page.sentence[after] != page.sentence[place]:
        return Answer(False, True)
    joint = page.lower(after) in ("and", "&", "or", "/")
    if joint and page.lower(after + 1) in ("my", "our", "your", "her", "their"):
        return Answer(True, True)  # “his and my work”
    if page.lower(after) in swap_words().file.readings.closed or joint:
        return Answer(False, True)
    owner, grammar = his_is_an_owners(page, place), _owner_by_grammar(page, place)
    if grammar is not None and grammar != owner:
        return Answer(owner, False)
    acts = is_singular_verb(page.lower(after)) and can_be_noun(page.lower(after))
    if acts and page.lower(place - 1) in ("as", "than", "of"):
        return Answer(owner, False)  # “a firm such as his needs luck”
    near = page.tag(after).startswith(("NN", "JJ", "CD", "VBG", "VBN", "FW"))
    return Answer(owner, grammar is not None or (owner and (near or page.lower(after) == "own")))


def _owner_by_grammar(page: Page, place: int) -> bool | None:
    """Does the parser hang the pronoun on a noun after it, as that noun's owner? `None` where there is no parser."""
    branch = page.branch(place)
    return None if branch is None else branch.relation == "poss" and branch.head > place


def _is_time(page: Page, after: int) -> bool:
    """Do the words after the pronoun tell when or how: “Monday”, “three years”, “last spring”, “full time”?"""
    rules = swap_words().file.readings
    first, second = page.lower(after), page.lower(after + 1)
    if first in ("full", "part") and second in ("time", "-") and not page.tag(after + 2).startswith("NN"):
        return True
    if first == "one" and second in ("bit", "iota", "jot", "inch", "day"):
        return True
    if page.tag(after) == "CD" or first in (*rules.this_time, "many", "several", "some", "all", "most", "two", "three"):
        return second.removesuffix("s") in rules.times
    names_a_time = (first.endswith("day") and first != "day") or first in _LENGTHS
    return first in _TIMES or (names_a_time and (second == "last" or not page.tag(after + 1).startswith("NN")))


def _may_be_a_verb(page: Page, place: int) -> str:
    """The dictionary form of the word before, if it is a verb of two readings that the tagger may take for a noun."""
    rules, gendered = swap_words().file.readings, swap_words().gendered
    form = lemma(page.lower(place - 1)) if page.sentence[place - 1] == page.sentence[place] and place else ""
    both = form in (*gendered.two_objects, *gendered.naming, *rules.two_objects, *rules.finding, *gendered.seeing)
    return form if both and page.tag(place - 2) != "DT" else ""


def _allows_both(page: Page, place: int, after: int, owner: bool) -> bool:
    """Do the words allow the other reading too, for all that rules and grammar say?"""
    verb, known = _verb_before(page, place) or _may_be_a_verb(page, place), page.branch(place) is not None
    if _is_time(page, after):
        return not (owner and page.lower(place - 1) in _LASTING)
    if not verb:
        return not owner and not known
    if owner and _said_of_herself(page, place):
        return False
    rules, gendered = swap_words().file.readings, swap_words().gendered
    head = _head(page, after)
    noun = page.lower(head) if head is not None else ""
    of_hers = noun in rules.her_own or plural_form(noun) in rules.her_own
    by_writer = _subject_before(page, place) in _WRITER
    if page.lower(after) == "own" or (of_hers and not (by_writer and verb in gendered.two_objects)):
        return not owner
    if verb in gendered.naming and (is_person(noun) or noun in swap_words().file.nouns.beside or not noun):
        return not (_ends_as_adjective(page, after) and not owner and known)
    if verb in gendered.two_objects or verb in rules.two_objects:
        return not (owner and head is not None and page.tag(head + 1) == "DT" and page.lower(head + 1) != "every")
    if verb in (*gendered.seeing, *rules.watching) and is_base(page.lower(after)):
        return True
    if verb in rules.finding:
        ends = head is not None and (page.lower(head + 1) in (*_ENDS, "and", "") or page.tag(head + 1) in ("IN", "TO"))
        return not known or (owner and not ends)
    return not known and not (owner or page.is_adverb(after))
