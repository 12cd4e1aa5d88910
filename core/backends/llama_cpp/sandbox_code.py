"""How templates from strangers are compiled: what makes a value passes a check, and what repeats takes a step."""

from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame


class CheckedCode(CodeGenerator):
    """Generates the usual code with `environment.checked(…)` around results of filters and around new values."""

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:
        self._checked(super().visit_Filter, node, frame)

    def visit_List(self, node: nodes.List, frame: Frame) -> None:
        self._checked(super().visit_List, node, frame)

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:
        self._checked(super().visit_Dict, node, frame)

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:
        if node.ctx == "load":
            self._checked(super().visit_Tuple, node, frame)
        else:
            super().visit_Tuple(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.write("environment.joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def _checked(self, usual: Any, node: nodes.Node, frame: Frame) -> None:
        self.write("environment.checked(")
        usual(node, frame)
        self.write(")")


def count_steps(tree: nodes.Template) -> None:
    """Put `{% do _step(characters) %}` in front of every body that may run often; characters: of its plain text."""
    for node in list(tree.find_all((nodes.For, nodes.Macro, nodes.CallBlock))):
        written = sum(len(data.data) for data in node.find_all(nodes.TemplateData))
        line = {"lineno": node.lineno}
        called = nodes.Call(nodes.Name("_step", "load", **line), [nodes.Const(written, **line)], [], None, None, **line)
        step = nodes.ExprStmt(called, **line)
        step.environment = called.environment = tree.environment
        node.body.insert(0, step)  # type: ignore[attr-defined] # each of the three has a body
