"""A report as one HTML page that loads nothing from anywhere."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import groupby, pairwise
from typing import Any

from biasprint.core.draw.figure import Figure
from biasprint.core.draw.frame import page_style, svg
from biasprint.core.jobs import JobContext
from biasprint.core.language import chosen, tr
from biasprint.core.report.audit.audited import AuditPage, AuditReport
from biasprint.core.report.audit.content import FIGURE_COLUMNS, table_beside
from biasprint.core.report.blocks import (
    Block,
    Cell,
    Heading,
    ReportFigure,
    ReportParagraph,
    ReportTable,
    Run,
    in_language,
    parted,
    printable,
    runs_of,
)
from biasprint.core.report.pdf import page_count, pdf_bytes

# ---- PDF

SHARES = (0.76, 0.66, 0.56, 0.46, 0.0)  # of the page's width, for the picture


def paper_of(report: AuditReport, foot: str, ctx: JobContext | None = None) -> bytes:
    first, *others = report.pages
    fitting = next((smaller for smaller in _smaller(first) if _is_one_page(replace(report, pages=(smaller,)))), first)
    return pdf_bytes(replace(report, pages=(fitting, *others)).blocks(), report.title, foot, ctx)


def _smaller(page: AuditPage) -> Iterator[AuditPage]:
    """The page with smaller and smaller pictures, and without one at last."""
    for share in SHARES:
        yield replace(page, blocks=tuple(_with_share(block, share) for block in page.blocks if share or _stays(block)))


def _with_share(block: Block, share: float) -> Block:
    return replace(block, share=share) if isinstance(block, ReportFigure) else block


def _stays(block: Block) -> bool:
    return not isinstance(block, ReportFigure)


def _is_one_page(report: AuditReport) -> bool:
    return page_count(report.blocks()) == 1


# ---- LaTeX

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
    written = (part for block in in_language(report.blocks()) for part in _latex_written(block))
    return "\n\n".join([HEAD, *written]) + "\n"


def escaped(text: str) -> str:
    """Escape a text so that LaTeX prints it as it is."""
    plain = " ".join(printable(text).split())
    apart = ("{}" if sign == before and sign in JOINED else "" for before, sign in pairwise(f" {plain}"))
    return "".join(f"{gap}{_sign(sign)}" for gap, sign in zip(apart, plain, strict=True))


def _sign(sign: str) -> str:
    if sign in ESCAPED:
        return ESCAPED[sign]
    known = (ord(sign) <= LATIN and sign not in WITHOUT) or sign in BETWEEN_WORDS
    return sign if known else rf"\biasprintsign{{{ord(sign):04X}}}{{{sign}}}"


def _latex_written(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        yield rf"\{SECTIONS[block.level]}*{{{escaped(block.text)}}}"
    elif isinstance(block, ReportParagraph):
        text = "".join(map(_latex_run, block.runs))
        yield rf"\noindent\textbullet\ {text}\par" if block.bullet else rf"\noindent {text}\par"
    elif isinstance(block, ReportTable):
        yield _latex_table(block.header, block.rows, block.widths)
    elif isinstance(block, ReportFigure):
        columns, rows = _beside(block.figure)
        widths = (0.3, *[0.68 / (len(columns) - 1)] * (len(columns) - 1))
        yield _latex_table(columns, rows, widths, tr(block.figure.title))


def _beside(figure: Figure) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of the table beside a figure."""
    return [*map(tr, FIGURE_COLUMNS.values())], [[*map(tr, row.values())] for row in table_beside(figure)]


def _latex_table(
    header: Sequence[str], rows: Sequence[Sequence[Cell]], widths: Sequence[float], title: str = ""
) -> str:
    # Without the space between the columns.
    room = [width * 0.98 - 0.025 for width in widths]
    columns = "".join(rf">{{\raggedright\arraybackslash}}p{{{width:.3f}\linewidth}}" for width in room)
    head = " & ".join(rf"\textbf{{{escaped(title_cell)}}}" for title_cell in header)
    lines = [rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}"]
    lines += [r"\toprule", rf"{head} \tabularnewline", r"\midrule", r"\endhead", r"\bottomrule", r"\endlastfoot"]
    lines += [" & ".join("".join(map(_latex_run, runs_of(cell))) for cell in row) + r" \tabularnewline" for row in rows]
    lines.append(r"\end{longtable}")
    return "\n".join([rf"\noindent\textbf{{{escaped(title)}}}\par", *lines] if title else lines)


