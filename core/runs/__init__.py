"""Jobs over the store: generate, score, import, compare, measure. Each is a plain function of a context."""
