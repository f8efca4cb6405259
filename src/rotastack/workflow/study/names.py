"""Names: of groups and splits (RG-01, FG-01, S-01), of blocks, of members' measures, and of the files of methods and figures."""

import hashlib
import re
from collections.abc import Sequence
from functools import cache

MEASURES_OF_MEMBERS = ("n_nodes", "depth", "oob_error")
"""Variables of a pool's file with the measures of each member."""
MEASURES_OF_TRAINING = (
    "n_nodes",
    "n_leaves",
    "depth",
    "median_nodes",
    "oob_error",
    "training_error",
    "iterations",
    "duality_gap",
    "training_disagreement",
    "margin_mean",
    "margin_variance",
    "chebyshev_bound",
    "mean_correlation",
)
"""Columns of the scores, in splits: measures of trees, of linear machines, and of the trees' votes on test rows."""
MEASURES_OF_PRUNING = (
    "members",
    "voters",
    "disagreement",
    "selection_disagreement",
    "paper_diversity",
    "member_accuracy",
    "selection_margin",
    "test_margin",
    "fallback",
    "test_c_bound",
    "c_bound",
    "diversity_bound",
    "linear_bound",
)
"""Further columns of the scores of methods with a pruner."""


LONGEST = 100
"""Letters of a name: a file's name holds two names and an ending, and file systems allow 255 bytes."""
_REPEATED = re.compile(r"(.+)\1{19}$")
"""An end at which Snakemake takes the name of a file for one that grows without end."""


def unfit(name: str) -> str:
    """Return in words why no file can have a name; an empty text for a name that files can have."""
    if len(name) > LONGEST:
        return f"has {len(name)} letters; at most {LONGEST} are allowed"
    repeated = _REPEATED.search(name)
    return f"ends in {repeated[1]!r}, 20 times or more; choose another name" if repeated else ""


def cut_to_fit(name: str) -> str:
    """Return a name that files can have: the name, or its beginning and its hash."""
    return f"{name[:60]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}" if unfit(name) else name


def name_of(prefix: str, number: int) -> str:
    """Return the name of a group or split from its number: ``RG-01`` for 0."""
    return f"{prefix}-{number + 1:02d}"


def block_name(prefix: str, numbers: Sequence[int]) -> str:
    """Return the name of a block: ``RG-01``, or ``RG-01-03`` for several."""
    first = name_of(prefix, numbers[0])
    return first if len(numbers) == 1 else f"{first}-{numbers[-1] + 1:02d}"


def inner(block: str) -> str:
    """Return the name of the block with the inner folds of a block: ``RG-01/FG-01.inner``."""
    return f"{block}.inner"


def outer(block: str) -> str:
    """Return the name of the block with the outer folds of a block."""
    return block.removesuffix(".inner")


def number_of(name: str) -> int:
    """Return the number of a group or split, counted from 0, from its name: 0 for ``RG-01``."""
    return int(name.partition("-")[2]) - 1


@cache
def slug(label: str) -> str:
    """Return a label as a file name: ``S-RRE/RF`` becomes ``S-RRE_RF``."""
    return "".join(c if c.isalnum() or c in "-." else "_" for c in label)


def ranks_name(group: str) -> str:
    """Return the name of the figure with the average ranks of a group of methods: ``ranks-NN`` for ``NN``."""
    return f"ranks-{group}"


def sweep_name(number: int) -> str:
    """Return the name of the figure of a study's sweep: ``sweep-1`` for number 0."""
    return f"sweep-{number + 1}"
