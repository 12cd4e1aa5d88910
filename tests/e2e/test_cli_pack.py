"""`impact` and `pack` as an auditor meets them: a table of people, a signed folder, and a second machine."""

import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from cli_support import biasprint, refused
from huggingface_hub import ModelCard
from trust.report import Figure

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs.pack.signing import sign_pack, verify_pack
from biasprint.core.runs.sample import unpack_sample
from biasprint.core.texts.exporting import read_table

SCHEMAS = Path(__file__).parents[1] / "data" / "every_eval_ever"
PEOPLE = Path(__file__).parents[1] / "data" / "aedt_audit.json"
SMALL = "Gender,Ethnicity,Hired\nwoman,a,yes\nman,a,no\nwoman,a,no\nman,b,yes\nunknown,b,yes\nman,a,maybe\n,b,\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """The people of aedt-audit's own example, as a table."""
    rows = ["sex,race_ethnicity,selected,score"]
    for sex, race, n, selected, above in json.loads(PEOPLE.read_text(encoding="utf-8"))["people"]:
        rows += [f"{sex},{race},{'yes' if at < selected else 'no'},{7 if at < above else 3}" for at in range(n)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def test_impact_ratios_of_a_table_of_people_equal_those_of_aedt_audit(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "impact.html"
    answer = biasprint("impact", people, "--out", out, "--json")
    tables = {(table["rate"], *table["by"]): table for table in answer.json["tables"]}
    assert list(tables) == [
        (rate, *by) for rate in ("selection rate", "scoring rate") for by in (("sex",), ("race",), ("sex", "race"))
    ]
    of_sex = {each["category"]["sex"]: each for each in tables["selection rate", "sex"]["categories"]}
    # README of aedt-audit 0.3.0: 0.544, 1 and 1.129; the scoring rates by its own program.
    assert [round(of_sex[name]["impact_ratio"], 3) for name in ("female", "male", None)] == [0.544, 1.0, 1.129]
    assert (of_sex[None]["unknown"], tables["selection rate", "sex"]["unknown"]) == (True, 150)
    small = [each["category"]["race"] for each in tables["scoring rate", "race"]["categories"] if each["small"]]
    assert small == ["Native Hawaiian or Pacific Islander"]
    assert "duplicate" not in answer.err  # two people may be alike in all that the table says
    page = out.read_text(encoding="utf-8")
    assert "Scoring rate, by sex × race" in page
    assert "compliant" not in (page + biasprint("impact", people).out).casefold()


def test_impact_names_what_it_left_out_and_whom_it_does_not_know(tmp_path: Path) -> None:
    table = tmp_path / "small.csv"
    table.write_text(SMALL, encoding="utf-8")
    (of_sex, *_) = biasprint("impact", table, "--json").json["tables"]
    assert of_sex["left_out"] == {"“maybe” is no yes or no": 1, "no outcome": 1}
    assert (of_sex["rows"], of_sex["unknown"]) == (5, 1)
    said = biasprint("impact", table).out
    assert "Left out: 1 × “maybe” is no yes or no; 1 × no outcome." in said
    assert "5 rows; sex is not known of 1." in said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("name,age\nAnn,3\n", "no column with selected or score that can be read"),
        ("who,selected\nAnn,yes\n", "no column with sex or race that can be read"),
        ("sex,selected\nwoman,\n", "no column with selected or score that can be read"),
    ],
)
def test_a_table_without_people_or_outcomes_is_one_sentence(tmp_path: Path, content: str, says: str) -> None:
    table = tmp_path / "other.csv"
    table.write_text(content, encoding="utf-8")
    assert "--map" in refused("impact", table, code=1, says=says)


# ---- pack

GATE = "letters.lexicon.odds_ratio[agentic, generator=medium] interval_above 1.2"
HOLDS = "letters.lexicon.odds_ratio[agentic, generator=medium] interval_above 100"


@dataclass(frozen=True)
class Sent:
    """The sample's pack with its texts, what the command printed, and the project it is of."""

    folder: Path
    answer: dict[str, Any]
    project: Path


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Sent:
    folder = tmp_path_factory.mktemp("pack")
    project, pack = folder / "study.biasprint", folder / "pack"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASPRINT_HOME", str(folder / "home"))
        unpack_sample(project)
        made = biasprint("pack", "make", project, "--out", pack, "--texts", "--json", "--fail-on", GATE,
                         "--fail-on", HOLDS, code=3)  # fmt: skip
        key = folder / "home" / "signing-key.pem"
        assert os.name != "posix" or key.stat().st_mode & 0o077 == 0, "others can read the key"
    return Sent(pack, made.json, project)


