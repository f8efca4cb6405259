"""rotations: draw one rotation group."""

import xarray as xr

from rotastack.data.artifacts import read_prepared, write_arrays
from rotastack.resampling.rotations import draw_group
from rotastack.run.job import Job
from rotastack.seeds import child, root_sequence
from rotastack.study.building import make_view

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
        sequence = child(root_sequence(spec["seed"]), "rotations", spec["dataset"], spec["group"])
        axes, blocks = draw_group(p, spec["rotations"], sequence, flip=view.flip, max_axes=view.max_axes)
        arrays = xr.Dataset(
            {"block": (("rotation", "axis", "component"), blocks), "axes": (("rotation", "axis"), axes)},
            attrs={"n_features": p},
        )
        write_arrays(job.output("rotations"), arrays)
        record.metrics = {"numeric_columns": p, "rotated_axes": axes.shape[1]}
