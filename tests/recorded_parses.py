"""What spaCy's en_core_web_sm 3.8.0 says of the sentences in tests, recorded: tests of grammar need no download.

`python tests/recorded_parses.py NAME FILES…` records in data/NAME.json the sentences that these tests read, where the
pipeline is installed: NAME is `parses` for letters' grammar, `parses_of_twins` for twins.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from biasprint.core.cache import BatchCache
from biasprint.core.letters import grammar
from biasprint.core.scorers import parts_of_speech

DATA = Path(__file__).parent / "data"
NAME = "en_core_web_sm-3.8.0"


@dataclass(frozen=True)
class RecordedToken:
    idx: int
    length: int
    tag_: str
    dep_: str
    head: SimpleNamespace

    def __len__(self) -> int:
        return self.length


class RecordedPipeline:
    pipe_names = ("tok2vec", "tagger", "parser")

    def __init__(self) -> None:
        self._parses: dict[str, list[list[Any]]] = {}
        for file in DATA.glob("parses*.json"):
            self._parses |= json.loads(file.read_text("utf-8"))

    def pipe(self, texts: Iterable[str]) -> Iterator[list[RecordedToken]]:
        for text in texts:
            if text not in self._parses:
                pytest.fail(f"No parse of “{text}” is recorded: python tests/recorded_parses.py")
            yield [
                RecordedToken(start, length, tag, relation, SimpleNamespace(i=head))
                for start, length, tag, relation, head in self._parses[text]
            ]


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the recorded pipeline the one that is installed."""
    pipeline = RecordedPipeline()
    monkeypatch.setattr(parts_of_speech, "installed", lambda: Path(NAME))
    monkeypatch.setattr(parts_of_speech, "parsing_pipeline", lambda _: pipeline)
    monkeypatch.setattr(grammar, "_read", BatchCache[str, tuple[grammar.ParsedToken, ...]](5_000))
    monkeypatch.setattr(parts_of_speech, "_kept", BatchCache[str, tuple[parts_of_speech.ParsedWord, ...]](5_000))


def record(name: str, tests: list[str]) -> None:
    """Run tests with the installed pipeline and keep what it says of their sentences."""
    file = DATA / f"{name}.json"
    real = parts_of_speech.loaded(parts_of_speech.place(), parts_of_speech.PARSER_UNUSED)
    parses: dict[str, list[list[Any]]] = {}

    def pipe(_: RecordedPipeline, texts: Iterable[str]) -> Iterator[Any]:
        for text in texts:
            read = real(text)
            parses[text] = [[token.idx, len(token), token.tag_, token.dep_, token.head.i] for token in read]
            yield read

    RecordedPipeline.pipe = pipe  # type: ignore[method-assign, assignment]
    pytest.main(["-q", "-n", "0", "-p", "no:randomly", *tests], plugins=[sys.modules[__name__]])
    lines = [
        f"{json.dumps(text)}: {json.dumps(parse, separators=(',', ':'))}" for text, parse in sorted(parses.items())
    ]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    sys.modules["recorded_parses"] = sys.modules["__main__"]
    record(sys.argv[1], sys.argv[2:])
