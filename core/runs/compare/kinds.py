"""The texts that can be compared by identity, by model, by origin or as swap twins: one function gathers each kind."""

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import GENERATED, MODEL, ORIGIN, ORIGINAL, TWIN, Candidate, LeftOut
from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow, SourceRow, TextKey
from biasprint.core.project.specs import SourceSpec
from biasprint.core.project.stores.common import chunks
from biasprint.core.prompts import Identity, available_axes, load_axis
from biasprint.core.prompts.drafts import DEFAULT_IDENTITY
from biasprint.core.prompts.wordings import WORDING, sample_in
from biasprint.core.runs.compare.pool import (
    MOST_CARDS,
    SOME_AT_A_TIME,
    CompareRequest,
    KnownAxis,
    Pool,
    SampleNumbers,
    chosen_axes,
    chosen_writers,
    imported_axis,
    known_axes,
    outputs,
    problem_of,
    shown_theme,
    sources,
    theme_of,
    writers,
)
from biasprint.core.studies.news.prompts import UNBIASED
from biasprint.core.swap import HE_AND_SHE, Person
from biasprint.core.swap.engine import StrictTwin, made_by, strict_twins
from biasprint.core.text import sha256_text
from biasprint.core.texts.values import Original, Originals

# ---- Identity against identity: texts written for two or three identities of an axis, everything else being equal

PLAIN_ARM = ("", "plain")
UNMATCHED = "nothing says which letters belong together: they have no block and no occupation"
UNMATCHED_TEXTS = "nothing says which texts belong together: they have no block and no prompt"


def gather_identities(ctx: JobContext, project: Project, asked: CompareRequest) -> Pool:
    """Return the texts on the chosen axes, of the chosen generators alone where any are named."""
    if not any(axis.written for axis in known_axes(project, asked.study).values()):
        raise AppError(
            f"The {asked.study.kind} study has no texts that were written for identities.",
            kept="No plan was made.",
            hint="Models and originals can be compared without identities: see the kind of comparison.",
        )
    chosen = chosen_axes(project, asked.study, asked.axes, any_number=asked.cards > 0)
    runs = chosen_writers(project, asked.study.id, asked.models)
    numbers = SampleNumbers()
    rows = [row for row in outputs(ctx, project, asked.study.id) if runs is None or row.run_id in runs]
    letters = list(sources(project, asked.study.id, "letter")) if runs is None else []
    imported = imported_axis(project, asked.study)
    candidates = [
        _of_output(asked.study.kind, row, chosen[axis][0], numbers)
        for row in rows
        if (axis := row.axis or imported) in chosen and (row.axis or row.identity not in ("", DEFAULT_IDENTITY))
    ]
    if imported in chosen:
        candidates += [_of_letter(row, chosen[imported][0], numbers) for row in letters if row.fields.get("group")]
    return Pool(
        candidates,
        {axis: identities for axis, (_, identities) in chosen.items()},
        definitions=tuple(known.shipped for known, _ in chosen.values() if known.shipped is not None),
    )


def _of_output(kind: str, row: OutputRow, axis: KnownAxis, numbers: SampleNumbers) -> Candidate:
    block, theme = _block(row), theme_of(kind, row.theme, row.fields)
    return Candidate(
        output=row.id,
        axis=axis.id,
        identity=row.identity,
        task=row.task,
        theme=theme,
        text_sha256=sha256_text(row.text),
        model=f"{row.backend}/{row.model}/{row.run_id}",
        # Only a block can hold several names of one identity; elsewhere a second text in one place is a mistake.
        sample=numbers.sample(row.sample, row.run_id, block, row.identity)
        if block
        else sample_in(row.sample, row.fields),
        problem=problem_of(row) or ("" if row.axis or block or theme else UNMATCHED_TEXTS),
        block=block,
        shown_theme=shown_theme(kind, theme, row.fields, axis.hidden),
    )


