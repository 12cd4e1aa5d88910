"""Packets go out, are rated elsewhere, and come back as a finding."""

import csv
from pathlib import Path

from browser import browser, driver, needs_browser
from person import NewPerson, Person

THEMES = ("rain", "stars", "castle", "memory", "camera", "drones", "a bridge", "bread")
WORDS = {"man": "He said", "woman": "She said", "non-binary": "They said"}
RATERS = ("R01", "R02")
# Clicks and keys from the open project to packets, and from packets that came back to a finding; the dialog that asks
# for the files takes one of these clicks and both keys.
TO_PACKETS, TO_FINDING = (4, 1), (3, 2)


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
    return project


def rate(rater: Person, comparisons: int = len(THEMES)) -> None:
    """Choose, by keys, the text for a woman in every comparison; finish."""
    rater.click("Start")
    for number in range(comparisons):
        rater.sees(f"{number} of {comparisons}")
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
    coordinator.click("Judge")
    coordinator.fill_in("Raters of each", "2")
    coordinator.click("Draw comparisons", role="push button")
    coordinator.sees("2 packets: R01, R02.", seconds=90)
    coordinator.click("Make packets", role="push button")
    coordinator.sees("2 packets were made.")
    assert (coordinator.clicks, coordinator.keys) == TO_PACKETS

    sent = coordinator.folder / "packets"
    for code in RATERS:
        packet = (sent / f"packet-{code}.bpacket").rename(rater.folder / f"packet-{code}.bpacket")
        rater.start("gui", packet)
        rater.sees(code)
        assert not {"Raters", "Gender", "woman"} & set(rater.texts()), "a packet says nothing of what is compared"
        rate(rater)

    coordinator.clicks = coordinator.keys = 0
    coordinator.click("Choose packets…")
    coordinator.choose_file(*(rater.folder / f"packet-{code}.bpacket" for code in RATERS))
    coordinator.sees("2 packets were merged, 16 new answers.")
    coordinator.click("Measure", role="push button")
    answer = coordinator.sees("Are texts for some identities preferred? Yes, by these 2 raters", seconds=90)
    assert "n = 16" in answer.name
    assert (coordinator.clicks, coordinator.keys) == TO_FINDING


@needs_browser
def test_a_page_goes_out_is_rated_in_a_browser_and_comes_back(new_person: NewPerson) -> None:
    coordinator = new_person()
    coordinator.start("gui", make_project(coordinator))
    coordinator.click("Judge")
    coordinator.fill_in("Raters of each", "2")
    coordinator.click("Draw comparisons", role="push button")
    coordinator.sees("2 packets: R01, R02.", seconds=90)
    coordinator.click("Biasprint", role="combo box")
    coordinator.press("Down", "Return")
    coordinator.sees("The rater opens it in any browser, on a phone too")
    coordinator.click("Make packets", role="push button")
    coordinator.sees("2 packets were made.")
    page, downloads = coordinator.folder / "packets" / "packet-R01.html", coordinator.folder / "downloads"
    with driver() as address, browser(address, coordinator.folder / "profile", downloads) as rater:
        rater.screen(360, 740, phone=True)
        rater.open(page)
        rater.tap("Start")
        for number in range(len(THEMES)):
            rater.until(
                f"document.querySelector('.head .note')?.innerText.startsWith('{number + 1} of {len(THEMES)} ')"
            )
            texts = rater.run("return [...document.querySelectorAll('.text')].map((text) => text.innerText)")
            (chosen,) = (card for card, text in enumerate(texts) if text.startswith(WORDS["woman"]))
            rater.press(str(chosen + 1))
        for button in ("Finish", "Finish and lock", "Save my answers"):
            rater.until(f"[...document.querySelectorAll('button')].some((each) => each.innerText === '{button}')")
            rater.tap(button)
        came = rater.downloaded(downloads)
    coordinator.click("Choose packets…")
    coordinator.choose_file(came)
    coordinator.sees("1 packet was merged, 8 new answers.")


def test_a_plan_grows_by_a_round_that_says_what_is_least_known(new_person: NewPerson) -> None:
    coordinator, rater = new_person(), new_person()
    coordinator.start("gui", make_project(coordinator))
    coordinator.click("Judge")
    coordinator.fill_in("Comparisons per axis", "4")
    coordinator.click("Draw in rounds (fewer comparisons)")
    coordinator.sees("fewer comparisons than with random pairs")
    coordinator.fill_in("Raters of each", "2")
    coordinator.click("Draw comparisons", role="push button")
    coordinator.sees("2 packets: R01, R02.", seconds=90)
    coordinator.click("Make packets", role="push button")
    coordinator.sees("2 packets were made.")
    for code in RATERS:
        packet = (coordinator.folder / "packets" / f"packet-{code}.bpacket").rename(rater.folder / f"{code}.bpacket")
        rater.start("gui", packet)
        rate(rater, 4)
    coordinator.click("Choose packets…")
    coordinator.choose_file(*(rater.folder / f"{code}.bpacket" for code in RATERS))
    coordinator.sees("2 packets were merged, 8 new answers.")
    coordinator.click("Plans")
    coordinator.click("Draw the next round…")
    coordinator.sees("Round 2: 4 comparisons, drawn from 8 answers.", seconds=90)
    coordinator.sees("Least known: how often “woman” is chosen")
    coordinator.click("Draw it")
    coordinator.sees("(round 2)", seconds=60)
    coordinator.click("Make packets…")
    coordinator.sees("2 packets: R01, R02.")
