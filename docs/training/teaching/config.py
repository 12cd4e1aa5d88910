"""The sizes of a Llama-architecture model."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelConfig:
    """`width` is split among `heads`; `context` in tokens. Output and input embedding are one matrix (tied).

    `width` and `hidden` are multiples of 32, the block of Q8_0.
    """

    vocabulary: int
    width: int
    layers: int
    heads: int
    hidden: int
    context: int
    rope_base: float = 10_000.0
    norm_epsilon: float = 1e-5

    def __post_init__(self) -> None:
        if self.width % self.heads or (self.width // self.heads) % 2:
            raise ValueError("The width must split into heads of an even size.")
        if self.width % 32 or self.hidden % 32:
            raise ValueError("Width and hidden size must be multiples of 32.")

    @property
    def head(self) -> int:
        """The size of one head."""
        return self.width // self.heads

    @property
    def parameters(self) -> int:
        """How many weights the model has."""
        return sum(rows * columns for rows, columns in self.matrices().values()) + (2 * self.layers + 1) * self.width

    def matrices(self) -> dict[str, tuple[int, int]]:
        """GGUF name and shape (outputs, inputs) of every matrix."""
        shapes = {"token_embd.weight": (self.vocabulary, self.width)}
        for layer in range(self.layers):
            for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
                shapes[f"blk.{layer}.{name}.weight"] = (self.width, self.width)
            for name in ("ffn_gate", "ffn_up"):
                shapes[f"blk.{layer}.{name}.weight"] = (self.hidden, self.width)
            shapes[f"blk.{layer}.ffn_down.weight"] = (self.width, self.hidden)
        return shapes

    def norms(self) -> list[str]:
        """GGUF names of the norms, each with `width` weights."""
        of_layers = [f"blk.{layer}.{name}.weight" for layer in range(self.layers) for name in ("attn_norm", "ffn_norm")]
        return [*of_layers, "output_norm.weight"]


TEACHING = ModelConfig(vocabulary=3072, width=256, layers=4, heads=8, hidden=704, context=1024)
# For tests of whatever loads a model: it writes nonsense.
TINY = ModelConfig(vocabulary=384, width=32, layers=2, heads=2, hidden=64, context=256)
