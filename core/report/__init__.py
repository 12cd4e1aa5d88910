"""Output of the program: tables for other programs, reports for people."""
