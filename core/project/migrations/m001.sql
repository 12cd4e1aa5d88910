-- Schema version 1 of a Biasprint project.
-- Times are UTC in ISO 8601. JSON columns hold canonical JSON (sorted keys, no blanks).
-- Texts are exact: *_sha256 is over the bytes as received; `escaped` = 1 where lone surrogates were
-- written as U+F8F1 and four hexadecimal digits (see core/project/stores/common.py).
-- Rows that travel between machines (plans, comparisons, raters, sessions, judgments, annotations,
-- packets, readings) have UUID keys, so that merging is idempotent and independent of order.

CREATE TABLE study (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE axis_definition (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    title TEXT NOT NULL,
    definition TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (key, version),
    UNIQUE (key, sha256)
) STRICT;

CREATE TABLE prompt_set (
    id INTEGER PRIMARY KEY,
    study_id INTEGER NOT NULL REFERENCES study (id),
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    recipe TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (study_id, name, version),
    UNIQUE (study_id, name, sha256)
) STRICT;

CREATE TABLE prompt (
    id INTEGER PRIMARY KEY,
    prompt_set_id INTEGER NOT NULL REFERENCES prompt_set (id),
    key TEXT NOT NULL,
    text TEXT NOT NULL,
    text_sha256 TEXT NOT NULL,
    escaped INTEGER NOT NULL,
    task TEXT NOT NULL,
    theme TEXT NOT NULL,
    axis TEXT NOT NULL,
    identity TEXT NOT NULL,
    fields TEXT NOT NULL,
    UNIQUE (prompt_set_id, key)
) STRICT;

CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    study_id INTEGER NOT NULL REFERENCES study (id),
    kind TEXT NOT NULL,
    origin TEXT NOT NULL,
    row INTEGER NOT NULL,
    text TEXT NOT NULL,
    text_sha256 TEXT NOT NULL,
    escaped INTEGER NOT NULL,
    fields TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (study_id, origin, row)
) STRICT;

CREATE TABLE generator (
    id INTEGER PRIMARY KEY,
    backend TEXT NOT NULL,
    model TEXT NOT NULL,
    parameters TEXT NOT NULL,
    revision TEXT NOT NULL,
    sha256 TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    study_id INTEGER NOT NULL REFERENCES study (id),
    prompt_set_id INTEGER NOT NULL REFERENCES prompt_set (id),
    generator_id INTEGER NOT NULL REFERENCES generator (id),
    seed INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    recipe TEXT NOT NULL,
    program_version TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (prompt_set_id, generator_id, seed)
) STRICT;

CREATE TABLE output (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run (id),
    prompt_id INTEGER NOT NULL REFERENCES prompt (id),
    sample INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('done', 'error')),
    text TEXT NOT NULL,
    text_sha256 TEXT NOT NULL,
    escaped INTEGER NOT NULL,
    finish_reason TEXT NOT NULL,
    error TEXT NOT NULL,
    usage TEXT NOT NULL,
    seconds REAL NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (run_id, prompt_id, sample)
) STRICT;
CREATE INDEX output_by_prompt ON output (prompt_id);

CREATE TABLE score (
    id INTEGER PRIMARY KEY,
    output_id INTEGER REFERENCES output (id),
    source_id INTEGER REFERENCES source (id),
    scorer TEXT NOT NULL,
    version TEXT NOT NULL,
    shape TEXT NOT NULL,
    "values" BLOB NOT NULL,
    summary REAL,
    created_at TEXT NOT NULL,
    CHECK ((output_id IS NULL) <> (source_id IS NULL)),
    UNIQUE (scorer, version, output_id),
    UNIQUE (scorer, version, source_id)
) STRICT;

CREATE TABLE embedding (
    id INTEGER PRIMARY KEY,
    output_id INTEGER REFERENCES output (id),
    source_id INTEGER REFERENCES source (id),
    embedder TEXT NOT NULL,
    version TEXT NOT NULL,
    vector BLOB NOT NULL,
    created_at TEXT NOT NULL,
    CHECK ((output_id IS NULL) <> (source_id IS NULL)),
    UNIQUE (embedder, version, output_id),
    UNIQUE (embedder, version, source_id)
) STRICT;

