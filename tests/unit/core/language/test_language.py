"""The reader's language: what is put into it, and what stays as it is."""

import io
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from biasprint.core import language
from biasprint.core.language import tr
from biasprint.core.language.catalogue import codes, parse
from biasprint.core.language.phrases import Phrases
from biasprint.core.project.project import Project
from biasprint.core.project.specs import AxisSpec
from biasprint.core.prompts.axes import load_axis
from biasprint.core.prompts.designs import available_designs
from biasprint.core.runs.pack.pages import read_me
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTableModel
from biasprint.desktop.wording.generators import read_titles

PO = r"""# of a test
msgid ""
msgstr ""
"X-Language-Name: Deutsch\n"
"X-Decimal-Point: ,\n"
"X-Thousands: .\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

#: a/place.py
msgid "{n} raters are few."
msgstr "{n} Urteilende sind wenige."

msgid "Not known: {reason}."
msgstr "Nicht bekannt: {reason}."

msgid "nothing could be measured"
msgstr "nichts war messbar"

msgid "“{name}” is no project."
msgstr "„{name}“ ist kein Projekt."

msgid "Press “Save”."
msgstr "Drücken Sie „Speichern“."

msgid ""
"Two\n"
"lines, and a \"quoted\" word"
msgstr "Zwei\nZeilen, und ein \"Wort\""

msgid "waits"
msgstr ""

msgid "1 row"
msgid_plural "%n rows"
msgstr[0] "1 Zeile"
msgstr[1] "%n Zeilen"

msgid "{day} {month} {year}"
msgstr "{day}. {month} {year}"

msgid "March"
msgstr "März"
"""


@pytest.fixture
def german() -> Phrases:
    return Phrases(parse(PO))


def test_a_catalogue_is_read_as_gettext_s_own_format_by_an_independent_reader() -> None:
    ours, theirs = parse(PO), read_po(io.BytesIO(PO.encode()))
    texts = {one.id: one.string for one in theirs if one.id and isinstance(one.id, str) and one.string}
    assert ours.texts == texts
    assert ours.plurals == {one.id: one.string for one in theirs if isinstance(one.id, tuple)}
    assert [ours.plural_of(n) for n in (0, 1, 2)] == [1, 0, 1]


@pytest.mark.parametrize(
    ("english", "german_text"),
    [
        ("nothing could be measured", "nichts war messbar"),
        ("Nothing could be measured", "Nichts war messbar"),  # another first letter
        ("12 raters are few.", "12 Urteilende sind wenige."),
        ("12,345.5 raters are few.", "12.345,5 Urteilende sind wenige."),
        ("Not known: nothing could be measured.", "Nicht bekannt: nichts war messbar."),
        ("“waits” is no project. 3 raters are few.", "„waits“ ist kein Projekt. 3 Urteilende sind wenige."),
        ("“a. Bc” is no project. 3 raters are few.", "„a. Bc“ ist kein Projekt. 3 Urteilende sind wenige."),
        ("“nothing could be measured” is no project.", "„nichts war messbar“ ist kein Projekt."),  # a title of ours
        ("“salt and pepper” is no project.", "„salt and pepper“ ist kein Projekt."),  # a name
        ("Press “Save”.", "Drücken Sie „Speichern“."),
        ("3 raters are few.\n4 raters are few.", "3 Urteilende sind wenige.\n4 Urteilende sind wenige."),
        ("3 raters are few; nothing could be measured", "3 raters are few; nichts war messbar"),
        ("0.16 (0.06–0.25)", "0,16 (0,06–0,25)"),
        ("1,234", "1.234"),
        ("67.5/32.5 %", "67,5/32,5 %"),  # shares of two
        ("0.5 ± 0.1", "0,5 ± 0,1"),
        ("nothing could be measured (12.5/87.5 %)", "nichts war messbar (12,5/87,5 %)"),
        ("×1.5", "×1,5"),
        ("0.5, 0.7", "0,5, 0,7"),
        ("1.0.0", "1.0.0"),  # a version
        ("Made on 3 March 2026", "Made on 3. März 2026"),
        ("waits", "waits"),  # without a translation
        ("A text of a model, in 1,000 words.", "A text of a model, in 1,000 words."),
        ("", ""),
    ],
)
def test_texts_are_put_into_the_language_and_others_stay(german: Phrases, english: str, german_text: str) -> None:
    assert german.translated(english) == german_text


