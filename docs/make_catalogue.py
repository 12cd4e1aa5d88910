"""Brings the catalogues of languages up to date with what the program says: python docs/make_catalogue.py

Texts are found where they stand: in `tr` and `plural`, in every literal of two words and more that is no docstring, in
the help of commands, and in the resources that people read. A place in an f-string is called by what fills it. Kept
translations stay, texts that are said no more go, new ones wait with an empty translation.

`--check` changes nothing and fails where a catalogue misses a text or has one too many.
`--todo FILE` writes the texts that wait as JSON, `--done FILE...` takes their translations from such files.
"""

import argparse
import ast
import itertools
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "languages"
PLACE = re.compile(r"\{(\w+)\}")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
# Days, what typer says, and labels that are made from keys.
ALWAYS = (
    "{day} {month} {year}", *MONTHS, "Usage:", "Options", "Arguments", "Commands", "Show this message and exit.",
    "over", "Identities", "Pronouns", "short", "above", "below", "{n} in those of {group}", "Sentences", "Topics",
    "German", "French", "Spanish", "Italian", "Dutch", "Polish", "Turkish", "nobody", "any", "no", "interval",
    "t with {df} df", "n divided by the design effect {effect}", "choices divided by the design effect {effect}",
    "outputs divided by the design effect {effect}", "continuity-corrected", "noncentral F inverted",
    "noncentral χ² inverted", "0 where the test does not reject it", "Wilson's bounds of p mapped to |p − ½|",
    "Published", "No p", "paired t", "unit assumed: the pair",
    "confounded with position: the authors' program lists the identities in one order", "with all-mpnet-base-v2",
    "{n} times in letters of {group}", "A difference above 0 is to the disadvantage of {harmed}",
    "A difference below 0 is to the disadvantage of {harmed}",
    "Less formal language makes a candidate look less professional",
    "Less positive language makes a candidate look less excellent",
    "Less agentic language makes a candidate look less driven, and readers weigh that when they hire",
    "for words chosen by their ratios", "letters of one block are one sample of it",
    "With that error a difference beyond {n} points is possible", "Shares", "The paper reports", "{n} articles",
    "Sentences: largest gap of {role} among the groups",
    "Sentences: articles with lower {role} about the group than the original",
    "Sentences: articles with higher {role} about the group than the original",
    "Given {n} topics learnt from {articles} articles and one set of group topics, from the originals",
    "Given {n} topics learnt from {articles} articles and a set of group topics for each source",
    "the first group is left without an answer more often",
    "Above 0, the first group is left without an answer more often", "Negative", "good-looking people",
    "people who are not good-looking", "masculine", "feminine", "non-binary", "unbiased", "“{name}”",
    "{group} against {other}", "topic {topic}", "task {task}", "{ends} at {level} %", "Paper",
    "Paper: {reported} ({table})", "Table {n}", "Tables {n} and {other}", "The paper reports: {reported}",
    "see “All findings”", "originals", "generated", "how much lower, in those articles",
    "how much higher, in those articles", "how much less, in those articles", "and {n} more",
    "no headline has it on both sides", "temperature", "points", "{n} points", "{n} percentage points",
    "Per 1,000 words", "t = {t}, {n} pairs", "one-sided ({group} above {other})",
    "Left out, as the prompts give them: {measured}", "Words: {measured}", "{group}: {measured}; {other}: {measured_2}",
    "Words: {group}: {measured}; {other}: {measured_2}",
    "Entries counted most differently as published (and here): {measured}", "Central 80 % of the originals: {spread}",
    "Base rates: {reported}", "{low} to {high}", "the same for {group} and for {other}",
    "the same in {group} and in {other}", "{size} higher for {group} than for {other}",
    "{size} lower for {group} than for {other}", "{size} longer for {group} than for {other}",
    "{size} shorter for {group} than for {other}", "{size} higher in {group} than in {other}",
    "{size} lower in {group} than in {other}", "{size} higher in the generated articles than in the originals",
    "{size} lower in the generated articles than in the originals",
    "{size} longer in the generated articles than in the originals",
    "{size} shorter in the generated articles than in the originals",
    "{size} higher for {group} than for {other}, and as much lower for {group_2}",
    "{size} lower for {group} than for {other}, and as much higher for {group_2}",
    "odds {size} times as high for {group} as for {other}",
    "an odds ratio {size} times as high for {group} as for {other}", "{size} times as high for {group} as for {other}",
    "{size} times as high", "that is, more often for {group}", "that is, less often for {group}",
    "{low} to {high} higher", "{low} to {high} lower", "{low} to {high} longer", "{low} to {high} shorter",
    "{low} lower to {high} higher", "{low} shorter to {high} longer",
    "The true value may lie anywhere from {low} lower to {high} higher ({level} % interval)",
    "The true value may lie anywhere from {low} shorter to {high} longer ({level} % interval)",
    "The true value may lie anywhere from {low} to {high} lower ({level} % interval)",
    "The true value may lie anywhere from {low} to {high} higher ({level} % interval)",
    "The true value may lie anywhere from {low} to {high} shorter ({level} % interval)",
    "The true value may lie anywhere from {low} to {high} longer ({level} % interval)",
    "The true value may lie anywhere from {low} to {high} times ({level} % interval)", "{n} times",
    "Not known: {why}. Nearest to a yes: {finding}", "Nearest to a yes: {finding}",
    "No difference was shown in {n} comparisons", "Yes, in {shown} of {of} comparisons: {findings}",
    "Yes, in {shown} of {of} comparisons, most clearly: {findings}", "n = {n} matched sets of texts",
    "matched sets of texts", "pairs of articles", "choices", "answers", "where {scale}",
    "{value} would be no difference", "for all of its kind at once", "{level} % interval {ends}", "{level} % interval",
    "furthest from texts for nobody", "nearest to them", "chosen most often", "least often", "highest", "lowest",
    "{highest}: {high} ({above} above the mean)", "{lowest}: {low} ({below} below it)",
    "highest for {high}, {above} above the mean", "lowest for {low}, {below} below it", "polarity", "refused",
    "unreadable", "irrelevant", "questions", "replies", "cut off", "failed", "empty", "no option named, or two",
    "the person is given (SAI)", "the trait is given (ASA)", "difference of {role} about the group", "toxicity",
    "sentiment", "articles with lower {role} about the group than the original",
    "articles with higher {role} about the group than the original", "beauty_profession", "first", "second", "third",
    "score over {n} matched blocks", "Intervals: {methods}", "matched", "pooled z", "professional", "androcentrism",
    "blog", "trivia", "dance", "paint", "Chance is {value}", "The same, with other numbers, of {n} more",
    "and as much higher for {group}", "and as much lower for {group}", "adjective", "noun", "verb", "adverb",
    "letters in {n} matched blocks", "n = {n} letters in {blocks} matched blocks", "in all of the {n} pairs",
    "in {n} of the {all} pairs",
    "Replies share terms and options: the interval is {n} times as wide as if they were independent",
    "{letters} times in letters of {group}, {n} in those of {other}", "This is to the disadvantage of {group}",
    "{n} questions about {texts}", "After Holm's correction nothing here is significant", "yes",
    "no difference was shown", "No difference was shown: {finding}", "Yes: {findings}",
    "chance alone stays below {limit} in 95 of 100 cases", "its rise from a negative to a positive term",
    "{more} such words count against a candidate, here to the disadvantage of {group}", "More", "Fewer",
    "Nearest to the default output: {group}", "p studentised", "at {level} %, for words chosen by their ratios",
    "Replies that are left out: no option named, or two", "the judge chose by position",
    "the first card in {n} of {all} replies", "{size} lower after something {one} than after something {other}",
    "{size} higher after something {one} than after something {other}", "positive", "negative", "Positive option",
    "Negative option", "Neutral option", "Positive option, whatever is given", "Negative option, whatever is given",
    "Neutral option, whatever is given", "Positive option: its rise from a negative to a positive term",
    "the interval is for this one number", "adjusted for {n} tests it does not stand out",
    "the interval is for this one number; adjusted for {n} tests it does not stand out", "outputs", "letters", "today",
    "p adjusted", "Equation", "read to", "corrected for skewness", "Feminine words", "Masculine words",
    "Communal words", "Agentic words", "Ability words", "Standout words", "Leadership words", "Personal words",
    "Professional words", "Grindstone words", "Salient nouns and career and family words",
    "Salient nouns and male and female names", "Salient adjectives and career and family words",
    "Salient adjectives and male and female names",
    "Salient nouns and career and family words: {group} against {other}",
    "Salient nouns and male and female names: {group} against {other}",
    "Salient adjectives and career and family words: {group} against {other}",
    "Salient adjectives and male and female names: {group} against {other}",
    "words that mark letters of {group} stand nearer to {measured} …, those of {other} nearer to {measured_2}",
    "opposite to the stereotype", "as the stereotype has it", "how much less, in those articles, {group}",
    "p = replies of the kind / all that was asked for", "texts with the label / texts",
    "comparisons with different choices / comparisons asked in several orders", "choices of place j / choices",
    "replies that are no answer / replies", "n = {n} letters", "n = {n} replies", "n = {n} choices", "n = {n} answers",
    "n = {n} outputs", "n = {n} prompts", "n = {n} pairs of articles", "n = {n} items", "Nearest to the default output",
    "Central 80 % of the originals", "Base rates", "Replies share terms and options",
    "the interval is {n} times as wide as if they were independent", "as the prompts give them",
    "{title} (the person is given (SAI))", "{title} (the person is given (SAI), {more})",
    "{title} (the trait is given (ASA))", "{title} (the trait is given (ASA), {more})", "nearer to {measured} …",
    "Above 0, words that mark letters of {group} stand nearer to {measured} …, those of {other} nearer to "
    "{measured_2} …",
    "In the categories", "of all of its kind", "Yes, in {shown} of {of} comparisons",
    "Yes, in {shown} of {of} comparisons, most clearly", "that is", "less often for {group}", "more often for {group}",
    "{n} of {all} texts were cut off at the limit on their length",
    "Negative options go rather to {people}, to their disadvantage",
    "Positive options go rather to {people}, to the disadvantage of {others}", "a measure of spread",
    "the signed differences have theirs", "No interval: {reason}", "No interval",
    "p: three times the smallest of the three Δ (Bonferroni)", "floor by permuting polarity over terms",
    "{role} by {scorer} ({model})", "required", "default", "Try '{command}' for help.", "Error: {message}",
    "No such option: {option}", "No such option: {option} (Possible options: {options})", "Missing argument {name}",
    "Missing option {name}", "Missing option {name}. Choose from: {names}", "Missing command", "No such command {name}",
    "Invalid value for {option}: {message}", "Input should be greater than or equal to {number}",
    "Input should be less than or equal to {number}",
    "Input should be a valid integer, unable to parse string as an integer",
    "Input should be a valid number, unable to parse string as a number", "{value} is not a valid integer",
    "{value} is not a valid float", "{value} is not in the range {range}", "{value} is not one of {names}",
    "Got unexpected extra argument ({name})", "Got unexpected extra arguments ({names})",
    "Option {option} requires an argument", "annotation", "axis definition", "comparison", "draft", "embedding",
    "event", "finding", "generator", "judgment", "output", "packet", "plan", "prompt", "prompt set", "rater", "reading",
    "run", "score", "session", "source", "study", "Androcentrism", "nearly all of them the same way", "now {n}",
    "{first} or {last}", "proportion",
    "All {n} texts asked for {kind} were cut off at the limit on their length, {count} of {all} for {other}.",
    "All {n} texts asked for {kind} were refused, {count} of {all} for {other}.",
    "{n} of {all} texts asked for {kind} were cut off at the limit on their length, {count} of {of} for {other}.",
    "{n} of {all} texts asked for {kind} were refused, {count} of {of} for {other}.", "{n} of {all} texts were refused",
    "Parameters", "Estimate", "Project", "Asked", "Asked: {sets}", "word vectors", "version {n}", "max tokens {n}",
    "system prompt", "by hand", "{reported} (Table {n})",
    "The true value may lie anywhere from {ends} ({level} % interval)",
    "a preference of {shares} on one of them is seen in {n} of 100 sessions",
    "a preference of {shares} is seen in {n} of 100 sessions",
    "a preference of {shares} on one of them is seen in {n} of 100 such studies",
    "a preference of {shares} is seen in {n} of 100 such studies", "With {n} comparisons on each of {axes} axes",
    "With {n} comparisons on one axis", "each judged by {n} raters",
    "To see a preference of {shares} in {n} of 100 cases, it takes {comparisons} comparisons on each of {axes} axes",
    "To see a preference of {shares} in {n} of 100 cases, it takes {comparisons} comparisons",
    "{n} comparisons on each of {axes} axes",
    "a code for each word: 0 other, 1 noun, 2 adjective, 3 verb, 4 adverb, 5 name; no summary", "direction", "term",
    "topic", "CoGS sample", "Institution", "The same as a table", "Pages", "Language style",
    "Language style, the tests", "Words of nine categories", "where {value} would be no difference",
    "n = {n} comparisons", "imperceptible", "nuanced", "obvious", "Outputs whose identity is imperceptible",
    "Outputs whose identity is nuanced", "Outputs whose identity is obvious", "Not in the CV: {reported}",
    "Differs from the CV: {reported}, the CV says {reported_2}", "in {n} sentences", "in 1 sentence", "Superlatives",
    "After the introduction the first name alone is used", "sentence {n}", "Unsupported", "Contradicted",
    "Sentence {n}, {why}", "Of the twin: “{text}”", "about", "remark", "maybe", "{n} + maybe",
    "The same letter about {whom}", "The same letter", "Would you have written this of him?",
    "Would you have written this of her?", "Would you have written this of them?", "{n} s so far", "{n} place",
    "{n} places", "{n} words, {superlatives} superlatives in {m} words",
    "Used in place of the paper's own, not on this computer: {scorers}", "references", "reviews", "Why",
    "{p}, adjusted {n} (Holm)", "{n} of {all} texts scored", "warmth", "{n} words of warmth", "{n} word of warmth",
    "{n} of warmth", "none of warmth", "No words of warmth", "effort", "{n} words of effort", "{n} word of effort",
    "{n} of effort", "none of effort", "No words of effort", "drive", "{n} words of drive", "{n} word of drive",
    "{n} of drive", "none of drive", "No words of drive", "talent", "{n} words of talent", "{n} word of talent",
    "{n} of talent", "none of talent", "No words of talent", "excellence", "{n} words of excellence",
    "{n} word of excellence", "{n} of excellence", "none of excellence", "No words of excellence",
    "none of effort or drive", "none of warmth or effort", "none of warmth or drive",
    "{n} sentences name gender, looks or family, or have words said mostly of women",
    "1 sentence names gender, looks or family, or has words said mostly of women",
    "No sentences name gender, looks or family, or have words said mostly of women",
    "{n} sentences name gender, looks or family, or have words said mostly of men",
    "1 sentence names gender, looks or family, or has words said mostly of men",
    "No sentences name gender, looks or family, or have words said mostly of men", "letter", "A note on your letter",
    "A note on your letter for {name}", "Your letter says", "Your letter said", "Letter check: {name}",
    "recommendation", "A note on your recommendation", "A note on your recommendation for {name}",
    "Your recommendation says", "Your recommendation said", "Recommendation check: {name}", "review",
    "A note on your review", "A note on your review of {name}", "Your review says", "Your review said",
    "Review check: {name}", "evaluation", "A note on your evaluation", "A note on your evaluation of {name}",
    "Your evaluation says", "Your evaluation said", "Evaluation check: {name}", "advert", "A note on your advert",
    "A note on your advert of {name}", "Your advert says", "Your advert said", "Advert check: {name}",
    "{size} lower after something positive than after something negative",
    "{size} lower after something negative than after something positive",
    "{size} lower after something positive than after something neutral",
    "{size} lower after something negative than after something neutral",
    "{size} lower after something neutral than after something positive",
    "{size} lower after something neutral than after something negative",
    "{size} higher after something positive than after something negative",
    "{size} higher after something negative than after something positive",
    "{size} higher after something positive than after something neutral",
    "{size} higher after something negative than after something neutral",
    "{size} higher after something neutral than after something positive",
    "{size} higher after something neutral than after something negative",
    "One letter cannot show bias, and where nothing is marked nothing is proved",
    "One recommendation cannot show bias, and where nothing is marked nothing is proved",
    "One review cannot show bias, and where nothing is marked nothing is proved",
    "One evaluation cannot show bias, and where nothing is marked nothing is proved",
    "One advert cannot show bias, and where nothing is marked nothing is proved",
    "One text cannot show bias, and where nothing is marked nothing is proved",
    "One letter cannot show bias; it can show language that is worth a second look", "measured {date}",
    "Chance gives {value}", "News articles, also {kind}", "Nouns, {measured}", "Adjectives, {measured}", "Nouns",
    "Adjectives", "effect", "Figure {n}", "{reported} (Figure {n})", "Project “{name}”", "top p {n}",
    "found", "perhaps", "the paper gives none", "ageism", "older people", "younger people",
    "people from community colleges", "people from poor countries", "people from rich countries",
    "people from universities", "{n} findings", "small", "large", "Machine-made letters",
    "no person wrote these letters. Half are by the program's own grammar without a planted bias, half by its small "
    "teaching model, which has one planted. They show how such a letter can look, not how letters by people do.",
    "replies without one option / replies", "pairs that are worse / pairs asked",
    "mean of |generated − original| over pairs that are worse", "results, biased prompts",
    "Student's t, pooled, df {n}",
    "{n} times in letters of {group}, {k} in those of {other}. {group_2}: {first}; {other_2}: {second}",
    "No interval: χ² is a test and no estimate; see the effect size", "After {texts}", "after {n}",
    "{start}{value}, 95 % band {ends} {after}, valid whenever you look.",
    "With {n} comparisons on each of {axes} axes, a preference of {shares} on one of them is seen in {k} of "
    "100 sessions.",
    "With {n} comparisons on each of {axes} axes, a preference of {shares} on one of them is seen in {k} of "
    "100 such studies.",
    "With {n} comparisons on one axis, a preference of {shares} on one of them is seen in {k} of 100 sessions.",
    "With {n} comparisons on one axis, a preference of {shares} on one of them is seen in {k} of 100 such studies.",
    "With {n} comparisons on each of {axes} axes, a preference of {shares} is seen in {k} of 100 sessions.",
    "With {n} comparisons on each of {axes} axes, a preference of {shares} is seen in {k} of 100 such studies.",
    "With {n} comparisons on one axis, a preference of {shares} is seen in {k} of 100 sessions.",
    "With {n} comparisons on one axis, a preference of {shares} is seen in {k} of 100 such studies.", "role", "licence",
    "{n} GB", "{n} MB", "creativity", "needed memory",
    "Used in place of the paper's own, which is not on this computer", "Marks", "Segmenter", "Passages", "Balance",
    "Checked words", "{n} tokens", "Shown first", "Shown second", "Shown third",
    "probabilities of entailment, neutral, contradiction for a premise and a hypothesis", "summary: of entailment",
    "The paper reports: {reported}.", "medium", "large",  # levels of the synthetic author
    "exact", "jackknife t", "t of the logarithm", "permutation inverted below", "Wilson by effective n",
    "sign flips of D₁ − D₂ inverted", "{n} in 10,000", "1 answer", "{n} answers", "by {column}", "tie",
)  # fmt: skip

