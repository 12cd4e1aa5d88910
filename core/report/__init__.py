"""What leaves the program: tables for other programs, reports for people."""