CREATE TABLE plan (
    id TEXT PRIMARY KEY NOT NULL,
    study_id INTEGER NOT NULL REFERENCES study (id),
    title TEXT NOT NULL,
    axis TEXT NOT NULL,
    seed INTEGER NOT NULL,
    settings TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

-- items: the cards in plan order, [{"output": id, "identity": …}, …]. texts_sha256 is over the texts shown.
CREATE TABLE comparison (
    id TEXT PRIMARY KEY NOT NULL,
    plan_id TEXT NOT NULL REFERENCES plan (id),
    position INTEGER NOT NULL,
    axis TEXT NOT NULL,
    task TEXT NOT NULL,
    theme TEXT NOT NULL,
    items TEXT NOT NULL,
    texts_sha256 TEXT NOT NULL,
    repeat_of TEXT REFERENCES comparison (id),
    UNIQUE (plan_id, position)
) STRICT;

CREATE TABLE rater (
    id TEXT PRIMARY KEY NOT NULL,
    code TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('person', 'model')),
    background TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE session (
    id TEXT PRIMARY KEY NOT NULL,
    plan_id TEXT NOT NULL REFERENCES plan (id),
    rater_id TEXT NOT NULL REFERENCES rater (id),
    consent_text TEXT NOT NULL,
    consent_at TEXT NOT NULL,
    opened_at TEXT NOT NULL,
    revealed_at TEXT,
    UNIQUE (plan_id, rater_id)
) STRICT;

-- Append-only. Undo and revise add a row that supersedes; a withdrawn choice has outcome 'undone'.
-- shown: the item indexes in the order of the cards. chosen: an item index, with outcome 'choice' alone.
CREATE TABLE judgment (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL REFERENCES session (id),
    comparison_id TEXT NOT NULL REFERENCES comparison (id),
    outcome TEXT NOT NULL CHECK (outcome IN ('choice', 'tie', 'none', 'skip', 'undone')),
    chosen INTEGER,
    shown TEXT NOT NULL,
    texts_sha256 TEXT NOT NULL,
    note TEXT NOT NULL,
    active_seconds REAL NOT NULL,
    supersedes TEXT UNIQUE REFERENCES judgment (id),
    created_at TEXT NOT NULL,
    row_sha256 TEXT NOT NULL,
    CHECK ((outcome = 'choice') = (chosen IS NOT NULL))
) STRICT;
CREATE INDEX judgment_by_session ON judgment (session_id, comparison_id);
CREATE INDEX judgment_by_comparison ON judgment (comparison_id);

CREATE TABLE draft (
    session_id TEXT NOT NULL REFERENCES session (id),
    comparison_id TEXT NOT NULL REFERENCES comparison (id),
    note TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (session_id, comparison_id)
) STRICT;

CREATE TABLE annotation (
    id TEXT PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    rater_id TEXT REFERENCES rater (id),
    "value" TEXT NOT NULL,
    supersedes TEXT UNIQUE REFERENCES annotation (id),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX annotation_by_target ON annotation (target, kind);

CREATE TABLE packet (
    id TEXT PRIMARY KEY NOT NULL,
    plan_id TEXT NOT NULL REFERENCES plan (id),
    rater_id TEXT NOT NULL REFERENCES rater (id),
    direction TEXT NOT NULL CHECK (direction IN ('made', 'merged')),
    file_sha256 TEXT NOT NULL,
    manifest TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE reading (
    id TEXT PRIMARY KEY NOT NULL,
    source_id INTEGER REFERENCES source (id),
    title TEXT NOT NULL,
    document_sha256 TEXT NOT NULL,
    result TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE finding (
    id INTEGER PRIMARY KEY,
    study TEXT NOT NULL,
    finding_id TEXT NOT NULL,
    label TEXT NOT NULL,
    variant TEXT NOT NULL,
    body TEXT NOT NULL,
    recipe TEXT NOT NULL,
    measurement TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX finding_by_measurement ON finding (study, measurement);

CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