def names_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def copy_of(sent: Sent, folder: Path) -> Path:
    return Path(shutil.copytree(sent.folder, folder / "came"))


def test_a_second_machine_verifies_the_pack_without_the_sender(sent: Sent, tmp_path: Path) -> None:
    came = copy_of(sent, tmp_path)
    sound = biasprint("pack", "verify", came, "--signer", sent.answer["fingerprint"], "--json").json
    assert sound == {"folder": str(came), "files": len(names_in(came)) - 3, "fingerprint": sent.answer["fingerprint"],
                     "sound": True}  # fmt: skip
    told = biasprint("pack", "verify", came)
    assert sent.answer["fingerprint"] in told.out
    assert "Anybody can sign" in told.err
    refused("pack", "verify", came, "--signer", "75a5 f013", code=1, says="another key than the one that was expected")


@pytest.mark.skipif(shutil.which("openssl") is None or shutil.which("sha256sum") is None, reason="neither is here")
def test_the_read_me_s_commands_verify_the_pack_without_the_program(sent: Sent) -> None:
    page = (sent.folder / "README.md").read_text(encoding="utf-8")
    commands = [line.split() for line in page.splitlines() if line.startswith(("    sha256sum", "    openssl"))]
    assert len(commands) == 2
    for command in commands:
        done = subprocess.run(command, cwd=sent.folder, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr


def changed_byte(pack: Path) -> str:
    file = pack / "report-letters.html"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    return "“report-letters.html” was changed after signing."


def added(pack: Path) -> str:
    (pack / "every_eval_ever" / "more.json").write_text("{}", encoding="utf-8")
    return "“every_eval_ever/more.json” was added after signing."


def added_folder(pack: Path) -> str:
    (pack / "more").mkdir()
    return "In the pack, the folder “more/” is empty and was added."


def removed(pack: Path) -> str:
    (pack / "methods.md").unlink()
    return "“methods.md” is missing."


def renamed(pack: Path) -> str:
    (pack / "methods.md").rename(pack / "method.md")
    return "“methods.md” was renamed to “method.md” after signing."


def edited_manifest(pack: Path) -> str:
    """The byte is changed, and so is the list: only the signature tells."""
    changed_byte(pack)
    file, digest = pack / "report-letters.html", hashlib.sha256()
    digest.update(file.read_bytes())
    lines = (pack / "manifest.sha256").read_text(encoding="utf-8").splitlines()
    lines = [f"{digest.hexdigest()}  {file.name}" if line.endswith(f"  {file.name}") else line for line in lines]
    (pack / "manifest.sha256").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "The signature does not fit: manifest.sha256, manifest.sig or signer.pem was changed after signing."


def link_out(pack: Path) -> str:
    outside = pack.parent / "outside.md"
    outside.write_bytes((pack / "methods.md").read_bytes())
    (pack / "methods.md").unlink()
    (pack / "methods.md").symlink_to(outside)
    return "In the pack, “methods.md” is a link, and was not followed."


def linked_folder(pack: Path) -> str:
    (pack / "every_eval_ever").rename(pack.parent / "elsewhere")
    (pack / "every_eval_ever").symlink_to(pack.parent / "elsewhere", target_is_directory=True)
    return "In the pack, “every_eval_ever” is a link, and was not followed."


def pipe(pack: Path) -> str:
    (pack / "about.json").unlink()
    os.mkfifo(pack / "about.json")
    return "In the pack, “about.json” is a pipe, and was not opened."


def no_signature(pack: Path) -> str:
    (pack / "manifest.sig").unlink()
    return "“came” is no evidence pack: manifest.sig is missing."


def other_key(pack: Path) -> str:
    (pack / "signer.pem").write_text("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", encoding="utf-8")
    return "signer.pem holds no Ed25519 key as it was written."


def not_a_pack(pack: Path) -> str:
    shutil.rmtree(pack)
    pack.mkdir()
    (pack / "letter.txt").write_text("Dear Sir", encoding="utf-8")
    return "“came” is no evidence pack: manifest.sha256 is missing."


def no_folder(pack: Path) -> str:
    shutil.rmtree(pack)
    return "There is no folder"


CHANGES = (changed_byte, added, added_folder, removed, renamed, edited_manifest, link_out, linked_folder, pipe,
           no_signature, other_key, not_a_pack, no_folder)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_was_done_to_a_pack_is_one_sentence_that_names_the_file(
    sent: Sent, tmp_path: Path, change: Callable[[Path], str]
) -> None:
    if change is pipe and not hasattr(os, "mkfifo"):
        pytest.skip("there are no pipes here")
    came = copy_of(sent, tmp_path)
    refused("pack", "verify", came, code=1, says=change(came))


def test_no_single_changed_byte_passes(sent: Sent, tmp_path: Path, figure: Figure) -> None:
    """Signature and key are changed at every place, the other files at 5 places each."""
    came, rng = copy_of(sent, tmp_path), Random(11)
    changes = 0
    for name in names_in(came):
        file = came / name
        whole = file.read_bytes()
        every = name in ("manifest.sig", "signer.pem")
        for place in range(len(whole)) if every else [rng.randrange(len(whole)) for _ in range(5)]:
            file.write_bytes(whole[:place] + bytes([whole[place] ^ rng.randrange(1, 256)]) + whole[place + 1 :])
            with pytest.raises(AppError):
                verify_pack(came)
            changes += 1
        file.write_bytes(whole)
    assert verify_pack(came).files == len(names_in(came)) - 3
    figure(f"{changes} single bytes changed, none passed")


def test_a_file_changed_and_signed_again_is_another_key(sent: Sent, tmp_path: Path) -> None:
    """The signature alone cannot show it: the fingerprint that the sender gave does."""
    came = copy_of(sent, tmp_path)
    changed_byte(came)
    for name in ("manifest.sha256", "manifest.sig", "signer.pem"):
        (came / name).unlink()
    sign_pack(came)  # with the key of this test's own home
    assert biasprint("pack", "verify", came).code == 0
    refused("pack", "verify", came, "--signer", sent.answer["fingerprint"], code=1, says="signer.pem is another key")


def test_gates_are_junit_that_a_parser_reads(sent: Sent) -> None:
    suites = ElementTree.parse(sent.folder / "gates.xml").getroot()
    assert suites.attrib == {"name": "biasprint", "tests": "2", "failures": "1", "errors": "0"}
    failed, held = suites.iter("testcase")
    assert (failed.attrib["name"], held.attrib["name"]) == (GATE, HOLDS)
    failure = failed.find("failure")
    assert failure is not None
    assert failure.attrib["message"] == sent.answer["gates"][0]["said"]
    assert held.find("failure") is None


def test_the_audit_file_is_for_the_project_s_own_folder(sent: Sent) -> None:
    audit = tomllib.loads((sent.folder / "audit.toml").read_text(encoding="utf-8"))
    assert {part["from"] for part in audit["prompts"]} == {sent.project.name}


def test_findings_are_those_of_the_project(sent: Sent) -> None:
    with Project.open(sent.project, read_only=True) as project:
        stored = {study: project.findings.all(study) for study in sent.answer["studies"]}
    for study, rows in stored.items():
        written = json.loads((sent.folder / f"findings-{study}.json").read_text(encoding="utf-8"))
        assert written["findings"] == json.loads(json.dumps([row.finding.to_json() for row in rows]))
        assert written["questions"]
        assert (sent.folder / f"report-{study}.html").stat().st_size > 10_000


def test_every_eval_ever_is_valid_by_its_schema_and_read_back_with_equal_rows(sent: Sent) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schemas = {
        name: jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")))
        for name in ("eval", "instance_level_eval")
    }
    texts = [json.loads(line) for line in (sent.folder / "texts.jsonl").read_text(encoding="utf-8").splitlines()]
    wholes = sorted((sent.folder / "every_eval_ever").rglob("*.json"))
    assert len(wholes) == 6  # of four studies, two of them by two generators
    for path in wholes:
        whole = json.loads(path.read_text(encoding="utf-8"))
        schemas["eval"].validate(whole)
        generator = whole["model_info"]["additional_details"]["generator"]
        study = path.relative_to(sent.folder).parts[2].removeprefix("biasprint-")
        samples = path.with_name(f"{path.stem}_samples.jsonl")
        for line in samples.read_text(encoding="utf-8").splitlines():
            schemas["instance_level_eval"].validate(json.loads(line))
        own = [text for text in texts if (text["study"], text["written_by"]) == (study, generator) and text["text"]]
        read = read_table(JobContext(), samples, "texts")
        assert [row.values["text"] for row in read.rows] == [text["text"] for text in own]
        scores = {each["evaluation_result_id"]: each for each in whole["evaluation_results"]}
        assert len(scores) == len(whole["evaluation_results"])
    (letters,) = (whole for whole in map(read_json, wholes) if whole["model_info"]["id"] == "medium")
    by_name = {each["metric_config"]["metric_name"]: each for each in letters["evaluation_results"]
               if each["metric_config"]["metric_id"] == "biasprint.letters.lexicon.odds_ratio"}  # fmt: skip
    findings = read_json(sent.folder / "findings-letters.json")["findings"]
    wanted = ("letters.lexicon.odds_ratio", "agentic", "default", "medium")
    (agentic,) = (
        each for each in findings
        if (each["id"], each["label"], each["variant"], each["dims"].get("generator")) == wanted
    )  # fmt: skip
    details = by_name["agentic"]["score_details"]
    assert details["score"] == agentic["estimate"]
    assert details["uncertainty"]["confidence_interval"]["lower"] == agentic["interval"]["low"]
    assert by_name["agentic"]["metric_config"]["additional_details"]["least_bias_at"] == "1.0"


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_methods_page_cites_what_the_bibliography_has(sent: Sent) -> None:
    page = (sent.folder / "methods.md").read_text(encoding="utf-8")
    bibliography = (sent.folder / "references.bib").read_text(encoding="utf-8")
    cited = set(re.findall(r"@(\w+)[;\]]", page))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE))
    assert {
        "wan2023kelly",
        "kumar2024subtle",
        "fang2024news",
        "kamruzzaman2024investigating",
        "holm1979simple",
    } <= cited
    assert "cited =" not in bibliography
    assert bibliography.count("{") == bibliography.count("}")
    assert "version cc324af070c2 (temperature 0.2; top p 0.95; max tokens 120; seed 1)" in page


