"""Chat templates: real ones put around a prompt what they should, hostile ones give one sentence, at once."""

import time
from collections.abc import Callable

import child_facts
import pytest
from seeded_part import seeded_part

from biasprint.core.backends.llama_cpp import template
from biasprint.core.backends.llama_cpp.template import Around, around, render
from biasprint.core.errors import AppError

PROMPT = "{{ messages[0].content }}"
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + "
    "'\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
WITH_A_SYSTEM = """{%- if messages[0]['role'] == 'system' %}
    {%- set system = messages[0]['content'] | trim %}
    {%- set rest = messages[1:] %}
{%- else %}
    {%- set system = 'Be brief.' %}
    {%- set rest = messages %}
{%- endif %}
{{- bos_token + '[S]' + system + '[/S]' }}
{%- set ns = namespace(turns=0) %}
{%- for message in rest %}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Roles must take turns.') }}
    {%- endif %}
    {%- set ns.turns = ns.turns + 1 %}
    {{- '[U]' ~ message.content.strip() ~ '[/U]' }}
{%- endfor %}
{%- if tools is not none %}{{ tools | tojson(indent=4) }}{% endif %}
{{- '[' ~ ns.turns ~ ']' }}"""
WITH_A_DATE = "{{ strftime_now('%d %b %Y') }}|" + PROMPT
WITH_A_MACRO = (
    "{% macro turn(text) %}[{{ text }}]{% endmacro %}{{ turn(messages[0].content) }}"
    "{% for i in range(5) %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}"
    "{% generation %}!{% endgeneration %}"
)
WITH_TOOLS = """{%- macro shown(content) -%}
    {%- if content is string -%}{{ content }}
    {%- elif content is iterable and content is not mapping -%}
        {%- for part in content if part.type == 'text' %}{{ part.text }}{% endfor -%}
    {%- endif -%}
{%- endmacro -%}
{%- if tools %}{% for tool in tools %}{{ tool | tojson | indent(4) }}{% endfor %}{% endif -%}
{%- set users = messages | selectattr('role', 'equalto', 'user') | list %}
{%- set kept = [] %}
{%- for message in messages %}
    {%- if not message.get('tool_calls') and message.role not in ['tool'] %}{% set kept = kept + [message] %}{% endif %}
{%- endfor %}
{%- for message in messages -%}
    [{{ 'last ' if message == users[-1] }}{{ message.role | upper }}]{{ shown(message.content) }}
    {{- '/short' if thinking is defined and not shown(message.content).endswith('/short') else '' }}
{%- endfor %}
{%- if add_generation_prompt %}[ASSISTANT]{{ users | length }}{% endif %}"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WITH_TOOLS, Around("[last USER]", "[ASSISTANT]1", strips=False)),
        (CHATML, Around("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n", strips=False)),
        (WITH_A_SYSTEM, Around("<s>[S]Be brief.[/S][U]", "[/U][1]", strips=True)),
        (WITH_A_DATE, Around("26 Jul 2024|", "", strips=False)),
        (WITH_A_MACRO, Around("[", "]01!", strips=False)),
        ("{% for m in messages %}\n  {% if m %}\n{{ m.content }}</s>\n{% endif %}\n{% endfor %}",
         Around("", "</s>\n", strips=False)),
    ],
)  # fmt: skip
def test_templates_as_models_have_them(text: str, expected: Around) -> None:
    assert around(text, "<s>", "</s>") == expected


def test_a_system_message_comes_out_before_the_prompt_or_is_refused() -> None:
    assert around(CHATML, "", "", "Be brief.").before == "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n"
    with pytest.raises(AppError, match="leaves the system message out"):
        around("{{ messages[-1].content }}", "", "", "Be brief.")
    with pytest.raises(AppError, match="cannot be used"):
        around(
            "{% if messages[0].role != 'user' %}{{ raise_exception('No.') }}{% endif %}" + PROMPT, "", "", "Be brief."
        )


def test_the_prompt_itself_never_meets_the_template_language() -> None:
    assert around(CHATML, "", "") == around(CHATML, "{{ 7 * 7 }}", "")
    assert render(PROMPT, "{{ 7 * 7 }}{% raw %}", "", "") == "{{ 7 * 7 }}{% raw %}"


def nested(step: str, start: str, end: str, times: int = 40) -> str:
    """Straight-line code that doubles something again and again."""
    return start + "".join(step.replace("OLD", f"a{n}").replace("NEW", f"a{n + 1}") for n in range(times)) + end


MANY = "{% for i in range(100) %}"
HOSTILE = {
    "a long text at once": "{{ 'a' * 10**10 }}",
    "a large power": "{{ 10 ** 10 ** 10 }}",
    "a large product": f"{{% set ns = namespace(x=7) %}}{MANY}{{% set ns.x = ns.x * ns.x %}}{{% endfor %}}",
    "loops in loops": "{% for i in range(900) %}{% for j in range(900) %}{% for k in range(900) %}x"
    "{% endfor %}{% endfor %}{% endfor %}",
    "a long range": "{% for i in range(10 ** 6) %}{% endfor %}",
    "doubling by ~": f"{{% set ns = namespace(x='ab') %}}{MANY}{{% set ns.x = ns.x ~ ns.x %}}{{% endfor %}}",
    "doubling by +": f"{{% set ns = namespace(x='ab') %}}{MANY}{{% set ns.x = ns.x + ns.x %}}{{% endfor %}}",
    "doubling in a block": "{% set x %}abc{% endset %}" + "{% set x %}{{ x }}{{ x }}{% endset %}" * 40,
    "doubling a list": f"{{% set ns = namespace(x=[1]) %}}{MANY}{{% set ns.x = ns.x + ns.x %}}{{% endfor %}}",
    "lists in lists": nested("{% set NEW = [OLD, OLD] %}", "{% set a0 = [1] %}", "{{ a40 }}"),
    "tuples compared": nested("{% set NEW = (OLD, OLD) %}", "{% set a0 = (1, 2) %}", "{{ a40 == a39 }}"),
    "maps in maps": nested("{% set NEW = {'a': OLD, 'b': OLD} %}", "{% set a0 = {} %}", "{{ a40 | tojson }}"),
    "maps by dict": nested("{% set NEW = dict(a=OLD, b=OLD) %}", "{% set a0 = 1 %}", "{{ a40 | string }}"),
    "growing by replace": "{% set b = 'a' ~ 'aaaaaaaaaaaaaaaa' %}" + "{% set b = b.replace('a', b) %}" * 12,
    "growing by a filter": "{% set b = 'aaaaaaaaaaaaaaaa' %}" + "{% set b = b | replace('a', b) %}" * 12,
    "growing by join": "{% set b = 'aaaaaaaaaa' %}" + "{% set b = b.join(b) %}" * 12,
    "macros in macros": nested(
        "{% macro NEW() %}{{ OLD() }}{{ OLD() }}{% endmacro %}", "{% macro a0() %}abc{% endmacro %}", "{{ a40() }}"
    ),
    "a macro without end": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "a loop without end": "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "plain text often": "{% for i in range(900) %}{% set x %}" + "a" * 60_000 + "{% endset %}{% endfor %}",
    "many filters": "{{ (range(90) | map('string') | list) | map('upper') | join(',') | length }}" * 1_500,
    "deep brackets": "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}",
    "deep blocks": "{% if 1 %}" * 3_000 + "{% endif %}" * 3_000,
    "deep loops": "{% for i in [1] %}" * 150 + "{% endfor %}" * 150,
    "wide format by a method": "{{ '{:3000000000}'.format(1) }}",
    "wide format by a map": "{{ '{a:3000000000}'.format_map({'a': 1}) }}",
    "wide format": "{{ '%0999999999d' % 1 }}",
    "wide centre": "{{ 'a' | center(10 ** 9) }}",
    "wide method": "{{ 'a'.ljust(10 ** 9) }}",
    "wide indent": "{{ [1] | tojson(indent=1000000000) }}",
    "changing a list": "{{ messages.append(1) }}",
    "classes": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "classes by filter": "{{ '' | attr('__class__') }}",
    "the program": "{{ raise_exception.__globals__['os'].system('touch CANARY') }}",
    "the context": "{{ self._TemplateReference__context.environment.globals.x.y }}",
    "a file": "{% include '/etc/passwd' %}",
    "a module": "{% import 'os' as os %}",
    "bad syntax": "{% for %}",
    "an error": "{{ 1 + 'a' }}",
    "a refusal": "{{ raise_exception('Not\nlike this.') }}",
}  # fmt: skip


@pytest.mark.parametrize("name", ["wide format by a method", *seeded_part(HOSTILE, 12)])
def test_a_hostile_template_gives_one_sentence_within_seconds(name: str) -> None:
    began = time.process_time()
    with pytest.raises(AppError) as refused:
        around(HOSTILE[name] + PROMPT, "<s>", "</s>")
    assert time.process_time() - began < 10
    assert refused.value.message.startswith("The chat template in the model file cannot be used: ")
    assert refused.value.message.endswith(".")
    assert "\n" not in refused.value.message
    assert "chat_template" in refused.value.hint


@pytest.mark.parametrize(
    "text",
    ["nothing", PROMPT + PROMPT, "{{ messages[0].content | upper }}", "{{ messages[0].content | length }}"],
)
def test_a_template_that_does_not_put_the_prompt_out_once_as_it_is_is_refused(text: str) -> None:
    with pytest.raises(AppError, match="does not put the prompt out once"):
        around(text, "", "")


@pytest.mark.parametrize(
    "trick",
    [child_facts.take_much_memory, child_facts.never_end, child_facts.end_at_once, child_facts.answer_with_a_list],
)
def test_whatever_gets_past_the_lists_ends_with_its_process(
    trick: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(template, "CHILD_SECONDS", 5.0)
    monkeypatch.setattr(template, "_render_for", trick)

    with pytest.raises(AppError, match=r"more memory or time than a template may|it makes no text"):
        around(f"{PROMPT} {trick.__name__}", "", "")


def test_a_model_is_opened_again_without_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    first = around(CHATML, "<s>", "")
    monkeypatch.setattr(template.child, "start", None)

    assert around(CHATML, "<s>", "") is first
