"""Reading tables of texts that others made: which column is what, and every bad row named by its number."""

from biasprint.core.tables.fields import FieldSpec, complete_mapping, fields_of, guess_mapping, parse_map_options
from biasprint.core.tables.formats import known_formats, read_format
from biasprint.core.tables.read import OpenTable, iter_records, look_at, read_records
from biasprint.core.tables.rows import Record, RowProblem, TableRead, with_line_breaks
