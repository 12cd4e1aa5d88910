"""A packet's page in a real browser without a network: rated with keys and fingers, killed, saved, merged."""

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, browser, driver, needs_browser, tab
from packet_files import CANARIES, chosen_texts, coordinator
from page_files import data_in, made_pages, merged, with_data

from biasprint.core.project.project import Project
from biasprint.core.project.rows import JudgmentRow

pytestmark = needs_browser


@pytest.fixture(scope="module")
def chromedriver() -> Iterator[str]:
    with driver() as address:
        yield address


@pytest.fixture(scope="module")
def open_browser(chromedriver: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("browser")
    with browser(chromedriver, folder / "profile", folder) as window:
        yield window


class Desk:
    """A rater's folder: the page, and what a browser downloads; another folder is another computer."""

    def __init__(self, folder: Path, address: str, open_browser: Browser) -> None:
        self.folder, self._address, self._browser = folder, address, open_browser
        self._computers: list[Path] = []
        self.project = folder / "canaryprojectqx.biasprint"
        self.downloads = folder / "downloads"
        self.page = folder

    def given(self, **plan: Any) -> Path:
        (made,) = made_pages(self.project, coordinator(self.project, **plan), "R01")
        self.page = made.path
        return self.page

    def window(self) -> AbstractContextManager[Browser]:
        """A tab of the browser that stays open, which has forgotten what was kept on other computers."""
        new = self.folder not in self._computers
        assert new or self.folder == self._computers[-1], "this computer's answers are forgotten"
        self._computers += [self.folder] * new
        self.folder.mkdir(exist_ok=True)
        return tab(self._browser, self.downloads, forget=new)

    def process(self) -> AbstractContextManager[Browser]:
        """A browser of its own."""
        return browser(self._address, self.folder / "profile", self.downloads)

    def saved(self, window: Browser, button: str = "Save my answers") -> Path:
        shutil.rmtree(self.downloads, ignore_errors=True)
        self.downloads.mkdir()
        window.tap(button)
        got = window.downloaded(self.downloads)
        return got.replace(self.folder / got.name)

    def judgments(self) -> tuple[JudgmentRow, ...]:
        with Project.open(self.project, read_only=True) as opened:
            (session,) = opened.judging.sessions()
            return opened.judging.judgments(session.id)


@pytest.fixture
def desk(tmp_path: Path, chromedriver: str, open_browser: Browser) -> Desk:
    return Desk(tmp_path, chromedriver, open_browser)


def at(window: Browser, number: int, of: int) -> None:
    window.until(f"document.querySelector('.head .note')?.innerText.startsWith('{number} of {of} ')")


def begin(window: Browser, page: Path, button: str = "Start") -> None:
    window.open(page)
    window.tap(button)
    window.until("document.querySelector('.rating')")


def finish(window: Browser) -> None:
    window.tap("Finish")
    window.tap("Finish and lock")
    window.until("document.body.innerText.includes('Finished. Thank you!')")


def requests_of(window: Browser) -> list[str]:
    """What the browser asked for, but the page itself and the file that was saved."""
    log = [json.loads(entry["message"])["message"] for entry in window.ask("POST", "se/log", {"type": "performance"})]
    sent = [entry["params"]["request"]["url"] for entry in log if entry["method"] == "Network.requestWillBeSent"]
    return [url for url in sent if not url.startswith(("file:", "blob:", "data:", "chrome:"))]


def complaints(window: Browser) -> list[str]:
    return [entry["message"] for entry in window.ask("POST", "se/log", {"type": "browser"})]


def test_a_page_is_rated_with_keys_and_fingers_finished_saved_and_merged(desk: Desk) -> None:
    page = desk.given(comparisons=4, repeats=1, consent_text="Do you agree?", ask_background=True)
    shown = [each["texts"] for each in data_in(page, "packet")["comparisons"]]
    with desk.window() as window:
        window.open(page)
        assert "Do you agree?" in window.text()
        assert window.run(
            "return [...document.querySelectorAll('button')].find((b) => b.innerText === 'Start').disabled"
        )
        window.write("textarea", "left-handed")
        window.tap("I agree")
        window.tap("Start")
        at(window, 1, 5)
        window.press("2")
        at(window, 2, 5)
        window.tap("Choose C")
        at(window, 3, 5)
        window.press("0")
        at(window, 4, 5)
        window.press("x")
        at(window, 5, 5)
        window.press("b")  # back to what was answered last, and changed
        at(window, 4, 5)
        assert "You found none good." in window.text()
        window.press("1")
        at(window, 5, 5)
        window.press("n")
        window.write("textarea", "Close to the last.")
        window.tap("Skip")
        window.until("document.body.innerText.includes('All comparisons are answered')")
        assert "4 answered, 1 skipped, 0 left." in window.text()
        finish(window)
        assert window.run("return !dispatchEvent(new Event('beforeunload', { cancelable: true }))")
        came = desk.saved(window)
        window.until("dispatchEvent(new Event('beforeunload', { cancelable: true }))")
        assert came.name == "packet-R01-finished.html"
        assert requests_of(window) == []
        assert complaints(window) == []
    (file,) = merged(desk.project, came)
    assert (file.added, file.finished, file.held, file.unsealed, file.refused) == (6, True, "", False, "")
    said = came.read_text("ascii").lower().replace("canarytaskqx a \\u00b7 canarythemeqx b", "")
    assert [word for word in CANARIES if word in said] == []
    (file,) = merged(desk.project, came)
    assert (file.added, file.repeated) == (0, 6)
    with Project.open(desk.project, read_only=True) as opened:
        chosen = list(chosen_texts(opened, "R01").values())
        (session,), (rater,) = opened.judging.sessions(), opened.judging.raters()
    wanted = [shown[0][1].rstrip(" "), shown[1][2].rstrip(" "), shown[3][0].rstrip(" ")]
    assert sorted(filter(None, chosen)) == sorted(wanted)
    assert session.consent_text == "Do you agree?"
    assert rater.background == {"described": "left-handed"}
    rows = desk.judgments()
    assert sorted(row.outcome for row in rows) == ["choice", "choice", "choice", "skip", "tie"]
    assert [row.note for row in rows if row.outcome == "skip"] == ["Close to the last."]
    assert all(0 < row.active_seconds < 60 for row in rows)


def test_a_held_key_and_a_double_tap_answer_one_comparison(desk: Desk) -> None:
    page = desk.given(comparisons=6)
    with desk.window() as window:
        begin(window, page)
        window.hold("1", 12)
        at(window, 2, 6)
        window.tap("Choose B", times=2)
        at(window, 3, 6)
        window.press("s")
        at(window, 4, 6)
        assert window.run("return answers.judgments.map((row) => row.outcome)") == ["choice", "choice", "skip"]


def test_time_stands_still_after_two_minutes_and_while_the_page_is_not_looked_at(desk: Desk) -> None:
    page = desk.given(comparisons=3)
    with desk.window() as window:
        begin(window, page)
        window.run("lastSign -= 500000; clock()")  # more than eight minutes without a sign of life
        window.press("1")
        at(window, 2, 3)
        window.run(
            "Object.defineProperty(document, 'hidden', { configurable: true, get: () => hiding });"
            "window.hiding = true; document.dispatchEvent(new Event('visibilitychange')); lastSign -= 60000;"
            "window.hiding = false; document.dispatchEvent(new Event('visibilitychange'));"
        )
        window.press("1")
        at(window, 3, 3)
        first, second = window.run("return answers.judgments.map((row) => row.active_seconds)")
        views = window.run("return answers.judgments.map((row) => JSON.parse(row.detail).viewed[0].seconds)")
    assert 120 <= first < 150
    assert 0 <= second < 30
    assert views[1] <= second


def one_answered_and_saved(desk: Desk, page: Path) -> Path:
    """Answer the first of three comparisons, and save the page so far."""
    with desk.window() as window:
        begin(window, page)
        window.press("1")
        at(window, 2, 3)
        window.tap("Overview")
        return desk.saved(window, "Save my answers so far")


def test_a_saved_page_goes_on_elsewhere_and_a_finished_one_is_locked(desk: Desk, tmp_path: Path) -> None:
    page = desk.given(comparisons=3)
    half = one_answered_and_saved(desk, page)
    assert half.name == "packet-R01-1-of-3.html"
    desk.folder = tmp_path / "another computer"
    with desk.window() as window:
        begin(window, half, "Continue")
        at(window, 2, 3)
        window.press("0")
        at(window, 3, 3)
        window.press("0")
        window.until("document.querySelector('.list')")
        finish(window)
        whole = desk.saved(window)
        window.open(whole)
        assert "Your answers are locked." in window.text()
        assert window.run("return document.querySelectorAll('.answers').length") == 0
        window.open(half)  # the browser remembers that it goes on: nothing is answered twice
        assert "Your answers are locked." in window.text()
    assert [file.added for file in merged(desk.project, half, whole)] == [1, 2]
    assert [row.outcome for row in desk.judgments()] == ["choice", "tie", "tie"]


KILLS = int(os.environ.get("BIASPRINT_PAGE_KILLS", "4"))


def test_a_killed_browser_loses_no_answer_that_was_kept(desk: Desk) -> None:
    page = desk.given(comparisons=KILLS + 2)
    lost = 0
    for number in range(KILLS):
        with desk.process() as window:
            begin(window, page, "Start" if number == 0 else "Continue")
            kept = window.run("return answers.judgments.length")
            lost += number - kept
            window.press("12"[number % 2])
            at(window, kept + 2, KILLS + 2)
            window.kill()
    assert lost == 0
    with desk.process() as window:
        window.open(page)
        rows = window.run("return answers.judgments.map((row) => row.chosen)")
        assert rows == [number % 2 for number in range(KILLS)]


NOTHING_IS_KEPT = """
Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } });
Object.defineProperty(window, "indexedDB", { get() { throw new DOMException("denied", "SecurityError"); } });
"""
FULL = """
const full = () => { throw new DOMException("full", "QuotaExceededError"); };
IDBObjectStore.prototype.put = full;
Storage.prototype.setItem = full;
"""


def test_where_nothing_is_kept_the_page_says_so_before_the_first_answer_and_after_each(desk: Desk) -> None:
    page = desk.given(comparisons=3)
    told = "This browser keeps nothing: save your answers before you close this page."
    with desk.window() as window:
        window.chrome("Page.addScriptToEvaluateOnNewDocument", source=NOTHING_IS_KEPT)
        window.open(page)
        assert told in window.text()
        window.tap("Start")
        at(window, 1, 3)
        assert told in window.text()
        window.press("1")
        at(window, 2, 3)
        assert told in window.text()
        assert window.run("return document.getElementById('spoken').innerText").startswith("Not kept by this browser.")
        assert window.run("return !dispatchEvent(new Event('beforeunload', { cancelable: true }))")
        half = desk.saved(window, "Save my answers so far")
        window.until("dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    assert merged(desk.project, half)[0].added == 1


def test_a_phone_that_is_full_is_told_and_what_was_kept_stays(desk: Desk) -> None:
    page = desk.given(comparisons=4)
    with desk.window() as window:
        begin(window, page)
        window.press("1")
        at(window, 2, 4)
        window.run(FULL)
        window.press("2")
        at(window, 3, 4)
        assert "This browser could not keep your last answer: save before you close this page." in window.text()
        window.press("2")
        at(window, 4, 4)
        assert "could not keep your last 2 answers" in window.text()
        half = desk.saved(window, "Save my answers so far")
    assert merged(desk.project, half)[0].added == 3
    with desk.window() as window:
        window.open(page)
        assert window.run("return answers.judgments.length") == 1


def test_two_tabs_do_not_overwrite_each_other(desk: Desk) -> None:
    page = desk.given(comparisons=4)
    with desk.window() as window:
        begin(window, page)
        first = window.ask("GET", "window")
        other = window.ask("POST", "window/new", {"type": "tab"})["handle"]
        window.ask("POST", "window", {"handle": other})
        begin(window, page, "Continue")
        window.press("1")
        at(window, 2, 4)
        window.ask("POST", "window", {"handle": first})
        window.press("2")
        window.until("document.body.innerText.includes('open in another tab')")
        window.tap("Load again")
        window.until("document.body.innerText.includes('Continue')")
        assert window.run("return answers.judgments.map((row) => row.chosen)") == [0]


def test_a_file_with_other_answers_than_the_browsers_asks_which(desk: Desk, tmp_path: Path) -> None:
    page = desk.given(comparisons=3)
    one = one_answered_and_saved(desk, page)
    desk.folder = tmp_path / "another computer"
    with desk.window() as window:
        begin(window, page)
        window.press("2")
        at(window, 2, 3)
        window.press("2")
        at(window, 3, 3)
        window.open(one)
        assert "Which answers do you want to go on with?" in window.text()
        window.tap("Those in this browser (2)")
        assert window.run("return answers.judgments.length") == 2
        window.open(one)
        window.tap("Those in this file (1)")
        window.until("document.body.innerText.includes('Continue')")
        window.open(page)
        assert window.run("return answers.judgments.map((row) => row.chosen)") == [0]


RUBRIC = (("Imagery", "It shows instead of telling."), ("Rhythm", ""))
PRACTICE = tuple(
    {"texts": [f"Good {n}.", f"Bad {n}."], "answer": 0, "task": "", "theme": "", "why": "It is good."} for n in (1, 2)
)


def test_practice_ratings_notes_degree_confidence_and_marked_words_all_arrive(desk: Desk) -> None:
    asked = {"graded": True, "confidence": True, "spans": True, "criterion_ratings": True}
    page = desk.given(comparisons=3, rubric=RUBRIC, practice=PRACTICE, instructions="Read each to its end.", **asked)
    shown = [each["texts"] for each in data_in(page, "packet")["comparisons"]]
    with desk.window() as window:
        begin(window, page)
        assert "Practice 1 of 2 · it counts nowhere" in window.text()
        right = window.run("return practising.known")
        window.press("QW"[right].lower())
        window.until("document.body.innerText.includes('Right. It is good.')")
        window.tap("Go on")
        window.until("document.body.innerText.includes('Practice 2 of 2')")
        window.press("12"[1 - window.run("return practising.known")])
        window.until("document.body.innerText.includes('The better one is ')")
        window.tap("Go on to the first that counts")
        at(window, 1, 3)
        window.press("g")
        assert "It shows instead of telling." in window.text()
        assert "Read each to its end." in window.text()
        window.press("g")
        window.run("document.querySelectorAll('.one')[1].querySelectorAll('input')[3].click()")  # Imagery of B: 4
        window.until("answers.annotations.length === 2")
        window.press("2")
        window.until("document.body.innerText.includes('5 ratings are missing.')")
        window.run(
            "const text = document.querySelectorAll('.text')[1].firstChild, range = document.createRange();"
            "range.setStart(text, 0); range.setEnd(text, 6); getSelection().addRange(range);"
        )
        window.tap("Mark as reason")
        window.until("document.querySelector('mark')?.innerText === 'Text 0'")
        window.press("2")  # once more: the ratings that are missing stay out
        window.until("document.body.innerText.includes('How sure are you?')")
        assert window.run("return answers.judgments.length") == 1  # the choice is kept before more is asked
        window.press("3")
        at(window, 2, 3)
        window.tap("C much better")
        window.until("document.body.innerText.includes('How sure are you?')")
        window.tap("A guess")
        at(window, 3, 3)
        window.press("0")
        window.until("document.body.innerText.includes('How sure are you?')")
        window.tap("Leave it open")
        window.until("document.querySelector('.list')")
        finish(window)
        came = desk.saved(window)
        assert complaints(window) == []
    (file,) = merged(desk.project, came)
    assert (file.added, file.held, file.refused) == (5, "", "")
    rows = sorted(desk.judgments(), key=lambda row: row.created_at)
    assert [(row.outcome, row.degree, row.confidence) for row in rows] == [
        ("choice", "slightly", 3), ("choice", "much", 1), ("tie", None, None)
    ]  # fmt: skip
    assert rows[0].spans == ((rows[0].chosen, 0, 6),)
    assert [row.spans for row in rows[1:]] == [(), ()]
    with Project.open(desk.project, read_only=True) as opened:
        items = opened.texts(
            [
                item.key
                for item in opened.judging.comparisons(rows[0].session_id and opened.judging.plans()[0].id)[0].items
            ]
        )
        (rating,) = opened.annotations.of_kind("criterion")
        (practice,) = opened.annotations.of_kind("practice")
    assert rating.value == {"card": rows[0].chosen, "criterion": "Imagery", "rating": 4}
    assert list(items.values())[rows[0].chosen] == shown[0][1].rstrip(" ")
    assert (practice.value["right"], practice.value["of"]) == (1, 2)


def test_best_and_worst_are_asked_one_after_the_other_and_recommendations_are_shown(desk: Desk) -> None:
    page = desk.given(comparisons=2, worst=True, sway=1.0)
    advised = data_in(page, "packet")["settings"]["recommended"]
    with desk.window() as window:
        begin(window, page)
        assert "Which is best, then worst?" in window.text()
        first = data_in(page, "packet")["comparisons"][0]["id"]
        assert window.run(
            "return [...document.querySelectorAll('.one')].findIndex((one) => one.innerText.includes('Suggested by'))"
        ) == advised[first]  # fmt: skip
        window.press("1")
        window.until("document.body.innerText.includes('And which is worst?')")
        window.press("1")  # the best is not the worst
        assert window.run("return answers.judgments.length") == 0
        window.press("b")  # another best
        window.until("document.body.innerText.includes('Which is best, then worst?')")
        window.press("2")
        window.press("3")
        at(window, 2, 2)
        window.tap("Choose A")
        window.tap("Choose B")
        window.until("document.querySelector('.list')")
        finish(window)
        came = desk.saved(window)
    (file,) = merged(desk.project, came)
    assert (file.added, file.held, file.refused) == (2, "", "")
    rows = sorted(desk.judgments(), key=lambda row: row.created_at)
    assert [(row.shown.index(row.chosen), row.shown.index(row.worst)) for row in rows] == [(1, 2), (0, 1)]
    assert all(row.recommended is not None for row in rows)


def test_a_prompt_stands_above_the_texts_and_withheld_ones_are_told(desk: Desk) -> None:
    page = desk.given(comparisons=2)
    packet = data_in(page, "packet")
    prompt = "Write three lines about <b>rain</b>."
    packet["settings"] |= {"prompts": {packet["comparisons"][0]["id"]: prompt + "   "}, "prompts_withheld": 1}
    with desk.window() as window:
        window.open(with_data(page, "with-prompts.html", packet=packet))
        assert "The prompts are not shown: they name what is compared." not in window.text()
        window.tap("Start")
        at(window, 1, 2)
        assert window.run("return document.querySelector('.prompt').innerText.trim()") == prompt
        window.press("1")
        at(window, 2, 2)
        assert window.run("return document.querySelector('.prompt')") is None
        del packet["settings"]["prompts"]
        packet["packet"] = "another"
        window.open(with_data(page, "without.html", packet=packet))
        assert "The prompts are not shown: they name what is compared." in window.text()


PAGE_DOWN, HOME = "\ue00f", "\ue011"


@pytest.mark.parametrize("width", [360, 1440])
def test_the_keyboard_scrolls_the_texts_although_none_of_them_has_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    words = "Long. " * 3000
    monkeypatch.setattr("packet_files.text_of", lambda comparison, identity: f"{comparison} {identity} {words}")
    page = desk.given(comparisons=2)
    scroller = ".one" if width == 360 else ".cards"
    with desk.window() as window:
        window.screen(width, 740)
        begin(window, page)
        window.until("inView[0]")
        window.press(PAGE_DOWN)
        window.until(f"document.querySelector('{scroller}').scrollTop > 100")
        window.press(HOME)
        window.until(f"document.querySelector('{scroller}').scrollTop === 0")


def test_what_was_in_view_arrives_and_an_unread_end_is_told_once(desk: Desk) -> None:
    page = desk.given(comparisons=3)
    packet = data_in(page, "packet")
    with desk.window() as window:
        window.screen(360, 740, phone=True)
        window.chrome(
            "Page.addScriptToEvaluateOnNewDocument",
            source="addEventListener('DOMContentLoaded', () => { for (const each of packet.comparisons) "
            "each.texts = each.texts.map((text) => 'Long. '.repeat(500) + text); });",
        )
        begin(window, page)
        window.until("inView[0] && !inView[1]")  # one text at a time
        window.run("document.querySelector('.one').scrollTo(0, 1e6)")
        window.until("endInView[0]")
        window.tap("Text B")
        window.until("inView[1] && !inView[0]")
        window.run("const go = performance.now(); while (performance.now() - go < 60) {} clock()")
        window.press("1")
        at(window, 2, 3)
        assert "The ends of texts B and C were not on the screen yet. Your choice is kept" in window.text()
        window.press("1")
        at(window, 3, 3)
        assert "not on the screen yet" not in window.text()
        rows = window.run("return answers.judgments.map((row) => JSON.parse(row.detail).viewed)")
    assert [view["end"] for view in rows[0]] == [True, False, False]
    assert rows[0][1]["seconds"] >= 0.06
    assert rows[0][2]["seconds"] == 0
    assert len(packet["comparisons"]) == 3


SMALL = """
return [...document.querySelectorAll("button, .pick, .agree")].filter((each) => each.offsetParent).map((each) => {
  const box = each.getBoundingClientRect();
  return [each.textContent, Math.min(box.height, box.width), box.left, box.right];
}).filter(([, size, left, right]) => size < 43.9 || left < 0 && right > 0 || right > 360.5 && left < 360)
"""


def test_on_a_phone_every_button_is_large_enough_named_and_on_the_screen(desk: Desk) -> None:
    asked = {"graded": True, "confidence": True, "spans": True, "criterion_ratings": True}
    page = desk.given(comparisons=3, rubric=RUBRIC, consent_text="Do you agree?", instructions="Read.", **asked)
    with desk.window() as window:
        window.screen(360, 740, phone=True)
        window.open(page)
        assert window.run(SMALL) == []
        window.tap("I agree")
        window.tap("Start")
        at(window, 1, 3)
        window.until("inView[0]")
        assert window.run(SMALL) == []
        tree = window.chrome("Accessibility.getFullAXTree")["nodes"]
        roles = ("button", "radio", "textbox", "article", "group")
        told = [node for node in tree if node.get("role", {}).get("value") in roles and not node["ignored"]]
        assert len(told) > 40
        assert [node["role"]["value"] for node in told if not node.get("name", {}).get("value")] == []
        named = {node["name"]["value"] for node in told}
        assert {"Text A", "A much better", "Mark as reason", "Which is best?", "Imagery", "Not rated"} <= named
        window.press("1")
        window.until("sure")
        assert window.run(SMALL) == []
        window.press("1")
        at(window, 2, 3)
        window.press("b")
        window.until("document.body.innerText.includes('Take it back')")
        assert window.run(SMALL) == []
        window.tap("Overview")
        window.until("document.querySelector('.list')")
        assert window.run(SMALL) == []


def test_a_text_of_one_endless_word_or_with_hidden_marks_stays_in_its_card(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = ("<img src=x onerror=alert(1)>\u202e" + "x" * 200_000, "\u0000\ud800\u2028<b>", "A plain text.")
    monkeypatch.setattr("packet_files.text_of", lambda comparison, identity: f"{comparison}{hostile[identity]}")
    page = desk.given(comparisons=2)
    shown = data_in(page, "packet")["comparisons"][0]["texts"]
    with desk.window() as window:
        for width in (360, 1440):
            window.screen(width, 800, phone=width == 360)
            begin(window, page, "Start" if width == 360 else "Continue")
            at(window, 1, 2)
            wide = "[...document.querySelectorAll('.one')].map((one) => one.scrollWidth - one.clientWidth)"
            assert window.run(f"return {wide}") == [0, 0, 0]
            assert window.run("return document.querySelectorAll('.one img, .one b').length") == 0
        texts = window.run("return [...document.querySelectorAll('.text')].map((text) => text.textContent.length)")
        assert texts == [len(text) for text in shown]
        window.press("1")
        at(window, 2, 2)
        window.tap("Overview")
        window.until("document.querySelector('.list')")
        came = desk.saved(window, "Save my answers so far")
        assert complaints(window) == []
    (file,) = merged(desk.project, came)
    assert (file.added, file.changed_texts, file.refused) == (1, (), "")


MANY = int(os.environ.get("BIASPRINT_PAGE_COMPARISONS", "40"))


def test_many_texts_of_400_words_are_answered_at_once(
    desk: Desk, record_property: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = " ".join(f"word{number % 97}" for number in range(400))
    monkeypatch.setattr("packet_files.text_of", lambda comparison, identity: f"{comparison} {identity} {words}")
    page = desk.given(comparisons=MANY)
    with desk.window() as window:
        begun = time.perf_counter()
        begin(window, page)
        opened = time.perf_counter() - begun
        seconds = window.run_async(
            "const done = arguments[0], took = [], many = arguments[0] && packet.comparisons.length;"
            "(async () => { for (let n = 0; n < many; n++) { const begun = performance.now();"
            "dispatchEvent(new KeyboardEvent('keydown', { key: '1' }));"
            "while (answers.judgments.length <= n || working) await new Promise((go) => setTimeout(go));"
            "took.push(performance.now() - begun); } done(took); })();"
        )
        finish(window)
        came = desk.saved(window)
    seconds.sort()
    middle, late = seconds[len(seconds) // 2], seconds[int(0.99 * len(seconds))]
    record_property("milliseconds of an answer", (round(middle, 1), round(late, 1)))
    record_property("seconds to open", round(opened, 2))
    record_property("megabytes", (round(page.stat().st_size / 2**20, 2), round(came.stat().st_size / 2**20, 2)))
    (file,) = merged(desk.project, came)
    assert (file.added, file.held) == (MANY, "")
