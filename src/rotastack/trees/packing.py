"""Nodes of trees in compact form for files: numbers in narrow types, and no number that can be computed from others."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.kernel.batches import MISSING_RIGHT, NODE
from rotastack.trees.kernel.packing import place_nodes
from rotastack.trees.narrow import narrow
from rotastack.trees.nodes import missing_go_left, split_columns

__all__ = ["packed_nodes", "unpacked_nodes"]


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
        "sizes": narrow(np.diff(starts)),
        "first": first,
    }
    numbers = {
        "children": narrow(child[inner] // 2),
        "entries": narrow(child[valued] - _first_entries(valued, starts)[valued] - first),
    }
    for packed in (basic, basic | numbers):
        try:
            again = unpacked_nodes(packed)[0]
        except ValueError:
            continue
        if again.tobytes() == nodes.tobytes():
            return packed
    return None


def unpacked_nodes(packed: dict[str, Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the nodes and the number of each tree's first node.

    Raises
    ------
    ValueError
        The packed arrays do not describe trees.
    """
    codes = packed["codes"].astype(np.int32)
    codes += np.int32(packed["least"])
    sizes = packed["sizes"].astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    inner = codes >= 0
    n_inner = np.count_nonzero(inner)
    if starts[-1] != len(codes) or sizes.min(initial=1) < 1 or n_inner != len(packed["cuts"]):
        raise ValueError("the numbers of nodes, cuts and trees do not fit together")
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
        raise ValueError("the nodes are those of no trees")
    return nodes, starts


def _number(
    nodes: NDArray[Any], inner: NDArray[np.bool_], valued: NDArray[np.bool_], starts: NDArray[np.int64], packed: dict[str, Any],
) -> None:  # fmt: skip
    """Set the `child` of each node to the number that the packed form holds."""
    if len(packed["children"]) != inner.sum() or len(packed["entries"]) != valued.sum():
        raise ValueError("the numbers of nodes, children and leaves do not fit together")
    child = 2 * packed["children"].astype(np.int64) + 1
    sizes = np.diff(starts)
    within = np.arange(len(nodes)) - np.repeat(starts[:-1], sizes)
    if (child <= within[inner]).any() or (child + 1 >= np.repeat(sizes, sizes)[inner]).any():
        raise ValueError("the nodes are those of no trees")
    nodes["child"][inner] = child
    first = packed["first"] + _first_entries(valued, starts)[valued]
    nodes["child"][valued] = packed["entries"].astype(np.int64) + first


def _first_entries(valued: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each node, the number of leaves with a value in the trees before the node's tree."""
    before = np.concatenate([[0], np.cumsum(valued)])[starts[:-1]]
    return np.repeat(before, np.diff(starts))
