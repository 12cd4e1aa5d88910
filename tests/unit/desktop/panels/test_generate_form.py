"""The form of the generate panel: generators, their parameters, what is said before a run, and what it goes on with."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from made_once import made_once
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QDoubleSpinBox
from pytestqt.qtbot import QtBot

from biasprint.core.backends import registry
from biasprint.core.backends.llama_cpp import options
from biasprint.core.backends.protocol import BackendInfo, Capabilities
from biasprint.core.jobs import JobContext
from biasprint.core.machine import endpoints
from biasprint.core.machine.endpoints import Endpoint, Price, rough_tokens
from biasprint.core.machine.models import catalogue
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec
from biasprint.core.runs.generate import start_run
from biasprint.core.runs.setup import add_prompts
from biasprint.desktop import theme
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.runs import (
    Plan,
    PromptSetSize,
    RunEstimate,
    WriteRequest,
    author_words,
    estimated,
    read_facts,
)
from biasprint.desktop.operations.writers import (
    ANSWER,
    OPTIONS,
    LocalModel,
    Option,
    options_for,
    same_generator,
    sampling_of,
)
from biasprint.desktop.panels.generate.form import GenerateForm
from biasprint.desktop.panels.generate.panel import GeneratePanel
from biasprint.desktop.panels.generate.writers import OptionFields

PATIENCE = 60_000
LOCAL = Capabilities(streams=True, honours_seed=True, likelihood=True, offline=True, is_language_model=True)


@pytest.fixture(autouse=True)
def computer(own_computer: None) -> None:
    """An endpoint whose price is known."""
    price = Price(input_per_million=2.0, output_per_million=10.0, currency="EUR")
    endpoints.save(Endpoint("lab", "http://127.0.0.1:9/v1", concurrency=4, prices={"priced": price}))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Sets of three studies, the letters' newest."""
    path = tmp_path / "audit.biasprint"

    def make() -> None:
        with Project.create(path) as project:
            add_prompts(project, "completion", domains=["ageism"], directions=["SAI"])
            add_prompts(project, "creativity", tasks=["haiku"], themes=["stars"])
            add_prompts(project, "letters")

    made_once("sets of three studies", make, path)
    return path


@pytest.fixture
def form(qtbot: QtBot, window: MainWindow, file: Path) -> GenerateForm:
    with qtbot.waitSignal(window.session.opened):
        window.session.open(file)
    window.show_panel("generate")
    panel = window.panels["generate"]
    assert isinstance(panel, GeneratePanel)
    qtbot.waitUntil(panel.write.form.start.isEnabled, timeout=PATIENCE)
    return panel.write.form


def choose_study(form: GenerateForm, kind: str) -> None:
    form.choose_set(next(set_id for set_id, study in form._kinds.items() if study == kind))


# generators


def test_every_backend_is_offered_and_one_that_cannot_be_used_says_why(
    qtbot: QtBot, window: MainWindow, form: GenerateForm, monkeypatch: pytest.MonkeyPatch
):
    reason = "Install it with “pip install llama-cpp-python”."
    known = [*registry.known(), BackendInfo("absent", "Absent backend", "", (), LOCAL, unavailable=reason)]
    monkeypatch.setattr(registry, "known", lambda: known)
    window.show_panel("home")
    window.show_panel("generate")
    qtbot.waitUntil(lambda: form.backend.findData("absent") >= 0, timeout=PATIENCE)
    assert [form.backend.itemData(n) for n in range(form.backend.count())] == [info.name for info in known]
    assert form.backend.itemText(form.backend.count() - 1) == "Absent backend: not installed here"
    form.picker.choose("absent", "", "")
    assert form.refused.text.text() == reason
    assert not form.start.isEnabled()
    form.parts.click()  # the way to what is missing
    assert window.parts_page.isVisible()
    window.parts_page.hide()


def test_the_engine_is_installed_by_one_click_and_then_writes(
    qtbot: QtBot, window: MainWindow, form: GenerateForm, monkeypatch: pytest.MonkeyPatch
):
    here = threading.Event()
    monkeypatch.setattr(options, "installed", here.is_set)
    monkeypatch.setattr(options, "why_not", lambda: "")
    monkeypatch.setattr(options, "install", lambda ctx: here.set())
    window.show_panel("home")
    window.show_panel("generate")
    qtbot.waitUntil(lambda: "not installed here" in form.backend.itemText(form.backend.findData("llama_cpp")))
    assert form.engine.isHidden()  # another generator is chosen
    form.picker.choose("llama_cpp", "", "")
    qtbot.waitUntil(form.engine.install.isVisible, timeout=PATIENCE)
    assert form.refused.isHidden()  # said once
    assert not form.start.isEnabled()
    form.engine.install.click()
    qtbot.waitUntil(form.start.isEnabled, timeout=PATIENCE)
    assert form.engine.isHidden()
    assert form.request().model == "teaching"


