-- Format 2: failures have a kind; outputs and judgments keep what else a model said, as JSON.

-- failure: why an output ended in an error, by kind. detail: such as the likelihoods of the options.
ALTER TABLE output ADD COLUMN failure TEXT NOT NULL DEFAULT '';
ALTER TABLE output ADD COLUMN detail TEXT NOT NULL DEFAULT '{}';

-- detail: a model's reply and how it was read; empty for people.
ALTER TABLE judgment ADD COLUMN detail TEXT NOT NULL DEFAULT '{}';
