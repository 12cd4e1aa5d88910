"""The parts of the store, one module per theme: each takes the reader and the writer, and hands out frozen rows."""
