"""What the findings of an id are called in words."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from biasprint.core.draw.digits import tr


def kind_title(finding_id: str) -> str:
    """What the findings of an id are called in words: resources/report/kinds.toml, or the id's own words without the
    study's name, as of a plug-in."""
    whole = finding_id
    endings: list[str] = []
    while (last := whole.rpartition(".")[2]) in _kinds()["endings"]:
        whole = whole.rpartition(".")[0]
        endings.insert(0, tr(_kinds()["endings"][last]))
    known = [name for name in _kinds()["kinds"] if whole == name or whole.startswith(f"{name}.")]
    own = whole.partition(".")[2] or whole
    title = _kinds()["kinds"][max(known, key=len)] if known else own.replace(".", ": ").replace("_", " ").capitalize()
    return tr("{title}, {ending}").format(title=tr(title), ending=", ".join(endings)) if endings else tr(title)


@cache
def _kinds() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("biasprint.resources").joinpath("report", "kinds.toml").read_text(encoding="utf-8"))
