"""Chat template of a model: the text before and after a prompt, worked out once in a sandbox.

A chat template is a program in a model file. It is rendered once for a model in a Jinja environment without files or
objects of the program, with everything it may use on a list, and with bounds on its steps, its texts, its lists and its
numbers, so that none runs on or fills the memory. The bounds are far above what real templates need for one message.

The rendering takes place in a process of its own with limits on memory and time, once for a model: the lists above are
what people thought of. On Windows and macOS, where no limit on memory holds, the lists and the time alone do.

It is rendered with a mark for the prompt. The text around the mark in the result is put around every prompt. So no
prompt meets the template's code. And it is known which part of the text is the template's, where special tokens count,
and which is the prompt's, where they are plain text.
"""

import json
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from jinja2 import ext, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.parser import Parser
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from biasprint.core.backends.llama_cpp import errors
from biasprint.core.machine import child
from biasprint.core.machine.child import limit_this_process
from biasprint.core.machine.processor import is_out_of_memory


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


# ---- The environment

MOST_STEPS = 5_000  # turns of loops, calls, filters, new lists
MOST_SECONDS = 5.0
LONGEST_TEXT = 65_536
MOST_ITEMS = 1_000
_LARGEST_NUMBER = 2**63
_DEEPEST_INDENT = 8
# A template that asks for today's date gets this one: texts of different days must be comparable.
_THE_DAY = date(2024, 7, 26)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OF_TEXTS = _words(
    "capitalize count endswith find index isalnum isalpha isdigit isspace join lower lstrip partition "
    "removeprefix removesuffix replace rfind rpartition rsplit rstrip split splitlines startswith strip "
    "title upper"
)
_OF_LOOPS = _words("changed cycle depth depth0 first index index0 last length nextitem previtem revindex revindex0")
_ATTRIBUTES: dict[type, frozenset[str]] = {
    str: _OF_TEXTS,
    list: frozenset({"count", "index"}),
    tuple: frozenset({"count", "index"}),
    dict: frozenset({"get", "items", "keys", "values"}),
    LoopContext: _OF_LOOPS,
}
_FILTERS = _words(
    "abs capitalize count d default dictsort first float int items last length list lower map max min "
    "reject rejectattr reverse round select selectattr sort sum title trim unique upper wordcount"
)


class TemplateRefused(Exception):
    """Forbidden action of a template, worded as the end of a sentence."""


