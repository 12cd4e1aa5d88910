"""The settings, as data. The panel is built from this list, and a value is checked against it."""

from dataclasses import dataclass

Value = str | bool | int


@dataclass(frozen=True)
class Setting:
    """One setting. Kinds: "choice" (one of `choices`), "switch" (true or false), "percent" (from `low` to `high`)."""

    key: str
    group: str
    title: str
    kind: str
    default: Value
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()  # value, title
    low: int = 0
    high: int = 100
    step: int = 10

    def admits(self, value: object) -> bool:
        """Whether a value, from a file that anybody may have edited, is one of this setting's."""
        if self.kind == "choice":
            return value in [choice for choice, _ in self.choices]
        if self.kind == "switch":
            return isinstance(value, bool)
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high


SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="theme",
        group="Appearance",
        title="Theme",
        kind="choice",
        default="system",
        choices=(
            ("system", "As the system"),
            ("light", "Light"),
            ("dark", "Dark"),
            ("contrast", "High contrast"),
        ),
    ),
    Setting(
        key="font_percent",
        group="Appearance",
        title="Text size",
        kind="percent",
        default=100,
        low=80,
        high=200,
        help="Texts and controls, from 80 to 200 %.",
    ),
    Setting(
        key="reduced_motion",
        group="Appearance",
        title="Reduce motion",
        kind="switch",
        default=False,
        help="Nothing moves or fades by itself.",
    ),
)
BY_KEY = {setting.key: setting for setting in SETTINGS}
