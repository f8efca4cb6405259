"""rotations: draw one rotation group."""

import numpy as np
import xarray as xr

from rotastack.seeds import child, root_sequence
from rotastack.study.artifacts import read_prepared, write_arrays
from rotastack.study.job import Job
from rotastack.study.making import make_view
from rotastack.views.haar import draw_rotation

INPUTS = ("table",)
OUTPUTS = ("rotations", "record")
ABOUT = ("dataset",)


def run(job: Job) -> None:
    """Read input ``table``, write output ``rotations``.

    Rotation k of group g is seeded by ("rotations", dataset, g, k); number 0 is the identity.
    """
    spec = job.spec
    view = make_view(spec["view"])
    with job.recorded() as record:
        p = read_prepared(job.input("table")).numeric.shape[1]
        m = min(p, view.max_axes)
        blocks = np.zeros((spec["rotations"], m, m))
        axes = np.zeros((spec["rotations"], m), dtype=np.int32)
        for k in range(spec["rotations"] if p else 0):
            sequence = child(root_sequence(spec["seed"]), "rotations", spec["dataset"], spec["group"], k)
            axes[k], blocks[k] = draw_rotation(p, np.random.default_rng(sequence), view.flip, view.max_axes)
        blocks[0] = np.eye(m)
        arrays = xr.Dataset(
            {"block": (("rotation", "axis", "component"), blocks), "axes": (("rotation", "axis"), axes)},
            attrs={"n_features": p},
        )
        write_arrays(job.output("rotations"), arrays)
        record.metrics = {"numeric_columns": p, "rotated_axes": m}