def test_the_model_card_is_read_by_the_hub_s_own_program(sent: Sent) -> None:
    card = ModelCard((sent.folder / "model_card.md").read_text(encoding="utf-8"))
    index = yaml.safe_load(card.content.split("---")[1])["model-index"]
    assert all(model["name"].startswith("qwen2.5-coder-1.5b-instruct") for model in index)  # no synthetic author
    first = {result.metric_name: result.metric_value for result in card.data.eval_results}
    assert first == {metric["name"]: metric["value"] for result in index[0]["results"] for metric in result["metrics"]}
    values = {
        metric["name"]: metric["value"]
        for model in index
        for result in model["results"]
        for metric in result["metrics"]
    }
    assert values["Agentic words: male against female"] == pytest.approx(0.673, abs=5e-4)


def test_impact_ratios_of_texts_come_from_their_stored_scores(sent: Sent) -> None:
    (table,) = (
        each
        for each in read_json(sent.folder / "impact.json")["letters"]
        if each["outcome"] == "Agency (MiniLM), medium" and each["by"] == ["gender"]
    )
    rates = {each["category"]["gender"]: each for each in table["categories"]}
    assert (rates["female"]["selected"], rates["male"]["selected"]) == (15, 42)
    assert rates["female"]["impact_ratio"] == pytest.approx(15 / 42)


