"""A reading as a document for people: PDF or docx, in plain words, with methods and versions on the last page."""

from core.documents.letter_report.write import REPORT_SUFFIXES, write_report

__all__ = ["REPORT_SUFFIXES", "write_report"]
