"""The parts of the store, one per thing it keeps: each takes the reader and the writer, and hands out frozen rows."""
