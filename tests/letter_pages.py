"""PDF pages made operator by operator, so that a test says exactly what is painted where."""

TIMES = "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>"
WHITE_PICTURE = (
    "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\n"
    "stream\n\xff\nendstream"
)


def pages(*contents: str, also: str = "", catalog: str = "", objects: tuple[str, ...] = ()) -> bytes:
    """A PDF of these pages. Objects 4 and up are `objects`, after the font; `also`: more resources of each page."""
    first = 4 + len(objects)
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(contents)))
    parts = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>",
        TIMES,
        *objects,
    ]
    for number, content in enumerate(contents):
        resources = f"<< /Font << /F1 3 0 R >> {also} >>"
        place = f"/Parent 2 0 R /MediaBox [0 0 595 842] /Contents {first + 2 * number + 1} 0 R"
        parts.append(f"<< /Type /Page {place} /Resources {resources} >>")
        parts.append(f"<< /Length {len(content.encode('latin-1'))} >>\nstream\n{content}\nendstream")
    written, places = b"%PDF-1.5\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{part}\nendobj\n".encode("latin-1")
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = f"trailer << /Size {len(parts) + 1} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF"
    return written + f"xref\n0 {len(parts) + 1}\n0000000000 65535 f \n".encode() + table + end.encode()


def words(text: str, x: float = 70, y: float = 700, size: float = 12, mode: int = 0) -> str:
    """Operators that paint one line."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT {mode} Tr /F1 {size} Tf {x} {y} Td ({escaped}) Tj ET"


def block(*lines: str, x: float = 70, y: float = 700, size: float = 12, leading: float = 14) -> str:
    """Operators that paint lines under each other."""
    return "\n".join(words(line, x, y - leading * number, size) for number, line in enumerate(lines) if line)