def test_no_file_of_a_pack_says_that_a_law_is_kept(sent: Sent) -> None:
    for name in names_in(sent.folder):
        assert (
            b"compliant" not in (sent.folder / name).read_bytes().lower()
            or name in ("texts.jsonl",)
            or ("_samples" in name)
        )


def test_a_pack_of_hashes_holds_no_text(sent: Sent, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    biasprint("pack", "make", sent.project, "--out", pack)
    lines = [json.loads(line) for line in (pack / "texts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert not any({"text", "prompt", "columns"} & line.keys() for line in lines)
    assert not list(pack.rglob("*_samples.jsonl"))
    whole = [json.loads(line) for line in (sent.folder / "texts.jsonl").read_text(encoding="utf-8").splitlines()]
    everything = b"".join((pack / name).read_bytes() for name in names_in(pack))
    for line, text in zip(lines, whole, strict=True):
        assert line["sha256"] == hashlib.sha256(text["text"].encode()).hexdigest()
        if len(text["text"]) > 40:
            assert text["text"].encode() not in everything
    biasprint("pack", "verify", pack)


@pytest.mark.parametrize(
    ("kind", "says"),
    [("filled", "is not empty"), ("file", "is no folder"), ("link", "is no folder"), ("nowhere", "There is no folder")],
)
def test_a_place_that_a_pack_cannot_go_to_is_left_as_it_is(sent: Sent, tmp_path: Path, kind: str, says: str) -> None:
    out = tmp_path / "out"
    if kind == "filled":
        out.mkdir()
        (out / "mine.txt").write_text("mine", encoding="utf-8")
    elif kind == "file":
        out.write_text("mine", encoding="utf-8")
    elif kind == "link":
        (tmp_path / "there").mkdir()
        out.symlink_to(tmp_path / "there", target_is_directory=True)
    else:
        out = tmp_path / "no" / "out"
    before = sorted(tmp_path.rglob("*"))
    refused("pack", "make", sent.project, "--out", out, code=1, says=says)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_project_without_findings_has_no_pack(empty: Path, tmp_path: Path) -> None:
    refused("pack", "make", empty, "--out", tmp_path / "pack", code=1, says="Nothing was measured in this project yet.")
    assert not (tmp_path / "pack").exists()


IMPORTED = [
    "group,prompt,text,outcome",
    *(f"{group},q{at},Text {at} for <{group}> | *now*.,{'yes' if at % (2 + extra) else 'no'}"
      for at in range(24) for extra, group in enumerate(("woman", "man")))
]  # fmt: skip


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A measured project of few texts."""
    folder = tmp_path_factory.mktemp("few")
    table, project = folder / "texts.csv", folder / "study.biasprint"
    table.write_text("\n".join(IMPORTED), encoding="utf-8")
    biasprint("new", project)
    biasprint("import", project, table, "--study", "compare")
    biasprint("measure", "compare", project, "--scorer", "score=length")
    return project


@pytest.mark.parametrize("written", [0, 5, 12])
def test_a_full_disk_leaves_no_half_pack(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    write, files = Path.write_bytes, []

    def fails(path: Path, content: bytes) -> int:
        files.append(path)
        if len(files) > written:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", fails)
    refused("pack", "make", few, "--out", tmp_path / "pack", code=1, says="The disk is full")
    assert len(files) == written + 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("groups", [2, 1], ids=["two groups", "one group"])
def test_imported_texts_without_a_generator_have_a_pack(tmp_path: Path, groups: int) -> None:
    table, project, pack = tmp_path / "texts.csv", tmp_path / "study.biasprint", tmp_path / "pack"
    rows = [row for row in IMPORTED if groups == 2 or not row.startswith("man,")]
    table.write_text("\n".join(rows), encoding="utf-8")
    biasprint("new", project)
    biasprint("import", project, table, "--study", "compare")
    biasprint("measure", "compare", project, "--scorer", "score=length")
    made = biasprint("pack", "make", project, "--out", pack, "--texts", "--json").json
    assert (made["studies"], made["texts"]) == (["compare"], len(rows) - 1)
    biasprint("pack", "verify", pack)
    selection = [each for each in read_json(pack / "impact.json")["compare"] if each["rate"] == "selection rate"]
    assert [each["n"] for each in selection[0]["categories"]] == [24] * groups
    card = ModelCard((pack / "model_card.md").read_text(encoding="utf-8"))
    assert "Any score by any group" not in card.content.split("## Bias")[0]


def test_a_locked_analysis_plan_is_in_the_pack_with_its_published_hash(tmp_path: Path) -> None:
    table, project, pack = tmp_path / "texts.csv", tmp_path / "study.biasprint", tmp_path / "pack"
    plan = tmp_path / "plan.toml"
    table.write_text("\n".join(IMPORTED), encoding="utf-8")
    biasprint("new", project)
    biasprint("import", project, table, "--study", "compare")
    biasprint("analysis-plan", "new", project, "--study", "compare", "--out", plan)
    biasprint("analysis-plan", "lock", project, plan)
    biasprint("measure", "compare", project, "--scorer", "score=length")
    biasprint("pack", "make", project, "--out", pack)
    digest = hashlib.sha256(plan.read_bytes()).hexdigest()
    assert hashlib.sha256((pack / "analysis-plan-compare.toml").read_bytes()).hexdigest() == digest
    page = (pack / "methods.md").read_text(encoding="utf-8")
    assert "The analysis plan was locked on" in page
    assert digest in page
    assert read_json(pack / "findings-compare.json")["planned"]["sha256"] == digest
