"""Draw the boxes and arrows of pages: ``python docs/_site/drawings.py`` writes docs/images/{missing,security,workflow}.svg."""

from html import escape
from pathlib import Path

__all__ = ["DRAWINGS", "missing", "security", "workflow"]

IMAGES = Path(__file__).resolve().parents[1] / "images"
BLUE, SAND, GREEN, GREY = "#eef2f7", "#fdf3e4", "#e8f4ec", "#f2f2f2"


class Drawing:
    """Pieces of an SVG in black on paper, in the order in which they are drawn."""

    def __init__(self, width: int, height: int, title: str):
        self.head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="sans-serif" role="img"><title>{escape(title)}</title>'
            '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>'
            f'<rect width="{width}" height="{height}" fill="#fff"/>'
        )
        self.pieces: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, *lines: str, fill: str = BLUE) -> None:
        """Draw a box with lines of text in its middle."""
        self.pieces.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="#555" stroke-width="1.5"/>'
        )
        for number, line in enumerate(lines):
            self.text(x + width / 2, y + height / 2 + 5 + 17 * (number - (len(lines) - 1) / 2), line)

    def text(self, x: float, y: float, words: str, colour: str = "#222", anchor: str = "middle") -> None:
        """Write a line."""
        self.pieces.append(
            f'<text x="{x}" y="{y}" font-size="13" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'
        )

    def arrow(self, *points: tuple[float, float], dashed: bool = False) -> None:
        """Draw a line of straight pieces that ends in a head."""
        way = " L".join(f"{x} {y}" for x, y in points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.pieces.append(
            f'<path d="M{way}" stroke="#555" stroke-width="1.5" fill="none" marker-end="url(#a)"{dash}/>'
        )

    def __str__(self):
        return "\n".join([self.head, *self.pieces, "</svg>\n"])


def workflow() -> Drawing:
    """Return the steps of a study, from raw tables to the report."""
    drawing = Drawing(760, 300, "The steps of a study, and the files that pass between them")
    row = [
        ("fetch", "raw tables", SAND),
        ("prepare", "data set", SAND),
        ("folds, rotations", "drawn once", SAND),
        ("train", "pools", GREEN),
        ("combine", "methods", GREEN),
    ]
    for number, (name, what, fill) in enumerate(row):
        x = 20 + 148 * number
        drawing.box(x, 40, 124, 56, name, what, fill=fill)
        if number:
            drawing.arrow((x - 24, 68), (x - 2, 68))
    drawing.box(20, 200, 124, 56, "report", "one page")
    drawing.box(168, 200, 124, 56, "draw", "figures")
    drawing.box(316, 200, 124, 56, "summarize", "ranks and tests")
    drawing.box(464, 200, 124, 56, "score", "errors, log losses")
    drawing.box(612, 200, 124, 56, "refit, explain", "a model", fill=GREY)
    drawing.arrow((650, 96), (650, 148), (526, 148), (526, 198))
    drawing.arrow((698, 96), (698, 198))
    for x in (464, 316, 168):
        drawing.arrow((x, 228), (x - 22, 228))
    drawing.text(370, 24, "for each data set", "#555")
    drawing.text(250, 282, "over all data sets", "#555")
    drawing.text(600, 282, "records of all steps go to MLflow", "#555")
    return drawing


def missing() -> Drawing:
    """Return a split that has learnt where missing values go."""
    drawing = Drawing(760, 250, "Known values go by the cut, missing ones to the side that was better in training")
    drawing.box(280, 30, 200, 48, "age ≤ 40?", "missing: right", fill=SAND)
    drawing.box(80, 160, 220, 56, "left child", "known, at most 40", fill=GREEN)
    drawing.box(460, 160, 220, 56, "right child", "known, above 40; missing", fill=GREEN)
    drawing.arrow((330, 78), (200, 158))
    drawing.arrow((410, 78), (540, 158))
    drawing.arrow((440, 78), (620, 158), dashed=True)
    drawing.text(240, 112, "29", "#555")
    drawing.text(458, 130, "57", "#555")
    drawing.text(600, 112, "NaN", "#555")
    return drawing


def security() -> Drawing:
    """Return what comes from outside, and what stands before it."""
    drawing = Drawing(760, 300, "What comes from outside passes a check before it is used")
    rows = [
        ("study, datasets.yaml", "safe YAML loader; known keys only", "the workflow"),
        ("data sets, archives", "http(s), SHA-256, limits of size", "tables: read, never run"),
        ("model files", "skops: types on a list only", "predict, explain"),
        ("files of earlier steps", "SHA-256 of their record", "the next step"),
    ]
    for x, words in ((110, "from outside"), (370, "the check"), (640, "inside")):
        drawing.text(x, 24, words, "#555")
    for number, (outside, check, inside) in enumerate(rows):
        y = 40 + 64 * number
        drawing.box(20, y, 180, 46, outside, fill=SAND)
        drawing.box(250, y, 240, 46, check)
        drawing.box(540, y, 200, 46, inside, fill=GREEN)
        drawing.arrow((200, y + 23), (248, y + 23))
        drawing.arrow((490, y + 23), (538, y + 23))
    return drawing


DRAWINGS = {"missing": missing, "security": security, "workflow": workflow}

if __name__ == "__main__":
    for name, draw in DRAWINGS.items():
        (IMAGES / f"{name}.svg").write_text(str(draw()), encoding="utf-8")
