"""What is said of a model, of what fills a role, and of a check."""

from typing import TYPE_CHECKING

from desktop.operations.models import RoleSeen
from desktop.widgets import plural, tr

if TYPE_CHECKING:
    from core.machine.models.overview import Row
    from core.machine.models.verify import Verified


def size_words(size: int | None) -> str:
    """ "438 MB"; that it is not known where nobody said."""
    from core.machine.models.sizes import in_words

    return tr("size not known") if size is None else in_words(size)


def facts(row: "Row", begun: int = 0) -> str:
    """Size, licence, memory and where it comes from, in one line."""
    from core.machine.models.sizes import in_words

    licence = tr("licence {name}").format(name=row.licence) if row.licence else tr("licence not known")
    parts = [size_words(row.size), licence]
    if row.memory is not None:
        parts.append(tr("{size} in memory").format(size=in_words(row.memory)))
    if begun:
        parts.append(tr("{size} of it are here").format(size=in_words(begun)))
    return " · ".join(parts)


def state_words(row: "Row") -> str:
    """Where a model is; empty where it is not here."""
    if row.trouble:
        return tr("cannot be used")
    known = {"bundled": tr("comes with the program"), "catalogue": tr("on this computer"), "added": tr("added by you")}
    return known.get(row.origin, "")


def details(row: "Row") -> dict[str, str]:
    """Everything that identifies a model, and where what is said of it is known from; empty where nothing is."""
    sources = "; ".join(f"{what}: {source}" for what, source in row.sources.items())
    unpinned = tr("the hub's at the first download; required from then on") if row.repository else ""
    return {
        tr("Name"): row.name,
        tr("Repository"): row.repository,
        tr("Commit"): row.revision or unpinned,
        tr("SHA-256"): row.sha256,
        tr("Place"): row.path,
        tr("Known from"): sources,
    }


def used_by(papers: tuple[str, ...]) -> str:
    """ "the letters paper's own"; empty where no paper used it."""
    titles = {"news": tr("news"), "completion": tr("completion"), "creativity": tr("creativity")}
    titles["letters"] = tr("letters")
    names = ", ".join(titles.get(paper, paper) for paper in papers)
    return tr("used by the {names} paper").format(names=names) if papers else ""


def in_use_words(seen: RoleSeen) -> str:
    """What fills a role now, in a few words: the scorer and the model that it loads."""
    choice = seen.choice
    if choice is None:
        here = sum(row.here and not row.trouble for row in seen.rows)
        return plural(here, "1 model here", "%n models here")
    model = seen.in_use
    return f"{choice.scorer} · {model.title}" if model is not None else choice.scorer


def verified_words(result: "Verified") -> tuple[str, str]:
    """Tone and sentence on what a check gave."""
    if not result.sound:
        return "danger", " ".join(result.problems)
    if not result.compared:
        return "plain", tr("It was read; no hash is known to compare it with.")
    return "ok", plural(result.compared, "Verified: 1 file is as recorded.", "Verified: %n files are as recorded.")
