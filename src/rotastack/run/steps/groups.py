"""groups: draw the fold groups or splits of a data set, or its rotation groups."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import xarray as xr

from rotastack.data.artifacts import read_prepared, write_arrays
from rotastack.resampling.rotations import draw_group
from rotastack.run.job import Job
from rotastack.run.modules import protocol_module
from rotastack.seeds import child, root_sequence
from rotastack.study.building import make_view
from rotastack.study.names import number_of


def run(job: Job) -> None:
    """Read input ``table``; write what is asked for: outputs ``folds``, and ``rotations``, a file for each view and rotation group.

    Rotation k of group g is seeded by ("rotations", dataset, g, k); number 0 is the identity.
    """
    with job.recorded() as record:
        data = read_prepared(job.input("table"))
        if "folds" in job.outputs:
            protocol_module(job.slice["protocol"], "groups").draw(job, data, record)
        if rotations := job.outputs.get("rotations"):
            drawn = product(job.slice["views"].values(), job.slice["groups"])
            for path, (view, group) in zip(rotations, drawn, strict=True):
                write_arrays(path, _rotations(data.numeric.shape[1], view, number_of(group), job.slice))


def _rotations(n_features: int, view: Mapping[str, Any], group: int, slice_: Mapping[str, Any]) -> xr.Dataset:
    """Return the rotations of a group: the axes that each turns, and how."""
    made = make_view(view)
    sequence = child(root_sequence(slice_["seed"]), "rotations", slice_["dataset"], group)
    axes, blocks = draw_group(n_features, slice_["rotations"], sequence, flip=made.flip, max_axes=made.max_axes)
    return xr.Dataset(
        {"block": (("rotation", "axis", "component"), blocks), "axes": (("rotation", "axis"), axes)},
        attrs={"n_features": n_features},
    )
