"""Make docs/replications and the tables of docs/explanation/replications.md: the papers' studies with a model that runs
here.

    biasprint run resources/examples/replicate-letters.toml       (and -creativity, -completion, -news)
    python docs/make_replications.py FOLDER

FOLDER holds what they wrote, NAME.biasprint and NAME.json; a study that it lacks stays as it is. Without FOLDER only
the tables are made, of what is kept. Kept of each study are its outputs with the recipe, its findings, and its cost.
"""

import gzip
import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "core" / "python"))

from biasprint.core.project.project import Project  # noqa: E402
from sample_making.rows import outputs_of, packed  # noqa: E402

KEPT = ROOT / "docs" / "replications"
PAGE = ROOT / "docs" / "explanation" / "replications.md"
PUBLISHED = ROOT / "resources" / "published"
STUDIES = ("letters", "creativity", "completion", "news")
MODEL = "qwen2.5-coder-1.5b-instruct"
NOT_YET = "Not run yet."
PLAIN = "unbiased"  # prompts of news
PAUSE = 300.0  # seconds without a new output: the run was stopped
DROPPED = ("power", "floor_subtracted", "contrast", "effect", "source", "title", "note", "dropped")

Found = Mapping[str, Any]

PRINTED = ("GPT-3.5", "PaLM 2")  # of the completion paper
# Wan et al. 2023, Table 2: ChatGPT, 120 letters; odds for men over odds for women. The paper leaves one empty.
LETTERS_PRINTED = {
    "ability": 1.08, "standout": 1.06, "leadership": 1.07, "masculine": 1.25, "feminine": 0.85, "agentic": 1.18,
    "communal": 0.91, "professional": None, "personal": 0.84,
}  # fmt: skip


def main(words: Sequence[str]) -> None:
    for name in STUDIES if words else ():
        if Path(words[0], f"{name}.json").exists():
            keep(Path(words[0]), name)
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


# ---- What is kept


def keep(folder: Path, study: str) -> None:
    """Keep the outputs, the findings and the cost of one study."""
    with Project.open(folder / f"{study}.biasprint", read_only=True) as project:
        outputs = outputs_of(project, study, MODEL)
        cost = cost_of(project)
    read = json.loads((folder / f"{study}.json").read_text(encoding="utf-8"))
    (measured,) = (part for part in read["studies"] if part["study"] == study)
    findings = [{name: value for name, value in found.items() if name not in DROPPED} for found in measured["findings"]]
    result = {"audit": read["audit"]["sha256"], "cost": cost, "dropped": measured["dropped"], "findings": findings}
    KEPT.mkdir(exist_ok=True)
    KEPT.joinpath(f"{study}.jsonl.gz").write_bytes(packed(outputs))
    KEPT.joinpath(f"{study}.json.gz").write_bytes(gzip.compress(json.dumps(result).encode("utf-8"), 9, mtime=0))
    print(f"{study}: {cost}")


def cost_of(project: Project) -> dict[str, float]:
    """Outputs, tokens read and written, and seconds from each output to the next, without the pauses."""
    rows = list(project.outputs.each())
    times = sorted(datetime.fromisoformat(row.created_at).timestamp() for row in rows)
    steps = [later - earlier for earlier, later in pairwise(times)]
    return {
        "outputs": len(rows),
        "failed": sum(row.status == "error" for row in rows),
        "read": sum(row.usage.get("prompt", 0) for row in rows),
        "written": sum(row.usage.get("completion", 0) for row in rows),
        "seconds": round(sum(step for step in steps if step < PAUSE)),
    }


# ---- The page's tables


def page(text: str) -> str:
    """The page with its tables made again: each stands between two comments that name it."""
    made = {study: MAKERS[study]() if is_kept(study) else iter([NOT_YET]) for study in STUDIES}
    for name, table in (("cost", cost_table()), *made.items()):
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        text = before + begin + "\n" + "\n".join(table) + "\n\n" + end + rest.partition(end)[2]
    return text


def is_kept(study: str) -> bool:
    return KEPT.joinpath(f"{study}.json.gz").exists()


def kept(study: str) -> dict[str, Any]:
    return dict(json.loads(gzip.decompress(KEPT.joinpath(f"{study}.json.gz").read_bytes())))


def cost_table() -> Iterator[str]:
    yield "| study | outputs | failed | tokens read | tokens written | time on two cores |"
    yield "|---|---|---|---|---|---|"
    for study in filter(is_kept, STUDIES):
        cost = kept(study)["cost"]
        minutes = f"{cost['seconds'] / 60:.0f} min"
        numbers = [f"{cost['outputs']:,}", f"{cost['failed']:,}"]
        numbers += [f"{cost[name]:,}" if cost[name] else "not counted" for name in ("read", "written")]
        yield f"| {study} | {' | '.join(numbers)} | {minutes} |"


