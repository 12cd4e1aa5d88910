"""The replies that Kamruzzaman et al. 2024 released for PaLM 2, one file of valid ones and one of irrelevant ones.

The options are in the columns stereotype and anti_stereotype, seen from the item's polarity. The term that an item
gives is no column. It is found again from the file itself: what one direction offers, the other gives, so an item's
term is the longest option of its domain, its polarity and the other direction that is in its sentence as whole
words. Where the sentence has another form of the word (“hospitality”), it is the option with the longest beginning in
common. A term that no reply of the file was ever offered is found in its place in a sentence that is otherwise
equal to one whose term is known. What has no term even then is one term for each sentence, whatever its pronouns.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.tables.fields import FieldSpec, columns_there
from biasprint.core.tables.formats import KnownFormat
from biasprint.core.tables.read import Duplicates, OpenTable, iter_records, look_at, whole_table
from biasprint.core.tables.rows import Record, RowProblem, TableRead, excerpt
from biasprint.core.text import for_matching

DOMAIN, PRONOUN, CONTEXT, REPLY = "bias_type", "target_gender", "context", "response"
POLARITY, DIRECTION = "item_category", "type_category"
OPTIONS = ("stereotype", "anti_stereotype", "unrelated")
# An irrelevant reply may be empty; everything else belongs to every row.
NEEDED = (DOMAIN, PRONOUN, CONTEXT, *OPTIONS, POLARITY, DIRECTION)

DOMAINS = {
    "ageism": "ageism",
    "beauty": "beauty",
    "beauty_profession": "beauty_profession",
    "instituition": "institution",
    "institution": "institution",
    "nationality": "nationality",
}
PRONOUNS = {
    "male": "masculine",
    "female": "feminine",
    "not_spacified": "non-binary",
    "not_specified": "non-binary",
}
DIRECTIONS = {"type1": "SAI", "type2": "ASA"}
POLARITIES = {"positive": "positive", "negative": "negative"}
MODEL = "PaLM 2"

# How much of a word's beginning makes it another form of an option: that many letters, all but that many of the option.
SHORTEST_STEM = 4
LONGEST_ENDING = 4

Offered = dict[tuple[str, str, str], set[str]]  # domain, direction and polarity → options, lower case


def fits(columns: Collection[str]) -> bool:
    return {*NEEDED, REPLY} <= set(columns)


def read(
    path: Path,
    encoding: str | None = None,
    *,
    extra: Mapping[str, str],
    duplicates: Duplicates = "report",
    ctx: JobContext | None = None,
) -> TableRead:
    """The fields of a completion table; `extra`: field → column. Rows with values of no known kind are problems."""
    table = look_at(path, encoding)
    _check(table, extra)
    fields = [*(FieldSpec(name, required=True) for name in NEEDED), FieldSpec(REPLY)]
    fields += [FieldSpec(column) for column in extra.values() if column not in (*NEEDED, REPLY)]
    same = {spec.name: spec.name for spec in fields}
    problems: list[RowProblem] = []
    rows: list[Record] = []
    for record in iter_records(table, fields, same, problems.append, duplicates=duplicates, ctx=ctx):
        values = _values(record.values)
        if isinstance(values, str):
            problems.append(RowProblem(record.number, record.line, f"unknown {values}", excerpt=_seen(record, values)))
        else:
            more = {field: record.values[column] for field, column in extra.items()}
            rows.append(replace(record, values={**values, **more}))
    full = whole_table(table, tuple(rows), problems, {**_mapping(), **extra})
    return full if "term" in extra else replace(full, rows=_with_terms(full.rows))


BRINGS = ("domain", "direction", "pronoun", "given", "positive", "negative", "neutral", "response")
FORMAT = KnownFormat(
    "kamruzzaman", "Fill-in-the-blank replies of Kamruzzaman et al. 2024", "completion", fits, read, BRINGS
)


def given_term(context: str, options: Collection[str]) -> tuple[str, str]:
    """Return the option that a sentence contains, and its words there; both empty for none.

    The longest option in whole words, else the option that has the longest beginning in common with a word.
    """
    sentence = for_matching(context)
    whole = [option for option in options if re.search(rf"(?<!\w){re.escape(option)}(?!\w)", sentence)]
    if whole:
        longest = max(whole, key=lambda option: (len(option), option))
        return longest, longest
    words = re.findall(r"[\w'-]+", sentence)
    best = max(((_common(option, word), option, word) for option in options for word in words), default=(0, "", ""))
    length, option, word = best
    return (option, word) if length >= max(SHORTEST_STEM, len(option) - LONGEST_ENDING) else ("", "")


def _check(table: OpenTable, extra: Mapping[str, str]) -> None:
    name = table.file.path.name
    if not fits(table.columns):
        raise AppError(
            f"“{name}” does not have the columns of the format kamruzzaman.",
            hint=f"It needs {', '.join([*NEEDED, REPLY])}. {columns_there(table.columns)}",
        )
    for column in extra.values():
        if column not in table.columns:
            raise UsageError(f"“{name}” has no column “{column}”.", hint=columns_there(table.columns))


def _values(row: Mapping[str, str]) -> dict[str, str] | str:
    """The study's fields without the term; or the column whose value is of no known kind."""
    values: dict[str, str] = {}
    for field, column, known in (
        ("domain", DOMAIN, DOMAINS),
        ("direction", DIRECTION, DIRECTIONS),
        ("pronoun", PRONOUN, PRONOUNS),
        ("given", POLARITY, POLARITIES),
    ):
        value = known.get(row[column].strip().casefold())
        if value is None:
            return column
        values[field] = value
    stereotype, other, neutral = (row[column].strip() for column in OPTIONS)
    positive, negative = (stereotype, other) if values["given"] == "positive" else (other, stereotype)
    options = {"positive": positive, "negative": negative, "neutral": neutral}
    return {**values, **options, "response": row[REPLY], "context": row[CONTEXT], "model": MODEL}


