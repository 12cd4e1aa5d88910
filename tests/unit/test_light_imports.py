"""What is imported in the window's process, or for an answer in a moment, loads no large library.

All of a chain is imported in one process, one after the other, so that each needs only what the earlier ones left.
Nothing may have loaded, by then, what is too heavy for it.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODELS = ("torch", "transformers", "sentence_transformers", "spacy", "gensim")
STATISTICS = ("scipy", "pandas", "statsmodels")

Link = tuple[str, str, Sequence[str]]  # what it is, its program, and what it must not have loaded

WITHOUT_NUMPY: list[Link] = [
    (
        "a backend over the network",
        "import biasprint.core.backends.openai_compatible as b; b.INFO.unavailable",
        ("openai", "httpx", "httpx2", "asyncio", "pydantic"),
    ),
    (
        "the registry of studies",
        "import biasprint.core.studies.registry; biasprint.core.studies.registry.studies()",
        ("numpy", "scipy", "spacy"),
    ),
    (
        "figures",
        "import biasprint.core.report.figures, biasprint.core.draw.frame",
        ("numpy", "scipy", "pandas", "PySide6"),
    ),
    ("tables", "import biasprint.core.tables", ("pyarrow", "openpyxl", "pandas")),
    (
        "the start of the window",  # which is painted before anything else is imported
        "import biasprint.desktop.app",
        ("biasprint.core.letters", "biasprint.core.compute", "biasprint.core.project.project"),
    ),
    (
        "the first panel",
        "import biasprint.desktop.panels.home",
        (*MODELS, "pandas", "scipy", "numpy", "sqlalchemy", "pydantic"),
    ),
    ("a command", "import biasprint.desktop.commands", ("biasprint.core.letters", "biasprint.core.swap", "numpy")),
    (
        "the models panel",
        "import biasprint.desktop.panels.models, biasprint.desktop.panels.models.catalogue, "
        "biasprint.desktop.panels.models.endpoint_form",
        ("torch", "transformers", "huggingface_hub", "openai", "httpx", "keyring", "llama_cpp", "numpy"),
    ),
    (
        "the swap twin",
        "import biasprint.core.swap.engine, biasprint.core.swap.guess, biasprint.core.letters.values",
        ("spacy", "textblob", "nltk", "torch", "numpy", "pandas", "scipy"),
    ),
]
WITHOUT_MODELS: list[Link] = [
    (
        "a letter on the command line",
        "import biasprint.core.cli.letter_commands, biasprint.core.cli.letter_output, "
        "biasprint.core.letters.pile.files, biasprint.core.letters.request\n"
        "from biasprint.core.letters import scorers_for_letters; scorers_for_letters()",
        ("sqlalchemy", "sqlmodel", *STATISTICS, *MODELS),
    ),
    ("the rules of a workshop", "import biasprint.core.judging.workshop", (*STATISTICS, "torch", "PySide6")),
    (
        "the planner of judging",
        "import biasprint.core.judging.planner as p; p.plan_power(p.JudgingDesign(20))",
        (*STATISTICS, "torch"),
    ),
    ("the segmenter", "import biasprint.core.scorers.segment, biasprint.core.scorers.lexicon", ("spacy", "scipy")),
    (
        "a scorer that is made",
        "from biasprint.core.scorers.agency_minilm import AgencyMiniLM; AgencyMiniLM().version",
        ("torch", "transformers", "spacy", "safetensors", "scipy"),
    ),
    (
        "the list of scorers",
        "from biasprint.core.scorers.registry import describe; assert len(describe()) >= 5",
        (*MODELS, "textblob", "tokenizers", "scipy", "pandas", "sklearn", "nltk"),
    ),
    (
        "a backend of folders",
        "from biasprint.core.backends.transformers_local import INFO; assert INFO.unavailable == ''",
        ("torch",),
    ),
    (
        "drawing comparisons",
        "import biasprint.core.runs.compare.planning, biasprint.core.runs.compare.pool, biasprint.core.runs.compare",
        ("scipy", "pandas", "torch", "textblob", "spacy"),
    ),
    (
        "the jobs of letters",
        "import biasprint.core.letters.pile.read\n"
        "from biasprint.core.letters import model_reading, reading, reference_sets, twins",
        ("torch", "transformers", "spacy", "scipy", "pandas", "textblob", "llama_cpp", "docx", "lxml"),
    ),
    (
        "the fingerprint panel",
        "import biasprint.core.runs.fingerprint, biasprint.core.judging.fingerprint_words, "
        "biasprint.desktop.panels.fingerprint.panel, "
        "biasprint.desktop.charts.fingerprint",
        (*STATISTICS, "torch"),
    ),
    (
        "writing and measuring",
        "import biasprint.desktop.panels.prompts, biasprint.desktop.panels.generate.panel, "
        "biasprint.desktop.dialogs.import_table\n"
        "from biasprint.core.backends.registry import known; known()\n"
        "import biasprint.core.runs.generate, biasprint.core.runs.setup, biasprint.core.runs.measure, "
        "biasprint.core.runs.sample, biasprint.core.texts.score\n"
        "import biasprint.core.runs.setup, biasprint.core.compute, biasprint.desktop.operations.studies\n"
        "from biasprint.core.runs.measure import scorers_needed; [scorers_needed(s) for s in ('news', 'letters')]",
        (*MODELS, *STATISTICS, "textblob", "pyarrow"),
    ),
]
IN_A_CHILD: list[Link] = [
    (
        "the first reading of a letter",
        "from biasprint.core.letters.files import read_pasted\n"
        "from biasprint.core.letters.reading import read_words\n"
        "from biasprint.core.letters.request import ReadingRequest\n"
        "letter = read_pasted('Kelly is a warm colleague, and I recommend her to you.')\n"
        "assert read_words(letter, ReadingRequest({})).marks",
        (*MODELS[:3], "gensim", *STATISTICS, "textblob", "nltk", "sqlalchemy", "typer", "weasel", "PySide6"),
    ),
    (
        "a letter's style",
        "from biasprint.core.letters.files import read_pasted\n"
        "from biasprint.core.letters.reading import read_letter\n"
        "from biasprint.core.letters.request import ReadingRequest\n"
        "styles = {'formality': 'formality_f', 'positivity': 'positivity_lexicon'}\n"
        "read_letter(read_pasted('Kelly is a warm colleague, and I recommend her to you.'), ReadingRequest(styles))",
        (*MODELS[:3], *STATISTICS, "sklearn", "sqlalchemy", "PySide6"),
    ),
    (
        "a whole letter with a CV",
        "from biasprint.core.letters.files import read_pasted\n"
        "from biasprint.core.letters.reading import read_letter\n"
        "from biasprint.core.letters.request import ReadingRequest\n"
        "letter = read_pasted('Kelly leads the choir. She is kind, and she never gave up on her singers.')\n"
        "roles = {'agency': 'agency_minilm', 'entailment': 'entailment_minilm'}\n"
        "asked = ReadingRequest(roles, context=read_pasted('Kelly Moreno has led the choir since 2015.'))\n"
        "reading = read_letter(letter, asked)\n"
        "assert reading.marks and reading.scores and reading.balance and reading.support[0].verdict != 'no context'",
        (*MODELS[:3], "gensim", *STATISTICS, "sklearn", "sqlalchemy", "PySide6"),
    ),
]
RUN = """
import sys
for what, program, heavy in {chain!r}:
    exec(program, {{}})
    print(what, *sorted(set(heavy) & set(sys.modules)), sep="|")
"""


CHAINS = {"without numpy": WITHOUT_NUMPY, "without models": WITHOUT_MODELS, "in a child": IN_A_CHILD}


@pytest.mark.parametrize(
    "chain",
    [pytest.param(chain, id=name, marks=[pytest.mark.soak] * (chain is IN_A_CHILD)) for name, chain in CHAINS.items()],
)
def test_nothing_heavy_is_loaded(chain: list[Link]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(chain=chain)], capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [what for what, _, _ in chain]
