"""Widgets in cycles are deleted on the window's thread, whoever happened to allocate last."""

import gc
import platform
import threading
import weakref

import psutil
import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.jobs import Precedence
from biasprint.desktop.app import FULL_EVERY_LOOKS, LATEST_FULL_LOOKS, GarbageCollector


@pytest.fixture
def precedence(monkeypatch: pytest.MonkeyPatch) -> Precedence:
    """That of a program in which nobody has pressed a key yet."""
    made = Precedence()
    monkeypatch.setattr("biasprint.desktop.app.precedence", made)
    return made


@pytest.fixture
def collector(qtbot: QtBot, precedence: Precedence):
    gc.collect()
    gc.freeze()  # what other tests use need not be looked through
    made = GarbageCollector()
    made.start()
    yield made
    made.stop()
    assert gc.isenabled()


def lost_in_a_cycle() -> "weakref.ref[QWidget]":
    widget = QWidget()
    widget.myself = widget
    return weakref.ref(widget)


def fill_memory() -> None:
    for _ in range(50_000):
        cycle: list[object] = []
        cycle.append(cycle)


def test_a_busy_thread_collects_nothing(collector: GarbageCollector):
    lost = lost_in_a_cycle()
    busy = threading.Thread(target=fill_memory)
    busy.start()
    busy.join()
    assert lost() is not None
    collector.look()
    assert lost() is None


def test_what_came_while_the_window_settles_is_looked_through_when_a_project_is_closed(collector: GarbageCollector):
    collector.start(settling=2)
    lost = lost_in_a_cycle()
    fill_memory()
    for _ in range(2):
        collector.look()
    assert gc.get_freeze_count() > 0
    assert lost() is not None
    later = lost_in_a_cycle()
    fill_memory()
    collector.look()
    assert later() is None, "it has settled"
    collector.everything()
    assert lost() is None


def test_what_has_grown_old_is_collected_now_and_then(collector: GarbageCollector):
    widget = QWidget()
    widget.myself = widget
    lost = weakref.ref(widget)
    gc.collect(0)
    gc.collect(1)  # in use until now, it is of the oldest generation
    del widget
    fill_memory()
    collector.look()
    assert lost() is not None
    for _ in range(FULL_EVERY_LOOKS - 1):
        collector.look()
    assert lost() is None


def test_nothing_is_collected_while_a_raters_key_is_answered(collector: GarbageCollector, precedence: Precedence):
    lost = lost_in_a_cycle()
    fill_memory()
    precedence.take(30)
    for _ in range(LATEST_FULL_LOOKS + 1):
        collector.look()
    assert lost() is not None
    precedence.give_back()
    collector.look()
    assert lost() is None


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library gives memory back by itself")
def test_memory_that_was_freed_between_what_is_in_use_is_given_back(collector: GarbageCollector):
    blocks = [bytes(4_000) for _ in range(20_000)]
    held = psutil.Process().memory_info().rss
    kept = blocks[::64]
    del blocks
    collector._looks = FULL_EVERY_LOOKS - 1
    collector.look()
    assert held - psutil.Process().memory_info().rss > 40_000_000
    assert len(kept) == 313


def test_a_little_garbage_is_left_for_later(collector: GarbageCollector):
    collector.look()
    lost = lost_in_a_cycle()
    collector.look()
    assert lost() is not None


def test_what_takes_long_to_look_through_is_set_apart_until_the_project_is_closed(
    collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("biasprint.desktop.app.LONG_SECONDS", 0.0)
    before = gc.get_freeze_count()
    widget = QWidget()
    widget.myself = widget
    lost = weakref.ref(widget)
    for _ in range(FULL_EVERY_LOOKS):
        collector.look()
    assert gc.get_freeze_count() > before
    del widget
    for _ in range(FULL_EVERY_LOOKS):
        collector.look()
    assert lost() is not None
    collector.everything()
    assert lost() is None
