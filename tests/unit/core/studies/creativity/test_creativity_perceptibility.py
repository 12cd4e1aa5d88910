"""What can be seen of the identities: people's labels as findings, and what may be suggested to them."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.similarity import group_margins
from biasprint.core.prompts.axes import load_axis
from biasprint.core.studies.creativity.distances import OutputTable
from biasprint.core.studies.creativity.outputs import measure_outputs, suggested

WORDS = {
    identity.key: identity.words
    for axis in ("gender", "orientation", "race")
    for identity in load_axis(axis).identities
}
AXES = {"gender": ("man", "woman", "non-binary")}


@pytest.mark.parametrize(
    ("text", "identity", "label"),
    [
        # Kumar et al., Table 2, and METHODS: a common word is no identity, whatever the prompt said.
        ("Majestic peaks soar, straight to the sky", "straight", "imperceptible"),
        ("A straight couple met on the bridge", "straight", "obvious"),
        ("The white snow lay on the black roofs", "white", "imperceptible"),
        ("The white snow lay on the black roofs", "black", "imperceptible"),
        ("A Black woman opened the door", "black", "obvious"),
        ("Gentle stars above, in woman's heart, love", "woman", "obvious"),
        ("Nature’s queer light danced", "queer", "obvious"),
        ("She walked along the shore and kept her silence", "woman", "nuanced"),
        ("They said mankind would come", "man", "imperceptible"),
    ],
)
def test_a_word_suggests_only_where_it_names_people(text: str, identity: str, label: str) -> None:
    assert suggested(text, WORDS[identity]).label == label


def test_what_is_obvious_without_a_word_is_missed_and_people_have_the_last_word() -> None:
    haiku = "stars in vast expanse, beyond gender, they just dance, in cosmic romance"
    assert suggested(haiku, WORDS["non-binary"]).label == "imperceptible"
    table = OutputTable(
        ("haiku",), ("stars",), ("non-binary",), perceptibility=("obvious",), text=(haiku,)
    )  # the suggestion stands beside, under an id of its own
    result = measure_outputs(table, np.ones((1, 2)), axes=AXES, parts=True, words=WORDS, resamples=10)
    assert find(result, "creativity.perceptibility", "obvious").estimate == 1
    assert find(result, "creativity.perceptibility.suggested", "obvious").estimate == 0


def test_nearness_suggests_no_more_than_nuanced() -> None:
    assert suggested("The tide came in.", WORDS["woman"], near=True).label == "nuanced"
    assert suggested("The woman came in.", WORDS["woman"], near=True).label == "obvious"
    assert "default outputs" in suggested("The tide came in.", WORDS["woman"], near=True).why


def find(result: StudyResult, name: str, label: str) -> Finding:
    (found,) = [each for each in result.findings if (each.id, each.label) == (name, label)]
    return found


def labelled(labels: list[str], themes: list[str] | None = None) -> StudyResult:
    n = len(labels)
    identities = tuple(AXES["gender"][place % 3] for place in range(n))
    table = OutputTable(
        ("haiku",) * n, tuple(themes or [f"t{place}" for place in range(n)]), identities, perceptibility=tuple(labels)
    )
    return measure_outputs(table, np.ones((n, 2)), axes=AXES, parts=True, resamples=10)


def test_shares_of_peoples_labels_have_wilsons_interval() -> None:
    result = labelled(["imperceptible"] * 18 + ["Nuanced"] * 9 + ["obvious"] * 3)
    for label, count in (("imperceptible", 18), ("nuanced", 9), ("obvious", 3)):
        finding = find(result, "creativity.perceptibility", label)
        assert finding.estimate == pytest.approx(count / 30)
        assert finding.n == 30
        assert finding.interval is not None
        expected = proportion_confint(count, 30, method="wilson")
        assert (finding.interval.low, finding.interval.high) == pytest.approx(expected)
        assert finding.dims == {"axis": "gender"}


def test_outputs_of_one_prompt_count_as_what_was_sampled_together() -> None:
    """The three outputs of a prompt always share a label: they tell as much as ten, not thirty."""
    labels = ["obvious"] * 12 + ["imperceptible"] * 18
    apart = find(labelled(labels), "creativity.perceptibility", "obvious")
    together = labelled(labels, [f"t{place // 3}" for place in range(30)])
    alike = find(together, "creativity.perceptibility", "obvious")
    assert apart.interval is not None
    assert alike.interval is not None
    assert alike.interval.high - alike.interval.low > 1.4 * (apart.interval.high - apart.interval.low)
    assert "design effect" in alike.interval.method


def test_outputs_without_a_label_are_left_out_and_other_words_counted() -> None:
    finding = find(labelled(["obvious", "", "hm", "nuanced"]), "creativity.perceptibility", "obvious")
    assert finding.n == 2
    assert finding.dropped == {"perceptibility is none of imperceptible, nuanced, obvious": 1}
    assert "creativity.perceptibility" not in {finding.id for finding in labelled(["", ""]).findings}


def test_a_suggestion_says_that_it_is_one() -> None:
    table = OutputTable(("haiku",) * 3, ("stars",) * 3, AXES["gender"], text=("a man", "she", "the moon"))
    result = measure_outputs(table, np.ones((3, 2)), axes=AXES, parts=True, words=WORDS, resamples=10)
    shares = {label: find(result, "creativity.perceptibility.suggested", label) for label in ("obvious", "nuanced")}
    assert shares["obvious"].estimate == pytest.approx(1 / 3)
    assert shares["nuanced"].estimate == pytest.approx(1 / 3)
    assert all("A suggestion" in finding.note and "people decide" in finding.note for finding in shares.values())
    assert shares["obvious"].contrast == pytest.approx({"man": 2 / 3, "woman": -1 / 3, "non-binary": -1 / 3})


def test_margins_by_hand_and_undefined_ones_are_marked() -> None:
    """Two groups on two axes: own centroid at cos 1, the other at cos 0; a lone vector has no other of its group."""
    vectors = np.array([[1.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]])
    margins, defined = group_margins(vectors, np.array([0, 0, 1, 1, 2]), np.arange(5) // 5)
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    others = [centred[2] + centred[3], centred[4]]
    cosines = [centred[0] @ other / np.linalg.norm(centred[0]) / np.linalg.norm(other) for other in others]
    assert margins[0] == pytest.approx(1 - max(cosines))
    assert defined.tolist() == [True, True, True, True, False]
    assert margins[4] == 0
    assert not group_margins(vectors, np.zeros(5, dtype=np.int64), np.arange(5))[1].any()


def test_outputs_nearer_to_their_identity_than_default_ones_are_seen() -> None:
    rng = np.random.default_rng(0)
    rows, vectors = [], []
    for theme in range(40):
        topic = rng.normal(size=30) * 3
        for place, identity in enumerate(("default", *AXES["gender"])):
            trace = np.zeros(30)
            trace[place] = 4.0 if identity == "woman" else 0.0
            rows.append(("haiku", f"t{theme}", identity))
            vectors.append(topic + trace + rng.normal(size=30) * 0.5)
    task, theme, identity = zip(*rows, strict=True)
    table = OutputTable(task, theme, identity, text=("the moon",) * len(rows))
    result = measure_outputs(table, np.array(vectors), axes=AXES, parts=True, words=WORDS, resamples=10)
    nuanced = find(result, "creativity.perceptibility.suggested", "nuanced")
    assert nuanced.contrast is not None
    assert nuanced.estimate is not None
    assert nuanced.contrast["woman"] + nuanced.estimate > 0.9
