"""Backends, which write text: their protocol, the registry, and each backend in its own folder."""
