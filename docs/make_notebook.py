"""Run docs/how-to/use-from-python.ipynb and keep what its cells give.

    python docs/make_notebook.py

No Jupyter is needed: a cell's last expression is its result, as text and, where it has one, as HTML.
"""

import ast
import contextlib
import copy
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent / "how-to" / "use-from-python.ipynb"


def run_anew(notebook: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs that its cells give now, in the folder that is the current one."""
    made = copy.deepcopy(notebook)
    cells = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    for count, cell in enumerate(cells, start=1):
        cell["execution_count"] = count
        cell["outputs"] = _outputs("".join(cell["source"]), names, count)
    return made


def _outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    body = ast.parse(source).body
    last = ast.Expression(body.pop().value) if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        value = eval(compile(last, "<cell>", "eval"), names) if last is not None else None
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        html = getattr(value, "_repr_html_", lambda: None)()
        data = ({"text/html": _lines(html)} if html else {}) | {"text/plain": _lines(repr(value))}
        found.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    here = Path.cwd()
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory(prefix="biasprint-") as folder:
        os.chdir(folder)
        try:
            made = run_anew(notebook, names)
            names["project"].close()
        finally:
            os.chdir(here)
    NOTEBOOK.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{NOTEBOOK.name}: {sum(len(cell.get('outputs', ())) for cell in made['cells'])} outputs")


if __name__ == "__main__":
    main()