def _block(row: OutputRow) -> str:
    """Return the matched cell or biography, with its version and arm: letters are compared within one instruction.

    Of an imported text without a block it is the prompt that its table names.
    """
    arm = row.fields.get("arm", "")
    matched = row.fields.get("block", "") or ("" if row.axis else row.fields.get("prompt", ""))
    parts = [matched, row.fields.get("version", ""), "" if arm in PLAIN_ARM else arm]
    if matched and row.fields.get(WORDING):
        parts.append(row.fields[WORDING])  # nor beside a letter that was asked for in other words
    return "/".join(parts) if any(parts) else ""


def _of_letter(row: SourceRow, axis: KnownAxis, numbers: SampleNumbers) -> Candidate:
    fields = row.fields
    theme, block = theme_of("letters", "", fields), fields.get("block", "")
    arm = fields.get("arm", "")
    block = f"{block}/{arm}" if arm not in PLAIN_ARM else block
    model, given = fields.get("model", ""), fields.get("sample", "").strip()
    sample = int(given) if given.isdecimal() and len(given) < 5 else 0
    problem = "its text is empty" if not row.text.strip() else "" if block or theme else UNMATCHED
    group = fields["group"]
    return Candidate(
        output=None,
        axis=axis.id,
        identity=group,
        task=fields.get("document", "") or "letter",
        theme=theme,
        text_sha256=sha256_text(row.text),
        model=f"letters/{model}",
        sample=numbers.sample(sample, row.origin, model, block, theme, group),
        problem=problem,
        source=row.id,
        block=f"{row.origin}/{block}",  # two tables may use one name for different blocks
        shown_theme=shown_theme("letters", theme, fields, axis.hidden),
    )


# ---- Model against model: the texts of two or three generators for the same prompt and sample


def gather_models(ctx: JobContext, project: Project, asked: CompareRequest) -> Pool:
    """Return the outputs of the generators that are named, or of all where there are two or three, or `asked.cards`.

    `asked.axes` narrows to prompts on these axes; without it every prompt counts.
    """
    runs = _runs(project, asked)
    labels = tuple(sorted(set(runs.values())))
    known = known_axes(project, asked.study)
    for axis in asked.axes:
        if axis not in known:
            raise UsageError(f"The project has no axis “{axis}”.", hint=f"Its axes: {', '.join(known) or 'none yet'}.")
    # The prompts' identities are not compared, but a title that said one would tell what the study is about.
    hidden = {*labels, *(word for axis in known.values() for word in axis.hidden)}
    asked_by = _prompt_texts(project, asked.study.id)
    numbers = SampleNumbers()
    candidates = [
        _candidate(asked.study.kind, row, runs[row.run_id], asked_by.get(row.prompt_id, ""), hidden, numbers)
        for row in outputs(ctx, project, asked.study.id)
        if row.run_id in runs and (not asked.axes or row.axis in asked.axes)
    ]
    return Pool(candidates, {MODEL: labels})


def _runs(project: Project, asked: CompareRequest) -> dict[int, str]:
    runs = chosen_writers(project, asked.study.id, asked.models)
    if runs is None:
        runs = writers(project, asked.study.id)
    labels = sorted(set(runs.values()))
    if len(labels) < 2:
        only = f"only {labels[0]} has" if labels else "no generator has"
        raise AppError(
            f"Models are compared two or three at a time, and {only} written texts here.",
            kept="No plan was made.",
            hint="Write the same prompts with another model first." if not asked.models else "Name another model too.",
        )
    if len(labels) > MOST_CARDS and not asked.cards:
        raise UsageError(
            f"A comparison shows two or three models, and {len(labels)} have written texts here.",
            hint=f"Name two or three of them ({'; '.join(labels)}), {SOME_AT_A_TIME}.",
        )
    return runs


def _prompt_texts(project: Project, study_id: int) -> dict[int, str]:
    """Return the hash of each prompt's text: an edited prompt keeps its key in the next version of its set."""
    hashes: dict[int, str] = {}
    for prompt_set in project.prompts.sets(study_id):
        page = chunks(lambda after, limit: project.prompts.page(prompt_set.id, after, limit), lambda row: row.id)  # noqa: B023
        hashes |= {row.id: sha256_text(row.text) for row in page}
    return hashes


