"""Texts of a project for an evidence pack: who wrote each, for which prompt, and its hash."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextKey
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.text import sha256_text
from biasprint.core.texts.generators import LETTER, imported_name, runs_by_name
from biasprint.core.texts.replies import ANSWER, reply_kind


@dataclass(frozen=True)
class PackedText:
    """An output or an imported text. `text` is empty where a request brought none; `reply_kind` then says why.

    `prompt`: the text that was sent, or the cell of a table; empty where it is not known.
    """

    key: TextKey
    study: str
    name: str
    prompt: str
    sample: int
    written_by: str
    model: str
    text: str
    reply_kind: str
    error: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)

    def to_json(self, *, whole: bool) -> dict[str, Any]:
        """Return a line of texts.jsonl; not `whole`: hashes in place of prompt, text and columns."""
        own = {
            "study": self.study, "key": self.name, "sample": self.sample, "written_by": self.written_by,
            "reply_kind": self.reply_kind, "prompt_sha256": sha256_text(self.prompt) if self.prompt else None,
            "sha256": sha256_text(self.text),
        }  # fmt: skip
        return {**own, "prompt": self.prompt, "text": self.text, "columns": dict(self.fields)} if whole else own


def packed_texts(ctx: JobContext, project: Project) -> Iterator[PackedText]:
    """Yield every output of every study, failures included, then its imported letters."""
    names = runs_by_name(project)
    for study in project.studies.all():
        prompts = _prompts(project, study.id)
        for row in project.outputs.each(OutputFilter(study_id=study.id)):
            ctx.check()
            groups = {name: getattr(row, name) for name in ("task", "theme", "axis", "identity") if getattr(row, name)}
            prompt = prompts.get(row.prompt_id, "") or row.fields.get("prompt", "")
            yield PackedText(
                ("output", row.id), study.kind, row.prompt_key, prompt, row.sample,
                names.get(row.run_id, ""), row.model, row.text if row.status == "done" else "", reply_kind(row),
                row.error, {**groups, **row.fields},
            )  # fmt: skip
        for source in project.sources.each(study.id, kind=LETTER):
            ctx.check()
            model = source.fields.get("model", "")
            yield PackedText(
                ("source", source.id), study.kind, f"{source.origin}#{source.row}", source.fields.get("prompt", ""), 0,
                imported_name(model), model, source.text, ANSWER, fields=source.fields,
            )  # fmt: skip


def _prompts(project: Project, study_id: int) -> dict[int, str]:
    """Prompt → its text, of all sets of a study."""
    texts: dict[int, str] = {}
    for prompt_set in project.prompts.sets(study_id):
        page = partial(project.prompts.page, prompt_set.id)
        texts |= {row.id: row.text for row in chunks(page, lambda row: row.id)}
    return texts
