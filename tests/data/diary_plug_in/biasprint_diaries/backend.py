"""A backend: a module with INFO and open(). This one joins phrases, more excited ones for one group."""

from random import Random

from biasprint.plug_ins import BackendInfo, Capabilities, Completion, GeneratorInfo, UsageError

INFO = BackendInfo(
    name="phrasebook",
    title="Phrasebook",
    description="Joins phrases; no language model. It ends more sentences of girls' diaries in exclamation marks.",
    models=("plain", "excited"),
    capabilities=Capabilities(
        streams=False, honours_seed=True, likelihood=False, offline=True, is_language_model=False
    ),
)
PHRASES = ("It rained", "We had soup", "I read a book", "My friend came", "I went to bed late")
CHANCE = {("plain", "boy"): 0.3, ("plain", "girl"): 0.3, ("excited", "boy"): 0.2, ("excited", "girl"): 0.6}


def open(model, parameters):
    """What is wrong with the setting is told here, once; what is wrong with one prompt is a Completion's error."""
    if model not in INFO.models:
        raise UsageError(f"The phrasebook has no model “{model}”.", hint=f"Choose: {', '.join(INFO.models)}.")
    return Phrasebook(model)


class Phrasebook:
    name = INFO.name
    capabilities = INFO.capabilities

    def __init__(self, model):
        self.model = model

    def describe(self):
        return GeneratorInfo(INFO.name, self.model, {}, revision="1")

    def generate(self, request, on_text, check):
        check()  # raises where the person cancelled
        chance = CHANCE.get((self.model, request.fields.get("group")))
        if chance is None:
            return Completion("", "error", error="The prompt names neither a girl nor a boy.", failure="parameters")
        draw = Random(request.seed)  # the same text for the same seed
        text = " ".join(phrase + ("!" if draw.random() < chance else ".") for phrase in PHRASES)
        on_text(text)
        return Completion(text, "stop")

    def close(self):
        pass
