"""What prompts have in common: the names of fields in place of what changes."""

from biasprint.core.project.specs import PromptSpec
from biasprint.core.prompts.template import prompt_patterns


def letter(
    name: str, age: str, text: str = "A letter for {name}, a {age} year old student; {name} is he."
) -> PromptSpec:
    fields = {"name": name, "age": age, "pronouns": "he", "block": f"student/{age}", "group": "male"}
    return PromptSpec(key=f"{name}/{age}", text=text.format(name=name, age=age), fields=fields)


def test_prompts_of_one_template_have_one_pattern_with_their_number() -> None:
    prompts = [letter("Joseph", "20"), letter("Joseph", "30"), letter("Kelly", "20")]
    assert prompt_patterns(prompts) == {"A letter for {name}, a {age} year old student; {name} is {pronouns}.": 3}


def test_the_article_before_a_value_makes_no_other_pattern() -> None:
    prompts = [
        letter("Joseph", "20"),
        letter("Joseph", "80", "A letter for {name}, an {age} year old student; {name} is he."),
    ]
    assert prompt_patterns(prompts) == {"A letter for {name}, a {age} year old student; {name} is {pronouns}.": 2}


def test_a_value_is_a_word_and_never_a_part_of_one_and_signs_are_no_pattern() -> None:
    prompt = PromptSpec(key="a", text="Anna, Ann and A.n (Annex)", fields={"name": "Ann", "other": "A.n", "short": "x"})
    assert prompt_patterns([prompt]) == {"Anna, {name} and {other} (Annex)": 1}


def test_task_theme_and_identity_are_named_and_a_prompt_without_fields_stands_as_it_is() -> None:
    one = PromptSpec(key="a", text="Being man, write a haiku about truth", task="haiku", theme="truth", identity="man")
    assert prompt_patterns([one, PromptSpec(key="b", text="Write.")]) == {
        "Being {identity}, write a {task} about {theme}": 1,
        "Write.": 1,
    }
