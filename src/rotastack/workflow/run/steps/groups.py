"""groups: draw the fold groups or splits of a data set, or rotation groups."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from rotastack.data.artifacts import read_prepared, write_arrays
from rotastack.resampling.rotations import draw_group
from rotastack.seeds import child, root_sequence
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.modules import protocol_module
from rotastack.workflow.study.building import make_view
from rotastack.workflow.study.names import number_of


def run(job: Job) -> None:
    """Read input ``table``; write output ``folds``, or output ``rotations``, group after group.

    Rotation k of group g has the seed ("rotations", dataset, g, k); rotation 0 is the identity.
    """
    with job.recorded() as record:
        data = read_prepared(job.input("table"))
        if "folds" in job.outputs:
            protocol_module(job.slice["protocol"], "groups").draw(job, data, record)
        if "rotations" in job.outputs:
            write_arrays(job.output("rotations"), _rotations(data.numeric.shape[1], job.slice))


def _rotations(n_features: int, slice_: Mapping[str, Any]) -> xr.Dataset:
    """Return the rotations of all groups: the ``axes`` that a rotation turns, and its matrix (``block``)."""
    view = make_view(slice_["view"])
    root = child(root_sequence(slice_["seed"]), "rotations", slice_["dataset"])
    groups = [
        draw_group(n_features, slice_["rotations"], child(root, number_of(g)), flip=view.flip, max_axes=view.max_axes)
        for g in slice_["groups"]
    ]
    axes, blocks = map(np.concatenate, zip(*groups, strict=True))
    return xr.Dataset(
        {"block": (("rotation", "axis", "component"), blocks), "axes": (("rotation", "axis"), axes)},
        attrs={"n_features": n_features},
    )
