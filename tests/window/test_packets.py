"""Packets go out, are rated elsewhere, and come back as a finding."""

import csv
from pathlib import Path

from person import NewPerson, Person

THEMES = ("rain", "stars", "castle", "memory", "camera", "drones", "a bridge", "bread")
WORDS = {"man": "He said", "woman": "She said", "non-binary": "They said"}
RATERS = ("R07", "R08")


def make_project(person: Person) -> Path:
    table, project = person.folder / "haiku.csv", person.folder / "Haiku.biasprint"
    with table.open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(("task", "theme", "identity", "text"))
        for theme in THEMES:
            for identity, words in WORDS.items():
                rows.writerow(("haiku", theme, identity, f"{words} it of {theme},\nand the next line says\nno more."))
    person.command("new", project)
    person.command("import", project, table, "--study", "creativity")
    person.command("compare", project, "--axis", "gender", "--seed", 1, "--title", "Haiku")
    return project


def rate(rater: Person) -> None:
    """Choose, by keys, the text for a woman in every comparison; finish."""
    rater.click("Start")
    for number in range(len(THEMES)):
        rater.sees(f"{number} of {len(THEMES)}")
        texts = {node.name: node.text for node in rater.nodes() if node.role == "text"}
        (chosen,) = (letter for letter in "ABC" if texts[f"Text {letter}"].startswith(WORDS["woman"]))
        rater.press(str("ABC".index(chosen) + 1))
    rater.click("Finish")
    rater.click("Finish and lock")
    rater.sees("Thank you")
    rater.quit()


def test_packets_go_out_are_rated_and_come_back_as_a_finding(new_person: NewPerson) -> None:
    coordinator, rater = new_person(), new_person()
    coordinator.start("gui", make_project(coordinator))
    coordinator.click("Raters")
    coordinator.click("Packets", role="page tab")
    coordinator.fill_in("For whom", ", ".join(RATERS))
    coordinator.click("Choose the folder that the packets go to")
    coordinator.choose_file(coordinator.folder)
    coordinator.click("Make packets", role="push button")
    coordinator.sees("2 packets were made.")

    for code in RATERS:
        packet = (coordinator.folder / f"packet-{code}.bpacket").rename(rater.folder / f"packet-{code}.bpacket")
        rater.start("gui", packet)
        rater.sees(code)
        assert not {"Raters", "Gender", "woman"} & set(rater.texts()), "a packet says nothing of what is compared"
        rate(rater)

    coordinator.click("Choose packets…")
    coordinator.choose_file(*(rater.folder / f"packet-{code}.bpacket" for code in RATERS))
    coordinator.sees("2 packets were merged, 16 new answers.")
    coordinator.click("Findings")
    coordinator.click("Measure: Creative writing")
    answer = coordinator.sees("Are texts for some identities preferred? Yes, by these 2 raters", seconds=90)
    assert "n = 16" in answer.name
