"""What a model's folder says of itself, read and checked before anything is loaded."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import AppError
from core.machine.models import layout
from core.machine.models.layout import Format

ANOTHER = "Choose another model, or get this one again."
# What may make the library fetch, import or run something; nothing here is needed to compute the model.
_LEFT_OUT = (
    "auto_map", "attn_implementation", "_attn_implementation", "_attn_implementation_internal", "custom_pipelines",
    "custom_generate", "_name_or_path", "transformers_weights",
)  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """`values`: config.json without what could run code. `own_code`: the folder has some, which is never run."""

    folder: Path
    values: Mapping[str, Any]
    own_code: bool
    weight_bytes: int

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def generation(self) -> Mapping[str, Any]:
        """generation_config.json; empty where it is missing or damaged."""
        try:
            values = json.loads((self.folder / "generation_config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return values if isinstance(values, dict) else {}

    @property
    def kind(self) -> str:
        """The model's type, as transformers calls it; empty where there is none."""
        return str(self.values.get("model_type", ""))

    @property
    def architecture(self) -> str:
        listed = self.values.get("architectures")
        return str(listed[0]) if isinstance(listed, list) and listed else ""


def read_settings(folder: Path, form: Format = "folder") -> Settings:
    """Raises `AppError` where the folder is no model that can be loaded safely: what, in one sentence."""
    found = layout.look_at(folder)
    if found.format != form or not folder.is_dir():
        raise AppError(f"“{folder.name}” is no folder with a model.", hint="Choose a folder with safetensors weights.")
    values = json.loads((folder / layout.CONFIG).read_text(encoding="utf-8"))
    if not isinstance(values, dict):
        raise unreadable(folder.name, "its settings (config.json) are no object")
    if (folder / "adapter_config.json").exists():
        raise AppError(
            f"“{folder.name}” is an adapter for another model, not a whole one.",
            hint="Merge the adapter into its model, save that, and choose the folder.",
        )
    if values.get("quantization_config"):
        raise AppError(
            f"“{folder.name}” has quantised weights, which are not read from a folder.",
            hint="Choose the model's full weights, or a GGUF file of it.",
        )
    weights = sum((folder / name).stat().st_size for name in found.files if name.endswith((".safetensors", ".ckpt")))
    kept = {key: value for key, value in values.items() if key not in _LEFT_OUT}
    return Settings(folder, kept, bool(found.notes), weights)


def unreadable(name: str, why: str, details: str = "") -> AppError:
    return AppError(f"The model “{name}” cannot be loaded: {why}.", hint=ANOTHER, details=details)
