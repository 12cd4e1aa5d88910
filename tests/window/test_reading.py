"""The prompt above the texts, markdown by a key, and whether the end of each text was on the screen."""

import csv
import json

from person import NewPerson, Person

THEMES = ("rain", "stars", "castle")
WORDS = {"man": "He", "woman": "She", "non-binary": "They"}
LINES = 80


def texts_with_ends(person: Person) -> str:
    """A project of three comparisons whose texts are longer than their cards; its file."""
    table, project = person.folder / "long.csv", person.folder / "Long.biasprint"
    with table.open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(("task", "theme", "identity", "text"))
        for theme in THEMES:
            for identity, word in WORDS.items():
                lines = "\n".join(f"{word} says line {number} of {theme}." for number in range(LINES))
                rows.writerow(("haiku", theme, identity, f"# {theme}\n\n**{word}** begins.\n\n{lines}"))
    person.command("new", project)
    person.command("import", project, table, "--study", "creativity")
    person.command("compare", project, "--axis", "gender", "--seed", 1)
    return str(project)


def test_an_end_that_was_not_on_the_screen_is_told_once_and_kept(new_person: NewPerson) -> None:
    rater = new_person()
    project = texts_with_ends(rater)
    rater.start("gui", project)
    rater.click("Judge")
    rater.click("Start")
    rater.sees("0 of 3")
    rater.press("1")
    word = "The ends of texts A, B and C were not on the screen yet. Your choice is kept; B or Ctrl+Z goes back."
    rater.sees(word)
    rater.press("End")
    rater.picture()
    rater.press("2")
    rater.sees("2 of 3")
    rater.sees_no(word)
    rater.press("3")
    rater.sees("Reveal")
    rater.sees_no(word)
    rater.click("Reveal")
    rater.click("Reveal and lock")
    rater.sees("What you chose")
    rater.quit()
    rater.command("export", project, "judgments", "--out", rater.folder / "judgments.csv")
    with (rater.folder / "judgments.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["read_to_end"] for row in rows] == ["0", "1", "0"]
    for row in rows:
        seconds = json.loads(row["seconds_in_view"])
        assert len(seconds) == len(WORDS)
        assert all(0 < each <= float(row["seconds"]) + 1 for each in seconds)
    listed = rater.command("raters", "list", project)
    assert "2 of 3 answers came before the end of every text was on the screen" in listed


def test_the_prompt_stands_above_the_texts_and_a_key_draws_their_markdown(new_person: NewPerson) -> None:
    rater = new_person()
    project = rater.folder / "Two.biasprint"
    asked = ("--study", "creativity", "--task", "haiku", "--theme", "stars", "--axis", "gender")
    rater.command("new", project)
    rater.command("prompts", project, *asked)
    for number, model in enumerate(("none", "medium")):
        generated = ("--study", "creativity", "--backend", "synthetic", "--model", model, "--seed", number)
        rater.command("generate", project, *generated)
    drawn = rater.command("compare", project, "--kind", "model", "--seed", 1)
    assert "1 of 4 comparisons show their prompt; 3 prompts name what stays hidden." in drawn
    rater.start("gui", project)
    rater.click("Judge")
    rater.click("Start")
    shown = []
    for number in range(4):
        rater.sees(f"{number} of 4")
        shown += [
            node.text for node in rater.nodes() if node.role == "text" and node.name == "Prompt" and node.in_sight
        ]
        assert not {"man", "woman", "Gender", "medium"} & set(rater.texts())
        rater.press("0")
    rater.sees("Reveal")
    assert shown == ["Write a haiku about stars"]


def test_markdown_is_drawn_on_every_card_and_remembered(new_person: NewPerson) -> None:
    rater = new_person()
    project = texts_with_ends(rater)
    rater.start("gui", project)
    rater.click("Judge")
    rater.click("Start")
    rater.sees("0 of 3")
    rater.press("m")
    rater.until(lambda: all("**" not in text for text in cards(rater)), "no sign of markdown")
    rater.press("1")
    rater.sees("1 of 3")
    assert all("#" not in text and " begins." in text for text in cards(rater))
    rater.quit()
    rater.start("gui", project)
    rater.click("Judge")
    rater.click("Continue")
    rater.sees("1 of 3")
    assert all("**" not in text for text in cards(rater)), "as it was left"
    rater.press("m")
    rater.until(lambda: all("**" in text for text in cards(rater)), "every sign again")


def cards(person: Person) -> list[str]:
    return [node.text for node in person.nodes() if node.role == "text" and node.name.startswith("Text ")]