def _seen(record: Record, column: str) -> str:
    return excerpt(record.values[column])


def _mapping() -> dict[str, str]:
    """The origin of each field, for showing."""
    return {
        "domain": DOMAIN, "direction": DIRECTION, "pronoun": PRONOUN, "given": POLARITY,
        "positive": " or ".join(OPTIONS[:2]), "negative": " or ".join(OPTIONS[:2]), "neutral": OPTIONS[2],
        "response": REPLY, "context": CONTEXT, "term": CONTEXT,
    }  # fmt: skip


def _offered(rows: Iterable[Mapping[str, str]]) -> Offered:
    """The options of every domain, direction and polarity."""
    offers: Offered = {}
    for row in rows:
        for polarity in POLARITIES:
            key = (row["domain"], row["direction"], polarity)
            offers.setdefault(key, set()).add(for_matching(row[polarity]))
    return offers


def _with_terms(rows: Sequence[Record]) -> tuple[Record, ...]:
    offered = _offered(row.values for row in rows)
    terms_found = [_found(row.values, offered) for row in rows]
    around: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for row, (_, words) in zip(rows, terms_found, strict=True):
        if words:
            before, _, after = for_matching(row.values["context"]).partition(words)
            around.setdefault(_where(row.values), set()).add((before, after))
    terms = [
        term or _in_place(for_matching(row.values["context"]), around.get(_where(row.values), set()))
        for row, (term, _) in zip(rows, terms_found, strict=True)
    ]
    return tuple(replace(row, values={**row.values, "term": term}) for row, term in zip(rows, terms, strict=True))


def _found(row: Mapping[str, str], offered: Offered) -> tuple[str, str]:
    other = "ASA" if row["direction"] == "SAI" else "SAI"
    return given_term(row["context"], offered.get((row["domain"], other, row["given"]), set()))


def _where(row: Mapping[str, str]) -> tuple[str, str]:
    return row["domain"], row["direction"]


def _in_place(text: str, around: Collection[tuple[str, str]]) -> str:
    """The term of a sentence, found by others that are equal before and after theirs: the shortest such words."""
    fitting = [
        text[len(before) : len(text) - len(after)]
        for before, after in around
        if text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after)
    ]
    return min(fitting, key=lambda words: (len(words), words), default="").strip()


def _common(option: str, word: str) -> int:
    """The number of letters at the beginning that two words share."""
    length = 0
    for a, b in zip(option, word, strict=False):
        if a != b:
            break
        length += 1
    return length