class LimitedEnvironment(ImmutableSandboxedEnvironment):
    """An environment for one template and one rendering: it counts steps and characters."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})
    code_generator_class = CheckedCode

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,  # else parts would be worked out while compiling, where nothing is counted
            finalize=self._put_out,
            extensions=[_Generation, ext.LoopControlExtension],
        )
        self._steps = 0
        self._characters = 0
        self._until = time.monotonic() + MOST_SECONDS
        own = {"tojson": _as_json, "join": _join, "replace": _replace, "string": _text, "safe": _text}
        self.filters = {name: f if name in _FILTERS else _forbidden(name) for name, f in self.filters.items()} | own
        self.globals = {
            "range": _short_range,
            "namespace": Namespace,
            "dict": dict,
            "raise_exception": _raise,
            "strftime_now": _the_day,
            "_step": self._step,
        }

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        count_steps(tree)
        return tree

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Allow only what is listed above, and what the template itself put into a namespace."""
        if attr.startswith("_"):
            return False
        return isinstance(obj, Namespace) or attr in _ATTRIBUTES.get(type(obj), frozenset())

    def wrap_str_format(self, value: Any) -> None:
        """Give out no formatting of texts: “{:3000000000}” would fill the memory before anything is counted."""
        if getattr(value, "__name__", "") in ("format", "format_map"):
            raise TemplateRefused("it formats a text")

    def is_safe_callable(self, obj: Any) -> bool:
        return True  # nothing else can be reached than the lists above

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Numbers stay small, texts and lists short; “text * number” and “text % values” are refused."""
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        if operator in ("*", "%", "**") and not numbers:
            raise TemplateRefused(f"it uses “{operator}” with something else than numbers")
        if operator == "**" and (abs(left) > 1_000 or abs(right) > 6):
            raise TemplateRefused("it works with impossibly large numbers")
        return self.checked(super().call_binop(context, operator, left, right))

    def call(self, context: Any, obj: Any, *args: Any, **kwargs: Any) -> Any:
        owner, name = getattr(obj, "__self__", None), getattr(obj, "__name__", "")
        if isinstance(owner, str) and name == "replace":
            return self.checked(_replace(owner, *args))
        if isinstance(owner, str) and name == "join":
            return self.checked(_join(args[0] if args else (), owner))
        return self.checked(super().call(context, obj, *args, **kwargs))

    def checked(self, value: Any) -> Any:
        """The value, if it is within bounds; one step."""
        self._step(0)
        if isinstance(value, str):
            if len(value) > LONGEST_TEXT:
                raise TemplateRefused("it makes an impossibly long text")
        elif isinstance(value, int | float):
            if abs(value) > _LARGEST_NUMBER:
                raise TemplateRefused("it works with impossibly large numbers")
        else:
            _items(value, MOST_ITEMS)
        return value

    def joined(self, parts: Iterable[Any]) -> str:
        """Join the parts as “~” does."""
        text: str = self.checked(_join(parts, ""))
        return text

    def _step(self, characters: int) -> None:
        self._steps += 1
        self._characters += characters
        if self._steps > MOST_STEPS or time.monotonic() > self._until:
            raise TemplateRefused("it takes too many steps")
        if self._characters > LONGEST_TEXT:
            raise TemplateRefused("it puts out an impossibly long text")

    def _put_out(self, value: Any) -> Any:
        """Called for every value that is put out, also into a variable."""
        text = value if isinstance(value, str) else _text(value)
        self._step(len(text))
        return text


class _Generation(ext.Extension):
    """{% generation %} … {% endgeneration %} marks what a model is trained on, and puts nothing out itself."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _forbidden(filter_name: str) -> Callable[..., NoReturn]:
    """Return a refusal in place of a filter: a template may have it in a part never reached, such as that for tools."""

    def refuse(*anything: Any, **more: Any) -> NoReturn:
        raise TemplateRefused(f"it uses the filter “{filter_name}”")

    return refuse


def _items(value: Any, most: int) -> int:
    """Count the items in a list or map, and in those within it. Raises `TemplateRefused` beyond `most`."""
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if not isinstance(value, list | tuple):
        return 1
    count = 0
    for item in value:
        count += _items(item, most - count)
        if count > most:
            raise TemplateRefused("it makes an impossibly long list")
    return count + 1


def _text(value: Any) -> str:
    _items(value, MOST_ITEMS)
    return str(value)


def _join(values: Iterable[Any], between: Any = "", attribute: Any = None) -> str:
    if attribute is not None:
        raise TemplateRefused("it joins by attribute")
    parts: list[str] = []
    length = 0
    for value in values:
        parts.append(_text(value))
        length += len(parts[-1]) + len(_text(between))
        if length > 2 * LONGEST_TEXT:
            raise TemplateRefused("it makes an impossibly long text")
    return str(between).join(parts)


def _replace(text: Any, old: Any, new: Any, count: int = -1) -> str:
    whole, old, new = _text(text), _text(old), _text(new)
    if (len(whole) // max(1, len(old)) + 1) * len(new) > LONGEST_TEXT:
        raise TemplateRefused("it makes an impossibly long text")
    return whole.replace(old, new, -1 if count is None else count)


def _as_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, sort_keys: bool = False) -> str:
    _items(value, MOST_ITEMS)
    if indent is not None and not (isinstance(indent, int) and 0 <= indent <= _DEEPEST_INDENT):
        raise TemplateRefused("it indents impossibly far")
    return json.dumps(value, ensure_ascii=bool(ensure_ascii), indent=indent, sort_keys=bool(sort_keys))


def _short_range(*bounds: int) -> range:
    numbers = range(*bounds)
    if len(numbers) > MOST_ITEMS:
        raise TemplateRefused("it counts impossibly far")
    return numbers


def _the_day(form: Any) -> str:
    if not isinstance(form, str) or len(form) > 100:
        raise TemplateRefused("it asks for the date in an impossible form")
    return _THE_DAY.strftime(form)


