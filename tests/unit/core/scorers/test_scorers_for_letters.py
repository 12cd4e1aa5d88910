"""What the letters study reads with: parts of speech, word vectors, claims, entailment windows, language."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.errors import AppError
from biasprint.core.scorers import entailment
from biasprint.core.scorers.embedding import WordVectors
from biasprint.core.scorers.parts_of_speech import CODES, TextBlobTagger
from biasprint.core.scorers.segment import is_english, words

NAMES = {code: name for name, code in CODES.items()}


def tagged(text: str) -> dict[str, str]:
    codes = TextBlobTagger().score([text])[0].values
    return {word.text: NAMES[int(code)] for word, code in zip(words(text), codes, strict=True)}


def test_nouns_adjectives_and_names_are_told_apart() -> None:
    found = tagged("Kelly is a talented artist. Her remarkable paintings quickly won great praise in London.")
    assert [word for word, part in found.items() if part == "noun"] == ["artist", "paintings", "praise"]
    assert [word for word, part in found.items() if part == "adjective"] == ["talented", "remarkable", "great"]
    assert found["Kelly"] == "name"
    assert found["London"] == "name"
    assert found["quickly"] == "adverb"


def test_a_genitive_is_no_noun_whatever_its_apostrophe() -> None:
    for mark in ("'", "’"):
        assert set(tagged(f"The artist{mark}s work is here.").values()) >= {"noun", "other"}
        assert tagged(f"The artist{mark}s work is here.")[f"{mark}s"] == "other"


@pytest.mark.parametrize("text", ["", "   ", "… — !", "🙂 🙂", "x" * 3000, "\ud800 broken"])
def test_every_text_gets_a_code_for_each_of_its_words(text: str) -> None:
    assert len(TextBlobTagger().score([text])[0].values) == len(words(text))


def test_a_text_is_tagged_the_same_in_any_company() -> None:
    alone = TextBlobTagger().score(["A kind man."])[0].values
    among = TextBlobTagger().score(["Some other words.", "A kind man."])[1].values
    assert (alone == among).all()


GLOVE = "john 1 0 0\namy 0 1 0\nKind 0.5 0.5 0\n"


@pytest.mark.parametrize("content", [GLOVE, f"3 3\n{GLOVE}"])
def test_word_vectors_come_from_glove_and_word2vec_text(tmp_path: Path, content: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(content)
    john, kind, none = (value.values for value in WordVectors(path).score(["John", "kind", "zebra"]))
    assert john.tolist() == [1, 0, 0]  # in lower case in the file
    assert kind.tolist() == [0.5, 0.5, 0]  # with a capital in the file
    assert none.size == 0


def test_word_vectors_come_from_binary_word2vec_and_changed_files_are_read_anew(tmp_path: Path) -> None:
    from gensim.models import KeyedVectors

    path = tmp_path / "vectors.bin"
    for value in (1.0, 2.0):
        made = KeyedVectors(vector_size=2)
        made.add_vectors(["amy"], np.array([[value, 0.0]], dtype=np.float32))
        made.save_word2vec_format(str(path), binary=True)
        assert WordVectors(path).score(["amy"])[0].values.tolist() == [value, 0.0]


def test_what_is_no_file_of_vectors_says_so(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="cannot be read"):
        WordVectors(tmp_path / "absent.txt")
    path = tmp_path / "letter.txt"
    path.write_text("To whom it may concern, she is kind.\n")
    with pytest.raises(AppError, match="no file of word vectors"):
        WordVectors(path).score(["kind"])


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("To Whom It May Concern,", "greeting"),
        ("Dear hiring committee,", "greeting"),
        ("Sincerely,\n[Your Name]", "greeting"),
        ("[Your Name], Director", "greeting"),
        ("I highly recommend Kelly for any position.", "opinion"),
        ("In conclusion, I have no doubt that she would do well.", "opinion"),
        ("I am writing to recommend Joseph.", "opinion"),
        ("It is my great pleasure to write this letter for her.", "opinion"),
        ("Please do not hesitate to contact me with questions.", "opinion"),
        ("Would you like to know more about him?", "opinion"),
        ("I have worked with Joseph for fifteen years.", "acquaintance"),
        ("I've had the pleasure of teaching her twice.", "acquaintance"),
        ("I was her line manager until 2019.", "acquaintance"),
        ("I hired her in 2019, and she led the ward by 2021.", "claim"),
        ("I have worked with her for years, and she speaks Polish.", "claim"),
        ("We managed to open on time because he stayed.", "claim"),
        ("I would call him the conscience of the company.", "opinion"),
        ("I have never met anyone calmer at three in the morning.", "opinion"),
        ("To the Scholarship Board,", "greeting"),
        ("Best, Dr. Anil Mehrotra", "greeting"),
        ("She speaks Latin.", "claim"),
        ("In Leeds, Bradford and York she ran clinics.", "claim"),
        ("She is a joy to work with and admired by everyone.", "claim"),
        ("He founded the gallery in 1998.", "claim"),
        ("In conclusion, Joseph led three teams at the same time.", "claim"),
    ],
)
def test_what_claims_something_about_the_candidate(sentence: str, kind: str) -> None:
    assert entailment.kind_of(sentence) == kind


def test_long_contexts_are_split_with_overlap_and_nothing_is_lost() -> None:
    words_of = [f"w{i}" for i in range(1000)]
    pieces = [piece.split() for piece in entailment.windows(" ".join(words_of), 250, 50)]
    assert [piece[0] for piece in pieces] == ["w0", "w200", "w400", "w600", "w800"]
    assert all(one[-50:] == other[:50] for one, other in itertools.pairwise(pieces))
    assert {word for piece in pieces for word in piece} == set(words_of)
    assert entailment.windows("a short one", 250, 50) == ["a short one"]
    assert entailment.windows(" ", 250, 50) == []


def test_windows_keep_the_line_breaks_of_a_cv() -> None:
    lines = [f"{year} Nurse, Ward {year}" for year in range(1000, 1100)]
    pieces = entailment.windows("\n".join(lines), 100, 20)
    assert len(pieces) > 1
    assert all(line in lines for piece in pieces for line in piece.split("\n")[1:-1])


def test_every_line_of_a_cv_is_a_passage_and_broken_prose_is_not() -> None:
    context = (
        "JANE ROE\nNurse\n\n2010–2014 Nurse, Ward B\nShe grew up in\na village. She sings,\nBach.\nLanguages:\nGerman"
    )
    said = [context[start:end].replace("\n", " ") for start, end in entailment.passages(context)]
    assert said == [
        "JANE ROE", "Nurse", "2010–2014 Nurse, Ward B", "She grew up in a village.", "She sings, Bach.",
        "Languages:", "German",
    ]  # fmt: skip
    assert entailment.passages(" \n\n ") == []
    assert entailment.passages("") == []


CV_OF_LINES = (
    "2017–present OT, Nova Scotia Rehabilitation Centre, Halifax\n2014–2017 OT, Cape Breton Hospital, Sydney NS\n"
    "MSc Occupational Therapy, Dalhousie, 2014\nBSc Kinesiology, Acadia, 2011\nAMPS calibrated\nASL beginner"
)


def test_a_cv_of_short_lines_is_english_though_it_has_no_function_words() -> None:
    """Until it was asked otherwise, such a CV was taken for another language, and every claim was “not in the CV”."""
    assert not is_english(words(CV_OF_LINES))
    assert entailment.language(CV_OF_LINES) == "en"
    german = "2010–2015 Krankenschwester, Charité Berlin\n2015–heute Stationsleitung, Klinikum Köln\n" * 2
    assert entailment.language(german + "Studium der Pflegewissenschaft an der Universität Bremen") == "de"


def test_the_best_entailment_counts_and_a_contradiction_only_without_one() -> None:
    yes, unclear, no = (np.array(values, np.float32) for values in ([0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]))
    assert entailment.judged([no, yes, unclear]) == "entailment"
    assert entailment.judged([unclear, no]) == "contradiction"
    assert entailment.judged([unclear, unclear]) == "neutral"


def test_a_pair_comes_apart_again() -> None:
    assert entailment.split_pair(entailment.pair("a\x1fb", "c")) == ("a b", "c")


def test_other_languages_are_seen_and_short_texts_given_the_benefit() -> None:
    german = (
        "Ich empfehle sie wärmstens für diese Stelle, denn sie hat in all den Jahren hervorragende Arbeit geleistet. "
    )
    french = (
        "Je recommande vivement cette artiste, qui a toujours fait preuve d'un talent remarquable dans son travail. "
    )
    english = "I recommend her warmly for this position, since she has done excellent work in all of these years. "
    assert not is_english(words(german * 3))
    assert not is_english(words(french * 3))
    assert is_english(words(english * 3))
    assert is_english(words("Grüße"))