def test_a_local_model_is_chosen_from_those_on_this_computer(form: GenerateForm):
    form.picker.choose("llama_cpp", "", "")
    assert form.model.currentData() == "teaching"
    assert not form.not_a_model.isVisible()
    assert form.start.isEnabled()
    assert form.request().model == "teaching"


def test_without_a_local_model_the_way_to_the_models_is_shown(
    window: MainWindow, form: GenerateForm, monkeypatch: pytest.MonkeyPatch
):
    form.picker.choose("transformers", "", "")
    if form.picker.info is None or form.picker.info.name != "transformers":
        pytest.skip("the backend for folders is not registered")
    assert "There is no model folder on this computer yet" in form.refused.text.text()
    assert not form.start.isEnabled()
    form.picker.models.click()
    assert window.current == "models"


def test_an_endpoint_needs_a_model_by_name(form: GenerateForm):
    form.picker.choose("openai_compatible", "lab", "")
    form.picker.name.setEditText("")
    assert not form.start.isEnabled()
    assert form.start.toolTip() == "Say first which model is to write: its name is missing."
    form.picker.name.setEditText("gpt-small")
    assert form.start.isEnabled()
    assert form.start.toolTip() == ""
    request = form.request()
    assert (request.backend, request.model, dict(request.parameters)["endpoint"]) == (
        "openai_compatible", "gpt-small", "lab",
    )  # fmt: skip
    assert author_words(request) == "lab · gpt-small, temperature 1"
    local = replace(request, backend="llama_cpp", parameters=(("temperature", 0.2),))
    assert author_words(local) == "gpt-small, temperature 0.2"


def test_an_empty_list_of_endpoints_says_why_it_is_empty(qtbot: QtBot, window: MainWindow, form: GenerateForm):
    endpoints.remove("lab")
    window.show_panel("home")
    window.show_panel("generate")
    form.picker.choose("openai_compatible", "", "")
    qtbot.waitUntil(lambda: form.picker.endpoint.count() == 0, timeout=PATIENCE)
    assert form.picker.endpoint.shown_text() == "none known here yet"
    assert form.picker.endpoint.toolTip() == "No endpoint is known yet: add one under Models."
    assert form.picker.endpoint.accessibleDescription() == form.picker.endpoint.toolTip()


def test_with_the_offline_switch_on_no_endpoint_is_asked(
    qtbot: QtBot, window: MainWindow, form: GenerateForm, monkeypatch: pytest.MonkeyPatch
):
    form.picker.choose("openai_compatible", "lab", "priced")
    assert form.start.isEnabled()
    with qtbot.waitSignal(window.connections.changed):
        window.connections.switch(True)
    assert not form.start.isEnabled()
    assert form.refused.text.text() == "The offline switch is on: no connection is attempted."
    form.picker.choose("llama_cpp", "", "")
    assert form.start.isEnabled()


# parameters


def starts(options: tuple[Option, ...]) -> dict[str, object]:
    return {option.name: option.start for option in options if option.start is not None}


def test_what_can_be_set_is_what_the_backends_take():
    from biasprint.core.backends.llama_cpp.options import read_options
    from biasprint.core.backends.openai_compatible.settings import settings_of
    from biasprint.core.backends.transformers_local.options import read_options as read_transformers

    def filled(backend: str) -> dict[str, object]:
        """A value for every option, also those that are left open at first."""
        values: dict[str, object] = {"number": 1.0, "count": 128, "text": "Be brief.", "switch": True}
        return {one.name: values.get(one.kind) or one.choices[0][0] for one in OPTIONS[backend]}

    assert read_options(filled("llama_cpp")).context == 128
    assert read_transformers(filled("transformers")).temperature == 1.0
    endpoint = {name: value for name, value in filled("openai_compatible").items() if value}
    assert settings_of("any", {**endpoint, "endpoint": "lab"}).system == "Be brief."
    assert settings_of("any", {"endpoint": "lab", "mode": "completions"}).mode == "completions"