def _latex_run(run: Run) -> str:
    text = f"${run.tex}$" if run.tex else escaped(run.text)
    return parted(run, rf"\textbf{{{text}}}" if run.bold and text else text)


# ---- Markdown

MARKS = re.compile(r"([\\`*_\[\]<>|~#&])")  # what a reader of Markdown takes for mark-up
LISTS = re.compile(r"^(\s*\d*)([-+.)])(?=\s)")


def markdown_of(report: AuditReport) -> str:
    return "\n\n".join(part for block in in_language(report.blocks()) for part in _written(block)) + "\n"


def _written(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        yield f"{'#' * (block.level + 1)} {markdown_text(block.text)}"
    elif isinstance(block, ReportParagraph):
        text = "".join(map(_run, block.runs))
        yield f"- {text}" if block.bullet else LISTS.sub(r"\1\\\2", text)
    elif isinstance(block, ReportTable):
        yield _table(block.header, block.rows)
    elif isinstance(block, ReportFigure):
        title = tr("Figure: {title}").format(title=markdown_text(tr(block.figure.title)))
        yield f"**{title}** {markdown_text(tr(block.figure.subtitle))}".rstrip()
        yield _table(*_beside(block.figure))


def _table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    lines = [header, ["---"] * len(header), *([_cell(cell) for cell in row] for row in rows)]
    shown = [list(map(markdown_text, header)), *(list(line) for line in lines[1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in shown)


def _cell(cell: Cell) -> str:
    return "".join(map(_run, runs_of(cell))) or " "


def _run(run: Run) -> str:
    text = markdown_text(run.text)
    return parted(run, f"**{text}**" if run.bold and text else text)


def markdown_text(text: str) -> str:
    """Escape a text so that Markdown shows it as it is, on one line."""
    return MARKS.sub(r"\\\1", " ".join(printable(text).split()))


TEMPLATE = "audit.html.j2"


def page_of(report: AuditReport) -> str:
    """The page. Every text is escaped: what a model or a file wrote is never markup."""
    from markupsafe import Markup

    page: str = _template().render(
        language=chosen(),
        words={"table": tr("The same as a table"), "pages": tr("Pages")},
        title=tr(report.title),
        about=tr(report.about),
        palette=Markup(page_style()),
        pages=[
            {"title": tr(each_page.title), "blocks": list(_parts([*in_language(each_page.blocks)]))}
            for each_page in report.pages
        ],
    )
    return page


def _parts(blocks: Sequence[Block]) -> Iterator[dict[str, Any]]:
    """Yield the parts that the template writes; bullets that follow each other are one list."""
    for listed, same in groupby(blocks, key=lambda block: isinstance(block, ReportParagraph) and block.bullet):
        if listed:
            yield {
                "kind": "list",
                "runs_of": [paragraph.runs for paragraph in same if isinstance(paragraph, ReportParagraph)],
            }
        else:
            yield from (part for block in same if (part := _part(block)))


def _part(block: Block) -> dict[str, Any]:
    if isinstance(block, Heading):
        return {"kind": "heading", "text": block.text}
    if isinstance(block, ReportParagraph):
        return {"kind": "paragraph", "runs": block.runs, "soft": block.soft}
    if isinstance(block, ReportTable):
        rows = [["".join(run.text for run in runs_of(cell)) for cell in row] for row in block.rows]
        return {"kind": "table", "header": block.header, "rows": rows, "widths": block.widths}
    if isinstance(block, ReportFigure):
        from markupsafe import Markup

        # The drawing escapes every text that it holds.
        drawn = Markup(svg(block.figure, theme="page", alone=False))
        header, rows = _beside(block.figure)
        return {"kind": "figure", "drawn": drawn, "title": tr(block.figure.title), "header": header, "rows": rows}
    return {}


def _template() -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def read(file: str) -> str:
        return files("biasprint.resources").joinpath("report", file).read_text(encoding="utf-8")

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(read)
    )
    return environment.get_template(TEMPLATE)
