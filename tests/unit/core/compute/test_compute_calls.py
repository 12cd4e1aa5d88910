"""Every function that is called across the border is there, takes what its callers give, and has one name."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

from biasprint.core.compute import calls

ROOT = Path(calls.__file__).parents[2]
TARGETS = {name: value for name, value in vars(calls).items() if isinstance(value, str) and not name.startswith("__")}
PATHS = [path for top in ("core", "desktop") for path in sorted((ROOT / top).rglob("*.py"))]
# What `ComputeProcess.call` takes for itself; `ctx` is given to the function in the child.
OF_THE_CALL = {"ctx", "on_report", "on_partial", "timeout"}


def function(target: str):
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def callers() -> list[tuple[str, ast.Call]]:
    """File and call wherever the first argument is a name of `calls`."""
    texts = {path: path.read_text(encoding="utf-8") for path in PATHS}
    return [
        (f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", node)
        for path, text in texts.items()
        if "calls." in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and node.args and _name(node.args[0])
    ]


def _name(node: ast.expr) -> str:
    at = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "calls"
    return node.attr if at else ""


def test_what_is_called_is_there():
    assert all(callable(function(target)) for target in TARGETS.values())


def test_at_run_time_each_name_is_what_it_is_to_the_type_checker():
    tree = ast.parse(Path(calls.__file__).read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name: f"{node.module}:{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for alias in node.names
    }

    assert imported == TARGETS


def test_callers_give_what_the_function_takes():
    for place, call in callers():
        parameters = inspect.signature(function(TARGETS[_name(call.args[0])])).parameters
        signature = inspect.Signature([each for each in parameters.values() if each.name != "ctx"])
        given = [each for each in call.args[1:] if not isinstance(each, ast.Starred)]
        named = {word.arg: word for word in call.keywords if word.arg and word.arg not in OF_THE_CALL}
        opened = len(given) < len(call.args) - 1 or any(word.arg is None for word in call.keywords)
        try:
            (signature.bind_partial if opened else signature.bind)(*given, **named)
        except TypeError as error:
            pytest.fail(f"{place}: {error}")


def test_each_is_called_somewhere():
    assert {_name(call.args[0]) for _, call in callers()} == set(TARGETS)


def test_no_caller_names_a_function_by_a_text_of_its_own():
    places = [
        f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"
        for path in PATHS
        if re.search(r"\.call\(\s*[\"']", text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
        if isinstance(node.func, ast.Attribute)
        and node.func.attr == "call"
        and str(node.args[0].value).startswith("biasprint.core.")
    ]

    assert places == []