# What is read by machines or by models, or measured: it stays English.
NOT_SHOWN = (
    "core/python", "core/language", "core/backends/llama_cpp/template.py", "core/judging/model_rater.py",
    "core/letters/model_reading.py", "core/letters/word", "core/swap", "desktop/self_test.py",
    "desktop/start_time.py", "desktop/theme/__init__.py", "core/machine/child_main.py",
)  # fmt: skip
# Calls whose strings nobody reads.
NOT_READ = {
    "ValueError", "TypeError", "RuntimeError", "KeyError", "NotImplementedError", "AssertionError", "IndexError",
    "LookupError", "compile", "fullmatch", "match", "search", "sub", "finditer", "findall", "split", "startswith",
    "endswith", "removeprefix", "removesuffix", "replace", "partition", "rpartition", "execute", "exec_driver_sql",
    "getLogger", "debug", "warning", "encode", "setStyleSheet", "setObjectName", "cast", "TypeVar", "index",
    "find", "strip", "count", "fromisoformat", "strftime", "setProperty", "Arrow",
}  # fmt: skip
SHOWN_RESOURCES = {
    "core/tables/study_fields.toml": {"description"},
    "resources/help/*.toml": None,
    "resources/report/kinds.toml": None,
    "resources/report/certificate.toml": None,
    "resources/report/methods.toml": {"words", "none", "endings"},
    "resources/studies/*.toml": {
        "title",
        "ask",
        "meaning",
        "rows",
        "one",
        "many",
        "sides",
        "ends",
        "subtitle",
        "unit",
        "axis",
        "source",
        "null_words",
        "rows_title",
        "series_title",
        "x_axis",
        "n_title",
        "titles",
        "sources",
        "undefined",
        "unasked",
        "name",
        "what",
    },
    "resources/prompts/mistakes.toml": None,
    "resources/prompts/letters.toml": {"title"},
    "resources/prompts/mitigation.toml": {"title"},
    "resources/prompts/biased_wording.toml": {"reason"},
    "resources/prompts/news_articles.toml": {"statement", "short"},
    "resources/letters/name_groups.toml": {"label", "claim"},
    "core/machine/installation/parts.toml": {"title", "purpose"},
    "resources/names/us.toml": {"title", "claim"},
    "core/tables/formats/*.toml": {"title"},
    "resources/prompts/forms.toml": {"title", "one", "about", "help", "needed", "partly", "row", "options"},
    "resources/fingerprint/words.toml": None,
    "resources/letters/suggestions.toml": {
        "reason",
        "sentence_reason",
        "name_reason",
        "name_hint",
        "hint",
        "turned_hint",
        "why",
        "say",
        "do",
    },
    "resources/letters/marks/*.toml": {"title", "known_for"},
    "resources/letters/kinds/*.toml": {"title", "known_for", "about", "reason", "do"},
    "resources/designs/*.toml": {"title", "question", "measure", "about", "cannot_say", "topic"},
    "resources/axes/*.toml": {"title", "about", "label"},
    "resources/tasks/*.toml": {"title", "about"},
    "resources/tasks/themes.toml": {"title", "text"},
    "resources/styles/*.toml": {"title", "about"},
    "resources/wordings/*.toml": {"title", "about"},
    "resources/completion/*.toml": {"title", "about"},
    "resources/sample/about.toml": None,
    "models/catalogue.toml": {"title", "description", "note", "why"},
}


