"""What writes text: the protocol of a backend, the registry, and the backends themselves, each in its own folder."""
