"""Nodes of trees, which `kernel/structures.pxd` describes: columns, missing values, decreases of impurity, arrays and text."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.kernel.batches import MISSING_RIGHT, NODE
from rotastack.trees.kernel.packing import place_nodes
from rotastack.trees.narrow import narrow

__all__ = [
    "TreeArrays",
    "decreases_of",
    "missing_go_left",
    "packed_nodes",
    "side_by_side",
    "split_columns",
    "tree_arrays",
    "tree_text",
    "unpacked_nodes",
]


def split_columns(nodes: NDArray) -> NDArray[np.int32]:
    """Return the column of the tree's view that each node splits on; -1 for leaves."""
    column = nodes["column"]
    return np.where(column < 0, column, column & (MISSING_RIGHT - 1))


def missing_go_left(nodes: NDArray) -> NDArray[np.bool_]:
    """Return a mask of the nodes that send missing values to their left child; False for leaves."""
    column = nodes["column"]
    return (column >= 0) & (column & MISSING_RIGHT == 0)


def decreases_of(
    nodes: NDArray, starts: NDArray[np.int64], impurity: NDArray[np.float64], weight: NDArray[np.float64], width: int,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the decrease of impurity by column of the tree's view, (tree, `width`)."""
    inner = np.flatnonzero(nodes["column"] >= 0)
    tree = np.searchsorted(starts, inner, side="right") - 1
    left = starts[tree] + nodes["child"][inner]
    loss = weight * impurity
    decrease = np.maximum(loss[inner] - loss[left] - loss[left + 1], 0.0)
    where = tree * width + split_columns(nodes)[inner]
    n_trees = len(starts) - 1
    sums = np.bincount(where, weights=decrease, minlength=n_trees * width)
    return sums.astype(np.float64).reshape(n_trees, width)


def side_by_side(decreases: Sequence[NDArray[np.float64] | None]) -> NDArray[np.float64] | None:
    """Return the joined decreases (tree, column) of forests, padded to equal widths; None if any forest has none."""
    arrays = [each for each in decreases if each is not None]
    if len(arrays) < len(decreases):
        return None
    width = max(each.shape[1] for each in arrays)
    return np.concatenate([np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in arrays])


class TreeArrays(NamedTuple):
    """The nodes of consecutive trees; :class:`rotastack.trees.GrownTrees` describes the arrays.

    Either `decreases` is None or `impurity`, `weight` and `counts` are empty.
    """

    nodes: NDArray
    impurity: NDArray[np.float64]
    weight: NDArray[np.float64]
    counts: NDArray[np.int32]
    values: NDArray[np.float64]
    facts: NDArray[np.int64]
    decreases: NDArray[np.float64] | None = None


def tree_arrays(
    nodes: NDArray, impurity: NDArray[np.float64], weight: NDArray[np.float64], counts: NDArray[np.int32],
    values: NDArray[np.float64],
) -> dict[str, NDArray]:  # fmt: skip
    """Return a tree in new arrays; the output of an inner node is the weighted mean of the outputs of its leaves."""
    leaf = nodes["column"] < 0
    n_outputs = values.shape[1]
    table = np.concatenate([values, np.eye(n_outputs)[::-1]])
    value = np.zeros((len(nodes), n_outputs))
    value[leaf] = table[nodes["child"][leaf]]
    for node in np.flatnonzero(~leaf)[::-1]:  # a child has a larger number than its parent
        child = nodes["child"][node]
        share = weight[child : child + 2] / weight[child : child + 2].sum()
        value[node] = share @ value[child : child + 2]
    return {
        "children_left": np.where(leaf, -1, nodes["child"]).astype(np.int64),
        "children_right": np.where(leaf, -1, nodes["child"] + 1).astype(np.int64),
        "feature": np.where(leaf, -2, split_columns(nodes)).astype(np.int64),
        "threshold": np.where(leaf, -2.0, nodes["cut"]).astype(np.float64),
        "impurity": impurity.copy(),
        "n_node_samples": counts.astype(np.int64),
        "weighted_n_node_samples": weight.copy(),
        "value": value,
        "missing_go_to_left": missing_go_left(nodes).astype(np.uint8),
    }


def tree_text(
    arrays: Mapping[str, NDArray],
    matrix: NDArray[np.float32],
    missing: NDArray[np.bool_] | None,
    names: Sequence[str] | None,
    classes: Sequence | None,
    digits: int,
) -> str:
    """Return a tree as indented lines; splits on columns that had missing values show the side of missing values.

    `arrays` are those of :meth:`GrownTrees.arrays`, `matrix` (n_features, n_columns) is that of the tree's view, and
    `missing` (n_features,) tells which data columns had missing values.
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


def packed_nodes(nodes: NDArray[Any], starts: NDArray[np.int64]) -> dict[str, Any] | None:
    """Return the nodes in the form that :func:`unpacked_nodes` reads; None if it would not restore the same bytes.

    The packed form takes about 3 bytes a node: a code for each node (the column of an inner node, or the class of a
    leaf) and the cuts of inner nodes. If the nodes are not numbered depth first, as in boosted trees, the packed form
    also holds their numbers.
    """
    column, child = split_columns(nodes), nodes["child"]
    inner = column >= 0
    right = inner & ~missing_go_left(nodes)
    valued = ~inner & (child >= 0)
    codes = np.where(inner, column, np.where(valued, -1, child - 1))
    least = int(codes.min())
    first = int(child[valued].min()) if valued.any() else 0
    basic: dict[str, Any] = {
        "codes": narrow(codes - least),
        "least": least,
        "cuts": nodes["cut"][inner],
        "right": np.packbits(right[inner]) if right.any() else np.empty(0, np.uint8),
        "first": first,
    }
    numbers = {
        "children": narrow(child[inner] // 2),
        "entries": narrow(child[valued] - _first_entries(valued, starts)[valued] - first),
    }
    for packed in (basic, basic | numbers):
        try:
            again = unpacked_nodes(packed, starts)
        except ValueError:
            continue
        if again.tobytes() == nodes.tobytes():
            return packed
    return None


def unpacked_nodes(packed: dict[str, Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    """Return the nodes of trees whose first nodes have the numbers `starts`; ValueError if the arrays describe no trees."""
    codes = packed["codes"].astype(np.int32)
    codes += np.int32(packed["least"])
    inner = codes >= 0
    n_inner = np.count_nonzero(inner)
    if starts[0] or starts[-1] != len(codes) or np.diff(starts).min(initial=1) < 1 or n_inner != len(packed["cuts"]):
        raise ValueError("the numbers of nodes, cuts and trees do not match")
    nodes = np.zeros(len(codes), NODE)
    nodes["column"] = np.maximum(codes, -1)
    nodes["child"] = np.minimum(codes + 1, 0)  # 0 for a leaf with a value, -1 - c for one of class c
    nodes["cut"][inner] = packed["cuts"]
    if len(packed["right"]):
        bits = np.unpackbits(packed["right"], count=n_inner).astype(np.int32)
        nodes["column"][inner] |= bits * MISSING_RIGHT
    if "children" in packed:
        _number(nodes, inner, codes == -1, starts, packed)
    elif place_nodes(starts, packed["first"], nodes) < 0:
        raise ValueError("the numbers of the nodes form no trees")
    return nodes


def _number(
    nodes: NDArray[Any], inner: NDArray[np.bool_], valued: NDArray[np.bool_], starts: NDArray[np.int64], packed: dict[str, Any],
) -> None:  # fmt: skip
    """Set the `child` of each node to the number that the packed form holds."""
    if len(packed["children"]) != inner.sum() or len(packed["entries"]) != valued.sum():
        raise ValueError("the numbers of nodes, children and leaves do not match")
    child = 2 * packed["children"].astype(np.int64) + 1
    sizes = np.diff(starts)
    within = np.arange(len(nodes)) - np.repeat(starts[:-1], sizes)
    if (child <= within[inner]).any() or (child + 1 >= np.repeat(sizes, sizes)[inner]).any():
        raise ValueError("the numbers of the nodes form no trees")
    nodes["child"][inner] = child
    first = packed["first"] + _first_entries(valued, starts)[valued]
    nodes["child"][valued] = packed["entries"].astype(np.int64) + first


def _first_entries(valued: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each node, the number of leaves with a value in the trees before the node's tree."""
    before = np.concatenate([[0], np.cumsum(valued)])[starts[:-1]]
    return np.repeat(before, np.diff(starts))
