"""The mitigation arm and further documents."""

import pytest

from biasprint.core.errors import UsageError
from biasprint.core.prompts import letters_context_less_set
from biasprint.core.prompts.drafts import mitigated, mitigations
from biasprint.core.prompts.letters import letter_design


def test_a_mitigated_set_holds_every_prompt_twice_with_its_twin() -> None:
    plain = letters_context_less_set(occupations=["chef"], ages=[20])
    both = mitigated(plain, "record_only")
    assert len(both.prompts) == 2 * len(plain.prompts)
    arms = {arm: [p for p in both.prompts if p.fields["arm"] == arm] for arm in ("plain", "record_only")}
    assert [p.text for p in arms["plain"]] == [p.text for p in plain.prompts]
    for twin, original in zip(arms["record_only"], plain.prompts, strict=True):
        assert twin.text == f"{mitigations()['record_only'].instruction}\n\n{original.text}"
        assert twin.fields["pair"] == original.key
        assert twin.fields["block"] == original.fields["block"]
    assert both.recipe["mitigation"]["name"] == "record_only"


def test_an_instruction_of_ones_own_needs_a_name_and_an_unknown_name_is_refused() -> None:
    plain = letters_context_less_set(occupations=["chef"], ages=[20])
    own = mitigated(plain, "kind", "Be fair.")
    assert any(prompt.text.startswith("Be fair.\n\n") for prompt in own.prompts)
    with pytest.raises(UsageError, match="no mitigation “kind”"):
        mitigated(plain, "kind")


def test_other_documents_are_data_and_have_keys_of_their_own() -> None:
    assert set(letter_design().documents) == {"letter", "resume_summary", "peer_evaluation"}
    summary = letters_context_less_set(document="resume_summary", ages=[30], occupations=["chef"])
    assert {prompt.task for prompt in summary.prompts} == {"resume_summary"}
    assert all(prompt.key.startswith("resume_summary/chef/30/") for prompt in summary.prompts)
    assert "résumé" in summary.prompts[0].text
    with pytest.raises(UsageError, match="no document “poem”"):
        letters_context_less_set(document="poem")