def _candidate(
    kind: str, row: OutputRow, label: str, prompt_sha256: str, hidden: set[str], numbers: SampleNumbers
) -> Candidate:
    theme = theme_of(kind, row.theme, row.fields)
    return Candidate(
        output=row.id,
        axis=MODEL,
        identity=label,
        task=row.task,
        theme=theme,
        text_sha256=sha256_text(row.text),
        model=row.identity,  # what is left to balance by: the identities that the prompts name
        sample=numbers.sample(row.sample, label, row.prompt_key, prompt_sha256),
        problem=problem_of(row),
        block=f"{row.prompt_key}\n{prompt_sha256}",
        shown_theme=shown_theme(kind, theme, row.fields, hidden),
    )


# ---- Generated against original: an article that a model wrote beside the one that people wrote for the headline

IDENTITIES = (GENERATED, ORIGINAL)


def gather_origins(ctx: JobContext, project: Project, asked: CompareRequest) -> Pool:
    """Return every original once, beside one of the articles that were generated for its headline.

    Seen twice beside different articles, the one that stays the same would be known for the original. Which article is
    taken is drawn from the seed; generators are used equally often. Articles of biased prompts are left out.
    """
    originals = Originals.of(project, asked.study.id)
    if not originals:
        raise AppError(
            "There are no originals to compare with.",
            kept="No plan was made.",
            hint="Import articles that people wrote together with what was generated for their headlines.",
        )
    runs = chosen_writers(project, asked.study.id, asked.models)
    left_out: list[LeftOut] = []
    of_original: defaultdict[int, list[OutputRow]] = defaultdict(list)
    by_id: dict[int, Original] = {}
    for row in outputs(ctx, project, asked.study.id):
        if runs is not None and row.run_id not in runs:
            continue
        original = originals.of_output(row)
        problem = _problem(row, original)
        if problem or original is None:
            left_out.append(LeftOut(row.id, problem))
        else:
            of_original[original.key[1]].append(row)
            by_id[original.key[1]] = original
    candidates: list[Candidate] = []
    for row in _one_each(of_original, random.Random(asked.seed), left_out):
        original = originals.of_output(row)
        assert original is not None
        candidates += _pair(row, original)
    return Pool(candidates, {ORIGIN: IDENTITIES}, tuple(left_out))


def _problem(row: OutputRow, original: Original | None) -> str:
    if original is None:
        return "there is no original of its headline"
    if row.fields.get("prompt_kind", UNBIASED) not in ("", UNBIASED):
        return "its prompt asked for bias"
    return problem_of(row)


def _one_each(
    of_original: dict[int, list[OutputRow]], rng: random.Random, left_out: list[LeftOut]
) -> Iterable[OutputRow]:
    """Yield one article for each original, of the generator that was used least so far."""
    used: Counter[tuple[str, str]] = Counter()
    for source in rng.sample(sorted(of_original), len(of_original)):
        rows = rng.sample(of_original[source], len(of_original[source]))
        chosen = min(rows, key=lambda row: used[row.backend, row.model])
        used[chosen.backend, chosen.model] += 1
        reason = "its original is shown beside another article"
        left_out += [LeftOut(row.id, reason) for row in rows if row.id != chosen.id]
        yield chosen


def _pair(row: OutputRow, original: Original) -> tuple[Candidate, Candidate]:
    source = original.key[1]
    theme = row.theme or original.domain
    article = Candidate(
        output=row.id,
        axis=ORIGIN,
        identity=GENERATED,
        task=row.task,
        theme=theme,
        text_sha256=sha256_text(row.text),
        model=f"{row.backend}/{row.model}",
        problem="" if original.text.strip() else "its original is empty",
        block=f"original {source}",
        shown_theme=shown_theme("news", theme, row.fields, ()),
    )
    written = replace(article, output=None, source=source, identity=ORIGINAL, text_sha256=sha256_text(original.text))
    return article, written


# ---- Swap twins: the two people, from the fields beside a letter

NO_NAME = "the name of whom it is about is not known"
NO_PRONOUN = "it is not known whether it is about him or her"
NO_OTHER = "there is no name of the other gender to give its twin"


@dataclass(frozen=True)
class TwinPersons:
    """The two people of a letter and its twin, and their groups; `problem` says why there is no twin, or is ""."""

    about: Person | None = None
    other: Person | None = None
    groups: tuple[str, str] = ("", "")
    problem: str = ""

    def both(self) -> tuple[Person, Person]:
        """Return the two people, where there is no problem."""
        assert self.about is not None
        assert self.other is not None
        return self.about, self.other