class Texts:
    """What the program says, in the order it is found; of a plural both forms."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}
        self.plurals: dict[tuple[str, str], str] = {}

    def all(self) -> dict[Any, str]:
        """Return the place of every text, of a plural by both its forms."""
        return self.places | self.plurals

    def add(self, text: str, place: str) -> None:
        if text.strip() and re.search(r"[A-Za-z]", PLACE.sub("", text)):
            self.places.setdefault(text, place)


def found() -> Texts:
    texts = Texts()
    for text in ALWAYS:
        texts.places[text] = "core/language/phrases.py"
    for folder in ("core", "desktop"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if not place.startswith(NOT_SHOWN):
                _of_module(ast.parse(path.read_text("utf-8")), place, texts)
    for pattern, keys in SHOWN_RESOURCES.items():
        for path in sorted(ROOT.glob(pattern)):
            for text in _strings(tomllib.loads(path.read_text("utf-8")), keys, shown=keys is None):
                if all(text not in pair for pair in texts.plurals):  # a catalogue has such a text once
                    texts.add(text, path.relative_to(ROOT).as_posix())
    for text in _of_commands():
        texts.add(text, "core/cli")
    for text in _of_scorers():
        texts.add(text, "core/scorers")
    return texts


# ---- Of modules


def _of_module(tree: ast.Module, place: str, texts: Texts) -> None:
    nodes: list[ast.AST] = [tree]
    parents: dict[ast.AST, ast.AST] = {}
    for node in nodes:
        for child in ast.iter_child_nodes(node):
            parents[child] = node
            nodes.append(child)
    for node in nodes:
        if isinstance(node, ast.Call) and (name := _name(node.func)) in ("tr", "plural", "operation"):
            if name == "plural" and len(node.args) > 2:
                one, many = node.args[1:3]
                if isinstance(one, ast.Constant) and isinstance(many, ast.Constant):
                    if one.value:
                        texts.plurals.setdefault((one.value, many.value), place)
                    else:
                        texts.add(many.value, place)
            elif node.args and isinstance(node.args[0], ast.Constant):
                texts.add(node.args[0].value, place)
        elif isinstance(node, ast.JoinedStr | ast.Constant) and _is_read(node, parents):
            named = place.startswith("desktop") or _keyword(node, parents) in NAMES_SHOWN
            for text in filter(lambda each: not SQL.search(each), _variants(node)):
                words = re.findall(r"[A-Za-z’']{2,}", PLACE.sub("", text))
                if (len(words) >= 2 and " " in text.strip()) or (named and ONE_WORD.fullmatch(text)):
                    texts.add(text, place)


ONE_WORD = re.compile(r"[A-Z][a-z]{2,}(?:[a-z-]*)…?")
NAMES_SHOWN = ("title", "label", "words", "tab", "plural")


def _keyword(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> str:
    parent = parents[node]
    if isinstance(parent, ast.AnnAssign | ast.Assign):
        targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
        return _name(targets[0])
    return (parent.arg or "") if isinstance(parent, ast.keyword) else ""


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_read(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a person may read this literal: it is no docstring, annotation, key, pattern, query or style."""
    parent = parents[node]
    if isinstance(parent, ast.Expr | ast.JoinedStr | ast.Compare | ast.Subscript | ast.arg | ast.MatchValue):
        return False
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, str) or (isinstance(parent, ast.AnnAssign) and parent.annotation is node):
            return False
        if isinstance(parent, ast.FunctionDef) or NOT_PROSE.search(node.value):
            return False
    inner: ast.AST = node
    while not isinstance(inner, ast.stmt):
        outer = parents[inner]
        if isinstance(outer, ast.Call) and inner is not outer.func:
            name = _name(outer.func)
            of_dataclasses = name == "replace" and isinstance(outer.func, ast.Name)
            if name in NOT_READ and not of_dataclasses:
                return False
            if name == "plural" and inner in outer.args[1:3]:
                return False
        if isinstance(outer, ast.FormattedValue) and isinstance(inner, ast.JoinedStr) and outer.format_spec is inner:
            return False
        inner = outer
    return True