def test_a_number_of_things_has_the_plural_of_the_language(german: Phrases) -> None:
    assert [german.plural(n, "1 row", "%n rows") for n in (1, 0, 7)] == ["1 Zeile", "%n Zeilen", "%n Zeilen"]
    assert german.plural(2, "1 dog", "%n dogs") == "%n dogs"


def test_what_is_in_the_language_is_not_put_into_it_again() -> None:
    language.choose(language.PSEUDO)
    assert tr("2,880") == "2.880"
    assert tr(tr("2,880")) == "2.880"


def test_what_a_person_named_keeps_its_name_alone_and_in_a_sentence() -> None:
    language.choose("de")
    assert (tr("Sample"), tr(language.InLanguage("Sample"))) == ("Stichprobe", "Sample")
    sentence = tr("This project: {name}").format(name=language.InLanguage("Sample"))
    assert tr(sentence) == "Dieses Projekt: Sample"


def test_a_name_keeps_its_words_in_a_row_and_in_a_table() -> None:
    language.choose("de")
    row = language.joined(" · ", "Gender", language.InLanguage("Sample"))
    model = TextTableModel([TableColumn("What"), TableColumn("Why")])
    model.set_rows([TableRow("1", (language.InLanguage("Sample"), "Sample"))])
    assert (tr(row), model.data(model.index(0, 0)), model.data(model.index(0, 1))) == (
        "Geschlecht · Sample", "Sample", "Stichprobe"
    )  # fmt: skip
    model.fold([1])
    assert model.data(model.index(0, 0)) == "Sample\nStichprobe"


def test_an_axis_of_a_person_s_own_is_called_as_they_called_it(tmp_path: Path) -> None:
    language.choose("de")
    own = {"identities": [{"key": "a", "label": "Sample"}, {"key": "b", "label": "Person"}]}
    project = Project.create(tmp_path / "new.biasprint")
    project.axes.add(AxisSpec(key="mine", title="Age", definition=own))
    gender = load_axis("gender")
    shipped = {"identities": [{"key": each.key, "label": each.label} for each in gender.identities]}
    project.axes.add(AxisSpec(key="gender", title="Gender", definition=shipped))
    titles = read_titles(project)
    project.close()
    assert (tr(titles.axis("mine")), tr(titles.axis("mine+gender"))) == ("Age", "Age, Geschlecht")
    assert tr(titles.axis_and_identity("mine", "a")) == "Age · Sample"
    assert tr(titles.axis_and_identity("gender", "woman")) == "Geschlecht · Frau"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("0 to 21 %", "0 to 21\u00a0%"),
        ("(p = 1.00, n = 12)", "(p\u00a0=\u00a01.00, n\u00a0=\u00a012)"),
        ("p < 0,001", "p\u00a0<\u00a00,001"),
        ("95-%-Intervall", "95\u2011%\u2011Intervall"),
        ("a = b, 3 texts", "a = b, 3 texts"),
        ("as-is", "as-is"),
    ],
)
def test_no_line_ends_between_a_number_and_its_sign(text: str, whole: str) -> None:
    assert language.unbroken(text) == whole
    assert language.unbroken(whole) == whole


def test_words_that_a_letter_says_stay_as_it_says_them() -> None:
    language.choose("de")
    said = tr("It says “Performance review”.")
    assert said == "Es sagt „Performance review“."
    assert tr("Performance review") == "Leistungsbeurteilung"


