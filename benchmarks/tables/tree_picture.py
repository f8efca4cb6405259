"""A decision tree as SVG in the page, in the page's own colours."""

from collections.abc import Callable, Sequence
from html import escape

from tables.rules import Node

__all__ = ["answers", "drawn"]

WIDTH, HEIGHT, STEP = 172, 74, 128


def answers(node: Node) -> tuple[str, str]:
    """Return the two answers to a node's question, in words."""
    cut = f"{node.above:.0f}" if node.above >= 10 or float(node.above).is_integer() else f"{node.above:.2f}"
    if node.fact.startswith("share"):
        if node.above == 0:
            return "no categories", "some columns are categories"
        return f"at most {node.above:.0%} of the columns are categories", "more of them are"
    return f"at most {cut} {node.fact}", f"more than {cut} {node.fact}"


def drawn(question: str, branches: Sequence[tuple[str, Node]], title: Callable[[str], str]) -> str:
    """Return the drawing: a root with a branch for each wish, and below it the wish's tree."""
    parts: list[str] = []
    columns = 0
    tops = []
    depth = 0
    for wish, node in branches:
        x, columns, deepest = _place(node, 1, columns, title, parts)
        tops.append((x, wish))
        depth = max(depth, deepest)
    middle = (tops[0][0] + tops[-1][0]) / 2
    width, height = columns * WIDTH, (depth + 1) * STEP - (STEP - HEIGHT) + 8
    for x, wish in tops:
        parts.append(_edge(middle, 0, x, 1, wish))
    parts.append(_box(middle, 0, [question], leaf=False))
    label = escape("; ".join(wish for wish, _ in branches))
    return (
        f'<div class="decision-tree"><svg viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="Decision tree: {label}. The table below says the same.">{"".join(parts)}</svg></div>'
    )


def _place(node, level, column, title, parts):
    """Draw a node and its subtree; return the position, the next free column, and the deepest level."""
    if node.fact is None:
        x = (column + 0.5) * WIDTH
        best = title(node.ranks.index[0])
        parts.append(_box(x, level, [best, f"rank {node.ranks.iloc[0]:.2f}, {node.n_sets} sets"], leaf=True))
        return x, column + 1, level
    left, column, deep = _place(node.below, level + 1, column, title, parts)
    right, column, deeper = _place(node.beyond, level + 1, column, title, parts)
    x = (left + right) / 2
    for child, text in zip((left, right), answers(node), strict=True):
        parts.append(_edge(x, level, child, level + 1, text))
    parts.append(_box(x, level, [_short(node.fact)], leaf=False))
    return x, column, max(deep, deeper)


def _short(fact):
    return {"share of columns that are categories": "categories"}.get(fact, fact)


def _box(x, level, lines, leaf):
    y = level * STEP + 4
    height = 44
    kind = "leaf" if leaf else "question"
    texts = "".join(
        f'<text x="{x}" y="{y + 27 + 17 * (i - (len(lines) - 1) / 2):.0f}" class="{"strong" if leaf and not i else ""}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    return f'<rect x="{x - 80}" y="{y}" width="160" height="{height}" rx="{8 if leaf else 22}" class="{kind}"/>{texts}'


def _edge(x, level, to, below, text):
    start, end = level * STEP + 48, below * STEP + 4
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 24:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    middle, half = end - 34, 7 * len(lines) + 2
    texts = "".join(
        f'<text x="{to}" y="{middle + 14 * (i - (len(lines) - 1) / 2) + 4:.0f}" class="answer">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    line = f"M{x} {start} V{start + 10} H{to} V{middle - half} M{to} {middle + half} V{end}"  # the words stand between
    return f'<path d="{line}" class="edge"/>{texts}'