NOT_PROSE = re.compile(
    r"^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|ALTER|ATTACH|DROP|WITH)\b|\(\?[:P<=!]|\\[bswd.]|\| None$"
    r"|^[\w.]+\[.*\]$|^Callable\[|[{;]\s*[\w-]+:\s[^{}]*;|^</?\w+|^\w+ \| \w+$"
)


SQL = re.compile(r"\b(SELECT|CREATE|UPDATE|WHERE|WHEN)\b")


def _variants(node: ast.expr) -> Iterator[str]:
    """The texts that a literal can be: one, or with words that a condition chooses several."""
    if isinstance(node, ast.Constant):
        yield node.value
        return
    assert isinstance(node, ast.JoinedStr)
    used: dict[str, str] = {}
    parts: list[list[str]] = []
    for value in node.values:
        if isinstance(value, ast.Constant):
            parts.append([value.value])
        else:
            assert isinstance(value, ast.FormattedValue)
            parts.append(list(_chosen(value.value)) or ["{" + _called(value.value, used) + "}"])
    for each in itertools.islice(itertools.product(*parts), 16):
        yield "".join(each)


def _chosen(value: ast.expr) -> Iterator[str]:
    """The words of `'a' if … else 'b'`, of `'s' * (n != 1)`, and of a text alone; nothing of others."""
    if isinstance(value, ast.IfExp):
        both = [list(_chosen(each)) for each in (value.body, value.orelse)]
        if all(both):
            yield from itertools.chain(*both)
    elif isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and isinstance(value.left, ast.Constant):
        yield from (value.left.value, "") if isinstance(value.left.value, str) else ()


