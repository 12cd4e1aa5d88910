"""Each function that is called across the border is found there, fits its callers, and is light to import."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from biasprint.core.compute import worker

ROOT = Path(worker.__file__).parents[2]
INTERFACE = ROOT / "core" / "python"
# What `ComputeProcess.call` takes for itself; `ctx` is given to the function in the child.
OF_THE_CALL = {"ctx", "on_report", "on_partial", "timeout"}
HEAVY = {
    "torch", "transformers", "sentence_transformers", "detoxify", "spacy", "gensim", "textblob", "nltk", "llama_cpp",
    "scipy", "statsmodels", "sklearn", "pandas", "pyarrow", "ray", "openai", "huggingface_hub", "PySide6",
}  # fmt: skip


def module_of(path: Path) -> str:
    base = INTERFACE if path.is_relative_to(INTERFACE) else ROOT.parent
    parts = path.relative_to(base).with_suffix("").parts
    names = parts if base == INTERFACE else ("biasprint", *parts[1:])
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def calls_in(path: Path) -> Iterator[tuple[str, ast.Call, Callable[..., Any]]]:
    """Place, call and function wherever the first argument of `….call(…)` or `called(…)` names a function."""
    text = path.read_text(encoding="utf-8")
    if "call(" not in text and "called(" not in text:
        return
    tree, module = ast.parse(text), module_of(path)
    homes = {node.name: (module, node.name) for node in tree.body if isinstance(node, ast.FunctionDef)}
    homes |= {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("call", "called") and node.args[0].id in homes:
                home, function = homes[node.args[0].id]
                yield f"{module}:{node.lineno}", node, getattr(importlib.import_module(home), function)


@pytest.fixture(scope="module")
def calls() -> list[tuple[str, ast.Call, Callable[..., Any]]]:
    found = [
        call for top in ("core", "desktop") for path in sorted((ROOT / top).rglob("*.py")) for call in calls_in(path)
    ]
    assert len(found) > 50, "the calls are written in another way than this test looks for"
    return found


def test_what_is_called_can_be_imported_by_another_process(calls):
    for place, _, function in calls:
        module, name = worker.place_of(function)
        assert getattr(importlib.import_module(module), name) is function, place


def test_callers_give_what_the_function_takes(calls):
    for place, call, function in calls:
        parameters = inspect.signature(function).parameters
        signature = inspect.Signature([each for each in parameters.values() if each.name != "ctx"])
        given = [each for each in call.args[1:] if not isinstance(each, ast.Starred)]
        try:
            (signature.bind if len(given) == len(call.args) - 1 else signature.bind_partial)(*given)
        except TypeError as error:
            pytest.fail(f"{place}: {error}")
        assert {word.arg for word in call.keywords} <= OF_THE_CALL, place


def test_the_modules_of_what_is_called_are_imported_without_a_heavy_library(calls):
    modules = sorted({function.__module__ for _, _, function in calls})
    script = (
        "import importlib, sys\n"
        f"for name in {modules}: importlib.import_module(name)\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "biasprint" in loaded
    assert not loaded & HEAVY


def test_nobody_calls_a_function_by_a_text(calls):
    places = [
        path.relative_to(ROOT).as_posix()
        for top in ("core", "desktop")
        for path in sorted((ROOT / top).rglob("*.py"))
        if re.search(r"""\.call\(\s*[a-z]?["']""", path.read_text(encoding="utf-8"))
    ]

    assert places == []
