"""A report as LaTeX, to be put into a paper by \\input: tables by booktabs, every text escaped."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from biasprint.core.report.audit.audited import AuditReport
from biasprint.core.report.audit.tables import FIGURE_COLUMNS, table_beside
from biasprint.core.report.blocks import (
    Block,
    Cell,
    Heading,
    ReportFigure,
    ReportParagraph,
    ReportTable,
    Run,
    parted,
    printable,
    runs_of,
)

HEAD = r"""% Written by Biasprint. Put it into a document by \input{this file}, after
%   \usepackage[T1]{fontenc}
%   \usepackage{amsmath,array,booktabs,longtable,textcomp}
% Signs that pdfLaTeX has in no font are printed by their number; XeLaTeX and LuaLaTeX print them from the document's.
\providecommand{\biasprintsign}[2]{\ifdefined\Umathchar #2\else\texttt{U+#1}\fi}"""
# After the end of a row, [ and * would be its options.
ESCAPED = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}", '"': r"\textquotedbl{}", "−": "$-$",
    "×": r"$\times$", "·": r"$\cdot$", "±": r"$\pm$", "≤": r"$\le$", "≥": r"$\ge$", "≠": r"$\ne$", "≈": r"$\approx$",
    "→": r"$\to$", "∞": r"$\infty$", "Δ": r"$\Delta$", "α": r"$\alpha$", "β": r"$\beta$", "κ": r"$\kappa$",
    "τ": r"$\tau$", "χ": r"$\chi$", "Σ": r"$\Sigma$", "√": r"$\surd$", "½": r"$\tfrac{1}{2}$", "²": "$^2$",
    "₁": "$_1$", "₂": "$_2$", "∈": r"$\in$", "∪": r"$\cup$",
    "[": "{[}", "*": "{*}",
}  # fmt: skip
# What the usual fonts of pdfLaTeX have besides: Latin letters, without a few, and the signs between words.
LATIN, WITHOUT, BETWEEN_WORDS = 0x17F, "ĦħĸĿŀŦŧſ", "“”‘’–—…•†‡€"
JOINED = "-,"  # two of them would become another sign
SECTIONS = {0: "section", 1: "subsection", 2: "subsubsection"}


def latex_of(report: AuditReport) -> str:
    return "\n\n".join([HEAD, *(part for block in report.blocks() for part in _written(block))]) + "\n"


def escaped(text: str) -> str:
    """Text that LaTeX prints as it stands."""
    plain = " ".join(printable(text).split())
    apart = ("{}" if sign == before and sign in JOINED else "" for before, sign in pairwise(f" {plain}"))
    return "".join(f"{gap}{_sign(sign)}" for gap, sign in zip(apart, plain, strict=True))


def _sign(sign: str) -> str:
    if sign in ESCAPED:
        return ESCAPED[sign]
    known = (ord(sign) <= LATIN and sign not in WITHOUT) or sign in BETWEEN_WORDS
    return sign if known else rf"\biasprintsign{{{ord(sign):04X}}}{{{sign}}}"


def _written(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        yield rf"\{SECTIONS[block.level]}*{{{escaped(block.text)}}}"
    elif isinstance(block, ReportParagraph):
        text = "".join(map(_run, block.runs))
        yield rf"\noindent\textbullet\ {text}\par" if block.bullet else rf"\noindent {text}\par"
    elif isinstance(block, ReportTable):
        yield _table(block.header, block.rows, block.widths)
    elif isinstance(block, ReportFigure):
        columns = tuple(FIGURE_COLUMNS.values())
        rows = [tuple(one.values()) for one in table_beside(block.figure)]
        yield _table(columns, rows, (0.3, *[0.68 / (len(columns) - 1)] * (len(columns) - 1)), block.figure.title)


def _table(header: Sequence[str], rows: Sequence[Sequence[Cell]], widths: Sequence[float], title: str = "") -> str:
    room = [width * 0.98 - 0.025 for width in widths]  # without what stands between the columns
    columns = "".join(rf">{{\raggedright\arraybackslash}}p{{{width:.3f}\linewidth}}" for width in room)
    head = " & ".join(rf"\textbf{{{escaped(one)}}}" for one in header)
    lines = [rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}"]
    lines += [r"\toprule", rf"{head} \tabularnewline", r"\midrule", r"\endhead", r"\bottomrule", r"\endlastfoot"]
    lines += [" & ".join("".join(map(_run, runs_of(cell))) for cell in row) + r" \tabularnewline" for row in rows]
    lines.append(r"\end{longtable}")
    return "\n".join([rf"\noindent\textbf{{{escaped(title)}}}\par", *lines] if title else lines)


def _run(run: Run) -> str:
    text = f"${run.tex}$" if run.tex else escaped(run.text)
    return parted(run, rf"\textbf{{{text}}}" if run.bold and text else text)
