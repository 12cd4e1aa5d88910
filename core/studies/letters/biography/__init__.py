"""Biographies made ready: names replaced, gendered words swapped, paragraphs sampled to a length."""
