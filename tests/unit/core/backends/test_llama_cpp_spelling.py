"""From tokens to text: whole characters, stop strings, and nothing said too early or twice."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from biasprint.core.backends.llama_cpp.drawing import folded
from biasprint.core.backends.local_model import Spelling


def spelled(pieces: list[bytes], *stops: str) -> tuple[list[str], Spelling]:
    said: list[str] = []
    spelling = Spelling(stops, said.append)
    for piece in pieces:
        spelling.add(piece)
    spelling.finish()
    assert "".join(said) == spelling.text
    return said, spelling


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in pairwise(ends)]


def test_a_character_that_spans_tokens_is_said_once_it_is_whole() -> None:
    said, _ = spelled(["é".encode()[:1], "é".encode()[1:], "日本".encode()[:4], "日本".encode()[4:]])
    assert said == ["é", "日", "本"]


def test_bytes_that_are_no_character_are_marked_and_not_lost() -> None:
    assert spelled([b"a\xff", b"b\xe6\x97"])[1].text == "a\ufffdb\ufffd"


def test_what_may_become_a_stop_string_is_held_back() -> None:
    said: list[str] = []
    spelling = Spelling(["###"], said.append)
    spelling.add(b"one #")
    assert said == ["one "]
    spelling.add(b"#")
    spelling.add(b" two")
    assert "".join(said) == "one ## two"
    assert not spelling.stopped
    spelling.add(b"##")
    spelling.add(b"# three")
    assert spelling.stopped
    assert spelling.text == "one ## two"


def test_the_earliest_stop_string_ends_the_text_and_what_was_held_back_at_the_end_is_said() -> None:
    assert spelled([b"a b c"], "c", "b")[1].text == "a "
    assert spelled([b"a b\n"], "\n\n")[1].text == "a b\n"
    assert spelled([b"a b"], "")[1].text == "a b"


@given(st.text(max_size=60), st.lists(st.integers(0, 300)), st.lists(st.text("ab\né", min_size=1, max_size=4)))
def test_however_a_text_is_cut_into_tokens_it_comes_out_whole_up_to_its_first_stop(
    text: str, places: list[int], stops: list[str]
) -> None:
    ends = [text.find(stop) for stop in stops if stop in text]
    _, spelling = spelled(cut(text.encode(), places), *stops)
    if not ends:
        assert spelling.text == text
    else:  # a stop that is whole earlier wins over one that began earlier and is longer
        assert text.startswith(spelling.text)
        assert len(spelling.text) >= min(ends)
        assert spelling.stopped


def test_seeds_keep_their_lower_32_bits_and_never_mean_any_seed() -> None:
    assert folded(7) == 7
    assert folded((5 << 32) + 7) == 7
    assert folded(2**63 - 1) == folded(2**32 - 1) == 2**32 - 2
