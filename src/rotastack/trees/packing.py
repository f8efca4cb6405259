"""What files hold of trees: each number in as few bytes as it takes, and none that can be found again."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rotastack.trees.kernel.lots import MISSING_RIGHT, NODE
from rotastack.trees.kernel.packing import place_nodes
from rotastack.trees.nodes import missing_go_left, split_columns

__all__ = ["narrow", "packed_nodes", "unpacked_nodes"]


def narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers as the narrowest type that holds them all.

    Examples
    --------
    >>> narrow(np.array([3, 255])).dtype, narrow(np.array([-1, 255])).dtype
    (dtype('uint8'), dtype('int16'))
    """
    if not len(array):
        return array.astype(np.uint8)
    low, high = int(array.min()), int(array.max())
    kinds = (np.uint8, np.uint16, np.uint32) if low >= 0 else (np.int8, np.int16, np.int32)
    for kind in kinds:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return array.astype(kind)
    return array.astype(np.int64)


def packed_nodes(nodes: NDArray[Any], starts: NDArray[np.int64]) -> dict[str, Any] | None:
    """Return what :func:`unpacked_nodes` makes the same nodes of, or None where they are not numbered depth first.

    That is about 3 bytes a node: a code for each (its column, or the class of a leaf), and the cuts of the inner ones.
    """
    column, child = split_columns(nodes), nodes["child"]
    inner = column >= 0
    right = inner & ~missing_go_left(nodes)
    valued = ~inner & (child >= 0)
    codes = np.where(inner, column, np.where(valued, -1, child - 1))
    least = int(codes.min())
    found = {
        "codes": narrow(codes - least),
        "least": least,
        "cuts": nodes["cut"][inner],
        "right": np.packbits(right[inner]) if right.any() else np.empty(0, np.uint8),
        "sizes": narrow(np.diff(starts)),
        "first": int(child[valued].min(initial=0)),
    }
    try:
        again = unpacked_nodes(found)[0]
    except ValueError:
        return None
    return found if again.tobytes() == nodes.tobytes() else None


def unpacked_nodes(packed: dict[str, Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the nodes, and the first one of each tree.

    Raises
    ------
    ValueError
        What is given was not packed, and is of no trees.
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
    nodes["child"] = np.minimum(codes + 1, 0)  # 0 where a leaf has a value, -1 - c where it is of class c
    nodes["cut"][inner] = packed["cuts"]
    if len(packed["right"]):
        bits = np.unpackbits(packed["right"], count=n_inner).astype(np.int32)
        nodes["column"][inner] |= bits * MISSING_RIGHT
    if place_nodes(starts, packed["first"], nodes) < 0:
        raise ValueError("the nodes are those of no trees")
    return nodes, starts