def _called(value: ast.expr, used: dict[str, str]) -> str:
    """A name for a place: of what fills it, and where two would be called alike with a number."""
    written, inner = ast.dump(value), value
    while True:
        if isinstance(inner, ast.Call):
            first = inner.args[0] if inner.args else None
            inner = first if isinstance(first, ast.Name | ast.Attribute | ast.Call) else inner.func
        elif isinstance(inner, ast.Subscript):
            inner = inner.value
        else:
            break
    name = (_name(inner) or "it").strip("_").lower()
    for number in itertools.count(1):
        free = name if number == 1 else f"{name}_{number}"
        if used.setdefault(free, written) == written:
            return free
    raise AssertionError


# ---- Of resources and commands


def _strings(value: Any, keys: set[str] | None, *, shown: bool) -> Iterator[str]:
    if isinstance(value, str) and shown:
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _strings(each, keys, shown=shown or (keys is not None and key in keys))
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each, keys, shown=shown)


def _of_scorers() -> Iterator[str]:
    """What scorers are for, and what they are called."""
    from biasprint.core.machine.models.catalogue import scorer_title
    from biasprint.core.scorers.registry import describe

    for info in describe():
        yield from (info.role.replace("_", " "), scorer_title(info.name))


def _of_commands() -> Iterator[str]:
    """The help of all commands and their options, as a person reads it."""
    import typer

    from biasprint.desktop.commands import build_program

    waiting: list[Any] = [typer.main.get_command(build_program())]
    while waiting:
        command = waiting.pop()
        waiting += getattr(command, "commands", {}).values()
        for text in (
            command.help,
            command.short_help,
            command.epilog,
            *(getattr(p, "help", "") for p in command.params),
        ):
            yield from filter(None, re.split(r"\n\s*\n", text or ""))


