"""A tree as text."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["tree_text"]


def tree_text(
    arrays: Mapping[str, NDArray],
    matrix: NDArray[np.float32],
    missing: NDArray[np.bool_] | None,
    names: Sequence[str] | None,
    classes: Sequence | None,
    digits: int,
) -> str:
    """Return a tree as indented lines; splits on columns that had missing values show the side of missing values.

    Parameters
    ----------
    arrays : mapping
        Result of :meth:`rotastack.trees.grown.GrownTrees.arrays`.
    matrix : ndarray of shape (n_features, n_columns)
        Matrix of the tree's view.
    missing : ndarray of bool of shape (n_features,), or None
        True for data columns that had missing values.
    names, classes, digits
        See :meth:`rotastack.trees.grown.GrownTrees.text`.
    """
    names = names if names is not None else [f"x{j}" for j in range(len(matrix))]

    def column(j: int) -> str:
        used = np.flatnonzero(matrix[:, j]).tolist()
        if len(used) == 1 and matrix[used[0], j] == 1:
            return str(names[used[0]])
        terms = " ".join(f"{matrix[i, j]:+.{digits}f} {names[i]}" for i in used)
        return f"({terms.removeprefix('+')})"

    def misses(j: int) -> bool:  # only copied columns: mapped columns have fills
        used = np.flatnonzero(matrix[:, j])
        return missing is not None and len(used) == 1 and bool(missing[used[0]])

    lines = []
    todo: list[tuple[str, int, int]] = [("", 0, -1)]  # condition of the line, node, depth of the line
    while todo:
        condition, node, depth = todo.pop()
        if condition:
            lines.append("|   " * depth + "|--- " + condition)
        left = arrays["children_left"][node]
        if left < 0:
            value = arrays["value"][node]
            if classes is None:
                shown = "value: " + ", ".join(f"{v:.{digits}f}" for v in value)
            else:
                shown = f"class: {classes[int(value.argmax())]}"
            lines.append("|   " * (depth + 1) + f"|--- {shown} ({arrays['n_node_samples'][node]} rows)")
            continue
        name, cut = column(arrays["feature"][node]), arrays["threshold"][node]
        first, second = f"{name} <= {cut:.{digits}f}", f"{name} >  {cut:.{digits}f}"
        if np.isinf(cut):
            first, second = f"{name} is known", f"{name} is missing"
        elif misses(arrays["feature"][node]):
            if arrays["missing_go_to_left"][node]:
                first += " or missing"
            else:
                second += " or missing"
        todo.append((second, left + 1, depth + 1))
        todo.append((first, left, depth + 1))
    return "\n".join(lines) + "\n"
