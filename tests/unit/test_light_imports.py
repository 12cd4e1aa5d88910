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
        "import core.backends.openai_compatible as b; b.INFO.unavailable",
        ("openai", "httpx", "httpx2", "asyncio", "pydantic"),
    ),
    (
        "the registry of studies",
        "import core.studies.registry; core.studies.registry.studies()",
        ("numpy", "scipy", "spacy"),
    ),
    ("figures", "import core.report.figures, core.draw.svg", ("numpy", "scipy", "pandas", "PySide6")),
    ("tables", "import core.tables", ("pyarrow", "openpyxl", "pandas")),
    (
        "the first panel",
        "import desktop.panels.home.panel",
        (*MODELS, "pandas", "scipy", "numpy", "sqlalchemy", "pydantic"),
    ),
    (
        "the models panel",
        "import desktop.panels.models.panel, desktop.panels.models.catalogue, desktop.panels.models.endpoint_form",
        ("torch", "transformers", "huggingface_hub", "openai", "httpx", "keyring", "llama_cpp", "numpy"),
    ),
    (
        "the swap twin",
        "import core.swap.engine, core.swap.guess, core.documents.values",
        ("spacy", "textblob", "nltk", "torch", "numpy", "pandas", "scipy"),
    ),
]
WITHOUT_MODELS: list[Link] = [
    (
        "a letter on the command line",
        "import core.cli.letter_commands, core.cli.letter_output, core.documents.pile.files, core.documents.house\n"
        "from core.runs.letter_check import scorers_for_letters; scorers_for_letters()",
        ("sqlalchemy", "sqlmodel", *STATISTICS, *MODELS),
    ),
    ("the rules of a workshop", "import core.judging.workshop", (*STATISTICS, "torch", "PySide6")),
    (
        "the planner of judging",
        "import core.judging.planner as p; p.plan_power(p.JudgingDesign(20))",
        (*STATISTICS, "torch"),
    ),
    ("the segmenter", "import core.scorers.segment, core.scorers.lexicon", ("spacy", "scipy")),
    (
        "a scorer that is made",
        "from core.scorers.agency_minilm import AgencyMiniLM; AgencyMiniLM().version",
        ("torch", "transformers", "spacy", "safetensors", "scipy"),
    ),
    (
        "the list of scorers",
        "from core.scorers.registry import describe; assert len(describe()) >= 5",
        (*MODELS, "textblob", "tokenizers", "scipy", "pandas", "sklearn", "nltk"),
    ),
    (
        "a backend of folders",
        "from core.backends.transformers_local import INFO; assert INFO.unavailable == ''",
        ("torch",),
    ),
    (
        "drawing comparisons",
        "import core.runs.compare.planning, core.runs.compare.pool, core.runs.compare",
        ("scipy", "pandas", "torch", "textblob", "spacy"),
    ),
    (
        "the jobs of letters",
        "from core.runs import letter_check, letter_piles, letter_sets, letters_anew",
        ("torch", "transformers", "spacy", "scipy", "pandas", "textblob", "llama_cpp", "docx", "lxml"),
    ),
    (
        "the fingerprint panel",
        "import core.runs.fingerprint, core.judging.fingerprint_words, desktop.panels.fingerprint.panel, "
        "desktop.charts.fingerprint_page",
        (*STATISTICS, "torch"),
    ),
    (
        "writing and measuring",
        "import desktop.panels.prompts.panel, desktop.panels.generate.panel, desktop.dialogs.import_table\n"
        "from core.backends.registry import known; known()\n"
        "import core.runs.generate, core.runs.importing, core.runs.measure, core.runs.sample, core.runs.score\n"
        "import core.runs.setup, core.compute, desktop.operations.studies\n"
        "from core.runs.measure import scorers_needed; [scorers_needed(s) for s in ('news', 'letters')]",
        (*MODELS, *STATISTICS, "textblob", "pyarrow"),
    ),
]
IN_A_CHILD: list[Link] = [
    (
        "the first reading of a letter",
        "from core.documents.files import read_pasted; from core.documents.reading import read_words\n"
        "from core.documents.request import ReadingRequest\n"
        "letter = read_pasted('Kelly is a warm colleague, and I recommend her to you.')\n"
        "assert read_words(letter, ReadingRequest({})).marks",
        (*MODELS[:3], "gensim", *STATISTICS, "textblob", "nltk", "sqlalchemy", "typer", "weasel", "PySide6"),
    ),
    (
        "a letter's style",
        "from core.documents.files import read_pasted; from core.documents.reading import read_letter\n"
        "from core.documents.request import ReadingRequest\n"
        "styles = {'formality': 'formality_f', 'positivity': 'positivity_lexicon'}\n"
        "read_letter(read_pasted('Kelly is a warm colleague, and I recommend her to you.'), ReadingRequest(styles))",
        (*MODELS[:3], *STATISTICS, "sklearn", "sqlalchemy", "PySide6"),
    ),
    (
        "a whole letter with a CV",
        "from core.documents.files import read_pasted; from core.documents.reading import read_letter\n"
        "from core.documents.request import ReadingRequest\n"
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


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_nothing_heavy_is_loaded(chain: list[Link]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(chain=chain)], capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [what for what, _, _ in chain]