def test_what_is_left_alone_is_what_llama_cpp_would_do_by_itself():
    from biasprint.core.backends.llama_cpp.options import LlamaOptions

    shown = starts(OPTIONS["llama_cpp"])
    own = LlamaOptions()
    assert (shown["temperature"], shown["top_p"], shown["prefix_cache"]) == (
        own.temperature, own.top_p, own.prefix_cache,
    )  # fmt: skip


REAL = "smollm2-135m-instruct"


def offer_real(form: GenerateForm) -> None:
    """As if the real model had been got; nothing is opened here."""
    presets = {purpose: preset.parameters for purpose, preset in catalogue_entry().presets.items()}
    real = LocalModel(REAL, "SmolLM2", "gguf", presets=presets)
    form.show_writers(replace(form.picker._writers, models=(real, *form.picker._writers.models)))


def catalogue_entry() -> catalogue.CatalogueEntry:
    entry = catalogue.entry(REAL)
    assert entry is not None
    return entry


def test_every_recommended_parameter_has_a_field_and_is_taken_by_the_backend():
    from biasprint.core.backends.llama_cpp.options import read_options

    fields = {option.name for option in (*OPTIONS["llama_cpp"], ANSWER)}
    for purpose, preset in catalogue_entry().presets.items():
        assert set(preset.parameters) <= fields, purpose
        assert preset.why
        read_options({name: value for name, value in preset.parameters.items() if name != ANSWER.name})
    assert set(catalogue_entry().presets) == {"letters", "creativity", "completion", "judging"}


def test_a_real_model_is_the_generator_to_begin_with_and_one_that_was_chosen_stays(form: GenerateForm):
    assert form.picker.info is not None
    assert not form.picker.info.capabilities.is_language_model  # the teaching model is no generator to begin with
    offer_real(form)
    assert (form.request().backend, form.request().model) == ("llama_cpp", REAL)
    form.picker.choose("llama_cpp", "", "teaching")
    form.show_writers(replace(form.picker._writers, trouble="something new"))
    assert form.request().model == "teaching"


def test_what_is_recommended_for_model_and_study_is_set_and_can_be_changed(form: GenerateForm):
    offer_real(form)
    choose_study(form, "letters")
    recommended = dict(catalogue_entry().presets["letters"].parameters)
    assert recommended.items() <= dict(form.request().parameters).items()
    assert form.preset.text() == (
        "Set as recommended for this model and study. The paper used: temperature 1, top-p 1."
    )
    choose_study(form, "completion")
    assert dict(form.request().parameters)["choose"] == "likelihood_corrected"
    choose_study(form, "letters")
    field = form.options.fields["temperature"]
    assert isinstance(field, QDoubleSpinBox)
    field.setValue(0.7)
    assert dict(form.request().parameters)["temperature"] == 0.7
    form.picker.choose("llama_cpp", "", "teaching")
    assert dict(form.request().parameters)["temperature"] == 1.0
    assert "system" not in dict(form.request().parameters)


def test_a_study_starts_with_its_papers_values_and_what_a_person_set_stays(form: GenerateForm):
    form.picker.choose("llama_cpp", "", "")
    choose_study(form, "letters")
    assert sampling_of("letters") == {"temperature": 1.0, "top_p": 1.0}
    assert {name: form.options.values()[name] for name in ("temperature", "top_p")} == sampling_of("letters")
    assert form.preset.text() == "The paper's own: temperature 1, top-p 1."
    choose_study(form, "creativity")
    assert form.options.values()["temperature"] == 0.2
    assert form.options.values()["top_p"] == 0.95
    field = form.options.fields["temperature"]
    assert isinstance(field, QDoubleSpinBox)
    field.setValue(0.7)
    choose_study(form, "letters")
    assert form.options.values()["temperature"] == 0.7
    choose_study(form, "completion")
    assert form.options.values()["temperature"] == 0.7
    assert not form.preset.isVisible()


def test_answers_by_likelihood_are_offered_where_they_can_be_had(form: GenerateForm):
    form.picker.choose("llama_cpp", "", "")
    choose_study(form, "completion")
    field = form.options.fields["choose"]
    assert isinstance(field, QComboBox)
    assert "choose" not in dict(form.request().parameters)
    field.setCurrentIndex(field.findData("likelihood_corrected"))
    assert dict(form.request().parameters)["choose"] == "likelihood_corrected"
    choose_study(form, "creativity")
    assert "choose" not in form.options.fields
    choose_study(form, "completion")
    form.picker.choose("openai_compatible", "lab", "priced")
    assert "choose" not in form.options.fields