class TwinPeople:
    """Finds the other person: the first group of the same axis that has the other pronoun, and one of its names."""

    def __init__(self, project: Project) -> None:
        own = [
            tuple(_identity(identity) for identity in row.definition["identities"])
            for row in project.axes.in_use().values()
        ]
        self._axes = [*own, *(load_axis(key).identities for key in available_axes())]

    def of(self, fields: Mapping[str, str], text: str) -> TwinPersons:
        """Return the two people of a letter. `fields`: its name, group and, where known, pronouns."""
        first, _, last = fields.get("name", "").strip().partition(" ")
        if not first:
            return TwinPersons(problem=NO_NAME)
        group = fields.get("group", "").strip()
        identities = self._axis_of(group)
        own = next((identity for identity in identities if _is(identity, group)), None)
        pronoun = fields.get("pronouns", "") or (own.pronouns if own else "")
        if own is None or pronoun not in HE_AND_SHE:
            return TwinPersons(problem=NO_PRONOUN)
        other = next(
            (identity for identity in identities if identity.pronouns in HE_AND_SHE and identity.pronouns != pronoun),
            None,
        )
        name = _name(own, other, first, text) if other else ""
        if other is None or not name:
            return TwinPersons(problem=NO_OTHER)
        # The family name stays: it tells origins, and only the gender is to differ.
        people = (
            Person(first, last.strip(), pronoun=HE_AND_SHE[pronoun]),
            Person(name, last.strip(), pronoun=HE_AND_SHE[other.pronouns]),
        )
        return TwinPersons(*people, (group, other.key))

    def _axis_of(self, group: str) -> tuple[Identity, ...]:
        """Return the identities of the first axis on which this group has a pronoun."""
        for identities in self._axes:
            if any(_is(identity, group) and identity.pronouns for identity in identities):
                return identities
        return ()


def _is(identity: Identity, group: str) -> bool:
    return bool(group) and group.casefold() in (identity.key, identity.label.casefold())


def _name(own: Identity, other: Identity, first: str, text: str) -> str:
    """Return the name at the place of `first` in its group's list, else one that its own letters choose.

    A name that the text has already would make two people one.
    """
    names = [name for name in other.names if name.casefold() not in text.casefold()]
    if not names:
        return ""
    if first in own.names and own.names.index(first) < len(other.names):
        same = other.names[own.names.index(first)]
        if same in names:
            return same
    return names[int(hashlib.sha256(first.encode()).hexdigest(), 16) % len(names)]


def _identity(entry: Mapping[str, Any]) -> Identity:
    """Return a stored identity; projects keep definitions as they were, and some lack what a new one must have."""
    known = {name: entry[name] for name in ("phrase", "words", "names", "pronouns") if name in entry}
    key = str(entry["key"])
    return Identity(key=key, label=entry.get("label", key), **{"phrase": key, **known})


# ---- Swap twins: a letter compared with the same letter, name and gender swapped

AT_ONCE = 25  # letters that cross to the compute process together
OTHER_GROUPS = "its groups are not those that are compared"


@dataclass(frozen=True)
class _Letter:
    key: TextKey
    text: str
    fields: Mapping[str, str]
    task: str
    theme: str
    shown_theme: str
    about: TwinPersons


def gather_twins(ctx: JobContext, project: Project, asked: CompareRequest, compute: ComputeProcess) -> Pool:
    """Return every letter that can be swapped safely, with its twin. The others are omitted, each with its reason."""
    if asked.study.kind != "letters":
        raise AppError(
            "Only letters have swap twins: a twin needs to know whom the text is about.",
            kept="No plan was made.",
            hint="Compare the texts of a letters study.",
        )
    left_out: list[LeftOut] = []
    letters = list(_letters(ctx, project, asked, left_out))
    pair = _identities_of(letters)
    wanted = []
    for letter in letters:
        if set(letter.about.groups) == set(pair):
            wanted.append(letter)
        else:
            left_out.append(_left(letter.key, OTHER_GROUPS))
    candidates: list[Candidate] = []
    new: dict[int, SourceSpec] = {}
    for letter, twin in zip(wanted, _twins(ctx, wanted, compute), strict=True):
        if twin.reason:
            left_out.append(_left(letter.key, twin.reason))
            continue
        number = -1 - len(new)
        new[number] = _source(letter, twin.text)
        candidates += _cards(letter, twin.text, number)
    return Pool(candidates, {TWIN: pair} if pair else {}, tuple(left_out), new)


