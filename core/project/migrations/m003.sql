-- Format 3: what comes back in packets. Two files of one rater may both go on from the same row, so that a row may be
-- superseded twice; which one is in force is then decided by a person (core/project/stores/judging.py).
-- A card of a comparison may show a source instead of an output.

CREATE TABLE judgment_new (
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
    supersedes TEXT REFERENCES judgment_new (id),
    created_at TEXT NOT NULL,
    row_sha256 TEXT NOT NULL,
    detail TEXT NOT NULL DEFAULT '{}',
    CHECK ((outcome = 'choice') = (chosen IS NOT NULL))
) STRICT;
INSERT INTO judgment_new (sequence, id, session_id, comparison_id, outcome, chosen, shown, texts_sha256, note, active_seconds, supersedes, created_at, row_sha256, detail)
    SELECT sequence, id, session_id, comparison_id, outcome, chosen, shown, texts_sha256, note, active_seconds, supersedes, created_at, row_sha256, detail FROM judgment ORDER BY sequence;
DROP TABLE judgment;
ALTER TABLE judgment_new RENAME TO judgment;
CREATE INDEX judgment_by_session ON judgment (session_id, comparison_id);
CREATE INDEX judgment_by_comparison ON judgment (comparison_id);
CREATE INDEX judgment_by_superseded ON judgment (supersedes);

CREATE TABLE annotation_new (
    id TEXT PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    rater_id TEXT REFERENCES rater (id),
    "value" TEXT NOT NULL,
    supersedes TEXT REFERENCES annotation_new (id),
    created_at TEXT NOT NULL
) STRICT;
INSERT INTO annotation_new SELECT id, kind, target, rater_id, "value", supersedes, created_at FROM annotation;
DROP TABLE annotation;
ALTER TABLE annotation_new RENAME TO annotation;
CREATE INDEX annotation_by_target ON annotation (target, kind);
CREATE INDEX annotation_by_superseded ON annotation (supersedes);