def test_a_plug_in_has_no_fields_that_it_may_not_know():
    info = BackendInfo("somebodys", "Somebody's", "", (), LOCAL)
    assert options_for(info, "letters") == ()
    assert [option.name for option in options_for(info, "completion")] == ["choose"]


def test_what_is_left_open_is_not_sent(form: GenerateForm):
    choose_study(form, "completion")
    form.picker.choose("openai_compatible", "lab", "priced")
    assert dict(form.request().parameters) == {"endpoint": "lab", "max_tokens": 1_024}


# going on


@pytest.mark.parametrize(
    ("backend", "given", "stored", "same"),
    [
        ("synthetic", {}, {}, True),
        ("llama_cpp", {"temperature": 0.2}, {"temperature": 0.2, "context": 2048, "top_k": 40}, True),
        ("llama_cpp", {"temperature": 0.2}, {"temperature": 0.8, "context": 2048}, False),
        ("llama_cpp", {"temperature": 0.2}, {"temperature": 0.2, "choose": "likelihood"}, False),
        ("llama_cpp", {"temperature": 0.2}, {"temperature": 0.2, "max_tokens": 64}, False),
        ("llama_cpp", {"prefix_cache": False}, {"prefix_cache": True}, False),
        ("transformers", {}, {"temperature": 0.6, "context": 2048}, True),
        ("openai_compatible", {"endpoint": "lab"}, {"endpoint": "lab", "mode": "chat", "base_url": "x"}, True),
        ("openai_compatible", {"endpoint": "lab"}, {"endpoint": "lab", "mode": "messages"}, True),
        ("openai_compatible", {"endpoint": "lab"}, {"endpoint": "lab", "mode": "completions"}, False),
        ("openai_compatible", {"endpoint": "lab"}, {"endpoint": "lab", "mode": "chat", "system": "Be kind."}, False),
        ("openai_compatible", {"endpoint": "lab"}, {"endpoint": "other", "mode": "chat"}, False),
    ],
)
def test_a_request_goes_on_with_a_run_of_the_same_generator(
    backend: str, given: dict[str, object], stored: dict[str, object], same: bool
):
    assert same_generator(backend, given, stored) is same


def test_a_picked_run_is_asked_for_with_everything_that_it_was(form: GenerateForm):
    choose_study(form, "letters")
    stored = WriteRequest(
        form.prompt_set.currentData(), "llama_cpp", "teaching", 9, 3,
        (("chat_template", True), ("context", 2048), ("gpu_layers", 0), ("max_tokens", 256), ("min_p", 0.05),
         ("prefix_cache", False), ("repeat_penalty", 1.0), ("temperature", 0.35), ("top_k", 12), ("top_p", 0.9)),
    )  # fmt: skip
    form.choose(stored)
    assert form.request() == stored
    form.picker.choose("synthetic", "", "small")
    assert form.request().parameters == ()


# what is said before a run


def plan(**more: object) -> Plan:
    usual = {"missing": 10, "longest": 100, "system": "", "price": Price(2.0, 10.0, "EUR"), "at_once": 1,
             "speaks_tokens": True, "charged": True}  # fmt: skip
    return Plan(**{**usual, **more})  # type: ignore[arg-type]


def words(facts: PromptSetSize, asked: Plan) -> str:
    estimate = estimated(facts, asked)
    assert isinstance(estimate, RunEstimate)
    return estimate.words


def test_tokens_money_and_time_are_counted_from_what_is_missing():
    facts = PromptSetSize(prompts=20, tokens=1_000, seconds=3.0, timed=40)
    # 10 × (1,000 / 20 + 2) = 520 read, 10 × 100 = 1,000 written; (520 × 2 + 1,000 × 10) / 10⁶ = 0.01104; 10 × 3 / 4 s
    asked = plan(system="Be kind.", at_once=4)
    assert words(facts, asked) == (
        "About 520 tokens to read, at most 1,000 to write. At most about 0.01 EUR. About 8 s."
    )


