"""The functions that are called in a child process: `shared().call(calls.score_batch, name, texts, ctx=ctx)`.

To the type checker and to an editor each name is the function itself, so a definition is found and its result has its
type. At run time it is where the function is, as text: this process imports none of them. A test compares each text
with its import, and every call with the function's parameters.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biasprint.core.cluster.as_project import measured as measure_result_folder
    from biasprint.core.cluster.rows import finished_partitions as finished_partitions
    from biasprint.core.cluster.rows import places_of as places_in_partition
    from biasprint.core.cluster.rows import rows_at as rows_of_partition
    from biasprint.core.documents.batches import reference_of_letters as reference_of_letters
    from biasprint.core.documents.batches import row_of_letter as row_of_letter
    from biasprint.core.documents.files.child import parse as parse_letter_file
    from biasprint.core.documents.name_twins import read_under_names as read_under_names
    from biasprint.core.documents.pile.compare import group_tests
    from biasprint.core.documents.reading import get_ready as get_ready_for_words
    from biasprint.core.documents.reading import read_letter as read_letter
    from biasprint.core.documents.reading import read_words as read_words
    from biasprint.core.documents.report import write_note as write_note
    from biasprint.core.documents.report import write_pile_report as write_pile_report
    from biasprint.core.documents.report import write_report
    from biasprint.core.documents.report.letters import section_of_letter as section_of_letter
    from biasprint.core.documents.twins import read_with_twin as read_with_twin
    from biasprint.core.documents.twins import swapped_context as swapped_context
    from biasprint.core.documents.word import in_reading_process as write_word
    from biasprint.core.project.gate import examine_file as examine_project
    from biasprint.core.report.audit import write_study_report as write_study_report
    from biasprint.core.runs.calibrate.trials import simulated as simulated_studies
    from biasprint.core.runs.compare.planning import in_compute as plan_comparisons
    from biasprint.core.runs.explore import map_texts as map_texts
    from biasprint.core.runs.explore import principal_directions as principal_directions
    from biasprint.core.runs.explore import rank_correlation as rank_correlation
    from biasprint.core.runs.explore import stand_ins as stand_in_scorers
    from biasprint.core.runs.explore import telling_words as telling_words
    from biasprint.core.runs.fingerprint import in_compute as fingerprint_of_tables
    from biasprint.core.runs.live.news import in_compute as live_news
    from biasprint.core.runs.measure.between import in_compute as estimates_without
    from biasprint.core.runs.measure.compare import in_compute as measure_compared
    from biasprint.core.runs.measure.completion import in_compute as measure_completion
    from biasprint.core.runs.measure.creativity import judgments_in_compute as measure_judgments
    from biasprint.core.runs.measure.creativity import outputs_in_compute as measure_creative_outputs
    from biasprint.core.runs.measure.letters import in_compute as measure_letters
    from biasprint.core.runs.measure.letters import tables_in_compute as letters_tables
    from biasprint.core.runs.measure.news import in_compute as measure_news
    from biasprint.core.runs.writing import describe as describe_generator
    from biasprint.core.runs.writing import probe as probe_endpoint
    from biasprint.core.runs.writing import write_all as write_all
    from biasprint.core.scorers.registry import score_batch as score_batch
    from biasprint.core.scorers.registry import score_kept as score_kept
    from biasprint.core.studies.letters.biographies import set_from_rows as biographies_from_rows
    from biasprint.core.studies.news.groups import remarks as word_remarks
    from biasprint.core.swap.engine import strict_twins as strict_twins
else:
    measure_result_folder = "biasprint.core.cluster.as_project:measured"
    finished_partitions = "biasprint.core.cluster.rows:finished_partitions"
    places_in_partition = "biasprint.core.cluster.rows:places_of"
    rows_of_partition = "biasprint.core.cluster.rows:rows_at"
    reference_of_letters = "biasprint.core.documents.batches:reference_of_letters"
    row_of_letter = "biasprint.core.documents.batches:row_of_letter"
    parse_letter_file = "biasprint.core.documents.files.child:parse"
    read_under_names = "biasprint.core.documents.name_twins:read_under_names"
    group_tests = "biasprint.core.documents.pile.compare:group_tests"
    get_ready_for_words = "biasprint.core.documents.reading:get_ready"
    read_letter = "biasprint.core.documents.reading:read_letter"
    read_words = "biasprint.core.documents.reading:read_words"
    write_word = "biasprint.core.documents.word:in_reading_process"
    write_note = "biasprint.core.documents.report:write_note"
    write_pile_report = "biasprint.core.documents.report:write_pile_report"
    write_report = "biasprint.core.documents.report:write_report"
    section_of_letter = "biasprint.core.documents.report.letters:section_of_letter"
    read_with_twin = "biasprint.core.documents.twins:read_with_twin"
    swapped_context = "biasprint.core.documents.twins:swapped_context"
    examine_project = "biasprint.core.project.gate:examine_file"
    write_study_report = "biasprint.core.report.audit:write_study_report"
    simulated_studies = "biasprint.core.runs.calibrate.trials:simulated"
    plan_comparisons = "biasprint.core.runs.compare.planning:in_compute"
    map_texts = "biasprint.core.runs.explore:map_texts"
    principal_directions = "biasprint.core.runs.explore:principal_directions"
    rank_correlation = "biasprint.core.runs.explore:rank_correlation"
    stand_in_scorers = "biasprint.core.runs.explore:stand_ins"
    telling_words = "biasprint.core.runs.explore:telling_words"
    fingerprint_of_tables = "biasprint.core.runs.fingerprint:in_compute"
    live_news = "biasprint.core.runs.live.news:in_compute"
    estimates_without = "biasprint.core.runs.measure.between:in_compute"
    measure_compared = "biasprint.core.runs.measure.compare:in_compute"
    measure_completion = "biasprint.core.runs.measure.completion:in_compute"
    measure_judgments = "biasprint.core.runs.measure.creativity:judgments_in_compute"
    measure_creative_outputs = "biasprint.core.runs.measure.creativity:outputs_in_compute"
    measure_letters = "biasprint.core.runs.measure.letters:in_compute"
    letters_tables = "biasprint.core.runs.measure.letters:tables_in_compute"
    measure_news = "biasprint.core.runs.measure.news:in_compute"
    describe_generator = "biasprint.core.runs.writing:describe"
    probe_endpoint = "biasprint.core.runs.writing:probe"
    write_all = "biasprint.core.runs.writing:write_all"
    score_batch = "biasprint.core.scorers.registry:score_batch"
    score_kept = "biasprint.core.scorers.registry:score_kept"
    biographies_from_rows = "biasprint.core.studies.letters.biographies:set_from_rows"
    word_remarks = "biasprint.core.studies.news.groups:remarks"
    strict_twins = "biasprint.core.swap.engine:strict_twins"
