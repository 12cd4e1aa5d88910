"""Finding llama.cpp's library: missing, too old or broken, it is a sentence that says what to install."""

import importlib
import re

import pytest

from biasprint.core.backends import llama_cpp
from biasprint.core.backends.llama_cpp import native_model as library_module
from biasprint.core.backends.llama_cpp import options
from biasprint.core.backends.llama_cpp.options import info, installed
from biasprint.core.errors import AppError


def refusal() -> AppError:
    with pytest.raises(AppError) as refused:
        library_module.library()
    assert re.search("pip install|models engine", refused.value.hint)
    assert "C++ compiler" in refused.value.hint
    return refused.value


def test_the_list_of_backends_says_what_is_missing() -> None:
    assert (info().unavailable == "") == installed()
    assert info().capabilities.likelihood
    assert info().capabilities.offline
    assert info().capabilities.is_language_model


def test_it_is_looked_up_anew_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be installed while the program runs."""
    monkeypatch.setattr(options, "installed", lambda: False)
    assert "biasprint models engine" in llama_cpp.INFO.unavailable
    monkeypatch.setattr(options, "installed", lambda: True)
    assert llama_cpp.INFO.unavailable == ""


def test_a_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "installed", lambda: False)
    assert "not installed" in refusal().message


def test_a_library_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_module, "installed", lambda: True)
    monkeypatch.setattr(library_module, "version", lambda name: "0.3.9")
    assert refusal().message == "llama-cpp-python 0.3.9 is too old: 0.3.36 or newer is needed."


def test_a_library_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise OSError("libllama.so: cannot open shared object file")

    monkeypatch.setattr(library_module, "installed", lambda: True)
    monkeypatch.setattr(library_module, "version", lambda name: "1.0.0")
    monkeypatch.setattr(importlib, "import_module", broken)
    error = refusal()
    assert "does not start" in error.message
    assert "libllama.so" in error.details