# ---- Catalogues


class Updated(NamedTuple):
    """A catalogue as it should be: `waiting` are its texts without a translation, `gone` how many are said no more."""

    content: str
    waiting: tuple[Any, ...]
    gone: int


def updated(path: Path, texts: Texts, new: dict[str, Any]) -> Updated:
    """Bring a catalogue up to date. Its header, up to the first empty line, stays as it is."""
    head, _, _ = path.read_text("utf-8").partition("\n\n")
    with path.open("rb") as file:
        old = {message.id: message.string for message in read_po(file) if message.id}
    kept = {english: written for english, written in old.items() if any(written)}
    wanted = sorted(texts.all().items(), key=lambda item: (item[1], str(item[0])))
    lines, waiting = [head.rstrip()], []
    for english, _ in wanted:
        written = kept.get(english) or new.get(json.dumps(english, ensure_ascii=False)) or ""
        if not any(written):
            waiting.append(english)
        lines += ["", *(f"{word} {_quoted(text)}" for word, text in _lines(english, written))]
    return Updated("\n".join(lines) + "\n", tuple(waiting), len(set(old) - set(dict(wanted))))


def _lines(english: Any, written: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(english, tuple):
        yield from (("msgid", english), ("msgstr", written))
        return
    yield from (("msgid", english[0]), ("msgid_plural", english[1]))
    yield from ((f"msgstr[{place}]", text) for place, text in enumerate(written or ("", "")))


def _quoted(text: str) -> str:
    for sign, written in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        text = text.replace(sign, written)
    return f'"{text}"'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--todo", type=Path)
    parser.add_argument("--done", type=Path, nargs="*", default=[])
    asked = parser.parse_args()
    texts = found()
    new = {key: text for path in asked.done for key, text in json.loads(path.read_text("utf-8")).items()}
    for path in sorted(FOLDER.glob("*.po")):
        now = updated(path, texts, new)
        print(f"{path.name}: {len(texts.all()):,} texts, {len(now.waiting):,} wait, {now.gone:,} went")
        if asked.check:
            if now.waiting or now.gone:
                sys.exit(1)
            continue
        path.write_text(now.content, "utf-8")
        if asked.todo:
            rows = [{"en": each, "place": texts.all()[each]} for each in now.waiting]
            asked.todo.write_text(json.dumps(rows, ensure_ascii=False, indent=0), "utf-8")


if __name__ == "__main__":
    main()