def _letters(ctx: JobContext, project: Project, asked: CompareRequest, left_out: list[LeftOut]) -> Iterator[_Letter]:
    """Yield the letters whose two people are known; what is wrong with the others goes to `left_out`."""
    people = TwinPeople(project)
    runs = chosen_writers(project, asked.study.id, asked.models)
    rows: list[tuple[TextKey, str, Mapping[str, str], str, str]] = [
        (("output", row.id), row.text, {"group": row.identity, **row.fields}, row.task, problem_of(row))
        for row in outputs(ctx, project, asked.study.id)
        if runs is None or row.run_id in runs
    ]
    if runs is None:
        for row in sources(project, asked.study.id, "letter"):
            problem = "" if row.text.strip() else "its text is empty"
            rows.append((("source", row.id), row.text, row.fields, row.fields.get("document", "") or "letter", problem))
    for key, text, fields, task, problem in rows:
        about = people.of(fields, text)
        if problem or about.problem:
            left_out.append(_left(key, problem or about.problem))
            continue
        theme = theme_of("letters", "", fields)
        yield _Letter(key, text, fields, task, theme, shown_theme("letters", theme, fields, about.groups), about)


def _identities_of(letters: list[_Letter]) -> tuple[str, ...]:
    """Return the two groups that most letters and twins are about, in alphabetical order; one plan has one pair."""
    counted = Counter(tuple(sorted(letter.about.groups)) for letter in letters)
    return max(sorted(counted), key=lambda pair: counted[pair]) if counted else ()


def _twins(ctx: JobContext, letters: list[_Letter], compute: ComputeProcess) -> Iterator[StrictTwin]:
    for start in range(0, len(letters), AT_ONCE):
        ctx.check()
        part = [(letter.text, *letter.about.both()) for letter in letters[start : start + AT_ONCE]]
        yield from compute.call(strict_twins, part, ctx=ctx, on_report=lambda *_: None)
        ctx.report(min(start + AT_ONCE, len(letters)), len(letters), note="swapping names and genders")


def _cards(letter: _Letter, twin: str, number: int) -> tuple[Candidate, Candidate]:
    kind, text_id = letter.key
    own, other = letter.about.groups
    output, source = (text_id, None) if kind == "output" else (None, text_id)
    original = Candidate(
        output=output,
        source=source,
        axis=TWIN,
        identity=own,
        task=letter.task,
        theme=letter.theme,
        text_sha256=sha256_text(letter.text),
        model=own,  # so that as many letters as twins are about one group
        block=f"{kind} {text_id}",
        shown_theme=letter.shown_theme,
    )
    return original, replace(original, output=None, source=number, identity=other, text_sha256=sha256_text(twin))


def _source(letter: _Letter, twin: str) -> SourceSpec:
    """Return the twin as it is stored; its origin names the letter, the engine and the text, so that none is there
    twice.
    """
    kind, text_id = letter.key
    other = letter.about.other
    assert other is not None
    fields_of_letter = {
        name: letter.fields[name] for name in ("occupation", "document", "line_break") if name in letter.fields
    }
    name = f"{other.first_name} {other.last_name}".strip()
    fields = {
        **fields_of_letter,
        "twin_of": f"{kind} {text_id}",
        "group": letter.about.groups[1],
        "name": name,
        "engine": made_by(),
    }
    origin = f"twin of {kind} {text_id}, {sha256_text(twin)[:12]}"
    return SourceSpec(kind="twin", origin=origin, row=0, text=twin, fields=fields)


def _left(key: TextKey, reason: str) -> LeftOut:
    return LeftOut(key[1], reason) if key[0] == "output" else LeftOut(None, reason, key[1])
