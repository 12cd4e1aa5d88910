"""What a letter may cost to read. A file that needs more is no letter, and may be an attack."""

MOST_BYTES = 30_000_000  # of the file
MOST_UNPACKED = 64_000_000  # bytes of a docx or odt once unpacked
MOST_PARTS = 5_000  # files inside one
MOST_PAGES = 50  # of a PDF: a letter has one or two
MOST_CHARACTERS = 1_000_000  # of text
SECONDS = 10.0
MEMORY = 512 * 1024 * 1024  # bytes of address space of the reading process; Windows knows no such limit


def limit_this_process() -> None:
    """Hold the reading process to `MEMORY`, from here on. It never writes a file either."""
    try:
        import resource
    except ImportError:  # Windows: time and sizes are limited there, memory is not
        return
    for what, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
