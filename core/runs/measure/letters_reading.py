"""What the letters study reads beside counts: style scores, contexts, the harmful directions. Light."""

from collections.abc import Callable, Collection, Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import AppError, UsageError
from core.findings import ScorerUse
from core.project.rows import Floats
from core.prompts.axes import available_axes, load_axis
from core.runs.measure.options import Options
from core.runs.values import best_scorer
from core.scorers.protocol import ScorerInfo
from core.scorers.registry import describe

if TYPE_CHECKING:
    from core.studies.letters.measure import Reading
    from core.studies.letters.parts import Parts

STYLES = ("formality", "positivity", "agency")
TAGGER = "pos_textblob"
VECTORS = "minilm"

Rows = Sequence[tuple[str, Mapping[str, str]]]  # what to call a letter, and its fields
Scored = Callable[[ScorerInfo], Sequence[Floats | None]]


def styles_of(rows: Rows, columns: Mapping[str, str], options: Options, scored: Scored) -> dict[str, Any]:
    """For each of STYLES the scores of the letters: their own field's, a scorer's, or why there are none.

    `columns`: what the table calls a field. `scored`: scores every letter, one array per letter, None for none.
    """
    styles: dict[str, Any] = {}
    for kind in STYLES:
        given = any(fields.get(kind, "").strip() for _, fields in rows)
        chosen = options.scorers.get(kind)
        if given and chosen:
            raise UsageError(
                f"{kind.capitalize()} is given twice: by the column “{columns.get(kind, kind)}” and by “{chosen}”.",
                hint="Leave out --map or --scorer for it.",
            )
        if given:
            shares = [_share(kind, called, fields.get(kind, "")) for called, fields in rows]
            styles[kind] = {
                "shares": shares,
                "scorer": ScorerUse(kind, f"column {columns.get(kind, kind)}", "as given"),
            }
        elif info := best_scorer(kind, chosen):
            styles[kind] = {"sentences": list(scored(info)), "scorer": info.use()}
        else:
            styles[kind] = f"there is no scorer for “{kind}”, and no column with each letter's share"
    return styles


def read_beside(
    rows: Sequence[Mapping[str, str]], styles: Mapping[str, Any], harms: Sequence[Mapping[str, Any]], options: Options
) -> dict[str, Any]:
    """The rest of a `Reading` as plain data."""
    chosen = options.scorers
    entailment = best_scorer("entailment", chosen.get("entailment"))
    tagger = best_scorer("parts_of_speech", chosen.get("parts_of_speech"))
    return {
        "contexts": [fields.get("context", "") for fields in rows],
        "documents": [fields.get("document", "") or "letter" for fields in rows],
        "models": [fields.get("model", "") for fields in rows],
        "arms": [fields.get("arm", "") for fields in rows],
        "twins": [_twin(fields) for fields in rows],
        "tagger": tagger.name if tagger else TAGGER,
        "vectors": _vectors(chosen.get("word_vectors")),
        "entailment": entailment.name if entailment else "",
        "styles": styles,
        "harms": harms,
    }


def harm_settings(groups: Collection[str], own: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The harmful directions of the axes that have these groups: a project's own axes first, then the shipped ones."""
    settings = []
    for definition in [*own, *(load_axis(key).definition() for key in available_axes())]:
        order = tuple(identity["key"] for identity in definition["identities"])
        if set(groups) - {""} <= set(order):
            settings += [
                {"finding": harm["finding"], "harmed": harm["harmed"], "direction": harm["direction"],
                 "words": harm["words"], "order": order}
                for harm in definition["harm"]
            ]  # fmt: skip
    return settings


def reading_of(data: Mapping[str, Any]) -> "Reading":
    """In the compute process: the plain data as the study takes it."""
    import numpy as np

    from core.studies.letters.measure import Reading
    from core.studies.letters.style import HarmSetting, StyleScores

    def scores(given: Any) -> Any:
        if isinstance(given, str):
            return given
        if "shares" in given:
            return StyleScores(np.array(given["shares"], dtype=np.float64), given["scorer"])
        sentences = [np.zeros(0) if each is None else np.asarray(each, np.float64) for each in given["sentences"]]
        return StyleScores.of_sentences(sentences, given["scorer"])

    return Reading(
        texts=tuple(data["texts"]),
        contexts=tuple(data["contexts"]),
        documents=tuple(data["documents"]),
        tagger=data["tagger"],
        vectors=data["vectors"],
        styles={kind: scores(given) for kind, given in data["styles"].items()},
        entailment=data["entailment"],
        harms=tuple(HarmSetting(**harm) for harm in data["harms"]),
    )


def parts_of(data: Mapping[str, Any]) -> "Parts":
    """In the compute process: by what the letters are measured apart."""
    from core.studies.letters.parts import Parts

    by = {"model": tuple(data["models"]), "document": tuple(data["documents"])}
    return Parts(by, tuple(data["arms"]), tuple(data["twins"]))


def _twin(fields: Mapping[str, str]) -> str:
    """What the letters of one prompt, model and sample share in every arm; empty where the prompt is not known."""
    pair = fields.get("pair", "")
    return pair and f"{pair}/{fields.get('model', '')}/{fields.get('sample', '') or '0'}"


def _share(kind: str, called: str, given: str) -> float:
    if not given.strip():
        return nan
    try:
        share = float(given)
    except ValueError:
        share = nan
    if not isfinite(share) or not 0 <= share <= 1:
        raise AppError(
            f"{called}: the {kind} “{given}” is not a share from 0 to 1.",
            kept="Nothing was measured.",
            hint="It is the share of the letter's sentences; leave the cell empty where it is unknown.",
        )
    return share


def _vectors(chosen: str | None) -> str:
    """The name of a scorer that gives vectors, or the full path of a file with them."""
    if chosen is None:
        return VECTORS
    roles = {info.name: info.role for info in describe()}
    if roles.get(chosen) in ("embedding", "word_vectors"):
        return chosen
    if not Path(chosen).is_file():
        raise UsageError(
            f"There is no scorer and no file “{chosen}” for word_vectors.",
            hint="Give an embedder's name, or a file of word vectors (word2vec or GloVe).",
        )
    return str(Path(chosen).resolve())