def test_no_price_is_ever_invented_and_nothing_is_said_that_is_not_known():
    facts = PromptSetSize(prompts=20, tokens=1_000, seconds=None, timed=0)
    assert words(facts, plan(price=None)) == (
        "About 500 tokens to read, at most 1,000 to write. "
        "What it costs is not known: no price is given for this model."
    )
    assert words(facts, plan(charged=False)) == "About 500 tokens to read, at most 1,000 to write."
    assert "cannot be told without a longest text" in words(facts, plan(longest=None))
    assert words(facts, plan(writes=False)) == "About 500 tokens to read; nothing is written."
    assert estimated(facts, plan(missing=0)) is None
    assert estimated(facts, plan(speaks_tokens=False)) is None


def test_a_price_below_a_cent_is_not_nothing():
    facts = PromptSetSize(prompts=1, tokens=10, seconds=None, timed=0)
    assert "Less than 0.01 EUR." in words(facts, plan(missing=1, longest=10))


def test_the_facts_of_a_set_are_counted_and_timed_by_the_models_own_texts(tmp_path: Path):
    with Project.create(tmp_path / "a.biasprint") as project:
        added = add_prompts(project, "creativity", tasks=["haiku"], themes=["stars"])
        prompts = project.prompts.page(added.set_id, 0, 100)
        run = start_run(
            project, prompt_set_id=added.set_id, generator=GeneratorSpec(backend="llama_cpp", model="mine"), seed=1
        )
        assert read_facts(JobContext(), project, added.set_id, "llama_cpp", "mine").seconds is None
        project.outputs.record_many(
            [
                OutputSpec(run_id=run, prompt_id=prompt.id, sample=0, seed=1, text="x", seconds=seconds)
                for prompt, seconds in zip(prompts, (1.0, 2.0, 6.0), strict=False)
            ]
        )
        facts = read_facts(JobContext(), project, added.set_id, "llama_cpp", "mine")
        other = read_facts(JobContext(), project, added.set_id, "llama_cpp", "another")
    assert facts == PromptSetSize(len(prompts), sum(rough_tokens(one.text) for one in prompts), 3.0, 3)
    assert (other.seconds, other.timed) == (None, 0)


def test_the_estimate_stands_in_the_form_with_how_it_was_counted(qtbot: QtBot, form: GenerateForm):
    choose_study(form, "creativity")
    form.picker.choose("openai_compatible", "lab", "priced")
    qtbot.waitUntil(lambda: "EUR" in form.estimate.text(), timeout=PATIENCE)
    assert "at most 9,216 to write" in form.estimate.text()  # 9 prompts × 1,024
    assert "the program knows none" in form.estimate.toolTip()
    form.picker.name.setEditText("unpriced")
    qtbot.waitUntil(lambda: "no price is given" in form.estimate.text(), timeout=PATIENCE)
    form.picker.choose("synthetic", "", "medium")
    qtbot.waitUntil(lambda: form.estimate.isHidden(), timeout=PATIENCE)


def test_no_value_of_a_picked_run_is_left_for_other_prompts(form: GenerateForm):
    sets = [form.prompt_set.itemData(place) for place in range(form.prompt_set.count())]
    usual = form.request()
    form.choose(WriteRequest(sets[0], "synthetic", usual.model, 77, 250, (("answer", "x"),)))
    assert (form.request().seed, form.request().samples) == (77, 250)
    form.choose_set(sets[1])
    assert (form.request().seed, form.request().samples) == (1, 1)
    assert "answer" not in dict(form.request().parameters)
    form.seed.setValue(5)  # by hand, which is meant for whatever is chosen
    form.choose_set(sets[2])
    assert form.request().seed == 5


def test_another_project_begins_with_the_usual_values(form: GenerateForm):
    form.choose(replace(form.request(), seed=77, samples=20))
    form.show_sets((), {}, {})
    assert (form.seed.value(), form.samples.value()) == (1, 1)


@pytest.mark.parametrize("percent", [100, 200])
def test_no_number_of_a_form_is_cut_off_where_it_is_narrowest(qtbot: QtBot, qapp: QApplication, percent: int):
    theme.apply(qapp, "light", percent / 100)
    fields = OptionFields()
    qtbot.addWidget(fields)
    fields.offer(OPTIONS["llama_cpp"], {})
    fields.resize(fields.minimumSizeHint())
    fields.show()
    qapp.processEvents()
    spins = fields.findChildren(QAbstractSpinBox)
    assert spins
    for spin in spins:
        edit = spin.lineEdit()
        room = edit.width() - 4  # Qt's own margin within the field
        assert spin.fontMetrics().horizontalAdvance(edit.text()) <= room, edit.text()