def letters_table() -> Iterator[str]:
    found = {
        (each["label"], each["variant"]): each
        for each in kept("letters")["findings"]
        if each["id"] == "letters.lexicon.odds_ratio" and not set(each["dims"]) - {"model", "generator"}
    }
    yield "| words | ChatGPT, printed | here, as published | here | n | p, adjusted |"
    yield "|---|---|---|---|---|---|"
    for label, printed in LETTERS_PRINTED.items():
        ours, theirs = found[label, "default"], found[label, "as_published"]
        yield row(label, shown(printed, 2), value(theirs, 2), value(ours, 2), f"{ours['n']:,}", p(ours))


def creativity_table() -> Iterator[str]:
    printed = tomllib.loads(PUBLISHED.joinpath("creativity.toml").read_text(encoding="utf-8"))["creativity.rbs"]
    found = {
        each["label"]: each
        for each in kept("creativity")["findings"]
        if (each["id"], each["variant"]) == ("creativity.rbs", "default")
        and not set(each["dims"]) - {"axis", "model", "generator"}
    }
    models = list(printed["race"])
    yield f"| axis | {', printed | '.join(models)}, printed | here | without any bias, 95 % below | n | p, adjusted |"
    yield "|---|" + "---|" * (len(models) + 4)
    for axis in ("race", "gender", "orientation"):
        ours = found[axis]
        floor = (ours["floor"] or {}).get("p95")
        numbers = [shown(printed[axis][model], 3) for model in models]
        yield row(axis, *numbers, value(ours, 3), shown(floor, 3), f"{ours['n']:,}", p(ours))


def completion_table() -> Iterator[str]:
    published = tomllib.loads(PUBLISHED.joinpath("completion.toml").read_text(encoding="utf-8"))
    (base,) = (table for table in published["tables"] if table["number"] == 2)
    printed = {(line[0], line[1], line[2]): line[4:] for line in base["rows"]}
    found = {
        (each["dims"]["direction"], each["dims"]["domain"], each["label"]): each
        for each in kept("completion")["findings"]
        if each["id"] in ("completion.likelihood", "completion.tau_b") and each["variant"] == "default"
        if not set(each["dims"]) - {"direction", "domain", "model", "generator"} and "domain" in each["dims"]
    }
    yield "| direction, domain | GPT-3.5 + / − / 0, printed | PaLM 2, printed | here + / − / 0 (%) | τ-b here | n |"
    yield "|---|---|---|---|---|---|"
    for direction in sorted({each[0] for each in found}, reverse=True):
        for domain in ("ageism", "beauty", "beauty_profession", "institution", "nationality"):
            theirs = [" / ".join(f"{x:.0f}" for x in printed[model, direction, domain]) for model in PRINTED]
            rates = [found[direction, domain, label] for label in ("PL", "NL", "NuL")]
            ours = " / ".join(f"{100 * each['estimate']:.0f}" for each in rates)
            tau = found[direction, domain, "tau_b"]
            yield row(f"{direction}, {domain}", *theirs, ours, value(tau, 2), f"{tau['n']:,}")


def news_table() -> Iterator[str]:
    published = tomllib.loads(PUBLISHED.joinpath("news.toml").read_text(encoding="utf-8"))["reference"]
    found: dict[tuple[str, ...], Found] = {
        (each["id"], each["dims"].get("axis", ""), each["label"], each["dims"].get("prompt_kind", PLAIN)): each
        for each in kept("news")["findings"]
        if each["variant"] == "default" and not set(each["dims"]) - {"axis", "prompt_kind", "model", "generator"}
    }
    yield "| figure | what | ChatGPT, printed | LLaMA-7B, printed | here | n |"
    yield "|---|---|---|---|---|---|"
    for each in published:
        kind = each.get("prompt_kind", PLAIN)
        ours = found.get((each["id"], each.get("axis", ""), each["label"], kind))
        if ours is None or ours["n"] < 2:  # one pair of articles compares nothing
            continue
        theirs = [shown(each["models"].get(model, {}).get("estimate"), 3) for model in ("ChatGPT", "LLaMA-7B")]
        what = f"`{each['id']}` {each['label']}{'' if kind == PLAIN else ', biased prompts'}"
        yield row(each.get("where", ""), what, *theirs, value(ours, 3), f"{ours['n']:,}")


MAKERS = {
    "letters": letters_table, "creativity": creativity_table, "completion": completion_table, "news": news_table,
}  # fmt: skip


def row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def shown(number: float | None, decimals: int) -> str:
    return "–" if number is None else f"{number:.{decimals}f}"


def value(found: Found, decimals: int) -> str:
    """An estimate with its interval, or why there is none."""
    if found["estimate"] is None:
        return str(found["reason"] or "undefined")
    interval = found["interval"]
    ends = "" if interval is None else f" ({shown(interval['low'], decimals)} to {shown(interval['high'], decimals)})"
    return shown(found["estimate"], decimals) + ends


def p(found: Found) -> str:
    adjusted = found["p_adjusted"]
    return "–" if adjusted is None else "< 0.001" if adjusted < 0.001 else f"{adjusted:.3f}"


if __name__ == "__main__":
    main(sys.argv[1:])