def _raise(message: Any = "") -> NoReturn:
    raise TemplateRefused(f"it refuses a single message from a user ({' '.join(_text(message)[:200].split())})")


# ---- The template

_MARK = "7b9e1cprompt5d20f"


@dataclass(frozen=True)
class Around:
    """Text put around a prompt. `strips`: the template takes white space off both ends of the prompt."""

    before: str
    after: str
    strips: bool


@lru_cache(maxsize=32)
def around(template: str, begin: str, end: str, system: str = "") -> Around:
    """Render a template with one message from a user and the beginning of an answer.

    `begin`, `end`: the texts of the special tokens. `system`: a message before the user's; empty for none. A template
    may ask for the day: it gets a fixed one. Raises `AppError` for a template that fails, takes too long, or does not
    put the prompt and the system message out once, as they are.
    """
    before, between, after = _rendered_in_child(template, f" {_MARK} ", begin, end, system)
    if system.strip() not in before:
        raise errors.no_system_message()
    if between == f" {_MARK} ":
        return Around(before, after, strips=False)
    if between == _MARK:
        return Around(before, after, strips=True)
    raise errors.bad_template("it does not put the prompt out once, as it is")


ENDED = "it takes more memory or time than a template may"
CHILD_SECONDS = 4 * MOST_SECONDS  # for two renderings, and the start of the process
LONGEST_ANSWER = 32 * LONGEST_TEXT


def _rendered_in_child(template: str, *given: str) -> tuple[str, str, str]:
    """Return what `_rendered` does, of a process that may have been taken over: it answers three texts or a reason."""
    try:
        process, answers = child.start(_render_for, template, *given)
    except OSError as error:
        raise errors.bad_template("no process can be started to render it", str(error)) from error
    ending = threading.Timer(CHILD_SECONDS, process.kill)
    ending.start()
    try:
        answer = json.loads(answers.recv_bytes(LONGEST_ANSWER))
    except (EOFError, OSError) as error:
        raise errors.bad_template(ENDED, str(error)) from error
    except (ValueError, RecursionError) as error:
        raise errors.bad_template("it makes no text", str(error)) from error
    finally:
        ending.cancel()
        process.kill()
        process.wait()
        answers.close()
    match answer:
        case [str(before), str(between), str(after)]:
            return before, between, after
        case {"why": str(why), "details": str(details)}:
            raise errors.bad_template(" ".join(why.split()), details)
    raise errors.bad_template("it makes no text")


def _render_for(parent: Connection, template: str, *given: str) -> None:
    limit_this_process()
    answer: object
    try:
        answer = _rendered(template, *given)
    except TemplateRefused as refused:
        answer = {"why": str(refused), "details": repr(refused.__cause__ or refused)}
    parent.send_bytes(json.dumps(answer).encode())


def _rendered(template: str, prompt: str, begin: str, end: str, system: str) -> tuple[str, str, str]:
    """Return the text before the prompt, the prompt as it came out, and the text after it."""
    bare = render(template, _MARK, begin, end, system)
    text = render(template, prompt, begin, end, system)
    if bare.count(_MARK) != 1 or text.count(_MARK) != 1:
        raise TemplateRefused("it does not put the prompt out once, as it is")
    before, after = bare.split(_MARK)
    if not (text.startswith(before) and text.endswith(after)):
        raise TemplateRefused("it does not put the prompt out once, as it is")
    return before, text[len(before) : len(text) - len(after)], after


def render(template: str, prompt: str, begin: str, end: str, system: str = "") -> str:
    """One rendering, within bounds. Raises `TemplateRefused`, whatever the template does."""
    environment = LimitedEnvironment()
    first = [{"role": "system", "content": system}] if system else []
    try:
        return environment.from_string(template).render(
            messages=[*first, {"role": "user", "content": prompt}],
            add_generation_prompt=True,
            bos_token=begin,
            eos_token=end,
            tools=None,
            functions=None,
            documents=None,
        )
    except TemplateRefused:
        raise
    except RecursionError as error:
        raise TemplateRefused("it is nested too deeply") from error
    except Exception as error:  # a template is a stranger's program: anything may come of it
        raise TemplateRefused(ENDED if is_out_of_memory(error) else f"it fails ({_one_line(error)})") from error


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
