"""The functions that are called in a child process: `shared().call(calls.score_batch, name, texts, ctx=ctx)`.

To the type checker and to an editor each name is the function itself, so a definition is found and its result has its
type. At run time it is where the function is, as text: this process imports none of them. A test compares each text
with its import, and every call with the function's parameters.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.cluster.as_project import measured as measure_result_folder
    from core.cluster.rows import finished_partitions as finished_partitions
    from core.cluster.rows import places_of as places_in_partition
    from core.cluster.rows import rows_at as rows_of_partition
    from core.documents.batches import reference_of_letters as reference_of_letters
    from core.documents.batches import row_of_letter as row_of_letter
    from core.documents.files.child import parse as parse_letter_file
    from core.documents.name_twins import read_under_names as read_under_names
    from core.documents.pile.compare import group_tests
    from core.documents.reading import get_ready as get_ready_for_words
    from core.documents.reading import read_letter as read_letter
    from core.documents.reading import read_words as read_words
    from core.documents.report import write_note as write_note
    from core.documents.report import write_pile_report as write_pile_report
    from core.documents.report import write_report
    from core.documents.report.letters import section_of_letter as section_of_letter
    from core.documents.twins import read_with_twin as read_with_twin
    from core.documents.twins import swapped_context as swapped_context
    from core.documents.word import in_reading_process as write_word
    from core.project.gate import examine_file as examine_project
    from core.report.audit import write_study_report as write_study_report
    from core.runs.calibrate.trials import simulated as simulated_studies
    from core.runs.compare.planning import in_compute as plan_comparisons
    from core.runs.explore import map_texts as map_texts
    from core.runs.explore import principal_directions as principal_directions
    from core.runs.explore import rank_correlation as rank_correlation
    from core.runs.explore import stand_ins as stand_in_scorers
    from core.runs.explore import telling_words as telling_words
    from core.runs.fingerprint import in_compute as fingerprint_of_tables
    from core.runs.live.news import in_compute as live_news
    from core.runs.measure.between import in_compute as estimates_without
    from core.runs.measure.compare import in_compute as measure_compared
    from core.runs.measure.completion import in_compute as measure_completion
    from core.runs.measure.creativity import judgments_in_compute as measure_judgments
    from core.runs.measure.creativity import outputs_in_compute as measure_creative_outputs
    from core.runs.measure.letters import in_compute as measure_letters
    from core.runs.measure.letters import tables_in_compute as letters_tables
    from core.runs.measure.news import in_compute as measure_news
    from core.runs.writing import describe as describe_generator
    from core.runs.writing import probe as probe_endpoint
    from core.runs.writing import write_all as write_all
    from core.scorers.registry import score_batch as score_batch
    from core.scorers.registry import score_kept as score_kept
    from core.studies.letters.biographies import set_from_rows as biographies_from_rows
    from core.studies.news.groups import remarks as word_remarks
    from core.swap.engine import strict_twins as strict_twins
else:
    measure_result_folder = "core.cluster.as_project:measured"
    finished_partitions = "core.cluster.rows:finished_partitions"
    places_in_partition = "core.cluster.rows:places_of"
    rows_of_partition = "core.cluster.rows:rows_at"
    reference_of_letters = "core.documents.batches:reference_of_letters"
    row_of_letter = "core.documents.batches:row_of_letter"
    parse_letter_file = "core.documents.files.child:parse"
    read_under_names = "core.documents.name_twins:read_under_names"
    group_tests = "core.documents.pile.compare:group_tests"
    get_ready_for_words = "core.documents.reading:get_ready"
    read_letter = "core.documents.reading:read_letter"
    read_words = "core.documents.reading:read_words"
    write_word = "core.documents.word:in_reading_process"
    write_note = "core.documents.report:write_note"
    write_pile_report = "core.documents.report:write_pile_report"
    write_report = "core.documents.report:write_report"
    section_of_letter = "core.documents.report.letters:section_of_letter"
    read_with_twin = "core.documents.twins:read_with_twin"
    swapped_context = "core.documents.twins:swapped_context"
    examine_project = "core.project.gate:examine_file"
    write_study_report = "core.report.audit:write_study_report"
    simulated_studies = "core.runs.calibrate.trials:simulated"
    plan_comparisons = "core.runs.compare.planning:in_compute"
    map_texts = "core.runs.explore:map_texts"
    principal_directions = "core.runs.explore:principal_directions"
    rank_correlation = "core.runs.explore:rank_correlation"
    stand_in_scorers = "core.runs.explore:stand_ins"
    telling_words = "core.runs.explore:telling_words"
    fingerprint_of_tables = "core.runs.fingerprint:in_compute"
    live_news = "core.runs.live.news:in_compute"
    estimates_without = "core.runs.measure.between:in_compute"
    measure_compared = "core.runs.measure.compare:in_compute"
    measure_completion = "core.runs.measure.completion:in_compute"
    measure_judgments = "core.runs.measure.creativity:judgments_in_compute"
    measure_creative_outputs = "core.runs.measure.creativity:outputs_in_compute"
    measure_letters = "core.runs.measure.letters:in_compute"
    letters_tables = "core.runs.measure.letters:tables_in_compute"
    measure_news = "core.runs.measure.news:in_compute"
    describe_generator = "core.runs.writing:describe"
    probe_endpoint = "core.runs.writing:probe"
    write_all = "core.runs.writing:write_all"
    score_batch = "core.scorers.registry:score_batch"
    score_kept = "core.scorers.registry:score_kept"
    biographies_from_rows = "core.studies.letters.biographies:set_from_rows"
    word_remarks = "core.studies.news.groups:remarks"
    strict_twins = "core.swap.engine:strict_twins"