@pytest.mark.parametrize("whole", [True, False])
def test_an_evidence_pack_explains_itself_to_its_reader(whole: bool) -> None:
    language.choose("de")
    page = tr(read_me({"texts.jsonl": "the hashes of each text and of its prompt"}, "e7c9 e575", whole=whole))
    assert page.startswith("# Belegpaket\n")
    assert "- `texts.jsonl`: die Hashes jedes Textes und seines Prompts" in page
    assert 'biasprint pack verify FOLDER --signer "e7c9 e575"' in page
    assert not re.search(r"\b(the|of|or|without|changed|key)\b", page)


def test_a_quoted_title_is_put_into_the_language_with_what_it_is_about() -> None:
    language.choose("de")
    said = tr("“Negative option, the person is given (SAI)”: 95 % interval 31 to 45 points lower.")
    assert said.startswith("„Antwortmöglichkeit „Negativ“, die Person ist gegeben (SAI)“: 95-%-Intervall")
    assert tr("“Smith, John (2)” is not a Biasprint project.") == "„Smith, John (2)“ ist kein Biasprint-Projekt."


@pytest.mark.parametrize("task", ["completion", "news", "letter", "resume_summary", "haiku", *available_designs()])
def test_a_study_s_task_has_a_title_in_the_language(tmp_path: Path, task: str) -> None:
    project = Project.create(tmp_path / "new.biasprint")
    title = read_titles(project).task(task)
    project.close()
    assert (tr(title, "de") != title) is (task != "haiku"), title


def test_english_needs_no_catalogue_and_changes_nothing() -> None:
    language.choose("en")
    assert tr("12,345.5 raters are few.") == "12,345.5 raters are few."
    assert language.plural(2, "1 row", "%n rows") == "2 rows"


def test_processes_that_are_started_speak_the_same_language() -> None:
    language.choose("de")
    ask = "from biasprint.core import language; print(language.chosen())"
    assert subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True).stdout.strip() == "de"
    language.choose("tlh")
    assert language.chosen() == "en"


@pytest.mark.parametrize(
    ("variable", "setting", "system", "spoken"),
    [
        ("", "system", ["de-AT", "en"], "de"),
        ("", "en", ["de"], "en"),
        ("de", "en", [], "de"),
        ("", "", [], "en"),
        ("", "system", ["fr-FR", "de_DE.UTF-8"], "de"),
        ("C.UTF-8", "system", [], "en"),
    ],
)
def test_a_variable_is_first_then_the_setting_then_the_system(
    monkeypatch: pytest.MonkeyPatch, variable: str, setting: str, system: list[str], spoken: str
) -> None:
    monkeypatch.setenv(language.VARIABLE, variable)
    assert language.wanted(setting, system) == spoken


@pytest.mark.parametrize("code", codes())
def test_every_translation_has_the_places_of_its_english(code: str) -> None:
    path = files("biasprint.resources").joinpath("languages", f"{code}.po")
    both = [
        pair
        for entry in read_po(io.BytesIO(path.read_bytes()))
        if entry.id and entry.string
        for pair in (
            zip(entry.id, entry.string, strict=True) if isinstance(entry.id, tuple) else [(entry.id, entry.string)]
        )
    ]  # fmt: skip
    places = re.compile(r"\{\w+\}|%n")
    assert len(both) > 9_000
    assert [pair for pair in both if set(places.findall(pair[0])) != set(places.findall(pair[1]))] == []


def test_a_label_after_a_title_that_has_a_colon_itself_hides_no_title(german: Phrases) -> None:
    german = Phrases(parse(PO + '\nmsgid "Words: the group, by rank"\nmsgstr "Wörter: die Gruppe, nach Rang"\n'))
    assert german.translated("Words: the group, by rank, Man") == "Wörter: die Gruppe, nach Rang, Man"


def test_every_language_names_itself() -> None:
    assert language.languages()["de"] == "Deutsch"
    assert "en" in language.languages()
    assert os.environ.get(language.VARIABLE, "en") in language.languages()
